// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/suite.h"
#include "apps/inputs/random.h"
#include "apps/peers/peers.h"
#include "apps/system.h"
#include "tact/point_cloud.h"

// Queries against clouds of points: the nearest ones, those within a distance, whether there is one.

enum { ALL = 1u << TACT_BACKEND_CPU | 1u << TACT_BACKEND_GL | 1u << TACT_BACKEND_CL };

/// What the argument of a query says: how many nearest points, or these.
enum { LISTS = 1000, TOUCHED = 1001 };

typedef struct cloud_work {
    uint64_t what;
    tact_point_cloud* cloud;
    tact_vec3* points;
    size_t point_count, count;  ///< of points, of queries
    tact_closest_query* queries;
    double diagonal;
    int threads;
    tact_cloud_neighbour* neighbours;  ///< of nearest ones
    uint64_t* offsets;                 ///< of lists
    uint32_t* ids;
    size_t room;
    uint8_t* touched;
    float* squares;  ///< a peer's
    uint64_t found;  ///< a peer's
} cloud_work;

static float between(tact_random* random, float low, float high)
{
    return (float)tact_random_between(random, (double)low, (double)high);
}

static void bound(cloud_work* w, tact_vec3* lower, tact_vec3* upper)
{
    *lower = *upper = w->points[0];
    for (size_t i = 1; i < w->point_count; ++i) {
        const tact_vec3 p = w->points[i];
        *lower = (tact_vec3){fminf(lower->x, p.x), fminf(lower->y, p.y), fminf(lower->z, p.z)};
        *upper = (tact_vec3){fmaxf(upper->x, p.x), fmaxf(upper->y, p.y), fmaxf(upper->z, p.z)};
    }
    const double x = (double)(upper->x - lower->x), y = (double)(upper->y - lower->y),
                 z = (double)(upper->z - lower->z);
    w->diagonal = sqrt(x * x + y * y + z * z);
}

/// Close to random points of the cloud, as far as a four hundredth of the diagonal along each axis.
static void make_close(const cloud_work* w, tact_random* random)
{
    const float far = (float)(w->diagonal / 400.0);
    for (size_t i = 0; i < w->count; ++i) {
        const tact_vec3 p = w->points[tact_random_below(random, w->point_count)];
        w->queries[i] = (tact_closest_query){p.x + between(random, -far, far), p.y + between(random, -far, far),
                                             p.z + between(random, -far, far), INFINITY};
    }
}

/// Spheres at random in the box, of a hundredth to a fortieth of the diagonal: what the links of an arm are made of.
static void make_spheres(const cloud_work* w, tact_random* random, tact_vec3 lower, tact_vec3 upper)
{
    for (size_t i = 0; i < w->count; ++i)
        w->queries[i] = (tact_closest_query){between(random, lower.x, upper.x), between(random, lower.y, upper.y),
                                             between(random, lower.z, upper.z),
                                             (float)(w->diagonal * tact_random_between(random, 0.01, 0.025))};
}

static int compare_squares(const void* a, const void* b)
{
    const tact_cloud_neighbour *x = a, *y = b;
    return (x->distance2 > y->distance2) - (x->distance2 < y->distance2);
}

/// A distance within which the middle one of some queries has 32 points.
static bool limit(cloud_work* w, tact_problem* problem)
{
    enum { SOME = 101, WANTED = 32 };
    tact_cloud_neighbour* rows = calloc(SOME * WANTED, sizeof *rows);
    if (!rows) return tact_problem_out_of_memory(problem, "neighbours");
    const size_t count = w->count < SOME ? w->count : SOME;
    const tact_cloud_nearest_work work = {.queries = w->queries, .count = count, .nearest = WANTED, .neighbours = rows};
    const bool good = tact_cloud_nearest(w->cloud, &work, NULL, NULL) == TACT_OK;
    for (size_t i = 0; i < count; ++i)
        rows[i] = rows[i * WANTED + WANTED - 1];
    qsort(rows, count, sizeof *rows, compare_squares);
    const float far = sqrtf(rows[count / 2].distance2);
    for (size_t i = 0; i < w->count; ++i)
        w->queries[i].max_distance = far;
    free(rows);
    return good || tact_problem_set(problem, "%s", tact_last_error());
}

/// A mesh's vertices that clouds take.
static void take_vertices(cloud_work* w, const tact_model_mesh* mesh)
{
    w->point_count = 0;
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        const float* at = mesh->positions + 3 * i;
        const bool good = fabsf(at[0]) <= TACT_MAX_COORDINATE && fabsf(at[1]) <= TACT_MAX_COORDINATE &&
                          fabsf(at[2]) <= TACT_MAX_COORDINATE;
        if (good) w->points[w->point_count++] = (tact_vec3){at[0], at[1], at[2]};
    }
}

static bool make_points(cloud_work* w, const tact_suite_input* input, tact_random* random, tact_problem* problem)
{
    const tact_model_mesh* mesh = input->mesh ? &input->mesh->model.meshes[0] : NULL;
    w->point_count = mesh ? mesh->vertex_count : w->count;
    w->points = malloc((w->point_count + 1) * sizeof *w->points);
    if (!w->points) return tact_problem_out_of_memory(problem, "points");
    for (size_t i = 0; !mesh && i < w->point_count; ++i)
        w->points[i] =
            (tact_vec3){between(random, -1.0f, 1.0f), between(random, -1.0f, 1.0f), between(random, -1.0f, 1.0f)};
    if (mesh) take_vertices(w, mesh);
    return w->point_count > 0 || input->queries || tact_problem_set(problem, "a cloud without points");
}

static bool make_room(cloud_work* w, tact_problem* problem)
{
    const size_t rows = w->what < LISTS ? w->count * (size_t)w->what : w->count;
    w->queries = malloc(w->count * sizeof *w->queries);
    w->neighbours = malloc(rows * sizeof *w->neighbours);
    w->squares = malloc(rows * sizeof *w->squares);
    w->offsets = calloc(w->count + 1, sizeof *w->offsets);
    w->touched = malloc(w->count);
    const bool good = w->queries && w->neighbours && w->squares && w->offsets && w->touched;
    return good || tact_problem_out_of_memory(problem, "queries and answers");
}

static bool open_cloud(const tact_suite_query* query, const tact_suite_input* input, uint64_t size, void** own,
                       double* setup_ms, tact_problem* problem)
{
    cloud_work* w = calloc(1, sizeof *w);
    *own = w;
    if (!w) return tact_problem_out_of_memory(problem, "a cloud");
    w->what = query->argument;
    w->count = (size_t)size;
    w->threads = input->threads;
    tact_random random = {input->seed};
    if (!make_points(w, input, &random, problem) || !make_room(w, problem)) return false;
    const double start = tact_system_milliseconds();
    if (tact_point_cloud_create(input->context, w->points, w->point_count, &w->cloud) != TACT_OK)
        return tact_problem_set(problem, "%s", tact_last_error());
    *setup_ms = tact_system_milliseconds() - start;
    if (input->queries) {
        memcpy(w->queries, input->queries, w->count * sizeof *w->queries);
        return true;
    }
    tact_vec3 lower, upper;
    bound(w, &lower, &upper);
    if (w->what == TOUCHED) {
        make_spheres(w, &random, lower, upper);
    } else {
        make_close(w, &random);
    }
    return w->what != LISTS || limit(w, problem);
}

/// Asked again with more room where it is too little, which is so at most in the frame that does not count.
static tact_result ask_lists(cloud_work* w, const tact_query_options* options, tact_query_report* report)
{
    for (;;) {
        const tact_cloud_within_work work = {
            .queries = w->queries, .count = w->count, .offsets = w->offsets, .ids = w->ids, .capacity = w->room};
        const tact_result result = tact_cloud_within(w->cloud, &work, options, report);
        if (result != TACT_INCOMPLETE) return result;
        w->room = (size_t)w->offsets[w->count];
        free(w->ids);
        w->ids = malloc(w->room * sizeof *w->ids);
        if (!w->ids) return TACT_ERROR_OUT_OF_MEMORY;
    }
}

static tact_result ask_cloud(void* own, const tact_query_options* options, tact_query_report* report)
{
    cloud_work* w = own;
    if (w->what == LISTS) return ask_lists(w, options, report);
    if (w->what == TOUCHED)
        return tact_cloud_within(
            w->cloud, &(tact_cloud_within_work){.queries = w->queries, .count = w->count, .touched = w->touched},
            options, report);
    return tact_cloud_nearest(
        w->cloud,
        &(tact_cloud_nearest_work){
            .queries = w->queries, .count = w->count, .nearest = (uint32_t)w->what, .neighbours = w->neighbours},
        options, report);
}

static bool answer_cloud(void* own, tact_suite_answer* answer, tact_problem* problem)
{
    (void)problem;
    const cloud_work* w = own;
    uint64_t found = 0;
    if (w->what == LISTS) {
        *answer = tact_suite_items(w->ids, (size_t)w->offsets[w->count], sizeof *w->ids);
        return true;
    }
    if (w->what == TOUCHED) {
        *answer = tact_suite_items(w->touched, w->count, 1);
        for (size_t i = 0; i < w->count; ++i)
            found += w->touched[i];
    } else {
        *answer = tact_suite_items(w->neighbours, w->count, (size_t)w->what * sizeof *w->neighbours);
        for (size_t i = 0; i < w->count * w->what; ++i)
            found += w->neighbours[i].id != TACT_NONE;
    }
    answer->results = found;
    return true;
}

static void close_cloud(void* own)
{
    cloud_work* w = own;
    if (!w) return;
    tact_point_cloud_destroy(w->cloud);
    free(w->points);
    free(w->queries);
    free(w->neighbours);
    free(w->squares);
    free(w->offsets);
    free(w->ids);
    free(w->touched);
    free(w);
}

// ---- Peers ----

static bool open_peer(void* own, size_t index, tact_contestant* who)
{
    const cloud_work* w = own;
    const tact_cloud_peer* peer = tact_cloud_peer_at(index);
    if (!peer) return false;
    const double start = tact_system_milliseconds();
    who->made = peer->make(&w->points[0].x, w->point_count, w->threads);
    who->build_ms = tact_system_milliseconds() - start;
    who->peer = peer;
    who->peer_name = peer->name;
    who->threads = w->threads;
    return true;
}

static bool ask_peer(void* own, tact_contestant* who, unsigned frame)
{
    (void)frame;
    cloud_work* w = own;
    const tact_cloud_peer* peer = who->peer;
    if (w->what == LISTS) return peer->within(who->made, w->queries, w->count, &w->found);
    if (w->what == TOUCHED) return peer->touched(who->made, w->queries, w->count, &w->found);
    return peer->nearest(who->made, w->queries, w->count, (uint32_t)w->what, w->squares);
}

/// Their squares may be summed otherwise.
static void note(void* own, tact_contestant* who, const tact_suite_answer* expected)
{
    const cloud_work* w = own;
    if (!who->peer) return;
    who->differing = 0;
    if (w->what >= LISTS) {
        who->results = w->found;
        return;
    }
    const size_t rows = w->count * (size_t)w->what;
    const tact_cloud_neighbour* right = expected ? expected->items : NULL;
    who->results = 0;
    for (size_t i = 0; i < rows; ++i) {
        const double got = (double)w->squares[i];
        who->results += isfinite(got) != 0;
        if (!right || (!isfinite(got) && right[i].id == TACT_NONE)) continue;
        who->differing += !(fabs(got - (double)right[i].distance2) <= 1e-5 * got + 1e-30);
    }
}

static void close_peer(tact_contestant* who)
{
    const tact_cloud_peer* peer = who->peer;
    peer->release(who->made);
}

#define CLOUD                                                                                                     \
    .unit = "queries", .backends = ALL, .first = 100, .most = 10000000, .quick_most = 100000, .open = open_cloud, \
    .ask = ask_cloud, .answer = answer_cloud, .peer = open_peer, .peer_ask = ask_peer, .note = note,              \
    .peer_close = close_peer, .close = close_cloud

#define CLOUD_OF(text, number)                                                                             \
    {                                                                                                      \
        .name = text, .set = text, .takes_mesh = true, .reference_most = 1000, .argument = (number), CLOUD \
    }

const tact_suite_query tact_suite_cloud_depth_queries[] = {CLOUD_OF("one", 1),         CLOUD_OF("eight", 8),
                                                           CLOUD_OF("many", 32),       CLOUD_OF("within", LISTS),
                                                           CLOUD_OF("touch", TOUCHED), {.name = NULL}};

const tact_suite_query tact_suite_cloud_queries[] = {
    {TACT_SUITE_ROW("nearest_points", "Nearest points of a cloud", "random", "neighbours",
                    "The eight nearest of as many random points as there are queries, which are close to them."),
     .reference_most = 1000, .argument = 8, CLOUD},
    {TACT_SUITE_ROW("points_within", "Points of a cloud within a distance", "random", "points",
                    "All of as many random points that are within a distance, some 32 of each query."),
     .reference_most = 1000, .argument = LISTS, CLOUD},
    {TACT_SUITE_ROW("spheres_touch", "Spheres that touch a cloud", "random", "touch",
                    "Whether each of as many random spheres holds one of the points."),
     .reference_most = 1000, .argument = TOUCHED, CLOUD},
    {.name = NULL},
};
