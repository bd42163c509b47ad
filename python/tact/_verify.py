# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""Compares every device with the reference: the claim of the library, checked on this machine from Python.

    python3 -m tact verify

`tact verify`, the command, checks more queries of more kinds."""
from __future__ import annotations

import hashlib
from typing import Any, Callable

import numpy as np

from . import _overlap as overlap_of
from ._core import NoDevice, Record, Unsupported
from ._bodies import Bodies
from ._context import Context
from ._pairs import PointCloud, Volumes
from ._particles import Particles
from ._scene import Mesh, Scene, rays
from .shapes import sphere, torus
from ._view import Picker, View, cull


def _scene(context: Context, random: np.random.Generator) -> Scene:
    scene = Scene(context=context)
    mesh = scene.add_mesh(*torus(sides=24, rings=16))
    for place in random.uniform(-4, 4, (12, 3)):
        matrix = np.eye(4)
        matrix[:3, :3] += random.uniform(-0.5, 0.5, (3, 3))
        matrix[:3, 3] = place
        scene.add_instance(mesh, matrix)
    return scene


def _grains(context: Context, random: np.random.Generator, **options: Any) -> bytes:
    with Particles("grains", boundary="wall", domain=((0, 0, 0), (8, 8, 8)), gravity=(0, -9.81, 0), context=context,
                   backend=options["backend"]) as p:
        p.add(random.uniform(0.5, 7.5, (400, 3)), random.uniform(-1, 1, (400, 3)), radius=random.uniform(0.2, 0.4, 400))
        p.step(1 / 60, 10, 8, **options)
        return p.save()


def _contacts(context: Context, random: np.random.Generator, **options: Any) -> bytes:
    with Bodies(context=context) as bodies:
        shapes = [bodies.add_box((0.5, 0.3, 0.4)), bodies.add_sphere(0.5), bodies.add_capsule(0.4, 0.3),
                  bodies.add_hull(random.normal(size=(20, 3)))]
        turned = random.normal(size=(200, 4))
        turned /= np.linalg.norm(turned, axis=1, keepdims=True)
        bodies.add(np.resize(shapes, 200), random.uniform(-3, 3, (200, 3)), turned)
        return bodies.contacts(**options).tobytes()


def _queries(context: Context, seed: int) -> dict[str, Callable[..., Any]]:
    def of(query: Callable[..., Any]) -> Callable[..., Any]:
        return lambda **options: query(np.random.default_rng(seed), **options)
    scene = _scene(context, np.random.default_rng(seed))
    a, b = Mesh(*torus(sides=24, rings=16), context=context), Mesh(*sphere(0.7, 2), context=context)
    view = View.camera(96, 64, eye=(0, 0, 12), target=(0, 0, 0))

    def cast(r: np.random.Generator) -> np.ndarray:
        return rays(r.uniform(-6, 6, (4000, 3)), r.normal(size=(4000, 3)))

    def boxes(r: np.random.Generator) -> np.ndarray:
        low = r.uniform(-10, 10, (1500, 3))
        return np.concatenate([low, low + r.uniform(0, 1.5, (1500, 3))], 1)

    def broad(r: np.random.Generator, **options: Any) -> np.ndarray:
        with Volumes(context=context) as volumes:
            volumes.add(boxes(r))
            return volumes.pairs(**options)

    def cloud(r: np.random.Generator, **options: Any) -> np.ndarray:
        with PointCloud(r.uniform(-1, 1, (5000, 3)), context=context) as points:
            return points.nearest(r.uniform(-1, 1, (2000, 3)), 4, **options)

    def poses(r: np.random.Generator) -> np.ndarray:
        m = np.tile(np.eye(4), (16, 1, 1))
        m[:, :3, 3] = r.uniform(-1.5, 1.5, (16, 3))
        return m

    def pick(r: np.random.Generator, **options: Any) -> np.ndarray:
        with Picker(context=context) as picker:
            return picker.pick(scene, view, **options)
    return {
        "closest hits": of(lambda r, **o: scene.raycast(cast(r), **o)),
        "occlusion": of(lambda r, **o: scene.occluded(cast(r), **o)),
        "all hits": of(lambda r, **o: scene.raycast_all(cast(r), **o)[0]),
        "closest points": of(lambda r, **o: scene.closest_points(r.uniform(-6, 6, (2000, 3)), **o)),
        "points against solids": of(lambda r, **o: scene.locate(r.uniform(-6, 6, (1000, 3)), **o)),
        "sphere casts": of(lambda r, **o: scene.spherecast(cast(r)[:1000], 0.2, **o)),
        "instances in view": of(lambda r, **o: scene.cull(view.planes, **o)),
        "culling": of(lambda r, **o: cull(boxes(r), view.planes, context=context, **o)),
        "picking": of(pick),
        "pairs": of(broad),
        "neighbours": of(cloud),
        "mesh overlap": of(lambda r, **o: overlap_of.overlap_pairs(a, b, poses(r), **o)),
        "contacts": of(lambda r, **o: _contacts(context, r, **o)),
        "grains": of(lambda r, **o: _grains(context, r, **o)),
    }


def verify(context: Context | None = None, *, seed: int = 1,
           progress: Callable[[float], Any] | None = None) -> list[Any]:
    """Runs queries of every kind on every device of a context and by the reference, and compares the bytes. Returns a
    record of each: query, backend, device, same (None where the device does not run it), digest (of the reference's
    bytes), why."""
    context = context or Context()
    rows = []
    queries = _queries(context, seed)
    backends = [backend for backend in context.backends]
    for number, (name, query) in enumerate(queries.items()):
        def run(backend: str) -> bytes:
            result = query(backend=backend, fallback=False)
            return result if isinstance(result, bytes) else result.tobytes()
        wanted = run("reference")
        for backend in backends:
            row = Record(query=name, backend=backend, same=None, why="",
                         digest=hashlib.blake2b(wanted, digest_size=8).hexdigest())
            try:
                row.same = run(backend) == wanted
            except (Unsupported, NoDevice) as error:
                row.why = str(error)
            rows.append(row)
        if progress is not None:
            progress((number + 1) / len(queries))
    return rows
