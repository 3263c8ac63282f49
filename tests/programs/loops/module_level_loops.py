"""A script's own code has loops of every kind, left in every way."""
import warnings

import numpy as np

x = np.linspace(0.0, 1.0, 300)
state = np.ones(300)

for step in range(40):
    slope = np.cos(state * x) - 0.1 * state
    state = state + 0.01 * slope
    if step % 10 == 0:
        print("step", step, state.sum(), slope.max())
else:
    print("no break", step, state[:3])

count = 0
while count < 30:
    count += 1
    if count % 4 == 0:
        continue
    state = np.sqrt(state * state + x) - 0.25
    if count == 25:
        break
print(count, state.sum())

while np.abs(state).max() > 0.5:
    state = state * 0.9 + x * 0.01
print("settled", state.sum())

while True:
    count += 1
    state = state + x / count
    if state[-1] > 2.0:
        break
print(count, state.sum())

total = np.zeros(300)
for i in range(6):
    for j in range(7):
        total = total + x * i - np.sin(x + j)
        if j > i + 2:
            break
    else:
        total = -total
    for k in [0.5, 1.5, 2.5]:
        total = total * 0.5 + k
print(i, j, k, total.sum())

rows = np.arange(12.0).reshape(4, 3)
for row, weight in zip(rows, (1, 2, 3, 4)):
    row_sum = (row * weight + 1.0).sum()
    print(row, row_sum)
for index, row in enumerate(rows):
    row *= 2.0
    rows[index] += row - 1.0
print(rows)

failures = 0
for i in range(12):
    try:
        total = total * 0.5 + x
        if i % 3 == 2:
            raise ValueError(i)
        shifted = total[1:] - total[:-1]
        if i == 10:
            shifted + total
    except ValueError as error:
        failures += 1
        print("caught", type(error).__name__, error)
    finally:
        total = total + 1.0
print(failures, total.sum(), "error" in globals())

for i in range(10):
    with np.errstate(divide="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        inverse = 1.0 / (x - x[i])
    scaled = inverse * 2.0 + 1.0
print(np.isinf(inverse).sum(), np.isfinite(scaled).sum())

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for i in range(5):
        inverse = 1.0 / (x - x[0]) + i
    print([(str(w.message), w.lineno, w.category.__name__) for w in caught])

for i in range(8):
    doubled = total * 2.0
    part = doubled[i:].sum()
    del doubled
print(part, "doubled" in globals())

squares = [(x * n).sum() for n in range(5)]
table = {n: (x + n).max() for n in range(5)}
generator = ((x - n).min() for n in range(5))
print(squares, table, list(generator))

names = []
for i in range(4):
    new_name = x + i
    if i == 2:
        late_name = new_name * 2.0
    names.append(sorted(n for n in globals() if n.endswith("_name")))
print(names)
print([name for name in globals() if not name.startswith("__")])

for i in range(20):
    state = state * 1.5 + 1.0
    if i == 17:
        state = state + rows
print("not reached")
