"""The app as a program of this computer: window, menu entry, dialogs, bug reports."""
