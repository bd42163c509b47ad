// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A solver of rigid bodies on top of the contacts of a set of bodies: impulses in a fixed order, with friction, warm
/// starting and contacts that are a little soft, four substeps a step (Catto: Solver2D, 2024). All arithmetic is
/// + - * / sqrt of doubles, so the poses are the same for every compiler, device and number of threads.

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

enum { SUBSTEPS = 4 };

static const double time_step = 1.0 / 60.0, gravity = -10.0, friction = 0.6, slop = 0.001;
static const double pi = 3.14159265358979323846;

typedef struct vec {
    double x, y, z;
} vec;

/// By columns.
typedef struct mat {
    vec x, y, z;
} mat;

typedef struct rigid {
    vec at, velocity, spin;
    double turn[4];  ///< x, y, z, w
    double mass_inverse;
    mat inertia_inverse;  ///< about its own axes
    mat inertia_world;    ///< the same about the world's axes
    vec moved, turned;    ///< since the contacts were found
    vec start;
} rigid;

/// What the library keeps with a point of a contact.
typedef struct impulses {
    float normal, across[3];
} impulses;

typedef struct point {
    vec from_a, from_b;
    double separation, mass, impulse;
    double mass_across[2], impulse_across[2];
} point;

typedef struct constraint {
    rigid *a, *b;
    vec normal, across[2];
    double softness[3];  ///< of the bias, of the mass, of the impulse
    uint32_t count;
    point point[TACT_CONTACT_MOST_POINTS];
} constraint;

typedef struct world {
    tact_context* context;
    tact_bodies* set;
    rigid* bodies;
    tact_pose* poses;
    constraint* constraints;
    size_t count, capacity, constraint_count, constraint_capacity;
} world;

// ---- Vectors ----

static vec sum(vec a, vec b)
{
    return (vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static vec times(vec a, double t)
{
    return (vec){a.x * t, a.y * t, a.z * t};
}

static vec less(vec a, vec b)
{
    return (vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static double dot(vec a, vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static vec cross(vec a, vec b)
{
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static vec apply(const mat* m, vec v)
{
    return sum(sum(times(m->x, v.x), times(m->y, v.y)), times(m->z, v.z));
}

static vec transposed(const mat* m, vec v)
{
    return (vec){dot(m->x, v), dot(m->y, v), dot(m->z, v)};
}

static mat axes_of(const double q[4])
{
    const double x = q[0], y = q[1], z = q[2], w = q[3];
    return (mat){{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                 {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                 {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
}

// ---- A step ----

static vec velocity_between(const constraint* c, const point* p)
{
    const vec a = sum(c->a->velocity, cross(c->a->spin, p->from_a));
    return less(sum(c->b->velocity, cross(c->b->spin, p->from_b)), a);
}

static void push(const constraint* c, const point* p, vec impulse)
{
    rigid *a = c->a, *b = c->b;
    a->velocity = less(a->velocity, times(impulse, a->mass_inverse));
    a->spin = less(a->spin, apply(&a->inertia_world, cross(p->from_a, impulse)));
    b->velocity = sum(b->velocity, times(impulse, b->mass_inverse));
    b->spin = sum(b->spin, apply(&b->inertia_world, cross(p->from_b, impulse)));
}

/// The mass that an impulse along `way` at the point moves.
static double mass_along(const constraint* c, const point* p, vec way)
{
    const vec a = cross(p->from_a, way), b = cross(p->from_b, way);
    return 1.0 / (c->a->mass_inverse + c->b->mass_inverse + dot(a, apply(&c->a->inertia_world, a)) +
                  dot(b, apply(&c->b->inertia_world, b)));
}

/// A spring of a frequency and ten times the critical damping, as an implicit step sees it.
static void soften(double hertz, double h, double softness[3])
{
    const double omega = 2.0 * pi * hertz, a1 = 20.0 + h * omega, a2 = h * omega * a1;
    softness[0] = omega / a1;
    softness[1] = a2 / (1.0 + a2);
    softness[2] = 1.0 / (1.0 + a2);
}

static void prepare(world* w, const tact_contact* contact, const impulses* kept, constraint* c)
{
    const vec n = {(double)contact->normal.x, (double)contact->normal.y, (double)contact->normal.z};
    const double side = n.x * n.x < 0.5 ? 1.0 : 0.0;
    const vec t = cross(n, (vec){side, 1.0 - side, 0.0});
    c->a = &w->bodies[contact->a];
    c->b = &w->bodies[contact->b];
    c->normal = n;
    c->across[0] = times(t, 1.0 / sqrt(dot(t, t)));
    c->across[1] = cross(n, c->across[0]);
    c->count = contact->count;
    const bool fixed = c->a->mass_inverse == 0.0 || c->b->mass_inverse == 0.0;
    const vec origin = w->bodies[contact->origin].at;
    soften(fixed ? 60.0 : 30.0, time_step / SUBSTEPS, c->softness);
    for (uint32_t k = 0; k < c->count; ++k) {
        const tact_contact_point* from = &contact->point[k];
        point* p = &c->point[k];
        const vec at = {(double)from->at.x, (double)from->at.y, (double)from->at.z};
        p->from_a = sum(at, less(origin, c->a->at));
        p->from_b = sum(at, less(origin, c->b->at));
        p->separation = (double)from->separation;
        p->mass = mass_along(c, p, n);
        p->impulse = (double)kept[k].normal;
        const vec across = {(double)kept[k].across[0], (double)kept[k].across[1], (double)kept[k].across[2]};
        for (int i = 0; i < 2; ++i) {
            p->mass_across[i] = mass_along(c, p, c->across[i]);
            p->impulse_across[i] = dot(across, c->across[i]);
        }
    }
}

static vec impulse_across(const constraint* c, const point* p)
{
    return sum(times(c->across[0], p->impulse_across[0]), times(c->across[1], p->impulse_across[1]));
}

static void keep(const constraint* c, impulses* kept)
{
    for (uint32_t k = 0; k < c->count; ++k) {
        const vec across = impulse_across(c, &c->point[k]);
        kept[k] = (impulses){(float)c->point[k].impulse, {(float)across.x, (float)across.y, (float)across.z}};
    }
}

static void rub(constraint* c, point* p)
{
    double wanted[2], size = 0.0;
    const vec v = velocity_between(c, p), before = impulse_across(c, p);
    for (int i = 0; i < 2; ++i) {
        wanted[i] = p->impulse_across[i] - p->mass_across[i] * dot(v, c->across[i]);
        size += wanted[i] * wanted[i];
    }
    const double most = friction * p->impulse, scale = size > most * most ? most / sqrt(size) : 1.0;
    p->impulse_across[0] = wanted[0] * scale;
    p->impulse_across[1] = wanted[1] * scale;
    push(c, p, less(impulse_across(c, p), before));
}

/// `soft`: overlap is pushed out; without, what that has added to velocities is taken back.
static void solve(constraint* c, bool soft)
{
    const double per_second = SUBSTEPS / time_step;
    for (uint32_t k = 0; k < c->count; ++k)
        rub(c, &c->point[k]);
    for (uint32_t k = 0; k < c->count; ++k) {
        point* p = &c->point[k];
        const vec a = sum(c->a->moved, cross(c->a->turned, p->from_a));
        const vec b = sum(c->b->moved, cross(c->b->turned, p->from_b));
        const double apart = p->separation + dot(less(b, a), c->normal);
        double bias = 0.0, mass = 1.0, part = 0.0;
        if (apart > 0.0) {
            bias = apart * per_second;
        } else if (soft) {
            bias = apart + slop < 0.0 ? c->softness[0] * (apart + slop) : 0.0;
            bias = bias < -3.0 ? -3.0 : bias;
            mass = c->softness[1];
            part = c->softness[2];
        }
        const double speed = dot(velocity_between(c, p), c->normal), before = p->impulse;
        const double wanted = before - p->mass * mass * (speed + bias) - part * before;
        p->impulse = wanted > 0.0 ? wanted : 0.0;
        push(c, p, times(c->normal, p->impulse - before));
    }
}

static void solve_all(world* w, bool soft)
{
    for (size_t i = 0; i < w->constraint_count; ++i)
        solve(&w->constraints[i], soft);
}

/// A matrix about a body's own axes as it is about the world's.
static mat turned_mat(const mat* axes, const mat* own)
{
    vec column[3];
    for (int i = 0; i < 3; ++i) {
        const vec unit = {i == 0 ? 1.0 : 0.0, i == 1 ? 1.0 : 0.0, i == 2 ? 1.0 : 0.0};
        column[i] = apply(axes, apply(own, transposed(axes, unit)));
    }
    return (mat){column[0], column[1], column[2]};
}

static void turn_inertia(rigid* b)
{
    const mat axes = axes_of(b->turn);
    b->inertia_world = turned_mat(&axes, &b->inertia_inverse);
}

static void move(rigid* b, double h)
{
    const vec d = times(b->velocity, h), t = times(b->spin, h);
    b->moved = sum(b->moved, d);
    b->turned = sum(b->turned, t);
    b->at = sum(b->at, d);
    double *q = b->turn, length = 0.0;
    const vec v = {q[0], q[1], q[2]}, side = sum(times(t, q[3]), cross(t, v));
    const double w = q[3] - 0.5 * dot(t, v);
    q[0] += 0.5 * side.x;
    q[1] += 0.5 * side.y;
    q[2] += 0.5 * side.z;
    q[3] = w;
    for (int i = 0; i < 4; ++i)
        length += q[i] * q[i];
    for (int i = 0; i < 4; ++i)
        q[i] /= sqrt(length);
}

/// Makes a constraint of each contact.
static bool find(world* w, const tact_query_options* options, tact_contact_changes* changes)
{
    size_t count;
    const tact_contacts_work work = {.count = &count};
    for (size_t i = 0; i < w->count; ++i) {
        const rigid* b = &w->bodies[i];
        tact_pose* p = &w->poses[i];
        p->x = b->at.x;
        p->y = b->at.y;
        p->z = b->at.z;
        p->rotation = (tact_quat){(float)b->turn[0], (float)b->turn[1], (float)b->turn[2], (float)b->turn[3]};
    }
    if (tact_bodies_move(w->set, NULL, w->poses, w->count) != TACT_OK ||
        tact_contacts_find(w->set, &work, options, NULL) != TACT_OK ||
        tact_contacts_changes(w->set, changes) != TACT_OK) {
        return false;
    }
    if (count > w->constraint_capacity) {
        constraint* more = realloc(w->constraints, 2 * count * sizeof *more);
        if (!more) return false;
        w->constraints = more;
        w->constraint_capacity = 2 * count;
    }
    const impulses* kept = changes->data;
    for (size_t i = 0; i < count; ++i)
        prepare(w, &changes->contacts[i], kept + i * TACT_CONTACT_MOST_POINTS, &w->constraints[i]);
    w->constraint_count = count;
    return true;
}

static bool step(world* w, const tact_query_options* options)
{
    const double h = time_step / SUBSTEPS;
    tact_contact_changes changes;
    for (size_t i = 0; i < w->count; ++i) {
        turn_inertia(&w->bodies[i]);
        w->bodies[i].moved = w->bodies[i].turned = (vec){0, 0, 0};
    }
    if (!find(w, options, &changes)) return false;
    for (int s = 0; s < SUBSTEPS; ++s) {
        for (size_t i = 0; i < w->count; ++i)
            if (w->bodies[i].mass_inverse > 0.0) w->bodies[i].velocity.y += h * gravity;
        for (size_t i = 0; i < w->constraint_count; ++i) {
            const constraint* c = &w->constraints[i];
            for (uint32_t k = 0; k < c->count; ++k)
                push(c, &c->point[k], sum(times(c->normal, c->point[k].impulse), impulse_across(c, &c->point[k])));
        }
        solve_all(w, true);
        for (size_t i = 0; i < w->count; ++i)
            move(&w->bodies[i], h);
        solve_all(w, false);
    }
    impulses* kept = changes.data;
    for (size_t i = 0; i < w->constraint_count; ++i)
        keep(&w->constraints[i], kept + i * TACT_CONTACT_MOST_POINTS);
    return true;
}
