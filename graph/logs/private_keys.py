"""Private keys, whole or cut, on one line or on many: in the armor of PEM, OpenSSH or PGP, and as PuTTY stores them."""

import re
from collections.abc import Iterator, Sequence

from graph.logs.regions import Span

_GAP = r"(?:[ +_]|%(?:25)*20)"
_BEGIN = rf"-{{4,5}}[ ]?BEGIN(?:[A-Z0-9]|{_GAP}){{0,40}}?PRIVATE{_GAP}KEY(?:{_GAP}BLOCK)?[ ]?-{{4,5}}"
_END = rf"-{{4,5}}[ ]?END(?:[A-Z0-9]|{_GAP}){{0,40}}?PRIVATE{_GAP}KEY(?:{_GAP}BLOCK)?[ ]?-{{4,5}}"
_NO_BOUNDARY = r"-(?!---[- ]?(?:BEGIN|END))"
_PRIVATE_KEY = re.compile(
    rf"{_BEGIN}(?P<body>(?:[\w+/=\s\\%:,.]++|{_NO_BOUNDARY})*+)(?P<rest>(?:[^-]++|{_NO_BOUNDARY})*+)(?P<end>{_END})?"
)
_LINES = r"Private-Lines:[ \t]*+[0-9]++"  # of PuTTY, before those of the key
_CODE = r"Private-(?:MAC|Hash):[ \t]*+[0-9a-f]++"  # after them
_PUTTY_KEY = re.compile(rf"{_LINES}(?P<body>(?:[\sA-OQ-Za-z0-9+/=\\]++|P(?!rivate-))++)(?P<code>{_CODE})?+")
_BOUNDARY = re.compile(rf"(?:{_BEGIN}|{_LINES})|(?P<end>{_END}|(?P<code>{_CODE}))")
_KEY_TEXT = re.compile(r"[A-Za-z0-9+/]{12}")
# A line of a key: base64, or one of the fields of RFC 1421 before it.
_KEY_LINE = re.compile(r"\s*+(?:[A-Za-z0-9+/]*+={0,2}+|[A-Z][A-Za-z]++(?:-[A-Z][A-Za-z]++)++:\s.*+)\s*+")
_FULL_KEY_LINE = re.compile(r"\s*+(?=[^a-z]*+[a-z])(?=[^A-Z]*+[A-Z])(?=\D*+\d)[A-Za-z0-9+/]{64}\s*+")
_LONG_RUN = re.compile(r"[A-Za-z0-9+/]{40,}+={0,2}+")  # of a key, after what a logger writes before each line


def find_private_keys(text: str) -> Iterator[Span]:
    """Yield where private keys are, whole or cut."""
    if "Private-Lines" in text:
        for match in _PUTTY_KEY.finditer(text):
            yield match.start("body"), match.end()
    if "PRIVATE" not in text:
        return
    for match in _PRIVATE_KEY.finditer(text):
        if match["end"] is not None:
            yield match.start("body"), match.end("rest")
        elif _KEY_TEXT.search(match["body"]):
            yield match.span("body")


def find_key_lines(lines: Sequence[str]) -> Iterator[tuple[int, Span]]:
    """Yield where parts of private keys are that lie on several lines, each with the number of its line.

    Between the two boundaries of a key. Where only the end is among the lines, what looks like a key right before it;
    where neither is, the lines that are as long as those of a key always are.
    """
    is_inside = False
    for number, line in enumerate(lines):
        boundaries = list(_BOUNDARY.finditer(line)) if "PRIVATE" in line or "Private-" in line else []
        if boundaries:
            first = boundaries[0]
            if first["end"] is not None:
                yield number, (0, first.end() if first["code"] else first.start())
                if not is_inside:
                    yield from _key_lines_before(lines, number)
            is_inside = boundaries[-1]["end"] is None
        elif is_inside and _KEY_LINE.fullmatch(line):
            yield number, (0, len(line))
        elif is_inside:
            yield from ((number, run.span()) for run in _LONG_RUN.finditer(line))
        elif _FULL_KEY_LINE.fullmatch(line):
            yield number, (0, len(line))


def _key_lines_before(lines: Sequence[str], end: int) -> Iterator[tuple[int, Span]]:
    for number in range(end - 1, -1, -1):
        if not _KEY_LINE.fullmatch(lines[number]):
            return
        yield number, (0, len(lines[number]))
