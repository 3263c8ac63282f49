#!/usr/bin/env python3
"""Tensors on the simulated GPU: moves, order of work, exchange with other libraries, and what goes wrong.

usage: device_tensor_test.py SIMULATOR [unittest arguments]
Another library is played by `Other`: it calls the same driver, with a stream of its own. The simulator does a stream's
work only when something waits for it, so that whoever does not wait for the right stream reads wrong numbers.
"""
import ctypes
import os
import pickle
import subprocess
import sys
import threading
import unittest

import numpy as np

SIMULATOR = ""


def run(text, **variables):
    """Runs a program under the launcher with the simulator; its (stdout, stderr)."""
    environment = dict(os.environ, DYNACC_CUDA_DRIVER=SIMULATOR, DYNACC_NVRTC=SIMULATOR) | variables
    done = subprocess.run([os.environ["DYNACC_PYTHON"], "-c", text], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


# --- Another library ------------------------------------------------------------------------------

class DlTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_uint64), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [("tensor", DlTensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


def python_api(name, result, *arguments):
    function = getattr(ctypes.pythonapi, name)
    function.restype, function.argtypes = result, arguments
    return function


new_capsule = python_api("PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
pointer_of = python_api("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
rename = python_api("PyCapsule_SetName", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
USED = ctypes.create_string_buffer(b"used_dltensor")
NAME = ctypes.create_string_buffer(b"dltensor")


class Other:
    """A library with a stream of its own on one device."""

    def __init__(self, device=0):
        self.cuda = ctypes.CDLL(SIMULATOR)
        context = ctypes.c_void_p()
        self.do("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.context = context
        stream = ctypes.c_void_p()
        with self:
            self.do("cuStreamCreate", ctypes.byref(stream), 1)
        self.stream = stream.value

    def __enter__(self):
        self.do("cuCtxPushCurrent", self.context)

    def __exit__(self, *error):
        self.do("cuCtxPopCurrent", ctypes.byref(ctypes.c_void_p()))

    def do(self, name, *arguments):
        result = getattr(self.cuda, name)(*arguments)
        assert result == 0, f"{name}: {result}"

    def write(self, address, array, stream=None):
        """Gives the stream a copy to the device; it is not done yet."""
        bytes_ = array.tobytes()
        with self:
            self.do("cuMemcpyHtoDAsync", ctypes.c_uint64(address), bytes_, ctypes.c_size_t(len(bytes_)),
                    ctypes.c_void_p(stream or self.stream))

    def read(self, address, dtype, count, stream=None):
        result = np.zeros(count, dtype)
        with self:
            stream = ctypes.c_void_p(stream or self.stream)
            self.do("cuMemcpyDtoHAsync", result.ctypes.data_as(ctypes.c_void_p), ctypes.c_uint64(address),
                    ctypes.c_size_t(result.nbytes), stream)
            self.do("cuStreamSynchronize", stream)
        return result

    def let_wait(self, stream):
        """Work of `stream` from now on comes after this library's so far."""
        event = ctypes.c_void_p()
        with self:
            self.do("cuEventCreate", ctypes.byref(event), 2)
            self.do("cuEventRecord", event, ctypes.c_void_p(self.stream))
            self.do("cuStreamWaitEvent", ctypes.c_void_p(stream), event, 0)


class Producer:
    """An array of four float64 of the other library, in memory at `address`."""

    def __init__(self, other, address, on_delete=lambda: None):
        self.other, self.address, self.on_delete = other, address, on_delete
        self.streams, self.deleted = [], []

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, *, stream=None):  # of before version 1
        self.streams.append(stream)
        self.other.let_wait(stream)
        self.sizes = (ctypes.c_int64 * 1)(4)
        self.managed = Managed(DlTensor(self.address, 2, 0, 1, 2, 64, 1, self.sizes, None, 0), None, DELETER(self.delete))
        return new_capsule(ctypes.addressof(self.managed), NAME, None)

    def delete(self, managed):
        self.on_delete()
        self.deleted.append((managed == ctypes.addressof(self.managed), threading.get_ident()))


class Shown:
    """An object with __cuda_array_interface__."""

    def __init__(self, **interface):
        self.__cuda_array_interface__ = interface


def consume(capsule):
    """What a consumer makes of a capsule: the struct, and the function that gives it back."""
    address = pointer_of(capsule, b"dltensor")
    rename(capsule, USED)
    managed = Managed.from_address(address)
    return managed.tensor, lambda: managed.deleter(address)


class Moves(unittest.TestCase):
    def test_devices(self):
        import dynacc
        for name, expected in {"cpu": ("cpu", 0), "cuda": ("cuda", 0), "cuda:1": ("cuda", 1)}.items():
            device = dynacc.Device(name)
            self.assertEqual((device.type, device.index), expected)
            self.assertEqual(pickle.loads(pickle.dumps(device)), device)
        self.assertEqual(dynacc.Device("cuda"), "cuda:0")
        for name in ("gpu", "cuda:x", "cpu:1", ""):
            with self.assertRaisesRegex(ValueError, "no device is called"):
                dynacc.Device(name)
        info = dynacc.__array_namespace_info__()
        self.assertEqual((info.devices(), info.default_device()), (["cpu", "cuda:0", "cuda:1"], "cpu"))

    def test_there_and_back(self):
        import dynacc
        array = np.arange(24.0).reshape(2, 3, 4)
        for layout in (array, array.T, array[:, ::-1], array[..., ::2], array[0], np.float64(3), array[:0]):
            host = dynacc.asarray(layout)
            for device in ("cuda", "cuda:1"):
                there = host.to_device(device)
                self.assertEqual((there.device, there.shape), (dynacc.Device(device), host.shape))
                self.assertIs(there.to_device(device), there)
                self.assertEqual(there.to("cpu").tolist(), host.tolist())
                self.assertEqual(there.to("cuda:1").to("cuda:0").tolist(), host.tolist())
                self.assertEqual(there[..., None].to_device("cpu").tolist(), host[..., None].tolist())
        self.assertIs(host.to_device("cpu"), host)
        with self.assertRaisesRegex(ValueError, "there is no CUDA device 7"):
            host.to_device("cuda:7")
        with self.assertRaisesRegex(ValueError, "copy=False"):
            dynacc.asarray(host, device="cuda", copy=False)

    def test_between_devices_without_the_host(self):
        out, _ = run("""
import dynacc, numpy as np
numbers = np.arange(1000.0).reshape(20, 50)
x = dynacc.asarray(numbers, device="cuda").T * 2
y = x.to_device("cuda:1")
x += 100  # later than the copy
del x
z = y.to("cuda:0") + 1
try:
    z.to("cpu")
except MemoryError:
    print("the first copy to the host")
print(y.device, z.device, np.array_equal(np.asarray(z.to("cpu")), numbers.T * 2 + 1))
print(dynacc.asarray(numbers, device="cuda")[:, ::3].to("cuda:1").to("cpu").tolist() == numbers[:, ::3].tolist())
""", DYNACC_SIM_DEVICES="2", DYNACC_SIM_FAIL="cuMemcpyDtoHAsync:1:2")
        self.assertEqual(out, "the first copy to the host\ncuda:1 cuda:0 True\nTrue\n")

    def test_numbers_and_texts(self):
        import dynacc
        x = dynacc.asarray(2.5, device="cuda") + 1
        self.assertEqual((float(x), int(x), bool(x), complex(x), x.item()), (3.5, 3, True, 3.5 + 0j, 3.5))
        self.assertEqual([10, 11, 12][dynacc.asarray(1, device="cuda")], 11)
        self.assertEqual((str(x), repr(x), f"{x:.2f}"), ("3.5", "Tensor(3.5, device='cuda:0')", "3.50"))
        y = dynacc.asarray(np.arange(3, dtype="f"), device="cuda")
        self.assertEqual(repr(y), "Tensor([0., 1., 2.], dtype=float32, device='cuda:0')")
        self.assertEqual((len(y), [float(one) for one in y]), (3, [0, 1, 2]))
        again = pickle.loads(pickle.dumps(y))
        self.assertEqual((again.device, again.tolist()), ("cuda:0", [0, 1, 2]))
        with self.assertRaisesRegex(TypeError, "0-dimensional"):
            float(y)

    def test_nothing_is_copied_unasked(self):
        import dynacc
        x = dynacc.ones(3, device="cuda")
        for attempt in (lambda: np.asarray(x), lambda: np.array(x), lambda: np.add(x, 1), lambda: np.sum(x),
                        lambda: x + np.ones(3), lambda: np.ones(3) + x):
            with self.assertRaisesRegex(TypeError, "nothing is copied to the host unasked|unsupported operand"):
                attempt()
        with self.assertRaisesRegex(BufferError, "on cuda:0"):
            memoryview(x)
        self.assertFalse(hasattr(x, "__array_interface__"))
        self.assertFalse(hasattr(dynacc.ones(3), "__cuda_array_interface__"))

    def test_mixed_devices(self):
        import dynacc
        a, b, c = dynacc.ones(3), dynacc.ones(3, device="cuda"), dynacc.ones(3, device="cuda:1")
        for attempt in (lambda: a + b, lambda: b + c, lambda: dynacc.where(b > 0, b, c), lambda: dynacc.concat([b, a]),
                        lambda: dynacc.matmul(b, c), lambda: b.__iadd__(a), lambda: b.__setitem__(0, c[0])):
            with self.assertRaisesRegex(ValueError, r"tensors on .* and .*; to_device\(\) moves them to one"):
                attempt()
        self.assertEqual((c * 2).device, "cuda:1")

    def test_errors_are_the_hosts(self):
        import dynacc
        x = dynacc.ones((2, 3), device="cuda")
        for same_text, error, attempt in ((True, ValueError, lambda y: y + y[:, :2]), (True, TypeError, lambda y: y & y), (True, IndexError, lambda y: y[5]),
                               (True, ValueError, lambda y: dynacc.reshape(y, (4,))), (True, TypeError, lambda y: y.__setitem__(0, 1j)),
                               (False, ValueError, lambda y: y.__setitem__(0, y[:, 0])),
                               (True, ValueError, lambda y: dynacc.broadcast_to(y, (2, 2, 3)).__setitem__(0, 1))):
            with self.assertRaises(error) as host:
                attempt(dynacc.ones((2, 3)))
            for _ in range(5):  # more often than breaks are forgiven
                with self.assertRaises(error) as device:
                    attempt(x)
                if same_text:
                    self.assertEqual(str(device.exception), str(host.exception))
        self.assertEqual((x + x).tolist(), [[2.0] * 3] * 2)

    def test_kernels_are_few(self):
        """One compiled form of an operation serves all sizes."""
        import dynacc

        @dynacc.disable  # an entry for the loop would count, too
        def operate(sizes):
            for n in sizes:
                x = dynacc.ones(n, device="cuda")
                self.assertEqual(float(dynacc.sum(x + x)), 2 * n)
            return dynacc.stats()["segments_compiled"]

        self.assertGreater(operate([3]), 0)
        before = operate(range(2, 40))
        self.assertEqual(operate(range(40, 60)), before)

    def test_indices(self):
        """Reading and writing through tensors of indices copies nothing to the host."""
        import dynacc
        host = np.arange(24.0).reshape(6, 4)
        places = np.array([5, -1, 0, 2, 2])
        x, i = dynacc.asarray(host, device="cuda"), dynacc.asarray(places, device="cuda")
        y = dynacc.asarray(host, device="cuda")

        @dynacc.compile
        def embed(table, at):
            return dynacc.sum(table[at] * 2, axis=1)

        def work():
            y[i] = x[i] + 1
            y[i, 1] = -2
            return [x[i], x[i, 1], x[1, i % 4], x[:, i % 4], dynacc.take(x, i, axis=0), embed(x, i)]

        for _ in range(2):
            work()
        before = dynacc.stats()["bytes_from_device"], dynacc.stats()["library_calls"]
        results = work()
        self.assertEqual((dynacc.stats()["bytes_from_device"], dynacc.stats()["library_calls"]), before)
        changed = host.copy()
        for _ in range(3):
            changed[places] = host[places] + 1
            changed[places, 1] = -2
        expected = [host[places], host[places, 1], host[1, places % 4], host[:, places % 4], host[places],
                    (host[places] * 2).sum(axis=1)]
        for result, wanted in zip([*results, y], [*expected, changed]):
            self.assertEqual(result.tolist(), wanted.tolist())
        z = dynacc.asarray(host, device="cuda")
        z[dynacc.asarray(places)] = dynacc.asarray(host[:5] * 3, device="cuda")  # indices on the host
        changed = host.copy()
        changed[places] = host[:5] * 3
        self.assertEqual(z.tolist(), changed.tolist())

    def test_indices_out_of_bounds(self):
        """Whoever waits next is told, once; everything goes on."""
        import dynacc
        x, bad = dynacc.asarray(np.arange(6.0), device="cuda"), dynacc.asarray([1, 6], device="cuda")
        for work in (lambda: x[bad], lambda: dynacc.take(x, bad), lambda: x.__setitem__(bad, 1.0)):
            for _ in range(3):
                work()
                with self.assertRaisesRegex(IndexError, "^an index is out of bounds, on the GPU, in the work of .*$"):
                    x.to_device("cpu")
                self.assertEqual(float(x[0]), 0)

    def test_runs_that_are_given_again(self):
        """Runs like one before and, among them, such with other numbers, shapes, strides and addresses."""
        import dynacc

        @dynacc.compile
        def f(x, k):
            squares = x * x + k
            return dynacc.sum(squares, axis=0), squares - x, dynacc.matmul(squares, x.T)

        kept = []
        for turn in range(40):
            rows, k = 2 + turn // 10 % 2, (2.0, 0.5)[turn % 7 == 0]
            host = np.arange(24.0).reshape(4, 6)[:rows] + turn
            host = host[:, ::2] if turn % 5 == 4 else host
            x = dynacc.asarray(host, device="cuda") if turn % 3 else dynacc.asarray(np.vstack([host, host]), device="cuda")[rows:]
            kept.append((f(x, k), ((host * host + k).sum(axis=0), host * host + k - host, (host * host + k) @ host.T)))
            if turn % 4 == 0:
                del kept[:len(kept) // 2]  # their memory is used again
        for results, expected in kept:
            for result, wanted in zip(results, expected):
                self.assertEqual(result.tolist(), wanted.tolist())

    def test_runs_as_cuda_graphs(self):
        """mode="reduce-overhead": results that are held, in part or as a view, stay as they are."""
        import dynacc

        def f(x, k):
            squares = x * x + k
            return dynacc.sum(squares, axis=0), squares - x

        compiled = dynacc.compile(f, mode="reduce-overhead")
        before = dynacc.stats()["cuda_graph_launches"]
        x = dynacc.asarray(np.arange(24.0).reshape(4, 6), device="cuda")
        kept = []
        for turn in range(30):
            sums, rest = compiled(x, 2.0)
            kept.append((sums, rest[1:, ::2]) if turn % 4 == 0 else None)
            expected = np.arange(24.0).reshape(4, 6) ** 2 + 2.0
            self.assertEqual(sums.tolist(), expected.sum(axis=0).tolist())
            del sums, rest
        for pair in filter(None, kept):
            self.assertEqual(pair[0].tolist(), expected.sum(axis=0).tolist())
            self.assertEqual(pair[1].tolist(), (expected - np.arange(24.0).reshape(4, 6))[1:, ::2].tolist())
        self.assertGreater(dynacc.stats()["cuda_graph_launches"] - before, 10)
        plain = dynacc.compile(f, mode="max-autotune-no-cudagraphs")
        before = dynacc.stats()["cuda_graph_launches"]
        for _ in range(10):
            plain(x, 2.0)
        self.assertEqual(dynacc.stats()["cuda_graph_launches"], before)

    def test_threads(self):
        import dynacc
        results = {}

        def work(number):
            x = dynacc.asarray(np.full(2000, float(number)), device="cuda")
            for _ in range(20):
                x = x + 1
            results[number] = float(dynacc.sum(x))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, {number: 2000.0 * (number + 20) for number in range(4)})


class Exchange(unittest.TestCase):
    def memory(self):
        """A block for the other library: kept by the tensor that comes with it."""
        import dynacc
        keeper = dynacc.zeros(4, device="cuda")
        float(keeper[0])
        return keeper, keeper.__cuda_array_interface__["data"][0]

    def test_import_waits_for_the_producer(self):
        import dynacc
        other = Other()
        keeper, address = self.memory()
        other.write(address, np.arange(4.0))
        producer = Producer(other, address)
        x = dynacc.from_dlpack(producer)
        self.assertEqual(producer.streams, [dynacc.ones(1, device="cuda").__cuda_array_interface__["stream"]])
        self.assertEqual((x.device, (x * 2).tolist()), ("cuda:0", [0, 2, 4, 6]))

    def test_the_producers_deleter(self):
        """Called once, on the thread that drops the last view, when our work on the memory is done."""
        import dynacc
        other = Other()
        keeper, address = self.memory()

        def reuse():
            other.write(address, np.full(4, -1.0))
            other.read(address, float, 4)

        other.write(address, np.arange(4.0))
        producer = Producer(other, address, reuse)
        x = dynacc.from_dlpack(producer)
        view, result = x[1:], x + 10
        del x
        self.assertEqual(producer.deleted, [])
        thread = threading.Thread(target=lambda held: held.clear(), args=([view],))
        held = [view]
        del view
        thread = threading.Thread(target=held.clear)
        thread.start()
        thread.join()
        self.assertEqual(producer.deleted, [(True, thread.ident)] if producer.deleted else [])
        self.assertEqual(len(producer.deleted), 1)
        self.assertEqual(result.tolist(), [10, 11, 12, 13])

    def test_export_lets_the_consumer_wait(self):
        import dynacc
        other = Other()
        for stream in (other.stream, None, 1, 2):
            x = dynacc.asarray(np.arange(4.0), device="cuda") * 3
            described, give_back = consume(x.__dlpack__(stream=stream))
            self.assertEqual((described.device_type, described.device_id, described.ndim, described.shape[0]), (2, 0, 1, 4))
            self.assertEqual((described.code, described.bits, described.lanes, described.strides[0]), (2, 64, 1, 1))
            self.assertEqual(other.read(described.data, float, 4, stream or 1).tolist(), [0, 3, 6, 9])
            give_back()
        x = dynacc.asarray(np.arange(4.0), device="cuda") * 3
        described, give_back = consume(x.__dlpack__(stream=-1))  # nobody waits: the work is not done yet
        self.assertNotEqual(other.read(described.data, float, 4).tolist(), [0, 3, 6, 9])
        give_back()
        self.assertEqual(x.tolist(), [0, 3, 6, 9])

    def test_exported_memory_lives_on(self):
        import dynacc
        other = Other()
        x = dynacc.asarray(np.arange(4.0), device="cuda") + 1
        capsule = x.__dlpack__(stream=other.stream)
        references = sys.getrefcount(x)
        described, give_back = consume(capsule)
        del x, capsule
        dynacc.ones(4, device="cuda") * 5  # would take the block if it were free
        self.assertEqual(other.read(described.data, float, 4).tolist(), [1, 2, 3, 4])
        thread = threading.Thread(target=give_back)  # a consumer's thread, which has no GIL of its own
        thread.start()
        thread.join()
        self.assertGreaterEqual(references, 3)
        unused = dynacc.ones(4, device="cuda").__dlpack__(stream=1)
        del unused  # given back by the capsule

    def test_dlpack_arguments(self):
        import dynacc
        x = dynacc.asarray(np.arange(4.0), device="cuda")
        self.assertEqual(x.__dlpack_device__(), (2, 0))
        self.assertEqual(dynacc.ones(2, device="cuda:1").__dlpack_device__(), (2, 1))
        with self.assertRaisesRegex(ValueError, "stream 0 is ambiguous"):
            x.__dlpack__(stream=0)
        with self.assertRaises(BufferError):
            x.__dlpack__(dl_device=(2, 1))
        with self.assertRaises(BufferError):
            x.__dlpack__(dl_device=(1, 0), copy=False)
        host = np.from_dlpack(_OnHost(x))
        self.assertEqual(host.tolist(), [0, 1, 2, 3])
        with self.assertRaises(BufferError):
            dynacc.from_dlpack(x, device="cpu", copy=False)
        self.assertEqual(dynacc.from_dlpack(x, device="cpu").tolist(), [0, 1, 2, 3])
        shared, copied = dynacc.from_dlpack(x), dynacc.from_dlpack(x, copy=True)
        x[0] = 9
        self.assertEqual((shared.tolist()[0], copied.tolist()[0]), (9, 0))

    def test_a_stream_of_another_device(self):
        import dynacc
        x, stream = dynacc.ones(4, device="cuda:0"), Other(1).stream
        for attempt in (lambda: x.__dlpack__(stream=stream), lambda: x.to_device("cpu", stream=stream),
                        lambda: dynacc.asarray(Shown(**x.__cuda_array_interface__ | {"stream": stream}))):
            with self.assertRaisesRegex(ValueError, f"the stream {stream} belongs to another device; one of CUDA device 0 is needed"):
                attempt()
        with self.assertRaisesRegex(ValueError, "the stream 12345678 is none"):
            x.__dlpack__(stream=12345678)
        self.assertEqual((x + 1).tolist(), [2] * 4)

    def test_cuda_array_interface(self):
        import dynacc
        x = dynacc.asarray(np.arange(12, dtype="i4").reshape(3, 4), device="cuda")
        shown = x.__cuda_array_interface__
        self.assertEqual({key: shown[key] for key in ("version", "shape", "typestr", "strides")},
                         {"version": 3, "shape": (3, 4), "typestr": "<i4", "strides": None})
        self.assertEqual((x.T.__cuda_array_interface__["strides"], shown["data"][1]), ((4, 16), False))
        self.assertEqual(dynacc.ones(0, device="cuda").__cuda_array_interface__["data"][0], 0)
        for tensor in (x, x.T, x[1:, ::-2], dynacc.broadcast_to(x[0], (2, 4)), dynacc.ones(0, device="cuda")):
            y = dynacc.asarray(Shown(**tensor.__cuda_array_interface__))
            self.assertEqual((y.device, y.dtype, y.tolist()), ("cuda:0", tensor.dtype, tensor.tolist()))
        with self.assertRaisesRegex(ValueError, "read-only"):
            dynacc.asarray(Shown(**dynacc.broadcast_to(x[0], (2, 4)).__cuda_array_interface__))[0] = 1
        for wrong in ({"version": 1}, {"mask": 1}, {"typestr": "|S3"}, {"stream": 0}):
            with self.assertRaises(BufferError):
                dynacc.asarray(Shown(**shown | wrong))
        with self.assertRaisesRegex(ValueError, "no GPU's memory is at address 4096"):
            dynacc.asarray(Shown(**shown | {"data": (4096, False)}))

    def test_the_interfaces_stream_is_waited_for(self):
        import dynacc
        other = Other()
        keeper, address = self.memory()
        for stream in (other.stream, 1):
            other.write(address, np.arange(4.0) + stream % 7, stream)
            source = Shown(version=3, shape=(4,), typestr="<f8", data=(address, False), stream=stream)
            x = dynacc.asarray(source)
            references = sys.getrefcount(source)
            self.assertEqual((x + 0).tolist(), [stream % 7 + i for i in range(4)])
            del x
            self.assertEqual(sys.getrefcount(source), references - 1)


class _OnHost:
    """Asks for DLPack on the host, as from_dlpack(x, device="cpu") of other libraries does."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **arguments):
        return self.tensor.__dlpack__(dl_device=(1, 0))


PROGRAM = """
import dynacc, numpy as np
def attempt(what, *args):
    try:
        return what(*args)
    except (RuntimeError, MemoryError) as error:
        print(type(error).__name__ + ":", error)
x = attempt(lambda: dynacc.asarray(np.arange(1000.0), device="cuda"))
"""


class BadInput(unittest.TestCase):
    """Each is a Python exception that says what is wrong; what is on the host goes on."""

    def test_no_driver(self):
        out, _ = run(PROGRAM + "print(dynacc.sum(dynacc.ones(3)))", DYNACC_CUDA_DRIVER="libno_such_driver.so")
        self.assertRegex(out, "^RuntimeError: .*no NVIDIA driver: libno_such_driver.so.*\n3.0\n$")

    def test_no_nvrtc(self):
        out, _ = run(PROGRAM, DYNACC_NVRTC="/nowhere/libnvrtc.so")
        self.assertRegex(out, "^RuntimeError: .*DYNACC_NVRTC: /nowhere/libnvrtc.so cannot be opened\n$")

    def test_missing_entry_points(self):
        out, _ = run(PROGRAM, DYNACC_SIM_LACKS="cuMemPoolCreate,cuLaunchKernelEx")
        self.assertRegex(out, "lacks cuMemPoolCreate, cuLaunchKernelEx; DynaCC needs CUDA 12.0")

    def test_no_visible_device(self):
        out, _ = run(PROGRAM + "print(dynacc.__array_namespace_info__().devices())", CUDA_VISIBLE_DEVICES="")
        self.assertRegex(out, "no CUDA device is visible: CUDA_VISIBLE_DEVICES is \"\"\n\\['cpu'\\]\n$")

    def test_out_of_memory(self):
        """The pool is emptied and the call tried once more; then MemoryError, and everything goes on."""
        out, err = run(PROGRAM + """
y = [x + 1]
while len(y) < 100:
    more = attempt(lambda: y[-1] + 1)
    if more is None: break
    y.append(more)
print(len(y) < 5, float(y[-1][5]) == 5 + len(y))
del y, more
z = x[:500] * 3
print(float(z[1]), float(dynacc.sum(x)))
""", DYNACC_SIM_MEMORY="40000")
        self.assertRegex(out, r"^MemoryError: on the GPU, in add .*allocating 8000 bytes on simulated device: "
                              r"CUDA_ERROR_OUT_OF_MEMORY .*\nTrue True\n3.0 499500.0\n$")
        self.assertEqual(err, "")

    def test_memory_that_is_there_at_the_second_attempt(self):
        """The pool's unused memory is given back and the call made once more: nobody hears of it."""
        program = PROGRAM + "print(*[float((x * number)[2]) for number in range(5)])"
        for failing in range(2, 6):
            out, err = run(program, DYNACC_SIM_FAIL=f"cuMemAllocFromPoolAsync:{failing}:2")
            self.assertEqual((out, err), ("0.0 2.0 4.0 6.0 8.0\n", ""), failing)

    def test_out_of_memory_in_a_compiled_function(self):
        out, err = run(PROGRAM + """
@dynacc.compile
def f(x):
    return x * 2 + 1, x * 3 - 1, x * 4
print(attempt(f, x), float(f(x[:100])[1][2]))
""", DYNACC_SIM_MEMORY="20000")
        self.assertRegex(out, r"^MemoryError: on the GPU, in .*CUDA_ERROR_OUT_OF_MEMORY.*\nNone 5.0\n$")
        self.assertEqual(err, "")

    def test_a_faulting_kernel(self):
        """Its error shows where the host waits, names whose kernels ran, and from then on the device is lost."""
        out, err = run(PROGRAM + """
@dynacc.compile
def f(x):
    return x * 2 + 1
y = f(x)
print("issued")
attempt(float, y[0])
attempt(float, x[0])
attempt(lambda: x + 1)
attempt(f, x)
attempt(lambda: dynacc.ones(3, device="cuda"))
print(dynacc.sum(dynacc.ones(3)))
del x, y
print("ended")
""", DYNACC_SIM_FAIL="cuMemcpyDtoHAsync:1:700")
        lines = out.splitlines()
        self.assertEqual(lines[0], "issued")
        self.assertRegex(lines[1], r"^RuntimeError: on the GPU, in f \(<string>:\d+\): copying from a device: CUDA_ERROR_ILLEGAL_ADDRESS")
        for line in lines[2:6]:
            self.assertRegex(line, r"^RuntimeError: .*CUDA device 0 \(simulated device\) is lost to this process since "
                                   r".*CUDA_ERROR_ILLEGAL_ADDRESS.*; restart the process to use it again")
        self.assertEqual(lines[6:], ["3.0", "ended"])

    def test_a_context_that_was_destroyed(self):
        out, _ = run(PROGRAM + "attempt(lambda: x + 1)\nattempt(lambda: x + 1)\nprint('ended')", DYNACC_SIM_FAIL="cuLaunchKernelEx:1:709")
        self.assertRegex(out, r"^RuntimeError: on the GPU, in add .*launching kernel g0: .*709.*\nRuntimeError: .*is lost to this process.*\nended\n$")

    def test_a_source_that_does_not_compile(self):
        out, _ = run(PROGRAM + "attempt(lambda: x + 1)\nprint(float(x[1]))", DYNACC_SIM_FAIL="cuModuleLoadData:*:200")
        self.assertRegex(out, r"^RuntimeError: .*CUDA_ERROR_INVALID_IMAGE.*\n1.0\n$")


if __name__ == "__main__":
    SIMULATOR = os.path.realpath(sys.argv.pop(1))
    unittest.main()
