// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What the recorder keeps: content that has the digest of other content, what cannot be kept or is not there, no
// memory, budgets that are too small, and answers that come when their query is forgotten.
#define _POSIX_C_SOURCE 200809L

#include "tests/support/run.h"

#include "core/pick/request.h"
#include "core/record/record.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"

static tact_context* open_with(counting_allocator* counter, size_t budget)
{
    const tact_context_desc desc = {.allocator = counting_hooks(counter),
                                    .log = quiet,
                                    .gl = TACT_DEVICE_NONE,
                                    .cl = TACT_DEVICE_NONE,
                                    .threads = 1,
                                    .disable_calibration = true,
                                    .record_queries = 4,
                                    .record_bytes = budget};
    return new_context(&desc);
}

static size_t kept_bytes(const tact_context* context)
{
    size_t bytes = 0;
    tact_record_size(context, NULL, &bytes);
    return bytes;
}

static tact_recorded_query* newest(const tact_context* context)
{
    tact_recorder* r = context->recorder;
    return &r->ring[(r->first + r->count - 1) % r->capacity].query;
}

/// A chunk of four words that refers to another one.
static tact_record_chunk* intern(tact_recorder* r, uint32_t first)
{
    const uint32_t words[4] = {first, 2, 3, 4};
    tact_record_chunk* refers[1] = {
        tact_record_intern(r, TACT_CHUNK_ARRAY, 1, words, sizeof words, NULL, 0),
    };
    return tact_record_intern(r, TACT_CHUNK_MESH, 2, words, sizeof words, refers, 1);
}

/// As if another content had the same digest: it is looked at, too.
TEST(a_digest_alone_is_not_trusted)
{
    counting_allocator counter = {0};
    tact_context* context = open_with(&counter, 0);
    tact_recorder* r = context->recorder;
    const size_t empty = kept_bytes(context);
    tact_record_chunk* first = intern(r, 1);
    tact_record_chunk* other = intern(r, 9)->references[0];
    const size_t two = kept_bytes(context);
    assert_ptr_equal(intern(r, 1), first);
    assert_int_equal(kept_bytes(context), two);
    tact_record_drop(r, first);
    for (int what = 0; what < 6; ++what) {
        const tact_record_chunk before = *first;
        tact_record_chunk *const reference = first->references[0], *made;
        if (what == 0) first->type = TACT_CHUNK_SET;
        if (what == 1) first->row_words = 1;
        if (what == 2) first->size = 12;
        if (what == 3) first->reference_count = 0;
        if (what == 4) first->references[0] = other;
        if (what == 5) first->bytes[3] ^= 1;
        made = intern(r, 1);
        if (made == first) fail_msg("difference %d is not seen", what);
        first->references[0] = reference;
        if (what == 5) first->bytes[3] ^= 1;
        first->type = before.type;
        first->row_words = before.row_words;
        first->size = before.size;
        first->reference_count = before.reference_count;
        tact_record_drop(r, made);
        assert_int_equal(kept_bytes(context), two);
    }
    // The one that looks like it goes, and the first one stays: they are one bucket's.
    assert_ptr_equal(intern(r, 1), first);
    tact_record_drop(r, first);
    tact_record_drop(r, first);
    tact_record_drop(r, intern(r, 9));
    tact_record_chunk* last = intern(r, 9);
    tact_record_drop(r, last);
    tact_record_drop(r, last);
    assert_int_equal(kept_bytes(context), empty);
    tact_context_destroy(context);
    assert_int_equal(counter.live, 0);
}

static void begin(tact_record_call* call, tact_context* context, tact_recorded_kind kind)
{
    tact_record_clear(context);
    context->recorder->first = 0;
    tact_record_begin(call, context, kind, NULL, NULL, 1, 100);
}

static const float corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};

/// The answer of the call is "missing", or its reference in place 0 is there.
static void expect_body(tact_context* context, const tact_image_body* body, const char* missing)
{
    tact_record_call call;
    begin(&call, context, TACT_RECORDED_IMAGE);
    tact_record_body(&call, 0, body);
    const bool there = context->recorder->ring[0].references[0] != NULL;
    assert_string_equal(newest(context)->missing, missing);
    assert_int_equal(there, missing[0] == '\0');
    assert_int_equal(tact_record_end(&call, TACT_OK), TACT_OK);
}

TEST(bodies_are_kept_when_they_are_whole)
{
    static const uint32_t good[3] = {1, 2, 3}, bad[3] = {1, 2, 4};
    static const char buffer[] = "vertices lie in a buffer of a device", absent[] = "indices or vertices are not there";
    counting_allocator counter = {0};
    tact_context* context = open_with(&counter, 0);
    const tact_device_array array = {.backend = TACT_BACKEND_GL};
    const tact_image_body whole = {
        .mesh = {.positions = corners, .vertex_count = 4, .indices = good, .triangle_count = 1}};
    expect_body(context, &whole, "");
    tact_image_body b = whole;
    b.mesh.indices = NULL;
    expect_body(context, &b, "");
    b.mesh.triangle_count = 2;
    expect_body(context, &b, absent);
    b.mesh.triangle_count = SIZE_MAX / 2;
    expect_body(context, &b, absent);
    b = whole;
    b.mesh.indices = bad;
    expect_body(context, &b, absent);
    b = whole;
    b.mesh.positions = NULL;
    expect_body(context, &b, absent);
    b.mesh.vertex_count = b.mesh.triangle_count = 0;
    expect_body(context, &b, "");
    b = whole;
    b.mesh.device_positions = &array;
    expect_body(context, &b, buffer);
    b = whole;
    b.mesh.device_indices = &array;
    expect_body(context, &b, buffer);
    tact_context_destroy(context);
    assert_int_equal(counter.live, 0);
}

TEST(what_is_not_there_is_not_kept)
{
    counting_allocator counter = {0};
    tact_context* context = open_with(&counter, 0);
    tact_record_call call;
    const tact_device_array array = {.backend = TACT_BACKEND_GL};
    const tact_mesh_desc host = {.positions = corners, .vertex_count = 3, .triangle_count = 1};
    tact_mesh_desc device = host, both = host;
    device.positions = NULL;
    device.device_positions = both.device_positions = &array;
    const tact_mesh_desc shapes[2] = {host, device}, kept[2] = {host, both};
    begin(&call, context, TACT_RECORDED_FILTER);
    tact_record_shapes(&call, 0, shapes, 2);
    assert_string_equal(newest(context)->missing, "vertices lie in a buffer of a device");
    assert_int_equal(tact_record_end(&call, TACT_OK), TACT_OK);
    begin(&call, context, TACT_RECORDED_FILTER);
    tact_record_shapes(&call, 0, kept, 2);
    assert_string_equal(newest(context)->missing, "");
    assert_int_equal(context->recorder->ring[0].references[0]->reference_count, 2);
    // Rows that are NULL are there when there are none of them.
    tact_record_array(&call, 1, NULL, 4, 3);
    assert_null(context->recorder->ring[0].references[1]);
    tact_record_array(&call, 1, NULL, 4, 0);
    assert_non_null(context->recorder->ring[0].references[1]);
    assert_int_equal(tact_record_end(&call, TACT_OK), TACT_OK);
    // A lasso of no corners takes no room, nor do those of another shape.
    const tact_pick_region lasso = {.shape = TACT_PICK_LASSO, .lasso_count = 100}, point = {.lasso_count = 100};
    assert_true(tact_pick_lasso(&lasso).count == 0 && tact_pick_lasso(&point).count == 0);
    // Without a context, or a recorder, there is nothing to clear or to tell.
    tact_record_clear(NULL);
    tact_record_size(NULL, NULL, NULL);
    size_t queries = 7, bytes = 7;
    tact_record_size(NULL, &queries, &bytes);
    assert_true(queries == 0 && bytes == 0);
    tact_context_destroy(context);
    assert_int_equal(counter.live, 0);
}

static void put_all(tact_record_call* call, tact_volumes* set, const tact_mesh_desc* shapes)
{
    tact_record_shapes(call, 0, shapes, 2);
    tact_record_set(call, 1, set);
}

TEST(no_memory_is_told)
{
    counting_allocator counter = {.once = true};
    tact_context* context = open_with(&counter, 0);
    static const tact_aabb boxes[3] = {{{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}};
    const tact_mesh_desc shape = {.positions = corners, .vertex_count = 3, .triangle_count = 1};
    const tact_mesh_desc shapes[2] = {shape, shape};
    const uint32_t gone = 1;
    tact_volumes* set = new_volumes(context, NULL);
    assert_int_equal(tact_volumes_add_aabbs(set, boxes, 3, NULL, NULL, NULL), TACT_OK);
    assert_int_equal(tact_volumes_remove(set, &gone, 1), TACT_OK);
    size_t n = 1;
    for (;; ++n) {
        tact_record_call call;
        begin(&call, context, TACT_RECORDED_PAIRS);
        counter.fail_at = counter.requests + n;
        counter.failed = false;
        put_all(&call, set, shapes);
        counter.fail_at = 0;
        if (counter.failed != (strstr(newest(context)->missing, "memory") != NULL)) {
            fail_msg("request %zu: \"%s\"", n, newest(context)->missing);
        }
        assert_int_equal(tact_record_end(&call, TACT_OK), TACT_OK);
        tact_record_clear(context);
        assert_int_equal(kept_bytes(context), 0);
        if (!counter.failed) break;
        assert_true(n < 100);
    }
    assert_true(n > 15);
    // Nor for a file.
    counter.fail_at = counter.requests + 1;
    assert_int_equal(tact_record_save(context, "test_record_kept.record"), TACT_ERROR_OUT_OF_MEMORY);
    counter.fail_at = 0;
    assert_int_not_equal(remove("test_record_kept.record"), 0);
    tact_volumes_destroy(set);
    tact_context_destroy(context);
    assert_int_equal(counter.live, 0);
}

/// One query that is more, with what it takes to keep it, than it said it would be.
TEST(a_budget_holds_for_a_single_query)
{
    counting_allocator counter = {0};
    tact_context* context = open_with(&counter, 1000);
    tact_record_call call;
    static const uint8_t rows[2000];
    begin(&call, context, TACT_RECORDED_RAYCAST);
    tact_record_array(&call, 1, rows, 0, 900);
    assert_int_equal(tact_record_end(&call, TACT_OK), TACT_OK);
    assert_true(kept_bytes(context) > 900 && !newest(context)->missing[0]);
    begin(&call, context, TACT_RECORDED_RAYCAST);
    tact_record_array(&call, 1, rows, 0, sizeof rows);
    assert_true(kept_bytes(context) > 1000);
    assert_int_equal(tact_record_end(&call, TACT_OK), TACT_OK);
    assert_int_equal(kept_bytes(context), 0);
    assert_non_null(strstr(newest(context)->missing, "too large"));
    tact_context_destroy(context);
    assert_int_equal(counter.live, 0);
}

TEST(answers_to_what_is_forgotten_are_lost)
{
    counting_allocator counter = {0};
    tact_context* context = KEEP(open_with(&counter, 0));
    tact_record_call call;
    for (int i = 0; i < 6; ++i) {
        tact_record_begin(&call, context, TACT_RECORDED_RAYCAST, NULL, NULL, 1, 100);
        assert_int_equal(tact_record_end(&call, TACT_OK), TACT_OK);
    }
    // 3 to 6 are kept.
    for (uint64_t number = 0; number < 9; ++number)
        tact_record_late(context, number, TACT_INCOMPLETE, NULL, &number, sizeof number);
    for (size_t i = 0; i < 4; ++i) {
        const tact_recorded_query* q = &context->recorder->ring[(context->recorder->first + i) % 4].query;
        assert_int_equal(q->number, 3 + i);
        assert_int_equal(q->digest, tact_xxh64_of(&q->number, sizeof q->number));
        assert_int_equal(q->result, TACT_INCOMPLETE);
    }
    tact_record_clear(context);
    tact_record_late(context, 6, TACT_OK, NULL, NULL, 0);
    assert_int_equal(context->recorder->count, 0);
}

#if !defined(_WIN32)
TEST(an_empty_variable_asks_for_nothing)
{
    const tact_context_desc desc = {.log = quiet, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};
    size_t queries = 1;
    setenv("TACT_RECORD", "", 1);
    tact_context* context = KEEP(new_context(&desc));
    unsetenv("TACT_RECORD");
    assert_null(context->recorder);
    tact_record_clear(context);
    tact_record_size(context, &queries, NULL);
    assert_int_equal(queries, 0);
}
#endif

#include TEST_LIST
RUN_ALL(NULL, NULL)
