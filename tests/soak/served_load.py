"""Clients of a dynacc-serve that ask well and badly, all at once, while models are loaded anew and broken.

`run` is what soak.py calls. Every answer to a good request is compared, to a bad one its status is what the
documentation says, and neither may depend on what others send.
"""
import http.client
import json
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import threading
import time

import sampling

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCE / "tests" / "serve")]

from server import Server  # noqa: E402

CLIENTS = 8
PROMPTS = ([5], [5, 17, 30], list(range(20)), [95, 0, 1, 2])
SORT = "/v2/models/sort/infer"
SCALE = "/v2/models/scale/infer"
GENERATE = "/v2/models/gpt/generate"


def tensors(name, datatype, shape, data):
    return {"inputs": [{"name": name, "datatype": datatype, "shape": shape, "data": data}]}


class Client:
    """One thread's connection and its random choices. An action returns what was wrong, or None."""

    def __init__(self, load, seed):
        self.load = load
        self.rng = random.Random(seed)
        self.connection = None

    def ask(self, path, body, headers=None, method="POST"):
        """(status, body); a connection that the server closed is made anew, once."""
        text = json.dumps(body) if isinstance(body, dict) else body
        for attempt in range(2):
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.load.port, timeout=60)
            try:
                self.connection.request(method, path, text, headers or {})
                response = self.connection.getresponse()
                return response.status, response.read()
            except (http.client.HTTPException, OSError):
                self.connection.close()
                self.connection = None
                if attempt:
                    raise
        return None

    def good(self):
        rows = self.rng.randint(1, 64)
        x = [[self.rng.randint(-999, 999) for _ in range(3)] for _ in range(rows)]
        status, text = self.ask(SCALE, tensors("x", "FP32", [rows, 3], x))
        wanted = [value * scale for row in x for value, scale in zip(row, (0.5, 1.25, 2.0))]
        if status != 200 or json.loads(text)["outputs"][0]["data"] != wanted:
            return f"scale: {status} {text[:200]}"
        return None

    def python(self):
        x = [self.rng.randint(-999, 999) for _ in range(self.rng.randint(1, 200))]
        status, text = self.ask(SORT, tensors("x", "FP64", [len(x)], x))
        if status != 200 or json.loads(text)["outputs"][0]["data"] != sorted(x):
            return f"sort: {status} {text[:200]}"
        return None

    def sequence(self):
        prompt = self.rng.choice(PROMPTS)
        status, text = self.ask(GENERATE, {"tokens": prompt, "parameters": {"max_tokens": 20}})
        if status != 200 or json.loads(text)["tokens"] not in self.load.sequences[tuple(prompt)]:
            return f"generate {prompt}: {status} {text[:300]}"
        return None

    def stream_that_is_left(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.load.port, timeout=60)
        connection.request("POST", GENERATE + "_stream",
                           json.dumps({"tokens": [1, 2], "parameters": {"max_tokens": 120}}))
        response = connection.getresponse()
        for _ in range(self.rng.randint(0, 5)):
            response.readline()
        connection.close()
        return None if response.status == 200 else f"generate_stream: {response.status}"

    def bad(self):
        """A good body with some of its bytes changed: answered well or refused, whatever it says then."""
        body = bytearray(json.dumps(tensors("x", "FP32", [2, 3], [1, 2, 3, 4, 5, 6])).encode())
        for _ in range(self.rng.randint(1, 6)):
            body[self.rng.randrange(len(body))] = self.rng.choice(b'{}[]",:0123456789.eE-xtrue\\\x00\xff ')
        path = self.rng.choice((SCALE, SORT, GENERATE, GENERATE + "_stream"))
        status, text = self.ask(path, bytes(body))
        return None if status in (200, 400, 501) else f"bad body {bytes(body)}: {status} {text[:200]}"

    def wrong(self):
        for path, body, wanted in (
                (SCALE, tensors("x", "FP32", [65, 3], [0] * 195), 400), (SORT, tensors("x", "FP64", [0], []), 400),
                ("/v2/models/absent/infer", tensors("x", "FP32", [1], [1]), 404), (SCALE, tensors("x", "BYTES", [1], ["a"]), 501),
                (GENERATE, {"tokens": [96]}, 400), (SCALE, b"x" * 300_000, 413)):
            status, text = self.ask(path, body)
            if status != wanted:
                return f"{path}: {status} {text[:200]}, not {wanted}"
        return None

    def garbage(self):
        data = self.rng.choice((b"\x16\x03\x01" + bytes(range(256)), b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 9000,
                                b"POST /v2 HTTP/1.1\r\nContent-Length: 9999\r\n\r\nabc", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
        with socket.create_connection(("127.0.0.1", self.load.port), timeout=60) as peer:
            try:
                peer.sendall(data)
                if self.rng.random() < 0.5:
                    peer.shutdown(socket.SHUT_WR)
                    peer.recv(4096)
            except OSError:
                pass  # it was refused
        return None

    def impatient(self):
        body = tensors("x", "FP64", [3], [3, 1, 2])
        body["parameters"] = {"timeout": self.rng.randint(1, 2000)}
        status, text = self.ask(SORT, body)
        return None if status in (200, 504) else f"timeout: {status} {text[:200]}"

    def metrics(self):
        status, text = self.ask("/metrics", None, method="GET")
        return None if status == 200 and b"dynacc_requests_total" in text else f"metrics: {status}"

    ACTIONS = ((good, 8), (python, 3), (sequence, 3), (stream_that_is_left, 2), (bad, 4), (wrong, 1), (garbage, 1),
               (impatient, 1), (metrics, 1))

    def work(self):
        actions, weights = zip(*self.ACTIONS)
        while time.monotonic() < self.load.end:
            action = self.rng.choices(actions, weights)[0]
            start = time.perf_counter_ns()
            try:
                wrong = action(self)
            except (OSError, http.client.HTTPException, ValueError, KeyError) as error:
                wrong = f"{action.__name__}: {error!r}"
            self.load.count(action.__name__, time.perf_counter_ns() - start, wrong)


class Load:
    def __init__(self, server, models, seconds):
        self.server, self.models, self.port = server, models, server.http_port
        self.end = time.monotonic() + seconds
        self.mutex = threading.Lock()
        self.counts, self.wrong = {}, []
        self.latency = sampling.Quarters(seconds)
        self.sequences = {}

    def count(self, name, nanoseconds, wrong):
        with self.mutex:
            self.counts[name] = self.counts.get(name, 0) + 1
            if name == "good":
                self.latency.add(nanoseconds)
            if wrong and len(self.wrong) < 20:
                self.wrong.append(wrong)

    def learn_sequences(self):
        """What each prompt gives alone. Beside others a product may differ in its last bits, and a token with it."""
        for prompt in PROMPTS:
            _, answer = self.server.json("POST", GENERATE, {"tokens": prompt, "parameters": {"max_tokens": 20}})
            self.sequences[tuple(prompt)] = [answer["tokens"]]

    def change_models(self):
        """Loads models anew; now and then a file is broken, which the load says and nobody else notices."""
        rng = random.Random(0)
        file = self.models / "scale.dynacc"
        good = file.read_bytes()
        while time.monotonic() < self.end:
            name = rng.choice(("scale", "sort", "gpt"))
            broken = name == "scale" and rng.random() < 0.5
            if broken:
                self.replace(file, good[:rng.randrange(len(good))])
            status, _, text = self.server.ask("POST", f"/v2/repository/models/{name}/load")
            if broken:
                self.replace(file, good)
            wrong = None if (status == 200) != broken else f"load of {name}, broken {broken}: {status} {text[:200]}"
            self.count("broken load" if broken else "load", 0, wrong)
            time.sleep(0.25)

    @staticmethod
    def replace(file, content):
        """By a rename: the server has the old one mapped."""
        other = file.with_suffix(".new")
        other.write_bytes(content)
        other.rename(file)

    def hold_idle_connections(self):
        while time.monotonic() < self.end:
            peers = [socket.create_connection(("127.0.0.1", self.port), timeout=60) for _ in range(60)]
            time.sleep(0.5)
            for peer in peers:
                peer.close()


def run(serve, launcher, folder, seconds):
    """(what was found, the server's memory)."""
    models = folder / "models"
    models.mkdir()
    subprocess.run([launcher, SOURCE / "examples" / "serve" / "make_models.py", models], check=True, timeout=300)
    with Server(serve, "--max-body", "200000", models=models) as server:
        server.wait_until_ready()
        load = Load(server, models, seconds)
        load.learn_sequences()
        threads = [threading.Thread(target=Client(load, seed).work) for seed in range(CLIENTS)]
        threads += [threading.Thread(target=load.change_models), threading.Thread(target=load.hold_idle_connections)]
        for thread in threads:
            thread.start()
        memory = sampling.Memory(server.process.pid)
        while any(thread.is_alive() for thread in threads):
            memory.sample()
            time.sleep(max(0.05, min(1.0, seconds / 1000)))
        if server.process.poll() is not None:
            load.wrong.append(f"the server ended with {server.process.returncode}")
        elif (status := server.terminate()) != 0:
            load.wrong.append(f"the server ended with {status} at SIGTERM: {server.lines()[-3:]}")
    shutil.rmtree(models)
    return {"latency": load.latency.counts(), "counts": load.counts, "wrong": load.wrong}, memory
