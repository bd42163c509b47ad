// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Quickhull. A triangle is seen from a point strictly in front of it, exactly. Then the triangles that a point sees are
// connected and have one simple outline, the new triangles never have zero area (a point on the line of an outline edge
// would be in the plane of the triangle it sees there), and a point that leaves with them is in front of a new one if
// it is still outside at all.

#include <string.h>

#include "cpu_ref/geometry/hull_internal.h"
#include "cpu_ref/geometry/predicates_internal.h"

#define NONE 0xffffffffu

typedef enum face_state { FACE_KEPT, FACE_SEEN, FACE_FREE } face_state;

/// A triangle with the points in front of it that are in no other's list.
typedef struct face {
    uint32_t corner[3];
    uint32_t across[3];  // the face beyond the edge from corner[i] to corner[i + 1]
    uint32_t outside;    // first of the list; of a free face, the next free one
    uint32_t farthest;
    uint32_t facet;
    face_state state;
    double distance;  // of the farthest, times twice the area
} face;

/// An edge of the outline, as the face that is seen has it, and the face beyond.
typedef struct outline_edge {
    uint32_t from, to, beyond;
} outline_edge;

typedef struct list {
    uint32_t* items;
    size_t used, capacity;
} list;

typedef struct quick {
    tact_env* env;
    const tact_hull_sites* sites;
    face* faces;
    size_t face_count, face_capacity;
    uint32_t free;
    uint32_t* next;    // of each point: the next in its list
    uint32_t* starts;  // of each point: the new face whose outline edge starts there
    list pending;      // faces that may have points outside
    list seen;
    outline_edge* outline;
    size_t outline_used, outline_capacity;
} quick;

static bool add_item(tact_env* env, list* l, uint32_t item)
{
    if (!tact_reserve(env, (void**)&l->items, &l->capacity, l->used, l->used + 1, sizeof *l->items)) return false;
    l->items[l->used++] = item;
    return true;
}

static int next_slot(int slot)
{
    return slot == 2 ? 0 : slot + 1;
}

static int slot_of(const face* f, uint32_t from)
{
    TACT_ASSERT(f->corner[0] == from || f->corner[1] == from || f->corner[2] == from);
    return f->corner[0] == from ? 0 : f->corner[1] == from ? 1 : 2;
}

/// Positive in front: as far as the point is, times twice the triangle's area; the sign is exact.
static double height(const quick* q, const face* f, uint32_t point)
{
    const tact_vec3* p = q->sites->points;
    if (!p) return q->sites->height(q->sites->user, f->corner, point);
    return -tact_orient3d_fast(p[f->corner[0]], p[f->corner[1]], p[f->corner[2]], p[point]);
}

/// The sign of the same.
static int side_of(const quick* q, const face* f, uint32_t point)
{
    const tact_vec3* p = q->sites->points;
    if (p) return -tact_orient3d(p[f->corner[0]], p[f->corner[1]], p[f->corner[2]], p[point]);
    const double high = q->sites->height(q->sites->user, f->corner, point);
    return (high > 0.0) - (high < 0.0);
}

static bool sees(const quick* q, const face* f, uint32_t point)
{
    return side_of(q, f, point) > 0;
}

static uint32_t new_face(quick* q, uint32_t a, uint32_t b, uint32_t c)
{
    TACT_ASSERT(a != b && b != c && c != a);
    uint32_t id = q->free;
    if (id != NONE) {
        q->free = q->faces[id].outside;
    } else {
        const size_t count = q->face_count;
        if (!tact_reserve(q->env, (void**)&q->faces, &q->face_capacity, count, count + 1, sizeof *q->faces))
            return NONE;
        id = (uint32_t)q->face_count++;
    }
    const face f = {.corner = {a, b, c}, .outside = NONE, .facet = NONE};
    q->faces[id] = f;
    return id;
}

/// Puts a point into the list of the first of these faces that it sees, if any. The faces are a range of `items` or, if
/// that is NULL, the first `count`.
static bool assign(quick* q, uint32_t point, const uint32_t* items, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const uint32_t id = items ? items[i] : (uint32_t)i;
        face* f = &q->faces[id];
        TACT_ASSERT(id < q->face_count && f->state == FACE_KEPT);
        const double distance = height(q, f, point);
        if (!(distance > 0.0)) continue;
        if (f->outside == NONE && !add_item(q->env, &q->pending, id)) return false;
        q->next[point] = f->outside;
        f->outside = point;
        if (distance > f->distance) {
            f->distance = distance;
            f->farthest = point;
        }
        return true;
    }
    return true;
}

/// The faces that the point sees, from one of them on, and their outline.
static bool look_from(quick* q, uint32_t eye, uint32_t first)
{
    TACT_ASSERT(first < q->face_count && q->faces[first].state == FACE_KEPT);
    q->seen.used = q->outline_used = 0;
    q->faces[first].state = FACE_SEEN;
    if (!add_item(q->env, &q->seen, first)) return false;
    for (size_t i = 0; i < q->seen.used; ++i) {
        const face* f = &q->faces[q->seen.items[i]];
        for (int k = 0; k < 3; ++k) {
            face* n = &q->faces[f->across[k]];
            if (n->state == FACE_SEEN) continue;
            if (sees(q, n, eye)) {
                n->state = FACE_SEEN;
                if (!add_item(q->env, &q->seen, f->across[k])) return false;
                continue;
            }
            if (!tact_reserve(q->env, (void**)&q->outline, &q->outline_capacity, q->outline_used, q->outline_used + 1,
                              sizeof *q->outline)) {
                return false;
            }
            const outline_edge edge = {f->corner[k], f->corner[next_slot(k)], f->across[k]};
            q->outline[q->outline_used++] = edge;
        }
    }
    return true;
}

/// One new face for each edge of the outline; their numbers replace `from` of the edge, so that they can be listed.
static bool close_outline(quick* q, uint32_t eye)
{
    TACT_ASSERT(q->outline_used >= 3);
    for (size_t i = 0; i < q->outline_used; ++i) {
        outline_edge* e = &q->outline[i];
        const uint32_t id = new_face(q, e->from, e->to, eye);
        if (id == NONE) return false;
        q->faces[id].across[0] = e->beyond;
        face* beyond = &q->faces[e->beyond];
        TACT_ASSERT(beyond->state == FACE_KEPT &&
                    beyond->corner[next_slot(slot_of(beyond, e->to))] == q->faces[id].corner[0]);
        beyond->across[slot_of(beyond, e->to)] = id;
        q->starts[e->from] = id;
        e->from = id;
    }
    for (size_t i = 0; i < q->outline_used; ++i) {
        const uint32_t id = q->outline[i].from, follower = q->starts[q->outline[i].to];
        q->faces[id].across[1] = follower;
        q->faces[follower].across[2] = id;
    }
    return true;
}

/// The points of the seen faces move to the new ones, and the seen ones become free.
static bool hand_over(quick* q, uint32_t eye, const uint32_t* fresh)
{
    for (size_t i = 0; i < q->seen.used; ++i) {
        face* gone = &q->faces[q->seen.items[i]];
        TACT_ASSERT(gone->state == FACE_SEEN);
        for (uint32_t point = gone->outside; point != NONE;) {
            const uint32_t follower = q->next[point];
            if (point != eye && !assign(q, point, fresh, q->outline_used)) return false;
            point = follower;
        }
        gone->state = FACE_FREE;
        gone->outside = q->free;
        q->free = q->seen.items[i];
    }
    return true;
}

static bool add_point(quick* q, uint32_t first, list* fresh)
{
    const uint32_t eye = q->faces[first].farthest;
    TACT_ASSERT(sees(q, &q->faces[first], eye));
    if (!look_from(q, eye, first) || !close_outline(q, eye)) return false;
    fresh->used = 0;
    for (size_t i = 0; i < q->outline_used; ++i) {
        if (!add_item(q->env, fresh, q->outline[i].from)) return false;
    }
    return hand_over(q, eye, fresh->items);
}

static bool start(quick* q, const uint32_t* index, size_t count, const uint32_t s[4])
{
    TACT_ASSERT(q->face_count == 0 && q->free == NONE);
    static const uint32_t across[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    const uint32_t corner[4][3] = {{s[0], s[1], s[2]}, {s[1], s[0], s[3]}, {s[2], s[1], s[3]}, {s[0], s[2], s[3]}};
    for (int i = 0; i < 4; ++i) {
        const uint32_t id = new_face(q, corner[i][0], corner[i][1], corner[i][2]);
        if (id == NONE) return false;
        memcpy(q->faces[id].across, across[i], sizeof across[i]);
    }
    for (size_t i = 0; i < count; ++i) {
        if (!assign(q, index[i], NULL, 4)) return false;
    }
    return true;
}

// ---- Facets ----

static uint32_t facet_beyond(const quick* q, uint32_t id, int slot)
{
    return q->faces[q->faces[id].across[slot]].facet;
}

/// All faces of the plane of one, as far as they are connected.
static bool fill_facet(quick* q, uint32_t first, uint32_t facet)
{
    q->faces[first].facet = facet;
    q->pending.used = 0;
    if (!add_item(q->env, &q->pending, first)) return false;
    while (q->pending.used) {
        const face* f = &q->faces[q->pending.items[--q->pending.used]];
        for (int k = 0; k < 3; ++k) {
            face* n = &q->faces[f->across[k]];
            TACT_ASSERT(n->state == FACE_KEPT);
            if (n->facet != NONE) continue;
            const uint32_t apex = n->corner[(slot_of(n, f->corner[next_slot(k)]) + 2) % 3];
            if (side_of(q, f, apex) != 0) continue;
            n->facet = facet;
            if (!add_item(q->env, &q->pending, f->across[k])) return false;
        }
    }
    return true;
}

/// Numbers the facets and finds for each a face at its boundary, which go into `seen`.
static bool find_facets(quick* q)
{
    q->seen.used = 0;
    for (size_t i = 0; i < q->face_count; ++i) {
        if (q->faces[i].state != FACE_KEPT || q->faces[i].facet != NONE) continue;
        const uint32_t facet = (uint32_t)q->seen.used;
        if (!add_item(q->env, &q->seen, NONE) || !fill_facet(q, (uint32_t)i, facet)) return false;
    }
    for (size_t i = 0; i < q->face_count; ++i) {
        const face* f = &q->faces[i];
        for (int k = 0; f->state == FACE_KEPT && k < 3; ++k) {
            if (facet_beyond(q, (uint32_t)i, k) != f->facet) q->seen.items[f->facet] = (uint32_t)i;
        }
    }
    TACT_ASSERT(q->seen.used >= 4);
    return true;
}

/// A step counter-clockwise along the boundary of a facet, to the next edge of it with another facet beyond.
static void step_along(const quick* q, uint32_t* id, int* slot)
{
    *slot = next_slot(*slot);
    for (;;) {
        const face* f = &q->faces[*id];
        const uint32_t beyond = f->across[*slot];
        if (q->faces[beyond].facet != f->facet) return;
        const uint32_t from = f->corner[*slot];
        // The edge after the shared one, which the other face has the other way round.
        const int shared = (slot_of(&q->faces[beyond], from) + 2) % 3;
        *id = beyond;
        *slot = next_slot(shared);
    }
}

/// The corners of the facet of a face at its boundary: where its boundary goes from one neighbouring facet to another.
static bool list_corners(quick* q, uint32_t id, list* corners)
{
    const uint32_t first = id;
    int first_slot = 0;
    while (facet_beyond(q, id, first_slot) == q->faces[id].facet)
        ++first_slot;
    int slot = first_slot;
    corners->used = 0;
    do {
        const uint32_t before = facet_beyond(q, id, slot);
        step_along(q, &id, &slot);
        if (facet_beyond(q, id, slot) == before) continue;
        if (!add_item(q->env, corners, q->faces[id].corner[slot])) return false;
    } while (id != first || slot != first_slot);
    return true;
}

static void add_facet(tact_hull_mesh* hull, const list* corners, uint32_t* is_corner)
{
    TACT_ASSERT(corners->used >= 3);
    for (size_t i = 0; i < corners->used; ++i)
        is_corner[corners->items[i]] = 1;
    for (size_t i = 2; i < corners->used; ++i) {
        uint32_t* t = &hull->triangles[3 * hull->triangle_count++];
        t[0] = corners->items[0];
        t[1] = corners->items[i - 1];
        t[2] = corners->items[i];
    }
    hull->facet_start[++hull->facet_count] = (uint32_t)hull->triangle_count;
}

#if defined(TACT_ASSERTS)

/// Whether the faces close: each edge has the face beyond it that has it the other way round, and they are as many as a
/// surface without holes has.
static bool is_closed(const quick* q)
{
    size_t kept = 0;
    for (size_t i = 0; i < q->face_count; ++i) {
        const face* f = &q->faces[i];
        if (f->state == FACE_SEEN) return false;
        if (f->state != FACE_KEPT) continue;
        ++kept;
        for (int k = 0; k < 3; ++k) {
            if (f->across[k] >= q->face_count) return false;
            const face* n = &q->faces[f->across[k]];
            const uint32_t from = f->corner[k], to = f->corner[next_slot(k)];
            if (n->state != FACE_KEPT || (n->corner[0] != to && n->corner[1] != to && n->corner[2] != to)) return false;
            const int slot = slot_of(n, to);
            if (n->corner[next_slot(slot)] != from || n->across[slot] != i) return false;
        }
    }
    return kept >= 4 && kept % 2 == 0;
}

#endif

/// `is_corner`: one number for each point, any.
static bool write_facets(quick* q, size_t point_count, uint32_t* is_corner, list* corners, tact_hull_mesh* hull)
{
    if (!find_facets(q)) return false;
    hull->triangles = tact_allocate(q->env, q->face_count, 3 * sizeof *hull->triangles);
    hull->facet_start = tact_allocate(q->env, q->seen.used + 1, sizeof *hull->facet_start);
    if (!hull->triangles || !hull->facet_start) return false;
    memset(is_corner, 0, point_count * sizeof *is_corner);
    hull->facet_start[0] = 0;
    const size_t facets = q->seen.used;
    for (size_t i = 0; i < facets; ++i) {
        if (!list_corners(q, q->seen.items[i], corners)) return false;
        add_facet(hull, corners, is_corner);
    }
    size_t used = 0;
    for (size_t i = 0; i < point_count; ++i)
        used += is_corner[i];
    hull->vertices = tact_allocate(q->env, used, sizeof *hull->vertices);
    if (!hull->vertices) return false;
    for (size_t i = 0; i < point_count; ++i) {
        if (is_corner[i]) hull->vertices[hull->vertex_count++] = (uint32_t)i;
    }
    hull->dimension = 3;
    TACT_ASSERT(hull->vertex_count == used && used >= 4 && hull->triangle_count == 2 * used - 4);
    return true;
}

static bool run(quick* q, size_t count, const uint32_t* index, size_t index_count, const uint32_t seed[4], list* work,
                tact_hull_mesh* hull)
{
    q->next = tact_allocate(q->env, count, sizeof *q->next);
    q->starts = tact_allocate(q->env, count, sizeof *q->starts);
    if (!q->next || !q->starts || !start(q, index, index_count, seed)) return false;
    while (q->pending.used) {
        const uint32_t id = q->pending.items[--q->pending.used];
        const face* f = &q->faces[id];
        if (f->state == FACE_KEPT && f->outside != NONE && !add_point(q, id, work)) return false;
    }
#if defined(TACT_ASSERTS)
    TACT_VALIDATE(q->face_count > TACT_VALIDATE_MOST || is_closed(q));
#endif
    return write_facets(q, count, q->starts, work, hull);
}

tact_result tact_hull_quick(tact_env* env, const tact_hull_sites* sites, size_t count, const uint32_t* index,
                            size_t index_count, const uint32_t seed[4], tact_hull_mesh* hull)
{
    TACT_ASSERT(index_count >= 4 && index_count <= count);
    quick q = {.env = env, .sites = sites, .free = NONE};
    list work = {0};
    const bool good = run(&q, count, index, index_count, seed, &work, hull);
    void* const arrays[] = {q.faces, q.next, q.starts, q.pending.items, q.seen.items, q.outline, work.items};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        tact_release(env, arrays[i]);
    return good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}
