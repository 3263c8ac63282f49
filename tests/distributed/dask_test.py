#!/usr/bin/env python3
"""A Dask program on workers under dynacc-python and on plain ones: the same bytes, also when a worker is killed.

usage: dask_test.py LAUNCHER FOLDER [--measure]

FOLDER is for a virtual environment with Dask and for logs. With --measure, the seconds of 1 and 2 workers of each kind
are printed instead, interleaved (docs/distributed.md). Exit status 77, skipped, where pip cannot install Dask.
"""
import contextlib
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ("dask[array]==2026.8.0", "distributed==2026.8.0")
SECONDS = 600
# Captures a chunk's function from its first call on and compiles at once; in so short a program the default may find
# it late or never, and a kernel compiled in the background may be there only when the counters were read.
ALWAYS = {"DYNACC_POLICY": "always", "DYNACC_TIER_UP": "0"}
LAUNCHER = ""
INHERITED = {k: v for k, v in os.environ.items() if not k.startswith(("DYNACC_", "PYTHON", "DASK_"))}
# A client that asks the workers for their counters; plain ones have no dynacc.
ASK = """
import json, sys
from distributed import Client
def told():
    try:
        import dynacc
    except ImportError:
        return None
    return dynacc.stats()
with Client(scheduler_file=sys.argv[1]) as client:
    client.wait_for_workers(int(sys.argv[2]), timeout=60)
    print(json.dumps(client.run(told)))
"""


def environment_with_dask(folder):
    """The interpreter of an environment with Dask, or the reason why there is none."""
    python = folder / "dask" / "bin" / "python"
    wanted = [python, "-c", "import dask.array, distributed; assert distributed.__version__ == '2026.8.0'"]
    if python.exists() and subprocess.run(wanted, capture_output=True, timeout=SECONDS).returncode == 0:
        return python, None
    for command in ([sys.executable, "-m", "venv", "--system-site-packages", folder / "dask"],
                    [python, "-m", "pip", "install", "-q", "--retries", "1", "--timeout", "20", *PACKAGES]):
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            return None, f"no Dask here: {(done.stderr or done.stdout).strip()[-300:]}"
    return python, None


class Cluster(contextlib.ExitStack):
    """A scheduler and workers of one thread each, in a folder of their own. All end with it."""

    def __init__(self, python, folder, **variables):
        super().__init__()
        self.python, self.folder = python, pathlib.Path(folder)
        self.environment = INHERITED | {"VIRTUAL_ENV": str(python.parent.parent), "OMP_NUM_THREADS": "1",
                                        "OPENBLAS_NUM_THREADS": "1", "DYNACC_THREADS": "1"} | variables
        self.file = self.folder / "scheduler.json"
        self.workers = []
        self.start(python, "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--host", "127.0.0.1",
                   "--scheduler-file", self.file)
        while not self.file.exists():
            time.sleep(0.05)

    def start(self, executable, module, *arguments):
        log = self.enter_context(open(self.folder / "log.txt", "a"))
        process = subprocess.Popen([executable, "-m", module, *map(str, arguments)], env=self.environment, cwd=self.folder,
                                   stdout=log, stderr=log)
        self.callback(process.wait, 30)
        self.callback(process.kill)
        return process

    def add_worker(self, executable):
        """Without Dask's nanny, which would start a killed one anew."""
        self.workers.append(self.start(executable, "distributed.cli.dask_worker", "--scheduler-file", self.file, "--nthreads",
                                       "1", "--no-nanny", "--no-dashboard", "--local-directory", self.folder))

    def client(self, *arguments):
        return subprocess.Popen([self.python, *map(str, arguments)], env=self.environment, cwd=HERE, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def outcome(self, client):
        out, err = client.communicate(timeout=SECONDS)
        assert client.returncode == 0, f"{out}{err}\n{(self.folder / 'log.txt').read_text()[-3000:]}"
        return out, err

    def run(self, *arguments):
        """The program's output, and the seconds of its rounds."""
        out, err = self.outcome(self.client(HERE / "oscillators.py", self.file, *arguments))
        return out, [float(line) for line in err.split()]

    def told(self):
        """The counters of each worker; None of a plain one."""
        return list(json.loads(self.outcome(self.client("-c", ASK, self.file, len(self.workers)))[0]).values())


@contextlib.contextmanager
def cluster(python, *executables, **variables):
    with tempfile.TemporaryDirectory() as folder, Cluster(python, folder, **variables) as made:
        for executable in executables:
            made.add_worker(executable)
        made.told()
        yield made


def check_bytes(python, cache, size=("--rounds", 2)):
    """Workers under the launcher give the plain ones' bytes, from kernels that they share; returns the bytes."""
    with cluster(python, python, python) as plain:
        expected, _ = plain.run(*size)
    assert len(expected.splitlines()) >= 4, expected
    compiled, found_in_cache = [], []
    for _ in range(2):  # the second pair finds the first one's kernels
        with cluster(python, LAUNCHER, LAUNCHER, DYNACC_CACHE_DIR=cache, **ALWAYS) as ours:
            found, _ = ours.run(*size)
            stats = ours.told()
        assert found == expected, f"{found}\n{expected}"
        assert all(worker is not None and worker["entries_hit"] > 0 for worker in stats), stats
        compiled.append(sum(worker["kernels_compiled"] for worker in stats))
        found_in_cache.append(sum(worker["kernel_cache_hits"] for worker in stats))
    # A worker's housekeeping is captured, too, and may call in the second pair what it did not in the first.
    assert compiled[1] <= compiled[0] // 4 and found_in_cache[1] >= compiled[0] // 2 > 0, \
        f"kernels compiled by the first and the second pair: {compiled}; found in the cache: {found_in_cache}"
    return expected


def check_a_killed_worker(python, cache, expected):
    """What a worker had computed is computed again by the other one."""
    with cluster(python, LAUNCHER, LAUNCHER, DYNACC_CACHE_DIR=cache, **ALWAYS) as ours:
        client = ours.client(HERE / "oscillators.py", ours.file, "--rounds", 2)
        first = client.stdout.readline()  # in the middle of the second round
        os.kill(ours.workers[0].pid, signal.SIGKILL)
        rest, err = client.stdout.read(), client.stderr.read()
        assert client.wait(SECONDS) == 0, err
        assert first + rest == expected, first + rest
        ours.workers.pop(0)
        assert len(ours.told()) == 1, "one worker is left"


def check_a_mixed_cluster(python, cache, expected):
    with cluster(python, python, LAUNCHER, DYNACC_CACHE_DIR=cache, **ALWAYS) as both:
        assert both.run("--rounds", 2)[0] == expected


def measure(python, cache):
    """Prints the median seconds of a round, for each kind of workers, in turn."""
    kinds = {"python3": (python, {}), "dynacc-python": (LAUNCHER, {}), "dynacc-python, always": (LAUNCHER, ALWAYS)}
    for count in (1, 2):
        seconds = {kind: [] for kind in kinds}
        for _ in range(3):
            for kind, (executable, variables) in kinds.items():
                with cluster(python, *[executable] * count, DYNACC_CACHE_DIR=cache, **variables) as each:
                    seconds[kind] += each.run("--rounds", 5, "--chunks", 16)[1][1:]  # the first round compiles
        print(f"{count} workers:", *(f"{kind} {statistics.median(times):.2f} s" for kind, times in seconds.items()), sep="  ",
              flush=True)


def main():
    global LAUNCHER
    LAUNCHER = str(pathlib.Path(sys.argv[1]).resolve())
    folder = pathlib.Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    python, reason = environment_with_dask(folder)
    if python is None:
        print("skipped:", reason)
        return 77
    with tempfile.TemporaryDirectory() as cache:
        if "--measure" in sys.argv:
            measure(python, cache)
            return 0
        expected = check_bytes(python, cache)
        check_a_killed_worker(python, cache, expected)
        check_a_mixed_cluster(python, cache, expected)
    print("the same bytes on all clusters")
    return 0


if __name__ == "__main__":
    sys.exit(main())
