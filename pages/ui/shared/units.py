"""Bytes, durations and points in time as the user reads them."""

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from core.model import on_clock
from pages.ui.shared.text import t_plural


def megabytes(count: int) -> str:
    """Return bytes in MB, or in GB where they are many."""
    return f"{count / 1e9:,.2f} GB" if count >= 1e9 else f"{count / 1e6:,.1f} MB"


def duration(seconds: float) -> str:
    """Return how long something takes, to the second or to the minute."""
    if seconds < 90:
        return t_plural("{n} second", "{n} seconds", n=max(1, round(seconds)))
    return t_plural("{n} minute", "{n} minutes", n=round(seconds / 60))


def local(at: datetime) -> str:
    """Return a time in the browser's time zone, to the minute."""
    try:
        zone: tzinfo = ZoneInfo(st.context.timezone or "")
    except (ValueError, ZoneInfoNotFoundError):
        zone = UTC
    return on_clock(at, zone).isoformat(" ", "minutes")[:16]
