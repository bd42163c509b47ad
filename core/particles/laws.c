// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Laws of contacts: what numbers a caller may give, and what kernels get of them.

#include <math.h>

#include "core/particles/particles.h"

static const double pi = 3.14159265358979323846;

/// The restitution of a spring with a dashpot of this damping ratio that never pulls (Schwager, Poeschel, "Coefficient
/// of restitution and linear-dashpot model revisited", 2007).
static double restitution_of(double ratio)
{
    if (ratio < 1.0) {
        const double w = sqrt(1.0 - ratio * ratio);
        return exp(-(ratio / w) * (pi - atan2(2.0 * ratio * w, 1.0 - 2.0 * ratio * ratio)));
    }
    if (ratio == 1.0) return exp(-2.0);
    const double w = sqrt(ratio * ratio - 1.0);
    return exp(-(ratio / w) * log((ratio + w) / (ratio - w)));
}

static double damping_ratio(double restitution)
{
    double low = 0.0, high = 64.0;
    for (int i = 0; i < 200; ++i) {
        const double middle = 0.5 * (low + high);
        if (restitution_of(middle) > restitution)
            low = middle;
        else
            high = middle;
    }
    return restitution >= 1.0 ? 0.0 : 0.5 * (low + high);
}

TactContactRule tact_particles_rule(const tact_particle_material* rule, float stiffness)
{
    const TactContactRule r = {stiffness, (float)(2.0 * damping_ratio((double)rule->restitution)), rule->friction,
                               2.0f * rule->tangential_damping};
    return r;
}

/// How deep a contact is taken to be, by the largest radius, where the slope of its spring depends on that.
#define HERTZ_DEPTH 0.1

TactGrainRule tact_grain_rule_of(TactContactRule rule)
{
    const TactGrainRule r = {.stiffness = rule.stiffness,
                             .shear = (float)((double)rule.stiffness * (2.0 / 7.0)),
                             .normal_damping = rule.normal_damping,
                             .tangential_damping = rule.tangential_damping,
                             .friction = rule.friction};
    return r;
}

/// The acceleration in a collision of Hertz's spring with a dashpot, both in units in which speed, mass and stiffness
/// are 1; never a pull.
static double hertz_push(double depth, double speed, double damping)
{
    const double root = depth > 0.0 ? sqrt(depth) : 0.0;
    const double push = depth * root + damping * sqrt(1.5) * sqrt(root) * speed;
    return push > 0.0 ? -push : 0.0;
}

/// The speed after such a collision by that before: Runge and Kutta's method, until nothing pushes any more.
static double hertz_restitution(double damping)
{
    const double h = 0x1p-9, most = 64.0;
    double x = 0.0, v = 1.0;
    for (double t = 0.0; t < most; t += h) {
        const double a1 = hertz_push(x, v, damping);
        if (t > 0.0 && a1 == 0.0) break;
        const double v2 = v + 0.5 * h * a1, a2 = hertz_push(x + 0.5 * h * v, v2, damping);
        const double v3 = v + 0.5 * h * a2, a3 = hertz_push(x + 0.5 * h * v2, v3, damping);
        const double v4 = v + h * a3, a4 = hertz_push(x + h * v3, v4, damping);
        x += h / 6.0 * (v + 2.0 * (v2 + v3) + v4);
        v += h / 6.0 * (a1 + 2.0 * (a2 + a3) + a4);
    }
    return -v;
}

/// What a dashpot is to be by the root of slope and mass (Tsuji, Tanaka, Ishida, "Lagrangian numerical simulation of
/// plug flow of cohesionless particles in a horizontal pipe", 1992), so that a collision has a restitution. Every
/// operation is rounded alike on all machines, and so is this.
static float hertz_damping(float restitution)
{
    double low = 0.0, high = 64.0;
    for (int i = 0; i < 40 && restitution < 1.0f; ++i) {
        const double middle = 0.5 * (low + high);
        if (hertz_restitution(middle) > (double)restitution) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return restitution < 1.0f ? (float)(0.5 * (low + high)) : 0.0f;
}

tact_result tact_grains_check_number(tact_env* env, const char* of, const char* name, float value, float least,
                                     float most)
{
    if (value >= least && value <= most) return TACT_OK;
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s's %s is %g, which must be from %g to %g", of, name,
                     (double)value, (double)least, (double)most);
}

tact_result tact_grain_check_law(tact_env* env, const tact_grain_law* law)
{
    if ((unsigned)law->springs > TACT_GRAIN_HERTZ)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no springs %d", (int)law->springs);
    const struct {
        const char* name;
        float value, least, most;
    } numbers[] = {
        {"stiffness", law->stiffness, 1e-20f, 1e20f},
        {"shear", law->shear, 0.0f, 1e20f},
        {"restitution", law->restitution, 0.01f, 1.0f},
        {"tangential_damping", law->tangential_damping, 0.0f, 1e3f},
        {"friction", law->friction, 0.0f, 1e6f},
        {"rolling_friction", law->rolling_friction, 0.0f, 1e6f},
        {"twisting_friction", law->twisting_friction, 0.0f, 1e6f},
        {"adhesion", law->adhesion, 0.0f, 1e20f},
        {"cohesion", law->cohesion, 0.0f, 1e20f},
    };
    tact_result result = TACT_OK;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && result == TACT_OK; ++i)
        result = tact_grains_check_number(env, "a law", numbers[i].name, numbers[i].value, numbers[i].least,
                                          numbers[i].most);
    return result;
}

TactGrainRule tact_grain_rule_of_law(const tact_grain_law* law)
{
    TactGrainRule r = {.stiffness = law->stiffness,
                       .shear = law->shear,
                       .tangential_damping = 2.0f * law->tangential_damping,
                       .friction = law->friction,
                       .rolling = law->rolling_friction,
                       .twisting = law->twisting_friction,
                       .adhesion = (float)(2.0 * pi * (double)law->adhesion),
                       .cohesion = (float)(2.0 * pi * (double)law->cohesion),
                       .hertz = law->springs == TACT_GRAIN_HERTZ};
    if (r.hertz) {
        r.normal_damping = hertz_damping(law->restitution);
        r.stiffness = (float)(4.0 / 3.0 * (double)law->stiffness);
        r.shear = (float)(8.0 * (double)law->shear);
    } else {
        const tact_particle_material m = {law->stiffness, law->restitution, law->friction, law->tangential_damping};
        r.normal_damping = tact_particles_rule(&m, law->stiffness).normal_damping;
    }
    return r;
}

double tact_grain_slope(const TactGrainRule* r, double radius)
{
    const double by = r->hertz ? sqrt(0.5 * radius * HERTZ_DEPTH * radius) : 1.0;
    const double normal = (r->hertz ? 1.5 : 1.0) * (double)r->stiffness * by, shear = 3.5 * (double)r->shear * by;
    return normal > shear ? normal : shear;
}

double tact_grains_stable_step(const tact_particles* p)
{
    double least = (double)INFINITY;
    for (uint32_t i = 0; i < p->material_count * p->material_count; ++i) {
        const TactGrainRule* r =
            &p->grain_rules[i / p->material_count * TACT_PARTICLE_MATERIALS + i % p->material_count];
        const double contact = pi * sqrt(0.5 * (double)p->least_mass / tact_grain_slope(r, (double)p->max_radius));
        const double damping = (double)fmaxf(r->normal_damping, r->tangential_damping);
        const double damped = damping > 1.0 ? contact / damping : contact;
        least = damped < least ? damped : least;
    }
    for (uint32_t i = 0; i < TACT_BOND_KINDS && p->bond_slope > 0.0f; ++i) {
        const double bond = pi * sqrt(0.5 * (double)p->least_mass / (double)p->bond_slope);
        const double damping = (double)p->bond_rules[i].damping, damped = damping > 1.0 ? bond / damping : bond;
        least = damped < least ? damped : least;
    }
    return least / 20.0;
}

/// The least power of two that is not below a number, within what floats have room for.
static float power_above(double x)
{
    int exponent;
    if (!(x > 1e-30)) return 0x1p-100f;
    const double fraction = frexp(x, &exponent);
    if (fraction == 0.5) --exponent;
    return ldexpf(1.0f, exponent < 100 ? exponent : 100);
}

void tact_grains_set_units(tact_particles* p)
{
    const double radius = (double)p->max_radius;
    double most = 0.0;
    for (uint32_t i = 0; i < p->material_count * p->material_count; ++i) {
        const TactGrainRule* r =
            &p->grain_rules[i / p->material_count * TACT_PARTICLE_MATERIALS + i % p->material_count];
        // As deep as the radius, against a surface, and what holds it.
        const double by = r->hertz ? radius * radius : radius;
        const double hold = (double)r->adhesion + (double)r->cohesion * radius;
        const double force = (double)r->stiffness * by + hold * radius;
        most = force > most ? force : most;
    }
    const double bond = (double)p->bond_slope * radius;
    most = bond > most ? bond : most;
    p->model.force_unit = power_above(4.0 * most) / TACT_EXACT_MOST;
    p->model.torque_unit = p->model.force_unit * power_above(radius);
}
