#!/usr/bin/env python3
"""The bill of materials: what the shipped files are built from and need, as SPDX 2.3 in JSON.

usage: sbom.py BUILD [--installed FOLDER] [--output FILE]

BUILD is a build tree in which the files of SHIPPED are built. Checksums are those of its files or, as an installation
changes them, of the files of the same names below FOLDER; what is not installed there is then left out.

For each shipped file it asks the build what went into it: archives and shared libraries that it was linked with and
headers that its sources included (ninja -t inputs, -t deps), and the shared libraries that the loader opens with it (ldd).
Each such file belongs to a Debian package, whose version and licence are told from dpkg and its copyright file. Packages
are related to the file as

  STATIC_LINK    an archive of it is in the file
  DYNAMIC_LINK   a shared library of it is loaded with the file
  BUILD_DEPENDENCY_OF   headers only, and what tools/debian-packages.txt has for building and testing
"""
import argparse
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import sysconfig

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHIPPED = (f"python/_dynacc{sysconfig.get_config_var('EXT_SUFFIX')}", "libdynacc_embed.so", "libdynacc_cpu_compiler.so",
           "libdynacc_start.so", "libdynacc_program.so", "dynacc-python", "dynacc-program")
# Debian's names of licences, where SPDX has another.
SPDX_NAMES = {"BSD-3-clause": "BSD-3-Clause", "BSD-2-clause": "BSD-2-Clause", "Expat": "MIT", "GPL-2": "GPL-2.0-only",
              "GPL-2+": "GPL-2.0-or-later", "GPL-3": "GPL-3.0-only", "GPL-3+": "GPL-3.0-or-later", "LGPL-2.1+":
              "LGPL-2.1-or-later", "LGPL-2+": "LGPL-2.0-or-later", "APACHE-2-LLVM-EXCEPTIONS":
              "Apache-2.0 WITH LLVM-exception", "Apache-2": "Apache-2.0", "public-domain": "LicenseRef-public-domain"}
KNOWN = {"Apache-2.0", "BSL-1.0", "Zlib", "MIT", "ISC", "BSD-3-Clause", "BSD-2-Clause", *SPDX_NAMES.values()}
# Packages whose copyright file is prose: the licence of their libraries, and words that the file must still have.
PROSE = (("libc6(-dev|-dev-bin)?", "LGPL-2.1-or-later", "GNU Lesser General Public"),
         ("libgcc-.*|libstdc.*", "GPL-3.0-or-later WITH GCC-exception-3.1", "GCC RUNTIME LIBRARY EXCEPTION"),
         ("(lib)?python3.*(?<!numpy)", "PSF-2.0", "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2"),
         ("python3-numpy", "BSD-3-Clause", "Redistribution and use in source and binary forms"))


def run(*command, cwd=None):
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=cwd).stdout


def owners(paths):
    """The Debian packages of these files, by path. Links are followed; a file of no package is left out."""
    names = {}
    for path in paths:
        names.setdefault(os.path.realpath(path), path)
    # Debian's /lib is /usr/lib, and dpkg knows files by the one or the other.
    asked = sorted(names) + sorted(name.removeprefix("/usr") for name in names if name.startswith("/usr/lib"))
    told = subprocess.run(["dpkg-query", "-S", *asked], capture_output=True, text=True).stdout if asked else ""
    found = {}
    for line in told.splitlines():
        packages, _, path = line.rpartition(": ")
        full = path if path in names else "/usr" + path
        if full in names and not line.startswith("diversion"):
            found[names[full]] = packages.split(",")[0].split(":")[0]
    return found


def link_command(build, target):
    """The compiler's arguments that link `target`."""
    line = run("ninja", "-t", "commands", "-s", target, cwd=build)
    return next(part.split() for part in line.split("&&") if f"-o {target} " in part)


def named_archives(command):
    """Archives that a link command names by -l or brings by itself; not where there is a shared library instead."""
    is_static = "-static" in command or "-static-pie" in command
    names = [word[2:] for word in command if word.startswith("-l")]
    always = {"libstdc++.a"} if is_static or "-static-libstdc++" in command else set()
    always |= {"libgcc.a", "libgcc_eh.a"} if is_static or "-static-libgcc" in command else set()
    always |= {"libc.a", "libm.a"} if is_static else set()
    folders = [word[2:] for word in command if word.startswith("-L")]

    def find(file):
        asked = run(command[0], f"-print-file-name={file}").strip()
        places = [os.path.join(folder, file) for folder in folders] + [asked if os.path.isabs(asked) else ""]
        return next((place for place in places if place and os.path.exists(place)), None)

    found = {find(name) for name in always}
    found |= {find(f"lib{name}.a") for name in names if is_static or find(f"lib{name}.so") is None}
    return found - {None}


def linked(build, target):
    """What the build reads for `target`: outside archives, and outside headers that its sources include."""
    command = link_command(build, target)
    archives = {word for word in command if word.startswith("/") and word.endswith(".a")} | named_archives(command)
    objects = {word for word in command if word.endswith(".o")}
    for archive in (word for word in command if word.endswith(".a") and not word.startswith("/")):
        objects |= {name for name in run("ninja", "-t", "inputs", archive, cwd=build).split() if name.endswith(".o")}
    told = run("ninja", "-t", "deps", *sorted(objects), cwd=build)
    return archives, set(re.findall(r"^    (/usr/.*)$", told, flags=re.M))


def loaded(path):
    """The shared libraries that the loader opens with the file; none for a static program."""
    done = subprocess.run(["ldd", path], capture_output=True, text=True)
    return set(re.findall(r"(/\S+) \(0x", done.stdout))


def licence_of(package):
    """An SPDX expression, and the licence's own text where SPDX has no name for it."""
    path = pathlib.Path(f"/usr/share/doc/{package}/copyright")
    if not path.exists():
        return "NOASSERTION", None
    text = path.read_text(errors="replace")
    if not text.startswith("Format:"):
        for pattern, name, words in PROSE:
            if re.fullmatch(pattern, package) and words.lower() in " ".join(text.split()).lower():
                return name, None
        return f"LicenseRef-{package}", text
    stanzas = [dict(re.findall(r"^(Files|License): *(.*)$", stanza, flags=re.M)) for stanza in re.split(r"\n\s*\n", text)]
    whole = [stanza["License"] for stanza in stanzas if stanza.get("Files", "").split()[:1] == ["*"] and
             stanza.get("License")]
    named = whole or [stanza["License"] for stanza in stanzas if stanza.get("License")]
    if not named:
        return f"LicenseRef-{package}", text
    parts = re.split(r"\s+(or|and)\s+", named[0].strip())
    parts = [part.upper() if part in ("or", "and") else SPDX_NAMES.get(part, part) for part in parts]
    if all(part in KNOWN or part in ("OR", "AND") for part in parts):
        return " ".join(parts), None
    return f"LicenseRef-{package}", text


def identifier(name):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name)


def package_row(package):
    version, source, supplier = run("dpkg-query", "-W", "-f", "${Version}\t${source:Package}\t${Maintainer}\n",
                                    package).splitlines()[0].split("\t")
    licence, text = licence_of(package)
    row = {"SPDXID": identifier(package), "name": package, "versionInfo": version, "supplier": f"Organization: {supplier}",
           "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
           "licenseDeclared": licence, "copyrightText": "NOASSERTION", "sourceInfo": f"Debian source package {source}",
           "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                             "referenceLocator": f"pkg:deb/debian/{package}@{version}"}]}
    return row, text


class Bill:
    """Collects packages and how they are related to the shipped files."""

    def __init__(self, version):
        self.version = version
        self.packages = {}
        self.relations = set()
        self.texts = {}

    def add(self, package, relation, file):
        if package not in self.packages:
            row, text = package_row(package)
            self.packages[package] = row
            if text:
                self.texts[row["licenseDeclared"]] = text
        pair = (identifier(package), file) if relation == "BUILD_DEPENDENCY_OF" else (file, identifier(package))
        self.relations.add((pair[0], relation, pair[1]))

    def add_file(self, build, name, installed=None):
        """A shipped file with all that it has and needs; `installed` is where it is now. Returns its row."""
        path = (build / name).resolve()  # libX.so leads to the file with the version
        archives, headers = linked(build, str(path.relative_to(build.resolve())))
        file = identifier(path.name)
        static, dynamic = owners(archives), owners(loaded(path))
        for package in sorted(set(static.values())):
            self.add(package, "STATIC_LINK", file)
        for package in sorted(set(dynamic.values())):
            self.add(package, "DYNAMIC_LINK", file)
        for package in sorted(set(owners(headers).values()) - set(static.values()) - set(dynamic.values())):
            self.add(package, "BUILD_DEPENDENCY_OF", file)
        content = (installed or path).read_bytes()
        return {"SPDXID": file, "fileName": f"./{path.name}", "licenseConcluded": "NOASSERTION",
                "copyrightText": "NOASSERTION", "checksums": [
                    {"algorithm": algorithm, "checksumValue": hashlib.new(algorithm, content).hexdigest()}
                    for algorithm in ("SHA1", "SHA256")]}

    def add_tools(self):
        for line in (ROOT / "tools/debian-packages.txt").read_text().splitlines():
            package = line.strip().replace("@PYTHON@", f"python{sys.version_info.major}.{sys.version_info.minor}")
            installed = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Abbrev}", package], capture_output=True,
                                       text=True).stdout.startswith("ii") if package and package[0] != "#" else False
            if installed:
                self.add(package, "BUILD_DEPENDENCY_OF", "SPDXRef-dynacc")

    def document(self, files):
        ours = {"SPDXID": "SPDXRef-dynacc", "name": "dynacc", "versionInfo": self.version, "filesAnalyzed": False,
                "downloadLocation": "NOASSERTION", "licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION",
                "copyrightText": "NOASSERTION", "primaryPackagePurpose": "LIBRARY"}
        relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-dynacc")]
        relations += [("SPDXRef-dynacc", "CONTAINS", file["SPDXID"]) for file in files]
        when = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")) or
                                               datetime.datetime.now().timestamp(), datetime.timezone.utc)
        content = hashlib.sha256("".join(file["checksums"][1]["checksumValue"] for file in files).encode()).hexdigest()
        return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
                "name": f"dynacc-{self.version}", "documentNamespace": f"urn:dynacc:sbom:{content}",
                "creationInfo": {"created": when.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: dynacc-sbom"]},
                "packages": [ours, *(self.packages[name] for name in sorted(self.packages))],
                "files": files,
                "hasExtractedLicensingInfos": [{"licenseId": name, "extractedText": text}
                                               for name, text in sorted(self.texts.items())],
                "relationships": [{"spdxElementId": a, "relationshipType": relation, "relatedSpdxElement": b}
                                  for a, relation, b in relations + sorted(self.relations)]}


def main():
    parser = argparse.ArgumentParser(description="What the shipped files are built from and need, as SPDX 2.3 in JSON.")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--installed", type=pathlib.Path, metavar="FOLDER", help="the files as they are installed here")
    parser.add_argument("--output", type=pathlib.Path, help="default: standard output")
    arguments = parser.parse_args()
    present = [name for name in SHIPPED if (arguments.build / name).exists()]
    if not present:
        sys.exit(f"sbom.py: none of the shipped files is in {arguments.build}; build first")
    cache = (arguments.build / "CMakeCache.txt").read_text()
    bill = Bill(re.search(r"^CMAKE_PROJECT_VERSION:STATIC=(.*)$", cache, flags=re.M)[1])
    places = {name: None for name in present}
    if arguments.installed is not None:
        there = {path.name: path for path in arguments.installed.rglob("*") if path.is_file()}
        places = {name: there[pathlib.Path(name).name] for name in present if pathlib.Path(name).name in there}
    files = [bill.add_file(arguments.build, name, place) for name, place in places.items()]
    bill.add_tools()
    text = json.dumps(bill.document(files), indent=1) + "\n"
    if arguments.output is None:
        sys.stdout.write(text)
    else:
        arguments.output.write_text(text)


if __name__ == "__main__":
    main()
