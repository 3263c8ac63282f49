"""libdynacc_program from C++: a host that is compiled against the headers runs every function of program_functions.py,
beside what the live function gave.

usage: program_host_test.py HEADERS LIBRARY TOOL    their folder, libdynacc_program.so, dynacc-program
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import dynacc

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import program_functions as functions

ELEMENTS = {"bool": 0, "int8": 1, "uint8": 2, "int16": 3, "uint16": 4, "int32": 5, "uint32": 6, "int64": 7,
            "uint64": 8, "float32": 10, "float64": 11}
headers, library, tool = sys.argv[1:4]


def leaves(value):
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in leaves(item)]
    return [np.asarray(value)]


def write_case(folder, name, function, arguments, options):
    """NAME.dynacc and NAME.case; what is expected is the live function's."""
    program = dynacc.export(function, *arguments, **options)
    program.save(folder / f"{name}.dynacc", weights=folder / f"{name}.safetensors" if program.weights else None)
    live = dynacc.compile(function, fast_math=options.get("fast_math", False), backend="cpu")
    for _ in range(3):
        result = live(*arguments)
    rows = [f"num {'f' if kind == 'float' else 'i'} {value!r}\n"
            for (_, kind), value in zip(program.numbers, program._flatten(arguments, {})[1])]
    for kind, arrays in (("in", leaves(arguments)), ("out", leaves(result))):
        for number, array in enumerate(arrays):
            path = f"{name}.{kind}{number}"
            (folder / path).write_bytes(array.tobytes())
            sizes = " ".join(map(str, array.shape))
            rows.append(f"{kind} {ELEMENTS[array.dtype.name]} {path} {sizes}\n")
    (folder / f"{name}.case").write_text("".join(rows))


class Host(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        cls.names = []
        for name, function, arguments, options in functions.cases():
            write_case(cls.path, name, function, arguments, options)
            cls.names.append(name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def compiled(self, source, compiler, *flags):
        program = self.path / (source + ".host")
        lib = pathlib.Path(library)
        subprocess.run([compiler, *flags, "-O1", "-Wall", "-Wextra", "-Werror", "-I", headers, str(HERE / source), "-o",
                        str(program), str(lib), f"-Wl,-rpath,{lib.parent}", "-pthread"], check=True)
        return program

    def test_cxx_host(self):
        host = self.compiled("program_host.cc", os.environ.get("CXX", "c++"), "-std=c++20")
        said = subprocess.run([host, self.path, *self.names], capture_output=True, text=True)
        self.assertEqual((said.returncode, said.stdout.splitlines()[-1:]), (0, ["0 failures"]), said.stdout + said.stderr)

    def test_c_host(self):
        host = self.compiled("program_host.c", os.environ.get("CC", "cc"), "-std=c11")
        said = subprocess.run([host, self.path / "smooth.dynacc"], capture_output=True, text=True)
        self.assertEqual((said.returncode, said.stdout.strip()), (0, "2 3 4"), said.stdout + said.stderr)

    def test_the_library_needs_neither_python_nor_a_compiler(self):
        said = subprocess.run(["readelf", "--dynamic", "--wide", library], capture_output=True, text=True, check=True)
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", said.stdout)
        self.assertFalse([name for name in needed if re.search("python|LLVM|clang|nvrtc|cuda|dnnl|numpy", name)], needed)
        symbols = subprocess.run(["readelf", "--dyn-syms", "--wide", library], capture_output=True, text=True,
                                 check=True).stdout
        self.assertFalse(re.findall(r" UND (?:Py|_Py|nvrtc|LLVM|cu[A-Z])\w*", symbols))
        defined = [line.split()[-1].split("@")[0] for line in symbols.splitlines()
                   if " UND " not in line and re.search(r"\b(FUNC|OBJECT)\b.*\bGLOBAL\b", line)]
        self.assertTrue(defined and all(name.startswith("dynacc_program_") for name in defined), defined)

    def test_the_library_is_small(self):
        with tempfile.TemporaryDirectory() as folder:
            stripped = os.path.join(folder, "stripped.so")
            subprocess.run(["strip", "-o", stripped, library], check=True)
            # A megabyte of it is products of matrices, for three levels of CPUs and four types of elements, and 300 KB
            # sorts of fourteen.
            self.assertLess(os.path.getsize(stripped), 4_150_000)


class Tool(unittest.TestCase):
    def run_tool(self, *arguments):
        return subprocess.run([tool, *map(str, arguments)], capture_output=True, text=True)

    def test_show_and_verify(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "f.dynacc"
            dynacc.export(functions.with_weights, np.ones((9, 16)), dynamic={"x": [0]}).save(path)
            said = self.run_tool("show", path)
            self.assertEqual(said.returncode, 0, said.stderr)
            for part in ("with_weights (program_functions.py:", "x: f64[s0, ", "s0 is x's axis 0", "the program's own",
                         "graph {", "kernel k", "x86-64-v3", "x86-64-v4", "sections", "constant: 512 bytes"):
                self.assertIn(part, said.stdout)
            said = self.run_tool("verify", path)
            self.assertRegex(said.stdout, r"f\.dynacc: good, \d+ bytes, runs on ")
            data = bytearray(path.read_bytes())
            data[-1] ^= 0x40
            path.write_bytes(data)
            said = self.run_tool("verify", path)
            self.assertEqual((said.returncode, said.stdout), (1, ""))
            self.assertIn("damaged", said.stderr)

    def test_diff(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            a, b, c, d = (folder / name for name in "abcd")
            dynacc.export(functions.with_weights, np.ones((9, 16)), dynamic={"x": [0]}).save(a)
            dynacc.export(functions.with_weights, np.ones((9, 16)), dynamic={"x": [0]}).save(b)
            said = self.run_tool("diff", a, b)
            self.assertEqual((said.returncode, said.stdout, said.stderr), (0, "", ""))
            dynacc.export(functions.with_weights, np.ones((9, 16)), dynamic={"x": {0: (1, 64)}},
                          targets=["x86-64-v3"]).save(c)
            said = self.run_tool("diff", a, c)
            self.assertEqual(said.returncode, 1)
            for line in ("guards\n", "+ (s0 <= 64)", "code\n- x86-64-v4"):
                self.assertIn(line, said.stdout)
            self.assertNotIn("inputs\n", said.stdout)
            before, functions.WEIGHTS = functions.WEIGHTS, functions.WEIGHTS + 1.0
            try:
                dynacc.export(functions.with_weights, np.ones((9, 16)), dynamic={"x": [0]}).save(d)
            finally:
                functions.WEIGHTS = before
            said = self.run_tool("diff", a, d)
            self.assertEqual(said.returncode, 1)
            self.assertRegex(said.stdout, r"\Aarrays\n- .*WEIGHTS.*: f64\[16, 4\]  [0-9a-f]{32}\n\+ .*\n\Z")
            for arguments in ((a,), (a, b, c), (a, folder / "missing")):
                self.assertEqual(self.run_tool("diff", *arguments).returncode, 2)

    def test_signatures(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            path, key, public, other = (folder / name for name in ("f", "key.pem", "public.pem", "other.pem"))
            for name in (key, other):
                made = subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", name], capture_output=True)
                if made.returncode != 0:
                    self.skipTest("there is no openssl")
            for private, name in ((key, public), (other, folder / "other_public.pem")):
                subprocess.run(["openssl", "pkey", "-in", private, "-pubout", "-out", name], check=True)
            x = np.ones((9, 16))
            program = dynacc.export(functions.with_weights, x)
            program.save(path)
            self.assertIn("not signed", self.run_tool("verify", "--key", public, path).stderr)
            said = self.run_tool("sign", "--key", key, path)
            if "without OpenSSL" in said.stderr:
                self.skipTest(said.stderr)
            self.assertEqual((said.returncode, said.stderr), (0, ""))
            self.assertRegex(self.run_tool("verify", "--key", public, path).stdout, "good, signed, ")
            self.assertRegex(self.run_tool("verify", path).stdout, "good, [0-9]")  # whoever has no key reads it as before
            self.assertEqual(dynacc.load_program(path)(x)[0].tobytes(), program(x)[0].tobytes())
            self.assertIn("seal: 96 bytes", self.run_tool("show", path).stdout)
            whole = path.read_bytes()
            self.assertEqual(self.run_tool("sign", "--key", key, path).returncode, 0)  # again: the same file
            self.assertEqual(path.read_bytes(), whole)
            said = self.run_tool("verify", "--key", folder / "other_public.pem", path)
            self.assertEqual(said.returncode, 1)
            self.assertIn("signed by another key", said.stderr)
            # Who changes the file and mends its hash is found out.
            self.assert_forgeries_are_refused(whole, path, public)
            for bad in (public, path):
                self.assertIn("no private key", self.run_tool("sign", "--key", bad, path).stderr)
            self.assertIn("no public key", self.run_tool("verify", "--key", key, path).stderr)

    def assert_forgeries_are_refused(self, whole, path, public):
        """Bytes of every section are changed, and the file's hash is made to fit by the tool's own writer: signing."""
        forger = path.parent / "other.pem"
        place = whole.index(np.ascontiguousarray(functions.WEIGHTS).tobytes())
        for at in (place, len(whole) - 1, len(whole) - 96):
            forged = bytearray(whole)
            forged[at] ^= 1
            path.write_bytes(forged)
            said = self.run_tool("verify", "--key", public, path)
            self.assertEqual(said.returncode, 1)
            self.assertIn("damaged", said.stderr)
        path.write_bytes(whole)
        self.assertEqual(self.run_tool("sign", "--key", forger, path).returncode, 0)
        self.assertIn("another key", self.run_tool("verify", "--key", public, path).stderr)

    def test_weights_outside(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            program = dynacc.export(functions.with_weights, np.ones((9, 16)), weights="external")
            program.save(folder / "f", weights=folder / "w")
            said = self.run_tool("show", folder / "f")
            self.assertIn("(a weight outside)", said.stdout)
            self.assertIn("good", self.run_tool("verify", "--weights", folder / "w", folder / "f").stdout)
            said = self.run_tool("verify", "--weights", folder / "f", folder / "f")
            self.assertEqual(said.returncode, 1)
            self.assertIn("weights: ", said.stderr)

    def test_usage(self):
        for arguments in ((), ("show",), ("look", "f"), ("sign", "f"), ("sign", "--key"), ("show", "--key", "k", "f"),
                          ("verify", "--lock", "f")):
            said = self.run_tool(*arguments)
            self.assertEqual(said.returncode, 2)
            self.assertIn("usage", said.stderr)
        self.assertEqual(self.run_tool("verify", "/no/such/file").returncode, 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
