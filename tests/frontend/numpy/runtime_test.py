"""Reading and making NumPy objects: arrays in all memory orders, scalars, views."""
import sys
import unittest

import trace_probe

NOT_LOADED = trace_probe.is_loaded()  # before anybody imports numpy

import numpy as np  # noqa: E402

DTYPES = "?bhilBHILfdeFD"


class Subclass(np.ndarray):
    pass


class Running(unittest.TestCase):
    def test_numpy_is_never_imported(self):
        self.assertFalse(NOT_LOADED)
        self.assertTrue(trace_probe.is_loaded())

    def test_recognised(self):
        for d in DTYPES:
            self.assertTrue(trace_probe.is_array(np.ones((2, 3), d)))
            self.assertTrue(trace_probe.is_array(np.ones((), d)))
            self.assertTrue(trace_probe.is_array(np.ones((), d)[()]))
            self.assertTrue(trace_probe.is_array(np.ones((4, 6), d)[::-2, ::3]))

    def test_not_recognised(self):
        bytes_ = np.zeros(64, "B")
        for x in (1, 2.0, True, None, [1.0], np.ones(2, "g"), np.ones(2, "G"), np.ones(2, "q"),
                  np.ones(2, ">f8"), np.ones(2, "O"), np.ones(2, "M8[s]"), np.array(["a"]),
                  np.longdouble(1), np.longlong(1), np.ones((1,) * 9), np.ones(2).view(Subclass),
                  np.ma.ones(2), bytes_[1:17].view("d"), np.ones(2, "f,f"), np.float64,
                  np.ones(2, np.dtype("d", metadata={"a": 1}))):
            self.assertFalse(trace_probe.is_array(x), repr(x))

    def test_round_trips(self):
        base = np.arange(24).reshape(2, 3, 4)
        for d in DTYPES:
            for x in (base, np.asfortranarray(base), base.transpose(1, 2, 0).copy("K"),
                      np.array(5), np.zeros((0, 3)), np.zeros((2, 0), order="F"), np.arange(7)):
                x = x.astype(d)
                y = trace_probe.rebuild(x)
                self.assertIs(type(y), np.ndarray)
                self.assertEqual((y.dtype, y.shape), (x.dtype, x.shape))
                if x.size:
                    self.assertEqual(y.strides, x.strides)
                self.assertTrue(np.array_equal(x, y))
                self.assertTrue(y.flags.owndata and y.flags.writeable and y.flags.aligned)
                self.assertEqual(y.flags.c_contiguous, x.flags.c_contiguous)
                self.assertEqual(y.flags.f_contiguous, x.flags.f_contiguous)
                self.assertEqual(sys.getrefcount(y), sys.getrefcount(x))

    def test_scalars(self):
        for d in DTYPES:
            x = np.array(1.5 if d in "fd" else 1).astype(d)[()]
            y = trace_probe.rebuild(x)
            self.assertIs(type(y), type(x))
            self.assertEqual(x, y)
        self.assertEqual(trace_probe.rebuild(np.uint64(2**64 - 1)), 2**64 - 1)

    def test_views(self):
        base = np.arange(24.0).reshape(4, 6)
        for like in (base.T, base[1], base[::-1, ::2], base[2, 3:3], base[None], base[1, 2, ...]):
            before = sys.getrefcount(base)
            view = trace_probe.view(base, like)
            self.assertIs(view.base, like.base)
            self.assertEqual((view.shape, view.strides), (like.shape, like.strides))
            self.assertEqual(view.__array_interface__["data"], like.__array_interface__["data"])
            self.assertTrue(view.flags.writeable)
            self.assertEqual(view.flags.c_contiguous, like.flags.c_contiguous)
            del view
            self.assertEqual(sys.getrefcount(base), before)
        base.flags.writeable = False
        self.assertFalse(trace_probe.view(base, base.T).flags.writeable)

    def test_reference_counts_of_descriptors(self):
        x = np.ones((2, 2))
        before = sys.getrefcount(x.dtype)
        for _ in range(100):
            trace_probe.view(x, trace_probe.rebuild(x).T)
        self.assertLess(abs(sys.getrefcount(x.dtype) - before), 5)

    def test_error_state(self):
        divide, over, under, invalid = 1, 2, 4, 8
        self.assertEqual(trace_probe.fp_flags(), divide | over | invalid)
        with np.errstate(all="ignore"):
            self.assertEqual(trace_probe.fp_flags(), 0)
        with np.errstate(under="raise", over="ignore", divide="print", invalid="call"):
            self.assertEqual(trace_probe.fp_flags(), divide | under | invalid)
        self.assertEqual(trace_probe.fp_flags(), divide | over | invalid)


if __name__ == "__main__":
    unittest.main()
