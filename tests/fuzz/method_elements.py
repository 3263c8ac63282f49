"""Random loops over single elements in methods, closures and generators, with the state in attributes.

What such loops do beside arithmetic is in templates: {v} a number's expression, {w} a simple one, {s} a number's name, {i} an
index, {k} a loop's counter, {e} an element to be stored to, {x} an array, {l} a list, {d} a dict, {o} an object, {a} one of its
attributes that holds a number, {t} a test, {h} a function's name, {n} a literal, {b} what is near the ends of 64 bits.
"""
import re

from elements import LISTS
from program import Array
from wide_elements import ALL_DTYPES, WideElementProgram

EVERY_DTYPE = ALL_DTYPES + ("complex64", "uint64", "float16", "uint64")

PRELUDE = '''
import contextlib, itertools, dataclasses
class Scope:
    def __init__(self, name, swallows=()):
        self.name, self.swallows = name, swallows
    def __enter__(self):
        counter.append(('enter', self.name))
        return self
    def __exit__(self, kind, error, where):
        counter.append(('leave', self.name, repr(error)))
        return kind is not None and issubclass(kind, self.swallows)
@contextlib.contextmanager
def managed(name):
    try:
        yield name
    except ZeroDivisionError:
        counter.append('divided')
    finally:
        counter.append(name)
def scaled(x, scale=2, *, offset=0, sign=1):
    return sign * (x * scale + offset)
def checked(x, most=5):
    if x > most:
        raise ValueError('%s is more than %s' % (x, most))
    return most - x
def gathered(*values, **named):
    return len(values) + len(named)
def put(values, i, value=0, also=None):
    values[i] = value
    if also is not None:
        also[i] = value
    return value
def each(values, start=0):
    for value in values:
        yield value
        start += 1
    return start
def recursive(x):
    return 0 if x <= 0 else 1 + recursive(x - 1)
class Grid:
    {slots}
    unit = 3
    ratio = 0.25
    def __init__(self, data, n, value):
        self.data, self.n, self.x, self.y = data, n, value, 0
        self.items, self.table, self.name = [1, 2.5, 3], {{0: 1, 1: 0.5}}, 'grid'
        self.point = Point(0.5, 2, [1, 2, 3])
    def at(self, i, scale=1, *, offset=0):
        return self.data[i] * scale + offset
    def put(self, i, value):
        self.data[i] = value
        self.y += 1
    def advance(self, step=1):
        self.x = self.x + step
        return self.x
    def total(self):
        total = 0
        for value in self.data:
            total += value
        return total
    def __len__(self):
        return len(self.data)
    def __getitem__(self, i):
        return self.data[i]
    def __setitem__(self, i, value):
        self.data[i] = value
    def __iter__(self):
        return iter(self.data)
    @property
    def half(self):
        return self.n // 2
    @staticmethod
    def twice(value):
        return value + value
    @classmethod
    def of_class(cls, value):
        return cls.unit * value
    {extra}
'''
SLOTS = ("", "", "", "__slots__ = ('data', 'n', 'x', 'y', 'items', 'table', 'name', 'point')")
EXTRAS = ("pass", "pass", "pass", "def __getattr__(self, name):\n        return 7 if name == 'late' else object.__getattribute__(self, name)",
          "def __setattr__(self, name, value):\n        object.__setattr__(self, name, value)\n        if name == 'y':\n            counter.append(value)",
          "@property\n    def late(self):\n        return self.y\n    @late.setter\n    def late(self, value):\n        self.y = value",
          "def __getattribute__(self, name):\n        return object.__getattribute__(self, name)", "late = 4.5")
STATE = '''
def state(o):
    return [(name, getattr(o, name, 'unset')) for name in ('data', 'n', 'x', 'y', 'items', 'table', 'name', 'late')] + [list(getattr(o, '__dict__', ()))]
'''

NUMBERS = """
{o}.{a}; {o}.{a}; {o}.data[{i}]; {o}.data[{i}]; {o}.n; {o}.unit; {o}.ratio; {o}.half; {o}.late; {o}.at({i}); {o}.at({i}, 2); {o}.at({i}, offset={w}); {o}.advance(); {o}.advance(step={w}); {o}.total()
len({o}); {o}[{i}]; {o}.twice({w}); {o}.of_class({w}); {o}.items[{i}]; {o}.table[{i}]; {o}.point.x; {o}.point.items[{i}]; {o}.point.norm(scale={w}); getattr({o}, 'x'); {o}.data.shape[0]; len({o}.data); {o}.data.size
scaled({w}); scaled({w}, {w}); scaled({v}, scale={w}); scaled({w}, offset={w}); scaled({w}, 3, sign=-1); scaled(scale={w}, x={v}); checked({w}); checked({w}, most={w}); gathered({w}, {w}); gathered(*{l}); gathered(a={w}); put({x}, {i}, {w}); put({x}, {i}, value={w}, also={l}); recursive({k}); scaled(*({w}, {w})); scaled({w}, 1, 2)
sum({x}[{i}:]); sum({l}[{i}:]); len({l}[{i}:{i}]); {x}[{i}:].sum(); {x}[1:][{i}]; {x}[::-1][{i}]; {l}[::-1][{i}]; sum(each({x})); sum(q * 2 for q in {l}); sum([q for q in {x} if q > {n}]); max({x}); min({l}); next(iter({l}), {w}); {l}.index({w}); {l}.count({w}); sorted({l})[0]; any(q > {w} for q in {l})
{d}[{i}]; {d}.get({i}, {w}); {d}.get({w}); {d}.setdefault({i}, {w}); len({d}); {d}.pop({i}, {w}); sum({d}.values()); ({i} in {d}); ({w} in {l})
{x}.item({i}); {x}.flat[{i}]; {x}.T[{i}]; {x}.sum(); {x}.max(); {x}[{i}].item(); {x}[{i}].real; {x}[{i}].dtype.itemsize; {x}.ndim; {x}.dtype.type({w}); np.uint64({i}); np.float16({n}); np.complex64({n}); complex({w}); np.int8({i}) * np.int8(50); np.uint8({i}) - np.uint8(3); np.float32({w}) * {n}; np.int64({i}) / 3
{b}; {b} + {i}; {b} - {w}; {b} * 2; -({b}); abs({b}); ({b}) // {i}; ({b}) % {i}; ({b}) // -1; ({b}) >> {i}; ({b}) << 1; np.int64({b}); np.int64({b}) + 1; int({v}) // {i}; int({v}) % {i}; {w} / {i}; {w} // 0; ({i} - {i}) ** -1; {w} % -3; -7 // ({i} + 1); divmod({w}, {i})[1]; 5 % {w}; round({w}, 1); int({w}) & {b}; float({b}); ({k} * 2 ** 31) ** 2; {b} == float({b})
({s} := {w}); (lambda q: q + {w})({i}); (lambda q, r={w}: q * r)({w}); [{w}, {w}][{i}]; ({w}, {w})[{i}]; (0 < {w} < 3); ({w} is None); type({w}) is int; isinstance({w}, float); (type({s}) == float); int(str({k})); len(f'{{{k}}}'); ord('abc'[{i}]); hash({k}); bool({x}[{i}] > 0); ({w} and {w} or {w}); (not {w}); (~{k}); (+{w}); {x}[{i}] == {x}[{i}]; abs({x}[{i}]) ** 0.5; int({x}[{i}]) ^ 3
"""

SIMPLE = """
{o}.{a} = {v}; {o}.{a} = {v}; {o}.{a} += {w}; {o}.{a} -= {w}; {o}.{a} += 1; {o}.x, {o}.y = {o}.y, {w}; {o}.data[{i}] = {v}; {o}.data[{i}] += {w}; {o}.data[{i}] = {o}.data[{i} - 1] + {w}; {o}.put({i}, {v}); {o}[{i}] = {w}; {o}[{i}] += {w}; {o}.items[{i}] = {w}; {o}.table[{i}] = {w}; {o}.point.x += {w}; {o}.point.move({w}); {o}.late = {w}; del {o}.late; {o}.data = {x}; {o}.items = {l}; setattr({o}, 'x', {w}); {o}.x = {o}.y = {v}; {o}.y = None; {o}.name += 'g'; Grid.unit = {w}; Grid.ratio += 0.5
{s} = {v}; {s} = {v}; {s} += {v}; {s} = {o}.{a}; {s}, {o}.x = {w}, {w}; {s} = {s} + {o}.data[{i}]; {e} = {v}; {e} += {w}; {e} = {s} = {w}; {x}[{i}], {x}[{i}] = {x}[{i}], {x}[{i}]; {e} *= {n}; {e} //= {k}; {e} %= {w}; {e} = {k} ** 2; {e} = {b}; {s} = {b}; {s} = {s} + {b}; counter.append({v}); counter.append(({k}, {w})); counter.append(type({v}).__name__); print({w}, {s}); print(f'{{{k}}}', {w}); del {s}; {s} = None; {s} = {k}; total += {w}
{l}.append({v}); {l}.insert({i}, {w}); {l}.pop(); {l}.pop({i}); {l}.pop(0); {l}.reverse(); {l}.sort(); {l}.remove({w}); {l}.extend([{w}]); {l} += [{w}]; {l}[{i}] = {v}; {l}[{i}] += {w}; {l}[{i}:] = [{w}, {w}]; {l}[{i}:{i}] = {l}; del {l}[{i}]; del {l}[{i}:]; {l}.clear(); {l} = {l}[1:]; {l} = list({x}); {l}[{i}], {l}[{i}] = {l}[{i}], {l}[{i}]
{d}[{i}] = {v}; {d}[{i}] = {d}.get({i}, 0) + 1; {d}[{k}] += {w}; {d}[{w}] = {k}; del {d}[{i}]; {d}.setdefault({k}, []).append({w}); {d}.update(a={w}); {d}.pop({k}); seen.add({k}); seen.add({w}); seen.discard({k})
{x}[{i}:] = {w}; {x}[:{i}] = {x}[{i}]; {x}[1:] = {x}[:-1]; {x}[::2] += {w}; {x}[{i}:{i}] *= 2; {x}[...] = {n}; {x} += {w}; {s} = {x}[{i}:]; {s} = {x}[{i}]; counter.append(list({x}[1:])); {x} = {x}[::-1]; {x} = {x}.copy(); {x} = {x} + 1; {x}.sort(); {x}.fill({n}); first, *rest = {x}; first, *rest = {l}; counter.append(rest)
raise KeyError({w}); assert {t}, {k}; checked({v}); scaled({w}, offset={w}); put({x}, {i}, {v}); counter.append({t}); pass; global_scope = 1; import math as mathematics; counter.append((lambda: {w})()); counter.append(list(each({x}))); (lambda q={w}: counter.append(q))()
"""

TEXTS = ("np.errstate(all='ignore')", "np.errstate(all='raise')", "np.errstate(over='raise', invalid='ignore')", "np.errstate(under='warn')",
         "Scope('s')", "Scope('t', (IndexError, ValueError))", "Scope({w}, Exception)", "managed({k})", "contextlib.nullcontext({k})",
         "contextlib.suppress(IndexError, ZeroDivisionError)", "contextlib.suppress(Exception)", "warnings.catch_warnings(record=True)")
LOOPS = """
for {V} in {o}.data:; for {V} in {o}:; for {V} in {o}.items:; for {I} in range({o}.n):; for {I} in range(len({o}.data)):; for {I} in range({o}.half):; for {I} in range(1, len({o}) - 1):; for {V} in {x}[{i}:]:; for {V} in {x}[::-1]:; for {V} in {l}[{i}:]:; for {V} in reversed({l}):; for {V} in reversed({x}):; for {V} in sorted({l}):
for {I}, {V} in enumerate({o}.data):; for {V}, {V} in zip({o}.data, {x}):; for {V}, {V} in zip({x}, {x}[1:]):; for {I}, {V} in {d}.items():; for {I} in {d}:; for {I} in list({d}):; for {V} in {d}.values():; for {V} in each({x}):; for {V} in each({l}, start=2):; for {V} in (q + 1 for q in {x}):; for {V} in map(abs, {l}):; for {I} in filter(None, range(4)):
for {I}, {I} in itertools.product(range(3), range(2)):; for {I} in itertools.count():; for {I} in itertools.chain(range(2), range(3)):; for {I}, in np.ndindex({x}.shape):; for {I}, {V} in np.ndenumerate({x}):; for {V} in {x}.flat:; for {V} in {x}.tolist():; for {V} in np.nditer({x}):; for {V} in {x}.T:; for {V} in [{w}, {w}, {k}]:; for {V} in ({w}, {k}):; for {V} in iter({l}):; for {V} in {{1, 2, 5}}:; for {I} in 'abc':; for {e} in range(3):; for {o}.x in range(3):; for {I} in range({b}, {b}, 7):; for {I} in range(2 ** 63 - 3, 2 ** 63 + 2):; for {I} in range(n)[1:]:; for {I} in range(3, -3, -2):; for {I} in np.arange(4):; for {I} in range(np.int64({k})):
"""
ENDS = ("2**63 - 1", "-2**63", "2**63", "2**62", "-2**62 - 1", "2**31 - 1", "2**53 + 1", "-2**53 - 1", "2**64 - 1", "2**30", "10**18", "-1", "0")
GRIDS = ("Grid(make((6,), 'float64', 'c', 3), 6, 1.5)", "Grid(make((6,), 'int64', 'c', 4), 5, 2)", "Grid(make((7,), 'float32', 'strided', 5), 4, np.float64(2))",
         "Grid([1, 2, 3, 4, 5, 6.5], 3, 0)", "Grid(make((6, 6), 'float64', 'c', 7), 6, True)", "Grid(make((6,), 'uint8', 'c', 9), 6, 2**62)",
         "Grid(make((6,), 'complex128', 'c', 9), 2, None)", "Grid(np.arange(6, dtype='uint64'), 6, np.int32(5))")
TABLES = ("{0: 1, 1: 2, 2: 0.5}", "{i: i * i for i in range(9)}", "{}", "{0: np.float64(2), 'a': 1}", "{0: 2**62, 1: [1]}")
HOLE = re.compile(r"\{([a-zA-Z])\}")


class MethodElementProgram(WideElementProgram):
    def __init__(self, seed):
        super().__init__(seed)
        self.grids, self.dicts = [], []
        self.form = self.pick(("function", "function", "method", "method", "closure", "generator", "nested"))
        self.depth = 0

    def templates(self, text):
        return self.pick(self.pick(text.strip().splitlines()).split("; "))

    def fill(self, template):
        holes = {"v": lambda: self.value(1), "w": lambda: self.value(0), "i": self.index, "e": self.element, "t": self.test,
                 "n": lambda: self.literal(self.pick("fi")), "b": lambda: self.pick(ENDS),
                 "s": lambda: self.pick(self.numbers or ["total"]), "k": lambda: self.pick(self.indices or ["n"]),
                 "x": lambda: self.pick(self.arrays).text, "l": lambda: self.pick(self.lists or ["spare_list"]),
                 "d": lambda: self.pick(self.dicts), "o": lambda: self.pick(self.grids), "a": lambda: self.pick("xxyyn"),
                 "I": lambda: self.target(self.indices), "V": lambda: self.target(self.numbers)}
        return HOLE.sub(lambda hole: holes[hole.group(1)](), template).replace("{{", "{").replace("}}", "}")

    def target(self, names):
        name = self.fresh("i" if names is self.indices else "v")
        self.added.append((names, name))
        return name

    def prelude(self):
        lines = super().prelude()
        text = PRELUDE.format(slots=self.pick(SLOTS), extra=self.pick(EXTRAS))
        return lines + [line for line in (text + STATE).splitlines() if line]

    def value(self, depth=2):
        if self.grids and self.chance(0.25 if depth else 0.1) and self.depth < 3:
            self.depth += 1
            text = self.fill(self.templates(NUMBERS))
            self.depth -= 1
            return f"({text})" if " " in text else text
        return super().value(depth)

    def statement(self, indent):
        kind = self.random.random()
        if kind < 0.3:
            self.simple(indent)
        elif kind < 0.4 and indent < 5:
            self.guarded(indent)
        elif kind < 0.48 and indent < 5:
            self.managed(indent)
        elif kind < 0.58 and indent < 4:
            self.over_others(indent)
        elif kind < 0.62 and indent < 4:
            self.jumping(indent)
        elif kind < 0.65 and self.form == "generator":
            self.emit(indent, self.pick((f"yield {self.value(1)}", f"counter.append((yield {self.value(1)}))", f"yield from {self.pick(self.arrays).text}",
                                         f"{self.pick(self.numbers or ['total'])} = (yield {self.value(0)}) or 1")))
        else:
            super().statement(indent)

    def simple(self, indent):
        text = self.fill(self.templates(SIMPLE))
        names = re.match(r"([\w.]+) ?(=|[-+*]=) ", text)
        grows = re.match(r"(\w+)\.(append|insert|extend)\(|(\w+) \+= \[|(\w+)\[[^=]*:[^=]*\] = ", text)
        if grows and "counter" not in text:  # lists grow in loops over themselves
            self.emit(indent, f"if len({next(filter(None, grows.group(1, 3, 4)))}) < 20:")
            indent += 1
        if text.startswith(("raise", "del", "assert", "Grid.", "break")) and self.chance(0.8):
            self.emit(indent, f"if {self.test()}:")
            indent += 1
        self.emit(indent, text)
        if names and not grows and self.chance(0.9) and not re.match(r"(x\d|l\d|row|def_|f_|global_)", text) \
                and ".data" not in names.group(1) and ".items" not in names.group(1):
            self.emit(indent, f"if {names.group(1)} and abs({names.group(1)}) > {self.pick(('1e15', '2**65'))}:")
            self.emit(indent + 1, f"{names.group(1)} = {self.pick(('1', '0.5', 'np.int64(3)'))}")

    def some(self, indent, most=2):
        known = list(self.numbers)
        for _ in range(self.random.randint(1, most)):
            self.statement(indent)
        self.numbers = known

    def jump(self, indent):
        jumps = ["break", "continue"] if self.indices else []
        if self.inside:
            jumps.append(f"return {self.result()}".rstrip())
        if jumps and self.chance(0.8):
            self.emit(indent, f"if {self.test()}:")
            indent += 1
        self.emit(indent, self.pick(jumps or ["pass"]))

    def guarded(self, indent):
        """try with any of except, else and finally, and jumps in any of them."""
        self.emit(indent, "try:")
        self.some(indent + 1)
        if self.chance(0.4):
            self.jump(indent + 1)
        ends = self.chance(0.4)
        if not ends or self.chance(0.6):
            self.emit(indent, self.pick(("except (IndexError, ZeroDivisionError, ValueError, OverflowError) as error:", "except Exception as error:",
                                         "except (TypeError, AttributeError, KeyError) as error:", "except (ArithmeticError, LookupError) as error:")))
            self.emit(indent + 1, "counter.append(repr(error))")
            if self.chance(0.4):
                self.jump(indent + 1) if self.chance(0.6) else self.some(indent + 1, 1)
            elif self.chance(0.2):
                self.emit(indent + 1, self.pick(("raise", "raise RuntimeError('other') from error")))
            if self.chance(0.25):
                self.emit(indent, "else:")
                self.jump(indent + 1) if self.chance(0.5) else self.some(indent + 1, 1)
        if ends:
            self.emit(indent, "finally:")
            self.jump(indent + 1) if self.chance(0.25) else self.some(indent + 1, 1)

    def managed(self, indent):
        named = self.chance(0.2)
        self.emit(indent, f"with {self.fill(self.pick(TEXTS))}{' as scope' if named else ''}:")
        self.some(indent + 1)
        if self.chance(0.4):
            self.jump(indent + 1)

    def over_others(self, indent):
        """A for loop over something that an object, a dict, a slice or a generator gives."""
        self.added = []
        head = self.fill(self.templates(LOOPS))
        known = list(self.numbers), list(self.indices)
        for names, name in self.added:
            names.append(name)
        endless = "count" in head
        self.emit(indent, head)
        if "2 **" in head or "2**" in head or endless:
            self.emit(indent + 1, f"if len(counter) > {self.pick(('9', '30'))} or {self.added[0][1]} > 5:")
            self.emit(indent + 2, "break")
            self.emit(indent + 1, f"counter.append({self.added[0][1]})")
        if self.indices == known[1]:
            self.indices.append("n")
        self.some(indent + 1, 3)
        self.numbers, self.indices = known
        if self.chance(0.2):
            self.emit(indent, "else:")
            self.some(indent + 1, 1)

    def jumping(self, indent):
        """A loop with several ways back and out."""
        index = self.fresh("i")
        self.emit(indent, f"{index} = -1")
        self.emit(indent, f"while {self.pick(('True', f'{index} < n', 'n'))}:")
        self.emit(indent + 1, f"{index} += 1")
        self.emit(indent + 1, f"if {index} >= {self.pick(('n', '5', 'limit'))} or {index} > 9:")
        self.emit(indent + 2, "break")
        known = list(self.indices)
        self.whiles.add(index)
        self.indices.append(index)
        for _ in range(self.random.randint(1, 3)):
            self.some(indent + 1, 1)
            self.emit(indent + 1, f"if {self.test()}:")
            self.emit(indent + 2, self.pick(("continue", "continue", "break")))
        self.some(indent + 1, 1)
        self.indices = known
        if self.chance(0.3):
            self.emit(indent, "else:")
            self.some(indent + 1, 1)

    def others(self):
        groups = super().others()
        if not self.lists:
            self.lists.append(self.fresh("l"))
        self.grids, self.dicts = [self.fresh("r")], [self.fresh("d")]
        return groups + [(list(self.grids), GRIDS), (list(self.dicts), TABLES)]

    def text(self):
        self.lines = self.prelude() + ["counter = []", "seen = set()"]
        parameters = [Array(self.fresh("x"), ("n",) * self.pick((1, 1, 1, 2)), "f") for _ in range(self.random.randint(1, 2))]
        self.arrays = list(parameters)
        others = self.others()
        self.emit(0, "steps = (1, -1, 0.5)")
        self.emit(0, "total = 0")
        self.head(parameters, others)
        self.emit(0, "show('counter', counter)")
        self.emit(0, "show('total', (total, weight, sorted(map(repr, seen)), Grid.unit, Grid.ratio))")
        return "\n".join(self.lines) + "\n"

    def head(self, parameters, others):
        """The function in its form, and calls of it."""
        names = [p.text for p in parameters] + sum((group for group, _ in others), [])
        starts = [self.fresh("s") for _ in range(self.random.randint(1, 3))]
        indent = 1
        inner = []
        if self.form in ("closure", "nested"):
            self.emit(0, f"def outer({', '.join(names)}):")
            for name in starts:
                self.emit(1, f"{name} = {self.literal(self.pick('fi'))}")
            self.emit(1, "def f():")
            inner = starts if self.chance(0.8) else starts[:1]
            self.emit(2, f"nonlocal {', '.join(inner + names)}")
            indent = 2
        elif self.form == "method":
            self.grids.append("self")
            self.emit(0, "class Model(Grid):")
            self.emit(1, f"def f(self, {', '.join(names)}):")
            indent = 2
        else:
            self.emit(0, f"def f({', '.join(names)}):")
        self.emit(indent, "global total, weight")
        self.emit(indent, f"n = {parameters[0].text}.shape[0]")
        for name in starts:
            if name not in inner:
                self.emit(indent, f"{name} = {self.literal(self.pick('fi'))}")
        self.numbers += starts
        for _ in range(self.random.randint(1, 3)):
            known = list(self.numbers)
            self.pick((self.loop, self.loop, self.jumping, self.over_others, self.managed, self.guarded))(indent)
            self.numbers = known
        self.emit(indent, f"return {', '.join(names + starts)}")
        if self.form in ("closure", "nested"):
            self.emit(1, "return f" if self.form == "closure" else "return f(), f()")
        self.called(parameters, others, names)

    def called(self, parameters, others, names):
        """`f` as calls() knows it, which makes the state visible, too."""
        takes = ", ".join(names)
        call = {"closure": f"(lambda g: (g(), g()))(outer({takes}))", "nested": f"outer({takes})",
                "generator": f"list(f({takes}))", "method": f"Model({names[0]}, 3, 1.5).f({takes})"}.get(self.form, f"f({takes})")
        if self.form == "method":
            self.emit(0, "model = Model(np.arange(6.0), 5, 0.5)")
            call = self.pick((call, f"model.f({takes})"))
        self.emit(0, f"def tried({takes}):")
        self.emit(1, "try:")
        self.emit(2, f"return {call}")
        self.emit(1, "finally:")
        for name in self.grids[:1]:
            self.emit(2, f"show('{name}', state({name}))")
        if self.form == "method":
            self.emit(2, "show('model', state(model))")
        for name in self.lists + self.dicts:
            self.emit(2, f"show('{name}', {name})")
        first = len(self.lines)
        self.calls(parameters, others)
        self.lines[first:] = [line.replace("call('f', f, ", "call('f', tried, ") for line in self.lines[first:]]
