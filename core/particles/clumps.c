// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Clumps in and out. Their spheres are added and removed as particles; the table of what clumps are made of is made
// anew each time.

#include "core/particles/clump_shape.h"
#include "core/particles/clump_table.h"
#include "core/particles/spread.h"

#include <math.h>
#include <string.h>

#include "base/float_env.h"

// ---- A clump's motion ----

/// The product of a symmetric tensor xx yy zz xy xz yz and a vector.
static void times(const double t[6], const double v[3], double out[3])
{
    out[0] = t[0] * v[0] + t[3] * v[1] + t[4] * v[2];
    out[1] = t[3] * v[0] + t[1] * v[1] + t[5] * v[2];
    out[2] = t[4] * v[0] + t[5] * v[1] + t[2] * v[2];
}

static void inverse_of(const double t[6], double out[6])
{
    const double c[6] = {t[1] * t[2] - t[5] * t[5], t[0] * t[2] - t[4] * t[4], t[0] * t[1] - t[3] * t[3],
                         t[4] * t[5] - t[3] * t[2], t[3] * t[5] - t[1] * t[4], t[3] * t[4] - t[0] * t[5]};
    const double determinant = t[0] * c[0] + t[3] * c[3] + t[4] * c[4];
    for (int k = 0; k < 6; ++k)
        out[k] = c[k] / determinant;
}

/// A vector turned by a unit quaternion, or back.
static void turned(const float q[4], bool back, const double v[3], double out[3])
{
    const double sign = back ? -1.0 : 1.0;
    const double u[3] = {sign * (double)q[0], sign * (double)q[1], sign * (double)q[2]}, w = (double)q[3];
    const double t[3] = {2.0 * (u[1] * v[2] - u[2] * v[1]), 2.0 * (u[2] * v[0] - u[0] * v[2]),
                         2.0 * (u[0] * v[1] - u[1] * v[0])};
    out[0] = v[0] + w * t[0] + (u[1] * t[2] - u[2] * t[1]);
    out[1] = v[1] + w * t[1] + (u[2] * t[0] - u[0] * t[2]);
    out[2] = v[2] + w * t[2] + (u[0] * t[1] - u[1] * t[0]);
}

/// Sets the angular momentum for an angular velocity.
static void set_spin(tact_clump_motion* m, const TactClumpBody* b, const float spin[3])
{
    const double inverse[6] = {(double)b->xx, (double)b->yy, (double)b->zz,
                               (double)b->xy, (double)b->xz, (double)b->yz};
    const double w[3] = {(double)spin[0], (double)spin[1], (double)spin[2]};
    double inertia[6], own[3], momentum[3], world[3];
    inverse_of(inverse, inertia);
    turned(m->turn, true, w, own);
    times(inertia, own, momentum);
    turned(m->turn, false, momentum, world);
    for (int k = 0; k < 3; ++k)
        m->momentum[k] = tact_clump_held((float)world[k]);
}

/// Where a member of a clump is, in the domain where that repeats.
static void place_of(const tact_particles* p, const tact_clump_motion* m, const tact_clump_member* member, float x[3])
{
    const TactVec arm = tact_clump_arm(m, member);
    const float arms[3] = {arm.x, arm.y, arm.z};
    const float* lower = &p->desc.domain.lower.x;
    const float* upper = &p->desc.domain.upper.x;
    for (int k = 0; k < 3; ++k) {
        x[k] = m->place[k] + arms[k];
        if (p->desc.boundary[k] != TACT_BOUNDARY_PERIODIC) continue;
        // As the grid has it, which an empty system does not have yet.
        const TactGridAxis axis = {.origin = lower[k], .period = upper[k] - lower[k]};
        x[k] = tact_grid_wrap(axis, x[k]);
    }
}

/// Puts a clump's members down as it has them.
static void put_members(tact_particles* p, size_t k)
{
    const tact_clump_table* t = &p->clumps;
    tact_particle_state* m = &p->mirror;
    const TactVec w = tact_clump_spun(t, k, &m->clumps[k]);
    for (size_t n = t->begins[k]; n < t->begins[k + 1]; ++n) {
        const size_t row = tact_particle_state_find(m, t->members[n].id);
        TACT_ASSERT(row < m->count);
        place_of(p, &m->clumps[k], &t->members[n], m->position[row]);
        tact_clump_follow(t, k, &m->clumps[k], w, tact_clump_arm(&m->clumps[k], &t->members[n]), m->velocity[row],
                          m->spin[row], m->turn[row]);
    }
}

static tact_result check_numbers(tact_particles* p, size_t i, const char* what, const float* numbers, size_t count,
                                 float most)
{
    for (size_t k = 0; k < count; ++k) {
        if (fabsf(numbers[k]) <= most) continue;
        return tact_fail(&p->context->env, TACT_ERROR_INVALID_ARGUMENT, "clump %zu of those given: %s %g", i, what,
                         (double)numbers[k]);
    }
    return TACT_OK;
}

/// Changes how a clump moves by what is given of clump `i`, once that is checked.
static tact_result set_motion(tact_particles* p, const TactClumpBody* body, const tact_clump_arrays* a, size_t i,
                              tact_clump_motion* m)
{
    tact_result result = TACT_OK;
    const TactVec spin = tact_clump_spin(*body, (float4){m->turn[0], m->turn[1], m->turn[2], m->turn[3]},
                                         tact_vec(m->momentum[0], m->momentum[1], m->momentum[2]));
    const float had[3] = {spin.x, spin.y, spin.z};
    if (a->positions) {
        result = tact_particles_check_place(p, i, a->positions + 3 * i);
        if (result != TACT_OK) return tact_fail_within(&p->context->env, result, "clumps: ");
        tact_particles_put_place(p, m->place, a->positions + 3 * i);
    }
    if (a->velocities) {
        result = check_numbers(p, i, "velocity", a->velocities + 3 * i, 3, TACT_SPEED_RANGE);
        if (result == TACT_OK) memcpy(m->velocity, a->velocities + 3 * i, 3 * sizeof(float));
    }
    if (a->orientations && result == TACT_OK) {
        result = tact_grains_check_orientation(&p->context->env, "clump", i, a->orientations + 4 * i);
        if (result == TACT_OK) memcpy(m->turn, a->orientations + 4 * i, sizeof m->turn);
    }
    if (a->spins && result == TACT_OK)
        result = check_numbers(p, i, "angular velocity", a->spins + 3 * i, 3, TACT_SPEED_RANGE);
    if (result == TACT_OK && (a->spins || a->orientations)) set_spin(m, body, a->spins ? a->spins + 3 * i : had);
    return result;
}

// ---- Adding ----

/// Clumps of one shape before they have ids.
typedef struct newcomers {
    size_t count, each;
    TactClumpBody body;
    tact_clump_member* members;  ///< of one clump
    tact_clump_motion* motions;
    float *positions, *radii, *masses;  ///< of spheres
    uint32_t* ids;
    tact_clump_table table;     ///< of the system with these, to be filled
    tact_clump_motion* merged;  ///< likewise
    float effective_mass;       ///< of a contact with a clump, at least
} newcomers;

static void free_newcomers(tact_env* env, newcomers* n)
{
    void* const all[] = {n->members, n->motions, n->positions, n->radii, n->masses, n->ids, n->merged};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        tact_release(env, all[i]);
    tact_clump_table_free(env, &n->table);
}

static bool make_newcomers(const tact_particles* p, newcomers* n)
{
    tact_env* env = &p->context->env;
    const size_t spheres = n->count * n->each, clumps = p->clumps.count + n->count;
    const size_t members = (p->clumps.count > 0 ? p->clumps.begins[p->clumps.count] : 0) + spheres;
    n->members = tact_allocate(env, n->each, sizeof *n->members);
    n->motions = tact_allocate_zeroed(env, n->count, sizeof *n->motions);
    n->positions = tact_allocate(env, 3 * spheres, sizeof *n->positions);
    n->radii = tact_allocate(env, spheres, sizeof *n->radii);
    n->masses = tact_allocate(env, spheres, sizeof *n->masses);
    n->ids = tact_allocate(env, spheres, sizeof *n->ids);
    n->merged = tact_allocate(env, clumps, sizeof *n->merged);
    return n->members && n->motions && n->positions && n->radii && n->masses && n->ids && n->merged &&
           tact_clump_table_make(env, &n->table, clumps, members, p->id_end + spheres);
}

/// A number that no eigenvalue of a symmetric tensor is above.
static double largest_of(const double t[6])
{
    const double square = t[0] * t[0] + t[1] * t[1] + t[2] * t[2] + 2.0 * (t[3] * t[3] + t[4] * t[4] + t[5] * t[5]);
    const double rows[3] = {fabs(t[0]) + fabs(t[3]) + fabs(t[4]), fabs(t[3]) + fabs(t[1]) + fabs(t[5]),
                            fabs(t[4]) + fabs(t[5]) + fabs(t[2])};
    return fmin(sqrt(square), fmax(rows[0], fmax(rows[1], rows[2])));
}

/// The mass of a grain whose contacts are as short as those of a clump's sphere at the shortest: a force turns the
/// clump too. Of a grain, sliding springs are counted 3.5 times for that.
static float effective_mass(double mass, const double inverse[6], const tact_clump_member* member, double radius)
{
    const double x = (double)member->offset[0], y = (double)member->offset[1], z = (double)member->offset[2];
    // How a force at the sphere's centre moves it there: the arm's cross product, the inverse, and the product again.
    const double cross[3][3] = {{0.0, -z, y}, {z, 0.0, -x}, {-y, x, 0.0}};
    double turned[3][3], moved[6];
    for (int i = 0; i < 3; ++i) {
        const double column[3] = {cross[i][0], cross[i][1], cross[i][2]};
        times(inverse, column, turned[i]);
    }
    const int row[6] = {0, 1, 2, 0, 0, 1}, other[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; ++k)
        moved[k] = turned[row[k]][0] * cross[other[k]][0] + turned[row[k]][1] * cross[other[k]][1] +
                   turned[row[k]][2] * cross[other[k]][2];
    const double at_centre = largest_of(moved), at_rim = sqrt(at_centre) + radius * sqrt(largest_of(inverse));
    const double normal = 1.0 / mass + at_centre, sliding = 1.0 / mass + at_rim * at_rim;
    return (float)(1.0 / fmax(normal, sliding / 3.5));
}

static tact_result make_body(tact_env* env, const tact_clump_shape* shape, const tact_clump_measures* m, newcomers* n)
{
    double inverse[6], cubes = 0.0;
    inverse_of(m->inertia, inverse);
    n->body = (TactClumpBody){(float)(1.0 / (double)(float)m->mass),
                              (float)m->reach,
                              (float)inverse[0],
                              (float)inverse[1],
                              (float)inverse[2],
                              (float)inverse[3],
                              (float)inverse[4],
                              (float)inverse[5]};
    if (!((float)m->mass > 0.0f && n->body.inverse_mass > 0.0f && isfinite(n->body.inverse_mass) &&
          largest_of(inverse) <= 1e30))
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a clump's mass %g, or its inertia", m->mass);
    for (size_t i = 0; i < n->each; ++i)
        cubes += (double)shape->radii[i] * (double)shape->radii[i] * (double)shape->radii[i];
    n->effective_mass = (float)m->mass;
    for (size_t i = 0; i < n->each; ++i) {
        const double r = (double)shape->radii[i];
        n->members[i] = (tact_clump_member){.mass = (float)(m->mass * (r * r * r / cubes))};
        for (size_t k = 0; k < 3; ++k)
            n->members[i].offset[k] = (float)((double)shape->positions[3 * i + k] - m->center[k]);
        n->effective_mass = fminf(n->effective_mass, effective_mass(m->mass, inverse, &n->members[i], r));
    }
    return TACT_OK;
}

/// A clump that meets itself a period on would not know.
static tact_result check_periods(const tact_particles* p, const tact_clump_shape* shape, const newcomers* n)
{
    const float* lower = &p->desc.domain.lower.x;
    const float* upper = &p->desc.domain.upper.x;
    float most = 0.0f;
    for (size_t i = 0; i < n->each; ++i)
        most = fmaxf(most, shape->radii[i]);
    for (int k = 0; k < 3; ++k) {
        const float length = 2.0f * (n->body.reach + most), period = upper[k] - lower[k];
        if (p->desc.boundary[k] != TACT_BOUNDARY_PERIODIC || length <= period) continue;
        return tact_fail(&p->context->env, TACT_ERROR_INVALID_ARGUMENT,
                         "a clump that may be %g long, where the domain repeats along %c every %g", (double)length,
                         'x' + k, (double)period);
    }
    return TACT_OK;
}

static tact_result fill_newcomers(tact_particles* p, const tact_clump_shape* shape, const tact_clump_arrays* a,
                                  newcomers* n)
{
    tact_clump_measures measures;
    tact_result result = tact_clump_shape_measure(&p->context->env, shape, &measures);
    if (result == TACT_OK) result = make_body(&p->context->env, shape, &measures, n);
    if (result == TACT_OK) result = check_periods(p, shape, n);
    for (size_t c = 0; c < n->count && result == TACT_OK; ++c) {
        tact_clump_motion* m = &n->motions[c];
        m->turn[3] = 1.0f;
        result = set_motion(p, &n->body, a, c, m);
        for (size_t i = 0; i < n->each; ++i) {
            const size_t at = c * n->each + i;
            place_of(p, m, &n->members[i], n->positions + 3 * at);
            n->radii[at] = shape->radii[i];
            n->masses[at] = (float)measures.mass;
        }
    }
    return result;
}

/// Makes clumps of spheres that are there.
static void join_newcomers(tact_particles* p, newcomers* n)
{
    tact_clump_table* t = &n->table;
    const tact_clump_table* old = &p->clumps;
    tact_clump_member members[TACT_CLUMP_SPHERES];
    size_t begins[2] = {0, n->each}, i = 0, c = 0;
    tact_clump_table one = {.count = 1, .bodies = &n->body, .begins = begins, .members = members};
    memcpy(members, n->members, n->each * sizeof *members);
    while (i < old->count || c < n->count) {
        const bool own = i < old->count && (c == n->count || old->members[old->begins[i]].id < n->ids[c * n->each]);
        n->merged[i + c] = own ? p->mirror.clumps[i] : n->motions[c];
        for (size_t k = 0; k < n->each && !own; ++k)
            members[k].id = n->ids[c * n->each + k];
        tact_clump_table_append(t, own ? old : &one, own ? i++ : 0);
        if (!own) ++c;
    }
    TACT_ASSERT(p->id_end <= t->id_end);
    tact_clump_table_index(t);
    tact_clumps_take(p, t);
    tact_release(&p->context->env, p->mirror.clumps);
    p->mirror.clumps = n->merged;
    p->mirror.clump_count = p->mirror.clump_capacity = p->clumps.count;
    n->merged = NULL;
    for (c = 0; c < n->count; ++c)
        put_members(p, p->clumps.of[n->ids[c * n->each]][0]);
}

static tact_result add_clumps(tact_particles* p, const tact_clump_shape* shape, const tact_clump_arrays* a,
                              newcomers* n)
{
    tact_result result = make_newcomers(p, n) ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) result = fill_newcomers(p, shape, a, n);
    if (result != TACT_OK) return result;
    const tact_particle_arrays spheres = {.positions = n->positions,
                                          .radii = n->radii,
                                          .masses = n->masses,
                                          .material = shape->material,
                                          .group = shape->group};
    result = tact_particles_add(p, &spheres, n->count * n->each, n->ids);
    if (result != TACT_OK)
        return tact_fail_within(&p->context->env, result, "clumps of %u spheres: ", (unsigned)n->each);
    tact_particles_note_mass(p, 1.0f / n->effective_mass);
    join_newcomers(p, n);
    return TACT_OK;
}

tact_result tact_clump_measure(tact_context* context, const tact_clump_shape* shape, tact_clump_measures* measures)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!shape || !measures) return tact_null(&context->env, shape ? "measures" : "shape");
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    const tact_result result = tact_clump_shape_measure(&context->env, shape, measures);
    tact_float_env_leave(&float_env);
    return result;
}

tact_result tact_particles_add_clumps(tact_particles* p, const tact_clump_shape* shape, const tact_clump_arrays* arrays,
                                      size_t count, uint32_t* ids)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result alone = tact_spread_check_alone(p, "clumps");
    if (alone != TACT_OK) return alone;
    tact_env* env = &p->context->env;
    if (!shape || !arrays) return tact_null(env, shape ? "arrays" : "shape");
    const tact_result turns = tact_particles_check_turns(p);
    if (turns != TACT_OK || count == 0) return turns;
    if (!arrays->positions) return tact_null(env, "positions");
    if (shape->count == 0 || shape->count > TACT_CLUMP_SPHERES)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a clump of %u spheres, of 1 to %d", (unsigned)shape->count,
                         TACT_CLUMP_SPHERES);
    if (count > TACT_MAX_PARTICLES / shape->count)
        return tact_fail(env, TACT_ERROR_LIMIT, "%zu clumps of %u spheres", count, (unsigned)shape->count);
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    newcomers n = {.count = count, .each = shape->count};
    const tact_result result = add_clumps(p, shape, arrays, &n);
    for (size_t c = 0; c < count && ids && result == TACT_OK; ++c)
        ids[c] = n.ids[c * n.each];
    free_newcomers(env, &n);
    tact_float_env_leave(&float_env);
    return result;
}

// ---- Those there ----

/// The clump whose first sphere has an id, or TACT_NONE and INVALID_ARGUMENT.
static tact_result find(const tact_particles* p, uint32_t id, size_t* clump)
{
    const uint32_t k = tact_clump_of(p->model.clumps, id);
    *clump = k;
    if (k != TACT_NONE && p->clumps.members[p->clumps.begins[k]].id == id) return TACT_OK;
    return tact_fail(&p->context->env, TACT_ERROR_INVALID_ARGUMENT, "there is no clump %u", (unsigned)id);
}

tact_result tact_particles_remove_clumps(tact_particles* p, const uint32_t* ids, size_t count)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result alone = tact_spread_check_alone(p, "clumps");
    if (alone != TACT_OK) return alone;
    tact_env* env = &p->context->env;
    if (count > 0 && !ids) return tact_null(env, "ids");
    // First, since with a device clumps may be lost too.
    tact_result result = tact_particles_recall(p);
    size_t members = 0;
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        size_t k;
        result = find(p, ids[i], &k);
        if (result == TACT_OK) members += p->clumps.begins[k + 1] - p->clumps.begins[k];
    }
    if (result != TACT_OK || count == 0) return result;
    if (members > p->count) return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a clump twice in the list");
    uint32_t* spheres = tact_allocate(env, members, sizeof *spheres);
    if (!spheres) return TACT_ERROR_OUT_OF_MEMORY;
    size_t n = 0;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t k = p->clumps.of[ids[i]][0];
        for (size_t m = p->clumps.begins[k]; m < p->clumps.begins[k + 1]; ++m)
            spheres[n++] = p->clumps.members[m].id;
    }
    result = tact_particles_take_out(p, spheres, members);
    tact_release(env, spheres);
    return result;
}

size_t tact_particles_clump_count(const tact_particles* p)
{
    return p ? p->clumps.count : 0;
}

tact_result tact_particles_read_clumps(tact_particles* p, const tact_clump_output* out)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result alone = tact_spread_check_alone(p, "clumps");
    if (alone != TACT_OK) return alone;
    if (!out) return tact_null(&p->context->env, "output");
    tact_result result = tact_particles_check_turns(p);
    if (result == TACT_OK) result = tact_particles_recall(p);
    const tact_clump_table* t = &p->clumps;
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    for (size_t k = 0; k < t->count && result == TACT_OK; ++k) {
        const tact_clump_motion* m = &p->mirror.clumps[k];
        const TactVec w = tact_clump_spun(t, k, m);
        const float spin[3] = {w.x, w.y, w.z};
        if (out->ids) out->ids[k] = t->members[t->begins[k]].id;
        if (out->counts) out->counts[k] = (uint32_t)(t->begins[k + 1] - t->begins[k]);
        if (out->positions) memcpy(out->positions + 3 * k, m->place, sizeof spin);
        if (out->velocities) memcpy(out->velocities + 3 * k, m->velocity, sizeof spin);
        if (out->spins) memcpy(out->spins + 3 * k, spin, sizeof spin);
        if (out->orientations) memcpy(out->orientations + 4 * k, m->turn, sizeof m->turn);
        if (out->masses) out->masses[k] = 1.0f / t->bodies[k].inverse_mass;
    }
    tact_float_env_leave(&float_env);
    return result;
}

/// The motions that are written, if all is well with them.
static tact_result check_written(tact_particles* p, const uint32_t* ids, size_t count, const tact_clump_arrays* arrays,
                                 tact_clump_motion* motions)
{
    const tact_clump_table* t = &p->clumps;
    tact_result result = TACT_OK;
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        size_t k = i;
        if (ids) result = find(p, ids[i], &k);
        if (result != TACT_OK) return result;
        motions[i] = p->mirror.clumps[k];
        result = set_motion(p, &t->bodies[k], arrays, i, &motions[i]);
        for (size_t n = t->begins[k]; n < t->begins[k + 1] && result == TACT_OK; ++n) {
            float x[3];
            place_of(p, &motions[i], &t->members[n], x);
            result = tact_particles_check_place(p, n - t->begins[k], x);
            if (result != TACT_OK) result = tact_fail_within(&p->context->env, result, "clump %zu of those given: ", i);
        }
    }
    return result;
}

tact_result tact_particles_write_clumps(tact_particles* p, const uint32_t* ids, size_t count,
                                        const tact_clump_arrays* arrays)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result alone = tact_spread_check_alone(p, "clumps");
    if (alone != TACT_OK) return alone;
    tact_env* env = &p->context->env;
    if (!arrays) return tact_null(env, "arrays");
    tact_result result = tact_particles_check_turns(p);
    if (result == TACT_OK) result = tact_particles_recall(p);
    if (result != TACT_OK || count == 0) return result;
    if (!ids && count != p->clumps.count)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%zu of %zu clumps, and no ids", count, p->clumps.count);
    tact_clump_motion* motions = tact_allocate(env, count, sizeof *motions);
    if (!motions) return TACT_ERROR_OUT_OF_MEMORY;
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    result = check_written(p, ids, count, arrays, motions);
    if (result == TACT_OK) result = tact_particles_edit(p);
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        const size_t k = ids ? p->clumps.of[ids[i]][0] : i;
        p->mirror.clumps[k] = motions[i];
        put_members(p, k);
    }
    tact_float_env_leave(&float_env);
    tact_release(env, motions);
    return result;
}

tact_result tact_particles_clump_spheres(tact_particles* p, uint32_t id, uint32_t* spheres, size_t capacity,
                                         size_t* count)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &p->context->env;
    if (!count) return tact_null(env, "count");
    if (capacity > 0 && !spheres) return tact_null(env, "spheres");
    *count = 0;
    size_t k;
    tact_result result = tact_particles_recall(p);
    if (result == TACT_OK) result = find(p, id, &k);
    if (result != TACT_OK) return result;
    const size_t begin = p->clumps.begins[k];
    *count = p->clumps.begins[k + 1] - begin;
    for (size_t n = 0; n < *count && n < capacity; ++n)
        spheres[n] = p->clumps.members[begin + n].id;
    return *count > capacity ? TACT_INCOMPLETE : TACT_OK;
}
