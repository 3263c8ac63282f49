"""Every rule of codegen/batching/batching.def against a loop over the examples.

usage (under the launcher): batching_test.py ROOT

Each case is a graph in text, most of them those of the rules of gradients. It is batched with all inputs and with each
input alone, and run on the targets reference, tile and cpu. A row without a case fails.
"""
import pathlib
import re
import sys
import unittest

import _dynacc
import numpy as np

ROOT = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(ROOT / "tests/codegen/autodiff"))
import rules_test  # noqa: E402  takes ROOT from sys.argv

ROWS = dict(re.findall(r'^DYNACC_BATCHING\((\w+), (\w+), ', (ROOT / "codegen/batching/batching.def").read_text(), re.M))
# Unary and binary ops have no row.
ROWS |= {op: "kElementwise" for op, category in re.findall(
    r'^DYNACC_OP\((\w+), "\w+", (\w+),', (ROOT / "runtime/ops/ops.def").read_text(), re.M)
    if category in ("kUnary", "kBinary") and op not in ROWS}
SIZE = 3
# Of one array that the graph reads besides.
OWN = {
    "ArgMax": [rules_test.graph(["%0: f64[2, 3] = input 0", f"%1: i64[{shape}] = argmax %0 axes[{axes}]{keep}"], "%1")
               for shape, axes, keep in (("2", "1", ""), ("", "0, 1", ""), ("1, 1", "0, 1", " keepdims"))],
    "ArgMin": [rules_test.graph(["%0: f64[2, 3] = input 0", "%1: i64[1, 3] = argmin %0 axes[0] keepdims"], "%1")],
    "ReduceAny": [rules_test.graph(["%0: bool[2, 3] = input 0", "%1: bool[2] = reduce_any %0 axes[1]"], "%1")],
    "ReduceAll": [rules_test.graph(["%0: bool[2, 3] = input 0", "%1: bool[3] = reduce_all %0 axes[0]"], "%1")],
    "IntOperator": [rules_test.graph(["%0: i64[] = input 0", "%1: i64[] = input 1",
                                      "%2: i64[] = int_operator %0, %1 floordiv[%0, %1]"], "%2")],
}
REFUSED = {"Compress"}  # a size that depends on values
ELSEWHERE = {"LibraryCall"}  # made by tracing alone: tests/embed/control_flow_test.py


class Batching(unittest.TestCase):
    def setUp(self):
        self.random = np.random.default_rng(5)

    def draw(self, dtype, shape):
        if dtype == "bool":
            return self.random.random(shape) < 0.5
        if dtype[0] in "iu":
            return np.asarray(self.random.integers(1, 9, shape), dtype=rules_test.TYPES.get(dtype, np.int64))
        values = self.random.uniform(0.3, 0.9, shape)
        return np.asarray(values + 1j * values[..., None][..., 0] if dtype[0] == "c" else values,
                          dtype=rules_test.TYPES[dtype])

    def arrays(self, text, given, batch):
        given = iter(given)
        made = []
        for dtype, shape in rules_test.signature(text)[0]:
            array = next(given, None) if dtype[0] not in "fc" else None
            rows = [array if array is not None else self.draw(dtype, shape) for _ in range(batch)]
            made.append(np.stack(rows))
        return made

    def check(self, text, given=()):
        with self.subTest(text=text), np.errstate(all="ignore"):
            program = _dynacc.GraphProgram(text)
            count = program.inputs
            choices = [[True] * count] + [[i == j for j in range(count)] for i in range(count)] * (count > 1)
            for flags in choices:
                arrays = self.arrays(text, given, SIZE)
                batched, has_axis = program.batch([int(flag) for flag in flags], SIZE)
                inputs = [a if flag else a[0].copy() for a, flag in zip(arrays, flags)]
                wanted = [program.run([np.asarray(a[b] if flag else a[0]) for a, flag in zip(arrays, flags)], [])[0]
                          for b in range(SIZE)]
                found, _ = batched.run(inputs, [])
                for other in [found] + [_dynacc.run_graph(batched.text, target, inputs)
                                        for target in ("reference", "tile", "cpu")]:
                    for place, (value, has) in enumerate(zip(other, has_axis)):
                        for b in range(SIZE):
                            one = value[b] if has else value
                            self.assertEqual(value.dtype, wanted[b][place].dtype)
                            np.testing.assert_allclose(one, wanted[b][place], rtol=1e-12, atol=1e-12)

    def test_elementwise(self):
        for op, kind in ROWS.items():
            if kind != "kElementwise" or op in rules_test.STRUCTURAL:
                continue
            with self.subTest(op=op):
                arity = 2 if re.search(rf'DYNACC_OP\({op}, "\w+", kBinary', (ROOT / "runtime/ops/ops.def").read_text()) else 1
                self.check(self.elementwise(op, arity))

    def elementwise(self, op, arity):
        """A graph of the op, on the first dtypes that it takes."""
        for dtype in ("f64", "i64", "bool", "c128"):
            for result in (dtype, "bool", "f64"):
                lines = [f"%{i}: {dtype}[2] = input {i}" for i in range(arity)]
                operands = ", ".join(f"%{i}" for i in range(arity))
                text = rules_test.graph([*lines, f"%{arity}: {result}[2] = {rules_test.OPS[op]} {operands}"], f"%{arity}")
                try:
                    with np.errstate(all="ignore"):
                        _dynacc.GraphProgram(text).run([self.draw(dtype, (2,))] * arity, [])
                except (ValueError, RuntimeError, NotImplementedError):
                    continue
                return text
        raise AssertionError(f"{op} runs on no dtype")

    def test_structural(self):
        cases = rules_test.STRUCTURAL | OWN
        named = {op for op, kind in ROWS.items() if kind not in ("kLeaf", "kElementwise")} - ELSEWHERE
        self.assertEqual(named - set(cases), set())
        for op, texts in cases.items():
            for case in texts:
                text, given = case if isinstance(case, tuple) else (case, ())
                if op in REFUSED:
                    if "defines" in text:
                        with self.assertRaisesRegex(NotImplementedError, "size"):
                            _dynacc.GraphProgram(text).batch([1] * _dynacc.GraphProgram(text).inputs, SIZE)
                    continue
                self.check(text, given)

    def test_a_size_that_depends_on_values(self):
        text = ("graph {\n  scalars: s0 = late\n  %0: f64[3] = input 0\n  %1: bool[3] = less %0, %0\n"
                "  %2: f64[s0] = compress %0, %1 defines s0\n  return %2\n}\n")
        with self.assertRaisesRegex(NotImplementedError, "size depends on values"):
            _dynacc.GraphProgram(text).batch([1], SIZE)


if __name__ == "__main__":
    unittest.main()
