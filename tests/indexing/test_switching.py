"""A base goes over to another embedder while the old one answers."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core import embedding
from core.base.errors import Cancelled, ConfigError, EmbeddingMismatch, ModelError
from core.model import BaseStatus, ChunkingOptions, Filters, Hit, KnowledgeBase, Matrix, Role
from core.workspace import Workspace
from tests.fakes import WordLengths, WordTokens

NOTES = 200


class Words(WordLengths):
    """Another model: words are told apart by their first letter."""

    fingerprint = "first-letters"
    dimension = 32

    def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        if role == "note":
            self.embedded += texts
        return WordLengths.embed(
            self, [" ".join(word[0] * (1 + ord(word[0]) % 13) for word in text.split()) for text in texts], role="query"
        )


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> dict[str, WordLengths]:
    models = {"old": WordLengths(), "new": Words(), "tokens": WordTokens()}
    for name, model in models.items():
        monkeypatch.setitem(embedding.EMBEDDERS._built, name, model)
    monkeypatch.setenv("TESSERA_EMBEDDER", "old")
    monkeypatch.setenv("TESSERA_SEARCH__RERANKER", "none")
    return models


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    for number in range(NOTES):
        (folder / f"{number}.md").write_text(f"note{'x' * (number % 9)} number{number} says {'w' * (number % 7 + 1)}")
    return folder


@pytest.fixture
def workspace(tmp_path: Path, models: dict[str, WordLengths], folder: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(folder))
        yield workspace


def base(workspace: Workspace) -> KnowledgeBase:
    return workspace.bases.get("vault")


def status(workspace: Workspace) -> BaseStatus:
    return workspace.status().bases[0]


def answers(workspace: Workspace, mode: str = "semantic") -> list[str | None]:
    return [hit.note.path for hit in workspace.search("number7", mode=mode).hits]  # type: ignore[arg-type]


def stored(workspace: Workspace) -> dict[str, int]:
    """How many vectors there are of each model."""
    rows = workspace.store.database.connection.execute(
        "SELECT fingerprint, count(vectors.id) FROM embedders JOIN vectors ON embedder = embedders.id GROUP BY 1"
    )
    return dict(rows.fetchall())


def stop_after(steps: int) -> Callable[[float, float, str], None]:
    seen = []

    def progress(done: float, total: float, what: str) -> None:
        seen.append(done)
        if len(seen) > steps:
            raise Cancelled

    return progress


def test_the_old_model_answers_until_the_new_one_has_everything(workspace: Workspace) -> None:
    before, asked = answers(workspace), []

    with ThreadPoolExecutor() as elsewhere:

        def progress(done: float, total: float, what: str) -> None:
            if int(done) % 40 == 0:
                asked.append(elsewhere.submit(lambda: (base(workspace).embedder, answers(workspace))).result())

        workspace.switches.begin("vault", "new")
        switched = workspace.switches.run("vault", progress=progress)
    assert len(asked) >= NOTES / 40
    assert all(said == ("old", before) for said in asked)
    assert (switched.embedder, switched.dimension, switched.fingerprint) == ("new", 32, "first-letters")
    assert status(workspace).switch is None
    assert stored(workspace) == {"first-letters": status(workspace).windows}
    assert len(answers(workspace)) == 10
    assert answers(workspace, "keyword") == ["7.md"]
    assert workspace.store.index.ids(switched) == {
        key for ids, _ in workspace.store.chunks.windows(switched) for key in ids
    }


def test_stopped_it_is_taken_up_where_it_was(workspace: Workspace, models: dict[str, WordLengths]) -> None:
    before = answers(workspace)
    workspace.switches.begin("vault", "new")
    with pytest.raises(Cancelled):
        workspace.switches.run("vault", progress=stop_after(150))
    done = len(models["new"].embedded)
    assert 0 < done < NOTES
    assert (base(workspace).embedder, answers(workspace)) == ("old", before)
    assert status(workspace).switch is not None
    workspace.switches.run("vault")
    assert len(models["new"].embedded) == NOTES
    assert base(workspace).embedder == "new"


def test_a_note_that_changes_meanwhile_is_there_as_it_is_then(workspace: Workspace, folder: Path) -> None:
    changed = []

    def progress(done: float, total: float, what: str) -> None:
        if done >= NOTES / 2 and not changed:
            changed.append(True)
            (folder / "7.md").write_text("completely another thing")
            workspace.imports.apply(workspace.imports.plan_folder(folder))

    workspace.switches.begin("vault", "new")
    workspace.switches.run("vault", progress=progress)
    assert [hit.chunk.text for hit in workspace.search("another", mode="keyword").hits] == ["completely another thing"]
    assert status(workspace).windows == NOTES == sum(stored(workspace).values())


def test_an_import_that_began_with_the_old_model_is_told(workspace: Workspace, folder: Path) -> None:
    for number in range(NOTES):
        (folder / f"{number}.md").write_text(f"changed {number}")
    plan = workspace.imports.plan_folder(folder)

    def progress(done: float, total: float, what: str) -> None:
        if base(workspace).embedder == "old":
            workspace.switches.begin("vault", "new")
            workspace.switches.run("vault")

    with pytest.raises(EmbeddingMismatch, match="was changed in the meantime"):
        workspace.imports.apply(plan, progress=progress)
    workspace.imports.apply(workspace.imports.plan_folder(folder))
    assert stored(workspace) == {"first-letters": NOTES}


def test_abandoned_nothing_of_it_is_left(workspace: Workspace) -> None:
    workspace.switches.begin("vault", "new")
    with pytest.raises(Cancelled):
        workspace.switches.run("vault", progress=stop_after(150))
    workspace.switches.abandon("vault")
    assert stored(workspace) == {"word-lengths": NOTES}
    assert status(workspace).switch is None
    with pytest.raises(ConfigError, match="No model switch is under way"):
        workspace.switches.run("vault")


def test_edits_and_what_waits_are_kept(workspace: Workspace) -> None:
    cards = {card.path: card.id for card in workspace.notes.all()}
    edited = workspace.chunks.update(workspace.chunks.all(cards["3.md"])[0].id, "mine alone")
    workspace.bases.update("vault", embed_at_once=False)
    waiting = workspace.chunks.add(cards["4.md"], "this waits")
    workspace.switches.begin("vault", "new")
    workspace.switches.run("vault")
    assert [(chunk.id, chunk.text, chunk.edited) for chunk in workspace.chunks.all(cards["3.md"])] == [
        (edited, "mine alone", True)
    ]
    states = {chunk.id: chunk.state for chunk in workspace.chunks.all(cards["4.md"])}
    assert states == {workspace.chunks.all(cards["4.md"])[0].id: "embedded", waiting: "pending"}
    assert status(workspace).pending == 1


def test_other_parameters_chosen_meanwhile_hold(workspace: Workspace) -> None:
    rechunked = []

    def progress(done: float, total: float, what: str) -> None:
        if not rechunked:
            rechunked.append(workspace.chunks.rechunk("vault", options=ChunkingOptions(strategy="lines")))

    workspace.switches.begin("vault", "new")
    workspace.switches.run("vault", progress=progress)
    assert base(workspace).chunking.strategy == "lines"
    assert {card.strategy for card in workspace.notes.all()} == {"lines"}


def test_a_model_that_became_another_one_is_begun_anew(workspace: Workspace, models: dict[str, WordLengths]) -> None:
    workspace.switches.begin("vault", "new")
    with pytest.raises(Cancelled):
        workspace.switches.run("vault", progress=stop_after(150))
    models["new"].fingerprint = "first-letters-2"
    assert workspace.switches.run("vault").fingerprint == "first-letters-2"
    assert stored(workspace) == {"first-letters-2": NOTES}


def test_bases_of_different_models_answer_together(workspace: Workspace, folder: Path) -> None:
    workspace.imports.apply(workspace.imports.plan_folder(folder, "other"))
    workspace.switches.begin("other", "new")
    workspace.switches.run("other")
    for mode in ("semantic", "keyword", "hybrid"):
        hits = workspace.search("number7 says", mode=mode).hits  # type: ignore[arg-type]
        assert {hit.note.base for hit in hits} <= {"vault", "other"}
        alone = {hit.chunk.id: hit.scores for name in ("vault", "other") for hit in of_base(workspace, name, mode)}
        for hit in hits:
            if mode != "hybrid" and hit.chunk.id in alone:
                assert hit.scores[next(iter(hit.scores))].score == pytest.approx(
                    alone[hit.chunk.id][next(iter(hit.scores))].score
                )


def of_base(workspace: Workspace, name: str, mode: str) -> Sequence[Hit]:
    return workspace.search("number7 says", mode=mode, filters=Filters(bases=(name,)), limit=NOTES).hits  # type: ignore[arg-type]


def test_the_cost_is_told_before(workspace: Workspace) -> None:
    cost = workspace.switches.cost("vault", "new")
    assert (cost.embedder, cost.windows, cost.to_embed) == ("new", NOTES, NOTES)
    assert cost.seconds > 0
    assert base(workspace).embedder == "old"
    with pytest.raises(ConfigError, match=r"already uses the model 'old'\. .* tessera index --base .* --again"):
        workspace.switches.begin("vault", "old")


def test_a_model_that_fails_leaves_the_base_as_it_was(
    workspace: Workspace, models: dict[str, WordLengths], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = answers(workspace)

    def fail(texts: Sequence[str], *, role: Role) -> Matrix:
        raise ModelError("The model is out of memory.")

    monkeypatch.setattr(models["new"], "embed", fail)
    workspace.switches.begin("vault", "new")
    with pytest.raises(ModelError, match="out of memory"):
        workspace.switches.run("vault")
    assert answers(workspace) == before


def test_token_bits_come_with_a_model_that_tells_of_tokens(workspace: Workspace) -> None:
    assert status(workspace).with_bits == 0
    workspace.switches.begin("vault", "tokens")
    workspace.switches.run("vault")
    assert status(workspace).with_bits == NOTES
    assert status(workspace).bit_bytes > 0
    result = workspace.search("number7", reranker="late-interaction")
    assert (result.reranker, result.notices) == ("late-interaction", ())
    assert workspace.bases.keep_tokens("vault", False) == 0
    assert status(workspace).with_bits == 0
    assert workspace.search("number7", reranker="late-interaction").notices == ("tokens_missing",)
    assert workspace.bases.keep_tokens("vault", True) == NOTES
    assert status(workspace).with_bits == NOTES


def test_bits_that_a_rename_left_behind_are_made(workspace: Workspace, folder: Path) -> None:
    workspace.switches.begin("vault", "tokens")
    workspace.switches.run("vault")
    workspace.bases.keep_tokens("vault", False)
    (folder / "7.md").rename(folder / "seven.md")
    workspace.imports.apply(workspace.imports.plan_folder(folder), confirmed=True)
    workspace.bases.keep_tokens("vault", True)
    assert status(workspace).with_bits == status(workspace).windows == NOTES


def test_a_base_whose_model_tells_no_tokens_is_read_by_the_bundled_one_and_says_so(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, models: dict[str, WordLengths]
) -> None:
    monkeypatch.setitem(embedding.EMBEDDERS._built, "bundled", models["tokens"])
    first = workspace.search("number7", reranker="late-interaction")
    assert (first.reranker, first.notices) == ("late-interaction", ("tokens_read",))
    assert all(0 <= hit.scores["rerank"].score <= 1 for hit in first.hits)
    read = len(models["tokens"].embedded)
    workspace.search("number7", reranker="late-interaction")
    # The candidates again, and nothing else: the centre is settled.
    assert len(models["tokens"].embedded) - read <= 50
