"""Tensors on devices: their names, moves between them, and functions that run where their tensors are.

A function of tensors that are on a device is compiled for such arguments, once, as `dynacc.compile` would compile it: one
graph of one or a few nodes. What cannot be captured runs on the host on copies, and its results are copied back.
"""
import functools as _functools
import threading as _threading
import types as _types

import _dynacc

arrays = _dynacc.arrays()
Tensor = arrays.Tensor


class Device(str):
    """Where tensors are: Device("cpu"), Device("cuda:0"). It is the name, as a str."""

    __slots__ = ()

    def __new__(cls, name):
        kind, colon, number = str(name).partition(":")
        if kind == "cpu" and not colon:
            return super().__new__(cls, "cpu")
        if kind == "cuda" and (number.isdecimal() if colon else True):
            return super().__new__(cls, f"cuda:{int(number or 0)}")
        raise ValueError(f"no device is called {str(name)!r}; there are 'cpu' and 'cuda', 'cuda:0', 'cuda:1' ...")

    @property
    def type(self):
        """"cpu" or "cuda"."""
        return self.partition(":")[0]

    @property
    def index(self):
        """The number of the GPU; 0 of the CPU."""
        return int(self.partition(":")[2] or 0)

    def __reduce__(self):
        return Device, (str(self),)


CPU = Device("cpu")  # the one that every tensor in host memory has


class NotOnHost(TypeError):
    """A tensor on a device where elements in host memory are needed."""


def number_of(device):
    """The number by which the compiled half knows a device: 0, or n for cuda:(n - 1)."""
    device = Device(device)
    if device == "cpu":
        return 0
    _dynacc.check_target("cuda")
    return device.index + 1


def placed(tensor, device):
    """The tensor on that device (None: where it is); itself if it is there."""
    if device is None:
        return tensor
    number = number_of(device)
    return tensor if arrays.device_number(tensor) == number else arrays.copy_to(tensor, number)


def names():
    """The devices that there are."""
    return [Device("cpu"), *(Device(f"cuda:{number}") for number in range(arrays.device_count()))]


# --- Calls ---------------------------------------------------------------------------------------

_state = _threading.local()
_forms = {}   # what `_form` made
_breaks = {}  # how often a form broke off, as it does for good or where the call is in error
_MOST_BREAKS = 3


def _map(value, change):
    """`value` with `change` made to the tensors in it."""
    if isinstance(value, Tensor):
        return change(value)
    if type(value) in (list, tuple):
        return type(value)([_map(item, change) for item in value])
    if isinstance(value, tuple):  # a named tuple
        return type(value)(*(_map(item, change) for item in value))
    if type(value) is dict:
        return {key: _map(item, change) for key, item in value.items()}
    return value


def _device_of(name, values):
    """The device of all the tensors in `values`; ValueError if they have several."""
    found = []
    _map(values, lambda tensor: found.append(tensor.device))
    for device in found:
        if device != found[0]:
            raise ValueError(f"{name}: tensors on {found[0]} and {device}; to_device() moves them to one")
    return found[0]


def _kind_of(value):
    """What of an argument a compiled form may depend on: dtype and rank of a tensor, flags and the like, but no number."""
    if isinstance(value, Tensor):
        return value.dtype, value.ndim
    if type(value) in (list, tuple):
        return tuple(map(_kind_of, value))
    return value if value is None or isinstance(value, (bool, str)) else type(value)


def _form(key, function):
    """The function with code of its own, compiled for the device."""
    code = function.__code__.replace(co_firstlineno=function.__code__.co_firstlineno)
    own = _types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    own.__kwdefaults__ = function.__kwdefaults__
    own.__module__ = function.__module__
    form = _forms[key] = _dynacc.CompiledFunction(own, True, None, "cuda", {})
    return form


def _captured(function, args, kwargs):
    """function(*args, **kwargs) as kernels; NotOnHost if it cannot be captured. Other errors are its own or the device's."""
    if getattr(_state, "inside", False):  # the interpreter runs what could not be captured
        raise NotOnHost(f"{function.__name__}: the tensors are on a device")
    key = function, tuple(map(_kind_of, args)), tuple((name, _kind_of(value)) for name, value in kwargs.items())
    known = _forms.get(key)
    if _breaks.get(key, 0) >= _MOST_BREAKS:
        raise NotOnHost(f"{function.__name__} has no kernel")
    _state.inside = True
    try:
        try:
            return (known or _form(key, function))(*args, **kwargs)
        except NotOnHost:
            arrays.raise_failure()
            if known is None:
                raise
        return _form(key, function)(*args, **kwargs)  # the old one has as many entries as it may have
    except _dynacc.GraphBreak as error:
        _breaks[key] = _breaks.get(key, 0) + 1
        raise NotOnHost(str(error)) from None
    finally:
        _state.inside = False


def call(function, args, kwargs):
    """function(*args, **kwargs), among whose arguments are tensors on a device."""
    device = _device_of(function.__name__, (args, kwargs))
    try:
        return _captured(function, args, kwargs)
    except NotOnHost:
        if getattr(_state, "inside", False):
            raise
        arrays.raise_failure()
    result = function(*_map(args, to_host), **_map(kwargs, to_host))
    return _map(result, lambda tensor: placed(tensor, device))


def to_host(tensor):
    """The tensor in host memory."""
    return placed(tensor, "cpu")


def everywhere(function, low_precision="promoted"):
    """The function for tensors wherever they are.

    low_precision  what is to be done with tensors of bfloat16 and float8: "itself": the function takes them. "first": as
            all others, but the result's dtype goes by the first argument. Else it is given float32 in their place
            (NumPy has none of them), and its results are rounded; frontend/tensor/low_precision.h has the rule.
    """

    @_functools.wraps(function)
    def public(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except NotOnHost:
            return call(function, args, kwargs)

    if low_precision == "itself":
        return public
    first = low_precision == "first"
    direct = _TAKE_LARGE_BFLOAT16.get(function.__name__)

    @_functools.wraps(function)
    def widened(*args, **kwargs):
        found = arrays.low_precision_among(args[:1] if first else args, kwargs)
        if found is not None:
            result = direct(*args) if direct is not None and len(args) == 2 else None
            if result is not None:
                return result
            args = arrays.in_float32(args)
            kwargs = arrays.in_float32(kwargs)
        try:
            result = function(*args, **kwargs)
        except NotOnHost:
            result = call(function, args, kwargs)
        return result if found is None or found is True else arrays.rounded(result, found)

    return widened


_TAKE_LOW_PRECISION = frozenset((
    "asarray", "astype", "broadcast_arrays", "broadcast_to", "can_cast", "clip", "constant", "empty", "empty_like",
    "expand_dims", "finfo", "flip", "from_dlpack", "full", "full_like", "iinfo", "is_constant", "isdtype",
    "matrix_transpose", "meshgrid", "moveaxis", "ones", "ones_like", "permute_dims", "reshape", "sign", "squeeze",
    "unstack", "zeros", "zeros_like", "__array_namespace_info__"))
_LIKE_THE_FIRST = frozenset(("repeat", "take", "take_along_axis"))
# What is tried first: it gives the result as it is to be, or None.
_TAKE_LARGE_BFLOAT16 = {"matmul": arrays.product}


def low_precision_rule(function):
    """What `everywhere` is told of a function of the namespace."""
    if function.__name__ in _TAKE_LOW_PRECISION:
        return "itself"
    return "first" if function.__name__ in _LIKE_THE_FIRST else "promoted"


# Functions in whose code the primitive's name stands, as the tracer wants it.
_FORMS = {1: "def {name}(x, /): return arrays.{name}(x)",
          2: "def {name}(x1, x2, /): return arrays.{name}(x1, x2)",
          3: "def {name}(x1, x2, x3, /): return arrays.{name}(x1, x2, x3)"}
_primitives = {}


def on_device(name, *operands):
    """The primitive arrays.<name> of operands of which one is on a device."""
    function = _primitives.get(name)
    if function is None:
        scope = {"arrays": arrays, "__name__": __name__}
        exec(_FORMS[len(operands)].format(name=name), scope)
        function = _primitives[name] = scope[name]
    return call(function, operands, {})


def change(function, *args):
    """function(*args), which writes into its first argument, a tensor on a device; False if it cannot be captured."""
    _device_of("assignment", args)
    try:
        _captured(function, args, {})
    except NotOnHost:
        if getattr(_state, "inside", False):
            raise
        arrays.raise_failure()
        return False
    return True


def _store(target, value):
    target[...] = value


def assign(target, value):
    """target[...] = value, one of which is on a device."""
    if not isinstance(value, (Tensor, bool, int, float, complex)):
        import dynacc
        value = dynacc.asarray(value, device=target.device)
    if isinstance(value, Tensor):
        if arrays.is_of_kind(value.dtype, "c") and not arrays.is_of_kind(target.dtype, "c"):
            raise TypeError(f"{value.dtype} cannot be stored in a tensor of {target.dtype}")
        _device_of("assignment", (target, value))
        while value.ndim > target.ndim and value.shape[0] == 1:
            value = value[0]
        arrays.broadcast_to(value, target.shape)  # ValueError if it does not fit
        if arrays.device_number(value) and arrays.may_overlap(target, value):
            value = arrays.cast(value, value.dtype)
    else:
        if isinstance(value, complex) and not arrays.is_of_kind(target.dtype, "c"):
            raise TypeError(f"a complex number cannot be stored in a tensor of {target.dtype}")
        arrays.full((), target.dtype, value)  # the errors of numbers that the dtype does not hold
    arrays.require_writable(target)
    if target.size == 0:
        return
    if target.ndim == 0:
        target = arrays.reshape(target, (1,), None)
    try:
        _captured(_store, (target, value), {})
    except NotOnHost:
        if getattr(_state, "inside", False):
            raise
        arrays.raise_failure()
        raise RuntimeError("the assignment to a tensor on a device could not be captured: assign in host memory, "
                           "tensor.to_device(\"cpu\")") from None
