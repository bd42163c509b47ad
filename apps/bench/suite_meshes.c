// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/suite.h"
#include "apps/inputs/filter_input.h"
#include "apps/inputs/poses.h"
#include "apps/inputs/scenes.h"
#include "apps/peers/overlap.h"
#include "apps/system.h"
#include "tact/geometry/convex.h"
#include "tact/image_space.h"
#include "tact/mesh_overlap.h"

// Queries about meshes: overlap and separation in many poses, tests by images, triangles of many objects.

enum { ALL = 1u << TACT_BACKEND_CPU | 1u << TACT_BACKEND_GL | 1u << TACT_BACKEND_CL };

typedef enum mesh_method { PAIRS, SOLID, SEPARATION, IMAGES } mesh_method;

typedef struct mesh_work {
    mesh_method method;
    tact_context* context;
    tact_model_mesh models[2];
    tact_mesh* meshes[2];
    float (*poses)[12];
    size_t pose_count;
    int threads;
    tact_mesh_pair* pairs;
    size_t pair_count, room;
    uint8_t* relations;
    tact_mesh_distance* distances;
    // By images.
    tact_image_tester* tester;
    tact_image_result* images;
    bool drawn;  ///< by the last ask
} mesh_work;

static bool make_models(mesh_work* w, tact_problem* problem)
{
    if (w->method == IMAGES)
        return tact_mesh_icosphere(2, &w->models[0], problem) && tact_mesh_icosphere(2, &w->models[1], problem);
    return tact_mesh_torus_knot(&w->models[0], problem) && tact_mesh_torus_knot(&w->models[1], problem);
}

static bool open_meshes(const tact_suite_query* query, const tact_suite_input* input, uint64_t size, void** own,
                        double* setup_ms, tact_problem* problem)
{
    mesh_work* w = calloc(1, sizeof *w);
    *own = w;
    if (!w) return tact_problem_out_of_memory(problem, "the meshes");
    w->method = (mesh_method)query->argument;
    w->context = input->context;
    w->threads = input->threads;
    w->pose_count = (size_t)size;
    if (!make_models(w, problem)) return false;
    w->poses = malloc(w->pose_count * sizeof *w->poses);
    w->relations = malloc(w->pose_count);
    w->distances = malloc(w->pose_count * sizeof *w->distances);
    w->images = malloc(w->pose_count * sizeof *w->images);
    if (!w->poses || !w->relations || !w->distances || !w->images)
        return tact_problem_out_of_memory(problem, "the poses");
    tact_poses_scatter(&w->models[0], &w->models[1], input->seed, 1.6, true, w->poses, w->pose_count);
    for (int i = 0; i < 2; ++i) {
        const tact_mesh_desc desc = tact_model_mesh_desc(&w->models[i]);
        const tact_result result = tact_mesh_create(w->context, &desc, &w->meshes[i]);
        if (result < 0) return tact_problem_from_result(problem, result, w->context, "the meshes");
        tact_mesh_info info;
        if (tact_mesh_get_info(w->meshes[i], &info) >= 0) *setup_ms += info.build_ms;
    }
    return true;
}

static tact_result ask_pairs(mesh_work* w, const tact_query_options* options, tact_query_report* report)
{
    for (;;) {
        const tact_result result =
            tact_mesh_overlap_pairs(w->meshes[0], w->meshes[1], (const float(*)[12])w->poses, w->pose_count, w->pairs,
                                    w->room, &w->pair_count, options, report);
        if (result != TACT_INCOMPLETE) return result;
        tact_mesh_pair* pairs = realloc(w->pairs, w->pair_count * sizeof *pairs);
        if (!pairs) return TACT_ERROR_OUT_OF_MEMORY;
        w->pairs = pairs;
        w->room = w->pair_count;
    }
}

static tact_result ask_separation(mesh_work* w, tact_query_report* report)
{
    for (size_t i = 0; i < w->pose_count; ++i) {
        const tact_result result =
            tact_mesh_separation(w->meshes[0], w->meshes[1], w->poses[i], INFINITY, NULL, &w->distances[i]);
        if (result < 0) return result;
    }
    report->threads = 1;
    return TACT_OK;
}

static tact_result ask_images(mesh_work* w)
{
    tact_image_body bodies[2];
    for (int i = 0; i < 2; ++i) {
        bodies[i] = (tact_image_body){.positions = w->models[i].positions,
                                      .vertex_count = w->models[i].vertex_count,
                                      .indices = w->models[i].indices,
                                      .triangle_count = w->models[i].triangle_count};
    }
    bodies[1].poses = (const float(*)[12])w->poses;
    bodies[1].pose_count = w->pose_count;
    const tact_image_options options = {.method = TACT_IMAGE_QUERY, .resolution = 64};
    tact_result result = w->tester ? TACT_OK : tact_image_tester_create(w->context, &w->tester);
    if (result >= 0) result = tact_image_convex(w->tester, &bodies[0], &bodies[1], &options, w->images, w->pose_count);
    return result;
}

static tact_result ask_meshes(void* own, const tact_query_options* options, tact_query_report* report)
{
    mesh_work* w = own;
    w->drawn = w->method == IMAGES && options->backend == TACT_BACKEND_GL;
    if (w->method == PAIRS) return ask_pairs(w, options, report);
    if (w->method == SEPARATION || w->drawn) {
        // These tell no times themselves.
        const double start = tact_system_milliseconds();
        const tact_result result = w->drawn ? ask_images(w) : ask_separation(w, report);
        report->query_ms = tact_system_milliseconds() - start;
        return result;
    }
    return tact_mesh_overlap(w->meshes[0], w->meshes[1], (const float(*)[12])w->poses, w->pose_count, true,
                             w->relations, options, report);
}

/// The distance of the two convex meshes in a pose, negative when they overlap. NaN where it is not known.
static double convex_distance(const mesh_work* w, size_t pose)
{
    enum { POINTS = 200 };
    tact_vec3 points[2][POINTS];
    tact_hull hulls[2];
    for (int i = 0; i < 2; ++i) {
        const tact_model_mesh* m = &w->models[i];
        const size_t count = m->vertex_count < POINTS ? m->vertex_count : POINTS;
        for (size_t v = 0; v < count; ++v) {
            const float* x = m->positions + 3 * v;
            float p[3];
            for (int k = 0; k < 3; ++k) {
                const float* row = w->poses[pose] + (ptrdiff_t)4 * k;
                p[k] = i == 0 ? x[k]
                              : (float)((double)row[0] * (double)x[0] + (double)row[1] * (double)x[1] +
                                        (double)row[2] * (double)x[2] + (double)row[3]);
            }
            points[i][v] = (tact_vec3){p[0], p[1], p[2]};
        }
        hulls[i] = (tact_hull){.points = points[i], .point_count = (uint32_t)count};
    }
    const tact_convex_contact c = tact_convex_penetration(tact_convex_hull(&hulls[0]), tact_convex_hull(&hulls[1]));
    return c.converged ? (double)c.distance : (double)NAN;
}

/// Overlap or not in each pose. An image's answer may differ where the distance is within its own tolerance: it then
/// counts as the exact one.
static bool answer_relations(mesh_work* w, tact_suite_answer* answer, tact_problem* problem)
{
    uint8_t* exact = malloc(w->pose_count);
    uint8_t* overlaps = malloc(w->pose_count);
    const tact_query_options cpu = {.backend = TACT_BACKEND_CPU};
    bool good = exact && overlaps;
    if (!good) tact_problem_out_of_memory(problem, "the poses");
    if (good && w->drawn) {
        const tact_result result = tact_mesh_overlap(w->meshes[0], w->meshes[1], (const float(*)[12])w->poses,
                                                     w->pose_count, true, exact, &cpu, NULL);
        if (result < 0) good = tact_problem_from_result(problem, result, w->context, "the exact test");
    }
    for (size_t i = 0; good && i < w->pose_count; ++i) {
        overlaps[i] = w->drawn ? w->images[i].overlap : w->relations[i] != TACT_MESHES_APART;
        answer->results += overlaps[i];
        if (!w->drawn || overlaps[i] == (exact[i] != TACT_MESHES_APART)) continue;
        // The hulls' points are rounded once, by about this much.
        const double slack = 2e-6, distance = fabs(convex_distance(w, i));
        const double allowed = (double)(overlaps[i] ? w->images[i].gap : w->images[i].depth) + slack;
        if (!(distance > allowed)) overlaps[i] = exact[i] != TACT_MESHES_APART;
    }
    if (good) answer->digest = tact_digest_of(overlaps, w->pose_count);
    free(exact);
    free(overlaps);
    return good;
}

static bool answer_meshes(void* own, tact_suite_answer* answer, tact_problem* problem)
{
    mesh_work* w = own;
    if (w->method == IMAGES) return answer_relations(w, answer, problem);
    if (w->method == PAIRS) {
        answer->digest = tact_digest_of(w->pairs, w->pair_count * sizeof *w->pairs);
        answer->results = w->pair_count;
    } else if (w->method == SEPARATION) {
        answer->digest = tact_digest_of(w->distances, w->pose_count * sizeof *w->distances);
        for (size_t i = 0; i < w->pose_count; ++i)
            answer->results += w->distances[i].distance > 0.0f;
    } else {
        answer->digest = tact_digest_of(w->relations, w->pose_count);
        for (size_t i = 0; i < w->pose_count; ++i)
            answer->results += w->relations[i] != TACT_MESHES_APART;
    }
    return true;
}

static void close_meshes(void* own)
{
    mesh_work* w = own;
    if (!w) return;
    for (int i = 0; i < 2; ++i) {
        tact_mesh_destroy(w->meshes[i]);
        tact_model_mesh_free(&w->models[i]);
    }
    tact_image_tester_destroy(w->tester);
    free(w->poses);
    free(w->relations);
    free(w->distances);
    free(w->images);
    free(w->pairs);
    free(w);
}

static bool overlap_peers(void* own, uint64_t repeat, tact_suite_peer_result* results, size_t* count,
                          tact_problem* problem)
{
    const mesh_work* w = own;
    tact_overlap_peer_mesh meshes[2];
    for (int i = 0; i < 2; ++i) {
        const tact_model_mesh* m = &w->models[i];
        meshes[i] = (tact_overlap_peer_mesh){m->positions, m->vertex_count, m->indices, m->triangle_count};
    }
    uint64_t* found = malloc(w->pose_count * sizeof *found);
    double* samples = malloc((size_t)repeat * sizeof *samples);
    const bool good = (found && samples) || tact_problem_out_of_memory(problem, "the peers' answers");
    const tact_overlap_peer* peer;
    for (size_t i = 0; good && *count < TACT_SUITE_PEERS && (peer = tact_overlap_peer_at(i)) != NULL; ++i) {
        const double start = tact_system_milliseconds();
        void* made = peer->make(&meshes[0], &meshes[1]);
        if (!made) continue;  // it does not take these
        tact_suite_peer_result r = {.name = peer->name, .threads = w->threads};
        r.build_ms = tact_system_milliseconds() - start;
        bool ran = true;
        for (uint64_t k = 0; ran && k <= repeat; ++k) {
            const double from = tact_system_milliseconds();
            ran = peer->run(made, (const float(*)[12])w->poses, w->pose_count, w->threads, w->method == PAIRS, found);
            if (k > 0) samples[k - 1] = tact_system_milliseconds() - from;
        }
        peer->release(made);
        if (!ran) continue;
        for (size_t k = 0; k < w->pose_count; ++k)
            r.results += found[k];
        r.query = r.total = tact_spread_of(samples, (size_t)repeat);
        results[(*count)++] = r;
    }
    free(found);
    free(samples);
    return good;
}

// ---- Triangles of many objects ----

typedef struct filter_work {
    tact_context* context;
    tact_filter_input input;
    tact_filter* filter;
    tact_filter_pair* pairs;
    size_t count, room;
} filter_work;

static bool open_filter(const tact_suite_query* query, const tact_suite_input* input, uint64_t size, void** own,
                        double* setup_ms, tact_problem* problem)
{
    (void)query, (void)setup_ms;
    filter_work* w = calloc(1, sizeof *w);
    *own = w;
    if (!w) return tact_problem_out_of_memory(problem, "the objects");
    w->context = input->context;
    const tact_text_list none = {0};
    return tact_filter_input_load(&none, size, input->seed, &w->input, problem);
}

static tact_result begin_filter(void* own)
{
    filter_work* w = own;
    tact_filter_destroy(w->filter);
    w->filter = NULL;
    return tact_filter_create(w->context, &w->filter);
}

static tact_result ask_filter(void* own, const tact_query_options* options, tact_query_report* report)
{
    filter_work* w = own;
    for (;;) {
        const tact_result result =
            tact_filter_run(w->filter, w->input.shapes, w->input.shape_count, w->input.objects, w->input.object_count,
                            NULL, w->pairs, w->room, &w->count, NULL, options, report);
        if (result != TACT_INCOMPLETE) return result;
        tact_filter_pair* pairs = realloc(w->pairs, w->count * sizeof *pairs);
        if (!pairs) return TACT_ERROR_OUT_OF_MEMORY;
        w->pairs = pairs;
        w->room = w->count;
    }
}

static bool answer_filter(void* own, tact_suite_answer* answer, tact_problem* problem)
{
    (void)problem;
    const filter_work* w = own;
    answer->digest = tact_digest_of(w->pairs, w->count * sizeof *w->pairs);
    answer->results = w->count;
    return true;
}

static void close_filter(void* own)
{
    filter_work* w = own;
    if (!w) return;
    tact_filter_destroy(w->filter);
    tact_filter_input_free(&w->input);
    free(w->pairs);
    free(w);
}

#define MESHES                                                                                               \
    .unit = "poses", .open = open_meshes, .ask = ask_meshes, .answer = answer_meshes, .close = close_meshes, \
    .first = 10, .most = 100000, .quick_most = 1000

const tact_suite_query tact_suite_mesh_queries[] = {
    {.name = "overlap_pairs",
     .title = "Overlapping triangles of two meshes",
     .set = "torus knots",
     .found = "pairs of triangles",
     .about = "All overlapping triangles of two torus knots of 1,024 triangles, in many poses at once.",
     .backends = ALL,
     .reference_most = 10,
     .argument = PAIRS,
     .peers = overlap_peers,
     MESHES},
    {.name = "overlap_solid",
     .title = "Whether two solids overlap",
     .set = "torus knots",
     .found = "poses that overlap",
     .about = "Whether the same two, as solids, are apart, meet, or one is inside the other.",
     .backends = ALL,
     .reference_most = 10,
     .argument = SOLID,
     MESHES},
    {.name = "separation",
     .title = "Distance of two meshes",
     .set = "torus knots",
     .found = "poses that are apart",
     .about = "Where the same two come closest, pose by pose; the CPU alone has this query.",
     .backends = 1u << TACT_BACKEND_CPU,
     .argument = SEPARATION,
     MESHES},
    {.name = "overlap_images",
     .title = "Overlap of two convex solids, drawn",
     .set = "spheres",
     .found = "poses that overlap",
     .about = "OpenGL draws images of 64 x 64 pixels, within its tolerance of the exact answer; the CPU's times are "
              "those of the exact test.",
     .backends = 1u << TACT_BACKEND_CPU | 1u << TACT_BACKEND_GL,
     .within_tolerance = true,
     .argument = IMAGES,
     MESHES},
    {.name = "filter",
     .title = "Overlapping triangles of many objects",
     .set = "copies",
     .unit = "objects",
     .found = "pairs of triangles",
     .about = "All overlapping triangles of different objects, of which about a twelfth touch another; no trees are "
              "kept, so that every vertex may move.",
     .backends = ALL,
     .reference_most = 10,
     .first = 10,
     .most = 10000,
     .quick_most = 1000,
     .open = open_filter,
     .begin = begin_filter,
     .ask = ask_filter,
     .answer = answer_filter,
     .close = close_filter},
    {.name = NULL},
};
