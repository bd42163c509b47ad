# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""Compares the binary interface with the reference that is stored here: reference.abi.xz, as abidw writes it.

A library of the public functions alone, compiled from the headers, stands for the interface: all types that a program can
see, and nothing of what the library is made of. Functions may be added, and fields at the beginning of a `reserved` tail;
abidiff finds everything else. With --write the reference is written anew, as a new interface begins (docs/support.md).

usage: abi.py COMPILER INCLUDE_FOLDER BUILD_FOLDER SONAME reference.abi.xz WORK_FOLDER [--write | LIBRARY]
"""
import glob
import json
import lzma
import os
import platform
import re
import shutil
import subprocess
import sys
from xml.etree import ElementTree

# A later version takes what it adds from where zeros are. Only for structs that have: abidiff 2.2 then overlooks other
# changes in them.
GROWN = "[suppress_type]\n  type_kind = struct\n  name = %s\n  has_data_member_inserted_at = offset_of(reserved)\n"

# A query that is added has the number of the last, which counts them, from then on.
COUNTED = "[suppress_type]\n  type_kind = enum\n  name = tact_recorded_kind\n  changed_enumerators = TACT_RECORDED_KINDS\n"

# What must be found: (header, text, replacement).
BREAKS = [
    ("base.h", "TACT_ERROR_LIMIT = -8", "TACT_ERROR_LIMIT = -88"),
    ("raycast.h", "    float u, v; ", "    float w, u, v; "),
    ("cull.h", "    uint32_t plane_count;  ///< at most TACT_CULL_PLANES_MAX; 0: no condition\n\n",
     "    float plane_count;\n\n"),
    ("context.h", "    char vendor[128]; ", "    char vendor[64], more[64]; "),
    ("context.h", "    tact_ticket* ticket; ", "    uint64_t first; tact_ticket* ticket; "),
    ("scene.h", "    uint64_t reserved[4];  ///< zeros: room for fields to come\n} tact_alpha_desc",
     "    uint64_t grown;  uint64_t reserved[4];\n} tact_alpha_desc"),
]


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
    return done.returncode, done.stdout


def must(*command):
    status, output = run(*command)
    if status != 0:
        sys.exit(f"{' '.join(command)}\n{output}")


class Interface:
    def __init__(self, compiler, include, build, soname, work):
        self.compiler, self.include, self.soname, self.work = compiler, include, soname, work
        self.version = os.path.join(build, "include", "tact", "version.h")
        self.map = os.path.join(build, "tact.map")
        with open(os.path.join(build, "tact_api.json"), encoding="utf-8") as f:
            self.functions = [entry["declaration"] for entry in json.load(f)["functions"]]
        if len(self.functions) < 400:
            sys.exit(f"only {len(self.functions)} functions")
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(work)

    def compile(self, change, functions=None):
        """A library of the headers after change(header, text), which returns the text of a header."""
        folder, source = os.path.join(self.work, "include"), os.path.join(self.work, "interface.c")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.include, folder)
        shutil.copy(self.version, os.path.join(folder, "tact"))
        for name in os.listdir(os.path.join(folder, "tact")):
            path = os.path.join(folder, "tact", name)
            if os.path.isfile(path):
                with open(path, encoding="utf-8") as f:
                    text = f.read()
                with open(path, "w", encoding="utf-8") as f:
                    f.write(change(name, text))
        with open(source, "w", encoding="utf-8") as f:
            bodies = [declaration + " { for (;;) {} }\n" for declaration in functions or self.functions]
            f.write("#include <tact/tact.h>\n" + "".join(bodies))
        library = os.path.join(self.work, "interface.so")
        must(self.compiler, "-std=c17", "-g", "-O0", "-fPIC", "-shared", f"-I{folder}", source, "-o", library,
             f"-Wl,--version-script={self.map}", f"-Wl,-soname,{self.soname}")
        return library

    def tails(self):
        """{struct: words of its tail} in the headers that were compiled last."""
        found = {}
        for path in glob.glob(os.path.join(self.work, "include", "tact", "*.h")):
            with open(path, encoding="utf-8") as f:
                for name, body in re.findall(r"^typedef struct (\w+) \{(.*?)^\}", f.read(), re.M | re.S):
                    tail = re.search(r"\breserved\[(\d+)\]", body)
                    if tail:
                        found[name] = int(tail[1])
        return found


def tails_of(reference):
    """The same of a file of abidw's."""
    root = ElementTree.parse(reference).getroot()
    bits = {array.get("id"): int(array.get("size-in-bits")) for array in root.iter("array-type-def")}
    return {struct.get("name"): bits[member.get("type-id")] // 64
            for struct in root.iter("class-decl") for member in struct.iter("var-decl")
            if member.get("name") == "reserved" and member.get("type-id") in bits}


def main():
    compiler, include, build, soname, reference, work = sys.argv[1:7]
    more = sys.argv[7:]
    if not shutil.which("abidiff") or not shutil.which("abidw"):
        print("TACT_SKIP: no abidiff (Debian: abigail-tools)")
        return
    if platform.system() != "Linux" or platform.machine() != "x86_64" or sys.maxsize < 2**32:
        print("TACT_SKIP: the reference is of another machine")
        return
    interface = Interface(compiler, include, build, soname, work)
    stored, allowed = os.path.join(work, "reference.abi"), os.path.join(work, "allowed")
    today = interface.compile(lambda name, text: text)
    if more == ["--write"]:
        must("abidw", "--no-show-locs", "--no-corpus-path", "--no-comp-dir-path", "--no-parameter-names",
             "--load-all-types", "--out-file", stored, today)
        with open(stored, "rb") as f, lzma.open(reference, "wb", preset=9) as out:
            out.write(f.read())
        return
    with lzma.open(reference) as f, open(stored, "wb") as out:
        out.write(f.read())
    before = tails_of(stored)
    if len(before) < 38:
        sys.exit(f"only {len(before)} structs of the reference have a tail")

    def compare(library):
        now = interface.tails()
        with open(allowed, "w", encoding="utf-8") as f:
            f.write(COUNTED)
            f.writelines(GROWN % name for name, words in before.items() if now.get(name, words) < words)
        return run("abidiff", "--no-added-syms", "--suppressions", allowed, stored, library)

    for library in [today] + more:
        status, output = compare(library)
        if status != 0:
            sys.exit(f"{library} has another binary interface than {reference}. Take fields from `reserved`, or begin a "
                     f"new interface (docs/support.md).\n{output}")

    # Growing is allowed, and what is not is found.
    grown = 0

    def grow(name, text):
        nonlocal grown
        text, count = re.subn(r"uint64_t reserved\[(\d)\];",
                              lambda left: f"uint64_t grown; uint64_t reserved[{int(left[1]) - 1}];", text)
        grown += count
        return text

    status, output = compare(interface.compile(grow, interface.functions))
    if status != 0 or grown < 38:
        sys.exit(f"{grown} structs may not grow:\n{output}")
    if compare(interface.compile(lambda name, text: text, interface.functions[:-1]))[0] == 0:
        sys.exit("a function that is gone was not found")
    for header, old, new in BREAKS:
        def change(name, text):
            if name == header and text.count(old) == 0:
                sys.exit(f"{header} has no '{old}'")
            return text.replace(old, new, 1) if name == header else text
        if compare(interface.compile(change))[0] == 0:
            sys.exit(f"not found: {header}: {new}")
    print(f"{len(interface.functions)} functions as in {os.path.basename(reference)}; {grown} structs may grow")


if __name__ == "__main__":
    main()
