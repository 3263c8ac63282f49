"""A script's own loops stand beside comprehensions, whose variables are not the script's."""
# test: compiled numpy2
import numpy as np

x = np.linspace(0.0, 1.0, 200)
total = 0.0
for step in range(60):
    parts = [x * k + step for k in range(3)]
    total += float(sum(part.sum() for part in parts))
    if step % 20 == 0:
        print(step, total)

k = "the script's own"
for step in range(40):
    squares = {k: float((x * k).sum()) for k in range(4)}
    odd = {k for k in squares if k % 2}
print(k, squares, odd)

try:
    for step in range(30):
        values = [1.0 / (20 - item) for item in range(step)]
        x = np.sqrt(x * x + len(values))
except ZeroDivisionError as error:
    print(step, error, "item" in globals(), x.sum())

# A function that is made in a comprehension keeps its variable.
for step in range(30):
    adders = [lambda a, by=step: a * number + by for number in range(3)]
    x = adders[1](x) / (1.0 + np.abs(x).max())
print(x.sum(), [adder(1) for adder in adders])

# A variable of one comprehension has a cell, that of the next has not, and both have one name.
for step in range(30):
    makers = [lambda: entry for entry in range(3)]
    values = [entry + step for entry in range(3)]
    x = x + (makers[0]() + values[0]) * 1e-3


def beside_a_cell(a):
    for step in range(30):
        makers = [lambda: entry for entry in range(3)]
        values = [entry + step for entry in range(3)]
        a = a + (makers[0]() + values[0]) * 1e-3
    return float(a.sum())


print(x.sum(), [beside_a_cell(x) for _ in range(5)])

nested = []
for row in range(25):
    nested = [[column * row for column in range(3) if column] for row in range(4)]
    x = x + sum(sum(items) for items in nested) * 1e-3
print(row, nested, x.sum())

i = 0
acc = 0.0
while i < 5000:
    acc = acc * 0.5 + i
    i += 1
print(i, acc, [name for name in ("i", "acc", "column") if name in globals()])
