// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Particles that come and go while an engine has the state: the CPU's, or a device's that an argument names ("gl",
// "cl"). The brute force, whose particles come and go on the host, says what is right.
#include "tests/support/run.h"

#include "tests/support/counting_allocator.h"
#include "tests/support/effort.h"
#include "tests/support/objects.h"
#include "tests/support/particle_states.h"
#include "tests/support/particle_systems.h"
#include "tests/support/quiet.h"
#include "tests/support/test_context.h"

static tact_backend tested = TACT_BACKEND_CPU;
static counting_allocator counter;

static int open_own(void** state)
{
    const tact_context_desc desc = {.allocator = counting_hooks(&counter),
                                    .gl = tested == TACT_BACKEND_GL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .cl = tested == TACT_BACKEND_CL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .threads = 3,
                                    .log = quiet};
    return open_described(&desc);
}

static tact_result try_steps(tact_particles* p, uint32_t steps, tact_backend backend)
{
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    return tact_particles_step(p, rich_dt, 1, steps, &options, NULL);
}

static void step(tact_particles* p, uint32_t steps, tact_backend backend)
{
    if (try_steps(p, steps, backend) != TACT_OK) fail_msg("%s", tact_context_error(context));
}

static tact_particles* make(tact_particle_response response)
{
    const tact_particles_desc desc = rich_desc(response);
    return KEEP(new_particles(context, &desc));
}

/// Two emitters, the second of which has radii of other levels and comes later, and two sinks in their ways, of which
/// one takes only what the second lets in.
static void add_flow(tact_particles* p)
{
    const tact_emitter rain = {.corner = {-4, 3, -2},
                               .edge = {{5, 0, 0}, {0, 0, 4}},
                               .velocity = {1, -9, 0},
                               .jitter = 0.5f,
                               .radius = 0.4f,
                               .smallest = 0.3f,
                               .group = 2,
                               .seed = 5};
    const tact_emitter jet = {.corner = {1, -4, 0},
                              .edge = {{1, 0, 0}, {0, 0, 1}},
                              .velocity = {0, 14, 1},
                              .radius = 0.12f,
                              .smallest = 0.06f,
                              .material = 1,
                              .group = 1,
                              .seed = 6,
                              .start = 0.1,
                              .stop = 0.4};
    const tact_collider floor = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, -3.0f}, .mask = 1u << 2 | 1u};
    const tact_collider ball = {.kind = TACT_COLLIDER_SPHERE, .shape.sphere = {{1, 1, 1}, 1.5f}, .mask = 1u << 1};
    assert_int_equal(tact_particles_add_emitter(p, &rain, NULL), TACT_OK);
    assert_int_equal(tact_particles_add_emitter(p, &jet, NULL), TACT_OK);
    assert_int_equal(tact_particles_add_sink(p, &floor, NULL), TACT_OK);
    assert_int_equal(tact_particles_add_sink(p, &ball, NULL), TACT_OK);
}

static tact_particles* make_flow(tact_particle_response response, bool with_others)
{
    tact_particles* p = make(response);
    if (with_others) {
        const tact_collider ball = {
            .kind = TACT_COLLIDER_SPHERE, .shape.sphere = {{-1, -1, 0}, 2}, .spin = {0, 3, 0}, .mask = 3};
        assert_int_equal(rich_particles(p), TACT_OK);
        assert_int_equal(rich_forces(p), TACT_OK);
        assert_int_equal(tact_particles_add_collider(p, &ball, NULL), TACT_OK);
    }
    add_flow(p);
    return p;
}

static tact_particles_info info_of(tact_particles* p)
{
    tact_particles_info info;
    assert_int_equal(tact_particles_get_info(p, &info), TACT_OK);
    return info;
}

static void expect_equal(tact_particles* p, tact_particles* reference, const char* what)
{
    particle_snapshot expected = particle_snapshot_of(reference);
    particle_snapshot_expect(p, &expected, what);
}

TEST(a_flow_is_as_defined)
{
    for (int response = 0; response <= TACT_RESPONSE_GRAINS; ++response) {
        for (int with_others = 0; with_others < 2; ++with_others) {
            tact_particles* p = make_flow((tact_particle_response)response, with_others);
            tact_particles* q = make_flow((tact_particle_response)response, with_others);
            size_t least = SIZE_MAX, most = 0;
            for (uint32_t i = 0; i < effort(2, 4); ++i) {
                for (uint32_t k = 0; k < 15; ++k) {
                    step(p, 5, tested);
                    const size_t count = tact_particles_count(p);
                    least = count < least ? count : least;
                    most = count > most ? count : most;
                }
                // All of it without the host, which last had the state when it was compared.
                assert_int_equal(info_of(p).host_step, 75 * i);
                step(q, 75, TACT_BACKEND_REFERENCE);
                char what[64];
                snprintf(what, sizeof what, "a flow of response %d, others %d, round %u", response, with_others,
                         (unsigned)i);
                expect_equal(p, q, what);
            }
            assert_true(most > least + 50);
            // The same ids over and over: the rain alone lets in 35 every 0.09 s.
            assert_true(tact_particles_id_end(p) < most + 150);
        }
    }
}

static void expect_contacts(tact_particles* p, tact_particles* q)
{
    enum { MOST = 4000 };
    static tact_particle_contact a[MOST], b[MOST];
    size_t count = 0, count_there = 0;
    const tact_query_options here = {.backend = TACT_BACKEND_REFERENCE}, there = {.backend = tested};
    assert_int_equal(tact_particles_contacts(q, a, MOST, &count, &here, NULL), TACT_OK);
    assert_int_equal(tact_particles_contacts(p, b, MOST, &count_there, &there, NULL), TACT_OK);
    assert_int_equal(count, count_there);
    if (count > 0) assert_memory_equal(a, b, count * sizeof *a);
    tact_neighbour_lists lists, lists_there;
    assert_int_equal(tact_particles_neighbours(q, 0.7f, TACT_NEIGHBOURS_ALL, &lists, &here, NULL), TACT_OK);
    assert_int_equal(tact_particles_neighbours(p, 0.7f, TACT_NEIGHBOURS_ALL, &lists_there, &there, NULL), TACT_OK);
    assert_int_equal(lists.slots, lists_there.slots);
    if (lists.slots > 0) assert_int_equal(lists.offsets[lists.slots], lists_there.offsets[lists.slots]);
}

/// Steps of whatever length, with lists in between.
TEST(lists_know_who_came_and_went)
{
    tact_particles *p = make_flow(TACT_RESPONSE_SPRING, true), *q = make_flow(TACT_RESPONSE_SPRING, true);
    for (uint32_t i = 0; i < 40; ++i) {
        step(p, 1 + i % 9, tested);
        step(q, 1 + i % 9, TACT_BACKEND_REFERENCE);
        expect_contacts(p, q);
    }
    expect_equal(p, q, "after lists");
}

/// Lets in sheets that are gone before the next ones come.
static void add_puffs(tact_particles* p)
{
    const tact_emitter puff = {.corner = {-4, 0, -4},
                               .edge = {{8, 0, 0}, {0, 0, 8}},
                               .velocity = {0, -30, 0},
                               .radius = 0.3f,
                               .interval = 0.05f,
                               .jitter = 0.1f,
                               .group = 5};
    const tact_collider below = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, -1.0f}, .mask = 1u << 5};
    assert_int_equal(tact_particles_add_emitter(p, &puff, NULL), TACT_OK);
    assert_int_equal(tact_particles_add_sink(p, &below, NULL), TACT_OK);
}

/// A sink that takes all the others, wherever they are.
static void add_end(tact_particles* p)
{
    const tact_collider all = {
        .kind = TACT_COLLIDER_SPHERE, .shape.sphere = {{9, 9, 9}, 0.1f}, .inside = true, .mask = ~(1u << 5)};
    assert_int_equal(tact_particles_add_sink(p, &all, NULL), TACT_OK);
}

TEST(all_may_go_and_others_come)
{
    for (int k = 0; k < 6; ++k) {
        const tact_particle_response response = (tact_particle_response)(k / 2);
        tact_particles *p = make(response), *q = make(response);
        // From many, none of which is left after a step; or from nothing.
        if (k % 2) {
            assert_int_equal(rich_particles(p), TACT_OK);
            assert_int_equal(rich_particles(q), TACT_OK);
            step(p, 3, tested);
            step(q, 3, TACT_BACKEND_REFERENCE);
            add_end(p);
            add_end(q);
            step(p, 1, tested);
            step(q, 1, TACT_BACKEND_REFERENCE);
            assert_int_equal(tact_particles_count(p), 0);
        }
        add_puffs(p);
        add_puffs(q);
        bool was_empty = false, was_full = false;
        for (int i = 0; i < 100; ++i) {
            step(p, 1, tested);
            step(q, 1, TACT_BACKEND_REFERENCE);
            assert_int_equal(tact_particles_count(p), tact_particles_count(q));
            was_empty = was_empty || tact_particles_count(p) == 0;
            was_full = was_full || tact_particles_count(p) > 100;
        }
        assert_true(was_empty && was_full);
        assert_int_equal(info_of(p).host_step, 0);
        expect_equal(p, q, "emptied");
    }
}

TEST(a_fountain_takes_no_more_and_more_memory)
{
    tact_particles* p = make(TACT_RESPONSE_SPRING);
    add_puffs(p);
    step(p, 60, tested);
    const uint64_t before = info_of(p).device_bytes;
    step(p, 600, tested);
    const uint64_t after = info_of(p).device_bytes;
    if (after > before + 512) fail_msg("%llu bytes, then %llu", (unsigned long long)before, (unsigned long long)after);
}

TEST(allocations_may_fail)
{
    const uint32_t total = 60;
    tact_particles* p = make_flow(TACT_RESPONSE_SPRING, false);
    step(p, total, tested);
    particle_snapshot expected = particle_snapshot_of(p);
    size_t failures = 0;
    for (size_t n = 1;; ++n) {
        // One more the first time, then at greater intervals: there are hundreds.
        p = make_flow(TACT_RESPONSE_SPRING, false);
        counter.failed = false;
        counter.fail_at = counter.requests + n + n * n / 16;
        tact_result result = try_steps(p, total, tested);
        counter.fail_at = 0;
        if (counter.failed) {
            assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
            ++failures;
            result = try_steps(p, total - (uint32_t)info_of(p).steps, tested);
        }
        if (result != TACT_OK) fail_msg("allocation %zu: %s", n, tact_context_error(context));
        particle_snapshot_expect(p, &expected, "short of memory");
        if (!counter.failed) break;
    }
    print_message("%zu allocations failed\n", failures);
    assert_true(failures > 10);
}

#include TEST_LIST

int main(int argc, char** argv)
{
    if (argc > 1 && strcmp(argv[1], "gl") == 0) tested = TACT_BACKEND_GL;
    if (argc > 1 && strcmp(argv[1], "cl") == 0) tested = TACT_BACKEND_CL;
    if (open_own(NULL) != 0) return EXIT_FAILURE;
    const bool here = !device_missing(context, tested);
    (void)close_context(NULL);
    return here ? run_all(all_tests, open_own, close_context) : run_nothing("the device is missing");
}
