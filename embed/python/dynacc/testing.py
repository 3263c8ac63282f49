"""Checks of what users add to DynaCC, for their own tests.

    dynacc.testing.check_op(mylib.softplus, np.linspace(-3.0, 3.0, 50))
"""
import numpy as _np

from dynacc import operators as _operators
from dynacc.graph import GraphError, make_graph

__all__ = ["check_op"]

_STEP = 1e-6  # of differences, beside numbers of the size of 1


def check_op(function, *args, targets=("cpu", "tile", "reference"), rtol=1e-5, atol=1e-7):
    """Checks that an operator is what it was declared to be, by calls with these arguments.

    function  what dynacc.op gave
    args      arguments of a call that is in order, by place even if they are given by keyword; they are not changed
    targets   the targets on which graphs with the operator are run
    rtol, atol  how far the C++ source and the decomposition may be from the function, and the gradient from differences
                of the function (ten times as far); it is looked at where arrays are of float64

    It looks at: the dtypes and shapes that the shape rule promises, with fixed sizes and with sizes that vary; writes to
    arguments that `mutates` does not name; results that are memory of an argument; two calls that do not give the same;
    results on each target, which are the function's to the last bit if it is called there; C++ source and decomposition
    against the function; the gradient against differences, and whether it is linear in g.
    OperatorError with everything that is wrong. TypeError if `function` is no operator.
    """
    operator = getattr(function, "operator", None)
    if not isinstance(operator, _operators.Operator):
        raise TypeError(f"{function!r} is no operator: dynacc.op makes one")
    check = _Check(operator, args, rtol, atol)
    check.calls()
    if not operator.effects and not check.problems:
        check.decomposition()
        for target in targets:
            check.target(target)
        check.gradient()
    if check.problems:
        raise _operators.OperatorError(f"operator {operator.name}:" + "".join(f"\n  {one}" for one in check.problems))


def _copied(value):
    if isinstance(value, (list, tuple)):
        return type(value)([_copied(item) for item in value])
    return value.copy() if isinstance(value, _np.ndarray) else value


def _arrays_in(value):
    if isinstance(value, (list, tuple)):
        return [array for item in value for array in _arrays_in(item)]
    return [value] if isinstance(value, _np.ndarray) else []


def _as_list(result):
    return [] if result is None else list(result) if isinstance(result, tuple) else [result]


def _same_bytes(one, other):
    one, other = _np.asarray(one), _np.asarray(other)
    return (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())


class _Check:
    """One check_op: what it found is in `problems`."""

    def __init__(self, operator, args, rtol, atol):
        self.operator = operator
        self.args = args
        self.rtol, self.atol = rtol, atol
        self.problems = []
        self.results = []  # of a call, then what it wrote

    def call(self, function, args):
        """The results of a call on copies, and the arguments that it wrote."""
        given = _copied(args)
        results = _as_list(function(*given))
        return results + [given[place] for place in self.operator.mutated]

    def in_order(self, *args):
        return self.operator.apply(self.operator.call, (), args)

    def calls(self):
        """What the function gives and does, against what was declared."""
        operator = self.operator
        given = _copied(self.args)
        answer = operator.apply(operator.body, (), given)  # as it is: with arrays that it may write to
        for place, (before, after) in enumerate(zip(self.args, given)):
            if place in operator.mutated:
                continue
            if not all(map(_same_bytes, _arrays_in(before), _arrays_in(after))):
                self.problems.append(f"it writes to argument {place + 1}, which 'mutates' does not name")
        for result in _as_list(answer):
            if any(_np.may_share_memory(result, array) for array in _arrays_in(given)):
                self.problems.append("it gives memory of one of its arguments")
        if self.problems:
            return
        try:
            self.results = self.call(self.in_order, self.args)
        except _operators.OperatorError as error:
            self.problems.append(str(error))
            return
        if not operator.effects and not all(map(_same_bytes, self.results, self.call(self.in_order, self.args))):
            self.problems.append("two calls with the same arguments give different results")

    def decomposition(self):
        if self.operator.decomposition is not None:
            apply = lambda *args: self.operator.apply(self.operator.decomposition, (), args)
            self.compare("the decomposition", self.call(apply, self.args), exact=False)

    def compare(self, what, results, exact):
        if len(results) != len(self.results):
            self.problems.append(f"{what} gives {len(results)} results, not {len(self.results)}")
        for number, (given, expected) in enumerate(zip(results, self.results)):
            given, expected = _np.asarray(given), _np.asarray(expected)
            if (given.dtype, given.shape) != (expected.dtype, expected.shape):
                self.problems.append(f"{what}: result {number} is {given.dtype}{given.shape}, "
                                     f"not {expected.dtype}{expected.shape}")
            elif exact and not _same_bytes(given, expected):
                self.problems.append(f"{what}: result {number} has other bits than the function's")
            elif not _np.allclose(given, expected, self.rtol, self.atol, equal_nan=True):
                far = _np.max(_np.abs(_np.subtract(given, expected, dtype=complex)))
                self.problems.append(f"{what}: result {number} differs from the function's by up to {far:.3g}")

    def target(self, target):
        """A graph with the operator, of fixed sizes and of sizes that vary."""
        operator = self.operator
        exact = not operator.source and operator.decomposition is None
        for dynamic in (False, True):
            what = f"on target {target}" + (", with sizes that vary" if dynamic else "")
            try:
                graph = make_graph(lambda *args: operator.apply(operator.call, (), args), *self.args, dynamic=dynamic)
                arrays, numbers = graph.signature.flatten(*_copied(self.args))
                results = graph.run(*arrays, numbers=numbers, target=target)
            except (GraphError, RuntimeError) as error:
                self.problems.append(f"{what}: {error}")
                continue
            self.compare(what, results, exact)

    def gradient(self):
        """The cotangents of the arguments against differences along one direction."""
        import dynacc
        operator = self.operator
        places = [place for place, arg in enumerate(self.args)
                  if isinstance(arg, _np.ndarray) and arg.dtype == _np.float64]
        has_one = operator.gradient is not None or operator.decomposition is not None
        real = [number for number, result in enumerate(self.results) if _np.asarray(result).dtype == _np.float64]
        if not (has_one and places and real) or operator.mutated:
            return
        random = _np.random.default_rng(0)
        direction = {place: random.standard_normal(self.args[place].shape) for place in places}
        weights = {number: random.standard_normal(_np.shape(self.results[number])) for number in real}

        def loss(*chosen, scale=1.0):
            args = list(self.args)
            for place, value in zip(places, chosen):
                args[place] = value
            results = _as_list(operator.apply(operator.call, (), args))
            total = 0.0
            for number in real:
                total = total + (results[number] * weights[number]).sum()
            return total * scale

        def moved(step):
            return [self.args[place] + step * direction[place] for place in places]

        try:
            found = dynacc.grad(loss, tuple(range(len(places))))(*moved(0.0))
            doubled = dynacc.grad(lambda *chosen: loss(*chosen, scale=2.0), tuple(range(len(places))))(*moved(0.0))
        except (NotImplementedError, RuntimeError, ValueError, TypeError) as error:
            self.problems.append(f"its gradient: {error}")
            return
        slope = sum((part * direction[place]).sum() for part, place in zip(found, places))
        difference = (loss(*moved(_STEP)) - loss(*moved(-_STEP))) / (2 * _STEP)
        if not _np.isclose(slope, difference, 10 * self.rtol, 10 * self.atol + 1e-6):
            self.problems.append(f"its gradient gives {slope:.9g} along a direction where differences give {difference:.9g}")
        if not all(_np.allclose(2 * one, other, 1e-9) for one, other in zip(found, doubled)):
            self.problems.append("its gradient is not linear in g")
