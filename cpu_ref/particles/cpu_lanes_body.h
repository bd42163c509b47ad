// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// All loops of the particles' CPU engine for one set of instructions. The including file defines TACT_LANES_ISA,
// LANES_TABLE and LANES_NAME. Lanes do what kernels/particle_*.h does, operation by operation.

#include "base/simd.h"
#include "cpu_ref/particles/cpu_engine.h"
// These need the names above.
#include "cpu_ref/particles/cpu_search_lanes.h"
#include "cpu_ref/particles/cpu_touch_lanes.h"

#include "cpu_ref/particles/cpu_finish_lanes.h"
#include "cpu_ref/particles/cpu_move_lanes.h"
// And this those.
#include "cpu_ref/particles/cpu_grain_lanes.h"

LANES_TARGET static void flush(tact_walk_worker* w)
{
    flush_block(w);
}

LANES_TARGET static void listed(tact_walk_worker* w, const uint32_t* i, const uint32_t* j, uint32_t count)
{
    const lane_pairs pairs = {i, j};
    work_out(w, pairs, count);
}

LANES_TARGET static void forward(tact_walk_worker* w, int level, uint32_t begin, uint32_t end, uint32_t from,
                                 uint32_t to)
{
    const tact_particle_walk* walk = w->walk;
    const bool clipped = from > 0 || to < UINT32_MAX;
    if (walk->table->levels[level].fold > 0) {
        if (walk->periodic) {
            forward_folded(w, level, begin, end, from, to, true);
        } else {
            forward_folded(w, level, begin, end, from, to, false);
        }
    } else if (walk->periodic) {
        forward_in(w, level, begin, end, from, to, walk->equal_radii, true, clipped);
    } else if (!walk->equal_radii) {
        forward_in(w, level, begin, end, from, to, false, false, clipped);
    } else if (clipped) {
        forward_in(w, level, begin, end, from, to, true, false, true);
    } else {
        forward_in(w, level, begin, end, from, to, true, false, false);
    }
}

LANES_TARGET static void scan(tact_walk_worker* w, uint32_t i, uint32_t begin, uint32_t end)
{
    const tact_particle_walk* walk = w->walk;
    const search_in in = search_of(w);
    search_state s = {i, w->block.count, w->block.count};
    if (walk->periodic) {
        s = search(w, &in, s, begin, end, walk->equal_radii, true);
    } else {
        s = search(w, &in, s, begin, end, walk->equal_radii, false);
    }
    sign(w, &s);
    w->block.count = s.count;
}

const tact_particle_lanes LANES_TABLE = {
    .name = LANES_NAME,
    .forward = forward,
    .scan = scan,
    .flush = flush,
    .listed = listed,
    .finish = finish,
    .predict = predict,
    .shift = shift,
    .settle = settle,
    .grains = grains,
    .walls = walls,
    .near_walls = near_walls,
    .near = near,
    .spin = spin,
    .way = way,
};
