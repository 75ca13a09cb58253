"""The structs of nln.h and nln_lab.h, member by member.

tests/python/test_layout.py compiles a C program that compares every size and offset with these.
"""

from __future__ import annotations

from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_int, c_int32, c_long,
                    c_size_t, c_uint64, c_void_p)

MOST_CUTS = 8


class Error(Structure):
    _fields_ = [("status", c_int), ("line", c_long), ("column", c_long), ("file", c_char * 256),
                ("message", c_char * 512)]


class Option(Structure):
    _fields_ = [("name", c_char_p), ("type", c_int), ("initial", c_char_p), ("least", c_double),
                ("most", c_double), ("choices", c_char_p), ("help", c_char_p)]


class RatingsReport(Structure):
    _fields_ = [("lines", c_size_t), ("bad", c_size_t), ("out_of_range", c_size_t),
                ("duplicates", c_size_t), ("without_time", c_size_t), ("first", Error),
                ("format", c_char_p), ("has_rating", c_int), ("has_time", c_int),
                ("mixed_times", c_size_t), ("like_from", c_double), ("least", c_double),
                ("most", c_double), ("unused", c_char * 256), ("looks_like_rating", c_char * 48),
                ("looks_like_time", c_char * 48)]


class Ranking(Structure):
    _fields_ = [("n", c_size_t), ("n_users", c_size_t), ("n_cuts", c_int),
                ("cut", c_int * MOST_CUTS), ("hit", c_double * MOST_CUTS),
                ("ndcg", c_double * MOST_CUTS), ("recall", c_double * MOST_CUTS),
                ("mrr", c_double), ("mean_rank", c_double)]


class FoundRule(Structure):
    _fields_ = [("text", c_char * 512), ("support", c_size_t), ("bodies", c_size_t),
                ("confidence", c_double), ("coverage", c_double), ("head", c_int32),
                ("body", c_int32 * 2), ("constant", c_int32 * 2), ("answer", c_int32)]


class RatingRule(Structure):
    _fields_ = [("liked", c_size_t), ("disliked", c_size_t), ("likes", c_size_t),
                ("support", c_size_t), ("bodies", c_size_t), ("confidence", c_double),
                ("lift", c_double)]


class QueryRow(Structure):
    _fields_ = [("index", c_size_t), ("p", c_double), ("spread", c_double), ("value", c_double)]


class ListReport(Structure):
    _fields_ = [("k", c_size_t), ("n_lists", c_size_t), ("coverage", c_double),
                ("novelty", c_double), ("diversity", c_double)]


class LinkRanking(Structure):
    _fields_ = [("n", c_size_t), ("mrr", c_double), ("heads", c_double), ("tails", c_double),
                ("hits", c_double * 3), ("mean_rank", c_double), ("unseen", c_size_t)]


class Metrics(Structure):
    _fields_ = [("n", c_size_t), ("accuracy", c_double), ("rmse", c_double),
                ("cross_entropy", c_double), ("auc", c_double), ("sampled", Ranking),
                ("full", Ranking), ("links", LinkRanking)]


class Progress(Structure):
    _fields_ = [("epoch", c_int), ("n_epochs", c_int), ("done", c_size_t), ("total", c_size_t),
                ("loss", c_double), ("seconds", c_double), ("best_epoch", c_int),
                ("valid", Metrics), ("best", Metrics), ("curves", c_int), ("train", Metrics),
                ("test", Metrics), ("model", c_void_p)]


ProgressFunction = CFUNCTYPE(c_int, c_void_p, POINTER(Progress))
LogFunction = CFUNCTYPE(None, c_void_p, c_char_p)
RefusedFunction = CFUNCTYPE(None, c_void_p, c_size_t, POINTER(Error))


class Watch(Structure):
    _fields_ = [("context", c_void_p), ("progress", ProgressFunction), ("log", LogFunction),
                ("checkpoint", c_char_p), ("every", c_int), ("resume", c_int)]


class Report(Structure):
    _fields_ = [("epochs", c_int), ("best_epoch", c_int), ("seconds", c_double),
                ("seconds_per_epoch", c_double), ("peak_rss_bytes", c_size_t),
                ("train", Metrics), ("valid", Metrics), ("test", Metrics)]


class TensorInfo(Structure):
    _fields_ = [("name", c_char_p), ("rows", c_size_t), ("columns", c_size_t),
                ("norm", c_double), ("least", c_double), ("most", c_double)]


class Measure(Structure):
    _fields_ = [("name", c_char * 24), ("valid", c_double), ("test", c_double)]


class Record(Structure):
    _fields_ = [("data", c_char * 128), ("fingerprint", c_uint64), ("rows", c_size_t * 3),
                ("newest", c_double), ("epochs", c_int), ("best_epoch", c_int),
                ("measures", Measure * 8), ("n_measures", c_size_t), ("trained", c_double)]


class LawScore(Structure):
    _fields_ = [("name", c_char_p), ("formula", c_char_p), ("far_apart", c_int), ("n", c_size_t),
                ("mean_similarity", c_double), ("mean_cosine", c_double), ("kept", c_double)]


class LawCase(Structure):
    _fields_ = [("operand", c_size_t * 3), ("similarity", c_double)]


class ReliabilityBin(Structure):
    _fields_ = [("n", c_size_t), ("mean", c_double), ("true_share", c_double)]


class LengthScore(Structure):
    _fields_ = [("kind", c_char_p), ("size", c_int), ("right", c_double)]


class Placing(Structure):
    _fields_ = [("user", c_size_t), ("item", c_size_t), ("score", c_double),
                ("sampled", c_double), ("full", c_double)]


class LinkPlacing(Structure):
    _fields_ = [("head", c_size_t), ("relation", c_size_t), ("tail", c_size_t),
                ("head_rank", c_double), ("tail_rank", c_double)]


class GraphNode(Structure):
    _fields_ = [("operation", c_char_p), ("name", c_char_p), ("operands", POINTER(c_size_t)),
                ("n_operands", c_size_t), ("truth", c_double)]


class Graph(Structure):
    _fields_ = [("nodes", POINTER(GraphNode)), ("n_nodes", c_size_t),
                ("operands", POINTER(c_size_t)), ("text", c_char_p)]


class Literal(Structure):
    _fields_ = [("item", c_size_t), ("liked", c_int), ("grade", c_int)]


class Recommendation(Structure):
    _fields_ = [("item", c_size_t), ("score", c_double), ("probability", c_double)]


class Abilities(Structure):
    _fields_ = [("task", c_char_p), ("method", c_char_p), ("recommends", c_int),
                ("knows_users", c_int), ("needs_user", c_int), ("keeps_histories", c_int),
                ("reads_histories", c_int), ("reads_grades", c_int),
                ("reads_expressions", c_int), ("ranks_variables", c_int),
                ("has_vectors", c_int), ("split", c_char_p)]


class Question(Structure):
    _fields_ = [("user", c_char_p), ("history", POINTER(Literal)), ("n_history", c_size_t),
                ("k", c_size_t), ("offset", c_size_t), ("exclude", POINTER(c_size_t)),
                ("n_exclude", c_size_t), ("only", POINTER(c_size_t)), ("n_only", c_size_t),
                ("with_seen", c_int), ("diversity", c_double)]


class Answer(Structure):
    _fields_ = [("items", POINTER(Recommendation)), ("n", c_size_t)]


class Reason(Structure):
    _fields_ = [("literal", Literal), ("contribution", c_double), ("removed", c_double),
                ("negated", c_double)]


class Explanation(Structure):
    _fields_ = [("reasons", POINTER(Reason)), ("n", c_size_t), ("score", c_double),
                ("with_history", c_double), ("without_history", c_double)]


class ItemFact(Structure):
    _fields_ = [("relation", c_char_p), ("head", c_char_p), ("tail", c_char_p)]


class Neighbour(Structure):
    _fields_ = [("item", c_size_t), ("cosine", c_double)]


class Filling(Structure):
    _fields_ = [("entity", c_size_t), ("score", c_double), ("by_rules", c_double),
                ("known", c_int)]


class LinkReason(Structure):
    _fields_ = [("text", c_char * 512), ("kind", c_char_p), ("contribution", c_double),
                ("confidence", c_double), ("support", c_size_t), ("bodies", c_size_t)]


class SatRun(Structure):
    _fields_ = [("answer", c_int), ("conflicts", c_size_t), ("seconds", c_double)]


class SatReport(Structure):
    _fields_ = [("answer", c_int), ("satisfied", c_size_t), ("rounded", c_size_t),
                ("trainings", c_int), ("seconds", c_double), ("plain", SatRun),
                ("phased", SatRun)]


class ExactReport(Structure):
    _fields_ = [("consistent", c_int), ("sat", Metrics), ("sat_recovered", c_double),
                ("sat_seconds", c_double), ("posterior", Metrics),
                ("posterior_recovered", c_double), ("noise", c_double),
                ("posterior_seconds", c_double)]


class Summary(Structure):
    _fields_ = [("n", c_size_t), ("mean", c_double), ("deviation", c_double), ("error", c_double)]


class Paired(Structure):
    _fields_ = [("difference", Summary), ("t", c_double), ("degrees", c_double), ("p", c_double)]


class TsneReport(Structure):
    _fields_ = [("iterations", c_int), ("exact", c_int), ("perplexity", c_double),
                ("kl", c_double), ("trustworthiness", c_double), ("seconds", c_double)]


# The structs by their C names.
by_name: dict[str, type[Structure]] = {
    "nln_error": Error,
    "nln_option": Option,
    "nln_ratings_report": RatingsReport,
    "nln_ranking": Ranking,
    "nln_item_fact": ItemFact,
    "nln_neighbour": Neighbour,
    "nln_filling": Filling,
    "nln_sat_run": SatRun,
    "nln_sat_report": SatReport,
    "nln_link_reason": LinkReason,
    "nln_link_ranking": LinkRanking,
    "nln_found_rule": FoundRule,
    "nln_query_row": QueryRow,
    "nln_rating_rule": RatingRule,
    "nln_list_report": ListReport,
    "nln_metrics": Metrics,
    "nln_progress": Progress,
    "nln_watch": Watch,
    "nln_report": Report,
    "nln_tensor_info": TensorInfo,
    "nln_measure": Measure,
    "nln_record": Record,
    "nln_law_score": LawScore,
    "nln_length_score": LengthScore,
    "nln_placing": Placing,
    "nln_link_placing": LinkPlacing,
    "nln_literal": Literal,
    "nln_recommendation": Recommendation,
    "nln_abilities": Abilities,
    "nln_question": Question,
    "nln_answer": Answer,
    "nln_reason": Reason,
    "nln_explanation": Explanation,
    "nln_exact_report": ExactReport,
    "nln_summary": Summary,
    "nln_paired": Paired,
    "nln_tsne_report": TsneReport,
}
