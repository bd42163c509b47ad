// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/pick_target.h"

#include <stdio.h>
#include <string.h>

#include "base/float_env.h"
#include "core/pick/request.h"
#include "core/record/record.h"
#include "core/scene/scene.h"
#ifdef TACT_HAVE_GL
#include "gpu/pick/target.h"
#endif

/// All that was found, also for whoever wants the answer's digest: a target answers later than it is asked.
static tact_result collect(tact_request* r, tact_pick_target* target, tact_pick_ticket ticket)
{
    tact_record_witness* witness = r->context->witness;
    tact_result result = tact_pick_target_wait(target, ticket, NULL, 0, &r->count, NULL);
    tact_pick* picks = tact_request_list(r, 0, r->count, sizeof *picks);
    if (!picks) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
    if (result == TACT_INCOMPLETE) {
        result = tact_pick_target_wait(target, ticket, picks, r->count, &r->count, NULL);
    }
    if (result == TACT_OK && witness) {
        witness->answered = true;
        witness->bytes = r->count * sizeof *picks;
        witness->digest = tact_xxh64_of(picks, (size_t)witness->bytes);
        if (witness->take) witness->take(picks, (size_t)witness->bytes, witness->user);
    }
    return result;
}

static tact_result ask(tact_request* r, const tact_query_options* options, tact_query_report* report)
{
    (void)options;
    (void)report;
    const tact_pick_view view = tact_request_view(r);
    const tact_pick_region region = tact_request_region(r);
    const tact_pick_target_desc desc = {.width = view.width, .height = view.height};
    tact_pick_target* target = NULL;
    tact_pick_ticket ticket = 0;
    tact_result result = tact_pick_target_create(r->context, &desc, &target);
    if (result == TACT_OK) {
        result = tact_pick_target_draw(target, (tact_scene*)(uintptr_t)r->given[0].data, &view, 1);
    }
    if (result == TACT_OK) {
        result = tact_pick_target_submit(target, &region, (tact_pick_group)r->parameters[0], &ticket);
    }
    if (result == TACT_OK) result = collect(r, target, ticket);
    tact_pick_target_destroy(target);
    return result;
}

static bool is_drawn(const uint32_t* parameters)
{
    (void)parameters;
    return true;
}

static tact_result sample(tact_sample* s)
{
    static const tact_pick_region region = {.shape = TACT_PICK_POINT, .x = 20, .y = 12, .radius = 8};
    s->request.parameters[0] = TACT_PICK_BY_PRIMITIVE;
    return tact_pick_sample(s, &region);
}

static const tact_query_sample features[] = {
    {.items = "picks of a target", .smallest = 2, .largest = 2, .variant = TACT_VARIANT_DRAWN}};

/// A region of what was drawn.
const tact_query tact_query_target = {
    .name = "picking from a target",
    .kind = TACT_RECORDED_TARGET,
    .word = "target",
    .unit = "pixels",
    .only = TACT_BACKEND_GL,
    .asynchronous = true,
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

/// A request that is recorded, and answered later.
typedef struct recorded_request {
    tact_pick_ticket ticket;  ///< 0: free
    uint64_t number;          ///< the recorder's
} recorded_request;

enum { MOST_REQUESTS = 64 };

struct tact_pick_target {
    tact_context* context;
#ifdef TACT_HAVE_GL
    tact_device* device;
    tact_gpu_pick_target* gpu;
    tact_record_drawing drawing;  ///< what the planes show, if a recorder wants to know
    tact_pick_view view;          ///< of it
    uint64_t revision;
    recorded_request requests[MOST_REQUESTS];
#endif
};

tact_result tact_pick_target_create(tact_context* context, const tact_pick_target_desc* desc, tact_pick_target** out)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!out) return tact_null(&context->env, "target");
    *out = NULL;
    tact_env* env = &context->env;
    const int device = tact_context_find(context, TACT_BACKEND_GL);
    if (device < 0) {
        return tact_fail(env, tact_context_missing_result(context, TACT_BACKEND_GL), "a pick target needs OpenGL: %s",
                         context->missing[TACT_BACKEND_GL]);
    }
#ifdef TACT_HAVE_GL
    tact_pick_target* t = tact_allocate_zeroed(env, 1, sizeof *t);
    if (!t) return TACT_ERROR_OUT_OF_MEMORY;
    t->context = context;
    t->device = context->devices[device];
    tact_result result = tact_device_enter(t->device);
    if (result == TACT_OK) {
        result = tact_gpu_pick_target_create(t->device, desc, &t->gpu);
        tact_device_leave(t->device);
    }
    if (result != TACT_OK) {
        tact_release(env, t);
        return result;
    }
    ++context->objects;
    *out = t;
    return TACT_OK;
#else
    (void)desc;
    return tact_fail(env, TACT_ERROR_NO_DEVICE, "built without OpenGL");
#endif
}

void tact_pick_target_destroy(tact_pick_target* target)
{
    if (!target) return;
#ifdef TACT_HAVE_GL
    const bool entered = tact_device_enter(target->device) == TACT_OK;
    tact_gpu_pick_target_destroy(target->gpu);
    if (entered) tact_device_leave(target->device);
    tact_record_forget(target->context, &target->drawing);
#endif
    --target->context->objects;
    tact_release(&target->context->env, target);
}

#ifdef TACT_HAVE_GL

extern const unsigned char tact_shader_pick_snippet_glsl[];

tact_gpu_pick_target* tact_pick_target_gpu(tact_pick_target* target)
{
    return target->gpu;
}

size_t tact_pick_target_glsl(uint32_t location, char* text, size_t capacity)
{
    char head[160];
    const char* body = (const char*)tact_shader_pick_snippet_glsl;
    const int length = snprintf(head, sizeof head,
                                "#ifndef TACT_PICK_LOCATION_0\n#define TACT_PICK_LOCATION_0 %u\n"
                                "#define TACT_PICK_LOCATION_1 %u\n#endif\n",
                                (unsigned)location, (unsigned)location + 1);
    const size_t head_bytes = length > 0 ? (size_t)length : 0, body_bytes = strlen(body) + 1;
    if (text && capacity > 0) {
        const size_t first = head_bytes < capacity ? head_bytes : capacity;
        const size_t second = body_bytes < capacity - first ? body_bytes : capacity - first;
        memcpy(text, head, first);
        memcpy(text + first, body, second);
        text[first + second - 1] = 0;
    }
    return head_bytes + body_bytes;
}

void tact_pick_target_textures(const tact_pick_target* target, uint32_t textures[2])
{
    if (!textures) return;
    textures[0] = textures[1] = 0;
    if (target) tact_gpu_pick_target_textures(target->gpu, textures);
}

bool tact_pick_target_current(const tact_pick_target* target, const tact_pick_view* view, uint64_t revision)
{
    return target && view && tact_gpu_pick_target_current(target->gpu, view, revision);
}

// Every call on the device lies between these.
static tact_result enter(tact_pick_target* target, tact_float_env* before)
{
    if (!tact_enter(target ? target->context : NULL, "target")) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result result = tact_device_enter(target->device);
    if (result == TACT_OK) tact_float_env_enter(before);
    return result;
}

static tact_result leave(tact_pick_target* target, const tact_float_env* before, tact_result result)
{
    tact_float_env_leave(before);
    tact_device_leave(target->device);
    return result;
}

static tact_result fail_null(const tact_pick_target* target, const char* what)
{
    if (!tact_enter(target ? target->context : NULL, "target")) return TACT_ERROR_INVALID_ARGUMENT;
    return tact_null(&target->context->env, what);
}

tact_result tact_pick_target_resize(tact_pick_target* target, uint32_t width, uint32_t height, uint32_t samples)
{
    tact_float_env before;
    const tact_result result = enter(target, &before);
    if (result != TACT_OK) return result;
    return leave(target, &before, tact_gpu_pick_target_resize(target->gpu, width, height, samples));
}

tact_result tact_pick_target_attach(tact_pick_target* target, uint32_t first)
{
    tact_float_env before;
    const tact_result result = enter(target, &before);
    if (result != TACT_OK) return result;
    return leave(target, &before, tact_gpu_pick_target_attach(target->gpu, first));
}

tact_result tact_pick_target_detach(tact_pick_target* target)
{
    tact_float_env before;
    const tact_result result = enter(target, &before);
    if (result != TACT_OK) return result;
    return leave(target, &before, tact_gpu_pick_target_detach(target->gpu));
}

tact_result tact_pick_target_clear(tact_pick_target* target)
{
    tact_float_env before;
    const tact_result result = enter(target, &before);
    if (result != TACT_OK) return result;
    return leave(target, &before, tact_gpu_pick_target_clear(target->gpu));
}

tact_result tact_pick_target_drawn(tact_pick_target* target, const tact_pick_view* view, int32_t x, int32_t y,
                                   uint64_t revision)
{
    if (!view) return fail_null(target, "view");
    tact_float_env before;
    const tact_result result = enter(target, &before);
    if (result != TACT_OK) return result;
    tact_record_forget(target->context, &target->drawing);
    return leave(target, &before, tact_gpu_pick_target_drawn(target->gpu, view, x, y, revision));
}

tact_result tact_pick_target_begin(tact_pick_target* target, const tact_pick_view* view, uint64_t revision)
{
    if (!view) return fail_null(target, "view");
    tact_float_env before;
    const tact_result result = enter(target, &before);
    if (result != TACT_OK) return result;
    tact_record_forget(target->context, &target->drawing);
    return leave(target, &before, tact_gpu_pick_target_begin(target->gpu, view, revision));
}

tact_result tact_pick_target_end(tact_pick_target* target)
{
    tact_float_env before;
    const tact_result result = enter(target, &before);
    if (result != TACT_OK) return result;
    return leave(target, &before, tact_gpu_pick_target_end(target->gpu));
}

tact_result tact_pick_target_draw(tact_pick_target* target, tact_scene* scene, const tact_pick_view* view,
                                  uint64_t revision)
{
    if (!scene) return fail_null(target, "scene");
    if (!view) return fail_null(target, "view");
    if (target && scene->context != target->context) {
        return tact_fail(&target->context->env, TACT_ERROR_INVALID_ARGUMENT,
                         "the scene belongs to another context than the target");
    }
    if (target && !scene->committed) {
        return tact_fail(&target->context->env, TACT_ERROR_INVALID_ARGUMENT,
                         "the scene has changes that are not committed");
    }
    tact_float_env before;
    tact_result result = target ? tact_scene_fetch(scene) : TACT_OK;
    if (result == TACT_OK) result = enter(target, &before);
    if (result != TACT_OK) return result;
    tact_record_forget(target->context, &target->drawing);
    tact_resident* kept = &scene->kept[TACT_SCENE_DRAWN][tact_context_find(target->context, TACT_BACKEND_GL)];
    tact_pick_scene_data* data = kept->data;
    const tact_drawn_scene drawn = {&scene->trace, &data};
    result = tact_gpu_pick_target_draw(target->gpu, &drawn, view, revision);
    tact_resident_keep(kept, data, tact_pick_scene_data_release);
    if (result == TACT_OK) {
        uint32_t words[TACT_VIEW_WORDS];
        tact_pick_view_words(view, words);
        tact_record_keep(target->context, &target->drawing, scene, words, TACT_VIEW_WORDS);
        target->view = *view;
        target->revision = revision;
    }
    return leave(target, &before, result);
}

// What is recorded: the request, whose answer is told when it is collected.

static void record_begin(tact_record_call* call, tact_pick_target* t, const tact_pick_region* region,
                         tact_pick_group group)
{
    // Emptied since, or other planes: nothing was drawn.
    if (!tact_gpu_pick_target_current(t->gpu, &t->view, t->revision)) tact_record_forget(t->context, &t->drawing);
    const tact_given lasso = tact_pick_lasso(region);
    const size_t words = tact_record_sum(t->drawing.bytes, TACT_VIEW_WORDS + TACT_REGION_WORDS, sizeof(uint32_t));
    tact_record_begin(call, t->context, TACT_RECORDED_TARGET, NULL, NULL, (uint64_t)t->view.width * t->view.height,
                      tact_record_sum(words, lasso.count, sizeof *region->lasso));
    if (!call->context) return;
    tact_record_only(call, TACT_BACKEND_GL, 1);
    call->report->exact = false;
    tact_record_parameter(call, 0, (uint32_t)group);
    tact_record_drawn(call, &t->drawing);
    uint32_t row[TACT_REGION_WORDS];
    tact_pick_region_words(region, row);
    tact_record_array(call, 2, row, TACT_REGION_WORDS, 1);
    if (lasso.data) tact_record_array(call, 3, lasso.data, 2, lasso.count);
}

static recorded_request* find_request(tact_pick_target* t, tact_pick_ticket ticket)
{
    for (int i = 0; i < MOST_REQUESTS; ++i)
        if (t->requests[i].ticket == ticket) return &t->requests[i];
    return NULL;
}

static void record_collected(tact_pick_target* t, tact_pick_ticket ticket, const tact_pick* picks, size_t count)
{
    recorded_request* r = ticket ? find_request(t, ticket) : NULL;
    if (!r) return;
    // An answer of nothing is one too.
    tact_record_late(t->context, r->number, TACT_OK, NULL, picks ? (const void*)picks : "", count * sizeof *picks);
    r->ticket = 0;
}

tact_result tact_pick_target_submit(tact_pick_target* target, const tact_pick_region* region, tact_pick_group group,
                                    tact_pick_ticket* ticket)
{
    if (ticket) *ticket = 0;
    if (!ticket) return fail_null(target, "ticket");
    if (!region) return fail_null(target, "region");
    tact_float_env before;
    tact_result result = enter(target, &before);
    if (result != TACT_OK) return result;
    tact_record_call call;
    record_begin(&call, target, region, group);
    result = tact_gpu_pick_target_submit(target->gpu, region, group, ticket);
    recorded_request* r = result == TACT_OK && call.number != 0 ? find_request(target, 0) : NULL;
    if (r) *r = (recorded_request){*ticket, call.number};
    return leave(target, &before, tact_record_end(&call, result));
}

tact_result tact_pick_target_poll(tact_pick_target* target, tact_pick_ticket ticket, bool* done)
{
    if (!done) return fail_null(target, "done");
    tact_float_env before;
    const tact_result result = enter(target, &before);
    if (result != TACT_OK) return result;
    return leave(target, &before, tact_gpu_pick_target_poll(target->gpu, ticket, done));
}

tact_result tact_pick_target_wait(tact_pick_target* target, tact_pick_ticket ticket, tact_pick* picks, size_t capacity,
                                  size_t* count, uint64_t* revision)
{
    if (count) *count = 0;
    if (!count) return fail_null(target, "count");
    if (capacity > 0 && !picks) return fail_null(target, "picks");
    tact_float_env before;
    tact_result result = enter(target, &before);
    if (result != TACT_OK) return result;
    result = tact_gpu_pick_target_wait(target->gpu, ticket, picks, capacity, count, revision);
    if (result == TACT_OK) record_collected(target, ticket, picks, *count);
    return leave(target, &before, result);
}

void tact_pick_target_cancel(tact_pick_target* target, tact_pick_ticket ticket)
{
    tact_float_env before;
    if (enter(target, &before) != TACT_OK) return;
    tact_gpu_pick_target_cancel(target->gpu, ticket);
    recorded_request* r = ticket ? find_request(target, ticket) : NULL;
    if (r) r->ticket = 0;
    (void)leave(target, &before, TACT_OK);
}

#else  // there are no targets to call these with

/// There is none without OpenGL.
static tact_result no_target(const tact_pick_target* target)
{
    tact_error_begin(NULL);
    if (!target) return tact_null(NULL, "target");
    return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "no pick target: built without OpenGL");
}

size_t tact_pick_target_glsl(uint32_t location, char* text, size_t capacity)
{
    (void)location;
    if (text && capacity > 0) text[0] = 0;
    return 1;
}

void tact_pick_target_textures(const tact_pick_target* target, uint32_t textures[2])
{
    (void)target;
    if (textures) textures[0] = textures[1] = 0;
}

bool tact_pick_target_current(const tact_pick_target* target, const tact_pick_view* view, uint64_t revision)
{
    (void)target;
    (void)view;
    (void)revision;
    return false;
}

tact_result tact_pick_target_resize(tact_pick_target* target, uint32_t width, uint32_t height, uint32_t samples)
{
    (void)width;
    (void)height;
    (void)samples;
    return no_target(target);
}

tact_result tact_pick_target_attach(tact_pick_target* target, uint32_t first)
{
    (void)first;
    return no_target(target);
}

tact_result tact_pick_target_detach(tact_pick_target* target)
{
    return no_target(target);
}

tact_result tact_pick_target_clear(tact_pick_target* target)
{
    return no_target(target);
}

tact_result tact_pick_target_drawn(tact_pick_target* target, const tact_pick_view* view, int32_t x, int32_t y,
                                   uint64_t revision)
{
    (void)view;
    (void)x;
    (void)y;
    (void)revision;
    return no_target(target);
}

tact_result tact_pick_target_begin(tact_pick_target* target, const tact_pick_view* view, uint64_t revision)
{
    (void)view;
    (void)revision;
    return no_target(target);
}

tact_result tact_pick_target_end(tact_pick_target* target)
{
    return no_target(target);
}

tact_result tact_pick_target_draw(tact_pick_target* target, tact_scene* scene, const tact_pick_view* view,
                                  uint64_t revision)
{
    (void)scene;
    (void)view;
    (void)revision;
    return no_target(target);
}

tact_result tact_pick_target_submit(tact_pick_target* target, const tact_pick_region* region, tact_pick_group group,
                                    tact_pick_ticket* ticket)
{
    (void)region;
    (void)group;
    (void)ticket;
    return no_target(target);
}

tact_result tact_pick_target_poll(tact_pick_target* target, tact_pick_ticket ticket, bool* done)
{
    (void)ticket;
    (void)done;
    return no_target(target);
}

tact_result tact_pick_target_wait(tact_pick_target* target, tact_pick_ticket ticket, tact_pick* picks, size_t capacity,
                                  size_t* count, uint64_t* revision)
{
    (void)ticket;
    (void)picks;
    (void)capacity;
    (void)count;
    (void)revision;
    return no_target(target);
}

void tact_pick_target_cancel(tact_pick_target* target, tact_pick_ticket ticket)
{
    (void)target;
    (void)ticket;
}

#endif

tact_result tact_pick_target_query(tact_pick_target* target, const tact_pick_region* region, tact_pick_group group,
                                   tact_pick* picks, size_t capacity, size_t* count)
{
    tact_pick_ticket ticket = 0;
    if (count) *count = 0;
    if (!tact_enter(target ? target->context : NULL, "target")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!count) return tact_null(&target->context->env, "count");
    if (capacity > 0 && !picks) return tact_null(&target->context->env, "picks");
    tact_result result = tact_pick_target_submit(target, region, group, &ticket);
    if (result != TACT_OK) return result;
    result = tact_pick_target_wait(target, ticket, picks, capacity, count, NULL);
    tact_pick_target_cancel(target, ticket);
    return result;
}
