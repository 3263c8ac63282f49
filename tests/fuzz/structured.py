"""Random programs of structured Python around arrays: what the other generators only do one piece of at a time.

Jumps out of try, finally and with from within loops; closures and generators that live across calls and change
what they close over; recursion over parts of arrays; classes that answer NumPy's ufuncs, operators and functions;
patterns, walruses and comprehensions; overlapping in-place stores; error states and warning filters that are set
and restored; scalars of all dtypes in arithmetic, as keys and in text.

Expressions and statements are templates: {a} and {b} vectors, {m} a matrix, {s} a number's name, {i} an index, {n} a
literal, {l} a list's name, {o} an object's, {c} a condition, {e} an expression of numbers, {f} a function, {d} a dtype.
"""
import re

from mixed import table
from program import FLOATS, INTS, Array, Program

PRELUDE = '''
np.set_printoptions(precision=8, suppress=False)
import collections, contextlib, datetime, functools, itertools, math, operator
log = []
held = {}
ticks = 0
LIMIT = 5

class Unit:
    """Answers NumPy by itself."""
    __array_priority__ = 20
    def __init__(self, values, name='m'):
        self.values, self.name = values, name
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        if method != '__call__' or kwargs.get('out'):
            return NotImplemented
        values = [x.values if isinstance(x, Unit) else x for x in inputs]
        return Unit(ufunc(*values, **kwargs), self.name + '.' + ufunc.__name__)
    def __add__(self, other):
        return np.add(self, other)
    def __radd__(self, other):
        return np.add(other, self)
    def __repr__(self):
        return f'Unit({self.values!r}, {self.name})'

class Old:
    __array_ufunc__ = None
    def __radd__(self, other):
        return 'old radd'
    def __rmul__(self, other):
        return np.asarray(other) * 2
    def __lt__(self, other):
        return True

class Wrapped:
    """Becomes an array when NumPy asks for one."""
    def __init__(self, values):
        self.values = values
    def __array__(self, dtype=None):
        log.append('asked')
        return np.array(self.values, dtype=dtype)
    def __len__(self):
        return len(self.values)
    def __getitem__(self, at):
        return self.values[at]
    def __index__(self):
        return 1
    def __float__(self):
        return float(self.values.sum())

class Traced(np.ndarray):
    def __array_finalize__(self, other):
        self.seen = getattr(other, 'seen', 0) + 1
    def __array_wrap__(self, out, context=None):
        return np.ndarray.__array_wrap__(self, out, context)

class Point:
    __slots__ = ('x', 'y')
    __match_args__ = ('x', 'y')
    def __init__(self, x, y):
        self.x, self.y = x, y
    def __iadd__(self, other):
        self.x = self.x + other
        return self
    def __eq__(self, other):
        return isinstance(other, Point) and self.x is other.x
    def __bool__(self):
        return bool(np.any(self.x))
    def __hash__(self):
        return 7
    def __repr__(self):
        return f'Point({self.x!r}, {self.y!r})'

class Stop(Exception):
    pass

def stepper(values, by=1):
    """A generator that writes what it was given."""
    total = 0
    try:
        for i in range(len(values)):
            got = yield values[i] + total
            if got is not None:
                values[i] = got
            total += by
    except Stop:
        yield total
    finally:
        log.append(('stepper', total))

def pairs(values):
    yield from zip(values, values[1:])
    return len(values)

def delegated(values):
    count = yield from pairs(values)
    log.append(count)

def quick(values):
    if len(values) <= 1:
        return values
    pivot = values[len(values) // 2]
    return np.concatenate([quick(values[values < pivot]), values[values == pivot], quick(values[values > pivot])])

def half_sum(values, low, high):
    if high - low <= 0:
        return 0
    if high - low == 1:
        return values[low]
    middle = (low + high) // 2
    return half_sum(values, low, middle) + half_sum(values, middle, high)

def swap_down(values, k=0):
    if k >= len(values) // 2:
        return values
    values[k], values[-1 - k] = values[-1 - k], values[k]
    return swap_down(values, k + 1)

def descend(matrix, i, j, best):
    if i >= matrix.shape[0] or j >= matrix.shape[1]:
        return best
    return max(descend(matrix, i + 1, j, best + matrix[i, j]), descend(matrix, i + 1, j + 1, best - matrix[i, j])) \
        if i < 4 else best

def counter_of(start):
    count, last = start, None
    def bump(value):
        nonlocal count, last
        count = count + value
        last, previous = value, last
        return count, previous
    def peek():
        return count, last
    return bump, peek

@contextlib.contextmanager
def scope(name, swallow=False):
    log.append('enter ' + name)
    try:
        yield name
    except Stop as stop:
        log.append('stop ' + str(stop))
        if not swallow:
            raise
    finally:
        log.append('leave ' + name)

def announced(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        log.append(function.__name__)
        return function(*args, **kwargs)
    return inner

@announced
def norm1(values, *, axis=None):
    return np.abs(values).sum(axis=axis)

@functools.lru_cache(maxsize=4)
def cached(number):
    log.append('cached')
    return number * 2
'''.strip().splitlines()

NUMBERS = """
{s}; {s}; {i}; {n}; {a}[{i}]; {a}[{i}]; {m}[{i}, {i}]; {a}.sum(); {a}.size; len({l}); {a}.max(initial=0); float({a}[{i}]); int({a}[{i}]); {a}[{i}].item()
({e} + {e}); ({e} - {e}); ({e} * {e}); ({e} / {e}); ({e} // {e}); ({e} % {e}); (-{e}); abs({e}); ({e} ** 2); min({e}, {e}); max({e}, {s}); ({e} if {c} else {e}); ({s} := {e}); round({e}, 2); divmod({e}, {n})[1]
{a}.dtype.type({e}); np.{d}({n}); np.float16({n}) * {e}; np.complex64({e}); np.uint64({i}) + {e}; np.int8({i}) * {n}; np.bool_({e}); ({e} == {e}); ({s} is None); bool({e}); ({e} and {e}); ({e} or {e}); (not {e}); hash({i}) % 7
math.floor({e}); math.copysign(1, {e}); math.isnan({e}); complex({e}).imag; np.sqrt({e}); np.abs({e}); np.sign({e}); np.maximum({e}, {e}); np.add({e}, {e}, dtype=float); np.isnan({e}); np.square({e}); np.hypot({e}, 1)
half_sum({a}, 0, len({a})); descend({m}, 0, 0, 0); norm1({a}); sum(v for v in {a}); sum([v * v for v in {a}]); len({v for v in {a}.tolist()}); max(map(float, {a}), default=0); functools.reduce(operator.mul, {a}, 1); cached({n}); held.get('s', 0)
{f}({e}); (lambda v, k={n}: v + k)({e}); [{e}, {e}][{i} % 2]; ({e}, {e})[-1]; {'p': {e}}['p']; len(f'{{{e}}}'); len(str({e})); int(str(int({e}))); sum({a} > {e}); np.count_nonzero({a} < {e}); {a}.argmax(); {a}[{a} > {e}].size; all({a} < {n}); any(v > {n} for v in {a})
"""

ARRAYS = """
{a}; {a}; {a} + {e}; {a} * {n}; {e} - {a}; {a} + {b}; {a} * {b}; {a}[::-1]; {a}[1:]; {a}[:-1]; {a}[{i}:]; -{a}; {m}[{i}]; {m}[:, {i}]; {m}.sum(axis=0); {m} @ {m}[0]; np.where({a} > {e}, {a}, {n}); np.sort({a}); quick({a}); {a}.copy()
swap_down({a}.copy()); np.array([v + {n} for v in {a}]); np.array(list(map(abs, {a}))); np.array([{f}(v) for v in {a}]); np.fromiter((v for v in {a}), float); np.array(sorted({a}.tolist())); np.cumsum({a}); {a} / (np.abs({a}).max(initial=0) + 1); {a}.astype(np.{d}); np.asarray(Wrapped({a})); {a} + Wrapped({b})
np.array([p - q for p, q in zip({a}, {b})]); np.stack([{a}, {a}])[0]; np.array({l}[:1] or [0]); {a} % 3; {a} > {e}; np.abs({a}) ** 0.5; ({a} := {a} + 1); {a} if {c} else {b}; np.concatenate([{a}[1:], {a}[:1]]); np.minimum({a}, {b}); {a}.reshape(-1, 1)[:, 0]; {m}.T[0]; {m}.diagonal(); np.clip({a}, -1, {n})
np.array([{e}, {e}, {n}]); np.full(3, {e}); np.arange(4) * {e}; {a}.view(Traced); np.asarray({a}.view(Traced) + {e}); (Unit({a}) + {e}).values; (Unit({a}) + {b}).values; np.sqrt(Unit({a})).values; np.ma.masked_less({a}, 0).filled({n}); {f}({a}); np.repeat({a}[:1], 3); {a}[[0, -1]]; {a}[{a} != {e}]; np.roll({a}, {i}); np.diff({a})
"""

SIMPLE = """
{s} = {e}; {s} = {e}; {s} += {e}; {s} *= {n}; {s} -= {e}; {s}, {t} = {t}, {s}; {s} = {t} = {e}; log.append({e}); log.append(({s}, {i})); {l}.append({e}); {l}.append({s}); {l}[{i}] = {e}; {l}[{i}] += {e}; {s} = {l}.pop() if {l} else {e}; {l}.sort(key=str); del {l}[:1]; {l}[1:2] = [{e}, {s}]
{a}[{i}] = {e}; {a}[{i}] += {e}; {a}[{i}] -= {a}[{i} - 1]; {a}[{i}], {a}[0] = {a}[0], {a}[{i}]; {m}[{i}, {i}] = {e}; {m}[{i}][0] += {e}; {m}[{i}] += {a}[:1]; {a}[1:] += {a}[:-1]; {a}[:-1] -= {a}[1:]; {a}[::-1] += {a}; {a}[::2] *= {n}; {a}[:2] = {a}[-2:]; {a}[...] = {e}; {a}[{a} > {e}] = {n}; {a} += {e}; {a} *= {b}; {m} += {m}.T; {m}[:, 0] = {m}[0]; {m}[1:] = {m}[:-1]; np.add({a}, {e}, out={a}); {a}[{i}:] = {a}[{i}]
{o} = Point({e}, {A}); {o}.x = {e}; {o}.x += {e}; {o} += {e}; {o}.y = {A}; {s} = {o}.x; log.append(bool({o})); held[{i}] = {A}; held['s'] = {e}; held[float({e})] = {i}; held.setdefault({s}, []).append({i}); {s} = held.pop('s', {e}); held['o'] = {o}; held.update(k={e}); log.append({e} in held); log.append(sorted(map(str, held))[:3]); held[{o}] = {s}; {s} = held.get(({i}, 'k'), {e}); log.append(list({o}.y)[:2])
ticks += 1; LIMIT = LIMIT % 7 + 1; log.append(ticks); {v} = {A}; {v} = {A}; show('A', {A}); print({e}); print(repr({e}), str({e})); print(f'{{{e}:>8}} {{{s}!r:.7}} {{{i}:03d}}'); print('%s %r' % ({e}, {s})); print('{:.3f} {:g} {:e}'.format({e}, {s}, {i})); print({A}); print(repr({A})); print([{e}, {s}], ({i}, {n})); print({{'k': {e}}}, {{{i}}}); print(type({e}).__name__)
bump, peek = held.setdefault('closures', counter_of({e})); log.append(bump({e})); log.append(held['closures'][0]({s}) if 'closures' in held else None); log.append(held['closures'][1]()); held['gen'] = stepper({a}, {n}); log.append(next(held['gen'], None) if 'gen' in held else 0); log.append(held['gen'].send({e}) if 'gen' in held else 0); held['gen'].throw(Stop); held.pop('gen', None); held['gen'].close(); held['pairs'] = delegated({a}); log.append(next(held.get('pairs', iter(())), None)); {s} = sum(p * q for p, q in delegated({a}))
warnings.simplefilter({w}); warnings.filterwarnings({w}, category=RuntimeWarning); old = np.seterr({r}); np.seterr(all='warn'); np.set_printoptions(precision={i} % 9 + 1); log.append(np.geterr()['divide']); warnings.warn('mind ' + str({i})); {s} = np.float64({e}) / 0; {a}[{i}] /= 0; log.append(1 / {e}); {s} = np.int8(100) + np.int8({i}) * 50; assert {c}, ({s}, 'asserted'); log.append({f}({e})); {v} = None
frozen = {a}.copy();frozen.flags.writeable = False;frozen[{i}] = {e}; frozen += 1; {v} = {a}[:];{v}.flags.writeable = False;{v} += 1; wide = np.broadcast_to({a}[:1], 4); wide[0] = {e}; wide = wide + {e}; {v} = np.lib.stride_tricks.sliding_window_view({a}, 2)[:, 0]; {v} = np.lib.stride_tricks.as_strided({a}, (3,), (0,)) + 0; {a}[{a}.argsort()] = {A}; when = np.datetime64('2020-01-0' + str(1 + {i} % 9)) + np.timedelta64({i}, 'D');print(when); log.append(str(np.arange('2020-01', '2020-03', dtype='M8[M]') + {i})); {s} = (np.timedelta64({i}, 's') / np.timedelta64(1, 's'))
{a}, {b} = {b}, {a}; {v}, *{l} = {A}; {s}, {t} = {a}[:2]; ({s}, ({t}, *{l})) = ({e}, {A}); [{s}, *{l}] = {l} or [{e}]; for {l}[0:1] in ([{e}],): pass; {s} = [{t} := {e}, {t} + 1][-1]; {l} = [v for v in {A}]; {l} = [*{l}[-3:], {e}, *map({f}, {l}[:2])]; {s} = {o} == Point({e}, 1); log.append(Old() < {a}); log.append({a} + Old()); {v} = {a} * Old(); log.append(repr(Unit({a}) + {e})); log.append({a}.view(Traced).seen); {v} = np.asarray(Unit({a})).ndim
"""

CONDITIONS = """
{e} > {e}; {e} < {e} <= {e}; {s} == {e}; {a}.any(); len({l}) > 2; {i} % 2; {s} is None; {e} in {l}; {a}.size and {a}[0] > {n}; not {e}; {o}; isinstance({s}, np.floating); {e} != {e} or {i} > 1; ({t} := {e}) > 1; all({a} == {a}); bool({a}.size); type({s}) is float; ticks % 3 == 0; LIMIT > 3; {a} is {b}
"""

LOOPS = """
for {i} in range(len({a})); for {i} in range({k}); for {i} in range({k}); for {i}, {s} in enumerate({a}); for {s} in {a}; for {s} in {A}; for {s}, {t} in zip({a}, {b}); for {s} in {l}[:4]; for {s} in stepper({a}); for {s}, {t} in delegated({a}); for {s} in {a}[::-1]; for {v} in {m}; for {v} in ({a}, {b}); for {i}, {v} in enumerate({m}.T); for {s} in sorted({a}.tolist()); for {i} in range(len({a}) - 1, -1, -1)
for {s} in itertools.islice(held.setdefault('g', itertools.cycle([{n}, {e}])), 3); for {s} in (v * {n} for v in {a} if v == v); for {i}, {t} in np.ndenumerate({m}[0]); for {s} in map({f}, {a}); for {s} in reversed({l}[-3:]); for {i} in {a}.astype(int)[:3]; for {s}, {t} in {m}[:, :2]; for {s} in np.linspace(0, 1, {k}); for {s} in list(held.values())[:2]
"""

CASES = """
int() | float(); np.float64(); np.floating() | np.integer(); {n}; 0 | 1 | 2; [x, y]; [x, *rest]; (x, y, *_) if len(rest) > 1; {{'k': x}}; Point(x, y); Point(x=0); str(); None; x if x is not None; np.ndarray(shape=(rows,)); np.ndarray(ndim=2, dtype=kind); bool(); []; Point(x=[a, *_]); complex()
"""


class StructuredProgram(Program):
    tables = {name: table(text) for name, text in (
        ("numbers", NUMBERS), ("arrays", ARRAYS), ("simple", SIMPLE), ("conditions", CONDITIONS),
        ("loops", LOOPS), ("cases", CASES))}

    def __init__(self, seed):
        super().__init__(seed)
        self.big = False
        self.depth = 0   # of loops around the statement
        self.lists = ("items", "found")
        self.objects = ("point", "other")
        self.vectors = ["x1", "x2", "y"]
        self.names = ("s1", "s2", "s3", "s4")
        self.indices = ("i1", "i2", "i3")

    def prelude(self):
        return list(PRELUDE)

    def form(self, name):
        return self.pick(self.tables[name])

    def number_literal(self):
        return self.pick(("0", "1", "2", "-1", "3", "0.5", "-0.0", "1.5", "2.0", "1e3", "7", "float('nan')", "float('inf')", "True",
                          "1e-7", "100", "2**31", "2**53 + 1", "1j"))

    def fill(self, form, depth=3):
        def made(found):
            kind = found[1]
            if kind == "e":
                return self.expression(depth - 1)
            if kind == "A":
                return self.fill(self.form("arrays"), depth - 1) if depth > 1 else self.pick(self.vectors)
            if kind == "c":
                return f"({self.fill(self.form('conditions'), depth - 1)})" if depth > 1 else "ticks % 2"
            makers = {"a": lambda: self.pick(self.vectors), "b": lambda: self.pick(self.vectors[:2]),
                      "v": lambda: self.pick(("y", "y", "x2", "z")), "m": lambda: "grid", "s": lambda: self.pick(self.names),
                      "t": lambda: self.pick(self.names), "i": lambda: self.pick(self.indices + ("0", "-1", "1")),
                      "n": self.number_literal, "l": lambda: self.pick(self.lists), "o": lambda: self.pick(self.objects),
                      "d": lambda: self.pick(FLOATS + INTS + ("float16", "complex128", "bool_")),
                      "f": lambda: self.pick(("local", "local", "abs", "float", "outer", "np.abs", "np.negative", "math.sin", "cached")),
                      "k": lambda: self.pick(("3", "LIMIT", "4", "n")),
                      "w": lambda: repr(self.pick(("ignore", "always", "error", "default"))),
                      "r": lambda: self.pick(("all='ignore'", "divide='raise'", "over='ignore', invalid='raise'", "all='warn'"))}
            return makers[kind]() if kind in makers else found[0]
        if "} = " in form or form.startswith("for"):
            # Targets must be names that can be assigned to.
            form = re.sub(r"\{i\}(?=[^=]* in )", lambda _: self.pick(self.indices), form, count=1)
        return re.sub(r"\{(\w)\}", made, form).replace("{{", "{").replace("}}", "}")

    def expression(self, depth):
        if depth <= 0:
            return self.pick(self.names + self.indices + ("1", "0.5", self.pick(self.vectors) + "[0]"))
        return self.fill(self.form("numbers"), depth)

    # Statements.

    def simple(self, indent):
        for _ in range(20):
            text = self.fill(self.form("simple"))
            try:
                compile("def f():\n " + text, "form", "exec")
                break
            except SyntaxError:
                text = "pass"
        if self.chance(0.6):
            return self.emit(indent, text)
        self.emit(indent, "try:")
        self.emit(indent + 1, text)
        self.emit(indent, "except Exception as error:")
        self.emit(indent + 1, self.pick(("print(type(error).__name__, error)", "log.append(repr(error))", "s1 = str(error)[:5]", "pass")))

    def block(self, indent, least=1, most=3):
        for _ in range(self.random.randint(least, most)):
            self.statement(indent)

    def loop(self, indent):
        if self.depth >= 2:
            return self.simple(indent)
        self.depth += 1
        fuel = self.fresh("fuel")
        self.emit(indent, f"{fuel} = 0")
        if self.chance(0.8):
            self.emit(indent, self.fill(self.form("loops"), 2) + ":")
        else:
            self.emit(indent, f"while {self.fill(self.form('conditions'), 2)}:")
        self.emit(indent + 1, f"{fuel} += 1")
        self.emit(indent + 1, f"if {fuel} > {self.pick('4568')}: {self.pick(('break', 'break', 'break', 'raise Stop(' + fuel + ')'))}")
        self.block(indent + 1)
        self.depth -= 1
        if self.chance(0.15):
            self.emit(indent, "else:")
            self.block(indent + 1, 1, 1)

    def jump(self, indent):
        kinds = ["return s1, y", "raise Stop('jump')", "raise ValueError(i1)", "return"]
        if self.depth:
            kinds += ["break", "continue", "break", "continue"]
        self.emit(indent, f"if {self.fill(self.form('conditions'), 2)}: {self.pick(kinds)}")

    def attempt(self, indent):
        self.emit(indent, "try:")
        self.block(indent + 1)
        if self.chance(0.6):
            self.jump(indent + 1)
        handled = self.chance(0.75)
        if handled:
            self.emit(indent, self.pick((
                "except Stop as error:", "except (ValueError, TypeError, IndexError) as error:",
                "except Exception as error:", "except ArithmeticError as error:", "except Warning as error:")))
            self.emit(indent + 1, "log.append(f'{type(error).__name__}: {error}'[:80])")
            self.block(indent + 1, 0, 1)
            if self.chance(0.3):
                self.jump(indent + 1)
            elif self.chance(0.15):
                self.emit(indent + 1, "raise RuntimeError('from handler') from error")
            if self.chance(0.3):
                self.emit(indent, "else:")
                self.block(indent + 1, 1, 1)
        if not handled or self.chance(0.4):
            self.emit(indent, "finally:")
            self.block(indent + 1, 1, 2)
            if self.chance(0.15) and not self.depth:
                self.jump(indent + 1)

    def managed(self, indent):
        self.emit(indent, "with " + self.pick((
            "scope('a') as label", "scope('b', True)", "np.errstate(all='ignore')", "np.errstate(divide='raise', invalid='ignore')",
            "warnings.catch_warnings()", "contextlib.suppress(Stop, ValueError)", "scope('c', True), np.errstate(over='ignore')",
            "np.printoptions(precision=3, suppress=True)", "contextlib.closing(stepper(x1)) as gen",
            "warnings.catch_warnings(record=True) as caught")) + ":")
        self.block(indent + 1)
        if self.chance(0.4):
            self.jump(indent + 1)

    def branch(self, indent):
        self.emit(indent, f"if {self.fill(self.form('conditions'))}:")
        self.block(indent + 1, 1, 2)
        if self.chance(0.4):
            self.emit(indent, f"elif {self.fill(self.form('conditions'), 2)}:")
            self.block(indent + 1, 1, 1)
        if self.chance(0.5):
            self.emit(indent, "else:")
            self.block(indent + 1, 1, 2)

    def matched(self, indent):
        subject = self.pick(("{e}", "{o}", "{A}", "{l}", "({e}, {s})", "{A}.tolist()[:2]", "{a}.shape", "held"))
        self.emit(indent, f"match {self.fill(subject, 2)}:")
        for _ in range(self.random.randint(1, 3)):
            case = self.fill(self.form("cases"), 1)
            # A literal in a pattern is one; a call is not.
            case = re.sub(r"float\('\w+'\)|2\*\*\d+( \+ 1)?", "4.5", case)
            if case.startswith("x if"):
                case = "[x] if x is not None"
            if "rest" in case:
                case = "[x, *rest] if len(rest) > 1"
            self.emit(indent + 1, f"case {case}:")
            self.block(indent + 2, 1, 1)
        self.emit(indent + 1, "case _:")
        self.emit(indent + 2, "log.append('no case')")

    def nested(self, indent):
        """A function that changes what it closes over, made anew and called, perhaps later."""
        if self.depth >= 2:
            return self.simple(indent)
        name = self.pick(("local", "local", "outer"))
        kind = self.random.randrange(4)
        self.emit(indent, f"def {name}(v, k={self.number_literal()}):")
        if kind == 0:
            self.emit(indent + 1, "nonlocal s1")
            self.emit(indent + 1, "s1 = s1 + k")
            self.emit(indent + 1, "return v + s1")
        elif kind == 1:
            self.emit(indent + 1, "nonlocal y, s2")
            self.emit(indent + 1, "for s2 in x1[:2]:")
            self.emit(indent + 2, "y = y + s2 * v")
            self.emit(indent + 1, "return s2")
        elif kind == 2:
            self.emit(indent + 1, f"if v is None: return {self.fill('{e}', 2)}")
            self.emit(indent + 1, f"x1[{self.pick(('0', '-1', 'i1'))}] += k")
            self.emit(indent + 1, "return x1[0] - v")
        else:
            self.emit(indent + 1, "nonlocal items")
            self.emit(indent + 1, "items = items[-3:] + [v]")
            self.emit(indent + 1, "return len(items) * v")
        self.emit(indent, f"held['{name}'] = {name}")

    def statement(self, indent):
        kinds = [(self.simple, 10), (self.jump, 0.4)]
        if indent < 6:
            kinds += [(self.loop, 2.5), (self.attempt, 2), (self.managed, 1.2), (self.branch, 1.5), (self.matched, 0.7),
                      (self.nested, 0.7)]
        weights = [weight for _, weight in kinds]
        self.random.choices([kind for kind, _ in kinds], weights)[0](indent)

    # The program.

    def text(self):
        self.lines = self.prelude()
        self.emit(0, "def f(x1, x2, grid, n):")
        self.emit(1, "global ticks, LIMIT")
        for name, value in (("s1", "0"), ("s2", "x1[0]"), ("s3", "0.5"), ("s4", "ticks"), ("i1", "0"), ("i2", "1"), ("i3", "-1"),
                            ("y", "x1 * 1"), ("z", "x2"), ("items", "[1, x1[-1]]"), ("found", "[]"), ("point", "Point(1, x1)"),
                            ("other", "Point(x2, 2.5)"), ("frozen", "x2[1:]"), ("wide", "y"), ("when", "3"),
                            ("bump, peek", "counter_of(ticks)"), ("local", "held.get('local', abs)"), ("outer", "held.get('outer', float)")):
            self.emit(1, f"{name} = {value}")
        for _ in range(self.random.randint(2, 6)):
            self.statement(1)
        self.emit(1, "return s1, s2, s3, s4, y, items[-4:], found[-4:], point")
        if not self.compiles():
            # A form that does not fit where it stands (a nonlocal of what is not there): the next one.
            return type(self)(self.seed + 500_000_000).text()
        for _ in range(9):
            size = self.pick((4, 5, 5, 6, 1, 2))
            dtype = self.pick(("float64", "float64", "float64", "int64", "float32", "int8", "uint64", "float16", "complex128", "bool"))
            layout = self.pick(("c", "c", "c", "strided", "negative", "readonly", "broadcast", "offset"))
            seed = self.random.randrange(1000)
            self.emit(0, f"call('f', f, make(({size},), {dtype!r}, {layout!r}, {seed}), make(({size},), "
                         f"{self.pick(('float64', dtype, 'int32'))!r}, 'c', {seed + 1}), make(({size}, {size}), {dtype!r}, "
                         f"{self.pick(('c', 'fortran', 'strided'))!r}, {seed + 2}), {size})")
        self.emit(0, "show('log', [str(item) for item in log[-60:]])")
        self.emit(0, "show('state', (ticks, LIMIT, len(log), sorted(map(str, held))))")
        self.emit(0, "held.clear(); log.clear()")
        return "\n".join(self.lines) + "\n"

    def compiles(self):
        try:
            compile("\n".join(self.lines), "generated", "exec")
        except SyntaxError:
            return False
        return True
