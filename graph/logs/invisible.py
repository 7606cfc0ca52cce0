"""Characters that nobody sees: colours of a terminal, control characters, and letters without width.

They part a name from its value, and the letters of a name from one another, for a search but not for a reader.
"""

import re
from bisect import bisect_right
from itertools import accumulate

from graph.logs.regions import Span

_ESCAPE = r"(?:\x1b|\\++(?:u001b|x1b|033|e(?=\[))|%(?:25)*+1[Bb])"
_INVISIBLE = re.compile(
    rf"""
    (?:{_ESCAPE}(?:\[|%(?:25)*+5[Bb])|\x9b)(?:[0-?]|%(?:25)*+3[Bb])*+[\ -/]*+[@-~]  # such as a colour
  | {_ESCAPE}\][^\x07\x1b\\]{{0,200}}+(?:\x07|{_ESCAPE}\\)?+  # such as a link
  | {_ESCAPE}
  | [\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad]++
  | [\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f]++
  | [\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]++
  | \\++(?:[ux](?:00)?+(?:0[0-8]|7f|ad)|u200[b-fB-F]|u202[a-eA-E]|u206[0-9a-fA-F]|u[fF][eE][fF]{{2}}|0(?![0-9]))
  | %(?:25)*+(?:0[0-8]|[Ee]2%(?:25)*+80%(?:25)*+8[b-fB-F]|[Ee][Ff]%(?:25)*+[Bb]{{2}}%(?:25)*+[Bb][Ff])
    """,
    re.VERBOSE,
)
HINTS = (
    r"[\x00-\x08\x0e-\x1b\x7f]",
    r"\xc2[\x80-\x9f\xad]|\xcd\x8f|\xd8\x9c|\xe1\x85[\x9f\xa0]|\xe1\x9e[\xb4\xb5]|\xe1\xa0[\x8b-\x8f]",
    r"\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]|\xe3\x85\xa4|\xef\xb8[\x80-\x8f]|\xef\xbb\xbf",
    r"\xef\xbe\xa0|\xef\xbf[\xb9-\xbb]",
    r"\\(?:[ux]0|x1b|033|e\[|[ux]7f|xad|u20[026]|ufeff|0)",
    r"%(?:25)*(?:0[0-8]|1b|e2%(?:25)*80|ef%(?:25)*bb)",
)
"""Of which one is in any text with something invisible, as `graph.logs.regions.Hints` reads them: in UTF-8."""


class Visible:
    """What can be seen of a text.

    Attributes:
        text: the text without what is invisible.
    """

    def __init__(self, text: str) -> None:
        cuts = [match.span() for match in _INVISIBLE.finditer(text)]
        begins = [0, *(stop for _, stop in cuts)]
        ends = [*(start for start, _ in cuts), len(text)]
        self._begins = begins
        self._places = [0, *accumulate(end - begin for begin, end in zip(begins, ends, strict=True))]
        self.text = "".join(text[begin:end] for begin, end in zip(begins, ends, strict=True)) if cuts else text

    def given(self, span: Span) -> Span:
        """Return where a part of the visible text is in the given text, with the invisible characters inside it."""
        start, stop = span
        return self._place(start), self._place(stop - 1) + 1 if stop > start else self._place(start)

    def _place(self, place: int) -> int:
        part = min(bisect_right(self._places, place), len(self._begins)) - 1
        return self._begins[part] + place - self._places[part]
