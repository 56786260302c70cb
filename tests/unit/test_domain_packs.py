"""Packs: the shipped ones are sound, a user's are merged, a broken one is named with what is wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from appliance.cli.application import run
from appliance.config import Domains
from appliance.domain import DomainPack, Routing, Term
from appliance.errors import ConfigError
from appliance.store.folding import fold
from appliance.understanding.domains import SHIPPED, load_packs, read_packs
from appliance.understanding.pack_check import check_pack, counts_of

HEAD = 'name = "hr"\ntitle = "People"\ntitle_zh = "人事"\n'
MINIMA = {"finance": (120, 70), "medical": (120, 0), "legal": (100, 0), "research": (90, 0)}


@pytest.fixture(scope="module")
def shipped() -> dict[str, DomainPack]:
    return {pack.name: pack for pack in load_packs(Domains())}


@pytest.mark.parametrize("name", MINIMA)
def test_a_shipped_pack_is_sound_and_large_enough(shipped: dict[str, DomainPack], name: str) -> None:
    pack, (terms, metrics) = shipped[name], MINIMA[name]
    assert check_pack(pack, fold=fold) == ()
    assert counts_of(pack).terms >= terms
    assert counts_of(pack).metrics >= metrics
    lists = (pack.sources, pack.routing, pack.rules, pack.rules_zh, pack.removal, pack.change_titles)
    assert all(len(each) >= 5 for each in lists)


def test_statements_and_ratios_are_there(shipped: dict[str, DomainPack]) -> None:
    terms = {term.name: term for term in shipped["finance"].terms}
    assert "purchases of property, plant and equipment" in terms["capital expenditure"].forms
    assert "statement of financial position" in terms["balance sheet"].forms
    assert terms["working capital ratio"].parts == ("current assets", "current liabilities")
    assert terms["operating cash flow"].zh == "经营活动产生的现金流量净额"


def test_a_user_file_adds_to_a_shipped_pack(tmp_path: Path, shipped: dict[str, DomainPack]) -> None:
    (tmp_path / "ours.toml").write_text(
        'extends = "finance"\n'
        'sources = [{ title = ["board paper"], factor = 2.0 }]\n'
        '[[terms]]\nname = "EBITDA"\nforms = ["house EBITDA"]\nweight = 2.0\n'
        '[[terms]]\nname = "net new seats"\nzh = "净新增席位"\n',
        "utf-8",
    )
    packs = {pack.name: pack for pack in load_packs(Domains(folder=str(tmp_path)))}
    terms = {term.name: term for term in packs["finance"].terms}
    before = {term.name: term for term in shipped["finance"].terms}["EBITDA"]
    assert terms["EBITDA"].forms == (*before.forms, "house EBITDA")
    assert (terms["EBITDA"].weight, terms["EBITDA"].zh, terms["EBITDA"].parts) == (
        2.0,
        before.zh,
        before.parts,
    )
    assert terms["net new seats"].zh == "净新增席位"
    assert packs["finance"].sources[0].title == ("board paper",)
    assert len(terms) == len(shipped["finance"].terms) + 1


def test_a_user_pack_stands_beside_the_shipped(tmp_path: Path) -> None:
    (tmp_path / "hr.toml").write_text(HEAD + '[[terms]]\nname = "onboarding"\nzh = "入职"\n', "utf-8")
    settings = Domains(folder=str(tmp_path), enabled=("hr", "legal"))
    assert [pack.name for pack in load_packs(settings)] == ["hr", "legal"]
    with pytest.raises(ConfigError, match=r"domains\.enabled: no pack 'sales'"):
        load_packs(Domains(folder=str(tmp_path), enabled=("sales",)))
    with pytest.raises(ConfigError, match=r"domains\.folder: no folder"):
        load_packs(Domains(folder=str(tmp_path / "absent")))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name = [", r"hr\.toml: .*"),
        ('title = "People"\n', r"hr\.toml: field name: missing"),
        (HEAD + 'colour = "red"\n', r"hr\.toml: unknown field colour"),
        (HEAD + '[[terms]]\nname = "onboarding"\n', r"hr\.toml: terms 1 \(onboarding\): field zh: .*missing"),
        (
            HEAD + '[[terms]]\nname = "onboarding"\nzh = ""\n',
            r"terms 1 \(onboarding\): field zh: .*length >= 1",
        ),
        (
            HEAD + '[[terms]]\nname = "a b"\nzh = "入职"\n[[terms]]\nname = "c d"\nzh = "离职"\nweight = 9\n',
            r"terms 2 \(c d\): field weight: .*<= 5",
        ),
        (
            HEAD + '[[terms]]\nname = "onboarding"\nzh = "入职"\nsection_types = ["tables"]\n',
            r"field section_types: Invalid enum value 'tables'",
        ),
        (HEAD + '[[terms]]\nname = "onboarding"\nzh = "入职"\nsynonyms = []\n', r"field synonyms"),
        (HEAD + 'terms = "many"\n', r"field terms: must be a list"),
        (HEAD + 'terms = ["many"]\n', r"terms 1: must be a table"),
        (HEAD + 'sources = [{ title = ["memo"], factor = "high" }]\n', r"sources 1.*: field factor: "),
        (HEAD.replace('"hr"', '"H R"'), r"hr\.toml: field name: .*matching regex"),
        (HEAD.replace('"hr"', '"legal"'), r"is the pack of .*legal\.toml.*extends"),
        ('extends = "payroll"\n', r"extends 'payroll': no such pack"),
        ('extends = "legal"\nname = "hr"\n', r"field extends: .*no other name"),
    ],
)
def test_a_broken_pack_is_named_with_its_fault(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "hr.toml").write_text(text, "utf-8")
    packs, faults = read_packs([*sorted(SHIPPED.glob("*.toml")), tmp_path / "hr.toml"])
    assert len(packs) == len(MINIMA)
    assert len(faults) == 1
    with pytest.raises(ConfigError, match=str(tmp_path / "hr.toml")):
        load_packs(Domains(folder=str(tmp_path)))
    assert "\n" not in faults[0].message.strip()
    assert re.search(said, str(faults[0])), faults[0]


def _pack(*terms: Term, **fields: object) -> DomainPack:
    return DomainPack(name="hr", title="People", title_zh="人事", terms=terms, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pack", "field", "said"),
    [
        (
            _pack(Term(name="leave", zh="休假"), Term(name="day off", zh="请假", forms=("Leaves",))),
            "forms",
            "'leave'",
        ),
        (_pack(Term(name="leave", zh="休假"), Term(name="leave", zh="请假")), "name", "2 terms"),
        (_pack(Term(name="leave", zh="休假", parts=("days",))), "parts", "'days' is no term"),
        (_pack(Term(name="leave", zh="休假", colloquial=("leaves",))), "colloquial", "not colloquial"),
        (_pack(Term(name="leave", zh="vacation")), "zh", "no Chinese"),
        (_pack(Term(name="leave", zh="休假", metric=True)), "unit", "needs a unit"),
        (_pack(Term(name="leave", zh="休假", unit="days")), "metric", "is no metric"),
        (_pack(Term(name="leave", zh="假")), "forms", "too short"),
        (
            _pack(Term(name="leave", zh="休假"), routing=(Routing(kind="numbers"),)),
            "routing.kind",
            "no such kind",
        ),
        (_pack(), "terms", "none"),
        (_pack(Term(name="leave", zh="休假"), rules=("Cite.",)), "rules_zh", "empty"),
    ],
)
def test_check_finds_what_loads_but_is_wrong(pack: DomainPack, field: str, said: str) -> None:
    faults = check_pack(pack, fold=fold)
    assert [(fault.field, said in fault.message) for fault in faults] == [(field, True)]


def test_the_command_reports_faults_with_exit_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = ["--data", str(tmp_path / "data")]
    assert run([*data, "domains", "check", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["faults"] == []
    own = tmp_path / "hr.toml"
    own.write_text(HEAD + '[[terms]]\nname = "leave"\nzh = "休假"\nparts = ["days"]\n', "utf-8")
    assert run([*data, "domains", "check", str(own), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert [(fault["pack"], fault["entry"], fault["field"]) for fault in said["faults"]] == [
        ("hr", "leave", "parts")
    ]
    own.write_text("name = [", "utf-8")
    assert run([*data, "domains", "check", str(own)]) == 1
    assert str(own) in capsys.readouterr().out


def test_packs_are_listed_and_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = ["--data", str(tmp_path / "data")]
    assert run([*data, "domains", "list", "--json"]) == 0
    assert {each["name"] for each in json.loads(capsys.readouterr().out)} == set(MINIMA)
    assert run([*data, "domains", "show", "finance", "--term", "DSO", "--json"]) == 0
    names = [term["name"] for term in json.loads(capsys.readouterr().out)["terms"]]
    assert names == ["days sales outstanding"]
    assert run([*data, "domains", "show", "cooking"]) == 2
    assert "finance" in capsys.readouterr().err
