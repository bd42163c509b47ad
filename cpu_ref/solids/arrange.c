// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/solids/arrange.h"

#include <stdlib.h>
#include <string.h>

#include "cpu_ref/geometry/big_internal.h"
#include "cpu_ref/pair_keys.h"

/// Two triangles, one of each solid, and how they meet.
typedef struct meet_pair {
    uint32_t triangle[2];
    tact_meeting how;
} meet_pair;

typedef struct job {
    tact_env* env;
    tact_arrangement* to;
    meet_pair* pairs;
    size_t count, key_count;
} job;

// ---- Pairs ----

static tact_result find_pairs(tact_arrangement* to)
{
    tact_overlap_list list = {0};
    const tact_result result = tact_solid_pairs(to->solid[0], to->solid[1], &list);
    to->pairs = list.pairs;
    to->pair_count = list.count;
    to->pair_room = list.capacity;
    for (int k = 0; k < 2; ++k) {
        to->meets[k] = tact_allocate_zeroed(to->env, to->solid[k]->parts.count, 1);
        if (!to->meets[k]) return TACT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < to->pair_count; ++i)
        to->meets[0][to->pairs[i].a] = to->meets[1][to->pairs[i].b] = 1;
    return result;
}

static tact_result meet(job* j)
{
    const tact_arrangement* to = j->to;
    j->pairs = tact_allocate(j->env, to->pair_count, sizeof *j->pairs);
    if (!j->pairs) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < to->pair_count; ++i) {
        meet_pair* pair = &j->pairs[j->count++];
        tact_vec3 t[3], u[3];
        pair->triangle[0] = to->pairs[i].a;
        pair->triangle[1] = to->pairs[i].b;
        tact_solid_triangle(to->solid[0], pair->triangle[0], t);
        tact_solid_triangle(to->solid[1], pair->triangle[1], u);
        pair->how = tact_triangles_meet(t, u);
        TACT_ASSERT(pair->how.count > 0);
        j->key_count += pair->how.count;
    }
    return TACT_OK;
}

// ---- Points ----

/// The part of a surface that a part of one of its triangles is.
static uint32_t part_of(const tact_solid* solid, uint32_t triangle, uint8_t part)
{
    if (part < MEETING_SIDE) return solid->parts.corners[3 * (size_t)triangle + part];
    if (part < MEETING_FACE) return TACT_PART_EDGE | solid->edge_of[3 * (size_t)triangle + part - MEETING_SIDE];
    return TACT_PART_FACE | triangle;
}

static uint64_t key_of(const job* j, const meet_pair* pair, const tact_meeting_point* point)
{
    const tact_arrangement* to = j->to;
    return (uint64_t)part_of(to->solid[0], pair->triangle[0], point->a) << 32 |
           part_of(to->solid[1], pair->triangle[1], point->b);
}

/// Where an edge of a solid passes through a face of the other or meets an edge of it.
static tact_meet_point place(const tact_arrangement* to, uint64_t key)
{
    const uint32_t part[2] = {(uint32_t)(key >> 32), (uint32_t)key};
    for (int k = 0; k < 2; ++k) {
        if ((part[k] & TACT_PART_KIND) == 0) return tact_point_given(tact_solid_vertex(to->solid[k], part[k]));
    }
    const int k = part[0] & TACT_PART_EDGE ? 0 : 1;
    const uint32_t other = part[1 - k], number = other & TACT_PART_NUMBER;
    uint32_t end[2], to_end[2];
    TACT_ASSERT(part[k] & TACT_PART_EDGE);
    tact_solid_edge(to->solid[k], part[k] & TACT_PART_NUMBER, end);
    const tact_vec3 p = tact_solid_vertex(to->solid[k], end[0]), q = tact_solid_vertex(to->solid[k], end[1]);
    if (other & TACT_PART_EDGE) {
        tact_solid_edge(to->solid[1 - k], number, to_end);
        return tact_point_of_segments(p, q, tact_solid_vertex(to->solid[1 - k], to_end[0]),
                                      tact_solid_vertex(to->solid[1 - k], to_end[1]), to->scale);
    }
    tact_vec3 t[3];
    tact_solid_triangle(to->solid[1 - k], number, t);
    return tact_point_on_plane(p, q, t, to->scale);
}

static tact_result find_points(job* j)
{
    tact_arrangement* to = j->to;
    to->keys = tact_allocate(j->env, j->key_count, sizeof *to->keys);
    uint64_t* spare = tact_allocate(j->env, j->key_count, sizeof *spare);
    tact_result result = to->keys && spare ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result >= 0) {
        size_t count = 0;
        for (size_t i = 0; i < j->count; ++i) {
            for (int k = 0; k < j->pairs[i].how.count; ++k)
                to->keys[count++] = key_of(j, &j->pairs[i], &j->pairs[i].how.point[k]);
        }
        tact_pair_keys_sort(to->keys, spare, count, UINT32_MAX, UINT32_MAX);
        for (size_t i = 0; i < count; ++i) {
            if (i == 0 || to->keys[i] != to->keys[i - 1]) to->keys[to->meet_count++] = to->keys[i];
        }
        if (to->meet_count > UINT32_MAX / 2 - to->first_meet) {
            result = tact_fail(j->env, TACT_ERROR_LIMIT, "the surfaces meet in %zu points", to->meet_count);
        }
    }
    tact_release(j->env, spare);
    if (result < 0) return result;
    to->meet = tact_allocate(j->env, to->meet_count, sizeof *to->meet);
    if (!to->meet) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < to->meet_count; ++i)
        to->meet[i] = place(to, to->keys[i]);
    return TACT_OK;
}

static uint32_t number_of(const tact_arrangement* to, uint64_t key)
{
    size_t low = 0, high = to->meet_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (to->keys[middle] <= key) {
            low = middle;
        } else {
            high = middle;
        }
    }
    TACT_ASSERT(to->keys[low] == key);
    return to->first_meet + (uint32_t)low;
}

// ---- Cuts ----

static tact_result add_cut(tact_env* env, tact_cuts* cuts, uint32_t owner, uint32_t from, uint32_t to)
{
    if (!tact_reserve(env, (void**)&cuts->items, &cuts->room, cuts->count, cuts->count + 1, sizeof *cuts->items)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    cuts->items[cuts->count++] = (tact_cut){owner, from, to};
    return TACT_OK;
}

static int by_owner(const void* a, const void* b)
{
    const tact_cut *p = a, *q = b;
    if (p->owner != q->owner) return p->owner < q->owner ? -1 : 1;
    if (p->from != q->from) return p->from < q->from ? -1 : 1;
    return (p->to > q->to) - (p->to < q->to);
}

static void sort_cuts(tact_cuts* cuts)
{
    if (cuts->count) qsort(cuts->items, cuts->count, sizeof *cuts->items, by_owner);
}

size_t tact_cuts_of(const tact_cuts* cuts, uint32_t owner, size_t* count)
{
    size_t low = 0, high = cuts->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (cuts->items[middle].owner < owner) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *count = 0;
    while (low + *count < cuts->count && cuts->items[low + *count].owner == owner)
        ++*count;
    return low;
}

/// Hands each point to the vertex, edge or face that it is in.
static tact_result hand_out_points(job* j)
{
    tact_arrangement* to = j->to;
    tact_result result = TACT_OK;
    for (uint32_t i = 0; i < to->meet_count && result >= 0; ++i) {
        const uint32_t point = to->first_meet + i;
        for (int k = 0; k < 2 && result >= 0; ++k) {
            const uint32_t part = tact_part_of(to, point, k), number = part & TACT_PART_NUMBER;
            if (part & TACT_PART_EDGE) result = add_cut(j->env, &to->edges[k], number, point, point);
            if (part & TACT_PART_FACE) result = add_cut(j->env, &to->faces[k], number, point, point);
            if ((part & TACT_PART_KIND) == 0) to->number[k][number] = point;
        }
    }
    return result;
}

// ---- Seams ----

/// The part that all between two points of a triangle is in: a side that both are on, else the face.
static uint32_t part_between(const tact_solid* solid, uint32_t triangle, uint8_t from, uint8_t to)
{
    const unsigned sides = tact_meeting_sides(from) & tact_meeting_sides(to);
    TACT_ASSERT((sides & (sides - 1)) == 0);
    if (!sides) return TACT_PART_FACE | triangle;
    return TACT_PART_EDGE | solid->edge_of[3 * (size_t)triangle + (sides == 1 ? 0u : sides == 2 ? 1u : 2u)];
}

static tact_result add_seam(job* j, const meet_pair* pair, int i, int k)
{
    tact_arrangement* to = j->to;
    if (!tact_reserve(j->env, (void**)&to->seams, &to->seam_room, to->seam_count, to->seam_count + 1,
                      sizeof *to->seams)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    const tact_meeting_point *p = &pair->how.point[i], *q = &pair->how.point[k];
    const uint32_t from = number_of(to, key_of(j, pair, p)), end = number_of(to, key_of(j, pair, q));
    TACT_ASSERT(from != end);
    to->seams[to->seam_count++] = (tact_seam){from < end ? from : end,
                                              from < end ? end : from,
                                              {part_between(to->solid[0], pair->triangle[0], p->a, q->a),
                                               part_between(to->solid[1], pair->triangle[1], p->b, q->b)}};
    return TACT_OK;
}

/// Of two triangles in one plane: the sides of the polygon that they have in common.
static tact_result add_rim(job* j, const meet_pair* pair)
{
    tact_result result = TACT_OK;
    const tact_meeting* how = &pair->how;
    for (int i = 0; i < how->count; ++i) {
        for (int k = 0; k < i && result >= 0; ++k) {
            const tact_meeting_point *p = &how->point[i], *q = &how->point[k];
            if (tact_meeting_sides(p->a) & tact_meeting_sides(q->a) ||
                tact_meeting_sides(p->b) & tact_meeting_sides(q->b)) {
                result = add_seam(j, pair, i, k);
            }
        }
    }
    if (result < 0 || how->count < 3) return result;
    result = add_cut(j->env, &j->to->coplanar[0], pair->triangle[0], pair->triangle[1], 0);
    return result < 0 ? result : add_cut(j->env, &j->to->coplanar[1], pair->triangle[1], pair->triangle[0], 0);
}

static int by_ends(const void* a, const void* b)
{
    const tact_seam *p = a, *q = b;
    if (p->from != q->from) return p->from < q->from ? -1 : 1;
    return (p->to > q->to) - (p->to < q->to);
}

static tact_result find_seams(job* j)
{
    tact_arrangement* to = j->to;
    tact_result result = TACT_OK;
    for (size_t i = 0; i < j->count && result >= 0; ++i) {
        const meet_pair* pair = &j->pairs[i];
        if (pair->how.coplanar) {
            result = add_rim(j, pair);
        } else if (pair->how.count == 2) {
            result = add_seam(j, pair, 0, 1);
        }
    }
    if (result < 0 || to->seam_count == 0) return result;
    qsort(to->seams, to->seam_count, sizeof *to->seams, by_ends);
    size_t kept = 1;
    for (size_t i = 1; i < to->seam_count; ++i) {
        if (by_ends(&to->seams[i], &to->seams[kept - 1]) != 0) {
            to->seams[kept++] = to->seams[i];
        } else {
            // What is in an edge is so whichever of its triangles says it.
            TACT_ASSERT(memcmp(&to->seams[i], &to->seams[kept - 1], sizeof *to->seams) == 0);
        }
    }
    to->seam_count = kept;
    for (size_t i = 0; i < kept && result >= 0; ++i) {
        const tact_seam* seam = &to->seams[i];
        for (int k = 0; k < 2 && result >= 0; ++k) {
            if (!(seam->part[k] & TACT_PART_FACE)) continue;
            result = add_cut(j->env, &to->faces[k], seam->part[k] & TACT_PART_NUMBER, seam->from, seam->to);
        }
    }
    return result;
}

const tact_seam* tact_find_seam(const tact_arrangement* a, uint32_t from, uint32_t to)
{
    const tact_seam wanted = {from < to ? from : to, from < to ? to : from, {0, 0}};
    if (!tact_is_meet(a, wanted.from) || a->seam_count == 0) return NULL;
    return bsearch(&wanted, a->seams, a->seam_count, sizeof *a->seams, by_ends);
}

// ---- Edges ----

/// Orders the points of an edge from its lower vertex on.
static void sort_edge(tact_arrangement* to, int solid, tact_cut* cuts, size_t count)
{
    uint32_t end[2];
    tact_solid_edge(to->solid[solid], cuts->owner, end);
    const dvec way =
        d_sub(d_from(tact_solid_vertex(to->solid[solid], end[1])), d_from(tact_solid_vertex(to->solid[solid], end[0])));
    const double x = fabs(way.x), y = fabs(way.y), z = fabs(way.z);
    const int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2, up = d_at(way, axis) > 0.0 ? 1 : -1;
    // Heaps, since an edge may have as many points as the other surface.
    for (size_t built = count / 2, left = count; left > 1;) {
        if (built > 0) {
            --built;
        } else {
            const tact_cut first = cuts[0];
            cuts[0] = cuts[--left];
            cuts[left] = first;
        }
        const tact_cut item = cuts[built];
        size_t at = built;
        for (size_t child = 2 * at + 1; child < left; child = 2 * at + 1) {
            const tact_meet_point* p = &to->meet[cuts[child].from - to->first_meet];
            if (child + 1 < left) {
                const tact_meet_point* q = &to->meet[cuts[child + 1].from - to->first_meet];
                if (up * tact_points_compare(q, p, axis, to->scale, &to->exact) > 0) {
                    ++child;
                    p = q;
                }
            }
            const tact_meet_point* own = &to->meet[item.from - to->first_meet];
            if (up * tact_points_compare(p, own, axis, to->scale, &to->exact) <= 0) break;
            cuts[at] = cuts[child];
            at = child;
        }
        cuts[at] = item;
    }
}

static void sort_edges(tact_arrangement* to, int solid)
{
    tact_cuts* cuts = &to->edges[solid];
    sort_cuts(cuts);
    for (size_t i = 0, count; i < cuts->count; i += count) {
        for (count = 1; i + count < cuts->count && cuts->items[i + count].owner == cuts->items[i].owner;)
            ++count;
        sort_edge(to, solid, cuts->items + i, count);
    }
}

// ---- The whole ----

static void find_scale(tact_arrangement* to)
{
    to->scale = INT32_MAX;
    for (int k = 0; k < 2; ++k) {
        for (size_t i = 0; i < 3 * to->solid[k]->parts.count; ++i) {
            const tact_vec3 p = tact_solid_vertex(to->solid[k], to->solid[k]->parts.corners[i]);
            const float of[3] = {p.x, p.y, p.z};
            for (int axis = 0; axis < 3; ++axis) {
                const int32_t shift = big_shift_of(of[axis]);
                to->scale = shift < to->scale ? shift : to->scale;
            }
        }
    }
}

static tact_result number_vertices(tact_arrangement* to)
{
    size_t next = 0;
    for (int k = 0; k < 2; ++k) {
        const size_t count = to->solid[k]->parts.mesh->vertex_count;
        to->number[k] = tact_allocate(to->env, count, sizeof *to->number[k]);
        if (!to->number[k]) return TACT_ERROR_OUT_OF_MEMORY;
        for (size_t i = 0; i < count; ++i)
            to->number[k][i] = (uint32_t)next++;
    }
    to->first_meet = (uint32_t)next;
    return TACT_OK;
}

tact_result tact_arrange_begin(tact_arrangement* to, tact_env* env, const tact_solid* a, const tact_solid* b)
{
    memset(to, 0, sizeof *to);
    to->env = env;
    to->solid[0] = a;
    to->solid[1] = b;
    return find_pairs(to);
}

tact_result tact_arrange(tact_arrangement* to)
{
    find_scale(to);
    job j = {.env = to->env, .to = to};
    tact_result result = number_vertices(to);
    if (result >= 0) result = meet(&j);
    if (result >= 0) result = find_points(&j);
    if (result >= 0) result = hand_out_points(&j);
    if (result >= 0) result = find_seams(&j);
    for (int k = 0; k < 2 && result >= 0; ++k) {
        sort_cuts(&to->faces[k]);
        sort_cuts(&to->coplanar[k]);
        sort_edges(to, k);
    }
    tact_release(to->env, j.pairs);
    return result;
}

void tact_arrangement_end(tact_arrangement* to)
{
    if (!to->env) return;
    for (int k = 0; k < 2; ++k) {
        tact_release(to->env, to->number[k]);
        tact_release(to->env, to->meets[k]);
        tact_release(to->env, to->faces[k].items);
        tact_release(to->env, to->edges[k].items);
        tact_release(to->env, to->coplanar[k].items);
    }
    tact_release(to->env, to->pairs);
    tact_release(to->env, to->keys);
    tact_release(to->env, to->meet);
    tact_release(to->env, to->seams);
    memset(to, 0, sizeof *to);
}
