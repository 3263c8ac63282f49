"""What the generated programs run on: inputs of every layout, and prints of all that can be observed."""
import hashlib
import os
import sys
import traceback
import warnings

import numpy as np

from derivatives import checkpoint, differentiate

LAYOUTS = ("c", "fortran", "transposed", "strided", "negative", "offset", "broadcast", "readonly")


@np.errstate(all="ignore")  # whatever the program has set
def _values(size, dtype, seed):
    random = np.random.RandomState(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return random.randint(0, 2, size).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        values = random.randint(0 if dtype.kind == "u" else -9, 10, size).astype(dtype)
        if seed % 3 == 0 and size:
            values[random.randint(0, size, 1 + size // 8)] = (info.max, info.min, 0)[seed % 9 // 3]
        return values
    values = random.standard_normal(size).astype(dtype)
    if seed % 3 == 0 and size:
        values[random.randint(0, size, 1 + size // 8)] = (np.nan, np.inf, -0.0, 1e30)[seed % 4]
    return values


def make(shape, dtype, layout, seed):
    """An array whose values are settled by `seed`, laid out in one of LAYOUTS."""
    size = int(np.prod(shape, dtype=np.int64))
    array = _values(size, dtype, seed).reshape(shape)
    if layout == "fortran":
        return np.asfortranarray(array)
    if layout == "transposed" and array.ndim > 1:
        order = np.random.RandomState(seed).permutation(array.ndim)
        return np.ascontiguousarray(array.transpose(order)).transpose(np.argsort(order))
    if layout == "strided" and array.ndim:
        return np.repeat(array, 2, axis=-1)[..., ::2]
    if layout == "negative" and array.ndim:
        return np.ascontiguousarray(array[::-1])[::-1]
    if layout == "offset":
        return np.concatenate([array.ravel()[:1], array.ravel()])[min(1, size):].reshape(shape)
    if layout == "broadcast" and array.ndim and size:
        return np.broadcast_to(array[:1], array.shape).copy() if seed % 2 else np.broadcast_to(
            array[:1], array.shape)
    if layout == "readonly":
        array.flags.writeable = False
    return array


def _bytes(value):
    """The elements' bytes, but any NaN as numpy.nan: of two NaNs it depends on where an array lies in
    memory which of the two NumPy's + and * return."""
    if value.dtype.hasobject or value.dtype.char in "gG":  # a long double has bytes that nothing sets
        return repr(value.tolist()).encode()
    if value.dtype.kind in "fc" and np.isnan(value).any():
        parts = np.array(value).reshape(-1).view(value.real.dtype)
        parts[np.isnan(parts)] = np.nan
        return parts.tobytes()
    return value.tobytes()


def _describe(value):
    if isinstance(value, np.ndarray):
        content = _bytes(value)
        flags = value.flags
        marks = "".join(mark for mark, is_set in zip("CFOWA", (
            flags.c_contiguous, flags.f_contiguous, flags.owndata, flags.writeable,
            flags.aligned)) if is_set)
        strides = value.strides
        head = value.ravel()[:4].tolist()
        return (f"{type(value).__name__} {value.dtype} {value.shape} {strides} {marks} "
                f"{hashlib.md5(content).hexdigest()[:10]} {head}")
    if isinstance(value, np.generic):
        return f"{type(value).__name__} {value!r} {_bytes(value).hex()}"
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__}[" + "; ".join(_describe(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{" + "; ".join(f"{key}: {_describe(item)}" for key, item in value.items()) + "}"
    return f"{type(value).__name__} {value!r}"


def show(name, value):
    print(f"{name}: {_describe(value)}")


def call(name, function, *args, **keywords):
    """Calls and prints: the result or the exception with its lines, and what became of the inputs."""
    try:
        show(name, function(*args, **keywords))
    except Exception as error:  # whatever NumPy raises is what must be raised
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)[1:]
                 if frame.filename.startswith("fuzz-")]
        print(f"{name}: {type(error).__name__} {error} at {lines} after "
              f"{type(error.__cause__).__name__} {type(error.__context__).__name__}")
    for number, arg in enumerate(args):
        if isinstance(arg, np.ndarray):
            base = arg if arg.base is None else arg.base
            print(f"  arg{number}: {hashlib.md5(_bytes(arg)).hexdigest()[:10]} {arg.strides} "
                  f"{hashlib.md5(_bytes(base)).hexdigest()[:10]}")


def _print_warning(message, category, filename, lineno, file=None, line=None):
    sys.stdout.write(f"{category.__name__}: {message} at {filename}:{lineno}\n")  # whole, whatever other threads print


def _let_memory_descend():
    """Makes NumPy's cache of small blocks give each block right below the one before."""
    for size in range(1, 1024):
        blocks = [np.empty(size, np.int8) for _ in range(64)]
        blocks.sort(key=lambda block: block.ctypes.data)
        while blocks:
            blocks.pop(0)


def run(seeds, sources):
    """Runs each source as a program of its own, after a line that names its seed."""
    warnings.showwarning = _print_warning
    for seed, source in zip(seeds, sources):
        print(f"=== {seed}", flush=True)
        np.seterr(divide="warn", over="warn", under="ignore", invalid="warn")
        np.setbufsize(8192)
        if os.environ.get("OBSERVE_DESCENDING"):
            _let_memory_descend()
        np.random.seed(7)
        warnings.resetwarnings()
        warnings.simplefilter("always")
        namespace = {"np": np, "show": show, "call": call, "make": make, "warnings": warnings,
                     "differentiate": differentiate, "checkpoint": checkpoint, "__name__": f"fuzz_{seed}"}
        exec(compile(source, f"fuzz-{seed}.py", "exec"), namespace)


if __name__ == "__main__":
    if os.environ.get("OBSERVE_TRACED"):
        sys.settrace(lambda frame, event, argument: None)  # no line is traced, and no instruction specialised
    os.dup2(1, 2)  # what goes to stderr, as np.seterr(all="print") does, is output as well
    files = sys.argv[1:]
    texts = []
    for path in files:
        with open(path, encoding="utf-8") as file:
            texts.append(file.read())
    run([path.rsplit("/", 1)[-1].removesuffix(".py") for path in files], texts)
