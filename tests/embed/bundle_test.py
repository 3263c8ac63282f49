#!/usr/bin/env python3
"""The bundle runs from any folder, with nothing of this machine but the C library.

usage: bundle_test.py SOURCE BUILD
"""
import pathlib
import subprocess
import sys
import tarfile
import tempfile

# Compares a captured function with NumPy, makes a tensor, and prints every file that the process has mapped.
PROGRAM = """
import ctypes, hashlib, json, lzma, multiprocessing, sqlite3, ssl, zlib
import numpy as np, dynacc
@dynacc.compile
def f(a):
    return np.sqrt(a * a + 1.0) - a
a = np.linspace(0, 1, 100)
assert (f(a) == np.sqrt(a * a + 1.0) - a).all() and (f(a) == f(a)).all()
assert np.allclose(np.linalg.solve(np.eye(3) * 2, np.ones(3)), 0.5)
assert dynacc.stats()["entries_hit"] > 0 and float(dynacc.sum(dynacc.ones(3))) == 3
try:
    dynacc.compile(f, device="cuda")
    print("GPU")
except RuntimeError as error:
    print(error)
print(sorted({line.split()[-1] for line in open("/proc/self/maps").read().replace(" x/", "_x/").splitlines() if "/" in line}))
"""
# Asks for nothing: what the launcher captures.
PLAIN = """
import numpy as np
def f(a):
    return np.sqrt(a * a + 1.0) - a
for _ in range(3):
    r = f(np.linspace(0, 1, 1000))
import dynacc, os
print(r.sum() > 0, dynacc.stats()["entries_hit"] > 0, "LD_PRELOAD" in os.environ)
"""
C_LIBRARY = ("libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "libutil.so", "libresolv.so", "ld-linux", "libcuda", "libnvidia",
             "locale-archive", "gconv-modules.cache", "LC_")


def main():
    source, build = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        archive = pathlib.Path(folder) / "bundle.tar.xz"
        subprocess.run([sys.executable, f"{source}/tools/bundle.py", build, str(archive), "--quick"], check=True)
        place = pathlib.Path(folder) / "another x"
        with tarfile.open(archive) as tar:
            tar.extractall(place)
        root = place / "dynacc-bundle"
        program = place / "program.py"
        program.write_text(PROGRAM)
        # No variable is set, and the current folder has nothing to do with it.
        done = subprocess.run([root / "python", program], env={}, cwd="/", capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stderr
        assert done.stderr == "", done.stderr
        text, mapped = done.stdout.splitlines()
        inside = str(root).replace(" x/", "_x/")
        strangers = [file for file in eval(mapped) if not file.startswith((inside, "/dev/", "/memfd:", "/["))
                     and not pathlib.Path(file).name.startswith(C_LIBRARY)]
        assert not strangers, f"of this machine: {strangers}"
        program.write_text(PLAIN)
        captured = subprocess.run([root / "dynacc-python", program], env={"DYNACC_POLICY": "always"}, cwd="/",
                                  capture_output=True, text=True, timeout=100)
        assert (captured.stdout, captured.stderr) == ("True True False\n", ""), captured
        checked = subprocess.run([root / "check"], env={}, cwd="/", capture_output=True, text=True, timeout=500)
        if text != "GPU":
            assert "no NVIDIA driver" in text or "libnvrtc" in text or "CUDA" in text, text
            assert checked.returncode == 77 and text.partition(": ")[2][:30] in checked.stderr, checked
    print("the bundle runs")


if __name__ == "__main__":
    main()
