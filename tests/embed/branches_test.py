#!/usr/bin/env python3
"""Python's own `if` on an array's value where there has to be one graph: both sides are traced
(frontend/tracer/both_sides.h). In plain Python and in graphs the same results, on every target; what is refused. Run by
the launcher and by a stock python3."""
import os
import unittest
import warnings

import numpy as np

import dynacc
from control_flow_test import RANDOM, Case, same
from dynacc.graph import GraphError, make_graph

FILE = os.path.basename(__file__)


class Branches(Case):
    """Python's own if on an array's value, where there has to be one graph."""

    def both_ways(self, f, *args):
        """`f` of arguments with either sign."""
        for sign in (1.0, -1.0):
            graph, _ = self.check(f, *(sign * arg for arg in args))
        self.assertIn("cond", [node.op for node in graph.nodes])

    def test_statements_and_expressions(self):
        def assigns(x, y):
            if x.sum() > 0:
                z = np.sqrt(np.abs(x)) * y
            else:
                z = x - 1.0
            return z + y

        def rebinds(x, y):
            x = x * 2.0
            if x[0] > 0:
                x = x / x[0]
            return x, y - x

        def chooses(x, y):
            total = x.sum() if x.max() > 0 else y.mean()
            return np.multiply(x, total)

        def elifs(x, y):
            if x.mean() > 2:
                z = x * y
            elif x.mean() > 0:
                z = x + y
            elif y.min() < -1:
                z = x - y
            else:
                z = y / 2.0
            return z

        def both_of_two(x, y):
            x, y = x * 0.5, y - 0.125
            if x[0] > 0 and not y.max() < 0:
                x, y = y + 1.0, x - 1.0
            return x * 3.0 - y

        for f in (assigns, rebinds, chooses, elifs, both_of_two):
            with self.subTest(f.__name__):
                self.both_ways(f, np.array([1.0, 2.0, 4.0]), np.array([3.0, -1.0, 0.5]))

    def test_returns(self):
        def early(x):
            if x.sum() > 10:
                return x * 2.0
            y = x + x.sum()
            if y.min() < 0:
                return -y
            return y / 3.0

        def several(x):
            if x[0] > 0:
                return x + 1.0, (x.sum(), 7)
            return x * 2.0, (x.min(), 7)

        for x in (np.ones(4) * 5, np.ones(4), -np.ones(4)):
            for f in (early, several):
                graph, _ = self.check(f, x)
                self.assertIn("cond", [node.op for node in graph.nodes])

    def test_in_loops_and_calls(self):
        def halved(x):
            return x / 2.0 if np.abs(x).max() > 1 else x + 0.25

        def f(x):
            for k in range(4):
                x = halved(x) * 1.5
                if x[k] > 0.5:
                    x = x - 1.0
            return x

        for scale in (0.1, 1.0, 30.0, -4.0):
            self.check(f, np.array([1.0, -0.5, 0.25, 2.0]) * scale)

    def test_loops_that_are_left(self):
        def f(x):
            for _ in range(6):
                x = x * 0.5
                if x.max() < 1.0:
                    break
            return x

        for scale in (1.0, 9.0, 100.0):
            self.check(f, np.array([1.0, 0.5]) * scale)

    def test_only_the_side_that_is_taken_warns(self):
        def f(x):
            return np.log(x) if x.min() >= 0 else -x

        captured = dynacc.compile(f, fullgraph=True)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for x in (np.array([1.0, 2.0]), np.array([-1.0, 2.0])) * 3:
                same(self, captured(x), f(x))
        with self.assertWarnsRegex(RuntimeWarning, "divide by zero"):
            captured(np.array([0.0, 1.0]))

    def test_what_nothing_uses_warns(self):
        def beside(x):
            y = x * 2.0
            if y.sum() > 0:
                np.log(x - x[0])
                z = y + 1.0
            else:
                np.sqrt(x)
                z = y - 1.0
            return z

        def alone(x):
            y = x * 2.0
            if y.sum() > 0:
                np.log(x - x[0])
            return y + 1.0

        def same_on_both_sides(x):
            if x.sum() > 0:
                1.0 / (x - x[0])
                return x + 1.0
            1.0 / (x - x[0])
            return x - 1.0

        def in_a_loop(x):
            x, n = x * 1.0, 0
            while x.max() > 1.0:
                np.log(x - x[0])
                x = x * 0.5
                n += 1
            return x, n

        for f in (beside, alone, same_on_both_sides, in_a_loop):
            captured = dynacc.compile(f, fullgraph=True)
            for sign in (1.0, -1.0):
                x = sign * np.array([1.0, 2.0, 4.0])
                with self.subTest(f.__name__, sign=sign):
                    self.assertEqual(self.warnings_of(captured, x), self.warnings_of(f, x))

    def warnings_of(self, f, *args):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            f(*args)
        return sorted({str(warning.message).split(" in ")[0] for warning in seen})

    def test_what_was_there_before(self):
        """A graph is of values; a call must give the very array."""
        def f(x):
            return x if x[0] > 0 else x + 1.0

        for sign in (1.0, -1.0):
            x = sign * np.ones(3)
            same(self, make_graph(f, x).compile()(x), f(x))
        with self.assertRaisesRegex(RuntimeError, f"{FILE}:.*gives an array that was there before .*copy it"):
            dynacc.compile(f, fullgraph=True)(np.ones(3))

        def writes(x):
            y = x * 1.0
            z = y if x[0] > 0 else x + 1.0
            z += 1.0
            return y, z

        with self.assertRaisesRegex(GraphError, "a change of what one side of a branch gave as it was"):
            make_graph(writes, np.ones(3))

    def refused(self, words, f):
        with self.assertRaisesRegex(RuntimeError, f"{FILE}:.*{words}"):
            dynacc.compile(f, fullgraph=True)(np.ones(3))

    def test_what_sides_must_not_do(self):
        def number(x):
            scale = 2.0 if x[0] > 0 else 3
            return x * scale

        def kind(x):
            y = x * 2.0 if x[0] > 0 else x.sum()
            return y

        def alone(x):
            if x[0] > 0:
                y = x * 2.0
            return x + y

        def write(x):
            if x[0] > 0:
                x += 1.0
            return x * 2.0

        seen = []

        def outside(x):
            if x[0] > 0:
                seen.append(1)
            return x * 2.0

        def error(x):
            if x[0] > 0:
                raise ValueError("positive")
            return x * 2.0

        def int_of_nan(x):
            y = x * 2.0
            if x[0] > 0:
                int(x.sum())
                y = y + 1.0
            return y

        def turned(x):
            y = np.outer(x, x + 1)
            return (y.T if x[0] > 0 else y * 2) + 1 if x[1] > 5 else y.T

        def endless(x):
            while np.abs(x).max() > 1e-30:
                x = x / 2.0
                if x[0] < 1e-10:
                    break
            return x

        for words, f in (("leaves a value as float 2.0 or as int 3.*of one type", number),
                         (r"f64\[3\].*f64\[\]", kind),
                         ("sets 'y' on one side alone", alone), ("changes what is outside", write),
                         ("changes what is outside", outside), ("a raise statement", error),
                         ("a number that may not be one, in a branch", int_of_nan),
                         ("a view, or an array not in C", turned),
                         ("a loop that ends by an array's value", endless)):
            with self.subTest(f.__name__):
                self.refused(words, f)
                if f is not error:
                    same(self, dynacc.compile(f)(np.ones(3)), f(np.ones(3)))
        self.assertEqual(seen, [1, 1])

    def test_numbers(self):
        """Python's numbers that the sides leave are values of the graph, and compute as Python's do."""
        def floats(x):
            scale = 2.0 if x[0] > 0 else 0.3
            half = scale / 2
            return x.astype(np.float32) * scale, x - half, scale * 3 - 1

        def ints(x):
            k = 1
            if x.sum() > 0:
                k = 5
            k = k * 7 // 2
            return x ** 2 + k, k

        def bools(x):
            big = True if x.max() > 2 else False
            y = x + 1.0 if big else x * 2.0
            return y, big

        def counts(x):
            x, n = x * 1.0, 0
            for v in (0.0, 1.0, 2.0):
                if (x - v).sum() > 0:
                    n += 1
                    x = x * 0.5
            return (x + 1.0, n) if n > 1 else (x - 1.0, n)

        def item(x):
            k = 0 if x[0] > 0 else 2
            return x[k] + x

        def compared(x):
            if x[0] > 0:
                k, t = 3, 0.5
            else:
                k, t = 4, 1.5
            return (x * 2.0 if k > 3 else x + t), k == 3, t < 1.0

        for f in (floats, ints, bools, counts, item, compared):
            captured = dynacc.compile(f, fullgraph=True)
            for sign in (1.0, -1.0, 1.0):
                x = sign * np.array([1.0, 2.0, 4.0])
                with self.subTest(f.__name__, sign=sign):
                    wanted, given = f(x), captured(x)
                    same(self, given, wanted)
                    if isinstance(wanted, tuple):
                        self.assertEqual([type(item) for item in given], [type(item) for item in wanted])

    def test_large_int(self):
        def f(x):
            return x * (1208925819614629174706176 if x[0] > 0 else 1)

        self.refused("a branch of numbers that leaves a value.*of 64 bits", f)

    def test_while(self):
        def halves(x):
            y = x * 1.0
            while np.abs(y).max() > 1e-3:
                y = y / 2.0
            return y

        def newton(a):
            x, rounds = a * 0.5 + 0.5, 0
            while np.abs(x * x - a).max() > 1e-9 and rounds < 50:
                x = 0.5 * (x + a / x)
                rounds += 1
            return x, rounds

        def two(x):
            a, b, last = x + 1.0, x * 0.5, x.sum()
            while a.sum() > 1.0:
                a, b = b * 0.75, a * 0.5 - 0.25
                last = a.max()
            return a - b, last

        def forever(x):
            y, step = x * 1.0, 1.0
            while True:
                y = y * 0.5
                if y.max() < 0.1:
                    break
                step = step * 0.5
            return y, step

        def inside(x):
            total = x * 0.0
            for k in range(3):
                y = x + k
                while y.max() > 1.0:
                    y = np.where(y > 0.5, y - 0.75, y) if y[0] > 0.25 else y - 0.5
                total = total + y
            return total

        def nested(x):
            y, n = x * 2.0, 0
            while y.max() > 0.5:
                z = y * 1.0
                while z.sum() > 1.0:
                    z = z * 0.5
                    n = n + 1
                y = y - z - 0.5
            return y, n

        for f in (halves, newton, two, forever, inside, nested):
            captured = dynacc.compile(f, fullgraph=True)
            for scale in (1.0, 0.25, 30.0, 1e-5):
                x = scale * np.array([1.0, 2.0, 4.0])
                with self.subTest(f.__name__, scale=scale):
                    wanted = f(x)
                    same(self, captured(x), wanted)
            arrays = (lambda x, f=f: f(x)[0]) if isinstance(wanted, tuple) else f
            graph = make_graph(arrays, x)
            self.assertIn("loop", str(graph).split())
            for target in ("cpu", "tile"):
                same(self, graph.run(x, target=target)[0], arrays(x))

    def test_while_that_is_no_loop(self):
        def argument(x):
            while np.abs(x).max() > 0.1:
                x = x / 2.0
            return x

        def grows(x):
            y = x * 1.0
            while y.sum() < 100:
                y = np.concatenate((y, y))
            return y

        def kind(x):
            y, n = x * 1.0, 0
            while y.max() > 0.1:
                y, n = y / 2.0, n + 0.5
            return y, n

        def first(x):
            y = x * 1.0
            while y.max() > 0.1:
                y = y / 2.0
                z = y + 1.0
            return z

        def outside(x):
            y = x * 1.0
            while y.max() > 0.1:
                y = y / 2.0
                x[0] = 1.0
            return y

        def shared(x):
            y = x * 1.0
            z = y
            while y.max() > 0.1:
                y = y / 2.0
            return y, z

        def in_place(x):
            y = x * 1.0
            while y.max() > 0.1:
                y *= 0.5
            return y

        def text(x):
            y, s = x * 1.0, ""
            while y.max() > 0.1:
                y, s = y / 2.0, s + "x"
            return y, s

        for words, f in (("array that was there before", argument), ("a while loop that makes", grows),
                         ("leaves 'n' as float.* or as int 0", kind), ("on one side alone", first),
                         ("changes what is outside", outside), ("that was there before|another name", shared),
                         ("changes what is outside", in_place), ("a while loop that changes 's'", text)):
            with self.subTest(f.__name__):
                self.refused(words, f)
                same(self, dynacc.compile(f)(np.ones(3)), f(np.ones(3)))

    def test_iterators_of_loops_around(self):
        """Each side goes on with the loop where it was."""
        def both_go_on(x):
            for k in range(4):
                if x[k % 3] > 0:
                    x = x + 1.0
                    if x.max() > 5:
                        break
                else:
                    x = x * 2.0
            return x

        def numbered(x):
            for k, v in enumerate((x, x * 2.0, x * 3.0)):
                x = x + v
                if x.max() > 5:
                    break
            return x

        def named(x):
            items = iter([x, x * 2.0, x * 3.0, x * 4.0])
            for v in items:
                if v[0] > 0:
                    x = x + next(items)
            return x

        for scale in (1.0, -1.0, 0.25):
            self.check(both_go_on, scale * np.array([1.0, -2.0, 3.0]))
            self.check(numbered, scale * np.array([1.0, -2.0, 3.0]))
        self.refused("changes what is outside|an iterator that is kept", named)

    def test_vmap_and_export(self):
        def f(x):
            if x.sum() > 0:
                x = x * 2.0
                if x[0] > x[1]:
                    return np.sqrt(x * x)
            return x - 1.0

        rows = RANDOM.normal(size=(20, 3))
        wanted = np.stack([f(row) for row in rows])
        same(self, dynacc.vmap(f)(rows), wanted)
        program = dynacc.export(f, rows[0])
        for row, result in zip(rows, wanted):
            same(self, program(row), result)

    def test_random_functions(self):
        """Statements, branches and short loops at random; in Python and as one graph the same bytes."""
        compared = 0
        for seed in range(120):
            source = random_branches(np.random.default_rng(seed))
            namespace = {"np": np}
            exec(compile(source, f"branches{seed}", "exec"), namespace)
            f = namespace["f"]
            arguments = [np.random.default_rng([seed, k]).normal(size=(2, 4)) for k in range(4)]
            captured = dynacc.compile(f, fullgraph=True)
            with np.errstate(all="ignore"), self.subTest(seed=seed, source=source):
                wanted = [f(*pair) for pair in arguments]
                graph = make_graph(f, *arguments[0]).compile()
                for pair, result in zip(arguments, wanted):
                    same(self, graph(*pair), result)
                try:
                    captured(*arguments[0])
                except RuntimeError as error:  # a side that leaves what was there before, or a long loop
                    self.assertRegex(str(error), "that was there before|a view, or an array not in C|to be unrolled")
                    continue
                compared += 1
                for pair, result in zip(arguments * 2, wanted * 2):
                    same(self, captured(*pair), result)
        self.assertGreater(compared, 40)


class Often(unittest.TestCase):
    """Branches that are met often, where nothing asks for one graph."""

    def ends(self, f, *args, times=30):
        """How the segments of `f` end after calls that take either side, some of them in turns."""
        captured = dynacc.compile(f, options={"branches_after": "5"})
        for _ in range(times):
            for sign in (1.0, -1.0):
                given = [sign * arg for arg in args]
                same(self, captured(*given), f(*given))
        report = dynacc.explain(captured)(*args).as_dict()
        return [entry["end"]["kind"] for segment in report["segments"] for entry in segment["entries"]], report["breaks"]

    def test_they_become_part_of_the_graph(self):
        def assigns(x):
            y = x * 2.0
            if y.sum() > 0:
                y = np.sqrt(np.abs(y)) + x
            else:
                y = y - 1.0
            return y * x

        def returns(x):
            y = x * 2.0
            if y.sum() > 0:
                return y + 1.0
            return y * y

        def unused(x):
            y = x * 2.0
            if y.sum() > 0:
                np.log(np.abs(x))
            return y + 1.0

        for f in (assigns, returns, unused):
            ends, breaks = self.ends(f, np.array([1.0, 2.0, 4.0]))
            self.assertIn("return", ends)
            self.assertEqual(breaks, [])

    def test_others_stay_breaks(self):
        def number(x):
            k = 1 if x.sum() > 0 else 2
            return x * k + 1.0

        for f, size in ((number, 3), (lambda x: x * 2.0 if x.sum() > 0 else x - 1.0, 3000)):
            _, breaks = self.ends(f, np.arange(size) + 1.0)
            self.assertEqual([entry["reason"] for entry in breaks], ["branch on an array's value"])


def random_branches(rng):
    """The source of a function of two arrays, with branches on their values."""
    def value():
        a, b = rng.choice(["a", "b", "c"], 2)
        return rng.choice([f"{a} * 0.75 - {b}", f"np.tanh({a}) + {b}", f"np.maximum({a}, {b} * 0.5)",
                           f"{a} - {b}.mean()", f"np.where({a} > {b}, {a}, 0.5 - {b})", f"{a} / (1.0 + {b} * {b})",
                           f"np.sqrt(np.abs({a}))"])

    def condition():
        a, b = rng.choice(["a", "b", "c"], 2)
        return rng.choice([f"{a}.sum() > {b}.sum()", f"{a}[{rng.integers(4)}] < 0.25", f"{a}.max() > 1 and {b}[0] > 0",
                           f"not {a}.mean() > {b}[1]", f"np.abs({a} - {b}).max() > 1 or {a}[2] > 0"])

    def block(depth, indent):
        lines = []
        for _ in range(rng.integers(1, 4)):
            kind, name = rng.random(), rng.choice(["a", "b", "c"])
            if kind < 0.45 or depth == 0:
                lines.append(f"{name} = {value()}")
            elif kind < 0.6:
                lines.append(f"{name} = {value()} if {condition()} else {value()}")
            elif kind < 0.7:
                lines += [f"for _ in range({rng.integers(1, 4)}):", *block(depth - 1, "    ")]
            else:
                lines += [f"if {condition()}:", *block(depth - 1, "    ")]
                if rng.random() < 0.6:
                    lines += ["else:", *block(depth - 1, "    ")]
                elif rng.random() < 0.4 and not indent:
                    lines += [f"    return {value()}, c + 1.0"]
        return [indent + line for line in lines]

    return "\n".join(["def f(a, b):", "    c = a * b + 1.0", *("    " + line for line in block(3, "")),
                      "    return a + b, c * 2.0", ""])


if __name__ == "__main__":
    unittest.main()
