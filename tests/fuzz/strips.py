"""Random loops over single elements that compute with rows, columns and parts of them, too."""
from elements import ElementProgram

STRIP_DTYPES = ("float64",) * 12 + ("float32", "int64", "complex128", "bool")
FUNCTIONS = ("np.sqrt(np.abs({}))", "np.exp(np.minimum({}, 5.0))", "np.abs({})", "-({})", "np.tanh({})", "({}) ** 2", "np.square({})",
             "np.maximum({}, 0.5)", "np.sin({})", "np.log({})", "np.negative({})", "np.floor({})", "np.hypot({}, 2)", "({}) ** 0.5",
             "np.sign({})", "np.isnan({})", "np.sqrt({})")
WHOLE = ("({}).sum()", "np.sum({})", "np.max({})", "({}).min()", "({}).max()", "np.min({})", "len({})", "({}).mean()", "np.prod({})",
         "np.argmax({})", "({}).dot({})", "np.dot({}, {})", "({} @ {})", "np.dot({}, {})", "({} @ {})", "({}).size")


class StripProgram(ElementProgram):
    def bound(self):
        if self.chance(0.3):
            return ""
        if self.indices and self.chance(0.7):
            return self.pick((self.pick(self.indices), f"{self.pick(self.indices)} + 1", f"-{self.pick(self.indices)}"))
        return self.pick(("1", "-1", "2", "n", "n // 2", "0", "30", "-30", "None", "True"))

    def part(self):
        step = self.pick(("", "", "", "", "", ":", ":1", ":2", ":3", ":-1"))
        return f"{self.bound()}:{self.bound()}{step}"

    def strip(self, parted=0.75):
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

    def same(self, strip):
        """Another one that is likely of its size: with the same part of an axis."""
        part = strip[strip.index("["):] if "[" in strip else "[:]"
        wanted = 2 if "," in part or part.count("[") > 1 or ":" not in part else 1
        arrays = [a for a in self.arrays if len(a.shape) == wanted]
        if ":" not in part:
            return strip
        pieces = [piece.strip() for piece in part.strip("[]").replace("][", ", ").split(",")]
        sliced = next(piece for piece in pieces if ":" in piece)
        kind = self.random.random()
        if kind < 0.3:
            flat = [a for a in self.arrays if len(a.shape) == 1]
            return f"{self.pick(flat).text}[{sliced}]" if flat else strip
        arrays = [a for a in self.arrays if len(a.shape) == 2] or arrays
        if kind < 0.85 and arrays and len(arrays[0].shape) == 2:
            indices = [sliced, self.index()]
            return f"{self.pick(arrays).text}[{', '.join(indices if self.chance(0.4) else indices[::-1])}]"
        return self.strip()

    def strips(self, model, depth=2):
        """An expression of strips of the size of `model`."""
        kind = self.random.random()
        if depth == 0 or kind < 0.3:
            return model if self.chance(0.3) else self.same(model)
        if kind < 0.65:
            return f"({self.strips(model, depth - 1)} {self.pick(('+', '-', '*', '/', '*', '+', '//'))} {self.strips(model, depth - 1)})"
        if kind < 0.85:
            pair = [self.value(1), self.strips(model, depth - 1)]
            if self.chance(0.5):
                pair.reverse()
            return f"({pair[0]} {self.pick(('+', '-', '*', '/'))} {pair[1]})"
        return self.pick(FUNCTIONS).format(self.strips(model, depth - 1))

    def value(self, depth=2):
        if depth and self.chance(0.12):
            model = self.strip()
            text = self.pick(WHOLE)
            return text.format(*[self.strips(model, 1) for _ in range(text.count("{}"))])
        return super().value(depth)

    def statement(self, indent):
        if not self.chance(0.4):
            return super().statement(indent)
        model = self.strip()
        kind = self.random.random()
        if kind < 0.45:
            self.emit(indent, f"{model} {self.pick(('=', '+=', '-=', '*=', '/=', '**='))} "
                              f"{self.strips(model) if self.chance(0.8) else self.value(1)}".replace("**= ", "**= 2  #"))
        elif kind < 0.75:
            self.emit(indent, f"{model} = {self.strips(model)}")
        elif kind < 0.85:
            self.emit(indent, f"{self.element()} = {self.value()}")
        elif kind < 0.95:
            name = self.fresh("r")
            self.emit(indent, f"{name} = {self.strips(model)}")
            self.emit(indent, self.pick((f"{name} += {self.value(1)}", f"{model} = {name}", f"counter.append(np.sum({name}))")))
        else:
            self.emit(indent, f"counter.append({self.strips(model)})")

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
