// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Every call that the rows of the queries make up, and some that are recorded otherwise. Each returns what the call
/// returned; `digest` is that of the answer by another way than the recorder's. What it is asked of lives until the
/// test ends, and so must the context. Include after run.h.

#include "base/xxh64.h"
#include "core/pick/request.h"
#include "tests/support/asked.h"
#include "tests/support/calls.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"

enum { RAYS = 60, VOLUMES = 80 };

typedef struct query_room {
    tact_ray rays[RAYS];
    tact_hit hits[RAYS];
} query_room;

static inline void make_rays(tact_ray rays[RAYS])
{
    test_random r = {3};
    for (int i = 0; i < RAYS; ++i) {
        const tact_ray ray = {2 * test_random_signed(&r),    2 * test_random_signed(&r),    9,  0,
                              0.2f * test_random_signed(&r), 0.2f * test_random_signed(&r), -1, 40};
        rays[i] = ray;
    }
}

static inline void make_boxes(tact_aabb boxes[VOLUMES], float from)
{
    test_random r = {7};
    for (int i = 0; i < VOLUMES; ++i) {
        const tact_vec3 low = {4 * test_random_signed(&r) + from, 4 * test_random_signed(&r),
                               4 * test_random_signed(&r)};
        boxes[i] = (tact_aabb){low, {low.x + 1.5f, low.y + 1, low.z + 1}};
    }
}

/// Makes a call up that lives until the test ends.
static inline void end_sample(void* sample)
{
    tact_sample_destroy(sample);
}

static inline tact_sample* keep_sample(tact_context* on, const asked_call* call)
{
    tact_sample* sample = NULL;
    if (asked_make(on, call, 1, &sample) != TACT_OK) fail_msg("%s: %s", call->of->items, tact_context_error(on));
    at_end(end_sample, sample);
    return sample;
}

/// The row's call with that method or those items.
static inline asked_call asked_named(const tact_query* query, const char* name)
{
    asked_call call = {NULL, NULL};
    for (size_t i = 0; asked_of_row(query, i, &call); ++i)
        if (strcmp(call.of->method ? call.of->method : call.of->items, name) == 0) return call;
    fail_msg("%s: no call named %s", query->name, name);
    return call;
}

/// Cubes, and with `shapes` much else.
static inline tact_scene* make_recorded_scene(tact_context* on, bool shapes)
{
    const asked_call call =
        shapes ? asked_named(&tact_query_raycast, "rays by rules") : asked_named(&tact_query_pick, "what is touched");
    return (tact_scene*)(uintptr_t)keep_sample(on, &call)->request.given[0].data;
}

typedef struct answer_digest {
    tact_xxh64 sum;
    size_t bytes;
} answer_digest;

static inline void add_to_digest(const void* data, size_t bytes, size_t word, void* user)
{
    answer_digest* d = user;
    tact_xxh64_add(&d->sum, data, bytes);
    d->bytes += bytes;
}

static inline tact_result ask_row(tact_context* on, const asked_call* call, const tact_query_options* given,
                                  uint64_t* digest)
{
    tact_request* r = &keep_sample(on, call)->request;
    tact_query_options options = {0};
    tact_result result = TACT_OK;
    answer_digest d = {.bytes = 0};
    if (given) options = *given;
    if (asked_is_drawn(call)) options = (tact_query_options){.backend = TACT_BACKEND_GL};
    // Neighbour lists are compared by their tests alone (tact/particles.h).
    if (call->query->kind == TACT_RECORDED_NEIGHBOURS) options.shadow = false;
    assert_int_equal(tact_request_ask(r, &options, NULL, &result), TACT_OK);
    if (result < TACT_OK) return result;  // another call would empty the sentence of an error
    tact_xxh64_begin(&d.sum);
    assert_int_equal(asked_answer(r, add_to_digest, &d), TACT_OK);
    // Samples may be of a size at which there is nothing.
    if (d.bytes == 0 && call->of >= call->query->features &&
        call->of < call->query->features + call->query->feature_count)
        fail_msg("%s: nothing is found", call->of->items);
    const tact_room* list = &r->rooms[r->rooms[1].list];
    assert_int_equal(result, list->list && r->count > list->rows ? TACT_INCOMPLETE : TACT_OK);
    *digest = tact_xxh64_end(&d.sum);
    return result;
}

static inline tact_result ask_submit(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    tact_scene* scene = make_recorded_scene(on, true);
    query_room q;
    make_rays(q.rays);
    const tact_raycast_work job = {.mode = TACT_RAY_ANY, .count = RAYS, .rays = q.rays, .hits = q.hits};
    tact_ticket ticket = 0;
    tact_result result = call_submit(scene, &job, options, &ticket);
    if (result == TACT_OK) result = tact_wait(on, ticket, NULL);
    *digest = tact_xxh64_of(q.hits, sizeof q.hits);
    return result;
}

static inline bool take_pairs(const tact_pair* pairs, size_t count, void* user)
{
    tact_xxh64_add(user, pairs, count * sizeof *pairs);
    return true;
}

/// Boxes in pieces; these are found on the CPU only.
static inline tact_result ask_each(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    tact_aabb boxes[VOLUMES];
    make_boxes(boxes, 0);
    tact_volumes* set = KEEP(new_volumes(on, NULL));
    assert_int_equal(tact_volumes_add_aabbs(set, boxes, VOLUMES, NULL, NULL, NULL), TACT_OK);
    const tact_query_options here = {.backend = TACT_BACKEND_CPU, .shadow = options && options->shadow};
    tact_xxh64 sum;
    uint64_t count = 0;
    tact_xxh64_begin(&sum);
    const tact_result result = call_pairs_each(set, NULL, TACT_PAIRS_AUTO, 7, take_pairs, &sum, &count, &here, NULL);
    *digest = tact_xxh64_end(&sum);
    assert_true(result < TACT_OK || count > 20);
    return result;
}

/// Drawn to a target, then asked; the scene changes in between, and the answer is fetched with too little room first.
static inline tact_result ask_target(tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    enum { ROOM = 200 };
    tact_scene* scene = make_recorded_scene(on, false);
    const asked_call drawn = asked_named(&tact_query_target, "picks of a target");
    const tact_pick_view view = tact_request_view(&keep_sample(on, &drawn)->request);
    const tact_pick_region region = {.shape = TACT_PICK_POINT, .x = 20, .y = 12, .radius = 8};
    const tact_pick_target_desc desc = {.width = view.width + 9, .height = view.height + 5};
    tact_pick_target* target = KEEP(new_pick_target(on, &desc));
    tact_pick_ticket ticket = 0;
    static tact_pick picks[ROOM];
    size_t count = 0;
    assert_int_equal(tact_pick_target_draw(target, scene, &view, 7), TACT_OK);
    assert_int_equal(tact_scene_remove_instance(scene, 0), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(tact_pick_target_submit(target, &region, TACT_PICK_BY_PRIMITIVE, &ticket), TACT_OK);
    assert_int_equal(tact_pick_target_wait(target, ticket, picks, 1, &count, NULL), TACT_INCOMPLETE);
    const tact_result result = tact_pick_target_wait(target, ticket, picks, ROOM, &count, NULL);
    assert_true(result < TACT_OK || count > 2);
    *digest = tact_xxh64_of(picks, count * sizeof *picks);
    return result;
}

typedef tact_result query_fn(tact_context* on, const tact_query_options* options, uint64_t* digest);

typedef struct recorded_case {
    const char* name;
    tact_recorded_kind kind;
    query_fn* ask;  ///< NULL: as the row does
    asked_call call;
} recorded_case;

static const recorded_case recorded_by_hand[] = {
    {"submitted", TACT_RECORDED_RAYCAST, ask_submit, {NULL, NULL}},
    {"pairs in pieces", TACT_RECORDED_PAIRS, ask_each, {NULL, NULL}},
    {"a target asked late", TACT_RECORDED_TARGET, ask_target, {NULL, NULL}},
};

/// Case number `index` of those that OpenGL alone answers, or of the others. False: there are no more.
static inline bool recorded_at(size_t index, bool drawn, recorded_case* c)
{
    asked_call call;
    for (size_t i = 0; i < sizeof recorded_by_hand / sizeof *recorded_by_hand; ++i) {
        *c = recorded_by_hand[i];
        if (drawn == (c->kind == TACT_RECORDED_TARGET) && index-- == 0) return true;
    }
    for (size_t i = 0; asked_at(i, &call); ++i) {
        *c = (recorded_case){call.of->items, call.query->kind, NULL, call};
        if (drawn == asked_is_drawn(&call) && index-- == 0) return true;
    }
    return false;
}

static inline tact_result ask_recorded(const recorded_case* c, tact_context* on, const tact_query_options* options,
                                       uint64_t* digest)
{
    return c->ask ? c->ask(on, options, digest) : ask_row(on, &c->call, options, digest);
}

/// Asks all that need not be drawn. Returns how many there are.
static inline size_t ask_all_recorded(tact_context* on)
{
    size_t count = 0;
    uint64_t digest;
    for (recorded_case c; recorded_at(count, false, &c); ++count)
        assert_true(ask_recorded(&c, on, NULL, &digest) >= TACT_OK);
    return count;
}
