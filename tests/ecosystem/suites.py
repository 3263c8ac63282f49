"""The table of suites (suites.txt) and the files that belong to each."""
import collections
import pathlib

HERE = pathlib.Path(__file__).resolve().parent

Suite = collections.namedtuple("Suite", "name package root paths seconds")
# `name` is relative to `folder`, from where pytest finds it.
TestFile = collections.namedtuple("TestFile", "suite name folder")


def rows(name):
    """The lines of a table of this folder that are no comments."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def suites():
    return [Suite(name, package, root, tuple(paths.split(",")), int(seconds))
            for name, package, root, paths, seconds in map(str.split, rows("suites.txt"))]


def chosen(only):
    """The suites that `only` names, whole (scipy.linalg) or by their package (scipy); all where it is empty."""
    found = [suite for suite in suites()
             if not only or any(word in (suite.name, suite.name.split(".")[0], suite.package) for word in only)]
    unknown = [word for word in only if not any(word in (s.name, s.name.split(".")[0], s.package) for s in found)]
    if unknown:
        raise SystemExit(f"no suite is named {', '.join(unknown)}; there are {', '.join(s.name for s in suites())}")
    return found


def files_of(suite, environment):
    """The suite's test files, in the order of their names."""
    folder = environment.source(suite.package) if suite.root == "source" else environment.site
    found = set()
    for path in suite.paths:
        whole = folder / path
        found.update([whole] if whole.suffix == ".py" else whole.rglob("test_*.py"))
    names = sorted(path.relative_to(folder).as_posix() for path in found if path.is_file())
    return [TestFile(suite, name, folder) for name in names]
