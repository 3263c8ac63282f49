"""What users are told of graph breaks: the innermost line, its text, the calls that lead there, and what is none.

usage: dynacc-python breaks_test.py
"""
import inspect
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import dynacc

ARRAY = np.arange(6.0)


def shouts(a):
    b = a * 2.0 + 1.0
    print(end="")
    return b * 3.0 + 1.0


def middle(a):
    return shouts(a + 1.0) * 2.0


def outer(a):
    c = a * 2.0 + 1.0
    return middle(c) + 1.0


class Counter:
    """An iterator of Python's, with a break inside."""

    def __init__(self, count):
        self.count = count

    def __iter__(self):
        return self

    def __next__(self):
        if self.count == 0:
            raise StopIteration
        print(end="")
        self.count -= 1
        return self.count


def over_list(a, items):
    for item in items:
        a = a * 0.5 + item
    return a


def over_range(a, count):
    for i in range(count):
        a = a * 0.5 + i
    return a


def over_pairs(a, items):
    for i, (x, y) in enumerate(zip(items, items)):
        a = a * 0.5 + x + y + i
    return a


def line_of(function, text):
    lines, start = inspect.getsourcelines(function)
    return start + next(i for i, line in enumerate(lines) if text in line)


class PlacesTest(unittest.TestCase):
    def test_a_break_in_inlined_calls_is_reported_where_it_is(self):
        report = dynacc.explain(outer)(ARRAY)
        first = report.breaks[0]
        self.assertEqual((first["line"], first["function"], first["source"]),
                         (line_of(shouts, "print"), "shouts", 'print(end="")'))
        self.assertEqual([(place["function"], place["line"]) for place in first["callers"]],
                         [("middle", line_of(middle, "shouts(")), ("outer", line_of(outer, "middle("))])
        self.assertEqual({place["file"] for place in first["callers"]}, {__file__})
        self.assertIn("in shouts, called by middle (", str(report))

    def test_a_break_without_calls_names_none(self):
        report = dynacc.explain(shouts)(ARRAY)
        self.assertEqual((report.breaks[0]["function"], report.breaks[0]["callers"]), ("shouts", []))
        self.assertNotIn("called by", str(report))

    def test_each_way_to_one_break_is_told(self):
        def both(a):
            a = middle(a)
            return shouts(a)
        report = dynacc.explain(both)(ARRAY)
        self.assertEqual([len(each["callers"]) for each in report.breaks if each["function"] == "shouts"], [2, 1])

    def test_fullgraph_names_the_line_its_text_and_the_calls(self):
        def whole(a):
            return outer(a) + 1.0
        with self.assertRaises(RuntimeError) as raised:
            dynacc.compile(whole, fullgraph=True)(ARRAY)
        self.assertIs(type(raised.exception), dynacc.GraphBreak)
        self.assertIn(raised.exception.description, str(raised.exception))
        text = str(raised.exception)
        self.assertIn(f"graph break at {__file__}:{line_of(shouts, 'print')}: call of print (hint: ", text)
        self.assertIn('\n    print(end="")\n', text)
        self.assertIn("in shouts, called by middle (", text)
        self.assertIn("whole (", text)

    def test_a_graph_says_it_too(self):
        with self.assertRaises(Exception) as raised:
            dynacc.grad(outer)(ARRAY)
        self.assertIn(f"{__file__}:{line_of(shouts, 'print')}: call of print", str(raised.exception))

    def test_a_cell_of_a_notebook_has_source_lines(self):
        import linecache
        source = "def cell(a):\n    b = a * 2.0 + 1.0\n    print(end='')\n    return b + 1.0\n"
        linecache.cache["<cell 1>"] = (len(source), None, source.splitlines(True), "<cell 1>")
        names = {}
        exec(compile(source, "<cell 1>", "exec"), names)
        with self.assertRaisesRegex(RuntimeError, r"<cell 1>:3: call of print .*\n    print\(end=''\)"):
            dynacc.compile(names["cell"], fullgraph=True)(ARRAY)

    def test_the_log_has_all_of_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "prog.py")
            with open(path, "w") as file:
                file.write("import numpy as np\n"
                           "def inner(a):\n    b = a * 2.0 + 1.0\n    print(end='')\n    return b\n"
                           "def outer(a):\n    return inner(a) + 1.0\n"
                           "outer(np.arange(6.0))\n")
            run = subprocess.run([sys.executable, path], capture_output=True, text=True,
                                 env={**os.environ, "DYNACC_POLICY": "always", "DYNACC_LOGS": "breaks"})
        self.assertIn(f"dynacc[breaks] {path}:4: graph break: call of print\n"
                      "dynacc[breaks]     print(end='')\n"
                      f"dynacc[breaks]     in inner, called by outer ({path}:7)", run.stderr)


class LoopsTest(unittest.TestCase):
    def check(self, function, *args):
        before = dynacc.stats()["graph_breaks"]
        report = dynacc.explain(function)(*args)
        np.testing.assert_array_equal(report.result, function(*args))
        self.assertEqual(report.breaks, [])
        self.assertEqual(dynacc.stats()["graph_breaks"], before)

    def test_the_step_of_an_ordinary_loop_is_no_break(self):
        self.check(over_list, ARRAY, [ARRAY] * 100)
        self.check(over_list, ARRAY, {i: 0 for i in range(100)})
        self.check(over_range, ARRAY, 100)
        self.check(over_pairs, ARRAY, [1.0] * 100)

    def test_a_break_in_the_iterator_is_one(self):
        report = dynacc.explain(over_list)(ARRAY, Counter(3))
        self.assertEqual([each["line"] for each in report.breaks], [line_of(Counter.__next__, "print")])

    def test_a_break_in_the_body_is_one(self):
        def loud(a, items):
            for item in items:
                a = a * 0.5 + item
                print(end="")
            return a
        report = dynacc.explain(loud)(ARRAY, [1.0] * 100)
        self.assertEqual({each["reason"] for each in report.breaks}, {"call of print"})

    def test_under_fullgraph_it_is_refused(self):
        with self.assertRaisesRegex(RuntimeError, f"{line_of(over_range, 'for i')}: a loop too long to unroll"):
            dynacc.compile(over_range, fullgraph=True)(ARRAY, 100)


class CallsTest(unittest.TestCase):
    def test_calls_of_numpy_read_as_such(self):
        def f(a):
            return np.sinc(a) * 2.0 + 1.0
        report = dynacc.explain(f)(ARRAY)
        self.assertRegex(report.graphs[0], r"= numpy\.sinc\(%\d+\)")
        self.assertRegex(report.kernels[0], r"%\d+ = numpy\.sinc\(%\d+\)")
        self.assertNotIn("library_call(", str(report))


if __name__ == "__main__":
    unittest.main()
