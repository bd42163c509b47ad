// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The closest triangle of a body that is no flat surroundings of those taken: what cpu_ref/particles/bodies.c does, a
// triangle or a node a step, so that there is one loop with one bound. Statements, included inside a kernel with
// SEARCH_VARIABLES. Whoever includes this sets
//     search_body, search_p      the body, and the point in its frame
//     search_best2               the square of the limit; afterwards that of the distance, if any was found
//     taken_count, taken_*       unit normals and distances of touches taken
// and finds in search_id the triangle, or 0xffffffff, and in search_away the direction from it.
{
    uint4 near_kind = BODY_ROW(search_body, TACT_BODY_ROW_KIND);
    uint4 near_row_x = BODY_ROW(search_body, TACT_BODY_ROW_ACROSS);
    uint4 near_row_z = BODY_ROW(search_body, TACT_BODY_ROW_ALONG);
    TactFieldAxis near_x = tact_body_axis(near_row_x);
    TactFieldAxis near_z = tact_body_axis(near_row_z);
    bool near_going = near_kind.x != TACT_BODY_IS_EMPTY;
    // In a mesh: the node, or the leaf with the next of its triangles and how many are left.
    uint near_node = 0u;
    uint near_left = 0u;
    uint near_height = 0u;
    // In a height field: the next triangle, and where the present range of squares ends.
    bool near_below = true;  // the range is the square below the point, which comes first
    int near_column = 0;
    int near_row = 0;
    uint near_half = 0u;
    int near_first = 0;
    int near_last = 0;
    int near_row_last = 0;
    search_id = 0xffffffffu;
    if (near_kind.x == TACT_BODY_IS_FIELD) {
        float near_gap2 = tact_box_gap2(search_p.x, search_p.y, search_p.z, near_x.origin, as_float(near_row_x.w),
                                        near_z.origin, tact_field_corner(near_x, near_x.squares),
                                        as_float(near_row_z.w), tact_field_corner(near_z, near_z.squares));
        near_going = near_gap2 <= search_best2;
        near_column = tact_field_square(near_x, search_p.x);
        near_row = tact_field_square(near_z, search_p.z);
        near_last = near_column;
        near_row_last = near_row;
    }
    search_steps = search_steps + TACT_SEARCH_ROUNDS;
    for (; near_going && search_steps < search_most; ++search_steps) {
        // The corners of the triangle that this step looks at, if it does.
        uint near_id = 0xffffffffu;
        float near_ax = 0.0f;
        float near_ay = 0.0f;
        float near_az = 0.0f;
        float near_bx = 0.0f;
        float near_by = 0.0f;
        float near_bz = 0.0f;
        float near_cx = 0.0f;
        float near_cy = 0.0f;
        float near_cz = 0.0f;
        bool near_pop = false;
        if (near_kind.x == TACT_BODY_IS_FIELD) {
            uint near_corners = to_uint(near_x.squares) + 1u;
            uint near_corner = to_uint(near_row) * near_corners + to_uint(near_column);
            float near_y00 = BODY_HEIGHT(near_kind.z, near_corner);
            float near_y10 = BODY_HEIGHT(near_kind.z, near_corner + 1u);
            float near_y01 = BODY_HEIGHT(near_kind.z, near_corner + near_corners);
            float near_y11 = BODY_HEIGHT(near_kind.z, near_corner + near_corners + 1u);
            bool near_hole = near_y00 >= TACT_FIELD_HOLE || near_y10 >= TACT_FIELD_HOLE ||
                             near_y01 >= TACT_FIELD_HOLE || near_y11 >= TACT_FIELD_HOLE;
            float near_x0 = tact_field_corner(near_x, near_column);
            float near_x1 = tact_field_corner(near_x, near_column + 1);
            float near_z0 = tact_field_corner(near_z, near_row);
            float near_z1 = tact_field_corner(near_z, near_row + 1);
            if (!near_hole) {
                near_id = 2u * (to_uint(near_row) * to_uint(near_x.squares) + to_uint(near_column)) + near_half;
            }
            // (x0, z0), (x0, z1), (x1, z0), or (x1, z0), (x0, z1), (x1, z1).
            bool near_second = near_half != 0u;
            near_ax = near_second ? near_x1 : near_x0;
            near_ay = near_second ? near_y10 : near_y00;
            near_az = near_z0;
            near_bx = near_x0;
            near_by = near_y01;
            near_bz = near_z1;
            near_cx = near_x1;
            near_cy = near_second ? near_y11 : near_y10;
            near_cz = near_second ? near_z1 : near_z0;
        } else if ((near_node & 0x80000000u) != 0u) {
            if (near_left > 0u) {
                uint near_at = near_kind.w + 3u * (near_node & 0x7fffffffu);
                uint4 near_a = bodies[near_at];
                uint4 near_b = bodies[near_at + 1u];
                uint4 near_c = bodies[near_at + 2u];
                near_id = near_a.w;
                near_ax = as_float(near_a.x);
                near_ay = as_float(near_a.y);
                near_az = as_float(near_a.z);
                near_bx = as_float(near_b.x);
                near_by = as_float(near_b.y);
                near_bz = as_float(near_b.z);
                near_cx = as_float(near_c.x);
                near_cy = as_float(near_c.y);
                near_cz = as_float(near_c.z);
                near_node = near_node + 1u;
                near_left = near_left - 1u;
            }
            near_pop = near_left == 0u;
        } else {
            uint near_at = near_kind.z + 4u * near_node;
            uint4 near_l0 = bodies[near_at];
            uint4 near_h0 = bodies[near_at + 1u];
            uint4 near_l1 = bodies[near_at + 2u];
            uint4 near_h1 = bodies[near_at + 3u];
            float near_gap0 = tact_body_gap2(search_p, near_l0, near_h0);
            float near_gap1 = tact_body_gap2(search_p, near_l1, near_h1);
            bool near_swap = near_gap1 < near_gap0;
            float near_gap_far = near_swap ? near_gap0 : near_gap1;
            float near_gap_near = near_swap ? near_gap1 : near_gap0;
            if (near_gap_far <= search_best2) {
                search_child[near_height] = near_swap ? near_l0.w : near_l1.w;
                search_count[near_height] = near_swap ? near_h0.w : near_h1.w;
                search_gap[near_height] = near_gap_far;
                near_height = near_height + 1u;
            }
            near_pop = near_gap_near > search_best2;
            if (!near_pop) {
                near_node = near_swap ? near_l1.w : near_l0.w;
                near_left = near_swap ? near_h1.w : near_h0.w;
            }
        }
        if (near_id != 0xffffffffu) {
            TactNear near_found =
                tact_triangle_near(search_p.x, search_p.y, search_p.z, near_ax, near_ay, near_az, near_bx, near_by,
                                   near_bz, near_cx, near_cy, near_cz, search_best2);
            bool near_better = near_found.d2 < search_best2 || (near_found.d2 == search_best2 && near_id < search_id);
            if (near_better && taken_count > 0u) {
                TactVec near_normal = tact_near_normal(near_found.gx, near_found.gy, near_found.gz);
                float near_distance = tact_sqrt(near_found.d2);
                search_steps = search_steps + taken_count + 1u;
                for (uint near_k = 0u; near_k < taken_count; ++near_k) {
                    TactVec near_taken = tact_vec(taken_x[near_k], taken_y[near_k], taken_z[near_k]);
                    if (tact_touch_is_flat(near_taken, taken_distance[near_k], near_normal, near_distance)) {
                        near_better = false;
                    }
                }
            }
            if (near_better) {
                search_best2 = near_found.d2;
                search_id = near_id;
                search_away = tact_vec(near_found.gx, near_found.gy, near_found.gz);
            }
        }
        if (near_kind.x == TACT_BODY_IS_FIELD) {
            // On to the next triangle, square, row, range.
            near_half = near_half ^ 1u;
            if (near_half == 0u) near_column = near_column + 1;
            if (near_column > near_last) {
                near_column = near_first;
                near_row = near_row + 1;
            }
            if (near_row > near_row_last) {
                near_going = near_below;
                near_below = false;
                float near_reach = tact_sqrt(search_best2);
                near_first = tact_field_first(near_x, search_p.x, near_reach);
                near_last = tact_field_last(near_x, search_p.x, near_reach);
                near_column = near_first;
                near_row = tact_field_first(near_z, search_p.z, near_reach);
                near_row_last = tact_field_last(near_z, search_p.z, near_reach);
            }
        } else if (near_pop) {
            // On to what was put aside. An empty leaf stands for nothing to do.
            near_node = 0x80000000u;
            near_left = 0u;
            if (near_height == 0u) {
                near_going = false;
            } else {
                near_height = near_height - 1u;
                if (search_gap[near_height] <= search_best2) {
                    near_node = search_child[near_height];
                    near_left = search_count[near_height];
                }
            }
        }
    }
}
