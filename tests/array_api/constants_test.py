#!/usr/bin/env python3
"""Constants: nothing writes to them, and products with them are those with the same tensor that may change."""
import copy
import ctypes
import gc
import os
import pickle
import subprocess
import sys
import threading
import unittest

import numpy as np
from drawing import DTYPES, draw, same

import dynacc as xp

# Views of a constant of two axes.
VIEWS = {
    "itself": lambda x: x, "a transpose": lambda x: x.T, "mT": lambda x: x.mT, "a row": lambda x: x[1], "a part": lambda x: x[1:, ::2],
    "backwards": lambda x: x[::-1], "one element": lambda x: x[1, 2], "reshaped": lambda x: xp.reshape(x, (-1,)),
    "broadcast": lambda x: xp.broadcast_to(x, (2, *x.shape)), "permuted": lambda x: xp.permute_dims(x, (1, 0)),
    "new axis": lambda x: x[None], "by DLPack": xp.from_dlpack, "nothing of it": lambda x: x[:0],
}


def numbers(seed, shape, dtype="float32"):
    return xp.asarray(np.random.default_rng(seed).standard_normal(shape), dtype=getattr(xp, dtype))


def exact(got, wanted, what):
    """Both have the same bits."""
    assert got.dtype is wanted.dtype and got.shape == wanted.shape, what
    assert bool(xp.all(got == wanted)), what


class Making(unittest.TestCase):
    def test_elements_and_attributes(self):
        random = np.random.default_rng(2)
        for dtype in DTYPES:
            for shape in ((), (3,), (3, 4), (0, 2)):
                array = draw(random, dtype, shape)
                x = xp.constant(array)
                same(x, array, dtype)
                self.assertTrue(xp.is_constant(x))
                self.assertEqual(str(x), str(xp.asarray(array)))

    def test_sources(self):
        same(xp.constant(2.5), np.asarray(2.5), "a number")
        same(xp.constant([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]]), "lists")
        same(xp.constant([1, 2], dtype=xp.float32), np.array([1, 2], np.float32), "dtype=")
        self.assertIs(xp.constant(numbers(0, (2, 2), "bfloat16")).dtype, xp.bfloat16)
        x = xp.constant(np.ones(3))
        self.assertIs(xp.constant(x), x)
        self.assertIs(xp.constant(x, dtype=xp.float64), x)
        self.assertIs(xp.constant(x, dtype=xp.float32).dtype, xp.float32)
        with self.assertRaises(TypeError):
            xp.constant("text")

    def test_memory_is_its_own(self):
        array = np.arange(6.0).reshape(2, 3)
        source = xp.asarray(array)
        for x in (xp.constant(array), xp.constant(source), xp.constant(source.T).T, xp.constant(memoryview(array))):
            self.assertFalse(np.shares_memory(np.asarray(x), array))
        x = xp.constant(source)
        source[...] = 9
        same(x, np.arange(6.0).reshape(2, 3), "the source has changed")

    def test_views_are_constants(self):
        x = xp.constant(np.arange(12.0).reshape(3, 4))
        for name, view in VIEWS.items():
            self.assertTrue(xp.is_constant(view(x)), name)
            self.assertIs(xp.constant(view(x)).dtype, x.dtype)
        for name, other in {"a sum": x + 1, "a copy": xp.asarray(x, copy=True), "a gather": x[xp.asarray([0, 1])],
                            "astype": xp.astype(x, xp.float64), "an ndarray": np.asarray(x), "a number": 3}.items():
            self.assertFalse(xp.is_constant(other), name)

    def test_copies_and_pickles(self):
        x = xp.constant(np.arange(12.0).reshape(3, 4))
        for made in (copy.copy(x), copy.deepcopy(x), xp.asarray(x, copy=True), copy.deepcopy([x])[0]):
            made[0, 0] = 5
            self.assertEqual((float(made[0, 0]), float(x[0, 0])), (5, 0))
        for dtype in (xp.float64, xp.bfloat16):
            for view in (lambda c: c, lambda c: c.T):
                kept = view(xp.constant(x, dtype=dtype))
                back = pickle.loads(pickle.dumps(kept))
                self.assertTrue(xp.is_constant(back))
                exact(back, kept, "pickled")
        self.assertFalse(xp.is_constant(pickle.loads(pickle.dumps(xp.ones(3)))))


def store_masked(x):
    x[x > 0] = 1


def store_gathered(x):
    x[xp.asarray([0])] = 1


def in_place(operator):
    scope = {}
    exec(f"def change(x):\n    x {operator}= x", scope)
    return scope["change"]


def make_writable(make):
    def change(x):
        array = make(x)
        array.flags.writeable = True
    return change


def write_view(make):
    def change(x):
        make(x)[...] = 1
    return change


def ask_for_writable_buffer(x):
    view = (ctypes.c_char * 200)()  # larger than a Py_buffer
    if ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(x), view, ctypes.c_int(0x1)) == 0:
        ctypes.pythonapi.PyBuffer_Release(view)


class Old:
    """Consumes by DLPack as it was before version 1."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, **arguments):
        return self.tensor.__dlpack__()

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


WRITES = {
    "x[0]": lambda x: x.__setitem__(0, 1), "x[...]": lambda x: x.__setitem__(Ellipsis, x), "a slice": lambda x: x.__setitem__(slice(1), 2),
    "a mask": store_masked, "indices": store_gathered, "np.add(out=)": lambda x: np.add(x, 1, out=x),
    "np.sum(out=)": lambda x: np.sum(x[None], axis=0, out=x), "np.add.at": lambda x: np.add.at(x, [0], 1),
    "np.negative.at": lambda x: np.negative.at(x, [0]),
    "np.copyto": lambda x: np.copyto(np.asarray(x), 1), "np.asarray": write_view(np.asarray),
    "np.array(copy=False)": write_view(lambda x: np.array(x, copy=False)),
    "__array__": write_view(lambda x: x.__array__()), "memoryview": lambda x: memoryview(x).cast("B").__setitem__(0, 1),
    "__array_interface__": write_view(lambda x: np.asarray(type("Shown", (), {"__array_interface__": x.__array_interface__, "x": x})())),
    "np.frombuffer": write_view(np.frombuffer), "a writable buffer": ask_for_writable_buffer,
    "flags of np.asarray": make_writable(np.asarray), "flags of a view": make_writable(lambda x: np.asarray(x)[1:]),
    "setflags": lambda x: np.asarray(x).setflags(write=True), "flags of np.frombuffer": make_writable(np.frombuffer),
    "flags of __array__": make_writable(lambda x: x.__array__()),
    "ctypes": lambda x: (ctypes.c_char * 8).from_buffer(x),
    "DLPack": lambda x: xp.from_dlpack(x).__setitem__(0, 1),
    "old DLPack, no copy": lambda x: x.__dlpack__(copy=False),
}
WRITES.update({f"x {operator}= x": in_place(operator) for operator in ("+", "-", "*", "/", "//", "%", "**", "@")})


class Writing(unittest.TestCase):
    def test_every_way_is_refused(self):
        for name, write in WRITES.items():
            x = xp.constant(np.arange(1.0, 5))
            with self.subTest(name), self.assertRaises((ValueError, BufferError, TypeError)):
                write(x)
            same(x, np.arange(1.0, 5), name)

    def test_of_integers_and_of_views(self):
        for operator in ("&", "|", "^", "<<", ">>"):
            x = xp.constant(np.arange(1, 5))
            with self.assertRaises(ValueError):
                in_place(operator)(x)
            same(x, np.arange(1, 5), operator)
        array = np.arange(12.0).reshape(3, 4)
        x = xp.constant(array)
        for name, view in VIEWS.items():
            if name == "nothing of it":
                continue
            with self.subTest(name), self.assertRaises(ValueError):
                view(x)[...] = 7
            same(x, array, name)

    def test_what_to_do_is_said(self):
        x = xp.constant(np.ones((2, 2)))
        for change in (lambda: x.__setitem__(0, 1), lambda: x.__iadd__(1), lambda: x.T.__setitem__(0, 1)):
            with self.assertRaisesRegex(ValueError, "asarray.*copy=True"):
                change()
        with self.assertRaisesRegex(ValueError, "read-only"):
            xp.broadcast_to(xp.ones(2), (2, 2))[0] = 1

    def test_captured(self):
        def assign(x, y):
            z = y * 2
            x[0] = z
            return z

        def add(x, y):
            x += y
            return x

        for function in (assign, add):
            fast = xp.compile(function)
            for x in (xp.ones(3), xp.constant(np.ones(3)), xp.ones(3), xp.constant(np.ones(3))):
                if xp.is_constant(x):
                    with self.assertRaisesRegex(ValueError, "asarray.*copy=True"):
                        fast(x, xp.asarray(2.0))
                    same(x, np.ones(3), function.__name__)
                else:
                    fast(x, xp.asarray(2.0))
                    self.assertNotEqual(float(x[0]), 1)

        @xp.compile
        def read(x):
            return x.T, x[1:], np.asarray(x), x + 1

        x = xp.constant(np.arange(4.0).reshape(2, 2))
        for _ in range(3):
            transposed, part, array, more = read(x)
            self.assertEqual([xp.is_constant(y) for y in (transposed, part, more)], [True, True, False])
            with self.assertRaises(ValueError):
                array.flags.writeable = True

    def test_old_consumers_of_dlpack_get_a_copy(self):
        x = xp.constant(np.arange(4.0))
        array = np.from_dlpack(Old(x))
        self.assertFalse(np.shares_memory(array, np.asarray(x)))
        y = xp.from_dlpack(Old(x))
        y[0] = 7
        same(x, np.arange(4.0), "old DLPack")
        with self.assertRaises(BufferError):
            x.__dlpack__(copy=False)
        self.assertTrue(np.shares_memory(np.asarray(xp.from_dlpack(x)), np.asarray(x)))

    def test_dlpack_in_c(self):
        capsule = xp.Tensor.__dlpack_c_exchange_api__
        get = ctypes.pythonapi.PyCapsule_GetPointer
        get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        words = ctypes.cast(get(capsule, b"dlpack_exchange_api"), ctypes.POINTER(ctypes.c_uint64))
        call = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
        described = (ctypes.c_uint64 * 16)()
        x, y = xp.constant(np.ones(3)), xp.ones(3)
        self.assertEqual(call(words[5])(id(y), ctypes.addressof(described)), 0)
        with self.assertRaisesRegex(BufferError, "constant"):
            call(words[5])(id(x), ctypes.addressof(described))
        managed = ctypes.c_void_p()
        self.assertEqual(call(words[3])(id(x), ctypes.addressof(managed)), 0)
        again = ctypes.c_void_p()
        self.assertEqual(call(words[4])(managed.value, ctypes.addressof(again)), 0)
        back = ctypes.cast(again, ctypes.py_object).value
        ctypes.pythonapi.Py_DecRef(ctypes.py_object(back))
        with self.assertRaises(ValueError):
            back[0] = 1


# --- Products ------------------------------------------------------------------------------------

ROWS = (1, 2, 5, 16, 17, 64, 130, 300)
# Inner and columns: of which 16 and 64 are factors, and not; very few columns; of many blocks.
WEIGHTS = ((256, 512), (300, 333), (1000, 3), (37, 1100), (768, 768), (1050, 1000))
LARGE = 1 << 20  # multiplications from which on plain weights, too, are oneDNN's


def layer(x, w, b, r):
    return xp.maximum(x @ w + b, 0.0) + r


def gated(x, w, v):
    h = x @ w
    return h * (x @ v)


class Products(unittest.TestCase):
    def check(self, x, w, what):
        """x @ w with w constant is that with a plain w, to the bit where both are oneDNN's; captured as eager."""
        c = xp.constant(w)
        got, wanted = x @ c, x @ w
        of_one_row = got.size == got.shape[-1] and w.dtype is xp.float32
        if x.size * (w.size // w.shape[-2]) >= LARGE and not of_one_row:
            exact(got, wanted, what)
        scale = float(np.abs(np.asarray(xp.astype(wanted, xp.float32))).max())
        off = np.abs(np.asarray(xp.astype(got, xp.float64)) - np.asarray(xp.astype(wanted, xp.float64))).max()
        self.assertLessEqual(off, (2e-2 if w.dtype is xp.bfloat16 else 1e-5) * scale, what)
        fast = xp.compile(lambda x, w: x @ w)
        for _ in range(3):
            exact(fast(x, c), got, what)
            exact(fast(x, w), wanted, what)

    def test_of_every_shape(self):
        for dtype in ("float32", "bfloat16"):
            for k, n in WEIGHTS:
                w = numbers(k, (k, n), dtype)
                for m in ROWS if k * n < LARGE // 2 else (1, 33):
                    self.check(numbers(m, (m, k), dtype), w, f"{dtype} {m} x {k} x {n}")
                self.check(numbers(3, k, dtype), w, f"{dtype} a vector of {k} x {n}")
                self.check(numbers(4, (2, 7, k), dtype), w, f"{dtype} a stack by {k} x {n}")
            self.check(numbers(5, 700, dtype), numbers(6, (2, 700, 900), dtype), f"{dtype} a vector by a stack")
            self.check(numbers(5, (9, 1), dtype)[::-1, 0], numbers(6, (9, 8000), dtype), f"{dtype} a vector backwards")

    def test_of_views(self):
        for dtype in ("float32", "bfloat16"):
            w = numbers(7, (400, 600), dtype)
            c = xp.constant(w)
            for name, view in {"transposed": lambda w: w.T, "columns": lambda w: w[:, 100:300], "rows": lambda w: w[40:],
                               "every other": lambda w: w[:, ::2], "backwards": lambda w: w[::-1], "reshaped": lambda w: xp.reshape(w, (1200, 200)),
                               "an axis more": lambda w: w[None], "a stack": lambda w: xp.reshape(w, (2, 200, 600)),
                               "repeated": lambda w: xp.broadcast_to(w[:1], (400, 600))}.items():
                plain, constant = view(w), view(c)
                x = numbers(8, (LARGE // (plain.shape[-2] * plain.shape[-1]) + 2, plain.shape[-2]), dtype)
                wanted = x @ xp.asarray(plain, copy=True)  # with gaps between its rows oneDNN may take another way
                exact(x @ constant, wanted, f"{dtype} {name}")
                exact(xp.compile(lambda x, w, view=view: x @ view(w))(x, c), wanted, f"{dtype} captured, {name}")

    def test_epilogues(self):
        w, v = numbers(1, (512, 640)), numbers(2, (512, 640))
        c, d = xp.constant(w), xp.constant(v)
        for m in (4, 64, 200):
            x, b, r = numbers(3, (m, 512)), numbers(4, (640,)), numbers(5, (m, 640))
            for function, plain, constant in ((layer, (x, w, b, r), (x, c, b, r)), (gated, (x, w, v), (x, c, d))):
                fast = xp.compile(function, fullgraph=True)
                for _ in range(3):
                    exact(fast(*constant), function(*plain), function.__name__)
                    exact(fast(*plain), function(*plain), function.__name__)

    def test_one_entry_serves_both(self):
        fast = xp.compile(lambda x, w: x @ w, fullgraph=True)
        x, w = numbers(1, (8, 300)), numbers(2, (300, 500))
        fast(x, w)
        before = xp.stats()["segments_compiled"]
        for weights in (xp.constant(w), w, xp.constant(w), xp.constant(xp.asarray(w, copy=True))):
            exact(fast(x, weights), x @ w, "by turns")
        self.assertEqual(xp.stats()["segments_compiled"], before)

    def test_special_numbers(self):
        w = numbers(1, (256, 512))
        x = numbers(2, (16, 256))
        x[0, 0], x[1, 1], w[5, 5] = float("nan"), float("inf"), float("-inf")
        got, wanted = np.asarray(x @ xp.constant(w)), np.asarray(x @ w)
        np.testing.assert_array_equal(got, wanted)

    def test_a_constant_on_the_left_and_other_dtypes(self):
        for dtype in ("float64", "int32", "complex64", "float16"):
            w = xp.asarray(np.random.default_rng(1).integers(-4, 4, (70, 80)), dtype=getattr(xp, dtype))
            x = xp.astype(numbers(2, (90, 70)) * 3, w.dtype) if dtype != "complex64" else xp.asarray(w[:, :70].T, copy=True)
            exact(x @ xp.constant(w), x @ w, dtype)
        a, b = numbers(1, (300, 200)), numbers(2, (200, 100))
        exact(xp.constant(a) @ b, a @ b, "on the left")


class Lifetime(unittest.TestCase):
    def test_memory_goes_with_the_last_view(self):
        x, w = numbers(1, (4, 1024)), numbers(2, (1024, 2048))

        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

        def once():
            c = xp.constant(w)
            part = c[:, 5:]
            product = x @ c
            again = x @ part
            del c
            gc.collect()
            exact(x @ part, again, "the constant is gone, its view is not")
            return product

        first = once()
        once()
        before = resident()
        for _ in range(100):  # of 8 MB and twice that for the packed ones
            exact(once(), first, "again")
        self.assertLess(resident() - before, 512 << 20)  # a sanitizer keeps 256 MB of what was freed

    def test_references(self):
        x = numbers(1, (4, 256))
        c = xp.constant(numbers(2, (256, 512)))
        before = sys.getrefcount(c)
        for _ in range(50):
            x @ c
            c.T
            pickle.dumps(c)
            xp.constant(c)
        self.assertEqual(sys.getrefcount(c), before)

    def test_memory_that_is_used_again(self):
        """A tensor in the memory that a constant had is no constant, though its weights were packed."""
        x = xp.round(numbers(1, (4, 512)) * 8)  # whole numbers, whose sums are exact in any order
        for seed in range(6):
            c = xp.constant(numbers(seed, (512, 1024)))
            x @ c
            del c
            w = xp.empty((512, 1024), dtype=xp.float32)
            for value in (1.0, 2.0):
                w[...] = value
                exact(x @ w, x @ xp.full((512, 1024), value, dtype=xp.float32), "changed weights")

    def test_threads(self):
        x = numbers(1, (16, 384))
        wrong = []

        def work(seed, shared, wanted):
            for i in range(15):
                if not bool(xp.all(x @ shared == wanted)):
                    wrong.append("shared")
                w = numbers(100 * seed + i, (384, 256))
                if not bool(xp.all(x @ xp.constant(w) == x @ w)):
                    wrong.append("own")

        for seed in range(4):
            w = numbers(seed, (384, 512))
            shared, wanted = xp.constant(w), x @ w
            threads = [threading.Thread(target=work, args=(seed * 4 + i, shared, wanted)) for i in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(wrong, [])

    def test_fork(self):
        x, w = numbers(1, (4, 256)), numbers(2, (256, 1024))
        c, fresh = xp.constant(w), xp.constant(w)
        wanted = x @ c
        child = os.fork()
        if child == 0:
            os._exit(0 if bool(xp.all(x @ c == wanted)) and bool(xp.all(x @ fresh == wanted)) else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)


PACKING = """
import numpy as np
import dynacc as xp
x, w = (xp.asarray(np.ones(shape), dtype=xp.float32) for shape in ((16, 256), (256, 512)))
x @ w; x @ w
c = xp.constant(w)
x[0] @ c  # is small
x @ c; x @ c; x[:3] @ c; xp.compile(lambda x, c: x @ c)(x, c)
y = xp.asarray(np.ones((16, 512)), dtype=xp.float32)
y @ c.T; y @ c.T
xp.asarray(np.ones((2, 256, 256)), dtype=xp.float32) @ c[:, :400]
"""


class Packing(unittest.TestCase):
    def test_once_for_each_order(self):
        """The log of the kernels says what is packed: a constant once, its transpose once, up to twice its memory."""
        run = subprocess.run([sys.executable, "-c", PACKING], capture_output=True, text=True, check=True,
                             env={**os.environ, "DYNACC_LOGS": "kernels"})
        lines = [line.partition("] ")[2] for line in run.stderr.splitlines() if "constant weights" in line]
        if not lines or "oneDNN reads them so" in lines[0]:
            self.skipTest("no oneDNN with AVX-512")
        self.assertEqual(lines[:2], ["packed constant weights of 256 x 512", "packed constant weights of 512 x 256"])
        self.assertEqual(len(lines), 3, lines)
        self.assertIn("takes too much memory", lines[2])


if __name__ == "__main__":
    unittest.main()
