"""Points in time as the person reads them."""

from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st


def local(at: datetime) -> str:
    """Return a time in the browser's time zone, to the minute."""
    try:
        zone: tzinfo = ZoneInfo(st.context.timezone or "")
    except (ValueError, ZoneInfoNotFoundError):
        zone = UTC
    return at.astimezone(zone).strftime("%Y-%m-%d %H:%M")
