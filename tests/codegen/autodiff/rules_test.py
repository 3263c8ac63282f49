"""Every rule of codegen/autodiff/gradients.def against differences of the op itself.

usage (under the launcher): rules_test.py ROOT

Each case is a graph in text. Its gradient (joint graph) and its tangent are computed on the targets reference and cpu
and, by library loops, for a third time; the difference quotients are of the graph itself. Real graphs whose ops have
complex forms are differentiated by a complex step besides, which is exact to the last digits. Then the joint graph is
differentiated in its turn. A row with a rule and no case fails.
"""
import pathlib
import re
import sys
import unittest

import _dynacc
import numpy as np

ROOT = pathlib.Path(sys.argv.pop(1))
ROWS = re.findall(r'^DYNACC_GRADIENT\((\w+), (\w+), ', (ROOT / "codegen/autodiff/gradients.def").read_text(), re.M)
OPS = dict(re.findall(r'^DYNACC_OP\((\w+), "(\w+)"', (ROOT / "runtime/ops/ops.def").read_text(), re.M))
STEP = 1e-6
TYPES = {"f16": np.float16, "f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128,
         "i64": np.int64, "bool": np.bool_}
SHAPES = ("", "1", "0", "2, 3")

# Where the operands lie: (least, greatest), away from points without a derivative. Default: -2 to 2.
DOMAINS = {"Sqrt": (0.3, 3), "Log": (0.3, 3), "Log2": (0.3, 3), "Log10": (0.3, 3), "Log1p": (-0.6, 2),
           "Arcsin": (-0.9, 0.9), "Arccos": (-0.9, 0.9), "Arccosh": (1.3, 3), "Arctanh": (-0.9, 0.9),
           "Tan": (-1.2, 1.2), "Reciprocal": (0.4, 2), "Cbrt": (0.3, 3), "Power": (0.4, 2), "FloatPower": (0.4, 2),
           "Divide": (0.4, 2), "Remainder": (0.6, 5), "Fmod": (0.6, 5), "Arctan2": (0.3, 2), "Hypot": (0.3, 2)}
COMPLEX = {"Negative", "Positive", "Absolute", "Sqrt", "Square", "Reciprocal", "Conjugate", "Real", "Imag", "Exp",
           "Exp2", "Expm1", "Log", "Log2", "Log10", "Log1p", "Sin", "Cos", "Tan", "Arcsin", "Arccos", "Arctan", "Sinh",
           "Cosh", "Tanh", "Arcsinh", "Arccosh", "Arctanh", "Add", "Subtract", "Multiply", "Divide", "MultiplyFused",
           "Power"}
ONLY_COMPLEX = {"Real", "Imag", "MultiplyFused"}
# Not holomorphic, or (Arccos, Arccosh, Power: a branch cut) not computed by NumPy's complex loop near the real axis.
NO_COMPLEX_STEP = {"Absolute", "Conjugate", "Arcsin", "Arccos", "Arccosh", "Arctanh"}


def op_graph(op, dtype, shape, result=None):
    """A graph of one elementwise op, which computes a second node so that its cotangent is no constant."""
    kind = dict(ROWS)[op]
    count = 1 if kind == "kUnary" else 2
    lines = [f"%{i}: {dtype}[{shape}] = input {i}" for i in range(count)]
    operands = ", ".join(f"%{i}" for i in range(count))
    lines.append(f"%{count}: {result or dtype}[{shape}] = {OPS[op]} {operands}")
    return graph(lines, f"%{count}")


def graph(lines, returned):
    return "graph {\n" + "".join(f"  {line}\n" for line in lines) + f"  return {returned}\n}}\n"


def running(what, shape, subgraphs, condition=None, result=None):
    """A graph of two inputs, of a condition of them (%2) and of three rows of them (%3), that runs graphs (%4)."""
    rows = ["%3: f64[3, 2] = view %1 axis[-1, 0] start[0] step[0, 1]"]
    lines = ["%0: f64[2] = input 0", "%1: f64[2] = input 1"]
    if condition:
        lines += ["%5: f64[] = reduce_sum %0 axes[0]", "%6: f64[] = reduce_sum %1 axes[0]",
                  "%2: bool[] = " + condition.replace("%0", "%5").replace("%1", "%6")]
    lines += rows + [f"%4: f64[{shape}] = {what.replace('{}', '')}", *("".join(subgraphs).rstrip().split("\n"))]
    if result:
        lines.append(f"%7: f64[3, 2] = result %4 {result}")
    return graph(lines, "%4, %7" if result else "%4")


def subgraph(*lines, returned):
    """A graph that a node runs, of two arrays, as lines of the text around it."""
    lines = ["%0: f64[2] = input 0", "%1: f64[2] = input 1", *lines]
    return "  graph {\n" + "".join(f"      {line}\n" for line in lines) + f"      return {returned}\n    }}\n"


PRODUCT = subgraph("%2: f64[2] = sin %0", "%3: f64[2] = multiply %2, %1", returned="%3")
TWICE = subgraph("%2: f64[2] = add %0, %1", returned="%2")
STACKING = subgraph("%2: f64[2] = multiply %0, %1", "%3: f64[2] = sin %2", returned="%2, %3")
SMALL = subgraph("%2: f64[] = reduce_sum %1 axes[0]", "%3: f64[] = scalar 50.0", "%4: bool[] = less %2, %3",
                 returned="%4")


def at_places(what, array, indices, result, *values):
    """A Gather, Compress or Scatter: inputs are the array, the values and the indices, which are given."""
    lines = [f"%{i}: f64[{shape}] = input {i}" for i, shape in enumerate((array, *values))]
    for i, index in enumerate(indices, len(lines)):
        dtype = "bool" if index.dtype == bool else "i64"
        lines.append(f"%{i}: {dtype}[{', '.join(map(str, index.shape))}] = input {i}")
    lines.append(f"%{len(lines)}: f64[{result}] = {what}")
    return graph(lines, f"%{len(lines) - 1}"), indices


def ints(*values):
    return np.array(values)


# Graphs of the structural ops, with the arrays of ints that they take, by the rows that they are for.
STRUCTURAL = {
    "Cumsum": [graph([f"%0: f64[{shape}] = input 0", f"%1: f64[{shape}] = cumsum %0 axis[{axis}]"], "%1")
               for shape, axis in (("5", 0), ("2, 3", 1), ("3, 2", 0), ("0", 0), ("1", 0))],
    "Cumprod": [graph([f"%0: f64[{shape}] = input 0", f"%1: f64[{shape}] = cumprod %0 axis[{axis}]"], "%1")
                for shape, axis in (("5", 0), ("2, 3", 1), ("4, 2", 0), ("0", 0), ("1", 0), ("2", 0))],
    "Mean": [graph(["%0: f64[2, 3] = input 0", f"%1: f64[{shape}] = mean %0 axes[{axes}]{keep}"], "%1")
             for shape, axes, keep in (("2", "1", ""), ("1, 3", "0", " keepdims"), ("", "0, 1", ""))],
    "Gather": [at_places("gather %0, %1 at[%1]", "3", [ints(0, 2, -1, 0)], "4"),
               at_places("gather %0, %1 at[%1]", "3", [np.zeros(0, int)], "0"),
               at_places("gather %0, %1 at[%1, :]", "3, 2", [ints(0, 2, -1, 0)], "4, 2"),
               at_places("gather %0, %1 at[:, %1]", "2, 3", [ints([0, 2], [-1, 0])], "2, 2, 2"),
               at_places("gather %0, %1, %2 at[%1, %2]", "2, 3", [ints(0, 1, 1), ints([2], [2])], "2, 3"),
               at_places("gather %0, %1 at[[0, 1], :, %1]", "2, 2, 3", [ints(0, -1)], "2, 2"),
               at_places("gather %0, %1 at[%1, 1:3:1]", "2, 4", [ints(1, 1)], "2, 2"),
               at_places("gather %0, %1 at[:, %1] along", "2, 3", [ints([0, 2, 2], [-1, 0, 1])], "2, 3"),
               at_places("gather %0, %1 at[%1, :] along", "2, 3", [ints([0, 1, 1])], "1, 3")],
    "Compress": [at_places("compress %0, %1", "4", [np.array([True, False, True, True])], "3"),
                 at_places("compress %0, %1", "4", [np.zeros(4, bool)], "0"),
                 at_places("compress %0, %1", "3, 2", [np.array([True, False, True])], "2, 2"),
                 at_places("compress %0, %1", "2, 2, 2", [np.array([[True, False], [True, True]])], "3, 2")],
    "Scatter": [at_places(f"scatter %0, %1, %2 into %0 at[%2] {op} %1", "4", [ints(0, 2, -1, 0, 0)], "4", "5")
                for op in ("set", "add", "subtract", "multiply", "maximum", "minimum")]
               + [at_places(f"scatter %0, %1, %2 into %0 at[%2] {op} %1", "4", [ints(0, 2, 0)], "4", shape)
                  for op in ("set", "add", "multiply", "maximum") for shape in ("", "1")]
               + [at_places(f"scatter %0, %1, %2 into %0 at[:, %2] {op} %1", "2, 4", [ints(0, 2, 0)], "2, 4", shape)
                  for op in ("set", "add", "multiply", "minimum") for shape in ("2, 3", "2, 1", "3")]
               + [at_places("scatter %0, %1, %2, %3 into %0 at[%2, %3] set %1", "2, 3", [ints(0, 1, 1), ints(0, 2, 2)],
                            "2, 3", "3"),
                  at_places("scatter %0, %1, %2 into %0 at[1:3:1, %2] add %1", "4, 3", [ints(0, 0)], "4, 3", "2, 2"),
                  *[at_places(f"scatter %0, %1 into %0 at[%1] {what}", "4", [ints(0, 2, 0)], "4")
                    for what in ("set 7.5", "multiply 1.5", "maximum 0.25")]],

    "View": [
        graph(["%0: f64[4, 5] = input 0", "%1: f64[2, 3] = view %0 axis[1, 0] start[0, 1] step[2, 1]"], "%1"),
        graph(["%0: f64[4] = input 0", "%1: f64[4] = view %0 axis[0] start[3] step[-1]"], "%1"),
        graph(["%0: f64[4] = input 0", "%1: f64[] = view %0 axis[] start[2] step[]"], "%1"),
        graph(["%0: f64[1, 3] = input 0", "%1: f64[2, 1, 4, 3] = view %0 axis[-1, -1, 0, 1] start[0, 0] "
               "step[0, 0, 0, 1]"], "%1"),
        graph(["%0: f64[0] = input 0", "%1: f64[0, 3] = view %0 axis[0, -1] start[0] step[1, 0]"], "%1"),
        # Windows: forward, with gaps, backward, three over one axis, two pairs.
        graph(["%0: f64[7] = input 0", "%1: f64[5, 3] = view %0 axis[0, 0] start[0] step[1, 1]"], "%1"),
        graph(["%0: f64[9] = input 0", "%1: f64[3, 2] = view %0 axis[0, 0] start[1] step[2, 3]"], "%1"),
        graph(["%0: f64[9] = input 0", "%1: f64[3, 4] = view %0 axis[0, 0] start[3] step[2, -1]"], "%1"),
        graph(["%0: f64[9] = input 0", "%1: f64[3, 4] = view %0 axis[0, 0] start[8] step[-2, -1]"], "%1"),
        graph(["%0: f64[9] = input 0", "%1: f64[3, 2, 2] = view %0 axis[0, 0, 0] start[3] step[2, 1, -3]"], "%1"),
        graph(["%0: f64[4, 5] = input 0", "%1: f64[2, 3, 3, 3] = view %0 axis[0, 1, 0, 1] start[0, 0] "
               "step[1, 1, 1, 1]"], "%1"),
    ],
    "Reshape": [graph(["%0: f64[2, 3] = input 0", "%1: f64[3, 2] = reshape %0"], "%1"),
                graph(["%0: f64[2, 0] = input 0", "%1: f64[0, 5] = reshape %0"], "%1")],
    "Store": [graph(["%0: f64[4, 3] = input 0", "%1: f64[2] = input 1",
                     "%2: f64[4, 3] = store %0, %1 axis[0] start[1, 2] step[2]"], "%2"),
              graph(["%0: f64[4] = input 0", "%1: f64[0] = input 1",
                     "%2: f64[4] = store %0, %1 axis[0] start[0] step[1]"], "%2")],
    "Roll": [graph(["%0: f64[3, 4] = input 0", "%1: f64[3, 4] = roll %0 shift[1, 3]"], "%1"),
             graph(["%0: f64[3, 4] = input 0", "%1: f64[3, 4] = roll %0 shift[0, 2]"], "%1")],
    "Concat": [graph(["%0: f64[2, 2] = input 0", "%1: f64[2, 0] = input 1", "%2: f64[2, 3] = input 2",
                      "%3: f64[2, 5] = concat %0, %1, %2 axes[1]"], "%3")],
    "Cast": [graph(["%0: f64[3] = input 0", "%1: c128[3] = cast %0"], "%1"),
             graph(["%0: c128[3] = input 0", "%1: f64[3] = cast %0"], "%1")],
    "KeepOrder": [graph(["%0: f64[3] = input 0", "%1: f64[3] = keep_order %0"], "%1")],
    "COrder": [graph(["%0: f64[3] = input 0", "%1: f64[3] = c_order %0"], "%1")],
    "Update": [graph(["%0: f64[3] = input 0", "%1: f64[3] = input 1", "%2: f64[3] = update %0, %1"], "%2")],
    "Where": [graph(["%0: f64[2, 3] = input 0", "%1: f64[2, 3] = input 1", "%2: bool[2, 3] = less %0, %1",
                     "%3: f64[2, 3] = sin %0", "%4: f64[2, 3] = where %2, %3, %1"], "%4")],
    "CustomGradient": [graph(["%0: f64[3] = input 0", "%1: f64[3] = exp %0", "%2: f64[3] = cotangent %1",
                              "%3: f64[3] = multiply %2, %1", "%4: f64[3] = custom_gradient %1, %2, %0, %3"], "%4")],
    "ReduceSum": [graph(["%0: f64[2, 3, 2] = input 0", f"%1: f64[{shape}] = reduce_sum %0 axes[{axes}]{keep}"], "%1")
                  for shape, axes, keep in (("3", "0, 2", ""), ("2, 1, 2", "1", " keepdims"), ("", "0, 1, 2", ""))],
    "ReduceMax": [graph(["%0: f64[3, 4] = input 0", "%1: f64[3] = reduce_max %0 axes[1]"], "%1"),
                  graph(["%0: f64[3, 4] = input 0", "%1: f64[1, 1] = reduce_max %0 axes[0, 1] keepdims"], "%1")],
    "ReduceMin": [graph(["%0: f64[3, 4] = input 0", "%1: f64[4] = reduce_min %0 axes[0]"], "%1")],
    "ReduceProd": [graph([f"%0: f64[{shape}] = input 0", f"%1: f64[{result}] = reduce_prod %0 axes[{axes}]{keep}"],
                         "%1")
                   for shape, result, axes, keep in (("6", "", "0", ""), ("2, 5", "2, 1", "1", " keepdims"),
                                                     ("2, 2, 3", "2", "0, 2", ""), ("1", "", "0", ""),
                                                     ("0", "", "0", ""), ("2, 0", "2", "1", ""))],
    "Matmul": [graph([f"%0: f64[{a}] = input 0", f"%1: f64[{b}] = input 1", f"%2: f64[{c}] = matmul %0, %1"], "%2")
               for a, b, c in (("2, 3", "3, 4", "2, 4"), ("3", "3", ""), ("2, 3", "3", "2"), ("3", "3, 2", "2"),
                               ("2, 2, 3", "3, 2", "2, 2, 2"), ("2, 2, 3", "3", "2, 2"), ("3", "2, 3, 2", "2, 2"),
                               ("2, 1, 2, 3", "3, 3, 2", "2, 3, 2, 2"), ("2, 3", "2, 3, 2", "2, 2, 2"),
                               ("2, 0", "0, 3", "2, 3"), ("0, 2", "2, 3", "0, 3"), ("2, 1", "1, 3", "2, 3"))],
    "Cond": [running("cond %2, %0, %1 graphs 2", "2", [TWICE, PRODUCT], condition)
             for condition in ("less %1, %0", "less %0, %1")],
    "Loop": [running("loop %1, %0 constants 1 carries 1 slices 0 length[3] graphs 1", "2", [PRODUCT]),
             running("loop %0, %3 constants 0 carries 1 slices 1 length[3]{} graphs 1", "2", [PRODUCT]),
             running("loop %0, %3 constants 0 carries 1 slices 1 length[3] reverse graphs 1", "2", [PRODUCT]),
             running("loop %1, %0 constants 1 carries 1 slices 0 length[4] graphs 2", "2", [PRODUCT, SMALL])],
    "Result": [running("loop %0, %3 constants 0 carries 1 slices 1 length[3] graphs 1", "2", [STACKING], result=1)],
}


def signature(text):
    """[(dtype, shape)] of the inputs, and of the outputs."""
    text = re.sub(r"^ {4}.*\n", "", text, flags=re.M)  # graphs that nodes run
    rows = {n: (dtype, tuple(int(size) for size in sizes.split(", ") if size), rest)
            for n, dtype, sizes, rest in re.findall(r"%(\d+): (\w+)\[([\d, ]*)\] = (.*)", text)}
    inputs = [row[:2] for row in rows.values() if row[2].startswith("input ")]
    returned = re.search(r"return (.*)", text)[1].split(", ")
    return inputs, [rows[name[1:].split(" ")[0]][:2] for name in returned]


class Differences:
    """Compares the derivatives of a graph with difference quotients of it."""

    def __init__(self, test, text, domain, seed, given=()):
        self.test = test
        self.random = np.random.default_rng(seed)
        self.domain = domain
        given = iter(given)
        self.check(text, [self.draw(*row) if row[0][0] in "fc" else next(given) for row in signature(text)[0]],
                   second=True)

    def draw(self, dtype, shape):
        low, high = self.domain
        values = self.random.uniform(low, high, shape)
        if dtype[0] == "c":
            values = values + 1j * self.random.uniform(0.2, 0.9, shape)
        return np.asarray(values, dtype=TYPES[dtype])

    def check(self, text, arrays, second):
        inputs, outputs = signature(text)
        of, by = list(range(len(outputs))), [i for i, (dtype, _) in enumerate(inputs) if dtype[0] in "fc"]
        program = _dynacc.GraphProgram(text)
        joint = program.derive("joint", by, of, False, False)
        tangent = program.derive("tangent", by, of, False, False)
        cotangents = [self.draw(*row) for row in outputs]
        gradients = self.run(joint, arrays + cotangents)
        self.check_complex_step(text, arrays, cotangents, gradients)
        for place, which in enumerate(by):
            array = arrays[which]
            for at in np.ndindex(array.shape):
                for unit in (1.0, 1j) if array.dtype.kind == "c" else (1.0,):
                    moved = self.quotients(program, arrays, which, at, unit)
                    wanted = sum(np.sum(g * m).real for g, m in zip(cotangents, moved))
                    found = (gradients[place][at] * unit).real
                    self.close(found, wanted, f"the gradient by input {which} at {at}")
                    directions = [np.zeros_like(arrays[i]) for i in by]
                    directions[place][at] = unit
                    for out, m in zip(self.run(tangent, arrays + directions, targets=False), moved):
                        self.close(out, m, f"the tangent by input {which} at {at}")
        if second:
            self.check(joint.text, arrays + cotangents, second=False)

    def run(self, program, arrays, targets=True):
        found, _ = program.run(arrays, [])
        if targets:
            for target in ("reference", "cpu"):
                for value, other in zip(found, _dynacc.run_graph(program.text, target, arrays)):
                    self.test.assertEqual((value.dtype, value.shape), (other.dtype, other.shape))
                    self.close(other, value, f"target {target}", 1e-9)
        return found

    def quotients(self, program, arrays, which, at, unit):
        ends = []
        for sign in (1, -1):
            there = [array.copy() for array in arrays]
            there[which][at] += sign * STEP * unit
            ends.append(program.run(there, [])[0])
        return [(a - b) / (2 * STEP) for a, b in zip(*ends)]

    def check_complex_step(self, text, arrays, cotangents, gradients):
        ops = set(re.findall(r"= (\w+)", text))
        names = {OPS[op]: op for op in OPS}
        if "c128" in text or any(names[op] not in COMPLEX - NO_COMPLEX_STEP | {"Input", "View", "Scalar", "Matmul",
                                                                             "Reshape", "ReduceSum", "Store", "Full"}
                                 for op in ops):
            return
        program = _dynacc.GraphProgram(text.replace("f64", "c128"))
        for which, array in enumerate(arrays):
            for at in np.ndindex(array.shape):
                there = [a.astype(np.complex128) for a in arrays]
                there[which][at] += 1e-30j
                out = program.run(there, [])[0]
                wanted = sum(np.sum(g * (m.imag / 1e-30)) for g, m in zip(cotangents, out))
                self.close(gradients[which][at], wanted, f"the complex step by input {which} at {at}", 1e-11)
                self.test.complex_steps += 1

    def close(self, found, wanted, what, tolerance=2e-5):
        np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance, err_msg=what)


class Rules(unittest.TestCase):
    complex_steps = 0

    def differences(self, text, domain=(-2, 2), seed=0, given=()):
        with self.subTest(text=text), np.errstate(all="ignore"):
            Differences(self, text, domain, seed, given)

    def test_elementwise(self):
        for op, kind in ROWS:
            if kind not in ("kUnary", "kBinary"):
                continue
            domain = DOMAINS.get(op, (-2, 2))
            for seed, shape in enumerate(SHAPES):
                if op not in ONLY_COMPLEX:
                    self.differences(op_graph(op, "f64", shape), domain, seed)
                if op in COMPLEX:
                    result = "f64" if op in ("Absolute", "Real", "Imag") else "c128"
                    self.differences(op_graph(op, "c128", shape, result), domain, seed)
        self.assertGreater(self.complex_steps, 100)

    def test_structural(self):
        self.assertEqual(set(STRUCTURAL), {op for op, kind in ROWS if kind == "kStructural"})
        for cases in STRUCTURAL.values():
            for case in cases:
                text, given = case if isinstance(case, tuple) else (case, ())
                self.differences(text, given=given)
                if not re.search("c128|reduce_m|less|imum", text):
                    self.differences(text.replace("f64", "c128"), given=given)

    def test_products_of_rows_with_zeros(self):
        text = STRUCTURAL["ReduceProd"][0]
        gradient = _dynacc.GraphProgram(text).derive("joint", [0], [0], True, False)
        second = gradient.derive("joint", [0], [0], True, False)
        for zeros in ((), (1,), (1, 4), (0, 2, 5)):
            x = np.array([2.0, 3.0, 0.5, 4.0, 1.5, 7.0])
            x[list(zeros)] = 0
            others = [np.prod(np.delete(x, i)) for i in range(6)]
            pairs = [sum(np.prod(np.delete(x, [i, j])) for j in range(6) if j != i) for i in range(6)]
            np.testing.assert_allclose(gradient.run([x], [])[0][0], others, rtol=1e-14)
            np.testing.assert_allclose(second.run([x], [])[0][0], pairs, rtol=1e-14)

    def test_running_products_with_zeros(self):
        text = STRUCTURAL["Cumprod"][0]
        gradient = _dynacc.GraphProgram(text).derive("joint", [0], [0], True, False)
        for zeros in ((), (1,), (0, 3)):
            x = np.array([2.0, 3.0, 0.5, 4.0, 1.5])
            x[list(zeros)] = 0
            wanted = [sum(np.prod(np.delete(x[:i + 1], k)) for i in range(k, 5)) for k in range(5)]
            np.testing.assert_allclose(gradient.run([x], [])[0][0], wanted, rtol=1e-14)

    def gradient_at(self, text, *arrays):
        program = _dynacc.GraphProgram(text)
        inputs = list(range(len(arrays)))
        with np.errstate(all="ignore"):
            return program.derive("joint", inputs, [0], True, False).run(
                [np.array(a, dtype=np.float64) for a in arrays], [])[0]

    def test_conventions(self):
        """What gradient_rules.h says of points without a derivative."""
        inf, nan = np.inf, np.nan
        same = np.testing.assert_array_equal
        for op in ("Absolute", "Fabs"):
            same(self.gradient_at(op_graph(op, "f64", "3"), [-2, 0, 3])[0], [-1, 0, 1])
        for op, a, b in (("Maximum", [0, .5, 1], [1, .5, 0]), ("Minimum", [1, .5, 0], [0, .5, 1]),
                         ("Fmax", [0, .5, 1], [1, .5, 0]), ("Fmin", [1, .5, 0], [0, .5, 1])):
            found = self.gradient_at(op_graph(op, "f64", "3"), [1, 2, 3], [2, 2, 2])
            same(found[0], a)
            same(found[1], b)
        found = self.gradient_at(op_graph("Fmax", "f64", "3"), [nan, 1, nan], [1, nan, nan])
        same(found[0], [0, 1, .5])
        same(found[1], [1, 0, .5])
        same(self.gradient_at(op_graph("Hypot", "f64", "1"), [0], [0])[0], [0])
        same(self.gradient_at(op_graph("Sqrt", "f64", "1"), [0])[0], [inf])
        found = self.gradient_at(op_graph("Power", "f64", "4"), [0, 5, 0, 0], [0, 0, 2, 1])
        same(found[0], [0, 0, 0, 1])
        same(found[1], [0, np.log(5), 0, 0])
        found = self.gradient_at(op_graph("Logaddexp", "f64", "3"), [inf, 0, -inf], [0, inf, 0])
        same(found[0], [1, 0, 0])
        same(self.gradient_at(op_graph("Copysign", "f64", "3"), [1, -1, 2], [1, 1, -1])[0], [1, -1, -1])
        same(self.gradient_at(STRUCTURAL["ReduceMax"][0], [[1, 3, 3, 0], [2, 2, 2, 2], [1, nan, 0, 0]])[0],
             [[0, .5, .5, 0], [.25] * 4, [0, 1, 0, 0]])
        # The side not taken: masked before it meets a NaN.
        masked = graph(["%0: f64[2] = input 0", "%1: f64[] = scalar 0.0", "%2: f64[2] = view %1 axis[-1] start[] "
                        "step[0]", "%3: bool[2] = less %2, %0", "%4: f64[2] = log %0", "%5: f64[2] = where %3, %4, %2"],
                       "%5")
        same(self.gradient_at(masked, [2, -1])[0], [.5, 0])

    def test_mixed_second_derivative_of_power(self):
        """d/db d/da a ** b at b = 0 is 1 / a, where the first derivative is 0."""
        first = _dynacc.GraphProgram(op_graph("Power", "f64", "")).derive("joint", [0], [0], True, False)
        second = first.derive("joint", [1], [0], True, False)
        self.assertAlmostEqual(second.run([np.array(4.0), np.array(0.0)], [])[0][0][()], 0.25)

    def test_dtypes_stay(self):
        for dtype in ("f16", "f32", "c64"):
            text = graph([f"%0: {dtype}[3] = input 0", f"%1: {dtype}[3] = exp %0",
                          f"%2: {dtype}[] = reduce_sum %1 axes[0]"], "%2")
            gradient = _dynacc.GraphProgram(text).derive("joint", [0], [0], True, False)
            x = np.array([0.5, 1, -1], dtype=TYPES[dtype])
            found = gradient.run([x], [])[0][0]
            self.assertEqual(found.dtype, x.dtype)
            np.testing.assert_allclose(found, np.exp(x), rtol=1e-2 if dtype == "f16" else 1e-6)

    def test_zero_rows_give_zeros(self):
        """Rows that say that they are constant are, where the op takes floats: differences are 0, too."""
        for op, kind in ROWS:
            text = OPS[op]
            if kind != "kZero" or op in ("Input", "Scalar", "Full", "Empty", "StopGradient", "Cotangent"):
                continue
            arity = 2 if op in ("FloorDivide",) else 1
            lines = [f"%{i}: f64[3] = input {i}" for i in range(arity)]
            lines.append(f"%{arity}: f64[3] = {text} {', '.join(f'%{i}' for i in range(arity))}")
            try:
                program = _dynacc.GraphProgram(graph(lines, f"%{arity}"))
                arrays = [np.array([1.3, -2.6, 0.7])] * arity
                _dynacc.run_graph(program.text, "reference", arrays)
            except (ValueError, RuntimeError):
                continue  # not of floats, or not to floats
            with self.subTest(op):
                gradients = program.derive("joint", list(range(arity)), [0], True, False).run(arrays, [])[0]
                moved = program.run([a + STEP for a in arrays], [])[0][0] - program.run(arrays, [])[0][0]
                self.assertFalse(np.any(gradients) or np.any(moved))


if __name__ == "__main__":
    unittest.main()
