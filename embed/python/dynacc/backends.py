"""What compiles the graphs that dynacc.compile captures: targets, and functions that are registered by name.

    @dynacc.backends.register("mine")
    def mine(graph, example_inputs):
        print(graph)
        return graph.compile("tile")

    @dynacc.compile(backend="mine")
    def f(a): ...

A package may bring backends of its own as entry points of the group "dynacc.backends"; they are loaded when their name
is asked for. docs/compile.md is the guide.
"""
import contextvars as _contextvars
import functools as _functools
import inspect as _inspect
import threading as _threading
import warnings as _warnings

import _dynacc

from dynacc._compile import did_you_mean as _did_you_mean

__all__ = ["list_backends", "lookup", "register", "unregister"]

_GROUP = "dynacc.backends"
_registered = {}


def register(name, function=None):
    """Makes `function` a backend of that name; also a decorator. ValueError if the name is taken.

    function(graph, example_inputs) is called once for each graph, before its first run: with a dynacc.graph.Graph and
    the list of the arrays that it is about to run on, which it must not write into. It returns what shall run it:

      a Graph or a CompiledGraph (graph.compile(target)), which must take and give arrays of the same dtypes and shapes
      the name of a backend, which then decides; None: the option `target` does
      a function run(arrays, numbers), which is called whenever the graph would be run: with a list of NumPy arrays,
      copies of the graph's inputs, and one of its scalar inputs (sizes that vary, Python's numbers). It returns a
      sequence of new arrays, one for each output.

    What `function` raises, the call of the compiled function raises. What `run` raises, and outputs of other dtypes or
    shapes, go to sys.unraisablehook, and CPython runs the stretch. A function of one parameter gets the graph as a
    dynacc.graphs.CapturedGraph (a text), and may return one.
    """
    if function is None:
        return _functools.partial(register, name)
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"dynacc.backends.register: a backend's name is an identifier, not {name!r}")
    if not callable(function):
        raise TypeError(f"dynacc.backends.register: a backend is a function, not {function!r}")
    if name == "auto" or name in list_backends():
        raise ValueError(f"dynacc.backends.register: there is a backend {name!r} already")
    _registered[name] = function
    return function


def unregister(name):
    """Takes a registered backend away; functions that are compiled with it keep it. ValueError if there is none."""
    if _registered.pop(name, None) is None:
        raise ValueError(f"dynacc.backends.unregister: no backend {name!r} is registered")


def list_backends():
    """The names that dynacc.compile(backend=...) takes, but "auto": targets, "eager", registered ones, entry points."""
    return sorted({*_targets(), "eager", *_registered, *_entry_points()})


def lookup(backend):
    """What a backend's name stands for: None ("auto"), a target's name or a function. A function is itself.

    ValueError for a name that there is not, TypeError for anything else, RuntimeError for an entry point that does not
    load.
    """
    if backend == "auto" or callable(backend):
        return None if backend == "auto" else backend
    if not isinstance(backend, str):
        raise TypeError(f"dynacc.compile: a backend is a name or a function, not {backend!r}")
    if backend in _targets():
        return backend
    if backend == "eager":
        return _eager
    if backend in _registered:
        return _registered[backend]
    points = _entry_points()
    if backend in points:
        return _loaded(points[backend])
    raise ValueError(f"dynacc.compile: there is no backend {backend!r}{_did_you_mean(backend, ['auto', *list_backends()])}")


def asked(backend, timeout=None):
    """The callable that the compiler asks about a graph's text, label and arrays (frontend/capture/python_backend.h):
    it gives (target, text, run), or None where the stretch shall run as plain Python.

    timeout  seconds after which a backend that has not returned is given up; None: the option `backend_timeout` says.
    """
    takes_examples = _takes_examples(backend)
    given_up = False

    def ask(text, label, examples):
        nonlocal given_up
        seconds = _dynacc_config().backend_timeout if timeout is None else timeout
        if not seconds:
            return answer(text, label, examples)
        if given_up:
            return None
        try:
            return _within(seconds, answer, text, label, examples)
        except _TooLate:
            given_up = True
            name = getattr(backend, "__qualname__", None) or repr(backend)
            _warnings.warn(f"dynacc.compile: the backend {name!r} has not returned for {label} within {seconds} s; it is "
                           "given up, and what it was to compile runs as plain Python", RuntimeWarning, stacklevel=2)
            return None

    def answer(text, label, examples):
        from dynacc.graphs import CapturedGraph
        captured = CapturedGraph(text, label)
        if not takes_examples:
            return _answer(backend(captured), text, label, examples)
        from dynacc.graph import Graph
        return _answer(backend(Graph.parse(text), examples), text, label, examples)

    return ask


class _TooLate(Exception):
    """A function that did not return in its time."""


def _within(seconds, function, *arguments):
    """Calls the function in a thread of its own, in the context of this one. _TooLate if it does not return in time: then
    the thread goes on, and what becomes of it nobody asks."""
    done = []

    def call():
        try:
            done.append((function(*arguments), None))
        except BaseException as error:  # raised in the caller's thread
            done.append((None, error))

    thread = _threading.Thread(target=_contextvars.copy_context().run, args=(_dynacc.DisabledFunction(call),),
                               name="dynacc backend", daemon=True)
    thread.start()
    thread.join(seconds)
    if not done:
        raise _TooLate
    result, error = done[0]
    if error is not None:
        raise error
    return result


def _dynacc_config():
    from dynacc._config import config
    return config


def _answer(answer, text, label, examples):
    from dynacc.graph import CompiledGraph, Graph
    from dynacc.graphs import CapturedGraph
    if answer is None:
        return "", "", None
    if isinstance(answer, (CapturedGraph, Graph)):
        return "", str(answer), None
    if isinstance(answer, str):
        found = lookup(answer)
        if found is None or isinstance(found, str):
            if found is not None:
                _dynacc.check_target(found)  # a GPU that is not there
            return found or "", "", None
        return asked(found, timeout=0)(text, label, examples)  # the deadline of the one that was asked counts
    if isinstance(answer, CompiledGraph):
        return "", "", answer.run_inputs
    if callable(answer):
        return "", "", answer
    raise TypeError("dynacc.compile: a backend returns None, a name, a graph or a function, "
                    f"not {answer!r}")


def _takes_examples(function):
    """Whether a backend has two parameters that must be given: graph and example inputs."""
    try:
        parameters = _inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    required = [one for one in parameters if one.default is one.empty
                and one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    return len(required) >= 2


def _targets():
    return _dynacc.targets()


@_functools.cache
def _entry_points():
    from importlib import metadata
    return {point.name: point for point in metadata.entry_points(group=_GROUP)}


def _loaded(point):
    try:
        function = point.load()
    except Exception as error:
        raise RuntimeError(f"dynacc.compile: the backend {point.name!r} ({point.value}) cannot be loaded: "
                           f"{type(error).__name__}: {error}") from error
    if not callable(function):
        raise RuntimeError(f"dynacc.compile: the backend {point.name!r} ({point.value}) is no function")
    return function


def _eager(graph, example_inputs):
    """Runs the graph node by node, by NumPy: what was captured, without any pass or kernel."""
    from dynacc.graph import Interpreter
    return Interpreter(graph).run_inputs
