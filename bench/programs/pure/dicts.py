"""Dictionaries and sets: counting, grouping, memoising, merging."""
from collections import Counter, defaultdict


def pseudo_random(n, seed=1):
    values = []
    for _ in range(n):
        seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
        values.append(seed >> 8)
    return values


def collatz(limit):
    lengths = {1: 1}
    for start in range(2, limit):
        path, n = [], start
        while n not in lengths:
            path.append(n)
            n = n * 3 + 1 if n & 1 else n >> 1
        length = lengths[n]
        for n in reversed(path):
            length += 1
            lengths[n] = length
    return max(lengths.items(), key=lambda item: item[1])


values = pseudo_random(300000)
groups = defaultdict(list)
for value in values:
    groups[value % 97].append(value)
counts = Counter(value % 1013 for value in values)
merged = {**{k: len(v) for k, v in groups.items()}, **counts}
seen = {value & 0xFFF for value in values} - set(range(100))
print(len(groups), counts.most_common(3), len(merged), len(seen), collatz(130000))
