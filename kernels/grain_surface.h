// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// A contact of a grain with a surface: what cpu_ref/particles/grains.c does. Statements, included inside a kernel that
// has the sums of grain_model.h, GRAIN_CHAIN, and
//     buffers model, nodes, counters
//     float4 me, float4 mine, TactVec own_spin, uint material, float dt
//     TactTouch grain_touch, TactVec grain_velocity, TactVec grain_spin, uint grain_material    as tact_surface_touch
//     uint grain_surface                                                                       TACT_GRAIN_SURFACE()
// Surfaces come in ascending order, as the chain of the substep before has them.
{
    PRECISE float grain_arm = tact_grain_arm(me.w, grain_touch.depth);
    TactVec grain_turned =
        tact_cross3(grain_spin.x, grain_spin.y, grain_spin.z, grain_touch.nx, grain_touch.ny, grain_touch.nz);
    PRECISE float grain_vx = grain_velocity.x + grain_arm * grain_turned.x;
    PRECISE float grain_vy = grain_velocity.y + grain_arm * grain_turned.y;
    PRECISE float grain_vz = grain_velocity.z + grain_arm * grain_turned.z;
    PRECISE float grain_ux = grain_vx - mine.x;
    PRECISE float grain_uy = grain_vy - mine.y;
    PRECISE float grain_uz = grain_vz - mine.z;
    PRECISE float grain_sx = grain_arm * own_spin.x;
    PRECISE float grain_sy = grain_arm * own_spin.y;
    PRECISE float grain_sz = grain_arm * own_spin.z;
    PRECISE float grain_wx = grain_spin.x - own_spin.x;
    PRECISE float grain_wy = grain_spin.y - own_spin.y;
    PRECISE float grain_wz = grain_spin.z - own_spin.z;
    TactVec grain_slip = tact_grain_slip(grain_touch, grain_ux, grain_uy, grain_uz, grain_sx, grain_sy, grain_sz);
    TactGrainMemory grain_memory = tact_grain_forgotten();
    // On to this surface, and among its contacts to the first with nearly this normal that has not gone on yet.
    if (chain_surface != grain_surface) chain_taken = 0u;
    chain_surface = grain_surface;
    while (chain_at != TACT_GRAIN_NONE && nodes[TACT_GRAIN_ROW(chain_at)].x < grain_surface) {
        chain_at = nodes[TACT_GRAIN_ROW(chain_at) + 3u].x;
        CHAIN_STEP
    }
    uint grain_node = chain_at;
    uint grain_bit = 1u;
    while (grain_node != TACT_GRAIN_NONE) {
        uint4 grain_was = nodes[TACT_GRAIN_ROW(grain_node)];
        if (grain_was.x != grain_surface) break;
        if ((chain_taken & grain_bit) == 0u &&
            tact_dot3(as_float(grain_was.y), as_float(grain_was.z), as_float(grain_was.w), grain_touch.nx,
                      grain_touch.ny, grain_touch.nz) > TACT_GRAIN_SAME_NORMAL) {
            uint4 grain_slid = nodes[TACT_GRAIN_ROW(grain_node) + 1u];
            uint4 grain_rolled = nodes[TACT_GRAIN_ROW(grain_node) + 2u];
            chain_taken = chain_taken | grain_bit;
            grain_memory.sx = as_float(grain_slid.x);
            grain_memory.sy = as_float(grain_slid.y);
            grain_memory.sz = as_float(grain_slid.z);
            grain_memory.twist = as_float(grain_slid.w);
            grain_memory.rx = as_float(grain_rolled.x);
            grain_memory.ry = as_float(grain_rolled.y);
            grain_memory.rz = as_float(grain_rolled.z);
            break;
        }
        grain_bit = grain_bit << 1u;
        grain_node = nodes[TACT_GRAIN_ROW(grain_node) + 3u].x;
        CHAIN_STEP
    }
    TactGrainPush grain_push =
        tact_grain_push(grain_touch, grain_slip, tact_vec(grain_wx, grain_wy, grain_wz), grain_arm, mine.w,
                        MODEL_GRAIN(material, grain_material), dt, BY(grain_memory));
    GRAIN_ADD
    GRAIN_COUNT_CAPPED
    uint grain_new = ATOMIC_ADD(counters[TACT_COUNTER_NODES + number], 1u);
    if (grain_new < node_room) {
        uint grain_to = grain_new | chain_pool;
        uint grain_rows = TACT_GRAIN_ROW(grain_to);
        nodes[grain_rows] =
            make_uint4(grain_surface, as_uint(grain_touch.nx), as_uint(grain_touch.ny), as_uint(grain_touch.nz));
        nodes[grain_rows + 1u] = make_uint4(as_uint(grain_memory.sx), as_uint(grain_memory.sy),
                                            as_uint(grain_memory.sz), as_uint(grain_memory.twist));
        nodes[grain_rows + 2u] =
            make_uint4(as_uint(grain_memory.rx), as_uint(grain_memory.ry), as_uint(grain_memory.rz), 0u);
        nodes[grain_rows + 3u] = make_uint4(TACT_GRAIN_NONE, 0u, 0u, 0u);
        if (chain_tail == TACT_GRAIN_NONE) {
            chain_first = grain_to;
        } else {
            nodes[TACT_GRAIN_ROW(chain_tail) + 3u] = make_uint4(grain_to, 0u, 0u, 0u);
        }
        chain_tail = grain_to;
    } else {
        chain_full = true;
    }
}
