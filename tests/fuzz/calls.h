// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Makes calls of the library's public functions out of bytes: every call that a row makes up (core/query/sample.h), of
/// scenes, sets and meshes with hostile numbers, its arrays and parameters changed; particles and shapes besides. What
/// a backend answers must be what the definition answers, to the bit, errors too. A program that includes this defines
/// `with_devices`, ROUNDS and finish() before. As it stands it tries a fixed number of random inputs, the same every
/// time, and the files named; with -DTACT_LIBFUZZER and clang's -fsanitize=fuzzer it is a libFuzzer target.

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/random.h"
#include "core/pick/request.h"
#include "tact/tact.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/index_calls.h"
#include "tests/fuzz/shape_calls.h"
#include "tests/support/asked.h"
#include "tests/support/calls.h"
#include "tests/support/quiet.h"

static size_t answered, refused, on_devices;

/// What is asked, and what tells whether the answer is right.
static tact_query_options fast = {.backend = TACT_BACKEND_CPU, .no_fallback = true, .threads = 1};
static const tact_query_options slow = {.backend = TACT_BACKEND_REFERENCE, .no_fallback = true, .threads = 1};

/// Both must do the same, but that a device need not have everything.
static bool same_result(const char* what, tact_result cpu, tact_result reference)
{
    if (cpu == TACT_ERROR_UNSUPPORTED && fast.backend != TACT_BACKEND_CPU) return false;
    if (cpu != reference) die(what);
    if (cpu < TACT_OK && !tact_context_error(context)[0]) die("an error without a word");
    if (cpu == TACT_ERROR_INTERNAL) die(what);
    if (cpu >= TACT_OK) {
        ++answered;
        on_devices += fast.backend != TACT_BACKEND_CPU;
    } else {
        ++refused;
    }
    return cpu >= TACT_OK;
}

static void same_bytes(const char* what, const void* cpu, const void* reference, size_t bytes)
{
    if (bytes > 0 && memcmp(cpu, reference, bytes) != 0) die(what);
}

enum { ROOM = ASKED_MOST, CALLS = 128, MOST_PIXELS = 64 };

// ---- Calls that rows make up ----

/// Made up once; from each its arrays and parameters are taken.
static tact_sample* samples[CALLS];

static const tact_sample* sample_of(size_t index, const asked_call* call)
{
    if (index >= CALLS) die("more calls than there is room for");
    if (!samples[index] && asked_make(context, call, 1, &samples[index]) != TACT_OK) die(call->of->items);
    return samples[index];
}

/// Another word in place of one of a row, which was `word`.
static uint32_t other_word(input* in, tact_recorded_type type, uint32_t word)
{
    // Numbers and small integers of one row are told apart by those of the sample alone, of which most stay.
    const uint32_t kind = type == TACT_RECORDED_MIXED ? byte(in) : type == TACT_RECORDED_FLOATS ? 224 : 240;
    if (kind < 224) return word;
    if (kind >= 240) return byte(in) == 255 ? UINT32_MAX : below(in, 52) - (byte(in) % 4 ? 0 : 4);
    const float f = number(in);
    memcpy(&word, &f, sizeof word);
    return word;
}

/// Rows of which some are those of the sample, as far as it has any, and most are not.
static tact_given other_rows(input* in, const tact_query_input* i, const tact_given* from, size_t count)
{
    const size_t words = count * (i->row_words > 0 ? i->row_words : 1);
    uint32_t* rows = malloc(4 * words + 1);
    if (!rows) abort();
    for (size_t row = 0, w = 0; row < count; ++row) {
        const bool keep = from->data && row < from->count && byte(in) % 4 == 0;
        for (uint32_t k = 0; k < i->row_words; ++k, ++w) {
            rows[w] = 0;
            if (from->data && row < from->count) memcpy(&rows[w], (const uint32_t*)from->data + w, 4);
            if (!keep) rows[w] = other_word(in, i->data_type, rows[w]);
        }
    }
    return (tact_given){rows, count};
}

/// Things that rows are asked of.
typedef struct asked_of {
    tact_chunk_type type;
    tact_given given[2];
} asked_of;

static tact_request make_request(input* in, const asked_call* call, const tact_sample* s, const asked_of* of)
{
    const tact_request* from = &s->request;
    tact_request r = {.context = context, .query = call->query, .most = ROOM};
    tact_query_input inputs[TACT_QUERY_INPUTS];
    // Poses are refused where any number of them is not finite.
    const size_t count = below(in, byte(in) % 2 ? 4 : MOST + 1);
    memcpy(r.parameters, from->parameters, sizeof r.parameters);
    for (int k = 0; k < TACT_RECORDED_PARAMETERS; ++k) {
        const bool room = call->query->room > 0 && (k == call->query->room - 1 || k == call->query->room);
        if (!room && byte(in) % 16 == 15) r.parameters[k] = below(in, 8);
    }
    r.asked = count;
    tact_query_inputs(call->query, r.parameters, inputs);
    for (int i = 0; i < TACT_QUERY_INPUTS; ++i) {
        const tact_given* given = &from->given[i];
        if (inputs[i].type == of->type && of->type != TACT_CHUNK_ARRAY) {
            if (!inputs[i].optional || byte(in) % 2) r.given[i] = of->given[i % 2];
        } else if (inputs[i].type == TACT_CHUNK_ARRAY && (!inputs[i].optional || byte(in) % 4)) {
            // Rows go together where the sample has as many of each; of one alone there is always one.
            const size_t rows = given->count == 1                         ? 1
                                : !given->data || given->count == s->size ? count
                                                                          : below(in, (uint32_t)given->count + 1);
            // Of another kind of rows the sample has none.
            const bool same = !call->query->adapt || r.parameters[0] == from->parameters[0];
            r.given[i] = other_rows(in, &inputs[i], same ? given : &(tact_given){NULL, 0}, rows);
        }
    }
    return r;
}

static void end_request(tact_request* r)
{
    tact_query_input inputs[TACT_QUERY_INPUTS];
    tact_query_inputs(r->query, r->parameters, inputs);
    tact_request_release(r);
    for (int i = 0; i < TACT_QUERY_INPUTS; ++i)
        if (inputs[i].type == TACT_CHUNK_ARRAY) free((void*)(uintptr_t)r->given[i].data);
}

typedef struct answer {
    size_t size;
    uint8_t bytes[1 << 18];
} answer;

static void take_answer(const void* data, size_t bytes, size_t word, void* user)
{
    answer* a = user;
    (void)word;
    if (bytes > sizeof a->bytes - a->size) die("an answer that has no room");
    memcpy(a->bytes + a->size, data, bytes);
    a->size += bytes;
}

/// Asks with objects of its own. False: they could not be made, or there is nothing to ask.
static bool ask_once(const tact_request* given, const tact_query_options* options, answer* a, tact_result* result)
{
    tact_request r = *given;
    a->size = 0;
    const tact_result made = tact_request_ask(&r, options, NULL, result);
    if (made == TACT_OK && *result >= TACT_OK) {
        take_answer(&r.count, sizeof r.count, 8, a);
        if (asked_answer(&r, take_answer, a) != TACT_OK) die("reading an answer");
    }
    tact_request_release(&r);
    return made == TACT_OK;
}

/// Whether both answer, and then the same.
static bool agree(const tact_request* r)
{
    static answer a, b;
    tact_result got, expected;
    const bool asked = ask_once(r, &fast, &a, &got);
    if (!asked) return ++refused, false;
    if (got < TACT_OK && got != TACT_ERROR_UNSUPPORTED && !tact_context_error(context)[0])
        die("an error without a word");
    if (!ask_once(r, &slow, &b, &expected)) die("objects that are made but once");
    if (!same_result(r->query->word, got, expected)) return false;
    if (a.size != b.size) {
        fprintf(stderr, "%zu bytes for %zu: ", a.size, b.size);
        die(r->query->word);
    }
    same_bytes(r->query->word, a.bytes, b.bytes, a.size);
    return true;
}

static void ask_target(const tact_request* r);
static void check_images(tact_request* r);
static void check_method(const tact_request* r);

/// Whether backends must agree, and answer in a reasonable time.
static bool is_comparable(const tact_request* r)
{
    const tact_query* q = r->query;
    if ((q->check && q->check(r)) || (q->drawn && q->drawn(r->parameters))) return false;
    if (q->kind == TACT_RECORDED_IMAGE) return fast.backend != TACT_BACKEND_CL && r->parameters[2] <= MOST_PIXELS;
    // A fast filter may leave pairs out.
    if (q->kind == TACT_RECORDED_FILTER) return r->parameters[1] == 0;
    if (q->kind != TACT_RECORDED_PICK) return true;
    const tact_pick_view view = tact_request_view(r);
    return view.width <= MOST_PIXELS && view.height <= MOST_PIXELS;
}

/// One call of each row that is asked of such things.
static void ask_rows(input* in, const asked_of* of)
{
    asked_call call;
    size_t index = 0;
    for (int kind = 1; kind < TACT_RECORDED_KINDS; ++kind) {
        const tact_query* q = tact_query_of((tact_recorded_kind)kind);
        const size_t calls = q->sample_count + q->feature_count, chosen = below(in, (uint32_t)calls), first = index;
        index += calls;
        if (q->inputs[0].type != of->type || !asked_of_row(q, chosen, &call)) continue;
        const tact_sample* s = asked_is_drawn(&call) ? NULL : sample_of(first + chosen, &call);
        // Particles are asked of a system that lives on.
        if (!s || !s->request.given[0].data) continue;
        tact_request r = make_request(in, &call, s, of);
        if (is_comparable(&r)) {
            const bool answers = agree(&r);
            if (answers && q->kind == TACT_RECORDED_IMAGE) check_images(&r);
            if (answers && q->kind == TACT_RECORDED_PAIRS) check_method(&r);
            if (q->kind == TACT_RECORDED_PICK && fast.backend == TACT_BACKEND_GL) ask_target(&r);
        }
        end_request(&r);
    }
}

/// Casts that are given away, of which some are forgotten, and none is found twice.
static void submit_rays(input* in, tact_scene* scene)
{
    enum { CASTS = 3 };
    static tact_hit hits[CASTS][MOST], expected[MOST];
    tact_ray rays[CASTS][MOST], gone[MOST];
    tact_ticket tickets[CASTS] = {0};
    size_t counts[CASTS];
    tact_ray_mode modes[CASTS];
    const uint32_t casts = 1 + below(in, CASTS);
    for (uint32_t i = 0; i < casts; ++i) {
        counts[i] = below(in, MOST + 1);
        modes[i] = (tact_ray_mode)below(in, 4);
        for (size_t k = 0; k < counts[i]; ++k)
            numbers(in, &rays[i][k].ox, 8);
        memcpy(gone, rays[i], sizeof gone);
        const tact_raycast_work job = {.mode = modes[i], .count = counts[i], .rays = gone, .hits = hits[i]};
        const tact_result sent = call_submit(scene, &job, &fast, &tickets[i]);
        memset(gone, 255, sizeof gone);
        if (!same_result("a submitted cast", sent,
                         tact_raycast(scene, modes[i], rays[i], counts[i], expected, &slow, NULL))) {
            tickets[i] = 0;
        }
    }
    for (uint32_t n = 0; n < casts; ++n) {
        const uint32_t i = byte(in) % 2 ? n : casts - 1 - n;
        bool done;
        if (tickets[i] == 0) continue;
        if (tact_poll(context, tickets[i], &done) != TACT_OK) die("a cast on its way");
        if (byte(in) % 8 == 0) {
            tact_cancel(context, tickets[i]);
        } else {
            if (tact_wait(context, tickets[i], NULL) != TACT_OK) die("waiting for a cast");
            if (tact_raycast(scene, modes[i], rays[i], counts[i], expected, &slow, NULL) < TACT_OK)
                die("the same cast");
            same_bytes("submitted rays", hits[i], expected, counts[i] * sizeof *expected);
        }
        if (tact_wait(context, tickets[i], NULL) != TACT_ERROR_INVALID_ARGUMENT) die("a ticket used twice");
        tickets[i] = 0;
    }
    for (uint32_t i = 0; i < casts; ++i)
        tact_cancel(context, tickets[i]);
}

/// Drawn, and so not the rays' to the bit; asked twice it says the same, and counts no more pixels than there are.
static void ask_target(const tact_request* r)
{
    tact_scene* scene = (tact_scene*)(uintptr_t)r->given[0].data;
    const tact_pick_view seen = tact_request_view(r), *view = &seen;
    const tact_pick_region asked = tact_request_region(r), *region = &asked;
    const tact_pick_group group = (tact_pick_group)r->parameters[1];
    static tact_pick a[ROOM], b[ROOM];
    size_t count_a = 0, count_b = 0;
    tact_pick_target* target = NULL;
    const tact_pick_target_desc desc = {.width = view->width, .height = view->height};
    if (tact_pick_target_create(context, &desc, &target) != TACT_OK) die("pick target");
    if (tact_pick_target_draw(target, scene, view, 1) == TACT_OK) {
        const tact_result first = tact_pick_target_query(target, region, group, a, ROOM, &count_a);
        tact_pick_ticket ticket = 0;
        bool done;
        if (tact_pick_target_submit(target, region, group, &ticket) == TACT_OK) {
            if (tact_pick_target_poll(target, ticket, &done) != TACT_OK) die("a request on its way");
            if (tact_pick_target_wait(target, ticket, b, ROOM, &count_b, NULL) != first) die("a target asked twice");
            if (count_a != count_b) die("how many of a target");
            same_bytes("targets", a, b, count_a * sizeof *a);
        } else if (first >= TACT_OK) {
            die("a request");
        }
        uint64_t pixels = 0;
        for (size_t i = 0; i < count_a; ++i)
            pixels += a[i].pixels;
        if (pixels > (uint64_t)view->width * view->height) die("more pixels than there are");
    }
    tact_pick_target_destroy(target);
}

static void add_mesh(input* in, tact_scene* scene)
{
    float positions[3 * MOST];
    uint32_t indices[3 * MOST], mesh;
    tact_sphere spheres[8];
    tact_capsule capsules[8];
    tact_aabb boxes[8];
    const size_t count = below(in, 9);
    switch (below(in, 6)) {
        case 0:
            numbers(in, &spheres[0].center.x, 4 * count);
            (void)tact_scene_add_spheres(scene, spheres, count, &mesh);
            break;
        case 1:
            numbers(in, &boxes[0].lower.x, 6 * count);
            (void)tact_scene_add_boxes(scene, boxes, count, &mesh);
            break;
        case 2:
            numbers(in, &capsules[0].a.x, 7 * count);
            (void)tact_scene_add_capsules(scene, capsules, count, &mesh);
            break;
        default: {
            tact_mesh_desc desc = {.positions = positions,
                                   .vertex_count = below(in, MOST + 1),
                                   .indices = indices,
                                   .triangle_count = below(in, MOST + 1)};
            const tact_mesh_quality quality = (tact_mesh_quality)below(in, 4);
            numbers(in, positions, 3 * desc.vertex_count);
            // Now and then one too large, which must be refused.
            for (size_t i = 0; i < 3 * desc.triangle_count; ++i) {
                const uint32_t index = byte(in);
                indices[i] = desc.vertex_count > 0 && index < 254 ? index % (uint32_t)desc.vertex_count : index << 24;
            }
            if (tact_scene_add_mesh(scene, &desc, &mesh) != TACT_OK) ++refused;
            (void)tact_scene_set_quality(scene, mesh, quality);
            break;
        }
    }
}

static void change(input* in, tact_scene* scene)
{
    float m[12], positions[3 * MOST] = {0};
    uint32_t instance;
    switch (below(in, 6)) {
        case 0:
        case 1:
            // Mostly one that can be inverted.
            numbers(in, m, 12);
            if (below(in, 4)) m[0] = m[5] = m[10] = 1.0f, m[1] = m[2] = m[4] = m[6] = m[8] = m[9] = 0.0f;
            if (tact_scene_add_instance(scene, below(in, 5), m, &instance) != TACT_OK) ++refused;
            break;
        case 2:
            numbers(in, m, 12);
            if (tact_scene_move_instance(scene, below(in, 5), m) != TACT_OK) ++refused;
            break;
        case 3:
            if (tact_scene_remove_instance(scene, below(in, 5)) != TACT_OK) ++refused;
            break;
        case 4:
            numbers(in, positions, 3 * MOST);
            if (tact_scene_update_mesh(scene, below(in, 4), positions, 0, (tact_mesh_update)below(in, 3)) != TACT_OK) {
                ++refused;
            }
            break;
        default:
            (void)tact_scene_set_mask(scene, below(in, 4), byte(in));
            (void)tact_scene_set_dynamic(scene, below(in, 4), below(in, 2));
            break;
    }
}

static void scenes(input* in)
{
    static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    tact_scene* scene = NULL;
    uint32_t instance;
    if (tact_scene_create(context, &scene) != TACT_OK) die("scene");
    const asked_of of = {TACT_CHUNK_SCENE, {{scene, 1}, {NULL, 0}}};
    for (uint32_t rounds = 1 + below(in, 3); rounds > 0; --rounds) {
        add_mesh(in, scene);
        if (below(in, 2)) (void)tact_scene_add_instance(scene, 0, identity, &instance);
        for (uint32_t i = 0; i < 1 + below(in, 4); ++i)
            change(in, scene);
        if (below(in, 16) != 15 && tact_scene_commit(scene) != TACT_OK) ++refused;
        ask_rows(in, &of);
        if (below(in, 4) == 0) submit_rays(in, scene);
    }
    tact_scene_destroy(scene);
}

/// The method that was asked for found the pairs.
static void check_method(const tact_request* r)
{
    tact_pairs_info info;
    const tact_volumes* set = r->given[0].data;
    if (fast.backend != TACT_BACKEND_CPU || r->parameters[0] == TACT_PAIRS_AUTO) return;
    tact_request again = *r;
    tact_result result;
    if (tact_request_ask(&again, &fast, NULL, &result) != TACT_OK || result < TACT_OK) die("the same pairs");
    if (tact_pairs_get_info(set, &info) != TACT_OK || info.method != (tact_pairs_method)r->parameters[0]) {
        die("another method of pairs");
    }
    tact_request_release(&again);
}

static void volumes(input* in)
{
    tact_aabb boxes[MOST];
    tact_sphere spheres[MOST];
    const tact_volumes_desc round_ones = {.kind = TACT_VOLUME_SPHERE};
    tact_volumes *set = NULL, *other = NULL;
    uint32_t ids[MOST];
    const size_t count = below(in, MOST + 1);
    numbers(in, &boxes[0].lower.x, 6 * count);
    numbers(in, &spheres[0].center.x, 4 * count);
    if (tact_volumes_create(context, NULL, &set) != TACT_OK) die("set");
    if (tact_volumes_create(context, &round_ones, &other) != TACT_OK) die("set");
    if (tact_volumes_add_aabbs(set, boxes, count, NULL, NULL, ids) != TACT_OK) die("boxes");
    if (tact_volumes_add_spheres(other, spheres, count, NULL, NULL, NULL) != TACT_OK) ++refused;
    const asked_of of = {TACT_CHUNK_SET, {{set, 1}, {other, 1}}};
    for (int round = 0; round < 4; ++round) {
        ask_rows(in, &of);
        const uint32_t some[2] = {below(in, MOST), below(in, MOST)};
        if (below(in, 2) && tact_volumes_remove(set, some, 2) != TACT_OK) ++refused;
        numbers(in, &boxes[0].lower.x, 6);
        if (tact_volumes_move_aabbs(set, some, boxes, 1) != TACT_OK) ++refused;
    }
    tact_volumes_destroy(set);
    tact_volumes_destroy(other);
    ask_rows(in, &(asked_of){.type = TACT_CHUNK_ARRAY});
}

/// Mostly a box, or any triangles.
static tact_mesh_desc make_desc(input* in, float* positions, uint32_t box)
{
    static const uint32_t indices[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                         2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    tact_mesh_desc desc = {.positions = positions, .triangle_count = below(in, MOST / 3 + 1)};
    if (below(in, 3) < box) {
        float ends[6];
        numbers(in, ends, 6);
        for (size_t i = 0; i < 24; ++i)
            positions[i] = ends[3 * (i / 3 >> i % 3 & 1) + i % 3];
        desc.vertex_count = 8;
        desc.indices = indices;
        desc.triangle_count = 12;
    } else {
        desc.vertex_count = 3 * desc.triangle_count;
        numbers(in, positions, 3 * desc.vertex_count);
    }
    return desc;
}

/// Of any pairs, and the same whichever mesh is the first.
static void ask_segments(input* in, tact_mesh* one, tact_mesh* two)
{
    tact_mesh_pair pairs[MOST];
    tact_triangle_contact a[MOST], b[MOST];
    const size_t count = below(in, MOST + 1);
    for (size_t i = 0; i < count; ++i)
        pairs[i] = (tact_mesh_pair){0, below(in, MOST / 3 + 1), below(in, MOST / 3 + 1)};
    const tact_result forth = call_mesh_overlap_segments(one, two, NULL, 1, pairs, count, a, &fast);
    for (size_t i = 0; i < count; ++i)
        pairs[i] = (tact_mesh_pair){0, pairs[i].b, pairs[i].a};
    if (same_result("segments", forth, call_mesh_overlap_segments(two, one, NULL, 1, pairs, count, b, &fast))) {
        same_bytes("segments the other way round", a, b, count * sizeof *a);
    }
}

/// The same with a front as without, and 0 where triangles overlap.
static void ask_separation(input* in, tact_mesh* one, tact_mesh* two)
{
    static tact_mesh_pair pairs[ROOM];
    tact_mesh_front* front = NULL;
    float pose[12];
    size_t count = 0;
    numbers(in, pose, 12);
    if (tact_mesh_front_create(one, two, &front) != TACT_OK) die("front");
    for (int round = 0; round < 3; ++round) {
        tact_mesh_distance a, b;
        if (below(in, 4)) {
            for (int k = 0; k < 12; ++k)
                if (k % 4 != 3) pose[k] = k % 5 == 0 ? 1.0f : 0.0f;
        }
        pose[3 + 4 * below(in, 3)] += 0.25f;
        const float limit = below(in, 3) ? INFINITY : number(in);
        const tact_result with = tact_mesh_separation(one, two, pose, limit, front, &a);
        if (!same_result("separation", with, tact_mesh_separation(one, two, pose, limit, NULL, &b))) continue;
        same_bytes("separation with a front", &a, &b, sizeof a);
        if (!(limit >= 0.0f)) continue;
        const tact_result listed =
            call_mesh_overlap_pairs(one, two, (const float(*)[12])pose, 1, pairs, ROOM, &count, &slow, NULL);
        if (listed != TACT_OK) die("pairs of a pose");
        if (count > 0 && (a.distance != 0.0f || a.triangle_a != pairs[0].a || a.triangle_b != pairs[0].b)) {
            die("what overlaps is at a distance");
        }
    }
    tact_mesh_front_destroy(front);
}

/// Counting samples and reading them back say the same, and what counting does not say is zero.
static void check_images(tact_request* r)
{
    tact_request both[2] = {*r, *r};
    tact_result results[2];
    for (int k = 0; k < 2; ++k) {
        both[k].parameters[1] = k ? TACT_IMAGE_READBACK : TACT_IMAGE_QUERY;
        if (tact_request_ask(&both[k], &fast, NULL, &results[k]) != TACT_OK) die("a tester");
    }
    if (results[0] != results[1]) die("the methods of images");
    const tact_image_result *q = both[0].rooms[0].data, *s = both[1].rooms[0].data;
    const size_t count = results[0] < TACT_OK ? 0 : tact_request_rows(&both[0], 0);
    for (size_t i = 0; i < count; ++i) {
        if (q[i].overlap != s[i].overlap || q[i].drawn != s[i].drawn || q[i].inside != s[i].inside)
            die("images differ");
        same_bytes("samples", q[i].samples, s[i].samples, sizeof q->samples);
        same_bytes("leaks", q[i].leaks, s[i].leaks, sizeof q->leaks);
        same_bytes("tolerances", &q[i].gap, &s[i].gap, 3 * sizeof q->gap);
        if (q[i].drawn && !(q[i].gap >= 0.0f && q[i].depth >= 0.0f)) die("a tolerance that is none");
        if (q[i].common != 0 || q[i].penetration != 0.0f) die("queries tell more than counts");
    }
    for (int k = 0; k < 2; ++k)
        tact_request_release(&both[k]);
}

static void meshes(input* in)
{
    float positions[2][3 * MOST];
    tact_mesh *one = NULL, *two = NULL;
    const tact_mesh_desc soups[2] = {make_desc(in, positions[0], 0), make_desc(in, positions[1], 0)};
    if (tact_mesh_create(context, &soups[0], &one) != TACT_OK) die("mesh");
    if (tact_mesh_create(context, &soups[1], &two) != TACT_OK) die("mesh");
    ask_segments(in, one, two);
    ask_separation(in, one, two);
    tact_mesh_destroy(one);
    tact_mesh_destroy(two);
    ask_rows(in, &(asked_of){TACT_CHUNK_MESH, {{&soups[0], 1}, {&soups[1], 1}}});
    const tact_mesh_desc boxes[2] = {make_desc(in, positions[0], 2), make_desc(in, positions[1], 2)};
    ask_rows(in, &(asked_of){TACT_CHUNK_MESH, {{&boxes[0], 1}, {&boxes[1], 1}}});
    ask_rows(in, &(asked_of){TACT_CHUNK_SHAPES, {{boxes, 2}, {NULL, 0}}});
}

static tact_result move_particles(input in, tact_backend backend, float (*state)[6], size_t* count)
{
    const float far_wall = 8.0f;
    tact_particles_desc desc = {.response = (tact_particle_response)below(&in, 3),
                                .backend = backend,
                                .domain = {{-far_wall, -far_wall, -far_wall}, {far_wall, far_wall, far_wall}},
                                .max_radius = 1.0f,
                                .gravity = {0, below(&in, 2) ? -9.81f : 0.0f, 0}};
    for (int k = 0; k < 3; ++k)
        desc.boundary[k] = (tact_boundary)below(&in, 3);
    tact_particles* p = NULL;
    tact_result result = tact_particles_create(context, &desc, &p);
    if (result != TACT_OK) return result;
    tact_query_options on = fast;
    on.backend = backend;
    for (uint32_t rounds = 1 + below(&in, 3); rounds > 0 && result == TACT_OK; --rounds) {
        float x[3 * MOST], v[3 * MOST], radii[MOST];
        const size_t more = below(&in, MOST + 1);
        numbers(&in, x, 3 * more);
        numbers(&in, v, 3 * more);
        for (size_t i = 0; i < more; ++i)
            radii[i] = 0.125f * (float)(1 + below(&in, 8));
        const tact_particle_arrays arrays = {.positions = x, .velocities = v, .radii = radii};
        if (tact_particles_add(p, &arrays, more, NULL) != TACT_OK) ++refused;
        const uint32_t gone = below(&in, MOST);
        if (below(&in, 2) && tact_particles_remove(p, &gone, 1) != TACT_OK) ++refused;
        result = tact_particles_step(p, 1e-3f * (float)(1 + below(&in, 8)), 1, 1 + below(&in, 4), &on, NULL);
    }
    *count = tact_particles_count(p);
    float positions[9 * MOST], velocities[9 * MOST];
    const tact_particle_output output = {.positions = positions, .velocities = velocities};
    if (result == TACT_OK) result = tact_particles_read(p, &output);
    for (size_t i = 0; i < *count && result == TACT_OK; ++i) {
        memcpy(state[i], positions + 3 * i, 12);
        memcpy(state[i] + 3, velocities + 3 * i, 12);
    }
    tact_particles_destroy(p);
    return result;
}

static void particles(input* in)
{
    static float a[3 * MOST][6], b[3 * MOST][6];
    size_t count_a = 0, count_b = 0;
    const tact_result got = move_particles(*in, fast.backend, a, &count_a);
    if (same_result("particles", got, move_particles(*in, TACT_BACKEND_REFERENCE, b, &count_b))) {
        if (count_a != count_b) die("how many particles");
        same_bytes("particles", a, b, count_a * sizeof *a);
    }
}

static void run_calls(input in)
{
    const uint32_t kind = byte(&in);
    static void (*const calls[])(input*) = {scenes,    volumes, meshes,       shapes,  particles, scenes,
                                            volumes,   meshes,  bit_rows,     octrees, portals,   shapes,
                                            particles, cells,   volume_trees, meshes};
    calls[kind % 16](&in);
}

static bool has_device(tact_backend backend)
{
    tact_device_info info;
    for (uint32_t i = 0; i < tact_context_device_count(context); ++i) {
        if (tact_context_device(context, i, &info) == TACT_OK && info.backend == backend) return true;
    }
    return false;
}

static void open_context(void)
{
    const tact_device_source kind = with_devices ? TACT_DEVICE_OWN : TACT_DEVICE_NONE;
    const tact_context_desc desc = {.gl = kind, .cl = kind, .threads = 1, .log = quiet};
    if (!context && tact_context_create(&desc, &context) != TACT_OK) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const tact_backend backends[] = {TACT_BACKEND_CPU, TACT_BACKEND_GL, TACT_BACKEND_CL};
    open_context();
    for (size_t i = 0; i < (with_devices ? 3 : 1); ++i) {
        if (i > 0 && !has_device(backends[i])) continue;
        fast.backend = backends[i];
        run_calls((input){data, data + size});
    }
    return 0;
}

#ifndef TACT_LIBFUZZER

/// ROUNDS [seed=N] FILE...
int main(int argc, char** argv)
{
    const long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : ROUNDS;
    const bool seeded = argc > 2 && strncmp(argv[2], "seed=", 5) == 0;
    const uint64_t seed = seeded ? strtoull(argv[2] + 5, NULL, 10) : 1;
    fuzz_try_files(argc, argv, seeded ? 3 : 2);
    for (long round = 0; round < rounds; ++round) {
        tact_random random = {seed + (uint64_t)round * 0x9e3779b97f4a7c15u};
        uint8_t bytes[4096];
        const size_t size = 1 + (size_t)tact_random_below(&random, sizeof bytes);
        // Some inputs have few hard numbers, some many.
        const bool tame = tact_random_below(&random, 2);
        for (size_t i = 0; i < size; ++i) {
            bytes[i] = (uint8_t)tact_random_next(&random);
            if (tame && bytes[i] >= 224 && tact_random_below(&random, 16)) bytes[i] &= 0x5f;
        }
        fuzz_try(bytes, size);
    }
    printf("%ld random inputs; %zu calls answered as defined, %zu of them on devices, %zu refused\n", rounds, answered,
           on_devices, refused);
    const bool has_gl = has_device(TACT_BACKEND_GL), has_cl = has_device(TACT_BACKEND_CL);
    for (size_t i = 0; i < CALLS; ++i)
        tact_sample_destroy(samples[i]);
    tact_context_destroy(context);
    return finish(has_gl, has_cl);
}

#endif
