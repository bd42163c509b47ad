# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""The C library in this process, and what all other modules are made of: errors, arrays, structs, objects."""
from __future__ import annotations

import concurrent.futures
import functools
import os
import sys
import threading
import types
import weakref
from typing import Any, Callable, Sequence

import numpy as np

from . import _binding

ffi: Any = _binding.ffi
NONE: int = _binding.constants["TACT_NONE"]  #: stands for "no instance", "no primitive", "no body"
INFINITY = float("inf")


def _open() -> Any:
    given = os.environ.get("TACT_LIBRARY")
    folder = os.path.dirname(os.path.abspath(__file__))
    major, minor, _ = _binding.VERSION.split(".")
    so_version = f"0.{minor}" if major == "0" else major
    if sys.platform == "win32":
        names, system = ["tact.dll", "libtact.dll"], "tact.dll"
    elif sys.platform == "darwin":
        names, system = ["libtact.dylib"], f"libtact.{so_version}.dylib"
    else:
        names, system = ["libtact.so"], f"libtact.so.{so_version}"
    inside = [os.path.join(folder, name) for name in names]
    path = given or next((path for path in inside if os.path.exists(path)), system)
    try:
        library = ffi.dlopen(path)
    except OSError as error:
        raise ImportError(f"the library of Tact cannot be loaded: {error}. TACT_LIBRARY names another file") from None
    version, wanted = library.tact_abi_version(), _binding.constants["TACT_ABI_VERSION"]
    if version != wanted:
        raise ImportError(f"{path} has version {version} of the binary interface; this package is for {wanted}")
    return library


lib = _open()


# Errors

class Error(RuntimeError):
    """A call failed. The text is the library's sentence; `result` is the name of the code, such as TACT_ERROR_LIMIT."""

    result: str = ""
    code: int = 0


class InvalidArgument(Error, ValueError):
    """An argument breaks the documented contract; nothing was done."""


class OutOfMemory(Error, MemoryError):
    """The host, or with `result` TACT_ERROR_DEVICE_OUT_OF_MEMORY the device, is out of memory."""


class NoDevice(Error):
    """The backend that was asked for is not available here."""


class DeviceError(Error):
    """A device failed: it was lost, its driver reported an error, or a kernel did not compile."""


class Limit(Error):
    """The work exceeds a limit of the device or of the format."""


class Unsupported(Error):
    """The library was built without it, or the device lacks it."""


class ShadowMismatch(Error):
    """Shadow checking found a result that differs from the reference."""


class Cancelled(Error):
    """The progress function returned False."""


_CLASSES = {"INVALID_ARGUMENT": InvalidArgument, "OUT_OF_MEMORY": OutOfMemory, "DEVICE_OUT_OF_MEMORY": OutOfMemory,
            "NO_DEVICE": NoDevice, "DEVICE_LOST": DeviceError, "DEVICE": DeviceError, "KERNEL_BUILD": DeviceError,
            "LIMIT": Limit, "UNSUPPORTED": Unsupported, "SHADOW_MISMATCH": ShadowMismatch, "CANCELLED": Cancelled}


def text(pointer: Any) -> str:
    """Returns a string of the library's."""
    return "" if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


def error_of(result: int, detail: str) -> Error:
    """Makes the exception of a result code."""
    name = text(lib.tact_result_name(result))
    error = _CLASSES.get(name.replace("TACT_ERROR_", ""), Error)(detail or text(lib.tact_result_string(result)))
    error.result, error.code = name, result
    return error


def check(result: int) -> int:
    """Returns the result of a call, or raises what it stands for."""
    if result < 0:
        raise error_of(result, text(lib.tact_last_error()))
    return result


# Enumerations: "closest" for TACT_RAY_CLOSEST

@functools.lru_cache(maxsize=None)
def _names(enum: str) -> dict[str, int]:
    values = ffi.typeof(enum).relements
    if enum != "tact_ray_mode":  # there it is a mode; elsewhere how many values there are
        values = {name: value for name, value in values.items() if not name.endswith("_COUNT")}
    shared = os.path.commonprefix(list(values))
    shared = shared[:shared.rfind("_") + 1]
    found = {name[len(shared):].lower(): value for name, value in values.items()}
    return dict(sorted(found.items(), key=lambda one: one[1]))


def choice(enum: str, value: str | int) -> int:
    """Returns the number of an enumeration's value, by its name ("closest") or number."""
    if not isinstance(value, str):
        return int(value)
    names = _names(enum)
    key = value.lower().replace("-", "_").replace(" ", "_")
    if key not in names:
        raise InvalidArgument(f"{value!r}: must be one of {', '.join(names)}")
    return names[key]


def name_of(enum: str, value: int) -> str:
    """Returns the name of an enumeration's value; the number as text where it has none."""
    return next((name for name, number in _names(enum).items() if number == value), str(value))


# Arrays

_SCALARS = {"float": "f4", "double": "f8", "uint8_t": "u1", "uint32_t": "u4", "uint64_t": "u8", "int32_t": "i4",
            "int64_t": "i8", "int": "i4", "unsigned int": "u4", "_Bool": "?", "size_t": "u8"}
# Coordinates that C has as fields of their own are one field here.
_MERGED = {"tact_ray": {"o": "origin", "d": "direction"}, "tact_sphere_hit": {"": "point", "n": "normal"},
           "tact_closest_hit": {"": "point"}, "tact_closest_query": {"": "point"},
           "tact_point_location": {"": "point"}, "tact_pose": {"": "position"}}
_VECTORS = {"tact_vec2": 2, "tact_vec3": 3, "tact_quat": 4}


def _name(kind: Any) -> str:
    return kind.cname.replace("struct ", "")


def _format(kind: Any) -> Any:
    if kind.kind == "array":
        base = _format(kind.item)
        return (base, (kind.length,)) if not isinstance(base, tuple) else (base[0], (kind.length,) + base[1])
    if kind.kind == "enum":
        return "u4"
    if kind.kind == "struct":
        return ("f4", (_VECTORS[_name(kind)],)) if _name(kind) in _VECTORS else dtype(_name(kind))
    return _SCALARS[kind.cname]


@functools.lru_cache(maxsize=None)
def dtype(name: str) -> np.dtype:
    """Returns the NumPy type of a struct of the library's. Vectors are fields of three numbers, x y z. Fields that are
    unused or reserved are there, since NumPy copies no gaps."""
    kind = ffi.typeof(name)
    names, formats, offsets = [], [], []
    merged = _MERGED.get(_name(kind), {})
    for field, place in kind.fields:
        if field[-1] in "yz" and field[:-1] in merged:
            continue
        vector = field[-1] == "x" and field[:-1] in merged
        names.append(merged[field[:-1]] if vector else field)
        formats.append((_format(place.type), (3,)) if vector else _format(place.type))
        offsets.append(place.offset)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof(kind)})


def array(values: Any, kind: str, shape: Sequence[int] = (), name: str = "the array") -> np.ndarray:
    """Returns values as an array in C order of `kind` ("f4", "u4", ...) whose last dimensions are `shape`; one more
    dimension stands before them. Nothing is copied where the array is one already."""
    given = np.asarray(values)
    wanted = np.dtype(kind)
    if given.dtype == wanted and given.ndim == 1 + len(shape) and given.shape[1:] == tuple(shape) and \
            given.flags.c_contiguous and given.flags.aligned:
        return given
    if given.dtype.kind not in "fiub":
        raise InvalidArgument(f"{name}: numbers wanted, not {given.dtype}")
    if wanted.kind in "ui":
        if given.dtype.kind == "f" and given.size:
            raise InvalidArgument(f"{name}: whole numbers wanted, not {given.dtype}")
        if given.size and given.dtype != wanted:
            limits, low, high = np.iinfo(wanted), given.min(), given.max()
            if low < limits.min or high > limits.max:
                raise InvalidArgument(f"{name}: {low if low < limits.min else high} is out of range")
    with np.errstate(over="ignore", invalid="ignore"):
        result = np.require(given, wanted.newbyteorder("="), ["C", "A"])
    if not result.size and result.ndim <= 1:
        result = result.reshape((0,) + tuple(shape))
    if result.ndim != 1 + len(shape) or result.shape[1:] != tuple(shape):
        wanted_shape = ", ".join(["n"] + [str(side) for side in shape])
        raise InvalidArgument(f"{name}: shape ({wanted_shape}{',' if not shape else ''}) wanted, not {given.shape}")
    return result


def vectors(values: Any, name: str, columns: int = 3) -> np.ndarray:
    """Returns values as float32 of shape (n, columns)."""
    return array(values, "f4", (columns,), name)


def numbers(values: Any, name: str, kind: str = "u4") -> np.ndarray:
    """Returns values as an array of one dimension."""
    return array(np.atleast_1d(values), kind, (), name)


def one_each(values: Any, count: int, kind: str, name: str, shape: Sequence[int] = ()) -> np.ndarray:
    """Returns values as an array with an entry for each of `count` things, of which one value stands for all."""
    given = np.asarray(values)
    if given.ndim <= len(shape):
        given = np.broadcast_to(given, (count,) + tuple(shape))
    result = array(given, kind, shape, name)
    if len(result) != count:
        raise InvalidArgument(f"{name}: {len(result)} of them for {count}")
    return result


def pointer(values: np.ndarray | None, kind: str) -> Any:
    """Returns the address of an array, as a pointer to `kind`; NULL for None. The array must outlive the call."""
    if values is None:
        return ffi.NULL
    return ffi.from_buffer(f"{kind}[]", values, require_writable=False)


def output(values: np.ndarray | None, kind: str) -> Any:
    """Returns the address of an array that a call writes to."""
    return ffi.NULL if values is None else ffi.from_buffer(f"{kind}[]", values, require_writable=True)


def copied(address: Any, count: int, kind: np.dtype, shape: Sequence[int] = ()) -> np.ndarray:
    """Returns a copy of `count` items that belong to the library."""
    if not count:
        return np.empty((0,) + tuple(shape), kind)
    items = np.frombuffer(ffi.buffer(address, count * ffi.sizeof(ffi.typeof(address).item)), kind)
    return items.reshape((-1,) + tuple(shape)).copy()


def with_room(call: Callable[[np.ndarray, Any], int], kind: np.dtype, room: int = 1024) -> np.ndarray:
    """Calls with room for rows until there is enough; call(rows, count) returns the result."""
    count = ffi.new("size_t*")
    while True:
        rows = np.empty(room, kind)
        if call(rows, count) != lib.TACT_INCOMPLETE:
            return rows[:count[0]].copy()
        room = count[0]


def matrices(values: Any, name: str = "the matrix") -> np.ndarray:
    """Returns 3 x 4 or 4 x 4 matrices, one or many, as float32 of shape (n, 12)."""
    given = np.asarray(values)
    if given.shape in ((12,), (3, 4), (4, 4)):
        given = given[None]
    if given.ndim == 3 and given.shape[1:] == (4, 4):
        last = np.asarray(given[:, 3], np.float64)
        if len(last) and not np.array_equal(last, np.broadcast_to([0.0, 0.0, 0.0, 1.0], last.shape)):
            raise InvalidArgument(f"{name}: the last row of a 4 x 4 matrix must be 0 0 0 1")
        given = given[:, :3]
    if given.ndim == 3 and given.shape[1:] == (3, 4):
        given = given.reshape(-1, 12)
    return array(given, "f4", (12,), name)


_pool: Any = None


def in_pieces(count: int, call: Callable[[slice], Any]) -> None:
    """Calls for slices that make up 0 to count - 1, large ones in several threads: NumPy copies without the GIL."""
    global _pool
    threads = min(os.cpu_count() or 1, 8, count // 50000)
    if threads < 2:
        call(slice(0, count))
        return
    if _pool is None:
        _pool = concurrent.futures.ThreadPoolExecutor(8, "tact")
    bounds = [count * index // threads for index in range(threads + 1)]
    list(_pool.map(lambda index: call(slice(bounds[index], bounds[index + 1])), range(threads)))


# Structs

def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


@functools.lru_cache(maxsize=None)
def _places(kind: str) -> tuple[Any, dict[str, Any]]:
    """Returns the type of pointers to a struct, and the types of its fields."""
    return ffi.typeof(f"{kind}*"), {name: place.type for name, place in ffi.typeof(kind).fields}


def struct(kind: str, /, **fields: Any) -> Any:
    """Makes a struct: zeros, and the fields that are not None. Enumerations may be named. What pointers point to must
    outlive it."""
    pointers, places = _places(kind)
    values = {}
    for name, value in fields.items():
        if value is None:
            continue
        place = places[name]
        if place.kind == "enum" and isinstance(value, str):
            value = choice(place.cname, value)
        elif place.kind == "array" and place.item.kind == "enum":
            value = [choice(place.item.cname, one) for one in value]
        values[name] = _plain(value)
    try:
        return ffi.new(pointers, values)
    except (TypeError, OverflowError, ValueError) as error:
        raise InvalidArgument(f"{kind}: {error}") from None


class Record(types.SimpleNamespace):
    """A struct of the library's, read: attributes by the names that C has."""

    def asdict(self) -> dict[str, Any]:
        """Returns the attributes as a dict."""
        return dict(self.__dict__)


def record(value: Any) -> Any:
    """Reads a struct: text as str, enumerations by name, arrays as tuples."""
    kind = ffi.typeof(value)
    kind = kind if kind.kind == "struct" else kind.item
    merged, fields = _MERGED.get(_name(kind), {}), {}
    for name, place in kind.fields:
        if name in ("reserved", "unused") or (name[-1] in "yz" and name[:-1] in merged):
            continue
        if name[-1] == "x" and name[:-1] in merged:
            fields[merged[name[:-1]]] = tuple(getattr(value, name[:-1] + axis) for axis in "xyz")
        else:
            fields[name] = _read(place.type, getattr(value, name))
    return Record(**fields)


def _read(kind: Any, value: Any) -> Any:
    if kind.kind == "struct":
        if _name(kind) in _VECTORS:
            return tuple(getattr(value, field) for field, _ in kind.fields)
        return record(value)
    if kind.kind == "enum":
        return name_of(kind.cname, int(value))
    if kind.kind == "array":
        if kind.item.cname == "char":
            return text(value)
        return tuple(_read(kind.item, one) for one in value)
    if kind.kind == "pointer":
        return text(value) if kind.item.cname == "char" else value
    return value


# Queries

class Report:
    """Facts about how a query ran: pass one as `report` to be filled. Attributes are those of tact_query_report, such
    as `backend`, `device`, `software`, `exact`, `build_ms`, `query_ms`, `total_ms`, `memory_bytes`, `reason`."""

    def __init__(self) -> None:
        self._c = ffi.new("tact_query_report*")

    def __getattr__(self, name: str) -> Any:
        return getattr(record(self._c), name)

    def asdict(self) -> dict[str, Any]:
        """Returns the facts as a dict."""
        return record(self._c).asdict()

    def __repr__(self) -> str:
        return f"Report({', '.join(f'{name}={value!r}' for name, value in self.asdict().items())})"


class _Progress:
    def __init__(self, call: Callable[[float], Any] | None) -> None:
        self.call = call
        self.error: BaseException | None = None


_failed: Any = threading.local()


def _keep_error(kind: Any, error: BaseException, trace: Any) -> None:
    state = getattr(_failed, "state", None)
    if state is not None and state.error is None:
        state.error = error


@ffi.callback("tact_progress_fn", onerror=_keep_error, error=False)
def _progress(fraction: float, user: Any) -> bool:
    state = ffi.from_handle(user)
    _failed.state = state
    # Also without a function: Python then notices Ctrl-C.
    return state.call is None or state.call(fraction) is not False


class Errors(list):  # type: ignore[type-arg]
    """What a callback of the caller's raised: cffi cannot pass it through the library."""

    def keep(self, kind: Any, error: BaseException, trace: Any) -> None:
        self.append(error)

    def check(self) -> None:
        """Raises the first, and forgets them."""
        if self:
            error = self[0]
            self.clear()
            raise error


class Query:
    """The options of one call, made from the keywords that every query takes:

    backend: "auto", "cpu", "gl", "cl" or "reference"; threads: CPU threads, 0 for the context's; shadow: compare with
    the reference too; fallback: try the next backend where one fails; progress: is called with 0 to 1, and ends the
    call by returning False; report: a Report to fill."""

    __slots__ = ("options", "report", "_state", "_handle")

    def __init__(self, backend: str | int = "auto", threads: int = 0, shadow: bool = False, fallback: bool = True,
                 progress: Callable[[float], Any] | None = None, report: Report | None = None) -> None:
        self.options = ffi.new("tact_query_options*")
        self.options.backend = choice("tact_backend", backend)
        self.options.threads = threads
        self.options.shadow = shadow
        self.options.no_fallback = not fallback
        self._state = None
        if progress is not None or threading.current_thread() is threading.main_thread():
            self._state = _Progress(progress)
            self._handle = ffi.new_handle(self._state)
            self.options.progress = _progress
            self.options.progress_user = self._handle
        self.report = ffi.NULL if report is None else report._c

    def check(self, result: int) -> int:
        """Returns the result, or raises what the progress function did, or what the result stands for."""
        if self._state is not None and self._state.error is not None:
            error, self._state.error = self._state.error, None
            raise error
        return check(result)


# Objects

class Handle:
    """An object of the library's. It lives until close(), the end of a `with`, or until nothing refers to it; what is
    made from it keeps it alive, and is closed before it."""

    def __init__(self, made: Any, destroy: Callable[[Any], None], *needs: Handle) -> None:
        self._c = made
        self._children: weakref.WeakSet[Handle] = weakref.WeakSet()
        self._lock = threading.RLock()
        for one in needs:
            one._children.add(self)
        # At the end of the program these run in reverse order of making.
        self._finalizer = weakref.finalize(self, _destroy, made, destroy, needs)
        self._number = next(_numbers)

    @property
    def closed(self) -> bool:
        """Whether the object is destroyed."""
        return not self._finalizer.alive

    def close(self) -> None:
        """Destroys the object, and before it what was made from it."""
        for child in sorted(self._children, key=lambda one: -one._number):
            child.close()
        self._finalizer()
        self._c = None

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    @property
    def _p(self) -> Any:
        if self._c is None:
            raise InvalidArgument(f"this {type(self).__name__} is closed")
        return self._c


def _count() -> Any:
    number = 0
    while True:
        yield number
        number += 1


_numbers = _count()


def _destroy(made: Any, destroy: Callable[[Any], None], needs: tuple[Handle, ...]) -> None:
    destroy(made)


def create(function: Callable[..., int], kind: str, *arguments: Any) -> Any:
    """Calls a function of C that makes an object, its last parameter being where the pointer goes."""
    place = ffi.new(f"{kind}**")
    check(function(*arguments, place))
    return place[0]
