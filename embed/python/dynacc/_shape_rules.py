"""Shape rules of operators: functions of Specs, written as such or as texts.

A text has an entry for each argument, then "->", then one for each result (in brackets: a tuple of results):

    T[n, k], T[k, m] -> T[n, m]
    f64[n], _ -> (f64[n + 1], i64[])

An entry is a dtype, as graphs print it ("f64") or as NumPy calls it ("float64"), or a capital letter that stands for any
dtype, the same wherever it stands; then sizes. A size of an argument is a name, an int, or _ for any; one of a result may
be an expression of names. "_" alone is an argument that the rule does not look at, as a number.
"""
import collections as _collections
import re as _re

import numpy as _np

from dynacc._graph_numpy import NUMPY_TYPES

Spec = _collections.namedtuple("Spec", "shape dtype")
Spec.__doc__ = """What an array is without its elements: its shape, a tuple, and its dtype."""

_ENTRY = _re.compile(r"\s*(\w+)\s*\[([^\]]*)\]\s*")
_EXPRESSION = _re.compile(r"[\w\s+*/()-]+")


def rule_of(shape, name):
    """The function that `shape`, a function, a text or None, stands for. ValueError for a text that is none."""
    if shape is None or callable(shape):
        return shape
    if not isinstance(shape, str):
        raise TypeError(f"operator {name}: a shape rule is a function or a text, not {shape!r}")
    try:
        return _compiled(shape, name)
    except ValueError as error:
        raise ValueError(f"operator {name}: shape rule {shape!r}: {error}") from None


def count_of(text):
    """The number of arguments that a text is about."""
    return len(_entries(text.partition("->")[0]))


def _entries(text):
    """The parts between commas that are in no brackets."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(text + ","):
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            parts.append(text[start:place].strip())
            start = place + 1
    return [part for part in parts if part]


def _parsed(entry):
    """(dtype word, list of sizes) of "f64[n, k]"."""
    match = _ENTRY.fullmatch(entry)
    if match is None:
        raise ValueError(f"{entry!r} is not like f64[n, 3]")
    word, sizes = match.groups()
    if len(word) > 1 and word not in NUMPY_TYPES:
        try:
            _np.dtype(word)
        except TypeError:
            raise ValueError(f"{word!r} is no dtype") from None
    elif len(word) == 1 and not word.isupper():
        raise ValueError(f"{word!r} is no dtype; a capital letter stands for any")
    return word, [size.strip() for size in sizes.split(",") if size.strip()]


def _compiled(text, name):
    left, arrow, right = text.partition("->")
    if not arrow:
        raise ValueError("there is no '->'")
    right = right.strip()
    many = right.startswith("(") and right.endswith(")")
    space = {"Spec": Spec, "check": _checker(name)}
    lines, known = [], set()
    arguments = _entries(left)
    for number, entry in enumerate(arguments):
        if entry != "_":
            lines += _argument_lines(number, *_parsed(entry), known, space)
    results = [_result(*_parsed(entry), known, space) for entry in _entries(right[1:-1] if many else right)]
    if len(results) != 1 and not many:
        raise ValueError("several results stand in brackets: (f64[n], f64[])")
    parameters = ", ".join(f"a{number}" for number in range(len(arguments)))
    answer = f"[{', '.join(results)}]" if many else results[0]
    body = [f"check(len(args) == {len(arguments)}, 'it takes {len(arguments)} arguments')",
            *([f"{parameters}, = args"] if arguments else []), *lines, f"return {answer}"]
    source = "def rule(*args):\n" + "".join(f"    {line}\n" for line in body)
    exec(compile(source, f"<operator {name}>", "exec"), space)
    rule = space["rule"]
    rule.__doc__ = text
    return rule


def _checker(name):
    def check(holds, expected):
        if not holds:
            raise ValueError(f"operator {name}: {expected}")
    return check


def _argument_lines(number, word, sizes, known, space):
    """Statements that look at argument `number`, and bind the names in it that are not `known` yet."""
    one = f"a{number}"
    called = f"argument {number + 1}"
    lines = [f"check(isinstance({one}, Spec) and len({one}.shape) == {len(sizes)}, "
             f"'{called} is an array of rank {len(sizes)}')"]
    if len(word) == 1 and word not in known:
        known.add(word)
        lines.append(f"{word} = {one}.dtype")
    else:
        dtype = word if len(word) == 1 else _dtype(word, space)
        lines.append(f"check({one}.dtype.num == {dtype}.num, '{called} is of dtype {word}')")
    for axis, size in enumerate(sizes):
        if size == "_":
            continue
        if size.isidentifier() and size not in known:
            known.add(size)
            lines.append(f"{size} = {one}.shape[{axis}]")
        elif size.isidentifier() or size.isdigit():
            lines.append(f"check({one}.shape[{axis}] == {size}, 'axis {axis} of {called} is of size {size}')")
        else:
            raise ValueError(f"the size {size!r} of an argument is no name and no number")
    return lines


def _result(word, sizes, known, space):
    if len(word) == 1 and word not in known:
        raise ValueError(f"the dtype {word} of a result is none of an argument's")
    for size in sizes:
        names = set(_re.findall(r"[A-Za-z_]\w*", size))
        if not _EXPRESSION.fullmatch(size) or not names <= known:
            raise ValueError(f"the size {size!r} of a result is no expression of sizes of arguments")
    shape = "".join(f"{size}, " for size in sizes)
    return f"Spec(({shape}), {word if len(word) == 1 else _dtype(word, space)})"


def _dtype(word, space):
    """The name under which the rule has that dtype."""
    space[f"dtype_{word}"] = _np.dtype(NUMPY_TYPES.get(word, word))
    return f"dtype_{word}"
