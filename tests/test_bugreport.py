"""A bug report helps, and holds nothing of the person's."""

import json
import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from core import workspace
from core.base.errors import StoreError, TesseraError
from core.base.messages import message
from core.doors import cli
from core.settings.sections import KEYS
from core.workspace import Workspace
from tests import samples

LETTERS = st.text(st.characters(codec="utf-8", exclude_characters="\0/\\"), max_size=12)


def fill(place: Path, secret: str) -> Path:
    """Make a workspace in which everything that a person names or writes holds the secret, and let its work fail."""
    vault = place / f"vault {secret}"
    vault.mkdir(parents=True)
    (vault / f"{secret}.md").write_text(f"---\ntags: [{secret}]\n---\n# {secret}\n\n{secret}", encoding="utf-8")
    (vault / f"{secret}binary.md").write_bytes(b"\0\1" * 99)
    folder = place / f"workspace {secret}"
    with Workspace(folder) as opened:
        base = "".join(one for one in secret if one.isprintable() or one >= "\xa0")  # a name has no control characters
        opened.imports.apply(opened.imports.plan_folder(vault, f"base {base}"))
        opened.preferences.set("x", secret)
        (folder / secret).write_text(secret)
        failures: list[Exception] = [
            KeyError(f"{secret}\n2026-01-01T00:00:00Z ERROR {secret}:1 \n  {secret}"),
            FileNotFoundError(2, secret, secret),
            StoreError("{file} can't be read: {why}.", file=secret, why=message("because of {name}", name=[secret])),
        ]
        for failure in failures:

            def fail(progress: object, failure: Exception = failure) -> None:
                raise failure from ValueError(secret)

            opened.jobs.start("import", fail)
            opened.jobs.wait("import")
    for question in (secret, f'"{secret}', f"{secret}:x"):
        with suppress(TesseraError), Workspace(folder, readonly=True) as opened:
            opened.search(question)
    return folder


@given(secret=LETTERS, texts=st.booleans())
@example(secret="'; \u2028 ERROR core.x:1 ", texts=True)
@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
def test_nothing_of_the_person_is_in_the_report(
    secret: str, texts: bool, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = f"Zaubernuss{secret}Ende"
    with monkeypatch.context() as patch:
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home") / secret.encode("ascii", "ignore").decode()))
        patch.setenv("TESSERA_EMBEDDER", "tfidf")
        patch.setenv("TESSERA_LOG_TEXTS", str(texts))
        for name in KEYS.values():
            patch.setenv(name, "Zaubernuss")
        patch.setenv("TESSERA_LLM__MODEL", "Zaubernuss")
        patch.setenv("TESSERA_EMBEDDINGS__BASE_URL", "http://zaubernuss.example/v1")
        patch.setenv("TESSERA_SEARCH__RERANKER", "llm:Zaubernuss")
        patch.setenv("TESSERA_MODELS_DIR", "/Zaubernuss")
        folder = fill(tmp_path_factory.mktemp("place"), secret)
        made = workspace.bug_report(folder)
        said = f"{made}\n{json.dumps(dict(made.facts))}"
    assert "zaubernuss" not in said.lower()
    assert "Ende" not in said
    assert str(folder.parent) not in said
    assert made.facts["settings"]["llm.model"] == "(set)"
    assert sum("core.base.jobs:" in line for line in made.facts["last errors"]) == 3, made.facts["last errors"]


def test_the_report_says_what_a_maintainer_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", "tfidf")
    monkeypatch.setenv("TESSERA_SEARCH__LIMIT", "7")
    monkeypatch.setenv("TESSERA_SEARCH__FUSION", "reciprocal")
    with Workspace(tmp_path / "w") as opened:
        opened.imports.apply(opened.imports.plan_folder(samples.write(tmp_path / "vault"), "mine"))
        opened.store.index.problem = StoreError("{why}: rebuild", why="secret").message
        said = str(opened.bug_report())
    facts = json.loads(said)
    assert (facts["settings"]["search.limit"], facts["settings"]["search.fusion"]) == (7, "reciprocal")
    assert (facts["index"], facts["open for"]) == ("{why}: rebuild", "writing")
    assert facts["versions"]["chromadb"].startswith("1.")
    assert re.fullmatch(r"[\d,]+ bytes", facts["files"]["notes.db"])
    (base,) = facts["bases"]
    assert (base["notes"], base["chunks"], base["windows"], base["pending"], base["model"]) == (3, 3, 3, 0, "tfidf")
    assert facts["last errors"] == []


def test_a_workspace_that_cant_be_opened_has_a_report_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Workspace(tmp_path / "w").close()
    (tmp_path / "w" / "notes.db").write_bytes(b"no database" * 1000)
    with pytest.raises(SystemExit, match="0"):
        cli.main(["status", "--report", "--json", "--workspace", str(tmp_path / "w")])
    facts = json.loads(capsys.readouterr().out)
    assert facts["problem"].startswith("NotesDamaged: ")
    assert "core.workspace:" in facts["last errors"][-1]
    assert str(tmp_path) not in json.dumps(facts)
