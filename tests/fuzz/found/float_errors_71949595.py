# environment: DYNACC_POLICY=always
WORDS = {'float16': ('u2', [0x7c01, 0xfc01, 0x7dff, 0x7e00, 0x0001, 0x03ff, 0x0400, 0x7c00, 0xfc00, 0x7bff, 0x8000, 0x3c00, 0x0000, 0xc000]),
         'float64': ('u8', [0x7ff0000000000001, 0xfff0000000000001, 0x7ff7ffffffffffff, 0x7ff8000000000000, 1, 0xfffffffffffff, 0x10000000000000, 0x7ff0000000000000,
                            0xfff0000000000000, 0x7fefffffffffffff, 0x8000000000000000, 0x3ff0000000000000, 0, 0xc069000000000000])}
def special(dtype, *choice):
    part = {'complex64': 'float32', 'complex128': 'float64'}.get(dtype, dtype)
    kind, words = WORDS[part]
    chosen = np.array([words[c] for c in choice], kind).view(part)
    return chosen.view(dtype).copy()  # of no base, whose words would tell the payloads of NaNs
def f(x, y):
    try:
        y = x
        print
        x = np.isclose(x, x)
    except Exception as error:
        print
    np.multiply(x, x, out=x)
    return x
call('f', f, special('complex128', 6, 11, 3, 12, 13, 3), make((0,), 'int32', 'c', 143))
