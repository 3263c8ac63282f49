"""Random programs about floating-point errors: every mode of np.seterr and np.errstate for every kind of error, by every ufunc and
reduction, on signalling NaNs, subnormal numbers, infinities, zeros and the ends of each dtype's range."""
from template import TemplateProgram, table

HEAD = '''
import operator
class Log:
    def write(self, text):
        log.append(('log', text.strip()))

def told(kind, flag):
    log.append((kind, flag))
told.write = Log().write
LOG = Log()
Log.__call__ = lambda self, kind, flag: log.append(('called', kind, flag))

WORDS = {'float16': ('u2', [0x7c01, 0xfc01, 0x7dff, 0x7e00, 0x0001, 0x03ff, 0x0400, 0x7c00, 0xfc00, 0x7bff, 0x8000, 0x3c00, 0x0000, 0xc000]),
         'float32': ('u4', [0x7f800001, 0xff800001, 0x7fbfffff, 0x7fc00000, 1, 0x7fffff, 0x800000, 0x7f800000, 0xff800000, 0x7f7fffff, 0x80000000, 0x3f800000, 0, 0xc2c80000]),
         'float64': ('u8', [0x7ff0000000000001, 0xfff0000000000001, 0x7ff7ffffffffffff, 0x7ff8000000000000, 1, 0xfffffffffffff, 0x10000000000000, 0x7ff0000000000000,
                            0xfff0000000000000, 0x7fefffffffffffff, 0x8000000000000000, 0x3ff0000000000000, 0, 0xc069000000000000])}

def special(dtype, *choice):
    """An array of the words that `choice` picks, none of them changed on the way."""
    part = {'complex64': 'float32', 'complex128': 'float64'}.get(dtype, dtype)
    kind, words = WORDS[part]
    choice += choice if part != dtype else ()
    chosen = np.array([words[c % len(words)] for c in choice], kind).view(part)
    return chosen.view(dtype).copy()  # of no base, whose words would tell the payloads of NaNs

np.seterrcall(told)
'''.strip().splitlines()

UFUNCS1 = ("sqrt exp log log2 log10 log1p expm1 exp2 sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh floor ceil trunc rint "
           "reciprocal square absolute fabs sign negative positive cbrt isnan isinf isfinite signbit spacing deg2rad rad2deg degrees radians logical_not "
           "conjugate fix i0 sinc nan_to_num round around real imag angle exp ceil").split()
UFUNCS2 = ("add subtract multiply divide true_divide floor_divide remainder mod fmod power float_power maximum minimum fmax fmin hypot arctan2 copysign "
           "nextafter logaddexp logaddexp2 heaviside greater less equal not_equal greater_equal less_equal logical_and logical_or logical_xor divide multiply").split()
REDUCTIONS = ("sum prod mean max min std var cumsum cumprod nansum nanmean nanmax nanmin nanprod nanstd ptp argmax argmin median any all "
              "count_nonzero sort diff ediff1d average").split()

MODES = ("ignore", "warn", "raise", "call", "print", "log")

STATEMENTS = table("""
log.append({e}); log.append({e}); y = {e}; y = {e}; x = {e}; x = {x} + 0; y = {x}; show('e', {e}); show('e', {e}); np.seterr({r}); np.seterr({r}); np.seterr(all='warn'); old = np.seterr({r}); np.seterr(**old) if (old := np.geterr()) else 0; log.append(np.geterr()); np.seterrcall({h}); np.seterrcall({h}); log.append(np.geterrcall() is told); np.seterrcall(None)
with np.errstate({r}): // ~y = {e} // ~x = {e}; with np.errstate({r}): // ~show('within', {e}); with np.errstate({r}, call={h}): // ~log.append({e}); with np.errstate({r}), np.errstate({r}): // ~y = {e}; with np.errstate({r}): // ~for k in range(3): // ~~y = {e}
try: // ~y = {e} // except FloatingPointError as e: // ~log.append(str(e)) // ~y = x; try: // ~with np.errstate(all='raise'): // ~~y = {e} // except FloatingPointError as e: // ~log.append(str(e)); @np.errstate({r}) // def g(v): // ~return v * v / v // y = g(x); warnings.simplefilter('error') // y = {e}; with warnings.catch_warnings(): // ~warnings.simplefilter({w}) // ~y = {e}
x[:1] = {v}; x[:2] *= {v}; x += {v}; x *= x; x /= {v}; x **= 2; x -= y if x.shape == y.shape else 1; np.add(x, {v}, out=x, casting='unsafe'); np.multiply(x, x, out=x); np.divide(x, y, out=x, where=x != 0) if x.shape == y.shape else 0; x[x > 1] /= {v}; y = np.where(x > 0, {e}, x) if len(x) > 2 else x; np.exp(x, out=x); y = x.astype({d}); x = x.astype({d}); y = np.asarray(x, {d}); y = np.full_like(x, {v}); y = np.full(3, {v}, {d}); y = np.array([{v}, 1.5, 2]).astype({d}); x[...] = {v}
""")
EXPRESSIONS = table("""
np.{u}(x); np.{u}(x); np.{u}(y); np.{u}({x}); np.{q}(x, {o}); np.{q}({x}, x) if x.shape == y.shape else 1; np.{q}(x, {v}); np.{q}({v}, x); np.{q}(x, x); np.{q}(x, x[::-1]); np.{t}(x); np.{t}(x); np.{t}({x}, axis=-1); np.{t}(np.{u}(x)); np.{u}(np.{u}(x)); np.{q}(np.{u}(x), {v}); np.{u}(x) + np.{u}(y)[:1]; np.{q}.reduce(x); np.{q}.accumulate(x); np.{q}.outer(x, x); np.{u}(x[0]) if len(x) else 0; np.{q}(x[0], {v}) if len(x) else 0; np.{u}({v}); np.{q}({v}, {v})
x + {v}; x - {v}; x * {v}; x / {v}; x // {v}; x % {v}; x ** {v}; {v} / x; {v} // x; {v} ** x; {v} % x; -x; +x; abs(x); x * x; x / x; x - x; x < {v}; x == x; x != {v}; x >= {v}; x * 1e300; x * 1e-300; x / 1e30 / 1e30; (x * 1e30) ** 2; x * 1e-30 * 1e-30; x @ x; np.dot(x, y) if x.shape == y.shape else 0; np.linalg.norm(x); x.sum() / 0; x.mean() * 1e308; x.sum() ** 2; x.prod(); x.var(); x.std(); x.cumsum(); x.cumprod()
divmod(x, {v})[0]; divmod(x, {v})[1]; np.divmod(x, {v})[1]; np.modf(x)[0]; np.frexp(x)[0]; np.ldexp(x, 2000); np.ldexp(x, -2000); np.clip(x, -1, {v}); x.clip({v}); np.where(x > 0, x, {v}); np.where(x == x, np.{u}(x), 0); x.astype({d}); x.astype({d}).astype({d}); np.isclose(x, x); np.allclose(x, {v}); x.round(2); np.cross(x[:3], x[:3]); np.outer(x, x); x.dot(x); np.interp(x, [0, 1], [1, {v}]); np.add(x, {v}, dtype={d}, casting='unsafe'); np.{q}(x, {v}, where=x > 0, out=np.zeros(x.shape, x.dtype), casting='unsafe'); np.{u}(x, where=x > 0, out=np.zeros(x.shape, x.dtype), casting='unsafe'); np.float16(x[0]) if len(x) and x.dtype.kind == 'f' else 0; x[:1].item() if len(x) else 1; np.{u}(x.reshape(-1, 1)); np.{t}(x.reshape(1, -1), axis=0); x[::2] / {v}; x[::-1] * {v}; np.{u}(x[::2]); np.int32(5) // np.int32({i}); np.array([7, -7, 0]) // {i}; np.array([7, -128], 'i1') % np.int8({i}); np.array([-128], 'i1') // np.int8(-1); np.int8(100) + np.int8({i}) * np.int8(50); np.array([7, 0]) / np.array([0, 0]); np.exp(-x * x); 1 / (1 + np.exp(-x)); np.exp(x) / np.exp(x).sum(); np.log(x / x.sum()); np.sqrt(x * x - 1); np.tanh(x) / x; x / np.abs(x).max(initial=0); (x - x.mean()) / x.std(); np.exp(x - x.max(initial=0)); np.hypot(x, x) * 1e300
""")


class FloatErrorProgram(TemplateProgram):
    head = HEAD
    statements = STATEMENTS
    blanks = {"e": EXPRESSIONS, "u": UFUNCS1, "q": UFUNCS2, "t": REDUCTIONS, "o": ("y[:1]", "x", "x[:1]", "{v}"),
              "x": ("x", "y", "x[::2]", "x[::-1]", "x[:1]"),
              "v": ("0", "0.0", "-0.0", "1", "2", "-1", "0.5", "1e300", "1e-300", "1e38", "1e-40", "float('inf')", "-float('inf')", "float('nan')", "np.float32(0)",
                    "np.float32(3e38)", "np.float16(6e4)", "np.float64(1e308)", "5e-324", "1j", "3", "-2", "np.float16(1e-7)", "np.float32(1e-45)", "True"),
              "i": ("0", "1", "-1", "3", "127", "-128"),
              "d": ("'float64'", "'float32'", "'float16'", "'complex64'", "'complex128'", "'int64'", "'int32'", "'int8'", "'uint8'", "'bool'"),
              "h": ("told", "Log()", "LOG", "LOG"), "w": ("'error'", "'ignore'", "'always'", "'default'"),
              "r": ()}
    conditions = ("len(x) > 2", "np.isnan(x).any()", "x.any()", "(x > 0).all()", "x.sum() > 0")

    def fill(self, form, depth=3):
        return super().fill(form.replace("{r}", self.modes()), depth)

    def modes(self):
        """The keywords of np.seterr: one mode for all, or some for single kinds of error."""
        if self.chance(0.45):
            return f"all={self.pick(MODES)!r}"
        kinds = self.random.sample(("divide", "over", "under", "invalid"), self.random.randint(1, 3))
        return ", ".join(f"{kind}={self.pick(MODES)!r}" for kind in kinds)

    def argument(self):
        if self.chance(0.35):
            return super().argument()
        dtype = self.pick(("float64", "float64", "float32", "float32", "float16", "complex64", "complex128"))
        count = self.pick((1, 2, 4, 6, 6, 10, 40))
        return f"special({dtype!r}, {', '.join(str(self.random.randrange(14)) for _ in range(count))})"
