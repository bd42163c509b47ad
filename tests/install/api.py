# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""Checks tact_api.json against the headers, read by plain patterns, and that its generator refuses what it cannot read.

usage: api.py GENERATOR INCLUDE_FOLDER WORK_FOLDER tact_api.json
"""
import glob
import json
import os
import re
import subprocess
import sys

# Each ends in the line that must be named.
UNREADABLE = [
    "TACT_API int tact_f(int a, ...);",
    "TACT_API tact_unknown tact_f(void);",
    "TACT_API int tact_variable;",
    "TACT_API static int tact_f(void);",
    "TACT_API int tact_f(int a[3)",
    "#ifdef TACT_MORE\nTACT_API int tact_f(void);",
    "#define TACT_SQUARE(x) ((x) * (x))",
    "typedef struct tact_s {\n    uint32_t bits : 3;",
    "typedef struct tact_s {\n    struct {\n        int a;\n    };",
    "typedef struct tact_s {\n    int a;\n} tact_other;",
    "typedef struct tact_s {\n    float rest[];",
    "typedef enum { TACT_A } tact_e;",
    "struct tact_s {",
    "extern int tact_variable;",
    "TACT_API int tact_f(void);\nTACT_API int tact_f(void);",
]


def declared(folder):
    """{group: names} in the headers below `folder`."""
    text = ""
    for path in glob.glob(os.path.join(folder, "tact", "**", "*.h"), recursive=True):
        with open(path, encoding="utf-8") as f:
            text += re.sub(r"//.*|/\*.*?\*/", "", f.read())
    enums = [(tag, name) for tag, values in re.findall(r"enum (\w*) ?\{([^}]*)\}", text)
             for name in re.findall(r"TACT_\w+", re.sub(r"=[^,]*", "", values))]
    macros = set(re.findall(r"^#define (TACT_\w+) +\S", text, re.M)) - {"TACT_API", "TACT_EXTERN_C"}
    return {"functions": re.findall(r"^TACT_API[^;(]*\b(tact_\w+)\(", text, re.M),
            "structs": re.findall(r"^typedef (?:struct|union) (\w+) \{", text, re.M),
            "opaque": re.findall(r"^typedef struct (\w+) \1;", text, re.M),
            "enums": [f"{tag}.{name}" for tag, name in enums if tag],
            "constants": list(macros) + [name for tag, name in enums if not tag],
            "typedefs": re.findall(r"^typedef", text, re.M), "lines": re.findall(r"^TACT_API", text, re.M)}


def check_names(api, folder):
    groups = ("functions", "structs", "opaque", "constants")
    found = {group: [entry["name"] for entry in api[group]] for group in groups}
    found["enums"] = [f"{entry['name']}.{value['name']}" for entry in api["enums"] for value in entry["values"]]
    wanted = declared(folder)
    for group, names in found.items():
        if sorted(names) != sorted(wanted[group]):
            sys.exit(f"{group}: only in one of both: {sorted(set(names) ^ set(wanted[group]))}")
    typedefs = sum(len(api[group]) for group in ("structs", "opaque", "enums", "callbacks", "aliases"))
    counts = {"typedefs": typedefs, "lines": len(api["functions"])}
    for what, count in counts.items():
        if count != len(wanted[what]):
            sys.exit(f"{what}: {count} of {len(wanted[what])}")
    if len(api["functions"]) < 400 or len(api["structs"]) < 100:
        sys.exit(f"only {len(api['functions'])} functions and {len(api['structs'])} structs")
    bare = [entry["name"] for group in groups[:3] + ("enums", "callbacks") for entry in api[group] if not entry["doc"]]
    if bare:
        sys.exit(f"without a comment: {bare}")
    print(", ".join(f"{len(names)} {group}" for group, names in found.items()))


# Structs of which more versions are to come: what a query, an object or a context is asked for and reports.
GROWING = r"_(desc|options|work|info|report|stats|totals|rules|arrays|output|buffers|entry|draw)$|^tact_explanation$"


def check_reserves(api):
    growing = [entry for entry in api["structs"]
               if re.search(GROWING, entry["name"]) and "geometry/" not in entry["header"]]
    if len(growing) < 38:
        sys.exit(f"only {len(growing)} structs that grow")
    for entry in growing:
        if not any(field["name"] == "reserved" and field["size"] >= 16 for field in entry["fields"]):
            sys.exit(f"{entry['name']} has no room for fields to come")


def check_refusals(generator, folder):
    os.makedirs(folder, exist_ok=True)
    header, program = os.path.join(folder, "bad.h"), os.path.join(folder, "bad.c")
    for text in UNREADABLE:
        with open(header, "w", encoding="utf-8") as f:
            f.write(f"typedef int tact_before;\n{text}\n")
        place = f"bad.h:{text.count(chr(10)) + 2}: "
        done = subprocess.run([sys.executable, generator, program, header], stderr=subprocess.PIPE, encoding="utf-8")
        if done.returncode == 0 or place not in done.stderr or "Traceback" in done.stderr or os.path.exists(program):
            sys.exit(f"not refused at {place}\n{text}\nstatus {done.returncode}: {done.stderr}")


def main():
    generator, include, work, path = sys.argv[1:]
    with open(path, encoding="utf-8") as f:
        api = json.load(f)
    check_names(api, include)
    check_reserves(api)
    check_refusals(generator, work)


if __name__ == "__main__":
    main()
