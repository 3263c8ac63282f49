"""A plug-in of pytest's that writes down how each test ended, at once, so that a crash or a time limit loses one test.

Loaded by `-p ecosystem_plugin` under python3 and the launcher alike. A line of the file $ECOSYSTEM_OUTCOMES is a test's
name and outcome as JSON; the last line is `["", counters]`, what the launcher captured (null under python3). NumPy is
imported first: frames are captured once it is there, and some packages never import it.
"""
import json
import os

import numpy  # noqa: F401
import pytest


class Outcomes:
    """Writes lines; a test that fails in its set-up or its end says so there."""

    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8", errors="backslashreplace")
        self.process = os.getpid()
        self.kinds = {}  # of the present test's failures, by phase

    def write(self, line):
        if os.getpid() == self.process:  # not a forked child of a test's
            self.file.write(json.dumps(line) + "\n")
            self.file.flush()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = (yield).get_result()
        if report.outcome == "failed" and call.excinfo is not None:
            self.kinds[item.nodeid, report.when] = call.excinfo.typename

    def pytest_runtest_logreport(self, report):
        expected = ", expected to fail" if hasattr(report, "wasxfail") else ""
        if report.when == "call" or report.outcome != "passed":
            kind = self.kinds.pop((report.nodeid, report.when), "")
            where = "" if report.when == "call" else f" in {report.when}"
            self.write([report.nodeid, " ".join(f"{report.outcome} {kind}".split()) + where + expected])

    def pytest_collectreport(self, report):
        if report.outcome != "passed":
            self.write([report.nodeid, f"{report.outcome} in collection"])

    def pytest_sessionfinish(self):
        try:
            import dynacc
            counters = dynacc.stats()
        except ImportError:
            counters = None
        self.write(["", counters and {name: counters[name] for name in ("frames_captured", "entries_hit")}])


def pytest_configure(config):
    path = os.environ.pop("ECOSYSTEM_OUTCOMES", None)  # not for processes that tests start
    if path:
        config.pluginmanager.register(Outcomes(path))
