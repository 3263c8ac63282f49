"""CPython checks what special methods return, and chooses which of two operands it asks."""
import numpy as np


def show(function, *args):
    for _ in range(3):
        try:
            print(function.__name__, function(*args))
        except Exception as error:
            print(function.__name__, type(error).__name__, error)


class Truth:
    def __init__(self, answer):
        self.answer = answer

    def __bool__(self):
        return self.answer


class Length:
    def __init__(self, answer):
        self.answer = answer

    def __len__(self):
        return self.answer


class Iterable:
    def __init__(self, answer):
        self.answer = answer

    def __iter__(self):
        return self.answer


class Blocked:
    __bool__ = __len__ = __iter__ = __contains__ = __add__ = __eq__ = None


class Amount:
    asked = []

    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        self.asked.append("add")
        return NotImplemented

    def __radd__(self, other):
        self.asked.append("radd")
        return self.value

    def __iadd__(self, other):
        self.asked.append("iadd")
        return NotImplemented


class Larger(Amount):
    pass


def truth(x, answer):
    return x + 1, "yes" if Truth(answer) else "no"


def length(x, answer):
    return x + 1, len(Length(answer)), type(len(Length(answer))).__name__


def truth_of_length(x, answer):
    return x + 1, bool(Length(answer))


def items(x, answer):
    return x + 1, list(Iterable(answer))


def loop(x, answer):
    for item in Iterable(answer):
        x = x + item
    return x


def blocked_truth(x):
    return x + 1, bool(Blocked())


def blocked_items(x):
    return x + 1, [item for item in Blocked()]


def blocked_member(x):
    return x + 1, 1 in Blocked()


def blocked_sum(x):
    return x + 1, Blocked() + Amount(5)


def blocked_equal(x):
    return x + 1, Blocked() == 1


def added(x, a, b):
    return x * 2, a + b


def added_in_place(x, a, b):
    a += b
    return x * 2, a


def asks_itself(x):
    def steps():
        yield next(source, "nothing")

    source = steps()
    return x + 1, next(source)


x = np.arange(3)
for answer in (True, False, 1, 0, None, np.True_, x, "yes"):
    show(truth, x, answer)
for answer in (3, 0, True, False, -1, 2.0, 1 << 70, np.int64(3), None, "3"):
    show(length, x, answer)
    show(truth_of_length, x, answer)
for answer in ([1, 2], (1, 2), iter([3, 4]), 5, None, range(2), {1: 2}, Length(1), x):
    show(items, x, answer)
    show(loop, x, answer)
for function in (blocked_truth, blocked_items, blocked_member, blocked_sum, blocked_equal, asks_itself):
    show(function, x)
for a, b in ((Amount(1), Amount(2)), (Amount(1), Larger(2)), (Larger(1), Amount(2)), (Larger(1), Larger(2)), (1, Amount(2)), (Amount(1), 2)):
    show(added, x, a, b)
    show(added_in_place, x, a, b)
print(Amount.asked)


# --- Copies of tuples that are no copies. ---------------------------------------------------------------------

def whole(t, empty):
    return [t + () is t, () + t is t, t[:] is t, t[0:] is t, t[::1] is t, tuple(t) is t, t * 1 is t, t[:1] is t, t[::2] is t, t * 0 is empty, t[5:] is empty]


def made_inside(x):
    t = (x, x.sum())
    return [t + () is t, t[:] is t, tuple(t) is t, 1 * t is t, t + t is t, t[:0] is t[2:]], [x, 1][:] is t


for t in ((x, 1), (x,), (1, "two"), ()):
    show(whole, t, ())
show(made_inside, x)
