"""Reduce token vectors to sign bits, and compare a question's tokens with a passage's.

Late interaction (ColBERT, Khattab and Zaharia 2020) needs one vector per token. Instead of a token's vector, only the
signs of its difference from the model's mean token vector are stored. They take a thirty-second of the space, and rank
nearly as well (decision 62).
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.base.blobs import Span
from core.base.text import CJK, STOP_WORDS
from core.embedding.protocol import Embedder
from core.model import Bits, Matrix, Role, Spans


def span_rows(spans: Iterable[Span]) -> Spans:
    """Return spans as an array of shape (spans, 2)."""
    return np.fromiter(chain.from_iterable(spans), np.int32).reshape(-1, 2)


def tokens_within(places: Spans, spans: Iterable[Span]) -> NDArray[np.bool_]:
    """Return, for each token, whether it is within one of the `spans`. `places` contains the tokens' own spans."""
    inside = np.zeros(len(places), dtype=bool)
    for start, end in spans:
        inside |= (places[:, 0] >= start) & (places[:, 1] <= end)
    return inside


# Weight of a token in a stop word or punctuation. Any other token has a weight of 1.
_STOP_WORD = 0.3


def token_weights(text: str, spans: Spans, count: int) -> Matrix:
    """Return the weights of a question's tokens, which add up to 1.

    `spans` are the tokens' spans in `text`. If they don't number `count`, all weights are equal.
    """
    weights = np.ones(count, np.float32)
    if len(spans) == count:
        for match in re.finditer(rf"(?:(?![{CJK}])\w)+|[^\w\s]+", text):
            if match[0].casefold() in STOP_WORDS or not match[0][0].isalnum():
                weights[tokens_within(spans, [match.span()])] = _STOP_WORD
    weights /= weights.sum()
    return weights


# The texts' vectors, and the token vectors of each text.
WithTokens = tuple[Matrix, list[Matrix]]


@cache
def load_arrays(file: Path) -> dict[str, Matrix]:
    """Load the arrays in a file, keyed by model fingerprint. Return {} if the file is missing."""
    from safetensors.numpy import load_file

    return dict(load_file(file)) if file.is_file() else {}


# Number of tokens to multiply at once, and number of tokens to unpack at once. For larger products, BLAS would use
# several threads, and starting them takes longer than the product. The unpacked tokens fit into the processor's cache.
_TOGETHER = 32
_BLOCK = 2048
SHIPPED = Path(__file__).with_name("tokens.safetensors")


class TokenEmbedder(Embedder, Protocol):
    """An embedder that also returns token vectors."""

    def embed_tokens(self, texts: Sequence[str], *, role: Role) -> WithTokens:
        """Return the same vectors as `embed`, and each text's token vectors, which have unit length.

        Raises the same errors as `embed`.
        """


# Typical passages in English and Chinese. The mean of their token vectors is a model's centre.
TYPICAL = (
    "Meeting notes > Decisions\nWe agreed to move the release to Thursday. Anna writes the announcement, and the"
    " old version stays available for a month.",
    "Databases > Indexes\nAn index speeds up reading and slows down writing. Create one for every column that a"
    " query filters by, and check with EXPLAIN whether it is used.",
    "Shell > Finding large files\n```bash\ndu -sh ./* | sort -h | tail -n 20\nfind . -type f -size +100M\n```",
    "Python > Errors\n```python\ntry:\n    value = int(text)\nexcept ValueError:\n    value = 0\n```",
    "Recipes > Bread\n- 500 g flour\n- 350 ml water\n- 10 g salt\n\nLet the dough rest overnight, then bake it for 40"
    " minutes at 230 degrees.",
    "Statistics > Mean and median\nThe mean is the sum divided by the count, $\\bar{x} = \\frac{1}{n} \\sum x_i$; the"
    " median is the value in the middle and doesn't move with outliers.",
    "Travel > Packing list\n| what | how many |\n|---|---|\n| shirts | 4 |\n| chargers | 2 |",
    "Reading > On memory\n> We remember the beginning and the end of a list better than its middle.\n\nSee [[Spaced"
    " repetition]] and https://example.org/memory.",
    "Health > Sleep\nGoing to bed at the same time every day helps more than sleeping longer at the weekend.",
    "Networking > DNS\nA resolver asks the root servers first, then those of the top-level domain, and keeps the"
    " answer for as long as its time to live says.",
    "会议记录 > 决定\n发布推迟到周四，由小王写公告，旧版本再保留一个月。下次会议讨论预算。",
    "数据库 > 索引\n索引让读取更快，让写入更慢。为查询条件里的每一列建立索引，并用 EXPLAIN 检查它是否被使用。",
    "操作系统 > 进程与线程\n进程拥有独立的地址空间，线程共享所在进程的内存。线程切换的开销更小，但需要加锁。",
    "机器学习 > 过拟合\n模型在训练集上表现很好，在测试集上却很差，就是过拟合。可以增加数据、使用正则化或提前停止训练。",
    "菜谱 > 番茄炒蛋\n1. 鸡蛋打散，加少许盐\n2. 番茄切块\n3. 先炒鸡蛋，再炒番茄，最后合在一起翻炒两分钟",
    "前端 > 事件循环\n```javascript\nsetTimeout(() => console.log('later'), 0)\nconsole.log('first')\n```",
    "读书笔记 > 时间管理\n重要而不紧急的事情最容易被拖延，所以每天早上先做一件这样的事。参见 [[番茄工作法]]。",
    "Redis > 缓存穿透\n查询不存在的数据会绕过缓存直接打到数据库。可以缓存空值，或者用布隆过滤器提前拦截请求。",
    "旅行 > 预算\n| 项目 | 金额 |\n|---|---|\n| 机票 | 3200 |\n| 住宿 | 1800 |",
    "健康 > 睡眠\n每天在同一时间上床，比周末补觉更有用。睡前一小时不要看手机。",
)


def token_embedder(embedder: Embedder) -> TokenEmbedder | None:
    """Return the embedder if it can return token vectors, or None if it can't."""
    return embedder if hasattr(embedder, "embed_tokens") else None  # type: ignore[return-value]


def centre(embedder: TokenEmbedder) -> Matrix:
    """Return a model's centre, the mean token vector of TYPICAL, shape (token dimension,).

    The built-in model's centre ships with Tessera, so that a small import doesn't spend ten seconds loading torch.
    """
    centre = load_arrays(SHIPPED).get(embedder.fingerprint)
    return compute_centre(embedder) if centre is None else centre


def compute_centre(embedder: TokenEmbedder) -> Matrix:
    """Compute a model's centre by embedding TYPICAL."""
    _, tokens = embedder.embed_tokens(TYPICAL, role="note")
    mean: Matrix = np.concatenate(tokens).mean(axis=0, dtype=np.float32)
    return mean


def signs(tokens: Matrix, centre: Matrix) -> Bits:
    """Return the signs of token vectors relative to the centre, one bit per component, packed into bytes."""
    return np.packbits(tokens > centre, axis=1)


def interaction(question: Matrix, centre: Matrix, passages: Sequence[Bits]) -> list[float]:
    """Return each passage's mean cosine between a token of the question and the nearest token of the passage.

    `question` contains one float vector per token. If the passage or the question has no tokens, the score is 0.
    """
    rows = [len(bits) for bits in passages]
    if not len(question) or not any(rows):
        return [0.0] * len(passages)
    centred = unit(question - centre).T
    filled = np.flatnonzero(rows)
    nearest = np.maximum.reduceat(_products(np.concatenate(passages), centred), np.cumsum([0, *rows])[filled], axis=0)
    scores = np.zeros(len(passages))
    scores[filled] = _cosines(nearest, centred).mean(axis=1)
    return scores.tolist()


def _products(bits: Bits, centred: Matrix) -> Matrix:
    """Return the dot products of passage bits and question tokens.

    The bits are multiplied in small parts, to stay on a single core.
    """
    full = np.concatenate([bits, np.zeros((-len(bits) % _TOGETHER, bits.shape[1]), np.uint8)])
    blocks = [
        unpack_signs(full[at : at + _BLOCK], len(centred)).reshape(-1, _TOGETHER, len(centred)) @ centred
        for at in range(0, len(full), _BLOCK)
    ]
    return np.concatenate(blocks).reshape(len(full), -1)[: len(bits)]


def _cosines(products: Matrix, centred: Matrix) -> Matrix:
    """Convert dot products with bits to cosines with signs. The shape stays the same.

    A sign is twice its bit minus one, and a vector of signs has the norm sqrt(dimension).
    """
    cosines: Matrix = (2 * products - centred.sum(axis=0)) / np.sqrt(len(centred))
    return cosines


def unpack_signs(bits: Bits, dimension: int) -> Matrix:
    """Return bits as floats (0 or 1), shape (tokens, dimension)."""
    return np.unpackbits(bits, axis=1, count=dimension).astype(np.float32)


def cosines(question: Matrix, centre: Matrix, bits: Bits) -> Matrix:
    """Return the cosine of each passage token with each question token, shape (passage tokens, question tokens)."""
    centred = unit(question - centre).T
    return _cosines(_products(bits, centred), centred)


def unit(vectors: Matrix) -> Matrix:
    """Return the rows scaled to unit length. Rows of zeros stay unchanged."""
    scaled: Matrix = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return scaled
