// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// What a particle touches that does not feel it: the walls of the domain, then colliders, in the order of the
// definition. Statements, included inside a kernel that has
//     buffer model
//     float4 me, uint group
//     STATIC_TOUCH    statements, for TactTouch static_touch, TactVec static_velocity and static_spin (of the surface),
//                     uint static_material, uint static_at
//     STATIC_DONE     optional: a file with more statements, included behind those
{
    uint4 static_counts = model[TACT_ROW_COUNTS];
    uint4 static_x = model[TACT_ROW_FACES];
    uint4 static_y = model[TACT_ROW_FACES + 1u];
    uint4 static_z = model[TACT_ROW_FACES + 2u];
    uint static_count = 6u + static_counts.z;
    for (uint static_at = 0u; static_at < static_count; ++static_at) {
        TactTouch static_touch;
        TactVec static_velocity = tact_vec(0.0f, 0.0f, 0.0f);
        TactVec static_spin = static_velocity;
        uint static_material = static_counts.y;
        if (static_at < 6u) {
            uint static_axis = static_at >> 1u;
            float static_place = static_axis == 0u ? me.x : (static_axis == 1u ? me.y : me.z);
            uint4 static_faces = static_z;
            if (static_axis == 0u) static_faces = static_x;
            if (static_axis == 1u) static_faces = static_y;
            static_touch =
                tact_touch_wall(tact_model_faces(static_faces), to_int(static_at & 1u), static_axis == 0u ? 1.0f : 0.0f,
                                static_axis == 1u ? 1.0f : 0.0f, static_axis == 2u ? 1.0f : 0.0f, static_place, me.w);
        } else {
            uint static_solid = static_at - 6u;
            TactSolid static_shape = MODEL_SOLID(static_solid);
            TactSurface static_surface = tact_surface_solid(static_shape, me.x, me.y, me.z);
            static_touch = tact_touch_surface(static_surface.nx, static_surface.ny, static_surface.nz,
                                              static_surface.distance, me.w);
            if (((MODEL_SOLID_MASK(static_solid) >> group) & 1u) == 0u) static_touch.touches = 0;
            PRECISE float static_dx = me.x - static_shape.px;
            PRECISE float static_dy = me.y - static_shape.py;
            PRECISE float static_dz = me.z - static_shape.pz;
            static_velocity = tact_surface_velocity(static_shape.lx, static_shape.ly, static_shape.lz, static_shape.rx,
                                                    static_shape.ry, static_shape.rz, static_dx, static_dy, static_dz);
            static_spin = tact_vec(static_shape.rx, static_shape.ry, static_shape.rz);
            static_material = static_shape.material;
        }
        if (static_touch.touches != 0) {
            STATIC_TOUCH
#ifdef STATIC_DONE
#include STATIC_DONE
#endif
        }
    }
}
