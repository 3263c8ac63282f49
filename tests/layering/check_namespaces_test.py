#!/usr/bin/env python3
"""check_namespaces.py must find each kind of offence, and none in a clean tree."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_namespaces

DEFINES = "namespace %s {\nint Answer();\n}  // namespace %s\n"


class CheckNamespacesTest(unittest.TestCase):
    def offences(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / name
            path.parent.mkdir(parents=True)
            path.write_text(text)
            return list(check_namespaces.offences(pathlib.Path(folder)))

    def defines(self, name, namespace):
        return self.offences(name, DEFINES % (namespace, namespace))

    def test_clean(self):
        for name, namespace in (("codegen/ir/a.h", "dynacc::ir"), ("runtime/base/a.cc", "dynacc"),
                                ("runtime/ops/a.h", "dynacc::element"), ("runtime/cpu/loops/a.h", "dynacc::cpu"),
                                ("frontend/tracer/builtins/a.h", "dynacc::tracer"),
                                ("codegen/ir/a.h", "dynacc::ir::detail")):
            self.assertEqual(self.defines(name, namespace), [], name)

    def test_names_of_another_folder(self):
        self.assertIn("are in dynacc::ir", self.defines("codegen/ir/a.h", "dynacc")[0])
        self.assertIn("are in dynacc", self.defines("runtime/base/a.h", "dynacc::base")[0])
        self.assertIn("are in dynacc::ir", self.defines("codegen/ir/a.h", "dynacc::passes")[0])

    def test_classes_of_others_may_be_declared(self):
        text = "namespace dynacc::ir {\nclass Graph;  // why\nstruct Node;\n}  // namespace dynacc::ir\n"
        self.assertEqual(self.offences("codegen/emit/a.h", text), [])


if __name__ == "__main__":
    unittest.main()
