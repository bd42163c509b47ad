// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/bench/geometry.h"

#include <math.h>
#include <string.h>

#include "apps/inputs/random.h"
#include "tact/geometry.h"
#ifdef TACT_BENCH_LEVELS
#include "cpu_ref/geometry/batch_internal.h"
#endif

enum { N = TACT_GEOMETRY_COUNT, MOST_MORE = 128 };

// Where in `arrays` the coordinates lie.
enum { SPHERES = 0, BOXES = 8, TRIANGLES = 20 };

static float between(tact_random* r, float low, float high)
{
    return low + (high - low) * (float)tact_random_fraction(r);
}

static tact_vec3 point(tact_random* r, float size)
{
    const float x = between(r, -size, size), y = between(r, -size, size), z = between(r, -size, size);
    const tact_vec3 p = {x, y, z};
    return p;
}

static tact_vec3 add(tact_vec3 a, tact_vec3 b)
{
    const tact_vec3 v = {a.x + b.x, a.y + b.y, a.z + b.z};
    return v;
}

static tact_vec3 unit(tact_vec3 a)
{
    const float length = sqrtf(a.x * a.x + a.y * a.y + a.z * a.z);
    const tact_vec3 v = {a.x / length, a.y / length, a.z / length};
    return v;
}

static tact_vec3 cross(tact_vec3 a, tact_vec3 b)
{
    const tact_vec3 v = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return v;
}

static tact_obb random_obb(tact_random* r)
{
    tact_obb b;
    b.center = point(r, 0.8f);
    b.axis[0] = unit(point(r, 1.0f));
    b.axis[1] = unit(cross(b.axis[0], point(r, 1.0f)));
    b.axis[2] = cross(b.axis[0], b.axis[1]);
    b.half.x = between(r, 0.2f, 0.8f);
    b.half.y = between(r, 0.2f, 0.8f);
    b.half.z = between(r, 0.2f, 0.8f);
    return b;
}

static void put(tact_geometry_data* d, int array, int i, tact_vec3 v)
{
    d->arrays[array][i] = v.x;
    d->arrays[array + 1][i] = v.y;
    d->arrays[array + 2][i] = v.z;
}

static tact_quat turn(tact_random* r)
{
    const tact_vec3 u = unit(point(r, 1.0f));
    const float half = between(r, 0.0f, 1.5f), s = sinf(half);
    return (tact_quat){s * u.x, s * u.y, s * u.z, cosf(half)};
}

/// A hull of points on a sphere, and poses of it of which half overlap.
static void make_hulls(tact_geometry_data* d, tact_random* r)
{
    for (int i = 0; i < TACT_GEOMETRY_CORNERS; ++i)
        d->corners[i] = unit(point(r, 1.0f));
    for (int i = 0; i < N; ++i) {
        const tact_vec3 way = unit(point(r, 1.0f));
        const double far = (double)between(r, 1.0f, 2.6f);
        d->poses[0][i] = (tact_pose){.rotation = turn(r)};
        d->poses[1][i] = (tact_pose){
            .x = far * (double)way.x, .y = far * (double)way.y, .z = far * (double)way.z, .rotation = turn(r)};
        d->before[i] = d->poses[1][i];
        d->before[i].x += (double)between(r, -0.02f, 0.02f);
        d->before[i].y += (double)between(r, -0.02f, 0.02f);
        d->before[i].rotation.z += between(r, -0.01f, 0.01f);
    }
}

void tact_geometry_data_make(tact_geometry_data* d, uint64_t seed)
{
    tact_random r = {seed};
    const tact_ray ray = {-2.0f, 0.1f, 0.2f, 0.0f, 1.0f, 0.05f, -0.1f, 100.0f};
    d->ray = ray;
    for (int i = 0; i < N; ++i) {
        for (int k = 0; k < 2; ++k) {
            const tact_vec3 at = point(&r, 0.5f), size = point(&r, 0.25f);
            const tact_vec3 half = {fabsf(size.x) + 0.25f, fabsf(size.y) + 0.25f, fabsf(size.z) + 0.25f};
            const tact_vec3 back = {-half.x, -half.y, -half.z};
            d->spheres[k][i].center = point(&r, 0.5f);
            d->spheres[k][i].radius = between(&r, 0.1f, 0.5f);
            d->boxes[k][i].lower = add(at, back);
            d->boxes[k][i].upper = add(at, half);
            d->obbs[k][i] = random_obb(&r);
            const tact_vec3 corner = point(&r, 0.3f);
            d->triangles[k][i].a = add(corner, point(&r, 0.9f));
            d->triangles[k][i].b = add(corner, point(&r, 0.9f));
            d->triangles[k][i].c = add(corner, point(&r, 0.9f));
            put(d, SPHERES + 4 * k, i, d->spheres[k][i].center);
            d->arrays[SPHERES + 4 * k + 3][i] = d->spheres[k][i].radius;
            put(d, BOXES + 6 * k, i, d->boxes[k][i].lower);
            put(d, BOXES + 6 * k + 3, i, d->boxes[k][i].upper);
        }
        d->motions[i] = point(&r, 1.0f);
        put(d, TRIANGLES, i, d->triangles[0][i].a);
        put(d, TRIANGLES + 3, i, d->triangles[0][i].b);
        put(d, TRIANGLES + 6, i, d->triangles[0][i].c);
    }
    make_hulls(d, &r);
    for (int i = 0; i < N; ++i) {
        const tact_obb* b = &d->obbs[0][i];
        d->tori[i] = (tact_torus){b->center, b->axis[0], between(&r, 0.5f, 0.8f), between(&r, 0.1f, 0.4f)};
    }
}

// Single shapes.

/// A test of number i of the first shapes against number i of the second: how
/// many say yes.
#define SINGLE(name, test)                                     \
    static size_t name(const tact_geometry_data* d, void* own) \
    {                                                          \
        (void)own;                                             \
        size_t yes = 0;                                        \
        for (int i = 0; i < N; ++i)                            \
            yes += (test);                                     \
        return yes;                                            \
    }

static const tact_vec3 still = {0.0f, 0.0f, 0.0f};

SINGLE(single_sphere_sphere, tact_sphere_overlaps_sphere(d->spheres[0][i], d->spheres[1][i]))
SINGLE(single_sphere_aabb, tact_sphere_overlaps_aabb(d->spheres[0][i], d->boxes[1][i]))
SINGLE(single_aabb_aabb, tact_aabb_overlaps_aabb(d->boxes[0][i], d->boxes[1][i]))
SINGLE(single_ray_aabb, tact_ray_aabb(&d->ray, &d->boxes[0][i]).hit)
SINGLE(single_ray_triangle, tact_ray_triangle_watertight(&d->ray, &d->triangles[0][i]).hit)
SINGLE(single_ray_torus, tact_ray_torus(&d->ray, &d->tori[i], (tact_ray_solid_hit[2]){{0}}) > 0)
SINGLE(single_obb_obb, tact_obb_overlaps_obb(&d->obbs[0][i], &d->obbs[1][i]))
SINGLE(front_obb_obb, tact_obb_overlaps_obb_front_faces(&d->obbs[0][i], &d->obbs[1][i]))
SINGLE(edges_obb_obb, tact_obb_overlaps_obb_edges(&d->obbs[0][i], &d->obbs[1][i]))
SINGLE(single_triangles, tact_triangle_overlaps_triangle(&d->triangles[0][i], &d->triangles[1][i]))
SINGLE(single_convex, tact_convex_overlap(tact_convex_obb(&d->obbs[0][i]), tact_convex_obb(&d->obbs[1][i]), NULL))
SINGLE(single_moving_sphere_triangle,
       tact_moving_sphere_triangle(d->spheres[0][i], d->motions[i], &d->triangles[1][i]).hit)
SINGLE(single_moving_sphere_aabb, tact_moving_sphere_aabb(d->spheres[0][i], d->motions[i], d->boxes[1][i]).hit)
SINGLE(single_moving_aabb_aabb, tact_moving_aabb_aabb(d->boxes[0][i], d->motions[i], d->boxes[1][i], still).hit)
SINGLE(single_moving_obb_obb, tact_moving_obb_obb(&d->obbs[0][i], d->motions[i], &d->obbs[1][i], still).hit)

// Batches.

typedef enum batch_test { SPHERE_SPHERE, SPHERE_AABB, AABB_AABB, RAY_AABB, RAY_TRIANGLE, BATCH_TESTS } batch_test;

static tact_batch_spheres spheres_of(const tact_geometry_data* d, int side)
{
    const float(*a)[N] = &d->arrays[SPHERES + 4 * side];
    return (tact_batch_spheres){a[0], a[1], a[2], a[3]};
}

static tact_batch_aabbs boxes_of(const tact_geometry_data* d, int side)
{
    const float(*a)[N] = &d->arrays[BOXES + 6 * side];
    return (tact_batch_aabbs){{a[0], a[1], a[2]}, {a[3], a[4], a[5]}};
}

static tact_batch_triangles triangles_of(const tact_geometry_data* d)
{
    const float(*a)[N] = &d->arrays[TRIANGLES];
    return (tact_batch_triangles){{a[0], a[1], a[2]}, {a[3], a[4], a[5]}, {a[6], a[7], a[8]}};
}

static uint32_t bits[N / 32];
static float outputs[3][N];

#ifdef TACT_BENCH_LEVELS
static size_t level_run(const tact_batch_tests* level, batch_test test, const tact_geometry_data* d)
{
    const tact_batch_spheres s = spheres_of(d, 0), z = spheres_of(d, 1);
    const tact_batch_aabbs b = boxes_of(d, 0), c = boxes_of(d, 1);
    const tact_ray* r = &d->ray;
    const tact_batch_rays rays = {{&r->ox, &r->oy, &r->oz}, {&r->dx, &r->dy, &r->dz}, &r->tmin, &r->tmax};
    const tact_batch_triangles t = triangles_of(d);
    switch (test) {
        case SPHERE_SPHERE:
            return level->sphere_sphere(&s, &z, TACT_BATCH_PAIRS, N, bits);
        case SPHERE_AABB:
            return level->sphere_aabb(&s, &c, TACT_BATCH_PAIRS, N, bits);
        case AABB_AABB:
            return level->aabb_aabb(&b, &c, TACT_BATCH_PAIRS, N, bits);
        case RAY_AABB:
            return level->ray_aabb(&rays, &b, TACT_BATCH_FIRST, N, bits, outputs[0]);
        default: {
            const tact_batch_shot shot = {tact_ray_frame(r->ox, r->oy, r->oz, r->dx, r->dy, r->dz),
                                          r->tmin,
                                          r->tmax,
                                          outputs[0],
                                          outputs[1],
                                          outputs[2]};
            return level->ray_triangle(&shot, &t, N, bits);
        }
    }
}
#define TACT_LEVEL(index, test) level_run(tact_batch_level(index), test, d)
#else
/// A shared library shows only the best set of instructions.
static size_t level_run(batch_test test, const tact_geometry_data* d)
{
    const tact_batch_spheres s = spheres_of(d, 0), z = spheres_of(d, 1);
    const tact_batch_aabbs b = boxes_of(d, 0), c = boxes_of(d, 1);
    const tact_batch_triangles t = triangles_of(d);
    switch (test) {
        case SPHERE_SPHERE:
            return tact_batch_sphere_pairs(&s, &z, N, bits);
        case SPHERE_AABB:
            return tact_batch_sphere_aabb_pairs(&s, &c, N, bits);
        case AABB_AABB:
            return tact_batch_aabb_pairs(&b, &c, N, bits);
        case RAY_AABB:
            return tact_batch_ray_aabbs(&d->ray, &b, N, bits, outputs[0]);
        default:
            return tact_batch_ray_triangles(&d->ray, &t, N, bits, outputs[0], outputs[1], outputs[2]);
    }
}
#define TACT_LEVEL(index, test) level_run(test, d)
#endif

#define TACT_BATCH_WAY(name, index, test)                      \
    static size_t name(const tact_geometry_data* d, void* own) \
    {                                                          \
        (void)own;                                             \
        return TACT_LEVEL(index, test);                        \
    }
#define TACT_BATCH_WAYS(name, test)   \
    TACT_BATCH_WAY(name##_0, 0, test) \
    TACT_BATCH_WAY(name##_1, 1, test) \
    TACT_BATCH_WAY(name##_2, 2, test) \
    TACT_BATCH_WAY(name##_3, 3, test)
TACT_BATCH_WAYS(batch_spheres, SPHERE_SPHERE)
TACT_BATCH_WAYS(batch_sphere_aabb, SPHERE_AABB)
TACT_BATCH_WAYS(batch_aabbs, AABB_AABB)
TACT_BATCH_WAYS(batch_ray_aabb, RAY_AABB)
TACT_BATCH_WAYS(batch_ray_triangle, RAY_TRIANGLE)
enum { LEVELS = 4 };

typedef size_t run_fn(const tact_geometry_data* data, void* own);

static run_fn* const batch_runs[BATCH_TESTS][LEVELS] = {
    {batch_spheres_0, batch_spheres_1, batch_spheres_2, batch_spheres_3},
    {batch_sphere_aabb_0, batch_sphere_aabb_1, batch_sphere_aabb_2, batch_sphere_aabb_3},
    {batch_aabbs_0, batch_aabbs_1, batch_aabbs_2, batch_aabbs_3},
    {batch_ray_aabb_0, batch_ray_aabb_1, batch_ray_aabb_2, batch_ray_aabb_3},
    {batch_ray_triangle_0, batch_ray_triangle_1, batch_ray_triangle_2, batch_ray_triangle_3},
};

static const char* level_name(int level)
{
#ifdef TACT_BENCH_LEVELS
    const tact_batch_tests* tests = tact_batch_level(level);
    return tests ? tests->name : NULL;
#else
    return level == 0 ? "best" : NULL;
#endif
}

typedef struct single_way {
    const char* name;
    run_fn* run;
    const char* variant;  ///< NULL: the first one of its name
} single_way;

/// Those with batches first, in their order; the variants of one follow it.
static const single_way singles[] = {
    {"sphere, sphere", single_sphere_sphere, NULL},
    {"sphere, AABB", single_sphere_aabb, NULL},
    {"AABB, AABB", single_aabb_aabb, NULL},
    {"ray, AABB", single_ray_aabb, NULL},
    {"ray, triangle", single_ray_triangle, NULL},
    {"ray, torus", single_ray_torus, NULL},
    {"OBB, OBB", single_obb_obb, NULL},
    {"OBB, OBB", front_obb_obb, "front faces"},
    {"OBB, OBB", edges_obb_obb, "all edges"},
    {"triangle, triangle", single_triangles, NULL},
    {"convex: OBB, OBB", single_convex, NULL},
    {"moving sphere, triangle", single_moving_sphere_triangle, NULL},
    {"moving sphere, AABB", single_moving_sphere_aabb, NULL},
    {"moving AABB, AABB", single_moving_aabb_aabb, NULL},
    {"moving OBB, OBB", single_moving_obb_obb, NULL},
};
enum { SINGLES = sizeof singles / sizeof singles[0] };

typedef struct way_list {
    tact_geometry_way* ways;
    size_t count, room;
} way_list;

static void add_way(way_list* list, const tact_geometry_way* way)
{
    if (list->count < list->room) list->ways[list->count++] = *way;
}

typedef size_t ways_fn(const tact_geometry_way** ways);

static void add_peers(way_list* list, const char* test)
{
    static ways_fn* const peers[] = {
#ifdef TACT_HAVE_FCL
        tact_geometry_ways_fcl, tact_geometry_ways_fcl_trees,
#endif
#ifdef TACT_HAVE_CCD
        tact_geometry_ways_ccd,
#endif
#ifdef TACT_HAVE_BULLET
        tact_geometry_ways_bullet,
#endif
        NULL};
    for (int p = 0; peers[p]; ++p) {
        const tact_geometry_way* ways = NULL;
        const size_t count = peers[p](&ways);
        for (size_t i = 0; i < count; ++i) {
            if (strcmp(ways[i].test, test) == 0) add_way(list, &ways[i]);
        }
    }
}

size_t tact_geometry_ways(tact_geometry_way* ways, size_t room)
{
    way_list list = {ways, 0, room};
    for (int i = 0; i < SINGLES; ++i) {
        const char* variant = singles[i].variant ? singles[i].variant : "single";
        const tact_geometry_way single = {singles[i].name, variant, false, NULL, singles[i].run, NULL};
        add_way(&list, &single);
        for (int level = 0; i < BATCH_TESTS && level < LEVELS; ++level) {
            const char* name = level_name(level);
            const tact_geometry_way batch = {singles[i].name, name, false, NULL, batch_runs[i][level], NULL};
            if (name) add_way(&list, &batch);
        }
        if (i + 1 == SINGLES || !singles[i + 1].variant) add_peers(&list, singles[i].name);
    }
    ways_fn* const more[] = {tact_geometry_ways_hulls,    tact_geometry_ways_extremes, tact_geometry_ways_trees,
                             tact_geometry_ways_octrees,  tact_geometry_ways_portals,  tact_geometry_ways_cells,
                             tact_geometry_ways_programs, tact_geometry_ways_vertices};
    const tact_geometry_way* all[MOST_MORE];
    size_t count = 0;
    for (size_t m = 0; m < sizeof more / sizeof more[0]; ++m) {
        const tact_geometry_way* some = NULL;
        const size_t added = more[m](&some);
        for (size_t i = 0; i < added && count < MOST_MORE; ++i)
            all[count++] = &some[i];
    }
    // Those of one test together, also where several files have some.
    for (size_t i = 0; i < count; ++i) {
        if (!all[i]) continue;
        const char* test = all[i]->test;
        for (size_t k = i; k < count; ++k) {
            if (!all[k] || strcmp(all[k]->test, test) != 0) continue;
            add_way(&list, all[k]);
            all[k] = NULL;
        }
        add_peers(&list, test);
    }
    return list.count;
}
