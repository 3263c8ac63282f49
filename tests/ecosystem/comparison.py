"""Runs a test file under python3 and under the launcher and compares the outcomes, test by test.

What fails under both says nothing and does no harm. A test that python3 itself ends in two ways is left out and
counted. Each run is a process of its own with a time limit, and what it had finished by then is compared.
"""
import collections
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import tempfile

from environment import PYTHON
from suites import HERE

WAITING = 6  # a process may be there for so many times the processor's seconds that it has: other processes run, too
COLLECTION = " in collection"  # how ecosystem_plugin.py calls a file or a class that gives no tests

# outcomes: by test; ended: "" where pytest finished, else how the process ended; seconds: the processor's, so that what
# else runs on the machine does not count.
Run = collections.namedtuple("Run", "outcomes ended counters output seconds")

# Tests and what they gave under python3 and the launcher: same, of these passed, differing, left out (python3 has two outcomes, or not
# the same tests), unfinished (the launcher had no outcome when its time was over or it crashed).
Compared = collections.namedtuple("Compared", "tests same passed left_out unfinished differing")


def variables(environment, folder, cache, extra):
    """The environment of a run: nothing of the caller's."""
    # One thread of OpenBLAS: sums in another order are no difference of ours.
    return {"PATH": "/usr/bin:/bin", "HOME": str(folder), "TMPDIR": str(folder), "LANG": "C.UTF-8",
            "PYTHONPATH": f"{environment.site}:{HERE}", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1",
            "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg", "SKLEARN_SKIP_NETWORK_TESTS": "1",
            "EINOPS_TEST_BACKENDS": "numpy", "DYNACC_CACHE_DIR": str(cache),
            "ECOSYSTEM_OUTCOMES": str(folder / "outcomes"), **extra}


def run(python, file, environment, cache, extra, seconds):
    """Runs a TestFile for `seconds` of the processor's at most, with `extra` in its environment."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        command = [python, "-X", "faulthandler", "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider",
                   "-p", "ecosystem_plugin", "--hypothesis-seed=0", file.folder / file.name]
        before = processor_seconds()
        with open(folder / "output", "wb") as output:
            process = subprocess.Popen(
                command, env=variables(environment, folder, cache, extra), stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, start_new_session=True,
                cwd=file.folder if file.suite.root == "source" else folder)
            ended = wait(process, seconds)
        outcomes, counters = read_outcomes(folder / "outcomes")
        text = (folder / "output").read_text(encoding="utf-8", errors="backslashreplace")
        return Run(outcomes, ended, counters, text, processor_seconds() - before)


def processor_seconds():
    """Of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def wait(process, seconds):
    """How a process ended, "" if by pytest's own count of failures; when time is over its children are killed, too."""
    limit = max(1, round(seconds))
    resource.prlimit(process.pid, resource.RLIMIT_CPU, (limit, limit + 5))
    try:
        code = process.wait(timeout=WAITING * limit)
        if code in (-signal.SIGXCPU, -signal.SIGKILL):
            return f"not finished in {limit} s"
        return "" if code in (0, 1, 2, 5) else f"ended with {code}"
    except subprocess.TimeoutExpired:
        return f"not finished, it waits for more than {WAITING * limit} s"
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


def read_outcomes(path):
    """({test: outcome}, counters) of the plug-in's file; the last line may be torn."""
    outcomes, counters = {}, None
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            name, outcome = json.loads(line)
        except ValueError:
            continue
        if name:
            name = re.sub("0x[0-9a-f]{6,}", "0x", name)
            outcomes[name] = f"{outcomes[name]}, {outcome}" if name in outcomes else outcome
        else:
            counters = outcome
    return outcomes, counters


def compare(expected, actual, finished, again=None):
    """Compares outcomes; `again` is a second run of python3's, `finished` whether the launcher came to the end."""
    unstable = {name for name in expected if again is not None and again.get(name) != expected[name]}
    differing, unfinished, same, passed = [], 0, 0, 0
    for name, outcome in expected.items():
        if name in unstable:
            continue
        if name not in actual and not finished:
            unfinished += 1
        elif actual.get(name) == outcome:
            same += 1
            passed += outcome == "passed"
        else:
            differing.append([name, outcome, actual.get(name, "not run")])
    extra = [name for name in actual if name not in expected]
    differing += [[name, "not run", actual[name]] for name in extra if again is None or name not in again]
    left_out = len(unstable) + sum(again is not None and name in again for name in extra)
    return Compared(len(expected), same, passed, left_out, unfinished, differing)


def why_nothing(outcomes):
    """Why a run that ended by itself says nothing, "" if it does."""
    if not outcomes:
        return "it has no tests"
    return "it cannot be imported" if all(COLLECTION in outcome for outcome in outcomes.values()) else ""


class Comparer:
    """Compares files under python3 and a launcher; `keep` is a folder for the output of runs that differ, or None."""

    def __init__(self, launcher, environment, cache, seconds, factor, keep):
        self.launcher, self.environment, self.cache = os.path.abspath(launcher), environment, cache
        self.seconds, self.factor, self.keep = seconds, factor, keep

    def run(self, python, file, extra, seconds):
        return run(python, file, self.environment, self.cache, extra, seconds)

    def file(self, file, settings):
        """The record of each of the settings (`NAME=VALUE`, joined by `+`), as the results keep it."""
        expected = self.run(PYTHON, file, {}, self.seconds)
        for setting in settings:
            record = {"suite": file.suite.name, "file": file.name, "setting": setting,
                      "version": self.environment.pins[file.suite.package], "stock_seconds": round(expected.seconds, 1)}
            why = expected.ended or why_nothing(expected.outcomes)
            if why:
                yield record | {"status": "no result", "why": why, "tests": len(expected.outcomes)}
            else:
                yield record | self.setting(file, setting, expected)

    def setting(self, file, setting, expected):
        extra = dict(part.split("=", 1) for part in setting.split("+"))
        # A short file may take the launcher long: it compiles.
        actual = self.run(self.launcher, file, extra, max(30, self.factor * expected.seconds))
        compared = compare(expected.outcomes, actual.outcomes, not actual.ended)
        if compared.differing:  # is it python3 that differs?
            again = self.run(PYTHON, file, {}, self.seconds * 2)
            compared = compare(expected.outcomes, actual.outcomes, not actual.ended, again.outcomes)
        captured = (actual.counters or {}).get("frames_captured", 0)
        crashed = actual.ended.startswith("ended")
        if compared.differing or crashed:
            status = "different"
            self.save(file, setting, compared, actual)
        elif actual.ended:
            status = "not finished"
        else:
            status = "same" if captured else "nothing captured"
        return {"status": status, "why": actual.ended, **compared._asdict(), **(actual.counters or {}),
                "launcher_seconds": round(actual.seconds, 1)}

    def save(self, file, setting, compared, actual):
        if self.keep:
            kept = pathlib.Path(self.keep) / f"{file.name}.{setting}.log".replace("/", "_")
            kept.parent.mkdir(parents=True, exist_ok=True)
            lines = [" | ".join(line) for line in compared.differing]
            kept.write_text("\n".join([*lines, actual.ended, actual.output]), encoding="utf-8",
                            errors="backslashreplace")
