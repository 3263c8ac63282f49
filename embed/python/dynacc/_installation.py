"""What is wrong with an installation, in words: no core for this interpreter, or two that are mixed."""
import os
import sys

# What only a failure needs is imported then: this module is imported with every dynacc.


def _home(path):
    """The folder that a package's or module's file was installed into."""
    folder = os.path.dirname(os.path.abspath(path))
    return os.path.dirname(folder) if os.path.basename(path).startswith("__init__") else folder


def _interpreter():
    import sysconfig
    name = {"cpython": "CPython"}.get(sys.implementation.name, sys.implementation.name)
    text = f"{name} {sys.version_info.major}.{sys.version_info.minor}"
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        text += ", free-threaded"
    return text + ", a debug build" if sysconfig.get_config_var("Py_DEBUG") else text


def missing_core(package_file):
    """Returns the ImportError for a package whose compiled core cannot be imported by this interpreter."""
    import re
    home = _home(package_file)
    names = sorted(os.listdir(home)) if os.path.isdir(home) else []
    cores = [re.fullmatch(r"_dynacc\.cpython-(\d)(\d+)-.*\.so", name) for name in names]
    versions = [".".join(core.groups()) for core in cores if core]
    has = f"is for CPython {', '.join(versions)}" if versions else "has no compiled core (_dynacc)"
    return ImportError(f"dynacc: this is {_interpreter()}, and the installation in {home} {has}. "
                       f"`{sys.executable} -m pip install dynacc` installs it for this interpreter.")


def check_one(package_file, core_file):
    """Raises ImportError if package and core are of two installations, each of which has a package."""
    package, core = _home(package_file), _home(core_file)
    if package == core or os.path.realpath(package) == os.path.realpath(core):
        return
    if os.path.exists(os.path.join(core, "dynacc", "__init__.py")):
        raise ImportError(f"dynacc: two installations are mixed: the package of {package} and the core of {core}. "
                          "Uninstall one, or take its folder off sys.path.")
