// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// How far a particle gets on its way. Statements, included inside a function of C or the body of a kernel, since they
// ask for distances that only those can look up. Whoever includes this has
//     float fx, fy, fz          where the way begins
//     float tx, ty, tz          where it is to end, and after these statements where it does
//     float radius
//     WAY_DISTANCE(x, y, z, limit)   statements that set surface_distance, surface_nx, surface_ny, surface_nz: distance
//                               and outward unit normal of the nearest collider or body; anything beyond `limit` if
//                               that is farther
//     float surface_distance, surface_nx, surface_ny, surface_nz
//     int way_stopped           set to 1 when the way was cut short, 2 when it ends at a surface with that normal
//
// Why nothing is passed through: let the surface be at distance d from where a move begins and e from where it ends. A
// move that crosses the surface is at least d + e long. So a move shorter than that does not cross, whatever the
// surface looks like. Moves that are too long, or end too near, are halved; one that ends too near without having
// crossed is first tried from a point pushed out along the normal, so that particles slide along surfaces.
{
    PRECISE float way_x = tx - fx;
    PRECISE float way_y = ty - fy;
    PRECISE float way_z = tz - fz;
    float way_length = tact_length3(way_x, way_y, way_z);
    PRECISE float way_margin = 0.5f * radius;
    PRECISE float way_reach = way_length + way_margin;
    way_stopped = 0;
    WAY_DISTANCE(fx, fy, fz, way_reach)
    PRECISE float way_from = surface_distance;
    // Inside a solid it may go anywhere: its contact pushes it out.
    if (way_from <= way_reach && way_from > 0.0f && way_length > 0.0f) {
        way_margin = way_from < way_margin ? way_from : way_margin;
        int way_tries = 0;
        for (; way_tries < 8; ++way_tries) {
            PRECISE float way_ex = fx + way_x;
            PRECISE float way_ey = fy + way_y;
            PRECISE float way_ez = fz + way_z;
            way_length = tact_length3(way_x, way_y, way_z);
            PRECISE float way_limit = way_length + way_margin;
            WAY_DISTANCE(way_ex, way_ey, way_ez, way_limit)
            PRECISE float way_safe = (way_from + surface_distance) * 0.9990234375f;
            bool way_beside = surface_distance > 0.0f && way_length < way_safe;
            if (way_beside && surface_distance >= way_margin) {
                tx = way_ex;
                ty = way_ey;
                tz = way_ez;
                break;
            }
            if (way_beside) {
                float way_nx = surface_nx;
                float way_ny = surface_ny;
                float way_nz = surface_nz;
                PRECISE float way_out = way_margin - surface_distance;
                PRECISE float way_px = way_ex + way_nx * way_out;
                PRECISE float way_py = way_ey + way_ny * way_out;
                PRECISE float way_pz = way_ez + way_nz * way_out;
                PRECISE float way_sx = way_px - fx;
                PRECISE float way_sy = way_py - fy;
                PRECISE float way_sz = way_pz - fz;
                float way_slid = tact_length3(way_sx, way_sy, way_sz);
                PRECISE float way_most = way_slid + way_margin;
                WAY_DISTANCE(way_px, way_py, way_pz, way_most)
                PRECISE float way_sure = (way_from + surface_distance) * 0.9990234375f;
                PRECISE float way_least = way_margin * 0.9990234375f;
                if (surface_distance >= way_least && way_slid < way_sure) {
                    tx = way_px;
                    ty = way_py;
                    tz = way_pz;
                    surface_nx = way_nx;
                    surface_ny = way_ny;
                    surface_nz = way_nz;
                    way_stopped = 2;
                    break;
                }
            }
            way_stopped = 1;
            way_x = 0.5f * way_x;
            way_y = 0.5f * way_y;
            way_z = 0.5f * way_z;
        }
        if (way_tries == 8) {
            tx = fx;
            ty = fy;
            tz = fz;
        }
    }
}
