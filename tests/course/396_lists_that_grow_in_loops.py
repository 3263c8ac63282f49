"""Loops over lists that the loops themselves make longer, or shorter, around array code."""
import numpy as np


def explore(grid, start, most):
    """A breadth-first walk whose queue is the list that is being iterated over."""
    queue = [start]
    for cell in queue:
        for step in (1, 7):
            if len(queue) < most and cell + step < grid.size:
                queue.append(cell + step)
        grid[cell] += 1
    return len(queue), grid


def double(values, weights, most):
    rounds = 0
    for value in values:
        if len(values) < most:
            values.append(value + 100)
        weights[0] += value
        rounds += 1
    return rounds, weights[0], values


def numbered(values, weights, most):
    seen = []
    for index, value in enumerate(values):
        if len(values) < most:
            values.append(float(weights[0]))
        weights[0] += 1
        seen.append((index, value))
    return seen


def shrink(values, weights):
    for value in values:
        weights += value
        if len(values) > 4:
            values.pop()
    return weights, values


for most in (3, 5, 9, 12, 17, 20, 40):
    print(explore(np.zeros(60), 2, most))
    print(double([0.5, -1.5, 2.25], np.arange(6.0), most))
    print(numbered([0.5, -1.5, 2.25], np.arange(6.0), most))
    print(shrink([float(k) for k in range(most)], np.arange(3.0)))
