"""The ingest use-case: files into the store, passages into the indexes. Beside wiring, above the rooms."""

from appliance.ingest.folders import Folder, FolderReport, FolderSettings
from appliance.ingest.index_home import IndexHome
from appliance.ingest.indexes import Indexes, KeptDense, KeptLexical
from appliance.ingest.indexing import Indexer
from appliance.ingest.ingestor import Ingestor
from appliance.ingest.progress import IngestProgress
from appliance.ingest.readers import Readers, ReadRecord, document_readers
from appliance.ingest.repositories import Repositories
from appliance.ingest.upkeep import Upkeep

__all__ = [
    "Folder",
    "FolderReport",
    "FolderSettings",
    "IndexHome",
    "Indexer",
    "Indexes",
    "IngestProgress",
    "Ingestor",
    "KeptDense",
    "KeptLexical",
    "ReadRecord",
    "Readers",
    "Repositories",
    "Upkeep",
    "document_readers",
]
