#!/usr/bin/env python3
"""check_layers.py must find each kind of offence, and none in a clean tree."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_layers


class CheckLayersTest(unittest.TestCase):
    def offences(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True)
            path.write_text(text)
            return list(check_layers.offences(pathlib.Path(folder)))

    def test_clean_source(self):
        text = '#include "runtime/base/log.h"\n\nint F() {\n  return 1;\n}\n'
        self.assertEqual(self.offences("codegen/ir/a.cc", text), [])

    def test_upward_include(self):
        found = self.offences("runtime/base/a.h", '#include "frontend/capture/capture.h"\n')
        self.assertIn("higher layer frontend", found[0])

    def test_dependency_outside_its_home(self):
        for header in ("Python.h", "internal/pycore_frame.h", "llvm/IR/Module.h", "cuda.h", "numpy/ndarrayobject.h"):
            self.assertEqual(len(self.offences("runtime/base/a.cc", f"#include <{header}>\n")), 1, header)
        self.assertEqual(self.offences("embed/launcher/a.cc", "#include <Python.h>\n"), [])
        self.assertEqual(len(self.offences("frontend/frame/a.cc", '#include "internal/pycore_frame.h"\n')), 1)

    def test_version_test(self):
        text = "#if PY_VERSION_HEX >= 0x030C0000\n#endif\n"
        self.assertEqual(len(self.offences("frontend/frame/a.cc", text)), 1)
        self.assertEqual(self.offences("frontend/cpython/a.cc", text), [])

    def test_long_file(self):
        self.assertIn("801 lines", self.offences("codegen/a.h", "//\n" * 801)[0])

    def test_long_function(self):
        body = "  F();\n" * 79
        for head in ("void G() {", "std::vector<int> G(int a,\n       int b) {"):
            self.assertIn("a function of", self.offences("codegen/a/a.cc", f"{head}\n{body}}}\n")[0])
        self.assertEqual(self.offences("codegen/a/a.cc", "void G() {\n" + "  F();\n" * 78 + "}\n"), [])

    def test_long_member_function(self):
        text = "class A {\n public:\n  void G() {\n" + "    F();\n" * 79 + "  }\n};\n"
        self.assertEqual(len(self.offences("codegen/a/a.cc", text)), 1)

    def test_short_functions_in_a_row(self):
        text = "int F() { return 1; }\n" * 100 + "int G(int a,\n      int b);\n" * 60
        self.assertEqual(self.offences("codegen/a/a.cc", text), [])

    def test_a_raw_string_and_an_initialiser_are_no_functions(self):
        text = 'constexpr char kText[] = R"(\ndef f(a):\n)";\n' + "int a = F({{}, 1});\n" * 100
        self.assertEqual(self.offences("codegen/a/a.cc", text), [])

    def test_namespace_is_no_function(self):
        text = "namespace dynacc {\n" + "int F();\n" * 100 + "}  // namespace dynacc\n"
        self.assertEqual(self.offences("codegen/a/a.cc", text), [])


if __name__ == "__main__":
    unittest.main()
