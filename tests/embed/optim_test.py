#!/usr/bin/env python3
"""dynacc.tree, dynacc.optim, dynacc.losses and dynacc.initializers against formulas written out by hand. Run by the
launcher and by a stock python3; what needs the package safetensors is skipped without it."""
import collections
import dataclasses
import importlib.util
import math
import os
import pathlib
import sys
import tempfile
import unittest
import warnings

import numpy as np

import dynacc
from dynacc import initializers, losses, optim, tree

HAS_SAFETENSORS = importlib.util.find_spec("safetensors") is not None
Pair = collections.namedtuple("Pair", "first second")


@dataclasses.dataclass
class Layer:
    weight: object
    bias: object = None


def example():
    """A tree with each kind of node, whose leaves are 0 to 5."""
    return {"b": [0, (1, Pair(2, {"z": 3}))], "a": Layer(4), "n": None, "e": [], "s": 5}


def arrays(seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    return {"w": rng.normal(size=(3, 4)).astype(dtype), "b": [rng.normal(size=4).astype(dtype), None],
            "s": rng.normal(size=()).astype(dtype)}


def gradients(round, dtype=np.float64):
    return arrays(round + 1, dtype)


def steps(optimizer, rounds=6, dtype=np.float64, params=None):
    """The parameters, states and updates of some rounds."""
    params = arrays(0, dtype) if params is None else params
    state = optimizer.init(params)
    seen = []
    for i in range(rounds):
        updates, state = optimizer.update(gradients(i, dtype), state, params)
        params = optim.apply_updates(params, updates)
        seen.append(updates)
    return params, state, seen


def close(found, wanted, tolerance=1e-13):
    for a, b in zip(tree.leaves(found), tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=1e-300)


def by_hand(rule, rounds=6):
    """Parameters after rounds of rule(p, g, kept, round) -> (p, kept), for each leaf on its own."""
    leaves, structure = tree.flatten(arrays())
    found = []
    for k, p in enumerate(leaves):
        kept = {}
        for i in range(rounds):
            p = rule(p, tree.leaves(gradients(i))[k], kept, i)
        found.append(p)
    return structure.unflatten(found)


class Trees(unittest.TestCase):
    def test_the_order_of_leaves(self):
        self.assertEqual(tree.leaves(example()), [0, 1, 2, 3, 4, 5])
        self.assertEqual(tree.leaves(None), [])
        self.assertEqual(tree.leaves(7), [7])

    def test_flatten_and_back(self):
        leaves, structure = tree.flatten(example())
        self.assertEqual(structure.num_leaves, 6)
        self.assertEqual(tree.unflatten(structure, leaves), example())
        self.assertEqual(repr(tree.structure({"a": [1, None]})), "Structure({'a': [*, None]})")
        for count in (5, 7):
            with self.assertRaisesRegex(ValueError, "6 leaves"):
                structure.unflatten(range(count))

    def test_structures_compare(self):
        same = {"s": 1, "e": [], "n": None, "a": Layer([1]), "b": [0, (1, Pair(2, {"z": 3}))]}
        self.assertNotEqual(tree.structure(example()), tree.structure(same))
        same["a"] = Layer("leaf")
        self.assertEqual(tree.structure(example()), tree.structure(same))
        self.assertEqual(hash(tree.structure(example())), hash(tree.structure(same)))
        self.assertNotEqual(tree.structure([1, 2]), tree.structure((1, 2)))
        self.assertNotEqual(tree.structure([1]), tree.structure([None]))
        self.assertNotEqual(tree.structure([]), [])

    def test_map(self):
        doubled = tree.map(lambda a, b: a + b, example(), example())
        self.assertEqual(tree.leaves(doubled), [0, 2, 4, 6, 8, 10])
        self.assertIs(type(doubled["b"][1][1]), Pair)
        self.assertEqual(tree.map(lambda a, b: a - b, {"x": 5, "y": 7}, {"y": 2, "x": 1}), {"x": 4, "y": 5})
        self.assertEqual(tree.map(lambda a, b: (a, b), [1, 2], [None, [3]]), [(1, None), (2, [3])])

    def test_map_of_trees_that_differ(self):
        for first, other, text in [([1, [2]], [1, (2,)], r"tree\[1\] is list, the other one's tuple"),
                                   ({"a": [1]}, {"a": [1, 2]}, r"tree\['a'\] has the length 1"),
                                   ({"a": 1}, {"b": 1}, r"keys \['a'\], the other one's \['b'\]"),
                                   ({"a": 1}, {"a": 1, "b": 1}, "keys"), ([None], [1], r"tree\[0\] is NoneType")]:
            with self.assertRaisesRegex(ValueError, text):
                tree.map(lambda a, b: a, first, other)

    def test_reduce(self):
        self.assertEqual(tree.reduce(lambda a, b: a * 10 + b, example()), 12345)
        self.assertEqual(tree.reduce(lambda a, b: a + [b], {"x": 1}, []), [1])
        self.assertEqual(tree.reduce(max, None, 3), 3)
        with self.assertRaisesRegex(TypeError, "no leaves"):
            tree.reduce(max, [])

    def test_ravel(self):
        mixed = {"a": np.arange(6, dtype=np.float32).reshape(2, 3), "b": (2.5, np.arange(2))}
        flat, unravel = tree.ravel(mixed)
        self.assertEqual((flat.dtype, flat.tolist()), (np.float64, [0, 1, 2, 3, 4, 5, 2.5, 0, 1]))
        back = unravel(flat)
        self.assertEqual((back["a"].dtype, back["a"].shape, back["b"][1].dtype), (np.float32, (2, 3), np.int64))
        self.assertEqual((type(back["b"][0]), back["b"][0]), (np.float64, 2.5))
        with self.assertRaisesRegex(ValueError, "9 elements"):
            unravel(flat[1:])
        self.assertEqual(tree.ravel([])[0].shape, (0,))

    def test_ravel_in_a_loss(self):
        params = arrays()
        flat, unravel = tree.ravel(params)
        gradient = dynacc.grad(lambda p: (tree.ravel(p)[0] ** 2).sum())(params)
        close(gradient, tree.map(lambda p: 2 * p, params))


@unittest.skipUnless(HAS_SAFETENSORS, "the package safetensors is not installed")
class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(folder.name, "params.safetensors")

    def test_a_tree_comes_back(self):
        saved = {"layers": [Layer(np.arange(6.0).reshape(2, 3).T, np.float32(3)), None], "rate": 0.5, "round": 7,
                 "state": optim.adam(0.1).init({"w": np.ones(2, np.float16)}), "on": True, "empty": np.zeros((0, 3))}
        tree.save(self.path, saved, {"by": "a test"})
        loaded = tree.load(self.path, like=saved)
        self.assertEqual(tree.structure(loaded), tree.structure(saved))
        for a, b in zip(tree.leaves(loaded), tree.leaves(saved), strict=True):
            self.assertIs(type(a), type(b))
            self.assertEqual((np.asarray(a).dtype, np.asarray(a).tolist()), (np.asarray(b).dtype, np.asarray(b).tolist()))
        names = tree.load(self.path)
        self.assertEqual(sorted(names), ["empty", "layers.0.bias", "layers.0.weight", "on", "rate", "round",
                                         "state.0.count", "state.0.mu.w", "state.0.nu.w"])

    def test_the_old_file_stays_if_writing_fails(self):
        tree.save(self.path, [np.zeros(3)])
        before = pathlib.Path(self.path).read_bytes()
        replace = os.replace
        def fail(*paths):
            raise OSError("no")
        os.replace = fail
        try:
            with self.assertRaisesRegex(OSError, "no"):
                tree.save(self.path, [np.ones(3)])
        finally:
            os.replace = replace
        self.assertEqual(pathlib.Path(self.path).read_bytes(), before)
        self.assertEqual(os.listdir(self.folder), ["params.safetensors"])

    def test_what_cannot_be_saved(self):
        for leaf in (np.ones(2) * 1j, np.array(["a"]), "a", np.ones(2, np.longdouble)):
            with self.assertRaisesRegex(TypeError, r"x\.0 is"):
                tree.save(self.path, {"x": [leaf]})
        with self.assertRaisesRegex(ValueError, r"two leaves have the name a\.b"):
            tree.save(self.path, {"a.b": 1.0, "a": {"b": 1.0}})
        self.assertEqual(os.listdir(self.folder), [])

    def test_what_cannot_be_loaded(self):
        tree.save(self.path, {"a": np.zeros(3), "b": 1})
        for like, text in [({"a": np.zeros(3)}, r"has \['b'\] beside"), ({"a": np.zeros(3), "b": 1, "c": 2}, r"lacks \['c'\]"),
                           ({"a": np.zeros(4), "b": 1}, r"\(3,\) in the file"), ({"a": np.zeros(3, np.float32), "b": 1}, "float32")]:
            with self.assertRaisesRegex(ValueError, text):
                tree.load(self.path, like=like)
        with open(self.path, "wb") as file:
            file.write(b"nothing of the kind")
        with self.assertRaisesRegex(ValueError, "no file of the format safetensors"):
            tree.load(self.path)

    def test_a_number_at_the_root(self):
        tree.save(self.path, 2.5)
        self.assertEqual(tree.load(self.path, like=0.0), 2.5)


class FilesWithoutThePackage(unittest.TestCase):
    def test_it_is_said(self):
        there = {name: module for name, module in sys.modules.items() if name.startswith("safetensors")}
        sys.modules.update({"safetensors": None, "safetensors.numpy": None})
        try:
            for call in (lambda: tree.save("/nowhere/x", []), lambda: tree.load("/nowhere/x")):
                with self.assertRaisesRegex(ImportError, "pip install safetensors"):
                    call()
        finally:
            del sys.modules["safetensors"], sys.modules["safetensors.numpy"]
            sys.modules.update(there)


class Optimizers(unittest.TestCase):
    def test_sgd(self):
        def plain(p, g, kept, i):
            return p - 0.1 * g

        def momentum(p, g, kept, i):
            kept["t"] = g + 0.9 * kept.get("t", 0)
            return p - 0.1 * kept["t"]

        def nesterov(p, g, kept, i):
            kept["t"] = g + 0.9 * kept.get("t", 0)
            return p - 0.1 * (g + 0.9 * kept["t"])

        close(steps(optim.sgd(0.1))[0], by_hand(plain))
        close(steps(optim.sgd(0.1, 0.9))[0], by_hand(momentum))
        close(steps(optim.sgd(0.1, 0.9, nesterov=True))[0], by_hand(nesterov))

    def test_adam(self):
        def rule(p, g, kept, i, decay=0.0, nesterov=False):
            m = kept["m"] = 0.9 * kept.get("m", 0) + 0.1 * g
            v = kept["v"] = 0.999 * kept.get("v", 0) + 0.001 * g**2
            n = i + 1
            mean = m / (1 - 0.9**n)
            if nesterov:
                mean = 0.9 * m / (1 - 0.9**(n + 1)) + 0.1 * g / (1 - 0.9**n)
            return p - 0.01 * (mean / (np.sqrt(v / (1 - 0.999**n)) + 1e-8) + decay * p)

        close(steps(optim.adam(0.01))[0], by_hand(rule), 1e-12)
        close(steps(optim.adam(0.01, nesterov=True))[0], by_hand(lambda *a: rule(*a, nesterov=True)), 1e-12)
        close(steps(optim.adamw(0.01, weight_decay=0.3))[0], by_hand(lambda *a: rule(*a, decay=0.3)), 1e-12)
        close(steps(optim.adamw(0.01))[0], by_hand(lambda *a: rule(*a, decay=1e-4)), 1e-12)

    def test_lion(self):
        def rule(p, g, kept, i):
            m = kept.get("m", 0)
            kept["m"] = 0.99 * m + 0.01 * g
            return p - 0.01 * (np.sign(0.9 * m + 0.1 * g) + 1e-3 * p)

        close(steps(optim.lion(0.01))[0], by_hand(rule))

    def test_ema(self):
        leaf = [tree.leaves(gradients(i))[0] for i in range(4)]
        average = 0
        for g in leaf:
            average = 0.8 * average + 0.2 * g
        for debias, wanted in ((True, average / (1 - 0.8**4)), (False, average)):
            updates = steps(optim.ema(0.8, debias), 4)[2]
            np.testing.assert_allclose(updates[-1]["w"], wanted, rtol=1e-13)

    def test_clipping(self):
        g = gradients(0)
        norm = math.sqrt(sum(float((leaf**2).sum()) for leaf in tree.leaves(g)))
        self.assertAlmostEqual(float(optim.global_norm(g)), norm, 13)
        for bound in (norm / 2, norm * 2):
            clipped, _ = optim.clip_by_global_norm(bound).update(g, optim.EmptyState())
            close(clipped, tree.map(lambda leaf: leaf * min(1, bound / norm), g))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            zeros, _ = optim.clip_by_global_norm(1.0).update(tree.map(np.zeros_like, g), optim.EmptyState())
        close(zeros, tree.map(np.zeros_like, g))
        cut, _ = optim.clip(0.5).update({"x": np.array([-2, 0.1, 3])}, optim.EmptyState())
        self.assertEqual(cut["x"].tolist(), [-0.5, 0.1, 0.5])

    def test_masks_of_weight_decay(self):
        params = {"w": np.ones(2), "sub": [np.ones(3), np.ones(1)]}
        zeros = tree.map(np.zeros_like, params)
        for mask in ({"w": True, "sub": False}, lambda p: {"w": True, "sub": [False, False]}):
            updates, _ = optim.add_decayed_weights(0.5, mask).update(zeros, optim.EmptyState(), params)
            self.assertEqual([leaf.tolist() for leaf in tree.leaves(updates)], [[0.5, 0.5], [0, 0, 0], [0]])

    def test_dtypes_stay(self):
        every = optim.chain(optim.clip_by_global_norm(1.0), optim.clip(9.0), optim.trace(0.9, True), optim.ema(0.9),
                            optim.scale_by_lion(), optim.adamw(optim.warmup_cosine_decay_schedule(0.1, 1, 2, 9)))
        for dtype in (np.float16, np.float32, np.float64):
            params, state, updates = steps(every, 3, dtype)
            for leaf in tree.leaves((params, updates)):
                self.assertEqual(np.asarray(leaf).dtype, dtype)
            again = every.init(arrays(0, dtype))
            for kept, first in zip(tree.leaves(state), tree.leaves(again), strict=True):
                self.assertEqual(np.asarray(kept).dtype, np.asarray(first).dtype)
        mixed = {"a": np.ones(2, np.float32), "b": np.ones(2), "c": 1.0, "z": np.ones(2) + 0j}
        updates, _ = every.update(mixed, every.init(mixed), mixed)
        self.assertEqual([np.asarray(leaf).dtype for leaf in tree.leaves(updates)],
                         [np.float32, np.float64, np.float64, np.complex128])

    def test_dtypes_of_states(self):
        params = arrays()
        for made, kept in [(optim.scale_by_adam(mu_dtype=np.float32), "mu"), (optim.trace(0.9, accumulator_dtype=np.float32), "trace"),
                           (optim.ema(0.9, accumulator_dtype=np.float32), "ema"), (optim.scale_by_lion(mu_dtype="f4"), "mu")]:
            state = made.init(params)
            for _ in range(2):
                self.assertEqual({np.asarray(leaf).dtype for leaf in tree.leaves(getattr(state, kept))}, {np.dtype("f4")})
                updates, state = made.update(gradients(1), state, params)
            self.assertEqual(updates["w"].dtype, np.float64)

    def test_nothing_is_written_into(self):
        params, gradient = arrays(), gradients(0)
        optimizer = optim.chain(optim.clip_by_global_norm(0.1), optim.adamw(0.1), optim.ema(0.5))
        state = optimizer.init(params)
        for leaf in tree.leaves((params, gradient, state)):
            if isinstance(leaf, np.ndarray):
                leaf.flags.writeable = False
        first = optimizer.update(gradient, state, params)
        close(first[0], optimizer.update(gradient, state, params)[0])

    def test_counts_end(self):
        last = np.asarray(np.int32(2**31 - 1))
        _, state = optim.scale_by_schedule(lambda count: 1.0).update([1.0], optim.ScaleByScheduleState(last))
        self.assertEqual((state.count.dtype, int(state.count)), (np.int32, 2**31 - 1))

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, "needs the parameters"):
            optim.adamw(0.1).update(gradients(0), optim.adamw(0.1).init(arrays()))
        with self.assertRaisesRegex(ValueError, "another optimizer"):
            optim.adamw(0.1).update(gradients(0), optim.adam(0.1).init(arrays()), arrays())
        with self.assertRaisesRegex(ValueError, "the trees differ"):
            optim.apply_updates({"a": np.ones(2)}, {"b": np.ones(2)})

    def test_parameters_without_updates(self):
        self.assertEqual(optim.apply_updates([1.0, np.ones(1)], [None, np.ones(1)])[0], 1.0)
        close(optim.incremental_update([np.ones(2)], [np.zeros(2)], 0.25), [np.full(2, 0.25)])

    def test_a_step_is_one_graph(self):
        optimizer = optim.chain(optim.clip_by_global_norm(1.0),
                                optim.adamw(optim.warmup_cosine_decay_schedule(0.0, 1e-2, 3, 9), mask={"w": True, "b": True, "s": False}),
                                optim.ema(0.9), optim.trace(0.5), optim.scale_by_lion())

        def step(params, state, gradient):
            updates, state = optimizer.update(gradient, state, params)
            return optim.apply_updates(params, updates), state

        params = arrays()
        explained = dynacc.explain(step)(params, optimizer.init(params), gradients(0))
        self.assertEqual((len(explained.graphs), explained.breaks), (1, []))
        compiled = dynacc.compile(step, fullgraph=True)
        one = other = params, optimizer.init(params)
        before = dynacc.stats()
        for i in range(12):
            one, other = compiled(*one, gradients(i)), step(*other, gradients(i))
            for a, b in zip(tree.leaves(one), tree.leaves(other), strict=True):
                self.assertEqual((type(a), a.dtype, a.tobytes()), (type(b), b.dtype, b.tobytes()))
        after = dynacc.stats()
        self.assertLessEqual(after["segments_compiled"] - before["segments_compiled"], 2)
        self.assertGreaterEqual(after["entries_hit"] - before["entries_hit"], 10)


    def test_trees_of_many_leaves_are_one_graph(self):
        many = {"layers": [np.full(3, float(i)) for i in range(60)]}
        for function in (lambda p: optim.global_norm(p), lambda p: tree.map(lambda a, b: a * b, p, p), lambda p: tree.ravel(p)[0]):
            explained = dynacc.explain(function)(many)
            self.assertEqual((len(explained.graphs), explained.breaks), (1, []))


class Schedules(unittest.TestCase):
    def values(self, schedule, counts=(0, 1, 3, 5, 10, 11, 50)):
        """Those of ints, which arrays and int32 counts have, too."""
        found = [float(schedule(count)) for count in counts]
        self.assertEqual([float(schedule(np.asarray(np.int32(count)))) for count in counts], found)
        return found

    def test_formulas(self):
        clipped = lambda c, begin, steps: min(max(c - begin, 0), steps) / steps
        for schedule, formula in [
                (optim.constant_schedule(0.3), lambda c: 0.3),
                (optim.linear_schedule(1.0, 0.2, 10, 3), lambda c: 1 - 0.8 * clipped(c, 3, 10)),
                (optim.linear_schedule(1.0, 0.2, 0), lambda c: 1.0),
                (optim.polynomial_schedule(1.0, 0.2, 2, 10, -4), lambda c: 0.8 * (1 - clipped(c, 0, 10))**2 + 0.2),
                (optim.exponential_decay(2.0, 4, 0.5), lambda c: 2 * 0.5**(c / 4)),
                (optim.exponential_decay(2.0, 4, 0.5, 2, True), lambda c: 2 * 0.5**(max(c - 2, 0) // 4)),
                (optim.exponential_decay(2.0, 4, 0.5, end_value=0.7), lambda c: max(2 * 0.5**(c / 4), 0.7)),
                (optim.exponential_decay(2.0, 4, 1.5, end_value=9.0), lambda c: min(2 * 1.5**(c / 4), 9.0)),
                (optim.exponential_decay(2.0, 4, 0), lambda c: 2.0),
                (optim.cosine_decay_schedule(2.0, 10, 0.1, 1.5),
                 lambda c: 2 * (0.9 * (0.5 * (1 + math.cos(math.pi * min(c, 10) / 10)))**1.5 + 0.1)),
                (optim.warmup_cosine_decay_schedule(0.1, 2.0, 5, 12, 0.3),
                 lambda c: 0.1 + 1.9 * c / 5 if c < 5 else
                 0.3 + 1.7 * 0.5 * (1 + math.cos(math.pi * min(c - 5, 7) / 7))),
                (optim.warmup_cosine_decay_schedule(0.1, 0.0, 5, 12), lambda c: 0.1 - 0.1 * c / 5 if c < 5 else 0.0)]:
            np.testing.assert_allclose(self.values(schedule), [formula(c) for c in (0, 1, 3, 5, 10, 11, 50)],
                                       rtol=1e-14, atol=1e-16)

    def test_errors(self):
        with self.assertRaisesRegex(ValueError, "must be positive"):
            optim.warmup_cosine_decay_schedule(0.0, 1.0, 10, 10)

    def test_of_an_optimizer(self):
        optimizer = optim.sgd(optim.linear_schedule(1.0, 0.0, 4))
        params, state, updates = steps(optimizer, 6)
        close(updates, [tree.map(lambda g: -max(1 - i / 4, 0) * g, gradients(i)) for i in range(6)])
        self.assertEqual(int(state[1].count), 6)


class Losses(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(3)
        self.logits, self.targets = rng.normal(size=(2, 3, 5)) * 4, rng.normal(size=(2, 3, 5))
        e = np.exp(self.logits)
        self.probabilities = e / e.sum(axis=-1, keepdims=True)

    def test_cross_entropy(self):
        labels = np.array([[0, 4, 2], [1, 1, 3]])
        wanted = -np.log(np.take_along_axis(self.probabilities, labels[..., None], -1))[..., 0]
        one_hot = np.eye(5)[labels]
        np.testing.assert_allclose(losses.softmax_cross_entropy_with_integer_labels(self.logits, labels), wanted, rtol=1e-9)
        np.testing.assert_allclose(losses.softmax_cross_entropy(self.logits, one_hot), wanted, rtol=1e-9)
        np.testing.assert_allclose(losses.softmax_cross_entropy(np.moveaxis(self.logits, -1, 0),
                                                                np.moveaxis(one_hot, -1, 0), axis=0), wanted, rtol=1e-9)
        gradient = dynacc.grad(lambda x: losses.softmax_cross_entropy_with_integer_labels(x, labels).sum())(self.logits)
        np.testing.assert_allclose(gradient, self.probabilities - one_hot, rtol=1e-9, atol=1e-12)
        smooth = losses.smooth_labels(one_hot, 0.1)
        gradient = dynacc.grad(lambda x: losses.softmax_cross_entropy(x, smooth).sum())(self.logits)
        np.testing.assert_allclose(gradient, self.probabilities - (0.9 * one_hot + 0.02), rtol=1e-9, atol=1e-12)

    def test_binary_cross_entropy(self):
        x, labels = self.logits, (self.targets > 0) * 1.0
        p = 1 / (1 + np.exp(-x))
        found = losses.sigmoid_binary_cross_entropy(x, labels)
        np.testing.assert_allclose(found, -(labels * np.log(p) + (1 - labels) * np.log(1 - p)), rtol=1e-9)
        gradient = dynacc.grad(lambda x: losses.sigmoid_binary_cross_entropy(x, labels).sum())(x)
        np.testing.assert_allclose(gradient, p - labels, rtol=1e-9, atol=1e-12)

    def test_errors_of_regression(self):
        x, y = self.logits, self.targets
        e = x - y
        np.testing.assert_allclose(losses.squared_error(x, y), e**2, rtol=1e-13)
        np.testing.assert_allclose(losses.l2_loss(x, y), e**2 / 2, rtol=1e-13)
        np.testing.assert_allclose(losses.huber_loss(x, y, 0.5),
                                   np.where(np.abs(e) < 0.5, e**2 / 2, 0.5 * (np.abs(e) - 0.25)), rtol=1e-12)
        np.testing.assert_allclose(losses.log_cosh(x, y), np.log(np.cosh(e)), rtol=1e-9, atol=1e-15)
        gradient = dynacc.grad(lambda x: losses.huber_loss(x, y).sum())(x)
        np.testing.assert_allclose(gradient, np.clip(e, -1, 1), rtol=1e-12)
        gradient = dynacc.grad(lambda x: losses.log_cosh(x, y).sum())(x)
        np.testing.assert_allclose(gradient, np.tanh(e), rtol=1e-9, atol=1e-12)
        for loss in (losses.squared_error, losses.l2_loss, losses.huber_loss, losses.log_cosh):
            np.testing.assert_array_equal(loss(e), loss(x, y))

    def test_large_logits_and_dtypes(self):
        big = np.array([[1e4, -1e4, 0.0]], np.float32)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for found, wanted in [(losses.softmax_cross_entropy_with_integer_labels(big, np.array([1])), 2e4),
                                  (losses.sigmoid_binary_cross_entropy(big, np.float32([[0, 1, 1]])), [[1e4, 1e4, np.log(2)]]),
                                  (losses.log_cosh(big), [[1e4 - np.log(2), 1e4 - np.log(2), 0]]),
                                  (losses.huber_loss(big), [[1e4 - 0.5, 1e4 - 0.5, 0]])]:
                np.testing.assert_allclose(found, wanted, rtol=1e-6)
                self.assertEqual(found.dtype, np.float32)

    def test_errors(self):
        with self.assertRaisesRegex(TypeError, "labels are ints"):
            losses.softmax_cross_entropy_with_integer_labels(self.logits, self.targets[..., 0])
        with self.assertRaisesRegex(ValueError, r"\(2, 3, 5\)"):
            losses.softmax_cross_entropy_with_integer_labels(self.logits, np.array([1, 2, 3]))


class Initializers(unittest.TestCase):
    def test_moments(self):
        shape = (3, 3, 40, 60)  # a filter: 9 * 40 inputs, 9 * 60 outputs
        for make, variance in [(initializers.normal(0.3), 0.09), (initializers.uniform(0.6), 0.03),
                               (initializers.glorot_uniform(), 2 / 900), (initializers.glorot_normal(), 2 / 900),
                               (initializers.lecun_uniform(), 1 / 360), (initializers.lecun_normal(), 1 / 360),
                               (initializers.he_uniform(), 2 / 360), (initializers.he_normal(), 2 / 360),
                               (initializers.variance_scaling(2.0, "fan_out", "normal"), 2 / 540),
                               (initializers.variance_scaling(1.0, "fan_geo_avg", "normal"), 1 / math.sqrt(360 * 540)),
                               (initializers.variance_scaling(1.0, "fan_in", "normal", (0, 1), 2, 3), 1 / 9)]:
            values = make(np.random.default_rng(0), shape, np.float32)
            self.assertEqual((values.shape, values.dtype), (shape, np.float32))
            self.assertAlmostEqual(float(values.astype(float).var()) / variance, 1, delta=0.03)
            again = make(np.random.default_rng(0), shape, np.float32)
            self.assertEqual(values.tobytes(), again.tobytes())
            self.assertEqual(make(np.random.default_rng(0), (2, 2, 2, 2)).dtype, np.float64)

    def test_bounds(self):
        values = initializers.truncated_normal(0.5, lower=-1, upper=2)(np.random.default_rng(0), (9999,))
        self.assertTrue(-0.5 <= values.min() < -0.49 and 0.98 < values.max() <= 1)
        values = initializers.glorot_uniform()(np.random.default_rng(0), (100, 50))
        bound = math.sqrt(6 / 150)
        self.assertTrue(0.99 * bound < values.max() <= bound and -bound <= values.min() < -0.99 * bound)

    def test_orthogonal(self):
        for shape, axis in (((6, 4), -1), ((4, 6), -1), ((2, 3, 5), -1), ((5, 2, 3), 0)):
            made = initializers.orthogonal(2.0, axis)(np.random.default_rng(0), shape)
            matrix = np.moveaxis(made, axis, -1).reshape(-1, shape[axis])
            gram = matrix.T @ matrix if matrix.shape[0] >= matrix.shape[1] else matrix @ matrix.T
            np.testing.assert_allclose(gram, 4 * np.eye(len(gram)), atol=1e-12)

    def test_constants(self):
        rng = np.random.default_rng(0)
        self.assertEqual(initializers.zeros(rng, (2,), np.float16).tolist(), [0, 0])
        self.assertEqual(initializers.ones(rng, (2,)).tolist(), [1, 1])
        self.assertEqual(initializers.constant([1, 2])(rng, (2, 2)).tolist(), [[1, 2], [1, 2]])

    def test_errors(self):
        rng = np.random.default_rng(0)
        for call, text in [(lambda: initializers.he_normal()(rng, (3,)), "two axes"),
                           (lambda: initializers.orthogonal()(rng, (3,)), "two axes"),
                           (lambda: initializers.variance_scaling(1, "fan", "normal"), "mode"),
                           (lambda: initializers.variance_scaling(1, "fan_in", "n"), "distribution"),
                           (lambda: initializers.truncated_normal(1, lower=3, upper=2), "nothing")]:
            with self.assertRaisesRegex(ValueError, text):
                call()


class LossScales(unittest.TestCase):
    def test_grow_and_fall(self):
        scale = optim.DynamicLossScale(np.float32(8), period=3)
        seen = []
        for finite in (True, True, True, True, False, True, False, False, False, False):
            scale = scale.adjust(np.bool_(finite))
            seen.append(float(scale.loss_scale))
        self.assertEqual(seen, [8, 8, 16, 16, 8, 8, 4, 2, 1, 1])
        self.assertEqual((scale.loss_scale.dtype, scale.counter.dtype), (np.float32, np.int32))
        largest = optim.DynamicLossScale(np.float32(3e38), np.int32(2), period=3).adjust(np.True_)
        self.assertEqual(largest.loss_scale, np.float32(3e38))

    def test_a_step_in_float16(self):
        x = np.linspace(0, 1, 8).astype(np.float16)

        def loss(p, scale):
            return scale.scale(((x * p["w"]) ** 2).mean(dtype=np.float16) * np.float16(1e-5))

        @dynacc.compile
        def step(p, scale):
            gradient = scale.unscale(dynacc.tree.map(lambda g: g.astype(np.float32), dynacc.grad(loss)(p, scale)))
            finite = optim.all_finite(gradient)
            moved = dynacc.tree.map(lambda w, g: w - (100 * g).astype(np.float16), p, gradient)
            return optim.select_tree(finite, moved, p), scale.adjust(finite), gradient

        p = {"w": np.full(8, 0.25, np.float16)}
        self.assertEqual(dynacc.grad(loss)(p, optim.DynamicLossScale(np.float32(1)))["w"][1], 0)  # it vanishes
        after, scale, gradient = step(p, optim.DynamicLossScale(np.float32(2**10)))
        np.testing.assert_allclose(gradient["w"], 2e-5 * x.astype(float) ** 2 * 0.25 / 8, rtol=0.05, atol=1e-9)
        self.assertTrue((after["w"] <= p["w"]).all())
        self.assertEqual(scale.counter, 1)
        with np.errstate(all="ignore"):
            stuck, scale, _ = step({"w": np.full(8, np.inf, np.float16)}, scale)
        np.testing.assert_array_equal(stuck["w"], np.full(8, np.inf))
        self.assertEqual(scale.loss_scale, 2**9)


class Package(unittest.TestCase):
    def test_modules_are_attributes(self):
        for name in ("tree", "optim", "losses", "initializers"):
            self.assertIn(name, dir(dynacc))
            module = getattr(dynacc, name)
            for each in module.__all__:
                self.assertTrue(getattr(module, each).__doc__, f"{name}.{each}")

    def test_a_training_loop(self):
        rng = np.random.default_rng(0)
        x = rng.normal(size=(64, 3)).astype(np.float32)
        y = (np.sin(x[:, 0]) * x[:, 1]).astype(np.float32)
        he = initializers.he_normal()
        params = {"w": he(rng, (3, 16), np.float32), "b": np.zeros(16, np.float32), "v": he(rng, (16, 1), np.float32)}

        def loss(p):
            return losses.l2_loss((np.tanh(x @ p["w"] + p["b"]) @ p["v"])[:, 0], y).mean()

        for optimizer, bound in [(optim.adam(0.05), 0.02), (optim.sgd(0.2, 0.9), 0.05), (optim.lion(0.01), 0.05)]:
            trained, state = params, optimizer.init(params)
            for _ in range(200):
                updates, state = optimizer.update(dynacc.grad(loss)(trained), state, trained)
                trained = optim.apply_updates(trained, updates)
            self.assertLess(loss(trained), bound * loss(params))


if __name__ == "__main__":
    unittest.main()
