"""Writes a folder of models for dynacc-serve: a function frozen to a file, a Python function, and a small GPT.

    PYTHONPATH=build/release/python python3 examples/serve/make_models.py models
    dynacc-serve --models models &
    python3 examples/serve/client.py http://127.0.0.1:8000
"""
import json
import pathlib
import sys

import numpy as np

import dynacc
import gpt

SCALES = np.linspace(0.5, 2.0, 3).astype(np.float32)


def scale(x):
    return {"y": x * SCALES}


PYTHON_MODEL = '''import numpy as np


def sort(x):
    return {"sorted": np.sort(x), "largest": x.max(keepdims=True)}
'''


def main():
    folder = pathlib.Path(sys.argv[1])
    for name in ("sort", "gpt"):
        (folder / name / "1").mkdir(parents=True, exist_ok=True)

    dynacc.export(scale, np.ones((2, 3), np.float32), dynamic={"x": {0: (1, 64)}}).save(folder / "scale.dynacc")

    (folder / "sort" / "1" / "model.py").write_text(PYTHON_MODEL)
    (folder / "sort" / "model.json").write_text(json.dumps({
        "python": "model.py:sort", "inputs": [{"name": "x", "datatype": "FP64", "shape": [-1]}],
        "outputs": [{"name": "sorted", "datatype": "FP64", "shape": [-1]},
                    {"name": "largest", "datatype": "FP64", "shape": [1]}]}))

    gpt.export().save(folder / "gpt" / "1" / "model.dynacc")
    (folder / "gpt" / "model.json").write_text(json.dumps({
        "generate": {"max_length": gpt.LENGTH, "slots": gpt.SLOTS, "prefill": gpt.PREFILL}}))


if __name__ == "__main__":
    main()
