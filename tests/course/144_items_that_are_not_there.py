"""What was read and then dropped, at a place that moves on, must still be there to be read."""
import numpy as np

history = [None] * 8
tick = 0


def inserts(x):
    history[-1] = history[tick + 1]
    history.insert(-1, x)
    history.pop()
    return x * 2 + 1


def reads_and_drops(x, names, at):
    kept = [names[at], x]
    kept.pop(0)
    names.pop()
    return kept[0] * 2


def count_up(x):
    global tick
    tick += 1
    return inserts(x)


for i in range(12):
    try:
        print(i, count_up(np.ones(3) * i))
    except IndexError as error:
        print(i, error)
    print([item is None for item in history], len(history))
for i in range(12):
    try:
        print(reads_and_drops(np.ones(2) * i, ["a", 1.5, "c"], i % 5))
    except IndexError as error:
        print(i, error)
