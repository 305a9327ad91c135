"""Personal numbers of phones, identity cards, payment cards and accounts, recognized by form and check digits."""

import re
from collections.abc import Iterator

from core.features.learning.masks.spans import SecretSpan

_BEFORE, _AFTER = r"(?<![A-Za-z0-9])(?<!\d[.:-])", r"(?![A-Za-z0-9])(?![.:-]\d)"
_PHONES = tuple(
    re.compile(regex, re.ASCII)
    for regex in (
        r"(?<![\w.+])\+\d{1,3}[ -]?(?:\(\d{1,4}\)[ -]?)?\d{2,5}(?:[ .-]?\d{2,5}){1,4}(?![\w.]\d)",
        rf"(?<![A-Za-z0-9])(?<!\d[.:-])(?:\(?(?:\+|00)?86\)?[ -]?)?1[3-9]\d(?:[ .-]?\d{{4}}){{2}}{_AFTER}",
        rf"{_BEFORE}1[3-9]\d(?:[ -]?\d{{2}}){{4}}{_AFTER}",
        r"(?<![\w.-])(?:\(0\d{2,3}\) ?|0\d{2,3}-)\d{7,8}(?![\w-])",
        r"(?<![\w.(-])(?:\(\d{3}\) ?|\d{3}[.-])\d{3}[.-]\d{4}(?![\w-])",
    )
)
_SOCIAL = re.compile(rf"{_BEFORE}(?!000|666|9)\d{{3}}-(?!00)\d\d-(?!0000)\d{{4}}(?![\w-])", re.ASCII)
_REGION = r"(?:1[1-5]|2[1-3]|3[1-7]|4[1-6]|5[0-4]|6[1-5]|71|8[1-3]|91)"
_DAY = r"(?:0[1-9]|1[0-2])[ -]?(?:0[1-9]|[12]\d|3[01])"
_CITIZEN = re.compile(
    rf"(?<![A-Za-z0-9])(?<!\d[.-])(?:{_REGION}\d{{4}}[ -]?(?:19|20)\d\d{_DAY}[ -]?\d{{3}}[\dXx]"
    rf"|{_REGION}\d{{6}}{_DAY}\d{{3}})"
    r"(?![A-Za-z0-9])(?![.-]\d)"
)
"""Chinese identity numbers with 18 digits, or 15 digits until 1999."""
_EIGHTEEN = re.compile(r"(?<![A-Za-z0-9.])\d{17}[\dXx](?![A-Za-z0-9])")
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_GROUPS = re.compile(r"(?<![A-Za-z0-9])(?<!\d[.:-])\d++(?:[ .-]\d++)*+(?![A-Za-z0-9])")
_ISSUER = re.compile(r"2[2-7]|[3-6]|8[1-9]|9[1-9]")
"""First digits of card numbers; numbers that begin with 1 or 20 are usually times."""
_CARD_FORMS = re.compile(
    r"\d{13,19}|\d{4}(?: \d{4}){3}(?: \d{1,3})?|\d{4} \d{6} \d{4,5}|\d{4}(?: \d{4}){2} \d{1,3}|\d{6} \d{10,13}"
)
_MOST_GROUPS = 5
_IBAN = re.compile(r"(?i)(?<![A-Za-z0-9])(?<![0-9a-f]-)[A-Z]{2}\d\d(?:[ -]?[A-Z0-9]){11,30}")
_FIGURE = re.compile(r"\d")


def numbers(text: str) -> Iterator[SecretSpan]:
    """Yield the personal numbers in a text."""
    if not _FIGURE.search(text):
        return
    yield from (SecretSpan(*match.span(), "id") for match in _EIGHTEEN.finditer(text) if _is_citizen(match[0]))
    yield from _cards(text)
    yield from _accounts(text)
    for kind, regex in (("id", _CITIZEN), ("id", _SOCIAL), *(("phone", phone) for phone in _PHONES)):
        yield from (SecretSpan(*match.span(), kind) for match in regex.finditer(text))


def _is_citizen(text: str) -> bool:
    """Return whether an identity number has the right check digit (ISO 7064) and a valid day of birth."""
    total = sum(weight * int(figure) for weight, figure in zip(_WEIGHTS, text, strict=False))
    return "10X98765432"[total % 11] == text[-1].upper() and bool(re.fullmatch(r"(?:19|20)\d\d" + _DAY, text[6:14]))


def _cards(text: str) -> Iterator[SecretSpan]:
    """Yield card numbers: without spaces, in groups as printed on cards, and in groups of two digits."""
    for row in _GROUPS.finditer(text):
        if sum(map(str.isdigit, row[0])) < 13:
            continue
        groups = [*re.finditer(r"\d+", row[0])]
        if len(groups) > 6 and all(len(group[0]) == 2 for group in groups[:-1]) and _is_card(row[0]):
            yield SecretSpan(*row.span(), "card")
            continue
        for place, first in enumerate(groups):
            for end in range(place + _MOST_GROUPS, place, -1):
                item = groups[place:end]
                form = " ".join(group[0] for group in item)
                if _CARD_FORMS.fullmatch(form) and _is_card(form):
                    yield SecretSpan(row.start() + first.start(), row.start() + item[-1].end(), "card")
                    break


def _is_card(text: str) -> bool:
    """Return whether a number has the first digits, length and check digit (Luhn) of a card number."""
    figures = [int(item) for item in text if item.isdigit()][::-1]
    doubled = [sum(divmod(2 * figure, 10)) for figure in figures[1::2]]
    known = _ISSUER.match("".join(map(str, figures[:-3:-1])))
    return (
        bool(known)
        and 13 <= len(figures) <= 19
        and len(set(figures)) > 1
        and (sum(figures[::2]) + sum(doubled)) % 10 == 0
    )


def _accounts(text: str) -> Iterator[SecretSpan]:
    """Yield IBANs: runs that are 1 modulo 97."""
    for match in _IBAN.finditer(text):
        for end in range(match.end(), match.start() + 14, -1):
            compact = re.sub("[ -]", "", text[match.start() : end]).upper()
            if not text[end : end + 1].isalnum() and len(compact) >= 15 and _is_account(compact):
                yield SecretSpan(match.start(), end, "account")
                break


def _is_account(text: str) -> bool:
    return int("".join(str(int(item, 36)) for item in text[4:] + text[:4])) % 97 == 1
