"""Points in time as the person reads them."""

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from core.model import on_clock


def local(at: datetime) -> str:
    """Return a time in the browser's time zone, to the minute."""
    try:
        zone: tzinfo = ZoneInfo(st.context.timezone or "")
    except (ValueError, ZoneInfoNotFoundError):
        zone = UTC
    return on_clock(at, zone).isoformat(" ", "minutes")[:16]
