import asyncio
import threading
import time
from collections.abc import Mapping
from typing import Any

import pytest
from botocore.exceptions import ClientError

from graph.auth.identity import IdentityUnavailable
from graph.auth.mfa import ClaimMfa, CognitoMfa
from tests.auth.rows import Clock
from tests.faults import without_pauses


@pytest.mark.parametrize(
    ("claims", "is_mfa"),
    [
        ({"amr": ["pwd", "mfa"]}, True),
        ({"amr": "mfa"}, True),
        ({"amr": ["pwd"]}, False),
        ({"amr": "no mfa"}, False),
        ({"amr": None}, False),
        ({"amr": True}, False),
        ({"amr": {"mfa": 1}}, False),
        ({}, False),
    ],
)
async def test_the_methods_of_authentication_name_a_second_factor(claims: dict[str, Any], is_mfa: bool) -> None:
    assert await ClaimMfa()("ana", claims) is is_mfa


async def test_another_claim_may_tell() -> None:
    assert await ClaimMfa("mfa_done", "true")("ana", {"mfa_done": True})
    assert not await ClaimMfa("mfa_done", "true")("ana", {"mfa_done": False})
    assert await ClaimMfa("acr", "urn:mfa")("ana", {"acr": "urn:mfa"})


@pytest.fixture
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    without_pauses(monkeypatch)


class Pool:
    def __init__(self, **settings: list[str]) -> None:
        self.settings = settings
        self.asked: list[str] = []
        self.error: Exception | None = None
        self.threads: set[int] = set()

    def admin_get_user(self, *, UserPoolId: str, Username: str) -> Mapping[str, Any]:  # noqa: N803
        assert UserPoolId == "pool"
        self.asked.append(Username)
        self.threads.add(threading.get_ident())
        time.sleep(0.01)
        if self.error:
            raise self.error
        settings = self.settings.get(Username)
        return {"Username": Username} if settings is None else {"Username": Username, "UserMFASettingList": settings}


async def test_a_cognito_user_with_a_second_factor_set_up_has_one() -> None:
    mfa = CognitoMfa(Pool(ana=["SOFTWARE_TOKEN_MFA"], bob=[]), "pool")
    assert [await mfa(name, {}) for name in ("ana", "bob", "eve")] == [True, False, False]


async def test_cognito_is_asked_by_the_name_that_it_knows() -> None:
    pool = Pool(ana=["SMS_MFA"])
    assert await CognitoMfa(pool, "pool")("ana@example.com", {"cognito:username": "ana"})
    assert await CognitoMfa(pool, "pool")("ana@example.com", {"username": "ana"})
    assert pool.asked == ["ana", "ana"]


async def test_cognito_is_asked_off_the_loop_and_once_a_minute() -> None:
    pool, clock = Pool(ana=["SMS_MFA"]), Clock()
    mfa = CognitoMfa(pool, "pool", clock=clock)
    await asyncio.gather(*(mfa("ana", {}) for _ in range(10)))
    clock.time += 59
    await mfa("ana", {})
    assert pool.asked == ["ana"]
    assert threading.get_ident() not in pool.threads
    clock.time += 1
    await mfa("ana", {})
    assert pool.asked == ["ana", "ana"]


def refused(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "ana"}}, "AdminGetUser")


@pytest.mark.parametrize(
    "error",
    [
        ConnectionError("away"),
        TimeoutError(),
        refused("TooManyRequestsException"),
        refused("InternalErrorException"),
        refused("NotAuthorizedException"),
        refused("ResourceNotFoundException"),
    ],
    ids=repr,
)
@pytest.mark.usefixtures("_without_pauses")
async def test_a_failure_says_nothing_about_a_second_factor_and_is_not_remembered(error: Exception) -> None:
    pool = Pool(ana=["SMS_MFA"])
    mfa = CognitoMfa(pool, "pool")
    pool.error = error
    with pytest.raises(IdentityUnavailable) as raised:
        await mfa("ana", {})
    assert raised.value.extensions == {"code": "UPSTREAM_UNAVAILABLE", "retryable": True}
    pool.error = None
    assert await mfa("ana", {})


@pytest.mark.usefixtures("_without_pauses")
@pytest.mark.parametrize(
    ("code", "attempt"), [("TooManyRequestsException", 2), ("NotAuthorizedException", 1), ("AccessDeniedException", 1)]
)
async def test_a_failure_is_retried_where_it_may_pass_and_is_one_line_of_the_log(
    code: str, attempt: int, caplog: pytest.LogCaptureFixture
) -> None:
    pool = Pool()
    pool.error = refused(code)
    with pytest.raises(IdentityUnavailable):
        await CognitoMfa(pool, "pool")("ana", {})
    assert pool.asked == ["ana"] * attempt
    assert [(record.levelname, record.getMessage(), record.exc_info) for record in caplog.records] == [
        ("WARNING", f"cognito-idp.AdminGetUser failed: code={code} attempt={attempt}", None)
    ]


@pytest.mark.parametrize("code", ["UserNotFoundException", "InvalidParameterException"])
async def test_a_user_whom_the_pool_does_not_know_has_no_second_factor(
    code: str, caplog: pytest.LogCaptureFixture
) -> None:
    pool = Pool()
    mfa = CognitoMfa(pool, "pool")
    pool.error = refused(code)
    assert [await mfa("ana", {}), await mfa("ana", {})] == [False, False]
    assert pool.asked == ["ana"]
    assert caplog.messages == []


async def test_what_is_known_of_a_second_factor_is_used_while_the_pool_is_away() -> None:
    pool, clock = Pool(ana=["SMS_MFA"]), Clock()
    mfa = CognitoMfa(pool, "pool", clock=clock)
    assert await mfa("ana", {})
    pool.error = ConnectionError("away")
    clock.time += 59
    assert await mfa("ana", {})
    clock.time += 1
    with pytest.raises(IdentityUnavailable):
        await mfa("ana", {})
