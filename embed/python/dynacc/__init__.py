"""DynaCC: Python array programs as fused kernels inside stock CPython.

Under the launcher `dynacc-python` nothing needs to be imported: hot array code is captured by itself.
In a stock python3 only the functions named by `dynacc.compile` are captured.
"""
import functools as _functools
import os as _os

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

from dynacc._compile import compile, disable, is_compiled as _is_compiled, plain as _plain, reset

# dynacc is a namespace of the Python array API standard, too. Its names (asarray, Tensor, float32, linalg ...) are made
# when the first of them is asked for, as they need NumPy. Some of them are names of builtins (all, any, sum, abs, bool,
# min, max, pow, round), so this file calls none of those.

__all__ = ["Explanation", "compile", "disable", "explain", "info", "reset", "set_logs", "stats"]
__version__ = _dynacc.version

# Functions of dynacc._gradients, which is imported when the first of them is asked for.
_GRADIENTS = ("checkpoint", "custom_gradient", "grad", "hessian", "jacobian", "jvp", "stop_gradient", "value_and_grad",
              "vjp")
_CONTROL_FLOW = ("associative_scan", "cond", "map", "scan", "vmap", "while_loop")  # of dynacc._control_flow, likewise
_CONFIG = ("config", "list_mode_options", "list_options")  # of dynacc._config
_DIRECTIVES = ("mark_dynamic", "mark_static", "set_stance")  # of dynacc._directives
_OPERATORS = ("OperatorError", "op")  # of dynacc.operators, the same
_SEEING = ("info", "set_logs")  # of dynacc._seeing, the same
# Modules that are imported when they are first asked for.
_MODULES = ("backends", "graph", "initializers", "losses", "operators", "optim", "passes", "testing", "tree")


def explain(function, *, fresh=True):
    """Returns a callable that calls `function` compiled and returns an Explanation of what happened.

    With the path of a program in place of a function: runs that in a process of its own, all its array code captured,
    and returns what became of each of its functions, to be printed or shown in a notebook.

    fresh  True: everything is compiled anew, by the target at once, apart from what `function` has compiled before;
           False: what earlier calls of a function under `dynacc.compile` compiled is shown, too, with all its hits
           and misses.
    """
    if isinstance(function, (str, _os.PathLike)):
        from dynacc._script import explain_script
        return explain_script(function)
    compiled = function if _is_compiled(function) else compile(function)
    plain, receiver = _plain(function), getattr(compiled, "__self__", None)

    @_functools.wraps(plain)
    def run(*args, **kwargs):
        of = getattr(compiled, "__func__", compiled)
        if fresh:
            of = of._fresh()
        result = of(*args, **kwargs) if receiver is None else of(receiver, *args, **kwargs)
        from dynacc._explanation import Explanation
        return Explanation(result, of._explain() | {"name": plain.__qualname__}, plain.__code__)

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
    if name in _CONFIG:
        from dynacc import _config
        return getattr(_config, name)
    if name in _DIRECTIVES:
        from dynacc import _directives
        return getattr(_directives, name)
    if name == "list_backends":
        from dynacc.backends import list_backends
        return list_backends
    if name in _OPERATORS:
        from dynacc import operators
        return getattr(operators, name)
    if name in _SEEING:
        from dynacc import _seeing
        return getattr(_seeing, name)
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
    return sorted({*__all__, *globals(), *_array_namespace(), *_GRADIENTS, *_CONTROL_FLOW, *_CONFIG, *_DIRECTIVES,
                   "list_backends", *_OPERATORS, *_SEEING, *_MODULES})


def _array_namespace():
    """The names that the array API standard gives to this module, which has them from now on."""
    from dynacc import _array_api
    names = _array_api.namespace()
    globals().update(names)
    return names
