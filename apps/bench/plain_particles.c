// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/bench/plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct vec4 {
    float x, y, z, w;
} vec4;

struct tact_plain_particles {
    tact_plain_rules rules;
    size_t count;
    int threads;
    vec4 *position, *velocity;       ///< in no order
    vec4 *sorted, *sorted_velocity;  ///< in the order of cells
    uint32_t* cell;                  ///< of each
    uint32_t* begin;                 ///< where a cell's particles begin, and the end
    uint32_t* cursors;               ///< of each thread
    size_t cell_capacity;
    int cells[3];
    float origin[3], inverse;
    uint64_t* offsets;
    uint32_t* neighbours;
    uint64_t neighbour_capacity;
};

bool tact_plain_has_threads(void)
{
#ifdef _OPENMP
    return true;
#else
    return false;
#endif
}

tact_plain_particles* tact_plain_create(const tact_plain_rules* rules, const float* positions, const float* velocities,
                                        size_t count, int threads)
{
    tact_plain_particles* p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->rules = *rules;
    p->count = count;
    p->threads = threads > 0 && tact_plain_has_threads() ? threads : 1;
    p->position = calloc(count + 1, sizeof *p->position);
    p->velocity = calloc(count + 1, sizeof *p->velocity);
    p->sorted = calloc(count + 1, sizeof *p->sorted);
    p->sorted_velocity = calloc(count + 1, sizeof *p->sorted_velocity);
    p->cell = calloc(count + 1, sizeof *p->cell);
    p->offsets = calloc(count + 1, sizeof *p->offsets);
    if (!p->position || !p->velocity || !p->sorted || !p->sorted_velocity || !p->cell || !p->offsets) {
        tact_plain_destroy(p);
        return NULL;
    }
    for (size_t i = 0; i < count; ++i) {
        p->position[i] = (vec4){positions[3 * i], positions[3 * i + 1], positions[3 * i + 2], rules->radius};
        p->velocity[i] = (vec4){velocities[3 * i], velocities[3 * i + 1], velocities[3 * i + 2], 0.0f};
    }
    return p;
}

void tact_plain_destroy(tact_plain_particles* p)
{
    if (!p) return;
    free(p->position);
    free(p->velocity);
    free(p->sorted);
    free(p->sorted_velocity);
    free(p->cell);
    free(p->begin);
    free(p->cursors);
    free(p->offsets);
    free(p->neighbours);
    free(p);
}

static void bounds_of(const tact_plain_particles* p, float lower[3], float upper[3])
{
    float lx = INFINITY, ly = INFINITY, lz = INFINITY, ux = -INFINITY, uy = -INFINITY, uz = -INFINITY;
    const long n = (long)p->count;
#pragma omp parallel for num_threads(p->threads) schedule(static) reduction(min                         \
                                                                            : lx, ly, lz) reduction(max \
                                                                                                    : ux, uy, uz)
    for (long i = 0; i < n; ++i) {
        const vec4 v = p->position[i];
        lx = v.x < lx ? v.x : lx;
        ly = v.y < ly ? v.y : ly;
        lz = v.z < lz ? v.z : lz;
        ux = v.x > ux ? v.x : ux;
        uy = v.y > uy ? v.y : uy;
        uz = v.z > uz ? v.z : uz;
    }
    lower[0] = lx;
    lower[1] = ly;
    lower[2] = lz;
    upper[0] = ux;
    upper[1] = uy;
    upper[2] = uz;
}

static size_t cell_count(const tact_plain_particles* p)
{
    return (size_t)p->cells[0] * (size_t)p->cells[1] * (size_t)p->cells[2];
}

static bool make_cells(tact_plain_particles* p, float edge)
{
    float upper[3];
    bounds_of(p, p->origin, upper);
    p->inverse = 1.0f / edge;
    for (int k = 0; k < 3; ++k)
        p->cells[k] = (int)((upper[k] - p->origin[k]) * p->inverse) + 1;
    const size_t cells = cell_count(p);
    if (cells + 1 <= p->cell_capacity) return true;
    free(p->begin);
    free(p->cursors);
    p->begin = malloc((cells + 1) * sizeof *p->begin);
    p->cursors = malloc((cells + 1) * (size_t)p->threads * sizeof *p->cursors);
    p->cell_capacity = p->begin && p->cursors ? cells + 1 : 0;
    return p->cell_capacity > 0;
}

/// The part of the particles that a thread sorts.
static void share(const tact_plain_particles* p, int thread, size_t* begin, size_t* end)
{
    *begin = p->count * (size_t)thread / (size_t)p->threads;
    *end = p->count * (size_t)(thread + 1) / (size_t)p->threads;
}

/// Counting sort: each thread counts its share, the counts become places, each thread moves its share.
static bool sort(tact_plain_particles* p, float edge)
{
    if (!make_cells(p, edge)) return false;
    const size_t cells = cell_count(p);
#pragma omp parallel for num_threads(p->threads) schedule(static, 1)
    for (int t = 0; t < p->threads; ++t) {
        uint32_t* counts = p->cursors + (size_t)t * cells;
        memset(counts, 0, cells * sizeof *counts);
        size_t begin, end;
        share(p, t, &begin, &end);
        for (size_t i = begin; i < end; ++i) {
            const vec4 v = p->position[i];
            const uint32_t x = (uint32_t)((v.x - p->origin[0]) * p->inverse);
            const uint32_t y = (uint32_t)((v.y - p->origin[1]) * p->inverse);
            const uint32_t z = (uint32_t)((v.z - p->origin[2]) * p->inverse);
            const uint32_t cell = (z * (uint32_t)p->cells[1] + y) * (uint32_t)p->cells[0] + x;
            p->cell[i] = cell;
            ++counts[cell];
        }
    }
    uint32_t at = 0;
    for (size_t c = 0; c < cells; ++c) {
        p->begin[c] = at;
        for (int t = 0; t < p->threads; ++t) {
            uint32_t* count = &p->cursors[(size_t)t * cells + c];
            const uint32_t here = *count;
            *count = at;
            at += here;
        }
    }
    p->begin[cells] = at;
#pragma omp parallel for num_threads(p->threads) schedule(static, 1)
    for (int t = 0; t < p->threads; ++t) {
        uint32_t* cursors = p->cursors + (size_t)t * cells;
        size_t begin, end;
        share(p, t, &begin, &end);
        for (size_t i = begin; i < end; ++i) {
            const uint32_t to = cursors[p->cell[i]]++;
            p->sorted[to] = p->position[i];
            p->sorted_velocity[to] = p->velocity[i];
        }
    }
    return true;
}

/// The particles of the up to three cells about (x, y, z) along x.
static bool row_of(const tact_plain_particles* p, int x, int y, int z, uint32_t* begin, uint32_t* end)
{
    if (y < 0 || z < 0 || y >= p->cells[1] || z >= p->cells[2]) return false;
    const int first = x > 0 ? x - 1 : 0;
    const int last = x + 1 < p->cells[0] ? x + 1 : x;
    const size_t row = ((size_t)z * (size_t)p->cells[1] + (size_t)y) * (size_t)p->cells[0];
    *begin = p->begin[row + (size_t)first];
    *end = p->begin[row + (size_t)last + 1];
    return true;
}

static void cell_of(const tact_plain_particles* p, vec4 v, int cell[3])
{
    cell[0] = (int)((v.x - p->origin[0]) * p->inverse);
    cell[1] = (int)((v.y - p->origin[1]) * p->inverse);
    cell[2] = (int)((v.z - p->origin[2]) * p->inverse);
}

/// The force of a contact; n points from this particle to the other, (vx, vy, vz) is the other's velocity less its own.
static void contact(const tact_plain_rules* r, float nx, float ny, float nz, float depth, float vx, float vy, float vz,
                    float dashpot, float force[3])
{
    const float along = vx * nx + vy * ny + vz * nz;
    float push = r->stiffness * depth - r->normal_damping * dashpot * along;
    push = push > 0.0f ? push : 0.0f;
    const float tx = vx - along * nx, ty = vy - along * ny, tz = vz - along * nz;
    const float slip = sqrtf(tx * tx + ty * ty + tz * tz);
    float drag = r->tangential_damping * dashpot;
    if (drag * slip > r->friction * push) drag = r->friction * push / slip;
    force[0] += drag * tx - push * nx;
    force[1] += drag * ty - push * ny;
    force[2] += drag * tz - push * nz;
}

static void walls(const tact_plain_rules* r, vec4 at, vec4 v, float dashpot, float force[3])
{
    const float x[3] = {at.x, at.y, at.z};
    for (int k = 0; k < 3; ++k) {
        const float n[3] = {k == 0 ? 1.0f : 0.0f, k == 1 ? 1.0f : 0.0f, k == 2 ? 1.0f : 0.0f};
        const float low = r->radius - (x[k] - r->lower[k]), high = r->radius - (r->upper[k] - x[k]);
        if (low >= 0.0f) contact(r, -n[0], -n[1], -n[2], low, -v.x, -v.y, -v.z, dashpot, force);
        if (high >= 0.0f) contact(r, n[0], n[1], n[2], high, -v.x, -v.y, -v.z, dashpot, force);
    }
}

static void forces_on(const tact_plain_particles* p, uint32_t i, float pair_dashpot, float force[3])
{
    const vec4 a = p->sorted[i], va = p->sorted_velocity[i];
    const float reach = 2.0f * p->rules.radius, reach2 = reach * reach;
    int cell[3];
    cell_of(p, a, cell);
    for (int dz = -1; dz <= 1; ++dz) {
        for (int dy = -1; dy <= 1; ++dy) {
            uint32_t j, end;
            if (!row_of(p, cell[0], cell[1] + dy, cell[2] + dz, &j, &end)) continue;
            for (; j < end; ++j) {
                const vec4 b = p->sorted[j];
                const float dx = b.x - a.x, ey = b.y - a.y, ez = b.z - a.z;
                const float d2 = dx * dx + ey * ey + ez * ez;
                if (d2 > reach2 || j == i) continue;
                const float distance = sqrtf(d2), inverse = distance > 0.0f ? 1.0f / distance : 0.0f;
                const vec4 vb = p->sorted_velocity[j];
                contact(&p->rules, dx * inverse, ey * inverse, ez * inverse, reach - distance, vb.x - va.x, vb.y - va.y,
                        vb.z - va.z, pair_dashpot, force);
            }
        }
    }
}

static float held(float x, float lower, float upper)
{
    return x < lower ? lower : x > upper ? upper : x;
}

void tact_plain_step(tact_plain_particles* p)
{
    const tact_plain_rules* r = &p->rules;
    if (!sort(p, 2.0f * r->radius * 1.0001f)) return;
    const float pair_dashpot = sqrtf(r->stiffness * 0.5f * r->mass), wall_dashpot = sqrtf(r->stiffness * r->mass);
    const float inverse_mass = 1.0f / r->mass;
    const long n = (long)p->count;
#pragma omp parallel for num_threads(p->threads) schedule(dynamic, 1024)
    for (long i = 0; i < n; ++i) {
        float force[3] = {0};
        forces_on(p, (uint32_t)i, pair_dashpot, force);
        vec4 x = p->sorted[i], v = p->sorted_velocity[i];
        walls(r, x, v, wall_dashpot, force);
        v.x += r->dt * (force[0] * inverse_mass + r->gravity[0]);
        v.y += r->dt * (force[1] * inverse_mass + r->gravity[1]);
        v.z += r->dt * (force[2] * inverse_mass + r->gravity[2]);
        x.x = held(x.x + r->dt * v.x, r->lower[0], r->upper[0]);
        x.y = held(x.y + r->dt * v.y, r->lower[1], r->upper[1]);
        x.z = held(x.z + r->dt * v.z, r->lower[2], r->upper[2]);
        p->position[i] = x;
        p->velocity[i] = v;
    }
}

/// The order in memory follows the points.
static void keep_order(tact_plain_particles* p)
{
    vec4* const swap = p->position;
    p->position = p->sorted;
    p->sorted = swap;
    vec4* const other = p->velocity;
    p->velocity = p->sorted_velocity;
    p->sorted_velocity = other;
}

uint64_t tact_plain_pairs(tact_plain_particles* p)
{
    const float reach = 2.0f * p->rules.radius, reach2 = reach * reach;
    if (!sort(p, reach * 1.0001f)) return 0;
    const long n = (long)p->count;
    uint64_t pairs = 0;
#pragma omp parallel for num_threads(p->threads) schedule(dynamic, 1024) reduction(+ : pairs)
    for (long i = 0; i < n; ++i) {
        const vec4 a = p->sorted[i];
        int cell[3];
        cell_of(p, a, cell);
        for (int row = 4; row < 9; ++row) {
            uint32_t j, end;
            if (!row_of(p, cell[0], cell[1] + row % 3 - 1, cell[2] + row / 3 - 1, &j, &end)) continue;
            if (row == 4) j = (uint32_t)i + 1;
            for (; j < end; ++j) {
                const vec4 b = p->sorted[j];
                const float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
                pairs += dx * dx + dy * dy + dz * dz <= reach2;
            }
        }
    }
    keep_order(p);
    return pairs;
}

static uint64_t neighbours_of(const tact_plain_particles* p, uint32_t i, float radius2, uint32_t* list)
{
    const vec4 a = p->sorted[i];
    uint64_t found = 0;
    int cell[3];
    cell_of(p, a, cell);
    for (int row = 0; row < 9; ++row) {
        uint32_t j, end;
        if (!row_of(p, cell[0], cell[1] + row % 3 - 1, cell[2] + row / 3 - 1, &j, &end)) continue;
        for (; j < end; ++j) {
            const vec4 b = p->sorted[j];
            const float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
            if (!(dx * dx + dy * dy + dz * dz <= radius2) || j == i) continue;
            if (list) list[found] = j;
            ++found;
        }
    }
    return found;
}

uint64_t tact_plain_neighbours(tact_plain_particles* p, float radius)
{
    if (!sort(p, radius * 1.0001f)) return 0;
    const float radius2 = radius * radius;
    const long n = (long)p->count;
#pragma omp parallel for num_threads(p->threads) schedule(dynamic, 1024)
    for (long i = 0; i < n; ++i)
        p->offsets[i + 1] = neighbours_of(p, (uint32_t)i, radius2, NULL);
    for (long i = 0; i < n; ++i)
        p->offsets[i + 1] += p->offsets[i];
    const uint64_t total = p->offsets[n];
    if (total > p->neighbour_capacity) {
        free(p->neighbours);
        p->neighbours = malloc((size_t)total * sizeof *p->neighbours);
        p->neighbour_capacity = p->neighbours ? total : 0;
        if (!p->neighbours) return 0;
    }
#pragma omp parallel for num_threads(p->threads) schedule(dynamic, 1024)
    for (long i = 0; i < n; ++i)
        neighbours_of(p, (uint32_t)i, radius2, p->neighbours + p->offsets[i]);
    keep_order(p);
    return total;
}
