#!/usr/bin/env python3
"""Limits on memory and disk: an address space that is too small, a cgroup, a full disk, and what caches may take.

usage: limits_test.py LAUNCHER [unittest arguments]

Where python3 runs a program within a limit, the launcher must print the same; DynaCC may do less, and say so in
lines that begin with "dynacc". Where python3 raises MemoryError the launcher must end in the same way.

DYNACC_TEST_CGROUP names a folder of the cgroup file system in which this test may make a group with a memory limit; without
it the usual places are tried, and that test is skipped where nobody may make one.
"""
import json
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

PYTHON = sys.executable
LAUNCHER = ""
INHERITED = {k: v for k, v in os.environ.items() if not k.startswith(("DYNACC_", "PYTHON"))}
# One thread of BLAS: each takes tens of megabytes of address space.
INHERITED |= {"OPENBLAS_NUM_THREADS": "1", "DYNACC_THREADS": "1"}
MEGABYTE = 1 << 20
OWN = 224  # megabytes of address space that DynaCC takes for itself: libraries, the compiler's above all, and stacks
# In what an interpreter says at its end. The last two are what CPython says of a call without memory for its frame.
GIVES_UP = ("MemoryError|No space left|[Cc]annot allocate|failed to map|Unable to allocate|error return without exception set|"
            "returned NULL without setting an exception")

# Fused array work of a fixed size, and an allocation of SIZE megabytes in the middle of captured code.
WORK = """
import sys
import numpy as np
def f(a, b):
    c = np.sqrt(a * a + b) - a
    return c * 0.5 + np.where(a > b, a, b), c.sum()
def large(a, n):
    b = np.zeros(n) + a[0]
    return b * 2.0 + 1.0
def loop(a):
    s = 0.0
    for i in range(len(a)):
        s += a[i] * 0.5
    return s
a = np.linspace(0.0, 1.0, 1000)
for i in range(5):
    r, s = f(a, a + i)
    print(r.tobytes().hex()[:200], float(s).hex(), loop(a).hex(), flush=True)
for i in range(4):
    try:
        print(large(a, SIZE * 131072).sum())
    except MemoryError as error:
        print("MemoryError", error)
r, s = f(a, a)
print(float(s).hex())
"""
# `count` functions whose kernels differ: each bit of the number chooses an operation.
MANY_KERNELS = """
import sys
import numpy as np
import dynacc
PAIRS = (("a = a + b", "a = a - b"), ("b = b * a", "b = b + a"), ("a = np.sqrt(np.abs(a))", "a = np.floor(a)"),
         ("b = np.where(a > b, a, b)", "b = np.minimum(a, b)"), ("a = a * a", "a = -a"), ("a = np.maximum(a, b)", "a = a / 3.0"),
         ("b = b - a", "b = np.abs(b)"), ("a = np.rint(a)", "a = b"), ("b = np.ceil(b)", "b = b * b"),
         ("a = np.minimum(a, b)", "a = a - b"), ("b = b / 7.0", "b = np.sqrt(np.abs(b))"), ("a = a * b", "a = a + b"))
def resident():
    with open("/proc/self/status") as status:
        return int(next(line for line in status if line.startswith("VmRSS")).split()[1])
x, y = np.arange(64.0), np.ones(64)
half = 0
for number in range(COUNT):
    body = "; ".join(pair[number >> bit & 1] for bit, pair in enumerate(PAIRS))
    namespace = {"np": np}
    exec(f"def f(a, b):\\n    {body}\\n    return a, b\\n", namespace)
    namespace["f"](x, y), namespace["f"](x, y)
    if number == COUNT // 2:
        half = resident()
print(resident() - half, resident(), dynacc.stats()["kernels_compiled"], dynacc.stats()["segments_compiled"])
"""
# One function that sees COUNT dtypes, shapes and classes: its segments have COUNT reasons for another entry.
MANY_ENTRIES = """
import numpy as np
import dynacc
def resident():
    with open("/proc/self/status") as status:
        return int(next(line for line in status if line.startswith("VmRSS")).split()[1])
def f(a, o):
    return a * o.k + 1.0
half = 0
a = np.arange(8.0)
for number in range(COUNT):
    kind = type(f"Kind{number}", (), {"k": float(number)})
    r = f(a, kind())
    if number == COUNT // 2:
        half = resident()
print(resident() - half, resident(), dynacc.stats()["segments_compiled"], r.sum())
"""
# Memory is short for a compile in the middle of a program, and then is not: before the compiler is loaded where LOADED is
# false, and afterwards.
SHORT_FOR_A_WHILE = """
import resource, sys, time
import numpy as np
import dynacc
def first(a, b):
    return np.sqrt(a * a + b) - a
def f(a, b):
    return np.where(a > b, a * 2.0, b) + np.floor(a)
def g(a, b):
    return np.maximum(a, b) * 0.5 - b / 3.0
def loop(a):
    s = 0.0
    for i in range(len(a)):
        s += a[i] * 0.25
    return s
def compiled():
    return dynacc.stats()["kernels_compiled"]
def kilobytes(name):
    with open("/proc/self/status") as status:
        return int(next(line for line in status if line.startswith(name)).split()[1])
a = np.linspace(0.0, 1.0, 1000)
if LOADED:
    first(a, a)
before = compiled()
resource.setrlimit(LIMIT, ((kilobytes(WHAT) << 10) + (6 << 20), -1))
for i in range(200):
    r = f(a, a + i)
print(r.tobytes().hex()[:200], loop(a).hex())
while_short = compiled() - before
resource.setrlimit(LIMIT, (-1, -1))
g(a, a)
new = compiled() - before - while_short
r, s = f(a, a + 199), loop(a)
end = time.monotonic() + 20
while time.monotonic() < end and compiled() - before < 3:
    r, s = f(a, a + 199), loop(a)
print(r.tobytes().hex()[:200], s.hex())
print(while_short, new, compiled() - before, file=sys.stderr)
"""
# Threads run functions, some of them recursive, on arrays for which the GIL is given up, while the entries of others go.
THREADS_AND_ENTRIES = """
import random
import threading
import numpy as np
import dynacc
def define(number):
    namespace = {"np": np}
    exec(f"def f(a, depth):\\n    x = np.sqrt(a * a + {number}.0) - a\\n    if depth: x = x + f(a * 0.5, depth - 1)\\n"
         f"    return x * {number}.0 + 1.0\\n", namespace)
    return namespace["f"]
a = np.linspace(0.0, 1.0, 50_000)
functions = [define(number) for number in range(30)]
def plain(number, a, depth):
    x = np.add(np.sqrt(np.add(np.multiply(a, a), number)), -a)
    return np.add((x if not depth else np.add(x, plain(number, a * 0.5, depth - 1))) * number, 1.0)
expected = [[dynacc.disable(plain)(number, a, depth) for depth in range(3)] for number in range(30)]
call = compile("r = f(a, depth)", "call", "exec")
wrong = []
def work(seed):
    draw = random.Random(seed)
    for _ in range(150):
        number, depth = draw.randrange(30), draw.randrange(3)
        names = {"f": functions[number], "a": a, "depth": depth}
        exec(call, names)
        if not (names["r"] == expected[number][depth]).all():
            wrong.append((seed, number, depth))
threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(wrong, dynacc.stats()["entries_evicted"])
"""
# COUNT functions that the program keeps, each captured; then all once more, and those of the end and the beginning alone.
MANY_FUNCTIONS = """
import threading
import numpy as np
import dynacc
def resident():
    with open("/proc/self/status") as status:
        return int(next(line for line in status if line.startswith("VmRSS")).split()[1])
def define(number):
    namespace = {"np": np}
    exec(f"def f(a, b):\\n    return np.sqrt(a * a + b) - a * {number}.0\\n", namespace)
    return namespace["f"]
def count(name):
    return dynacc.stats()[name]
a, b = np.arange(8.0), np.ones(8)
call = compile("r = f(a, b)", "call", "exec")  # a frame of its own for f, which no caller follows
def check(f, number):
    names = {"f": f, "a": a, "b": b}
    exec(call, names)
    assert (names["r"] == np.add(np.sqrt(a ** 2 + b), -number * a)).all(), number
# A frame that runs all along, and one in another thread.
def steady(number, function):
    x = a * 0.0
    for i in range(number):
        x = np.minimum(x * 0.5 + b, a + 1.0)
        function(i)
    return x
functions, taken = [], []
def grow(i):
    functions.append(define(i))
    check(functions[i], i), check(functions[i], i)
    if i in (MOST, COUNT - 1):
        taken.append(resident())
def visit(i):
    check(functions[-1 - i % 4], len(functions) - 1 - i % 4) if len(functions) > 3 else None
other = threading.Thread(target=steady, args=(COUNT, visit))
other.start()
r = steady(COUNT, grow)
other.join()
late = count("segments_compiled")
for i in range(COUNT - 20, COUNT):
    check(functions[i], i)
late = count("segments_compiled") - late
early = count("segments_compiled")
for i in range(20):
    check(functions[i], i)
early = count("segments_compiled") - early
before = count("segments_compiled")
for i in range(20):
    check(functions[i], i)
print(r.tobytes().hex(), late, early, count("segments_compiled") - before, count("segments_compiled"), count("entries_evicted"),
      taken[1] - taken[0])
"""


def run(interpreter, program, before=None, wrap=(), timeout=60, **variables):
    """(exit status, stdout, stderr) of a program; everything is captured and compiled at once."""
    settings = {"DYNACC_POLICY": "always", "DYNACC_TIER_UP": "0"} | variables
    try:
        done = subprocess.run([*wrap, interpreter, "-c", program], env=INHERITED | settings, capture_output=True, text=True,
                              timeout=timeout, preexec_fn=before, stdin=subprocess.DEVNULL, check=False)
    except subprocess.TimeoutExpired:
        return -1, "", f"it did not end within {timeout} s"
    return done.returncode, done.stdout, done.stderr


def address_space(megabytes):
    """A function that limits the address space of the process that calls it."""
    def before():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * MEGABYTE, megabytes * MEGABYTE))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return before


def data_segment(megabytes):
    """A function that limits the heap and private mappings of the process that calls it."""
    def before():
        resource.setrlimit(resource.RLIMIT_DATA, (megabytes * MEGABYTE, megabytes * MEGABYTE))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return before


class Limits(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="dynacc_limits_", ignore_cleanup_errors=True)
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.cache = self.folder / "cache"

    def cached(self):
        """Bytes of all files in the cache."""
        return sum(path.stat().st_size for path in self.cache.glob("*"))

    def compare(self, expected, got, what, may_lack=False):
        """Every line that python3 prints, the launcher prints, but what was a MemoryError there may be a result here.

        With `may_lack` it is the other way round, too: the launcher has less memory for the program than python3.
        """
        what = f"DYNACC_POLICY=always DYNACC_TIER_UP=0 {what}: {got[1:]}"
        if got[0] != 0:
            self.assertTrue(expected[0] != 0 or may_lack, what)
            self.assertGreater(got[0], 0, what)
            if expected[0] == 0:  # where python3 gives up, too, it may be by an error of CPython's own on the way
                self.assertRegex(got[2], GIVES_UP, what)
        lines, theirs = got[1].splitlines(), expected[1].splitlines()
        if got[0] == 0 and expected[0] == 0:
            self.assertEqual(len(lines), len(theirs), what)
        for mine, line in zip(lines, theirs):
            if not line.startswith("MemoryError") and not (may_lack and mine.startswith("MemoryError")):
                self.assertEqual(mine, line, what)
        if got[0] == 0 and expected[0] == 0:
            said = [line for line in got[2].splitlines() if not line.startswith(("dynacc: ", "dynacc["))]
            self.assertEqual(said, expected[2].splitlines(), what)

    def within(self, program, limit, megabytes, **variables):
        """The program under python3 with a limit; under the launcher with the same one and with OWN more."""
        shutil.rmtree(self.cache, ignore_errors=True)
        variables = {"DYNACC_CACHE_DIR": str(self.cache)} | variables
        expected = run(PYTHON, program, limit(megabytes))
        with self.subTest(megabytes=megabytes, own=0):
            self.compare(expected, run(LAUNCHER, program, limit(megabytes), **variables), variables, may_lack=True)
        with self.subTest(megabytes=megabytes, own=OWN):
            self.compare(expected, run(LAUNCHER, program, limit(megabytes + OWN), **variables), variables)
        return expected[0] == 0

    def same(self, program, before=None, wrap=(), **variables):
        """The launcher prints what python3 does, which ends well, with the same before it."""
        expected = run(PYTHON, program, before, wrap)
        self.assertEqual(expected[0], 0, expected)
        got = run(LAUNCHER, program, before, wrap, **({"DYNACC_CACHE_DIR": str(self.cache)} | variables))
        self.compare(expected, got, variables)


class AddressSpace(Limits):
    """Each size begins with an empty cache, so that the compiler is loaded where it fits."""

    # Close together where some allocation of captured code is the first that fails. At 30 NumPy 1.24 crashes in its import.
    AROUND = (34, 60, 90, 110, 120, 126, 130, 132, 136, 144, 148, 150, 152, 154, 158, 200, 300, 500)

    def test_from_too_little_to_plenty(self):
        program = WORK.replace("SIZE", "64")
        ran = sum(self.within(program, address_space, megabytes) for megabytes in self.AROUND)
        self.assertGreater(ran, 4)

    def test_without_a_compiler(self):
        for megabytes in (50, 100, 200):
            self.within(WORK.replace("SIZE", "64"), address_space, megabytes, DYNACC_TARGET="tile")

    def test_compiles_again_when_there_is_memory(self):
        for limit, what in (("resource.RLIMIT_AS", "VmSize"), ("resource.RLIMIT_DATA", "VmData")):
            for loaded in (False, True):
                program = SHORT_FOR_A_WHILE.replace("LIMIT", limit).replace("WHAT", repr(what)).replace("LOADED", str(loaded))
                plain = re.sub("(?m)^import dynacc$|, dynacc$", "", program)
                plain = plain.replace('dynacc.stats()["kernels_compiled"]', "3")
                plain = plain.replace("compiled() - before < 3", "False")
                with self.subTest(limit=limit, loaded=loaded):
                    expected = run(PYTHON, plain)
                    self.assertEqual(expected[0], 0, expected)
                    shutil.rmtree(self.cache, ignore_errors=True)
                    status, out, err = run(LAUNCHER, program, DYNACC_CACHE_DIR=str(self.cache))
                    self.assertEqual((status, expected[1]), (0, out), err)
                    counts = [int(text) for text in err.splitlines()[-1].split()]
                    self.assertEqual(counts[0], 0, "something was compiled although memory was short")
                    self.assertEqual(counts[1], 1, "the next function is not compiled")
                    self.assertGreaterEqual(counts[2], 3, "what ran while memory was short is not compiled later")

    def test_data_segment(self):
        for megabytes in (10, 16, 18, 20, 22, 40, 160):
            self.within(WORK.replace("SIZE", "64"), data_segment, megabytes)


class Group(Limits):
    def test_a_memory_limit(self):
        place = os.environ.get("DYNACC_TEST_CGROUP")
        if not place:
            place = "/sys/fs/cgroup/memory" if os.path.isdir("/sys/fs/cgroup/memory") else "/sys/fs/cgroup"
        group = pathlib.Path(place) / f"dynacc_limits_{os.getpid()}"
        try:
            group.mkdir()
        except OSError as error:
            self.skipTest(f"no group can be made: {error}")
        try:
            for name in ("memory.max", "memory.limit_in_bytes"):
                if (group / name).exists():
                    limit = group / name
                    break
            else:
                self.skipTest(f"{place} has no memory controller")

            def before():
                (group / "cgroup.procs").write_text("0")
            # Where there is room for the program, but perhaps not for a compile, and the kernel would end the process.
            for megabytes in (24, 26, 28, 32, 40):
                limit.write_text(str(megabytes * MEGABYTE))
                with self.subTest(megabytes=megabytes):
                    shutil.rmtree(self.cache, ignore_errors=True)
                    self.same(WORK.replace("SIZE", "1"), before)
            limit.write_text(str(200 * MEGABYTE))
            self.same(WORK.replace("SIZE", "16"), before)
            # 400 MB are granted, and end the process where they are written, under both.
            program = WORK.replace("SIZE", "400")
            self.assertEqual(run(LAUNCHER, program, before)[0], run(PYTHON, program, before)[0])
        finally:
            group.rmdir()


class Disk(Limits):
    def test_a_full_disk(self):
        if os.geteuid() != 0 or not shutil.which("unshare"):
            self.skipTest("needs root to mount a small disk")
        place = self.folder / "disk"
        place.mkdir()
        for size in (4, 8, 64):
            script = (f"mount --make-rprivate / && mount -t tmpfs -o size={size}k,mode=0700 none '{place}' && "
                      f"if [ {size} = 8 ]; then dd if=/dev/zero of='{place}/filler' bs=4096 count=1 2>/dev/null; fi; "
                      f"\"$@\"; status=$?; ls '{place}' | grep -c '[.]part$' >&2; exit $status")
            wrap = ("unshare", "-m", "sh", "-c", script, "sh")
            if subprocess.run([*wrap, "true"], capture_output=True, check=False).returncode != 0:
                self.skipTest("mounting is not allowed")
            with self.subTest(kilobytes=size):
                many = MANY_KERNELS.replace("COUNT", "24")
                many = many[:many.index("print(resident()")].replace("import dynacc\n", "") + "print(namespace['f'](x, y))\n"
                program = WORK.replace("SIZE", "1") + many
                status, out, _ = run(PYTHON, program)
                got = run(LAUNCHER, program, wrap=wrap, DYNACC_CACHE_DIR=str(place))
                self.assertEqual((status, out), got[:2], got)
                *said, parts = got[2].splitlines()
                self.assertEqual(parts, "0", "unfinished files are left on the full disk")
                self.assertEqual(len(said), 1, "one line says that kernels are not kept")
                self.assertRegex(said[0], "dynacc: .*not kept on disk: .*No space left")

    def test_a_disk_that_fills_in_the_middle_of_a_file(self):
        """What is cut off by a limit on files is not taken for a kernel by the next process."""
        def before():
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        self.same(WORK.replace("SIZE", "1"), before)
        self.assertEqual([path for path in self.cache.glob("*") if path.suffix in (".part", ".kernel")], [])
        self.same(WORK.replace("SIZE", "1"))


class Quotas(Limits):
    """What thousands of kernels and entries take."""

    def test_kernels_in_memory(self):
        """1,024 modules that nothing uses are kept; beyond them memory must not grow with the kernels made."""
        count = 3600 if os.environ.get("DYNACC_TEST_ALL") == "1" else 160
        status, out, err = run(LAUNCHER, MANY_KERNELS.replace("COUNT", str(count)), timeout=600, DYNACC_CACHE_DIR=str(self.cache))
        self.assertEqual(status, 0, err)
        grown, _, kernels, _ = (int(text) for text in out.split())
        self.assertGreaterEqual(kernels, 0.8 * count)
        self.assertLessEqual(grown, min(count // 2, 1024) * 16 + 4096, f"kB that the last {count // 2} functions and their kernels took")

    def test_entries_of_one_function(self):
        status, out, err = run(LAUNCHER, MANY_ENTRIES.replace("COUNT", "3000"), DYNACC_CACHE_DIR=str(self.cache))
        self.assertEqual(status, 0, err)
        grown, _, segments, _ = out.split()
        self.assertLess(int(segments), 200, "entries are made without a limit")
        self.assertLess(int(grown), 6000, "kB that 1,500 classes leave behind")

    def test_entries_of_all_functions(self):
        for most, evicts in ((100, True), (0, False)):
            program = MANY_FUNCTIONS.replace("COUNT", "1500").replace("MOST", "200")
            status, out, err = run(LAUNCHER, program, timeout=300, DYNACC_CACHE_DIR=str(self.cache), DYNACC_TARGET="tile",
                                   DYNACC_MAX_ENTRIES=str(most))
            self.assertEqual((status, err), (0, ""))
            result, *counts = out.split()
            late, early, again, compiled, evicted, grown = map(int, counts)
            self.assertEqual(result, run(PYTHON, "import numpy as np; x = np.arange(8.0) * 0.0\n"
                                         "for i in range(1500): x = np.minimum(x * 0.5 + 1.0, np.arange(8.0) + 1.0)\n"
                                         "print(x.tobytes().hex())")[1].strip())
            with self.subTest(most=most):
                self.assertGreater(compiled, 1500)
                self.assertEqual(late, 0, "entries that ran last are gone")
                self.assertEqual(again, 0, "entries made anew are not kept")
                if evicts:
                    self.assertEqual(early, 20, "entries that ran first are still there")
                    self.assertGreaterEqual(evicted, compiled - most)
                    self.assertLess(grown, 6000, "kB that 1,300 functions leave behind, with what CPython has of them")
                else:
                    self.assertEqual((early, evicted), (0, 0))
                    self.assertGreater(grown, 12000, "kB: this test would not see entries that are kept")

    def test_entries_go_while_threads_run_others(self):
        status, out, err = run(LAUNCHER, THREADS_AND_ENTRIES, timeout=300, DYNACC_CACHE_DIR=str(self.cache), DYNACC_TARGET="tile",
                               DYNACC_MAX_ENTRIES="12")
        self.assertEqual((status, err), (0, ""), out)
        wrong, evicted = out.rsplit(maxsplit=1)
        self.assertEqual(wrong, "[]")
        self.assertGreater(int(evicted), 100)

    def test_no_room_for_another_entry(self):
        """Frames are running all entries that there may be: what else there is runs plainly."""
        program = WORK.replace("SIZE", "1")
        self.same(program, DYNACC_MAX_ENTRIES="1")
        self.same(program, DYNACC_MAX_ENTRIES="2")

    def test_the_debug_folder_has_a_limit(self):
        program = MANY_KERNELS.replace("COUNT", "240")
        sizes = {}
        for limit in ("0", "1", "100"):
            folder = self.folder / f"debug{limit}"
            status, _, err = run(LAUNCHER, program, timeout=300, DYNACC_CACHE_DIR=str(self.cache), DYNACC_DEBUG_DIR=str(folder),
                                 DYNACC_DEBUG_LIMIT=limit)
            self.assertEqual(status, 0, err)
            sizes[limit] = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
            full = [line for line in err.splitlines() if "DYNACC_DEBUG_LIMIT" in line]
            self.assertEqual(len(full), limit != "100", err)
        self.assertEqual(sizes["0"], 0)
        self.assertLessEqual(sizes["1"], MEGABYTE)
        self.assertGreater(sizes["1"], MEGABYTE // 2)
        self.assertGreater(sizes["100"], MEGABYTE, "this test would not see a limit that is not kept")

    def test_the_trace_has_a_limit(self):
        program = WORK.replace("SIZE", "1") + "for i in range(8000): r, s = f(a, a)\nprint(float(s).hex())\n"
        sizes = {}
        for limit in ("1", "100"):
            trace = self.folder / f"trace{limit}"
            status, _, err = run(LAUNCHER, program, timeout=300, DYNACC_CACHE_DIR=str(self.cache), DYNACC_TRACE=str(trace),
                                 DYNACC_TRACE_RUNS="1", DYNACC_TRACE_LIMIT=limit)
            self.assertEqual(status, 0, err)
            self.assertEqual("DYNACC_TRACE_LIMIT" in err, limit == "1", err)
            events = json.loads(trace.read_text())
            self.assertGreater(len(events), 1000)
            sizes[limit] = trace.stat().st_size
        self.assertLessEqual(sizes["1"], MEGABYTE)
        self.assertGreater(sizes["1"], MEGABYTE - 4096)
        self.assertGreater(sizes["100"], MEGABYTE, "this test would not see a limit that is not kept")

    def test_the_debug_folder_and_the_trace_do_not_stop_a_program(self):
        for variables in ({"DYNACC_DEBUG_DIR": str(self.folder / "debug")}, {"DYNACC_TRACE": str(self.folder / "trace")}):
            def before():
                resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
            self.same(WORK.replace("SIZE", "1"), before, **variables)


if __name__ == "__main__":
    LAUNCHER = os.path.realpath(sys.argv.pop(1))
    unittest.main()
