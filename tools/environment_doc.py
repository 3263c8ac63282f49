#!/usr/bin/env python3
"""Writes docs/environment.md from runtime/base/options.def, log_topics.def and stats.def.

usage: environment_doc.py ROOT [--check]      --check writes nothing and fails if the file is out of date
"""
import pathlib
import re
import sys

VALUES = {"Flag": "0 or 1", "Text": "text", "Path": "a path", "Count": "a number"}
SCOPES = {"kStart": "start", "kProcess": "process", "kCompilation": "compilation"}
STRING = r'"(?:[^"\\]|\\.)*"'
HEAD = """# Environment variables

Written by `tools/environment_doc.py` from the tables in `runtime/base/`; change those, not this file. Every variable is
read once, at start-up. A value that is wrong gives one warning line on stderr and is ignored; the program goes on. So
does a variable whose name is nearly one of these.
`dynacc-python --dynacc-help` prints the same variables and topics, in groups; `--dynacc-info` has the present values.

The column "changes" says for what the option may have another value than the variable's: the *start* fixes it;
`dynacc.config` may change it for the *process*; `dynacc.compile(options=...)` may for a *compilation*, too. The
option's name is the variable's in small letters, without `DYNACC_` ([compile.md](compile.md)).
"""


def arguments(text, macro):
    """The argument lists of `macro` in a table, adjacent string literals joined."""
    text = re.sub(r"^\s*//.*$", "", text, flags=re.M)
    for match in re.finditer(rf"{macro}\(((?:{STRING}|[^\")])*)\)", text):
        body = re.sub(rf'"\s*\n\s*"', "", match.group(1))
        parts = re.findall(rf"{STRING}|[^,\s\"][^,\"]*", body)
        yield [part.strip().strip('"') for part in parts]


def table(titles, rows):
    lines = ["| " + " | ".join(titles) + " |", "|" + "---|" * len(titles)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def rows_of(root, name, macro):
    return list(arguments((root / "runtime" / "base" / name).read_text(encoding="utf-8"), macro))


def option_rows(root):
    for _, kind, scope, variable, default, doc in rows_of(root, "options.def", "DYNACC_OPTION"):
        shown = {"false": "0", "true": "1", "": "not set"}.get(default, default)
        yield [f"`{variable}`", VALUES[kind], shown, SCOPES[scope], doc]


def document(root):
    topics = [[f"`{name}`", doc] for _, name, doc in rows_of(root, "log_topics.def", "DYNACC_LOG_TOPIC")]
    counters = [[f"`{name}`", doc] for name, doc in rows_of(root, "stats.def", "DYNACC_COUNTER")]
    counters += [["`compile_seconds`", "time spent compiling"],
                 ["`graph_breaks`", "reason to count, most frequent first"]]
    return "\n".join([
        HEAD, table(["variable", "value", "default", "changes", "what it does"], option_rows(root)),
        "## Topics of `DYNACC_LOGS`\n", table(["topic", "what it prints"], topics),
        "## Counters of `DYNACC_STATS` and `dynacc.stats()`\n", table(["name", "what it counts"], counters),
        "The counters are those of the process that started; a forked child does not write the file. Programs that\n"
        "start others with the same environment should name a folder.\n"])


def main():
    root = pathlib.Path(sys.argv[1])
    path = root / "docs" / "environment.md"
    text = document(root)
    if "--check" not in sys.argv:
        path.write_text(text, encoding="utf-8")
        return 0
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return 0
    print("docs/environment.md is out of date: run tools/environment_doc.py .")
    return 1


if __name__ == "__main__":
    sys.exit(main())
