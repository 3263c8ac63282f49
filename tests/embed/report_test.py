"""python -m dynacc.report: its page for programs that end in every way, and with hostile names.

usage: report_test.py LAUNCHER PACKAGE
"""
import html.parser
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

LAUNCHER, PACKAGE = os.path.realpath(sys.argv.pop(1)), os.path.realpath(sys.argv.pop(1))
PROGRAM = """
import sys
import numpy as np
def blend(a, b):
    c = a * 2.0 + b
    print(end="")
    return c / 3.0 + np.sqrt(c)
for i in range(60):
    blend(np.ones(5000), np.ones(5000))
    if i > 55:
        blend(np.ones(5000, "f4"), np.ones(5000))
"""
HOSTILE = "</script><script>document.title='owned'</script><!--&\u2028\"'"


class Page(html.parser.HTMLParser):
    """The elements of a page and the data in it."""

    def __init__(self, text):
        super().__init__()
        self.text, self.tags, self.data, self.inside = text, [], None, None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.inside = dict(attributes).get("id")

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, text):
        if self.inside == "data":
            self.data = json.loads(text)

    def function(self, name):
        return next(each for each in self.data["functions"] if each["name"] == name)


class Reports(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def report(self, program, *arguments, name="prog.py", interpreter=(LAUNCHER,), **variables):
        path = self.folder / name
        path.write_text(program)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("DYNACC_")}
        environment |= {"DYNACC_POLICY": "always", "DYNACC_TIER_UP": "0"} | variables
        done = subprocess.run([*interpreter, "-m", "dynacc.report", str(path), "-o", str(self.folder / "page.html"), *arguments],
                              capture_output=True, text=True, timeout=300, env=environment)
        self.assertTrue((self.folder / "page.html").exists(), done.stderr)
        return done, Page((self.folder / "page.html").read_text(encoding="utf-8"))

    def test_what_the_page_knows(self):
        done, page = self.report(PROGRAM)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        blend = page.function("blend")
        self.assertEqual({each["start_line"] for each in blend["entries"]}, {4, 6})
        self.assertGreaterEqual(len(blend["entries"]), 3)  # for f8, and for f4
        self.assertGreater(blend["hits"], 100)
        self.assertEqual([each["reason"] for each in blend["breaks"]], ["call of print"])
        self.assertTrue(any("a" in each["reason"] for each in blend["recompiles"]))
        self.assertEqual(blend["entries"][0]["kernels"][0]["name"], "k0")
        group = blend["entries"][0]["groups"][0]
        self.assertGreater(group["nanoseconds"], 0)
        self.assertEqual((group["bytes_read"], group["bytes_written"]),
                         (group["runs"] * 2 * 5000 * 8, group["runs"] * 5000 * 8))
        self.assertEqual((group["arithmetic"], group["functions"]), (group["runs"] * 2 * 5000 * 8, 0))
        states = {row["number"]: row["state"] for row in blend["lines"] if row["file"] == blend["file"]}
        self.assertEqual((states[5], states[6]), ("captured", "break"))
        self.assertGreater(blend["spent"], 0)
        self.assertIsNone(blend["won"])  # DYNACC_POLICY=always tries nothing else
        self.assertEqual({span["kind"] for span in page.data["spans"]}, {"trace", "compile", "kernels"})
        self.assertEqual({each["kind"] for each in page.data["moments"]}, {"break", "recompile"})
        for span in page.data["spans"]:
            self.assertGreaterEqual(span["at"], 0)
            self.assertLessEqual(span["at"] + span["us"], page.data["microseconds"])
        self.assertGreater(max(amount for _, amount in page.data["memory"]), 10_000_000)
        self.assertGreater(page.data["copy_rate"], 0.1)
        self.assertGreater(page.data["arithmetic_rate"], page.data["function_rate"])
        self.assertGreater(page.data["function_rate"], 0.1)

    def test_what_is_computed_is_counted(self):
        program = """
import dynacc
import numpy as np
@dynacc.compile
def function(a):
    return np.exp(a) * 2.0
@dynacc.compile
def rows(a):
    return a / (a * a).sum(axis=1, keepdims=True)
@dynacc.compile
def product(a):
    return a @ a.T
for i in range(6):
    for f in function, rows, product:
        f(np.ones((60, 50), "f4"))
"""
        expected = {"function": (60 * 50 * 4, 60 * 50 * 4), "rows": (3 * 60 * 50 * 4, 0),
                    "product": (2 * 60 * 60 * 50 * 4, 0)}
        with tempfile.TemporaryDirectory() as cache:
            for _ in range(2):  # the plans are found the second time
                _, page = self.report(program, DYNACC_CACHE_DIR=cache)
                for name, of_a_run in expected.items():
                    counted = [0, 0]
                    for group in page.function(name)["entries"][0]["groups"]:
                        for i, kind in enumerate(("arithmetic", "functions")):
                            counted[i] += group[kind] // max(group["runs"], 1)
                    self.assertEqual(tuple(counted), of_a_run, name)

    def test_what_autotuning_chose(self):
        with tempfile.TemporaryDirectory() as cache:
            _, page = self.report(PROGRAM, DYNACC_AUTOTUNE="1", DYNACC_CACHE_DIR=cache)
        spans = [span for span in page.data["spans"] if span["kind"] == "autotune"]
        self.assertEqual(len(spans), page.data["counters"]["graphs_autotuned"])
        self.assertTrue(any(span["within"] == "autotune" for span in page.data["spans"]))  # a candidate's compile
        blend = page.function("blend")
        self.assertTrue(all(entry["schedule"].startswith("autotune: ") for entry in blend["entries"] if entry["kernels"]))
        own = [span["us"] * 1000 for span in spans if span["function"] == blend["number"]]
        self.assertTrue(own)
        self.assertGreaterEqual(blend["spent"] + 1, sum(own))

    def test_what_was_won_is_measured(self):
        program = ("import numpy as np\ndef f(a):\n" + "    a = np.sqrt(a * 1.5 + 0.5) - a / 3.0\n" * 9 +
                   "    return a\na = np.ones(200_000)\nfor _ in range(80): f(a)\n")
        _, page = self.report(program, DYNACC_POLICY="hot", DYNACC_CAPTURE_AFTER="0")
        # By the loop that calls it, or by itself.
        self.assertGreater(max(function["won"] or 0 for function in page.data["functions"]), 0)

    def test_the_programs_own_body_is_there(self):
        program = "import numpy as np\na = np.ones(5000)\nfor _ in range(200):\n    a = np.sqrt(a * 1.5 + 0.5) - a / 3.0\n"
        _, page = self.report(program)
        body = page.function("<module>")
        self.assertTrue(body["entries"])
        self.assertEqual([row["text"] for row in body["lines"]], program.splitlines())
        self.assertEqual(body["lines"][3]["state"], "captured")
        self.assertRegex(body["lines"][3]["notes"][0], "multiply: segment 1, group 0")

    def test_nothing_is_loaded(self):
        _, page = self.report(PROGRAM)
        for tag, attributes in page.tags:
            self.assertFalse({"src", "href"} & set(attributes), tag)
        self.assertIn(("meta", "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"),
                      [(tag, attributes.get("content")) for tag, attributes in page.tags])

    def test_what_a_program_names_ends_no_element(self):
        program = ("import numpy as np\n"
                   f"name = {HOSTILE!r}\n"
                   "def f(a, **k):\n    b = a * 2.0 + 1.0\n    getattr(k['o'], name)()\n    return b * b + 1.0\n"
                   "f.__code__ = f.__code__.replace(co_qualname=name, co_name=name)\n"
                   "class C: pass\nsetattr(C, name, lambda self: print(end=''))\n"
                   "for _ in range(3): f(np.ones(99), o=C())\n")
        plain = self.report(PROGRAM)[1]
        done, page = self.report(program, HOSTILE, name="<b>&'\"</script>.py".replace("/", "\u2215"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([tag for tag, _ in page.tags], [tag for tag, _ in plain.tags])
        self.assertEqual(page.data["arguments"], [HOSTILE])
        self.assertEqual(page.function(HOSTILE)["short"], "<b>&'\"<\u2215script>.py")

    def test_exit_status_and_output_are_the_programs(self):
        done, page = self.report("import sys\n" + PROGRAM + "print(sys.argv[1:])\nsys.exit(7)\n", "-o", "x", "y")
        self.assertEqual((done.returncode, done.stdout), (7, "['-o', 'x', 'y']\n"))
        self.assertEqual(page.data["outcome"], "The program ended with status 7.")
        self.assertTrue(page.data["functions"])

    def test_a_crash_half_way(self):
        done, page = self.report(PROGRAM + "1 / 0\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ZeroDivisionError", done.stderr)
        self.assertTrue(page.data["functions"])

    def test_a_signal_leaves_the_timeline(self):
        done, page = self.report(PROGRAM + "import os\nos.kill(os.getpid(), 9)\n")
        self.assertEqual(done.returncode, 128 + 9)
        self.assertIn("was ended by SIGKILL; it left no account", page.data["outcome"])
        self.assertEqual(page.data["functions"], [])
        self.assertTrue(page.data["spans"])

    def test_a_child_that_is_forked_leaves_the_parents_account(self):
        done, page = self.report(PROGRAM + "import os, sys\nif os.fork() == 0:\n    sys.exit(0)\nos.wait()\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(page.function("blend")["breaks"][0]["reason"], "call of print")

    def test_processes_that_a_program_starts_keep_to_themselves(self):
        done, page = self.report(PROGRAM + "import subprocess\nsubprocess.run([sys.executable, '-c', "
                                 "'import numpy as np\\nfor _ in range(50): a = np.ones(99) * 2.0 + 1.0'], check=True)\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(page.function("blend")["breaks"][0]["reason"], "call of print")
        self.assertIn("It started another process with DynaCC", page.data["outcome"])

    def test_programs_without_arrays(self):
        for program in ("", "print(5)\n", "import dynacc\n"):
            with self.subTest(program=program):
                done, page = self.report(program)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(page.data["functions"], [])

    def test_under_a_stock_python3(self):
        done, page = self.report(PROGRAM, "1", interpreter=(sys.executable,),
                                 PYTHONPATH=PACKAGE)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(page.data["program"], str(self.folder / "prog.py"))
        self.assertTrue(page.function("blend")["entries"])

    def test_bad_input(self):
        for arguments, message in ((["/no/such.py"], "there is no program /no/such.py"),
                                   ([__file__, "-o", "/no/such/folder/page.html"], "No such file or directory"),
                                   ([], "the following arguments are required: program")):
            with self.subTest(arguments=arguments):
                done = subprocess.run([LAUNCHER, "-m", "dynacc.report", *arguments], capture_output=True, text=True,
                                      cwd=self.folder)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
