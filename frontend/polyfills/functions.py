"""What the standard library's C functions do, in Python, to be traced in their place (polyfills.def).

Each function does what the C function does: the same calls, comparisons and errors in the same order. What
an argument may be that the C function treats in another way is left to it by `leave()`, which ends the
trace before the call. Names are looked up here and in nothing that a program can change. A generator
stands for an iterator: it is never seen itself, but its frame must not be left inside a `try`.
"""


# --- What has no code of its own and is traced by itself (capture/make_graph.cc). ------------------------------

def call(function, /, *args, **kwargs):
    return function(*args, **kwargs)


# --- heapq: as Modules/_heapqmodule.c, which swaps, so that a comparison sees all items. ------------------

def _sift_down(heap, start, at):
    size = len(heap)
    while at > start:
        parent = (at - 1) >> 1
        is_less = True if heap[at] < heap[parent] else False
        if len(heap) != size:
            return leave()
        if not is_less:
            return
        heap[parent], heap[at] = heap[at], heap[parent]
        at = parent


def _sift_up(heap, at):
    end, start = len(heap), at
    while at < end >> 1:
        child = 2 * at + 1
        if child + 1 < end:
            is_less = True if heap[child] < heap[child + 1] else False
            if len(heap) != end:
                return leave()
            if not is_less:
                child += 1
        heap[child], heap[at] = heap[at], heap[child]
        at = child
    _sift_down(heap, start, at)


def _replace_least(heap, item):
    least = heap[0]
    heap[0] = item
    _sift_up(heap, 0)
    return least


def heappush(heap, item, /):
    if type(heap) is not list:
        return leave()
    heap.append(item)
    _sift_down(heap, 0, len(heap) - 1)


def heappop(heap, /):
    if type(heap) is not list:
        return leave()
    if not heap:
        raise IndexError("index out of range")
    last = heap.pop()
    if not heap:
        return last
    return _replace_least(heap, last)


def heapreplace(heap, item, /):
    if type(heap) is not list:
        return leave()
    if not heap:
        raise IndexError("index out of range")
    return _replace_least(heap, item)


def heappushpop(heap, item, /):
    if type(heap) is not list:
        return leave()
    if not heap or not heap[0] < item:
        return item
    return _replace_least(heap, item)


def heapify(heap, /):
    if type(heap) is not list or len(heap) > 100:
        return leave()  # of a long one the C function goes another way round
    for at in reversed(range(len(heap) // 2)):
        _sift_up(heap, at)


# --- bisect ------------------------------------------------------------------------------------------------

def bisect_right(a, x, lo=0, hi=None, *, key=None):
    if type(lo) is not int or lo < 0 or (hi is not None and (type(hi) is not int or hi < 0)):
        return leave()
    if hi is None:
        hi = len(a)
    while lo < hi:
        middle = (lo + hi) // 2
        if x < (a[middle] if key is None else key(a[middle])):
            hi = middle
        else:
            lo = middle + 1
    return lo


def bisect_left(a, x, lo=0, hi=None, *, key=None):
    if type(lo) is not int or lo < 0 or (hi is not None and (type(hi) is not int or hi < 0)):
        return leave()
    if hi is None:
        hi = len(a)
    while lo < hi:
        middle = (lo + hi) // 2
        if (a[middle] if key is None else key(a[middle])) < x:
            lo = middle + 1
        else:
            hi = middle
    return lo


def insort_right(a, x, lo=0, hi=None, *, key=None):
    if type(a) is not list:
        return leave()
    a.insert(bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


def insort_left(a, x, lo=0, hi=None, *, key=None):
    if type(a) is not list:
        return leave()
    a.insert(bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)


# --- contextlib: a Python function there (library.def). ------------------------------------------------------

def leave_stack(stack, kind, exception, traceback, /):
    """ExitStack.__exit__, where no exception leaves the block and none comes of the exits."""
    if kind is not None:
        return leave()
    while stack._exit_callbacks:
        is_sync, exit = stack._exit_callbacks.pop()
        assert is_sync
        try:
            exit(None, None, None)
        except:
            leave()
    return False


# --- itertools ---------------------------------------------------------------------------------------------

def from_iterable(iterables, /):
    return _chain(iter(iterables))


def _chain(iterables):
    for iterable in iterables:
        for item in iterable:
            yield item


def pairwise(iterable, /):
    return _pairs(iter(iterable))


def _pairs(iterator):
    for first in iterator:
        break
    else:
        return
    for second in iterator:
        yield first, second
        first = second


def takewhile(predicate, iterable, /):
    return _take(predicate, iter(iterable))


def _take(predicate, iterator):
    for item in iterator:
        if not predicate(item):
            return
        yield item


def dropwhile(predicate, iterable, /):
    return _drop(predicate, iter(iterable))


def _drop(predicate, iterator):
    for item in iterator:
        if not predicate(item):
            yield item
            break
    else:
        return
    for item in iterator:
        yield item


def filterfalse(function, iterable, /):
    return _reject(function, iter(iterable))


def _reject(function, iterator):
    for item in iterator:
        if not (item if function is None else function(item)):
            yield item


def compress(data, selectors):
    return _pick(iter(data), iter(selectors))


def _pick(data, selectors):
    for item, selector in zip(data, selectors):
        if selector:
            yield item


def cycle(iterable, /):
    return _again_and_again(iter(iterable))


def _again_and_again(iterator):
    saved = []
    for item in iterator:
        saved.append(item)
        yield item
    while saved:
        for at in range(len(saved)):
            yield saved[at]


def permutations(iterable, r=None):
    pool = tuple(iterable)
    size = len(pool) if r is None else r
    if type(size) is not int or size < 0:
        return leave()
    return _permutations(pool, size)


def _permutations(pool, size):
    count = len(pool)
    if size > count:
        return
    places = list(range(count))
    cycles = list(range(count, count - size, -1))
    yield tuple([pool[i] for i in places[:size]])
    while count:
        for i in reversed(range(size)):
            cycles[i] -= 1
            if cycles[i] == 0:
                moved = places[i]
                for k in range(i, count - 1):
                    places[k] = places[k + 1]
                places[count - 1] = moved
                cycles[i] = count - i
            else:
                j = count - cycles[i]
                places[i], places[j] = places[j], places[i]
                yield tuple([pool[k] for k in places[:size]])
                break
        else:
            return


def combinations_with_replacement(iterable, r):
    pool = tuple(iterable)
    if type(r) is not int or r < 0:
        return leave()
    return _with_replacement(pool, r)


def _with_replacement(pool, size):
    count = len(pool)
    if not count and size:
        return
    places = [0] * size
    yield tuple([pool[k] for k in places])
    while True:
        for i in reversed(range(size)):
            if places[i] != count - 1:
                break
        else:
            return
        place = places[i] + 1
        for k in range(i, size):
            places[k] = place
        yield tuple([pool[k] for k in places])


def groupby(iterable, key=None):
    return _groups(iter(iterable), key)


def _groups(iterator, key):
    """A group that is not read to its end is skipped when the next one is asked for, and then empty."""
    for item in iterator:
        break
    else:
        return
    value = item if key is None else key(item)
    number, more = 0, True

    def group(of, mine):
        nonlocal item, value, more
        while more and number == mine and (of,) == (value,):
            yield item
            for item in iterator:
                value = item if key is None else key(item)
                break
            else:
                more = False

    while more:
        number += 1
        current = value
        yield current, group(current, number)
        while more and (current,) == (value,):
            for item in iterator:
                value = item if key is None else key(item)
                break
            else:
                more = False


# --- operator ----------------------------------------------------------------------------------------------

def lt(a, b, /):
    return a < b


def le(a, b, /):
    return a <= b


def eq(a, b, /):
    return a == b


def ne(a, b, /):
    return a != b


def ge(a, b, /):
    return a >= b


def gt(a, b, /):
    return a > b


def and_(a, b, /):
    return a & b


def or_(a, b, /):
    return a | b


def xor(a, b, /):
    return a ^ b


def lshift(a, b, /):
    return a << b


def rshift(a, b, /):
    return a >> b


def invert(a, /):
    return ~a


def pos(a, /):
    return +a


def abs_(a, /):
    return abs(a)


def not_(a, /):
    return not a


def truth(a, /):
    return True if a else False


def is_(a, b, /):
    return a is b


def is_not(a, b, /):
    return a is not b


def contains(a, b, /):
    return b in a


def setitem(a, b, c, /):
    a[b] = c


def delitem(a, b, /):
    del a[b]


def iadd(a, b, /):
    a += b
    return a


def isub(a, b, /):
    a -= b
    return a


def imul(a, b, /):
    a *= b
    return a


def itruediv(a, b, /):
    a /= b
    return a


def ifloordiv(a, b, /):
    a //= b
    return a


def imod(a, b, /):
    a %= b
    return a


def ipow(a, b, /):
    a **= b
    return a


def iand(a, b, /):
    a &= b
    return a


def ior(a, b, /):
    a |= b
    return a


def ixor(a, b, /):
    a ^= b
    return a


# --- Calls of what operator.itemgetter and the like have made: first its arguments, as a tuple. ------------

def call_itemgetter(items, value, /):
    if len(items) == 1:
        return value[items[0]]
    return tuple([value[item] for item in items])


def _attribute(value, name):
    for part in name.split("."):
        value = getattr(value, part)
    return value


def call_attrgetter(names, value, /):
    if len(names) == 1:
        return _attribute(value, names[0])
    return tuple([_attribute(value, name) for name in names])


# --- dict ----------------------------------------------------------------------------------------------------

def fromkeys(iterable, value=None, /):
    if type(iterable) in (dict, set, frozenset):
        return leave()  # whose keys are copied as they lie
    made = {}
    for key in iterable:
        made[key] = value
    return made


# --- copy: first what copy.deepcopy goes by (copies.h), a tuple. ------------------------------------------------

_NUMPY_TYPES = ("ndarray", "bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                "float16", "float32", "float64", "complex64", "complex128")


def deepcopy(parts, x, /):
    return _deep_copy(parts, [], x)


# `atomic`: the copier of what is its own copy, or from CPython 3.14 on the set of its classes.
def _is_atomic(parts, cls):
    dispatch, atomic = parts[:2]
    return cls in atomic if type(atomic) is set else dispatch.get(cls) is atomic


def _deep_copy(parts, copies, x):
    dispatch, _, of_list, of_tuple, of_dict = parts
    cls = type(x)
    if _is_atomic(parts, cls):
        return x
    copier = dispatch.get(cls)
    if copier is of_tuple:
        return _deep_copy_tuple(parts, copies, x)
    for original, copy in copies:
        if original is x:
            return copy
    if copier is of_list:
        copy = []
        copies.append((x, copy))
        for item in x:
            copy.append(_deep_copy(parts, copies, item))
    elif copier is of_dict:
        copy = {}
        copies.append((x, copy))
        for key, value in x.items():
            value = _deep_copy(parts, copies, value)
            copy[_deep_copy(parts, copies, key)] = value
    elif copier is None and cls.__module__ == "numpy" and cls.__name__ in _NUMPY_TYPES:
        copy = x.astype(x.dtype)  # in the memory order that x has, as __deepcopy__ makes it
        copies.append((x, copy))
    else:
        copy = leave()
    return copy


def array_copy(x, /):
    cls = type(x)
    if cls.__module__ != "numpy" or cls.__name__ not in _NUMPY_TYPES:
        return leave()  # of a subclass
    return x.astype(x.dtype)


def _deep_copy_tuple(parts, copies, x):
    items, is_same = [], True
    for item in x:
        if not _is_atomic(parts, type(item)):
            copy = _deep_copy(parts, copies, item)
            is_same = is_same and copy is item
            item = copy
        items.append(item)
    if is_same:
        return x
    for original, copy in copies:
        if original is x:
            return copy  # it had been copied, or is in a list that is in it
    copy = tuple(items)
    copies.append((x, copy))
    return copy
