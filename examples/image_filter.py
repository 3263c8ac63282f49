"""A small photo pipeline: blur, sharpen, edges, tone curve and dithering-free quantisation."""
import hashlib

import numpy as np


def synthetic_photo(height, width):
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    red = 0.5 + 0.5 * np.sin(x / 17.0) * np.cos(y / 23.0)
    green = ((x - width / 2) ** 2 + (y - height / 2) ** 2) / (width * height / 2)
    blue = (x + 2 * y) % 97 / 97
    noise = np.random.default_rng(1).normal(0.0, 0.03, (height, width, 3))
    return (np.stack([red, green, blue], axis=-1) + noise).clip(0.0, 1.0).astype(np.float32)


def blur(image):
    padded = np.pad(image, ((1, 1), (1, 1), (0, 0)), mode="edge")
    rows = (padded[:-2] + 2 * padded[1:-1] + padded[2:]) / 4
    return (rows[:, :-2] + 2 * rows[:, 1:-1] + rows[:, 2:]) / 4


def sharpen(image, amount=0.8):
    return np.clip(image + amount * (image - blur(image)), 0.0, 1.0)


def luminance(image):
    return 0.2126 * image[..., 0] + 0.7152 * image[..., 1] + 0.0722 * image[..., 2]


def sobel(gray):
    gx = np.zeros_like(gray)
    gy = np.zeros_like(gray)
    gx[1:-1, 1:-1] = (gray[:-2, 2:] + 2 * gray[1:-1, 2:] + gray[2:, 2:]
                      - gray[:-2, :-2] - 2 * gray[1:-1, :-2] - gray[2:, :-2])
    gy[1:-1, 1:-1] = (gray[2:, :-2] + 2 * gray[2:, 1:-1] + gray[2:, 2:]
                      - gray[:-2, :-2] - 2 * gray[:-2, 1:-1] - gray[:-2, 2:])
    return np.hypot(gx, gy)


def tone_curve(image, gamma=2.2, contrast=1.2):
    lifted = np.where(image <= 0.04045, image / 12.92, ((image + 0.055) / 1.055) ** gamma)
    return np.clip((lifted - 0.5) * contrast + 0.5, 0.0, 1.0)


def report(name, array):
    print(f"{name:10s} {str(array.dtype):8s} {array.shape} min {array.min():.6f} max {array.max():.6f} "
          f"mean {array.mean():.9f} {hashlib.md5(array.tobytes()).hexdigest()[:12]}")


def main():
    photo = synthetic_photo(240, 320)
    report("photo", photo)
    for step in range(4):
        photo = sharpen(blur(photo))
        edges = sobel(luminance(photo))
        toned = tone_curve(photo)
        report(f"sharp {step}", photo)
        report(f"edges {step}", edges)
    levels = (toned * 255.0 + 0.5).astype(np.uint8)
    report("levels", levels)
    print("histogram", np.histogram(levels, bins=8, range=(0, 256))[0])
    print("edge pixels", int((edges > 0.5).sum()))


if __name__ == "__main__":
    main()
