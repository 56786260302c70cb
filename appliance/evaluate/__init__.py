"""Evaluations of search and of answers over a customer's own questions, for the CLI and the API."""

from appliance.evaluate.answers import AnswerResult, AnswersReport, evaluate_answers, summarise
from appliance.evaluate.queries import Query, load_qrels, load_queries
from appliance.evaluate.retrieval import RetrievalReport, evaluate_retrieval

__all__ = [
    "AnswerResult",
    "AnswersReport",
    "Query",
    "RetrievalReport",
    "evaluate_answers",
    "evaluate_retrieval",
    "load_qrels",
    "load_queries",
    "summarise",
]
