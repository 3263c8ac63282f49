"""Exceptions: raised through frames, chained, with else and finally, as loop control."""


class Refused(ValueError):
    def __init__(self, value):
        super().__init__(f"refused {value}")
        self.value = value


def check(value):
    if value % 5 == 0:
        raise Refused(value)
    return value


def careful(value, log):
    try:
        result = check(value)
    except Refused as error:
        log[0] += 1
        if value % 25 == 0:
            raise LookupError(value) from error
        result = -error.value
    else:
        log[1] += 1
    finally:
        log[2] += 1
    return result


def main(n):
    log, total, lookups = [0, 0, 0], 0, 0
    table = {i: i for i in range(0, 1000, 2)}
    for i in range(n):
        try:
            total += careful(i, log)
        except LookupError as error:
            total += error.__cause__.value
        try:
            total += table[i % 1000]
        except KeyError:
            lookups += 1
    print(log, total, lookups)


main(900000)
