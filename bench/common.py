# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""What bench/rays and bench/peers share: the tool, meshes of Debian's packages, and times compared round by round."""
import glob
import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys

CGAL = "usr/share/doc/libcgal-dev/data.tar.gz"
# Package; file in it, or in the archive in it; what it is.
MESHES = [
    ("glmark2-data", "usr/share/glmark2/models/bunny.obj", "scan"),
    ("libcgal-demo", CGAL + ":data/meshes/refined_elephant.off", "sculpture"),
    ("libcgal-demo", CGAL + ":data/meshes/armadillo.off", "scan"),
    ("libcgal-demo", CGAL + ":data/meshes/ChineseDragon-10kv.off", "scan, coarse"),
    ("libcgal-demo", CGAL + ":data/meshes/fandisk_large.off", "machine part"),
    ("libcgal-demo", CGAL + ":data/meshes/turbine.off", "machine part"),
    ("gmsh-doc", "usr/share/doc/gmsh-doc/doc/gmsh/demos/api/aneurysm_data.stl.gz", "medical, tubes"),
    ("assimp-testmodels", "usr/share/assimp/models/glTF2/2CylinderEngine-glTF-Binary/2CylinderEngine.glb", "construction"),
    ("prusa-slicer", "usr/share/PrusaSlicer/shapes/M3x10_screw.stl", "construction, long thin triangles"),
]


def unpack(package, folder):
    """The folder with a package's files; None where it cannot be downloaded."""
    root = os.path.join(folder, package)
    if os.path.isdir(root):
        return root
    before = set(glob.glob(os.path.join(folder, "*.deb")))
    try:
        subprocess.run(["apt-get", "download", package], cwd=folder, stdout=subprocess.DEVNULL, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    (deb,) = set(glob.glob(os.path.join(folder, "*.deb"))) - before
    subprocess.run(["dpkg-deb", "-x", deb, root], check=True)
    return root


def find_mesh(mesh, folder):
    """The file of a row of MESHES, taken out of what it is packed in; None where its package cannot be downloaded."""
    package, path, about = mesh
    root = unpack(package, folder)
    archive, _, member = path.partition(":")
    out = os.path.join(folder, os.path.basename(member or archive).removesuffix(".gz"))
    if not root:
        print(f"left out: {os.path.basename(out)} ({about}): {package} could not be downloaded", file=sys.stderr)
        return None
    if os.path.exists(out):
        return out
    if member:
        subprocess.run(["tar", "-xzf", os.path.join(root, archive), "-C", root, member], check=True)
        shutil.copy(os.path.join(root, member), out)
    elif archive.endswith(".gz"):
        with gzip.open(os.path.join(root, archive)) as packed, open(out, "wb") as plain:
            shutil.copyfileobj(packed, plain)
    else:
        shutil.copy(os.path.join(root, archive), out)
    return out


def tool():
    """The program: TACT names it, or it is in build/release, another folder of build/, or on the path."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    built = [os.path.join(root, "build/release/tact")] + sorted(glob.glob(os.path.join(root, "build/*/tact")))
    found = [os.environ.get("TACT")] + [path for path in built if os.access(path, os.X_OK)] + [shutil.which("tact")]
    found = [path for path in found if path]
    if not found:
        name = os.path.basename(sys.argv[0])
        sys.exit(f"bench/{name}: no tact; build it (scripts/run-demo) or name it: TACT=PROGRAM bench/{name} ...")
    return found[0]


def read(folder, name="bench.json"):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file)


def by_rounds(above, below):
    """Median, least and most over the rounds of one row's time over another's in the same round."""
    ratios = [a / b for a, b in zip(above["rounds_ms"], below["rounds_ms"])]
    return statistics.median(ratios), min(ratios), max(ratios)


def markdown(head, rows):
    """A table; cells that are numbers have two digits."""
    yield "| " + " | ".join(head) + " |"
    yield "|" + " --- |" * len(head)
    for row in rows:
        yield "| " + " | ".join(f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row) + " |"


# ---- Ray casts ----

RAY_HEAD = ["mesh", "triangles", "rays", "mode", "ours, Mrays/s", "by single", "by best", "from", "to", "best form"]


def ray_command(out, packages, made="all"):
    """The command that measures ray casts on all meshes; without packages on those that are made."""
    command = ["bench", "rays", "--only", "rays", "--tree", "medium", "--made", made, "--out", out]
    for mesh in MESHES if packages else []:
        path = find_mesh(mesh, packages)
        command += ["--mesh", path] if path else []
    return command


def ray_rows(document):
    """Rows below RAY_HEAD: ours, and what Embree takes by that, single rays and its best form."""
    for row in document["rows"]:
        ours = row["forms"][0]
        for form in row["forms"]:
            if form["peer"] and form["form"] == row.get("embree_best"):
                yield (row["mesh"], row["triangles"], row["rays"], row["mode"], ours["mrays_per_second"],
                       row["over_embree_single"], *by_rounds(form, ours), form["form"])
