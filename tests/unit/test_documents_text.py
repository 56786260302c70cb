import pytest

from appliance.documents.html import parse_html
from appliance.documents.markdown import parse_markdown
from appliance.documents.text import parse_text
from appliance.domain import BlockKind, ParsedDocument
from appliance.errors import RefusedFileError


def outline(document: ParsedDocument) -> list[tuple[tuple[str, ...], list[str]]]:
    return [(section.trail, [block.text for block in section.blocks]) for section in document.sections]


def test_text_headings_lists_and_wrapped_lines() -> None:
    text = (
        "管理办法\n\n第一章 总则\n第一条 为规范管理，制定本办法。\n\n第二章 经费\n\n1.1 预算\n\n"
        "预算应当\n在年初编制。\n\n- 差旅\n- 设备\n"
    )
    document = parse_text(text.encode("gb18030"), "a.txt")
    assert document.title == "管理办法"
    assert document.language == "zh"
    assert outline(document) == [
        ((), ["管理办法"]),
        (("第一章 总则",), ["第一条 为规范管理，制定本办法。"]),
        (("第二章 经费",), []),
        (("第二章 经费", "1.1 预算"), ["预算应当\n在年初编制。", "- 差旅\n- 设备"]),
    ]
    assert document.sections[3].blocks[1].kind is BlockKind.LIST


def test_hard_wrapped_lines_are_joined_and_hyphens_undone() -> None:
    text = (
        "The committee met in March of that year and re-\nviewed the whole of the programme, found to be\n"
        "in good order by all of the members who were\npresent. It was closed.\n"
    )
    (section,) = parse_text(text.encode(), "a.txt").sections
    assert section.blocks[0].text == (
        "The committee met in March of that year and reviewed the whole of the programme, found to be "
        "in good order by all of the members who were present. It was closed."
    )


def test_a_numbered_list_is_not_headings() -> None:
    document = parse_text(b"To do\n\n1. Buy milk\n\n2. Buy bread\n\nDone today.", "a.txt")
    assert all(section.level == 0 for section in document.sections)


@pytest.mark.parametrize("data", [b"  \n\t\n", b"\xef\xbb\xbf", b"---\ntitle: x\n---\n"])
def test_no_text_is_a_refusal(data: bytes) -> None:
    with pytest.raises(RefusedFileError, match=r"^a has no text in it"):
        parse_markdown(data, "a")


MARKDOWN = """---
title: Data sheet
date: 2023-05-08
tags: [a, b]
---
Intro with a [link](https://example.org) and **bold**
words.

# One
中文第一行
第二行
<!-- hidden -->

## Two
- first
  1. nested
- second

| Property | Value |
|---|---|
| Wear `time` | 10 \\| 14 days |

```
x = 1
```

#紧贴的标题
末段
"""


def test_markdown() -> None:
    document = parse_markdown(MARKDOWN.encode(), "a.md")
    assert (document.title, document.published, document.published_from) == (
        "Data sheet", "2023-05-08", "front matter",
    )  # fmt: skip
    assert outline(document) == [
        ((), ["Intro with a link and bold words."]),
        (("One",), ["中文第一行第二行"]),
        (
            ("One", "Two"),
            [
                "- first\n  1. nested\n- second",
                "| Property | Value |\n|---|---|\n| Wear time | 10 \\| 14 days |",
                "x = 1",
            ],
        ),
        (("紧贴的标题",), ["末段"]),
    ]
    kinds = [block.kind for block in document.sections[2].blocks]
    assert kinds == [BlockKind.LIST, BlockKind.TABLE, BlockKind.CODE]


def test_broken_front_matter_is_told_and_kept() -> None:
    document = parse_markdown(b"---\ntitle: [unclosed\n---\nText.", "a.md")
    assert document.warnings[0].startswith("the front matter was kept as text")
    assert "unclosed" in str(document.sections)


HTML = """<html><head><title>Site | Page</title><meta property="og:title" content="Page">
<meta property="article:published_time" content="2023-09-18T08:00:00Z"><style>p{}</style></head><body>
<nav><a href="/">Home</a></nav><main><h1>Manual</h1><p>Charge it&nbsp;first.<br>Then <b>wait</b>.</p>
<h2>Specs</h2><table><caption>Table 1</caption><tr><th>Item<th colspan=2>Value</tr>
<tr><td rowspan=2>Wear<td>10<td>days</tr><tr><td>14<td>nights</tr></table>
<ol><li>one<ul><li>sub</ul><li>two</ol><script>evil()</script><p style="display:none">hidden</p></main>
<footer>Imprint</footer></body></html>"""


def test_html() -> None:
    document = parse_html(HTML.encode(), "a.html")
    assert (document.title, document.published, document.published_from) == ("Page", "2023-09-18", "metadata")
    assert outline(document) == [
        (("Manual",), ["Charge it first.\nThen wait."]),
        (
            ("Manual", "Specs"),
            [
                "| Item | Value | Value |\n|---|---|---|\n| Wear | 10 | days |\n| Wear | 14 | nights |",
                "1. one\n  - sub\n2. two",
            ],
        ),
    ]
    table = document.sections[1].blocks[0].table
    assert table is not None
    assert (table.caption, table.header_rows) == ("Table 1", 1)
    assert table.rows == (("Item", "Value", "Value"), ("Wear", "10", "days"), ("Wear", "14", "nights"))


def test_html_entities_and_charset() -> None:
    page = (
        '<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        "<meta charset=gb2312><p>公司的年度报告 &x;</p>"
    )
    (section,) = parse_html(page.encode("gb2312"), "a.html").sections
    assert section.blocks[-1].text.startswith("公司的年度报告")
    assert "root:" not in str(section)
