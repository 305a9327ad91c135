"""The drill of kills, small: at chosen steps and moments; and it notices what it looks for."""

from pathlib import Path

import pytest

from benchmarks.drills import journal, sound, vault
from benchmarks.drills.kills import OPENING, Kill, Kills
from benchmarks.drills.operations import BASE, MODELS
from benchmarks.drills.packings import UPGRADE
from benchmarks.drills.tally import Tally
from core.workspace import Workspace


@pytest.fixture(scope="module")
def kills(tmp_path_factory: pytest.TempPathFactory) -> Kills:
    return Kills(tmp_path_factory.mktemp("kills"), Tally("kills"))


@pytest.mark.parametrize(
    "kill",
    [
        Kill("import, fresh", "empty", 1, share=0.2, by_step=True, alone=True, again=False),
        Kill("switch", "full", 1, share=0.9, by_step=True, alone=False, again=True),
        Kill("save", "written", 1, share=0.5, by_step=True, alone=False, again=False),
        Kill("restore", "put away", 1, share=0.4, by_step=True, alone=False, again=False),
        Kill(UPGRADE, "packed", 2, share=0.3, by_step=True, alone=True, again=True),
        Kill("edit chunks", "full", 1, share=0.5, by_step=False, alone=False, again=False),
    ],
    ids=str,
)
def test_killed_a_workspace_is_whole_and_goes_on(kills: Kills, kill: Kill) -> None:
    kills.kill(kill)
    assert not kills.tally.faults
    assert kills.tally.rows[OPENING if kill.again else kill.operation].survived


def test_the_drill_notices_what_does_not_agree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_EMBEDDER", MODELS[0])
    monkeypatch.setenv("TESSERA_CHUNKING__STRATEGY", "lines")
    vault.offer_model()
    for number in range(5):
        vault.write(tmp_path / "vault", number, 1)
    with Workspace(tmp_path / "workspace") as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(tmp_path / "vault", BASE))
        assert sound.faults(workspace) == []
        damages = {
            "UPDATE chunks SET text = replace(text, 'n1v1', 'n1v2') WHERE rowid = 7": "another version",
            "DELETE FROM words WHERE rowid = 9": "index of words",
            "DELETE FROM windows WHERE chunk = 12": "stale",
            "UPDATE versions SET number = 3 WHERE note_id = (SELECT min(id) FROM notes)": "the versions are [3]",
            "UPDATE vectors SET vector = zeroblob(256) WHERE id = 15": "top ten",
        }
        for statement, said in damages.items():
            workspace.store.database.execute(statement)
            assert said in "; ".join(sound.faults(workspace))


def test_the_journal_notices_what_is_missing_and_what_came_back(tmp_path: Path) -> None:
    written = journal.Journal(tmp_path / "journal")
    written.begin({"note 1": 2, "note 2": None, "note 3": 1})
    written.done({"note 1": 2, f"{journal.LEAST}embedded": 5})
    values = journal.Follower(tmp_path / "journal", {"note 1": 1, "note 2": 1}).now()
    assert not journal.faults(values, {"note 1": 2, "note 2": 1, f"{journal.LEAST}embedded": 6})
    assert not journal.faults(values, {"note 1": 2, "note 3": 1, f"{journal.LEAST}embedded": 5})
    assert len(journal.faults(values, {"note 1": 1, "note 3": 2, "note 4": 1, f"{journal.LEAST}embedded": 4})) == 4
