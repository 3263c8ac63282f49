"""Random loops over single elements that compute with rows, columns and parts of them, too."""
from elements import ElementProgram
from program import Array

SLICE_DTYPES = ("float64",) * 12 + ("float32", "int64", "complex128", "bool")
FUNCTIONS = ("np.sqrt(np.abs({}))", "np.exp(np.minimum({}, 5.0))", "np.abs({})", "-({})", "np.tanh({})", "({}) ** 2", "np.square({})",
             "np.maximum({}, 0.5)", "np.sin({})", "np.log({})", "np.negative({})", "np.floor({})", "np.hypot({}, 2)", "({}) ** 0.5",
             "np.sign({})", "np.isnan({})", "np.sqrt({})")
WHOLE = ("({}).sum()", "np.sum({})", "np.max({})", "({}).min()", "({}).max()", "np.min({})", "len({})", "({}).mean()", "np.prod({})",
         "np.argmax({})", "({}).argmin()", "np.mean({})", "np.linalg.norm({})", "({}).dot({})", "np.dot({}, {})", "({} @ {})", "np.dot({}, {})", "({} @ {})", "({}).size",
         "({}).std()", "np.var({})", "np.std({})", "np.median({})", "np.median({})")


NEW = ("np.zeros(n)", "np.zeros_like({})", "np.ones_like({})", "np.full({}, 0.5)", "({}).copy()", "np.array([{}, 1.0, {}])",
       "np.cross({}[:3], {}[-3:])", "np.copy({})")


class Slice1dProgram(ElementProgram):
    def __init__(self, seed):
        super().__init__(seed)
        self.named = []  # variables that hold rows

    def prelude(self):
        kind = self.pick(("int64", "int64", "int32", "int16", "int8"))
        return [*super().prelude(), f"ks = np.array([0, 2, -1, 3, 1, 5, -3, 4, 2, 2, 0, 1], '{kind}')", "ps = np.array([0, 2, 2, 5, 9, 12, 12])"]

    def body(self, indent):
        known = list(self.arrays), list(self.named)
        super().body(indent)
        self.arrays, self.named = known

    def loop(self, indent):
        if self.chance(0.4):
            self.name_row(indent)
        super().loop(indent)

    def name_row(self, indent):
        """A variable gets a row, or another name of one; or one that it has changes."""
        if self.named and self.chance(0.35):
            name = self.pick(self.named)
            self.emit(indent, self.pick((
                f"{name} {self.pick(('+=', '-=', '*=', '/='))} {self.slices_1d(name, 1) if self.chance(0.6) else self.value(1)}",
                f"{name}[{self.part()}] = {self.slices_1d(name, 1) if self.chance(0.5) else self.value(1)}",
                f"{name}[{self.index()}] {self.pick(('=', '+='))} {self.value(1)}",
                f"{name}, {self.pick(self.named)} = {self.pick(self.named)}, {name}",
                f"counter.append({name} is {self.pick(self.named)})",
                f"counter.append(({name}, {name}.base is None, {name}.flags.owndata))",
            )))
            return
        model = self.slice_1d()
        kind = self.random.random()
        if kind < 0.3:
            text = self.slices_1d(model)
        elif kind < 0.5:
            text = model
        elif kind < 0.7 and self.named:
            text = self.pick(self.named)
        elif kind < 0.8:
            text = f"({self.slices_1d(model, 1)} if {self.test()} else {self.slices_1d(model, 1)})"
        else:
            text = self.pick(NEW)
            fill = self.index() if "full" in text else self.value(0) if "array" in text else model
            text = text.replace("{}", fill)
        name = self.pick(self.named) if self.named and self.chance(0.5) else self.fresh("r")
        self.emit(indent, f"{name} = {text}")
        if name not in self.named:
            self.named.append(name)
            self.arrays.append(Array(name, ("n",), "f"))

    def bound(self):
        if self.chance(0.3):
            return ""
        if self.indices and self.chance(0.7):
            return self.pick((self.pick(self.indices), f"{self.pick(self.indices)} + 1", f"-{self.pick(self.indices)}"))
        return self.pick(("1", "-1", "2", "n", "n // 2", "0", "30", "-30", "None", "True"))

    def part(self):
        step = self.pick(("", "", "", "", "", ":", ":1", ":2", ":3", ":-1", ":-1", ":-2"))
        return f"{self.bound()}:{self.bound()}{step}"

    def slice_1d(self, parted=0.75):
        """An array, row or column, or part of one."""
        array = self.pick(self.arrays)
        if len(array.shape) == 1:
            return f"{array.text}[{self.part()}]" if self.chance(parted) else array.text
        part = self.part() if self.chance(parted) else ":"
        kind = self.random.random()
        if kind < 0.4:
            return f"{array.text}[{self.index()}, {part}]"
        if kind < 0.75:
            return f"{array.text}[{part}, {self.index()}]"
        if kind < 0.85:
            return f"{array.text}[{self.index()}][{part}]"
        return f"{array.text}[{self.index()}]" if kind < 0.97 else f"{array.text}[{part}]"

    def same(self, slice_1d):
        """Another one that is likely of its size: with the same part of an axis."""
        part = slice_1d[slice_1d.index("["):] if "[" in slice_1d else "[:]"
        wanted = 2 if "," in part or part.count("[") > 1 or ":" not in part else 1
        arrays = [a for a in self.arrays if len(a.shape) == wanted]
        if ":" not in part:
            return slice_1d
        pieces = [piece.strip() for piece in part.strip("[]").replace("][", ", ").split(",")]
        sliced = next(piece for piece in pieces if ":" in piece)
        kind = self.random.random()
        if kind < 0.3:
            flat = [a for a in self.arrays if len(a.shape) == 1]
            return f"{self.pick(flat).text}[{sliced}]" if flat else slice_1d
        arrays = [a for a in self.arrays if len(a.shape) == 2] or arrays
        if kind < 0.85 and arrays and len(arrays[0].shape) == 2:
            indices = [sliced, self.index()]
            return f"{self.pick(arrays).text}[{', '.join(indices if self.chance(0.4) else indices[::-1])}]"
        return self.slice_1d()

    def slices_1d(self, model, depth=2):
        """An expression of 1-D slices of the size of `model`."""
        kind = self.random.random()
        if depth == 0 or kind < 0.3:
            return model if self.chance(0.3) else self.same(model)
        if kind < 0.65:
            return f"({self.slices_1d(model, depth - 1)} {self.pick(('+', '-', '*', '/', '*', '+', '//'))} {self.slices_1d(model, depth - 1)})"
        if kind < 0.85:
            pair = [self.value(1), self.slices_1d(model, depth - 1)]
            if self.chance(0.5):
                pair.reverse()
            return f"({pair[0]} {self.pick(('+', '-', '*', '/'))} {pair[1]})"
        return self.pick(FUNCTIONS).format(self.slices_1d(model, depth - 1))

    def indices_of(self):
        """A row of ints that name elements; now and then some that do not."""
        start, stop = self.pick(("", "1", "2")), self.pick(("4", "5", "-1", ""))
        kind = self.random.random()
        if self.indices and kind < 0.5:
            return f"ks[ps[{self.pick(self.indices)} % 6]:ps[{self.pick(self.indices)} % 6 + 1]]"
        if self.indices and kind < 0.7:
            return f"ks[{self.pick(self.indices)}:{self.pick(('', '-1', '9', self.pick(self.indices) + ' + 2'))}]"
        return f"ks[{start}:{stop}]" if kind < 0.9 else "ks"

    def gather(self):
        flat = [a for a in self.arrays if len(a.shape) == 1]
        row = self.pick(flat).text if flat else self.slice_1d(0)
        return f"{row}[{self.indices_of()}]"

    def value(self, depth=2):
        if depth and self.chance(0.08):
            at = self.indices_of()
            return self.pick((f"({self.gather()}).sum()", f"({self.gather()} * 0.5).sum()", f"len({at})", f"({at}).size", f"{at}[0]",
                              f"{at}[{self.index()}]", f"np.max({self.gather()})", f"{self.gather()}[-1]"))
        if depth and self.chance(0.12):
            model = self.slice_1d()
            text = self.pick(WHOLE)
            return text.format(*[self.slices_1d(model, 1) for _ in range(text.count("{}"))])
        return super().value(depth)

    def statement(self, indent):
        if self.indices and self.chance(0.25):
            return self.name_row(indent)
        if self.chance(0.1):
            target, at = self.gather(), self.indices_of()
            self.emit(indent, self.pick((
                f"{target} {self.pick(('=', '+=', '*='))} {self.value(1)}",
                f"{target} = {target} {self.pick(('+', '*'))} 0.5",
                f"counter.append({self.gather()})",
                f"ks[{self.index()}] = {self.pick(('1', '-2', 'n - 1'))}",
                f"js = {at}; js[0] = js[-1]",
                f"for j in {at}: counter.append(j)",
                f"for j, x in zip({at}, {self.slice_1d()}): counter.append(x + j)",
                f"counter.append(({at}, {at}.base is None))",
            )))
            return
        if not self.chance(0.4):
            return super().statement(indent)
        model = self.slice_1d()
        kind = self.random.random()
        if kind < 0.45:
            self.emit(indent, f"{model} {self.pick(('=', '+=', '-=', '*=', '/=', '**='))} "
                              f"{self.slices_1d(model) if self.chance(0.8) else self.value(1)}".replace("**= ", "**= 2  #"))
        elif kind < 0.75:
            self.emit(indent, f"{model} = {self.slices_1d(model)}")
        elif kind < 0.85:
            self.emit(indent, f"{self.element()} = {self.value()}")
        elif kind < 0.95:
            name = self.fresh("r")
            self.emit(indent, f"{name} = {self.slices_1d(model)}")
            self.emit(indent, self.pick((f"{name} += {self.value(1)}", f"{model} = {name}", f"counter.append(np.sum({name}))")))
        else:
            self.emit(indent, f"counter.append({self.slices_1d(model)})")

    def calls(self, parameters, others):
        """Most arrays of float64, some long enough for sums to be cut into blocks; now and then two that share memory."""
        super().calls(parameters, others)
        lines, first = [], len(self.lines) - 6
        for number, line in enumerate(self.lines):
            if number >= first:
                for name in ("float32", "int64", "int32", "int8", "uint8", "uint32", "bool", "uint64", "float16"):
                    if self.chance(0.85):
                        line = line.replace(repr(name), "'float64'")
                if self.chance(0.15):
                    line = line.replace("((6", "((150").replace(", 6)", ", 150)")
                if len(parameters) > 1 and len(parameters[0].shape) == len(parameters[1].shape) and self.chance(0.2):
                    line = line.replace("call('f', f, ", "call('f', lambda a, *rest: f(a, a[::-1], *rest[1:]), ")
            lines.append(line)
        self.lines = lines
