"""Random programs that keep state between calls: windows, histories, tables, tasks, products of equals.

What language.py's programs do within one call, these do over many: the function is called again and again
and finds what it left behind, at places and under keys that change from call to call.
"""
from language import LanguageProgram

PRELUDE = '''
import collections
import heapq
import itertools
tick = 0
history = [None] * 8
totals = [0.0] * 8
window = collections.deque(maxlen=3)
waiting = collections.deque()
counts = collections.Counter()
groups = collections.defaultdict(list)
sums = collections.defaultdict(float)
ordered = collections.OrderedDict()
heap = []
serial = itertools.count()
objects = []

class Model:
    made = 0
    best = None
    limits = [0, 10]
    def __init__(self, weights):
        Model.made += 1
        self.weights = weights
        self.calls = 0
        self.moments = {}
    def __call__(self, values):
        self.calls += 1
        type(self).best = values.size
        return values * 0.5 + self.calls
    def __getitem__(self, key):
        return self.moments[key]
    def __setitem__(self, key, value):
        self.moments[key] = value
    def __contains__(self, key):
        return key in self.moments
    def __iter__(self):
        yield self.calls
        yield from self.moments
    @classmethod
    def reset(cls):
        cls.made = 0
        return cls
    @staticmethod
    def half(values):
        return values / 2
    @property
    def state(self):
        return self.moments.get('m', self.calls)
    @state.setter
    def state(self, value):
        self.moments['m'] = value

model = Model(1.0)

def producer(values):
    try:
        sent = yield values
        while True:
            sent = yield values + (sent or 0)
    except ValueError:
        counter.append('thrown')
        yield values * 2
    finally:
        counter.append('closed')

def managed_producer(values):
    with noted('producer'):
        for k in range(3):
            yield values * k

def grouped(values, k):
    try:
        raise ExceptionGroup('group', [ValueError(k), TypeError('t'), Odd(k)][:1 + k % 3])
    except* ValueError as group:
        counter.append(len(group.exceptions))
        values = values + 1
    except* Odd:
        values = values * 2
    return values

def dispatch(kind, values):
    return {'add': lambda v: v + tick, 'mul': lambda v: v * 2, 'sub': shifted}[kind](values)
'''.strip().splitlines()


class StatefulProgram(LanguageProgram):
    """A LanguageProgram whose function changes what it keeps from call to call."""

    def at(self):
        """An index that changes from call to call."""
        return self.pick(("tick % 8", "tick", "-tick", "tick - 1", "tick + 1", "(tick * 3) % 7", "-1", "0"))

    def key(self):
        return self.pick(("tick", "tick % 3", "'k'", "'k' + str(tick % 2)", "(tick, 'k')", "tick % 2 == 0", "None"))

    def stored(self, indent):
        a, at = self.pick(self.arrays), self.at()
        self.emit(indent, self.pick((
            f"history[{at}] = {a.text}", f"totals[{at}] += float({a.text}.sum())", f"totals[{at}] = {a.text}.size",
            f"history[{at}] = {a.text} * 2", f"history[{at}], totals[{at}] = {a.text} + 1, tick",
            f"history[{at}] = ({a.text}, tick)", f"del history[{at}]; history.append({a.text})",
            f"history[{at}] = history[{self.at()}]", f"totals[{at}] = totals[{self.at()}] + 1.0",
            f"history[{at}:] = history[{at}:][::-1]", f"counter.append(totals[{at}])",
            f"history.insert({at}, {a.text}); history.pop()")))

    def queued(self, indent):
        a = self.pick(self.arrays)
        self.emit(indent, self.pick((
            f"window.append({a.text})", f"window.append({a.text} + 1); counter.append(len(window))",
            f"window.append({a.text}); show('window', [w.shape for w in window])", f"waiting.append((tick, {a.text}))",
            "if waiting: show('waiting', waiting.popleft())", f"window.appendleft({a.text} * 2); window.rotate(1)",
            f"waiting.extend([tick, {a.text}])", "counter.append([type(w).__name__ for w in waiting][-3:])",
            f"window.append({a.text}); registry['oldest'] = window[0]",
            f"window.append({a.text}); registry['mean'] = sum(w.sum() for w in window) / len(window)",
            f"heapq.heappush(heap, (-tick, next(serial), {a.text}))",
            "show('heap', heapq.heappop(heap)) if heap else None")))

    def tabled(self, indent):
        a, key = self.pick(self.arrays), self.key()
        self.emit(indent, self.pick((
            f"counts[{key}] += 1", f"counts.update([{key}, 'x'])", f"sums[{key}] += float({a.text}.sum())",
            f"groups[{key}].append({a.text}.ndim)", f"groups[{key}].append({a.text} + tick)",
            f"ordered[{key}] = {a.text}.size; ordered.move_to_end({key})", f"registry[{key}] = {a.text} * tick",
            f"registry[{key}] = registry.get({key}, 0) + 1", f"counter.append({key} in sums)",
            f"show('counts', counts.most_common(2))", f"registry.pop({key}, None)",
            f"registry.setdefault({key}, {a.text}.shape)", f"counter.append(counts[{key}])",
            f"for key in list(sums): sums[key] *= 0.5", f"counter.append(sorted(map(str, registry)))")))

    def modelled(self, indent):
        a, key = self.pick(self.arrays), self.key()
        self.emit(indent, self.pick((
            f"show('model', model({a.text}))", "Model.made += 1", f"Model.best = {a.text}.sum()",
            f"model[{key}] = {a.text} + model.calls", f"show('part', model[{key}] if {key} in model else None)",
            f"model.state = {a.text}.max(initial=0)", f"show('state', model.state)", "counter.append(list(model))",
            f"objects.append(Model({a.text}))", "Model.limits[0] -= 1", f"Model.limits[1] = {a.text}.ndim",
            f"counter.append((Model.made, model.calls, Model.limits[:]))", f"Model.reset().half({a.text})",
            "objects[-1:] = []", f"setattr(Model, 'rate', tick); show('rate', {a.text} * Model.rate)",
            f"model.weights = model.weights * 0.5 + {a.text}.size")))

    def suspended(self, indent):
        a = self.pick(self.arrays)
        name = self.fresh("g")
        maker = self.pick(("producer", "managed_producer", "doubled"))
        self.emit(indent, f"{name} = {maker}({a.text}{', 3' if maker == 'doubled' else ''})")
        self.emit(indent, f"show('first', next({name}))")
        for _ in range(self.random.randint(0, 2)):
            self.emit(indent, self.pick((
                f"show('next', next({name}, None))", f"registry['task'] = {name}.gi_frame is None",
                f"{name}.close()", f"del {name}; {name} = iter([{a.text}])",
                f"show('zipped', list(zip({name}, range(2))))")))
        if maker == "producer" and self.chance(0.5):
            self.emit(indent, "try:")
            self.emit(indent + 1, f"show('sent', {name}.send(tick))" if self.chance(0.5)
                      else f"show('thrown', {name}.throw(ValueError('v')))")
            self.emit(indent, "except (AttributeError, StopIteration, TypeError, ValueError) as error:")
            self.emit(indent + 1, "counter.append(type(error).__name__)")

    def product(self, indent):
        """Products of equal arrays, which BLAS treats in another way if they are one."""
        a = self.array(1)
        if len(a.shape) != 2:
            return self.grouped(indent)
        one, two = self.fresh("p"), self.fresh("p")
        self.emit(indent, f"{one} = {a.text} * 0.5")
        self.emit(indent, f"{two} = " + self.pick((one, f"{a.text} * 0.5", f"{one}.copy()", f"{one}[:]", f"+{one}")))
        self.emit(indent, f"show('product', " + self.pick((
            f"{one} @ {two}.T", f"np.dot({one}.T, {two})", f"np.matmul({two}, {one}.T)", f"np.inner({one}, {two})",
            f"np.tensordot({one}, {two}, 2)", f"{one}[::2] @ {two}[::2].T")) + ")")

    def grouped(self, indent):
        a = self.pick(self.arrays)
        self.emit(indent, "try:")
        self.emit(indent + 1, f"show('grouped', grouped({a.text}, tick))")
        self.emit(indent, "except ExceptionGroup as rest:")
        self.emit(indent + 1, "counter.append(str(rest))")

    def dispatched(self, indent):
        a = self.pick(self.arrays)
        kind = self.pick(("'add'", "'mul'", "'sub'", "('add', 'mul')[tick % 2]", "'none'"))
        self.emit(indent, "try:")
        self.emit(indent + 1, f"show('dispatched', dispatch({kind}, {a.text}))")
        self.emit(indent, "except KeyError as error:")
        self.emit(indent + 1, "counter.append(error.args)")

    def statement(self, indent):
        own = (self.stored, self.queued, self.tabled, self.modelled, self.suspended, self.product, self.grouped,
               self.dispatched)
        if self.chance(0.5):
            return super().statement(indent)
        return self.random.choices(own, (4, 3, 3, 3, 1, 1, 0.5, 1))[0](indent)

    def prelude(self):
        return super().prelude() + PRELUDE

    def calls(self, parameters, numbers):
        self.emit(0, "g = f")
        self.emit(0, "def f(*args):")
        self.emit(1, "global tick")
        self.emit(1, "tick += 1")
        self.emit(1, "return g(*args)")
        super().calls(parameters, numbers)

    def postlude(self):
        super().postlude()
        self.emit(0, "show('kept', (history, totals, list(window), list(waiting), counts, dict(groups), dict(sums)))")
        self.emit(0, "show('rest', (dict(ordered), [h[:2] for h in heap], len(objects), Model.made, Model.best))")
        self.emit(0, "show('model', (model.calls, model.moments, model.weights))")
