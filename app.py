"""The front door: `tessera app` serves the pages, and every answer carries the policy of `shared.policy`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from pages.ui.shared.policy import Policy, failure

HOSTS = [f"[{host}]" if ":" in host else host for host in st.get_option("server.allowedHosts")]
"""The names that the app answers to; Streamlit itself asks for them on WebSockets only, and writes IPv6 bare."""


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[None]:
    """Close the workspace at the end: the signal that ends the server ends the process before any exit handler runs."""
    yield
    st.cache_resource.clear()


app = st.App(
    "pages/main.py",
    lifespan=lifespan,
    middleware=[Middleware(Policy), Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS or ["*"])],
    exception_handlers={Exception: failure},
)
