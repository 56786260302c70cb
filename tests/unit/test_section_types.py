from __future__ import annotations

import pytest

from appliance.documents.outline import Outline
from appliance.documents.section_types import section_type
from appliance.domain import SectionType


def kind(*trail: str, position: float = 0.5, sample: str = "") -> str:
    return section_type(trail, position, sample).value


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("Item 1A. Risk Factors", "risk"),
        ("第四节 风险因素", "risk"),
        ("2.2 汇率风险", "risk"),
        ("Condensed Consolidated Balance Sheets (Unaudited)", "financial-statement"),
        ("Notes to Consolidated Financial Statements", "financial-statement"),
        ("合并资产负债表", "financial-statement"),
        ("二、利润表", "financial-statement"),
        ("6. Technical Specifications", "specification"),
        ("三、技术参数", "specification"),
        ("规格", "specification"),
        ("Abstract", "abstract"),
        ("【摘要】", "abstract"),
        ("7 References", "reference"),
        ("参考文献", "reference"),
        ("Revision History", "change-log"),
        ("修订记录", "change-log"),
        ("What’s new", "change-log"),
        ("4.1 Installation procedure", "procedure"),
        ("How to replace the sensor", "procedure"),
        ("五、安装步骤", "procedure"),
        ("1. Definitions and interpretation", "definition"),
        ("第二条 定义", "definition"),
        ("3 术语和定义", "definition"),
        ("Appendix B: Test reports", "appendix"),
        ("附录A 检验方法", "appendix"),
        ("Contact us", "contact"),
        ("８．联系方式", "contact"),
        ("第十二条 审批", "policy-clause"),
        ("Section 3.2 Retention of records", "policy-clause"),
        ("§ 4 Carry-over", "policy-clause"),
    ],
)
def test_a_heading_says_what_the_section_is_for(heading: str, expected: str) -> None:
    assert kind(heading) == expected


@pytest.mark.parametrize(
    "heading",
    [
        "Introduction",
        "2.1 Results",
        "三、测试结果",
        "Our people",
        "Asterisk of the north",
        "SECTION 302 OF THE ACT",
        "一种电极的制备方法",
        "Data",
        "公司概况",
    ],
)
def test_other_headings_say_nothing(heading: str) -> None:
    assert kind("A report of the year", heading) == "body"


def test_sections_inherit_from_the_nearest_heading_that_says_something() -> None:
    assert kind("Annual report", "2. Risk factors", "2.1 Concentration of supply") == "risk"
    assert kind("年度报告", "第四章 财务报表", "附注三") == "financial-statement"
    assert kind("Manual", "Specifications", "Appendix A") == "appendix"
    assert kind("Change log: sensor and app", "Version 2.1") == "change-log"
    assert kind("Risk management handbook", "Where we meet") == "body", "a title mentions, it does not type"
    assert kind("Tidemark Pro: Data sheet", "Ordering") == "specification"


def test_numbered_sections_of_a_policy_are_clauses() -> None:
    assert kind("Travel and expenses policy 2023", "3. Hotels") == "policy-clause"
    assert kind("差旅管理办法（2023年修订）", "三、住宿") == "policy-clause"
    assert kind("Hotel guide", "3. Hotels") == "body"
    assert kind("采购管理制度", "回避", sample="评审人员不得参与与本人有利害关系的项目。") == "policy-clause"
    assert kind("Travel policy", "8. Contact") == "contact"


def test_the_place_and_the_text_decide_where_the_heading_does_not() -> None:
    assert kind("News", "Summary", position=0.05) == "abstract"
    assert kind("News", "Summary", position=0.9) == "body"
    steps = "Step 1: open the lid.\nStep 2: take out the sensor."
    assert kind("Sensor", "After ten days", sample=steps) == "procedure"
    cited = "\n".join(f"[{n}] A. Author. A title. 2020." for n in range(1, 6))
    assert kind("Paper", "Sources we used", sample=cited) == "reference"
    assert section_type((), 0.0, steps) is SectionType.BODY


def test_every_section_of_a_document_gets_its_type() -> None:
    outline = Outline()
    outline.heading(1, "Handbook")
    outline.block("Welcome.")
    outline.heading(2, "风险提示")
    outline.heading(3, "供应")
    outline.block("供应商集中。")
    assert [section.type.value for section in outline.sections()] == ["body", "risk", "risk"]
