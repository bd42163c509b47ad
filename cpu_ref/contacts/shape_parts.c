// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Compounds, meshes and height fields in the tables of shapes, and the trees over their parts.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "cpu_ref/contacts/part_boxes.h"
#include "cpu_ref/contacts/shapes.h"
#include "cpu_ref/geometry/round_internal.h"

enum { TREE_LEAF = 4 };

static void take_box(tact_bvh_box* to, const double low[3], const double high[3])
{
    for (int k = 0; k < 3; ++k) {
        to->lower[k] = d_sum_down((dsum){low[k], 0.0});
        to->upper[k] = d_sum_up((dsum){high[k], 0.0});
    }
}

/// Ends a shape with parts: its bounds, and the tree over the boxes of those that are there.
static tact_result end_parts(tact_adding* a, uint32_t count, uint32_t* there, size_t there_count)
{
    tact_shape_bounds* b = &a->bounds;
    b->part_count = count;
    for (int k = 0; k < 3; ++k) {
        b->lower[k] = HUGE_VAL;
        b->upper[k] = -HUGE_VAL;
        for (size_t i = 0; i < there_count; ++i) {
            b->lower[k] = fmin(b->lower[k], (double)b->boxes[there[i]].lower[k]);
            b->upper[k] = fmax(b->upper[k], (double)b->boxes[there[i]].upper[k]);
        }
        if (there_count == 0) b->lower[k] = b->upper[k] = 0.0;
        a->extent = fmaxf(a->extent, (float)fmax(fabs(b->lower[k]), fabs(b->upper[k])));
    }
    // Of a box's corner.
    a->extent *= 1.75f;
    tact_bvh_box* boxes = tact_allocate(a->env, there_count, sizeof *boxes);
    if (!boxes) return TACT_ERROR_OUT_OF_MEMORY;
    // Those of the tree have room for what is rounded, so that they are compared as they are.
    for (size_t i = 0; i < there_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            const float low = b->boxes[there[i]].lower[k], high = b->boxes[there[i]].upper[k];
            boxes[i].lower[k] = d_sum_down((dsum){(double)low - tact_part_slack(low, high), 0.0});
            boxes[i].upper[k] = d_sum_up((dsum){(double)high + tact_part_slack(low, high), 0.0});
        }
    }
    const tact_result result =
        tact_bvh_build(a->env, 1, boxes, there, there_count, TREE_LEAF, TACT_BVH_MAX_DEPTH, &b->tree);
    tact_release(a->env, boxes);
    return result;
}

static bool begin_parts(tact_adding* a, size_t count)
{
    a->bounds.boxes = tact_allocate_zeroed(a->env, count, sizeof *a->bounds.boxes);
    return a->bounds.boxes != NULL;
}

static tact_result finish(tact_adding* a, tact_result result)
{
    if (result == TACT_OK) return TACT_OK;
    tact_bvh_free(a->env, &a->bounds.tree);
    tact_release(a->env, a->bounds.boxes);
    return result;
}

// ---- Compounds ----

static tact_result add_children(tact_adding* a, const tact_body_shape* shape, uint32_t* all)
{
    for (size_t i = 0; i < shape->part_count; ++i) {
        const tact_body_part* part = &shape->parts[i];
        const tact_shape_bounds* own = &a->t->bounds[part->shape];
        const tact_quat q = part->rotation;
        a->t->points[a->t->point_count++] = (float4){part->position.x, part->position.y, part->position.z, part->scale};
        a->t->points[a->t->point_count++] = (float4){q.x, q.y, q.z, q.w};
        a->t->points[a->t->point_count++] = (float4){as_float(part->shape), 0.0f, 0.0f, 0.0f};
        const double at[3] = {(double)part->position.x, (double)part->position.y, (double)part->position.z};
        double low[3], high[3], axes[3][3];
        tact_quat_axes(&q, axes);
        tact_box_moved(own->lower, own->upper, axes, at, (double)part->scale, own->radius, low, high);
        take_box(&a->bounds.boxes[i], low, high);
        all[i] = (uint32_t)i;
    }
    return end_parts(a, (uint32_t)shape->part_count, all, shape->part_count);
}

tact_result tact_add_compound(tact_adding* a, const tact_body_shape* shape)
{
    tact_result result = TACT_ERROR_OUT_OF_MEMORY;
    uint32_t* all = tact_allocate(a->env, shape->part_count, sizeof *all);
    if (all && tact_room_for_point(a, TACT_CHILD_POINTS * shape->part_count) && begin_parts(a, shape->part_count))
        result = add_children(a, shape, all);
    tact_release(a->env, all);
    return finish(a, result);
}

// ---- Meshes ----

/// A corner by its place.
typedef struct place {
    float at[3];
    uint32_t point;
} place;

static int compare_places(const void* p, const void* q)
{
    const place *a = p, *b = q;
    for (int k = 0; k < 3; ++k) {
        if (a->at[k] != b->at[k]) return a->at[k] < b->at[k] ? -1 : 1;
    }
    return (a->point > b->point) - (a->point < b->point);
}

/// An edge of a triangle by its corners' places.
typedef struct triangle_edge {
    uint32_t low, high;
    uint32_t corner;   // three times its triangle, and the corner where it begins
    uint32_t upwards;  // it goes from low to high
} triangle_edge;

static int compare_edges(const void* p, const void* q)
{
    const triangle_edge *a = p, *b = q;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return (a->corner > b->corner) - (a->corner < b->corner);
}

typedef struct mesh_work {
    const tact_body_shape* shape;
    place* places;
    uint32_t* welded;  // of each point the first at its place
    double (*normals)[3];
    triangle_edge* edges;
    float* codes;  // of each edge
    uint32_t* there;
    size_t there_count;
} mesh_work;

static void weld(mesh_work* w)
{
    const tact_body_shape* s = w->shape;
    for (size_t i = 0; i < s->point_count; ++i) {
        // -0 is 0 too.
        const tact_vec3 p = s->points[i];
        w->places[i] = (place){{p.x + 0.0f, p.y + 0.0f, p.z + 0.0f}, (uint32_t)i};
    }
    qsort(w->places, s->point_count, sizeof *w->places, compare_places);
    uint32_t first = 0;
    for (size_t i = 0; i < s->point_count; ++i) {
        const place* p = &w->places[i];
        if (i == 0 || memcmp(p->at, w->places[i - 1].at, sizeof p->at) != 0) first = p->point;
        w->welded[p->point] = first;
    }
}

static void corner(const tact_body_shape* s, uint32_t triangle, int k, double p[3])
{
    const tact_vec3 v = s->points[s->triangles[3 * (size_t)triangle + (size_t)(k % 3)]];
    p[0] = (double)v.x;
    p[1] = (double)v.y;
    p[2] = (double)v.z;
}

/// The normal of a triangle; false where it has no area.
static bool triangle_normal(const tact_body_shape* s, uint32_t triangle, double n[3])
{
    double p[3][3], e[3], f[3];
    for (int k = 0; k < 3; ++k)
        corner(s, triangle, k, p[k]);
    for (int k = 0; k < 3; ++k) {
        e[k] = p[1][k] - p[0][k];
        f[k] = p[2][k] - p[0][k];
    }
    n[0] = e[1] * f[2] - e[2] * f[1];
    n[1] = e[2] * f[0] - e[0] * f[2];
    n[2] = e[0] * f[1] - e[1] * f[0];
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    const double longest = fmax(e[0] * e[0] + e[1] * e[1] + e[2] * e[2], f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
    // The normal of one that is flatter has no digits left.
    if (!(length > 1e-7 * longest) || longest < 0x1p-250) return false;
    for (int k = 0; k < 3; ++k)
        n[k] /= length;
    return true;
}

/// The code of an edge between two triangles.
static float edge_code(const mesh_work* w, uint32_t corner_number, uint32_t other)
{
    const double *n = w->normals[corner_number / 3], *m = w->normals[other / 3];
    double p[3], q[3];
    corner(w->shape, corner_number / 3, (int)(corner_number % 3), p);
    corner(w->shape, other / 3, (int)(other % 3) + 2, q);
    const double cosine = fmin(1.0, fmax(-1.0, n[0] * m[0] + n[1] * m[1] + n[2] * m[2]));
    const double above = n[0] * (q[0] - p[0]) + n[1] * (q[1] - p[1]) + n[2] * (q[2] - p[2]);
    return (float)cosine + (above > 0.0 ? TACT_EDGE_HOLLOW : 0.0f);
}

static void find_edges(mesh_work* w)
{
    const tact_body_shape* s = w->shape;
    size_t count = 0;
    for (size_t i = 0; i < w->there_count; ++i) {
        const uint32_t triangle = w->there[i];
        for (uint32_t k = 0; k < 3; ++k) {
            const uint32_t p = w->welded[s->triangles[3 * (size_t)triangle + k]],
                           q = w->welded[s->triangles[3 * (size_t)triangle + (k + 1) % 3]];
            w->codes[3 * (size_t)triangle + k] = TACT_EDGE_BORDER;
            w->edges[count++] = (triangle_edge){p < q ? p : q, p < q ? q : p, 3 * triangle + k, p < q};
        }
    }
    qsort(w->edges, count, sizeof *w->edges, compare_edges);
    for (size_t i = 0; i < count;) {
        size_t end = i + 1;
        while (end < count && w->edges[end].low == w->edges[i].low && w->edges[end].high == w->edges[i].high)
            ++end;
        // Two triangles that go on in one surface; more, or two that are turned against each other, have a border.
        const triangle_edge *a = &w->edges[i], *b = &w->edges[end - 1];
        if (end - i == 2 && a->upwards != b->upwards) {
            w->codes[a->corner] = edge_code(w, a->corner, b->corner);
            w->codes[b->corner] = edge_code(w, b->corner, a->corner);
        }
        i = end;
    }
}

/// The rows of a triangle; of one without an area, zeros.
static void add_triangle(tact_adding* a, const mesh_work* w, uint32_t triangle, bool there, uint32_t corners)
{
    tact_shape_tables* t = a->t;
    float4* rows = t->points + t->point_count;
    uint4* faces = t->faces + t->face_count;
    t->point_count += TACT_TRIANGLE_POINTS;
    t->face_count += (size_t)2 * TACT_FACE_ROWS;
    memset(rows, 0, TACT_TRIANGLE_POINTS * sizeof *rows);
    memset(faces, 0, (size_t)2 * TACT_FACE_ROWS * sizeof *faces);
    if (!there) return;
    double p[3][3], low[3], high[3];
    const double* n = w->normals[triangle];
    for (int k = 0; k < 3; ++k)
        corner(w->shape, triangle, k, p[k]);
    float extent = 0.0f, most[2] = {-INFINITY, -INFINITY};
    const float normal[2][3] = {{(float)n[0], (float)n[1], (float)n[2]}, {-(float)n[0], -(float)n[1], -(float)n[2]}};
    for (int k = 0; k < 3; ++k) {
        const double d[3] = {p[k][0] - p[0][0], p[k][1] - p[0][1], p[k][2] - p[0][2]};
        rows[k] = (float4){(float)d[0], (float)d[1], (float)d[2], w->codes[3 * (size_t)triangle + (size_t)k]};
        extent = fmaxf(extent, nextafterf((float)sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), INFINITY));
        for (int f = 0; f < 2; ++f)
            most[f] =
                fmaxf(most[f], tact_dot3(rows[k].x, rows[k].y, rows[k].z, normal[f][0], normal[f][1], normal[f][2]));
    }
    rows[3] = (float4){(float)p[0][0], (float)p[0][1], (float)p[0][2], extent};
    for (uint32_t f = 0; f < 2; ++f) {
        faces[TACT_FACE_ROWS * f] =
            (uint4){as_uint(normal[f][0]), as_uint(normal[f][1]), as_uint(normal[f][2]), as_uint(most[f])};
        faces[TACT_FACE_ROWS * f + 1] = (uint4){corners + 3 * f, 3, 0, 0};
    }
    for (int k = 0; k < 3; ++k) {
        low[k] = fmin(p[0][k], fmin(p[1][k], p[2][k])) - (double)w->shape->radius;
        high[k] = fmax(p[0][k], fmax(p[1][k], p[2][k])) + (double)w->shape->radius;
    }
    take_box(&a->bounds.boxes[triangle], low, high);
}

static tact_result add_triangles(tact_adding* a, mesh_work* w)
{
    const tact_body_shape* s = w->shape;
    for (uint32_t i = 0; i < s->triangle_count; ++i)
        if (triangle_normal(s, i, w->normals[i])) w->there[w->there_count++] = i;
    weld(w);
    find_edges(w);
    const uint32_t corners = (uint32_t)a->t->corner_count;
    static const uint32_t both[6] = {0, 1, 2, 0, 2, 1};
    memcpy(a->t->corners + corners, both, sizeof both);
    a->t->corner_count += 6;
    for (uint32_t k = 0; k < 3; ++k)
        tact_add_edge(a, k, (k + 1) % 3, 0, 1);
    size_t next = 0;
    for (uint32_t i = 0; i < s->triangle_count; ++i) {
        const bool there = next < w->there_count && w->there[next] == i;
        add_triangle(a, w, i, there, corners);
        next += there;
    }
    return end_parts(a, (uint32_t)s->triangle_count, w->there, w->there_count);
}

tact_result tact_add_mesh(tact_adding* a, const tact_body_shape* shape)
{
    tact_env* env = a->env;
    const size_t n = shape->triangle_count;
    mesh_work w = {.shape = shape,
                   .places = tact_allocate(env, shape->point_count, sizeof *w.places),
                   .welded = tact_allocate(env, shape->point_count, sizeof *w.welded),
                   .normals = tact_allocate(env, n, sizeof *w.normals),
                   .edges = tact_allocate(env, 3 * n, sizeof *w.edges),
                   .codes = tact_allocate(env, 3 * n, sizeof *w.codes),
                   .there = tact_allocate(env, n, sizeof *w.there)};
    tact_result result = TACT_ERROR_OUT_OF_MEMORY;
    if (w.places && w.welded && w.normals && w.edges && w.codes && w.there &&
        tact_room_for_point(a, TACT_TRIANGLE_POINTS * n) && tact_room_for_face(a, 2 * TACT_FACE_ROWS * n) &&
        tact_room_for_corner(a, 6) && tact_room_for_edge(a, 3) && begin_parts(a, n)) {
        result = add_triangles(a, &w);
    }
    void* const all[] = {w.places, w.welded, w.normals, w.edges, w.codes, w.there};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        tact_release(env, all[i]);
    return finish(a, result);
}

// ---- Height fields ----

tact_result tact_add_height_field(tact_adding* a, const tact_body_shape* shape)
{
    const size_t columns = shape->columns, rows = shape->rows, cells = (columns - 1) * (rows - 1);
    tact_vec3* points = tact_allocate(a->env, columns * rows, sizeof *points);
    uint32_t* triangles = tact_allocate(a->env, 6 * cells, sizeof *triangles);
    tact_result result = TACT_ERROR_OUT_OF_MEMORY;
    if (points && triangles) {
        for (size_t z = 0; z < rows; ++z) {
            for (size_t x = 0; x < columns; ++x) {
                points[z * columns + x] =
                    (tact_vec3){(float)x * shape->half.x, shape->heights[z * columns + x], (float)z * shape->half.z};
            }
        }
        for (size_t i = 0; i < cells; ++i) {
            const uint32_t p = (uint32_t)(i / (columns - 1) * columns + i % (columns - 1)),
                           below = p + (uint32_t)columns;
            const uint32_t both[6] = {p, below, p + 1, p + 1, below, below + 1};
            memcpy(triangles + 6 * i, both, sizeof both);
        }
        const tact_body_shape mesh = {.kind = TACT_BODY_MESH,
                                      .radius = shape->radius,
                                      .points = points,
                                      .point_count = columns * rows,
                                      .triangles = triangles,
                                      .triangle_count = 2 * cells};
        result = tact_add_mesh(a, &mesh);
    }
    tact_release(a->env, triangles);
    tact_release(a->env, points);
    return result;
}
