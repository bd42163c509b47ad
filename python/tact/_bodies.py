# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""Sets of bodies, which are shapes with a pose: contacts, distances, casts, the nearest body; bodies that move."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import types
from ._core import (Handle, InvalidArgument, Query, Record, array, check, copied, create, dtype, ffi, lib, numbers,
                    one_each, output, pointer, record, struct, vectors)
from ._context import Context, context as shared_context

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._types import Options

_BODY = dtype("tact_body")
_PART = dtype("tact_body_part")
_CAST = dtype("tact_body_cast")
_ITEM = dtype("tact_body_nearest_item")
_LINK = dtype("tact_contact_link")
_FLOAT = np.dtype("f4")


def poses(positions: Any, rotations: Any = None, scales: Any = None) -> np.ndarray:
    """Makes an array of types.pose of positions, float64 (n, 3), rotations, quaternions x y z w (n, 4) or one of them,
    and scales, (n,) or one."""
    given = np.asarray(positions)
    p = array(given[None] if given.ndim == 1 else given, "f8", (3,), "the positions")
    result = np.zeros(len(p), types.pose)
    result["position"] = p
    rotated = (0, 0, 0, 1) if rotations is None else rotations
    result["rotation"] = one_each(rotated, len(p), "f4", "the rotations", (4,))
    result["scale"] = one_each(1 if scales is None else scales, len(p), "f4", "the scales")
    return result


def _poses(given: Any, rotations: Any = None, scales: Any = None) -> np.ndarray:
    values = np.asarray(given)
    if values.dtype == types.pose:
        return np.require(values.reshape(-1), types.pose, ["C", "A"])
    return poses(given, rotations, scales)


def _pair_rows(pairs: Any) -> np.ndarray | None:
    return None if pairs is None else array(pairs, "u4", (2,), "the pairs")


class Bodies(Handle):
    """A set of shapes and bodies. Shapes are named by whole numbers from 0, bodies by ids from 0, of which one that was
    removed is used again, the smallest first. Positions have double precision. A set is used by one thread at a time.

    Every query takes the keywords of tact.Query: backend, threads, shadow, fallback, progress, report."""

    def __init__(self, *, context: Context | None = None) -> None:
        self.context = context or shared_context()
        super().__init__(create(lib.tact_bodies_create, "tact_bodies", self.context._p), lib.tact_bodies_destroy,
                         self.context)

    @classmethod
    def _of(cls, context: Context, made: Any) -> Bodies:
        bodies = cls.__new__(cls)
        bodies.context = context
        Handle.__init__(bodies, made, lib.tact_bodies_destroy, context)
        return bodies

    def __len__(self) -> int:
        return lib.tact_bodies_count(self._p)

    # Shapes

    def _shape(self, kind: str, **fields: Any) -> int:
        shape = struct("tact_body_shape", kind=getattr(lib, f"TACT_BODY_{kind}"), **fields)
        number = ffi.new("uint32_t*")
        check(lib.tact_bodies_add_shape(self._p, shape, number))
        return number[0]

    def add_sphere(self, radius: float) -> int:
        """Adds a sphere; returns the shape's number, as the others do."""
        return self._shape("SPHERE", radius=radius)

    def add_capsule(self, half: float, radius: float) -> int:
        """Adds a capsule: points within radius of the segment from -half to half on the y axis."""
        return self._shape("CAPSULE", half=(0, half, 0), radius=radius)

    def add_box(self, half: Any, radius: float = 0) -> int:
        """Adds a box with half lengths x y z; with a radius, all points within that of it."""
        return self._shape("BOX", half=tuple(half), radius=radius)

    def add_hull(self, points: Any, radius: float = 0) -> int:
        """Adds the convex hull of points, float (n, 3), of at most 256 corners."""
        p = vectors(points, "the points")
        return self._shape("HULL", points=pointer(p, "tact_vec3"), point_count=len(p), radius=radius)

    def add_half_space(self) -> int:
        """Adds the half-space y <= 0."""
        return self._shape("HALF_SPACE")

    def add_cylinder(self, half: float, radius: float) -> int:
        """Adds a cylinder of 32 sides about the y axis, from -half to half."""
        return self._shape("CYLINDER", half=(0, half, 0), radius=radius)

    def add_cone(self, half: float, radius: float) -> int:
        """Adds a cone of 32 sides, its base at y = -half, its tip at half."""
        return self._shape("CONE", half=(0, half, 0), radius=radius)

    def add_compound(self, shapes: Any, positions: Any, rotations: Any = None, scales: Any = None) -> int:
        """Adds a compound of shapes of the set: their numbers (k,), positions (k, 3), rotations (k, 4), scales (k,)."""
        s = numbers(shapes, "the shapes")
        parts = np.zeros(len(s), _PART)
        parts["shape"] = s
        parts["position"] = one_each(positions, len(s), "f4", "the positions", (3,))
        rotated = (0, 0, 0, 1) if rotations is None else rotations
        parts["rotation"] = one_each(rotated, len(s), "f4", "the rotations", (4,))
        parts["scale"] = one_each(1 if scales is None else scales, len(s), "f4", "the scales")
        return self._shape("COMPOUND", parts=pointer(parts, "tact_body_part"), part_count=len(parts))

    def add_mesh(self, vertices: Any, triangles: Any, radius: float = 0, one_sided: bool = False) -> int:
        """Adds a surface of triangles (m, 3) over vertices (n, 3), with nothing inside."""
        v, t = vectors(vertices, "the vertices"), array(triangles, "u4", (3,), "the triangles")
        return self._shape("MESH", points=pointer(v, "tact_vec3"), point_count=len(v), radius=radius,
                           triangles=pointer(t, "uint32_t"), triangle_count=len(t), one_sided=one_sided)

    def add_height_field(self, heights: Any, step_x: float, step_z: float, radius: float = 0,
                         one_sided: bool = False) -> int:
        """Adds a height field: y = heights[row, column] at x = column step_x, z = row step_z."""
        h = np.require(heights, np.float32, ["C", "A"])
        if h.ndim != 2:
            raise InvalidArgument(f"the heights: shape (rows, columns) wanted, not {h.shape}")
        return self._shape("HEIGHT_FIELD", heights=pointer(h, "float"), rows=h.shape[0], columns=h.shape[1],
                           half=(step_x, 0, step_z), radius=radius, one_sided=one_sided)

    # Bodies

    def add(self, shapes: Any, positions: Any, rotations: Any = None, scales: Any = None, *, margins: Any = 0,
            category: Any = None, mask: Any = None, user_data: Any = 0) -> np.ndarray:
        """Adds bodies; returns their ids, uint32 (n,). shapes: a number, or one each. positions: float64 (n, 3), or an
        array of types.pose. rotations: quaternions x y z w. margins: contacts are found up to the sum of both margins
        apart. category, mask: which meet, as those of Volumes."""
        p = _poses(positions, rotations, scales)
        rows = np.zeros(len(p), _BODY)
        rows["pose"] = p
        rows["shape"] = one_each(shapes, len(p), "u4", "the shapes")
        rows["margin"] = one_each(margins, len(p), "f4", "the margins")
        rows["user_data"] = one_each(user_data, len(p), "u8", "the user data")
        _categorize(rows, category, mask)
        ids = np.empty(len(p), np.uint32)
        check(lib.tact_bodies_add(self._p, pointer(rows, "tact_body"), len(rows), output(ids, "uint32_t")))
        return ids

    def move(self, positions: Any, rotations: Any = None, scales: Any = None, ids: Any = None) -> None:
        """Gives bodies new poses, positions (n, 3) or an array of types.pose; ids None: 0 to n - 1."""
        p = _poses(positions, rotations, scales)
        i = None if ids is None else numbers(ids, "the ids")
        if i is not None and len(i) != len(p):
            raise InvalidArgument(f"{len(i)} ids for {len(p)} poses")
        check(lib.tact_bodies_move(self._p, pointer(i, "uint32_t"), pointer(p, "tact_pose"), len(p)))

    def remove(self, ids: Any) -> None:
        """Removes bodies."""
        i = numbers(ids, "the ids")
        check(lib.tact_bodies_remove(self._p, pointer(i, "uint32_t"), len(i)))

    def __getitem__(self, id: int) -> Any:
        """Returns a body: a record of pose, shape, margin, categories, user_data."""
        body = ffi.new("tact_body*")
        check(lib.tact_bodies_get(self._p, id, body))
        return record(body)

    def poses(self, ids: Any) -> np.ndarray:
        """Returns the poses of bodies: an array of types.pose."""
        rows = np.zeros(1, _BODY)
        result = np.empty(len(numbers(ids, "the ids")), types.pose)
        address = output(rows, "tact_body")
        for index, id in enumerate(numbers(ids, "the ids")):
            check(lib.tact_bodies_get(self._p, int(id), address))
            result[index] = rows["pose"][0]
        return result

    # Queries

    def contacts(self, pairs: Any = None, **options: Unpack[Options]) -> np.ndarray:
        """Finds the contacts of all bodies, or of pairs of ids (k, 2), a < b and sorted: an array of types.contact,
        sorted by a, b and parts. contact_points() makes a row of each point."""
        p, count = _pair_rows(pairs), ffi.new("size_t*")
        work = struct("tact_contacts_work", pairs=None if p is None else pointer(p, "tact_pair"), count=count,
                      pair_count=0 if p is None else len(p))
        query = Query(**options)
        with self._lock:
            query.check(lib.tact_contacts_find(self._p, work, query.options, query.report))
            return copied(lib.tact_contacts_last(self._p, count), count[0], types.contact)

    def contact_points(self, contacts: np.ndarray) -> np.ndarray:
        """Returns a row for each point of contacts, in the world: an array of types.contact_point. depth is positive
        where bodies overlap."""
        c = np.asarray(contacts)
        which = np.repeat(np.arange(len(c)), c["count"])
        within = np.arange(len(which)) - np.repeat(np.cumsum(c["count"], dtype=np.int64) - c["count"], c["count"])
        points = c["point"][which, within]
        origins, inverse = np.unique(c["origin"], return_inverse=True)
        result = np.empty(len(which), types.contact_point)
        result["a"], result["b"], result["normal"] = c["a"][which], c["b"][which], c["normal"][which]
        result["position"] = points["at"] + self.poses(origins)["position"][inverse[which]] if len(which) else 0
        result["depth"], result["feature"] = -points["separation"], points["feature"]
        return result

    def follow_contacts(self, on: bool = True, point_bytes: int = 0) -> None:
        """Compares each contacts() from now on with the one before it: contact_changes(). Each point keeps point_bytes
        of yours, at most 256."""
        check(lib.tact_contacts_follow(self._p, on, point_bytes))

    def contact_changes(self) -> Any:
        """Returns what changed with the last contacts(): a record of contacts, `from_` (row and points of each in the
        find before, tact.NONE for new ones), begun (how many), before, ended (rows of before), and data, uint8 (n, 4,
        point_bytes): your bytes, which may be written until the set is next used, and data_before."""
        changes = ffi.new("tact_contact_changes*")
        check(lib.tact_contacts_changes(self._p, changes))

        bytes_ = changes.point_bytes

        def view(address: Any, count: int) -> np.ndarray:
            size = 4 * count * bytes_
            if not size:
                return np.empty((count, 4, bytes_), np.uint8)
            return np.frombuffer(ffi.buffer(address, size), np.uint8).reshape(count, 4, bytes_)
        return Record(contacts=copied(changes.contacts, changes.count, types.contact),
                      from_=copied(getattr(changes, "from"), changes.count, _LINK),
                      begun=changes.begun, before=copied(changes.before, changes.before_count, types.contact),
                      ended=copied(changes.ended, changes.ended_count, np.dtype("u4")),
                      data=view(changes.data, changes.count),
                      data_before=view(changes.data_before, changes.before_count))

    def distances(self, pairs: Any = None, *, overlap_only: bool = False, farthest: float = 0,
                  **options: Unpack[Options]) -> np.ndarray:
        """Finds how far pairs of bodies are apart, ids (k, 2), a < b and sorted; None: all whose boxes overlap. Returns
        an array of types.body_distance; distances are negative where bodies overlap, infinite beyond `farthest`.
        overlap_only: only whether they overlap, 0 or infinity, which takes less time."""
        p, count = _pair_rows(pairs), ffi.new("size_t*")
        work = struct("tact_body_distances_work", pairs=None if p is None else pointer(p, "tact_pair"), count=count,
                      pair_count=0 if p is None else len(p), mode=1 if overlap_only else 0, farthest=farthest)
        query = Query(**options)
        with self._lock:
            query.check(lib.tact_body_distances_find(self._p, work, query.options, query.report))
            return copied(lib.tact_body_distances_last(self._p, count), count[0], types.body_distance)

    def casts(self, shapes: Any, start: Any, end: Any, *, all_hits: bool = False, margins: Any = 0,
              category: Any = None, mask: Any = None, **options: Unpack[Options]) -> Any:
        """Moves shapes of the set through the bodies, which rest, from poses `start` to `end`, each (n, 3) or arrays of
        types.pose. Returns an array of types.body_cast_hit, the first touch of each; body is tact.NONE for nothing.
        With all_hits every body that is touched, and offsets, uint64 (n + 1,)."""
        first, last = _poses(start), _poses(end)
        if len(first) != len(last):
            raise InvalidArgument(f"{len(first)} poses at the start and {len(last)} at the end")
        rows = np.zeros(len(first), _CAST)
        rows["from"], rows["to"] = first, last
        rows["to"]["scale"] = 0
        rows["shape"] = one_each(shapes, len(rows), "u4", "the shapes")
        rows["margin"] = one_each(margins, len(rows), "f4", "the margins")
        _categorize(rows, category, mask)
        count, offsets = ffi.new("size_t*"), np.zeros(len(rows) + 1, np.uint64)
        work = struct("tact_body_casts_work", casts=pointer(rows, "tact_body_cast"), cast_count=len(rows), count=count,
                      mode=1 if all_hits else 0, offsets=output(offsets, "uint64_t"))
        query = Query(**options)
        with self._lock:
            query.check(lib.tact_body_casts_find(self._p, work, query.options, query.report))
            hits = copied(lib.tact_body_casts_last(self._p, count), count[0], types.body_cast_hit)
        return (hits, offsets) if all_hits else hits

    def nearest(self, shapes: Any, poses: Any, *, farthest: Any = 0, category: Any = None, mask: Any = None,
                **options: Unpack[Options]) -> np.ndarray:
        """Finds the body that is closest to each of some shapes of the set at poses, (n, 3) or an array of types.pose;
        a point is a sphere of radius 0. Returns an array of types.body_nearest; body is tact.NONE where none is within
        `farthest` (0: no limit)."""
        p = _poses(poses)
        rows = np.zeros(len(p), _ITEM)
        rows["pose"] = p
        rows["shape"] = one_each(shapes, len(p), "u4", "the shapes")
        rows["farthest"] = one_each(farthest, len(p), "f4", "the limits")
        _categorize(rows, category, mask)
        count = ffi.new("size_t*")
        work = struct("tact_body_nearest_work", items=pointer(rows, "tact_body_nearest_item"), item_count=len(rows),
                      count=count)
        query = Query(**options)
        with self._lock:
            query.check(lib.tact_body_nearest_find(self._p, work, query.options, query.report))
            return copied(lib.tact_body_nearest_last(self._p, count), count[0], types.body_nearest)

    def measure(self, shape: int, scale: float = 1, **matter: Any) -> Any:
        """Measures a shape: a record of volume, mass, center, inertia, reach, inner, radius. matter: density, mass,
        center, inertia, radius."""
        made, kept = _matter(matter)
        measures = ffi.new("tact_body_measures*")
        check(lib.tact_body_measure(self._p, shape, scale, made, measures))
        del kept
        return record(measures)


def _categorize(rows: np.ndarray, category: Any, mask: Any) -> None:
    if category is not None or mask is not None:
        for name, values in (("category", category), ("mask", mask)):
            rows["categories"][name] = 0xffffffff if values is None else one_each(values, len(rows), "u4", "categories")


def _matter(fields: dict[str, Any]) -> tuple[Any, list[np.ndarray]]:
    kept = []
    values = dict(fields)
    for name, size in (("center", 3), ("inertia", 6)):
        if values.get(name) is not None:
            kept.append(array(values[name], "f8", (), f"the {name}"))
            if len(kept[-1]) != size:
                raise InvalidArgument(f"the {name}: {size} numbers wanted, not {len(kept[-1])}")
            values[name] = pointer(kept[-1], "double")
    unknown = set(values) - {"density", "mass", "center", "inertia", "radius", "material"}
    if unknown:
        raise TypeError(f"matter has no {', '.join(sorted(unknown))}")
    return struct("tact_body_matter", **values), kept


class BodyGrains(Handle):
    """Lets bodies of a set move as grains, by the laws of contacts that spheres have (docs/grains.md). Bodies without
    matter stay where they are put. law: as set_law() takes it."""

    def __init__(self, bodies: Bodies, *, gravity: Any = (0, 0, 0), drag: float = 0, material_count: int = 1,
                 law: dict[str, Any] | None = None) -> None:
        desc = struct("tact_body_grains_desc", gravity=tuple(gravity), drag=drag, material_count=material_count,
                      law=struct("tact_grain_law", **(law or _LAW))[0])
        self.bodies = bodies
        super().__init__(create(lib.tact_body_grains_create, "tact_body_grains", bodies._p, desc),
                         lib.tact_body_grains_destroy, bodies)

    @classmethod
    def load(cls, bodies: Bodies, data: bytes) -> BodyGrains:
        """Makes of a set what save() wrote; its bodies go to the poses they had."""
        grains = cls.__new__(cls)
        grains.bodies = bodies
        made = create(lib.tact_body_grains_load, "tact_body_grains", bodies._p, ffi.from_buffer(data), len(data))
        Handle.__init__(grains, made, lib.tact_body_grains_destroy, bodies)
        return grains

    def save(self) -> bytes:
        """Returns what a run needs to go on to the same bits, but for the set itself."""
        return saved(lib.tact_body_grains_save, self._p)

    def set_law(self, a: int, b: int, **law: Any) -> None:
        """Sets the law of contacts between two materials: the fields of tact_grain_law, such as stiffness, restitution,
        friction, rolling_friction."""
        check(lib.tact_body_grains_set_law(self._p, a, b, struct("tact_grain_law", **law)))

    def set_gravity(self, gravity: Any) -> None:
        """Changes gravity, m/s^2, from the next step on."""
        check(lib.tact_body_grains_set_gravity(self._p, ffi.new("tact_vec3*", [float(x) for x in gravity])[0]))

    def set_matter(self, ids: Any, **matter: Any) -> None:
        """Gives bodies matter: density (1000), or mass (infinite: contacts do not move it), center, inertia, radius of
        curvature, material."""
        i = numbers(ids, "the ids")
        made, kept = _matter(matter)
        check(lib.tact_body_grains_set_matter(self._p, pointer(i, "uint32_t"), len(i), made, False))
        del kept

    def measures(self, id: int) -> Any:
        """Returns what a body amounts to, as Bodies.measure()."""
        measures = ffi.new("tact_body_measures*")
        check(lib.tact_body_grains_get_measures(self._p, id, measures))
        return record(measures)

    def read(self, ids: Any) -> dict[str, np.ndarray]:
        """Returns velocities, spins, forces and torques of bodies, float32 (n, 3) each."""
        i = numbers(ids, "the ids")
        arrays = {name: np.zeros((len(i), 3), np.float32) for name in ("velocities", "spins", "forces", "torques")}
        out = struct("tact_body_grain_arrays", **{name: output(values, "float") for name, values in arrays.items()})
        check(lib.tact_body_grains_read(self._p, pointer(i, "uint32_t"), len(i), out))
        return arrays

    def write(self, ids: Any, velocities: Any = None, spins: Any = None) -> None:
        """Gives bodies velocities and spins, (n, 3) each or one for all; None leaves those as they are."""
        self._pairs_of(lib.tact_body_grains_write, ids, velocities, spins)

    def set_forces(self, ids: Any, forces: Any = None, torques: Any = None) -> None:
        """Sets forces, N, and torques, N m, on bodies in every substep from now on; None: zeros."""
        self._pairs_of(lib.tact_body_grains_set_forces, ids, forces, torques)

    def _pairs_of(self, function: Any, ids: Any, a: Any, b: Any) -> None:
        i = numbers(ids, "the ids")
        given = [None if one is None else one_each(one, len(i), "f4", "the array", (3,)) for one in (a, b)]
        check(function(self._p, pointer(i, "uint32_t"), len(i), pointer(given[0], "float"), pointer(given[1], "float")))

    @property
    def stable_step(self) -> float:
        """The longest substep, in seconds, with which contacts are resolved."""
        return lib.tact_body_grains_stable_step(self._p)

    def step(self, dt: float, steps: int = 1, substeps: int = 0, **options: Unpack[Options]) -> None:
        """Moves the bodies on by steps of dt seconds, each divided into substeps (0: as many as stable_step takes)."""
        query = Query(**options)
        query.check(lib.tact_body_grains_step(self._p, dt, substeps, steps, query.options, query.report))

    def contacts(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the contacts of the last substep, an array of types.contact, and what each did: force and slid, (4,
        3) each."""
        count, pushes = ffi.new("size_t*"), ffi.new("tact_body_grain_push**")
        found = lib.tact_body_grains_contacts(self._p, pushes, count)
        return (copied(found, count[0], types.contact), copied(pushes[0], count[0], dtype("tact_body_grain_push")))

    def totals(self) -> Any:
        """Sums up: energies, momentum, counts, a record of tact_body_grains_totals."""
        totals = ffi.new("tact_body_grains_totals*")
        check(lib.tact_body_grains_measure(self._p, totals))
        return record(totals)


_LAW = {"stiffness": 1e4, "shear": 2e4 / 7, "restitution": 0.5, "friction": 0.5, "tangential_damping": 0.5}


def saved(function: Any, object: Any) -> bytes:
    """Returns what a function of C that saves writes."""
    size = ffi.new("size_t*")
    check(function(object, ffi.NULL, 0, size))
    while True:
        data = ffi.new("char[]", size[0])
        if check(function(object, data, size[0], size)) != lib.TACT_INCOMPLETE:
            return bytes(ffi.buffer(data, size[0]))


