"""Random programs that branch on arrays' values: `if`, `else`, `while`, conditional expressions, early returns and breaks, whose sides leave
new arrays, old ones, views, numbers, or change what was there before."""
from template import TemplateProgram, table

HEAD = '''
import warnings
class Box:
    def __init__(self, value):
        self.value, self.count = value, 0
box = Box(None)
held = {}

def positive(v):
    return v.sum() > 0

def halved(v):
    if np.abs(v).max() > 1:
        return v / 2.0
    return v + 0.25

def chosen(v, w):
    return v if v[0] > w[0] else w

def counted(v):
    if v.max() > 1:
        box.count += 1
        return v - 1.0
    return v * 1.0

def marked(v):
    global mark
    mark = v
    return v
'''.strip().splitlines()

# Expressions of arrays with one axis and the size of x.
ARRAYS = table("""
x; y; z; x; y; z; {a} + 1.0; {a} * 0.5; {a} - {a}; {a} * {a}; -{a}; np.sqrt(np.abs({a})); np.maximum({a}, {a}); np.where({a} > {n}, {a}, {a}); np.tanh({a}); {a} / ({a} * {a} + 1.0); {a} - {n}; {a}.copy(); np.clip({a}, -2, 2); np.exp(-np.abs({a})); np.cumsum({a}); {a}[::-1]; {a}[:]; np.sort({a}); halved({a}); chosen({a}, {a}); counted({a}); ({a} if {c} else {a}); np.asarray({a}); np.abs({a}); np.square({a}); np.floor({a} * 4) / 4; np.log(np.abs({a}) + 0.5); np.log({a}); {a} / {a}; np.sqrt({a}); {a}.astype({d}); np.full_like({a}, {n}); np.zeros_like({a}); np.add({a}, {a})
""")
NUMBERS = table("""
0.0; 1.0; 0.25; -1.0; 2; x.sum(); y.mean(); z.max(); x[0]; y[-1]; {a}.sum(); {a}.min(); np.abs({a}).max(); ({n} if {c} else {n}); total; total; {n} + {n}; {n} * 0.5; float({a}.sum()); k; np.float64(1.5); {a}.dot({a})
""")
CONDITIONS = table("""
x.sum() > 0; y[0] < 0.25; z.max() > 1; x[0] > y[0]; {a}.mean() > {n}; {n} > {n}; {n} <= {n}; not {c}; {c} and {c}; {c} or {c}; ({a} > {n}).any(); ({a} > {n}).all(); np.isfinite({a}).all(); positive({a}); total > 1; np.abs(x - y).max() > 0.5; x[1]; z[0] * z[1] > 0; {n} == {n}; bool({n} > 0); (x.min() > -1) & (y.max() < 2); x.argmax() > 1; k > 1; x is z
""")
STATEMENTS = table("""
x = {a}; y = {a}; z = {a}; z = {a}; total = {n}; total = total + {n}; x, z = {a}, {a}; z, total = {a}, {n}; z = {a} if {c} else {a}; x = {a} if {c} else {a}; total = {n} if {c} else {n}; k = 1 if {c} else 2; p = {a} if {c} else None; log.append(z is x); log.append(x is y); log.append((p is z, p is x)); log.append(float(np.sum({a}))); log.append({c}); p = z; p = x; del p; p = None; p = (x, y); p = [x, z]
if {c}: // ~z = {a} // else: // ~z = {a}; if {c}: // ~x = {a}; if {c}: // ~z = {a} // ~total = {n} // else: // ~z = {a} // ~total = {n}; if {c}: // ~x = {a} // ~if {c}: // ~~z = {a} // ~else: // ~~y = {a}; if {c}: // ~x, y = y, x; if {c}: // ~q = {a} // ~z = q + 1.0 // else: // ~z = {a}; if {c}: // ~k = 1 // ~z = {a} // else: // ~k = 2 // ~z = {a}; if {c}: // ~p = {a} // else: // ~p = {a}; if {c}: // ~z = x // else: // ~z = {a}; if {c}: // ~z = {a} // elif {c}: // ~z = {a} // else: // ~z = {a}
if {c}: // ~return {a}, {n}; if {c}: // ~return x, total; if {c}: // ~return {a}, z; if {c}: // ~return None; if {c}: // ~x += 1.0; if {c}: // ~z[1] = {n}; if {c}: // ~z *= 0.5; if {c}: // ~box.value = {a}; if {c}: // ~log.append('taken'); if {c}: // ~held['k'] = {a}; if {c}: // ~raise ValueError('taken'); if {c}: // ~pass // else: // ~z = {a}; if {c}: // ~del p; if {c}: // ~print('taken'); if {c}: // ~w = {a}; if {c}: // ~marked({a}); box.value = {a}; z = box.value if box.value is not None and box.value.shape == x.shape else z; if {c}: // ~x[0] = {n} // ~z = x; if {c}: // ~z = np.array({n}); if {c}: // ~z = {a}[:2]
for i in range(3): // ~z = {a} // ~if {c}: // ~~z = {a}; for i in range(4): // ~x = x * 0.5 // ~if {c}: // ~~break; for i in range(3): // ~if {c}: // ~~continue // ~z = {a}; for i in range(5): // ~if {c}: // ~~z = {a} // ~else: // ~~z = {a}; for i in range(3): // ~if {c}: // ~~z = {a} // ~~if {c}: // ~~~break // ~else: // ~~z = {a} // ~y = {a}; for i, v in enumerate((x, y, z)): // ~if v.sum() > {n}: // ~~total = total + i // ~~break; for v in (x, y): // ~z = z + 1.0 if v[0] > {n} else {a}; while np.abs(z).max() > 2 and k < 30: // ~z = z * 0.5 // ~k += 1; while {c}: // ~z = z * 0.5 - 0.25 // ~k += 1 // ~if k > 4: // ~~break; i = 0 // while i < 4: // ~i += 1 // ~if {c}: // ~~z = {a}
it = iter([x, y, z]) // for v in it: // ~if v.max() > {n}: // ~~z = v + next(it, x)
try: // ~if {c}: // ~~z = {a} // ~else: // ~~raise ValueError('other') // except ValueError as e: // ~log.append(str(e)); try: // ~if {c}: // ~~z = {a} // finally: // ~log.append('finally'); with np.errstate(all='ignore'): // ~if {c}: // ~~z = {a} // ~else: // ~~z = {a}; with np.errstate(all='raise'): // ~if {c}: // ~~z = {a} // ~else: // ~~z = {a}; z = (lambda v: {a} if v[0] > {n} else v * 2.0)(x); p = [{a} if {c} else {a} for _ in range(2)]; p = [v * 2.0 if v.sum() > {n} else v for v in (x, y, z)]; p = {{'a': {a} if {c} else {a}}}; log.append([v is x for v in (p if isinstance(p, list) else [p])]); def inner(): // ~return {a} if {c} else {a} // z = inner(); assert {c}, 'not so'; z = {a}; z.shape; z = chosen({a}, {a}) // log.append((z is x, z is y)); marked(z); log.append(sorted(n for n in locals() if n in ('p', 'q', 'w')))
""")


class BranchProgram(TemplateProgram):
    head = HEAD
    statements = STATEMENTS
    blanks = {"a": ARRAYS, "n": NUMBERS, "d": ("np.float32", "np.float64", "'f8'")}
    conditions = CONDITIONS
    blocks = ("for _ in range(2):", "if {c}:", "if {c}:", "try:")

    def function(self, name):
        self.emit(0, f"def {name}(x, y):")
        self.emit(1, "z, total, k, p = x * y + 1.0, 0.5, 1, None")
        for _ in range(self.random.randint(2, 7)):
            self.statement(1)
        self.emit(1, f"return {self.pick(('x, y, z, total, k', 'z, total', 'z', 'x + z', 'p, z, x'))}")

    def argument(self):
        size = self.pick((5, 5, 5, 8, 300))
        dtype = self.pick(("float64", "float64", "float64", "float64", "float32", "int64", "complex128"))
        layout = self.pick(("c", "c", "c", "strided", "negative", "offset"))
        return f"make(({size},), {dtype!r}, {layout!r}, {self.random.randrange(1000)})"

    def calls(self, name):
        """Calls whose arguments take either side, each pair of them often enough to be captured."""
        size, dtype = self.pick((5, 5, 8, 300)), self.pick(("float64", "float64", "float64", "float32"))
        pairs = [[f"make(({size},), {dtype!r}, 'c', {self.random.randrange(1000)})" for _ in self.arguments]
                 for _ in range(self.random.randint(1, 3))]
        for _ in range(3):
            for pair in pairs:
                self.emit(0, f"call('{name}', {name}, {', '.join(pair)})")
        self.emit(0, f"call('{name}', {name}, {', '.join(self.argument() for _ in self.arguments)})")
