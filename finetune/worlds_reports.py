"""Tables of figures as in yearly reports: the part of a world where most pages hold the same words.

Arrives: a :class:`~finetune.worlds.Maker`. Leaves: pages of a firm's metrics, each page with three years
side by side, so that a year is on three pages and only one is that year's report; and questions about one
cell, one metric's course, or, in lay words, one year.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from finetune.worlds import Maker

FORMAL_EN, PLAIN_EN, FORMAL_ZH, PLAIN_ZH = range(4)
HEADS_EN = ("in millions", "in thousands, unaudited", "consolidated", "restated", "as of 31 December")
HEADS_ZH = ("单位:万元", "单位:百万元", "合并口径", "经重述", "截至12月31日")
TABLES_EN = ("Selected financial data", "Statement of operations", "Five-year summary", "Segment overview")
TABLES_ZH = ("主要财务数据", "利润及现金流量表", "近三年经营概况", "分部情况")
ASKED_EN = ("What was {m} of {c} in {y}?", "{c} {y} annual report: {m}", "How high is the {y} {m} at {c}?")
ASKED_ZH = ("{c}{y}年的{m}是多少?", "{y}年年报里{c}的{m}", "查一下{c}在{y}年的{m}")
COURSE_EN, COURSE_ZH = (
    "How did {m} of {c} change from {y} to {z}?",
    "{c}的{m}从{y}年到{z}年变化了多少?",
)


def reports(maker: Maker, firms: int) -> None:
    """So many firms, each with a report of every year of the recipe."""
    for _ in range(firms):
        language = maker.random.choice(maker.recipe.languages)
        company = maker.company(language)
        years = list(range(2012, 2012 + maker.recipe.years))
        metrics = maker.rows(maker.vocabulary["metrics"]["list"])
        pages = {year: _page(maker, company, year, metrics, language) for year in years}
        for metric in maker.random.sample(metrics, min(6, len(metrics))):
            _ask(maker, company, metric, pages, language)


def _page(maker: Maker, company: str, year: int, metrics: list[list[str]], language: str) -> str:
    zh = language == "zh"
    columns = [year, year - 1, year - 2]
    head = maker.random.choice(HEADS_ZH if zh else HEADS_EN)
    table = maker.random.choice(TABLES_ZH if zh else TABLES_EN)
    lines = [f"{table} ({head}) | " + " | ".join(str(column) for column in columns) + "\n"]
    for metric in maker.random.sample(metrics, len(metrics)):
        cells = " | ".join(f"{maker.random.uniform(1, 9000):,.1f}" for _ in columns)
        lines.append(f"{metric[FORMAL_ZH if zh else FORMAL_EN]} | {cells}\n")
    title = f"{company}{year}年年度报告" if zh else f"{company} annual report {year}"
    return maker.add(title, lines, language)


def _ask(maker: Maker, company: str, metric: list[str], pages: dict[int, str], language: str) -> None:
    zh = language == "zh"
    plain = maker.random.random() < 0.35
    words = metric[(PLAIN_ZH if zh else PLAIN_EN) if plain else (FORMAL_ZH if zh else FORMAL_EN)]
    year = maker.random.choice(sorted(pages)[:-1])
    if maker.random.random() < 0.2:
        course = (COURSE_ZH if zh else COURSE_EN).format(c=company, m=words, y=year, z=year + 1)
        maker.ask("report course", course, [pages[year], pages[year + 1]])
        return
    template = maker.random.choice(ASKED_ZH if zh else ASKED_EN)
    style = "plain report" if plain else "report"
    maker.ask(style, template.format(c=company, m=words, y=year), [pages[year]])
