"""Random programs about which object a value is: `is`, `match`, containers that ask for identity first, `id` of one object twice.

Values come from NumPy (bools, numbers, items, the same array twice, views, None), from Python (cached ints, interned
strings, tuples, singletons, bound methods) and from both by way of calls, attributes and containers.
"""
from template import TemplateProgram, table

HEAD = '''
import operator, copy, enum
SMALL, LARGE, TEXT, PAIR, NAN = 7, 1000, 'text', (1, 'a'), float('nan')

class Color(enum.Enum):
    RED = 1
    BLUE = 2

class Box:
    __match_args__ = ('value', 'rest')
    default = None
    def __init__(self, value, rest=()):
        self.value, self.rest = value, rest
    def me(self):
        return self
    @property
    def first(self):
        return self.rest[0] if len(self.rest) else None
    @staticmethod
    def answer():
        return True

def same(value):
    return value

def defaulted(value=None, flag=True, *rest, **more):
    return value if value is not None else (flag, rest, more)

def keys_of(**names):
    return names

def yes(values):
    return values is not None

box = Box(None)
held = {}
'''.strip().splitlines()

# Truth values, each from somewhere else.
BOOLS = table("""
True; False; bool(len(x)); (len(x) > 2); x is y; x is x; np.array_equal(x, y); np.array_equal(x, x); np.allclose(x, x); np.allclose(x, y); (x == x).all().item(); (x > 0).any().tolist(); bool(x.any()); bool((x > 0).all()); np.all(x == y).item()
not {b}; not x.size; isinstance(x, np.ndarray); callable(same); x.flags.writeable; x.flags['C_CONTIGUOUS']; x.flags.owndata; np.isscalar({n}); np.iterable(x); np.issubdtype(x.dtype, np.floating); np.can_cast(x.dtype, 'f8'); np.shares_memory(x, y); np.may_share_memory(x, x); x.dtype == y.dtype; x.dtype is y.dtype; x.shape == y.shape
'a' in 'abc'; {n} == {n}; {n} != {n}; (1 < {n} < 9); {o} is None; {o} is not None; hasattr(x, 'sum'); hasattr(box, 'nothing'); any([{b}, {b}]); all(({b},)); operator.is_({o}, {o}); operator.not_({b}); operator.truth(x.size); Box.answer(); yes(x); same({b}); ({b} and {b}); ({b} or {b}); bool({n}); x.size.__eq__(5); 'text'.startswith('t'); (3).is_integer() if hasattr(3, 'is_integer') else True; (2.0).is_integer(); np.isfortran(x); {b} ^ {b}; {b} & {b}; np.array([{b}]).tolist()[0]; np.array({b}).item(); bool(np.bool_({b})); max({b}, {b}); [{b}][0]; {{'k': {b}}}['k']; x.dtype.isnative; x.dtype.hasobject
""")
NUMBERS = table("""
0; 1; 7; -5; 256; 257; 1000; SMALL; LARGE; len(x); x.size; x.ndim; x.shape[0]; x.itemsize; x.strides[0]; x.nbytes; int(len(x) + 1); int(x.sum() != 0); (x > 0).sum().item(); int(np.argmax(x)) if len(x) else 0; x.argmin().item() if len(x) else 3; len(x) * 100; {n} + 1; {n} - 1; {n} * 2; -{n}; abs({n}); same({n}); max({n}, 3); min({n}, 300); int({b}); {b} + 0; {b} * 1; hash({n}) % 300; ord('a'); len('abc'); round(2.5); divmod({n}, 3)[1]; {n} % 257; {n} // 2; ~{n}; {n} & 255; {n} | 1; 1 << 3; int('7'); int(1.5); sum([{n}, 1]); len([{n}]); range(300)[257]; [*range(9)][3]; np.array([{n}]).tolist()[0]; np.int64({n}).item(); x.dtype.itemsize; x.dtype.num; operator.index(np.int8(3)); int(np.int64(256)); int(np.int64(257)); x.astype(int).tolist()[0] if len(x) and np.isfinite(x).all() else 1; round(float(len(x))); 2 ** 3; 10 ** 3; {n} if {b} else {n}
""")
OBJECTS = table("""
None; True; False; Ellipsis; NotImplemented; x; y; x[:]; x.T; x.view(); x.base; x[1:].base; x.copy(); np.asarray(x); np.asanyarray(x); np.array(x, copy=False); x.astype(x.dtype, copy=False); np.ascontiguousarray(x); x.reshape(x.shape); x.ravel(); np.ravel(x); np.squeeze(x); x.real; np.real(x); np.atleast_1d(x); np.broadcast_to(x, x.shape); np.require(x); same(x); held.get('x'); held.setdefault('x', x); box; box.value; box.me(); box.rest; box.first; Box.default; getattr(box, 'value', 3); same(None); defaulted(); defaulted(x); defaulted(None, x); print; x.sort() if x.flags.writeable else None; log.append(1); log.sort(key=str); {b}; {n}; {t}; {s}
Color.RED; Color(1); Color['BLUE']; type(x); type({n}); type(None); x.dtype; np.dtype('f8'); np.float64; x.dtype.type; np.add; np.newaxis; np.nan; NAN; np.inf; np.float64(1); x[0] if len(x) else None; x.max() if len(x) else None; x.sum(); x.mean() if len(x) else 0; x.all(); x.any(); np.True_; np.bool_({b}); np.False_; x == x; np.logical_not; np.array(None); np.array(None).item(); np.array([None, x])[0]; [x, y][{n} % 2]; (x, y)[-1]; {{'k': {o}}}['k']; ({o} if {b} else {o}); ({o} or {o}); ({o} and {o}); [v for v in (x, y) if v is x]; (lambda: {o})(); next(iter([{o}])); max((x, y), key=lambda v: v is x); copy.copy(TEXT); copy.copy(x) is x; list(zip((x,), (y,)))[0][0]; sorted([{n}, {n}])[0]
""")
TUPLES = table("""
(); (1, 2); PAIR; x.shape; x.strides; tuple(x.shape); tuple([]); tuple(PAIR); PAIR[:]; PAIR + (); () + PAIR; PAIR * 1; (x, y); (x, y)[:1]; tuple((x, y)); (*PAIR,); x.shape[:0]; x.shape[1:]; box.rest; ({o}, {n}); ({n},) * 2; same(()); copy.deepcopy(PAIR); frozenset(); frozenset((1,)); defaulted(None)[1]
""")
STRINGS = table("""
''; 'a'; 'text'; TEXT; 'te' + 'xt'; TEXT[:]; TEXT[0]; TEXT[1:2]; 'te' + same('xt'); str('text'); 'abc'[{n} % 3]; ''.join(['a']); ''.join([]); str(len(x)); str({n}); f'{{{n}}}'; f'a'; chr(97); chr({n} % 200); 'a b'.split()[0]; TEXT.lower(); TEXT.strip(); TEXT.replace('z', 'y'); x.dtype.name; x.dtype.char; x.dtype.kind; x.dtype.str; type(x).__name__; list(keys_of(a=1))[0]; list(keys_of(text=1))[0]; list(vars(box))[0]; [*{{'a': 1}}][0]; same.__name__; Color.RED.name; repr({b}); str(None); format({n}, 'd'); '%d' % {n}; b'a'; b''; bytes(1)[:1]; 'A'.lower(); TEXT.partition('x')[2]; same.__qualname__; str(x.dtype)
""")
PATTERNS = table("""
None; True; False; 0; 1; 7; 257; -5; 'a'; 'text'; ''; 1.0; (); []; [x1]; (x1, y1); [x1, *rest]; [None, *_]; [True, *_]; {{'k': v1}}; {{}}; Box(value=None); Box(None, rest); Box(v1); Box(); Color.RED; Color.BLUE; int(); bool(); float(); str('a'); str(); int(0 | 1 | 7); np.ndarray(); np.ndarray(size=0); np.ndarray(shape=(5,)); np.ndarray(ndim=1, dtype=d1); np.bool_(); np.generic(); tuple(); list(); dict(); None | True; (True | False) as v1; np.newaxis; np.nan; object(shape=s1); Box(value=np.ndarray()); [np.ndarray() as v1, _]; bytes(); [(), *_]; {{'k': None}}; {{'k': True, **rest}}; v1 if v1 is x; v1 if v1 is None; v1 if v1 is True
""")
STATEMENTS = table("""
log.append({o} is {o}); log.append({o} is {o}); log.append({o} is not {o}); log.append({b} is True); log.append({b} is False); log.append(({o} is None, {o} is not None)); log.append({n} is {n}); log.append({s} is {s}); log.append({t} is {t}); log.append({b} is {b}); p = {o}; q = p; p = {b}; q = {o}; p = q = {n}; p, q = {o}, {o}; log.append(p is q); log.append(id(p) == id(q)); log.append(p is not q); log.append(p is None or q is None)
log.append([v is p for v in (x, y, q, None, True)]); log.append({o} in [None, True, 'a']); log.append(any({o} is v for v in (x, None, p))); log.append(p in (q,) if not isinstance(p, np.ndarray) and not isinstance(q, np.ndarray) else 0); log.append([NAN, 1].index(NAN)); log.append(NAN in [NAN]); log.append([x].count(x)); log.append([x, p].index(x)); log.append((x,) == (x,)); log.append([NAN] == [NAN]); log.append({{True: 'b', 1: 'i'}}.get({b})); held[{n}] = {o}; held['x'] = {o}; box.value = {o}; box.rest = {t}; log.append(len({{id(p), id(q), id(x)}})); log.append(type({o}).__name__); log.append(type({b}) is bool); log.append(type({n}) is int); log.append((p if p is not None else q) is p)
match {o}: // ~case {p}: // ~~log.append('first') // ~case {p}: // ~~log.append('second') // ~case _: // ~~log.append('none')
match ({o}, {b}): // ~case ({p}, True): // ~~log.append('true') // ~case ({p}, False): // ~~log.append('false') // ~case _: // ~~log.append('none')
match {b}: // ~case True: // ~~log.append('true') // ~case False: // ~~log.append('false') // ~case other: // ~~log.append(type(other).__name__)
match {{'k': {o}}}: // ~case {{'k': {p}}}: // ~~log.append('match') // ~case _: // ~~log.append('none')
if {b} is True: // ~x = x + 1; if {b} is not False: // ~y = x; if {o} is None: // ~x = x * 2; if p is x: // ~y = y * 2; while {b} is True: // ~x = x + 1 // ~break; x = x if {o} is None else x + 1; y = np.asarray(x); y = x; y = x[:]; x = np.where({b}, x, y) if x.shape == y.shape else x
def inner(v={o}): // ~return v is p // log.append(inner()); try: // ~raise ValueError({o}) // except ValueError as e: // ~p = e.args[0] // ~log.append(e.args[0] is p); log.append((same is same, box.me is box.me, box.me() is box)); log.append(x.sum is x.sum); log.append(x.dtype is np.dtype(x.dtype.str)); log.append(x.shape is x.shape); log.append(x.T is x.T); log.append(x.base is None); log.append(list(map(yes, (x, None)))); x += 0; q = x; q += 1; log.append(q is x); p = [x] * 2 // log.append(p[0] is p[1]); p = {{'a': x, **{{'b': x}}}} // log.append(p['a'] is p['b']); print({b} is True, {b}); print({b} is {o})
""")


class IdentityProgram(TemplateProgram):
    head = HEAD
    statements = STATEMENTS
    blanks = {"b": BOOLS, "n": NUMBERS, "o": OBJECTS, "t": TUPLES, "s": STRINGS, "p": PATTERNS}
    conditions = ("{b}", "{b} is True", "{o} is None", "p is q", "{n} is not {n}")
    results = ("x", "y", "p is q", "type(p).__name__")

    def function(self, name):
        self.emit(0, f"def {name}(x, y):")
        self.emit(1, "p = q = None")
        for _ in range(self.random.randint(4, 10)):
            self.statement(1)
        self.emit(1, f"return {', '.join(self.results)}")
