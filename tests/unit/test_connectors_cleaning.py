"""Text of strangers, their addresses and their dates."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from appliance.connectors.cleaning import address_key, iso_date, plain_text, web_address
from appliance.connectors.pointers import ABSENT, at

TODAY = datetime.date(2026, 3, 1)


@pytest.mark.parametrize(
    ("raw", "plain"),
    [
        ("<em>血糖</em>传感器 &amp; 电池", "血糖 传感器 & 电池"),
        ("a < b and c > d, 3<4", "a < b and c > d, 3<4"),
        ("x<script>alert(1)</script>y", "x y"),
        ("x<script>alert(1)", "x"),
        ("<style>p {}</style><p onclick='x'>text</p>", "text"),
        ("&lt;script&gt;alert(1)&lt;/script&gt;done", "done"),
        ("&amp;lt;b&amp;gt;twice&amp;lt;/b&amp;gt;", "twice"),
        ("<<b>script>x</<b>script>", "< script>x</ script>"),
        ("one\r\n\ttwo\x00\x07three\x7f\x9b", "one two three"),
        ("left\u202eright\u200b\ufeff\ue0001", "leftright\ue0001"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("\ud800lone", "lone"),
        ("e\u0301", "é"),
        ("<![CDATA[data]]>x", "x"),
        (42, "42"),
        (["one", 2, "two"], "one … two"),
        (None, ""),
        (True, ""),
        ({"a": "b"}, ""),
    ],
)
def test_plain_text(raw: object, plain: str) -> None:
    assert plain_text(raw, 200) == plain


def test_long_text_is_cut_with_a_mark() -> None:
    assert plain_text("字" * 500, 10) == "字" * 9 + "…"
    assert plain_text("word " * 3, 14) == "word word word"


@given(st.text(max_size=300) | st.text(alphabet="<>/&;ltgsriptb!-", max_size=200), st.integers(1, 50))
def test_plain_text_is_one_bounded_line_without_controls(raw: str, limit: int) -> None:
    line = plain_text(raw, limit)
    assert len(line) <= limit
    assert line.isprintable() or all(
        char.isprintable() or char in "\u200c\u200d" or ord(char) > 127 for char in line
    )
    assert "<script" not in line.lower()


def test_hostile_nesting_ends() -> None:
    assert "<b" not in plain_text("<" * 9_000 + "b>" * 5_000, 30_000)
    deep = plain_text("&amp;" * 1_000 + "lt;b&gt;", 30_000)
    assert "<" not in deep
    assert plain_text("<script>" * 2_500, 100) == ""


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/a?b=c#d",
        "http://例子.测试/路径",
        "https://[2001:db8::1]:8443/",
        "HTTPS://EXAMPLE.org",
    ],
)
def test_web_addresses_pass_unchanged(address: str) -> None:
    assert web_address(address) == address


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "file://server.example/share",
        "ftp://example.org/x",
        "//example.org/x",
        "/relative",
        "https://",
        "https://user@example.org/",
        "https://user:pass@example.org/",
        "https://example.org/a b",
        "https://example.org/\nx",
        "https://example.org/\u202egnp.exe",
        'https://example.org/"><script>',
        "https://example.org:99999/",
        "https://[::1",
        "https://example.org/" + "x" * 2_000,
        None,
        7,
        ["https://example.org"],
    ],
)
def test_other_addresses_do_not(address: object) -> None:
    assert web_address(address) == ""


def test_addresses_of_one_page_have_one_key() -> None:
    same = {
        "https://www.example.org/a/?utm_source=x#top",
        "http://example.org/a",
        "https://EXAMPLE.org/a/",
    }
    assert len({address_key(each) for each in same}) == 1
    assert address_key("https://example.org/a?id=1") != address_key("https://example.org/a?id=2")
    assert address_key("https://example.org:8443/a") != address_key("https://example.org/a")


@pytest.mark.parametrize(
    ("raw", "date"),
    [
        ("2024-05-06", "2024-05-06"),
        ("2024-05-06T23:10:00+08:00", "2024-05-06"),
        ("2024-05-06 10:00", "2024-05-06"),
        ("2024-5-6", "2024-05-06"),
        ("2024-05", "2024-05"),
        ("2024", "2024"),
        ("2024/05/06", "2024-05-06"),
        ("2024.5.6", "2024-05-06"),
        ("2024年5月6日", "2024-05-06"),
        ("2024年5月", "2024-05"),
        ("Mon, 06 May 2024 10:00:00 GMT", "2024-05-06"),
        ("May 6, 2024", "2024-05-06"),
        ("6 Sept. 2024", "2024-09-06"),
        (1714953600, "2024-05-06"),
        (1714953600000, "2024-05-06"),
        (2024, "2024"),
        ("2026-03-02", "2026-03-02"),
        ("2026-03-03", None),
        ("2024-02-30", None),
        ("2024-13-01", None),
        ("0000-01-01", None),
        ("2024年13月1日", None),
        ("Foo 6, 2024", None),
        ("3 days ago", None),
        ("99999999999999999999", None),
        (1e300, None),
        (float("inf"), None),
        (-1, "1969-12-31"),
        (True, None),
        ("", None),
        (None, None),
        ({"y": 2024}, None),
        ("2024-05-06" + "x" * 100_000, None),
    ],
)
def test_dates_are_real_and_not_of_the_future(raw: object, date: str | None) -> None:
    assert iso_date(raw, TODAY) == date


@given(st.text(max_size=80) | st.floats() | st.integers())
def test_any_date_is_iso_or_none(raw: object) -> None:
    found = iso_date(raw, TODAY)
    assert found is None or datetime.date.fromisoformat(
        (found + "-01-01")[:10]
    ) <= TODAY + datetime.timedelta(1)


DOCUMENT = {"a": {"b/c": [{"d~": 1}, None]}, "": 5}


@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("", DOCUMENT),
        ("/", 5),
        ("/a/b~1c/0/d~0", 1),
        ("/a/b~1c/1", None),
        ("/a/b~1c/2", ABSENT),
        ("/a/b~1c/-1", ABSENT),
        ("/a/b~1c/00", ABSENT),
        ("/a/b~1c/１", ABSENT),
        ("/a/x", ABSENT),
        ("/a/b~1c/0/d~0/e", ABSENT),
        ("/__class__", ABSENT),
    ],
)
def test_pointers(pointer: str, value: object) -> None:
    assert at(DOCUMENT, pointer) == value
