#!/usr/bin/env python3
"""Installs into an empty folder, builds examples/embed_hello against that, runs it and `import dynacc`.

usage: install_test.py SOURCE BUILD
"""
import os
import pathlib
import subprocess
import sys
import tempfile

EXPECTED = [
    "a second runtime: refused",
    "scaled in the host's memory: 10 20 30",
    "hello host, 42",
    "row sums from threads: 1.000000 1.000000 1.000000 1.000000",
    "an exception: Traceback (most recent call last):",
]
PYTHON = "/usr/bin/python3.11"


def run(*command, **variables):
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | variables)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    source, build = map(pathlib.Path, sys.argv[1:])
    example = source / "examples" / "embed_hello"
    with tempfile.TemporaryDirectory() as name:
        prefix, work = pathlib.Path(name, "prefix"), pathlib.Path(name, "work")
        run("cmake", "--install", build, "--prefix", prefix)
        run("cmake", "-S", example, "-B", work, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", work)
        output = run(work / "embed_hello", example / "model.py")
        for line in EXPECTED:
            assert line in output.splitlines(), f"no line {line!r} in:\n{output}"
        assert "model.py\", line 18, in fails" in output and "IndexError" in output, output
        packages = prefix / "lib" / "python3.11" / "dist-packages"
        code = "import dynacc; print(dynacc.__version__, dynacc.compile(lambda x: x + 1)(2))"
        assert run(PYTHON, "-c", code, PYTHONPATH=str(packages)).endswith(" 3\n")
        assert run(prefix / "bin" / "dynacc-python", "-c", code).endswith(" 3\n")
    print("installed, built and ran")


if __name__ == "__main__":
    main()
