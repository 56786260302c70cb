"""The filter language: what is read, what is refused with which words, and that it reads its own writing."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as some

from appliance.domain import Comparison, Condition, FilterField, Filters, days_of
from appliance.errors import UserError
from appliance.retrieval.filter_fields import RULES
from appliance.retrieval.filter_language import contradiction, filter_text, parse_filter


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("published>=2023 and section_type=risk", "published>=2023 and section_type=risk"),
        ("Published >= 2023-5 AND Section-Type == Risks", "published>=2023-05 and section_type=risk"),
        ("published=2023/05/01", "published=2023-05-01"),
        ("kind in (table, figure)", "kind=table|figure"),
        ("kind not in (table|figure) && language!=zh", "kind!=table|figure and language!=zh"),
        ("tag=a or tag=b or tag=a", "tag=a|b"),
        ("title ~ 'annual report'", 'title~"annual report"'),
        ('title contains "a \\"b\\" c"', 'title~"a \\"b\\" c"'),
        ("format=.PDF|md", "format=pdf|markdown"),
        ("authority>=internal", "authority>=internal"),
        ("section_type=financial_statement", "section_type=financial-statement"),
        ("document=policies/travel-2.md", "document=policies/travel-2.md"),
        ("effective=2024 & version<>1", "effective=2024 and version!=1"),
        ("tag=a and tag=a", "tag=a"),
        ("owner=“and”", 'owner="and"'),
        # the same in Chinese
        ("发布≥2023年5月且类型=表格", "published>=2023-05 and kind=table"),
        ("发布日期＞＝２０２３ 并且 章节类型＝风险因素", "published>=2023 and section_type=risk"),
        ("标题包含年报 且 语言属于（中文、英文）", "title~年报 and language=zh|en"),
        ("密级！＝机密", "classification!=confidential"),
        ("标签 不属于 (草稿，作废)", "tag!=草稿|作废"),
        ("标签=甲或标签=乙", "tag=甲|乙"),
        ("标题～“销售 且 采购”", 'title~"销售 且 采购"'),
        ("标题~而且如此", 'title~"而且如此"'),
        ("生效=2024年3月1日", "effective=2024-03-01"),
    ],
)
def test_read(text: str, read: str) -> None:
    assert filter_text(parse_filter(text)) == read
    assert filter_text(parse_filter(read)) == read


@pytest.mark.parametrize(
    ("text", "position", "says", "hints"),
    [
        ("sectiontype=risk", 1, "unknown field 'sectiontype'", "did you mean section_type?"),
        ("type=risk", 1, "unknown field 'type'", "did you mean section_type, or kind"),
        ("tag=a and collection=b", 11, "unknown field 'collection'", "--collection"),
        ("章节类别=风险", 1, "unknown field '章节类别'", "did you mean 章节类型?"),
        ("section_type=risky", 14, "did you mean risk?", "change-log"),
        ("语言=火星文", 4, "'火星文' is not known", "zh, en, und"),
        ("published=yesterday", 11, "is no date", "published takes"),
        ("published=2023-02-30", 11, "no calendar has", "published takes"),
        ("发布=2023年13月", 4, "no calendar has", "published takes"),
        ("published~2023", 10, "does not compare with ~", "= != >= <= > <"),
        ("title>=a", 6, "does not compare with >=", "title takes = != ~"),
        ("version=2.1", 9, "'2.1' is no count", "version takes"),
        ("tag=~a", 4, "unknown operator '=~'", "known: ="),
        ("language:zh", 9, "an operator is expected, found ':zh'", "language takes"),
        ("published", 10, "an operator is expected, found the end", "published takes"),
        ("tag=", 5, "a value for tag is expected, found the end", "for example"),
        ("tag=a|", 7, "a value for tag is expected", "for example"),
        ('tag=""', 5, "a value for tag is expected", "for example"),
        ("tag=and", 5, "a value for tag is expected, found 'and'", "for example"),
        ('tag="a', 5, "the quotation mark is not closed", 'end the value with "'),
        ("标签=“甲", 4, "the quotation mark is not closed", "end the value with ”"),
        ("kind in (table, figure", 9, "the bracket is not closed", "kind in"),
        ("kind in table", 9, "a list is expected, found 'table'", "kind in"),
        ("title~annual report", 14, "expected “and”, found 'report'", "quotation marks"),
        ("tag=a and", 10, "a field is expected, found the end", "fields: published"),
        ("and tag=a", 1, "a field is expected, found 'and'", "field!=value"),
        ("(tag=a)", 1, "brackets hold only lists of values", "section_type in"),
        ("tag=a or owner=b", 7, "“or” joins only values of one field", "search twice"),
        ("tag=a and owner=b or owner=c", 19, "“or” joins only values of one field", "search twice"),
        ("标签=甲或语言=中文", 5, "“or” joins only values of one field", "search twice"),
        ("published>2020|2021", 10, "published> takes one value", "published=a|b"),
        ('tag="a\nb"', 5, "control characters", "leave them out"),
        ("tag=" + "x" * 201, 5, "more than 200 characters", "shorten"),
        ("SELECT * FROM documents", 1, "unknown field 'SELECT'", "fields: published"),
        ("tag='a' ; DROP TABLE x", 9, "expected “and”, found ';'", "joined by and"),
        ("😀", 1, "a field is expected, found '😀'", "fields: published"),
        ("与其", 1, "unknown field '与其'", "fields: published"),
    ],
)
def test_refused(text: str, position: int, says: str, hints: str) -> None:
    with pytest.raises(UserError) as refused:
        parse_filter(text)
    assert refused.value.message.startswith(f"filter, position {position}: ")
    assert says in refused.value.message
    assert hints in refused.value.hint


def test_an_empty_and_an_over_long_filter_are_refused() -> None:
    for text in ("", " \t\n"):
        with pytest.raises(UserError, match="the filter is empty"):
            parse_filter(text)
    with pytest.raises(UserError, match="more than 2,000"):
        parse_filter("tag=a and " * 400)
    with pytest.raises(UserError, match="more than 30 conditions"):
        parse_filter(" and ".join(f"tag=t{number}" for number in range(31)))
    with pytest.raises(UserError, match="more than 100 values"):
        parse_filter("tag=" + "|".join(map(str, range(101))))


@pytest.mark.parametrize(
    ("text", "clash"),
    [
        ("published>2024 and published<2020", "published>2024 and published<2020"),
        ("published=2023 and published>2023-12", "published>2023-12 and published=2023"),
        ("published>=2023 and published<2023", "published>=2023 and published<2023"),
        ("published=2023-05 and published=2023-06", "published=2023-06 and published=2023-05"),
        ("published>=2023 and published<=2023", ""),
        ("published>2022 and published<2024 and published!=2023", ""),
        ("published=2020|2023 and published>=2022", ""),
        ("effective>=2024 and effective<=2020", ""),
    ],
)
def test_dates_that_no_day_satisfies(text: str, clash: str) -> None:
    if not clash:
        assert parse_filter(text)
        return
    with pytest.raises(UserError, match="cannot both hold") as refused:
        parse_filter(text)
    assert clash in refused.value.message


def test_a_part_of_a_date_is_its_days() -> None:
    spans = [(each.first, each.last) for each in map(days_of, ("2023", "2024-02", "2023-05-07"))]
    assert spans == [
        ("2023-01-01", "2023-12-31"),
        ("2024-02-01", "2024-02-29"),
        ("2023-05-07", "2023-05-07"),
    ]


TEXTS = (
    some.text(some.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=30)
    .map(str.strip)
    .filter(bool)
)
DATES = some.one_of(
    some.integers(1000, 2999).map(str),
    some.dates().filter(lambda day: 1000 <= day.year < 3000).map(lambda day: f"{day:%Y-%m}"),
    some.dates().filter(lambda day: 1000 <= day.year < 3000).map(str),
)


@some.composite
def conditions(draw: some.DrawFn) -> Condition:
    field = draw(some.sampled_from(list(FilterField)))
    rule = RULES[field]
    comparison = draw(some.sampled_from(sorted(rule.comparisons)))
    if rule.values is not None:
        values = some.sampled_from(sorted(set(rule.values.values())))
    elif field in (FilterField.PUBLISHED, FilterField.EFFECTIVE):
        values = DATES
    elif field is FilterField.VERSION:
        values = some.integers(0, 999_999).map(str)
    else:
        values = TEXTS
    many = comparison in (Comparison.IS, Comparison.NOT, Comparison.CONTAINS)
    chosen = draw(some.lists(values, min_size=1, max_size=4 if many else 1, unique=True))
    return Condition(field=field, comparison=comparison, values=tuple(chosen))


@given(some.lists(conditions(), min_size=1, max_size=5, unique=True).map(tuple))
def test_what_is_written_reads_back_the_same(filters: Filters) -> None:
    assume(not contradiction(filters))
    assert parse_filter(filter_text(filters)) == filters


@given(some.text(max_size=60))
def test_any_text_is_a_filter_or_a_clear_refusal(text: str) -> None:
    try:
        read = parse_filter(text)
    except UserError as error:
        refusal = error
    else:
        assert parse_filter(filter_text(read)) == read
        return
    assert refusal.message.startswith(("filter", "the filter"))
    assert refusal.hint
