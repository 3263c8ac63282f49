"""Random legal graphs, built by dynacc.graph, and arrays for them in all memory orders."""
import numpy as np

from dynacc.graph import Graph

NUMPY = {"f64": np.float64, "f32": np.float32, "i64": np.int64, "i32": np.int32, "bool": np.bool_, "c128": np.complex128}
UNARY = {"f": ("negative", "absolute", "sqrt", "square", "exp", "tanh", "floor", "sign", "isnan"),
         "i": ("negative", "absolute", "square", "sign", "invert"), "b": ("logical_not",), "c": ("negative", "conjugate", "real", "imag", "absolute")}
BINARY = {"f": ("add", "subtract", "multiply", "divide", "maximum", "minimum", "less", "equal", "hypot", "copysign"),
          "i": ("add", "subtract", "multiply", "maximum", "bitwise_and", "less_equal", "not_equal"),
          "b": ("logical_and", "logical_or", "logical_xor", "equal"), "c": ("add", "subtract", "not_equal")}
REDUCTIONS = {"f": ("reduce_sum", "reduce_max", "reduce_min", "reduce_prod"), "i": ("reduce_sum", "reduce_max", "reduce_min"),
              "b": ("reduce_any", "reduce_all"), "c": ("reduce_sum",)}


class RandomGraph:
    """`graph` and, in `arrays`, values for its inputs, all of them from one seed."""

    def __init__(self, seed, num_nodes=12):
        self.random = np.random.default_rng(seed)
        self.graph = Graph()
        shape = tuple(int(n) for n in self.random.choice([1, 2, 3, 4, 7, 40], size=self.random.integers(1, 4)))
        dtypes = self.random.choice(list(NUMPY), size=self.random.integers(1, 4), p=[0.4, 0.2, 0.15, 0.05, 0.1, 0.1])
        self.arrays = [self.array(dtype, shape) for dtype in dtypes]
        self.nodes = [self.graph.placeholder(dtype, shape) for dtype in dtypes]
        for _ in range(num_nodes):
            made = self.step()
            if made is not None:
                self.nodes.append(made)
        count = int(self.random.integers(1, 4))
        self.graph.output([self.pick(self.nodes[-6:]) for _ in range(count)])

    def array(self, dtype, shape):
        """In a random order of axes, perhaps backwards, perhaps every other element of a larger one."""
        order = self.random.permutation(len(shape))
        gaps = [int(self.random.choice([1, 1, 2])) for _ in shape]
        memory = self.random.normal(size=[shape[axis] * gaps[axis] for axis in order]) * 4
        if dtype == "c128":
            memory = memory + 1j * self.random.normal(size=memory.shape)
        memory = (memory > 0) if dtype == "bool" else memory.astype(NUMPY[dtype])
        view = memory.transpose(np.argsort(order))
        return view[tuple(slice(None, None, gap * int(self.random.choice([1, 1, -1]))) for gap in gaps)]

    def pick(self, items):
        return items[int(self.random.integers(len(items)))]

    def step(self):
        node = self.pick(self.nodes)
        kind = node.dtype[0]
        return self.pick([self.unary, self.binary, self.binary, self.with_number, self.cast, self.where, self.slice, self.transpose,
                          self.reshape, self.reduce, self.concat, self.roll, self.store, self.matmul, self.scan,
                          self.search])(node, kind)

    def call(self, op, args, attrs=None, **given):
        return self.graph.call_function(op, args, attrs, **given)

    def unary(self, node, kind):
        return self.call(self.pick(UNARY[kind]), (node,))

    def scan(self, node, kind):
        if kind == "b" or not node.shape:
            return None
        ops = ["cumsum"] if kind == "c" else ["cumsum", "cumprod"]  # NumPy has two ways to multiply complex numbers
        return self.call(self.pick(ops), (node,), {"axis": int(self.random.integers(len(node.shape)))})

    def search(self, node, kind):
        if not node.shape:
            return None
        rank = len(node.shape)
        axes = self.pick([list(range(rank)), [int(self.random.integers(rank))]])
        return self.call(self.pick(["argmax", "argmin"]), (node,), {"axes": axes, "keepdims": self.pick([True, False])})

    def like(self, node):
        return [other for other in self.nodes if other.dtype == node.dtype and other.shape == node.shape]

    def binary(self, node, kind):
        return self.call(self.pick(BINARY[kind]), (node, self.pick(self.like(node))))

    def with_number(self, node, kind):
        number = {"f": float(self.random.normal()), "i": int(self.random.integers(-9, 9)), "b": True, "c": 0.5 - 2j}[kind]
        args = (node, number) if self.random.random() < 0.5 else (number, node)
        return self.call("add" if kind != "b" else "logical_xor", args)

    def cast(self, node, kind):
        allowed = {"f": ["f32", "f64"], "i": ["f64", "i32", "i64"], "b": ["i64", "f32"], "c": ["c128"]}[kind]
        return self.call("cast", (node,), dtype=self.pick(allowed))

    def where(self, node, kind):
        conditions = [other for other in self.nodes if other.dtype == "bool" and other.shape == node.shape]
        if not conditions:
            return None
        return self.call("where", (self.pick(conditions), node, self.pick(self.like(node))))

    def slice(self, node, kind):
        """A part of each axis, perhaps backwards, perhaps every other element; an axis may be left out or added."""
        axis, start, step, shape = [], [], [], []
        for s, size in enumerate(node.shape):
            count = int(self.random.integers(1, size + 1))
            stride = int(self.random.choice([1, 1, 2, -1]))
            if (count - 1) * abs(stride) >= size:
                stride = 1
            extent = (count - 1) * stride
            first = int(self.random.integers(max(0, -extent), size - max(0, extent)))
            start.append(first)
            if self.random.random() < 0.85:
                axis.append(s)
                step.append(stride)
                shape.append(count)
        if self.random.random() < 0.2 and len(axis) < 4:
            place = int(self.random.integers(len(axis) + 1))
            axis.insert(place, -1)
            step.insert(place, 0)
            shape.insert(place, int(self.random.integers(1, 4)))
        return self.call("view", (node,), {"axis": axis, "start": start, "step": step}, shape=shape)

    def transpose(self, node, kind, order=None):
        order = order or [int(axis) for axis in self.random.permutation(len(node.shape))]
        return self.call("view", (node,), {"axis": order, "start": [0] * len(order), "step": [1] * len(order)},
                         shape=[node.shape[axis] for axis in order])

    def reshape(self, node, kind):
        size = int(np.prod(node.shape, dtype=int))
        divisors = [d for d in range(1, size + 1) if size % d == 0]
        first = self.pick(divisors) if divisors else 0
        return self.call("reshape", (node,), shape=(first, size // first) if first else (0,))

    def reduce(self, node, kind):
        axes = [axis for axis in range(len(node.shape)) if self.random.random() < 0.5]
        return self.call(self.pick(REDUCTIONS[kind]), (node,), {"axes": axes, "keepdims": bool(self.random.random() < 0.3)})

    def concat(self, node, kind):
        if not node.shape:
            return None
        return self.call("concat", (node, self.pick(self.like(node))), {"axes": [int(self.random.integers(len(node.shape)))]})

    def roll(self, node, kind):
        return self.call("roll", (node,), {"shifts": [int(self.random.integers(max(size, 1))) for size in node.shape]})

    def store(self, node, kind):
        count = len(node.shape)
        start = [int(self.random.integers(size)) for size in node.shape]
        sizes = [size - first for size, first in zip(node.shape, start)]
        attrs = {"axis": list(range(count)), "start": start, "step": [1] * count}
        value = self.call("view", (self.pick(self.like(node)),), dict(attrs, start=[0] * count), shape=sizes)
        return self.call("store", (node, value), attrs)

    def matmul(self, node, kind):
        if kind not in "fi" or len(node.shape) != 2:
            return None
        return self.call("matmul", (node, self.transpose(node, kind, [1, 0])))


def same_bytes(a, b):
    """Whether two arrays have one dtype, shape and, NaNs aside, the same bits."""
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind == "c":
        return same_bytes(a.real, b.real) and same_bytes(a.imag, b.imag)
    if a.dtype.kind != "f":
        return a.tobytes() == b.tobytes()
    differ = a.view(f"u{a.itemsize}") != b.view(f"u{b.itemsize}")
    return bool((~differ | (np.isnan(a) & np.isnan(b))).all())
