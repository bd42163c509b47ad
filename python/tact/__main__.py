# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""usage: python3 -m tact info | verify"""
import sys

from . import Context, build_info, version
from ._verify import verify


def info() -> int:
    print(f"tact {version()}: {build_info()}")
    with Context() as context:
        for device in context.devices:
            kind = "software" if device.software else "hardware"
            exact = "exact" if device.backend == "cpu" or device.probe.exact else "not exact"
            print(f"{device.backend:4} {device.name}, {kind}, {exact}")
        for backend in ("gl", "cl"):
            if context.missing(backend):
                print(f"{backend:4} missing: {context.missing(backend)}")
    return 0


def check() -> int:
    with Context() as context:
        rows = verify(context)
    for row in rows:
        said = {True: "same", False: "DIFFERS", None: f"skipped: {row.why}"}[row.same]
        print(f"{row.query:22} {row.backend:4} {said}")
    counts = [sum(row.same is value for row in rows) for value in (True, False, None)]
    print(f"{counts[0]} same as the reference, {counts[1]} differ, {counts[2]} skipped")
    return 1 if counts[1] else 0


def main() -> int:
    commands = {"info": info, "verify": check}
    if len(sys.argv) != 2 or sys.argv[1] not in commands:
        print(__doc__, file=sys.stderr)
        return 2
    return commands[sys.argv[1]]()


if __name__ == "__main__":
    sys.exit(main())
