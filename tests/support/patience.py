"""Property tests on a machine that is busy: examples are what they are, the clock is no judge of them."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
