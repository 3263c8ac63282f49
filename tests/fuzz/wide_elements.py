"""Random loops over single elements that call functions, look into objects, pack tuples, and meet arrays by two names."""
from elements import DTYPES, ElementProgram

ALL_DTYPES = DTYPES + ("int16", "uint16", "int8", "bool", "complex128")
CONDITIONS = ("x > y", "x == 0", "x < 1 and y > 0", "not x", "x is None", "x != x", "y >= 2 or x <= -1")
TERMS = ("x", "y", "x", "y", "z", "2", "0.5", "-1", "weight", "limit", "math.pi", "3.0", "7", "steps[0]")
JOINED = ("{} + {}", "{} - {}", "{} * {}", "({} + {}) * 0.5", "{} / ({} or 1)", "{} // ({} or 2)", "{} % ({} or 7)", "min({}, {})",
          "max({}, {})", "{} if x > 1 else {}", "math.hypot({}, {})", "math.atan2({}, {})", "abs({} - {})",
          "divmod({}, {} or 3)[0]", "({}) * ({}) + 1", "math.copysign({}, {})", "math.fmod({}, {} or 1)", "{} and {}", "{} or {}")
ALONE = ("abs({})", "int({})", "float({})", "math.sin({})", "math.sqrt(abs({}))", "-({})", "round({})", "math.floor({})",
         "bool({})", "math.log(abs({}) + 1)", "math.exp(min({}, 9))", "math.degrees({})", "math.trunc({})", "math.isnan({})",
         "math.log2(abs({}) + 0.5)", "math.isinf({})", "math.log10({})", "math.cbrt({})", "math.gcd(int({}), 12)", "math.radians({})",
         "math.isfinite({})", "math.log1p(abs({}))", "math.expm1(-abs({}))", "math.isqrt(abs(int({})))", "math.ceil({})", "np.sign({})")
CLASSES = '''
class Point:
    {slots}
    def __init__(self, x, y, items):
        self.x, self.y, self.items, self.k = x, y, items, 1
    def __repr__(self):
        return f"Point({{self.x!r}}, {{self.y!r}}, {{self.items!r}}, {{self.k!r}}, {{getattr(self, 'late', None)!r}})"
    def norm(self, scale=2):
        return self.x * self.x + self.y * scale
    def move(self, step):
        self.x += step
    def both(self):
        return self.x, self.y
'''
POINTS = ("Point(1.5, -2.0, [1, 2, 3])", "Point(1, 2, [0.5] * 7)", "Point(np.float64(3), 0.25, [])", "Point(2.0, True, [1, 2])",
          "Point(2**62, 1.5, [7])")
PAIRS = ("[(1, 2), (3, 4), (5, 6)]", "[(i * 0.5, -i) for i in range(7)]", "[(1.5, 2), (3, 4.0)]", "[]", "[(1, 2, 3)]",
         "[(float(i), float(i * i)) for i in range(7)]", "[[1, 2], [3, 4]]")
TABLES = ("{0: 1, 1: 2, 2: 0.5}", "{'a': 1, 'b': 2, 'c': 3}", "{i: i * i for i in range(9)}", "{}")


class WideElementProgram(ElementProgram):
    def __init__(self, seed):
        super().__init__(seed)
        self.helpers = []  # names, with how many arguments and results
        self.points, self.pairs, self.tables = [], [], []
        self.tuples = []

    def prelude(self):
        lines = ["import math", "import random", "random.seed(3)", "limit = 3", "weight = 0.75"]
        lines += CLASSES.format(slots=self.pick(("", "", "__slots__ = ('x', 'y', 'items', 'k')"))).splitlines()
        for _ in range(self.pick((1, 2, 3))):
            lines += self.helper()
        return lines

    # Functions.

    def term(self, depth=2):
        if depth == 0 or self.chance(0.25):
            return self.pick(TERMS)
        if self.helpers and self.chance(0.12):
            name, count, results = self.pick(self.helpers)
            if results == 1:
                return f"{name}({', '.join(self.term(depth - 1) for _ in range(count))})"
        if self.chance(0.7):
            return "(" + self.pick(JOINED).format(self.term(depth - 1), self.term(depth - 1)) + ")"
        return self.pick(ALONE).format(self.term(depth - 1))

    def helper(self):
        """The lines of a function of one to three numbers."""
        name, count = f"h{len(self.helpers)}", self.pick((1, 2, 2, 3))
        names = ["x", "y", "z"][:count]
        rest = ["x", "y", "z"][count:]
        defaults = [f"{n}={self.pick(('1', '0.5', '-2', 'None', '3.0', 'limit'))}" for n in rest]
        lines = [f"def {name}({', '.join(names + defaults)}):"]
        if self.chance(0.3):
            lines.append("    " + self.pick(('"""Documented."""', "t = x", "global total")))
        results = self.pick((1, 1, 1, 2))
        ending = ", ".join(self.term() for _ in range(results))
        for _ in range(self.pick((0, 0, 1, 2))):
            lines += self.helper_statement(results)
        lines.append(f"    return {ending}" if self.chance(0.93) else "    pass")
        self.helpers.append((name, count, results))
        return lines

    def helper_statement(self, results):
        kind = self.random.random()
        if kind < 0.4:
            ending = ", ".join(self.term() for _ in range(results))
            return [f"    if {self.pick(CONDITIONS)}:", f"        return {ending}"]
        if kind < 0.65:
            return [f"    {self.pick('xyz')} = {self.term()}"]
        if kind < 0.75:
            return ["    x, y = y, x"]
        if kind < 0.85:
            return [f"    for k in range({self.pick(('3', 'limit', 'int(x) % 5'))}):", f"        y = {self.term(1)} + k",
                    f"        if {self.pick(CONDITIONS)}:", f"            {self.pick(('break', 'continue', 'y += 1', 'return 1' if results == 1 else 'break'))}"]
        if kind < 0.93:
            return [f"    if {self.pick(CONDITIONS)}:", "        raise ValueError('x is %s' % x)"]
        return [f"    {self.pick(('z', 'y'))} {self.pick(('+=', '*=', '-='))} {self.term(1)}"]

    # Expressions.

    def value(self, depth=2):
        kind = self.random.random()
        if depth > 0 and kind < 0.16:
            name, count, results = self.pick(self.helpers)
            arguments = [self.value(0 if self.chance(0.7) else depth - 1) for _ in range(count)]
            if self.chance(0.05):
                arguments[-1] = f"{'xyz'[count - 1]}={arguments[-1]}"
            return f"{name}({', '.join(arguments)})" + ("" if results == 1 else f"[{self.pick('01')}]")
        if kind < 0.21 and self.points:
            point = self.pick(self.points)
            return point + self.pick((".x", ".y", ".x", ".y", ".k", ".norm()", f".norm({self.index()})", f".items[{self.index()}]",
                                      ".both()[0]", ".late"))
        if kind < 0.24 and self.pairs:
            return f"{self.pick(self.pairs)}[{self.index()}][{self.pick(('0', '1', '-1', '0'))}]"
        if kind < 0.26 and self.tuples:
            return f"{self.pick(self.tuples)}[{self.pick(('0', '1', '-1', '0'))}]"
        if kind < 0.28 and self.tables:
            return f"{self.pick(self.tables)}[{self.index()}]"
        if kind < 0.30:
            return self.pick(("random.random()", "random.random()", f"sum({self.pick(self.lists)})" if self.lists else "random.random()",
                              f"(int({self.value(0)}) >> {self.index()})", "(limit << 40)", f"int({self.value(0)}) ** 3"))
        if depth > 0 and kind < 0.33:
            return self.pick(ALONE).format(self.value(depth - 1))
        return super().value(depth)

    def result(self):
        if self.chance(0.8):
            return super().result()
        kinds = [f"{self.value(0)}, ({self.value(0)}, {self.value(0)})"]
        kinds += self.tuples + [f"{pairs}[{self.index()}]" for pairs in self.pairs]
        kinds += [f"{point}{part}" for point in self.points for part in ("", ".items", ".both()", ".x")]
        return self.pick(kinds)

    # Statements.

    def statement(self, indent):
        kind = self.random.random()
        if kind < 0.05:
            self.emit(indent, f"{self.variable_of_two()} = {self.value(1)}, {self.value(1)}")
        elif kind < 0.09:
            name, count, results = self.pick(self.helpers)
            if results == 1:
                return super().statement(indent)
            targets = [self.pick(self.numbers) if self.numbers else self.fresh("s") for _ in range(2)]
            self.emit(indent, f"{', '.join(targets)} = {name}({', '.join(self.value(0) for _ in range(count))})")
        elif kind < 0.16 and self.points:
            self.of_points(indent)
        elif kind < 0.19 and len(self.numbers) > 1:
            names = [self.pick(self.numbers) for _ in range(3)]
            self.emit(indent, f"{', '.join(names)} = {names[1]}, {names[2]}, {self.value(1)}")
        elif kind < 0.21:
            self.emit(indent, f"if {self.test()}:")
            self.emit(indent + 1, self.pick(("raise KeyError(n)", f"print({self.value(0)})",
                                             f"counter.append(({self.value(0)}, {self.value(0)}))")))
        elif kind < 0.23 and self.texts:
            self.emit(indent, f"if isinstance({self.texts[0]}, bytearray):")
            self.emit(indent + 1, f"{self.texts[0]}[{self.index()}] = {self.value(1)}")
        elif kind < 0.27 and self.numbers:  # beyond 64 bits, now and then
            name = self.pick(self.numbers)
            self.emit(indent, f"{name} = {name} * {self.pick(('3', '-7', '65537'))} + {self.index()}")
            self.emit(indent, f"if {name} > {self.pick(('2**70', '2**63', '1e300'))} or {name} < -2**66:")
            self.emit(indent + 1, f"{name} = {self.pick(('1', '-1', '0.5'))}")
        elif kind < 0.33 and indent < 4:
            self.over_pairs(indent)
        else:
            super().statement(indent)

    def variable_of_two(self):
        if self.tuples and self.chance(0.8):
            return self.pick(self.tuples)
        return self.fresh("s")  # which is a number before

    def of_points(self, indent):
        point = self.pick(self.points)
        attribute = self.pick(("x", "y", "x", "k"))
        self.emit(indent, self.pick((f"{point}.{attribute} = {self.value(1)}", f"{point}.{attribute} += {self.value(0)}",
                                     f"{point}.move({self.value(0)})", f"{point}.late = {self.value(0)}",
                                     f"{point}.items[{self.index()}] = {self.value(0)}")))

    def loop(self, indent):
        if indent == 1 and not self.tuples and self.chance(0.3):
            self.tuples.append(self.fresh("w"))
            self.emit(indent, f"{self.tuples[0]} = {self.pick(('(1, 2.5)', '(0, 1)', '(0.5, -1.0)'))}")
        super().loop(indent)

    def over_pairs(self, indent):
        """A loop over tuples, or over objects."""
        known = list(self.numbers), list(self.points)
        if self.points and self.chance(0.4):
            name = self.fresh("p")
            self.emit(indent, f"for {name} in {self.pick(('things', 'things', '(' + self.points[0] + ',)'))}:")
            self.points.append(name)
        elif self.pairs:
            names = [self.fresh("v"), self.fresh("v")]
            self.emit(indent, f"for {', '.join(names)} in {self.pick(self.pairs)}:")
            self.numbers += names
        else:
            return super().statement(indent)
        self.body(indent)
        self.numbers, self.points = known

    # The program.

    def others(self):
        self.points = [self.fresh("o") for _ in range(self.pick((0, 1, 2)))]
        self.pairs = [self.fresh("q") for _ in range(self.pick((0, 0, 1)))]
        self.tables = [self.fresh("d") for _ in range(self.pick((0, 0, 0, 1)))]
        self.emit(0, f"things = [{', '.join(self.pick(POINTS) for _ in range(3))}]")
        return super().others() + [(self.points, POINTS), (self.pairs, PAIRS), (self.tables, TABLES)]

    def calls(self, parameters, others):
        super().calls(parameters, others)
        self.emit(0, "show('things', things)")
        if len({len(p.shape) for p in parameters}) > 1:
            return
        # The same array, or parts of one, by several names.
        for _ in range(2):
            self.emit(0, f"base = make((7,) * {len(parameters[0].shape)}, {self.pick(ALL_DTYPES)!r}, 'c', {self.random.randrange(1000)})")
            args = [self.pick(("base", "base", "base[::-1]", "base[1:]", "base[:-1]", "base.T", "base[::2]")) for _ in parameters]
            args += [self.pick(table) for group, table in others for _ in group]
            self.emit(0, f"call('f', f, {', '.join(args)})")
            self.emit(0, "show('base', base)")
