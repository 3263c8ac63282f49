"""dynacc-serve, asked by Triton's own clients, HTTP and gRPC, and its metrics read by Prometheus' own parser.

usage: tritonclient_test.py DYNACC_SERVE DYNACC_PYTHON FOLDER      FOLDER gets the environment with the clients

DYNACC_TEST_TRITONCLIENT names an environment that has them. Without a package index the test is skipped.
"""
import importlib
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

PACKAGES = ("tritonclient[http,grpc]", "prometheus-client")
IMPORTS = "import tritonclient.http, tritonclient.grpc, prometheus_client, numpy"


class Clients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        from server import Server, export_models
        cls.models = tempfile.TemporaryDirectory(prefix="dynacc_models_")
        export_models(LAUNCHER, cls.models.name)
        cls.server = Server(SERVE, "--trace-endpoint", "log", "--trace-percent", "0", models=cls.models.name).wait_until_ready()

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        cls.models.cleanup()

    def ask(self, module, client):
        """The same by each client: health, metadata, inference, the repository, an error."""
        self.assertTrue(client.is_server_live() and client.is_server_ready() and client.is_model_ready("scaled"))
        x = np.random.default_rng(3).normal(size=(5, 3))
        given = module.InferInput("x", list(x.shape), "FP64")
        given.set_data_from_numpy(x)
        wanted = module.InferRequestedOutput("y")
        for outputs in (None, [wanted]):
            result = client.infer("scaled", [given], outputs=outputs, request_id="7")
            np.testing.assert_array_equal(result.as_numpy("y"), x * 2 + 1)
        np.testing.assert_array_equal(client.infer("scaled", [given]).as_numpy("large"), x > 0.5)
        client.load_model("scaled")
        client.unload_model("counted")
        self.assertFalse(client.is_model_ready("counted"))
        client.load_model("counted")
        self.assertTrue(client.is_model_ready("counted"))
        short = module.InferInput("x", [5, 2], "FP64")
        short.set_data_from_numpy(x[:, :2].copy())
        with self.assertRaisesRegex(tritonclient.utils.InferenceServerException, "'x'"):
            client.infer("scaled", [short])
        with self.assertRaises(tritonclient.utils.InferenceServerException):
            client.infer("absent", [given])

    def test_http(self):
        import tritonclient.http as module
        with module.InferenceServerClient(f"127.0.0.1:{self.server.http_port}") as client:
            self.ask(module, client)
            self.assertEqual(client.get_model_metadata("scaled")["inputs"][0]["shape"], [-1, 3])
            self.assertEqual({row["name"] for row in client.get_model_repository_index()}, {"scaled", "counted", "picked"})
            pending = [client.async_infer("scaled", [self.ones(module, n)]) for n in range(1, 9)]
            for n, each in enumerate(pending, 1):
                np.testing.assert_array_equal(each.get_result().as_numpy("y"), np.full((n, 3), 3.0))

    def ones(self, module, rows):
        given = module.InferInput("x", [rows, 3], "FP64")
        given.set_data_from_numpy(np.ones((rows, 3)))
        return given

    def test_traces(self):
        """The client's trace comes by a header, and over gRPC by metadata."""
        traces = {}
        for number, (name, port) in enumerate((("http", self.server.http_port), ("grpc", self.server.grpc_port)), 1):
            if port is None:
                continue
            module = importlib.import_module(f"tritonclient.{name}")
            traces[f"{number:032x}"] = name
            with module.InferenceServerClient(f"127.0.0.1:{port}") as client:
                client.infer("scaled", [self.ones(module, 1)], headers={"traceparent": f"00-{number:032x}-{7:016x}-01"})
        end = time.monotonic() + 20
        found = []
        while time.monotonic() < end and len(found) < 3 * len(traces):
            time.sleep(0.1)
            found = [line for line in self.server.lines() if line["event"] == "span" and line["trace"] in traces]
        self.assertEqual(sorted(line["name"] for line in found),
                         sorted(["infer scaled", "wait", "run"] * len(traces)))
        self.assertEqual({line["parent"] for line in found if line["name"] == "infer scaled"}, {f"{7:016x}"})

    def test_grpc(self):
        if self.server.grpc_port is None:
            self.skipTest("built without gRPC")
        import queue

        import tritonclient.grpc as module
        with module.InferenceServerClient(f"127.0.0.1:{self.server.grpc_port}") as client:
            self.ask(module, client)
            self.assertEqual(list(client.get_model_metadata("scaled").inputs[0].shape), [-1, 3])
            self.assertEqual({row.name for row in client.get_model_repository_index().models}, {"scaled", "counted", "picked"})
            answers = queue.Queue()
            client.start_stream(lambda result, error: answers.put((result, error)))
            for n in range(1, 21):
                client.async_stream_infer("scaled", [self.ones(module, n)], request_id=str(n))
            seen = {}
            for _ in range(20):
                result, error = answers.get(timeout=60)
                self.assertIsNone(error)
                seen[int(result.get_response().id)] = result.as_numpy("y")
            client.stop_stream()
            self.assertEqual(sorted(seen), list(range(1, 21)))
            for n, y in seen.items():
                np.testing.assert_array_equal(y, np.full((n, 3), 3.0))

    def test_metrics(self):
        from prometheus_client.parser import text_string_to_metric_families
        text = self.server.ask("GET", "/metrics")[2].decode()
        families = {family.name: family for family in text_string_to_metric_families(text)}
        self.assertEqual(families["dynacc_request_seconds"].type, "histogram")
        self.assertEqual(families["dynacc_requests"].type, "counter")


if __name__ == "__main__":
    SERVE, LAUNCHER = sys.argv[1:3]
    if len(sys.argv) > 3:
        sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
        from pip_environment import environment
        found, reason = environment(sys.argv[3], PACKAGES, IMPORTS, os.environ.get("DYNACC_TEST_TRITONCLIENT"))
        if reason:
            print("skipped:", reason)
            sys.exit(77)
        sys.exit(subprocess.run([found, __file__, SERVE, LAUNCHER], check=False).returncode)
    import numpy as np
    import tritonclient.utils
    del sys.argv[1:]
    unittest.main()
