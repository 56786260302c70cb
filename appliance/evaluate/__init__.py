"""Evaluations of search and of answers over a customer's own questions, for the CLI and the API."""

from appliance.evaluate.answers import AnswerResult, AnswersReport, evaluate_answers, summarise
from appliance.evaluate.asking import asking, spread_over
from appliance.evaluate.queries import Query, load_qrels, load_queries
from appliance.evaluate.replay import Replay
from appliance.evaluate.retrieval import RetrievalReport, evaluate_retrieval
from appliance.evaluate.searching import Measured, search_with
from appliance.evaluate.steps import Step, StepsReport, evaluate_steps, steps_of

__all__ = [
    "AnswerResult",
    "AnswersReport",
    "Measured",
    "Query",
    "Replay",
    "RetrievalReport",
    "Step",
    "StepsReport",
    "asking",
    "evaluate_answers",
    "evaluate_retrieval",
    "evaluate_steps",
    "load_qrels",
    "load_queries",
    "search_with",
    "spread_over",
    "steps_of",
    "summarise",
]
