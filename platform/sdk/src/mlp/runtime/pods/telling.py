"""What is said while an attempt is set up: on the container's log, and to the platform."""

from __future__ import annotations

import sys
import time

from mlp.runtime._transport import AttemptOverError
from mlp.runtime.pods.places import Pod
from mlp.runtime.pods.reporting import Reporter
from mlp.runtime.pods.standing import Failure, Standing
from mlp.runtime.pods.work import Work

_TELL_SECONDS = 10.0


class Teller:
    """The head tells the platform how far it is; a worker only what is final, since the last report counts."""

    def __init__(self, pod: Pod, work: Work) -> None:
        self._is_head = pod.is_head
        self._reporter = Reporter.to(work.api_url, work.token)

    def say(self, sentence: str) -> None:
        say(sentence)
        if self._is_head:
            self._tell(Standing(setting_up=sentence), 0.0)

    def fail(self, failure: Failure) -> None:
        say(failure.message)
        for line in failure.last_lines:
            say(line)
        if self._is_head or failure.is_final:
            self._tell(Standing(setting_up=failure.message, failure=failure), _TELL_SECONDS)

    def _tell(self, standing: Standing, seconds: float) -> None:
        try:
            self._reporter.tell(standing)
            self._reporter.push_until(time.monotonic() + seconds)
        except AttemptOverError as error:
            say(f"The attempt is over: {error}")


def say(sentence: str) -> None:
    sys.stderr.write(f"mlp: {sentence}\n")
    sys.stderr.flush()
