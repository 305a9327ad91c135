"""Writes the vectors that come with the sample: python -m tests.sample_vectors"""

import tempfile
from pathlib import Path

from core import embedding
from core.base.text import digest
from core.embedding import shipped, tokens
from core.embedding.windows import windows_of
from core.workspace import Workspace

NAME = "bundled"


def texts(workspace: Workspace) -> dict[bytes, str]:
    """Install the sample, without its vectors, and return the texts that are embedded of it, by their hashes."""
    workspace.packs.install("sample", embed=False)
    embedder = embedding.build(NAME)
    cards = workspace.notes.all()
    windows = [window for card in cards for window in windows_of(workspace.chunks.all(card.id), card.title, embedder)]
    return {digest(window.text): window.text for window in windows}


def main() -> None:
    embedder = embedding.build(NAME)
    model = tokens.token_embedder(embedder)
    assert model is not None
    with tempfile.TemporaryDirectory() as folder, Workspace(Path(folder)) as workspace:
        found = texts(workspace)
    ordered = sorted(found, key=lambda key: len(found[key]))
    vectors, rows = model.embed_tokens([found[key] for key in ordered], role="note")
    centre = tokens.centre(model)
    bits = [tokens.signs(row, centre) for row in rows]
    shipped.store(embedder.fingerprint, shipped.ShippedVectors(ordered, vectors, bits))


if __name__ == "__main__":
    main()
