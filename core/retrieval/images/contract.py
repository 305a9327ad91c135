"""Contract tests for every image embedder, including those in other packages.

To use them, subclass ImageEmbedderContract and provide an `image_embedder` fixture that returns the embedder under
test.
"""

import numpy as np

from core.embedding.contract import TEXTS
from core.retrieval.images import ImageEmbedder


class ImageEmbedderContract:
    """The tests every image embedder must pass."""

    def test_pictures_and_texts_have_vectors_of_one_space(self, image_embedder: ImageEmbedder) -> None:
        shapes = [(40, 60), (300, 56), (1, 1)]
        noise = np.random.default_rng(1)
        images = [noise.integers(0, 256, (*shape, 3), np.uint8) for shape in shapes]
        seen = image_embedder.embed_images(images)
        read = image_embedder.embed_texts(TEXTS)
        assert seen.shape[1] == read.shape[1]
        for vectors, things in ((seen, images), (read, TEXTS)):
            assert vectors.dtype == np.float32
            assert len(vectors) == len(things)
            assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)

    def test_a_picture_has_the_same_vector_again(self, image_embedder: ImageEmbedder) -> None:
        red, blue = (np.full((64, 64, 3), colour, np.uint8) for colour in ((255, 0, 0), (0, 0, 255)))
        once = image_embedder.embed_images([red])[0]
        again = image_embedder.embed_images([blue, red])
        assert np.allclose(once, again[1], atol=1e-4)
        assert not np.allclose(once, again[0], atol=1e-4)

    def test_what_is_named_is_here(self, image_embedder: ImageEmbedder) -> None:
        assert image_embedder.is_here is True
        assert isinstance(image_embedder.fingerprint, str)
