"""A configuration makes a pipeline of dataclasses, enums, a registry, functools tools and context managers."""
import abc
import contextlib
import copy
import dataclasses
import enum
import functools
import json
import typing
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence

import numpy as np

REGISTRY: dict[str, type] = {}


def register(name, **defaults):
    def wrap(cls):
        REGISTRY[name] = cls
        cls.kind = name
        cls.defaults = defaults
        return cls
    return wrap


class Flags(enum.Flag):
    NONE = 0
    TRACE = 1
    CHECK = 2
    CACHE = 4


@dataclasses.dataclass(frozen=True)
class StageConfig:
    kind: str
    options: Mapping = dataclasses.field(default_factory=dict)
    flags: Flags = Flags.CHECK

    @classmethod
    def parse(cls, raw):
        if isinstance(raw, str):
            return cls(raw)
        flags = functools.reduce(lambda a, b: a | b, (Flags[f] for f in raw.get("flags", [])), Flags.NONE)
        return cls(raw["kind"], raw.get("options", {}), flags)


class Stage(abc.ABC):
    calls = 0
    last_shape = None

    def __init__(self, **options):
        for key, value in {**self.defaults, **options}.items():
            setattr(self, key, value)

    def __call__(self, x):
        type(self).calls += 1
        y = self.apply(x)
        type(self).last_shape = y.shape
        return y

    @abc.abstractmethod
    def apply(self, x): ...


@register("scale", factor=1.0, offset=0.0)
class Scale(Stage):
    calls = 0

    def apply(self, x):
        return x * self.factor + self.offset


@register("clip", low=-1.0, high=1.0)
class Clip(Stage):
    calls = 0

    def apply(self, x):
        return np.clip(x, self.low, self.high)


@register("standardise", axis=0, eps=1e-6)
class Standardise(Stage):
    calls = 0

    def apply(self, x):
        mean = x.mean(axis=self.axis, keepdims=True)
        std = x.std(axis=self.axis, keepdims=True)
        return (x - mean) / (std + self.eps)


@register("window", kernel="hann")
class Window(Stage):
    calls = 0

    def apply(self, x):
        return x * window(self.kernel, x.shape[-1])


@register("polynomial", coefficients=(0.0, 1.0))
class Polynomial(Stage):
    calls = 0

    def apply(self, x):
        if not isinstance(self.coefficients, Sequence):
            raise TypeError("coefficients")
        y = np.zeros_like(x)
        for c in reversed(self.coefficients):
            y = y * x + c
        return y


@functools.lru_cache(maxsize=8)
def window(kind, n):
    k = np.arange(n)
    if kind == "hann":
        return 0.5 - 0.5 * np.cos(2 * np.pi * k / (n - 1))
    return np.ones(n)


class Recorder:
    def __init__(self):
        self.lines = []
        self.depth = 0

    @contextlib.contextmanager
    def span(self, name):
        self.depth += 1
        try:
            yield self
        finally:
            self.depth -= 1
            self.lines.append("  " * self.depth + name)


@dataclasses.dataclass
class Pipeline:
    stages: typing.List[Stage]
    configs: typing.List[StageConfig]
    recorder: Recorder = dataclasses.field(default_factory=Recorder)
    cache: OrderedDict = dataclasses.field(default_factory=OrderedDict)
    limit: int = 4

    @classmethod
    def from_config(cls, text):
        configs = [StageConfig.parse(raw) for raw in json.loads(text)["stages"]]
        return cls([REGISTRY[c.kind](**c.options) for c in configs], configs)

    def run(self, key, x):
        if key in self.cache:
            self.cache.move_to_end(key)
            return self.cache[key]
        with self.recorder.span("run"):
            for stage, config in zip(self.stages, self.configs):
                if config.flags & Flags.TRACE:
                    with self.recorder.span(stage.kind):
                        x = stage(x)
                else:
                    x = stage(x)
                if Flags.CHECK in config.flags and not np.isfinite(x).all():
                    raise FloatingPointError(stage.kind)
        self.cache[key] = x
        if len(self.cache) > self.limit:
            self.cache.popitem(last=False)
        return x


CONFIG = """{"stages": ["standardise",
  {"kind": "scale", "options": {"factor": 0.5}, "flags": ["TRACE", "CHECK"]},
  {"kind": "window", "flags": ["TRACE", "CACHE"]},
  {"kind": "polynomial", "options": {"coefficients": [0.1, 1.0, -0.2]}, "flags": ["CHECK"]},
  {"kind": "clip", "options": {"low": -0.5}}]}"""


def main():
    rng = np.random.default_rng(11)
    pipeline = Pipeline.from_config(CONFIG)
    total = 0.0
    for i in range(24):
        x = rng.standard_normal((6, 32))
        y = pipeline.run(i % 7, x)
        total += float(np.abs(y).sum())
    print(f"{total:.8f}", list(pipeline.cache), len(pipeline.recorder.lines), pipeline.recorder.lines[:4])
    for stage in pipeline.stages:
        print(stage.kind, type(stage).calls, stage.last_shape, type(stage).__mro__[1].calls)
    other = dataclasses.replace(pipeline, limit=2, cache=OrderedDict(), stages=copy.deepcopy(pipeline.stages))
    for i in range(6):
        other.run(i, np.full((2, 32), float(i)) + np.arange(32.0))
    print(list(other.cache), window.cache_info(), [dataclasses.asdict(c)["kind"] for c in other.configs])
    try:
        other.run("bad", np.full((2, 32), np.inf))
    except FloatingPointError as error:
        print("caught", error)


with np.errstate(all="ignore"):
    main()
