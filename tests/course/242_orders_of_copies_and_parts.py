"""The memory order of copies of what NumPy's own functions made, of parts of complex arrays, of arrays without elements."""
import numpy as np


def copied(x): return np.nan_to_num(x).copy()
def copied_twice(x):
    made = np.cumsum(x, axis=0)
    return made, made.copy(), made.copy() + 1
def written(x):
    made = np.sort(x, axis=0).copy()
    made[0] = 7
    return made
def converted(x): return np.nan_to_num(x).astype("f4").copy()
def kept(x): return np.array(np.nan_to_num(x)), np.nan_to_num(x) + 1
def angle(x): return np.angle(x + 0j)
def imaginary(x): return (x + 1j).imag + 1
def of_imaginary(x): return (x + 1j).real.astype("f4"), (x + 1j).imag.sum(axis=0)
def trapezes(x): return np.trapz(x), np.trapz(x[::-1])
def halves(x): return ((x[..., 1:] + x[..., :-1]) / 2).sum(-1)
def empty(x): return x[..., :0] + 1, (x[..., :0] * 2).copy("K"), np.where(x[:0] > 0, 1.0, 2.0)


shapes = (5, 4), (5, 4, 3), (1, 4), (4, 1), (1, 4, 3), (4, 1, 3), (4, 3, 1), (0, 2, 3), (2, 0, 3)
for function in copied, copied_twice, written, converted, kept, angle, imaginary, of_imaginary, trapezes, halves, empty:
    for shape in shapes:
        whole = np.arange(float(np.prod(shape))).reshape(shape)
        for array in whole, np.asfortranarray(whole), np.ascontiguousarray(whole.swapaxes(0, -1)).swapaxes(0, -1)[::-1]:
            try:
                made = function(array)
            except Exception as error:
                print(function.__name__, shape, type(error).__name__, error)
                continue
            for one in made if isinstance(made, tuple) else (made,):
                print(function.__name__, shape, array.strides, one.strides, one.flags.owndata, one.ravel()[:3])
