"""The objects in the demo's buckets: one for each file that a row names, small, real, and made by this code."""

import json
import math
import struct
import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from graph.demo.data import demo_items
from graph.demo.model import RUN_BUCKET
from graph.demo.s3 import StoredObject
from graph.demo.sizes import WHOLE_TEXTS
from graph.tables import catalogue, keys

_SIDE = 96
_TYPES = {"glb": "model/gltf-binary", "png": "image/png", "json": "application/json", "txt": "text/plain"}


def find_object(bucket: str, key: str, version: str | None) -> StoredObject | None:
    """Return the object of a key; None where no row names it, or not in that version."""
    versions = named_objects().get((bucket, key))
    if versions is None or (version is not None and version not in versions):
        return None
    return _made(key)


@cache
def named_objects() -> Mapping[tuple[str, str], frozenset[str]]:
    """Return the versions of each object that rows name, by bucket and key."""
    found: dict[tuple[str, str], set[str]] = {}
    for bucket, key, version in _places():
        if bucket and key.strip("/") and not key.endswith("/"):
            found.setdefault((bucket, key.lstrip("/")), set()).add(version)
    return {place: frozenset(versions) for place, versions in found.items()}


def _places() -> Iterator[tuple[str, str, str]]:
    items = demo_items()
    for row in items[catalogue.INPUTS]:
        yield row.get("s3Bucket", ""), row.get("inputAssetFileKey", ""), row.get("versionId", "")
    for row in items[catalogue.OUTPUT_FILES]:
        yield row.get("s3Bucket", ""), row.get("s3Key", ""), row.get("s3VersionId", "")
    for row in items[catalogue.OUTPUT_RESULTS]:
        yield RUN_BUCKET, row.get("s3Key", ""), ""
    for row in items[catalogue.INPUT_CONFIGURATIONS]:
        yield RUN_BUCKET, row.get("inputConfigurationFileS3Key", ""), ""
    buckets = {row["bucketId"]: row["bucketName"] for row in items[catalogue.BUCKETS]}
    assets = {(row["databaseId"], row["assetId"]): row for row in items[catalogue.ASSETS]}
    for row in items[catalogue.FILE_VERSIONS]:
        asset = assets.get((row["databaseId"], row["assetId"]))
        if asset is not None:
            place = keys.bucket_key(row["filePath"], asset["assetLocation"]["Key"])
            yield buckets[asset["bucketId"]], place, row["versionId"]


@cache
def _made(key: str) -> StoredObject:
    name, _, extension = key.rpartition(".")
    if (text := next((whole for end, whole in WHOLE_TEXTS.items() if key.endswith(end)), None)) is not None:
        return StoredObject(text.encode(), _TYPES.get(extension, "text/plain"))
    shade = zlib.crc32(key.encode())
    match extension:
        case "png":
            body = _picture(shade)
        case "glb":
            body = _model(shade)
        case "json":
            body = json.dumps({"file": key, "checks": {"watertight": True, "holes": shade % 7}}, indent=2).encode()
        case "txt":
            body = f"{name}: made for the demo\n".encode()
        case _:
            body = f"{key}: sample data of the demo, not a file of this format\n".encode()
    return StoredObject(body, _TYPES.get(extension, "binary/octet-stream"))


def _picture(shade: int) -> bytes:
    """Return a PNG: a ball in a colour of its own, lit from one side."""
    red, green, blue = (96 + (shade >> place) % 144 for place in (0, 8, 16))
    rows = bytearray()
    for y in range(_SIDE):
        rows.append(0)  # no filter
        for x in range(_SIDE):
            dx, dy = x / _SIDE * 2.4 - 1.2, y / _SIDE * 2.4 - 1.2
            rest = 1 - dx * dx - dy * dy
            light = max(0.15, (math.sqrt(rest) - dx - dy) / 1.8) if rest > 0 else 0
            rows += bytes(min(255, round(part * light)) for part in (red, green, blue)) if light else b"\xf4\xf4\xf0"
    head = struct.pack(">IIBBBBB", _SIDE, _SIDE, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(bytes(rows), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, held) for kind, held in parts)


def _chunk(kind: bytes, held: bytes) -> bytes:
    return struct.pack(">I", len(held)) + kind + held + struct.pack(">I", zlib.crc32(kind + held))


def _model(shade: int) -> bytes:
    """Return a GLB: a box, in a colour of its own."""
    corners = [(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]
    triangles = (
        0,
        1,
        3,
        0,
        3,
        2,
        4,
        6,
        7,
        4,
        7,
        5,
        0,
        4,
        5,
        0,
        5,
        1,
        2,
        3,
        7,
        2,
        7,
        6,
        0,
        2,
        6,
        0,
        6,
        4,
        1,
        5,
        7,
        1,
        7,
        3,
    )
    places = b"".join(struct.pack("<3f", *corner) for corner in corners)
    order = struct.pack(f"<{len(triangles)}H", *triangles)
    colour = [round((shade >> place) % 256 / 255, 3) for place in (0, 8, 16)] + [1.0]
    scene: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "VAMS Graph demo"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": colour, "metallicFactor": 0.1}}],
        "buffers": [{"byteLength": len(places) + len(order)}],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": len(places), "target": 34962},
            {"buffer": 0, "byteOffset": len(places), "byteLength": len(order), "target": 34963},
        ],
        "accessors": [
            {
                "bufferView": 0,
                "componentType": 5126,
                "count": len(corners),
                "type": "VEC3",
                "min": [-1.0] * 3,
                "max": [1.0] * 3,
            },
            {"bufferView": 1, "componentType": 5123, "count": len(triangles), "type": "SCALAR"},
        ],
    }
    text = json.dumps(scene, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    binary = places + order
    length = 12 + 8 + len(text) + 8 + len(binary)
    head = struct.pack("<4sII", b"glTF", 2, length)
    return head + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary
