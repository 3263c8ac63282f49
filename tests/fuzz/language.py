"""Random programs that use Python around NumPy: objects, closures, generators, exceptions, aliases.

Arrays and expressions are those of program.py; the statements here put them into the constructs that a
tracer has to get right: what is seen, in which order, after which error.
"""
from program import Array, Program

PRELUDE = '''
import contextlib
counter = []
registry = {}
offset = 1.5
calls = 0

def scale(values, by=2):
    return values * by

def shifted(values):
    return values + offset

def twice(function, values):
    return function(function(values))

def centred(values):
    return values - values.mean()

def pair(values):
    return values + 1, values.sum()

class Odd(Exception):
    pass

class Body:
    kind = 'body'
    def __init__(self, state, rate=0.5):
        self.state = state
        self.rate = rate
        self.steps = 0
        self.log = []
    def step(self, by=1):
        self.state = self.state * self.rate + by
        self.steps += 1
        self.log.append(self.steps)
        return self
    def push(self, by):
        self.state += by
        return self.state
    @property
    def total(self):
        return self.state.sum()
    def __len__(self):
        return self.steps

class Heavy(Body):
    def step(self, by=1):
        super().step(by=by * 2)
        return self

def doubled(values, count):
    for i in range(count):
        counter.append(i)
        yield values * i
    return count

def chained(values):
    got = yield from doubled(values, 2)
    yield values + got

def checked(values, limit):
    if values.size > limit:
        raise Odd('too large', values.size)
    return values - limit

def reraised(values, limit):
    try:
        return checked(values, limit)
    except Odd as error:
        raise ValueError('checked') from error

def variadic(first, *rest, key=1, **named):
    total = first * key
    for item in rest:
        total = total + item
    for name in sorted(named):
        total = total - named[name]
    return total

def counted(function):
    def inner(*args, **keywords):
        global calls
        calls += 1
        return function(*args, **keywords)
    return inner

@counted
def smoothed(values):
    return (values + values[::-1]) / 2

def accumulate_into(values, into):
    into += values
    return into

def make_adder(values):
    count = 0
    def add(more):
        nonlocal count, values
        count += 1
        values = values + more
        return values, count
    return add

def countdown(values, depth):
    if depth == 0:
        return values
    return countdown(values - 1, depth - 1) + 1

@contextlib.contextmanager
def noted(name):
    registry[name] = registry.get(name, 0) + 1
    try:
        yield name
    finally:
        counter.append(name)
'''.strip().splitlines()


class LanguageProgram(Program):
    """A Program whose statements are Python's more than NumPy's."""

    def __init__(self, seed):
        super().__init__(seed)
        self.functions = 0
        self.loops = 0

    def new(self, indent, text, like, kind=None):
        """A variable that holds `text`, an array of the shape of `like`."""
        name = self.fresh("v")
        self.emit(indent, f"{name} = {text}")
        if indent == 1:
            self.arrays.append(Array(name, like.shape, kind or like.kind))
        return name

    def nested(self, indent, most=2):
        for _ in range(self.random.randint(1, most)):
            self.statement(indent + 1)

    # Control flow.

    def while_loop(self, indent):
        name = self.fresh("t")
        self.emit(indent, f"{name} = 0")
        self.emit(indent, f"while {name} < {self.pick('123')}" + self.pick((
            ":", f" and {self.condition()}:", f" or {self.condition()} and {name} < 4:")))
        self.emit(indent + 1, f"{name} += 1")
        self.nested(indent)
        if self.chance(0.2):
            self.emit(indent, "else:")
            self.emit(indent + 1, f"counter.append({name})")

    def for_loop(self, indent):
        a, b = self.pick(self.arrays), self.array(1)
        name, other = self.fresh("i"), self.fresh("e")
        header, value = self.pick((
            (f"for {name}, {other} in enumerate(({a.text}, {b.text})):", f"{other} * {name}"),
            (f"for {name}, {other} in zip(range(3), [{a.text}, {b.text}]):", f"{other} + {name}"),
            (f"for {name} in reversed([1, 2, 3]):", f"{a.text} - {name}"),
            (f"for {name} in range(3, 0, -1):", f"{a.text} / {name}"),
            (f"for {name} in (0.5, 2, True, None):", f"{a.text} if {name} is None else {a.text} * {name}"),
            (f"for {name}, {other} in {{'p': {a.text}, 'q': {b.text}}}.items():",
             f"({other}, len({name}))[0]"),
            (f"for {name} in doubled({a.text}, 3):", f"{name} + 1"),
            (f"for {name} in chained({a.text}):", f"np.abs({name})"),
        ))
        self.emit(indent, header)
        result = self.fresh("v")
        self.emit(indent + 1, f"{result} = {value}")
        self.emit(indent + 1, self.pick((
            f"counter.append({result}.shape)", f"registry['last'] = {result}",
            f"show('loop', {result})", f"if {result}.size == 0: break",
            f"if {result}.any(): continue", "pass")))
        if self.chance(0.5):
            self.nested(indent, 1)

    def matched(self, indent):
        a = self.pick(self.arrays)
        self.emit(indent, f"match {a.text}.shape:")
        self.emit(indent + 1, "case ():")
        self.emit(indent + 2, "counter.append('scalar')")
        self.emit(indent + 1, "case (rows,) if rows > 3:")
        self.emit(indent + 2, f"show('matched', {a.text} + rows)")
        self.emit(indent + 1, "case (rows, columns):")
        self.emit(indent + 2, f"show('matched', {a.text} * columns - rows)")
        self.emit(indent + 1, "case _:")
        self.emit(indent + 2, "counter.append(0)")

    def early_return(self, indent):
        a = self.array(1)
        self.emit(indent, f"if {self.condition()} and {self.condition()}:")
        self.emit(indent + 1, f"return {a.text}, counter[-1:]")

    # Exceptions.

    def attempt_finally(self, indent):
        a = self.pick(self.arrays)
        self.emit(indent, "try:")
        self.nested(indent)
        if self.chance(0.6):
            self.emit(indent + 1, self.pick((
                f"checked({a.text}, {self.pick('0 3 30'.split())})",
                f"reraised({a.text}, {self.pick('0 3 30'.split())})",
                f"assert {self.condition()}, 'asserted'",
                f"if {self.condition()}: raise Odd({a.text}.ndim)",
                f"registry['missing'] + {a.text}", f"{a.text}.sum() / 0", f"[{a.text}][2]",
                f"{a.text} + 'text'", f"{a.text}.reshape(-1, 7)", f"1 % ({a.text}.ndim - 1)")))
        handled = self.chance(0.8)
        if handled:
            self.emit(indent, self.pick((
                "except Odd as error:", "except (KeyError, ZeroDivisionError) as error:",
                "except Exception as error:", "except (ValueError, TypeError) as error:")))
            self.emit(indent + 1, "counter.append(type(error).__name__)")
            self.emit(indent + 1, self.pick((
                "print('handled', error.args, error.__cause__, error.__traceback__.tb_lineno)",
                f"show('in handler', {a.text} + 1)", "print(repr(error))",
                f"{a.text}[...] = 1 if {a.text}.flags.writeable else 0",
                "raise RuntimeError('again') from error" if self.chance(0.3) else "pass")))
            if self.chance(0.3):
                self.emit(indent, "else:")
                self.emit(indent + 1, "counter.append('else')")
        if not handled or self.chance(0.4):
            self.emit(indent, "finally:")
            self.emit(indent + 1, self.pick((
                "counter.append('finally')", f"registry['finally'] = {a.text}.sum()",
                f"show('finally', {a.text} - 1)")))

    def managed(self, indent):
        header = self.pick(("noted('block') as label", "noted('a'), noted('b')",
                            "contextlib.suppress(ValueError, Odd)",
                            "np.errstate(divide='ignore', invalid='ignore'), noted('np')"))
        self.emit(indent, f"with {header}:")
        self.nested(indent)
        if self.chance(0.3):
            self.emit(indent + 1, f"checked({self.pick(self.arrays).text}, 3)")

    # Objects, closures, containers.

    def body(self, indent):
        a = self.pick(self.arrays)
        name = self.fresh("body")
        self.emit(indent, f"{name} = {self.pick(('Body', 'Heavy'))}({a.text}{self.pick(('', ', 2', ', rate=0.25'))})")
        for _ in range(self.random.randint(1, 3)):
            self.emit(indent, self.pick((
                f"{name}.step()", f"{name}.step().step(by=3)", f"{name}.push({self.number()})",
                f"{name}.state = {name}.state + 1", f"{name}.rate *= 2", f"{name}.extra = {name}.total",
                f"{name}.log.extend([{name}.kind, len({name})])", f"{name}.state[...] = 1",
                f"for _ in range(3): {name}.step(0.5)", f"setattr({name}, 'rate', 3)",
                f"counter.append({name}.__dict__.get('extra'))", f"registry['body'] = {name}.state")))
        self.emit(indent, f"show('log', ({name}.log, {name}.rate))")
        self.new(indent, f"{name}.state", a, "f")

    def closure(self, indent):
        a, b = self.pick(self.arrays), self.array(1)
        form = self.random.randrange(4)
        name = self.fresh("inner")
        if form == 0:
            self.emit(indent, f"def {name}(x, k={self.number()}):")
            self.emit(indent + 1, f"counter.append('{name}')")
            self.emit(indent + 1, f"return x * k + {b.text}")
            self.new(indent, f"{name}({a.text})", a)
        elif form == 1:
            self.emit(indent, f"{name} = make_adder({a.text})")
            self.emit(indent, f"{name}(1)")
            self.new(indent, f"{name}(2)[0]", a)
        elif form == 2:
            self.emit(indent, f"{name} = [lambda x, k=k: x + k for k in (1, 2)]")
            self.new(indent, f"{name}[1]({name}[0]({a.text}))", a)
        else:
            self.emit(indent, f"{name} = lambda x: (x, {a.text})[x is None]")
            self.new(indent, f"{name}({self.pick(('None', a.text))})", a)

    def called(self, indent):
        a, b = self.pick(self.arrays), self.number()
        text = self.pick((
            f"variadic({a.text}, {b}, 2, key=3)", f"variadic(*[{a.text}, 1], **{{'z': 2, 'y': {b}}})",
            f"smoothed({a.text})" if a.shape else f"shifted({a.text})",
            f"countdown({a.text}, 2)", f"accumulate_into({a.text}, {a.text} * 1.0)",
            f"accumulate_into(1, {a.text})", f"list(doubled({a.text}, 2))[-1]",
            f"next(chained({a.text}))", f"sum(doubled({a.text}, 3))", f"max([{a.text}], key=np.size)",
            f"(lambda *a, **k: a[0])({a.text}, x=1)", f"[*map(shifted, ({a.text},))][0]",
            f"(found := {a.text} + 1)", f"{a.text} if {self.condition()} else {a.text} * 2",
            f"next(iter([{a.text}]))", f"list(zip([{a.text}], [1]))[0][0]",
            f"sorted([(2, {a.text}), (1, 0)], key=lambda p: p[0])[-1][1]"))
        self.new(indent, text, a)

    def containers(self, indent):
        a, b = self.array(1), self.array(1)
        name = self.fresh("items")
        kind = self.random.randrange(4)
        if kind == 0:
            self.emit(indent, f"{name} = [{a.text}, {b.text}, 3]")
            for _ in range(self.random.randint(1, 3)):
                self.emit(indent, self.pick((
                    f"{name}.append({a.text})", f"{name}[0] = {b.text}", f"{name}.pop()", f"{name} += [1]",
                    f"{name}.insert(1, {a.text})", f"{name}.reverse()", f"del {name}[-1]",
                    f"{name}[1:2] = [{b.text}, 4]", f"{name}[0] += 1", f"counter.append(len({name}))")))
        elif kind == 1:
            self.emit(indent, f"{name} = {{'a': {a.text}, 'b': {b.text}}}")
            for _ in range(self.random.randint(1, 3)):
                self.emit(indent, self.pick((
                    f"{name}['c'] = {a.text} * 2", f"{name}.update(a=1)", f"{name}.pop('b', None)",
                    f"{name}.setdefault('d', {b.text})", f"{name}['a'] += 1", f"counter.extend({name})",
                    f"{name} = {{k: v for k, v in {name}.items() if k != 'b'}}",
                    f"registry['n'] = len({name})")))
        elif kind == 2:
            self.emit(indent, f"{name} = ({a.text}, {b.text}) + (1,) * 2")
            self.emit(indent, f"first{name}, *rest{name} = {name}")
            self.emit(indent, f"show('rest', rest{name})")
        else:
            self.emit(indent, f"{name} = [x + i for i, x in enumerate([{a.text}, {b.text}]) if i != {self.pick('019')}]")
        self.emit(indent, f"show('{name}', {name})")

    def printed(self, indent):
        a = self.pick(self.arrays)
        self.emit(indent, self.pick((
            f"print(f'{{{a.text}.shape}} {{{a.text}.dtype!s:>8}} {{{self.pick('123')}!r}}')",
            f"print({a.text}.size, {a.text}.ndim, sep=',', end=';\\n')", f"print({a.text}.strides)",
            f"print('%s' % ({a.text}.sum(),))", f"print({a.text} is {self.pick(self.arrays).text})",
            f"print(np.shares_memory({a.text}, {self.pick(self.arrays).text}))",
            f"print(repr({a.text}))" if not self.big else "print()", f"print({a.text}.flags.owndata)",
            f"print(type({a.text}.sum()).__name__, {a.text}.tolist() == {a.text}.tolist())")))

    def global_state(self, indent):
        a = self.pick(self.arrays)
        self.emit(indent, self.pick((
            f"counter.append({a.text}.size)", f"registry.setdefault('x', []).append({a.text}.ndim)",
            "registry['calls'] = calls", f"counter[:] = counter[-2:]", f"registry['array'] = {a.text}",
            f"Body.kind = 'kind' + str({a.text}.ndim)", "counter.sort(key=str)",
            f"warnings.warn('noted %d' % {a.text}.ndim)")))

    # Arrays that share memory.

    def alias(self, indent):
        a = self.pick(self.arrays)
        full = "[...]" if not a.shape else self.pick(("[...]", "[::-1]", "[:]", ".T.T", ".view()"))
        name = self.new(indent, f"{a.text}{full}", a)
        value = self.pick((self.number(), f"{a.text}", f"{a.text}[...] * 2"))
        self.emit(indent, self.pick((
            f"{name} += {value}", f"{name}[...] = {value}", f"{a.text}[...] = {name} + 1",
            f"{name} *= 2", f"np.add({name}, {value}, out={name})", f"np.copyto({name}, {a.text})",
            f"{name}.fill(3)", f"{name} -= {a.text}", f"np.multiply({a.text}, 2, {name})")))

    def part_store(self, indent):
        a = self.pick([a for a in self.arrays if a.shape] or self.arrays)
        if not a.shape:
            return self.emit(indent, f"{a.text}[()] = {self.number()}")
        text = self.pick((
            f"{a.text}[1:] = {a.text}[:-1]", f"{a.text}[:-1] += {a.text}[1:]", f"{a.text}[::2] = 0",
            f"{a.text}[..., -1] = {self.number()}", f"{a.text}[{a.text} > 0] *= 2",
            f"{a.text}[np.isnan({a.text})] = 0", f"{a.text}[[0, -1]] = 1", f"{a.text}[::-1] = {a.text}",
            f"{a.text}[0] = {a.text}[-1] + 1", f"{a.text}[1:-1] = ({a.text}[2:] + {a.text}[:-2]) / 2",
            f"{a.text}.flat[0] = 2", f"{a.text}[..., 0], {a.text}[..., -1] = {self.number()}, 1",
            f"np.maximum({a.text}, 0, out={a.text})", f"{a.text}.sort()",
            f"np.cumsum({a.text}, axis=0, out={a.text})", f"{a.text}.clip(-1, 1, out={a.text})"))
        return self.emit(indent, text)

    def small(self, indent):
        a = self.pick(self.arrays)
        form = self.pick((
            f"np.array({self.number()}) + {a.text}", f"np.float32({a.text}.size) * {a.text}",
            f"{a.text} + {a.text}.max(initial=0)", f"{a.text} * np.mean({a.text})",
            f"np.where({a.text}.sum() > 0, {a.text}, 1)", f"{a.text} - np.array([2])[0]",
            f"np.array(2.5) * {a.text}", f"{a.text} ** np.array(2)", f"{a.text} * np.int8(3)"))
        self.new(indent, form, a, "f")

    def statement(self, indent):
        kinds = [(self.assign, 8), (self.assign_number, 3), (self.in_place, 4), (self.store, 3),
                 (self.called, 4), (self.body, 2), (self.closure, 2), (self.containers, 2.5),
                 (self.alias, 3), (self.part_store, 3), (self.small, 2), (self.printed, 1),
                 (self.global_state, 1.5), (self.show, 1), (self.faulty, 0.2)]
        if indent <= 2:
            kinds += [(self.branch, 2), (self.loop, 1.5), (self.while_loop, 1.5), (self.for_loop, 2),
                      (self.attempt_finally, 2), (self.managed, 1), (self.errstate, 0.7),
                      (self.attempt, 0.4), (self.matched, 0.4)]
        if indent == 1:
            kinds += [(self.early_return, 0.4)]
        weights = [weight for _, weight in kinds]
        self.random.choices([kind for kind, _ in kinds], weights)[0](indent)

    def prelude(self):
        return list(PRELUDE)

    def postlude(self):
        self.emit(0, "show('counter', counter)")
        self.emit(0, "show('registry', registry)")
        self.emit(0, "show('calls', (calls, Body.kind))")
