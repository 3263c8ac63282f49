"""NumPy's functions give strides to axes of one element, in views of computed arrays whose sizes vary."""
# test: not-sanitized
import numpy as np


def turned(a):
    return np.swapaxes(a, 0, -1)


functions = [
    lambda x: turned(x + 1) * 2, lambda x: turned((x + 3j).imag) * 2, lambda x: turned(np.conj(x + 3j).imag).copy("K"),
    lambda x: np.ones_like(turned(np.sqrt(x) + 1)), lambda x: np.ones_like((x + 3j).real), lambda x: np.array((x * 1j).T.imag[::-1]),
    lambda x: turned(x * 2)[:1] + 1, lambda x: (x * 2).transpose(1, 2, 0).copy("K"), lambda x: np.array((x * 2).transpose(1, 2, 0)),
    lambda x: np.array((x * 2).transpose(1, 2, 0), order="A"), lambda x: (x * 2).transpose(1, 2, 0).astype("f4"),
    lambda x: np.where((x * 2).T > 1, 1, 0), lambda x: np.exp((x * 2).transpose(2, 0, 1)), lambda x: np.clip((x * 2).transpose(2, 0, 1), 0, 3),
    lambda x: (x * 2).T + x.T, lambda x: np.cumsum((x * 2).T, axis=0), lambda x: (x * 2).T.sum(axis=0),
    lambda x: np.sort((x * 2).T, axis=0), lambda x: np.sort((x * 2j).T.imag, axis=0), lambda x: np.roll((x * 2).T, 1, 0),
    lambda x: np.concatenate([(x * 2).T, (x * 3).T]), lambda x: np.take((x * 2).T, [0, 0], 0), lambda x: np.flip((x * 2).T, 0) + 1,
    lambda x: (x + 1).reshape(x.shape[::-1]).T * 2, lambda x: np.zeros_like((x[::-1] * 2).T), lambda x: np.empty_like((x[:, ::-1] * 2).T),
    lambda x: abs((x - 2).T) // 2, lambda x: np.moveaxis(x / 2, 0, -1) ** 2, lambda x: np.maximum.accumulate((x + 1).T, 0),
    lambda x: np.ascontiguousarray((x + 1).T), lambda x: np.asfortranarray((x + 1).T), lambda x: np.copy((x + 1j).T.real, "K"),
    lambda x: (x + 1).T.round(1), lambda x: np.nan_to_num((x + 1).T), lambda x: np.real((x + 1j).T) + 1, lambda x: np.angle((x + 1j).T)]

for shape in ((5, 4, 3), (5, 4, 3), (6, 4, 3), (5, 5, 2), (5, 1, 2), (1, 1, 3), (1, 4, 3), (4, 3, 1), (1, 4, 1), (3, 1, 1), (2, 5, 4)):
    x = np.ones(shape)
    for x in (x, np.asfortranarray(x), x.swapaxes(0, 1).copy().swapaxes(0, 1)):
        results = [function(x) for function in functions]
        print(shape, [(r.shape, r.strides, r.flags.owndata) for r in results])
for shape in ((1, 4), (4, 1), (3, 2), (1, 1)):
    print([np.copy(a, "K").strides for a in ((np.ones(shape) * 1j).imag, (np.ones(shape) * 1j).T.imag, (np.ones(shape) + 1j).real.T)])
for n in (300, 300, 20, 301):  # of 256 KB and more, too, in memory of NumPy's own
    x = np.ones((n, 400))
    row = x[::-1][None]
    print([a.strides for a in (np.zeros_like(row) + 1, np.full_like(row, 3) * 2, np.ones_like(row.T) + row.T, np.empty_like(x[:, None].T) * 0)])
