"""A map of notes: points of notes with similar meaning are near each other."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Region:
    """A part of a map: its middle, its number of notes, and the words that its notes have and others don't."""

    x: float
    y: float
    notes: int
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NoteMap:
    """Notes by their id with their places, x and y from 0 to 1; `links` join two of them by their numbers.

    `left_out` notes of the bases aren't indexed by the model of the others.
    """

    notes: tuple[str, ...] = ()
    places: tuple[tuple[float, float], ...] = ()
    regions: tuple[Region, ...] = ()
    links: tuple[tuple[int, int], ...] = ()
    left_out: int = 0
