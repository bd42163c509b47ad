# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""Scenes of triangle meshes and shapes: ray casts, closest points, sphere casts, points against solids, culling."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from . import types
from ._core import (INFINITY, Errors, Handle, InvalidArgument, Query, array, check, choice, copied, create, dtype, ffi,
                    in_pieces, lib, matrices, numbers, output, pointer, record, struct, vectors)
from ._context import Context, context as shared_context

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._types import Options


def rays(origins: Any, directions: Any, tmin: Any = 0.0, tmax: Any = INFINITY) -> np.ndarray:
    """Makes rays of origins and directions, (..., 3) each, in units of which t is; shapes are broadcast. Returns
    float32 (..., 8): origin, tmin, direction, tmax."""
    o, d = np.asarray(origins), np.asarray(directions)
    if not o.ndim or not d.ndim or o.shape[-1] != 3 or d.shape[-1] != 3:
        raise InvalidArgument(f"origins and directions: shape (..., 3) wanted, not {o.shape} and {d.shape}")
    shape = np.broadcast_shapes(o.shape[:-1], d.shape[:-1], np.shape(tmin), np.shape(tmax))
    result = np.empty(shape + (8,), np.float32)
    if o.shape[:-1] == d.shape[:-1] == shape and not np.ndim(tmin) and not np.ndim(tmax):
        o, d, rows = o.reshape(-1, 3), d.reshape(-1, 3), result.reshape(-1, 8)

        def fill(piece: slice) -> None:
            with np.errstate(over="ignore"):
                _copy_vectors(rows[piece, 0:3], o[piece])
                rows[piece, 3] = tmin
                _copy_vectors(rows[piece, 4:7], d[piece])
                rows[piece, 7] = tmax
        in_pieces(len(rows), fill)
        return result
    with np.errstate(over="ignore"):
        result[..., 0:3], result[..., 3], result[..., 4:7], result[..., 7] = o, tmin, d, tmax
    return result


def _copy_vectors(out: np.ndarray, values: np.ndarray) -> None:
    """Copies rows of three numbers: as one item each where that is possible, which takes half the time."""
    try:
        if values.dtype == np.float32 and values.dtype.isnative:
            out.view("V12")[...] = values.view("V12")
            return
    except ValueError:  # NumPy before 1.23, or numbers of a row that are not side by side
        pass
    out[...] = values


def camera_rays(width: int, height: int, *, eye: Any, target: Any, up: Any = (0, 1, 0),
                fov: float = 60.0) -> np.ndarray:
    """Makes a ray through the centre of each pixel of a pinhole camera: float32 (height, width, 8), row by row from
    the top left. fov: the vertical field of view, in degrees. Directions have unit length."""
    back = np.subtract(eye, target, dtype=np.float64)
    back /= np.linalg.norm(back)
    right = np.cross(np.asarray(up, np.float64), back)
    right /= np.linalg.norm(right)
    over = np.cross(back, right)
    half = np.tan(np.radians(fov) / 2)
    x = (np.arange(width) + 0.5) * (2 / width) - 1
    y = 1 - (np.arange(height) + 0.5) * (2 / height)
    d = (x[None, :, None] * (half * width / height) * right + y[:, None, None] * half * over) - back
    return rays(eye, d / np.linalg.norm(d, axis=-1, keepdims=True))


def _rays(given: Any) -> tuple[np.ndarray, tuple[int, ...]]:
    values = np.asarray(given)
    if values.dtype == types.ray:
        return np.require(values.reshape(-1), types.ray, ["C", "A"]), values.shape
    if values.ndim and values.shape[-1] == 6:
        values = rays(values[..., :3], values[..., 3:])
    if not values.ndim or values.shape[-1] != 8:
        raise InvalidArgument(f"the rays: shape (..., 8) or (..., 6) wanted, not {values.shape}")
    return vectors(values.reshape(-1, 8), "the rays", 8), values.shape[:-1]


def _points(points: Any, max_distance: Any, name: str = "the points") -> tuple[np.ndarray, tuple[int, ...]]:
    values = np.asarray(points)
    if not values.ndim or values.shape[-1] != 3:
        raise InvalidArgument(f"{name}: shape (..., 3) wanted, not {values.shape}")
    shape = values.shape[:-1]
    result = np.empty((int(np.prod(shape, dtype=np.int64)), 4), np.float32)
    with np.errstate(over="ignore"):
        rows = values.reshape(-1, 3)
        in_pieces(len(rows), lambda piece: _copy_vectors(result[piece, :3], rows[piece]))
        result[:, 3] = np.asarray(max_distance).reshape(-1) if np.ndim(max_distance) else max_distance
    return result, shape


def mesh_desc(vertices: Any, triangles: Any) -> tuple[Any, Any]:
    """Makes a tact_mesh_desc, and what must outlive it."""
    v = vectors(vertices, "the vertices")
    t = None if triangles is None else array(triangles, "u4", (3,), "the triangles")
    if t is None and len(v) % 3:
        raise InvalidArgument(f"without triangles each three vertices are one, and there are {len(v)}")
    desc = struct("tact_mesh_desc", positions=pointer(v, "float"), vertex_count=len(v),
                  indices=None if t is None else pointer(t, "uint32_t"),
                  triangle_count=len(v) // 3 if t is None else len(t))
    return desc, (v, t)


class Mesh(Handle):
    """A triangle mesh with its trees, held once: attached to scenes (Scene.attach()), tested against others.

    vertices: float (n, 3). triangles: whole numbers (m, 3), or None where each three vertices are a triangle."""

    def __init__(self, vertices: Any, triangles: Any = None, *, context: Context | None = None) -> None:
        self.context = context or shared_context()
        desc, kept = mesh_desc(vertices, triangles)
        super().__init__(create(lib.tact_mesh_create, "tact_mesh", self.context._p, desc), lib.tact_mesh_destroy,
                         self.context)
        del kept

    def move_vertices(self, vertices: Any) -> None:
        """Moves all vertices, (n, 3) as many as when the mesh was made."""
        v = vectors(vertices, "the vertices")
        check(lib.tact_mesh_move_vertices(self._p, pointer(v, "float"), len(v), 0))

    @property
    def info(self) -> Any:
        """Facts: vertices, triangles, skipped_triangles, nodes, depth, closed, build_ms, memory_bytes, lower, upper."""
        info = ffi.new("tact_mesh_info*")
        check(lib.tact_mesh_get_info(self._p, info))
        return record(info)

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        """Copies of the vertices, float32 (n, 3), and the triangles, uint32 (m, 3)."""
        desc = ffi.new("tact_mesh_desc*")
        check(lib.tact_mesh_get_desc(self._p, desc))
        stride = (desc.position_stride or 12) // 4
        size = desc.vertex_count * stride
        v = np.frombuffer(ffi.buffer(desc.positions, size * 4), np.float32) if size else np.empty(0, np.float32)
        count = desc.triangle_count
        if desc.indices == ffi.NULL:
            t = np.arange(3 * count, dtype=np.uint32)
        else:
            t = np.frombuffer(ffi.buffer(desc.indices, 12 * count), np.uint32) if count else np.empty(0, np.uint32)
        return v.reshape(-1, stride)[:, :3].copy(), t.reshape(-1, 3).copy()


class Scene(Handle):
    """Meshes, of triangles or of simple shapes, and instances of them. One frame, any unit.

    Meshes and instances are named by whole numbers from 0. What was changed takes effect with commit(), which queries
    call themselves. Any number of threads may ask a scene at once; it is changed by one, while no other uses it.

    Every query takes the keywords of tact.Query: backend, threads, shadow, fallback, progress, report."""

    def __init__(self, *, context: Context | None = None) -> None:
        self.context = context or shared_context()
        self._committed = False
        self._vertices: dict[int, int] = {}
        super().__init__(create(lib.tact_scene_create, "tact_scene", self.context._p), lib.tact_scene_destroy,
                         self.context)

    @classmethod
    def _of(cls, context: Context, made: Any, *needs: Handle) -> Scene:
        scene = cls.__new__(cls)
        scene.context, scene._committed, scene._vertices = context, True, {}
        Handle.__init__(scene, made, lib.tact_scene_destroy, context, *needs)
        return scene

    def _changed(self, function: Any, *arguments: Any) -> None:
        with self._lock:
            check(function(self._p, *arguments))
            self._committed = False

    def _numbered(self, function: Any, *arguments: Any) -> int:
        number = ffi.new("uint32_t*")
        self._changed(function, *arguments, number)
        return number[0]

    def _fits(self, mesh: int, values: np.ndarray, name: str) -> None:
        # C takes as many as the mesh has.
        wanted = self._vertices.get(mesh)
        if wanted is None:
            raise InvalidArgument(f"{mesh} is no mesh of triangles of this scene")
        if len(values) != wanted:
            raise InvalidArgument(f"{name}: mesh {mesh} has {wanted} vertices, and {len(values)} are given")

    # Meshes

    def add_mesh(self, vertices: Any, triangles: Any = None) -> int:
        """Adds a mesh, which is not hit until an instance of it is added; returns its number. vertices: float (n, 3),
        copied. triangles: whole numbers (m, 3); None: each three vertices are one."""
        desc, kept = mesh_desc(vertices, triangles)
        number = self._numbered(lib.tact_scene_add_mesh, desc)
        self._vertices[number] = len(kept[0])
        return number

    def attach(self, mesh: Mesh) -> int:
        """Adds a mesh that several scenes share, without a copy; returns its number."""
        number = self._numbered(lib.tact_scene_attach_mesh, mesh._p)
        self._vertices[number] = mesh.info.vertices
        return number

    def add_spheres(self, spheres: Any) -> int:
        """Adds a mesh of spheres, float (n, 4): centre and radius; returns its number."""
        s = vectors(spheres, "the spheres", 4)
        return self._numbered(lib.tact_scene_add_spheres, pointer(s, "tact_sphere"), len(s))

    def add_boxes(self, boxes: Any) -> int:
        """Adds a mesh of boxes, float (n, 6): lower and upper corner; returns its number."""
        b = vectors(boxes, "the boxes", 6)
        return self._numbered(lib.tact_scene_add_boxes, pointer(b, "tact_aabb"), len(b))

    def add_capsules(self, capsules: Any) -> int:
        """Adds a mesh of capsules, float (n, 7): both ends and the radius; returns its number."""
        c = vectors(capsules, "the capsules", 7)
        return self._numbered(lib.tact_scene_add_capsules, pointer(c, "tact_capsule"), len(c))

    def update_mesh(self, mesh: int, vertices: Any, update: str = "auto") -> None:
        """Moves the vertices of a mesh, (n, 3) as many as it has. update: "auto", "refit" or "rebuild" the tree."""
        v = vectors(vertices, "the vertices")
        self._fits(mesh, v, "the vertices")
        self._changed(lib.tact_scene_update_mesh, mesh, pointer(v, "float"), 0, choice("tact_mesh_update", update))

    def set_quality(self, mesh: int, quality: str) -> None:
        """Sets the effort for a mesh's tree: "medium", "fast" (for meshes that change in every frame) or "high"."""
        self._changed(lib.tact_scene_set_quality, mesh, choice("tact_mesh_quality", quality))

    def set_alpha(self, mesh: int, uvs: Any = None, image: Any = None, threshold: int = 128,
                  wrap: str = "repeat") -> None:
        """Gives a mesh holes: it is there where the texel of image, uint8 (height, width), at its texture coordinates
        uvs, float (n, 2), is at least the threshold. wrap: "repeat" or "clamp". Without image: no holes."""
        if image is None:
            self._changed(lib.tact_scene_set_alpha, mesh, ffi.NULL)
            return
        u = vectors(uvs, "the texture coordinates", 2)
        self._fits(mesh, u, "the texture coordinates")
        texels = np.require(image, np.uint8, ["C", "A"])
        if texels.ndim != 2:
            raise InvalidArgument(f"the image: shape (height, width) wanted, not {texels.shape}")
        desc = struct("tact_alpha_desc", uvs=pointer(u, "float"), texels=pointer(texels, "uint8_t"),
                      width=texels.shape[1], height=texels.shape[0], threshold=threshold,
                      wrap=choice("tact_alpha_wrap", wrap))
        self._changed(lib.tact_scene_set_alpha, mesh, desc)

    # Instances

    def add_instance(self, mesh: int, matrix: Any = None) -> int:
        """Adds an instance of a mesh; returns its number, from 0 on, a number that was removed first. matrix: 3 x 4 or
        4 x 4, from the mesh's frame to the world; None: the identity."""
        m = None if matrix is None else matrices(matrix)
        return self._numbered(lib.tact_scene_add_instance, mesh, pointer(m, "float"))

    def add(self, vertices: Any, triangles: Any = None, matrix: Any = None) -> int:
        """Adds a mesh and an instance of it; returns the instance's number."""
        return self.add_instance(self.add_mesh(vertices, triangles), matrix)

    def move_instances(self, instances: Any, matrices_: Any) -> None:
        """Moves instances, one number or many, to matrices as those of add_instance()."""
        i, m = numbers(instances, "the instances"), matrices(matrices_, "the matrices")
        if len(i) != len(m):
            raise InvalidArgument(f"{len(i)} instances and {len(m)} matrices")
        self._changed(lib.tact_scene_move_instances, pointer(i, "uint32_t"),
                      ffi.cast("float(*)[12]", pointer(m, "float")), len(i))

    def remove_instance(self, instance: int) -> None:
        """Removes an instance; its number is then free for the next one that is added."""
        self._changed(lib.tact_scene_remove_instance, instance)

    def set_mask(self, instance: int, mask: int) -> None:
        """Sets which rays hit an instance: those whose mask shares a bit with this one. 0 hides it from ray casts."""
        self._changed(lib.tact_scene_set_mask, instance, mask)

    def set_dynamic(self, instance: int, dynamic: bool = True) -> None:
        """Marks an instance as moving often, which makes commits cheaper where only such ones moved."""
        self._changed(lib.tact_scene_set_dynamic, instance, dynamic)

    def set_user_data(self, instance: int, value: int) -> None:
        """Sets what an instance is in your program: a number of 64 bits."""
        check(lib.tact_scene_set_user_data(self._p, instance, value))

    def set_mesh_user_data(self, mesh: int, value: int) -> None:
        """Sets what a mesh is in your program: a number of 64 bits."""
        check(lib.tact_scene_set_mesh_user_data(self._p, mesh, value))

    def user_data(self, instances: Any, *, of_mesh: bool = False) -> np.ndarray:
        """Returns the user data, uint64 (n,), of instances, such as hits["instance"], or of their meshes; 0 for
        tact.NONE."""
        i = numbers(instances, "the instances")
        result = np.empty(len(i), np.uint64)
        function = lib.tact_scene_get_mesh_user_data if of_mesh else lib.tact_scene_get_user_data
        check(function(self._p, pointer(i, "uint32_t"), 0, len(i), output(result, "uint64_t")))
        return result

    def build_on(self, backend: str) -> None:
        """Sets where later commits build the trees of meshes: "cpu" or a device. No result depends on it."""
        check(lib.tact_scene_build_on(self._p, choice("tact_backend", backend)))

    def commit(self) -> None:
        """Builds what has changed. Queries do it themselves."""
        with self._lock:
            check(lib.tact_scene_commit(self._p))
            self._committed = True

    def _ready(self) -> Any:
        if not self._committed:
            with self._lock:
                if not self._committed:
                    self.commit()
        return self._p

    @property
    def stats(self) -> Any:
        """Facts: meshes, instances, triangles, skipped_triangles, shapes, build_ms, memory_bytes, lower, upper, ..."""
        stats = ffi.new("tact_scene_stats*")
        check(lib.tact_scene_get_stats(self._ready(), stats))
        return record(stats)

    def triangles(self, instance: int) -> np.ndarray:
        """Returns the corners of the triangles of an instance in the world, float32 (m, 3, 3), those with a corner that
        is not finite left out."""
        made = create(lib.tact_debug_list_create, "tact_debug_list", self.context._p)
        try:
            draw = ffi.new("tact_debug_draw*", lib.tact_debug_list_draw(made))
            check(lib.tact_debug_instance_edges(draw, self._ready(), instance))
            count = ffi.new("size_t*")
            ends = copied(lib.tact_debug_list_lines(made, count), count[0], dtype("tact_debug_vertex"))
        finally:
            lib.tact_debug_list_destroy(made)
        return np.ascontiguousarray(ends["position"].reshape(-1, 6, 3)[:, ::2])

    # Queries

    def raycast(self, rays: Any, mode: str = "closest", *, mask: Any = None, cull: str = "none",
                ignore_alpha: bool = False, accept: Callable[[int, np.void], bool] | None = None, sort: str = "auto",
                **options: Unpack[Options]) -> np.ndarray:
        """Casts rays: float (..., 8), origin, tmin, direction, tmax; or (..., 6), origin and direction. Directions
        need not have unit length; t is in units of them. float64 is converted to float32.

        Returns an array of types.hit of the rays' shape. mode "closest": the closest hit; instance and primitive are
        tact.NONE for a miss, and t is tmax. "any": all zeros for a hit. "count": `primitive` is the number of
        triangles hit.

        mask: a number, or one a ray: hits instances whose mask shares a bit. cull: "back" or "front" leaves those
        sides out. accept(ray_index, hit): False lets the ray go on; runs on the CPU, and must return the same for the
        same hit. sort: "always" or "never" has devices sort rays."""
        r, shape = _rays(rays)
        result = np.empty(len(r), types.hit)
        self._cast(r, mode, sort, mask, cull, ignore_alpha, accept, options, hits=output(result, "tact_hit"))
        return result.reshape(shape)

    def occluded(self, rays: Any, *, mask: Any = None, cull: str = "none", ignore_alpha: bool = False,
                 accept: Callable[[int, np.void], bool] | None = None, sort: str = "auto",
                 **options: Unpack[Options]) -> np.ndarray:
        """Tests whether rays hit anything: bool of the rays' shape. Arguments as those of raycast()."""
        r, shape = _rays(rays)
        result = np.empty(len(r), np.uint8)
        self._cast(r, "any", sort, mask, cull, ignore_alpha, accept, options, occluded=output(result, "uint8_t"))
        return result.view(np.bool_).reshape(shape)

    def count_hits(self, rays: Any, **arguments: Any) -> np.ndarray:
        """Counts the primitives that rays hit: uint32 of the rays' shape. Arguments as those of raycast()."""
        return self.raycast(rays, "count", **arguments)["primitive"].copy()

    def _cast(self, r: np.ndarray, mode: str, sort: str, mask: Any, cull: str, ignore_alpha: bool, accept: Any,
              options: Any, **out: Any) -> None:
        rules, kept, errors = _rules(r, mask, cull, ignore_alpha, accept)
        work = struct("tact_raycast_work", mode=choice("tact_ray_mode", mode), sort=choice("tact_ray_sort", sort),
                      count=len(r), rays=pointer(r, "tact_ray"), rules=rules, **out)
        query = Query(**options)
        result = lib.tact_raycast_with(self._ready(), work, query.options, query.report)
        errors.check()
        query.check(result)
        del kept

    def raycast_all(self, rays: Any, *, max_hits: int = 0, mask: Any = None, cull: str = "none",
                    ignore_alpha: bool = False, accept: Callable[[int, np.void], bool] | None = None,
                    **options: Unpack[Options]) -> tuple[np.ndarray, np.ndarray]:
        """Finds every hit along rays, given as for raycast(): none is missing or there twice, also where triangles
        share an edge or coincide. Returns the hits, and offsets, uint64 (n + 1,): those of ray i are
        hits[offsets[i]:offsets[i + 1]], from the front. max_hits: of a ray at most; 0: all."""
        r, _ = _rays(rays)
        rules, kept, errors = _rules(r, mask, cull, ignore_alpha, accept)
        offsets = np.zeros(len(r) + 1, np.uint64)
        # Room that is not written takes no memory, and too little of it another call.
        result = np.empty(max(1024, 2 * len(r), min(8 * len(r), 1 << 24)), types.hit)
        while True:
            work = struct("tact_raycast_all_work", rays=pointer(r, "tact_ray"), count=len(r), max_hits=max_hits,
                          rules=rules, offsets=output(offsets, "uint64_t"), hits=output(result, "tact_hit"),
                          capacity=len(result))
            query = Query(**options)
            code = lib.tact_raycast_all(self._ready(), work, query.options, query.report)
            errors.check()
            code = query.check(code)
            found = int(offsets[-1])
            if code != lib.TACT_INCOMPLETE:
                del kept
                return _trimmed(result, found), offsets
            result = np.empty(found, types.hit)

    def _batch(self, function: Any, rows: np.ndarray, kind: str, found: np.dtype, options: Any) -> np.ndarray:
        """Asks a query that has a row for each row."""
        result = np.empty(len(rows), found)
        query = Query(**options)
        address = ffi.cast(ffi.typeof(function).args[3], output(result, "char"))
        query.check(function(self._ready(), pointer(rows, kind), len(rows), address, query.options, query.report))
        return result

    def closest_points(self, points: Any, max_distance: Any = INFINITY, **options: Unpack[Options]) -> np.ndarray:
        """Finds for each point, float (..., 3), the closest one on the scene's triangles and shapes: an array of
        types.closest_hit of the points' shape. instance is tact.NONE where nothing is within max_distance, one number
        or one for each."""
        p, shape = _points(points, max_distance)
        return self._batch(lib.tact_closest_points, p, "tact_closest_query", types.closest_hit, options).reshape(shape)

    def locate(self, points: Any, max_distance: Any = INFINITY, **options: Unpack[Options]) -> np.ndarray:
        """Locates points, float (..., 3), against the solids that the scene's triangles bound: an array of
        types.point_location of the points' shape, with inside, signed distance (negative inside), winding number,
        closest triangle, point and feature. Surfaces need not be closed."""
        p, shape = _points(points, max_distance)
        found = self._batch(lib.tact_locate_points, p, "tact_closest_query", types.point_location, options)
        return found.reshape(shape)

    def signed_distance(self, points: Any, **options: Unpack[Options]) -> np.ndarray:
        """Returns the distance of points, float (..., 3), from the surface, negative inside: float32."""
        return self.locate(points, **options)["distance"].copy()

    def contains(self, points: Any, **options: Unpack[Options]) -> np.ndarray:
        """Tests whether points, float (..., 3), are inside: bool."""
        return self.locate(points, 0.0, **options)["inside"] != 0

    def spherecast(self, rays: Any, radius: Any, **options: Unpack[Options]) -> np.ndarray:
        """Moves spheres along rays, given as for raycast(): an array of types.sphere_hit, what each touches first.
        radius: one number, or one for each."""
        r, shape = _rays(rays)
        casts = np.empty((len(r), 9), np.float32)
        casts[:, :8] = r.view(np.float32).reshape(-1, 8)
        casts[:, 8] = np.asarray(radius).reshape(-1) if np.ndim(radius) else radius
        return self._batch(lib.tact_spherecast, casts, "tact_sphere_cast", types.sphere_hit, options).reshape(shape)

    def cull(self, planes: Any = None, *, classes: bool = False, **options: Unpack[Options]) -> Any:
        """Finds the instances that may have a point behind all planes, float (n, 4): normal and distance, normal . x <=
        distance; those of a camera by tact.frustum_planes(); None: all instances that can be hit. Returns their
        numbers, uint32, ascending; with classes also an array of 2 for wholly inside and 1 for the rest."""
        planes_ = vectors(np.empty((0, 4)) if planes is None else planes, "the planes", 4)
        count = self.stats.instances
        ids, kinds = np.empty(max(1, count), np.uint32), np.empty(max(1, count), np.uint8)
        found = ffi.new("size_t*")
        work = struct("tact_cull_scene_work", planes=pointer(planes_, "tact_plane"), plane_count=len(planes_))
        room = struct("tact_cull_room", ids=output(ids, "uint32_t"), capacity=len(ids), count=found,
                      classes=output(kinds, "uint8_t") if classes else None)
        query = Query(**options)
        query.check(lib.tact_cull_scene(self._ready(), work, room, query.options, query.report))
        ids = ids[:found[0]].copy()
        return (ids, kinds[:found[0]].copy()) if classes else ids


def _trimmed(values: np.ndarray, count: int) -> np.ndarray:
    # What was never written takes no memory.
    return values[:count] if 64 * count >= len(values) else values[:count].copy()


def _rules(r: np.ndarray, mask: Any, cull: str, ignore_alpha: bool,
           accept: Any) -> tuple[Any, Any, Errors]:
    """Makes tact_ray_rules, NULL where there is none, what must outlive them, and the list of errors of `accept`."""
    errors = Errors()
    if mask is None and cull == "none" and not ignore_alpha and accept is None:
        return None, None, errors
    masks = numbers(mask, "the masks") if np.ndim(mask) else None
    if masks is not None and len(masks) != len(r):
        raise InvalidArgument(f"the masks: {len(masks)} for {len(r)} rays")
    if masks is None and mask is not None and mask == 0:
        masks = np.zeros(len(r), np.uint32)  # the struct's 0 stands for every bit
    callback = None
    if accept is not None:
        @ffi.callback("tact_ray_accept_fn", onerror=errors.keep, error=False)
        def callback(index: int, one: Any, found: Any, user: Any) -> bool:
            return bool(accept(index, np.frombuffer(ffi.buffer(found, ffi.sizeof("tact_hit")), types.hit)[0]))
    rules = struct("tact_ray_rules", mask=mask if masks is None else None,
                   masks=None if masks is None else pointer(masks, "uint32_t"), cull=choice("tact_ray_cull", cull),
                   ignore_alpha=ignore_alpha, accept=callback)
    return rules, (masks, callback), errors
