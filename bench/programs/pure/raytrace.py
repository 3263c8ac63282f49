"""A ray tracer of spheres over a chequered floor, with a vector class."""
from math import inf, sqrt


class Vector:
    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other):
        return Vector(self.x - other.x, self.y - other.y, self.z - other.z)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor, self.z * factor)

    def dot(self, other):
        return self.x * other.x + self.y * other.y + self.z * other.z

    def unit(self):
        return self * (1.0 / sqrt(self.dot(self)))


class Sphere:
    def __init__(self, centre, radius, shade):
        self.centre, self.radius, self.shade = centre, radius, shade

    def hit(self, origin, direction):
        to_centre = self.centre - origin
        along = to_centre.dot(direction)
        rest = self.radius ** 2 - to_centre.dot(to_centre) + along * along
        return along - sqrt(rest) if rest > 0 and along > 0 else None

    def normal(self, point):
        return (point - self.centre).unit()


class Floor:
    shade = None

    def hit(self, origin, direction):
        return -origin.y / direction.y if direction.y < -1e-6 else None

    def normal(self, point):
        return Vector(0.0, 1.0, 0.0)


def trace(things, light, origin, direction, depth):
    nearest, thing = inf, None
    for candidate in things:
        distance = candidate.hit(origin, direction)
        if distance is not None and 1e-4 < distance < nearest:
            nearest, thing = distance, candidate
    if thing is None:
        return 0.2
    point = origin + direction * nearest
    normal = thing.normal(point)
    shade = thing.shade if thing.shade is not None else 0.3 + 0.5 * (int(point.x) + int(point.z) & 1)
    bright = max(0.0, normal.dot((light - point).unit())) * shade
    if depth:
        mirrored = direction - normal * (2 * normal.dot(direction))
        bright += 0.3 * trace(things, light, point, mirrored, depth - 1)
    return bright


def picture(width, height):
    things = [Sphere(Vector(x, 1.0, 6.0 + z), 1.0, 0.4 + z / 10) for x, z in
              ((-3.0, 0.0), (0.0, 2.0), (3.0, 1.0))] + [Floor()]
    eye, light = Vector(0.0, 2.0, -3.0), Vector(-5.0, 8.0, -5.0)
    total = 0.0
    for row in range(height):
        for column in range(width):
            direction = Vector(column / width - 0.5, 0.5 - row / height, 1.0).unit()
            total += trace(things, light, eye, direction, 2)
    return total


print("%.6f" % picture(330, 230))
