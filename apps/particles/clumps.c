// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What `tact particles --clump` asks for: a shape, of which one is poured at each place of a sphere about it.

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/mesh_file.h"
#include "apps/inputs/random.h"
#include "apps/particles/particles.h"

enum { FEWEST = 2, MOST_ROD = 64, MESH_SPHERES = 16 };

/// What follows a colon at the end, from `least` to `most`; without one `otherwise`. Cuts it off.
static bool count_of(char* name, const char* text, uint32_t least, uint32_t most, uint32_t otherwise, uint32_t* count,
                     tact_problem* problem)
{
    char* colon = strrchr(name, ':');
    *count = otherwise;
    if (!colon || !isdigit((unsigned char)colon[1])) return true;
    uint64_t n = 0;
    if (!tact_number_parse(colon + 1, 0, UINT32_MAX, &n, NULL)) return true;  // of a file's name
    *colon = '\0';
    *count = (uint32_t)n;
    if (n >= least && n <= most) return true;
    return tact_problem_set(problem, "--clump %s: must have from %u to %u spheres", text, (unsigned)least,
                            (unsigned)most);
}

/// Equal spheres in a row along x, each through the middle of the next.
static void make_rod(tact_clump_choice* c, uint32_t count)
{
    const float radius = 2.0f / (float)(count + 1);
    for (uint32_t i = 0; i < count; ++i) {
        c->positions[3 * i] = radius * ((float)i - 0.5f * (float)(count - 1));
        c->radii[i] = radius;
    }
    c->count = count;
}

static void make_tetrahedron(tact_clump_choice* c)
{
    const float at = 0.8f / 1.8f / sqrtf(3.0f), radius = 1.0f / 1.8f;
    for (uint32_t i = 0; i < 4; ++i) {
        c->positions[3 * i] = i & 1u ? at : -at;
        c->positions[3 * i + 1] = i & 2u ? at : -at;
        c->positions[3 * i + 2] = (i & 1u) == (i >> 1) ? at : -at;
        c->radii[i] = radius;
    }
    c->count = 4;
}

bool tact_clump_choice_make(const char* text, tact_clump_choice* c, tact_problem* problem)
{
    char name[256];
    uint32_t count = 0;
    if (snprintf(name, sizeof name, "%s", text) >= (int)sizeof name)
        return tact_problem_set(problem, "--clump: a name of %zu letters", strlen(text));
    c->positions = calloc(3 * TACT_CLUMP_SPHERES, sizeof *c->positions);
    c->radii = calloc(TACT_CLUMP_SPHERES, sizeof *c->radii);
    if (!c->positions || !c->radii) return tact_problem_out_of_memory(problem, "a clump");
    if (strcmp(text, "pair") == 0) {
        make_rod(c, 2);
    } else if (strcmp(text, "tetra") == 0) {
        make_tetrahedron(c);
    } else if (strcmp(text, "rod") == 0 || strncmp(text, "rod:", 4) == 0) {
        if (!count_of(name, text, FEWEST, MOST_ROD, 4, &count, problem)) return false;
        make_rod(c, count);
    } else {
        if (!count_of(name, text, 1, TACT_CLUMP_SPHERES, MESH_SPHERES, &c->packed, problem)) return false;
        return tact_mesh_file_read_guarded(name, &c->mesh, problem);
    }
    return true;
}

void tact_clump_choice_free(tact_clump_choice* c)
{
    free(c->positions);
    free(c->radii);
    tact_model_mesh_free(&c->mesh);
    *c = (tact_clump_choice){0};
}

/// Packs the mesh of a file, whose corners are welded first, and scales what is packed into a sphere about its centre
/// of mass, where the shape's frame then is.
static tact_result pack(tact_context* context, const tact_clump_choice* c, float* positions, float* radii,
                        uint32_t* count, float* inertia)
{
    tact_mesh_copy welded = {0};
    tact_clump_packing packing;
    tact_vec3* corners = malloc((c->mesh.vertex_count + 1) * sizeof *corners);
    if (!corners) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < c->mesh.vertex_count; ++i) {
        const float* x = c->mesh.positions + 3 * i;
        corners[i] = (tact_vec3){x[0], x[1], x[2]};
    }
    const tact_mesh_view raw = {corners, c->mesh.vertex_count, c->mesh.indices, c->mesh.triangle_count};
    tact_result result = tact_mesh_repair(&raw, NULL, &welded);
    const tact_mesh_view mesh = {welded.positions, welded.vertex_count, welded.indices, welded.triangle_count};
    if (result == TACT_OK) result = tact_clump_pack(context, &mesh, c->packed, 0, positions, radii, &packing);
    tact_mesh_copy_free(&welded);
    free(corners);
    if (result != TACT_OK) return result;
    double reach = 0.0;
    for (uint32_t i = 0; i < packing.count; ++i) {
        double square = 0.0;
        for (uint32_t k = 0; k < 3; ++k) {
            const double d = (double)positions[3 * i + k] - packing.center[k];
            square += d * d;
        }
        reach = fmax(reach, sqrt(square) + (double)radii[i]);
    }
    for (uint32_t i = 0; i < packing.count; ++i) {
        for (uint32_t k = 0; k < 3; ++k)
            positions[3 * i + k] = (float)(((double)positions[3 * i + k] - packing.center[k]) / reach);
        radii[i] = (float)((double)radii[i] / reach);
    }
    for (int k = 0; k < 6; ++k)
        inertia[k] = (float)(packing.inertia[k] / (reach * reach));
    inertia[6] = (float)(packing.volume / (reach * reach * reach));
    *count = packing.count;
    return TACT_OK;
}

/// A unit quaternion at random, of any direction.
static void random_turn(tact_random* r, float q[4])
{
    double square = 0.0, x[4];
    while (!(square > 0.01 && square <= 1.0)) {
        square = 0.0;
        for (int k = 0; k < 4; ++k) {
            x[k] = 2.0 * tact_random_fraction(r) - 1.0;
            square += x[k] * x[k];
        }
    }
    for (int k = 0; k < 4; ++k)
        q[k] = (float)(x[k] / sqrt(square));
}

tact_result tact_clump_choice_add(const tact_particle_plan* p, tact_particles* particles, tact_context* context)
{
    const tact_clump_choice* c = &p->clump;
    const float zero[3] = {0.0f, 0.0f, 0.0f}, scale = p->radii[0];
    float inertia[7] = {0.0f};
    uint32_t count = c->count;
    tact_result result = TACT_OK;
    float* positions = malloc(3 * TACT_CLUMP_SPHERES * sizeof *positions);
    float* radii = malloc(TACT_CLUMP_SPHERES * sizeof *radii);
    float* turns = malloc((p->count + 1) * 4 * sizeof *turns);
    if (!positions || !radii || !turns) result = TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK && c->packed) {
        result = pack(context, c, positions, radii, &count, inertia);
    } else if (result == TACT_OK) {
        memcpy(positions, c->positions, 3 * (size_t)count * sizeof *positions);
        memcpy(radii, c->radii, count * sizeof *radii);
    }
    tact_random r = {c->seed};
    for (size_t i = 0; i < p->count && result == TACT_OK; ++i)
        random_turn(&r, turns + 4 * i);
    for (size_t i = 0; i < 3 * (size_t)count && result == TACT_OK; ++i)
        positions[i] *= scale;
    for (size_t i = 0; i < count && result == TACT_OK; ++i)
        radii[i] *= scale;
    tact_clump_shape shape = {.positions = positions, .radii = radii, .count = count, .density = p->density};
    if (c->packed) {
        // As heavy as the mesh, and as hard to turn.
        shape.mass = p->density * inertia[6] * scale * scale * scale;
        for (int k = 0; k < 6; ++k)
            inertia[k] *= shape.mass * scale * scale;
        shape.center = zero;
        shape.inertia = inertia;
    }
    const tact_clump_arrays arrays = {.positions = p->positions, .velocities = p->velocities, .orientations = turns};
    if (result == TACT_OK) result = tact_particles_add_clumps(particles, &shape, &arrays, p->count, NULL);
    free(positions);
    free(radii);
    free(turns);
    return result;
}
