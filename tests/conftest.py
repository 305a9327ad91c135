import pytest

from core import embedding
from core.embedding import Embedder


@pytest.fixture(scope="session")
def bundled() -> Embedder:
    """The real bundled model, loaded once for all tests; converted into the user's cache once for all runs."""
    embedder = embedding.build("bundled")
    embedder.warm()
    return embedder
