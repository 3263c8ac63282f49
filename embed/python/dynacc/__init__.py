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

from _dynacc import GraphBreak

from dynacc._compile import compile, disable, is_compiled as _is_compiled, plain as _plain, reset

# dynacc is a namespace of the Python array API standard, too. Its names (asarray, Tensor, float32, linalg ...) are made
# when the first of them is asked for, as they need NumPy. Some of them are names of builtins (all, any, sum, abs, bool,
# min, max, pow, round), so this file calls none of those.

# What `from dynacc import *` brings: what needs no NumPy. Others, as grad, vmap, cond and export, are asked for by
# their names; among them and among the standard's are names of builtins, which * would hide.
__all__ = ["Explanation", "GraphBreak", "ScriptExplanation", "compile", "config", "disable", "explain", "info",
           "list_backends", "list_mode_options", "list_options", "mark_dynamic", "mark_static", "reset", "set_logs",
           "set_stance", "stats"]
__version__ = _dynacc.version

# Names of modules that are imported when one of them is first asked for.
_LAZY = {
    "_config": ("config", "list_mode_options", "list_options"),
    "_control_flow": ("associative_scan", "cond", "map", "scan", "vmap", "while_loop"),
    "_directives": ("mark_dynamic", "mark_static", "set_stance"),
    "_explanation": ("Explanation",),
    "_gradients": ("checkpoint", "custom_gradient", "grad", "hessian", "jacobian", "jvp", "stop_gradient",
                   "value_and_grad", "vjp"),
    "_nan_search": ("debug_nans",),
    "_script": ("ScriptExplanation",),
    "_seeing": ("info", "set_logs"),
    "backends": ("list_backends",),
    "operators": ("OperatorError", "op"),
    "program": ("Program", "export", "load_program"),
}
# Modules that are imported when they are first asked for.
_MODULES = ("backends", "graph", "initializers", "losses", "operators", "optim", "passes", "program", "testing",
            "tree")


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
    """Loads what one of the names above is of, or the array namespace."""
    import importlib
    for module, names in _LAZY.items():
        if name in names:
            loaded = importlib.import_module(f"dynacc.{module}")
            globals().update({each: getattr(loaded, each) for each in names})  # where a trace finds them
            return globals()[name]
    if name in _MODULES:
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
    lazy = [name for names in _LAZY.values() for name in names]
    return sorted({*__all__, *globals(), *_array_namespace(), *lazy, *_MODULES})


def _array_namespace():
    """The names that the array API standard gives to this module, which has them from now on."""
    from dynacc import _array_api
    names = _array_api.namespace()
    globals().update(names)
    return names
