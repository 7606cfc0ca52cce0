"""Secrets that their own form gives away, wherever they stand: identifiers, tokens, private keys, passwords in URLs.

The formats of tokens follow the plugins of detect-secrets (Apache 2.0) and what their issuers document.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from graph.logs.regions import Span, matches

_TOKEN = re.compile(
    r"""
    A(?:KIA|SIA|IDA|ROA|NPA|IPA|BIA|CCA)[A-Z0-9]{16,}+  # AWS identifiers
    # JSON Web Tokens. The second part is optional to consume a failed first part whole: it may hold more beginnings.
  | eyJ[A-Za-z0-9_-]*+(?:\.eyJ[A-Za-z0-9_-]*+(?:\.[A-Za-z0-9_-]*+)*+|(?P<no_token>))
  | vams_(?:(?=[a-z0-9_-]{0,64}[A-Z])[A-Za-z0-9_-]{16,}+|(?=[a-z]{0,64}[0-9])[a-z0-9-]{16,}+)  # keys of VAMS
  | gh[oprsu]_[A-Za-z0-9]{20,}+ | github_pat_[A-Za-z0-9_]{20,}+
  | gl(?:pat|dt|ft|soat|rt|cbt|ptt|imt|agent|oas)-[A-Za-z0-9_.-]{16,}+ | GR1348941[A-Za-z0-9_-]{16,}+  # GitLab
  | xox[a-z](?:\.xox[a-z])?+-[A-Za-z0-9-]{10,}+ | xapp-[0-9]-[A-Za-z0-9-]{10,}+  # Slack
  | hooks\.slack\.com/services/[A-Za-z0-9_/]{16,}+
  | sk_(?:live|test)_[A-Za-z0-9]{10,}+ | rk_(?:live|test)_[A-Za-z0-9]{10,}+ | whsec_[A-Za-z0-9+/=]{16,}+  # Stripe
  | AIza[A-Za-z0-9_-]{30,}+ | ya29\.[A-Za-z0-9._-]{16,}+ | GOCSPX-[A-Za-z0-9_-]{20,}+  # Google
  | npm_[A-Za-z0-9]{30,}+ | pypi-AgE[A-Za-z0-9_-]{50,}+
  | SG\.[A-Za-z0-9_-]{16,}+\.[A-Za-z0-9_-]{16,}+  # SendGrid
    """,
    re.VERBOSE,
)

# Every repetition stops where the next URL begins, so that no stretch is read for many of them.
_PASSWORD_IN_URL = re.compile(
    r"""
    :\\*+/\\*+/
    [^\s:/@"'<>\\]*+  # the user
    :(?!\d++(?:[/?\#,;&\s"'<>)\]}\\]|\Z))  # no port
    (?P<password>
      [^\s/"'<>]+(?=@)
    | (?:[^\s"'<>@:]|:(?!\\*/))+(?=@)  # with a slash that should have been encoded
    )
  |
    # The same, URL-encoded to any depth.
    (?P<percent>%(?:25)*+)3a(?:(?P=percent)2f){2}
    (?:[^\s"'<>%]++|(?!(?P=percent)(?:3a|2f|40))%)*+
    (?P=percent)3a(?!\d++(?:(?P=percent)(?:2f|3f|23|2c|26|22|27|20)|[^\w%]|\Z))
    (?P<encoded>(?:[^\s"'<>&%]++|(?!(?P=percent)(?:40|2f|22|27|20))%)++)(?=(?P=percent)40)
  |
    jdbc:oracle:\w++:[^\s:/@"']*+/(?P<oracle>[^\s@"'<>]{1,128})@
    """,
    re.VERBOSE | re.IGNORECASE,
)

_GAP = r"(?:[ +_]|%(?:25)*20)"
_BEGIN = rf"-{{4,5}}[ ]?BEGIN(?:[A-Z0-9]|{_GAP}){{0,40}}?PRIVATE{_GAP}KEY(?:{_GAP}BLOCK)?[ ]?-{{4,5}}"
_END = rf"-{{4,5}}[ ]?END(?:[A-Z0-9]|{_GAP}){{0,40}}?PRIVATE{_GAP}KEY(?:{_GAP}BLOCK)?[ ]?-{{4,5}}"
_NO_BOUNDARY = r"-(?!---[- ]?(?:BEGIN|END))"
_PRIVATE_KEY = re.compile(
    rf"{_BEGIN}(?P<body>(?:[\w+/=\s\\%:,.]++|{_NO_BOUNDARY})*+)(?P<rest>(?:[^-]++|{_NO_BOUNDARY})*+)(?P<end>{_END})?"
)
_BOUNDARY = re.compile(rf"{_BEGIN}|(?P<end>{_END})")
_KEY_TEXT = re.compile(r"[A-Za-z0-9+/]{12}")
# A line of a key: base64, or one of the fields of RFC 1421 before it.
_KEY_LINE = re.compile(r"\s*+(?:[A-Za-z0-9+/]*+={0,2}+|[A-Z][A-Za-z]++(?:-[A-Z][A-Za-z]++)++:\s.*+)\s*+")
_FULL_KEY_LINE = re.compile(r"\s*+(?=[^a-z]*+[a-z])(?=[^A-Z]*+[A-Z])(?=\D*+\d)[A-Za-z0-9+/]{64}\s*+")
_LONG_RUN = re.compile(r"[A-Za-z0-9+/]{40,}+={0,2}+")  # of a key, after what a logger writes before each line


def find_tokens(text: str, regions: Iterable[Span]) -> Iterator[Span]:
    """Where identifiers and tokens are that begin in some regions."""
    return (match.span() for match in matches(_TOKEN, text, regions) if match["no_token"] is None)


def find_url_passwords(text: str, regions: Iterable[Span]) -> Iterator[Span]:
    """Where the passwords are of URLs that begin in some regions."""
    return (match.span(match.lastgroup or "password") for match in matches(_PASSWORD_IN_URL, text, regions))


def find_private_keys(text: str) -> Iterator[Span]:
    """Where private keys are, whole or cut, in the armor of PEM, OpenSSH or PGP."""
    if "PRIVATE" not in text:
        return
    for match in _PRIVATE_KEY.finditer(text):
        if match["end"] is not None:
            yield match.start("body"), match.end("rest")
        elif _KEY_TEXT.search(match["body"]):
            yield match.span("body")


def find_key_lines(lines: Sequence[str]) -> Iterator[tuple[int, Span]]:
    """Where parts of private keys are that lie on several lines, each with the number of its line.

    Between the two boundaries of a key. Where only the end is among the lines, what looks like a key right before it;
    where neither is, the lines that are as long as those of a key always are.
    """
    is_inside = False
    for number, line in enumerate(lines):
        boundaries = list(_BOUNDARY.finditer(line)) if "PRIVATE" in line else []
        if boundaries:
            first = boundaries[0]
            if first["end"] is not None:
                yield number, (0, first.start())
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
