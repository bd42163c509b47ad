// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Lists of contacts and neighbours on devices where the definition is too slow to compare with, or where several
// launches and buffers share them; the CPU's engine, which test_particles compares with the definition, is the measure.
// Then devices that run out of memory. With "tiny": on OpenCL alone, a few particles of each kind, for an interpreter.
#include "tests/support/run.h"

#include "apps/particles/particles.h"
#include "core/context/context.h"
#include "gpu/device.h"
#include "tact/particle_bodies.h"
#include "tests/support/objects.h"
#include "tests/support/one_device.h"

static tact_particles* make(tact_context* context, const char* scene, size_t n)
{
    tact_particle_setup setup;
    tact_problem problem = {0};
    tact_particles* p = NULL;
    const tact_particle_scene* named = tact_particle_scene_named(scene);
    assert_non_null(named);
    if (!tact_particle_setup_make(named, n, 7, &setup, &problem)) fail_msg("%s", problem.text);
    setup.desc.response = TACT_RESPONSE_NONE;
    if (tact_particle_setup_create(&setup, context, &p) != TACT_OK) fail_msg("%s", tact_context_error(context));
    tact_particle_setup_free(&setup);
    return KEEP(p);
}

static tact_particle_contact* contacts_of(tact_context* context, tact_particles* p, size_t capacity,
                                          tact_backend backend, size_t* count)
{
    const tact_query_options options = {.backend = backend, .threads = 2, .no_fallback = true};
    tact_particle_contact* contacts = scratch((capacity + 1) * sizeof *contacts);
    memset(contacts, 0xab, (capacity + 1) * sizeof *contacts);
    const tact_result result = tact_particles_contacts(p, contacts, capacity, count, &options, NULL);
    if (result != TACT_OK && result != TACT_INCOMPLETE) fail_msg("%s", tact_context_error(context));
    assert_int_equal(result, *count > capacity ? TACT_INCOMPLETE : TACT_OK);
    return contacts;
}

/// The first `capacity` contacts. What is behind them must not be touched.
static void compare_contacts(tact_context* context, const char* scene, size_t n, size_t capacity, tact_backend backend,
                             tact_backend measure)
{
    tact_particles* p = make(context, scene, n);
    size_t count = 0, expected_count = 0;
    tact_particle_contact* contacts = contacts_of(context, p, capacity, backend, &count);
    tact_particle_contact* expected = contacts_of(context, p, capacity, measure, &expected_count);
    assert_int_equal(count, expected_count);
    for (size_t i = 0; i <= capacity; ++i) {
        if (memcmp(&contacts[i], &expected[i], sizeof *contacts) == 0) continue;
        fail_msg("%s, %zu particles: contact %zu of %zu is of %u with %u, should be %u with %u", scene, n, i, count,
                 contacts[i].a, contacts[i].b, expected[i].a, expected[i].b);
    }
}

static int compare_ids(const void* a, const void* b)
{
    const uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;
    return x < y ? -1 : x > y;
}

/// That lists with each pair once are those with each pair twice, less the half that looks back.
static void check_once(tact_context* context, tact_particles* p, float radius, const tact_query_options* options)
{
    tact_neighbour_lists once, all;
    if (tact_particles_neighbours(p, radius, TACT_NEIGHBOURS_ONCE, &once, options, NULL) != TACT_OK)
        fail_msg("%s", tact_context_error(context));
    const size_t n = once.slots, pairs = (size_t)once.offsets[n];
    uint32_t* ids = scratch((n + pairs + 1) * sizeof *ids);
    uint64_t* offsets = scratch((n + 1) * sizeof *offsets);
    memcpy(ids, once.ids, n * sizeof *ids);
    memcpy(ids + n, once.neighbours, pairs * sizeof *ids);
    memcpy(offsets, once.offsets, (n + 1) * sizeof *offsets);
    assert_int_equal(tact_particles_neighbours(p, radius, TACT_NEIGHBOURS_ALL, &all, options, NULL), TACT_OK);
    assert_int_equal(all.slots, n);
    assert_int_equal(all.offsets[n], 2 * pairs);
    assert_memory_equal(all.ids, ids, n * sizeof *ids);
    for (size_t s = 0; s < n; ++s) {
        const uint64_t count = offsets[s + 1] - offsets[s];
        if (count > all.offsets[s + 1] - all.offsets[s]) fail_msg("slot %zu has more once than in all", s);
        const uint32_t* tail = all.neighbours + all.offsets[s + 1] - count;
        if (memcmp(ids + n + offsets[s], tail, count * sizeof *ids) != 0) fail_msg("slot %zu differs", s);
        if (count > 0 && *tail <= s) fail_msg("slot %zu lists an earlier one", s);
    }
}

/// Of each id, how many neighbours it has, and their ids, sorted: independent of slots.
static uint32_t* neighbours_of(tact_context* context, tact_particles* p, float radius, tact_backend backend,
                               size_t* words)
{
    const tact_query_options options = {.backend = backend, .threads = 2, .no_fallback = true};
    tact_neighbour_lists lists;
    check_once(context, p, radius, &options);
    if (tact_particles_neighbours(p, radius, TACT_NEIGHBOURS_ALL, &lists, &options, NULL) != TACT_OK)
        fail_msg("%s", tact_context_error(context));
    const size_t n = lists.slots;
    uint32_t* slot_of = scratch((n + 1) * sizeof *slot_of);
    *words = n + (size_t)lists.offsets[n];
    uint32_t* ids = scratch((*words + 1) * sizeof *ids);
    for (size_t s = 0; s < n; ++s) {
        assert_true(lists.ids[s] < n);
        slot_of[lists.ids[s]] = (uint32_t)s;
    }
    uint32_t* to = ids;
    for (size_t id = 0; id < n; ++id) {
        const size_t count = (size_t)(lists.offsets[slot_of[id] + 1] - lists.offsets[slot_of[id]]);
        const uint32_t* slots = lists.neighbours + lists.offsets[slot_of[id]];
        *to++ = (uint32_t)count;
        for (size_t k = 0; k < count; ++k) {
            if (k > 0 && slots[k] <= slots[k - 1]) fail_msg("the neighbours of %zu do not ascend", id);
            to[k] = lists.ids[slots[k]];
        }
        qsort(to, count, sizeof *to, compare_ids);
        to += count;
    }
    return ids;
}

static void compare_neighbours(tact_context* context, const char* scene, size_t n, float radius, tact_backend backend,
                               tact_backend measure)
{
    tact_particles* p = make(context, scene, n);
    size_t words = 0, expected_words = 0;
    uint32_t* ids = neighbours_of(context, p, radius, backend, &words);
    uint32_t* expected = neighbours_of(context, p, radius, measure, &expected_words);
    assert_int_equal(words, expected_words);
    assert_memory_equal(ids, expected, words * sizeof *ids);
}

TEST_AS(ONE_DEVICE_TEST, many)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(one_device_require(backend));
    // More contacts than a buffer takes.
    compare_contacts(context, "dense", 100000, 900000, backend, TACT_BACKEND_CPU);
    compare_contacts(context, "mixed_periodic", 20000, 400000, backend, TACT_BACKEND_CPU);
    compare_contacts(context, "mesh", 20000, 100000, backend, TACT_BACKEND_CPU);
    compare_contacts(context, "terrain", 20000, 100000, backend, TACT_BACKEND_CPU);
    compare_neighbours(context, "dense", 50000, 2.5f, backend, TACT_BACKEND_CPU);
}

/// A ball larger than all of a landscape: more triangles than llvmpipe's loops go round for.
static void crowd_of_triangles(tact_backend backend)
{
    enum { SIDE = 81, CAPACITY = 8 };
    tact_context* context = KEEP(one_device_require(backend));
    uint32_t body = 0;
    size_t count = 0, expected_count = 0;
    float* heights = scratch_zeroed((size_t)SIDE * SIDE, sizeof *heights);
    for (size_t i = 0; i < (size_t)SIDE * SIDE; ++i)
        heights[i] = 0.001f * (float)(i * 7 % 13);
    const tact_height_field_desc field = {
        .heights = heights, .columns = SIDE, .rows = SIDE, .step_x = 0.1f, .step_z = 0.1f, .origin = {-4, 0, -4}};
    const float centers[6] = {0.03f, 1, 0.02f, 3, 9, 1};
    const tact_particle_arrays arrays = {.positions = centers, .radius = 9};
    tact_particles* p = KEEP(new_particles(context, NULL));
    assert_int_equal(tact_particles_add_height_field(p, &field, NULL, 0, &body), TACT_OK);
    assert_int_equal(tact_particles_add(p, &arrays, 2, NULL), TACT_OK);
    // Twice: what went wrong at first must not be remembered.
    for (int i = 0; i < 2; ++i) {
        tact_particle_contact* contacts = contacts_of(context, p, CAPACITY, backend, &count);
        tact_particle_contact* expected = contacts_of(context, p, CAPACITY, TACT_BACKEND_REFERENCE, &expected_count);
        assert_int_equal(count, expected_count);
        assert_true(count >= 3);
        assert_memory_equal(contacts, expected, CAPACITY * sizeof *contacts);
    }
}

/// A shader of llvmpipe looks at 3,000 candidates in a launch. Every particle touches every other; capacities end
/// within lists, and at their ends.
TEST_AS(ONE_DEVICE_TEST, crowds)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(one_device_require(backend));
    compare_contacts(context, "one_cell", 3700, 300000, backend, TACT_BACKEND_CPU);
    compare_contacts(context, "one_cell", 700, 699, backend, TACT_BACKEND_CPU);
    compare_contacts(context, "one_cell", 700, 1, backend, TACT_BACKEND_CPU);
    compare_neighbours(context, "one_cell", 3700, 0.3f, backend, TACT_BACKEND_CPU);
    compare_neighbours(context, "one_cell", 3300, 3e9f, backend, TACT_BACKEND_CPU);
    crowd_of_triangles(backend);
}

/// Each buffer in turn cannot be made: an error, and a list all the same when asked again.
TEST_AS(ONE_DEVICE_TEST, shortage)
{
    const tact_backend backend = one_device_of(state);
    tact_context* context = KEEP(one_device_require(backend));
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    tact_device* device = context->devices[tact_context_find(context, backend)];
    enum { CAPACITY = 20000 };
    for (uint32_t number = 1, failed = 1; failed; ++number) {
        tact_particles* p = make(context, "dense", 1000);
        tact_particle_contact* contacts = scratch(CAPACITY * sizeof *contacts);
        tact_neighbour_lists lists;
        size_t count = 0, expected = 0;
        tact_device_fail_buffer(device, number);
        const tact_result first = tact_particles_contacts(p, contacts, CAPACITY, &count, &options, NULL);
        const tact_result second = tact_particles_neighbours(p, 2.0f, TACT_NEIGHBOURS_ALL, &lists, &options, NULL);
        tact_device_fail_buffer(device, 0);
        failed = first != TACT_OK || second != TACT_OK;
        if (first != TACT_OK) assert_int_equal(first, TACT_ERROR_DEVICE_OUT_OF_MEMORY);
        if (second != TACT_OK) assert_int_equal(second, TACT_ERROR_DEVICE_OUT_OF_MEMORY);
        assert_int_equal(tact_particles_neighbours(p, 2.0f, TACT_NEIGHBOURS_ALL, &lists, &options, NULL), TACT_OK);
        assert_int_equal(tact_particles_contacts(p, contacts, CAPACITY, &count, &options, NULL), TACT_OK);
        tact_particle_contact* right = contacts_of(context, p, CAPACITY, TACT_BACKEND_CPU, &expected);
        assert_int_equal(count, expected);
        assert_memory_equal(contacts, right, count * sizeof *right);
        assert_true(number < 200);
    }
}

static void few_of_each_kind(void** state)
{
    tact_context* context = KEEP(one_device_require(TACT_BACKEND_CL));
    const char* const scenes[] = {"dense",     "mixed_periodic", "coincident", "far",
                                  "colliders", "one_cell",       "mesh",       "terrain"};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; ++k) {
        compare_contacts(context, scenes[k], 70, 3000, TACT_BACKEND_CL, TACT_BACKEND_REFERENCE);
        compare_neighbours(context, scenes[k], 70, 1.5f, TACT_BACKEND_CL, TACT_BACKEND_REFERENCE);
    }
}

#include TEST_LIST

int main(int argc, char** argv)
{
    const struct CMUnitTest tiny[] = {cmocka_unit_test(few_of_each_kind)};
    const bool small = argc > 1 && strcmp(argv[1], "tiny") == 0;
    const int failed = small ? run_all(tiny, NULL, NULL) : run_all(all_tests, NULL, NULL);
    return failed;
}
