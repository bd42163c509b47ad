// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "kernels/pose.h"
#include "tests/support/effort.h"
#include "tests/support/flushed.h"
#include "tests/support/objects.h"
#include "tests/support/shape_lab.h"
#include "tests/support/test_scenes.h"

// Sphere casts: every backend against the brute force, and the brute force against moving spheres in double precision.

static void cast(tact_scene* scene, tact_backend backend, int threads, const tact_sphere_cast* casts, size_t count,
                 tact_sphere_hit* hits)
{
    tact_query_report report;
    const tact_query_options options = {.backend = backend, .threads = threads, .no_fallback = true};
    memset(hits, 0xcd, count * sizeof *hits);
    tact_result result = tact_spherecast(scene, casts, count, hits, &options, &report);
    if (left_to_cpu(context, backend, result)) {
        backend = TACT_BACKEND_REFERENCE;
        result = tact_spherecast(scene, casts, count, hits, &(tact_query_options){.backend = backend}, &report);
    }
    if (result != TACT_OK) fail_msg("%s: %s", tact_backend_name(backend), tact_context_error(context));
    assert_int_equal(report.backend, backend);
}

static void compare(const char* name, const char* who, const tact_sphere_cast* casts, size_t count,
                    const tact_sphere_hit* expected, const tact_sphere_hit* got)
{
    for (size_t i = 0; i < count; ++i) {
        if (memcmp(&expected[i], &got[i], sizeof *got) == 0) continue;
        const tact_ray* r = &casts[i].ray;
        fail_msg("%s, %s: %zu, o %a %a %a d %a %a %a t %a %a radius %a: %u/%u t %a, expected %u/%u t %a", name, who, i,
                 (double)r->ox, (double)r->oy, (double)r->oz, (double)r->dx, (double)r->dy, (double)r->dz,
                 (double)r->tmin, (double)r->tmax, (double)casts[i].radius, got[i].instance, got[i].primitive,
                 (double)got[i].t, expected[i].instance, expected[i].primitive, (double)expected[i].t);
    }
}

static void conform(const char* name, tact_scene* scene, const tact_sphere_cast* casts, size_t count,
                    tact_sphere_hit* expected)
{
    tact_sphere_hit* got = scratch(count * sizeof *got);
    cast(scene, TACT_BACKEND_REFERENCE, 0, casts, count, expected);
    for (int backend = TACT_BACKEND_CPU; backend <= TACT_BACKEND_CL; ++backend) {
        if (device_missing(context, (tact_backend)backend)) continue;
        cast(scene, (tact_backend)backend, 0, casts, count, got);
        compare(name, tact_backend_name((tact_backend)backend), casts, count, expected, got);
    }
    cast(scene, TACT_BACKEND_CPU, 1, casts, count, got);
    compare(name, "one thread", casts, count, expected, got);
}

/// The first touch in double precision, of what lies within [0, 1]; HUGE_VAL for none.
static double oracle(const tact_model* model, const tact_sphere_cast* q)
{
    const tact_sphere sphere = {{q->ray.ox, q->ray.oy, q->ray.oz}, q->radius};
    const tact_vec3 motion = {q->ray.dx, q->ray.dy, q->ray.dz};
    double best = HUGE_VAL;
    for (size_t i = 0; i < model->instance_count; ++i) {
        for (size_t k = 0; k < model->meshes[model->instances[i].mesh].triangle_count; ++k) {
            const tact_triangle t = triangle_of(model, i, k);
            const tact_moving_hit h = tact_moving_sphere_triangle(sphere, motion, &t);
            if (h.hit && (double)h.t < best) best = (double)h.t;
        }
    }
    return best;
}

static tact_sphere_cast changed_radius(const tact_sphere_cast* q, double by)
{
    tact_sphere_cast r = *q;
    r.radius = (float)((double)q->radius + by);
    return r;
}

/// A sphere slightly larger touches no later and one slightly smaller no sooner, so t lies between their times.
static void expect_like_oracle(const char* name, const tact_model* model, const tact_bounds* bounds,
                               const tact_sphere_cast* q, const tact_sphere_hit* hit)
{
    double size = 0.0;
    for (int k = 0; k < 3; ++k)
        size = fmax(size, fmax(fabs(bounds->lower[k]), fabs(bounds->upper[k])));
    size = fmax(size, fmax(fabs((double)q->ray.ox), fmax(fabs((double)q->ray.oy), fabs((double)q->ray.oz))));
    const double slack = size * 4e-6;
    const tact_sphere_cast larger = changed_radius(q, slack);
    const double soonest = oracle(model, &larger);
    const tact_sphere_cast smaller = changed_radius(q, -slack);
    const double latest = smaller.radius >= 0.0f ? oracle(model, &smaller) : HUGE_VAL;
    if (hit->instance == TACT_NONE) {
        if (latest <= 1.0) fail_msg("%s: nothing touched, there is something at %g", name, latest);
        return;
    }
    if (!((double)hit->t >= soonest - 4e-6) || !((double)hit->t <= latest + 4e-6)) {
        fail_msg("%s: o %a %a %a d %a %a %a radius %a: t %.9g, should be %.9g to %.9g", name, (double)q->ray.ox,
                 (double)q->ray.oy, (double)q->ray.oz, (double)q->ray.dx, (double)q->ray.dy, (double)q->ray.dz,
                 (double)q->radius, (double)hit->t, soonest, latest);
    }
    // The point touched is a radius away from the centre, along the normal.
    const double t = (double)hit->t;
    const double at[3] = {(double)q->ray.ox + t * (double)q->ray.dx - (double)hit->x,
                          (double)q->ray.oy + t * (double)q->ray.dy - (double)hit->y,
                          (double)q->ray.oz + t * (double)q->ray.dz - (double)hit->z};
    const double away = sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
    if (hit->t > 0.0f && !(fabs(away - (double)q->radius) <= 2.0 * slack)) {
        fail_msg("%s: touches %g from the centre, radius %g", name, away, (double)q->radius);
    }
    const double n2 =
        (double)hit->nx * (double)hit->nx + (double)hit->ny * (double)hit->ny + (double)hit->nz * (double)hit->nz;
    assert_true(fabs(n2 - 1.0) < 1e-5);
    if (away > 16.0 * slack) {
        const double along = at[0] * (double)hit->nx + at[1] * (double)hit->ny + at[2] * (double)hit->nz;
        assert_true(along > 0.9 * away);
    }
}

/// Rays with radii from 0 to a tenth of the scene.
static void give_radii(const tact_bounds* bounds, test_random* r, const tact_ray* rays, size_t count, float tmax,
                       tact_sphere_cast* casts)
{
    const float size = (float)(bounds->upper[0] - bounds->lower[0]);
    static const float parts[] = {0.1f, 0.0f, 0.01f, 1e-4f, 0.03f};
    for (size_t i = 0; i < count; ++i) {
        casts[i] = (tact_sphere_cast){rays[i], size * parts[i % 5] * (0.5f + test_random_unit(r))};
        if (tmax > 0.0f) casts[i].ray.tmax = tmax;
        if (tmax <= 0.0f && i % 31 == 7) casts[i].radius = test_random_any(r);
    }
}

TEST(every_device_agrees_on_the_scenes_of_verify)
{
    enum { COUNT = 280 };
    static tact_ray rays[COUNT];
    static tact_sphere_cast casts[COUNT];
    static tact_sphere_hit hits[COUNT];
    test_random r = test_random_seeded(3);
    size_t touched = 0;
    for (size_t i = 0; i < tact_test_scene_count; ++i) {
        const tact_test_scene* test = &tact_test_scenes[i];
        tact_model model;
        tact_scene_stats stats;
        tact_scene* scene = build_test_scene(test, &model, &stats);
        const size_t count = tact_model_triangles(&model) > 20000 ? COUNT / 5 : COUNT;
        const tact_bounds bounds = tact_ray_bounds(&stats);
        tact_rays_random(&bounds, 1, count, rays);
        give_radii(&bounds, &r, rays, count, 1.0f, casts);
        conform(test->name, scene, casts, count, hits);
        for (size_t k = 0; k < count && k < 60 && stats.skipped_triangles == 0; ++k) {
            touched += hits[k].instance != TACT_NONE;
            expect_like_oracle(test->name, &model, &bounds, &casts[k], &hits[k]);
        }
        tact_rays_hard(&model, &bounds, 1, count, rays);
        give_radii(&bounds, &r, rays, count, 0.0f, casts);
        conform(test->name, scene, casts, count, hits);
        tact_scene_destroy(scene);
        tact_model_free(&model);
    }
    assert_true(touched > 100);
}

static const float square[12] = {-1, 0, -1, 1, 0, -1, 1, 0, 1, -1, 0, 1};
static const uint32_t halves[6] = {0, 1, 2, 0, 2, 3};

TEST(spheres_touch_faces_edges_corners_and_what_they_start_in)
{
    const tact_mesh_desc desc = {.positions = square, .vertex_count = 4, .indices = halves, .triangle_count = 2};
    tact_scene* scene = KEEP(new_scene(context));
    const uint32_t mesh = put_mesh(scene, &desc);
    put_instance(scene, mesh, NULL);
    put_instance(scene, mesh, NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    enum { COUNT = 8 };
    const float never = INFINITY;
    const tact_sphere_cast casts[COUNT] = {
        {{0.5f, 4, 0.25f, 0, 0, -2, 0, never}, 1},     // onto the face
        {{-4, 0, 0, 0, 1, 0, 0, never}, 0.5f},         // into the edge, level with the face
        {{-4, 0, -4, 0, 1, 0, 1, never}, 1},           // at the corner, slanted
        {{0, 0.25f, 0, 0, 0, 1, 0, never}, 0.5f},      // starts in touch, leaves
        {{0.5f, 4, 0.25f, 2, 0, -2, 0, never}, 1},     // in touch at tmin
        {{0.5f, 4, 0.25f, 3, 0, -2, 0, never}, 0.5f},  // already through
        {{-4, 1, 0, 0, 1, 0, 0, never}, 1},            // slides over the face, just touching
        {{0.5f, 4, 0.25f, 0, 0, -2, 0, 1.25f}, 1},     // ends before
    };
    const float expected[COUNT] = {1.5f, 2.5f, 3.0f - 0.70710678f, 0, 2, never, 3, 1.25f};
    const uint32_t who[COUNT] = {0, 0, 0, 0, 0, TACT_NONE, 0, TACT_NONE};
    tact_sphere_hit hits[COUNT];
    conform("square", scene, casts, COUNT, hits);
    for (int i = 0; i < COUNT; ++i) {
        assert_int_equal(hits[i].instance, who[i]);
        if (isinf(expected[i])) {
            assert_true(isinf(hits[i].t));
        } else if (fabsf(hits[i].t - expected[i]) > 2e-3f * (i == 6) + 1e-5f) {
            fail_msg("cast %d: t %.9g, should be %.9g", i, (double)hits[i].t, (double)expected[i]);
        }
    }
    assert_true(hits[0].t == 1.5f && hits[0].x == 0.5f && hits[0].y == 0.0f && hits[0].z == 0.25f);
    assert_true(hits[0].ny == 1.0f && hits[0].primitive == 0);
    assert_true(hits[3].t == 0.0f && hits[4].t == 2.0f);
}

/// However thin the sphere, the centre's way through a closed surface is a touch.
TEST(no_sphere_gets_into_a_closed_mesh)
{
    enum { COUNT = 4000 };
    static tact_sphere_cast casts[COUNT];
    static tact_sphere_hit hits[COUNT];
    tact_model model = {0};
    tact_model_mesh mesh = {0};
    tact_problem problem = {0};
    tact_scene* scene = NULL;
    tact_scene_stats stats;
    assert_true(tact_mesh_icosphere(3, &mesh, &problem));
    const float* corners = mesh.positions;
    test_random r = test_random_seeded(5);
    for (int i = 0; i < COUNT; ++i) {
        // Through a corner or the middle between two, from outside to the middle.
        const float* a = corners + 3 * (size_t)test_random_below(&r, (uint32_t)mesh.vertex_count);
        const float* b = i % 2 ? a : corners + 3 * (size_t)test_random_below(&r, (uint32_t)mesh.vertex_count);
        tact_ray ray = {0, 0, 0, 0, 0, 0, 0, 1};
        ray.ox = 3 * (a[0] + b[0]) + 2.5f * a[0];
        ray.oy = 3 * (a[1] + b[1]) + 2.5f * a[1];
        ray.oz = 3 * (a[2] + b[2]) + 2.5f * a[2];
        ray.dx = -ray.ox;
        ray.dy = -ray.oy;
        ray.dz = -ray.oz;
        casts[i] = (tact_sphere_cast){ray, i % 3 == 0 ? 0.0f : 1e-7f * (float)(i % 5)};
        if (ray.ox * ray.ox + ray.oy * ray.oy + ray.oz * ray.oz < 2.0f) casts[i].ray.ox = casts[i].ray.dx = 3.0f;
        casts[i].ray.dx = -casts[i].ray.ox;
    }
    assert_true(tact_model_add_mesh(&model, &mesh, &problem));
    assert_true(tact_model_add_instance(&model, 0, NULL, &problem));
    assert_true(tact_model_build(&model, context, &scene, &stats, &problem));
    cast(scene, TACT_BACKEND_CPU, 0, casts, COUNT, hits);
    for (int i = 0; i < COUNT; ++i)
        assert_int_not_equal(hits[i].instance, TACT_NONE);
    tact_scene_destroy(scene);
    tact_model_free(&model);
}

TEST(wrong_use_is_refused)
{
    const tact_sphere_cast one = {{0, 0, 0, 0, 1, 0, 0, 4}, 1};
    tact_sphere_hit hit;
    assert_int_equal(tact_spherecast(NULL, &one, 1, &hit, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    tact_scene* scene = KEEP(new_scene(context));
    assert_int_equal(tact_spherecast(scene, &one, 1, &hit, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(tact_spherecast(scene, NULL, 1, &hit, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_spherecast(scene, &one, 1, NULL, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_spherecast(scene, NULL, 0, NULL, NULL, NULL), TACT_OK);
    const tact_query_options options = {.backend = TACT_BACKEND_CPU, .shadow = true};
    assert_int_equal(tact_spherecast(scene, &one, 1, &hit, &options, NULL), TACT_OK);
    assert_true(hit.instance == TACT_NONE && hit.t == 4.0f && hit.nx == 0.0f);
}

// ---- Shapes ----

/// How far the centre at t is beyond the surface of a shape: convex in t.
static double beyond_at(const shape_lab* lab, int placed, int i, const tact_ray* r, double t)
{
    const double at[3] = {(double)r->ox + t * (double)r->dx, (double)r->oy + t * (double)r->dy,
                          (double)r->oz + t * (double)r->dz};
    return beyond_shape(lab, placed, i, at);
}

/// The first t from tmin to tmax at which the centre is within `radius` of the shape's surface; HUGE_VAL for none.
static double first_touch(const shape_lab* lab, int placed, int i, const tact_ray* r, double radius)
{
    double low = (double)r->tmin, high = (double)r->tmax;
    const double begin = beyond_at(lab, placed, i, r, low);
    if (isnan(begin) || radius < 0.0) return HUGE_VAL;
    if (fabs(begin) <= radius) return low;
    const bool inside = begin < 0.0;
    if (!inside) {
        // Down to the least, by thirds.
        double a = low, b = high;
        for (int step = 0; step < 120; ++step) {
            const double third = (b - a) / 3.0;
            if (beyond_at(lab, placed, i, r, a + third) < beyond_at(lab, placed, i, r, b - third)) {
                b -= third;
            } else {
                a += third;
            }
        }
        high = (a + b) / 2.0;
    }
    const double end = beyond_at(lab, placed, i, r, high);
    if (inside ? end < -radius : end > radius) return HUGE_VAL;
    for (int step = 0; step < 80; ++step) {
        const double middle = (low + high) / 2.0, there = beyond_at(lab, placed, i, r, middle);
        if (inside ? there < -radius : there > radius) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

static double shape_oracle(const shape_lab* lab, const tact_sphere_cast* q, double radius)
{
    double best = HUGE_VAL;
    for (int n = 0; n < PLACED; ++n) {
        for (int i = 0; i < SHAPES; ++i)
            best = fmin(best, first_touch(lab, n, i, &q->ray, radius));
    }
    return best;
}

static void expect_like_shapes(const shape_lab* lab, const tact_sphere_cast* q, const tact_sphere_hit* hit)
{
    // Coordinates are below 70 and ways as long as 40.
    const double slack = 0x1p-14, t = (double)hit->t, radius = (double)q->radius;
    const double soonest = shape_oracle(lab, q, radius + slack), latest = shape_oracle(lab, q, radius - slack);
    if (hit->instance == TACT_NONE) {
        if (latest <= (double)q->ray.tmax) fail_msg("nothing touched, there is something at %g", latest);
        return;
    }
    if (!(t >= soonest - slack) || !(t <= latest + slack)) {
        const tact_ray* r = &q->ray;
        fail_msg("o %a %a %a d %a %a %a radius %a: %u/%u at t %.9g, should be %.9g to %.9g", (double)r->ox,
                 (double)r->oy, (double)r->oz, (double)r->dx, (double)r->dy, (double)r->dz, radius, hit->instance,
                 hit->primitive, t, soonest, latest);
    }
    const double away[3] = {(double)q->ray.ox + t * (double)q->ray.dx - (double)hit->x,
                            (double)q->ray.oy + t * (double)q->ray.dy - (double)hit->y,
                            (double)q->ray.oz + t * (double)q->ray.dz - (double)hit->z};
    const double point[3] = {(double)hit->x, (double)hit->y, (double)hit->z},
                 normal[3] = {(double)hit->nx, (double)hit->ny, (double)hit->nz};
    double size2 = 0.0, n2 = 0.0, along = 0.0, against = 0.0;
    for (int k = 0; k < 3; ++k) {
        size2 += away[k] * away[k];
        n2 += normal[k] * normal[k];
        along += away[k] * normal[k];
    }
    against = (double)q->ray.dx * normal[0] + (double)q->ray.dy * normal[1] + (double)q->ray.dz * normal[2];
    assert_true(fabs(n2 - 1.0) < 1e-5);
    // The point is of the shape's surface, a radius away, or less where the sphere starts in touch.
    const int placed = (int)hit->instance;
    const double beyond = beyond_shape(lab, placed, (int)hit->primitive, point);
    if (!(fabs(beyond) <= slack)) {
        fail_msg("%u/%u: the point is %g off, kind %u, scale %g", hit->instance, hit->primitive, beyond,
                 lab->kinds[placed], (double)lab->matrices[placed][0]);
    }
    assert_true(sqrt(size2) <= radius + slack && (t <= (double)q->ray.tmin || sqrt(size2) >= radius - slack));
    if (size2 > 0x1p-10) assert_true(along >= 0.98 * sqrt(size2));
    // What is touched later than at tmin is approached.
    if (t > (double)q->ray.tmin + slack && size2 < slack * slack) assert_true(against <= slack);
}

/// A point well within shape i of a placed mesh, in the world; false where there is none.
static bool middle_of(const shape_lab* lab, int placed, int i, float middle[3])
{
    const tact_vec3 low[3] = {lab->spheres[i].center, lab->boxes[i].lower, lab->capsules[i].a},
                    high[3] = {lab->spheres[i].center, lab->boxes[i].upper, lab->capsules[i].b};
    const uint32_t kind = lab->kinds[placed];
    const float* m = lab->matrices[placed];
    for (int k = 0; k < 3; ++k) {
        middle[k] =
            tact_pose_apply(m[4 * k], m[4 * k + 1], m[4 * k + 2], m[4 * k + 3], 0.5f * (low[kind].x + high[kind].x),
                            0.5f * (low[kind].y + high[kind].y), 0.5f * (low[kind].z + high[kind].z));
    }
    const double at[3] = {(double)middle[0], (double)middle[1], (double)middle[2]};
    return beyond_shape(lab, placed, i, at) < -1e-3;
}

/// Spheres of all sizes among the lab's shapes, from afar, from near by and from within.
static void throw_spheres(test_random* r, const shape_lab* lab, size_t count, tact_sphere_cast* casts)
{
    static const float radii[] = {0.0f, 1e-5f, 0.01f, 0.1f, 0.5f, 4.0f};
    for (size_t i = 0; i < count; ++i) {
        const int which = (int)(i % SHAPES);
        const float* m = lab->matrices[i % PLACED];
        const tact_vec3 at = somewhere(r), to = somewhere(r), of = lab->spheres[which == 4 ? 5 : which].center;
        const float from[3] = {8 * at.x, 8 * at.y, 8 * at.z};
        tact_ray ray = {0, 0, 0, 0, 0, 0, 0, 2};
        float aim[3] = {4 * to.x, 4 * to.y, 4 * to.z};
        // Towards a corner or centre of a shape, or beginning in one.
        if (i % 3 != 0) {
            for (int k = 0; k < 3; ++k)
                aim[k] = tact_pose_apply(m[4 * k], m[4 * k + 1], m[4 * k + 2], m[4 * k + 3], of.x, of.y, of.z);
        }
        ray.ox = i % 3 == 2 ? aim[0] + 0.01f * at.x : from[0];
        ray.oy = i % 3 == 2 ? aim[1] + 0.01f * at.y : from[1];
        ray.oz = i % 3 == 2 ? aim[2] + 0.01f * at.z : from[2];
        ray.dx = i % 3 == 2 ? 4 * to.x : aim[0] - from[0];
        ray.dy = i % 3 == 2 ? 4 * to.y : aim[1] - from[1];
        ray.dz = i % 3 == 2 ? 4 * to.z : aim[2] - from[2];
        float in[3];
        if (i % 9 == 2 && middle_of(lab, (int)(i % PLACED), which, in)) {
            ray.ox = in[0];
            ray.oy = in[1];
            ray.oz = in[2];
        }
        // Along an axis, where slabs have no end.
        if (i % 7 == 3) ray.dx = 0.0f;
        if (i % 14 == 3) ray.dz = 0.0f;
        if (i % 11 == 5) ray.tmin = 0.5f * test_random_unit(r);
        casts[i] = (tact_sphere_cast){ray, radii[i % 6] * (0.5f + test_random_unit(r))};
    }
}

TEST(shapes_are_touched_alike_everywhere)
{
    enum { COUNT = 400, ROUNDS = 8 };
    static shape_lab lab;
    static tact_sphere_cast casts[COUNT];
    static tact_sphere_hit hits[COUNT];
    test_random r = test_random_seeded(33);
    const int rounds = (int)effort(ROUNDS, 40 * (size_t)ROUNDS);
    size_t touched = 0;
    for (int round = 0; round < rounds; ++round) {
        fill_shapes(&r, &lab);
        tact_scene* scene = new_scene(context);
        for (int n = 0; n < PLACED; ++n) {
            // Each kind alone first, then all together.
            lab.kinds[n] = round % 4 < 3 ? (uint32_t)(round % 4) : (uint32_t)n % 3;
            similar(&r, lab.matrices[n]);
        }
        put_lab(scene, &lab);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        throw_spheres(&r, &lab, COUNT, casts);
        for (size_t i = 0; i < COUNT; i += 40)
            casts[i].radius = test_random_any(&r);
        conform("shapes", scene, casts, COUNT, hits);
        for (size_t i = 0; i < COUNT; ++i) {
            if (i % 40 == 0) continue;
            touched += hits[i].instance != TACT_NONE;
            expect_like_shapes(&lab, &casts[i], &hits[i]);
        }
        // With triangles among them.
        const tact_mesh_desc desc = {.positions = square, .vertex_count = 4, .indices = halves, .triangle_count = 2};
        put_instance(scene, put_mesh(scene, &desc), NULL);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        conform("shapes and triangles", scene, casts, COUNT, hits);
        tact_scene_destroy(scene);
    }
    assert_true(touched > (size_t)rounds * 100);
}

TEST(spheres_touch_shapes_from_outside_and_from_inside)
{
    const tact_sphere ball = {{0, 0, 0}, 2};
    const tact_aabb box = {{-1, -2, -3}, {1, 2, 3}};
    const tact_capsule capsule = {{0, -2, 0}, {0, 2, 0}, 1};
    const float moved[3][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
                                {2, 0, 0, 20, 0, 2, 0, 0, 0, 0, 2, 0},
                                {1, 0, 0, 40, 0, 1, 0, 0, 0, 0, 1, 0}};
    tact_scene* scene = KEEP(new_scene(context));
    put_instance(scene, put_spheres(scene, &ball, 1), moved[0]);
    put_instance(scene, put_boxes(scene, &box, 1), moved[1]);
    put_instance(scene, put_capsules(scene, &capsule, 1), moved[2]);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    enum { COUNT = 14 };
    const float never = INFINITY;
    const tact_sphere_cast casts[COUNT] = {
        {{-8, 0, 0, 0, 1, 0, 0, never}, 1},         // onto the ball
        {{0, 0, 0, 0, 0, 1, 0, never}, 0.5f},       // from its middle
        {{0, 0, 0, 0, 0, 1, 0, never}, 2},          // as large as the ball: in touch
        {{0, 0, 0, 0, 0, 1, 0, never}, 3},          // larger: as well
        {{0, 3, 0, 0, 0, 1, 0, never}, 1},          // touches at tmin and leaves
        {{0, 3.5f, 0, 0, 0, 1, 0, never}, 1},       // has left
        {{20, 16, 0, 0, 0, -1, 0, never}, 2},       // onto the box, of twice the size
        {{20, 0, 0, 0, 0, 0, -1, never}, 0.5f},     // from its middle
        {{30, 10, 0, 0, -1, -0.75f, 0, never}, 5},  // onto its edge
        {{20, 0, 0, 0, 0, 0, -1, never}, 3},        // larger than it is thick
        {{40, 8, 0, 0, 0, -1, 0, never}, 1},        // onto the capsule's end
        {{40, -1, 0, 0, 1, 0, 0, never}, 0.25f},    // from its axis
        {{48, 1, 0, 0, -1, 0, 0, never}, 0},        // a point
        {{48, 1, 0, 8, -1, 0, 0, never}, 0},        // and from within
    };
    const float expected[COUNT] = {5, 1.5f, 0, 0, 0, never, 10, 5.5f, 4, 0, 4, 0.75f, 7, 9};
    const uint32_t who[COUNT] = {0, 0, 0, 0, 0, TACT_NONE, 1, 1, 1, 1, 2, 2, 2, 2};
    static const float normals[COUNT][3] = {
        {-1, 0, 0}, {0, -1, 0},      {0}, {0},       {0, 1, 0},  {0},       {0, 1, 0},
        {0, 0, 1},  {0.8f, 0.6f, 0}, {0}, {0, 1, 0}, {-1, 0, 0}, {1, 0, 0}, {1, 0, 0}};
    tact_sphere_hit hits[COUNT];
    conform("shapes", scene, casts, COUNT, hits);
    for (int i = 0; i < COUNT; ++i) {
        if (hits[i].instance != who[i]) fail_msg("cast %d: touches %u", i, hits[i].instance);
        if (who[i] == TACT_NONE) continue;
        assert_int_equal(hits[i].primitive, 0);
        if (!(fabsf(hits[i].t - expected[i]) <= 4e-6f)) {
            fail_msg("cast %d: t %.9g, should be %.9g", i, (double)hits[i].t, (double)expected[i]);
        }
        const float* n = normals[i];
        if (n[0] == 0.0f && n[1] == 0.0f && n[2] == 0.0f) continue;
        if (!(n[0] * hits[i].nx + n[1] * hits[i].ny + n[2] * hits[i].nz > 0.99999f)) {
            fail_msg("cast %d: normal %g %g %g", i, (double)hits[i].nx, (double)hits[i].ny, (double)hits[i].nz);
        }
    }
    assert_true(hits[0].x == -2.0f && hits[0].y == 0.0f && hits[6].y == 4.0f && hits[7].z == -6.0f);
}

/// However thin the sphere, it gets neither into a shape nor out of it.
TEST(no_sphere_gets_through_a_shape)
{
    enum { COUNT = 3000 };
    static shape_lab lab;
    static tact_sphere_cast casts[COUNT];
    static tact_sphere_hit hits[COUNT];
    test_random r = test_random_seeded(35);
    fill_shapes(&r, &lab);
    tact_scene* scene = KEEP(new_scene(context));
    for (int n = 0; n < PLACED; ++n) {
        lab.kinds[n] = (uint32_t)n % 3;
        similar(&r, lab.matrices[n]);
    }
    put_lab(scene, &lab);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    size_t tried = 0;
    for (int i = 0; i < COUNT; ++i) {
        float in[3];
        const tact_vec3 far = somewhere(&r);
        const tact_sphere_cast none = {{0, 0, 0, 0, 0, 0, 0, 0}, -1};
        const bool good = middle_of(&lab, i % PLACED, i % SHAPES, in);
        const float out[3] = {300 * far.x, 300 * far.y, 300 + far.z};
        const float *from = i % 2 ? in : out, *to = i % 2 ? out : in;
        casts[i] =
            (tact_sphere_cast){{from[0], from[1], from[2], 0, to[0] - from[0], to[1] - from[1], to[2] - from[2], 1},
                               i % 3 ? 0.0f : 1e-30f};
        tried += good;
        if (!good) casts[i] = none;
    }
    cast(scene, TACT_BACKEND_CPU, 0, casts, COUNT, hits);
    for (int i = 0; i < COUNT; ++i) {
        if (casts[i].radius >= 0.0f && hits[i].instance == TACT_NONE) fail_msg("cast %d got through", i);
    }
    assert_true(tried > COUNT / 3);
}

/// A stretched ball is no ball. A mesh of them without an instance does no harm.
TEST(stretched_shapes_are_refused)
{
    const tact_sphere_cast one = {{0, 0, 3, 0, 0, -1, 0, 4}, 1};
    tact_sphere_hit hit;
    const float bent[12] = {1, 0, 0, 0, 0, 1.5f, 0, 0, 0, 0, 1, 0};
    tact_scene* scene = KEEP(new_scene(context));
    const tact_sphere ball = {{0, 0, 0}, 1};
    const uint32_t instance = put_instance(scene, put_spheres(scene, &ball, 1), bent);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    for (int backend = TACT_BACKEND_CPU; backend <= TACT_BACKEND_REFERENCE; ++backend) {
        if (device_missing(context, (tact_backend)backend)) continue;
        const tact_query_options on = {.backend = (tact_backend)backend};
        assert_int_equal(tact_spherecast(scene, &one, 1, &hit, &on, NULL), TACT_ERROR_UNSUPPORTED);
    }
    assert_int_equal(tact_scene_remove_instance(scene, instance), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(tact_spherecast(scene, &one, 1, &hit, NULL, NULL), TACT_OK);
}

/// From the middle of a sphere, with nearly its radius, a cast looks at most of the tree. More of them stay unfinished
/// after one launch than are carried to the next at a time (4,096).
TEST(thousands_of_long_casts_are_finished)
{
    enum { COUNT = 4300, WAYS = 410 };
    tact_model model = {0};
    tact_model_mesh mesh = {0};
    tact_problem problem = {0};
    tact_scene* scene = NULL;
    tact_scene_stats stats;
    assert_true(tact_mesh_icosphere(4, &mesh, &problem));
    assert_true(tact_model_add_mesh(&model, &mesh, &problem));
    assert_true(tact_model_add_instance(&model, 0, NULL, &problem));
    assert_true(tact_model_build(&model, context, &scene, &stats, &problem));
    static tact_sphere_cast casts[COUNT];
    static tact_sphere_hit expected[COUNT], got[COUNT];
    test_random r = test_random_seeded(5);
    for (int i = 0; i < COUNT; ++i) {
        const float x = test_random_signed(&r), y = test_random_signed(&r), z = test_random_signed(&r);
        casts[i] = (tact_sphere_cast){{0, 0, i % 41 ? 0.0f : 9.0f, 0, x, y, z, 1.0f}, i % 41 ? 0.97f : 0.1f};
        if (i >= WAYS) casts[i] = casts[i - WAYS];
    }
    // What is asked repeats itself, and so must the answers.
    cast(scene, TACT_BACKEND_REFERENCE, 0, casts, WAYS, expected);
    for (int i = WAYS; i < COUNT; ++i)
        expected[i] = expected[i - WAYS];
    for (int backend = TACT_BACKEND_CPU; backend <= TACT_BACKEND_CL; ++backend) {
        if (device_missing(context, (tact_backend)backend)) continue;
        cast(scene, (tact_backend)backend, 0, casts, COUNT, got);
        compare("many in a sphere", tact_backend_name((tact_backend)backend), casts, COUNT, expected, got);
    }
    tact_scene_destroy(scene);
    tact_model_free(&model);
}

#include TEST_LIST
RUN_ALL(open_context, close_context)
