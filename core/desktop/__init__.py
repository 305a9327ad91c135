"""The app as a program on this computer: window, menu entry, dialogs, bug reports."""
