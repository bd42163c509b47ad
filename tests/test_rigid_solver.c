// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Whether contacts are fit for a solver: what stands in examples/rigid_solver.c stands, what is to fall falls, and
// poses are the same on every device and for any number of threads. "long" as argument: 10,000 bodies for 1,000 steps.
#include "tests/support/run.h"

#include "examples/rigid_scenes.h"
#include "tests/support/effort.h"
#include "tests/support/quiet.h"

static bool long_run;
static double stretched;  // as most_stretched(), after the last scene

static const tact_context_desc host_alone = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};

/// How far rows of bodies are from where they began, beside the one before them, at most.
static double most_stretched(const world* w)
{
    double most = 0.0;
    for (size_t i = 2; i < w->count; ++i) {
        const rigid *a = &w->bodies[i - 1], *b = &w->bodies[i];
        const vec between = less(less(b->at, a->at), less(b->start, a->start));
        const double length = sqrt(dot(between, between));
        most = length > most ? length : most;
    }
    return most;
}

/// The scene after some steps. `new_points`: how often in the second half of them a point began that overlaps, and so
/// had no impulse to start from; points apart carry nothing, and may come and go.
static summary run_scene(const char* scene, size_t steps, size_t* new_points)
{
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    world w;
    assert_true(open_world(&w, &host_alone, scene, 0));
    *new_points = 0;
    for (size_t i = 0; i < steps; ++i) {
        assert_true(step(&w, &options));
        tact_contact_changes changes;
        assert_int_equal(tact_contacts_changes(w.set, &changes), TACT_OK);
        for (size_t k = 0; k < changes.count && i >= steps / 2; ++k) {
            const tact_contact* c = &changes.contacts[k];
            for (uint32_t p = 0; p < c->count; ++p)
                *new_points += changes.from[k].point[p] == TACT_CONTACT_BEGUN && c->point[p].separation < 0.0f;
        }
    }
    const summary s = sum_up(&w);
    stretched = most_stretched(&w);
    print_message("%s after %zu steps: moved by %g, between two by %g, energy %g, %zu lie, %zu new points\n", scene,
                  steps, s.moved, stretched, s.energy, s.lying, *new_points);
    close_world(&w);
    return s;
}

/// Softness lets the lowest box sink by 2 mm, and each that it carries by what is between.
TEST(a_stack_stands)
{
    size_t new_points;
    const summary s = run_scene("stack", effort_of(10000), &new_points);
    assert_true(s.moved < 0.05 && s.energy < 1e-6 && s.lying == 0);
    assert_int_equal(new_points, 0);
}

/// Each box is turned and shifted beside the one below.
TEST(a_crooked_stack_stands)
{
    size_t new_points;
    const summary s = run_scene("crooked", effort_of(10000), &new_points);
    assert_true(s.moved < 0.05 && s.energy < 1e-6 && s.lying == 0);
}

/// Twenty rings of eight rods, each hung in the one above. Softness lets the first sink by 5 cm into the one that
/// carries all, half of the rods' radius, and each below it by less.
TEST(a_chain_hangs)
{
    size_t new_points;
    const summary s = run_scene("chain", effort(3000, 10000), &new_points);
    assert_true(s.moved < 0.6 && stretched < 0.06 && s.energy < 2e-3 && s.lying == 0);
}

/// Three stories, fifteen cards, three of which lie.
TEST(a_card_house_stands)
{
    size_t new_points;
    const summary s = run_scene("cards", effort_of(10000), &new_points);
    assert_true(s.moved < 0.02 && s.energy < 1e-6 && s.lying == 3);
    assert_int_equal(new_points, 0);
}

TEST(dominoes_fall_and_come_to_rest)
{
    size_t new_points;
    const summary s = run_scene("dominoes", effort_of(10000), &new_points);
    assert_true(s.moved > 0.5 && s.moved < 1.0 && s.energy < 1e-6 && s.lying == 30);
    assert_int_equal(new_points, 0);
}

/// The digest after each tenth of the steps.
static void run_mixed(tact_backend backend, int threads, size_t bodies, size_t steps, uint64_t digests[10])
{
    const tact_context_desc desc = {.gl = backend == TACT_BACKEND_GL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .cl = backend == TACT_BACKEND_CL ? TACT_DEVICE_OWN : TACT_DEVICE_NONE,
                                    .threads = 2,
                                    .log = quiet};
    const tact_query_options options = {.backend = backend, .threads = threads};
    world w;
    assert_true(open_world(&w, &desc, "mixed", bodies));
    if (device_missing(w.context, backend)) {
        close_world(&w);
        return;
    }
    for (size_t i = 0; i < steps; ++i) {
        assert_true(step(&w, &options));
        if ((i + 1) % (steps / 10) != 0) continue;
        const uint64_t digest = sum_up(&w).digest;
        const size_t at = (i + 1) / (steps / 10) - 1;
        if (digests[at] == 0) digests[at] = digest;
        if (digest != digests[at])
            fail_msg("%s, %d threads: other poses after %zu steps", tact_backend_name(backend), threads, i + 1);
    }
    const summary s = sum_up(&w);
    print_message("%s, %d threads: %zu bodies after %zu steps: %zu contacts, digest %016llx\n",
                  tact_backend_name(backend), threads, w.count, steps, w.constraint_count,
                  (unsigned long long)s.digest);
    assert_true(w.constraint_count > bodies && s.moved > 0.5);
    close_world(&w);
}

TEST(poses_are_the_same_everywhere)
{
    const size_t bodies = long_run ? 10000 : effort(200, 1000);
    const size_t steps = long_run ? 1000 : effort_is_thorough() ? 300 : 100;
    uint64_t digests[10] = {0};
    for (int threads = 1; threads <= 3; ++threads)
        run_mixed(TACT_BACKEND_CPU, threads, bodies, steps, digests);
    run_mixed(TACT_BACKEND_GL, 2, bodies, steps, digests);
    run_mixed(TACT_BACKEND_CL, 2, bodies, steps, digests);
}

#include TEST_LIST

int main(int argc, char** argv)
{
    long_run = argc > 1 && strcmp(argv[1], "long") == 0;
    return run_all(all_tests, NULL, NULL);
}
