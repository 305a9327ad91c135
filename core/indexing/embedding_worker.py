"""The worker process that embeds many notes, started as `python -m core.indexing.embedding_worker`."""

from core import embedding
from core.base.worker_process import serve
from core.embedding.sentence import Encoder
from core.indexing.embedding_process import EmbeddingRequest, OtherModel, embed_notes


def _answer(request: EmbeddingRequest) -> tuple[object, bool]:
    try:
        embedder = embedding.build(request.name)
        if embedder.fingerprint != request.fingerprint:
            return OtherModel(), True
        if isinstance(embedder, Encoder):
            embedder.load_fastest()
        return embed_notes(embedder, request.texts, request.centre), True
    except MemoryError:  # ends this process, which frees the memory
        raise
    except Exception as error:  # noqa: BLE001 the parent process raises it
        return error, True


if __name__ == "__main__":
    serve(_answer)
