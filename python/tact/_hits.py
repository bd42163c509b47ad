# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""What the adapters of other libraries share: hits at the common edges of triangles, counted once."""
from __future__ import annotations

import numpy as np


def welded(vertices: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """Returns the triangles, int64 (m, 3), with vertices at one place named by the first of them."""
    if not len(vertices):
        return np.asarray(triangles, np.int64)
    rows = np.ascontiguousarray(vertices + np.float32(0)).view([("", vertices.dtype)] * 3).reshape(-1)
    _, first, inverse = np.unique(rows, return_index=True, return_inverse=True)
    return first[inverse][triangles]


def repeated(ray: np.ndarray, t: np.ndarray, corners: np.ndarray, front: np.ndarray,
             tolerance: np.ndarray) -> np.ndarray:
    """Tests which hits, in order along their rays, are at the place of the one before: the same ray, the same side, t
    within the tolerance, and triangles that share a corner. Then the ray passes a common edge or corner, and the
    surface is met once. A ray that grazes an edge from outside meets both sides there, and so keeps both hits."""
    result = np.zeros(len(ray), bool)
    if len(ray) < 2:
        return result
    near = np.flatnonzero((ray[1:] == ray[:-1]) & (np.abs(t[1:] - t[:-1]) <= tolerance[1:]) & (front[1:] == front[:-1]))
    if len(near):
        shared = (corners[near][:, :, None] == corners[near + 1][:, None, :]).any((1, 2))
        result[near[shared] + 1] = True
    return result
