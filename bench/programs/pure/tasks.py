"""asyncio: many small tasks, a queue between producers and consumers, async generators."""
import asyncio


async def counted(n):
    for i in range(n):
        if i % 16 == 0:
            await asyncio.sleep(0)
        yield i


async def produce(queue, n):
    async for i in counted(n):
        await queue.put(i)
    await queue.put(None)


async def consume(queue):
    total = 0
    while (item := await queue.get()) is not None:
        total += item
    return total


async def leaf(depth):
    if depth == 0:
        return 1
    return await leaf(depth - 1) + await leaf(depth - 1)


async def main():
    queues = [asyncio.Queue(10) for _ in range(8)]
    totals = await asyncio.gather(*[consume(queue) for queue in queues],
                                  *[produce(queue, 9000) for queue in queues])
    leaves = await asyncio.gather(*[leaf(10) for _ in range(200)])
    print(totals[:8], sum(leaves))


asyncio.run(main())
