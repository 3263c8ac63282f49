"""What c_abi_fuzzer.cc calls: functions that keep, change, return and raise whatever they are given."""
import numpy as np

kept = []


def echo(*arguments, **keywords):
    return [list(arguments), keywords] if keywords else arguments[0] if len(arguments) == 1 else list(arguments)


def keep(value=None):
    kept.append(value)
    del kept[:-8]
    return kept[0]


def total(*arrays):
    result = 0.0
    for array in arrays:
        result = result + np.sum(np.sqrt(np.abs(np.asarray(array, dtype=float)) + 1.0))
    return result


def change(array, value=1):
    array[...] = value
    return array


def nested(depth=3):
    return {"depth": depth, "below": [nested(depth - 1)] if isinstance(depth, int) and 0 < depth < 20 else []}


def call(function, *arguments):
    return function(*arguments)


def make_function(value=None):
    return lambda *arguments: value if not arguments else arguments[-1]


def odd(kind=0):
    return [object(), 2**80, 1j, "\udc80", b"bytes", {1: 2}, {"a": {"b": ()}}, float("nan"), np.zeros((0, 3)),
            np.float32(2.5), np.arange(6).reshape(2, 3).T, np.array(["text"]), np.array([None]), range(3),
            np.zeros(3, "f2"), np.broadcast_to(1.5, (2, 2))][kind % 16 if isinstance(kind, int) else 0]


def fails(kind=0):
    raise [ValueError("a \0 in the text"), KeyError(3), SystemExit(4), KeyboardInterrupt(), MemoryError(),
           RecursionError("not really"), Exception(), GeneratorExit()][kind % 8 if isinstance(kind, int) else 0]
