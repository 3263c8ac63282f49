"""Runs a program in a process of its own and keeps what DynaCC did there: for reports and dynacc.explain of scripts."""
import json
import os
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
import types

# What runs the program where python3 is a stock one: there nothing is captured before dynacc is imported.
_STARTER = ("import sys, runpy, dynacc; sys.argv = sys.argv[1:]; sys.path[0] = __import__('os').path.dirname("
            "__import__('os').path.abspath(sys.argv[0])); runpy.run_path(sys.argv[0], run_name='__main__')")
_SECONDS_BETWEEN_SAMPLES = 0.02
_MOST_SAMPLES = 2000
_MOST_MEBIBYTES = "64"  # of events: some 400,000


class Recording:
    """What one run of a program left.

    program, arguments   what was run
    status               its exit status, or minus a signal's number
    start, seconds       on the monotonic clock, in microseconds as the events have it; how long it ran
    functions, counters  what DYNACC_REPORT wrote; None where the process did not come to write it (a signal, os._exit)
    events               those of DYNACC_TRACE
    others               how many more processes the program started that ran DynaCC
    memory               (microseconds, bytes of resident memory) pairs
    """

    def __init__(self, program, arguments, status, start, seconds):
        self.program, self.arguments, self.status = program, list(arguments), status
        self.start, self.seconds = start, seconds
        self.functions = self.counters = None
        self.events, self.memory, self.others = [], [], 0

    def codes(self):
        """The code objects of the functions' files, by (file, qualified name, first line)."""
        found = {}
        for file in {each["file"] for each in self.functions or ()}:
            found.update(_codes_of(file))
        return found

    def outcome(self):
        """How the run ended, as a sentence's end."""
        if self.status >= 0:
            return "ended" if self.status == 0 else f"ended with status {self.status}"
        return f"was ended by {signal.Signals(-self.status).name}"


def record(program, arguments=(), **environment):
    """Runs the file `program` under this interpreter, its input and output those of this process; a Recording.

    environment   variables of the program's, beside those of this process. FileNotFoundError if there is no such file.
    """
    if not os.path.isfile(program):
        raise FileNotFoundError(f"dynacc: there is no program {os.fspath(program)}")
    with tempfile.TemporaryDirectory(prefix="dynacc-report-") as folder:
        reports, traces = os.path.join(folder, "reports", ""), os.path.join(folder, "traces", "")
        os.mkdir(reports)
        os.mkdir(traces)
        variables = {"DYNACC_TRACE_LIMIT": _MOST_MEBIBYTES, **os.environ, **environment,
                     "DYNACC_REPORT": reports, "DYNACC_TRACE": traces}
        start = time.monotonic_ns()
        child = subprocess.Popen([*_command(), os.fspath(program), *arguments], env=variables)
        memory = _watch(child)
        recording = Recording(os.fspath(program), arguments, child.returncode, start / 1000,
                              (time.monotonic_ns() - start) * 1e-9)
        recording.memory = memory
        found = _read(f"{reports}{child.pid}.json")
        if found is not None:
            recording.functions, recording.counters = found["functions"], found["counters"]
        recording.events = _read(f"{traces}{child.pid}.json") or []
        recording.others = len({*os.listdir(reports), *os.listdir(traces)} - {f"{child.pid}.json"})
    return recording


def _codes_of(file):
    """The code objects of a file, by what names them; none of a file that cannot be compiled."""
    try:
        with open(file, "rb") as source:
            waiting = [compile(source.read(), file, "exec")]
    except (OSError, SyntaxError, ValueError):
        return {}
    found = {}
    while waiting:
        code = waiting.pop()
        found[code.co_filename, code.co_qualname, code.co_firstlineno] = code
        waiting += [each for each in code.co_consts if isinstance(each, types.CodeType)]
    return found


def is_worth_showing(function):
    """Whether there is something to tell: graphs, or breaks in code that is no library's."""
    if any(segment["entries"] for segment in function["segments"]) or any(loop["translated"] for loop in function["loops"]):
        return True
    file = function["file"]
    is_librarys = file.startswith((sysconfig.get_path("stdlib") + os.sep, "<")) or \
        not {"site-packages", "dist-packages"}.isdisjoint(file.split(os.sep))
    return bool(function["breaks"]) and not is_librarys


def _command():
    is_launcher = "_dynacc" in sys.builtin_module_names
    return [sys.executable] if is_launcher else [sys.executable, "-c", _STARTER]


def _watch(child):
    """Waits for the end, and has a look at the process's memory now and then."""
    samples, pause = [], _SECONDS_BETWEEN_SAMPLES
    while True:
        try:
            samples.append((time.monotonic_ns() / 1000, _resident(child.pid)))
            if len(samples) > _MOST_SAMPLES:  # a long run: half as many from here on
                samples, pause = samples[::2], 2 * pause
            child.wait(pause)
            return [sample for sample in samples if sample[1]]
        except subprocess.TimeoutExpired:
            pass
        except KeyboardInterrupt:  # the program has got it, too
            pass


def _resident(process):
    try:
        with open(f"/proc/{process}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def _read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None
