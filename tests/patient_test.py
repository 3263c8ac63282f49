"""patient.py must lengthen every timeout of subprocess's, however a script gives it, and once."""
import pathlib
import subprocess
import sys
import tempfile

# A child that takes longer than the timeouts, and not as long as ten times of them.
SCRIPT = """
import subprocess, sys
SLEEP = [sys.executable, "-c", "import time; time.sleep(0.5)"]
subprocess.run(SLEEP, timeout=0.2, check=True)
for wait in (lambda child: child.wait(0.2), lambda child: child.wait(timeout=0.2),
             lambda child: child.communicate(None, 0.2), lambda child: child.wait()):
    with subprocess.Popen(SLEEP) as child:
        wait(child)
try:
    with subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE) as child:
        child.wait(0.02)
except subprocess.TimeoutExpired:
    print("waited", *sys.argv[1:])
"""


def main():
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder) / "script.py"
        script.write_text(SCRIPT)
        patient = pathlib.Path(__file__).with_name("patient.py")
        done = subprocess.run([sys.executable, patient, "50", script, "an", "argument"], capture_output=True, text=True,
                              check=False)
    print(done.stdout + done.stderr, end="")
    return 0 if done.stdout == "waited an argument\n" and done.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
