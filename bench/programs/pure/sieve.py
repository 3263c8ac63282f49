"""Numbers in lists and bytearrays: primes, perfect numbers, greatest common divisors."""


def primes(limit):
    flags = bytearray([1]) * (limit + 1)
    flags[0:2] = b"\0\0"
    for i in range(2, int(limit ** 0.5) + 1):
        if flags[i]:
            flags[i * i::i] = bytes(len(range(i * i, limit + 1, i)))
    return [i for i, flag in enumerate(flags) if flag]


def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def divisor_sums(limit):
    sums = [1] * (limit + 1)
    for i in range(2, limit // 2 + 1):
        for j in range(2 * i, limit + 1, i):
            sums[j] += i
    return sums


found = primes(1500000)
coprime = sum(gcd(a, b) == 1 for a in range(1, 500) for b in range(1, 500))
perfect = [i for i, total in enumerate(divisor_sums(150000)) if i > 1 and i == total]
print(len(found), found[-1], coprime, perfect)
