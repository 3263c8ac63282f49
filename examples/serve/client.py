"""Asks the models of make_models.py. Needs nothing but Python's standard library.

    python3 client.py http://127.0.0.1:8000
"""
import json
import sys
import urllib.request


def post(path, body):
    return urllib.request.urlopen(urllib.request.Request(SERVER + path, json.dumps(body).encode()))


def infer(model, name, datatype, shape, data):
    body = {"inputs": [{"name": name, "datatype": datatype, "shape": shape, "data": data}]}
    outputs = json.load(post(f"/v2/models/{model}/infer", body))["outputs"]
    return {output["name"]: output["data"] for output in outputs}


def events(response):
    """The objects of server-sent events, as they come."""
    for line in response:
        if line.startswith(b"data: "):
            yield json.loads(line[len(b"data: "):])


SERVER = sys.argv[1].rstrip("/")
print("scale:", infer("scale", "x", "FP32", [1, 3], [2, 2, 2]))
print("sort:", infer("sort", "x", "FP64", [4], [3, 1, 2, 0.5]))

request = {"tokens": [5, 17, 30], "parameters": {"max_tokens": 8}}
answer = json.load(post("/v2/models/gpt/generate", request))
print("gpt:", answer["tokens"], answer["details"]["finish_reason"])
print("gpt, one by one:", end="", flush=True)
for event in events(post("/v2/models/gpt/generate_stream", request)):
    print("", *event["tokens"], end="", flush=True)
print()
