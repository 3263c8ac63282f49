"""reduce and accumulate of ufuncs give truths along axes and running sums whose dtype is named."""
import numpy as np


def report(name, *arrays):
    print(name, *[(array.dtype.str, array.shape, array.tolist()) for array in map(np.asarray, arrays)])


def truths(x):
    """Whether some or all elements are true: of bools, integers and floats, NaN among them, in the dtype that there is."""
    some = np.logical_or.reduce(x, axis=1, dtype=np.bool_)
    every = np.logical_and.reduce(x, 0, bool, None, True)
    return some, every, np.logical_or.reduce(x, axis=None, dtype=np.bool_), np.logical_and.reduce(x > 1)


def extremes(x):
    """A dtype that is the array's own changes nothing; another one is NumPy's business."""
    own = np.maximum.reduce(x, axis=0, dtype=x.dtype), np.minimum.reduce(x, 1, x.dtype)
    return (*own, np.maximum.reduce(x, axis=0, dtype=np.float64), np.minimum.reduce(x, axis=1, dtype=np.complex128).real)


def running(x):
    """Sums up to each element, in the array's own dtype and in wider ones."""
    sums = np.add.accumulate(x, 1, x.dtype) * 2
    wide = np.cumsum(x, axis=0, dtype=np.float64), np.cumprod(x, axis=1, dtype=np.float32)
    return (sums, *wide, np.add.accumulate(x, axis=0, dtype=np.int64, out=None) if x.dtype.kind in "iu" else sums)


def running_into(x):
    """With a place for the result."""
    place = np.zeros_like(x)
    back = np.add.accumulate(x, 0, x.dtype, place)
    return back is place, place + 1


random = np.random.default_rng(440)
grids = [
    random.integers(0, 3, (4, 5)) > 0,
    random.integers(-2, 3, (4, 5)),
    random.integers(0, 200, (4, 5)).astype(np.uint8),
    np.where(random.random((4, 5)) < 0.2, np.nan, random.integers(-2, 3, (4, 5))),
    random.integers(-4, 5, (4, 5)).astype(np.float32)[::-1, ::-1],
    random.integers(-4, 5, (5, 4)).astype(np.float16).T,
]
for attempt in range(4):
    for grid in grids:
        report("truths", *truths(grid))
        if grid.dtype.kind != "b":
            with np.errstate(invalid="ignore"):
                report("extremes", *extremes(grid))
            report("running", *running(grid))
            report("into", *running_into(grid))
for wrong in (lambda: np.logical_and.reduce(grids[1], axis=2, dtype=bool), lambda: np.add.accumulate(grids[1], 3, np.int64)):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__, error)
