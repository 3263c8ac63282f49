#!/usr/bin/env python3
"""Installs into an empty folder, and uses what is there: examples/embed_hello by CMake, a C program by
pkg-config, the launcher, `import dynacc`. Checks that the library exports its API and nothing else.

usage: install_test.py SOURCE BUILD
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

EXPECTED = [
    "a second runtime: refused",
    "scaled in the host's memory: 10 20 30",
    "hello host, 42",
    "row sums from threads: 1.000000 1.000000 1.000000 1.000000",
    "an exception: Traceback (most recent call last):",
]
PYTHON = sys.executable


def run(*command, **variables):
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | variables)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def build_c_program(source, prefix, work):
    """tests/embed/host/c_api_test.c with the flags that pkg-config gives."""
    library = next(prefix.rglob("libdynacc_embed.so")).parent
    flags = run("pkg-config", "--cflags", "--libs", "dynacc", PKG_CONFIG_PATH=str(library / "pkgconfig"))
    program = work / "c_api"
    run("cc", "-std=c99", source / "c_api_test.c", "-o", program, *flags.split(), f"-Wl,-rpath,{library}")
    assert run(program, source / "c_api_model.py").endswith("from C: ok\n")
    run("cc", "-std=c99", source / "c_api_test.c", "-o", program, f"-I{prefix}/include", f"-L{library}", "-ldynacc_embed",
        f"-Wl,-rpath,{library}")
    assert run(program, source / "c_api_model.py").endswith("from C: ok\n")


def run_program(source, prefix, packages, work):
    """A frozen function by a C program that pkg-config's flags build, and by CMake's target."""
    frozen = work / "smooth.dynacc"
    code = ("import sys, numpy as np, dynacc; "
            "dynacc.export(lambda a: (a[2:] + a[1:-1] + a[:-2]) / 3.0, np.ones(9), dynamic=True).save(sys.argv[1])")
    run(PYTHON, "-c", code, frozen, PYTHONPATH=str(packages))
    library = next(prefix.rglob("libdynacc_program.so")).parent
    flags = run("pkg-config", "--cflags", "--libs", "dynacc-program", PKG_CONFIG_PATH=str(library / "pkgconfig"))
    program = work / "program_host"
    run("cc", "-std=c99", source / "program_host.c", "-o", program, *flags.split(), f"-Wl,-rpath,{library}")
    assert run(program, frozen) == "2 3 4\n"
    assert "good" in run(prefix / "bin" / "dynacc-program", "verify", frozen)
    (work / "cmake").mkdir()
    (work / "cmake" / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(host LANGUAGES C CXX)\nfind_package(dynacc REQUIRED)\n"
        f"add_executable(host {source / 'program_host.c'})\ntarget_link_libraries(host PRIVATE dynacc::program)\n")
    run("cmake", "-S", work / "cmake", "-B", work / "built", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", work / "built")
    assert run(work / "built" / "host", frozen) == "2 3 4\n"


def compile_every_form(source, prefix):
    """All that an argument may be written as, by the installed headers alone, without a warning; each header by itself."""
    library = next(prefix.rglob("libdynacc_embed.so")).parent
    flags = run("pkg-config", "--cflags", "dynacc", PKG_CONFIG_PATH=str(library / "pkgconfig")).split()
    check = ["c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror", *flags]
    for header in (source / "every_form.h", *sorted((prefix / "include" / "dynacc").glob("*.h"))):
        run(*check, "-include", header, "-x", "c++", "/dev/null")


def check_exports(prefix):
    """Only dynacc_* and dynacc::v0::* (mangled: _ZN6dynacc2v0...) may be seen from outside."""
    library = next(prefix.rglob("libdynacc_embed.so"))
    names = [line.split()[-1] for line in run("nm", "-D", "--defined-only", library).splitlines()]
    foreign = [name for name in names if not re.match(r"dynacc_|_ZNK?6dynacc2v0", name)]
    assert not foreign, f"exported, but not of the API: {foreign}"
    assert "dynacc_runtime_start" in names


def main():
    source, build = map(pathlib.Path, sys.argv[1:])
    example = source / "examples" / "embed_hello"
    with tempfile.TemporaryDirectory() as name:
        prefix, work = pathlib.Path(name, "prefix"), pathlib.Path(name, "work")
        run("cmake", "--install", build, "--prefix", prefix)
        run("cmake", "-S", example, "-B", work, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", work)
        output = run(work / "embed_hello", example / "model.py")
        for line in EXPECTED:
            assert line in output.splitlines(), f"no line {line!r} in:\n{output}"
        assert "model.py\", line 18, in fails" in output and "IndexError" in output, output
        build_c_program(source / "tests" / "embed" / "host", prefix, work)
        compile_every_form(source / "tests" / "embed" / "host", prefix)
        check_exports(prefix)
        packages = next(prefix.glob("lib/python3.*/dist-packages"))
        run_program(source / "tests" / "embed" / "program", prefix, packages, work)
        code = "import dynacc; print(dynacc.__version__, dynacc.compile(lambda x: x + 1)(2))"
        assert run(PYTHON, "-c", code, PYTHONPATH=str(packages)).endswith(" 3\n")
        assert run(prefix / "bin" / "dynacc-python", "-c", code).endswith(" 3\n")
    print("installed, built and ran")


if __name__ == "__main__":
    main()
