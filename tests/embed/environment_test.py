#!/usr/bin/env python3
"""Environments that a program may find itself in: locales, closed streams, strange homes, users, limits, clocks.

usage: environment_test.py LAUNCHER [unittest arguments]

Each case runs a program under python3 and under the launcher in the same environment: stdout, stderr, the exit
status and a file that the program writes must be the same. Where the launcher may do less than usual (no cache, no
threads), it may say so in lines that begin with "dynacc: ", and nothing else. Programs are captured,
which DYNACC_STATS shows, unless a case says otherwise.
"""
import dataclasses
import fcntl
import itertools
import json
import locale
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

PYTHON = sys.executable
LAUNCHER = ""
NOBODY = 65534
INHERITED = {k: v for k, v in os.environ.items() if not k.startswith(("DYNACC_", "PYTHON", "LC_", "LANG"))}

# Writes what it computed to the file that OUTPUT names, too, as stdout may be closed.
COMPUTE = """
import os, sys
import numpy as np
def f(a, b, k):
    return np.sqrt(a * b + 1.0) - a * 0.125 + k
def total(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i] * 1.5
    return s
lines = []
for i in range(6):
    r = f(np.arange(9.0) + i, np.arange(9.0), i)
    lines.append(r.tobytes().hex() + " " + total(r).hex())
with open(os.environ["OUTPUT"], "w") as file:
    file.write("\\n".join(lines))
print("\\n".join(lines))
"""
TEXT = """
import locale
locale.setlocale(locale.LC_ALL, "")
""" + COMPUTE + """
print(sys.stdout.encoding, sys.stdout.errors, sys.stderr.encoding, sys.getfilesystemencoding(), sys.flags.utf8_mode)
print(locale.localeconv()["decimal_point"], [os.fsencode(a) for a in sys.argv[1:]], sorted(os.listdir(os.fsencode(sys.path[0]))))
print(str(np.float64(1.5)), f"{r[1]:n} {r[1]:.3f}", float("1.25"), "I".lower(), "i".upper())
for text in ("\\xe4", "\\u0130\\u20ac", "\\udcff"):
    try:
        print(text)
    except UnicodeError as error:
        print(type(error).__name__, ascii(error))
print("\\xe4\\u20ac", file=sys.stderr)
"""
FLAGS = COMPUTE + """
assert total(r) == 0, "only with -O is this not said" if __debug__ else ""
print(sys.flags, f.__doc__, sys.path[1:], __debug__)
""".replace("assert total(r) == 0", "assert True")
HASHES = COMPUTE + """
keys = {str(k): k * 1.5 for k in range(20)}
def g(d, a):
    for name in set(d):
        a = a + d[name]
    return a
print(g(keys, np.zeros(3)), hash("text") if sys.flags.hash_randomization == 0 else "")
"""
DEPTH = COMPUTE + """
def down(n, a):
    return a.sum() if n == 0 else down(n - 1, a + 1.0) + 1.0
print(down(900, np.zeros(4)))
def endless(a):
    return endless(a * 1.0)
try:
    endless(np.zeros(4))
except RecursionError as error:
    print(error)
"""
SMALL_STACKS = COMPUTE + """
import threading
for size in (65536, 131072, 262144, 1 << 20):
    threading.stack_size(size)
    got = []
    def work():
        namespace = {"np": np}
        exec(f"def h(a):\\n    b = np.sqrt(np.abs(a)) + {size}.5\\n    return np.where(b > a, b, a).sum() * np.exp(-a[0])\\n", namespace)
        for _ in range(4):
            got.append(float(namespace["h"](np.arange(50.0))).hex())
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    print(size, got)
"""
FILES = COMPUTE + """
files = [os.open(os.devnull, os.O_RDONLY) for _ in range(int(sys.argv[1]))]
namespace = {"np": np}
exec("def h(a):\\n    return np.cos(a * a) - np.floor(a / 7.0)\\n", namespace)
for _ in range(4):
    print(namespace["h"](np.arange(5.0)), files[-1] > 1024)
"""
THREADS = COMPUTE + """
import threading
def work():
    pass
try:
    threading.Thread(target=work).start()
    print("started")
except RuntimeError as error:
    print(error)
large = np.ones(3_000_000)
def g(a):
    return (a * 2.0 + np.sqrt(a)).sum()
for _ in range(4):
    print(g(large))
"""
SIGNALS = COMPUTE + """
import signal, subprocess
print([(s, str(signal.getsignal(s))) for s in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGINT, signal.SIGTERM)])
print(sorted(int(s) for s in signal.pthread_sigmask(signal.SIG_BLOCK, [])))
print(subprocess.run(["/bin/true"]).returncode)
"""
CLOCKS = """
import time
""" + COMPUTE + """
def g(a):
    for _ in range(20):
        a = np.sqrt(a * a + 1.0) - 0.25
    return a
a = np.arange(1000.0)
for _ in range(400):
    time.time(), time.monotonic()
    a = g(a) * 0.5
print(a.tobytes().hex()[:2000])
"""
# Realtime goes forwards and backwards by up to a day; the monotonic clock, never backwards, leaps.
JUMPING_CLOCK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
static int real(clockid_t clock, struct timespec* now) {
  static int (*next)(clockid_t, struct timespec*);
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "clock_gettime");
  return next(clock, now);
}
int clock_gettime(clockid_t clock, struct timespec* now) {
  static unsigned calls;
  static long long leapt;
  const int status = real(clock, now);
  const unsigned turn = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) * 2654435761u;
  if (clock == CLOCK_REALTIME && getenv("JUMP_REALTIME")) now->tv_sec += (int)(turn >> 8) % 86400 - 43200;
  if (clock == CLOCK_MONOTONIC && getenv("JUMP_MONOTONIC"))
    now->tv_sec += __atomic_add_fetch(&leapt, turn >> 27 == 0 ? 3600 : 0, __ATOMIC_RELAXED);
  return status;
}
int gettimeofday(struct timeval* restrict now, void* restrict zone) {
  struct timespec time;
  (void)zone;
  clock_gettime(CLOCK_REALTIME, &time);
  now->tv_sec = time.tv_sec;
  now->tv_usec = time.tv_nsec / 1000;
  return 0;
}
"""


@dataclasses.dataclass
class Case:
    """One environment. `before` runs in the child before it becomes the interpreter."""
    variables: dict = dataclasses.field(default_factory=dict)
    unset: tuple = ()
    options: tuple = ()
    arguments: tuple = ()
    program: str = COMPUTE
    before: object = None
    name: str = "program.py"  # of the script
    argv0: object = None
    wrap: tuple = ()  # a command that is given the interpreter's
    may_warn: bool = False
    captured: bool = True
    popen: dict = dataclasses.field(default_factory=dict)


class Environment(unittest.TestCase):
    """Runs cases; the tests are in the classes below."""

    @classmethod
    def setUpClass(cls):
        cls.common = tempfile.TemporaryDirectory(prefix="dynacc_environment_")
        cls.addClassCleanup(cls.common.cleanup)
        cls.shared_cache = os.path.join(cls.common.name, "cache")

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="dynacc_environment_", ignore_cleanup_errors=True)
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name).resolve()
        self.folder.chmod(0o755)
        self.results = self.folder / "results"
        self.results.mkdir()
        self.results.chmod(0o777)

    def outcome(self, interpreter, case, cache=True):
        """(exit status, stdout, stderr, output file, counters) of the case."""
        script = os.path.join(os.fsencode(self.folder), os.fsencode(case.name))
        with open(script, "w", encoding="utf-8") as file:
            file.write(case.program)
        os.chmod(script, 0o644)
        output, stats = self.results / "output", self.results / "stats"
        for path in (output, stats):
            path.unlink(missing_ok=True)
        settings = {"DYNACC_POLICY": "always", "DYNACC_TIER_UP": "0", "DYNACC_STATS": str(stats), "OUTPUT": str(output)}
        if cache:
            settings["DYNACC_CACHE_DIR"] = self.shared_cache
        environment = {k: v for k, v in (INHERITED | settings | case.variables).items() if k not in case.unset}
        command = [*case.wrap, interpreter if case.argv0 is None else case.argv0, *case.options, script, *case.arguments]
        executable = None if case.argv0 is None else interpreter
        done = subprocess.run(command, executable=executable, env=environment, capture_output=True, timeout=120,
                              preexec_fn=case.before, check=False, **({"stdin": subprocess.DEVNULL} | case.popen))
        counters = json.loads(stats.read_text()) if stats.exists() and stats.stat().st_size else {}
        written = output.read_bytes() if output.exists() else None
        return done.returncode, done.stdout, done.stderr, written, counters

    def same(self, case, launcher=None, stock=None, cache=True):
        """The case under both interpreters; the launcher's stderr as it is."""
        launcher, stock = launcher or LAUNCHER, stock or PYTHON
        expected = self.outcome(stock, case, cache)
        status, out, err, written, counters = self.outcome(launcher, case, cache)
        said = err
        if case.may_warn:
            err = b"".join(line for line in err.splitlines(keepends=True) if not line.startswith(b"dynacc: "))
        err = err.replace(launcher.encode(), stock.encode())
        errors = [re.sub(rb"thread 0x[0-9a-f]+", b"thread", text) for text in (err, expected[2])]
        self.assertEqual((status, out, errors[0], written), (*expected[:2], errors[1], expected[3]),
                         f"{case.variables} {case.options} {said.decode(errors='replace')[-2000:]}")
        if case.captured:
            self.assertGreater(counters.get("frames_captured", 0), 0, said)
        return said

    def as_nobody(self):
        """What a case runs in the child to become another user; skips where that is not allowed."""
        if os.geteuid() != 0:
            self.skipTest("needs root to become another user")
        if subprocess.run([LAUNCHER, "-c", ""], preexec_fn=become_nobody, capture_output=True, check=False).returncode != 0:
            self.skipTest("another user cannot reach the launcher")
        return become_nobody


def become_nobody():
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


class Text(Environment):
    def test_locales(self):
        have = set(subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout.split())
        for name in ("C", "POSIX", "C.utf8", "tr_TR.utf8", "de_DE.utf8", "de_DE", "ja_JP.eucjp", "no_SUCH"):
            if name not in have and name != "no_SUCH":
                print(f"environment_test: locale {name} is not there", file=sys.stderr)
                continue
            program = TEXT.replace('locale.setlocale(locale.LC_ALL, "")', "pass") if name == "no_SUCH" else TEXT
            for variable in ("LC_ALL", "LANG"):
                with self.subTest(locale=name, variable=variable):
                    self.same(Case({variable: name}, program=program, arguments=(b"\xe4\xff", "\u0130")))

    def test_encodings(self):
        for variables in ({"PYTHONIOENCODING": "latin-1"}, {"PYTHONIOENCODING": "utf-16"}, {"PYTHONIOENCODING": "ascii:strict"},
                          {"PYTHONIOENCODING": ":backslashreplace"}, {"PYTHONIOENCODING": "no-such"}, {"PYTHONUTF8": "0", "LC_ALL": "C"},
                          {"PYTHONUTF8": "1", "LC_ALL": "C"}, {"PYTHONUTF8": "2"}, {"PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"},
                          {"PYTHONCOERCECLOCALE": "warn", "LANG": "C"}, {"PYTHONLEGACYWINDOWSSTDIO": "1"}):
            with self.subTest(variables=variables):
                wrong = "no-such" in variables.values() or variables.get("PYTHONUTF8") == "2"
                self.same(Case(variables, program=TEXT, captured=not wrong))

    def test_names_that_are_not_utf8(self):
        for name in (b"a\xff\xfe.py", b"\xed\xa0\x80.py", "\u20ac \n.py".encode(), b"-c.py"):
            for variables in ({}, {"LC_ALL": "C"}, {"PYTHONUTF8": "1"}):
                with self.subTest(name=name, variables=variables):
                    self.same(Case(variables, program=TEXT, name=name, arguments=(b"\xff\x80", b"", "\u20ac")))

    def test_values_of_variables_that_are_not_utf8(self):
        for value in (b"\xff", b"", b"a" * 100_000, b"a,,\xff"):
            self.same(Case({"DYNACC_LOGS": value, "DYNACC_DISABLE_PASSES": value, "SOMETHING": b"\xff"}, may_warn=True))


class Places(Environment):
    def test_homes(self):
        (self.folder / "file").write_text("")
        for home in ("/no/such", "/dev/null", "", "relative", str(self.folder / "file"), "/proc", "/" + "x" * 5000):
            with self.subTest(home=home):
                self.same(Case({"HOME": home, "XDG_CACHE_HOME": ""}, may_warn=True), cache=False)
        self.same(Case(unset=("HOME", "XDG_CACHE_HOME")), cache=False)

    def test_cache_homes(self):
        (self.folder / "file").write_text("")
        for path in ("relative/path", "", "/dev/null", str(self.folder / "file"), "/proc/self", "/" + "x" * 5000, b"/tmp/\xff\x01"):
            with self.subTest(path=path):
                self.same(Case({"XDG_CACHE_HOME": path, "HOME": str(self.folder)}, may_warn=True), cache=False)
        shutil.rmtree(b"/tmp/\xff\x01", ignore_errors=True)

    def test_a_home_that_is_read_only(self):
        home = self.folder / "home"
        home.mkdir()
        home.chmod(0o555)
        said = self.same(Case({"HOME": str(home)}, unset=("XDG_CACHE_HOME",), before=self.as_nobody(), may_warn=True), cache=False)
        self.assertIn(b"not kept on disk", said)
        self.assertEqual(list(home.iterdir()), [])

    def test_a_working_folder_that_is_gone(self):
        def before():
            os.chdir(tempfile.mkdtemp())
            os.rmdir(os.getcwd())
        self.same(Case(before=before))

    def test_a_working_folder_without_permission(self):
        private = self.folder / "private"
        private.mkdir()
        private.chmod(0o700)
        nobody = self.as_nobody()

        def before():
            os.chdir(private)
            nobody()
        self.same(Case(before=before, may_warn=True))

    def test_a_root_without_proc(self):
        tools = [shutil.which(name) for name in ("unshare", "mount", "chroot")]
        if os.geteuid() != 0 or not all(tools) or subprocess.run(["unshare", "-m", "true"], check=False).returncode:
            self.skipTest("needs root and mount namespaces")
        root = self.folder / "root"
        places = ["/usr", "/etc", os.path.dirname(LAUNCHER), str(self.results), self.common.name]
        lines = ["set -e", "mount --make-rprivate /"]
        for place in places:
            lines += [f"mkdir -p '{root}{place}'", f"mount --bind '{place}' '{root}{place}'"]
        for link in ("bin", "lib", "lib64"):
            if os.path.islink(f"/{link}"):
                lines.append(f"ln -sfn usr/{link} '{root}/{link}'")
        lines += [f"cp '{self.folder}/program.py' '{root}{self.folder}/'", f"exec chroot '{root}' \"$@\""]
        case = Case(wrap=("unshare", "-m", "sh", "-c", "\n".join(lines), "sh"), program=COMPUTE + "print(os.path.exists('/proc/self'))\n",
                    may_warn=True, captured=False)
        self.same(case)


class Streams(Environment):
    def test_closed_streams(self):
        for closed in itertools.chain.from_iterable(itertools.combinations((0, 1, 2), n) for n in (1, 2, 3)):
            def before(closed=closed):
                for number in closed:
                    os.close(number)
            for cold in (False, True):
                with self.subTest(closed=closed, cold=cold):
                    if cold:  # what is opened for the cache gets those numbers
                        shutil.rmtree(self.shared_cache, ignore_errors=True)
                    self.same(Case(before=before, program=COMPUTE + "print([sys.stdin is None, sys.stdout is None, sys.stderr is None])\n"))

    def test_a_full_device(self):
        with open("/dev/full", "wb") as full:
            def before():
                os.dup2(full.fileno(), 1)
            self.same(Case(before=before))

    def test_very_many_open_files(self):
        most = min(66_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]) - 1000
        if most < 65_000:
            print(f"environment_test: {most} files are opened, more are not allowed", file=sys.stderr)
        self.assertGreater(most, 1024)

        def allowed():
            resource.setrlimit(resource.RLIMIT_NOFILE, (most + 1000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        self.same(Case(before=allowed, program=FILES, arguments=(str(most),)))

        def inherited():
            allowed()
            for _ in range(2000):
                fcntl.fcntl(0, fcntl.F_DUPFD, 3)
        self.same(Case(before=inherited, popen={"close_fds": False}))

    def test_very_few_files(self):
        ran = 0
        for limit in (4, 5, 6, 7, 8, 10, 12, 16, 24):
            def before(limit=limit):
                resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
            case = Case(before=before, may_warn=True, captured=False)
            with self.subTest(limit=limit):
                if self.outcome(PYTHON, case)[0] == 0:
                    ran += 1
                    self.same(case)
        self.assertGreater(ran, 3)


class Arguments(Environment):
    def test_options(self):
        combinations = [("-O",), ("-OO",), ("-X", "dev"), ("-I",), ("-E",), ("-s",), ("-B",), ("-u",), ("-q",), ("-b",), ("-bb",),
                        ("-P",), ("-OO", "-I", "-B"), ("-X", "dev", "-u", "-E"), ("-sEBuq", "-O"), ("-W", "error"), ("-X", "utf8=0"),
                        ("-X", "no_debug_ranges"), ("-X", "faulthandler"), ("-X", "frozen_modules=off"), ("-X", "int_max_str_digits=0"),
                        ("-R",), ("-d",), ("-x",), ("-X", "tracemalloc"), ("-X", "no_such"), ("--check-hash-based-pycs", "never")]
        for options in combinations:
            with self.subTest(options=options):
                self.same(Case(options=options, program=FLAGS, captured="tracemalloc" not in options))

    def test_without_site(self):
        extra = {"PYTHONPATH": "/usr/lib/python3/dist-packages"}
        for options in (("-S",), ("-S", "-O"), ("-S", "-u", "-B")):
            with self.subTest(options=options):
                self.same(Case(extra, options=options, program=FLAGS))

    def test_hash_seeds(self):
        for seed in ("0", "1", "4294967295", "random", "", "-1", "abc"):
            with self.subTest(seed=seed):
                self.same(Case({"PYTHONHASHSEED": seed}, program=HASHES, captured=seed not in ("-1", "abc")))

    def test_python_variables(self):
        for variables in ({"PYTHONOPTIMIZE": "2"}, {"PYTHONDEVMODE": "1"}, {"PYTHONMALLOC": "malloc"}, {"PYTHONMALLOC": "debug"},
                          {"PYTHONUNBUFFERED": "1"}, {"PYTHONDONTWRITEBYTECODE": "1"}, {"PYTHONSAFEPATH": "1"}, {"PYTHONNODEBUGRANGES": "1"},
                          {"PYTHONFAULTHANDLER": "1"}, {"PYTHONWARNINGS": "error"}, {"PYTHONHOME": "/no/such"}, {"PYTHONPATH": "/no/such:::"},
                          {"PYTHONSTARTUP": "/no/such"}, {"PYTHONPLATLIBDIR": "lib64"}, {"PYTHONPYCACHEPREFIX": str(self.folder / "p")}):
            with self.subTest(variables=variables):
                fails = "PYTHONHOME" in variables or "PYTHONPLATLIBDIR" in variables
                self.same(Case(variables, program=FLAGS, captured=not fails))

    def test_no_name(self):
        # 3.13's subprocess starts nothing whose name is empty.
        empty = [""] if sys.version_info < (3, 13) else []
        for argv0 in (*empty, "x", "/no/such/python", b"\xff", "-"):
            with self.subTest(argv0=argv0):
                self.same(Case(argv0=argv0, program=COMPUTE + "print(sys.argv[1:])\n", arguments=("a",)))

    def test_a_megabyte_of_variables(self):
        many = {f"VARIABLE_{k}": "x" * 100_000 for k in range(10)}
        self.same(Case(many, program=COMPUTE + "print(len(os.environ['VARIABLE_9']), sorted(k for k in os.environ if 'DYNACC' in k or k == 'LD_PRELOAD'))\n"))
        small = {f"V{k}": str(k) for k in range(30_000)}
        self.same(Case(small, program=COMPUTE + "print(sum(int(v) for k, v in os.environ.items() if k[0] == 'V'))\n"))

    def test_no_variables(self):
        self.same(Case(unset=tuple(INHERITED)))


class Limits(Environment):
    def test_stacks(self):
        for size in (256 << 10, 512 << 10, 1 << 20, resource.RLIM_INFINITY):
            def before(size=size):
                resource.setrlimit(resource.RLIMIT_STACK, (size, resource.getrlimit(resource.RLIMIT_STACK)[1]))
            with self.subTest(size=size):
                self.same(Case(before=before, program=DEPTH))

    def test_small_stacks_of_threads(self):
        self.same(Case(program=SMALL_STACKS))
        self.same(Case({"DYNACC_TARGET": "tile"}, program=SMALL_STACKS))

    def test_no_more_processes(self):
        nobody = self.as_nobody()

        def before():
            resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
            nobody()
        self.same(Case({"OPENBLAS_NUM_THREADS": "1"}, before=before, program=THREADS, may_warn=True))
        self.same(Case({"OPENBLAS_NUM_THREADS": "1", "DYNACC_TIER_UP": "1"}, before=before, program=THREADS, may_warn=True))

    def test_no_core_and_no_file_size(self):
        def before():
            resource.setrlimit(resource.RLIMIT_FSIZE, (16384, 16384))
        shutil.rmtree(self.shared_cache, ignore_errors=True)
        self.same(Case(before=before, may_warn=True))

        def nothing():
            resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
        shutil.rmtree(self.shared_cache, ignore_errors=True)
        self.same(Case(before=nothing, may_warn=True, captured=False))

    def test_no_locked_memory_and_low_priority(self):
        def before():
            resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))
            os.nice(19)
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        self.same(Case(before=before, program=THREADS))


class Process(Environment):
    def test_umask(self):
        def before():
            os.umask(0o777)
        self.same(Case({"HOME": str(self.folder)}, unset=("XDG_CACHE_HOME",), before=before, may_warn=True), cache=False)
        nobody = self.as_nobody()

        def both():
            before()
            nobody()
        self.same(Case({"HOME": str(self.results)}, unset=("XDG_CACHE_HOME",), before=both, may_warn=True), cache=False)

    def test_signals(self):
        def ignored():
            for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)

        def blocked():
            signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP})
        for before in (ignored, blocked):
            for restore in (True, False):
                with self.subTest(before=before.__name__, restore=restore):
                    self.same(Case(before=before, program=SIGNALS, popen={"restore_signals": restore}))

    def test_setuid(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to make a setuid file")
        places = self.folder / "setuid"
        places.mkdir(mode=0o755)
        built = pathlib.Path(LAUNCHER).parent
        for part in (pathlib.Path(LAUNCHER).name, "libdynacc_start.so", "libdynacc_cpu_compiler.so"):
            if (built / part).exists():
                shutil.copy(built / part, places / part)
        if (built / "python").exists():
            shutil.copytree(built / "python", places / "python")
        shutil.copy(PYTHON, places / pathlib.Path(PYTHON).name)
        for name in (pathlib.Path(LAUNCHER).name, pathlib.Path(PYTHON).name):
            os.chown(places / name, NOBODY, NOBODY)
            os.chmod(places / name, 0o4755)
        who = [str(places / pathlib.Path(PYTHON).name), "-c", "import os; print(os.geteuid())"]
        if subprocess.run(who, capture_output=True, text=True, check=False).stdout.strip() != str(NOBODY):
            self.skipTest("setuid files do not work here")
        case = Case({"HOME": str(self.folder)}, program=COMPUTE + "print(os.getuid(), os.geteuid(), sorted(k for k in os.environ if 'DYNACC' in k or k == 'LD_PRELOAD'))\n", may_warn=True, captured=False)
        self.same(case, str(places / pathlib.Path(LAUNCHER).name), str(places / pathlib.Path(PYTHON).name), cache=False)


class Clocks(Environment):
    def test_clocks_that_jump(self):
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            self.skipTest("no C compiler")
        source, library = self.folder / "clock.c", self.folder / "clock.so"
        source.write_text(JUMPING_CLOCK)
        subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        for jump in ("JUMP_REALTIME", "JUMP_MONOTONIC"):
            for policy in ({}, {"DYNACC_POLICY": "hot", "DYNACC_TIER_UP": ""}):
                with self.subTest(jump=jump, policy=policy):
                    self.same(Case({"LD_PRELOAD": str(library), jump: "1"} | policy, program=CLOCKS, captured=not policy))

    def test_other_times(self):
        library = pathlib.Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1")
        if not library.exists():
            self.skipTest("Debian's faketime is not there")
        for time in ("@1970-01-02 00:00:00", "@2038-01-19 03:14:07", "@2106-02-07 06:28:15", "+0 x100"):
            with self.subTest(time=time):
                self.same(Case({"LD_PRELOAD": str(library), "FAKETIME": time}, program=CLOCKS))


if __name__ == "__main__":
    locale.setlocale(locale.LC_ALL, "C")
    LAUNCHER = os.path.realpath(sys.argv.pop(1))
    unittest.main()
