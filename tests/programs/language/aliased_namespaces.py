"""A dict is also an object's attributes or the globals; containers find NaNs by identity; lists are sorted."""
import itertools
import sys

import numpy as np

from changes import watch

a = np.arange(4.0)
nan, other_nan = float("nan"), float("nan")


class Thing:
    pass


thing = Thing()
thing.x = 1
its_dict = thing.__dict__


def attribute_then_entry():
    thing.x = 10
    seen = its_dict["x"]
    thing.x = 1
    return a + 1, seen


def entry_then_attribute():
    its_dict["x"] = 10
    seen = thing.x
    its_dict["x"] = 1
    return a + 1, seen


watch("attribute, entry", attribute_then_entry)
watch("entry, attribute", entry_then_attribute)

later = Thing()
later.x = 5
free_dict = {"x": 0}


def becomes_the_dict():
    free_dict["x"] = 10
    return a + 1, later.x


watch("becomes the dict", becomes_the_dict, lambda: setattr(later, "__dict__", free_dict))


class Shared:
    """All instances have one dict."""
    state = {}

    def __init__(self):
        self.__dict__ = self.state


one, two = Shared(), Shared()
two.x = 0


def shared_state():
    one.x = 10
    seen = two.x
    two.x = 1
    return a + 1, seen, one.x


watch("shared state", shared_state)

counter = 1
namespace = globals()
module = sys.modules["__main__"]


def global_then_entry():
    global counter
    counter = 10
    seen = namespace["counter"]
    counter = 1
    return a + 1, seen


def entry_then_global():
    namespace["counter"] = 10
    seen = counter
    namespace["counter"] = 1
    return a + 1, seen


def global_then_module():
    global counter
    counter = 4
    seen = module.counter
    module.counter = 1
    return a + 1, seen, counter


watch("global, entry", global_then_entry)
watch("entry, global", entry_then_global)
watch("global, module", global_then_module)

current = {"counter": 0}


def writes_into_current():
    current["counter"] = 7
    return a + 1, counter


def take_namespace():
    global current
    current = globals()


watch("becomes the globals", writes_into_current, take_namespace)

# A container finds a NaN only if it is the very object.
holds = [nan, 1.0]
keyed = {nan: 1}
value = 1.0


def finds():
    return (a + 1, nan in holds, other_nan in holds, nan in (nan, 2), [nan] == [nan],
            (nan, 1) == (other_nan, 1), holds.index(nan), nan == nan, holds.count(nan))


def finds_value():
    return a + 1, value in holds, (value,) == (nan,), [value] != [nan], keyed.get(value), value in keyed


def take(x):
    def change():
        global value
        value = x
    return change


watch("finds", finds)
watch("finds a value", finds_value, take(2.0), take(3.0), take(nan), take(other_nan), take(np.nan),
      take(4.0))


# Sorts compare as CPython does: what is not in order, and what counts, shows it.
class Counted:
    comparisons = 0

    def __init__(self, v):
        self.v = v

    def __lt__(self, other):
        Counted.comparisons += 1
        return self.v < other.v


ORDERS = list(itertools.permutations(range(4)))[::5]


def sorts_what_has_no_order():
    return (a + 1, sorted([3.0, nan, 1.0, 2.0, nan, 0.5]), sorted([3.0, nan, 1.0, 2.0], reverse=True),
            sorted([5, 1, 4, 2], key=lambda v: -v), max([nan, 1.0, 2.0]), min(1.0, nan),
            sorted([(1, nan), (1, 2.0), (0, nan)]), sorted(["b", "a"], key=None))


def counts_comparisons(order):
    Counted.comparisons = 0
    things = [Counted(v) for v in order]
    things.sort()
    again = sorted(things, reverse=True)
    return a + 1, [x.v for x in things], [x.v for x in again], Counted.comparisons


watch("no order", sorts_what_has_no_order)
for order in ORDERS:
    watch("comparisons", lambda: counts_comparisons(order))

long_list = [(k * 37) % 101 for k in range(90)]


def sorts_in_place():
    items = list(long_list)
    items.sort(key=lambda v: v % 10, reverse=True)
    seen = []
    items.sort(key=lambda v: (seen.append(len(items)), v)[1])
    return a + 1, items[:12], seen[:3]


watch("in place", sorts_in_place)


# Slices of iterators take what CPython's take.
def slices():
    steps = itertools.count()
    first = list(itertools.islice(steps, 1, 3, 50))
    then = next(steps)
    nothing = list(itertools.islice(steps, 3, 3))
    return a + 1, first, then, nothing, next(steps), list(itertools.islice(steps, 1, 10, sys.maxsize))


watch("slices", slices)
