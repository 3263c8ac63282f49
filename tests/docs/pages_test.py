#!/usr/bin/env python3
"""Every code block of the pages is run, in the order of its page, in a folder of that page.

usage: pages_test.py ROOT BUILD [unittest arguments]

The word after the fence says how: sh (bash, with dynacc-python on the path), python (a stock python3 that finds
`dynacc`), cpp and c (compiled against an installation; run if there is a main), cmake (a project in whose folder
the page's last C++ program is server.cc). Not run: text, and mermaid, which is a diagram. What a test cannot do (build
everything, install a package) is left out of sh blocks by its first words.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from pages import code_blocks, pages

ROOT = pathlib.Path()
BUILD = pathlib.Path()
PYTHON = sys.executable
INHERITED = {k: v for k, v in os.environ.items() if not k.startswith(("DYNACC_", "PYTHON"))}
NOT_FROM_A_TEST = ("./dev ", "pip install ", "sudo ", "ctest ", "PRESET=")
NOT_RUN = {"text", "mermaid"}  # mermaid: a diagram
LANGUAGES = {"sh", "python", "cpp", "c", "cmake"} | NOT_RUN


class Page:
    """The folder that a page's blocks are run in, and the programs that they run."""

    def __init__(self, folder, prefix):
        self.folder = folder
        self.prefix = prefix
        tools = folder.parent / "tools"
        tools.mkdir()
        (tools / "dynacc-python").symlink_to(BUILD / "dynacc-python")
        (tools / "dynacc-serve").symlink_to(BUILD / "dynacc-serve")
        (tools / "python3").symlink_to(PYTHON)
        self.environment = INHERITED | {
            "PATH": f"{tools}:{INHERITED['PATH']}", "DYNACC_CACHE_DIR": str(folder.parent / "cache"),
            "PKG_CONFIG_PATH": str(next(prefix.rglob("dynacc.pc")).parent)}

    def run(self, *command, **variables):
        return subprocess.run(command, env=self.environment | variables, cwd=self.folder, capture_output=True, text=True,
                              timeout=250)

    def sh(self, text):
        lines = [line for line in text.splitlines() if not line.startswith(NOT_FROM_A_TEST)]
        script = "\n".join(lines).replace("build/release/dynacc-python", "dynacc-python")
        return self.run("bash", "-euo", "pipefail", "-c", script)

    def python(self, text):
        (self.folder / "block.py").write_text(text)
        if 'device="cuda"' in text:  # needs a GPU
            return self.run(PYTHON, "-m", "py_compile", "block.py")
        return self.run(PYTHON, "block.py", PYTHONPATH=str(BUILD / "python"))

    def cpp(self, text):
        return self.compiled(text, "server.cc", "c++", "-std=c++20")

    def c(self, text):
        return self.compiled(text, "client.c", "cc", "-std=c99")

    def compiled(self, text, name, *compiler):
        has_main = "int main(" in text
        source = name if has_main else f"part_{name}"
        (self.folder / source).write_text(text)
        flags = self.run("pkg-config", "--cflags", "--libs", "dynacc").stdout.split()
        library = next(self.prefix.rglob("libdynacc_embed.so")).parent
        what = ["-o", "program", f"-Wl,-rpath,{library}"] if has_main else ["-fsyntax-only"]
        done = self.run(*compiler, "-Wall", "-Wextra", "-Werror", source, *what, *flags)
        return self.run("./program") if has_main and done.returncode == 0 else done

    def cmake(self, text):
        if "project(" not in text:
            text = f"cmake_minimum_required(VERSION 3.25)\nproject(part LANGUAGES CXX)\nadd_executable(server server.cc)\n{text}"
        (self.folder / "CMakeLists.txt").write_text(text)
        done = self.run("cmake", "-G", "Ninja", "-S", ".", "-B", "out", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        if done.returncode == 0:
            done = self.run("cmake", "--build", "out")
        return self.run("out/server") if done.returncode == 0 else done


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.prefix = pathlib.Path(temporary.name).resolve()
        subprocess.run(["cmake", "--install", BUILD, "--prefix", cls.prefix], check=True, capture_output=True)

    def test_languages(self):
        for page in pages(ROOT):
            for language, text in code_blocks(page):
                self.assertIn(language, LANGUAGES, f"{page.name}: say how this block is run:\n{text}")

    def run_page(self, page):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name).resolve() / "page"
            folder.mkdir()
            runner = Page(folder, self.prefix)
            for language, text in code_blocks(page):
                if language in NOT_RUN:
                    continue
                done = getattr(runner, language)(text)
                self.assertEqual(done.returncode, 0, f"{page.name}\n{text}\n{done.stdout}{done.stderr}")


def add_pages():
    """One test a page that has code to run."""
    for page in pages(ROOT):
        if any(language not in NOT_RUN for language, _ in code_blocks(page)):
            setattr(Pages, f"test_{page.stem.replace('-', '_')}", lambda self, page=page: self.run_page(page))


if __name__ == "__main__":
    ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    add_pages()
    unittest.main()
