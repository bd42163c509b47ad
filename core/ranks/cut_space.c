// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Which rank is to have what, along the curve that pairs are cut by.

#include <string.h>

#include "base/float_env.h"
#include "core/ranks/curve.h"
#include "core/ranks/query.h"
#include "core/ranks/sample.h"
#include "cpu_ref/pairs/pairs.h"

typedef struct boxes_to_cut {
    const tact_aabb* boxes;
    const uint64_t* weights;  ///< NULL: 1 each
    size_t count;
} boxes_to_cut;

static bool is_live(const tact_aabb* box)
{
    const tact_aabb pruning = tact_aabb_pruning_box(*box);
    return tact_volume_is_live(&pruning);
}

static uint64_t weight_of(const boxes_to_cut* b, size_t i)
{
    return !is_live(&b->boxes[i]) ? 0 : b->weights ? b->weights[i] : 1;
}

/// A point for each multiple of `stride` that the sum of weights passes: of heavy boxes several. NULL `to` only counts.
static size_t take_sample(const boxes_to_cut* b, uint64_t stride, tact_vec3* to)
{
    size_t taken = 0;
    uint64_t before = 0;
    for (size_t i = 0; i < b->count; ++i) {
        const uint64_t weight = weight_of(b, i);
        const size_t some = (size_t)((before + weight + stride - 1) / stride - (before + stride - 1) / stride);
        for (size_t k = 0; k < some && to; ++k)
            to[taken + k] = b->boxes[i].lower;
        taken += some;
        before += weight;
    }
    return taken;
}

static tact_result cut(tact_ranks* r, const boxes_to_cut* b, tact_rank_curve* curve)
{
    tact_env* env = &r->context->env;
    uint64_t weight = 0;
    for (size_t i = 0; i < b->count; ++i)
        weight += weight_of(b, i);
    tact_result result = tact_ranks_combine(r, TACT_RANKS_SUM, &weight, 1);
    if (result != TACT_OK) return result;
    const uint64_t stride = tact_rank_stride(r, weight);
    const size_t count = take_sample(b, stride, NULL);
    tact_vec3* own = tact_allocate(env, count, sizeof *own);
    if (own) take_sample(b, stride, own);
    result = tact_ranks_agree(r, own ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY);
    if (result == TACT_OK) result = tact_ranks_cut_by_sample(r, own, count, curve);
    tact_release(env, own);
    return result;
}

static tact_result check(tact_env* env, const boxes_to_cut* b, const uint32_t* owners, uint32_t ranks)
{
    if (b->count > 0 && (!b->boxes || !owners)) return tact_null(env, b->boxes ? "owners" : "boxes");
    uint64_t left = ((uint64_t)1 << 63) / ranks;
    for (size_t i = 0; i < b->count && b->weights; ++i) {
        if (b->weights[i] > left)
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the weights add up to more than 2^63 / ranks at %zu",
                             i);
        left -= b->weights[i];
    }
    return TACT_OK;
}

tact_result tact_ranks_cut_space(tact_ranks* r, const tact_aabb* boxes, const uint64_t* weights, size_t count,
                                 uint32_t* owners)
{
    if (r && !tact_enter(r->context, "ranks")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!r) tact_error_begin(NULL);
    tact_env* env = r ? &r->context->env : NULL;
    const boxes_to_cut b = {boxes, weights, count};
    tact_result result = tact_ranks_agree(r, check(env, &b, owners, tact_ranks_count(r)));
    if (result != TACT_OK) return result;
    if (count > 0) memset(owners, 0, count * sizeof *owners);
    if (tact_ranks_count(r) == 1) return TACT_OK;
    tact_float_env caller;
    tact_float_env_enter(&caller);
    tact_rank_curve curve = {.cuts = NULL};
    result = cut(r, &b, &curve);
    for (size_t i = 0; i < count && result == TACT_OK; ++i)
        if (is_live(&boxes[i])) owners[i] = tact_rank_curve_part(&curve, boxes[i].lower);
    tact_rank_curve_free(env, &curve);
    tact_float_env_leave(&caller);
    return result;
}
