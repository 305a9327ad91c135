"""Show the hits: a card for each note, pictures, a language model's choice, and the reasons why a hit was found."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import cycle

import streamlit as st
from streamlit import container, session_state
from streamlit import html as draw_html
from streamlit.delta_generator import DeltaGenerator

from core.base.flow import as_copied, flow
from core.base.frozen import TextValues
from core.base.messages import message, message_table
from core.model import (
    CLICKED,
    PARTS,
    Answer,
    Highlight,
    Hit,
    Prepared,
    SearchOptions,
    SearchResult,
    day_of,
)
from pages.ui.evaluation import questions
from pages.ui.notes import routes
from pages.ui.search.question_box import put
from pages.ui.shared import cards, widgets
from pages.ui.shared.safe import elements, facts, folded, html, t_html
from pages.ui.shared.server import workspace
from pages.ui.shared.style import TILES
from pages.ui.shared.text import t, t_plural, text_of
from pages.ui.shared.widgets import (
    bound,
    button,
    caption,
    chunk_link,
    copy_button,
    errors,
    frame,
    in_columns,
    paragraph,
    pills,
    row,
    segments,
    small,
    titled_link,
    toggling,
    warn,
)

# Pictures among the hits, each with its note and a button that finds similar pictures.

PICTURE_COLUMNS = 3


def draw_pictures(result: SearchResult) -> None:
    """Draw a card for each picture in the result."""
    for column, hit in in_columns(result.pictures, PICTURE_COLUMNS):
        with column.container(border=True, height="stretch", key=f"picture_{hit.rank}", gap="xsmall"):
            if image := _image(hit.note.id, hit.picture):
                draw_html(image)
            titled_link("notes.py", hit.note.title, note=hit.note.id)
            paragraph(hit.picture, "t-crumb")
            name = f"「{hit.picture}」" if '"' in hit.picture else f'"{hit.picture}"'
            small("Pictures like this", f"like_{hit.rank}", "image_search", put, f"has:image like:{name}")


def _image(note_id: str, picture: str) -> str:
    """Return a picture in a note as HTML, or "" if the file is missing or browsers can't show it."""
    file = workspace.attachments.find(note_id, f"/{picture}")
    if file and routes.is_shown(file):
        address = html(routes.file_address(note_id, file.place))
        return f'<img class="t-picture" src="{address}" alt="{html(file.place)}" loading="lazy">'
    return ""


# A sentence that explains why a hit was found, built from its ranks in the search stages.

# Wording for the search stages that find hits.
WAYS = message_table({"vector": "by meaning ({place})", "keyword": "by keyword ({place})"})
# Wording for the search stages that rank all hits.
RANKED = message_table(
    {"fused": "the combined ranking put this hit {place}", "final": "reranking put this hit {place}"}
)
# Wording for the search stages that move some hits up.
RAISED = message_table(
    {
        "boosted": "a phrase or link put this hit {place}",
        "priority": "the note's priority put this hit {place}",
        "context": "your context put this hit {place}",
        "literal": "your exact words in the passage put this hit {place}",
        "titled": "your exact words in the title or headings put this hit {place}",
        "feedback": "your verdicts put this hit {place}",
        "clicks": "your earlier use of the note put this hit {place}",
    }
)
PASSED = message("other hits moved above it, so this hit is {place}")
ORDINALS = message_table({1: "{n}st", 2: "{n}nd", 3: "{n}rd"})
OTHERS = message("{n}th")


def sentence(hit: Hit, *, titled: bool = False) -> str:
    """Return a sentence about the search stages that found a hit or changed its rank, or "" if it was only listed.

    Reranking is mentioned even if it didn't change the rank. `titled` means that the note's title or headings contain
    words from the question that the passage doesn't contain.
    """
    ranks = {stage: score.rank for stage, score in hit.scores.items() if score.rank}
    ways = sorted((way for way in WAYS if way in ranks), key=ranks.__getitem__)
    if not ways:
        return ""
    clauses = [t("Found {ways}", ways=join_texts([text_of(WAYS[way], place=_place(ranks[way])) for way in ways]))]
    before = ranks[ways[0]]
    skipped = "fused" if "final" in ranks or len(ways) == 1 else ""
    for stage, rank in ranks.items():
        if stage in RANKED and stage != skipped:
            clauses.append(text_of(RANKED[stage], place=_place(rank)))
        elif stage in RAISED and rank != before:
            raised = RAISED["titled" if titled and stage == "literal" else stage]
            clauses.append(text_of(raised if rank < before else PASSED, place=_place(rank)))
        before = rank
    return t("; ").join(clauses) + t(".")


def join_texts(texts: Sequence[str]) -> str:
    """Join strings into a list with "and" before the last one."""
    *others, last = texts
    return t("{first} and {last}", first=others, last=last) if others else last


def _place(rank: int) -> str:
    return text_of(ORDINALS.get(0 if rank % 100 in (11, 12, 13) else rank % 10, OTHERS), n=rank)


# More hits for a question. They are added after the hits already shown, whose order doesn't change.

# Number of hits added by each click on "More hits".
STEP = 10
MOST = int(PARTS["limit"].most or 0)
# Session key for a question, and the number of times the user has asked for more hits.
_WANTED = "more_hits"


def search_wider(prepared: Prepared, options: SearchOptions) -> SearchResult:
    """Return the result for a question, including any additional hits requested by the user."""
    result = workspace.searching.answer(prepared)
    for _ in range(_wanted_times(prepared.typed)):
        options = options | {"limit": min(MOST, len(result.hits) + STEP)}
        wider = workspace.searching.answer(workspace.searching.prepare(prepared.typed, options, like=prepared))
        shown = {hit.chunk.id for hit in result.hits}
        hits = [*result.hits, *(hit for hit in wider.hits if hit.chunk.id not in shown)][: len(shown) + STEP]
        result = replace(wider, hits=tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, 1)))
    return result


def more_button(result: SearchResult) -> None:
    """Draw the button that adds more hits. Draw nothing if there can't be any more."""
    if result.settings.limit <= len(result.hits) < MOST:
        wanted = result.query, _wanted_times(result.query) + 1
        button("More hits", "more_hits_add", "expand_more", session_state.update, {_WANTED: wanted})


def _wanted_times(text: str) -> int:
    question, times = session_state.get(_WANTED, ("", 0))
    return times if question == text else 0


# The hits chosen by a language model, and its answer. This applies to bases without semantic search.


def draw_choice(result: SearchResult) -> None:
    """Show the language model's answer and the hits it chose.

    If the model hasn't chosen, show the reason why the hits are still in the order of the keyword search.
    """
    choice = result.choice
    if not (choice and result.hits):
        return
    line = text_of(choice.explanation)
    if choice.by:
        with frame("choice", gap="xsmall"):
            draw_html(f'<div class="t-caption">{html(line)}</div><div class="t-text">{html(choice.answer)}</div>')
            for hit in result.hits[: len(choice.chunks)]:
                titled_link("notes.py", f"{hit.rank}. {cards.place(hit)}", **cards.address(hit, result.query))
    elif choice.problem:
        warn(line)
    else:
        caption(line, "info")


VERDICTS = message_table({"helpful": "Helpful", "not_helpful": "Not helpful", "harmful": "Misleading"})

# Maximum number of notes for which three hits are shown per note.
#
# If there are more notes, each shows one hit, and weak hits are collapsed.
FEW = 3

# Share of the question's words. A hit that contains fewer of them can count as weak.
WORDED = 0.5

# Maximum number of recorded clicks to list for a note.
LISTED = 5

# Numbers of neighbouring passages to offer for display on each side of a hit.
WIDTHS = (0, 1, 2, 3)


def tones(result: SearchResult) -> TextValues:
    """Return a colour for each sub-query of a decomposed question, keyed by the sub-query's text. Colours may recur."""
    texts = dict.fromkeys(part.text for part in result.asked)
    return dict(zip(texts, cycle(TILES), strict=False))


def group_by_note(result: SearchResult) -> list[list[Hit]]:
    """Group the hits by note, with the notes in the order of their best hits."""
    notes: dict[str, list[Hit]] = {}
    for hit in result.hits:
        notes.setdefault(hit.note.id, []).append(hit)
    return list(notes.values())


def weak_groups(result: SearchResult) -> list[list[Hit]]:
    """Return the notes, after the first few, whose hits are all weak.

    A weak hit is no more similar to the question than unrelated text, and contains few of the question's words.
    """
    below = workspace.searching.below_background(result)
    groups = [group for group in group_by_note(result)[FEW:] if all(hit.chunk.id in below for hit in group)]
    seen = workspace.searching.highlights(result) if groups else {}
    return [group for group in groups if all(seen[hit.chunk.id].held < WORDED for hit in group)]


def draw_preliminary(result: SearchResult, *, base: bool) -> None:
    """Show each note's best hit, for the user to read until the final hits arrive."""
    seen = workspace.searching.highlights(result)
    for first, *_ in group_by_note(result):
        with frame(f"early_{first.rank}", gap="xxsmall"):
            with _row(f"early_head_{first.rank}"):
                _title(first, result.query, first.note.title, seen[first.chunk.id])
            draw_html(cards.crumb(first, base=base))
            draw_html(cards.body(first, seen[first.chunk.id], around=False))


def draw_hits(text: str, result: SearchResult, *, base: bool, answer: Answer | None = None) -> None:
    """Draw a card for each note with its hits. If there are many notes, weak hits are collapsed.

    `answer` is the answer to the question, if there is one. If `base` is True, each hit shows its base.
    """
    entries = Entries(text, result, base=base, answer=answer)
    groups = group_by_note(result)
    weak = weak_groups(result)
    fold = f"weak_hits_of_{text}"
    shown = fold in widgets.toggled()
    for hits in groups:
        if hits not in weak:
            _card(hits, entries.draw, seen=1 if len(groups) > FEW else 3)
    if weak:
        small(
            t_plural("{n} weaker hit", "{n} weaker hits", n=sum(map(len, weak))),
            "weaker_hits",
            "expand_less" if shown else "expand_more",
            toggling(fold),
            help="These hits are no closer in meaning to your question than notes about other things.",
        )
    for hits in weak if shown else ():
        _card(hits, entries.draw, seen=1)


def _card(hits: Sequence[Hit], draw: Callable[..., None], *, seen: int) -> None:
    """Show a note's first `seen` hits, and a button that shows or hides the rest."""
    first = hits[0]
    key = f"more_of_{first.note.id}"

    @st.fragment
    def part() -> None:
        with frame(f"hit_{first.rank}", gap="xxsmall"), errors():
            shown = key in widgets.toggled()
            draw(first, head=True)
            for hit in hits[1 : None if shown else seen]:
                with container(key=f"other_{hit.rank}", gap="xxsmall"):
                    draw(hit, head=False)
            if len(hits) > seen:
                small(
                    t_plural("{n} more in this note", "{n} more in this note", n=len(hits) - seen),
                    f"others_{first.rank}",
                    "expand_less" if shown else "expand_more",
                    toggling(key),
                )

    part()


class Entries:
    """Renderer for the hits of a search result."""

    def __init__(self, text: str, result: SearchResult, *, base: bool, answer: Answer | None) -> None:
        self._text = text
        self._result = result
        self._base = base
        self._seen = workspace.searching.highlights(result)
        quoted = {quote.chunk.id: 3 if answer.answered == "yes" else 2 for quote in answer.quotes} if answer else None
        self._said = {quote.chunk.id for quote in answer.at_first} if answer else set()
        self._levels = workspace.searching.matches(result, self._seen, quoted)
        self._tones = tones(result)
        self._around = result.settings.expansion_size

    def draw(self, hit: Hit, *, head: bool) -> None:
        """Show a hit. If `head` is True, show the note's title and path too."""
        chunk = hit.chunk
        seen = self._seen[chunk.id]
        why = f"why_of_{chunk.id}"
        wide = f"wide_{self._around}_{chunk.id}"
        toggled = widgets.toggled()
        unfolded = bool(self._around) != (wide in toggled)
        title = hit.note.title if head else " › ".join(cards.section(hit.note, chunk)) or t("Beginning of the note")
        with _row(f"head_{hit.rank}"):
            _title(hit, self._text, title, seen)
            label, icon = (t("Show less"), "unfold_less") if unfolded else (t("Show more"), "unfold_more")
            small(label, f"unfold_{hit.rank}", icon, toggling(wide))
            small("Why this?", f"why_{hit.rank}", "info", toggling(why))
        # One element of HTML takes the browser less time than several.
        tone = self._tones.get(hit.asked, "")
        text = cards.crumb(hit, base=self._base, tone=tone, level=self._levels[chunk.id], trail=head)
        if head:
            text += cards.about(hit)
        if why in toggled:
            draw_html(text)
            text = ""
            self._why(hit, seen)
        if chunk.picture:  # the passage is text recognised in this picture
            text += _image(hit.note.id, chunk.picture)
        if not unfolded:
            quoted = f'<div class="t-hit"><span class="t-dim">{t_html("Quoted above")}</span></div>'
            draw_html(text + (quoted if chunk.id in self._said else cards.body(hit, seen, around=False)))
            return
        around = f"around_{self._around}_{chunk.id}"
        size = session_state.setdefault(around, self._around)
        passage = hit.passage if size == self._around else workspace.searching.passage(hit, size)
        draw_html(text + cards.body(replace(hit, passage=passage), seen, around=True))
        texts = {width: f"±{width}" if width else t("Only this passage") for width in WIDTHS}
        with _row(f"passage_{hit.rank}"):
            segments("Neighbouring passages", texts, around)
            clicks = workspace.clicks
            copy_button(
                "Copy",
                passage.text
                if chunk.line
                else as_copied(flow(passage.text, paged=hit.note.is_paged, fence=passage.fence)),
                f"copy_{hit.rank}",
                partial(clicks.note, "copy", self._text, [(hit.note.id, chunk.id)]) if clicks.enabled else None,
            )

    def _why(self, hit: Hit, seen: Highlight) -> None:
        """Show the explanation of why a hit was found, and buttons for rating the hit."""
        words = dict.fromkeys(hit.chunk.text[start:end].casefold() for start, end in seen.words)
        title = " › ".join((hit.note.title, *hit.chunk.titles))
        marks = workspace.searching.marks(title, hit.asked or self._result.understood.text)
        titled = [
            word
            for word in dict.fromkeys(title[start:end].casefold() for start, end in marks)
            if word not in words and not workspace.searching.marks(hit.chunk.text, word)
        ]
        with frame(f"why_body_{hit.rank}", gap="small"):
            draw_html(
                f'<div class="t-caption">{t_html("Hit {n}", n=hit.rank)}</div><p>{html(sentence(hit, titled=bool(titled)))}</p>'
                + (facts([t("Contains these words from your question: {words}", words=list(words))]) if words else "")
                + (facts([t("Only in the title or headings: {words}", words=titled)]) if titled else "")
                + facts([hit.note.base, hit.note.path or ""])
                + cards.tags(hit.note.tags)
                + folded(t("Details"), cards.stages(hit.scores), css="t-more")
            )
            self._clicks(hit)
            verdicts = {use.chunk_id: use.verdict for use in workspace.uses.judged(query=self._text)}
            judge = partial(workspace.uses.judge, self._text, hit.note.id, hit.chunk.id)
            pills(
                "Was it useful?",
                VERDICTS,
                disabled=workspace.readonly,
                **bound(f"verdict_{hit.chunk.id}", verdicts.get(hit.chunk.id), judge),
            )
            with row():
                # A question set belongs to a base, and its questions have no filters.
                questions.mark_button(hit, self._result.understood.text or self._text)
                chunk_link(hit.note.id, hit.chunk.index)

    def _clicks(self, hit: Hit) -> None:
        """Show the user's past clicks that raise the rank of a hit's note, and a button that deletes them.

        Show nothing if there are none.
        """
        clicks = [click for click in workspace.searching.clicks_on(self._result) if click.note_id == hit.note.id]
        if not clicks:
            return
        lines = (
            f"{day_of(click.day)} · {text_of(CLICKED[click.kind])} · “{click.question}”" for click in clicks[:LISTED]
        )
        draw_html(
            f"<p>{t_html('Ranked higher because you used this note for similar questions:')}</p>"
            f'<div class="t-list">{elements(lines)}</div>'
        )
        widgets.more(len(clicks) - LISTED)
        small(
            "Clear",
            f"forget_clicks_{hit.rank}",
            "delete",
            workspace.clicks.forget,
            [hit.note.id],
            help="Delete your recorded clicks on this note",
            writes=True,
        )


def _row(key: str) -> DeltaGenerator:
    return row(gap="xsmall", wrap=False, key=key)


def _title(hit: Hit, text: str, title: str, seen: Highlight) -> None:
    """Draw the link to a hit's passage in its note. If a sentence answers the question, link to the sentence.

    Clicking the hit's text follows the same link.
    """
    at = None
    # The page of a hit that spans several pages is the page of the sentence.
    if seen.sentence and (seen.is_close or hit.page != hit.chunk.page) and not hit.chunk.edited:
        start, end = seen.sentence
        at = hit.chunk.start + start, hit.chunk.start + end
    titled_link("notes.py", title, width="stretch", **cards.address(hit, text, at))
