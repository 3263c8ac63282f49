#!/usr/bin/env python3
"""tools/sbom.py: the bill of materials is well-formed SPDX and names what the files really have.

usage: sbom_test.py SOURCE BUILD
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import unittest

ROOT, BUILD = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
TOOL = [sys.executable, str(ROOT / "tools/sbom.py")]
MODULE = "SPDXRef--dynacc" + sysconfig.get_config_var("EXT_SUFFIX").replace("_", "-")


class Bill(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = subprocess.run([*TOOL, str(BUILD)], capture_output=True, text=True, check=True)
        cls.bill = json.loads(done.stdout)
        cls.packages = {row["name"]: row for row in cls.bill["packages"]}
        cls.relations = {(row["spdxElementId"], row["relationshipType"], row["relatedSpdxElement"])
                         for row in cls.bill["relationships"]}

    def test_it_is_well_formed(self):
        self.assertEqual((self.bill["spdxVersion"], self.bill["dataLicense"]), ("SPDX-2.3", "CC0-1.0"))
        self.assertRegex(self.bill["creationInfo"]["created"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        rows = self.bill["packages"] + self.bill["files"]
        names = [row["SPDXID"] for row in rows]
        self.assertEqual(len(names), len(set(names)))
        for name in names:
            self.assertRegex(name, r"^SPDXRef-[A-Za-z0-9.-]+$")
        for a, _, b in self.relations:
            self.assertLessEqual({a, b}, {*names, "SPDXRef-DOCUMENT"})
        self.assertIn(("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-dynacc"), self.relations)

    def test_every_package_has_its_version_and_licence(self):
        extracted = {row["licenseId"] for row in self.bill["hasExtractedLicensingInfos"]}
        for name, row in self.packages.items():
            if name == "dynacc":
                continue
            with self.subTest(name):
                asked = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], capture_output=True, text=True)
                self.assertEqual(row["versionInfo"], asked.stdout)
                self.assertNotEqual(row["licenseDeclared"], "NOASSERTION")
                for licence in re.findall(r"LicenseRef-[\w.+-]+", row["licenseDeclared"]):
                    self.assertIn(licence, extracted)

    def test_licences_that_are_known(self):
        for name, licence in (("libabsl-dev", "Apache-2.0"), ("libc6", "LGPL-2.1-or-later"), ("zlib1g", "Zlib"),
                              ("libgcc-s1", "GPL-3.0-or-later WITH GCC-exception-3.1")):
            self.assertEqual(self.packages[name]["licenseDeclared"], licence)

    def test_what_the_files_have(self):
        """The files of the build, told by other means: what is in them, and what the loader opens."""
        files = {row["SPDXID"]: row for row in self.bill["files"]}
        self.assertIn(MODULE, files)
        path = BUILD / "python" / files[MODULE]["fileName"]
        sums = {row["algorithm"]: row["checksumValue"] for row in files[MODULE]["checksums"]}
        self.assertEqual(sums["SHA256"], hashlib.sha256(path.read_bytes()).hexdigest())
        self.assertIn((MODULE, "STATIC_LINK", "SPDXRef-libabsl-dev"), self.relations)
        self.assertIn((MODULE, "DYNAMIC_LINK", "SPDXRef-libc6"), self.relations)
        self.assertIn((f"SPDXRef-libpython3.{sys.version_info.minor}-dev", "BUILD_DEPENDENCY_OF", MODULE), self.relations)
        self.assertNotIn("libgtest-dev", [b[8:] for a, _, b in self.relations if a == MODULE])
        self.assertFalse([b for a, kind, b in self.relations if a == MODULE and "clang" in b], "that is the plug-in")
        plugin = "SPDXRef-libdynacc-cpu-compiler.so"
        if plugin in files:
            for package in ("llvm-19-dev", "libclang-19-dev"):
                self.assertIn((plugin, "STATIC_LINK", f"SPDXRef-{package}"), self.relations)

    def test_every_library_that_is_needed_is_named(self):
        for row in self.bill["files"]:
            name = row["fileName"][2:]
            path = next(place for place in (BUILD / name, BUILD / "python" / name) if place.exists())
            told = subprocess.run(["ldd", path], capture_output=True, text=True).stdout
            for library in set(re.findall(r"=> (/(?:usr/)?lib\S+)", told)):
                asked = subprocess.run(["dpkg-query", "-S", str(pathlib.Path(library).resolve())], capture_output=True,
                                       text=True).stdout
                if not asked:
                    continue
                package = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", asked.split(":")[0])
                self.assertIn((row["SPDXID"], "DYNAMIC_LINK", package), self.relations, library)

    def test_an_empty_build_is_told_of(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([*TOOL, folder], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("build first", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
