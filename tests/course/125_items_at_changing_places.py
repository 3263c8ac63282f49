"""Lists and tuples read at indices that change: arrays, numbers and other things, in loops and across calls."""
import numpy as np

from changes import watch

a = np.arange(4.0)
items = [a, a * 2, a * 3, 5.0, "x", 2]
things = (1.0, 2.0, 3.0, a)
index = 0


def put(value):
    def change():
        global index
        index = value
    return change


def picks():
    try:
        return a + items[index], items[index - 1] is None, things[index - 4] * 2.0, items[index + 1] * 1.0
    except Exception as error:
        return type(error).__name__, str(error)


watch("picks", picks, *map(put, (1, 2, 3, 1, 0, 4, 5, 6, -1, -6, -7, 2 ** 70, True, 1)))

row = [a + k for k in range(20)]


def updates():
    total = a * 0
    for i in range(20):
        x = row[i]
        total = total + x * (i + 1)
        row[i] = x + 1
    return total, len(row)


def stencil():
    total = a * 0
    for i in range(1, 19):
        total = total + row[i - 1] - row[i + 1]
    return total, total.dtype


watch("updates", updates, lambda: row.__setitem__(3, 2.0), lambda: row.__setitem__(3, a.astype("f4")))
watch("stencil", stencil, lambda: row.__setitem__(3, 2.0), lambda: row.append(a))


# One item by two indices, and items that are written in place.
def scales(first, second):
    one, two = row[first], row[second]
    one *= 0.5
    return one is two, two + 1.0


for _ in range(3):
    for first, second in ((4, 5), (4, 4), (6, 5), (6, 6), (7, 8)):
        same, value = scales(first, second)
        print("scales", first, second, same, value.tolist())


# Objects at changing places, which change.
class Layer:
    def __init__(self, k):
        self.weight, self.calls = a * k + 1.0, 0

    def __call__(self, x):
        self.calls += 1
        return x * self.weight + 0.5


class Net:
    def __init__(self):
        self.layers = [Layer(k) for k in range(20)]
        self.cache = tuple(layer.weight for layer in self.layers)

    def run(self, x, order):
        for k in order:
            x = self.layers[k](x) * 0.1
            x = x + self.cache[k]
        return x


net = Net()
for turn in range(4):
    print("net", net.run(a, range(20)).tolist(), net.run(a, range(19, -1, -1)).tolist())
print([layer.calls for layer in net.layers][:5])


# Dynamic programming over a list of rows; the list grows.
def table(n):
    rows = [a]
    for k in range(1, n):
        rows.append(np.maximum(rows[k - 1] * 0.5, rows[k // 2]) + 1.0)
    return rows[-1], len(rows)


for n in (3, 30, 60):
    last, length = table(n)
    print("table", length, last.tolist())
