"""Numbers of open files: none is DynaCC's, not even after a program has closed all that it does not know."""
import os
import tempfile
import time

import numpy as np
from show import repeat, show


def waves(x):
    return np.sin(x) * x + np.sqrt(x + 2.0)


def lowest():
    """The number that the next file gets. A kernel that is stored meanwhile has a file open, for a moment."""
    numbers = []
    for _ in range(100):
        file = os.open(os.devnull, os.O_RDONLY)
        numbers.append(file)
        os.close(file)
        time.sleep(0.01)
    return min(numbers)


first = lowest()
show("waves", repeat(waves, np.arange(3000.0), times=40))
print("next number, from the first on:", lowest() - first)

with tempfile.TemporaryDirectory() as folder:
    os.closerange(first, first + 50)
    own = [os.open(folder, os.O_RDONLY) for _ in range(20)]
    show("with functions that are new", repeat(lambda x: waves(x) - np.cos(x) / 3.0, np.arange(500.0), times=40))
    time.sleep(0.2)
    print("files in a folder of the program:", sorted(os.listdir(folder)), own[0] - first)
    for file in own:
        os.close(file)

print("last:", lowest() - first)
