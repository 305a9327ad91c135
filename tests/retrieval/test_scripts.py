"""Words of many scripts are found and marked in their place, whatever is invisible in notes and in questions."""

from collections.abc import Iterator

import pytest

from core.base.errors import UnknownChoice
from core.model import SearchOptions
from core.workspace import Workspace

INVISIBLE = {
    "soft hyphen": "\u00ad",
    "zero-width space": "\u200b",
    "zero-width non-joiner": "\u200c",
    "zero-width joiner": "\u200d",
    "left-to-right mark": "\u200e",
    "right-to-left mark": "\u200f",
    "Arabic letter mark": "\u061c",
    "embedding": "\u202a",
    "word joiner": "\u2060",
    "isolate": "\u2068",
    "byte order mark": "\ufeff",
    "combining grapheme joiner": "\u034f",
    "vowel separator": "\u180e",
    "variation selector": "\ufe0f",
    "ideographic variation selector": "\U000e0100",
}
NOTES = {
    **{f"{name} in Latin": f"The ware{one}house{one} is old." for name, one in INVISIBLE.items()},
    **{f"{name} in Chinese": f"我们的知{one}识{one}库在二楼。" for name, one in INVISIBLE.items()},
    "hyphens": "Der Ge\u00adsamt\u00adkon\u00adzept\u00adent\u00adwurf liegt bei.",
    "address": "See https://example.org/very\u200blong\u200bpath today.",
    "arabic": "اَلْمِفْتَاحُ فِي الدُّرْجِ. إدارة المشروع.",
    "stretched": "مـــفـــتـــاح",
    "persian": "او نمی\u200cخواهد کلید را بدهد.",
    "hebrew": "הַמַּפְתֵּחַ בַּמְּגֵרָה",
    "hindi": "चाबी दराज में है। चूबे",
    "bengali": "চাবি টেবিলে",
    "tamil": "சாவி மேசையில்",
    "thai": "กุญแจอยู่ในลิ้นชัก",
    "lao": "ກະແຈຢູ່ໃນລິ້ນຊັກ",
    "khmer": "កូនសោនៅក្នុងថត",
    "yoruba": "ọ̀nà àbáyọ ẹ̀kọ́",
    "strokes": "Łódź smørrebrød Đurđevac Đường œuf æsthetic Þór straße ħobż",
    "devices": "iPhone15 Pro, Windows11, COVID19, größe_neu",
    "emoji": "Party 🎉 and 🚀 launch 👩\u200d👩\u200d👧, 👍🏽, 🇩🇪, ❤\ufe0f, 5\ufe0f\u20e3",
}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    folder = tmp_path_factory.mktemp("scripts")
    for number, (name, text) in enumerate(NOTES.items()):
        # A title of its own, so that only the text answers.
        (folder / f"{number}.md").write_text(f"---\ntitle: '{number} {name}'\n---\n\n{text}\n", encoding="utf-8")
    with Workspace(tmp_path_factory.mktemp("workspace")) as workspace:
        workspace.settings.embedder = "tfidf"
        workspace.imports.apply(workspace.imports.plan_folder(folder, "notes"))
        yield workspace


def found(workspace: Workspace, question: str, mode: str = "keyword") -> dict[str, list[str]]:
    """Return the names of the notes that are found, each with what is marked in it."""
    result = workspace.search(question, mode=mode, as_typed=True, limit=50)  # type: ignore[arg-type]
    highlights = workspace.searching.highlights(result)
    return {
        hit.note.title.partition(" ")[2]: [hit.chunk.text[slice(*span)] for span in highlights[hit.chunk.id].words]
        for hit in result.hits
    }


@pytest.mark.parametrize("question", ["warehouse", '"warehouse"', "WAREHOUSE", "warehouses", '"the warehouse is"'])
def test_what_is_invisible_splits_no_word_of_a_note(workspace: Workspace, question: str) -> None:
    hits = found(workspace, question)
    assert {f"{name} in Latin" for name in INVISIBLE} == hits.keys()
    for name, one in INVISIBLE.items():
        (marked, *more) = hits[f"{name} in Latin"]
        assert not more
        assert f"ware{one}house" in marked


@pytest.mark.parametrize("question", ["知识库", '"知识库"', "知識庫", "识库"])
def test_what_is_invisible_splits_no_chinese_word(workspace: Workspace, question: str) -> None:
    hits = found(workspace, question)
    assert {f"{name} in Chinese" for name in INVISIBLE} == hits.keys()
    for name, one in INVISIBLE.items():
        assert "".join(hits[f"{name} in Chinese"]).replace(one, "") in ("知识库", "识库")


@pytest.mark.parametrize("one", INVISIBLE.values(), ids=INVISIBLE)
@pytest.mark.parametrize("question", ["ware{0}house", '"ware{0}house"', "{0}warehouse{0}", "知{0}识库"])
def test_what_is_invisible_splits_no_word_of_a_question(workspace: Workspace, question: str, one: str) -> None:
    script = "Chinese" if "识" in question else "Latin"
    assert {f"{name} in {script}" for name in INVISIBLE} == found(workspace, question.format(one)).keys()


@pytest.mark.parametrize(
    ("note", "question", "marked"),
    [
        ("hyphens", "Gesamtkonzeptentwurf", "Ge\u00adsamt\u00adkon\u00adzept\u00adent\u00adwurf"),
        ("address", "verylongpath", "very\u200blong\u200bpath"),
        ("arabic", "المفتاح", "اَلْمِفْتَاحُ"),
        ("arabic", "اَلْمِفْتَاح", "اَلْمِفْتَاحُ"),
        ("arabic", '"المفتاح في الدرج"', None),
        ("arabic", "ادارة", "إدارة"),
        ("stretched", "مفتاح", "مـــفـــتـــاح"),
        ("persian", "نمیخواهد", "نمی\u200cخواهد"),
        ("persian", "نمی\u200cخواهد", "نمی\u200cخواهد"),
        ("hebrew", "המפתח", "הַמַּפְתֵּחַ"),
        ("hebrew", '"המפתח במגרה"', None),
        ("hindi", "चाबी", "चाबी"),
        ("bengali", "চাবি", "চাবি"),
        ("tamil", "சாவி", "சாவி"),
        ("thai", "กุญแจ", "กุญแจ"),
        ("thai", "ลิ้นชัก", "ลิ้นชัก"),
        ("thai", '"ลิ้นชัก"', "ลิ้นชัก"),
        ("lao", "ກະແຈ", "ກະແຈ"),
        ("khmer", "កូនសោ", "កូនសោ"),
        ("yoruba", "ona abayo", "ọ̀nà"),
        ("yoruba", "ẹ̀kọ́", "ẹ̀kọ́"),
        ("strokes", "lodz", "Łódź"),
        ("strokes", "smorrebrod", "smørrebrød"),
        ("strokes", "smørrebrød", "smørrebrød"),
        ("strokes", "durdevac", "Đurđevac"),
        ("strokes", "duong", "Đường"),
        ("strokes", "oeuf", "œuf"),
        ("strokes", "aesthetic", "æsthetic"),
        ("strokes", "thor", "Þór"),
        ("strokes", "strasse", "straße"),
        ("strokes", "STRASSE", "straße"),
        ("devices", "iphone", "iPhone"),
        ("devices", "windows", "Windows"),
        ("devices", "covid", "COVID"),
        ("devices", "iphone15", "iPhone15"),
        ("devices", "größe", "größe"),
        ("emoji", "🚀", "🚀"),
        ("emoji", "👧", "👧"),
        ("emoji", "👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"),
        ("emoji", "👍", "👍"),
        ("emoji", "👍🏿", "👍"),
        ("emoji", "🇩🇪", "🇩🇪"),
        ("emoji", "❤", "❤"),
        ("emoji", "❤\ufe0f", "❤"),
        ("emoji", '"🎉"', "🎉"),
    ],
)
def test_letters_keep_their_marks_and_are_found_without(
    workspace: Workspace, note: str, question: str, marked: str | None
) -> None:
    hits = found(workspace, question)
    assert list(hits) == [note]
    assert marked is None or marked in "".join(hits[note])


def test_a_question_of_signs_alone_is_searched_by_words(workspace: Workspace) -> None:
    """A model finds anything near an emoji that it doesn't know."""
    assert [workspace.search(question).mode for question in ("🚀", "🚀 launch")] == ["keyword", "hybrid"]


def test_the_reranker_chosen_for_a_question_of_signs_is_that_of_the_search(workspace: Workspace) -> None:
    options = SearchOptions(reranker="llm"), SearchOptions()
    chosen = [workspace.searching.prepare("🚀", each).query.settings for each in options]
    assert [(settings.mode, settings.reranker) for settings in chosen] == [("keyword", "llm"), ("keyword", "none")]
    with pytest.raises(UnknownChoice, match="nonsense"):
        workspace.search("🚀", reranker="nonsense")


@pytest.mark.parametrize("question", ["चब", "کلی", "กล", "ware", "house", "iphone16", "المف"])
def test_a_part_of_a_word_is_no_word(workspace: Workspace, question: str) -> None:
    assert found(workspace, question) == {}


def test_plain_letters_are_found_by_their_other_forms(workspace: Workspace) -> None:
    workspace.notes.add("notes", "Lodz, smorrebrod, strasse and an oeuvre.", title="plain")
    for question in ("Łódź", "smørrebrød", "straße", "œuvre"):
        assert "plain" in {hit.note.title for hit in workspace.search(question, mode="keyword", as_typed=True).hits}


def test_the_place_of_a_term_is_that_in_the_question_as_it_was_typed(workspace: Workspace) -> None:
    typed = '\u200eware\u00adhouse \u200b"is old"\u200f tag:none'
    terms = workspace.search(typed, mode="keyword").understood.terms
    assert [typed[term.start : term.end] for term in terms] == ["ware\u00adhouse", '"is old"\u200f', "tag:none"]
