#!/usr/bin/env python3
"""Follows the recipes of docs/worked-examples.md: what the page adds to the tree must build, and pass its test.

usage: recipes_test.py ROOT BUILD

Each section of the page is a recipe. In a copy of the tree its steps are taken as the page gives them:

    New file `PATH`                     the next block is that file
    A row of `PATH`                     the block is added at the table's end
    At the end of `PATH`                ... before the namespace ends
    Among the includes of `PATH`        ... behind the first include
    Its test is `PATH`                  a GoogleTest program

Then the sources of the changed rooms that see a change are compiled anew, by the flags of the build tree, and linked
with its libraries, as the tests beside the new one are.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path()
BUILD = pathlib.Path()
STEPS = {"file": re.compile(r"^(?:A n|N)ew file `([^`]+)`"), "row": re.compile(r"^A row of `([^`]+)`"),
         "end": re.compile(r"^At the end of `([^`]+)`"), "include": re.compile(r"^Among the includes of `([^`]+)`")}
TEST = re.compile(r"^Its test is `([^`]+)`")
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
# A test of the tree that is linked with what the recipe's test needs, and a source of the same kind as a new room's.
LINKED_AS = {"An op of your own": "compiler_test", "A pass": "golden_test", "A guard kind": "guard_test",
             "A fusion rule": "schedule_test", "A target": "compiler_test"}
LIKE_NEW_ROOM = "codegen/targets/tile/tile_target.cc"


def recipes(page):
    """{title: ([(kind of step, path, text)], test)} of the sections that have a test."""
    found = {}
    for section in re.split(r"^## ", page, flags=re.M)[1:]:
        title, _, text = section.partition("\n")
        steps, test, step, block = [], None, None, None
        for line in text.splitlines():
            if line.startswith("```"):
                if block is not None and step:
                    steps.append((*step, "\n".join(block) + "\n"))
                    step = None
                block = [] if block is None else None
            elif block is not None:
                block.append(line)
            else:
                for kind, pattern in STEPS.items():
                    match = pattern.match(line)
                    step = (kind, match.group(1)) if match else step
                match = TEST.match(line)
                test = match.group(1) if match else test
        if test:
            found[title] = (steps, test)
    return found


def take(tree, kind, path, text):
    file = tree / path
    if kind == "file":
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return
    old = file.read_text(encoding="utf-8")
    if kind == "row":
        new = old.rstrip("\n") + "\n" + text
    elif kind == "end":
        place = old.rindex("}  // namespace dynacc")
        new = old[:place] + text + "\n" + old[place:]
    else:
        place = old.index("\n", old.index("#include")) + 1
        new = old[:place] + text + old[place:]
    file.write_text(new, encoding="utf-8")


class Tree:
    """A copy of the sources, and what of it must be compiled anew."""

    def __init__(self, folder):
        self.folder = folder
        not_needed = shutil.ignore_patterns("__pycache__", "programs", "found")
        for part in ("runtime", "codegen", "frontend", "tests"):
            shutil.copytree(ROOT / part, folder / part, ignore=not_needed)
        self.commands = {}
        for entry in json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8")):
            name = pathlib.Path(entry["file"])
            if name.is_relative_to(ROOT):
                self.commands[name.relative_to(ROOT).as_posix()] = entry

    def sees(self, name, changed, known):
        """Whether a file includes a changed one, or is one."""
        if name not in known:
            known[name] = name in changed
            path = self.folder / name
            if not known[name] and path.exists():
                included = INCLUDE.findall(path.read_text(encoding="utf-8"))
                known[name] = any(self.sees(other, changed, known) for other in included)
        return known[name]

    def sources(self, changed):
        rooms = {pathlib.PurePosixPath(path).parent for path in changed if not path.startswith("tests/")}
        known = {}
        names = [path.relative_to(self.folder).as_posix() for path in sorted(self.folder.rglob("*.cc"))]
        for name in names:
            if pathlib.PurePosixPath(name).parent in rooms and self.sees(name, changed, known):
                yield name

    def compile(self, name, like):
        """The object of a source, compiled as `like` is in the build tree."""
        entry = self.commands[name if name in self.commands else like]
        command = shlex.split(entry["command"])
        while not command[0].endswith(("c++", "g++", "clang++")):  # what launches the compiler
            command.pop(0)
        command = [f"-I{self.folder}" if word == f"-I{ROOT}" else word for word in command]
        target = self.folder / (name.replace("/", "_") + ".o")
        command[command.index("-o") + 1] = str(target)
        command[command.index("-c") + 1] = str(self.folder / name)
        for option in ("-MF", "-MT"):
            if option in command:
                command[command.index(option) + 1] = str(target) + ".d"
        own = f'DYNACC_SOURCE_DIR="{self.folder}"'
        command = [word.replace(f'DYNACC_SOURCE_DIR="{ROOT}"', own) for word in command]
        subprocess.run(command, cwd=entry["directory"], check=True, timeout=300)
        return str(target)

    def link(self, objects, as_test, program):
        lines = subprocess.run(["ninja", "-t", "commands", f"tests/{as_test}"], cwd=BUILD, check=True,
                               capture_output=True, text=True).stdout.splitlines()
        line = next(line for line in reversed(lines) if f"-o tests/{as_test} " in line)
        command = [word for word in shlex.split(line.split("&&")[1]) if not word.endswith(".o")]
        place = command.index("-o")
        command[place + 1] = str(program)
        subprocess.run(command[:place] + objects + command[place:], cwd=BUILD, check=True, timeout=300)


class Recipes(unittest.TestCase):
    def follow(self, title, steps, test):
        with tempfile.TemporaryDirectory() as scratch:
            tree = Tree(pathlib.Path(scratch) / "tree")
            for kind, path, text in steps:
                take(tree.folder, kind, path, text)
            changed = {path for _, path, _ in steps}
            like = next(name for name in sorted(tree.commands) if name.endswith(f"/{LINKED_AS[title]}.cc"))
            objects = [tree.compile(name, next((n for n in sorted(tree.commands) if pathlib.PurePosixPath(n).parent ==
                                                pathlib.PurePosixPath(name).parent), LIKE_NEW_ROOM))
                       for name in tree.sources(changed)]
            objects.append(tree.compile(test, like))
            program = pathlib.Path(scratch) / "test"
            tree.link(objects, LINKED_AS[title], program)
            done = subprocess.run([program], capture_output=True, text=True, timeout=300, env=os.environ)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_each_recipe_builds_and_passes_its_test(self):
        found = recipes((ROOT / "docs" / "worked-examples.md").read_text(encoding="utf-8"))
        self.assertEqual(set(found), set(LINKED_AS))
        for title, (steps, test) in found.items():
            with self.subTest(recipe=title):
                self.follow(title, steps, test)


if __name__ == "__main__":
    ROOT, BUILD = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
