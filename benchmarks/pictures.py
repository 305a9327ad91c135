"""How sure a reading of a picture must be, and how many pictures a minute are read with how much memory.

`python -m benchmarks.pictures`: pictures of known text, ever more blurred and faint, and pictures without any text. The
score of each is the mean of its lines, as `core/documents/ocr.py` takes it.
"""

import io
import random
import resource
import time
from statistics import fmean
from typing import Any

from benchmarks.documents.corpus import sentence
from benchmarks.documents.scans import _distance
from core.documents import ocr
from core.documents.converting import PictureReader, holds_words

_SIZE = (1280, 720)
_STEPS = [(0, 0), (3, 12), (4, 16), (5, 20), (6, 24), (7, 28)]
"""Radius of the blur and noise of the brightness, from none to unreadable."""
_EACH = 3
_THRESHOLDS = (0.0, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9)
_RIGHT, _WRONG = 0.1, 0.5
"""Share of wrong characters up to which a reading helps, and from which on it is nonsense."""
_TIMED = 12


def _written(number: int, blur: int, noise: int) -> tuple[Any, str]:
    from PIL import Image, ImageDraw, ImageFilter, ImageFont

    chance = random.Random(number)
    lines = [sentence(number * 10 + line, 40) for line in range(5)]
    image = Image.new("RGB", _SIZE, (245, 245, 240))
    font = ImageFont.load_default(chance.choice((22, 28, 36)))
    for line, text in enumerate(lines):
        ImageDraw.Draw(image).text((60, 60 + line * 110), text, fill=(40, 40, 60), font=font)
    return _noisy(image.filter(ImageFilter.GaussianBlur(blur / 2)), number, noise), " ".join(lines)


def _wordless(number: int) -> Any:
    """Return shapes, textures and gradients, as photos and drawings have."""
    from PIL import Image, ImageDraw, ImageFilter

    chance = random.Random(1000 + number)
    image = Image.effect_noise(_SIZE, 40 + 20 * (number % 4)).convert("RGB")
    image = image.filter(ImageFilter.GaussianBlur(number % 3))
    drawn = ImageDraw.Draw(image)
    for _ in range(10 * (1 + number % 5)):
        x, y = chance.randrange(_SIZE[0]), chance.randrange(_SIZE[1])
        box = (x, y, x + chance.randrange(10, 300), y + chance.randrange(10, 200))
        colour = tuple(chance.randrange(256) for _ in range(3))
        (drawn.ellipse if chance.random() < 0.5 else drawn.rectangle)(box, outline=colour, width=chance.randrange(1, 9))
    return image


def _noisy(image: Any, seed: int, noise: int) -> Any:
    import numpy as np
    from PIL import Image

    dots = np.random.default_rng(seed).normal(0, noise, (_SIZE[1], _SIZE[0], 1))
    return Image.fromarray(np.clip(np.asarray(image) + dots, 0, 255).astype("uint8"))


def _scored(image: Any) -> tuple[float, str]:
    """Return the mean score of the lines of a picture, and their text."""
    import numpy as np

    result = ocr._engine()(np.asarray(image.convert("RGB"))[:, :, ::-1])
    return (fmean(result.scores), " ".join(result.txts)) if result.txts else (0.0, "")


def thresholds() -> None:
    """Print how many readings that help and how many that don't are kept from which score on."""
    helpful, useless = [], []
    for number, (blur, noise) in enumerate(step for step in _STEPS for _ in range(_EACH)):
        image, text = _written(number, blur, noise)
        score, read = _scored(image)
        error = _distance(text.replace(" ", ""), read.replace(" ", "")) / len(text.replace(" ", ""))
        print(f"blur {blur:>2}, noise {noise:>2}: score {score:.2f}, {error:.0%} of the characters wrong", flush=True)
        if read and error <= _RIGHT:
            helpful.append(score)
        elif holds_words(read) and error >= _WRONG:
            useless.append(score)
    for number in range(_EACH * 3):
        score, read = _scored(_wordless(number))
        if read:
            print(f"no text: score {score:.2f}, read as {read[:40]!r}", flush=True)
        if holds_words(read):
            useless.append(score)
    for least in _THRESHOLDS:
        kept, wrong = (sum(score >= least for score in scores) for scores in (helpful, useless))
        print(f"from {least:.2f} on: {kept} of {len(helpful)} that help, {wrong} of {len(useless)} that don't")


def speed() -> None:
    """Print the pictures a minute of one process at low priority, and the most memory it took."""
    pictures = []
    for number in range(_TIMED):
        data = io.BytesIO()
        _written(number, 0, 4)[0].save(data, "PNG")
        pictures.append(data.getvalue())
    with PictureReader() as reader:
        reader.read(pictures[0], "first.png", lambda: None)
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        for data in pictures:
            reader.read(data, "picture.png", lambda: None)
        seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{_TIMED} pictures of {_SIZE[0]} x {_SIZE[1]}: {60 * _TIMED / seconds:.1f} a minute;", end=" ")
    print(f"{processor / (_TIMED + 1):.1f} s of a processor each, with the loading of the models;", end=" ")
    print(f"{after.ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    thresholds()
    speed()
