"""`setup`: the first step of each pod. On a cluster that many works share there is nothing to bring in yet."""

from __future__ import annotations

from mlp.runtime.pods import exits
from mlp.runtime.pods.bringing import NotBroughtInError, bring_in
from mlp.runtime.pods.places import Pod
from mlp.runtime.pods.telling import Teller, say
from mlp.runtime.pods.work import NoWorkError, await_work


def run(pod: Pod) -> int:
    """Returns the exit status. Why it failed stands in the pod's termination message, in one line."""
    if pod.secret is None:
        return exits.DONE
    try:
        work = await_work(pod.secret, pod.ray_cluster, pod.await_seconds, say)
    except NoWorkError as error:
        _leave_word(pod, str(error))
        return exits.NO_WORK
    teller = Teller(pod, work)
    try:
        bring_in(pod, work, teller.say)
    except NotBroughtInError as error:
        _leave_word(pod, str(error))
        teller.fail(error.failure)
        return error.status
    return exits.DONE


def _leave_word(pod: Pod, sentence: str) -> None:
    """The kubelet shows it with the container's end, where the operator reads it."""
    try:
        pod.termination_log.write_text(" ".join(sentence.split()), encoding="utf-8")
    except OSError as error:
        say(f"{pod.termination_log} cannot be written: {error.strerror}")
