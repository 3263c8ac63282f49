"""How many entries and breaks programs cost: what is compiled again, and what must not be.

usage: dynacc-python entries_test.py
"""
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

    def test_a_size_is_dynamic_after_one_change(self):
        calls = [(np.ones(n),) for n in (3, 4, 5, 6, 7)]
        self.assertEqual(entries_after(lambda b: b * 2.0 + 1.0, *calls), 2)

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
            return f
        compiled = [dynacc.compile(make(n)) for n in (1, 2, 3, 4)]
        before = dynacc.stats()["segments_compiled"]
        for function in compiled:
            function(ARRAY)
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


if __name__ == "__main__":
    unittest.main()
