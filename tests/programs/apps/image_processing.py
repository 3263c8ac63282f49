"""Images are processed: convolution, edges, histogram equalization, rotations, blurs, grids."""
# test: numpy2

import numpy as np


def conv2d(img, k):
    kh, kw = k.shape
    p = np.pad(img, ((kh // 2,) * 2, (kw // 2,) * 2), mode="constant")
    out = np.zeros_like(img)
    for i in range(kh):
        for j in range(kw):
            out += k[i, j] * p[i : i + img.shape[0], j : j + img.shape[1]]
    return out


def sobel(img):
    kx = np.array([[-1.0, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    return np.hypot(conv2d(img, kx), conv2d(img, kx.T))


def gray(rgb):
    return rgb @ np.array([0.299, 0.587, 0.114])


def gray2(rgb):
    return np.dot(rgb[..., :3], [0.299, 0.587, 0.114])


def equalize(g):
    h = np.bincount(g.ravel(), minlength=256)
    c = h.cumsum()
    c = (c - c.min()) * 255 / (c.max() - c.min())
    return c.astype(np.uint8)[g]


def threshold(img):
    return np.where(img > img.mean(), 255, 0).astype(np.uint8)


def gamma(img, g):
    return np.clip(255 * (img / 255.0) ** g, 0, 255).astype(np.uint8)


def flip_rot(img):
    return np.rot90(img) + np.flip(img, 0) + np.fliplr(img) + img[::-1, ::-1]


def down(img):
    return img.reshape(img.shape[0] // 2, 2, img.shape[1] // 2, 2).mean(axis=(1, 3))


def blur(img):
    return (np.roll(img, 1, 0) + np.roll(img, -1, 0) + np.roll(img, 1, 1) + np.roll(img, -1, 1) + img) / 5


def normalize(img):
    return (img - img.min()) / np.ptp(img)


def dist(h, w):
    y, x = np.mgrid[0:h, 0:w]
    return np.sqrt((x - w / 2) ** 2 + (y - h / 2) ** 2)


def mesh(h, w):
    X, Y = np.meshgrid(np.arange(w), np.arange(h))
    return np.sin(X * 0.1) * np.cos(Y * 0.1)


def stack(img):
    return np.stack([img, img * 2, img / 2], axis=-1).sum(-1)


def tile(img):
    return np.tile(img, (2, 2))[:3, :3] + 1


rng = np.random.default_rng(3)
img = rng.random((32, 32))
rgb = rng.random((32, 32, 3))
g = rng.integers(0, 256, (32, 32)).astype(np.uint8)
for _ in range(4):
    print(
        sobel(img)[3, :3],
        gray(rgb)[0, :3],
        gray2(rgb)[0, :3],
        equalize(g)[0, :4],
        threshold(img)[0, :4],
        gamma(g, 2.2)[0, :4],
        flip_rot(img)[0, :3],
        down(img)[0, :3],
        blur(img)[0, :3],
        normalize(img)[0, :3],
        dist(16, 16)[0, :3],
        mesh(8, 8)[1, :3],
        stack(img)[0, :3],
        tile(img)[0],
    )
