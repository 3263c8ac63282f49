"""How many entries and breaks programs cost: what is compiled again, and what must not be.

The numbers in the tests of ForSmallBehaviours are those of tests/programs/README.md.

usage: dynacc-python entries_test.py
"""
import collections
import enum
import gc
import unittest
import weakref

import numpy as np

import dynacc

ARRAY = np.arange(6.0).reshape(2, 3)
SHARED = ARRAY + 1.0


def entries_after(function, *calls):
    """The number of compiled entries of `function` after those calls, all given right results."""
    compiled = dynacc.compile(function)
    before = dynacc.stats()["segments_compiled"]
    for args in calls:
        compiled(*args)
    return dynacc.stats()["segments_compiled"] - before


def breaks_of(function, *args):
    return dynacc.explain(function)(*args).breaks


class Model:
    def __init__(self):
        self.x = ARRAY.copy()
        self.steps = 0
        self.history = []
        self.training = True

    def step(self, b):
        self.x = self.x * 0.5 + b
        self.steps += 1
        self.history.append(self.x.sum())

    def forward(self, b):
        return b * 2.0 + 1.0 if self.training else b * 3.0 - 1.0


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Base:
    def scaled(self, b):
        return b * self.scale + 1.0


class Child(Base):
    scale = 2.0

    def scaled(self, b):
        return super().scaled(b) * 2.0


class Entries(unittest.TestCase):
    def test_three_flags_are_three_entries(self):
        def f(b, flag):
            return b * 2.0 + 1.0 if flag is None else b * 3.0 + 1.0 if flag else b * 4.0 + 1.0
        self.assertEqual(entries_after(f, *[(ARRAY, flag) for flag in (True, False, None, True, None)]), 3)

    def test_keys_by_identity_do_not_break(self):
        table = {Color.RED: 2.0, Color.BLUE: 3.0, Model: 4.0, entries_after: 5.0}
        def f(b, color, cls, function):
            return (b * table[color] + table[cls]).sum() + b * table[function]
        for color in Color:
            self.assertEqual(breaks_of(f, ARRAY, color, Model, entries_after), [])
        calls = [(ARRAY, color, Model, entries_after) for color in (Color.RED, Color.BLUE) * 3]
        self.assertEqual(entries_after(f, *calls), 2)

    def test_membership_in_a_set_that_grows_is_one_entry_each_way(self):
        seen = {Color.RED, Base, breaks_of}

        def function(a, key):
            return a * (2.0 if key in seen else 3.0)

        for key in (Base, breaks_of, "name", Color.RED):
            with self.subTest(key=key):
                self.assertEqual(breaks_of(function, ARRAY, key), [])
        compiled = dynacc.compile(function)
        for members, keys, entries in (((), (Base, Model), 2), (range(100), (Base, Model), 0), ((Model,), (Base, Model), 1)):
            seen.update(members)
            before = dynacc.stats()["segments_compiled"]
            for key in keys:
                np.testing.assert_array_equal(compiled(ARRAY, key), ARRAY * (2.0 if key in seen else 3.0))
            self.assertEqual(dynacc.stats()["segments_compiled"] - before, entries)

    def test_a_set_keeps_no_class_alive(self):
        def function(a, classes, cls):
            return a * (2.0 if cls in classes else 3.0)

        compiled = dynacc.compile(function)
        cls = type("Local", (), {})
        compiled(ARRAY, {cls, int}, cls)
        gone = weakref.ref(cls)
        del cls
        gc.collect()
        self.assertIsNone(gone())

    def test_a_size_is_dynamic_after_one_change(self):
        calls = [(np.ones(n),) for n in (3, 4, 5, 6, 7)]
        self.assertEqual(entries_after(lambda b: b * 2.0 + 1.0, *calls), 2)

    def test_a_numpy_int_as_an_index_is_an_input_at_once(self):
        def f(b, i):
            return b[i] * 2.0 + b[:, i].sum()
        square = ARRAY[:, :2]
        self.assertEqual(breaks_of(f, square, np.int64(0)), [])
        self.assertEqual(entries_after(f, *[(square, np.int64(i)) for i in (0, 1, 0, 1)]), 1)
        self.assertEqual(entries_after(f, *[(square, dtype(1)) for dtype in (np.int64, np.uint8, np.int64)]), 2)

    def test_arithmetic_of_numpy_ints_is_part_of_the_segment(self):
        def f(b):
            hits = (b > 2.0).sum()
            rate = 100 * hits // b.size
            x = b.astype(int)
            x[0, 1] += 1
            return 2 * hits + 1, -rate, abs(b.argmin() - hits), hits ** 2, x[0, 1] * 3 % 5, b * (hits - 1)
        self.assertEqual(breaks_of(f, ARRAY), [])
        self.assertEqual(entries_after(f, (ARRAY,), (ARRAY + 1.0,), (ARRAY - 1.0,)), 1)

    def test_lists_of_named_tuples_and_enumerations_do_not_break(self):
        Pair = collections.namedtuple("Pair", "left right")
        def f(b):
            pair = Pair(b * 2.0, b + 1.0)
            left, *rest = pair
            return list(pair), [*pair, b], tuple(pair), (lambda x, y: x - y)(*pair), rest, b * len(list(Color))
        self.assertEqual(breaks_of(f, ARRAY), [])

    def test_names_of_classes_and_functions_change_without_a_break(self):
        def f(b, parts):
            for cls, function, dtype in parts:
                b = function(b).astype(dtype) + len(cls.__name__)
            return b
        kept = [weakref.ref(one) for one in (Base, Child, entries_after)]
        double = lambda b: b * 2.0
        kept.append(weakref.ref(double))
        self.assertEqual(breaks_of(f, ARRAY, [(Base, double, np.float32), (Child, np.sqrt, np.float64)]), [])
        def g(b, cls, function, dtype):
            b = function(b).astype(dtype)
            cls, function, dtype = Child, double, np.float16
            return function(b).astype(dtype) + len(cls.__name__)
        self.assertEqual(breaks_of(g, ARRAY, Base, double, np.float32), [])

    def test_arithmetic_of_numpy_ints_calls_nobody(self):
        def f(b):
            n = b.sum()
            return 2 * n + 1, n - 7 * b.max(), n // 3, n % b.max(), n << 2, n >> 1, n ** 2, -n, abs(n), +n, b * 2
        compiled, whole = dynacc.compile(f), ARRAY.astype(int)
        compiled(whole)
        before = dynacc.stats()["library_calls"]
        compiled(whole)
        self.assertEqual(dynacc.stats()["library_calls"], before)

    def test_alternating_array_and_int(self):
        calls = [(ARRAY, k) for k in (ARRAY, 3, ARRAY, 4, ARRAY, 5, ARRAY, 6)]
        self.assertLessEqual(entries_after(lambda b, k: b * k + 1.0, *calls), 3)

    def test_a_toggled_flag_is_two_entries(self):
        model = Model()
        compiled = dynacc.compile(lambda m, b: m.forward(b))
        before = dynacc.stats()["segments_compiled"]
        for k in range(20):
            model.training = k % 2 == 0
            compiled(model, ARRAY)
        self.assertEqual(dynacc.stats()["segments_compiled"] - before, 2)

    def test_swapped_arrays_are_one_entry_aliased_ones_another(self):
        def f(x, y):
            return x is y, x * 2.0 + y
        one, two = ARRAY.copy(), ARRAY + 1.0
        self.assertEqual(entries_after(f, (one, two), (two, one), (one, two)), 1)
        self.assertEqual(entries_after(f, (one, two), (one, one), (two, two), (two, one)), 2)

    def test_an_int_in_a_closure_is_dynamic_after_one_change(self):
        def make(n):
            def f(b):
                return b * n + 1.0

            def change(to):
                nonlocal n
                n = to
            return dynacc.compile(f), change
        compiled, change = make(1)
        before = dynacc.stats()["segments_compiled"]
        for n in (1, 2, 3, 4):
            change(n)
            self.assertEqual(compiled(ARRAY).tobytes(), (ARRAY * n + 1.0).tobytes())
        self.assertLessEqual(dynacc.stats()["segments_compiled"] - before, 2)

    def test_nan_is_one_entry(self):
        self.assertEqual(entries_after(lambda b, k: b * k + 1.0, *[(ARRAY, float("nan"))] * 5), 1)

    def test_a_text_that_nobody_uses_costs_nothing(self):
        def f(b):
            text = f"rows: {b.shape[1]}"
            return b * 2.0 + 1.0
        self.assertEqual(entries_after(f, *[(ARRAY,)] * 3), 1)

    def test_a_method_that_stores_into_self_is_one_segment(self):
        model = Model()
        self.assertEqual(breaks_of(Model.step, model, ARRAY), [])
        step = dynacc.compile(Model.step)
        before = dynacc.stats()["segments_compiled"]
        for _ in range(30):
            step(model, ARRAY)
        self.assertLessEqual(dynacc.stats()["segments_compiled"] - before, 2)  # steps became dynamic
        self.assertEqual(model.steps, 31)
        self.assertEqual(len(model.history), 31)

    def test_a_changed_base_class_is_one_more_entry(self):
        child = Child()
        compiled = dynacc.compile(Child.scaled)
        before = dynacc.stats()["segments_compiled"]
        for _ in range(3):
            compiled(child, ARRAY)
        self.assertEqual(dynacc.stats()["segments_compiled"] - before, 1)
        Base.extra = 1
        for _ in range(3):
            compiled(child, ARRAY)
        self.assertEqual(dynacc.stats()["segments_compiled"] - before, 2)

    def test_a_function_attribute_is_guarded(self):
        def f(b):
            return b * f.scale + 1.0
        f.scale = 2.0
        compiled = dynacc.compile(f)
        self.assertEqual(compiled(ARRAY)[0, 1], 3.0)
        f.scale = 4.0
        self.assertEqual(compiled(ARRAY)[0, 1], 5.0)

    def test_after_the_limit_old_entries_still_serve(self):
        compiled = dynacc.compile(lambda b, s: b * 2.0 + len(s))
        texts = ["x" * k for k in range(30)]
        results = [compiled(ARRAY, text) for text in texts]
        count = dynacc.stats()["segments_compiled"]
        hits = dynacc.stats()["entries_hit"]
        for text, result in zip(texts, results):
            self.assertTrue((compiled(ARRAY, text) == result).all())
        self.assertEqual(dynacc.stats()["segments_compiled"], count)
        self.assertGreaterEqual(dynacc.stats()["entries_hit"] - hits, 8)

    def test_entries_keep_no_array_alive(self):
        compiled = dynacc.compile(lambda b: b * 2.0 + 1.0)
        array = ARRAY.copy()
        compiled(array)
        compiled(array)
        gone = weakref.ref(array)
        del array
        gc.collect()
        self.assertIsNone(gone())

    def test_objects_that_stay_inside_cost_nothing(self):
        def f(b):
            model = Model()
            model.x = b * 2.0
            model.step(b)
            return model.x + len(model.history)
        report = dynacc.explain(f)(ARRAY)
        self.assertEqual(report.breaks, [])
        self.assertEqual(len(report.graphs), 1)

    def test_a_break_three_calls_deep_is_two_graphs(self):
        def deep(b):
            c = b * 2.0 + 1.0
            print(end="")
            return c * 3.0 - 1.0
        def middle(b):
            return deep(b)
        report = dynacc.explain(deep)(ARRAY)
        self.assertEqual(len(report.graphs), 2)
        self.assertEqual([b["reason"] for b in report.breaks], ["call of print"])
        self.assertTrue((dynacc.compile(middle)(ARRAY) == (ARRAY * 2.0 + 1.0) * 3.0 - 1.0).all())

    def test_fullgraph_says_where_what_and_what_to_do(self):
        def f(b):
            print(end="")
            return b * 2.0
        with self.assertRaises(RuntimeError) as caught:
            dynacc.compile(f, fullgraph=True)(ARRAY)
        text = str(caught.exception)
        line = f.__code__.co_firstlineno + 1
        self.assertIn(f"{__file__}:{line}", text)
        self.assertIn("call of print", text)
        self.assertIn("hint: ", text)

    def test_ordinary_code_is_whole(self):
        """Nothing in these functions is a break."""
        def generators(b):
            return sum(b * k for k in range(4)) + max(len(s) for s in ("a", "bb"))

        def caught(b):
            try:
                raise KeyError("x")
            except KeyError as error:
                return b * len(error.args) + 1.0

        def finally_and_with(b):
            import_free = []
            try:
                b = b * 2.0
            finally:
                import_free.append(b)
            return import_free[0] + 1.0

        def dicts(b):
            table = {"x": b, ("y", 1): b * 2.0}
            for key, value in table.items():
                b = b + value * len(key)
            return b

        def texts(b):
            return b * len(f"{3.14159:.2f}".split(".")[0]) + 1.0

        for function in (generators, caught, finally_and_with, dicts, texts):
            with self.subTest(function.__name__):
                report = dynacc.explain(function)(ARRAY)
                self.assertEqual(report.breaks, [])
                self.assertTrue((report.result == function(ARRAY)).all())


class Flags:
    doubled = True


def reads_flag_then_prints(b):
    c = b * 2.0 if Flags.doubled else b * 3.0
    print(end="")
    return c + 1.0


def calls_printer(b):
    c = b + 1.0
    return reads_flag_then_prints(c * 0.5)


def inner(b, text):
    return b * 2.0 + len(text)


Pair = collections.namedtuple("Pair", "first second")


class OfFunctionsWithOtherBuiltins(unittest.TestCase):
    """A named tuple's __new__ has builtins of its own, as has what exec() makes with other ones."""

    def test_named_tuples(self):
        step = lambda pair: type(pair)(pair.first + 1, Pair(pair.second, ARRAY * 2))
        self.assertEqual(entries_after(step, *[(Pair(ARRAY, ARRAY),)] * 4), 1)

    def test_functions_are_told_apart_by_their_builtins(self):
        code = "def double(x): return x * 2"
        own, ours = {"__builtins__": {}}, {"__builtins__": __builtins__}
        exec(code, own)
        exec(code, ours)
        ours["double"].__code__ = own["double"].__code__
        call = lambda double: double(ARRAY) + 1
        both = [(own["double"],), (ours["double"],)]
        self.assertEqual(entries_after(call, *both * 3), 2)


class ForSmallBehaviours(unittest.TestCase):
    def test_2_five_sizes(self):
        def entries(dynamic):
            compiled = dynacc.compile(lambda b: b * 2.0 + 1.0, dynamic=dynamic)
            before = dynacc.stats()["segments_compiled"]
            for n in (3, 4, 5, 6, 7):
                self.assertEqual(compiled(np.ones(n)).shape, (n,))
            return dynacc.stats()["segments_compiled"] - before
        self.assertEqual([entries(False), entries(None), entries(True)], [5, 2, 1])

    def test_5_a_global_array_that_is_the_argument(self):
        def f(b):
            return b is SHARED, b * 2.0 + SHARED
        other, third = ARRAY.copy(), ARRAY * 3.0
        self.assertEqual(entries_after(f, (other,), (third,), (other,)), 1)
        self.assertEqual(entries_after(f, (other,), (SHARED,), (third,), (SHARED,)), 2)

    def test_7_after_the_limit_inner_functions_are_not_compiled_one_by_one(self):
        compiled = dynacc.compile(lambda b, text: inner(b, text) + 1.0)
        texts = ["y" * k for k in range(40)]
        for text in texts[:30]:
            compiled(ARRAY, text)
        before = dynacc.stats()["segments_compiled"]
        for text in texts:
            self.assertEqual(compiled(ARRAY, text)[0, 0], len(text) + 1.0)
        self.assertEqual(dynacc.stats()["segments_compiled"], before)

    def test_9_small_sizes_share_one_entry(self):
        compiled = dynacc.compile(lambda b: b * 2.0 + 1.0, dynamic=True)
        before = dynacc.stats()["segments_compiled"]
        for n in (3, 2, 1, 0, 3):
            self.assertEqual(compiled(np.ones(n)).tolist(), [3.0] * n)
        self.assertEqual(dynacc.stats()["segments_compiled"] - before, 1)

    def test_11_a_text_of_a_size_is_guarded_only_if_it_is_used(self):
        def unused(b):
            text = f"rows: {b.shape[0]}"
            return b * 2.0 + 1.0

        def used(b):
            return f"rows: {b.shape[0]}", b * 2.0 + 1.0
        sizes = [(np.ones((n, 2)),) for n in (2, 3, 4, 5, 3)]
        self.assertEqual(entries_after(unused, *sizes), 2)
        for (b,) in sizes:
            self.assertEqual(dynacc.compile(used)(b)[0], f"rows: {len(b)}")
        self.assertIn("b.shape[0] == 2", "\n".join(dynacc.explain(used)(np.ones((2, 2))).guards))

    def test_13_rows_of_an_array_guard_its_length(self):
        def f(b):
            rows = []
            for row in b:
                row += 1.0
                rows.append(row * 2.0)
            return rows
        calls = [(np.ones((n, 2)),) for n in (2, 2, 3, 3, 2, 3)]
        self.assertEqual(entries_after(f, *calls), 2)
        self.assertEqual([len(dynacc.compile(f)(*args)) for args in calls], [2, 2, 3, 3, 2, 3])

    def test_14_guards_of_what_was_rolled_back_do_not_survive(self):
        report = dynacc.explain(calls_printer)(ARRAY)
        guards = [guard for segment in report.segments for entry in segment["entries"]
                  for guard in entry["guards"]]
        self.assertTrue(guards)
        self.assertNotIn("doubled", "\n".join(guards))
        for Flags.doubled in (True, False, True):
            self.assertEqual(dynacc.compile(calls_printer)(ARRAY)[0, 1],
                             3.0 if Flags.doubled else 4.0)

    def test_40_a_break_three_calls_deep(self):
        def third(b):
            c = b * 2.0 + 1.0
            print(end="")
            return c * 3.0

        def second(b):
            return third(b + 1.0)

        def first(b):
            d = b - 1.0
            return second(b) + d
        self.assertEqual(len(dynacc.explain(third)(ARRAY).graphs), 2)
        report = dynacc.explain(first)(ARRAY)
        self.assertEqual(len(report.breaks), 1)
        self.assertIn("call of", report.breaks[0]["reason"])
        self.assertTrue((report.result == ((ARRAY + 1.0) * 2.0 + 1.0) * 3.0 + ARRAY - 1.0).all())


class Fullgraph(unittest.TestCase):
    """The error names file, line, opcode or callable, and what to do instead."""

    def text_of(self, function, *args):
        with self.assertRaises(RuntimeError) as caught:
            dynacc.compile(function, fullgraph=True)(*args)
        text = str(caught.exception)
        self.assertIn(f"{__file__}:", text)
        self.assertRegex(text, "hint: ..........")
        return text, function.__code__.co_firstlineno

    def test_a_call(self):
        def f(b):
            c = b * 2.0
            return c + np.linalg.norm(open(__file__).fileno())
        text, line = self.text_of(f, ARRAY)
        self.assertIn(f":{line + 2}", text)
        self.assertIn("call of open", text)

    def test_an_opcode(self):
        def f(b):
            c = b * 2.0
            class Holder:
                shift = 1.0
            return c + Holder.shift
        text, line = self.text_of(f, ARRAY)
        self.assertIn(f":{line + 2}", text)
        self.assertIn("opcode LOAD_BUILD_CLASS", text)

    def test_a_branch(self):
        def f(b):
            if (b > 3.0):
                return b * 2.0
            return b
        text, line = self.text_of(f, ARRAY[:1])
        self.assertIn(f":{line + 1}", text)
        self.assertIn("branch on an array's value", text)
        self.assertIn("np.where", text)

    def test_a_branch_that_gives_an_argument(self):
        def f(b):
            if b.sum() > 3.0:
                return b * 2.0
            return b
        text, line = self.text_of(f, ARRAY)
        self.assertIn(f":{line + 1}", text)
        self.assertIn("gives an array that was there before", text)
        self.assertIn("copy it", text)

    def test_a_break_in_a_callee_names_the_call(self):
        def f(b):
            return reads_flag_then_prints(b)
        text, line = self.text_of(f, ARRAY)
        self.assertIn(f":{line + 1}", text)
        self.assertIn("call of print", text)


if __name__ == "__main__":
    unittest.main()
