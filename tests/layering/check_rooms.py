#!/usr/bin/env python3
"""Checks that the folders form a DAG, and that CMake's libraries say the same as the includes.

usage: check_rooms.py ROOT       prints each offence; exit status 1 if there is one

A room is a folder of the sources that has a CMakeLists.txt; a folder without one belongs to the room above it.

Law                                                                              why
rooms include each other in one direction                                        a room can be read, tested and linked
                                                                                 without those above it
`dynacc_library(a_b DEPS ...)` stands in a/b/CMakeLists.txt                      a name says where the code is
its DEPS are the rooms that the room's files include, no more and no fewer       CMake and the sources tell one story
"""
import collections
import pathlib
import re
import sys

from check_layers import INCLUDE, LAYERS

LIBRARY = re.compile(r"dynacc_library\((\w+)([^)]*)\)")
SUFFIXES = {".h", ".cc", ".def"}


class Tree:
    """The rooms of a source tree, and which of them include which."""

    def __init__(self, root):
        self.root = root
        self.rooms = {path.parent.relative_to(root).as_posix()
                      for layer in LAYERS for path in (root / layer).rglob("CMakeLists.txt")}
        self.includes = collections.defaultdict(dict)  # room -> room -> an include that says so
        for layer in LAYERS:
            for path in sorted((root / layer).rglob("*")):
                if path.suffix in SUFFIXES:
                    self.add_file(path)

    def room_of(self, name):
        for parent in pathlib.PurePosixPath(name).parents:
            if parent.as_posix() in self.rooms:
                return parent.as_posix()
        return None

    def add_file(self, path):
        name = path.relative_to(self.root).as_posix()
        room = self.room_of(name)
        for line in path.read_text(encoding="utf-8").splitlines():
            match = INCLUDE.match(line)
            if match and match.group(1).split("/")[0] in LAYERS and (self.root / match.group(1)).exists():
                other = self.room_of(match.group(1))
                if room and other and room != other:
                    self.includes[room].setdefault(other, f"{name} includes {match.group(1)}")

    def cycles(self):
        """One cycle from each room that reaches itself, as a list of includes."""
        done = set()
        for start in sorted(self.rooms):
            path = self.way_back(start, done)
            done.add(start)
            if path:
                yield path

    def way_back(self, start, without):
        reached = {start: None}
        queue = collections.deque([start])
        while queue:
            room = queue.popleft()
            for other in sorted(self.includes[room]):
                if other == start:
                    steps = [self.includes[room][start]]
                    while reached[room] is not None:
                        steps.insert(0, self.includes[reached[room]][room])
                        room = reached[room]
                    return steps
                if other not in reached and other not in without:
                    reached[other] = room
                    queue.append(other)
        return None

    def library_offences(self):
        for room in sorted(self.rooms):
            for name, arguments in LIBRARY.findall((self.root / room / "CMakeLists.txt").read_text(encoding="utf-8")):
                if name != room.replace("/", "_"):
                    wanted = room.replace("/", "_")
                    yield f"{room}/CMakeLists.txt: the library of this folder is named {wanted}, not {name}"
                    continue
                known = {other.replace("/", "_"): other for other in self.rooms}
                linked = {known[word] for word in arguments.split() if word in known}
                for other in sorted(set(self.includes[room]) - linked):
                    # A part that may be missing is linked elsewhere in the file, or opened at run time.
                    yield f"{room}/CMakeLists.txt: DEPS lacks {other.replace('/', '_')}: {self.includes[room][other]}"
                for other in sorted(linked - set(self.includes[room])):
                    yield f"{room}/CMakeLists.txt: nothing in the folder includes {other}"


# Rooms that a build may lack: linked if they are there. The plug-in's interface is a header, its code a module of its
# own.
OPTIONAL = {("codegen/compile", "codegen/targets/cuda"), ("codegen/targets/cpu", "codegen/targets/cpu/compiler"),
            ("serve/server", "serve/rpc")}


def offences(root):
    tree = Tree(root)
    for room, other in OPTIONAL:
        optional = tree.includes[room].pop(other, None)
        if optional and room in tree.includes[other]:
            yield f"rooms in a circle: {optional}; {tree.includes[other][room]}"
    for steps in tree.cycles():
        yield "rooms in a circle: " + "; ".join(steps)
    yield from tree.library_offences()


def main():
    found = list(offences(pathlib.Path(sys.argv[1]).resolve()))
    print(*found, sep="\n")
    print(f"{len(found)} offences")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
