"""Job tokens: the same attempt gives the same token, and nothing else is taken for one."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey

from mlp_core.domain.errors import NotSignedIn
from mlp_core.domain.ids import AttemptId, JobId, ProjectId
from mlp_core.gateways.jobtokens import LEEWAY_SECONDS, LIFETIME, JobToken, JobTokens, looks_like_job_token

SECRET = "a secret of at least thirty-two characters"
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
TOKEN = JobToken(AttemptId("att_1"), JobId("job_1"), ProjectId("prj_1"), "vision", NOW)
TOKENS = JobTokens(SECRET)


def test_token_comes_back_and_is_always_the_same() -> None:
    text = TOKENS.sign(TOKEN)
    assert TOKENS.verify(text, NOW) == TOKEN
    assert JobTokens(SECRET).sign(TOKEN) == text
    assert looks_like_job_token(text)
    assert not looks_like_job_token("mlp_" + "x" * 43)


@pytest.mark.parametrize("seconds", [-LEEWAY_SECONDS + 1, 0, LIFETIME.total_seconds() + LEEWAY_SECONDS - 2])
def test_m5_clocks_may_differ_by_a_minute(seconds: float) -> None:
    assert TOKENS.verify(TOKENS.sign(TOKEN), NOW + timedelta(seconds=seconds)) == TOKEN


def test_m5_expired_really_is_expired() -> None:
    with pytest.raises(NotSignedIn):
        TOKENS.verify(TOKENS.sign(TOKEN), NOW + LIFETIME + timedelta(seconds=LEEWAY_SECONDS + 1))


def _forged(**claims: object) -> str:
    good = {"iss": "mlp", "typ": "job", "sub": "att_1", "job": "job_1", "project": "prj_1", "slug": "vision"}
    good |= {"iat": int(NOW.timestamp()), "exp": int(NOW.timestamp()) + 1000}
    kept = {name: value for name, value in (good | claims).items() if value is not None}
    return jwt.encode({"alg": "HS256"}, kept, OctKey.import_key(SECRET))


@pytest.mark.parametrize(
    "text",
    [
        JobTokens("another secret of at least 32 characters").sign(TOKEN),
        TOKENS.sign(TOKEN)[:-4] + "AAAA",
        "a.b.c",
        "..",
        "",
        "eyJhbGciOiJub25lIn0.e30.",
        _forged(typ="mlflow"),
        _forged(iss="other"),
        _forged(sub=None),
        _forged(project=None),
        _forged(exp=None),
    ],
)
def test_nothing_else_is_a_job_token(text: str) -> None:
    with pytest.raises(NotSignedIn):
        TOKENS.verify(text, NOW)


def test_tokens_of_two_attempts_differ() -> None:
    assert TOKENS.sign(TOKEN) != TOKENS.sign(replace(TOKEN, attempt_id=AttemptId("att_2")))
