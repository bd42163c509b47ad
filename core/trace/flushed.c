// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/trace/flushed.h"

#include <string.h>

// Biased exponents. Small numbers are no rarity: a sphere made with double precision has vertices at its poles that are
// 10^-33 off its axis, and so has the middle of a picture.
enum { LEAST = 127 - 110, MOST = 127 + 40, ENDLESS = 255 };

static uint32_t magnitude_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & 0x7fffffffu;
}

static bool is_extreme(float x, bool large_too)
{
    const uint32_t bits = magnitude_of(x), exponent = bits >> 23;
    if (bits == 0 || exponent == ENDLESS) return false;
    return exponent < LEAST || (large_too && exponent > MOST);
}

static bool are_moderate(const float* x, size_t count)
{
    bool bad = false;
    for (size_t i = 0; i < count; ++i)
        bad |= is_extreme(x[i], true);
    return !bad;
}

static bool rows_are_moderate(const float* rows, size_t count, size_t width, size_t limit)
{
    bool bad = false;
    for (size_t i = 0; i < count; ++i, rows += width) {
        for (size_t k = 0; k < width; ++k)
            bad |= is_extreme(rows[k], k != limit);
    }
    return !bad;
}

static bool mesh_is_moderate(const tact_trace_mesh* mesh)
{
    if (mesh->vertex_count > 0 && !are_moderate(mesh->positions, 3 * mesh->vertex_count)) return false;
    for (size_t i = 0; i < mesh->shape_count; ++i) {
        const tact_trace_shape* s = &mesh->shapes[i];
        if (!are_moderate(s->a, 3) || !are_moderate(s->b, 3) || !are_moderate(&s->radius, 1)) return false;
    }
    return true;
}

static bool scene_is_moderate(tact_scene* scene)
{
    const tact_trace_scene* s = &scene->trace;
    tact_scene_range* known = &scene->range;
    if (known->mesh_version != s->mesh_version + 1) {
        known->meshes = true;
        for (size_t i = 0; i < s->mesh_count && known->meshes; ++i)
            known->meshes = mesh_is_moderate(&s->meshes[i]);
    }
    if (known->top_version != s->top_version + 1) {
        known->matrices = s->by_id_count == 0 || are_moderate(s->matrices[0], 12 * s->by_id_count);
    }
    known->mesh_version = s->mesh_version + 1;
    known->top_version = s->top_version + 1;
    return known->meshes && known->matrices;
}

tact_result tact_refuse_flushed(tact_scene* scene, uint32_t device, const void* rows, size_t count, size_t width,
                                size_t limit)
{
    TACT_ASSERT(scene->committed && limit < width);
    tact_context* context = scene->context;
    if (!tact_context_describe(context, device)->probe.flushes_subnormals) return TACT_OK;
    const tact_result ready = tact_scene_need_vertices(scene);
    if (ready != TACT_OK) return ready;
    if (scene_is_moderate(scene) && (!rows || rows_are_moderate(rows, count, width, limit))) return TACT_OK;
    return tact_fail(&context->env, TACT_ERROR_UNSUPPORTED,
                     "numbers so small or so large that they may be lost on a device that flushes subnormal numbers");
}
