"""Results that need not be made again: searches, readings, what sub-questions came to, whole answers (G1).

Above the rooms, below the use-cases. Arrives: what a result depends on, all of it. Leaves: the result as it
was, or nothing. Nothing stale and nothing forbidden is answered: the key holds the collection's epoch, which
every change of a document, a permission or an index renews, and what an entry names is read again with the
asker's permissions before it is handed out.
"""

from appliance.caching.answers import AnswerCache, KeptAnswer
from appliance.caching.conclusions import ConclusionCache, Conclusions
from appliance.caching.keys import Keys, code_mark
from appliance.caching.readings import CachedQuestionReader
from appliance.caching.report import CacheReport, report_of
from appliance.caching.searching import CachedSearcher, SearchCache

__all__ = [
    "AnswerCache",
    "CacheReport",
    "CachedQuestionReader",
    "CachedSearcher",
    "ConclusionCache",
    "Conclusions",
    "KeptAnswer",
    "Keys",
    "SearchCache",
    "code_mark",
    "report_of",
]
