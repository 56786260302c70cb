"""Files in: detect, parse in a sandbox, structure, cut into passages."""

from appliance.documents.detect import FORMATS, SUFFIXES, Format
from appliance.documents.jsonl import JsonlRecord, RefusedRecord, iter_jsonl_records, parse_record
from appliance.documents.language import detect_language
from appliance.documents.members import Left
from appliance.documents.passages import cut_passages
from appliance.documents.sandbox import Reading, parse_file, read_file, sandbox_mode
from appliance.documents.sentences import split_sentences
from appliance.documents.unpacking import unpack_file


def is_jsonl(name: str) -> bool:
    """Whether a file of this name holds records, to be read with :func:`iter_jsonl_records`."""
    dot = name.rfind(".")
    return dot >= 0 and SUFFIXES.get(name[dot:].lower()) is Format.JSONL


__all__ = [
    "FORMATS",
    "JsonlRecord",
    "Left",
    "Reading",
    "RefusedRecord",
    "cut_passages",
    "detect_language",
    "is_jsonl",
    "iter_jsonl_records",
    "parse_file",
    "parse_record",
    "read_file",
    "sandbox_mode",
    "split_sentences",
    "unpack_file",
]
