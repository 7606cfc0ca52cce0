import pytest

from graph.logs.reading import LogReadStatus


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("AccessDeniedException", LogReadStatus.DENIED),
        ("AccessDenied", LogReadStatus.DENIED),
        ("ResourceNotFoundException", LogReadStatus.NOT_FOUND),
        ("InvalidParameterException", LogReadStatus.ERROR),
        ("ConnectTimeoutError", LogReadStatus.ERROR),
        ("", LogReadStatus.ERROR),
    ],
)
def test_an_error_code_has_a_status(code: str, status: LogReadStatus) -> None:
    assert LogReadStatus.of_failure(code) is status
