#!/usr/bin/env python3
"""What the launcher is given and cannot use: scripts, cache folders, cache entries, no compiler.

usage: bad_input_test.py LAUNCHER [unittest arguments]

In every case the program's own output is python3's; where DynaCC does less than asked it says so in
one line on stderr.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import unittest

PYTHON = sys.executable
LAUNCHER = ""
PLUGIN = "libdynacc_cpu_compiler.so"
PROGRAM = ("import numpy as np\ndef f(a, b): return np.sqrt(a * b + 1) - a\n"
           "for _ in range(5): r = f(np.arange(9.0), np.arange(9.0))\nprint(r.tolist())\n")
INHERITED = {k: v for k, v in os.environ.items() if not k.startswith(("DYNACC_", "PYTHON"))}
NOBODY = 65534


class BadInput(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name).resolve()
        self.cache = self.folder / "cache"
        self.program = self.folder / "program.py"
        self.program.write_text(PROGRAM)
        self.expected = self.outcome(PYTHON)
        self.assertEqual(self.expected[0], 0)

    def outcome(self, executable, *arguments, **variables):
        environment = INHERITED | {"DYNACC_POLICY": "always", "DYNACC_TIER_UP": "0",
                                   "DYNACC_CACHE_DIR": str(self.cache)} | variables
        done = subprocess.run([executable, *(arguments or [self.program])], env=environment, text=True,
                              capture_output=True, timeout=120, stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout, done.stderr

    def assert_runs_with(self, warning, launcher=None, **variables):
        """The program runs as under python3; `warning` "" means nothing on stderr, else one line has it."""
        status, out, err = self.outcome(launcher or LAUNCHER, **variables)
        self.assertEqual((status, out), self.expected[:2], err)
        self.assertEqual(len(err.splitlines()), 1 if warning else 0, err)
        self.assertIn(warning, err)

    def entries(self):
        return sorted(self.cache.glob("*.kernel"))

    def test_files_that_cannot_be_written(self):
        self.assert_runs_with("DYNACC_TRACE: cannot write /dev/null/t: Not a directory", DYNACC_TRACE="/dev/null/t")
        self.assert_runs_with("DYNACC_TRACE: /dev/full is no ordinary file", DYNACC_TRACE="/dev/full")
        self.assert_runs_with("DYNACC_DEBUG_DIR: cannot make /dev/null/x", DYNACC_DEBUG_DIR="/dev/null/x")

    def test_scripts_that_cannot_be_read(self):
        binary = self.folder / "binary.py"
        binary.write_bytes(bytes(range(256)))
        loop = self.folder / "loop.py"
        loop.symlink_to(loop)
        (self.folder / "folder.py").mkdir()
        for script in ("missing.py", "folder.py", "binary.py", "loop.py", "program.py/x"):
            path = str(self.folder / script)
            status, out, err = self.outcome(LAUNCHER, path)
            expected = self.outcome(PYTHON, path)
            self.assertNotEqual(status, 0)
            self.assertEqual((status, out, err.replace(LAUNCHER, PYTHON)), expected)

    @unittest.skipIf(os.geteuid() == 0, "root reads everything")
    def test_script_without_permission(self):
        self.program.chmod(0)
        expected = self.outcome(PYTHON)
        status, out, err = self.outcome(LAUNCHER)
        self.assertEqual((status, out, err.replace(LAUNCHER, PYTHON)), expected)

    def test_damaged_cache_entries_are_compiled_again(self):
        self.assert_runs_with("")
        self.assertTrue(self.entries())
        whole = [path.read_bytes() for path in self.entries()]
        for damage in (lambda b: b"", lambda b: b[:40], lambda b: b[:-1], lambda b: b + b"x",
                       lambda b: b"\0" * len(b), lambda b: b[:200] + bytes([b[200] ^ 1]) + b[201:]):
            for path, content in zip(self.entries(), whole):
                path.write_bytes(damage(content))
            self.assert_runs_with("")
            self.assertEqual([path.read_bytes() for path in self.entries()], whole)

    def test_an_entry_under_anothers_name_is_not_used(self):
        self.assert_runs_with("")
        whole = self.entries()[0].read_bytes()
        self.program.write_text(PROGRAM.replace("- a", "+ a"))
        self.expected = self.outcome(PYTHON)
        for path in self.entries():
            path.unlink()
        self.assert_runs_with("")
        other = self.entries()[0]
        self.assertNotEqual(other.read_bytes(), whole)
        other.write_bytes(whole)
        self.assert_runs_with("")
        self.assertNotEqual(other.read_bytes(), whole)

    def test_entries_that_others_may_write_are_not_used(self):
        self.assert_runs_with("")
        path = self.entries()[0]
        path.chmod(0o666)
        self.assert_runs_with("")
        self.assertEqual(path.stat().st_mode & 0o022, 0, "the entry is written anew, for its owner only")

    @unittest.skipUnless(os.geteuid() == 0, "needs root to give files away")
    def test_foreign_entries_and_folders_are_not_used(self):
        self.assert_runs_with("")
        os.chown(self.entries()[0], NOBODY, NOBODY)
        self.assert_runs_with("")
        self.assertEqual(self.entries()[0].stat().st_uid, 0)
        os.chown(self.cache, NOBODY, NOBODY)
        self.assert_runs_with("compiled kernels are not kept on disk: ")

    def test_cache_folders_that_cannot_be_used(self):
        (self.folder / "file").write_text("")
        writable_by_all = self.folder / "open"
        writable_by_all.mkdir()
        writable_by_all.chmod(0o777)
        for path in ("/proc/no/such", "/dev/null/x", str(self.folder / "file"), str(writable_by_all)):
            with self.subTest(path=path):
                self.assert_runs_with("compiled kernels are not kept on disk: ", DYNACC_CACHE_DIR=path)

    def test_no_home(self):
        environment = {"DYNACC_CACHE_DIR": "", "XDG_CACHE_HOME": ""}
        self.assert_runs_with("", **environment, HOME="")
        missing = self.folder / "missing"
        self.assert_runs_with("", **environment, HOME=str(missing))
        self.assertFalse(missing.exists(), "a home that was not there was made")
        self.assert_runs_with("compiled kernels are not kept on disk: ", **environment, HOME="/sys/kernel")  # read-only
        missing.mkdir()
        self.assert_runs_with("", **environment, HOME=str(missing))
        self.assertTrue(list(missing.glob(".cache/dynacc/*.kernel")))

    def copied_launcher(self):
        """The launcher in a folder without the compiler plug-in."""
        copy = self.folder / "bin" / "dynacc-python"
        copy.parent.mkdir()
        shutil.copy(LAUNCHER, copy)
        built = pathlib.Path(LAUNCHER).parent
        for part in ("libdynacc_start.so", f"python/_dynacc{sysconfig.get_config_var('EXT_SUFFIX')}"):
            if (built / part).exists():
                (copy.parent / part).parent.mkdir(exist_ok=True)
                shutil.copy(built / part, copy.parent / part)
        return str(copy)

    def test_no_compiler(self):
        launcher = self.copied_launcher()
        self.assert_runs_with("no compiler plug-in", launcher)
        done = subprocess.run([launcher, "--dynacc-info"], capture_output=True, text=True)
        self.assertIn("compiler   not found: no compiler plug-in at ", done.stdout)

    def test_no_compiler_is_needed_for_what_is_in_the_cache(self):
        self.assert_runs_with("")
        self.assert_runs_with("", self.copied_launcher())

    def test_parts_are_missing(self):
        launcher = pathlib.Path(self.copied_launcher())
        if not launcher.with_name("libdynacc_start.so").exists():
            self.skipTest("the launcher is linked in one piece")
        shutil.rmtree(launcher.with_name("python"))
        self.assert_runs_with("running as plain python3: _dynacc", str(launcher))
        launcher.with_name("libdynacc_start.so").unlink()
        self.assert_runs_with("running as plain python3: no libdynacc_start.so", str(launcher))

    def test_a_folder_that_the_loader_cannot_name(self):
        if not (pathlib.Path(LAUNCHER).parent / "libdynacc_start.so").exists():
            self.skipTest("the launcher is linked in one piece")
        folder = pathlib.Path(self.copied_launcher()).parent
        folder.rename(folder.with_name("a b"))
        self.assert_runs_with("running as plain python3: no libdynacc_start.so",
                              str(self.folder / "a b" / "dynacc-python"))

    def test_a_plug_in_that_is_none(self):
        launcher = self.copied_launcher()
        pathlib.Path(launcher).with_name(PLUGIN).write_bytes(b"\x7fELF and no more")
        self.assert_runs_with("cannot load the compiler plug-in", launcher)

    def test_the_plug_in_is_found_however_the_launcher_is_started(self):
        environment = INHERITED | {"DYNACC_POLICY": "always", "DYNACC_TIER_UP": "0",
                                   "DYNACC_CACHE_DIR": str(self.cache), "PATH": os.path.dirname(LAUNCHER)}
        for name in (os.path.basename(LAUNCHER), "another name", "/no/such/python"):
            shutil.rmtree(self.cache, ignore_errors=True)
            done = subprocess.run([name, self.program], executable=LAUNCHER, env=environment, text=True,
                                  capture_output=True, cwd="/", timeout=120)
            self.assertEqual((done.returncode, done.stdout), self.expected[:2], done.stderr)
            self.assertNotIn("plug-in", done.stderr, name)


if __name__ == "__main__":
    LAUNCHER = os.path.realpath(sys.argv.pop(1))
    unittest.main()
