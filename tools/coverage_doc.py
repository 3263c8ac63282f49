#!/usr/bin/env python3
"""Writes docs/coverage.md: what becomes of a call of NumPy, from the tables that decide it.

usage: coverage_doc.py ROOT [--check]      --check writes nothing and fails if the file is out of date
"""
import pathlib
import re
import sys

NUMPY = "frontend/numpy/trace"
HEAD = """# What of NumPy is captured

Written by `tools/coverage_doc.py` from the tables `runtime/ops/ops.def` and `frontend/numpy/trace/*.def`; change those,
not this file.

- *fused*: part of the graph; computed in kernels together with what is around it, or a view that costs nothing.
- *by NumPy*: a node of the graph that calls NumPy's own function at its place. What is before and after it is fused as
  if it were not there; its result is the very object that NumPy gives. Where no rule tells the sizes of the result, the
  arguments' sizes are fixed for the entry.
- Anything else is a graph break: NumPy's call runs between two compiled stretches. So do calls with
  an `out=` that is not in C order, or whose memory a function of several steps (`concatenate`, `ptp`) reads again, or a
  ufunc by a loop of NumPy's.

A function that is fused with some arguments and run by NumPy with others is in both lists.
"""


def names(root, table, macro, column=0):
    text = (root / table).read_text(encoding="utf-8")
    text = re.sub(r"^\s*//.*$", "", text, flags=re.M)
    for match in re.finditer(rf"^{macro}\((.*)\)$", text, re.M):
        strings = re.findall(r'"([^"]*)"', match.group(1))
        yield strings[column]


def ufuncs(root):
    text = (root / "runtime/ops/ops.def").read_text(encoding="utf-8")
    rows = re.findall(r'^DYNACC_OP\(\w+, "[^"]*", k(Unary|Binary), .*"(\w+)", "[^"]*"\)$', text, re.M)
    return sorted(name for _, name in rows)


def draws(root):
    text = (root / NUMPY / "numpy_sampling.def").read_text(encoding="utf-8")
    return sorted(set(re.findall(r'^DYNACC_NUMPY_SAMPLING\(\w+, "(\w+)"', text, re.M)))


def paragraph(title, items):
    return f"\n## {title}\n\n{len(items)}: " + ", ".join(f"`{name}`" for name in items) + ".\n"


def page(root):
    def rows(table, macro):
        return sorted(set(names(root, f"{NUMPY}/{table}", macro)))

    return HEAD + "".join([
        paragraph("Ufuncs, fused", ufuncs(root)),
        "\nTheir methods `reduce`, `accumulate`, `outer`, `reduceat` and `at`, the arguments `dtype`, `casting` and `where`, and other\n"
        "ufuncs with one result are captured, too: fused where a plain call is, else by NumPy.\n",
        paragraph("Functions, fused", rows("numpy_functions.def", "DYNACC_NUMPY_FUNCTION")),
        paragraph("Functions, by NumPy", rows("numpy_library_calls.def", "DYNACC_NUMPY_LIBRARY_CALL")),
        paragraph("Functions of NumPy's in Python that are traced like the program's own",
                  rows("numpy_inlined.def", "DYNACC_NUMPY_INLINED")),
        "\nBesides those of `numpy.polynomial`, `np.errstate`, and the objects `mgrid`, `ogrid`, `r_`, `c_`, `s_`, `index_exp`.\n",
        paragraph("Functions called at capture, of what is known then", rows("numpy_pure.def", "DYNACC_NUMPY_PURE")),
        paragraph("Functions, by NumPy, of a size that depends on values", rows("numpy_data_dependent.def", "DYNACC_NUMPY_DATA_DEPENDENT")),
        "\nBesides `a[mask]`. What follows takes the size from the run; a question about it that decides how the program goes on\n"
        "(`if len(found):`) is a break.\n",
        paragraph("Methods of arrays, fused", rows("numpy_methods.def", "DYNACC_NUMPY_METHOD")),
        paragraph("Methods of arrays, by NumPy", rows("numpy_library_calls.def", "DYNACC_NUMPY_LIBRARY_CALL_METHOD")),
        paragraph("Draws of random numbers, by NumPy", draws(root)),
        "\nOf a generator of `numpy.random`, or by a function of the module: drawn once, in the program's order; arrays and single\n"
        "numbers.\n",
        "Generators may be made inside by `default_rng` and `RandomState`.\n",
        paragraph("Attributes of arrays", rows("numpy_attributes.def", "DYNACC_NUMPY_ATTRIBUTE")),
        PLAIN,
    ])


# What is left to NumPy for a reason that is not want of a row.
PLAIN = """
## Not captured, and why

- Their dtype depends on values: `real_if_close`, `poly` of other than real zeros; `roots` of other numbers than integers and float64. `linalg.eig`,
  `linalg.eigvals` and `roots` are captured as long as what they give of real numbers mostly is real.
- They change an argument in an order that is NumPy's own, and in a copy of it where it does not lie in C order:
  `median(..., overwrite_input=True)` and its kin of arrays in other orders.
- They call a Python function for each row or element: `apply_along_axis`, `vectorize`, `frompyfunc`, `piecewise` with functions,
  `nditer`, `ndenumerate`, `ndindex`. What is before and after the call is captured.
- They make a view whose place and size only NumPy's own code tells: `trim_zeros`, the remainder of `polydiv`. (`a[i]`, `a[:, i]` and `a[i:]` where
  arrays compute `i` are views at data-dependent numbers: it is taken for granted that a slice has elements.)
- They look at memory itself: `shares_memory`, `as_strided`, `frombuffer`, `ndarray.flat`, `.view(dtype)`, `.strides`, `.base`, `.flags`.
- They make texts, or other kinds of arrays: `array2string` and its kin, `matrix`, `ma`, `rec`, `datetime64`, objects.
- A store of a few elements through an array of indices into a large array, which would copy all of it.
- A branch on a value that the run computes. Both sides are captured by themselves.
"""


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    path = root / "docs" / "coverage.md"
    text = page(root)
    if "--check" in sys.argv:
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            sys.exit("docs/coverage.md is out of date: run tools/coverage_doc.py .")
        return
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
