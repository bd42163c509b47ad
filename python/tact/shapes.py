# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""Meshes to try things with: vertices, float32 (n, 3), and triangles, uint32 (m, 3), counter-clockwise from outside."""
from __future__ import annotations

from typing import Any

import numpy as np


def cube(half: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """Makes a cube of 12 triangles about the origin."""
    v = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float32) * np.float32(half)
    t = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
         [1, 5, 7], [1, 7, 3]]
    return v, np.array(t, np.uint32)


def sphere(radius: float = 1.0, subdivisions: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Makes a sphere of 20 * 4^subdivisions triangles about the origin, of a subdivided icosahedron."""
    g = (1 + 5 ** 0.5) / 2
    v = np.array([[-1, g, 0], [1, g, 0], [-1, -g, 0], [1, -g, 0], [0, -1, g], [0, 1, g], [0, -1, -g], [0, 1, -g],
                  [g, 0, -1], [g, 0, 1], [-g, 0, -1], [-g, 0, 1]]) / (1 + g * g) ** 0.5
    t = np.array([[0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4], [11, 10, 2],
                  [10, 7, 6], [7, 1, 8], [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9], [4, 9, 5], [2, 4, 11],
                  [6, 2, 10], [8, 6, 7], [9, 8, 1]])
    for _ in range(subdivisions):
        edges = np.sort(np.concatenate([t[:, [0, 1]], t[:, [1, 2]], t[:, [2, 0]]]), 1)
        unique, inverse = np.unique(edges, axis=0, return_inverse=True)
        middle = v[unique[:, 0]] + v[unique[:, 1]]
        middle /= np.linalg.norm(middle, axis=1, keepdims=True)
        ab, bc, ca = (len(v) + inverse.reshape(-1)).reshape(3, -1)
        v = np.concatenate([v, middle])
        a, b, c = t.T
        t = np.concatenate([np.stack(corners, 1) for corners in ((a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))])
    return (radius * v).astype(np.float32), t.astype(np.uint32)


def torus(radius: float = 1.0, tube: float = 0.4, sides: int = 96, rings: int = 48) -> tuple[np.ndarray, np.ndarray]:
    """Makes a torus about the z axis, of 2 * sides * rings triangles."""
    a, b = np.meshgrid(np.arange(sides) * (2 * np.pi / sides), np.arange(rings) * (2 * np.pi / rings), indexing="ij")
    out = radius + tube * np.cos(b)
    v = np.stack([out * np.cos(a), out * np.sin(a), tube * np.sin(b)], -1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(sides), np.arange(rings), indexing="ij")
    i2, j2 = (i + 1) % sides, (j + 1) % rings
    p, q, r, s = (x * rings + y for x, y in ((i, j), (i2, j), (i2, j2), (i, j2)))
    t = np.concatenate([np.stack([p, q, r], -1).reshape(-1, 3), np.stack([p, r, s], -1).reshape(-1, 3)])
    return v.astype(np.float32), t.astype(np.uint32)


def grid(size: float = 2.0, cells: int = 1, height: Any = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Makes a square in the plane y = 0, of 2 * cells^2 triangles that face +y; height: y of its (cells + 1)^2 points,
    one number or (cells + 1, cells + 1), z by x."""
    x, z = np.meshgrid(np.linspace(-size / 2, size / 2, cells + 1), np.linspace(-size / 2, size / 2, cells + 1))
    v = np.stack([x, np.broadcast_to(height, x.shape), z], -1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(cells), np.arange(cells))
    p = j * (cells + 1) + i
    t = np.concatenate([np.stack([p, p + cells + 1, p + 1], -1).reshape(-1, 3),
                        np.stack([p + 1, p + cells + 1, p + cells + 2], -1).reshape(-1, 3)])
    return v.astype(np.float32), t.astype(np.uint32)
