"""What a model proposes to search with: what is kept, what is stripped, when it is asked."""

import msgspec
import pytest

from appliance.config import Domains, Retrieval
from appliance.domain import Completion, Reading, RewriteKind, Usage
from appliance.errors import AssayError, BusyError, ModelOutputError
from appliance.prompts import Prompts
from appliance.questions import QuestionReader
from appliance.retrieval.parts import SearchParts
from appliance.retrieval.rewrite import rewrites_of
from appliance.serving.scripted import Reply, ScriptedModel
from appliance.understanding.expand import EXPAND_TOKENS, Expander, Proposal
from appliance.understanding.presumed import presumed

READER = QuestionReader(Domains())
PROMPTS = Prompts()


class Cache(dict[str, bytes]):
    def expander(self, *replies: Reply, name: str = "scripted") -> tuple[Expander, ScriptedModel]:
        model = ScriptedModel(replies, name=name)
        instructions = lambda language: PROMPTS.text("expand", language)  # noqa: E731
        return Expander(model, instructions=instructions, get=self.get, put=self.__setitem__), model


def said(*phrases: str) -> Proposal:
    return Proposal(phrases=list(phrases))


EN = "How long may a customer return a broken pump?"
ZH = "顾客多久之内可以退回坏了的水泵？"


@pytest.mark.parametrize(
    ("question", "hostile", "kept"),
    [
        (EN, ["14 days", "return period", "Orbis Ltd", "in march", "fourteen days", "defective product"], 2),
        (EN, ["within two weeks", "2023-04-01", "john in Berlin", "berlin office", "warranty claim"], 1),
        (EN, ["no refund", "not accepted", "broken pump", "yes", "refund policy", "{1}; drop table"], 1),
        (EN, ["one two three four five six seven", "a policy that lets people send goods back", "refund"], 1),
        (ZH, ["十四天", "退货期限", "14天内", "王小明", "北京市", "海川公司"], 1),
        (ZH, ["三个月", "去年三月", "《消费者权益保护法》", "星期五", "质量问题", "第十二条"], 1),
        (ZH, ["不可退货", "没有期限", "水泵", "无法退回", "保修条款", "总经理李伟"], 1),
        (ZH, ["Apple公司", "百分之五", "两周", "关于退货条件和流程的一般性说明文件", "退款政策", "半年"], 1),
    ],
)
def test_a_presumed_answer_is_stripped(question: str, hostile: list[str], kept: int):
    expander, _ = Cache().expander(said(*hostile))
    left = expander.expand(READER.read(question))
    assert len(left) == kept, left
    good = {"return period", "defective product", "warranty claim", "refund policy", "refund"}
    assert set(left) <= good | {"退货期限", "质量问题", "保修条款", "退款政策"}


@pytest.mark.parametrize(
    ("question", "phrase"),
    [
        ("What did Orbis earn in 2021?", "annual profit of Orbis in 2021"),
        ("海川公司2021年赚了多少钱？", "海川公司2021年净利"),
        ("What changed in iOS 17?", "iOS 17 changes"),
    ],
)
def test_what_the_question_names_may_come_again(question: str, phrase: str):
    assert presumed(phrase, READER.read(question)) == ""


@pytest.mark.parametrize(
    ("question", "phrase", "why"),
    [
        ("What did Orbis earn in 2021?", "Orbis profit 2022", "a figure"),
        ("What changed in iOS 17?", "iOS 17.1 changes", "a figure"),
        ("Who leads project Alder?", "Maria Lind", "a name"),
        ("谁领导青松项目？", "负责人王小明", "a name"),
        ("What did Orbis earn in 2021?", "orbis earn", "the question's own words"),
        ("What was the revenue?", "net sales", "known already"),
    ],
)
def test_it_says_why(question: str, phrase: str, why: str):
    assert presumed(phrase, READER.read(question)) == why


def test_one_question_is_asked_once_and_judged_at_every_use():
    cache = Cache()
    expander, model = cache.expander(said("return period", "14 days"), said("refund"), said("退货期限"))
    first = expander.expand(READER.read(EN))
    assert first == expander.expand(READER.read(f"  {EN} ")) == ("return period",)
    assert len(model.prompts) == 1
    assert expander.expand(READER.read(EN[:-1])) == ("refund",)
    assert expander.expand(READER.read(ZH)) == ("退货期限",)
    assert [prompt.system for prompt in model.prompts] == [
        PROMPTS.text("expand", language) for language in ("en", "en", "zh")
    ]


def test_another_model_is_asked_again_and_a_damaged_entry_is_a_miss():
    cache = Cache()
    cache.expander(said("return period"))[0].expand(READER.read(EN))
    other, asked = cache.expander(said("refund"), said("send back"), name="other")
    assert other.expand(READER.read(EN)) == ("refund",)
    for key in cache:
        cache[key] = b"\xff{"
    assert other.expand(READER.read(EN)) == ("send back",)
    assert len(asked.prompts) == 2


def test_a_reply_cut_off_gives_its_whole_phrases():
    cut = Completion(text='{"phrases":["refund","return per', usage=Usage(calls=1), finish_reason="length")
    expander, _ = Cache().expander(cut)
    assert expander.expand(READER.read(EN)) == ("refund",)
    nothing = Completion(text='{"phr', usage=Usage(calls=1), finish_reason="length")
    expander, _ = Cache().expander(nothing)
    with pytest.raises(ModelOutputError):
        expander.expand(READER.read(EN))


@pytest.mark.parametrize("question", ["¿Cuánto?", "12345", "why " * 200])
def test_the_model_is_not_asked_in_vain(question: str):
    reading = msgspec.structs.replace(READER.read(question), language="und") if "¿" in question else None
    expander, model = Cache().expander()
    assert expander.expand(reading or READER.read(question)) == ()
    assert model.prompts == []


def parts(expand: object) -> SearchParts:
    unused: dict[str, object] = dict.fromkeys(
        ("dense", "lexical", "reader", "passage_filter", "titles", "embedder", "read", "terms", "fold")
    )
    return SearchParts(**unused, rerankers=[], settings=Retrieval(), expand=expand)  # type: ignore[arg-type]


@pytest.mark.parametrize("error", [BusyError("scripted is busy"), ModelOutputError("no JSON")])
def test_a_failing_model_is_told_and_the_search_goes_on(error: AssayError):
    expander, _ = Cache().expander(error)
    synonyms, missing = parts(expander.expand).synonyms(READER.read(EN))
    assert (tuple(synonyms), missing) == ((), (f"no synonyms by the model: {error.message}",))


def test_without_a_model_nothing_is_missing():
    assert parts(None).synonyms(READER.read(EN)) == ((), ())


def test_the_phrases_stand_behind_the_question():
    reading: Reading = READER.read(EN)
    rewrites = rewrites_of(reading, ("return period",))
    (expanded,) = [each.text for each in rewrites if each.kind is RewriteKind.EXPANDED]
    assert expanded.startswith(EN)
    assert expanded.endswith("return period")


def test_the_reply_is_short():
    assert EXPAND_TOKENS <= 60
