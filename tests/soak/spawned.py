"""A pool of spawned processes with one folder of compiled kernels, some of which are killed while they work.

usage: spawned.py RESULT SECONDS EXPECTED FOLDER
       spawned.py --jobs RESULT

The second form computes every job once in this process and writes the digests, which are the first form's
EXPECTED under stock Python. The first form starts processes by multiprocessing's spawn and forkserver, in
turns, gives each a few jobs that compile at once, and kills about a third of them at a random moment. A round
is `ROUND` processes, which begin with an empty cache in FOLDER; at its end a process that is left alone does
all jobs, and after that another one must find every kernel in the cache. RESULT receives a JSON object: what
went wrong, counts, and latencies of whole processes.
"""
import hashlib
import json
import multiprocessing
import os
import random
import signal
import sys
import time
from pathlib import Path

import sampling

JOBS = 24
ROUND = 12
AT_ONCE = 2
JOBS_EACH = 3
SLOWEST = 60  # seconds that a process may take which is left alone


def job(number):
    """The digest of a computation whose kernels no other job has: each bit of the number chooses an operation."""
    import numpy as np
    choices = (("a = a + b", "a = a - b"), ("a = np.sqrt(np.abs(a))", "a = np.floor(a / 3.0)"), ("b = b * a", "b = b / 7.0"),
               ("a = np.where(a > b, a, b * 2.0)", "a = np.minimum(a, b)"), ("a = a * a", "a = np.exp(-np.abs(a))"))
    lines = [pair[number >> i & 1] for i, pair in enumerate(choices)]
    namespace = {"np": np}
    exec("def f(a, b):\n    " + "\n    ".join(lines) + "\n    return (a / (1.0 + np.abs(b))).sum(axis=1), a\n", namespace)
    a = (np.arange(3200) % (17 + number) - 8.0).reshape(40, 80)
    digest = hashlib.sha256()
    for _ in range(3):
        sums, d = namespace["f"](a, a[::-1])
        digest.update(sums.tobytes() + d.tobytes())
    return digest.hexdigest()[:16]


def work(numbers, connection):
    """What a process does: sends the digests of its jobs and how many kernels it compiled."""
    import dynacc
    before = dynacc.stats()["kernels_compiled"]
    digests = {str(number): job(number) for number in numbers}
    connection.send((digests, dynacc.stats()["kernels_compiled"] - before))
    connection.close()


class Pool:
    """Processes that work side by side; see the head of the file."""

    def __init__(self, expected, seconds, rng, folder):
        self.expected, self.rng, self.folder = expected, rng, Path(folder)
        self.latencies = sampling.Quarters(seconds)
        self.wrong, self.counts = [], {"started": 0, "killed": 0, "finished": 0, "compiled": 0, "kernels kept": 0,
                                       "parts left by the killed": 0, "rounds": 0}
        self.running = []

    def start(self, numbers, kill_after=None):
        """Starts a process; `kill_after` in seconds, or None for one that is left alone."""
        context = multiprocessing.get_context("spawn" if self.counts["started"] % 2 else "forkserver")
        here, there = context.Pipe(duplex=False)
        process = context.Process(target=work, args=(numbers, there))
        process.start()
        there.close()
        self.counts["started"] += 1
        now = time.monotonic()
        self.running.append((process, here, numbers, now, kill_after and now + kill_after))

    def look(self):
        """Kills whose time has come and takes what has ended."""
        for row in list(self.running):
            process, here, numbers, started, kill_at = row
            now = time.monotonic()
            if process.is_alive() and not here.poll():
                if kill_at is not None and now >= kill_at:
                    process.kill()
                elif now - started < SLOWEST:
                    continue
                else:
                    self.wrong.append(f"jobs {numbers} took more than {SLOWEST} s")
                    process.kill()
            self.end(row)

    def end(self, row):
        process, here, numbers, started, kill_at = row
        self.running.remove(row)
        try:
            digests, compiled = here.recv()
        except (EOFError, OSError):
            digests = None
        process.join(SLOWEST)
        here.close()
        if digests is None:
            if process.exitcode == -signal.SIGKILL and kill_at is not None:
                self.counts["killed"] += 1
            else:
                self.wrong.append(f"jobs {numbers} ended with {process.exitcode}")
        else:
            self.counts["finished"] += 1
            self.counts["compiled"] += compiled
            self.latencies.add((time.monotonic() - started) * 1e9)
            self.wrong += [f"job {n}: {digests[n]}, not {self.expected[n]}" for n in digests
                           if digests[n] != self.expected[n]]
            if process.exitcode != 0 and not (kill_at is not None and process.exitcode == -signal.SIGKILL):
                self.wrong.append(f"jobs {numbers} ended with {process.exitcode} after their results")
        process.close()

    def alone(self):
        """One process that does all jobs; how many kernels it compiled."""
        before = self.counts["compiled"]
        self.start(list(range(JOBS)))
        while self.running:
            self.look()
            time.sleep(0.01)
        return self.counts["compiled"] - before

    def round(self):
        for path in self.folder.iterdir():  # the folder itself stays: the fork server may have it open
            path.unlink()
        for _ in range(ROUND):
            while len(self.running) >= AT_ONCE:
                self.look()
                time.sleep(0.005)
            numbers = self.rng.sample(range(JOBS), JOBS_EACH)
            self.start(numbers, self.rng.uniform(0.05, 0.5) if self.rng.random() < 0.4 else None)
        while self.running:
            self.look()
            time.sleep(0.005)
        self.counts["parts left by the killed"] += len(list(self.folder.glob("*.part")))
        self.alone()
        again = self.alone()
        if again:
            self.wrong.append(f"{again} kernels were compiled although all had been: the cache is not whole")
        self.counts["kernels kept"] += len(list(self.folder.glob("*.kernel")))
        self.counts["rounds"] += 1


def open_files():
    return len(os.listdir("/proc/self/fd"))


def main():
    if sys.argv[1] == "--jobs":
        Path(sys.argv[2]).write_text(json.dumps({str(n): job(n) for n in range(JOBS)}), encoding="utf-8")
        return
    path, seconds, expected, folder = sys.argv[1], float(sys.argv[2]), sys.argv[3], sys.argv[4]
    seed = int(os.environ.get("DYNACC_TEST_SEED") or time.time_ns() % 1_000_000)
    os.environ |= {"DYNACC_TIER_UP": "0", "DYNACC_CACHE_DIR": folder}
    pool = Pool(json.loads(Path(expected).read_text(encoding="utf-8")), seconds, random.Random(seed), folder)
    end = time.monotonic() + seconds
    files = []
    while pool.counts["rounds"] == 0 or time.monotonic() < end:
        pool.round()
        files.append(open_files())
    if files[-1] > files[0] + 2:
        pool.wrong.append(f"{files[0]} files were open after the first round, {files[-1]} after the last")
    if pool.counts["compiled"] == 0:
        pool.wrong.append("nothing was compiled")
    Path(path).write_text(json.dumps({"wrong": pool.wrong[:20], "counts": pool.counts, "seed": seed,
                                      "latency": pool.latencies.counts()}), encoding="utf-8")


if __name__ == "__main__":
    main()
