// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L

#include "tests/support/run.h"

#include "apps/timing.h"
#include "core/record/record.h"
#include "core/scene/scene.h"
#include "tests/support/calls.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"
#include "tests/support/recorded_file.h"
#include "tests/support/recorded_queries.h"
#include "tools/replay/recording.h"

// The recorder and what reads its files: every query comes back the same, memory is bounded, and no file breaks it.

static int assertions;

static bool count_assertion(const char* condition, const char* file, int line, void* user)
{
    ++assertions;
    return false;
}

static tact_context* open_recording(uint32_t queries, size_t bytes, bool devices)
{
    const tact_context_desc desc = {.log = quiet,
                                    .assertion = count_assertion,
                                    .threads = 2,
                                    .gl = devices ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .cl = devices ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .record_queries = queries,
                                    .record_bytes = bytes};
    return new_context(&desc);
}

/// What is kept, read in another context.
static tact_recording* read_back(tact_context* from, tact_context* to)
{
    uint8_t* bytes = NULL;
    size_t size = 0;
    assert_int_equal(tact_record_pack(from, &bytes, &size), TACT_OK);
    tact_recording* recording = NULL;
    if (tact_recording_read(to, bytes, size, &recording) != TACT_OK) fail_msg("%s", tact_context_error(to));
    tact_release(&from->env, bytes);
    return KEEP(recording);
}

TEST(digests_are_those_of_the_library)
{
    uint8_t bytes[300];
    for (size_t i = 0; i < sizeof bytes; ++i)
        bytes[i] = (uint8_t)(i * 37 + i / 7);
    for (size_t size = 0; size <= sizeof bytes; ++size) {
        char text[17];
        snprintf(text, sizeof text, "%016llx", (unsigned long long)tact_xxh64_of(bytes, size));
        assert_string_equal(text, tact_digest_of(bytes, size).text);
        // In any pieces.
        tact_xxh64 s;
        tact_xxh64_begin(&s);
        for (size_t at = 0, step = 1; at < size; at += step, step = step % 41 + 3)
            tact_xxh64_add(&s, bytes + at, step < size - at ? step : size - at);
        assert_true(tact_xxh64_end(&s) == tact_xxh64_of(bytes, size));
    }
}

typedef struct taken {
    tact_xxh64 sum;
    uint64_t bytes;
} taken;

static void take_answer(const void* bytes, size_t size, void* user)
{
    taken* t = user;
    tact_xxh64_add(&t->sum, bytes, size);
    t->bytes += size;
}

/// Asks on one backend and runs it again on each of the others.
static void check_round_trip(const recorded_case* c, tact_context* asked, tact_context* again, tact_backend backend)
{
    tact_record_clear(asked);
    const tact_query_options options = {.backend = backend, .shadow = c->ask != ask_submit};
    uint64_t digest = 0;
    const tact_result result = ask_recorded(c, asked, &options, &digest);
    if (result < TACT_OK) fail_msg("%s: %s", c->name, tact_context_error(asked));
    tact_recording* recording = read_back(asked, again);
    assert_int_equal(tact_recording_count(recording), 1);
    tact_recorded_query q;
    assert_int_equal(tact_recording_query(recording, 0, &q), TACT_OK);
    if (q.kind != c->kind || !q.finished || q.result != result || !q.answered || q.digest != digest || q.missing[0] ||
        q.report.backend == TACT_BACKEND_AUTO || !q.driver[0]) {
        fail_msg("%s: recorded as %s, result %d, digest %016llx for %016llx %s", c->name,
                 tact_recorded_kind_name(q.kind), (int)q.result, (unsigned long long)q.digest,
                 (unsigned long long)digest, q.missing);
    }
    static const tact_backend all[] = {TACT_BACKEND_REFERENCE, TACT_BACKEND_CPU, TACT_BACKEND_GL, TACT_BACKEND_CL};
    for (size_t i = 0; i <= 4; ++i) {
        if (i < 4 && device_missing(again, all[i])) continue;
        const tact_query_options how = {.backend = i < 4 ? all[i] : TACT_BACKEND_AUTO};
        tact_replayed replayed;
        taken t = {.bytes = 0};
        tact_xxh64_begin(&t.sum);
        if (i < 4 && all[i] != TACT_BACKEND_GL && c->kind == TACT_RECORDED_IMAGE && asked_is_drawn(&c->call)) {
            // OpenGL alone has stencils.
            assert_int_equal(tact_recording_run(recording, 0, &how, &replayed), TACT_OK);
            assert_true(replayed.result == TACT_ERROR_UNSUPPORTED && !replayed.answered);
            continue;
        }
        if (tact_recording_answer(recording, 0, i < 4 ? &how : NULL, take_answer, &t, &replayed) != TACT_OK) {
            fail_msg("%s: %s", c->name, tact_context_error(again));
        }
        assert_int_equal(t.bytes, replayed.answer_bytes);
        assert_int_equal(tact_xxh64_end(&t.sum), replayed.digest);
        // Without room for an answer's list it is INCOMPLETE.
        if (replayed.result < TACT_OK || !replayed.same || replayed.digest != digest) {
            fail_msg("%s on %s: result %d, digest %016llx, recorded %016llx: %s", c->name,
                     i < 4 ? tact_backend_name(all[i]) : "the same", (int)replayed.result,
                     (unsigned long long)replayed.digest, (unsigned long long)digest, tact_context_error(again));
        }
    }
}

TEST(every_query_comes_back_the_same)
{
    tact_context *asked = KEEP(open_recording(8, 0, false)), *again = KEEP(open_recording(0, 0, false));
    recorded_case c;
    for (size_t i = 0; recorded_at(i, false, &c); ++i) {
        check_round_trip(&c, asked, again, TACT_BACKEND_CPU);
        if (c.call.of && strcmp(c.call.of->items, "rays by rules") == 0) {
            check_round_trip(&c, asked, again, TACT_BACKEND_REFERENCE);
        }
    }
}

TEST(queries_of_devices_come_back_on_all)
{
    tact_context *asked = KEEP(open_recording(8, 0, true)), *again = KEEP(open_recording(0, 0, true));
    const tact_backend device = device_missing(asked, TACT_BACKEND_CL) ? TACT_BACKEND_GL : TACT_BACKEND_CL;
    need_device(asked, device);
    recorded_case c;
    for (size_t i = 0; recorded_at(i, false, &c); ++i)
        check_round_trip(&c, asked, again, device);
}

TEST(what_is_drawn_comes_back)
{
    tact_context *asked = KEEP(open_recording(8, 0, true)), *again = KEEP(open_recording(0, 0, true));
    need_device(asked, TACT_BACKEND_GL);
    // Picks of a scene by rays too: no centre of a pixel is near an edge there.
    recorded_case c;
    for (size_t i = 0; recorded_at(i, true, &c); ++i)
        check_round_trip(&c, asked, again, TACT_BACKEND_GL);
}

/// Where nothing draws, picks of a scene are found by rays, and the rest says so.
TEST(what_is_drawn_comes_back_without_opengl)
{
    tact_context *asked = KEEP(open_recording(8, 0, true)), *again = KEEP(open_recording(0, 0, false));
    need_device(asked, TACT_BACKEND_GL);
    recorded_case c;
    for (size_t i = 0; recorded_at(i, true, &c); ++i) {
        uint64_t digest = 0;
        tact_replayed replayed;
        tact_record_clear(asked);
        assert_int_equal(ask_recorded(&c, asked, NULL, &digest), TACT_OK);
        tact_recording* recording = read_back(asked, again);
        assert_int_equal(tact_recording_run(recording, 0, NULL, &replayed), TACT_OK);
        if (c.kind == TACT_RECORDED_PICK) {
            assert_true(replayed.same && !replayed.promised && replayed.report.backend == TACT_BACKEND_CPU);
        } else {
            assert_int_equal(replayed.result, TACT_ERROR_NO_DEVICE);
            assert_false(replayed.answered);
        }
    }
}

/// Planes that were emptied since they were drawn to; and what is kept of a drawing.
TEST(targets_tell_what_they_show)
{
    tact_context *context = KEEP(open_recording(8, 0, true)), *again = KEEP(open_recording(0, 0, false));
    need_device(context, TACT_BACKEND_GL);
    const asked_call drawn = asked_named(&tact_query_target, "picks of a target");
    const tact_request* r = &keep_sample(context, &drawn)->request;
    tact_scene* scene = (tact_scene*)(uintptr_t)r->given[0].data;
    const tact_pick_view view = tact_request_view(r);
    const tact_pick_region all = {.shape = TACT_PICK_FRAME};
    const tact_pick_target_desc desc = {.width = view.width, .height = view.height};
    tact_pick picks[50];
    size_t count = 0, bytes = 0;
    tact_pick_target* target = new_pick_target(context, &desc);
    assert_int_equal(tact_pick_target_draw(target, scene, &view, 7), TACT_OK);
    assert_int_equal(tact_pick_target_query(target, &all, TACT_PICK_BY_INSTANCE, picks, 50, &count), TACT_OK);
    assert_true(count > 2);
    assert_int_equal(tact_pick_target_clear(target), TACT_OK);
    assert_int_equal(tact_pick_target_query(target, &all, TACT_PICK_BY_INSTANCE, picks, 50, &count), TACT_OK);
    assert_int_equal(count, 0);
    tact_recording* recording = read_back(context, again);
    assert_int_equal(tact_recording_count(recording), 2);
    for (size_t i = 0; i < 2; ++i) {
        tact_recorded_query q;
        assert_int_equal(tact_recording_query(recording, i, &q), TACT_OK);
        assert_true(q.kind == TACT_RECORDED_TARGET && q.answered);
        if (i == 0) assert_string_equal(q.missing, "");
        if (i > 0) assert_non_null(strstr(q.missing, "drew it"));
    }
    // What is drawn is held as long as it is shown.
    assert_int_equal(tact_pick_target_draw(target, scene, &view, 8), TACT_OK);
    tact_record_clear(context);
    tact_record_size(context, NULL, &bytes);
    assert_true(bytes > 0);
    tact_pick_target_destroy(target);
    tact_record_size(context, NULL, &bytes);
    assert_int_equal(bytes, 0);
}

TEST(nothing_is_recorded_unless_asked_for)
{
    tact_context* context = KEEP(open_recording(0, 0, false));
    assert_true(ask_all_recorded(context) > 40);
    size_t queries = 1, bytes = 1;
    tact_record_size(context, &queries, &bytes);
    assert_true(queries == 0 && bytes == 0);
    assert_int_equal(tact_record_save(context, "test_record_none.record"), TACT_ERROR_INVALID_ARGUMENT);
}

#if !defined(_WIN32)
TEST(a_variable_turns_it_on)
{
    setenv("TACT_RECORD", ".", 1);
    tact_context* context = KEEP(open_recording(0, 0, false));
    unsetenv("TACT_RECORD");
    const asked_call call = asked_named(&tact_query_raycast, "rays by rules");
    uint64_t digest;
    size_t queries = 0;
    assert_int_equal(ask_row(context, &call, NULL, &digest), TACT_OK);
    tact_record_size(context, &queries, NULL);
    assert_int_equal(queries, 1);
}
#endif

TEST(more_queries_than_can_be_kept_are_refused)
{
    const tact_context_desc desc = {
        .log = quiet, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .record_queries = 65537};
    tact_context* context = NULL;
    assert_int_equal(tact_context_create(&desc, &context), TACT_ERROR_INVALID_ARGUMENT);
    assert_null(context);
}

TEST(the_last_ones_are_kept)
{
    tact_context *asked = KEEP(open_recording(3, 0, false)), *again = KEEP(open_recording(0, 0, false));
    const size_t count = ask_all_recorded(asked);
    tact_recording* recording = read_back(asked, again);
    assert_int_equal(tact_recording_count(recording), 3);
    for (size_t i = 0; i < 3; ++i) {
        tact_recorded_query q;
        assert_int_equal(tact_recording_query(recording, i, &q), TACT_OK);
        recorded_case c;
        assert_true(recorded_at(count - 3 + i, false, &c));
        assert_int_equal(q.kind, c.kind);
        assert_int_equal(q.number, count - 2 + i);
    }
}

TEST(what_queries_share_is_kept_once)
{
    tact_context* context = KEEP(open_recording(64, 0, false));
    tact_scene* scene = make_recorded_scene(context, true);
    query_room q;
    make_rays(q.rays);
    size_t first = 0, bytes = 0;
    for (int i = 0; i < 20; ++i) {
        q.rays[0].ox = (float)i;
        assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, q.rays, RAYS, q.hits, NULL, NULL), TACT_OK);
        tact_record_size(context, NULL, &bytes);
        if (i == 0) first = bytes;
    }
    assert_in_range(bytes - first, 19 * sizeof q.rays, 19 * (sizeof q.rays + 200));
    // The same rays again take nothing.
    assert_int_equal(tact_raycast(scene, TACT_RAY_ANY, q.rays, RAYS, q.hits, NULL, NULL), TACT_OK);
    size_t after = 0;
    tact_record_size(context, NULL, &after);
    assert_int_equal(after, bytes);
    // What changes is another scene.
    assert_int_equal(tact_scene_move_instance(scene, 0, NULL), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(tact_raycast(scene, TACT_RAY_ANY, q.rays, RAYS, q.hits, NULL, NULL), TACT_OK);
    tact_record_size(context, NULL, &bytes);
    assert_true(bytes > after);
    tact_record_clear(context);
    tact_record_size(context, NULL, &bytes);
    assert_int_equal(bytes, 0);
}

/// Of the same meshes and instances is one scene, whatever the calls: it is kept from one query to the next, and no
/// other is taken for it.
TEST(queries_of_one_scene_are_told)
{
    tact_context *context = KEEP(open_recording(8, 0, false)), *again = KEEP(open_recording(0, 0, false));
    static const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, away[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -2};
    static const tact_ray ray = {.ox = 0.25f, .oy = 0.25f, .oz = 1, .dz = -1, .tmax = 9};
    static const tact_closest_query point = {0.25f, 0.25f, 1, 9};
    static const tact_query_options on_cpu = {.backend = TACT_BACKEND_CPU};
    const tact_mesh_desc triangle = {.positions = corners, .vertex_count = 3, .triangle_count = 1};
    tact_scene* scene = KEEP(new_scene(context));
    tact_hit hit;
    tact_closest_hit closest;
    uint32_t mesh, instance;
    assert_int_equal(tact_scene_add_mesh(scene, &triangle, &mesh), TACT_OK);
    assert_int_equal(tact_scene_add_instance(scene, mesh, NULL, &instance), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, &ray, 1, &hit, &on_cpu, NULL), TACT_OK);
    assert_int_equal(tact_closest_points(scene, &point, 1, &closest, &on_cpu, NULL), TACT_OK);
    assert_int_equal(tact_scene_move_instance(scene, instance, away), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, &ray, 1, &hit, &on_cpu, NULL), TACT_OK);
    recorded_case c;
    uint64_t digest;
    for (size_t i = 0; recorded_at(i, false, &c) && c.kind != TACT_RECORDED_PAIRS; ++i)
        continue;
    assert_int_equal(c.kind, TACT_RECORDED_PAIRS);
    assert_true(ask_recorded(&c, context, &on_cpu, &digest) >= TACT_OK);
    tact_recording* recording = read_back(context, again);
    const uint32_t number = tact_recording_scene_number(recording, 0),
                   other = tact_recording_scene_number(recording, 2);
    assert_true(number != 0 && other != 0 && number != other);
    assert_int_equal(tact_recording_scene_number(recording, 1), number);
    assert_int_equal(tact_recording_scene_number(recording, 3), 0);
    assert_int_equal(tact_recording_scene_number(recording, 4), 0);
    assert_int_equal(tact_recording_scene_number(NULL, 0), 0);
    static const size_t order[] = {0, 1, 2, 3, 2, 0, 0, 2, 1};
    tact_scene* kept = NULL;
    for (size_t i = 0; i < sizeof order / sizeof *order; ++i) {
        tact_replayed replayed;
        assert_int_equal(tact_recording_run(recording, order[i], &on_cpu, &replayed), TACT_OK);
        if (!replayed.same) fail_msg("run %zu, query %zu: another answer", i, order[i]);
        if (i == 1 || i == 4 || i == 6) assert_ptr_equal(recording->kept, kept);
        kept = recording->kept;
    }
}

TEST(the_budget_is_kept_to)
{
    enum { BUDGET = 6000 };
    tact_context *context = KEEP(open_recording(64, BUDGET, false)), *again = KEEP(open_recording(0, 0, false));
    tact_scene* scene = make_recorded_scene(context, false);
    static tact_ray rays[1000];
    static tact_hit hits[1000];
    make_rays(rays);
    size_t queries = 0, bytes = 0;
    for (int i = 0; i < 10; ++i) {
        rays[0].ox = (float)i;
        assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, RAYS, hits, NULL, NULL), TACT_OK);
        tact_record_size(context, &queries, &bytes);
        assert_in_range(bytes, 1, BUDGET);
    }
    assert_in_range(queries, 1, 3);
    // Larger than all there may be: its digest is kept, and those before it stay.
    for (int i = RAYS; i < 1000; ++i)
        rays[i] = rays[i % RAYS];
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, 1000, hits, NULL, NULL), TACT_OK);
    tact_recording* recording = read_back(context, again);
    assert_int_equal(tact_recording_count(recording), queries + 1);
    tact_recorded_query q;
    tact_replayed replayed;
    assert_int_equal(tact_recording_query(recording, queries, &q), TACT_OK);
    assert_non_null(strstr(q.missing, "too large, "));
    assert_true(q.bytes > 32000 && q.answered && q.digest == tact_xxh64_of(hits, sizeof hits));
    assert_int_equal(tact_recording_run(recording, queries, NULL, &replayed), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_context_error(again), "too large"));
    assert_int_equal(tact_recording_run(recording, 0, NULL, &replayed), TACT_OK);
    assert_true(replayed.same);
    // Submitted: the tickets are of the runs, not of the queries that they ask.
    tact_ticket ticket = 0;
    tact_query_report report;
    const tact_query_options submit = {.backend = TACT_BACKEND_CPU, .ticket = &ticket};
    assert_int_equal(tact_recording_run(recording, queries, &submit, &replayed), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ticket, 0);
    for (size_t i = 0; i < queries; ++i) {
        assert_int_equal(tact_recording_run(recording, i, &submit, &replayed), TACT_OK);
        assert_int_equal(ticket, i + 1);
        assert_int_equal(tact_wait(again, ticket, &report), TACT_OK);
        assert_true(replayed.same && report.backend == replayed.report.backend);
    }
}

static bool hit_filter(size_t index, const tact_ray* ray, const tact_hit* hit, void* user)
{
    return index % 2 == 0;
}

TEST(what_cannot_be_run_again_says_why)
{
    tact_context *context = KEEP(open_recording(4, 0, false)), *again = KEEP(open_recording(0, 0, false));
    tact_scene* scene = make_recorded_scene(context, true);
    query_room q;
    make_rays(q.rays);
    const tact_ray_rules rules = {.accept = hit_filter};
    assert_int_equal(call_raycast_with(scene, TACT_RAY_CLOSEST, q.rays, RAYS, &rules, q.hits, NULL, NULL), TACT_OK);
    tact_recording* recording = read_back(context, again);
    tact_recorded_query query;
    tact_replayed replayed;
    assert_int_equal(tact_recording_query(recording, 0, &query), TACT_OK);
    assert_non_null(strstr(query.missing, "function"));
    assert_int_equal(tact_recording_run(recording, 0, NULL, &replayed), TACT_ERROR_INVALID_ARGUMENT);
}

static bool stop_after_one(const tact_pair* pairs, size_t count, void* user)
{
    return false;
}

TEST(pairs_that_were_stopped_have_no_answer)
{
    tact_context *context = KEEP(open_recording(4, 0, false)), *again = KEEP(open_recording(0, 0, false));
    tact_aabb boxes[VOLUMES];
    make_boxes(boxes, 0);
    uint64_t count = 0;
    tact_volumes* set = KEEP(new_volumes(context, NULL));
    assert_int_equal(tact_volumes_add_aabbs(set, boxes, VOLUMES, NULL, NULL, NULL), TACT_OK);
    assert_int_equal(call_pairs_each(set, NULL, TACT_PAIRS_AUTO, 7, stop_after_one, NULL, &count, NULL, NULL),
                     TACT_ERROR_CANCELLED);
    tact_recording* recording = read_back(context, again);
    tact_recorded_query q;
    tact_replayed replayed;
    assert_int_equal(tact_recording_query(recording, 0, &q), TACT_OK);
    assert_true(q.finished && q.result == TACT_ERROR_CANCELLED && !q.answered);
    assert_int_equal(tact_recording_run(recording, 0, NULL, &replayed), TACT_OK);
    assert_true(replayed.answered && !replayed.same);
}

/// Moves what the CPU's tracer reads of a triangle, and not what the reference reads: a fault of a backend.
static void break_scene(tact_scene* scene)
{
    for (size_t i = 0; i < scene->block_count; ++i)
        for (int k = 0; k < TACT_BVH8_BLOCK; ++k)
            scene->blocks[i].corner[0][2][k] -= 0.5f;
}

/// A set that had lost a body and moved another, far away, has the same contacts.
TEST(sets_of_bodies_are_made_again)
{
    tact_context *context = KEEP(open_recording(4, 0, false)), *again = KEEP(open_recording(0, 0, false));
    tact_bodies *set = NULL, *twin = NULL;
    const tact_body_shape box = {.kind = TACT_BODY_BOX, .half = {1, 1, 1}};
    const tact_body_part parts[2] = {{.shape = 0}, {.shape = 0, .position = {3, 0, 0}}};
    const tact_body_shape two = {.kind = TACT_BODY_COMPOUND, .parts = parts, .part_count = 2};
    uint32_t shapes[2], gone = 1, moved = 2;
    assert_int_equal(tact_bodies_create(context, &set), TACT_OK);
    KEEP(set);
    assert_int_equal(tact_bodies_add_shape(set, &box, &shapes[0]), TACT_OK);
    assert_int_equal(tact_bodies_add_shape(set, &two, &shapes[1]), TACT_OK);
    tact_body bodies[4] = {{.shape = 1}, {.shape = 0}, {.shape = 0}, {.shape = 1, .user_data = 7}};
    for (int i = 0; i < 4; ++i)
        bodies[i].pose.x = 1e8 + 0.75 * i;
    assert_int_equal(tact_bodies_add(set, bodies, 4, NULL), TACT_OK);
    assert_int_equal(tact_bodies_remove(set, &gone, 1), TACT_OK);
    const tact_pose there = {.x = 1e8 + 2.0, .y = 0.25};
    assert_int_equal(tact_bodies_move(set, &moved, &there, 1), TACT_OK);
    size_t count = 0, twins = 0;
    const tact_contacts_work work = {.count = &count};
    assert_true(tact_contacts_find(set, &work, NULL, NULL) >= TACT_OK);
    tact_ray ray = {0, 0, 0, 0, 0, 0, 1, 1};
    tact_hit hit;
    tact_scene* scene = KEEP(new_scene(context));
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, &ray, 1, &hit, NULL, NULL), TACT_OK);
    tact_recording* recording = read_back(context, again);
    assert_int_equal(tact_recording_make_bodies(recording, 0, &twin), TACT_OK);
    KEEP(twin);
    tact_body body;
    assert_int_equal(tact_bodies_get(twin, 3, &body), TACT_OK);
    assert_true(body.user_data == 7 && body.shape == 1 && body.pose.x == bodies[3].pose.x);
    assert_true(tact_contacts_find(twin, &(tact_contacts_work){.count = &twins}, NULL, NULL) >= TACT_OK);
    assert_true(count > 2 && twins == count);
    assert_memory_equal(tact_contacts_last(set, &count), tact_contacts_last(twin, &twins),
                        count * sizeof(tact_contact));
    tact_bodies* none = twin;
    assert_int_equal(tact_recording_make_bodies(recording, 1, &none), TACT_OK);
    assert_null(none);
    assert_int_equal(tact_recording_make_bodies(recording, 2, &none), TACT_ERROR_INVALID_ARGUMENT);
}

TEST(a_shadow_mismatch_leaves_a_file)
{
    tact_context *context = KEEP(open_recording(4, 0, false)), *again = KEEP(open_recording(0, 0, false));
    tact_scene* scene = make_recorded_scene(context, false);
    query_room q;
    make_rays(q.rays);
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, q.rays, RAYS, q.hits, NULL, NULL), TACT_OK);
    const uint64_t right = tact_xxh64_of(q.hits, sizeof q.hits);
    break_scene(scene);
    const tact_query_options shadow = {.backend = TACT_BACKEND_CPU, .shadow = true};
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, q.rays, RAYS, q.hits, &shadow, NULL),
                     TACT_ERROR_SHADOW_MISMATCH);
    assert_non_null(strstr(tact_context_error(context), "differ from the reference"));
    tact_recording* recording = read_named(context, again);
    assert_int_equal(tact_recording_count(recording), 2);
    tact_recorded_query query;
    assert_int_equal(tact_recording_query(recording, 1, &query), TACT_OK);
    assert_int_equal(query.result, TACT_ERROR_SHADOW_MISMATCH);
    assert_true(query.answered && query.digest == tact_xxh64_of(q.hits, sizeof q.hits) && query.digest != right);
    // Where the fault is not, the answer is the right one, and so another than recorded.
    tact_replayed replayed;
    assert_int_equal(tact_recording_run(recording, 1, NULL, &replayed), TACT_OK);
    assert_true(!replayed.same && replayed.digest == right);
    // Where it is, the wrong one comes again.
    tact_scene* twin = NULL;
    assert_int_equal(tact_recording_make_scene(recording, 1, &twin), TACT_OK);
    break_scene(KEEP(twin));
    query_room r;
    tact_recorded_array rays;
    assert_true(tact_recording_array(recording, 1, 1, &rays));
    assert_string_equal(rays.name, "rays");
    assert_int_equal(rays.rows, RAYS);
    assert_int_equal(tact_raycast(twin, TACT_RAY_CLOSEST, rays.data, rays.rows, r.hits, &shadow, NULL),
                     TACT_ERROR_SHADOW_MISMATCH);
    assert_memory_equal(r.hits, q.hits, sizeof q.hits);
}

static void expect_replay(tact_recording* recording, size_t index, const char* name, uint64_t digest)
{
    tact_replayed replayed;
    assert_int_equal(tact_recording_run(recording, index, NULL, &replayed), TACT_OK);
    if (!replayed.same || replayed.digest != digest) fail_msg("%s: another answer than was saved", name);
}

TEST(a_failed_assertion_leaves_a_file)
{
    tact_context *context = KEEP(open_recording(4, 0, false)), *again = KEEP(open_recording(0, 0, false));
    recorded_case c;
    for (size_t i = 0; recorded_at(i, false, &c); ++i) {
        uint64_t digest;
        tact_record_clear(context);
        assert_true(ask_recorded(&c, context, NULL, &digest) >= TACT_OK);
        assertions = 0;
        TACT_ASSERT(&context->env, digest == digest + 1);
        assert_int_equal(assertions, 1);
        tact_recording* recording = read_named(context, again);
        assert_int_equal(tact_recording_count(recording), 1);
        expect_replay(recording, 0, c.name, digest);
    }
}

TEST(what_is_saved_is_replayed)
{
    enum { SAVED = 128 };
    static const char path[] = "test_record_saved.record";
    tact_context *context = KEEP(open_recording(SAVED, 0, true)), *again = KEEP(open_recording(0, 0, true));
    const int ways = device_missing(context, TACT_BACKEND_GL) ? 1 : 2;
    recorded_case cases[SAVED];
    uint64_t digests[SAVED];
    size_t count = 0;
    for (int drawn = 0; drawn < ways; ++drawn) {
        for (size_t i = 0; recorded_at(i, drawn, &cases[count]); ++i, ++count) {
            assert_true(count + 1 < SAVED);
            assert_true(ask_recorded(&cases[count], context, NULL, &digests[count]) >= TACT_OK);
        }
    }
    assert_int_equal(tact_record_save(context, path), TACT_OK);
    tact_recording* recording = read_recorded(path, again);
    assert_int_equal(tact_recording_count(recording), count);
    for (size_t i = 0; i < count; ++i)
        expect_replay(recording, i, cases[i].name, digests[i]);
}

TEST(what_is_asked_now_is_in_the_file)
{
    tact_context *context = KEEP(open_recording(4, 0, false)), *again = KEEP(open_recording(0, 0, false));
    tact_scene* scene = make_recorded_scene(context, false);
    tact_record_call call;
    tact_record_begin(&call, context, TACT_RECORDED_CULL_SCENE, NULL, NULL, 1, 1000);
    tact_record_scene(&call, 0, scene);
    tact_record_array(&call, 1, NULL, 4, 0);
    tact_recording* recording = read_back(context, again);
    tact_recorded_query q;
    tact_replayed replayed;
    assert_int_equal(tact_recording_query(recording, 0, &q), TACT_OK);
    assert_true(!q.finished && !q.answered);
    assert_int_equal(tact_recording_run(recording, 0, NULL, &replayed), TACT_OK);
    assert_true(replayed.answered && !replayed.same);
    assert_int_equal(tact_record_end(&call, TACT_OK), TACT_OK);
}

TEST(no_memory_for_a_record_is_no_failure)
{
    counting_allocator counter = {0};
    const tact_context_desc desc = {.allocator = counting_hooks(&counter),
                                    .log = quiet,
                                    .gl = TACT_DEVICE_NONE,
                                    .cl = TACT_DEVICE_NONE,
                                    .record_queries = 4};
    tact_context* context = new_context(&desc);
    const asked_call mixed = asked_named(&tact_query_raycast, "rays by rules");
    tact_sample* sample = NULL;
    assert_int_equal(asked_make(context, &mixed, 1, &sample), TACT_OK);
    tact_scene* scene = (tact_scene*)(uintptr_t)sample->request.given[0].data;
    query_room q;
    make_rays(q.rays);
    size_t bytes = 0;
    // What is asked is copied in several pieces, each of which may find no memory.
    for (size_t at = 1; at < 60; ++at) {
        tact_record_call call;
        counter.fail_at = counter.requests + at;
        counter.failed = false;
        tact_record_begin(&call, context, TACT_RECORDED_RAYCAST, NULL, NULL, RAYS, 1000);
        tact_record_scene(&call, 0, scene);
        tact_record_array(&call, 1, q.rays, 8, RAYS);
        counter.fail_at = 0;
        assert_int_equal(tact_record_end(&call, TACT_OK), TACT_OK);
        const tact_recorded_query* now = &context->recorder->ring[context->recorder->count - 1].query;
        if (counter.failed != (strstr(now->missing, "memory") != NULL)) fail_msg("request %zu: %s", at, now->missing);
        tact_record_clear(context);
        tact_record_size(context, NULL, &bytes);
        assert_int_equal(bytes, 0);
        context->recorder->first = 0;
        if (!counter.failed) break;
        assert_true(at < 59);
    }
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, q.rays, RAYS, q.hits, NULL, NULL), TACT_OK);
    tact_sample_destroy(sample);
    tact_context_destroy(context);
    assert_int_equal(counter.live, 0);
}

static void put_checksum(uint8_t* bytes, size_t size)
{
    const uint64_t sum = tact_xxh64_of(bytes + TACT_RECORD_HEADER, size - TACT_RECORD_HEADER);
    for (int i = 0; i < 8; ++i) {
        bytes[16 + i] = (uint8_t)((uint64_t)size >> 8 * i);
        bytes[24 + i] = (uint8_t)(sum >> 8 * i);
    }
}

TEST(broken_files_are_refused)
{
    tact_context *context = KEEP(open_recording(64, 0, false)), *again = KEEP(open_recording(0, 0, false));
    (void)ask_all_recorded(context);
    uint8_t* bytes = NULL;
    size_t size = 0;
    assert_int_equal(tact_record_pack(context, &bytes, &size), TACT_OK);
    uint8_t* broken = scratch(size + 8);
    tact_recording* recording = NULL;
    // Shorter, with and without a header that agrees.
    for (size_t length = 0; length < size; length += length < 2000 ? 1 : 97) {
        memcpy(broken, bytes, size);
        assert_int_equal(tact_recording_read(again, broken, length, &recording), TACT_ERROR_INVALID_ARGUMENT);
        if (length < TACT_RECORD_HEADER) continue;
        put_checksum(broken, length);
        assert_int_equal(tact_recording_read(again, broken, length, &recording), TACT_ERROR_INVALID_ARGUMENT);
    }
    // Longer.
    memcpy(broken, bytes, size);
    memset(broken + size, 0, 8);
    put_checksum(broken, size + 8);
    assert_int_equal(tact_recording_read(again, broken, size + 8, &recording), TACT_ERROR_INVALID_ARGUMENT);
    // Any byte changed: noticed by the checksum.
    for (size_t at = 0; at < size; at += 61) {
        memcpy(broken, bytes, size);
        broken[at] ^= 4;
        assert_int_equal(tact_recording_read(again, broken, size, &recording), TACT_ERROR_INVALID_ARGUMENT);
        assert_null(recording);
    }
    memcpy(broken, bytes, size);
    broken[8] = 2;
    assert_int_equal(tact_recording_read(again, broken, size, &recording), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_context_error(again), "version 2"));
    tact_release(&context->env, bytes);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
