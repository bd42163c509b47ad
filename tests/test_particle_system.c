// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The interface of particle systems: what it refuses, that a refusal changes nothing, ids, particles in and out.
#include "tests/support/run.h"

#include "tact/particle_bodies.h"
#include "tests/support/calls.h"
#include "tests/support/objects.h"
#include "tests/support/particle_states.h"
#include "tests/support/test_context.h"

static const tact_particles_desc closed_box = {
    .boundary = {TACT_BOUNDARY_WALL, TACT_BOUNDARY_WALL, TACT_BOUNDARY_WALL},
    .domain = {{-10, -10, -10}, {10, 10, 10}},
    .gravity = {0, -9.81f, 0},
};

static tact_particles* make(const tact_particles_desc* desc)
{
    return KEEP(new_particles(context, desc));
}

/// A row of spheres of radius 0.5 that overlap a little, `count` of them.
static tact_particles* make_row(const tact_particles_desc* desc, size_t count)
{
    tact_particles* p = make(desc);
    float* x = scratch_zeroed(3 * count + 1, sizeof *x);
    for (size_t i = 0; i < count; ++i)
        x[3 * i] = -8.0f + 0.95f * (float)i;
    const tact_particle_arrays arrays = {.positions = x};
    assert_int_equal(tact_particles_add(p, &arrays, count, NULL), TACT_OK);
    return p;
}

static void expect_refused(tact_result result, const char* word)
{
    assert_int_equal(result, TACT_ERROR_INVALID_ARGUMENT);
    if (word && !strstr(tact_context_error(context), word)) {
        fail_msg("\"%s\" does not speak of \"%s\"", tact_context_error(context), word);
    }
}

static void refuse_desc(tact_particles_desc desc)
{
    tact_particles* p = (tact_particles*)1;
    expect_refused(tact_particles_create(context, &desc, &p), NULL);
    assert_null(p);
}

TEST(descriptions_are_checked)
{
    const float bad[] = {NAN, INFINITY, -INFINITY, -1.0f};
    for (size_t i = 0; i < 4; ++i) {
        const float x = bad[i];
        refuse_desc((tact_particles_desc){.drag = x});
        refuse_desc((tact_particles_desc){.max_radius = x});
        refuse_desc((tact_particles_desc){.relaxation = x});
        if (i < 3) refuse_desc((tact_particles_desc){.gravity = {0, x, 0}});
        if (i < 3) refuse_desc((tact_particles_desc){.origin = {0, 0, x}});
        if (i != 1) refuse_desc((tact_particles_desc){.speed_limit = x});
        if (i != 1) refuse_desc((tact_particles_desc){.separation_speed = x});
        if (i != 1) refuse_desc((tact_particles_desc){.sleep_speed = x});
        tact_particles_desc d = closed_box;
        d.domain.upper.y = i < 3 ? x : -11.0f;
        refuse_desc(d);
        const tact_particle_material good = {1e4f, 0.5f, 0.5f, 0.5f};
        tact_particle_material m[4] = {good, good, good, good};
        m[0].stiffness = m[1].restitution = m[2].friction = m[3].tangential_damping = x;
        for (int k = 0; k < 4; ++k)
            refuse_desc((tact_particles_desc){.materials = &m[k], .material_count = 1});
    }
    refuse_desc((tact_particles_desc){.response = (tact_particle_response)7});
    refuse_desc((tact_particles_desc){.backend = (tact_backend)77});
    refuse_desc((tact_particles_desc){.boundary = {(tact_boundary)5}});
    refuse_desc((tact_particles_desc){.material_count = 1});
    refuse_desc((tact_particles_desc){.material_count = 17, .materials = &(tact_particle_material){1, 1, 1, 1}});
    refuse_desc((tact_particles_desc){.wall_material = 1});
    refuse_desc((tact_particles_desc){.iterations = 4096});
    refuse_desc((tact_particles_desc){.relaxation = 2.0f});
    const tact_particle_material soft = {0.0f, 0.5f, 0.5f, 0.5f}, dead = {1.0f, 0.0f, 0.5f, 0.5f};
    refuse_desc((tact_particles_desc){.materials = &soft, .material_count = 1});
    refuse_desc((tact_particles_desc){.materials = &dead, .material_count = 1});
    tact_particles_desc narrow = closed_box;
    narrow.boundary[0] = TACT_BOUNDARY_PERIODIC;
    narrow.max_radius = 3.4f;
    refuse_desc(narrow);
    tact_particles* p = NULL;
    assert_int_equal(tact_particles_create(NULL, NULL, &p), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_create(context, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_create(context, &(tact_particles_desc){.backend = TACT_BACKEND_GL}, &p),
                     TACT_ERROR_NO_DEVICE);
}

/// Adds two good particles and one that is not, and wants the system as it was, to the byte.
static void refuse_third(tact_particles* p, tact_particle_arrays arrays, const char* word)
{
    particle_snapshot before = particle_snapshot_of(p);
    uint32_t ids[3] = {77, 77, 77};
    expect_refused(tact_particles_add(p, &arrays, 3, ids), word);
    assert_int_equal(ids[0], 77);
    particle_snapshot_expect(p, &before, "after a refusal");
}

TEST(particles_are_checked)
{
    tact_particles* p = make_row(&closed_box, 5);
    const float good[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const float bad_places[] = {NAN, INFINITY, -INFINITY, 1e30f, 10.1f, -10.1f};
    for (size_t i = 0; i < sizeof bad_places / sizeof *bad_places; ++i) {
        float x[9];
        memcpy(x, good, sizeof x);
        x[6 + i % 3] = bad_places[i];
        refuse_third(p, (tact_particle_arrays){.positions = x}, "particle 2");
    }
    const float bad_speeds[] = {NAN, INFINITY, -INFINITY, 1e30f};
    for (size_t i = 0; i < 4; ++i) {
        float v[9] = {0};
        v[8] = bad_speeds[i];
        refuse_third(p, (tact_particle_arrays){.positions = good, .velocities = v}, "velocity");
    }
    const float bad_radii[] = {NAN, INFINITY, 0.0f, -0.5f, 1e30f, 0.5f / 17.0f, 8.1f};
    for (size_t i = 0; i < sizeof bad_radii / sizeof *bad_radii; ++i) {
        const float r[3] = {0.5f, 0.4f, bad_radii[i]};
        refuse_third(p, (tact_particle_arrays){.positions = good, .radii = r}, "radi");
    }
    const float bad_masses[] = {NAN, 0.0f, -0.0f, -1.0f, -INFINITY, 1e-45f};
    for (size_t i = 0; i < sizeof bad_masses / sizeof *bad_masses; ++i) {
        const float m[3] = {1.0f, INFINITY, bad_masses[i]};
        refuse_third(p, (tact_particle_arrays){.positions = good, .masses = m}, "mass");
    }
    const uint8_t materials[3] = {0, 0, 1}, groups[3] = {0, 31, 32};
    refuse_third(p, (tact_particle_arrays){.positions = good, .materials = materials}, "material");
    refuse_third(p, (tact_particle_arrays){.positions = good, .groups = groups}, "group");
    refuse_third(p, (tact_particle_arrays){.positions = good, .radius = -1.0f}, "radius");
    refuse_third(p, (tact_particle_arrays){.positions = good, .density = -1.0f}, "mass");
    refuse_third(p, (tact_particle_arrays){.positions = good, .density = NAN}, "mass");
    refuse_third(p, (tact_particle_arrays){0}, "NULL");
    const tact_particle_arrays fine = {.positions = good};
    assert_int_equal(tact_particles_add(NULL, &fine, 1, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_add(p, NULL, 1, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_add(p, &fine, (size_t)TACT_MAX_PARTICLES + 1, NULL), TACT_ERROR_LIMIT);
    assert_int_equal(tact_particles_add(p, &fine, 0, NULL), TACT_OK);
    assert_int_equal(tact_particles_count(p), 5);
}

TEST(radii_are_held_to_the_limits_of_the_system)
{
    tact_particles_desc desc = closed_box;
    desc.max_radius = 1.0f;
    tact_particles* p = make(&desc);
    const float x[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const float wide[3] = {1.0f, 0.0625f, 1.01f}, narrow[3] = {0.5f, 0.5f, 0.05f}, full[3] = {1.0f, 0.0625f, 0.5f};
    expect_refused(tact_particles_add(p, &(tact_particle_arrays){.positions = x, .radii = wide}, 3, NULL),
                   "max_radius");
    expect_refused(tact_particles_add(p, &(tact_particle_arrays){.positions = x, .radii = narrow}, 3, NULL), "radii");
    assert_int_equal(tact_particles_add(p, &(tact_particle_arrays){.positions = x, .radii = full}, 3, NULL), TACT_OK);
    // A period that is too short for a radius is only found out when the radius comes.
    desc.max_radius = 0.0f;
    desc.boundary[1] = TACT_BOUNDARY_PERIODIC;
    p = make(&desc);
    expect_refused(tact_particles_add(p, &(tact_particle_arrays){.positions = x, .radius = 3.3f}, 3, NULL), "repeats");
    assert_int_equal(tact_particles_count(p), 0);
    assert_int_equal(tact_particles_id_end(p), 0);
    assert_int_equal(tact_particles_add(p, &(tact_particle_arrays){.positions = x, .radius = 0.01f}, 3, NULL), TACT_OK);
}

TEST(ids_are_given_out_smallest_first)
{
    tact_particles* p = make_row(&closed_box, 8);
    assert_int_equal(tact_particles_id_end(p), 8);
    const uint32_t gone[3] = {6, 1, 3};
    assert_int_equal(tact_particles_remove(p, gone, 3), TACT_OK);
    assert_int_equal(tact_particles_count(p), 5);
    assert_int_equal(tact_particles_id_end(p), 8);
    const float x[15] = {9, 9, 1, 9, 9, 2, 9, 9, 3, 9, 9, 4, 9, 9, 5};
    uint32_t ids[5];
    assert_int_equal(tact_particles_add(p, &(tact_particle_arrays){.positions = x, .group = 4}, 5, ids), TACT_OK);
    const uint32_t expected[5] = {1, 3, 6, 8, 9};
    assert_memory_equal(ids, expected, sizeof ids);
    uint32_t all[10];
    float places[30];
    uint8_t groups[10];
    const tact_particle_output out = {.ids = all, .positions = places, .groups = groups};
    assert_int_equal(tact_particles_read(p, &out), TACT_OK);
    for (uint32_t i = 0; i < 10; ++i) {
        assert_int_equal(all[i], i);
        assert_int_equal(groups[i], i == 1 || i == 3 || i == 6 || i >= 8 ? 4 : 0);
    }
    assert_true(places[3 * 3 + 2] == 2.0f && places[3 * 9 + 2] == 5.0f);
    tact_particles_clear(p);
    assert_int_equal(tact_particles_count(p), 0);
    assert_int_equal(tact_particles_id_end(p), 0);
    assert_int_equal(tact_particles_add(p, &(tact_particle_arrays){.positions = x}, 2, ids), TACT_OK);
    assert_true(ids[0] == 0 && ids[1] == 1);
}

TEST(removal_is_all_or_nothing)
{
    tact_particles* p = make_row(&closed_box, 6);
    particle_snapshot before = particle_snapshot_of(p);
    const uint32_t twice[3] = {2, 4, 2}, unknown[3] = {2, 4, 6}, wild[2] = {0, UINT32_MAX};
    expect_refused(tact_particles_remove(p, twice, 3), "particle 2");
    particle_snapshot_expect(p, &before, "twice");
    expect_refused(tact_particles_remove(p, unknown, 3), "particle 6");
    expect_refused(tact_particles_remove(p, wild, 2), NULL);
    particle_snapshot_expect(p, &before, "unknown");
    assert_int_equal(tact_particles_remove(p, NULL, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_particles_remove(p, NULL, 0), TACT_OK);
    const uint32_t all[6] = {5, 4, 3, 2, 1, 0};
    assert_int_equal(tact_particles_remove(p, all, 6), TACT_OK);
    assert_int_equal(tact_particles_count(p), 0);
    expect_refused(tact_particles_remove(p, all, 1), "particle 5");
    assert_int_equal(tact_particles_step(p, 0.01f, 1, 3, NULL, NULL), TACT_OK);
}

TEST(writing_is_checked_and_reaches_the_next_step)
{
    tact_particles* p = make_row(&closed_box, 4);
    assert_int_equal(tact_particles_step(p, 1e-3f, 0, 2, NULL, NULL), TACT_OK);
    particle_snapshot before = particle_snapshot_of(p);
    const uint32_t ids[2] = {3, 1}, unknown[2] = {3, 4};
    float x[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2}, bad[12] = {0};
    bad[4] = NAN;
    expect_refused(tact_particles_write(p, ids, 2, bad, NULL), "position");
    expect_refused(tact_particles_write(p, ids, 2, x, bad), "velocity");
    expect_refused(tact_particles_write(p, unknown, 2, x, NULL), "particle 4");
    expect_refused(tact_particles_write(p, NULL, 3, x, NULL), "no ids");
    bad[4] = 11.0f;
    expect_refused(tact_particles_write(p, NULL, 4, bad, NULL), "outside");
    particle_snapshot_expect(p, &before, "refused");
    assert_int_equal(tact_particles_write(p, ids, 2, x, x + 6), TACT_OK);
    float places[12], speeds[12];
    assert_int_equal(tact_particles_read(p, &(tact_particle_output){.positions = places, .velocities = speeds}),
                     TACT_OK);
    assert_memory_equal(places + 9, x, 12);
    assert_memory_equal(places + 3, x + 3, 12);
    assert_memory_equal(speeds + 9, x + 6, 12);
    assert_int_equal(tact_particles_write(p, NULL, 4, NULL, NULL), TACT_OK);
    assert_int_equal(tact_particles_step(p, 1e-3f, 0, 1, NULL, NULL), TACT_OK);
    assert_int_equal(tact_particles_read(p, &(tact_particle_output){.positions = places}), TACT_OK);
    assert_true(fabsf(places[9] - 1.007f) < 1e-4f);
}

TEST(steps_are_checked)
{
    tact_particles* p = make_row(&closed_box, 4);
    const float stable = tact_particles_stable_step(p);
    assert_true(stable > 0.0f && isfinite(stable));
    particle_snapshot before = particle_snapshot_of(p);
    const float absurd[] = {NAN, INFINITY, -INFINITY, 0.0f, -0.0f, -0.01f, 1e30f};
    for (size_t i = 0; i < sizeof absurd / sizeof *absurd; ++i)
        expect_refused(tact_particles_step(p, absurd[i], 1, 1, NULL, NULL), NULL);
    expect_refused(tact_particles_step(p, 21.0f * stable, 1, 1, NULL, NULL), "longer than a contact");
    expect_refused(tact_particles_step(p, 70000.0f * stable, 0, 1, NULL, NULL), "substeps");
    expect_refused(tact_particles_step(p, stable, 65537, 1, NULL, NULL), "substeps");
    expect_refused(tact_particles_step(p, 1e-29f, 60000, 1, NULL, NULL), "substeps");
    const tact_query_options wrong = {.backend = (tact_backend)99}, gl = {.backend = TACT_BACKEND_GL};
    expect_refused(tact_particles_step(p, stable, 1, 1, &wrong, NULL), NULL);
    assert_int_equal(tact_particles_step(p, stable, 1, 1, &gl, NULL), TACT_ERROR_NO_DEVICE);
    assert_int_equal(tact_particles_step(p, stable, 1, 0, NULL, NULL), TACT_OK);
    particle_snapshot_expect(p, &before, "refused, or no steps");
    tact_particles_info info;
    assert_int_equal(tact_particles_step(p, 3.5f * stable, 0, 2, NULL, NULL), TACT_OK);
    assert_int_equal(tact_particles_get_info(p, &info), TACT_OK);
    assert_true(info.steps == 2 && info.substeps == 8 && info.time == 2.0 * (double)(3.5f * stable));
    // Nothing to keep stable.
    p = make(NULL);
    assert_true(isinf(tact_particles_stable_step(p)));
    assert_int_equal(tact_particles_step(p, 1.0f, 0, 2, NULL, NULL), TACT_OK);
    assert_int_equal(tact_particles_get_info(p, &info), TACT_OK);
    assert_true(info.steps == 2 && info.time == 2.0);
    assert_int_equal(tact_particles_step(NULL, 1.0f, 0, 2, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
}

TEST(gravity_masks_rules_and_forces_are_checked)
{
    tact_particles* p = make_row(&closed_box, 4);
    particle_snapshot before = particle_snapshot_of(p);
    expect_refused(tact_particles_set_gravity(p, (tact_vec3){0, NAN, 0}), "gravity");
    expect_refused(tact_particles_set_gravity(p, (tact_vec3){INFINITY, 0, 0}), "gravity");
    expect_refused(tact_particles_set_mask(p, 32, 1), "group 32");
    const tact_particle_material good = {1e4f, 0.5f, 0.5f, 0.5f}, bad = {1e4f, 0.5f, NAN, 0.5f};
    expect_refused(tact_particles_set_contact(p, 0, 1, &good), "materials");
    expect_refused(tact_particles_set_contact(p, 0, 0, &bad), "friction");
    float forces[12] = {0};
    forces[7] = NAN;
    expect_refused(tact_particles_set_forces(p, forces, 4), "particle 2");
    assert_int_equal(tact_particles_set_forces(p, forces, (size_t)TACT_MAX_PARTICLES + 1), TACT_ERROR_LIMIT);
    // Nothing of it counts: the same as a system that was left alone.
    tact_particles* other = make_row(&closed_box, 4);
    assert_int_equal(tact_particles_step(p, 1e-3f, 0, 5, NULL, NULL), TACT_OK);
    assert_int_equal(tact_particles_step(other, 1e-3f, 0, 5, NULL, NULL), TACT_OK);
    particle_snapshot after = particle_snapshot_of(other);
    particle_snapshot_expect(p, &after, "parameters refused");
    assert_true(memcmp(before.bytes, after.bytes, before.size) != 0);
    // Forces in use, and taken off again.
    forces[7] = 1e6f;
    float v[12];
    assert_int_equal(tact_particles_set_forces(p, forces, 3), TACT_OK);
    assert_int_equal(tact_particles_step(p, 1e-4f, 1, 1, NULL, NULL), TACT_OK);
    assert_int_equal(tact_particles_read(p, &(tact_particle_output){.velocities = v}), TACT_OK);
    const float pushed = v[7];
    assert_true(pushed > 0.1f && v[10] < 0.0f);
    assert_int_equal(tact_particles_set_forces(p, NULL, 5), TACT_OK);
    assert_int_equal(tact_particles_step(p, 1e-4f, 1, 1, NULL, NULL), TACT_OK);
    assert_int_equal(tact_particles_read(p, &(tact_particle_output){.velocities = v}), TACT_OK);
    assert_true(v[7] < pushed && v[7] > pushed - 0.1f);
}

TEST(an_infinite_mass_keeps_its_way)
{
    tact_particles* p = make(&closed_box);
    const float x[6] = {0, 0, 0, 0.8f, 0, 0}, v[6] = {0.5f, 0.25f, 0, 0, 0, 0}, m[2] = {INFINITY, INFINITY};
    const tact_particle_arrays arrays = {.positions = x, .velocities = v, .masses = m};
    assert_int_equal(tact_particles_add(p, &arrays, 2, NULL), TACT_OK);
    assert_true(isinf(tact_particles_stable_step(p)));
    assert_int_equal(tact_particles_step(p, 0.125f, 0, 8, NULL, NULL), TACT_OK);
    float at[6], masses[2];
    assert_int_equal(tact_particles_read(p, &(tact_particle_output){.positions = at, .masses = masses}), TACT_OK);
    assert_true(at[0] == 0.5f && at[1] == 0.25f && at[3] == 0.8f && isinf(masses[0]));
}

TEST(groups_that_do_not_meet_pass_through)
{
    for (int meet = 0; meet < 2; ++meet) {
        for (int response = 0; response < 2; ++response) {
            const tact_particles_desc desc = {.response = (tact_particle_response)response};
            tact_particles* p = make(&desc);
            const float x[6] = {-1, 0, 0, 1, 0, 0}, v[6] = {1, 0, 0, -1, 0, 0};
            const uint8_t groups[2] = {3, 5};
            const tact_particle_arrays a = {.positions = x, .velocities = v, .groups = groups};
            assert_int_equal(tact_particles_add(p, &a, 2, NULL), TACT_OK);
            // One side's refusal is enough.
            if (!meet) assert_int_equal(tact_particles_set_mask(p, 3, ~(UINT32_C(1) << 5)), TACT_OK);
            size_t count = 9;
            assert_int_equal(tact_particles_step(p, 1e-3f, 0, 600, NULL, NULL), TACT_OK);
            const tact_result listed = tact_particles_contacts(p, NULL, 0, &count, NULL, NULL);
            assert_int_equal(listed, count > 0 ? TACT_INCOMPLETE : TACT_OK);
            if (!meet) assert_int_equal(count, 0);
            assert_int_equal(tact_particles_step(p, 1e-3f, 0, 1400, NULL, NULL), TACT_OK);
            float at[6];
            assert_int_equal(tact_particles_read(p, &(tact_particle_output){.positions = at}), TACT_OK);
            if (meet) assert_true(at[0] < 0.0f && at[3] > 0.0f);
            if (!meet) assert_true(fabsf(at[0] - 1.0f) < 1e-3f && fabsf(at[3] + 1.0f) < 1e-3f);
        }
    }
}

TEST(empty_systems_answer)
{
    tact_particles* p = make(&closed_box);
    size_t count = 9;
    tact_neighbour_lists lists;
    tact_particle_totals totals;
    assert_int_equal(tact_particles_contacts(p, NULL, 0, &count, NULL, NULL), TACT_OK);
    assert_int_equal(count, 0);
    assert_int_equal(tact_particles_neighbours(p, 1.0f, TACT_NEIGHBOURS_ALL, &lists, NULL, NULL), TACT_OK);
    assert_int_equal(lists.slots, 0);
    assert_int_equal(tact_particles_measure(p, &totals), TACT_OK);
    assert_true(totals.mass == 0.0 && totals.kinetic_energy == 0.0);
    assert_int_equal(tact_particles_read(p, &(tact_particle_output){0}), TACT_OK);
    assert_int_equal(tact_particles_write(p, NULL, 0, NULL, NULL), TACT_OK);
    tact_particle_buffers buffers;
    assert_int_equal(tact_particles_device_buffers(p, &buffers), TACT_ERROR_UNSUPPORTED);
    const tact_device_array array = {.backend = TACT_BACKEND_GL}, wrong = {.backend = TACT_BACKEND_CPU};
    expect_refused(call_particles_add_device(p, &array, NULL, 0, 0, 0, 1, NULL), NULL);
    expect_refused(call_particles_add_device(p, &wrong, NULL, 0, 0, 0, 1, NULL), NULL);
    expect_refused(tact_particles_read_device(p, &array, NULL), NULL);
    expect_refused(tact_particles_set_forces_device(p, &array, 1), NULL);
    const float radii[] = {NAN, 0.0f, -1.0f, INFINITY};
    for (size_t i = 0; i < 4; ++i)
        expect_refused(tact_particles_neighbours(p, radii[i], TACT_NEIGHBOURS_ALL, &lists, NULL, NULL), "neighbours");
    expect_refused(tact_particles_neighbours(p, 1.0f, (tact_neighbour_kind)2, &lists, NULL, NULL), "kind");
    tact_particles_destroy(NULL);
    tact_particles_clear(NULL);
    assert_int_equal(tact_particles_count(NULL), 0);
}

/// Of a system with the response POSITION, which keeps more from the first step on.
TEST(contacts_before_a_step)
{
    tact_particles_desc desc = closed_box;
    desc.response = TACT_RESPONSE_POSITION;
    tact_particles* p = make_row(&desc, 9);
    size_t count = 0, again = 0;
    assert_int_equal(tact_particles_contacts(p, NULL, 0, &count, NULL, NULL), TACT_INCOMPLETE);
    assert_true(count > 0);
    assert_int_equal(tact_particles_contacts(p, NULL, 0, &again, NULL, NULL), TACT_INCOMPLETE);
    assert_int_equal(count, again);
    assert_int_equal(tact_particles_step(p, 1e-3f, 2, 1, NULL, NULL), TACT_OK);
    (void)tact_particles_contacts(p, NULL, 0, &again, NULL, NULL);
    assert_true(again > 0);
}

static void expect_reason(const tact_query_report* report, const char* reason)
{
    if (strncmp(report->reason, reason, strlen(reason)) != 0) fail_msg("\"%s\", not \"%s\"", report->reason, reason);
}

/// Only what the caller asks for is forced.
TEST(reports_tell_why_a_backend_answered)
{
    tact_particles* p = make_row(&closed_box, 9);
    tact_query_report report;
    tact_neighbour_lists lists;
    const tact_query_options cpu = {.backend = TACT_BACKEND_CPU};
    size_t count = 0;
    assert_int_equal(tact_particles_step(p, 1e-3f, 1, 1, NULL, &report), TACT_OK);
    expect_reason(&report, "auto: expected cpu");
    assert_int_equal(tact_particles_step(p, 1e-3f, 1, 1, NULL, &report), TACT_OK);
    expect_reason(&report, "cpu: the state is there");
    assert_int_equal(tact_particles_contacts(p, NULL, 0, &count, NULL, &report), TACT_INCOMPLETE);
    expect_reason(&report, "cpu: the state is there");
    assert_int_equal(tact_particles_neighbours(p, 1.0f, TACT_NEIGHBOURS_ALL, &lists, NULL, &report), TACT_OK);
    expect_reason(&report, "cpu: the state is there");
    assert_int_equal(tact_particles_step(p, 1e-3f, 1, 1, &cpu, &report), TACT_OK);
    expect_reason(&report, "cpu: forced");
    tact_particles_desc desc = closed_box;
    desc.backend = TACT_BACKEND_REFERENCE;
    p = make_row(&desc, 9);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(tact_particles_step(p, 1e-3f, 1, 1, NULL, &report), TACT_OK);
        expect_reason(&report, "reference: the system was made for it");
    }
}

TEST(bodies_are_checked)
{
    tact_particles* p = make(&closed_box);
    uint32_t index = 77;
    tact_collider c = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 0, 0}, 1}};
    expect_refused(tact_particles_add_collider(p, &c, &index), "collider");
    c.shape.plane.normal.y = NAN;
    expect_refused(tact_particles_add_collider(p, &c, &index), "collider");
    c = (tact_collider){.kind = TACT_COLLIDER_SPHERE, .shape.sphere = {{0, 0, 0}, -1}};
    expect_refused(tact_particles_add_collider(p, &c, &index), "collider");
    c = (tact_collider){.kind = TACT_COLLIDER_BOX,
                        .shape.box = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 1, 0}}, {1, 1, 1}}};
    expect_refused(tact_particles_add_collider(p, &c, &index), "collider");
    c = (tact_collider){.kind = (tact_collider_kind)9};
    expect_refused(tact_particles_add_collider(p, &c, &index), "kind 9");
    c = (tact_collider){.kind = TACT_COLLIDER_SPHERE, .shape.sphere = {{0, 0, 0}, 1}, .material = 1};
    expect_refused(tact_particles_add_collider(p, &c, &index), "material");
    assert_int_equal(tact_particles_add_sink(p, &c, &index), TACT_OK);
    c.material = 0;
    c.velocity.x = NAN;
    expect_refused(tact_particles_add_collider(p, &c, &index), "velocity");
    expect_refused(tact_particles_set_collider(p, 0, &c), "no collider 0");
    c.velocity.x = 0;
    index = 77;
    for (uint32_t i = 0; i < TACT_MAX_COLLIDERS; ++i) {
        assert_int_equal(tact_particles_add_collider(p, &c, &index), TACT_OK);
        assert_int_equal(index, i);
    }
    assert_int_equal(tact_particles_add_collider(p, &c, &index), TACT_ERROR_LIMIT);
    for (uint32_t i = 1; i < TACT_MAX_SINKS; ++i)
        assert_int_equal(tact_particles_add_sink(p, &c, NULL), TACT_OK);
    assert_int_equal(tact_particles_add_sink(p, &c, NULL), TACT_ERROR_LIMIT);
}

#include TEST_LIST
RUN_ALL(open_host_context, close_context)
