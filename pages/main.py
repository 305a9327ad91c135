"""The main script: the frame, and in it the page that the address names."""

from pages.ui.shared import shell, widgets

page = shell.start()
with shell.unreadable(), shell.errors():
    page.run()
widgets.forget_presses()
