// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/filter/engine.h"

#include "base/parallel.h"

enum {
    RUNS = 256,    // wanted of a shape
    LONGEST = 32,  // triangles of a run
    FEW_VERTICES = 2048,
    NODES_AT_ONCE = 16,
    OBJECTS_AT_ONCE = 64
};

/// The runs' boxes of all shapes, eight in a node.
typedef struct run_boxes {
    const tact_filter_job* job;
    const tact_aabb* shape_boxes;
    tact_filter_node* nodes;
    size_t* first;  ///< node of each shape
    const tact_filter_lanes* lanes;
    tact_aabb* boxes;
} run_boxes;

/// Whether the vertices themselves are moved: few, and most likely all of this shape's.
static bool by_vertices(const tact_mesh_desc* s)
{
    return s->vertex_count <= FEW_VERTICES && s->vertex_count <= s->triangle_count;
}

/// Corners in a run, 1 or three for each triangle.
static size_t run_length(const tact_mesh_desc* s)
{
    if (3 * s->triangle_count <= RUNS) return 1;
    const size_t triangles = s->triangle_count / RUNS + (s->triangle_count % RUNS != 0);
    TACT_ASSERT(triangles >= 1);
    return 3 * (triangles < LONGEST ? triangles : LONGEST);
}

static size_t node_count(const tact_mesh_desc* s)
{
    if (!s->positions) return 1;
    const size_t length = run_length(s), corners = 3 * s->triangle_count;
    const size_t runs = by_vertices(s) ? s->vertex_count : corners / length + (corners % length != 0);
    return runs / TACT_WIDE + (runs % TACT_WIDE != 0);
}

static inline bool is_finite(tact_vec3 p)
{
    return isfinite(p.x) && isfinite(p.y) && isfinite(p.z);
}

static void grow(float low[3], float high[3], tact_vec3 p)
{
    const float c[3] = {p.x, p.y, p.z};
    for (int k = 0; k < 3; ++k) {
        low[k] = c[k] < low[k] ? c[k] : low[k];
        high[k] = c[k] > high[k] ? c[k] : high[k];
    }
}

/// The box of corners from `begin` to `end`. A triangle with a corner that is not finite is nowhere in any pose.
static void box_of_run(const tact_mesh_desc* s, size_t begin, size_t end, float low[3], float high[3])
{
    TACT_ASSERT(begin < end && end <= 3 * s->triangle_count);
    size_t known = SIZE_MAX;
    bool there = false;
    tact_vec3 p[3];
    for (size_t corner = begin; corner < end; ++corner) {
        if (corner / 3 != known) {
            known = corner / 3;
            for (size_t k = 0; k < 3; ++k)
                p[k] = tact_filter_corner(s, known, k);
            there = is_finite(p[0]) && is_finite(p[1]) && is_finite(p[2]);
        }
        if (there) grow(low, high, p[corner % 3]);
    }
}

static void set_box(tact_filter_node* n, int i, const float low[3], const float high[3])
{
    const bool some = low[0] <= high[0] && low[1] <= high[1] && low[2] <= high[2];
    for (int k = 0; k < 3; ++k) {
        n->lower[k][i] = some ? low[k] : NAN;
        n->upper[k][i] = some ? high[k] : NAN;
    }
}

/// Box `run` of a shape: of a run of corners, a vertex, or the one that is given.
static void find_box(const tact_mesh_desc* s, const tact_aabb* given, size_t run, float low[3], float high[3])
{
    if (!s->positions) {
        if (!given || run > 0 || !is_finite(given->lower) || !is_finite(given->upper)) return;
        memcpy(low, &given->lower, 12);
        memcpy(high, &given->upper, 12);
    } else if (by_vertices(s)) {
        tact_vec3 p;
        if (run >= s->vertex_count) return;
        memcpy(&p, (const char*)s->positions + run * s->position_stride, sizeof p);
        if (is_finite(p)) grow(low, high, p);
    } else {
        const size_t length = run_length(s), begin = run * length, corners = 3 * s->triangle_count;
        if (begin < corners) box_of_run(s, begin, corners - begin < length ? corners : begin + length, low, high);
    }
}

static void make_node(const tact_mesh_desc* s, const tact_aabb* given, size_t at, tact_filter_node* n)
{
    for (int i = 0; i < TACT_WIDE; ++i) {
        float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
        find_box(s, given, TACT_WIDE * at + (size_t)i, low, high);
        set_box(n, i, low, high);
    }
}

static void make_nodes(size_t begin, size_t end, int worker, void* user)
{
    const run_boxes* r = user;
    TACT_ASSERT(begin < end && end <= r->first[r->job->shape_count]);
    (void)worker;
    size_t shape = tact_filter_find(r->first, r->job->shape_count, begin);
    for (size_t i = begin; i < end; ++i) {
        while (i >= r->first[shape + 1])
            ++shape;
        make_node(&r->job->shapes[shape], r->shape_boxes ? &r->shape_boxes[shape] : NULL, i - r->first[shape],
                  &r->nodes[i]);
    }
}

/// What lies beyond the range overlaps nothing.
static tact_aabb within_range(tact_aabb box)
{
    static const tact_aabb nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    float b[6];
    memcpy(b, &box, sizeof b);
    for (int k = 0; k < 3; ++k) {
        if (!(b[k] <= b[3 + k]) || b[k] > TACT_MAX_COORDINATE || b[3 + k] < -TACT_MAX_COORDINATE) return nothing;
        b[k] = b[k] < -TACT_MAX_COORDINATE ? -TACT_MAX_COORDINATE : b[k];
        b[3 + k] = b[3 + k] > TACT_MAX_COORDINATE ? TACT_MAX_COORDINATE : b[3 + k];
    }
    memcpy(&box, b, sizeof b);
    return box;
}

static void bound_objects(size_t begin, size_t end, int worker, void* user)
{
    const run_boxes* r = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        const tact_filter_object* o = &r->job->objects[i];
        TACT_ASSERT(o->shape < r->job->shape_count);
        const size_t first = r->first[o->shape], count = r->first[o->shape + 1] - first;
        r->boxes[i] = within_range(r->lanes->bound(o->pose, r->nodes + first, count));
    }
}

tact_result tact_filter_boxes(tact_env* env, const tact_filter_job* job, const tact_aabb* shape_boxes, tact_aabb* boxes)
{
    TACT_ASSERT(boxes || job->object_count == 0);
    run_boxes r = {.job = job, .shape_boxes = shape_boxes, .lanes = tact_filter_lanes_best(), .boxes = boxes};
    r.first = tact_allocate(env, job->shape_count + 1, sizeof *r.first);
    if (!r.first) return TACT_ERROR_OUT_OF_MEMORY;
    r.first[0] = 0;
    for (size_t i = 0; i < job->shape_count; ++i)
        r.first[i + 1] = r.first[i] + node_count(&job->shapes[i]);
    r.nodes = tact_allocate(env, r.first[job->shape_count], sizeof *r.nodes);
    if (r.nodes) {
        tact_parallel_for(job->threads, r.first[job->shape_count], NODES_AT_ONCE, make_nodes, &r);
        tact_parallel_for(job->threads, job->object_count, OBJECTS_AT_ONCE, bound_objects, &r);
    }
    const tact_result result = r.nodes ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    tact_release(env, r.nodes);
    tact_release(env, r.first);
    return result;
}
