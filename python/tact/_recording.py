# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""Recordings: queries that Context(record=N) kept, read from a file and run again."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ._core import Handle, Query, check, create, ffi, lib, record, text
from ._bodies import Bodies
from ._context import Context, context as shared_context
from ._scene import Scene

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._types import Options

_TYPES = {0: np.uint8, 1: np.float32, 2: np.uint32, 3: np.uint32}


class Recording(Handle):
    """Queries that were read from a file, the oldest first. source: a path, or the file's bytes."""

    def __init__(self, source: str | bytes, *, context: Context | None = None) -> None:
        self.context = context or shared_context()
        if isinstance(source, (bytes, bytearray, memoryview)):
            data = bytes(source)
        else:
            with open(source, "rb") as f:
                data = f.read()
        super().__init__(create(lib.tact_recording_read, "tact_recording", self.context._p, ffi.from_buffer(data),
                                len(data)), lib.tact_recording_destroy, self.context)

    def __len__(self) -> int:
        return lib.tact_recording_count(self._p)

    @property
    def machine(self) -> str:
        """Where the file was written: version, compiler, devices with their drivers, a line each."""
        return text(lib.tact_recording_machine(self._p))

    def __getitem__(self, index: int) -> Any:
        """Describes a query: a record of kind, number, count, bytes, backend, result, digest, report, missing, ..."""
        if not -len(self) <= index < len(self):
            raise IndexError(f"no query {index}: there are {len(self)}")
        query = ffi.new("tact_recorded_query*")
        check(lib.tact_recording_query(self._p, index % len(self), query))
        result = record(query)
        result.kind = text(lib.tact_recorded_kind_name(query.kind))
        return result

    def arrays(self, index: int) -> dict[str, np.ndarray]:
        """Returns copies of a query's arrays by their names, such as "rays": two dimensions, rows and columns. Columns
        of mixed types are uint32, whose bits may be floats."""
        arrays: dict[str, np.ndarray] = {}
        one = ffi.new("tact_recorded_array*")
        while lib.tact_recording_array(self._p, index, len(arrays), one):
            kind = np.dtype(_TYPES[int(one.type)])
            size = one.rows * one.columns * kind.itemsize
            data = np.frombuffer(ffi.buffer(one.data, size), kind) if size else np.empty(0, kind)
            name = text(one.name)
            while name in arrays:
                name += "'"
            arrays[name] = data.reshape(one.rows, one.columns).copy()
        return arrays

    def meshes(self, index: int) -> list[tuple[np.ndarray, np.ndarray]]:
        """Returns copies of a query's meshes: vertices, float32 (n, 3), and triangles, uint32 (m, 3)."""
        meshes: list[tuple[np.ndarray, np.ndarray]] = []
        one = ffi.new("tact_recorded_mesh*")
        while lib.tact_recording_mesh(self._p, index, len(meshes), one):
            v, t = one.vertex_count, one.triangle_count
            meshes.append((np.frombuffer(ffi.buffer(one.positions, 12 * v), np.float32).reshape(-1, 3).copy() if v
                           else np.empty((0, 3), np.float32),
                           np.frombuffer(ffi.buffer(one.indices, 12 * t), np.uint32).reshape(-1, 3).copy() if t
                           else np.empty((0, 3), np.uint32)))
        return meshes

    def scene(self, index: int) -> Scene | None:
        """Makes the scene of a query; None for one that asked about no scene."""
        place = ffi.new("tact_scene**")
        check(lib.tact_recording_make_scene(self._p, index, place))
        return None if place[0] == ffi.NULL else Scene._of(self.context, place[0])

    def scene_number(self, index: int) -> int:
        """Returns a number that is the same for queries of one scene; 0 for one that asked about no scene."""
        return lib.tact_recording_scene_number(self._p, index)

    def bodies(self, index: int) -> Bodies | None:
        """Makes the set of bodies of a query; None for one that asked about no bodies."""
        place = ffi.new("tact_bodies**")
        check(lib.tact_recording_make_bodies(self._p, index, place))
        return None if place[0] == ffi.NULL else Bodies._of(self.context, place[0])

    def run(self, index: int, **options: Unpack[Options]) -> Any:
        """Runs a query again: a record of result, answered, digest, answer_bytes, same, promised, report. Without
        options it runs as recorded."""
        replayed = ffi.new("tact_replayed*")
        query = Query(**options)
        query.check(lib.tact_recording_run(self._p, index, query.options if options else ffi.NULL, replayed))
        return record(replayed)

    def answer(self, index: int, **options: Unpack[Options]) -> bytes:
        """Runs a query again and returns the bytes of its result, which the digest covers (docs/replay.md)."""
        pieces: list[bytes] = []

        @ffi.callback("tact_answer_fn")
        def take(data: Any, size: int, user: Any) -> None:
            pieces.append(bytes(ffi.buffer(data, size)))
        replayed = ffi.new("tact_replayed*")
        query = Query(**options)
        query.check(lib.tact_recording_answer(self._p, index, query.options if options else ffi.NULL, take, ffi.NULL,
                                              replayed))
        return b"".join(pieces)
