"""Choice of the strategy that fits a note: profile -> choice -> check of the result, with the reasons."""

from core.base.messages import Message, message, plural
from core.chunking import describe
from core.chunking.reading import TokenizedNote
from core.chunking.strategies import MarkdownAware, NoChunking, RecursiveCharacter, check_positive
from core.model import Chunk, Cut, Profile

NEARLY_ALL = 0.9
"""Share of a note's tokens; a chunk with at least this share leaves the note practically uncut."""


class Adaptive:
    """Leaves short notes whole, cuts notes with headings by section and other notes by size.

    The next strategy is tried if the result has a flaw: more than half of four or more chunks have
    fewer than `chunk_size // 16` tokens, or one chunk holds nine tenths of a note over `chunk_size`.
    """

    def __init__(
        self,
        *,
        short_doc_threshold: int = 500,
        chunk_size: int = 512,
        chunk_overlap: int = 100,
        min_headings_for_md_aware: int = 2,
        max_single_chunk_size: int = 1500,
    ) -> None:
        self._threshold = check_positive("short_doc_threshold", short_doc_threshold)
        self._headings = check_positive("min_headings_for_md_aware", min_headings_for_md_aware)
        self._chunk_size = chunk_size
        self._whole = NoChunking()
        self._markdown = MarkdownAware(chunk_size=chunk_size, max_single_chunk_size=max_single_chunk_size)
        self._recursive = RecursiveCharacter(
            chunk_size=chunk_size, chunk_overlap=chunk_overlap, max_single_chunk_size=max_single_chunk_size
        )

    def cut(self, reading: TokenizedNote) -> list[Chunk]:
        return list(self.explain(reading).chunks)

    def explain(self, reading: TokenizedNote) -> Cut:
        """Cut a note and give the reasons, the chosen strategy's first, then the rejected ones'."""
        profile = describe.profile(reading)
        tokens = plural("{n} token", "{n} tokens", n=profile.tokens)
        if profile.tokens < self._threshold:
            short = message(
                "The note has {tokens}, fewer than {limit}, so it stays whole.", tokens=tokens, limit=self._threshold
            )
            needless = message("Not needed: the note is short.")
            chunks = self._whole.cut(reading)
            return _cut(chunks, profile, none=short, markdown=needless, recursive=needless)
        long = message(
            "The note has {tokens}; only notes with fewer than {limit} stay whole.",
            tokens=tokens,
            limit=self._threshold,
        )
        chunks, markdown = self._by_headings(reading, profile)
        if chunks:
            other = message("Not needed: the note's own sections are better places to split.")
            return _cut(chunks, profile, markdown=markdown, none=long, recursive=other)
        chunks = self._recursive.cut(reading)
        flaw = self._flaw(chunks, profile)
        recursive = message("The note is too long to stay whole, and its headings don't divide it well.")
        if flaw is not None:
            recursive = message(
                "The note is too long to stay whole, and its headings don't divide it well. This split "
                "has a flaw too ({flaw}), but no strategy is left to try.",
                flaw=flaw,
            )
        return _cut(chunks, profile, recursive=recursive, none=long, markdown=markdown)

    def _by_headings(self, reading: TokenizedNote, profile: Profile) -> tuple[list[Chunk], Message]:
        """Cut a note by its headings and give the reason; return no chunks where the result is rejected."""
        sections = profile.headings[1] + profile.headings[2]
        headings = plural("{n} heading (## or ###)", "{n} headings (## or ###)", n=sections)
        if sections < self._headings:
            return [], message(
                "The note has {headings}; a note needs {least} to be split by headings.",
                headings=headings,
                least=self._headings,
            )
        chunks = self._markdown.cut(reading)
        flaw = self._flaw(chunks, profile)
        if flaw is not None:
            return [], message("Tried for its {headings}, but {flaw}.", headings=headings, flaw=flaw)
        return chunks, message(
            "The note has {headings}; {least} are enough to be split by headings.",
            headings=headings,
            least=self._headings,
        )

    def _flaw(self, chunks: list[Chunk], profile: Profile) -> Message | None:
        sizes = [chunk.token_count - chunk.overlap_tokens for chunk in chunks]
        few = self._chunk_size // 16
        tiny = sum(size < few for size in sizes)
        if len(sizes) >= 4 and 2 * tiny > len(sizes):
            return message(
                "{tiny} of its {chunks} chunks would have fewer than {few} tokens",
                tiny=tiny,
                chunks=len(sizes),
                few=few,
            )
        largest = max(sizes, default=0)
        if profile.tokens > self._chunk_size and largest >= NEARLY_ALL * profile.tokens:
            return message(
                "one chunk would have {largest} of the note's {tokens} tokens", largest=largest, tokens=profile.tokens
            )
        return None


def _cut(chunks: list[Chunk], profile: Profile, **reasons: Message) -> Cut:
    """Return a cut with the reason of each strategy by its name, the chosen strategy first."""
    described = tuple(describe.reason(strategy, text) for strategy, text in reasons.items())
    return Cut(tuple(chunks), next(iter(reasons)), profile, described)
