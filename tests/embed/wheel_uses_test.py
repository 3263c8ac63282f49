#!/usr/bin/env python3
"""The wheel of tools/wheel.py in fresh virtual environments, used in all the ways that programs are run.

usage: wheel_uses_test.py SOURCE BUILD

A script, `python -m`, Jupyter with its magic, pytest, multiprocessing's spawned pool and Dask's workers, with the newest
NumPy, and a script with the oldest one. Exit status 77, skipped, where the package index cannot be reached.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PACKAGES = ("nbclient==0.11.0", "ipykernel==7.4.0", "pytest==9.2.0")
# The oldest NumPy that DynaCC knows and that has a wheel for this Python.
OLDEST_NUMPY = {11: "1.23.5", 13: "2.1.0", 14: "2.3.2"}[sys.version_info.minor]
APPLICATION = """
import numpy as np
import dynacc
@dynacc.compile
def f(a):
    return np.sqrt(a * a + 1.0) - a
print(f(np.arange(5.0)).sum(), np.__version__, dynacc.stats()["entries_hit"] > 0)
"""
UNDER_PYTEST = """
import numpy as np
def f(a):
    return np.sqrt(a * a + 1.0) - a
def test_values():
    for _ in range(50):
        result = f(np.arange(1000.0))
    assert result[0] == 1.0
def test_that_it_was_captured():
    import dynacc
    assert dynacc.stats()["entries_hit"] > 0
"""
POOL = """
import multiprocessing
import numpy as np
def work(seed):
    import dynacc
    x = np.linspace(0.0, 1.0, 10_000) * seed
    for _ in range(50):
        x = np.sqrt(x * x + 1.0) - x * 0.5
    return float(x.sum()), dynacc.stats()["entries_hit"] > 0
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(pool.map(work, range(4)))
"""
CELLS = ["%load_ext dynacc\nimport numpy as np\nweight: float = 2.0",
         "%%dynacc\na = np.linspace(0.0, 1.0, 1000)\nb: np.ndarray = np.sqrt(a * a + 1.0) - weight * a\ntotal = b.sum()\nround(total, 6)",
         "print(total == b.sum(), 'cell' in globals())",
         "%%dynacc\nraise KeyError('in the cell')"]
NOTEBOOK = """
import json, sys
import nbclient, nbformat
cells = [nbformat.v4.new_code_cell(source) for source in json.loads(sys.argv[1])]
notebook = nbformat.v4.new_notebook(cells=cells)
nbclient.NotebookClient(notebook, kernel_name=sys.argv[2], timeout=100, allow_errors=True).execute()
print(json.dumps([cell.outputs for cell in notebook.cells]))
"""


def run(*command, **options):
    options = {"env": {"PATH": "/usr/bin:/bin", "HOME": os.environ.get("HOME", "/")}} | options
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=900, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def environment(folder, wheel, *packages):
    """A virtual environment with the wheel, which pip gives a NumPy, and packages; None without the package index."""
    run(sys.executable, "-m", "venv", folder)
    python = folder / "bin" / "python"
    done = subprocess.run([python, "-m", "pip", "install", "-q", "--retries", "1", wheel, *packages],
                          capture_output=True, text=True)
    if done.returncode == 0:
        return python
    print("skipped:", done.stderr.strip()[-300:])
    return None


class Uses:
    """The ways of using an environment; each asserts that the results are right and come from kernels."""

    def __init__(self, source, python, folder):
        self.source, self.python, self.folder = source, python, folder
        self.launcher = python.with_name("dynacc-python")
        (folder / "application.py").write_text(APPLICATION)
        (folder / "values_test.py").write_text(UNDER_PYTEST)
        (folder / "pool.py").write_text(POOL)
        self.variables = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "DYNACC_CACHE_DIR": str(folder / "cache")}

    def run(self, *command, **variables):
        return run(*command, env=self.variables | variables, cwd=self.folder)

    def script(self):
        example = self.source / "examples" / "heat_stencil.py"
        assert self.run(self.launcher, example) == self.run(self.python, example)

    def module(self):
        seen = {self.run(executable, "-m", "application") for executable in (self.python, self.launcher)}
        assert len(seen) == 1 and seen.pop().endswith(" True\n")

    def notebook(self):
        """With the magic in the stock kernel; and a kernel of the launcher, where nothing has to be asked for."""
        _, magic, after, error = json.loads(self.run(self.python, "-c", NOTEBOOK, json.dumps(CELLS), "python3"))
        shown = next(output["data"] for output in magic if output["output_type"] == "display_data")
        text = shown["text/plain"]
        assert "<table>" in shown["text/html"], magic
        assert text.startswith("cell: 1 graph in 1 segment, 0 graph breaks") and "sqrt" in text, magic
        assert [output["data"]["text/plain"] for output in magic if output["output_type"] == "execute_result"], magic
        assert after[0]["text"] == "True False\n", after
        assert error[0]["ename"] == "KeyError" and "in the cell" in error[0]["evalue"], error
        self.run(self.launcher, "-m", "ipykernel", "install", "--sys-prefix", "--name", "dynacc")
        cells = ["import numpy as np\ndef f(a):\n    return np.sqrt(a * a + 1.0) - a",
                 "for _ in range(1000): r = f(np.arange(1000.0))",
                 "import dynacc; print(dynacc.stats()['entries_hit'] > 0)"]
        told = json.loads(self.run(self.python, "-c", NOTEBOOK, json.dumps(cells), "dynacc"))
        assert told[-1][0].get("text") == "True\n", told

    def pytest(self):
        told = self.run(self.launcher, "-m", "pytest", "-q", "-p", "no:cacheprovider", "values_test.py", DYNACC_CAPTURE_AFTER="0")
        assert "2 passed" in told, told

    def pool(self):
        told = self.run(self.launcher, "pool.py", DYNACC_CAPTURE_AFTER="0")
        assert told.count("True") == 4, told

    def dask(self):
        sys.path.insert(0, str(self.source / "tests" / "distributed"))
        import dask_test
        dask_test.LAUNCHER = str(self.launcher)
        self.run(self.python, "-m", "pip", "install", "-q", *dask_test.PACKAGES)
        dask_test.check_bytes(self.python, str(self.folder / "dask_cache"), size=("--chunks", 6))


def main():
    source, build = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        packed = subprocess.run([sys.executable, source / "tools" / "wheel.py", build, folder], capture_output=True, text=True)
        if packed.returncode == 77:
            print(packed.stdout)
            return 77
        assert packed.returncode == 0, packed.stdout + packed.stderr
        wheel = next(folder.glob("dynacc-*.whl"))
        assert "manylinux" in wheel.name and f"cp3{sys.version_info.minor}-" in wheel.name, wheel
        python = environment(folder / "newest", wheel, *PACKAGES)
        oldest = environment(folder / "oldest", wheel, f"numpy=={OLDEST_NUMPY}") if python else None
        if oldest is None:
            return 77
        uses = Uses(source, python, folder)
        for use in (uses.script, uses.module, uses.notebook, uses.pytest, uses.pool, uses.dask):
            use()
        for executable in (oldest, oldest.with_name("dynacc-python")):
            assert f" {OLDEST_NUMPY} True\n" in run(executable, "-m", "application", cwd=folder)
        info = run(python.with_name("dynacc-python"), "--dynacc-info")
        assert re.search(r"site-packages/dynacc/(\.\./dynacc/)?libdnnl\.so", info), info
    print("the wheel works in every way")
    return 0


if __name__ == "__main__":
    sys.exit(main())
