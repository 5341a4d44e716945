from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mlp import errors
from mlp.client.call import Call, path
from mlp.client.exchange import Origin
from mlp.client.http_sync import HttpTransport
from mlp.client.session import Session
from support.certificates import Authority, make_authority
from support.fake_platform import FakePlatform, Reply, fake_platform, problem, sse


@pytest.fixture
def platform() -> Iterator[FakePlatform]:
    with fake_platform() as made:
        yield made


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return make_authority(tmp_path_factory.mktemp("ca"))


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def session(url: str, ca_file: Path | None = None) -> Session:
    waits: list[float] = []
    made = Session(Origin(url, "mlp_t"), HttpTransport(url, str(ca_file) if ca_file else None), sleep=waits.append)
    made.waits = waits  # type: ignore[attr-defined]
    return made


def get(name: str) -> Call[Any]:
    return Call("GET", path(name))


def test_a_call_goes_out_and_comes_back(platform: FakePlatform) -> None:
    platform.on("POST /projects", lambda seen: Reply(201, {"name": seen.json["name"]}))
    answer = session(platform.url).send(Call("POST", path("projects"), json={"name": "тест"}))
    assert answer == {"name": "тест"}
    assert platform.seen[0].headers["authorization"] == "Bearer mlp_t"
    assert len(platform.seen[0].headers["idempotency-key"]) == 36


def test_connections_are_kept(platform: FakePlatform) -> None:
    platform.on("GET /me", lambda _: Reply(json=threading.current_thread().name))
    one = session(platform.url)
    assert one.send(get("me")) == one.send(get("me"))


def test_a_kept_connection_that_was_closed_meanwhile_is_not_noticed(platform: FakePlatform) -> None:
    platform.on("GET /me", [Reply(json=1), Reply(hang_up=True), Reply(json=2)])
    one = session(platform.url)
    assert one.send(get("me")) == 1
    assert one.send(get("me")) == 2
    assert one.waits == []  # type: ignore[attr-defined]


def test_a_post_that_broke_off_is_sent_again_under_its_key(platform: FakePlatform) -> None:
    platform.on("POST /jobs", [Reply(hang_up=True), Reply(503, {"detail": "busy"}), Reply(201, {"id": "job_1"})])
    one = session(platform.url)
    assert one.send(Call("POST", path("jobs"), json={})) == {"id": "job_1"}
    assert len({seen.headers["idempotency-key"] for seen in platform.seen}) == 1
    assert len(one.waits) == 2  # type: ignore[attr-defined]


def test_nobody_listening_is_said_with_the_address() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(errors.PlatformUnreachable, match=f"Nothing listens at {url}"):
        session(url).send(get("me"))


def test_a_host_that_does_not_exist_is_named() -> None:
    with pytest.raises(errors.PlatformUnreachable, match=r"no-such-host\.invalid"):
        session("http://no-such-host.invalid").send(get("me"))


def test_an_answer_that_does_not_come_ends_at_the_deadline(platform: FakePlatform) -> None:
    release = threading.Event()

    def slow(_: Any) -> Reply:
        release.wait(10)
        return Reply(json=1)

    platform.on("GET /me", slow)
    with pytest.raises(errors.DeadlineExceeded):
        session(platform.url).send(Call("GET", path("me"), timeout_seconds=0.2))
    release.set()


def test_what_is_no_url_is_refused() -> None:
    with pytest.raises(errors.ConfigError, match="is not a URL"):
        HttpTransport("mlp.example.com")


def test_threads_share_a_session(platform: FakePlatform) -> None:
    platform.on("GET /me", lambda seen: Reply(json=dict(seen.query)["n"]))
    one = session(platform.url)
    got: dict[int, Any] = {}

    def ask(number: int) -> None:
        for _ in range(5):
            got[number] = one.send(Call("GET", path("me"), params=[("n", str(number))]))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == {number: str(number) for number in range(8)}


def test_a_list_is_read_to_its_real_end(platform: FakePlatform) -> None:
    pages = {
        None: {"items": [1, 2], "next": "a"},
        "a": {"items": [], "next": "b"},
        "b": {"items": [3], "next": None},
    }
    platform.on("GET /projects", lambda seen: Reply(json=pages[dict(seen.query).get("cursor")]))
    found = session(platform.url).raw_pages(Call("GET", path("projects"), params=[("limit", "2")]))
    assert [item for page in found for item in page["items"]] == [1, 2, 3]
    assert [dict(seen.query) for seen in platform.seen] == [
        {"limit": "2"},
        {"limit": "2", "cursor": "a"},
        {"limit": "2", "cursor": "b"},
    ]


def test_a_stream_survives_broken_connections_without_gap_or_double(platform: FakePlatform) -> None:
    def answer(seen: Any) -> Reply:
        after = int(seen.headers.get("last-event-id", 0))
        if after >= 6:
            return Reply(stream=iter([sse(("end", {}))]))
        return Reply(stream=iter([sse(*(("log", n, str(n)) for n in range(after + 1, after + 3))), b"id: 9\ndata: 9"]))

    platform.on("GET /stream", answer)
    one = session(platform.url)
    events = one.events(Call("GET", path("stream")), ends=frozenset({"end"}))
    assert [event.data for event in events if event.name == "log"] == ["1", "2", "3", "4", "5", "6"]
    assert len(platform.seen) == 4


def test_a_stream_waits_for_a_platform_that_is_being_upgraded(platform: FakePlatform) -> None:
    platform.on("GET /stream", [Reply(503, {"detail": "wait"}), Reply(stream=iter([sse(("end", {}))]))])
    assert len(list(session(platform.url).events(Call("GET", path("stream")), ends=frozenset({"end"})))) == 1


def test_a_stream_that_is_refused_says_so_at_once(platform: FakePlatform) -> None:
    platform.on("GET /stream", problem(404, "not_found", "There is no job."))
    with pytest.raises(errors.NotFound, match="no job"):
        list(session(platform.url).events(Call("GET", path("stream"))))
    assert len(platform.seen) == 1


def test_downloads_come_in_pieces_and_refusals_as_errors(platform: FakePlatform) -> None:
    body = bytes(range(256)) * 1000
    platform.on("GET /content", Reply(body=body))
    platform.on("GET /missing", problem(404, "not_found", "Gone."))
    one = session(platform.url)
    with one.download(Call("GET", path("content"))) as pieces:
        assert b"".join(pieces) == body
    with pytest.raises(errors.NotFound), one.download(Call("GET", path("missing"))):
        pass


class TestCertificates:
    def test_an_unknown_authority_is_named_once_with_what_to_do(self, authority: Authority) -> None:
        with fake_platform(authority.server_context("127.0.0.1")) as platform:
            one = session(platform.url)
            with pytest.raises(errors.UnknownAuthority) as caught:
                one.send(get("me"))
            assert "signed by 'Corp Root'" in caught.value.message
            assert "--ca-file" in str(caught.value.hint)
            assert one.waits == []  # type: ignore[attr-defined]
            assert platform.seen == []

    def test_the_authoritys_file_is_trusted(self, authority: Authority) -> None:
        with fake_platform(authority.server_context("127.0.0.1")) as platform:
            platform.on("GET /me", 1)
            assert session(platform.url, authority.pem).send(get("me")) == 1

    def test_ssl_cert_file_is_trusted(self, authority: Authority, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SSL_CERT_FILE", str(authority.pem))
        with fake_platform(authority.server_context("127.0.0.1")) as platform:
            platform.on("GET /me", 1)
            assert session(platform.url).send(get("me")) == 1

    def test_streams_trust_the_same(self, authority: Authority) -> None:
        with fake_platform(authority.server_context("127.0.0.1")) as platform:
            platform.on("GET /stream", Reply(stream=iter([sse(("end", {}))])))
            call: Call[None] = Call("GET", path("stream"))
            assert len(list(session(platform.url, authority.pem).events(call, ends=frozenset({"end"})))) == 1
            with pytest.raises(errors.UnknownAuthority):
                list(session(platform.url).events(call))

    def test_an_expired_certificate_is_dated(self, authority: Authority) -> None:
        expired = pytest.raises(errors.CertificateExpired, match=r"expired on 20\d\d-\d\d-\d\d")
        with fake_platform(authority.server_context("127.0.0.1", days=(-30, -3))) as platform, expired:
            session(platform.url, authority.pem).send(get("me"))

    def test_a_certificate_of_tomorrow_points_at_the_clock(self, authority: Authority) -> None:
        with fake_platform(authority.server_context("127.0.0.1", days=(3, 30))) as platform:
            with pytest.raises(errors.CertificateExpired, match="not valid before 20") as caught:
                session(platform.url, authority.pem).send(get("me"))
            assert "clock" in str(caught.value.hint)

    def test_the_wrong_host_is_named(self, authority: Authority) -> None:
        wrong = pytest.raises(errors.WrongHostName, match=r"belongs to mlp\.test")
        with fake_platform(authority.server_context("mlp.test")) as platform, wrong:
            session(platform.url, authority.pem).send(get("me"))

    def test_a_ca_file_that_is_not_there_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(errors.ConfigError, match=r"no-such\.pem"):
            session("https://127.0.0.1:1", tmp_path / "no-such.pem").send(get("me"))

    def test_a_ca_file_without_a_certificate_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "empty.pem").write_text("hello")
        with pytest.raises(errors.ConfigError, match=r"empty\.pem"):
            session("https://127.0.0.1:1", tmp_path / "empty.pem").send(get("me"))
