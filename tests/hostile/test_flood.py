"""One user's flood of new documents, over a real server: others are answered, and the flood is paid for."""

import asyncio
import gc
import itertools
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from urllib.parse import urlsplit

import httpx
import pytest

from graph.app import settle_garbage_collection
from tests.http.test_endpoint import Named
from tests.memory import MemoryDatabase
from tests.serving import listening, make_app, serving

CONNECTIONS, SECONDS = 32, 2.0
LONGEST = 1.0  # of CPU, of server and clients together; 0.2 is usual
FRAGMENTS = " ".join(
    f"fragment F{n} on Execution {{ status workflow {{ name }} pipelineExecutions {{ nodes {{ name status }} }} }}"
    for n in range(60)
)
FLOODS: Mapping[str, Callable[[int], str]] = {
    "tiny and broken": lambda n: "{a" + "b " * 120 + str(n),
    "large and broken": lambda n: "{" + " ".join(f"a{k}" for k in range(2900)) + f" n{n} {{",
    "large names": lambda n: "{" + " ".join(f"a{k:020}" for k in range(2900)) + f" n{n}}}",
    "not valid": lambda n: f"{{ n{n} " + " ".join(f"viewer {{ u{k} }}" for k in range(18)) + "}",
    "quadratic": lambda n: (
        f"{{ executions {{ nodes {{ n{n} {' '.join(f'...F{k}' for k in range(60))} }} }} }} {FRAGMENTS}"
    ),
    "tiny and valid": lambda n: f"{{ n{n}: viewer {{ userId }} }}",
}


@pytest.fixture(scope="module")
def address(memory: MemoryDatabase) -> Iterator[str]:
    """A server whose collector of garbage is that of production: else all that other tests left is looked through."""
    thresholds = gc.get_threshold()
    app = make_app(memory, [Named()], rate_points=0)
    settle_garbage_collection()
    try:
        with listening(app) as address:
            yield address
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()


async def flood(address: str, document: Callable[[int], str], until: float, statuses: Counter[int]) -> None:
    """Asks for new documents on one connection, each as soon as the last was answered."""
    url = urlsplit(address)
    reader, writer = await asyncio.open_connection(url.hostname, url.port)
    try:
        while time.monotonic() < until:
            body = json.dumps({"query": document(next(_NUMBERS))}).encode()
            head = f"POST /graphql HTTP/1.1\r\nHost: {url.netloc}\r\nX-User: eve\r\nContent-Type: application/json\r\n"
            writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
            answer = (await reader.readuntil(b"\r\n\r\n")).lower()
            statuses[int(answer.split()[1])] += 1
            await reader.readexactly(int(answer.split(b"content-length:")[1].split()[0]))
    finally:
        writer.close()


_NUMBERS = itertools.count()


@pytest.mark.parametrize("name", ["tiny and broken", "large and broken", "quadratic", "tiny and valid"])
async def test_new_documents_of_others_are_answered_within_a_second(address: str, name: str) -> None:
    until, statuses, waits, overtaking = time.monotonic() + SECONDS, Counter[int](), list[float](), list[int]()
    floods = [asyncio.create_task(flood(address, FLOODS[name], until, statuses)) for _ in range(CONNECTIONS)]
    async with httpx.AsyncClient(base_url=address, headers={"X-User": "bob"}) as client:
        while time.monotonic() < until:
            fields = " ".join(f"a{n}: viewer {{ userId roles }}" for n in range(15))
            begun, before = time.process_time(), statuses.total()
            answer = await client.post("/graphql", json={"query": f"{{ {fields} n{next(_NUMBERS)}: __typename }}"})
            waits.append(time.process_time() - begun)
            overtaking.append(statuses.total() - before)
            assert answer.status_code == 200, answer.text
            assert "errors" not in answer.json()
            await asyncio.sleep(0.02)
    await asyncio.gather(*floods)
    assert statuses.total() > CONNECTIONS
    assert max(overtaking) < CONNECTIONS
    assert max(waits) < LONGEST, (max(waits), statuses)


@pytest.mark.parametrize("name", FLOODS)
async def test_a_flood_empties_the_bucket_of_its_user_alone(memory: MemoryDatabase, name: str) -> None:
    limits = {"rate_points": 5_000, "max_price": 5_000, "rate_points_per_second": 1}
    async with serving(memory, authenticators=[Named()], **limits) as client:
        statuses = Counter[int]()
        for number in range(3_000):
            answer = await client.post("/graphql", json={"query": FLOODS[name](number)}, headers={"X-User": "eve"})
            statuses[answer.status_code] += 1
            if answer.status_code == 429:
                break
        assert statuses[429] == 1, statuses
        fine = await client.post("/graphql", json={"query": "{ viewer { userId } }"}, headers={"X-User": "bob"})
        assert "errors" not in fine.json()
