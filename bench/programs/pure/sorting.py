"""Sorting: written out (quick, merge, heap, insertion) and built in with keys."""
import heapq


def quick_sort(items):
    if len(items) < 2:
        return items
    pivot = items[len(items) // 2]
    return (quick_sort([x for x in items if x < pivot]) + [x for x in items if x == pivot]
            + quick_sort([x for x in items if x > pivot]))


def merge_sort(items):
    if len(items) < 2:
        return items
    middle = len(items) // 2
    left, right = merge_sort(items[:middle]), merge_sort(items[middle:])
    merged, i, j = [], 0, 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            merged.append(left[i])
            i += 1
        else:
            merged.append(right[j])
            j += 1
    return merged + left[i:] + right[j:]


def insertion_sort(items):
    for i in range(1, len(items)):
        item, j = items[i], i - 1
        while j >= 0 and items[j] > item:
            items[j + 1] = items[j]
            j -= 1
        items[j + 1] = item
    return items


def heap_sort(items):
    heap = []
    for item in items:
        heapq.heappush(heap, item)
    return [heapq.heappop(heap) for _ in range(len(heap))]


items = [i * 7919 % 100003 for i in range(50000)]
expected = sorted(items)
assert quick_sort(items) == merge_sort(items) == heap_sort(items) == expected
assert insertion_sort(items[:1200]) == sorted(items[:1200])
by_text = sorted(items, key=lambda x: (str(x)[::-1], x))
print(expected[:5], by_text[:5])
