# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""The adapter for trimesh: shapes, types and meaning as trimesh documents them, and what its users complain about."""
import pickle
import unittest

import numpy as np

import tact
from tact.trimesh import RayMeshIntersector


class Mesh:
    """What the adapter needs of trimesh.Trimesh: arrays, and a hash of what is in them."""

    def __init__(self, vertices, faces):
        self.vertices, self.faces = np.array(vertices, np.float64), np.array(faces, np.int64)

    def __hash__(self):
        return hash((self.vertices.tobytes(), self.faces.tobytes()))


def sphere():
    return Mesh(*tact.shapes.sphere(1, 4))


class Adapter(unittest.TestCase):
    def test_shapes_and_types(self):
        ray = RayMeshIntersector(sphere())
        origins, directions = [[0, 0, 3], [0, 5, 3], [0.1, 0.2, 3]], [[0, 0, -2]] * 3
        tri, index = ray.intersects_id(origins, directions)
        self.assertEqual((tri.dtype, index.dtype, tri.shape), (np.int64, np.int64, index.shape))
        tri, index, locations = ray.intersects_id(origins, directions, return_locations=True)
        self.assertEqual((locations.dtype, locations.shape), (np.float64, (len(tri), 3)))
        np.testing.assert_array_equal(index, [0, 0, 2, 2])
        self.assertTrue((np.abs(np.linalg.norm(locations, axis=1) - 1) < 0.01).all())
        places, index_ray, index_tri = ray.intersects_location(origins, directions)
        np.testing.assert_array_equal(places, locations)
        np.testing.assert_array_equal(index_ray, index)
        np.testing.assert_array_equal(index_tri, tri)
        places, index_ray, index_tri = ray.intersects_location(origins, directions, multiple_hits=False)
        np.testing.assert_array_equal(index_ray, [0, 2])
        self.assertTrue((places[:, 2] > 0.9).all())
        first = ray.intersects_first(origins, directions)
        self.assertEqual((first.dtype, first.shape), (np.int64, (3,)))
        np.testing.assert_array_equal(first, [index_tri[0], -1, index_tri[1]])
        hit = ray.intersects_any(origins, directions)
        self.assertEqual(hit.dtype, np.bool_)
        np.testing.assert_array_equal(hit, [True, False, True])
        inside = ray.contains_points([[0, 0, 0], [0, 0, 2], [0, 0.9, 0]])
        self.assertEqual(inside.dtype, np.bool_)
        np.testing.assert_array_equal(inside, [True, False, True])
        for empty in (ray.intersects_id(np.zeros((0, 3)), np.zeros((0, 3)), return_locations=True),
                      ray.intersects_id([[0, 9, 9]], [[0, 0, 1]], return_locations=True)):
            self.assertEqual([len(one) for one in empty], [0, 0, 0])
        with self.assertRaisesRegex(ValueError, r"shape \(n, 3\) wanted"):
            ray.intersects_any([[0, 0, 0]], [[0, 0, 1], [0, 0, 1]])

    def test_locations_are_exact(self):
        # Locations lie on the mesh's own planes in double precision, far from the origin too.
        for shift in (0, 1e6):
            mesh = sphere()
            mesh.vertices += shift
            random = np.random.default_rng(1)
            d = random.normal(size=(500, 3))
            tri, index, places = RayMeshIntersector(mesh).intersects_id(np.full((500, 3), float(shift)), d, True)
            a, b, c = (mesh.vertices[mesh.faces[tri, corner]] for corner in range(3))
            n = np.cross(b - a, c - a)
            n /= np.linalg.norm(n, axis=1, keepdims=True)
            self.assertLess(np.abs(((places - a) * n).sum(1)).max(), 1e-9 if shift else 1e-14)
            self.assertEqual(sorted(set(index)), list(range(500)))

    def test_hits_at_edges(self):
        # mikedh/trimesh: hits are missing, or there twice, where rays pass edges and corners.
        x, y = np.meshgrid(np.linspace(-1, 1, 33), np.linspace(-1, 1, 33))
        plate, faces = tact.shapes.grid(2, 16)
        mesh = Mesh(plate[:, [0, 2, 1]], faces[:, [0, 2, 1]])
        ray = RayMeshIntersector(mesh)
        # Rays through every corner, every edge's middle, every face's diagonal.
        inner = (np.abs(x) < 1) & (np.abs(y) < 1)
        origins = np.column_stack([x[inner], y[inner], np.full(inner.sum(), 1.0)])
        down = np.tile([0.0, 0, -1], (len(origins), 1))
        self.assertTrue(ray.intersects_any(origins, down).all())
        self.assertTrue((ray.intersects_first(origins, down) >= 0).all())
        _, index, places = ray.intersects_id(origins, down, return_locations=True)
        np.testing.assert_array_equal(index, np.arange(len(origins)))  # each place once
        np.testing.assert_allclose(places[:, :2], origins[:, :2], atol=1e-12)
        tri, index = ray.intersects_id(origins, down)
        self.assertGreater(len(tri), len(origins))  # but all triangles that share it

    def test_crossings_of_a_closed_mesh_are_even(self):
        # Through the corners and edges of a closed mesh: what goes in comes out.
        mesh = sphere()
        targets = np.concatenate([mesh.vertices, mesh.vertices[mesh.faces[:, :2]].mean(1)])
        origins = np.tile([3.0, 2.0, 4.0], (len(targets), 1))
        ray = RayMeshIntersector(mesh)
        index = ray.intersects_id(origins, targets - origins, return_locations=True)[1]
        counts = np.bincount(index, minlength=len(targets))
        self.assertEqual(np.count_nonzero(counts % 2), 0)
        self.assertGreater(np.count_nonzero(counts), 0.9 * len(targets))

    def test_queries_agree(self):
        # mikedh/trimesh: intersects_any and intersects_id disagree.
        random = np.random.default_rng(2)
        v, f = tact.shapes.torus(sides=24, rings=12)
        mesh = Mesh(v, f)
        origins, directions = random.uniform(-2, 2, (4000, 3)), random.normal(size=(4000, 3))
        directions[::7] = v[random.integers(0, len(v), len(directions[::7]))] - origins[::7]
        for ray in (RayMeshIntersector(mesh), RayMeshIntersector(mesh, scale_to_box=False)):
            hit = np.zeros(4000, bool)
            hit[ray.intersects_id(origins, directions)[1]] = True
            np.testing.assert_array_equal(ray.intersects_any(origins, directions), hit)
            np.testing.assert_array_equal(ray.intersects_first(origins, directions) >= 0, hit)
            located = np.zeros(4000, bool)
            located[ray.intersects_location(origins, directions)[1]] = True
            np.testing.assert_array_equal(located, hit)
            tri, index = ray.intersects_id(origins, directions, multiple_hits=False)
            first = np.full(4000, -1)
            first[index] = tri
            np.testing.assert_array_equal(ray.intersects_first(origins, directions), first)

    def test_thin_and_large(self):
        # mikedh/trimesh: a second wall close behind the first is missed, and so are hits where scales differ.
        for gap in (1e-3, 1e-5):
            v, f = tact.shapes.cube()
            v = v * np.array([1000, 1000, gap / 2])
            count = len(RayMeshIntersector(Mesh(v, f)).intersects_id([[1.5, 2.5, 5.0]], [[0, 0, -1.0]], True)[0])
            self.assertEqual(count, 2)

    def test_points_on_the_surface(self):
        # mikedh/trimesh: contains() says this or that for points that touch.
        v, f = tact.shapes.cube()
        ray = RayMeshIntersector(Mesh(v, f))
        random = np.random.default_rng(3)
        points = random.uniform(-1, 1, (300, 3))
        points[np.arange(300), np.arange(300) % 3] = np.where(np.arange(300) % 2, 1.0, -1.0)
        inside = ray.contains_points(points)
        # One just beyond along +x: so a side that faces -x is inside, one that faces +x outside.
        np.testing.assert_array_equal(inside[points[:, 0] == -1], True)
        np.testing.assert_array_equal(inside[points[:, 0] == 1], False)
        np.testing.assert_array_equal(inside, ray.contains_points(points))

    def test_open_mesh(self):
        v, f = tact.shapes.sphere(1, 4)
        ray = RayMeshIntersector(Mesh(v, f[v[f][:, :, 1].min(1) > -0.95]))  # with a hole
        np.testing.assert_array_equal(ray.contains_points([[0, 0.5, 0], [0, 2, 0], [0, 0, 0]]), [True, False, True])

    def test_changes(self):
        mesh = sphere()
        ray = RayMeshIntersector(mesh)
        origins, directions = [[0.0, 0, 3]], [[0.0, 0, -1]]
        self.assertTrue(ray.intersects_any(origins, directions)[0])
        mesh.vertices += [5, 0, 0]
        self.assertFalse(ray.intersects_any(origins, directions)[0])
        copy = pickle.loads(pickle.dumps(ray))
        self.assertFalse(copy.intersects_any(origins, directions)[0])

    def test_many_hits(self):
        v, f = tact.shapes.grid(2, 1)
        layers = np.concatenate([v + [0, y, 0] for y in range(250)])
        mesh = Mesh(layers, np.concatenate([f + 4 * y for y in range(250)]))
        ray = RayMeshIntersector(mesh)
        places, _, _ = ray.intersects_location([[0.3, 999, 0.2]], [[0, -1, 0]])
        np.testing.assert_allclose(places[:, 1], np.arange(249, -1, -1))
        places, _, _ = ray.intersects_location([[0.3, 999, 0.2]], [[0, -1, 0]], max_hits=3)
        np.testing.assert_allclose(places[:, 1], [249, 248, 247])
        self.assertEqual(len(ray.intersects_id([[0.3, 999, 0.2]], [[0, -1, 0]], max_hits=3)[0]), 3)

    def test_odd_input(self):
        ray = RayMeshIntersector(sphere())
        odd = [[0, 0, 0], [np.nan, 0, 0], [np.inf, 0, 0], [1e308, 1e308, 0], [5e-324, 0, 0]]
        np.testing.assert_array_equal(ray.intersects_any(np.zeros((5, 3)), odd), [False, False, False, True, True])
        self.assertEqual(len(RayMeshIntersector(Mesh(np.zeros((0, 3)), np.zeros((0, 3)))).intersects_id(odd, odd)[0]), 0)
        bad = sphere()
        bad.vertices[0] = np.nan
        self.assertTrue(RayMeshIntersector(bad).intersects_any([[0, 0, 3]], [[0, 0, -1]])[0])


if __name__ == "__main__":
    unittest.main()
