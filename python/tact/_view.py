# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""What is in view: cameras, culling of volumes, picking from a scene."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import types
from ._core import (Handle, InvalidArgument, Query, choice, copied, create, ffi, lib, output, pointer, struct,
                    vectors)
from ._context import Context, context as shared_context
from ._scene import Scene

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._types import Options


def look_at(eye: Any, target: Any, up: Any = (0, 1, 0)) -> np.ndarray:
    """Makes the matrix, float64 (4, 4), from the world to the frame of a camera that looks along -z."""
    back = np.subtract(eye, target, dtype=np.float64)
    back /= np.linalg.norm(back)
    right = np.cross(np.asarray(up, np.float64), back)
    right /= np.linalg.norm(right)
    result = np.eye(4)
    result[:3, :3] = right, np.cross(back, right), back
    result[:3, 3] = -result[:3, :3] @ np.asarray(eye, np.float64)
    return result


def perspective(fov: float, aspect: float, near: float, far: float) -> np.ndarray:
    """Makes a projection, float64 (4, 4), as OpenGL has it: depth from -1 to 1. fov: vertical, in degrees. far may be
    infinite."""
    f = 1 / np.tan(np.radians(fov) / 2)
    a, b = (-1.0, -2 * near) if np.isinf(far) else ((far + near) / (near - far), 2 * far * near / (near - far))
    return np.array([[f / aspect, 0, 0, 0], [0, f, 0, 0], [0, 0, a, b], [0, 0, -1, 0]])


class View:
    """A camera: a matrix from the world to clip space, (4, 4), and the pixels it fills, x to the right and y down from
    the top left. depth: "minus_one_to_one" as in OpenGL, or "zero_to_one". reversed: greater depths are nearer."""

    def __init__(self, world_to_clip: Any, width: int, height: int, *, depth: str = "minus_one_to_one",
                 reversed: bool = False) -> None:
        m = np.asarray(world_to_clip, np.float32)
        if m.shape != (4, 4):
            raise InvalidArgument(f"the matrix: shape (4, 4) wanted, not {m.shape}")
        self.width, self.height = width, height
        self._c = struct("tact_pick_view", world_to_clip=m.reshape(16), width=width, height=height, reversed=reversed,
                         depth=choice("tact_clip_depth", depth))

    @classmethod
    def camera(cls, width: int, height: int, *, eye: Any, target: Any, up: Any = (0, 1, 0), fov: float = 60.0,
               near: float = 0.01, far: float = np.inf) -> View:
        """Makes the view of a camera. fov: vertical, in degrees. near, far: distances of the planes."""
        return cls(perspective(fov, width / height, near, far) @ look_at(eye, target, up), width, height)

    def ray(self, x: float, y: float) -> np.ndarray:
        """Returns the line of sight through a place of the view, in pixels (centres are at halves): float32 (8,), t
        being 0 at the near plane and 1 at the far one."""
        result = np.empty((1, 8), np.float32)
        if not lib.tact_pick_ray(self._c, x, y, output(result, "tact_ray")):
            raise InvalidArgument("the view has no pixels, or its matrix cannot be inverted")
        return result[0]

    @property
    def planes(self) -> np.ndarray:
        """The planes that bound the view, float32 (k, 4), for Scene.cull() and cull()."""
        result = np.empty((6, 4), np.float32)
        return result[:lib.tact_pick_planes(self._c, output(result, "tact_plane"))].copy()

    def project(self, position: Any) -> tuple[float, float, float] | None:
        """Returns the place of a point of the world, x and y in pixels and its depth; None behind the eye."""
        p, place, depth = ffi.new("float[3]", [float(x) for x in position]), ffi.new("double[2]"), ffi.new("float*")
        return (place[0], place[1], depth[0]) if lib.tact_pick_project(self._c, p, place, depth) else None

    def unproject(self, x: float, y: float, depth: float) -> np.ndarray:
        """Returns the point of the world, float32 (3,), at a place in pixels and a depth from 0 to 1."""
        result = np.empty(3, np.float32)
        if not lib.tact_pick_unproject(self._c, x, y, depth, output(result, "float")):
            raise InvalidArgument("the view has no pixels, or its matrix cannot be inverted")
        return result

    def part(self, x0: int, y0: int, x1: int, y1: int) -> View:
        """Returns the view of a rectangle of the pixels."""
        result = View.__new__(View)
        result._c = ffi.new("tact_pick_view*")
        if not lib.tact_pick_part(self._c, [x0, y0, x1, y1], result._c):
            raise InvalidArgument("no such rectangle of the view")
        result.width, result.height = x1 - x0, y1 - y0
        return result


def frustum_planes(world_to_clip: Any, *, depth: str = "minus_one_to_one") -> np.ndarray:
    """Returns the planes of a view-projection matrix, (4, 4), for cull() and Scene.cull(): float32 (k, 4), outward
    normal and distance. A matrix that shows nothing has one that has nothing behind it."""
    m = np.require(world_to_clip, np.float32, ["C", "A"])
    if m.shape != (4, 4):
        raise InvalidArgument(f"the matrix: shape (4, 4) wanted, not {m.shape}")
    frustum, result = ffi.new("tact_frustum*"), np.empty((6, 4), np.float32)
    lib.tact_frustum_from_matrix(pointer(m, "float"), lib.TACT_MATRIX_BY_ROWS, choice("tact_clip_depth", depth),
                                 frustum)
    return result[:lib.tact_cull_frustum(frustum, output(result, "tact_plane"))].copy()


_KINDS = {"aabb": ("TACT_CULL_AABBS", 6, None), "sphere": ("TACT_CULL_SPHERES", 4, None),
          "obb": ("TACT_CULL_OBBS", 0, types.obb), "kdop": ("TACT_CULL_KDOPS", 0, types.kdop)}


class Culler(Handle):
    """Culls volumes by planes and boxes, and keeps its memory from one call to the next."""

    def __init__(self, *, context: Context | None = None) -> None:
        self.context = context or shared_context()
        super().__init__(create(lib.tact_culler_create, "tact_culler", self.context._p), lib.tact_culler_destroy,
                         self.context)

    def run(self, volumes: Any, planes: Any = None, boxes: Any = None, *, classes: bool = False,
            **options: Unpack[Options]) -> Any:
        """Finds the volumes that are not outside of the planes, float (k, 4), and, where boxes, (m, 6), are given, not
        apart from all of them. Conservative: none that has a point there is left out. volumes: AABBs (n, 6), spheres
        (n, 4), or an array of types.obb or types.kdop. Returns their numbers, uint32, ascending; with classes also, of
        all volumes, uint8: 0 outside, 1 intersecting, 2 inside."""
        given = np.asarray(volumes)
        kind = next((name for name, (_, columns, of) in _KINDS.items()
                     if (given.ndim == 2 and given.shape[1] == columns if of is None else given.dtype == of)), None)
        if kind is None:
            raise InvalidArgument(f"the volumes: (n, 6), (n, 4), types.obb or types.kdop wanted, not {given.dtype} "
                                  f"{given.shape}")
        constant, columns, of = _KINDS[kind]
        rows = vectors(given, "the volumes", columns) if of is None else np.require(given.reshape(-1), of, ["C", "A"])
        planes_ = None if planes is None else vectors(planes, "the planes", 4)
        boxes_ = None if boxes is None else vectors(boxes, "the boxes", 6)
        kinds = np.empty(max(1, len(rows)), np.uint8) if classes else None
        count = ffi.new("size_t*")
        work = struct("tact_cull_work", kind=getattr(lib, constant), count=len(rows),
                      volumes=ffi.cast("void*", pointer(rows, f"tact_{kind}")),
                      planes=None if planes_ is None else pointer(planes_, "tact_plane"),
                      plane_count=0 if planes_ is None else len(planes_),
                      boxes=None if boxes_ is None else pointer(boxes_, "tact_aabb"),
                      box_count=0 if boxes_ is None else len(boxes_))
        room = struct("tact_cull_room", count=count, classes=None if kinds is None else output(kinds, "uint8_t"))
        query = Query(**options)
        with self._lock:
            query.check(lib.tact_cull_volumes(self._p, work, room, query.options, query.report))
            ids = copied(lib.tact_cull_last(self._p, count), count[0], np.dtype("u4"))
        return ids if kinds is None else (ids, kinds[:len(rows)])


def cull(volumes: Any, planes: Any = None, boxes: Any = None, *, classes: bool = False,
         context: Context | None = None, **options: Unpack[Options]) -> Any:
    """Culls volumes once, as Culler.run() does."""
    with Culler(context=context) as culler:
        return culler.run(volumes, planes, boxes, classes=classes, **options)


class Picker(Handle):
    """Picks from scenes what lies under a pixel, a rectangle or a lasso of a view."""

    def __init__(self, *, context: Context | None = None) -> None:
        self.context = context or shared_context()
        super().__init__(create(lib.tact_picker_create, "tact_picker", self.context._p), lib.tact_picker_destroy,
                         self.context)

    def pick(self, scene: Scene, view: View, *, at: tuple[int, int] | None = None, radius: int = 0,
             rectangle: tuple[int, int, int, int] | None = None, lasso: Any = None, extent: str = "visible",
             group: str = "instance", method: str = "rays", max_layers: int = 0, keep: bool = False,
             **options: Unpack[Options]) -> np.ndarray:
        """Picks: an array of types.pick, the nearest first.

        at: a pixel, and those within radius of it. rectangle: x0, y0, x1, y1. lasso: corners, float (n, 2). None of
        these: the whole view. extent: "visible", "all" (every surface along the lines of sight) or "touched"
        (everything with a point in the region's part of space). group: "instance", "object" or "primitive": what a pick
        is one of. method: "rays", or "raster", drawn by OpenGL. keep: reuse the picture while nothing changes."""
        region = ffi.new("tact_pick_region*")
        corners = None
        if at is not None:
            region.shape, (region.x, region.y), region.radius = lib.TACT_PICK_POINT, at, radius
        elif rectangle is not None:
            region.shape, region.rectangle = lib.TACT_PICK_RECTANGLE, list(rectangle)
        elif lasso is not None:
            corners = vectors(lasso, "the lasso", 2)
            region.shape, region.lasso_count = lib.TACT_PICK_LASSO, len(corners)
            region.lasso = ffi.cast("float(*)[2]", pointer(corners, "float"))
        settings = struct("tact_pick_options", extent=choice("tact_pick_extent", extent),
                          group=choice("tact_pick_group", group), method=choice("tact_pick_method", method),
                          max_layers=max_layers, keep=keep)
        count = ffi.new("size_t*")
        work = struct("tact_pick_work", view=view._c, region=region, options=settings, count=count)
        query = Query(**options)
        with self._lock:
            query.check(lib.tact_pick_scene(self._p, scene._ready(), work, query.options, query.report))
            picks = copied(lib.tact_pick_last(self._p, count), count[0], types.pick)
        del corners
        return picks
