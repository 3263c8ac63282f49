"""Virtual environments with packages of the Python registry, for tests that compare with them."""
import pathlib
import subprocess
import sys


def environment(folder, packages, imports, given=None):
    """(interpreter, None), or (None, the reason why there is none).

    folder    where the environment is, or is made with pip and kept
    packages  what pip is asked for
    imports   a statement that works in an environment that has them
    given     another environment, to be taken instead
    """
    made = pathlib.Path(given or folder)
    python = made / "bin" / "python"
    if python.exists() and subprocess.run([python, "-c", imports], capture_output=True).returncode == 0:
        return python, None
    for command in ([sys.executable, "-m", "venv", made],
                    [python, "-m", "pip", "install", "-q", "--retries", "1", "--timeout", "20", *packages]):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=400)
        except subprocess.TimeoutExpired:
            return None, "pip takes too long"
        if done.returncode != 0:
            return None, f"pip cannot install them: {(done.stderr or done.stdout).strip().splitlines()[-1:]}"
    return python, None
