"""Register links: the table gives host and shape, a document only the number, escaped."""

from __future__ import annotations

from pathlib import Path

import pytest

from appliance.answers.registers import LINKS_MAX, register_links
from appliance.config import load_config
from appliance.config_citations import Register
from appliance.errors import ConfigError

CASE = Register(pattern=r"\b\d{4}-CR-\S+", url="https://courts.example/case/{id}?full=1")


def urls(text: str, declared: dict[str, str] | None = None, **registers: Register) -> list[str]:
    return [link.url for link in register_links(text, declared or {}, registers)]


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("Trial NCT01234567 ended.", "https://clinicaltrials.gov/study/NCT01234567"),
        ("注册号ChiCTR2000012345。", "https://www.chictr.org.cn/searchproj.html?regno=ChiCTR2000012345"),
        ("see doi:10.1000/xyz(12)3.", "https://doi.org/10.1000%2Fxyz%2812%293"),
        (
            "专利号ZL202210418877.6，",
            "https://worldwide.espacenet.com/patent/search?q=ZL202210418877.6",
        ),
        ("patent EP1234567B1", "https://worldwide.espacenet.com/patent/search?q=EP1234567B1"),
        ("by ISO 15197:2013.", "https://www.iso.org/search.html?q=ISO%2015197%3A2013"),
        ("按GB/T 19634-2021", "https://openstd.samr.gov.cn/bzgk/gb/std_list?p.p2=GB%2FT%2019634-2021"),
        ("32016R0679", "https://eur-lex.europa.eu/legal-content/EN/TXT/?uri=CELEX:32016R0679"),
        (
            "42 U.S.C. § 1320d",
            "https://uscode.house.gov/view.xhtml?req=granuleid:USC-prelim-title42-section1320d",
        ),
    ],
)
def test_known_registers(text: str, url: str) -> None:
    assert urls(text) == [url]


@pytest.mark.parametrize("text", ["XNCT01234567", "NCT012345678", "ISOLATE 99", "P10.1 of 2020", "ZL12"])
def test_what_only_looks_like_a_number_gives_no_link(text: str) -> None:
    assert urls(text) == []


def test_no_link_comes_from_a_document_and_its_number_is_escaped() -> None:
    hostile = "https://evil.example/a 2024-CR-../../@evil.example/?x=<b>{id}"
    (link,) = register_links(hostile, {}, {"case": CASE})
    assert link.url == (
        "https://courts.example/case/2024-CR-..%2F..%2F%40evil.example%2F%3Fx%3D%3Cb%3E%7Bid%7D?full=1"
    )
    assert link.found_in == "passage"


def test_what_people_declared_comes_first_and_must_look_right() -> None:
    links = register_links("EP1234567B1", {"Patent": "ZL202210418877.6", "case": "none"}, {"case": CASE})
    assert [(link.number, link.found_in) for link in links] == [
        ("ZL202210418877.6", "metadata"),
        ("EP1234567B1", "passage"),
    ]


def test_a_table_replaces_a_known_register_or_switches_it_off() -> None:
    own = Register(pattern=r"NCT\d{8}", url="https://trials.intra.example/{id}")
    assert urls("NCT01234567", clinicaltrials=own) == ["https://trials.intra.example/NCT01234567"]
    assert urls("NCT01234567", clinicaltrials=Register()) == []


def test_each_page_once_and_not_without_end() -> None:
    assert urls("NCT01234567 and NCT01234567") == ["https://clinicaltrials.gov/study/NCT01234567"]
    assert len(urls(" ".join(f"NCT{n:08}" for n in range(99)))) == LINKS_MAX


@pytest.mark.parametrize(
    ("pattern", "url", "said"),
    [
        (r"\d+", "http://a.example/{id}", "must begin with https"),
        (r"\d+", "https://{id}.example/", "fixed host"),
        (r"\d+", "https://user@a.example/{id}", "fixed host"),
        (r"\d+", "javascript:alert({id})", "must begin with https"),
        (r"\d+", "https://a.example/", "placeholder"),
        (r"\d+", "https://a.example/{other}", "placeholder"),
        (r"\d+", "https://a.example/{id.__class__}", "plain name"),
        (r"\d+", "https://a.example/{id!r}", "plain name"),
        (r"\d+", "https://a.example/{", "Single"),
        (r"(", "https://a.example/{id}", "regular expression"),
        (r"\d*", "https://a.example/{id}", "nothing at all"),
    ],
)
def test_a_wrong_table_is_refused_with_its_path(tmp_path: Path, pattern: str, url: str, said: str) -> None:
    (tmp_path / "own.toml").write_text(f"[registers.case]\npattern = '{pattern}'\nurl = '{url}'\n")
    with pytest.raises(ConfigError, match=said) as raised:
        load_config(tmp_path / "own.toml", environ={})
    assert "registers" in str(raised.value)
