"""All sources at once: merged, an address once, and nothing waits for one that hangs."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator

import msgspec
import pytest
from search_server import SearchServer

from appliance.config_connectors import Connectors, ExternalSourceSettings, Fields
from appliance.connectors import open_source
from appliance.domain import Authority, ExternalHit, ExternalRetrieval
from appliance.errors import BusyError, ConfigError, ExternalError, UserError
from appliance.external import ExternalSearch

QUICK = Connectors(timeout_s=0.2, max_concurrent=2)


class Source:
    """A source that answers by a function."""

    def __init__(self, name: str, answer: Callable[[str, int], ExternalRetrieval]) -> None:
        self.name, self._answer = name, answer

    def search(self, query: str, k: int) -> ExternalRetrieval:
        return self._answer(query, k)


def hit(source: str, rank: int, url: str) -> ExternalHit:
    return ExternalHit(
        title=f"{source}{rank}",
        text="t",
        url=url,
        source=source,
        rank=rank,
        fetched_at="2026-01-01T00:00:00+00:00",
    )


def listing(name: str, *urls: str) -> Source:
    hits = tuple(hit(name, rank, url) for rank, url in enumerate(urls, start=1))
    return Source(name, lambda query, k: ExternalRetrieval(hits=hits[:k]))


def failing(name: str, error: Exception) -> Source:
    def answer(query: str, k: int) -> ExternalRetrieval:
        raise error

    return Source(name, answer)


def titles(found: ExternalRetrieval) -> list[str]:
    return [each.title for each in found.hits]


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    made = threading.Event()
    yield made
    made.set()


def test_sources_take_turns_and_an_address_comes_once() -> None:
    first = listing("a", "https://x.example/1", "https://x.example/2", "https://x.example/3")
    second = listing("b", "http://www.x.example/1/#top", "https://y.example/2")
    search = ExternalSearch([first, second], Connectors())
    assert titles(search.search("q", 10)) == ["a1", "a2", "b2", "a3"]
    assert titles(search.search("q", 2)) == ["a1", "a2"]


def test_hits_without_an_address_are_all_kept() -> None:
    search = ExternalSearch([listing("a", "", ""), listing("b", "")], Connectors())
    assert titles(search.search("q", 10)) == ["a1", "b1", "a2"]


def test_failures_are_told_by_name_and_the_others_answer() -> None:
    search = ExternalSearch(
        [
            failing("down", ExternalError("it failed (status 500)", hint="ask later")),
            failing("full", BusyError("its limit of calls is reached", hint="ask again in 3 s")),
            failing("keyless", ConfigError("the environment variable X is not set")),
            listing("good", "https://x.example/1"),
            Source(
                "partly", lambda query, k: ExternalRetrieval(degraded=("1 of its engines did not answer",))
            ),
        ],
        Connectors(),
    )
    found = search.search("q", 5)
    assert titles(found) == ["good1"]
    assert found.degraded == (
        "down: it failed (status 500) — ask later",
        "full: its limit of calls is reached — ask again in 3 s",
        "keyless: the environment variable X is not set",
        "partly: 1 of its engines did not answer",
    )
    assert set(found.timings_ms) == {"down", "full", "keyless", "good", "partly"}


def test_a_fault_of_ours_is_logged_and_told_without_its_text(caplog: pytest.LogCaptureFixture) -> None:
    search = ExternalSearch([failing("odd", TypeError("inner words"))], Connectors())
    assert search.search("q", 5).degraded == ("odd: internal error; the log has the details",)
    assert "inner words" in caplog.text


def test_a_source_that_never_returns_is_left_and_then_busy(gate: threading.Event) -> None:
    def wait(query: str, k: int) -> ExternalRetrieval:
        gate.wait(30)
        return ExternalRetrieval()

    search = ExternalSearch([Source("stuck", wait), listing("good", "https://x.example/1")], QUICK)
    for _ in range(2):
        found = search.search("q", 5)
        assert titles(found) == ["good1"]
        assert found.degraded == ("stuck: no answer within 0.2 s",)
    third = search.search("q", 5)
    assert third.degraded == ("stuck: busy: 2 searches of it are under way",)
    assert titles(third) == ["good1"]
    assert not gate.is_set()


def test_nothing_found_says_so() -> None:
    found = ExternalSearch([listing("a"), listing("b")], Connectors()).search("q", 5)
    assert found.degraded == ("external: nothing found by a, b",)


@pytest.mark.parametrize("query", ["", "   ", "\x00\n", "\ud800"])
def test_an_empty_question_is_refused(query: str) -> None:
    with pytest.raises(UserError, match="the query is empty"):
        ExternalSearch([listing("a")], Connectors()).search(query, 5)


@pytest.mark.parametrize("k", [0, -1, 51])
def test_k_is_bounded(k: int) -> None:
    with pytest.raises(UserError, match=f"k is {k}"):
        ExternalSearch([listing("a")], Connectors()).search("q", k)


def test_a_long_question_is_cut_and_controls_do_not_leave() -> None:
    asked: list[str] = []

    def note(query: str, k: int) -> ExternalRetrieval:
        asked.append(query)
        return ExternalRetrieval(hits=(hit("a", 1, "https://x.example/"),))

    search = ExternalSearch([Source("a", note)], Connectors(max_query_chars=20))
    found = search.search("问题" * 5_000, 5)
    assert found.degraded == ("external sources were asked the first 20 characters only",)
    search.search("one\r\nHost: evil\x00", 5)
    assert asked == ["问题" * 10, "one Host: evil"]


def test_external_text_is_given_no_other_authority() -> None:
    with pytest.raises(ValueError, match="external"):
        msgspec.structs.replace(hit("a", 1, ""), authority=Authority.OFFICIAL)


# ---------------------------------------------------------------- what single kinds add
@pytest.fixture
def server() -> Iterator[SearchServer]:
    with SearchServer() as running:
        yield running


def asked(server: SearchServer, **source: object) -> ExternalRetrieval:
    made = msgspec.convert({"name": "one", "url": server.url("good"), **source}, ExternalSourceSettings)
    settings = Connectors(allowed_hosts=("127.0.0.1",), egress=True, sources=(made,))
    return open_source(made, settings).search("跨海大桥", 5)


def test_searxng_names_its_silent_engines(server: SearchServer) -> None:
    server.answer = {"results": [], "unresponsive_engines": [["<b>bing</b>", "timeout"], "odd"]}
    assert asked(server, kind="searxng").degraded == ("2 of its engines did not answer (bing)",)


def test_opensearch_shows_what_matches_and_says_when_it_is_partial(server: SearchServer) -> None:
    rows = [
        {
            "_source": {"meta": {"t": "Long"}, "body": "beginning " * 400, "link": "https://x.example/"},
            "highlight": {"body": ["the matching", "places"]},
        },
        {"_source": {"meta": {"t": "Short"}, "body": "all of it"}},
    ]
    server.answer = {"timed_out": True, "_shards": {"failed": 2}, "hits": {"hits": rows}}
    fields = {"title": "/_source/meta/t", "text": "/_source/body", "url": ""}
    found = asked(server, kind="opensearch", index="a,b-*", fields=fields, query_fields=["meta.t^2"])
    assert [(each.title, each.text, each.url) for each in found.hits] == [
        ("Long", "the matching … places", ""),
        ("Short", "all of it", ""),
    ]
    assert [note.partition(":")[0] for note in found.degraded] == [
        "it ran out of its own time",
        "2 of its shards failed",
    ]
    body = server.asked[0].json()
    assert server.asked[0].path == "/good/a,b-*/_search"
    assert body["query"]["multi_match"]["fields"] == ["meta.t^2"]
    assert body["_source"] == ["meta.t", "body", "published"]
    assert list(body["highlight"]["fields"]) == ["body"]


def test_serpapi_may_find_nothing_with_an_error(server: SearchServer) -> None:
    server.answer = {"error": "Google hasn't returned any results for this query."}
    assert asked(server, kind="serpapi") == ExternalRetrieval()
    server.answer = {"error": "Your account has run out of searches."}
    with pytest.raises(ExternalError, match="reports an error instead of results"):
        asked(server, kind="serpapi")


@pytest.mark.parametrize(
    ("scheme", "name", "where", "value"),
    [
        ("basic", "X-API-Key", "Authorization", "Basic dTpw"),
        ("header", "X-Search-Key", "X-Search-Key", "u:p"),
        ("query", "token", "token", "u:p"),
    ],
)
def test_a_key_goes_where_the_scheme_says(
    server: SearchServer, monkeypatch: pytest.MonkeyPatch, scheme: str, name: str, where: str, value: str
) -> None:
    monkeypatch.setenv("ONE_KEY", "u:p")
    server.answer = {"results": []}
    asked(server, kind="searxng", key_env="ONE_KEY", key_scheme=scheme, key_name=name)
    [came] = server.asked
    assert {**came.params, **came.headers}[where] == value
    assert ("u:p" in came.params.values()) is (scheme == "query")


def test_a_name_is_looked_up_once_and_the_checked_address_is_the_one_used(
    server: SearchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up: list[str] = []
    real = socket.getaddrinfo

    def look_up(host: str, *args: object, **more: object) -> object:
        looked_up.append(host)
        if host == "localhost":
            return real("127.0.0.1" if looked_up.count(host) == 1 else "169.254.1.1", *args, **more)  # type: ignore[arg-type]
        if host == "rebound.intra.example":
            return real("127.0.0.1", *args, **more)  # type: ignore[arg-type]
        return real(host, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    server.answer = {"results": [{"title": "t", "url": "https://x.example/"}]}
    for host in ("localhost", "rebound.intra.example"):
        made = ExternalSourceSettings(
            name="one", kind="searxng", url=server.url("good", host=host), fields=Fields()
        )
        settings = Connectors(allowed_hosts=(host,))
        if host == "localhost":
            assert len(open_source(made, settings).search("q", 5).hits) == 1
            assert looked_up.count("localhost") == 1
        else:
            with pytest.raises(ExternalError, match="leads to this machine"):
                open_source(made, settings).search("q", 5)
    assert len(server.asked) == 1
