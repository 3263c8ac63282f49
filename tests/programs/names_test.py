#!/usr/bin/env python3
"""Programs keep the rules of README.md: a sentence first, a topic of their own, and no module's name; short functions."""
import ast
import collections
import sys

import differential

MAX_FILE_LINES = 800
MAX_FUNCTION_LINES = 80


def offences(path):
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    first = text.split("\n", 1)[0]
    sentence = first.removeprefix('"""').removesuffix('"""')
    if not first.startswith('"""') or not sentence.endswith("."):
        yield "the first line is no docstring of one sentence"
    if path.stem in sys.stdlib_module_names:
        yield "its name hides the library's module"
    if text.count("\n") > MAX_FILE_LINES:
        yield f"more than {MAX_FILE_LINES} lines"
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if node.end_lineno - node.lineno >= MAX_FUNCTION_LINES:
                yield f"{node.name} has more than {MAX_FUNCTION_LINES} lines"


def main():
    listed = differential.programs()
    found = [f"{path}: {text}" for path in listed for text in offences(path)]
    topics = collections.Counter(path.stem for path in listed)
    found += [f"several programs are named {topic}" for topic, count in topics.items() if count > 1]
    print(*found, sep="\n")
    print(f"{len(listed)} programs, {len(found)} offences")
    return 1 if found or not listed else 0


if __name__ == "__main__":
    sys.exit(main())
