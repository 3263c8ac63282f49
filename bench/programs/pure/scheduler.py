"""A simulated operating system: tasks with queues of packets, chosen by state (after Richards)."""
from collections import deque


class Packet:
    def __init__(self, kind, data):
        self.kind = kind
        self.data = data


class Task:
    def __init__(self, system, name, priority):
        self.system = system
        self.name = name
        self.priority = priority
        self.queue = deque()
        self.runs = 0

    def ready(self):
        return bool(self.queue)

    def take(self):
        self.runs += 1
        return self.queue.popleft()


class Idle(Task):
    def __init__(self, system):
        super().__init__(system, "idle", 0)
        self.control = 1

    def ready(self):
        return True

    def step(self):
        self.runs += 1
        self.control = self.control >> 1 ^ (0xD008 if self.control & 1 else 0)
        self.system.send("device" if self.control & 1 else "worker", Packet("io", self.control))


class Device(Task):
    def step(self):
        packet = self.take()
        packet.data = packet.data * 3 & 0xFFFF
        self.system.send("handler", packet)


class Worker(Task):
    def __init__(self, system, name, priority):
        super().__init__(system, name, priority)
        self.letter = 0

    def step(self):
        packet = self.take()
        self.letter = (self.letter + packet.data) % 26
        packet.kind = chr(65 + self.letter)
        self.system.send("handler", packet)


class Handler(Task):
    def __init__(self, system, name, priority):
        super().__init__(system, name, priority)
        self.seen = {}

    def step(self):
        packet = self.take()
        self.seen[packet.kind] = self.seen.get(packet.kind, 0) + 1


class System:
    def __init__(self):
        self.tasks = [Handler(self, "handler", 3), Device(self, "device", 2),
                      Worker(self, "worker", 1), Idle(self)]
        self.named = {task.name: task for task in self.tasks}

    def send(self, name, packet):
        self.named[name].queue.append(packet)

    def choose(self):
        for task in self.tasks:
            if task.ready():
                return task
        return None

    def run(self, steps):
        for _ in range(steps):
            self.choose().step()
        return [(task.name, task.runs) for task in self.tasks]


system = System()
print(system.run(700000), sorted(system.named["handler"].seen.items())[:4])
