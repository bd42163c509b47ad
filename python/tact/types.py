# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""The types of rows that arrays of results and of arguments have: structs of the C headers, whose comments hold. A
vector is a field of three numbers, x y z, also where C has a field for each."""
import numpy as np

from ._core import dtype

ray = dtype("tact_ray")  #: origin (3), tmin, direction (3), tmax: 32 bytes, also float32 (n, 8)
hit = dtype("tact_hit")  #: instance, primitive, t, u, v; instance and primitive are tact.NONE for a miss
closest_hit = dtype("tact_closest_hit")  #: instance, primitive, distance, u, v, point (3)
sphere_hit = dtype("tact_sphere_hit")  #: instance, primitive, t, point (3), normal (3)
#: inside, distance, winding, instance, primitive, point (3), feature, u, v
point_location = dtype("tact_point_location")
cloud_neighbour = dtype("tact_cloud_neighbour")  #: id, distance2; tact.NONE and infinity for none
mesh_pair = dtype("tact_mesh_pair")  #: pose, a, b: triangles of A and of B
filter_pair = dtype("tact_filter_pair")  #: object_a, object_b, triangle_a, triangle_b
triangle_contact = dtype("tact_triangle_contact")  #: meeting, segment: what two triangles have in common
image_result = dtype("tact_image_result")  #: overlap, drawn, gap, depth, tolerance, samples, ...
#: object, instance, primitive, pixels, x, y, layer, depth, position (3), normal (3), barycentric (3)
pick = dtype("tact_pick")
obb = dtype("tact_obb")  #: center (3), axis (3, 3), half (3)
kdop = dtype("tact_kdop")  #: k, lower, upper
pose = dtype("tact_pose")  #: position (3, float64), rotation (4, quaternion x y z w), scale
contact = dtype("tact_contact")  #: a, b, part_a, part_b, origin, normal (3), count, point (4: at, separation, feature)
body_cast_hit = dtype("tact_body_cast_hit")  #: cast, body, part, cast_part, fraction, at (3), normal (3)
body_distance = dtype("tact_body_distance_row")  #: a, b, part_a, part_b, distance, normal (3), on_a (3), on_b (3)
body_nearest = dtype("tact_body_nearest")  #: item, body, part, distance, normal (3), on_body (3), on_item (3)
particle_contact = dtype("tact_particle_contact")  #: a, b, with, triangle, point (3), depth, normal (3)
contact_force = dtype("tact_contact_force")  #: contact, force (3), torque (3), other_torque (3), ...
surface_load = dtype("tact_surface_load")  #: force (3), torque (3), normal_force, rubbing_power, contacts
bond = dtype("tact_bond")  #: a, b, kind, length, tensile_stress, shear_stress
average_cell = dtype("tact_average_cell")  #: particles, solid_fraction, density, velocity (3), ...
#: a, b, position (3, float64), normal (3), depth, feature: Bodies.contact_points()
contact_point = np.dtype([("a", "u4"), ("b", "u4"), ("position", "f8", (3,)), ("normal", "f4", (3,)), ("depth", "f4"),
                          ("feature", "u4")])
