// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/bench/rays.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/system.h"

/// Embree's forms that need this many times its fastest one's time in the first rounds are not timed any further.
#define FAR_BEHIND 1.6

const tact_bench_quality tact_bench_qualities[TACT_BENCH_QUALITIES] = {
    {"tact", TACT_MESH_MEDIUM, false},
    {"tact, fast build", TACT_MESH_FAST, false},
    {"tact, high quality", TACT_MESH_HIGH, false},
    {"tact, refitted", TACT_MESH_MEDIUM, true},
};

const char* tact_bench_set_name(tact_bench_set set)
{
    static const char* const names[] = {"camera", "random", "segments", "oblique"};
    return names[set];
}

const char* tact_bench_mode_name(tact_ray_mode mode)
{
    return mode == TACT_RAY_ANY ? "any" : "closest";
}

/// The rays of a case and where everyone's answers go.
typedef struct workload {
    const tact_bench_rays_settings* settings;
    tact_context* context;
    const tact_ray* rays;
    size_t count;
    tact_hit *hits, *other_hits;  ///< form 0's, and the last other form's
    uint8_t* peer_any;            ///< Embree's, whether there is a hit
    double* samples;              ///< by round, then by form
    double* column;               ///< one form's
    tact_bench_rays_case* c;
} workload;

static bool run_form(const workload* w, tact_bench_form* form, double* ms, tact_problem* problem)
{
    const bool any = w->c->mode == TACT_RAY_ANY;
    const tact_query_options options = {
        .backend = form->backend, .threads = w->settings->threads, .no_fallback = true, .ray_sort = form->sort};
    tact_query_report report = {0};
    tact_hit* hits = form == &w->c->forms[0] ? w->hits : w->other_hits;
    tact_result result = TACT_OK;
    const double start = tact_system_milliseconds();
    if (!form->form) {
        result = tact_raycast(form->scene, w->c->mode, w->rays, w->count, hits, &options, &report);
        if (result >= 0)
            form->query_ms = form->query_ms > 0.0 ? fmin(form->query_ms, report.query_ms) : report.query_ms;
    } else if (any) {
        tact_embree_any(form->embree, form->form, w->rays, w->count, w->peer_any);
    } else {
        tact_embree_closest(form->embree, form->form, w->rays, w->count, hits);
    }
    *ms = tact_system_milliseconds() - start;
    return result >= 0 || tact_problem_from_result(problem, result, w->context, form->name);
}

/// What the form's run has just answered, beside form 0's answers.
static void compare(const workload* w, tact_bench_form* form)
{
    const bool peer_any = form->form && w->c->mode == TACT_RAY_ANY;
    const tact_hit* hits = form == &w->c->forms[0] ? w->hits : w->other_hits;
    form->hits = form->other_rays = 0;
    for (size_t i = 0; i < w->count; ++i) {
        const bool hit = peer_any ? w->peer_any[i] != 0 : hits[i].instance != TACT_NONE;
        form->hits += hit;
        form->other_rays += hit != (w->hits[i].instance != TACT_NONE);
    }
    form->differs = form->differs || (!form->form && memcmp(hits, w->hits, w->count * sizeof *hits) != 0);
}

/// A form that needs so long once is not asked again.
#define TOO_SLOW_MS 20000.0

/// A device that fails is left out, and told; the others go on.
static bool run_or_leave(const workload* w, tact_bench_form* form, double* ms, tact_problem* problem)
{
    tact_problem failure = {0};
    if (run_form(w, form, ms, &failure)) return true;
    const bool device = form->backend == TACT_BACKEND_GL || form->backend == TACT_BACKEND_CL;
    if (!device) {
        *problem = failure;
        return false;
    }
    if (!w->settings->common.quiet) fprintf(stderr, "tact bench rays: %s\n", failure.text);
    form->failed = form->left_out = true;
    return true;
}

static bool warm_up(const workload* w, tact_problem* problem)
{
    tact_bench_rays_case* c = w->c;
    for (size_t i = 0; i < c->form_count; ++i) {
        tact_bench_form* form = &c->forms[i];
        double again = 0.0;
        // The first run of a form brings its pages and code in, and is no measure of it.
        if (!run_or_leave(w, form, &form->least_ms, problem)) return false;
        if (form->failed) continue;
        compare(w, form);
        form->left_out = i > 0 && form->least_ms > TOO_SLOW_MS;
        if (form->left_out) continue;
        if (!run_or_leave(w, form, &again, problem)) return false;
        form->least_ms = fmin(form->least_ms, again);
    }
    c->digest = tact_digest_of(w->hits, w->count * sizeof *w->hits);
    return true;
}

/// By the least of several runs, since one may have been disturbed.
static void leave_out_slow(const workload* w)
{
    tact_bench_rays_case* c = w->c;
    double best = HUGE_VAL;
    for (size_t i = 0; i < c->form_count; ++i) {
        if (c->forms[i].form) best = fmin(best, c->forms[i].least_ms);
    }
    for (size_t i = 0; i < c->form_count; ++i) {
        tact_bench_form* form = &c->forms[i];
        const bool single = !form->form || (form->form->width == 1 && !form->form->stream);
        if (!single && form->least_ms > FAR_BEHIND * best) form->left_out = true;
    }
}

static void summarize(const workload* w)
{
    tact_bench_rays_case* c = w->c;
    const size_t repeat = (size_t)w->settings->repeat;
    double* column = w->column;
    for (size_t i = 0; i < c->form_count; ++i) {
        tact_bench_form* form = &c->forms[i];
        if (form->left_out) continue;
        for (size_t k = 0; k < repeat; ++k)
            column[k] = w->samples[k * TACT_BENCH_FORMS + i] / w->samples[k * TACT_BENCH_FORMS];
        form->paired = i > 0 ? tact_spread_of(column, repeat).median : 0.0;
        for (size_t k = 0; k < repeat; ++k)
            column[k] = w->samples[k * TACT_BENCH_FORMS + i];
        form->ms = tact_spread_of(column, repeat);
        if (!form->form) continue;
        if (!c->best || form->ms.median < c->forms[c->best].ms.median) c->best = i;
        if (form->form->width > 1 || form->form->stream) continue;
        if (!c->single || form->ms.median < c->forms[c->single].ms.median) c->single = i;
    }
    const double ours = c->forms[0].ms.median;
    if (c->single && ours > 0.0) c->over_single = c->forms[c->single].ms.median / ours;
    if (c->best && ours > 0.0) c->over_best = c->forms[c->best].ms.median / ours;
}

/// After so many rounds it is clear which forms are far behind.
enum { CLEAR_ROUNDS = 2 };

static bool run_rounds(const workload* w, tact_problem* problem)
{
    tact_bench_rays_case* c = w->c;
    for (uint64_t k = 0; k < w->settings->repeat; ++k) {
        if (k == CLEAR_ROUNDS && !w->settings->all_forms) leave_out_slow(w);
        for (size_t n = 0; n < c->form_count; ++n) {
            // Every other round goes backwards, so that no form always follows the same one.
            const size_t i = k % 2 ? c->form_count - 1 - n : n;
            double* sample = &w->samples[k * TACT_BENCH_FORMS + i];
            if (c->forms[i].left_out) continue;
            if (!run_or_leave(w, &c->forms[i], sample, problem)) return false;
            if (c->forms[i].failed) continue;
            if (i > 0 && !c->forms[i].form) compare(w, &c->forms[i]);
            c->forms[i].least_ms = fmin(c->forms[i].least_ms, *sample);
        }
    }
    if (strcmp(tact_digest_of(w->hits, w->count * sizeof *w->hits).text, c->digest.text) == 0) return true;
    tact_problem_set(problem, "the CPU gave other bytes when asked again");
    problem->exit_code = TACT_EXIT_CHECK_FAILED;
    return false;
}

static tact_bench_form* add_form(tact_bench_rays_case* c)
{
    if (c->form_count == TACT_BENCH_FORMS) return NULL;
    tact_bench_form* form = &c->forms[c->form_count++];
    *form = (tact_bench_form){.backend = TACT_BACKEND_CPU};
    return form;
}

static bool has_device(const tact_context* context, tact_backend backend)
{
    tact_device_info info;
    for (uint32_t i = 0; i < tact_context_device_count(context); ++i) {
        if (tact_context_device(context, i, &info) >= 0 && info.backend == backend) return true;
    }
    return false;
}

/// The default tree on a device, with the rays as they come or sorted as the library thinks best and, if that is asked
/// for, either way.
static void list_device(const tact_bench_rays_settings* settings, tact_backend backend,
                        const tact_bench_rays_mesh* mesh, tact_bench_rays_case* c)
{
    static const char* const names[] = {"", ", sorted", ", not sorted"};
    for (int sort = TACT_RAY_SORT_AUTO; sort <= (settings->sorts ? TACT_RAY_SORT_NEVER : TACT_RAY_SORT_AUTO); ++sort) {
        tact_bench_form* form = add_form(c);
        if (!form) return;
        form->backend = backend;
        form->sort = (tact_ray_sort)sort;
        form->scene = mesh->first;
        snprintf(form->name, sizeof form->name, "tact, %s%s", tact_backend_name(backend), names[sort]);
    }
}

/// Ours: each builder's tree on the CPU, then the default one's on the other devices.
static void list_ours(const tact_bench_rays_settings* settings, const tact_context* context,
                      const tact_bench_rays_mesh* mesh, tact_bench_rays_case* c)
{
    for (int i = 0; i < TACT_BENCH_QUALITIES; ++i) {
        tact_bench_form* form = mesh->scenes[i] ? add_form(c) : NULL;
        if (!form) continue;
        form->scene = mesh->scenes[i];
        snprintf(form->name, sizeof form->name, "%s", tact_bench_qualities[i].name);
    }
    for (int b = TACT_BACKEND_GL; b <= TACT_BACKEND_CL; ++b) {
        if (has_device(context, (tact_backend)b)) list_device(settings, (tact_backend)b, mesh, c);
    }
}

static bool is_picture(tact_bench_set set)
{
    return set == TACT_SET_CAMERA || set == TACT_SET_OBLIQUE;
}

static void list_peers(const tact_bench_rays_settings* settings, const tact_bench_rays_mesh* mesh,
                       tact_bench_rays_case* c)
{
    size_t count = 0;
    const tact_embree_form* forms = tact_embree_forms(&count);
    for (int robust = 0; robust < 2; ++robust) {
        for (size_t i = 0; mesh->embree[robust] && i < count; ++i) {
            // To say that these lie close together would be untrue, and only slows it down.
            if (forms[i].coherent && !is_picture(c->set) && !settings->all_forms) continue;
            tact_bench_form* form = add_form(c);
            if (!form) return;
            form->form = &forms[i];
            form->embree = mesh->embree[robust];
            snprintf(form->name, sizeof form->name, "embree %s, %s", robust ? "robust" : "fast", forms[i].name);
        }
    }
}

/// The picture of a cube about the box, turned about the middle so that the eye comes to lie half above it.
static void make_oblique(const tact_bounds* bounds, uint32_t side, tact_ray* rays)
{
    double middle[3], radius = 0.0;
    for (int i = 0; i < 3; ++i) {
        middle[i] = 0.5 * (bounds->lower[i] + bounds->upper[i]);
        radius = fmax(radius, 0.5 * (bounds->upper[i] - bounds->lower[i]));
    }
    tact_bounds cube;
    for (int i = 0; i < 3; ++i) {
        cube.lower[i] = -radius;
        cube.upper[i] = radius;
    }
    tact_rays_camera(&cube, side, side, rays);
    const float distance = (float)(1.6 * radius);  // near enough to fill the picture
    const float turn = (float)sqrt(0.5);
    for (size_t i = 0; i < (size_t)side * side; ++i) {
        tact_ray* r = &rays[i];
        const float oy = r->oy, oz = distance, dy = r->dy, dz = r->dz;
        r->ox += (float)middle[0];
        r->oy = turn * (oy + oz) + (float)middle[1];
        r->oz = turn * (oz - oy) + (float)middle[2];
        r->dy = turn * (dy + dz);
        r->dz = turn * (dz - dy);
    }
}

/// The default of 2^20 is a picture of 1024 x 1024.
static size_t make_rays(const tact_bench_rays_settings* settings, const tact_bounds* bounds, tact_bench_set set,
                        tact_ray* rays)
{
    const uint64_t count = settings->rays;
    if (set == TACT_SET_RANDOM) tact_rays_random(bounds, settings->common.seed, count, rays);
    if (set == TACT_SET_SEGMENTS) tact_rays_segments(bounds, settings->common.seed, count, rays);
    if (!is_picture(set)) return (size_t)count;
    uint32_t side = (uint32_t)sqrt((double)count);
    while ((uint64_t)side * side > count)
        --side;
    if (set == TACT_SET_CAMERA) tact_rays_camera(bounds, side, side, rays);
    if (set == TACT_SET_OBLIQUE) make_oblique(bounds, side, rays);
    return (size_t)side * side;
}

void* tact_bench_rays_grown(void* items, size_t count, size_t* capacity, size_t size)
{
    if (count < *capacity) return items;
    const size_t larger = *capacity ? 2 * *capacity : 16;
    void* memory = realloc(items, larger * size);
    if (memory) *capacity = larger;
    return memory;
}

static tact_bench_rays_case* new_case(tact_bench_rays_results* results)
{
    tact_bench_rays_case* cases =
        tact_bench_rays_grown(results->cases, results->case_count, &results->case_capacity, sizeof *cases);
    if (!cases) return NULL;
    results->cases = cases;
    return &cases[results->case_count];
}

static uint64_t count_wrong(const tact_bench_rays_case* c)
{
    uint64_t wrong = (uint64_t)c->one_thread.differs + c->shuffled.differs + c->reference.differs;
    for (size_t i = 0; i < c->form_count; ++i)
        wrong += (uint64_t)c->forms[i].differs + c->forms[i].failed;
    return wrong;
}

static bool measure_case(workload* w, const tact_bench_rays_mesh* mesh, tact_problem* problem)
{
    tact_bench_rays_case* c = w->c;
    list_ours(w->settings, w->context, mesh, c);
    list_peers(w->settings, mesh, c);
    if (!warm_up(w, problem) || !run_rounds(w, problem)) return false;
    summarize(w);
    return w->settings->no_checks ||
           tact_bench_rays_check(w->settings, w->context, mesh->first, w->rays, w->hits, c, problem);
}

bool tact_bench_rays_measure(const tact_bench_rays_settings* settings, tact_context* context,
                             const tact_bench_rays_mesh* mesh, tact_bench_set set, tact_ray_mode mode,
                             tact_bench_rays_results* results, tact_problem* problem)
{
    const size_t most = (size_t)settings->rays;
    tact_ray* rays = malloc(most * sizeof *rays);
    workload w = {.settings = settings, .context = context, .rays = rays};
    w.hits = malloc(most * sizeof *w.hits);
    w.other_hits = malloc(most * sizeof *w.other_hits);
    w.peer_any = malloc(most);
    w.samples = calloc((size_t)settings->repeat, TACT_BENCH_FORMS * sizeof *w.samples);
    double* column = calloc((size_t)settings->repeat, sizeof *column);
    w.column = column;
    w.c = new_case(results);
    bool good = rays && w.hits && w.other_hits && w.peer_any && w.samples && column && w.c;
    if (!good) tact_problem_out_of_memory(problem, "rays and hits");
    if (good) {
        *w.c = (tact_bench_rays_case){.triangles = tact_model_triangles(mesh->model), .set = set, .mode = mode};
        snprintf(w.c->mesh, sizeof w.c->mesh, "%s", mesh->name);
        w.count = make_rays(settings, &mesh->bounds, set, rays);
        w.c->count = w.count;
        w.c->built_peak = mesh->built_peak;
        good = measure_case(&w, mesh, problem);
    }
    if (good) results->wrong += count_wrong(&results->cases[results->case_count++]);
    free(column);
    free(w.samples);
    free(w.peer_any);
    free(w.other_hits);
    free(w.hits);
    free(rays);
    return good;
}
