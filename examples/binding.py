#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""A binding of the whole library for ctypes, made from tact_api.json when the program starts, and two rays cast by it.

usage: examples/binding.py PREFIX/share/tact/tact_api.json PREFIX/lib/libtact.so
"""
import ctypes
import json
import sys


class Tact:
    """Functions, types and constants by their names in C: tact.tact_raycast, tact.tact_ray, tact.TACT_NONE."""

    def __init__(self, api_path, library_path):
        with open(api_path, encoding="utf-8") as f:
            api = json.load(f)
        library = ctypes.CDLL(library_path)
        self.void = None
        for name in api["sizes"].keys() - {"void*"}:
            setattr(self, name, getattr(ctypes, "c_" + (name if name == "size_t" else name.replace("_t", ""))))
        for constant in api["constants"]:
            setattr(self, constant["name"], constant.get("value", constant.get("bytes")))
        for enum in api["enums"]:
            setattr(self, enum["name"], ctypes.c_int)
            for value in enum["values"]:
                setattr(self, value["name"], value["value"])
        # Structs point to each other and to callbacks, so their names come first and their fields last.
        for entry in api["structs"] + api["opaque"]:
            base = ctypes.Union if entry.get("union") else ctypes.Structure
            setattr(self, entry["name"], type(entry["name"], (base,), {}))
        self.functions = [entry["name"] for entry in api["callbacks"] if "function" in entry["type"]]
        for entry in api["aliases"] + api["callbacks"]:
            setattr(self, entry["name"], self.type_of(entry["type"]))
        for entry in api["structs"]:
            struct = getattr(self, entry["name"])
            struct._fields_ = self.fields(entry["fields"])
            for field in entry["fields"]:
                if getattr(struct, field["name"]).offset != field["offset"] or ctypes.sizeof(struct) != entry["size"]:
                    sys.exit(f"{entry['name']}.{field['name']} lies elsewhere in the library")
        for entry in api["functions"]:
            function = getattr(library, entry["name"])
            function.restype = self.type_of(entry["result"])
            function.argtypes = [self.type_of(parameter["type"]) for parameter in entry["parameters"]]
            setattr(self, entry["name"], function)

    def fields(self, entries):
        return [(entry["name"], self.type_of(entry["type"])) for entry in entries]

    def type_of(self, kind):
        if isinstance(kind, str):
            return getattr(self, kind)
        if "array" in kind:
            return self.type_of(kind["array"]) * kind["count"]
        if "function" in kind:
            parameters = [self.type_of(parameter["type"]) for parameter in kind["function"]["parameters"]]
            return ctypes.CFUNCTYPE(self.type_of(kind["function"]["result"]), *parameters)
        if "union" in kind or "struct" in kind:
            base, entries = (ctypes.Union, kind["union"]) if "union" in kind else (ctypes.Structure, kind["struct"])
            return type("member", (base,), {"_fields_": self.fields(entries)})
        target = kind["pointer"]
        if target == "void":
            return ctypes.c_void_p
        if target == "char":
            return ctypes.c_char_p
        if "function" in target or target in self.functions:  # a function's type is a pointer already
            return self.type_of(target)
        return ctypes.POINTER(self.type_of(target))


def main():
    tact = Tact(sys.argv[1], sys.argv[2])

    def check(result):
        if result < 0:
            sys.exit(f"{tact.tact_result_name(result).decode()}: {tact.tact_last_error().decode()}")

    if tact.tact_abi_version() != tact.TACT_ABI_VERSION:
        sys.exit("the library does not fit tact_api.json")
    context, scene = ctypes.POINTER(tact.tact_context)(), ctypes.POINTER(tact.tact_scene)()
    desc = tact.tact_context_desc(gl=tact.TACT_DEVICE_NONE, cl=tact.TACT_DEVICE_NONE)
    check(tact.tact_context_create(desc, context))
    check(tact.tact_scene_create(context, scene))
    corners = (ctypes.c_float * 9)(0, 0, 0, 1, 0, 0, 0, 1, 0)
    mesh, instance = ctypes.c_uint32(), ctypes.c_uint32()
    triangle = tact.tact_mesh_desc(positions=corners, vertex_count=3, triangle_count=1)
    check(tact.tact_scene_add_mesh(scene, triangle, mesh))
    check(tact.tact_scene_add_instance(scene, mesh, None, instance))
    check(tact.tact_scene_commit(scene))

    rays = (tact.tact_ray * 2)(*(tact.tact_ray(ox=x, oy=0.25, oz=2, dz=-1, tmax=10) for x in (0.25, 2.25)))
    hits = (tact.tact_hit * 2)()
    check(tact.tact_raycast(scene, tact.TACT_RAY_CLOSEST, rays, 2, hits, None, None))
    for i, hit in enumerate(hits):
        found = "nothing" if hit.primitive == tact.TACT_NONE else f"triangle {hit.primitive} at t = {hit.t}"
        print(f"ray {i}: {found}")
    tact.tact_scene_destroy(scene)
    tact.tact_context_destroy(context)


if __name__ == "__main__":
    main()
