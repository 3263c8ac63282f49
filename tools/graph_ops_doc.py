#!/usr/bin/env python3
"""Writes the table of ops at the end of docs/graph.md from the tables of the source.

usage: graph_ops_doc.py ROOT [--check]      --check writes nothing and fails if the page is out of date

One line an op of runtime/ops/ops.def. What a structural op means is what codegen/ir/graph.h says of it; attributes are
written as attr_form.h says; shapes follow by the rules of node_rules.cc, gradients by gradients.def.
"""
import re

import generated_table


# What the rules of codegen/ir/node_rules.cc say, in words.
SHAPES = {"AllAlike": "the operands'", "RankZero": "`[]`", "GivenShape": "given", "StoreShape": "the base's",
          "ConcatShape": "the sum along the axis", "WhereShape": "the operands'", "MatmulShape": "`np.matmul`'s",
          "ScanShape": "the operand's", "SearchShape": "without the axes", "ReductionShape": "without the axes"}
# How attributes are written, by the forms of codegen/ir/attr_form.h.
FORMS = {"kNothing": "", "kIndex": "`0`", "kNumber": "`2.5`", "kView": "`axis[0] start[0] step[1]`", "kShifts": "`shift[1]`",
         "kAxes": "`axes[0] keepdims`", "kAxis": "`axis[0]`", "kPlaces": "`at[%1, :]`", "kDefines": "`defines s2`",
         "kOperator": "`floordiv[%0, 2]`", "kBranches": "`numbers[s0] graphs 2`, and the graphs",
         "kLoop": "`constants 1 carries 1 slices 1 length[8] graphs 1`, and the graphs", "kApart": "`apart any_order low_precision windows`"}
# Where the first sentence of graph.h needs those around it.
MEANINGS = {"Scalar": "a number, cast to the dtype", "Full": "an array of one number", "Empty": "zeros, none of which is read",
            "Store": "the base with the value where a view of the same attributes looks",
            "Concat": "the operands one after the other along the axis", "Where": "`np.where(condition, a, b)`",
            "View": "element `o` is the operand's at `start[s]` plus the sum of `o[d] * step[d]` over all `d` with `axis[d] == s`",
            "CustomGradient": "operand 0, with a gradient that the program says", "StopGradient": "the operand, a constant",
            "MultiplyFused": "the product of complex numbers with one product of each part not rounded",
            "Cumsum": "sums up to each element", "Cumprod": "products up to each element",
            "ArgMax": "where the first of the greatest is", "ArgMin": "where the first of the least is",
            "Gather": "elements at places that the other operands name: `a[i, :]`",
            "Scatter": "a copy in which elements at such places are others", "IntOperator": "Python's operator on single ints",
            "Cond": "the first graph's results if the condition holds, else the second one's",
            "Loop": "the carries after all rounds, and the rounds' other results stacked",
            "Result": "another result of such a node",
            "LibraryCall": "a function of NumPy's, or a custom operator"}
# On a GPU passes make other ops of a mean, and kernels of matmul_kernels.cc compute products.
ON_DEVICE = ("Matmul", "Mean")
CATEGORIES = ("kLeaf", "kStructural", "kUnary", "kBinary", "kReduction", "kLibraryCall")


class Source:
    """The tables of the source."""

    def __init__(self, root):
        read = lambda name: (root / name).read_text(encoding="utf-8")
        self.ops = re.findall(r'^DYNACC_OP\((\w+), "(\w+)", (\w+), ([\w| ]+), (\w+), "(.*?)", "(.*?)", "(.*?)"\)$',
                              read("runtime/ops/ops.def"), re.M)
        self.gradients = {name: (kind, words) for name, kind, words in re.findall(
            r'^DYNACC_GRADIENT\((\w+), (\w+), "(.*)"\)$', read("codegen/autodiff/gradients.def"), re.M)}
        rules = read("codegen/ir/node_rules.cc")
        self.shapes = dict(re.findall(r"\{Op::k(\w+), (\w+)\}", rules))
        by_category = re.search(r"ShapeRule kRules\[\] = \{(.*?)\};", rules, re.S)[1]
        self.shapes_of = dict(zip(CATEGORIES, re.findall(r"\w+", by_category)))
        self.forms = {}
        for condition, form in re.findall(r"if \(([^{}]*?)\) return AttrForm::(\w+);", read("codegen/ir/attr_form.h")):
            self.forms.update({name: form for name in re.findall(r"Op::k(\w+)", condition)})
        self.meanings = meanings(read("codegen/ir/graph.h"))
        devices = "\n".join(path.read_text(encoding="utf-8") for path in sorted((root / "codegen/targets/cuda").glob("*.cc")))
        self.on_device = set(re.findall(r"Op::k(\w+)", devices))


def meanings(header):
    """What graph.h says of each structural op: the first sentence that is not about attributes."""
    found = {}
    for names, text in re.findall(r"^//   (\w+(?:, \w+)*) +(\S.*(?:\n//    +\S.*)*)", header, re.M):
        text = re.sub(r"\s*\n//\s*", " ", text)
        sentences = re.split(r"(?<=[.;])\s+(?=[A-Za-z])", text)
        said = [one for one in sentences if "attrs." not in one] or sentences
        for name in names.split(", "):
            found.setdefault(name, re.sub(r"[.;:]$", "", said[0]).replace("|", "\\|"))
    return found


def row(source, op):
    name, text, category, traits, _, expression, numpy, cuda = op
    if numpy and category in ("kUnary", "kBinary"):
        meaning = f"`np.{numpy}`"
    elif category == "kReduction":
        meaning = f"`np.{numpy}.reduce`"
    else:
        meaning = MEANINGS.get(name) or source.meanings.get(name) or (f"`{expression}`" if expression else f"`np.{text}`")
    form = source.forms.get(name, "kAxes" if category == "kReduction" else "kNothing")
    shape = source.shapes.get(name, source.shapes_of[category])
    kind, words = source.gradients[name]
    gradient = {"kZero": "0", "kNone": "none"}.get(kind, words).replace("|", "\\|")
    emitted = "kEmitted" in traits
    host = "emitted" if emitted else "a library's loop" if category in ("kUnary", "kBinary", "kReduction") else "a step"
    host = "no element is moved" if text in ("input", "view", "reshape") else host
    has_device = (bool(expression or cuda) or name in source.on_device or name in ON_DEVICE
                  or category in ("kLeaf", "kStructural", "kReduction"))
    return f"| `{text}` | {meaning} | {FORMS[form]} | {SHAPES[shape]} | {gradient} | {host} | {'yes' if has_device else 'no'} |"


def table(root):
    source = Source(root)
    heading = "| op | meaning | attributes, as text | shape | gradient | on the host | on a GPU |"
    return [heading, "|---|---|---|---|---|---|---|", *[row(source, op) for op in source.ops]]


if __name__ == "__main__":
    generated_table.main("graph.md", "<!-- rows -->\n", table)
