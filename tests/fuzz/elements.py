"""Random loops over single elements: nests of for and while with numbers of changing types."""
from program import Array, Program

DTYPES = ("float64", "float64", "float64", "float32", "int64", "int64", "int32", "int8", "uint8", "uint32",
          "bool", "uint64", "float16", "complex128")
ARITHMETIC = ("+", "-", "*", "+", "-", "*", "/", "//", "%")
BITS = ("&", "|", "^", "<<", ">>")
COMPARISONS = ("<", "<=", "==", "!=", ">", ">=")
FUNCTIONS = ("abs({})", "math.sqrt({})", "math.exp({})", "np.sqrt({})", "np.abs({})", "int({})", "float({})",
             "math.floor({})", "math.sin({})", "bool({})", "np.floor({})", "math.ceil({})", "np.exp({})", "np.tanh({})",
             "np.maximum({}, 0.5)", "np.log1p({})", "round({})", "np.float64({})", "np.int32({})", "np.float32({})")
LISTS = ("[1, 2, 3, 4, 5, 6, 7]", "[0.5, -1.5, 2.25, 3.0, 1e3, -0.0, 7.5]", "[0] * 7", "[1.5, 2, True, 4.0, 5, 2**70, 7]",
         "[True, False] * 4", "[3, 1]", "[]", "list(np.arange(7.0))", "[float('nan')] * 7", "[None] * 7", "list(range(-3, 9))")
# What an inner loop goes over whose rounds lie one behind the other.
SHORT = ("(-1, 0, 1)", "(0, 1)", "(1, -1, 2, 0)", "range(-1, 2)", "range(2)")
# What a while loop counts from, as long as what, and how.
COUNTS = (("0", "< n", "+= 1"), ("0", "< n", "+= 1"), ("n - 1", ">= 0", "-= 1"), ("n", "> 0", "-= 1"), ("0", "< n", "+= 2"),
          ("0", "<= n - 2", "+= 1"), ("0", "!= n", "+= 1"), ("-2", "< n - 1", "+= 1"), ("n - 2", ">= -1", "-= 1"), ("0", "<= n", "+= 1"))
NESTED = ("[[i * j for j in range(7)] for i in range(7)]", "[[0.5] * 7 for _ in range(7)]", "[[1, 2.5, 3]] * 3",
          "[[], [1] * 7]", "[list('abcabca') for _ in range(7)]")
TEXTS = ("'abcabcd'", "b'abcabc\\xff'", "bytearray(b'abcdefg')", "'aé∂bcab'", "'a'", "''", "'naïve!!'")


class ElementProgram(Program):
    def __init__(self, seed):
        super().__init__(seed)
        self.big = False
        self.inside = True
        self.indices = []
        self.whiles = set()  # those whose loops would not end if something else changed them
        self.lists, self.nested, self.texts, self.chars = [], [], [], []

    def prelude(self):
        return ["import math", "limit = 3", "weight = 0.75"]

    def index(self):
        if not self.indices or self.chance(0.12):
            return self.pick(("0", "-1", "1", "2", "n - 1"))
        base = self.pick(self.indices)
        if self.chance(0.75):
            return base
        if self.chance(0.7):
            return self.pick((f"{base} - 1", f"n - 1 - {base}", f"({base} * 2) % n", f"-{base}",
                              f"({base} + 1) % n"))
        return self.pick((f"{base} + 1", f"int({self.number()})", f"{base} ^ 1", f"{base} >> 1"))

    def element(self):
        if self.lists and self.chance(0.25):
            return f"{self.pick(self.lists)}[{self.index()}]"
        if self.nested and self.chance(0.12):
            return f"{self.pick(self.nested)}[{self.index()}][{self.index()}]"
        array = self.pick(self.arrays)
        if len(array.shape) == 2:
            first, second = self.index(), self.index()
            return f"{array.text}[{first}, {second}]" if self.chance(0.8) else f"{array.text}[{first}][{second}]"
        return f"{array.text}[{self.index()}]"

    def value(self, depth=2):
        if depth == 0 or self.chance(0.25):
            kind = self.random.random()
            if kind < 0.45:
                return self.element()
            if kind < 0.7 and self.numbers:
                return self.pick(self.numbers)
            if kind < 0.8 and self.indices:
                return self.pick(self.indices)
            if kind < 0.85:
                return self.pick(("limit", "weight", "math.pi", f"len({self.arrays[0].text})",
                                  f"{self.arrays[0].text}.shape[0]", f"{self.arrays[0].text}.size"))
            return self.literal(self.pick("fi"))
        kind = self.random.random()
        if kind < 0.58:
            return f"({self.value(depth - 1)} {self.pick(ARITHMETIC)} {self.value(depth - 1)})"
        if kind < 0.62:
            return f"({self.value(0)} ** {self.pick(('2', '0.5', '3', '-1', '2.0'))})"
        if kind < 0.66:
            return f"({self.index()} {self.pick(BITS)} {self.pick(('1', '3', self.index()))})"
        if kind < 0.75:
            return self.pick(FUNCTIONS).format(self.value(depth - 1))
        if kind < 0.83:
            return f"{self.pick(('min', 'max'))}({self.value(depth - 1)}, {self.value(depth - 1)})"
        if kind < 0.9:
            return f"({self.value(depth - 1)} if {self.test()} else {self.value(depth - 1)})"
        if kind < 0.93:
            return f"(-{self.value(depth - 1)})"
        if kind < 0.96:
            return self.object_value(depth)
        return f"({self.test()})"

    def object_value(self, depth):
        """A number by way of something else than arithmetic."""
        if self.texts and self.chance(0.3):
            return self.pick((f"len({self.pick(self.texts)})", f"ord({self.pick(self.texts)}[{self.index()}])"))
        if self.lists and self.chance(0.4):
            return self.pick((f"len({self.pick(self.lists)})", f"({self.pick(self.lists)}[-1])"))
        return self.pick((f"divmod({self.value(0)}, {self.value(0)})[{self.pick('01')}]",
                          f"({self.index()}).bit_length()", f"pow({self.value(0)}, 2)",
                          f"{self.pick(('min', 'max'))}({self.value(0)}, {self.value(0)}, {self.value(depth - 1)})",
                          f"(2 if {self.index()} in (1, 2, 5) else 0.5)"))

    def char(self):
        if self.chars and self.chance(0.5):
            return self.pick(self.chars)
        return f"{self.pick(self.texts)}[{self.index()}]" if self.texts and self.chance(0.6) else self.pick(("'a'", "'b'", "'é'"))

    def test(self):
        if self.texts and self.chance(0.15):
            return self.pick((f"{self.char()} {self.pick(COMPARISONS)} {self.char()}", f"{self.char()} in 'abé'",
                              f"{self.char()} not in ('a', 'c')"))
        if self.lists and self.chance(0.06):
            return self.pick((f"{self.pick(self.lists)}", f"{self.element()} is None", f"{self.element()} is not None"))
        text = f"{self.value(1)} {self.pick(COMPARISONS)} {self.value(1)}"
        if self.chance(0.25):
            text += f" {self.pick(('and', 'or'))} {self.value(1)} {self.pick(COMPARISONS)} {self.value(0)}"
        if self.chance(0.1):
            text = f"not ({text})"
        return text if self.chance(0.9) else self.value(1)

    def variable(self):
        if self.numbers and self.chance(0.7):
            return self.pick(self.numbers)
        return self.fresh("s")

    def range(self):
        return self.pick(("n", "n", "n", "1, n", "n - 1", "0, n, 2", "n - 1, -1, -1", "limit", "2, n - 1",
                          f"len({self.arrays[0].text})", f"{self.pick(self.indices)}" if self.indices else "n",
                          f"{self.pick(self.indices)} + 1, n" if self.indices else "1, n", "0"))

    def loop(self, indent):
        counted = [name for name in self.indices if name not in self.whiles]
        index = self.pick(counted) if counted and self.chance(0.1) else self.fresh("i")
        kind = self.random.random()
        planes = [array.text for array in self.arrays if len(array.shape) == 2]
        if planes and not self.indices and kind < 0.2:
            return self.planes(indent, planes)
        if kind < (0.03 if self.indices else 0.1):
            return self.windowed(indent)
        if kind < 0.18:
            return self.items(indent)
        if kind < 0.3:
            return self.composed(indent)
        if kind < 0.85 or index in counted:
            source = self.pick(SHORT) if self.indices and self.chance(0.25) else f"range({self.range()})"
            self.emit(indent, f"for {index} in {source}:")
        else:
            self.whiles.add(index)
            start, test, step = self.pick(COUNTS)
            self.emit(indent, f"{index} = {start}")
            self.emit(indent, f"while {index} {test}" + (f" and ({self.test()}):" if self.chance(0.5) else ":"))
            if self.chance(0.4):  # the element before the step, as it is tested
                self.emit(indent + 1, f"{self.variable()} = {self.pick(self.arrays).text}[{index}]")
            self.emit(indent + 1, f"{index} {step}")
        self.indices.append(index)
        self.body(indent)
        self.indices.pop()
        if self.chance(0.08):
            self.emit(indent, "else:")
            self.statement(indent + 1)

    def body(self, indent):
        known = list(self.numbers)
        for _ in range(self.random.randint(1, 2)):
            self.statement(indent + 1)
        self.numbers = known

    def windowed(self, indent):
        """Sums up what lies around each place, by an inner loop of few rounds that lie one behind the other."""
        flat = [array.text for array in self.arrays if len(array.shape) == 1] or ["steps"]
        source, target = self.pick(flat), self.pick(flat)
        index, step, total = self.fresh("i"), self.fresh("d"), self.fresh("s")
        self.emit(indent, f"for {index} in range({self.pick(('n', 'n', '1, n - 1', f'len({source})'))}):")
        self.emit(indent + 1, f"{total} = {self.pick(('0', '0.0', '1.5'))}")
        self.emit(indent + 1, f"for {step} in {self.pick(SHORT)}:")
        deep = indent + 2
        if self.chance(0.3):
            self.emit(deep, f"if {step} {self.pick(COMPARISONS)} {self.pick(('0', '1', index))}:")
            deep += 1
        self.emit(deep, f"{total} += {source}[({index} + {step}) % len({source})]")
        if target != "steps" and self.chance(0.7):
            self.emit(indent + 1, f"{target}[{index} % len({target})] = {total} * 0.25")
        self.numbers.append(total)

    def planes(self, indent, planes):
        """Windows of two axes around each place: what they add up to, their extremes, copies of them."""
        row, column, part, total = self.fresh("i"), self.fresh("i"), self.fresh("p"), self.fresh("s")
        height, width = self.pick("1223"), self.pick("1223")

        def window(source):
            return f"{source}[{row}:{row} + {height}, {column}:{column} + {width}]"

        self.emit(indent, f"{total} = 0.0")
        self.emit(indent, f"for {row} in range({self.pick(('n - 1', 'n - 2', 'n'))}):")
        self.emit(indent + 1, f"for {column} in range({self.pick(('n - 1', 'n - 2', '1, n - 2'))}):")
        self.emit(indent + 2, f"{part} = {window(self.pick(planes))}")
        for _ in range(self.pick((1, 1, 2))):
            other = self.pick((window(self.pick(planes)), part, "1.5", "weight", f"{part}[0]"))
            values = self.pick((part, part, f"({part} {self.pick('+-*/')} {other})", f"({other} {self.pick('+-*/')} {part})"))
            whole = self.pick((f"{values}.max()", f"{values}.min()", f"np.max({values})", f"{values}.sum()", f"{values}.mean()",
                               f"{values}.sum(axis={self.pick('01')}).max()", f"{values}.max(axis={self.pick('01')}).sum()",
                               f"np.sum({values}.min(axis=0))"))
            self.emit(indent + 2, self.pick((f"{total} += {whole}", f"{total} = {whole}", f"{self.pick(planes)}[{row}, {column}] = {whole}",
                                             f"{window(self.pick(planes))} = {values}")))
        self.numbers.append(total)

    def bounded(self, indent):
        """An element behind a test of its index, which may keep it in range."""
        index, place = self.pick(self.indices), self.fresh("k")
        self.emit(indent, f"{place} = {self.pick((index, f'{index} + 1', f'{index} - 1', f'{index} * 2', self.index()))}")
        tests = (f"0 <= {place} < n", f"{place} < n", f"{place} > 0", f"not {place} >= n", f"{place} + 1 < n", f"{index} > 0",
                 f"{index} < n - 1", f"{index} != 0 and {place} < n", f"-1 < {place} and {place} <= n - 1", f"{place} == {index}")
        self.emit(indent, f"if {self.pick(tests)}:")
        array = self.pick(self.arrays)
        at = self.pick((place, place, f"{place} - 1", f"{place} + 1"))
        element = f"{array.text}[{at}]" if len(array.shape) == 1 else f"{array.text}[{self.pick((at, '0', index))}, {at}]"
        self.emit(indent + 1, self.pick((f"{element} = {self.value(1)}", f"{self.variable()} = {element}")))

    def items(self, indent):
        """Goes over an array's elements or rows."""
        array = self.pick(self.arrays)
        name = self.fresh("v")
        source = f"{array.text}[{self.index()}]" if len(array.shape) == 2 and self.chance(0.5) else array.text
        self.emit(indent, f"for {name} in {source}:")
        is_row = len(array.shape) == 2 and source == array.text
        known = list(self.arrays), list(self.numbers)
        if is_row:
            self.arrays.append(Array(name, ("n",), "f"))
        else:
            self.numbers.append(name)
        self.body(indent)
        self.arrays, self.numbers = known

    def iterable(self):
        """What to go over, and the kind of its items."""
        kind = self.random.random()
        if kind < 0.3:
            return f"range({self.range()})", "n"
        if kind < 0.6 and self.lists:
            return self.pick(self.lists), "n"
        if kind < 0.75 and self.texts:
            return self.pick(self.texts), "c"
        if kind < 0.8:
            return f"reversed(range({self.range()}))", "n"
        if kind < 0.85:
            return self.pick(("(1, 2, 0.5)", "(0, 3)", "steps")), "n"
        flat = [a.text for a in self.arrays if len(a.shape) == 1]
        return (self.pick(flat), "n") if flat else (f"range({self.range()})", "n")

    def composed(self, indent):
        """A for loop over anything, several things at once, or with a counter."""
        known = list(self.numbers), list(self.chars)
        kind = self.random.random()
        names, sources = [], []
        for _ in range(self.pick((1, 1, 2, 2, 3)) if kind > 0.3 else 1):
            source, item = self.iterable()
            names.append(self.fresh("v"))
            sources.append(source)
            (self.numbers if item == "n" else self.chars).append(names[-1])
        target, source = ", ".join(names), sources[0] if len(sources) == 1 else f"zip({', '.join(sources)})"
        if self.chance(0.4):
            index = self.fresh("i")
            self.indices.append(index)
            target = f"{index}, ({target})" if len(names) > 1 else f"{index}, {target}"
            source = f"enumerate({source}{self.pick(('', '', ', 1', ', -2'))})"
            self.emit(indent, f"for {target} in {source}:")
            self.body(indent)
            self.indices.pop()
        else:
            self.emit(indent, f"for {target} in {source}:")
            self.body(indent)
        self.numbers, self.chars = known

    def of_lists(self, indent):
        """A statement that changes a list, a name outside, or leaves the loop for something rare."""
        kind = self.random.random()
        if kind < 0.3 and self.lists:
            name = self.pick(self.lists)
            self.emit(indent, f"if len({name}) < 20:")
            self.emit(indent + 1, f"{name}.append({self.value(1)})")
        elif kind < 0.45 and self.lists:
            name = self.pick(self.lists)
            self.emit(indent, f"if len({name}) > 2:")
            self.emit(indent + 1, f"{self.pick(self.numbers) if self.numbers else 'last'} = {name}.pop()")
        elif kind < 0.6:
            self.emit(indent, f"{self.pick(('total', 'weight'))} += {self.pick(('1', '0.5', self.index()))}")
        elif kind < 0.7 and self.nested:
            self.emit(indent, f"row = {self.pick(self.nested)}[{self.index()}]")
            self.emit(indent, f"row[{self.index()}] = {self.value(1)}")
        elif kind < 0.8:
            self.emit(indent, f"if {self.test()}:")
            self.emit(indent + 1, f"counter.append(str({self.value(0)}) + '!')")
        elif kind < 0.9:
            self.emit(indent, f"spare = {self.pick(('None', self.value(0)))}")
            self.emit(indent, "if spare is None:")
            self.emit(indent + 1, f"spare = {self.value(0)}")
        elif self.lists:
            name = self.pick(self.lists)
            self.emit(indent, f"counter.append([{self.value(0)} for {self.fresh('c')} in {name}])")
        else:
            self.emit(indent, "pass")

    def result(self):
        """What a `return` inside a loop gives: an item, an accumulator, a place, something that is no number, or nothing."""
        kind = self.random.random()
        if kind < 0.35 and self.numbers:
            return self.pick(self.numbers)
        if kind < 0.5 and self.indices:
            return self.pick(self.indices)
        if kind < 0.6 and self.chars:
            return self.pick(self.chars)
        if kind < 0.75:
            return self.value(1)
        if kind < 0.85:
            return f"{self.result() or None}, {self.value(0)}"
        return self.pick((self.pick(self.arrays).text, self.element(), f"[{self.value(0)}]", f"str({self.value(0)})", "'found'", "None",
                          "total", "n", self.pick(self.lists or ["steps"]), self.pick(self.texts or ["steps"]), self.test(), ""))

    def departure(self, indent):
        """Leaves the function from inside of its loops: on a condition or at once, through a `finally` or not."""
        if self.chance(0.3) and indent < 5:
            self.emit(indent, "try:")
            self.returning(indent + 1)
            self.emit(indent, "finally:")
            return self.at_leaving(indent + 1)
        self.returning(indent)

    def returning(self, indent):
        if self.chance(0.9):
            test = self.test()
            if self.indices and self.chance(0.4):
                test = f"{self.pick(self.indices)} {self.pick(('==', '>', '>='))} {self.pick(('1', '3', '4', 'n - 2', 'limit'))}"
            self.emit(indent, f"if {test}:")
            indent += 1
        self.emit(indent, f"return {self.result()}".rstrip())

    def at_leaving(self, indent):
        """What a `finally` does, now and then something in place of the return."""
        kind = self.random.random()
        if kind < 0.4:
            self.emit(indent, f"counter.append({self.result()})".replace("append()", "append('left')"))
        elif kind < 0.55:
            self.emit(indent, f"if {self.test()}:")
            jumps = ("break", "continue") if self.indices else ()
            self.emit(indent + 1, self.pick(jumps + (f"return {self.result()}".rstrip(),)))
        else:
            known = list(self.numbers)
            self.statement(indent)
            self.numbers = known

    def statement(self, indent):
        if self.chance(0.12):
            return self.of_lists(indent)
        if self.inside and self.chance(0.08):
            return self.departure(indent)
        kind = self.random.random()
        if kind < 0.3 and indent < 4:
            self.loop(indent)
        elif kind < 0.55:
            self.emit(indent, f"{self.element()} {self.pick(('=', '=', '+=', '-=', '*=', '/='))} {self.value()}")
        elif kind < 0.8:
            name = self.variable()
            value = self.value()
            operator = self.pick(("=", "=", "+=", "-=", "*=")) if name in self.numbers else "="
            self.emit(indent, f"{name} {operator} {value}")
            if "*" in operator + value:  # Python's ints grow without bounds
                self.emit(indent, f"if abs({name}) > 1e15:")
                self.emit(indent + 1, f"{name} = {self.literal('i')}")
            if name not in self.numbers:
                self.numbers.append(name)
        elif kind < 0.9 and indent < 6:
            known = list(self.numbers)
            if self.indices and self.chance(0.3):
                self.bounded(indent)
            else:
                self.emit(indent, f"if {self.test()}:")
                self.statement(indent + 1)
            self.numbers = known
            if self.chance(0.4):
                self.emit(indent, "else:")
                self.statement(indent + 1)
                self.numbers = known
        elif kind < 0.93 and self.indices:
            self.emit(indent, f"if {self.test()}:")
            self.emit(indent + 1, self.pick(("break", "continue")))
        elif kind < 0.96 and len(self.numbers) > 1:
            a, b = self.pick(self.numbers), self.pick(self.numbers)
            self.emit(indent, f"{a}, {b} = {b}, {self.value(0)}")
        elif kind < 0.97:
            self.emit(indent, f"counter.append({self.value(1)})")
        else:
            self.emit(indent, "try:")
            self.statement(indent + 1)
            self.emit(indent, "except (IndexError, ZeroDivisionError, ValueError, OverflowError) as error:")
            self.emit(indent + 1, "counter.append(repr(error))")

    def others(self):
        """What the function takes beside arrays: lists of names, each with the texts of what they may hold."""
        self.lists = [self.fresh("l") for _ in range(self.pick((0, 1, 2)))]
        self.nested = [self.fresh("g") for _ in range(self.pick((0, 0, 1)))]
        self.texts = [self.fresh("t") for _ in range(self.pick((0, 0, 1, 2)))]
        return [(self.lists, LISTS), (self.nested, NESTED), (self.texts, TEXTS)]

    def text(self):
        self.lines = self.prelude() + ["counter = []"]
        parameters = [Array(self.fresh("x"), ("n",) * self.pick((1, 1, 2)), "f")
                      for _ in range(self.random.randint(1, 3))]
        self.arrays = list(parameters)
        outside = self.chance(0.15)
        self.inside = not outside  # of a function
        others = self.others()
        self.emit(0, "steps = (1, -1, 0.5)")
        self.emit(0, "total = 0")
        names = [p.text for p in parameters] + sum((group for group, _ in others), [])
        self.emit(0, f"def f({', '.join(names)}):" if not outside else "try:")
        if not outside:
            self.emit(1, "global total, weight")
        if outside:
            for group, table in others:
                for name in group:
                    self.emit(1, f"{name} = {self.pick(table)}")
            for p in parameters:
                self.emit(1, f"{p.text} = make(({', '.join(['6'] * len(p.shape))},), "
                             f"{self.pick(DTYPES)!r}, 'c', {self.random.randrange(1000)})")
        self.emit(1, f"n = {parameters[0].text}.shape[0]")
        for _ in range(self.random.randint(1, 3)):
            name = self.fresh("s")
            self.emit(1, f"{name} = {self.literal(self.pick('fi'))}")
            self.numbers.append(name)
        known = list(self.numbers)
        for _ in range(self.random.randint(1, 3)):
            self.loop(1)
        results = names + known
        if outside:
            self.emit(0, "except Exception as error:")
            self.emit(1, "counter.append(repr(error))")
            for name in results:
                self.emit(0, f"show({name!r}, {name})")
        else:
            self.emit(1, f"return {', '.join(results)}")
            self.calls(parameters, others)
        self.emit(0, "show('counter', counter)")
        self.emit(0, "show('total', (total, weight))")
        return "\n".join(self.lines) + "\n"

    def calls(self, parameters, others):
        """Calls of the function, with arguments of changing sizes, types and layouts."""
        sizes = [self.pick((6, 6, 7, 1, 3, 0)) for _ in range(6)]
        dtypes = [self.pick(DTYPES) for _ in parameters]
        layouts = [self.pick(("c", "c", "transposed", "strided", "negative"))
                   for _ in parameters]
        for call in range(6):
            if call == 5:
                layouts = ["readonly" for _ in parameters]
            if call == 4:
                dtypes = [self.pick(DTYPES) for _ in parameters]
            size = 6 if call < 2 else sizes[call]
            args = [f"make(({', '.join([str(size)] * len(p.shape))},), {d!r}, {l!r}, "
                    f"{self.random.randrange(1000)})" for p, d, l in zip(parameters, dtypes, layouts)]
            if call in (0, 3):
                chosen = [self.pick(table) for group, table in others for _ in group]
            args += chosen
            self.emit(0, f"call('f', f, {', '.join(args)})")
