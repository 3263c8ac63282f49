"""The Mandelbrot set with complex numbers, and with pairs of floats."""


def complex_depth(c, limit):
    z = 0j
    for i in range(limit):
        if abs(z) > 2.0:
            return i
        z = z * z + c
    return limit


def float_depth(x, y, limit):
    a = b = 0.0
    for i in range(limit):
        aa, bb = a * a, b * b
        if aa + bb > 4.0:
            return i
        a, b = aa - bb + x, 2.0 * a * b + y
    return limit


def main(width, height):
    total = [0, 0]
    for row in range(height):
        for column in range(width):
            x, y = 3.0 * column / width - 2.0, 2.0 * row / height - 1.0
            total[0] += complex_depth(complex(x, y), 80)
            total[1] += float_depth(x, y, 80)
    print(total)


main(330, 230)
