#!/usr/bin/env python3
"""Writes the table at the end of docs/gradients.md from codegen/autodiff/gradients.def and special_gradients.def.

usage: gradients_doc.py ROOT [--check]      --check writes nothing and fails if the page is out of date
"""
import re

import generated_table

KINDS = {"kZero": "0: ", "kNone": "none: "}


def rows(root):
    ops = dict(re.findall(r'^DYNACC_OP\((\w+), "(\w+)"', (root / "runtime/ops/ops.def").read_text(), re.M))
    table = (root / "codegen/autodiff/gradients.def").read_text()
    for name, kind, words in re.findall(r'^DYNACC_GRADIENT\((\w+), (\w+), "(.*)"\)$', table, re.M):
        yield ops[name], KINDS.get(kind, "") + words
    special = (root / "codegen/autodiff/special_gradients.def").read_text()
    for text, words in re.findall(r'^DYNACC_SPECIAL_GRADIENT\(\w+, "(\w+)", "\w*", \w+, "(.*)"\)$', special, re.M):
        yield f"scipy.special.{text}", words


def table(root):
    return ["| op | cotangents of the operands |", "|---|---|", *[f"| `{op}` | {words} |" for op, words in rows(root)]]


if __name__ == "__main__":
    generated_table.main("gradients.md", "<!-- rows -->\n", table)
