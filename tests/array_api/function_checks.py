"""The functions that are not elementwise, against NumPy's."""
import math

import numpy as np
from drawing import COMPLEX, DTYPES, FLOATS, INEXACT, INTEGERS, NUMERIC, REAL, SHAPES, draw, same

import dynacc as xp

CHECKS = {}


def check(function):
    """A decorator: check_name is the check of the standard's function of that name."""
    CHECKS[function.__name__.removeprefix("check_")] = function
    return function


def inputs(random, dtypes=DTYPES, shapes=SHAPES, finite=False):
    for dtype in dtypes:
        for shape in shapes:
            array = draw(random, dtype, shape, finite)
            yield xp.asarray(array), array, f"of {dtype}{shape}"


def axes_of(rank):
    return [None, *range(-rank, rank), *([tuple(range(rank)), (0, -1)] if rank > 1 else [])]


def dtypes_by_name(names=DTYPES):
    return [(getattr(xp, name), np.dtype(name)) for name in names]


def raises(errors, function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except errors:
        return
    raise AssertionError(f"{function.__name__}{args}{kwargs} raised nothing")


# --- Creation ------------------------------------------------------------------------------------

@check
def check_arange(random):
    for args in ((5,), (2, 9), (9, 2, -3), (0,), (3, 3), (0.0, 1.0, 0.1), (10, 0, -2.5), (-4, 5, 2)):
        same(xp.arange(*args), np.arange(*args), f"arange{args}")
        whole = all(isinstance(number, int) for number in args)
        for dtype, numpy_dtype in dtypes_by_name(REAL):
            if args[0] < 0 and numpy_dtype.kind == "u":
                continue
            expected = np.arange(*args).astype(numpy_dtype) if whole else np.arange(*args, dtype=numpy_dtype)
            same(xp.arange(*args, dtype=dtype), expected, f"arange{args}, {dtype}")
    raises(ValueError, xp.arange, 1, 5, 0)
    raises(OverflowError, xp.arange, 300, dtype=xp.uint8)


@check
def check_asarray(random):
    for tensor, array, where in inputs(random):
        same(tensor, array, where)
        same(xp.asarray(array.tolist(), dtype=tensor.dtype), array, where)
        assert xp.asarray(tensor) is tensor and xp.asarray(tensor, copy=False) is tensor
        copied = xp.asarray(tensor, copy=True)
        same(copied, array, where)
        assert not np.shares_memory(np.asarray(copied), array)
        assert array.size == 0 or np.shares_memory(np.asarray(xp.asarray(array)), array)
    for value, dtype in ((True, "bool"), (3, "int64"), (2.5, "float64"), (1j, "complex128"), ([1, 2.0], "float64"),
                         ([[True], [False]], "bool"), ([], "float64"), ((1, (2)), "int64")):
        same(xp.asarray(value), np.asarray(value, dtype=dtype), f"asarray({value})")
    same(xp.asarray([xp.asarray(1), xp.asarray(2)]), np.array([1, 2]), "asarray of tensors")
    same(xp.asarray(bytearray(b"abc")), np.frombuffer(b"abc", "u1"), "asarray(bytearray)")
    raises(OverflowError, xp.asarray, 300, dtype=xp.uint8)
    raises(OverflowError, xp.asarray, [300], dtype=xp.int8)
    raises(ValueError, xp.asarray, [1, 2], copy=False)
    raises(ValueError, xp.asarray, [1, 2], device="tpu")
    raises((TypeError, ValueError), xp.asarray, "text")
    raises((TypeError, ValueError), xp.asarray, [1, "text"])
    raises(TypeError, xp.asarray, [1j], dtype=xp.float32)


def check_filled(name):
    def run(random):
        for shape in (*SHAPES, 4):
            same(getattr(xp, name)(shape), getattr(np, name)(shape), name)
            for dtype, numpy_dtype in dtypes_by_name():
                same(getattr(xp, name)(shape, dtype=dtype), getattr(np, name)(shape, numpy_dtype), name)
        raises(ValueError, getattr(xp, name), (-1,))
        raises(TypeError, getattr(xp, name), (2,), dtype=np.float64)
    return run


def check_filled_like(name):
    def run(random):
        for tensor, array, where in inputs(random):
            same(getattr(xp, name)(tensor), getattr(np, name)(array), name + where)
            for dtype, numpy_dtype in dtypes_by_name():
                same(getattr(xp, name)(tensor, dtype=dtype), getattr(np, name)(array, numpy_dtype), name + where)
    return run


CHECKS.update({name: check_filled(name) for name in ("zeros", "ones")})
CHECKS.update({name: check_filled_like(name) for name in ("zeros_like", "ones_like")})


@check
def check_empty(random):
    for shape in SHAPES:
        for dtype, _ in dtypes_by_name():
            x = xp.empty(shape, dtype=dtype)
            assert (x.shape, x.dtype, x.size, x.ndim) == (shape, dtype, math.prod(shape), len(shape))
    assert xp.empty(3).dtype is xp.float64 and xp.empty([2, 3]).shape == (2, 3)


@check
def check_empty_like(random):
    for tensor, _, where in inputs(random):
        assert xp.empty_like(tensor).shape == tensor.shape and xp.empty_like(tensor).dtype is tensor.dtype, where
        assert xp.empty_like(tensor, dtype=xp.int8).dtype is xp.int8


@check
def check_full(random):
    for shape in (*SHAPES, 3):
        for value in (True, -7, 2.5, 1 - 2j, math.nan, math.inf):
            same(xp.full(shape, value), np.full(shape, value), f"full({shape}, {value})")
    for dtype, numpy_dtype in dtypes_by_name(NUMERIC):
        same(xp.full((2, 3), 5, dtype=dtype), np.full((2, 3), 5, numpy_dtype), f"full({dtype})")
    raises(OverflowError, xp.full, (2,), -1, dtype=xp.uint8)


@check
def check_full_like(random):
    for tensor, array, where in inputs(random):
        same(xp.full_like(tensor, 1), np.full_like(array, 1), where)
        same(xp.full_like(tensor, 3.5, dtype=xp.float32), np.full_like(array, 3.5, dtype="f4"), where)


@check
def check_eye(random):
    for args in ((3,), (3, 5), (0,), (2, 0)):
        for k in (-4, -1, 0, 2):
            same(xp.eye(*args, k=k), np.eye(*args, k=k), f"eye{args}")
            same(xp.eye(*args, k=k, dtype=xp.complex64), np.eye(*args, k=k, dtype="c8"), f"eye{args}")


@check
def check_linspace(random):
    for start, stop, num in ((0, 1, 5), (-3.5, 8, 7), (2, 2, 3), (0, 1, 0), (0, 1, 1), (1j, 5, 4)):
        for endpoint in (True, False):
            same(xp.linspace(start, stop, num, endpoint=endpoint), np.linspace(start, stop, num, endpoint=endpoint),
                 f"linspace({start}, {stop}, {num})")
    same(xp.linspace(0, 10, 4, dtype=xp.float32), np.linspace(0, 10, 4, dtype="f4"), "linspace")


@check
def check_meshgrid(random):
    vectors = [draw(random, "float32", (n,)) for n in (2, 3, 4)]
    for indexing in ("xy", "ij"):
        got = xp.meshgrid(*map(xp.asarray, vectors), indexing=indexing)
        assert isinstance(got, list)
        for tensor, array in zip(got, np.meshgrid(*vectors, indexing=indexing)):
            same(tensor, array, "meshgrid")


def check_triangle(name):
    def run(random):
        for tensor, array, where in inputs(random, shapes=[shape for shape in SHAPES if len(shape) >= 2]):
            for k in (-1, 0, 2):
                same(getattr(xp, name)(tensor, k=k), getattr(np, name)(array, k=k), name + where)
        raises(ValueError, getattr(xp, name), xp.ones(3))
    return run


CHECKS.update({name: check_triangle(name) for name in ("tril", "triu")})


@check
def check_from_dlpack(random):
    for tensor, array, where in inputs(random):
        same(xp.from_dlpack(tensor), array, where)
        if array.dtype.kind != "b":  # NumPy 1.24 exports no bools
            same(xp.from_dlpack(array), array, where)
        again = xp.from_dlpack(tensor, copy=True)
        same(again, array, where)
        assert array.size == 0 or not np.shares_memory(np.asarray(again), array)


# --- Data types ----------------------------------------------------------------------------------

@check
def check_astype(random):
    for tensor, array, where in inputs(random, finite=True):
        for dtype, numpy_dtype in dtypes_by_name():
            if array.dtype.kind == "c" and numpy_dtype.kind not in "cb":
                raises(TypeError, xp.astype, tensor, dtype)
                continue
            if numpy_dtype.kind == "u" and array.dtype.kind == "f":
                continue  # of negative numbers not specified
            same(xp.astype(tensor, dtype), array.astype(numpy_dtype), f"astype({dtype}) {where}")
        assert xp.astype(tensor, tensor.dtype, copy=False) is tensor
        assert xp.astype(tensor, tensor.dtype) is not tensor


@check
def check_can_cast(random):
    for a, numpy_a in dtypes_by_name():
        for b, numpy_b in dtypes_by_name():
            assert xp.can_cast(a, b) == np.can_cast(numpy_a, numpy_b), (a, b)
            assert xp.can_cast(xp.ones(1, dtype=a), b) == np.can_cast(numpy_a, numpy_b), (a, b)
    raises(TypeError, xp.can_cast, xp.int8, "int16")


@check
def check_finfo(random):
    for dtype, numpy_dtype in dtypes_by_name(INEXACT):
        got, expected = xp.finfo(dtype), np.finfo(numpy_dtype)
        for name in ("bits", "eps", "max", "min", "smallest_normal"):
            assert getattr(got, name) == getattr(expected, name), name
            assert type(getattr(got, name)) is (int if name == "bits" else float)
        assert got.dtype is getattr(xp, expected.dtype.name) and xp.finfo(xp.ones(1, dtype=dtype)).max == got.max
    raises(TypeError, xp.finfo, xp.int8)


@check
def check_iinfo(random):
    for dtype, numpy_dtype in dtypes_by_name(INTEGERS):
        got, expected = xp.iinfo(dtype), np.iinfo(numpy_dtype)
        assert (got.bits, got.max, got.min, got.dtype) == (expected.bits, expected.max, expected.min, dtype)
    raises(TypeError, xp.iinfo, xp.float32)


@check
def check_isdtype(random):
    kinds = {"bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f",
             "complex floating": "c", "numeric": "iufc"}
    for dtype, numpy_dtype in dtypes_by_name():
        for kind, letters in kinds.items():
            assert xp.isdtype(dtype, kind) == (numpy_dtype.kind in letters)
        assert xp.isdtype(dtype, dtype) and xp.isdtype(dtype=dtype, kind=("bool", dtype))
    assert not xp.isdtype(xp.int8, (xp.int16, "real floating"))
    raises(ValueError, xp.isdtype, xp.int8, "decimal")
    raises(TypeError, xp.isdtype, xp.int8, int)


@check
def check_result_type(random):
    for a, numpy_a in dtypes_by_name():
        for b, numpy_b in dtypes_by_name():
            expected = getattr(xp, np.promote_types(numpy_a, numpy_b).name)
            assert xp.result_type(a, b) is expected, (a, b)
            assert xp.result_type(xp.zeros((), dtype=a), xp.zeros(2, dtype=b)) is expected, (a, b)
    for args, expected in (((xp.float32, 1.0), "float32"), ((xp.float32, 1j), "complex64"), ((xp.int8, 1), "int8"),
                           ((xp.int8, 1.0), "float64"), ((xp.bool, 1), "int64"), ((xp.uint8, xp.int8, 3), "int16"),
                           ((xp.float64, 1j), "complex128")):
        assert xp.result_type(*args) is getattr(xp, expected), args
    raises(ValueError, xp.result_type)


# --- Indexing, searching, sorting, sets ----------------------------------------------------------

@check
def check_take(random):
    for tensor, array, where in inputs(random, shapes=((5,), (3, 4), (2, 3, 4))):
        for axis in range(-array.ndim, array.ndim):
            indices = random.integers(0, array.shape[axis], 6)
            same(xp.take(tensor, xp.asarray(indices), axis=axis), np.take(array, indices, axis=axis), where)
    same(xp.take(xp.arange(5), xp.asarray([3, 1])), np.array([3, 1]), "take of a vector")
    raises(ValueError, xp.take, xp.ones((2, 2)), xp.asarray([0]))
    raises(IndexError, xp.take, xp.ones(2), xp.asarray([2]), axis=0)


@check
def check_take_along_axis(random):
    for tensor, array, where in inputs(random, shapes=((5,), (3, 4), (2, 3, 4))):
        for axis in range(-array.ndim, array.ndim):
            indices = random.integers(0, array.shape[axis], array.shape)
            same(xp.take_along_axis(tensor, xp.asarray(indices), axis=axis),
                 np.take_along_axis(array, indices, axis), where)


def check_argument(name):
    def run(random):
        for tensor, array, where in inputs(random, REAL, [shape for shape in SHAPES if 0 not in shape]):
            for axis in [None, *range(-array.ndim, array.ndim)]:
                for keepdims in (False, True):
                    same(getattr(xp, name)(tensor, axis=axis, keepdims=keepdims),
                         getattr(np, name)(array, axis=axis, keepdims=keepdims), f"{name}(axis={axis}) {where}")
        raises(ValueError, getattr(xp, name), xp.ones(0))
    return run


CHECKS.update({name: check_argument(name) for name in ("argmax", "argmin")})


@check
def check_count_nonzero(random):
    for tensor, array, where in inputs(random):
        for axis in axes_of(array.ndim):
            for keepdims in (False, True):
                same(xp.count_nonzero(tensor, axis=axis, keepdims=keepdims),
                     np.sum(array != 0, axis=axis, keepdims=keepdims, dtype=np.int64), f"axis={axis} {where}")


@check
def check_nonzero(random):
    for tensor, array, where in inputs(random, shapes=[shape for shape in SHAPES if shape]):
        got = xp.nonzero(tensor)
        assert isinstance(got, tuple) and len(got) == array.ndim
        for one, expected in zip(got, np.nonzero(array)):
            same(one, expected, where)
    raises(ValueError, xp.nonzero, xp.asarray(1))


@check
def check_searchsorted(random):
    for dtype in REAL:
        a, b = np.sort(draw(random, dtype, (9,), finite=True)), draw(random, dtype, (3, 4), finite=True)
        for side in ("left", "right"):
            same(xp.searchsorted(xp.asarray(a), xp.asarray(b), side=side), np.searchsorted(a, b, side), dtype)
        shuffled = random.permutation(a)
        order = np.argsort(shuffled, kind="stable")
        same(xp.searchsorted(xp.asarray(shuffled), xp.asarray(b), sorter=xp.asarray(order)),
             np.searchsorted(shuffled, b, sorter=order), dtype)


@check
def check_where(random):
    for a, numpy_a in dtypes_by_name():
        for shapes in (((3, 4), (3, 4), (3, 4)), ((4,), (), (3, 1)), ((), (5,), ()), ((0,), (1,), ())):
            c = draw(random, "bool", shapes[0])
            x, y = draw(random, numpy_a, shapes[1]), draw(random, numpy_a, shapes[2])
            same(xp.where(xp.asarray(c), xp.asarray(x), xp.asarray(y)), np.where(c, x, y), f"where({a})")
    condition = xp.asarray([True, False])
    same(xp.where(condition, xp.asarray([1, 2], dtype=xp.int8), 5), np.array([1, 5], "i1"), "where with a number")
    same(xp.where(condition, xp.asarray([1, 2], dtype=xp.int8), xp.asarray(300, dtype=xp.int16)),
         np.array([1, 300], "i2"), "where promotes")


@check
def check_sort(random):
    for tensor, array, where in inputs(random, REAL, [shape for shape in SHAPES if shape]):
        for axis in range(-array.ndim, array.ndim):
            same(xp.sort(tensor, axis=axis), np.sort(array, axis=axis, kind="stable"), where)
            if array.dtype.kind in "iu":
                same(xp.sort(tensor, axis=axis, stable=False), np.sort(array, axis=axis), where)
            same(xp.sort(tensor, axis=axis, descending=True), np.flip(np.sort(array, axis=axis, kind="stable"), axis),
                 where)


@check
def check_argsort(random):
    for tensor, array, where in inputs(random, REAL, [shape for shape in SHAPES if shape]):
        for axis in range(-array.ndim, array.ndim):
            same(xp.argsort(tensor, axis=axis), np.argsort(array, axis=axis, kind="stable"), where)
    same(xp.argsort(xp.asarray([1, 3, 1, 3, 2]), descending=True), np.array([1, 3, 4, 0, 2]), "stable, descending")


def check_unique(name):
    def run(random):
        for tensor, array, where in inputs(random, REAL, finite=True):
            result = getattr(xp, name)(tensor)
            fields = dict(zip(result._fields, result)) if isinstance(result, tuple) else {"values": result}
            values, indices, inverse, counts = np.unique(array, True, True, True)
            expected = {"values": values, "indices": indices, "inverse_indices": inverse.reshape(array.shape),
                        "counts": counts}
            for field, one in fields.items():
                same(one, expected[field], f"{name}.{field} {where}")
        nans = getattr(xp, name)(xp.asarray([math.nan, 1.0, math.nan]))
        assert (nans if name == "unique_values" else nans.values).shape == (3,), "NaNs are all different"
    return run


CHECKS.update({f"unique_{what}": check_unique(f"unique_{what}") for what in ("all", "counts", "inverse", "values")})


# --- Statistics ----------------------------------------------------------------------------------

def total_dtype(array):
    return {"b": "int64", "i": "int64", "u": "uint64"}.get(array.dtype.kind, array.dtype)


def check_total(name):
    def run(random):
        with np.errstate(all="ignore"):
            for tensor, array, where in inputs(random, NUMERIC):
                for axis in axes_of(array.ndim):
                    for keepdims in (False, True):
                        expected = getattr(np, name)(array, axis=axis, keepdims=keepdims, dtype=total_dtype(array))
                        same(getattr(xp, name)(tensor, axis=axis, keepdims=keepdims), expected,
                             f"{name}(axis={axis}) {where}")
        same(getattr(xp, name)(xp.asarray([1, 2, 3]), dtype=xp.float32),
             getattr(np, name)(np.array([1, 2, 3]), dtype="f4"), name)
        raises((IndexError, ValueError), getattr(xp, name), xp.ones(3), axis=2)
    return run


CHECKS.update({name: check_total(name) for name in ("sum", "prod")})


def check_reduction(name, dtypes, options=({},), empty=True):
    def run(random):
        shapes = SHAPES if empty else [shape for shape in SHAPES if 0 not in shape]
        with np.errstate(all="ignore"):
            for tensor, array, where in inputs(random, dtypes, shapes, finite=name in ("var", "std")):
                for axis in axes_of(array.ndim):
                    for option in options:
                        numpy_option = {"ddof": option["correction"]} if option else {}
                        if 0 in array.shape and name in ("mean", "var", "std") or (
                                option and counted(array, axis) <= option["correction"]):
                            continue
                        same(getattr(xp, name)(tensor, axis=axis, keepdims=True, **option),
                             getattr(np, name)(array, axis=axis, keepdims=True, **numpy_option),
                             f"{name}(axis={axis}, {option}) {where}")
    return run


def counted(array, axis):
    axes = range(array.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    return math.prod(array.shape[i] for i in axes)


CHECKS.update({name: check_reduction(name, REAL, empty=False) for name in ("max", "min")})
CHECKS.update({name: check_reduction(name, DTYPES) for name in ("all", "any")})
CHECKS["mean"] = check_reduction("mean", INEXACT)
CHECKS.update({name: check_reduction(name, FLOATS, [{"correction": c} for c in (0.0, 1, 0.5)])
               for name in ("var", "std")})


def check_cumulative(name, ufunc):
    def run(random):
        with np.errstate(all="ignore"):
            for tensor, array, where in inputs(random, NUMERIC, [shape for shape in SHAPES if shape]):
                for axis in range(-array.ndim, array.ndim):
                    expected = ufunc.accumulate(array, axis, total_dtype(array))
                    same(getattr(xp, name)(tensor, axis=axis), expected, where)
                    got = getattr(xp, name)(tensor, axis=axis, include_initial=True)
                    assert got.shape[axis] == array.shape[axis] + 1
                    first = [slice(None)] * array.ndim
                    first[axis] = slice(0, 1)
                    assert bool(xp.all(got[tuple(first)] == ufunc.identity))
        raises(ValueError, getattr(xp, name), xp.ones((2, 2)))
    return run


CHECKS["cumulative_sum"] = check_cumulative("cumulative_sum", np.add)
CHECKS["cumulative_prod"] = check_cumulative("cumulative_prod", np.multiply)


@check
def check_diff(random):
    with np.errstate(all="ignore"):
        for tensor, array, where in inputs(random, NUMERIC, [shape for shape in SHAPES if shape]):
            for axis in range(-array.ndim, array.ndim):
                for n in (0, 1, 2):
                    same(xp.diff(tensor, axis=axis, n=n), np.diff(array, n=n, axis=axis), where)
                same(xp.diff(tensor, axis=axis, prepend=tensor, append=tensor),
                     np.diff(array, axis=axis, prepend=array, append=array), where)


# --- Shapes --------------------------------------------------------------------------------------

@check
def check_broadcast_to(random):
    for tensor, array, where in inputs(random, shapes=((), (1,), (4,), (3, 1), (1, 4))):
        same(xp.broadcast_to(tensor, (2, 3, 4)), np.broadcast_to(array, (2, 3, 4)), where)
    raises(ValueError, xp.broadcast_to, xp.ones(3), (2,))


@check
def check_broadcast_arrays(random):
    shapes = ((3, 1), (4,), (2, 1, 1), ())
    arrays = [draw(random, dtype, shape) for dtype, shape in zip(DTYPES, shapes)]
    got = xp.broadcast_arrays(*map(xp.asarray, arrays))
    assert isinstance(got, list)
    for tensor, array in zip(got, np.broadcast_arrays(*arrays)):
        same(tensor, array, "broadcast_arrays")


@check
def check_concat(random):
    for dtype in DTYPES:
        a, b = draw(random, dtype, (2, 3)), draw(random, dtype, (2, 3))
        for axis in (None, 0, 1, -1, -2):
            same(xp.concat([xp.asarray(a), xp.asarray(b)], axis=axis), np.concatenate([a, b], axis=axis), dtype)
    got = xp.concat((xp.ones(2, dtype=xp.int8), xp.ones(1, dtype=xp.uint8)))
    same(got, np.ones(3, "i2"), "concat promotes")


@check
def check_stack(random):
    for tensor, array, where in inputs(random, shapes=((), (0,), (3,), (2, 3))):
        for axis in range(-array.ndim - 1, array.ndim + 1):
            same(xp.stack([tensor, tensor, tensor], axis=axis), np.stack([array] * 3, axis=axis), where)


def check_shape_function(name, numpy_name, calls):
    """calls(rank): the arguments to try."""
    def run(random):
        for tensor, array, where in inputs(random):
            for args, kwargs in calls(array.ndim):
                same(getattr(xp, name)(tensor, *args, **kwargs), getattr(np, numpy_name)(array, *args, **kwargs),
                     f"{name}{args}{kwargs} {where}")
    return run


CHECKS["expand_dims"] = check_shape_function(
    "expand_dims", "expand_dims", lambda rank: [((axis,), {}) for axis in range(-rank - 1, rank + 1)])
CHECKS["flip"] = check_shape_function("flip", "flip", lambda rank: [((), {"axis": axis}) for axis in axes_of(rank)])
CHECKS["moveaxis"] = check_shape_function(
    "moveaxis", "moveaxis",
    lambda rank: [((i, j), {}) for i in range(-rank, rank) for j in range(min(rank, 3))]
    + ([(((0, 1), (-1, 0)), {})] if rank > 1 else []))
CHECKS["permute_dims"] = check_shape_function(
    "permute_dims", "transpose", lambda rank: [((tuple(range(rank))[::-1],), {}), ((tuple(range(rank)),), {})])
CHECKS["repeat"] = check_shape_function(
    "repeat", "repeat", lambda rank: [((2,), {})] + [((3,), {"axis": axis}) for axis in range(-rank, rank)])
CHECKS["roll"] = check_shape_function(
    "roll", "roll", lambda rank: [((2,), {}), ((-3,), {})] + [((1,), {"axis": axis}) for axis in range(-rank, rank)]
    + ([(((1, -2), ), {"axis": (0, 1)})] if rank > 1 else []))
CHECKS["tile"] = check_shape_function("tile", "tile", lambda rank: [(((2,),), {}), (((1, 2, 2),), {})])


@check
def check_reshape(random):
    for tensor, array, where in inputs(random):
        for shape in {(-1,), array.shape, array.shape + (1,), (1,) + array.shape[::-1], (array.size, 1)}:
            if -1 in shape and array.size == 0:
                continue
            for copy in (None, True):
                same(xp.reshape(tensor, shape, copy=copy), array.reshape(shape), f"{where} to {shape}")
    x = xp.reshape(xp.arange(12), (3, 4))
    same(xp.reshape(x[:, :2], (3, 2, 1), copy=False), np.arange(12).reshape(3, 4)[:, :2].reshape(3, 2, 1), "reshape")
    raises(ValueError, xp.reshape, x.T, (12,), copy=False)
    raises(ValueError, xp.reshape, x, (5, 2))
    y = xp.reshape(x, (12,))
    y[0] = 100
    assert x[0, 0] == 100, "a reshape of what is in order is a view"


@check
def check_squeeze(random):
    x, array = xp.ones((1, 3, 1)), np.ones((1, 3, 1))
    for axis in (0, 2, -1, (0, 2), (0, -1), ()):
        same(xp.squeeze(x, axis), np.squeeze(array, axis), f"squeeze({axis})")
    raises(ValueError, xp.squeeze, x, 1)


@check
def check_unstack(random):
    for tensor, array, where in inputs(random, shapes=[shape for shape in SHAPES if shape]):
        for axis in range(-array.ndim, array.ndim):
            got = xp.unstack(tensor, axis=axis)
            assert isinstance(got, tuple) and len(got) == array.shape[axis]
            for one, expected in zip(got, np.moveaxis(array, axis, 0)):
                same(one, expected, where)


# --- Linear algebra ------------------------------------------------------------------------------

@check
def check_matmul(random):
    for dtype in NUMERIC:
        for a_shape, b_shape in (((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)),
                                 ((5, 1, 2, 3), (2, 3, 1)), ((0, 3), (3, 2)), ((2, 0), (0, 3))):
            a, b = draw(random, dtype, a_shape, finite=True), draw(random, dtype, b_shape, finite=True)
            expected = np.asarray(np.matmul(a, b))
            same(xp.matmul(xp.asarray(a), xp.asarray(b)), expected, f"matmul({dtype})", exact=False)
            same(xp.asarray(a) @ xp.asarray(b), expected, f"@ ({dtype})", exact=False)
    x = xp.ones((2, 2))
    x @= xp.full((2, 2), 2.0)
    same(x, np.full((2, 2), 4.0), "@=")
    raises(ValueError, xp.matmul, xp.ones(()), xp.ones(2))
    raises(TypeError, xp.matmul, xp.ones(2), 2)


@check
def check_matrix_transpose(random):
    for tensor, array, where in inputs(random, shapes=[shape for shape in SHAPES if len(shape) > 1]):
        same(xp.matrix_transpose(tensor), np.swapaxes(array, -1, -2), where)
        same(tensor.mT, np.swapaxes(array, -1, -2), where)
    raises(ValueError, xp.matrix_transpose, xp.ones(3))


@check
def check_tensordot(random):
    for dtype in NUMERIC:
        a, b = draw(random, dtype, (2, 3, 4), finite=True), draw(random, dtype, (3, 4, 5), finite=True)
        for axes in (2, ((1, 2), (0, 1)), ((2,), (1,)), 0):
            same(xp.tensordot(xp.asarray(a), xp.asarray(b), axes=axes), np.tensordot(a, b, axes), dtype, exact=False)


@check
def check_vecdot(random):
    for dtype in NUMERIC:
        for a_shape, b_shape, axis in (((3,), (3,), -1), ((2, 3), (3,), -1), ((3, 2), (3, 1), -2), ((4, 1, 3), (2, 3), -1)):
            a, b = draw(random, dtype, a_shape, finite=True), draw(random, dtype, b_shape, finite=True)
            expected = np.asarray(np.sum(np.conj(a) * b, axis=axis, dtype=dtype))
            same(xp.vecdot(xp.asarray(a), xp.asarray(b), axis=axis), expected, f"vecdot({dtype})", exact=False)
    raises(ValueError, xp.vecdot, xp.ones(2), xp.ones(3))


# --- Inspection is in names_test.py --------------------------------------------------------------

CHECKS["__array_namespace_info__"] = lambda random: xp.__array_namespace_info__().default_dtypes()
