"""An event-driven simulator has a heap of events, resources, statistics in arrays and handlers by type."""
import dataclasses
import enum
import heapq
import itertools
from collections import defaultdict, deque

import numpy as np


class Kind(enum.IntEnum):
    ARRIVE = 0
    SERVE = 1
    LEAVE = 2
    SAMPLE = 3


@dataclasses.dataclass(order=True)
class Event:
    time: float
    seq: int
    kind: Kind = dataclasses.field(compare=False)
    payload: dict = dataclasses.field(compare=False, default_factory=dict)


@dataclasses.dataclass
class Station:
    name: str
    rate: float
    capacity: int = 2
    busy: int = 0
    queue: deque = dataclasses.field(default_factory=deque)
    served: int = 0

    @property
    def load(self):
        return self.busy + len(self.queue)


class Simulator:
    total_events = 0

    def __init__(self, stations, seed=0, horizon=60.0):
        self.stations = {s.name: s for s in stations}
        self.rng = np.random.default_rng(seed)
        self.heap = []
        self.sequence = itertools.count()
        self.now = 0.0
        self.horizon = horizon
        self.handlers = {Kind.ARRIVE: self.on_arrive, Kind.LEAVE: self.on_leave, Kind.SAMPLE: self.on_sample}
        self.loads = np.zeros((len(stations), 64))
        self.samples = 0
        self.waits = defaultdict(list)

    def schedule(self, delay, kind, **payload):
        heapq.heappush(self.heap, Event(self.now + delay, next(self.sequence), kind, payload))

    def on_arrive(self, event):
        station = self.stations[event.payload["station"]]
        job = {"born": self.now, "work": self.rng.exponential(1.0 / station.rate)}
        if station.busy < station.capacity:
            self.start(station, job)
        else:
            station.queue.append(job)
        self.schedule(self.rng.exponential(0.7), Kind.ARRIVE, station=station.name)

    def start(self, station, job):
        station.busy += 1
        self.waits[station.name].append(self.now - job["born"])
        self.schedule(job["work"], Kind.LEAVE, station=station.name)

    def on_leave(self, event):
        station = self.stations[event.payload["station"]]
        station.busy -= 1
        station.served += 1
        if station.queue:
            self.start(station, station.queue.popleft())

    def on_sample(self, event):
        column = np.array([s.load for s in self.stations.values()], dtype=float)
        self.loads[:, self.samples % 64] = column
        self.samples += 1
        window = self.loads[:, max(0, self.samples - 8):self.samples]
        smooth = window.mean(axis=1) if window.size else column
        self.pressure = np.tanh(smooth / 4.0)
        self.schedule(1.0, Kind.SAMPLE)

    def run(self):
        for name in self.stations:
            self.schedule(0.0, Kind.ARRIVE, station=name)
        self.schedule(0.5, Kind.SAMPLE)
        while self.heap:
            event = heapq.heappop(self.heap)
            if event.time > self.horizon:
                break
            self.now = event.time
            Simulator.total_events += 1
            self.handlers[event.kind](event)
        return self

    def report(self):
        for i, (name, s) in enumerate(self.stations.items()):
            waits = np.array(self.waits[name])
            print(f"{name:8s} served {s.served:3d} wait {waits.mean():.4f}/{waits.max():.4f} load {self.loads[i].mean():.4f}")
        print("pressure", np.round(self.pressure, 4), "events", Simulator.total_events)


def main():
    for seed in range(3):
        stations = [Station("front", 1.2), Station("mid", 0.9, capacity=3), Station("back", 2.0, capacity=1)]
        Simulator(stations, seed).run().report()


main()
