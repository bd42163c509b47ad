// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/suite.h"
#include "apps/inputs/filter_input.h"
#include "apps/inputs/poses.h"
#include "apps/inputs/scenes.h"
#include "apps/peers/peers.h"
#include "apps/system.h"
#include "tact/geometry/convex.h"
#include "tact/image_space.h"
#include "tact/mesh_overlap.h"

// Queries about meshes: overlap and separation in many poses, tests by images, triangles of many objects.

enum { ALL = 1u << TACT_BACKEND_CPU | 1u << TACT_BACKEND_GL | 1u << TACT_BACKEND_CL };

typedef enum mesh_method { PAIRS, ANY, SOLID, SEPARATION, IMAGES, CONCAVE } mesh_method;

/// How the argument of a query places the meshes: the rest is the method.
enum { SCATTERED = 0, APART = 16, PATH = 32, SLOW_PATH = 48, PLACES = 16, TRIES = 1000 };

typedef struct mesh_work {
    mesh_method method;
    tact_context* context;
    tact_model_mesh models[2];
    bool made[2];  ///< the models are its own
    tact_mesh* meshes[2];
    bool closed;
    tact_mesh_extent extent;
    float (*poses)[12];
    size_t pose_count;
    int threads;
    tact_mesh_pair* pairs;
    size_t pair_count, room;
    uint8_t* relations;
    tact_mesh_distance* distances;
    bool with_front;
    // By images.
    tact_image_tester* tester;
    tact_image_result* images;
    tact_image_options image_options;
    bool in_depth, drawn;  ///< drawn by the last ask
    // Of peers.
    uint64_t* found;
    double* apart;
} mesh_work;

/// A mesh that is given, or the query's own.
static bool make_models(mesh_work* w, const tact_suite_input* input, tact_problem* problem)
{
    for (int i = 0; i < 2; ++i) {
        if (input->mesh) {
            w->models[i] = (i && input->other ? input->other : input->mesh)->model.meshes[0];
            continue;
        }
        w->made[i] = w->method == IMAGES ? tact_mesh_icosphere(2, &w->models[i], problem)
                                         : tact_mesh_torus_knot(&w->models[i], problem);
        if (!w->made[i]) return false;
    }
    w->extent = tact_mesh_extent_of(&w->models[0]);
    return true;
}

static bool make_room(mesh_work* w, tact_problem* problem)
{
    w->poses = malloc(w->pose_count * sizeof *w->poses);
    w->relations = malloc(w->pose_count);
    w->distances = malloc(w->pose_count * sizeof *w->distances);
    w->images = malloc(w->pose_count * sizeof *w->images);
    w->found = malloc(w->pose_count * sizeof *w->found);
    w->apart = malloc(w->pose_count * sizeof *w->apart);
    return (w->poses && w->relations && w->distances && w->images && w->found && w->apart) ||
           tact_problem_out_of_memory(problem, "the poses");
}

static tact_result make_meshes(mesh_work* w, double* setup_ms)
{
    const double start = tact_system_milliseconds();
    tact_result result = TACT_OK;
    for (int i = 0; i < 2 && result >= 0; ++i) {
        const tact_mesh_desc desc = tact_model_mesh_desc(&w->models[i]);
        tact_mesh_info info = {.build_ms = 0.0};
        // A mesh against itself is one object where it keeps boxes for that.
        if (i && !w->made[0] && w->method >= SEPARATION) continue;
        result = tact_mesh_create(w->context, &desc, &w->meshes[i]);
        // Facts of a mesh take trees of their own, which distances do not need.
        if (result >= 0 && w->method != SEPARATION) result = tact_mesh_get_info(w->meshes[i], &info);
        *setup_ms += info.build_ms;
        w->closed = info.closed;
    }
    if (w->method != SEPARATION || result < 0) return result;
    // The tree for distances is built by the first query.
    tact_mesh* other = w->meshes[1] ? w->meshes[1] : w->meshes[0];
    result = tact_mesh_separation(w->meshes[0], other, NULL, 0.0f, NULL, &w->distances[0]);
    *setup_ms = tact_system_milliseconds() - start;
    return result;
}

static tact_mesh* moved_mesh(const mesh_work* w)
{
    return w->meshes[1] ? w->meshes[1] : w->meshes[0];
}

/// B turned about its middle, which is moved to so far from A's.
static void place(const mesh_work* w, const double q[4], const double at[3], float pose[12])
{
    double to[3];
    for (int k = 0; k < 3; ++k)
        to[k] = w->extent.middle[k] + at[k];
    tact_pose_about(q, w->extent.middle, to, pose);
}

/// Random turns, in a random direction, up to two radii away; those that overlap are drawn again.
static bool place_apart(mesh_work* w, uint64_t seed, tact_problem* problem)
{
    tact_random random = {seed};
    for (size_t i = 0, tries = 0; i < w->pose_count; ++tries) {
        double q[4], at[3];
        tact_random_quaternion(&random, q);
        const double length = tact_random_direction(&random, 3, at);
        const double far = 2.0 * w->extent.radius * tact_random_fraction(&random);
        for (int k = 0; k < 3; ++k)
            at[k] = at[k] / length * far;
        place(w, q, at, w->poses[i]);
        if (tries > TRIES * (i + 1)) return tact_problem_set(problem, "no poses found in which the meshes are apart");
        const tact_result result =
            tact_mesh_separation(w->meshes[0], moved_mesh(w), w->poses[i], INFINITY, NULL, &w->distances[0]);
        if (result < 0) return tact_problem_from_result(problem, result, w->context, "the poses");
        i += w->distances[0].distance > 0.0f;
    }
    return true;
}

/// An orbit of so many radians from pose to pose. B turns about itself by as much again.
static void place_on_path(mesh_work* w, double step)
{
    for (size_t i = 0; i < w->pose_count; ++i) {
        const double angle = step * (double)i, far = 1.7 * w->extent.radius;
        const double q[4] = {cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0};
        const double at[3] = {far * cos(angle), 0.1 * far, far * sin(angle)};
        place(w, q, at, w->poses[i]);
    }
}

static bool place_all(mesh_work* w, uint64_t how, const tact_suite_input* input, tact_problem* problem)
{
    if (how == APART) return place_apart(w, input->seed, problem);
    if (how != SCATTERED) {
        place_on_path(w, how == PATH ? 1e-2 : 1e-3);
        return true;
    }
    const double spread = input->spread > 0.0 ? input->spread : 1.6;
    tact_poses_scatter(&w->models[0], &w->models[1], input->seed, spread, !(input->spread > 0.0), w->poses,
                       w->pose_count);
    return true;
}

static bool open_meshes(const tact_suite_query* query, const tact_suite_input* input, uint64_t size, void** own,
                        double* setup_ms, tact_problem* problem)
{
    mesh_work* w = calloc(1, sizeof *w);
    *own = w;
    if (!w) return tact_problem_out_of_memory(problem, "the meshes");
    w->method = (mesh_method)(query->argument % PLACES);
    w->context = input->context;
    w->threads = input->threads;
    w->pose_count = (size_t)size;
    w->image_options = (tact_image_options){.method = TACT_IMAGE_QUERY, .resolution = 64};
    if (!make_models(w, input, problem) || !make_room(w, problem)) return false;
    tact_result result = make_meshes(w, setup_ms);
    if (result < 0) return tact_problem_from_result(problem, result, w->context, "the meshes");
    if (w->method >= IMAGES && query->variants) {
        if (!w->closed) return tact_problem_set(problem, "%s: it is not closed", input->mesh->name);
        result = tact_image_tester_create(w->context, &w->tester);
        if (result < 0) return tact_problem_from_result(problem, result, w->context, "drawing");
    }
    return place_all(w, query->argument / PLACES * PLACES, input, problem);
}

static tact_result ask_pairs(mesh_work* w, const tact_query_options* options, tact_query_report* report)
{
    for (;;) {
        const tact_result result = tact_mesh_overlap_pairs(w->meshes[0], w->meshes[1],
                                                           &(tact_overlap_work){.poses = (const float(*)[12])w->poses,
                                                                                .pose_count = w->pose_count,
                                                                                .pairs = w->pairs,
                                                                                .capacity = w->room,
                                                                                .count = &w->pair_count},
                                                           options, report);
        if (result != TACT_INCOMPLETE) return result;
        tact_mesh_pair* pairs = realloc(w->pairs, w->pair_count * sizeof *pairs);
        if (!pairs) return TACT_ERROR_OUT_OF_MEMORY;
        w->pairs = pairs;
        w->room = w->pair_count;
    }
}

static tact_result ask_separation(mesh_work* w, tact_query_report* report)
{
    tact_mesh_front* front = NULL;
    tact_result result = w->with_front ? tact_mesh_front_create(w->meshes[0], moved_mesh(w), &front) : TACT_OK;
    for (size_t i = 0; i < w->pose_count && result >= 0; ++i) {
        result = tact_mesh_separation(w->meshes[0], moved_mesh(w), w->poses[i], INFINITY, front, &w->distances[i]);
    }
    tact_mesh_front_destroy(front);
    report->threads = 1;
    return result;
}

static tact_result ask_images(mesh_work* w, const tact_query_options* options, tact_query_report* report)
{
    tact_image_body bodies[2];
    for (int i = 0; i < 2; ++i) {
        bodies[i] = (tact_image_body){.mesh = {.positions = w->models[i].positions,
                                               .vertex_count = w->models[i].vertex_count,
                                               .indices = w->models[i].indices,
                                               .triangle_count = w->models[i].triangle_count},
                                      .closed = w->in_depth,
                                      .convex = w->in_depth};
    }
    bodies[1].poses = (const float(*)[12])w->poses;
    bodies[1].pose_count = w->pose_count;
    tact_result result = w->tester ? TACT_OK : tact_image_tester_create(w->context, &w->tester);
    if (result < 0) return result;
    const tact_image_work work = {
        .a = &bodies[0], .b = &bodies[1], .options = &w->image_options, .results = w->images, .count = w->pose_count};
    return (w->method == CONCAVE ? tact_image_concave : tact_image_convex)(w->tester, &work, options, report);
}

static tact_result ask_meshes(void* own, const tact_query_options* options, tact_query_report* report)
{
    mesh_work* w = own;
    if (!w->in_depth) w->drawn = w->method == IMAGES && options->backend == TACT_BACKEND_GL;
    if (w->method == PAIRS) return ask_pairs(w, options, report);
    if (w->method == SEPARATION || w->drawn) {
        // The time of all of it, whichever of these runs.
        const double start = tact_system_milliseconds();
        const tact_result result = w->drawn ? ask_images(w, options, report) : ask_separation(w, report);
        report->query_ms = tact_system_milliseconds() - start;
        return result;
    }
    return tact_mesh_overlap(w->meshes[0], moved_mesh(w),
                             &(tact_overlap_work){.poses = (const float(*)[12])w->poses,
                                                  .pose_count = w->pose_count,
                                                  .solid = w->method != ANY,
                                                  .relations = w->relations},
                             options, report);
}

double tact_suite_convex_distance(const tact_model_mesh models[2], const float pose[12])
{
    enum { POINTS = 200 };
    tact_vec3 points[2][POINTS];
    tact_hull hulls[2];
    for (int i = 0; i < 2; ++i) {
        const size_t count = models[i].vertex_count < POINTS ? models[i].vertex_count : POINTS;
        for (size_t v = 0; v < count; ++v) {
            const float* x = models[i].positions + 3 * v;
            float p[3];
            for (int k = 0; k < 3; ++k) {
                const float* row = pose + (ptrdiff_t)4 * k;
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
        const tact_result result = tact_mesh_overlap(
            w->meshes[0], w->meshes[1],
            &(tact_overlap_work){
                .poses = (const float(*)[12])w->poses, .pose_count = w->pose_count, .solid = true, .relations = exact},
            &cpu, NULL);
        if (result < 0) good = tact_problem_from_result(problem, result, w->context, "the exact test");
    }
    for (size_t i = 0; good && i < w->pose_count; ++i) {
        overlaps[i] = w->drawn ? w->images[i].overlap : w->relations[i] != TACT_MESHES_APART;
        answer->results += overlaps[i];
        if (!w->drawn || overlaps[i] == (exact[i] != TACT_MESHES_APART)) continue;
        // The hulls' points are rounded once, by about this much.
        const double slack = 2e-6, distance = fabs(tact_suite_convex_distance(w->models, w->poses[i]));
        const double allowed = (double)(overlaps[i] ? w->images[i].gap : w->images[i].depth) + slack;
        if (!(distance > allowed)) overlaps[i] = exact[i] != TACT_MESHES_APART;
    }
    if (good) answer->digest = tact_digest_of(overlaps, w->pose_count);
    free(exact);
    free(overlaps);
    return good;
}

/// The drawn answer as it is: what is exact is beside it.
static void answer_drawn(mesh_work* w, tact_suite_answer* answer)
{
    for (size_t i = 0; i < w->pose_count; ++i)
        w->relations[i] = w->images[i].overlap ? TACT_MESHES_INTERSECT : TACT_MESHES_APART;
    *answer = tact_suite_items(w->relations, w->pose_count, 1);
}

static bool answer_meshes(void* own, tact_suite_answer* answer, tact_problem* problem)
{
    mesh_work* w = own;
    if (w->drawn && w->in_depth) {
        answer_drawn(w, answer);
        return true;
    }
    if (w->method == IMAGES && !w->in_depth) return answer_relations(w, answer, problem);
    if (w->method == PAIRS) {
        *answer = tact_suite_items(w->pairs, w->pair_count, sizeof *w->pairs);
        return true;
    }
    *answer = w->method == SEPARATION ? tact_suite_items(w->distances, w->pose_count, sizeof *w->distances)
                                      : tact_suite_items(w->relations, w->pose_count, 1);
    answer->results = 0;
    for (size_t i = 0; i < w->pose_count; ++i)
        answer->results += w->method == SEPARATION ? w->distances[i].distance > 0.0f : w->relations[i] != 0;
    return true;
}

static void close_meshes(void* own)
{
    mesh_work* w = own;
    if (!w) return;
    for (int i = 0; i < 2; ++i) {
        tact_mesh_destroy(w->meshes[i]);
        if (w->made[i]) tact_model_mesh_free(&w->models[i]);
    }
    tact_image_tester_destroy(w->tester);
    free(w->poses);
    free(w->relations);
    free(w->distances);
    free(w->images);
    free(w->pairs);
    free(w->found);
    free(w->apart);
    free(w);
}

// ---- Peers of overlap and separation ----

static tact_overlap_peer_mesh peer_mesh(const tact_model_mesh* m)
{
    return (tact_overlap_peer_mesh){m->positions, m->vertex_count, m->indices, m->triangle_count};
}

static bool open_overlap_peer(void* own, size_t index, tact_contestant* who)
{
    const mesh_work* w = own;
    const tact_overlap_peer* peer = tact_overlap_peer_at(index);
    if (!peer) return false;
    const tact_overlap_peer_mesh meshes[2] = {peer_mesh(&w->models[0]), peer_mesh(&w->models[1])};
    const double start = tact_system_milliseconds();
    who->made = peer->make(&meshes[0], &meshes[1]);
    who->build_ms = tact_system_milliseconds() - start;
    who->peer = peer;
    who->peer_name = peer->name;
    who->threads = w->threads;
    return true;
}

static bool ask_overlap_peer(void* own, tact_contestant* who, unsigned frame)
{
    (void)frame;
    mesh_work* w = own;
    const tact_overlap_peer* peer = who->peer;
    return peer->run(who->made, (const float(*)[12])w->poses, w->pose_count, w->threads, w->method == PAIRS, w->found);
}

/// In how many poses a peer finds another number.
static void note_overlap(void* own, tact_contestant* who, const tact_suite_answer* expected)
{
    const mesh_work* w = own;
    if (!who->peer) return;
    uint64_t* left = calloc(w->pose_count, sizeof *left);
    const tact_mesh_pair* pairs = expected ? expected->items : NULL;
    for (size_t i = 0; left && expected && i < expected->count; ++i)
        ++left[w->method == PAIRS ? pairs[i].pose : i];
    who->results = who->differing = 0;
    for (size_t i = 0; i < w->pose_count; ++i) {
        who->results += w->found[i];
        if (!left || !expected) continue;
        const uint64_t right = w->method == PAIRS ? left[i] : ((const uint8_t*)expected->items)[i];
        who->differing += w->found[i] != right;
    }
    free(left);
}

static void close_overlap_peer(tact_contestant* who)
{
    const tact_overlap_peer* peer = who->peer;
    peer->release(who->made);
}

static bool open_separation_peer(void* own, size_t index, tact_contestant* who)
{
    const mesh_work* w = own;
    const tact_separation_peer* peer = tact_separation_peer_at(index);
    if (!peer) return false;
    const tact_overlap_peer_mesh mesh = peer_mesh(&w->models[0]);
    const double start = tact_system_milliseconds();
    who->made = peer->make(&mesh, &mesh);
    // It has been given the mesh twice; ours is one object.
    who->build_ms = 0.5 * (tact_system_milliseconds() - start);
    who->peer = peer;
    who->peer_name = peer->name;
    who->threads = 1;
    return true;
}

static bool ask_separation_peer(void* own, tact_contestant* who, unsigned frame)
{
    (void)frame;
    mesh_work* w = own;
    const tact_separation_peer* peer = who->peer;
    return peer->run(who->made, (const float(*)[12])w->poses, w->pose_count, w->apart);
}

/// In how many poses a peer's distance is another one, by 2^-16.
static void note_separation(void* own, tact_contestant* who, const tact_suite_answer* expected)
{
    const mesh_work* w = own;
    const tact_mesh_distance* right = expected ? expected->items : NULL;
    if (who->peer) who->results = who->differing = 0;
    for (size_t i = 0; who->peer && right && i < w->pose_count; ++i) {
        const double ours = (double)right[i].distance, theirs = w->apart[i] > 0.0 ? w->apart[i] : 0.0;
        who->results += theirs > 0.0;
        who->differing += !(fabs(ours - theirs) <= 0x1p-16 * (ours + w->extent.radius));
    }
}

static void close_separation_peer(tact_contestant* who)
{
    const tact_separation_peer* peer = who->peer;
    peer->release(who->made);
}

// ---- Variants ----

static void choose_front(void* own, unsigned variant)
{
    mesh_work* w = own;
    w->with_front = variant == 1;
}

static const tact_suite_variant fronts[] = {
    {.name = "tact", .backends = ALL}, {.name = "tact, front", .backends = ALL}, {.name = NULL}};

/// Ways to see images, each at so many resolutions.
enum { BY_QUERIES, DRAWN, COMPUTED, BY_STENCIL, ON_HOST, RESOLUTIONS = 5 };
enum { CPU = 1u << TACT_BACKEND_CPU, GL = 1u << TACT_BACKEND_GL, CL = 1u << TACT_BACKEND_CL };

static const tact_image_options ways[] = {
    [BY_QUERIES] = {.method = TACT_IMAGE_QUERY, .making = TACT_IMAGE_DRAWN},
    [DRAWN] = {.method = TACT_IMAGE_READBACK, .making = TACT_IMAGE_DRAWN},
    [COMPUTED] = {.method = TACT_IMAGE_READBACK, .making = TACT_IMAGE_COMPUTED},
    [BY_STENCIL] = {.method = TACT_IMAGE_STENCIL},
    [ON_HOST] = {.method = TACT_IMAGE_READBACK},
};

#define SEEN(name, where)                                                               \
    {name, where, true}, {name, where, true}, {name, where, true}, {name, where, true}, \
    {                                                                                   \
        name, where, true                                                               \
    }

static const tact_suite_variant convex_images[] = {{.name = "exact", .backends = ALL},
                                                   SEEN("occlusion query", GL),
                                                   SEEN("drawn", GL),
                                                   SEEN("computed", 0),
                                                   SEEN("stencil", 0),
                                                   SEEN("images", CPU),
                                                   {.name = NULL}};
static const tact_suite_variant concave_images[] = {{.name = "exact", .backends = ALL},
                                                    SEEN("occlusion query", GL),
                                                    SEEN("drawn", GL),
                                                    SEEN("computed", GL | CL),
                                                    SEEN("stencil", GL),
                                                    SEEN("images", CPU),
                                                    {.name = NULL}};

uint32_t tact_suite_resolution(unsigned variant)
{
    return variant == 0 ? 0 : 16u << (variant - 1) % RESOLUTIONS;
}

static void choose_drawing(void* own, unsigned variant)
{
    mesh_work* w = own;
    w->in_depth = true;
    w->drawn = variant > 0;
    if (!w->drawn) return;
    w->image_options = ways[(variant - 1) / RESOLUTIONS];
    w->image_options.resolution = tact_suite_resolution(variant);
}

/// Poses in which an image says something else than the exact test: overlap where there is none, none where there is;
/// and the largest tolerance in radii of the mesh.
static void note_drawing(void* own, tact_contestant* who, const tact_suite_answer* expected)
{
    const mesh_work* w = own;
    const uint8_t* right = expected->items;
    if (!w->drawn) return;
    who->differing = who->other = 0;
    for (size_t i = 0; i < w->pose_count; ++i) {
        const bool exact = right[i] != TACT_MESHES_APART, told = w->images[i].overlap;
        who->differing += told && !exact;
        who->other += !told && exact;
        who->extra = fmax(who->extra, (double)w->images[i].tolerance / w->extent.radius);
    }
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
        const tact_result result = tact_filter_meshes(w->filter,
                                                      &(tact_filter_work){.shapes = w->input.shapes,
                                                                          .shape_count = w->input.shape_count,
                                                                          .objects = w->input.objects,
                                                                          .object_count = w->input.object_count,
                                                                          .pairs = w->pairs,
                                                                          .capacity = w->room,
                                                                          .count = &w->count},
                                                      options, report);
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
    *answer = tact_suite_items(w->pairs, w->count, sizeof *w->pairs);
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

#define OVERLAP_PEERS \
    .peer = open_overlap_peer, .peer_ask = ask_overlap_peer, .note = note_overlap, .peer_close = close_overlap_peer

const tact_suite_query tact_suite_overlap_queries[] = {
    {.name = "all pairs", .set = "scattered", .backends = ALL, .argument = PAIRS, OVERLAP_PEERS, MESHES},
    {.name = "boolean", .set = "scattered", .backends = ALL, .argument = ANY, OVERLAP_PEERS, MESHES},
    {.name = "solid", .set = "scattered", .backends = ALL, .argument = SOLID, MESHES},
    {.name = NULL},
};

#define SEPARATION_OF(text, place)                                                                                 \
    {                                                                                                              \
        .name = text, .set = text, .backends = 1u << TACT_BACKEND_CPU, .argument = SEPARATION + (place),           \
        .variants = fronts, .choose = choose_front, .peer = open_separation_peer, .peer_ask = ask_separation_peer, \
        .note = note_separation, .peer_close = close_separation_peer, MESHES                                       \
    }

const tact_suite_query tact_suite_separation_queries[] = {
    SEPARATION_OF("random", APART), SEPARATION_OF("path", PATH), SEPARATION_OF("slow path", SLOW_PATH), {.name = NULL}};

#define IMAGES_OF(text, method, ways)                                                                               \
    {                                                                                                               \
        .name = text, .set = text, .backends = ALL, .argument = method, .variants = ways, .choose = choose_drawing, \
        .note = note_drawing, MESHES                                                                                \
    }

const tact_suite_query tact_suite_image_queries[] = {IMAGES_OF("convex", IMAGES, convex_images),
                                                     IMAGES_OF("concave", CONCAVE, concave_images)};

const tact_suite_query tact_suite_mesh_queries[] = {
    {TACT_SUITE_ROW("overlap_pairs", "Overlapping triangles of two meshes", "torus knots", "pairs of triangles",
                    "All overlapping triangles of two torus knots of 1,024 triangles, in many poses at once."),
     .backends = ALL, .reference_most = 10, .argument = PAIRS, OVERLAP_PEERS, MESHES},
    {TACT_SUITE_ROW("overlap_solid", "Whether two solids overlap", "torus knots", "poses that overlap",
                    "Whether the same two, as solids, are apart, meet, or one is inside the other."),
     .backends = ALL, .reference_most = 10, .argument = SOLID, MESHES},
    {TACT_SUITE_ROW("separation", "Distance of two meshes", "torus knots", "poses that are apart",
                    "Where the same two come closest, pose by pose; the CPU alone has this query."),
     .backends = 1u << TACT_BACKEND_CPU, .argument = SEPARATION, MESHES},
    {TACT_SUITE_ROW("overlap_images", "Overlap of two convex solids, drawn", "spheres", "poses that overlap",
                    "OpenGL draws images of 64 x 64 pixels, within its tolerance of the exact answer; the CPU's times "
                    "are those of the exact test."),
     .backends = 1u << TACT_BACKEND_CPU | 1u << TACT_BACKEND_GL, .within_tolerance = true, .argument = IMAGES, MESHES},
    {TACT_SUITE_ROW("filter", "Overlapping triangles of many objects", "copies", "pairs of triangles",
                    "All overlapping triangles of different objects, of which about a twelfth touch another; no trees "
                    "are kept, so that every vertex may move."),
     .unit = "objects", .backends = ALL, .reference_most = 10, .first = 10, .most = 10000, .quick_most = 1000,
     .open = open_filter, .begin = begin_filter, .ask = ask_filter, .answer = answer_filter, .close = close_filter},
    {.name = NULL},
};
