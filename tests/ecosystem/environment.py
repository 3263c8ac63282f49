"""The virtual environment that suites are run in: made, and filled with what the chosen suites need, on demand.

Versions are those of requirements.txt. NumPy is the interpreter's own (Debian's python3-numpy). Packages come as
wheels; tests and images that a wheel lacks come from the package's source distribution, of which nothing is built.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

import suites

PYTHON = sys.executable
TOOLS = ["pytest", "hypothesis"]
SOURCE_TOOLS = ["setuptools", "pybind11"]  # what a package's set-up imports to say its name

# A build system that only says the package's name: pip asks for it before it hands out a source distribution.
NAME_ONLY = '''
import email, os
def prepare_metadata_for_build_wheel(folder, config_settings=None):
    text = open("PKG-INFO", encoding="utf-8").read()
    fields = email.message_from_string(text)
    name = f"{fields['Name']}-{fields['Version']}.dist-info"
    os.makedirs(os.path.join(folder, name))
    for file, content in (("METADATA", text), ("WHEEL", "Wheel-Version: 1.0\\nTag: py3-none-any\\n")):
        with open(os.path.join(folder, name, file), "w", encoding="utf-8") as out:
            out.write(content)
    return name
'''


def pins():
    """The pinned version of each package."""
    return dict(line.split("==") for line in suites.rows("requirements.txt"))


def normal(name):
    return re.sub("[-_.]+", "_", name).lower()


class Environment:
    """A folder with a virtual environment; `site` is its site-packages."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.site = self.folder / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
        self.pins = pins()

    def provide(self, chosen):
        """Makes the environment if it is not there, and installs what the suites need; raises CalledProcessError."""
        if not (self.folder / "bin" / "pip").exists():
            subprocess.run([PYTHON, "-m", "venv", "--system-site-packages", self.folder], check=True)
        from_source = [suite for suite in chosen if suite.root != "wheel"]
        needed = [*TOOLS, *(SOURCE_TOOLS if from_source else []), *dict.fromkeys(suite.package for suite in chosen)]
        there = {normal(path.name[:-len(".dist-info")]) for path in self.site.glob("*.dist-info")}
        missing = [f"{name}=={self.pins[name]}" for name in needed if normal(f"{name}-{self.pins[name]}") not in there]
        if missing:
            self.pip("install", "--only-binary", ":all:", "-c", suites.HERE / "requirements.txt", *missing)
        for suite in from_source:
            self.unpack(suite)

    def pip(self, *arguments, **variables):
        subprocess.run([self.folder / "bin" / "pip", "--quiet", "--disable-pip-version-check", *arguments], check=True,
                       env={**os.environ, **variables})

    def source(self, package):
        """Where the source distribution of `package` is unpacked."""
        return self.folder / "sources" / f"{package}-{self.pins[package]}"

    def unpack(self, suite):
        where = self.source(suite.package)
        if where.exists():
            return
        where.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=where.parent) as folder:
            (pathlib.Path(folder) / "mesonpy.py").write_text(NAME_ONLY, encoding="utf-8")
            self.pip("download", "--no-deps", "--no-build-isolation", "--no-binary", ":all:", "--dest", folder,
                     f"{suite.package}=={self.pins[suite.package]}", PYTHONPATH=folder)
            with tarfile.open(next(pathlib.Path(folder).glob("*.tar.gz"))) as archive:
                archive.extractall(folder)
            unpacked = next(path for path in pathlib.Path(folder).iterdir() if path.is_dir())
            if suite.root == "images":
                for path in suite.paths:
                    shutil.copytree(unpacked / "lib" / path, self.site / path, dirs_exist_ok=True)
            unpacked.rename(where)
