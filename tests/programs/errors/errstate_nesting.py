"""np.errstate stands around a whole calculation, in another one, is left by exceptions and entered twice."""
# test: numpy2
import numpy as np


def quotient(x, y):
    with np.errstate(divide="ignore", invalid="ignore"):
        q = x / y
    return np.where(np.isfinite(q), q, 0.0) * 2


def inner_scopes(x):
    with np.errstate(all="ignore"):
        y = np.log(x)
        with np.errstate(over="raise"):
            try:
                y = y + np.exp(np.abs(x) * 1000)
            except FloatingPointError as error:
                y = y + 1
                print(error, np.geterr())
    return y, np.geterr()


def left_by_an_exception(x):
    try:
        with np.errstate(all="raise"):
            y = x + 1
            return y / (x - x)
    except FloatingPointError as error:
        return str(error), np.geterr()["divide"]


def with_a_print_inside(x):
    with np.errstate(under="warn", divide="ignore") as scope:
        y = 1 / x
        print(scope, np.geterr()["under"])
        y = y - 1
    return y


def entered_twice(x):
    scope = np.errstate(divide="ignore")
    with scope:
        y = 1 / x
    try:
        with scope:
            y = y + 1
    except TypeError as error:
        y = y * 3
        print(type(error).__name__ if np.__version__ > "2" else "TypeError")
    else:
        print("TypeError")
        y = (y - 1) * 3
    return y


@np.errstate(divide="ignore")
def decorated(x):
    return 1 / x * 2


def seterr_inside(x):
    with np.errstate(divide="ignore"):
        np.seterr(divide="warn", invalid="ignore")
        y = x + 1
        modes = np.geterr()
    return y, modes, np.geterr()


def scope_in_a_loop(x):
    total = np.zeros_like(x)
    for _ in range(3):
        with np.errstate(invalid="ignore"):
            total = total + np.sqrt(x)
    return np.nan_to_num(total)


x = np.array([0.0, 1.0, 4.0, -9.0])
for k in range(4):
    print(quotient(x + k, x))
    for function in (inner_scopes, left_by_an_exception, with_a_print_inside, entered_twice, decorated, seterr_inside,
                     scope_in_a_loop):
        print(function.__name__, function(x))
print(np.geterr())
