// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Casts of shapes through sets of bodies, against distances in double precision at many places of the way.
#include "tests/support/run.h"

#include <math.h>

#include "tact/body_casts.h"
#include "tact/geometry/convex.h"
#include "tests/support/effort.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"
#include "tests/support/random.h"

static const tact_context_desc host_alone = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};

enum { CORNERS = 64, HULL = 12, GRID = 5, SIDES = TACT_ROUND_SIDES, MOST_SHAPES = 24, MOST_PARTS = 32, MOST = 1 << 12 };

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

static uint32_t add_body(scene* s, uint32_t shape, tact_pose pose)
{
    const tact_body body = {.shape = shape, .pose = pose};
    uint32_t id = 0;
    assert_int_equal(tact_bodies_add(s->set, &body, 1, &id), TACT_OK);
    assert_int_equal(tact_bodies_get(s->set, id, &s->bodies[id]), TACT_OK);
    s->count = id + 1 > s->count ? id + 1 : s->count;
    return id;
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

// ---- Casts ----

static size_t run(scene* s, const tact_body_cast* casts, size_t count, tact_body_casts_mode mode,
                  tact_body_cast_hit* hits, uint64_t* offsets)
{
    tact_body_cast_hit* others = scratch(MOST * sizeof *others);
    size_t rows[4] = {0};
    for (int k = 0; k < 4; ++k) {
        const tact_query_options options = {.backend = k == 3 ? TACT_BACKEND_REFERENCE : TACT_BACKEND_CPU,
                                            .threads = k};
        const tact_body_casts_work work = {.casts = casts,
                                           .cast_count = count,
                                           .mode = mode,
                                           .hits = k ? others : hits,
                                           .capacity = MOST,
                                           .offsets = offsets,
                                           .count = &rows[k]};
        assert_int_equal(tact_body_casts_find(s->set, &work, &options, NULL), TACT_OK);
        assert_int_equal(rows[k], rows[0]);
        if (k) assert_memory_equal(others, hits, rows[0] * sizeof *hits);
    }
    return rows[0];
}

static tact_body_cast_hit one_cast(scene* s, tact_body_cast cast)
{
    tact_body_cast_hit hit;
    assert_int_equal(run(s, &cast, 1, TACT_BODY_CASTS_FIRST, &hit, NULL), 1);
    return hit;
}

/// Shape `shape` of a cast at a time, seen from the origin that is given.
static solid mover(const scene* s, const tact_body_cast* c, double time, const double origin[3])
{
    double p[4], q[4], cosine = 0.0, length = 0.0;
    unit(&c->from.rotation, p);
    unit(&c->to.rotation, q);
    for (int k = 0; k < 4; ++k)
        cosine += p[k] * q[k];
    for (int k = 0; k < 4; ++k) {
        p[k] = (1.0 - time) * p[k] + time * (cosine < 0.0 ? -q[k] : q[k]);
        length += p[k] * p[k];
    }
    for (int k = 0; k < 4; ++k)
        p[k] /= sqrt(length);
    const double from[3] = {c->from.x, c->from.y, c->from.z}, to[3] = {c->to.x, c->to.y, c->to.z};
    double at[3];
    for (int k = 0; k < 3; ++k)
        at[k] = (from[k] - origin[k]) + time * (to[k] - from[k]);
    return placed(&s->models[c->shape].part[0], p, c->from.scale > 0.0f ? (double)c->from.scale : 1.0, at);
}

/// How far a cast is from a part at a time, its margin taken off; `outer` becomes both sizes.
static double gap_at(const scene* s, const tact_body_cast* c, uint32_t body, uint32_t part, double time, double* outer)
{
    const tact_body* b = &s->bodies[body];
    const double origin[3] = {b->pose.x, b->pose.y, b->pose.z}, zero[3] = {0, 0, 0};
    double q[4];
    unit(&b->pose.rotation, q);
    const solid moved = mover(s, c, time, origin);
    const solid own = placed(&s->models[b->shape].part[part], q, (double)b->pose.scale, zero);
    const double scale = c->from.scale > 0.0f ? (double)c->from.scale : 1.0;
    *outer = extent_of(&s->models[c->shape].part[0]) * scale + 2.0 * extent_of(&own) + (double)c->margin;
    return between(&own, &moved) - (double)c->margin;
}

typedef struct tally {
    size_t hits, misses, slow;
    double latest, earliest;  // in parts of the sizes
} tally;

/// Whether a hit of a part is where the part begins to be touched. 1.0 and nothing: the part is never touched.
static void check_part(const scene* s, const tact_body_cast* c, uint32_t body, uint32_t part, double fraction, bool hit,
                       int samples, tally* t)
{
    double outer;
    for (int i = 0; i <= samples; ++i) {
        const double time = fraction * i / samples;
        const double gap = gap_at(s, c, body, part, time, &outer);
        // What a float of a fraction is off by is less than what is asked for.
        if (gap < -2e-6 * outer && fraction > 0.0)
            fail_msg("body %u part %u: %g deep at %.9g of %.9g", body, part, -gap, time, fraction);
        t->latest = fmax(t->latest, fraction == 0.0 ? 0.0 : -gap / outer);
    }
    if (!hit) {
        ++t->misses;
        return;
    }
    ++t->hits;
    const double gap = gap_at(s, c, body, part, fraction, &outer);
    t->earliest = fmax(t->earliest, gap / outer);
    if (gap > 1.1e-5 * outer) {
        print_message("cast of shape %u on body %u part %u: earlier by %g of the sizes\n", c->shape, body, part,
                      gap / outer);
        ++t->slow;
    }
}

static void check_cast(const scene* s, const tact_body_cast* c, const tact_body_cast_hit* hit, int samples, tally* t)
{
    const bool there = hit->body != 0xffffffffu;
    for (uint32_t b = 0; b < s->count; ++b) {
        for (uint32_t p = 0; p < s->models[s->bodies[b].shape].count; ++p)
            check_part(s, c, b, p, hit->fraction, there && hit->body == b && hit->part == p, samples, t);
    }
    if (!there) {
        assert_true(hit->fraction == 1.0 && hit->normal.x == 0.0f);
        return;
    }
    const double x = (double)hit->normal.x, y = (double)hit->normal.y, z = (double)hit->normal.z;
    assert_float_equal((float)sqrt(x * x + y * y + z * z), 1.0f, 1e-5f);
}

static tact_body_cast cast_of(test_random* r, uint32_t shape, double from, double half, bool turns)
{
    tact_body_cast c = {.shape = shape, .from = somewhere(r, from, half)};
    c.from.scale = test_random_below(r, 2) ? 1.0f : 0.6f;
    c.to = somewhere(r, from, half);
    if (!turns) c.to.rotation = c.from.rotation;
    c.margin = test_random_below(r, 4) ? 0.0f : 0.05f;
    return c;
}

TEST(a_cast_ends_where_its_shape_begins_to_touch)
{
    test_random r = test_random_seeded(1);
    tally t = {0};
    for (size_t round = 0; round < effort(12, 200); ++round) {
        scene* s = scratch(sizeof *s);
        open_scene(s);
        add_kinds(s, &r);
        const double far = round % 3 == 2 ? 1e7 : 0.0;
        for (uint32_t i = 0; i < KINDS; ++i)
            add_body(s, i, somewhere(&r, far, 2.5));
        enum { CASTS = 28 };
        tact_body_cast casts[CASTS];
        tact_body_cast_hit hits[MOST];
        for (uint32_t i = 0; i < CASTS; ++i)
            casts[i] = cast_of(&r, i % CONVEX, far, 3.0, i % 4 != 0);
        assert_int_equal(run(s, casts, CASTS, TACT_BODY_CASTS_FIRST, hits, NULL), CASTS);
        for (uint32_t i = 0; i < CASTS; ++i)
            check_cast(s, &casts[i], &hits[i], 60, &t);
    }
    print_message("%zu parts hit, %zu not; latest by %g, earliest by %g of the sizes, %zu by more than is promised\n",
                  t.hits, t.misses, t.latest, t.earliest, t.slow);
    assert_true(t.hits > 20 && t.misses > 500 && t.slow <= 1 && t.earliest < 2e-3);
}

TEST(all_hits_are_those_of_each_part_alone)
{
    test_random r = test_random_seeded(2);
    tally t = {0};
    for (size_t round = 0; round < effort(4, 60); ++round) {
        scene* s = scratch(sizeof *s);
        open_scene(s);
        add_kinds(s, &r);
        for (uint32_t i = 0; i < KINDS; ++i)
            add_body(s, i, somewhere(&r, 0.0, 1.5));
        enum { CASTS = 14 };
        tact_body_cast casts[CASTS];
        tact_body_cast_hit all[MOST], first[MOST];
        uint64_t offsets[CASTS + 1];
        for (uint32_t i = 0; i < CASTS; ++i)
            casts[i] = cast_of(&r, i % CONVEX, 0.0, 3.0, i % 2 != 0);
        const size_t count = run(s, casts, CASTS, TACT_BODY_CASTS_ALL, all, offsets);
        run(s, casts, CASTS, TACT_BODY_CASTS_FIRST, first, NULL);
        assert_int_equal(offsets[0], 0);
        assert_int_equal(offsets[CASTS], count);
        for (uint32_t i = 0; i < CASTS; ++i) {
            bool touched[KINDS][MOST_PARTS] = {{false}};
            for (uint64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
                assert_int_equal(all[k].cast, i);
                touched[all[k].body][all[k].part] = true;
                check_part(s, &casts[i], all[k].body, all[k].part, all[k].fraction, true, 60, &t);
                if (k > offsets[i]) assert_true(all[k - 1].fraction <= all[k].fraction);
            }
            for (uint32_t b = 0; b < KINDS; ++b) {
                for (uint32_t p = 0; p < s->models[b].count; ++p)
                    if (!touched[b][p]) check_part(s, &casts[i], b, p, 1.0, false, 60, &t);
            }
            if (offsets[i] < offsets[i + 1])
                assert_memory_equal(&all[offsets[i]], &first[i], sizeof *first);
            else
                assert_int_equal(first[i].body, 0xffffffffu);
        }
        // With too little room nothing is lost.
        size_t needed = 0;
        const tact_body_casts_work work = {.casts = casts,
                                           .cast_count = CASTS,
                                           .mode = TACT_BODY_CASTS_ALL,
                                           .hits = first,
                                           .capacity = 1,
                                           .count = &needed};
        assert_int_equal(tact_body_casts_find(s->set, &work, NULL, NULL), count > 1 ? TACT_INCOMPLETE : TACT_OK);
        assert_int_equal(needed, count);
        size_t kept = 0;
        const tact_body_cast_hit* last = tact_body_casts_last(s->set, &kept);
        assert_int_equal(kept, count);
        if (count > 0) assert_memory_equal(last, all, count * sizeof *all);
    }
    print_message("%zu parts hit, %zu not; earliest by %g of the sizes, %zu slow\n", t.hits, t.misses, t.earliest,
                  t.slow);
    assert_true(t.hits > 10 && t.slow <= 1 && t.earliest < 2e-3);
}

TEST(a_ball_falls_on_a_half_space)
{
    scene s;
    open_scene(&s);
    const uint32_t ball = add_shape(&s, (tact_body_shape){.radius = 0.5f});
    const uint32_t plane = add_shape(&s, (tact_body_shape){.kind = TACT_BODY_HALF_SPACE});
    add_body(&s, plane, pose_at(100.0, 1.0, -50.0));
    const tact_body_cast_hit hit =
        one_cast(&s, (tact_body_cast){.shape = ball, .from = pose_at(0, 3.5, 0), .to = pose_at(8, -0.5, 0)});
    // From 2 above to 2 below where it touches.
    assert_float_equal((float)hit.fraction, 0.5f, 1e-5f);
    assert_true(hit.body == 0 && hit.normal.y == 1.0f);
    assert_float_equal(hit.at.x, -96.0f, 1e-3f);
    assert_float_equal(hit.at.y, 0.0f, 1e-5f);
    const tact_body_cast_hit away =
        one_cast(&s, (tact_body_cast){.shape = ball, .from = pose_at(0, 1.6, 0), .to = pose_at(1e9, 1.6, 0)});
    assert_int_equal(away.body, 0xffffffffu);
    const tact_body_cast_hit inside =
        one_cast(&s, (tact_body_cast){.shape = ball, .from = pose_at(0, -1e6, 0), .to = pose_at(0, 9.0, 0)});
    assert_true(inside.fraction == 0.0 && inside.normal.y == 1.0f);
    const tact_body_cast_hit deep =
        one_cast(&s, (tact_body_cast){.shape = ball, .from = pose_at(0, 1e9, 0), .to = pose_at(0, -1e9, 0)});
    assert_true(deep.body == 0 && deep.fraction <= 0.5 && deep.fraction > 0.4999999);
}

/// However far a step goes, and however thin the wall: a sheet of triangles, a flat box, and a wire.
TEST(nothing_tunnels_through_a_wall)
{
    test_random r = test_random_seeded(3);
    scene* s = scratch(sizeof *s);
    open_scene(s);
    add_kinds(s, &r);
    const tact_vec3 corners[4] = {{-9, -9, 0}, {9, -9, 0}, {9, 9, 0}, {-9, 9, 0}};
    const uint32_t triangles[6] = {0, 1, 2, 0, 2, 3};
    const uint32_t walls[3] = {
        add_shape(s, (tact_body_shape){.kind = TACT_BODY_MESH,
                                       .points = corners,
                                       .point_count = 4,
                                       .triangles = triangles,
                                       .triangle_count = 2}),
        add_shape(s, (tact_body_shape){.kind = TACT_BODY_BOX, .half = {9, 9, 0}}),
        add_shape(s, (tact_body_shape){.kind = TACT_BODY_HULL, .points = corners, .point_count = 4})};
    for (int wall = 0; wall < 3; ++wall) {
        const uint32_t id = add_body(s, walls[wall], pose_at(0, 0, 0));
        for (uint32_t i = 0; i < 20 * CONVEX; ++i) {
            tact_body_cast c = cast_of(&r, i % CONVEX, 0.0, 2.0, i % 2);
            const double far = i % 3 ? 4.0 : 4e5;
            c.from.z = -far;
            c.to.z = far;
            const tact_body_cast_hit hit = one_cast(s, c);
            if (hit.body != id) fail_msg("shape %u gets through wall %d", i % CONVEX, wall);
            if (!(hit.fraction > 0.0 && hit.fraction < 0.6 && hit.normal.z < -0.9f))
                fail_msg("shape %u, wall %d: %g, normal %g %g %g", i % CONVEX, wall, hit.fraction, (double)hit.normal.x,
                         (double)hit.normal.y, (double)hit.normal.z);
        }
        assert_int_equal(tact_bodies_remove(s->set, &id, 1), TACT_OK);
    }
}

/// At a speed of 1,000 km a step a ball of a centimetre passes by one of its size, or does not, by a hair.
TEST(long_ways_do_not_blur_what_is_touched)
{
    scene s;
    open_scene(&s);
    const uint32_t ball = add_shape(&s, (tact_body_shape){.radius = 0.01f});
    add_body(&s, ball, pose_at(4e5, 0, 0));
    for (int i = 0; i < 2; ++i) {
        const double beside = i ? 0.019999 : 0.020001;
        const tact_body_cast_hit hit =
            one_cast(&s, (tact_body_cast){.shape = ball, .from = pose_at(0, beside, 0), .to = pose_at(1e6, beside, 0)});
        assert_int_equal(hit.body, i ? 0 : 0xffffffffu);
        if (i) assert_float_equal((float)hit.fraction, 0.4f, 1e-6f);
    }
}

TEST(an_overlap_at_the_start_has_the_contact_there)
{
    scene s;
    open_scene(&s);
    const uint32_t box = add_shape(&s, (tact_body_shape){.kind = TACT_BODY_BOX, .half = {1, 1, 1}});
    add_body(&s, box, pose_at(0, 0, 0));
    tact_body_cast c = {.shape = box, .from = pose_at(0.25, 1.75, 0.25), .to = pose_at(5, 5, 5)};
    tact_body_cast_hit hit = one_cast(&s, c);
    assert_true(hit.body == 0 && hit.fraction == 0.0 && hit.normal.y == 1.0f);
    assert_float_equal(hit.at.y, 1.0f, 1e-5f);
    // The same without a motion; and apart, without a motion, nothing, unless the margin reaches.
    c.to = c.from;
    assert_true(one_cast(&s, c).fraction == 0.0);
    c.from.y = c.to.y = 2.25;
    assert_int_equal(one_cast(&s, c).body, 0xffffffffu);
    c.margin = 0.5f;
    hit = one_cast(&s, c);
    assert_true(hit.body == 0 && hit.fraction == 0.0 && hit.normal.y == 1.0f);
    assert_float_equal(hit.at.y, 1.0f, 1e-5f);
}

/// A rod turns by 90 degrees about its middle; nothing else moves.
TEST(a_turn_alone_touches_what_it_sweeps)
{
    scene s;
    open_scene(&s);
    const uint32_t rod =
        add_shape(&s, (tact_body_shape){.kind = TACT_BODY_CAPSULE, .radius = 0.125f, .half = {0, 2, 0}});
    const uint32_t ball = add_shape(&s, (tact_body_shape){.radius = 0.125f});
    // At 45 degrees, 1.5 from the middle.
    add_body(&s, ball, pose_at(-1.0606601717798212, 1.0606601717798212, 0));
    const tact_body_cast c = {.shape = rod, .to = {.rotation = {0, 0, 0.70710678f, 0.70710678f}}};
    const tact_body_cast_hit hit = one_cast(&s, c);
    // It touches 0.25 before: the sine of what is left of the angle is 1 / 6.
    const double angle = 0.7853981633974483 - asin(1.0 / 6.0), half = 0.5 * angle;
    // Of the chord between both quaternions, whose end is at 45 degrees.
    const double along = tan(half) / (tan(half) * (1.0 - 0.7071067811865476) + 0.7071067811865476);
    assert_int_equal(hit.body, 0);
    assert_float_equal((float)hit.fraction, (float)along, 2e-5f);
    tally t = {0};
    check_cast(&s, &c, &hit, 100, &t);
    assert_int_equal(t.slow, 0);
    // The shorter way, for either sign of the quaternion.
    tact_body_cast other = c;
    other.to.rotation = (tact_quat){0, 0, -0.70710678f, -0.70710678f};
    const tact_body_cast_hit same = one_cast(&s, other);
    assert_memory_equal(&same, &hit, sizeof hit);
}

/// A blob far from its shape's position, behind it at first: no point of it comes nearer to the wall to begin with.
TEST(what_swings_round_from_behind_is_not_missed)
{
    scene s;
    open_scene(&s);
    tact_vec3 points[8];
    for (int i = 0; i < 8; ++i)
        points[i] = (tact_vec3){i & 1 ? 0.1f : -0.1f, i & 2 ? -2.9f : -3.1f, i & 4 ? 0.1f : -0.1f};
    const uint32_t blob = add_shape(&s, (tact_body_shape){.kind = TACT_BODY_HULL, .points = points, .point_count = 8});
    const uint32_t wall = add_shape(&s, (tact_body_shape){.kind = TACT_BODY_BOX, .half = {1, 0, 9}});
    add_body(&s, wall, pose_at(0, 2, 0));
    tact_body_cast c = {.shape = blob, .to = {.rotation = {1, 0, 0, 0}}};
    tally t = {0};
    for (int i = 0; i < 2; ++i) {
        const tact_body_cast_hit hit = one_cast(&s, c);
        assert_int_equal(hit.body, 0);
        check_cast(&s, &c, &hit, 200, &t);
        c.to.rotation = (tact_quat){0.9f, 0.1f, 0, -0.3f};
    }
    assert_int_equal(t.slow, 0);
}

TEST(of_equal_hits_the_smaller_id_is_first)
{
    scene s;
    open_scene(&s);
    const uint32_t ball = add_shape(&s, (tact_body_shape){.radius = 0.5f});
    for (int i = 0; i < 3; ++i)
        add_body(&s, ball, pose_at(4, 0.25, 0));
    const tact_body_cast c = {.shape = ball, .to = pose_at(20, 0, 0)};
    assert_int_equal(one_cast(&s, c).body, 0);
    tact_body_cast_hit hits[MOST];
    assert_int_equal(run(&s, &c, 1, TACT_BODY_CASTS_ALL, hits, NULL), 3);
    for (uint32_t i = 0; i < 3; ++i)
        assert_int_equal(hits[i].body, i);
}

/// Scenes of every kind of shape, half-spaces too, on the device as on the CPU.
static void run_on(tact_backend backend)
{
    const tact_context_desc desc = {.gl = backend == TACT_BACKEND_GL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .cl = backend == TACT_BACKEND_CL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .log = quiet};
    tact_context* context = KEEP(new_context(&desc));
    if (device_missing(context, backend)) return;
    test_random r = test_random_seeded(5);
    for (size_t round = 0; round < effort(2, 20); ++round) {
        scene* s = scratch(sizeof *s);
        open_scene_in(s, context);
        add_kinds(s, &r);
        const uint32_t plane = add_shape(s, (tact_body_shape){.kind = TACT_BODY_HALF_SPACE});
        const double far = round % 2 ? 1e7 : 0.0;
        for (uint32_t i = 0; i < 3 * KINDS; ++i)
            add_body(s, i % KINDS, somewhere(&r, far, 4.0));
        add_body(s, plane, pose_at(far, -3.0, 0));
        enum { CASTS = 700 };
        tact_body_cast* casts = scratch(CASTS * sizeof *casts);
        tact_body_cast_hit *hits = scratch(2 * MOST * sizeof *hits), *expected = scratch(2 * MOST * sizeof *hits);
        for (uint32_t i = 0; i < CASTS; ++i)
            casts[i] = cast_of(&r, i % CONVEX, far, 5.0, i % 4 != 0);
        size_t count[2] = {0};
        for (int k = 0; k < 2; ++k) {
            const tact_query_options options = {.backend = k ? backend : TACT_BACKEND_CPU, .no_fallback = true};
            const tact_body_casts_work work = {.casts = casts,
                                               .cast_count = CASTS,
                                               .mode = TACT_BODY_CASTS_ALL,
                                               .hits = k ? hits : expected,
                                               .capacity = (size_t)2 * MOST,
                                               .count = &count[k]};
            assert_int_equal(tact_body_casts_find(s->set, &work, &options, NULL), TACT_OK);
        }
        assert_int_equal(count[0], count[1]);
        assert_true(count[0] > CASTS);
        assert_memory_equal(hits, expected, count[0] * sizeof *hits);
    }
}

TEST(opengl_casts_as_the_cpu_does)
{
    run_on(TACT_BACKEND_GL);
}

TEST(opencl_casts_as_the_cpu_does)
{
    run_on(TACT_BACKEND_CL);
}

/// 10,000 km from the origin casts end where they end there, as closely as a touch is found at all.
TEST(casts_are_as_good_far_from_the_origin)
{
    test_random r = test_random_seeded(4);
    scene *near_by = scratch(sizeof *near_by), *far_off = scratch(sizeof *far_off);
    open_scene(near_by);
    open_scene(far_off);
    const test_random same = r;
    add_kinds(near_by, &r);
    r = same;
    add_kinds(far_off, &r);
    enum { CASTS = 70 };
    tact_body_cast casts[CASTS], moved[CASTS];
    tact_body_cast_hit hits[MOST], there[MOST];
    for (uint32_t i = 0; i < 2 * KINDS; ++i) {
        tact_pose p = somewhere(&r, 0.0, 2.5);
        p.x = floor(p.x * 65536.0) / 65536.0;
        add_body(near_by, i % KINDS, p);
        p.x += 1e7;
        add_body(far_off, i % KINDS, p);
    }
    for (uint32_t i = 0; i < CASTS; ++i) {
        casts[i] = cast_of(&r, i % CONVEX, 0.0, 4.0, i % 2);
        casts[i].from.x = floor(casts[i].from.x * 65536.0) / 65536.0;
        casts[i].to.x = floor(casts[i].to.x * 65536.0) / 65536.0;
        moved[i] = casts[i];
        moved[i].from.x += 1e7;
        moved[i].to.x += 1e7;
    }
    run(near_by, casts, CASTS, TACT_BODY_CASTS_FIRST, hits, NULL);
    run(far_off, moved, CASTS, TACT_BODY_CASTS_FIRST, there, NULL);
    size_t touched = 0;
    for (uint32_t i = 0; i < CASTS; ++i) {
        touched += hits[i].body != 0xffffffffu;
        assert_int_equal(hits[i].body, there[i].body);
        assert_float_equal((float)hits[i].fraction, (float)there[i].fraction, 1e-4f);
    }
    assert_true(touched > CASTS / 3);
}

TEST(categories_and_removed_bodies_are_kept_apart)
{
    scene s;
    open_scene(&s);
    const uint32_t ball = add_shape(&s, (tact_body_shape){.radius = 0.5f});
    for (int i = 0; i < 3; ++i) {
        const tact_body body = {.shape = ball, .pose = pose_at(2.0 + 2.0 * i, 0, 0), .categories = {1u << i, 0xff}};
        assert_int_equal(tact_bodies_add(s.set, &body, 1, NULL), TACT_OK);
    }
    tact_body_cast c = {.shape = ball, .to = pose_at(20, 0, 0)};
    assert_int_equal(one_cast(&s, c).body, 0);
    c.categories = (tact_categories){1, 6};
    assert_int_equal(one_cast(&s, c).body, 1);
    c.categories = (tact_categories){0x100, 7};
    assert_int_equal(one_cast(&s, c).body, 0xffffffffu);
    c.categories = (tact_categories){1, 6};
    const uint32_t second = 1;
    assert_int_equal(tact_bodies_remove(s.set, &second, 1), TACT_OK);
    assert_int_equal(one_cast(&s, c).body, 2);
    const uint32_t third = 2;
    const tact_pose away = pose_at(0, 90, 0);
    assert_int_equal(tact_bodies_move(s.set, &third, &away, 1), TACT_OK);
    assert_int_equal(one_cast(&s, c).body, 0xffffffffu);
}

/// A surface with one side lets through what comes from behind.
TEST(one_sided_surfaces_are_touched_in_front_alone)
{
    scene s;
    open_scene(&s);
    const tact_vec3 corners[3] = {{-9, 0, -9}, {0, 0, 9}, {9, 0, -9}};
    const uint32_t triangle[3] = {0, 1, 2};
    const uint32_t sheet = add_shape(&s, (tact_body_shape){.kind = TACT_BODY_MESH,
                                                           .points = corners,
                                                           .point_count = 3,
                                                           .triangles = triangle,
                                                           .triangle_count = 1,
                                                           .one_sided = true});
    const uint32_t ball = add_shape(&s, (tact_body_shape){.radius = 0.5f});
    add_body(&s, sheet, pose_at(0, 0, 0));
    const tact_body_cast down = {.shape = ball, .from = pose_at(0, 4, 0), .to = pose_at(0, -4, 0)};
    const tact_body_cast up = {.shape = ball, .from = pose_at(0, -4, 0), .to = pose_at(0, 4, 0)};
    assert_int_equal(one_cast(&s, down).body, 0);
    assert_true(one_cast(&s, down).normal.y == 1.0f);
    assert_int_equal(one_cast(&s, up).body, 0xffffffffu);
}

static void expect_refused(scene* s, tact_body_cast cast)
{
    tact_body_cast_hit hit;
    size_t count = 9;
    const tact_body_casts_work work = {.casts = &cast, .cast_count = 1, .hits = &hit, .capacity = 1, .count = &count};
    assert_int_equal(tact_body_casts_find(s->set, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(count, 0);
    assert_null(tact_body_casts_last(s->set, &count));
}

TEST(casts_that_are_none_are_refused)
{
    scene s;
    open_scene(&s);
    const uint32_t ball = add_shape(&s, (tact_body_shape){.radius = 0.5f});
    const uint32_t plane = add_shape(&s, (tact_body_shape){.kind = TACT_BODY_HALF_SPACE});
    const tact_body_part part = {.shape = ball};
    const uint32_t compound =
        add_shape(&s, (tact_body_shape){.kind = TACT_BODY_COMPOUND, .parts = &part, .part_count = 1});
    add_body(&s, ball, pose_at(0, 0, 0));
    const double bad[3] = {(double)NAN, (double)INFINITY, 0x1p41};
    for (int i = 0; i < 3; ++i) {
        expect_refused(&s, (tact_body_cast){.from = pose_at(bad[i], 0, 0)});
        expect_refused(&s, (tact_body_cast){.to = pose_at(0, 0, bad[i])});
        expect_refused(&s, (tact_body_cast){.from = {.rotation = {(float)bad[i], 0, 0, 1}}});
        expect_refused(&s, (tact_body_cast){.to = {.rotation = {0, 0, 0, (float)bad[i]}}});
        expect_refused(&s, (tact_body_cast){.from = {.scale = (float)bad[i]}});
        expect_refused(&s, (tact_body_cast){.margin = (float)bad[i]});
    }
    expect_refused(&s, (tact_body_cast){.margin = -1.0f});
    expect_refused(&s, (tact_body_cast){.from = {.scale = 2.0f}, .to = {.scale = 3.0f}});
    expect_refused(&s, (tact_body_cast){.shape = 3});
    expect_refused(&s, (tact_body_cast){.shape = plane});
    expect_refused(&s, (tact_body_cast){.shape = compound});
    size_t count = 9;
    const tact_body_casts_work wrong = {.mode = (tact_body_casts_mode)2, .count = &count};
    assert_int_equal(tact_body_casts_find(s.set, &wrong, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    // So is a set without bodies, or without any that has an end.
    scene empty;
    open_scene(&empty);
    add_shape(&empty, (tact_body_shape){.radius = 0.5f});
    assert_int_equal(one_cast(&empty, (tact_body_cast){.to = pose_at(9, 0, 0)}).body, 0xffffffffu);
    add_body(&empty, add_shape(&empty, (tact_body_shape){.kind = TACT_BODY_HALF_SPACE}), pose_at(0, -9, 0));
    assert_int_equal(one_cast(&empty, (tact_body_cast){.to = pose_at(9, 0, 0)}).body, 0xffffffffu);
    assert_int_equal(one_cast(&empty, (tact_body_cast){.to = pose_at(9, -9, 0)}).body, 0);
    // None at all are allowed, and so are shapes and motions of any size.
    const tact_body_casts_work none = {.count = &count};
    assert_int_equal(tact_body_casts_find(s.set, &none, NULL, NULL), TACT_OK);
    assert_int_equal(count, 0);
    const float sizes[4] = {0x1p-40f, 0x1p-20f, 0x1p20f, 0x1p40f};
    for (int i = 0; i < 16; ++i) {
        const double at = i % 2 ? 0x1p40 : 0x1p-40;
        tact_body_cast c = {.shape = ball, .margin = i & 2 ? 0x1p40f : 0.0f, .from = pose_at(-at, at / 3, 0)};
        c.from.scale = sizes[i / 4];
        c.to = pose_at(at, -at / 3, 0);
        c.to.rotation = (tact_quat){0x1p-120f, 1, 0, i & 1 ? 0.0f : 0x1p-60f};
        const tact_body_cast_hit hit = one_cast(&s, c);
        assert_true(hit.fraction >= 0.0 && hit.fraction <= 1.0);
        // The line through both positions goes through the ball.
        assert_int_equal(hit.body, 0);
    }
}

#include TEST_LIST

RUN_ALL(NULL, NULL)
