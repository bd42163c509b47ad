# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""Contexts: the devices, threads and settings that queries run with."""
from __future__ import annotations

import threading
from typing import Any, Callable

from ._core import Errors, Handle, _Progress, _progress, check, choice, create, ffi, lib, name_of, record, struct, text


class Context(Handle):
    """The devices and threads that queries run on. Most programs need none of their own: context() is shared.

    threads: CPU threads, 0 for all of the machine. gl, cl: False leaves that API out. open_devices: open devices now
    rather than when they are needed first. calibration: False chooses devices by the rates of an ordinary desktop.
    cache: False builds kernels afresh. cache_directory: where built kernels and calibrations are kept. record: keep
    the last so many queries, for record_save(); record_bytes, record_directory: of them. log: is called with a level
    ("debug", "info", "warning", "error"), the module and a message, from any thread; None prints warnings and errors.
    device_number: which of several devices as good.

    Any number of threads may ask the objects of a context at once, each object's own comment allowing."""

    def __init__(self, *, threads: int = 0, gl: bool = True, cl: bool = True, open_devices: bool = False,
                 calibration: bool = True, cache: bool = True, cache_directory: str | None = None, record: int = 0,
                 record_bytes: int = 0, record_directory: str | None = None,
                 log: Callable[[str, str, str], Any] | None = None, device_number: int = 0) -> None:
        folders = [None if path is None else ffi.new("char[]", path.encode())
                   for path in (cache_directory, record_directory)]
        self._log = None
        if log is not None:
            call = log

            def pass_on(level: int, source: Any, message: Any, user: Any) -> None:
                call(name_of("tact_log_level", level), text(source), text(message))
            self._log = ffi.callback("tact_log_fn", pass_on)
        desc = struct("tact_context_desc", threads=threads, gl=None if gl else "none", cl=None if cl else "none",
                      open_devices=open_devices, disable_calibration=not calibration, disable_cache=not cache,
                      cache_directory=folders[0], record_queries=record, record_bytes=record_bytes,
                      record_directory=folders[1], log=self._log, device_number=device_number)

        def destroy(made: Any, kept: Any = self._log) -> None:  # the callback lives as long as the context
            lib.tact_context_destroy(made)
        super().__init__(create(lib.tact_context_create, "tact_context", desc), destroy)

    @property
    def devices(self) -> list[Any]:
        """All devices, the CPU first: records of tact_device_info. Opens those that are not open yet."""
        devices = []
        for index in range(lib.tact_context_device_count(self._p)):
            info = ffi.new("tact_device_info*")
            check(lib.tact_context_device(self._p, index, info))
            devices.append(record(info))
        return devices

    def missing(self, backend: str) -> str | None:
        """Returns why the context has no device of a backend; None when it has one."""
        reason = lib.tact_context_missing(self._p, choice("tact_backend", backend))
        return None if reason == ffi.NULL else text(reason)

    @property
    def backends(self) -> list[str]:
        """The backends that there are devices for, such as ["cpu", "gl", "cl"]."""
        return [device.backend for device in self.devices]

    def device_counts(self, backend: str) -> Any:
        """Returns what the device of a backend was given since it was opened: launches, waits, bytes_up, ..."""
        counts = ffi.new("tact_device_counts*")
        check(lib.tact_context_device_counts(self._p, choice("tact_backend", backend), counts))
        return record(counts)

    @property
    def milliseconds(self) -> float:
        """What the context's clock says."""
        return lib.tact_context_milliseconds(self._p)

    def explain(self) -> Any:
        """Explains why the last query ran where it did: query, method, asked, answered, candidates."""
        explanation = ffi.new("tact_explanation*")
        check(lib.tact_explain(self._p, explanation))
        result = record(explanation)
        result.candidates = result.candidates[:result.count]
        return result

    # Calibration

    def calibrate(self, seconds: float = 0, temporary: bool = False,
                  progress: Callable[[float], Any] | None = None) -> None:
        """Measures what queries cost on the devices here, so that "auto" chooses by that, and keeps it in the user's
        cache unless temporary. seconds: 0 for 20. No other thread may use the context meanwhile."""
        state = _Progress(progress)
        handle = ffi.new_handle(state)
        options = struct("tact_calibrate_options", seconds=seconds, temporary=temporary, progress=_progress,
                         progress_user=handle)
        result = lib.tact_calibrate(self._p, options)
        if state.error is not None:
            raise state.error
        check(result)

    def calibration_forget(self) -> None:
        """Forgets what was calibrated and learned, also what is kept in the cache."""
        check(lib.tact_calibration_forget(self._p))

    @property
    def calibration(self) -> list[Any]:
        """What was calibrated: records of tact_calibration_entry."""
        entries: list[Any] = []
        while True:
            entry = ffi.new("tact_calibration_entry*")
            if lib.tact_calibration_get(self._p, len(entries), entry) < 0:
                return entries
            entries.append(record(entry))

    def measure_regret(self, seconds: float = 0, receive: Callable[[Any], Any] | None = None) -> list[Any]:
        """Measures how much longer "auto" takes than the best device: records of tact_regret_point. `receive` is
        called with each, and ends it by returning False. seconds: 0 for 100."""
        points: list[Any] = []
        errors = Errors()

        @ffi.callback("tact_regret_fn", onerror=errors.keep, error=False)
        def take(point: Any, user: Any) -> bool:
            points.append(record(point))
            return receive is None or receive(points[-1]) is not False
        result = lib.tact_measure_regret(self._p, struct("tact_calibrate_options", seconds=seconds), take, ffi.NULL)
        errors.check()
        check(result)
        return points

    # Records

    def record_save(self, path: str) -> None:
        """Writes the queries that are kept (Context(record=N)) to a file, which tact.Recording and `tact replay`
        read."""
        check(lib.tact_record_save(self._p, str(path).encode()))

    def record_clear(self) -> None:
        """Forgets the queries that are kept."""
        lib.tact_record_clear(self._p)

    @property
    def recorded(self) -> int:
        """How many queries are kept now."""
        count = ffi.new("size_t*")
        lib.tact_record_size(self._p, count, ffi.NULL)
        return count[0]


_shared: Context | None = None
_lock = threading.Lock()


def context() -> Context:
    """Returns the context that objects are made in where none is given. It is made by the first call."""
    global _shared
    with _lock:
        if _shared is None or _shared.closed:
            _shared = Context()
        return _shared


def build_info() -> str:
    """Returns what the library was built with: compiler, threads, backends."""
    return text(lib.tact_build_info())


def version() -> str:
    """Returns the library's version."""
    return text(lib.tact_version())
