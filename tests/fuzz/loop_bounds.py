"""Random loops whose indices are decided by ranges, tests and steps; their arrays are parts of larger memory.

An index may be what a loop without rounds has left, may be kept in the array by a test alone, or may leave it. All of the
memory around the arrays is shown after each call, and what the loop's variables were where it raised.
"""
from program import Program

INTS = ("i", "j", "k", "m")
TESTED = ("n", "n - 1", "len(a)", "0", "5", "2 * n") + INTS
ROUNDS = 400  # of all loops of a call together

PRELUDE = """
memory = np.zeros(6000)

def observed(f, n, start, ints, seed):
    memory[:] = np.arange(6000.0) % 37 - 3
    a, b = memory[3000:3000 + n + 3], memory[500:2500].reshape(40, 50)[9:9 + min(n, 20), 9:9 + min(n, 20)]
    x, y = memory[4000:4000 + n], memory[5000:5000 + n]
    ks = ((np.arange(n + 3) * 5 + seed) % 7 - 2).astype(ints)
    if seed % 3 == 0:
        x[n // 2:] = y[n // 2:] = (1e300, np.inf, np.nan, 0.0)[seed % 4]
    try:
        result = f(a, b, x, y, ks, n, *start)
    except Exception as error:
        trace = error.__traceback__.tb_next
        names = trace.tb_frame.f_locals
        result = type(error).__name__, str(error), trace.tb_lineno, [names.get(name) for name in 'sijkmr']
    show('result', result)
    show('memory', memory)
""".strip().splitlines()


class LoopBoundProgram(Program):
    def text(self):
        self.lines = ["", *PRELUDE, "def f(a, b, x, y, ks, n, i, j, k, m):"]
        self.emit(1, "s = 0.0")
        self.emit(1, "rounds = r = 0")
        self.left = self.random.randint(7, 14)
        while self.left > 0:
            self.loop(1)
        self.emit(1, "return s, rounds, i, j, k, m")
        ints = self.pick(("int64", "int8", "int32"))
        for call in range(5):
            start = ", ".join(str(self.pick((0, 1, 2, 3, -1, -2, 5))) for _ in INTS)
            n = 6 if call < 2 else self.pick((6, 9, 1, 40, 200, 3))
            self.emit(0, f"observed(f, {n}, ({start}), {ints!r}, {self.random.randrange(12) if call else 1})")
        return "\n".join(self.lines) + "\n"

    def number(self, depth=0):
        kind = self.random.random()
        name = self.pick(INTS)
        if kind < 0.45 or depth > 1:
            return self.pick(INTS + ("n", "r", "len(a)", "ks[r % len(ks)]", "0", "1", "2", "3", "7", "-1", "-2"))
        if kind < 0.75:
            return f"{name} {self.pick('+-')} {self.number(depth + 1)}"
        return self.pick((f"{name} % {self.pick(('n', '7', 'len(a)'))}", f"{name} & {self.pick(('7', '15'))}", f"-{name}",
                          f"{name} // {self.pick(('2', '3'))}", f"{name} * {self.pick(('2', '-1', 'j'))}",
                          f"min({name}, {self.pick(('n - 1', 'j', '5'))})", f"abs({name})"))

    def index(self):
        kind = self.random.random()
        if kind < 0.5:
            return self.pick(INTS)
        if kind < 0.8:
            return f"{self.pick(INTS)} {self.pick('+-')} {self.pick(('1', '2') + INTS)}"
        return self.number(1)

    def test(self):
        left = self.pick(INTS) + self.pick(("", "", " + 1", " - 2"))
        return f"{left} {self.pick(('<', '<', '<=', '>', '>=', '==', '!='))} {self.pick(TESTED)}"

    def loop(self, indent):
        self.left -= 1
        name = self.pick(INTS + ("r",))
        if self.chance(0.75):
            bounds = self.pick((self.number(), f"{self.number()}, {self.number()}",
                                f"{self.number()}, {self.number()}, {self.pick(('1', '-1', '2', '-2', '3'))}"))
            self.emit(indent, f"for {name} in {self.pick(('{}',) * 9 + ('reversed({})',)).format(f'range({bounds})')}:")
        else:
            self.emit(indent, f"while {self.test()}:")
            self.emit(indent + 1, f"{self.pick(INTS)} {self.pick('+-')}= {self.pick(('1', '2', '3'))}")
        self.emit(indent + 1, "rounds += 1")
        self.emit(indent + 1, f"if rounds > {ROUNDS}: break")
        self.block(indent + 1)
        if self.chance(0.1):
            self.emit(indent, f"else: {self.pick(INTS)} = {self.number()}")

    def block(self, indent):
        for _ in range(self.random.randint(1, 3)):
            self.statement(indent)

    def statement(self, indent):
        kind = self.random.random()
        self.left -= 1
        if kind < 0.2 and indent < 4:
            self.loop(indent)
        elif kind < 0.35 and indent < 5:
            self.emit(indent, f"if {self.test()}:")
            self.block(indent + 1)
            if self.chance(0.3):
                self.emit(indent, "else:")
                self.block(indent + 1)
        elif kind < 0.48:
            self.emit(indent, f"{self.pick(INTS)} {self.pick(('=', '=', '+=', '-='))} {self.number()}")
        elif kind < 0.54:
            self.emit(indent, f"if {self.test()}: {self.pick(('break', 'continue'))}")
        elif kind < 0.72:
            self.emit(indent, f"s += {self.pick(('a', 'x'))}[{self.index()}]")
        elif kind < 0.78:
            self.emit(indent, f"s {self.pick('+-')}= b[{self.index()}, {self.index()}]")
        else:
            value = self.pick(("s", "-1.0", f"x[{self.index()}] * y[{self.index()}]", f"x[{self.index()}] + 0.5",
                               f"x[{self.index()}] * y[{self.index()}] + a[{self.index()}]", f"s * 0.5 + {self.pick(INTS)}"))
            self.emit(indent, f"{self.pick(('a', 'a', 'y'))}[{self.index()}] {self.pick(('=', '=', '+='))} {value}")
