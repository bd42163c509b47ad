# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""The adapter for Open3D beside Open3D itself, where that is installed: the same answers. bench/open3d has the times."""
import unittest

import numpy as np

import tact
import tact.open3d

try:
    import open3d
except ImportError:
    open3d = None
INVALID = 0xffffffff


def scenes(*meshes):
    """The same scene of both, and the size of what is in it."""
    theirs, ours = open3d.t.geometry.RaycastingScene() if open3d else None, tact.open3d.RaycastingScene()
    for vertices, triangles in meshes:
        if theirs:
            theirs.add_triangles(open3d.core.Tensor(vertices), open3d.core.Tensor(triangles))
        ours.add_triangles(vertices, triangles)
    return theirs, ours


def meshes():
    v, t = tact.shapes.torus(1, 0.4, 64, 32)
    ball, faces = tact.shapes.sphere(0.5, 4)
    return (v, t), (ball + np.float32([2.5, 0.3, 0]), faces)


class Alone(unittest.TestCase):
    def test_shapes_and_types(self):
        _, scene = scenes(*meshes())
        rays = scene.create_rays_pinhole(60, [0, 0, 0], [0, 0, 4], [0, 1, 0], 20, 10)
        self.assertEqual((rays.shape, rays.dtype), ((10, 20, 6), np.float32))
        found = scene.cast_rays(rays)
        wanted = {"t_hit": ((10, 20), np.float32), "geometry_ids": ((10, 20), np.uint32),
                  "primitive_ids": ((10, 20), np.uint32), "primitive_uvs": ((10, 20, 2), np.float32),
                  "primitive_normals": ((10, 20, 3), np.float32)}
        self.assertEqual({name: (one.shape, one.dtype) for name, one in found.items()}, wanted)
        self.assertIs(type(found["t_hit"].numpy()), np.ndarray)
        self.assertTrue(np.isinf(found["t_hit"]).any() and np.isfinite(found["t_hit"]).any())
        self.assertEqual(tact.open3d.RaycastingScene.INVALID_ID, INVALID)
        missed = found["primitive_ids"] == INVALID
        np.testing.assert_array_equal(found["primitive_normals"][missed], 0)
        np.testing.assert_allclose(np.linalg.norm(found["primitive_normals"][~missed], axis=1), 1, rtol=1e-6)
        # The sphere is the second geometry, about (2.5, 0.3, 0).
        second = scene.cast_rays([[2.4, 0.5, 5, 0, 0, -1]])
        at = np.float32([2.4, 0.5, 5 - second["t_hit"][0]])
        self.assertEqual(second["geometry_ids"][0], 1)
        np.testing.assert_allclose(second["primitive_normals"][0], (at - [2.5, 0.3, 0]) / 0.5, atol=0.05)
        self.assertEqual(scene.test_occlusions(rays).dtype, np.bool_)
        self.assertEqual(scene.count_intersections(rays).dtype, np.int32)
        listed = scene.list_intersections(rays)
        counts = scene.count_intersections(rays).reshape(-1)
        np.testing.assert_array_equal(np.diff(listed["ray_splits"]), counts)
        np.testing.assert_array_equal(listed["ray_ids"], np.repeat(np.arange(200), counts))
        first = listed["ray_splits"][:-1][counts > 0]
        np.testing.assert_array_equal(listed["t_hit"][first], found["t_hit"].reshape(-1)[counts > 0])
        np.testing.assert_array_equal(listed["primitive_uvs"][first], found["primitive_uvs"].reshape(-1, 2)[counts > 0])
        points = np.zeros((2, 3, 3))
        self.assertEqual(scene.compute_closest_points(points)["points"].shape, (2, 3, 3))
        for values in (scene.compute_distance(points), scene.compute_signed_distance(points, nsamples=3),
                       scene.compute_occupancy(points)):
            self.assertEqual((values.shape, values.dtype), ((2, 3), np.float32))
        with self.assertRaisesRegex(ValueError, r"shape \(..., 6\) wanted"):
            scene.cast_rays(np.zeros((4, 5)))
        with self.assertRaisesRegex(TypeError, "create_rays_pinhole"):
            scene.create_rays_pinhole(60, [0, 0, 0])

    def test_window(self):
        _, scene = scenes(*meshes())
        ray = [[0, 1, 5, 0, 0, -1]]
        self.assertTrue(scene.test_occlusions(ray)[0])
        self.assertFalse(scene.test_occlusions(ray, tfar=3)[0])
        self.assertFalse(scene.test_occlusions(ray, tnear=6)[0])

    def test_edges_count_once(self):
        _, scene = scenes(tact.shapes.cube())
        # Through the diagonals of two faces, and past the common corner of six.
        self.assertEqual(scene.count_intersections([[0, 0, 5, 0, 0, -1]])[0], 2)
        self.assertEqual(scene.count_intersections([[3, 3, 3, -1, -1, -1]])[0], 2)


@unittest.skipUnless(open3d, "Open3D is not installed")
class Beside(unittest.TestCase):
    def setUp(self):
        ray = open3d.core.Tensor(np.float32([[0, 1, 5, 0, 0, -1]]))
        self.theirs, self.ours = scenes(*meshes())
        if not np.isfinite(self.theirs.cast_rays(ray)["t_hit"].numpy()[0]):
            self.skipTest("this Open3D hits nothing (bench/open3d_mask.c)")

    def test_pinhole(self):
        make = open3d.t.geometry.RaycastingScene.create_rays_pinhole
        given = (50.0, [0.1, 0.2, 0.3], [3.0, 2.0, 4.0], [0.0, 1.0, 0.1], 31, 17)
        np.testing.assert_allclose(self.ours.create_rays_pinhole(*given), make(*given).numpy(), atol=1e-6)
        k = np.array([[40.0, 0, 15], [0, 42, 9], [0, 0, 1]])
        m = np.eye(4)
        m[:3, :3], m[:3, 3] = [[0, 1, 0], [-1, 0, 0], [0, 0, 1]], (1, 2, 3)
        tensor = open3d.core.Tensor
        np.testing.assert_allclose(self.ours.create_rays_pinhole(k, m, 31, 17),
                                   make(tensor(k), tensor(m), 31, 17).numpy(), atol=1e-6)

    def test_rays(self):
        random = np.random.default_rng(1)
        o = random.uniform(-3, 3, (20000, 3))
        rays = np.concatenate([o, random.uniform(-1, 3, (20000, 3)) - o], 1).astype(np.float32)
        tensor = open3d.core.Tensor(rays)
        a, b = self.theirs.cast_rays(tensor), self.ours.cast_rays(tensor)
        same = a["primitive_ids"].numpy() == b["primitive_ids"]
        # Where a ray meets an edge rounding decides which of two triangles it is.
        self.assertLessEqual(np.count_nonzero(~same), 5)
        np.testing.assert_array_equal(np.isinf(a["t_hit"].numpy()), np.isinf(b["t_hit"]))
        np.testing.assert_array_equal(a["geometry_ids"].numpy(), b["geometry_ids"])
        hit = same & (b["primitive_ids"] != INVALID)
        self.assertGreater(np.count_nonzero(hit), 5000)
        np.testing.assert_allclose(a["t_hit"].numpy()[hit], b["t_hit"][hit], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(a["primitive_normals"].numpy()[hit], b["primitive_normals"][hit], atol=1e-4)
        np.testing.assert_allclose(a["primitive_uvs"].numpy()[hit], b["primitive_uvs"][hit], atol=5e-3)
        np.testing.assert_array_equal(self.theirs.test_occlusions(tensor).numpy(), self.ours.test_occlusions(tensor))
        a, b = self.theirs.count_intersections(tensor).numpy(), self.ours.count_intersections(tensor)
        self.assertLessEqual(np.count_nonzero(a != b), 5)

    def test_points(self):
        points = np.random.default_rng(2).uniform(-2, 3, (5000, 3)).astype(np.float32)
        tensor = open3d.core.Tensor(points)
        a, b = self.theirs.compute_closest_points(tensor), self.ours.compute_closest_points(tensor)
        np.testing.assert_allclose(*(np.linalg.norm(one["points"].numpy() - points, axis=1) for one in (a, b)), atol=1e-5)
        near = a["primitive_ids"].numpy() == b["primitive_ids"]
        self.assertGreater(np.count_nonzero(near), 1000)
        np.testing.assert_allclose(a["primitive_normals"].numpy()[near], b["primitive_normals"][near], atol=1e-4)
        np.testing.assert_allclose(self.theirs.compute_distance(tensor).numpy(), self.ours.compute_distance(tensor),
                                   atol=1e-5)
        # Open3D counts along one ray, which passes an edge now and then: 9 of them decide.
        rays = np.empty((5000, 9, 6), np.float32)
        rays[..., :3], rays[..., 3:] = points[:, None], np.random.default_rng(3).normal(size=(9, 3))
        inside = (self.theirs.count_intersections(open3d.core.Tensor(rays)).numpy() % 2).sum(1) > 4
        np.testing.assert_array_equal(self.ours.compute_occupancy(points), inside)
        np.testing.assert_array_equal(self.ours.compute_signed_distance(points) < 0, inside)
        one = self.theirs.compute_signed_distance(tensor).numpy()
        np.testing.assert_allclose(np.abs(one), np.abs(self.ours.compute_signed_distance(points)), atol=1e-5)
        self.assertLessEqual(np.count_nonzero((one < 0) != inside), 2)

    def test_meshes_of_open3d(self):
        legacy = open3d.geometry.TriangleMesh.create_torus(1, 0.4)
        ray = np.float32([[0, 1, 5, 0, 0, -1]])
        for mesh in (legacy, open3d.t.geometry.TriangleMesh.from_legacy(legacy)):
            scene = tact.open3d.RaycastingScene()
            self.assertEqual(scene.add_triangles(mesh), 0)
            self.assertTrue(np.isfinite(scene.cast_rays(ray)["t_hit"][0]))


if __name__ == "__main__":
    unittest.main()
