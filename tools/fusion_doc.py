#!/usr/bin/env python3
"""Writes the table of rules in docs/fusion.md from codegen/schedule/rules.def.

usage: fusion_doc.py ROOT [--check]      --check writes nothing and fails if the page is out of date
"""
import re

import generated_table


def table(root):
    rules = re.findall(r'^DYNACC_FUSION_RULE\(\w+, "(.+?)", "(.+)"\)$',
                       (root / "codegen/schedule/rules.def").read_text(), re.M)
    return ["| rule | what it fuses |", "|---|---|", *[f"| `{name}` | {what} |" for name, what in rules]]


if __name__ == "__main__":
    generated_table.main("fusion.md", "<!-- rules -->\n", table, "\n<!-- end of rules -->\n")
