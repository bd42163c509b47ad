// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Averages of particles and contacts over the cells of a grid, in double precision, in order of id and of contact.
// What a particle has of its volume in a cell is the product of what it has in the three slabs that the cell is the
// intersection of. Each of these is exact, so that shares sum up to 1; they are those of the volume where one plane
// cuts the sphere, and close to them where several do.

#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "core/particles/forces.h"
#include "core/particles/spread.h"

/// The cells along an axis.
typedef struct axis {
    double lower, upper;
    double period;  ///< 0: none
    int64_t count;
    size_t stride;  ///< from a cell to the next
} axis;

/// What a sphere has in a slab of cells.
typedef struct share {
    size_t at;  ///< number of the slab's first cell
    double part;
} share;

/// Those along an axis: at most one for each cell and image.
typedef struct share_list {
    share* shares;
    size_t count, capacity;
} share_list;

typedef struct average {
    axis axes[3];
    size_t cell_count;
    double cell_volume;
    tact_average_cell* cells;
    share_list lists[3];
    uint32_t* touches;  ///< contacts of each particle
    bool begun;         ///< the cells were emptied
} average;

/// The place of a plane between cells.
static double plane(const axis* a, int64_t i)
{
    TACT_ASSERT(i >= 0 && i <= a->count);
    return i == a->count ? a->upper : a->lower + (a->upper - a->lower) * ((double)i / (double)a->count);
}

/// The cell that a place is in; -1 below the first, `count` from the upper end on.
static int64_t cell_of(const axis* a, double x)
{
    if (x < a->lower) return -1;
    if (x >= a->upper) return a->count;
    int64_t i = (int64_t)((x - a->lower) / (a->upper - a->lower) * (double)a->count);
    i = i < a->count ? i : a->count - 1;
    while (i > 0 && x < plane(a, i))
        --i;
    while (i + 1 < a->count && x >= plane(a, i + 1))
        ++i;
    return i;
}

/// Images of a sphere or of a line that reach the cells at most: a period is six radii wide, and no less than the
/// cells.
enum { IMAGES = 3 };

/// How often a period is to be added to what lies from `low` to `high`, so that it reaches the cells: `first` times and
/// so on, `count` numbers.
typedef struct images {
    double first;
    int count;
} images;

static images images_of(const axis* a, double low, double high)
{
    if (!(a->period > 0.0)) return (images){0.0, 1};
    const double first = ceil((a->lower - high) / a->period), last = floor((a->upper - low) / a->period);
    const double count = last - first + 1.0;
    return (images){first, !(count > 0.0) ? 0 : count < IMAGES ? (int)count : IMAGES};
}

/// What part of a sphere is below a plane, t radii from its centre.
static double below(double t)
{
    if (t <= -1.0) return 0.0;
    if (t >= 1.0) return 1.0;
    return 0.25 * (2.0 + t * (3.0 - t * t));
}

static void find_shares(const axis* a, double x, double radius, share_list* list)
{
    const images image = images_of(a, x - radius, x + radius);
    list->count = 0;
    for (int k = 0; k < image.count; ++k) {
        const double at = x + (image.first + k) * a->period;
        int64_t i = cell_of(a, at - radius);
        double before = i < 0 ? below((a->lower - at) / radius) : 0.0;
        for (i = i < 0 ? 0 : i; i < a->count && before < 1.0; ++i) {
            const double after = below((plane(a, i + 1) - at) / radius);
            if (after > before) {
                TACT_ASSERT(list->count < list->capacity);
                list->shares[list->count++] = (share){(size_t)i * a->stride, after - before};
            }
            before = after;
        }
    }
}

typedef struct particle {
    double mass, velocity[3], spin[3], volume, touches;
} particle;

typedef void cell_fn(tact_average_cell* cell, const particle* p, double part);

/// Calls a function for each cell that a particle has a part of its volume in.
static void share_out(average* s, const tact_particles* particles, size_t row, cell_fn* f)
{
    const tact_particle_state* state = &particles->mirror;
    const float *x = state->position[row], *v = state->velocity[row];
    const double radius = (double)x[3];
    particle p = {.mass = v[3] > 0.0f ? tact_particles_mass(particles, row) : 0.0,
                  .volume = 4.18879020478639098 * radius * radius * radius,
                  .touches = (double)s->touches[row]};
    for (int k = 0; k < 3; ++k) {
        p.velocity[k] = (double)v[k];
        if (state->turns) p.spin[k] = (double)state->spin[row][k];
        find_shares(&s->axes[k], (double)x[k], radius, &s->lists[k]);
    }
    const share_list* l = s->lists;
    for (size_t c = 0; c < l[2].count; ++c) {
        for (size_t b = 0; b < l[1].count; ++b) {
            for (size_t a = 0; a < l[0].count; ++a) {
                const size_t at = l[0].shares[a].at + l[1].shares[b].at + l[2].shares[c].at;
                TACT_ASSERT(at < s->cell_count);
                f(&s->cells[at], &p, l[0].shares[a].part * l[1].shares[b].part * l[2].shares[c].part);
            }
        }
    }
}

/// First sums, which finish_means() divides.
static void add_means(tact_average_cell* c, const particle* p, double part)
{
    c->particles += part;
    c->solid_fraction += part * p->volume;
    c->density += part * p->mass;
    c->coordination += part * p->touches;
    for (int k = 0; k < 3; ++k) {
        c->velocity[k] += part * p->mass * p->velocity[k];
        c->spin[k] += part * p->spin[k];
    }
}

static void finish_means(tact_average_cell* c)
{
    for (int k = 0; k < 3; ++k) {
        c->velocity[k] = c->density > 0.0 ? c->velocity[k] / c->density : 0.0;
        c->spin[k] = c->particles > 0.0 ? c->spin[k] / c->particles : 0.0;
    }
    c->coordination = c->particles > 0.0 ? c->coordination / c->particles : 0.0;
}

/// Against the mean that is then known.
static void add_fluctuations(tact_average_cell* c, const particle* p, double part)
{
    double v[3];
    for (int k = 0; k < 3; ++k)
        v[k] = p->velocity[k] - c->velocity[k];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            c->kinetic_stress[3 * i + j] += part * p->mass * v[i] * v[j];
    }
}

/// Sums become densities; `density` still is the mass.
static void finish_cell(tact_average_cell* c, double volume)
{
    const double* k = c->kinetic_stress;
    if (c->density > 0.0) c->temperature = (k[0] + k[4] + k[8]) / (3.0 * c->density);
    c->solid_fraction /= volume;
    c->density /= volume;
    for (int i = 0; i < 9; ++i) {
        c->contact_stress[i] /= volume;
        c->kinetic_stress[i] /= volume;
    }
}

/// A line from one place to another, and what a contact on it has of stress times volume.
typedef struct line {
    double from[3], way[3];
    double stress[9];
} line;

/// Adds to each cell what part of the line is in it.
static void walk(average* s, const line* l, const double shift[3])
{
    int64_t cell[3];
    double from[3], t = 0.0;
    for (int k = 0; k < 3; ++k) {
        from[k] = l->from[k] + shift[k];
        cell[k] = cell_of(&s->axes[k], from[k]);
    }
    while (t < 1.0) {
        // The next plane to be crossed, and along which axis.
        double next = 1.0;
        int across = -1;
        bool inside = true;
        size_t at = 0;
        for (int k = 0; k < 3; ++k) {
            const axis* a = &s->axes[k];
            const int64_t ahead = l->way[k] > 0.0 ? cell[k] + 1 : cell[k];
            inside = inside && cell[k] >= 0 && cell[k] < a->count;
            if (inside) at += (size_t)cell[k] * a->stride;
            if (l->way[k] == 0.0 || ahead < 0 || ahead > a->count) continue;
            const double there = (plane(a, ahead) - from[k]) / l->way[k];
            if (!(there < next)) continue;
            next = there;
            across = k;
        }
        next = next > t ? next : t;
        for (int i = 0; inside && i < 9; ++i)
            s->cells[at].contact_stress[i] += (next - t) * l->stress[i];
        if (across < 0) return;
        cell[across] += l->way[across] > 0.0 ? 1 : -1;
        t = next;
    }
}

static void share_line(average* s, const line* l)
{
    images image[3];
    for (int k = 0; k < 3; ++k) {
        const double a = l->from[k], b = l->from[k] + l->way[k];
        image[k] = images_of(&s->axes[k], a < b ? a : b, a < b ? b : a);
    }
    const int count = image[0].count * image[1].count * image[2].count;
    for (int i = 0; i < count; ++i) {
        const int number[3] = {i % image[0].count, i / image[0].count % image[1].count,
                               i / (image[0].count * image[1].count)};
        double shift[3];
        for (int k = 0; k < 3; ++k)
            shift[k] = (image[k].first + number[k]) * s->axes[k].period;
        walk(s, l, shift);
    }
}

/// Christoffersen, Mehrabadi, Nemat-Nasser, "A micromechanical description of granular material behavior", 1981.
static void add_contact(const tact_particles* p, const tact_particle_meeting* m, void* user)
{
    average* s = user;
    const tact_contact_force f = tact_particle_force_of(p, m);
    const double length = (double)f.arm + (double)f.other_arm;
    line l;
    ++s->touches[m->row];
    if (m->other < m->state->count) ++s->touches[m->other];
    for (int k = 0; k < 3; ++k) {
        l.from[k] = (double)m->state->position[m->row][k];
        l.way[k] = length * (double)f.contact.normal[k];
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            l.stress[3 * i + j] = -(double)f.force[i] * l.way[j];
    }
    share_line(s, &l);
}

static tact_result check_grid(tact_particles* p, const tact_average_grid* grid, average* s)
{
    tact_env* env = &p->context->env;
    const float *lower = &grid->box.lower.x, *upper = &grid->box.upper.x;
    const float *begin = &p->desc.domain.lower.x, *end = &p->desc.domain.upper.x;
    uint64_t cells = 1;
    s->cell_volume = 1.0;
    for (int k = 0; k < 3; ++k) {
        axis* a = &s->axes[k];
        if (!(lower[k] < upper[k] && lower[k] >= -TACT_MAX_COORDINATE && upper[k] <= TACT_MAX_COORDINATE)) {
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the grid's box is from %g to %g along axis %d",
                             (double)lower[k], (double)upper[k], k);
        }
        if (grid->counts[k] < 1)
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a grid of no cells along axis %d", k);
        if (grid->counts[k] > TACT_MAX_AVERAGE_CELLS / cells)
            return tact_fail(env, TACT_ERROR_LIMIT, "a grid of more than %u cells", (unsigned)TACT_MAX_AVERAGE_CELLS);
        *a = (axis){.lower = (double)lower[k],
                    .upper = (double)upper[k],
                    .count = (int64_t)grid->counts[k],
                    .stride = (size_t)cells};
        if (p->desc.boundary[k] == TACT_BOUNDARY_PERIODIC) a->period = (double)end[k] - (double)begin[k];
        if (a->period > 0.0 && a->upper - a->lower > a->period) {
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the grid's box is %g wide along axis %d, the period %g",
                             a->upper - a->lower, k, a->period);
        }
        s->cell_volume *= (a->upper - a->lower) / (double)a->count;
        cells *= grid->counts[k];
    }
    s->cell_count = (size_t)cells;
    return TACT_OK;
}

static bool make_room(tact_env* env, average* s, size_t particles)
{
    s->touches = tact_allocate(env, particles, sizeof *s->touches);
    bool good = s->touches != NULL;
    for (int k = 0; k < 3; ++k) {
        s->lists[k].capacity = (size_t)s->axes[k].count * (s->axes[k].period > 0.0 ? IMAGES : 1);
        s->lists[k].shares = tact_allocate(env, s->lists[k].capacity, sizeof(share));
        good = good && s->lists[k].shares;
    }
    if (good && particles > 0) memset(s->touches, 0, particles * sizeof *s->touches);
    return good;
}

static void average_particles(average* s, const tact_particles* p)
{
    for (size_t i = 0; i < p->mirror.count; ++i)
        share_out(s, p, i, add_means);
    for (size_t i = 0; i < s->cell_count; ++i)
        finish_means(&s->cells[i]);
    for (size_t i = 0; i < p->mirror.count; ++i)
        share_out(s, p, i, add_fluctuations);
    for (size_t i = 0; i < s->cell_count; ++i)
        finish_cell(&s->cells[i], s->cell_volume);
}

/// The last that may fail is before the first call of this.
static void begin(const tact_particles* p, const tact_particle_meeting* m, void* user)
{
    average* s = user;
    if (!s->begun) memset(s->cells, 0, s->cell_count * sizeof *s->cells);
    s->begun = true;
    add_contact(p, m, s);
}

tact_result tact_particles_average(tact_particles* p, const tact_average_grid* grid, tact_average_cell* cells)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result alone = tact_spread_check_alone(p, "averages");
    if (alone != TACT_OK) return alone;
    tact_env* env = &p->context->env;
    if (!grid) return tact_null(env, "grid");
    if (!cells) return tact_null(env, "cells");
    average s = {.cells = cells};
    tact_result result = check_grid(p, grid, &s);
    if (result == TACT_OK) result = tact_particles_recall(p);
    if (result != TACT_OK) return result;
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    result = make_room(env, &s, p->mirror.count) ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) result = tact_particles_each_meeting(p, &p->mirror, begin, &s, NULL);
    if (result == TACT_OK) {
        if (!s.begun) memset(cells, 0, s.cell_count * sizeof *cells);
        average_particles(&s, p);
    }
    tact_float_env_leave(&float_env);
    for (int k = 0; k < 3; ++k)
        tact_release(env, s.lists[k].shares);
    tact_release(env, s.touches);
    return result;
}
