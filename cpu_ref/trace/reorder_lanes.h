// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Where rays enter the scene's box, as Morton codes. Included by lanes_body.h.

LANES_TARGET static uint32_t keys(const tact_trace_job* job, uint32_t* order, uint32_t count,
                                  const tact_bvh_box* bounds, uint32_t* out, tact_trace_fn* slow)
{
    const tact_ray* rays = job->rays;
    const float most = tact_trace_most_direction(job->scene);
    uint32_t fast = 0;
    // The bits of a number up to 31, each moved to every third place.
    uint32_t spread[1 << TACT_REORDER_CELL_BITS];
    for (uint32_t i = 0; i < 1u << TACT_REORDER_CELL_BITS; ++i) {
        spread[i] = 0;
        for (uint32_t b = 0; b < TACT_REORDER_CELL_BITS; ++b)
            spread[i] |= ((i >> b) & 1u) << (3 * b);
    }
    const float cells = (float)(1 << TACT_REORDER_CELL_BITS);
    const VF zero = V_SET(0.0f), last = V_SET(cells - 1.0f);
    for (uint32_t j = 0; j < count; j += LANES) {
        const uint32_t n = count - j < LANES ? count - j : LANES;
        for (uint32_t i = 0; i < n && j + i + 16 < count; ++i)
            TACT_PREFETCH(&rays[order[j + i + 16]]);
        ray_lanes r;
        load_rays(rays, NULL, order + j, n, &r);
        VF enter = V_MAX(r.tmin, zero);
        uint32_t signs[3];
        for (int k = 0; k < 3; ++k) {
            const VM negative = V_LT(r.d[k], zero);
            const VF side = V_SELECT(negative, V_SET(bounds->upper[k]), V_SET(bounds->lower[k]));
            signs[k] = M_BITS(negative);
            // A direction without this component divides by zero; an infinite or undefined quotient is passed over.
            const VF at = V_DIV(V_SUB(side, r.o[k]), r.d[k]);
            enter = V_SELECT(M_AND(V_LT(enter, at), V_LE(at, V_SET(TACT_LARGEST))), at, enter);
        }
        uint32_t cell[3][LANES];
        for (int k = 0; k < 3; ++k) {
            const float width = bounds->upper[k] - bounds->lower[k];
            VF at = V_SUB(V_ADD(r.o[k], V_MUL(r.d[k], enter)), V_SET(bounds->lower[k]));
            at = V_MUL(at, V_SET(width > 0.0f ? cells / width : 0.0f));
            // In this order a NaN becomes 0.
            V_STORE_WORDS(cell[k], V_WHOLE(V_MIN(V_MAX(at, zero), last)));
        }
        const uint32_t good = are_fast(&r, most);
        for (uint32_t i = 0; i < n; ++i) {
            const uint32_t number = order[j + i];
            if (!((good >> i) & 1u)) {
                slow(job, number, (size_t)number + 1);
                continue;
            }
            uint32_t key = 0;
            for (int k = 0; k < 3; ++k) {
                key |= spread[cell[k][i]] << k;
                key |= ((signs[k] >> i) & 1u) << (3 * TACT_REORDER_CELL_BITS + k);
            }
            order[fast] = number;
            out[fast++] = key;
        }
    }
    return fast;
}
