// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// A walk over all particles that one may touch, in the order in which the definition sums them: level by level, row by
// row. Statements, included inside a kernel that has
//     buffers starts, model
//     TactGrid grid
//     TactCell walk_cell, int walk_level          of the particle
//     float walk_x, walk_y, walk_z, walk_radius   where it is
//     int walk_prune                              1: cells too far from there may be left out
//     uint walk_first, walk_window                the part of the walk to do: candidates from first on, window of them;
//                                                 their sum fits
//     uint walk_seen                              becomes the number of candidates in all
//     WALK_VISIT                                  statements, for candidate walk_at
//
// The device llvmpipe leaves a shader's loops, silently, after 65,535 iterations of all loops together, those of
// neighbouring items added up where their ways part. Rows are at most 48 x 48 on a level, in at most three runs each;
// the rest is for candidates, which is why there are windows.
{
    uint walk_last = walk_first + walk_window;
    walk_seen = 0u;
    for (int walk_l = 0; walk_l < grid.levels; ++walk_l) {
        uint4 walk_table = model[TACT_ROW_TABLE + 2u * to_uint(walk_l)];
        uint4 walk_masks = model[TACT_ROW_TABLE + 2u * to_uint(walk_l) + 1u];
        if (walk_table.w == 0u) continue;
        int walk_coarse = walk_level < walk_l ? walk_level : walk_l;
        int walk_finer = walk_l - walk_coarse;
        int walk_shift = grid.levels - 1 - walk_l;
        // Cells are counted as TactView does, from the cell of the particle on the coarser of the two levels.
        int walk_bx = tact_grid_on_level(grid, walk_cell.x, walk_coarse) * (1 << walk_finer);
        int walk_by = tact_grid_on_level(grid, walk_cell.y, walk_coarse) * (1 << walk_finer);
        int walk_bz = tact_grid_on_level(grid, walk_cell.z, walk_coarse) * (1 << walk_finer);
        int walk_cx = tact_table_period(grid.x, walk_shift);
        int walk_cy = tact_table_period(grid.y, walk_shift);
        int walk_cz = tact_table_period(grid.z, walk_shift);
        int walk_x0 = -(1 << walk_finer);
        int walk_x1 = (2 << walk_finer) - 1;
        int walk_y0 = walk_x0;
        int walk_y1 = walk_x1;
        int walk_z0 = walk_x0;
        int walk_z1 = walk_x1;
        if (walk_prune != 0 && walk_l != walk_level) {
            PRECISE float walk_reach = walk_radius + grid.edge * (0.5f / to_float(1 << walk_l));
            walk_x0 = tact_table_bound(grid.x, walk_x, walk_reach, -1, walk_shift, walk_bx, walk_x0);
            walk_x1 = tact_table_bound(grid.x, walk_x, walk_reach, 1, walk_shift, walk_bx, walk_x1);
            walk_y0 = tact_table_bound(grid.y, walk_y, walk_reach, -1, walk_shift, walk_by, walk_y0);
            walk_y1 = tact_table_bound(grid.y, walk_y, walk_reach, 1, walk_shift, walk_by, walk_y1);
            walk_z0 = tact_table_bound(grid.z, walk_z, walk_reach, -1, walk_shift, walk_bz, walk_z0);
            walk_z1 = tact_table_bound(grid.z, walk_z, walk_reach, 1, walk_shift, walk_bz, walk_z1);
        }
        for (int walk_vz = walk_z0; walk_vz <= walk_z1; ++walk_vz) {
            uint walk_plane = walk_table.x + tact_table_slot(walk_bz + walk_vz, walk_cz, walk_masks.z) * walk_table.z;
            for (int walk_vy = walk_y0; walk_vy <= walk_y1; ++walk_vy) {
                uint walk_row = walk_plane + tact_table_slot(walk_by + walk_vy, walk_cy, walk_masks.y) * walk_table.y;
                int walk_vx = walk_x0;
                while (walk_vx <= walk_x1) {
                    int walk_turned = tact_table_turn(walk_bx + walk_vx, walk_cx);
                    int walk_run = tact_table_run(walk_turned, walk_cx, walk_masks.x, walk_masks.w);
                    if (walk_run > walk_x1 - walk_vx + 1) walk_run = walk_x1 - walk_vx + 1;
                    uint walk_begin = walk_row + (to_uint(walk_turned) & walk_masks.x);
                    uint walk_end = starts[walk_begin + to_uint(walk_run)];
                    walk_begin = starts[walk_begin];
                    // Of the candidates from number walk_seen on, those that are the launch's.
                    uint walk_shift_at = walk_begin - walk_seen;
                    uint walk_number = walk_seen > walk_first ? walk_seen : walk_first;
                    walk_seen += walk_end - walk_begin;
                    uint walk_until = walk_seen < walk_last ? walk_seen : walk_last;
                    for (; walk_number < walk_until; ++walk_number) {
                        uint walk_at = walk_number + walk_shift_at;
                        WALK_VISIT
                    }
                    walk_vx += walk_run;
                }
            }
        }
    }
}
