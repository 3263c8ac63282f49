"""DynaCC: Python array programs as fused kernels inside stock CPython.

Under the launcher `dynacc-python` nothing needs to be imported: hot array code is captured by itself.
In a stock python3 only the functions named by `dynacc.compile` are captured.
"""
import functools as _functools
import os as _os
import types as _types

try:
    import _dynacc
except ModuleNotFoundError as error:
    if error.name != "_dynacc":
        raise
    from dynacc import _installation
    raise _installation.missing_core(__file__) from None

if getattr(_dynacc, "__file__", None):  # not the launcher's, which is built in
    from dynacc import _installation as _found
    _found.check_one(__file__, _dynacc.__file__)
    del _found

# dynacc is a namespace of the Python array API standard, too. Its names (asarray, Tensor, float32, linalg ...) are made
# when the first of them is asked for, as they need NumPy. Some of them are names of builtins (all, any, sum, abs, bool,
# min, max, pow, round), so this file calls none of those.

__all__ = ["Explanation", "compile", "disable", "explain", "info", "set_logs", "stats"]
__version__ = _dynacc.version

# Functions of dynacc._gradients, which is imported when the first of them is asked for.
_GRADIENTS = ("checkpoint", "custom_gradient", "grad", "hessian", "jacobian", "jvp", "stop_gradient", "value_and_grad",
              "vjp")
_CONTROL_FLOW = ("associative_scan", "cond", "map", "scan", "vmap", "while_loop")  # of dynacc._control_flow, likewise
_OPERATORS = ("OperatorError", "op")  # of dynacc.operators, the same
_SEEING = ("info", "set_logs")  # of dynacc._seeing, the same
# Modules that are imported when they are first asked for.
_MODULES = ("graph", "initializers", "losses", "operators", "optim", "passes", "testing", "tree")


def compile(function=None, *, fullgraph=False, dynamic=None, fast_math=None, backend="", device=None):
    """Returns a callable that runs `function` as compiled kernels; also a decorator.

    fullgraph  True: a graph break raises RuntimeError instead of splitting the function.
    dynamic    True: sizes are dynamic from the start; False: never; None: after they changed.
    fast_math  True allows results that differ from NumPy's in the last digits; None: DYNACC_FAST_MATH.
    backend    a target's name (see dynacc-python --dynacc-info); "": DYNACC_TARGET; or a callable, called with each
               graph that is captured, a dynacc.graphs.CapturedGraph, before its first run. It returns None (the graph
               is compiled as without it), a target's name, a CapturedGraph to compile in its place, or a function
               run(arrays, numbers) that computes the graph's outputs (dynacc.graphs.CapturedGraph says how). What it
               raises, the call of `function` raises.
    device     "cuda": array work runs on the GPU, with copies there and back that DYNACC_LOGS=device counts;
               results may differ from NumPy's in the last digits. RuntimeError if there is none. "cpu" or
               None: as backend says.
    """
    backend = _target_of(device, backend)
    if function is None:
        return _functools.partial(compile, fullgraph=fullgraph, dynamic=dynamic,
                                  fast_math=fast_math, backend=backend)
    if isinstance(function, _types.MethodType):
        compiled = compile(function.__func__, fullgraph=fullgraph, dynamic=dynamic,
                           fast_math=fast_math, backend=backend)
        return _types.MethodType(compiled, function.__self__)
    if callable(backend):
        from dynacc._backend import asked
        backend = asked(backend)
    compiled = _dynacc.CompiledFunction(_plain(function), fullgraph, dynamic, fast_math, backend)
    return _functools.update_wrapper(compiled, _plain(function))


def _target_of(device, backend):
    """The backend that the argument `device` asks for."""
    if device is None or device == "cpu":
        return backend
    if device not in ("cuda", "cuda:0"):
        raise ValueError(f"dynacc.compile: no device is called {device!r}; there are 'cpu' and 'cuda'")
    if backend not in ("", "cuda"):
        raise ValueError(f"dynacc.compile: backend {backend!r} does not run on device {device!r}")
    _dynacc.check_target("cuda")
    return "cuda"


def disable(function):
    """Marks `function` to be left to CPython, whatever the policy; returns it. Also a decorator."""
    _dynacc.disable(_plain(function))
    return function


def explain(function, *, fresh=True):
    """Returns a callable that calls `function` compiled and returns an Explanation of what happened.

    With the path of a program in place of a function: runs that in a process of its own, all its array code captured,
    and returns what became of each of its functions, to be printed or shown in a notebook.

    fresh  True: everything is compiled again, and for DYNACC_TARGET at once; False: what earlier calls of a function
           under `dynacc.compile` compiled is shown, too, with all its hits and misses.
    """
    if isinstance(function, (str, _os.PathLike)):
        from dynacc._script import explain_script
        return explain_script(function)
    compiled = function if _is_compiled(function) else compile(function)
    plain = _plain(function)

    @_functools.wraps(plain)
    def run(*args, **kwargs):
        if fresh:
            _dynacc.prepare_explain(plain)
        result = compiled(*args, **kwargs)
        from dynacc._explanation import Explanation
        return Explanation(result, _dynacc.explain(plain) | {"name": plain.__qualname__}, plain.__code__)

    return run


def stats():
    """The counters of this process: what was captured, compiled, launched, and why code broke off."""
    return _dynacc.stats()


def load_ipython_extension(shell):
    """What `%load_ext dynacc` calls: makes the cell magic %%dynacc known, which shows what became of a cell."""
    from dynacc import _notebook
    _notebook.register(shell)


def __getattr__(name):
    """Loads the array namespace when one of its names is asked for."""
    if name in _GRADIENTS:
        from dynacc import _gradients
        globals().update({each: getattr(_gradients, each) for each in _GRADIENTS})  # where a trace finds them
        return globals()[name]
    if name in _CONTROL_FLOW:
        from dynacc import _control_flow
        globals().update({each: getattr(_control_flow, each) for each in _CONTROL_FLOW})
        return globals()[name]
    if name in _SEEING:
        from dynacc import _seeing
        return getattr(_seeing, name)
    if name in _OPERATORS:
        from dynacc import operators
        return getattr(operators, name)
    if name == "Explanation":
        from dynacc._explanation import Explanation
        globals()[name] = Explanation
        return Explanation
    if name == "ScriptExplanation":
        from dynacc._script import ScriptExplanation
        return ScriptExplanation
    if name in _MODULES:
        import importlib
        return importlib.import_module(f"dynacc.{name}")
    if name in ("__array_namespace_info__", "__array_api_version__") or not name.startswith("_"):
        try:
            names = _array_namespace()
        except ImportError as error:
            raise AttributeError(f"dynacc.{name} is not there: {error}") from error
        if name in names:
            return names[name]
    raise AttributeError(f"module 'dynacc' has no attribute {name!r}")


def __dir__():
    return sorted({*__all__, *globals(), *_array_namespace(), *_GRADIENTS, *_CONTROL_FLOW, *_OPERATORS, *_SEEING, *_MODULES})


def _array_namespace():
    """The names that the array API standard gives to this module, which has them from now on."""
    from dynacc import _array_api
    names = _array_api.namespace()
    globals().update(names)
    return names


def _is_compiled(function):
    return isinstance(getattr(function, "__func__", function), _dynacc.CompiledFunction)


def _plain(function):
    """The Python function inside a method or inside what `compile` returned."""
    function = getattr(function, "__func__", function)
    if isinstance(function, _dynacc.CompiledFunction):
        return function.__wrapped__
    return function
