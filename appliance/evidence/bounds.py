"""What turns a fact round or binds it: denials and conditions, as patterns in Chinese and English.

A denial is matched with the word that it denies, a condition with the words that state it, so that a text
which drops either is seen to have lost it.
"""

from __future__ import annotations

import re

NEGATION = re.compile(
    r"\b(?:not|no|never|neither|nor|none|without|cannot|nothing|fail(?:s|ed)?\sto|lack(?:s|ed|ing)?(?:\sof)?|"
    r"exclud(?:e|es|ed|ing)|except(?:\sfor|ing)?|other\sthan|rather\sthan|no\slonger|prohibit(?:s|ed)?|"
    r"\w+n['’]t)\b(?:\s+\w+)?"
    r"|(?:尚未|从未|并未|未能|未经|没有|并不|并非|不得|不再|不予|不能|不会|不可|不含|不包括|不适用|无法|无须|无需|禁止|除外|"
    r"停止|取消|废止|不|未|无|非)"
    r"(?<!无线)(?<!非常)(?!仅|断|同(?!意)|过|论|线|锡|常|少|限|人机|疑|洲|标|来|凡|妨|管|锈|动产|公开发行)[一-鿿]{0,2}",
    re.IGNORECASE,
)
_CONDITION_EN = (
    r"\b(?:if|unless|provided\sthat|only\s(?:if|when|where)|subject\sto|in\sthe\sevent\s(?:of|that)|as\slong\sas|"
    r"contingent\s(?:up)?on|assuming|except\s(?:if|when|where)|until|excluding|including|net\sof|before\stax|after\stax|"
    r"on\sa\s[\w-]+(?:\s[\w-]+)?\sbasis|at\sconstant\s(?:currency|exchange\srates)|within\s+\d+\s\w+)\b(?:\s+[A-Za-z-]+\b){0,3}"
    r"|\b(?:at|above|below|under|between|from|up\sto|at\sleast|at\smost|more\sthan|less\sthan|no\s(?:more|less)\sthan)\s+"
    r"[-−]?\d[\d.,]*(?:\s?(?:to|and|-|–)\s?[-−]?\d[\d.,]*)?\s?(?:°\s?[CF]|℃|%|mmol/L|mg/dL|V\b|k?Hz|bar|kPa)"
    r"|\b(?:unaudited|pro\sforma|restated|adjusted|diluted|annuali[sz]ed|preliminary|non-GAAP|as\sreported)\b"
    r"|\bin\s(?:\w+\s)?mode\b"
)
_CONDITION_ZH = (
    r"(?:不含税|含税|税前|税后|扣除非经常性损益|剔除|未经审计|经审计|经重述|调整后|摊薄|按可比口径|同口径|可比口径|年化)"
    r"|(?:如果|倘若|假如|若(?!干)|除非|只有|只要|一旦|凡|须经|经[一-鿿]{2,6}(?:批准|同意|审议)|未经[一-鿿]{2,6}(?:批准|同意))"
    r"[一-鿿\d]{0,6}"
    r"|在?[一-鿿\d]{0,6}\d[\d.]*\s?(?:℃|°\s?C|%|伏|V)(?:至\d[\d.]*\s?(?:℃|°\s?C))?(?:以下|以上|以内|条件下|环境下|时)"
    r"|[一-鿿]{0,6}(?:的情况下|情形下|条件下|前提下|模式下|期限内|之前|以内)"
    r"|(?:不少于|不低于|不超过|至少|至多|最多|以上|以下)"
)
CONDITION = re.compile(f"{_CONDITION_EN}|{_CONDITION_ZH}", re.IGNORECASE)
"""``at 25 °C``, ``unless otherwise agreed``, ``(unaudited)``; 「不含税」「除非另有约定」「在25 ℃条件下」."""
