"""Generators: chained, delegating, and a recursive walk over a tree."""


def numbers(n):
    for i in range(n):
        yield i


def squares(values):
    for value in values:
        yield value * value


def both(n):
    yield from squares(numbers(n))
    yield from (x + 1 for x in numbers(n))


def tree(depth):
    return (tree(depth - 1), depth, tree(depth - 1)) if depth else None


def walk(node):
    if node is not None:
        yield from walk(node[0])
        yield node[1]
        yield from walk(node[2])


print(sum(both(1500000)), sum(walk(tree(15))))
