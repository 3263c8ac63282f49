"""Results of a megabyte and more own their data, can be resized, and their memory is traced."""
import resource
import sys
import tracemalloc

import numpy as np

MILLION = 1 << 20


def axpy(a, x, y):
    return a * x + y


x = np.arange(MILLION, dtype=np.float64)
y = np.ones(MILLION)
for _ in range(5):
    r = axpy(2.0, x, y)
print(r.flags.owndata, r.base is None, r.flags.writeable, r.flags.c_contiguous, r[:3], r[-1])

r.resize(2 * MILLION, refcheck=False)
print(r.shape, r[MILLION - 1], r[MILLION], r[-1])
r.resize(10, refcheck=False)
print(r)
r.resize(MILLION, refcheck=False)
print(r[:12], r.sum())

r = axpy(1.0, x, y)
r.shape = (1024, 1024)
print(r.strides, r[3, 4], r.view(np.int64)[0, 0])
r.dtype = np.int64
print(r[0, 1], r.nbytes)

tracemalloc.start()
before = sum(t.size for t in tracemalloc.take_snapshot().traces if t.domain == np.lib.tracemalloc_domain)
r = axpy(3.0, x, y)
held = sum(t.size for t in tracemalloc.take_snapshot().traces if t.domain == np.lib.tracemalloc_domain)
print("traced", (held - before) >> 20, "MB")
del r
after = sum(t.size for t in tracemalloc.take_snapshot().traces if t.domain == np.lib.tracemalloc_domain)
tracemalloc.stop()
print("left", (after - before) >> 20, "MB")

# What dies is used again: 2,000 results of 8 MB in turn need no more memory than a few, and a
# compiler, which may come meanwhile.
kept = [axpy(float(i), x, y) for i in range(4)]
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for i in range(2000):
    kept[i % 4] = axpy(float(i), x, y)
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak
print("grows", grown > 512 * 1024, [k[1] for k in kept])
print(sys.getsizeof(kept[0]))
