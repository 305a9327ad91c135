"""Names on the screen for the codes of core: states, languages, kinds of questions."""

from core.messages import message

TEXT_LANGUAGES = {
    "en": message("English"),
    "zh": message("Chinese"),
    "mixed": message("Chinese and English"),
    "code": message("mostly code"),
    "multilingual": message("about 100 languages"),
}
"""The languages of notes and of models."""
