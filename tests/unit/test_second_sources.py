"""Other documents asked the same: what counts as another answer, who is asked, and what is not a conflict."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from appliance.documents import split_sentences
from appliance.domain import Claim, ClaimKind, DocumentId, Finding, Fingerprint, Passage, PassageId
from appliance.evidence.contradict import ConflictKind
from appliance.evidence.statements import Statement
from appliance.second_sources import BEARS_MIN, DOCUMENTS_MAX, SecondSources, comparable, differs, may_differ


def passage(number: int, text: str, title: str = "") -> Passage:
    return Passage(
        id=PassageId(number),
        fingerprint=Fingerprint(f"d-{number}#0"),
        document_id=DocumentId(f"d-{number}"),
        record_id=str(number),
        collection="c",
        title=title,
        section_path="",
        text=text,
        language="",
        token_count=9,
    )


def found(question: str, answer: str, source: Passage) -> Finding:
    claim = Claim(text=source.text, kind=ClaimKind.FACT, citations=(source.fingerprint,), quote=source.text)
    return Finding(task_id=1, question=question, found=bool(answer), answer=answer, claims=(claim,))


class Sources:
    """Documents with what each answers, and how far it bears on the question."""

    def __init__(self, *told: tuple[str, str, float], titles: Sequence[str] = ()) -> None:
        names = [*titles, *[""] * (len(told) - len(titles))]
        self.passages = [
            passage(at, text, title) for at, ((text, _, _), title) in enumerate(zip(told, names, strict=True))
        ]
        self._told = {text: (answer, score) for text, answer, score in told}
        self.asked: list[str] = []

    def conflicts(self, question: str) -> list[tuple[str, ...]]:
        first = self.passages[0]
        second = SecondSources(judge=self._judge, answers=self._answers, split=split_sentences)
        finding = found(question, self._told[first.text][0], first)
        stated = Statement(text=first.text, raw=first.text, passage=first)
        return [(each.kind, *each.values) for each in second.conflicts(finding, stated, self.passages)]

    def _judge(self, question: str, texts: Sequence[str]) -> list[float]:
        return [self._told[text.partition("\n")[2]][1] for text in texts]

    def _answers(self, question: str, source: Passage) -> Finding:
        self.asked.append(source.text)
        return found(question, self._told[source.text][0], source)


DEATHS = "How many people died when the Maren sank?"
INQUIRY = ("The harbour inquiry concluded that 153 people died when the Maren sank.", "153", 8.0)
SENATE = ("The senate put the death toll of the Maren at 171.", "171", 6.0)


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("1,503", "1,517", ConflictKind.FIGURE),
        ("1,503 people", "about 1,500", None),
        ("28.7 million", "43.1 million", ConflictKind.FIGURE),
        ("28.7 million", "28,700,000", None),
        ("1.2亿元", "1.5亿元", ConflictKind.FIGURE),
        ("1.2亿元", "12000万元", None),
        ("42%", "12.8%", ConflictKind.FIGURE),
        ("42%", "42 kg", None),
        ("3", "4,200", None),
        ("yes", "No: release 2.0 removed it.", ConflictKind.SIGN),
        ("是", "否", ConflictKind.SIGN),
        ("yes", "Yes", None),
        ("14 March 2024", "17 December 2024", ConflictKind.FIGURE),
        ("March 2024", "14 March 2024", None),
        ("2021年3月5日", "2021年4月5日", ConflictKind.FIGURE),
        ("Dr Ada Brill", "Dr Ines Carrow", None),
        ("9.1", "Ada Brill", None),
    ],
)
def test_of_two_answers_which_cannot_both_be_right(one: str, other: str, kind: ConflictKind | None):
    for a, b in ((one, other), (other, one)):
        made = differs(a, b)
        assert (made.kind if made else None) is kind
    assert differs(one, other) is None or comparable(one)


def test_sentences_of_few_like_words_disagree():
    sources = Sources(INQUIRY, SENATE)
    assert sources.conflicts(DEATHS) == [(ConflictKind.FIGURE, "153", "171")]


def test_what_hardly_bears_on_it_and_the_document_itself_are_not_asked():
    far = ("The Maren carried 171 chests of tea.", "171", BEARS_MIN - 0.1)
    sources = Sources(INQUIRY, far)
    assert sources.conflicts(DEATHS) == []
    assert sources.asked == []


def test_each_other_document_is_asked_once_and_few_of_them():
    more = [
        (f"Report {at} puts the death toll of the Maren at 17{at}.", f"17{at}", 5.0 + at) for at in range(4)
    ]
    sources = Sources(INQUIRY, *more)
    assert len(sources.conflicts(DEATHS)) == DOCUMENTS_MAX
    assert sources.asked == [more[3][0], more[2][0]]  # those that bear on it best


def test_nothing_is_asked_about_a_name():
    sources = Sources(("Ada Brill commanded the Maren.", "Ada Brill", 8.0), ("No: Ines Carrow.", "Ines", 8.0))
    assert sources.conflicts("Who commanded the Maren?") == []
    assert sources.asked == []


def test_figures_of_other_years_are_no_conflict_but_dates_may_be():
    staff = (("In 2022 Orbis employed 1,204 people.", "1,204", 8.0), ("1,310 people in 2023.", "1,310", 8.0))
    assert Sources(*staff).conflicts("How many people does Orbis employ?") == []
    texts = (("Orbis had 1,204 people.", "1,204", 8.0), ("Orbis had 1,310 people.", "1,310", 8.0))
    assert Sources(*texts, titles=("Report 2022", "Report 2023")).conflicts("How many people?") == []
    studies = (
        ("A 1988 review put it at 153, the usual figure.", "153", 8.0),
        ("A survey (Q1 2025) counted 171.", "171", 8.0),
    )
    assert Sources(*studies).conflicts("How many?") == [(ConflictKind.FIGURE, "153", "171")]
    trials = (
        ("It helped in a 12-month trial of 2024.", "yes", 8.0),
        ("In 2025 no effect was seen.", "no", 8.0),
    )
    assert Sources(*trials).conflicts("Does it help?") == [(ConflictKind.SIGN, "yes", "no")]
    opened = (("The pier opened in 1931.", "1931", 8.0), ("It was opened in 1935.", "1935", 8.0))
    assert Sources(*opened).conflicts("When did the pier open?") == [(ConflictKind.FIGURE, "1931", "1935")]


@pytest.mark.parametrize(
    ("answer", "text", "asked"),
    [
        ("153", "The senate put it at 171.", True),
        ("153", "The senate put it at 171, the inquiry at 153.", False),
        ("153", "It sank in 1921.", False),
        ("12.5%", "A share of 14% was paid.", True),
        ("12.5%", "They paid 14 kg of tea.", False),
        ("about 1,500", "1,517 people died.", False),
        ("1931", "It opened in 1935.", True),
        ("1931", "It opened on 3 May 1931.", False),
        ("3 May 1931", "It opened on 5 May 1931.", True),
        ("1931", "Ada Brill opened it.", False),
        ("yes", "Release 2.0 removed it.", True),
        ("1.2亿元", "收入为1.5亿元。", True),
        ("1.2亿元", "收入为12000万元。", False),
    ],
)
def test_only_a_text_that_could_say_otherwise_is_asked(answer: str, text: str, asked: bool):
    assert may_differ(answer, text) is asked


def test_a_document_that_does_not_say_it_contradicts_nothing():
    silent = ("The Maren sank off Kelling with 90 chests of tea.", "", 8.0)
    sources = Sources(INQUIRY, silent)
    assert sources.conflicts(DEATHS) == []
    assert sources.asked == [silent[0]]
