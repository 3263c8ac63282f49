#!/usr/bin/env python3
"""The comparison, the order of files, the report and its page, with a stand-in for pytest: no package is needed."""
import pathlib
import tempfile
import types
import unittest

import comparison
import environment
import results
import suites

# Writes outcomes as the plug-in does. What stands for the launcher is python3 as well, with DYNACC_POLICY set.
PYTEST = """
import json, os, signal, sys, time
launcher = "DYNACC_POLICY" in os.environ
print("output of", sys.argv[-1])
with open(os.environ["ECOSYSTEM_OUTCOMES"], "w") as out:
    def write(*line):
        print(json.dumps(line), file=out, flush=True)
    name = os.path.basename(sys.argv[-1])
    write("f::a", "passed")
    if name == "hangs.py" and launcher:
        time.sleep(100)
    if name == "turns.py" and launcher:
        while True:
            pass
    if name == "dies.py" and launcher:
        os.kill(os.getpid(), signal.SIGSEGV)
    if name == "empty.py":
        sys.exit(2)
    if name == "unstable.py":
        write("f::time", f"failed {time.monotonic_ns()}")
    write("f::at 0x7f00000" + str(os.getpid()), "passed")
    write("f::b", "failed KeyError" if name == "differs.py" and launcher else "failed ValueError")
    write("", {"frames_captured": 0 if name == "idle.py" else 7, "entries_hit": 3} if launcher else None)
"""
SUITE = suites.Suite("s.t", "s", "wheel", ("s",), 1)


class Files(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        (self.folder / "pytest.py").write_text(PYTEST, encoding="utf-8")

    def record(self, name):
        provided = types.SimpleNamespace(site=self.folder, pins={"s": "1.0"})
        comparer = comparison.Comparer(environment.PYTHON, provided, self.folder / "cache", 5, 1, self.folder / "keep")
        comparison_run = comparer.run
        comparer.run = lambda python, file, extra, seconds: comparison_run(python, file, extra, 1)
        record, = comparer.file(suites.TestFile(SUITE, name, self.folder), ["DYNACC_POLICY=always"])
        return record

    def test_equal(self):
        record = self.record("plain.py")
        self.assertEqual((record["status"], record["tests"], record["same"], record["passed"], record["entries_hit"]),
                         ("same", 3, 3, 2, 3))

    def test_another_exception_is_a_difference(self):
        record = self.record("differs.py")
        self.assertEqual((record["status"], record["same"]), ("different", 2))
        self.assertEqual(record["differing"], [["f::b", "failed ValueError", "failed KeyError"]])
        kept, = (self.folder / "keep").iterdir()
        self.assertIn("output of", kept.read_text(encoding="utf-8"))

    def test_a_crash_is_a_difference(self):
        record = self.record("dies.py")
        self.assertEqual((record["status"], record["why"], record["same"], record["unfinished"]),
                         ("different", "ended with -11", 1, 2))

    def test_what_is_not_finished_is_counted(self):
        for name in ("hangs.py", "turns.py"):
            record = self.record(name)
            self.assertEqual((record["status"], record["same"], record["unfinished"], record["differing"]),
                             ("not finished", 1, 2, []), name)

    def test_what_python3_ends_in_two_ways_is_left_out(self):
        record = self.record("unstable.py")
        self.assertEqual((record["status"], record["same"], record["left_out"], record["tests"]), ("same", 3, 1, 4))

    def test_a_file_that_is_never_captured_says_nothing(self):
        self.assertEqual(self.record("idle.py")["status"], "nothing captured")


class Compare(unittest.TestCase):
    def test_tests_that_only_one_side_has(self):
        compared = comparison.compare({"a": "passed"}, {"b": "passed"}, True, {"a": "passed"})
        self.assertEqual(compared.differing, [["a", "passed", "not run"], ["b", "not run", "passed"]])
        both = {"a": "passed", "b": "passed"}
        compared = comparison.compare({"a": "passed"}, both, True, both)
        self.assertEqual((compared.differing, compared.left_out), ([], 1))


class Tables(unittest.TestCase):
    def test_every_package_is_pinned(self):
        pins = environment.pins()
        for package in [suite.package for suite in suites.suites()] + environment.TOOLS + environment.SOURCE_TOOLS:
            self.assertIn(package, pins)

    def test_suites_are_chosen_by_name_and_package(self):
        names = [suite.name for suite in suites.chosen(["scipy.linalg", "pillow"])]
        self.assertEqual(names, ["scipy.linalg", "pillow"])
        self.assertEqual({suite.package for suite in suites.chosen(["scikit-learn"])}, {"scikit-learn"})
        with self.assertRaises(SystemExit):
            suites.chosen(["scipy", "no_such_suite"])


def record_of(name, status="same", date="2026-01-02T00:00:00", **more):
    return {"suite": "s.t", "file": name, "setting": "DYNACC_POLICY=always", "version": "1.0", "status": status,
            "why": "", "tests": 4, "same": 4, "passed": 3, "left_out": 0, "unfinished": 0, "differing": [], "stock_seconds": 2.0,
            "launcher_seconds": 5.0, "entries_hit": 9, "commit": "abc", "limits": [120, 10],
            "date": date, **more}


class Report(unittest.TestCase):
    def page(self, *records):
        made = results.report(records, [SUITE], {"s.t": 9}, "DYNACC_POLICY=always", {"s": "1.0", "numpy": "1.24.2"})
        return made, results.page(made)

    def test_sums(self):
        slow = record_of("slow.py", "not finished", same=1, unfinished=3, why="not finished in 60 s",
                         launcher_seconds=60.0)
        none = record_of("none.py", "no result", why="it has no tests")
        idle = record_of("idle.py", "nothing captured")
        made, page = self.page(record_of("a.py"), record_of("b.py"), slow, none, idle)
        row, = made["suites"]
        self.assertEqual([row[name] for name in ("files_run", "tests", "same", "unfinished")], [3, 12, 9, 3])
        self.assertIn("| s.t | 1.0 | 3 of 9 | 12 | 9 | 9 | 0 | 0 | 3 | 2.5 | 27 | abc | 2026-01-02 |", page)
        self.assertIn("- s.t: `slow.py: not finished in 60 s`", page)
        self.assertIn("- s.t: `none.py: it has no tests`", page)
        self.assertIn("- s.t: `idle.py`", page)

    def test_differences_are_named(self):
        wrong = record_of("a.py", "different", same=3, differing=[["a.py::x[1|2]", "passed", "failed KeyError"]])
        _, page = self.page(wrong)
        self.assertIn("`a.py::x[1|2]`: passed under python3, failed KeyError under the launcher: no reason", page)

    def test_other_versions_and_settings_are_not_summed(self):
        made, _ = self.page(record_of("a.py", version="0.9"), record_of("b.py", setting="DYNACC_POLICY=hot"))
        self.assertEqual(made["suites"], [])


class Turns(unittest.TestCase):
    def test_files_that_waited_longest_come_first_and_suites_take_turns(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = results.Results(pathlib.Path(folder) / "new" / "results.json")
            other = suites.Suite("u", "u", "wheel", ("u",), 1)
            files = [suites.TestFile(suite, name, folder) for suite in (SUITE, other) for name in ("a.py", "b.py")]
            names = [(file.suite.name, file.name) for file in results.in_turns(files, kept)]
            self.assertEqual(names, [("s.t", "a.py"), ("u", "a.py"), ("s.t", "b.py"), ("u", "b.py")])
            kept.add(record_of("a.py"))
            again = results.Results(kept.path)
            names = [(file.suite.name, file.name) for file in results.in_turns(files, again)]
            self.assertEqual(names[-1], ("s.t", "a.py"))


if __name__ == "__main__":
    unittest.main()
