"""Opens the page of dynacc.report in a headless Chromium, and clicks through it.

usage: report_browser_test.py LAUNCHER PACKAGE [PICTURE]      PICTURE: a file that gets a screenshot

Skipped (77) without the program chromium (Debian's package of that name).
"""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

LAUNCHER, PACKAGE = os.path.realpath(sys.argv.pop(1)), os.path.realpath(sys.argv.pop(1))
PICTURE = sys.argv.pop(1) if len(sys.argv) > 1 and sys.argv[1].endswith(".png") else None
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PROGRAM = """import numpy as np


def smooth(image, weight):
    inner = image[1:-1] * (1.0 - 2.0 * weight)
    return inner + weight * (image[:-2] + image[2:])


def normalise(image):
    total = image.sum()
    print(end="")
    return np.sqrt(np.abs(image / total)) - 0.5


def <NAME>(image):
    for i in range(3):
        image = np.tanh(smooth(image, 0.2)) + i
    return normalise(image)


for step in range(200):
    result = <NAME>(np.full(20_000, 1.0 + step))
<NAME>(np.full(20_000, 1.0, "f4"))
"""


class Browser:
    """A page in a headless Chromium, driven by the DevTools protocol over a pair of pipes."""

    def __init__(self, address, width=1200, height=900):
        self.profile = tempfile.TemporaryDirectory()
        to_browser, self.writes = os.pipe()
        self.reads, from_browser = os.pipe()
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe",
                   f"--user-data-dir={self.profile.name}", f"--window-size={width},{height}", "about:blank"]
        starter = f"exec 3<&{to_browser} 4>&{from_browser}; exec \"$@\""
        self.process = subprocess.Popen(["/bin/bash", "-c", starter, "chromium", *command], pass_fds=(to_browser, from_browser),
                                        stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.rest, self.number, self.session, self.problems = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Runtime", "Log", "Page", "Network"):
            self.call(domain + ".enable")
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writes, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.next()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def next(self):
        while b"\0" not in self.rest:
            chunk = os.read(self.reads, 1 << 20)
            if not chunk:
                raise RuntimeError("the browser has ended")
            self.rest += chunk
        text, _, self.rest = self.rest.partition(b"\0")
        message = json.loads(text)
        if message.get("method") == "Runtime.exceptionThrown":
            self.problems.append(message["params"]["exceptionDetails"].get("exception", {}).get("description"))
        if message.get("method") == "Log.entryAdded":
            self.problems.append(message["params"]["entry"]["text"])
        if message.get("method") == "Network.requestWillBeSent" and not message["params"]["request"]["url"].startswith("file:"):
            self.problems.append("a request of " + message["params"]["request"]["url"])
        return message

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"]["description"])
        return result["result"].get("value")

    def wait(self, condition, seconds=30):
        end = time.monotonic() + seconds
        while not self.value(condition):
            if time.monotonic() > end:
                raise TimeoutError(condition)
            time.sleep(0.02)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def click_on(self, expression):
        """Clicks the middle of the element that `expression` gives."""
        self.value(f"({expression}).scrollIntoView({{block: 'center'}})")
        self.click(*self.value(f"(() => {{ const r = ({expression}).getBoundingClientRect();"
                               " return [r.x + r.width / 2, r.y + r.height / 2]; })()"))

    def picture(self):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    # How many different colours the pixels of a canvas have.
    def colours(self, canvas):
        return self.value(f"""(() => {{ const c = document.querySelector({canvas!r});
            const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, seen = new Set();
            for (let i = 0; i < d.length; i += 4) seen.add(d[i] << 24 | d[i + 1] << 16 | d[i + 2] << 8 | d[i + 3]);
            return seen.size; }})()""")

    def close(self):
        self.process.terminate()
        self.process.wait(30)
        os.close(self.writes)
        os.close(self.reads)
        self.profile.cleanup()


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))

    def report(self, program, name="prog.py"):
        path, page = self.folder / name, self.folder / (name + ".html")
        path.write_text(program)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("DYNACC_")}
        subprocess.run([LAUNCHER, "-m", "dynacc.report", str(path), "-o", str(page)], check=True, capture_output=True,
                       timeout=300, env=environment | {"DYNACC_POLICY": "always", "DYNACC_TIER_UP": "0"})
        return page

    def open(self, page, **size):
        browser = Browser(page.as_uri(), **size)
        self.addCleanup(browser.close)
        return browser

    def test_a_walk_through_the_page(self):
        browser = self.open(self.report(PROGRAM.replace("<NAME>", "filtered")))
        self.assertRegex(browser.value("document.title"), "prog.py – DynaCC report")
        self.assertGreaterEqual(browser.value("document.querySelectorAll('#function-table tbody tr').length"), 2)
        browser.wait("document.getElementById('timeline').width > 300")
        self.assertGreater(browser.colours("#timeline"), 4)
        row = "[...document.querySelectorAll('#function-table tbody tr')].find(r => r.textContent.startsWith('filtered'))"
        browser.click_on(row + ".querySelector('button')")
        self.assertEqual(browser.value("document.getElementById('detail-title').textContent"), "filtered")
        self.assertIn("np.tanh(smooth(image, 0.2))", browser.value("document.querySelector('.source').textContent"))
        self.assertGreater(browser.value("document.querySelectorAll('.source tr.captured').length"), 0)

        browser.click_on("document.getElementById('tab-graph')")
        browser.wait("document.getElementById('graph') && detail.view && document.getElementById('graph').width > 300")
        browser.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.assertGreater(browser.colours("#graph"), 4)
        node = browser.value("""(() => { const c = document.getElementById('graph'); c.scrollIntoView({block: 'center'});
            const n = detail.view.graph.nodes.findIndex(n => n.label.startsWith('tanh')), p = detail.view.placeOf(n),
            r = c.getBoundingClientRect(); return [r.x + p[0], r.y + p[1]]; })()""")
        browser.click(*node)
        self.assertIn(": f64", browser.value("document.getElementById('graph-hint').textContent"))
        before = browser.value("detail.view.scale")
        browser.click_on("document.querySelector('#detail-body .tools button')")
        self.assertGreater(browser.value("detail.view.scale"), before)
        browser.click_on("document.querySelector('#detail-body > button.link')")
        self.assertIn("tanh", browser.value("document.querySelector('.source tr.chosen').textContent"))

        browser.click_on("document.getElementById('tab-groups')")
        text = browser.value("document.getElementById('detail-body').textContent")
        self.assertIn("GB/s", text)
        self.assertRegex(text, r"of a copy.*\d+ %.*A copy in memory by one thread reads and writes \d+\.\d GB/s")
        self.assertRegex(text, r"of arithmetic.*Of arithmetic: .*\d+ GB/s of operands of products and sums")
        self.assertIn('extern "C" void k0', text)
        browser.click_on("document.getElementById('tab-guards')")
        self.assertIn("is an array of f64", browser.value("document.getElementById('detail-body').textContent"))
        browser.click_on("document.getElementById('tab-breaks')")
        self.assertRegex(browser.value("document.getElementById('detail-body').textContent"), "print|traced again")
        if PICTURE:
            browser.value("document.getElementById('tab-graph').click(); window.scrollTo(0, 0)")
            browser.value("new Promise(done => setTimeout(done, 300))")
            pathlib.Path(PICTURE).write_bytes(browser.picture())
        self.assertEqual(browser.problems, [])

    def test_tables_sort_and_the_timeline_zooms(self):
        browser = self.open(self.report(PROGRAM.replace("<NAME>", "filtered")))
        head = "[...document.querySelectorAll('#function-table th button')].find(b => b.textContent.startsWith('breaks'))"
        column = "[...document.querySelectorAll('#function-table tbody tr')].map(r => Number(r.children[6].textContent))"
        browser.click_on(head)
        self.assertEqual(browser.value(column), sorted(browser.value(column), reverse=True))
        browser.click_on(head)
        self.assertEqual(browser.value(column), sorted(browser.value(column)))
        whole = browser.value("timeline.to - timeline.from")
        browser.click_on("document.getElementById('time-in')")
        self.assertAlmostEqual(browser.value("timeline.to - timeline.from"), whole / 2, delta=whole / 100)
        browser.click_on("document.getElementById('time-all')")
        self.assertEqual(browser.value("timeline.to - timeline.from"), whole)
        span = browser.value("""(() => { const c = timeline.canvas, lane = timeline.lanes.findIndex(l => l.some(s => s.function >= 0));
            const s = timeline.lanes[lane].find(s => s.function >= 0);
            timeline.look(s.at - s.us, s.at + 2 * s.us); c.scrollIntoView({block: 'center'});
            const r = c.getBoundingClientRect(); return [r.x + r.width / 2, r.y + 22 + 20 * (lane + 1.5), s.function]; })()""")
        browser.click(*span[:2])
        self.assertEqual(browser.value("detail.f.number"), span[2])
        self.assertEqual(browser.problems, [])

    def test_a_small_screen_needs_no_sideways_scrolling(self):
        browser = self.open(self.report(PROGRAM.replace("<NAME>", "filtered")), width=360, height=700)
        browser.call("Emulation.setDeviceMetricsOverride", width=360, height=700, deviceScaleFactor=2, mobile=True)
        browser.value("showFunction(0)")
        for tab in ("source", "graph", "groups", "guards", "breaks"):
            browser.value(f"document.getElementById('tab-{tab}').click()")
            self.assertLessEqual(browser.value("document.documentElement.scrollWidth"), 360, tab)
        self.assertEqual(browser.problems, [])

    def test_dark_and_light(self):
        browser = self.open(self.report(PROGRAM.replace("<NAME>", "filtered")))
        seen = []
        for scheme in ("light", "dark"):
            browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            seen.append(browser.value("getComputedStyle(document.body).backgroundColor"))
        self.assertNotEqual(*seen)

    def test_hostile_names_stay_text(self):
        name = "<img src=x onerror=owned=1></script><script>owned=1</script>"
        program = (PROGRAM.replace("<NAME>", "filtered").replace("for step in", f"name = {name!r}\n"
                   "filtered.__code__ = filtered.__code__.replace(co_qualname=name)\nfor step in"))
        page = self.report(program, "<img src=x onerror=owned=1>.py")
        browser = self.open(page)
        number = browser.value("data.functions.findIndex(f => f.name.startsWith('<img'))")
        self.assertGreaterEqual(number, 0)
        for tab in ("source", "graph", "groups", "guards", "breaks"):
            browser.value(f"detail.tab = {tab!r}; showFunction({number})")
        browser.value("new Promise(done => setTimeout(done, 200))")
        self.assertEqual(browser.value("document.getElementById('detail-title').textContent"), name)
        self.assertEqual(browser.value("[typeof owned, document.querySelectorAll('img').length]"), ["undefined", 0])
        self.assertEqual(browser.problems, [])

    def test_ten_thousand_nodes(self):
        sys.path.insert(0, PACKAGE)
        rows = ["  %0: f64[9] = input 0    # big.py:1"]
        rows += [f"  %{i}: f64[9] = add %{max(i - 1 - i % 7, 0)}, %{i // 2}    # big.py:{i}" for i in range(1, 10_000)]
        entry = {"optimized": "graph {\n" + "\n".join(rows) + "\n}\n", "groups": []}
        page = self.report(PROGRAM.replace("<NAME>", "filtered"))
        code = ("import json, sys; from dynacc._drawing import layout; print(json.dumps(layout(json.load(sys.stdin))))")
        graph = subprocess.run([LAUNCHER, "-c", code], input=json.dumps(entry), capture_output=True, text=True, check=True).stdout
        self.assertEqual(len(json.loads(graph)["nodes"]), 10_000)
        browser = self.open(page)
        browser.value(f"detail.tab = 'graph'; data.functions[0].entries[0].graph = {graph}; showFunction(0)")
        browser.wait("detail.view && detail.view.graph.nodes.length === 10000")
        longest = browser.value("""(() => { let longest = 0; for (const factor of [1, 4, 4, 4, 4, 0.5, 0.1]) {
            detail.view.zoomMiddle(factor);
            let best = Infinity;  // of what else the machine does
            for (let i = 0; i < 5; ++i) {
                const start = performance.now(); detail.view.draw(); best = Math.min(best, performance.now() - start); }
            longest = Math.max(longest, best); } return longest; })()""")
        self.assertLess(longest, 200)
        self.assertGreater(browser.colours("#graph"), 2)
        self.assertEqual(browser.problems, [])


if __name__ == "__main__":
    if CHROMIUM is None:
        print("chromium is not installed")
        sys.exit(77)
    unittest.main()
