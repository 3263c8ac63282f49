"""Random programs of matrix products and what goes along rows before and after them: layers, attentions, projections, decompositions."""
from program import Array, Program

DTYPES = ("np.float32",) * 5 + ("np.float64",) * 4 + ("np.int64", "np.int32", "np.complex128", "np.float16")
LAYOUTS = ("c",) * 8 + ("fortran", "transposed", "strided", "negative", "offset", "broadcast", "readonly")
# By what they are called in a program; the second ones in programs whose blocks of rows do not fit into a cache.
SMALL = {"b": (2, 3, 1, 4), "g": (2, 1, 3, 2), "n": (7, 12, 1, 33, 0), "m": (5, 9, 1, 16), "k": (3, 8, 1, 17), "h": (2, 1, 4, 3)}
LARGE = {"b": (2, 3, 1, 4), "g": (2, 1, 3, 2), "n": (130, 257, 64, 200), "m": (200, 128, 65, 130), "k": (16, 64, 24, 3), "h": (40, 64, 8, 90)}

UNARY = ("np.exp({} - {}.max(axis=-1, keepdims=True))", "np.tanh({})", "np.maximum({}, 0)", "{} * 2 - {}", "np.abs({})", "-{}", "{} + 1",
         "{} * {}", "np.square({})", "np.where({} > 0, {}, {} * 0.5)", "{}.copy()", "np.ascontiguousarray({})", "{}.astype(np.float64)",
         "np.sqrt(np.abs({}))", "{} / np.linalg.norm({})", "np.clip({}, -1, 2)")
ALONG_ROWS = ("{} - {}.mean(axis=-1, keepdims=True)", "{} / {}.sum(axis=-1, keepdims=True)", "{} - {}.max(axis=-1, keepdims=True)",
              "{} / np.sqrt((({}) ** 2).mean(axis=-1, keepdims=True) + 1e-5)", "{} / ({}.std(axis=-1, keepdims=True) + 1)",
              "{} - {}.min(axis=-1)[..., None]", "{} * {}.argmax(axis=-1)[..., None]", "np.cumsum({}, axis=-1)",
              "{} - {}.mean(axis=0)", "{} * ({} == {}.max(axis=-1, keepdims=True))")
TO_NUMBERS = ("{}.sum(axis=-1)", "{}.max()", "{}.mean(axis=0)", "{}.sum()", "{}.argmin(axis=-1)", "np.trace(np.atleast_2d({}))", "{}.shape",
              "float(np.ravel({})[0]) if {}.size and {}.dtype.kind == 'f' else 0", "np.linalg.norm({})", "{}.strides", "{}.std(axis=-1)")


class ProductProgram(Program):
    def __init__(self, seed):
        super().__init__(seed)
        self.sizes = LARGE if self.chance(0.08) else SMALL
        self.dtype = self.pick(DTYPES)
        self.params = []  # (name, shape)

    def param(self, shape):
        """An argument of that shape: perhaps one that is there already."""
        known = [name for name, other in self.params if other == shape]
        if known and self.chance(0.3):
            return self.pick(known)
        name = self.fresh("w")
        self.params.append((name, shape))
        return name

    def emit(self, text):
        self.lines.append("    " + text)

    def define(self, text, shape):
        name = self.fresh("x")
        self.emit(f"{name} = {text}")
        self.arrays.append(Array(name, shape, "f"))

    def recent(self):
        return self.pick(self.arrays[-3:])

    def product(self):
        left = self.recent()
        inner, columns = left.shape[-1], self.pick("nmkhkh")
        lead = left.shape[:-2] if self.chance(0.3) else ()
        kind = self.random.random()
        fitting = [a for a in self.arrays if len(a.shape) >= 2 and a.shape[-2] == inner and a.shape[:-2] in ((), left.shape[:-2])]
        if kind < 0.15:  # with itself
            turned = f"{left.text}.swapaxes(-1, -2)"
            return self.define(f"{left.text} @ {turned}", left.shape[:-1] + left.shape[-2:-1])
        if kind < 0.3 and fitting:
            right = self.pick(fitting)
            return self.define(f"{left.text} @ {right.text}", left.shape[:-1] + right.shape[-1:])
        if kind < 0.4:
            return self.define(f"np.matmul({left.text}, {self.param((inner, columns))})", left.shape[:-1] + (columns,))
        if kind < 0.5:
            right = self.param((inner, columns))
            return self.define(f"np.einsum('...i,ij->...j', {left.text}, {right})" if self.chance(0.3)
                               else f"np.dot({left.text}, {right})", left.shape[:-1] + (columns,))
        if kind < 0.75:
            return self.define(f"{left.text} @ {self.param(lead + (inner, columns))}", left.shape[:-1] + (columns,))
        right = self.param(lead + (columns, inner))
        return self.define(f"{left.text} @ {right}.swapaxes(-1, -2)", left.shape[:-1] + (columns,))

    def elementwise(self):
        array = self.recent()
        text = self.pick(UNARY if self.chance(0.6) else ALONG_ROWS)
        self.define(text.replace("{}", array.text), array.shape)

    def pair(self):
        array = self.recent()
        others = [a.text for a in self.arrays if a.shape == array.shape] + [self.param(array.shape[-1:]), self.param(array.shape)]
        self.define(f"{array.text} {self.pick('+-*+')} {self.pick(others)}", array.shape)

    def softmax(self):
        array = self.recent()
        self.emit(f"e = np.exp({array.text} - {array.text}.max(axis=-1, keepdims=True))")
        self.define("e / e.sum(axis=-1, keepdims=True)", array.shape)

    def change(self):
        """A store, into what was computed or came in."""
        array = self.recent()
        target = array.text if self.chance(0.7) else self.pick(self.params)[0]
        self.emit(self.pick((f"{target} += 1", f"{target}[..., :1] = {target}[..., -1:]", f"{target}[...] *= 2", f"{target}[:1] -= {target}[-1:]",
                             f"{target}[{target} > 1] = 0", f"np.negative({target}, out={target})")))

    def view(self):
        array = self.recent()
        kind = self.pick(("[::-1]", "[..., ::-1]", ".reshape(-1, {})", "[..., :, :]", ".swapaxes(-1, -2)", ".copy(order='F')"))
        if "reshape" in kind:
            return self.define(array.text + f".reshape(-1, {array.text}.shape[-1])", ("?",) + array.shape[-1:])
        shape = array.shape[:-2] + array.shape[:-3:-1] if "swap" in kind else array.shape
        return self.define(array.text + kind, shape)

    def look(self):
        array = self.recent()
        name = self.fresh("s")
        self.emit(f"{name} = {self.pick(TO_NUMBERS).replace('{}', array.text)}")
        self.numbers.append(name)

    STEPS = (("product", 8), ("elementwise", 5), ("pair", 3), ("softmax", 2), ("change", 1), ("view", 1), ("look", 1))

    def function(self):
        shape = self.pick(((), (), ("b",), ("b", "g"))) + ("n", self.pick("mkh"))
        first = self.param(shape)
        self.arrays.append(Array(first, shape, "f"))
        names = [name for name, count in self.STEPS for _ in range(count)]
        for _ in range(self.random.randint(2, 10)):
            getattr(self, self.pick(names))()
        results = [self.arrays[-1].text] + [a.text for a in self.arrays if self.chance(0.2)] + self.numbers
        self.emit(f"return {', '.join(results)}")

    def argument(self, shape, turn):
        sizes = [self.sizes[name][turn % len(self.sizes[name])] for name in shape]
        dtype = self.dtype if self.chance(0.9) else self.pick(DTYPES)
        seed = self.random.randrange(1000) if self.chance(0.5) else self.random.randrange(300) * 3 + 1  # without NaNs and the like
        return f"make({tuple(sizes)}, {dtype}, {self.pick(LAYOUTS)!r}, {seed})"

    def text(self):
        self.function()
        params = [param for param in self.params if "?" not in param[1]]
        missing = [f"{name} = 2" for name, shape in self.params if "?" in shape]
        head = f"def f({', '.join([name for name, _ in params] + [text.replace(' ', '') for text in missing])}):"
        calls = []
        turns = [0, 0, self.random.randrange(4), self.random.randrange(4)]
        for number, turn in enumerate(turns[:3 if self.sizes is LARGE else 4]):
            calls.append(f"call('call {number}', f, {', '.join(self.argument(shape, turn) for _, shape in params)})")
        return "\n".join([head, *self.lines, *calls]) + "\n"
