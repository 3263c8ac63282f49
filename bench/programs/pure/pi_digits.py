"""Digits of pi one by one, in long integers (Gibbons' spigot)."""


def digits():
    q, r, t, k, n, odd = 1, 0, 1, 1, 3, 3
    while True:
        if 4 * q + r - t < n * t:
            yield n
            q, r, n = 10 * q, 10 * (r - n * t), 10 * (3 * q + r) // t - 10 * n
        else:
            q, r, t, k, n, odd = (q * k, (2 * q + r) * odd, t * odd, k + 1,
                                  (q * (7 * k + 2) + r * odd) // (t * odd), odd + 2)


def main(count):
    source = digits()
    text = "".join(str(next(source)) for _ in range(count))
    print(text[:20], text[-20:])


main(2700)
