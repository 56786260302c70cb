"""Whether one look-up can answer a question, by rules: its words arrive, yes or no leaves."""

from __future__ import annotations

import re

from appliance.domain import years_in

_MULTI_EN = re.compile(
    r"""\b(compare[ds]?|comparison|difference|differ|versus|vs\.?|combined|altogether|in\ total|sum\ of|
        average\ of|grow|grew|growth|increase[ds]?|decrease[ds]?|rise|rose|fell|
        (what|which)\ (share|percentage|proportion|percent|fraction)|by\ (what|how)|ratio\ of|
        how\ much\ (more|less|higher|lower|longer|shorter)|how\ many\ (more|fewer|times)|
        (higher|lower|larger|smaller|longer|shorter|earlier|later|bigger|greater|more|fewer|less)\b[^?]*\bor\b|
        (the|a|an)\ ([\w-]+\ ){1,4}(that|which|who|whose|where|to\ whom)\b|
        (company|project|person|product|centre|center|university|hospital|supplier)\ (that|which|whose)\b|
        (by|of|from|to|in|at|with)\ the\ ([\w-]+\ ){0,3}(maker|manufacturer|supplier|founder|leader|head|
        director|inventor|investigator|author|owner|customer|parent|publisher|developer|winner|sponsor)s?\b|
        the\ ([\w-]+\ ){0,3}(used|made|developed|produced|supplied|funded|owned|founded|led)\ (in|by|for)\b|
        (which|what)\ \w+\ (did|does|was)\ the\ ([\w-]+\ ){0,2}(maker|leader|head|director|inventor|
        investigator|author|owner|founder|winner)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_ROLES_ZH = (
    "供应商|制造商|生产商|厂商|厂家|客户|发明人|负责人|主持人|创始人|权利人|股东|母公司|子公司|"
    "承担单位|作者|研制者|开发商"
)
_MULTI_ZH = re.compile(
    r"相比|比较|对比|相差|差异|差额|之差|差多少|多多少|少多少|高多少|低多少|合计|一共增|之和|"
    r"(年|比)[^，。？]{0,12}(增长|增加|下降|减少|上升)了?|百分之几|占[^，。？]{0,16}(比例|比重|多大|多少)|除以|"
    r"哪(一)?(家|个|款|年|种|项)[^，。？]{0,20}(更|较|最)|(更|较)(高|低|大|小|多|少|早|晚|长|短)|"
    rf"({_ROLES_ZH})[^，。？]{{0,6}}(的|是由|，|向|规定|其)|"
    r"所(用|属|使用|采用|合作|生产|出自|在大学|在公司)|那家|那位|那个(公司|项目|人)|来自一个"
)


def is_simple(text: str) -> bool:
    """Whether the planner need not be asked: no comparison, no chain, one year at most."""
    if len(set(years_in(text))) > 1:
        return False
    if _MULTI_ZH.search(text) or _MULTI_EN.search(text):
        return False
    return text.lower().count(" of the ") < 2 and len(re.findall(r"['’]s\b", text)) < 2
