"""Bytes and seconds as a person reads them."""

from pages.ui.shared.text import t_plural


def megabytes(count: int) -> str:
    """Return bytes in MB, or in GB where they are many."""
    return f"{count / 1e9:,.2f} GB" if count >= 1e9 else f"{count / 1e6:,.1f} MB"


def duration(seconds: float) -> str:
    """Return how long something takes, to the second or to the minute."""
    if seconds < 90:
        return t_plural("{n} second", "{n} seconds", n=max(1, round(seconds)))
    return t_plural("{n} minute", "{n} minutes", n=round(seconds / 60))
