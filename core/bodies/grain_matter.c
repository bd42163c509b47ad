// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What shapes of bodies amount to. Shapes are measured at scale 1, and what comes of it is scaled.

#include "core/bodies/grain_matter.h"

#include <float.h>
#include <string.h>

#include "base/float_env.h"
#include "core/bodies/core_solid.h"
#include "core/particles/laws.h"

static tact_env* env_of(const tact_bodies* set)
{
    return &set->context->env;
}

// ---- Compounds ----

/// A part of a compound, and where it is there.
typedef struct part {
    tact_core_solid solid;
    double scale, axes[3][3];
    dvec at;
} part;

static void get_part(const tact_shape_tables* t, uint32_t shape, uint32_t i, part* p)
{
    const size_t first = t->shapes[TACT_SHAPE_ROWS * (size_t)shape].y;
    const float4* rows = t->points + first + TACT_CHILD_POINTS * (size_t)i;
    const tact_quat turn = {rows[1].x, rows[1].y, rows[1].z, rows[1].w};
    tact_quat_axes(&turn, p->axes);
    p->at = d_make((double)rows[0].x, (double)rows[0].y, (double)rows[0].z);
    p->scale = (double)rows[0].w;
    tact_core_solid_make(&p->solid, t, as_uint(rows[2].x));
}

static uint32_t part_count(const tact_shape_tables* t, uint32_t shape)
{
    return t->bounds[shape].part_count;
}

/// A vector of the part in the compound's frame.
static dvec turned_out(const part* p, dvec v)
{
    const double(*a)[3] = (const double(*)[3])p->axes;
    return d_make(a[0][0] * v.x + a[0][1] * v.y + a[0][2] * v.z, a[1][0] * v.x + a[1][1] * v.y + a[1][2] * v.z,
                  a[2][0] * v.x + a[2][1] * v.y + a[2][2] * v.z);
}

/// A place of the compound's frame as the part's solid has it.
static dvec into_part(const part* p, dvec x)
{
    const double(*a)[3] = (const double(*)[3])p->axes;
    const dvec v = d_sub(x, p->at);
    const dvec own =
        d_make(a[0][0] * v.x + a[1][0] * v.y + a[2][0] * v.z, a[0][1] * v.x + a[1][1] * v.y + a[2][1] * v.z,
               a[0][2] * v.x + a[1][2] * v.y + a[2][2] * v.z);
    return d_sub(d_scale(own, 1.0 / p->scale), p->solid.base);
}

/// The part's moments about its solid's base, along the compound's axes and in its units.
static tact_solid_moments turned_moments(const part* p)
{
    const tact_solid_moments* m = &p->solid.moments;
    const double s = p->scale, s3 = s * s * s, *q = m->second;
    const dvec first = turned_out(p, d_make(m->first[0], m->first[1], m->first[2]));
    const dvec rows[3] = {turned_out(p, d_make(q[0], q[3], q[4])), turned_out(p, d_make(q[3], q[1], q[5])),
                          turned_out(p, d_make(q[4], q[5], q[2]))};
    const dvec x = turned_out(p, d_make(rows[0].x, rows[1].x, rows[2].x)),
               y = turned_out(p, d_make(rows[0].y, rows[1].y, rows[2].y)),
               z = turned_out(p, d_make(rows[0].z, rows[1].z, rows[2].z));
    const double second[6] = {x.x, y.y, z.z, y.x, z.x, z.y};
    tact_solid_moments r = {.volume = s3 * m->volume, .first = {s3 * s * first.x, s3 * s * first.y, s3 * s * first.z}};
    for (int k = 0; k < 6; ++k)
        r.second[k] = s3 * s * s * second[k];
    return r;
}

// ---- Shapes ----

/// A shape of scale 1.
typedef struct lump {
    const tact_shape_tables* tables;
    uint32_t shape;
    bool parts;  ///< it is a compound, or else has:
    tact_core_solid solid;
    dvec base;                   ///< places are from there
    tact_solid_moments moments;  ///< about it
    double inner;                ///< of the smallest part of a compound
} lump;

static void add_parts(lump* l)
{
    l->inner = HUGE_VAL;
    for (uint32_t i = 0; i < part_count(l->tables, l->shape); ++i) {
        part p;
        get_part(l->tables, l->shape, i, &p);
        // One without volume is no matter.
        if (!(p.solid.moments.volume > 0.0)) continue;
        const tact_solid_moments m = turned_moments(&p);
        const dvec base = d_along(p.at, p.scale, turned_out(&p, p.solid.base));
        tact_solid_add(&l->moments, &m, d_sub(base, l->base));
        l->inner = fmin(l->inner, p.scale * tact_core_solid_depth(&p.solid, tact_solid_center(&p.solid.moments)));
    }
}

static void measure_shape(lump* l, const tact_shape_tables* t, uint32_t shape)
{
    l->tables = t;
    l->shape = shape;
    l->parts = t->shapes[TACT_SHAPE_ROWS * (size_t)shape].x == TACT_KIND_COMPOUND;
    if (l->parts) {
        const tact_shape_bounds* b = &t->bounds[shape];
        l->base = d_make(0.5 * (b->lower[0] + b->upper[0]), 0.5 * (b->lower[1] + b->upper[1]),
                         0.5 * (b->lower[2] + b->upper[2]));
        l->moments = (tact_solid_moments){0};
        add_parts(l);
    } else {
        tact_core_solid_make(&l->solid, t, shape);
        l->base = l->solid.base;
        l->moments = l->solid.moments;
    }
}

static double inner_of(const lump* l, dvec center)
{
    if (l->parts) return l->inner;
    const double inner = tact_core_solid_depth(&l->solid, center);
    return inner > 0.0 ? inner : tact_core_solid_depth(&l->solid, tact_solid_center(&l->moments));
}

static double reach_of(const lump* l, dvec center)
{
    if (!l->parts) return tact_core_solid_reach(&l->solid, center);
    double most = 0.0;
    for (uint32_t i = 0; i < part_count(l->tables, l->shape); ++i) {
        part p;
        get_part(l->tables, l->shape, i, &p);
        most = fmax(most, p.scale * tact_core_solid_reach(&p.solid, into_part(&p, d_add(center, l->base))));
    }
    return most;
}

// ---- Matter ----

static tact_result check_shape(const tact_bodies* set, uint32_t shape)
{
    if (shape >= set->shape_count)
        return tact_fail(env_of(set), TACT_ERROR_INVALID_ARGUMENT, "no shape %u", (unsigned)shape);
    const uint32_t kind = set->tables.shapes[TACT_SHAPE_ROWS * (size_t)shape].x;
    if (kind <= TACT_KIND_HULL || kind == TACT_KIND_COMPOUND) return TACT_OK;
    return tact_fail(env_of(set), TACT_ERROR_INVALID_ARGUMENT, "shape %u, %s, is not measured", (unsigned)shape,
                     kind == TACT_KIND_HALF_SPACE ? "a half-space" : "a mesh or height field");
}

static tact_result check_matter(tact_env* env, const tact_body_matter* m)
{
    const struct {
        const char* name;
        float value;
    } numbers[] = {{"density", m->density}, {"mass", m->mass}, {"radius", m->radius}};
    if (m->mass == INFINITY)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a body of infinite mass is not measured");
    tact_result result = TACT_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && result == TACT_OK; ++i)
        result = tact_grains_check_number(env, "a body", numbers[i].name, numbers[i].value, 0.0f, FLT_MAX);
    for (int k = 0; k < 3 && m->center && result == TACT_OK; ++k) {
        if (!isfinite(m->center[k]))
            result = tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a centre of mass at %g", m->center[k]);
    }
    for (int k = 0; k < 6 && m->inertia && result == TACT_OK; ++k) {
        if (!isfinite(m->inertia[k]))
            result = tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a tensor of inertia with %g", m->inertia[k]);
    }
    return result;
}

/// The radius of the ball of a volume. The fourth root of x^3 y has a quarter of the error of y, as a power.
static double ball_radius(double volume)
{
    const double cube = volume * (3.0 / (4.0 * 3.14159265358979323846));
    double radius = 1.0;
    for (int i = 0; i < 40; ++i)
        radius = sqrt(sqrt(cube * radius));
    return radius;
}

static double radius_of(const lump* l, const tact_body_matter* matter, double scale, double volume)
{
    if (matter->radius > 0.0f) return (double)matter->radius;
    const bool round = !l->parts && l->solid.core.kind <= TACT_KIND_CAPSULE;
    return round ? scale * (double)l->solid.core.radius : ball_radius(volume);
}

/// What a shape with volume amounts to, at a scale.
static tact_body_measures measures_of(const lump* l, double scale, const tact_body_matter* matter)
{
    tact_body_measures m = {.volume = scale * scale * scale * l->moments.volume};
    const double density = matter->density > 0.0f ? (double)matter->density : 1000.0;
    m.mass = matter->mass > 0.0f ? (double)matter->mass : m.volume * density;
    const double* given = matter->center;
    dvec center = tact_solid_center(&l->moments);
    const dvec at = d_scale(d_add(l->base, center), scale);
    if (given) center = d_sub(d_scale(d_make(given[0], given[1], given[2]), 1.0 / scale), l->base);
    for (int k = 0; k < 3; ++k)
        m.center[k] = given ? given[k] : d_at(at, k);
    const double about[3] = {center.x, center.y, center.z};
    tact_solid_inertia(&l->moments, about, m.inertia);
    for (int k = 0; k < 6; ++k)
        m.inertia[k] = matter->inertia ? matter->inertia[k] : m.mass * scale * scale * m.inertia[k];
    m.reach = scale * reach_of(l, center);
    m.inner = scale * inner_of(l, center);
    m.radius = radius_of(l, matter, scale, m.volume);
    return m;
}

tact_result tact_body_matter_measure(const tact_bodies* set, uint32_t shape, float scale, const tact_body_matter* given,
                                     tact_body_measures* out)
{
    tact_env* env = env_of(set);
    const tact_body_matter none = {0}, *matter = given ? given : &none;
    tact_result result = check_shape(set, shape);
    if (result != TACT_OK) return result;
    if (!tact_take_scale(&scale)) return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a scale of %g", (double)scale);
    result = check_matter(env, matter);
    if (result != TACT_OK) return result;
    lump l;
    measure_shape(&l, &set->tables, shape);
    const bool solid = l.moments.volume > 0.0;
    const tact_body_measures m = solid ? measures_of(&l, (double)scale, matter) : (tact_body_measures){0};
    if (!(m.volume > 0.0 && m.inner > 0.0))
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "shape %u has no volume", (unsigned)shape);
    if (!(isfinite(m.mass) && isfinite(m.reach) && tact_solid_is_inertia(m.inertia)))
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                         "shape %u: no body has a mass of %g and a tensor of inertia with xx %g", (unsigned)shape,
                         m.mass, m.inertia[0]);
    *out = m;
    return TACT_OK;
}

tact_result tact_body_measure(const tact_bodies* set, uint32_t shape, float scale, const tact_body_matter* matter,
                              tact_body_measures* measures)
{
    if (!tact_enter(set ? set->context : NULL, "set")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!measures) return tact_null(env_of(set), "measures");
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    const tact_result result = tact_body_matter_measure(set, shape, scale, matter, measures);
    tact_float_env_leave(&float_env);
    return result;
}
