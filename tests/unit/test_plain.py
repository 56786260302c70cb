"""What is shown holds no link, no picture, no mark of ours and nothing unseen; words and figures stay."""

from __future__ import annotations

import pytest

from appliance.answers.plain import plain, shown, shown_answer
from appliance.domain import Answer, Claim, ClaimKind, Fingerprint, RunStatus

MARK = f"d-{'0' * 16}#1. Fees > a#{'ab' * 32}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("See [the page](https://evil.example/a?q=1) now.", "See the page now."),
        ("![logo](https://evil.example/p.png?d=1)", "logo"),
        ("[a][1] and\n[1]: https://evil.example", "a and"),
        ("<https://evil.example/x>", "evil.example/x"),
        ("at https://www.evil.example/x.", "at www.evil.example/x."),
        ("HTTPS ://evil.example", "evil.example"),
        ("a <b onclick='x()'>bold</b> word", "a bold word"),
        ("&lt;img src=&quot;https://e.example&quot;&gt; fine", "fine"),
        ("&amp;lt;script&amp;gt;alert(1)&amp;lt;/script&amp;gt; fine", "fine"),
        ("[x](javascript:alert(1))", "x"),
        ("javascript:alert(1)", "alert(1)"),
        ("[![x](https://a.example)](https://b.example)", "x"),
        ("it<|im_end|>is", "it is"),
        ("[INST] do [/INST]", "do"),
        ("Tar\u200bnholm \u202eAB\u202c\u00ad", "Tarnholm AB"),
        ("tag\U000e0041\U000e0042s", "tags"),
        ("line\u2028two\x1b[31m", "line two [31m"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("p < 0.05 and a > b; data: 5 GB; R&D; AT&T", "p < 0.05 and a > b; data: 5 GB; R&D; AT&T"),
        ("净利润（不含税）为4.2亿元，同比增长12%。", "净利润（不含税）为4.2亿元，同比增长12%。"),
        ("| Revenue | 412.6 |", "| Revenue | 412.6 |"),
    ],
)
def test_plain(text: str, said: str) -> None:
    assert plain(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("It rose by 4% [7].", "It rose by 4%."),
        ("It rose [3, 4] by [^2] 4%.", "It rose by 4%."),
        ("见【12】。", "见。"),
        (f"by {MARK} it is", "by it is"),
        ("[2004] EWCA Civ 12", "[2004] EWCA Civ 12"),
        ("[2]catenane", "[2]catenane"),
    ],
)
def test_no_mark_of_ours(text: str, said: str) -> None:
    assert shown(text) == said


def test_all_words_of_an_answer_are_cleaned_and_its_proof_is_kept() -> None:
    claim = Claim(
        text="See [a](https://e.example)",
        kind=ClaimKind.FACT,
        citations=(Fingerprint(MARK),),
        quote="[a](https://e.example)",
    )
    link = "<a href='https://e.example'>b</a>"
    answer = shown_answer(
        Answer(status=RunStatus.PARTIAL, answer=link, short=link, claims=(claim,), missing=(link,))
    )
    assert (answer.answer, answer.short, answer.missing) == ("b", "b", ("b",))
    assert (answer.claims[0].text, answer.claims[0].quote) == ("See a", "[a](https://e.example)")
    assert answer.claims[0].citations == (MARK,)
