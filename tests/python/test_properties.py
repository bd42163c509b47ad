# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""What holds for any input, tried with inputs that Hypothesis looks for."""
import unittest

import numpy as np

import tact
from tact import types

try:
    from hypothesis import HealthCheck, given, settings, strategies as st
    from hypothesis.extra import numpy as arrays
except ImportError:
    raise unittest.SkipTest("Hypothesis is not installed") from None

SETTINGS = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
# Few values, so that things touch, coincide and lie in one plane; and some that are odd.
WHOLE = st.integers(-4, 4).map(float)
ODD = st.sampled_from([float(np.float32(x)) for x in (0.0, -0.0, 1e-40, 1e30, 3e38, np.inf, -np.inf, np.nan, 0.1, -1.7)])
ANY = st.one_of(WHOLE, WHOLE, st.floats(-5, 5, width=32), ODD)


def rows(values, columns, most=12):
    return arrays.arrays(np.float32, st.tuples(st.integers(0, most), st.just(columns)), elements=values)


class Properties(unittest.TestCase):
    def same_everywhere(self, query):
        """The claim: the bytes of the reference, on every device and for any number of threads."""
        wanted = query(backend="reference").tobytes()
        self.assertEqual(query(backend="cpu", threads=1).tobytes(), wanted)
        for backend in tact.context().backends:
            self.assertEqual(query(backend=backend).tobytes(), wanted, backend)

    @SETTINGS
    @given(rows(ANY, 9), rows(ANY, 8))
    def test_rays(self, triangles, rays):
        with tact.Scene() as scene:
            scene.add(triangles.reshape(-1, 3))
            self.same_everywhere(lambda **o: scene.raycast(rays, **o))
            closest, counts = scene.raycast(rays), scene.count_hits(rays)
            hits, offsets = scene.raycast_all(rays)
            # Four queries agree about what is hit.
            np.testing.assert_array_equal(scene.occluded(rays), closest["primitive"] != tact.NONE)
            np.testing.assert_array_equal(np.diff(offsets.astype(np.int64)), counts)
            for ray, count in enumerate(counts):
                if count:
                    self.assertEqual(hits[int(offsets[ray])].tobytes(), closest[ray].tobytes())
                t = hits["t"][int(offsets[ray]):int(offsets[ray + 1])]
                self.assertTrue((np.diff(t) >= 0).all())

    @SETTINGS
    @given(rows(ANY, 9), rows(ANY, 3))
    def test_points(self, triangles, points):
        with tact.Scene() as scene:
            scene.add(triangles.reshape(-1, 3))
            self.same_everywhere(lambda **o: scene.closest_points(points, **o))
            self.same_everywhere(lambda **o: scene.locate(points, **o))
            found, located = scene.closest_points(points), scene.locate(points)
            np.testing.assert_array_equal(found["distance"], np.abs(located["distance"]))
            np.testing.assert_array_equal(found["primitive"], located["primitive"])

    @SETTINGS
    @given(rows(ANY, 6, 30), rows(ANY, 6, 30))
    def test_pairs(self, a, b):
        def brute(a, c):
            with np.errstate(invalid="ignore"):
                valid = [(x[:, :3] <= x[:, 3:]).all(1) for x in (a, c)]
                meet = ((a[:, None, :3] <= c[None, :, 3:]) & (c[None, :, :3] <= a[:, None, 3:])).all(2)
            return meet & valid[0][:, None] & valid[1][None]
        wanted = np.argwhere(np.triu(brute(a, a), 1))
        for backend in tact.context().backends:
            np.testing.assert_array_equal(tact.pairs(a, backend=backend), wanted)
        for method in ("brute", "sap", "grid", "hgrid", "bvh", "tree"):
            np.testing.assert_array_equal(tact.pairs(a, method=method), wanted)
        np.testing.assert_array_equal(tact.pairs(a, b), np.argwhere(brute(a, b)))

    @SETTINGS
    @given(rows(st.one_of(WHOLE, ANY.filter(lambda x: abs(x) < 1e18)), 3, 30), rows(ANY, 3), st.integers(1, 5))
    def test_clouds(self, points, asked, k):
        with tact.PointCloud(points) as cloud:
            self.same_everywhere(lambda **o: cloud.nearest(asked, k, **o))
            near = cloud.nearest(asked, k)
            ids, offsets = cloud.within(asked, 2.0)
            np.testing.assert_array_equal(cloud.any_within(asked, 2.0), np.diff(offsets.astype(np.int64)) > 0)
            for row in range(len(asked)):
                inside = set(ids[int(offsets[row]):int(offsets[row + 1])])
                close = near[row][near[row]["distance2"] <= 4.0]
                self.assertTrue(set(close["id"]) <= inside)

    @SETTINGS
    @given(rows(ANY, 9, 6), rows(ANY, 9, 6))
    def test_meshes(self, a, b):
        with tact.Mesh(a.reshape(-1, 3)) as first, tact.Mesh(b.reshape(-1, 3)) as second:
            self.same_everywhere(lambda **o: tact.overlap_pairs(first, second, **o))
            pairs = tact.overlap_pairs(first, second)
            # The same pairs the other way round.
            other = tact.overlap_pairs(second, first)
            self.assertEqual(sorted(zip(pairs["a"], pairs["b"])), sorted(zip(other["b"], other["a"])))
            self.assertEqual(bool(len(pairs)), bool(tact.overlap(first, second)[0]))
            self.assertEqual(tact.separation(first, second).distance == 0, bool(len(pairs)))

    @SETTINGS
    @given(rows(st.one_of(WHOLE, st.floats(-3, 3, width=32)), 7, 10))
    def test_bodies(self, state):
        with tact.Bodies() as bodies:
            shapes = [bodies.add_sphere(0.7), bodies.add_box((1, 0.5, 0.7)), bodies.add_capsule(0.6, 0.3)]
            turned = state[:, 3:] + np.float32([0, 0, 0, 1e-3])
            length = np.linalg.norm(turned, axis=1, keepdims=True)
            turned = np.where(length > 1e-6, turned / np.maximum(length, 1e-6), np.float32([0, 0, 0, 1]))
            if len(state):
                bodies.add(np.resize(shapes, len(state)), state[:, :3], turned)
            self.same_everywhere(bodies.contacts)
            contacts = bodies.contacts()
            self.assertTrue((contacts["a"] < contacts["b"]).all())
            pairs = np.column_stack([contacts["a"], contacts["b"]])
            if len(pairs):
                apart = bodies.distances(np.unique(pairs, axis=0))
                self.assertTrue((apart["distance"] <= 1e-4).all())

    @SETTINGS
    @given(rows(st.floats(0.5, 3.5, width=32), 3, 20), st.sampled_from(["spring", "position", "grains"]))
    def test_particles(self, positions, response):
        states = []
        for backend in ["reference"] + tact.context().backends:
            with tact.Particles(response, boundary="wall", domain=((0, 0, 0), (4, 4, 4)), gravity=(0, -9.81, 0),
                                backend=backend) as p:
                p.add(positions, radius=0.3)
                p.step(1 / 120, 4, 4)
                p.step(1 / 120, 2, 4)
                states.append((p.positions.tobytes(), p.velocities.tobytes(), p.contacts().tobytes()))
        self.assertEqual(states, states[:1] * len(states))

    @SETTINGS
    @given(arrays.arrays(st.sampled_from([np.float64, np.float32, np.int32, np.int64, np.uint8, np.dtype(">f8"), np.bool_]),
                         arrays.array_shapes(min_dims=0, max_dims=4, max_side=9)))
    def test_arrays(self, values):
        # Any array is taken, or refused with a sentence.
        with tact.Scene() as scene, tact.Volumes() as volumes, tact.Bodies() as bodies, tact.Particles() as particles:
            ball = bodies.add_sphere(1)
            for call in (lambda: scene.add(values), lambda: scene.add(np.zeros((9, 3)), values), lambda: scene.raycast(values),
                         lambda: scene.closest_points(values), lambda: scene.raycast_all(values),
                         lambda: scene.add_instance(0, values), lambda: volumes.add(values), lambda: tact.pairs(values),
                         lambda: bodies.add(ball, values), lambda: bodies.add(values, [[0, 0, 0]]),
                         lambda: bodies.remove(values), lambda: tact.PointCloud(values), lambda: tact.cull(values),
                         lambda: particles.add(values), lambda: particles.remove(values), lambda: particles.set_forces(values),
                         lambda: particles.add([[0, 0, 0]], radius=values), lambda: tact.rays(values, values)):
                try:
                    call()
                except (ValueError, tact.Error) as error:
                    self.assertTrue(str(error))
            self.assertEqual(types.hit.itemsize, 20)


if __name__ == "__main__":
    unittest.main()
