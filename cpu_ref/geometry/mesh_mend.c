// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/geometry/mesh_mend.h"

#include <math.h>
#include <string.h>

#include "cpu_ref/geometry/mesh_mend_internal.h"
#include "cpu_ref/geometry/predicates_internal.h"
#include "cpu_ref/geometry/vec.h"

// ---- Welding ----

/// Indices of welded vertices; those that are not there stay as they are. Released by the caller.
static tact_result weld(tact_mend* mend, const tact_mesh_view* mesh, uint32_t** indices)
{
    tact_env* env = mend->env;
    const float tolerance = mend->options.tolerance;
    uint32_t* first = tact_allocate(env, mesh->vertex_count, sizeof *first);
    *indices = tact_allocate(env, mesh->triangle_count, 3 * sizeof **indices);
    tact_result result = first && *indices ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result >= 0) {
        result = tact_mesh_weld_within(mesh->positions, mesh->vertex_count, tolerance, &env->allocator, first, NULL);
    }
    for (size_t i = 0; result >= 0 && i < mesh->vertex_count; ++i) {
        if (first[i] == i) continue;
        const double move = d_length(d_sub(d_from(mesh->positions[i]), d_from(mesh->positions[first[i]])));
        mend->report->welded_vertices += move > 0.0;
        if (move > mend->report->largest_move) mend->report->largest_move = move;
    }
    for (size_t i = 0; result >= 0 && i < 3 * mesh->triangle_count; ++i) {
        const uint32_t v = mesh->indices[i];
        (*indices)[i] = v < mesh->vertex_count ? first[v] : v;
    }
    tact_release(env, first);
    return result;
}

// ---- Triangles that go ----

/// Two triangles with the same corners have them in the same order round.
static bool same_way(const uint32_t* a, const uint32_t* b)
{
    for (int k = 0; k < 3; ++k) {
        if (a[0] == b[k]) return a[1] == b[(k + 1) % 3];
    }
    return false;
}

/// Removes the triangles that repeat an earlier one. `back` is 1 for each that stays and had one back to back.
static tact_result drop_repeated(tact_mend* mend, uint8_t* back)
{
    uint32_t* first = tact_allocate(mend->env, mend->count, sizeof *first);
    if (!first) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_result result = tact_mesh_find_repeated(mend->env, mend->corners, mend->count, first);
    for (size_t i = 0; result >= 0 && i < mend->count; ++i) {
        const uint32_t *a = mend->corners + 3 * (size_t)first[i], *b = mend->corners + 3 * i;
        if (first[i] != i && !same_way(a, b)) back[first[i]] = 1;
    }
    size_t kept = 0;
    for (size_t i = 0; result >= 0 && i < mend->count; ++i) {
        if (first[i] != i) continue;
        memmove(mend->corners + 3 * kept, mend->corners + 3 * i, 3 * sizeof *mend->corners);
        back[kept++] = back[i];
    }
    if (result >= 0) {
        mend->report->duplicate += mend->count - kept;
        mend->count = kept;
    }
    tact_release(mend->env, first);
    return result;
}

enum { HANGS = 1, HAS_BORDER = 2, GOES_ON = 4 };

/// Of each set of triangles that were back to back, connected by edges of two, at its root: how it lies in the mesh.
static void look_at_folds(const tact_mend* mend, const uint32_t* across, const uint8_t* back, uint32_t* parent,
                          uint8_t* kind)
{
    for (uint32_t side = 0; side < 3 * mend->count; ++side) {
        const uint32_t other = across[side];
        if (back[side / 3] && other < TACT_MESH_MANY && back[other / 3]) {
            tact_set_join(parent, side / 3, other / 3);
        }
    }
    for (uint32_t side = 0; side < 3 * mend->count; ++side) {
        const uint32_t other = across[side];
        if (!back[side / 3]) continue;
        uint8_t* of = &kind[tact_set_root(parent, side / 3)];
        if (other == TACT_MESH_MANY) *of |= HANGS;
        if (other == TACT_MESH_BOUNDARY) *of |= HAS_BORDER;
        if (other < TACT_MESH_MANY && !back[other / 3]) *of |= GOES_ON;
    }
}

/// Removes folds: what was back to back, hangs at an edge of more than two and ends in a border.
static tact_result drop_folds(tact_mend* mend, const uint8_t* back)
{
    tact_env* env = mend->env;
    tact_mesh_sides sides;
    tact_result result = tact_mesh_sides_begin(&sides, env, mend->corners, mend->count, mend->vertex_count);
    uint32_t* across = tact_allocate(env, mend->count, 3 * sizeof *across);
    uint32_t* parent = tact_allocate(env, mend->count, sizeof *parent);
    uint8_t* kind = tact_allocate_zeroed(env, mend->count, 1);
    if (!across || !parent || !kind) result = TACT_ERROR_OUT_OF_MEMORY;
    if (result >= 0) {
        tact_mesh_link(&sides, across);
        for (uint32_t i = 0; i < mend->count; ++i)
            parent[i] = i;
        look_at_folds(mend, across, back, parent, kind);
        size_t kept = 0;
        for (uint32_t i = 0; i < mend->count; ++i) {
            if (back[i] && kind[tact_set_root(parent, i)] == (HANGS | HAS_BORDER)) continue;
            memmove(mend->corners + 3 * kept++, mend->corners + (size_t)3 * i, 3 * sizeof *mend->corners);
        }
        mend->report->folded = mend->count - kept;
        mend->count = kept;
    }
    tact_mesh_sides_end(&sides, env);
    tact_release(env, across);
    tact_release(env, parent);
    tact_release(env, kind);
    return result;
}

/// Triangles without area: their longest side is then a T-junction of its neighbour's.
static void drop_degenerate(tact_mend* mend)
{
    const tact_vec3* p = mend->positions;
    size_t kept = 0;
    for (size_t i = 0; i < mend->count; ++i) {
        const uint32_t* c = mend->corners + 3 * i;
        if (tact_collinear(p[c[0]], p[c[1]], p[c[2]])) continue;
        memmove(mend->corners + 3 * kept++, c, 3 * sizeof *c);
    }
    mend->report->degenerate = mend->count - kept;
    mend->count = kept;
}

static tact_result drop_what_goes(tact_mend* mend)
{
    uint8_t* back = tact_allocate_zeroed(mend->env, mend->count, 1);
    if (!back) return TACT_ERROR_OUT_OF_MEMORY;
    tact_result result = drop_repeated(mend, back);
    const bool some = memchr(back, 1, mend->count) != NULL;
    if (result >= 0 && some) result = drop_folds(mend, back);
    if (result >= 0 && !mend->options.keep_junctions) drop_degenerate(mend);
    tact_release(mend->env, back);
    return result;
}

// ---- The steps ----

/// The triangles that take part, welded, without what is to go, split where vertices lie on them.
static tact_result prepare(tact_mend* mend, const tact_mesh_view* mesh)
{
    uint32_t* indices = NULL;
    tact_result result = weld(mend, mesh, &indices);
    const tact_mesh_view welded = {mesh->positions, mesh->vertex_count, indices, mesh->triangle_count};
    tact_mesh_report counts = {0};
    tact_mesh_parts parts = {.env = mend->env};
    if (result >= 0) result = tact_mesh_parts_begin(&parts, mend->env, &welded, &counts);
    if (result >= 0) {
        mend->corners = parts.corners;
        mend->count = parts.count;
        mend->room = mesh->triangle_count;
        parts.corners = NULL;
        mend->report->bad_triangles = counts.bad_triangles;
        mend->report->collapsed = counts.collapsed;
        result = drop_what_goes(mend);
    }
    tact_mesh_parts_end(&parts);
    tact_release(mend->env, indices);
    if (result >= 0 && !mend->options.keep_junctions) result = tact_mend_junctions(mend);
    return result;
}

/// Takes over the copy's arrays, fills its holes and makes another copy of it.
static tact_result fill(tact_mend* mend, tact_mesh_copy* copy)
{
    tact_release(mend->env, mend->corners);
    mend->positions = copy->positions;
    mend->vertex_count = copy->vertex_count;
    mend->corners = copy->indices;
    mend->count = mend->room = copy->triangle_count;
    copy->indices = NULL;
    tact_result result = tact_mend_holes(mend);
    if (result < 0) return result;
    const tact_mesh_view filled = {mend->positions, mend->vertex_count, mend->corners, mend->count};
    tact_mesh_copy last;
    result = tact_mesh_repair(&filled, &mend->env->allocator, &last);
    if (result < 0) return result;
    last.flipped = last.flipped ? copy->triangle_count - copy->flipped : copy->flipped;
    tact_mesh_copy_free(copy);
    *copy = last;
    return TACT_OK;
}

static tact_result run(tact_mend* mend, const tact_mesh_view* mesh, tact_mesh_copy* copy)
{
    tact_result result = prepare(mend, mesh);
    if (result < 0) return result;
    const tact_mesh_view clean = {mesh->positions, mesh->vertex_count, mend->corners, mend->count};
    result = tact_mesh_repair(&clean, &mend->env->allocator, copy);
    if (result >= 0 && !mend->options.keep_holes) result = fill(mend, copy);
    if (result < 0) return result;
    mend->report->flipped = copy->flipped;
    const tact_mesh_view view = {copy->positions, copy->vertex_count, copy->indices, copy->triangle_count};
    return tact_mesh_report_make(&view, &mend->env->allocator, &mend->report->after);
}

tact_result tact_mesh_mend(const tact_mesh_view* mesh, const tact_mesh_mend_options* options,
                           const tact_allocator* allocator, tact_mesh_copy* copy, tact_mesh_mended* report)
{
    tact_env env;
    tact_env_init(&env, allocator, NULL, NULL, NULL, NULL);
    tact_error_begin(NULL);
    memset(copy, 0, sizeof *copy);
    memset(report, 0, sizeof *report);
    copy->allocator = env.allocator;
    if (!tact_mesh_fits(mesh)) return tact_mesh_fail_size(&env, mesh);
    tact_mend mend = {.env = &env, .positions = mesh->positions, .vertex_count = mesh->vertex_count, .report = report};
    if (options) mend.options = *options;
    const tact_result result = run(&mend, mesh, copy);
    tact_release(&env, mend.corners);
    if (result < 0) {
        tact_mesh_copy_free(copy);
        memset(report, 0, sizeof *report);
    }
    return result;
}
