"""Random programs that are differentiated: arithmetic, writes in place, views, loops, branches, calls and NumPy's functions.

Each has a function of arrays that returns one real number. observe.py's `differentiate` prints that number at points
around the arguments, and compares what DynaCC says of its derivatives with the quotients of differences.
"""
from program import Program

# Functions of one array that keep its shape; {} is the array. What they give is neither large nor far from smooth.
UNARY = (
    "np.tanh({})", "np.sin({})", "np.cos({})", "np.arctan({})", "np.exp(-np.square({}))", "np.sqrt({} * {} + 0.5)",
    "np.log1p({} ** 2)", "np.tanh({}) ** 3", "np.abs({})", "np.maximum({}, 0.1)", "np.minimum({}, -0.2)",
    "np.clip({}, -0.7, 0.9)", "np.where({} > 0.05, {}, 0.3 * {})", "1 / (1 + np.exp(-{}))", "np.logaddexp({}, 0.2)",
    "np.hypot({}, 0.7)", "np.arctan2({}, 1.5)", "np.cbrt({} ** 2 + 0.3)", "np.expm1(np.tanh({}))", "np.sinh(np.sin({}))",
    "np.exp2(np.cos({}))", "{}.copy()", "np.array({})", "-{}", "np.float64(0.5) * {}", "2.5 - {}", "{} / 3", "{} % 7.3",
    "np.cosh(np.tanh({}))", "np.log({} * {} + 1.2)", "np.power({} ** 2 + 0.1, 1.5)", "np.arcsinh({})", "np.log2({} ** 2 + 2)",
    "{}.astype(np.float64)", "np.nan_to_num({})", "np.fmax({}, 0.3)", "np.copysign({}, 1.0)", "np.deg2rad({} * 20)",
    "np.heaviside({}, 0.5) * {}", "np.sign({}) * {} ** 2", "np.floor({}) + {}", "np.reciprocal({} ** 2 + 0.7)",
    "np.select([{} > 0.4, {} > -0.3], [{} * 2, {} ** 2], 0.5)", "helper({})", "twice(np.sin, {})", "checkpoint(helper)({})",
)  # fmt: skip
# The same for arrays that have an axis.
ALONG = (
    "{}[::-1]", "np.roll({}, 1, axis=-1)", "np.flip({}, -1)", "0.4 * np.cumsum({}, axis=-1)", "np.cumprod(np.tanh({}), axis=0)",
    "{} - {}.mean(axis=-1, keepdims=True)", "{} / np.sqrt(({} ** 2).sum(axis=-1, keepdims=True) + 0.4)",
    "softmax({})", "np.sort({}, axis=-1)", "{} - {}.max(axis=-1, keepdims=True)", "normed({})", "np.gradient({}, axis=-1)",
    "{}.cumsum(axis=0) / 4", "rows({})", "np.array([r * (k + 1) for k, r in enumerate({})]) / 3",
)  # fmt: skip
BINARY = ("{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} / ({b} ** 2 + 0.6)", "np.maximum({a}, {b})", "np.hypot({a}, {b} + 2)",
          "np.where({a} > {b}, {a}, {b} * 0.5)", "np.minimum({a}, {b})", "np.logaddexp({a}, {b})", "np.multiply({a}, {b})",
          "np.arctan2({a}, {b} ** 2 + 0.5)", "mix({a}, {b})")  # fmt: skip
# From an array to one with an axis less.
REDUCTIONS = (
    "{}.sum(axis={k})", "{}.mean(axis={k})", "{}.max(axis={k})", "{}.min(axis={k})", "np.prod(np.tanh({}) + 1, axis={k})",
    "np.linalg.norm({} + 3, axis={k})", "np.var({}, axis={k})", "np.sqrt(np.var({}, axis={k}, ddof=1) + 0.1)",
    "np.log(np.exp({}).sum(axis={k}))", "np.average({}, axis={k})", "np.median({}, axis={k})", "np.ptp({}, axis={k})",
    "np.add.reduce({}, axis={k})", "np.trapz({}, axis={k})" , "np.nansum({}, axis={k})", "np.quantile({}, 0.3, axis={k})",
)  # fmt: skip
# What complex numbers have no order or no angle for.
REAL_ONLY = (">", "<", "max", "min", "sort", "clip", "logaddexp", "hypot", "arctan2", "cbrt", "copysign", "floor", "heaviside",
             "%", "deg2rad", "sign", "float64", "median", "quantile", "ptp", "softmax", "eigvalsh", "select", "trapz")  # fmt: skip
# What makes numbers of Python, of which complex ones have no rules and float32 has other digits.
NUMBERS_ONLY = ("float(", "math.", "astype")
HEAD = '''\
weight = 0.7

def helper(v):
    return np.tanh(v * weight) + 0.1 * v

def twice(function, v):
    return function(function(v))

def mix(a, b, *, by=0.3):
    return by * a + (1 - by) * b * b

def softmax(v):
    e = np.exp(v - v.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)

def normed(v):
    return (v - v.mean(axis=-1, keepdims=True)) / np.sqrt(v.var(axis=-1, keepdims=True) + 0.3)

def rows(v):
    out = np.zeros_like(v)
    for number, row in enumerate(v):
        out[number] = row * (1 + 0.2 * number) + v[0] * 0.1
    return out

def parts(v):
    for part in (v, 0.5 * v * v):
        yield part

class Layer:
    def __init__(self, scale):
        self.scale = scale
        self.seen = []

    def __call__(self, v):
        self.seen.append(v.shape)
        return np.tanh(self.scale * v) + v * 0.2
'''.splitlines()


class GradientProgram(Program):
    def __init__(self, seed):
        super().__init__(seed)
        self.n, self.m, self.k = (self.pick((2, 3, 4, 5)) for _ in "nmk")
        self.dtype = self.pick(("float64",) * 8 + ("float32", "complex128"))
        self.branches = False  # on values, or elements that values choose
        self.unary, self.along, self.binary, self.reductions = (
            [form for form in forms if self.dtype != "complex128" or not any(word in form for word in REAL_ONLY)]
            for forms in (UNARY, ALONG, BINARY, REDUCTIONS))

    # Variables are pairs of a name and a shape, known as the program is written.

    def shapes(self):
        n, m, k = self.n, self.m, self.k
        return ((n,), (m,), (n, m), (m, n), (n, n), (m, k), (k, n), (n, m, k), ())

    def variable(self, shape):
        fitting = [name for name, other in self.arrays if other == shape]
        if fitting:
            return self.pick(fitting[-4:])
        return None

    def source(self, fits=lambda shape: True):
        fitting = [array for array in self.arrays if fits(array[1])]
        return self.pick(fitting[-5:]) if fitting else None

    def filled(self, form, text):
        if not text.isidentifier() and form.count("{}") > 1:
            name = self.fresh("t")
            self.emit(self.indent, f"{name} = {text}")
            text = name
        return form.replace("{}", text)

    def expression(self, shape, depth=2):
        """The text of a value of that shape."""
        kind = self.random.random()
        if depth <= 0 or kind < 0.12:
            return self.variable(shape) or self.made(shape)
        if kind < 0.45:
            forms = self.unary if not shape or self.chance(0.65) else self.along
            return self.filled(self.pick(forms), f"({self.expression(shape, depth - 1)})")
        if kind < 0.7:
            form = self.pick(self.binary)
            a, b = self.expression(shape, depth - 1), self.narrower(shape, depth - 1)
            for letter, text in (("a", a), ("b", b)):
                blank = "{" + letter + "}"
                if form.count(blank) > 1:
                    name = self.fresh("t")
                    self.emit(self.indent, f"{name} = {text}")
                    text = name
                form = form.replace(blank, f"({text})")
            return form
        return self.made(shape)

    def narrower(self, shape, depth):
        """A value that broadcasts to the shape."""
        if len(shape) < 1 or self.chance(0.6):
            return self.expression(shape, depth)
        if self.chance(0.5):
            return self.expression(shape[1:], depth)
        return f"({self.expression(shape[:-1], depth)})[..., None]"

    def made(self, shape):
        """A value of that shape, of variables of other shapes."""
        ways = [way for way in (self.reduced, self.product, self.moved, self.joined, self.solved) if self.chance(0.5)]
        for way in ways:
            text = way(shape)
            if text:
                return text
        name, _ = self.source()
        numbers = self.random.randrange(1, 9)
        if not shape:
            return f"({name}).sum() * 0.1"
        count = "*".join(map(str, shape))
        return f"np.sin(np.arange({count}.0).reshape({shape}) / {numbers}) * ({name}).mean()"

    def reduced(self, shape):
        axes = [axis for axis in range(len(shape) + 1)]
        axis = self.pick(axes)
        found = self.source(lambda other: len(other) == len(shape) + 1 and other[:axis] + other[axis + 1:] == shape)
        return self.filled(self.pick(self.reductions), found[0]).replace("{k}", str(axis)) if found else None

    def product(self, shape):
        if len(shape) == 0:
            pairs = [(a, b) for a, s in self.arrays for b, t in self.arrays if s == t and len(s) == 1]
            forms = ("{a} @ {b}", "np.dot({a}, {b})", "np.inner({a}, {b})", "np.einsum('i,i', {a}, {b})", "np.vdot({a}, {b})")
        elif len(shape) == 1:
            pairs = [(a, b) for a, s in self.arrays for b, t in self.arrays if len(s) == 2 and s[:1] == shape and t == s[1:]]
            forms = ("{a} @ {b}", "np.dot({a}, {b})", "np.einsum('ij,j->i', {a}, {b})", "({a} * {b}).sum(axis=1)")
        else:
            pairs = [(a, b) for a, s in self.arrays for b, t in self.arrays
                     if len(s) == len(shape) and len(t) == 2 and s[:-1] == shape[:-1] and t == (s[-1], shape[-1])]
            forms = ("{a} @ {b}", "np.matmul({a}, {b})", "np.einsum('...ij,jk->...ik', {a}, {b})", "np.dot({a}, {b})",
                     "np.tensordot({a}, {b}, 1)")
            outer = [(a, b) for a, s in self.arrays for b, t in self.arrays if s + t == shape]
            if outer and (not pairs or self.chance(0.4)):
                pairs, forms = outer, ("np.multiply.outer({a}, {b})", "np.tensordot({a}, {b}, 0)")
        if not pairs:
            return None
        a, b = self.pick(pairs)
        return "0.5 * (" + self.pick(forms).replace("{a}", a).replace("{b}", b) + ")"

    def moved(self, shape):
        size = 1
        for extent in shape:
            size *= extent
        if len(shape) >= 2 and self.chance(0.5):
            found = self.source(lambda other: other == shape[:-2] + shape[:-3:-1])
            if found:
                return found[0] + self.pick((".swapaxes(-1, -2)", ".swapaxes(-1, -2).copy()"))
        found = self.source(lambda other: other != shape and len(other) > 0 and self.size(other) == size)
        if found and self.chance(0.5):
            return f"{found[0]}.reshape({shape})"
        found = self.source(lambda other: len(other) == len(shape) + 1 and other[1:] == shape)
        if found:
            at = self.random.randrange(found[1][0])
            return f"{found[0]}[{self.pick((at, -1, 0))}]"
        found = self.source(lambda other: shape and len(other) == len(shape) and other[1:] == shape[1:])
        if found:
            places = [self.random.randrange(found[1][0]) for _ in range(shape[0])]
            return self.pick((f"{found[0]}[{places}]", f"np.take({found[0]}, {places}, axis=0)"))
        return None

    def size(self, shape):
        size = 1
        for extent in shape:
            size *= extent
        return size

    def joined(self, shape):
        if not shape or shape[0] < 2:
            return None
        kind = self.pick(("stack", "list", "concatenate", "pad", "diff", "repeat"))
        inner = shape[1:]
        if kind in ("stack", "list"):
            texts = [self.variable(inner) or f"np.full({inner}, 0.3)" for _ in range(shape[0])]
            return f"np.{'stack' if kind == 'stack' else 'array'}([{', '.join(texts)}])" if any(self.variable(inner) for _ in "x") else None
        found = self.source(lambda other: len(other) == len(shape) and other[1:] == inner)
        if not found:
            return None
        name, other = found
        if kind == "concatenate":
            return f"np.concatenate([{name}[:1], {name}[:1] * 2, *[{name}[-1:]] * {shape[0]}])[:{shape[0]}]"
        if kind == "pad" and len(shape) == 1 and other[0] < shape[0]:
            return f"np.pad({name}, (0, {shape[0] - other[0]}))"
        if kind == "diff" and other == shape:
            return f"np.diff({name}, axis=0, prepend={name}[-1:])"
        return f"np.repeat({name}, {shape[0]}, axis=0)[:{shape[0]}]"

    def solved(self, shape):
        square = self.source(lambda other: len(other) == 2 and other[0] == other[1])
        if not square or self.dtype != "float64":
            return None
        name, (n, _) = square
        spd = f"(np.tanh({name}) @ np.tanh({name}).T + 2 * np.eye({n}))"
        if shape == (n, n):
            return self.pick((f"np.linalg.inv({spd})", f"np.linalg.cholesky({spd})", f"np.tril({name})", f"np.linalg.solve({spd}, {name})"))
        if shape == (n,):
            right = self.variable((n,))
            return f"np.linalg.solve({spd}, {right})" if right and self.chance(0.6) else f"np.linalg.eigvalsh({spd} + np.diag(np.arange({n}.0)))"
        if shape == ():
            return self.pick((f"np.linalg.slogdet({spd})[1]", f"np.log(np.linalg.det({spd}))", f"np.trace({name})"))
        return None

    # Statements.

    def define(self, indent, depth=2):
        shape = self.pick(self.shapes())
        text = self.expression(shape, depth)
        name = self.fresh("v")
        self.emit(indent, f"{name} = {text}")
        self.arrays.append((name, shape))

    def owned(self, indent):
        """An array of the program's own, which may be written into."""
        found = self.source(lambda shape: len(shape) > 0)
        name = self.fresh("w")
        self.emit(indent, f"{name} = {self.pick(('{}.copy()', 'np.array({})', '{} * 1.5', '0.0 + {}')).replace('{}', found[0])}")
        self.arrays.append((name, found[1]))
        return name, found[1]

    def write(self, indent):
        name, shape = self.owned(indent)
        first_line = len(self.lines)
        for _ in range(self.random.randint(1, 3)):
            value = self.expression(shape, 1)
            row = self.expression(shape[1:], 1)
            at = self.random.randrange(shape[0])
            first, count = self.random.randrange(shape[0]), self.random.randint(1, 3)
            places = sorted(self.random.sample(range(shape[0]), min(2, shape[0])))
            self.emit_lines(indent, self.pick((
                [f"{name} += {value}"], [f"{name} *= {value}"], [f"{name} -= 0.5 * ({value})"], [f"{name}[{at}] = {row}"],
                [f"{name}[{at}] *= {row}"], [f"{name}[...] = {value}"], [f"{name}[{first}:] = {row}"],
                [f"{name}[{first}:{first + count}] += {row}"], [f"{name}[::-1][{at}] = {row}"], [f"{name}[{places}] = {row}"],
                [f"{name}[{places}] += {row}"], [f"{name}[{name} > 0.4] = 0.25"], [f"{name}[{name} > 0.1] *= 0.5"],
                [f"np.multiply({name}, {value}, out={name})"], [f"np.tanh({name}, out={name})"],
                [f"part = {name}[{first}:]", "part *= 0.5", f"part[0] = {row}"],
                [f"flat = {name}.reshape(-1)", f"flat[{at}] = flat[-1] * flat[0]", "flat[1:] += flat[:-1] * 0.3"],
                [f"turned = {name}.T", "turned += 0.25", f"turned[..., 0] *= ({name}).sum() * 0.1"],
                [f"np.add.at({name}, {[at, at]}, 0.5)"], [f"{name}.fill(({row}).sum() * 0.1)"],
                [f"np.copyto({name}, {value})"], [f"{name}[{at}], {name}[0] = {name}[0].copy(), {name}[{at}].copy()"],
            )))  # fmt: skip
        self.branches = self.branches or any(f"[{name} > " in line for line in self.lines[first_line:])

    def emit_lines(self, indent, lines):
        for line in lines:
            self.emit(indent, line)

    def loop(self, indent):
        name, shape = self.owned(indent)
        head = self.pick(("for i in range({c}):", "for i, q in enumerate(parts({n}[0])):", "for i in (2, 0, 1):",
                          "i = 0 // while i < {c}:", "for i, q in zip(range({c}), {n}):", "i = 0 // while abs({n}).sum() > 0.8 and i < 9:"))
        lines = head.replace("{c}", str(self.random.randint(1, 5))).replace("{n}", name).split(" // ")
        self.emit_lines(indent, lines)
        self.branches = self.branches or "abs" in lines[-1]
        if lines[-1].startswith("while"):
            self.emit_lines(indent + 1, ["i += 1", f"{name} = 0.7 * {name}"])
        known, self.indent = list(self.arrays), indent + 1
        body = self.expression(shape, 2)
        self.emit_lines(indent + 1, self.pick((
            [f"{name} = 0.6 * {name} + 0.2 * ({body}) / (i + 1)"], [f"{name}[i % {shape[0]}] += 0.1 * {name}[0] * {name}[-1]"],
            [f"{name} = np.tanh({name} + 0.1 * i)"], [f"if i == 1:", "    continue", f"{name} = {name} * (0.5 + 0.1 * i)"],
            [f"{name} = {name} * 0.5", f"if {name}.sum() > 3:", "    break"],
        )))  # fmt: skip
        self.branches = self.branches or "break" in self.lines[-1]
        self.arrays, self.indent = known, indent

    def branch(self, indent):
        self.branches = True
        name, shape = self.owned(indent)
        test = self.pick(("{}.sum() > 0", "{}.max() > 0.8", "abs({}).mean() < 0.5", "({} > -3).all()", "len({}) > 2", "np.any({} > 0.9)"))
        known, before = list(self.arrays), self.indent
        self.emit(indent, f"if {test.replace('{}', name)}:")
        self.indent = indent + 1
        self.emit(indent + 1, f"{name} = {self.expression(shape, 2)}")
        if self.chance(0.7):
            self.arrays = list(known)
            self.emit(indent, "else:")
            self.emit(indent + 1, f"{name} = {name} * 0.5 + {self.expression(shape, 1)}")
        self.arrays, self.indent = known, before

    def structure(self, indent):
        name, shape = self.owned(indent)
        result = self.fresh("v")
        lines = self.pick(tuple(form for form in (
            ["log = []", "try:", f"    {result} = np.sin({name})", "finally:", "    log.append('x')"],
            [f"kept = {{'a': {name}, 'b': [{name} * 2, 3]}}", f"{result} = kept['a'] * kept['b'][0]"],
            [f"layer = Layer(0.4)", f"{result} = layer(layer({name}))"],
            [f"{result} = sum(parts({name}))"], [f"{result} = (lambda q, s=0.3: q * s + np.cos(q))({name})"],
            ["def inner(q):", f"    return q * {name}.mean() + weight", f"{result} = inner(inner({name}))"],
            ["try:", f"    {result} = {name} * 2", "    raise ValueError('no')", "except ValueError:",
             f"    {result} = {result} * 0.25"],
            [f"{result} = np.zeros({shape})", f"for j in range({shape[0]}):", f"    {result}[j] = {name}[j] * {name}[j - 1]"],
            [f"pieces = [np.sin(q) for q in {name}]", f"pieces.append({name}[0])", f"{result} = np.stack(pieces)[1:]"],
            [f"first, *rest = {name}", f"{result} = np.stack([first * 2, *rest])"],
            [f"{result} = functools.reduce(lambda p, q: p * 0.5 + q, [{name}, {name} ** 2, np.cos({name})])"],
            [f"size = float({name}.sum())", f"{result} = {name} * math.tanh(size) + math.hypot(size, 0.5) * max(size, 0.2)"],
            [f"{result} = np.full({shape}, {name}.mean()) * {name} + np.full_like({name}, 0.3)"],
            [f"{result} = np.linspace({name}[0], {name}[-1] * 2, {shape[0]}) + {name}",],
            [f"total = 0.0", f"for entry in {name}.reshape(-1):", "    total += math.sin(float(entry)) * abs(entry.item())",
             f"{result} = {name} * total"],
            [f"{result} = {name}.astype(np.float32).astype(np.float64) * 0 + np.zeros_like({name}[::-1]) + {name}"],
            ["with np.errstate(all='ignore'):", f"    {result} = np.where({name} > 0, np.log({name} ** 2 + 0.1), {name})"],
        ) if self.dtype == "float64" or not any(word in line for word in NUMBERS_ONLY for line in form)))  # fmt: skip
        self.emit_lines(indent, lines)
        self.arrays.append((result, shape))

    def text(self):
        self.lines = ["import functools", "import math", *HEAD]
        shapes = [self.pick(self.shapes()[:8]) for _ in range(self.random.randint(1, 3))]
        names = [f"x{number}" for number in range(len(shapes))]
        self.arrays = list(zip(names, shapes))
        self.indent = 1
        self.emit(0, f"def f({', '.join(names)}):")
        steps = (self.define,) * 4 + (self.write, self.write, self.loop, self.branch, self.structure)
        for _ in range(self.random.randint(2, 7)):
            self.pick(steps)(1)
        last = self.arrays[-4:]
        real = "np.real({n} * (1 - 0.5j)).sum()" if self.dtype == "complex128" else "{n}.sum()"
        self.emit(1, "return " + " + ".join(
            "np.sin(" + real.replace("{n}", f"np.asarray({name})") + f" * 0.3 + {number})" for number, (name, _) in enumerate(last)))
        for _ in range(2):
            arguments = [f"make({shape}, {self.dtype!r}, {self.pick(('c', 'c', 'fortran', 'strided'))!r}, "
                         f"{self.random.randrange(300) * 3 + 1})" for shape in shapes]
            twice = "" if self.branches else ", twice=True"
            self.emit(0, f"differentiate(f, {', '.join(arguments)}{twice})")
        return "\n".join(self.lines) + "\n"
