#!/usr/bin/env python3
"""What a wheel holds, put into virtual environments as pip would: the module, the launcher, the stubs.

usage: wheel_test.py SOURCE BUILD [--pip]

Without --pip the files come from the build tree (the install component `wheel`). With --pip
`pip install SOURCE` builds them; that needs the package index and minutes.
"""
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile

PYTHON = sys.executable
PROGRAM = """
import sys
import numpy as np
def f(a):
    return np.sqrt(a * b + 1.0) - a
b = np.linspace(0.0, 1.0, 1000)
for _ in range(30):
    r = f(b)
import dynacc
print(r.sum(), dynacc.__version__, sys.prefix, dynacc.stats()["entries_hit"] > 0)
"""
EXPLICIT = """
import numpy as np
import dynacc
@dynacc.compile
def f(a):
    return np.sqrt(a * a + 1.0) - a
print(f(np.arange(3.0)).sum(), dynacc.stats()["entries_hit"])
print("sqrt" in dynacc.explain(f)(np.arange(3.0)).graphs[0])
"""
# A numpy of another major version, as far as DynaCC looks at it before it refuses.
STRANGER = """
import sys
import types
numpy = types.ModuleType("numpy")
numpy.__version__ = "3.0.0"
numpy.__spec__ = types.SimpleNamespace(_initializing=False)
sys.modules["numpy"] = numpy
import dynacc
@dynacc.compile
def f(a):
    return a + 1
print(f(1), f(2))
@dynacc.compile(fullgraph=True)
def g(a):
    return a + 1
try:
    g(1)
except RuntimeError as error:
    print(error)
"""


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=1500, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def install(build, environment):
    site = next(environment.glob("lib/python3.*/site-packages"))
    run("cmake", "--install", build, "--component", "wheel", "--prefix", site)
    (site / "bin" / "dynacc-python").rename(environment / "bin" / "dynacc-python")
    return site


def check(environment, version):
    python, launcher = environment / "bin" / "python", environment / "bin" / "dynacc-python"
    cache = {"DYNACC_CACHE_DIR": str(environment / "cache"), "DYNACC_TIER_UP": "0", "DYNACC_CAPTURE_AFTER": "0"}
    output = run(launcher, "-c", PROGRAM, env=cache).split()
    assert output[1:] == [version, str(environment), "True"], output
    assert output[0] == run(PYTHON, "-c", PROGRAM.replace("import dynacc\nprint(r.sum(), ", "print(r.sum())#"), env={}).split()[0]
    seen = run(python, "-c", EXPLICIT, env=cache)
    assert re.fullmatch(r"[\d.]+ 1\nTrue\n", seen), seen
    seen = run(python, "-c", STRANGER, env=cache)
    assert "2 3\n" in seen and seen.count("RuntimeWarning: dynacc: NumPy 3.0.0 is not supported") == 1, seen
    assert "dynacc.compile(fullgraph=True): NumPy 3.0.0" in seen, seen
    info = run(launcher, "--dynacc-info", env=cache)
    assert f"DynaCC {version} in CPython 3.{sys.version_info.minor}" in info and "site-packages/dynacc/libdynacc_cpu_compiler.so" in info, info


def main():
    source, build = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
    version = re.search(r"project\(dynacc VERSION ([\d.]+)", (source / "CMakeLists.txt").read_text()).group(1)
    with tempfile.TemporaryDirectory() as name:
        environment = pathlib.Path(name).resolve() / "venv"
        pip = "--pip" in sys.argv
        run(PYTHON, "-m", "venv", "--system-site-packages", *([] if pip else ["--without-pip"]), environment)
        if pip:
            run(environment / "bin" / "python", "-m", "pip", "install", "-q", "--no-deps", source)
            site = next(environment.rglob("_dynacc*.so")).parent
        else:
            site = install(build, environment)
        names = {path.relative_to(site).as_posix() for path in [*site.glob("_dynacc*"), *site.glob("dynacc/*.*")]}
        for needed in ("_dynacc" + sysconfig.get_config_var("EXT_SUFFIX"), "dynacc/__init__.py", "dynacc/__init__.pyi", "dynacc/py.typed"):
            assert needed in names, names
        check(environment, version)
    print("the wheel's files work")


if __name__ == "__main__":
    main()
