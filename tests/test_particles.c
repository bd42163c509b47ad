// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Every engine of particle systems against the definition: states after steps, contacts, neighbours, on every kind of
// system and with every response and number of threads. The program's arguments: backend (cpu, gl, cl),
// what to divide the numbers of particles by, and the test to run alone.
#include "tests/support/run.h"

#include "apps/particles/particles.h"
#include "tests/support/effort.h"
#include "tests/support/random.h"

static tact_backend tested = TACT_BACKEND_CPU;
static tact_context* context;
static size_t scale = 1;  ///< divides the numbers of particles

static size_t size_for(const tact_particle_scene* scene, size_t wanted)
{
    const size_t n = wanted / scale;
    return n < scene->most ? n : scene->most;
}

static tact_particles* make(const tact_particle_setup* setup, tact_particle_response response)
{
    tact_particle_setup with = *setup;
    tact_particles* particles = NULL;
    with.desc.response = response;
    const tact_result result = tact_particle_setup_create(&with, context, &particles);
    if (result != TACT_OK) print_error("%s\n", tact_context_error(context));
    assert_int_equal(result, TACT_OK);
    return particles;
}

static float* rows_of(tact_particles* particles, size_t* count)
{
    tact_problem problem = {0};
    float* rows = tact_particle_rows(particles, context, count, &problem);
    if (!rows) fail_msg("%s", problem.text);
    return rows;
}

static void step(tact_particles* particles, const tact_particle_setup* setup, uint32_t steps, tact_backend backend,
                 int threads)
{
    const tact_query_options options = {.backend = backend, .threads = threads, .no_fallback = true};
    const tact_result result = tact_particles_step(particles, setup->dt, setup->substeps, steps, &options, NULL);
    if (result != TACT_OK) print_error("%s\n", tact_context_error(context));
    assert_int_equal(result, TACT_OK);
}

static void compare_states(const char* what, tact_particles* a, tact_particles* b)
{
    size_t count_a = 0, count_b = 0;
    float* rows_a = rows_of(a, &count_a);
    float* rows_b = rows_of(b, &count_b);
    assert_int_equal(count_a, count_b);
    for (size_t i = 0; i < 7 * count_a; ++i) {
        if (memcmp(&rows_a[i], &rows_b[i], sizeof *rows_a) == 0) continue;
        fail_msg("%s: particle %zu of %zu, part %zu: %a, by definition %a", what, i / 7, count_a, i % 7,
                 (double)rows_a[i], (double)rows_b[i]);
    }
    free(rows_a);
    free(rows_b);
}

static void check_steps(const tact_particle_scene* scene, size_t count, tact_particle_response response, int threads)
{
    tact_particle_setup setup;
    tact_problem problem = {0};
    assert_true(tact_particle_setup_make(scene, size_for(scene, count), 7, &setup, &problem));
    tact_particles* fast = make(&setup, response);
    tact_particles* slow = make(&setup, response);
    uint64_t steps_done = 0;
    for (uint32_t round = 0; round < 3; ++round) {
        char what[128];
        snprintf(what, sizeof what, "%s, %zu particles, response %d, %d threads, round %u", scene->name, setup.count,
                 (int)response, threads, (unsigned)round);
        assert_int_equal(tact_particle_setup_move(&setup, fast, steps_done), TACT_OK);
        assert_int_equal(tact_particle_setup_move(&setup, slow, steps_done), TACT_OK);
        steps_done += 1 + 3 * round;
        step(fast, &setup, 1 + 3 * round, tested, threads);
        step(slow, &setup, 1 + 3 * round, TACT_BACKEND_REFERENCE, 2);
        compare_states(what, fast, slow);
    }
    tact_particles_info a, b;
    assert_int_equal(tact_particles_get_info(fast, &a), TACT_OK);
    assert_int_equal(tact_particles_get_info(slow, &b), TACT_OK);
    assert_int_equal(a.slowed, b.slowed);
    assert_int_equal(a.stopped, b.stopped);
    tact_particles_destroy(fast);
    tact_particles_destroy(slow);
    tact_particle_setup_free(&setup);
}

static void steps_of(tact_particle_response response)
{
    for (size_t i = 0; i < tact_particle_scene_count; ++i) {
        const tact_particle_scene* scene = &tact_particle_scenes[i];
        check_steps(scene, effort(600, 1500), response, 1);
        check_steps(scene, 700, response, tested == TACT_BACKEND_CPU ? 3 : 2);
        for (size_t n = 0; n < 4; ++n)
            check_steps(scene, n * scale, response, 2);
    }
}

TEST(test_spring)
{
    steps_of(TACT_RESPONSE_SPRING);
}

TEST(test_position)
{
    steps_of(TACT_RESPONSE_POSITION);
}

TEST(test_none)
{
    steps_of(TACT_RESPONSE_NONE);
}

static tact_particle_contact* contacts_of(tact_particles* particles, tact_backend backend, size_t* count)
{
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    const tact_result result = tact_particles_contacts(particles, NULL, 0, count, &options, NULL);
    assert_int_equal(result, *count > 0 ? TACT_INCOMPLETE : TACT_OK);
    tact_particle_contact* contacts = calloc(*count + 1, sizeof *contacts);
    assert_non_null(contacts);
    size_t again = 0;
    if (*count > 1) {
        // One too few: the first ones, and the size needed.
        assert_int_equal(tact_particles_contacts(particles, contacts, *count - 1, &again, &options, NULL),
                         TACT_INCOMPLETE);
        assert_int_equal(again, *count);
        assert_int_equal(contacts[*count - 1].depth == 0.0f && contacts[*count - 1].with == 0, true);
    }
    assert_int_equal(tact_particles_contacts(particles, contacts, *count, &again, &options, NULL), TACT_OK);
    assert_int_equal(again, *count);
    return contacts;
}

TEST(test_contacts)
{
    for (size_t i = 0; i < tact_particle_scene_count; ++i) {
        const tact_particle_scene* scene = &tact_particle_scenes[i];
        tact_particle_setup setup;
        tact_problem problem = {0};
        const size_t n = size_for(scene, effort(1200, 2000));
        assert_true(tact_particle_setup_make(scene, n, 3, &setup, &problem));
        tact_particles* particles = make(&setup, TACT_RESPONSE_NONE);
        size_t count = 0, expected_count = 0;
        tact_particle_contact* contacts = contacts_of(particles, tested, &count);
        tact_particle_contact* expected = contacts_of(particles, TACT_BACKEND_REFERENCE, &expected_count);
        if (count != expected_count)
            fail_msg("%s: %zu contacts, by definition %zu", scene->name, count, expected_count);
        if (memcmp(contacts, expected, count * sizeof *contacts) != 0) fail_msg("%s: contacts differ", scene->name);
        free(contacts);
        free(expected);
        tact_particles_destroy(particles);
        tact_particle_setup_free(&setup);
    }
}

typedef struct id_pair {
    uint32_t a, b;
} id_pair;

static int compare_id_pairs(const void* a, const void* b)
{
    const id_pair *p = a, *q = b;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

static id_pair* neighbours_of(const char* what, tact_particles* particles, float radius, tact_neighbour_kind kind,
                              tact_backend backend, size_t* count)
{
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    tact_neighbour_lists lists;
    const tact_result result = tact_particles_neighbours(particles, radius, kind, &lists, &options, NULL);
    if (result != TACT_OK) print_error("%s: %s\n", what, tact_context_error(context));
    assert_int_equal(result, TACT_OK);
    assert_int_equal(lists.slots, tact_particles_count(particles));
    *count = lists.slots > 0 ? (size_t)lists.offsets[lists.slots] : 0;
    id_pair* pairs = calloc(*count + 1, sizeof *pairs);
    assert_non_null(pairs);
    for (size_t s = 0; s < lists.slots; ++s) {
        for (uint64_t k = lists.offsets[s]; k < lists.offsets[s + 1]; ++k) {
            if (k > lists.offsets[s] && lists.neighbours[k] <= lists.neighbours[k - 1]) {
                fail_msg("%s: the neighbours of slot %zu do not ascend", what, s);
            }
            const uint32_t a = lists.ids[s], b = lists.ids[lists.neighbours[k]];
            const bool once = kind == TACT_NEIGHBOURS_ONCE;
            if (once && lists.neighbours[k] <= s) fail_msg("%s: slot %zu lists an earlier one", what, s);
            // Which of two comes first is the backend's affair.
            pairs[k] = once && b < a ? (id_pair){b, a} : (id_pair){a, b};
        }
    }
    qsort(pairs, *count, sizeof *pairs, compare_id_pairs);
    return pairs;
}

/// Both kinds of lists against the definition.
static void compare_neighbours(const char* name, tact_particles* particles, float radius)
{
    for (int k = 0; k < 2; ++k) {
        const tact_neighbour_kind kind = k ? TACT_NEIGHBOURS_ONCE : TACT_NEIGHBOURS_ALL;
        char what[96];
        size_t count = 0, expected_count = 0;
        snprintf(what, sizeof what, "%s, radius %g%s", name, (double)radius, k ? ", once" : "");
        id_pair* pairs = neighbours_of(what, particles, radius, kind, tested, &count);
        id_pair* expected = neighbours_of(what, particles, radius, kind, TACT_BACKEND_REFERENCE, &expected_count);
        if (count != expected_count) fail_msg("%s: %zu pairs, by definition %zu", what, count, expected_count);
        if (memcmp(pairs, expected, count * sizeof *pairs) != 0) fail_msg("%s: pairs differ", what);
        free(pairs);
        free(expected);
    }
}

/// The same with gaps among the ids, and what steps do then.
static void compare_with_gaps(const char* name, tact_particles* particles, tact_particles* other,
                              const tact_particle_setup* setup)
{
    uint32_t ids[400];
    size_t count = 0;
    for (uint32_t id = 0; id < setup->count && count < 400; id += 3)
        ids[count++] = id;
    assert_int_equal(tact_particles_remove(particles, ids, count), TACT_OK);
    assert_int_equal(tact_particles_remove(other, ids, count), TACT_OK);
    compare_neighbours(name, particles, 1.0f);
    step(particles, setup, 1, tested, 2);
    step(other, setup, 1, TACT_BACKEND_REFERENCE, 2);
    compare_states(name, particles, other);
}

TEST(test_neighbours)
{
    const float radii[] = {0.3f, 1.0f, 2.5f};
    for (size_t i = 0; i < tact_particle_scene_count; ++i) {
        const tact_particle_scene* scene = &tact_particle_scenes[i];
        tact_particle_setup setup;
        tact_problem problem = {0};
        assert_true(tact_particle_setup_make(scene, size_for(scene, 1000), 5, &setup, &problem));
        tact_particles* particles = make(&setup, TACT_RESPONSE_SPRING);
        for (size_t k = 0; k < sizeof radii / sizeof *radii; ++k)
            compare_neighbours(scene->name, particles, radii[k]);
        // Asking for neighbours does not change what steps do.
        tact_particles* other = make(&setup, TACT_RESPONSE_SPRING);
        step(particles, &setup, 2, tested, 2);
        step(other, &setup, 2, TACT_BACKEND_REFERENCE, 2);
        compare_states(scene->name, particles, other);
        compare_with_gaps(scene->name, particles, other, &setup);
        tact_particles_destroy(other);
        tact_particles_destroy(particles);
        tact_particle_setup_free(&setup);
    }
}

#include TEST_LIST
#include "tests/support/one_backend.h"

int main(int argc, char** argv)
{
    if (argc > 2) scale = (size_t)strtoul(argv[2], NULL, 10);
    if (argc > 3) run_only(argv[3]);
    return run_one_backend(argc, argv, &tested);
}
