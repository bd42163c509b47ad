# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""Checks that tact.hpp reaches every function and owns every object of the C headers, and that its test uses all of it.

usage: reach.py INCLUDE_FOLDER test_cxx.cpp
"""
import glob
import os
import re
import sys

# What C++ calls as it is. All functions of tact/geometry/ are such: pure functions on plain structs.
EXEMPT = {
    "tact_version": "returns a text",
    "tact_build_info": "returns a text",
    "tact_abi_version": "returns a number",
    "tact_result_string": "returns a text",
    "tact_pick_ray": "a pure function on plain structs",
    "tact_pick_window": "a pure function on plain structs",
    "tact_pick_part": "a pure function on plain structs",
    "tact_pick_unproject": "a pure function on plain structs",
    "tact_pick_project": "a pure function on plain structs",
    "tact_pick_refine": "a pure function on plain structs",
}


# What classes of tact.hpp call of each other.
INNER = {"ask", "list", "run", "count_place", "pieces_place"}


def read(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    # What is in there is not declared to be used.
    text = re.sub(r"^namespace detail \{.*?^\}  // namespace detail",
                  lambda match: match[0].replace("{", "(").replace("}", ")"), text, flags=re.M | re.S)
    return re.sub(r"//.*|/\*.*?\*/", "", text)


def faults_of(headers, wrapper, test):
    """What is wrong, by the texts of all C headers beside those of geometry/, of tact.hpp and of its test."""
    functions = re.findall(r"^TACT_API[^;(]*\b(tact_\w+)\(", headers, re.M)
    objects = re.findall(r"^typedef struct (\w+) \1;", headers, re.M)
    if len(functions) < 170 or len(objects) < 14:
        return [f"only {len(functions)} functions and {len(objects)} objects were found"]
    faults = [f"{name}: tact.hpp does not call it" for name in functions
              if name not in EXEMPT and not re.search(rf"\b{name}\b", wrapper)]
    faults += [f"{name}: no class of tact.hpp owns it" for name in objects
               if not re.search(rf"\bowner<\s*\w+,\s*{name},", wrapper)]
    faults += [f"{name} is called, or gone: it needs no exemption" for name in EXEMPT
               if name not in functions or re.search(rf"\b{name}\b", wrapper)]
    public = re.sub(r"^(private|protected):.*?^(?=};|public:)", "", wrapper, flags=re.M | re.S)
    declared = re.findall(r"^(?:    |inline |template .*?> )[^;={}()]*?[\w>&*] [&*]?([a-z]\w*)\([^;]*\n?[^;]*?\{",
                          public, re.M)
    declared += re.findall(r"^class (\w+)", public, re.M)
    if len(declared) < 180:
        faults.append(f"only {len(declared)} functions were found in tact.hpp")
    return faults + [f"{name}: the test does not use it" for name in sorted(set(declared) - INNER)
                     if not re.search(rf"\b{name}\b", test)]


def main():
    include, test = sys.argv[1:]
    paths = glob.glob(os.path.join(include, "tact", "*.h"))
    headers = "\n".join(read(path) for path in sorted(paths))
    wrapper, used = read(os.path.join(include, "tact", "tact.hpp")), read(test)
    # The rules find what is taken away.
    for gone, text in (("tact_spherecast", "spherecast: tact.hpp"), ("tact_culler", "tact_culler: no class")):
        if not any(text in fault for fault in faults_of(headers, re.sub(rf"\b{gone}\b", "other", wrapper), used)):
            sys.exit(f"no rule finds that {gone} is gone")
    for gone in ("overlap_segments", "set_accept", "pick_request", "shadow", "each_pair"):
        if f"{gone}: the test does not use it" not in faults_of(headers, wrapper, re.sub(rf"\b{gone}\b", "", used)):
            sys.exit(f"no rule finds that the test does not use {gone}")
    faults = faults_of(headers, wrapper, used)
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
