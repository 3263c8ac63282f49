"""Latency of DynaCC and of onnxruntime: a transformer and a small convolutional network, on one thread.

    /usr/bin/python3 -m venv build/onnx
    build/onnx/bin/pip install onnxruntime onnx "numpy==1.24.2"
    DYNACC_THREADS=1 build/release/dynacc-python bench/beside_onnx.py build/onnx [ROUNDS]

The models are written twice: as functions of NumPy and `dynacc.nn`, and as ONNX graphs of the same weights. Columns:
onnxruntime's median time of a call in milliseconds, then DynaCC's time over it (below 1: DynaCC is quicker) of the
function under `dynacc.compile`, with `fast_math`, and of the two frozen as Programs, in one process and in turn. A
Program that cannot be had is a dash. Results are compared first, to the precision of float32.
"""
import glob
import statistics
import sys
import time

import numpy as np

import dynacc

WIDTH, HEADS, LAYERS = 256, 4, 4
SIZES = {"transformer": [1, 16, 128], "convolutions": [1, 8]}  # tokens; images
_rng = np.random.default_rng(0)


def weights(*shape):
    return (_rng.standard_normal(shape) * 0.05).astype(np.float32)


def make_layer():
    return {"scale1": 1 + weights(WIDTH), "shift1": weights(WIDTH), "query": weights(WIDTH, WIDTH),
            "key": weights(WIDTH, WIDTH), "value": weights(WIDTH, WIDTH), "out": weights(WIDTH, WIDTH),
            "scale2": 1 + weights(WIDTH), "shift2": weights(WIDTH), "up": weights(WIDTH, 4 * WIDTH),
            "up_bias": weights(4 * WIDTH), "down": weights(4 * WIDTH, WIDTH), "down_bias": weights(WIDTH)}


TRANSFORMER = [make_layer() for _ in range(LAYERS)]
FILTERS = [weights(3, 3, 3, 16), weights(3, 3, 16, 32), weights(3, 3, 32, 32)]
STRIDES = [1, 2, 1]
DENSE = weights(32, 10)


def normalize(x, scale, shift):
    centred = x - x.mean(axis=-1, keepdims=True)
    return scale * centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(1e-5)) + shift


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def relu(x):
    return np.maximum(x, np.float32(0))


def transformer(x):
    tokens = x.shape[0]
    for p in TRANSFORMER:
        y = normalize(x, p["scale1"], p["shift1"])
        q, k, v = ((y @ p[name]).reshape(tokens, HEADS, WIDTH // HEADS).transpose(1, 0, 2)
                   for name in ("query", "key", "value"))
        scores = softmax(q @ k.transpose(0, 2, 1) * np.float32((WIDTH // HEADS) ** -0.5))
        x = x + (scores @ v).transpose(1, 0, 2).reshape(tokens, WIDTH) @ p["out"]
        y = normalize(x, p["scale2"], p["shift2"])
        x = x + relu(y @ p["up"] + p["up_bias"]) @ p["down"] + p["down_bias"]
    return x


def convolutions(x):
    """Images of the shape (n, 32, 32, 3); ten numbers for each."""
    x = dynacc.asarray(x)
    for filters, stride in zip(FILTERS, STRIDES):
        x = dynacc.maximum(dynacc.nn.convolution(x, dynacc.asarray(filters), strides=stride, padding=1), 0.0)
    return dynacc.mean(x, axis=(1, 2)) @ dynacc.asarray(DENSE)


class Graph:
    """An ONNX graph while it is written: each call adds a node and returns its result's name."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def __call__(self, operator, *inputs, **attributes):
        from onnx import helper
        name = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def constant(self, array):
        from onnx import numpy_helper
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def session(self, shape, result):
        import onnxruntime
        from onnx import TensorProto, helper
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
        y = helper.make_tensor_value_info(result, TensorProto.FLOAT, None)
        graph = helper.make_graph(self.nodes, "model", [x], [y], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def onnx_transformer():
    g = Graph()
    split = g.constant(np.array([0, HEADS, WIDTH // HEADS], np.int64))
    joined = g.constant(np.array([0, WIDTH], np.int64))
    scale = g.constant(np.float32((WIDTH // HEADS) ** -0.5))
    x = "x"
    for p in TRANSFORMER:
        c = {name: g.constant(array) for name, array in p.items()}
        y = g("LayerNormalization", x, c["scale1"], c["shift1"], epsilon=1e-5)
        q, v = (g("Transpose", g("Reshape", g("MatMul", y, c[name]), split), perm=[1, 0, 2])
                for name in ("query", "value"))
        k = g("Transpose", g("Reshape", g("MatMul", y, c["key"]), split), perm=[1, 2, 0])
        scores = g("Softmax", g("Mul", g("MatMul", q, k), scale))
        rows = g("Reshape", g("Transpose", g("MatMul", scores, v), perm=[1, 0, 2]), joined)
        x = g("Add", x, g("MatMul", rows, c["out"]))
        y = g("LayerNormalization", x, c["scale2"], c["shift2"], epsilon=1e-5)
        hidden = g("Relu", g("Add", g("MatMul", y, c["up"]), c["up_bias"]))
        x = g("Add", g("Add", x, g("MatMul", hidden, c["down"])), c["down_bias"])
    return g.session(["tokens", WIDTH], x)


def onnx_convolutions():
    g = Graph()
    x = "x"  # of the order that onnxruntime computes in
    for filters, stride in zip(FILTERS, STRIDES):
        x = g("Relu", g("Conv", x, g.constant(filters.transpose(3, 2, 0, 1)), strides=[stride] * 2, pads=[1] * 4))
    mean = g("ReduceMean", x, axes=[2, 3], keepdims=0)
    return g.session(["images", 3, 32, 32], g("MatMul", mean, g.constant(DENSE)))


def arguments(name, size):
    shape = (size, WIDTH) if name == "transformer" else (size, 32, 32, 3)
    return np.random.default_rng(1).standard_normal(shape).astype(np.float32)


def program(function, x, **options):
    """The function frozen, or None where it has what a Program cannot have."""
    try:
        return dynacc.export(function, x, **options)
    except dynacc.program.ProgramError as error:
        print(f"  {function.__name__}: {str(error).splitlines()[0]}")
        return None


def versions_of(function, session, x):
    peer = x if x.ndim == 2 else np.ascontiguousarray(x.transpose(0, 3, 1, 2))
    compiled, fast = dynacc.compile(function), dynacc.compile(function, fast_math=True)
    versions = {"onnxruntime": lambda: session.run(None, {"x": peer})[0],
                "compile": lambda: compiled(x), "fast_math": lambda: fast(x)}
    for name, options in (("Program", {}), ("Program fast_math", {"fast_math": True})):
        frozen = program(function, x, **options)
        if frozen is not None:
            versions[name] = lambda frozen=frozen: frozen(x)
    return versions


@dynacc.disable
def seconds(version, repeat):
    start = time.perf_counter()
    for _ in range(repeat):
        version()
    return (time.perf_counter() - start) / repeat


def measure(versions, rounds):
    """Median seconds of a call of each version."""
    once = {}
    for name, version in versions.items():
        end = time.perf_counter() + 0.5
        while time.perf_counter() < end:  # until compiled code serves
            once[name] = seconds(version, 1)
    repeat = {name: max(1, int(0.05 / taken)) for name, taken in once.items()}
    found = [{name: seconds(version, repeat[name]) for name, version in versions.items()} for _ in range(rounds)]
    return {name: statistics.median(each[name] for each in found) for name in versions}


def main():
    sys.path[:0] = glob.glob(sys.argv[1] + "/lib/python3*/site-packages")
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    names = ["compile", "fast_math", "Program", "Program fast_math"]
    print(f"{'model':20}{'onnxruntime ms':>16}" + "".join(f"{name:>20}" for name in names))
    for function, session in ((transformer, onnx_transformer()), (convolutions, onnx_convolutions())):
        for size in SIZES[function.__name__]:
            versions = versions_of(function, session, arguments(function.__name__, size))
            wanted = versions["onnxruntime"]()
            for name, version in versions.items():
                np.testing.assert_allclose(np.asarray(version()), wanted, rtol=2e-3, atol=2e-4, err_msg=name)
            times = measure(versions, rounds)
            cells = [f"{times[name] / times['onnxruntime']:20.2f}" if name in times else f"{'-':>20}" for name in names]
            print(f"{f'{function.__name__}, {size}':20}{times['onnxruntime'] * 1e3:16.3f}" + "".join(cells), flush=True)


if __name__ == "__main__":
    main()
