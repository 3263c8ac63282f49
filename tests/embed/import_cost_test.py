"""`import numpy` costs a process under the launcher about what it costs python3.

usage: import_cost_test.py DYNACC_PYTHON
"""
import os
import resource
import subprocess
import sys
import unittest

ROUNDS = 25
# Reading NumPy's functions into tables takes one to two per cent.
ALLOWED = 1.1


def processor_time(python):
    """Seconds of one `import numpy`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([python, "-c", "import numpy"], check=True, timeout=60,
                   env={name: value for name, value in os.environ.items() if not name.startswith("DYNACC_")})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


class ImportCost(unittest.TestCase):
    def test_import_numpy(self):
        """The least of interleaved rounds: one round on a quiet machine is enough."""
        stock, ours = [], []
        for _ in range(ROUNDS):
            stock.append(processor_time(sys.executable))
            ours.append(processor_time(LAUNCHER))
            if len(ours) > 4 and min(ours) <= ALLOWED * min(stock):
                return
        self.fail(f"{min(ours):.4f} s beside python3's {min(stock):.4f} s")


if __name__ == "__main__":
    LAUNCHER = sys.argv.pop(1)
    unittest.main()
