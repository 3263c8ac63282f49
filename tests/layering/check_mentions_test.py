#!/usr/bin/env python3
"""check_mentions.py must find each kind of wrong name, and none in a clean tree."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_mentions

TREE = {"runtime/base/log.h": "// Logs.\n", "codegen/passes/passes.def": "", "README.md": "See `codegen/passes`.\n"}


class CheckMentionsTest(unittest.TestCase):
    def offences(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, content in (TREE | {name: text}).items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(content)
            return list(check_mentions.offences(root))

    def test_what_is_there(self):
        for named in ("runtime/base/log.h", "runtime/base/log", "log.h", "base/log.h", "codegen/passes/", "codegen/*/passes.def",
                      "numpy/core/some.h", "Python.h", "https://example.org/gone.h", "prog.py"):
            self.assertEqual(self.offences("codegen/a.cc", f"int a;  // as {named}, it says\n"), [], named)

    def test_what_is_not(self):
        for named in ("runtime/base/gone.h", "codegen/gone", "runtime/log", "gone.cc", "gone.def", "gone/log.h"):
            found = self.offences("codegen/a.cc", f"int a;\n// (see {named})\n")
            self.assertEqual(len(found), 1, named)
            self.assertIn(f"codegen/a.cc:2: ", found[0])
            self.assertIn(named, found[0])

    def test_every_kind_of_file(self):
        for name, text in (("docs/page.md", "`tools/gone.py`"), ("tools/a.py", "a = 1  # tools/gone.py"),
                           ("cmake/a.cmake", "# tools/gone.py"), ("runtime/CMakeLists.txt", "# tools/gone.py")):
            self.assertEqual(len(self.offences(name, text)), 1, name)

    def test_code_is_no_comment(self):
        self.assertEqual(self.offences("tools/a.py", 'a = "tools/gone.py"'), [])
        self.assertEqual(self.offences("tests/a.txt", "# tools/gone.py"), [])


if __name__ == "__main__":
    unittest.main()
