// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/rays.h"
#include "apps/commands.h"
#include "apps/inputs/random.h"
#include "apps/inputs/scenes.h"
#include "apps/peers/peers.h"
#include "apps/system.h"
#include "tact/geometry.h"
#include "tact/points.h"

enum { POINTS = 10000, BALLS = 500, LEAST = 500, BOXED = 100, OF_RING = 2, WAYS = 4 };

/// A mesh, a copy of it that is turned and moved, a polygon, and what is asked about them.
typedef struct solids_bench {
    tact_bench_run run;
    const char* file;
    tact_suite_mesh mesh;
    tact_mesh_view a, b;
    tact_vec3* moved;  ///< positions of b
    tact_bsp tree;
    bool has_tree;
    tact_scene* scene;
    float radius;  ///< of the balls
    tact_vec3 points[POINTS], ends[POINTS];
    tact_closest_query queries[POINTS];
    tact_point_location locations[POINTS];
    uint8_t places[POINTS];
    tact_ray rays[POINTS];
    tact_hit hits[POINTS];
    tact_bsp_ray_hit bsp_hits[POINTS];
    tact_vec2 *coast, *star;  ///< rings of so many vertices each
    size_t ring_count;
    tact_vec2 few[LEAST];  ///< a star
    bool no_peers;
} solids_bench;

/// Does all of one question in one way, and says how much it found.
typedef tact_result way_fn(solids_bench* b, uint64_t* found);

// ---- Ways ----

static tact_result make_tree(solids_bench* b, uint64_t* found)
{
    tact_bsp tree;
    const tact_result result = tact_bsp_make(&b->a, NULL, NULL, &tree);
    *found = tree.node_count;
    tact_bsp_free(&tree);
    return result;
}

static tact_result locate_by_tree(solids_bench* b, uint64_t* found)
{
    tact_bsp_locate_many(&b->tree, b->points, POINTS, b->places);
    for (size_t i = 0; i < POINTS; ++i)
        *found += b->places[i] == TACT_BSP_INSIDE;
    return TACT_OK;
}

static tact_result locate_by_scene(solids_bench* b, uint64_t* found)
{
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    const tact_result result = tact_locate_points(b->scene, b->queries, POINTS, b->locations, &options, NULL);
    for (size_t i = 0; i < POINTS; ++i)
        *found += b->locations[i].inside;
    return result;
}

static tact_result cast_by_tree(solids_bench* b, uint64_t* found)
{
    tact_bsp_rays(&b->tree, b->rays, POINTS, b->bsp_hits);
    for (size_t i = 0; i < POINTS; ++i)
        *found += b->bsp_hits[i].hit;
    return TACT_OK;
}

static tact_result cast_by_scene(solids_bench* b, uint64_t* found)
{
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    const tact_result result = tact_raycast(b->scene, TACT_RAY_CLOSEST, b->rays, POINTS, b->hits, &options, NULL);
    for (size_t i = 0; i < POINTS; ++i)
        *found += b->hits[i].instance != TACT_NONE;
    return result;
}

static tact_result overlap_balls(solids_bench* b, uint64_t* found)
{
    for (size_t i = 0; i < BALLS; ++i) {
        const tact_sphere ball = {b->points[i], b->radius};
        *found += tact_bsp_overlaps_convex(&b->tree, tact_convex_sphere(&ball));
    }
    return TACT_OK;
}

static tact_result cast_balls(solids_bench* b, uint64_t* found)
{
    for (size_t i = 0; i < BALLS; ++i) {
        const tact_sphere ball = {b->ends[i], b->radius};
        const tact_vec3 motion = {b->points[i].x - b->ends[i].x, b->points[i].y - b->ends[i].y,
                                  b->points[i].z - b->ends[i].z};
        *found += tact_bsp_cast_convex(&b->tree, tact_convex_sphere(&ball), motion).hit;
    }
    return TACT_OK;
}

static tact_result combine(solids_bench* b, tact_mesh_operation operation, uint64_t* found)
{
    tact_mesh_copy copy;
    const tact_result result = tact_mesh_combine(&b->a, &b->b, operation, NULL, &copy, NULL);
    *found = copy.triangle_count;
    tact_mesh_copy_free(&copy);
    return result;
}

static tact_result unite(solids_bench* b, uint64_t* found)
{
    return combine(b, TACT_MESH_UNION, found);
}

static tact_result intersect(solids_bench* b, uint64_t* found)
{
    return combine(b, TACT_MESH_INTERSECTION, found);
}

static tact_result subtract(solids_bench* b, uint64_t* found)
{
    return combine(b, TACT_MESH_DIFFERENCE, found);
}

static tact_result find_crossings(solids_bench* b, uint64_t* found)
{
    size_t count;
    const tact_result result = tact_mesh_crossings(&b->a, NULL, NULL, 0, &count);
    *found = count;
    return result;
}

static tact_result merge_flat(solids_bench* b, uint64_t* found)
{
    tact_mesh_copy copy;
    const tact_result result = tact_mesh_merge_flat(&b->a, 0.0f, NULL, &copy, NULL);
    *found = copy.triangle_count;
    tact_mesh_copy_free(&copy);
    return result;
}

static tact_result mend(solids_bench* b, uint64_t* found)
{
    tact_mesh_copy copy;
    tact_mesh_mended mended;
    const tact_result result = tact_mesh_mend(&b->a, NULL, NULL, &copy, &mended);
    *found = copy.triangle_count;
    tact_mesh_copy_free(&copy);
    return result;
}

/// The volume of a box, in millionths of the unit.
static tact_result size_of(const tact_obb* box, tact_result result, uint64_t* found)
{
    *found = result < 0 ? 0 : (uint64_t)(1e6 * tact_obb_volume(box));
    return result;
}

static tact_result box_exact(solids_bench* b, uint64_t* found)
{
    tact_obb box;
    return size_of(&box, tact_obb_fit_exact(NULL, b->points, BOXED, &box), found);
}

static tact_result box_search(solids_bench* b, uint64_t* found)
{
    tact_obb box;
    return size_of(&box, tact_obb_fit_search(b->points, BOXED, NULL, &box), found);
}

static tact_result box_improved(solids_bench* b, uint64_t* found)
{
    tact_obb box;
    tact_result result = tact_obb_fit_principal(NULL, b->points, BOXED, TACT_OBB_LEAST_AXIS, &box);
    if (result >= 0) result = tact_obb_improve(NULL, b->points, BOXED, &box);
    return size_of(&box, result, found);
}

typedef tact_result cut_fn(const tact_polygon_view*, tact_polygon_rule, const tact_allocator*, tact_polygon_parts*);

static tact_result cut_ring(cut_fn* cut, const tact_vec2* ring, size_t count, uint64_t* found)
{
    tact_polygon_parts parts;
    const tact_polygon_view view = {.vertices = ring, .vertex_count = count};
    const tact_result result = cut(&view, TACT_POLYGON_EVEN_ODD, NULL, &parts);
    *found = parts.part_count;
    tact_polygon_parts_free(&parts);
    return result;
}

static tact_result cut_by_peer(const tact_vec2* ring, size_t count, uint64_t* found)
{
    return tact_polygon_peer_at(0)->triangulate(ring, count, found) ? TACT_OK : TACT_ERROR_UNSUPPORTED;
}

static tact_result coast_triangles(solids_bench* b, uint64_t* found)
{
    return cut_ring(tact_polygon_triangulate, b->coast, b->ring_count, found);
}

static tact_result coast_by_peer(solids_bench* b, uint64_t* found)
{
    return cut_by_peer(b->coast, b->ring_count, found);
}

static tact_result star_triangles(solids_bench* b, uint64_t* found)
{
    return cut_ring(tact_polygon_triangulate, b->star, b->ring_count, found);
}

static tact_result star_by_peer(solids_bench* b, uint64_t* found)
{
    return cut_by_peer(b->star, b->ring_count, found);
}

static tact_result coast_parts(solids_bench* b, uint64_t* found)
{
    return cut_ring(tact_polygon_convex_parts, b->coast, b->ring_count, found);
}

static tact_result few_parts(solids_bench* b, uint64_t* found)
{
    return cut_ring(tact_polygon_convex_parts, b->few, LEAST, found);
}

static tact_result few_least(solids_bench* b, uint64_t* found)
{
    tact_polygon_parts parts;
    const tact_result result = tact_polygon_least_parts(b->few, LEAST, NULL, &parts);
    *found = parts.part_count;
    tact_polygon_parts_free(&parts);
    return result;
}

static const struct question {
    const char *what, *unit;
    uint64_t items;  ///< 0: the triangles of one mesh, 1: of both, OF_RING
    bool of_tree;    ///< it needs one
    struct {
        const char* name;  ///< NULL: a peer's
        way_fn* run;
    } ways[WAYS];
} questions[] = {
    {"make", "triangle", 0, false, {{"tact_bsp_make", make_tree}}},
    {"where points are",
     "point",
     POINTS,
     true,
     {{"tact_bsp_locate_many", locate_by_tree}, {"tact_locate_points", locate_by_scene}}},
    {"first hits of rays", "ray", POINTS, true, {{"tact_bsp_rays", cast_by_tree}, {"tact_raycast", cast_by_scene}}},
    {"balls overlap", "ball", BALLS, true, {{"tact_bsp_overlaps_convex", overlap_balls}}},
    {"balls in motion", "ball", BALLS, true, {{"tact_bsp_cast_convex", cast_balls}}},
    {"union", "triangle", 1, false, {{"tact_mesh_combine", unite}}},
    {"intersection", "triangle", 1, false, {{"tact_mesh_combine", intersect}}},
    {"difference", "triangle", 1, false, {{"tact_mesh_combine", subtract}}},
    {"passes through itself", "triangle", 0, false, {{"tact_mesh_crossings", find_crossings}}},
    {"mend", "triangle", 0, false, {{"tact_mesh_mend", mend}}},
    {"flat parts merged", "triangle", 0, false, {{"tact_mesh_merge_flat", merge_flat}}},
    {"least box, in millionths",
     "point",
     BOXED,
     false,
     {{"tact_obb_fit_exact", box_exact}, {"tact_obb_fit_search", box_search}, {"tact_obb_improve", box_improved}}},
    {"triangles of a coast",
     "vertex",
     OF_RING,
     false,
     {{"tact_polygon_triangulate", coast_triangles}, {NULL, coast_by_peer}}},
    {"triangles of a star",
     "vertex",
     OF_RING,
     false,
     {{"tact_polygon_triangulate", star_triangles}, {NULL, star_by_peer}}},
    {"convex parts of a coast", "vertex", OF_RING, false, {{"tact_polygon_convex_parts", coast_parts}}},
    {"convex parts of a small star",
     "vertex",
     LEAST,
     false,
     {{"tact_polygon_convex_parts", few_parts}, {"tact_polygon_least_parts", few_least}}},
};

// ---- Inputs ----

static tact_vec3 between(tact_random* random, const tact_aabb* box, double scale)
{
    float p[3];
    const float low[3] = {box->lower.x, box->lower.y, box->lower.z},
                high[3] = {box->upper.x, box->upper.y, box->upper.z};
    for (int k = 0; k < 3; ++k) {
        const double middle = 0.5 * ((double)low[k] + (double)high[k]), half = 0.5 * ((double)high[k] - (double)low[k]);
        p[k] = (float)(middle + scale * half * tact_random_between(random, -1.0, 1.0));
    }
    return (tact_vec3){p[0], p[1], p[2]};
}

/// Points in the mesh's box, and rays to them from around it.
static void make_queries(solids_bench* b, const tact_aabb* box)
{
    tact_random random = {b->run.common.seed};
    for (size_t i = 0; i < POINTS; ++i) {
        const tact_vec3 p = b->points[i] = between(&random, box, 1.0);
        tact_vec3 q = between(&random, box, 2.0);
        // A flat box has nothing around it.
        for (int tries = 0; tries < 64 && tact_aabb_contains_point(*box, q); ++tries)
            q = between(&random, box, 2.0);
        b->ends[i] = q;
        b->queries[i] = (tact_closest_query){.x = p.x, .y = p.y, .z = p.z, .max_distance = 0.0f};
        b->rays[i] = (tact_ray){q.x, q.y, q.z, 0.0f, p.x - q.x, p.y - q.y, p.z - q.z, 1.0f};
    }
}

/// The copy: turned by 0.7 about the x axis through the middle of the mesh, and moved by a little of its size.
static bool move_copy(solids_bench* b, const tact_aabb* box, tact_problem* problem)
{
    b->moved = malloc(b->a.vertex_count * sizeof *b->moved);
    if (!b->moved) return tact_problem_out_of_memory(problem, "a copy of the mesh");
    const double y = 0.5 * ((double)box->lower.y + (double)box->upper.y),
                 z = 0.5 * ((double)box->lower.z + (double)box->upper.z);
    const double size = (double)box->upper.x - (double)box->lower.x, c = 0.76484218728448843, s = 0.64421768723769105;
    for (size_t i = 0; i < b->a.vertex_count; ++i) {
        const tact_vec3 p = b->a.positions[i];
        const double v = (double)p.y - y, w = (double)p.z - z;
        b->moved[i] = (tact_vec3){(float)((double)p.x + 0.07 * size), (float)(y + c * v - s * w + 0.04 * size),
                                  (float)(z + s * v + c * w - 0.02 * size)};
    }
    b->b = b->a;
    b->b.positions = b->moved;
    return true;
}

/// A ring around the origin whose vertices are as far from it as they are at random, or as a walk goes that does not
/// step further than that from one to the next.
static void make_ring(tact_random* random, tact_vec2* ring, size_t count, double step)
{
    double far = 0.75;
    for (size_t i = 0; i < count; ++i) {
        // A quarter of the circle by fractions: the same on all machines.
        const double at = 4.0 * (double)i / (double)count, t = at - floor(at);
        double x = (1.0 - t * t) / (1.0 + t * t), y = 2.0 * t / (1.0 + t * t);
        for (int quarter = (int)at; quarter > 0; --quarter) {
            const double old = x;
            x = -y;
            y = old;
        }
        const double next = far + tact_random_between(random, -step, step);
        if (next > 0.5 && next < 1.0) far = next;
        ring[i] = (tact_vec2){(float)(far * x), (float)(far * y)};
    }
}

static bool make_rings(solids_bench* b, tact_problem* problem)
{
    tact_random random = {b->run.common.seed};
    b->ring_count = b->run.quick ? 2000 : 100000;
    b->coast = malloc(b->ring_count * sizeof *b->coast);
    b->star = malloc(b->ring_count * sizeof *b->star);
    if (!b->coast || !b->star) return tact_problem_out_of_memory(problem, "polygons");
    make_ring(&random, b->coast, b->ring_count, 10.0 / (double)b->ring_count);
    make_ring(&random, b->star, b->ring_count, 0.5);
    make_ring(&random, b->few, LEAST, 0.5);
    return true;
}

static bool make_inputs(solids_bench* b, tact_problem* problem)
{
    tact_model_mesh sphere;
    bool good =
        b->file ? tact_suite_mesh_read(&b->mesh, b->file, problem)
                : tact_suite_mesh_take(&b->mesh, "icosphere",
                                       tact_mesh_icosphere(b->run.quick ? 3 : 5, &sphere, problem), &sphere, problem);
    if (!good) return false;
    const tact_model_mesh* m = &b->mesh.model.meshes[0];
    b->a = (tact_mesh_view){(const tact_vec3*)m->positions, m->vertex_count, m->indices, m->triangle_count};
    const tact_aabb box = tact_aabb_from_points(b->a.positions, b->a.vertex_count, 0);
    b->radius = 0.05f * (box.upper.x - box.lower.x);
    make_queries(b, &box);
    double whole, commit;
    good = make_rings(b, problem) && move_copy(b, &box, problem) &&
           tact_bench_rays_scene(&b->mesh.model, b->run.session.context, 0, &b->scene, &whole, &commit, problem);
    b->has_tree = good && tact_bsp_make(&b->a, NULL, NULL, &b->tree) >= 0;
    return good;
}

// ---- Turns ----

typedef struct turns {
    solids_bench* bench;
    const struct question* question;
} turns;

static bool turn(void* own, tact_contestant* who, uint64_t round, double* ms, tact_problem* problem)
{
    const turns* t = own;
    (void)round, (void)problem;
    who->results = 0;
    const double start = tact_system_milliseconds();
    const tact_result result = t->question->ways[who->variant].run(t->bench, &who->results);
    *ms = tact_system_milliseconds() - start;
    // The row says what is wrong with a mesh.
    if (result < 0) {
        who->status = TACT_BENCH_FAILED;
        who->left_out = true;
        snprintf(who->detail, sizeof who->detail, "%s", tact_last_error());
    }
    return true;
}

static void add_row(solids_bench* b, const struct question* q, const tact_contestant* who)
{
    tact_report* r = &b->run.report;
    const uint64_t items = q->items > OF_RING    ? q->items
                           : q->items == OF_RING ? b->ring_count
                                                 : (q->items + 1) * b->a.triangle_count;
    const bool good = who->status == TACT_BENCH_EQUAL;
    tact_report_row(r);
    tact_report_text(r, "question", "question", q->what);
    tact_report_text(r, "by", "by", who->name);
    tact_report_count(r, ">items", "items", items);
    tact_report_text(r, "each", "unit", q->unit);
    tact_report_spread(r, ">ns each", "ns_each", "%.1f", good ? 1e6 / (double)items : (double)NAN, &who->ms);
    tact_report_count(r, ">found", "found", who->results);
    tact_report_text(r, "result", "result", good ? "ok" : who->detail);
    tact_rounds_to_json(r->row, who);
}

static bool measure(solids_bench* b, const struct question* q, tact_problem* problem)
{
    if (tact_bench_stopped(&b->run, problem, "%s", q->what)) return true;
    tact_contestant all[WAYS] = {{.name = ""}};
    turns t = {b, q};
    tact_rounds rounds = {.all = all, .repeat = b->run.repeat, .own = &t, .run = turn, .progress = &b->run.progress};
    for (; rounds.count < WAYS && q->ways[rounds.count].run; ++rounds.count) {
        tact_contestant* who = &all[rounds.count];
        const char* name = q->ways[rounds.count].name;
        if (!name && (b->no_peers || !tact_polygon_peer_at(0))) break;
        snprintf(who->name, sizeof who->name, "%s", name ? name : tact_polygon_peer_at(0)->name);
        who->variant = (unsigned)rounds.count;
        who->threads = 1;
    }
    const bool good = tact_rounds_run(&rounds, problem);
    for (size_t i = 0; good && i < rounds.count; ++i)
        add_row(b, q, &all[i]);
    tact_contestants_free(all, rounds.count);
    return good || tact_bench_stopped(&b->run, problem, "%s", q->what);
}

static void close_inputs(solids_bench* b)
{
    if (b->scene) tact_scene_destroy(b->scene);
    if (b->has_tree) tact_bsp_free(&b->tree);
    free(b->moved);
    free(b->coast);
    free(b->star);
    tact_model_free(&b->mesh.model);
}

static bool execute(tact_bench_run* run, tact_problem* problem)
{
    solids_bench* b = (void*)run;
    if (!tact_bench_one_mesh(run, &b->file, NULL, problem)) return false;
    const size_t count = sizeof questions / sizeof *questions;
    if (run->common.backend != TACT_BACKEND_AUTO && run->common.backend != TACT_BACKEND_CPU) {
        return tact_problem_set(problem, "--backend: solids are combined on the CPU alone");
    }
    if (run->common.threads > 1) return tact_problem_set(problem, "--threads: one thread is timed");
    run->common.threads = 1;
    bool good = tact_bench_begin(run, "bench solids", 1, 5, problem) && make_inputs(b, problem);
    run->progress.parts = count;
    for (size_t i = 0; good && i < count; ++i, ++run->progress.part) {
        if (!questions[i].of_tree || b->has_tree) good = measure(b, &questions[i], problem);
    }
    if (good) {
        tact_json_text(run->report.root, "mesh", b->mesh.name);
        tact_json_count(run->report.root, "triangles", b->a.triangle_count);
        char heading[200];
        snprintf(heading, sizeof heading,
                 "%s: %zu triangles, and a copy turned and moved; one thread, medians of %" PRIu64 " rounds",
                 b->mesh.name, b->a.triangle_count, run->repeat);
        good = tact_bench_report(run, TACT_BACKEND_CPU, heading, problem);
    }
    close_inputs(b);
    return good;
}

static const char help_text[] =
    "Usage: tact bench solids [MESH] [--quick] [--out DIR] [options]\n\n"
    "Times what is asked about a solid that a mesh encloses, on one thread: its BSP tree, points, rays and balls\n"
    "against that, beside the library's queries of scenes; union, intersection and difference with a copy of it that\n"
    "is turned and moved; where it passes through itself; mending; its flat parts;\n"
    "least boxes of points in it; triangles and convex parts of polygons.\n";

int tact_command_bench_solids(int argc, char** argv, tact_problem* problem)
{
    solids_bench* b = calloc(1, sizeof *b);
    if (!b) {
        tact_problem_out_of_memory(problem, "inputs");
        return 1;
    }
    const tact_option own[] = {
        TACT_TEXT("mesh", "FILE", "the mesh, as FILE alone (default: a sphere)", &b->file),
        TACT_FLAG("no-peers", "without other libraries", &b->no_peers),
        TACT_BENCH_QUICK(b->run, "one round, a small sphere and short rings"),
        TACT_BENCH_OUT(b->run, "bench.json and bench.csv"),
        {.name = NULL},
    };
    const int code = tact_bench_command(&b->run, help_text, own, execute, argc, argv, problem);
    free(b);
    return code;
}
