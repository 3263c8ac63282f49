"""Many small functions that call each other, by position, by keyword and with defaults."""


def add(a, b):
    return a + b


def scaled(a, factor=3):
    return add(a * factor, 1)


def chosen(*, low, high, first):
    return low if first else high


def many(n):
    total = 0
    for i in range(n):
        total = add(total, scaled(i)) % 1000003
        total += chosen(low=i, high=-i, first=i & 1)
    return total


print(many(900000))
