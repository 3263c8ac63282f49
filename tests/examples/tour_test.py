#!/usr/bin/env python3
"""The tour's scripts print what is written beside them, and its notebook has the same code.

usage: tour_test.py TOUR LAUNCHER MODULE [--write]

TOUR is the folder of the scripts, MODULE the folder with the `dynacc` package: each script runs in the launcher and in a
stock python3. Each has NAME.txt beside it with what it prints. --write writes those files and the notebook anew.
"""
import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PYTHON = sys.executable


def printed(command, script, **variables):
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("DYNACC_", "PYTHON"))}
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run([*command, script.name], cwd=script.parent, capture_output=True, text=True, timeout=300,
                              check=False, env=inherited | {"DYNACC_CACHE_DIR": cache} | variables)
    if done.returncode != 0 or done.stderr:
        raise SystemExit(f"{script.name} under {command[0]}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def cell(kind, text, **more):
    return {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True), **more}


def notebook(scripts):
    """One notebook of all scripts: the text that each begins with, then its code."""
    cells = [cell("markdown", "# A tour of DynaCC\n\nWritten by `tests/examples/tour_test.py --write` from the scripts in this "
                              "folder; change those.")]
    for script in scripts:
        text, code = re.fullmatch(r'"""(.*?)"""\n(.*)', script.read_text(encoding="utf-8"), re.S).groups()
        title, _, rest = text.strip().partition("\n")
        cells += [cell("markdown", f"## {title}\n{rest}".rstrip()),
                  cell("code", code.strip(), execution_count=None, outputs=[])]
    for number, one in enumerate(cells):
        one["id"] = f"tour-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return json.dumps({"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5},
                      indent=1, ensure_ascii=False) + "\n"


def runs_as_cells(path, command, **variables):
    """Runs the notebook's cells one after the other in one namespace, as a kernel does, outside of files."""
    cells = [one["source"] for one in json.loads(path.read_text(encoding="utf-8"))["cells"] if one["cell_type"] == "code"]
    program = "import json, linecache, sys\n" \
              "names = {'__name__': '__main__'}\n" \
              "for number, source in enumerate(json.load(sys.stdin)):\n" \
              "    text, name = ''.join(source), f'<cell {number}>'\n" \
              "    linecache.cache[name] = (len(text), None, text.splitlines(True), name)\n" \
              "    exec(compile(text, name, 'exec'), names)\n"
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("DYNACC_", "PYTHON"))}
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run([*command, "-c", program], input=json.dumps(cells), capture_output=True, text=True, timeout=300,
                              check=False, env=inherited | {"DYNACC_CACHE_DIR": cache} | variables)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


def main():
    tour, launcher, module = (pathlib.Path(name).resolve() for name in sys.argv[1:4])
    scripts = sorted(tour.glob("[0-9]_*.py"))
    assert len(scripts) == 8, scripts
    path = tour / "tour.ipynb"
    writes = sys.argv[4:] == ["--write"]
    if writes:
        path.write_text(notebook(scripts), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == notebook(scripts), "tour.ipynb is out of date: tour_test.py --write"
    ways = {str(launcher): {}, PYTHON: {"PYTHONPATH": str(module)}}
    for script in scripts:
        expected = script.with_suffix(".txt")
        for command, variables in ways.items():
            output = printed([command], script, **variables)
            if writes:
                expected.write_text(output, encoding="utf-8")
            wanted = expected.read_text(encoding="utf-8")
            assert output == wanted, "".join(difflib.unified_diff(wanted.splitlines(True), output.splitlines(True),
                                                                  expected.name, f"{script.name} under {command}"))
    for command, variables in ways.items():
        output = runs_as_cells(path, [command], **variables)
        assert "the same bits: True" in output and "an input from now on 3 traces" in output, output
    print("the tour is right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
