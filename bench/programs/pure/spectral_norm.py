"""The spectral norm of an infinite matrix's corner, in plain lists."""
from math import sqrt


def element(i, j):
    return 1.0 / ((i + j) * (i + j + 1) // 2 + i + 1)


def times(vector):
    n = len(vector)
    return [sum(element(i, j) * vector[j] for j in range(n)) for i in range(n)]


def transposed_times(vector):
    n = len(vector)
    return [sum(element(j, i) * vector[j] for j in range(n)) for i in range(n)]


def main(n):
    u = [1.0] * n
    for _ in range(6):
        v = transposed_times(times(u))
        u = transposed_times(times(v))
    print("%.9f" % sqrt(sum(a * b for a, b in zip(u, v)) / sum(b * b for b in v)))


main(310)
