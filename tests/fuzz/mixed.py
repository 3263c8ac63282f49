"""Random programs that mix arrays with what else Python and NumPy have: lists and tuples as operands, parts of
complex arrays, masked and unbuffered ufuncs, kept iterators, NumPy's functions of many arguments, attributes
that are set, and random generators.

The forms are templates: {a} an array, {b} one that broadcasts with it, {o} any array, {n} a number, {l} a list
or tuple of numbers, {r} a list as long as the last axis of {a}, {i} an index, {d} a dtype. Most fit some
arguments only; what the others raise is compared as well.
"""
import re

from program import FLOATS, INTS, Array
from stateful import StatefulProgram

PRELUDE = '''
kept = {}
draws = np.random.default_rng(5)

def row(values):
    return list(range(values.shape[-1])) if values.ndim else [2]

def spread(values, *rest, axis=-1):
    return (values, *rest)[axis]
'''.strip().splitlines()

# Values of the shape of {a}.
SAME_SHAPE = """
({a} + {l1}); ({l1} * {a}); ({a} - {r}); ({r} / {a}); ({a} < {l1}); ({r} == {a}); ({a} ** {l1}); ({l1} // {a}); ({a} % {r})
np.maximum({a}, {l1}); np.minimum({r}, {a}); np.where({a} > {n}, {a}, {l1}); np.where({a} > 0, {r}, {a}); np.add({a}, {r})
np.arctan2({l1}, {a}); np.clip({a}, {l1}, 5); np.clip({a}, None, {r}); np.hypot({a}, {r}); np.equal({a}, {l1})
np.add({a}, {n}, out=np.zeros({a}.shape), casting='unsafe'); np.multiply({a}, 2, where={a} > 0, out=np.ones({a}.shape), casting='unsafe')
np.divide({a}, {n}, where={a} != 0, out=np.zeros({a}.shape)); np.sqrt({a}, where={a} >= 0, out=np.full({a}.shape, 3.0))
np.add.accumulate({a}, axis=-1); np.maximum.accumulate({a}, axis=0); np.add({a}, {b}, dtype=complex).real + np.zeros({a}.shape)
({a} + 1j).imag; ({a} * 0.5 + 2j).real; np.real({a}); np.imag({a}); {a}.real; {a}.imag; np.conj({a} + 3j).imag; np.angle({a} + 0j)
np.abs({a} + 1j); ({a} + 1j == {a}); np.sort({a}, axis=-1); np.sort({a}, axis=0)[::-1]; np.argsort({a}, kind='stable'); np.flip({a})
np.roll({a}, {i}); np.roll({a}, {i}, axis=0); np.flip({a}, axis=-1); np.fliplr({a}); np.nan_to_num({a}, nan=1.5, posinf=9); np.round({a}, 2)
np.cumsum({a}, axis=-1); np.nancumsum({a}, axis=0); np.isin({a}, {l}); np.isclose({a}, {n}); np.interp({a}, [0, 1, 2], [3, {n}, 5])
np.take({a}, np.arange({a}.size)).reshape({a}.shape); np.take_along_axis({a}, np.argsort({a}, axis=0), axis=0); np.digitize({a}, [0, 1, 2])
np.searchsorted([0.0, 1.0, 2.0], {a}); np.select([{a} > 1, {a} < 0], [{a}, {l1}], {n}); np.choose({a} > 0, [{a}, {n}]); np.gradient({a}, axis=-1)
np.apply_along_axis(lambda v: v - v[0], -1, {a}); np.vectorize(lambda v: v + 1, otypes=[float])({a}); np.piecewise({a}, [{a} < 0, {a} >= 0], [-1, lambda v: v * 2])
np.asfortranarray({a}); np.ascontiguousarray({a}); np.array({a}, order='F'); np.array({a}, copy=False); np.require({a}, {d}); np.array({a}.tolist()).reshape({a}.shape)
{a}.astype({d}); {a}.astype({a}.dtype, order='F'); {a}.astype({d}).astype(float); {a}.view(); {a}.byteswap().byteswap(); copy.copy({a}); copy.deepcopy({a})
{a}.copy('F'); {a}.reshape({a}.shape, order='F'); {a}.ravel('F').reshape({a}.shape, order='F'); {a}.ravel('K').reshape({a}.shape); {a}.__add__({n}); {a}.__rsub__({n})
operator.add({a}, {b}); operator.neg({a}); divmod({a}, {n})[0]; pow({a}, 2); abs({a}); round({a}, 1); np.frompyfunc(lambda v: v, 1, 1)({a}).astype(float)
np.broadcast_to({a}, {a}.shape); np.broadcast_arrays({a}, {l1})[0]; np.squeeze({a}[None]); np.moveaxis({a}[None], 0, -1)[..., 0]; np.rot90({a}, 4)
np.lib.stride_tricks.as_strided({a}, {a}.shape, {a}.strides); np.triu({a}); np.tril({a}, -1); np.ldexp({a}, 2); np.frexp({a})[0]; np.modf({a})[1]; np.fix({a}); np.sinc({a}); np.i0({a})
draws.standard_normal({a}.shape) + {a}; draws.integers(0, 9, size={a}.shape); np.random.RandomState(3).rand(*{a}.shape); draws.permutation({a})
np.fft.ifft(np.fft.fft({a})).real; np.trunc({a} / 2) * 2; np.vander({a}.ravel(), 1).reshape({a}.shape); np.copysign({a}, {r}); np.ediff1d({a}, to_end=0).reshape({a}.shape)
"""

# Values of another shape.
OTHER_SHAPE = """
np.concatenate([{a}.ravel(), {l}]); np.append({a}, {l}); np.array([{a}.sum(), {n}, 2]); np.array([{a}, {a}]); np.array([[{n}, 1], {l2}]); np.stack([{a}, {b}])
np.hstack([{a}, {b}]); np.vstack(({a}, {b})); np.dstack([{a}, {a}]); np.column_stack([{a}, {a}]); np.r_[{a}.ravel(), {n}]; np.c_[{a}.ravel(), {a}.ravel()]
np.outer({a}, {l}); np.dot({a}, {r}); {a} @ {r}; {r} @ {a}; np.inner({a}, {r}); np.kron({a}, {l}); np.einsum('i,j->ij', {a}.ravel(), {l}); np.einsum('...i->...', {a})
np.tensordot({a}, {a}.T, 1); np.convolve({a}.ravel(), {l}); np.correlate({a}.ravel(), {l}, 'same'); np.cross({l3}, {l3}); np.trapz({a}); np.diff({a}); np.diff({a}, axis=0, prepend=0)
np.tile({a}, (2, 1)); np.repeat({a}, 2, axis=-1); np.repeat({a}.ravel(), [2]); np.pad({a}, 1); np.pad({a}, (1, 2), mode='edge'); np.unique({a}); np.unique({a}, return_counts=True)
np.nonzero({a}); np.flatnonzero({a}); np.argwhere({a} > {n}); {a}[{a} > {n}]; {a}[np.nonzero({a})]; {a}[{l}]; {a}[[0, -1]]; {a}[..., [0]]; {a}[{i}]; {a}[np.array({i})]; {a}[None, ..., None]
{a}[np.argsort({a}.ravel()) if {a}.ndim == 1 else 0]; {a}[slice(None, {i})]; {a}[kept.get('slice', slice(1, None))]; {a}[{a}.size % 3:]; {a}[True]; {a}[()]; {a}[np.newaxis]; {a}[np.ix_([0])]; {a}[np.s_[..., ::2]]
{a}.sum(axis=-1, where={a} > 0); np.sum({a}, axis=0, initial={n}); np.max({a}, axis=-1, initial=3, where={a} > 1); np.mean({a}, axis=0, where={a} > -5); np.prod({a}, axis=None); np.add.reduce({a}, axis=None)
np.add.reduceat({a}, [0], axis=-1); np.multiply.outer({a}.ravel(), {l}); np.logical_and.reduce({a}, axis=0); np.minimum.reduce({a}, axis=-1, initial=4); np.sum([{a}, {b}], axis=0); np.mean([{a}, {a}]); np.max({l})
np.median({a}); np.median({a}, axis=0); np.percentile({a}, [25, 75]); np.quantile({a}, 0.5, axis=-1); np.average({a}, axis=0); np.average({a}, weights=np.ones({a}.shape)); np.cov({a}); np.nanmean({a}, axis=0); np.nanmax({a})
np.histogram({a}, bins=3, range=(0, 3))[0]; np.bincount(np.abs({a}).astype(int).ravel() % 7, minlength=3); np.count_nonzero({a}, axis=-1); np.ptp({a}, axis=0); np.partition({a}, 0); np.lexsort(({a}.ravel(), {a}.ravel()[::-1]))
np.linalg.norm({a}); np.linalg.norm({a}, axis=-1); np.meshgrid({a}.ravel()[:3], {l}); np.linspace(0, 1, {a}.size); np.arange({a}.size, dtype={d}); np.full((2, 2), {a}.size); np.eye({a}.ndim + 1); np.diag({a}); np.trace({a})
np.unravel_index({a}.argmax(), {a}.shape); np.ravel_multi_index((0,), (3,)); np.array_equal({a}, {b}); np.allclose({a}, {a}); np.shape({l}); np.ndim({a}); np.size({r}); np.result_type({a}, {n}); np.can_cast({a}.dtype, 'f4'); np.split({a}, 1)
np.array_split({a}, 2); {a}.tolist(); {a}.item(0); {a}.nbytes; {a}.dtype.name; {a}.dtype.type({n}); {a}.view('u1').shape; {a}.tobytes()[:8]; np.frombuffer({a}.tobytes(), {a}.dtype); {a}.squeeze(); {a}.swapaxes(0, -1); {a}.diagonal(); {a}.compress([True]); {a}.nonzero()
list(np.ndindex({a}.shape))[:3]; [x for x in np.nditer({a})][:2]; list(np.ndenumerate({a}))[:2]; list(zip({a}, {l})); [v + 1 for v in {a}][:2]; sum({a}); max({a}.ravel(), default=0); sorted({a}.ravel())[:2]; list(map(float, {a}.ravel()))[:2]; [*{a}][:1]
list(enumerate({a}.flat))[:2]; {a}.flat[1:3]; {a}.flat[[0, -1]]; len({a}); {n} in {a}; tuple({a}.shape); any({a}.ravel()); float({a}.ravel()[0]); int({a}.sum()) // 3; math.floor({a}.sum()); math.sqrt(abs({a}.max(initial=0))); -2 < {a}.sum() < 9; bool({a}.any()); min({a}.sum(), {n}); divmod({a}.sum(), 3)
isinstance({a}, np.ndarray) and {a}.dtype.kind; np.issubdtype({a}.dtype, np.floating); np.finfo({a}.dtype).eps; np.iterable({a}); f'{{{a}.sum():.3e}}'; '%s' % {a}.max(initial=0); str({a}.sum()); repr({a}.mean()); hash({a}.sum()); np.broadcast_shapes({a}.shape, (1,)); np.isscalar({a}.sum())
np.delete({a}, 0); np.insert({a}, 0, {n}); np.setdiff1d({a}, {l}); np.union1d({a}, {l}); np.intersect1d({a}, {l}); np.in1d({a}, {l}); np.trim_zeros({a}.ravel()); np.polyval({l}, {a}); np.packbits({a} > 0); np.fft.fft({a}); np.fft.rfft({a}).real; np.linalg.det(np.eye(3) * {a}.size); np.block([[{a}, {a}]])
np.nanargmax({a}); np.argmax({a}, axis=-1); np.argpartition({a}, 0); np.compress([True, False], {a}, axis=0); np.extract({a} > 0, {a}); np.place; np.put; np.fromiter(({a}.sum() for _ in range(3)), float); np.char; np.ma.sum({a}); np.array2string({a}); np.sum({a}, axis=(0, -1)); np.any({a} > {l1}, axis=0); np.var({a}, axis=(0,), ddof=1)
"""

# Statements.
STATEMENTS = """
{a}.real = {n}; {a}.imag = {n}; {c}.real = {c}.imag + 1; {c}.imag = {n}; {c}.imag[...] = {n}; {c}.real += {n}; {c}.imag *= 2; {c}.real[1:] = 3; {c}.T.imag[0] = 1; {c}[{c}.real > 0] = 1j; {c} += 1; {c} -= {n}; np.add({c}.imag, 1, out={c}.real); kept['imag'] = {c}.imag
np.add.at({a}, 0, {n}); np.add.at({a}, [0, 0, -1], {n}); np.multiply.at({a}, ([0],), 2); np.maximum.at({a}, [0, -1], {n}); np.negative.at({a}, [0]); np.add.at({a}, np.arange({a}.shape[0] if {a}.ndim else 1) % 2, {n})
np.add({a}, {n}, out={a}, casting='unsafe'); np.add({a}, {b}, out={a}, where={a} > 0, casting='unsafe'); np.multiply({a}, {l1}, out={a}, where=[True], casting='unsafe'); np.negative({a}, {a}, where={a} > {n}); np.copyto({a}, {n}, where={a} > 1, casting='unsafe'); np.putmask({a}, {a} > 0, {l}); np.place({a}, {a} > 1, {l}); np.put({a}, [0, -1], {l})
np.exp({a}, out=(kept.setdefault('out', np.zeros({a}.shape)),)); np.sum({a}, axis=0, out=kept.setdefault('sum', np.zeros({a}.shape[1:]))); np.cumsum({a}, axis=0, out={a}); np.clip({a}, 0, {n}, out={a}, casting='unsafe'); np.take({a}, [0], out=np.zeros(1), mode='clip'); np.round({a}, 1, out={a})
{a}[...] = {l1}; {a}[:] = {r}; {a}[0] = {l1}; {a}[{l}] = {n}; {a}[[0, -1]] = {l2}; {a}[{i}] += {n}; {a}[..., 0] -= {l1}; {a}[{a} > {n}] = {l1}; {a}[{a} > 0] += 1; {a}[1:3] = [7]; {a}[np.array([0, 0])] += 1; {a}[None] = 5; {a}.flat = {l}; {a}.flat[::2] = {n}; {a}.flat[[0, -1]] = 1; {a}[np.ix_([0])] = 4; {a}[()] += 1; {a}[{a}.argmax() if {a}.ndim == 1 else 0] = {n}
{a} += {l1}; {a} *= {r}; {a} -= {b}; {a} //= 2; {a} **= 2; {a} %= 3; {a} <<= 1; {a} |= 1; {a} @= np.eye(3); {a}.shape = (-1,); {a}.shape = {a}.shape[::-1]; {a}.flags.writeable = False; {a}.setflags(write=True); {a}.resize({a}.shape); {a}.fill({n}); {a}.sort(axis=-1); {a}.partition(0); {a}.itemset(0, {n}); {a}.put([0], {l}); {a}.dtype = {a}.dtype; draws.shuffle({a}); np.random.shuffle({a}); np.fill_diagonal({a}, {n})
kept['it'] = iter({a}); show('kept next', next(kept['it'], None) if 'it' in kept else 0); kept['flat'] = {a}.flat; show('flat', next(kept['flat'], None) if 'flat' in kept else 0); kept['array'] = {a}; kept['view'] = {a}[::-1]; kept['slice'] = slice({i}, None); kept['list'] = [{n}, {i}]; kept['array'] = kept.get('array', 0) + {a}; kept['list'] = {a}.tolist(); kept['zip'] = zip({a}, {a}); show('zip', next(kept.get('zip', iter(())), None)); kept.clear(); kept['e'] = enumerate({a})
np.random.seed({i}); kept['draw'] = np.random.rand(); show('draw', np.random.normal(size=2)); show('int', draws.integers(10)); show('choice', np.random.choice({a}.ravel(), 2)); show('pick', draws.choice(5, 2, replace=False)); show('uniform', draws.uniform(-1, 1, {a}.shape[:1])); show('state', np.random.get_state()[2])
show('spread', spread({a}, {l}, {n})); show('star', np.maximum(*[{a}, {l1}])); show('dict', dict(zip('ab', {a}))); show('min', min({a}.shape or (1,))); show('sorted', sorted({l})); show('compare', [{n} < x for x in {l}]); show('reduce', functools.reduce(np.add, [{a}, {b}, {l1}])); show('lists', {l} + {r}); show('product', {l} * 2); show('total', sum({l}, {a}))
"""

LOOPS = """
for {e} in {a}: | show('row', {e} + {n}) | {a}[0] = {n} | {e} += 1 | kept['row'] = {e}
for {e}, {f} in zip({a}, {l}): | show('pair', {e} * {f}) | counter.append({f})
for {e} in {a}.flat: | counter.append(float({e})) | kept['last'] = {e} + 1
for {e}, {f} in np.ndenumerate({a}): | {a}[{e}] = {f} + 1 | counter.append({e})
for {e} in np.nditer({a}, op_flags=['readwrite']): | {e}[...] = {e} + 1
for {e} in range(min(3, len({a}))): | {a}[{e}] += {a}[-{e}] | {a}[{e}, ...] = {l1} | show('at', {a}[{e}]) | kept[{e}] = {a}[{e}] * 2
for {e} in np.arange(3): | show('by', {a} * {e}) | counter.append({e} + 1)
for {e} in np.linspace(0, 1, 3): | kept['sum'] = kept.get('sum', 0) + {e} | show('step', {a} + {e})
for {e}, {f} in enumerate({l}): | show('item', {a} - {f}) | {a}[{e} % max(len({a}), 1)] = {f}
for {e} in [{l}, ({n},), {r}]: | show('list', {a} + {e})
for {e} in {a}.tolist(): | show('of list', {e}) | kept['of'] = np.array({e}) + 1
"""


def table(text):
    return [form.strip() for line in text.strip().splitlines() for form in line.split("; ") if form.strip()]


class MixedProgram(StatefulProgram):
    """A StatefulProgram whose expressions and statements are the templates above, more often than not."""

    same, other, statements = table(SAME_SHAPE), table(OTHER_SHAPE), table(STATEMENTS)
    loop_forms = [[part.strip() for part in line.split(" | ")] for line in LOOPS.strip().splitlines()]

    def __init__(self, seed):
        super().__init__(seed)
        self.big = False  # its loops go over elements

    def small_number(self):
        if self.numbers and self.chance(0.3):
            return self.pick(self.numbers)
        return self.pick(("1", "2", "0.5", "-1", "3", "0", "True", "np.float32(0.25)", "np.int8(2)", "2.5", "tick"))

    def items(self, count):
        inner = ", ".join(self.small_number() for _ in range(count))
        return self.pick((f"[{inner}]", f"[{inner}]", f"({inner},)" if count else "()"))

    def list_of_numbers(self):
        return self.pick((self.items(self.random.randint(0, 3)), "range(3)", "[0, 1]", "[[1, 2], [3, 4]]", "kept.get('list', [1])"))

    def single(self, a):
        """A list that broadcasts with any array, or with `a`."""
        return self.pick((self.items(1), self.items(1), f"[{self.items(1)}]" if a.shape else "[3]", "[True]", f"row({a.text})"))

    def fill(self, form, a):
        mate = self.mate(a)
        makers = {
            "a": lambda: a.text, "b": lambda: mate.text, "o": lambda: self.pick(self.arrays).text,
            "n": self.small_number, "l": self.list_of_numbers, "l1": lambda: self.single(a),
            "l2": lambda: self.items(2), "l3": lambda: self.items(3), "r": lambda: f"row({a.text})",
            "i": lambda: self.pick(("0", "-1", "1", "tick % 2", "tick", "2")),
            "d": lambda: repr(self.pick(FLOATS + INTS + ("bool", "complex128", "float16"))),
            "c": lambda: "z", "e": lambda: "e1", "f": lambda: "f1"}
        return re.sub(r"\{(\w+)\}", lambda found: makers[found[1]]() if found[1] in makers else found[0], form)

    def array(self, depth):
        if depth > 0 and self.chance(0.25):
            a = self.pick(self.arrays)
            return Array(f"({self.fill(self.pick(self.same), a)})", a.shape, "f")
        return super().array(depth)

    def guarded(self, indent, text):
        """The statement, as often as not where an error does not end the call."""
        if self.chance(0.6):
            self.emit(indent, "try:")
            self.emit(indent + 1, text)
            self.emit(indent, "except Exception as error:")
            self.emit(indent + 1, "print(type(error).__name__, error)")
        else:
            self.emit(indent, text)

    def shown_other(self, indent):
        text = self.fill(self.pick(self.other), self.pick(self.arrays))
        self.guarded(indent, f"show('other', {text})")

    def shown_same(self, indent):
        self.guarded(indent, f"show('same', {self.fill(self.pick(self.same), self.pick(self.arrays))})")

    def templated(self, indent):
        a = self.pick(self.arrays)
        form = self.pick(self.statements)
        if "{c}" in form:
            self.emit(indent, f"z = {a.text} + " + self.pick(("0j", "1j", "np.complex64(2j)")))
        self.guarded(indent, self.fill(form, a))
        if "{c}" in form:
            self.emit(indent, "show('z', z)")

    def looped(self, indent):
        header, *bodies = self.pick(self.loop_forms)
        a = self.pick(self.arrays)
        self.emit(indent, "try:")
        self.emit(indent + 1, self.fill(header, a))
        for body in self.random.sample(bodies, self.random.randint(1, len(bodies))):
            self.emit(indent + 2, self.fill(body, a))
        if self.chance(0.3):
            self.nested(indent + 1, 1)
        self.emit(indent, "except Exception as error:")
        self.emit(indent + 1, "print(type(error).__name__, error)")

    def statement(self, indent):
        own = [self.shown_other, self.shown_same, self.templated, self.looped][:4 if indent <= 2 else 3]
        if self.chance(0.4):
            return super().statement(indent)
        return self.random.choices(own, (3, 2, 4, 1.5)[:len(own)])[0](indent)

    def prelude(self):
        return ["import copy, functools, math, operator"] + super().prelude() + PRELUDE

    def postlude(self):
        super().postlude()
        self.emit(0, "show('kept', {key: value for key, value in kept.items() if not hasattr(value, '__next__')})")
        self.emit(0, "show('draws', draws.integers(1000))")
