"""The strategy that fits the note: profile -> choice -> check of the result, each with its reason."""

from core.chunking import describe
from core.chunking.markdown import MarkdownAware
from core.chunking.options import options, positive
from core.chunking.reading import Reading, Tokens, read
from core.chunking.recursive import RecursiveCharacter
from core.chunking.whole import NoChunking
from core.model import Chunk, Cut, Note, Profile

NEARLY_ALL = 0.9
"""The share of a note's tokens from which on one chunk is as good as no cut."""


class Adaptive:
    """Leaves short notes whole, cuts notes with headings by section and others by size.

    A result is checked: where more than half of four or more chunks are tiny (fewer than
    `chunk_size // 16` tokens), or one of several chunks holds nine tenths of a note that is over
    `chunk_size`, the next strategy takes its place.
    """

    def __init__(
        self,
        tokens: Tokens,
        *,
        short_doc_threshold: int = 500,
        chunk_size: int = 512,
        chunk_overlap: int = 100,
        min_headings_for_md_aware: int = 2,
        max_single_chunk_size: int = 1500,
    ) -> None:
        self._tokens = tokens
        self._threshold = positive("short_doc_threshold", short_doc_threshold)
        self._headings = positive("min_headings_for_md_aware", min_headings_for_md_aware)
        self._chunk_size = chunk_size
        self._whole = NoChunking(tokens)
        self._markdown = MarkdownAware(tokens, chunk_size=chunk_size, max_single_chunk_size=max_single_chunk_size)
        self._recursive = RecursiveCharacter(
            tokens,
            chunk_size=chunk_size,
            chunk_overlap=chunk_overlap,
            max_single_chunk_size=max_single_chunk_size,
        )

    @property
    def fingerprint(self) -> str:
        own = options("auto", short=self._threshold, headings=self._headings)
        return f"{own}:{self._markdown.fingerprint}:{self._recursive.fingerprint}"

    def chunk(self, note: Note) -> list[Chunk]:
        return self.cut(read(note, self._tokens))

    def cut(self, reading: Reading) -> list[Chunk]:
        return list(self.explain(reading).chunks)

    def explain(self, reading: Reading) -> Cut:
        """Cut a note and say why so: the chosen strategy's reason first, then the rejected ones'."""
        profile = describe.profile(reading)
        sections = profile.headings[1] + profile.headings[2]
        short = f"The note has {_counted(profile.tokens, 'token')}"
        if profile.tokens < self._threshold:
            return Cut(
                tuple(self._whole.cut(reading)),
                "none",
                profile,
                (
                    f"none: {short}, fewer than short_doc_threshold ({self._threshold}), so it stays whole.",
                    "markdown: not needed, the note is short.",
                    "recursive: not needed, the note is short.",
                ),
            )
        rejected = [f"none: {short}, not fewer than short_doc_threshold ({self._threshold})."]
        found = f"{_counted(sections, 'heading')} of level 2 or 3"
        if sections >= self._headings:
            chunks = self._markdown.cut(reading)
            flaw = self._flaw(chunks, profile)
            if flaw is None:
                reason = f"markdown: The note has {found}, at least {self._headings} are asked for."
                other = "recursive: not needed, the note's own sections are the better places to cut."
                return Cut(tuple(chunks), "markdown", profile, (reason, *rejected, other))
            rejected.append(f"markdown: tried for its {found}, but {flaw}.")
        else:
            rejected.append(f"markdown: The note has {found}, fewer than min_headings_for_md_aware ({self._headings}).")
        chunks = self._recursive.cut(reading)
        reason = "recursive: The note is too long to stay whole, and its headings don't divide it well."
        flaw = self._flaw(chunks, profile)
        if flaw is not None:
            reason += f" Its result has a flaw too ({flaw}), but no strategy is left to try."
        return Cut(tuple(chunks), "recursive", profile, (reason, *rejected))

    def _flaw(self, chunks: list[Chunk], profile: Profile) -> str | None:
        sizes = [chunk.token_count - chunk.overlap_tokens for chunk in chunks]
        few = self._chunk_size // 16
        tiny = sum(size < few for size in sizes)
        if len(sizes) >= 4 and 2 * tiny > len(sizes):
            return f"{tiny} of its {len(sizes)} chunks would have fewer than {few} tokens"
        largest = max(sizes, default=0)
        if profile.tokens > self._chunk_size and largest >= NEARLY_ALL * profile.tokens:
            return f"one chunk would have {largest} of the note's {profile.tokens} tokens"
        return None


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
