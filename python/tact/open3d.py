# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""RaycastingScene with the methods of Open3D's (open3d.t.geometry.RaycastingScene), on any device.

Arrays of NumPy, tensors of Open3D and whatever else NumPy reads go in. Arrays come out, with a method numpy(), so that
code written for tensors runs as it is; they are views of structured arrays, with gaps between their numbers. Open3D
itself is not needed.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from ._core import INFINITY, NONE, InvalidArgument, in_pieces
from ._hits import repeated, welded
from ._context import Context
from ._scene import Scene, rays as make_rays


class Array(np.ndarray):
    """An array that has the methods of a tensor that programs call most: numpy(), cpu()."""

    def numpy(self) -> np.ndarray:
        """Returns the array as one of NumPy's."""
        return self.view(np.ndarray)

    def cpu(self) -> Array:
        """Returns the array itself."""
        return self


def _in(values: Any, columns: int, name: str) -> np.ndarray:
    if hasattr(values, "numpy") and not isinstance(values, np.ndarray):
        values = values.numpy()
    result = np.asarray(values)
    if result.ndim < 1 or result.shape[-1] != columns:
        raise InvalidArgument(f"{name}: shape (..., {columns}) wanted, not {result.shape}")
    return result


def _out(values: np.ndarray) -> Array:
    return values.view(Array)


def _uvs(hits: np.ndarray) -> Array:
    """Returns u and v of hits, (..., 2), without a copy."""
    place = hits.dtype.fields["u"][1] // 4
    return _out(hits.reshape(-1).view(np.float32).reshape(hits.shape + (-1,))[..., place:place + 2])


class RaycastingScene:
    """A scene of triangle meshes for ray casts and distances.

    nthreads: CPU threads; 0: all. Methods take it too. Further keywords of methods are options of queries, such as
    backend="cl"; nsamples is taken and does nothing, since inside and outside are told by the winding number."""

    INVALID_ID = NONE

    def __init__(self, nthreads: int = 0, device: Any = None, *, context: Context | None = None) -> None:
        self.scene = Scene(context=context)
        self._threads = nthreads
        self._normals = np.zeros((0, 3), np.float32)  # of all meshes, one after the other
        self._corners = np.zeros((0, 3), np.int64)
        self._normals_table: np.ndarray | None = None  # the same and a row of zeros
        self._starts: list[int] = []
        self._shift = 0

    def add_triangles(self, vertex_positions: Any, triangle_indices: Any = None) -> int:
        """Adds a mesh: vertex positions, float (n, 3), and triangle indices, whole numbers (m, 3); or a
        TriangleMesh of Open3D. Returns its geometry id, from 0 on."""
        if triangle_indices is None:
            mesh = vertex_positions
            if hasattr(mesh, "vertex"):  # of open3d.t.geometry
                vertex_positions, triangle_indices = mesh.vertex["positions"], mesh.triangle["indices"]
            else:
                vertex_positions, triangle_indices = np.asarray(mesh.vertices), np.asarray(mesh.triangles)
        v = np.ascontiguousarray(_in(vertex_positions, 3, "the positions"), np.float32).reshape(-1, 3)
        t = _in(triangle_indices, 3, "the indices").reshape(-1, 3)
        number = self.scene.add(v, t)
        t = t.astype(np.int64)
        a, b, c = (v[t[:, corner]].astype(np.float64) for corner in range(3))
        with np.errstate(all="ignore"):
            n = np.cross(b - a, c - a)
            length = np.linalg.norm(n, axis=1, keepdims=True)
            n = np.where(length > 0, n / length, 0.0)
        self._starts.append(len(self._normals))
        self._normals_table = None
        self._normals = np.concatenate([self._normals, n.astype(np.float32)])
        self._corners = np.concatenate([self._corners, welded(v, t) + self._shift])
        self._shift += len(v)
        return number

    def _rays(self, rays: Any, tnear: float = 0.0, tfar: float = INFINITY) -> np.ndarray:
        r = _in(rays, 6, "the rays")
        return make_rays(r[..., :3], r[..., 3:], tnear, tfar)

    def _options(self, nthreads: int, options: dict[str, Any]) -> dict[str, Any]:
        return {"threads": nthreads or self._threads, **options}

    def _normals_of(self, geometry: np.ndarray, primitive: np.ndarray) -> np.ndarray:
        table, starts = self._table(), np.asarray(self._starts + [0])
        rows = primitive.reshape(-1)
        result = np.empty((len(rows), 3), np.float32)

        def fill(piece: slice) -> None:
            # What missed has a number beyond all others, and so the last row of the table, zeros.
            row = rows[piece].astype(np.intp)
            if len(self._starts) > 1:
                row += starts.take(geometry.reshape(-1)[piece].astype(np.intp), mode="clip")
            table.take(row, axis=0, mode="clip", out=result[piece])
        in_pieces(len(rows), fill)
        return result.reshape(primitive.shape + (3,))

    def _table(self) -> np.ndarray:
        if self._normals_table is None:
            self._normals_table = np.concatenate([self._normals, np.zeros((1, 3), np.float32)])
        return self._normals_table

    def cast_rays(self, rays: Any, nthreads: int = 0, **options: Any) -> dict[str, Array]:
        """Casts rays, float (..., 6): origin and direction, in units of which t_hit is. Returns t_hit (infinite for a
        miss), geometry_ids, primitive_ids (INVALID_ID for a miss), primitive_uvs (..., 2), primitive_normals (...,
        3)."""
        hits = self.scene.raycast(self._rays(rays), **self._options(nthreads, options))
        return {"t_hit": _out(hits["t"]), "geometry_ids": _out(hits["instance"]),
                "primitive_ids": _out(hits["primitive"]), "primitive_uvs": _uvs(hits),
                "primitive_normals": _out(self._normals_of(hits["instance"], hits["primitive"]))}

    def test_occlusions(self, rays: Any, tnear: float = 0.0, tfar: float = INFINITY, nthreads: int = 0,
                        **options: Any) -> Array:
        """Tests which rays, (..., 6), hit anything between tnear and tfar: bool (...)."""
        return _out(self.scene.occluded(self._rays(rays, tnear, tfar), **self._options(nthreads, options)))

    def _all(self, rays: Any, nthreads: int, options: dict[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns all hits along rays, offsets of those of each, and the numbers of hits to be left out: where an edge
        or corner of triangles is passed, which counts once."""
        r = self._rays(rays).reshape(-1, 8)
        hits, offsets = self.scene.raycast_all(r, **self._options(nthreads, options))
        again = np.zeros(0, np.intp)
        t = np.ascontiguousarray(hits["t"])
        # Few hits are as far as the one before, mostly.
        near = np.flatnonzero(np.abs(t[1:] - t[:-1]) <= np.float32(2.0 ** -20) * np.abs(t[1:]))
        if len(near):
            some = np.unique(np.concatenate([near, near + 1]))
            ray = np.searchsorted(offsets, some.astype(np.uint64), "right") - 1
            row = hits["primitive"][some] + np.asarray(self._starts)[hits["instance"][some]]
            front = np.einsum("ij,ij->i", self._normals[row], r[ray, 4:7]) < 0
            far = t[some].astype(np.float64)
            again = some[repeated(ray, far, self._corners[row], front, 2.0 ** -20 * np.abs(far))]
        return hits, offsets, again

    def count_intersections(self, rays: Any, nthreads: int = 0, **options: Any) -> Array:
        """Counts how often rays, (..., 6), meet a surface: int32 (...)."""
        shape = _in(rays, 6, "the rays").shape[:-1]
        _, offsets, again = self._all(rays, nthreads, options)
        counts = np.diff(offsets).astype(np.int32)
        np.subtract.at(counts, np.searchsorted(offsets, again.astype(np.uint64), "right") - 1, 1)
        return _out(counts.reshape(shape))

    def list_intersections(self, rays: Any, nthreads: int = 0, **options: Any) -> dict[str, Array]:
        """Lists where rays, (..., 6), meet surfaces, from the front: ray_splits, int64 (rays + 1), ray_ids, t_hit,
        geometry_ids, primitive_ids, primitive_uvs."""
        hits, offsets, again = self._all(rays, nthreads, options)
        ray = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets.astype(np.int64)))
        hits, ray = np.delete(hits, again), np.delete(ray, again)
        splits = np.zeros(len(offsets), np.int64)
        np.cumsum(np.bincount(ray, minlength=len(offsets) - 1), out=splits[1:])
        return {"ray_splits": _out(splits), "ray_ids": _out(ray.astype(np.uint32)), "t_hit": _out(hits["t"]),
                "geometry_ids": _out(hits["instance"]), "primitive_ids": _out(hits["primitive"]),
                "primitive_uvs": _uvs(hits)}

    def compute_closest_points(self, query_points: Any, nthreads: int = 0, **options: Any) -> dict[str, Array]:
        """Finds the closest surface points to points, float (..., 3): points, geometry_ids, primitive_ids,
        primitive_uvs, primitive_normals."""
        p = _in(query_points, 3, "the points")
        hits = self.scene.closest_points(p, **self._options(nthreads, options))
        return {"points": _out(hits["point"]), "geometry_ids": _out(hits["instance"]),
                "primitive_ids": _out(hits["primitive"]), "primitive_uvs": _uvs(hits),
                "primitive_normals": _out(self._normals_of(hits["instance"], hits["primitive"]))}

    def compute_distance(self, query_points: Any, nthreads: int = 0, **options: Any) -> Array:
        """Returns the distances of points, float (..., 3), from the surface: float32 (...)."""
        p = _in(query_points, 3, "the points")
        return _out(self.scene.closest_points(p, **self._options(nthreads, options))["distance"])

    def compute_signed_distance(self, query_points: Any, nthreads: int = 0, nsamples: int = 1, **options: Any) -> Array:
        """Returns the distances of points, float (..., 3), from the surface, negative inside: float32 (...)."""
        p = _in(query_points, 3, "the points")
        return _out(self.scene.locate(p, **self._options(nthreads, options))["distance"])

    def compute_occupancy(self, query_points: Any, nthreads: int = 0, nsamples: int = 1, **options: Any) -> Array:
        """Tests which points, float (..., 3), are inside: float32 (...), 1 inside and 0 outside."""
        p = _in(query_points, 3, "the points")
        return _out(self.scene.contains(p, **self._options(nthreads, options)).astype(np.float32))

    @staticmethod
    def create_rays_pinhole(*arguments: Any, **named: Any) -> Array:
        """Creates rays of a pinhole camera, float32 (height_px, width_px, 6): of fov_deg (horizontal), center, eye, up,
        width_px, height_px; or of intrinsic_matrix (3, 3), extrinsic_matrix (4, 4), width_px, height_px."""
        if "intrinsic_matrix" in named or (arguments and np.ndim(_plain(arguments[0])) == 2):
            names: tuple[str, ...] = ("intrinsic_matrix", "extrinsic_matrix", "width_px", "height_px")
        else:
            names = ("fov_deg", "center", "eye", "up", "width_px", "height_px")
        given = {**dict(zip(names, arguments)), **named}
        if len(arguments) > len(names) or set(given) != set(names):
            raise TypeError(f"create_rays_pinhole() takes {', '.join(names)}")
        width, height = int(given["width_px"]), int(given["height_px"])
        if "fov_deg" in given:
            focal = 0.5 * width / np.tan(np.radians(float(given["fov_deg"])) / 2)
            k = np.array([[focal, 0, 0.5 * width], [0, focal, 0.5 * height], [0, 0, 1]])
            center, eye, up = (np.asarray(_plain(given[name]), np.float64) for name in ("center", "eye", "up"))
            ahead = (center - eye) / np.linalg.norm(center - eye)
            side = np.cross(up, ahead)
            side /= np.linalg.norm(side)
            rotation = np.array([side, np.cross(ahead, side), ahead])
            shift = -rotation @ eye
        else:
            k = np.asarray(_plain(given["intrinsic_matrix"]), np.float64)
            extrinsic = np.asarray(_plain(given["extrinsic_matrix"]), np.float64)
            rotation, shift = extrinsic[:3, :3], extrinsic[:3, 3]
        back = (rotation.T @ np.linalg.inv(k)).astype(np.float32)
        x = np.arange(width, dtype=np.float32)[None, :, None] + np.float32(0.5)
        y = np.arange(height, dtype=np.float32)[:, None, None] + np.float32(0.5)
        result = np.empty((height, width, 6), np.float32)
        result[..., :3] = -rotation.T @ shift
        result[..., 3:] = back[:, 0] * x + back[:, 1] * y + back[:, 2]
        return _out(result)


def _plain(values: Any) -> Any:
    return values.numpy() if hasattr(values, "numpy") and not isinstance(values, np.ndarray) else values
