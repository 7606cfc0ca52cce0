"""Token buckets of points."""

import pytest

from graph.errors import RateLimited
from graph.rate_limits import LocalTokenBuckets


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_a_bucket_empties_and_fills_with_time() -> None:
    clock = Clock()
    buckets = LocalTokenBuckets(100, 10, clock)
    await buckets.charge("a", 60)
    with pytest.raises(RateLimited) as refused:
        await buckets.charge("a", 60)
    assert refused.value.seconds == 2
    assert refused.value.extensions == {"code": "RATE_LIMITED", "retryable": True}
    clock.now = 2.0
    await buckets.charge("a", 60)


async def test_a_refusal_takes_nothing() -> None:
    buckets = LocalTokenBuckets(100, 10, Clock())
    for _ in range(3):
        with pytest.raises(RateLimited):
            await buckets.charge("a", 101)
    await buckets.charge("a", 100)


async def test_a_bucket_is_never_more_than_full() -> None:
    clock = Clock()
    buckets = LocalTokenBuckets(100, 10, clock)
    await buckets.charge("a", 1)
    clock.now = 1_000_000.0
    await buckets.charge("a", 100)
    with pytest.raises(RateLimited):
        await buckets.charge("a", 1)


async def test_callers_do_not_share() -> None:
    buckets = LocalTokenBuckets(100, 10, Clock())
    await buckets.charge("a", 100)
    await buckets.charge("b", 100)


async def test_no_more_callers_are_kept_than_fit() -> None:
    buckets = LocalTokenBuckets(100, 10, Clock())
    for number in range(12_000):
        await buckets.charge(str(number), 1)
    assert len(buckets._left) == 10_000


async def test_nothing_is_limited_without_points() -> None:
    buckets = LocalTokenBuckets(0, 10, Clock())
    await buckets.charge("a", 10**9)


async def test_what_is_refunded_can_be_spent_again_and_no_more() -> None:
    clock = Clock()
    buckets = LocalTokenBuckets(100, 10, clock)
    await buckets.refund("a", 50)
    await buckets.charge("a", 100)
    await buckets.refund("a", 60)
    await buckets.charge("a", 60)
    await buckets.refund("a", 60)
    await buckets.refund("a", 1_000)
    await buckets.charge("a", 100)
    with pytest.raises(RateLimited):
        await buckets.charge("a", 1)
