#!/usr/bin/env python3
"""Memory-bound kernels on a GPU beside a device copy and, where torch is there, torch.compile.

usage: DYNACC_LOGS=+device python3 kernels.py [MEGABYTES] [--no-torch]      needs a GPU; run by dynacc-python

For each program: the time of its kernels on the device (the least of several runs, by the device's own events, copies to
and from the host left out), the bytes that it must move (each input and output once), and how much of the measured
speed of a device copy that is. Nothing is printed for a program whose results are not those of NumPy.
"""
import ctypes
import os
import re
import sys
import tempfile

import numpy as np

REPEATS = 7


def chain(x, y):
    return np.maximum(x * y + 1.5, 0) * (x - y) + x


def gelu(x):
    return 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(x, scale, shift):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(1e-5)) * scale + shift


def rms_norm(x, scale):
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + np.float32(1e-6)) * scale


def total(x):
    return (x * x).sum()


def programs(megabytes):
    """(name, function, arrays): arrays of so many megabytes, rows of 1024 floats."""
    rows = megabytes * 1024 * 1024 // 4096
    random = np.random.default_rng(0)
    x, y = (random.standard_normal((rows, 1024), dtype=np.float32) for _ in range(2))
    scale, shift = (random.standard_normal(1024, dtype=np.float32) for _ in range(2))
    yield "elementwise chain", chain, (x, y)
    yield "gelu", gelu, (x,)
    yield "softmax", softmax, (x,)
    yield "layer norm", layer_norm, (x, scale, shift)
    yield "RMS norm", rms_norm, (x, scale)
    yield "sum of squares", total, (x,)


class Driver:
    """As much of the CUDA driver as timing a copy needs."""

    def __init__(self):
        self.library = ctypes.CDLL(os.environ.get("DYNACC_CUDA_DRIVER") or "libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxPushCurrent_v2", context)
        name = ctypes.create_string_buffer(100)
        self.call("cuDeviceGetName", name, 100, device)
        self.name = name.value.decode()

    def call(self, name, *arguments):
        result = getattr(self.library, name)(*arguments)
        if result:
            raise RuntimeError(f"{name} gave {result}")

    def seconds_of_copy(self, size):
        """The least time of a copy of `size` bytes on the device."""
        source, target = ctypes.c_uint64(), ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(source), ctypes.c_size_t(size))
        self.call("cuMemAlloc_v2", ctypes.byref(target), ctypes.c_size_t(size))
        events = [ctypes.c_void_p(), ctypes.c_void_p()]
        for event in events:
            self.call("cuEventCreate", ctypes.byref(event), 0)
        times = []
        for _ in range(3 * REPEATS):
            self.call("cuEventRecord", events[0], None)
            self.call("cuMemcpyDtoDAsync_v2", target, source, ctypes.c_size_t(size), None)
            self.call("cuEventRecord", events[1], None)
            self.call("cuEventSynchronize", events[1])
            milliseconds = ctypes.c_float()
            self.call("cuEventElapsedTime", ctypes.byref(milliseconds), *events)
            times.append(milliseconds.value / 1000)
        self.call("cuMemFree_v2", source)
        self.call("cuMemFree_v2", target)
        return min(times)


def seconds_of_kernels(function, arrays):
    """The result, and the least sum of the times of one call's kernels, from the log."""
    import dynacc
    compiled = dynacc.compile(function, device="cuda")
    result, best = None, float("inf")
    for _ in range(REPEATS):
        with tempfile.TemporaryFile("w+") as log:
            keep = os.dup(2)
            os.dup2(log.fileno(), 2)
            try:
                result = compiled(*arrays)
            finally:
                os.dup2(keep, 2)
                os.close(keep)
            log.seek(0)
            times = re.findall(r"kernel \w+ took ([\d.]+) us", log.read())
        if times:
            best = min(best, sum(map(float, times)) * 1e-6)
    return result, best


def torch_programs(torch):
    """The same programs in PyTorch's words."""
    def rms(x, scale):
        return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-6) * scale

    return {
        "elementwise chain": lambda x, y: torch.clamp(x * y + 1.5, min=0) * (x - y) + x,
        "gelu": lambda x: 0.5 * x * (1 + torch.tanh(0.7978845608 * (x + 0.044715 * x * x * x))),
        "softmax": lambda x: torch.softmax(x, -1),
        "layer norm": lambda x, scale, shift: torch.nn.functional.layer_norm(x, x.shape[-1:], scale, shift),
        "RMS norm": rms,
        "sum of squares": lambda x: (x * x).sum(),
    }


def seconds_of_torch(name, arrays):
    """The least time of torch.compile's kernels for the program of that name."""
    import torch
    compiled = torch.compile(torch_programs(torch)[name], mode="max-autotune-no-cudagraphs")
    tensors = [torch.from_numpy(array).cuda() for array in arrays]
    for _ in range(3):
        compiled(*tensors)
    times = []
    for _ in range(3 * REPEATS):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        compiled(*tensors)
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) / 1000)
    return min(times)


def has_torch():
    try:
        import torch
        return torch.cuda.is_available()
    except ImportError:
        return False


def main():
    if os.environ.get("DYNACC_LOGS") != "+device":
        sys.exit("set DYNACC_LOGS=+device: the times are read from that log")
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    megabytes = numbers[0] if numbers else 64
    with_torch = "--no-torch" not in sys.argv and has_torch()
    driver = Driver()
    size = megabytes << 20
    copy_speed = 2 * size / driver.seconds_of_copy(size)
    print(f"{driver.name}; arrays of {megabytes} MB; device copy {copy_speed / 1e9:.0f} GB/s (read and written)")
    for name, function, arrays in programs(megabytes):
        expected = function(*arrays)  # by NumPy: from seconds_of_kernels on the function runs on the device
        result, seconds = seconds_of_kernels(function, arrays)
        np.testing.assert_allclose(result, expected, rtol=1e-3, atol=1e-4)
        moved = sum(array.nbytes for array in arrays) + np.asarray(result).nbytes
        line = f"{name:18} {seconds * 1e6:8.1f} us {moved / seconds / 1e9:6.0f} GB/s {moved / seconds / copy_speed:5.0%} of a copy"
        if with_torch:
            line += f", torch.compile {seconds_of_torch(name, arrays) * 1e6:8.1f} us"
        print(line)


if __name__ == "__main__":
    main()
