"""Sequences that dynacc-serve generates, beside the same model in NumPy without a cache.

usage: generation_test.py DYNACC_SERVE DYNACC_PYTHON ENVIRONMENT [TestClass]

ENVIRONMENT is tritonclient_test.py's virtual environment, for streams over gRPC.
"""
import collections
import concurrent.futures
import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np

from server import Server

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "serve"
sys.path[:0] = [str(EXAMPLES), str(pathlib.Path(__file__).resolve().parents[1])]

import gpt  # noqa: E402

# The example's model, one that keeps nothing, and one that fails at the token 13.
EXPORT = '''
import sys, numpy as np
import dynacc, gpt
folder = sys.argv[1]
gpt.export().save(folder + "/gpt.dynacc")

def no_cache(tokens, lengths):
    return {"logits": gpt.EMBEDDING[tokens[:, -1]] @ gpt.EMBEDDING.T}
rows = (1, 4)
dynacc.export(no_cache, np.zeros((2, 3), np.int64), np.zeros(2, np.int64), dynamic={
    "tokens": {0: rows, 1: (1, 16)}, "lengths": {0: rows}}).save(folder + "/no_cache.dynacc")

def nan_after_13(tokens, lengths):
    is_bad = (tokens[:, -1] == 13)[:, None]
    return {"logits": np.where(is_bad, np.float32(np.nan), gpt.EMBEDDING[tokens[:, -1]] @ gpt.EMBEDDING.T)}
dynacc.export(nan_after_13, np.zeros((2, 3), np.int64), np.zeros(2, np.int64), dynamic={
    "tokens": {0: rows, 1: (1, 16)}, "lengths": {0: rows}}).save(folder + "/nan.dynacc")
'''


def logits_of(tokens):
    """Of the whole sequence at once."""
    return gpt.step(np.array([tokens]), *gpt.arguments(1, len(tokens), 1)[1:])["logits"][0]


def expected(prompt, count):
    """The likeliest tokens, and how surely each is that: by how much it leads."""
    tokens, leads = list(prompt), []
    for _ in range(count):
        logits = logits_of(tokens)
        second, first = np.sort(logits)[-2:]
        leads.append(first - second)
        tokens.append(int(logits.argmax()))
    return tokens[len(prompt):], leads


def prompts(count, longest, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.integers(0, gpt.VOCABULARY, rng.integers(1, longest + 1)).tolist() for _ in range(count)]


def add(models, name, program, settings):
    (models / name / "1").mkdir(parents=True)
    shutil.copy(program, models / name / "1" / "model.dynacc")
    (models / name / "model.json").write_text(json.dumps(settings))


class Case(unittest.TestCase):
    options = ()

    @classmethod
    def setUpClass(cls):
        cls.made = pathlib.Path(tempfile.mkdtemp(prefix="dynacc_made_"))
        subprocess.run([LAUNCHER, "-c", EXPORT, str(cls.made)], check=True, timeout=300,
                       env={**os.environ, "PYTHONPATH": str(EXAMPLES)})
        cls.models = pathlib.Path(tempfile.mkdtemp(prefix="dynacc_models_"))
        add(cls.models, "gpt", cls.made / "gpt.dynacc",
            {"generate": {"max_length": gpt.LENGTH, "slots": gpt.SLOTS, "prefill": gpt.PREFILL}})
        cls.prepare()
        cls.server = Server(SERVE, *cls.options, models=cls.models)
        cls.server.wait_until_loaded()

    @classmethod
    def prepare(cls):
        """Adds models before the server starts."""

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        shutil.rmtree(cls.models)
        shutil.rmtree(cls.made)

    def generate(self, tokens, model="gpt", **parameters):
        return self.server.json("POST", f"/v2/models/{model}/generate", {"tokens": tokens, "parameters": parameters})

    def stream(self, tokens, model="gpt", **parameters):
        """The events, as they come."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.http_port, timeout=60)
        try:
            body = json.dumps({"tokens": tokens, "parameters": parameters})
            connection.request("POST", f"/v2/models/{model}/generate_stream", body)
            response = connection.getresponse()
            self.assertEqual(response.status, 200)
            self.assertEqual(response.getheader("Content-Type"), "text/event-stream")
            for line in response:
                if line.startswith(b"data: "):
                    yield json.loads(line[6:])
        finally:
            connection.close()

    def metric(self, name):
        text = self.server.ask("GET", "/metrics")[2].decode()
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines() if line.startswith(name))

    def check(self, prompt, found, count):
        """That these are the likeliest tokens, but where another one is as likely to the last bits."""
        wanted, leads = expected(prompt, count)
        for place, (token, lead) in enumerate(zip(wanted, leads)):
            if found[place] != token:
                self.assertLess(lead, 1e-4, (prompt, place, found, wanted))
                return
        self.assertEqual(found, wanted)


class Sequences(Case):
    def test_one(self):
        for prompt in ([5], [5, 17, 30], prompts(1, 60, seed=3)[0], list(range(gpt.PREFILL)), list(range(gpt.PREFILL + 1))):
            status, answer = self.generate(prompt, max_tokens=20)
            self.assertEqual(status, 200, answer)
            self.assertEqual((answer["model_name"], answer["model_version"]), ("gpt", "1"))
            self.assertEqual(answer["details"], {"finish_reason": "length"})
            self.assertEqual(len(answer["tokens"]), 20)
            self.check(prompt, answer["tokens"], 20)

    def test_many_at_once_are_as_alone(self):
        """More than there are slots, of many lengths, so that sequences join, end and move all the time."""
        asked = [(prompt, 1 + 7 * i % 40) for i, prompt in enumerate(prompts(40, 50))]
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            found = list(pool.map(lambda one: self.generate(one[0], max_tokens=one[1]), asked))
        for (prompt, count), (status, answer) in zip(asked, found):
            self.assertEqual((status, len(answer["tokens"])), (200, count), answer)
            self.check(prompt, answer["tokens"], count)
        requests = self.metric("dynacc_batch_requests_sum")
        self.assertGreater(requests, 1.2 * self.metric("dynacc_batch_requests_count"))
        self.assertGreaterEqual(self.metric("dynacc_generated_tokens_total"), sum(count for _, count in asked))

    def test_ends(self):
        tokens = self.generate([5, 17], max_tokens=12)[1]["tokens"]
        stop = tokens[6]
        status, answer = self.generate([5, 17], max_tokens=12, stop_tokens=[stop, 95])
        self.assertEqual((status, answer["details"]["finish_reason"]), (200, "stop"))
        self.assertEqual(answer["tokens"], tokens[:tokens.index(stop)])
        status, answer = self.generate([1] * (gpt.LENGTH - 3), max_tokens=50)
        self.assertEqual((len(answer["tokens"]), answer["details"]["finish_reason"]), (3, "length"))

    def test_draws(self):
        def ask(**more):
            return self.generate([5, 17], max_tokens=30, temperature=2.0, **more)[1]["tokens"]
        self.assertEqual(ask(seed=1), ask(seed=1))
        self.assertNotEqual(ask(seed=1), ask(seed=2))
        self.assertNotEqual(ask(), ask())
        self.assertEqual(ask(seed=1, top_k=1), self.generate([5, 17], max_tokens=30)[1]["tokens"])
        counts = collections.Counter(self.generate([5], max_tokens=1, temperature=1.0, top_k=3, seed=seed)[1]["tokens"][0]
                                     for seed in range(300))
        logits = logits_of([5])
        likeliest = np.argsort(logits)[::-1][:3]
        weights = np.exp(logits[likeliest] - logits.max())
        for token, part in zip(likeliest, weights / weights.sum()):
            self.assertAlmostEqual(counts[int(token)] / 300, part, delta=0.11)
        self.assertEqual(sum(counts.values()), sum(counts[int(token)] for token in likeliest))

    def test_bad_requests(self):
        for body, status, word in (
                ({}, 400, "tokens"), ({"tokens": []}, 400, "tokens"), ({"tokens": [96]}, 400, "96"),
                ({"tokens": [-1]}, 400, "-1"), ({"tokens": [1.5]}, 400, "tokens"), ({"tokens": "a"}, 400, "tokens"),
                ({"tokens": [1] * 128}, 400, "room"), ({"tokens": [1], "text_input": "a"}, 400, "text_input"),
                ({"tokens": [1], "parameters": {"max_tokens": 0}}, 400, "max_tokens"),
                ({"tokens": [1], "parameters": {"temperature": -1}}, 400, "temperature"),
                ({"tokens": [1], "parameters": {"top_p": 0.5}}, 501, "top_p"),
                ({"tokens": [1], "parameters": []}, 400, "parameters"), ({"tokens": [1], "id": 3}, 400, "id")):
            for path in ("generate", "generate_stream"):
                answer = self.server.json("POST", f"/v2/models/gpt/{path}", body)
                self.assertEqual(answer[0], status, (body, answer))
                self.assertIn(word, answer[1]["error"])
        self.assertEqual(self.server.ask("POST", "/v2/models/gpt/generate", b'{"tokens": [1]')[0], 400)
        self.assertEqual(self.generate([1], model="absent")[0], 404)


class Streams(Case):
    def test_tokens_come_one_by_one(self):
        *tokens, end = self.stream([5, 17, 30], max_tokens=20)
        self.assertEqual([len(event["tokens"]) for event in tokens], [1] * 20)
        self.assertEqual(end["details"], {"finish_reason": "length"})
        self.check([5, 17, 30], [event["tokens"][0] for event in tokens], 20)

    def test_connections_are_kept(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.http_port, timeout=60)
        for _ in range(3):
            connection.request("POST", "/v2/models/gpt/generate_stream", json.dumps({"tokens": [1]}))
            self.assertEqual(connection.getresponse().read().count(b"data: "), 17)
        connection.close()

    def test_http_1_0(self):
        body = json.dumps({"tokens": [1], "parameters": {"max_tokens": 3}}).encode()
        with socket.create_connection(("127.0.0.1", self.server.http_port), timeout=30) as peer:
            peer.sendall(b"POST /v2/models/gpt/generate_stream HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            answer = b""
            while chunk := peer.recv(65536):
                answer += chunk
        head, rest = answer.split(b"\r\n\r\n", 1)
        self.assertNotIn(b"chunked", head.lower())
        self.assertEqual(len(rest.strip().split(b"\n\n")), 4)

    def test_clients_that_go_away(self):
        """Their sequences end, and others do not notice."""
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            staying = pool.submit(self.generate, [5, 17, 30], max_tokens=100)
            for _ in range(30):
                events = self.stream([1, 2], max_tokens=120)
                next(events)
                events.close()
            status, answer = staying.result()
        self.assertEqual(status, 200)
        self.check([5, 17, 30], answer["tokens"], 100)
        status, answer = self.generate([5], max_tokens=5)
        self.assertEqual(status, 200)


class Faults(Case):
    options = ("--queue-size", "3", "--drain-timeout-ms", "20000")

    @classmethod
    def prepare(cls):
        room = {"max_length": 100_000, "slots": 4, "prefill": 16}
        add(cls.models, "long", cls.made / "no_cache.dynacc", {"generate": room})
        # No machine makes 2**24 tokens before a deadline of a second.
        add(cls.models, "endless", cls.made / "no_cache.dynacc", {"generate": {**room, "max_length": 2**24}})
        add(cls.models, "nan", cls.made / "nan.dynacc", {"generate": room})
        add(cls.models, "ended", cls.made / "gpt.dynacc", {
            "generate": {"max_length": 50, "slots": 1, "prefill": 4, "end_token": 13}})
        for name, settings in (("too_many", {"max_length": gpt.LENGTH, "slots": gpt.SLOTS + 1, "prefill": 4}),
                               ("too_long", {"max_length": gpt.LENGTH + 2, "slots": 1, "prefill": 4}),
                               ("too_large", {"max_length": 2**24, "slots": 4096}),
                               ("no_length", {"slots": 4}), ("wrong", {"max_length": 8, "slot": 1})):
            add(cls.models, name, cls.made / "gpt.dynacc", {"generate": settings})

    def test_models_that_cannot(self):
        index = {row["name"]: row for row in self.server.json("POST", "/v2/repository/index", {})[1]}
        for name, word in (("too_many", "slot"), ("too_long", "longest"), ("no_length", "max_length"), ("wrong", "slot")):
            self.assertEqual(index[name]["state"], "UNAVAILABLE", index[name])
            self.assertIn(word, index[name]["reason"])
        self.assertEqual(index["too_large"]["state"], "UNAVAILABLE")

    def test_an_end_token(self):
        answer = self.generate([5, 17, 30], model="ended", max_tokens=40)[1]
        wanted, _ = expected([5, 17, 30], 40)
        self.assertEqual(answer["tokens"], wanted[:wanted.index(13)])
        self.assertEqual(answer["details"]["finish_reason"], "stop")

    def test_one_that_fails_fails_alone(self):
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            good = [pool.submit(self.generate, [1 + i], model="nan", max_tokens=400) for i in range(2)]
            status, answer = self.generate([13], model="nan")
            self.assertEqual(status, 500, answer)
            self.assertIn("NaN", answer["error"])
            for each in good:
                self.assertEqual(each.result()[0], 200)
        events = list(self.stream([13], model="nan"))
        self.assertIn("NaN", events[-1]["error"])

    def test_deadlines_and_full_queues(self):
        start = time.monotonic()
        status, answer = self.generate([1], model="endless", max_tokens=10**8, timeout=300_000)
        self.assertEqual(status, 504, answer)
        self.assertLess(time.monotonic() - start, 5)
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            found = list(pool.map(lambda _: self.generate([1], model="endless", max_tokens=10**8, timeout=700_000)[0],
                                  range(16)))
        self.assertEqual(set(found), {429, 504})
        self.assertGreaterEqual(found.count(504), 4)
        self.assertEqual(self.generate([1], model="endless", max_tokens=3)[0], 200)

    def test_clients_that_do_not_read(self):
        def failures():
            return self.metric('dynacc_request_failures_total{model="long"')

        before = failures()
        body = json.dumps({"tokens": [1], "parameters": {"max_tokens": 99_000}}).encode()
        with socket.socket() as peer:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            peer.connect(("127.0.0.1", self.server.http_port))
            peer.sendall(b"POST /v2/models/long/generate_stream HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            end = time.monotonic() + 60
            while failures() == before and time.monotonic() < end:
                time.sleep(0.05)
        self.assertEqual(failures(), before + 1)
        self.assertEqual(self.generate([1], model="long", max_tokens=3)[0], 200)

    def test_reload_and_end_while_generating(self):
        with Server(SERVE, models=self.models) as server:
            server.wait_until_loaded()
            body = {"tokens": [1], "parameters": {"max_tokens": 3000}}
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                first = pool.submit(server.json, "POST", "/v2/models/long/generate", body)
                time.sleep(0.1)
                self.assertEqual(server.ask("POST", "/v2/repository/models/long/load")[0], 200)
                second = pool.submit(server.json, "POST", "/v2/models/long/generate", body)
                time.sleep(0.1)
                self.assertEqual(server.terminate(), 0)
                for each in (first, second):
                    status, answer = each.result()
                    self.assertEqual((status, len(answer["tokens"])), (200, 3000))


class Grpc(Case):
    def test_a_stream_of_sequences(self):
        from pip_environment import environment
        from tritonclient_test import IMPORTS, PACKAGES
        python, reason = environment(ENVIRONMENT, PACKAGES, IMPORTS)
        if python is None:
            self.skipTest(reason)
        done = subprocess.run([python, pathlib.Path(__file__).with_name("generation_client.py"),
                               f"127.0.0.1:{self.server.grpc_port}"], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in done.stdout.splitlines():
            prompt, tokens, reason = json.loads(line)
            self.assertEqual((len(tokens), reason), (10, "length"))
            self.check(prompt, tokens, 10)
        self.assertEqual(len(done.stdout.splitlines()), 3)


class Example(unittest.TestCase):
    def test_runs_as_it_stands(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([LAUNCHER, EXAMPLES / "make_models.py", folder], check=True, timeout=300)
            with Server(SERVE, models=folder) as server:
                server.wait_until_loaded()
                done = subprocess.run([sys.executable, EXAMPLES / "client.py", f"http://127.0.0.1:{server.http_port}"],
                                      capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        scale, order, whole, parts = done.stdout.splitlines()
        self.assertEqual(scale, "scale: {'y': [1, 2.5, 4]}")
        self.assertEqual(order, "sort: {'sorted': [0.5, 1, 2, 3], 'largest': [3]}")
        tokens = json.loads(whole.removeprefix("gpt: ").removesuffix(" length"))
        self.assertEqual(parts, "gpt, one by one: " + " ".join(map(str, tokens)))


if __name__ == "__main__":
    SERVE, LAUNCHER, ENVIRONMENT = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
