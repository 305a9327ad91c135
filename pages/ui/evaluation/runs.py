"""Choose two setups to compare, run a question set with both setups, and show earlier runs."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st
from streamlit import columns, rerun, session_state

from core.base.messages import message_table
from core.model import (
    MOST_RUNS,
    SIZES,
    KnowledgeBase,
    Pipeline,
    QuestionSet,
    Run,
    RunList,
    SearchSettings,
    embedder_name,
    pipeline_label,
)
from pages.ui.shared import knobs, links
from pages.ui.shared.jobs import EVALUATION, hindrance, job_panel, start_job
from pages.ui.shared.knobs import NO_RERANKER
from pages.ui.shared.names import duration, local
from pages.ui.shared.safe import html
from pages.ui.shared.server import workspace
from pages.ui.shared.text import small_print, t, t_plural, text_of
from pages.ui.shared.widgets import (
    Binding,
    bound,
    button,
    caption,
    pills,
    popup,
    row,
    segments,
    select,
    small,
    table,
    text_column,
)

# Setup names and presets.

# Letters that stand for the compared evaluation runs.
LETTERS = "AB"


def presets(base: KnowledgeBase) -> dict[str, Pipeline]:
    """Return preset setups, keyed by name. Each differs from the base's settings in one respect."""
    now = base.chunking
    halves = {
        name: max(SIZES[name].least, getattr(now, name) // 2)
        for name in ("chunk_size", "max_single_chunk_size", "chunk_overlap")
    }
    smaller = replace(now, short_doc_threshold=SIZES["short_doc_threshold"].least, **halves)
    strategies = [name for name in ("recursive", "markdown", "none") if name != now.strategy]
    by_meaning = {
        "no_rerank": Pipeline(search=SearchSettings(reranker=NO_RERANKER)),
        "meaning": Pipeline(search=SearchSettings(mode="semantic")),
        "words": Pipeline(search=SearchSettings(mode="keyword")),
    }
    return {
        **(by_meaning if base.has_vectors else {}),
        **({"smaller": Pipeline(chunking=smaller)} if smaller != now else {}),
        **{name: Pipeline(chunking=replace(now, strategy=name)) for name in strategies},
        "around": Pipeline(search=knobs.AROUND),
    }


def pipeline_name(way: Pipeline, base: KnowledgeBase) -> str:
    """Return a setup's name. If it is unnamed, return a phrase that says how it differs from the base."""
    text = text_of(pipeline_label(way, base.chunking))
    return text if way.name else text[:1].upper() + text[1:]


def badge(number: int) -> str:
    """Return an evaluation run's letter as HTML, in the run's colour."""
    return f'<span class="t-run t-run-{number}">{LETTERS[number]}</span>'


PRESETS = message_table(
    {
        "as_is": "Current settings",
        "no_rerank": "Without reranking",
        "meaning": "Meaning only",
        "words": "Keywords only",
        "smaller": "Smaller chunks",
        "recursive": "Split by size",
        "markdown": "Split by headings",
        "none": "Whole notes",
        "around": "With neighbours",
    }
)


def choose(base: KnowledgeBase) -> list[Pipeline]:
    """Draw widgets for two setups side by side, and return the setups.

    Initially, they are the base's settings and the first preset.
    """
    chosen: list[Pipeline] = session_state.setdefault(
        f"ways_{base.id}", [Pipeline(), next(iter(presets(base).values()))]
    )

    for number, (column, way) in enumerate(zip(columns(len(chosen)), chosen, strict=True)):
        with column.container(border=True, key=f"way_{number}", height="stretch"):
            _way(base, number, way, partial(chosen.__setitem__, number))
    return list(chosen)


def _way(base: KnowledgeBase, number: int, way: Pipeline, put: Callable[[Pipeline], None]) -> None:
    with row(f"way_head_{number}"):
        st.html(
            f'<div class="t-head">{badge(number)}<span class="t-name">{html(pipeline_name(way, base))}</span></div>'
        )
        with (
            popup("All settings", "tune", f"way_all_{number}", type="tertiary"),
            st.container(key=f"way_body_{number}"),
        ):
            _everything(base, number, way, put)
    offered = {"as_is": Pipeline(), **presets(base)}
    chosen = next((name for name, preset in offered.items() if preset == way), None)
    pills(
        t("What is different in {letter}", letter=LETTERS[number]),
        {name: PRESETS[name] for name in offered},
        **bound(f"way_preset_{number}", chosen, lambda name: put(offered[name] if name else way)),
    )


def _everything(base: KnowledgeBase, number: int, way: Pipeline, put: Callable[[Pipeline], None]) -> None:
    """Draw a widget for each of the setup's settings. The setup stores only values that differ from the base's."""
    usual = workspace.bases.search_settings(base)
    cut = way.chunking or base.chunking

    def field(name: str) -> Binding:
        return bound(
            f"way_{name}_{number}", getattr(way, name), lambda value: put(replace(way, **{name: value.strip()}))
        )

    def search(name: str) -> Binding:
        first = knobs.value(usual, name)
        own = getattr(way.search, name)

        def choose(value: Any) -> None:
            put(replace(way, search=replace(way.search, **{name: None if value == first else value})))

        return bound(f"way_{name}_{number}", first if own is None else own, choose)

    st.text_input(t("Name"), placeholder=pipeline_name(replace(way, name=""), base), max_chars=60, **field("name"))
    options = knobs.choose(f"way_{number}", cut, base.chunking)
    if options != cut:
        put(replace(way, chunking=None if options == base.chunking else options))
        rerun()
    left, right = columns(2, gap="medium")
    with left:
        if base.has_vectors:
            select(
                "Model for searching by meaning",
                {"": embedder_name(base.embedder)}
                | {name: embedder_name(name) for name in embedders() if name != base.embedder},
                **field("embedder"),
            )
        if workspace.settings.llm.is_set_up or (way.answers, way.judge) != ("quotes", "none"):
            select(
                "Answers",
                message_table({"quotes": "Sentences from your notes", "model": "Written by the language model"}),
                **field("answers"),
            )
            select(
                "Judged by",
                message_table({"none": "Nobody", "model": "The language model"}),
                help=t(
                    "The judge compares each answer with your expected answer and with the correct passages, "
                    "and says whether they agree and why. Its opinion is a separate figure. A model tends to "
                    "be lenient with its own writing."
                ),
                **field("judge"),
            )
    with right:
        for name in knobs.fitting(knobs.OF_WAYS, base):
            if name == "reranker":
                rerankers = (usual.reranker, *knobs.values(name), way.search.reranker or NO_RERANKER)
                select(
                    knobs.setting_label(name),
                    {reranker: knobs.value_label(name, reranker) for reranker in rerankers},
                    **search(name),
                )
            else:
                knobs.draw(name, **search(name))


@st.cache_data(ttl=60, show_spinner=False)
def embedders() -> list[str]:
    """Return the names of the usable embedders. They are cached, because finding them involves reading folders."""
    return [card.name for card in workspace.models.all() if card.part == "embedder" and not card.problem]


# Running a question set with two setups: the estimated time, the button, the progress and the result.

ABOUT = message_table(
    {
        "hit@1": "Share of questions whose first hit contains a correct passage (hit@1)",
        "hit@5": "Share of questions with a correct passage in the first 5 hits (hit@5)",
        "hit@10": "Share of questions with a correct passage in the first 10 hits (hit@10)",
        "mrr@10": (
            "Average score: 1 if the first hit is correct, 1/2 if the second is, 1/3 if the third is, and so on, "
            "and 0 if none of the first ten is (mrr@10)"
        ),
        "hit@4000chars": "Share of questions with a correct passage in the first 4,000 characters of the hits "
        "(hit@4000chars)",
        "mrr@4000chars": "Average score as in mrr@10 (1, 1/2, 1/3 …), but only within the first 4,000 characters of the "
        "hits (mrr@4000chars)",
        "recall@10": "Share of all correct passages that are among the first 10 hits (recall@10)",
        "precision@10": (
            "Share of the first 10 hits that contain a correct passage. Questions with only one correct passage "
            "always score low, so use this figure only to compare test runs (precision@10)"
        ),
        "ndcg@10": "How close the order of the first 10 hits comes to the best possible order, from 0 to 1 (ndcg@10)",
        "map@10": "Average share of correct hits among the hits up to and including each correct passage (map@10)",
        "span_recall": "Share of the correct passages' text that is in the first 4,000 characters of the hits "
        "(span_recall)",
        "span_precision": "Share of the first 4,000 characters of the hits that belong to a correct passage (span_precision)",
        "span_iou": (
            "How much text the hits and the correct passages share, from none (0) to exactly the same text "
            "(1) (span_iou)"
        ),
        "answered": "Of the questions with an answer in the notes, the share that was answered rather than refused (answered)",
        "cited_recall": (
            "Share of correct passages that the answer quotes. A quote counts if it overlaps at least half of "
            "the shorter text (cited_recall)"
        ),
        "cited_precision": "Share of quotes that come from a correct passage (cited_precision)",
        "quoted": "Share of the answer's sentences whose source appears word for word in the notes (quoted)",
        "facts": "Share of the figures and names in your expected answers that also appear in the answers (facts)",
        "refused": "Of the questions without an answer in the notes, the share that was refused (refused)",
        "agreed": (
            "How well the answers agree with your expected answers, as judged by the language model, which gives 1 "
            "for agreement and 0.5 for partial agreement. The reason is shown with each question (agreed)"
        ),
        "p50_ms": "Half of the questions take less time than this (p50_ms)",
        "p95_ms": "95% of the questions take less time than this (p95_ms)",
    }
)


def chosen_runs(base: KnowledgeBase, question_set: QuestionSet) -> list[Run]:
    """Return the evaluation runs to show, at most MOST_RUNS.

    They are the runs given in the URL or, failing that, those chosen in this session. By default, they are the question
    set's last finished runs with different setups, the run with the base's own settings first.
    """
    key = _key(question_set.id)
    if (linked := links.arrived_value("runs")) is not None:
        session_state[key] = linked
    runs = {run.id: run for run in workspace.runs.all(base.name)}
    named = [runs[run_id] for run_id in session_state.get(key, "").split(",") if run_id in runs]
    if not named:
        last = {run.pipeline: run for run in reversed(runs.values()) if run.set_id == question_set.id and run.ended_at}
        usual = [run for way, run in last.items() if replace(way, name="") == Pipeline()][-1:]
        others = [run for run in last.values() if run not in usual]
        named = [*usual, *others[len(usual) - 2 :]]
    named = named[:MOST_RUNS]
    links.set_value("runs", ",".join(run.id for run in named))
    return named


def compare(set_id: str, run_ids: Sequence[str]) -> None:
    """Select the evaluation runs to compare for a question set. A single run is shown without a comparison."""
    chosen = session_state[_key(set_id)] = ",".join(run_ids)
    links.set_values({"runs": chosen, "question": ""})


def _key(set_id: str) -> str:
    return f"compared_{set_id}"


JOB = "evaluate"
# Estimated number of seconds per question if the base has no evaluation runs yet.
SECONDS = 0.15


def draw_start(base: KnowledgeBase, question_set: QuestionSet, chosen: Sequence[Pipeline]) -> None:
    """Draw the button that runs the question set with both setups, the estimated time, and hints."""
    count = question_set.questions - question_set.suggested
    twice = len({replace(way, name="") for way in chosen}) == 1
    copies = [letter for letter, way in zip(LETTERS, chosen, strict=True) if not workspace.runs.is_own(base, way)]
    with row("run_row"):
        if button(
            "Run these 2 setups",
            "run",
            "play_arrow",
            type="primary",
            disabled=hindrance(*EVALUATION) or not count or twice,
        ):
            start_job(JOB, lambda progress: RunList.from_runs(workspace.runs.run(question_set, chosen, progress)))
        st.caption(
            t_plural(
                "{n} question, 2 setups, about {time}",
                "{n} questions, 2 setups, about {time}",
                n=count,
                time=estimate(base, count * len(chosen)),
            )
            if count
            else t("This question set has no accepted questions yet."),
            width="content",
        )
        if not count:
            small("Go to the questions", "run_first", "quiz", show, "questions")
    if workspace.pending.count(base.name):
        caption(
            t("Some notes in this base are not indexed yet. The figures will change once these notes are indexed."),
            "hourglass_top",
        )
    if twice:
        caption(t("The two setups are the same. Change one to compare them."), "info")
    elif copies:
        wait = t(
            "For {names}, the notes are split and indexed again in a separate copy. This takes "
            "minutes the first time and changes nothing in the base.",
            names=copies,
        )
        st.caption(f":material/hourglass_top: {wait}")


def panel(base: KnowledgeBase, question_set: QuestionSet | None) -> None:
    """Show the progress of a running evaluation. When it has finished, open its question set and results."""
    job = workspace.jobs.find(JOB)
    if job and job.state == "done" and isinstance(job.result, RunList):
        made = job.result.runs
        if made[0].id in {run.id for run in workspace.runs.all(base.name)}:
            compare(made[0].set_id, [run.id for run in made])
            workspace.jobs.forget(JOB)
            if question_set is None or made[0].set_id != question_set.id:
                st.query_params.update({"set": made[0].set_name, "view": "compare"})
                rerun()
    job_panel((JOB,))


def estimate(base: KnowledgeBase, count: int) -> str:
    """Return, as text, the estimated time for asking `count` questions, from the base's last four evaluation runs."""
    measured = [run.metrics["p50_ms"] / 1000 for run in workspace.runs.all(base.name)[:4] if "p50_ms" in run.metrics]
    return duration(count * max(measured, default=SECONDS))


# Titles of the columns with metrics, which are shorter than FIGURES.
_COLUMNS = message_table(
    {
        "hit@1": "First hit",
        "hit@5": "First 5",
        "hit@10": "First 10",
        "mrr@10": "Rank",
        "hit@4000chars": "4,000 chars",
    }
)
STATES = message_table(
    {
        "complete": "complete",
        "stopped": "stopped",
        "running": "running",
        "changed": "notes have changed since",
    }
)


def draw_runs(base: KnowledgeBase, question_set: QuestionSet) -> None:
    """Show the evaluation runs of a question set, or of all in the base, with actions on selected runs."""
    scope = segments(
        "Which test runs",
        message_table({"set": "This question set", "base": "All question sets in this base"}),
        "history_scope",
        default="set",
    )
    runs = [run for run in workspace.runs.all(base.name) if scope == "base" or run.set_id == question_set.id]
    if runs:
        _actions(question_set, _marked(base, runs, sets=scope == "base"))
    else:
        small_print("There are no test runs yet. Compare two setups first.")
        button("Compare two setups", "history_first", "compare_arrows", show, "compare")
    # Copies of the notes, split or indexed differently for setups other than the base's own.
    if not (size := workspace.runs.scratch.bytes()):
        return
    with row("eval_places"):
        small_print(
            "Copies of the notes that are split for other setups take up {size} MB. If you delete them, those "
            "setups take minutes to run the next time.",
            size=f"{size / 1e6:,.0f}",
        )
        small("Delete", "eval_places_delete", "delete", workspace.runs.scratch.drop, disabled=hindrance(*EVALUATION))


def _marked(base: KnowledgeBase, runs: Sequence[Run], *, sets: bool) -> list[Run]:
    event = table(
        [
            {
                "when": local(run.started_at),
                **({"set": run.set_name} if sets else {}),
                "way": pipeline_name(run.pipeline, base),
                "state": text_of(STATES[state(run)]),
                "asked": run.progress,
                **{name: run.metrics.get(name) for name in _COLUMNS},
            }
            for run in runs
        ],
        {
            "when": text_column("When", width=120),
            "set": text_column("Question set", width=110),
            "way": text_column("Setup", width=150),
            "state": text_column("State", width=90),
            "asked": text_column("Asked", width=60),
            **{
                name: st.column_config.NumberColumn(text_of(title), format="%.3f", width=82, help=text_of(ABOUT[name]))
                for name, title in _COLUMNS.items()
            },
        },
        f"history_{hash(tuple((run.id, run.asked) for run in runs))}",
        most=560,
        on_select="rerun",
        selection_mode="multi-row",
    )
    return [runs[at] for at in sorted(event.selection.rows) if at < len(runs)]


def state(run: Run) -> str:
    """Return an evaluation run's state.

    It is "running", "stopped", "complete", or "changed" if notes have changed since the run.
    """
    if run.ended_at is None:
        return "running" if workspace.runs.is_under_way(run) else "stopped"
    return "complete" if workspace.runs.is_current(run) else "changed"


def _actions(question_set: QuestionSet, marked: Sequence[Run]) -> None:
    shut = hindrance(*EVALUATION)
    ready = [run for run in marked if run.asked]

    def open_comparison() -> None:
        # Put the older run first, as the baseline. The table lists the newest run first.
        compare(question_set.id, [run.id for run in reversed(ready)])
        show("compare")

    with row("history_actions"):
        label, icon = (t("Compare 2 test runs"), "compare_arrows") if len(ready) > 1 else (t("View"), "visibility")
        button(
            label, "history_compare", icon, open_comparison, type="primary", disabled=not 0 < len(ready) <= MOST_RUNS
        )
        label = (
            t_plural("Delete {n} test run", "Delete {n} test runs", n=len(marked)) if len(marked) > 1 else t("Delete")
        )
        if button(label, "history_delete", "delete", disabled=shut or not marked):
            workspace.runs.delete_for_good([run.id for run in marked])
            rerun()
        resumable = len(marked) == 1 and marked[0].ended_at is None
        if resumable and button("Resume", "history_resume", "play_arrow", disabled=shut):
            start_job(JOB, lambda progress: RunList.from_runs([workspace.runs.resume(marked[0].id, progress)]))
    small_print("Select one test run to look at it, or two to compare the newer with the older.")


def show(view: str) -> None:
    """Open another view of the Evaluation page on the next rerun. Use this in callbacks."""
    session_state["eval_view"] = view
