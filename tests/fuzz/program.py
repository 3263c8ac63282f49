"""Random NumPy programs: from a seed, always the same text."""
import random

FLOATS = ("float64", "float32")
INTS = ("int64", "int32", "int16", "int8", "uint8", "uint16", "uint32", "uint64")
ODD = ("float16", "complex128", ">f8")
SIZES = {"n": (5, 7, 1, 0, 13), "m": (4, 6, 3, 1, 9), "k": (3, 2, 5, 4, 1)}
BIG = {"n": (300, 301, 257, 130, 411), "m": (400, 397, 512, 300, 260), "k": (3, 2, 4, 3, 2)}

FLOAT_UNARY = ("np.sqrt", "np.exp", "np.sin", "np.tanh", "np.log1p", "np.floor", "np.rint",
               "np.log", "np.cos", "np.expm1", "np.cbrt", "np.arctan", "np.trunc", "np.ceil",
               "np.reciprocal", "np.exp2", "np.log2", "np.isnan", "np.isfinite", "np.isinf",
               "np.signbit", "np.spacing", "np.deg2rad")
ANY_UNARY = ("np.abs", "np.square", "np.sign", "np.positive", "-", "+", "np.negative",
             "np.logical_not", "np.conjugate", "np.fabs")
BINARY = ("+", "-", "*", "/", "//", "%", "<", "<=", "==", "!=", ">", ">=", "**")
BINARY_CALLS = ("np.maximum", "np.minimum", "np.fmax", "np.fmin", "np.hypot", "np.arctan2",
                "np.logical_and", "np.logical_or", "np.copysign", "np.multiply", "np.add",
                "np.subtract", "np.true_divide", "np.floor_divide", "np.remainder", "np.fmod",
                "np.logaddexp", "np.power", "np.greater", "np.nextafter", "np.heaviside",
                "np.float_power", "np.divmod")
BITWISE = ("&", "|", "^", "<<", ">>")
REDUCTIONS = ("sum", "mean", "max", "min", "prod", "any", "all", "std", "var", "argmax", "argmin",
              "cumsum", "ptp")


class Array:
    """A variable that holds an array: symbolic shape, kind of elements (b, i or f)."""

    def __init__(self, text, shape, kind):
        self.text, self.shape, self.kind = text, shape, kind


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.seed = seed
        self.lines = []
        self.arrays = []
        self.numbers = []
        self.count = 0
        self.big = self.random.random() < 0.04

    def pick(self, items):
        return self.random.choice(items)

    def chance(self, probability):
        return self.random.random() < probability

    def fresh(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    def literal(self, kind="f"):
        if kind == "f" and self.chance(0.6):
            return self.pick(("0.5", "2.0", "-1.5", "0.0", "1e-3", "np.float32(0.3)", "3.0", "1e300",
                              "np.float64(1.25)", "float('inf')", "-0.0", "1.0"))
        return self.pick(("1", "2", "3", "-1", "0", "7", "True", "np.int8(3)", "np.int64(-2)", "5",
                          "100", "1000", "np.uint8(4)"))

    def number(self):
        if self.numbers and self.chance(0.5):
            return self.pick(self.numbers)
        return self.literal()

    # Expressions.

    def broadcast(self, a, b):
        rank = max(len(a), len(b))
        a = (1,) * (rank - len(a)) + a
        b = (1,) * (rank - len(b)) + b
        shape = []
        for x, y in zip(a, b):
            if x != y and x != 1 and y != 1:
                return None
            shape.append(y if x == 1 else x)
        # Of two big arrays no outer product: it may have more elements than there is time for.
        if self.big and self.spread(shape) > max(self.spread(a), self.spread(b)):
            return None
        return tuple(shape)

    @staticmethod
    def spread(shape):
        return sum(size != 1 for size in shape)

    def mate(self, a):
        """An array that broadcasts with `a`."""
        fits = [b for b in self.arrays if self.broadcast(a.shape, b.shape) is not None]
        return self.pick(fits) if fits else a

    def array(self, depth):
        if depth <= 0 or self.chance(0.15):
            return self.pick(self.arrays)
        makers = ((self.binary, 8), (self.unary, 4), (self.subscript, 4), (self.where, 1),
                  (self.reshaped, 2), (self.reduced, 2), (self.cast, 1), (self.created, 1),
                  (self.matmul, 0.5), (self.joined, 0.4), (self.helper, 1), (self.bitwise, 1))
        total = sum(weight for _, weight in makers)
        point = self.random.random() * total
        for maker, weight in makers:
            point -= weight
            if point <= 0:
                break
        made = maker(depth - 1)
        return made if made is not None else self.array(depth - 1)

    def binary(self, depth):
        a = self.array(depth)
        if self.chance(0.45):
            b, shape, kind = self.number(), a.shape, a.kind
        else:
            mate = self.mate(a) if self.chance(0.5) else self.array(depth)
            shape = self.broadcast(a.shape, mate.shape)
            if shape is None:
                mate = self.mate(a)
                shape = self.broadcast(a.shape, mate.shape)
            if len(shape) > 4:
                return None
            b, kind = mate.text, max(a.kind, mate.kind, key="bif".index)
        left, right = (a.text, b) if self.chance(0.7) else (b, a.text)
        if self.chance(0.75):
            op = self.pick(BINARY[:3] * 4 + BINARY)
            if kind == "b" and op in ("-", "//", "%", "**"):
                op = "+"
            if op == "**" and self.chance(0.8):
                left, right = a.text, self.pick(("2", "3", "0.5", "-1", "2.0", "1", "0"))
            kind = "b" if op in ("<", "<=", "==", "!=", ">", ">=") else "f" if op == "/" else kind
            return Array(f"({left} {op} {right})", shape, kind)
        name = self.pick(BINARY_CALLS)
        if kind == "b" and name not in ("np.logical_and", "np.logical_or", "np.maximum"):
            name = "np.logical_or"
        kind = "b" if "logical" in name or "greater" in name else kind
        if name == "np.divmod":
            return Array(f"np.divmod({left}, {right})[{self.pick('01')}]", shape, kind)
        extra = ""
        if self.chance(0.05):
            extra = self.pick((", dtype=np.float64", ", casting='unsafe'", ", where=True"))
        return Array(f"{name}({left}, {right}{extra})", shape, kind)

    def bitwise(self, depth):
        a = self.array(depth)
        if a.kind == "f":
            return None
        if self.chance(0.3):
            return Array(f"(~{a.text})", a.shape, a.kind)
        b = self.mate(a)
        text = b.text if b.kind != "f" and self.chance(0.6) else self.pick(("1", "3", "True"))
        shape = self.broadcast(a.shape, b.shape) if text == b.text else a.shape
        return Array(f"({a.text} {self.pick(BITWISE[:3] if a.kind == 'b' else BITWISE)} {text})",
                     shape, a.kind)

    def unary(self, depth):
        a = self.array(depth)
        if self.chance(0.5):
            name = self.pick(FLOAT_UNARY)
            kind = "b" if name in ("np.isnan", "np.isfinite", "np.isinf", "np.signbit") else "f"
            text = f"{name}({a.text})"
        else:
            name = self.pick(ANY_UNARY)
            if a.kind == "b":
                name = "np.logical_not"
            kind = "b" if name == "np.logical_not" else a.kind
            text = f"({name}{a.text})" if name in "+-" else f"{name}({a.text})"
        if self.chance(0.05):
            text = self.pick(("np.clip({}, -1, 2)", "np.clip({}, 0.5, None)", "{}.clip(-2, 2)",
                              "np.round({}, 1)", "{}.round()", "np.nan_to_num({})")).format(a.text)
            kind = a.kind
        return Array(text, a.shape, kind)

    def subscript(self, depth):
        a = self.pick(self.arrays) if self.chance(0.7) else self.array(depth)
        items, shape = [], []
        for size in a.shape:
            choice = self.random.random()
            if choice < 0.3:
                items.append(":")
                shape.append(size)
            elif choice < 0.4:
                items.append("::-1")
                shape.append(size)
            elif choice < 0.55:
                text = self.pick(("1:", ":-1", "::2", "1:3", ":2", "-2:", "::-2", "5:1:-1"))
                items.append(text)
                shape.append(f"{size}[{text}]" if size != 1 else f"1[{text}]")
            elif choice < 0.65:
                items.append(self.pick(("0", "-1", "0", "1")))
            elif choice < 0.75 and len(shape) < 4:
                items.append("None, :")
                shape += [1, size]
            else:
                items.append(":")
                shape.append(size)
        if not items:
            items = ["..."] if self.chance(0.5) else ["None"]
            shape = [] if items == ["..."] else [1]
        elif self.chance(0.1):
            while items and items[-1] == ":":
                items.pop()
            items.append("...")
        return Array(f"{a.text}[{', '.join(items)}]", tuple(shape), a.kind)

    def where(self, depth):
        a = self.array(depth)
        c, b = self.mate(a), self.mate(a)
        shape = self.broadcast(a.shape, b.shape)
        shape = shape is not None and self.broadcast(shape, c.shape)
        if shape is None or shape is False:
            return None
        other = b.text if self.chance(0.6) else self.number()
        if other != b.text:
            shape = self.broadcast(a.shape, c.shape)
        return Array(f"np.where({c.text} > {self.literal()}, {a.text}, {other})", shape, a.kind)

    def reshaped(self, depth):
        a = self.array(depth)
        form = self.random.randrange(8)
        size = "*".join(str(s) for s in a.shape) or "1"
        flat = (size,) if len(a.shape) != 1 else a.shape
        if form == 0:
            return Array(f"{a.text}.ravel()", flat, a.kind)
        if form == 1:
            return Array(f"{a.text}.reshape(-1)", flat, a.kind)
        if form == 2:
            return Array(f"{a.text}.reshape({a.text}.shape[::-1])", a.shape[::-1], a.kind)
        if form == 3 and len(a.shape) > 1:
            axes = list(range(len(a.shape)))
            self.random.shuffle(axes)
            return Array(f"{a.text}.transpose({', '.join(map(str, axes))})",
                         tuple(a.shape[i] for i in axes), a.kind)
        if form == 4:
            return Array(f"np.expand_dims({a.text}, 0)", (1,) + a.shape, a.kind)
        if form == 5 and len(a.shape) > 1:
            return Array(f"np.swapaxes({a.text}, 0, -1)",
                         (a.shape[-1],) + a.shape[1:-1] + (a.shape[0],), a.kind)
        if form == 6:
            return Array(f"{a.text}.copy()", a.shape, a.kind)
        return Array(f"{a.text}.T", a.shape[::-1], a.kind)

    def reduced(self, depth):
        a = self.array(depth)
        if not a.shape:
            return None
        name = self.pick(REDUCTIONS[:4] * 3 + REDUCTIONS)
        axis = self.random.randrange(len(a.shape))
        shown = axis - len(a.shape) if self.chance(0.3) else axis
        keep = name not in ("argmax", "argmin", "cumsum") and self.chance(0.4)
        kind = "b" if name in ("any", "all") else "f" if name in ("mean", "std", "var") else a.kind
        rest = ", keepdims=True" if keep else ""
        if name in ("std", "var") and self.chance(0.3):
            rest += ", ddof=1"
        if name in ("sum", "prod", "mean") and self.chance(0.1):
            rest += self.pick((", dtype=np.float32", ", dtype=np.float64", ", dtype=np.int64"))
        if name == "cumsum":
            shape = a.shape
        elif keep:
            shape = a.shape[:axis] + (1,) + a.shape[axis + 1:]
        else:
            shape = a.shape[:axis] + a.shape[axis + 1:]
        if self.chance(0.5):
            return Array(f"np.{name}({a.text}, axis={shown}{rest})", shape, kind)
        return Array(f"{a.text}.{name}(axis={shown}{rest})", shape, kind)

    def cast(self, depth):
        a = self.array(depth)
        dtype = self.pick(FLOATS * 3 + INTS + ("bool",))
        kind = "f" if dtype in FLOATS else "b" if dtype == "bool" else "i"
        form = self.pick((f"{a.text}.astype(np.{'bool_' if dtype == 'bool' else dtype})",
                          f"{a.text}.astype('{dtype}')",
                          f"np.asarray({a.text}, dtype='{dtype}')",
                          f"{a.text}.astype('{dtype}', copy=False)"))
        return Array(form, a.shape, kind)

    def created(self, depth):
        a = self.pick(self.arrays)
        form = self.pick(("np.zeros_like({})", "np.ones_like({})", "np.full_like({}, 2)",
                          "np.zeros({}.shape)", "np.ones({}.shape)", "np.full({}.shape, 3)",
                          "np.zeros_like({}) + 1", "np.ones({}.shape[::-1]).T",
                          "np.zeros({}.shape, dtype=np.int32)",
                          "np.arange({}.size).reshape({}.shape)"))
        return Array(f"({form.replace('{}', a.text)})", a.shape, a.kind)

    def matmul(self, depth):
        a = self.array(depth)
        if len(a.shape) != 2 or a.kind == "b":
            return None
        form = self.pick(("({0} @ {0}.T)", "np.dot({0}, {0}.T)", "np.matmul({0}, {0}.T)"))
        return Array(form.format(a.text), (a.shape[0], a.shape[0]), a.kind)

    def joined(self, depth):
        a = self.array(depth)
        if not a.shape:
            return None
        if self.chance(0.5):
            return Array(f"np.stack([{a.text}, {a.text}])", ("2",) + a.shape, a.kind)
        return Array(f"np.concatenate([{a.text}, {a.text}])", (f"2{a.shape[0]}",) + a.shape[1:],
                     a.kind)

    def helper(self, depth):
        a = self.array(depth)
        form = self.pick(("scale({})", "scale({}, 3)", "scale({}, by=0.5)", "shifted({})",
                          "twice(scale, {})", "(lambda v, w=1: v + w)({})",
                          "centred({})", "pair({})[0]", "scale(by=2, values={})"))
        if form in ("centred({})",):
            return Array(form.format(a.text), a.shape, "f")
        return Array(form.format(a.text), a.shape, "i" if a.kind == "b" else a.kind)

    def scalar(self, depth):
        """A number computed from an array."""
        a = self.array(depth)
        return self.pick(("{}.sum()", "float({}.sum())", "int({}.size)", "{}.ndim", "len({}.shape)",
                          "{}.mean()", "np.max({}, initial=0)", "{}.sum().item()", "({} > 0).sum()",
                          "np.std({})", "{}.size / 3", "{}.size % 3", "np.sum({}, dtype=np.float32)",
                          "np.dot({0}.ravel(), {0}.ravel())", "{}.shape[0] if {0}.ndim else 2",
                          )).replace("{0}", a.text).replace("{}", a.text)

    def condition(self):
        a = self.pick(self.arrays)
        return self.pick((f"{a.text}.any()", f"np.all({a.text} == {a.text})", f"{self.number()} > 1",
                          f"({a.text} > 0).any()", f"{a.text}.sum() > 0", f"{a.text}.size > 20",
                          f"{a.text}.ndim == {len(a.shape)}", f"{a.text}.size and {self.number()}",
                          f"{a.text}.dtype == np.float64", f"{a.text}.shape == {a.text}.T.shape",
                          f"not {self.number()}", f"bool({a.text}.size)"))

    # Statements.

    def emit(self, indent, text):
        self.lines.append("    " * indent + text)

    def assign(self, indent):
        value = self.array(3)
        if self.chance(0.25) and self.arrays:
            same = [a for a in self.arrays if a.shape == value.shape and a.kind == value.kind]
            if same:
                self.emit(indent, f"{self.pick(same).text} = {value.text}")
                return
        name = self.fresh("v")
        self.emit(indent, f"{name} = {value.text}")
        if indent == 1:
            self.arrays.append(Array(name, value.shape, value.kind))

    def assign_number(self, indent):
        name = self.fresh("s")
        if self.chance(0.7):
            self.emit(indent, f"{name} = {self.scalar(2)}")
        else:
            self.emit(indent, f"{name} = {self.number()} {self.pick('+-*/')} {self.number()}")
        if indent == 1:
            self.numbers.append(name)

    def in_place(self, indent):
        a = self.pick(self.arrays)
        smaller = [b for b in self.arrays if self.broadcast(a.shape, b.shape) == a.shape]
        value = self.pick(smaller).text if smaller and self.chance(0.6) else self.number()
        op = self.pick(("+=", "-=", "*=", "*=", "/=", "//=", "|=", "**=")[:4 if self.chance(.8) else 8])
        if op == "-=" and a.kind == "b":
            op = "|="
        self.emit(indent, f"{a.text} {op} {value}")

    def store(self, indent):
        a = self.pick(self.arrays)
        self.arrays, saved = [a], self.arrays
        target = self.subscript(0)
        self.arrays = saved
        fits = [b for b in self.arrays if self.broadcast(target.shape, b.shape) == target.shape]
        value = self.pick(fits).text if fits and self.chance(0.6) else self.literal("i")
        form = self.random.random()
        if form < 0.5:
            self.emit(indent, f"{target.text} = {value}")
        elif form < 0.75:
            self.emit(indent, f"{target.text} {self.pick(('+=', '*='))} {value}")
        elif form < 0.85:
            self.emit(indent, f"{a.text}[{a.text} > {self.literal()}] = {self.literal('i')}")
        else:
            name = self.fresh("w")
            self.emit(indent, f"{name} = {target.text}")
            self.emit(indent, f"{name} {self.pick(('+=', '*='))} {value}")
            if indent == 1:
                self.arrays.append(Array(name, target.shape, target.kind))

    def block(self, indent, header):
        self.emit(indent, header)
        for _ in range(self.random.randint(1, 2)):
            self.statement(indent + 1)

    def branch(self, indent):
        self.block(indent, f"if {self.condition()}:")
        if self.chance(0.5):
            self.block(indent, "else:")

    def loop(self, indent):
        name = self.fresh("i")
        self.emit(indent, f"for {name} in range({self.pick(('2', '3', '4'))}):")
        self.numbers.append(name)
        for _ in range(self.random.randint(1, 2)):
            self.statement(indent + 1)
        if self.chance(0.15):
            self.emit(indent + 1, f"if {self.condition()}: {self.pick(('break', 'continue'))}")
        self.numbers.remove(name)

    def errstate(self, indent):
        self.block(indent, "with np.errstate(" + self.pick((
            "all='ignore'", "all='raise'", "divide='raise'", "invalid='ignore', over='raise'",
            "under='warn'")) + "):")

    def attempt(self, indent):
        self.block(indent, "try:")
        self.emit(indent, "except (ValueError, FloatingPointError, TypeError, IndexError, "
                          "ZeroDivisionError) as error:")
        self.emit(indent + 1, "print('caught', type(error).__name__, error)")

    def show(self, indent):
        a = self.array(1)
        self.emit(indent, self.pick((f"show('mid', {a.text})", f"print({a.text}.shape)",
                                     f"show('number', {self.scalar(1)})")))

    def container(self, indent):
        a, b = self.array(2), self.array(2)
        first, second = self.fresh("v"), self.fresh("v")
        form = self.random.randrange(4)
        if form == 0:
            self.emit(indent, f"{first}, {second} = {a.text}, {b.text}")
        elif form == 1:
            self.emit(indent, f"items = [{a.text}, {b.text}]")
            self.emit(indent, f"{first}, {second} = items[1 - 1], items[-1]")
        elif form == 2:
            self.emit(indent, f"table = {{'a': {a.text}, 'b': {b.text}}}")
            self.emit(indent, f"{first}, {second} = table['a'], table.get('b')")
        else:
            self.emit(indent, f"{first} = [row * 2 for row in ({a.text}, {b.text})][0]")
            self.emit(indent, f"{second} = {b.text}")
        if indent == 1:
            self.arrays.append(Array(first, a.shape, a.kind))
            self.arrays.append(Array(second, b.shape, b.kind))

    def unused(self, indent):
        self.emit(indent, self.array(2).text)

    def faulty(self, indent):
        a = self.pick(self.arrays)
        self.emit(indent, self.pick((
            f"{a.text} + np.ones({a.text}.size + 2).reshape(2, -1)[:, 1:][:, :3][..., None, :]",
            f"{a.text}[99]", f"{a.text}.reshape(3, 3, 3, 7)", f"1 // {self.number()}",
            f"{a.text}.sum(axis=7)", f"bool({a.text})", f"{a.text}.nothing", f"int({a.text})",
            f"np.asarray([1, 2, 0]) // np.asarray([1, 0, 0])", f"np.asarray(3) % np.asarray(0)",
            f"np.asarray([1, 2]) @ np.asarray([1, 2, 3])", f"counter.append({a.text}.ndim)")))

    def statement(self, indent):
        kinds = ((self.assign, 10), (self.assign_number, 3), (self.in_place, 4), (self.store, 3),
                 (self.branch, 1.5), (self.loop, 1.2), (self.errstate, 0.7), (self.attempt, 0.7),
                 (self.show, 1), (self.container, 1), (self.unused, 0.6), (self.faulty, 0.35))
        if indent > 2:
            kinds = kinds[:4]
        weights = [weight for _, weight in kinds]
        self.random.choices([kind for kind, _ in kinds], weights)[0](indent)

    # The program.

    def parameters(self):
        symbols = ["n", "m", "k"]
        rank = self.pick((1, 1, 2, 2, 2, 3))
        base = tuple(symbols[:rank])
        shapes = [base]
        for _ in range(self.random.randint(0, 2)):
            shapes.append(tuple(1 if self.chance(0.25) else s
                                for s in base[self.random.randint(0, rank) if self.chance(.3) else 0:]))
        made = []
        for shape in shapes:
            kind = self.pick("fffffiiib")
            name = self.fresh("x")
            made.append(Array(name, shape, kind))
        return made

    def dtype(self, kind):
        if self.chance(0.02):
            return self.pick(ODD)
        return self.pick(FLOATS if kind == "f" else INTS if kind == "i" else ("bool",))

    def input(self, array, sizes, dtype, layout):
        shape = ", ".join("1" if s == 1 else str(sizes[s]) for s in array.shape)
        shape = f"({shape},)" if array.shape else "()"
        return f"make({shape}, {dtype!r}, {layout!r}, {self.random.randrange(1000)})"

    def calls(self, parameters, numbers):
        table = BIG if self.big else SIZES
        sizes = {s: values[0] for s, values in table.items()}
        dtypes = [self.dtype(p.kind) for p in parameters]
        layouts = [self.pick(("c", "c", "fortran", "transposed", "strided")) for _ in parameters]

        def one(count, sizes, dtypes, layouts):
            for _ in range(count):
                args = [self.input(p, sizes, d, l) for p, d, l in zip(parameters, dtypes, layouts)]
                args += [self.pick(("2", "3", "0.5", "-1", "True", "np.float32(2)", "0"))
                         if self.chance(0.3) else "2" for _ in numbers]
                self.emit(0, f"call('f', f, {', '.join(args)})")

        from observe import LAYOUTS
        one(3, sizes, dtypes, layouts)
        for _ in range(1 if self.big else 3):
            other = {s: self.pick(values) for s, values in table.items()}
            one(1, other, dtypes, layouts)
        one(2, sizes, dtypes, [self.pick(LAYOUTS) for _ in parameters])
        one(2, sizes, [self.dtype(p.kind) for p in parameters], layouts)
        one(1, {s: self.pick(v) for s, v in table.items()},
            [self.dtype(self.pick("fib")) for _ in parameters],
            [self.pick(LAYOUTS) for _ in parameters])
        one(1, sizes, dtypes, layouts)

    def prelude(self):
        return [
            "counter = []",
            "offset = 1.5",
            "def scale(values, by=2):", "    return values * by",
            "def shifted(values):", "    return values + offset",
            "def twice(function, values):", "    return function(function(values))",
            "def centred(values):", "    return values - values.mean()",
            "def pair(values):", "    return values + 1, values.sum()",
        ]

    def postlude(self):
        self.emit(0, "show('counter', counter)")

    def text(self):
        self.lines = self.prelude()
        parameters = self.parameters()
        numbers = ["c1"] if self.chance(0.5) else []
        self.numbers = list(numbers)
        self.arrays = list(parameters)
        self.emit(0, f"def f({', '.join([p.text for p in parameters] + numbers)}):")
        for _ in range(self.random.randint(2, 7)):
            self.statement(1)
        results = [a.text for a in self.arrays[len(parameters):]] or [self.array(2).text]
        results += self.numbers
        if self.chance(0.5):
            results = results[-3:]
        self.emit(1, f"return {', '.join(results)}")
        if self.chance(0.06):
            self.emit(0, self.pick(("warnings.simplefilter('error')", "np.seterr(all='raise')",
                                    "np.setbufsize(16)", "np.seterr(all='ignore')",
                                    "warnings.simplefilter('default')")))
        self.calls(parameters, numbers)
        self.postlude()
        return "\n".join(self.lines) + "\n"


# The families of programs: the first seed of each, its module and class, in the seeds' order.
FAMILIES = (
    (0, "program", "Program"),
    (1_000_000, "language", "LanguageProgram"),
    (5_000_000, "stateful", "StatefulProgram"),
    (10_000_000, "mixed", "MixedProgram"),
    (20_000_000, "elements", "ElementProgram"),
    (21_000_000, "wide_elements", "WideElementProgram"),
    (22_000_000, "loop_bounds", "LoopBoundProgram"),
    (30_000_000, "structured", "StructuredProgram"),
    (40_000_000, "method_elements", "MethodElementProgram"),
    (50_000_000, "slices_1d", "Slice1dProgram"),
    (60_000_000, "products", "ProductProgram"),
    (70_000_000, "identity", "IdentityProgram"),
    (71_000_000, "float_errors", "FloatErrorProgram"),
    (72_000_000, "concurrency", "ConcurrencyProgram"),
    (73_000_000, "array_kinds", "ArrayKindProgram"),
    (74_000_000, "library_calls", "LibraryCallProgram"),
    (75_000_000, "gradients", "GradientProgram"),
    (76_000_000, "branches", "BranchProgram"),
    (80_000_000, "bytecode", "BytecodeProgram"),
    (85_000_000, "mutations", "MutationProgram"),
    (90_000_000, None, None),
)


def family(seed):
    """The name of the family whose seeds `seed` is one of."""
    return [name for first, name, _ in FAMILIES if first <= seed][-1]


def generate(seed):
    """The program of a seed, of the family that has it."""
    import importlib
    name = family(seed)
    maker = next(maker for _, module, maker in FAMILIES if module == name)
    return getattr(importlib.import_module(name), maker)(seed).text()


if __name__ == "__main__":
    import sys
    print(generate(int(sys.argv[1])), end="")
