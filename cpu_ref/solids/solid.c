// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/solids/solid.h"

#include <stdlib.h>
#include <string.h>

#include "cpu_ref/geometry/predicates_internal.h"
#include "cpu_ref/solids/meeting.h"
#include "tact/geometry/mesh_mend.h"

/// What number each triangle that takes part had.
static void number_triangles(tact_solid* solid)
{
    const tact_mesh_view* mesh = solid->parts.mesh;
    const uint32_t* first = solid->parts.first;
    size_t kept = 0;
    for (size_t i = 0; i < mesh->triangle_count && kept < solid->parts.count; ++i) {
        const uint32_t* t = mesh->indices + 3 * i;
        if (t[0] >= mesh->vertex_count || t[1] >= mesh->vertex_count || t[2] >= mesh->vertex_count) continue;
        const uint32_t corner[3] = {first[t[0]], first[t[1]], first[t[2]]};
        if (memcmp(solid->parts.corners + 3 * kept, corner, sizeof corner) == 0) solid->number[kept++] = (uint32_t)i;
    }
    TACT_ASSERT(kept == solid->parts.count);
}

tact_result tact_solid_begin(tact_solid* solid, tact_env* env, const tact_mesh_view* mesh)
{
    memset(solid, 0, sizeof *solid);
    solid->env = env;
    tact_mesh_report counts = {0};
    tact_result result = tact_mesh_parts_begin(&solid->parts, env, mesh, &counts);
    solid->bad_triangles = counts.bad_triangles;
    const size_t triangles = solid->parts.count;
    if (result >= 0) {
        result = tact_mesh_sides_begin(&solid->sides, env, solid->parts.corners, triangles, mesh->vertex_count);
    }
    if (result >= 0) {
        solid->edge_of = tact_allocate(env, triangles, 3 * sizeof *solid->edge_of);
        solid->edge_begin = tact_allocate(env, 3 * triangles + 1, sizeof *solid->edge_begin);
        solid->number = tact_allocate(env, triangles, sizeof *solid->number);
        if (!solid->edge_of || !solid->edge_begin || !solid->number) result = TACT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; result >= 0 && i < solid->sides.count; ++i) {
        const bool begins = i == 0 || solid->sides.keys[i] != solid->sides.keys[i - 1];
        if (begins) solid->edge_begin[solid->edge_count++] = (uint32_t)i;
        solid->edge_of[solid->sides.sides[i]] = (uint32_t)(solid->edge_count - 1);
    }
    if (result < 0) return result;
    solid->edge_begin[solid->edge_count] = (uint32_t)solid->sides.count;
    number_triangles(solid);
    const tact_mesh_desc desc = {.positions = (const float*)mesh->positions,
                                 .vertex_count = mesh->vertex_count,
                                 .indices = solid->parts.corners,
                                 .triangle_count = triangles};
    result = tact_overlap_mesh_make(env, &desc, &solid->tree);
    return result < 0 ? result : tact_overlap_mesh_build(env, 1, &solid->tree);
}

void tact_solid_end(tact_solid* solid)
{
    if (!solid->env) return;
    tact_overlap_mesh_free(solid->env, &solid->tree);
    tact_release(solid->env, solid->edge_begin);
    tact_release(solid->env, solid->edge_of);
    tact_release(solid->env, solid->number);
    tact_mesh_sides_end(&solid->sides, solid->env);
    tact_mesh_parts_end(&solid->parts);
    memset(solid, 0, sizeof *solid);
}

// ---- Crossings ----

/// The corners that two triangles share, by their places in each.
typedef struct common_corners {
    int count;
    uint32_t lowest;  ///< vertex
    int a[3], b[3];
} common_corners;

static common_corners find_common_corners(const uint32_t* a, const uint32_t* b)
{
    common_corners c = {.count = 0, .lowest = UINT32_MAX};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            if (a[i] != b[k]) continue;
            c.a[c.count] = i;
            c.b[c.count++] = k;
            if (a[i] < c.lowest) c.lowest = a[i];
        }
    }
    return c;
}

static bool is_flat(const tact_solid* solid, uint32_t triangle)
{
    tact_vec3 p[3];
    tact_solid_triangle(solid, triangle, p);
    return tact_collinear(p[0], p[1], p[2]);
}

/// Whether the corners of a triangle that are not at place `but` are strictly on one side of another's plane.
static bool on_one_side(const tact_vec3 of[3], const tact_vec3 corner[3], int but)
{
    const int side = tact_orient3d(of[0], of[1], of[2], corner[(but + 1) % 3]);
    return side != 0 && tact_orient3d(of[0], of[1], of[2], corner[(but + 2) % 3]) == side;
}

/// Whether two triangles with common corners meet elsewhere too.
static bool meet_elsewhere(const tact_solid* solid, uint32_t s, uint32_t t, const common_corners* common)
{
    tact_vec3 a[3], b[3];
    tact_solid_triangle(solid, s, a);
    tact_solid_triangle(solid, t, b);
    // Most neighbours are in different planes, most others at a corner on one side.
    if (common->count == 2 && tact_orient3d(a[0], a[1], a[2], b[3 - common->b[0] - common->b[1]]) != 0) return false;
    if (common->count == 1 && (on_one_side(a, b, common->b[0]) || on_one_side(b, a, common->a[0]))) return false;
    if (is_flat(solid, s) || is_flat(solid, t)) return false;
    return common->count == 3 || tact_triangles_meet(a, b).count > common->count;
}

static tact_result add_crossing(const tact_solid* solid, tact_overlap_list* list, uint32_t s, uint32_t t)
{
    if (!tact_reserve(solid->env, (void**)&list->pairs, &list->capacity, list->count, list->count + 1,
                      sizeof *list->pairs)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    list->pairs[list->count++] = (tact_mesh_pair){.a = s, .b = t};
    return TACT_OK;
}

/// Takes out pairs with a triangle of area zero.
static void drop_flat(const tact_solid* solid, tact_overlap_list* list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; ++i) {
        if (is_flat(solid, list->pairs[i].a) || is_flat(solid, list->pairs[i].b)) continue;
        list->pairs[kept++] = list->pairs[i];
    }
    list->count = kept;
}

static tact_result find_at_vertices(const tact_solid* solid, const uint32_t* start, const uint32_t* at,
                                    tact_overlap_list* list)
{
    const uint32_t* corners = solid->parts.corners;
    tact_result result = TACT_OK;
    for (uint32_t v = 0; v < solid->parts.mesh->vertex_count; ++v) {
        for (uint32_t i = start[v]; i < start[v + 1] && result >= 0; ++i) {
            for (uint32_t k = i + 1; k < start[v + 1] && result >= 0; ++k) {
                const common_corners common =
                    find_common_corners(corners + 3 * (size_t)at[i], corners + 3 * (size_t)at[k]);
                if (common.lowest != v || !meet_elsewhere(solid, at[i], at[k], &common)) continue;
                result = add_crossing(solid, list, at[i], at[k]);
            }
        }
    }
    return result;
}

static int by_triangles(const void* a, const void* b)
{
    const tact_mesh_pair *p = a, *q = b;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

tact_result tact_solid_pairs(const tact_solid* a, const tact_solid* b, tact_overlap_list* list)
{
    static const float no_move[1][12] = {{1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f}};
    const tact_overlap_job job = {
        .a = &a->tree, .b = &b->tree, .poses = no_move, .pose_count = 1, .self = a == b, .threads = 1};
    return tact_overlap_pairs_cpu(a->env, &job, list);
}

tact_result tact_solid_crossings(const tact_solid* solid, tact_overlap_list* list)
{
    tact_result result = tact_solid_pairs(solid, solid, list);
    if (result < 0) return result;
    drop_flat(solid, list);
    const size_t vertices = solid->parts.mesh->vertex_count, triangles = solid->parts.count;
    uint32_t* start = tact_allocate(solid->env, vertices + 1, sizeof *start);
    uint32_t* at = tact_allocate(solid->env, triangles, 3 * sizeof *at);
    result = start && at ? tact_mesh_vertex_triangles(solid->parts.corners, triangles, vertices, start, at)
                         : TACT_ERROR_OUT_OF_MEMORY;
    if (result >= 0) result = find_at_vertices(solid, start, at, list);
    if (result >= 0 && list->count) qsort(list->pairs, list->count, sizeof *list->pairs, by_triangles);
    tact_release(solid->env, start);
    tact_release(solid->env, at);
    return result;
}

// ---- What encloses a point ----

typedef struct column {
    const tact_solid* solid;
    const tact_meet_point* point;
    int32_t scale;
    const uint32_t* part;
    uint32_t own;
    uint64_t* exact;
    int winding;
} column;

/// 1 if u, v and the point turn counter-clockwise seen along x. A point on the line is taken a little further along y
/// and, far less, along z, the same for all triangles.
static int turn_at(const column* c, tact_vec3 u, tact_vec3 v)
{
    const tact_meet_point from = tact_point_given(u), to = tact_point_given(v);
    const int turn = tact_points_turn(&from, &to, c->point, 0, c->scale, c->exact);
    if (turn) return turn;
    if (u.z != v.z) return u.z > v.z ? 1 : -1;
    return (v.y > u.y) - (v.y < u.y);
}

static void pass_triangle(column* c, uint32_t triangle)
{
    if (c->part && c->part[triangle] == c->own) return;
    tact_vec3 t[3];
    tact_solid_triangle(c->solid, triangle, t);
    const int facing = turn_at(c, t[0], t[1]);
    if (!facing || turn_at(c, t[1], t[2]) != facing || turn_at(c, t[2], t[0]) != facing) return;
    // It faces towards +x if it turns counter-clockwise; then a point before it is behind it.
    if (tact_points_side(t, c->point, c->scale, c->exact) == facing) c->winding += facing;
}

static bool may_meet(const column* c, const tact_bvh_child* box)
{
    const tact_meet_point* p = c->point;
    for (int k = 0; k < 3; ++k) {
        if (p->at[k] - p->error > (double)box->upper[k]) return false;
        if (k > 0 && p->at[k] + p->error < (double)box->lower[k]) return false;
    }
    return true;
}

int tact_solid_winding(const tact_solid* solid, const tact_meet_point* point, int32_t scale, const uint32_t* part,
                       uint32_t own, uint64_t* exact)
{
    column c = {solid, point, scale, part, own, exact, 0};
    const tact_triangle_tree* tree = &solid->tree.tree;
    uint32_t stack[TACT_BVH_STACK];
    size_t depth = 0;
    if (tree->triangle_count) stack[depth++] = 0;
    while (depth > 0) {
        const tact_bvh_node* node = &tree->nodes[stack[--depth]];
        for (int k = 0; k < 2; ++k) {
            const tact_bvh_child* child = &node->children[k];
            if (!may_meet(&c, child)) continue;
            if (!(child->child & (uint32_t)TACT_BVH_LEAF_BIT)) {
                TACT_ASSERT(depth < TACT_BVH_STACK);
                stack[depth++] = child->child;
                continue;
            }
            const uint32_t first = child->child & ~(uint32_t)TACT_BVH_LEAF_BIT;
            for (uint32_t i = 0; i < child->count; ++i)
                pass_triangle(&c, tree->triangles[first + i].id);
        }
    }
    return c.winding;
}

// ---- What is no solid ----

/// Numbers of the parts that are connected by edges of two triangles, each by its lowest triangle.
static void find_parts(const tact_solid* solid, uint32_t* part)
{
    for (uint32_t t = 0; t < solid->parts.count; ++t)
        part[t] = t;
    for (size_t e = 0; e < solid->edge_count; ++e) {
        const uint32_t begin = solid->edge_begin[e];
        if (solid->edge_begin[e + 1] - begin != 2) continue;
        tact_set_join(part, solid->sides.sides[begin] / 3, solid->sides.sides[begin + 1] / 3);
    }
    for (uint32_t t = 0; t < solid->parts.count; ++t)
        part[t] = tact_set_root(part, t);
}

/// Marks the vertices of more than one part with 1; `first` has room for a number of each vertex.
static void find_common(const tact_solid* solid, const uint32_t* part, uint32_t* first, uint8_t* common)
{
    memset(first, 0xff, solid->parts.mesh->vertex_count * sizeof *first);
    for (size_t i = 0; i < 3 * solid->parts.count; ++i) {
        const uint32_t v = solid->parts.corners[i], own = part[i / 3];
        if (first[v] == UINT32_MAX) first[v] = own;
        if (first[v] != own) common[v] = 1;
    }
}

/// What the parts of a surface are, by the numbers of their lowest triangles.
typedef struct part_list {
    uint32_t* part;    ///< of each triangle
    uint32_t* first;   ///< of each vertex: its first part
    uint8_t* common;   ///< of each vertex: it has several
    uint8_t* unclear;  ///< of each part: it shares an edge with another, or has been looked at
    double* volume;    ///< of each part
} part_list;

static tact_result find_volumes(const tact_solid* solid, part_list* p)
{
    tact_env* env = solid->env;
    const size_t triangles = solid->parts.count, vertices = solid->parts.mesh->vertex_count;
    p->part = tact_allocate(env, triangles, sizeof *p->part);
    p->first = tact_allocate(env, vertices, sizeof *p->first);
    p->common = tact_allocate_zeroed(env, vertices, 1);
    p->unclear = tact_allocate_zeroed(env, triangles, 1);
    p->volume = tact_allocate_zeroed(env, triangles, sizeof *p->volume);
    if (!p->part || !p->first || !p->common || !p->unclear || !p->volume) return TACT_ERROR_OUT_OF_MEMORY;
    const uint32_t* corners = solid->parts.corners;
    find_parts(solid, p->part);
    find_common(solid, p->part, p->first, p->common);
    for (uint32_t t = 0; t < triangles; ++t)
        p->volume[p->part[t]] += tact_mesh_wedge(&solid->parts, corners + 3 * (size_t)t, corners[0]);
    for (size_t e = 0; e < solid->edge_count; ++e) {
        const uint32_t begin = solid->edge_begin[e], end = solid->edge_begin[e + 1];
        for (uint32_t i = begin; end - begin != 2 && i < end; ++i)
            p->unclear[p->part[solid->sides.sides[i] / 3]] = 1;
    }
    return TACT_OK;
}

/// Each part that faces outward must be in no other, and one that faces inward in one.
static tact_result check_nesting(const tact_solid* solid, const char* name)
{
    part_list p = {0};
    tact_result result = find_volumes(solid, &p);
    for (uint32_t i = 0; result >= 0 && i < 3 * solid->parts.count; ++i) {
        const uint32_t v = solid->parts.corners[i], own = p.part[i / 3];
        if (p.common[v] || p.unclear[own]) continue;
        p.unclear[own] = 1;
        const tact_meet_point point = tact_point_given(tact_solid_vertex(solid, v));
        const int around = tact_solid_winding(solid, &point, 0, p.part, own, NULL), due = p.volume[own] < 0.0;
        if (around == due) continue;
        result = tact_fail(solid->env, TACT_ERROR_INVALID_ARGUMENT,
                           "the part of mesh %s with triangle %u faces %s and is inside of %d others", name,
                           (unsigned)solid->number[own], due ? "inward" : "outward", around);
    }
    void* const arrays[] = {p.part, p.first, p.common, p.unclear, p.volume};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        tact_release(solid->env, arrays[i]);
    return result;
}

static tact_result check_closed(const tact_solid* solid, const char* name)
{
    uint64_t open = 0, turned = 0;
    for (size_t e = 0; e < solid->edge_count; ++e) {
        const uint32_t begin = solid->edge_begin[e], end = solid->edge_begin[e + 1];
        uint32_t ends[2], up = 0;
        tact_solid_edge(solid, (uint32_t)e, ends);
        for (uint32_t i = begin; i < end; ++i)
            up += solid->parts.corners[solid->sides.sides[i]] == ends[0];
        open += (end - begin) % 2;
        turned += (end - begin) % 2 == 0 && 2 * up != end - begin;
    }
    return tact_mesh_check_closed(solid->env, name, solid->bad_triangles, open, turned);
}

static tact_result check_triangles(const tact_solid* solid, const char* name)
{
    tact_env* env = solid->env;
    const tact_result wrong = TACT_ERROR_INVALID_ARGUMENT;
    if (solid->tree.tree.triangle_count < solid->parts.count) {
        return tact_fail(env, wrong, "%zu triangles of mesh %s have a coordinate beyond 2^60",
                         solid->parts.count - solid->tree.tree.triangle_count, name);
    }
    for (uint32_t t = 0; t < solid->parts.count; ++t) {
        if (!is_flat(solid, t)) continue;
        return tact_fail(env, wrong, "triangle %u of mesh %s has no area, but three corners",
                         (unsigned)solid->number[t], name);
    }
    return TACT_OK;
}

tact_result tact_solid_check_crossings(const tact_solid* solid, const char* name, const uint8_t* meets, uint64_t* apart)
{
    tact_overlap_list list = {0};
    uint32_t* part = tact_allocate(solid->env, solid->parts.count, sizeof *part);
    tact_result result = part ? tact_solid_crossings(solid, &list) : TACT_ERROR_OUT_OF_MEMORY;
    if (result >= 0 && list.count) find_parts(solid, part);
    for (size_t i = 0; i < list.count && result >= 0; ++i) {
        const uint32_t a = list.pairs[i].a, b = list.pairs[i].b;
        if (part[a] == part[b] && !(meets[a] && meets[b])) continue;
        result = tact_fail(solid->env, TACT_ERROR_INVALID_ARGUMENT,
                           "mesh %s passes through or touches itself in %zu pairs of triangles: %u and %u %s", name,
                           list.count, (unsigned)solid->number[a], (unsigned)solid->number[b],
                           part[a] == part[b] ? "meet the other mesh too" : "are of different parts");
    }
    *apart += list.count;
    tact_overlap_list_free(solid->env, &list);
    tact_release(solid->env, part);
    return result;
}

tact_result tact_solid_check_surface(const tact_solid* solid, const char* name)
{
    if (solid->parts.count == 0 && !solid->bad_triangles) return TACT_OK;
    const tact_result result = check_closed(solid, name);
    return result < 0 ? result : check_triangles(solid, name);
}

tact_result tact_solid_check(const tact_solid* solid, const char* name)
{
    const tact_result result = tact_solid_check_surface(solid, name);
    return result < 0 || solid->parts.count == 0 ? result : check_nesting(solid, name);
}

tact_result tact_solid_copy(const tact_solid* solid, tact_mesh_copy* copy)
{
    tact_env* env = solid->env;
    const tact_mesh_view* mesh = solid->parts.mesh;
    memset(copy, 0, sizeof *copy);
    copy->allocator = env->allocator;
    uint32_t* number = tact_allocate(env, mesh->vertex_count, sizeof *number);
    copy->positions = tact_allocate(env, mesh->vertex_count, sizeof *copy->positions);
    copy->indices = tact_allocate(env, solid->parts.count, 3 * sizeof *copy->indices);
    if (!number || !copy->positions || !copy->indices) {
        tact_release(env, number);
        tact_mesh_copy_free(copy);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    memset(number, 0xff, mesh->vertex_count * sizeof *number);
    for (size_t i = 0; i < 3 * solid->parts.count; ++i) {
        const uint32_t v = solid->parts.corners[i];
        if (number[v] == UINT32_MAX) {
            number[v] = (uint32_t)copy->vertex_count;
            copy->positions[copy->vertex_count++] = mesh->positions[v];
        }
        copy->indices[i] = number[v];
    }
    copy->triangle_count = solid->parts.count;
    tact_release(env, number);
    return TACT_OK;
}
