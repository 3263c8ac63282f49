"""Recursion: Fibonacci numbers, Ackermann's function, the towers of Hanoi."""
import sys


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def hanoi(n, source, target, spare, moves):
    if n:
        hanoi(n - 1, source, spare, target, moves)
        moves[target] += 1
        hanoi(n - 1, spare, target, source, moves)


sys.setrecursionlimit(5000)
moves = [0, 0, 0]
hanoi(18, 0, 2, 1, moves)
print(fib(31), ackermann(2, 500), moves)
