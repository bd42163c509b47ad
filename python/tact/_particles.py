# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""Particle systems: up to millions of spheres that collide with each other, with surfaces, and as grains."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy as np

from . import types
from ._core import (Errors, Handle, InvalidArgument, Query, Record, array, check, choice, copied, create, ffi, lib,
                    numbers, one_each, output, pointer, record, struct, vectors, with_room)
from ._bodies import saved
from ._context import Context, context as shared_context
from ._scene import mesh_desc

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._types import Options


def _vec(values: Any) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def plane(normal: Any, distance: float, **settings: Any) -> Any:
    """Makes a collider or sink: the half-space normal . x <= distance is solid. settings, as of the others: inside
    (True keeps particles in rather than out), material, mask (groups that collide with it), velocity, spin."""
    return _collider("PLANE", {"plane": {"normal": _vec(normal), "distance": distance}}, settings)


def sphere(center: Any, radius: float, **settings: Any) -> Any:
    """Makes a collider or sink: a ball."""
    return _collider("SPHERE", {"sphere": {"center": _vec(center), "radius": radius}}, settings)


def capsule(a: Any, b: Any, radius: float, **settings: Any) -> Any:
    """Makes a collider or sink: points within radius of the segment from a to b."""
    return _collider("CAPSULE", {"capsule": {"a": _vec(a), "b": _vec(b), "radius": radius}}, settings)


def box(center: Any, half: Any, axes: Any = ((1, 0, 0), (0, 1, 0), (0, 0, 1)), **settings: Any) -> Any:
    """Makes a collider or sink: a box with half lengths along three axes at right angles."""
    shape = {"center": _vec(center), "axis": [_vec(axis) for axis in axes], "half": _vec(half)}
    return _collider("BOX", {"box": shape}, settings)


def _collider(kind: str, shape: dict[str, Any], settings: dict[str, Any]) -> Any:
    fields = {name: _vec(value) if name in ("velocity", "spin") else value for name, value in settings.items()}
    unknown = set(fields) - {"inside", "material", "mask", "velocity", "spin"}
    if unknown:
        raise TypeError(f"a collider has no {', '.join(sorted(unknown))}")
    return struct("tact_collider", kind=getattr(lib, f"TACT_COLLIDER_{kind}"), shape=shape, **fields)


def _body_pose(position: Any, rotation: Any, velocity: Any, spin: Any) -> Any:
    m = None if rotation is None else np.asarray(rotation, np.float64)
    if m is not None and m.shape != (3, 3):
        raise InvalidArgument(f"the rotation: shape (3, 3) wanted, not {m.shape}")
    return struct("tact_body_pose", rotation=None if m is None else m.reshape(9).tolist(), position=_vec(position),
                  velocity=_vec(velocity), spin=_vec(spin))


class Particles(Handle):
    """A system of particles. Ids are whole numbers from 0; one that was removed is used again, the smallest first.
    Arrays go in and out in order of id. A system is used by one thread at a time.

    response: "spring" (springs, dashpots, friction), "position" (position-based), "none" (contacts are only listed) or
    "grains" (springs that remember, between spheres that turn). backend: where the state lives; "auto": chosen.
    boundary: "open", "wall" or "periodic", one or three. domain: lower and upper corner, of axes that are not open.
    materials: dicts of stiffness, restitution, friction, tangential_damping. Further settings are the fields of
    tact_particles_desc: origin, max_radius, wall_material, drag, speed_limit, iterations, relaxation,
    separation_speed, sleep_speed, reserve. Units are metres, kilograms, seconds, or any that fit together."""

    def __init__(self, response: str = "spring", *, backend: str = "auto", boundary: str | Sequence[str] = "open",
                 domain: Any = None, gravity: Any = (0, 0, 0), materials: Sequence[dict[str, float]] | None = None,
                 context: Context | None = None, **settings: Any) -> None:
        self.context = context or shared_context()
        sides = (boundary,) * 3 if isinstance(boundary, str) else tuple(boundary)
        made = None
        if materials is not None:
            rules = [struct("tact_particle_material", **one)[0] for one in materials]
            made = ffi.new("tact_particle_material[]", rules)
        if "origin" in settings:
            settings["origin"] = _vec(settings["origin"])
        try:
            desc = struct("tact_particles_desc", response=choice("tact_particle_response", response), boundary=sides,
                          backend=choice("tact_backend", backend), gravity=_vec(gravity), materials=made,
                          material_count=0 if made is None else len(made),
                          domain=None if domain is None else {"lower": _vec(domain[0]), "upper": _vec(domain[1])},
                          **settings)
        except KeyError as error:
            raise TypeError(f"a particle system has no setting {error}") from None
        super().__init__(create(lib.tact_particles_create, "tact_particles", self.context._p, desc),
                         lib.tact_particles_destroy, self.context)
        self._kept: dict[str, Any] = {}

    @classmethod
    def restore(cls, data: bytes, *, backend: str = "auto", context: Context | None = None) -> Particles:
        """Makes a system of what save() returned, or what `tact particles --save` wrote; it goes on to the same
        bits."""
        particles = cls.__new__(cls)
        particles.context = context or shared_context()
        made = create(lib.tact_particles_restore, "tact_particles", particles.context._p, ffi.from_buffer(data),
                      len(data), choice("tact_backend", backend))
        Handle.__init__(particles, made, lib.tact_particles_destroy, particles.context)
        particles._kept = {}
        return particles

    def save(self) -> bytes:
        """Returns everything a run needs to go on to the same bits, on any machine."""
        return saved(lib.tact_particles_save, self._p)

    def __len__(self) -> int:
        return lib.tact_particles_count(self._p)

    @property
    def id_end(self) -> int:
        """One more than the largest id used: the length of arrays indexed by id."""
        return lib.tact_particles_id_end(self._p)

    # Adding and removing

    def add(self, positions: Any, velocities: Any = None, *, radius: Any = 0.5, density: float = 1000, mass: Any = None,
            material: Any = 0, group: Any = 0) -> np.ndarray:
        """Adds particles; returns their ids, uint32 (n,). positions, velocities: (n, 3). radius, mass, material, group:
        one value, or one each. Without mass it is density times the volume; infinite: nothing moves the particle."""
        p = vectors(positions, "the positions")
        v = None if velocities is None else one_each(velocities, len(p), "f4", "the velocities", (3,))
        each = {}
        for name, values, kind in (("radii", radius, "f4"), ("masses", mass, "f4"), ("materials", material, "u1"),
                                   ("groups", group, "u1")):
            each[name] = None if values is None else one_each(values, len(p), kind, f"the {name}")
        kinds = {"radii": "float", "masses": "float", "materials": "uint8_t", "groups": "uint8_t"}
        arrays = struct("tact_particle_arrays", positions=pointer(p, "float"), density=density,
                        velocities=None if v is None else pointer(v, "float"),
                        **{name: None if values is None else pointer(values, kinds[name])
                           for name, values in each.items()})
        ids = np.empty(len(p), np.uint32)
        check(lib.tact_particles_add(self._p, arrays, len(p), output(ids, "uint32_t")))
        return ids

    def remove(self, ids: Any) -> None:
        """Removes particles."""
        i = numbers(ids, "the ids")
        check(lib.tact_particles_remove(self._p, pointer(i, "uint32_t"), len(i)))

    def clear(self) -> None:
        """Removes all particles and keeps the memory. The clock goes on."""
        lib.tact_particles_clear(self._p)

    # Reading and writing

    def read(self, *names: str) -> dict[str, np.ndarray]:
        """Returns copies of the state in order of id: ids, positions, velocities, radii, masses, materials, groups, or
        those that are named, in one pass."""
        count = len(self)
        kinds = {"ids": ("uint32_t", "u4", 0), "positions": ("float", "f4", 3), "velocities": ("float", "f4", 3),
                 "radii": ("float", "f4", 0), "masses": ("float", "f4", 0), "materials": ("uint8_t", "u1", 0),
                 "groups": ("uint8_t", "u1", 0)}
        unknown = set(names) - set(kinds)
        if unknown:
            raise InvalidArgument(f"there are no {', '.join(sorted(unknown))}; there are {', '.join(kinds)}")
        arrays = {name: np.empty((count, kinds[name][2]) if kinds[name][2] else count, kinds[name][1])
                  for name in names or kinds}
        places = {name: output(values, kinds[name][0]) for name, values in arrays.items()}
        out = struct("tact_particle_output", **places)
        check(lib.tact_particles_read(self._p, out))
        return arrays

    @property
    def ids(self) -> np.ndarray:
        """The ids, uint32 (n,), ascending."""
        return self.read("ids")["ids"]

    @property
    def positions(self) -> np.ndarray:
        """A copy of the positions, float32 (n, 3); assigning gives all particles new ones."""
        return self.read("positions")["positions"]

    @positions.setter
    def positions(self, values: Any) -> None:
        self.write(positions=values)

    @property
    def velocities(self) -> np.ndarray:
        """A copy of the velocities, float32 (n, 3); assigning gives all particles new ones."""
        return self.read("velocities")["velocities"]

    @velocities.setter
    def velocities(self, values: Any) -> None:
        self.write(velocities=values)

    @property
    def radii(self) -> np.ndarray:
        """A copy of the radii, float32 (n,)."""
        return self.read("radii")["radii"]

    @property
    def masses(self) -> np.ndarray:
        """A copy of the masses, float32 (n,)."""
        return self.read("masses")["masses"]

    def _those(self, ids: Any) -> tuple[np.ndarray | None, int]:
        i = None if ids is None else numbers(ids, "the ids")
        return i, len(self) if i is None else len(i)

    def write(self, ids: Any = None, positions: Any = None, velocities: Any = None) -> None:
        """Gives particles, None: all, new positions and velocities, (n, 3); None leaves those as they are."""
        i, count = self._those(ids)
        p = None if positions is None else one_each(positions, count, "f4", "the positions", (3,))
        v = None if velocities is None else one_each(velocities, count, "f4", "the velocities", (3,))
        check(lib.tact_particles_write(self._p, pointer(i, "uint32_t"), count, pointer(p, "float"),
                                       pointer(v, "float")))

    def turning(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns spins, radians/s, float32 (n, 3), and orientations, quaternions x y z w, (n, 4), of grains."""
        count = len(self)
        spins, turned = np.empty((count, 3), np.float32), np.empty((count, 4), np.float32)
        check(lib.tact_particles_read_turning(self._p, output(spins, "float"), output(turned, "float")))
        return spins, turned

    def write_turning(self, ids: Any = None, spins: Any = None, orientations: Any = None) -> None:
        """Gives grains, None: all, spins (n, 3) and orientations (n, 4); None leaves those as they are."""
        i, count = self._those(ids)
        s = None if spins is None else one_each(spins, count, "f4", "the spins", (3,))
        o = None if orientations is None else one_each(orientations, count, "f4", "the orientations", (4,))
        check(lib.tact_particles_write_turning(self._p, pointer(i, "uint32_t"), count, pointer(s, "float"),
                                               pointer(o, "float")))

    def set_user_data(self, values: Any, ids: Any = None) -> None:
        """Sets what particles, None: all, are in your program: numbers of 64 bits."""
        i, count = self._those(ids)
        data = one_each(values, count, "u8", "the user data")
        check(lib.tact_particles_set_user_data(self._p, pointer(i, "uint32_t"), count, pointer(data, "uint64_t")))

    def user_data(self, ids: Any = None) -> np.ndarray:
        """Returns the user data of particles, None: all: uint64 (n,)."""
        i, count = self._those(ids)
        result = np.empty(count, np.uint64)
        check(lib.tact_particles_get_user_data(self._p, pointer(i, "uint32_t"), 0, count, output(result, "uint64_t")))
        return result

    # Forces and rules

    def set_forces(self, forces: Any = None) -> None:
        """Sets the force on each particle besides gravity and contacts, N, (n, 3) indexed by id, in every step until
        changed; None: none."""
        f = None if forces is None else vectors(forces, "the forces")
        check(lib.tact_particles_set_forces(self._p, pointer(f, "float"), 0 if f is None else len(f)))

    def set_gravity(self, gravity: Any) -> None:
        """Changes gravity, an acceleration, from the next step on."""
        check(lib.tact_particles_set_gravity(self._p, ffi.new("tact_vec3*", _vec(gravity))[0]))

    def set_contact(self, a: int, b: int, **rule: float) -> None:
        """Overrides the rule of contacts between two materials: stiffness, restitution, friction,
        tangential_damping."""
        check(lib.tact_particles_set_contact(self._p, a, b, struct("tact_particle_material", **rule)))

    def set_law(self, a: int, b: int, **law: Any) -> None:
        """Sets the law of grains' contacts between two materials: the fields of tact_grain_law: springs ("linear" or
        "hertz"), stiffness, shear, restitution, tangential_damping, friction, rolling_friction, twisting_friction,
        adhesion, cohesion."""
        if isinstance(law.get("springs"), str):
            law["springs"] = choice("tact_grain_springs", law["springs"])
        check(lib.tact_particles_set_law(self._p, a, b, struct("tact_grain_law", **law)))

    def set_mask(self, group: int, mask: int) -> None:
        """Sets the groups that a group collides with: bit g for group g."""
        check(lib.tact_particles_set_mask(self._p, group, mask))

    def set_program(self, text: str | None, **parameters: float) -> None:
        """Sets the program that gives forces in every substep, on all devices alike (docs/particles.md has the
        language), with numbers that the text names; None takes it off."""
        names = [ffi.new("char[]", name.encode()) for name in parameters]
        rows = ffi.new("tact_program_parameter[]", [{"name": name, "value": float(value)}
                                                    for name, value in zip(names, parameters.values())])
        check(lib.tact_particles_set_program(self._p, ffi.NULL if text is None else text.encode(), rows, len(names)))

    def set_program_parameter(self, name: str, value: float) -> None:
        """Changes a parameter of the program, from the next step on."""
        check(lib.tact_particles_set_program_parameter(self._p, name.encode(), value))

    @property
    def program(self) -> str | None:
        """The text of the program; None without one."""
        size = ffi.new("size_t*")
        check(lib.tact_particles_get_program(self._p, ffi.NULL, 0, size))
        if not size[0]:
            return None
        data = ffi.new("char[]", size[0])
        check(lib.tact_particles_get_program(self._p, data, size[0], size))
        return ffi.string(data).decode()

    def set_force_function(self, function: Callable[[Any], Any] | None) -> None:
        """Sets a function that is called before each substep with a record of time, dt, ids, positions, velocities,
        radii, masses, spins (None unless grains), and the arrays forces and torques, (n, 3), to be filled. Nothing of
        it is valid after the call, in which the context must not be used. Returning False, or an exception, ends the
        step. None: no function. Particles are copied to the host for each substep."""
        if function is None:
            check(lib.tact_particles_set_force_function(self._p, ffi.NULL, ffi.NULL))
            self._kept.pop("force", None)
            return
        given, errors = function, Errors()

        def view(address: Any, count: int, columns: int, kind: str = "f4", writable: bool = False) -> Any:
            if address == ffi.NULL:
                return None
            shape = (count, columns) if columns else (count,)
            if not count:
                return np.empty(shape, kind)
            values = np.frombuffer(ffi.buffer(address, 4 * count * max(1, columns)), kind).reshape(shape)
            values.flags.writeable = writable
            return values

        @ffi.callback("tact_force_function", onerror=errors.keep, error=False)
        def call(c: Any, user: Any) -> bool:
            n = c.count
            return given(Record(count=n, time=c.time, dt=c.dt, ids=view(c.ids, n, 0, "u4"),
                                   positions=view(c.positions, n, 3), velocities=view(c.velocities, n, 3),
                                   radii=view(c.radii, n, 0), masses=view(c.masses, n, 0), spins=view(c.spins, n, 3),
                                   forces=view(c.forces, n, 3, writable=True),
                                   torques=view(c.torques, n, 3, writable=True))) is not False
        check(lib.tact_particles_set_force_function(self._p, call, ffi.NULL))
        self._kept["force"] = (call, errors)

    # Steps

    @property
    def stable_step(self) -> float:
        """The longest substep, in seconds, with which contacts are resolved; infinite where there are no springs."""
        return lib.tact_particles_stable_step(self._p)

    def step(self, dt: float, steps: int = 1, substeps: int = 0, **options: Unpack[Options]) -> None:
        """Advances the system by steps of dt seconds, each divided into substeps (0: as many as stable_step takes)."""
        query = Query(**options)
        result = lib.tact_particles_step(self._p, dt, substeps, steps, query.options, query.report)
        errors = self._kept.get("force", (None, Errors()))[1]
        errors.check()
        query.check(result)

    def wait(self) -> None:
        """Waits until a device has done all steps, as time measurements must."""
        check(lib.tact_particles_wait(self._p))

    def contacts(self, **options: Unpack[Options]) -> np.ndarray:
        """Lists all contacts as the particles are now: an array of types.particle_contact, sorted. `with` is 0 for a
        particle b, 1 for a wall, 2 for a collider, 3 for a mesh or height field."""
        def call(rows: np.ndarray, count: Any) -> int:
            query = Query(**options)
            return query.check(lib.tact_particles_contacts(self._p, output(rows, "tact_particle_contact"), len(rows),
                                                           count, query.options, query.report))
        return with_room(call, types.particle_contact, max(1024, 4 * len(self)))

    def contact_forces(self) -> np.ndarray:
        """Lists all contacts with what they do: an array of types.contact_force."""
        return with_room(lambda rows, count: check(lib.tact_particles_contact_forces(
            self._p, output(rows, "tact_contact_force"), len(rows), count)), types.contact_force,
                         max(1024, 4 * len(self)))

    def touched_user_data(self, contacts: np.ndarray) -> np.ndarray:
        """Returns the user data of what each contact's first particle touches: uint64 (n,)."""
        rows = np.require(contacts, types.particle_contact, ["C", "A"])
        result = np.empty(len(rows), np.uint64)
        check(lib.tact_particles_get_touched_user_data(self._p, pointer(rows, "tact_particle_contact"), len(rows),
                                                       output(result, "uint64_t")))
        return result

    def neighbours(self, radius: float, *, once: bool = False, **options: Unpack[Options]) -> Any:
        """Finds all particles whose centres are within radius of each other: ids, uint32 (n,), offsets, uint64 (n +
        1,), and neighbours, uint32: slots. Those of the particle ids[s] are ids[neighbours[offsets[s]:offsets[s + 1]]].
        once: each pair once, in the list of the smaller slot."""
        lists, query = ffi.new("tact_neighbour_lists*"), Query(**options)
        query.check(lib.tact_particles_neighbours(self._p, radius, 1 if once else 0, lists, query.options,
                                                  query.report))
        offsets = copied(lists.offsets, lists.slots + 1, np.dtype("u8"))
        return Record(ids=copied(lists.ids, lists.slots, np.dtype("u4")), offsets=offsets,
                      neighbours=copied(lists.neighbours, int(offsets[-1]), np.dtype("u4")))

    def measure(self) -> Any:
        """Sums up the state: mass, kinetic_energy, momentum, elastic_energy, dissipated_power, ..., a record of
        tact_particle_totals."""
        totals = ffi.new("tact_particle_totals*")
        check(lib.tact_particles_measure(self._p, totals))
        return record(totals)

    @property
    def info(self) -> Any:
        """Facts: steps, substeps, time, slowed, stopped, backend, device_bytes, ..."""
        info = ffi.new("tact_particles_info*")
        check(lib.tact_particles_get_info(self._p, info))
        return record(info)

    @property
    def domain(self) -> tuple[tuple[str, ...], np.ndarray]:
        """The kinds of faces of x, y, z, and the box, float32 (2, 3)."""
        sides, domain = ffi.new("tact_boundary[3]"), np.empty((2, 3), np.float32)
        check(lib.tact_particles_get_domain(self._p, sides, output(domain, "tact_aabb")))
        return tuple(("open", "wall", "periodic")[int(side)] for side in sides), domain

    def average(self, lower: Any, upper: Any, counts: Any) -> np.ndarray:
        """Averages particles and contacts over the cells of a grid, counts x y z of them between two corners: an array
        of types.average_cell of shape (nz, ny, nx)."""
        x, y, z = (int(count) for count in counts)
        if min(x, y, z) < 1 or x * y * z > 1 << 28:
            raise InvalidArgument(f"{x} x {y} x {z} cells")
        cells = np.empty((z, y, x), types.average_cell)
        grid = struct("tact_average_grid", box={"lower": _vec(lower), "upper": _vec(upper)}, counts=(x, y, z))
        check(lib.tact_particles_average(self._p, grid, output(cells, "tact_average_cell")))
        return cells

    # Surfaces, emitters, sinks

    def _index(self, function: Any, *arguments: Any) -> int:
        index = ffi.new("uint32_t*")
        check(function(self._p, *arguments, index))
        return index[0]

    def add_collider(self, collider: Any) -> int:
        """Adds what particles collide with: plane(), sphere(), capsule() or box() of this module. Returns its index."""
        return self._index(lib.tact_particles_add_collider, collider)

    def set_collider(self, index: int, collider: Any) -> None:
        """Replaces a collider, which may be of another kind: to move one, change its shape and velocity."""
        check(lib.tact_particles_set_collider(self._p, index, collider))

    def add_mesh(self, vertices: Any, triangles: Any = None, *, position: Any = (0, 0, 0), rotation: Any = None,
                 velocity: Any = (0, 0, 0), spin: Any = (0, 0, 0), material: int = 0) -> int:
        """Adds a triangle mesh, both sides of which are solid. rotation: (3, 3). Returns the index of the body."""
        desc, kept = mesh_desc(vertices, triangles)
        index = self._index(lib.tact_particles_add_mesh, desc, _body_pose(position, rotation, velocity, spin), material)
        del kept
        return index

    def add_height_field(self, heights: Any, step_x: float, step_z: float, origin: Any = (0, 0, 0), *,
                         position: Any = (0, 0, 0), rotation: Any = None, velocity: Any = (0, 0, 0),
                         spin: Any = (0, 0, 0), material: int = 0) -> int:
        """Adds a height field, float (rows, columns): the point at row r, column c is at (c step_x, heights, r step_z)
        from origin. Squares with a NaN are holes. Returns the index of the body."""
        h = np.require(heights, np.float32, ["C", "A"])
        if h.ndim != 2:
            raise InvalidArgument(f"the heights: shape (rows, columns) wanted, not {h.shape}")
        field = struct("tact_height_field_desc", heights=pointer(h, "float"), rows=h.shape[0], columns=h.shape[1],
                       step_x=step_x, step_z=step_z, origin=_vec(origin))
        return self._index(lib.tact_particles_add_height_field, field, _body_pose(position, rotation, velocity, spin),
                           material)

    def move_body(self, body: int, position: Any = (0, 0, 0), rotation: Any = None, velocity: Any = (0, 0, 0),
                  spin: Any = (0, 0, 0)) -> None:
        """Moves a mesh or height field."""
        check(lib.tact_particles_move_body(self._p, body, _body_pose(position, rotation, velocity, spin)))

    def set_collider_user_data(self, index: int, value: int) -> None:
        """Sets what a collider is in your program: a number of 64 bits."""
        check(lib.tact_particles_set_collider_user_data(self._p, index, value))

    def set_body_user_data(self, body: int, value: int) -> None:
        """Sets what a mesh or height field is in your program: a number of 64 bits."""
        check(lib.tact_particles_set_body_user_data(self._p, body, value))

    def add_emitter(self, corner: Any, edges: Any, velocity: Any, **settings: Any) -> int:
        """Adds an emitter, which adds particles a sheet at a time over the parallelogram at corner with two edges, (2,
        3). settings: spacing, interval, jitter, radius, smallest, density, material, group, seed, limit, start, stop.
        Returns its index."""
        return self._index(lib.tact_particles_add_emitter, _emitter(corner, edges, velocity, settings))

    def set_emitter(self, index: int, corner: Any, edges: Any, velocity: Any, **settings: Any) -> None:
        """Replaces an emitter, which goes on counting."""
        check(lib.tact_particles_set_emitter(self._p, index, _emitter(corner, edges, velocity, settings)))

    def add_sink(self, region: Any) -> int:
        """Adds a sink, which removes particles whose centre is in plane(), sphere(), capsule() or box(). Returns its
        index."""
        return self._index(lib.tact_particles_add_sink, region)

    def surface_loads(self) -> Any:
        """Measures what particles exert on surfaces now: a record of walls (6), colliders, bodies, each an array of
        types.surface_load."""
        # Indices count from 0 and are never given back, so each kind has the indices that this system was given.
        counts = {"walls": 6, "colliders": 0, "bodies": 0}
        for name, kind in (("colliders", lib.TACT_CONTACT_COLLIDER), ("bodies", lib.TACT_CONTACT_BODY)):
            state = ffi.new("tact_surface_state*")
            while lib.tact_particles_get_surface(self._p, kind, counts[name], state) >= 0:
                counts[name] += 1
        loads = {name: np.zeros(count, types.surface_load) for name, count in counts.items()}
        check(lib.tact_particles_measure_surfaces(self._p, *(output(values, "tact_surface_load") if len(values)
                                                             else ffi.NULL for values in loads.values())))
        return Record(**loads)

    def _surface(self, collider: int | None, body: int | None) -> tuple[int, Any]:
        if (collider is None) == (body is None):
            raise InvalidArgument("either a collider or a body wanted")
        return (lib.TACT_CONTACT_BODY, body) if collider is None else (lib.TACT_CONTACT_COLLIDER, collider)

    def set_motion(self, moves: bool = True, *, collider: int | None = None, body: int | None = None) -> None:
        """Sets whether a collider or body moves on by itself, by its velocity and spin."""
        check(lib.tact_particles_set_motion(self._p, *self._surface(collider, body), moves))

    def set_servo(self, direction: Any = None, force: float = 0, gain: float = 0, greatest_speed: float = 0, *,
                  collider: int | None = None, body: int | None = None) -> None:
        """Presses a collider or body against particles with a force, N, along a direction; direction None: no more."""
        servo = None if direction is None else struct("tact_servo", direction=_vec(direction), force=force, gain=gain,
                                                      greatest_speed=greatest_speed)
        check(lib.tact_particles_set_servo(self._p, *self._surface(collider, body), servo or ffi.NULL))

    def set_wear(self, counted: bool = True, *, collider: int | None = None, body: int | None = None) -> None:
        """Sets whether the wear of a collider or body is counted."""
        check(lib.tact_particles_set_wear(self._p, *self._surface(collider, body), counted))

    def surface(self, *, collider: int | None = None, body: int | None = None) -> Any:
        """Returns where a collider or body is now: a record of pose, servo_speed, servo_force, wear."""
        state = ffi.new("tact_surface_state*")
        check(lib.tact_particles_get_surface(self._p, *self._surface(collider, body), state))
        return record(state)

    # Bonds

    def set_bond_law(self, kind: int, **law: float) -> None:
        """Sets the law of a kind of bonds: young, shear, radius, damping, tensile_strength, shear_strength."""
        check(lib.tact_particles_set_bond_law(self._p, kind, struct("tact_bond_law", **law)))

    def bond(self, pairs: Any, kind: int = 0) -> None:
        """Bonds pairs of grains, ids (n, 2), at the distance that they have now."""
        p = array(pairs, "u4", (2,), "the pairs")
        check(lib.tact_particles_bond(self._p, kind, pointer(p, "uint32_t"), len(p)))

    def bond_near(self, gap: float, kind: int = 0) -> int:
        """Bonds all pairs of grains whose surfaces are at most gap apart; returns how many."""
        made = ffi.new("size_t*")
        check(lib.tact_particles_bond_near(self._p, kind, gap, made))
        return made[0]

    def unbond(self, pairs: Any = None) -> None:
        """Takes bonds away, of pairs of ids (n, 2); None: all."""
        p = None if pairs is None else array(pairs, "u4", (2,), "the pairs")
        check(lib.tact_particles_unbond(self._p, pointer(p, "uint32_t"), 0 if p is None else len(p)))

    def bonds(self) -> np.ndarray:
        """Lists the bonds that have not broken: an array of types.bond, sorted."""
        return with_room(lambda rows, count: check(lib.tact_particles_bonds(
            self._p, output(rows, "tact_bond"), len(rows), count)), types.bond)

    # Clumps

    def add_clumps(self, shape: ClumpShape, positions: Any, velocities: Any = None, spins: Any = None,
                   orientations: Any = None) -> np.ndarray:
        """Adds clumps of one shape, positions (n, 3) being of their centres of mass; returns the ids of their first
        spheres."""
        p = vectors(positions, "the positions")
        made, kept = _clump_arrays(len(p), p, velocities, spins, orientations)
        ids = np.empty(len(p), np.uint32)
        check(lib.tact_particles_add_clumps(self._p, shape._c, made, len(p), output(ids, "uint32_t")))
        del kept
        return ids

    def remove_clumps(self, ids: Any) -> None:
        """Removes clumps with their spheres."""
        i = numbers(ids, "the ids")
        check(lib.tact_particles_remove_clumps(self._p, pointer(i, "uint32_t"), len(i)))

    def clumps(self) -> dict[str, np.ndarray]:
        """Returns how clumps are and move: ids, counts (of spheres), positions, velocities, spins, orientations,
        masses."""
        count = lib.tact_particles_clump_count(self._p)
        kinds = {"ids": 0, "counts": 0, "positions": 3, "velocities": 3, "spins": 3, "orientations": 4, "masses": 0}
        arrays = {name: np.empty((count, columns) if columns else count, np.uint32 if name in ("ids", "counts")
                                 else np.float32) for name, columns in kinds.items()}
        out = struct("tact_clump_output", **{name: output(values, "uint32_t" if name in ("ids", "counts") else "float")
                                             for name, values in arrays.items()})
        check(lib.tact_particles_read_clumps(self._p, out))
        return arrays

    def write_clumps(self, ids: Any = None, positions: Any = None, velocities: Any = None, spins: Any = None,
                     orientations: Any = None) -> None:
        """Gives clumps, None: all, another place and motion; None leaves those as they are."""
        i = None if ids is None else numbers(ids, "the ids")
        count = lib.tact_particles_clump_count(self._p) if i is None else len(i)
        made, kept = _clump_arrays(count, positions, velocities, spins, orientations)
        check(lib.tact_particles_write_clumps(self._p, pointer(i, "uint32_t"), count, made))
        del kept

    def clump_spheres(self, id: int) -> np.ndarray:
        """Lists the ids of a clump's spheres, uint32, ascending."""
        ids, count = np.empty(1024, np.uint32), ffi.new("size_t*")
        check(lib.tact_particles_clump_spheres(self._p, id, output(ids, "uint32_t"), len(ids), count))
        return ids[:count[0]].copy()


def _emitter(corner: Any, edges: Any, velocity: Any, settings: dict[str, Any]) -> Any:
    try:
        return struct("tact_emitter", corner=_vec(corner), edge=[_vec(edge) for edge in edges], velocity=_vec(velocity),
                      **settings)
    except KeyError as error:
        raise TypeError(f"an emitter has no setting {error}") from None


def _clump_arrays(count: int, positions: Any, velocities: Any, spins: Any, orientations: Any) -> tuple[Any, Any]:
    kept = {name: None if values is None else one_each(values, count, "f4", f"the {name}", (columns,))
            for name, values, columns in (("positions", positions, 3), ("velocities", velocities, 3),
                                          ("spins", spins, 3), ("orientations", orientations, 4))}
    return struct("tact_clump_arrays", **{name: None if values is None else pointer(values, "float")
                                          for name, values in kept.items()}), kept


class ClumpShape:
    """A shape of clumps: spheres that keep their places, positions (n, 3) and radii (n,), in its own frame. settings:
    density, mass, material, group, center (3), inertia (6: xx yy zz xy xz yz)."""

    def __init__(self, positions: Any, radii: Any, *, density: float = 1000, mass: float = 0, material: int = 0,
                 group: int = 0, center: Any = None, inertia: Any = None) -> None:
        self.positions = vectors(positions, "the positions").copy()
        self.radii = one_each(radii, len(self.positions), "f4", "the radii").copy()
        self._kept = [None if values is None else numbers(values, name, "f4").copy()
                      for values, name in ((center, "the centre"), (inertia, "the inertia"))]
        for values, size in zip(self._kept, (3, 6)):
            if values is not None and len(values) != size:
                raise InvalidArgument(f"{size} numbers wanted, not {len(values)}")
        self._c = struct("tact_clump_shape", positions=pointer(self.positions, "float"),
                         radii=pointer(self.radii, "float"), count=len(self.radii), density=density, mass=mass,
                         material=material, group=group,
                         center=None if self._kept[0] is None else pointer(self._kept[0], "float"),
                         inertia=None if self._kept[1] is None else pointer(self._kept[1], "float"))

    @classmethod
    def pack(cls, vertices: Any, triangles: Any, most: int = 32, cells: int = 0, *, context: Context | None = None,
             **settings: Any) -> ClumpShape:
        """Packs spheres, at most `most`, into a closed mesh. `packing` of the shape says how well they fill it."""
        v, t = vectors(vertices, "the vertices"), array(triangles, "u4", (3,), "the triangles")
        if not 1 <= most <= 1024:
            raise InvalidArgument(f"{most} spheres: 1 to 1024 wanted")
        mesh = struct("tact_mesh_view", positions=pointer(v, "tact_vec3"), vertex_count=len(v),
                      indices=pointer(t, "uint32_t"), triangle_count=len(t))
        positions, radii = np.empty((most, 3), np.float32), np.empty(most, np.float32)
        packing = ffi.new("tact_clump_packing*")
        check(lib.tact_clump_pack((context or shared_context())._p, mesh, most, cells, output(positions, "float"),
                                  output(radii, "float"), packing))
        shape = cls(positions[:packing.count], radii[:packing.count], **settings)
        shape.packing = record(packing)
        return shape

    packing: Any = None

    def measure(self, *, context: Context | None = None) -> Any:
        """Measures the shape: a record of volume, mass, center, inertia, reach."""
        measures = ffi.new("tact_clump_measures*")
        check(lib.tact_clump_measure((context or shared_context())._p, self._c, measures))
        return record(measures)
