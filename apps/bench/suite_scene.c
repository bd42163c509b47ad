// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/suite.h"
#include "apps/inputs/pick_input.h"
#include "apps/inputs/random.h"
#include "apps/inputs/rays.h"
#include "apps/inputs/scenes.h"
#include "apps/peers/peers.h"
#include "apps/peers/rays.h"
#include "apps/system.h"
#include "tact/cull_scene.h"
#include "tact/points.h"
#include "tact/spherecast.h"

// Queries about a scene: ray casts, closest points, sphere casts, what is in view.

enum { ALL = 1u << TACT_BACKEND_CPU | 1u << TACT_BACKEND_GL | 1u << TACT_BACKEND_CL };

typedef enum scene_set { CAMERA, RANDOM, SEGMENTS, POINTS, SURFACE, SPHERES, LOCATE, EVERY } scene_set;

/// What the argument of a query says: a set, and for rays the mode.
#define ARGUMENT(set, mode) ((uint64_t)(set)*16 + (uint64_t)(mode))

typedef struct scene_work {
    scene_set set;
    tact_ray_mode mode;
    const tact_model* model;
    tact_scene* scene;
    size_t count;
    bool given, scene_given;  ///< the queries and the scene are not its own
    tact_pinned* memory[2];   ///< what queries and hits lie in
    void *queries, *hits;
    size_t hit_bytes;
    int threads;
    double diagonal;
    float* values;      ///< a peer's
    uint64_t* offsets;  ///< of all hits: where those of each ray begin
    tact_hit* every;    ///< they
    size_t room;
} scene_work;

static bool is_points(const scene_work* w)
{
    return w->set == POINTS || w->set == SURFACE || w->set == LOCATE;
}

static double diagonal_of(const tact_bounds* b)
{
    double square = 0.0;
    for (int k = 0; k < 3; ++k)
        square += (b->upper[k] - b->lower[k]) * (b->upper[k] - b->lower[k]);
    return sqrt(square);
}

/// A picture of as many rays, or a few less: square.
static uint32_t side_of(uint64_t count)
{
    uint32_t side = 1;
    while ((uint64_t)(side + 1) * (side + 1) <= count)
        ++side;
    return side;
}

/// Points of random triangles, moved by up to 1/200 of the diagonal on each axis.
static void make_surface(const scene_work* w, uint64_t seed, tact_closest_query* points)
{
    tact_random random = {seed};
    const double far = w->diagonal / 200.0;
    for (size_t i = 0; i < w->count; ++i) {
        double c[3][3];
        tact_model_corners(w->model, 0, (size_t)tact_random_below(&random, w->model->meshes[0].triangle_count), c);
        const double u = tact_random_fraction(&random), v = (1.0 - u) * tact_random_fraction(&random);
        float at[3];
        for (int k = 0; k < 3; ++k) {
            at[k] = (float)((1.0 - u - v) * c[0][k] + u * c[1][k] + v * c[2][k] +
                            far * (2.0 * tact_random_fraction(&random) - 1.0));
        }
        points[i] = (tact_closest_query){at[0], at[1], at[2], INFINITY};
    }
}

static void make_queries(scene_work* w, const tact_bounds* bounds, uint64_t seed)
{
    tact_ray* rays = w->queries;
    switch (w->set) {
        case CAMERA: {
            // What is left over after the square is the last ray again.
            const uint32_t side = side_of(w->count);
            tact_rays_camera(bounds, side, side, rays);
            for (size_t i = (size_t)side * side; i < w->count; ++i)
                rays[i] = rays[(size_t)side * side - 1];
            break;
        }
        case SEGMENTS:
            tact_rays_segments(bounds, seed, w->count, rays);
            break;
        case POINTS:
        case LOCATE:
            tact_points_random(bounds, seed, w->count, INFINITY, w->queries);
            break;
        case SURFACE:
            make_surface(w, seed, w->queries);
            break;
        case SPHERES: {
            // A radius of a hundredth of the scene's diagonal, to twice where the rays are aimed.
            tact_sphere_cast* casts = w->queries;
            rays = (tact_ray*)w->hits;  // there is room, and hits are written later
            tact_rays_random(bounds, seed, w->count, rays);
            for (size_t i = 0; i < w->count; ++i) {
                casts[i] = (tact_sphere_cast){rays[i], (float)(w->diagonal / 100.0)};
                casts[i].ray.tmax = 2.0f;
            }
            break;
        }
        case RANDOM:
        default:
            tact_rays_random(bounds, seed, w->count, rays);
            break;
    }
}

static bool open_scene(const tact_suite_query* query, const tact_suite_input* input, uint64_t size, void** own,
                       double* setup_ms, tact_problem* problem)
{
    scene_work* w = calloc(1, sizeof *w);
    *own = w;
    if (!w) return tact_problem_out_of_memory(problem, "queries and answers");
    w->set = (scene_set)(query->argument / 16);
    w->mode = (tact_ray_mode)(query->argument % 16);
    w->model = &input->mesh->model;
    w->count = (size_t)size;
    w->threads = input->threads;
    const size_t bytes = is_points(w)        ? sizeof(tact_closest_query)
                         : w->set == SPHERES ? sizeof(tact_sphere_cast)
                                             : sizeof(tact_ray);
    w->hit_bytes = w->set == LOCATE    ? sizeof(tact_point_location)
                   : is_points(w)      ? sizeof(tact_closest_hit)
                   : w->set == SPHERES ? sizeof(tact_sphere_hit)
                                       : sizeof(tact_hit);
    // Sphere casts are made of rays that are kept in the place of hits meanwhile.
    const size_t sizes[2] = {w->count * bytes,
                             w->count * (w->hit_bytes > sizeof(tact_ray) ? w->hit_bytes : sizeof(tact_ray))};
    // Memory that is not pinned is the CPU's.
    const tact_backend backend = query->pinned ? TACT_BACKEND_AUTO : TACT_BACKEND_CPU;
    for (int i = 0; i < 2; ++i)
        tact_pinned_create(input->context, backend, sizes[i], &w->memory[i]);
    w->queries = tact_pinned_data(w->memory[0]);
    w->hits = tact_pinned_data(w->memory[1]);
    w->values = malloc(w->count * sizeof *w->values);
    w->offsets = w->set == EVERY ? calloc(w->count + 1, sizeof *w->offsets) : NULL;
    if (!w->queries || !w->hits || !w->values || (w->set == EVERY && !w->offsets))
        return tact_problem_out_of_memory(problem, "queries and answers");
    w->given = input->queries != NULL;
    w->scene_given = input->scene != NULL;
    w->scene = input->scene;
    if (w->given) memcpy(w->queries, input->queries, w->count * bytes);
    if (w->given && w->scene_given) return true;
    tact_scene_stats stats;
    if (!tact_model_build(w->model, input->context, &w->scene, &stats, problem)) return false;
    *setup_ms = stats.build_ms;
    const tact_bounds bounds = tact_ray_bounds(&stats);
    w->diagonal = diagonal_of(&bounds);
    make_queries(w, &bounds, input->seed);
    return true;
}

/// Answers to queries that are given must be written in full.
static bool place_scene(void* own, unsigned frame, tact_problem* problem)
{
    (void)frame, (void)problem;
    const scene_work* w = own;
    if (w->given) memset(w->hits, 0xa5, w->count * w->hit_bytes);
    return true;
}

/// Asked again with more room where it is too little, which is so at most in the frame that does not count.
static tact_result ask_every(scene_work* w, const tact_query_options* options, tact_query_report* report)
{
    for (;;) {
        const tact_raycast_all_work work = {
            .rays = w->queries, .count = w->count, .offsets = w->offsets, .hits = w->every, .capacity = w->room};
        const tact_result result = tact_raycast_all(w->scene, &work, options, report);
        if (result != TACT_INCOMPLETE) return result;
        w->room = (size_t)w->offsets[w->count];
        free(w->every);
        w->every = malloc(w->room * sizeof *w->every);
        if (!w->every) return TACT_ERROR_OUT_OF_MEMORY;
    }
}

static tact_result ask_scene(void* own, const tact_query_options* options, tact_query_report* report)
{
    scene_work* w = own;
    if (w->set == LOCATE) return tact_locate_points(w->scene, w->queries, w->count, w->hits, options, report);
    if (is_points(w)) return tact_closest_points(w->scene, w->queries, w->count, w->hits, options, report);
    if (w->set == SPHERES) return tact_spherecast(w->scene, w->queries, w->count, w->hits, options, report);
    if (w->set == EVERY) return ask_every(w, options, report);
    return tact_raycast(w->scene, w->mode, w->queries, w->count, w->hits, options, report);
}

/// Hits begin with the instance.
static uint64_t count_hits(const scene_work* w)
{
    uint64_t hits = 0;
    for (size_t i = 0; i < w->count; ++i) {
        uint32_t instance;
        memcpy(&instance, (const char*)w->hits + i * w->hit_bytes, sizeof instance);
        hits += instance != TACT_NONE;
    }
    return hits;
}

static uint64_t count_inside(const scene_work* w)
{
    const tact_point_location* locations = w->hits;
    uint64_t inside = 0;
    for (size_t i = 0; i < w->count; ++i)
        inside += locations[i].inside;
    return inside;
}

static uint64_t count_ray_hits(const scene_work* w)
{
    const tact_hit* hits = w->hits;
    uint64_t count = 0;
    for (size_t i = 0; i < w->count; ++i)
        count += w->mode == TACT_RAY_COUNT ? hits[i].primitive : hits[i].instance != TACT_NONE;
    return count;
}

static bool answer_scene(void* own, tact_suite_answer* answer, tact_problem* problem)
{
    (void)problem;
    const scene_work* w = own;
    if (w->set == EVERY) {
        *answer = tact_suite_items(w->every, (size_t)w->offsets[w->count], sizeof *w->every);
        return true;
    }
    *answer = tact_suite_items(w->hits, w->count, w->hit_bytes);
    answer->results = w->set == LOCATE                    ? count_inside(w)
                      : is_points(w) || w->set == SPHERES ? count_hits(w)
                                                          : count_ray_hits(w);
    return true;
}

static void close_scene(void* own)
{
    scene_work* w = own;
    if (!w) return;
    if (!w->scene_given) tact_scene_destroy(w->scene);
    for (int i = 0; i < 2; ++i)
        tact_pinned_destroy(w->memory[i]);
    free(w->values);
    free(w->offsets);
    free(w->every);
    free(w);
}

// ---- Peers ----

static bool open_ray_peer(void* own, size_t index, tact_contestant* who)
{
    const scene_work* w = own;
    if (index > 0 || !tact_embree_have()) return false;
    const tact_embree_desc desc = {.threads = w->threads, .quality = TACT_EMBREE_MEDIUM, .robust = true};
    tact_problem problem = {0};
    tact_embree* embree = NULL;
    who->peer = who->peer_name = "Embree 3";
    if (!tact_embree_open(w->model, &desc, &embree, &problem)) return true;
    who->made = embree;
    who->threads = tact_embree_threads(embree);
    who->build_ms = tact_embree_get_facts(embree).whole_ms;
    return true;
}

/// Its own single rays; its hits lie where ours were.
static bool ask_ray_peer(void* own, tact_contestant* who, unsigned frame)
{
    (void)frame;
    scene_work* w = own;
    size_t forms = 0;
    const tact_embree_form* single = tact_embree_forms(&forms);
    if (forms > 0) tact_embree_closest(who->made, single, w->queries, w->count, w->hits);
    return forms > 0;
}

static void note_rays(void* own, tact_contestant* who, const tact_suite_answer* expected)
{
    (void)expected;
    if (who->peer) who->results = count_ray_hits(own);
}

static void close_ray_peer(tact_contestant* who)
{
    tact_embree_close(who->made);
}

static bool open_near_peer(void* own, size_t index, tact_contestant* who)
{
    const scene_work* w = own;
    const tact_near_peer* peer;
    for (size_t i = 0, fit = 0; (peer = tact_near_peer_at(i)) != NULL; ++i)
        if ((w->set == SPHERES ? peer->spheres != NULL : peer->closest != NULL) && fit++ == index) break;
    if (!peer) return false;
    const tact_model_mesh* m = &w->model->meshes[0];
    const tact_overlap_peer_mesh mesh = {m->positions, m->vertex_count, m->indices, m->triangle_count};
    const double start = tact_system_milliseconds();
    who->made = peer->make(&mesh, w->threads);
    who->build_ms = tact_system_milliseconds() - start;
    who->peer = peer;
    who->peer_name = peer->name;
    who->threads = w->threads;
    return true;
}

static bool ask_near_peer(void* own, tact_contestant* who, unsigned frame)
{
    (void)frame;
    const scene_work* w = own;
    const tact_near_peer* peer = who->peer;
    return w->set == SPHERES ? peer->spheres(who->made, w->queries, w->count, w->values)
                             : peer->closest(who->made, w->queries, w->count, w->values);
}

/// The distance or the parameter that a hit of ours tells; infinite for none.
static float told(const scene_work* w, const void* hits, size_t i)
{
    if (w->set == SPHERES) {
        const tact_sphere_hit* h = (const tact_sphere_hit*)hits + i;
        return h->instance == TACT_NONE ? INFINITY : h->t;
    }
    const tact_closest_hit* h = (const tact_closest_hit*)hits + i;
    return h->instance == TACT_NONE ? INFINITY : h->distance;
}

/// A peer's times of touch are fractions of a way; its distances are lengths. Both may be 2^-12 off.
static void note_near(void* own, tact_contestant* who, const tact_suite_answer* expected)
{
    const scene_work* w = own;
    const double slack = 0x1p-12 * (w->set == SPHERES ? 1.0 : w->diagonal);
    if (!who->peer) return;
    who->results = who->differing = 0;
    for (size_t i = 0; i < w->count; ++i) {
        const float got = w->values[i], right = expected ? told(w, expected->items, i) : got;
        who->results += isfinite(got) != 0;
        who->differing += !(got >= right && got <= right) && !(fabs((double)got - (double)right) <= slack);
    }
}

static void close_near_peer(tact_contestant* who)
{
    const tact_near_peer* peer = who->peer;
    peer->release(who->made);
}

#define RAY_PEERS .peer = open_ray_peer, .peer_ask = ask_ray_peer, .note = note_rays, .peer_close = close_ray_peer
#define NEAR_PEERS .peer = open_near_peer, .peer_ask = ask_near_peer, .note = note_near, .peer_close = close_near_peer

// ---- What is in view ----

typedef struct view_work {
    tact_model model;
    tact_scene* scene;
    tact_plane planes[TACT_FRUSTUM_PLANES];
    uint32_t plane_count;
    uint32_t* ids;
    size_t room, count;
} view_work;

/// Small spheres at random in the unit cube.
static bool fill_model(view_work* w, uint64_t size, uint64_t seed, tact_problem* problem)
{
    tact_random random = {seed};
    tact_model_mesh mesh;
    if (!tact_mesh_icosphere(0, &mesh, problem) || !tact_model_add_mesh(&w->model, &mesh, problem)) return false;
    const float scale = (float)(0.3 / cbrt((double)size));
    for (uint64_t i = 0; i < size; ++i) {
        float m[12] = {0};
        for (int k = 0; k < 3; ++k) {
            m[5 * k] = scale;
            m[4 * k + 3] = (float)tact_random_fraction(&random);
        }
        if (!tact_model_add_instance(&w->model, 0, m, problem)) return false;
    }
    return true;
}

static bool open_view(const tact_suite_query* query, const tact_suite_input* input, uint64_t size, void** own,
                      double* setup_ms, tact_problem* problem)
{
    (void)query;
    view_work* w = calloc(1, sizeof *w);
    *own = w;
    if (!w) return tact_problem_out_of_memory(problem, "what is in view");
    w->room = (size_t)size;
    w->ids = malloc(w->room * sizeof *w->ids);
    if (!w->ids) return tact_problem_out_of_memory(problem, "what is in view");
    tact_scene_stats stats;
    if (!fill_model(w, size, input->seed, problem) ||
        !tact_model_build(&w->model, input->context, &w->scene, &stats, problem))
        return false;
    *setup_ms = stats.build_ms;
    // The picture of a quarter of the cube: most of it is out of view.
    const tact_bounds part = {{0.1, 0.2, 0.0}, {0.6, 0.7, 1.0}};
    const tact_pick_view view = tact_pick_camera(&part, 640, 480, 25);
    w->plane_count = tact_pick_planes(&view, w->planes);
    return true;
}

static tact_result ask_view(void* own, const tact_query_options* options, tact_query_report* report)
{
    view_work* w = own;
    const tact_cull_scene_work work = {.planes = w->planes, .plane_count = w->plane_count};
    return tact_cull_scene(w->scene, &work, &(tact_cull_room){.ids = w->ids, .capacity = w->room, .count = &w->count},
                           options, report);
}

static bool answer_view(void* own, tact_suite_answer* answer, tact_problem* problem)
{
    (void)problem;
    const view_work* w = own;
    answer->digest = tact_digest_of(w->ids, w->count * sizeof *w->ids);
    answer->results = w->count;
    return true;
}

static void close_view(void* own)
{
    view_work* w = own;
    if (!w) return;
    tact_scene_destroy(w->scene);
    tact_model_free(&w->model);
    free(w->ids);
    free(w);
}

#define SCENE                                                                                                      \
    .backends = ALL, .takes_mesh = true, .first = 100, .most = 10000000, .quick_most = 100000, .open = open_scene, \
    .place = place_scene, .ask = ask_scene, .answer = answer_scene, .close = close_scene

/// Above this many pairs of a query and a triangle brute force would take longer than the benchmark.
#define NEAR_OF(text, number)                                                                                 \
    {                                                                                                         \
        .name = text, .set = text, .reference_pairs = 5e7, .argument = ARGUMENT(number, 0), NEAR_PEERS, SCENE \
    }

const tact_suite_query tact_suite_near_queries[] = {
    NEAR_OF("surface", SURFACE), NEAR_OF("box", POINTS), NEAR_OF("spheres", SPHERES), {.name = NULL}};

const tact_suite_query tact_suite_scene_queries[] = {
    {TACT_SUITE_ROW("ray_closest", "Ray casts, closest hit, of a picture", "camera", "hits",
                    "The first hit of each ray of a picture; the scene lies on the device already."),
     .unit = "rays", .reference_most = 1000, .argument = ARGUMENT(CAMERA, TACT_RAY_CLOSEST), RAY_PEERS, SCENE},
    {TACT_SUITE_ROW("ray_closest", "Ray casts, closest hit, at random", "random", "hits",
                    "The first hit of rays from and to random points, which share no part of their way."),
     .unit = "rays", .reference_most = 1000, .argument = ARGUMENT(RANDOM, TACT_RAY_CLOSEST), RAY_PEERS, SCENE},
    {TACT_SUITE_ROW("ray_closest", "Ray casts, closest hit, pinned", "pinned", "hits",
                    "The same from and to memory that the device reaches, so that nothing is copied on the way."),
     .unit = "rays", .pinned = true, .reference_most = 1000, .argument = ARGUMENT(RANDOM, TACT_RAY_CLOSEST), SCENE},
    {TACT_SUITE_ROW("ray_any", "Ray casts, any hit", "segments", "hits",
                    "Whether something lies between two random points."),
     .unit = "rays", .reference_most = 1000, .argument = ARGUMENT(SEGMENTS, TACT_RAY_ANY), SCENE},
    {TACT_SUITE_ROW("ray_count", "Ray casts, number of hits", "random", "hits",
                    "How many surfaces each random ray meets."),
     .unit = "rays", .reference_most = 1000, .argument = ARGUMENT(RANDOM, TACT_RAY_COUNT), SCENE},
    {TACT_SUITE_ROW("ray_all", "Ray casts, all hits", "random", "hits",
                    "Every hit along each random ray, from the front, in one list."),
     .unit = "rays", .reference_most = 1000, .argument = ARGUMENT(EVERY, 0), SCENE},
    {TACT_SUITE_ROW("closest_points", "Closest points", "random", "points found",
                    "The closest point of the surface to each random point, however far."),
     .unit = "points", .reference_most = 100, .argument = ARGUMENT(POINTS, 0), NEAR_PEERS, SCENE},
    {TACT_SUITE_ROW("locate_points", "Points against solids", "random", "points inside",
                    "Of each random point whether it is inside, and how far the surface is."),
     .unit = "points", .reference_most = 100, .argument = ARGUMENT(LOCATE, 0), SCENE},
    {TACT_SUITE_ROW("sphere_cast", "Sphere casts", "random", "touches",
                    "When moving spheres, of a hundredth of the scene's diagonal in radius, first touch."),
     .unit = "spheres", .reference_most = 100, .argument = ARGUMENT(SPHERES, 0), NEAR_PEERS, SCENE},
    {TACT_SUITE_ROW("scene_cull", "Objects of a scene in view", "random", "in view",
                    "Which of many small objects are in a camera's frustum."),
     .unit = "objects", .backends = ALL, .first = 100, .most = 1000000, .quick_most = 100000, .reference_most = 100000,
     .open = open_view, .ask = ask_view, .answer = answer_view, .close = close_view},
    {.name = NULL},
};
