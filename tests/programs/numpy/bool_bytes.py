"""A bool may have any byte: each but 0 is True and counts as one."""
# test: compiled
import numpy as np

from show import show

odd = np.frombuffer(b"\xff\x00\x01\x02" * 50, dtype=bool)


def count(flags):
    return flags.sum(), flags.mean(), flags.astype(np.float32) * 2, flags * 3 + flags, np.where(flags, 1.5, -1.5)


def logic(flags, other):
    return ~other & flags.any(), flags.all(), np.logical_not(flags), np.logical_and(flags, other), flags.max()


for _ in range(5):
    show("count", count(odd))
    show("count column", count(odd.reshape(4, 50).T))
    show("logic", logic(odd, odd.astype(int) > 0))
