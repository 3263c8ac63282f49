"""Classes: methods, properties, slots, inheritance with super, operators and dunder methods."""


class Vector:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    @property
    def norm(self):
        return self.x * self.x + self.y * self.y


class Account:
    def __init__(self, balance):
        self.balance = balance

    def deposit(self, amount):
        self.balance += amount
        return self


class Counted(Account):
    def __init__(self, balance):
        super().__init__(balance)
        self.count = 0

    def deposit(self, amount):
        self.count += 1
        return super().deposit(amount)


def main(n):
    place, account = Vector(0, 0), Counted(10)
    step, equal = Vector(1, 2), 0
    for i in range(n):
        place = place + step
        account.deposit(place.norm % 7)
        equal += place == step
    print(place.x, place.norm, account.balance, account.count, equal)


main(500000)
