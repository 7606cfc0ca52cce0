"""Which files are let out, and how a browser takes them."""

import pytest

from graph.files.kinds import disposition, file_name, is_refused, media_type


@pytest.mark.parametrize(
    "name",
    ["a.exe", "A.EXE", "report.pdf.bat", "x.Docm", ".php", "lib.jar", "a.vbs.", "a.com ", "a.dll. .", "a.java"],
)
def test_files_of_refused_endings_are_let_out_by_no_name(name: str) -> None:
    assert is_refused(name)


@pytest.mark.parametrize("name", ["a.glb", "exe", "a.exe.glb", "java", "dotcom", "a.batch", "a.javascript", "php.png"])
def test_files_of_other_endings_are_not_refused(name: str) -> None:
    assert not is_refused(name)


@pytest.mark.parametrize(
    "of_type",
    ["application/x-sh", "Application/X-SH", "application/javascript; charset=utf-8", " text/x-python-source "],
)
def test_files_of_refused_types_are_let_out_by_no_name(of_type: str) -> None:
    assert is_refused("picture.png", None, of_type)


@pytest.mark.parametrize(
    ("name", "told", "expected"),
    [
        ("a.glb", None, "model/gltf-binary"),
        ("a.glb", "binary/octet-stream", "model/gltf-binary"),
        ("a.GLB", "", "model/gltf-binary"),
        ("a.png", "image/png", "image/png"),
        ("a.png", "text/html", "text/html"),
        ("a.json", "Application/JSON; charset=utf-8", "application/json"),
        ("a.tar.gz", None, "application/octet-stream"),
        ("a", "image/png\r\nX-Evil: 1", "application/octet-stream"),
        ("data:text/html,x", None, "application/octet-stream"),
    ],
)
def test_the_type_is_the_one_that_s3_tells_else_that_of_the_name(name: str, told: str | None, expected: str) -> None:
    assert media_type(name, told) == expected


@pytest.mark.parametrize(
    ("name", "of_type"),
    [("a.png", "image/png"), ("a.PNG", "image/png"), ("a.jpg", "image/jpeg"), ("a.glb", "model/gltf-binary")],
)
def test_pictures_and_models_are_shown(name: str, of_type: str) -> None:
    assert disposition(name, of_type).startswith("inline; ")


@pytest.mark.parametrize(
    ("name", "of_type"),
    [
        ("a.html", "text/html"),
        ("a.svg", "image/svg+xml"),
        ("a.html", "image/png"),  # whoever wrote the object chose its type
        ("a.svg", "image/png"),
        ("a.png", "text/html"),
        ("a.png", "image/svg+xml"),
        ("a.png", "image/jpeg"),
        ("a.xml", "text/xml"),
        ("a.pdf", "application/pdf"),
        ("a", "image/png"),
        ("a.png.svgz", "image/png"),
        ("a.gltf", "model/gltf+json"),
    ],
)
def test_everything_else_is_kept_and_not_shown(name: str, of_type: str) -> None:
    assert disposition(name, of_type).startswith("attachment; ")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.bin", "attachment; filename=\"a.bin\"; filename*=UTF-8''a.bin"),
        ('a"; x="b', "attachment; filename=\"a_; x=_b\"; filename*=UTF-8''a%22%3B%20x%3D%22b"),
        ("größe.bin", "attachment; filename=\"gr__e.bin\"; filename*=UTF-8''gr%C3%B6%C3%9Fe.bin"),
        ("100%.bin", "attachment; filename=\"100_.bin\"; filename*=UTF-8''100%25.bin"),
        ("a\\b.bin", "attachment; filename=\"a_b.bin\"; filename*=UTF-8''a%5Cb.bin"),
    ],
)
def test_a_name_ends_no_header_and_starts_no_other_parameter(name: str, expected: str) -> None:
    assert disposition(name, "application/octet-stream") == expected


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("a/b/c.glb", "c.glb"),
        ("c.glb", "c.glb"),
        ("a/line\r\nbreak.glb", "line__break.glb"),
        ("a/gpj\u202e.exe", "gpj_.exe"),
        ("a/", "a"),
        ("/", "file"),
    ],
)
def test_a_name_is_the_last_part_of_a_key_and_can_be_printed(key: str, expected: str) -> None:
    assert file_name(key) == expected
