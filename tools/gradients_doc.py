#!/usr/bin/env python3
"""Writes the table at the end of docs/gradients.md from codegen/autodiff/gradients.def and special_gradients.def.

usage: gradients_doc.py ROOT [--check]      --check writes nothing and fails if the page is out of date
"""
import pathlib
import re
import sys

MARK = "<!-- rows -->\n"
KINDS = {"kZero": "0: ", "kNone": "none: "}


def rows(root):
    ops = dict(re.findall(r'^DYNACC_OP\((\w+), "(\w+)"', (root / "runtime/ops/ops.def").read_text(), re.M))
    table = (root / "codegen/autodiff/gradients.def").read_text()
    for name, kind, words in re.findall(r'^DYNACC_GRADIENT\((\w+), (\w+), "(.*)"\)$', table, re.M):
        yield ops[name], KINDS.get(kind, "") + words
    special = (root / "codegen/autodiff/special_gradients.def").read_text()
    for text, words in re.findall(r'^DYNACC_SPECIAL_GRADIENT\(\w+, "(\w+)", \w+, "(.*)"\)$', special, re.M):
        yield f"scipy.special.{text}", words


def document(root, page):
    head, mark, _ = page.partition(MARK)
    if not mark:
        sys.exit(f"docs/gradients.md has no line {MARK.strip()}")
    lines = ["", "| op | cotangents of the operands |", "|---|---|"]
    lines += [f"| `{op}` | {words} |" for op, words in rows(root)]
    return head + mark + "\n".join(lines) + "\n"


def main():
    root = pathlib.Path(sys.argv[1])
    path = root / "docs" / "gradients.md"
    page = path.read_text(encoding="utf-8")
    text = document(root, page)
    if "--check" not in sys.argv[2:]:
        path.write_text(text, encoding="utf-8")
    elif text != page:
        sys.exit("docs/gradients.md is out of date: run tools/gradients_doc.py")


if __name__ == "__main__":
    main()
