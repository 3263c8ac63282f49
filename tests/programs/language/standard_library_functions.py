"""heapq, bisect, itertools, operator and functools work around arrays: what they give, and when they ask.

Each is called with a mix of constants, arrays and numbers that change, with calls that are seen, and with
arguments that it refuses.
"""
import bisect
import functools
import heapq
import itertools
import operator

import numpy as np

from show import show

a = np.arange(4.0)


def attempt(name, function, *args, times=5):
    for k in range(times):
        try:
            show(name, function(a + k, *args))
        except Exception as error:
            print(name, type(error).__name__, error)


class Counted:
    """An item that says what it is compared with."""
    log = []

    def __init__(self, n):
        self.n = n

    def __lt__(self, other):
        Counted.log.append((self.n, other.n))
        return self.n < other.n

    def __repr__(self):
        return f"Counted({self.n})"


# heapq.
HEAP = [1, 5, 7]


def push_and_pop(x):
    heap = []
    for k in (3, 1, 2, 1):
        heapq.heappush(heap, (k, len(heap), x * k))
    first = heapq.heappop(heap)
    second = heapq.heapreplace(heap, (9, 9, x))
    third = heapq.heappushpop(heap, (0, 0, x))
    return first[2] + second[2] + third[2], [item[:2] for item in heap]


def existing(x):
    heapq.heappush(HEAP, 3)
    return x * heapq.heappop(HEAP), list(HEAP)


def heaps(x):
    heap = [5, 3, 8, 1, 9, 2]
    heapq.heapify(heap)
    return x * heap[0], heap, heapq.nsmallest(2, heap), heapq.nlargest(2, heap), list(heapq.merge([1, 4], [2, 3]))


def compared(x):
    Counted.log.clear()
    heap = [Counted(n) for n in (4, 2, 7, 1, 3)]
    heapq.heapify(heap)
    heapq.heappush(heap, Counted(0))
    heapq.heappop(heap)
    heapq.heappushpop(heap, Counted(5))
    return x * 2.0, repr(heap), list(Counted.log)


for f in (push_and_pop, existing, heaps, compared):
    attempt(f.__name__, f)
attempt("empty", lambda x: (x * 2.0, heapq.heappop([])))
attempt("empty replace", lambda x: (x * 2.0, heapq.heapreplace([], 1)))
attempt("no heap", lambda x: (x * 2.0, heapq.heappush((1,), 1)))


def caught(x):
    try:
        heapq.heappop([])
    except IndexError as error:
        return x * 2.0, str(error)


attempt("caught", caught)


# An event queue whose times change from call to call.
def events(x, start):
    queue = [(start, 0), (start + 2.0, 1), (start - 1.0, 2)]
    heapq.heapify(queue)
    order = []
    while queue:
        time, what = heapq.heappop(queue)
        order.append(what)
        if what == 1:
            heapq.heappush(queue, (time - 0.5, 3))
    return x * order[0], order


for k in range(6):
    show("events", events(a, 0.25 * k))

# bisect.
KNOTS = [0.0, 0.5, 1.0, 2.0]


def place(x, t):
    k = bisect.bisect(KNOTS, t)
    return x * k, bisect.bisect_left(KNOTS, t), bisect.bisect_right(KNOTS, t, 1), bisect.bisect_left(KNOTS, t, 0, 2)


for t in (0.5, 0.7, 3.0, -1.0, 0.5, 1.0, 2.0, 0.25):
    show("place", place(a, t))


def inserted(x):
    items = [1, 3]
    bisect.insort(items, 2)
    bisect.insort_left(items, 2.0)
    by_key = bisect.bisect([(1, "a"), (3, "b")], 2, key=lambda p: p[0])
    return x * by_key, items, bisect.bisect_left(np.array([1.0, 2.0]), 1.5)


attempt("inserted", inserted)
attempt("negative", lambda x: (x * 2.0, bisect.bisect([1], 1, -1)))
attempt("hi -1", lambda x: (x * 2.0, bisect.bisect([1, 2], 1, 0, -1)))


# itertools: values, and the order in which functions are called.
def chained(x):
    return sum(itertools.chain.from_iterable([[x, x * 2.0], (x,)])), list(itertools.chain.from_iterable(["ab", "c"]))


def paired(x):
    return sum(p * q for p, q in itertools.pairwise([x, x + 1.0, x * 2.0])), list(itertools.pairwise("a"))


def grouped(x):
    said = []

    def key(pair):
        said.append(pair[0])
        return pair[0]
    totals = [(k, sum(v for _, v in group)) for k, group in itertools.groupby([(1, x), (1, x), (2, x * 3.0)], key)]
    skipped = [k for k, _ in itertools.groupby("aabbbc")]
    partly = []
    for k, group in itertools.groupby([1, 1, 1, 2, 2, 3]):
        partly.append((k, next(group), next(group, None)))
    late = [list(group) for group in [g for _, g in itertools.groupby("aab")]]
    return totals, said, skipped, partly, late


def picked(x):
    said = []

    def small(n):
        said.append(n)
        return n < 3
    taken = list(itertools.takewhile(small, [1, 2, 3, 1]))
    dropped = list(itertools.dropwhile(small, [1, 3, 2, 4]))
    rejected = list(itertools.filterfalse(small, [1, 3, 5]))
    return x * sum(taken), taken, dropped, rejected, said, list(itertools.filterfalse(None, [0, 1, ""])), list(
        itertools.compress([x, x * 2.0, 3], [1, 0, 1])), list(itertools.compress("abc", [1]))


def shared(x):
    items = iter([1, 2, 3, 4, 5])
    before = list(itertools.takewhile(lambda n: n < 3, items))
    return x * next(items), before, list(items)


def arranged(x):
    cycle = itertools.cycle([x, x * 2.0, x + 1.0])
    first = [next(cycle) for _ in range(7)]
    return first, list(itertools.permutations([1, 2, 3], 2)), list(itertools.permutations("abc")), list(
        itertools.permutations([1], 2)), list(itertools.combinations_with_replacement("ab", 2)), list(
        itertools.product((0, 1), repeat=2)), [x * i + j for i, j in itertools.product((1, 2), (3,), repeat=1)], list(
        itertools.product(repeat=3)), list(itertools.permutations([], 0)), list(itertools.islice(itertools.cycle([]), 3))


def until(x):
    items = [1, 2, 0, 3]
    return x * sum(iter(lambda: items.pop(0), 0)), items


for f in (chained, paired, grouped, picked, shared, arranged, until):
    attempt(f.__name__, f)
attempt("no iterable", lambda x: (x * 2.0, itertools.pairwise(3)))
attempt("negative r", lambda x: (x * 2.0, itertools.permutations([1], -1)))
attempt("type", lambda x: (x * 2.0, type(itertools.cycle([1])).__name__))


# Iterators that outlive the call.
def kept(x):
    pairs = itertools.pairwise([x, x * 2.0, x + 1.0])
    return next(pairs)[0], pairs


for k in range(4):
    first, rest = kept(a + k)
    print(first.tolist(), type(rest).__name__, [(p.tolist(), q.tolist()) for p, q in rest])


# operator.
def operated(x):
    table, numbers = {"k": x}, [1, 2]
    operator.setitem(table, "m", x * 2.0)
    operator.delitem(table, "k")
    y = x.copy()
    z = operator.iadd(y, 1.0)
    operator.imul(y, 2.0), operator.isub(y, 3.0), operator.itruediv(y, 2.0)
    operator.iadd(numbers, [3])
    return (table, numbers, z is y, y, operator.lt(x, 2.0), operator.ge(x, 2.0), operator.eq(1, 1.0), operator.ne(1, 2),
            operator.le(1, 1), operator.gt(2, 1), operator.and_(x > 1, x < 3), operator.or_(6, 1), operator.xor(5, 1),
            operator.lshift(1, 3), operator.rshift(8, 1), operator.invert(5), operator.pos(-x), operator.abs(x - 2.0),
            operator.not_(0), operator.truth([1]), operator.is_(x, x), operator.is_not(x, None), operator.contains([1], 1))


BY_SECOND = operator.itemgetter(1)
ROW = operator.itemgetter(0, 2)


class Point:
    def __init__(self, x):
        self.x = x
        self.inner = self


def got(x):
    rows = sorted([(2, 1), (1, 3), (3, 2)], key=BY_SECOND)
    name = operator.attrgetter("inner.x")
    both = operator.attrgetter("x", "inner.inner.x")(Point(x * 2.0))
    best = max([(1, x), (3, x * 2.0)], key=operator.itemgetter(0))[1]
    total = operator.methodcaller("sum", axis=0)(x) + operator.methodcaller("max")(x)
    return rows, name(Point(x + 1.0)), both, best, ROW([x, 1, 2]), BY_SECOND("abc"), total, repr(
        operator.itemgetter(3)), operator.itemgetter("k")({"k": x})


attempt("operated", operated)
attempt("got", got)
attempt("no item", lambda x: (x * 2.0, BY_SECOND([1])))
attempt("no attribute", lambda x: operator.attrgetter("y.z")(Point(x)))


def kept_getters(x):
    return x * 2.0, operator.itemgetter(1, 2), operator.attrgetter("a.b"), operator.methodcaller("f", 1, k=2)


for k in range(4):
    print([repr(item) for item in kept_getters(a + k)[1:]])


# functools.partial.
def scaled(x, factor, shift=0.0, *, power=1):
    return (x * factor + shift) ** power


def partials(x):
    twice = functools.partial(scaled, factor=2.0)
    more = functools.partial(twice, shift=1.0)
    by_ufunc = functools.partial(np.multiply, 3.0)
    return twice(x), more(x, power=2), by_ufunc(x), more(x, shift=5.0), isinstance(more, functools.partial), list(
        map(functools.partial(scaled, x), (1.0, 2.0)))


def kept_partial(x):
    inner = functools.partial(scaled, x * 2.0)
    return functools.partial(inner, 3.0, power=2)


attempt("partials", partials)
for k in range(4):
    made = kept_partial(a + k)
    print(made.func is scaled, [arg.tolist() if isinstance(arg, np.ndarray) else arg for arg in made.args],
          made.keywords, made().tolist())
attempt("no callable", lambda x: (x * 2.0, functools.partial(3)))
attempt("dict.fromkeys", lambda x: (x * 2.0, dict.fromkeys(["p", "q"], 1), dict.fromkeys("ab")))


# What a program puts in their place is what is called.
def replaced(x):
    return x * operator.lt(1, 2), list(itertools.pairwise([1, 2, 3]))


attempt("replaced", replaced)
itertools.pairwise, genuine = (lambda items: ["mine"]), itertools.pairwise
attempt("replaced", replaced)
itertools.pairwise = genuine
operator.lt = lambda p, q: 7
attempt("replaced", replaced)
