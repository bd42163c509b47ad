# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""Pictures of meshes, rays, hits, contacts and particles: drawn by ray casts, for a notebook or a file; or in the
viewer."""
from __future__ import annotations

import os
import shutil
import struct as binary
import subprocess
import tempfile
import zlib
from typing import Any

import numpy as np

from . import types
from ._core import NONE, Error, InvalidArgument
from ._hits import welded
from ._particles import Particles
from ._scene import Scene, camera_rays, rays
from .shapes import sphere as sphere_mesh

_COLORS = np.array([[0.30, 0.55, 0.85], [0.90, 0.60, 0.25], [0.45, 0.72, 0.45], [0.80, 0.45, 0.55], [0.60, 0.52, 0.80],
                    [0.55, 0.55, 0.55]], np.float32)
_CONTACTS = (types.particle_contact, types.contact_force, types.contact_point)
_HIT, _MISS, _CONTACT = (0.85, 0.15, 0.15), (0.75, 0.75, 0.75), (0.95, 0.75, 0.10)


class Picture:
    """An image, uint8 (height, width, 3), that a notebook shows."""

    def __init__(self, pixels: np.ndarray) -> None:
        self.pixels = pixels

    def _repr_png_(self) -> bytes:
        height, width, _ = self.pixels.shape
        rows = np.zeros((height, 1 + 3 * width), np.uint8)
        rows[:, 1:] = self.pixels.reshape(height, -1)

        def chunk(kind: bytes, data: bytes) -> bytes:
            return binary.pack(">I", len(data)) + kind + data + binary.pack(">I", zlib.crc32(kind + data))
        return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", binary.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)) + chunk(b"IEND", b""))

    def save(self, path: str) -> None:
        """Writes the image as PNG."""
        if not str(path).lower().endswith(".png"):
            raise InvalidArgument(f"{path}: only .png is written")
        with open(path, "wb") as f:
            f.write(self._repr_png_())


class _Parts:
    """What is shown: meshes, spheres and capsules, each with colours."""

    def __init__(self) -> None:
        self.meshes: list[tuple[np.ndarray, np.ndarray, Any]] = []
        self.spheres: list[tuple[np.ndarray, Any]] = []  # (n, 4)
        self.capsules: list[tuple[np.ndarray, Any]] = []  # (n, 7)
        self.later: list[Any] = []  # rays and contacts, whose width depends on all the rest

    def add(self, thing: Any) -> None:
        if isinstance(thing, dict):
            color = thing.get("color")
            for name, value in thing.items():
                if name == "mesh":
                    self.mesh(value[0], value[1], color)
                elif name == "spheres":
                    self.spheres.append((np.asarray(value, np.float32), color))
                elif name == "capsules":
                    self.capsules.append((np.asarray(value, np.float32), color))
                elif name in ("rays", "points", "normals", "contacts"):
                    self.later.append(thing)
                elif name not in ("color", "hits"):
                    raise InvalidArgument(f"{name!r}: mesh, spheres, capsules, rays, hits, points, normals, contacts "
                                          "or color wanted")
        elif isinstance(thing, Particles):
            state = thing.read("positions", "velocities", "radii")
            speed = np.linalg.norm(state["velocities"], axis=1)
            part = (speed / (speed.max(initial=0) or 1))[:, None]
            self.spheres.append((np.column_stack([state["positions"], state["radii"]]),
                                 (1 - part) * _COLORS[0] + part * np.array([1, 0.95, 0.6], np.float32)))
        elif isinstance(thing, Scene):
            for instance in thing.cull():
                corners = thing.triangles(int(instance))
                self.mesh(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3), None)
        elif isinstance(thing, np.ndarray) and thing.dtype in _CONTACTS:
            self.later.append({"contacts": thing})
        elif isinstance(thing, tuple) and len(thing) == 2:
            self.mesh(thing[0], thing[1], None)
        elif hasattr(thing, "vertices") and (hasattr(thing, "faces") or hasattr(thing, "triangles")):
            self.mesh(thing.vertices, thing.faces if hasattr(thing, "faces") else thing.triangles, None)
        else:
            raise InvalidArgument(f"a {type(thing).__name__} cannot be shown")

    def mesh(self, vertices: Any, triangles: Any, color: Any) -> None:
        self.meshes.append((np.asarray(vertices, np.float32), np.asarray(triangles), color))

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        points = [vertices for vertices, _, _ in self.meshes]
        for values, _ in self.spheres:
            low, high = values[:, :3] - values[:, 3:], values[:, :3] + values[:, 3:]
            if len(values) >= 200:  # a few that fly off do not make all others small
                low, high = np.quantile(low, 0.01, axis=0)[None], np.quantile(high, 0.99, axis=0)[None]
            points += [low, high]
        for values, _ in self.capsules:
            points += [values[:, :3], values[:, 3:6]]
        for thing in self.later:
            if "rays" in thing and not any(len(one) for one in points):
                points.append(np.asarray(thing["rays"]).reshape(-1, np.shape(thing["rays"])[-1])[:, :3])
            if "points" in thing:
                points.append(np.asarray(thing["points"], np.float32).reshape(-1, 3))
            if "contacts" in thing:
                points.append(_contact_places(thing["contacts"])[0])
        every = np.concatenate(points) if points else np.zeros((0, 3))
        every = every[np.isfinite(every).all(1)]
        if not len(every):
            raise InvalidArgument("there is nothing to show")
        return every.min(0).astype(np.float64), every.max(0).astype(np.float64)

    def finish(self, size: float) -> None:
        """Makes rays, points and contacts spheres and capsules, of a width that suits a picture of this size."""
        thin = 0.002 * size
        for thing in self.later:
            color = thing.get("color")
            if "rays" in thing:
                self._rays(thing, thin, size, color)
            if "points" in thing:
                p = np.asarray(thing["points"], np.float32).reshape(-1, 3)
                self.spheres.append((np.column_stack([p, np.full(len(p), 2.5 * thin)]), color or _HIT))
                if "normals" in thing:
                    self._arrows(p, np.asarray(thing["normals"], np.float32).reshape(-1, 3), size, thin, color or _HIT)
            if "contacts" in thing:
                p, n = _contact_places(thing["contacts"])
                self.spheres.append((np.column_stack([p, np.full(len(p), 3 * thin)]), color or _CONTACT))
                self._arrows(p, n, size, thin, color or _CONTACT)

    def _arrows(self, p: np.ndarray, n: np.ndarray, size: float, thin: float, color: Any) -> None:
        ends = p + 0.05 * size * n
        self.capsules.append((np.column_stack([p, ends, np.full(len(p), thin)]).astype(np.float32), color))

    def _rays(self, thing: dict[str, Any], thin: float, size: float, color: Any) -> None:
        given = np.asarray(thing["rays"], np.float32)
        r = given.reshape(-1, given.shape[-1])
        o, d = (r[:, :3], r[:, 4:7]) if r.shape[1] == 8 else (r[:, :3], r[:, 3:6])
        length = np.linalg.norm(d, axis=1)
        reach = np.where(length > 0, 1.5 * size / np.where(length > 0, length, 1), 0)
        hits = thing.get("hits")
        met = np.zeros(len(r), bool)
        if hits is not None:
            h = np.asarray(hits).reshape(-1)
            met = h["instance"] != NONE
            reach = np.where(met, h["t"], np.minimum(reach, np.where(np.isfinite(h["t"]), h["t"], reach)))
        ends = o + reach[:, None] * d
        lines = np.column_stack([o, ends, np.full(len(r), 0.5 * thin)]).astype(np.float32)
        colors = np.where(met[:, None], np.array(color or _HIT), np.array(_MISS)).astype(np.float32)
        self.capsules.append((lines, colors))
        if met.any():
            self.spheres.append((np.column_stack([ends[met], np.full(met.sum(), 2.5 * thin)]).astype(np.float32), _HIT))


def _contact_places(contacts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    rows = contacts["contact"] if contacts.dtype == types.contact_force else contacts
    place = "point" if rows.dtype == types.particle_contact else "position"
    return rows[place].astype(np.float32), rows["normal"]


def _colors(color: Any, count: int, number: int) -> np.ndarray:
    values = _COLORS[number % len(_COLORS)] if color is None else np.asarray(color, np.float32)
    return np.broadcast_to(values, (count, 3))


def _normals(vertices: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns the normals of triangles, (m, 3), and smooth ones at their corners, (m, 3, 3), where edges are not
    sharp."""
    a, b, c = (vertices[triangles[:, corner]].astype(np.float64) for corner in range(3))
    with np.errstate(all="ignore"):
        n = np.nan_to_num(np.cross(b - a, c - a))
        same = welded(vertices, triangles)
        at = np.stack([np.bincount(same.reshape(-1), np.repeat(n[:, axis], 3), len(vertices)) for axis in range(3)], 1)
        at = np.nan_to_num(at / np.linalg.norm(at, axis=1, keepdims=True))
        n = np.nan_to_num(n / np.linalg.norm(n, axis=1, keepdims=True))
    corners = at[same]
    sharp = np.einsum("ijk,ik->ij", corners, n) < 0.8
    return n.astype(np.float32), np.where(sharp[:, :, None], n[:, None], corners).astype(np.float32)


def _render(parts: _Parts, r: np.ndarray, samples: int) -> np.ndarray:
    height, width = r.shape[0] // samples, r.shape[1] // samples
    scene = Scene()
    tables: list[np.ndarray] = []
    data: list[tuple[str, Any]] = []
    for number, (vertices, triangles, color) in enumerate(parts.meshes):
        if not len(triangles):
            continue
        scene.add(vertices, triangles)
        data.append(("mesh", _normals(vertices, np.asarray(triangles, np.int64))))
        tables.append(_colors(color, len(triangles), number))
    for number, (values, color) in enumerate(parts.spheres):
        if len(values):
            scene.add_instance(scene.add_spheres(values))
            data.append(("sphere", values))
            tables.append(_colors(color, len(values), number + len(parts.meshes)))
    for number, (values, color) in enumerate(parts.capsules):
        if len(values):
            scene.add_instance(scene.add_capsules(values))
            data.append(("capsule", values))
            tables.append(_colors(color, len(values), number))
    hits = scene.raycast(r, backend="cpu").reshape(-1)
    flat = r.reshape(-1, 8)
    d = flat[:, 4:7]
    shades = np.linspace(1.0, 0.88, height * samples, dtype=np.float32)
    color = np.repeat(shades, width * samples)[:, None] * np.array([0.97, 0.98, 1.0], np.float32)
    normal = np.zeros((len(flat), 3), np.float32)
    place = flat[:, :3] + hits["t"][:, None] * d
    for number, (kind, values) in enumerate(data):
        which = np.flatnonzero(hits["instance"] == number)
        row = hits["primitive"][which]
        color[which] = tables[number][row]
        if kind == "mesh":
            faces, corners = values
            u, v = hits["u"][which, None], hits["v"][which, None]
            c = corners[row]
            smooth = (1 - u - v) * c[:, 0] + u * c[:, 1] + v * c[:, 2]
            smooth /= np.maximum(np.linalg.norm(smooth, axis=1, keepdims=True), 1e-20)
            flat_ = faces[row]
            normal[which] = np.where((smooth * flat_).sum(1, keepdims=True) > 0.8, smooth, flat_)
        elif kind == "sphere":
            normal[which] = place[which] - values[row, :3]
        else:
            a, b = values[row, :3], values[row, 3:6]
            axis = b - a
            with np.errstate(all="ignore"):
                s = np.einsum("ij,ij->i", place[which] - a, axis) / np.einsum("ij,ij->i", axis, axis)
            normal[which] = place[which] - (a + np.clip(np.nan_to_num(s), 0, 1)[:, None] * axis)
    met = np.flatnonzero(hits["instance"] != NONE)
    n, toward = normal[met], -d[met]
    n = n / np.maximum(np.linalg.norm(n, axis=1, keepdims=True), 1e-20)
    n = np.where((n * toward).sum(1, keepdims=True) < 0, -n, n)
    forward = d.reshape(r.shape[:2] + (3,))[r.shape[0] // 2, r.shape[1] // 2]
    up = r[0, r.shape[1] // 2, 4:7] - r[-1, r.shape[1] // 2, 4:7]
    side = np.cross(forward, up)
    sun = -forward + 0.9 * up / np.linalg.norm(up) - 0.6 * side / np.linalg.norm(side)
    sun /= np.linalg.norm(sun)
    size = np.linalg.norm(np.subtract(scene.stats.upper, scene.stats.lower))
    lit = ~scene.occluded(rays(place[met] + 1e-4 * size * n, np.broadcast_to(sun, n.shape)), backend="cpu")
    light = 0.30 + 0.25 * (n * toward).sum(1) + 0.55 * lit * np.maximum(n @ sun, 0)
    color[met] *= light[:, None].astype(np.float32)
    scene.close()
    image = color.reshape(height, samples, width, samples, 3).mean((1, 3))
    return np.clip(255 * image, 0, 255).astype(np.uint8)


def show(*things: Any, size: tuple[int, int] = (800, 600), eye: Any = None, target: Any = None, up: Any = (0, 1, 0),
         fov: float = 40.0, samples: int = 2, window: bool = False) -> Picture | None:
    """Draws things, and returns a Picture, which a notebook shows and which has save(). With window they are shown by
    `tact view` (the command must be installed), and None is returned when the window is closed.

    things: meshes, as (vertices, triangles), or of trimesh and Open3D; Scene; Particles, coloured by speed; arrays of
    contacts of particles or of Bodies.contact_points(); or dicts: {"mesh": (vertices, triangles)}, {"spheres": (n, 4)},
    {"capsules": (n, 7)}, {"rays": rays, "hits": hits}, {"points": (n, 3), "normals": (n, 3)}, each with "color": red,
    green and blue from 0 to 1. size: width and height in pixels. eye, target: the camera; None: so that all is seen.
    samples: rays along either side of a pixel."""
    parts = _Parts()
    for thing in things:
        parts.add(thing)
    lower, upper = parts.bounds()
    extent = float(np.linalg.norm(upper - lower)) or 1.0
    parts.finish(extent)
    if window:
        _window(parts)
        return None
    middle = (lower + upper) / 2 if target is None else np.asarray(target, np.float64)
    if eye is None:
        narrow = min(1.0, size[0] / size[1])
        eye = middle + 0.52 * extent / np.sin(np.radians(fov) / 2) / narrow * np.array([0.36, 0.30, 0.88])
    width, height = size
    r = camera_rays(width * samples, height * samples, eye=eye, target=middle, up=up, fov=fov)
    return Picture(_render(parts, r, samples))


def _tubes(capsules: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    sides = 8
    a, b, radius = capsules[:, :3], capsules[:, 3:6], capsules[:, 6]
    axis = b - a
    along_x = np.abs(axis[:, :1]) >= 0.9 * np.linalg.norm(axis, axis=1, keepdims=True)
    other = np.where(along_x, [[0, 1.0, 0]], [[1.0, 0, 0]])
    with np.errstate(all="ignore"):
        x = np.cross(axis, other)
        x = np.nan_to_num(x / np.linalg.norm(x, axis=1, keepdims=True))
        y = np.cross(axis, x)
        y = np.nan_to_num(y / np.linalg.norm(y, axis=1, keepdims=True))
    angle = np.arange(sides) * (2 * np.pi / sides)
    ring = radius[:, None, None] * (np.cos(angle)[:, None] * x[:, None] + np.sin(angle)[:, None] * y[:, None])
    vertices = np.concatenate([a[:, None] + ring, b[:, None] + ring], 1).reshape(-1, 3)
    k = np.arange(sides)
    n = (k + 1) % sides
    one = np.concatenate([np.column_stack([k, n, k + sides]), np.column_stack([n, n + sides, k + sides])])
    return vertices, (one[None] + 2 * sides * np.arange(len(a))[:, None, None]).reshape(-1, 3)


def _window(parts: _Parts) -> None:
    tool = os.environ.get("TACT_TOOL") or shutil.which("tact")
    if not tool:
        raise Error("the command `tact` is not installed; TACT_TOOL may name it")
    meshes = [(vertices, triangles) for vertices, triangles, _ in parts.meshes]
    ball, faces = sphere_mesh(subdivisions=2)
    for values, _ in parts.spheres:
        v = (values[:, None, :3] + values[:, None, 3:] * ball[None]).reshape(-1, 3)
        meshes.append((v, (faces[None] + len(ball) * np.arange(len(values))[:, None, None]).reshape(-1, 3)))
    meshes += [_tubes(values) for values, _ in parts.capsules]
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, (vertices, triangles) in enumerate(meshes):
            if not len(triangles):
                continue
            paths.append(os.path.join(folder, f"part-{number}.obj"))
            with open(paths[-1], "w", encoding="ascii") as f:
                np.savetxt(f, vertices, "v %.9g %.9g %.9g")
                np.savetxt(f, np.asarray(triangles, np.int64) + 1, "f %d %d %d")
        subprocess.run([tool, "view", *paths], check=True)
