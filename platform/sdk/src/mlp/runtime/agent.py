"""Ships log bytes, metrics and resource samples of an attempt to the api, as they come and to the last byte; at its end
also the files of its output folder.

    python -I -m mlp.runtime.agent --config agent.json

One process per machine and attempt, one thread, standard library only. The log files are the spool: the server says
which byte of each source it wants next, so nothing is lost or doubled when the api is away, answers late or twice, or
when the agent itself is killed and started again. Exit status:

- 0: asked to end by SIGTERM, and everything there was has been shipped.
- 2: the configuration cannot be used.
- 3: the api refuses the token (401, 403, 410): the attempt is over.
- 4: asked to end, but the time was not enough for all logs or all artifacts.
- 5: another agent is at work in `state_dir`.
"""

from __future__ import annotations

import fcntl
import json
import os
import resource
import signal
import sys
import time
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from mlp.runtime import _json, _points
from mlp.runtime._artifacts import ArtifactShipper
from mlp.runtime._json import MalformedError
from mlp.runtime._samples import Gpus, MarkedProcesses, NodeSampler
from mlp.runtime._sources import Sources
from mlp.runtime._tail import SEGMENT_BYTES, Segment, Tail
from mlp.runtime._transport import REQUEST_SECONDS, Answer, Api, AttemptOverError, AwayError, Backoff
from mlp.runtime.agent_config import AgentConfig
from mlp.runtime.records import instant

DONE, BAD_CONFIG, REFUSED, NOT_ALL_SHIPPED, NOT_ALONE = 0, 2, 3, 4, 5
_SEGMENT_SECONDS = 0.4
"""A source that writes all the time makes a segment this often; one that was quiet is shipped at once."""
_SCAN_SECONDS = 1.0
_MAX_SAMPLES = 500


def main() -> int:
    if len(sys.argv) != 3 or sys.argv[1] != "--config":
        sys.stderr.write("usage: python -I -m mlp.runtime.agent --config FILE\n")
        return BAD_CONFIG
    try:
        config = AgentConfig.read(Path(sys.argv[2]))
    except (FileNotFoundError, MalformedError) as error:
        _say(f"the configuration cannot be used: {error}")
        return BAD_CONFIG
    state_dir = Path(config.state_dir)
    state_dir.mkdir(parents=True, exist_ok=True)
    lock = os.open(state_dir / "agent.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        _say(f"another agent is at work in {state_dir}")
        return NOT_ALONE
    _allow_many_files()
    agent = Agent(config)
    signal.signal(signal.SIGTERM, agent.stop)
    signal.signal(signal.SIGINT, agent.stop)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGINT})
    return agent.run()


@dataclass
class _Shipping:
    """What the agent knows of one tail's way to the server."""

    tail: Tail
    backoff: Backoff = field(default_factory=Backoff)
    sent_at: float = 0.0

    def is_due(self, now: float) -> bool:
        if self.tail.pending_bytes == 0 or now < self.backoff.retry_at:
            return False
        return self.tail.pending_bytes >= SEGMENT_BYTES or now - self.sent_at >= _SEGMENT_SECONDS


class Agent:
    """Looks, ships, sleeps; on SIGTERM ships to the end."""

    def __init__(self, config: AgentConfig) -> None:
        self._config = config
        self._api = Api(config.api_url, config.token)
        self._sources = Sources(config)
        gpus = Gpus() if any(node.gpus for node in config.nodes) else None
        processes = MarkedProcesses(tuple(node.pids_marker for node in config.nodes if node.pids_marker))
        self._samplers = [NodeSampler(node, gpus, processes) for node in config.nodes]
        self._shipping: list[_Shipping] = []
        self._cursors: dict[str, int] | None = None
        """What the server had when we first asked; None until it answered."""
        self._metrics_at = 0
        self._metrics_limit = _points.MAX_POINTS
        """Points in the next batch; 0 skips a line that was refused."""
        self._metrics_backoff = Backoff()
        self._samples_backoff = Backoff()
        self._away = Backoff()
        self._stopped_at: float | None = None
        self._scan_at = 0.0
        self._sample_at = 0.0

    def stop(self, _number: int, _frame: FrameType | None) -> None:
        """Signal handler: drain and end."""
        if self._stopped_at is None:
            self._stopped_at = time.monotonic()

    def run(self) -> int:
        """Until told to stop or refused; returns the exit status."""
        try:
            while self._stopped_at is None:
                self._look()
                if not self._ship():
                    time.sleep(self._config.poll_seconds)
            return DONE if self._finish(self._stopped_at) else NOT_ALL_SHIPPED
        except AttemptOverError as error:
            _say(f"the attempt is over: {error}")
            return REFUSED
        finally:
            self._api.close()

    def _look(self) -> None:
        """One glance at all files, and a sample where one is due."""
        now = time.monotonic()
        if now >= self._scan_at:
            self._scan_at = now + _SCAN_SECONDS
            self._sources.scan()
        now_ms = time.time_ns() // 1_000_000
        for tail in self._sources.tails:
            tail.observe(now_ms)
        for tail in self._sources.tails[len(self._shipping) :]:
            self._shipping.append(_Shipping(tail))
            if self._cursors is not None:
                tail.go_to(self._cursors.get(tail.source, 0))
        if now >= self._sample_at:
            self._sample_at = now + self._config.sample_seconds
            for sampler in self._samplers:
                sampler.take(time.time(), now)

    def _ship(self) -> bool:
        """Send one piece of everything that is due. True where there is more to send at once."""
        now = time.monotonic()
        if now < self._away.retry_at:
            return False
        try:
            if self._cursors is None:
                self._learn_cursors()
            for shipping in self._shipping:
                if shipping.is_due(now):
                    self._send_segment(shipping)
            more_points = self._send_points()
            self._send_samples()
        except AwayError as error:
            if self._away.failures == 0:
                _say(f"the api is away: {error}")
            self._away.failed(time.monotonic())
            return False
        if self._away.failures:
            _say("the api is back")
            self._away.succeeded()
        return more_points or any(s.tail.pending_bytes >= SEGMENT_BYTES and s.is_due(now) for s in self._shipping)

    def _finish(self, stopped_at: float) -> bool:
        """Logs first: they are small and tell why. True where the server has everything."""
        artifacts = ArtifactShipper(self._config)
        artifacts.look()
        try:
            has_logs = self._drain(stopped_at + self._config.drain_seconds)
            has_artifacts = artifacts.ship(stopped_at + self._config.artifact_seconds)
            if not has_logs and artifacts.stored_files:
                # The api came back in the meantime.
                has_logs = self._drain(time.monotonic() + self._config.drain_seconds)
            return has_logs and has_artifacts
        finally:
            artifacts.finish()
            for trouble in artifacts.troubles:
                _say(trouble)

    def _drain(self, until: float) -> bool:
        """Ship all there is now, then once more what came meanwhile. True where the server has it all."""
        return all(self._ship_to_end(until) for _ in range(2))

    def _ship_to_end(self, until: float) -> bool:
        self._scan_at = self._sample_at = 0.0
        self._look()
        metrics_end = _points.size(self._config.metrics_file) if self._config.metrics_file else 0
        while True:
            for shipping in self._shipping:
                shipping.sent_at = 0.0
            self._api.timeout_seconds = min(REQUEST_SECONDS, max(0.5, until - time.monotonic()))
            more = self._ship()
            if self._has_all(metrics_end):
                return True
            now = time.monotonic()
            if now >= until:
                left = sum(shipping.tail.pending_bytes for shipping in self._shipping)
                _say(f"{left} bytes of log could not be shipped in time")
                return False
            if not more:
                time.sleep(min(self._config.poll_seconds, until - now))

    def _has_all(self, metrics_end: int) -> bool:
        # A last line of metrics without its newline will never be whole.
        points = self._config.metrics_file and _points.read_batch(self._config.metrics_file, self._metrics_at)
        has_points = not points or self._metrics_at >= metrics_end
        has_logs = all(shipping.tail.pending_bytes == 0 for shipping in self._shipping)
        return has_points and has_logs and not any(sampler.waiting for sampler in self._samplers)

    def _learn_cursors(self) -> None:
        answer = self._api.request("GET", "/api/v1/agent/cursors")
        try:
            body = _json.parse_object(answer.body, "cursors") if answer.is_success else None
            if body is None:
                raise MalformedError(f"the api answers {answer.status} for cursors")
            sources = _json.as_object(body.get("sources", {}), "sources")
            cursors = {source: _json.as_integer(value, source) for source, value in sources.items()}
            self._metrics_at = _json.as_integer(body.get("metrics", 0), "metrics")
        except MalformedError as error:
            raise AwayError(str(error)) from error
        for shipping in self._shipping:
            shipping.tail.go_to(cursors.get(shipping.tail.source, 0))
        self._cursors = cursors

    def _send_segment(self, shipping: _Shipping) -> None:
        tail = shipping.tail
        segment = tail.next_segment()
        if segment is None:
            return
        answer = self._api.request("PUT", "/api/v1/agent/segments", *_packed(tail.source, segment))
        now = time.monotonic()
        next_byte = _word_of(answer)
        if next_byte is not None:
            tail.go_to(next_byte)
            shipping.sent_at = now
        if next_byte is None or (next_byte == segment.start and answer.is_success):
            # An answer that moves nothing: this source waits, the others go on.
            shipping.backoff.failed(now)
            _complain(f"segment of {tail.source} at {segment.start}", answer, shipping.backoff)
        else:
            shipping.backoff.succeeded()

    def _send_points(self) -> bool:
        path, now = self._config.metrics_file, time.monotonic()
        if path is None or now < self._metrics_backoff.retry_at:
            return False
        batch = _points.read_batch(path, self._metrics_at, self._metrics_limit)
        if batch is None:
            return False
        answer = self._post("metrics", {"start": batch.start, "end": batch.end, "points": batch.points})
        next_byte = _word_of(answer)
        if next_byte is not None and next_byte != batch.start:
            self._metrics_at, self._metrics_limit = next_byte, _points.MAX_POINTS
            self._metrics_backoff.succeeded()
            return True
        if answer.is_refusal and self._metrics_limit > 0:
            # One point that the api will not have must not hold up the rest: alone, and then without itself.
            self._metrics_limit = 1 if self._metrics_limit > 1 else 0
            return True
        self._metrics_backoff.failed(now)
        _complain(f"metrics at {batch.start}", answer, self._metrics_backoff)
        return False

    def _send_samples(self) -> None:
        now = time.monotonic()
        for sampler in self._samplers:
            batch = sampler.waiting[:_MAX_SAMPLES]
            if not batch or now < self._samples_backoff.retry_at:
                continue
            post: dict[str, object] = {"node": sampler.node.name, "samples": batch, "sent_at": instant()}
            answer = self._post("samples", post)
            if answer.is_success or answer.is_refusal:
                # Refused samples would be refused again, and the next ones tell as much.
                del sampler.waiting[: len(batch)]
            if answer.is_success:
                self._samples_backoff.succeeded()
            else:
                self._samples_backoff.failed(now)
                _complain(f"samples of {sampler.node.name}", answer, self._samples_backoff)

    def _post(self, what: str, value: dict[str, object]) -> Answer:
        body = json.dumps(value, separators=(",", ":")).encode()
        return self._api.request("POST", f"/api/v1/agent/{what}", body, {"Content-Type": "application/json"})


def _word_of(answer: Answer) -> int | None:
    """Where the server says to go on; None where it says nothing, being unwell or refusing."""
    return answer.next_byte if answer.is_success or answer.status == 409 else None


def _packed(source: str, segment: Segment) -> tuple[bytes, dict[str, str]]:
    # Level 1: the agent must keep up with a job that prints without pause, on the job's own processors.
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    body = packer.compress(segment.data) + packer.flush()
    return body, {
        "Content-Encoding": "gzip",
        "Content-Type": "application/octet-stream",
        "X-Log-Source": source,
        "X-Log-Start": str(segment.start),
        "X-Log-Length": str(len(segment.data)),
        "X-Log-Times": json.dumps(segment.times, separators=(",", ":")),
    }


def _allow_many_files() -> None:
    """Every log file stays open, so that one removed behind our back can still be read to its end."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _complain(what: str, answer: Answer, backoff: Backoff) -> None:
    if backoff.failures <= 1:
        _say(f"{what}: the api answers {answer.status} {answer.body[:300]!r}")


def _say(message: str) -> None:
    sys.stderr.write(f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {message}\n")


if __name__ == "__main__":
    sys.exit(main())
