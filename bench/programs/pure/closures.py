"""Closures, decorators, partial applications, nonlocal counters, lambdas in map and filter."""
import functools


def counter(start):
    count = start

    def step(by=1):
        nonlocal count
        count += by
        return count

    return step


def traced(function):
    calls = 0

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        nonlocal calls
        calls += 1
        wrapper.calls = calls
        return function(*args, **kwargs)

    return wrapper


def compose(*functions):
    return functools.reduce(lambda f, g: lambda x: g(f(x)), functions)


@traced
def scale(x, by=2):
    return x * by


step = counter(5)
chain = compose(lambda x: x + 1, lambda x: x * 3, functools.partial(scale, by=5), lambda x: x % 1009)
total = 0
for i in range(220000):
    total += chain(i) + step(i & 3)
total += sum(map(lambda x: x ^ 5, filter(lambda x: x % 3, range(600000))))
print(total, step(), scale.calls)
