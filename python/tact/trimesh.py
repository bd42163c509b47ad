# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""Ray casts for trimesh: the methods of `trimesh.ray`, with the same arguments, shapes and types.

    mesh.ray = tact.trimesh.RayMeshIntersector(mesh)

Every hit of every ray is found: rays do not slip between triangles that share an edge, and no offset is taken from hit
to hit, so that thin walls and large scales are no matter. The hits of a ray come from the front.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ._core import NONE, InvalidArgument
from ._hits import repeated, welded
from ._context import Context
from ._scene import Scene, rays


class RayMeshIntersector:
    """Casts rays at a mesh: anything with `vertices`, float (n, 3), and `faces`, whole numbers (m, 3).

    The trees are built by the first call, and again when hash(mesh) has changed, as trimesh's does with its arrays.
    Vertices count relative to the middle of the mesh in single precision; locations are computed in double precision
    from the mesh's own vertices. `scale_to_box` is taken for trimesh's sake and does nothing. Keywords that are not
    named here are options of queries, such as backend="gl"."""

    def __init__(self, mesh: Any, scale_to_box: bool = True, *, context: Context | None = None) -> None:
        self.mesh = mesh
        self._context = context
        self._key: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {"mesh": self.mesh}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["mesh"])  # type: ignore[misc]

    def _current(self) -> Scene:
        key = hash(self.mesh)
        if self._key != key or self._key is None:
            vertices = np.asarray(self.mesh.vertices, np.float64)
            faces = np.asarray(self.mesh.faces)
            self._middle = np.zeros(3)
            if len(vertices):
                with np.errstate(over="ignore", invalid="ignore"):
                    middle = (np.nanmin(vertices, 0) + np.nanmax(vertices, 0)) / 2
                self._middle = np.where(np.isfinite(middle), middle, 0.0)
            with np.errstate(over="ignore", invalid="ignore"):
                near = (vertices - self._middle).astype(np.float32)
            scene = Scene(context=self._context)
            scene.add(near, faces)
            self._faces, self._vertices = np.asarray(faces, np.int64), vertices
            self._corners = welded(near, self._faces)
            self._scene, self._key = scene, key
        return self._scene

    def _rays(self, origins: Any, directions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        o, d = np.asarray(origins, np.float64), np.asarray(directions, np.float64)
        if o.shape != d.shape or o.ndim != 2 or o.shape[1] != 3:
            raise InvalidArgument(f"origins and directions: shape (n, 3) wanted, not {o.shape} and {d.shape}")
        self._current()
        # Of unit length, so that no direction is lost to single precision.
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            length = np.abs(d).max(1, keepdims=True, initial=0.0)
            unit = np.where((length > 0) & np.isfinite(length), d / length, 0.0)
            return o, unit, rays(o - self._middle, unit)

    def intersects_id(self, ray_origins: Any, ray_directions: Any, return_locations: bool = False,
                      multiple_hits: bool = True, max_hits: int = 0, **options: Any) -> Any:
        """Finds the triangles that rays hit. Returns index_tri, int64 (h,), index_ray, int64 (h,), and with
        return_locations locations, float64 (h, 3). max_hits: of a ray at most; 0: all.

        Without locations each triangle is there, both where a ray passes the edge between two. With locations they are
        unique: such a place counts once, as trimesh documents for counting."""
        o, d, r = self._rays(ray_origins, ray_directions)
        scene = self._scene
        if multiple_hits:
            hits, offsets = scene.raycast_all(r, max_hits=0 if return_locations else max_hits, **options)
            index_ray = np.repeat(np.arange(len(r)), np.diff(offsets.astype(np.int64)))
        else:
            hits = scene.raycast(r, **options)
            index_ray = np.flatnonzero(hits["primitive"] != NONE)
            hits = hits[index_ray]
        index_tri = hits["primitive"].astype(np.int64)
        if not return_locations:
            return index_tri, index_ray
        locations, t, front = self._locate(o[index_ray], d[index_ray], index_tri, hits["t"])
        if multiple_hits:
            # Single precision moves vertices, and with them where an edge is passed, by this much.
            size = np.abs(self._vertices[self._faces[index_tri]] - self._middle).max((1, 2), initial=0.0)
            keep = ~repeated(index_ray, t, self._corners[index_tri], front, 2.0 ** -20 * (size + np.abs(t)))
            if max_hits:
                starts = np.searchsorted(index_ray[keep], np.arange(len(r)))
                rank = np.arange(np.count_nonzero(keep)) - starts[index_ray[keep]]
                keep[np.flatnonzero(keep)[rank >= max_hits]] = False
            index_tri, index_ray, locations = index_tri[keep], index_ray[keep], locations[keep]
        return index_tri, index_ray, locations

    def _locate(self, o: np.ndarray, d: np.ndarray, tri: np.ndarray, t: np.ndarray) -> tuple[np.ndarray, ...]:
        """Returns where rays meet the planes of triangles, t there, and whether they meet the front."""
        a, b, c = (self._vertices[self._faces[tri, corner]] for corner in range(3))
        normal = np.cross(b - a, c - a)
        along = np.einsum("ij,ij->i", normal, d)
        with np.errstate(divide="ignore", invalid="ignore"):
            exact = np.einsum("ij,ij->i", normal, a - o) / along
        # Of triangles that are seen nearly edge-on the plane says little.
        rough = t.astype(np.float64)
        steep = np.abs(along) > 2.0 ** -20 * np.linalg.norm(normal, axis=1)
        place = np.where(steep & (np.abs(exact - rough) <= 2.0 ** -10 * np.abs(rough) + 1e-300), exact, rough)
        return o + place[:, None] * d, place, along < 0

    def intersects_location(self, ray_origins: Any, ray_directions: Any, multiple_hits: bool = True,
                            **options: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Finds unique places where rays hit. Returns locations, float64 (h, 3), index_ray, int64 (h,), and index_tri,
        int64 (h,)."""
        index_tri, index_ray, locations = self.intersects_id(ray_origins, ray_directions, return_locations=True,
                                                             multiple_hits=multiple_hits, **options)
        return locations, index_ray, index_tri

    def intersects_first(self, ray_origins: Any, ray_directions: Any, **options: Any) -> np.ndarray:
        """Returns the first triangle that each ray hits, int64 (n,); -1 for none."""
        _, _, r = self._rays(ray_origins, ray_directions)
        first = self._scene.raycast(r, **options)["primitive"]
        return np.where(first == NONE, -1, first.astype(np.int64))

    def intersects_any(self, ray_origins: Any, ray_directions: Any, **options: Any) -> np.ndarray:
        """Tests which rays hit anything: bool (n,)."""
        _, _, r = self._rays(ray_origins, ray_directions)
        return self._scene.occluded(r, **options)

    def contains_points(self, points: Any, **options: Any) -> np.ndarray:
        """Tests which points, float (n, 3), are inside: bool (n,). By the winding number, so the mesh need not be
        closed; a point on the surface counts as one just beyond it along +x."""
        p = np.asarray(points, np.float64)
        if p.ndim != 2 or p.shape[1] != 3:
            raise InvalidArgument(f"the points: shape (n, 3) wanted, not {p.shape}")
        scene = self._current()
        return scene.contains(p - self._middle, **options)
