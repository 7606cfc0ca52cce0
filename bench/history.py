"""What it costs to attribute the longest history there is: ``python -m bench.history``.

Three shapes that grow: a state in a loop, a wide Map that fails at once, and a Map of one iteration after the other.
Milliseconds of the thread's CPU, with garbage collection as the server has it: on, and what was made at start frozen.
"""

import gc
import statistics
import time
import tracemalloc

from graph.history import Event, attribute
from tests.history.test_attribution import choice_loop, failing_map, serial_map

EVENTS = 25_000
ROUNDS = 15
MIB = 1024 * 1024
SHAPES = {
    "choice loop": choice_loop,
    f"failing Map, {EVENTS // 8:,} wide": failing_map,
    "Map, MaxConcurrency 1": serial_map,
}


def main() -> None:
    """Print a table."""
    gc.collect()
    gc.freeze()
    print(f"{EVENTS:,} events; targets: 150 ms, 10 MiB, 4.4 times the time for 4 times the events")
    print(f"{'min ms':>8} {'median ms':>10} {'MiB':>6} {'ratio':>6}")
    for name, history in SHAPES.items():
        events, quarter = history(EVENTS), history(EVENTS // 4)
        # In turn, so that a busy moment of the machine meets both.
        took, of_quarter = zip(*((milliseconds(events), milliseconds(quarter)) for _ in range(ROUNDS)), strict=True)
        median = statistics.median(took)
        ratio = median / statistics.median(of_quarter)
        print(f"{min(took):>8.1f} {median:>10.1f} {peak(events):>6.1f} {ratio:>6.2f}  {name}")


def milliseconds(events: list[Event]) -> float:
    """Return what one attribution takes."""
    begun = time.thread_time()
    attribute(events)
    return (time.thread_time() - begun) * 1000


def peak(events: list[Event]) -> float:
    """Return the most MiB that one attribution holds at once, above the events."""
    tracemalloc.start()
    attribute(events)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return most / MIB


if __name__ == "__main__":
    main()
