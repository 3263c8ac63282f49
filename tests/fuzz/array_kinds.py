"""Random programs of the arrays that capture leaves to NumPy, beside ordinary ones in the same functions.

Dates and time spans, strings and bytes, structured and record arrays, object arrays, subclasses (with
__array_finalize__, __array_ufunc__, __array_function__, __array_priority__), masked arrays, matrices, files mapped
to memory, other byte orders and long double.
"""
from template import TemplateProgram, table

HEAD = '''
import datetime, decimal, fractions, os, tempfile, pickle, copy

class Finalized(np.ndarray):
    def __new__(cls, values, unit='m'):
        made = np.asarray(values).view(cls)
        made.unit = unit
        return made
    def __array_finalize__(self, other):
        self.unit = getattr(other, 'unit', 'none')

class Counting(np.ndarray):
    calls = 0
    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        Counting.calls += 1
        plain = [v.view(np.ndarray) if isinstance(v, Counting) else v for v in inputs]
        if out is not None:
            kwargs['out'] = tuple(v.view(np.ndarray) if isinstance(v, Counting) else v for v in out)
        result = getattr(ufunc, method)(*plain, **kwargs)
        return result.view(Counting) if isinstance(result, np.ndarray) else result

class Duck:
    def __init__(self, values):
        self.values = values
    def __array_function__(self, function, kinds, args, kwargs):
        log.append(function.__name__)
        return Duck(function(*(v.values if isinstance(v, Duck) else v for v in args), **kwargs))
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return NotImplemented if kwargs.get('out') else Duck(ufunc(*(v.values if isinstance(v, Duck) else v for v in inputs)))
    def __repr__(self):
        return f'Duck({self.values!r})'

class Prior(np.ndarray):
    __array_priority__ = 50.0
    def __array_wrap__(self, out, context=None):
        log.append(context[0].__name__ if context else None)
        return out.view(Prior)
    def __mul__(self, other):
        return 'mul'
    def __getitem__(self, at):
        return np.ndarray.__getitem__(self.view(np.ndarray), at)

RECORD = np.dtype([('a', 'f8'), ('b', 'i4'), ('s', 'U3')])
NESTED = np.dtype({'names': ['p', 'q'], 'formats': [('f4', (2,)), [('u', 'i2'), ('v', '?')]], 'offsets': [0, 12], 'itemsize': 20})

def records(values):
    made = np.zeros(len(values), RECORD)
    made['a'], made['b'] = values.real, np.arange(len(values))
    made['s'] = 'x'
    return made

def dates(values):
    return np.datetime64('2020-02-27') + np.arange(len(values)).astype('m8[D]')

def words(values):
    return np.array([f'w{k % 4}' for k in range(len(values))])

def mapped(values):
    """A file in memory, whose name is gone."""
    handle, path = tempfile.mkstemp()
    os.close(handle)
    made = np.memmap(path, values.dtype, 'w+', shape=(len(values) + 1,))
    made[1:] = values
    os.unlink(path)
    return made[1:]

def tell(name, value):
    """Prints without addresses."""
    if isinstance(value, np.ma.MaskedArray):
        return print(name, 'masked', value.tolist(), value.mask.tolist(), value.dtype, value.fill_value)
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.names:
        return print(name, type(value).__name__, value.dtype, value.tolist())
    show(name, value)

def both(x, other):
    return x + other
'''.strip().splitlines()

VALUES = table("""
x; y; x + 1; x * y[:1]; x.view(Finalized); Finalized(x, 's'); Finalized(x) + {v}; Finalized(x) * 2; np.sqrt(Finalized(abs(x))); Finalized(x)[1:]; Finalized(x).sum(); x.view(Counting); x.view(Counting) + {v}; x.view(Counting).sum(); np.add.reduce(x.view(Counting)); x.view(Prior); x + x.view(Prior); x.view(Prior) * 2; x.view(Prior)[0] if len(x) else 0; np.asarray(Finalized(x)); np.asanyarray(Finalized(x)); np.array(Finalized(x), subok=True); np.empty_like(Finalized(x)).shape; np.ones_like(Finalized(x))
np.sum(Duck(x)); np.concatenate([Duck(x), Duck(y)]); Duck(x) if x is y else 3; np.sqrt(Duck(abs(x))); np.add(x, Duck(x)); np.mean(Duck(x), axis=0); np.where(Duck(x > 0), x, x); np.stack([Duck(x), x])
dates(x); dates(x) + {i}; dates(x) - dates(x)[:1]; np.diff(dates(x)); dates(x) > np.datetime64('2020-02-28'); (dates(x) - np.datetime64('2020-01-01')) / np.timedelta64(1, 'D'); dates(x).astype('M8[M]'); dates(x).astype('i8'); dates(x).astype(str); np.where(x > 0, dates(x), np.datetime64('NaT')); np.isnat(dates(x)); dates(x).max() if len(x) else 0; np.datetime64('2020-01-01') + np.timedelta64({i}, 's'); np.timedelta64({i}, 'm') * 2; np.timedelta64(7, 'D') // np.timedelta64(2, 'D'); np.arange(3).astype('m8[s]') * 1.5; np.arange('2020-01', '2020-05', dtype='M8[M]'); np.busday_count('2020-01-01', '2020-02-01'); np.is_busday(dates(x)); dates(x)[x > 0]; np.array([datetime.date(2020, 1, 1)]).dtype; dates(x).tolist()[:1]; x * np.timedelta64(2, 's') if x.dtype.kind in 'if' else 0; np.sort(dates(x))[::-1]; np.sum(dates(x) - dates(x)); np.maximum(dates(x), dates(x)); np.timedelta64('NaT') == np.timedelta64('NaT')
words(x); np.char.add(words(x), 'z'); np.char.upper(words(x)); np.char.find(words(x), '1'); words(x) == 'w1'; words(x) < 'w2'; words(x)[x > 0]; words(x).astype('S2'); np.unique(words(x)); np.where(words(x) == 'w1', x, 0); words(x).astype(object) + 'k'; np.sort(words(x)); x.astype(str); x.astype('U4'); np.array(['1', '2.5']).astype(float); np.array([b'ab', b'c']); np.char.multiply(words(x), 2); np.isin(words(x), ['w0']); np.array(['a', None]); np.char.isnumeric(words(x)); x.astype('S5'); np.concatenate([words(x), ['long word']]); np.array([1, 'a']).dtype; words(x).view('U1')[:2]; words(x).tolist()[:2]; np.str_('a') + 'b'; np.bytes_(b'a') * 2; np.argsort(words(x), kind='stable')
records(x); records(x)['a']; records(x)['a'] + x.real; records(x)[['a', 'b']]; records(x)[0] if len(x) else 0; records(x)['s']; records(x).view(np.recarray).a; records(x)['a'] * 2 + records(x)['b']; np.sort(records(x), order='b'); records(x) == records(x); np.zeros(2, NESTED)['p'] + 1; np.zeros(2, NESTED)['q']['u']; np.rec.fromarrays([x, y[:1].repeat(len(x))], names='a,b').a if len(y) else 0; records(x).dtype.fields['b'][1]; np.zeros((), RECORD)['a']; records(x)['a'].sum(); np.array([(1, 2.5)], 'i4,f8')['f1']; records(x).tolist()[:1]; records(x)[x > 0]; np.lib.recfunctions.structured_to_unstructured(records(x)[['a', 'b']]) if hasattr(np.lib, 'recfunctions') else 0; copy.copy(records(x)); pickle.loads(pickle.dumps(records(x)))['b']
x.astype(object); x.astype(object) + 1; x.astype(object).sum(); np.array([fractions.Fraction(1, 3), 2]) * 3; np.array([decimal.Decimal('1.5')]) + 1; np.array([x, None], dtype=object)[0]; np.array([1, 'a', None], dtype=object); np.array([2**70, 1]) + 1; x.astype(object) == x; np.array([[1], [2, 3]], dtype=object); np.frompyfunc(lambda v: v, 1, 1)(x); np.sqrt(x.astype(object)) if False else 0; np.where(x > 0, x.astype(object), None); np.equal(x.astype(object), x); np.maximum(x.astype(object), 1) if x.dtype.kind != 'c' else 0; np.add.reduce(x.astype(object), initial=0); x.astype(object)[x > 0]; np.vectorize(lambda v: v * 2, otypes=[object])(x); np.array([True, None]) == None; np.full(3, {v}, object); np.array([lambda: 3])[0]()
np.ma.array(x, mask=x > 0); np.ma.masked_less(x, 0) if x.dtype.kind != 'c' else 0; np.ma.masked_invalid(x) + 1; np.ma.array(x, mask=x > 0).sum(); np.ma.array(x, mask=x == x).mean(); np.ma.array(x).filled(3); np.ma.masked_equal(x, 0) * x; np.ma.array(x, mask=True)[0] if len(x) else 0; np.ma.log(np.ma.array(x)); np.ma.array(x, fill_value=9).compressed(); np.sqrt(np.ma.array(abs(x), mask=x > 0)); np.ma.where(x > 0, x, np.ma.masked); np.ma.masked + 1; np.ma.masked is np.ma.array([1], mask=[True])[0]; np.ma.array([1, 2], mask=[0, 1]) == 1; x + np.ma.array(x, mask=x > 0); np.ma.median(np.ma.array(x)) if len(x) else 0
np.matrix([[1, 2], [3, 4]]) * {v}; np.matrix(np.eye(2)) @ np.ones((2, 1)); np.asmatrix(x.reshape(1, -1)) * np.asmatrix(x.reshape(-1, 1)); np.matrix('1 2; 3 4'.replace('; ', ';')).I; np.matrix([[1, 2]]).A1 + 1; np.matrix([[1., 2.]]).T; np.asmatrix(x).sum(axis=1); np.matrix([[1, 2]]) + np.arange(2); np.matrix([[1, 2]])[0]; np.matrix(np.eye(2)) ** 2; np.asarray(np.asmatrix(x)) * 2
mapped(x); mapped(x) + 1; mapped(x).sum(); mapped(x) * x; np.sqrt(abs(mapped(x))); mapped(x)[1:]; np.asarray(mapped(x)) + x; mapped(x)[x > 0]; np.exp(mapped(x) * 0); mapped(x).mean(); np.add(mapped(x), 1); type(mapped(x) + 1).__name__; type(mapped(x).sum()).__name__; mapped(x)[0] if len(x) else 0
x.astype('>f8').real if x.dtype.kind != 'c' else 0; x.astype('>f8') + x if x.dtype.kind != 'c' else 0; x.astype('>i4') * 2; x.astype(np.longdouble).sum() * 0 if x.dtype.kind != 'c' else 0; x.astype(np.longdouble).astype(float) if x.dtype.kind != 'c' else 0; np.longdouble(1) / 3; x.astype('g') * 0 == 0 if x.dtype.kind != 'c' else 0; np.frombuffer(b'abcdefgh', 'u1'); np.zeros(3, 'V4'); np.void(b'abc'); x.newbyteorder().dtype; np.frombuffer(bytearray(x.tobytes()), x.dtype) + 1; np.array(memoryview(b'abc')); x.view('V1').shape
""")
STATEMENTS = table("""
z = {v} // tell('z', z); tell('v', {v}); tell('v', {v}); z = {v}; x = x + 1; y = x * 2; y = np.sqrt(abs(x)) + 1; log.append(str({v})[:60]); log.append(type({v}).__name__); log.append(getattr({v}, 'dtype', None)); z = {v} // y = both(x, 1) // tell('z', z); tell('both', both(x, {v})); tell('both', both({v}, x)); z = [{v}, x] // tell('z', z[0]); tell('w', x + {v}); tell('w', {v} * 2); tell('w', {v} == {v}); z = np.asarray({v}) // tell('z', z)
r = records(x) // r['a'] += 1 // tell('r', r); r = records(x) // r['b'][:1] = {i} // x = x + r['a']; r = records(x).view(np.recarray) // r.b = {i} // tell('r', r.b * 2); d = dates(x) // d += {i} // tell('d', d); d = dates(x) // d[:1] = 'NaT' // tell('d', np.isnat(d)); w = words(x) // w[:1] = 'abc' // tell('w', w); o = x.astype(object) // o[:1] = {i} // tell('o', o * 2); m = np.ma.array(x, mask=x > 0) // m[:1] = {i} // tell('m', m); m = np.ma.array(x) // m[:1] = np.ma.masked // m += 1 // tell('m', m); q = mapped(x) // q[:1] = 1 // q += 1 // tell('q', q); s = Finalized(x, 'kg') // s += 1 // log.append(s.unit) // log.append((s * 2).unit) // log.append(s[1:].unit); c = x.view(Counting) // c += 1 // log.append(Counting.calls); np.add(x, {v}, out=x.view(Counting), casting='unsafe')
for v in (x, {v}): // ~tell('each', v); for v in records(x)[:2]: // ~log.append(v['a'] + 1); for v in dates(x)[:2]: // ~log.append(v + 1); for v in words(x)[:2]: // ~log.append(v + 'k'); for v in x.astype(object)[:2]: // ~log.append(v); for v in np.ma.array(x, mask=x > 0)[:3]: // ~log.append(str(v)); for k in range(len(x)): // ~x[k] = x[k] + records(x)['b'][k]; for k, w in zip(x, words(x)): // ~log.append((k, w)); with np.errstate(all='ignore'): // ~tell('quiet', {v} / x); match {v}: // ~case np.ndarray(): // ~~log.append('array') // ~case str() | bytes(): // ~~log.append('text') // ~case _: // ~~log.append('other'); x[:1] = records(x)['a'][:1]; x[x > 0] = {i}; log.append([type(v).__name__ for v in (x, {v})])
""")


class ArrayKindProgram(TemplateProgram):
    head = HEAD
    statements = STATEMENTS
    blanks = {"v": VALUES, "i": ("1", "2", "0", "3", "7")}
    conditions = ("len(x) > 2", "x.any()", "isinstance(x, np.ndarray)", "type(x) is np.ndarray", "np.any(words(x) == 'w1')", "records(x)['a'].sum() > 0")

    def argument(self):
        if self.chance(0.12):
            return f"Finalized({super().argument()})"
        if self.chance(0.06):
            return f"{super().argument()}.view(Counting)"
        return super().argument()
