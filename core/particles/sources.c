// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Emitters and sinks. What an emitter lets in depends on the emitter, how many sheets and particles it has let in, and
// the clock alone; it is worked out here, on the host, in double precision, whatever runs the steps.

#include <math.h>

#include "base/float_env.h"
#include "core/particles/clump_table.h"
#include "core/particles/spread.h"

/// An emitter with its defaults filled in, and what follows from them.
typedef struct emitter_plan {
    tact_emitter e;
    double spacing, interval;
    double columns, rows;        ///< of a sheet; 1 at least
    double s_step, t_step;       ///< from one centre to the next, as parts of the edges
    double s_jitter, t_jitter;   ///< most that a centre is moved by, likewise
    double least_mass, density;  ///< mass of the smallest particle
} emitter_plan;

static const double pi = 3.14159265358979323846;

static double dot(tact_vec3 a, tact_vec3 b)
{
    return (double)a.x * (double)b.x + (double)a.y * (double)b.y + (double)a.z * (double)b.z;
}

static bool is_place(tact_vec3 v)
{
    return fabsf(v.x) <= TACT_MAX_COORDINATE && fabsf(v.y) <= TACT_MAX_COORDINATE && fabsf(v.z) <= TACT_MAX_COORDINATE;
}

/// The part of `v` that is square to both edges of the sheet; one that is zero or along the other has no say.
static double speed_across(tact_vec3 v, const tact_vec3 edge[2])
{
    double left[3] = {(double)v.x, (double)v.y, (double)v.z};
    double first[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 2; ++k) {
        double u[3] = {(double)edge[k].x, (double)edge[k].y, (double)edge[k].z};
        const double before = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
        const double along_first = u[0] * first[0] + u[1] * first[1] + u[2] * first[2];
        for (int i = 0; i < 3; ++i)
            u[i] -= along_first * first[i];
        const double length2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
        if (!(length2 > 1e-12 * before)) continue;
        const double length = sqrt(length2);
        const double along = (left[0] * u[0] + left[1] * u[1] + left[2] * u[2]) / length;
        for (int i = 0; i < 3; ++i) {
            left[i] -= along * (u[i] / length);
            if (k == 0) first[i] = u[i] / length;
        }
    }
    return sqrt(left[0] * left[0] + left[1] * left[1] + left[2] * left[2]);
}

/// How many centres fit along a length.
static double centres_along(double length, double spacing)
{
    TACT_ASSERT(length >= 0.0 && spacing > 0.0);
    return floor(length / spacing * 1.000001) + 1.0;
}

static void plan_grid(emitter_plan* plan)
{
    const tact_vec3* edge = plan->e.edge;
    const double length = sqrt(dot(edge[0], edge[0])), other = sqrt(dot(edge[1], edge[1]));
    // Rows lie `spacing` apart, measured square to them, so that a slanted sheet is not denser than a straight one.
    const double along = length > 0.0 ? dot(edge[0], edge[1]) / length : 0.0;
    const double height2 = other * other - along * along;
    const double height = height2 > 0.0 ? sqrt(height2) : 0.0;
    plan->columns = centres_along(length, plan->spacing);
    plan->rows = centres_along(height, plan->spacing);
    TACT_ASSERT(plan->columns >= 1.0 && plan->rows >= 1.0);
    plan->s_step = plan->columns > 1.0 ? plan->spacing / length : 0.0;
    plan->t_step = plan->rows > 1.0 ? plan->spacing / height : 0.0;
    // Two neighbours move by half of the room between them together, along each edge.
    const double most = 0.25 * (double)plan->e.jitter * (plan->spacing - 2.0 * (double)plan->e.radius);
    plan->s_jitter = length > 0.0 ? most / length : 0.0;
    plan->t_jitter = other > 0.0 ? most / other : 0.0;
}

static tact_result bad(tact_particles* p, const char* what, double value)
{
    return tact_fail(&p->context->env, TACT_ERROR_INVALID_ARGUMENT, "an emitter's %s: %g", what, value);
}

static tact_result check_ranges(tact_particles* p, const tact_emitter* e)
{
    if (!is_place(e->corner) || !is_place(e->edge[0]) || !is_place(e->edge[1])) {
        return bad(p, "corner or edge is not finite or too large", (double)e->corner.x);
    }
    const float* v = &e->velocity.x;
    for (int i = 0; i < 3; ++i) {
        if (!(fabsf(v[i]) <= TACT_SPEED_RANGE)) return bad(p, "velocity", (double)v[i]);
    }
    if (!(e->radius > 0.0f && e->radius <= 1e15f)) return bad(p, "radius", (double)e->radius);
    if (!(e->smallest > 0.0f && e->smallest <= e->radius)) return bad(p, "smallest radius", (double)e->smallest);
    if (!(e->spacing >= 2.0f * e->radius && e->spacing <= 1e30f)) {
        return bad(p, "spacing is less than two radii or no number", (double)e->spacing);
    }
    if (!(e->interval >= 0.0f && e->interval <= 1e15f)) return bad(p, "interval", (double)e->interval);
    if (!(e->jitter >= 0.0f && e->jitter <= 1.0f)) return bad(p, "jitter", (double)e->jitter);
    if (!(e->density > 0.0f && e->density <= 1e30f)) return bad(p, "density", (double)e->density);
    if (!(fabs(e->start) <= 1e30)) return bad(p, "start", e->start);
    if (!(fabs(e->stop) <= 1e30)) return bad(p, "stop", e->stop);
    if (e->material >= p->material_count) return bad(p, "material is not there", (double)e->material);
    if (e->group >= TACT_PARTICLE_GROUPS) return bad(p, "group is not there", (double)e->group);
    return TACT_OK;
}

/// Particles must not be let in outside the domain.
static tact_result check_corners(tact_particles* p, const tact_emitter* e)
{
    const float* corner = &e->corner.x;
    const float *a = &e->edge[0].x, *b = &e->edge[1].x;
    const float* lower = &p->desc.domain.lower.x;
    const float* upper = &p->desc.domain.upper.x;
    for (int axis = 0; axis < 3; ++axis) {
        for (int k = 0; k < 4; ++k) {
            const double x = (double)corner[axis] + (k & 1 ? (double)a[axis] : 0.0) + (k & 2 ? (double)b[axis] : 0.0);
            if (!(fabs(x) <= (double)TACT_MAX_COORDINATE)) return bad(p, "sheet reaches", x);
            if (p->desc.boundary[axis] == TACT_BOUNDARY_OPEN) continue;
            const double slack = 1e-6 * ((double)upper[axis] - (double)lower[axis]);
            if (x < (double)lower[axis] - slack || x > (double)upper[axis] + slack) {
                return bad(p, "sheet reaches outside the domain, to", x);
            }
        }
    }
    return TACT_OK;
}

static double mass_of(double density, float radius)
{
    TACT_ASSERT(density > 0.0 && radius > 0.0f);
    const double r = (double)radius;
    return density * (4.0 / 3.0 * pi) * r * r * r;
}

static tact_result make_plan(tact_particles* p, const tact_emitter* given, emitter_plan* plan)
{
    tact_emitter e = *given;
    if (e.radius == 0.0f) e.radius = 0.5f;
    if (e.smallest == 0.0f) e.smallest = e.radius;
    if (e.spacing == 0.0f) e.spacing = 2.1f * e.radius;
    if (e.density == 0.0f) e.density = 1000.0f;
    tact_result result = check_ranges(p, &e);
    if (result == TACT_OK) result = check_corners(p, &e);
    if (result != TACT_OK) return result;
    *plan = (emitter_plan){.e = e, .spacing = (double)e.spacing, .density = (double)e.density};
    plan->interval = (double)e.interval;
    if (e.interval == 0.0f) plan->interval = plan->spacing / speed_across(e.velocity, e.edge);
    if (!(plan->interval > 0.0 && plan->interval <= 1e30))
        return bad(p, "sheets never move on: velocity and interval", 0.0);
    plan_grid(plan);
    if (!(plan->columns * plan->rows <= (double)TACT_MAX_PARTICLES)) {
        return bad(p, "sheet has too many particles", plan->columns * plan->rows);
    }
    plan->least_mass = mass_of(plan->density, e.smallest);
    const float lightest = (float)(1.0 / plan->least_mass), heaviest = (float)(1.0 / mass_of(plan->density, e.radius));
    if (!(isfinite(lightest) && lightest > 0.0f && isfinite(heaviest) && heaviest > 0.0f)) {
        return bad(p, "smallest particles have the mass", plan->least_mass);
    }
    return TACT_OK;
}

/// Makes the system ready for an emitter's radii and masses, so that steps cannot fail for them.
static tact_result make_ready(tact_particles* p, const emitter_plan* plan)
{
    float least = p->min_radius, most = p->max_radius;
    TACT_ASSERT(least <= most || most == 0.0f);
    if (p->desc.max_radius > 0.0f && plan->e.radius > p->desc.max_radius) {
        return bad(p, "radius is above max_radius", (double)plan->e.radius);
    }
    if (plan->e.radius > most) most = plan->e.radius;
    if (least == 0.0f || plan->e.smallest < least) least = plan->e.smallest;
    if (!(least * TACT_MAX_RADIUS_RATIO * 1.000001f >= most)) {
        return tact_fail(&p->context->env, TACT_ERROR_INVALID_ARGUMENT,
                         "with this emitter radii are from %g to %g: the largest may be %g times the smallest",
                         (double)least, (double)most, (double)TACT_MAX_RADIUS_RATIO);
    }
    if (least != p->min_radius || most != p->max_radius) {
        tact_result result = tact_particles_recall(p);
        if (result == TACT_OK) result = tact_particles_edit(p);
        if (result == TACT_OK) result = tact_particles_set_grid(p, most, least);
        if (result != TACT_OK) return result;
    }
    // As the mass comes back from the reciprocal that is kept.
    const float mass = 1.0f / (float)(1.0 / plan->least_mass);
    if (p->least_mass == 0.0f || mass < p->least_mass) p->least_mass = mass;
    tact_particles_changed(p);
    return TACT_OK;
}

/// Checks an emitter and makes the system ready for it, whatever the caller's rounding is.
static tact_result admit(tact_particles* p, const tact_emitter* emitter, emitter_plan* plan)
{
    tact_float_env env;
    tact_float_env_enter(&env);
    tact_result result = make_plan(p, emitter, plan);
    if (result == TACT_OK) result = make_ready(p, plan);
    tact_float_env_leave(&env);
    return result;
}

static double later_of(double a, double b)
{
    return a > b ? a : b;
}

tact_result tact_particles_add_emitter(tact_particles* p, const tact_emitter* emitter, uint32_t* index)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!emitter) return tact_null(&p->context->env, "emitter");
    if (p->emitter_count >= TACT_MAX_EMITTERS) {
        return tact_fail(&p->context->env, TACT_ERROR_LIMIT, "%d emitters are there already", TACT_MAX_EMITTERS);
    }
    emitter_plan plan;
    const tact_result result = admit(p, emitter, &plan);
    if (result != TACT_OK) return result;
    const uint32_t i = p->emitter_count++;
    const tact_emitter_state fresh = {.next = later_of(emitter->start, p->clock.time)};
    p->emitters[i] = *emitter;
    p->emitter_states[i] = fresh;
    p->mirror_emitter_states[i] = fresh;
    if (index) *index = i;
    return TACT_OK;
}

/// When the next sheet is due of an emitter that is now another: no later than its own interval allows.
static double next_due(const tact_particles* p, const emitter_plan* plan, tact_emitter_state s)
{
    const double earliest = later_of(plan->e.start, p->clock.time);
    if (s.sheets == 0) return earliest;
    const double latest = earliest + plan->interval;
    return s.next > latest ? latest : later_of(s.next, plan->e.start);
}

tact_result tact_particles_set_emitter(tact_particles* p, uint32_t index, const tact_emitter* emitter)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!emitter) return tact_null(&p->context->env, "emitter");
    if (index >= p->emitter_count) {
        return tact_fail(&p->context->env, TACT_ERROR_INVALID_ARGUMENT, "no emitter %u", (unsigned)index);
    }
    emitter_plan plan;
    const tact_result result = admit(p, emitter, &plan);
    if (result != TACT_OK) return result;
    p->emitters[index] = *emitter;
    p->emitter_states[index].next = next_due(p, &plan, p->emitter_states[index]);
    if (p->mirror_fresh) p->mirror_emitter_states[index] = p->emitter_states[index];
    return TACT_OK;
}

tact_result tact_particles_add_sink(tact_particles* p, const tact_collider* region, uint32_t* index)
{
    if (!tact_enter(p ? p->context : NULL, "particles")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!region) return tact_null(&p->context->env, "region");
    if (p->sink_count >= TACT_MAX_SINKS) {
        return tact_fail(&p->context->env, TACT_ERROR_LIMIT, "%d sinks are there already", TACT_MAX_SINKS);
    }
    tact_collider still = *region;
    still.velocity = still.spin = (tact_vec3){0.0f, 0.0f, 0.0f};
    const uint32_t i = p->sink_count;
    const tact_result result = tact_particles_make_solid(p, &still, true, &p->sinks[i].solid, &p->sinks[i].mask);
    if (result != TACT_OK) return result;
    p->sink_colliders[i] = still;
    p->sink_count = i + 1;
    tact_particles_changed(p);
    if (index) *index = i;
    return TACT_OK;
}

/// A number in [0, 1) of a particle: the mixing of Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators", 2014, applied to its number and to what the number is for.
static double chance(uint32_t seed, uint64_t number, uint64_t purpose)
{
    uint64_t x = number + ((uint64_t)seed << 32 | purpose) * UINT64_C(0x9e3779b97f4a7c15);
    for (int round = 0; round < 2; ++round) {
        x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
        x ^= x >> 31;
    }
    return (double)(x >> 40) * 0x1p-24;
}

static double within(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

/// A coordinate brought into the domain: a sheet that is late has moved on, perhaps through a wall.
static float into_domain(const tact_particles* p, int axis, double x)
{
    const double lower = (double)(&p->desc.domain.lower.x)[axis], upper = (double)(&p->desc.domain.upper.x)[axis];
    const tact_boundary boundary = p->desc.boundary[axis];
    if (boundary == TACT_BOUNDARY_OPEN) return (float)within(x, -(double)TACT_FARTHEST, (double)TACT_FARTHEST);
    if (boundary == TACT_BOUNDARY_WALL) return (float)within(x, lower, upper);
    // The period as the grid has it.
    const TactGridAxis* const axes[3] = {&p->model.grid.x, &p->model.grid.y, &p->model.grid.z};
    const double period = (double)axes[axis]->period;
    const float wrapped = (float)(x - period * floor((x - lower) / period));
    const float end = axes[axis]->origin + axes[axis]->period;
    return wrapped >= axes[axis]->origin && wrapped < end ? wrapped : axes[axis]->origin;
}

/// Particle `number` of an emitter, at place `cell` of a sheet that has moved on for `late` seconds.
static void make_particle(const tact_particles* p, const emitter_plan* plan, uint64_t number, uint64_t cell,
                          double late, tact_particle_state* to)
{
    const tact_emitter* e = &plan->e;
    const double column = (double)(cell % (uint64_t)plan->columns), row = (double)(cell / (uint64_t)plan->columns);
    double s = 0.5 + (column - 0.5 * (plan->columns - 1.0)) * plan->s_step;
    double t = 0.5 + (row - 0.5 * (plan->rows - 1.0)) * plan->t_step;
    s = within(s + plan->s_jitter * (2.0 * chance(e->seed, number, 1) - 1.0), 0.0, 1.0);
    t = within(t + plan->t_jitter * (2.0 * chance(e->seed, number, 2) - 1.0), 0.0, 1.0);
    const float *corner = &e->corner.x, *a = &e->edge[0].x, *b = &e->edge[1].x, *v = &e->velocity.x;
    const double spread = (double)e->radius - (double)e->smallest;
    float radius = (float)((double)e->smallest + spread * chance(e->seed, number, 3));
    if (radius > e->radius) radius = e->radius;
    const size_t i = to->count++;
    for (int axis = 0; axis < 3; ++axis) {
        const double x = (double)corner[axis] + s * (double)a[axis] + t * (double)b[axis] + late * (double)v[axis];
        to->position[i][axis] = into_domain(p, axis, x);
        to->velocity[i][axis] = v[axis];
    }
    to->position[i][3] = radius;
    to->velocity[i][3] = (float)(1.0 / mass_of(plan->density, radius));
    tact_particle_state_still(to, i);
    to->tag[i][1] = (uint32_t)e->material | (uint32_t)e->group << 8;
}

/// Sheets due now, and particles in them, which are fewer where the emitter's limit is reached.
static tact_result count_due(tact_particles* p, const emitter_plan* plan, const tact_emitter_state* s, double* sheets,
                             uint64_t* particles)
{
    const double now = p->clock.time;
    *sheets = 0.0;
    *particles = 0;
    double until = now;
    if (plan->e.stop != 0.0 && s->next >= plan->e.stop) return TACT_OK;
    if (plan->e.stop != 0.0 && plan->e.stop <= until) until = nextafter(plan->e.stop, -HUGE_VAL);
    if (!(s->next <= until)) return TACT_OK;
    const uint64_t left = plan->e.limit ? plan->e.limit - s->emitted : UINT64_MAX;
    *sheets = floor((until - s->next) / plan->interval) + 1.0;
    const double wanted = *sheets * plan->columns * plan->rows;
    const double allowed = wanted < (double)left ? wanted : (double)left;
    if (!(allowed <= (double)TACT_MAX_PARTICLES)) {
        return tact_fail(&p->context->env, TACT_ERROR_LIMIT,
                         "an emitter is to let in %g particles at once; at most %u fit", allowed,
                         (unsigned)TACT_MAX_PARTICLES);
    }
    *particles = (uint64_t)allowed;
    return TACT_OK;
}

static bool is_due(const tact_particles* p, uint32_t i)
{
    const tact_emitter* e = &p->emitters[i];
    return p->emitter_states[i].next <= p->clock.time && (e->limit == 0 || p->emitter_states[i].emitted < e->limit);
}

/// Appends an emitter's particles that are due, and notes how far it has come.
static tact_result gather(tact_particles* p, uint32_t index, tact_emitter_state* s, tact_particle_state* extra)
{
    emitter_plan plan;
    double sheets = 0.0;
    uint64_t particles = 0;
    tact_result result = make_plan(p, &p->emitters[index], &plan);
    if (result == TACT_OK) result = count_due(p, &plan, s, &sheets, &particles);
    if (result != TACT_OK || sheets == 0.0) return result;
    if (!tact_particle_state_reserve(&p->context->env, extra, extra->count + (size_t)particles)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    const uint64_t each = (uint64_t)(plan.columns * plan.rows);
    for (uint64_t k = 0; k < particles; ++k) {
        const double due = s->next + (double)(k / each) * plan.interval;
        make_particle(p, &plan, s->emitted + k, k % each, later_of(p->clock.time - due, 0.0), extra);
    }
    s->sheets += (uint64_t)within(sheets, 0.0, 0x1p62);
    s->emitted += particles;
    s->next += sheets * plan.interval;
    // An interval too short for the clock's digits.
    if (!(s->next > p->clock.time)) s->next = nextafter(p->clock.time, HUGE_VAL);
    return TACT_OK;
}

static tact_result let_in(tact_particles* p, tact_particle_engine* engine, tact_particle_state* extra, bool* intact)
{
    tact_env* env = &p->context->env;
    uint32_t* ids = tact_allocate(env, extra->count, sizeof *ids);
    if (!ids) return TACT_ERROR_OUT_OF_MEMORY;
    const uint32_t end = p->id_end;
    tact_result result = tact_particles_take_ids(p, extra->count, ids);
    if (result == TACT_OK) {
        const size_t count = extra->count;
        for (size_t i = 0; i < extra->count; ++i)
            extra->tag[i][0] = ids[i];
        if (p->spread) tact_spread_keep(p->spread, extra);
        if (engine->type->append && p->engine_fresh && p->engines[p->home] == engine) {
            result = engine->type->append(engine, extra);
            if (result == TACT_OK) p->mirror_fresh = false;
            if (result == TACT_ERROR_DEVICE_LOST) {
                if (p->mirror_fresh) p->engine_fresh = false;
                *intact = false;
            }
        } else {
            result = tact_particles_insert(p, extra);
            if (result != TACT_OK) *intact = result == TACT_ERROR_OUT_OF_MEMORY;
        }
        if (result != TACT_OK) {
            tact_particles_return_ids(p, ids, count);
            p->id_end = end;
        } else if (p->clock.steps >= p->known_steps) {
            // Particles that come in again have got the same ids as before, and maybe user data since.
            tact_particles_forget_user_data(p, ids, count);
        }
    }
    tact_release(env, ids);
    return result;
}

tact_result tact_particles_emit(tact_particles* p, tact_particle_engine* engine, bool* intact)
{
    tact_emitter_state states[TACT_MAX_EMITTERS];
    tact_particle_state extra = {.turns = p->mirror.turns};
    tact_result result = TACT_OK;
    for (uint32_t i = 0; i < p->emitter_count && result == TACT_OK; ++i) {
        states[i] = p->emitter_states[i];
        if (is_due(p, i)) result = gather(p, i, &states[i], &extra);
    }
    if (result == TACT_OK && extra.count > 0) result = let_in(p, engine, &extra, intact);
    // Only now, so that what could not be let in is due again.
    for (uint32_t i = 0; i < p->emitter_count && result == TACT_OK; ++i)
        p->emitter_states[i] = states[i];
    tact_particle_state_free(&p->context->env, &extra);
    return result;
}

static bool is_in_sink(const tact_particles* p, size_t i)
{
    const uint32_t clump = tact_clump_of(p->model.clumps, p->mirror.tag[i][0]);
    // A clump goes as a whole.
    const float* x = clump == TACT_NONE ? p->mirror.position[i] : p->mirror.clumps[clump].place;
    return tact_particle_is_in(p->sinks, p->sink_count, x[0], x[1], x[2], tact_tag_group(p->mirror.tag[i][1]));
}

static tact_result drain_mirror(tact_particles* p)
{
    tact_result result = tact_particles_fetch(p);
    if (p->spread) result = tact_ranks_agree(p->spread->ranks, result);
    if (result != TACT_OK) return result;
    size_t count = 0;
    for (size_t i = 0; i < p->mirror.count; ++i) {
        if (is_in_sink(p, i)) p->sink_ids[count++] = p->mirror.tag[i][0];
    }
    if (p->spread) return tact_particles_take_out_of_all(p, p->sink_ids, count);
    return count > 0 ? tact_particles_take_out(p, p->sink_ids, count) : TACT_OK;
}

bool tact_particles_reserve_drain(tact_particles* p)
{
    if (p->sink_count == 0) return true;
    return tact_reserve(&p->context->env, (void**)&p->sink_ids, &p->sink_id_capacity, 0, p->count, sizeof *p->sink_ids);
}

tact_result tact_particles_drain(tact_particles* p, tact_particle_engine* engine)
{
    if (p->sink_count == 0 || p->count == 0) return TACT_OK;
    if (!engine->type->drain || p->model.clumps) return drain_mirror(p);
    size_t count = 0;
    const tact_result result = engine->type->drain(engine, p->sinks, p->sink_count, p->sink_ids, &count);
    if (result == TACT_OK && count > 0) {
        tact_particles_return_ids(p, p->sink_ids, count);
        p->mirror_fresh = false;
    }
    return result;
}
