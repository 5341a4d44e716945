"""What the agent beside a Ray node says to the api."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from mlp.schemas.base import GivenInstant, Intent, Text, Wire
from mlp.schemas.phases import FailureClass

NodeName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")]
SOURCE_PATTERN = r"^(driver|[a-z0-9][a-z0-9-]{0,62}/[A-Za-z0-9_.-]{1,100}(/err)?)$"


class SegmentStored(Wire):
    """The server is the authority: the agent goes on from `next_byte`."""

    next_byte: int


class Cursors(Wire):
    """First byte not yet stored, by log source; `metrics` is the offset in the metrics file."""

    sources: dict[str, int]
    metrics: int = 0


class GpuSample(Intent):
    index: int = Field(ge=0, le=1024)
    utilisation: float = Field(ge=0, le=100)
    memory_bytes: int = Field(ge=0)


class Sample(Intent):
    at: GivenInstant
    cpu_cores: float = Field(ge=0, le=1e6)
    memory_bytes: int = Field(ge=0, le=2**60)
    memory_limit_bytes: int | None = Field(default=None, ge=0, le=2**60)
    gpus: list[GpuSample] = Field(default_factory=list[GpuSample], max_length=64)


class SamplesPost(Intent):
    node: NodeName
    samples: list[Sample] = Field(min_length=1, max_length=1000)
    sent_at: GivenInstant | None = Field(default=None, description="The node's clock as this was sent.")


class ReportedFailure(Intent):
    """Why the process could not be started."""

    failure_class: FailureClass
    message: Text = Field(max_length=2000)
    is_final: bool = Field(default=True, description="False: it is being tried again.")
    hint: Text | None = Field(default=None, max_length=500)
    last_lines: list[Text] = Field(default_factory=list[Text], max_length=30)


class ReportedArtifacts(Intent):
    """How far the files of the output folder are handed in."""

    files: int = Field(ge=0, le=2**31)
    files_stored: int = Field(ge=0, le=2**31)
    bytes: int = Field(ge=0, le=2**62)
    bytes_stored: int = Field(ge=0, le=2**62)
    until: GivenInstant = Field(description="By then the agent has given up at the latest.")
    missing: list[Text] = Field(default_factory=list[Text], max_length=50, description="Not stored, the first few.")
    left_out: list[Text] = Field(default_factory=list[Text], max_length=50, description="Cannot be stored, with why.")
    left_out_count: int = Field(default=0, ge=0, le=2**31)


class ProcessReport(Intent):
    """How the attempt's process stands, whole each time: the last one counts."""

    setting_up: Text | None = Field(default=None, max_length=500, description="What it still waits for, as a sentence.")
    started_at: GivenInstant | None = None
    ended_at: GivenInstant | None = None
    exit_code: int | None = Field(default=None, ge=0, le=255)
    signal: int | None = Field(default=None, ge=1, le=64)
    timed_out: bool = False
    stopped: bool = Field(default=False, description="It was asked to end.")
    oom_kills: int = Field(default=0, ge=0, le=2**31)
    shipped: bool = Field(default=False, description="Logs, metrics and artifacts of its node are all handed in.")
    failure: ReportedFailure | None = None
    artifacts: ReportedArtifacts | None = None


class MetricLogged(Intent):
    key: Annotated[Text, StringConstraints(min_length=1, max_length=250)]
    value: float
    step: int = Field(default=0, ge=-(2**53), le=2**53)
    at: GivenInstant


class MetricsPost(Intent):
    start: int = Field(ge=0, description="Byte offset of the first point in the metrics file.")
    end: int = Field(ge=0, description="Byte offset after the last point.")
    points: list[MetricLogged] = Field(max_length=1000)
