"""Secrets that their own form gives away, wherever they stand: identifiers, tokens, passwords in URLs.

The formats follow the rules of gitleaks (MIT), the plugins of detect-secrets (Apache 2.0), and what issuers document.
"""

import base64
import re
from collections.abc import Iterable, Iterator

from graph.logs.regions import Span, compiled, matches

# How a token begins, and how it goes on: at least so long that no word is one. In the syntax of RE2.
_BEGINNINGS: tuple[tuple[str, str], ...] = (
    (r"A(?:KIA|SIA|IDA|ROA|NPA|IPA|BIA|CCA)", r"[A-Z0-9]{16,}"),  # AWS
    (r"ABSK|bedrock-api-key-", r"[A-Za-z0-9+/_-]{40,}={0,2}"),  # Amazon Bedrock
    (r"amzn\.mws\.", r"[0-9a-f-]{32,}"),
    (r"vams_", r"[A-Za-z0-9_-]{16,}"),
    (r"gh[oprsu]_|github_pat_", r"[A-Za-z0-9_]{20,}"),
    (r"gl(?:pat|dt|ft|soat|rt|rtr|cbt|ptt|imt|agent|oas|ffct|wt)-|GR1348941", r"[A-Za-z0-9_.-]{16,}"),  # GitLab
    (r"xox[a-z](?:\.xox[a-z])?-|xapp-[0-9]-|xwfp-", r"[A-Za-z0-9-]{10,}"),  # Slack
    (r"hooks\.slack\.com/(?:services|workflows|triggers)/", r"[A-Za-z0-9_/+]{16,}"),
    (r"discord(?:app)?\.com/api/webhooks/", r"[0-9]{10,}/[A-Za-z0-9_-]{20,}"),
    (r"[rs]k_(?:live|test|prod)_", r"[A-Za-z0-9]{10,}"),  # Stripe
    (r"whsec_", r"[A-Za-z0-9+/=]{16,}"),
    (r"AIza|GOCSPX-", r"[A-Za-z0-9_-]{20,}"),  # Google
    (r"ya29\.", r"[A-Za-z0-9._-]{16,}"),
    (r"sk-(?:ant|proj|svcacct|admin|or-v1|None|lf)-", r"[A-Za-z0-9_-]{20,}"),  # Anthropic, OpenAI and others
    (r"sk-[A-Za-z0-9_-]{16,80}T3BlbkFJ", r"[A-Za-z0-9_-]{16,}"),
    (r"hf_|api_org_", r"[A-Za-z0-9]{20,}"),  # Hugging Face
    (r"gsk_|xai-|pplx-|nvapi-|r8_|lsv2_(?:pt|sk)_|pcsk_", r"[A-Za-z0-9_-]{28,}"),  # other hosts of models
    (r"hv[bsr]\.", r"[A-Za-z0-9_-]{20,}"),  # HashiCorp
    (r"[A-Za-z0-9]{14}\.atlasv1\.", r"[A-Za-z0-9_=-]{40,}"),
    (r"dckr_[po]at_", r"[A-Za-z0-9_-]{20,}"),  # Docker
    (r"shp(?:at|ca|pa|ss|ua)_", r"[A-Fa-f0-9]{20,}"),  # Shopify
    (r"d(?:op|oo|or)_v1_", r"[a-f0-9]{20,}"),  # DigitalOcean
    (r"tskey-", r"[A-Za-z0-9_-]{16,}"),  # Tailscale
    (r"dapi", r"[a-f0-9]{32,}"),  # Databricks
    (r"dp\.(?:pt|st|ct|sa|scim|audit)\.", r"[A-Za-z0-9_.-]{40,}"),  # Doppler
    (r"dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.", r"[A-Z0-9]{40,}"),  # Dynatrace
    (r"npm_", r"[A-Za-z0-9]{30,}"),
    (r"pypi-AgE", r"[A-Za-z0-9_-]{50,}"),
    (r"rubygems_|rdme_", r"[a-f0-9]{40,}"),
    (r"CLOJARS_", r"[A-Za-z0-9]{40,}"),
    (r"oy2", r"[a-z0-9]{43,}"),  # NuGet
    (r"SG\.", r"[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),  # SendGrid
    (r"xkeysib-|xsmtpsib-", r"[a-f0-9]{40,}"),  # Brevo
    (r"key-", r"[a-f0-9]{32,}"),  # Mailgun
    (r"SK", r"[a-f0-9]{32}"),  # Twilio
    (r"[0-9]{8,12}(?::|%(?:25)*3[Aa])AA", r"[A-Za-z0-9_-]{32,}"),  # Telegram
    (r"ATATT3|ATCTT3|ATBB|BBDC-", r"[A-Za-z0-9_=+/-]{24,}"),  # Atlassian
    (r"lin_(?:api|oauth)_", r"[A-Za-z0-9]{30,}"),
    (r"ntn_", r"[A-Za-z0-9]{40,}"),  # Notion
    (r"figd_", r"[A-Za-z0-9_-]{30,}"),
    (r"pat[A-Za-z0-9]{14}\.", r"[a-f0-9]{40,}"),  # Airtable
    (r"pat-(?:na|eu)[0-9]-", r"[a-f0-9-]{32,}"),  # HubSpot
    (r"tfp_", r"[A-Za-z0-9_.-]{40,}"),  # Typeform
    (r"glc_|glsa_|eyJrIjoi", r"[A-Za-z0-9+/_=]{30,}"),  # Grafana
    (r"NRAK-|NRJS-|NRII-|NRSP-", r"[A-Za-z0-9_-]{16,}"),  # New Relic
    (r"sntry[su]_", r"[A-Za-z0-9+/=_-]{40,}"),  # Sentry
    (r"sq[aup]_", r"[a-f0-9]{40}"),  # SonarQube
    (r"sgp_", r"[A-Za-z0-9_]{40,}"),  # Sourcegraph
    (r"sq0(?:atp|csp|idp)-|EAAAE", r"[A-Za-z0-9_-]{22,}"),  # Square
    (r"EAA[A-Z]", r"[A-Za-z0-9]{90,}"),  # Facebook
    (r"EZ[AT]K", r"[A-Za-z0-9]{54}"),  # EasyPost
    (r"shippo_(?:live|test)_|duffel_(?:live|test)_", r"[A-Za-z0-9_=-]{40,}"),
    (r"FLW(?:PUBK|SECK)(?:_TEST)?-", r"[A-Za-z0-9]{12,}"),  # Flutterwave
    (r"access-(?:sandbox|development|production)-", r"[0-9a-f-]{32,}"),  # Plaid
    (r"pscale_(?:tkn|oauth|pw)_", r"[A-Za-z0-9=._-]{30,}"),  # PlanetScale
    (r"sbp_|sb_secret_", r"[A-Za-z0-9_-]{20,}"),  # Supabase
    (r"PMAK-", r"[a-f0-9]{24}-[a-f0-9]{34}"),  # Postman
    (r"pnu_|pul-", r"[A-Za-z0-9]{36,}"),  # Prefect, Pulumi
    (r"nfp_|bkua_|CCIPAT_|CFPAT-", r"[A-Za-z0-9_-]{36,}"),  # Netlify, Buildkite, CircleCI, Contentful
    (r"HRKU-", r"[A-Za-z0-9_-]{36,}"),  # Heroku
    (r"fo1_|fm[12][ar]?_", r"[A-Za-z0-9+/=_-]{40,}"),  # Fly
    (r"fio-u-", r"[A-Za-z0-9_=-]{40,}"),  # Frame.io
    (r"ico-", r"[A-Za-z0-9]{32}"),  # Infracost
    (r"v1\.0-[a-f0-9]{24}-", r"[a-f0-9]{100,}"),  # Cloudflare
    (r"sha256~", r"[A-Za-z0-9_-]{43}"),  # OpenShift
    (r"AKCp|cmVmd", r"[A-Za-z0-9]{59,}"),  # Artifactory
    (r"LTAI", r"[A-Za-z0-9]{20}"),  # Alibaba
    (r"AQVN", r"[A-Za-z0-9_-]{35,}"),  # Yandex
    (r"A3-[A-Z0-9]{6}-", r"[A-Z0-9-]{26,}"),  # 1Password
    (r"ops_eyJ", r"[A-Za-z0-9+/]{100,}={0,3}"),
    (r"AGE-SECRET-KEY-1", r"[A-Z0-9]{40,}"),
    (r"[A-Za-z0-9_~.]{3}[0-9]Q~", r"[A-Za-z0-9_~.-]{31,34}"),  # Microsoft Entra
    (r"p8e-", r"[A-Za-z0-9]{32}"),  # Adobe
)
# Those that also begin what is no token have to look more like one.
_LOOKALIKES = re.compile(
    r"""
    vams_(?:(?=[a-z0-9_-]{0,64}[A-Z])[A-Za-z0-9_-]++|(?=[a-z]{0,64}[0-9])[a-z0-9-]{16,}+)
  | (?<![A-Za-z])(?:(?:sk|key|ico|pul|xai)-|r8_)(?=\S{0,64}[0-9])[A-Za-z0-9_-]++
  | hf_(?=[a-z0-9]{0,64}[A-Z])[A-Za-z0-9]++
    """,
    re.VERBOSE,
)
_LOOKALIKE_OCTETS = (b"vams_", b"sk-", b"key-", b"ico-", b"pul-", b"xai-", b"r8_", b"hf_")
_SHORTEST = 20  # characters of those
_TOKEN = compiled(*(f"(?:{beginning}){rest}" for beginning, rest in _BEGINNINGS))

# JSON Web Tokens, signed or encrypted, whose parts may go on on the next line. A first part that nothing follows is
# consumed whole, for it may hold more beginnings.
_DOT = r"(?:\.|%(?:25)*2[Ee])"
_NEXT_LINE = rf"""
    (?:\\++r|\r)?+(?:\\++n|\n)[ \t]*+
    (?=[A-Za-z0-9_-]{{0,80}}?[A-Z])(?=[A-Za-z0-9_-]{{0,80}}?[a-z])
    (?=[A-Za-z0-9_-]{{0,80}}?(?:[0-9]|{_DOT})|[A-Za-z0-9_-]{{20}})
"""
_PART = rf"[A-Za-z0-9_-]*+(?:{_NEXT_LINE}[A-Za-z0-9_-]++)*+"
_WEB_TOKEN = re.compile(
    rf"""
    eyJ[A-Za-z0-9_-]*+
    (?:
      (?:{_NEXT_LINE}[A-Za-z0-9_-]++){{0,8}}+
      (?:{_DOT}(?:{_NEXT_LINE})?+eyJ{_PART}(?:{_DOT}{_PART})*+ | (?<=[A-Za-z0-9_-]{{10}})(?:{_DOT}{_PART}){{2,}}+)
    | (?P<no_token>)
    )
    """,
    re.VERBOSE,
)
# `{"` in base64. JSON Web Tokens begin with it too.
_ENCODED_JSON = re.compile(r"eyJ[A-Za-z0-9+/_-]{20,}+={0,2}+")
_DIGEST = re.compile(r"""(?<![A-Za-z])response(?:=|%(?:25)*3[Dd])(?:\\*"|%(?:25)*22)?(?P<secret>[0-9a-f]{32,}+)""")

# Every repetition stops where the next URL begins, so that no stretch is read for many of them.
_PASSWORD_IN_URL = re.compile(
    r"""
    :\\*+/\\*+/
    (?P<user>[^\s:/@"'<>\\]*+)
    (?:
      :(?!\d++(?:[/?\#,;&\s"'<>)\]}\\]|\Z))  # no port
      (?P<password>
        [^\s/"'<>]+(?=@)
      | (?:[^\s"'<>@:]|:(?!\\*/))+(?=@)  # with a slash that should have been encoded
      )
    | (?=@)
    )
  |
    # The same, URL-encoded to any depth.
    (?P<percent>%(?:25)*+)3a(?:(?P=percent)2f){2}
    (?P<encoded_user>(?:[^\s"'<>%]++|(?!(?P=percent)(?:3a|2f|40))%)*+)
    (?:
      (?P=percent)3a(?!\d++(?:(?P=percent)(?:2f|3f|23|2c|26|22|27|20)|[^\w%]|\Z))
      (?P<encoded>(?:[^\s"'<>&%]++|(?!(?P=percent)(?:40|2f|22|27|20))%)++)(?=(?P=percent)40)
    | (?=(?P=percent)40)
    )
  |
    jdbc:oracle:\w++:[^\s:/@"']*+/(?P<oracle>[^\s@"'<>]{1,128})@
    """,
    re.VERBOSE | re.IGNORECASE,
)
_WEB = ("http", "https")  # whose users are few, and have passwords; those of ssh have none
_NO_WORD = re.compile(r"(?=.{0,64}?[A-Z0-9]).{8}|.{20}", re.DOTALL)
_CLASS = re.compile(r"(\[[^\]]++\])(?:\{(\d++)[^}]*\})?")


def _hint(beginning: str, rest: str) -> str:
    # Less than the whole, which would keep the search busy: no class before the first letters, and a few signs after.
    start = _CLASS.match(beginning)
    signs, count = _CLASS.match(rest).groups()  # type: ignore[union-attr]
    return f"(?:{beginning[start.end() if start else 0 :]}){signs}{{{min(int(count), 12)}}}".lower()


HINTS = (
    *(_hint(*token) for token in _BEGINNINGS),
    r"(?:\.|%(?:25)*2e)eyj|eyj[a-z0-9+/_-]{20}|eyj[a-z0-9_-]{7,60}(?:\.|%(?:25)*2e)",
    r"""response(?:=|%(?:25)*3d)(?:\\*"|%(?:25)*22)?[0-9a-f]{32}""",
    r"""(?::|%(?:25)*3a)(?:\\*/|%(?:25)*2f){2}[^\s/"'<>]*(?:[:@]|%(?:25)*(?:3a|40))|jdbc:oracle""",
)
"""Of which one is in the lower case of any text that holds what is found here; for `graph.logs.regions.Hints`."""


def find_tokens(text: str, regions: Iterable[Span]) -> Iterator[Span]:
    """Yield where identifiers and tokens are that begin in some regions."""
    regions = list(regions)
    octets = text.encode("latin-1", "replace")  # one for each character
    for match in matches(_TOKEN, octets, regions):
        span = match.span()
        if octets.startswith(_LOOKALIKE_OCTETS, span[0]):
            closer = _LOOKALIKES.match(text, span[0])
            if closer is None or closer.end() - span[0] < _SHORTEST:
                continue
            span = closer.span()
        yield span
    for match in matches(_WEB_TOKEN, text, regions):
        if match["no_token"] is None:
            yield match.span()
    for match in matches(_DIGEST, text, regions):
        yield match.span("secret")


def find_url_passwords(text: str, regions: Iterable[Span]) -> Iterator[Span]:
    """Yield where the passwords are of URLs that begin in some regions, and tokens in the place of a user."""
    for match in matches(_PASSWORD_IN_URL, text, regions):
        part = match.lastgroup or ""
        if part.endswith("user"):
            scheme = text[max(0, match.start() - 5) : match.start()].lower()
            if not scheme.endswith(_WEB) or not _NO_WORD.match(text, *match.span(part)):
                continue
        yield match.span(part)


def find_encoded_json(text: str, regions: Iterable[Span]) -> Iterator[tuple[Span, str]]:
    """Yield where JSON objects are in base64, each with the JSON."""
    for match in matches(_ENCODED_JSON, text, regions):
        octets = match[0].rstrip("=").replace("-", "+").replace("_", "/")
        octets = octets[: len(octets) - (len(octets) % 4 == 1)]  # of a cut text
        yield match.span(), base64.b64decode(octets + "=" * (-len(octets) % 4)).decode(errors="replace")
