"""dynacc.compile and dynacc.disable (docs/compile.md). What they return is of embed/module/compiled_function.h."""
import functools as _functools
import types as _types

import _dynacc

# What each mode sets. Options that are given by name are refused beside a mode, so nothing here is overruled.
MODES = {
    "default": {},
    "reduce-overhead": {"reuse_results": True, "cuda_graphs": True},
    "max-autotune": {"autotune": True, "cuda_graphs": True},
    "max-autotune-no-cudagraphs": {"autotune": True},
}


def compile(model=None, *, fullgraph=False, dynamic=None, backend="auto", mode=None, options=None, disable=False,
            fast_math=None, device=None, on_graph_break=None, on_recompile=None):
    """Returns a callable that runs `model` as compiled kernels; also a decorator. `model` itself stays as it is.

    model      a Python function or method; an object with a __call__ or a `forward` written in Python, which becomes a
               CompiledObject; a module, whose functions are compiled.
    fullgraph  True: a graph break raises RuntimeError instead of splitting the function.
    dynamic    True: sizes are dynamic from the start; False: never; None: after they changed.
    backend    "auto": the option `target` says; a name of dynacc.list_backends(); or a function, as
               dynacc.backends.register describes it.
    mode       a name of dynacc.list_mode_options(): options that belong together.
    options    a dict of options of this compilation alone; dynacc.list_options() has their names. "guard_filter" is a
               function, too (docs/compile.md). Not beside a mode.
    disable    True: `model` is returned as it is.
    fast_math  True allows results that differ from NumPy's in the last digits; None: the option `fast_math` says.
    device     "cuda": array work runs on the GPU, with copies there and back that DYNACC_LOGS=device counts;
               results may differ from NumPy's in the last digits. RuntimeError if there is none. "cpu" or
               None: as backend says.
    on_graph_break, on_recompile
               functions that are called with (code, line, reason) at each graph break that a trace finds, and before
               each trace that is made because no compiled variant fits. What they raise, the call raises.

    What is returned has options, caches, counters and limits of its own: forget() drops what was compiled, and stats()
    says what happened. TypeError and ValueError for arguments that are wrong or contradict each other.
    """
    arguments = dict(fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, options=options, disable=disable,
                     fast_math=fast_math, device=device, on_graph_break=on_graph_break, on_recompile=on_recompile)
    settings = _settings(**arguments)
    if model is None:
        return _functools.partial(compile, **arguments)
    if disable:
        return model
    kind = type(model)  # not isinstance, for which an object may lie
    if kind is _types.MethodType:
        return _types.MethodType(_compiled(model.__func__, *settings), model.__self__)
    if kind in (_types.FunctionType, _dynacc.CompiledFunction, _dynacc.DisabledFunction):
        return _compiled(model, *settings)
    return _compiled_other(model, arguments)


def disable(model):
    """Returns a callable that runs `model`, and all that it calls, by CPython; also a decorator.

    Functions under dynacc.compile that are called meanwhile run compiled. `model` itself stays as it is.
    """
    if isinstance(model, _types.MethodType):
        return _types.MethodType(disable(model.__func__), model.__self__)
    disabled = _dynacc.DisabledFunction(plain(model))
    return _functools.update_wrapper(disabled, plain(model))


def reset():
    """Forgets what was captured and compiled, of all code: the next calls trace again."""
    _dynacc.reset()


def is_compiled(function):
    return isinstance(getattr(function, "__func__", function), _dynacc.CompiledFunction)


def plain(function):
    """The Python function inside a method or inside what `compile` or `disable` returned."""
    function = getattr(function, "__func__", function)
    while isinstance(function, (_dynacc.CompiledFunction, _dynacc.DisabledFunction)):
        function = function.__wrapped__
    return function


def _compiled_other(model, arguments):
    """What a model becomes that is neither a function nor a method; TypeError for what has no Python code to compile."""
    from dynacc import _objects
    kind = type(model)
    if kind is _objects.CompiledModule:
        return _objects.CompiledModule(vars(model)["__wrapped__"], arguments)
    if issubclass(kind, _types.ModuleType):
        return _objects.CompiledModule(model, arguments)
    if kind in (staticmethod, classmethod):
        return kind(compile(model.__func__, **arguments))
    if kind is _functools.partial:
        return _functools.partial(compile(model.func, **arguments), *model.args, **model.keywords)
    if issubclass(kind, _objects.CompiledObject):
        return _compiled_other(model.__wrapped__, arguments)
    if issubclass(kind, type) or _objects.entry_of(model) is None:
        what = f"the class {model.__qualname__}" if issubclass(kind, type) else f"an object of type {kind.__qualname__}"
        raise TypeError("dynacc.compile: expected a Python function, a method, a module, or an object with a __call__ or "
                        f"forward written in Python, not {what}")
    return _objects.compiled_object(model, arguments)


def _compiled(function, fullgraph, dynamic, backend, settings):
    function = plain(function)
    if callable(backend):
        from dynacc.backends import asked
        backend = asked(backend, settings.get("backend_timeout"))
    compiled = _dynacc.CompiledFunction(function, fullgraph, dynamic, backend, settings)
    return _functools.update_wrapper(compiled, function)


def _settings(fullgraph, dynamic, backend, mode, options, disable, fast_math, device, on_graph_break, on_recompile):
    """(fullgraph, dynamic, backend, settings) as CompiledFunction takes them; ValueError or TypeError for what is wrong."""
    for name, value, others in (("fullgraph", fullgraph, ()), ("disable", disable, ()), ("dynamic", dynamic, (None,)),
                                ("fast_math", fast_math, (None,))):
        if not isinstance(value, bool) and value not in others:
            raise TypeError(f"dynacc.compile: {name} is {'True, False or None' if others else 'True or False'}, "
                            f"not {value!r}")
    if disable and fullgraph:
        raise ValueError("dynacc.compile: with disable=True nothing is captured, so fullgraph=True cannot hold")
    settings = _mode_settings(mode) if options is None else _given_options(mode, options)
    _add(settings, "fast_math", fast_math)
    backend = _backend_of(device, backend)
    if backend is not None and "target" in settings:
        raise ValueError("dynacc.compile: the target is given twice, as backend or device and as options['target']")
    settings |= {"on_graph_break": on_graph_break, "on_recompile": on_recompile}
    return fullgraph, dynamic, backend, settings


def _mode_settings(mode):
    if mode is None:
        return {}
    if mode not in MODES:
        raise ValueError(f"dynacc.compile: there is no mode {mode!r}{did_you_mean(mode, MODES)}")
    return dict(MODES[mode])


def _given_options(mode, options):
    if mode is not None:
        raise ValueError("dynacc.compile: mode and options are two ways to say the same; give one of them")
    if not isinstance(options, dict):
        raise TypeError(f"dynacc.compile: options is a dict of names and values, not {options!r}")
    for name in options:
        if not isinstance(name, str):
            raise TypeError(f"dynacc.compile: the name of an option is a str, not {name!r}")
    return dict(options)


def _add(settings, name, value):
    """Takes an argument that is an option, too."""
    if value is None:
        return
    if settings.get(name, value) != value:
        raise ValueError(f"dynacc.compile: {name} is {value!r} as an argument and {settings[name]!r} in options")
    settings[name] = value


def _backend_of(device, backend):
    """What `device` and `backend` ask for together: None, a target's name or a function."""
    from dynacc.backends import lookup
    found = lookup(backend)
    if device is None or device == "cpu":
        if device == "cpu" and found == "cuda":
            raise ValueError("dynacc.compile: the backend 'cuda' does not run on device 'cpu'")
        if found == "cuda":
            _dynacc.check_target("cuda")
        return found
    if device not in ("cuda", "cuda:0"):
        raise ValueError(f"dynacc.compile: no device is called {device!r}; there are 'cpu' and 'cuda'")
    if found not in (None, "cuda"):
        raise ValueError(f"dynacc.compile: backend {backend!r} does not run on device {device!r}")
    _dynacc.check_target("cuda")
    return "cuda"


def did_you_mean(name, names):
    """"; did you mean 'x'?" and the names that there are, for a message."""
    return f"{guess(name, names)} (there are {', '.join(map(repr, names))})"


def guess(name, names):
    """"; did you mean 'x'?", or nothing."""
    nearest = _dynacc.nearest_name(name, tuple(names)) if isinstance(name, str) else ""
    return f"; did you mean {nearest!r}?" if nearest else ""
