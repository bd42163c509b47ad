// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Of the corners of a level, w is extreme and left out of the coarser one, and v is extreme there. Then w is in front
// of a face at v: if it were behind all of them, it would be no higher than v. No corner of the coarser level is gone,
// so all corners of that face are neighbours of w. It does not matter which of several extreme corners v is.

#include "tact/geometry/hull_hierarchy.h"

#include <string.h>

#include "cpu_ref/geometry/hull_internal.h"

enum { COARSEST = 12, MOST_NEIGHBOURS = 9 };

/// A corner that a level leaves out, and one of those beside it.
typedef struct riser {
    uint32_t beside, out;
} riser;

/// What is being made. Levels are numbered from the finest while it is.
typedef struct making {
    tact_env env;
    const tact_vec3* all;
    size_t given;
    bool solid;
    uint32_t* left;     ///< numbers of the points of the level, all of them corners
    size_t count;       ///< of `left`
    tact_vec3* points;  ///< the same points
    riser* risers;      ///< those of a corner follow each other, and those of a level
    size_t* riser_end;  ///< of each level but the coarsest
    uint32_t* sizes;    ///< of all
    size_t levels;      ///< but the coarsest
    size_t riser_count, riser_capacity, end_capacity, size_capacity;
    // Of one level, by place in `left`.
    uint32_t *start, *neighbour;
    uint8_t* mark;
} making;

enum { FREE, BESIDE, OUT };

static bool link_corners(making* m, const tact_hull_mesh* hull)
{
    TACT_ASSERT(hull->dimension == 3);
    m->start = tact_allocate_zeroed(&m->env, m->count + 2, sizeof *m->start);
    m->neighbour = tact_allocate(&m->env, hull->triangle_count, 3 * sizeof *m->neighbour);
    m->mark = tact_allocate_zeroed(&m->env, m->count, 1);
    if (!m->start || !m->neighbour || !m->mark) return false;
    uint32_t* next = m->start + 1;
    for (size_t i = 0; i < 3 * hull->triangle_count; ++i)
        ++next[hull->triangles[i] + 1];
    for (size_t i = 0; i < m->count; ++i)
        next[i + 1] += next[i];
    for (size_t t = 0; t < hull->triangle_count; ++t) {
        for (size_t k = 0; k < 3; ++k)
            m->neighbour[next[hull->triangles[3 * t + k]]++] = hull->triangles[3 * t + (k + 1) % 3];
    }
    return true;
}

/// Leaves out a corner that is beside none that was.
static bool leave_out(making* m, uint32_t i)
{
    const uint32_t begin = m->start[i], end = m->start[i + 1];
    if (!tact_reserve(&m->env, (void**)&m->risers, &m->riser_capacity, m->riser_count, m->riser_count + (end - begin),
                      sizeof *m->risers)) {
        return false;
    }
    m->mark[i] = OUT;
    for (uint32_t e = begin; e < end; ++e) {
        m->mark[m->neighbour[e]] = BESIDE;
        m->risers[m->riser_count++] = (riser){m->left[m->neighbour[e]], m->left[i]};
    }
    return true;
}

static bool thin_out(making* m, const tact_hull_mesh* hull)
{
    if (!link_corners(m, hull)) return false;
    for (uint32_t degree = 3; degree <= MOST_NEIGHBOURS; ++degree) {
        for (uint32_t i = 0; i < m->count; ++i) {
            if (m->mark[i] == FREE && m->start[i + 1] - m->start[i] == degree && !leave_out(m, i)) return false;
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < m->count; ++i) {
        if (m->mark[i] != OUT) m->left[kept++] = m->left[i];
    }
    m->count = kept;
    return true;
}

static bool note_level(making* m)
{
    if (!tact_reserve(&m->env, (void**)&m->sizes, &m->size_capacity, m->levels, m->levels + 1, sizeof *m->sizes) ||
        !tact_reserve(&m->env, (void**)&m->riser_end, &m->end_capacity, m->levels, m->levels + 1,
                      sizeof *m->riser_end)) {
        return false;
    }
    m->sizes[m->levels] = (uint32_t)m->count;
    return true;
}

/// Notes a level and leaves corners out for the next coarser one. `more`: there is one.
static tact_result coarsen(making* m, bool* more)
{
    *more = false;
    if (!note_level(m)) return TACT_ERROR_OUT_OF_MEMORY;
    if (!m->solid || m->count <= COARSEST) return TACT_OK;
    for (size_t i = 0; i < m->count; ++i)
        m->points[i] = m->all[m->left[i]];
    tact_hull_mesh hull;
    const tact_result result = tact_hull_mesh_3d(m->points, m->count, &m->env.allocator, &hull);
    if (result < 0) return result;
    TACT_ASSERT(hull.vertex_count == m->count);
    const bool good = thin_out(m, &hull);
    m->riser_end[m->levels++] = m->riser_count;
    *more = true;  // a corner has fewer than six neighbours on average
    tact_release(&m->env, m->start);
    tact_release(&m->env, m->neighbour);
    tact_release(&m->env, m->mark);
    m->start = m->neighbour = NULL;
    m->mark = NULL;
    tact_hull_mesh_free(&hull);
    return good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

/// The corners of all points, to begin with.
static tact_result begin(making* m)
{
    tact_hull_mesh hull;
    const tact_result result = tact_hull_mesh_3d(m->all, m->given, &m->env.allocator, &hull);
    if (result < 0) return result;
    m->count = hull.vertex_count;
    m->solid = hull.dimension == 3;
    m->left = tact_allocate(&m->env, m->count, sizeof *m->left);
    m->points = tact_allocate(&m->env, m->count, sizeof *m->points);
    if (m->left && m->count) memcpy(m->left, hull.vertices, m->count * sizeof *m->left);
    tact_hull_mesh_free(&hull);
    return m->left && m->points ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

static size_t riser_begin(const making* m, size_t level)
{
    return level > 0 ? m->riser_end[level - 1] : 0;
}

/// Those of the coarsest level first, then those that each finer one adds.
static void place_corners(const making* m, uint32_t* place, tact_hull_hierarchy* h)
{
    uint32_t used = 0;
    for (size_t i = 0; i < m->count; ++i)
        h->source[used++] = m->left[i];
    for (size_t l = m->levels; l-- > 0;) {
        const size_t begin = riser_begin(m, l);
        for (size_t i = begin; i < m->riser_end[l]; ++i) {
            if (i == begin || m->risers[i].out != m->risers[i - 1].out) h->source[used++] = m->risers[i].out;
        }
        TACT_ASSERT(used == m->sizes[l]);
    }
    for (uint32_t i = 0; i < used; ++i) {
        place[h->source[i]] = i;
        h->points[i] = m->all[h->source[i]];
    }
    for (size_t l = 0; l <= m->levels; ++l)
        h->sizes[l] = m->sizes[m->levels - l];
    h->level_count = (uint32_t)m->levels + 1;
}

/// The links from a coarser level, of `count` corners, to the next finer one. Returns how many there are; `first` is
/// zeros.
static uint32_t write_links(const making* m, size_t finer, const uint32_t* place, uint32_t* first, uint32_t* above)
{
    const size_t begin = riser_begin(m, finer), end = m->riser_end[finer], count = m->sizes[finer + 1];
    for (size_t i = begin; i < end; ++i)
        ++first[place[m->risers[i].beside] + 1];
    for (size_t i = 0; i < count; ++i)
        first[i + 1] += first[i];
    for (size_t i = begin; i < end; ++i)
        above[first[place[m->risers[i].beside]]++] = place[m->risers[i].out];
    memmove(first + 1, first, count * sizeof *first);  // each stood where its own end
    first[0] = 0;
    return (uint32_t)(end - begin);
}

static tact_result write_hierarchy(making* m, tact_hull_hierarchy* h)
{
    size_t links = 0;
    for (size_t l = 1; l <= m->levels; ++l)
        links += (size_t)m->sizes[l] + 1;
    const size_t corners = m->sizes[0];
    uint32_t* place = tact_allocate(&m->env, m->given, sizeof *place);
    h->points = tact_allocate(&m->env, corners, sizeof *h->points);
    h->source = tact_allocate(&m->env, corners, sizeof *h->source);
    h->sizes = tact_allocate(&m->env, m->levels + 1, sizeof *h->sizes);
    h->first = tact_allocate_zeroed(&m->env, links, sizeof *h->first);
    h->above = tact_allocate(&m->env, m->riser_count, sizeof *h->above);
    const bool good = place && h->points && h->source && h->sizes && h->first && h->above;
    if (good) place_corners(m, place, h);
    uint32_t *first = h->first, done = 0;
    for (size_t l = m->levels; l-- > 0 && good;) {
        const uint32_t count = m->sizes[l + 1], more = write_links(m, l, place, first, h->above + done);
        for (size_t i = 0; i <= count; ++i)
            first[i] += done;
        done += more;
        first += (size_t)count + 1;
    }
    tact_release(&m->env, place);
    return good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

tact_result tact_hull_hierarchy_make(const tact_vec3* points, size_t count, const tact_allocator* allocator,
                                     tact_hull_hierarchy* hierarchy)
{
    making m = {.all = points, .given = count};
    tact_env_init(&m.env, allocator, NULL, NULL, NULL, NULL);
    tact_error_begin(NULL);
    *hierarchy = (tact_hull_hierarchy){.allocator = m.env.allocator};
    tact_result result = begin(&m);
    bool more = m.count > 0;
    const bool some = more;
    while (result == TACT_OK && more)
        result = coarsen(&m, &more);
    if (result == TACT_OK && some) result = write_hierarchy(&m, hierarchy);
    void* const arrays[] = {m.left, m.points, m.risers, m.riser_end, m.sizes, m.start, m.neighbour, m.mark};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        tact_release(&m.env, arrays[i]);
    if (result < 0) tact_hull_hierarchy_free(hierarchy);
    return result;
}

void tact_hull_hierarchy_free(tact_hull_hierarchy* h)
{
    void* const arrays[] = {h->points, h->source, h->sizes, h->first, h->above};
    for (int i = 0; i < 5; ++i) {
        if (arrays[i]) h->allocator.release(arrays[i], h->allocator.user);
    }
    memset(h, 0, sizeof *h);
}

/// The place of the extreme corner. UINT32_MAX where there is none.
static uint32_t extreme_corner(const tact_hull_hierarchy* h, tact_vec3 direction)
{
    const dvec d = d_from(direction);
    if (h->level_count == 0 || !d_finite(d) || !(d_dot(d, d) > 0.0)) return UINT32_MAX;
    uint32_t best = 0;
    double top = d_dot(d, d_from(h->points[0]));
    for (uint32_t i = 1; i < h->sizes[0]; ++i) {
        const double height = d_dot(d, d_from(h->points[i]));
        if (height > top) {
            top = height;
            best = i;
        }
    }
    const uint32_t* first = h->first;
    for (uint32_t level = 0; level + 1 < h->level_count; ++level) {
        const uint32_t end = first[best + 1];
        for (uint32_t i = first[best]; i < end; ++i) {
            const double height = d_dot(d, d_from(h->points[h->above[i]]));
            if (height > top) {
                top = height;
                best = h->above[i];
            }
        }
        first += (size_t)h->sizes[level] + 1;
    }
    return best;
}

uint32_t tact_hull_hierarchy_extreme(const tact_hull_hierarchy* hierarchy, tact_vec3 direction)
{
    const uint32_t at = extreme_corner(hierarchy, direction);
    return at == UINT32_MAX ? UINT32_MAX : hierarchy->source[at];
}

tact_vec3 tact_hull_hierarchy_support(const void* hierarchy, tact_vec3 direction)
{
    const tact_hull_hierarchy* h = hierarchy;
    const uint32_t at = extreme_corner(h, direction);
    return at == UINT32_MAX ? (tact_vec3){NAN, NAN, NAN} : h->points[at];
}
