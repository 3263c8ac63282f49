"""Custom operators: functions of arrays that users write, and that are nodes of graphs.

    @dynacc.op("mylib::softplus", elementwise="Maximum(a, T(0)) + ...")
    def softplus(x): ...

    @dynacc.op("mylib::solve", shape="f64[n, n], f64[n] -> f64[n]", gradient=solve_gradient)
    def solve(a, b):
        return scipy.linalg.solve(a, b)

The decorated function computes the operator: it is called at the operator's place, whether captured or not, and
nothing in it is traced. What it gives, and what it writes, is compared with what was declared. docs/operators.md is
the guide. `get` finds an operator by its name.
"""
import collections as _collections
import inspect as _inspect
import os as _os
import re as _re
import sys as _sys

import numpy as _np

import _dynacc
from dynacc import _shape_rules
from dynacc._shape_rules import Spec

__all__ = ["Operator", "OperatorError", "Spec", "declare", "get", "op", "registered"]

_arrays = _dynacc.arrays()
_NAME = _re.compile(r"[A-Za-z_]\w*::[A-Za-z_]\w*")
_DEEPEST = 2  # gradients that are captured one inside the other, where an operator's gradient calls operators
_FUSED_TYPES = ("float32", "float64")
# Files of this package, which is frozen in the launcher, and of what is made here.
_OWN_FILES = ("<frozen dynacc.", "<operator ")
if "__file__" in globals():
    _OWN_FILES += (_os.path.dirname(__file__) + _os.sep,)
_operators = {}  # by name, the last of each
_counts = _collections.Counter()


class OperatorError(RuntimeError):
    """An operator that is not what it was declared to be: the message names the operator and the line of the call."""


def op(name, shape=None, *, mutates=(), effects=False, elementwise="", cuda="", dtypes=_FUSED_TYPES,
       decomposition=None, gradient=None):
    """A decorator that makes an operator of a function of arrays and numbers; gives a function of the same signature.

    name      "library::operator". An operator that is declared again takes the name over.
    shape     what it gives. A function of the arguments, with a Spec(shape, dtype) in place of each array, that returns
              a Spec, a pair (shape, dtype), or a list of them for a tuple of results; it may compute with sizes and
              raise ValueError. Or a text: "T[n, k], T[k, m] -> T[n, m]" (docs/operators.md). None: it gives nothing, or,
              with `elementwise`, an array of the broadcast shape and the common dtype.
    mutates   the names of the arguments whose elements it writes; the others it is given read-only
    effects   True: it does more than give its result and write those (it prints, say). Then a call of it is a graph
              break, and happens once. False: a call may be left out, moved, or made again.
    elementwise  C++ of one element, an expression on a (and b) of type T, as "a / (T(1) + Abs(a))", for operators of
              one or two arrays. It becomes part of kernels. `cuda` is the same in CUDA C++ where that is another one.
              Operands are cast to their common dtype if that is one of `dtypes`, else to the last of these.
    decomposition  a function of the same parameters in NumPy's terms, which is captured in place of a call
    gradient  a function (g, result, *arguments) of the result's cotangent that returns the cotangents of the arguments,
              in order: arrays of their shapes, or None (which may be left out at the end). With several results, g and result are tuples. It must be
              linear in g. Without it, gradients are those of the decomposition, or an error.

    Results are fresh arrays in C order, or NumPy scalars where the shape is ().
    Errors: ValueError for a declaration that makes no sense, with the compiler's words if C++ does not compile. Of a
    call: OperatorError where the operator gives another dtype or shape than it said, or memory of an argument; what
    the function raises is passed on with a note that names the operator and the line.
    """
    def declare(function):
        operator = Operator(name, function, shape, mutates, effects, elementwise, cuda, dtypes, decomposition, gradient)
        _operators[name] = operator.call
        return operator.call

    return declare


def get(name):
    """The function of the operator of that name, of Python or of an extension. KeyError if there is none."""
    _declare_extensions()
    return _operators[name]


def registered():
    """The names of the operators that there are."""
    _declare_extensions()
    return list(_operators)


_declared = []  # of extensions: as many of their operators as are declared


def _declare_extensions():
    """Declares the operators of extensions (dynacc/extension.h) that are not yet declared."""
    for number, (name, shapes) in enumerate(_arrays.extension_operators()[len(_declared):], len(_declared)):
        _declared.append(name)
        op(name, shapes)(_extension_body(number, name, shapes))


def _extension_body(number, name, shapes):
    """A function of the parameters x0, x1, ... that has an extension compute."""
    rule = _shape_rules.rule_of(shapes, name)

    def run(*args):
        given = rule(*[_spec_of(arg) for arg in args])
        specs = [_spec(one) for one in (given if isinstance(given, list) else [given])]
        results = tuple([_np.empty(one.shape, one.dtype) for one in specs])
        _arrays.run_extension_operator(number, tuple([_np.asarray(arg) for arg in args]), results)
        return results if isinstance(given, list) else results[0]

    return _of_count(run, _shape_rules.count_of(shapes))


def declare(name, shapes, function):
    """An operator of a callable whose parameters Python does not know, as of a host's: they are x0, x1, ...

    name, shapes  as `op` takes them; shapes is a text
    """
    return op(name, shapes)(_of_count(lambda *args: function(*args), _shape_rules.count_of(shapes)))


def _of_count(function, count):
    """The function, with the signature of one of so many parameters."""
    kind = _inspect.Parameter.POSITIONAL_OR_KEYWORD
    function.__signature__ = _inspect.Signature([_inspect.Parameter(f"x{place}", kind) for place in range(count)])
    return function


def _spec(given):
    """The Spec that a rule gave, as such or as a pair of shape and dtype."""
    shape, dtype = given
    return Spec(tuple(shape), _np.dtype(dtype))


class Operator:
    """A declared operator: the attribute `operator` of the function that `op` gives.

    name, body, gradient, decomposition, effects, source (of `elementwise`), dtypes: as they were declared
    call      the function that users call
    rule      the shape rule, a function of arguments with Specs in the place of arrays
    mutated   the places of the arguments that it writes
    """

    def __init__(self, name, body, shape, mutates, effects, source, cuda, dtypes, decomposition, gradient):
        if not _NAME.fullmatch(name):
            raise ValueError(f"an operator is called 'library::operator', not {name!r}")
        if not callable(body):
            raise TypeError(f"operator {name}: {body!r} is not callable")
        self.name = name
        self.body = body
        self.effects = bool(effects)
        self.decomposition = decomposition
        self.gradient = gradient
        self.source = source
        self.dtypes = tuple([_np.dtype(one) for one in dtypes])
        self._numbers = tuple([one.num for one in self.dtypes])
        _counts[name] += 1
        self.key = name if _counts[name] == 1 else f"{name}#{_counts[name]}"
        self.call, parameters, self._keywords = _wrapper(self, name, body)
        self.mutated = self._places(mutates, parameters)
        self._check(shape, parameters)
        self.rule = _shape_rules.rule_of(shape, name)
        self._text_rule = self.rule if isinstance(shape, str) else None  # takes all arguments by place
        if source and shape is None:
            self.rule = self._broadcast
        _arrays.add_operator(self.key, name, _graph_body(self), source, cuda, len(parameters) if source else 0)
        if source:
            self._compile()

    def _places(self, mutates, parameters):
        mutates = (mutates,) if isinstance(mutates, str) else tuple(mutates)
        for one in mutates:
            if one not in parameters:
                raise ValueError(f"operator {self.name} mutates {one!r}, which is none of its parameters {parameters}")
        return tuple([parameters.index(one) for one in mutates])

    def _check(self, shape, parameters):
        if self.source and (len(parameters) not in (1, 2) or self.mutated or self.effects):
            raise ValueError(f"operator {self.name}: C++ source is for functions of one or two arrays without effects")
        if self.gradient is not None and (self.mutated or self.effects):
            raise ValueError(f"operator {self.name} writes to arguments or has effects, so it has no gradient")
        if shape is None and not (self.source or self.mutated or self.effects or self.decomposition):
            raise ValueError(f"operator {self.name} needs a shape rule: what does it give?")

    def _compile(self):
        """Has the compiler speak about C++ source here, where it was written."""
        for dtype in self.dtypes:
            try:
                _arrays.compile_operator(self.key, dtype)
            except ValueError as error:
                raise ValueError(f"operator {self.name}: its C++ source is not compiled for {dtype}: {error}") from None

    def common(self, args):
        """The dtype in which an elementwise operator computes with these arguments."""
        dtypes = [arg.dtype for arg in args if isinstance(arg, (_np.ndarray, _np.generic, Spec))]
        dtype = _np.result_type(*dtypes) if len(dtypes) > 0 else self.dtypes[-1]
        return dtype if dtype.num in self._numbers else self.dtypes[-1]

    def _broadcast(self, *args):
        """The shape rule of elementwise operators."""
        return Spec(_np.broadcast_shapes(*[arg.shape for arg in args if isinstance(arg, Spec)]), self.common(args))

    def promised(self, args):
        """(specs, many): what it gives for these arguments; many: as a tuple."""
        if self.rule is None:
            return [], False
        given = self.apply(self.rule, (), [_spec_of(arg) for arg in args])
        many = isinstance(given, list)
        return [_spec(one) for one in (given if many else [given])], many

    def apply(self, function, first, args):
        """What a function of the operator's parameters, behind `first`, gives for these arguments, in order."""
        keywords = self._keywords
        if len(keywords) == 0 or function is self._text_rule:
            return function(*first, *args)
        places = len(args) - len(keywords)
        return function(*first, *args[:places], **dict(zip(keywords, args[places:])))

    def __repr__(self):
        return f"<dynacc operator {self.name}>"


def _wrapper(operator, name, body):
    """A function with the body's signature that calls the operator; the names of its parameters, and of those that are
    given by keyword."""
    parameters = list(_inspect.signature(body).parameters.values())
    listed, passed, names, kind = [], [], [], None
    for one in parameters:
        if one.kind == one.VAR_KEYWORD:
            raise ValueError(f"operator {name}: the arguments of an operator have names, and **{one.name} has none")
        if kind == _inspect.Parameter.POSITIONAL_ONLY != one.kind:
            listed.append("/")
        if one.kind == one.KEYWORD_ONLY and kind not in (one.KEYWORD_ONLY, one.VAR_POSITIONAL):
            listed.append("*")
        kind = one.kind
        star = "*" if one.kind == one.VAR_POSITIONAL else ""
        has_default = one.default is not one.empty
        listed.append(f"{star}{one.name}" + ("=None" if has_default else ""))
        passed.append(f"{star}{one.name}, ")
        names.append(one.name)
    if kind == _inspect.Parameter.POSITIONAL_ONLY:
        listed.append("/")
    if any(one.kind == one.VAR_POSITIONAL for one in parameters[:-1]):
        raise ValueError(f"operator {name}: *arguments come last")
    short = name.partition("::")[2]
    # Names that no parameter has, for what the function reaches as globals.
    space = {"__name__": getattr(body, "__module__", None) or "dynacc", "dynacc_operator": operator,
             "dynacc_is_traced": _arrays.is_traced, "dynacc_traced": _traced, "dynacc_run": _run}
    arguments = f"(dynacc_operator, ({''.join(passed)}))"
    source = (f"def {short}({', '.join(listed)}):\n"
              f"    return dynacc_traced{arguments} if dynacc_is_traced() else dynacc_run{arguments}\n")
    exec(compile(source, f"<operator {name}>", "exec"), space)
    call = space[short]
    call.__defaults__ = tuple([one.default for one in parameters
                               if one.kind != one.KEYWORD_ONLY and one.default is not one.empty]) or None
    call.__kwdefaults__ = {one.name: one.default for one in parameters
                           if one.kind == one.KEYWORD_ONLY and one.default is not one.empty} or None
    call.__doc__ = body.__doc__
    call.__annotations__ = dict(getattr(body, "__annotations__", {}))
    call.operator = operator
    return call, names, tuple([one.name for one in parameters if one.kind == one.KEYWORD_ONLY])


# --- Called by Python --------------------------------------------------------------------------------------------------

@_dynacc.DisabledFunction  # operators are called, not captured
def _run(operator, args):
    """The body called, and what it gives compared with what was promised."""
    try:
        specs, many = operator.promised(args)
    except Exception as error:
        raise _noted(error, operator)
    if operator.source:
        args = _cast(args, operator.common(args))
    results = _body_results(operator, args, _given_to(operator, args))
    if len(results) != len(specs) or many != results.many:
        raise OperatorError(f"operator {operator.name} gave {_counted(results)}, but its shape rule says "
                            f"{_counted_promise(specs, many)}{_called_at()}")
    for number, (result, spec) in enumerate(zip(results, specs)):
        if result.dtype != spec.dtype or result.shape != tuple(spec.shape):
            place = f" {number}" if many else ""
            raise OperatorError(f"the result{place} of operator {operator.name} is {result.dtype} of shape {result.shape}, "
                                f"but its shape rule says {spec.dtype} of shape {tuple(spec.shape)}{_called_at()}")
    given = tuple([result[()] for result in results])
    return given if many else given[0] if given else None


class _Results(list):
    """The arrays that a body gave; many: as a tuple or list."""

    many = False


def _body_results(operator, args, given):
    """_Results of the body, in C order. Each is an array of its own."""
    try:
        answer = operator.apply(operator.body, (), given)
    except Exception as error:
        raise _noted(error, operator)
    results = _Results()
    if answer is None:
        return results
    results.many = isinstance(answer, (tuple, list))
    for result in answer if results.many else (answer,):
        result = _np.asarray(result, order="C")
        if any(_np.may_share_memory(result, arg) for arg in args if isinstance(arg, _np.ndarray)):
            raise OperatorError(f"operator {operator.name} gave memory of one of its arguments; a result must be an "
                                f"array of its own, as a copy is{_called_at()}")
        results.append(result)
    return results


def _cast(args, dtype):
    return [_np.asarray(arg, dtype=dtype) for arg in args]


def _given_to(operator, args):
    """The arguments as the body is given them: arrays that it may not write to are read-only views."""
    return [arg if place in operator.mutated else _read_only(arg) for place, arg in enumerate(args)]


def _read_only(arg):
    if type(arg) is list:
        return [_read_only(item) for item in arg]
    if type(arg) is tuple:
        return tuple([_read_only(item) for item in arg])
    if not isinstance(arg, _np.ndarray):
        return arg
    view = arg.view()
    view.flags.writeable = False
    return view


def _noted(error, operator):
    error.add_note(f"in operator {operator.name}{_called_at()}")
    return error


def _called_at():
    """", called at file:line": the innermost frame that is no part of this package, nor an operator's."""
    frame = _sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(_OWN_FILES):
            return f", called at {file}:{frame.f_lineno}"
        frame = frame.f_back
    return ""


def _counted(results):
    return f"a tuple of {len(results)}" if results.many else "one result" if results else "nothing"


def _counted_promise(specs, many):
    return f"a tuple of {len(specs)}" if many else "one result" if specs else "nothing"


def _graph_body(operator):
    """What a graph calls: the body on copies of what it writes, which come back behind its results."""
    @_dynacc.DisabledFunction
    def body(*args):
        given = _cast(args, operator.common(args)) if operator.source else list(args)
        for place in operator.mutated:
            given[place] = given[place].copy()
        results = _body_results(operator, args, given)
        written = [given[place] for place in operator.mutated]
        if results.many or len(results) + len(written) != 1:
            return tuple([result[()] for result in (*results, *written)])
        return (*results, *written)[0][()]

    # As graphs print it.
    body.__module__ = ""
    body.__name__ = body.__qualname__ = operator.name.replace("::", ".")
    return body


# --- Traced --------------------------------------------------------------------------------------------------------------

def _spec_of(arg):
    if isinstance(arg, (_np.ndarray, _np.generic)):
        return Spec(arg.shape, arg.dtype)
    if type(arg) is list:
        return [_spec_of(item) for item in arg]
    if type(arg) is tuple:
        return tuple([_spec_of(item) for item in arg])
    return arg


# An operator's gradient may call it again, and a tracer follows calls only so deep. So there are few functions here.

def _traced(operator, args):
    """What a trace makes of a call."""
    if operator.effects:
        _arrays.operator_effects(operator.key)
        return _run(operator, args)
    if operator.decomposition is not None:
        result = operator.apply(operator.decomposition, (), args)
    elif operator.source:
        result = _arrays.elementwise_operator(operator.key, operator.common(args), *args)
    else:
        result = _as_calls(operator, args)
    if operator.gradient is None or type(result) is not tuple and result.dtype.kind not in "fc":
        return result
    if _arrays.enter_gradient() > _DEEPEST:
        _arrays.leave_gradient()
        return result
    if type(result) is tuple:
        result = tuple([_differentiable(operator, result, number, args) for number in range(len(result))])
    else:
        cotangent = _arrays.cotangent(result)
        before = _arrays.errors_off()
        if len(operator._keywords) == 0:
            gradients = operator.gradient(cotangent, result, *args)
        else:
            gradients = operator.apply(operator.gradient, (cotangent, result), args)
        _arrays.errors_back(before)
        result = _arrays.custom_gradient(result, cotangent, len(args), *args, *_complete(gradients, len(args)))
    _arrays.leave_gradient()
    return result


def _as_calls(operator, args):
    """A call for each result, of which the body is called once; then what it wrote is stored."""
    specs, many = operator.promised(args)
    written = [_spec_of(args[place]) for place in operator.mutated]
    promised = specs + written
    if len(promised) == 1 and not many:
        results = [_arrays.operator_call(operator.key, -1, promised[0].dtype, promised[0].shape, *args)]
    else:
        results = [_arrays.operator_call(operator.key, number, promised[number].dtype, promised[number].shape, *args)
                   for number in range(len(promised))]
    for number in range(len(written)):
        args[operator.mutated[number]][...] = results[len(specs) + number]
    if many:
        return tuple(results[:len(specs)])
    return results[0] if len(specs) > 0 else None


def _differentiable(operator, result, number, args):
    """Result `number` of several, with the operator's gradient."""
    value = result[number]
    if value.dtype.kind not in "fc":
        return value
    cotangent = _arrays.cotangent(value)
    before = _arrays.errors_off()
    given = tuple([cotangent if one == number else _np.zeros_like(result[one]) for one in range(len(result))])
    gradients = operator.apply(operator.gradient, (given, result), args)
    _arrays.errors_back(before)
    return _arrays.custom_gradient(value, cotangent, len(args), *args, *_complete(gradients, len(args)))


def _complete(gradients, count):
    """A tuple of so many cotangents: those of numbers that come last are left out."""
    gradients = gradients if type(gradients) is tuple else (gradients,)
    return gradients + (None,) * (count - len(gradients))
