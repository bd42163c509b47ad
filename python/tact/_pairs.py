# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""The broad phase: overlapping pairs of boxes and spheres; and clouds of points."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

import numpy as np

from . import types
from ._core import (INFINITY, Errors, Handle, InvalidArgument, Query, check, choice, copied, create, ffi, lib, numbers,
                    one_each, output, pointer, record, struct, vectors)
from ._context import Context, context as shared_context
from ._scene import _points

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._types import Options

_PAIR = np.dtype("u4")


class Volumes(Handle):
    """A set of boxes or spheres, the input of the broad phase. Ids are whole numbers from 0; one that was removed is
    used again, the smallest first. A volume with a NaN, or a box with lower > upper, takes part in no pair.

    kind: "aabb", rows of float (n, 6): lower and upper corner; or "sphere", (n, 4): centre and radius."""

    def __init__(self, kind: str = "aabb", *, reserve: int = 0, context: Context | None = None) -> None:
        self.context = context or shared_context()
        self.kind = "sphere" if choice("tact_volume_kind", kind) == lib.TACT_VOLUME_SPHERE else "aabb"
        self._columns = 4 if self.kind == "sphere" else 6
        desc = struct("tact_volumes_desc", kind=choice("tact_volume_kind", kind), reserve=reserve)
        super().__init__(create(lib.tact_volumes_create, "tact_volumes", self.context._p, desc),
                         lib.tact_volumes_destroy, self.context)

    def __len__(self) -> int:
        return lib.tact_volumes_count(self._p)

    def __contains__(self, id: int) -> bool:
        return lib.tact_volumes_contains(self._p, id)

    @property
    def id_end(self) -> int:
        """One more than the largest id used: the length of arrays indexed by id."""
        return lib.tact_volumes_id_end(self._p)

    def _of(self, values: Any) -> tuple[np.ndarray, Any]:
        rows = vectors(values, "the spheres" if self.kind == "sphere" else "the boxes", self._columns)
        return rows, pointer(rows, f"tact_{self.kind}")

    def add(self, values: Any, *, category: Any = None, mask: Any = None, user_data: Any = None) -> np.ndarray:
        """Adds volumes; returns their ids, uint32 (n,). category, mask: one number or one each: a and b pair when
        a.category & b.mask and b.category & a.mask. user_data: likewise, 64 bits."""
        rows, address = self._of(values)
        categories = _categories(len(rows), category, mask)
        data = None if user_data is None else one_each(user_data, len(rows), "u8", "the user data")
        ids = np.empty(len(rows), np.uint32)
        function = lib.tact_volumes_add_spheres if self.kind == "sphere" else lib.tact_volumes_add_aabbs
        check(function(self._p, address, len(rows), pointer(categories, "tact_categories"), pointer(data, "uint64_t"),
                       output(ids, "uint32_t")))
        return ids

    def move(self, values: Any, ids: Any = None) -> None:
        """Gives volumes a new place and size; ids None: 0 to n - 1."""
        rows, address = self._of(values)
        i = _ids(ids, len(rows))
        function = lib.tact_volumes_move_spheres if self.kind == "sphere" else lib.tact_volumes_move_aabbs
        check(function(self._p, pointer(i, "uint32_t"), address, len(rows)))

    def remove(self, ids: Any) -> None:
        """Removes volumes."""
        i = numbers(ids, "the ids")
        check(lib.tact_volumes_remove(self._p, pointer(i, "uint32_t"), len(i)))

    def clear(self) -> None:
        """Removes all volumes and keeps the memory."""
        lib.tact_volumes_clear(self._p)

    def set_categories(self, category: Any, mask: Any, ids: Any = None) -> None:
        """Gives volumes new categories, one number for all or one each; ids None: 0 to n - 1."""
        sizes = np.broadcast_shapes(np.shape(category), np.shape(mask))
        count = len(numbers(ids, "the ids")) if ids is not None else sizes[0] if sizes else len(self)
        categories, i = _categories(count, category, mask), _ids(ids, count)
        check(lib.tact_volumes_set_categories(self._p, pointer(i, "uint32_t"),
                                              pointer(categories, "tact_categories"), count))

    def set_user_data(self, id: int, value: int) -> None:
        """Attaches a number of 64 bits to a volume."""
        check(lib.tact_volumes_set_user_data(self._p, id, value))

    def user_data(self, id: int) -> int:
        """Returns the number that is attached to a volume."""
        value = ffi.new("uint64_t*")
        check(lib.tact_volumes_get_user_data(self._p, id, value))
        return value[0]

    def __getitem__(self, id: int) -> np.ndarray:
        """Returns a volume, float32 (6,) or (4,)."""
        row = np.empty((1, self._columns), np.float32)
        function = lib.tact_volumes_get_sphere if self.kind == "sphere" else lib.tact_volumes_get_aabb
        check(function(self._p, id, output(row, f"tact_{self.kind}")))
        return row[0]

    def pairs(self, other: Volumes | None = None, method: str = "auto", **options: Unpack[Options]) -> np.ndarray:
        """Finds all overlapping pairs within the set, a < b, or with another, a of this one and b of the other;
        touching counts. Returns uint32 (m, 2), sorted, no duplicates. method: "brute", "sap", "grid", "hgrid", "bvh",
        "tree"."""
        count = ffi.new("size_t*")
        work = struct("tact_pairs_work", b=None if other is None else other._p,
                      method=choice("tact_pairs_method", method), count=count)
        query = Query(**options)
        with self._lock:
            query.check(lib.tact_pairs_find(self._p, work, query.options, query.report))
            found = lib.tact_pairs_last(self._p, count)
            return copied(found, count[0], _PAIR, (2,))

    def pairs_each(self, receive: Callable[[np.ndarray], Any], other: Volumes | None = None, method: str = "auto",
                   piece: int = 0, **options: Unpack[Options]) -> int:
        """Finds the pairs of pairs() in pieces, for results that do not fit memory: receive(pairs) is called with
        uint32 (k, 2), in order, and ends it by returning False. Returns how many there were."""
        errors = Errors()

        @ffi.callback("tact_pairs_fn", onerror=errors.keep, error=False)
        def take(pairs: Any, size: int, user: Any) -> bool:
            return receive(copied(pairs, size, _PAIR, (2,))) is not False
        count = ffi.new("uint64_t*")
        work = struct("tact_pairs_each_work", b=None if other is None else other._p, piece=piece, receive=take,
                      method=choice("tact_pairs_method", method), count=count)
        query = Query(**options)
        result = lib.tact_pairs_each(self._p, work, query.options, query.report)
        errors.check()
        query.check(result)
        return count[0]

    @property
    def pairs_info(self) -> Any:
        """Facts about the last query: method, pairs, tests, rebuilt, reason."""
        info = ffi.new("tact_pairs_info*")
        check(lib.tact_pairs_get_info(self._p, info))
        return record(info)


def _ids(ids: Any, count: int) -> np.ndarray | None:
    if ids is None:
        return None
    result = numbers(ids, "the ids")
    if len(result) != count:
        raise InvalidArgument(f"{len(result)} ids for {count}")
    return result


def _categories(count: int, category: Any, mask: Any) -> np.ndarray | None:
    if category is None and mask is None:
        return None
    result = np.empty((count, 2), np.uint32)
    for column, values in enumerate((category, mask)):
        result[:, column] = 0xffffffff if values is None else one_each(values, count, "u4", "the categories")
    return result


class PairTracker(Handle):
    """Remembers the pairs of a set, or between two, from one update to the next."""

    def __init__(self, a: Volumes, b: Volumes | None = None) -> None:
        made = create(lib.tact_pair_tracker_create, "tact_pair_tracker", a._p, ffi.NULL if b is None else b._p)
        super().__init__(made, lib.tact_pair_tracker_destroy, a, *(() if b is None else (b,)))

    def update(self, method: str = "auto", **options: Unpack[Options]) -> None:
        """Finds the pairs, and compares them with those of the last update."""
        query = Query(**options)
        query.check(lib.tact_pair_tracker_update(self._p, choice("tact_pairs_method", method), query.options,
                                                 query.report))

    def _pairs(self, change: int) -> np.ndarray:
        count = ffi.new("size_t*")
        pairs = lib.tact_pair_tracker_pairs(self._p, change, count)
        return copied(pairs, count[0], _PAIR, (2,))

    @property
    def begun(self) -> np.ndarray:
        """Pairs that are there now and were not before: uint32 (m, 2), sorted."""
        return self._pairs(lib.TACT_PAIRS_BEGUN)

    @property
    def ended(self) -> np.ndarray:
        """Pairs that were there before and are not now."""
        return self._pairs(lib.TACT_PAIRS_ENDED)

    @property
    def kept(self) -> np.ndarray:
        """Pairs that were there before and are now."""
        return self._pairs(lib.TACT_PAIRS_KEPT)

    @property
    def current(self) -> np.ndarray:
        """Pairs that are there now."""
        return self._pairs(lib.TACT_PAIRS_CURRENT)


def _set(values: Any, context: Context | None) -> Volumes:
    columns = np.shape(values)[-1] if np.ndim(values) else 0
    if columns not in (4, 6):
        raise InvalidArgument(f"boxes (n, 6) or spheres (n, 4) wanted, not {np.shape(values)}")
    volumes = Volumes("sphere" if columns == 4 else "aabb", context=context)
    volumes.add(values)
    return volumes


def pairs(a: Any, b: Any = None, method: str = "auto", *, context: Context | None = None,
          **options: Unpack[Options]) -> np.ndarray:
    """Finds all overlapping pairs within boxes, float (n, 6), or spheres, (n, 4), or between two such arrays. Returns
    uint32 (m, 2), sorted. For sets that move from frame to frame Volumes is cheaper."""
    with _set(a, context) as first:
        if b is None:
            return first.pairs(None, method, **options)
        with _set(b, first.context) as second:
            return first.pairs(second, method, **options)


class PointCloud(Handle):
    """A set of points, float (n, 3), with a tree: the nearest points, all points within a distance. A point's id is its
    place in the array. Any number of threads may ask it at once."""

    def __init__(self, points: Any, *, context: Context | None = None) -> None:
        self.context = context or shared_context()
        p = vectors(points, "the points")
        super().__init__(create(lib.tact_point_cloud_create, "tact_point_cloud", self.context._p,
                                pointer(p, "tact_vec3"), len(p)), lib.tact_point_cloud_destroy, self.context)

    def __len__(self) -> int:
        return lib.tact_point_cloud_count(self._p)

    def replace(self, points: Any) -> None:
        """Replaces all points."""
        p = vectors(points, "the points")
        check(lib.tact_point_cloud_replace(self._p, pointer(p, "tact_vec3"), len(p)))

    def nearest(self, points: Any, k: int = 1, max_distance: Any = INFINITY, **options: Unpack[Options]) -> np.ndarray:
        """Finds the k points (at most 64) nearest to each of points, float (..., 3), by distance, then id: an array of
        types.cloud_neighbour of shape (..., k); id is tact.NONE where there are fewer within max_distance."""
        p, shape = _points(points, max_distance)
        result = np.empty((len(p), max(0, k)), types.cloud_neighbour)
        work = struct("tact_cloud_nearest_work", queries=pointer(p, "tact_closest_query"), count=len(p), nearest=k,
                      neighbours=output(result, "tact_cloud_neighbour"))
        query = Query(**options)
        query.check(lib.tact_cloud_nearest(self._p, work, query.options, query.report))
        return result.reshape(shape + (k,))

    def within(self, points: Any, distance: Any, **options: Unpack[Options]) -> tuple[np.ndarray, np.ndarray]:
        """Finds the ids of all points within a distance of each of points, float (..., 3). Returns ids, uint32, and
        offsets, uint64 (n + 1,): those of point i are ids[offsets[i]:offsets[i + 1]], ascending."""
        p, _ = _points(points, distance)
        offsets, ids = np.zeros(len(p) + 1, np.uint64), np.empty(max(1024, 8 * len(p)), np.uint32)
        while True:
            work = struct("tact_cloud_within_work", queries=pointer(p, "tact_closest_query"), count=len(p),
                          offsets=output(offsets, "uint64_t"), ids=output(ids, "uint32_t"), capacity=len(ids))
            query = Query(**options)
            code = query.check(lib.tact_cloud_within(self._p, work, query.options, query.report))
            if code != lib.TACT_INCOMPLETE:
                return ids[:int(offsets[-1])].copy(), offsets
            ids = np.empty(int(offsets[-1]), np.uint32)

    def any_within(self, points: Any, distance: Any, **options: Unpack[Options]) -> np.ndarray:
        """Tests whether a point is within a distance of each of points, float (..., 3): bool."""
        p, shape = _points(points, distance)
        touched = np.empty(len(p), np.uint8)
        work = struct("tact_cloud_within_work", queries=pointer(p, "tact_closest_query"), count=len(p),
                      touched=output(touched, "uint8_t"))
        query = Query(**options)
        query.check(lib.tact_cloud_within(self._p, work, query.options, query.report))
        return touched.view(np.bool_).reshape(shape)
