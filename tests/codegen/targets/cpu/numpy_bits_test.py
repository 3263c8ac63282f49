"""Compares every elementwise op of the CPU target with NumPy, byte for byte.

usage: numpy_bits_test.py BRIDGE.so [OP ...]

Emitted ops are computed by the kernel, others by NumPy's own loops, which the kernel calls tile by
tile. For each op and dtype for which NumPy has a loop: special values against special values, random
bits, every layout (contiguous, strided, reversed, one number), lengths around the vector and tile
sizes; then the floating-point flags against NumPy's warnings. NaNs of a binary op may differ where
both operands are NaN: NumPy's own choice depends on the position.
"""
import ctypes
import itertools
import sys
import warnings

import numpy as np

BRIDGE = ctypes.CDLL(sys.argv[1])
ONLY = set(sys.argv[2:])
BRIDGE.BridgeOpName.restype = ctypes.c_char_p
BRIDGE.BridgeOpNumpy.restype = ctypes.c_char_p
BRIDGE.BridgeDTypeChar.restype = ctypes.c_char
CHARACTERS = [BRIDGE.BridgeDTypeChar(i).decode() for i in range(BRIDGE.BridgeNumDTypes())]
DTYPES = [np.dtype(character) for character in CHARACTERS if character != "\0"]  # bfloat16 and float8 have none
OPS = {BRIDGE.BridgeOpName(i).decode(): i for i in range(BRIDGE.BridgeNumOps())}
LENGTHS = [1, 2, 7, 15, 16, 17, 31, 32, 33, 64, 100, 1023, 1024, 1025, 1040, 2500]
FLAG_NAMES = {"divide by zero": 1, "overflow": 2, "underflow": 4, "invalid value": 8}
SHORT = 7
SEED = 20240229

failures = []


def fail(case, message):
    failures.append((case, message))
    print("FAIL", *case, message, flush=True)


def special_values(dtype):
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        near = [0, 1, 2, 3, 7, 100, info.max, info.max - 1, info.max // 2, info.min, info.min + 1]
        if dtype.kind == "i":
            near += [-1, -2, -3, -100]
        return np.array(near, dtype)
    if dtype.kind == "c":
        part = np.dtype(dtype.char.lower())
        parts = np.array([0.0, -0.0, -2.5, np.inf, np.nan, np.finfo(part).max / 2,
                          np.finfo(part).tiny], part)
        return np.array([complex(re, im) for re in parts for im in parts], dtype)
    info = np.finfo(dtype)
    tiny = float(info.tiny)
    values = [0.0, 1.0, 0.5, 1.5, 2.5, 2.0, 3.0, np.pi, 1e-3, 100.25, 127.0, 128.0, 255.5, 256.0,
              32767.5, 65535.0, 2.0**23 + 1, 2.0**31 - 256, 2.0**31, 2.0**32 - 1024, 2.0**32, 3e9,
              2.0**52 + 1, 2.0**62, 2.0**63, 1.5 * 2.0**63, 2.0**64, 1e20, float(info.max),
              tiny, tiny / 4, float(info.smallest_subnormal), float(info.eps), np.inf, np.nan]
    with np.errstate(all="ignore"):
        positive = np.array(values, dtype)
    return np.concatenate([positive, -positive])


def random_values(rng, dtype, n):
    if dtype.kind == "b":
        return rng.integers(0, 2, n).astype(bool)
    if dtype.kind == "c":
        part = np.dtype(dtype.char.lower())
        return random_values(rng, part, 2 * n).view(dtype)
    values = np.frombuffer(rng.bytes(n * dtype.itemsize), dtype).copy()
    if dtype.kind == "f":
        half = n // 2
        values[:half] = (rng.standard_normal(half) * 100).astype(dtype)
        # Signalling NaNs are not made by arithmetic; NumPy's own treatment of them varies.
        quiet = np.isnan(values)
        values[quiet] = np.nan
    specials = special_values(dtype)
    mixed_in = rng.random(n) < 0.3
    values[mixed_in] = rng.choice(specials, mixed_in.sum())
    return values


def run(op, dtype, result, operands, out):
    pointers = (ctypes.c_char_p * 4)()
    pointers = (ctypes.c_void_p * 4)(*[a.ctypes.data for a in (*operands, out)])
    strides = (ctypes.c_int64 * 4)(*[a.strides[0] for a in (*operands, out)])
    return BRIDGE.BridgeRun(op, DTYPES.index(dtype), DTYPES.index(result), pointers, strides,
                            ctypes.c_int64(len(out)))


def numpy_function(name, result):
    if name == "cast":
        return lambda a: a.astype(result)
    if name == "where":
        return np.where
    if name in ("real", "imag"):
        return lambda a: np.ascontiguousarray(getattr(a, name))
    # NumPy's own loop multiplies complex128 in two ways (frontend/numpy/trace/complex_product.h).
    if name == "multiply_fused":
        return lambda a, b: np.multiply(np.repeat(a, 2)[::2], np.repeat(b, 2)[::2])
    if name == "multiply" and result.kind == "c":
        return lambda a, b: np.multiply(a.copy(), b.copy())
    return getattr(np, BRIDGE.BridgeOpNumpy(OPS[name]).decode())


def same_bytes(got, want, operands):
    same = got.view(np.uint8).reshape(len(got), -1) == want.view(np.uint8).reshape(len(want), -1)
    same = same.all(axis=1)
    floats = [a for a in operands if a.dtype.kind == "f"]
    if len(floats) > 1 and got.dtype.kind == "f":
        same |= np.isnan(got) & np.isnan(want) & np.all([np.isnan(a) for a in floats], axis=0)
    if got.dtype.kind == "c":  # the parts of one operand meet, too
        part = got.dtype.char.lower()
        got, want = (x.view(part).reshape(-1, 2) for x in (got, want))
        same |= ((got == want) & (np.signbit(got) == np.signbit(want)) |
                 np.isnan(got) & np.isnan(want)).all(axis=1)
    return same


def undefined(name, result, operands):
    """Casts whose result in NumPy depends on the element's position; the kernel raises a flag."""
    if name == "cast" and result == np.uint32 and operands[0].dtype.kind in "fc":
        a = operands[0].real
        return ~((a >= -(2.0**31)) & (a < 2.0**32))
    return np.zeros(len(operands[0]), bool)


def compare(case, operands, dtype, result, out):
    name = case[0]
    run(OPS[name], dtype, result, operands, out)
    with np.errstate(all="ignore"):
        want = numpy_function(name, result)(*operands)
    got = np.ascontiguousarray(out)
    same = same_bytes(got, np.ascontiguousarray(want), operands)
    same |= undefined(name, result, operands)
    if not same.all():
        i = int(np.argmin(same))
        values = ", ".join(repr(a[i].item()) for a in operands)
        fail(case, f"at {i} of {len(out)}: ({values}) gave {got[i]!r}, NumPy {want[i]!r}"
                   f" ({(~same).sum()} differ)")
    return same.all()


def layouts(make, num_operands, n, result, is_emitted):
    """Operands and a result, n long, in every mix of layouts that matters."""
    def strided(values, step):
        room = np.zeros(n * abs(step), values.dtype)
        view = room[::step]
        view[...] = values
        return view

    values = [make(i, n) for i in range(num_operands)]
    yield values, np.empty(n, result)
    yield [strided(v, 3) for v in values], np.empty(2 * n, result)[::2]
    if is_emitted:  # NumPy turns axes round before it calls its loops; callers of kernels must too
        yield [strided(v, -1) for v in values], np.empty(n, result)[::-1]
    for k in range(num_operands):
        number = [np.broadcast_to(v[:1], n) if i == k else v for i, v in enumerate(values)]
        yield number, np.empty(n, result)


def check_bits(case, dtype, result, operand_dtypes, rng):
    is_emitted = BRIDGE.BridgeIsEmitted(OPS[case[0]], DTYPES.index(dtype))
    specials = [special_values(d) for d in operand_dtypes]
    grid = [np.ascontiguousarray(g.ravel()) for g in np.meshgrid(*specials, indexing="ij")]
    if not compare(case, grid, dtype, result, np.empty(len(grid[0]), result)):
        return
    for at in range(0, len(grid[0]), SHORT):  # NumPy's code for short and for strided runs
        short = [g[at:at + SHORT] for g in grid]
        if not compare(case, short, dtype, result, np.empty(len(short[0]), result)):
            return
        spread = [np.repeat(g, 2)[::2] for g in short]
        if not compare(case, spread, dtype, result, np.empty(len(short[0]), result)):
            return
    make = lambda i, n: random_values(rng, operand_dtypes[i], n)
    for n in LENGTHS:
        for operands, out in layouts(make, len(operand_dtypes), n, result, is_emitted):
            if not compare(case, operands, dtype, result, out):
                return


def numpy_flags(function, operands):
    raised = []
    with np.errstate(all="call", call=lambda kind, flag: raised.append(kind)):
        function(*operands)
    return sum({FLAG_NAMES[kind] for kind in raised})


def check_flags(case, dtype, result, operand_dtypes):
    """One flag more than NumPy's would only cost time; one less would lose a warning."""
    name = case[0]
    specials = [special_values(d) for d in operand_dtypes]
    missed, spurious = [], []
    for values in itertools.product(*specials):
        operands = [np.full(5, v) for v in values]
        if undefined(name, result, operands).any():
            continue
        got = run(OPS[name], dtype, result, operands, np.empty(5, result))
        want = numpy_flags(numpy_function(name, result), operands)
        if want & ~got:
            missed.append((values, want, got))
        if got & ~want:
            spurious.append((values, want, got))
    for what, found in (("missed", missed), ("spurious", spurious)):
        if found:
            fail(case, f"{what} flags: {len(found)}, as {found[0]}")


def has_fused_products():
    a, b = (np.sqrt(np.arange(2.0, 18.0)) * (1 + k * 0.7j) for k in (1, 3))
    return not np.array_equal(np.multiply(a[::2], b[::2]), np.multiply(a[::2].copy(), b[::2].copy()))


def cases():
    for name, op in OPS.items():
        if name in ("real", "imag", "multiply_fused"):
            for dtype in (np.dtype("F"), np.dtype("D")):
                part = dtype if name == "multiply_fused" else np.dtype(dtype.char.lower())
                if name != "multiply_fused" or dtype.char == "D" and has_fused_products():
                    yield name, dtype, part, [dtype] * BRIDGE.BridgeNumOperands(op)
        elif BRIDGE.BridgeIsElementwise(op) and BRIDGE.BridgeOpNumpy(op):
            ufunc = getattr(np, BRIDGE.BridgeOpNumpy(op).decode())
            for dtype in DTYPES:
                for loop in ufunc.types:
                    ins, _, outs = loop.partition("->")
                    if set(ins) == {dtype.char} and len(outs) == 1:
                        yield name, dtype, np.dtype(outs), [dtype] * len(ins)
                        break
        elif name == "cast":
            for dtype, result in itertools.product(DTYPES, DTYPES):
                # What drops imaginary parts warns, and is never captured.
                if dtype.kind == "c" and result.kind not in "bc":
                    continue
                yield name, dtype, result, [dtype]
        elif name == "where":
            for dtype in DTYPES:
                yield name, dtype, dtype, [np.dtype(bool), dtype, dtype]


class UFunc(ctypes.Structure):
    """The first fields of NumPy's PyUFuncObject."""
    _fields_ = [("head", ctypes.c_byte * 16), ("nin", ctypes.c_int), ("nout", ctypes.c_int),
                ("nargs", ctypes.c_int), ("identity", ctypes.c_int),
                ("functions", ctypes.POINTER(ctypes.c_void_p)),
                ("data", ctypes.POINTER(ctypes.c_void_p))]


def register_library_loop(name, dtype):
    ufunc = getattr(np, BRIDGE.BridgeOpNumpy(OPS[name]).decode())
    fields = UFunc.from_address(id(ufunc))
    for i, loop in enumerate(ufunc.types):
        if set(loop.partition("->")[0]) == {dtype.char}:
            BRIDGE.BridgeRegisterLoop(OPS[name], DTYPES.index(dtype),
                                      ctypes.c_void_p(fields.functions[i]),
                                      ctypes.c_void_p(fields.data[i]))
            return


def may_raise(name, dtype):
    """NumPy's loop for integer powers raises a Python exception on negative exponents."""
    return name == "power" and dtype.kind == "i"


def main():
    warnings.simplefilter("ignore", getattr(np, "exceptions", np).ComplexWarning)
    rows = [r for r in cases() if not ONLY or r[0] in ONLY]
    rows = [r for r in rows if not may_raise(r[0], r[1])]
    for name, dtype, _, _ in rows:
        if not BRIDGE.BridgeIsEmitted(OPS[name], DTYPES.index(dtype)):
            register_library_loop(name, dtype)
    for name, dtype, result, _ in rows:
        BRIDGE.BridgeRequest(OPS[name], DTYPES.index(dtype), DTYPES.index(result))
    if not BRIDGE.BridgeCompile():
        return 1
    rng = np.random.default_rng(SEED)
    for name, dtype, result, operand_dtypes in rows:
        case = (name, dtype.name, result.name)
        check_bits(case, dtype, result, operand_dtypes, rng)
        if any(d.kind in "fc" for d in operand_dtypes):
            check_flags(case, dtype, result, operand_dtypes)
    print(f"{len(rows)} kernels, {len(failures)} failures (seed {SEED})")
    return 1 if failures or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
