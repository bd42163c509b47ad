#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""Writes the module that declares the C interface to cffi, from tact_api.json (docs/integration.md).

usage: python/generate.py tact_api.json OUT.py

The module is of cffi's ABI mode: no compiler is needed, and importing it parses nothing. Sizes and offsets that cffi
computes are compared with those of the compiler that made tact_api.json.
"""
import json
import os
import sys

import cffi


def declare(kind, name):
    """Returns the C declaration of `name`, a variable of a type as tact_api.json writes it."""
    if isinstance(kind, str):
        return f"{kind} {name}".rstrip()
    if "pointer" in kind:
        target = kind["pointer"]
        if isinstance(target, dict) and ("array" in target or "function" in target):
            return declare(target, f"(*{name})")
        return declare(target, f"*{name}")
    if "array" in kind:
        return declare(kind["array"], f"{name}[{kind['count']}]")
    if "function" in kind:
        function = kind["function"]
        parameters = ", ".join(declare(p["type"], p["name"]) for p in function["parameters"]) or "void"
        return declare(function["result"], f"{name}({parameters})")
    word = "union" if "union" in kind else "struct"
    return f"{word} {{ {fields(kind[word])} }} {name}"


def fields(entries):
    return " ".join(declare(entry["type"], entry["name"]) + ";" for entry in entries)


def declarations(api):
    lines = [f"typedef struct {entry['name']} {entry['name']};" for entry in api["opaque"]]
    for entry in api["structs"]:
        word = "union" if entry.get("union") else "struct"
        lines.append(f"typedef {word} {entry['name']} {entry['name']};")
    for entry in api["enums"]:
        values = ", ".join(f"{value['name']} = {value['value']}" for value in entry["values"])
        lines.append(f"typedef enum {{ {values} }} {entry['name']};")
    lines += [f"typedef {declare(entry['type'], entry['name'])};" for entry in api["aliases"] + api["callbacks"]]
    for entry in api["structs"]:
        word = "union" if entry.get("union") else "struct"
        lines.append(f"{word} {entry['name']} {{ {fields(entry['fields'])} }};")
    lines += [declare({"function": entry}, entry["name"]) + ";" for entry in api["functions"]]
    return "\n".join(lines)


def check(ffi, api):
    for entry in api["structs"]:
        found = [ffi.sizeof(entry["name"]), ffi.alignof(entry["name"])]
        found += [ffi.offsetof(entry["name"], field["name"]) for field in entry["fields"]]
        wanted = [entry["size"], entry["alignment"]] + [field["offset"] for field in entry["fields"]]
        if found != wanted:
            sys.exit(f"{entry['name']}: cffi lays it out as {found}, the compiler as {wanted}")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as f:
        api = json.load(f)
    name = os.path.splitext(os.path.basename(sys.argv[2]))[0]
    ffi = cffi.FFI()
    ffi.cdef(declarations(api))
    check(ffi, api)
    ffi.set_source(name, None)
    ffi.emit_python_code(sys.argv[2])
    constants = {entry["name"]: entry["value"] for entry in api["constants"] if "value" in entry}
    with open(sys.argv[2], "a", encoding="utf-8") as f:
        f.write(f"VERSION = {api['version']!r}\nconstants = {constants!r}\n")


if __name__ == "__main__":
    main()
