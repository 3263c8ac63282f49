"""Runs a test script whose children are slow: in a build with sanitizers they take many times as long.

usage: patient.py FACTOR SCRIPT [arguments]

Every timeout that the script gives to subprocess is multiplied by FACTOR; apart from that it is as if python3
had run the script.
"""
import inspect
import runpy
import subprocess
import sys
from pathlib import Path


def patient(method, factor):
    """`method` of Popen, with its `timeout` multiplied; not again where one calls the other."""
    signature = inspect.signature(method)

    def wait_longer(self, *args, **kwargs):
        call = signature.bind(self, *args, **kwargs)
        if call.arguments.get("timeout") is None or getattr(self, "is_patient", False):
            return method(self, *args, **kwargs)
        call.arguments["timeout"] *= factor
        self.is_patient = True
        try:
            return method(*call.args, **call.kwargs)
        finally:
            self.is_patient = False
    return wait_longer


def main():
    factor, script = float(sys.argv[1]), sys.argv[2]
    # run() and check_output() wait by communicate(), which calls _wait() and not wait().
    for name in ("communicate", "wait"):
        setattr(subprocess.Popen, name, patient(getattr(subprocess.Popen, name), factor))
    sys.argv = sys.argv[2:]
    sys.path[0] = str(Path(script).resolve().parent)
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
