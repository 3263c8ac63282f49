"""Captured functions run under generators, contexts and asyncio tasks, and the other way round."""
import asyncio
import contextlib
import contextvars

import numpy as np
from show import show


def scale(a, k):
    b = a * k
    return b + 1


def steps(a):
    try:
        for k in range(100):
            received = yield scale(a, k)
            if received is not None:
                a = scale(a, received)
    finally:
        print("generator closed")


def consume(a):
    total = np.zeros_like(a)
    for k, item in zip(range(5), steps(a)):
        total = total + item * 0.5
    return total


for _ in range(4):
    show("consumed", consume(np.arange(4.0)))
generator = steps(np.arange(3.0))
show("first", next(generator))
show("sent", generator.send(2))
try:
    generator.throw(KeyError("thrown"))
except KeyError as error:
    print("thrown", error)


def delegating(a):
    result = yield from counting(a)
    yield scale(result, 2)


def counting(a):
    for k in range(3):
        yield scale(a, k)
    return a + 100


for _ in range(3):
    show("delegated", list(delegating(np.ones(2))))

level = contextvars.ContextVar("level", default=0)


async def task(name, a):
    level.set(level.get() + len(name))
    for k in range(4):
        a = scale(a, k + level.get())
        await asyncio.sleep(0)
    return name, a


async def produce(a):
    for k in range(3):
        yield scale(a, k)
        await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def opened(name):
    print("open", name)
    try:
        yield name
    finally:
        print("close", name)


async def main():
    for name, value in await asyncio.gather(*(task("n" * k, np.arange(3.0)) for k in range(1, 5))):
        show(name, value)
    async for item in produce(np.ones(2)):
        show("async item", item)
    async with opened("x"):
        show("comprehension", [scale(item, 2) async for item in produce(np.ones(2))])
    slow = asyncio.create_task(forever(np.ones(3)))
    await asyncio.sleep(0.01)
    slow.cancel()
    try:
        await slow
    except asyncio.CancelledError:
        print("cancelled")
    loop = asyncio.get_running_loop()
    show("executor", await loop.run_in_executor(None, scale, np.ones(3), 5))


async def forever(a):
    while True:
        a = scale(a, 0.5)
        await asyncio.sleep(0)


asyncio.run(main())


def runs_a_loop(a):
    b = a * 2
    c = asyncio.run(task("inside", b))[1]
    return b + c


for _ in range(3):
    show("loop inside", runs_a_loop(np.ones(2)))
