#!/usr/bin/env python3
"""What one dynacc.compile owns, apart from any other one of the same function. Run by the launcher and by a stock python3."""
import asyncio
import copy
import dis
import functools
import gc
import inspect
import pickle
import sys
import threading
import unittest
import warnings
import weakref

import numpy as np

import dynacc

A = np.linspace(0.5, 3.0, 1000)


def body(a, k=2.0):
    """Doubles."""
    return np.sqrt(a * k + 1.0)


class Owner(unittest.TestCase):
    def test_two_of_one_function(self):
        told = {"one": 0, "two": 0}

        def backend(name):
            def count(graph):
                told[name] += 1
            return count

        one = dynacc.compile(body, backend=backend("one"))
        two = dynacc.compile(body, backend=backend("two"), dynamic=True)
        for _ in range(3):
            self.assertEqual(one(A).tobytes(), two(A).tobytes())
        self.assertEqual(told, {"one": 1, "two": 1})
        self.assertEqual((one.stats()["traces"], two.stats()["traces"]), (1, 1))
        for size in (10, 20, 30):
            two(A[:size])
        self.assertEqual(two.stats()["entries"], 1)
        one(A[:10])
        self.assertEqual((one.stats()["recompiles"], two.stats()["recompiles"]), (1, 0))

    def test_the_function_stays_as_it_is(self):
        def own(a):
            return a * 2.0 + 1.0

        before = (own.__code__, dict(own.__dict__))
        compiled = dynacc.compile(own, fullgraph=True)
        disabled = dynacc.disable(own)
        self.assertIsNot(compiled, own)
        self.assertIsNot(disabled, own)
        self.assertEqual((own.__code__, own.__dict__), before)
        hits = compiled.stats()["hits"]
        own(A), own(A)
        disabled(A)
        self.assertEqual(compiled.stats()["hits"], hits)
        compiled(A), compiled(A)
        self.assertGreater(compiled.stats()["hits"], hits)

    def test_fullgraph_is_about_the_functions_own_graph(self):
        # One cast is too small a graph to pay, so that CPython runs the function, and what it calls.
        def append_twice(x):
            casts = []
            for _ in range(2):
                casts.append(dynacc.astype(x, dynacc.float32))
            return casts

        for function in (lambda x: [dynacc.astype(x, dynacc.float32) for _ in range(2)], append_twice):
            convert = dynacc.compile(function, fullgraph=True)
            for _ in range(3):
                self.assertEqual([str(y.dtype) for y in convert(dynacc.asarray(np.ones(3)))], ["float32", "float32"])

    def test_forget(self):
        one, two = dynacc.compile(body), dynacc.compile(body)
        for f in (one, two, one, two):
            f(A)
        one.forget()
        self.assertEqual((one.stats()["entries"], two.stats()["entries"]), (0, 1))
        self.assertEqual(one(A).tobytes(), body(A).tobytes())
        self.assertEqual(one.stats()["traces"], 2)

    def test_reset(self):
        one, two = dynacc.compile(body), dynacc.compile(body)
        one(A), two(A)
        dynacc.reset()
        self.assertEqual((one.stats()["entries"], two.stats()["entries"]), (0, 0))
        self.assertEqual(one(A).tobytes(), two(A).tobytes())

    def test_forget_inside(self):
        def forgets(a, f):
            b = a * 2.0 + 1.0
            f().forget()
            dynacc.reset()
            return b * 3.0 - a

        compiled = dynacc.compile(forgets)
        for _ in range(4):
            self.assertEqual(compiled(A, lambda: compiled).tobytes(), ((A * 2.0 + 1.0) * 3.0 - A).tobytes())

    def test_collected_while_it_runs(self):
        died = []

        def drops(a, holder):
            b = a * 2.0 + 1.0
            holder.clear()
            gc.collect()
            return b * 3.0 - a

        for _ in range(3):
            holder = [dynacc.compile(drops)]
            weakref.finalize(holder[0], died.append, 1)
            self.assertEqual(holder[0](A, holder).tobytes(), ((A * 2.0 + 1.0) * 3.0 - A).tobytes())
        gc.collect()
        self.assertEqual(len(died), 3)

    def test_collected_in_a_cycle(self):
        def make():
            def f(a):
                return a * 2.0 + 1.0
            compiled = dynacc.compile(f, on_recompile=lambda *what: compiled, backend=lambda graph: str(compiled)[:0] or None)
            f.again = compiled
            compiled(A)
            return weakref.ref(compiled)

        gone = make()
        gc.collect()
        self.assertIsNone(gone())

    def test_limits_are_its_own(self):
        small = dynacc.compile(body, options={"recompile_limit": 2}, dynamic=False)
        large = dynacc.compile(body, dynamic=False)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for size in range(10, 18):
                small(A[:size]), large(A[:size])
        self.assertEqual((small.stats()["entries"], large.stats()["entries"]), (2, 8))
        self.assertEqual(len(caught), 1)


class Nested(unittest.TestCase):
    def test_inner_options_win_inside(self):
        seen = []
        inner = dynacc.compile(body, backend=lambda graph: seen.append("inner"))
        outer = dynacc.compile(lambda a: inner(a) + np.sin(a) * 2.0, backend=lambda graph: seen.append("outer"))
        for _ in range(3):
            np.testing.assert_array_equal(outer(A), body(A) + np.sin(A) * 2.0)
        self.assertEqual(sorted(seen), ["inner", "outer"])

    def test_one_graph_has_the_inner_functions_in_it(self):
        inner = dynacc.compile(lambda x: x * 2)
        outer = dynacc.compile(lambda x: inner(x) + 1, fullgraph=True)
        x = np.arange(4.0)
        for _ in range(3):
            np.testing.assert_array_equal(outer(x), x * 2 + 1)
        self.assertEqual(inner.stats()["traces"], 0)
        self.assertEqual(outer.stats()["traces"], 1)

    def test_what_it_calls_is_the_innermost_ones(self):
        seen = []

        def helper(a, stop):
            print(end="")  # not inlined
            return a * 3.0 - 1.0 if not stop else a

        def calls(a, stop=False):
            b = helper(a, stop)
            print(end="")
            return np.abs(b) * 2.0

        one = dynacc.compile(calls, backend=lambda graph: seen.append("one"))
        two = dynacc.compile(calls, backend=lambda graph: seen.append("two"))
        for _ in range(3):
            one(A)
        self.assertEqual(set(seen), {"one"})
        seen.clear()
        two(A)
        self.assertEqual(set(seen), {"two"})

    def test_disabled_inside(self):
        counts = []

        def helper(a):
            return np.exp(a * 0.5) + 1.0

        plain = dynacc.disable(helper)
        compiled = dynacc.compile(helper, backend=lambda graph: counts.append(1))
        outer = dynacc.compile(lambda a, f: f(a) * 2.0 + 1.0)
        np.testing.assert_array_equal(outer(A, plain), helper(A) * 2.0 + 1.0)
        self.assertEqual(counts, [])
        np.testing.assert_array_equal(dynacc.disable(lambda a: compiled(a) + 1.0)(A), helper(A) + 1.0)
        self.assertEqual(counts, [1])

    def test_nothing_in_a_disabled_function_is_captured(self):
        before = dynacc.stats()["segments_compiled"]

        def helper(a):
            return a * 2.0 + 1.0

        @dynacc.disable
        def loop(a):
            for _ in range(2000):
                a = helper(a) * 0.25
            return a

        loop(A)
        dynacc.compile(lambda a: loop(a))(A)
        self.assertEqual(dynacc.stats()["segments_compiled"], before)

    def test_recursion(self):
        def fact(a, n):
            return a if n == 0 else fact_of(a * 0.5 + n, n - 1)

        fact_of = dynacc.compile(fact)
        expected = A
        for n in range(6, 0, -1):
            expected = expected * 0.5 + n
        for _ in range(3):
            np.testing.assert_array_equal(fact_of(A, 6), expected)

    def test_an_exception_ends_the_scope(self):
        seen = []

        def fails(a):
            b = a * 2.0 + 1.0
            raise KeyError(float(b[0]))

        compiled = dynacc.compile(fails, backend=lambda graph: seen.append(graph.label))
        for _ in range(3):
            with self.assertRaises(KeyError):
                compiled(A)
        seen.clear()
        for _ in range(3):
            body(A[:77])
        self.assertEqual(seen, [])


class Suspended(unittest.TestCase):
    def test_generators_run_where_they_are_resumed(self):
        seen = []

        def helper(a):
            print(end="")
            return a * 2.0 + 1.0

        def numbers(a):
            for k in range(4):
                yield helper(a + k)

        one = dynacc.compile(numbers, backend=lambda graph: seen.append("one"))
        two = dynacc.compile(lambda generator: next(generator) + 0.0, backend=lambda graph: seen.append("two"))
        generator = one(A)
        for k in range(2):
            np.testing.assert_array_equal(next(generator), (A + k) * 2.0 + 1.0)
        self.assertNotIn("one", seen)  # its body runs outside of the call
        np.testing.assert_array_equal(two(generator), (A + 2) * 2.0 + 1.0)
        self.assertNotIn("one", seen)
        generator.close()

    def test_coroutines(self):
        inner = dynacc.compile(body)

        async def work(a):
            b = inner(a)
            await asyncio.sleep(0)
            return b + inner(a)

        compiled = dynacc.compile(work)

        async def main():
            return await asyncio.gather(*[compiled(A + k) for k in range(5)])

        for k, result in enumerate(asyncio.run(main())):
            np.testing.assert_array_equal(result, body(A + k) * 2)

    def test_a_generator_that_outlives_its_compilation(self):
        def numbers(a):
            yield a * 2.0
            yield a * 3.0 + 1.0

        compiled = dynacc.compile(numbers)
        generator = compiled(A)
        next(generator)
        del compiled
        gc.collect()
        np.testing.assert_array_equal(next(generator), A * 3.0 + 1.0)


class Threads(unittest.TestCase):
    def test_each_thread_runs_its_own(self):
        wrong, seen = [], {"one": 0, "two": 0}

        def helper(a):
            print(end="")
            return np.cos(a) * 2.0

        def calls(a):
            b = helper(a * 2.0)
            print(end="")
            return b + 1.0

        def count(name):
            def backend(graph):
                seen[name] += 1
            return backend

        ways = {name: dynacc.compile(calls, backend=count(name)) for name in seen}

        def work(name):
            for size in range(50, 150):
                a = A[:size]
                if ways[name](a).tobytes() != (np.cos(a * 2.0) * 2.0 + 1.0).tobytes():
                    wrong.append((name, size))

        threads = [threading.Thread(target=work, args=(name,)) for name in ("one", "two", "one", "two")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        self.assertTrue(seen["one"] > 0 and seen["two"] > 0)

    def test_forget_while_others_run(self):
        compiled = dynacc.compile(lambda a: np.sqrt(a * 2.0 + 1.0) - a)
        wrong, stop = [], threading.Event()

        def work():
            while not stop.is_set():
                if compiled(A).tobytes() != (np.sqrt(A * 2.0 + 1.0) - A).tobytes():
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(200):
            compiled.forget()
            compiled(A)
        stop.set()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_greenlets(self):
        try:
            import greenlet
        except ImportError:
            self.skipTest("greenlet is not installed")
        seen = []

        def helper(a):
            print(end="")
            return a * 2.0 + 1.0

        def switches(a, other):
            b = helper(a)
            other.switch()
            return helper(b) * 2.0

        made = []
        for name in ("one", "two"):
            compiled = dynacc.compile(switches, backend=lambda graph, name=name: seen.append(name))
            made.append(greenlet.greenlet(compiled))
        main = greenlet.getcurrent()
        for each in made:
            each.switch(A, main)
        seen.clear()
        plain = helper(A[:500])  # in neither
        self.assertEqual(seen, [])
        first = made[0].switch()
        second = made[1].switch()  # the scopes end in the order in which they began
        for result in (first, second):
            np.testing.assert_array_equal(result, ((A * 2.0 + 1.0) * 2.0 + 1.0) * 2.0)
        np.testing.assert_array_equal(plain, A[:500] * 2.0 + 1.0)
        seen.clear()
        for _ in range(3):
            helper(A[:400])
        self.assertEqual(seen, [])


class AsFunctions(unittest.TestCase):
    def test_attributes(self):
        for made in (dynacc.compile(body), dynacc.disable(body)):
            self.assertEqual((made.__name__, made.__qualname__, made.__doc__, made.__module__),
                             (body.__name__, body.__qualname__, body.__doc__, body.__module__))
            self.assertIs(made.__wrapped__, body)
            self.assertEqual(inspect.signature(made), inspect.signature(body))
            self.assertIn("body", repr(made))
            made.note = 1
            self.assertEqual(made.note, 1)

    def test_tools_know_its_code(self):
        def scaled(a, k=2.0, *, shift: float = 1.0):
            return a * k + shift + factor
        factor = 3.0
        for made in (dynacc.compile(scaled), dynacc.disable(scaled)):
            for name in ("__code__", "__globals__", "__closure__", "__defaults__", "__kwdefaults__"):
                self.assertEqual(getattr(made, name), getattr(scaled, name), name)
                with self.assertRaises(AttributeError):
                    setattr(made, name, None)
            self.assertEqual(inspect.getfullargspec(made), inspect.getfullargspec(scaled))
            self.assertEqual([i.opname for i in dis.get_instructions(made)], [i.opname for i in dis.get_instructions(scaled)])
            self.assertEqual(made(A[:3]).tolist(), scaled(A[:3]).tolist())
        with self.assertRaisesRegex(AttributeError, "__code__"):
            dynacc.disable(len).__code__

    def test_methods(self):
        class Model:
            def __init__(self):
                self.k = 3.0

            @dynacc.compile
            def scaled(self, a):
                return a * self.k + 1.0

            @classmethod
            @dynacc.compile
            def made(cls, a):
                return a * 2.0 - 1.0

            @staticmethod
            @dynacc.compile
            def still(a):
                return a * 4.0 - 1.0

            @dynacc.disable
            def plain(self, a):
                return a * self.k

            @property
            @dynacc.compile
            def doubled(self):
                return A * self.k

        model = Model()
        for _ in range(3):
            np.testing.assert_array_equal(model.scaled(A), A * 3.0 + 1.0)
            np.testing.assert_array_equal(Model.scaled(model, A), A * 3.0 + 1.0)
            np.testing.assert_array_equal(Model.made(A), A * 2.0 - 1.0)
            np.testing.assert_array_equal(model.still(A), A * 4.0 - 1.0)
            np.testing.assert_array_equal(model.plain(A), A * 3.0)
            np.testing.assert_array_equal(model.doubled, A * 3.0)
        bound = dynacc.compile(model.scaled)
        np.testing.assert_array_equal(bound(A), A * 3.0 + 1.0)
        self.assertIs(bound.__self__, model)

    def test_pickling_and_copy(self):
        self.assertIs(pickle.loads(pickle.dumps(by_name)), by_name)
        self.assertIs(pickle.loads(pickle.dumps(left_alone)), left_alone)
        self.assertIs(copy.copy(by_name), by_name)
        self.assertIs(copy.deepcopy(by_name), by_name)
        with self.assertRaises(pickle.PicklingError):  # as of a function that its module does not have by that name
            pickle.dumps(dynacc.compile(body))

    def test_partials_and_wrappers(self):
        half = dynacc.compile(body)
        np.testing.assert_array_equal(functools.partial(half, k=3.0)(A), body(A, 3.0))
        np.testing.assert_array_equal(half(a=A, k=3.0), body(A, 3.0))
        with self.assertRaises(TypeError):
            half()

    def test_compiling_again_compiles_the_function(self):
        once = dynacc.compile(body, fullgraph=True)
        twice = dynacc.compile(once)
        self.assertIs(twice.__wrapped__, body)
        self.assertIs(dynacc.disable(once).__wrapped__, body)


@dynacc.compile
def by_name(a):
    return a + 1.0


@dynacc.disable
def left_alone(a):
    return a + 1.0


class Signature(unittest.TestCase):
    # https://docs.pytorch.org/docs/stable/generated/torch.compile.html
    TORCH = ("(model=None, *, fullgraph=False, dynamic=None, backend='inductor', mode=None, options=None, disable=False)")

    def test_parity(self):
        ours = inspect.signature(dynacc.compile).parameters
        for name, theirs in inspect.signature(eval(f"lambda {self.TORCH[1:-1]}: None")).parameters.items():
            self.assertIn(name, ours)
            self.assertEqual(ours[name].kind, theirs.kind, name)
            if name != "backend":
                self.assertEqual(ours[name].default, theirs.default, name)
        self.assertEqual(ours["backend"].default, "auto")
        self.assertEqual(list(ours)[:9], ["model", "fullgraph", "dynamic", "backend", "mode", "options", "disable",
                                          "fast_math", "device"])

    def test_decorator_forms(self):
        @dynacc.compile(dynamic=True)
        def one(a):
            return a + 1.0

        np.testing.assert_array_equal(one(A), A + 1.0)
        self.assertIs(dynacc.compile(body, disable=True), body)
        self.assertIs(dynacc.compile(disable=True)(body), body)

    def test_modes(self):
        modes = dynacc.list_mode_options()
        self.assertIn("default", modes)
        for mode in modes:
            self.assertEqual(dynacc.list_mode_options(mode), modes[mode])
            np.testing.assert_array_equal(dynacc.compile(body, mode=mode)(A), body(A))
            if modes[mode]:
                dynacc.compile(body, options=modes[mode])

    def test_options_of_one_compilation(self):
        with_rule = dynacc.compile(body)
        without = dynacc.compile(body, options={"fuse_producer": False, "tier_up": 0, "target": "tile"})
        self.assertEqual(with_rule(A).tobytes(), without(A).tobytes())
        groups = [len(dynacc.explain(f)(A).segments[0]["entries"][0]["kernels"].splitlines()) for f in (with_rule, without)]
        self.assertNotEqual(groups[0], groups[1])
        fused = [dynacc.explain(f, fresh=False)(A).segments[0]["entries"][0]["groups"] for f in (with_rule, without)]
        self.assertLess(len(fused[0]), len(fused[1]))  # those of the entry, not of the process's options

    def test_wrong_arguments(self):
        for error, text, arguments in (
                (ValueError, "disable=True", dict(fullgraph=True, disable=True)),
                (ValueError, "one of them", dict(mode="default", options={})),
                (ValueError, "did you mean 'max-autotune'", dict(mode="max-autotun")),
                (ValueError, "did you mean 'tier_up'", dict(options={"tierup": 1})),
                (ValueError, "did you mean 'fuse_rows'", dict(options={"fuse_row": True})),
                (ValueError, "whole process's", dict(options={"logs": "graph"})),
                (ValueError, "whole process's", dict(options={"policy": "hot"})),
                (TypeError, "tier_up", dict(options={"tier_up": "soon"})),
                (TypeError, "fast_math", dict(options={"fast_math": 1})),
                (TypeError, "fuse_rows", dict(options={"fuse_rows": 1})),
                (ValueError, "tier_up", dict(options={"tier_up": -1})),
                (ValueError, "no target", dict(options={"target": "gpu"})),
                (TypeError, "dict", dict(options=["tier_up"])),
                (TypeError, "str", dict(options={1: 2})),
                (ValueError, "given twice", dict(options={"target": "tile"}, backend="cpu")),
                (ValueError, "fast_math", dict(options={"fast_math": True}, fast_math=False)),
                (ValueError, "did you mean 'tile'", dict(backend="tiles")),
                (TypeError, "backend", dict(backend=3)),
                (ValueError, "device", dict(device="tpu")),
                (ValueError, "device", dict(device="cuda", backend="tile")),
                (ValueError, "device", dict(device="cpu", backend="cuda")),
                (TypeError, "fullgraph", dict(fullgraph=1)),
                (TypeError, "dynamic", dict(dynamic="yes")),
                (TypeError, "on_recompile", dict(on_recompile=3)),
                (TypeError, "guard_filter", dict(options={"guard_filter": 3}))):
            with self.subTest(arguments), self.assertRaisesRegex(error, text):
                dynacc.compile(body, **arguments)
        with self.assertRaisesRegex(ValueError, "no mode 'fast'"):
            dynacc.list_mode_options("fast")
        for wrong in (3, np.sin, int):
            with self.assertRaisesRegex(TypeError, "dynacc"):
                dynacc.disable(wrong) if wrong is not np.sin else dynacc.compile(3)


class Callbacks(unittest.TestCase):
    def test_on_graph_break(self):
        calls = []

        def breaks(a):
            b = a * 2.0 + 1.0
            print(end="")
            return b * 3.0

        dynacc.compile(breaks, on_graph_break=lambda *what: calls.append(what))(A)
        self.assertEqual(len(calls), 1)
        code, line, reason = calls[0]
        self.assertIs(code, breaks.__code__)
        self.assertEqual(line, breaks.__code__.co_firstlineno + 2)
        self.assertIn("print", reason)

    def test_on_recompile(self):
        calls = []
        f = dynacc.compile(body, on_recompile=lambda *what: calls.append(what))
        f(A)
        self.assertEqual(calls, [])
        f(A.astype(np.float32))
        self.assertEqual(len(calls), 1)
        self.assertIs(calls[0][0], body.__code__)
        self.assertIn("f64", calls[0][2])

    def test_what_they_raise_is_raised(self):
        def refuse(*what):
            raise LookupError("enough")

        f = dynacc.compile(body, on_recompile=refuse)
        f(A)
        for _ in range(2):
            with self.assertRaisesRegex(LookupError, "enough"):
                f(A.astype(np.float32))
        np.testing.assert_array_equal(f(A), body(A))

    def test_the_limit_is_loud_once(self):
        f = dynacc.compile(body, dynamic=False, options={"recompile_limit": 2})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for size in range(10, 20):
                np.testing.assert_array_equal(f(A[:size]), body(A[:size]))
        self.assertEqual([one.category for one in caught], [RuntimeWarning])
        text = str(caught[0].message)
        for part in ("body", f":{body.__code__.co_firstlineno})", "a.shape[0]", "failed", "dynamic=True"):
            self.assertIn(part, text)
        self.assertEqual(f.stats()["limits_reached"], 1)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            g = dynacc.compile(body, dynamic=False, options={"recompile_limit": 1})
            g(A[:10])
            with self.assertRaises(RuntimeWarning):
                g(A[:11])

    def test_guard_filter(self):
        seen = []

        def without_k(guards):
            seen.extend(guards)
            return ["k" not in guard for guard in guards]

        loose = dynacc.compile(body, options={"guard_filter": without_k})
        np.testing.assert_array_equal(loose(A, 2.0), body(A, 2.0))
        np.testing.assert_array_equal(loose(A, 5.0), body(A, 2.0))  # the user knew better
        np.testing.assert_array_equal(loose(A[:9], 5.0), body(A[:9], 5.0))  # what memory safety needs stays
        self.assertTrue(any("k" in guard for guard in seen))
        for answer, error in (([], ValueError), (None, TypeError)):
            with self.assertRaises(error):
                dynacc.compile(body, options={"guard_filter": lambda guards, answer=answer: answer})(A, 2.0)


class Marks(unittest.TestCase):
    def test_mark_dynamic(self):
        f = dynacc.compile(body)
        a = A.copy()
        dynacc.mark_dynamic(a, 0)
        f(a)
        for size in (10, 20, 30):
            np.testing.assert_array_equal(f(A[:size]), body(A[:size]))
        self.assertEqual(f.stats()["traces"], 1)

    def test_bounds(self):
        f = dynacc.compile(body)
        a = A.copy()
        dynacc.mark_dynamic(a, -1, min=100, max=2000)
        f(a)
        f(A[:100])
        self.assertEqual(f.stats()["traces"], 1)
        np.testing.assert_array_equal(f(A[:99]), body(A[:99]))
        self.assertEqual(f.stats()["traces"], 2)

    def test_mark_static(self):
        f = dynacc.compile(body, dynamic=True)
        arrays = [A[:size].copy() for size in (10, 20)]
        for a in arrays:
            dynacc.mark_static(a)
            np.testing.assert_array_equal(f(a), body(a))
        self.assertEqual(f.stats()["traces"], 2)

    def test_marks_go_with_their_arrays(self):
        from dynacc import _directives
        a = A.copy()
        dynacc.mark_dynamic(a, 0)
        count = len(_directives._marked)
        del a
        gc.collect()
        self.assertEqual(len(_directives._marked), count - 1)

    def test_bad_marks(self):
        for error, call in ((TypeError, lambda: dynacc.mark_dynamic([1.0], 0)), (ValueError, lambda: dynacc.mark_dynamic(A, 1)),
                            (ValueError, lambda: dynacc.mark_dynamic(A, 0, min=2000)),
                            (ValueError, lambda: dynacc.mark_dynamic(A, 0, min=5, max=3)),
                            (TypeError, lambda: dynacc.mark_dynamic(A, None)), (TypeError, lambda: dynacc.mark_static(3)),
                            (TypeError, lambda: dynacc.mark_dynamic(A, 0, min=0.5))):
            with self.assertRaises(error):
                call()


class Stances(unittest.TestCase):
    def test_force_eager(self):
        f = dynacc.compile(body)
        with dynacc.set_stance("force_eager"):
            np.testing.assert_array_equal(f(A), body(A))
            self.assertEqual(f.stats()["traces"], 0)
        f(A)
        self.assertEqual(f.stats()["traces"], 1)

    def test_no_recompile(self):
        f = dynacc.compile(body)
        f(A)
        other = A.astype(np.float32)
        with dynacc.set_stance("eager_on_recompile"):
            for _ in range(5):
                np.testing.assert_array_equal(f(other), body(other))
        self.assertEqual(f.stats()["traces"], 1)
        with dynacc.set_stance("fail_on_recompile"):
            np.testing.assert_array_equal(f(A), body(A))
            with self.assertRaisesRegex(RuntimeError, "body.*f64"):
                f(other)
        f(other)
        self.assertEqual(f.stats()["traces"], 2)

    def test_as_decorator_and_statement(self):
        f = dynacc.compile(body)

        @dynacc.set_stance("force_eager")
        def eagerly():
            return f(A)

        eagerly()
        self.assertEqual(f.stats()["traces"], 0)
        dynacc.set_stance("force_eager")
        f(A)
        dynacc.set_stance("default")
        self.assertEqual(f.stats()["traces"], 0)
        f(A)
        self.assertEqual(f.stats()["traces"], 1)

    def test_unknown(self):
        with self.assertRaisesRegex(ValueError, "did you mean 'force_eager'"):
            dynacc.set_stance("force-eager")


if __name__ == "__main__":
    sys.setswitchinterval(1e-4)
    unittest.main()
