"""Which tool a task goes to, and where it looks: utilities by kind of question, learnt from outcomes.

Arrives: a task and how its question reads; the field's pack; how past tasks fared. Leaves: a tool and
filters. The utility of a tool is the mean of a beta distribution: what the pack (or the table here) expects
counts like :data:`PRIOR_WEIGHT` tasks, then every task that worked or did not counts as one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum

from msgspec.structs import replace

from appliance.domain import (
    AnswerKind,
    DomainPack,
    Plan,
    Reading,
    SectionType,
    Struct,
    Task,
    TaskFilters,
    Tool,
)

PRIOR_WEIGHT = 8.0
SURE = 0.5
"""A tool that is expected to work less often than this never takes a task from the documents."""


class QuestionType(StrEnum):
    """Rows of the matrix."""

    FILING = "filing"
    """What a company has to report: sections of its filings."""
    FIGURE = "number"
    """A figure that has to be looked up."""
    CALCULATION = "calculation"
    CHANGE = "change"
    LIVE = "live"
    """What happens now."""
    TREND = "trend"
    """Where a field is going: papers and reports."""
    EXPLANATION = "explanation"
    FACT = "fact"


_PRIORS: dict[QuestionType, dict[Tool, float]] = {
    QuestionType.FILING: {Tool.DOCUMENTS: 0.9, Tool.EXTERNAL: 0.3},
    QuestionType.FIGURE: {Tool.DOCUMENTS: 0.85, Tool.EXTERNAL: 0.3},
    QuestionType.CALCULATION: {Tool.CALC: 0.95, Tool.DOCUMENTS: 0.3},
    QuestionType.CHANGE: {Tool.DIFF: 0.9, Tool.DOCUMENTS: 0.5, Tool.EXTERNAL: 0.2},
    QuestionType.LIVE: {Tool.EXTERNAL: 0.8, Tool.DOCUMENTS: 0.4},
    QuestionType.TREND: {Tool.DOCUMENTS: 0.7, Tool.EXTERNAL: 0.5},
    QuestionType.EXPLANATION: {Tool.DOCUMENTS: 0.8, Tool.EXTERNAL: 0.4},
    QuestionType.FACT: {Tool.DOCUMENTS: 0.8, Tool.EXTERNAL: 0.45},
}
_SOURCES: dict[QuestionType, tuple[str, ...]] = {
    QuestionType.FILING: (
        "annual report",
        "10-K",
        "10-Q",
        "prospectus",
        "年度报告",
        "年报",
        "季度报告",
        "招股说明书",
    ),
    QuestionType.TREND: (
        "survey",
        "review",
        "paper",
        "study",
        "research report",
        "综述",
        "论文",
        "研究报告",
        "白皮书",
    ),
}
_SECTIONS: dict[QuestionType, tuple[SectionType, ...]] = {
    QuestionType.TREND: (SectionType.ABSTRACT, SectionType.BODY),
}
_FILING = re.compile(
    r"\b(?:risk factors?|10-[KQ]|20-F|annual report|filings?|prospectus|MD&A|management's discussion|"
    r"balance sheet|"
    r"income statement|cash flow statement|notes to the financial)\b|风险因素|年报|年度报告|"
    r"招股说明书|资产负债表|利润表|现金流量表|"
    r"管理层讨论",
    re.IGNORECASE,
)
_LIVE = re.compile(
    r"\b(?:today|right now|this (?:week|morning)|breaking|just (?:announced|happened)|latest news|news "
    r"(?:about|on)|live|"
    r"currently happening|yesterday)\b|今天|昨天|刚刚|本周|最新消息|新闻|目前正在|实时|突发",
    re.IGNORECASE,
)
_TREND = re.compile(
    r"\b(?:trends?|state of the art|outlook|research directions?|recent (?:advances|progress|developments)|"
    r"emerging)\b|"
    r"趋势|前沿|研究进展|发展方向|最新进展|研究现状|展望",
    re.IGNORECASE,
)
_SECTION = re.compile(
    r"\b(?:chapter|section|clause|article|part|annex|appendix) (?:\d+(?:\.\d+)*|[IVXLC]+\b)|"
    r"第[一二三四五六七八九十百〇\d]+[章节条款编]",
    re.IGNORECASE,
)
_RISK = re.compile(r"\brisk factors?\b|\brisks\b|风险因素|风险", re.IGNORECASE)
Outcomes = Mapping[tuple[str, str], tuple[int, int]]
"""By question type and tool: how many tasks worked, how many did not."""


class Routed(Struct, frozen=True, kw_only=True):
    """Where a task goes."""

    tool: Tool
    kind: QuestionType
    filters: TaskFilters | None = None
    utilities: dict[str, float] = {}
    """By tool, for the trace."""


def question_type(reading: Reading, task: Task | None = None) -> QuestionType:
    """The row of the matrix that a question (or a task's own question, as read) belongs to."""
    text = reading.text
    if task is not None and task.tool is Tool.CALC:
        return QuestionType.CALCULATION
    if (task is not None and task.versions is not None) or reading.kind is AnswerKind.CHANGE:
        return QuestionType.CHANGE
    for pattern, kind in (
        (_LIVE, QuestionType.LIVE),
        (_FILING, QuestionType.FILING),
        (_TREND, QuestionType.TREND),
    ):
        if pattern.search(text):
            return kind
    if reading.kind is AnswerKind.NUMBER or reading.metrics():
        return QuestionType.FIGURE
    return QuestionType.EXPLANATION if reading.kind is AnswerKind.EXPLANATION else QuestionType.FACT


def utility(prior: float, outcomes: tuple[int, int] = (0, 0)) -> float:
    """The share of tasks expected to work: ``prior`` until outcomes say otherwise. 0–1."""
    worked, failed = outcomes
    return (prior * PRIOR_WEIGHT + worked) / (PRIOR_WEIGHT + worked + failed)


def route(
    task: Task,
    reading: Reading,
    *,
    pack: DomainPack | None = None,
    outcomes: Outcomes | None = None,
    available: frozenset[Tool] = frozenset((Tool.DOCUMENTS, Tool.CALC, Tool.DIFF)),
) -> Routed:
    """The tool with the highest utility among those that can take the task, and where it looks first.

    ``reading`` is of the task's own question. A calculation stays one; only a task that names versions
    can be a difference; the rest is looked up.
    """
    kind = question_type(reading, task)
    seen = outcomes or {}
    expected = {**_PRIORS[kind], **_expected_by(pack, kind)}
    able = {tool for tool in available if _can(tool, task, kind)} or {Tool.DOCUMENTS}
    utilities = {
        tool: utility(expected.get(tool, 0.1), seen.get((kind.value, tool.value), (0, 0))) for tool in able
    }
    best = max(utilities, key=lambda tool: (utilities[tool], tool is Tool.DOCUMENTS))
    if best is Tool.EXTERNAL and utilities[best] < SURE and Tool.DOCUMENTS in utilities:
        best = Tool.DOCUMENTS
    return Routed(
        tool=best,
        kind=kind,
        filters=task.filters or _filters(reading, kind, pack),
        utilities={tool.value: round(value, 3) for tool, value in sorted(utilities.items())},
    )


def routed_plan(plan: Plan, routes: Mapping[int, Routed]) -> Plan:
    """The plan with each task's tool and filters as routed; a task without a route stays as it is."""
    tasks = tuple(
        replace(task, tool=routes[task.id].tool, filters=routes[task.id].filters)
        if task.id in routes
        else task
        for task in plan.tasks
    )
    return replace(plan, tasks=tasks)


def _can(tool: Tool, task: Task, kind: QuestionType) -> bool:
    if task.tool is Tool.CALC:
        return tool is Tool.CALC
    if tool is Tool.DIFF:
        return task.tool is Tool.DIFF or (kind is QuestionType.CHANGE and task.versions is not None)
    return tool in (Tool.DOCUMENTS, Tool.EXTERNAL)


def _expected_by(pack: DomainPack | None, kind: QuestionType) -> dict[Tool, float]:
    rule = next((one for one in pack.routing if one.kind == kind.value), None) if pack else None
    known = {tool.value for tool in Tool}
    return {Tool(name): share for name, share in rule.tools.items() if name in known} if rule else {}


def _filters(reading: Reading, kind: QuestionType, pack: DomainPack | None) -> TaskFilters | None:
    """The section named; else the section types of the metrics, of the pack's rule, of the kind."""
    section = _SECTION.search(reading.text)
    types: list[SectionType] = [one for term in reading.metrics() for one in term.section_types]
    if pack and not types:
        types = [
            one
            for rule in pack.routing
            if rule.kind in (kind.value, reading.kind.value)
            for one in rule.section_types
        ]
    if kind is QuestionType.FILING and _RISK.search(reading.text):
        types = [SectionType.RISK]
    types = types or list(_SECTIONS.get(kind, ()))
    sources = _SOURCES.get(kind, ())
    if not (section or types or sources):
        return None
    return TaskFilters(
        section=section.group() if section else "", section_types=tuple(dict.fromkeys(types)), sources=sources
    )
