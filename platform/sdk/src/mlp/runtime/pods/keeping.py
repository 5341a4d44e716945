"""Looks after the shipping of one attempt from one pod: keeps its agent running, and at the end has it finish."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from enum import Enum, auto

from mlp.runtime import agent as shipping
from mlp.runtime import pids
from mlp.runtime._transport import AttemptOverError
from mlp.runtime.agent_config import AgentConfig, NodeConfig
from mlp.runtime.pids import WORK_MARK, PidRecord
from mlp.runtime.pods.looking import look
from mlp.runtime.pods.places import RAY_MARK, AttemptPlace, Pod
from mlp.runtime.pods.reporting import Reporter
from mlp.runtime.pods.seals import Flushed, Seal
from mlp.runtime.pods.standing import Head, standing_of
from mlp.runtime.pods.telling import say
from mlp.runtime.pods.timing import ARTIFACT_SECONDS, DRAIN_SHARE
from mlp.runtime.pods.work import Work
from mlp.runtime.records import agent_command, sigterm_held

_REST_SECONDS = 1.0
"""An agent that was killed is started again after this long at the soonest."""
_FLUSHES = 3
"""An agent that is killed while it finishes is started again, so often in all."""
_LAST_WORD_SECONDS = 5.0
_STOP_SHARE = 0.9
"""Of the time that a pod has for it after its grace: the kubelet ends what is not through by then."""
_KEPT = ("PATH", "HOME", "LANG", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR")


class Phase(Enum):
    SHIPPING = auto()
    FLUSHING = auto()
    DONE = auto()


@dataclass
class Keeper:
    """Never waits, but for the last word to the platform. Takes up where one before it was killed."""

    pod: Pod
    place: AttemptPlace
    work: Work
    reporter: Reporter
    phase: Phase = Phase.SHIPPING
    is_over: bool = False
    """The platform takes nothing of the attempt any more."""
    _agent: subprocess.Popen[bytes] | None = None
    _rest_until: float = 0.0
    _flush_until: float = 0.0
    _flushes: int = 0
    _stopped_at: float | None = None
    _asked: set[int] = field(default_factory=set[int])

    @classmethod
    def of(cls, pod: Pod, place: AttemptPlace) -> Keeper:
        """Raises `FileNotFoundError` and `MalformedError`."""
        work = Work.read(place.work)
        keeper = cls(pod, place, work, Reporter.to(work.api_url, work.token))
        if Flushed.read(place.flushed) is not None:
            keeper.phase = Phase.DONE
        else:
            agent_config(pod, place, work).write(place.agent_config)
            # Of a supervisor that was killed; the bytes that it was sending will be sent again.
            pids.signal_record(PidRecord.read(place.agent_pid), signal.SIGKILL)
        return keeper

    def step(self, *, stop: bool) -> None:
        """Do what is due. With `stop` the pod itself is about to go."""
        if self.phase is Phase.DONE:
            return
        now = time.monotonic()
        head = look(self.place) if self.pod.is_head else None
        if head is not None:
            self._tell(head)
        is_sealed = head.is_sealed if head is not None else Seal.read(self.place.seal) is not None
        if self.phase is Phase.SHIPPING and (stop or is_sealed or (head is not None and head.has_ended)):
            self.phase = Phase.FLUSHING
            has_time = self.pod.is_head and is_sealed and not stop
            self._flush_until = now + self.pod.flush_seconds + (ARTIFACT_SECONDS if has_time else 0.0)
        if stop and self._stopped_at is None:
            self._stopped_at = now
            self._flush_until = min(self._flush_until, now + _STOP_SHARE * self.pod.flush_seconds)
        status = self._status_of_agent()
        if status == shipping.REFUSED or self.is_over:
            self._finish(complete=False)
        elif self.phase is Phase.SHIPPING:
            self._keep(status, now)
        else:
            self._flush(status, now)

    def end(self) -> None:
        """Its folder is gone."""
        self._kill()

    # -- the agent's process -----------------------------------------------------------------------------------------

    def _status_of_agent(self) -> int | None:
        """None while it runs; a negative number where it was killed, or never started."""
        return -1 if self._agent is None else self._agent.poll()

    def _keep(self, status: int | None, now: float) -> None:
        if status is not None and now >= self._rest_until:
            self._rest_until = now + _REST_SECONDS
            self._start()

    def _flush(self, status: int | None, now: float) -> None:
        if status is None:
            assert self._agent is not None  # noqa: S101 - it runs
            if self._agent.pid not in self._asked:
                self._asked.add(self._agent.pid)
                self._agent.send_signal(signal.SIGTERM)
            elif now >= self._flush_until:
                self._finish(complete=False)
        elif status in (shipping.DONE, shipping.NOT_ALL_SHIPPED):
            self._finish(complete=status == shipping.DONE)
        elif self._flushes >= _FLUSHES or now >= self._flush_until:
            self._finish(complete=False)
        else:
            self._flushes += 1
            self._start()

    def _start(self) -> None:
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        with sigterm_held():
            self._agent = subprocess.Popen(
                agent_command(sys.executable, self.place.agent_config), env=environment, stdin=subprocess.DEVNULL
            )
        record = PidRecord.of(self._agent.pid)
        if record is not None:
            record.write(self.place.agent_pid)

    def _kill(self) -> None:
        if self._agent is not None and self._agent.poll() is None:
            self._agent.kill()
            self._agent.wait()

    # -- what is told ----------------------------------------------------------------------------------------------

    def _tell(self, head: Head) -> None:
        try:
            self.reporter.tell(standing_of(head))
        except AttemptOverError as error:
            say(f"The attempt is over: {error}")
            self.is_over = True

    def _finish(self, *, complete: bool) -> None:
        self._kill()
        if self.pod.is_head and not self.is_over:
            try:
                self.reporter.tell(standing_of(look(self.place), shipped=complete))
                self.reporter.push_until(time.monotonic() + _LAST_WORD_SECONDS)
            except AttemptOverError as error:
                say(f"The attempt is over: {error}")
        Flushed.now(complete=complete).write(self.place.flushed)
        self.reporter.api.close()
        self.phase = Phase.DONE


def agent_config(pod: Pod, place: AttemptPlace, work: Work) -> AgentConfig:
    """What the agent of this pod ships. The driver's log, metrics and artifacts are the head's."""
    node = NodeConfig(
        name=pod.node,
        log_globs=(pod.ray_logs,),
        worker_env={WORK_MARK: work.name} if pod.is_shared else None,
        worker_marks=str(place.marks),
        cgroup_memory=str(place.cgroup_memory),
        cgroup_cpu=str(place.cgroup_cpu),
        pids_marker=f"{RAY_MARK}=ray",
        memory_limit_bytes=pod.memory_bytes,
    )
    return AgentConfig(
        api_url=work.api_url,
        attempt_id=work.name,
        state_dir=str(place.agent_state),
        token=work.token,
        nodes=(node,),
        driver_log=str(place.driver_log) if pod.is_head else None,
        metrics_file=str(place.metrics) if pod.is_head else None,
        drain_seconds=DRAIN_SHARE * pod.flush_seconds,
        output_dir=str(place.output) if pod.is_head else None,
        artifact_seconds=ARTIFACT_SECONDS,
    )
