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

/// A form that needs so long once is not asked again.
#define TOO_SLOW_MS 20000.0

/// Pairs of a ray and a triangle that brute force may take for one case: a few seconds.
#define REFERENCE_PAIRS 4e8
#define REFERENCE_PAIRS_QUICK 4e7

const tact_bench_quality tact_bench_qualities[TACT_BENCH_QUALITIES] = {
    {"tact", TACT_MESH_MEDIUM, false},
    {"tact, fast build", TACT_MESH_FAST, false},
    {"tact, high quality", TACT_MESH_HIGH, false},
    {"tact, refitted", TACT_MESH_MEDIUM, true},
};

static const char* const set_names[] = {"camera", "random", "segments", "oblique"};

/// The rays of a case and where all answers go. Form 0 is ours, on the CPU, with the default tree (or the one that is
/// asked for).
typedef struct workload {
    tact_rays_bench* bench;
    const tact_rays_mesh* mesh;
    tact_bench_set set;
    tact_ray_mode mode;
    tact_ray* rays;
    size_t count;
    tact_hit *hits, *other_hits;  ///< form 0's, and the last other form's
    uint8_t* occluded;            ///< any hit, of the form that was cast last
    tact_digest digest;
    tact_contestant forms[TACT_CONTESTANTS];
    size_t form_count, single, best;  ///< Embree's faster single-ray form and its fastest form; 0: none
} workload;

// ---- Forms ----

static tact_contestant* add_form(workload* w, void* made)
{
    if (w->form_count == TACT_CONTESTANTS) return NULL;
    tact_contestant* form = &w->forms[w->form_count++];
    *form = (tact_contestant){.backend = TACT_BACKEND_CPU, .made = made, .threads = w->bench->run.threads};
    return form;
}

/// The default tree on a device, with the rays as they come or sorted as the library thinks best and, if that is asked
/// for, either way.
static void list_device(workload* w, tact_backend backend)
{
    static const char* const names[] = {"", ", sorted", ", not sorted"};
    const int last = w->bench->sorts ? TACT_RAY_SORT_NEVER : TACT_RAY_SORT_AUTO;
    for (int sort = TACT_RAY_SORT_AUTO; sort <= last; ++sort) {
        tact_contestant* form = add_form(w, w->mesh->first);
        if (!form) return;
        form->backend = backend;
        form->variant = (unsigned)sort;
        snprintf(form->name, sizeof form->name, "tact, %s%s", tact_backend_name(backend), names[sort]);
    }
}

/// Each builder's tree on the CPU, then the default one's on the other devices.
static void list_ours(workload* w)
{
    tact_device_info info;
    for (int i = 0; i < TACT_BENCH_QUALITIES; ++i) {
        tact_contestant* form = w->mesh->scenes[i] ? add_form(w, w->mesh->scenes[i]) : NULL;
        if (form) snprintf(form->name, sizeof form->name, "%s", tact_bench_qualities[i].name);
    }
    for (int b = TACT_BACKEND_GL; b <= TACT_BACKEND_CL; ++b)
        if (tact_session_device(&w->bench->run.session, (tact_backend)b, &info) >= 0) list_device(w, (tact_backend)b);
}

static bool is_picture(tact_bench_set set)
{
    return set == TACT_SET_CAMERA || set == TACT_SET_OBLIQUE;
}

/// Of tinybvh there is one form, and Embree's best is not it.
static const tact_embree_form tinybvh_form = {.name = "tinybvh, single", .width = 1};

static bool is_embree(const tact_contestant* form)
{
    return form->peer && form->peer != &tinybvh_form;
}

static void list_peers(workload* w)
{
    tact_contestant* other = w->mesh->tinybvh ? add_form(w, w->mesh->tinybvh) : NULL;
    if (other) {
        other->peer = &tinybvh_form;
        snprintf(other->name, sizeof other->name, "%s", tinybvh_form.name);
    }
    size_t count = 0;
    const tact_embree_form* forms = tact_embree_forms(&count);
    for (size_t k = 0; k < 2 * count; ++k) {
        const bool robust = k >= count;
        const tact_embree_form* peer = &forms[k % count];
        // To say that other rays lie close together would be untrue, and only slows it down.
        if (!w->mesh->embree[robust] || (peer->coherent && !is_picture(w->set) && !w->bench->all_forms)) continue;
        // Version 3.13 does not return from casts of coherent packets, any hit, in a scene of instances.
        if (peer->coherent && w->mesh->mesh->model.instance_count > w->mesh->mesh->model.mesh_count) continue;
        tact_contestant* form = add_form(w, w->mesh->embree[robust]);
        if (!form) return;
        form->peer = peer;
        snprintf(form->name, sizeof form->name, "embree %s, %s", robust ? "robust" : "fast", peer->name);
    }
}

// ---- Turns ----

static tact_result cast(const workload* w, tact_contestant* form, double* ms)
{
    const tact_query_options options = {.backend = form->backend, .threads = form->threads, .no_fallback = true};
    tact_hit* hits = form == w->forms ? w->hits : w->other_hits;
    const bool any = w->mode == TACT_RAY_ANY;
    tact_result result = TACT_OK;
    const double start = tact_system_milliseconds();
    if (!form->peer)
        result = tact_raycast_with(form->made,
                                   &(tact_raycast_work){.mode = w->mode,
                                                        .sort = (tact_ray_sort)form->variant,
                                                        .count = w->count,
                                                        .rays = w->rays,
                                                        .hits = any ? NULL : hits,
                                                        .occluded = any ? w->occluded : NULL},
                                   &options, &form->report);
    else if (!is_embree(form))
        tact_tinybvh_cast(form->made, any, w->rays, w->count, hits, w->occluded);
    else if (any)
        tact_embree_any(form->made, form->peer, w->rays, w->count, w->occluded);
    else
        tact_embree_closest(form->made, form->peer, w->rays, w->count, hits);
    *ms = tact_system_milliseconds() - start;
    // As hits, for the checks.
    for (size_t i = 0; any && !form->peer && i < w->count; ++i)
        hits[i] = w->occluded[i] ? (tact_hit){0} : (tact_hit){TACT_NONE, TACT_NONE, w->rays[i].tmax, 0.0f, 0.0f};
    return result;
}

/// What the form's run has just answered, beside form 0's answers.
static void compare(const workload* w, tact_contestant* form)
{
    const bool peer_any = form->peer && w->mode == TACT_RAY_ANY;
    const tact_hit* hits = form == w->forms ? w->hits : w->other_hits;
    form->results = form->other = 0;
    for (size_t i = 0; i < w->count; ++i) {
        const bool hit = peer_any ? w->occluded[i] != 0 : hits[i].instance != TACT_NONE;
        form->results += hit;
        form->other += hit != (w->hits[i].instance != TACT_NONE);
    }
    if (!form->peer && memcmp(hits, w->hits, w->count * sizeof *hits) != 0) form->status = TACT_BENCH_DIFFERS;
}

/// A device that fails is left out, and told; the others go on.
static bool leave_failed(const workload* w, tact_contestant* form, tact_result result, tact_problem* problem)
{
    tact_problem failure = {0};
    tact_problem_from_result(&failure, result, w->bench->run.session.context, form->name);
    if (form->backend == TACT_BACKEND_CPU) {
        *problem = failure;
        return false;
    }
    if (!w->bench->run.common.quiet) fprintf(stderr, "tact bench rays: %s\n", failure.text);
    form->status = TACT_BENCH_FAILED;
    form->left_out = true;
    return true;
}

static bool turn(void* own, tact_contestant* form, uint64_t round, double* ms, tact_problem* problem)
{
    workload* w = own;
    tact_result result = cast(w, form, ms);
    if (result < 0) return leave_failed(w, form, result, problem);
    if (form == w->forms) {
        const tact_digest digest = tact_digest_of(w->hits, w->count * sizeof *w->hits);
        if (round > 0 && strcmp(digest.text, w->digest.text) != 0) {
            tact_problem_set(problem, "the CPU gave other bytes when asked again");
            problem->exit_code = TACT_EXIT_CHECK_FAILED;
            return false;
        }
        w->digest = digest;
    }
    if (round == 0 || !form->peer) compare(w, form);
    if (round > 0) return true;
    form->left_out = form != w->forms && *ms > TOO_SLOW_MS;
    if (form->left_out) return true;
    // The first run of a form brings its pages and code in, and is no measure of it.
    double again = *ms;
    result = cast(w, form, &again);
    *ms = fmin(*ms, again);
    return result >= 0 || leave_failed(w, form, result, problem);
}

/// By the least of several runs, since one may have been disturbed.
static void leave_out_slow(void* own)
{
    workload* w = own;
    double best = HUGE_VAL;
    if (w->bench->all_forms) return;
    for (size_t i = 0; i < w->form_count; ++i)
        if (is_embree(&w->forms[i])) best = fmin(best, w->forms[i].least_ms);
    for (size_t i = 0; i < w->form_count; ++i) {
        tact_contestant* form = &w->forms[i];
        const tact_embree_form* peer = form->peer;
        const bool single = !peer || (peer->width == 1 && !peer->stream);
        if (!single && form->least_ms > FAR_BEHIND * best) form->left_out = true;
    }
}

static void find_best(workload* w)
{
    for (size_t i = 0; i < w->form_count; ++i) {
        const tact_contestant* form = &w->forms[i];
        const tact_embree_form* peer = form->peer;
        if (!is_embree(form) || form->left_out) continue;
        if (!w->best || form->ms.median < w->forms[w->best].ms.median) w->best = i;
        if (peer->width > 1 || peer->stream) continue;
        if (!w->single || form->ms.median < w->forms[w->single].ms.median) w->single = i;
    }
}

// ---- Rays ----

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
static void make_rays(workload* w)
{
    const uint64_t count = w->bench->rays, seed = w->bench->run.common.seed;
    const tact_bounds* bounds = &w->mesh->bounds;
    uint32_t side = (uint32_t)sqrt((double)count);
    while ((uint64_t)side * side > count)
        --side;
    w->count = is_picture(w->set) ? (size_t)side * side : (size_t)count;
    if (w->set == TACT_SET_RANDOM) tact_rays_random(bounds, seed, count, w->rays);
    if (w->set == TACT_SET_SEGMENTS) tact_rays_segments(bounds, seed, count, w->rays);
    if (w->set == TACT_SET_CAMERA) tact_rays_camera(bounds, side, side, w->rays);
    if (w->set == TACT_SET_OBLIQUE) make_oblique(bounds, side, w->rays);
}

// ---- Rows ----

/// How many times as long as form 0's a form's median is; NaN: not known.
static double over_ours(const workload* w, size_t form)
{
    const double ours = w->forms[0].ms.median;
    return form && ours > 0.0 ? w->forms[form].ms.median / ours : (double)NAN;
}

static void add_case(tact_report* r, const workload* w, bool table_alone)
{
    tact_report_text(r, "mesh", NULL, w->mesh->mesh->name);
    if (table_alone) tact_report_count(r, ">triangles", NULL, tact_model_triangles(&w->mesh->mesh->model));
    tact_report_text(r, "rays", NULL, set_names[w->set]);
    tact_report_text(r, "mode", NULL, w->mode == TACT_RAY_ANY ? "any" : "closest");
}

static void add_form_row(tact_report* r, const workload* w, const tact_contestant* form)
{
    static const char* const verdicts[] = {"equal bytes", "DIFFERS", "failed"};
    static const char* const results[] = {"equal", "DIFFERS", "failed"};
    const double nothing = (double)NAN, ours = w->forms[0].ms.median;
    const bool out = form->left_out, failed = form->status == TACT_BENCH_FAILED;
    const tact_spread ms = out ? (tact_spread){form->least_ms, nothing, nothing} : form->ms;
    const double paired = form != w->forms && !out ? form->paired : nothing;
    const double query = form->least_query_ms > 0.0 ? form->least_query_ms : nothing;
    char note[64];
    snprintf(note, sizeof note, "%s%s", form->peer ? "" : verdicts[form->status],
             out && !failed ? " (least of the first runs)" : "");
    tact_report_row(r);
    add_case(r, w, true);
    tact_report_count(r, ">count", NULL, w->count);
    tact_report_text(r, "form", "form", form->name);
    tact_report_spread(r, ">ms", NULL, "%.3f", 1.0, &ms);
    tact_report_number(r, ">Mrays/s", out ? NULL : "mrays_per_second", "%.3f", tact_bench_rate(w->count, ms.median));
    tact_report_number(r, ">x ours", NULL, "%.2f", form != w->forms && ours > 0.0 ? ms.median / ours : nothing);
    tact_report_number(r, ">x by rounds", "ratio_by_rounds", "%.2f", paired);
    tact_report_number(r, ">least query", NULL, "%.3f", query);
    tact_report_count(r, ">hits", "hits", form->results);
    tact_report_count(r, ">other rays", "other_rays", form->other);
    tact_report_text(r, "note", NULL, note);
    tact_json_truth(r->row, "peer", form->peer != NULL);
    if (!form->peer) tact_json_text(r->row, "backend", tact_backend_name(form->backend));
    if (!form->peer) tact_json_text(r->row, "result", results[form->status]);
    tact_json_truth(r->row, "left_out", out);
    tact_json_spread(r->row, "time_ms", out ? &(tact_spread){0} : &ms);
    cJSON* times = cJSON_GetObjectItem(r->row, "time_ms");
    tact_json_time(times, "least", form->least_ms);
    if (form->least_query_ms > 0.0) tact_json_time(times, "least_query", form->least_query_ms);
    tact_rounds_to_json(r->row, form);
}

static void add_check(const workload* w, cJSON* entry, const char* head, const char* key, const tact_rays_check* check)
{
    tact_report* r = &w->bench->checks;
    const char* result = check->differs ? "DIFFERS" : "equal";
    tact_report_count(r, head, NULL, check->rays);
    tact_report_number(r, ">ms", NULL, "%.3f", check->ms);
    tact_report_text(r, "result", NULL, check->rays == 0 ? "-" : result);
    if (check->rays == 0) return;
    cJSON* object = tact_json_object(entry, key);
    tact_json_count(object, "rays", check->rays);
    tact_json_time(object, "ms", check->ms);
    tact_json_text(object, "result", result);
}

static void add_summary(const workload* w)
{
    tact_report* r = &w->bench->summary;
    if (!w->best || !w->single) return;
    tact_report_row(r);
    add_case(r, w, false);
    tact_report_number(r, ">Mrays/s", NULL, "%.2f", tact_bench_rate(w->count, w->forms[0].ms.median));
    tact_report_number(r, ">embree single", NULL, "%.2f", tact_bench_rate(w->count, w->forms[w->single].ms.median));
    tact_report_number(r, ">x single", NULL, "%.2f", over_ours(w, w->single));
    tact_report_number(r, ">embree best", NULL, "%.2f", tact_bench_rate(w->count, w->forms[w->best].ms.median));
    tact_report_number(r, ">x best", NULL, "%.2f", over_ours(w, w->best));
    tact_report_text(r, "best form", NULL, w->forms[w->best].name);
}

static void add_rows(workload* w, const tact_rays_check checks[TACT_RAYS_CHECKS])
{
    tact_rays_bench* bench = w->bench;
    cJSON* entry = tact_json_append(bench->cases);
    tact_json_text(entry, "mesh", w->mesh->mesh->name);
    tact_json_count(entry, "triangles", tact_model_triangles(&w->mesh->mesh->model));
    tact_json_text(entry, "rays", set_names[w->set]);
    tact_json_text(entry, "mode", w->mode == TACT_RAY_ANY ? "any" : "closest");
    tact_json_count(entry, "count", w->count);
    tact_json_text(entry, "digest", w->digest.text);
    if (w->mesh->built_peak) tact_json_count(entry, "peak_bytes_when_built", w->mesh->built_peak);
    tact_report_row(&bench->checks);
    add_case(&bench->checks, w, false);
    tact_report_text(&bench->checks, "digest", NULL, w->digest.text);
    add_check(w, entry, ">one thread", "one_thread", &checks[TACT_ONE_THREAD]);
    add_check(w, entry, ">shuffled", "shuffled", &checks[TACT_SHUFFLED]);
    add_check(w, entry, ">brute force", "reference", &checks[TACT_BRUTE_FORCE]);
    if (w->single) tact_json_number(entry, "over_embree_single", over_ours(w, w->single));
    if (w->best) tact_json_number(entry, "over_embree_best", over_ours(w, w->best));
    if (w->best) tact_json_text(entry, "embree_best", w->forms[w->best].name);
    add_summary(w);
    bench->run.report.rows = tact_json_array(entry, "forms");
    for (size_t i = 0; i < w->form_count; ++i) {
        const tact_contestant* form = &w->forms[i];
        add_form_row(&bench->run.report, w, form);
        bench->run.wrong += form->status == TACT_BENCH_DIFFERS || form->status == TACT_BENCH_FAILED;
    }
    for (int i = 0; i < TACT_RAYS_CHECKS; ++i)
        bench->run.wrong += checks[i].differs;
}

// ---- Measuring ----

static bool measure(workload* w, tact_problem* problem)
{
    tact_rays_check checks[TACT_RAYS_CHECKS] = {{0}};
    make_rays(w);
    list_ours(w);
    list_peers(w);
    const tact_rounds rounds = {.all = w->forms,
                                .count = w->form_count,
                                .repeat = w->bench->run.repeat,
                                .own = w,
                                .run = turn,
                                .leave_out = leave_out_slow};
    if (!tact_rounds_run(&rounds, problem)) return false;
    find_best(w);
    const double triangles = (double)tact_model_triangles(&w->mesh->mesh->model);
    const tact_rays_cast asked = {
        .context = w->bench->run.session.context,
        .scene = w->mesh->first,
        .mode = w->mode,
        .rays = w->rays,
        .hits = w->hits,
        .count = w->count,
        .threads = w->bench->run.threads,
        .seed = w->bench->run.common.seed,
        .most = (w->bench->run.quick ? REFERENCE_PAIRS_QUICK : REFERENCE_PAIRS) / (triangles > 0.0 ? triangles : 1.0)};
    if (!w->bench->no_checks && !tact_rays_check_all(&asked, checks, problem)) return false;
    add_rows(w, checks);
    return true;
}

bool tact_bench_rays_measure(tact_rays_bench* bench, const tact_rays_mesh* mesh, tact_bench_set set, tact_ray_mode mode,
                             tact_problem* problem)
{
    const size_t most = (size_t)bench->rays;
    const char *name = mesh->mesh->name, *any = mode == TACT_RAY_ANY ? "any" : "closest";
    if (tact_bench_stopped(&bench->run, problem, "%s, %s, %s", name, set_names[set], any)) return true;
    workload* w = calloc(1, sizeof *w);
    if (!w) return tact_problem_out_of_memory(problem, "rays and hits");
    *w = (workload){.bench = bench, .mesh = mesh, .set = set, .mode = mode};
    w->rays = malloc(most * sizeof *w->rays);
    w->hits = malloc(most * sizeof *w->hits);
    w->other_hits = malloc(most * sizeof *w->other_hits);
    w->occluded = malloc(most);
    const bool room = w->rays && w->hits && w->other_hits && w->occluded;
    const bool good = room ? measure(w, problem) : tact_problem_out_of_memory(problem, "rays and hits");
    tact_contestants_free(w->forms, w->form_count);
    free(w->occluded);
    free(w->other_hits);
    free(w->hits);
    free(w->rays);
    free(w);
    return good || tact_bench_stopped(&bench->run, problem, "%s, %s, %s", name, set_names[set], any);
}
