// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Scenes and views to pick from, and the brute force that picks are compared with. Include after run.h.

#include "tact/tact.h"
#include "tests/support/calls.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"
#include "tests/support/random.h"

static tact_picker* picker;

static inline tact_context* make_context(bool devices, counting_allocator* counter)
{
    tact_context_desc desc = {.log = quiet};
    if (!devices) desc.gl = desc.cl = TACT_DEVICE_NONE;
    if (counter) desc.allocator = counting_hooks(counter);
    return new_context(&desc);
}

// ---- Scenes and views ----

static inline uint32_t add_mesh(tact_scene* scene, const float* positions, size_t triangles)
{
    const tact_mesh_desc mesh = {.positions = positions, .vertex_count = 3 * triangles, .triangle_count = triangles};
    return put_mesh(scene, &mesh);
}

static inline uint32_t add_instance(tact_scene* scene, uint32_t mesh, const float matrix[12])
{
    return put_instance(scene, mesh, matrix);
}

static inline void random_matrix(test_random* r, float spread, float matrix[12])
{
    for (int i = 0; i < 12; ++i) {
        matrix[i] = i % 4 == 3 ? spread * test_random_signed(r) : test_random_signed(r);
        if (i == 0 || i == 5 || i == 10) matrix[i] += 1.5f;
    }
}

/// Three meshes of soup, in which triangles lie in one plane, are there twice, have no area or are broken; instances of
/// them, two of which are in one place, and one that was removed.
static inline tact_scene* make_soup(tact_context* where, test_random* r, size_t triangles, size_t instances)
{
    tact_scene* scene = new_scene(where);
    float* p = scratch(triangles * 9 * sizeof *p);
    for (uint32_t mesh = 0; mesh < 3; ++mesh) {
        for (size_t i = 0; i < triangles; ++i) {
            const float centre[3] = {test_random_signed(r), test_random_signed(r), test_random_signed(r)};
            for (size_t k = 0; k < 9; ++k)
                p[9 * i + k] = centre[k % 3] + 0.6f * test_random_signed(r);
            if (i % 3 == 0) p[9 * i + 2] = p[9 * i + 5] = p[9 * i + 8] = 0.25f;
            if (i > 0 && i % 5 == 0) memcpy(p + 9 * i, p + 9 * (i - 1), 9 * sizeof *p);
            if (i % 11 == 4) memcpy(p + 9 * i + 3, p + 9 * i, 3 * sizeof *p);
        }
        p[4] = NAN;
        assert_int_equal(add_mesh(scene, p, triangles), mesh);
    }
    for (size_t i = 0; i < instances; ++i) {
        float matrix[12];
        random_matrix(r, 3.0f, matrix);
        add_instance(scene, (uint32_t)(i % 3), i ? matrix : NULL);
    }
    add_instance(scene, (uint32_t)(instances % 3), NULL);
    assert_int_equal(tact_scene_remove_instance(scene, 1), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

/// A camera `back` from the origin in a direction of its own, which looks at it. `kind`: conventions.
static inline tact_pick_view make_view(uint32_t width, uint32_t height, float back, float turn, uint32_t kind)
{
    const double c = cos((double)turn), s = sin((double)turn), near = 0.5 * (double)back, far = 3.0 * (double)back;
    const bool orthographic = kind & 1, reversed = (kind & 2) != 0, infinite = (kind & 4) && !orthographic;
    // Right, up and ahead.
    const double axis[3][3] = {{c, 0, -s}, {s * 0.6, 0.8, c * 0.6}, {-s * 0.8, 0.6, -c * 0.8}};
    double a = far / (far - near), b = -near * far / (far - near);
    if (orthographic) {
        a = 1.0 / (far - near);
        b = -near * a;
    } else if (infinite) {
        a = 1.0;
        b = -near;
    }
    if (reversed) {
        // z becomes w - z.
        a = (orthographic ? 0.0 : 1.0) - a;
        b = (orthographic ? 1.0 : 0.0) - b;
    }
    tact_pick_view view = {.order = TACT_MATRIX_BY_ROWS, .depth = TACT_CLIP_ZERO_TO_ONE, .reversed = reversed};
    const double scale = orthographic ? 1.0 / (double)back : 1.4;
    for (int k = 0; k < 4; ++k) {
        // The eye is at -back ahead.
        const double ahead = k < 3 ? axis[2][k] : (double)back;
        view.world_to_clip[k] = k < 3 ? (float)(scale * axis[0][k]) : 0.0f;
        view.world_to_clip[4 + k] = k < 3 ? (float)(scale * axis[1][k]) : 0.0f;
        view.world_to_clip[8 + k] = (float)(a * ahead + (k == 3 ? b : 0.0));
        view.world_to_clip[12 + k] = orthographic ? (k == 3 ? 1.0f : 0.0f) : (float)ahead;
    }
    view.width = width;
    view.height = height;
    return view;
}

// ---- The brute force ----

static inline bool in_lasso(const tact_pick_region* region, double x, double y)
{
    bool inside = false;
    for (size_t i = 0; region->lasso_count >= 3 && i < region->lasso_count; ++i) {
        const float *a = region->lasso[i], *b = region->lasso[(i + 1) % region->lasso_count];
        if (((double)a[1] > y) == ((double)b[1] > y)) continue;
        const double along = (y - (double)a[1]) / ((double)b[1] - (double)a[1]);
        if (x < (double)a[0] + along * ((double)b[0] - (double)a[0])) inside = !inside;
    }
    return inside;
}

static inline bool in_region(const tact_pick_region* region, int32_t x, int32_t y)
{
    const int32_t* q = region->rectangle;
    switch (region->shape) {
        case TACT_PICK_POINT: {
            const int64_t dx = (int64_t)x - region->x, dy = (int64_t)y - region->y;
            return dx * dx + dy * dy <= (int64_t)region->radius * region->radius;
        }
        case TACT_PICK_RECTANGLE:
            return x >= (q[0] < q[2] ? q[0] : q[2]) && x < (q[0] < q[2] ? q[2] : q[0]) &&
                   y >= (q[1] < q[3] ? q[1] : q[3]) && y < (q[1] < q[3] ? q[3] : q[1]);
        case TACT_PICK_LASSO:
            return in_lasso(region, x + 0.5, y + 0.5);
        default:
            return true;
    }
}

typedef struct thing {
    tact_pick pick;
    int64_t distance;  ///< from the point, squared
    float t, u, v;
    tact_ray ray;
} thing;

typedef struct things {
    thing* items;
    size_t count, capacity;
} things;

static inline int by_rank(const void* left, const void* right)
{
    const thing *a = left, *b = right;
    if (a->distance != b->distance) return a->distance < b->distance ? -1 : 1;
    if (a->t != b->t) return a->t < b->t ? -1 : 1;
    if (a->pick.y != b->pick.y) return a->pick.y < b->pick.y ? -1 : 1;
    if (a->pick.x != b->pick.x) return a->pick.x < b->pick.x ? -1 : 1;
    if (a->pick.object != b->pick.object) return a->pick.object < b->pick.object ? -1 : 1;
    if (a->pick.instance != b->pick.instance) return a->pick.instance < b->pick.instance ? -1 : 1;
    return (a->pick.primitive > b->pick.primitive) - (a->pick.primitive < b->pick.primitive);
}

static inline bool same_thing(tact_pick_group group, const tact_pick* a, const tact_pick* b)
{
    return a->object == b->object && (group == TACT_PICK_BY_OBJECT || a->instance == b->instance) &&
           (group != TACT_PICK_BY_PRIMITIVE || a->primitive == b->primitive);
}

static inline void add_thing(things* all, tact_pick_group group, const thing* one)
{
    for (size_t i = 0; i < all->count; ++i) {
        thing* there = &all->items[i];
        if (!same_thing(group, &there->pick, &one->pick)) continue;
        const uint32_t pixels = there->pick.pixels + 1;
        const bool nearer = one->distance < there->distance || (one->distance == there->distance && one->t < there->t);
        if (nearer) *there = *one;
        there->pick.pixels = pixels;
        return;
    }
    if (all->count == all->capacity) {
        all->capacity = 2 * all->capacity + 64;
        all->items = realloc(all->items, all->capacity * sizeof *all->items);
    }
    all->items[all->count++] = *one;
}

enum { MOST_LAYERS = 4096 };

/// Objects of the instances, since a hit does not tell.
typedef struct question {
    tact_scene* scene;
    const uint32_t* objects;
    tact_pick_view view;
    tact_pick_region region;
    tact_pick_options options;
    tact_backend backend;  ///< that casts for the brute force
} question;

static inline uint32_t object_of(const question* q, uint32_t instance)
{
    return q->objects ? q->objects[instance] : instance % 3;
}

static inline void ask_pixel(const question* q, int32_t x, int32_t y, things* all)
{
    static tact_hit hits[MOST_LAYERS];
    const tact_query_options query = {.backend = q->backend};
    uint64_t offsets[2] = {0, 0};
    thing one = {.pick = {.x = x, .y = y, .pixels = 1}};
    if (!tact_pick_ray(&q->view, x + 0.5, y + 0.5, &one.ray)) return;
    if (q->options.extent == TACT_PICK_ALL) {
        assert_int_equal(
            call_raycast_all(q->scene, &one.ray, 1, q->options.max_layers, offsets, hits, MOST_LAYERS, &query, NULL),
            TACT_OK);
    } else {
        assert_int_equal(tact_raycast(q->scene, TACT_RAY_CLOSEST, &one.ray, 1, hits, &query, NULL), TACT_OK);
        offsets[1] = hits[0].instance != TACT_NONE;
    }
    for (uint32_t k = 0; k < offsets[1]; ++k) {
        one.pick.object = object_of(q, hits[k].instance);
        one.pick.instance = hits[k].instance;
        one.pick.primitive = hits[k].primitive;
        one.pick.layer = k;
        one.t = hits[k].t;
        one.u = hits[k].u;
        one.v = hits[k].v;
        if (q->region.shape == TACT_PICK_POINT) {
            const int64_t dx = (int64_t)x - q->region.x, dy = (int64_t)y - q->region.y;
            one.distance = dx * dx + dy * dy;
        }
        add_thing(all, q->options.group, &one);
    }
}

static inline things ask_all(const question* q)
{
    things all = {0};
    for (int32_t y = q->view.top; y < q->view.top + (int32_t)q->view.height; ++y) {
        for (int32_t x = q->view.left; x < q->view.left + (int32_t)q->view.width; ++x)
            if (in_region(&q->region, x, y)) ask_pixel(q, x, y, &all);
    }
    if (all.count) qsort(all.items, all.count, sizeof *all.items, by_rank);
    return all;
}

/// What is told of a pick beyond which it is: where the ray met it.
static inline void check_surface(const question* q, const tact_pick* pick, const thing* expected, float size)
{
    const tact_ray* r = &expected->ray;
    const float o[3] = {r->ox, r->oy, r->oz}, d[3] = {r->dx, r->dy, r->dz};
    double place[2], length = 0.0, sum = 0.0;
    float depth;
    for (int k = 0; k < 3; ++k) {
        assert_true(fabsf(pick->position[k] - (o[k] + expected->t * d[k])) < 3e-4f * size);
        length += (double)pick->normal[k] * (double)pick->normal[k];
        sum += (double)pick->barycentric[k];
    }
    assert_true(length == 0.0 || fabs(length - 1.0) < 1e-5);
    assert_true(fabs(sum - 1.0) < 1e-4);
    assert_true(tact_pick_project(&q->view, pick->position, place, &depth));
    assert_true(fabsf(depth - pick->depth) < 1e-5f && pick->depth >= 0.0f && pick->depth <= 1.0f);
    assert_true(fabs(place[0] - pick->x - 0.5) < 0.05 && fabs(place[1] - pick->y - 0.5) < 0.05);
}

static inline size_t check_picks(const question* q, float size)
{
    size_t count = 0, again = 0;
    const tact_result result =
        call_pick_scene(picker, q->scene, &q->view, &q->region, &q->options, NULL, 0, &count, NULL, NULL);
    things expected = ask_all(q);
    assert_int_equal(result, expected.count > 0 ? TACT_INCOMPLETE : TACT_OK);
    assert_int_equal(count, expected.count);
    const tact_pick* picks = tact_pick_last(picker, &again);
    assert_int_equal(again, count);
    assert_true((picks != NULL) == (count > 0));
    for (size_t i = 0; i < count; ++i) {
        const tact_pick *got = &picks[i], *want = &expected.items[i].pick;
        assert_int_equal(got->object, want->object);
        assert_int_equal(got->instance, want->instance);
        assert_int_equal(got->primitive, want->primitive);
        assert_int_equal(got->pixels, want->pixels);
        assert_int_equal(got->x, want->x);
        assert_int_equal(got->y, want->y);
        assert_int_equal(got->layer, want->layer);
        check_surface(q, got, &expected.items[i], size);
    }
    free(expected.items);
    return count;
}

/// A unit square at z = 0 of two triangles.
static const float square[18] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0};

/// Looks along -z at the square [0, 1]^2, one pixel for `1 / width` of it; near plane at z = 10, far plane at z = -10.
static inline tact_pick_view facing_view(uint32_t width, uint32_t height)
{
    tact_pick_view v = {.width = width, .height = height};
    const float m[16] = {2, 0, 0, -1, 0, 2, 0, -1, 0, 0, -0.1f, 0, 0, 0, 0, 1};
    memcpy(v.world_to_clip, m, sizeof m);
    return v;
}

/// `layers` squares behind each other; the second and the third lie in one plane.
static inline tact_scene* make_layers(tact_context* where, uint32_t layers)
{
    tact_scene* scene = new_scene(where);
    const uint32_t mesh = add_mesh(scene, square, 2);
    for (uint32_t i = 0; i < layers; ++i) {
        const float z = i == 2 ? -0.125f : -0.125f * (float)i;
        const float matrix[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, z};
        assert_int_equal(add_instance(scene, mesh, matrix), i);
    }
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}
