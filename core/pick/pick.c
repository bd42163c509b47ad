// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/pick.h"

#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "base/parallel.h"
#include "base/platform.h"
#include "core/pick/rays.h"
#include "core/pick/request.h"
#include "core/query/ask.h"
#include "cpu_ref/pick/code.h"
#include "cpu_ref/pick/touched.h"
#ifdef TACT_HAVE_GL
#include "gpu/pick/scene.h"
#endif

struct tact_picker {
    tact_context* context;
    tact_pick_caster caster;
    tact_pick* picks;
    size_t count, capacity;
    bool has_answer;
#ifdef TACT_HAVE_GL
    tact_pick_drawer* drawer;  ///< NULL before the first use
#endif
};

/// A call on its way.
typedef struct job {
    tact_picker* picker;
    tact_scene* scene;
    const tact_pick_region* region;
    tact_pick_options options;
    tact_pick_mask mask;
    tact_pick_lens lens;
    tact_pick_list list;
    const tact_pick_view* view;
    bool drawn;  ///< depths in the list are the view's, not the bits of t
} job;

tact_result tact_picker_create(tact_context* context, tact_picker** out)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!out) return tact_null(&context->env, "picker");
    *out = tact_allocate_zeroed(&context->env, 1, sizeof **out);
    if (!*out) return TACT_ERROR_OUT_OF_MEMORY;
    (*out)->context = context;
    ++context->objects;
    return TACT_OK;
}

void tact_picker_destroy(tact_picker* picker)
{
    if (!picker) return;
    tact_env* env = &picker->context->env;
#ifdef TACT_HAVE_GL
    tact_pick_drawer_destroy(picker->drawer);
#endif
    tact_pick_caster_free(env, &picker->caster);
    tact_release(env, picker->picks);
    --picker->context->objects;
    tact_release(env, picker);
}

const tact_pick* tact_pick_last(const tact_picker* picker, size_t* count)
{
    const bool there = picker && picker->has_answer && picker->count > 0;
    *count = there ? picker->count : 0;
    return there ? picker->picks : NULL;
}

// ---- What was found, in words ----

/// The corners of a scene's triangle in the world, in double precision. False where there is none such.
static bool corners_of(const tact_scene* scene, const tact_pick_ids* ids, double corners[9])
{
    if (ids->instance >= scene->instance_count || ids->object >= scene->mesh_count) return false;
    const tact_scene_mesh* mesh = &scene->meshes[ids->object];
    if (ids->primitive >= mesh->triangle_count || scene->instances[ids->instance].mesh != ids->object) return false;
    const float* m = scene->matrices[ids->instance];
    for (int corner = 0; corner < 3; ++corner) {
        const float* p = mesh->positions + 3 * (size_t)mesh->indices[3 * (size_t)ids->primitive + (size_t)corner];
        for (int k = 0; k < 3; ++k) {
            const float* row = m + 4 * k;
            corners[3 * corner + k] =
                (((double)row[0] * (double)p[0] + (double)row[1] * (double)p[1]) + (double)row[2] * (double)p[2]) +
                (double)row[3];
        }
    }
    return true;
}

/// What the ray cast itself says of a triangle that is too thin, or too much seen edge-on, to be met once more.
static void tell_hit(const job* j, const tact_pick_found* found, tact_pick* pick)
{
    tact_ray ray;
    float t;
    memcpy(&t, &found->surface.depth, sizeof t);
    tact_pick_decode_barycentric(found->surface.barycentric, pick->barycentric);
    if (!tact_pick_lens_ray(&j->lens, (double)pick->x + 0.5, (double)pick->y + 0.5, &ray)) return;
    const double point[3] = {(double)ray.ox + (double)t * (double)ray.dx, (double)ray.oy + (double)t * (double)ray.dy,
                             (double)ray.oz + (double)t * (double)ray.dz};
    tact_pick_lens_place(&j->lens, point, pick);
}

/// Everything but where it was met; `mask`: the pixel is one of.
static void tell_ids(const job* j, const tact_pick_mask* mask, const tact_pick_found* found, uint32_t layer,
                     tact_pick* pick)
{
    memset(pick, 0, sizeof *pick);
    pick->object = found->ids.object;
    pick->instance = found->ids.instance;
    pick->primitive = found->ids.primitive;
    pick->pixels = found->pixels;
    pick->layer = layer;
    pick->x = (int32_t)((int64_t)j->view->left + mask->x + found->pixel % mask->width);
    pick->y = (int32_t)((int64_t)j->view->top + mask->y + found->pixel / mask->width);
}

static void tell_touch(const job* j, const tact_pick_found* found, const tact_pick_touch* touch, tact_pick* pick)
{
    const tact_pick_mask whole = {.width = j->view->width, .height = j->view->height};
    double c[9], normal[3], length = 0.0;
    tell_ids(j, &whole, found, 0, pick);
    pick->depth = (float)touch->depth;
    pick->barycentric[0] = (float)((1.0 - touch->u) - touch->v);
    pick->barycentric[1] = (float)touch->u;
    pick->barycentric[2] = (float)touch->v;
    const bool there = corners_of(j->scene, &found->ids, c);
    for (int k = 0; k < 3; ++k) {
        const int m = (k + 1) % 3, n = (k + 2) % 3;
        pick->position[k] = (float)touch->position[k];
        normal[k] = there ? (c[3 + m] - c[m]) * (c[6 + n] - c[n]) - (c[3 + n] - c[n]) * (c[6 + m] - c[m]) : 0.0;
        length += normal[k] * normal[k];
    }
    length = sqrt(length);
    for (int k = 0; k < 3 && length > 0.0 && isfinite(length); ++k)
        pick->normal[k] = (float)(normal[k] / length);
}

static void tell(const job* j, const tact_pick_found* found, uint32_t layer, tact_pick* pick)
{
    if (j->drawn) {
        tact_pick_tell(j->view, &j->mask, found, layer, pick);
    } else {
        tell_ids(j, &j->mask, found, layer, pick);
    }
    double corners[9];
    const bool there = corners_of(j->scene, &found->ids, corners);
    if (there && tact_pick_lens_refine(&j->lens, corners, pick)) return;
    if (!j->drawn) tell_hit(j, found, pick);
}

static void tell_some(size_t begin, size_t end, int worker, void* user)
{
    const job* j = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i)
        tell(j, &j->list.items[i], j->list.layers ? j->list.layers[i] : 0, &j->picker->picks[i]);
}

/// Makes room for so many picks. Those of the answer before are gone.
static bool hold_picks(size_t count, void* user)
{
    tact_picker* p = ((job*)user)->picker;
    void* picks = p->picks;
    const bool held = tact_reserve(&p->context->env, &picks, &p->capacity, 0, count, sizeof *p->picks);
    p->picks = picks;
    p->count = held ? count : 0;
    return held;
}

static tact_result tell_all(job* j, int threads)
{
    if (!hold_picks(j->list.count, j)) return TACT_ERROR_OUT_OF_MEMORY;
    tact_parallel_for(threads, j->list.count, 1024, tell_some, j);
    return TACT_OK;
}

// ---- Rays ----

static tact_result pick_by_rays(job* j, const tact_query_options* options, tact_query_report* report)
{
    const tact_pick_cast cast = {j->scene, j->view, &j->lens, &j->mask, &j->options, options};
    tact_pick_caster* const caster = &j->picker->caster;
    j->drawn = false;
    const tact_result result = j->options.extent == TACT_PICK_ALL
                                   ? tact_pick_cast_all(caster, &cast, report, &j->list)
                                   : tact_pick_cast_visible(caster, &cast, report, &j->list);
    report->memory_bytes += tact_pick_caster_bytes(caster);
    return result;
}

// ---- Touched ----

static void take_touch(size_t i, const tact_pick_found* found, const tact_pick_touch* touch, void* user)
{
    const job* j = user;
    tell_touch(j, found, touch, &j->picker->picks[i]);
}

static tact_result touch(tact_context* context, job* j, bool brute, const tact_query_options* options,
                         const tact_pick_touch_teller* teller)
{
    const tact_pick_touch_job work = {.scene = &j->scene->trace,
                                      .matrices = (const float(*)[12])j->scene->matrices,
                                      .view = j->view,
                                      .region = j->region,
                                      .group = j->options.group,
                                      .threads = options->threads,
                                      .brute = brute,
                                      .progress = options->progress,
                                      .progress_user = options->progress_user};
    const tact_result ready = tact_scene_catch_up(j->scene, 0);
    return ready == TACT_OK ? tact_pick_touched_each(&context->env, &work, teller) : ready;
}

static tact_result run_touch(tact_context* context, job* j, bool brute, const tact_query_options* options,
                             tact_query_report* report)
{
    const tact_trace_scene* s = &j->scene->trace;
    const tact_pick_touch_teller teller = {hold_picks, take_touch, j};
    const double start = tact_platform_milliseconds();
    j->picker->count = 0;
    const tact_result result = touch(context, j, brute, options, &teller);
    report->query_ms = tact_platform_milliseconds() - start;
    report->threads = options->threads;
    report->memory_bytes = tact_trace_scene_bytes(s) + j->picker->count * sizeof(tact_pick);
    return result;
}

static tact_result touch_by_trees(tact_context* context, uint32_t index, void* arguments,
                                  const tact_query_options* options, tact_query_report* report)
{
    (void)index;
    return run_touch(context, arguments, false, options, report);
}

static tact_result touch_all(tact_context* context, uint32_t index, void* arguments, const tact_query_options* options,
                             tact_query_report* report)
{
    (void)index;
    return run_touch(context, arguments, true, options, report);
}

static tact_cost cost_touch(const tact_device_info* device, uint32_t index, const void* arguments)
{
    const job* j = arguments;
    (void)device;
    (void)index;
    return tact_cost_of(NULL, 0.01, (double)j->scene->triangle_total * 1e-5, 0.0, 0.0);
}

/// What the reference finds, and where it is first another than the picker's.
typedef struct comparison {
    const job* job;
    tact_pick* picks;
    size_t count;
} comparison;

static bool hold_expected(size_t count, void* user)
{
    comparison* c = user;
    c->count = count;
    c->picks = tact_allocate(&c->job->picker->context->env, count, sizeof *c->picks);
    return c->picks != NULL;
}

static void take_expected(size_t i, const tact_pick_found* found, const tact_pick_touch* touch, void* user)
{
    const comparison* c = user;
    tell_touch(c->job, found, touch, &c->picks[i]);
}

static tact_result check_touch(tact_context* context, void* arguments, const tact_query_options* options)
{
    job* j = arguments;
    const tact_picker* p = j->picker;
    comparison c = {.job = j};
    const tact_pick_touch_teller teller = {hold_expected, take_expected, &c};
    tact_result result = touch(context, j, true, options, &teller);
    const size_t count = p->count < c.count ? p->count : c.count;
    size_t first = 0;
    while (result == TACT_OK && first < count && memcmp(&p->picks[first], &c.picks[first], sizeof *c.picks) == 0)
        ++first;
    if (result == TACT_OK && (first < count || c.count != p->count)) {
        result = tact_fail(&context->env, TACT_ERROR_SHADOW_MISMATCH,
                           "%zu things touched, the reference has %zu; they differ from number %zu on", p->count,
                           c.count, first);
    }
    tact_release(&context->env, c.picks);
    return result;
}

static const tact_query_backend touchers[] = {TACT_HOST_BACKENDS(touch_by_trees, cost_touch, touch_all)};

static const tact_query touching = {"picking what is touched", touchers, sizeof touchers / sizeof touchers[0],
                                    .compare = check_touch};

static tact_result pick_by_touch(job* j, const tact_query_options* options, tact_query_report* report)
{
    tact_context* context = j->picker->context;
    return tact_dispatch_on_host(context, &touching, j, options, "what is touched is found on the CPU", report);
}

// ---- Drawn ----

#ifdef TACT_HAVE_GL

static tact_result run_drawer(tact_context* context, uint32_t index, void* arguments, const tact_query_options* options,
                              tact_query_report* report)
{
    job* j = arguments;
    tact_device* device = context->devices[index];
    tact_result result = tact_scene_fetch(j->scene);
    if (result == TACT_OK) result = tact_device_enter(device);
    if (result != TACT_OK) return result;
    if (!j->picker->drawer) result = tact_pick_drawer_create(device, &j->picker->drawer);
    j->drawn = true;
    if (result == TACT_OK) {
        tact_resident* kept = &j->scene->kept[TACT_SCENE_DRAWN][index];
        tact_pick_scene_data* data = kept->data;
        const tact_drawn_scene drawn = {&j->scene->trace, &data};
        result =
            tact_pick_drawer_pick(j->picker->drawer, &drawn, j->view, &j->mask, &j->options, options, report, &j->list);
        tact_resident_keep(kept, data, tact_pick_scene_data_release);
    }
    tact_device_leave(device);
    return result;
}

/// Where drawing fails.
static tact_result run_rays(tact_context* context, uint32_t index, void* arguments, const tact_query_options* options,
                            tact_query_report* report)
{
    job* j = arguments;
    tact_query_options here = *options;
    (void)index;
    here.backend = TACT_BACKEND_CPU;
    here.shadow = false;
    tact_pick_list_free(&context->env, &j->list);
    return pick_by_rays(j, &here, report);
}

static tact_cost cost_drawer(const tact_device_info* device, uint32_t index, const void* arguments)
{
    (void)device;
    (void)index;
    (void)arguments;
    return tact_cost_of(NULL, 0.5, 0.0, 0.0, 0.0);
}

/// Only where drawing fails.
static tact_cost cost_rays(const tact_device_info* device, uint32_t index, const void* arguments)
{
    tact_cost cost = cost_drawer(device, index, arguments);
    cost.unable = "it was to be drawn";
    return cost;
}

static const tact_query_backend drawers[] = {
    {TACT_BACKEND_GL, run_drawer, cost_drawer},
    {TACT_BACKEND_CPU, run_rays, cost_rays},
};

static const tact_query drawing = {"picking by drawing", drawers, sizeof drawers / sizeof drawers[0], .compare = NULL};

#endif

static tact_result pick_by_drawing(job* j, const tact_query_options* options, tact_query_report* report)
{
    tact_context* context = j->picker->context;
    const bool automatic = options->backend == TACT_BACKEND_AUTO;
    if (!automatic && options->backend != TACT_BACKEND_GL) {
        return tact_fail(&context->env, TACT_ERROR_INVALID_ARGUMENT, "only OpenGL draws, not %s",
                         tact_backend_name(options->backend));
    }
#ifdef TACT_HAVE_GL
    tact_query_options gl = *options;
    gl.backend = TACT_BACKEND_GL;
    const tact_result result =
        tact_dispatch_because(context, &drawing, j, &gl, automatic ? "only OpenGL draws" : NULL, report);
    // What a rasteriser rounds no probe of arithmetic tells: tact/pick.h says it in words.
    if (report->backend == TACT_BACKEND_GL) report->exact = false;
    return result;
#else
    (void)report;
    return tact_fail(&context->env, TACT_ERROR_NO_DEVICE, "picking by drawing: built without OpenGL");
#endif
}

// ---- The call ----

static tact_result check_options(tact_env* env, const tact_pick_options* o, const tact_query_options* query)
{
    if ((unsigned)o->extent > TACT_PICK_TOUCHED) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "picking: no extent %d", (int)o->extent);
    }
    if ((unsigned)o->group > TACT_PICK_BY_PRIMITIVE) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "picking: no group %d", (int)o->group);
    }
    if ((unsigned)o->method > TACT_PICK_RASTER) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "picking: no method %d", (int)o->method);
    }
    if (o->extent == TACT_PICK_TOUCHED && o->method == TACT_PICK_RASTER) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "what is touched cannot be drawn; use rays");
    }
    return tact_query_options_check(env, "picking", query);
}

static tact_result check_call(tact_env* env, const job* j, const tact_pick* picks, size_t capacity)
{
    if (!j->scene || !j->view || !j->region) {
        return tact_null(env, !j->scene ? "scene" : !j->view ? "view" : "region");
    }
    if (j->scene->context != j->picker->context) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the scene belongs to another context than the picker");
    }
    if (capacity > 0 && !picks) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "room for %zu picks, but picks is NULL", capacity);
    }
    const tact_result committed = tact_scene_require_committed(j->scene);
    if (committed != TACT_OK) return committed;
    return tact_scene_refuse_shapes(j->scene, "picking");
}

static tact_result run(job* j, const tact_query_options* query, tact_query_report* report)
{
    tact_env* env = &j->picker->context->env;
    tact_result result = tact_pick_view_check(env, j->view);
    if (result == TACT_OK) result = tact_pick_mask_make(env, j->view, j->region, &j->mask);
    if (result == TACT_OK) result = tact_scene_need_vertices(j->scene);
    if (result != TACT_OK) return result;
    if (j->view->width > 0 && j->view->height > 0) tact_pick_lens_make(j->view, &j->lens);
    if (j->options.extent == TACT_PICK_TOUCHED) {
        result = pick_by_touch(j, query, report);
    } else if (j->options.method == TACT_PICK_RASTER) {
        result = pick_by_drawing(j, query, report);
    } else {
        result = pick_by_rays(j, query, report);
    }
    // What is touched tells itself.
    if (result >= TACT_OK && j->options.extent != TACT_PICK_TOUCHED) result = tell_all(j, query->threads);
    return result;
}

static void release_picker(void* picker)
{
    tact_picker_destroy(picker);
}

/// Picks that were drawn are drawn by OpenGL alone, and else found by rays.
static tact_result ask(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    const uint32_t* given = r->parameters;
    const tact_backend by = options ? options->backend : TACT_BACKEND_AUTO;
    const bool draws =
        (by == TACT_BACKEND_AUTO || by == TACT_BACKEND_GL) && tact_context_find(r->context, TACT_BACKEND_GL) >= 0;
    const tact_pick_options how = {
        .extent = (tact_pick_extent)given[0],
        .group = (tact_pick_group)given[1],
        .method = given[2] == TACT_PICK_RASTER && !draws ? TACT_PICK_RAYS : (tact_pick_method)given[2],
        .max_layers = given[3],
        .keep = given[4] != 0};
    const tact_pick_view view = tact_request_view(r);
    const tact_pick_region region = tact_request_region(r);
    tact_picker* picker = r->objects[0];
    if (!picker) {
        const tact_result made = tact_picker_create(r->context, &picker);
        if (made != TACT_OK) return tact_request_fail(r, made);
        r->objects[0] = picker;
        tact_request_own(r, picker, release_picker);
    }
    tact_pick* picks = tact_request_list(r, 0, r->most, sizeof *picks);
    if (!picks) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
    return tact_pick_scene(
        picker, (tact_scene*)(uintptr_t)r->given[0].data,
        &(tact_pick_work){
            .view = &view, .region = &region, .options = &how, .picks = picks, .capacity = r->most, .count = &r->count},
        options, report);
}

static bool is_drawn(const uint32_t* parameters)
{
    return parameters[2] == TACT_PICK_RASTER;
}

static const float lasso[5][2] = {{1, 1}, {39, 3}, {30, 29}, {12, 14}, {3, 27}};

/// By the variants' low bits.
static const struct {
    tact_pick_region region;
    tact_pick_options how;
} sampled[] = {
    {{.shape = TACT_PICK_LASSO, .lasso = lasso, .lasso_count = 5}, {.extent = TACT_PICK_VISIBLE}},
    {{.shape = TACT_PICK_POINT, .x = 17, .y = 11, .radius = 9},
     {.extent = TACT_PICK_ALL, .group = TACT_PICK_BY_PRIMITIVE, .max_layers = 3, .keep = true}},
    {{.shape = TACT_PICK_RECTANGLE, .rectangle = {30, 25, 5, 4}}, {.extent = TACT_PICK_TOUCHED}},
    {{.shape = TACT_PICK_FRAME}, {.method = TACT_PICK_RASTER, .group = TACT_PICK_BY_PRIMITIVE}},
    {{.shape = TACT_PICK_FRAME}, {.method = TACT_PICK_RASTER, .extent = TACT_PICK_ALL}},
};

static tact_result sample(tact_sample* s)
{
    const uint32_t number = s->of->variant % TACT_VARIANT_DRAWN;
    const tact_pick_options* o = &sampled[number].how;
    const uint32_t given[] = {(uint32_t)o->extent, (uint32_t)o->group, (uint32_t)o->method, o->max_layers, o->keep};
    memcpy(s->request.parameters, given, sizeof given);
    return tact_pick_sample(s, &sampled[number].region);
}

static const tact_query_sample features[] = {
    {.items = "picks in a lasso", .smallest = 2, .largest = 2, .variant = 0},
    {.items = "picks of all layers", .smallest = 2, .largest = 2, .variant = 1},
    {.items = "what is touched", .smallest = 2, .largest = 2, .variant = 2},
    {.items = "drawn picks", .smallest = 2, .largest = 2, .variant = 3 | TACT_VARIANT_DRAWN},
    {.items = "peeled picks", .smallest = 2, .largest = 2, .variant = 4 | TACT_VARIANT_DRAWN},
};

/// Those that rays find are dispatched as casts, the others by the rows above.
const tact_query tact_query_pick = {
    .name = "picking",
    .kind = TACT_RECORDED_PICK,
    .word = "pick",
    .unit = "pixels",
    .inputs = {{.type = TACT_CHUNK_SCENE},
               {TACT_CHUNK_ARRAY, false, "view", TACT_VIEW_WORDS, TACT_RECORDED_MIXED},
               {TACT_CHUNK_ARRAY, false, "region", TACT_REGION_WORDS, TACT_RECORDED_WORDS},
               {TACT_CHUNK_ARRAY, true, "lasso", 2, TACT_RECORDED_FLOATS}},
    .ask = ask,
    .check = tact_pick_check_request,
    .drawn = is_drawn,
    .sample = sample,
    TACT_FEATURES(features),
};

static void record_begin(tact_record_call* record, const job* j, const tact_query_options* query,
                         tact_query_report* report)
{
    const tact_pick_options* o = &j->options;
    uint32_t view[TACT_VIEW_WORDS], region[TACT_REGION_WORDS];
    tact_pick_view_words(j->view, view);
    tact_pick_region_words(j->region, region);
    const tact_call call = {
        .context = j->picker->context,
        .query = &tact_query_pick,
        .count = (uint64_t)j->view->width * j->view->height,
        .given = {{j->scene, 1}, {view, 1}, {region, 1}, tact_pick_lasso(j->region)},
        .parameters = {(uint32_t)o->extent, (uint32_t)o->group, (uint32_t)o->method, o->max_layers, o->keep}};
    tact_call_record(&call, query, report, record);
}

tact_result tact_pick_scene(tact_picker* picker, tact_scene* scene, const tact_pick_work* work,
                            const tact_query_options* options, tact_query_report* given_report)
{
    if (!tact_enter_query(picker ? picker->context : NULL, "picker", options)) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &picker->context->env;
    if (!work || !work->count) return tact_null(env, work ? "count" : "work");
    *work->count = 0;
    picker->has_answer = false;
    job j = {.picker = picker, .scene = scene, .view = work->view, .region = work->region};
    tact_query_options asked = {0};
    tact_query_report report;
    memset(&report, 0, sizeof report);
    if (work->options) j.options = *work->options;
    if (options) asked = *options;
    tact_result result = check_call(env, &j, work->picks, work->capacity);
    if (result == TACT_OK) result = check_options(env, &j.options, &asked);
    if (result == TACT_OK) result = tact_tickets_check(picker->context, options);
    if (result != TACT_OK) return result;
    if (asked.threads == 0) asked.threads = picker->context->threads;
    const double start = tact_platform_milliseconds();
    tact_float_env caller;
    tact_float_env_enter(&caller);
    tact_record_call call;
    record_begin(&call, &j, options, &report);
    result = run(&j, &asked, &report);
    tact_pick_list_free(env, &j.list);
    tact_pick_mask_free(env, &j.mask);
    tact_float_env_leave(&caller);
    report.total_ms = tact_platform_milliseconds() - start;
    if (given_report) *given_report = report;
    // What is touched is told before it is compared with the reference.
    const bool told = result == TACT_ERROR_SHADOW_MISMATCH && j.options.extent == TACT_PICK_TOUCHED;
    if (result >= TACT_OK || told) tact_record_answer(&call, picker->picks, picker->count * sizeof *picker->picks);
    result = tact_record_end(&call, result);
    if (result < TACT_OK) return result;
    picker->has_answer = true;
    *work->count = picker->count;
    result = tact_copy_out(picker->picks, picker->count, sizeof *picker->picks, work->picks, work->capacity);
    return tact_ticket_settle(picker->context, options, result, NULL);
}
