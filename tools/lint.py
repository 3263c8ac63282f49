#!/usr/bin/env python3
"""Runs clang-tidy over C++ sources of the compile database, two at a time, and remembers what is clean.

usage: lint.py BUILD_FOLDER [--jobs N] [SOURCE ...]

Without sources: all of the database but tests and generated files. A file is checked again when its
text, a project header that it includes, its command line or .clang-tidy has changed since it was
found clean (BUILD_FOLDER/lint holds an empty file for each such state).
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def project_dependencies(build):
    """Object file, relative to the build folder, to the project's files that it was made from."""
    listing = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True)
    dependencies, current = {}, []
    for line in listing.stdout.splitlines():
        if line.startswith("    "):
            path = (build / line.strip()).resolve()
            if path.is_relative_to(ROOT):
                current.append(path)
        elif ": #deps" in line:
            current = dependencies.setdefault(line.split(": #deps")[0], [])
    return dependencies


def sources_to_check(build, named):
    """Rows of the compile database."""
    rows = json.loads((build / "compile_commands.json").read_text())
    wanted = {pathlib.Path(name).resolve() for name in named}
    by_file = {}
    for row in rows:
        path = pathlib.Path(row["file"]).resolve()
        skipped = path.is_relative_to(ROOT / "tests") or path.is_relative_to(build)
        if path in wanted or (not wanted and not skipped):
            by_file[path] = row
    for path in wanted - by_file.keys():
        sys.exit(f"{path}: not in {build}/compile_commands.json")
    return by_file


def state_of(path, row, dependencies):
    digest = hashlib.sha256((ROOT / ".clang-tidy").read_bytes() + row["command"].encode())
    made_from = dependencies.get(row.get("output", ""), [])
    for file in sorted({path, *made_from}):
        digest.update(bytes(file))
        digest.update(file.read_bytes() if file.exists() else b"")
    return digest.hexdigest()


def check(path, build):
    done = subprocess.run(["clang-tidy", "-p", build, "--quiet", "--warnings-as-errors=*", path],
                          capture_output=True, text=True)
    return done.returncode == 0, done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count()))
    parser.add_argument("sources", nargs="*")
    options = parser.parse_intermixed_args()
    clean = options.build / "lint"
    clean.mkdir(exist_ok=True)
    dependencies = project_dependencies(options.build)
    rows = sources_to_check(options.build, options.sources)
    states = {path: state_of(path, row, dependencies) for path, row in rows.items()}
    to_check = [path for path in sorted(rows) if not (clean / states[path]).exists()]
    print(f"{len(to_check)} of {len(rows)} files to check", flush=True)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        outcomes = {pool.submit(check, path, options.build): path for path in to_check}
        for number, outcome in enumerate(concurrent.futures.as_completed(outcomes), 1):
            path, (good, text) = outcomes[outcome], outcome.result()
            print(f"[{number}/{len(to_check)}] {path.relative_to(ROOT)}: {'clean' if good else 'NOT CLEAN'}")
            print(text, end="", flush=True)
            failed += not good
            if good:
                (clean / states[path]).touch()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
