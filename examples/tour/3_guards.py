"""Guards.

A graph holds for the values that it was traced with, and for others like them. Guards say what is alike: types, dtypes,
ranks, sizes, the identity of functions. A call whose guards hold runs what is compiled. Another one is traced anew.
"""
import numpy as np

import dynacc


def scaled(a, k):
    return np.sqrt(a * a + 1.0) * k


compiled = dynacc.compile(scaled)
compiled(np.ones(4), 2)
for guard in dynacc.explain(compiled, fresh=False)(np.ones(4), 2).segments[0]["entries"][0]["guards"]:
    print("guard:", guard)


def traces(text):
    print(f"{text:40} {compiled.stats()['traces']} traces")


traces("as before")
compiled(np.ones(4, np.float32), 2)
traces("another dtype")
compiled(np.ones(5), 2)
traces("another size: it is an input from now on")
for size in range(6, 20):
    compiled(np.ones(size), 2)
traces("many sizes")
