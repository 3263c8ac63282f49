"""Requests a second and their times: dynacc-serve beside MLServer, with the NumPy model of served_model.py.

    /usr/bin/python3 -m venv build/mlserver
    build/mlserver/bin/pip install mlserver
    /usr/bin/python3 bench/serving.py build/release build/mlserver [--rounds N] [--seconds S]

Both servers run on loopback all the time and are asked in turn, in rounds, by one thread of this process with several
connections that each send the next request when the answer to the last one is there. MLServer runs the model in its
own process, without workers, which is its fastest way here, and with one connection's requests at a time as it comes.
dynacc-serve serves it three times: as a Program, as a Python model, and as a Program whose requests come in batches.
Bodies are JSON for all; the last column has dynacc-serve's with binary tensors, which this model of MLServer's does not
take.

Each line: the rows of a request and the connections; then for each server the median over the rounds of requests a
second and of the 50th and the 99th percentile of their times in milliseconds. Before that the answers are compared.
"""
import argparse
import contextlib
import http.client
import json
import os
import pathlib
import selectors
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests" / "serve"))

import numpy as np  # noqa: E402

import served_model  # noqa: E402
from server import Server  # noqa: E402

SHAPES = [(1, 1), (1, 16), (32, 16)]  # rows of a request, connections
TENSORS = [{"name": "x", "datatype": "FP32", "shape": [-1, served_model.FEATURES]}]
RESULTS = [{"name": "y", "datatype": "FP32", "shape": [-1, served_model.CLASSES]}]

EXPORT = """
import numpy as np, sys
import dynacc, served_model
example = np.ones((4, served_model.FEATURES), np.float32)
dynacc.export(served_model.classify, example, dynamic={"x": {0: (1, 4096)}}).save(sys.argv[1])
"""

MLSERVER_MODEL = """
from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceResponse
import served_model


class Classifier(MLModel):
    async def load(self):
        return True

    async def predict(self, payload):
        y = served_model.classify(NumpyCodec.decode_input(payload.inputs[0]))["y"]
        return InferenceResponse(model_name=self.name, outputs=[NumpyCodec.encode_output("y", y)])
"""


def dynacc_models(build, folder):
    """The folder of models for dynacc-serve."""
    program = folder / "program.dynacc"
    subprocess.run([build / "dynacc-python", "-c", EXPORT, program], check=True, cwd=HERE,
                   env={**os.environ, "PYTHONPATH": str(HERE)})
    (folder / "batches" / "1").mkdir(parents=True)
    shutil.copy(program, folder / "batches" / "1" / "model.dynacc")
    (folder / "batches" / "model.json").write_text(json.dumps({"max_batch": 256, "batch_window_us": 0}))
    (folder / "python" / "1").mkdir(parents=True)
    shutil.copy(HERE / "served_model.py", folder / "python" / "1" / "model.py")
    (folder / "python" / "model.json").write_text(json.dumps(
        {"python": "model.py:classify", "inputs": TENSORS, "outputs": RESULTS}))


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in sockets]


@contextlib.contextmanager
def mlserver(environment, folder):
    """The port of an MLServer with the model "classify"."""
    http_port, grpc_port, metrics_port = free_ports(3)
    (folder / "classify.py").write_text(MLSERVER_MODEL)
    shutil.copy(HERE / "served_model.py", folder)
    (folder / "model-settings.json").write_text(json.dumps(
        {"name": "classify", "implementation": "classify.Classifier"}))
    (folder / "settings.json").write_text(json.dumps(
        {"host": "127.0.0.1", "http_port": http_port, "grpc_port": grpc_port, "metrics_port": metrics_port,
         "parallel_workers": 0, "debug": False}))
    log = open(folder / "log.txt", "wb")
    process = subprocess.Popen([environment / "bin" / "mlserver", "start", folder], cwd=folder, stdout=log, stderr=log,
                               env={**os.environ, "PYTHONPATH": str(folder)})
    try:
        for _ in range(600):
            with contextlib.suppress(OSError):
                connection = http.client.HTTPConnection("127.0.0.1", http_port, timeout=5)
                connection.request("GET", "/v2/models/classify/ready")
                if connection.getresponse().status == 200:
                    break
            if process.poll() is not None:
                raise RuntimeError((folder / "log.txt").read_text())
            time.sleep(0.1)
        else:
            raise RuntimeError("MLServer does not get ready")
        yield http_port
    finally:
        process.terminate()
        process.wait(30)


def json_request(path, x):
    body = json.dumps({"inputs": [{"name": "x", "datatype": "FP32", "shape": list(x.shape),
                                   "data": x.ravel().tolist()}]}).encode()
    return head_of(path, len(body), "Content-Type: application/json\r\n") + body


def binary_request(path, x):
    head = json.dumps({"inputs": [{"name": "x", "datatype": "FP32", "shape": list(x.shape),
                                   "parameters": {"binary_data_size": x.nbytes}}],
                       "parameters": {"binary_data_output": True}}).encode()
    return head_of(path, len(head) + x.nbytes, f"Inference-Header-Content-Length: {len(head)}\r\n") + head + x.tobytes()


def head_of(path, size, more):
    return f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {size}\r\n{more}\r\n".encode()


class Peer:
    """A connection that asks the same again and again. It reads no more of an answer than its length."""

    def __init__(self, port, request):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.request = request
        self.left = b""

    def send(self):
        self.sent = time.perf_counter()
        self.socket.sendall(self.request)

    def receive(self):
        """Whether the answer is complete."""
        self.left += self.socket.recv(1 << 16)
        end = self.left.find(b"\r\n\r\n")
        if end < 0:
            return False
        if not self.left.startswith(b"HTTP/1.1 200"):
            raise RuntimeError(self.left.decode())
        lower = self.left[:end].lower()
        at = lower.index(b"content-length:") + len(b"content-length:")
        if len(self.left) < end + 4 + int(lower[at:].split(b"\r\n", 1)[0]):
            return False
        self.answer, self.left = self.left[end + 4:], b""
        return True


def load(port, request, connections, seconds):
    """(requests a second, 50th, 99th percentile in milliseconds)."""
    times = []
    with contextlib.ExitStack() as stack, selectors.DefaultSelector() as selector:
        for _ in range(connections):
            peer = Peer(port, request)
            stack.enter_context(peer.socket)
            selector.register(peer.socket, selectors.EVENT_READ, peer)
            peer.send()
        start = time.perf_counter()
        end = start + seconds
        now = start
        while now < end:
            for key, _ in selector.select():
                if key.data.receive():
                    now = time.perf_counter()
                    times.append(now - key.data.sent)
                    key.data.send()
    times.sort()
    return (len(times) / (now - start), *(1e3 * times[int(part * len(times))] for part in (0.5, 0.99)))


def check_answers(servers, x):
    wanted = served_model.classify(x)["y"]
    for name, (port, make, path) in servers.items():
        peer = Peer(port, make(path, x))
        with peer.socket:
            peer.send()
            while not peer.receive():
                pass
        if make is json_request:
            y = np.array(json.loads(peer.answer)["outputs"][0]["data"], np.float32)
        else:
            y = np.frombuffer(peer.answer[-wanted.nbytes:], np.float32)
        np.testing.assert_allclose(y.reshape(wanted.shape), wanted, rtol=1e-4, atol=1e-6, err_msg=name)


def compare(servers, rounds, seconds):
    print(f"{'rows, connections':18}" + "".join(f"{name:>28}" for name in servers))
    for rows, connections in SHAPES:
        x = np.random.default_rng(1).standard_normal((rows, served_model.FEATURES)).astype(np.float32)
        check_answers(servers, x)
        found = {name: [] for name in servers}
        for _ in range(rounds):
            for name, (port, make, path) in servers.items():
                found[name].append(load(port, make(path, x), connections, seconds))
        cells = []
        for rows_of_rounds in found.values():
            rate, middle, late = (statistics.median(column) for column in zip(*rows_of_rounds))
            cells.append(f"{rate:10,.0f}/s {middle:6.2f} {late:6.2f}")
        print(f"{f'{rows}, {connections}':18}" + "".join(f"{cell:>28}" for cell in cells), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("mlserver", type=pathlib.Path, nargs="?", help="an environment that has it")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0)
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))
        ours = folder / "dynacc"
        ours.mkdir()
        dynacc_models(arguments.build.resolve(), ours)
        server = stack.enter_context(Server(arguments.build / "dynacc-serve", models=ours))
        server.wait_until_ready()
        servers = {}
        if arguments.mlserver:
            (folder / "mlserver").mkdir()
            port = stack.enter_context(mlserver(arguments.mlserver.resolve(), folder / "mlserver"))
            servers["MLServer"] = (port, json_request, "/v2/models/classify/infer")
        for name, make in (("python", json_request), ("program", json_request), ("batches", json_request),
                           ("program", binary_request)):
            title = f"{name}, binary" if make is binary_request else name
            servers[title] = (server.http_port, make, f"/v2/models/{name}/infer")
        compare(servers, arguments.rounds, arguments.seconds)


if __name__ == "__main__":
    main()
