from graph.engines.memory import CheckMemory, LiveStatus
from graph.tables.states import ExecutionStatus

RUNNING = LiveStatus(ExecutionStatus.RUNNING)


def test_a_check_holds_for_its_seconds_whether_it_was_answered_or_not() -> None:
    now = [100.0]
    checks = CheckMemory(30, clock=lambda: now[0])
    checks.keep("answered", RUNNING)
    checks.keep("failed", None)
    now[0] = 129.9
    found = [checks.recall(name) for name in ("answered", "failed", "never")]
    assert [check and check.answer for check in found] == [RUNNING, None, None]
    assert found[1] is not None
    now[0] = 130.0
    assert [checks.recall(name) for name in ("answered", "failed")] == [None, None]


def test_what_the_engine_forgot_is_never_checked_again() -> None:
    now = [0.0]
    checks = CheckMemory(30, clock=lambda: now[0])
    checks.keep("gone", None, is_final=True)
    now[0] = 1e9
    assert checks.recall("gone") is not None


def test_the_oldest_of_too_many_checks_is_forgotten() -> None:
    checks = CheckMemory(30, most=2)
    for name in ("a", "b", "a", "c"):
        checks.keep(name, RUNNING)
    assert checks.recall("b") is None
    assert checks.recall("a") is not None
    assert checks.recall("c") is not None
