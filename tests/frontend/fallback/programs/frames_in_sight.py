"""What running code sees of the frames: line numbers, f_back, locals, stacklevel, lasti."""
import inspect
import sys
import threading
import warnings


def stack():
    frame, seen = sys._getframe(1), []
    while frame is not None and frame.f_code.co_name != "<module>":
        seen.append((frame.f_code.co_name, frame.f_lineno, sorted(frame.f_locals)))
        frame = frame.f_back
    return seen


def leaf(x, *, key=None):
    y = x
    return (
        stack(),
        y,
    )


def through_map(values):
    return list(map(leaf,
                    values))


def closure(a):
    def inner(b):
        return a, b, leaf(
            b,
            key=a), locals()
    return inner(a + 1)


def comprehension():
    return [leaf(i) for i in range(2)]


def generator():
    yield leaf(1)
    yield leaf(2)


class C:
    def __init__(self):
        self.seen = leaf(self.__class__.__name__)

    @property
    def attribute(self):
        return super().__init__, leaf(3)[0]


def warn():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn("here")
        warnings.warn("there", stacklevel=2)
    return [w.lineno for w in caught]


def kept_frames():
    def make():
        x = 5
        return sys._getframe()
    frame = make()
    return frame.f_locals, frame.f_back.f_code.co_name if frame.f_back else None, frame.f_lineno


def traceback_lines():
    try:
        (lambda: [][
            1])()
    except IndexError as error:
        at, lines = error.__traceback__, []
        while at:
            lines.append((at.tb_lineno, at.tb_frame.f_code.co_name,
                          list(at.tb_frame.f_code.co_positions())[at.tb_lasti // 2]))
            at = at.tb_next
        return lines


def traced():
    events = []

    def tracer(frame, event, arg):
        events.append((frame.f_code.co_name, event, frame.f_lineno))
        return tracer

    sys.settrace(tracer)
    leaf(1)
    try:
        leaf()
    except TypeError:
        pass
    sys.settrace(None)
    return events


def profiled():
    events = []
    sys.setprofile(lambda frame, event, arg: events.append((frame.f_code.co_name, event)))
    leaf(1)
    sys.setprofile(None)
    return events


def other_threads():
    at_work, go_on = threading.Event(), threading.Event()

    def work(n):
        at_work.set()
        go_on.wait()

    thread = threading.Thread(target=work, args=(1,))
    thread.start()
    at_work.wait()
    frame = sys._current_frames()[thread.ident]
    names = [frame.f_code.co_name]
    while frame := frame.f_back:
        names.append(frame.f_code.co_name)
    go_on.set()
    thread.join()
    return "work" in names, names[-1]


for function in (lambda: leaf(1), lambda: through_map([1, 2]), lambda: closure(4)[:3],
                 comprehension, lambda: list(generator()), lambda: C().seen,
                 lambda: C().attribute[1], warn, kept_frames, traceback_lines, traced, profiled,
                 other_threads, lambda: [i.function for i in inspect.stack()]):
    print(function.__name__)
    for item in function():
        print("  ", item)
