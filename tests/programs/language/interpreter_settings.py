"""Texts of constants that depend on what a program may set: codecs' error handlers, limits of digits, locales."""
import codecs
import sys

import numpy as np

CALLS = []
TEXT, BYTES = "caf\u00e9", b"caf\xe9"
DIGITS = "9" * 2000
BIG = 7 ** 1500


def question_mark(error):
    CALLS.append(error.reason)
    return "?" * len(CALLS), error.end


codecs.register_error("question", question_mark)


def coded(a):
    return (TEXT.encode("ascii", "question"), BYTES.decode("ascii", "question"), TEXT.encode("utf-8"), TEXT.encode(),
            "abc".encode("ascii", errors="question"), bytes(TEXT, "ascii", "question"), BYTES.decode("latin-1"),
            len(CALLS), a.sum())


def tried(function):
    try:
        return len(str(function()))
    except ValueError as error:
        return str(error)[:40]


def digits(a):
    return [tried(lambda: int(DIGITS) % 7), tried(lambda: str(BIG)), tried(lambda: repr(BIG)), tried(lambda: f"{BIG}"),
            tried(lambda: "%d" % BIG), tried(lambda: "%s" % (BIG,)), tried(lambda: "{}".format(BIG)),
            tried(lambda: format(BIG)), tried(lambda: BIG.__format__("d")), tried(lambda: f"{BIG:x}")], a.sum()


def by_locale(a):
    return (f"{1234567.5:n}", format(1234567, "n"), "{:n}".format(2.5), "{:{}}".format(2.5, "n"),
            (2.5).__format__("n"), a.sum())


def long_texts(a):
    return len("a".ljust(100000)), len("ab".zfill(70000)), len(bytes(100000)), a.sum()


A = np.arange(3.0)
for _ in range(4):
    print(coded(A), digits(A), by_locale(A), long_texts(A))
sys.set_int_max_str_digits(1000)
for _ in range(4):
    print(coded(A), digits(A), by_locale(A))
