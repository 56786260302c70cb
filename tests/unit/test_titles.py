from pathlib import Path

import pytest
from store_fakes import new_document, parsed

from appliance.documents.labels import dates_of, label_of
from appliance.domain import MetadataChange, Principal, scope_of
from appliance.errors import DamagedError
from appliance.store.analysis import analyse, index_terms
from appliance.store.bm25 import Bm25Index
from appliance.store.collections import Collections
from appliance.store.documents import Documents
from appliance.store.sqlite import Database
from appliance.store.title_keys import mentioned_keys, title_key
from appliance.store.titles import Titles


@pytest.mark.parametrize(
    ("title", "key"),
    [
        ("Kestrel (software)", "kestrel"),
        ("The Café  Royal!", "the cafe royal"),
        ("《研究經費管理辦法》", "研究经费管理办法"),
        ("E3 电极", "e3电极"),
        ("2022", ""),
        ("A", ""),
    ],
)
def test_a_title_becomes_the_key_that_a_text_would_name_it_by(title: str, key: str) -> None:
    assert title_key(title) == key


def test_names_in_a_text_are_candidates_longest_first() -> None:
    keys = mentioned_keys("It was led by Dr Ines Carrow in new york.")
    assert "dr ines carrow" in keys
    assert keys.index("dr ines carrow") < keys.index("dr ines")
    assert not any(key.startswith("york") for key in keys)
    assert "研究经费管理办法" in mentioned_keys("根据《研究經費管理辦法》的规定")


def test_documents_are_found_by_the_titles_that_a_text_names(tmp_path: Path) -> None:
    database = Database(tmp_path / "assay.db")
    Collections(database).ensure("c", "e5")
    documents = Documents(database)
    for record, title in (("a", "New York"), ("b", "York"), ("c", "心电监护仪"), ("d", "Kestrel")):
        documents.add(new_document("some text", record=record, parsed=parsed(title)))
    titles = Titles(database)
    scope = scope_of(Principal(), collection="c")
    by_record = {found.record_id: found.id for found in documents.list(scope)}
    named = titles.named_in(["Kestrel was written in New York", "这台心电监护仪的制造商", "nothing"], scope)
    assert named == [(by_record["d"], by_record["a"]), (by_record["c"],), ()]
    assert titles.named_in(["Kestrel"], scope_of(Principal(), collection="other")) == [()]
    documents.describe(by_record["d"], MetadataChange(groups=("legal",)), scope)
    assert titles.named_in(["Kestrel"], scope) == [()]
    database.close()


def test_a_records_metadata_name_its_publisher_and_its_day() -> None:
    meta = {"source": "The Verge", "author": "null", "published_at": "2023-12-12T19:17"}
    assert label_of(meta, "Tim Sweeney on Epic") == "The Verge"
    assert label_of({"company": "American Express", "period": "2022"}, "Report 2022") == "American Express"
    assert label_of({"source": "https://x.org"}, "t") == ""
    assert dates_of(meta) == [("2023-12-12T19:17", "metadata")]


def test_han_characters_are_counted_in_words_and_in_pairs() -> None:
    assert analyse("血糖监测") == analyse("血糖監測")
    assert set(index_terms("血糖监测")) >= {"血糖", "糖监", "监测"}
    assert index_terms("blood glucose") == analyse("blood glucose")


def test_a_lexical_index_of_other_terms_is_built_again(tmp_path: Path) -> None:
    Bm25Index.build(tmp_path / "i", []).close()
    pointer = tmp_path / "i" / "CURRENT"
    assert b'"terms":2' in pointer.read_bytes()
    pointer.write_bytes(pointer.read_bytes().replace(b',"terms":2', b""))
    with pytest.raises(DamagedError, match="another version"):
        Bm25Index(tmp_path / "i")
