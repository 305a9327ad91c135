"""A search that can be worked out on paper is measured over two small notes."""

import json
from collections.abc import Callable, Sequence

import pytest

from benchmarks.evaluation import Evaluation, evaluation_of
from core.base.codec import encode
from core.features.evaluation.comparison import side_by_side
from core.features.evaluation.operations import EvaluationView
from core.features.evaluation.scoring import ask, is_lost, summarise, values
from core.model import (
    CALENDAR_BEGINS,
    MAIN,
    METRICS,
    Chunk,
    FoundSpan,
    GoldSpan,
    Hit,
    NoteSummary,
    Passage,
    Pipeline,
    Question,
    QuestionResult,
    Run,
    SearchResult,
)

FRONT = "---\ntitle: A\n---\n"
BODIES = {
    "a.md": "Cats purr when they are content. Dogs bark at strangers. Fish stay silent.",
    "b.md": "Rust has no garbage collector. " * 2 + "Ownership frees memory.",
}
SOURCES = {path: FRONT + body for path, body in BODIES.items()}


def hit(rank: int, path: str, text: str) -> Hit:
    """The slice of a note's body where `text` first stands."""
    start = BODIES[path].index(text)
    end = start + len(text)
    card = NoteSummary(
        id=path,
        base_id="base",
        base="base",
        title=path,
        path=path,
        body_start=len(FRONT),
        tags=(),
        status="active",
        source="",
        updated_at=None,
        chunks=1,
        strategy="",
        warnings=(),
    )
    chunk = Chunk(f"{path}:{start}", path, 0, 1, start, end, text, "full_document")
    return Hit(rank, 1 / rank, chunk, card, {}, Passage(card, start, end, text))


def gold(path: str, quote: str, *, flagged: bool = False) -> GoldSpan:
    start = BODIES[path].index(quote)
    return GoldSpan(path, quote, start, start + len(quote), path, flagged)


ANSWERS: dict[str, Sequence[Hit]] = {
    "first": [hit(1, "a.md", "Cats purr when they are content.")],
    "second": [hit(1, "a.md", "Cats purr"), hit(2, "a.md", "Dogs bark at strangers.")],
    "both": [hit(1, "a.md", "Fish stay silent."), hit(2, "b.md", "Ownership frees memory.")],
    "never": [hit(1, "a.md", "Cats")],
    "nothing": [],
    "negative": [hit(1, "a.md", "Cats")],
}
CATS, DOGS = gold("a.md", "Cats purr when they are content."), gold("a.md", "Dogs bark at strangers.")
FISH, OWNERSHIP = gold("a.md", "Fish stay silent."), gold("b.md", "Ownership frees memory.")
QUESTIONS = [
    Question("1", "first", (CATS,)),
    Question("2", "second", (DOGS,), kind="keyword"),
    Question("3", "both", (OWNERSHIP, FISH), any=False, kind="comparison"),
    Question("4", "never", (DOGS, FISH)),
    Question("5", "nothing", (CATS,)),
    Question("6", "negative", (), kind="negative"),
]


def run(questions: Sequence[Question], hits: Callable[[str], Sequence[Hit]] = ANSWERS.__getitem__) -> Evaluation:
    def search(text: str) -> SearchResult:
        return SearchResult(text, "hybrid", 0.0, tuple(hits(text)))

    return evaluation_of([ask(question, search) for question in questions])


def test_the_figures_are_those_on_paper() -> None:
    result = run(QUESTIONS)
    assert [item.found_rank for item in result.questions] == [1, 2, 2, None, None, None]
    assert {name: result.metrics[name] for name in MAIN} == pytest.approx(
        {"hit@1": 1 / 5, "hit@5": 3 / 5, "hit@10": 3 / 5, "mrr@10": (1 + 1 / 2 + 1 / 2) / 5, "hit@4000chars": 3 / 5}
    )
    # 'both' finds one passage of two by rank 1, 'never' 4 characters of neither: recall (1 + 1 + 1) / 5.
    assert result.metrics["recall@10"] == pytest.approx(3 / 5)
    assert result.metrics["precision@10"] == pytest.approx((1 + 1 + 2) / 10 / 5)
    assert result.metrics["map@10"] == pytest.approx((1 + 1 / 2 + 1) / 5)
    assert result.metrics["p95_ms"] >= result.metrics["p50_ms"] >= 0
    assert (result.scored, result.negatives) == (5, 1)
    assert [item.negative for item in result.questions] == [False] * 5 + [True]


def test_hits_are_told_as_places_in_the_file() -> None:
    result = run(QUESTIONS[1:2]).questions[0]
    assert (result.id, result.question, result.kind) == ("2", "second", "keyword")
    assert result.took_ms >= 0
    for found, answer in zip(result.hits, ANSWERS["second"], strict=True):
        assert SOURCES[found.path][found.file_start : found.file_end] == answer.passage.text
        assert found.score == answer.score


def test_the_result_is_json() -> None:
    result = run(QUESTIONS)
    asked = Run("1", "", "", "", Pipeline(), {}, 1, CALENDAR_BEGINS, None, 6, metrics=result.metrics)
    view = EvaluationView.from_side_by_side(side_by_side([(asked, result.questions)]), 0)
    told = json.loads(json.dumps(encode(view)))
    assert (told["questions"], told["scored"], told["negatives"]) == (6, 5, 1)
    assert set(told["metrics"]) == {*METRICS, "p50_ms", "p95_ms"}
    first = told["per_question"][0]
    assert (first["id"], first["found_rank"]) == ("1", 1)
    assert first["hits"] == [{"path": "a.md", "file_start": 17, "file_end": 49, "score": 1.0}]


def test_the_widened_passage_counts_and_not_its_chunk() -> None:
    narrow = ANSWERS["never"][0]
    wide = Hit(1, 1.0, narrow.chunk, narrow.note, {}, Passage(narrow.note, 0, 60, BODIES["a.md"][:60]))
    assert run(QUESTIONS[3:4], lambda _: [wide]).questions[0].found_rank == 1


def test_an_answer_beyond_the_budget_is_a_hit_but_not_within_it() -> None:
    body = "x" * 3980 + "The answer stands at the very end of it."
    note = ANSWERS["first"][0].note
    quote = "The answer stands at the very end of it."

    def question() -> Question:
        return Question("1", "q", (GoldSpan("a.md", quote, len(body) - len(quote), len(body), "a.md"),))

    def search(_: str) -> list[Hit]:
        end = len(body)
        return [Hit(1, 1.0, ANSWERS["first"][0].chunk, note, {}, Passage(note, 0, end, body))]

    exact = run([question()], search)
    assert (exact.metrics["hit@1"], exact.metrics["hit@4000chars"]) == (1, 1)
    body = "x" + body
    beyond = run([question()], search)
    assert (beyond.metrics["hit@1"], beyond.metrics["hit@4000chars"]) == (1, 0)


def test_a_question_whose_passages_are_gone_is_lost() -> None:
    gone = gold("a.md", "Cats", flagged=True)
    assert is_lost(Question("1", "q", (gone,)))
    assert is_lost(Question("1", "q", (gone, DOGS), any=False))
    assert not is_lost(Question("1", "q", (gone, DOGS)))
    assert not is_lost(Question("1", "q", ()))
    found = run([Question("1", "second", (gone, DOGS))]).questions[0]
    assert (found.golds, found.found_rank) == ((DOGS,), 2)


def test_the_spans_of_a_question_are_measured_within_the_budget() -> None:
    told = values(run(QUESTIONS[1:2]).questions[0])
    dogs, cats = len("Dogs bark at strangers."), len("Cats purr")
    assert told["span_recall"] == 1
    assert told["span_precision"] == told["span_iou"] == pytest.approx(dogs / (dogs + cats))


def test_without_scored_questions_the_figures_are_zero() -> None:
    result = run(QUESTIONS[5:])
    assert {name: result.metrics[name] for name in METRICS} == dict.fromkeys(METRICS, 0.0)
    assert (result.scored, result.negatives) == (0, 1)


def test_a_part_of_the_results_can_be_averaged_apart() -> None:
    def answered(kind: str, rank: int | None) -> QuestionResult:
        hit = FoundSpan("a.md", "a.md", "c", 0, 1, 0, 1.0)
        return QuestionResult("1", "q", kind, True, (CATS,), 1.0, (hit,), rank, 1 if rank == 1 else None)

    results = [answered("short", 1), answered("short", 4), answered("keyword", 7)]
    told = summarise([item for item in results if item.kind == "short"])
    assert {name: told[name] for name in MAIN} == {
        "hit@1": 0.5,
        "hit@5": 1.0,
        "hit@10": 1.0,
        "mrr@10": 0.625,
        "hit@4000chars": 0.5,
    }


def test_a_result_has_every_metric() -> None:
    assert tuple(values(run(QUESTIONS[:1]).questions[0])) == METRICS
