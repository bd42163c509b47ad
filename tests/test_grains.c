// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Grains on the CPU: the same state for every set of instructions and number of threads; exact sums; lists; and what
// the calls refuse. test_grain_states compares states with the definition's.
#include "tests/support/run.h"

#include <math.h>

#include "base/bytes.h"
#include "base/lane_levels.h"
#include "core/particles/particles.h"
#include "cpu_ref/particles/cpu_grains.h"
#include "tests/support/grain_systems.h"
#include "tests/support/saved.h"

TEST(instructions_and_threads_change_nothing)
{
    particle_snapshot expected = {0};
    for (int level = TACT_LANE_LEVELS - 1; level >= 0; --level) {
        if (!tact_lanes_limit(level)) continue;
        for (int threads = 1; threads <= 3; ++threads) {
            tact_particles* p = grain_rich(TACT_BACKEND_CPU, 3);
            grain_step(p, 60, threads);
            if (!expected.bytes) expected = particle_snapshot_of(p);
            particle_snapshot_expect(p, &expected, "with other instructions or threads");
        }
    }
    tact_lanes_limit(TACT_LANE_LEVELS - 1);
}

// ---- Sums ----

static TactExact sum_of(const float* numbers, size_t count, float scale, bool backwards)
{
    TactExact s = {0, 0};
    for (size_t i = 0; i < count; ++i)
        s = tact_exact_add(s, numbers[backwards ? count - 1 - i : i], scale);
    return s;
}

TEST(exact_sums_have_no_order)
{
    enum { N = 2000 };
    float numbers[N];
    test_random r = {4};
    for (int round = 0; round < 50; ++round) {
        double right = 0.0;
        for (size_t i = 0; i < N; ++i) {
            numbers[i] = ldexpf(test_random_signed(&r), (int)(40.0f * test_random_unit(&r)) - 20);
            right += (double)numbers[i];
        }
        const TactExact a = sum_of(numbers, N, 1.0f, false), b = sum_of(numbers, N, 1.0f, true);
        assert_int_equal(a.high, b.high);
        assert_int_equal(a.low, b.low);
        assert_true(a.low >= 0 && a.low < 1 << 30);
        assert_true(fabs((double)tact_exact_value(a, 1.0f) - right) <= N * 0x1p-30 + fabs(right) * 0x1p-22);
        for (size_t i = 0; i < N; ++i)
            numbers[i] = -numbers[i];
        assert_true(tact_exact_value(sum_of(numbers, N, 1.0f, false), 1.0f) == -tact_exact_value(a, 1.0f));
    }
}

TEST(exact_sums_hold_the_greatest_numbers)
{
    enum { N = 2047 };
    float numbers[N];
    for (int sign = -1; sign <= 1; sign += 2) {
        for (size_t i = 0; i < N; ++i)
            numbers[i] = i % 2 ? (float)sign * INFINITY : (float)sign * 3e38f;
        const float sum = tact_exact_value(sum_of(numbers, N, 1.0f, false), 1.0f);
        assert_true(sum == (float)sign * (float)N * TACT_EXACT_MOST);
    }
    const float none[3] = {NAN, -NAN, 1.0f}, small[2] = {0x1p-31f, -0x1p-31f}, units[2] = {0x1p-30f, -0x1p-30f};
    assert_true(tact_exact_value(sum_of(none, 3, 1.0f, false), 1.0f) == 1.0f);
    assert_true(tact_exact_value(sum_of(small, 1, 1.0f, false), 1.0f) == 0.0f);
    assert_true(tact_exact_value(sum_of(small + 1, 1, 1.0f, false), 1.0f) == 0.0f);
    assert_true(tact_exact_value(sum_of(units, 1, 1.0f, false), 1.0f) == 0x1p-30f);
    assert_true(tact_exact_value(sum_of(units + 1, 1, 1.0f, false), 1.0f) == -0x1p-30f);
}

// ---- Lists ----

TEST(a_list_that_serves_many_substeps_loses_nothing)
{
    tact_particles* right = grain_bed(TACT_BACKEND_REFERENCE, NULL);
    tact_particles* p = grain_bed(TACT_BACKEND_CPU, NULL);
    for (int k = 0; k < 6; ++k) {
        grain_take(right, 100, 1);
        grain_take(p, 100, 2);
        const particle_snapshot expected = particle_snapshot_of(right);
        particle_snapshot_expect(p, &expected, "a bed");
    }
    const tact_particle_cpu* e = (const tact_particle_cpu*)p->engines[TACT_BACKEND_CPU];
    // It was made several times, and served several times.
    assert_true(e->grains->lists > 3 && e->grains->lists < 200);
}

typedef enum flight { SMALL_ONES, EQUAL_ONES, ALL_SIZES } flight;

/// Grains that fly about as fast as each other, small ones between large ones at rest, or all.
static tact_particles* flying(tact_backend backend, tact_boundary boundary, flight of)
{
    enum { EDGE = 4, LARGE = EDGE * EDGE * EDGE, COUNT = 7 * LARGE };
    const float side = of == SMALL_ONES ? 6.0f : 3.0f;
    const tact_particle_material material = {2e4f, 1.0f, 0.0f, 0.0f};
    const tact_particles_desc desc = {.response = TACT_RESPONSE_GRAINS,
                                      .backend = backend,
                                      .boundary = {boundary, boundary, boundary},
                                      .domain = {{0, 0, 0}, {side, side, side}},
                                      .materials = &material,
                                      .material_count = 1,
                                      .max_radius = of == SMALL_ONES ? 0.5f : 0.25f};
    float x[3 * COUNT], v[3 * COUNT], radii[COUNT];
    test_random r = {8};
    for (size_t i = 0; i < COUNT; ++i) {
        const size_t at[3] = {i % EDGE, i / EDGE % EDGE, i / EDGE / EDGE % EDGE};
        const bool large = i < LARGE && of == SMALL_ONES;
        float speed[3], square = 0.0f;
        for (size_t k = 0; k < 3; ++k) {
            x[3 * i + k] = large ? 0.75f + 1.4f * (float)at[k] : 0.25f + (side - 0.5f) * test_random_unit(&r);
            speed[k] = test_random_signed(&r);
            square += speed[k] * speed[k];
        }
        for (size_t k = 0; k < 3; ++k)
            v[3 * i + k] = large ? 0.0f : 6.0f * speed[k] / sqrtf(square);
        radii[i] = of == EQUAL_ONES ? 0.15f : large ? 0.5f : 0.06f + 0.1f * test_random_unit(&r);
    }
    tact_particles* p = NULL;
    assert_int_equal(tact_particles_create(context, &desc, &p), TACT_OK);
    KEEP(p);
    const tact_particle_arrays arrays = {.positions = x, .velocities = v, .radii = radii};
    assert_int_equal(tact_particles_add(p, &arrays, COUNT, NULL), TACT_OK);
    return p;
}

TEST(lists_serve_also_where_grains_are_fast)
{
    for (int variant = 0; variant < 6; ++variant) {
        const tact_boundary boundary = variant % 2 ? TACT_BOUNDARY_PERIODIC : TACT_BOUNDARY_WALL;
        tact_particles* right = flying(TACT_BACKEND_REFERENCE, boundary, (flight)(variant / 2));
        tact_particles* p = flying(TACT_BACKEND_CPU, boundary, (flight)(variant / 2));
        for (int k = 0; k < 5; ++k) {
            grain_take(right, 40, 1);
            grain_take(p, 40, 1 + k % 3);
        }
        const particle_snapshot expected = particle_snapshot_of(right);
        particle_snapshot_expect(p, &expected, "flying about");
        const tact_particle_cpu* e = (const tact_particle_cpu*)p->engines[TACT_BACKEND_CPU];
        assert_true(e->grains->lists > 4 && e->grains->lists < 40);
    }
}

/// Notes by rank which pairs are in the lists of chunks.
static void note_pairs(const tact_particle_cpu* e, const void* chunks, size_t count, bool* listed)
{
    for (size_t c = 0; c < count; ++c) {
        const tact_pair_list* list = &((const tact_walk_chunk*)chunks)[c].list;
        for (size_t k = 0; k < list->count; ++k) {
            const uint32_t a = e->now.tag[list->i[k]][0], b = e->now.tag[list->j[k]][0];
            listed[a * e->count + b] = listed[b * e->count + a] = true;
        }
    }
}

static float apart(const tact_particle_model* m, const float* a, const float* b)
{
    return tact_length3(tact_grid_shorter(m->grid.x, b[0] - a[0]), tact_grid_shorter(m->grid.y, b[1] - a[1]),
                        tact_grid_shorter(m->grid.z, b[2] - a[2]));
}

/// Makes a list in a substep, and expects all in it that are to be. Returns how many of them do not touch.
static size_t expect_list(tact_particles* p, int threads)
{
    const size_t n = tact_particles_count(p);
    float *before = scratch(3 * n * sizeof *before), *skins = scratch(n * sizeof *skins);
    bool* listed = scratch(n * n);
    size_t contacts = 0, apart_count = 0;
    memset(listed, 0, n * n);
    const tact_particle_output output = {.positions = before};
    assert_int_equal(tact_particles_read(p, &output), TACT_OK);
    assert_int_equal(tact_particles_contacts(p, NULL, 0, &contacts, NULL, NULL), TACT_INCOMPLETE);
    grain_take(p, 1, threads);
    const tact_particle_cpu* e = (const tact_particle_cpu*)p->engines[TACT_BACKEND_CPU];
    float* radii = scratch(n * sizeof *radii);
    assert_true(e->grains->listed && e->grains->age == 1 && e->count == n);
    note_pairs(e, e->chunks, e->chunk_count, listed);
    note_pairs(e, e->seam_chunks, e->seam_chunk_count, listed);
    for (size_t i = 0; i < n; ++i) {
        const uint32_t id = e->now.tag[i][0];
        const float at[3] = {e->now.x[i], e->now.y[i], e->now.z[i]};
        skins[id] = (e->grains->way[i] + apart(&p->model, before + 3 * (size_t)id, at)) / TACT_GRAIN_MARGIN_USED;
        radii[id] = e->now.radius[i];
        assert_true(skins[id] >= e->grains->margin * 0.999f * radii[id]);
    }
    for (size_t a = 0; a < n; ++a) {
        for (size_t b = a + 1; b < n; ++b) {
            const float distance = apart(&p->model, before + 3 * a, before + 3 * b);
            if (distance > 0.9999f * (radii[a] + skins[a] + radii[b] + skins[b])) continue;
            if (!listed[a * n + b]) fail_msg("%zu and %zu, %g apart", a, b, (double)distance);
            apart_count += distance > radii[a] + radii[b];
        }
    }
    return apart_count;
}

TEST(lists_have_all_pairs_whose_skins_meet)
{
    for (int variant = 0; variant < 6; ++variant) {
        const tact_boundary boundary = variant % 2 ? TACT_BOUNDARY_PERIODIC : TACT_BOUNDARY_WALL;
        tact_particles* p = flying(TACT_BACKEND_CPU, boundary, (flight)(variant / 2));
        // Some are faster than cells have room for.
        float v[3 * 16];
        uint32_t ids[16];
        test_random r = {5};
        for (uint32_t i = 0; i < 16; ++i)
            ids[i] = 20 * i;
        for (size_t i = 0; i < 3 * 16; ++i)
            v[i] = 60.0f * test_random_signed(&r);
        assert_int_equal(tact_particles_write(p, ids, 16, NULL, v), TACT_OK);
        for (int k = 0; k < 6; ++k) {
            assert_true(expect_list(p, 1 + k % 3) > 0);
            grain_take(p, 30, 2);
        }
    }
}

// ---- What is refused ----

TEST(laws_and_numbers_out_of_range_are_refused)
{
    tact_particles* p = grain_bed(TACT_BACKEND_CPU, NULL);
    tact_grain_law laws[] = {grain_hertz, grain_hertz, grain_hertz, grain_hertz, grain_hertz, grain_hertz,
                             grain_hertz, grain_hertz, grain_hertz, grain_hertz, grain_hertz, grain_hertz};
    laws[0].springs = (tact_grain_springs)2;
    laws[1].stiffness = 0.0f;
    laws[2].shear = -1.0f;
    laws[3].restitution = 0.0f;
    laws[4].tangential_damping = NAN;
    laws[5].friction = INFINITY;
    laws[6].rolling_friction = -1.0f;
    laws[7].twisting_friction = NAN;
    laws[8].adhesion = -0.1f;
    laws[9].restitution = 1.5f;
    laws[10].cohesion = -1.0f;
    laws[11].cohesion = NAN;
    const particle_snapshot before = particle_snapshot_of(p);
    for (size_t i = 0; i < sizeof laws / sizeof *laws; ++i)
        assert_int_equal(tact_particles_set_law(p, 0, 0, &laws[i]), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_set_law(p, 0, 1, &grain_hertz), TACT_ERROR_INVALID_ARGUMENT);
    const float spin[3] = {0, NAN, 0}, turn[4] = {0, 0, 0, 1.01f}, good[4] = {0, 0.6f, 0, 0.8f};
    const uint32_t here = 5, nowhere = GRAIN_BED;
    assert_int_equal(tact_particles_write_turning(p, &here, 1, spin, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_write_turning(p, &here, 1, NULL, turn), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_write_turning(p, &nowhere, 1, good, good), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_write_turning(p, NULL, 1, good, good), TACT_ERROR_INVALID_ARGUMENT);
    particle_snapshot_expect(p, &before, "refused");
    assert_int_equal(tact_particles_write_turning(p, &here, 1, good, good), TACT_OK);
    tact_particles* others = NULL;
    assert_int_equal(tact_particles_create(context, NULL, &others), TACT_OK);
    KEEP(others);
    assert_int_equal(tact_particles_set_law(others, 0, 0, &grain_hertz), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_read_turning(others, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_write_turning(others, NULL, 0, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
}

TEST(least_restitutions_are_met)
{
    const tact_grain_law dull = {.springs = TACT_GRAIN_HERTZ, .stiffness = 1.0f, .restitution = 0.01f};
    const TactGrainRule rule = tact_grain_rule_of_law(&dull);
    assert_true(rule.normal_damping > 1.0f && rule.normal_damping < 60.0f);
}

/// A saved system's bytes with one word changed, and a checksum that is right.
static void expect_damage(const particle_snapshot* s, size_t at, uint32_t word, bool taken)
{
    uint8_t* bytes = scratch(s->size);
    tact_particles* p = NULL;
    memcpy(bytes, s->bytes, s->size);
    tact_put_u32(bytes + at, word);
    saved_mend(bytes, s->size);
    const tact_result result = tact_particles_restore(context, bytes, s->size, TACT_BACKEND_CPU, &p);
    if ((result == TACT_OK) != taken) fail_msg("byte %zu: %s", at, tact_context_error(context));
    tact_particles_destroy(p);
}

TEST(damaged_memories_are_refused)
{
    tact_particles* p = grain_bed(TACT_BACKEND_CPU, &grain_hertz);
    grain_take(p, 100, 1);
    const particle_snapshot s = particle_snapshot_of(p);
    const size_t count = p->mirror.record_count;
    assert_true(count > 100);
    // From the end of the body: how long a substep was, records of 13 words, how many there are, orientations, spins,
    // the laws of bonds, nine words of the law.
    const size_t step = s.size - TACT_SAVED_DIGEST - 4, records = step - 52 * count,
                 turns = records - 8 - 16 * GRAIN_BED, spins = turns - 16 * GRAIN_BED;
    const size_t bonds = spins - 4 - (size_t)24 * TACT_BOND_KINDS, law = bonds - 36;
    const uint32_t none = 0x7fc00000u, one = 0x3f800000u, minus = 0xbf800000u;
    expect_damage(&s, step, none, false);                        //
    expect_damage(&s, step, 0, false);                           //
    expect_damage(&s, step, one, true);                          //
    expect_damage(&s, records, 1u << 20, false);                 // a
    expect_damage(&s, records + 4, 4, false);                    // with
    expect_damage(&s, records + 8, 0, false);                    // b: not above a
    expect_damage(&s, records + 12, none, false);                // the normal
    expect_damage(&s, records + 16, one, false);                 // a bond without a law
    expect_damage(&s, records + 20, one, false);                 // what is 0
    expect_damage(&s, bonds, none, false);                       // the steepest bond
    expect_damage(&s, bonds + 4, none, false);                   // the first law of bonds
    expect_damage(&s, bonds + 4, minus, false);                  //
    expect_damage(&s, bonds + 12, 0x40000000u, false);           // a beam of twice the radius
    expect_damage(&s, records + 24, none, false);                // the spring
    expect_damage(&s, records + 24, one, true);                  //
    expect_damage(&s, records + 48, one, true);                  // the twist
    expect_damage(&s, records + 52, 0xffffffffu, false);         // the second's a
    expect_damage(&s, records - 8, (uint32_t)count - 1, false);  // how many
    expect_damage(&s, records - 4, 1, false);                    //
    expect_damage(&s, turns, one, false);                        // no unit quaternion
    expect_damage(&s, spins, none, false);                       //
    expect_damage(&s, spins + 12, one, false);                   // what is 0
    expect_damage(&s, spins, one, true);                         //
    expect_damage(&s, law, 0, false);                            // the stiffness
    expect_damage(&s, law + 8, minus, false);                    //
    expect_damage(&s, law + 32, 2, false);                       // whether it is Hertz's
    expect_damage(&s, law + 32, 0, true);                        //
}

/// A saved system that has gone on without the normal of one contact.
static tact_particles* without_normal(const particle_snapshot* s, size_t at, tact_backend backend)
{
    uint8_t* bytes = scratch(s->size);
    tact_particles* p = NULL;
    memcpy(bytes, s->bytes, s->size);
    for (size_t k = 0; k < 3; ++k)
        tact_put_u32(bytes + at + 12 + 4 * k, 0);
    saved_mend(bytes, s->size);
    assert_int_equal(tact_particles_restore(context, bytes, s->size, backend, &p), TACT_OK);
    KEEP(p);
    grain_take(p, 2, 1);
    return p;
}

TEST(a_contact_with_a_wall_goes_on_by_its_normal)
{
    tact_particles* p = grain_bed(TACT_BACKEND_CPU, &grain_hertz);
    grain_take(p, 600, 2);
    const particle_snapshot s = particle_snapshot_of(p);
    const tact_grain_record* records = p->mirror.records;
    const size_t count = p->mirror.record_count;
    size_t k = 0;
    while (k < count && (records[k].with != TACT_CONTACT_WALL || records[k].b != 2 || records[k].spring.sx == 0.0f))
        ++k;
    assert_true(k < count);
    const size_t at = s.size - TACT_SAVED_DIGEST - 52 * (count - k);
    const particle_snapshot forgotten = particle_snapshot_of(without_normal(&s, at, TACT_BACKEND_REFERENCE));
    particle_snapshot_expect(without_normal(&s, at, TACT_BACKEND_CPU), &forgotten, "with no normal");
    grain_take(p, 2, 1);
    const particle_snapshot kept = particle_snapshot_of(p);
    assert_true(kept.size != forgotten.size || memcmp(kept.bytes, forgotten.bytes, kept.size) != 0);
}

#include TEST_LIST
RUN_ALL(open_host_context, close_context)
