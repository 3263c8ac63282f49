"""Textbook solvers on small arrays: many functions, each called a few times, none hot for long.

A program that compiling cannot help: what it shows is what looking at it costs.
"""
import numpy as np


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def rosenbrock_gradient(x):
    gradient = np.zeros_like(x)
    gradient[:-1] = -400.0 * x[:-1] * (x[1:] - x[:-1] ** 2) - 2.0 * (1.0 - x[:-1])
    gradient[1:] += 200.0 * (x[1:] - x[:-1] ** 2)
    return gradient


def central_difference(f, x, step=1e-6):
    return np.array([(f(x + step * e) - f(x - step * e)) / (2.0 * step) for e in np.eye(len(x))])


def gradient_descent(f, gradient, x, rounds):
    for _ in range(rounds):
        direction, length = -gradient(x), 1.0
        while f(x + length * direction) > f(x) + 1e-4 * length * gradient(x) @ direction:
            length *= 0.5
        x = x + length * direction
    return x


def bfgs(f, gradient, x, rounds):
    inverse = np.eye(len(x))
    for _ in range(rounds):
        g = gradient(x)
        direction, length = -inverse @ g, 1.0
        while f(x + length * direction) > f(x) + 1e-4 * length * g @ direction and length > 1e-10:
            length *= 0.5
        step = length * direction
        change = gradient(x + step) - g
        x = x + step
        curvature = step @ change
        if curvature > 1e-12:
            left = np.eye(len(x)) - np.outer(step, change) / curvature
            inverse = left @ inverse @ left.T + np.outer(step, step) / curvature
    return x


def nelder_mead(f, x, rounds):
    simplex = np.vstack([x, x + 0.5 * np.eye(len(x))])
    values = np.array([f(p) for p in simplex])
    for _ in range(rounds):
        order = np.argsort(values)
        simplex, values = simplex[order], values[order]
        centre = simplex[:-1].mean(axis=0)
        reflected = 2.0 * centre - simplex[-1]
        if f(reflected) < values[0]:
            expanded = 3.0 * centre - 2.0 * simplex[-1]
            simplex[-1] = expanded if f(expanded) < f(reflected) else reflected
        elif f(reflected) < values[-2]:
            simplex[-1] = reflected
        else:
            inside = 0.5 * (centre + simplex[-1])
            if f(inside) < values[-1]:
                simplex[-1] = inside
            else:
                simplex[1:] = simplex[0] + 0.5 * (simplex[1:] - simplex[0])
        values = np.array([f(p) for p in simplex])
    return simplex[0]


def lotka_volterra(t, y):
    return np.array([1.1 * y[0] - 0.4 * y[0] * y[1], 0.1 * y[0] * y[1] - 0.4 * y[1]])


def pendulum(t, y):
    return np.array([y[1], -0.25 * y[1] - 5.0 * np.sin(y[0])])


def euler(f, t, y, step):
    return y + step * f(t, y)


def heun(f, t, y, step):
    k1 = f(t, y)
    return y + 0.5 * step * (k1 + f(t + step, y + step * k1))


def runge_kutta(f, t, y, step):
    k1 = f(t, y)
    k2 = f(t + 0.5 * step, y + 0.5 * step * k1)
    k3 = f(t + 0.5 * step, y + 0.5 * step * k2)
    k4 = f(t + step, y + step * k3)
    return y + step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


def implicit_euler(f, t, y, step):
    guess = y
    for _ in range(3):
        residual = guess - y - step * f(t + step, guess)
        jacobian = np.array([(f(t + step, guess + 1e-7 * e) - f(t + step, guess)) / 1e-7
                             for e in np.eye(len(y))]).T
        guess = guess - np.linalg.solve(np.eye(len(y)) - step * jacobian, residual)
    return guess


def integrate(method, f, y, step, rounds):
    for i in range(rounds):
        y = method(f, i * step, y, step)
    return y


def jacobi(a, b, rounds):
    x, diagonal = np.zeros_like(b), np.diag(a)
    for _ in range(rounds):
        x = (b - a @ x + diagonal * x) / diagonal
    return x


def conjugate_gradient(a, b, rounds):
    x = np.zeros_like(b)
    residual = direction = b - a @ x
    for _ in range(rounds):
        length = residual @ residual / (direction @ a @ direction)
        x, old = x + length * direction, residual
        residual = residual - length * (a @ direction)
        direction = residual + residual @ residual / (old @ old) * direction
    return x


def power_iteration(a, rounds):
    v = np.ones(len(a))
    for _ in range(rounds):
        v = a @ v
        v = v / np.linalg.norm(v)
    return v @ a @ v


def simpson(f, a, b, n):
    x = np.linspace(a, b, 2 * n + 1)
    y = f(x)
    return (b - a) / (6.0 * n) * (y[0] + 4.0 * y[1::2].sum() + 2.0 * y[2:-1:2].sum() + y[-1])


def gauss_legendre(f, a, b, n):
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return 0.5 * (b - a) * np.sum(weights * f(0.5 * (b - a) * nodes + 0.5 * (a + b)))


def lagrange(x, y, at):
    terms = [y[i] * np.prod([(at - x[j]) / (x[i] - x[j]) for j in range(len(x)) if j != i])
             for i in range(len(x))]
    return sum(terms)


def newton_system(x, rounds):
    for _ in range(rounds):
        value = np.array([x[0] * np.cos(x[1]) - 4.0, x[1] * x[0] - x[1] - 5.0])
        jacobian = np.array([[np.cos(x[1]), -x[0] * np.sin(x[1])], [x[1], x[0] - 1.0]])
        x = x - np.linalg.solve(jacobian, value)
    return x


def main():
    start = np.array([1.3, 0.7, 0.8, 1.9, 1.2])
    print(central_difference(rosenbrock, start) - rosenbrock_gradient(start))
    print(gradient_descent(rosenbrock, rosenbrock_gradient, start, 12))
    print(bfgs(rosenbrock, rosenbrock_gradient, start, 20))
    print(nelder_mead(rosenbrock, start, 40))
    for system, y in (lotka_volterra, [10.0, 5.0]), (pendulum, [3.0, 0.0]):
        for method in euler, heun, runge_kutta, implicit_euler:
            print(system.__name__, method.__name__, integrate(method, system, np.array(y), 0.05, 25))
    n = 12
    matrix = 4.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    right = np.linspace(0.0, 1.0, n)
    print(jacobi(matrix, right, 25), conjugate_gradient(matrix, right, 10), power_iteration(matrix, 20))
    for function in np.sin, np.exp, lambda x: 1.0 / (1.0 + x * x):
        print(simpson(function, 0.0, 2.0, 20), gauss_legendre(function, 0.0, 2.0, 6))
    points = np.linspace(-1.0, 1.0, 7)
    print([lagrange(points, np.exp(points), at) for at in (-0.55, 0.05, 0.61)])
    print(newton_system(np.array([3.0, 1.5]), 6))


if __name__ == "__main__":
    main()
