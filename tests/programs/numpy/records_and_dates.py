"""Arrays of records, dates, texts and objects, masked arrays and mapped files, in functions that compute with plain arrays as well."""
import os
import tempfile

import numpy as np
import numpy.ma as ma
from show import attempt, show

PEOPLE = np.dtype([("name", "U8"), ("age", "i4"), ("weight", "f8"), ("place", "f4", (2,))])


def people():
    rows = [("Ann", 30, 55.5, (0, 1)), ("Bob", 25, 80.2, (1, 2)), ("Cy", 41, 71.0, (2, 3)), ("Di", 25, 60.1, (3, 4))]
    return np.array(rows, dtype=PEOPLE)


def summary(a):
    return a["age"].mean(), a["weight"].std(), a["place"].sum(axis=0), a["name"][a["age"].argmin()], a["weight"] / a["age"] ** 2


def changed_fields(a):
    a["place"][:, 0] *= 2
    a["weight"][1:] = np.cumsum(a["weight"][1:])
    young = a[a["age"] < 30]
    young["weight"] += 1
    return a[["name", "weight"]], young, np.sort(a, order=["age", "weight"])["name"]


def records_by_row(a):
    total = 0
    for row in a:
        total += row["weight"] * row["age"]
        row["age"] += 1
    return total, a["age"], a.view(np.recarray).weight @ np.arange(4.0)


def weekdays(days, values):
    weekday = (days.view("i8") - 4) % 7
    months, where = np.unique(days.astype("M8[M]"), return_inverse=True)
    return np.bincount(weekday, values, 7), months, np.bincount(where, values) / np.bincount(where), days[weekday == 0]


def gaps(times):
    gap = np.diff(times)
    return gap, gap.mean(), gap / np.timedelta64(1, "h"), (gap > np.timedelta64(90, "m")).sum(), gap.astype("m8[s]").astype(int)


def masked(x, plain):
    y = x.copy()
    y[y > 8] = ma.masked
    y += plain
    return y.filled(-1), y.mean(axis=0), (y * plain).sum(), np.sqrt(y - 3), ma.where(y > 5, y, plain), y.mask.sum() * plain.max()


def texts(words, numbers):
    lengths = np.char.str_len(words)
    labels = np.char.add(np.char.upper(words), lengths.astype(str))
    return labels, lengths @ numbers, words[numbers > 1], np.where(words == "", "none", words), np.sort(words), words == "b"


def objects(items, x):
    kept = [item * x.sum() for item in items if not isinstance(item, str)]
    return kept, (items[:2] + 1).tolist(), np.array([len(str(item)) for item in items]) * x


def mapped(m):
    return m.sum(), (m * 2 + 1)[1], type(m + 1).__name__, type(m[0]).__name__, type(m.mean()).__name__, np.sqrt(np.asarray(m)).max()


x = np.arange(4.0)
days = np.arange("2024-01-28", "2024-03-05", dtype="M8[D]")
times = np.array(["2024-01-01T00:00", "2024-01-01T01:15", "2024-01-01T03:00", "2024-01-02T00:30"], dtype="M8[m]")
table = ma.array(np.arange(12.0).reshape(3, 4), mask=[[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0]])
words = np.array(["apple", "b", "", "cherry pie"])

attempt("summary", lambda: [str(part) for part in summary(people())])
attempt("changed fields", lambda: [str(part) for part in changed_fields(people())])
attempt("records by row", lambda: [str(part) for part in records_by_row(people())])
attempt("no such field", lambda: summary(people())[0] + people()["height"])
attempt("weekdays", lambda: [str(part) for part in weekdays(days, np.sin(np.arange(len(days))))])
attempt("gaps", lambda: [str(part) for part in gaps(times)])
attempt("sums of dates", lambda: times + times)
attempt("masked", lambda: [str(part) for part in masked(table, np.ones(4))])
attempt("masked with a plain array", lambda: [str(part) for part in masked(table, np.arange(12.0).reshape(3, 4))])
attempt("texts", lambda: [str(part) for part in texts(words, x)])
attempt("texts as numbers", lambda: words * x)
attempt("objects", objects, np.array([2**70, 1.5, "s"], object), x[:3])
with tempfile.TemporaryDirectory() as folder:
    written = np.memmap(os.path.join(folder, "m"), dtype="f4", mode="w+", shape=(4, 5))
    written[:] = np.arange(20).reshape(4, 5)
    written[1] += written[0]
    written *= 2
    written.flush()
    read = np.memmap(os.path.join(folder, "m"), dtype="f4", mode="r", shape=(4, 5))
    for _ in range(3):
        attempt("mapped", mapped, written)
        attempt("mapped for reading", mapped, read)
    attempt("store to what is read", read.__setitem__, 0, 1)
    show("bytes", np.fromfile(os.path.join(folder, "m"), "f4"))
    del written, read
