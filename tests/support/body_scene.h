// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Sets of bodies with what double precision says of them beside: the parts of each as points, in any pose, and how far
/// two are apart. For the tests of queries on them.

#include <math.h>

#include "tact/bodies.h"
#include "tact/geometry/convex.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"
#include "tests/support/run.h"

static const tact_context_desc host_alone = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};

enum { CORNERS = 64, HULL = 12, GRID = 5, SIDES = TACT_ROUND_SIDES, MOST_SHAPES = 24, MOST_PARTS = 32 };

// ---- A plain model of shapes ----

/// The points of a core, and a radius around it.
typedef struct solid {
    double point[CORNERS][3];
    uint32_t count;
    double radius;
} solid;

/// A shape as parts, each in the shape's own frame.
typedef struct model {
    solid part[MOST_PARTS];
    uint32_t count;
} model;

typedef struct scene {
    tact_bodies* set;
    model models[MOST_SHAPES];
    tact_body bodies[64];
    uint32_t count;
} scene;

static void rotate(const double q[4], const double v[3], double out[3])
{
    // v + 2 w (q x v) + 2 q x (q x v)
    const double t[3] = {2 * (q[1] * v[2] - q[2] * v[1]), 2 * (q[2] * v[0] - q[0] * v[2]),
                         2 * (q[0] * v[1] - q[1] * v[0])};
    out[0] = v[0] + q[3] * t[0] + q[1] * t[2] - q[2] * t[1];
    out[1] = v[1] + q[3] * t[1] + q[2] * t[0] - q[0] * t[2];
    out[2] = v[2] + q[3] * t[2] + q[0] * t[1] - q[1] * t[0];
}

static void unit(const tact_quat* from, double q[4])
{
    const double p[4] = {(double)from->x, (double)from->y, (double)from->z, (double)from->w};
    const double length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int k = 0; k < 4; ++k)
        q[k] = length > 0.0 ? p[k] / length : k == 3;
}

/// A solid turned, scaled and moved.
static solid placed(const solid* s, const double q[4], double scale, const double at[3])
{
    solid r = {.count = s->count, .radius = s->radius * scale};
    for (uint32_t i = 0; i < s->count; ++i) {
        const double p[3] = {s->point[i][0] * scale, s->point[i][1] * scale, s->point[i][2] * scale};
        rotate(q, p, r.point[i]);
        for (int k = 0; k < 3; ++k)
            r.point[i][k] += at[k];
    }
    return r;
}

static double extent_of(const solid* s)
{
    double most = 0.0;
    for (uint32_t i = 0; i < s->count; ++i) {
        const double* p = s->point[i];
        most = fmax(most, sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
    }
    return most + s->radius;
}

static double between(const solid* a, const solid* b)
{
    tact_vec3 points[2][CORNERS];
    const solid* both[2] = {a, b};
    tact_hull hulls[2];
    for (int k = 0; k < 2; ++k) {
        for (uint32_t i = 0; i < both[k]->count; ++i) {
            points[k][i] =
                (tact_vec3){(float)both[k]->point[i][0], (float)both[k]->point[i][1], (float)both[k]->point[i][2]};
        }
        hulls[k] = (tact_hull){.points = points[k], .point_count = both[k]->count};
    }
    const tact_convex_contact c = tact_convex_distance(tact_convex_hull(&hulls[0]), tact_convex_hull(&hulls[1]), NULL);
    return (double)c.distance - a->radius - b->radius;
}

static void put_point(solid* s, double x, double y, double z)
{
    s->point[s->count][0] = x;
    s->point[s->count][1] = y;
    s->point[s->count++][2] = z;
}

static void put_points(solid* s, const tact_vec3* points, const uint32_t* which, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        const tact_vec3 p = points[which ? which[i] : i];
        put_point(s, (double)p.x, (double)p.y, (double)p.z);
    }
}

static void put_round(solid* s, double radius, double y)
{
    for (int i = 0; i < SIDES; ++i) {
        const double angle = 6.283185307179586 * i / SIDES;
        put_point(s, radius * cos(angle), y, radius * sin(angle));
    }
}

static model model_of(const scene* in, const tact_body_shape* s)
{
    model m = {.count = 1};
    solid* one = &m.part[0];
    const double x = (double)s->half.x, y = (double)s->half.y, z = (double)s->half.z;
    one->radius = (double)s->radius;
    switch (s->kind) {
        case TACT_BODY_SPHERE:
            put_point(one, 0, 0, 0);
            break;
        case TACT_BODY_CAPSULE:
            put_point(one, 0, -y, 0);
            put_point(one, 0, y, 0);
            break;
        case TACT_BODY_BOX:
            for (int i = 0; i < 8; ++i)
                put_point(one, i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
            break;
        case TACT_BODY_HULL:
            put_points(one, s->points, NULL, (uint32_t)s->point_count);
            break;
        case TACT_BODY_HALF_SPACE:
            // Large enough, and thick.
            for (int i = 0; i < 8; ++i)
                put_point(one, i & 1 ? 300 : -300, i & 2 ? 0 : -50, i & 4 ? 300 : -300);
            break;
        case TACT_BODY_CYLINDER:
        case TACT_BODY_CONE:
            one->radius = 0.0;
            put_round(one, (double)s->radius, -y);
            if (s->kind == TACT_BODY_CONE) put_point(one, 0, y, 0);
            if (s->kind == TACT_BODY_CYLINDER) put_round(one, (double)s->radius, y);
            break;
        case TACT_BODY_COMPOUND:
            m.count = (uint32_t)s->part_count;
            for (uint32_t i = 0; i < m.count; ++i) {
                const tact_body_part* p = &s->parts[i];
                const double at[3] = {(double)p->position.x, (double)p->position.y, (double)p->position.z};
                double q[4];
                unit(&p->rotation, q);
                m.part[i] = placed(&in->models[p->shape].part[0], q, p->scale > 0.0f ? (double)p->scale : 1.0, at);
            }
            break;
        case TACT_BODY_MESH:
            m.count = (uint32_t)s->triangle_count;
            for (uint32_t i = 0; i < m.count; ++i) {
                m.part[i].radius = (double)s->radius;
                put_points(&m.part[i], s->points, s->triangles + 3 * (size_t)i, 3);
            }
            break;
        default:
            m.count = 2 * (s->columns - 1) * (s->rows - 1);
            for (uint32_t i = 0; i < m.count; ++i) {
                const uint32_t column = i / 2 % (s->columns - 1), row = i / 2 / (s->columns - 1);
                const uint32_t corners[2][3][2] = {{{0, 0}, {0, 1}, {1, 0}}, {{1, 0}, {0, 1}, {1, 1}}};
                m.part[i].radius = (double)s->radius;
                for (int k = 0; k < 3; ++k) {
                    const uint32_t c = column + corners[i % 2][k][0], r = row + corners[i % 2][k][1];
                    put_point(&m.part[i], (double)c * x, (double)s->heights[r * s->columns + c], (double)r * z);
                }
            }
    }
    return m;
}

// ---- Scenes ----

static void open_scene_in(scene* s, tact_context* context)
{
    memset(s, 0, sizeof *s);
    tact_bodies* set = NULL;
    assert_int_equal(tact_bodies_create(context, &set), TACT_OK);
    s->set = KEEP(set);
}

static void open_scene(scene* s)
{
    open_scene_in(s, KEEP(new_context(&host_alone)));
}

static uint32_t add_shape(scene* s, tact_body_shape shape)
{
    uint32_t number = 0;
    assert_int_equal(tact_bodies_add_shape(s->set, &shape, &number), TACT_OK);
    assert_true(number < MOST_SHAPES);
    s->models[number] = model_of(s, &shape);
    return number;
}

static uint32_t add_body_with(scene* s, uint32_t shape, tact_pose pose, float margin)
{
    const tact_body body = {.shape = shape, .pose = pose, .margin = margin};
    uint32_t id = 0;
    assert_int_equal(tact_bodies_add(s->set, &body, 1, &id), TACT_OK);
    assert_int_equal(tact_bodies_get(s->set, id, &s->bodies[id]), TACT_OK);
    s->count = id + 1 > s->count ? id + 1 : s->count;
    return id;
}

static uint32_t add_body(scene* s, uint32_t shape, tact_pose pose)
{
    return add_body_with(s, shape, pose, 0.0f);
}

static tact_pose pose_at(double x, double y, double z)
{
    return (tact_pose){.x = x, .y = y, .z = z};
}

static tact_quat turn(test_random* r)
{
    tact_quat q;
    q.x = test_random_signed(r);
    q.y = test_random_signed(r);
    q.z = test_random_signed(r);
    q.w = 0.75f;
    return q;
}

static tact_pose somewhere(test_random* r, double from, double half)
{
    tact_pose p = {0};
    p.x = from + half * (double)test_random_signed(r);
    p.y = half * (double)test_random_signed(r);
    p.z = half * (double)test_random_signed(r);
    p.rotation = turn(r);
    return p;
}

enum { CONVEX = 7, KINDS = 10 };

/// Shapes of every kind but half-spaces: seven without parts, a compound, a mesh and a height field.
static void add_kinds(scene* s, test_random* r)
{
    static tact_vec3 points[HULL], fan[GRID * GRID];
    static uint32_t triangles[24];
    static float heights[GRID * GRID];
    for (int i = 0; i < HULL; ++i) {
        points[i].x = 0.5f * test_random_signed(r);
        points[i].y = 0.5f * test_random_signed(r);
        points[i].z = 0.5f * test_random_signed(r);
    }
    for (int i = 0; i < 9; ++i) {
        const float x = (float)(i % 3) - 1.0f, z = (float)(i / 3) - 1.0f;
        fan[i] = (tact_vec3){x, 0.4f * test_random_signed(r), z};
    }
    for (uint32_t i = 0; i < 4; ++i) {
        const uint32_t p = i / 2 * 3 + i % 2, both[6] = {p, p + 3, p + 1, p + 1, p + 3, p + 4};
        memcpy(triangles + 6 * i, both, sizeof both);
    }
    for (int i = 0; i < GRID * GRID; ++i)
        heights[i] = 0.4f * test_random_signed(r);
    add_shape(s, (tact_body_shape){.radius = 0.4f});
    add_shape(s, (tact_body_shape){.kind = TACT_BODY_CAPSULE, .radius = 0.2f, .half = {0, 0.5f, 0}});
    add_shape(s, (tact_body_shape){.kind = TACT_BODY_BOX, .half = {0.3f, 0.6f, 0.02f}});
    add_shape(s, (tact_body_shape){.kind = TACT_BODY_HULL, .points = points, .point_count = HULL});
    add_shape(s, (tact_body_shape){.kind = TACT_BODY_BOX, .radius = 0.1f, .half = {0.4f, 0.2f, 0.3f}});
    add_shape(s, (tact_body_shape){.kind = TACT_BODY_CYLINDER, .radius = 0.4f, .half = {0, 0.3f, 0}});
    add_shape(s, (tact_body_shape){.kind = TACT_BODY_CONE, .radius = 0.4f, .half = {0, 0.4f, 0}});
    const tact_body_part parts[3] = {{.shape = 2, .position = {0.6f, 0, 0}, .rotation = {0, 0, 0.3f, 0.9f}},
                                     {.shape = 0, .scale = 0.5f, .position = {-0.5f, 0.2f, 0}},
                                     {.shape = 3, .position = {0, -0.5f, 0.4f}, .rotation = {0.5f, 0, 0, 0.7f}}};
    add_shape(s, (tact_body_shape){.kind = TACT_BODY_COMPOUND, .parts = parts, .part_count = 3});
    add_shape(
        s, (tact_body_shape){
               .kind = TACT_BODY_MESH, .points = fan, .point_count = 9, .triangles = triangles, .triangle_count = 8});
    add_shape(s, (tact_body_shape){.kind = TACT_BODY_HEIGHT_FIELD,
                                   .radius = 0.05f,
                                   .half = {0.4f, 0, 0.5f},
                                   .heights = heights,
                                   .columns = 4,
                                   .rows = 3});
}
