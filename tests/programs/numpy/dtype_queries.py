"""Code asks about dtypes and limits, and converts its arguments, as libraries do."""
import warnings

import numpy as np


def normalise(x, dtype=None):
    x = np.asarray(x, dtype=dtype)
    if not np.issubdtype(x.dtype, np.floating):
        x = x.astype(np.result_type(x, np.float32))
    eps = np.finfo(x.dtype).eps
    return x / (np.abs(x).max() + eps)


def widen(a, b):
    dtype = np.promote_types(a.dtype, b.dtype)
    if np.can_cast(a.dtype, b.dtype):
        return a.astype(dtype) + b
    return np.asarray(a, dtype=dtype) * 2 + np.asarray(b, dtype)


def limits(x):
    info = np.iinfo(x.dtype)
    return np.clip(x * 3, info.min + 1, info.max - 1), x.dtype.kind, x.dtype.itemsize, x.dtype.name


def scalars(x):
    k = np.int64(3)
    return np.float32(x) * np.float32(0.5), x + np.int32(2), np.uint8(x > 0), np.bool_(x), k * x, np.float64(x.sum())


def pair(v, w):
    both = np.asarray([v, w])
    return both.sum(axis=0), np.asarray([1.0, 2.0, 3.0]) * v, np.asarray((v.sum(), w.sum())), np.asarray(2.5) + v


def rank_two(x):
    if np.isscalar(x):
        x = np.full(3, x)
    shape = np.broadcast_shapes(x.shape, (3,))
    return np.broadcast_to(x, shape) + np.zeros(shape, np.dtype("f4"))


def same_kind(x, y):
    """Comparisons of dtypes with all that stands for one."""
    if x.dtype == np.float64 or np.float32 == y.dtype:
        x = x * 2
    if x.dtype != y.dtype:
        y = y.astype(x.dtype)
    if x.dtype in (np.int32, np.uint8) or x.dtype not in ("f4", "float64", np.dtype("int32"), int):
        x = x + 1
    if x.dtype == float and y.dtype is np.dtype("f8") and x.dtype is not np.dtype(">f8"):
        x = x - 1
    return x + y, x.dtype == bool, x.dtype == "i8", y.dtype == np.dtype(int)


def other_comparisons(x):
    answers = []
    for other in (None, 5, "no dtype", object, np.integer, "f8", ">f8", np.dtype([("a", "f8")])):
        try:
            answers.append(x.dtype == other)
        except TypeError as error:
            answers.append(str(error))
    return answers, x.sum()


for turn in range(3):
    for dtype in (np.float64, np.float32, np.int32, np.int64, np.uint8, bool, np.complex128):
        print(same_kind(np.arange(1, 4).astype(dtype), np.ones(3, np.float32)))
        print(same_kind(np.ones(3), np.arange(1, 4).astype(dtype)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            print(other_comparisons(np.arange(1, 4).astype(dtype)))
    for dtype in (np.float64, np.float32, np.int32, np.int64, np.uint8):
        x = np.arange(1, 7, dtype=dtype)
        r = normalise(x)
        print(r.dtype, r)
        print(limits(x) if r.dtype.kind != "f" or np.issubdtype(dtype, np.integer) else "-")
    print(normalise([1, 2, 4]), normalise([1.0, 2.0], np.float32))
    print(widen(np.arange(3, dtype=np.int32), np.ones(3)), widen(np.ones(3), np.arange(3, dtype=np.int16)))
    for out in scalars(np.arange(4.0) - 1):
        print(type(out).__name__, out.dtype, out)
    print(pair(np.arange(3.0), np.ones(3)))
    print(rank_two(np.ones((2, 3))), rank_two(1.5))
