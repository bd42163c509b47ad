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
    """Tests which hits, in order along their rays, are at the place of one before: the same ray, the same side, t
    within the tolerance, and triangles that share a corner. Then the ray passes a common edge or corner, and the
    surface is met once. A ray that grazes an edge from outside meets both sides there, and so keeps a hit of each."""
    result = np.zeros(len(ray), bool)
    order = np.lexsort((front, ray))  # stable: of a ray first one side, from the front, then the other
    now, before = order[1:], order[:-1]
    near = np.flatnonzero((ray[now] == ray[before]) & (front[now] == front[before]) &
                          (np.abs(t[now] - t[before]) <= tolerance[now]))
    if len(near):
        shared = (corners[before[near]][:, :, None] == corners[now[near]][:, None, :]).any((1, 2))
        result[now[near[shared]]] = True
    return result
