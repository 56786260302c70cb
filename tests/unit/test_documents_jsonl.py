import json
from pathlib import Path

import pytest

from appliance.documents import JsonlRecord, RefusedRecord, is_jsonl, iter_jsonl_records, parse_record
from appliance.documents import jsonl as module
from appliance.errors import NotFoundError, RefusedFileError


def write(path: Path, *lines: object) -> Path:
    path.write_text(
        "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines), "utf-8"
    )
    return path


def test_records_and_broken_lines(tmp_path: Path) -> None:
    file = write(
        tmp_path / "blob",
        {
            "id": "a",
            "title": "T",
            "text": "One.",
            "published": "12 March 2023",
            "meta": {"page": 4, "doc": "x"},
        },
        '{"id": "b", "text": ',
        "",
        {"id": "a", "text": "again"},
        {"text": "no id"},
        {"id": "c", "text": "  "},
        {"id": 7, "text": "Seven."},
    )
    found = list(iter_jsonl_records(file, name="r.jsonl"))
    good = [record for record in found if isinstance(record, JsonlRecord)]
    bad = [record for record in found if isinstance(record, RefusedRecord)]
    assert [(record.number, record.line, record.id) for record in good] == [(1, 1, "a"), (6, 7, "7")]
    assert good[0].published == "2023-03-12"
    assert good[0].meta == {"page": "4", "doc": "x"}
    assert [(record.number, record.line, record.id) for record in bad] == [
        (2, 2, ""), (3, 4, "a"), (4, 5, ""), (5, 6, "c"),
    ]  # fmt: skip
    assert bad[0].reason.startswith("r.jsonl, line 2: not valid JSON (")
    assert bad[1].reason.startswith("r.jsonl, line 4: the id 'a' was already used above")
    assert "required field `id`" in bad[2].reason
    assert bad[3].reason == "r.jsonl, line 6: the text is empty"
    assert [record.number for record in iter_jsonl_records(file, skip=3)] == [4, 5, 6]


def test_a_resumed_read_still_knows_the_ids_before(tmp_path: Path) -> None:
    file = write(tmp_path / "r.jsonl", {"id": "a", "text": "x"}, {"id": "a", "text": "y"})
    (found,) = iter_jsonl_records(file, skip=1)
    assert isinstance(found, RefusedRecord)


def test_a_monstrous_line_is_refused_without_reading_it_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_LINE_BYTES", 100)
    file = write(tmp_path / "r.jsonl", {"id": "a", "text": "x" * 1000}, {"id": "b", "text": "y"})
    first, second = iter_jsonl_records(file)
    assert isinstance(first, RefusedRecord)
    assert (second.id, second.line) == ("b", 2)


def test_empty_and_missing_files(tmp_path: Path) -> None:
    with pytest.raises(RefusedFileError, match=r"^r\.jsonl is empty"):
        next(iter_jsonl_records(write(tmp_path / "r.jsonl")))
    with pytest.raises(NotFoundError, match="there is no file"):
        next(iter_jsonl_records(tmp_path / "none.jsonl"))


def record(text: str, published: str | None = None) -> JsonlRecord:
    return JsonlRecord(number=1, line=1, id="r", title="T", text=text, published=published, meta={})


def test_record_text_is_markdown_only_where_it_says_so() -> None:
    marked = parse_record(record("# A\nOne\n\n## B\n| x | y |\n|---|---|\n| 1 | 2 |", "2024"))
    assert [section.trail for section in marked.sections] == [("A",), ("A", "B")]
    assert (marked.format, marked.title, marked.published, marked.published_from) == (
        "jsonl",
        "T",
        "2024",
        "record",
    )
    plain = parse_record(record("2 * 3 * 4 and snake_case_name stay."))
    assert plain.sections[0].blocks[0].text == "2 * 3 * 4 and snake_case_name stay."
    assert parse_record(record("<!-- # x -->\n# \n")).sections


def test_is_jsonl() -> None:
    assert is_jsonl("a/b.JSONL")
    assert is_jsonl("x.ndjson")
    assert not is_jsonl("x.json")
