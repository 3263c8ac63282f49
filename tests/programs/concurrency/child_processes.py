"""A program forks after capture, uses multiprocessing by fork and by spawn, and starts sub-processes."""
# test: numpy2
import multiprocessing
import os
import subprocess
import sys
import warnings

import numpy as np

# From CPython 3.12 on, as DynaCC has threads.
warnings.filterwarnings("ignore", "This process .* is multi-threaded")


def work(a):
    b = np.sin(a) * 2 + a
    for _ in range(4):
        b = b * 0.5 + 1 / (1 + b * b)
    return float(b.sum())


def job(k):
    return [work(np.arange(k + 5.0)) for _ in range(4)][-1].hex()


def main():
    big = np.arange(300_000.0)
    print(job(3), work(big).hex())
    for _ in range(3):
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            print("child", job(3), job(4), work(big).hex(), flush=True)
            os._exit(7)
        print("status", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        print("parent", job(3), job(4))

    def forks_inside(a):
        b = a * 2 + 1
        child = os.fork()
        c = b * b
        if child == 0:
            os._exit(int(c.sum()))
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), float(c.sum())

    for _ in range(4):
        print(forks_inside(np.arange(4.0)))
    for method in ("fork", "spawn"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            print(method, pool.map(job, range(6)))
    code = "import numpy as np\ndef f(a):\n return a * 2 + 1\nfor _ in range(4): r = f(np.ones(3))\nprint(r)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    print(done.returncode, done.stdout, done.stderr)


if __name__ == "__main__":
    main()
