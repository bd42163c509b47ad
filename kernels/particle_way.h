// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// How far a particle gets on its way. Statements, included inside a function of C or the body of a kernel, since they
// ask for distances that only those can look up. Whoever includes this has
//     float fx, fy, fz          where the way begins
//     float tx, ty, tz          where it is to end, in the domain, and after these statements where it does
//     float radius
//     TactDomain way_domain     which no end lies outside of
//     WAY_DISTANCE(x, y, z, limit)   statements that set surface_distance, surface_nx, surface_ny, surface_nz: distance
//                               and outward unit normal of the nearest collider or body; anything beyond `limit` if
//                               that is farther. Expanded once. In kernels it sees to colliders only, and WAY_BODIES
//                               is defined where there may be bodies: particle_way_bodies.h sees to those
//     float surface_distance, surface_nx, surface_ny, surface_nz
//     int way_stopped           set to 1 when the way was cut short, 2 when it ends at a surface with that normal
//
// Why nothing is passed through: let the surface be at distance d from where a move begins and e from where it ends. A
// move that crosses the surface is at least d + e long. So a straight move shorter than that does not cross, whatever
// the surface looks like. Distances are rounded by up to 2^-20 of the coordinates and of the size of the triangles,
// lengths by 2^-22. Moves must be shorter than 15/16 of d + e, and one end at half a radius, which makes good for that
// while coordinates, triangles and moves are below 16,384 radii: tests/proofs/particle_way.gappa.
//
// An end that is too near without the surface having been crossed is pushed out along the normal, so that particles
// slide along surfaces. If that leads too near to something else, or the move is too long, half the move is tried. A
// particle to which a moving body has come nearer than half a radius is pushed out as far; where it cannot be, it at
// least comes no nearer. Pushing leads a little beyond half a radius: were it to fall short of that by a rounding, the
// distance from which the next move starts would dwindle from step to step.
{
    PRECISE float way_x = tx - fx;
    PRECISE float way_y = ty - fy;
    PRECISE float way_z = tz - fz;
    PRECISE float way_half = 0.5f * radius;
    PRECISE float way_limit = tact_length3(way_x, way_y, way_z) + way_half;
    float way_px = fx;  // the place asked about
    float way_py = fy;
    float way_pz = fz;
    float way_from = 0.0f;   // distance at the beginning
    float way_least = 0.0f;  // no end is nearer
    float way_nx = 0.0f;
    float way_ny = 0.0f;
    float way_nz = 0.0f;
    int way_stage = 0;       // 0: at the beginning, 1: at an end, 2: at an end pushed out
    bool way_spare = false;  // the end before pushing would do
    bool way_going = true;
    way_stopped = 0;
    // The beginning, and eight times an end and that end pushed out.
    for (int way_query = 0; way_going && way_query < 17; ++way_query) {
        WAY_DISTANCE(way_px, way_py, way_pz, way_limit)
#ifdef WAY_BODIES
#include "particle_way_bodies.h"
#endif
        PRECISE float way_mx = way_px - fx;
        PRECISE float way_my = way_py - fy;
        PRECISE float way_mz = way_pz - fz;
        float way_moved = tact_length3(way_mx, way_my, way_mz);
        PRECISE float way_safe = (way_from + surface_distance) * TACT_WAY_SHARE;
        bool way_beside = surface_distance > 0.0f && way_moved < way_safe;
        if (way_stage == 0) {
            way_from = surface_distance;
            way_least = way_from < way_half ? way_from : way_half;
            // Inside a solid it may go anywhere: its contact pushes it out.
            way_going = way_from <= way_limit && way_from > 0.0f;
            way_stage = 1;
        } else if (way_stage == 1 && way_beside && surface_distance >= way_half) {
            way_going = false;
            tx = way_px;
            ty = way_py;
            tz = way_pz;
        } else if (way_stage == 1 && way_beside) {
            way_spare = surface_distance >= way_least;
            way_stage = 2;
            way_nx = surface_nx;
            way_ny = surface_ny;
            way_nz = surface_nz;
            PRECISE float way_out = way_half * 1.0078125f - surface_distance;
            PRECISE float way_ox = way_px + way_nx * way_out;
            PRECISE float way_oy = way_py + way_ny * way_out;
            PRECISE float way_oz = way_pz + way_nz * way_out;
            way_px = tact_domain_hold(way_domain.x, way_ox);
            way_py = tact_domain_hold(way_domain.y, way_oy);
            way_pz = tact_domain_hold(way_domain.z, way_oz);
            way_mx = way_px - fx;
            way_my = way_py - fy;
            way_mz = way_pz - fz;
            way_limit = tact_length3(way_mx, way_my, way_mz) + way_half;
        } else if (way_stage == 2 && way_beside && surface_distance >= way_least) {
            way_going = false;
            way_stopped = 2;
            tx = way_px;
            ty = way_py;
            tz = way_pz;
            surface_nx = way_nx;
            surface_ny = way_ny;
            surface_nz = way_nz;
        } else if (way_stage == 2 && way_spare) {
            way_going = false;
            PRECISE float way_ex = fx + way_x;
            PRECISE float way_ey = fy + way_y;
            PRECISE float way_ez = fz + way_z;
            tx = way_ex;
            ty = way_ey;
            tz = way_ez;
        } else {
            way_stopped = 1;
            way_stage = 1;
            way_x = 0.5f * way_x;
            way_y = 0.5f * way_y;
            way_z = 0.5f * way_z;
        }
        if (way_going && way_stage == 1) {
            // Where the present move ends.
            PRECISE float way_ex = fx + way_x;
            PRECISE float way_ey = fy + way_y;
            PRECISE float way_ez = fz + way_z;
            way_px = way_ex;
            way_py = way_ey;
            way_pz = way_ez;
            way_limit = tact_length3(way_x, way_y, way_z) + way_half;
        }
    }
    // Nothing would do: it stays.
    if (way_going) {
        tx = fx;
        ty = fy;
        tz = fz;
    }
}
