import random
import re
from collections.abc import Sequence

import pytest

from appliance.documents import cut_passages, split_sentences
from appliance.documents.passages import section_path
from appliance.domain import Block, BlockKind, ParsedDocument, PassageDraft, Section

TOKEN = re.compile(r"[A-Za-z0-9]+|[^\sA-Za-z0-9]")


class Counter:
    """Words and signs, and how often it was asked."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, texts: Sequence[str]) -> list[int]:
        self.calls += 1
        return [len(TOKEN.findall(text)) for text in texts]


def document(*sections: tuple[tuple[str, ...], list[Block]], format: str = "markdown") -> ParsedDocument:
    built = tuple(
        Section(title=trail[-1] if trail else "", level=len(trail), trail=trail, blocks=tuple(blocks))
        for trail, blocks in sections
    )
    return ParsedDocument(title="Doc", sections=built, format=format, language="en")


def cut(
    parsed: ParsedDocument, counter: Counter | None = None, low: int = 20, high: int = 40
) -> list[PassageDraft]:
    return cut_passages(parsed, counter or Counter(), min_tokens=low, max_tokens=high)


def words(count: int, start: int = 0) -> str:
    return " ".join(f"w{index}" for index in range(start, start + count))


def test_short_sections_stay_apart_and_small() -> None:
    parsed = document(
        (("Doc", "A"), [Block(text="One."), Block(text="Two.")]), (("Doc", "B"), [Block(text="Three.")])
    )
    found = [(draft.section_path, draft.text, draft.token_count) for draft in cut(parsed)]
    assert found == [("A", "One.\n\nTwo.", 4), ("B", "Three.", 2)]


def test_long_section_is_cut_at_blocks_into_even_passages() -> None:
    blocks = [Block(text=words(12, 100 * index), page=index + 1) for index in range(5)]
    drafts = cut(document((("A",), blocks)))
    assert [draft.token_count for draft in drafts] == [24, 36]
    assert [(draft.page_first, draft.page_last) for draft in drafts] == [(1, 2), (3, 5)]


def test_a_short_tail_is_evened_out() -> None:
    blocks = [Block(text=words(10, 100 * index)) for index in range(5)]
    assert sorted(draft.token_count for draft in cut(document((("A",), blocks)))) == [20, 30]


def test_long_block_is_cut_between_sentences_and_nothing_is_lost() -> None:
    text = "".join(f"第{index}句话说明了公司的一项风险。" for index in range(12))
    drafts = cut(document((("A",), [Block(text=text)])))
    assert "".join(draft.text for draft in drafts) == text
    assert all(draft.text.endswith("。") and 20 <= draft.token_count <= 40 for draft in drafts)


def test_over_long_sentence_is_cut_by_force_at_the_limit() -> None:
    text = words(205)
    drafts = cut(document((("A",), [Block(text=text)])))
    assert " ".join(draft.text for draft in drafts) == text
    assert max(draft.token_count for draft in drafts) <= 40
    assert len(drafts) <= 7
    unbroken = "电" * 100
    assert "".join(draft.text for draft in cut(document((("A",), [Block(text=unbroken)])))) == unbroken


def test_table_is_its_own_passage_with_caption_and_repeated_header() -> None:
    header = "| Item | 2023 |\n|---|---|"
    rows = [f"| row{index} | {index} |" for index in range(12)]
    table = Block(text="\n".join([header, *rows]), kind=BlockKind.TABLE, page=3)
    parsed = document(
        (("A",), [Block(text="Before."), Block(text="表1 利润表（百万元）"), table, Block(text="After.")])
    )
    drafts = cut(parsed, high=60)
    assert drafts[0].text == "Before."
    assert drafts[-1].text == "After."
    tables = drafts[1:-1]
    assert len(tables) >= 2
    assert all(draft.text.startswith("表1 利润表（百万元）\n" + header + "\n| row") for draft in tables)
    assert all(draft.kind is BlockKind.TABLE and draft.page_first == draft.page_last == 3 for draft in tables)
    assert [line for draft in tables for line in draft.text.split("\n")[3:]] == rows


def test_every_count_is_exact_for_rows_under_a_header_too() -> None:
    rows = "\n".join(f"| row{index} | {words(24)} |" for index in range(4))
    table = Block(text="| Item | 2023 |\n|---|---|\n" + rows, kind=BlockKind.TABLE)
    drafts = cut(document((("A",), [table])), high=45)
    assert [draft.token_count for draft in drafts] == Counter()([draft.text for draft in drafts])
    assert all(draft.token_count <= 45 and draft.text.startswith("| Item | 2023 |") for draft in drafts)


def test_short_record_is_exactly_one_passage() -> None:
    parsed = document((("T",), [Block(text="One.")]), (("T", "U"), [Block(text="Two.")]), format="jsonl")
    counter = Counter()
    (draft,) = cut(parsed, counter)
    assert (draft.text, draft.section_path, counter.calls) == ("T\n\nOne.\n\nU\n\nTwo.", "", 1)


def test_heading_with_nothing_below_it_is_kept() -> None:
    parsed = document((("Changes",), []), (("Changes", "Removed: export to fax"), []))
    assert [draft.text for draft in cut(parsed)] == ["Removed: export to fax"]


def test_section_path() -> None:
    assert section_path(("Doc", "A", "B\n  b"), "Doc") == "A > B b"
    assert section_path(("A", "x" * 100), "Doc") == "A > " + "x" * 80
    assert section_path((), "Doc") == ""


@pytest.mark.parametrize("seed", range(6))
def test_limits_hold_on_anything_and_calls_are_few(seed: int) -> None:
    dice = random.Random(seed)
    texts = ["One. ", "Two three four! ", "第一句。", "x" * 90, words(70), "\n", "；", "A, b, c; "]
    blocks = [
        Block(
            text="".join(dice.choice(texts) for _ in range(dice.randint(1, 30))) + "end",
            page=dice.randint(1, 9),
        )
        for _ in range(30)
    ]
    counter = Counter()
    parsed = document(*((("S", f"{index}"), blocks[index::3]) for index in range(3)))
    drafts = cut(parsed, counter)
    assert all(0 < draft.token_count <= 40 for draft in drafts)
    assert [draft.token_count for draft in drafts] == Counter()([draft.text for draft in drafts])
    squeezed = re.sub(r"\s", "", "".join(draft.text for draft in drafts))
    assert squeezed == re.sub(
        r"\s", "", "".join(block.text for index in range(3) for block in blocks[index::3])
    )
    assert counter.calls <= 8
    assert cut(parsed) == drafts
    assert split_sentences("") == []
