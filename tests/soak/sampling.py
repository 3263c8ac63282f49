"""What a soak measures: memory of a process over time, latencies, and whether they stay as they are.

Contract: everything here has a bounded size, however long a soak takes, so that what it measures is not itself.
A `Histogram` has a fixed number of buckets; `Memory` thins its samples out when they become many.

usage:
    memory = Memory(pid)
    while ...: memory.sample()
    findings = memory.verdict(minutes)      # [] if the memory is flat after the warm-up
"""
import bisect
import dataclasses
import statistics
import time

BUCKETS_PER_OCTAVE = 16
OCTAVES = 44  # of nanoseconds: up to some hours
MOST_SAMPLES = 4096


@dataclasses.dataclass(frozen=True)
class Flatness:
    """How far memory may move once the warm-up, the first quarter, is over."""
    growth: float  # of the fitted line from the end of the warm-up to the end, as a share of the median
    quarters: float  # of the last quarter's median over the second quarter's, as a share of the latter

    @staticmethod
    def over(seconds):
        """A long run's bounds are narrow. Of a run of some seconds most is a warm-up: only a large leak is seen."""
        return Flatness(0.03, 0.03) if seconds >= 300 else Flatness(0.5, 0.5)


class Histogram:
    """Counts of nanoseconds in buckets 4.4 % wide."""

    def __init__(self, counts=None):
        self.counts = counts or [0] * (BUCKETS_PER_OCTAVE * OCTAVES)

    def add(self, nanoseconds):
        self.counts[self.bucket(nanoseconds)] += 1

    @staticmethod
    def bucket(nanoseconds):
        nanoseconds = max(1, int(nanoseconds))
        octave = nanoseconds.bit_length() - 1
        index = octave * BUCKETS_PER_OCTAVE + (nanoseconds * BUCKETS_PER_OCTAVE >> octave) - BUCKETS_PER_OCTAVE
        return min(index, BUCKETS_PER_OCTAVE * OCTAVES - 1)

    @staticmethod
    def upper_end(index):
        octave, part = divmod(index, BUCKETS_PER_OCTAVE)
        return (1 << octave) * (1 + (part + 1) / BUCKETS_PER_OCTAVE)

    def percentile(self, share):
        """The upper end in nanoseconds of the bucket that holds the value with `share` of all at or below it."""
        total = sum(self.counts)
        if total == 0:
            return None
        seen = 0
        for index, count in enumerate(self.counts):
            seen += count
            if seen >= share * total:
                return self.upper_end(index)
        return self.upper_end(len(self.counts) - 1)

    def figures(self):
        """Microseconds, for a report."""
        def microseconds(share):
            value = self.percentile(share)
            return None if value is None else round(value / 1000, 1)
        return {"count": sum(self.counts), "p50_us": microseconds(0.5), "p99_us": microseconds(0.99),
                "p99.9_us": microseconds(0.999), "most_us": microseconds(1.0)}


class Quarters:
    """A histogram for each quarter of a run, so that latencies that grow are seen."""

    def __init__(self, seconds):
        self.start = time.monotonic()
        self.seconds = seconds
        self.parts = [Histogram() for _ in range(4)]

    def add(self, nanoseconds):
        part = int(4 * (time.monotonic() - self.start) / self.seconds)
        self.parts[min(3, part)].add(nanoseconds)

    def counts(self):
        return [part.counts for part in self.parts]


def latency_figures(parts):
    """Of four lists of counts: the figures of all together, and the medians of the quarters."""
    together = Histogram([sum(counts) for counts in zip(*parts)])
    medians = [Histogram(counts).percentile(0.5) for counts in parts]
    return together.figures() | {"p50_us_by_quarter": [m and round(m / 1000, 1) for m in medians]}


def resident_kilobytes(pid):
    """VmRSS; None if the process is gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as status:
            for line in status:
                if line.startswith("VmRSS:"):
                    return int(line.split()[1])
    except OSError:
        pass
    return None


def slope(times, values):
    """Of the line with the least squares."""
    mean_t, mean_v = statistics.fmean(times), statistics.fmean(values)
    spread = sum((t - mean_t) ** 2 for t in times)
    return sum((t - mean_t) * (v - mean_v) for t, v in zip(times, values)) / spread if spread else 0.0


class Memory:
    """Samples of a number over time: by default a process's resident memory in kB."""

    def __init__(self, pid=None):
        self.pid = pid
        self.start = time.monotonic()
        self.samples = []  # (seconds, value)

    def sample(self, value=None):
        """Takes one; without `value` from the process."""
        value = resident_kilobytes(self.pid) if value is None else value
        if value is None:
            return
        if len(self.samples) >= MOST_SAMPLES:
            self.samples = self.samples[::2]
        self.samples.append((time.monotonic() - self.start, value))

    def part(self, first, last):
        """The samples between two shares of the whole time."""
        begin, end = self.samples[0][0], self.samples[-1][0]
        times = [t for t, _ in self.samples]
        low = bisect.bisect_left(times, begin + first * (end - begin))
        high = bisect.bisect_right(times, begin + last * (end - begin))
        return self.samples[low:high] or self.samples[-1:]

    def figures(self):
        if len(self.samples) < 8:
            return {"samples": len(self.samples)}
        after = self.part(0.25, 1.0)
        per_second = slope([t for t, _ in after], [v for _, v in after])
        return {"samples": len(self.samples),
                "first_kB": self.samples[0][1],
                "most_kB": max(v for _, v in self.samples),
                "second_quarter_kB": statistics.median(v for _, v in self.part(0.25, 0.5)),
                "last_quarter_kB": statistics.median(v for _, v in self.part(0.75, 1.0)),
                "tenths_kB": [statistics.median(v for _, v in self.part(k / 10, (k + 1) / 10)) for k in range(10)],
                "slope_kB_per_minute": round(per_second * 60, 1),
                "growth_kB": round(per_second * (after[-1][0] - after[0][0]), 1)}

    def verdict(self, bounds):
        """What is wrong, as text; [] if the memory is flat."""
        figures = self.figures()
        if figures["samples"] < 8:
            return [f"only {figures['samples']} samples of memory"]
        second, last = figures["second_quarter_kB"], figures["last_quarter_kB"]
        wrong = []
        if figures["growth_kB"] > bounds.growth * second:
            wrong.append(f"memory grew by {figures['growth_kB']:.0f} kB along the fitted line, "
                         f"{100 * figures['growth_kB'] / second:.1f} % of {second:.0f} kB")
        if last > (1 + bounds.quarters) * second:
            wrong.append(f"memory's median in the last quarter is {last:.0f} kB, in the second {second:.0f} kB")
        return wrong
