"""Derivatives of NumPy's own functions: those that a graph calls, and that have no op (docs/gradients.md).

RULES is a dict from a function of NumPy or `operator`, or the name of a method of ndarray, to rule(result, *args,
**kwargs), which is traced after a call of it (frontend/tracer/call_gradients.h) and returns the result with a gradient.
There are two ways to write one:

- @stand_in("kron"): a function of the same arguments, written with operations that have gradients. Its derivative is
  taken for that of NumPy's function; the value stays NumPy's.
- @pull("linalg.inv"): a function of (cotangent, result, *args) that gives the cotangents of the positional arguments.
  Cotangents are JAX's: that of a function of complex numbers is multiplied with its derivative, not conjugated.

The rules are in _array_rules.py and _linear_algebra_rules.py. They hold for all dtypes and batches that NumPy's
function takes; what they do not cover they leave. `LEFT` for a result makes the derivative an error that names the
user's line.
"""
import _dynacc
import numpy as _np

_arrays = _dynacc.arrays()

RULES = {}
LEFT = NotImplemented


def functions(names):
    """The functions and methods of these names that this NumPy has."""
    for name in names:
        if callable(name):
            yield name
            continue
        found = _np
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is not None:
            yield found


def _has_result(kwargs):
    """Whether the call has somewhere to put its result."""
    return kwargs.get("out") is not None or kwargs.get("overwrite_input", False)


def _like(result, items):
    """A tuple of the same type."""
    return tuple(items) if type(result) is tuple else type(result)(*items)


def has_arrays(values):
    """Whether the list, or a list in it, has something of an array, and not numbers of Python only."""
    for value in values:
        if has_arrays(value) if isinstance(value, (list, tuple)) else hasattr(value, "dtype"):
            return True
    return False


def widest(parts):
    """The dtype of those that holds all others; numbers of Python count as float64."""
    dtypes = [getattr(part, "dtype", _np.dtype(float)) for part in parts]
    found = dtypes[0]
    for dtype in dtypes[1:]:
        if ("biufc".index(dtype.kind), dtype.itemsize) > ("biufc".index(found.kind), found.itemsize):
            found = dtype
    return found


def filled(values):
    """An array of the values, which are alike in shape."""
    parts = [filled(value) if isinstance(value, (list, tuple)) else value for value in values]
    array = _np.zeros((len(parts),) + getattr(parts[0], "shape", ()), widest(parts))
    for number, part in enumerate(parts):
        array[number] = part
    return array


def as_array(value):
    """An argument that NumPy takes for an array: of a list or tuple one of its values."""
    if isinstance(value, (list, tuple)):
        return filled(value) if has_arrays(value) else _np.asarray(value)
    return _np.asarray(value) if isinstance(value, (int, float, complex)) else value


def _with_arrays(args, count):
    """The arguments, of which the first `count` are arrays to NumPy, as arrays where they are lists or tuples."""
    made = [as_array(value) if isinstance(value, (list, tuple)) else value for value in args[:count]]
    return (*made, *args[count:])


def stand_in(*names, methods=(), arrays=0):
    """Registers the decorated function for NumPy's functions of these names; several results are a tuple.

    arrays  how many arguments NumPy takes for arrays; the function gets arrays where the program has lists for them
    """
    def register(function):
        def computed(*args, **kwargs):
            return function(*_with_arrays(args, arrays), **kwargs)

        def rule(result, *args, **kwargs):
            if _has_result(kwargs):
                return result
            if not isinstance(result, (list, tuple)):
                return through(result, computed, args, kwargs)
            before = _arrays.errors_off()
            # What is computed from here on goes where no gradient is asked for.
            cotangents = [_arrays.cotangent(item) for item in result]
            others = computed(*args, **kwargs)
            if others is LEFT:
                items = result
            else:
                items = [_with(*each, args, kwargs) for each in zip(result, cotangents, others)]
            _arrays.errors_back(before)
            return items if type(result) is list else _like(result, items)

        RULES.update(dict.fromkeys(functions(names), rule))
        RULES.update(dict.fromkeys(methods, rule))
        return function

    return register


def _arguments(args, kwargs):
    """The arguments, and those in lists, tuples and keywords: among them the arrays that the result depends on."""
    found = []
    for value in args:
        found += _arguments(value, {}) if isinstance(value, (list, tuple)) else [value]
    return found + [kwargs[name] for name in kwargs]


def _with(result, cotangent, other, args, kwargs):
    """The result of a call with the derivative of `other`, an array like it; None: a constant, LEFT: with none."""
    if other is LEFT:
        return result
    args = _arguments(args, kwargs)
    by, gradients = ((), ()) if other is None else ((other,), (cotangent,))
    none = (None,) * len(args)
    return _arrays.custom_gradient(result, cotangent, len(args) + len(by), *args, *by, *none, *gradients)


def through(result, function, args, kwargs):
    """The result of a call with the derivative of the function in its place."""
    before = _arrays.errors_off()
    cotangent = _arrays.cotangent(result)
    with_gradient = _with(result, cotangent, function(*args, **kwargs), args, kwargs)
    _arrays.errors_back(before)
    return with_gradient


def _with_pull(function, result, seen, args, kwargs, parts):
    """The result with the cotangents that `function` gives; `seen` is what it is told of the result.

    parts  what the result depends on through arrays that are made of lists
    """
    cotangent = _arrays.cotangent(result)
    given = function(cotangent, seen, *args, **kwargs)
    if given is LEFT or len(args) < len(given):  # arrays by keyword
        return result
    by = (*args[:len(given)], *parts)
    return _arrays.custom_gradient(result, cotangent, len(by), *by, *given, *(None,) * len(parts))


def pull(*names, arrays=0):
    """Registers the decorated function; the cotangents of a call of several results are `pull_each`'s.

    arrays  as of stand_in
    """
    def register(function):
        def rule(result, *args, **kwargs):
            if _has_result(kwargs):
                return result
            before = _arrays.errors_off()
            parts = _arguments([value for value in args[:arrays] if isinstance(value, (list, tuple))], {})
            args = _with_arrays(args, arrays)
            # What is computed of the result for the first derivative has the first derivative itself.
            seen = _with_pull(function, _arrays.stop_gradient(result), result, args, kwargs, parts)
            with_gradient = _with_pull(function, result, seen, args, kwargs, parts)
            _arrays.errors_back(before)
            return with_gradient

        RULES.update(dict.fromkeys(functions(names), rule))
        return function

    return register


def _with_pulls(function, results, seen, args, kwargs, parts):
    items = []
    for index, item in enumerate(results):
        cotangent = _arrays.cotangent(item)
        given = function(index, cotangent, seen, *args, **kwargs)
        if given is LEFT:
            items.append(item)
        else:
            none = (None,) * len(parts)
            items.append(_arrays.custom_gradient(item, cotangent, 1 + len(parts), args[0], *parts, given, *none))
    return items


def pull_each(*names):
    """Likewise of one matrix and several results: function(index, cotangent, results, a, ...) of each result alone.

    It gives the cotangent of the matrix, None for zeros, or LEFT.
    """
    def register(function):
        def rule(result, *args, **kwargs):
            before = _arrays.errors_off()
            parts = _arguments(args[0], {}) if isinstance(args[0], (list, tuple)) else []
            args = _with_arrays(args, 1)
            constants = [_arrays.stop_gradient(item) for item in result]
            seen = _with_pulls(function, constants, result, args, kwargs, parts)
            with_gradient = _like(result, _with_pulls(function, result, seen, args, kwargs, parts))
            _arrays.errors_back(before)
            return with_gradient

        RULES.update(dict.fromkeys(functions(names), rule))
        return function

    return register


def unbroadcast(g, shape):
    """The sum of g over the axes that broadcasting gave to an array of that shape."""
    extra = _np.ndim(g) - len(shape)
    if extra > 0:
        g = g.sum(tuple(range(extra)))
    repeated = tuple([axis for axis, size in enumerate(shape) if size == 1 and g.shape[axis] != 1])
    return g.sum(repeated, keepdims=True) if repeated else g


def transposed(a):
    return _np.swapaxes(a, -1, -2)


def is_complex(*arrays):
    for array in arrays:
        if _np.asarray(array).dtype.kind == "c":
            return True
    return False
