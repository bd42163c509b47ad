// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/geometry/mesh_flat.h"

#include <math.h>
#include <string.h>

#include "cpu_ref/geometry/predicates_internal.h"
#include "cpu_ref/solids/flat.h"
#include "cpu_ref/solids/meeting.h"
#include "cpu_ref/solids/polygon_internal.h"

typedef struct merging {
    tact_env* env;
    tact_flat_parts flat;
    uint8_t* kept;       ///< of each part: it stays as it was
    uint32_t* corners;   ///< three for each triangle of the result
    size_t count, room;  ///< of these
    uint8_t* seen;       ///< of each side: it is in a ring of its part
    tact_vec2* seen_at;  ///< corners of the part at hand
    uint32_t* vertex;    ///< of each of them
    uint32_t* ring;      ///< where its rings begin
    size_t at_room, vertex_room, ring_room, corner_count, ring_count;
    int axis, facing;  ///< how it is seen
} merging;

// ---- The rings of a part ----

static tact_result add_corner(merging* m, uint32_t vertex)
{
    if (!tact_reserve(m->env, (void**)&m->seen_at, &m->at_room, m->corner_count, m->corner_count + 1,
                      sizeof *m->seen_at) ||
        !tact_reserve(m->env, (void**)&m->vertex, &m->vertex_room, m->corner_count, m->corner_count + 1,
                      sizeof *m->vertex)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    const tact_vec2 p = tact_drop_axis(tact_flat_place(&m->flat, vertex), m->axis);
    m->seen_at[m->corner_count] = m->facing > 0 ? p : (tact_vec2){p.y, p.x};
    m->vertex[m->corner_count++] = vertex;
    return TACT_OK;
}

static tact_result begin_ring(merging* m)
{
    if (!tact_reserve(m->env, (void**)&m->ring, &m->ring_room, m->ring_count, m->ring_count + 1, sizeof *m->ring)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    m->ring[m->ring_count++] = (uint32_t)m->corner_count;
    return TACT_OK;
}

/// The border side that follows, turning about the end of one.
static uint32_t next_border(const merging* m, uint32_t side)
{
    side = tact_mesh_next_side(side);
    while (!m->flat.border[side])
        side = tact_mesh_next_side(m->flat.across[side]);
    return side;
}

static tact_result collect_rings(merging* m, size_t part)
{
    tact_result result = TACT_OK;
    m->corner_count = m->ring_count = 0;
    for (uint32_t i = m->flat.start[part]; i < m->flat.start[part + 1]; ++i) {
        for (uint32_t k = 0; k < 3 && result >= 0; ++k) {
            uint32_t side = 3 * m->flat.members[i] + k;
            if (!m->flat.border[side] || m->seen[side]) continue;
            result = begin_ring(m);
            for (; result >= 0 && !m->seen[side]; side = next_border(m, side)) {
                m->seen[side] = 1;
                const uint32_t from = m->flat.parts.corners[side];
                if (!m->flat.gone[from]) result = add_corner(m, from);
            }
        }
    }
    return result < 0 ? result : begin_ring(m);
}

// ---- Triangles ----

static bool reserve(merging* m, size_t more)
{
    return tact_reserve(m->env, (void**)&m->corners, &m->room, m->count, m->count + more, 3 * sizeof *m->corners);
}

static tact_result keep_part(merging* m, size_t part)
{
    const size_t count = tact_flat_size(&m->flat, part);
    if (!reserve(m, count)) return TACT_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = m->flat.start[part]; i < m->flat.start[part + 1]; ++i) {
        memcpy(m->corners + 3 * m->count++, m->flat.parts.corners + 3 * (size_t)m->flat.members[i],
               3 * sizeof *m->corners);
    }
    return TACT_OK;
}

/// What the border goes round once is the part: it does not cross itself, no corner lies on it elsewhere, and nothing
/// is covered twice.
static bool is_plain(const tact_polygon_area* a)
{
    if (a->crossing_count) return false;
    for (size_t t = 0; t < a->planar.count; ++t) {
        if (a->winding[t] != 0 && a->winding[t] != 1) return false;
    }
    for (uint32_t v = 0; v < a->polygon->vertex_count; ++v) {
        const uint32_t from = a->first[v] + TACT_AREA_FRAME, to = a->first[a->next[v]] + TACT_AREA_FRAME;
        if (from == to) return false;
        if (a->planar.corners[a->planar.across[tact_planar_side(&a->planar, from, to)]] != to) return false;
    }
    return true;
}

/// Triangulates a part. False, and nothing is added, for one that must stay as it was.
static tact_result renew_part(merging* m, size_t part, bool* renewed)
{
    tact_vec3 base[3];
    tact_flat_triangle(&m->flat, m->flat.seed[part], base);
    m->axis = tact_best_axis(base, &m->facing);
    tact_result result = collect_rings(m, part);
    if (result < 0) return result;
    const tact_polygon_view polygon = {m->seen_at, m->corner_count, m->ring, m->ring_count - 1};
    tact_polygon_area area;
    result = tact_area_begin(&area, m->env, &polygon, TACT_POLYGON_NONZERO);
    *renewed = result >= 0 && is_plain(&area);
    if (*renewed && !reserve(m, area.planar.count)) result = TACT_ERROR_OUT_OF_MEMORY;
    size_t added = 0;
    for (size_t t = 0; result >= 0 && *renewed && t < area.planar.count; ++t) {
        if (!area.inside[t]) continue;
        uint32_t* to = m->corners + 3 * (m->count + added++);
        for (size_t k = 0; k < 3; ++k)
            to[k] = m->vertex[area.planar.corners[3 * t + k] - TACT_AREA_FRAME];
    }
    *renewed = *renewed && added > 0;
    m->count += added;
    tact_area_end(&area);
    return result;
}

/// Does one part after the other. `again`: the border of a part that stays is to have its vertices back.
static tact_result renew_all(merging* m, bool* again)
{
    tact_result result = tact_flat_straighten(&m->flat);
    memset(m->seen, 0, 3 * m->flat.parts.count);
    m->count = 0;
    *again = false;
    for (size_t part = 0; part < m->flat.count && result >= 0; ++part) {
        bool renewed = false;
        if (!m->kept[part]) result = renew_part(m, part, &renewed);
        if (result < 0 || renewed) continue;
        result = keep_part(m, part);
        if (m->kept[part]) continue;
        m->kept[part] = 1;
        for (uint32_t i = m->flat.start[part]; i < m->flat.start[part + 1]; ++i) {
            for (size_t k = 0; k < 3; ++k) {
                const uint32_t v = m->flat.parts.corners[3 * (size_t)m->flat.members[i] + k];
                m->flat.anchored[v] = 1;
                if (m->flat.gone[v]) *again = true;
            }
        }
    }
    return result;
}

/// Single triangles stay, and so do their corners.
static void keep_single(merging* m)
{
    for (size_t part = 0; part < m->flat.count; ++part) {
        if (tact_flat_size(&m->flat, part) > 1) continue;
        m->kept[part] = 1;
        for (size_t k = 0; k < 3; ++k)
            m->flat.anchored[m->flat.parts.corners[3 * (size_t)m->flat.members[m->flat.start[part]] + k]] = 1;
    }
}

static void count_parts(const merging* m, tact_mesh_merged* merged)
{
    for (size_t part = 0; part < m->flat.count; ++part) {
        if (tact_flat_size(&m->flat, part) == 1) continue;
        if (m->kept[part]) {
            ++merged->kept;
        } else {
            ++merged->faces;
        }
    }
}

/// How many of the vertices are corners of triangles. `mark` has room for each.
static size_t count_corners(const uint32_t* corners, size_t triangles, size_t vertices, uint8_t* mark)
{
    size_t count = 0;
    memset(mark, 0, vertices);
    for (size_t i = 0; i < 3 * triangles; ++i) {
        count += !mark[corners[i]];
        mark[corners[i]] = 1;
    }
    return count;
}

static tact_result run(merging* m, tact_mesh_copy* copy, tact_mesh_merged* merged)
{
    const tact_mesh_view* mesh = m->flat.parts.mesh;
    m->kept = tact_allocate_zeroed(m->env, m->flat.count, 1);
    m->seen = tact_allocate(m->env, m->flat.parts.count, 3);
    if (!m->kept || !m->seen) return TACT_ERROR_OUT_OF_MEMORY;
    keep_single(m);
    tact_result result = TACT_OK;
    for (bool again = true; again && result >= 0;)
        result = renew_all(m, &again);
    if (result < 0) return result;
    count_parts(m, merged);
    const size_t before = count_corners(m->flat.parts.corners, m->flat.parts.count, mesh->vertex_count, m->flat.gone);
    copy->indices = m->corners;
    copy->triangle_count = m->count;
    m->corners = NULL;
    copy->vertex_count = mesh->vertex_count;
    copy->positions = tact_allocate(m->env, mesh->vertex_count, sizeof *copy->positions);
    uint32_t* number = tact_allocate(m->env, mesh->vertex_count, sizeof *number);
    if (copy->positions && number) {
        if (mesh->vertex_count) memcpy(copy->positions, mesh->positions, mesh->vertex_count * sizeof *copy->positions);
        tact_mesh_trim(copy, number);
        merged->removed_vertices = before - copy->vertex_count;
    } else {
        result = TACT_ERROR_OUT_OF_MEMORY;
    }
    tact_release(m->env, number);
    return result;
}

tact_result tact_mesh_merge_flat(const tact_mesh_view* mesh, float tolerance, const tact_allocator* allocator,
                                 tact_mesh_copy* copy, tact_mesh_merged* merged)
{
    tact_env env;
    tact_env_init(&env, allocator, NULL, NULL, NULL, NULL);
    tact_error_begin(NULL);
    merging m = {.env = &env, .flat = {.env = &env}};
    tact_mesh_merged counts = {0};
    tact_mesh_report report = {0};
    memset(copy, 0, sizeof *copy);
    copy->allocator = env.allocator;
    tact_result result = tolerance >= 0.0f && isfinite(tolerance)
                             ? tact_flat_begin(&m.flat, &env, mesh, tolerance, &report)
                             : tact_fail(&env, TACT_ERROR_INVALID_ARGUMENT, "tolerance is %g", (double)tolerance);
    if (result >= 0) result = run(&m, copy, &counts);
    counts.bad_triangles = report.bad_triangles;
    counts.collapsed = report.collapsed;
    void* const arrays[] = {m.kept, m.corners, m.seen, m.seen_at, m.vertex, m.ring};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        tact_release(&env, arrays[i]);
    tact_flat_end(&m.flat);
    if (result < 0) {
        tact_mesh_copy_free(copy);
        memset(&counts, 0, sizeof counts);
    }
    if (merged) *merged = counts;
    return result;
}
