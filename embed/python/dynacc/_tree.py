"""Trees: nested lists, tuples, named tuples, dicts and dataclasses, whose leaves are everything else.

None is a tree without leaves. Dicts are walked in their own order, dataclasses in the order of their fields. A path is
a text as Python writes it: "[0]['w'].bias".
"""
import dataclasses as _dataclasses

import numpy as _np


def items(tree):
    """(path, child) of each child of a node; None for a leaf."""
    kind = type(tree)
    if kind is _np.ndarray:
        return None  # most leaves; what follows takes a trace many steps
    if tree is None:
        return []
    if kind in (list, tuple) or _is_named_tuple(tree):
        names = tree._fields if _is_named_tuple(tree) else None
        return [(f".{names[i]}" if names else f"[{i}]", child) for i, child in enumerate(tree)]
    if kind is dict:
        return [(f"[{key!r}]", child) for key, child in tree.items()]
    if _dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        return [(f".{field.name}", getattr(tree, field.name)) for field in _dataclasses.fields(tree)]
    return None


def rebuild(tree, children):
    """A node like `tree`, which is none of the leaves, with other children."""
    kind = type(tree)
    if tree is None:
        return None
    if kind in (list, tuple):
        return kind(children)
    if _is_named_tuple(tree):
        return kind(*children)
    if kind is dict:
        return dict(zip(tree, children))
    copy = object.__new__(kind)  # not its __init__, which may check, or compute other fields
    copy.__dict__.update(getattr(tree, "__dict__", {}))
    for field, child in zip(_dataclasses.fields(tree), children):
        object.__setattr__(copy, field.name, child)
    return copy


def leaves(tree, path=""):
    """[(path, leaf)] in the tree's order."""
    children = items(tree)
    if children is None:
        return [(path, tree)]
    return [leaf for step, child in children for leaf in leaves(child, path + step)]


def map_leaves(function, tree, path=""):
    """The tree with function(path, leaf) in the place of each leaf."""
    children = items(tree)
    if children is None:
        return function(path, tree)
    return rebuild(tree, [map_leaves(function, child, path + step) for step, child in children])


def zip_leaves(tree, other, what):
    """[(leaf of tree, leaf of other)]; ValueError, saying `what` is another tree, if they are not alike.

    Dicts may have their keys in another order.
    """
    mine, others = leaves(tree), leaves(other)
    by_path = dict(others)
    if len(others) != len(mine) or any(path not in by_path for path, _ in mine):
        raise ValueError(f"{what} is another tree: it has the leaves {[path for path, _ in others]}, "
                         f"not {[path for path, _ in mine]}")
    return [(leaf, by_path[path]) for path, leaf in mine]


def _is_named_tuple(tree):
    return isinstance(tree, tuple) and hasattr(tree, "_fields")
