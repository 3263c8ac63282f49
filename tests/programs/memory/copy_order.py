"""Strides of copies of what NumPy's own functions made, with axes of one element: such an array lies in both orders."""
import numpy as np

FUNCTIONS = {
    "astype": lambda y: y.astype(y.dtype),
    "astype copy": lambda y: y.astype(y.dtype, copy=True),
    "narrower": lambda y: y.astype(np.float32),
    "copy": np.copy,
    "copy method": lambda y: y.copy(),
    "copy in F": lambda y: y.copy("F"),
    "copy in K": lambda y: y.copy("K"),
    "array": np.array,
    "array in K": lambda y: np.array(y, order="K"),
    "asarray": np.asarray,
    "positive": lambda y: +y,
    "real": lambda y: y.real,
    "times one": lambda y: y * 1,
    "power one": lambda y: y**1,
    "conjugate": np.conjugate,
    "negated twice": lambda y: -(-y),
    "where": lambda y: np.where(True, y, y),
    "minimum": lambda y: np.minimum(y, y),
    "clip": lambda y: np.clip(y, None, 5),
    "roll by 0": lambda y: np.roll(y, 0),
    "roll by 0 along 0": lambda y: np.roll(y, 0, axis=0),
    "roll along 0": lambda y: np.roll(y, 1, axis=0),
    "reshape": lambda y: y.reshape(y.shape),
    "reshape in F": lambda y: y.reshape(y.shape, order="F"),
    "transposed": lambda y: y.T.astype(y.dtype),
    "transposed twice": lambda y: y.T.T.copy("K"),
    "slice": lambda y: y[:].astype(y.dtype),
    "reversed twice": lambda y: y[::-1][::-1].astype(y.dtype),
    "stack": lambda y: np.stack([y]),
    "zeros_like": np.zeros_like,
    "full_like": lambda y: np.full_like(y, 2),
}


def makers(function):
    def array_in_f(x):
        return function(np.array(x, order="F"))

    def as_fortran(x):
        return function(np.asfortranarray(x + 1))

    def sorted_first(x):
        return function(np.sort(x, axis=0))

    def existing(x):
        return function(x)

    return array_in_f, as_fortran, sorted_first, existing


for name, function in FUNCTIONS.items():
    for made in makers(function):
        for shape in ((1, 3), (3, 1), (1, 1), (3, 1, 2), (1, 3, 1), (2, 3)):
            for x in (np.ones(shape), np.ones(shape), np.ones(shape[::-1]).T):
                r = made(x)
                print(name, made.__name__, shape, r.shape, r.strides, r.flags.c_contiguous, r.flags.f_contiguous)
