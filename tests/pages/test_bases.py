"""Bases: made on purpose, changed, renamed, deleted; their models, splitting, search and watching."""

import json
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from core.base.errors import ModelError
from core.base.registry import Entry
from core.embedding import EMBEDDERS
from core.model import ChunkingOptions, SearchSettings
from core.workspace import Workspace
from tests.fakes import WordLengths, WordTokens
from tests.model_server import Answer, ModelServer, chat
from tests.pages.conftest import Screen


class OtherWords(WordLengths):
    """Another embedder; where it is `broken`, it embeds no note."""

    fingerprint = "other-words"
    broken = False

    def embed(self, texts, *, role):  # type: ignore[no-untyped-def]
        if self.broken and role == "note":
            raise ModelError("The other words are broken. Mend them.")
        return super().embed(texts, role=role)


@pytest.fixture(autouse=True)
def embedders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EMBEDDERS, "other", Entry("tests.pages.test_bases:OtherWords"))
    monkeypatch.setattr(OtherWords, "broken", False)


@pytest.fixture
def base(filled: Screen) -> Screen:
    """The page of the base `vault`."""
    return filled.open("bases", base="vault")


def boxes(screen: Screen) -> str:
    return "\n".join(element.proto.body for element in screen.app.get("html"))


def button(screen: Screen, key: str):  # type: ignore[no-untyped-def]
    return next(button for button in screen.app.button if (button.key or "").startswith(key))


def toggle(screen: Screen, key: str):  # type: ignore[no-untyped-def]
    return next(toggle for toggle in screen.app.toggle if (toggle.key or "").startswith(key))


def choose(screen: Screen, embedder: str) -> Screen:
    """Choose another embedder for the base and ask what it costs."""
    screen.tab("Model")
    next(box for box in screen.app.selectbox if box.key.startswith("switch_to_")).set_value(embedder).run()
    return screen.press("cost_").finish("cost")


def test_a_base_shows_what_it_has(base: Screen) -> None:
    said = boxes(base.tab("Model"))
    assert "Model: words" in said
    assert "3 notes" in said
    assert "This model can't be used for fast reranking" in base.text
    assert toggle(base, "tokens_").disabled


def test_a_base_goes_over_to_another_embedder(base: Screen) -> None:
    choose(base, "other")
    assert "pieces of text to index" in boxes(base)
    assert "Change to other" in base.text
    base.press("start_").finish("switch").finish("warm")
    assert base.workspace.bases.get("vault").embedder == "other"
    assert "Model changed" in base.toasts
    assert "restore" in base.open("search", q="restore").text
    assert "by keyword only" not in base.text


def test_what_cant_be_had_says_so_before_anything_begins(base: Screen) -> None:
    OtherWords.broken = True
    choose(base, "other")
    assert "The other words are broken" in base.errors
    assert not any((button.key or "").startswith("start_") for button in base.app.button)
    assert base.workspace.status().bases[0].switch is None


def test_a_change_that_stopped_is_resumed(base: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = base.workspace
    workspace.switches.begin("vault", "other")
    monkeypatch.setattr(OtherWords, "broken", True)
    base.open("bases", base="vault").tab("Model").press("resume_").finish("switch")
    assert "The other words are broken" in base.errors
    assert "isn't finished" in base.text.replace("\\", "")
    assert workspace.bases.get("vault").embedder == "words"
    monkeypatch.setattr(OtherWords, "broken", False)
    base.press("resume_").finish("switch")
    assert workspace.bases.get("vault").embedder == "other"
    assert "isn't finished" not in base.text


def test_a_change_is_abandoned(base: Screen) -> None:
    base.workspace.switches.begin("vault", "other")
    base.open("bases", base="vault").tab("Model").press("abandon_")
    assert base.workspace.bases.get("vault").embedder == "words"
    assert base.workspace.status().bases[0].switch is None
    assert button(base, "cost_")


def test_chunks_can_wait_and_be_embedded(base: Screen) -> None:
    switch = toggle(base, "embed_at_once_")
    switch.set_value(False).run()
    assert not base.workspace.bases.get("vault").embed_at_once
    toggle(base, "embed_at_once_").set_value(True).run()
    assert base.workspace.bases.get("vault").embed_at_once


def test_passages_that_the_model_refuses_are_listed_and_tried_again(
    base: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed = WordLengths.embed

    def refusing(self, texts, *, role):  # type: ignore[no-untyped-def]
        if role == "note" and any("pg_restore" in text for text in texts):
            raise ModelError("This text is too long for the model.")
        return embed(self, texts, role=role)

    monkeypatch.setattr(WordLengths, "embed", refusing)
    base.open("bases", base="vault").tab("Model").press(f"again_{base.workspace.bases.get('vault').id}").finish("embed")
    (refused,) = base.workspace.pending.refused("vault")
    assert "1 passage rejected by the model" in boxes(base)
    assert "This text is too long for the model" in base.text
    assert "Backups are only worth" in base.text
    assert refused.title == "Backups"
    monkeypatch.setattr(WordLengths, "embed", embed)
    base.press("retry_").finish("embed")
    assert base.workspace.pending.refused("vault") == []
    assert "refuses" not in boxes(base)


def test_token_bits_are_deleted_and_made_again(place: Path, vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(EMBEDDERS, "word-tokens", Entry("tests.fakes:WordTokens"))
    monkeypatch.setenv("TESSERA_EMBEDDER", "word-tokens")
    with Workspace(place) as workspace:
        workspace.imports.apply(workspace.imports.plan_folder(vault))
    screen = Screen().finish("warm").open("bases", base="vault").tab("Model")
    assert WordTokens.fingerprint == screen.workspace.bases.get("vault").fingerprint

    def bits() -> int:
        return screen.workspace.status().bases[0].with_bits

    def turn(on: bool) -> None:
        toggle(screen, "tokens_").set_value(on).run()
        screen.finish("tokens")

    every = bits()
    assert every > 0
    assert "100% of the base" in screen.text
    turn(False)
    assert bits() == 0
    assert "0% of the base" in screen.text
    turn(True)
    assert bits() == every
    assert screen.workspace.bases.get("vault").keep_tokens


def test_how_a_base_is_searched_is_its_own_or_left_to_the_settings(base: Screen) -> None:
    vault = base.workspace.bases.get("vault")
    limit = base.tab("Search").app.selectbox(f"limit_{vault.id}")
    assert limit.options[0] == "Default: 10"
    assert base.app.selectbox(f"rerank_weight_{vault.id}").value == ""
    limit.select_index(1).run()
    base.app.selectbox(f"semantic_weight_{vault.id}").set_value(0.0).run()
    changed = base.workspace.bases.get("vault")
    assert changed.search == SearchSettings(limit=5, semantic_weight=0.0)
    base.workspace.bases.update("vault", search=SearchSettings(limit=7))
    base.app.run()
    assert base.app.selectbox(f"limit_{vault.id}").value == 7
    base.app.selectbox(f"limit_{vault.id}").set_value("").run()
    assert base.workspace.bases.get("vault") == vault


def test_every_base_has_its_card(filled: Screen) -> None:
    filled.workspace.bases.add("work", description="What I do")
    cards = filled.open("bases")
    for said in ("vault", "work", "What I do", "3 notes", "3 passages", "Model: words", "Last update"):
        assert said in boxes(cards)
    cards.press(f"open_{cards.workspace.bases.get('vault').id}")
    assert cards.app.query_params["base"] == "vault"
    cards.press("all_bases")
    assert "work" in boxes(cards)


def test_a_card_says_the_state_of_its_base_and_syncs_its_folder(filled: Screen, vault: Path) -> None:
    filled.workspace.bases.add("work")
    for name in ("new", "newer"):
        (vault / f"{name}.md").write_text(f"# {name}")
    cards = filled.open("bases")
    work, synced = (cards.workspace.bases.get(name).id for name in ("work", "vault"))
    assert boxes(cards).count("Last update") == 1
    cards.finish("embed")
    assert [card.count("Up to date ") for card in boxes(cards).split('<div class="t-name">')[1:]] == [1, 0]
    assert not any((one.key or "").startswith(f"sync_{work}") for one in cards.app.button)
    cards.press(f"sync_{synced}").finish().finish("embed")
    assert "newer" in {card.title for card in cards.workspace.notes.all()}
    cards.open("bases").press(f"add_{synced}")
    assert cards.app.query_params["base"] == "vault"
    (adding,) = (one for one in cards.app.expander if one.label == "Add notes")
    assert adding.proto.expanded
    for path in vault.glob("*.md"):
        path.unlink()
    cards.press("all_bases").press(f"sync_{synced}")
    assert cards.app.title[0].value == "Notes"
    assert "no longer in the folder" in cards.text


def test_the_page_is_there_in_chinese(filled: Screen) -> None:
    screen = Screen("zh-CN").open("bases")
    assert screen.app.title[0].value == "知识库"
    assert "新建知识库" in screen.text
    screen.open("bases", base="vault")
    assert "更换模型" in screen.tab(screen.tabs[2]).text


def test_a_base_is_made_on_purpose(base: Screen) -> None:
    app = base.press("all_bases").press("new_base").app
    app.text_input("new_name").set_value("work")
    app.text_input("new_description").set_value("What I do")
    app.selectbox("new_limit").set_value(5)
    app.toggle("new_embed_at_once").set_value(False)
    app.toggle("new_watch").set_value(True)
    app.toggle("new_trusts_programs").set_value(True)
    app.slider("try_new_chunk_size").set_value(256).run()
    assert "Why this split" in base.text
    assert [one.name for one in base.workspace.bases.all()] == ["vault"]
    base.press("make_base")
    made = base.workspace.bases.get("work")
    assert (made.description, made.chunking) == ("What I do", ChunkingOptions(chunk_size=256))
    assert made.search == SearchSettings(limit=5)
    assert (made.embedder, made.embed_at_once, made.watch, made.write_files) == ("words", False, True, False)
    assert made.trusts_programs
    assert base.app.query_params["base"] == "work"


def test_a_link_leads_to_the_making_of_a_base_each_time(filled: Screen) -> None:
    for _ in range(2):
        making = filled.open("bases", new="yes", name="work")
        making.app.text_input("new_name").set_value("other").run()
        making.app.text_input("new_description").set_value("Mine").run()
        assert making.app.text_input("new_name").value == "other"
        making.press("all_bases")
        assert "new_name" not in [box.key for box in making.app.text_input]


def test_a_name_that_is_taken_or_blank_makes_nothing(base: Screen) -> None:
    base.press("all_bases").press("new_base").press("make_base")
    assert "has no name" in base.errors
    base.app.text_input("new_name").set_value("vault").run()
    base.press("make_base")
    assert "There is already a base 'vault'" in base.errors.replace("\\", "")
    assert len(base.workspace.bases.all()) == 1


def test_the_first_base_is_previewed_on_a_note_that_comes_along() -> None:
    screen = Screen().open("bases")
    assert "There are no bases yet" in screen.text
    screen.press("new_base")
    assert "Why this split" in screen.text
    assert not screen.errors


def test_a_base_is_renamed_and_described(base: Screen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base_id = base.workspace.bases.get("vault").id
    monkeypatch.chdir(tmp_path)  # where the settings are written
    base.workspace.settings_file.write("daily.base", "vault")
    base.app.session_state["search_bases"] = ["vault"]
    base.app.text_input(f"name_{base_id}_vault").set_value("mine")
    base.app.text_input(f"about_{base_id}").set_value("My notes")
    base.press(f"save_{base_id}")
    renamed = base.workspace.bases.get("mine")
    assert (renamed.id, renamed.description) == (base_id, "My notes")
    assert base.app.query_params["base"] == "mine"
    assert base.app.session_state["search_bases"] == ["mine"]
    assert base.workspace.settings.daily.base == "mine"
    assert base.open("bases", base="vault").app.title[0].value == "Knowledge bases"


def test_other_splitting_says_its_cost_first(base: Screen) -> None:
    vault = base.workspace.bases.get("vault")
    base.tab("Splitting").app.slider(f"try_base_{vault.id}_short_doc_threshold").set_value(300).run()
    assert base.workspace.bases.get("vault") == vault
    assert not any((one.key or "").startswith(f"split_{vault.id}") for one in base.app.button)
    base.press("split_cost_").finish("cost")
    assert "notes to split again" in boxes(base)
    base.press(f"split_{vault.id}").finish("rechunk")
    assert base.workspace.bases.get("vault").chunking == ChunkingOptions(short_doc_threshold=300)


def test_switches_are_stored_at_once(base: Screen) -> None:
    for field in ("write_files", "watch", "trusts_programs", "read_pictures"):
        toggle(base, f"{field}_").set_value(True).run()
        assert getattr(base.workspace.bases.get("vault"), field)
    assert "Watched" in base.text


def test_what_watching_came_upon_is_shown(base: Screen, vault: Path) -> None:
    workspace = base.workspace
    workspace.bases.update("vault", watch=True)
    for number in range(6):
        (vault / f"note {number}.md").write_text(f"Note {number} says {number}.")
    workspace.watching.look()
    for number in range(6):
        (vault / f"note {number}.md").unlink()
    workspace.watching.look()
    base.open("bases")
    assert "6 notes are no longer in" in base.text
    base.press(f"look_{workspace.bases.get('vault').id}")
    assert base.app.title[0].value == "Notes"
    assert "Yes, remove 6 notes" in [box.label for box in base.app.checkbox]
    workspace.imports.apply(base.app.session_state["plan"], confirmed=True)
    vault.rename(vault.with_name("away"))
    workspace.watching.look()
    assert "This folder doesn't exist" in base.open("bases").text.replace("\\", "")


def delete(screen: Screen) -> Screen:
    return screen.open("bases", base="vault").press("delete_base").press("delete_yes")


def trashed(screen: Screen) -> list[str]:
    return [one.name for one in screen.workspace.archives.trash()]


def test_a_base_is_deleted_into_the_trash_and_restored(base: Screen) -> None:
    base.press("delete_base")
    assert "You can restore it on the Bases page for 30 days" in base.text
    base.press("delete_yes")
    assert base.workspace.bases.all() == []
    assert "There are no bases yet" in base.text
    assert "1 deleted base in the trash" in base.text
    assert "Deleted bases stay here for 30 days" in base.text
    base.press("restore_base_").finish("embed")
    assert base.app.query_params["base"] == "vault"
    assert base.workspace.status().bases[0].notes == 3
    assert trashed(base) == []


def test_a_deleted_base_whose_name_is_taken_comes_back_under_another(base: Screen) -> None:
    delete(base)
    base.workspace.bases.add("vault")
    assert "Restore as 'vault 2'" in base.open("bases").text.replace("\\", "")
    base.press("restore_base_").finish("embed")
    assert sorted(one.name for one in base.workspace.bases.all()) == ["vault", "vault 2"]


def test_deleted_bases_are_deleted_for_good_after_a_question(base: Screen) -> None:
    base.workspace.bases.add("other")
    base.workspace.bases.delete("other")
    delete(base)
    assert trashed(base) == ["vault", "other"]
    base.press("forget_base_").press("forget_bases_no")
    assert trashed(base) == ["vault", "other"]
    base.press("forget_base_").press("forget_bases_yes")
    assert trashed(base) == ["other"]
    base.workspace.bases.add("third")
    base.workspace.bases.delete("third")
    base.open("bases").press("bases_trash_empty").press("forget_bases_yes")
    assert trashed(base) == []
    assert "in the trash" not in base.text


def test_what_cant_be_restored_is_named_in_the_trash_and_can_be_deleted(base: Screen) -> None:
    delete(base)
    place = base.workspace.store.folder / "trash"
    (good,) = place.glob("*.zip")
    (place / "my-copy.zip").write_bytes(good.read_bytes()[:50])
    (place / "a folder").mkdir()
    assert "2 deleted bases" not in base.open("bases").text
    assert "3 deleted bases in the trash" in base.text
    assert base.text.replace("\\", "").count("This base can't be restored") == 2
    assert "my-copy.zip" in base.text.replace("\\", "")
    assert len([button for button in base.app.button if (button.key or "").startswith("restore_base_")]) == 1
    for name in ("my-copy.zip", "a folder"):
        base.press(f"forget_base_{name}").press("forget_bases_yes")
    assert trashed(base) == ["vault"]
    base.press("restore_base_").finish("embed")
    assert base.workspace.status().bases[0].notes == 3


def test_a_note_that_left_the_trash_is_restored_on_the_page_of_bases(
    base: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = base.workspace
    workspace.trash.put(workspace.notes.all()[0].id)
    title = workspace.trash.all()[0].version.title
    for days in (0, 31, 32):
        day = datetime.now(UTC).date() + timedelta(days=days)
        monkeypatch.setattr("core.features.archives.trash_expiry.today", lambda day=day: day)
        workspace.archives.expire_trash()
    base.open("notes").app.session_state["notes_view"] = "trash"
    assert "you can restore it on the Bases page for one more week" in base.open("notes").text
    base.open("bases")
    assert f"here for one more week: {title}" in base.text.replace("\\", "")
    base.press("restore_base_").finish("embed")
    assert [card.title for card in workspace.notes.all() if card.base == "vault 2"] == [title]


def test_an_export_is_made_when_its_button_is_clicked(filled: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    exported = filled.workspace.archives.exported
    monkeypatch.setattr(
        filled.workspace.archives, "exported", lambda base, form: made.append(form) or exported(base, form)
    )
    screen = filled.open("bases")
    buttons = [one for one in screen.app.get("download_button") if "export_" in one.proto.id]
    assert len(buttons) == 4
    assert made == []


@pytest.mark.parametrize("form", ["zip", "markdown", "json", "yaml"])
def test_an_exported_base_is_imported(filled: Screen, tmp_path: Path, form: str) -> None:
    file = tmp_path / f"vault.{'zip' if form == 'markdown' else form}"
    file.write_bytes(filled.workspace.archives.exported("vault", form))
    screen = filled.open("bases")
    screen.app.file_uploader("import_base_file").set_value((file.name, file.read_bytes(), "application/zip"))
    screen.app.text_input("import_file_name").set_value("copy")
    screen.press("import_file_yes").finish("embed")
    assert screen.app.query_params["base"] == "copy"
    notes = {base.base.name: base.notes for base in screen.workspace.status().bases}
    assert notes == {"vault": 3, "copy": 3}


def test_a_folder_is_imported_as_a_base(filled: Screen, vault: Path) -> None:
    screen = filled.open("bases")
    screen.press("import_here_yes")
    assert "Enter a path first" in screen.errors
    screen.app.text_input("import_place").set_value(str(vault))
    screen.press("import_here_yes")
    assert "There is already a base 'vault'" in screen.errors.replace("\\", "")
    screen.app.text_input("import_here_name").set_value("mine")
    screen.press("import_here_yes").finish("embed")
    cards = screen.workspace.notes.all(screen.workspace.searching.filters(bases=["mine"]))
    assert len(cards) == 3
    assert not any(card.in_file for card in cards)


def test_every_mistake_of_a_bad_file_is_shown_with_its_line(filled: Screen) -> None:
    notes = [{"path": f"../{number}.md", "title": "x"} for number in range(30)]
    data = '{"tessera": "base", "version": 1, "base": {"name": "bad"}, "notes": [\n'
    data += ",\n".join(map(json.dumps, notes)) + "\n]}"
    screen = filled.open("bases")
    screen.app.file_uploader("import_base_file").set_value(("bad.json", data.encode(), "application/json"))
    screen.press("import_file_yes")
    assert "30 mistakes" in screen.errors
    listed = boxes(screen)
    assert all(f"line {number}</b>: the path" in listed for number in range(2, 32))
    assert [one.name for one in screen.workspace.bases.all()] == ["vault"]


def test_the_first_import_makes_the_base_whose_settings_can_be_chosen_before(vault: Path) -> None:
    notes = Screen().open("notes")
    notes.app.text_input("import_path").set_value(str(vault))
    notes.press("look_path")
    assert "My notes" not in notes.text
    assert notes.workspace.bases.all() == []
    making = notes.open("bases", new="yes", name="My notes")
    assert making.app.text_input("new_name").value == "My notes"
    making.app.text_input("new_description").set_value("Other ones").run()
    making.press("make_base")
    assert making.app.title[0].value == "Notes"
    making.press("plan_apply").finish().finish("embed")
    assert [(base.name, base.description) for base in making.workspace.bases.all()] == [("My notes", "Other ones")]


def test_an_import_goes_into_the_only_base_and_is_asked_for_where_there_are_several(
    filled: Screen, tmp_path: Path
) -> None:
    def proposed(name: str, into: str = "") -> Screen:
        (folder := tmp_path / name).mkdir()
        (folder / "note.md").write_text(f"A note of {name}.")
        screen = filled.open("notes", **{"import": "yes"})
        screen.app.text_input("import_path").set_value(str(folder))
        if into:
            screen.app.selectbox("import_base").set_value(into)
        return screen.press("look_path")

    assert "vault" not in proposed("first").app.subheader[0].value
    filled.press("plan_apply").finish().finish("embed")
    filled.workspace.bases.add("other")
    assert "'other'" in proposed("second", "other").app.subheader[0].value.replace("\\", "")
    filled.press("plan_apply").finish().finish("embed")
    assert {note.base for note in filled.workspace.notes.all() if note.path == "note.md"} == {"vault", "other"}


def test_open_for_reading_no_base_can_be_changed(place: Path, vault: Path) -> None:
    with Workspace(place) as holder:
        holder.imports.apply(holder.imports.plan_folder(vault))
        holder.switches.begin("vault", "other")
        screen = Screen().finish("warm").open("bases")
        assert button(screen, "new_base").disabled
        screen.open("bases", base="vault")
        for tab, *keys in (("General", "save_", "delete_base"), ("Model", "resume_", "abandon_")):
            assert all(button(screen.tab(tab), key).disabled for key in keys)
            assert all(toggle.disabled for toggle in screen.app.toggle)
        holder.switches.abandon("vault")
        assert button(screen.tab("Model"), "cost_").disabled


@pytest.fixture
def literal(place: Path, vault: Path) -> Screen:
    """The page of the base `literal`, which is searched only by keyword."""
    with Workspace(place) as workspace:
        workspace.bases.add("literal", kind="literal")
        workspace.imports.apply(workspace.imports.plan_folder(vault, "literal"))
    return Screen().finish("warm").open("bases", base="literal")


def test_a_base_of_words_is_made_by_its_kind(filled: Screen) -> None:
    app = filled.open("bases", new="yes").app
    app.text_input("new_name").set_value("work").run()
    assert app.radio("new_kind").value == "vector"
    app.radio("new_kind").set_value("literal").run()
    assert not any(box.key == "new_embedder" for box in app.selectbox)
    assert not any(one.key == "new_embed_at_once" for one in app.toggle)
    filled.press("make_base")
    made = filled.workspace.bases.get("work")
    assert (made.kind, made.chunking, made.embed_at_once) == ("literal", ChunkingOptions(strategy="markdown"), True)
    assert "By keyword only" in boxes(filled)


def test_a_base_of_words_offers_nothing_by_meaning_until_it_has_a_model(literal: Screen) -> None:
    assert not {one.key.split("_")[0] for one in literal.app.toggle} & {"embed", "tokens"}
    own = literal.workspace.bases.get("literal")
    assert "searched by keyword only" in literal.tab("Model").text
    settings = [box.key for box in literal.tab("Search").app.selectbox if box.key.endswith(f"_{own.id}")]
    assert settings == [f"limit_{own.id}"]
    choose(literal, "words").press("start_").finish("switch")
    assert literal.workspace.bases.get("literal").kind == "vector"


def test_a_base_is_tried_on_a_question(literal: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    def ask(question: str) -> None:
        literal.tab("Search")
        next(box for box in literal.app.text_area if box.key.startswith("tried_")).set_value(question)
        next(button for button in literal.app.button if button.label == "Ask this base").click().run()
        assert not literal.app.exception

    ask("restore the largest table")
    assert "No language model is set up" in literal.text
    assert "by keyword only" in literal.text
    with ModelServer(Answer(chat(json.dumps({"chosen": [1], "answer": "<b>Count</b> *its* rows."})))) as server:
        llm = literal.workspace.settings.llm
        monkeypatch.setattr(llm, "base_url", server.url)
        monkeypatch.setattr(llm, "model", "small")
        ask("restore the largest table")
        assert len(server.requests) == 1
    assert "The language model small chose 1 section" in boxes(literal)
    assert "&lt;b&gt;Count&lt;/b&gt; *its* rows." in boxes(literal)
    assert "<mark" in boxes(literal)
    assert button(literal, "unfold_1")
    links = [link.proto.label for link in literal.app.get("page_link")]
    assert any("Restoring" in label and label.startswith("1\\.") for label in links)


def test_a_base_with_a_model_recalls_passages_beside_the_question(base: Screen) -> None:
    assert base.tabs == ["General", "Search", "Model", "Splitting"]
    base.tab("Search")
    folded = next(one for one in base.app.expander if one.label == "Advanced")
    assert [box.label for box in folded.selectbox] == ["Minimum similarity", "Weight of meaning", "Weight of reranking"]
    next(box for box in base.app.text_area if box.key.startswith("tried_")).set_value("restore the largest table")
    next(button for button in base.app.button if button.label == "Ask this base").click().run()
    result = base.workspace.search("restore the largest table", bases="vault")
    about, *links = [link.proto.label for link in base.app.get("page_link")]
    assert about == "Help on this page"
    assert links[: len(result.hits)] == [hit.note.title for hit in result.hits]
    left, right = next(pair for pair in pairwise(base.app.columns) if pair[0].text_area)
    assert not left.get("page_link")
    assert [link.proto.label for link in right.get("page_link")][: len(result.hits)] == links[: len(result.hits)]
    assert f"{len(result.hits)} hits · by meaning and keyword" in [
        one.value.rpartition(" · ")[0] for one in base.app.caption
    ]


def test_files_that_could_not_be_read_stand_on_the_page_that_is_linked_to(base: Screen, vault: Path) -> None:
    (vault / "broken.md").write_bytes(b"\x00\x01\x02" * 50)
    workspace = base.workspace
    workspace.imports.apply(workspace.imports.plan_folder(vault, "vault"), embed=False)
    for screen in (base.open("bases"), base.open("bases", base="vault")):
        assert any("1 file could not be read" in one.label for one in screen.app.expander)
        assert "broken.md" in boxes(screen) + screen.text
