import pytest

from appliance.documents.dates import date_in_text, iso_date, published_date


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        ("2024年1月10日", "2024-01-10"),
        ("二〇二四年十二月三十一日", "2024-12-31"),
        ("2024年1月", "2024-01"),
        ("12 March 2023", "2023-03-12"),
        ("March 12th, 2023", "2023-03-12"),
        ("Sept. 2022", "2022-09"),
        ("2024-01-10T08:00:00Z", "2024-01-10"),
        ("D:20230118123000+08'00'", "2023-01-18"),
        ("20240110", "2024-01-10"),
        ("2023", "2023"),
        ("31 February 2024", None),
        ("01/02/2024", None),
        ("version 1.2023.4", None),
        ("tomorrow", None),
    ],
)
def test_iso_date(written: str, iso: str | None) -> None:
    assert iso_date(written) == iso


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("标题\n发布时间：2024-01-10 08:00 发布人：中心", "2024-01-10"),
        ("Effective date: September 1, 2022\nPublished: 12 March 2023", "2023-03-12"),
        ("Effective date: September 1, 2022", "2022-09-01"),
        ("截至2022年12月31日，于2023年4月18日经董事会批准后发布。", "2023-04-18"),
        ("Approved by the Board and published on 12 March 2024.", "2024-03-12"),
        ("News\n\nMarch 3, 2021\n\nText", "2021-03-03"),
        ("The war ended on 2 September 1945.", None),
    ],
)
def test_date_in_text(text: str, iso: str | None) -> None:
    assert date_in_text(text) == iso


def test_running_words_do_not_date_a_record() -> None:
    text = "The album was released on 30 November 1982."
    assert date_in_text(text, labels_only=True) is None
    assert date_in_text("发布时间：2024-01-10\n" + text, labels_only=True) == "2024-01-10"


def test_what_the_author_says_comes_before_text_and_text_before_the_file() -> None:
    head, filed = "Published: 2023-05-01", [("D:20240101", "metadata")]
    assert published_date([("2022-01-02", "front matter")], head, filed) == ("2022-01-02", "front matter")
    assert published_date([], head, filed) == ("2023-05-01", "text")
    assert published_date([], "no date", filed) == ("2024-01-01", "metadata")
    assert published_date([], "no date", [("2000-01-01", "metadata")]) == (None, "")
