"""What every ExternalSource must do, against a real HTTP server that behaves well and badly."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest
from search_server import HUGE, SearchServer

from appliance.config_connectors import Connectors
from appliance.connectors import open_source
from appliance.domain import Authority, ExternalRetrieval
from appliance.errors import BackendError, BusyError, ConfigError, ExternalError
from appliance.external import ExternalSearch
from appliance.ports import ExternalSource

KEY = "sesame-key-31"
Opened = Callable[..., ExternalSource]
Row = dict[str, object]

SOURCES: dict[str, dict[str, Any]] = {
    "searxng": {"params": {"language": "zh"}},
    "opensearch": {"index": "papers"},
    "json": {
        "method": "POST",
        "body": {"q": "{query}", "page": {"size": "{k}"}, "note": "{query} ×{k}"},
        "fields": {
            "items": "/data/items",
            "title": "/name",
            "text": "/excerpt",
            "url": "/links/0",
            "published": "/day",
        },
    },
    "tavily": {"params": {"topic": "news"}},
    "serpapi": {"params": {"hl": "en"}},
}


def shaped(kind: str, rows: list[Row]) -> object:
    """The answer of this kind of service that holds ``rows`` of {title, text, url, published}."""

    def renamed(row: Row, **names: str) -> Row:
        return {names.get(name, name): value for name, value in row.items()}

    if kind == "searxng":
        return {"results": [renamed(row, text="content", published="publishedDate") for row in rows]}
    if kind == "opensearch":
        return {"timed_out": False, "hits": {"hits": [{"_id": "1", "_source": row} for row in rows]}}
    if kind == "json":
        plain = [renamed(row, title="name", text="excerpt", published="day") for row in rows]
        return {"data": {"items": [{**row, "links": [row.get("url")]} for row in plain]}}
    if kind == "tavily":
        return {"results": [renamed(row, text="content", published="published_date") for row in rows]}
    return {"organic_results": [renamed(row, text="snippet", url="link", published="date") for row in rows]}


ROWS: list[Row] = [
    {"title": "Bridges", "text": "A bridge.", "url": "https://a.example/1", "published": "2024-05-06"},
    {
        "title": "跨海大桥",
        "text": "全长五十五公里。",
        "url": "http://b.example/2",
        "published": "2018年10月24日",
    },
    {"title": "Undated", "text": "No day.", "url": "https://c.example/3?x=1"},
]


def settings_of(kind: str, url: str, *, own: dict[str, Any] | None = None, **limits: Any) -> Connectors:
    source = {"name": "one", "kind": kind, "url": url, **SOURCES[kind], **(own or {})}
    wanted = {"allowed_hosts": ["127.0.0.1"], "egress": True, "sources": [source], **limits}
    return msgspec.convert(wanted, Connectors)


def opened(kind: str, url: str, *, own: dict[str, Any] | None = None, **limits: Any) -> ExternalSource:
    settings = settings_of(kind, url, own=own, **limits)
    return open_source(settings.sources[0], settings)


@pytest.fixture(params=sorted(SOURCES))
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def server() -> Iterator[SearchServer]:
    with SearchServer() as running:
        yield running


def refused(source: ExternalSource, *words: str, retryable: bool) -> BackendError:
    with pytest.raises(BackendError) as caught:
        source.search("bridges", 5)
    assert [word for word in words if word not in str(caught.value)] == []
    assert caught.value.hint, "it says what to do"
    assert caught.value.retryable is retryable
    return caught.value


# ---------------------------------------------------------------- proper answers
def test_results_come_cleaned_in_order_and_marked_external(kind: str, server: SearchServer) -> None:
    server.answer = shaped(kind, ROWS)
    found = opened(kind, server.url("good")).search("long bridges 跨海", 5)
    assert [(hit.title, hit.text, hit.url, hit.published) for hit in found.hits] == [
        ("Bridges", "A bridge.", "https://a.example/1", "2024-05-06"),
        ("跨海大桥", "全长五十五公里。", "http://b.example/2", "2018-10-24"),
        ("Undated", "No day.", "https://c.example/3?x=1", None),
    ]
    assert {hit.authority for hit in found.hits} == {Authority.EXTERNAL}
    assert {hit.source for hit in found.hits} == {"one"}
    assert [hit.rank for hit in found.hits] == [1, 2, 3]
    assert all(hit.fetched_at.endswith("+00:00") for hit in found.hits)
    assert found.degraded == ()


def test_the_question_is_sent_as_it_is_and_nothing_in_it_is_evaluated(
    kind: str, server: SearchServer
) -> None:
    server.answer = shaped(kind, [])
    query = 'a "quoted" {k} & {query} %41 {{7*7}} \\ #x 问题 😀'
    opened(kind, server.url("good")).search(query, 7)
    [asked] = server.asked
    if kind in ("searxng", "serpapi"):
        assert (asked.method, asked.params["q"]) == ("GET", query)
    elif kind == "opensearch":
        assert asked.path == "/good/papers/_search"
        body = asked.json()
        assert body["query"]["multi_match"] == {"query": query, "fields": ["title", "text"]}
        assert (body["size"], body["_source"]) == (7, ["title", "text", "url", "published"])
    elif kind == "json":
        assert asked.json() == {"q": query, "page": {"size": 7}, "note": f"{query} ×7"}
    else:
        assert (asked.json()["query"], asked.json()["max_results"]) == (query, 7)


def test_configured_parameters_are_sent_too(kind: str, server: SearchServer) -> None:
    server.answer = shaped(kind, [])
    opened(kind, server.url("good")).search("x", 3)
    [asked] = server.asked
    wanted = {
        "searxng": {"language": "zh", "format": "json", "q": "x"},
        "serpapi": {"hl": "en", "engine": "google", "num": "3", "q": "x"},
    }
    if kind in wanted:
        assert asked.params == wanted[kind]
    elif kind == "tavily":
        assert asked.json() == {"topic": "news", "query": "x", "max_results": 3}
    assert asked.headers["Accept-Encoding"] == "identity"


def test_no_more_than_k_come_back(kind: str, server: SearchServer) -> None:
    server.answer = shaped(kind, ROWS)
    found = opened(kind, server.url("good")).search("bridges", 2)
    assert [hit.title for hit in found.hits] == ["Bridges", "跨海大桥"]


def test_an_empty_answer_is_empty_and_no_error(kind: str, server: SearchServer) -> None:
    server.answer = shaped(kind, [])
    assert opened(kind, server.url("good")).search("x", 5) == ExternalRetrieval()


def test_another_character_set_is_read_where_the_header_names_it(kind: str, server: SearchServer) -> None:
    server.answer = shaped(kind, ROWS)
    found = opened(kind, server.url("gbk")).search("x", 5)
    assert found.hits[1].title == "跨海大桥"


def test_hostile_rows_lose_their_markup_or_are_left_out_and_counted(kind: str, server: SearchServer) -> None:
    server.answer = shaped(
        kind,
        [
            {
                "title": "<b>Bold</b>\x00\x1b[31m &amp; &lt;img src=x onerror=alert(1)&gt;plain",
                "text": "<script>alert('x')</script>Text\u202e <!-- hidden -->here" + " long" * 2000,
                "url": "https://a.example/1",
                "published": "2024-02-31",
            },
            {"title": "script", "text": "t", "url": "javascript:alert(1)"},
            {"title": "file", "text": "t", "url": "file:///etc/passwd"},
            {"title": "user", "text": "t", "url": "https://bank.example@evil.example/"},
            {"title": "", "text": "", "url": "https://a.example/empty"},
            {
                "title": {"a": 1},
                "text": ["one", "two"],
                "url": "https://a.example/2",
                "published": "2999-01-01",
            },
        ],
    )
    found = opened(kind, server.url("good")).search("x", 10)
    first, second = found.hits
    assert first.title == "Bold [31m & plain"
    assert first.text.startswith("Text here long")
    assert (len(first.text), first.text[-1]) == (2000, "…")
    assert (first.published, second.published) == (None, None)
    assert (second.title, second.text) == ("a.example", "one … two")
    assert found.degraded == ("4 results without text or a web address left out",)


# ---------------------------------------------------------------- bad answers
@pytest.mark.parametrize(
    ("manner", "words", "retryable"),
    [
        ("status-500", ("status 500",), True),
        ("status-401", ("status 401", "key"), False),
        ("status-404", ("status 404",), False),
        ("html", ("web page instead of JSON",), False),
        ("picture", ("another type than JSON",), False),
        ("gzip", ("compressed (gzip)",), False),
        ("odd-charset", ("unknown character set",), False),
        ("cut", ("ended early",), True),
        ("nonsense", ("not HTTP",), True),
        ("circle", ("redirects more than 3 times",), False),
    ],
)
def test_a_bad_answer_is_named(
    kind: str, server: SearchServer, manner: str, words: tuple[str, ...], retryable: bool
) -> None:
    error = refused(opened(kind, server.url(manner)), *words, retryable=retryable)
    assert "Traceback" not in str(error)
    assert "sign in" not in str(error)


def test_too_many_calls_are_busy_with_the_time_to_wait(kind: str, server: SearchServer) -> None:
    error = refused(opened(kind, server.url("status-429")), "status 429", "in 17 s", retryable=True)
    assert isinstance(error, BusyError)


@pytest.mark.parametrize("manner", ["promised", "announced", "stream"])
def test_fifty_megabytes_are_refused_unread(kind: str, server: SearchServer, manner: str) -> None:
    refused(opened(kind, server.url(manner)), "larger than 2,000,000 bytes", retryable=False)
    assert server.sent_bytes < HUGE / 2, "what the sockets buffer, and the limit, but not all of it"


@pytest.mark.parametrize("manner", ["hang", "stall", "drip"])
def test_a_hang_ends_with_the_time(kind: str, server: SearchServer, manner: str) -> None:
    refused(opened(kind, server.url(manner), timeout_s=0.3), "within 0.3 s", retryable=True)
    assert server.hanging.is_set()
    assert not server.end.is_set(), "it was not the server that gave up"


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b'{"results": [1,}', b"\xff\xfe{}", b"[" * 200_000, b"NaN", b'{"a": 1} {"b": 2}', b"\x00"],
    ids=["nothing", "cut", "comma", "utf-16", "deep", "nan", "two", "null byte"],
)
def test_what_is_no_json_is_named(kind: str, server: SearchServer, raw: bytes) -> None:
    server.raw = raw
    refused(opened(kind, server.url("raw")), "its answer is", retryable=False)


@pytest.mark.parametrize(
    "answer", [[], "text", 7, None, {}, {"results": {}}, {"results": "x"}, {"error": "no"}]
)
def test_another_shape_is_named(kind: str, server: SearchServer, answer: object) -> None:
    server.answer = answer
    with pytest.raises(ExternalError) as caught:
        opened(kind, server.url("good")).search("x", 5)
    assert "no list of results" in str(caught.value) or "reports an error" in str(caught.value)


def test_rows_of_another_shape_are_counted(kind: str, server: SearchServer) -> None:
    answer: Any = shaped(kind, ROWS[:1])
    rows = answer
    while isinstance(rows, dict):
        rows = next(value for value in rows.values() if isinstance(value, (dict, list)))
    rows[:0] = [None, 3, "x", [], {}]
    server.answer = answer
    found = opened(kind, server.url("good")).search("x", 5)
    assert [hit.title for hit in found.hits] == ["Bridges"]
    assert found.degraded == ("5 results without text or a web address left out",)


def test_nobody_there_is_retryable(kind: str, server: SearchServer) -> None:
    with SearchServer() as gone:
        url = gone.url("good")
    refused(opened(kind, url), "cannot be reached", retryable=True)


# ---------------------------------------------------------------- where it may go
def test_a_redirect_to_another_server_is_not_followed(kind: str, server: SearchServer) -> None:
    with SearchServer() as other:
        server.location = other.url("good", host="localhost")
        source = opened(kind, server.url("elsewhere"), allowed_hosts=["127.0.0.1", "localhost"])
        error = refused(source, "redirects to another server", retryable=False)
        assert other.asked == []
    assert f"localhost:{other.port}" in str(error)


@pytest.mark.parametrize("location", ["file:///etc/passwd", "gopher://127.0.0.1/x", "http://", "//u@[/", ""])
def test_a_redirect_to_nowhere_is_an_error(kind: str, server: SearchServer, location: str) -> None:
    server.location = location
    refused(opened(kind, server.url("elsewhere")), "redirects", retryable=False)


def test_a_redirect_on_the_same_server_is_followed(kind: str, server: SearchServer) -> None:
    server.answer = shaped(kind, ROWS)
    found = opened(kind, server.url("moved")).search("跨海", 5)
    assert len(found.hits) == 3
    first, second = server.asked
    assert (first.params, first.body, first.method) == (second.params, second.body, second.method)


def test_a_host_that_is_not_allowed_is_refused_before_anything_is_sent(
    kind: str, server: SearchServer
) -> None:
    with pytest.raises(ConfigError, match=r"127\.0\.0\.1 is not allowed"):
        opened(kind, server.url("good"), allowed_hosts=["localhost", "127.0.0.1:1", "0.0.0.0"])
    assert server.asked == []


def test_proxies_of_the_environment_are_not_used(
    kind: str, server: SearchServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.answer = shaped(kind, ROWS)
    with SearchServer() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url("good"))
        assert len(opened(kind, server.url("good")).search("x", 5).hits) == 3
        assert proxy.asked == []


def test_the_key_goes_where_the_kind_wants_it_and_into_no_log(
    kind: str, server: SearchServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("ONE_KEY", KEY)
    server.answer = shaped(kind, ROWS)
    with caplog.at_level(logging.DEBUG):
        opened(kind, server.url("good"), own={"key_env": "ONE_KEY"}).search("x", 5)
        error = refused(
            opened(kind, server.url("status-401"), own={"key_env": "ONE_KEY"}), "status 401", retryable=False
        )
    asked = server.asked[0]
    if kind == "serpapi":
        assert asked.params["api_key"] == KEY
        assert "Authorization" not in asked.headers
    else:
        assert asked.headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in caplog.text + str(error) + repr(error)


@pytest.mark.parametrize("value", [None, "", "two\nlines", "schlüssel"])
def test_a_missing_or_broken_key_is_told_by_its_variable(
    kind: str, server: SearchServer, monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    if value is None:
        monkeypatch.delenv("ONE_KEY", raising=False)
    else:
        monkeypatch.setenv("ONE_KEY", value)
    with pytest.raises(ConfigError, match="ONE_KEY"):
        opened(kind, server.url("good"), own={"key_env": "ONE_KEY"}).search("x", 5)
    assert server.asked == []


# ---------------------------------------------------------------- all of them together
@pytest.mark.parametrize("manner", ["hang", "drip", "status-500", "html", "stream", "nonsense"])
def test_one_bad_source_takes_nothing_from_the_others(kind: str, server: SearchServer, manner: str) -> None:
    server.answer = shaped(kind, ROWS)
    good, bad = settings_of(kind, server.url("good")), settings_of(kind, server.url(manner))
    pair = (
        msgspec.structs.replace(good.sources[0], name="good"),
        msgspec.structs.replace(bad.sources[0], name="bad"),
    )
    both = msgspec.structs.replace(good, sources=pair, timeout_s=1.0)
    search = ExternalSearch([open_source(source, both) for source in pair], both)
    found = search.search("bridges", 5)
    assert [hit.source for hit in found.hits] == ["good"] * 3
    [note] = found.degraded
    assert note.startswith("bad: ")
    assert "Traceback" not in note
