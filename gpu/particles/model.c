// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What kernels are told about a particle system: the rows of its model, and how large the tables of cells are.

#include "kernels/particle_model.h"

#include <math.h>
#include <string.h>

#include "gpu/particles/internal.h"

/// Particles on each level, or more.
static void count_levels(const tact_gpu_particles* e, TactGrid grid, uint64_t counts[TACT_PARTICLE_LEVELS])
{
    memset(counts, 0, TACT_PARTICLE_LEVELS * sizeof *counts);
    for (uint32_t bin = 0; bin < TACT_RADIUS_BINS; ++bin) {
        if (e->radius_bins[bin] == 0) continue;
        // The bin's ends may lie on two levels, of which both must have a table.
        const int first = tact_grid_level(grid, as_float(bin << 20));
        const int last = tact_grid_level(grid, as_float((bin << 20) + 0xfffffu));
        counts[first] += e->radius_bins[bin];
        if (last != first) counts[last] += e->radius_bins[bin];
    }
}

/// Cells that the particles span along an axis of a level.
static uint32_t span(TactGridAxis a, float lower, float upper, int shift)
{
    if (a.period > 0.0f) return (uint32_t)((a.high - a.low + 1) >> shift);
    const int cells = (tact_grid_coordinate(a, upper) >> shift) - (tact_grid_coordinate(a, lower) >> shift) + 1;
    return cells > 1 ? (uint32_t)cells : 1;
}

static uint32_t power_of_two(uint32_t least, uint32_t n)
{
    uint32_t p = least;
    while (p < n)
        p *= 2;
    return p;
}

/// A table as large as the room that the particles are in, but of no more than `most` cells.
static void choose_size(const tact_gpu_particles* e, TactGrid grid, int level, uint64_t most, tact_gpu_cells* table)
{
    const TactGridAxis axes[3] = {grid.x, grid.y, grid.z};
    const int shift = grid.levels - 1 - level;
    // Runs along x must not become too short: see kernels/particle_walk.h.
    const uint32_t least[3] = {4u << level, 4, 4};
    uint32_t spans[3];
    for (int i = 0; i < 3; ++i) {
        spans[i] = span(axes[i], e->lower[i], e->upper[i], shift);
        table->size[i] = power_of_two(least[i], spans[i]);
        if (axes[i].period > 0.0f && spans[i] <= table->size[i]) table->size[i] = spans[i];
    }
    while ((uint64_t)table->size[0] * table->size[1] * table->size[2] > most) {
        int widest = -1;
        for (int i = 0; i < 3; ++i) {
            if (table->size[i] > least[i] && (widest < 0 || table->size[i] > table->size[widest])) widest = i;
        }
        if (widest < 0) break;
        uint32_t half = least[widest];
        while (2 * half < table->size[widest])
            half *= 2;
        table->size[widest] = half;
    }
    for (int i = 0; i < 3; ++i) {
        const bool whole = axes[i].period > 0.0f && table->size[i] == spans[i];
        table->mask[i] = whole ? 0xffffffffu : table->size[i] - 1;
    }
}

/// Whether a walk may come to a place of the table twice, or by a way that is not that of the cell looked for.
static bool needs_check(TactGrid grid, int level, const tact_gpu_cells* table)
{
    const TactGridAxis axes[3] = {grid.x, grid.y, grid.z};
    for (int i = 0; i < 3; ++i) {
        const bool whole = table->mask[i] == 0xffffffffu;
        if (axes[i].period > 0.0f ? !whole : table->size[i] < 3u << level) return true;
    }
    return false;
}

/// How often a walk from a particle of any level comes to a place of a level's table at most.
static uint32_t count_visits(TactGrid grid, int level, const tact_gpu_cells* table)
{
    const TactGridAxis axes[3] = {grid.x, grid.y, grid.z};
    const uint32_t cells = 3u << level;
    uint32_t visits = 1;
    for (int i = 0; i < 3; ++i) {
        const bool parted = axes[i].period > 0.0f && table->mask[i] != 0xffffffffu;
        visits *= (cells + table->size[i] - 1) / table->size[i] + parted;
    }
    return visits;
}

static void make_tables(tact_gpu_particles* e, TactGrid grid)
{
    uint64_t counts[TACT_PARTICLE_LEVELS];
    uint32_t begin = 0;
    // Two cells a particle in all. What coarse levels have left goes to finer ones: a few small particles have many
    // cells, and in a small table would come up wherever large ones look.
    uint64_t most = 0;
    count_levels(e, grid, counts);
    e->checked = false;
    e->visits = 1;
    for (int level = 0; level < grid.levels; ++level) {
        tact_gpu_cells* table = &e->tables[level];
        *table = (tact_gpu_cells){.begin = begin, .occupied = counts[level] > 0};
        if (!table->occupied) continue;
        most += 2 * counts[level];
        choose_size(e, grid, level, most, table);
        e->checked = e->checked || needs_check(grid, level, table);
        const uint32_t visits = count_visits(grid, level, table);
        if (visits > e->visits) e->visits = visits;
        const uint32_t cells = table->size[0] * table->size[1] * table->size[2];
        most = most > cells ? most - cells : 0;
        begin += cells;
    }
    e->cells = begin;
    e->grid = grid;
    e->has_tables = true;
}

static void put(uint32_t* rows, uint32_t row, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t words[4] = {a, b, c, d};
    memcpy(rows + (size_t)4 * row, words, sizeof words);
}

static void put_floats(uint32_t* rows, uint32_t row, float a, float b, float c, float d)
{
    put(rows, row, as_uint(a), as_uint(b), as_uint(c), as_uint(d));
}

static void put_grid(const tact_gpu_particles* e, const tact_particle_model* m, uint32_t* rows)
{
    const TactGrid* g = &m->grid;
    const TactGridAxis axes[3] = {g->x, g->y, g->z};
    const TactDomainAxis faces[3] = {m->domain.x, m->domain.y, m->domain.z};
    for (uint32_t i = 0; i < 3; ++i) {
        put_floats(rows, TACT_ROW_AXES + i, axes[i].origin, axes[i].inverse, axes[i].period, 0.0f);
        put(rows, TACT_ROW_FACES + i, (uint32_t)faces[i].faces, as_uint(faces[i].lower), as_uint(faces[i].upper), 0);
    }
    put(rows, TACT_ROW_RANGES, (uint32_t)g->x.low, (uint32_t)g->x.high, (uint32_t)g->y.low, (uint32_t)g->y.high);
    put(rows, TACT_ROW_LEVELS, (uint32_t)g->z.low, (uint32_t)g->z.high, (uint32_t)g->levels, as_uint(g->edge));
    for (uint32_t level = 0; level < (uint32_t)g->levels; ++level) {
        const tact_gpu_cells* t = &e->tables[level];
        put(rows, TACT_ROW_TABLE + 2 * level, t->begin, t->size[0], t->size[0] * t->size[1], t->occupied);
        put(rows, TACT_ROW_TABLE + 2 * level + 1, t->mask[0], t->mask[1], t->mask[2], t->size[0]);
    }
}

void tact_gpu_particles_put_solid(const tact_particle_solid* s, uint32_t* rows, uint32_t row)
{
    const TactSolid* c = &s->solid;
    put(rows, row, (uint32_t)c->kind, c->material, (uint32_t)c->inside, as_uint(c->radius));
    put(rows, row + 1, as_uint(c->px), as_uint(c->py), as_uint(c->pz), s->mask);
    put_floats(rows, row + 2, c->ex, c->ey, c->ez, 0.0f);
    put_floats(rows, row + 3, c->ux, c->uy, c->uz, 0.0f);
    put_floats(rows, row + 4, c->vx, c->vy, c->vz, 0.0f);
    put_floats(rows, row + 5, c->wx, c->wy, c->wz, 0.0f);
    put_floats(rows, row + 6, c->lx, c->ly, c->lz, 0.0f);
    put_floats(rows, row + 7, c->rx, c->ry, c->rz, 0.0f);
}

/// Rules of particles that turn: see kernels/grain_model.h.
static void put_grains(const tact_particle_model* m, uint32_t* rows, uint32_t row)
{
    put_floats(rows, row, m->force_unit, tact_div(1.0f, m->force_unit), m->torque_unit, tact_div(1.0f, m->torque_unit));
    put_floats(rows, row + 1, m->grid.x.period, m->grid.y.period, m->grid.z.period, m->motion.dt);
    row += TACT_GRAIN_RULE_FIRST;
    for (uint32_t i = 0; i < TACT_PARTICLE_MATERIALS * TACT_PARTICLE_MATERIALS; ++i, row += TACT_GRAIN_RULE_ROWS) {
        const TactGrainRule* r = &m->grain_rules[i];
        put_floats(rows, row, r->stiffness, r->shear, r->normal_damping, r->tangential_damping);
        put_floats(rows, row + 1, r->friction, r->rolling, r->twisting, r->adhesion);
        put(rows, row + 2, (uint32_t)r->hertz, as_uint(r->cohesion), 0, 0);
    }
    for (uint32_t i = 0; i < TACT_BOND_KINDS; ++i, row += TACT_GRAIN_BOND_ROWS) {
        const TactBondRule* r = &m->bond_rules[i];
        put_floats(rows, row, r->young, r->shear, r->part, r->damping);
        put_floats(rows, row + 1, r->tensile, r->slide, 0.0f, 0.0f);
    }
}

static void put_model(const tact_gpu_particles* e, const tact_particle_model* m, uint32_t* rows)
{
    const TactMotion* motion = &m->motion;
    put_grid(e, m, rows);
    put_floats(rows, TACT_ROW_MOTION, motion->gx, motion->gy, motion->gz, motion->dt);
    put_floats(rows, TACT_ROW_LIMITS, motion->drag, motion->speed_limit, m->relaxation, m->separation_speed);
    put(rows, TACT_ROW_COUNTS, as_uint(m->sleep_speed), m->wall_material, m->solid_count,
        (uint32_t)tact_gpu_program_force_count(m));
    memcpy(rows + 4 * TACT_ROW_MASKS, m->masks, sizeof m->masks);
    for (uint32_t i = 0; i < TACT_PARTICLE_MATERIALS * TACT_PARTICLE_MATERIALS; ++i) {
        const TactContactRule* r = &m->rules[i];
        put_floats(rows, TACT_ROW_RULES + i, r->stiffness, r->normal_damping, r->friction, r->tangential_damping);
    }
    for (uint32_t i = 0; i < m->solid_count; ++i)
        tact_gpu_particles_put_solid(&m->solids[i], rows, TACT_ROW_SOLIDS + 8 * i);
    if (e->grains) put_grains(m, rows, TACT_ROW_SOLIDS + 8 * m->solid_count);
}

static tact_result update_rows(tact_gpu_particles* e, const tact_particle_model* model)
{
    tact_env* env = e->base.env;
    const size_t grains = e->grains ? TACT_GRAIN_MODEL_ROWS : 0;
    const size_t words = (size_t)4 * (TACT_ROW_SOLIDS + 8 * model->solid_count + grains);
    uint32_t* rows = tact_allocate_zeroed(env, words, sizeof *rows);
    if (!rows) return tact_device_fail(e->device, TACT_ERROR_OUT_OF_MEMORY);
    put_model(e, model, rows);
    if (e->rows && e->row_words == words && memcmp(e->rows, rows, words * sizeof *rows) == 0) {
        tact_release(env, rows);
        return TACT_OK;
    }
    tact_release(env, e->rows);
    e->rows = NULL;
    tact_gpu_particles_need(e, &e->model, words * sizeof *rows, "the model");
    if (tact_buffer_write(e->model, 0, rows, words * sizeof *rows) != TACT_OK) {
        tact_release(env, rows);
        return tact_device_result(e->device);
    }
    e->rows = rows;
    e->row_words = words;
    return TACT_OK;
}

static tact_result update_forces(tact_gpu_particles* e, const tact_particle_model* model)
{
    if (e->forces && e->forces_version == model->forces_version) return TACT_OK;
    // The host has none when they were given on the device.
    if (model->force_count > 0 && !model->forces)
        return TACT_DEVICE_FAIL(e->device, TACT_ERROR_DEVICE_LOST, "forces could not be replaced");
    const size_t bytes = model->force_count * sizeof *model->forces,
                 more = model->torque_count * sizeof *model->torques;
    tact_gpu_particles_need(e, &e->forces, bytes + more > 0 ? bytes + more : 16, "forces");
    if (bytes > 0) tact_buffer_write(e->forces, 0, model->forces, bytes);
    if (more > 0) tact_buffer_write(e->forces, bytes, model->torques, more);
    if (tact_device_result(e->device) == TACT_OK) e->forces_version = model->forces_version;
    return tact_device_result(e->device);
}

tact_result tact_gpu_particles_update(tact_gpu_particles* e, const tact_particle_model* model)
{
    tact_gpu_particles_room(e);
    if (!e->has_tables || memcmp(&e->grid, &model->grid, sizeof e->grid) != 0) make_tables(e, model->grid);
    tact_gpu_particles_need(e, &e->starts, ((uint64_t)e->cells + 2) * 4, "a table of cells");
    update_rows(e, model);
    update_forces(e, model);
    tact_gpu_program_update(&e->program, e->device, model);
    e->acting = model->program ? e->program.forces : e->forces;
    return tact_device_result(e->device);
}
