"""Records the answers anew: ``python -m tests.recorded``."""

import asyncio

from tests.demo.reading import ITEMS
from tests.memory import MemoryDatabase
from tests.recorded.answers import ANSWERS, answers, lines

if __name__ == "__main__":
    recorded = asyncio.run(answers(MemoryDatabase(ITEMS), fast_execution=True))
    ANSWERS.write_text("".join(f"{line}\n" for line in lines(recorded)))
    print(f"{len(recorded)} answers in {ANSWERS}")
