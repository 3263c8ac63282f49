#!/usr/bin/env python3
"""Makes a tarball that runs DynaCC on another Linux x86-64 machine with glibc 2.36 or newer.

usage: bundle.py BUILD [OUTPUT.tar.xz] [--with-nvrtc] [--quick]      exit status 1 if it is larger than 60 MiB

Inside: the python3 that runs this, its standard library and Debian's NumPy, the launcher, the dynacc package, every shared
library that these need but the C library's own, the tests and benchmarks that need a GPU. Not inside: the compiler for CPU
kernels (library loops run them) and, unless asked for, NVRTC. Unpack it anywhere; `dynacc-bundle/dynacc-python` runs a
program captured as the launcher does it, `dynacc-bundle/python` one that asks for it itself, `dynacc-bundle/check` the
tests, which need a GPU: without one it says why and exits with status 77. --quick packs less tightly.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

LIMIT = 60 << 20
PYTHON = pathlib.Path(sys.executable).resolve()
STANDARD_LIBRARY = pathlib.Path(os.__file__).parent
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
NUMPY = pathlib.Path("/usr/lib/python3/dist-packages/numpy")
LEFT_OUT = ("__pycache__", "test", "tests", "idlelib", "tkinter", "turtledemo", "lib2to3", "ensurepip", f"config-{VERSION}*",
            "*.a", "*.pyx", "*.pxd")
# Of the C library: those of the other machine.
ITS_OWN = ("libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "libresolv.so", "libutil.so", "ld-linux",
           "linux-vdso", "libanl.so", "libnsl.so")
TESTS = ("driver_types_test", "nvrtc_test")
RUN = """#!/bin/sh
# Runs a Python program with DynaCC: {name} PROGRAM.py
here="$(dirname "$(readlink -f "$0")")"
export LD_LIBRARY_PATH="$here/lib${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}"
export PYTHONHOME="$here" PYTHONPATH="$here/packages${{PYTHONPATH:+:$PYTHONPATH}}"
export DYNACC_TARGET="${{DYNACC_TARGET:-tile}}"
{command}
"""
# What embed/launcher/launcher.cc does. The library is named without its folder, which may have blanks in its name.
LAUNCH = """export LD_LIBRARY_PATH="$here/packages:$LD_LIBRARY_PATH" _DYNACC_LAUNCHER="$here/dynacc-python"
[ -z "$LD_PRELOAD" ] || export _DYNACC_USERS_PRELOAD="$LD_PRELOAD"
export LD_PRELOAD="libdynacc_start.so${LD_PRELOAD:+:$LD_PRELOAD}"
exec "$here/bin/python3" "$@\"
"""
CHECK = """export PATH="${PATH:-/usr/bin:/bin}" DYNACC_PYTHON="$here/python"
"$here/bin/python3" -c 'import sys, _dynacc
try:
    _dynacc.check_target("cuda")
except RuntimeError as error:
    sys.exit(f"{error}. The tests need a GPU.")' || exit 77
for test in "$here"/tests/*_test; do
  "$test" || failed=1
done
"$here/bin/python3" "$here/tests/cuda_test.py" "" CudaTest || failed=1
for test in device random; do
  "$here/bin/python3" "$here/tests/array_api/${test}_test.py" || failed=1
done
exit ${failed:-0}"""


def copy_tree(source, target):
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(*LEFT_OUT), symlinks=False,
                    ignore_dangling_symlinks=True)


def needed_libraries(files):
    """The libraries that the loader would take for these files, by their names; not the C library's."""
    found = {}
    for file in files:
        listing = subprocess.run(["ldd", file], capture_output=True, text=True).stdout
        for line in listing.splitlines():
            name, arrow, rest = line.strip().partition(" => ")
            if arrow and rest.startswith("/") and not name.startswith(ITS_OWN):
                found[name] = rest.split(" (")[0]
    return found


def fill(build, root, with_nvrtc):
    for folder in ("bin", "lib", "packages", "tests"):
        (root / folder).mkdir(parents=True)
    shutil.copy(PYTHON, root / "bin" / "python3")
    copy_tree(STANDARD_LIBRARY, root / "lib" / f"python{VERSION}")
    copy_tree(NUMPY, root / "packages" / "numpy")
    copy_tree(build / "python" / "dynacc" if (build / "python" / "dynacc").exists() else "embed/python/dynacc",
              root / "packages" / "dynacc")
    for extension in (build / "python").glob("_dynacc*.so"):
        shutil.copy(extension, root / "packages")
    shutil.copy(build / "libdynacc_start.so", root / "lib")
    for test in TESTS:
        if (build / "tests" / test).exists():
            shutil.copy(build / "tests" / test, root / "tests")
    shutil.copy("tests/embed/cuda_test.py", root / "tests")
    copy_tree("tests/array_api", root / "tests" / "array_api")
    copy_tree("bench/cuda", root / "bench")
    copy_tree("examples", root / "examples")
    shutil.copy("docs/cuda.md", root)
    binaries = [path for path in root.rglob("*") if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
    libraries = needed_libraries(binaries)
    if with_nvrtc:
        for name in ("libnvrtc.so.13", "libnvrtc-builtins.so.13.0"):
            libraries[name] = f"/usr/local/cuda/lib/{name}"
    for name, path in libraries.items():
        shutil.copy(path, root / "lib" / name)
    for path in root.rglob("*"):
        if path.is_file() and path.read_bytes()[:4] == b"\x7fELF":
            path.chmod(0o755)
            subprocess.run(["strip", "--strip-unneeded", path], check=False)
    for name, command in (("python", 'exec "$here/bin/python3" "$@"'), ("dynacc-python", LAUNCH), ("check", CHECK)):
        (root / name).write_text(RUN.format(name=name, command=command))
        (root / name).chmod(0o755)


def main():
    arguments = [word for word in sys.argv[1:] if not word.startswith("--")]
    build = pathlib.Path(arguments[0]).resolve()
    output = pathlib.Path(arguments[1] if len(arguments) > 1 else build / "dynacc-bundle.tar.xz").resolve()
    os.chdir(pathlib.Path(__file__).resolve().parent.parent)
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "dynacc-bundle"
        fill(build, root, "--with-nvrtc" in sys.argv)
        with tarfile.open(output, "w:xz", preset=0 if "--quick" in sys.argv else 6) as tar:
            tar.add(root, root.name)
    size = output.stat().st_size
    print(f"{output}: {size / 2**20:.1f} MiB")
    return 0 if size <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
