"""The explorer in a real browser, over the demo, with every other host unresolvable."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Request, expect, sync_playwright

from graph.demo.permissions import ADMIN, API_KEY_OF
from graph.demo.samples import SAMPLE_EXECUTION_ID
from graph.demo.welcome import EXAMPLES
from graph.explorer.page import STATIC
from tests.skipping import give_up

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ALONE = [
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Where the demo serves the graph."""
    if not (STATIC / "index.html").is_file():
        give_up("THE EXPLORER IS NOT TESTED: its page is not built; install Node.js and run `make explorer`")
    command = [sys.executable, "-m", "graph", "demo", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:  # noqa: S603
        assert server.stdout is not None
        try:
            yield server.stdout.readline().split()[-1]
        finally:
            server.terminate()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        give_up("THE EXPLORER IS NOT TESTED: there is no Chromium; on Debian and Ubuntu: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ALONE)
        yield browser
        browser.close()


@dataclass
class Visit:
    """A page on its first visit, and what it did."""

    page: Page
    url: str
    complaints: list[str] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("requestfailed", lambda request: self.complaints.append(f"failed: {request.url}"))
        self.page.on("request", self._note)
        self.page.goto(self.url.removesuffix("graphql"))
        expect(self.page).to_have_url(self.url)
        expect(self.page.locator(".graphiql-query-editor .view-lines")).to_contain_text(TITLES[0])
        expect(self.page.locator(".result-window .monaco-editor")).to_be_visible()
        expect(self.page.locator(".graphiql-explorer-root")).to_contain_text("execution")

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def _note(self, request: Request) -> None:
        self.requests.append(request)

    @property
    def asked(self) -> list[Request]:
        """What the graph was asked."""
        return [request for request in self.requests if request.method == "POST"]

    def run(self) -> None:
        self.page.get_by_role("button", name="Execute query").click()

    def shows(self, text: str) -> None:
        expect(self.page.locator(".result-window")).to_contain_text(text)

    def background(self) -> str:
        return str(
            self.page.evaluate("getComputedStyle(document.querySelector('.graphiql-container')).backgroundColor")
        )


TITLES = ["WholeExecution", "NewestFailures", "LogsOfSteps", "AssetHistory"]
LIGHT, DARK = "rgb(255, 255, 255)", "rgb(33, 42, 59)"


@pytest.fixture
def visit(browser: Browser, url: str) -> Iterator[Visit]:
    context = browser.new_context(color_scheme="dark", viewport={"width": 1600, "height": 960})
    visit = Visit(context.new_page(), url)
    yield visit
    origin = url.removesuffix("/graphql")
    assert visit.complaints == []
    assert [request.url for request in visit.requests if not request.url.startswith(f"{origin}/")] == []
    context.close()


def test_a_query_runs_with_the_network_cut(visit: Visit, tmp_path: Path) -> None:
    visit.run()
    visit.shows('"Mesh converter"')
    visit.page.mouse.move(0, 0)
    expect(visit.page.locator(".scrollbar.visible")).to_have_count(0)
    picture = os.environ.get("PICTURE", tmp_path / "explorer.png")
    assert visit.page.screenshot(path=picture, animations="disabled").startswith(b"\x89PNG")


def test_the_first_tabs_hold_the_examples(visit: Visit) -> None:
    expect(visit.page.get_by_role("tab")).to_contain_text(TITLES)
    for title, example in zip(TITLES, EXAMPLES, strict=True):
        visit.page.get_by_role("tab", name=title).click()
        visit.run()
        visit.shows('"data"')
        assert visit.asked[-1].post_data_json == {"query": example.document}


def test_the_explorer_writes_the_query(visit: Visit) -> None:
    editor, explorer = visit.page.locator(".graphiql-query-editor"), visit.page.locator(".graphiql-explorer-root")
    expect(editor).to_contain_text("durationMs")
    explorer.get_by_text("durationMs", exact=True).first.click()
    expect(editor).not_to_contain_text("durationMs")
    visit.page.get_by_role("button", name="Hide GraphiQL Explorer").click()
    expect(explorer).to_be_hidden()
    visit.page.get_by_role("button", name="Show GraphiQL Explorer").click()
    expect(explorer).to_be_visible()


def test_the_schema_is_documented(visit: Visit) -> None:
    visit.page.get_by_role("button", name="Show Documentation Explorer").click()
    expect(visit.page.locator(".graphiql-doc-explorer")).to_contain_text("Query")


def test_the_workers_come_from_the_server_and_find_mistakes(visit: Visit) -> None:
    visit.page.locator(".graphiql-query-editor .view-lines").click()
    visit.page.keyboard.press("Control+A")
    visit.page.keyboard.type("{ nonsense }")
    expect(visit.page.locator(".graphiql-query-editor .squiggly-error").first).to_be_visible()
    assert any("/explorer/graphql.worker-" in worker.url for worker in visit.page.workers)


def test_it_is_dark_where_the_system_is_and_where_it_is_told_to_be(visit: Visit) -> None:
    assert visit.background() == DARK
    visit.page.emulate_media(color_scheme="light")
    assert visit.background() == LIGHT
    visit.page.get_by_role("button", name="Open settings dialog").click()
    visit.page.get_by_role("button", name="Dark").click()
    assert visit.background() == DARK


def test_headers_are_sent_and_never_kept(visit: Visit) -> None:
    visit.page.get_by_role("button", name="Headers").click()
    visit.page.locator('[aria-label="Headers"] .graphiql-editor:not(.hidden) .view-lines').click()
    visit.page.keyboard.insert_text(json.dumps({"Authorization": API_KEY_OF[ADMIN]}))
    visit.run()
    visit.shows('"data"')
    assert visit.asked[-1].headers["authorization"] == API_KEY_OF[ADMIN]
    visit.page.wait_for_function("'graphiql:queries' in localStorage")
    visit.page.wait_for_timeout(1000)  # the editor stores what is typed in it with a delay
    kept = visit.page.evaluate("JSON.stringify([localStorage, sessionStorage])")
    assert SAMPLE_EXECUTION_ID in kept
    assert API_KEY_OF[ADMIN] not in kept


def test_scripts_of_others_do_not_run(browser: Browser, url: str) -> None:
    page = browser.new_page()
    page.goto(url)
    with pytest.raises(Error, match="Content Security Policy"):
        page.add_script_tag(content="document.title = 'inline'")
    assert page.title() == "VAMS Graph"
    page.close()
