#!/usr/bin/env python3
"""DYNACC_DEBUG_DIR in a folder of everybody's: links that somebody else has put there lead nowhere.

usage: debug_folder_test.py LAUNCHER
"""
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

LAUNCHER = ""
PROGRAM = """
import numpy as np, os, sys
folder, victim = os.environ["DYNACC_DEBUG_DIR"], os.environ["VICTIM"]
# What an enemy can guess: this process's number, and how its folders will be called.
for number in range(1, 40):
    for name in ("f-5", "<module>-1", "-5"):
        try: os.symlink(victim, f"{folder}/{os.getpid()}-{number:04}-{name}")
        except FileExistsError: pass
exec(compile('''
import dynacc, numpy as np


def f(a): return np.sqrt(a + 1) * 2
''', "prog.py", "exec"))
for _ in range(3): r = f(np.arange(9.0))
print(r.tolist())
"""
INHERITED = {k: v for k, v in os.environ.items() if not k.startswith(("DYNACC_", "PYTHON"))}


class DebugFolder(unittest.TestCase):
    def test_links_in_the_way(self):
        with tempfile.TemporaryDirectory() as name:
            folder, victim = pathlib.Path(name, "everybodys"), pathlib.Path(name, "victim")
            folder.mkdir()
            folder.chmod(0o1777)
            victim.mkdir()
            environment = INHERITED | {"DYNACC_DEBUG_DIR": str(folder), "VICTIM": str(victim), "DYNACC_POLICY": "always",
                                       "DYNACC_TIER_UP": "0", "DYNACC_CACHE_DIR": f"{name}/cache"}
            done = subprocess.run([LAUNCHER, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=100,
                                  umask=0)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(list(victim.iterdir()), [], "something was written through a link")
            made = [path for path in folder.iterdir() if not path.is_symlink()]
            self.assertTrue(any((path / "graph.txt").exists() for path in made), "nothing was written at all")
            for path in made:
                self.assertEqual(path.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH), 0)
                for file in path.iterdir():
                    self.assertEqual(file.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH), 0)


if __name__ == "__main__":
    LAUNCHER = sys.argv.pop(1)
    unittest.main()
