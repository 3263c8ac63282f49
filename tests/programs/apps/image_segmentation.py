"""Pictures are taken apart: sliding windows, thresholds, labels of connected parts, edges, corners."""
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from show import show

rng = np.random.default_rng(3)


def times(function, *args, n=4):
    for _ in range(n):
        result = function(*args)
    return result


def smoothed(image, size):
    windows = sliding_window_view(np.pad(image, size // 2, mode="edge"), (size, size))
    return windows.mean(axis=(2, 3)), np.median(windows, axis=(2, 3)), windows.max(axis=(2, 3)) - windows.min(axis=(2, 3))


def convolved(image, kernel):
    windows = sliding_window_view(image, kernel.shape)
    return np.einsum("ijkl,kl->ij", windows, kernel), (windows * kernel).sum(axis=(-2, -1)), np.tensordot(windows, kernel, 2)


def evened(image):
    levels, where, counts = np.unique(image, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) / image.size
    return ranks[where].reshape(image.shape), levels[np.searchsorted(ranks, 0.5)]


def otsu(image):
    counts, edges = np.histogram(image, bins=16)
    centers = (edges[1:] + edges[:-1]) / 2
    below = np.cumsum(counts)
    above = np.cumsum(counts[::-1])[::-1]
    low = np.cumsum(counts * centers) / below
    high = (np.cumsum((counts * centers)[::-1]) / above[::-1])[::-1]
    between = below[:-1] * above[1:] * (low[:-1] - high[1:]) ** 2
    return centers[np.argmax(between)], between


def gradients(image):
    dy, dx = np.gradient(image)
    strength = np.hypot(dx, dy)
    edges = strength > np.percentile(strength, 80)
    rows, columns = np.nonzero(edges)
    return strength, edges.sum(), rows.mean(), columns.mean(), np.arctan2(dy[edges], dx[edges]).std(), image[edges].mean()


def box_of(mask):
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    if not len(rows):
        return None
    return mask[rows[0]:rows[-1] + 1, columns[0]:columns[-1] + 1] * 1


def labelled(mask):
    labels = np.where(mask, np.arange(1, mask.size + 1).reshape(mask.shape), 0)
    while True:
        before = labels
        padded = np.pad(labels, 1)
        around = np.maximum.reduce([padded[1:-1, 1:-1], padded[:-2, 1:-1], padded[2:, 1:-1], padded[1:-1, :-2], padded[1:-1, 2:]])
        labels = np.where(mask, around, 0)
        if np.array_equal(labels, before):
            break
    names, sizes = np.unique(labels[labels > 0], return_counts=True)
    return labels, names, sizes, len(names)


def tiled(image, n):
    h, w = image.shape[0] // n, image.shape[1] // n
    blocks = image[:h * n, :w * n].reshape(h, n, w, n)
    small = blocks.mean(axis=(1, 3))
    return small, np.kron(small, np.ones((n, n))), np.block([[small, small.T[: small.shape[0], : small.shape[1]]], [small, small]]) if h == w else small


def corners(image, count):
    flat = np.argsort(image, axis=None)[::-1][:count]
    places = np.unravel_index(flat, image.shape)
    best = np.unravel_index(np.argmax(image), image.shape)
    return np.stack(places, axis=1), image[places], best, np.ravel_multi_index(places, image.shape) - flat


def diagonal_sums(image):
    n = min(image.shape)
    square = image[:n, :n].copy()
    trace = np.trace(square), square.diagonal().sum(), np.diag(square) * 2, np.fliplr(square).copy().diagonal().mean()
    np.fill_diagonal(square, 0)
    return trace, square, square + np.diag(np.arange(n)), np.tril(square).sum() - np.triu(square).sum()


for shape in ((12, 12), (16, 9), (12, 12), (7, 20)):
    image = np.round(rng.random(shape) * 40)
    image[2:5, 3:6] += 30
    show("smoothed", times(smoothed, image, 3))
    show("convolved", times(convolved, image, np.array([[1.0, 2, 1], [0, 0, 0], [-1, -2, -1]])))
    show("evened", times(evened, image))
    show("otsu", times(otsu, image))
    show("gradients", times(gradients, image))
    show("box_of", times(box_of, image > 42))
    show("no box", times(box_of, image > 100))
    show("labelled", times(labelled, image > 20))
    show("tiled", times(tiled, image, 3))
    show("corners", times(corners, image, 4))
    show("diagonal_sums", times(diagonal_sums, image))
