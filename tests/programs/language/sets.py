"""Array code uses sets: operators, removals, comparisons, and the order that CPython gives them."""
import numpy as np

ALLOWED = {3, 1, 64, 2}
SEEN = {1, 20, 33}
FROZEN = frozenset((8, 16, 1))


def show(function, rounds=3):
    for n in range(rounds):
        print(function.__name__, function(np.arange(3.0) + n))


def operators(a):
    some = {3, 1, 2} | {10, 9}
    both, either, less = some & {1, 9, 77}, some ^ {1, 100}, some - {3}
    return a * len(both), list(some), list(both), list(either), list(less)


def in_place(a):
    some = {5, 1, 2}
    alias = some
    some |= {4, 40}
    some -= {1}
    some &= set(range(8)) | {40}
    some ^= {2, 50}
    return a + len(alias), alias is some, list(some)


def removals(a):
    some = {8, 16, 0, 24, 1}
    some.discard(99)
    some.remove(16)
    try:
        some.remove(1234)
    except KeyError as error:
        missing = error.args
    some.difference_update([0], (1,))
    first = some.pop()
    some.update([32, 40], {48: "x"}, (n for n in (56, 64)))
    second = some.pop()
    copy = some.copy()
    some.clear()
    return a * first, second, missing, list(copy), some


def comparisons(a):
    small, large = {1, 2}, {1, 2, 3}
    answers = [small <= large, small < small, large >= small, small == {2, 1}, small != large,
               small.isdisjoint([5, 6]), small.issubset((1, 2, 9)), large.issuperset({3}), small <= frozenset((1, 2))]
    return a + sum(answers), answers


def queries(a):
    some = {4, 12, 20}
    return (a * 2, list(some.union([28, 36], (44,))), list(some.intersection([12, 4])),
            list(some.difference({12}, [4])), list(some.symmetric_difference((4, 5))),
            sorted(FROZEN | some), type(FROZEN | some).__name__, type(some | FROZEN).__name__,
            list(FROZEN & {8, 9}), FROZEN.union([2]) == {8, 16, 1, 2})


def made_of_others(a):
    table = {40: 1, 8: 2, 16: 3}
    return a + 1, list(set(table)), list(set({24, 8, 0})), list({*table, 5, *(1, 9)}), list(frozenset({40, 8}))


def global_set(a):
    SEEN.add(len(SEEN) + 5)
    SEEN.discard(20)
    return a * len(SEEN), sorted(SEEN), list(SEEN), list(SEEN | {7}), 33 in SEEN, SEEN & ALLOWED


def emptied_and_filled(a):
    """The table of a set remembers what was in it."""
    SEEN.clear()
    SEEN.update(range(5))
    for n in range(3):
        SEEN.remove(n)
    SEEN.add(24)
    SEEN.add(16)
    return a.sum(), list(SEEN), SEEN.pop(), SEEN.pop(), list(SEEN)


def changed_while_iterated(a):
    some = {1, 2, 3}
    try:
        for n in some:
            some.add(n + 10)
    except RuntimeError as error:
        return a * 2, str(error), sorted(some)


def item_by_item(a):
    """An iterable may look at the set that it fills, and fail on its way."""
    some = set()

    def numbers():
        yield 4
        yield len(some) + 10
        raise ValueError("no more")
    try:
        some.update(numbers())
    except ValueError:
        pass
    return a * 3, sorted(some)


class Graph:
    def __init__(self, edges):
        self.edges, self.visited = edges, set()

    def reach(self, node, weights):
        """Depth first: the weights of all nodes that can be reached, added up."""
        self.visited.add(node)
        total = weights[node]
        for other in sorted(self.edges[node] - self.visited):
            if other not in self.visited:
                total = total + self.reach(other, weights)
        return total


def walk(a):
    graph = Graph({0: {1, 2}, 1: {2, 3}, 2: {0}, 3: set(), 4: {0}})
    return graph.reach(0, a.repeat(2)), sorted(graph.visited), sorted(set(graph.edges) - graph.visited)


for each in (operators, in_place, removals, comparisons, queries, made_of_others, global_set, emptied_and_filled,
             global_set, changed_while_iterated, item_by_item, walk):
    show(each)
