"""A dynacc-serve with a folder of models, for tests."""
import http.client
import json
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

# Two Programs: a row-wise one with a dynamic batch axis, and one of several dtypes.
EXPORT = '''
import sys
import numpy as np
import dynacc
WEIGHTS = np.linspace(-1, 1, 12).reshape(4, 3).astype(np.float32)
def affine(x):
    return {"y": np.maximum(x @ WEIGHTS, 0.0)}
def scaled(x):
    return {"y": x * np.float64(2) + 1, "large": x > 0.5}
def counted(n, flags):
    return {"sum": n + 1, "both": flags & (n > 2)}
def picked(tokens):
    return {"rows": WEIGHTS[tokens]}
folder = sys.argv[1]
dynacc.export(picked, np.arange(4)).save(f"{folder}/picked.dynacc")
dynacc.export(scaled, np.ones((4, 3)), dynamic={"x": {0: (1, 64)}}).save(f"{folder}/scaled.dynacc")
dynacc.export(counted, np.arange(4), np.ones(4, bool)).save(f"{folder}/counted.dynacc")
'''


def export_models(python, folder, text=EXPORT):
    """Runs a script that writes Programs into the folder."""
    subprocess.run([python, "-c", text, str(folder)], check=True, timeout=120)


class Server:
    """The process; `models` is its folder, `http_port` and `grpc_port` where it listens."""

    def __init__(self, program, *options, models=None):
        self.folder = None if models else tempfile.mkdtemp(prefix="dynacc_serve_")
        self.models = pathlib.Path(models or self.folder)
        self.log = tempfile.NamedTemporaryFile(mode="ab", prefix="dynacc_serve_", suffix=".log")
        self.process = subprocess.Popen(
            [program, "--models", str(self.models), "--port", "0", "--grpc-port", "0", *options], stderr=self.log)
        try:
            listening = self._wait_for("listening")
        except BaseException:
            self.__exit__()
            raise
        self.http_port, self.grpc_port = listening["http"], listening.get("grpc")

    def lines(self):
        """What the server has logged, as objects. By a file of its own: the server writes where the other one is."""
        text = pathlib.Path(self.log.name).read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines() if line.strip()]

    def _wait_for(self, message, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for line in self.lines():
                if line.get("event") == message:
                    return line
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended: {self.lines()}")
            time.sleep(0.02)
        raise RuntimeError(f"no line {message!r}: {self.lines()}")

    def ask(self, method, path, body=None, headers=None):
        """(status, headers, body) of one request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.http_port, timeout=60)
        try:
            text = json.dumps(body) if isinstance(body, dict) else body
            connection.request(method, path, text, headers or {})
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()
        finally:
            connection.close()

    def json(self, method, path, body=None):
        """(status, object) of one request."""
        status, _, text = self.ask(method, path, body)
        return status, json.loads(text) if text else None

    def wait_until_ready(self, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.ask("GET", "/v2/health/ready")[0] == 200:
                return self
            time.sleep(0.02)
        raise RuntimeError(f"not ready: {self.lines()}")

    def wait_until_loaded(self):
        """Until each model of the folder was loaded or has failed, with which the server is not ready."""
        self._wait_for("models loaded")
        return self

    def terminate(self, seconds=60):
        """The exit status after SIGTERM."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(seconds)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(60)
        self.log.close()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


def tensor(name, datatype, shape, data):
    return {"name": name, "datatype": datatype, "shape": shape, "data": data}
