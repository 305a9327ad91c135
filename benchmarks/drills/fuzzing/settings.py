"""Settings files and environments at random."""

import json
from random import Random

_SECTIONS = ("search", "chunking", "embeddings", "rerank", "llm")
_NAMES = (
    *("limit", "pool", "mode", "level", "reranker", "chunk_size", "strategy", "base_url", "model", "retries", "style"),
    *("timeout_seconds", "dimensions", "api_key", "decompose", "workspace", "embedder", "models_dir", "log_texts"),
    *("colour", "", "limit__x", "__", "Limit"),
)
_VALUES = (
    *(
        "5",
        "-1",
        "0",
        "1.5",
        "1e400",
        "nan",
        "inf",
        "true",
        "null",
        "9" * 50,
        "9" * 5000,
        "auto",
        "hybrid",
        "none",
        "x",
    ),
    *(
        "{",
        "}",
        "[",
        "]",
        "{}",
        "[]",
        '"',
        "'",
        "",
        " ",
        "\0",
        "\udcff",
        "é",
        "x" * 2000,
        "[" * 5000,
        '{"limit": {"a": 1}}',
    ),
    *(
        '{"limit": 5}',
        '{"limit": "x"}',
        '{"base_url": 5}',
        '{"limit": "\\ud800"}',
        "http://x",
        "http://a:b@c",
        "http://[::1",
    ),
    *("http://localhost:99999/v1", "ftp://x", "http://a..b", "1979-05-27", "../..", "~", "$HOME", "{n}", "%s"),
)
_LINES = (
    *("[search]", "[llm]", "[[search]]", "[search.limit]", "[x]", "[", "]", "a.b.c = 1", "# x", "=", "x", "'''", '"""'),
    *("a = " + "[" * 3000, "a" + ".a" * 2000 + " = 1", "a = " + "9" * 5000, "\ufeff", "\0", "\r", "a = 1\na = 2"),
)


def file(chance: Random) -> bytes:
    """Return TOML of known and unknown sections, names and values, sometimes of other bytes."""
    lines = []
    for _ in range(chance.randrange(4)):
        section = f"[{chance.choice(_SECTIONS)}]\n" if chance.random() < 0.6 else ""
        value = chance.choice(("5", "10", "x", *_VALUES))
        written = json.dumps(value) if chance.random() < 0.5 else value
        line = f"{section}{chance.choice(_NAMES)} = {written}"
        lines.append(line if chance.random() < 0.8 else chance.choice(_LINES))
    data = "\n".join(lines).encode(chance.choice(("utf-8", "utf-8", "utf-16", "latin-1")), "replace")
    return data + bytes([chance.randrange(256)]) * (chance.random() < 0.1)


def environment(chance: Random) -> dict[str, str]:
    """Return one or two variables with known and unknown names and any value that an environment can hold."""
    variables = {}
    for _ in range(chance.randrange(1, 3)):
        section, name = chance.choice((*_SECTIONS, "language")), chance.choice(_NAMES)
        parts = chance.choice(((section,), (name,), (section, name), (section, name), (section, name, "x")))
        variable = "TESSERA_" + "__".join(parts).upper()
        value = chance.choice(("5", "10", *_VALUES)).replace("\0", "")
        variables[variable if chance.random() < 0.95 else variable.lower()] = value
    return variables
