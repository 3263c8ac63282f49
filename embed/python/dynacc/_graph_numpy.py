"""What each op of a graph means in NumPy: source for Graph.to_python, and what an Interpreter runs.

One row an op, or a category of ops.def. A row takes a Writer and a node and gives the statement that defines the
node's name. The source works on arrays as NumPy lays them out, so that sums have NumPy's order.
"""
import ast as _ast
import math as _math
import re as _re

import _dynacc

NUMPY_TYPES = {"bool": "bool_", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8",
               "u16": "uint16", "u32": "uint32", "u64": "uint64", "f16": "float16", "f32": "float32",
               "f64": "float64", "c64": "complex64", "c128": "complex128"}
# Of these NumPy adds up in a wider dtype unless it is told.
_SHORT = ("bool", "i8", "i16", "i32", "u8", "u16", "u32")


class _Table(dict):
    """Rows of ops: (category, NumPy's ufunc or "", whether it is commutative). Registered ops are not in ops.def."""

    def __missing__(self, op):
        return "registered", "", False


OPS = _Table(_dynacc.op_table())


class Unwritable(Exception):
    """A node that NumPy has no words for."""


class Writer:
    """Writes nodes as NumPy source. `names`: the variable of each node."""

    def __init__(self, names):
        self.names = names

    def args(self, node):
        return [self.names[argument] for argument in node.args]

    def statements(self, node):
        """The lines that compute the node. Unwritable if there are none."""
        row = _ROWS.get(node.op) or _CATEGORIES.get(OPS[node.op][0])
        if row is None or node.dtype not in NUMPY_TYPES:
            raise Unwritable(f"NumPy has nothing for {node!r}")
        return row(self, node)

    def define(self, node, expression):
        return [f"{self.names[node]} = {expression}"]


def modules(source):
    """The modules that the source of a registered op names, for exec."""
    import dynacc
    names = {"dynacc": dynacc} if "dynacc." in source else {}
    if "scipy.special." in source:
        import scipy.special
        names["scipy"] = scipy
    return names


def size(value):
    """A size, or an expression of sizes, as source."""
    return str(value) if isinstance(value, (int, float)) else value.name


def shape(values):
    return "(" + "".join(f"{size(value)}, " for value in values).rstrip(" " if len(values) == 1 else ", ") + ")"


def dtype(node):
    return f"np.{NUMPY_TYPES[node.dtype]}"


def scalar_definitions(graph_text):
    """The lines of a graph's scalar program: [(name, expression)], of an input "input int"."""
    rows = []
    for line in graph_text.splitlines():
        if line.startswith("  scalars: "):
            for part in _re.split(r", (?=s\d+ = )", line[len("  scalars: "):]):
                name, _, expression = part.partition(" = ")
                rows.append((name, expression))
    return rows


def scalar_functions():
    """What the expressions of scalar programs call, besides Python's own functions."""
    import operator
    return {"neg": operator.neg}


def _number(value, node):
    """A number of the scalar program as the node's dtype has it."""
    if isinstance(value, tuple):
        return f"{dtype(node)}(complex({_literal(value[0])}, {_literal(value[1])}))"
    text = _literal(value)
    kind = NUMPY_TYPES[node.dtype]
    if kind.startswith(("float", "complex")) or (kind == "int64" and isinstance(value, int)):
        return f"{dtype(node)}({text})"
    return f"np.array({text}).astype({dtype(node)})[()]"


def _literal(value):
    if isinstance(value, float) and not _math.isfinite(value):
        sign = "-" if _math.copysign(1.0, value) < 0 else ""
        return f"{sign}np.{'nan' if _math.isnan(value) else 'inf'}"
    return repr(value) if isinstance(value, (bool, int, float)) else value.name


def _scalar(writer, node):
    return writer.define(node, _number(node.attrs["value"], node))


def _full(writer, node):
    return writer.define(node, f"np.full({shape(node.shape)}, {_number(node.attrs['value'], node)}, {dtype(node)})")


def _empty(writer, node):
    return writer.define(node, f"np.zeros({shape(node.shape)}, {dtype(node)})")


def _ufunc(writer, node):
    name = OPS[node.op][1] or _dynacc.ufunc_with_bits(node.op, node.dtype)
    if not name:
        raise Unwritable(f"NumPy has no function of its own for {node!r}")
    return writer.define(node, f"np.{name}({', '.join(writer.args(node))})")


def _part(writer, node):
    return writer.define(node, f"{writer.args(node)[0]}.{node.op}")


def _cast(writer, node):
    return writer.define(node, f"{writer.args(node)[0]}.astype({dtype(node)})")


def _reshape(writer, node):
    return writer.define(node, f"np.reshape({writer.args(node)[0]}, {shape(node.shape)})")


def _keep_order(writer, node):
    return writer.define(node, f'np.array({writer.args(node)[0]}, order="K")')


def _c_order(writer, node):
    return writer.define(node, f'np.array({writer.args(node)[0]}, order="C")')


def _update(writer, node):
    elements, *targets = writer.args(node)
    made = targets[0]
    for target in targets[1:]:
        made = f"np.equal({made}, {target})"
    return [f'{writer.names[node]} = np.array({made}, dtype={dtype(node)}, order="K")',
            f"{writer.names[node]}[...] = {elements}"]


def _where(writer, node):
    return writer.define(node, f"np.where({', '.join(writer.args(node))})")


def _roll(writer, node):
    if not node.shape:  # np.roll has no words for it
        return _keep_order(writer, node)
    axes = tuple(range(len(node.shape)))
    return writer.define(node, f"np.roll({writer.args(node)[0]}, {shape(node.attrs['shifts'])}, axis={axes})")


def _concat(writer, node):
    return writer.define(node, f"np.concatenate(({', '.join(writer.args(node))},), axis={node.attrs['axes'][0]})")


def _reduction(writer, node):
    attrs = node.attrs
    typed = f", dtype={dtype(node)}" if node.dtype in _SHORT and node.dtype == node.args[0].dtype else ""
    keeps = ", keepdims=True" if attrs["keepdims"] else ""
    return writer.define(node, f"np.{OPS[node.op][1]}.reduce({writer.args(node)[0]}, axis={attrs['axes']}{typed}{keeps})")


def _root(node):
    while node.op in ("view", "reshape"):
        node = node.args[0]
    return node


def _matmul(writer, node):
    a, b = writer.args(node)
    if node.attrs["apart"] and _root(node.args[0]) == _root(node.args[1]):
        b = f'np.array({b}, order="K")'  # BLAS has another way for two faces of one array
    return writer.define(node, f"np.matmul({a}, {b})")


def _library_call(writer, node):
    text = node.attrs["function"]
    args = writer.args(node)
    source = _re.sub(r"%(\d+)", lambda match: args[int(match[1])], text or "")
    operator = _operator_call(text or "", source)
    if operator is not None:
        return writer.define(node, operator)
    if not _is_numpys(source) or node.attrs.get("defines") is not None:
        raise Unwritable(f"the call of {node!r} belongs to the process that captured it")
    return writer.define(node, _re.sub(r"\b_operator\.", "operator.", _re.sub(r"\bnumpy\.", "np.", source)))


def _operator_call(text, source):
    """Source of a call of a custom operator; None if the text is none, or one of an operator that writes."""
    from dynacc import operators
    name, bracket, rest = source.partition("(")
    full = name.replace(".", "::")
    if not bracket or full not in operators.registered() or operators.get(full).operator.mutated or "<" in text:
        return None
    return f'dynacc.operators.get("{full}")({rest}'


def _registered(writer, node):
    """A registered op: an elementwise operator, or a function of scipy.special."""
    from dynacc import operators
    arguments = ", ".join(writer.args(node))
    full = node.op.replace(".", "::", 1)
    if node.op.startswith("scipy.special."):
        return writer.define(node, f"{node.op}({arguments})")
    if full not in operators.registered():
        raise Unwritable(f"{node.op} is no operator that dynacc.operators.get finds")
    return writer.define(node, f'dynacc.operators.get("{full}")({arguments})')


def _scan(writer, node):
    if node.op == "cumprod" and node.dtype.startswith("c") and node.call is None:
        raise Unwritable(f"NumPy multiplies complex numbers in another way than {node!r}")
    function = {"cumsum": "add", "cumprod": "multiply"}[node.op]
    args = f"{writer.args(node)[0]}, axis={node.attrs['axis']}, dtype={dtype(node)}"
    return writer.define(node, f"np.{function}.accumulate({args})")


def _search(writer, node):
    axes, rank = node.attrs["axes"], len(node.args[0].shape)
    axis = axes[0] if len(axes) == 1 else None
    keeps = ", keepdims=True" if node.attrs["keepdims"] else ""
    function = {"argmax": "argmax", "argmin": "argmin"}[node.op]
    if axis is None and rank == 0:
        return writer.define(node, f"np.{function}({writer.args(node)[0]})")
    return writer.define(node, f"np.{function}({writer.args(node)[0]}, axis={axis}{keeps})")


def _mean(writer, node):
    keeps = ", keepdims=True" if node.attrs["keepdims"] else ""
    return writer.define(node, f"np.mean({writer.args(node)[0]}, axis={tuple(node.attrs['axes'])}{keeps})")


def _index(writer, node):
    """Source of the index that the attribute "at" is."""
    args = writer.args(node)
    operand = lambda value: args[int(value[5:-1])] if isinstance(value, str) else repr(value)

    def one(item):
        if isinstance(item, slice):
            step = "" if item.step is None else f":{item.step}"
            return ":".join("" if end is None else operand(end) for end in (item.start, item.stop)) + step
        return f"np.array({list(item)})" if isinstance(item, tuple) else operand(item)

    return ", ".join(one(item) for item in node.attrs["at"])


def _gather(writer, node):
    base, attrs = writer.args(node)[0], node.attrs
    if attrs["along"]:
        axis = next(axis for axis, item in enumerate(attrs["at"]) if item != slice(None))
        return writer.define(node, f"np.take_along_axis({base}, {writer.args(node)[1]}, axis={axis})")
    if node.call is not None:
        return writer.define(node, f"{base}[{_index(writer, node)},]")
    return writer.define(node, f'np.array({base}[{_index(writer, node)},], order="C")')


def _scatter(writer, node):
    attrs, name, args = node.attrs, writer.names[node], writer.args(node)
    operand = lambda value: args[int(value[5:-1])] if isinstance(value, str) else _number(value, node)
    made = f'{name} = np.array({operand(attrs["base"])}, order="C")'
    value, combine = operand(attrs["value"]), attrs["combine"]
    if attrs["along"]:
        axis, index = next((axis, one) for axis, one in enumerate(attrs["at"]) if one != slice(None))
        if combine is not None:
            raise Unwritable(f"NumPy does not combine along an axis, as {node!r} does")
        return [made, f"np.put_along_axis({name}, {operand(index)}, {value}, {axis})"]
    place = f"{_index(writer, node)},"
    if combine is None:
        return [made, f"{name}[{place}] = {value}"]
    return [made, f"np.{OPS[combine][1]}.at({name}, np.index_exp[{place}], {value})"]


def _int_operator(writer, node):
    args = writer.args(node)
    operands = [f"int({args[int(one[5:-1])]})" if isinstance(one, str) else repr(one) for one in node.attrs["operands"]]
    return writer.define(node, f"np.array(operator.{node.attrs['operator']}({', '.join(operands)}), {dtype(node)})[()]")


def _compress(writer, node):
    if node.attrs["defines"] is not None:
        raise Unwritable(f"the number of rows of {node!r} is known only when it runs")
    base, mask = writer.args(node)
    return writer.define(node, f'np.array({base}[{mask}], order="C")')


def _is_numpys(source):
    """Whether a call is one of a function of NumPy's, or an operator, under a name that leads to it."""
    import operator
    import numpy
    try:
        call = _ast.parse(source, mode="eval").body
        function = _ast.unparse(call.func)
        module, _, name = function.partition(".")
        operator.attrgetter(name)({"numpy": numpy, "_operator": operator}[module])
    except (SyntaxError, AttributeError, KeyError):
        return False
    names = {one.id for one in _ast.walk(call) if isinstance(one, _ast.Name)}
    return all(name in ("numpy", "_operator") or _re.fullmatch(r"[atx]\d+|result", name) for name in names)


# --- Views -------------------------------------------------------------------------------------------------------------

def _slice(start, step, count):
    """Source of the slice that gives elements start, start + step, ... , `count` of them."""
    if all(isinstance(value, int) for value in (start, step, count)):
        stop = start + step * count
        first = "" if start == 0 and step > 0 else start
        last = "" if stop < 0 else stop
        return f"{first}:{last}" + ("" if step == 1 else f":{step}")
    start, count = size(start), size(count)
    if isinstance(step, int) and step > 0:
        return f"{start}:{start} + {step} * {count}" + ("" if step == 1 else f":{step}")
    stop = f"{start} + {size(step)} * {count}"
    return f"{start}:({stop} if {stop} >= 0 else None):{size(step)}"


def _view_of(name, operand, node, sizes, writes=False):
    """Source of the view that the node's attributes describe, of the array `name`, which is like `operand`."""
    attrs = node.attrs
    axis, start, step = attrs["axis"], attrs["start"], attrs["step"]
    rank = len(operand.shape)
    shown = [d for d in range(len(axis)) if axis[d] >= 0 and not (isinstance(step[d], int) and step[d] == 0)]
    of = {s: [d for d in shown if axis[d] == s] for s in range(rank)}
    if any(len(axes) > 1 for axes in of.values()):
        return _strided(name, operand, axis, start, step, sizes)
    index = []
    for s in range(rank):
        if not of[s]:
            index.append(size(start[s]))
            continue
        d = of[s][0]
        whole = start[s] == 0 and step[d] == 1 and sizes[d] == operand.shape[s]
        index.append(":" if whole else _slice(start[s], step[d], sizes[d]))
    if any(one != ":" for one in index) or writes:
        name = f"{name}[{', '.join([*index, '...'] if writes else index)}]"
    left = [of[s][0] for s in range(rank) if of[s]]  # output axes, in the order in which they are there
    ordered = sorted(left)
    if left != ordered:
        name = f"{name}.transpose({', '.join(str(left.index(d)) for d in ordered)})"
    lead = ordered[0] if ordered else len(axis)
    fresh = [d for d in range(len(axis)) if d not in left]
    if any(d > lead for d in fresh) or (writes and fresh):
        name = f"{name}[{', '.join(':' if d in left else 'None' for d in range(len(axis)))}]"
    if writes or not fresh:
        return name
    return f"np.broadcast_to({name}, {shape(sizes)})"


def _strided(name, operand, axis, start, step, sizes):
    """Source of a view in which two axes go along one, as windows do."""
    corner = f"{name}[{', '.join(f'{size(first)}:' for first in start)}]"
    strides = ", ".join("0" if s < 0 else f"{name}.strides[{s}] * {size(by)}" for s, by in zip(axis, step))
    return f"np.lib.stride_tricks.as_strided({corner}, {shape(sizes)}, ({strides},))"


def _view(writer, node):
    source = _view_of(writer.args(node)[0], node.args[0], node, node.shape)
    if source == writer.args(node)[0] and len(node.args[0].shape) == 0:
        source = f"np.asarray({source})"
    return writer.define(node, source)


def _store(writer, node):
    base, value = writer.args(node)
    name = writer.names[node]
    place = _view_of(name, node.args[0], node, node.args[1].shape, writes=True)
    return [f'{name} = np.array({base}, order="K")', f"{place}[...] = {value}"]


def _functions(writer, node):
    """The lines that define a node's graphs as functions, and each one's name and keyword arguments as a call has them."""
    from dynacc.graph import _size_sources
    lines, calls, numbers = [], [], list(node.attrs["numbers"])
    for place, graph in enumerate(node.attrs["graphs"]):
        name = f"{writer.names[node]}_f{place}"
        source = graph.to_python(name).splitlines()
        lines += source[next(i for i, line in enumerate(source) if line.startswith("def ")):]
        taken = {size: numbers.pop(0) for size, expression in scalar_definitions(str(graph))
                 if expression.startswith("input ")}
        calls.append((name, "".join(f", {word}={size(taken[word])}" for word in _size_sources(graph)[1])))
    return lines, calls


def _cond(writer, node):
    name, (condition, *args) = writer.names[node], writer.args(node)
    lines, (first, second) = _functions(writer, node)
    call = ", ".join(args)
    return [*lines, f"{name}_all = {first[0]}({call}{first[1]}) if {condition} else {second[0]}({call}{second[1]})",
            f"{name} = {name}_all[0]"]


def _loop(writer, node):
    name, attrs, args = writer.names[node], node.attrs, writer.args(node)
    lines, calls = _functions(writer, node)
    limits = [f"int({args.pop(0)})"] if attrs["counted"] else []
    limits += [size(attrs["length"])] if attrs["length"] is not None else []
    limit = f"min({', '.join(limits)})" if len(limits) > 1 else limits[0] if limits else None
    count = attrs["carries"]
    constants, carries = args[:attrs["constants"]], args[attrs["constants"]:attrs["constants"] + count]
    slices = args[attrs["constants"] + count:]
    goes_on = [f"{name}_k < {limit}"] if limit else []
    start = ", ".join([*constants, f"*{name}_c"])
    if len(calls) > 1:
        goes_on.append(f"{calls[1][0]}({start}{calls[1][1]})[0]")
    at = f"{limit} - 1 - {name}_k" if attrs["reverse"] else f"{name}_k"
    taken = ", ".join([start, *[f"{array}[{name}_a]" for array in slices]])
    stacked = attrs["graphs"][0].outputs[count:]
    lines += [f"{name}_k, {name}_y, {name}_c = 0, [], [{', '.join(carries)}]", f"while {' and '.join(goes_on)}:",
              f"    {name}_a = {at}", f"    {name}_r = {calls[0][0]}({taken}{calls[0][1]})",
              f"    {name}_c = list({name}_r[:{count}])", f"    {name}_y.append(({name}_a, {name}_r[{count}:]))",
              f"    {name}_k += 1"]
    for place, output in enumerate(stacked):
        known = tuple(value if isinstance(value, int) else 0 for value in output.shape)
        lines += [f"{name}_s{place} = np.zeros(({size(attrs['length'])}, *(np.shape({name}_y[0][1][{place}]) "
                  f"if {name}_y else {known})), {dtype(output)})",
                  f"for {name}_a, {name}_r in {name}_y:", f"    {name}_s{place}[{name}_a] = {name}_r[{place}]"]
    results = "".join(f"{name}_s{place}, " for place in range(len(stacked)))
    return [*lines, f"{name}_all = (*{name}_c, {results}np.int64({name}_k))", f"{name} = {name}_all[0]"]


def _result(writer, node):
    return writer.define(node, f"{writer.names[node.args[0]]}_all[{node.attrs['index']}]")


_ROWS = {"scalar": _scalar, "full": _full, "empty": _empty, "view": _view, "reshape": _reshape, "store": _store,
         "roll": _roll, "concat": _concat, "cast": _cast, "keep_order": _keep_order, "c_order": _c_order,
         "update": _update, "where": _where, "real": _part, "imag": _part, "matmul": _matmul,
         "library_call": _library_call, "cumsum": _scan, "cumprod": _scan,
         "argmax": _search, "argmin": _search, "mean": _mean, "gather": _gather, "scatter": _scatter,
         "int_operator": _int_operator, "compress": _compress, "cond": _cond, "loop": _loop, "result": _result}
_CATEGORIES = {"unary": _ufunc, "binary": _ufunc, "reduction": _reduction, "registered": _registered}
