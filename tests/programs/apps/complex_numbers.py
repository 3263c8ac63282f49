"""Programs use complex arrays: fractals, spectra, quantum states, impedances."""
import numpy as np
from show import repeat, show


def escape_times(width, height, rounds):
    x = np.linspace(-2, 1, width)
    y = np.linspace(-1.2, 1.2, height)
    c = x[None, :] + 1j * y[:, None]
    z = np.zeros_like(c)
    count = np.zeros(c.shape, int)
    for _ in range(rounds):
        inside = np.abs(z) < 2
        z = np.where(inside, z * z + c, z)
        count = count + inside
    return count, z


def julia(z, c, rounds):
    for _ in range(rounds):
        z = np.where(z.real ** 2 + z.imag ** 2 < 4, z ** 2 + c, z)
    return np.abs(z)


def power_spectrum(spectrum, sample_rate):
    power = (spectrum * spectrum.conj()).real / spectrum.size
    phase = np.arctan2(spectrum.imag, spectrum.real)
    decibels = 10 * np.log10(power + 1e-12)
    return decibels, phase, np.abs(spectrum) / sample_rate


def evolve(psi, potential, dt):
    half = np.exp(-0.5j * potential * dt)
    psi = half * psi
    psi = psi * half
    density = np.abs(psi) ** 2
    return psi / np.sqrt(density.sum()), density


def hadamard(state):
    up, down = state[0], state[1]
    s = 1 / np.sqrt(2)
    return (up + down) * s, (up - down) * s


def impedance(frequencies, r, l, c):
    omega = 2 * np.pi * frequencies
    series = r + 1j * omega * l + 1 / (1j * omega * c)
    parallel = 1 / (1 / r + 1 / (1j * omega * l))
    gain = parallel / (series + parallel)
    return np.abs(gain), np.angle(gain), 20 * np.log10(np.abs(gain))


def newton(z, rounds):
    for _ in range(rounds):
        z = z - (z ** 3 - 1) / (3 * z ** 2)
    return z


class Oscillator:
    def __init__(self, n):
        self.state = np.exp(1j * np.linspace(0, 6, n))
        self.energy = 0.0

    def step(self, omega, dt):
        self.state = self.state * np.exp(1j * omega * dt)
        self.state = self.state / np.abs(self.state)
        self.energy = float((self.state.real ** 2).sum())


show("mandelbrot", repeat(escape_times, 60, 40, 12, times=4))
plane = np.linspace(-1.5, 1.5, 50)[None, :] + 1j * np.linspace(-1, 1, 30)[:, None]
show("julia", repeat(julia, plane, -0.4 + 0.6j, 8))
signal = np.sin(np.arange(512) * 0.3) + 0.5 * np.cos(np.arange(512) * 1.1)
show("spectrum", repeat(power_spectrum, np.fft.fft(signal), 100.0))
show("real spectrum", repeat(power_spectrum, np.fft.rfft(signal), 100.0))
x = np.linspace(-5, 5, 256)
show("evolve", repeat(evolve, np.exp(-x ** 2 + 2j * x), 0.5 * x ** 2, 0.01))
show("hadamard", repeat(hadamard, np.array([[1, 0.5j], [0.5, -1j]])))
show("impedance", repeat(impedance, np.logspace(0, 5, 200), 50.0, 1e-3, 1e-6))
show("newton", repeat(newton, plane + 0.1, 5))
oscillator = Oscillator(100)
for _ in range(12):
    oscillator.step(np.linspace(1, 2, 100), 0.05)
show("oscillator", [oscillator.state, oscillator.energy])


def parts(z):
    """The parts of complex numbers lie apart in memory, which a BLAS may heed."""
    return np.dot(z.real, z.imag) * 2, z.real @ z.real + 1, (z * 2).imag.dot(z.real) - 1


for size in (30, 1000):
    numbers = np.cos(np.arange(size)) + 1j * np.sin(np.arange(size) * 2.0)
    for _ in range(30):
        found = parts(numbers)
    print("parts", size, found)
