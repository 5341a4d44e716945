"""The Celery application: threads in one process, no results, nothing that outlives a message.

Messages are acknowledged as they are taken, not when their task ends: the claim in Postgres is what guards an effect,
and with late acknowledgement a broker that restarts under a running task has ended whole workers (celery 5.7). No
message is ever sent with an ETA or a countdown: times live in the outbox, and a message that waits in the broker beyond
its visibility timeout would be given out twice.
"""

# celery and kombu ship no types: what is taken from them is "partially unknown".
# pyright: reportUnknownMemberType=false, reportMissingTypeStubs=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from celery import Celery, bootsteps
from celery.exceptions import CeleryError
from kombu.exceptions import KombuError, OperationalError
from redis.exceptions import RedisError

from mlp_worker.relay import BrokerAway
from mlp_worker.schedule import beat_schedule

QUEUE = "mlp"
PREFETCH = 8
"""Messages per thread that are taken ahead: hints only, so taking more than can be done at once loses nothing."""
WAKE_SECONDS = 0.2
VISIBILITY_SECONDS = 3600
TASK_PREFIX = "mlp."
_BROKER_OPTIONS: dict[str, Any] = {
    "visibility_timeout": VISIBILITY_SECONDS,
    "socket_connect_timeout": 3,
    "socket_timeout": 10,
    "socket_keepalive": True,
    "health_check_interval": 15,
    # How often a sender tries before it says that the broker is away; receivers try for ever, see below.
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0.2,
    "interval_max": 0.2,
}


def make_app(redis_url: str) -> Celery:
    app = Celery("mlp", broker=redis_url, set_as_current=False)
    app.conf.update(
        task_default_queue=QUEUE,
        task_ignore_result=True,
        task_acks_late=False,
        task_serializer="json",
        accept_content=["json"],
        enable_utc=True,
        worker_prefetch_multiplier=PREFETCH,
        worker_hijack_root_logger=False,
        worker_redirect_stdouts=False,
        worker_enable_remote_control=False,
        worker_send_task_events=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        broker_transport_options=_BROKER_OPTIONS,
        beat_schedule=beat_schedule(),
        beat_max_loop_interval=5,
    )
    app.steps["worker"].add(_Awake)  # pyright: ignore[reportOptionalSubscript] (a dict once the class is made)
    return app


class _Awake(bootsteps.StartStopStep):
    """Has Celery's event loop look up often.

    Threads that finish a task do not wake the loop, which then takes no further messages until its next timer: that
    was up to ten seconds away, whatever waited in the broker.
    """

    requires = ("celery.worker.components:Hub",)

    def start(self, parent: Any) -> None:
        parent.hub.call_repeatedly(WAKE_SECONDS, lambda: None)


def register(app: Celery, kinds: Iterable[str], deliver: Callable[[int], object]) -> None:
    """One task per kind of effect, all alike, so that Celery's own figures tell kinds apart."""

    def carry_out(row_id: int) -> None:
        deliver(row_id)

    for kind in kinds:
        app.task(carry_out, name=TASK_PREFIX + kind, ignore_result=True)


def send(app: Celery, row_id: int, kind: str) -> None:
    """Hand a row to the broker; blocks for a few seconds at most.

    Raises:
        BrokerAway: it was not taken.
    """
    try:
        app.send_task(TASK_PREFIX + kind, args=(row_id,), queue=QUEUE, retry=False, ignore_result=True)
    except (CeleryError, KombuError, OperationalError, RedisError, OSError) as error:
        raise BrokerAway(f"{type(error).__name__}: {error}") from error
