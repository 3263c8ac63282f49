"""Pancake flips over all permutations (the fannkuch benchmark)."""


def fannkuch(n):
    count, most, checksum, sign = list(range(1, n + 1)), 0, 0, 1
    permutation, first, r = list(range(n)), list(range(n)), n
    while True:
        while r != 1:
            count[r - 1] = r
            r -= 1
        permutation = first[:]
        flips = 0
        k = permutation[0]
        while k:
            permutation[:k + 1] = reversed(permutation[:k + 1])
            flips += 1
            k = permutation[0]
        most = max(most, flips)
        checksum += sign * flips
        sign = -sign
        while True:
            if r == n:
                return checksum, most
            first.insert(r, first.pop(0))
            count[r] -= 1
            if count[r] > 0:
                break
            r += 1


print(fannkuch(9))
