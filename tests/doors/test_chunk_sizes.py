"""The sizes of chunks have one range through every door, and one sentence for what is outside of it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.base.errors import ConfigError
from core.doors import cli
from core.doors.api import PLACE
from core.features.evaluation import runs
from core.model import SIZES, ChunkingOptions, Pipeline
from core.settings.config import settings
from core.workspace import Workspace
from tests.doors.programs import connected

OUTSIDE = [(name, value) for name, one in SIZES.items() for value in (one.least - 1, one.most + 1)]
Door = Callable[[Workspace, str, int], str]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TESSERA_EMBEDDER", "tfidf")
        patch.setenv("TESSERA_INDEX__KIND", "none")
        patch.chdir(tmp_path_factory.mktemp("sizes"))
        with Workspace(tmp_path_factory.mktemp("workspace")) as opened:
            opened.bases.add("birds")
            opened.notes.add("birds", "A heron stands at the pond.", author="person", title="pond")
            opened.set_program_access(True)
            yield opened


def refused(work: Callable[[], object]) -> str:
    with pytest.raises(ConfigError) as error:
        work()
    return str(error.value)


def library(workspace: Workspace, name: str, value: int) -> str:
    options = replace(ChunkingOptions(), **{name: value})
    note = Path("pond.md")
    note.write_text("# Pond\n")
    (said,) = {
        refused(lambda: workspace.bases.add("new", chunking=options)),
        refused(lambda: workspace.bases.chunking_cost("birds", options)),
        refused(lambda: workspace.bases.adopt("birds", Pipeline(chunking=options))),
        refused(lambda: workspace.chunks.rechunk("birds", options=options)),
        refused(lambda: workspace.chunks.rechunk(note_ids=[workspace.notes.find("pond").id], options=options)),
        refused(lambda: workspace.imports.preview(note, options, "tfidf")),
    }
    return said


def command(workspace: Workspace, name: str, value: int) -> str:
    def said(*words: str) -> str:
        # A workspace that another process has open is only read: each command has its own.
        arguments = [*words, f"--{name.replace('_', '-')}", str(value)]
        done = CliRunner().invoke(cli.app, [*arguments, "--workspace", str(Path("other").absolute())])
        return str(done.exception)

    note = Path("pond.md")
    note.write_text("# Pond\n")
    CliRunner().invoke(cli.app, ["base", "new", "old", "--workspace", str(Path("other").absolute())])
    (one,) = {
        said("base", "new", "new"),
        said("rechunk", "--base", "old"),
        said("chunks", str(note), "--embedder", "tfidf"),
    }
    return one


def http(workspace: Workspace, name: str, value: int) -> str:
    program = connected(workspace)
    answers = [program.post(f"{PLACE}/v1/bases", json={"name": "new", "chunking": {name: value}})]
    if name == "chunk_overlap" or (name == "chunk_size" and value < SIZES[name].least):  # larger ones are characters
        answers += [program.post(f"{PLACE}/knowledge", json={"name": "new", name: value})]
    assert {answer.status_code for answer in answers} == {422}
    job = program.post(f"{PLACE}/v1/bases/birds/rechunk", json={name: value})
    workspace.jobs.wait("rechunk", 30)
    done = program.get(job.headers["Location"]).json()
    assert done["state"] == "failed"
    (one,) = {answer.json()["detail"] for answer in answers} | {done["error"]}
    return str(one)


def file(_: Workspace, name: str, value: int) -> str:
    Path("tessera.toml").write_text(f"[chunking]\n{name} = {value}\n")
    try:
        return refused(settings)
    finally:
        Path("tessera.toml").unlink()


def setup(_: Workspace, name: str, value: int) -> str:
    return refused(lambda: runs.parse(f"{name}={value}", Pipeline(), ChunkingOptions()))


@pytest.mark.parametrize("door", [library, command, http, file, setup])
@pytest.mark.parametrize(("name", "value"), OUTSIDE)
def test_every_door_has_the_same_range_and_sentence(workspace: Workspace, door: Door, name: str, value: int) -> None:
    one = SIZES[name]
    told = f"'{one.title}' ({name}) is {value:,} but must be between {one.least:,} and {one.most:,}."
    assert told.rstrip(".") in door(workspace, name, value)
    assert [base.name for base in workspace.bases.all()] == ["birds"]


def test_the_ends_of_a_range_are_within_it(workspace: Workspace) -> None:
    for number, (size, most) in enumerate(((256, 1000), (1024, 2000))):
        options = ChunkingOptions(chunk_size=size, max_single_chunk_size=most)
        assert workspace.bases.add(f"end {number}", chunking=options).chunking == options
        workspace.bases.delete(f"end {number}")


def test_a_base_of_an_earlier_version_keeps_its_sizes(workspace: Workspace) -> None:
    base = workspace.bases.add("old")
    older = replace(base.chunking, strategy="recursive", chunk_size=12, chunk_overlap=0)
    workspace.store.bases.change(base, chunking=older)
    workspace.notes.add("old", "one two three " * 20, author="person", title="old")
    assert workspace.chunks.rechunk("old").chunks > 1
    workspace.chunks.rechunk("old", options=replace(older, chunk_overlap=50, chunk_size=256))
    assert "between 256" in refused(lambda: workspace.chunks.rechunk("old", options=older))
    workspace.bases.delete("old")
