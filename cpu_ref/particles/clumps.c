// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include <string.h>

#include "cpu_ref/particles/particles.h"
#include "kernels/particle_move.h"

static TactVec vec_of(const float v[4])
{
    return tact_vec(v[0], v[1], v[2]);
}

static float4 turn_of(const tact_clump_motion* m)
{
    return (float4){m->turn[0], m->turn[1], m->turn[2], m->turn[3]};
}

static void put_vec(float to[4], TactVec v)
{
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
    to[3] = 0.0f;
}

bool tact_clump_table_make(tact_env* env, tact_clump_table* t, size_t clumps, size_t members, size_t id_end)
{
    *t = (tact_clump_table){.id_end = id_end};
    t->bodies = tact_allocate(env, clumps + 1, sizeof *t->bodies);
    t->begins = tact_allocate_zeroed(env, clumps + 1, sizeof *t->begins);
    t->members = tact_allocate(env, members + 1, sizeof *t->members);
    t->of = tact_allocate(env, id_end + 1, sizeof *t->of);
    if (t->bodies && t->begins && t->members && t->of) return true;
    tact_clump_table_free(env, t);
    return false;
}

void tact_clump_table_free(tact_env* env, tact_clump_table* t)
{
    tact_release(env, t->bodies);
    tact_release(env, t->begins);
    tact_release(env, t->members);
    tact_release(env, t->of);
    *t = (tact_clump_table){0};
}

void tact_clump_table_index(tact_clump_table* t)
{
    memset(t->of, 0xff, t->id_end * sizeof *t->of);
    for (size_t k = 0; k < t->count; ++k) {
        for (size_t n = t->begins[k]; n < t->begins[k + 1]; ++n) {
            TACT_ASSERT(t->members[n].id < t->id_end);
            t->of[t->members[n].id][0] = (uint32_t)k;
            t->of[t->members[n].id][1] = (uint32_t)n;
        }
    }
}

void tact_clump_table_append(tact_clump_table* to, const tact_clump_table* from, size_t k)
{
    const size_t begin = to->begins[to->count], count = from->begins[k + 1] - from->begins[k];
    // Within one table it moves forwards at most.
    memmove(to->members + begin, from->members + from->begins[k], count * sizeof *to->members);
    to->bodies[to->count] = from->bodies[k];
    to->begins[++to->count] = begin + count;
}

TactVec tact_clump_arm(const tact_clump_motion* m, const tact_clump_member* member)
{
    return tact_clump_out(turn_of(m), tact_vec(member->offset[0], member->offset[1], member->offset[2]));
}

void tact_clump_push(tact_clump_load* load, TactVec arm, TactVec force, TactVec torque)
{
    load->force.x += force.x;
    load->force.y += force.y;
    load->force.z += force.z;
    load->torque = tact_clump_torque(load->torque, arm, force, torque);
}

void tact_clump_advance(const tact_particle_model* model, size_t k, tact_clump_motion* m, const tact_clump_load* load,
                        tact_particle_counters* counters)
{
    TACT_ASSERT(k < model->clumps->count);
    const TactClump before = {vec_of(m->place), vec_of(m->velocity), vec_of(m->momentum), turn_of(m), 0};
    TactClump c = tact_clump_moved(before, model->clumps->bodies[k], load->force, load->torque, model->motion);
    const float dt = model->motion.dt;
    const TactAxisMove x = tact_move_axis(model->grid.x, model->domain.x, c.place.x, c.drift.x, dt);
    const TactAxisMove y = tact_move_axis(model->grid.y, model->domain.y, c.place.y, c.drift.y, dt);
    const TactAxisMove z = tact_move_axis(model->grid.z, model->domain.z, c.place.z, c.drift.z, dt);
    if (c.slowed != 0) ++counters->slowed;
    put_vec(m->place, tact_vec(x.place, y.place, z.place));
    put_vec(m->velocity, tact_vec(x.speed, y.speed, z.speed));
    put_vec(m->momentum, c.momentum);
    memcpy(m->turn, &c.pose, sizeof m->turn);
}

TactVec tact_clump_lead(const tact_particle_model* model, const tact_clump_motion* m, TactVec arm, const float from[3])
{
    const float dt = model->motion.dt;
    return tact_vec(tact_clump_aim(model->grid.x, from[0], m->place[0], arm.x, dt),
                    tact_clump_aim(model->grid.y, from[1], m->place[1], arm.y, dt),
                    tact_clump_aim(model->grid.z, from[2], m->place[2], arm.z, dt));
}

TactVec tact_clump_spun(const tact_clump_table* table, size_t k, const tact_clump_motion* m)
{
    return tact_clump_spin(table->bodies[k], turn_of(m), vec_of(m->momentum));
}

void tact_clump_follow(const tact_clump_table* table, size_t k, const tact_clump_motion* m, TactVec w, TactVec arm,
                       float velocity[4], float spin[4], float turn[4])
{
    const TactVec v = tact_clump_velocity(vec_of(m->velocity), w, arm);
    put_vec(velocity, v);
    velocity[3] = table->bodies[k].inverse_mass;
    put_vec(spin, w);
    memcpy(turn, m->turn, sizeof m->turn);
}
