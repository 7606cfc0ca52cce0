"""Python's regular expressions, said in RE2's dialect.

RE2 matches in time linear in the text, whatever the expression. It reads a similar but different language than Python's
``re``, in which the values of VAMS constraints are written, so an expression is translated element by element. What
is not certain to mean the same in both is refused, never approximated.
"""

import re
from dataclasses import dataclass
from typing import ClassVar, NoReturn

_LONGEST_EXPRESSION = 2_000
_DEEPEST_NESTING = 50

_CONTROLS = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
# Python's \s holds four separators and \v, RE2's does not; as ranges both forms also fit inside a [class].
_CATEGORIES = {
    "d": r"\d",
    "D": r"\D",
    "w": r"\w",
    "W": r"\W",
    "s": r"\x09-\x0d\x1c-\x20",
    "S": r"\x00-\x08\x0e-\x1b\x21-\x7f",
}
_POSITIONS = {"A": r"\A", "Z": r"\z", "b": r"\b"}  # no \B, on which Python's versions differ for an empty text
_BRACES = re.compile(r"\{(?!\})([0-9]*)(,?)([0-9]*)\}", re.ASCII)
_GROUPS = {"(?:": "(?:", "(?s:": "(?s:", "(?i:": "(?i:"}


class Untranslatable(ValueError):
    """The expression is no valid Python expression, or RE2 could read it differently."""


@dataclass(frozen=True, slots=True)
class Translation:
    """An RE2 expression, and the texts for which it is known to agree with Python."""

    source: str
    ascii_only: bool
    """Character classes, word boundaries and case folding agree on ASCII text alone."""
    no_final_newline: bool
    """Python's ``$`` also matches before a final newline; RE2's does not."""


def translate(expression: str) -> Translation:
    """Say a Python expression in RE2's dialect.

    Raises:
        Untranslatable: it is invalid in Python, too long, or uses what RE2 lacks or reads differently:
            look-around, back-references, named groups, possessive repeats, global flags.
    """
    return _Translator(expression).translate()


class _Translator:
    """One pass over an expression, following the order in which Python's own parser decides."""

    def __init__(self, expression: str) -> None:
        self._text = expression
        self._at = 0
        self._out: list[str] = []
        self._open_groups = 0
        self._repeatable = False  # whether the element before may be repeated
        self._ascii_only = False
        self._no_final_newline = False

    def translate(self) -> Translation:
        if len(self._text) > _LONGEST_EXPRESSION:
            self._refuse()
        while self._at < len(self._text):
            self._READERS.get(self._text[self._at], _Translator._character)(self)
        if self._open_groups:
            self._refuse()
        return Translation("".join(self._out), self._ascii_only, self._no_final_newline)

    def _refuse(self) -> NoReturn:
        raise Untranslatable(self._text[:80])

    def _emit(self, source: str, *, repeatable: bool) -> None:
        self._out.append(source)
        self._repeatable = repeatable

    def _take(self, count: int = 1) -> str:
        taken = self._text[self._at : self._at + count]
        if len(taken) < count:
            self._refuse()
        self._at += count
        return taken

    def _character(self) -> None:
        self._emit(_literal(self._take()), repeatable=True)

    def _any_character(self) -> None:
        self._emit(self._take(), repeatable=True)

    def _start_or_branch(self) -> None:
        self._emit(self._take(), repeatable=False)

    def _end(self) -> None:
        self._at += 1
        self._no_final_newline = True
        self._emit(r"\z", repeatable=False)

    def _open_group(self) -> None:
        self._open_groups += 1
        if self._open_groups > _DEEPEST_NESTING:
            self._refuse()
        if not self._text.startswith("(?", self._at):
            self._at += 1
            self._emit("(?:", repeatable=False)
            return
        for opening, source in _GROUPS.items():
            if self._text.startswith(opening, self._at):
                self._at += len(opening)
                self._ascii_only |= "i" in opening
                self._emit(source, repeatable=False)
                return
        self._refuse()

    def _close_group(self) -> None:
        if not self._open_groups:
            self._refuse()
        self._open_groups -= 1
        self._emit(self._take(), repeatable=True)

    def _braces(self) -> None:
        repeat = _BRACES.match(self._text, self._at)
        if repeat is None:  # to Python, a brace that bounds no repeat is a brace
            self._character()
            return
        self._at = repeat.end()
        low, comma, high = repeat.groups()
        if len(low) > 4 or len(high) > 4 or (low and high and int(low) > int(high)):
            self._refuse()
        self._repeat(f"{{{low or 0}{comma}{high}}}")

    def _repeat_sign(self) -> None:
        self._repeat(self._take())

    def _repeat(self, source: str) -> None:
        if not self._repeatable:
            self._refuse()
        if self._text.startswith("+", self._at):  # a possessive repeat
            self._refuse()
        if self._text.startswith("?", self._at):
            source += self._take()
        self._emit(source, repeatable=False)

    def _escape(self) -> None:
        letter = self._take(2)[1]
        if letter in _POSITIONS:
            self._ascii_only |= letter == "b"
            self._emit(_POSITIONS[letter], repeatable=False)
        elif letter in _CATEGORIES:
            self._ascii_only = True
            self._emit(f"[{_CATEGORIES[letter]}]", repeatable=True)
        else:
            self._emit(_literal(self._escaped_character(letter)), repeatable=True)

    def _escaped_character(self, letter: str) -> str:
        if letter in _CONTROLS:
            return _CONTROLS[letter]
        if letter in "xu":
            digits = self._take(2 if letter == "x" else 4)
            if not re.fullmatch("[0-9a-fA-F]+", digits):
                self._refuse()
            return chr(int(digits, 16))
        if letter.isascii() and letter.isalnum():  # back-references, octal numbers and letters without a meaning
            self._refuse()
        return letter

    def _character_class(self) -> None:
        self._at += 1
        out = ["["]
        if self._text.startswith("^", self._at):
            self._at += 1
            out.append("^")
        first = self._at
        while True:
            if self._text.startswith("]", self._at) and self._at > first:
                break
            low, is_character = self._class_member()
            if not self._text.startswith("-", self._at) or self._text.startswith("-]", self._at):
                out.append(_literal(low) if is_character else low)
                continue
            self._at += 1
            high, high_is_character = self._class_member()
            if not (is_character and high_is_character and low <= high):
                self._refuse()
            out.append(f"{_literal(low)}-{_literal(high)}")
        self._at += 1
        self._emit("".join(out) + "]", repeatable=True)

    def _class_member(self) -> tuple[str, bool]:
        """Return one character and True, or the source of a category and False."""
        character = self._take()
        if character != "\\":
            return character, True
        letter = self._take()
        if letter in _CATEGORIES:
            self._ascii_only = True
            return _CATEGORIES[letter], False
        return ("\b" if letter == "b" else self._escaped_character(letter)), True

    _READERS: ClassVar = {
        "\\": _escape,
        "[": _character_class,
        "(": _open_group,
        ")": _close_group,
        "*": _repeat_sign,
        "+": _repeat_sign,
        "?": _repeat_sign,
        "{": _braces,
        "|": _start_or_branch,
        "^": _start_or_branch,
        "$": _end,
        ".": _any_character,
    }


def _literal(character: str) -> str:
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:  # no UTF-8 text holds a surrogate
        raise Untranslatable(hex(code))
    return character if character.isascii() and character.isalnum() else f"\\x{{{code:x}}}"
