// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Averages of particles over the cells of a grid: totals are kept, volumes are shared as planes cut spheres, contacts
// as cells cut their lines; stress in a column at rest and in a gas; and what the call refuses.
#include "tests/support/run.h"

#include "tact/particle_forces.h"
#include "tact/particle_grains.h"
#include "tests/support/counted_machine.h"
#include "tests/support/particle_lab.h"

static size_t cells_of(const tact_average_grid* grid)
{
    return (size_t)grid->counts[0] * grid->counts[1] * grid->counts[2];
}

static tact_average_cell* average(tact_particles* p, const tact_average_grid* grid)
{
    tact_average_cell* cells = scratch_zeroed(cells_of(grid), sizeof *cells);
    memset(cells, 0x5a, cells_of(grid) * sizeof *cells);
    const tact_result result = tact_particles_average(p, grid, cells);
    if (result != TACT_OK) fail_msg("%s", tact_context_error(context));
    return cells;
}

static double volume_of(const tact_average_grid* g)
{
    const double x = (double)g->box.upper.x - (double)g->box.lower.x,
                 y = (double)g->box.upper.y - (double)g->box.lower.y,
                 z = (double)g->box.upper.z - (double)g->box.lower.z;
    return x * y * z / (double)cells_of(g);
}

/// Within rounding of sums in double precision.
static void expect_same(double is, double should, double scale)
{
    if (fabs(is - should) <= 1e-11 * fabs(scale)) return;
    fail_msg("%.17g, should be %.17g, within 1e-11 of %g", is, should, scale);
}

enum { CLOUD = 400 };

/// Spheres of many sizes, crowded, over a period along x and between walls along y.
static tact_particles* cloud(tact_particle_response response)
{
    const tact_particles_desc desc = {.response = response,
                                      .boundary = {TACT_BOUNDARY_PERIODIC, TACT_BOUNDARY_WALL, TACT_BOUNDARY_OPEN},
                                      .domain = {{-2.125f, -1.7f, 0}, {2.125f, 1.9f, 0}},
                                      .max_radius = 0.4f};
    tact_particles* p = make(&desc);
    test_random r = {17};
    float *x = floats(3 * CLOUD), *v = floats(3 * CLOUD), *radii = floats(CLOUD), *masses = floats(CLOUD),
          *spins = floats(3 * CLOUD);
    for (size_t i = 0; i < CLOUD; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            x[3 * i + k] = 1.7f * test_random_signed(&r);
            v[3 * i + k] = 3.0f * test_random_signed(&r);
            spins[3 * i + k] = 3.0f * test_random_signed(&r);
        }
        x[3 * i] *= 1.2f;
        radii[i] = 0.05f + 0.35f * test_random_unit(&r);
        masses[i] = i == 3 ? INFINITY : 0.1f + test_random_unit(&r);
    }
    add(p, &(tact_particle_arrays){.positions = x, .velocities = v, .radii = radii, .masses = masses}, CLOUD);
    if (response == TACT_RESPONSE_GRAINS)
        assert_int_equal(tact_particles_write_turning(p, NULL, CLOUD, spins, NULL), TACT_OK);
    return p;
}

/// What all cells together have, each by its volume.
static tact_average_cell total_of(const tact_average_cell* cells, const tact_average_grid* grid)
{
    tact_average_cell t = {0};
    const double volume = volume_of(grid);
    for (size_t i = 0; i < cells_of(grid); ++i) {
        const tact_average_cell* c = &cells[i];
        const double mass = c->density * volume;
        t.particles += c->particles;
        t.solid_fraction += c->solid_fraction * volume;
        t.density += mass;
        t.coordination += c->coordination * c->particles;
        for (int k = 0; k < 3; ++k) {
            t.velocity[k] += c->velocity[k] * mass;
            t.spin[k] += c->spin[k] * c->particles;
            // Kinetic energy: that of the mean, and that of what differs from it.
            t.temperature += 0.5 * mass * c->velocity[k] * c->velocity[k] + 0.5 * c->kinetic_stress[4 * k] * volume;
        }
        expect_same(3.0 * c->temperature * mass,
                    volume * (c->kinetic_stress[0] + c->kinetic_stress[4] + c->kinetic_stress[8]), 1.0 + mass);
        for (int k = 0; k < 9; ++k)
            t.contact_stress[k] += c->contact_stress[k] * volume;
        for (int k = 0; k < 4; ++k)
            assert_true(c->reserved[k] == 0);
    }
    return t;
}

/// Sums over contacts of what the stress is made of, and of contacts over particles; grains touch across the period.
static tact_average_cell sum_contacts(tact_particles* p)
{
    tact_average_cell t = {0};
    size_t count = 0;
    (void)tact_particles_contact_forces(p, NULL, 0, &count);
    tact_contact_force* f = scratch_zeroed(count + 1, sizeof *f);
    assert_int_equal(tact_particles_contact_forces(p, f, count, &count), TACT_OK);
    for (size_t i = 0; i < count; ++i) {
        t.coordination += f[i].contact.with == TACT_CONTACT_PARTICLE ? 2.0 : 1.0;
        for (int k = 0; k < 9; ++k) {
            const double along = ((double)f[i].arm + (double)f[i].other_arm) * (double)f[i].contact.normal[k % 3];
            t.contact_stress[k] -= (double)f[i].force[k / 3] * along;
        }
    }
    return t;
}

TEST(cells_have_all_that_particles_and_contacts_have)
{
    const tact_particle_response responses[] = {TACT_RESPONSE_SPRING, TACT_RESPONSE_GRAINS};
    // Fine cells, coarse ones and one; and three periods on.
    const tact_average_grid grids[] = {{{{-2.125f, -2.5f, -2.5f}, {2.125f, 2.5f, 2.5f}}, {17, 13, 9}, {0}},
                                       {{{-2.125f, -2.5f, -2.5f}, {2.125f, 2.5f, 2.5f}}, {2, 1, 3}, {0}},
                                       {{{-2.125f, -2.5f, -2.5f}, {2.125f, 2.5f, 2.5f}}, {1, 1, 1}, {0}},
                                       {{{10.625f, -2.5f, -2.5f}, {14.875f, 2.5f, 2.5f}}, {7, 8, 9}, {0}}};
    for (size_t i = 0; i < 2; ++i) {
        tact_particles* p = cloud(responses[i]);
        const tact_particle_totals totals = totals_of(p);
        const tact_average_cell sums = sum_contacts(p);
        float *radii = floats(CLOUD), *spins = floats(3 * CLOUD);
        double volume = 0.0, spin[3] = {0}, biggest = 0.0;
        assert_int_equal(tact_particles_read(p, &(tact_particle_output){.radii = radii}), TACT_OK);
        if (i == 1) assert_int_equal(tact_particles_read_turning(p, spins, NULL), TACT_OK);
        for (size_t k = 0; k < CLOUD; ++k) {
            volume += 4.0 / 3.0 * pi * pow((double)radii[k], 3.0);
            for (size_t j = 0; j < 3; ++j)
                spin[j] += (double)spins[3 * k + j];
        }
        for (int k = 0; k < 9; ++k)
            biggest = fmax(biggest, fabs(sums.contact_stress[k]));
        assert_true(sums.coordination > 500.0);
        for (size_t g = 0; g < sizeof grids / sizeof *grids; ++g) {
            const tact_average_cell t = total_of(average(p, &grids[g]), &grids[g]);
            expect_same(t.particles, CLOUD, CLOUD);
            expect_same(t.solid_fraction, volume, volume);
            expect_same(t.density, totals.mass, totals.mass);
            expect_same(t.coordination, sums.coordination, sums.coordination);
            expect_same(t.temperature, totals.kinetic_energy, totals.kinetic_energy);
            for (int k = 0; k < 3; ++k) {
                expect_same(t.velocity[k], totals.momentum[k], totals.kinetic_energy);
                expect_same(t.spin[k], spin[k], 100.0);
            }
            for (int k = 0; k < 9; ++k)
                expect_same(t.contact_stress[k], sums.contact_stress[k], 10.0 * biggest);
        }
    }
}

TEST(a_sphere_is_shared_as_planes_cut_it)
{
    tact_particles* p = make(&(tact_particles_desc){0});
    const float x[3] = {0.5f, 10, -4}, radius = 1, mass = 2, v[3] = {1, 2, 3};
    add(p, &(tact_particle_arrays){.positions = x, .velocities = v, .radii = &radius, .masses = &mass}, 1);
    // Half a radius beyond the plane at 0: of the cap h^2 (3 - h) / 4 of the sphere is 5/32.
    const tact_average_grid halves = {{{-2, 8, -6}, {2, 12, -2}}, {2, 1, 1}, {0}};
    const tact_average_cell* c = average(p, &halves);
    expect_same(c[0].particles, 5.0 / 32.0, 1.0);
    expect_same(c[1].particles, 27.0 / 32.0, 1.0);
    expect_same(c[1].solid_fraction, 27.0 / 32.0 * 4.0 / 3.0 * pi / 32.0, 1.0);
    expect_same(c[1].density, 2.0 * 27.0 / 32.0 / 32.0, 1.0);
    assert_true(c[0].velocity[2] == 3.0 && c[0].temperature == 0.0 && c[0].coordination == 0.0);
    // By three planes through its centre into eighths; x is the fastest.
    const tact_average_grid corner = {{{-0.5f, 9, -5}, {1.5f, 11, -3}}, {2, 2, 2}, {0}};
    const tact_average_cell* e = average(p, &corner);
    for (size_t i = 0; i < 8; ++i)
        expect_same(e[i].particles, 0.125, 1.0);
    // Only what is in the cells counts, and cells without anything are empty.
    const tact_average_grid part = {{{1, 10, -4}, {9, 14, -3}}, {4, 2, 1}, {0}};
    const tact_average_cell* q = average(p, &part);
    expect_same(q[0].particles, 5.0 / 32.0 / 4.0, 1.0);
    const tact_average_cell nothing = {0};
    for (size_t i = 1; i < 8; ++i)
        assert_memory_equal(&q[i], &nothing, sizeof nothing);
}

/// What of a unit sphere is beyond two planes: slices across z.
static double beyond(double a, double b)
{
    enum { SLICES = 400 };
    double sum = 0.0;
    for (int i = 0; i < SLICES; ++i) {
        const double x = -1.0 + (i + 0.5) * 2.0 / SLICES, radius2 = 1.0 - x * x, t = b / sqrt(radius2);
        if (x <= a || t >= 1.0) continue;
        sum += (t <= -1.0 ? pi : acos(t) - t * sqrt(1.0 - t * t)) * radius2 * 2.0 / SLICES;
    }
    return sum / (4.0 / 3.0 * pi);
}

TEST(shares_at_an_edge_are_near_the_volume)
{
    tact_particles* p = make(&(tact_particles_desc){0});
    float x[3] = {0}, radius = 1;
    double worst = 0.0;
    add(p, &(tact_particle_arrays){.positions = x, .radii = &radius}, 1);
    for (int i = 0; i < 19 * 19; ++i) {
        const float a = 0.1f * (float)(i % 19 - 9), b = 0.1f * (float)(i / 19 - 9);
        const tact_average_grid grid = {{{a, b, -2}, {4, 4, 2}}, {1, 1, 1}, {0}};
        const tact_average_cell* c = average(p, &grid);
        worst = fmax(worst, fabs(c->particles - beyond((double)a, (double)b)));
    }
    FIGURE("shares at an edge: off by %.4f of the volume at most\n", worst);
    assert_true(worst < 0.01);
}

/// Each cell has as much of a contact as of its line.
TEST(contacts_are_shared_as_cells_cut_their_lines)
{
    enum { SIDE = 9, SAMPLES = 40000 };
    tact_particles* p = make(&(tact_particles_desc){0});
    const float x[6] = {0.13f, 0.21f, 0.34f, 0.71f, 0.87f, 0.46f}, radius = 0.5f;
    add(p, &(tact_particle_arrays){.positions = x, .radius = radius}, 2);
    const tact_average_grid grid = {{{0, 0, 0}, {1, 1, 1}}, {SIDE, SIDE, SIDE}, {0}};
    const tact_average_cell* c = average(p, &grid);
    const tact_average_cell sums = sum_contacts(p);
    double* parts = scratch_zeroed((size_t)SIDE * SIDE * SIDE, sizeof *parts);
    for (int i = 0; i < SAMPLES; ++i) {
        size_t at[3];
        for (int k = 0; k < 3; ++k) {
            const double t = (i + 0.5) / SAMPLES;
            at[k] = (size_t)(SIDE * ((double)x[k] + t * ((double)x[3 + k] - (double)x[k])));
        }
        parts[at[0] + SIDE * (at[1] + SIDE * at[2])] += 1.0 / SAMPLES;
    }
    const double volume = volume_of(&grid);
    size_t crossed = 0;
    for (size_t i = 0; i < (size_t)SIDE * SIDE * SIDE; ++i) {
        crossed += parts[i] > 0.0;
        for (int k = 0; k < 9; ++k) {
            const double part = c[i].contact_stress[k] * volume / sums.contact_stress[k];
            assert_true(fabs(part - parts[i]) < 2.0 / SAMPLES);
        }
    }
    assert_true(crossed > 10);
}

/// Two that touch across the face of a period, 1/8 from it and 3/8: their line is in the last cell and in the first.
TEST(a_contact_across_a_period_is_on_both_sides)
{
    const tact_particles_desc desc = {.boundary = {TACT_BOUNDARY_PERIODIC, TACT_BOUNDARY_OPEN, TACT_BOUNDARY_OPEN},
                                      .domain = {{-4, 0, 0}, {4, 0, 0}}};
    tact_particles* p = make(&desc);
    const float x[6] = {3.875f, 0, 0, -3.625f, 0, 0};
    add(p, &(tact_particle_arrays){.positions = x, .radius = 0.375f}, 2);
    const tact_average_grid grid = {{{-4, -1, -1}, {4, 1, 1}}, {8, 1, 1}, {0}};
    const tact_average_cell* c = average(p, &grid);
    // Pressed in by 1/4 m at 5,000 N/m: 1,250 N over a way of 1/2 m.
    expect_same(c[7].contact_stress[0] * 4.0, 1250.0 * 0.125, 100.0);
    expect_same(c[0].contact_stress[0] * 4.0, 1250.0 * 0.375, 100.0);
    for (size_t i = 1; i < 7; ++i)
        assert_true(c[i].contact_stress[0] == 0.0);
    assert_true(c[0].coordination == 1.0 && c[7].coordination == 1.0);
}

TEST(stress_in_a_column_is_the_weight_above)
{
    enum { HIGH = 8, CELLS = 32 };
    const tact_particle_response responses[] = {TACT_RESPONSE_SPRING, TACT_RESPONSE_GRAINS};
    for (int i = 0; i < 2; ++i) {
        tact_particles* p = make(&(tact_particles_desc){.response = responses[i], .gravity = {0, -gravity, 0}});
        const tact_collider ground = {.kind = TACT_COLLIDER_PLANE, .shape.plane = {{0, 1, 0}, 0}};
        const tact_particle_material rule = {1e5f, 0.2f, 0.5f, 0.5f};
        float x[3 * HIGH] = {0}, v[3 * HIGH], masses[HIGH];
        for (size_t k = 0; k < HIGH; ++k) {
            x[3 * k + 1] = 0.5f + (float)k;
            masses[k] = 1.0f;
        }
        assert_int_equal(tact_particles_add_collider(p, &ground, NULL), TACT_OK);
        assert_int_equal(tact_particles_set_contact(p, 0, 0, &rule), TACT_OK);
        add(p, &(tact_particle_arrays){.positions = x, .masses = masses}, HIGH);
        step(p, 4e-4f, 1, 30000);
        read_state(p, x, v);
        const tact_average_grid grid = {{{-1, 0, -1}, {1, HIGH, 1}}, {1, CELLS, 1}, {0}};
        const tact_average_cell* c = average(p, &grid);
        for (int k = 0; k < CELLS; ++k) {
            // Of each grain above: how much of the cell is below its centre.
            const double low = 0.25 * k, weight = (double)gravity / 4.0;
            double carried = 0.0;
            for (int j = 0; j < HIGH; ++j)
                carried += weight * fmin(1.0, fmax(0.0, ((double)x[3 * j + 1] - low) / 0.25));
            FIGURE("column: at %.3f m %.6f Pa, should be %.6f\n", low, c[k].contact_stress[4], carried);
            assert_true(fabs(c[k].contact_stress[4] - carried) < 2e-4 * (carried + weight));
            // Hydrostatic, but for the grain that the cell is in.
            const double depth = HIGH - (low + 0.125), above = depth * weight;
            assert_true(fabs(c[k].contact_stress[4] - above) < 0.7 * weight);
            for (int j = 0; j < 9; ++j)
                assert_true(j == 4 || c[k].contact_stress[j] == 0.0);
            assert_true(c[k].kinetic_stress[4] < 1e-8);
        }
    }
}

TEST(stress_in_a_gas_is_what_it_carries)
{
    enum { ATOMS = 500 };
    tact_particles* p = make(&(tact_particles_desc){.response = TACT_RESPONSE_NONE});
    float *x = floats(3 * ATOMS), *v = floats(3 * ATOMS);
    test_random r = {23};
    for (size_t i = 0; i < 3 * ATOMS; ++i) {
        x[i] = 5.0f * test_random_signed(&r);
        v[i] = (i % 3 == 0 ? 7.0f : 0.0f) + (float)(1 + i % 3) * test_random_signed(&r);
    }
    const float mass = 2.0f;
    float* masses = floats(ATOMS);
    for (size_t i = 0; i < ATOMS; ++i)
        masses[i] = mass;
    add(p, &(tact_particle_arrays){.positions = x, .velocities = v, .masses = masses, .radius = 1e-3f}, ATOMS);
    const tact_average_grid grid = {{{-6, -6, -6}, {6, 6, 6}}, {1, 1, 1}, {0}};
    const tact_average_cell* c = average(p, &grid);
    double mean[3] = {0}, square[9] = {0};
    for (size_t i = 0; i < 3 * ATOMS; ++i)
        mean[i % 3] += (double)v[i] / ATOMS;
    for (size_t i = 0; i < ATOMS; ++i) {
        for (size_t k = 0; k < 9; ++k)
            square[k] += ((double)v[3 * i + k / 3] - mean[k / 3]) * ((double)v[3 * i + k % 3] - mean[k % 3]) / ATOMS;
    }
    const double number = ATOMS / volume_of(&grid);
    for (int k = 0; k < 9; ++k)
        expect_same(c->kinetic_stress[k], number * (double)mass * square[k], 10.0);
    for (int k = 0; k < 3; ++k)
        expect_same(c->velocity[k], mean[k], 10.0);
    expect_same(c->temperature, (square[0] + square[4] + square[8]) / 3.0, 10.0);
    // Even velocities within -a and a have a mean square of a^2 / 3.
    assert_true(fabs(square[8] / 3.0 - 1.0) < 0.1 && fabs(c->velocity[0] - 7.0) < 0.1);
    assert_true(c->contact_stress[0] == 0.0);
}

TEST(grids_are_checked)
{
    const tact_particles_desc desc = {.boundary = {TACT_BOUNDARY_PERIODIC, TACT_BOUNDARY_OPEN, TACT_BOUNDARY_OPEN},
                                      .domain = {{-4, 0, 0}, {4, 0, 0}}};
    tact_particles* p = make(&desc);
    const float x[3] = {0, 0, 0};
    add(p, &(tact_particle_arrays){.positions = x}, 1);
    const tact_average_grid good = {{{-4, -4, -4}, {4, 4, 4}}, {1, 1, 1}, {0}};
    const struct {
        tact_aabb box;
        uint32_t counts[3];
        tact_result result;
        const char* says;
    } cases[] = {
        {{{NAN, -4, -4}, {4, 4, 4}}, {1, 1, 1}, TACT_ERROR_INVALID_ARGUMENT, "along axis 0"},
        {{{-4, -4, -4}, {4, NAN, 4}}, {1, 1, 1}, TACT_ERROR_INVALID_ARGUMENT, "along axis 1"},
        {{{-4, -4, -4}, {4, 4, INFINITY}}, {1, 1, 1}, TACT_ERROR_INVALID_ARGUMENT, "along axis 2"},
        {{{-4, -4, -INFINITY}, {4, 4, 4}}, {1, 1, 1}, TACT_ERROR_INVALID_ARGUMENT, "along axis 2"},
        {{{-4, 4, -4}, {4, 4, 4}}, {1, 1, 1}, TACT_ERROR_INVALID_ARGUMENT, "along axis 1"},
        {{{-4, -4, -4}, {4.5f, 4, 4}}, {1, 1, 1}, TACT_ERROR_INVALID_ARGUMENT, "the period 8"},
        {{{-4, -4, -4}, {4, 4, 4}}, {1, 0, 1}, TACT_ERROR_INVALID_ARGUMENT, "no cells along axis 1"},
        {{{-4, -4, -4}, {4, 4, 4}}, {1u << 14, 1u << 14, 2}, TACT_ERROR_LIMIT, "more than 268435456 cells"},
        {{{-4, -4, -4}, {4, 4, 4}}, {UINT32_MAX, UINT32_MAX, UINT32_MAX}, TACT_ERROR_LIMIT, "more than"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        tact_average_cell cell, before;
        memset(&cell, 0x5a, sizeof cell);
        before = cell;
        const tact_average_grid grid = {
            cases[i].box, {cases[i].counts[0], cases[i].counts[1], cases[i].counts[2]}, {0}};
        assert_int_equal(tact_particles_average(p, &grid, &cell), cases[i].result);
        if (!strstr(tact_context_error(context), cases[i].says)) fail_msg("%zu: %s", i, tact_context_error(context));
        assert_memory_equal(&cell, &before, sizeof cell);
    }
    // Far from everything, and of no size to speak of.
    const tact_average_grid far = {{{1e15f, 1e15f, 1e15f}, {1.0000001e15f, 1.1e15f, 1.1e15f}}, {1, 2, 3}, {0}};
    tact_average_grid narrow = good;
    narrow.box.lower.x = 0.0f;
    narrow.box.upper.x = 1e-30f;
    narrow.counts[0] = 1000;
    narrow.counts[1] = 3;
    const tact_average_cell* c = average(p, &narrow);
    for (size_t i = 0; i < cells_of(&narrow); ++i)
        assert_true(c[i].particles >= 0.0 && c[i].particles < 1e-20);
    assert_int_equal(tact_particles_average(p, &far, scratch_zeroed(6, sizeof(tact_average_cell))),
                     TACT_ERROR_INVALID_ARGUMENT);  // wider than the period, for so far away no float is nearer
    tact_particles_clear(p);
    const tact_average_cell nothing = {0};
    assert_memory_equal(average(p, &good), &nothing, sizeof nothing);
}

/// Whichever allocation fails, the answer is an error and the caller's arrays are as before, or it is right.
TEST(memory_may_run_out)
{
    machine m;
    assert_true(open_machine(&m, TACT_BACKEND_CPU, 1));
    tact_particles* p = NULL;
    assert_int_equal(tact_particles_create(m.context, &(tact_particles_desc){.response = TACT_RESPONSE_GRAINS}, &p),
                     TACT_OK);
    const float x[9] = {0, 0, 0, 0.9f, 0, 0, 0, 0.9f, 0};
    assert_int_equal(tact_particles_add(p, &(tact_particle_arrays){.positions = x}, 3, NULL), TACT_OK);
    const tact_average_grid grid = {{{-1, -1, -1}, {2, 2, 2}}, {1, 1, 1}, {0}};
    tact_average_cell right, cell, before;
    tact_contact_force forces[2], forces_right[2];
    size_t count, failures[2] = {0};
    assert_int_equal(tact_particles_average(p, &grid, &right), TACT_OK);
    assert_int_equal(tact_particles_contact_forces(p, forces_right, 2, &count), TACT_OK);
    assert_int_equal(count, 2);
    memset(&before, 0x5a, sizeof before);
    for (int call = 0; call < 2; ++call) {
        bool failed = true;
        for (size_t n = 1; failed; ++n) {
            cell = before;
            memset(forces, 0x5a, sizeof forces);
            m.counter.requests = 0;
            m.counter.failed = false;
            m.counter.fail_at = n;
            const tact_result result = call == 0 ? tact_particles_average(p, &grid, &cell)
                                                 : tact_particles_contact_forces(p, forces, 2, &count);
            failed = m.counter.failed;
            m.counter.fail_at = 0;
            if (failed) {
                ++failures[call];
                assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
                assert_memory_equal(&cell, &before, sizeof cell);
                assert_memory_equal(forces, &before, sizeof forces);
            } else {
                assert_int_equal(result, TACT_OK);
                if (call == 0) assert_memory_equal(&cell, &right, sizeof cell);
                if (call == 1) assert_memory_equal(forces, forces_right, sizeof forces);
            }
        }
    }
    assert_true(failures[0] > 5 && failures[1] > 4);
    tact_particles_destroy(p);
    close_machine(&m);
}

#include TEST_LIST

int main(int argc, char** argv)
{
    lab_arguments(argc, argv);
    return run_all(all_tests, open_host_context, close_context);
}
