import pytest
from streamlit.testing.v1 import AppTest


def script() -> None:
    import streamlit as st

    from pages.ui.shared import widgets

    state = st.session_state
    if state.pop("break off", False):
        st.rerun()  # as another message of the browser does

    def store(look: str) -> None:
        state["look"] = look
        state["looks"] = [*state.get("looks", []), look]

    if state.pop("stop", False):
        st.stop()  # as the user's next choice does
    looks = {"dark": "Dark", "light": "Light"}
    widgets.segments("Look", looks, **widgets.bound("seg", state.get("look", "dark"), store))
    with st.form("form", border=False):
        if widgets.submit("Send", "send"):
            state["pressed"] = [*state.get("pressed", []), "send"]
    if state.get("drawn", True) and widgets.button("Go", "go", disabled=state.get("shut", False)):
        state["pressed"] = [*state.get("pressed", []), "go"]
    widgets.forget_presses()


@pytest.fixture
def app() -> AppTest:
    return AppTest.from_function(script).run()


def pressed(app: AppTest) -> list[str]:
    assert not app.exception
    return list(app.session_state["pressed"]) if "pressed" in app.session_state else []


@pytest.mark.parametrize("key", ["go", "send"])
@pytest.mark.parametrize("broken_off", [False, True])
def test_a_press_counts_once_though_its_run_is_broken_off(app: AppTest, key: str, broken_off: bool) -> None:
    app.session_state["break off"] = broken_off
    assert pressed(app.button(key=key).click().run()) == [key]
    assert pressed(app.run()) == [key]


def test_a_press_of_a_button_that_is_gone_is_forgotten(app: AppTest) -> None:
    app.session_state["drawn"] = False
    assert pressed(app.button(key="go").click().run()) == []
    app.session_state["drawn"] = True
    assert pressed(app.run()) == []


def test_a_press_of_a_button_that_is_shut_meanwhile_does_nothing(app: AppTest) -> None:
    app.session_state["shut"] = True
    assert pressed(app.button(key="go").click().run()) == []
    app.session_state["shut"] = False
    assert pressed(app.run()) == []


def test_a_choice_that_is_taken_back_before_it_is_drawn_is_stored_too(app: AppTest) -> None:
    choice = app.segmented_control(key="seg")
    app.session_state["stop"] = True
    choice.set_value("light").run()
    choice.set_value("dark").run()
    assert app.session_state["looks"] == ["light", "dark"]
    assert app.segmented_control(key="seg").value == "dark"
    app.run()
    assert app.session_state["looks"] == ["light", "dark"]
