"""dynacc-serve, asked by HTTP: the protocol, its binary tensors, the folder, batches, bad input, the end.

usage: serve_test.py DYNACC_SERVE DYNACC_PYTHON [TestClass]
"""
import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

from server import Server, export_models, tensor

PYTHON_MODEL = '''
import numpy as np
def double(x):
    if x[0] < 0:
        raise ValueError("negative <numbers>")
    if x[0] == 0:
        raise RuntimeError("zero")
    return {"y": x * 2}
'''


GOOD_REQUEST = b'{"inputs": [{"name": "x", "datatype": "FP64", "shape": [1, 3], "data": [1.5, 2, 3]}]}'


class Case(unittest.TestCase):
    options = ()

    @classmethod
    def setUpClass(cls):
        cls.models = pathlib.Path(tempfile.mkdtemp(prefix="dynacc_models_"))
        export_models(LAUNCHER, cls.models)
        cls.prepare(cls.models)
        cls.server = Server(SERVE, *cls.options, models=cls.models)
        cls.server.wait_until_ready()

    @classmethod
    def prepare(cls, models):
        """Changes the folder before the server starts."""

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        shutil.rmtree(cls.models)

    def infer(self, model, inputs, **more):
        return self.server.json("POST", f"/v2/models/{model}/infer", {"inputs": inputs, **more})

    def refused(self, status, words, answer):
        self.assertEqual(answer[0], status, answer)
        for word in words:
            self.assertIn(word, answer[1]["error"])


class Protocol(Case):
    def test_health(self):
        for path in ("/v2/health/live", "/v2/health/ready", "/v2/models/scaled/ready",
                     "/v2/models/scaled/versions/1/ready"):
            self.assertEqual(self.server.ask("GET", path)[0], 200, path)
        self.assertEqual(self.server.ask("GET", "/v2/models/none/ready")[0], 503)

    def test_metadata(self):
        status, about = self.server.json("GET", "/v2")
        self.assertEqual((status, about["name"]), (200, "dynacc-serve"))
        self.assertIn("binary_tensor_data", about["extensions"])
        status, model = self.server.json("GET", "/v2/models/scaled")
        self.assertEqual((status, model["name"], model["versions"]), (200, "scaled", ["1"]))
        self.assertEqual(model["inputs"], [{"name": "x", "datatype": "FP64", "shape": [-1, 3]}])
        self.assertEqual({output["datatype"] for output in model["outputs"]}, {"FP64", "BOOL"})

    def test_inference(self):
        x = np.array([[0.1, 0.5, 1e300], [-1, 0, 2]])
        status, answer = self.infer("scaled", [tensor("x", "FP64", [2, 3], x.tolist())], id="seven")
        self.assertEqual((status, answer["id"], answer["model_name"]), (200, "seven", "scaled"))
        results = {output["name"]: output for output in answer["outputs"]}
        self.assertEqual(len(results), 2)
        (y,) = [output for output in results.values() if output["datatype"] == "FP64"]
        (large,) = [output for output in results.values() if output["datatype"] == "BOOL"]
        self.assertEqual(y["shape"], [2, 3])
        self.assertEqual(y["data"], (x * 2 + 1).ravel().tolist())
        self.assertEqual(large["data"], (x > 0.5).ravel().tolist())

    def test_order_and_nesting(self):
        """Data may come before what says how to read it, and other members are left out."""
        for text in ('{"data": [[1, 2, 3], [4, 5, 1E2]], "shape": [2, 3], "more": [{"a": null}], "name": "x", "datatype": "FP64"}',
                     '{"d\\u0061ta": [1, 2, 3, 4, 5, 100.0], "datatype": "FP64", "shape": [2, 3], "name": "\\u0078"}'):
            status, _, answer = self.server.ask("POST", "/v2/models/scaled/infer",
                                                f' {{"other": {{"inputs": [1]}}, "inputs": [{text}], "id": "a"}}\n')
            self.assertEqual(status, 200, answer)
            self.assertIn([3, 5, 7, 9, 11, 201], [output["data"] for output in json.loads(answer)["outputs"]])
        status, answer = self.infer("scaled", [tensor("x", "FP64", [1, 3], [10**20, -2**63, 2**64 - 1])])
        self.assertIn([2e20 + 1, -2.0**64 + 1, 2.0**65 + 1], [output["data"] for output in answer["outputs"]])

    def test_data_may_be_flat_and_outputs_chosen(self):
        status, about = self.server.json("GET", "/v2/models/scaled")
        name = about["outputs"][0]["name"]
        status, answer = self.infer("scaled", [tensor("x", "FP64", [1, 3], [1, 2, 3])], outputs=[{"name": name}])
        self.assertEqual((status, [output["name"] for output in answer["outputs"]]), (200, [name]))

    def test_ints_and_bools(self):
        status, answer = self.infer("counted", [tensor("n", "INT64", [4], [1, 2, 3, 2**62]),
                                                tensor("flags", "BOOL", [4], [True, False, True, True])])
        self.assertEqual(status, 200, answer)
        self.assertIn([2, 3, 4, 2**62 + 1], [output["data"] for output in answer["outputs"]])
        self.assertIn([False, False, True, True], [output["data"] for output in answer["outputs"]])

    def test_the_page(self):
        status, headers, page = self.server.ask("GET", "/")
        self.assertEqual(status, 200)
        self.assertIn("text/html", headers["Content-Type"])
        self.assertIn(b"scaled", page)


class BinaryTensors(Case):
    def test_both_ways(self):
        x = np.random.default_rng(1).normal(size=(5, 3))
        head = json.dumps({"inputs": [{"name": "x", "datatype": "FP64", "shape": [5, 3],
                                       "parameters": {"binary_data_size": x.nbytes}}],
                           "parameters": {"binary_data_output": True}}).encode()
        status, headers, body = self.server.ask("POST", "/v2/models/scaled/infer", head + x.tobytes(),
                                                {"Inference-Header-Content-Length": str(len(head))})
        self.assertEqual(status, 200, body)
        size = int(headers["Inference-Header-Content-Length"])
        answer, rest = json.loads(body[:size]), body[size:]
        for output in answer["outputs"]:
            count = output["parameters"]["binary_data_size"]
            data, rest = rest[:count], rest[count:]
            wanted = x * 2 + 1 if output["datatype"] == "FP64" else x > 0.5
            self.assertEqual(data, wanted.tobytes())
        self.assertEqual(rest, b"")

    def test_sizes_that_lie(self):
        x = np.ones((2, 3))
        for size, shape, extra in ((x.nbytes + 8, [2, 3], b""), (x.nbytes - 8, [2, 3], b""), (x.nbytes, [2, 3], b"more"),
                                   (x.nbytes, [3, 3], b""), (2**63, [2, 3], b""), (-1, [2, 3], b"")):
            head = json.dumps({"inputs": [{"name": "x", "datatype": "FP64", "shape": shape,
                                           "parameters": {"binary_data_size": size}}]}).encode()
            status, _, body = self.server.ask("POST", "/v2/models/scaled/infer", head + x.tobytes() + extra,
                                              {"Inference-Header-Content-Length": str(len(head))})
            self.assertEqual(status, 400, (size, shape, body))
            self.assertTrue(json.loads(body)["error"])
        for length in ("-1", "x", "99999999", str(2**64)):
            status, _, body = self.server.ask("POST", "/v2/models/scaled/infer", b"{}",
                                              {"Inference-Header-Content-Length": length})
            self.assertEqual(status, 400, (length, body))


class Folder(Case):
    def test_versions_load_and_unload(self):
        server = self.server
        for version in (1, 3):
            folder = self.models / "many" / str(version)
            folder.mkdir(parents=True)
            shutil.copy(self.models / "scaled.dynacc", folder / "model.dynacc")
        self.assertEqual(server.json("GET", "/v2/models/many")[0], 404)
        self.assertEqual(server.ask("POST", "/v2/repository/models/many/load")[0], 200)
        self.assertEqual(server.json("GET", "/v2/models/many")[1]["versions"], ["1", "3"])
        x = [tensor("x", "FP64", [1, 3], [1, 2, 3])]
        self.assertEqual(self.infer("many", x)[1]["model_version"], "3")
        self.assertEqual(self.infer("many/versions/1", x)[1]["model_version"], "1")
        self.assertEqual(self.infer("many/versions/2", x)[0], 404)
        index = server.json("POST", "/v2/repository/index", {"ready": True})[1]
        self.assertEqual([entry["version"] for entry in index if entry["name"] == "many"], ["1", "3"])
        self.assertEqual(server.ask("POST", "/v2/repository/models/many/unload")[0], 200)
        self.assertEqual(self.infer("many", x)[0], 404)

    def test_a_broken_model_harms_no_other(self):
        (self.models / "broken.dynacc").write_bytes(b"not a program")
        self.refused(400, ["broken"], self.server.json("POST", "/v2/repository/models/broken/load"))
        index = self.server.json("POST", "/v2/repository/index", {})[1]
        (entry,) = [entry for entry in index if entry["name"] == "broken"]
        self.assertEqual(entry["state"], "UNAVAILABLE")
        self.assertTrue(entry["reason"])
        self.assertEqual(self.infer("scaled", [tensor("x", "FP64", [1, 3], [1, 2, 3])])[0], 200)
        self.assertEqual(self.server.ask("GET", "/v2/health/ready")[0], 503)
        self.assertEqual(self.server.ask("GET", "/v2/models/scaled/ready")[0], 200)
        self.assertEqual(self.server.ask("POST", "/v2/repository/models/broken/unload")[0], 200)
        self.assertEqual(self.server.ask("GET", "/v2/health/ready")[0], 200)
        self.assertEqual(self.server.ask("POST", "/v2/repository/models/broken/load")[0], 400)
        self.assertEqual(self.server.ask("GET", "/v2/health/ready")[0], 503)
        (self.models / "broken.dynacc").unlink()
        self.assertEqual(self.server.ask("POST", "/v2/repository/models/broken/load")[0], 404)
        self.assertEqual(self.server.ask("GET", "/v2/health/ready")[0], 200)

    def test_a_reload_that_fails_leaves_what_is_there(self):
        path = self.models / "kept.dynacc"
        shutil.copy(self.models / "scaled.dynacc", path)
        self.assertEqual(self.server.ask("POST", "/v2/repository/models/kept/load")[0], 200)
        path.write_bytes(path.read_bytes()[:-100])
        self.assertEqual(self.server.ask("POST", "/v2/repository/models/kept/load")[0], 400)
        self.assertEqual(self.server.ask("GET", "/v2/health/ready")[0], 200)
        self.assertEqual(self.infer("kept", [tensor("x", "FP64", [1, 3], [1, 2, 3])])[0], 200)

    def test_nothing_outside_is_reached(self):
        outside = pathlib.Path(tempfile.mkdtemp(prefix="dynacc_outside_"))
        shutil.copy(self.models / "scaled.dynacc", outside / "secret.dynacc")
        os.symlink(outside / "secret.dynacc", self.models / "linked.dynacc")
        for name in ("linked", "..%2F" + outside.name + "%2Fsecret", "%2e%2e", ".hidden", "a%00b", "x" * 300):
            status, answer = self.server.json("POST", f"/v2/repository/models/{name}/load")
            self.assertIn(status, (400, 403, 404), (name, answer))
        shutil.rmtree(outside)

    def test_reload_while_it_is_used(self):
        x = np.random.default_rng(2).normal(size=(4, 3))
        wanted = (x * 2 + 1).ravel().tolist()
        stop = threading.Event()

        def ask(_):
            count = 0
            while not stop.is_set():
                status, answer = self.infer("scaled", [tensor("x", "FP64", [4, 3], x.ravel().tolist())])
                if status != 200 or wanted not in [output["data"] for output in answer["outputs"]]:
                    return f"{status} {answer}"
                count += 1
            return count

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            asking = [pool.submit(ask, n) for n in range(4)]
            for _ in range(20):
                self.assertEqual(self.server.ask("POST", "/v2/repository/models/scaled/load")[0], 200)
            stop.set()
            results = [each.result() for each in asking]
        self.assertTrue(all(isinstance(result, int) and result > 0 for result in results), results)


class BadInput(Case):
    def test_an_index_beyond_the_array(self):
        self.refused(400, ["tokens", "an index is beyond the array: 7", "it has 4"],
                     self.infer("picked", [tensor("tokens", "INT64", [4], [0, 1, 7, 2])]))
        self.assertEqual(self.infer("picked", [tensor("tokens", "INT64", [4], [0, 1, 3, 2])])[0], 200)

    def test_inputs(self):
        good = tensor("x", "FP64", [1, 3], [1, 2, 3])
        for inputs, status, words in (
                ([], 400, ["x"]),
                ([tensor("z", "FP64", [1, 3], [1, 2, 3])], 400, ["z"]),
                ([good, good], 400, ["x"]),
                ([tensor("x", "FP32", [1, 3], [1, 2, 3])], 400, ["x", "FP32"]),
                ([tensor("x", "FP65", [1, 3], [1, 2, 3])], 400, ["FP65"]),
                ([tensor("x", "FP64", [1, 4], [1, 2, 3, 4])], 400, ["x"]),
                ([tensor("x", "FP64", [3], [1, 2, 3])], 400, ["x"]),
                ([tensor("x", "FP64", [1, 3], [1, 2])], 400, ["x"]),
                ([tensor("x", "FP64", [1, 3], [1, 2, "3"])], 400, ["x"]),
                ([tensor("x", "FP64", [1, 3], [[1, 2], [3]])], 400, ["x"]),
                ([tensor("x", "FP64", [2, 3], [[1, 2, 3], 4, 5, 6])], 400, ["x", "nested"]),
                ([tensor("x", "FP64", [2, 3], [[[1, 2, 3], [4, 5, 6]]])], 400, ["x", "nested"]),
                ([tensor("x", "FP64", [1, 3], [1, 2, 3, 4])], 400, ["x", "more"]),
                ([tensor("x", "FP64", [1, 3], [1, 2, True])], 400, ["x", "true"]),
                ([tensor("x", "FP64", [1, 3], [1, 2, None])], 400, ["x", "no number"]),
                ([tensor("x", "FP64", [1, 3], {"a": 1})], 400, ["x", "data"]),
                ([tensor("x", "FP64", [1, 3], [[]] * 50)], 400, ["x"]),
                ([tensor("x", "FP64", [2**33, 3], [1, 2, 3])], 400, ["x", "elements"]),
                ([tensor("x", "INT8", [1, 3], [1, 2, 128])], 400, ["element 2"]),
                ([tensor("x", "UINT64", [1, 3], [1, -2, 3])], 400, ["element 1"]),
                ([tensor("x", "INT64", [1, 3], [1, 2, 3.5])], 400, ["whole"]),
                ([tensor("x", "FP16", [1, 3], [1, 2, 1e9])], 400, ["element 2"]),
                ([tensor("x", "BOOL", [1, 3], [True, 1, False])], 400, ["true and false"]),
                ([tensor("x", "FP64", [2**40, 2**40, 3], [1, 2, 3])], 400, ["x"]),
                ([tensor("x", "FP64", [2**62, 2**62, 0], [])], 400, ["x", "more elements"]),
                ([tensor("x", "INT8", [2**62, 0], [])], 400, ["x", "more elements"]),
                ([tensor("x", "FP64", [-1, 3], [1, 2, 3])], 400, ["x"]),
                ([tensor("x", "FP64", [100, 3], [0] * 300)], 400, ["x"]),
                ([tensor("x", "BYTES", [1, 3], ["a", "b", "c"])], 501, ["x", "BYTES"]),
                ([tensor("x", "FP64", "1,3", [1, 2, 3])], 400, [])):
            with self.subTest(inputs=inputs):
                self.refused(status, words, self.infer("scaled", inputs))
        self.refused(400, ["nope"], self.infer("scaled", [good], outputs=[{"name": "nope"}]))
        self.refused(404, ["absent"], self.infer("absent", [good]))
        self.assertEqual(self.infer("scaled", [good])[0], 200)

    def test_bodies(self):
        for body in (b"", b"{", b"[]", b"null", b'{"inputs": 3}', b"\xff\xfe", b"[" * 100_000, b'{"inputs": [1]}',
                     b'{"inputs": [{"name": 1}]}', GOOD_REQUEST + b" 1",
                     *(GOOD_REQUEST[:-1] + rest for rest in (
                         b', "inputs": []}', b', "a": [}]}', b', "a": ' + b"[" * 99 + b"]" * 99 + b"}", b', "a": 01}',
                         b', "a": nul}', b', "a": "\xff"}', b', "a": "\\q"}', b', "a": 1', b"]}", b",}")),
                     GOOD_REQUEST.replace(b"1.5", b"1.5.5"), GOOD_REQUEST.replace(b"1.5", b"1e999"),
                     GOOD_REQUEST.replace(b"1.5", b"+1"), GOOD_REQUEST.replace(b"1.5", b"1,,2"),
                     GOOD_REQUEST.replace(b"]", b"}"), GOOD_REQUEST[:-1], GOOD_REQUEST.replace(b'"name"', b'"shape"')):
            status, _, answer = self.server.ask("POST", "/v2/models/scaled/infer", body)
            self.assertEqual(status, 400, (body[:20], answer))
            self.assertTrue(json.loads(answer)["error"])
        self.assertEqual(self.server.ask("POST", "/v2/models/scaled/infer", GOOD_REQUEST)[0], 200)

    def test_paths_and_methods(self):
        for method, path, wanted in (("GET", "/nothing", 404), ("POST", "/v2/models/scaled/nothing", 404),
                                     ("DELETE", "/v2/repository", 404), ("GET", "/%zz", 400)):
            self.assertEqual(self.server.ask(method, path)[0], wanted, (method, path))

    def test_methods_that_a_path_does_not_take(self):
        for method, path, taken in (
                ("GET", "/v2/models/scaled/infer", "POST"), ("HEAD", "/v2/models/scaled/versions/1/infer", "POST"),
                ("GET", "/v2/models/scaled/generate", "POST"), ("PUT", "/v2/models/scaled/generate_stream", "POST"),
                ("GET", "/v2/repository/index", "POST"), ("DELETE", "/v2/repository/models/scaled/load", "POST"),
                ("POST", "/v2", "GET, HEAD"), ("DELETE", "/v2", "GET, HEAD"), ("POST", "/metrics", "GET, HEAD"),
                ("POST", "/v2/models/scaled", "GET, HEAD"), ("POST", "/v2/models/scaled/ready", "GET, HEAD")):
            with self.subTest(f"{method} {path}"):
                status, headers, _ = self.server.ask(method, path)
                self.assertEqual((status, headers["Allow"]), (405, taken))

    def test_pages_of_other_origins(self):
        body = json.dumps({"inputs": [tensor("x", "FP64", [1, 3], [1, 2, 3])]})
        for method, path in (("POST", "/v2/models/scaled/infer"), ("GET", "/"), ("GET", "/metrics"), ("HEAD", "/v2")):
            status, _, _ = self.server.ask(method, path, body if method == "POST" else None,
                                           {"Origin": "http://evil.example"})
            self.assertEqual(status, 403, path)


class BadHttp(Case):
    options = ("--max-body", "100000", "--max-header", "2048", "--request-timeout-ms", "700", "--idle-timeout-ms", "700",
               "--max-connections", "60")

    def raw(self, data, wait=5):
        """What the server sends in answer to bytes, until it closes."""
        with socket.create_connection(("127.0.0.1", self.server.http_port), timeout=wait) as peer:
            try:
                peer.sendall(data)
            except OSError:
                pass
            parts = []
            try:
                while chunk := peer.recv(65536):
                    parts.append(chunk)
            except (TimeoutError, ConnectionResetError):
                pass
            return b"".join(parts)

    def alive(self):
        self.assertEqual(self.server.ask("GET", "/v2/health/live")[0], 200)

    def test_frames(self):
        for data in (b"GARBAGE\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"POST /v2 HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
                     b"POST /v2 HTTP/1.1\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
                     b"POST /v2 HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
                     b"GET / HTTP/1.1\r\nX: " + b"a" * 5000 + b"\r\n\r\n", bytes(range(256)) * 20):
            answer = self.raw(data)
            first = answer.split(b"\r\n", 1)[0]
            self.assertTrue(not answer or first.split(b" ")[1:2][0][:1] == b"4", (data[:40], first))
            self.alive()

    def test_bodies_that_are_too_large(self):
        answer = self.raw(b"POST /v2/models/scaled/infer HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n" + b"x" * 200000)
        self.assertIn(b" 413 ", answer.split(b"\r\n", 1)[0])
        chunked = b"POST /v2/models/scaled/infer HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
        answer = self.raw(chunked + (b"8000\r\n" + b"x" * 0x8000 + b"\r\n") * 6)
        self.assertIn(b" 413 ", answer.split(b"\r\n", 1)[0])
        self.alive()

    def test_slow_and_idle_clients(self):
        start = time.monotonic()
        self.raw(b"POST /v2/models/scaled/infer HTTP/1.1\r\nContent-Length: 100\r\n\r\nabc", wait=20)
        self.raw(b"", wait=20)
        self.assertLess(time.monotonic() - start, 15)
        self.alive()

    def test_more_connections_than_allowed(self):
        peers = [socket.create_connection(("127.0.0.1", self.server.http_port), timeout=5) for _ in range(100)]
        for peer in peers:
            peer.close()
        time.sleep(0.2)
        self.alive()

    def test_two_requests_at_once(self):
        one = b"GET /v2/health/live HTTP/1.1\r\nHost: a\r\n\r\n"
        self.assertEqual(self.raw(one + one).count(b"HTTP/1.1 200"), 2)


class Batching(Case):
    options = ("--max-batch", "16", "--batch-window-us", "20000")

    @classmethod
    def prepare(cls, models):
        sleepy = models / "sleepy"
        (sleepy / "1").mkdir(parents=True)
        (sleepy / "1" / "model.py").write_text("import time\ndef wait(x):\n"
                                               "    time.sleep(float(x[0]))\n    return {'y': x}\n")
        spec = [{"name": "x", "datatype": "FP64", "shape": [1]}]
        (sleepy / "model.json").write_text(json.dumps({
            "python": "model.py:wait", "inputs": spec, "outputs": [dict(spec[0], name="y")], "queue_size": 2}))

    def test_results_are_those_of_single_requests(self):
        def ask(seed):
            x = np.random.default_rng(seed).normal(size=(1 + seed % 3, 3))
            status, answer = self.infer("scaled", [tensor("x", "FP64", list(x.shape), x.ravel().tolist())])
            results = [output["data"] for output in answer.get("outputs", [])]
            return status == 200 and (x * 2 + 1).ravel().tolist() in results and (x > 0.5).ravel().tolist() in results

        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            self.assertTrue(all(pool.map(ask, range(200))))
        text = self.server.ask("GET", "/metrics")[2].decode()
        runs, requests = (sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
                              if line.startswith(name) and 'model="scaled"' in line)
                          for name in ("dynacc_run_seconds_count", "dynacc_request_seconds_count"))
        self.assertGreaterEqual(requests, 200, text)
        self.assertLess(runs, requests, text)

    def test_one_that_does_not_fit_fails_alone(self):
        def ask(rows):
            x = np.ones((rows, 3))
            return self.infer("scaled", [tensor("x", "FP64", list(x.shape), x.ravel().tolist())])[0]

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            found = list(pool.map(ask, [1, 65, 2, 3, 65, 1]))
        self.assertEqual(found, [200, 400, 200, 200, 400, 200])

    def test_full_queues_and_deadlines(self):
        def ask(timeout):
            body = {"inputs": [tensor("x", "FP64", [1], [0.5])]}
            if timeout:
                body["parameters"] = {"timeout": timeout}
            return self.server.json("POST", "/v2/models/sleepy/infer", body)[0]

        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            first = pool.submit(ask, 0)
            time.sleep(0.15)
            late = pool.submit(ask, 50_000)
            time.sleep(0.02)
            others = [pool.submit(ask, 0) for _ in range(4)]
            self.assertEqual(first.result(), 200)
            self.assertEqual(late.result(), 504)
            statuses = [each.result() for each in others]
        self.assertIn(429, statuses)
        self.assertIn(200, statuses)


class KeptAnswers(Case):
    """A Python model that counts its calls shows which requests it ran for."""
    options = ("--cache-bytes", "20000")

    @classmethod
    def prepare(cls, models):
        for name, settings in (("counter", {}), ("batches", {"max_batch": 8, "batch_window_us": 20000}),
                               ("none", {"cache_bytes": 0})):
            folder = models / name
            (folder / "1").mkdir(parents=True)
            (folder / "1" / "model.py").write_text(
                "import numpy as np\ncount = 0\ndef call(x):\n    global count\n    count += 1\n"
                "    return {'y': x + 1, 'n': np.full(len(x), count)}\n")
            (folder / "model.json").write_text(json.dumps({
                "python": "model.py:call", "inputs": [{"name": "x", "datatype": "FP64", "shape": [-1]}],
                "outputs": [{"name": "y", "datatype": "FP64", "shape": [-1]},
                            {"name": "n", "datatype": "INT64", "shape": [-1]}], **settings}))

    def ask(self, x, model="counter", **more):
        status, answer = self.infer(model, [tensor("x", "FP64", [len(x)], x)], **more)
        self.assertEqual(status, 200, answer)
        outputs = {output["name"]: output["data"] for output in answer["outputs"]}
        if "y" in outputs:
            self.assertEqual(outputs["y"], [value + 1 for value in x])
        return outputs.get("n", [None])[0]

    def metric(self, name, model="counter"):
        text = self.server.ask("GET", "/metrics")[2].decode()
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.splitlines()
                   if line.startswith(name) and f'model="{model}"' in line)

    def test_the_same_inputs(self):
        first = self.ask([1, 2])
        self.assertEqual(self.ask([1, 2]), first)
        self.assertEqual(self.ask([1, 2], id="a", outputs=[{"name": "n"}]), first)
        self.assertIsNone(self.ask([1, 2], outputs=[{"name": "y"}]))
        self.assertNotEqual(self.ask([1, 2, 0]), first)
        self.assertNotEqual(self.ask([1, -2]), first)
        self.assertEqual(self.ask([1, 2]), first)
        head = json.dumps({"inputs": [{"name": "x", "datatype": "FP64", "shape": [2],
                                       "parameters": {"binary_data_size": 16}}]}).encode()
        _, _, body = self.server.ask("POST", "/v2/models/counter/infer", head + np.array([1.0, 2.0]).tobytes(),
                                     {"Inference-Header-Content-Length": str(len(head))})
        self.assertEqual(json.loads(body)["outputs"][1]["data"], [first, first])
        self.assertGreaterEqual(self.metric("dynacc_cache_hits_total"), 5)
        self.assertNotEqual(self.ask([1, 2], model="none"), self.ask([1, 2], model="none"))

    def test_what_is_kept_is_bounded(self):
        first = self.ask([0.5] * 10)
        for i in range(60):
            self.ask([i + 0.25] * 10)
            self.assertLessEqual(self.metric("dynacc_cache_bytes"), 20000)
            if i == 5:
                self.assertEqual(self.ask([0.5] * 10), first)
        self.assertGreater(self.metric("dynacc_cache_bytes"), 10000)
        self.assertNotEqual(self.ask([0.5] * 10), first)
        large = self.ask([1.5] * 2000)
        self.assertNotEqual(self.ask([1.5] * 2000), large)

    def test_failures_are_not_kept_and_reloads_begin_anew(self):
        for _ in range(2):
            self.assertEqual(self.infer("counter", [tensor("x", "FP64", [1, 1], [1])])[0], 400)
        first = self.ask([7, 7])
        self.ask([8, 8])
        self.assertEqual(self.server.ask("POST", "/v2/repository/models/counter/load")[0], 200)
        self.assertEqual(self.ask([8, 8]), 1)
        self.assertEqual(self.ask([7, 7]), 2, first)

    def test_many_threads(self):
        def ask(seed):
            rng = np.random.default_rng(seed)
            for _ in range(50):
                self.ask([int(rng.integers(20)), int(rng.integers(3))], model=("counter", "batches")[seed % 2])
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(ask, range(8)))
        for model in ("counter", "batches"):
            self.assertGreater(self.metric("dynacc_cache_hits_total", model), 10)
            self.assertLessEqual(self.metric("dynacc_cache_bytes", model), 20000)


class Metrics(Case):
    def test_text(self):
        self.infer("scaled", [tensor("x", "FP64", [1, 3], [1, 2, 3])])
        self.infer("scaled", [])
        status, headers, text = self.server.ask("GET", "/metrics")
        self.assertEqual(status, 200)
        self.assertTrue(headers["Content-Type"].startswith("text/plain"))
        names = {line.split("{")[0].split(" ")[0] for line in text.decode().splitlines() if line and line[0] != "#"}
        self.assertTrue(any("request" in name for name in names), names)
        self.assertTrue(any("fail" in name for name in names), names)
        for line in text.decode().splitlines():
            if line and line[0] != "#":
                float(line.rsplit(" ", 1)[1])


class PythonModels(Case):
    @classmethod
    def prepare(cls, models):
        folder = models / "double"
        (folder / "1").mkdir(parents=True)
        (folder / "1" / "model.py").write_text(PYTHON_MODEL)
        (folder / "model.json").write_text(json.dumps({
            "python": "model.py:double", "inputs": [{"name": "x", "datatype": "FP32", "shape": [-1]}],
            "outputs": [{"name": "y", "datatype": "FP32", "shape": [-1]}]}))

    def test_runs(self):
        for _ in range(5):
            status, answer = self.infer("double", [tensor("x", "FP32", [3], [1, 2, 3])])
            self.assertEqual((status, answer["outputs"][0]["data"]), (200, [2, 4, 6]), answer)

    def test_what_it_raises_is_an_answer(self):
        self.refused(400, ["ValueError: negative <numbers>"], self.infer("double", [tensor("x", "FP32", [1], [-1])]))
        self.refused(500, ["RuntimeError: zero"], self.infer("double", [tensor("x", "FP32", [1], [0])]))
        self.assertEqual(self.infer("double", [tensor("x", "FP32", [1], [1])])[0], 200)

    def test_a_server_of_programs_has_no_python(self):
        models = pathlib.Path(tempfile.mkdtemp(prefix="dynacc_models_"))
        shutil.copy(self.models / "scaled.dynacc", models)
        with Server(SERVE, models=models) as server:
            server.wait_until_ready()
            maps = pathlib.Path(f"/proc/{server.process.pid}/maps").read_text()
            self.assertNotIn("libpython", maps)
            self.assertNotIn("LLVM", maps)
        shutil.rmtree(models)


class Ending(Case):
    @classmethod
    def prepare(cls, models):
        Batching.prepare.__func__(cls, models)

    def test_requests_are_finished(self):
        with Server(SERVE, models=self.models) as server:
            server.wait_until_ready()
            body = {"inputs": [tensor("x", "FP64", [1], [1.0])]}
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                asked = pool.submit(server.json, "POST", "/v2/models/sleepy/infer", body)
                time.sleep(0.3)
                self.assertEqual(server.terminate(), 0)
                self.assertEqual(asked.result()[0], 200)
            self.assertEqual(server.lines()[-1]["event"], "stopped")

    def test_a_model_that_is_being_loaded_is_closed_too(self):
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "late"
            (model / "1").mkdir(parents=True)
            (model / "1" / "model.py").write_text("import time\ntime.sleep(2)\ndef late(x):\n    return x\n")
            array = {"datatype": "FP32", "shape": [-1]}
            (model / "model.json").write_text(json.dumps({
                "python": "model.py:late", "inputs": [{"name": "x", **array}], "outputs": [{"name": "y", **array}]}))
            with Server(SERVE, models=folder) as server:
                self.assertEqual(server.terminate(), 0)

    def test_a_request_that_never_arrives_holds_nothing_up(self):
        with Server(SERVE, "--request-timeout-ms", "60000", models=self.models) as server:
            server.wait_until_ready()
            stalled = [socket.create_connection(("127.0.0.1", server.http_port), timeout=20) for _ in range(2)]
            stalled[0].sendall(b"POST /v2/models/sleepy/infer HTTP/1.1\r\nHost: x\r\nContent-Length: 90\r\n\r\n{")
            stalled[1].sendall(b"GET /v2 HT")
            arriving = socket.create_connection(("127.0.0.1", server.http_port), timeout=20)
            arriving.sendall(b"GET /v2 HTTP/1.1\r\nHo")
            time.sleep(0.3)
            begin = time.monotonic()
            server.process.send_signal(signal.SIGTERM)
            time.sleep(0.3)
            arriving.sendall(b"st: x\r\n\r\n")
            self.assertIn(b" 200 ", arriving.recv(4096).split(b"\r\n")[0])
            self.assertEqual(server.process.wait(timeout=25), 0)
            self.assertLess(time.monotonic() - begin, 15)
            for peer in stalled:
                self.assertIn(b" 503 ", peer.recv(4096).split(b"\r\n")[0])
                peer.close()
            arriving.close()

    def test_logs_are_lines_of_json(self):
        self.assertTrue(all({"time", "level", "event"} <= set(line) for line in self.server.lines()))


class Options(unittest.TestCase):
    def run_with(self, *arguments):
        return subprocess.run([SERVE, *arguments], capture_output=True, text=True, timeout=60)

    def test_usage(self):
        done = self.run_with("--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("--batch-window-us", done.stdout)
        for arguments, words in (([], "--models"), (["--models"], "value"), (["--modles", "a"], "--modles"),
                                 (["--models", "a", "--port", "x"], "number"), (["a"], "'a'"),
                                 (["--models", "a", "--port", "70000"], "65535"), (["--config", "/nonexistent"], "read"),
                                 (["--models", "a", "--log-level", "loud"], "log_level")):
            done = self.run_with(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(words, done.stderr)
        self.assertEqual(self.run_with("--models", "/nonexistent").returncode, 1)

    def test_a_configuration_file(self):
        with tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder) / "config.json"
            config.write_text(json.dumps({"models": folder, "port": 0, "grpc_port": -1, "instances": 2}))
            with Server(SERVE, "--config", str(config), "--grpc-port", "-1", models=folder) as server:
                server.wait_until_ready()
                self.assertIsNone(server.grpc_port)
            config.write_text('{"prot": 1}')
            done = self.run_with("--config", str(config))
            self.assertEqual(done.returncode, 2)
            self.assertIn("prot", done.stderr)


if __name__ == "__main__":
    SERVE, LAUNCHER = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
