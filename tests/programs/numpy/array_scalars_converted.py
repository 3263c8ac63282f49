"""Python numbers and strings made of array scalars are made at a segment's end if nobody looks before."""
import numpy as np

from changes import watch

w = np.arange(6.0)
a = np.arange(4.0)
log = []


def fill(value):
    def change():
        w[:] = value
        log.clear()
    return change


def records():
    v = w.sum()
    log.append(float(v))
    log.append(int(v))
    text = f"{v:.3f}|{v!r}|{v}|{len(log)}|{float(v):>8.2f}|{v!s:>9}"
    more = "{:5.1f} {}".format(v, "q") + "%.2f %d %s" % (v, len(log), "z") + str(v) + repr(v)
    joined = ", ".join(["a", str(v), f"{v}"])
    y = w * float(v) + int(v) + round(float(v), 1)
    return y, text, more, joined, type(log[-1]).__name__, type(log[-2]).__name__, log[-2:]


def computes():
    x = w.sum()
    f = float(x)
    table = {"loss": f, "text": f"{f:.4f}"}
    return (w * f, w - f, f - w, w / f, f * 2.0, table, f == float(x), f > 1, -f, bool(f), [f] == [f], f in [f],
            min(f, 3.0), abs(f), f is None, isinstance(f, float), isinstance(f, int), type(f) is float)


def is_no_number():
    v = w.max()
    try:
        return a + 1, int(v)
    except (ValueError, OverflowError) as error:
        return a, str(error)


def of_other_types():
    v, z, k = w.astype(np.float32).mean(), (w * 1j).sum(), w.astype(np.int64).sum()
    b = w.max() > 3
    try:
        texts = f"{v:.7f}", f"{z:.2f}", str(z), f"{k:5d}", f"{k:x}", f"{b}", "%s %r" % (b, k)
        return a + 1, float(v), int(k), float(k), int(b), texts, float(z)
    except TypeError as error:
        return a, str(error)


def wrong_format():
    v = w.sum()
    try:
        return a + 1, f"{v:d}"
    except ValueError as error:
        return a, str(error)


watch("records", records, fill(0.5), fill(1e18), fill(3), fill(-0.0))
watch("computes", computes, fill(2.25), fill(np.linspace(0.0, 1.0, 6)))
watch("no number", is_no_number, fill(np.nan), fill(np.inf), fill(1e300), fill(7.5))
watch("other types", of_other_types, fill(4), fill(0.25))
watch("wrong format", wrong_format)


class Meter:
    def __init__(self):
        self.history, self.lines, self.best = [], [], None

    def update(self, step, values):
        loss = (values * values).mean()
        self.history.append(float(loss))
        self.best = min(self.history)
        self.lines.append(f"step {step:3d}: loss {loss:.6f} best {self.best:.6f}")
        return values * 0.9


class Texts:
    def __init__(self, value):
        self.value = value

    def __str__(self):
        return f"<{self.value.sum():.2f}>"

    def __repr__(self):
        return 5


meter = Meter()
values = np.linspace(-1.0, 1.0, 50)
for step in range(60):
    values = meter.update(step, values)
print(*meter.lines[::15], len(meter.history), sep="\n")


def text_of_object(o, b):
    try:
        return b * 2.0, str(o), f"{o}", repr(o)
    except TypeError as error:
        return b * 2.0, str(error)


watch("objects", lambda: text_of_object(Texts(w), a))
