# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""Mesh against mesh: overlap, intersecting triangles, distance; many objects at once; tests in images."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from . import types
from ._core import (INFINITY, Handle, InvalidArgument, Query, array, check, choice, create, dtype, ffi, lib, matrices,
                    output, pointer, record, struct, with_room)
from ._context import Context, context as shared_context
from ._scene import Mesh, mesh_desc

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._types import Options


def _poses(poses: Any) -> tuple[np.ndarray | None, Any, int]:
    if poses is None:
        return None, None, 1
    m = matrices(poses, "the poses")
    return m, ffi.cast("float(*)[12]", pointer(m, "float")), len(m)


def overlap(a: Mesh, b: Mesh, poses: Any = None, *, solid: bool = False, **options: Unpack[Options]) -> np.ndarray:
    """Finds how two meshes lie in each pose of B in A's frame, (n, 3, 4) or (n, 4, 4); None: one, the identity. Returns
    uint8 (n,): 0 apart, 1 intersecting; with solid also 2, a part of A inside B, and 3, a part of B inside A."""
    m, address, count = _poses(poses)
    relations = np.empty(count, np.uint8)
    work = struct("tact_overlap_work", poses=address, pose_count=count if m is not None else 0, solid=solid,
                  relations=output(relations, "uint8_t"))
    query = Query(**options)
    query.check(lib.tact_mesh_overlap(a._p, b._p, work, query.options, query.report))
    return relations


def overlap_pairs(a: Mesh, b: Mesh, poses: Any = None, **options: Unpack[Options]) -> np.ndarray:
    """Finds all pairs of overlapping triangles: an array of types.mesh_pair, sorted by pose, a, b. Poses as for
    overlap()."""
    m, address, poses_ = _poses(poses)

    def call(rows: np.ndarray, count: Any) -> int:
        work = struct("tact_overlap_work", poses=address, pose_count=poses_ if m is not None else 0, count=count,
                      pairs=output(rows, "tact_mesh_pair"), capacity=len(rows))
        query = Query(**options)
        return query.check(lib.tact_mesh_overlap_pairs(a._p, b._p, work, query.options, query.report))
    return with_room(call, types.mesh_pair)


def self_overlap_pairs(mesh: Mesh, **options: Unpack[Options]) -> np.ndarray:
    """Finds the pairs of a mesh's own triangles that overlap, a < b, those with a common corner left out: an array of
    types.mesh_pair, sorted."""
    def call(rows: np.ndarray, count: Any) -> int:
        query = Query(**options)
        return query.check(lib.tact_mesh_self_overlap_pairs(mesh._p, output(rows, "tact_mesh_pair"), len(rows), count,
                                                            query.options, query.report))
    return with_room(call, types.mesh_pair)


def overlap_segments(a: Mesh, b: Mesh, pairs: np.ndarray, poses: Any = None, **options: Unpack[Options]) -> np.ndarray:
    """Finds what the triangles of each pair (overlap_pairs()) have in common, in A's frame: an array of
    types.triangle_contact; meeting is 1 for a point, 2 for a segment from segment["a"] to segment["b"]."""
    m, address, count = _poses(poses)
    rows = np.require(pairs, types.mesh_pair, ["C", "A"])
    result = np.empty(len(rows), types.triangle_contact)
    work = struct("tact_segments_work", poses=address, pose_count=count if m is not None else 0,
                  pairs=pointer(rows, "tact_mesh_pair"), pair_count=len(rows),
                  contacts=output(result, "tact_triangle_contact"))
    query = Query(**options)
    query.check(lib.tact_mesh_overlap_segments(a._p, b._p, work, query.options, query.report))
    return result


class MeshFront(Handle):
    """What separation() keeps from pose to pose of two meshes that move little: faster, with the same result."""

    def __init__(self, a: Mesh, b: Mesh) -> None:
        super().__init__(create(lib.tact_mesh_front_create, "tact_mesh_front", a._p, b._p),
                         lib.tact_mesh_front_destroy, a, b)


def separation(a: Mesh, b: Mesh, pose: Any = None, limit: float = INFINITY, front: MeshFront | None = None) -> Any:
    """Finds the distance of two meshes and their closest points, in A's frame: a record of distance (0 where they
    overlap, infinity beyond the limit), triangle_a, triangle_b, point_a, point_b."""
    m = None if pose is None else matrices(pose)
    result = ffi.new("tact_mesh_distance*")
    check(lib.tact_mesh_separation(a._p, b._p, pointer(m, "float"), limit, ffi.NULL if front is None else front._p,
                                   result))
    return record(result)


class Filter(Handle):
    """Finds overlapping triangles of many objects by discarding step by step what cannot overlap. It keeps buffers, and
    nothing else, from one run to the next, so all vertices may move."""

    def __init__(self, *, context: Context | None = None) -> None:
        self.context = context or shared_context()
        self.stages: list[Any] = []  #: of the last run: records of ran, objects, triangles, rounds, ms, and its name
        super().__init__(create(lib.tact_filter_create, "tact_filter", self.context._p), lib.tact_filter_destroy,
                         self.context)

    def run(self, shapes: Sequence[tuple[Any, Any]], objects: Any = None, poses: Any = None, *, images: str = "auto",
            fast: bool = False, cells_log2: int = 0, **options: Unpack[Options]) -> np.ndarray:
        """Finds all pairs of triangles of different objects that overlap: an array of types.filter_pair, sorted.

        shapes: pairs of vertices (n, 3) and triangles (m, 3). objects: the number of each object's shape; None: one
        object of each shape. poses: (k, 3, 4) or (k, 4, 4), from the shape's frame to the world; None: identities.
        images: "auto", "always" or "never" use images on devices. fast: may miss pairs."""
        made = [mesh_desc(*shape) for shape in shapes]
        descs = ffi.new("tact_mesh_desc[]", len(made))
        for index, (desc, _) in enumerate(made):
            descs[index] = desc[0]
        numbers_ = np.arange(len(made)) if objects is None else array(objects, "u4", (), "the objects")
        rows = np.zeros(len(numbers_), dtype("tact_filter_object"))
        rows["shape"] = numbers_
        m = np.eye(3, 4, dtype=np.float32).reshape(1, 12) if poses is None else matrices(poses, "the poses")
        if poses is not None and len(m) != len(rows):
            raise InvalidArgument(f"{len(m)} poses for {len(rows)} objects")
        rows["pose"] = m
        counts = ffi.new("tact_filter_count[]", lib.TACT_FILTER_STAGES)
        settings = struct("tact_filter_options", images=choice("tact_filter_images", images), fast=fast,
                          cells_log2=cells_log2)

        def call(found: np.ndarray, count: Any) -> int:
            work = struct("tact_filter_work", shapes=descs, shape_count=len(made), count=count, stages=counts,
                          objects=pointer(rows, "tact_filter_object"), object_count=len(rows), options=settings,
                          pairs=output(found, "tact_filter_pair"), capacity=len(found))
            query = Query(**options)
            return query.check(lib.tact_filter_meshes(self._p, work, query.options, query.report))
        pairs = with_room(call, types.filter_pair)
        self.stages = []
        for index in range(lib.TACT_FILTER_STAGES):
            stage = record(counts[index])
            stage.name = ffi.string(lib.tact_filter_stage_name(index)).decode()
            self.stages.append(stage)
        return pairs


class ImageTester(Handle):
    """Tests in images whether two objects overlap, with a bound of what may be missed (`tolerance` of each result)."""

    def __init__(self, *, context: Context | None = None) -> None:
        self.context = context or shared_context()
        super().__init__(create(lib.tact_image_tester_create, "tact_image_tester", self.context._p),
                         lib.tact_image_tester_destroy, self.context)

    def convex(self, a: tuple[Any, Any], b: tuple[Any, Any], poses: Any = None, *, method: str = "query",
               resolution: int = 0, **options: Unpack[Options]) -> np.ndarray:
        """Tests two convex objects, each vertices (n, 3) and triangles (m, 3), for each pose of B in A's frame: an
        array of types.image_result. method: "query" counts pixels, "readback" also says where and how deep."""
        return self._run(lib.tact_image_convex, a, b, poses, method, resolution, "made_either_way", options)

    def concave(self, a: tuple[Any, Any], b: tuple[Any, Any], poses: Any = None, *, method: str = "query",
                resolution: int = 0, making: str = "made_either_way", **options: Unpack[Options]) -> np.ndarray:
        """Tests two closed objects of any shape, as convex() does. making: "drawn" or "computed" selects the part of
        a device that makes the images. method: also "stencil", which is approximate without a bound."""
        return self._run(lib.tact_image_concave, a, b, poses, method, resolution, making, options)

    def _run(self, function: Any, a: Any, b: Any, poses: Any, method: str, resolution: int, making: str,
             options: Any) -> np.ndarray:
        (desc_a, kept_a), (desc_b, kept_b) = mesh_desc(*a), mesh_desc(*b)
        m, address, count = _poses(poses)
        body_a = struct("tact_image_body", mesh=desc_a[0])
        body_b = struct("tact_image_body", mesh=desc_b[0], poses=address, pose_count=count if m is not None else 0)
        results = np.zeros(count, types.image_result)
        settings = struct("tact_image_options", method=choice("tact_image_method", method), resolution=resolution,
                          making=choice("tact_image_making", making))
        work = struct("tact_image_work", a=body_a, b=body_b, options=settings, count=count,
                      results=output(results, "tact_image_result"))
        query = Query(**options)
        query.check(function(self._p, work, query.options, query.report))
        del kept_a, kept_b
        return results
