# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""Every query of the package against what NumPy computes by the definition, on every device here."""
import gc
import os
import signal
import tempfile
import threading
import time
import unittest

import numpy as np

import tact
from tact import types

TRIANGLE = (np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float64), [[0, 1, 2]])


def backends():
    return tact.context().backends


def box(lower, upper):
    v, t = tact.shapes.cube()
    return (v + 1) / 2 * np.subtract(upper, lower) + lower, t


class Scenes(unittest.TestCase):
    def test_hits_of_a_triangle(self):
        scene = tact.Scene()
        scene.add(*TRIANGLE)
        rays = tact.rays([[0.25, 0.5, 2], [0.9, 0.9, 2], [0.25, 0.5, -1]], [[0, 0, -2], [0, 0, -2], [0, 0, -1]])
        for backend in backends() + ["reference"]:
            hits = scene.raycast(rays, backend=backend)
            self.assertEqual(hits.dtype, types.hit)
            np.testing.assert_array_equal(hits["primitive"], [0, tact.NONE, tact.NONE])
            np.testing.assert_array_equal(hits["instance"], [0, tact.NONE, tact.NONE])
            np.testing.assert_array_equal(hits["t"], np.float32([1, np.inf, np.inf]))
            np.testing.assert_array_equal(hits["u"], np.float32([0.25, 0, 0]))
            np.testing.assert_array_equal(hits["v"], np.float32([0.5, 0, 0]))
            np.testing.assert_array_equal(scene.occluded(rays, backend=backend), [True, False, False])
            np.testing.assert_array_equal(scene.count_hits(rays, backend=backend), [1, 0, 0])

    def test_shapes_and_types_of_rays(self):
        scene = tact.Scene()
        scene.add(*tact.shapes.sphere())
        camera = tact.camera_rays(12, 8, eye=(0, 0, 3), target=(0, 0, 0))
        self.assertEqual((camera.shape, camera.dtype), ((8, 12, 8), np.float32))
        hits = scene.raycast(camera)
        self.assertEqual(hits.shape, (8, 12))
        self.assertTrue((hits[3:5, 5:7]["primitive"] != tact.NONE).all())
        self.assertTrue((hits[0, 0]["primitive"] == tact.NONE).all())
        six = np.concatenate([camera[..., :3], camera[..., 4:7]], -1)
        for other in (camera.astype(np.float64), np.asfortranarray(camera), camera.astype(">f4"), six,
                      camera[::1].view(types.ray)[..., 0], camera.tolist()):
            self.assertEqual(scene.raycast(other).tobytes(), hits.tobytes())
        self.assertEqual(scene.raycast(camera[::2, ::3]).tobytes(), hits[::2, ::3].tobytes())
        self.assertEqual(scene.raycast(np.zeros((0, 8))).shape, (0,))

    def test_instances(self):
        scene = tact.Scene()
        mesh = scene.add_mesh(*TRIANGLE)
        moved = np.eye(4)
        moved[:3, 3] = 5, 0, 0
        self.assertEqual([scene.add_instance(mesh), scene.add_instance(mesh, moved)], [0, 1])
        ray = tact.rays([[5.25, 0.25, 1]], [[0, 0, -1]])
        self.assertEqual(scene.raycast(ray)["instance"][0], 1)
        scene.set_user_data(1, 2 ** 63)
        scene.set_mesh_user_data(mesh, 7)
        np.testing.assert_array_equal(scene.user_data([1, tact.NONE, 0]), np.array([2 ** 63, 0, 0], np.uint64))
        np.testing.assert_array_equal(scene.user_data([1, 0], of_mesh=True), [7, 7])
        scene.move_instances([0, 1], [moved[:3], np.eye(4)[:3]])
        self.assertEqual(scene.raycast(ray)["instance"][0], 0)
        scene.set_mask(0, 2)
        self.assertFalse(scene.occluded(ray, mask=1)[0])
        self.assertTrue(scene.occluded(ray, mask=3)[0])
        self.assertFalse(scene.occluded(ray, mask=0)[0])
        np.testing.assert_array_equal(scene.occluded(np.repeat(ray, 2, 0), mask=[2, 4]), [True, False])
        np.testing.assert_allclose(scene.triangles(0)[0, :, 0], [5, 6, 5])
        scene.remove_instance(0)
        self.assertFalse(scene.occluded(ray)[0])
        self.assertEqual(scene.stats.instances, 1)

    def test_rules(self):
        scene = tact.Scene()
        for z in range(4):
            scene.add(TRIANGLE[0] + [0, 0, z], TRIANGLE[1])
        ray = tact.rays([[0.25, 0.25, 9]], [[0, 0, -1]])
        self.assertEqual(scene.raycast(ray, accept=lambda index, hit: hit["instance"] != 3)["instance"][0], 2)
        self.assertEqual(scene.raycast(ray, cull="front")["instance"][0], tact.NONE)
        self.assertEqual(scene.raycast(ray, cull="back")["instance"][0], 3)
        hits, offsets = scene.raycast_all(np.concatenate([ray, ray + np.float32([9, 0, 0, 0, 0, 0, 0, 0]), ray]))
        np.testing.assert_array_equal(offsets, [0, 4, 4, 8])
        np.testing.assert_array_equal(hits["instance"], [3, 2, 1, 0] * 2)
        self.assertEqual(len(scene.raycast_all(ray, max_hits=2)[0]), 2)
        # More hits than there is room for at first.
        many = tact.Scene()
        many.add(np.tile(TRIANGLE[0], (3000, 1)), np.arange(9000).reshape(-1, 3))
        hits, offsets = many.raycast_all(ray)
        np.testing.assert_array_equal(hits["primitive"], np.arange(3000))

        def fails(index, hit):
            raise KeyError("accept")
        with self.assertRaisesRegex(KeyError, "accept"):
            scene.raycast(ray, accept=fails)

    def test_alpha_and_update(self):
        scene = tact.Scene()
        mesh = scene.add_mesh(*TRIANGLE)
        scene.add_instance(mesh)
        scene.set_alpha(mesh, [[0, 0], [1, 0], [0, 1]], [[0, 255], [0, 255]], wrap="clamp")
        ray = tact.rays([[0.2, 0.1, 1], [0.7, 0.1, 1]], [[0, 0, -1]] * 2)
        np.testing.assert_array_equal(scene.occluded(ray), [False, True])
        np.testing.assert_array_equal(scene.occluded(ray, ignore_alpha=True), [True, True])
        scene.set_alpha(mesh)
        scene.update_mesh(mesh, TRIANGLE[0] - [0, 0, 3])
        scene.set_quality(mesh, "high")
        np.testing.assert_array_equal(scene.raycast(ray)["t"], [4, 4])
        with self.assertRaisesRegex(ValueError, "has 3 vertices, and 2 are given"):
            scene.update_mesh(mesh, [[0, 0, 0]] * 2)
        with self.assertRaisesRegex(ValueError, "no mesh"):
            scene.update_mesh(5, TRIANGLE[0])

    def test_closest_points(self):
        random = np.random.default_rng(3)
        v, t = tact.shapes.torus(sides=12, rings=8)
        scene = tact.Scene()
        scene.add(v, t)
        points = random.uniform(-2, 2, (50, 3)).astype(np.float32)
        wanted = np.min([closest_on_triangle(points, *v[corners].astype(np.float64)) for corners in t], 0)
        for backend in backends() + ["reference"]:
            found = scene.closest_points(points, backend=backend)
            np.testing.assert_allclose(found["distance"], wanted, rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(np.linalg.norm(found["point"] - points, axis=1), wanted, rtol=1e-4, atol=1e-5)
        near = scene.closest_points(points.reshape(5, 10, 3), 0.2)
        self.assertEqual(near.shape, (5, 10))
        np.testing.assert_array_equal(near["instance"].reshape(-1) == tact.NONE, found["distance"] > np.float32(0.2))

    def test_points_against_solids(self):
        scene = tact.Scene()
        scene.add(*box([-1, -1, -1], [1, 1, 1]))
        points = np.random.default_rng(4).uniform(-2, 2, (200, 3)).astype(np.float32)
        inside = (np.abs(points) < 1).all(1)
        outside = np.linalg.norm(np.maximum(np.abs(points) - 1, 0), axis=1)
        wanted = np.where(inside, -(1 - np.abs(points).max(1)), outside)
        for backend in backends():
            located = scene.locate(points, backend=backend)
            np.testing.assert_array_equal(located["inside"], inside)
            np.testing.assert_allclose(located["distance"], wanted, rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(located["winding"], inside, atol=1e-5)
            np.testing.assert_array_equal(scene.contains(points, backend=backend), inside)
            np.testing.assert_array_equal(scene.signed_distance(points, backend=backend), located["distance"])

    def test_sphere_casts(self):
        scene = tact.Scene()
        scene.add(*box([-1, -1, -1], [1, 1, 1]))
        hits = scene.spherecast(tact.rays([[0, 0, 5], [0, 4, 5]], [[0, 0, -1]] * 2), [0.5, 0.5])
        self.assertAlmostEqual(hits["t"][0], 3.5, 5)
        np.testing.assert_allclose(hits["normal"][0], [0, 0, 1], atol=1e-6)
        self.assertEqual(hits["instance"][1], tact.NONE)

    def test_simple_shapes(self):
        scene = tact.Scene()
        scene.add_instance(scene.add_spheres([[0, 0, 0, 1], [5, 0, 0, 1]]))
        scene.add_instance(scene.add_boxes([[-1, -1, 9, 1, 1, 10]]))
        scene.add_instance(scene.add_capsules([[0, -3, 20, 0, 3, 20, 0.5]]))
        hits = scene.raycast(tact.rays([[5, 0, -5], [0, 0, 30]], [[0, 0, 1], [0, 0, -1]]))
        np.testing.assert_array_equal(hits["instance"], [0, 2])
        np.testing.assert_array_equal(hits["primitive"], [1, 0])
        np.testing.assert_allclose(hits["t"], [4, 9.5], rtol=1e-6)

    def test_shared_mesh(self):
        mesh = tact.Mesh(*tact.shapes.cube())
        self.assertTrue(mesh.info.closed)
        v, t = mesh.arrays
        np.testing.assert_array_equal(v, tact.shapes.cube()[0])
        np.testing.assert_array_equal(t, tact.shapes.cube()[1])
        scenes = [tact.Scene(), tact.Scene()]
        for scene in scenes:
            scene.add_instance(scene.attach(mesh))
        ray = tact.rays([[0, 0, 5]], [[0, 0, -1]])
        self.assertEqual([scene.raycast(ray)["t"][0] for scene in scenes], [4, 4])
        mesh.move_vertices(2 * v)
        for scene in scenes:
            scene.commit()
        self.assertEqual([scene.raycast(ray)["t"][0] for scene in scenes], [3, 3])

    def test_culling_and_picking(self):
        scene = tact.Scene()
        mesh = scene.add_mesh(*tact.shapes.cube(0.5))
        for x in range(-3, 4):
            matrix = np.eye(4)
            matrix[0, 3] = 2 * x
            scene.add_instance(mesh, matrix)
        view = tact.View.camera(64, 64, eye=(0, 0, 6), target=(0, 0, 0), fov=40)
        np.testing.assert_array_equal(scene.cull(), np.arange(7))
        ids, classes = scene.cull(view.planes, classes=True)
        np.testing.assert_array_equal(ids, [2, 3, 4])
        np.testing.assert_array_equal(classes, [1, 2, 1])
        matrix = tact.perspective(40, 1, 0.01, np.inf) @ tact.look_at((0, 0, 6), (0, 0, 0))
        np.testing.assert_array_equal(scene.cull(tact.frustum_planes(matrix)), [2, 3, 4])
        with tact.Picker() as picker:
            for backend in backends():
                picks = picker.pick(scene, view, at=(32, 32), backend=backend)
                self.assertEqual(picks["instance"].tolist(), [3])
                np.testing.assert_allclose(picks["position"][0][2], 0.5, atol=1e-4)
                np.testing.assert_allclose(picks["normal"][0], [0, 0, 1], atol=1e-6)
            self.assertEqual(sorted(picker.pick(scene, view)["instance"]), [2, 3, 4])
            self.assertEqual(picker.pick(scene, view, rectangle=(0, 0, 20, 64))["instance"].tolist(), [2])
            lasso = [[20, 20], [44, 20], [44, 44], [20, 44]]
            self.assertEqual(picker.pick(scene, view, lasso=lasso)["instance"].tolist(), [3])
            self.assertGreater(picker.pick(scene, view, at=(32, 32), extent="all", group="primitive").size, 1)
        place = view.project((0, 0, 0.5))
        np.testing.assert_allclose(place[:2], [32, 32], atol=1e-4)
        np.testing.assert_allclose(view.unproject(*place), [0, 0, 0.5], atol=1e-3)
        self.assertIsNone(view.project((0, 0, 9)))
        np.testing.assert_allclose(view.ray(32, 32)[4:7] / np.linalg.norm(view.ray(32, 32)[4:7]), [0, 0, -1], atol=1e-6)
        self.assertEqual((view.part(0, 0, 8, 4).width, view.part(0, 0, 8, 4).height), (8, 4))


def closest_on_triangle(p, a, b, c):
    """Distances of points from a triangle: of all points of the plane inside of it, and of its edges."""
    def segment(a, b):
        t = np.clip(((p - a) @ (b - a)) / ((b - a) @ (b - a)), 0, 1)
        return np.linalg.norm(p - (a + t[:, None] * (b - a)), axis=1)
    n = np.cross(b - a, c - a)
    n /= np.linalg.norm(n)
    height = (p - a) @ n
    q = p - height[:, None] * n
    within = np.all([np.cross(e - s, q - s) @ n >= 0 for s, e in ((a, b), (b, c), (c, a))], 0)
    return np.where(within, np.abs(height), np.minimum.reduce([segment(a, b), segment(b, c), segment(c, a)]))


class BroadPhase(unittest.TestCase):
    def boxes(self, count, seed=1):
        low = np.random.default_rng(seed).uniform(0, 10, (count, 3))
        return np.concatenate([low, low + 1], 1).astype(np.float32)

    @staticmethod
    def brute(a, b=None):
        c = a if b is None else b
        meet = ((a[:, None, :3] <= c[None, :, 3:]) & (c[None, :, :3] <= a[:, None, 3:])).all(2)
        return np.argwhere(np.triu(meet, 1) if b is None else meet)

    def test_pairs(self):
        a, b = self.boxes(300), self.boxes(200, 2)
        for backend in backends():
            np.testing.assert_array_equal(tact.pairs(a, backend=backend), self.brute(a))
            np.testing.assert_array_equal(tact.pairs(a, b, backend=backend), self.brute(a, b))
        for method in ("brute", "sap", "grid", "hgrid", "bvh", "tree"):
            np.testing.assert_array_equal(tact.pairs(a, method=method), self.brute(a))
        spheres = np.column_stack([a[:, :3], np.full(300, 0.6)]).astype(np.float32)
        far = np.linalg.norm(spheres[:, None, :3].astype(np.float64) - spheres[None, :, :3], axis=2)
        np.testing.assert_array_equal(tact.pairs(spheres), np.argwhere(np.triu(far <= 2 * np.float32(0.6), 1)))

    def test_sets(self):
        a = self.boxes(100)
        with tact.Volumes() as volumes:
            np.testing.assert_array_equal(volumes.add(a, user_data=np.arange(100)), np.arange(100))
            self.assertEqual((len(volumes), 5 in volumes, 100 in volumes, volumes.user_data(42)), (100, True, False, 42))
            np.testing.assert_array_equal(volumes[7], a[7])
            tracker = tact.PairTracker(volumes)
            tracker.update()
            np.testing.assert_array_equal(tracker.begun, self.brute(a))
            a[:50, [0, 3]] += 0.5
            volumes.move(a[:50])
            before, now = tracker.current, self.brute(a)
            tracker.update()
            rows = [set(map(tuple, pairs)) for pairs in (before, now)]
            self.assertEqual(set(map(tuple, tracker.begun)), rows[1] - rows[0])
            self.assertEqual(set(map(tuple, tracker.ended)), rows[0] - rows[1])
            self.assertEqual(set(map(tuple, tracker.kept)), rows[0] & rows[1])
            pieces = []
            count = volumes.pairs_each(lambda pairs: pieces.append(pairs))
            self.assertEqual(count, len(now))
            np.testing.assert_array_equal(np.concatenate(pieces), now)
            with self.assertRaises(tact.Cancelled):
                volumes.pairs_each(lambda pairs: False)
            volumes.set_categories(1, np.where(np.arange(100) < 50, 1, 2))
            self.assertTrue((volumes.pairs() < 50).all())
            volumes.remove([3, 4])
            self.assertEqual((len(volumes), volumes.id_end), (98, 100))
            self.assertIn("pairs", volumes.pairs_info.asdict())
            volumes.clear()
            self.assertEqual(len(volumes.pairs()), 0)

    def test_culling(self):
        a = self.boxes(500)
        planes = np.array([[1, 0, 0, 5], [0, 1, 0, 5]], np.float32)
        wanted = np.flatnonzero((a[:, 0] <= 5) & (a[:, 1] <= 5))
        for backend in backends():
            np.testing.assert_array_equal(tact.cull(a, planes, backend=backend), wanted)
        ids, classes = tact.cull(a, planes, classes=True)
        np.testing.assert_array_equal(np.flatnonzero(classes), wanted)
        np.testing.assert_array_equal(classes == 2, (a[:, 3] <= 5) & (a[:, 4] <= 5))
        np.testing.assert_array_equal(tact.cull(a, boxes=a[:1]), np.unique(self.brute(a[:1], a)[:, 1]))
        turned = np.zeros(2, types.obb)
        turned["axis"], turned["half"] = np.eye(3), 1
        turned["center"][1] = 9, 9, 9
        np.testing.assert_array_equal(tact.cull(turned, planes), [0])

    def test_point_clouds(self):
        random = np.random.default_rng(5)
        points, asked = random.uniform(0, 1, (400, 3)).astype(np.float32), random.uniform(0, 1, (30, 3)).astype(np.float32)
        d = np.linalg.norm(asked[:, None].astype(np.float64) - points[None], axis=2)
        with tact.PointCloud(points) as cloud:
            for backend in backends():
                near = cloud.nearest(asked, 3, backend=backend)
                np.testing.assert_array_equal(near["id"], np.argsort(d, 1)[:, :3])
                ids, offsets = cloud.within(asked, 0.2, backend=backend)
                for row in range(30):
                    np.testing.assert_array_equal(ids[offsets[row]:offsets[row + 1]], np.flatnonzero(d[row] <= 0.2))
                np.testing.assert_array_equal(cloud.any_within(asked, 0.05, backend=backend), (d <= 0.05).any(1))
            cloud.replace(points[:2])
            self.assertEqual(len(cloud), 2)
            self.assertEqual(cloud.nearest(asked[0], 3)["id"][2], tact.NONE)


class Meshes(unittest.TestCase):
    def test_overlap(self):
        a, b = tact.Mesh(*tact.shapes.cube()), tact.Mesh(*tact.shapes.cube(0.5))
        poses = np.tile(np.eye(4), (4, 1, 1))
        poses[:, 0, 3] = 0, 1, 5, 1.5
        for backend in backends():
            np.testing.assert_array_equal(tact.overlap(a, b, poses, backend=backend), [0, 1, 0, 1])
            np.testing.assert_array_equal(tact.overlap(a, b, poses, solid=True, backend=backend), [3, 1, 0, 1])
            pairs = tact.overlap_pairs(a, b, poses, backend=backend)
            self.assertEqual(sorted(set(pairs["pose"])), [1, 3])
        meeting = tact.overlap_segments(a, b, pairs, poses)
        self.assertTrue((meeting["meeting"] > 0).all())
        far = tact.separation(a, b, poses[2])
        self.assertAlmostEqual(far.distance, 3.5, 5)
        self.assertAlmostEqual(far.point_a[0], 1, 5)
        with tact.MeshFront(a, b) as front:
            self.assertEqual(tact.separation(a, b, poses[2], front=front), far)
        self.assertEqual(tact.separation(a, b, poses[2], limit=1).distance, np.inf)
        crossed = tact.Mesh(np.concatenate([TRIANGLE[0], [[0.2, 0.2, -1], [0.2, 0.2, 1], [0.3, 0.2, 1]]]))
        pairs = tact.self_overlap_pairs(crossed)
        self.assertEqual(pairs[["a", "b"]].tolist(), [(0, 1)])

    def test_filter(self):
        cube = tact.shapes.cube(0.5)
        poses = np.tile(np.eye(4), (3, 1, 1))
        poses[:, 0, 3] = 0, 0.9, 5
        with tact.Filter() as f:
            for backend in backends():
                pairs = f.run([cube], [0, 0, 0], poses, backend=backend)
                self.assertEqual(set(zip(pairs["object_a"], pairs["object_b"])), {(0, 1)})
            self.assertEqual([stage.name for stage in f.stages], ["scene", "boxes", "objects", "parts", "triangles", "exact"])
            with self.assertRaisesRegex(ValueError, "1 poses for 3 objects"):
                f.run([cube], [0, 0, 0], poses[0])

    def test_images(self):
        ball = tact.shapes.sphere(1, 2)
        poses = np.tile(np.eye(4), (2, 1, 1))
        poses[:, 0, 3] = 1, 3
        with tact.ImageTester() as tester:
            for found in (tester.convex(ball, ball, poses, method="readback"), tester.concave(ball, ball, poses)):
                np.testing.assert_array_equal(found["overlap"], [True, False])
                self.assertTrue((found["tolerance"] >= 0).all())


class Bodies(unittest.TestCase):
    def test_contacts(self):
        with tact.Bodies() as bodies:
            ball, ground = bodies.add_sphere(0.5), bodies.add_half_space()
            ids = bodies.add([ball, ball, ground], [[0, 0.4, 0], [0, 1.3, 0], [0, 0, 0]])
            for backend in backends():
                contacts = bodies.contacts(backend=backend)
                self.assertEqual([(a, b) for a, b in zip(contacts["a"], contacts["b"])], [(0, 1), (0, 2)])
            points = bodies.contact_points(contacts)
            np.testing.assert_allclose(points["depth"], [0.1, 0.1], atol=1e-5)
            np.testing.assert_allclose(points["normal"], [[0, 1, 0], [0, -1, 0]], atol=1e-5)
            np.testing.assert_allclose(points["position"], [[0, 0.85, 0], [0, -0.05, 0]], atol=1e-5)
            self.assertEqual(len(bodies.contacts([[1, 2]])), 0)
            self.assertAlmostEqual(bodies.distances([[1, 2]])["distance"][0], 0.8, 5)
            self.assertEqual(bodies.distances([[1, 2]], overlap_only=True)["distance"][0], np.inf)
            self.assertEqual(bodies.distances([[0, 1]], overlap_only=True)["distance"][0], 0)
            np.testing.assert_allclose(bodies[1].pose.position, (0, 1.3, 0))
            bodies.move([[0, 5, 0]], ids=[1])
            np.testing.assert_allclose(bodies.poses([1])["position"], [[0, 5, 0]])
            near = bodies.nearest(ball, [[0, 7, 0]])
            self.assertEqual(near["body"][0], 1)
            self.assertAlmostEqual(near["distance"][0], 1, 5)
            hit = bodies.casts(ball, [[0, 9, 0]], [[0, 1, 0]])
            self.assertEqual(hit["body"][0], 1)
            self.assertAlmostEqual(hit["fraction"][0], 3 / 8, 4)
            hits, offsets = bodies.casts(ball, [[0, 9, 0]], [[0, 1, 0]], all_hits=True)
            self.assertEqual((hits["body"].tolist(), offsets.tolist()), ([1, 0], [0, 2]))
            bodies.remove(ids[:1])
            self.assertEqual(len(bodies), 2)
            self.assertAlmostEqual(bodies.measure(ball).mass, 1000 * np.pi / 6, 2)

    def test_all_shapes(self):
        with tact.Bodies() as bodies:
            cube = tact.shapes.cube()
            shapes = [bodies.add_sphere(0.5), bodies.add_capsule(0.5, 0.5), bodies.add_box((1, 1, 1), 0.1),
                      bodies.add_hull(cube[0]), bodies.add_half_space(), bodies.add_cylinder(1, 1), bodies.add_cone(1, 1)]
            shapes += [bodies.add_compound(shapes[:2], [[0, 0, 0], [2, 0, 0]]), bodies.add_mesh(*cube),
                       bodies.add_height_field(np.zeros((4, 5)), 1, 1)]
            self.assertEqual(shapes, list(range(10)))
            bodies.add(shapes, [[0, 0, 0]] * 10)
            self.assertGreater(len(bodies.contacts()), 20)

    def test_changes(self):
        with tact.Bodies() as bodies:
            ball = bodies.add_sphere(1)
            bodies.add(ball, [[0, 0, 0], [1, 0, 0], [9, 0, 0]])
            bodies.follow_contacts(True, 4)
            bodies.contacts()
            changes = bodies.contact_changes()
            self.assertEqual((changes.begun, len(changes.ended)), (1, 0))
            changes.data[0, 0] = 1, 2, 3, 4
            bodies.move([[1.5, 0, 0]], ids=[1])
            bodies.contacts()
            changes = bodies.contact_changes()
            self.assertEqual((changes.begun, changes.from_["row"].tolist()), (0, [0]))
            self.assertEqual(changes.data[0, 0].tolist(), [1, 2, 3, 4])
            bodies.move([[5, 0, 0]], ids=[1])
            bodies.contacts()
            self.assertEqual(bodies.contact_changes().ended.tolist(), [0])

    def test_motion(self):
        with tact.Bodies() as bodies:
            box_, ground = bodies.add_box((0.1, 0.1, 0.1)), bodies.add_half_space()
            bodies.add([box_, ground], [[0, 0.15, 0], [0, 0, 0]])
            with tact.BodyGrains(bodies, gravity=(0, -9.81, 0)) as grains:
                grains.set_matter([0], density=1000)
                grains.step(0.01, 50)
                self.assertAlmostEqual(bodies[0].pose.position[1], 0.1, 1)
                saved = grains.save()
                grains.step(0.01, 10)
                wanted = bodies.poses([0]).tobytes(), grains.read([0])["velocities"].tobytes()
                self.assertGreater(grains.totals().contacts, 0)
                self.assertEqual(len(grains.contacts()[0]), 1)
                self.assertAlmostEqual(grains.measures(0).mass, 8, 4)
            with tact.BodyGrains.load(bodies, saved) as grains:
                grains.step(0.01, 10)
                self.assertEqual((bodies.poses([0]).tobytes(), grains.read([0])["velocities"].tobytes()), wanted)
                grains.write([0], velocities=(1, 0, 0))
                np.testing.assert_array_equal(grains.read([0])["velocities"], [[1, 0, 0]])


class ParticleSystems(unittest.TestCase):
    def test_free_fall(self):
        for backend in backends():
            with tact.Particles(gravity=(0, -10, 0), backend=backend) as p:
                ids = p.add([[0, 0, 0], [5, 0, 0]], velocities=(1, 0, 0), radius=[0.1, 0.2], mass=[1, 2])
                np.testing.assert_array_equal(ids, [0, 1])
                p.step(0.01, 100)
                np.testing.assert_allclose(p.velocities, [[1, -10, 0]] * 2, rtol=1e-4)
                np.testing.assert_allclose(p.positions[:, 0], [1, 6], rtol=1e-4)
                np.testing.assert_allclose(p.positions[:, 1], -5, rtol=0.02)
                np.testing.assert_array_equal(p.radii, np.float32([0.1, 0.2]))
                np.testing.assert_array_equal(p.masses, [1, 2])
                self.assertEqual(p.info.steps, 100)
                self.assertEqual(p.info.backend, backend)

    def test_state(self):
        with tact.Particles("grains", boundary="wall", domain=((0, 0, 0), (4, 4, 4)), gravity=(0, -9.81, 0)) as p:
            random = np.random.default_rng(6)
            p.add(random.uniform(0.5, 3.5, (60, 3)), radius=0.2)
            p.step(0.005, 40)
            saved = p.save()
            p.step(0.005, 20)
            wanted = p.save()
            with tact.Particles.restore(saved) as q:
                q.step(0.005, 20)
                self.assertEqual(q.save(), wanted)
            self.assertEqual(p.domain[0], ("wall",) * 3)
            np.testing.assert_array_equal(p.domain[1], [[0, 0, 0], [4, 4, 4]])
            contacts, forces = p.contacts(), p.contact_forces()
            self.assertGreater(len(contacts), 0)
            np.testing.assert_array_equal(forces["contact"]["a"], contacts["a"])
            far = np.linalg.norm(p.positions[:, None].astype(np.float64) - p.positions[None], axis=2)
            lists = p.neighbours(0.8)
            counts = dict(zip(lists.ids, np.diff(lists.offsets.astype(np.int64))))
            np.testing.assert_array_equal([counts[id] for id in p.ids], (far <= 0.8).sum(1) - 1)
            self.assertEqual(len(p.neighbours(0.8, once=True).neighbours) * 2, len(lists.neighbours))
            self.assertAlmostEqual(p.measure().mass, 60 * 1000 * 4 / 3 * np.pi * 0.2 ** 3, 1)
            cells = p.average((0, 0, 0), (4, 4, 4), (2, 3, 4))
            self.assertEqual(cells.shape, (4, 3, 2))
            self.assertAlmostEqual(cells["particles"].sum(), 60, delta=1)  # some stand out of the domain a little
            spins, turned = p.turning()
            self.assertEqual((spins.shape, turned.shape), ((60, 3), (60, 4)))
            p.write_turning(spins=(0, 0, 1), orientations=(0, 0, 0, 1))
            np.testing.assert_array_equal(p.turning()[0], [[0, 0, 1]] * 60)
            p.set_user_data(np.arange(60))
            np.testing.assert_array_equal(p.user_data([5, 6]), [5, 6])
            p.remove([0])
            self.assertEqual((len(p), p.ids[0], p.id_end), (59, 1, 60))
            p.positions = p.positions + np.float32([0, 0, 0.01])
            p.velocities = (0, 0, 0)
            np.testing.assert_array_equal(p.velocities, np.zeros((59, 3)))
            p.clear()
            self.assertEqual(len(p), 0)

    def test_surfaces(self):
        with tact.Particles("spring", gravity=(0, -10, 0)) as p:
            floor = p.add_collider(tact.plane((0, 1, 0), 0))
            p.set_collider_user_data(floor, 99)
            p.add([[0, 0.1, 0]], radius=0.1, mass=1)
            p.step(0.001, 2000)
            self.assertAlmostEqual(p.surface_loads().colliders["normal_force"][0], 10, 1)
            contacts = p.contacts()
            self.assertEqual(contacts["with"].tolist(), [2])
            np.testing.assert_array_equal(p.touched_user_data(contacts), [99])
            p.set_collider(floor, tact.plane((0, 1, 0), -5))
            p.step(0.001, 100)
            self.assertLess(p.positions[0, 1], 0.06)
            ball = p.add_collider(tact.sphere((9, 9, 9), 1, velocity=(1, 0, 0)))
            p.set_motion(collider=ball)
            p.step(0.01, 10)
            self.assertAlmostEqual(p.surface(collider=ball).pose.position[0], 9.1, 4)
            mesh = p.add_mesh(*tact.shapes.cube(), position=(20, 0, 0))
            field = p.add_height_field(np.zeros((3, 3)), 1, 1, position=(40, 0, 0))
            p.move_body(mesh, (21, 0, 0))
            self.assertEqual((mesh, field, p.surface(body=mesh).pose.position[0]), (0, 1, 21))
            emitter = p.add_emitter((0, 20, 0), ((1, 0, 0), (0, 0, 1)), (0, -1, 0), radius=0.1, limit=50)
            p.step(0.01, 100)
            self.assertGreater(len(p), 10)
            p.set_emitter(emitter, (0, 20, 0), ((1, 0, 0), (0, 0, 1)), (0, -1, 0), radius=0.1, limit=len(p))
            p.add_sink(tact.box((0, 20, 0), (100, 100, 100)))
            p.step(0.01)
            self.assertEqual(len(p), 0)
            with self.assertRaisesRegex(TypeError, "no setting 'speed'"):
                p.add_emitter((0, 20, 0), ((1, 0, 0), (0, 0, 1)), (0, -1, 0), speed=1)
            with self.assertRaisesRegex(TypeError, "no colour"):
                tact.sphere((0, 0, 0), 1, colour=1)

    def test_forces(self):
        with tact.Particles() as p:
            p.add([[0, 0, 0], [9, 0, 0]], radius=0.1, mass=2)
            p.set_forces([[2, 0, 0], [0, 4, 0]])
            p.step(0.01, 100)
            np.testing.assert_allclose(p.velocities, [[1, 0, 0], [0, 2, 0]], rtol=1e-4)
            p.set_forces()
            p.velocities = (0, 0, 0)
            p.set_program("fx = strength * m", strength=3)
            p.step(0.01, 100)
            np.testing.assert_allclose(p.velocities[:, 0], 3, rtol=1e-4)
            self.assertEqual(p.program, "fx = strength * m")
            p.set_program_parameter("strength", 0)
            with self.assertRaisesRegex(ValueError, "column"):
                p.set_program("fx = ?")
            p.set_program(None)
            self.assertIsNone(p.program)
            p.velocities = (0, 0, 0)
            calls = []

            def force(call):
                calls.append(call.count)
                call.forces[:] = call.masses[:, None] * np.float32([0, 0, -1])
            p.set_force_function(force)
            p.step(0.01, 100, 1)
            np.testing.assert_allclose(p.velocities[:, 2], -1, rtol=1e-4)
            self.assertEqual(calls, [2] * 100)

            def fails(call):
                raise LookupError("force")
            p.set_force_function(fails)
            with self.assertRaisesRegex(LookupError, "force"):
                p.step(0.01)
            p.set_force_function(None)
            p.step(0.01)

    def test_bonds_and_clumps(self):
        with tact.Particles("grains") as p:
            p.add([[0, 0, 0], [0.2, 0, 0], [5, 0, 0]], radius=0.1)
            p.set_bond_law(0, young=1e7, shear=1e7, radius=0.5, damping=0.1, tensile_strength=np.inf,
                           shear_strength=np.inf)
            self.assertEqual(p.bond_near(0.01), 1)
            self.assertEqual(p.bonds()[["a", "b"]].tolist(), [(0, 1)])
            p.unbond()
            p.bond([[0, 1]])
            self.assertEqual(len(p.bonds()), 1)
            shape = tact.ClumpShape([[0, 0, 0], [0.15, 0, 0]], 0.1)
            ids = p.add_clumps(shape, [[0, 5, 0], [0, 7, 0]])
            self.assertEqual(p.clump_spheres(int(ids[0])).tolist(), [3, 4])
            state = p.clumps()
            np.testing.assert_array_equal(state["ids"], ids)
            np.testing.assert_allclose(state["masses"], shape.measure().mass, rtol=1e-5)
            p.write_clumps(velocities=(0, 1, 0))
            p.step(0.001, 10)
            np.testing.assert_allclose(p.clumps()["positions"][:, 1], [5.01, 7.01], rtol=1e-5)
            p.remove_clumps(ids)
            self.assertEqual(len(p), 3)
            packed = tact.ClumpShape.pack(*tact.shapes.cube(), most=8, cells=8)
            self.assertLessEqual(len(packed.radii), 8)
            self.assertAlmostEqual(packed.packing.volume, 8, 3)


class Records(unittest.TestCase):
    def test_replay(self):
        with tempfile.TemporaryDirectory() as folder, tact.Context(record=8) as context:
            path = os.path.join(folder, "queries.tact")
            scene = tact.Scene(context=context)
            scene.add(*TRIANGLE)
            rays = tact.rays([[0.25, 0.25, 1]], [[0, 0, -1]])
            hits = scene.raycast(rays)
            bodies = tact.Bodies(context=context)
            bodies.add(bodies.add_sphere(1), [[0, 0, 0], [1, 0, 0]])
            contacts = bodies.contacts()
            self.assertEqual(context.recorded, 2)
            context.record_save(path)
            context.record_clear()
            recording = tact.Recording(path)
            self.assertEqual([recording[index].kind for index in range(len(recording))], ["raycast", "bodies"])
            self.assertTrue(recording.run(0).same)
            self.assertTrue(recording.run(0, backend="reference").same)
            self.assertEqual(recording.answer(0), hits.tobytes())
            self.assertEqual(recording.scene(0).raycast(rays).tobytes(), hits.tobytes())
            self.assertNotEqual(recording.scene_number(0), 0)
            self.assertEqual(recording.scene_number(len(recording)), 0)
            self.assertEqual(recording.bodies(1).contacts().tobytes(), contacts.tobytes())
            self.assertIsNone(recording.bodies(0))
            np.testing.assert_array_equal(recording.meshes(0)[0][0], np.float32(TRIANGLE[0]))
            np.testing.assert_array_equal(recording.arrays(0)["rays"].reshape(-1), rays.reshape(-1))
            with open(path, "rb") as f:
                data = f.read()
            self.assertEqual(len(tact.Recording(data)), 2)
            with self.assertRaises(ValueError):
                tact.Recording(data[:-5])
            with self.assertRaises(IndexError):
                recording[2]


class Objects(unittest.TestCase):
    def test_context(self):
        with tact.Context(threads=1, gl=False, cl=False) as context:
            self.assertEqual(context.backends, ["cpu"])
            self.assertIsNone(context.missing("cpu"))
            self.assertTrue(context.missing("gl"))
            scene = tact.Scene(context=context)
            scene.add(*TRIANGLE)
            report = tact.Report()
            scene.raycast(np.zeros((3, 8)), report=report, threads=1)
            self.assertEqual((report.backend, report.threads, report.exact), ("cpu", 1, True))
            explained = context.explain()
            self.assertEqual((explained.query, explained.method, explained.answered), ("casting rays", "closest", "cpu"))
            with self.assertRaises(tact.NoDevice):
                scene.raycast(np.zeros((3, 8)), backend="gl", fallback=False)
            self.assertGreater(context.milliseconds, 0)
            self.assertEqual(context.device_counts("gl").launches, 0)
        with self.assertRaisesRegex(tact.InvalidArgument, "this Scene is closed"):
            scene.raycast(np.zeros((1, 8)))
        self.assertTrue(scene.closed)
        scene.close()

    def test_options(self):
        with tact.Context(threads=2) as context:
            report = tact.Report()
            scene = tact.Scene(context=context)
            scene.add(*tact.shapes.sphere())
            for threads in (1, 2):
                scene.raycast(np.zeros((100, 8)), backend="cpu", threads=threads, report=report)
                self.assertEqual(report.threads, threads)
            volumes = tact.Volumes(context=context)
            volumes.add([[0, 0, 0, 1, 1, 1]] * 3)
            for backend in context.backends[1:]:
                # Devices do not sort and sweep.
                self.assertEqual(len(volumes.pairs(method="sap", backend=backend, report=report)), 3)
                self.assertEqual(report.backend, "cpu")
                with self.assertRaises(tact.Unsupported):
                    volumes.pairs(method="sap", backend=backend, fallback=False)

    def test_order_of_closing(self):
        # Objects may be dropped in any order: what is made from another keeps it.
        for _ in range(20):
            context = tact.Context(gl=False, cl=False)
            a, b = tact.Volumes(context=context), tact.Volumes(context=context)
            tracker = tact.PairTracker(a, b)
            del context
            gc.collect()
            a.add([[0, 0, 0, 1, 1, 1]])
            b.add([[0, 0, 0, 1, 1, 1]])
            del a, b
            gc.collect()
            tracker.update()
            self.assertEqual(len(tracker.current), 1)

    def test_log(self):
        lines = []
        with tact.Context(log=lambda *line: lines.append(line), gl=False, cl=False, cache_directory="/nonexistent/x"):
            pass
        for level, source, message in lines:
            self.assertIn(level, ("debug", "info", "warning", "error"))
            self.assertTrue(source and message)

    def test_errors(self):
        scene = tact.Scene()
        cases = [(lambda: scene.add([[0, 0, 0]], [[0, 0, 1]]), "refers to vertex 1"),
                 (lambda: scene.add([[0, 0, 0]], [[0, 0, -1]]), "-1 is out of range"),
                 (lambda: scene.add([[0, 0, 0]], [[0.0, 0.5, 0]]), "whole numbers"),
                 (lambda: scene.add([[0, 0]], [[0, 0, 0]]), r"shape \(n, 3\) wanted, not \(1, 2\)"),
                 (lambda: scene.add([["a", "b", "c"]]), "numbers wanted"),
                 (lambda: scene.add([[0, 0, 0]] * 4), "each three vertices"),
                 (lambda: scene.add_instance(7), "mesh"),
                 (lambda: scene.add_instance(0, np.zeros((2, 2))), "the matrix"),
                 (lambda: scene.add_instance(0, np.ones((4, 4))), "the last row"),
                 (lambda: scene.raycast(np.zeros((3, 7))), r"\(3, 7\)"),
                 (lambda: scene.raycast(np.zeros((3, 8)), "nearest"), "one of closest, any, count"),
                 (lambda: scene.raycast(np.zeros((3, 8)), backend="cuda"), "one of auto, cpu, gl, cl, reference"),
                 (lambda: scene.raycast(np.zeros((3, 8)), mask=[1, 2]), "2 for 3 rays"),
                 (lambda: tact.Bodies().add(0, [[0, 0, 0]]), "shape"),
                 (lambda: tact.Particles(boundary="soft"), "one of open, wall, periodic"),
                 (lambda: tact.Particles.restore(b"nonsense"), ""),
                 (lambda: tact.pairs([[1, 2, 3]]), "boxes")]
        for call, text in cases:
            with self.assertRaisesRegex(ValueError, text):
                call()
        with self.assertRaisesRegex(TypeError, "no setting 'colour'"):
            tact.Particles(colour=3)
        with self.assertRaises(TypeError):
            scene.raycast(np.zeros((3, 8)), speed=3)
        try:
            scene.add_instance(7)
        except tact.Error as error:
            self.assertEqual((error.result, error.code), ("TACT_ERROR_INVALID_ARGUMENT", -1))

    def test_hostile_numbers(self):
        scene = tact.Scene()
        scene.add([[np.nan, 0, 0], [1e300, 0, 0], [np.inf, 1, 0]], [[0, 1, 2]])
        self.assertEqual(scene.stats.skipped_triangles, 1)
        bad = np.array([np.nan, np.inf, -np.inf, 1e300, -0.0, 5e-324])
        rays = np.stack(np.meshgrid(bad, bad, bad), -1).reshape(-1, 3)
        hits = scene.raycast(tact.rays(rays, rays[::-1]))
        self.assertTrue((hits["primitive"] == tact.NONE).all())
        self.assertTrue((scene.closest_points(rays)["instance"] == tact.NONE).all())

    def test_threads(self):
        # Queries release the GIL: while one thread is in the library others go on, and any number may ask one scene.
        scene = tact.Scene()
        scene.add(*tact.shapes.sphere(1, 5))
        scene.commit()
        rays = tact.camera_rays(600, 600, eye=(0, 0, 3), target=(0, 0, 0))
        wanted = scene.raycast(rays, threads=1).tobytes()
        ticks, done = [], threading.Event()

        def count():
            while not done.is_set():
                ticks.append(1)
                time.sleep(0.0005)
        counter = threading.Thread(target=count)
        counter.start()
        results = []
        askers = [threading.Thread(target=lambda: results.append(scene.raycast(rays, threads=1).tobytes()))
                  for _ in range(4)]
        for thread in askers:
            thread.start()
        for thread in askers:
            thread.join()
        done.set()
        counter.join()
        self.assertEqual(results, [wanted] * 4)
        self.assertGreater(len(ticks), 5)

    def test_progress(self):
        with tact.Particles() as p:
            p.add([[0, 0, 0]])
            told = []
            p.step(0.001, 20, progress=told.append)
            self.assertEqual(told[-1], 1)
            self.assertEqual(told, sorted(told))
            with self.assertRaises(tact.Cancelled):
                p.step(0.001, 100, progress=lambda part: part < 0.5)
            steps = p.info.steps

            def fails(part):
                raise OSError("progress")
            with self.assertRaisesRegex(OSError, "progress"):
                p.step(0.001, 100, progress=fails)
            self.assertGreater(p.info.steps, steps)

    def test_interrupt(self):
        # Ctrl-C ends a call in the main thread.
        with tact.Particles() as p:
            p.add(np.random.default_rng(1).uniform(0, 20, (2000, 3)), radius=0.2)
            timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
            timer.start()
            with self.assertRaises(KeyboardInterrupt):
                p.step(0.001, 100000000)
            timer.join()
            steps = p.info.steps
            self.assertGreater(steps, 0)
            p.step(0.001)
            self.assertEqual(p.info.steps, steps + 1)

    def test_shadow(self):
        scene = tact.Scene()
        scene.add(*tact.shapes.torus(sides=12, rings=8))
        for backend in backends():
            scene.raycast(tact.camera_rays(16, 16, eye=(0, 0, 4), target=(0, 0, 0)), backend=backend, shadow=True)

    def test_pictures(self):
        scene = tact.Scene()
        scene.add(*tact.shapes.torus())
        picture = tact.show(scene, size=(64, 48))
        self.assertEqual(picture.pixels.shape, (48, 64, 3))
        middle, corner = picture.pixels[24, 22:42].astype(int), picture.pixels[0, 0].astype(int)
        self.assertGreater(np.abs(middle - corner).max(), 60)
        self.assertEqual(picture._repr_png_()[:8], b"\x89PNG\r\n\x1a\n")
        with tact.Particles() as p:
            p.add([[0, 0, 0], [3, 0, 0]])
            p.step(0.001)
            tact.show(p, {"points": [[0, 0, 0]], "normals": [[0, 1, 0]]}, {"capsules": [[0, 0, 0, 1, 1, 1, 0.1]]},
                      tact.shapes.cube(), size=(16, 16))
        with self.assertRaisesRegex(ValueError, "nothing to show"):
            tact.show()
        with self.assertRaisesRegex(ValueError, "cannot be shown"):
            tact.show(3)
        with self.assertRaisesRegex(ValueError, "only .png"):
            picture.save("picture.jpg")

    def test_window(self):
        # What `tact view` is given: meshes as files, spheres and lines as meshes.
        with tempfile.TemporaryDirectory() as folder:
            tool, seen = os.path.join(folder, "tact"), os.path.join(folder, "seen")
            with open(tool, "w", encoding="utf-8") as f:
                f.write(f'#!/bin/sh\ntest "$1" = view && shift && cat "$@" >{seen}\n')
            os.chmod(tool, 0o755)
            before = os.environ.get("TACT_TOOL")
            os.environ["TACT_TOOL"] = tool
            try:
                tact.show(tact.shapes.cube(), {"spheres": [[0, 0, 0, 1]]}, {"rays": [[0, 0, 5, 0, 0, -1]]}, window=True)
            finally:
                os.environ.pop("TACT_TOOL")
                if before is not None:
                    os.environ["TACT_TOOL"] = before
            with open(seen, encoding="ascii") as f:
                lines = f.read().split("\n")
        ball = tact.shapes.sphere(subdivisions=2)
        self.assertEqual(sum(line.startswith("v ") for line in lines), 8 + len(ball[0]) + 16)
        self.assertEqual(sum(line.startswith("f ") for line in lines), 12 + len(ball[1]) + 16)


if __name__ == "__main__":
    unittest.main()
