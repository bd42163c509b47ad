// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Spheres packed into a mesh: those that touch it from inside about the centres of a grid's cells, chosen one after the
// other by how many cells each fills that none before does. What a sphere would fill only falls, so that a sphere whose
// number is still the greatest once it was counted anew is the best (Minoux, "Accelerated greedy algorithms for
// maximizing submodular set functions", 1978).

#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "core/context/context.h"
#include "core/particles/clump_shape.h"
#include "core/particles/solid_moments.h"
#include "cpu_ref/particles/bodies.h"
#include "tact/geometry/voxels.h"

/// A sphere that may be taken.
typedef struct candidate {
    uint32_t cell;    ///< that it is about
    uint32_t filled;  ///< cells that it would fill at most
    float radius;
} candidate;

typedef struct packing {
    tact_env* env;
    tact_voxel_grid grid;
    uint8_t* open;  ///< by cell: inside, and not yet filled
    size_t left;    ///< cells that are
    candidate* heap;
    size_t count;
} packing;

static size_t cell_count(const packing* p)
{
    return (size_t)p->grid.count[0] * p->grid.count[1] * p->grid.count[2];
}

static void centre_of(const packing* p, size_t cell, float x[3])
{
    const size_t nx = p->grid.count[0], ny = p->grid.count[1];
    const size_t at[3] = {cell % nx, cell / nx % ny, cell / nx / ny};
    const float* origin = &p->grid.origin.x;
    for (int k = 0; k < 3; ++k)
        x[k] = origin[k] + ((float)at[k] + 0.5f) * p->grid.size;
}

/// Cells from `low` to `high`, whose centres are within `half` of a place, in cells.
typedef struct span {
    int low, high;
} span;

static span span_of(double at, double half, uint32_t count)
{
    const double low = ceil(at - half), high = floor(at + half);
    return (span){low > 0.0 ? (int)low : 0, high < (double)count - 1.0 ? (int)high : (int)count - 1};
}

/// Counts the open cells whose centres are in a sphere, or fills them.
static uint32_t count_open(packing* p, const float center[3], float radius, bool fill)
{
    const float* origin = &p->grid.origin.x;
    const double size = (double)p->grid.size, r = (double)radius / size;
    double c[3];
    uint32_t found = 0;
    for (int k = 0; k < 3; ++k)
        c[k] = ((double)center[k] - (double)origin[k]) / size - 0.5;
    const span z = span_of(c[2], r, p->grid.count[2]);
    for (int k = z.low; k <= z.high; ++k) {
        const double disc = r * r - (k - c[2]) * (k - c[2]);
        const span y = span_of(c[1], disc > 0.0 ? sqrt(disc) : 0.0, p->grid.count[1]);
        for (int j = y.low; j <= y.high; ++j) {
            const double rest = disc - (j - c[1]) * (j - c[1]);
            if (rest < 0.0) continue;
            const span x = span_of(c[0], sqrt(rest), p->grid.count[0]);
            uint8_t* row = p->open + ((size_t)k * p->grid.count[1] + (size_t)j) * p->grid.count[0];
            for (int i = x.low; i <= x.high; ++i) {
                found += row[i];
                if (fill) row[i] = 0;
            }
        }
    }
    return found;
}

/// Whether one is to be looked at before another.
static bool precedes(const candidate* a, const candidate* b)
{
    if (a->filled != b->filled) return a->filled > b->filled;
    return a->cell < b->cell;
}

/// Moves the candidate at the top of a heap down to its place.
static void sink(candidate* heap, size_t count, size_t i)
{
    const candidate c = heap[i];
    for (size_t child = 2 * i + 1; child < count; child = 2 * i + 1) {
        if (child + 1 < count && precedes(&heap[child + 1], &heap[child])) ++child;
        if (!precedes(&heap[child], &c)) break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = c;
}

static tact_result note_inside(packing* p, const tact_mesh_view* mesh)
{
    tact_voxels *solid = NULL, *surface = NULL;
    tact_result result = tact_voxels_create(&p->grid, TACT_VOXELS_DENSE, &p->env->allocator, &solid);
    if (result == TACT_OK) result = tact_voxels_create(&p->grid, TACT_VOXELS_DENSE, &p->env->allocator, &surface);
    if (result == TACT_OK) result = tact_voxels_fill_solid(solid, mesh);
    if (result == TACT_OK) result = tact_voxels_fill_triangles(surface, mesh);
    for (size_t cell = 0; cell < cell_count(p) && result == TACT_OK; ++cell) {
        const uint32_t nx = p->grid.count[0], ny = p->grid.count[1], n = (uint32_t)cell;
        const tact_voxel v = {n % nx, n / nx % ny, n / nx / ny};
        p->open[cell] = tact_voxels_get(solid, v) && !tact_voxels_get(surface, v);
        p->left += p->open[cell];
    }
    tact_voxels_destroy(solid);
    tact_voxels_destroy(surface);
    return result;
}

static void make_candidates(packing* p, const tact_particle_body* body)
{
    float most = 0.0f;
    for (size_t cell = 0; cell < cell_count(p); ++cell) {
        float x[3], normal[3];
        if (!p->open[cell]) continue;
        centre_of(p, cell, x);
        const float radius = tact_body_distance(body, x, HUGE_VALF, normal);
        p->heap[p->count++] = (candidate){(uint32_t)cell, UINT32_MAX, radius};
        most = radius > most ? radius : most;
    }
    const size_t all = p->count;
    p->count = 0;
    for (size_t i = 0; i < all; ++i) {
        const double side = 2.0 * (double)p->heap[i].radius / (double)p->grid.size + 1.0;
        if (p->heap[i].radius * TACT_MAX_RADIUS_RATIO < most) continue;
        p->heap[p->count] = p->heap[i];
        p->heap[p->count++].filled = (uint32_t)(side * side * side);
    }
    for (size_t i = p->count; i > 0; --i)
        sink(p->heap, p->count, i - 1);
}

/// Moves a sphere's centre, a part of a cell at a time, to where there is more room about it. It never gets out of the
/// mesh, from which it is farther than that.
static float grow(const packing* p, const tact_particle_body* body, float center[3], float radius)
{
    for (float step = 0.25f * p->grid.size; step > 0.02f * p->grid.size; step *= 0.5f) {
        for (bool better = true; better;) {
            better = false;
            for (int k = 0; k < 6; ++k) {
                float x[3] = {center[0], center[1], center[2]}, normal[3];
                x[k / 2] += k % 2 ? -step : step;
                const float r = tact_body_distance(body, x, HUGE_VALF, normal);
                if (!(r > radius * 1.0001f)) continue;
                memcpy(center, x, sizeof x);
                radius = r;
                better = true;
            }
        }
    }
    return radius;
}

/// Takes the best sphere. False when no cell is left that one fills.
static bool take_best(packing* p, const tact_particle_body* body, float center[3], float* radius)
{
    while (p->count > 0) {
        candidate* top = &p->heap[0];
        centre_of(p, top->cell, center);
        const uint32_t filled = count_open(p, center, top->radius, false);
        const bool good = filled == top->filled && filled > 0;
        top->filled = filled;
        if (good) {
            *radius = grow(p, body, center, top->radius);
            const uint32_t taken = count_open(p, center, *radius, true);
            p->left -= taken;
            if (taken > 0) return true;
            // It has grown away from what it was to fill.
            centre_of(p, top->cell, center);
            *radius = top->radius;
            p->left -= count_open(p, center, *radius, true);
            return true;
        }
        if (filled == 0) p->heap[0] = p->heap[--p->count];
        if (p->count > 0) sink(p->heap, p->count, 0);
    }
    return false;
}

static double gap_of(const packing* p, const float* positions, const float* radii, uint32_t count)
{
    double gap = 0.0;
    for (size_t cell = 0; cell < cell_count(p) && p->left > 0; ++cell) {
        float x[3];
        double nearest = HUGE_VAL;
        if (!p->open[cell]) continue;
        centre_of(p, cell, x);
        for (size_t i = 0; i < count; ++i) {
            double square = 0.0;
            for (size_t k = 0; k < 3; ++k) {
                const double d = (double)x[k] - (double)positions[3 * i + k];
                square += d * d;
            }
            nearest = fmin(nearest, sqrt(square) - (double)radii[i]);
        }
        gap = fmax(gap, nearest);
    }
    return gap;
}

/// Volume and moments of what a closed mesh encloses, by tetrahedra from its first vertex.
static void measure_mesh(const tact_mesh_view* mesh, tact_clump_packing* out)
{
    const tact_vec3 base = mesh->positions[mesh->indices[0]];
    tact_solid_moments m = {0};
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        double v[3][3];
        for (size_t k = 0; k < 3; ++k) {
            const tact_vec3 at = mesh->positions[mesh->indices[3 * t + k]];
            v[k][0] = (double)at.x - (double)base.x;
            v[k][1] = (double)at.y - (double)base.y;
            v[k][2] = (double)at.z - (double)base.z;
        }
        tact_solid_add_tetrahedron(&m, v);
    }
    double c[3];
    for (int k = 0; k < 3; ++k)
        c[k] = m.first[k] / m.volume;
    tact_solid_inertia(&m, c, out->inertia);
    out->volume = m.volume;
    out->center[0] = (double)base.x + c[0];
    out->center[1] = (double)base.y + c[1];
    out->center[2] = (double)base.z + c[2];
}

static tact_result fill_cells(packing* p, const tact_mesh_view* mesh, uint32_t cells)
{
    tact_aabb box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i) {
        const tact_vec3 v = mesh->positions[mesh->indices[i]];
        box.lower = (tact_vec3){fminf(box.lower.x, v.x), fminf(box.lower.y, v.y), fminf(box.lower.z, v.z)};
        box.upper = (tact_vec3){fmaxf(box.upper.x, v.x), fmaxf(box.upper.y, v.y), fmaxf(box.upper.z, v.z)};
    }
    if (!tact_voxel_grid_fit(box, cells, &p->grid))
        return tact_fail(p->env, TACT_ERROR_INVALID_ARGUMENT, "the mesh's box cannot be divided into cells");
    p->open = tact_allocate_zeroed(p->env, cell_count(p), 1);
    if (!p->open) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_result result = note_inside(p, mesh);
    if (result == TACT_ERROR_OUT_OF_MEMORY) return tact_fail(p->env, result, "out of memory for the cells of a mesh");
    if (result != TACT_OK) return tact_fail(p->env, TACT_ERROR_INVALID_ARGUMENT, "the mesh is not closed");
    if (p->left > 0) return TACT_OK;
    return tact_fail(p->env, TACT_ERROR_INVALID_ARGUMENT, "no cell of %g lies wholly inside the mesh",
                     (double)p->grid.size);
}

static tact_result check_mesh(tact_env* env, const tact_mesh_view* mesh)
{
    if (!mesh->positions || !mesh->indices || mesh->triangle_count == 0)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a mesh without triangles");
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i) {
        const uint32_t index = mesh->indices[i];
        if (index >= mesh->vertex_count)
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "triangle %zu names vertex %u of %zu", i / 3,
                             (unsigned)index, mesh->vertex_count);
        const float* x = &mesh->positions[index].x;
        for (int k = 0; k < 3; ++k) {
            if (fabsf(x[k]) <= TACT_MAX_COORDINATE) continue;
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "vertex %u is at %g", (unsigned)index, (double)x[k]);
        }
    }
    return TACT_OK;
}

static tact_result pack(packing* p, const tact_mesh_view* mesh, uint32_t most, uint32_t cells, float* positions,
                        float* radii, tact_clump_packing* out)
{
    tact_result result = check_mesh(p->env, mesh);
    if (result != TACT_OK) return result;
    measure_mesh(mesh, out);
    if (!(out->volume > 0.0)) return tact_fail(p->env, TACT_ERROR_INVALID_ARGUMENT, "a mesh of volume %g", out->volume);
    const tact_mesh_desc desc = {.positions = &mesh->positions->x,
                                 .vertex_count = mesh->vertex_count,
                                 .indices = mesh->indices,
                                 .triangle_count = mesh->triangle_count};
    const tact_body_pose upright = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    tact_particle_body body = {.pose = upright, .frame = tact_body_frame(&upright)};
    result = fill_cells(p, mesh, cells);
    if (result == TACT_OK) result = tact_body_make_mesh(p->env, 1, &desc, &body);
    if (result == TACT_OK) p->heap = tact_allocate(p->env, p->left, sizeof *p->heap);
    if (result == TACT_OK && !p->heap) result = TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) make_candidates(p, &body);
    while (result == TACT_OK && out->count < most && p->left > 0 &&
           take_best(p, &body, positions + 3 * (size_t)out->count, &radii[out->count])) {
        ++out->count;
    }
    tact_body_free(p->env, &body);
    if (result != TACT_OK) return result;
    out->gap = gap_of(p, positions, radii, out->count);
    const tact_clump_shape shape = {.positions = positions, .radii = radii, .count = out->count};
    tact_clump_measures measures;
    result = tact_clump_shape_measure(p->env, &shape, &measures);
    if (result == TACT_OK) out->filled = measures.volume / out->volume;
    return result;
}

tact_result tact_clump_pack(tact_context* context, const tact_mesh_view* mesh, uint32_t most, uint32_t cells,
                            float* positions, float* radii, tact_clump_packing* packed)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &context->env;
    if (!mesh || !positions || !radii || !packed)
        return tact_null(env, !mesh ? "mesh" : !positions ? "positions" : !radii ? "radii" : "packing");
    if (most == 0 || most > TACT_CLUMP_SPHERES)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%u spheres, of 1 to %d", (unsigned)most,
                         TACT_CLUMP_SPHERES);
    if (cells == 0) cells = 32;
    if (cells < 4 || cells > 256)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%u cells, of 4 to 256", (unsigned)cells);
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    packing p = {.env = env};
    tact_clump_packing out = {0};
    const tact_result result = pack(&p, mesh, most, cells, positions, radii, &out);
    tact_release(env, p.open);
    tact_release(env, p.heap);
    tact_float_env_leave(&float_env);
    if (result == TACT_OK) *packed = out;
    return result;
}
