from __future__ import annotations

import json
import random
from typing import Any

import pytest

from mlp import errors
from mlp.client.call import Call, Response
from mlp.client.exchange import Exchange, Origin
from mlp.client.retry import RetryPolicy

ORIGIN = Origin("https://mlp.test", "mlp_secret")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def exchange(call: Call[Any], clock: Clock | None = None, tries: int = 4) -> Exchange[Any]:
    return Exchange(call, ORIGIN, RetryPolicy(tries=tries), now=clock or Clock(), chance=random.Random(1))


def answer(status: int, document: Any = None, **headers: str) -> Response:
    kind = {"content-type": "application/problem+json" if status >= 400 else "application/json"}
    body = b"" if document is None else json.dumps(document).encode()
    return Response(status, kind | {name.replace("_", "-"): value for name, value in headers.items()}, body)


def problem(status: int, code: str, **more: Any) -> Response:
    return answer(status, {"title": "t", "status": status, "code": code, "detail": "No.", **more})


def test_a_call_carries_who_asks_and_which_client() -> None:
    request = exchange(Call("GET", "/api/v1/me", params=[("limit", "5")])).request
    assert request.url == "https://mlp.test/api/v1/me?limit=5"
    assert request.headers["Authorization"] == "Bearer mlp_secret"
    assert request.headers["X-Mlp-Client"] == "0.1.0"


def test_every_post_has_an_idempotency_key_that_stays_over_its_retries() -> None:
    one = exchange(Call("POST", "/api/v1/projects", json={}))
    key = one.request.headers["Idempotency-Key"]
    one.answered(answer(503))
    assert one.request.headers["Idempotency-Key"] == key
    assert exchange(Call("POST", "/api/v1/projects", json={})).request.headers["Idempotency-Key"] != key


def test_a_key_of_the_callers_is_kept() -> None:
    call: Call[Any] = Call("POST", "/x", headers={"Idempotency-Key": "mine"})
    assert exchange(call).request.headers["Idempotency-Key"] == "mine"


@pytest.mark.parametrize("status", [502, 503, 504])
def test_an_overloaded_platform_is_asked_again_until_the_tries_are_used_up(status: int) -> None:
    one = exchange(Call("GET", "/x"), tries=3)
    assert 0 < (one.answered(answer(status, {"detail": "busy"})) or 0) <= 0.25
    assert 0 < (one.answered(answer(status, {"detail": "busy"})) or 0) <= 0.5
    with pytest.raises(errors.ServerFault):
        one.answered(answer(status, {"detail": "busy"}))


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 412, 413, 422, 426, 500])
def test_a_refusal_is_final(status: int) -> None:
    with pytest.raises(errors.PlatformError):
        exchange(Call("GET", "/x")).answered(problem(status, "whatever"))


def test_retry_after_is_honoured() -> None:
    assert exchange(Call("GET", "/x")).answered(answer(503, {}, retry_after="7")) == 7


def test_a_retry_after_beyond_the_deadline_is_not_waited_for() -> None:
    with pytest.raises(errors.ServerFault):
        exchange(Call("GET", "/x", timeout_seconds=5)).answered(answer(503, {}, retry_after="7"))


def test_a_throttle_is_waited_out_and_a_limit_is_not() -> None:
    throttled = problem(429, "limit_reached", data={"retry_after_seconds": 3})
    headers = {**throttled.headers, "retry-after": "3"}
    assert exchange(Call("GET", "/x")).answered(Response(429, headers, throttled.body)) == 3
    with pytest.raises(errors.LimitReached):
        exchange(Call("GET", "/x")).answered(problem(429, "limit_reached"))


def test_lost_connections_are_tried_again_but_never_past_the_deadline() -> None:
    clock = Clock()
    one = exchange(Call("GET", "/x", timeout_seconds=10), clock)
    assert one.failed(errors.PlatformUnreachable("gone")) > 0
    clock.now += 9.95
    with pytest.raises(errors.PlatformUnreachable, match="gone"):
        one.failed(errors.PlatformUnreachable("gone"))
    clock.now += 1
    with pytest.raises(errors.DeadlineExceeded, match="within 10 s"):
        one.remaining_seconds()


@pytest.mark.parametrize("kind", [errors.UnknownAuthority, errors.WrongHostName, errors.CertificateExpired])
def test_a_bad_certificate_is_told_once(kind: type[errors.PlatformUnreachable]) -> None:
    with pytest.raises(kind):
        exchange(Call("GET", "/x")).failed(kind("no"))


def test_a_result_is_parsed_and_nothing_is_none() -> None:
    one = exchange(Call("GET", "/x", lambda data: data["a"]))
    assert one.answered(answer(200, {"a": 5})) is None
    assert one.result == 5
    empty = exchange(Call("DELETE", "/x"))
    empty.answered(answer(204))
    assert empty.result is None


@pytest.mark.parametrize("status", [200, 404, 500])
def test_a_web_page_is_not_the_platform(status: int) -> None:
    page = Response(status, {"content-type": "text/html"}, b"<h1>Proxy</h1>")
    with pytest.raises(errors.PlatformUnreachable, match="not an mlp platform"):
        exchange(Call("GET", "/x")).answered(page)


def test_a_redirect_names_where_to() -> None:
    with pytest.raises(errors.PlatformUnreachable, match=r"redirects to https://new\.test"):
        exchange(Call("GET", "/x")).answered(Response(301, {"location": "https://new.test/"}, b""))


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (401, "not_signed_in", errors.NotSignedIn),
        (404, "not_found", errors.NotFound),
        (409, "name_taken", errors.NameTaken),
        (409, "a_new_code", errors.Conflict),
        (412, "version_conflict", errors.Stale),
        (422, "can_never_fit", errors.CanNeverFit),
        (422, "a_new_code", errors.Invalid),
        (426, "client_too_new", errors.ClientTooNew),
        (503, "unavailable", errors.Unavailable),
        (418, "teapot", errors.PlatformError),
    ],
)
def test_the_code_picks_the_class_and_the_status_where_the_code_is_new(
    status: int, code: str, kind: type[errors.PlatformError]
) -> None:
    with pytest.raises(errors.PlatformError) as caught:
        exchange(Call("GET", "/x"), tries=1).answered(
            problem(status, code, hint="Do this.", request_id="r1", errors=[{"field": "a.b", "message": "bad"}])
        )
    error = caught.value
    assert type(error) is kind
    assert (error.code, error.status, error.hint, error.request_id) == (code, status, "Do this.", "r1")
    assert error.errors == (errors.FieldError("a.b", "bad"),)


def test_every_code_of_the_platform_has_a_class() -> None:
    domain = pytest.importorskip("mlp_core.domain.errors")
    agents_only = {"log_gap", "attempt_over"}
    named = [kind for kind in vars(domain).values() if isinstance(kind, type)]
    codes = {kind.code for kind in named if issubclass(kind, domain.DomainError) and kind is not domain.DomainError}
    ours = {kind.code for kind in _below(errors.PlatformError)}
    assert codes - ours - agents_only == set()


def _below(kind: type[Any]) -> set[type[Any]]:
    return {kind}.union(*(_below(one) for one in kind.__subclasses__()))
