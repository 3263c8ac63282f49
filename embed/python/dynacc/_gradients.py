"""Derivatives of plain NumPy functions: grad, value_and_grad, vjp, jvp, jacobian, hessian, and what steers them.

A function is traced to one graph (frontend/capture/make_graph.h), from which a table of rules makes the graphs that
compute its derivatives, too (codegen/autodiff/joint_graph.h). They are compiled and kept for later calls of the same
dtypes, shapes and structure, as long as what the trace took for granted holds. docs/gradients.md is the guide.
"""
import functools as _functools
import warnings as _warnings
import weakref as _weakref

import _dynacc
import numpy as _np

from dynacc import (_array_rules, _call_forms, _captured_gradients, _gradient_leaves as _leaves, _gradient_rules,
                    _linear_algebra_rules, _nan_search, _objects, _tensor_gradients, _tree)
from dynacc._attribute_gradients import ByAttributes as _ByAttributes, are_names as _are_names
from dynacc._gradient_markers import checkpoint, custom_gradient, stop_gradient

__all__ = ["checkpoint", "custom_gradient", "grad", "hessian", "jacobian", "jvp", "stop_gradient", "value_and_grad",
           "vjp"]

_arrays = _dynacc.arrays()

_left_to_cpython = _dynacc.DisabledFunction  # in a traced function it is a graph break, at the line of the call
_SPLIT_BYTES = 1 << 25  # gradients of functions whose products and the like give more are computed by two graphs
_KEPT_TRACES = 16  # of one function; the one that was used longest ago goes


def grad(fun, argnums=0, has_aux=False, *, budget=None):
    """Returns a function that computes the gradient of `fun`, whose result is one real floating-point number.

    fun      a function of arrays, numbers, and nested lists, tuples, dicts and dataclasses of them
    argnums  the position of the argument to differentiate by, or a sequence of positions; keyword arguments are passed
             on and are constants. Or names of attributes of the first argument, or of the object that `fun` is a
             method of: "weight", ("layer.weight", "layer.bias")
    has_aux  True: `fun` returns (loss, aux), and the gradient comes as (gradient, aux)
    budget   from 0 to 1: how much memory what derivatives need may take, between as little as possible, where the
             function is computed again piece by piece, and what takes the least time; None: the latter

    The gradient has the argument's structure, and each leaf the dtype and shape of that leaf; for a sequence of
    positions it is a tuple of such. Leaves that do not influence the result have zeros. For complex leaves it is
    dL/dx - i dL/dy, as JAX's.

    TypeError: a leaf that is no floating-point or complex number, or a result that is not one real number.
    RuntimeError: `fun` is not one graph; the message names file, line and reason. NotImplementedError: it goes through
    something without a known gradient; the message names the line.
    """
    if _are_names(argnums):
        return _ByAttributes(lambda f: grad(f, 0, has_aux, budget=budget), fun, argnums)
    return _Gradient(fun, argnums, has_aux, with_value=False, budget=budget)


def value_and_grad(fun, argnums=0, has_aux=False, *, budget=None):
    """As `grad`, but the function returns (value, gradient); with `has_aux` ((value, aux), gradient).

    The value has the bits that `fun` itself would have returned.
    """
    if _are_names(argnums):
        return _ByAttributes(lambda f: value_and_grad(f, 0, has_aux, budget=budget), fun, argnums)
    return _Gradient(fun, argnums, has_aux, with_value=True, budget=budget)


def vjp(fun, *primals, has_aux=False, budget=1.0):
    """Calls `fun`, and returns its result and a function from a cotangent of it to a tuple of cotangents of `primals`.

    fun      a function of arrays and trees of them, by all of which it is differentiated
    has_aux  True: `fun` returns (result, aux), and vjp returns (result, function, aux)
    budget   from 0 to 1: how much of what derivatives need is kept, between as little as possible, where all is
             computed again of the primals, and what takes the least time

    A cotangent is a tree like the result, with arrays (or numbers) of its dtypes and shapes. It is multiplied with the
    Jacobian from the left, without a conjugate. `fun` is computed once. The function keeps values of that, and copies
    of primals that it needs, so writing into them later does no harm; `function.saved` says in words what it keeps and
    why, and `function.saved_bytes` how much. It may be called any number of times.

    Errors: as `grad`; ValueError for a cotangent that does not fit, and for a budget that is not from 0 to 1.
    """
    graph = None if _nan_search.contexts else _arrays.begin_subgraph()
    if graph is None:
        try:
            return _run_vjp(fun, primals, has_aux, budget)
        except _tensor_gradients.ByTensors:
            pass
        return _tensor_gradients.vjp(vjp, fun, primals, has_aux)
    return _captured_gradients.vjp(graph, fun, primals, has_aux)


@_left_to_cpython
def _run_vjp(fun, primals, has_aux, budget):
    _check_budget(budget)
    call = _Call(fun, primals, {}, tuple(range(len(primals))))
    result, aux, markers = call.split(has_aux)
    values, program, taken, saved, size = call.forward([m.index for m in markers], budget)
    out = call.fill(result, values)
    aux = call.fill(aux, values)
    shapes = [array.shape for array in values]
    call.forget()
    pullback = _Pullback(call, program, (result, shapes), taken, saved, size)
    return (out, pullback, aux) if has_aux else (out, pullback)


def _check_budget(budget):
    if not isinstance(budget, (int, float)):
        raise TypeError(f"the budget is {budget!r}: it is a number from 0 to 1")
    if not 0 <= budget <= 1:
        raise ValueError(f"the budget is {budget!r}: it is from 0 to 1")


class _Pullback:
    """What vjp returns: called with a cotangent of the result, it gives those of the primals.

    saved        what it keeps, and why, in words
    saved_bytes  how much that is
    """

    def __init__(self, call, program, result, taken, saved, saved_bytes):
        self._call = call
        self._program = program
        self._result = result
        self._taken = taken
        self.saved = saved
        self.saved_bytes = saved_bytes

    @_left_to_cpython
    def __call__(self, cotangent):
        call = self._call
        result, shapes = self._result
        pairs = _pairs(result, cotangent)
        given = [_leaves.fitting(value, call.output(m)[0], shapes[m.index], "a cotangent", "result") for m, value in pairs]
        return call.gradients(call.run(self._program, self._taken + given, again=True), 0)


def jvp(fun, primals, tangents, has_aux=False):
    """Returns the result of fun(*primals), and its derivative in the direction `tangents`, a tree like it.

    primals, tangents  sequences of as many trees, alike in structure, dtypes and shapes
    has_aux            True: `fun` returns (result, aux), and jvp returns (result, tangent, aux)

    Errors: as `vjp`.
    """
    graph = None if _nan_search.contexts else _arrays.begin_subgraph()
    if graph is None:
        try:
            return _run_jvp(fun, primals, tangents, has_aux)
        except _tensor_gradients.ByTensors:
            pass
        return _tensor_gradients.jvp(jvp, fun, primals, tangents, has_aux)
    return _captured_gradients.jvp(graph, fun, primals, tangents, has_aux)


@_left_to_cpython
def _run_jvp(fun, primals, tangents, has_aux):
    primals, tangents = tuple(primals), tuple(tangents)
    call = _Call(fun, primals, {}, tuple(range(len(primals))))
    result, aux, markers = call.split(has_aux)
    given = call.tangents(tangents)
    program = call.derive("tangent", [m.index for m in markers])
    values = call.run(program, call.arrays + given)
    count = call.trace.program.outputs
    place = {marker.index: count + i for i, marker in enumerate(markers)}
    moved = _tree.map_leaves(lambda path, leaf: leaf.at(place[leaf.index])
                             if isinstance(leaf, _Output) and leaf.index in place else 0.0, result)
    out, tangent = call.fill(result, values), call.fill(moved, values)
    return (out, tangent, call.fill(aux, values)) if has_aux else (out, tangent)


def jacobian(fun, argnums=0, has_aux=False):
    """Returns a function that computes the Jacobian of `fun`.

    Each leaf of the result has, for each leaf of the argument, an array whose shape is the first leaf's followed by the
    second's: a tree like the result with trees like the argument in the place of leaves, or tuples of such trees if
    `argnums` is a sequence. It is computed by rows or by columns, whichever are fewer.

    fun, argnums, has_aux and errors: as of `grad`, but the result may be any tree of arrays.
    """
    if _are_names(argnums):
        return _ByAttributes(lambda f: jacobian(f, 0, has_aux), fun, argnums)
    return _Jacobian(fun, argnums, has_aux)


def hessian(fun, argnums=0):
    """Returns a function that computes the matrix of second derivatives of `fun`, whose result is one real number.

    It is jacobian(grad(fun)): for one array of shape s an array of shape s + s; for trees, a tree of trees.
    """
    if _are_names(argnums):
        return _ByAttributes(hessian, fun, argnums)
    return jacobian(grad(fun, argnums), argnums)


class _Output:
    """Stands in a result for output `index` of a graph.

    is_scalar  it is a scalar object, not an array
    is_number  it is a number of Python
    """

    def __init__(self, index, is_scalar, is_number=False):
        self.index = index
        self.is_scalar = is_scalar
        self.is_number = is_number

    def at(self, index):
        """The same of another output."""
        return _Output(index, self.is_scalar, self.is_number)

    def item(self):
        """What a number of Python in a result is made by."""
        return _Output(self.index, False, True)

    def of(self, outputs):
        """What it stands for."""
        value = outputs[self.index]
        return value[()] if self.is_scalar else value.item() if self.is_number else value

    def __getitem__(self, nothing):
        """What a scalar object in a result is made by: array[()]."""
        return self


class _Trace:
    """A function's graph for calls that are like one example.

    program     its graph
    leaves      for each differentiated leaf of the arguments the graph input that it is, or None: it is not read
    template    what the function returns, with _Outputs in the place of the graph's outputs
    outputs     (dtype, rank) of each of the program's outputs
    draw        where the program first draws random numbers, "prog.py:12"; "" if it draws none
    find(fun, args, kwargs)  the arrays of the graph's inputs and its numbers in such a call; None: it is another one

    It does not hold the function, so that a function that is kept nowhere else goes with its traces.
    """

    def __init__(self, program, leaves, template, outputs, draw, find):
        self.program = program
        self.leaves = leaves
        self.template = template
        self.outputs = outputs
        self.draw = draw
        self.find = find
        self.derived = {}
        self.key = self.kinds = None  # of the leaves, where it is kept


def _traced_call(plain, args, kwargs, dynamic):
    """With `dynamic` sizes and numbers are open if the function is one graph then, too; else they are constants."""
    _call_forms.learn()
    if dynamic:
        try:
            call = _dynacc.TracedCall(plain, args, kwargs, True, _gradient_rules.RULES)
        except RuntimeError:
            pass  # its loops go by them
        else:
            if not call.returns_numbers:
                return call
    return _dynacc.TracedCall(plain, args, kwargs, False, _gradient_rules.RULES)


def _trace(fun, args, kwargs, leaves, dynamic):
    """The _Trace of a call of `fun`; `leaves` are the arrays among the arguments by which it is differentiated.

    dynamic  whether sizes and numbers of the arguments may be others in other calls
    """
    if isinstance(fun, _Transform):
        return fun.trace(args, kwargs, leaves, dynamic)
    plain = _plain(fun)
    call = _traced_call(plain, args, kwargs, dynamic)
    place = {id(array): number for number, (_, array) in enumerate(call.inputs) if array is not None}
    arrays = call.find(plain, args, kwargs)
    read = {number for number, array in enumerate(arrays[0]) if array is not None} if arrays else set()
    wanted = [place.get(id(leaf)) for leaf in leaves]
    examples = [array for _, array in call.inputs]
    unread = {number: _np.zeros_like(array) for number, array in enumerate(examples) if number not in read}
    call.forget()
    deciding = call.deciding if call.decisions else None

    def decides_as_traced(arrays, numbers):
        """Whether the call takes the sides of the branches on arrays' values that are in the graph.

        Its own run draws the random numbers that this one has seen.
        """
        if deciding is None:
            return True
        try:
            values, _ = deciding.run(arrays, numbers, False)
        except RuntimeError:  # of a side that is not taken
            return False
        return tuple(map(bool, values)) == call.decisions

    def find(fun, args, kwargs):
        found = call.find(_plain(fun), args, kwargs)
        if found is None:
            return None
        arrays, numbers = found
        arrays = [unread[n] if array is None else array for n, array in enumerate(arrays)]
        return (arrays, numbers) if decides_as_traced(arrays, numbers) else None

    markers = [_Output(number, bool(is_scalar)) for number, (_, _, is_scalar) in enumerate(call.outputs)]
    outputs = [(dtype, rank) for dtype, rank, _ in call.outputs]
    wanted = [number if number in read else None for number in wanted]
    return _Trace(call.program, wanted, call.result(markers), outputs, call.draw, find)


class _Call:
    """A call of a function that is to be differentiated: its trace, found or made, and its arrays.

    The differentiated leaves are handed on as views of their own, so that a leaf that is there twice, or is a global as
    well, is differentiated in its one place; numbers among them as arrays of rank 0.
    """

    def __init__(self, fun, args, kwargs, argnums, is_traced=True):
        self.fun = fun
        self.originals = [(f"argument {n}{path}", leaf) for n in argnums for path, leaf in _tree.leaves(args[n])]
        self.leaves = []
        self.argnums = argnums
        own = list(args)
        for n in argnums:
            own[n] = _tree.map_leaves(self._own, args[n], f"argument {n}")
        self.args, self.kwargs = tuple(own), kwargs
        self.given_args = args
        if is_traced:
            key = tuple(path for path, _ in self.originals)
            try:
                self.trace, (arrays, self.numbers) = _find_or_trace(fun, self.args, kwargs, self.leaves, key)
            except RuntimeError:
                # What the function itself raises comes first.
                self.given_args, self.kwargs = _tree.map_leaves(_copied, (self.given_args, self.kwargs))
                with _warnings.catch_warnings():
                    _warnings.simplefilter("ignore")
                    self._call_plainly()
                raise
            self.arrays = list(arrays)

    def forget(self):
        """Lets go of all arrays: `gradients` and `run` are what is asked from here on."""
        self.originals = [(path, _np.zeros(()) if isinstance(leaf, _np.ndarray) else 0.0)
                          for path, leaf in self.originals]
        self.leaves = [_np.broadcast_to(_np.zeros((), leaf.dtype), leaf.shape) for leaf in self.leaves]
        self.given_args = _tree.map_leaves(lambda path, leaf: 0.0, self.given_args)
        self.args = self.kwargs = self.arrays = None

    def _own(self, path, leaf):
        array = _leaves.as_array(path, leaf)
        self.leaves.append(array)
        return array

    def split(self, has_aux):
        """The result, the aux and the result's markers, which must be of floating-point or complex numbers."""
        template = self.trace.template
        if has_aux and not (isinstance(template, tuple) and len(template) == 2):
            raise TypeError(f"{_label(self.fun)}: with has_aux the function returns a pair (result, aux)")
        result, aux = template if has_aux else (template, None)
        markers = [leaf for _, leaf in _tree.leaves(result) if isinstance(leaf, _Output)]
        for path, leaf in _tree.leaves(result):
            is_constant = isinstance(leaf, (float, complex)) or (isinstance(leaf, _np.ndarray) and leaf.dtype.kind in "fc")
            if not isinstance(leaf, _Output) and not is_constant:
                raise TypeError(f"{_label(self.fun)}: the result{path} is {type(leaf).__name__} {leaf!r}, "
                                "which has no derivative; return it as aux")
            if isinstance(leaf, _Output) and self.output(leaf)[0][0] not in "fcb":
                raise TypeError(f"{_label(self.fun)}: the result{path} is an array of {self.output(leaf)[0]}, "
                                "which has no derivative; return it as aux")
        return result, aux, _once(markers)

    def output(self, marker):
        return self.trace.outputs[marker.index]

    def derive(self, mode, outputs, unit=False, with_values=True):
        """The derivative's program; made once."""
        inputs = [number for number in self.trace.leaves if number is not None]
        key = (mode, tuple(outputs), unit, with_values)
        program = self.trace.derived.get(key)
        if program is None:
            program = self.trace.program.derive(mode, inputs, outputs, unit, with_values)
            self.trace.derived[key] = program
        return program

    def halves(self, outputs, budget=1.0, inputs_stay=False):
        """What GraphProgram.split gives of the joint graph, as for the first such call; None: it is not split."""
        inputs = [number for number in self.trace.leaves if number is not None]
        key = ("split", tuple(outputs), budget, inputs_stay)
        if key not in self.trace.derived:
            split = self.trace.program.split
            self.trace.derived[key] = split(inputs, outputs, float(budget), self.numbers, inputs_stay)
        return self.trace.derived[key]

    def forward(self, indices, budget=1.0):
        """A run whose results have derivatives: (the outputs, the program of the derivatives of outputs `indices`, what
        that takes before the cotangents, what that is in words, and its bytes).
        """
        halves = self.halves(indices, budget)
        if halves is not None:
            forward, program, saved, size, _ = halves
            values = self.run(forward, self.arrays)
            count = self.trace.program.outputs
            return values[:count], program, values[count:], saved, size
        if self.trace.draw:
            raise RuntimeError(f"{self.trace.draw}: {_label(self.fun)} draws random numbers and has sizes that only the "
                               "run tells, so that its derivatives would be of other draws; draw before, and pass the "
                               "numbers in as an argument")
        taken = [array.copy() for array in self.arrays]  # they may be written into, by the function or later
        values = self.run(self.trace.program, self.arrays)
        program = self.derive("joint", indices, with_values=False)
        saved = "saved: the primals; sizes that only the run tells are computed again with all else\n"
        return values, program, taken, saved, sum(array.nbytes for array in taken)

    def with_gradients(self, index, budget):
        """The outputs, then the gradients of output `index`, a number.

        They are of one graph, in which fusion decides what is computed again, or of two where that takes less memory.
        """
        program = self.trace.program
        derived = self.trace.derived
        if "is_split" not in derived:
            derived["is_split"] = program.has_checkpoints or program.whole_bytes(self.numbers) > _SPLIT_BYTES
        is_split = derived["is_split"] if budget is None else True
        halves = self.halves([index], 1.0 if budget is None else budget, inputs_stay=True) if is_split else None
        if halves is None:
            return self.run(self.derive("joint", [index], unit=True), self.arrays)
        forward, backward, _, _, places = halves
        values = self.run(forward, self.arrays)
        count = program.outputs
        made = iter(values[count:])
        given = [next(made) if place < 0 else self.arrays[place] for place in places]
        del values[count:], made
        given.append(_np.ones((), _leaves.NUMPY_TYPES[self.trace.outputs[index][0]]))
        return values + self.run(backward, given, again=True)

    def run(self, program, arrays, again=False):
        """The outputs; what NumPy would say of floating-point errors, it says in a call of the function itself.

        again  whether a run before has told of them
        """
        copies = [array.copy() for array in arrays] if _nan_search.is_on() else None
        try:
            outputs, flags = program.run(arrays, self.numbers)
        except RuntimeError as error:
            if self.arrays is not None:
                self._call_plainly()
            raise RuntimeError(f"{_label(self.fun)}: {error}") from error
        if flags and not again:
            self._call_plainly()  # from the state of the random generators that the run has found
        if outputs is None:
            raise RuntimeError(f"{_label(self.fun)} writes into an argument and has floating-point errors; gradients "
                               "of that are not computed")
        if copies is not None:
            _nan_search.check(outputs, program, copies, self.numbers, _label(self.fun))
        return outputs

    def _call_plainly(self):
        function = self.fun
        while isinstance(function, _Transform):
            function = function.fun
        _plain(function)(*self.given_args, **self.kwargs)

    def fill(self, template, outputs):
        """The template with the graph's outputs."""
        def value(path, leaf):
            return leaf.of(outputs) if isinstance(leaf, _Output) else _copied(path, leaf)

        return _tree.map_leaves(value, template)

    def gradients(self, outputs, first):
        """A tuple with the gradient of each argument, of the outputs from `first` on."""
        found = iter(outputs[first:])
        values = []
        for (_, original), leaf, number in zip(self.originals, self.leaves, self.trace.leaves):
            value = _np.zeros_like(leaf) if number is None else next(found)
            values.append(value if isinstance(original, _np.ndarray) else value[()])
        remaining = iter(values)
        return tuple(_tree.map_leaves(lambda path, leaf: next(remaining), self.given_args[n]) for n in self.argnums)

    def zeros(self):
        """The gradients of a constant by the leaves that the graph reads."""
        return [_np.zeros_like(leaf) for leaf, number in zip(self.leaves, self.trace.leaves) if number is not None]

    def tangents(self, trees):
        """The tangents of the leaves that the graph reads, as arrays."""
        if len(trees) != len(self.argnums):
            raise ValueError(f"there are {len(trees)} tangents for {len(self.argnums)} primals")
        given = []
        for n, tangent in zip(self.argnums, trees):
            given += [value for _, value in _tree.zip_leaves(self.given_args[n], tangent, f"tangent {n}")]
        arrays = []
        for value, leaf, number in zip(given, self.leaves, self.trace.leaves):
            array = _leaves.fitting(value, _leaves.dtype_text(leaf.dtype), leaf.shape, "a tangent", "primal")
            if number is not None:
                arrays.append(array)
        return arrays


class _Transform:
    """What grad and jacobian return: a function that can be called, and differentiated again by its graph."""

    def __init__(self, fun, argnums, has_aux):
        if not callable(fun):
            raise TypeError(f"{fun!r} is not callable")
        self.fun = fun
        self.argnums = argnums
        self.has_aux = has_aux
        self.traces = []
        self.captured = None  # of calls by tensors
        if not _arrays.is_traced():  # where nobody sees its names
            _functools.update_wrapper(self, fun, updated=())

    def __get__(self, instance, owner=None):
        return self if instance is None else _functools.partial(self, instance)

    def positions(self, args):
        """`argnums` as a tuple of positions among the arguments."""
        numbers = (self.argnums,) if isinstance(self.argnums, int) else tuple(self.argnums)
        named = {}
        for number in numbers:
            if not isinstance(number, int) or not -len(args) <= number < len(args):
                raise ValueError(f"{_label(self.fun)}: argnums {self.argnums!r}, and {len(args)} positional arguments")
            if number % len(args) in named:
                raise ValueError(f"{_label(self.fun)}: argnums {self.argnums!r}: {named[number % len(args)]} and {number} "
                                 "name the same argument")
            named[number % len(args)] = number
        return tuple(named)

    def packed(self, gradients):
        """What a tuple of gradients is returned as."""
        return gradients[0] if isinstance(self.argnums, int) else gradients


class _Gradient(_Transform):
    def __init__(self, fun, argnums, has_aux, with_value, budget):
        super().__init__(fun, argnums, has_aux)
        if budget is not None:
            _check_budget(budget)
        self.with_value = with_value
        self.budget = budget

    def __call__(self, *args, **kwargs):
        graph = None if _nan_search.contexts else _arrays.begin_subgraph()
        if graph is None:
            try:
                return self._run(args, kwargs)
            except _tensor_gradients.ByTensors:
                pass
            return _tensor_gradients.call(self, args, kwargs)
        return _captured_gradients.gradient(self, graph, args, kwargs)

    @_left_to_cpython
    def _run(self, args, kwargs):
        call = _Call(self.fun, args, kwargs, self.positions(args))
        loss, aux = self._loss(call)
        if isinstance(loss, _Output):
            outputs = call.with_gradients(loss.index, self.budget)
        else:
            outputs = call.run(call.trace.program, call.arrays) + call.zeros()
        gradient = self.packed(call.gradients(outputs, call.trace.program.outputs))
        aux = call.fill(aux, outputs) if self.has_aux else None
        if not self.with_value:
            return (gradient, aux) if self.has_aux else gradient
        value = call.fill(loss, outputs)
        return ((value, aux) if self.has_aux else value), gradient

    def _loss(self, call):
        """The result, an output or a number of Python, which counts as a constant; and the aux."""
        template = call.trace.template
        loss, aux = template if self.has_aux and isinstance(template, tuple) and len(template) == 2 else (template, None)
        if isinstance(loss, float) or type(loss) is int:
            return loss, aux
        call.split(self.has_aux)
        if not isinstance(loss, _Output):
            raise TypeError(f"{_label(self.fun)} returns {type(loss).__name__}: a gradient is of one number. Use "
                            "jacobian for several, has_aux for what is not differentiated")
        dtype, rank = call.output(loss)
        if rank != 0 or dtype[0] == "c":
            kind = "complex numbers" if dtype[0] == "c" else f"an array of {rank} axes"
            raise TypeError(f"{_label(self.fun)} returns {kind}: a gradient is of one real number. Sum it, or use "
                            "jacobian or vjp")
        return loss, aux

    def trace(self, args, kwargs, leaves, dynamic):
        """The gradient as a function that is differentiated again: of the joint graph."""
        call = _Call(self.fun, args, kwargs, self.positions(args), is_traced=False)
        call.trace = inner = _trace(self.fun, call.args, kwargs, [*call.leaves, *leaves], dynamic)
        loss, aux = self._loss(call)
        own = inner.leaves[:len(call.leaves)]
        program = inner.program
        if isinstance(loss, _Output):
            program = program.derive("joint", [n for n in own if n is not None], [loss.index], True, True)
        else:
            own = [None] * len(own)
        count = inner.program.outputs
        outputs = list(inner.outputs)
        markers = []
        for leaf, number in zip(call.leaves, own):
            if number is None:
                markers.append(_np.zeros_like(leaf))
                continue
            markers.append(_Output(len(outputs), False))
            outputs.append((_leaves.dtype_text(leaf.dtype), leaf.ndim))
        remaining = iter(markers)
        gradient = self.packed(tuple(_tree.map_leaves(lambda path, leaf: next(remaining), args[n])
                                     for n in call.argnums))
        template = (gradient, aux) if self.has_aux else gradient
        if self.with_value:
            template = ((loss, aux) if self.has_aux else loss), gradient
        # The leaves of the outer call are the arrays that this one was given, of which `call` made views.
        seen = {id(given): view for (_, given), view in zip(call.originals, call.leaves)}
        places = {id(leaf): number for leaf, number in zip([*call.leaves, *leaves], inner.leaves)}
        outer = [places.get(id(seen.get(id(leaf), leaf))) for leaf in leaves]

        argnums = call.argnums

        def find(fun, args, kwargs):
            again = list(args)
            for n in argnums:
                again[n] = _tree.map_leaves(_leaves.as_array, args[n], f"argument {n}")
            return inner.find(fun.fun, tuple(again), kwargs)

        return _Trace(program, outer, template, outputs, inner.draw, find)


class _Jacobian(_Transform):
    def __call__(self, *args, **kwargs):
        graph = None if _nan_search.contexts else _arrays.begin_subgraph()
        if graph is None:
            try:
                return self._run(args, kwargs)
            except _tensor_gradients.ByTensors:
                pass
            return _tensor_gradients.call(self, args, kwargs)
        return _captured_gradients.jacobian(self, graph, args, kwargs)

    @_left_to_cpython
    def _run(self, args, kwargs):
        call = _Call(self.fun, args, kwargs, self.positions(args))
        result, aux, markers = call.split(self.has_aux)
        indices = [marker.index for marker in markers]
        if call.trace.draw:  # rows of what the one run has saved; each column would be of other draws
            values, program, given, _, _ = call.forward(indices)
            outputs = {index: values[index] for index in indices}
            blocks = self._rows(call, outputs, program, given)
        else:
            given = [array.copy() for array in call.arrays]  # `fun` may write into its arguments
            values = call.run(call.trace.program, call.arrays)
            outputs = {index: values[index] for index in indices}
            blocks = self._blocks(call, outputs, given)

        def tree_of(path, leaf):
            if not isinstance(leaf, _Output):
                leaf = _np.asarray(leaf)
                return self._tree(call, [_np.zeros(leaf.shape + x.shape, leaf.dtype) for x in call.leaves])
            return self._tree(call, blocks[leaf.index])

        jacobian = _tree.map_leaves(tree_of, result)
        return (jacobian, call.fill(aux, values)) if self.has_aux else jacobian

    def _tree(self, call, blocks):
        """The argument's structure with one block for each leaf."""
        remaining = iter(blocks)
        return self.packed(tuple(_tree.map_leaves(lambda path, leaf: next(remaining), call.given_args[n])
                                 for n in call.argnums))

    @staticmethod
    def _empty(call, outputs):
        return {index: [_np.zeros(array.shape + leaf.shape, _np.result_type(array.dtype, leaf.dtype))
                        for leaf in call.leaves] for index, array in outputs.items()}

    def _blocks(self, call, outputs, arrays):
        """{output: [block of each leaf]}, by rows or by columns."""
        columns = sum(leaf.size for leaf, number in zip(call.leaves, call.trace.leaves) if number is not None)
        rows = sum(array.size for array in outputs.values())
        any_complex = any(array.dtype.kind == "c" for array in [*outputs.values(), *call.leaves])
        if rows <= columns or any_complex:
            return self._rows(call, outputs, call.derive("joint", list(outputs), with_values=False), arrays)
        return self._columns(call, outputs, arrays)

    def _rows(self, call, outputs, program, arrays):
        """The blocks, a row for each cotangent that is 1 in one place, which `program` takes behind `arrays`."""
        blocks = self._empty(call, outputs)
        cotangents = [_np.zeros_like(array) for array in outputs.values()]
        for (index, array), cotangent in zip(outputs.items(), cotangents):
            for at in _np.ndindex(array.shape):
                cotangent[at] = 1
                found = iter(call.run(program, arrays + cotangents, again=True))
                cotangent[at] = 0
                for block, number in zip(blocks[index], call.trace.leaves):
                    if number is not None:
                        block[at] = next(found)
        return blocks

    def _columns(self, call, outputs, arrays):
        """The blocks, a column for each tangent that is 1 in one place."""
        program = call.derive("tangent", list(outputs), with_values=False)
        blocks = self._empty(call, outputs)
        read = [k for k, number in enumerate(call.trace.leaves) if number is not None]
        tangents = [_np.zeros_like(call.leaves[k]) for k in read]
        for k, tangent in zip(read, tangents):
            for at in _np.ndindex(tangent.shape):
                tangent[at] = 1
                found = call.run(program, arrays + tangents, again=True)
                tangent[at] = 0
                for index, column in zip(outputs, found):
                    blocks[index][k][(..., *at)] = column
        return blocks

    def trace(self, args, kwargs, leaves, dynamic):
        raise NotImplementedError(f"the derivative of a Jacobian of {_label(self.fun)}: differentiate its gradient, or "
                                  "use hessian")


def _find_or_trace(fun, args, kwargs, leaves, key):
    """A kept trace that fits the call, or a new one, and (arrays, numbers) of the call.

    key  the paths of the leaves. Where calls differ in sizes or numbers alone, the second trace leaves these open.
    """
    traces = _kept_traces(fun)
    for position, trace in enumerate(traces):
        found = trace.find(fun, args, kwargs) if trace.key == key else None
        if found is not None:
            if position:
                traces.insert(0, traces.pop(position))
            return trace, found
    kinds = [(leaf.dtype, leaf.ndim) for leaf in leaves]
    varies = any(t.key == key and t.kinds == kinds for t in traces)
    for dynamic in (True, False) if varies else (False,):
        trace = _trace(fun, args, kwargs, leaves, dynamic)
        trace.key, trace.kinds = key, kinds
        found = trace.find(fun, args, kwargs)
        if found is not None:
            break
    else:
        raise RuntimeError(f"{_label(fun)} changes what its trace depends on: it must not change globals or attributes "
                           "that it reads")
    traces.insert(0, trace)
    del traces[_KEPT_TRACES:]
    return trace, found


_traces = {}


def _kept_traces(fun):
    """The traces of a function, which go when it does; those of what has no weak references are not kept."""
    if isinstance(fun, _Transform):
        return fun.traces
    plain = getattr(_plain(fun), "__func__", _plain(fun))
    key = id(plain)
    entry = _traces.get(key)
    if entry is None or entry[0]() is not plain:
        try:
            entry = _weakref.ref(plain, lambda _: _traces.pop(key, None)), []
        except TypeError:
            return []
        _traces[key] = entry
    return entry[1]


def _copied(path, leaf):
    return leaf.copy() if isinstance(leaf, _np.ndarray) else leaf


def _pairs(result, given):
    """[(marker, value)], one for each marker of the result; where one is there twice the values add up."""
    sums = {}
    for marker, value in _tree.zip_leaves(result, given, "the cotangent"):
        if isinstance(marker, _Output):
            known = sums.get(marker.index)
            sums[marker.index] = (marker, value if known is None else known[1] + value)
    return list(sums.values())


def _once(markers):
    return list({marker.index: marker for marker in markers}.values())


def _plain(function):
    """The Python function inside what `dynacc.compile` or `disable` returned; anything else itself."""
    function = _objects.entry_behind(function)
    inner = getattr(function, "__func__", function)
    if isinstance(inner, (_dynacc.CompiledFunction, _dynacc.DisabledFunction)):
        plain = inner.__wrapped__
        return plain if inner is function else plain.__get__(function.__self__)
    return function


def _label(function):
    while isinstance(function, _Transform):
        function = function.fun
    code = getattr(getattr(_plain(function), "__func__", _plain(function)), "__code__", None)
    name = getattr(function, "__qualname__", repr(function))
    return f"{name} ({code.co_filename}:{code.co_firstlineno})" if code else name
