import numpy as np
def fib(n): return n if n < 2 else fib(n-1)+fib(n-2)
def main():
    a = np.arange(10)
    print(fib(24), a.sum())
    s = 0
    for i in range(300000): s += i*i % 7
    print(s)
main()
