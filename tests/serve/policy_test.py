"""dynacc-serve: what its operators decide. Padding, weights beside a program, keys that are trusted, traces.

usage: policy_test.py DYNACC_SERVE DYNACC_PYTHON [TestClass]
"""
import concurrent.futures
import http.server
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

from server import Server, export_models, tensor

# Rows of any length: each element is scaled by its row's mask, which has the same length.
MASKED = '''
import sys
import numpy as np
import dynacc
def masked(x, mask):
    return {"y": x * 2.0 + 1.0, "sums": (x * mask).sum(axis=1)}
dynacc.export(masked, np.ones((4, 5)), np.ones((4, 5)), dynamic=True).save(f"{sys.argv[1]}/masked.dynacc")
'''
WEIGHTS = '''
import sys
import numpy as np
import dynacc
TABLE = np.linspace(-1, 1, 12).reshape(4, 3)
def affine(x):
    return {"y": x @ TABLE}
folder = sys.argv[1]
dynacc.export(affine, np.ones((2, 4)), weights="external").save(f"{folder}/outside.dynacc",
                                                                weights=f"{folder}/outside.safetensors")
dynacc.export(affine, np.ones((2, 4)), weights="external").save(f"{folder}/lonely.dynacc")
dynacc.export(affine, np.ones((2, 4))).save(f"{folder}/inside.dynacc")
'''
TABLE = np.linspace(-1, 1, 12).reshape(4, 3)


class Folder(unittest.TestCase):
    """A folder of models that a script writes, and servers of it."""

    script = MASKED

    def setUp(self):
        self.models = pathlib.Path(tempfile.mkdtemp(prefix="dynacc_models_"))
        self.addCleanup(shutil.rmtree, self.models)
        export_models(LAUNCHER, self.models, self.script)

    def settings(self, name, **members):
        """The program as version 1 of a model with these settings."""
        (self.models / name / "1").mkdir(parents=True)
        (self.models / f"{name}.dynacc").rename(self.models / name / "1" / "model.dynacc")
        (self.models / name / "model.json").write_text(json.dumps(members))

    def serve(self, *options):
        server = Server(SERVE, *options, models=self.models)
        self.addCleanup(server.__exit__)
        return server.wait_until_loaded()

    def reason(self, server, model):
        """Why a model was not loaded."""
        _, index = server.json("POST", "/v2/repository/index", {})
        (entry,) = [entry for entry in index if entry["name"] == model]
        self.assertNotEqual(entry["state"], "READY")
        return entry["reason"]


class Padding(Folder):
    PADDING = {"axis": 1, "inputs": ["x", "mask"], "outputs": ["y"]}

    def ask(self, server, rows, length):
        x = np.random.default_rng(rows * 100 + length).normal(size=(rows, length))
        mask = np.ones_like(x)
        inputs = [tensor("x", "FP64", list(x.shape), x.ravel().tolist()),
                  tensor("mask", "FP64", list(x.shape), mask.ravel().tolist())]
        status, answer = server.json("POST", "/v2/models/masked/infer", {"inputs": inputs})
        self.assertEqual(status, 200, answer)
        found = {output["name"]: np.array(output["data"]).reshape(output["shape"]) for output in answer["outputs"]}
        np.testing.assert_array_equal(found["y"], x * 2.0 + 1.0)
        np.testing.assert_allclose(found["sums"], x.sum(axis=1))

    def runs(self, server):
        text = server.ask("GET", "/metrics")[2].decode()
        (line,) = [line for line in text.splitlines() if line.startswith("dynacc_run_seconds_count")]
        return float(line.rsplit(" ", 1)[1])

    def ask_many(self, server, sizes):
        with concurrent.futures.ThreadPoolExecutor(len(sizes)) as pool:
            list(pool.map(lambda size: self.ask(server, *size), sizes))
        return self.runs(server)

    def test_requests_of_other_lengths_share_a_run(self):
        self.settings("masked", max_batch=64, batch_window_us=300_000, padding=[self.PADDING])
        server = self.serve()
        sizes = [(1, 3), (2, 7), (1, 1), (3, 5), (1, 12), (2, 3)]
        self.assertLess(self.ask_many(server, sizes), len(sizes))

    def test_without_padding_they_do_not(self):
        self.settings("masked", max_batch=64, batch_window_us=100_000)
        self.assertEqual(self.ask_many(self.serve(), [(1, 3), (2, 7), (1, 4)]), 3)

    def test_buckets(self):
        self.settings("masked", max_batch=64, batch_window_us=100_000, padding=[dict(self.PADDING, bucket=8)])
        # 3 and 7 come to 8, 9 and 12 to 16.
        self.assertEqual(self.ask_many(self.serve(), [(1, 3), (1, 7), (1, 9), (1, 12)]), 2)

    def test_inputs_of_two_lengths_in_one_request_fail_alone(self):
        self.settings("masked", max_batch=64, batch_window_us=50_000, padding=[self.PADDING])
        server = self.serve()
        inputs = [tensor("x", "FP64", [1, 3], [1, 2, 3]), tensor("mask", "FP64", [1, 2], [1, 2])]

        def wrong(_):
            return server.json("POST", "/v2/models/masked/infer", {"inputs": inputs})[0]

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            bad = [pool.submit(wrong, None) for _ in range(2)]
            self.ask_many(server, [(1, 3), (1, 5)])
            self.assertEqual([one.result() for one in bad], [400, 400])

    def test_settings_that_are_none(self):
        for padding, words in (
                ({"axis": 1}, "'axis' and 'inputs'"), ({"axis": 1, "inputs": []}, "names none"),
                ({"axis": 9, "inputs": ["x"]}, "from 0 to 7"), ({"axis": 1, "inputs": "x"}, "array of names"),
                ({"axis": 1, "inputs": ["z"]}, "no 'z'"), ({"axis": 2, "inputs": ["x"]}, "along axis 2"),
                ({"axis": 0, "inputs": ["x"]}, "joined along"), ({"axis": 1, "inputs": ["x"], "value": "0"}, "a number"),
                ({"axis": 1, "inputs": ["x"], "outputs": ["sums"]}, "'sums' has no size"),
                ({"axis": 1, "inputs": ["x"], "bucket": -1}, "from 0"), ({"axis": 1, "inputs": ["x"], "wide": 1}, "no such")):
            with self.subTest(words):
                shutil.rmtree(self.models / "masked", ignore_errors=True)
                if not (self.models / "masked.dynacc").exists():
                    export_models(LAUNCHER, self.models, self.script)
                self.settings("masked", padding=[padding])
                self.assertIn(words, self.reason(self.serve(), "masked"))


class OutsideWeights(Folder):
    script = WEIGHTS

    def test_the_file_beside_the_program(self):
        server = self.serve()
        x = np.arange(8.0).reshape(2, 4)
        status, answer = server.json("POST", "/v2/models/outside/infer",
                                     {"inputs": [tensor("x", "FP64", [2, 4], x.ravel().tolist())]})
        self.assertEqual(status, 200, answer)
        np.testing.assert_array_equal(np.array(answer["outputs"][0]["data"]).reshape(2, 3), x @ TABLE)
        self.assertIn("weights are outside", self.reason(server, "lonely"))

    def test_links_that_lead_out_are_refused(self):
        weights = self.models / "outside.safetensors"
        with tempfile.TemporaryDirectory() as elsewhere:
            moved = pathlib.Path(elsewhere) / "w"
            shutil.move(weights, moved)
            weights.symlink_to(moved)
            self.assertIn("leads out", self.reason(self.serve(), "outside"))


class TrustedKeys(Folder):
    script = WEIGHTS

    def setUp(self):
        super().setUp()
        self.keys = pathlib.Path(tempfile.mkdtemp(prefix="dynacc_keys_"))
        self.addCleanup(shutil.rmtree, self.keys)
        for name in ("good", "other"):
            private = self.keys / f"{name}.pem"
            try:
                subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", private], check=True)
            except (OSError, subprocess.CalledProcessError):
                self.skipTest("there is no openssl")
            subprocess.run(["openssl", "pkey", "-in", private, "-pubout", "-out", self.keys / f"{name}.pub"], check=True)

    def sign(self, key, name):
        done = subprocess.run([pathlib.Path(SERVE).parent / "dynacc-program", "sign", "--key", self.keys / f"{key}.pem",
                               self.models / f"{name}.dynacc"], capture_output=True, text=True)
        if "without OpenSSL" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_only_what_is_signed_is_loaded(self):
        self.sign("good", "inside")
        self.sign("other", "outside")
        (self.models / "python" / "1").mkdir(parents=True)
        (self.models / "python" / "1" / "model.py").write_text("def f(x): return {'y': x}\n")
        spec = [{"name": "x", "datatype": "FP64", "shape": [1]}]
        (self.models / "python" / "model.json").write_text(json.dumps(
            {"python": "model.py:f", "inputs": spec, "outputs": [dict(spec[0], name="y")]}))
        server = self.serve("--trusted-key", str(self.keys / "good.pub"))
        self.assertEqual(server.ask("GET", "/v2/models/inside/ready")[0], 200)
        self.assertIn("another key", self.reason(server, "outside"))
        self.assertIn("not signed", self.reason(server, "lonely"))
        self.assertIn("no Python models", self.reason(server, "python"))

    def test_keys_that_are_none(self):
        (self.keys / "text").write_text("no key at all")
        for key, words in ((self.keys / "missing", "cannot be read"), (self.keys / "good.pem", "no public key"),
                           (self.keys / "text", "no public key")):
            with self.assertRaisesRegex(RuntimeError, f"the server ended: .*cannot start.*{words}"):
                self.serve("--trusted-key", str(key))


class Collector(http.server.BaseHTTPRequestHandler):
    """Takes spans as an OpenTelemetry collector does."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.bodies.append((self.path, self.headers["Content-Type"], body))
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Traces(Folder):
    TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"

    def collector(self, status=200):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
        server.bodies, server.status = [], status
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def infer(self, server, traceparent=None, rows=1, name="x"):
        inputs = [tensor(name, "FP64", [rows, 2], [1.0] * rows * 2), tensor("mask", "FP64", [rows, 2], [1.0] * rows * 2)]
        headers = {"traceparent": traceparent} if traceparent else {}
        return server.ask("POST", "/v2/models/masked/infer", {"inputs": inputs, "id": "seven"}, headers)[0]

    def spans(self, collector, count):
        """As many spans as are expected, by name, once they have come."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            found = [span for _, _, body in collector.bodies for resource in body["resourceSpans"]
                     for scope in resource["scopeSpans"] for span in scope["spans"]]
            if len(found) >= count:
                return found
            time.sleep(0.05)
        self.fail(f"{len(found)} spans of {count}")

    def test_a_request_within_the_clients_trace(self):
        collector = self.collector()
        server = self.serve("--trace-endpoint", f"http://127.0.0.1:{collector.server_port}/v1/traces")
        before = time.time_ns()
        self.assertEqual(self.infer(server, f"00-{self.TRACE}-{self.PARENT}-01"), 200)
        spans = {span["name"]: span for span in self.spans(collector, 3)}
        path, kind, body = collector.bodies[0]
        self.assertEqual((path, kind), ("/v1/traces", "application/json"))
        self.assertEqual(body["resourceSpans"][0]["resource"]["attributes"][0],
                         {"key": "service.name", "value": {"stringValue": "dynacc-serve"}})
        self.assertEqual(set(spans), {"infer masked", "wait", "run"})
        request = spans["infer masked"]
        self.assertEqual((request["traceId"], request["parentSpanId"], request["kind"]), (self.TRACE, self.PARENT, 2))
        self.assertNotIn("status", request)
        attributes = {row["key"]: row["value"] for row in request["attributes"]}
        self.assertEqual(attributes["dynacc.model"], {"stringValue": "masked"})
        self.assertEqual(attributes["dynacc.request_id"], {"stringValue": "seven"})
        times = []
        for name in ("wait", "run"):
            part = spans[name]
            self.assertEqual((part["traceId"], part["parentSpanId"]), (self.TRACE, request["spanId"]))
            times += [int(part["startTimeUnixNano"]), int(part["endTimeUnixNano"])]
        whole = [int(request["startTimeUnixNano"]), int(request["endTimeUnixNano"])]
        self.assertTrue(before - 10**6 <= whole[0] <= whole[1] <= time.time_ns() + 10**6)
        self.assertEqual(times, sorted(times))
        self.assertEqual(len({span["spanId"] for span in spans.values()}), 3)

    def test_failures(self):
        collector = self.collector()
        server = self.serve("--trace-endpoint", f"http://127.0.0.1:{collector.server_port}/v1/traces")
        self.assertEqual(self.infer(server, name="z"), 400)
        (span,) = self.spans(collector, 1)
        self.assertEqual(span["status"]["code"], 2)
        self.assertIn("'z'", span["status"]["message"])
        self.assertNotIn("parentSpanId", span)

    def test_what_is_traced(self):
        collector = self.collector()
        server = self.serve("--trace-endpoint", f"http://127.0.0.1:{collector.server_port}", "--trace-percent", "0")
        bad = (None, "00", f"00-{self.TRACE}-{self.PARENT}-00", f"00-{'0' * 32}-{self.PARENT}-01",
               f"ff-{self.TRACE}-{self.PARENT}-01", f"00-{self.TRACE.upper()}-{self.PARENT}-01",
               f"00-{self.TRACE}-{self.PARENT}-01-more", f"00-{self.TRACE}-{self.PARENT}-0g", "x" * 55)
        for header in bad:
            self.assertEqual(self.infer(server, header), 200, header)
        self.assertEqual(self.infer(server, f"01-{self.TRACE}-{self.PARENT}-01-more"), 200)  # of a later version
        self.assertEqual({span["traceId"] for span in self.spans(collector, 3)}, {self.TRACE})
        time.sleep(1)
        self.assertEqual(len(self.spans(collector, 3)), 3)

    def test_a_collector_that_fails_harms_nobody(self):
        server = self.serve("--trace-endpoint", "http://127.0.0.1:9")
        for _ in range(50):
            self.assertEqual(self.infer(server), 200)
        time.sleep(1.5)
        self.assertEqual(self.infer(server), 200)
        self.assertEqual(server.terminate(), 0)
        failed = [line for line in server.lines() if line["event"] == "spans not sent"]
        self.assertEqual(len(failed), 1)
        refusing = self.collector(status=500)
        server = self.serve("--trace-endpoint", f"http://127.0.0.1:{refusing.server_port}")
        self.assertEqual(self.infer(server), 200)
        self.assertEqual(server.terminate(), 0)
        self.assertIn("answers 500", [line for line in server.lines() if line["event"] == "spans not sent"][0]["reason"])

    def test_into_the_log(self):
        server = self.serve("--trace-endpoint", "log")
        self.assertEqual(self.infer(server, f"00-{self.TRACE}-{self.PARENT}-01"), 200)
        self.assertEqual(server.terminate(), 0)  # which sends what waits
        spans = [line for line in server.lines() if line["event"] == "span"]
        self.assertEqual({span["name"] for span in spans}, {"infer masked", "wait", "run"})
        self.assertEqual({span["trace"] for span in spans}, {self.TRACE})

    def test_addresses_that_are_none(self):
        for address in ("https://127.0.0.1/", "127.0.0.1:4318", "http://", "http://a:b/", "http://a:99999/"):
            with self.subTest(address), self.assertRaisesRegex(RuntimeError, "trace_endpoint is 'log' or like"):
                self.serve("--trace-endpoint", address)


if __name__ == "__main__":
    SERVE, LAUNCHER = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()
