"""Shrinks a program that differs: lines are deleted, then parts of lines replaced by parts of
theirs, while it still differs.

    reduce(differs, text, seconds)   `differs(text)` says whether a program still does

What is left is a program that still differs; how small depends on the time.
"""

import ast
import time
import warnings

PAIR_WINDOW = 6  # lines that two lines of a pair may be apart


def simpler_lines(line):
    """The line with one sub-expression in place of a whole: brackets' contents, operands, an `if`'s
    body."""
    indent = line[: len(line) - len(line.lstrip())]
    try:
        tree = ast.parse(line.strip() + (" pass" if line.rstrip().endswith(":") else ""))
    except SyntaxError:
        return
    for node in ast.walk(tree):
        for field, old in ast.iter_fields(node):
            if not isinstance(old, ast.expr):
                continue
            for part in ast.iter_child_nodes(old):
                if isinstance(part, ast.expr):
                    setattr(node, field, part)
                    yield indent + ast.unparse(tree).removesuffix("\n    pass")
            setattr(node, field, old)


def compiles(lines):
    """Whether the lines are Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile("\n".join(lines), "candidate", "exec")
    except (SyntaxError, ValueError):
        return False
    return True


def joined(lines):
    return "\n".join(lines) + "\n"


def delete_lines(differs, lines, end):
    """The lines without those that the difference does not need; `end` is a time of
    time.monotonic()."""
    size = max(1, len(lines) // 4)
    while size and time.monotonic() < end:
        start = 0
        shrunk = False
        while start < len(lines) and time.monotonic() < end:
            candidate = lines[:start] + lines[start + size :]
            if compiles(candidate) and differs(joined(candidate)):
                lines, shrunk = candidate, True
            else:
                start += size
        if not shrunk or size > 1:
            size //= 2
    return lines


def delete_pairs(differs, lines, end):
    """The lines without pairs that only go together, as a push and its pop in assembled code."""
    first = 0
    while first < len(lines) and time.monotonic() < end:
        for second in range(first + 1, min(first + PAIR_WINDOW, len(lines))):
            candidate = lines[:first] + lines[first + 1 : second] + lines[second + 1 :]
            if time.monotonic() < end and compiles(candidate) and differs(joined(candidate)):
                lines = candidate
                break
        else:
            first += 1
    return lines


def simplify_line(differs, lines, number, end):
    """The lines with the one at `number` made simpler as often as that keeps the difference."""
    shrunk = True
    while shrunk and time.monotonic() < end:
        shrunk = False
        for simpler in simpler_lines(lines[number]):
            candidate = lines[:number] + [simpler] + lines[number + 1 :]
            if (
                len(simpler) < len(lines[number])
                and compiles(candidate)
                and differs(joined(candidate))
            ):
                lines, shrunk = candidate, True
                break
    return lines


def reduce(differs, text, seconds):
    """Deletes lines, in chunks that get smaller, then parts of lines, while the difference
    stays."""
    end = time.monotonic() + seconds
    lines = delete_lines(differs, text.splitlines(), end)
    for number in range(len(lines)):
        lines = simplify_line(differs, lines, number, end)
    lines = delete_lines(differs, lines, end)
    return joined(delete_pairs(differs, lines, end))
