import numpy as np
def main():
    n = 600
    u = np.zeros((n, n)); u[n//2, n//2] = 1000.0
    for i in range(200):
        lap = u[:-2,1:-1] + u[2:,1:-1] + u[1:-1,:-2] + u[1:-1,2:] - 4*u[1:-1,1:-1]
        u[1:-1,1:-1] += 0.1*lap
    print(u.sum(), u.max())
main()
