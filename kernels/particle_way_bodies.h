// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// The nearest body, for kernels that include particle_way.h with WAY_BODIES defined: statements that follow
// WAY_DISTANCE and take the nearer of the two, the collider where both are at the same distance.
{
    uint way_body_count = BODIES;
    for (search_body = 0u; search_body < way_body_count && !SEARCH_FAILED; ++search_body) {
        TactFrame way_frame = BODY_FRAME(search_body);
        PRECISE float way_limit2 = way_limit * way_limit;
        search_p = tact_frame_into(way_frame, way_px, way_py, way_pz);
        search_best2 = way_limit2;
        taken_count = 0u;
#include "particle_search.h"
        float way_body_distance = tact_sqrt(search_best2);
        if (search_id != 0xffffffffu && way_body_distance <= way_limit && way_body_distance < surface_distance) {
            TactVec way_own = tact_near_normal(search_away.x, search_away.y, search_away.z);
            TactVec way_normal = tact_frame_turn(way_frame, way_own.x, way_own.y, way_own.z);
            surface_distance = way_body_distance;
            surface_nx = way_normal.x;
            surface_ny = way_normal.y;
            surface_nz = way_normal.z;
        }
    }
}
