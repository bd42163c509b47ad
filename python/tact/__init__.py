# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""Collision queries with one answer on every device: CPU, OpenGL, OpenCL.

Scene casts rays, finds closest points and tests points against solids; pairs() and Volumes are the broad phase;
Particles, Bodies and Mesh collide; Recording replays. Arrays of NumPy go in and out. All of the C interface is
reachable through tact.lib and tact.ffi, of cffi, too.

    import tact
    scene = tact.Scene()
    scene.add(vertices, triangles)
    hits = scene.raycast(tact.rays(origins, directions))
"""
from . import open3d, shapes, trimesh, types
from ._binding import VERSION as __version__
from ._bodies import Bodies, BodyGrains, poses
from ._context import Context, build_info, context, version
from ._core import (NONE, Cancelled, DeviceError, Error, Handle, InvalidArgument, Limit, NoDevice, OutOfMemory, Query,
                    Record, Report, ShadowMismatch, Unsupported, dtype, ffi, lib)
from ._overlap import (Filter, ImageTester, MeshFront, overlap, overlap_pairs, overlap_segments, self_overlap_pairs,
                       separation)
from ._pairs import PairTracker, PointCloud, Volumes, pairs
from ._particles import ClumpShape, Particles, box, capsule, plane, sphere
from ._recording import Recording
from ._scene import Mesh, Scene, camera_rays, rays
from ._show import Picture, show
from ._verify import verify
from ._view import Culler, Picker, View, cull, frustum_planes, look_at, perspective

__all__ = [name for name in dir() if not name.startswith("_")]
