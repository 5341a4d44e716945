"""What the api runs on: one object with every neighbour in it, made once and passed down."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property

from mlp_core.artifacts.service import ArtifactLimits, Artifacts
from mlp_core.dashboards.service import Dashboards
from mlp_core.gateways.jobtokens import JobTokens
from mlp_core.gateways.live import Live
from mlp_core.gateways.mlflow import Mlflow
from mlp_core.gateways.objects import ObjectStore
from mlp_core.gateways.ray_heads import RayHeads
from mlp_core.jobs.ingest import AttemptIngest
from mlp_core.jobs.stream import EventStream
from mlp_core.kit.clock import Clock, SystemClock
from mlp_core.kit.database import Database
from mlp_core.kit.pages import CursorCodec
from mlp_core.kit.sealing import Sealer
from mlp_core.logs.follow import LogFollower
from mlp_core.logs.ingest import LogIngest
from mlp_core.logs.segments import SegmentStore
from mlp_core.logs.service import Logs
from mlp_core.packages.service import Packages
from mlp_core.people.sessions import Sessions
from mlp_core.people.throttle import SignInThrottle
from mlp_core.settings import Settings
from mlp_core.tracking.moving import Moves
from mlp_core.tracking.registry import ModelRegistry


@dataclass
class Platform:
    """The neighbours of one api process. Tests make it from real ones and a clock of their own."""

    settings: Settings
    database: Database
    objects: ObjectStore
    live: Live
    mlflow: Mlflow
    clock: Clock = field(default_factory=SystemClock)
    sign_in_throttle: SignInThrottle = field(default_factory=SignInThrottle)

    @cached_property
    def _secret(self) -> str:
        return self.settings.secret_key.get_secret_value()

    @cached_property
    def job_tokens(self) -> JobTokens:
        return JobTokens(self._secret)

    @cached_property
    def cursors(self) -> CursorCodec:
        return CursorCodec(self._secret)

    @cached_property
    def answers(self) -> Sealer:
        """Seals stored answers that hold a secret shown once."""
        return Sealer(self._secret, "idempotent-answers")

    @property
    def sessions(self) -> Sessions:
        lifetime = timedelta(hours=self.settings.session_hours)
        return Sessions(self.database, self.sign_in_throttle, self.clock, lifetime)

    @cached_property
    def packages(self) -> Packages:
        return Packages(self.database, self.objects, self.clock)

    @cached_property
    def moves(self) -> Moves:
        """Remembers which attempts have moved to another experiment, for the MLflow proxy."""
        return Moves(self.database, self.mlflow, self.clock)

    @cached_property
    def dashboards(self) -> Dashboards:
        return Dashboards(self.database, self._secret, self.clock)

    @cached_property
    def ray_heads(self) -> RayHeads:
        return RayHeads()

    @cached_property
    def model_registry(self) -> ModelRegistry:
        return ModelRegistry(self.database, self.mlflow, self.settings.public_url)

    @cached_property
    def segments(self) -> SegmentStore:
        """One per process, for its cache."""
        return SegmentStore(self.objects)

    @cached_property
    def log_ingest(self) -> LogIngest:
        return LogIngest(self.database, self.segments, self.clock)

    @cached_property
    def attempt_ingest(self) -> AttemptIngest:
        return AttemptIngest(self.database, self.objects, self.mlflow)

    @cached_property
    def artifacts(self) -> Artifacts:
        limits = ArtifactLimits(self.settings.artifact_max_files, self.settings.artifact_max_bytes)
        return Artifacts(self.database, self.objects, limits)

    @cached_property
    def logs(self) -> Logs:
        return Logs(self.database, self.segments)

    @cached_property
    def log_follower(self) -> LogFollower:
        return LogFollower(self.database, self.logs, self.live)

    @cached_property
    def event_stream(self) -> EventStream:
        return EventStream(self.database, self.live, self.settings.public_url)

    async def close(self) -> None:
        await self.live.close()
        await self.mlflow.close()
        await self.ray_heads.close()
        await self.database.close()


def make_platform(settings: Settings) -> Platform:
    """The real neighbours that `settings` names; nothing is connected yet."""
    live = Live(settings.redis_url)
    database = Database(
        settings.database_url,
        pool_size=settings.database_pool,
        application_name="mlp-api",
        wake=live.publish_wake,
    )
    objects = ObjectStore.from_url(settings.object_store_url)
    return Platform(settings, database, objects, live, Mlflow.of(settings))
