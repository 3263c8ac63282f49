#!/usr/bin/env python3
"""Each call of the driver fails once, whichever it is: results are right or there is an error, and then all goes on.

usage: cuda_faults_test.py SIMULATOR [unittest arguments]
The simulated driver (tests/cuda_sim/faults.h) is told which call of which function fails, and how.
"""
import ctypes
import os
import subprocess
import sys
import unittest
import warnings

import numpy as np

SIMULATOR = ""
INVALID, NO_MEMORY, FAULT, LAUNCH_FAILED = 1, 2, 700, 719  # CUresult

# What a run calls again and again; those of the start are in test_failing_starts.
FUNCTIONS = ("cuMemAllocFromPoolAsync", "cuMemFreeAsync", "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuMemcpyDtoDAsync",
             "cuMemcpyPeerAsync", "cuMemsetD8Async", "cuLaunchKernelEx", "cuStreamSynchronize", "cuEventRecord",
             "cuEventSynchronize", "cuEventCreate", "cuStreamWaitEvent", "cuMemHostAlloc", "cuModuleLoadData",
             "cuModuleGetFunction", "cuOccupancyMaxActiveBlocksPerMultiprocessor", "cuCtxPushCurrent", "cuStreamCreate",
             "cuPointerGetAttribute", "cuMemPoolTrimTo", "cuStreamGetCtx", "nvrtcCompileProgram")
STARTS = ("cuInit", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName", "cuDeviceGetAttribute", "cuDevicePrimaryCtxRetain",
          "cuMemPoolCreate", "cuMemPoolSetAttribute", "cuStreamCreate", "cuEventCreate", "cuMemHostAlloc", "cuCtxPushCurrent",
          "cuModuleLoadData", "cuModuleGetFunction")


def tensors(seed):
    """Work on tensors: kernels of each kind, the host in between, another device, another library."""
    import dynacc
    host = (np.arange(36.0).reshape(6, 6) + seed) % 11
    x = dynacc.asarray(host, device="cuda")
    at = dynacc.asarray(np.array([5, -1, 0, 2]), device="cuda")
    y = x * 2 + 1
    y[at] = x[at] - 1
    softmax = dynacc.exp(x - dynacc.max(x, axis=1, keepdims=True))
    moved = (x + 1).to_device("cuda:1").T * 2
    results = [y, softmax / dynacc.sum(softmax, axis=1, keepdims=True), x @ y, dynacc.cumulative_sum(x, axis=1),
               dynacc.sort(x, axis=1), moved, dynacc.from_dlpack(y), x[x > 5]]
    return [result.tolist() for result in results]


def expected_tensors(seed):
    host = (np.arange(36.0).reshape(6, 6) + seed) % 11
    y = host * 2 + 1
    y[[5, -1, 0, 2]] = host[[5, -1, 0, 2]] - 1
    softmax = np.exp(host - host.max(axis=1, keepdims=True))
    results = [y, softmax / softmax.sum(axis=1, keepdims=True), host @ y, host.cumsum(axis=1), np.sort(host, axis=1),
               (host + 1).T * 2, y, host[host > 5]]
    return results


def arrays(x, i):
    """Work on NumPy's arrays."""
    e = np.exp(x - x.max(axis=1, keepdims=True))
    y = x.copy()
    y[i] = 7
    return e / e.sum(axis=1, keepdims=True), x @ x + 1, np.cumsum(x, axis=0), y, x[i] * 2


class EveryCall(unittest.TestCase):
    def setUp(self):
        self.simulator = ctypes.CDLL(SIMULATOR)
        self.addCleanup(self.configure)

    def configure(self, faults=""):
        settings = f"DYNACC_SIM_DEVICES=2\nDYNACC_SIM_FAIL={faults}"
        self.simulator.DynaccSimConfigure(settings.encode())

    def check(self, got, expected):
        for one, other in zip(got, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)

    def faults(self):
        for function in FUNCTIONS:
            for call in (1, 2, 3, 5, 7, 11, 16, 23):
                yield f"{function}:{call}:{INVALID if call % 2 else NO_MEMORY}"
            yield f"{function}:*:{INVALID if function.startswith('cuMem') else NO_MEMORY}"

    def test_tensors(self):
        self.configure()
        for seed in range(3):
            self.check(tensors(seed), expected_tensors(seed))
        failed = 0
        for seed, fault in enumerate(self.faults()):
            with self.subTest(fault):
                self.configure(fault)
                try:
                    result = tensors(seed)
                except (RuntimeError, MemoryError) as error:
                    self.assertRegex(str(error), "CUDA_ERROR|NVRTC|dynacc|CUDA device")
                    failed += 1
                else:
                    self.check(result, expected_tensors(seed))
                self.configure()
                self.check(tensors(seed + 1), expected_tensors(seed + 1))
        self.assertGreater(failed, 40)

    def test_arrays(self):
        import dynacc
        x, i = np.arange(36.0).reshape(6, 6) % 7, np.array([3, 1, 3])
        self.configure()
        compiled = dynacc.compile(arrays, device="cuda")
        for fault in self.faults():
            with self.subTest(fault):
                self.configure(fault)
                self.check(compiled(x, i), arrays(x, i))
                self.configure()
                before = dynacc.stats()["device_launches"]
                self.check(compiled(x, i), arrays(x, i))
                self.assertGreater(dynacc.stats()["device_launches"], before, "the device is not used any more")


PROGRAM = """
import sys
sys.path.insert(0, {folder!r})
import numpy as np, dynacc
import cuda_faults_test as test
def attempt(work, *expected):
    try:
        for one, other in zip(work(), *expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)
        return "right"
    except (RuntimeError, MemoryError) as error:
        return f"{{type(error).__name__}}: {{error}}"
x, i = np.arange(36.0).reshape(6, 6) % 7, np.array([3, 1, 3])
for seed in range(2):
    print(attempt(lambda: test.tensors(seed), test.expected_tensors(seed)))
try:
    compiled = dynacc.compile(test.arrays, device="cuda")
except RuntimeError as error:
    print("compile:", error)
    compiled = test.arrays
for _ in range(2):
    print(attempt(lambda: compiled(x, i), test.arrays(x, i)))
print(float(dynacc.sum(dynacc.ones(3))), "ended")
"""


class Losses(unittest.TestCase):
    """Errors after which a context is lost, and failing starts: a process each."""

    def run_with(self, fault):
        environment = dict(os.environ, DYNACC_CUDA_DRIVER=SIMULATOR, DYNACC_NVRTC=SIMULATOR, DYNACC_SIM_DEVICES="2",
                           DYNACC_SIM_FAIL=fault)
        program = PROGRAM.format(folder=os.path.dirname(os.path.abspath(__file__)))
        done = subprocess.run([os.environ["DYNACC_PYTHON"], "-c", program], env=environment, capture_output=True, text=True,
                              timeout=120)
        self.assertEqual(done.returncode, 0, f"{fault}\n{done.stderr}")
        lines = done.stdout.splitlines()
        self.assertEqual(lines[-1], "3.0 ended", fault)
        self.assertEqual([line for line in lines[-3:-1]], ["right"] * 2, f"{fault}: arrays are computed by the CPU then")
        return lines[:2], done.stderr

    def test_lost_contexts(self):
        for fault in (f"cuLaunchKernelEx:1:{FAULT}", f"cuLaunchKernelEx:9:{LAUNCH_FAILED}", f"cuMemcpyDtoHAsync:3:{FAULT}",
                      f"cuMemcpyHtoDAsync:4:{LAUNCH_FAILED}", f"cuMemAllocFromPoolAsync:6:{FAULT}", f"cuEventSynchronize:1:{FAULT}"):
            with self.subTest(fault):
                (first, second), _ = self.run_with(fault)
                if first == "right":
                    first = second
                self.assertRegex(first, r"^RuntimeError: .*CUDA_ERROR_(ILLEGAL_ADDRESS|LAUNCH_FAILED)")
                self.assertRegex(second, r"CUDA_ERROR_(ILLEGAL_ADDRESS|LAUNCH_FAILED)")

    def test_failing_starts(self):
        for function in STARTS:
            with self.subTest(function):
                (first, second), _ = self.run_with(f"{function}:*:{INVALID}")
                for line in (first, second):
                    self.assertRegex(line, "^RuntimeError: .*(CUDA_ERROR_INVALID_VALUE|DynaCC needs)")


if __name__ == "__main__":
    SIMULATOR = os.path.realpath(sys.argv.pop(1))
    warnings.simplefilter("ignore")
    unittest.main()
