#!/usr/bin/env python3
"""Every option, log topic and counter of runtime/base/*.def does something that can be seen.

usage: tables_in_use_test.py ROOT LAUNCHER SIMULATOR [unittest arguments]     SIMULATOR: a simulated CUDA driver
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path()
LAUNCHER = ""
SIMULATOR = ""
PROGRAM = """
import os, numpy as np
def f(a, b):
    c = np.sqrt(a * b + 1) - np.exp(-a)
    print(end="")
    return (c * c + a).sum() + (a @ b)
def g(a):
    return a * 2 + 1
for n in (1000, 1001, 1002, 300_000):
    for _ in range(4):
        f(np.linspace(0, 1, n), np.linspace(0, 1, n))
g(np.arange(3.0)); g(np.arange(3)); g(np.arange(6.0).reshape(2, 3))
with np.errstate(all="warn"):
    import warnings
    warnings.simplefilter("ignore")
    def divide(a): return 1.0 / a + a * 2
    divide(np.zeros(4)); divide(np.zeros(4))
def group(a):
    try:
        raise ExceptionGroup("left to CPython", [ValueError()])
    except* ValueError:
        a = a * 2 + 1
group(np.zeros(4)); group(np.zeros(4))
print(len(os.listdir("/proc/self/task")))
"""


def table(name, macro):
    """The first two arguments of each row."""
    text = (ROOT / "runtime" / "base" / name).read_text(encoding="utf-8")
    return re.findall(rf'^{macro}\((\w+), "?(\w+)"?(?:, "(\w+)")?', text, re.M)


class Run:
    """One run of PROGRAM, or of another one: its output, its log and its counters."""

    def __init__(self, *before, program=PROGRAM, **variables):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            stats = folder / "stats.json"
            inherited = {k: v for k, v in os.environ.items() if not k.startswith("DYNACC_")}
            environment = inherited | {"DYNACC_POLICY": "always", "DYNACC_TIER_UP": "0",
                                       "DYNACC_CACHE_DIR": str(folder / "cache"),
                                       "DYNACC_STATS": str(stats)} | variables
            for _ in range(1 + len(before)):
                done = subprocess.run([LAUNCHER, "-c", program], env=environment, capture_output=True,
                                      text=True, timeout=120)
            assert done.returncode == 0, done.stderr
            self.threads = int(done.stdout or 0)
            self.log = done.stderr
            self.stats = json.loads(stats.read_text()) if stats.exists() else None
            kernels = list((folder / "cache").glob("*.kernel"))
            self.cached = len(kernels)
            self.sizes = sorted(kernel.stat().st_size for kernel in kernels)

    def __getitem__(self, counter):
        return self.stats[counter]


def log_of_products(**variables):
    """What a program of matrix products logs."""
    program = """if True:
        import numpy as np
        def f(a):
            return np.tanh(a @ a)
        a = np.ones((128, 128), np.float32)
        for _ in range(3):
            f(a)
    """
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("DYNACC_")}
    return subprocess.run([LAUNCHER, "-c", program], capture_output=True, text=True, timeout=120, check=True,
                          env=inherited | {"DYNACC_POLICY": "always"} | variables).stderr


def on_device(**variables):
    """A run on the simulated device."""
    return Run(**{"DYNACC_TARGET": "cuda", "DYNACC_CUDA_DRIVER": SIMULATOR, "DYNACC_NVRTC": SIMULATOR} | variables)


def counters_of_tensors(**variables):
    """The counters of a program of tensors on the simulated device."""
    program = """if True:
        import json
        import dynacc
        def f(x):
            return x * x + 1.0
        compiled, x = dynacc.compile(f), dynacc.asarray([1.0, 2.0], device="cuda")
        for _ in range(8):
            assert compiled(x).tolist() == [2.0, 5.0]
        print(json.dumps(dynacc.stats()))
    """
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("DYNACC_")}
    done = subprocess.run([LAUNCHER, "-c", program], capture_output=True, text=True, timeout=120, check=True,
                          env=inherited | {"DYNACC_CUDA_DRIVER": SIMULATOR, "DYNACC_NVRTC": SIMULATOR} | variables)
    return json.loads(done.stdout)


class TablesInUse(unittest.TestCase):
    def test_log_topics(self):
        topics = [name for _, name, _ in table("log_topics.def", "DYNACC_LOG_TOPIC")]
        self.assertGreater(len(topics), 3)
        log = Run(DYNACC_LOGS=",".join("+" + topic for topic in topics), DYNACC_POLICY="hot",
                  DYNACC_CAPTURE_AFTER="0").log
        log += Run(DYNACC_LOGS=",".join("+" + topic for topic in topics)).log
        log += on_device(DYNACC_LOGS="device").log
        log += Run(DYNACC_LOGS="autotune", DYNACC_AUTOTUNE="1").log
        self.assertEqual(set(re.findall(r"^dynacc\[(\w+)\] ", log, re.M)), set(topics))
        self.assertEqual(Run().log, "")

    def test_counters(self):
        counters = [name for name, *_ in table("stats.def", "DYNACC_COUNTER")]
        self.assertGreater(len(counters), 8)
        run = Run("fill the cache")
        first = Run()
        runs = (run, first, on_device(), Run(DYNACC_MAX_ENTRIES="3"), Run(DYNACC_AUTOTUNE="1"),
                counters_of_tensors(DYNACC_CUDA_GRAPHS="1"))
        self.assertEqual([name for name in counters if not any(one[name] for one in runs)], [])
        self.assertGreater(run["kernel_cache_hits"], 0)
        self.assertEqual(run["kernels_compiled"], 0)
        self.assertGreater(first["compile_seconds"], 0)
        self.assertIn("call of print", first["graph_breaks"])

    # One method an option: test_option_<field>.
    def test_every_option_has_its_test(self):
        fields = {field for field, *_ in table("options.def", "DYNACC_OPTION")}
        self.assertGreater(len(fields), 8)
        tests = {name.removeprefix("test_option_") for name in dir(self) if name.startswith("test_option_")}
        self.assertEqual(fields, tests)

    def test_option_disable(self):
        self.assertEqual(Run(DYNACC_DISABLE="1")["frames_seen"], 0)

    def test_option_policy(self):
        self.assertEqual(Run(DYNACC_POLICY="explicit")["frames_captured"], 0)
        self.assertGreater(Run(DYNACC_POLICY="always")["frames_captured"], 0)

    def test_option_capture_after(self):
        captured = [Run(DYNACC_POLICY="hot", DYNACC_CAPTURE_AFTER=after)["segments_compiled"]
                    for after in ("0", "100000000")]
        self.assertGreater(captured[0], 0)
        self.assertEqual(captured[1], 0)

    def test_option_branches_after(self):
        program = """if True:
            import dynacc
            import numpy as np
            @dynacc.compile
            def f(x):
                if x.sum() > 0:
                    y = x * 2
                else:
                    y = x - 1
                return y + 1
            for _ in range(40):
                f(np.ones(8))
            print(dynacc.stats()["entries_hit"])
        """
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("DYNACC_")}
        # A call is one entry with the branch in its graph, and two with a graph break there.
        for after, entries in (("0", 40), ("5", 45), ("never", 80)):
            done = subprocess.run([LAUNCHER, "-c", program], capture_output=True, text=True, timeout=120, check=True,
                                  env=inherited | {"DYNACC_POLICY": "explicit", "DYNACC_BRANCHES_AFTER": after})
            self.assertEqual(int(done.stdout), entries, after)

    def test_option_fast_math(self):
        exact, fast = (Run(DYNACC_FAST_MATH=flag, DYNACC_LOGS="+kernels").log for flag in "01")
        self.assertNotEqual(exact, fast)

    def test_option_logs(self):
        self.assertIn("dynacc[graph]", Run(DYNACC_LOGS="graph").log)

    def test_option_stats(self):
        self.assertIsNone(Run(DYNACC_STATS="").stats)

    def events(self, **variables):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trace.json"
            run = Run(DYNACC_TRACE=str(path), **variables)
            return run, json.loads(path.read_text())

    def test_option_report(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "report.json")
            run = Run(DYNACC_REPORT=str(path))
            report = json.loads(path.read_text())
        self.assertEqual(report["counters"]["segments_compiled"], run["segments_compiled"])
        entries = [entry for function in report["functions"] for segment in function["segments"] for entry in segment["entries"]]
        self.assertTrue(any(step["nanoseconds"] > 0 for entry in entries for step in entry["steps"]))
        with tempfile.TemporaryDirectory() as folder:
            Run(DYNACC_REPORT=folder + "/", DYNACC_STATS=folder + "/stats.json")
            self.assertEqual([bool(re.fullmatch(r"\d+\.json", name)) for name in sorted(os.listdir(folder))], [True, False])
        self.assertIn("DYNACC_REPORT: cannot write /no/such/file", Run(DYNACC_REPORT="/no/such/file").log)

    def test_option_trace(self):
        run, events = self.events()
        begun = [event for event in events if event["ph"] == "B"]
        self.assertEqual({event["cat"] for event in begun}, {"trace", "compile", "kernels"})
        self.assertEqual(len(begun), sum(event["ph"] == "E" for event in events))
        compiles = [event["name"] for event in begun if event["cat"] == "compile"]
        self.assertEqual(len(compiles), run["segments_compiled"])
        self.assertIn("f (<string>:3)", compiles)
        self.assertIn("compile", {event["name"].split()[0] for event in begun if event["cat"] == "kernels"})
        breaks = [event["args"]["reason"] for event in events if event["cat"] == "break"]
        self.assertIn("call of print", breaks)
        self.assertEqual(len(breaks), sum(run["graph_breaks"].values()))

    def test_a_trace_outlives_its_process(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trace.json"
            inherited = {k: v for k, v in os.environ.items() if not k.startswith("DYNACC_")}
            for end in ("os.kill(os.getpid(), 9)", "os._exit(0)", "os.abort()"):
                subprocess.run([LAUNCHER, "-c", PROGRAM + end], capture_output=True, timeout=120,
                               env=inherited | {"DYNACC_POLICY": "always", "DYNACC_TRACE": str(path), "DYNACC_CACHE_DIR": folder})
                self.assertIn("trace", {event["cat"] for event in json.loads(path.read_text())}, end)

    def test_option_autotune(self):
        self.assertEqual(Run()["graphs_autotuned"], 0)
        self.assertGreater(Run(DYNACC_AUTOTUNE="1")["graphs_autotuned"], 0)

    def test_option_autotune_after(self):
        """The choice is on disk already: where no processor is idle, to time candidates in the background takes minutes."""
        program = """if True:
            import sys, time
            import numpy as np
            def f(a):
                return np.sqrt(a * a + 1.0) - a * 0.5
            a = np.linspace(0.0, 1.0, 30_000)
            expected = f(a).tobytes()
            def some():
                for _ in range(200):
                    assert f(a).tobytes() == expected
            end = time.monotonic() + float(sys.argv[1])
            while time.monotonic() < end and " in the program: " not in open(sys.argv[2]).read():
                some()
                time.sleep(0.01)
        """
        def log_of(seconds, **variables):
            log = pathlib.Path(folder, "log")
            with log.open("w") as file:
                subprocess.run([LAUNCHER, "-c", program, str(seconds), log], stdout=file, stderr=file, timeout=200, check=False,
                               env=os.environ | {"DYNACC_POLICY": "always", "DYNACC_TIER_UP": "0", "DYNACC_LOGS": "autotune",
                                                 "DYNACC_CACHE_DIR": folder} | variables)
            return log.read_text()
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("candidates", log_of(0.1, DYNACC_AUTOTUNE="1", DYNACC_THREADS="1"))
            self.assertEqual(log_of(0.1, DYNACC_THREADS="2"), "")
            tried = log_of(100, DYNACC_AUTOTUNE_AFTER="0", DYNACC_THREADS="2")
            self.assertRegex(tried, r"work=400.* in the program: [0-9.]+ of the time, (not )?taken")
            self.assertNotIn("Error", tried)
            self.assertEqual(log_of(0.1, DYNACC_AUTOTUNE_AFTER="1000000", DYNACC_THREADS="2"), "")

    def test_option_reuse_results(self):
        usual, reusing = Run(), Run(DYNACC_REUSE_RESULTS="1")
        blocks = [run["blocks_allocated"] + run["blocks_reused"] for run in (usual, reusing)]
        self.assertGreater(blocks[1], blocks[0])

    def test_option_cuda_graphs(self):
        self.assertEqual(counters_of_tensors()["cuda_graph_launches"], 0)
        self.assertGreater(counters_of_tensors(DYNACC_CUDA_GRAPHS="1")["cuda_graph_launches"], 0)

    def test_option_backend_timeout(self):
        program = """if True:
            import threading, warnings
            import numpy as np
            import dynacc
            f = dynacc.compile(lambda a: a * 2.0 + 1.0, backend=lambda graph: threading.Event().wait())
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                print(f(np.ones(2)), *[one.message for one in said])
        """
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("DYNACC_")}
        said = subprocess.run([LAUNCHER, "-c", program], capture_output=True, text=True, timeout=120, check=True,
                              env=inherited | {"DYNACC_BACKEND_TIMEOUT": "1"}).stdout
        self.assertRegex(said, r"\[3\. 3\.\] .*within 1 s")

    def test_option_trace_runs(self):
        run, events = self.events(DYNACC_TRACE_RUNS="1")
        runs = [event for event in events if event["ph"] == "B" and event["cat"] == "run"]
        self.assertGreaterEqual(len(runs), run["entries_hit"])

    def test_option_trace_limit(self):
        run, events = self.events(DYNACC_TRACE_LIMIT="0")
        self.assertEqual(events, [])
        self.assertIn("DYNACC_TRACE_LIMIT", run.log)

    def test_option_debug_limit(self):
        with tempfile.TemporaryDirectory() as folder:
            run = Run(DYNACC_DEBUG_DIR=folder, DYNACC_DEBUG_LIMIT="0")
            self.assertEqual(os.listdir(folder), [])
            self.assertIn("DYNACC_DEBUG_LIMIT", run.log)

    def test_option_recompile_limit(self):
        program = """if True:
            import numpy as np
            def f(a):
                return np.sqrt(a * 2.0 + 1.0)
            list(map(f, [np.ones(100, dtype) for dtype in "efdFD"]))
        """
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("DYNACC_")}
        for limit, entries in (("2", 2), ("64", 5)):
            log = subprocess.run([LAUNCHER, "-c", program], capture_output=True, text=True, timeout=120, check=True,
                                 env=inherited | {"DYNACC_POLICY": "always", "DYNACC_LOGS": "graph,recompiles",
                                                  "DYNACC_RECOMPILE_LIMIT": limit}).stderr
            self.assertEqual(log.count("dynacc[graph] f "), entries, log)
            self.assertEqual("2 entries; they stay in use" in log, entries == 2)

    def test_option_max_entries(self):
        self.assertEqual(Run()["entries_evicted"], 0)
        self.assertGreater(Run(DYNACC_MAX_ENTRIES="3")["entries_evicted"], 0)

    def test_option_perf_map(self):
        code = PROGRAM + "path = f'/tmp/perf-{os.getpid()}.map'\nprint(open(path).read(), end='')\nos.unlink(path)\n"
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("DYNACC_")}
        with tempfile.TemporaryDirectory() as cache:
            variables = {"DYNACC_POLICY": "always", "DYNACC_TIER_UP": "0", "DYNACC_CACHE_DIR": cache, "DYNACC_PERF_MAP": "1"}
            done = subprocess.run([LAUNCHER, "-c", code], env=inherited | variables, capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        rows = [line.split(" ", 2) for line in done.stdout.splitlines()[1:]]
        self.assertIn("dynacc: f (<string>:3) k0 at <string>:4", {name for _, _, name in rows})
        for start, size, _ in rows:
            self.assertGreater(int(start, 16), 4096)
            self.assertGreater(int(size, 16), 15)

    def test_option_debug_dir(self):
        with tempfile.TemporaryDirectory() as folder:
            run = Run(DYNACC_DEBUG_DIR=folder)
            graphs = sorted(pathlib.Path(folder).iterdir())
            self.assertEqual(len(graphs), run["segments_compiled"])
            first = next(graph for graph in graphs if re.fullmatch(r"\d+-\d{4}-f-3", graph.name))
            names = {path.name for path in first.iterdir()}
            for name in ("graph.txt", "run.py", "schedule.txt", "kernel-0.txt", "kernel-0.cc", "kernel-0.o"):
                self.assertIn(name, names)
            self.assertTrue(any(name.startswith("pass-") for graph in graphs for name in os.listdir(graph)))
            self.assertIn("= sqrt %", (first / "graph.txt").read_text())
            self.assertIn('extern "C" void', (first / "kernel-0.cc").read_text())
            self.assertEqual((first / "kernel-0.o").read_bytes()[:4], b"\x7fELF")

    def test_option_cache_dir(self):
        self.assertGreater(Run().cached, 0)
        with tempfile.TemporaryDirectory() as elsewhere:
            self.assertEqual(Run(DYNACC_CACHE_DIR=elsewhere).cached, 0)
            self.assertTrue(list(pathlib.Path(elsewhere).glob("*.kernel")))

    def test_option_target(self):
        tile = Run(DYNACC_TARGET="tile")
        self.assertEqual(tile["kernels_compiled"], 0)
        self.assertGreater(tile["kernel_launches"], 0)
        self.assertGreater(Run(DYNACC_TARGET="cpu")["kernels_compiled"], 0)

    def test_option_cuda_driver(self):
        self.assertGreater(on_device()["device_launches"], 0)
        self.assertIn("no NVIDIA driver: libnone.so", on_device(DYNACC_CUDA_DRIVER="libnone.so").log)

    def test_option_cuda_memory(self):
        self.assertNotIn("CUDA_ERROR_OUT_OF_MEMORY", on_device(DYNACC_CUDA_MEMORY="100").log)
        self.assertIn("CUDA_ERROR_OUT_OF_MEMORY", on_device(DYNACC_CUDA_MEMORY="1").log)

    def test_option_nvrtc(self):
        self.assertIn("DYNACC_NVRTC: libnone.so cannot be opened", on_device(DYNACC_NVRTC="libnone.so").log)

    def test_option_extensions(self):
        self.assertIn("DYNACC_EXTENSIONS: libm.so.6 is no extension", log_of_products(DYNACC_EXTENSIONS="libm.so.6"))

    def test_option_onednn_library(self):
        log = log_of_products(DYNACC_TARGET="tile", DYNACC_LOGS="kernels,schedule", DYNACC_FAST_MATH="1",
                              DYNACC_ONEDNN_LIBRARY="libnone.so")
        self.assertRegex(log, "cannot open oneDNN: libnone.so|built without oneDNN's headers")
        self.assertRegex(log, "matmul is not the library's: ")

    def test_option_cublaslt(self):
        def log(**variables):
            return log_of_products(DYNACC_TARGET="cuda", DYNACC_CUDA_DRIVER=SIMULATOR, DYNACC_NVRTC=SIMULATOR,
                                   DYNACC_LOGS="kernels,+device", **variables)
        self.assertRegex(log(DYNACC_CUBLASLT=SIMULATOR), r"(?s)opened cuBLASLt 130000.*kernel cublasLtMatmul took")
        for value, reason in (("0", "DYNACC_CUBLASLT is 0"), ("libnone.so", "no cuBLASLt: libnone.so"),
                              ("", "cuBLASLt calls the system's driver, not DYNACC_CUDA_DRIVER")):
            self.assertRegex(log(DYNACC_CUBLASLT=value),
                             f"(?s)matrix products by emitted kernels: {reason}.*kernel matmul_f32 took")

    def test_option_cpu(self):
        level = "x86-64-v2"
        native, older = Run(), Run(DYNACC_CPU=level)
        if "this machine has no level" in older.log:
            self.skipTest(f"not a CPU of level {level}")
        self.assertEqual(older.cached, native.cached)
        self.assertNotEqual(older.sizes, native.sizes)

    def test_option_tier_up(self):
        self.assertEqual(Run(DYNACC_TIER_UP="1000000")["kernels_compiled"], 0)

    def test_option_threads(self):
        self.assertGreater(Run(DYNACC_THREADS="4").threads, Run(DYNACC_THREADS="1").threads)

    def test_option_tile(self):
        self.assertIn(", 256>", Run(DYNACC_LOGS="output_code", DYNACC_TILE="256").log)

    def test_option_unroll(self):
        self.assertIn("unroll_count(4)", Run(DYNACC_LOGS="output_code", DYNACC_UNROLL="4").log)

    def test_option_non_temporal(self):
        rows = "import numpy as np\ndef rows(m): return m / m.sum(axis=1, keepdims=True)\nrows(np.ones((50, 60)))"
        past, never = (Run(program=rows, DYNACC_LOGS="output_code", DYNACC_NON_TEMPORAL=value).log for value in "10")
        self.assertIn("StoreNonTemporal", past)
        self.assertNotIn("StoreNonTemporal", never)

    def test_option_disable_passes(self):
        self.assertNotEqual(Run(DYNACC_LOGS="schedule").log,
                            Run(DYNACC_LOGS="schedule", DYNACC_DISABLE_PASSES="fuse-producer").log)

    def test_option_force_breaks(self):
        self.assertIn("forced by DYNACC_FORCE_BREAKS", Run(DYNACC_FORCE_BREAKS="5")["graph_breaks"])

    def test_option_force_errors(self):
        self.assertIn("forced by DYNACC_FORCE_ERRORS", Run(DYNACC_FORCE_ERRORS="5").log)


if __name__ == "__main__":
    ROOT = pathlib.Path(sys.argv.pop(1))
    LAUNCHER = os.path.realpath(sys.argv.pop(1))
    SIMULATOR = os.path.realpath(sys.argv.pop(1))
    unittest.main()
