"""Trees of parameters: nested containers whose leaves are arrays and numbers. The names are those of `jax.tree`.

Nodes are lists, tuples, named tuples, dicts and dataclasses; everything else is a leaf, and None is a tree without
leaves. Dicts keep their own order, so the leaves come in the order in which a program wrote them (JAX sorts the keys).
These are the trees that `dynacc.grad` takes and that `dynacc.optim` walks. docs/training.md is the guide.
"""
import os as _os
import tempfile as _tempfile

import numpy as _np

from dynacc import _tree

__all__ = ["Structure", "flatten", "leaves", "load", "map", "ravel", "reduce", "save", "structure", "unflatten"]

_NOTHING = object()


def map(function, tree, *rest):
    """Returns a tree like `tree` with function(leaf, *others) in the place of each leaf.

    rest  trees that have at least the nodes of `tree`. Where `tree` has a leaf they may have a subtree, which is
          handed to `function` as it is. Dicts are joined by their keys, whatever their order.

    ValueError, with the path of the node, for another kind of node, other keys or another length.
    """
    return _mapped(function, tree, rest, "")


def leaves(tree):
    """The leaves as a list, in the tree's order."""
    return [leaf for _, leaf in _tree.leaves(tree)]


def structure(tree):
    """The Structure of a tree: what is left of it without its leaves."""
    return Structure(tree)


def flatten(tree):
    """(leaves, structure) of a tree; `unflatten` is the inverse."""
    return leaves(tree), Structure(tree)


def unflatten(structure, leaves):
    """The tree of a Structure with these leaves. ValueError if there are too many or too few."""
    return structure.unflatten(leaves)


def reduce(function, tree, initializer=_NOTHING):
    """function(function(first leaf, second leaf), third leaf) and so on, beginning with `initializer` if it is given.

    TypeError for a tree without leaves and no `initializer`.
    """
    found = leaves(tree)
    if initializer is _NOTHING:
        if not found:
            raise TypeError("dynacc.tree.reduce: the tree has no leaves, and there is no initializer")
        initializer, found = found[0], found[1:]
    value = initializer
    for leaf in found:
        value = function(value, leaf)
    return value


def ravel(tree):
    """Returns (flat, unravel): all leaves as one array of one axis, and the function that makes the tree of such an array.

    `flat` has the dtype that the leaves promote to. `unravel` gives each leaf its own dtype and shape again; a leaf
    that was no array comes back as a NumPy scalar, and one of real numbers without imaginary parts. It is
    `jax.flatten_util.ravel_pytree`. ValueError of `unravel` for an array of another shape.
    """
    found, tree_structure = flatten(tree)
    arrays = [_np.asarray(leaf) for leaf in found]
    size = sum([array.size for array in arrays])
    flat = _np.concatenate([array.ravel() for array in arrays]) if arrays else _np.zeros(0)

    def unravel(flat):
        if flat.shape != (size,):
            raise ValueError(f"dynacc.tree.ravel: the tree has {size} elements, and the array has the shape {flat.shape}")
        parts, end = [], 0
        for leaf, array in zip(found, arrays):
            start, end = end, end + array.size
            part = flat[start:end].reshape(array.shape)
            if part.dtype.kind == "c" and array.dtype.kind != "c":
                part = part.real
            part = part.astype(array.dtype)
            parts.append(part if isinstance(leaf, _np.ndarray) else part[()])
        return tree_structure.unflatten(parts)

    return flat, unravel


class Structure:
    """The nodes of a tree without its leaves. Structures are equal if their nodes, keys and lengths are.

    num_leaves  how many leaves it has
    """

    def __init__(self, tree):
        self._skeleton = _tree.map_leaves(lambda path, leaf: _LEAF, tree)
        self._kinds = _kinds(tree)
        self.num_leaves = len(_tree.leaves(tree))

    def unflatten(self, leaves):
        """The tree with these leaves. ValueError if there are too many or too few."""
        given = list(leaves)
        if len(given) != self.num_leaves:
            raise ValueError(f"the tree has {self.num_leaves} leaves, and {len(given)} are given")
        remaining = iter(given)
        return _tree.map_leaves(lambda path, leaf: next(remaining), self._skeleton)

    def __eq__(self, other):
        return self._kinds == other._kinds if isinstance(other, Structure) else NotImplemented

    def __hash__(self):
        return hash(self._kinds)

    def __repr__(self):
        return f"Structure({self._skeleton!r})"


def save(path, tree, metadata=None):
    """Writes the leaves of a tree to a file of the format safetensors, which other libraries read, too.

    path      the file. It is written beside it first and then put in its place, so that a crash leaves the old file or
              the new one, and readers never see half of one.
    tree      its leaves are arrays, NumPy scalars, bools, ints and floats. A leaf's name is its way from the root, as
              "layers.0.weight".
    metadata  a dict of strings that the file keeps

    ImportError without the package safetensors. TypeError for a leaf that the format has no dtype for; ValueError for
    two leaves of one name.
    """
    library = _library()
    arrays = {}
    for name, leaf in _named(tree):
        array = _np.asarray(leaf)
        if array.dtype.kind not in "biuf" or array.dtype.itemsize > 8:
            raise TypeError(f"dynacc.tree.save: {name} is {type(leaf).__name__} of dtype {array.dtype}, which the "
                            "format has not")
        if name in arrays:
            raise ValueError(f"dynacc.tree.save: two leaves have the name {name}")
        arrays[name] = _np.array(array, dtype=array.dtype.newbyteorder("="), order="C")
    _write_atomically(_os.fspath(path), library.save(arrays, metadata))


def load(path, like=None):
    """Reads what `save`, or another program, wrote in the format safetensors.

    like  a tree whose structure, dtypes and shapes the result has; leaves that are bools, ints or floats come back as
          such. None: the result is a dict from names, as "layers.0.weight", to arrays.

    ImportError without the package safetensors. ValueError if the file is none of this format, or if it has other
    names, dtypes or shapes than `like`; the message names them.
    """
    library = _library()
    with open(path, "rb") as file:
        data = file.read()
    try:
        arrays = library.load(data)
    except Exception as error:  # SafetensorError is no class that can be named without the package
        raise ValueError(f"dynacc.tree.load: {_os.fspath(path)} is no file of the format safetensors: {error}") from error
    if like is None:
        return arrays
    wanted = _named(like)
    if {name for name, _ in wanted} != arrays.keys():
        missing = sorted({name for name, _ in wanted} - arrays.keys())
        others = sorted(arrays.keys() - {name for name, _ in wanted})
        raise ValueError(f"dynacc.tree.load: {_os.fspath(path)} lacks {missing} of the tree, and has {others} beside it")
    return Structure(like).unflatten([_like_leaf(name, arrays[name], leaf) for name, leaf in wanted])


class _Leaf:
    def __repr__(self):
        return "*"


_LEAF = _Leaf()


def _kinds(tree):
    """Nested tuples (kind of node, steps, kinds of the children); None for a leaf. A dict's order does not count."""
    children = _tree.items(tree)
    if children is None:
        return None
    if type(tree) is dict:
        children = sorted(children, key=lambda child: child[0])
    return type(tree), tuple([step for step, _ in children]), tuple([_kinds(child) for _, child in children])


def _mapped(function, tree, rest, path):
    children = _tree.items(tree)
    if children is None:
        return function(tree, *rest)
    columns = [_children_like(tree, children, other, path) for other in rest]
    return _tree.rebuild(tree, [_mapped(function, child, [column[i] for column in columns], path + step)
                                for i, (step, child) in enumerate(children)])


def _children_like(tree, children, other, path):
    """The children of `other`, which must be a node as `tree` is, in the order of `tree`."""
    if type(other) is not type(tree):
        raise ValueError(f"the trees differ: tree{path} is {type(tree).__name__}, the other one's {type(other).__name__}")
    if type(tree) is dict:
        if len(tree) != len(other) or any([key not in other for key in tree]):
            raise ValueError(f"the trees differ: tree{path} has the keys {list(tree)}, the other one's {list(other)}")
        return [other[key] for key in tree]
    others = _tree.items(other)
    if len(others) != len(children):
        raise ValueError(f"the trees differ: tree{path} has the length {len(children)}, the other one's {len(others)}")
    return [child for _, child in others]


def _named(tree, name=""):
    """[(name in a file, leaf)] in the tree's order."""
    children = _tree.items(tree)
    if children is None:
        return [(name or "value", tree)]
    keys = list(tree) if type(tree) is dict else [step.strip(".[]") for step, _ in children]
    return [found for key, (_, child) in zip(keys, children)
            for found in _named(child, f"{name}.{key}" if name else str(key))]


def _like_leaf(name, array, leaf):
    wanted = _np.asarray(leaf)
    if (array.dtype, array.shape) != (wanted.dtype.newbyteorder("="), wanted.shape):
        raise ValueError(f"dynacc.tree.load: {name} has the dtype {array.dtype} and the shape {array.shape} in the file, "
                         f"and {wanted.dtype} and {wanted.shape} in the tree")
    if isinstance(leaf, _np.ndarray):
        return array
    return array[()] if isinstance(leaf, _np.generic) else type(leaf)(array[()])


def _library():
    try:
        import safetensors.numpy
    except ImportError as error:
        raise ImportError("dynacc.tree.save and load need the package safetensors: pip install safetensors") from error
    return safetensors.numpy


def _write_atomically(path, data):
    folder = _os.path.dirname(_os.path.abspath(path))
    handle, temporary = _tempfile.mkstemp(prefix=f".{_os.path.basename(path)}.", dir=folder)
    try:
        with open(handle, "wb") as file:
            mask = _os.umask(0)
            _os.umask(mask)
            _os.fchmod(file.fileno(), 0o666 & ~mask)  # mkstemp's is for the owner alone
            file.write(data)
            file.flush()
            _os.fsync(file.fileno())
        _os.replace(temporary, path)
    except BaseException:
        _os.unlink(temporary)
        raise
    directory = _os.open(folder, _os.O_RDONLY)
    try:
        _os.fsync(directory)  # the name, too, is on the disk when this returns
    finally:
        _os.close(directory)
