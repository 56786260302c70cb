# pyright: basic
"""Sections that say the same in English and Chinese, from the documentation that Debian packages carry.

Arrives: a folder into which packages were unpacked. Leaves: JSON lines ``{source, id, heads: [en, zh],
paragraphs: [[en, zh], …]}``. Translations made from message catalogues keep the structure of the original, so
paragraphs are joined by their element id (LibreOffice help, MPL-2.0) or by their place where both files have
the same sequence of elements (GNOME user documentation, CC-BY-SA-3.0; Debian Administrator's Handbook,
CC-BY-SA-3.0 or GPL-2+; Debian Reference, GPL-2+). What was left untranslated is dropped.

    apt-get download libreoffice-help-en-us libreoffice-help-zh-cn gnome-user-docs debian-handbook \
        debian-reference-en debian-reference-zh-cn
    for file in *.deb; do dpkg-deb -x "$file" unpacked; done
    python -m finetune.aligned_text unpacked sections.jsonl
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from lxml import etree, html

Block = tuple[str, str, str]
"""Tag, element id, text."""
Aligned = list[tuple[str, str, str]]
"""Tag, English, Chinese."""
HAN = re.compile("[\u4e00-\u9fff]")
HAN_SHARE_MIN = 0.3
MALLARD = "{http://projectmallard.org/1.0/}"


def _clean(text: str) -> str:
    return " ".join(text.split())


def _translated(text: str) -> bool:
    letters = re.sub(r"\s", "", text)
    return bool(letters) and len(HAN.findall(letters)) / len(letters) >= HAN_SHARE_MIN


def html_blocks(path: Path) -> list[Block]:
    """Return headings and paragraphs of an HTML page, in order."""
    tree = html.parse(str(path), parser=html.HTMLParser(encoding="utf-8"))
    blocks = []
    for element in tree.iter("h1", "h2", "h3", "h4", "h5", "p", "dt"):
        nested = any(above.tag in ("pre", "table", "p") for above in element.iterancestors())
        text = _clean(element.text_content())
        if text and (element.get("id") or not nested):
            blocks.append((element.tag, element.get("id") or "", text))
    return blocks


def mallard_blocks(path: Path) -> list[Block]:
    """Return titles and paragraphs of a GNOME help page, in order."""
    blocks = []
    for element in etree.parse(str(path)).iter(f"{MALLARD}title", f"{MALLARD}p"):
        if not any(above.tag in (f"{MALLARD}info", f"{MALLARD}media") for above in element.iterancestors()):
            tag = "h2" if element.tag == f"{MALLARD}title" else "p"
            blocks.append((tag, "", _clean("".join(element.itertext()))))
    return blocks


def by_id(english: list[Block], chinese: list[Block]) -> Aligned:
    """Return blocks whose element id both pages have."""
    known = {ident: text for _, ident, text in chinese if ident}
    return [(tag, text, known[ident]) for tag, ident, text in english if ident in known]


def by_place(english: list[Block], chinese: list[Block]) -> Aligned:
    """Return blocks in order; nothing when the pages are not built alike."""
    if [block[0] for block in english] != [block[0] for block in chinese]:
        return []
    return [(a[0], a[2], b[2]) for a, b in zip(english, chinese, strict=True)]


def pages(root: Path) -> Iterator[tuple[str, Path, Path, Callable, Callable]]:
    """Yield ``(source, English page, Chinese page, reader, aligner)`` of every package that is there."""
    share = root / "usr/share"
    office, gnome = share / "libreoffice/help", share / "help"
    book, reference = share / "doc/debian-handbook/html", share / "debian-reference"
    for page in sorted((office / "en-US").rglob("*.html")):
        yield "libreoffice", page, office / "zh-CN" / page.relative_to(office / "en-US"), html_blocks, by_id
    for page in sorted((gnome / "C").rglob("*.page")):
        yield "gnome", page, gnome / "zh_CN" / page.relative_to(gnome / "C"), mallard_blocks, by_place
    for page in sorted((book / "en-US").glob("*.html")):
        yield "handbook", page, book / "zh-CN" / page.name, html_blocks, by_place
    for page in sorted(reference.glob("*.en.html")):
        chinese = page.with_name(page.name.replace(".en.", ".zh-cn."))
        yield "reference", page, chinese, html_blocks, by_place


def sections(blocks: Aligned) -> Iterator[dict]:
    """Yield a heading with the paragraphs under it, both translated."""
    heads: tuple[str, str] | None = None
    paragraphs: list[tuple[str, str]] = []
    for tag, english, chinese in [*blocks, ("h1", "", "")]:
        if tag == "p":
            if len(english) >= 25 and len(chinese) >= 8 and _translated(chinese):
                paragraphs.append((english, chinese))
            continue
        if heads and paragraphs and _translated(heads[1]):
            yield {"heads": heads, "paragraphs": paragraphs}
        heads, paragraphs = (english, chinese), []


def collect(root: Path, target: Path) -> Counter[str]:
    """Write all sections, no paragraph twice; return how many of each source."""
    counts: Counter[str] = Counter()
    seen: set[tuple[str, str]] = set()
    with target.open("w", encoding="utf-8") as lines:
        for source, english, chinese, read, align in pages(root):
            if not chinese.is_file():
                continue
            for number, section in enumerate(sections(align(read(english), read(chinese)))):
                fresh = [pair for pair in section["paragraphs"] if pair not in seen]
                seen.update(fresh)
                if fresh:
                    row = {"source": source, "id": f"{english.parent.name}/{english.name}#{number}"}
                    row |= {"heads": section["heads"], "paragraphs": fresh}
                    lines.write(json.dumps(row, ensure_ascii=False) + "\n")
                    counts[source] += 1
    return counts


if __name__ == "__main__":
    print(dict(collect(Path(sys.argv[1]), Path(sys.argv[2]))))
