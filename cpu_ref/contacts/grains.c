// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/contacts/grains.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"

enum { CONTACT_PIECE = 256, BODY_PIECE = 256 };

static float4 turn_of(const tact_pose* pose)
{
    return (float4){pose->rotation.x, pose->rotation.y, pose->rotation.z, pose->rotation.w};
}

static TactVec vec_of(tact_vec3 v)
{
    return tact_vec(v.x, v.y, v.z);
}

static tact_vec3 vec3_of(TactVec v)
{
    return (tact_vec3){v.x, v.y, v.z};
}

static float dot(TactVec a, TactVec b)
{
    return tact_dot3(a.x, a.y, a.z, b.x, b.y, b.z);
}

static TactVec minus(TactVec a, TactVec b)
{
    return tact_vec(a.x - b.x, a.y - b.y, a.z - b.z);
}

static bool is_moved(const tact_grain_body* b)
{
    return b->solid.inverse_mass > 0.0f;
}

void tact_grain_body_face(tact_grain_body* b, const tact_pose* pose)
{
    const float4 turn = turn_of(pose);
    b->arm = tact_clump_out(turn, b->center);
    if (is_moved(b)) b->spin = tact_clump_spin(b->solid, turn, b->momentum);
}

double tact_grain_body_give(const tact_grain_body* b)
{
    const TactClumpBody* s = &b->solid;
    if (!is_moved(b)) return 0.0;
    // No eigenvalue of a tensor is above the sum of its diagonal.
    const double most = (double)s->xx + (double)s->yy + (double)s->zz;
    return (double)s->inverse_mass + (double)s->reach * (double)s->reach * most;
}

void tact_body_grains_index(const tact_body_grains_job* job, uint32_t* begins, uint32_t* rows, uint32_t* first)
{
    memset(begins, 0, (job->body_end + 1) * sizeof *begins);
    memset(first, 0, (job->body_end + 1) * sizeof *first);
    for (size_t i = 0; i < job->count; ++i) {
        TACT_ASSERT(job->contacts[i].a < job->body_end && job->contacts[i].b < job->body_end);
        ++begins[job->contacts[i].b];
        ++first[job->contacts[i].a];
    }
    uint32_t as = 0, bs = 0;
    for (size_t k = 0; k <= job->body_end; ++k) {
        const uint32_t a = first[k], b = begins[k];
        first[k] = as;
        begins[k] = bs;
        as += a;
        bs += b;
    }
    for (size_t i = 0; i < job->count; ++i)
        rows[begins[job->contacts[i].b]++] = (uint32_t)i;
    // Each has gone to where the next begins.
    memmove(begins + 1, begins, job->body_end * sizeof *begins);
    begins[0] = 0;
}

// ---- What contacts do ----

/// What a contact's two bodies are in it.
typedef struct side {
    const tact_grain_body* body;
    float4 turn;
    TactVec from;  ///< of its centre of mass from the contact's origin
} side;

static side side_of(const tact_body_grains_job* job, uint32_t id, uint32_t origin)
{
    const tact_pose *own = &job->poses[id].pose, *at = &job->poses[origin].pose;
    const TactVec arm = job->bodies[id].arm;
    const TactVec from =
        tact_vec((float)(own->x - at->x) + arm.x, (float)(own->y - at->y) + arm.y, (float)(own->z - at->z) + arm.z);
    return (side){&job->bodies[id], turn_of(own), from};
}

/// One by the mass that a body resists with at `arm` along a direction.
static float give_of(const side* s, TactVec arm, TactVec n)
{
    if (!is_moved(s->body)) return 0.0f;
    const TactVec turned = tact_cross3(arm.x, arm.y, arm.z, n.x, n.y, n.z);
    return s->body->solid.inverse_mass + dot(turned, tact_clump_spin(s->body->solid, s->turn, turned));
}

static void add_torque(float sum[3], TactVec arm, TactVec force, TactVec turn)
{
    const TactVec t = tact_clump_torque(tact_vec(sum[0], sum[1], sum[2]), arm, force, turn);
    sum[0] = t.x;
    sum[1] = t.y;
    sum[2] = t.z;
}

static void push_point(const tact_body_grains_job* job, const tact_contact* c, int k, const side sides[2],
                       const TactGrainRule* rule, tact_point_memory* kept, tact_body_grain_push* push,
                       tact_grain_load* load)
{
    const tact_grain_body *a = sides[0].body, *b = sides[1].body;
    const TactVec at = vec_of(c->point[k].at), n = vec_of(c->normal);
    const TactVec arm_a = minus(at, sides[0].from), arm_b = minus(at, sides[1].from);
    const TactVec va = tact_clump_velocity(a->velocity, a->spin, arm_a);
    const TactVec vb = tact_clump_velocity(b->velocity, b->spin, arm_b);
    const tact_grain_meeting m = {.touch = {n.x, n.y, n.z, -c->point[k].separation, 1},
                                  .slip = minus(vb, va),
                                  .spin = minus(b->spin, a->spin),
                                  .radius = tact_div(1.0f, a->curvature + b->curvature),
                                  .inverse_mass = give_of(&sides[0], arm_a, n) + give_of(&sides[1], arm_b, n),
                                  .rule = rule};
    TactGrainMemory* memory = &kept->springs;
    const TactGrainMemory before = *memory;
    const TactGrainPush p =
        tact_grain_push(m.touch, m.slip, m.spin, m.radius, m.inverse_mass, *rule, job->motion.dt, memory);
    const tact_grain_energy energy = tact_grain_energy_of(&m, &p, &before, memory, (double)job->motion.dt);
    const TactVec back = tact_vec(-p.force.x, -p.force.y, -p.force.z);
    add_torque(load->torque_a, arm_a, p.force, p.turn);
    add_torque(load->torque_b, arm_b, back, tact_vec(-p.turn.x, -p.turn.y, -p.turn.z));
    load->force[0] += back.x;
    load->force[1] += back.y;
    load->force[2] += back.z;
    load->taken += energy.dissipated * (double)job->motion.dt;
    load->elastic += energy.elastic;
    load->held += energy.held;
    kept->held = energy.held;
    load->deepest = fmax(load->deepest, (double)m.touch.depth);
    ++load->points;
    push->force[k] = vec3_of(back);
    push->slid[k] = (tact_vec3){memory->sx, memory->sy, memory->sz};
}

static void push_contacts(size_t begin, size_t end, int worker, void* user)
{
    const tact_body_grains_job* job = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        const tact_contact* c = &job->contacts[i];
        const side sides[2] = {side_of(job, c->a, c->origin), side_of(job, c->b, c->origin)};
        const bool acts = is_moved(sides[0].body) || is_moved(sides[1].body);
        const TactGrainRule* rule =
            &job->rules[sides[0].body->material * TACT_PARTICLE_MATERIALS + sides[1].body->material];
        job->loads[i] = (tact_grain_load){0};
        job->pushes[i] = (tact_body_grain_push){0};
        for (int k = 0; k < TACT_CONTACT_MOST_POINTS; ++k) {
            tact_point_memory* memory = &job->memory[TACT_CONTACT_MOST_POINTS * i + (size_t)k];
            job->loads[i].had += memory->held;
            if (acts && k < (int)c->count && c->point[k].separation < 0.0f) {
                push_point(job, c, k, sides, rule, memory, &job->pushes[i], &job->loads[i]);
            } else {
                *memory = (tact_point_memory){.springs = tact_grain_forgotten()};
            }
        }
    }
}

void tact_body_grains_push(const tact_body_grains_job* job)
{
    tact_parallel_for(job->threads, job->count, CONTACT_PIECE, push_contacts, (void*)job);
}

// ---- Motion ----

/// Sums what a body's contacts do, in ascending order: so threads make no difference.
static void gather(const tact_body_grains_job* job, size_t id, double load[6])
{
    tact_grain_body* b = &job->bodies[id];
    for (int k = 0; k < 6; ++k)
        load[k] = 0.0;
    for (uint32_t i = job->begins[id]; i < job->begins[id + 1]; ++i) {
        const tact_grain_load* l = &job->loads[job->rows[i]];
        for (int k = 0; k < 3; ++k) {
            load[k] += (double)l->force[k];
            load[3 + k] += (double)l->torque_b[k];
        }
    }
    for (uint32_t i = job->first[id]; i < job->first[id + 1]; ++i) {
        const tact_grain_load* l = &job->loads[i];
        for (int k = 0; k < 3; ++k) {
            load[k] -= (double)l->force[k];
            load[3 + k] += (double)l->torque_a[k];
        }
        b->taken += l->taken;
    }
}

static double dot_of(const double load[3], TactVec v)
{
    return load[0] * (double)v.x + load[1] * (double)v.y + load[2] * (double)v.z;
}

/// Adds what the caller's forces give to a body and drag takes from it; of one that contacts do not move, what its
/// surface gives to others. `v`, `w`: before the substep.
static void account(const tact_body_grains_job* job, tact_grain_body* b, TactVec v, TactVec w)
{
    const double dt = (double)job->motion.dt;
    if (!is_moved(b)) {
        b->given -= dt * (dot_of(b->load, b->velocity) + dot_of(b->load + 3, b->spin));
        return;
    }
    const double force[3] = {(double)b->force.x, (double)b->force.y, (double)b->force.z};
    const double torque[3] = {(double)b->torque.x, (double)b->torque.y, (double)b->torque.z};
    b->given += 0.5 * dt * (dot_of(force, v) + dot_of(force, b->velocity));
    b->given += 0.5 * dt * (dot_of(torque, w) + dot_of(torque, b->spin));
    const double lost = 1.0 / (double)job->motion.drag - 1.0;
    const double v2 = (double)v.x * (double)v.x + (double)v.y * (double)v.y + (double)v.z * (double)v.z;
    b->taken += lost * v2 / (double)b->solid.inverse_mass;
}

/// How far a turn takes a point at `reach` at most.
static double swing_of(float4 from, float4 to, double reach)
{
    const double q[4] = {(double)from.x, (double)from.y, (double)from.z, (double)from.w};
    const double r[4] = {(double)to.x, (double)to.y, (double)to.z, (double)to.w};
    // The vector part of `to` times the conjugate of `from`.
    const double x = r[0] * q[3] - r[3] * q[0] - r[1] * q[2] + r[2] * q[1];
    const double y = r[1] * q[3] - r[3] * q[1] - r[2] * q[0] + r[0] * q[2];
    const double z = r[2] * q[3] - r[3] * q[2] - r[0] * q[1] + r[1] * q[0];
    return 2.0 * reach * sqrt(x * x + y * y + z * z);
}

static double held(double x)
{
    return fmin(fmax(x, -TACT_MOST_PLACE), TACT_MOST_PLACE);
}

/// Puts a body where its centre of mass is moved to, and turns it.
static void place(tact_grain_body* b, tact_pose* pose, float4 turn, double dt)
{
    const float4 before = turn_of(pose);
    const double way[3] = {dt * (double)b->velocity.x, dt * (double)b->velocity.y, dt * (double)b->velocity.z};
    const TactVec arm = b->arm;
    pose->rotation = (tact_quat){turn.x, turn.y, turn.z, turn.w};
    tact_grain_body_face(b, pose);
    pose->x = held(pose->x + way[0] + ((double)arm.x - (double)b->arm.x));
    pose->y = held(pose->y + way[1] + ((double)arm.y - (double)b->arm.y));
    pose->z = held(pose->z + way[2] + ((double)arm.z - (double)b->arm.z));
    b->shifted = true;
    b->moved +=
        sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]) + swing_of(before, turn, (double)b->solid.reach);
}

static void move_body(const tact_body_grains_job* job, size_t id)
{
    tact_grain_body* b = &job->bodies[id];
    tact_pose* pose = &job->poses[id].pose;
    const float dt = job->motion.dt;
    gather(job, id, b->load);
    b->slowed = false;
    if (!is_moved(b)) {
        account(job, b, b->velocity, b->spin);
        const bool still = dot(b->velocity, b->velocity) == 0.0f && dot(b->spin, b->spin) == 0.0f;
        if (!still) place(b, pose, tact_grain_turned(turn_of(pose), b->spin, dt), (double)dt);
        return;
    }
    TactMotion motion = job->motion;
    motion.speed_limit = tact_div(0.5f * b->inner, dt);
    const TactVec force =
        tact_vec((float)b->load[0] + b->force.x, (float)b->load[1] + b->force.y, (float)b->load[2] + b->force.z);
    const TactVec torque =
        tact_vec((float)b->load[3] + b->torque.x, (float)b->load[4] + b->torque.y, (float)b->load[5] + b->torque.z);
    const TactClump before = {tact_vec(0.0f, 0.0f, 0.0f), b->velocity, b->momentum, turn_of(pose), 0};
    const TactClump after = tact_clump_moved(before, b->solid, force, torque, motion);
    const TactVec v = b->velocity, w = b->spin;
    b->velocity = after.drift;
    b->momentum = after.momentum;
    b->slowed = after.slowed != 0;
    place(b, pose, after.pose, (double)dt);
    account(job, b, v, w);
}

static void move_bodies(size_t begin, size_t end, int worker, void* user)
{
    const tact_body_grains_job* job = user;
    (void)worker;
    for (size_t id = begin; id < end; ++id)
        move_body(job, id);
}

void tact_body_grains_move(const tact_body_grains_job* job)
{
    tact_parallel_for(job->threads, job->body_end, BODY_PIECE, move_bodies, (void*)job);
}
