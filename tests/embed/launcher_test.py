#!/usr/bin/env python3
"""dynacc-python against python3: forms of the command line, streams, exit codes, signals, environments.

usage: launcher_test.py LAUNCHER [unittest arguments]
"""
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PYTHON = sys.executable
LAUNCHER = ""
INHERITED = {k: v for k, v in os.environ.items() if not k.startswith(("DYNACC_", "PYTHON", "VIRTUAL_ENV"))}


def run(executable, arguments, stdin="", cwd=None, **variables):
    return subprocess.run([executable, *arguments], input=stdin, text=True, capture_output=True, cwd=cwd,
                          env=INHERITED | {"PYTHONHASHSEED": "0"} | variables, timeout=120)


def outcome(executable, *arguments, **options):
    """Exit status and streams, with the executable's own name made neutral."""
    done = run(executable, arguments, **options)
    neutral = lambda text: text.replace(executable, "EXECUTABLE")
    return done.returncode, neutral(done.stdout), neutral(done.stderr)


class Folder(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name).resolve()

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return str(path)

    def assert_same(self, *arguments, **options):
        options.setdefault("cwd", self.folder)
        expected = outcome(PYTHON, *arguments, **options)
        self.assertEqual(outcome(LAUNCHER, *arguments, **options), expected)
        return expected


class CommandLine(Folder):
    SHOW = "import sys; print(sys.argv, sys.path, sys.flags, sys.prefix, sys.exec_prefix, sys.orig_argv[1:])"

    def test_command(self):
        self.assertIn("['-c', 'a', '-b']", self.assert_same("-c", self.SHOW, "a", "-b")[1])

    def test_script(self):
        self.write("sub/script.py", self.SHOW + "; print(__file__, __name__, __spec__, __loader__.__class__)")
        self.assert_same("sub/script.py", "x", "--help", "")

    def test_module_package_folder_and_zip(self):
        self.write("package/__init__.py", "print('init')")
        self.write("package/__main__.py", self.SHOW)
        self.write("module.py", self.SHOW)
        self.assert_same("-m", "module", "1")
        self.assert_same("-m", "package", "1")
        self.assert_same("package")
        shutil.make_archive(str(self.folder / "archive"), "zip", self.folder / "package")
        self.assert_same("archive.zip", "z")
        self.assert_same("-m", "no_such_module")

    def test_standard_input(self):
        self.assert_same(stdin=self.SHOW)
        self.assert_same("-", "a", stdin=self.SHOW)
        self.assert_same("-", stdin="def f(:\n")
        self.assert_same("-i", "-c", "x = 1", stdin="print(x)\n1/0\n")

    def test_options(self):
        for options in (["-I"], ["-S"], ["-E"], ["-s"], ["-O"], ["-OO"], ["-B"], ["-u"], ["-q"], ["-d"], ["-bb"],
                        ["-P"], ["-X", "dev"], ["-X", "utf8"], ["-X", "frozen_modules=off"], ["-W", "error"],
                        ["-x"], ["-R"], ["-IS"], ["-X", "int_max_str_digits=700"], ["-X", "tracemalloc"]):
            with self.subTest(options=options):
                self.assert_same(*options, "-c", self.SHOW)

    def test_information(self):
        for options in (["-V"], ["-VV"], ["--version"], ["--help"], ["--help-env"], ["--help-xoptions"], ["-h"],
                        ["--no-such-option"], ["-Z"], ["-c"], ["-X", "showrefcount", "-c", ""], ["-m"]):
            with self.subTest(options=options):
                self.assert_same(*options)

    def test_python_variables(self):
        self.write("library/thing.py", "VALUE = 5")
        for variables in ({"PYTHONPATH": "library"}, {"PYTHONOPTIMIZE": "1"}, {"PYTHONWARNINGS": "error"},
                          {"PYTHONDONTWRITEBYTECODE": "1"}, {"PYTHONUTF8": "1"}, {"PYTHONNOUSERSITE": "1"},
                          {"PYTHONSAFEPATH": "1"}, {"LC_ALL": "C", "LANG": ""}, {"PYTHONIOENCODING": "ascii:replace"}):
            with self.subTest(variables=variables):
                self.assert_same("-c", self.SHOW + "; print(sys.stdout.encoding, 'ü')", **variables)

    def test_what_a_program_sees(self):
        self.assert_same("-c", "import sys; print(sorted(sys.modules), sys.warnoptions, sys.hexversion, sys.abiflags)")
        self.assert_same("-c", "import sys; print(set(sys.builtin_module_names) - {'_dynacc'}, sys.stdlib_module_names)")
        self.assert_same("-c", "import sysconfig, site; print(sysconfig.get_paths(), site.getsitepackages())")
        self.assert_same("-c", "import ssl, sqlite3, ctypes, decimal, numpy; print(numpy.__file__, ctypes.pythonapi.Py_GetVersion)"
                               ".__class__ if 0 else print(ssl.OPENSSL_VERSION, sqlite3.version, decimal.Decimal(1) / 3)")
        self.assert_same("-c", "import ctypes; ctypes.pythonapi.PyLong_AsLong.argtypes = [ctypes.py_object];"
                               "print(ctypes.pythonapi.PyLong_AsLong(77))")
        self.assert_same("-c", "import sys, gc; print(gc.get_threshold(), sys.getrecursionlimit(), sys.getswitchinterval())")

    def test_failures(self):
        self.write("zeros.bin", "x\0\0")
        self.write("syntax.py", "x = (1\n")
        self.write("raises.py", "def f():\n    1 / 0\nf()\n")
        for arguments in (["missing.py"], ["syntax.py"], ["raises.py"], ["zeros.bin"], ["/"],
                          ["-c", "x = (1"], ["-c", "raise KeyError('k')"]):
            with self.subTest(arguments=arguments):
                self.assert_same(*arguments)

    def test_exit_codes(self):
        for code in ("sys.exit(0)", "sys.exit(3)", "sys.exit('bye')", "sys.exit(None)", "sys.exit(300)", "os._exit(4)",
                     "raise SystemExit(5)", "exit(6)", "os.abort()", "os.kill(os.getpid(), 15)",
                     "import atexit; atexit.register(print, 'last'); sys.exit(7)", "sys.stdout.close()"):
            with self.subTest(code=code):
                self.assert_same("-c", "import os, sys\n" + code)

    def test_executable(self):
        done = run(LAUNCHER, ["-c", "import sys; print(sys.executable)"])
        self.assertEqual(done.stdout.strip(), LAUNCHER)

    def test_children_are_the_launcher(self):
        script = self.write("spawn.py", "import multiprocessing as m, sys\n"
                            "def f(k): return k * k, sys.executable, '_dynacc' in sys.builtin_module_names\n"
                            "if __name__ == '__main__':\n"
                            "    for kind in ('spawn', 'fork', 'forkserver'):\n"
                            "        with m.get_context(kind).Pool(2) as pool: print(pool.map(f, [1, 2, 3]))\n")
        done = run(LAUNCHER, [script])
        self.assertEqual(done.stderr, "")
        self.assertEqual(done.stdout.count(f"'{LAUNCHER}', True"), 9, done.stdout)


class Terminal(Folder):
    def session(self, executable, keys, arguments=()):
        """What a terminal shows when `keys` are typed; None waits and sends an interrupt."""
        controller, terminal = pty.openpty()
        environment = INHERITED | {"TERM": "dumb", "HOME": str(self.folder), "PYTHON_BASIC_REPL": "1"}
        child = subprocess.Popen([executable, "-q", *arguments], stdin=terminal, stdout=terminal, stderr=terminal,
                                 env=environment, start_new_session=True)
        os.close(terminal)
        self.addCleanup(child.kill)
        shown = b""
        for key in keys:
            shown += self.read_until(controller, b">>> ")
            if key is None:
                time.sleep(0.3)
                os.kill(child.pid, signal.SIGINT)
            else:
                os.write(controller, key)
        try:
            while select.select([controller], [], [], 20)[0] and (part := os.read(controller, 4096)):
                shown += part
        except OSError:
            pass  # the child closed its end
        os.close(controller)
        return child.wait(timeout=30), shown.replace(b"\r", b"").decode()

    def read_until(self, controller, text):
        shown = b""
        while not shown.endswith(text):
            self.assertTrue(select.select([controller], [], [], 20)[0], f"nothing more after {shown!r}")
            shown += os.read(controller, 1)
        return shown

    def test_prompt(self):
        keys = [b"1 + 1\n", b"import sys\n", b"print(len(sys.ps1), sys.flags.interactive)\n", b"1 / 0\n", None, b"exit(5)\n"]
        expected = self.session(PYTHON, keys)
        self.assertEqual(self.session(LAUNCHER, keys), expected)
        self.assertEqual(expected[0], 5)
        self.assertIn("KeyboardInterrupt", expected[1])

    def test_end_of_input(self):
        self.assertEqual(self.session(LAUNCHER, [b"\x04"]), self.session(PYTHON, [b"\x04"]))


class Signals(Folder):
    def interrupted(self, executable, code):
        child = subprocess.Popen([executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 env=INHERITED, start_new_session=True)
        child.stdout.readline()
        time.sleep(0.5)  # it said it is ready; let it get into the next statement
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
        return child.returncode, out, re.sub(r"\s*[\^~]+", "", err)

    def test_interrupt(self):
        sleep = "import time; print('ready', flush=True)\ntime.sleep(60)\n"
        expected = self.interrupted(PYTHON, sleep)
        self.assertEqual(self.interrupted(LAUNCHER, sleep), expected)
        self.assertEqual(expected[0], -signal.SIGINT)

    def test_interrupt_is_caught(self):
        code = ("import time; print('ready', flush=True)\ntry:\n    time.sleep(60)\n"
                "except KeyboardInterrupt:\n    print('caught')\n")
        self.assertEqual(self.interrupted(LAUNCHER, code), self.interrupted(PYTHON, code))

    def test_interrupt_in_array_code(self):
        code = ("import numpy as np\na = np.ones(1000)\nprint('ready', flush=True)\ndef f(a):\n    while True:\n"
                "        a = a * 0.5 + 1\ntry:\n    f(a)\nexcept KeyboardInterrupt:\n    print('caught')\n")
        self.assertEqual(self.interrupted(LAUNCHER, code), (0, "caught\n", ""))

    def test_closed_pipe(self):
        outcomes = []
        for executable in (PYTHON, LAUNCHER):
            child = subprocess.Popen([executable, "-c", "print('x' * 10**6)"], stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, env=INHERITED)
            child.stdout.close()
            outcomes.append((child.communicate()[1], child.returncode))
        self.assertIn(b"BrokenPipeError", outcomes[0][0])
        self.assertEqual(outcomes[1], outcomes[0])


class VirtualEnvironment(Folder):
    SHOW = ("import sys, json, site; print(json.dumps({'executable': sys.executable, 'prefix': sys.prefix, "
            "'base': sys.base_prefix, 'path': sys.path, 'exec': sys.exec_prefix}))")

    def setUp(self):
        super().setUp()
        self.env = self.folder / "env"
        subprocess.run([PYTHON, "-m", "venv", "--without-pip", self.env], check=True, env=INHERITED)

    def seen(self, executable, **variables):
        return json.loads(run(str(executable), ["-c", self.SHOW], **variables).stdout)

    def assert_in_environment(self, seen, executable):
        expected = self.seen(self.env / "bin" / "python")
        self.assertEqual(seen, expected | {"executable": str(executable)})
        self.assertEqual(seen["prefix"], str(self.env))

    def test_active_environment(self):
        self.assert_in_environment(self.seen(LAUNCHER, VIRTUAL_ENV=str(self.env)), LAUNCHER)

    def test_link_in_the_environment(self):
        link = self.env / "bin" / "accelerated"
        link.symlink_to(LAUNCHER)
        self.assert_in_environment(self.seen(link), link)
        self.assert_in_environment(self.seen(link, VIRTUAL_ENV="/elsewhere"), link)

    def test_environment_made_by_the_launcher(self):
        made = self.folder / "made"
        done = run(LAUNCHER, ["-m", "venv", "--without-pip", str(made)])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.seen(made / "bin" / "python")["prefix"], str(made))
        self.assertEqual(os.path.realpath(made / "bin" / "python"), LAUNCHER)

    def test_environment_that_does_not_fit(self):
        outside = self.seen(LAUNCHER)
        self.assertEqual(self.seen(LAUNCHER, VIRTUAL_ENV=str(self.folder / "missing")), outside)
        next((self.env / "lib").glob("python3.*")).rename(self.env / "lib" / "python3.2")
        self.assertEqual(self.seen(LAUNCHER, VIRTUAL_ENV=str(self.env)), outside)


class Options(Folder):
    def test_info(self):
        done = run(LAUNCHER, ["--dynacc-info"], DYNACC_THREADS="3", DYNACC_CACHE_DIR="/some/where")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for text in ("DynaCC 0.", f"in CPython 3.{sys.version_info.minor}", "NumPy      built for ", "processor  ", " threads, x86-64-v2", "compiler   LLVM ",
                     "libdynacc_cpu_compiler.so\n", "cache      /some/where, 0 modules, 0 kB\n", "  cpu: kernels compiled", "(in use)\n", "  tile: ",
                     "DYNACC_THREADS=3\n", "DYNACC_LOGS (not set)\n", "topics of DYNACC_LOGS\n  bytecode: ", "  graph: "):
            self.assertIn(text, done.stdout)

    def test_wrong_values_warn_once_and_go_on(self):
        for name, value in (("DYNACC_POLICY", "sometimes"), ("DYNACC_LOGS", "nothing"), ("DYNACC_DISABLE", "yes"),
                            ("DYNACC_STATS", "/no/such/folder/file"), ("DYNACC_TARGET", "gpu"),
                            ("DYNACC_TARGET", "null"), ("DYNACC_THREADS", "two"), ("DYNACC_THREADS", "-1"),
                            ("DYNACC_TIER_UP", "soon"), ("DYNACC_FORCE_BREAKS", "1x"),
                            ("DYNACC_FAST_MATH", "2"), ("DYNACC_DISABLE_PASSES", "algebra,magic")):
            with self.subTest(name=name):
                done = run(LAUNCHER, ["-c", "print(5)"], **{name: value})
                self.assertEqual((done.returncode, done.stdout), (0, "5\n"))
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertRegex(done.stderr, f"^dynacc: warning: .*{name}")

    def test_stats_are_written_on_every_way_out(self):
        path = self.folder / "stats.json"
        for code in ("pass", "raise SystemExit(2)", "import sys; sys.exit('no')", "1 / 0", "exit()"):
            with self.subTest(code=code):
                path.unlink(missing_ok=True)
                run(LAUNCHER, ["-c", code], DYNACC_STATS=str(path))
                self.assertIn("kernel_launches", json.loads(path.read_text()))

    def test_each_way_of_importing_is_noticed(self):
        path = self.folder / "stats.json"
        for way in ("import numpy as np", "from numpy import linalg; import numpy as np",
                    "np = __import__('numpy')", "import importlib; np = importlib.import_module('numpy')",
                    "import importlib; importlib.import_module('numpy.linalg'); import sys; np = sys.modules['numpy']"):
            with self.subTest(way=way):
                path.unlink(missing_ok=True)
                done = run(LAUNCHER, ["-c", f"{way}\ndef f(a): return a * 2 + 1\nf(np.ones(9))"],
                           DYNACC_STATS=str(path), DYNACC_POLICY="always")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertGreater(json.loads(path.read_text())["kernel_launches"], 0)

    def test_a_package_that_imports_numpy_before_its_module_runs(self):
        path = self.folder / "stats.json"
        self.write("package/__init__.py", "import numpy as np")
        self.write("package/module.py", "from package import np\ndef f(a): return a * 2 + 1\nf(np.ones(9))")
        done = run(LAUNCHER, ["-m", "package.module"], cwd=self.folder, DYNACC_STATS=str(path), DYNACC_POLICY="always")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertGreater(json.loads(path.read_text())["kernel_launches"], 0)

    def test_a_forked_child_leaves_the_stats_alone(self):
        path = self.folder / "stats.json"
        code = ("import os, sys\nif os.fork() == 0:\n    sys.exit(0)\n"
                f"os.wait(); print(os.path.exists({str(path)!r}))")
        self.assertEqual(run(LAUNCHER, ["-c", code], DYNACC_STATS=str(path)).stdout, "False\n")
        self.assertTrue(path.exists())

    def test_disabled(self):
        path = self.folder / "stats.json"
        code = "import numpy as np\ndef f(a): return a * 2 + 1\nfor _ in range(50): f(np.ones(1000))"
        run(LAUNCHER, ["-c", code], DYNACC_STATS=str(path), DYNACC_DISABLE="1", DYNACC_POLICY="always")
        self.assertEqual(json.loads(path.read_text())["frames_seen"], 0)


@unittest.skipUnless(shutil.which("strace"), "strace is not installed")
class Processes(Folder):
    def test_no_process_is_started(self):
        """No fork, vfork, exec or clone of a process: compilers run inside this one."""
        script = self.write("program.py", "import numpy as np\ndef f(a, b): return np.sqrt(a * b + 1) - a\n"
                            "for n in (10, 1000, 100000):\n    for _ in range(30): f(np.ones(n), np.ones(n))\n")
        log = self.folder / "trace"
        done = run("strace", ["-f", "-qq", "-e", "trace=process", "-o", str(log), LAUNCHER, script],
                   DYNACC_POLICY="always", DYNACC_CACHE_DIR=str(self.folder / "cache"))
        if "ptrace" in done.stderr.lower() and not log.exists():
            self.skipTest("strace may not trace here")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        calls = [line for line in log.read_text().splitlines() if re.search(r"\b(fork|vfork|execve|execveat|clone3?)\(", line)]
        started = [line for line in calls if "CLONE_THREAD" not in line]
        # The process itself becomes python3 (embed/launcher/launcher.cc), unless that is linked in.
        self.assertIn(len(started), (1, 2), "\n".join(started))
        self.assertEqual({line.split()[0] for line in started}, {started[0].split()[0]})
        for line in started:
            self.assertIn("execve(", line)


if __name__ == "__main__":
    LAUNCHER = os.path.realpath(sys.argv.pop(1))
    # A test runner in the background ignores SIGINT and its children would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    unittest.main()
