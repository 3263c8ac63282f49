"""Classes that take part in NumPy's calls: __array_ufunc__, __array_function__, __array_finalize__, __array__, priorities, and plain arrays after them."""
import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from show import attempt, repeat, show

calls = []


class Units(np.ndarray):
    def __new__(cls, values, unit):
        made = np.asarray(values, float).view(cls)
        made.unit = unit
        return made

    def __array_finalize__(self, source):
        self.unit = getattr(source, "unit", "?")

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        units = [item.unit if isinstance(item, Units) else "" for item in inputs]
        plain = [item.view(np.ndarray) if isinstance(item, Units) else item for item in inputs]
        if out:
            kwargs["out"] = tuple(item.view(np.ndarray) if isinstance(item, Units) else item for item in out)
        if ufunc in (np.add, np.subtract) and method == "__call__" and "" not in units and len(set(units)) > 1:
            raise ValueError(f"{units[0]} and {units[1]}")
        result = getattr(ufunc, method)(*plain, **kwargs)
        calls.append((ufunc.__name__, method))
        if out:
            return out[0]
        joined = "*".join(filter(None, units)) if ufunc is np.multiply else units[0]
        return Units(result, joined) if isinstance(result, np.ndarray) else result

    def __repr__(self):
        return f"{self.view(np.ndarray)} {self.unit}"


class Diagonal:
    """n times a value; NumPy's functions are those of `handled`."""
    handled = {}

    def __init__(self, n, value):
        self.n, self.value = n, value

    def __array__(self, dtype=None):
        return self.value * np.eye(self.n, dtype=dtype)

    def __array_function__(self, function, types, args, kwargs):
        if function not in self.handled:
            return NotImplemented
        return self.handled[function](*args, **kwargs)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if method != "__call__":
            return NotImplemented
        values = [item.value if isinstance(item, Diagonal) else item for item in inputs]
        return Diagonal(self.n, ufunc(*values, **kwargs))

    def __repr__(self):
        return f"Diagonal({self.n}, {self.value})"


Diagonal.handled[np.sum] = lambda d, axis=None: d.n * d.value
Diagonal.handled[np.concatenate] = lambda ds, axis=0: Diagonal(sum(d.n for d in ds), ds[0].value)


class Wrapped(NDArrayOperatorsMixin):
    def __init__(self, value):
        self.value = np.asarray(value)

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if "out" in kwargs:
            kwargs["out"] = tuple(item.value for item in kwargs["out"])
        result = getattr(ufunc, method)(*(i.value if isinstance(i, Wrapped) else i for i in inputs), **kwargs)
        return tuple(map(Wrapped, result)) if isinstance(result, tuple) else Wrapped(result)

    def __repr__(self):
        return f"Wrapped({self.value!r})"


class Refuses:
    __array_ufunc__ = None

    def __radd__(self, other):
        return "radd"


class First:
    __array_priority__ = 100

    def __rmul__(self, other):
        return "rmul", other

    def __array__(self, dtype=None):
        return np.arange(3, dtype=dtype)


def energy(mass, speed):
    k = 0.5 * mass * speed * speed
    k += k
    return k, k[1:], k.sum(), np.sqrt(k), k > 3


def mean_square(x):
    return (x * 2 + np.sin(x)).sum() / len(x)


mass, speed, plain = Units([1, 2, 3], "kg"), Units([3, 2, 1], "m/s"), np.arange(3.0)
for _ in range(3):
    print(repeat(energy, mass, speed))
    print(repeat(energy, plain, plain + 1))
    print(repeat(energy, plain, speed))
show("calls", (len(calls), calls[:4]))
attempt("other units", lambda: mass + speed)
attempt("methods of ufuncs", lambda: [repr(np.add.reduce(mass)), repr(np.multiply.outer(mass, speed)), repr(np.maximum.accumulate(speed))])
attempt("in place", lambda: repr(np.add(mass, mass, out=mass)))

d = Diagonal(4, 2.5)
attempt("diagonal", lambda: [repr(np.sum(d)), repr(np.concatenate([d, d])), repr(np.multiply(d, 2)), repr(np.sin(d)), np.asarray(d)[0]])
attempt("unknown function", lambda: np.median(d))
attempt("unknown method", lambda: np.add.reduce(d))

w = Wrapped([1, 2, 3.5])
attempt("mixin", lambda: [repr(v) for v in (w + 1, 1 - w, w @ w, w**2 > 3, divmod(w, 2), np.modf(w), abs(w), [1, 2, 3] * w, plain + w)])
attempt("refuses", lambda: (plain + Refuses(), np.float32(2) + Refuses()))
attempt("refused", lambda: plain * Refuses())
attempt("priority", lambda: [repr(plain * First()), repr(np.multiply(plain, First())), repr(np.float64(2) * First())])

matrix = np.matrix([[1, 2], [3, 4]])
for x in (plain, Units(plain, "m"), plain.view(np.matrix).T, np.ma.array(plain, mask=[1, 0, 0]), w.value, plain.astype("f4")):
    result = repeat(mean_square, x)
    print(type(x).__name__, type(result).__name__, result)
attempt("matrix", lambda: [repr(v) for v in (matrix * matrix, matrix**2, matrix.sum(1), matrix + np.eye(2), matrix @ np.eye(2))])
