"""Worlds out of real prose: free handbooks that exist in Chinese and English, with questions cut from them.

Arrives: unpacked documentation packages with HTML that carries the same anchors in every language
(``debian-reference-en`` and ``-zh-cn`` 2.100, GPL-2+; ``debian-handbook`` 11, GPL-2+ or CC-BY-SA-3.0+).
Leaves: :class:`~finetune.worlds.World` of short passages. A question is a sentence taken out of its passage
(whole, in part, or its rare words; Lee et al. 2019, "inverse cloze task"), the heading that the passage no
longer has, or a heading of the same section in the other language. Nothing of it is kept in the project.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from lxml import html

from appliance.store.analysis import analyse
from finetune.worlds import Asked, Text, World

Sections = dict[str, tuple[str, str]]
"""Anchor → heading, text."""
SOURCES = {
    "handbook-en": ("usr/share/doc/debian-handbook/html/en-US/*.html", "en"),
    "handbook-zh": ("usr/share/doc/debian-handbook/html/zh-CN/*.html", "zh"),
    "reference-en": ("usr/share/debian-reference/*.en.html", "en"),
    "reference-zh": ("usr/share/debian-reference/*.zh-cn.html", "zh"),
}
PASSAGES = {False: 1100, True: 600}
QUESTIONS = 500
LENGTHS = {("zh", False): 220, ("en", False): 480, ("zh", True): 600, ("en", True): 1400}
"""Characters of a short and of a long passage."""
_SENTENCE = re.compile(r"(?<=[。!?！？])|(?<=[.!?])\s+(?=[A-Z])")


def handbooks(folder: Path, seed: int) -> Iterator[World]:
    """The worlds whose files are there."""
    read = {name: _sections(folder, glob) for name, (glob, _) in SOURCES.items()}
    for name, sections in read.items():
        if sections:
            language = SOURCES[name][1]
            other = read[name[:-2] + ("zh" if language == "en" else "en")]
            yield _world(name, sections, other, language, random.Random(f"{name} {seed}"))
            chance = random.Random(f"{name} long {seed}")
            yield _world(f"{name}-long", sections, other, language, chance, long=True)


def _sections(folder: Path, glob: str) -> Sections:
    found: Sections = {}
    for file in sorted(folder.glob(glob)):
        heading, anchor, pieces = "", "", list[str]()
        for element in html.parse(str(file)).iter("h1", "h2", "h3", "h4", "p", "div"):
            text = " ".join(str(element.text_content()).split())
            if element.tag in ("p", "div"):
                if element.tag == "p" or element.get("class") == "para":
                    pieces.append(text)
                continue
            if heading and pieces:
                found.setdefault(anchor, (heading, " ".join(pieces)))
            marks = element.xpath("(.//a/@id | ./@id | ancestor::*[@id][1]/@id)[1]")
            heading = re.sub(r"^[\dA-Z](?:\.\d+)*\.?\s+", "", text)
            anchor, pieces = str(marks[0]) if marks else f"{file.name} {heading}", []
        if heading and pieces:
            found.setdefault(anchor, (heading, " ".join(pieces)))
    return found


def _world(
    name: str,
    sections: Sections,
    other: Sections,
    language: str,
    chance: random.Random,
    *,
    long: bool = False,
) -> World:
    """One world; in one of long passages half of the sentences asked stay where they were taken from."""
    texts: list[Text] = []
    asked: list[Asked] = []
    held = Counter(token for _, text in sections.values() for token in set(analyse(text)))
    most = LENGTHS[language, long]
    anchors = sorted(sections)
    chance.shuffle(anchors)
    for anchor in anchors:
        if len(texts) >= PASSAGES[long]:
            break
        heading, text = sections[anchor]
        ids: list[str] = []
        for piece in _pieces(text, most):
            sentences = [sentence.strip() for sentence in _SENTENCE.split(piece) if sentence.strip()]
            fit = [s for s in sentences if (12 if language == "zh" else 40) <= len(s) <= 240]
            ids.append(f"{name}-{len(texts)}")
            if len(sentences) > 2 and fit and chance.random() < (0.8 if long else 0.4):
                taken = chance.choice(fit)
                if not long or chance.random() < 0.5:
                    piece = piece.replace(taken, "")
                style, question = _cut(taken, held, chance)
                asked.append(Asked(id=ids[-1] + "-q", question=question, style=style, gold=(ids[-1],)))
            texts.append(Text(id=ids[-1], title="", text=piece, language=language))
        across = anchor in other and chance.random() < 0.4
        words = other[anchor][0] if across else heading
        if 1 <= len(ids) <= 8 and len(words) > 3 and chance.random() < 0.7:
            style = "heading, other language" if across else "heading"
            asked.append(Asked(id=f"{ids[0]}-h", question=words, style=style, gold=tuple(ids)))
    chance.shuffle(asked)
    return World(name=name, texts=tuple(texts), questions=tuple(asked[:QUESTIONS]))


def _pieces(text: str, most: int) -> list[str]:
    pieces = [""]
    for sentence in _SENTENCE.split(text):
        if pieces[-1] and len(pieces[-1]) + len(sentence) > most:
            pieces.append("")
        pieces[-1] = f"{pieces[-1]} {sentence}".strip()[: max(900, most + 200)]
    return [piece for piece in pieces if piece]


def _cut(sentence: str, held: Counter[str], chance: random.Random) -> tuple[str, str]:
    """Whole, its second half, or its rarest words."""
    style = chance.choice(("sentence", "half", "keywords"))
    if style == "half":
        return style, sentence[len(sentence) // 2 :]
    tokens = list(dict.fromkeys(analyse(sentence)))
    if style == "keywords" and len(tokens) > 3:
        rare = set(sorted(tokens, key=lambda token: held[token])[: chance.randint(2, 5)])
        return style, " ".join(token for token in tokens if token in rare)
    return "sentence", sentence
