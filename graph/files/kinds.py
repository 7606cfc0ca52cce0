"""Which files are let out, and how a browser is told to take them.

The two lists of refused kinds are those of VAMS 2.5.1, which refuses the same files in its own downloads.
"""

import mimetypes
import re
from urllib.parse import quote

_REFUSED_EXTENSIONS = frozenset(
    {
        ".jar",
        ".java",
        ".com",
        ".php",
        ".reg",
        ".pif",
        ".bak",
        ".dll",
        ".exe",
        ".nat",
        ".cmd",
        ".lnk",
        ".docm",
        ".vbs",
        ".bat",
    }
)
_REFUSED_TYPES = frozenset(
    {
        "application/java-archive",
        "application/javascript",
        "application/vbscript",
        "application/vnd.ms-word.document.macroenabled.12",
        "application/java-vm",
        "application/x-java-archive",
        "application/x-ms-dos-executable",
        "application/x-msdownload",
        "application/x-php",
        "application/x-powershell",
        "application/x-python-code",
        "application/x-sh",
        "text/javascript",
        "text/vbscript",
        "text/x-java-source",
        "text/x-python-source",
    }
)

# What a browser shows without running anything of it. SVG and HTML run scripts, and are in no such list ever.
_SHOWN = frozenset(
    {
        "image/avif",
        "image/bmp",
        "image/gif",
        "image/jpeg",
        "image/png",
        "image/webp",
        "model/gltf-binary",
    }
)
_ANYTHING = "application/octet-stream"
_UNSPECIFIC = frozenset({"", _ANYTHING, "binary/octet-stream", "application/x-directory"})
_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}")
_TYPES = mimetypes.MimeTypes()  # of Python alone: those of the machine would give each machine other answers
_TYPES.add_type("model/gltf-binary", ".glb")
_TYPES.add_type("model/gltf+json", ".gltf")
_TYPES.add_type("image/webp", ".webp")
_TYPES.add_type("image/avif", ".avif")

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_UNQUOTED = re.compile(r"[^ !#$&\'()+,\-.0-9;=@A-Z\[\]^_`a-z{}~]")


def file_name(key: str) -> str:
    """Return the last part of a key, without what cannot be printed or turns the direction of writing."""
    return _UNPRINTABLE.sub("_", key.rstrip("/").rpartition("/")[2]) or "file"


def is_refused(name: str, *media_types: str | None) -> bool:
    """Return whether VAMS lets no file of such a name, or of one of such types, out."""
    trimmed = name.lower().rstrip(". ")  # Windows takes these off the end of a name
    if any(trimmed.endswith(extension) for extension in _REFUSED_EXTENSIONS):
        return True
    return any(_bare(media_type) in _REFUSED_TYPES for media_type in media_types)


def media_type(name: str, told: str | None) -> str:
    """Return the type of a file: as S3 tells it, else as its name says; one that is no type tells nothing."""
    bare = _bare(told)
    if bare not in _UNSPECIFIC and _TYPE.fullmatch(bare):
        return bare
    return _by_name(name)


def disposition(name: str, of_type: str) -> str:
    """Return a Content-Disposition: inline where the type and the name both say what is safe to show."""
    shown = of_type in _SHOWN and _by_name(name) == of_type
    plain = _UNQUOTED.sub("_", name)
    return f"{'inline' if shown else 'attachment'}; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"


def _by_name(name: str) -> str:
    guessed, encoding = _TYPES.guess_type(f"/{name}")  # a path: a name alone may look like a URL
    return guessed if guessed is not None and encoding is None else _ANYTHING


def _bare(media_type: str | None) -> str:
    return (media_type or "").partition(";")[0].strip().lower()
