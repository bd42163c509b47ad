// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Force programs on the CPU: a block of particles at a time, an operation after the other, so that compilers make lanes
// of the loops.

#include "cpu_ref/particles/program.h"

#include <string.h>

#include "base/parallel.h"
#include "kernels/particle_program.h"

enum { GRAIN = 16 * TACT_PROGRAM_BLOCK };

const char* const tact_program_input_names[TACT_PROGRAM_INPUTS] = {"x",  "y", "z", "vx", "vy", "vz",       "wx",   "wy",
                                                                   "wz", "r", "m", "t",  "id", "material", "group"};
const char* const tact_program_output_names[TACT_PROGRAM_OUTPUTS] = {"fx", "fy", "fz", "tx", "ty", "tz"};

uint32_t tact_program_operands(tact_program_code code)
{
    if (code < TACT_PROGRAM_NEGATE) return 0;
    if (code < TACT_PROGRAM_ADD) return 1;
    return code < TACT_PROGRAM_SELECT ? 2 : 3;
}

bool tact_program_turns(const tact_particle_model* model)
{
    // Those of the caller go the same way.
    bool turns = model->torque_count > 0;
    for (int k = TACT_PROGRAM_TORQUE; k < TACT_PROGRAM_OUTPUTS && model->program; ++k)
        turns = turns || model->program->outputs[k] != TACT_PROGRAM_NONE;
    return model->program && turns;
}

float tact_program_time(const tact_particle_model* model, uint32_t substep)
{
    return (float)(model->step_begin + ((double)model->first_substep + (double)substep) * model->substep_time);
}

void tact_program_room_free(tact_env* env, tact_program_room* room)
{
    tact_release(env, room->forces);
    tact_release(env, room->torques);
    tact_release(env, room->rows);
    *room = (tact_program_room){0};
}

uint64_t tact_program_room_bytes(const tact_program_room* room)
{
    return (room->force_capacity + room->torque_capacity) * sizeof *room->forces +
           room->row_capacity * sizeof *room->rows;
}

/// A run over all particles.
typedef struct acting {
    const tact_particle_model* model;
    const tact_force_program* program;
    tact_program_room* room;
    tact_program_look* look;
    const void* of;
    float time;
    bool turns;
    TACT_ATOMIC(uint64_t) unforced;
} acting;

static float input_of(const tact_grain_self* g, uint32_t input, float time)
{
    const tact_particle_self* p = &g->p;
    switch ((tact_program_input)input) {
        case TACT_PROGRAM_X:
            return tact_contact_number(p->x);
        case TACT_PROGRAM_Y:
            return tact_contact_number(p->y);
        case TACT_PROGRAM_Z:
            return tact_contact_number(p->z);
        case TACT_PROGRAM_VX:
            return tact_contact_number(p->vx);
        case TACT_PROGRAM_VY:
            return tact_contact_number(p->vy);
        case TACT_PROGRAM_VZ:
            return tact_contact_number(p->vz);
        case TACT_PROGRAM_WX:
            return tact_contact_number(g->spin.x);
        case TACT_PROGRAM_WY:
            return tact_contact_number(g->spin.y);
        case TACT_PROGRAM_WZ:
            return tact_contact_number(g->spin.z);
        case TACT_PROGRAM_R:
            return p->radius;
        case TACT_PROGRAM_M:
            return tact_contact_number(tact_div(1.0f, p->inverse_mass));
        case TACT_PROGRAM_T:
            return tact_contact_number(time);
        case TACT_PROGRAM_ID:
            return tact_exact_float((int32_t)p->id);
        case TACT_PROGRAM_MATERIAL:
            return (float)p->material;
        case TACT_PROGRAM_GROUP:
            return (float)p->group;
        case TACT_PROGRAM_INPUTS:
        default:
            TACT_ASSERT(false);
            return 0.0f;
    }
}

static void fill(float* to, float value)
{
    for (size_t k = 0; k < TACT_PROGRAM_BLOCK; ++k)
        to[k] = value;
}

// Loops over a block. Rows are other rows or the very same.
#define EACH(expression)                              \
    for (size_t k = 0; k < TACT_PROGRAM_BLOCK; ++k) { \
        to[k] = expression;                           \
    }                                                 \
    break;

static void compute(tact_program_code code, float* to, const float* a, const float* b, const float* c)
{
    switch (code) {
        case TACT_PROGRAM_NEGATE:
            EACH(tact_program_negate(a[k]))
        case TACT_PROGRAM_SQRT:
            EACH(tact_program_sqrt(a[k]))
        case TACT_PROGRAM_ABS:
            EACH(tact_program_abs(a[k]))
        case TACT_PROGRAM_FLOOR:
            EACH(tact_program_floor(a[k]))
        case TACT_PROGRAM_ADD:
            EACH(tact_program_add(a[k], b[k]))
        case TACT_PROGRAM_SUBTRACT:
            EACH(tact_program_subtract(a[k], b[k]))
        case TACT_PROGRAM_MULTIPLY:
            EACH(tact_program_multiply(a[k], b[k]))
        case TACT_PROGRAM_DIVIDE:
            EACH(tact_program_divide(a[k], b[k]))
        case TACT_PROGRAM_MIN:
            EACH(tact_program_min(a[k], b[k]))
        case TACT_PROGRAM_MAX:
            EACH(tact_program_max(a[k], b[k]))
        case TACT_PROGRAM_LESS:
            EACH(tact_program_less(a[k], b[k]))
        case TACT_PROGRAM_AT_MOST:
            EACH(tact_program_at_most(a[k], b[k]))
        case TACT_PROGRAM_EQUAL:
            EACH(tact_program_equal(a[k], b[k]))
        case TACT_PROGRAM_SELECT:
            EACH(tact_program_select(a[k], b[k], c[k]))
        case TACT_PROGRAM_READ:
        case TACT_PROGRAM_CONSTANT:
        case TACT_PROGRAM_PARAMETER:
        default:
            TACT_ASSERT(false);
    }
}

/// Works out a block. What rows have beyond `count` is of no use.
static void evaluate(const acting* s, const tact_grain_self* selves, size_t count, float (*rows)[TACT_PROGRAM_BLOCK])
{
    const tact_force_program* program = s->program;
    for (uint32_t n = 0; n < program->op_count; ++n) {
        const tact_program_op* op = &program->ops[n];
        TACT_ASSERT(op->row < program->row_count);
        float* to = rows[op->row];
        const float* from[3] = {to, to, to};
        for (uint32_t k = 0; k < tact_program_operands(op->code); ++k) {
            TACT_ASSERT(op->from[k] < n);
            from[k] = rows[program->ops[op->from[k]].row];
        }
        if (op->code == TACT_PROGRAM_READ) {
            fill(to, 0.0f);
            for (size_t k = 0; k < count; ++k)
                to[k] = input_of(&selves[k], op->what, s->time);
        } else if (op->code == TACT_PROGRAM_CONSTANT) {
            fill(to, as_float(op->what));
        } else if (op->code == TACT_PROGRAM_PARAMETER) {
            fill(to, tact_contact_number(s->model->program_values[op->what]));
        } else {
            compute(op->code, to, from[0], from[1], from[2]);
        }
    }
}

/// Adds three outputs to what was given. False when that is not finite: it is then what was given.
static bool put(const acting* s, size_t k, const float given[3], int output, float (*rows)[TACT_PROGRAM_BLOCK],
                float to[3])
{
    float sums[3];
    for (int i = 0; i < 3; ++i) {
        const uint16_t op = s->program->outputs[output + i];
        sums[i] = tact_program_both(given[i], op != TACT_PROGRAM_NONE ? rows[s->program->ops[op].row][k] : 0.0f);
    }
    const bool finite = tact_program_finite(sums[0], sums[1], sums[2]);
    memcpy(to, finite ? sums : given, sizeof sums);
    return finite;
}

static void act_range(size_t begin, size_t end, int worker, void* user)
{
    acting* s = user;
    static const float none[3] = {0.0f, 0.0f, 0.0f};
    const tact_particle_model* m = s->model;
    float(*rows)[TACT_PROGRAM_BLOCK] = s->room->rows + (size_t)worker * s->program->row_count;
    uint64_t unforced = 0;
    for (size_t first = begin; first < end; first += TACT_PROGRAM_BLOCK) {
        const size_t count = end - first < TACT_PROGRAM_BLOCK ? end - first : TACT_PROGRAM_BLOCK;
        tact_grain_self selves[TACT_PROGRAM_BLOCK];
        s->look(s->of, first, count, selves);
        evaluate(s, selves, count, rows);
        for (size_t k = 0; k < count; ++k) {
            const uint32_t id = selves[k].p.id;
            TACT_ASSERT(id < m->id_end);
            bool good = put(s, k, id < m->force_count ? m->forces[id] : none, 0, rows, s->room->forces[id]);
            if (s->turns) {
                const float* given = id < m->torque_count ? m->torques[id] : none;
                good = put(s, k, given, TACT_PROGRAM_TORQUE, rows, s->room->torques[id]) && good;
            }
            unforced += !good && !selves[k].p.ghost;
        }
    }
    s->unforced += unforced;
}

tact_result tact_program_act(tact_env* env, tact_program_room* room, const tact_particle_model* model, uint32_t substep,
                             size_t count, tact_program_look* look, const void* of, tact_particle_model* with,
                             tact_particle_counters* counters)
{
    const tact_force_program* program = model->program;
    const size_t threads = model->threads > 1 ? (size_t)model->threads : 1, ids = model->id_end;
    acting s = {.model = model,
                .program = program,
                .room = room,
                .look = look,
                .of = of,
                .time = tact_program_time(model, substep),
                .turns = tact_program_turns(model)};
    TACT_ASSERT(program && program->op_count > 0 && program->row_count > 0);
    if (!tact_reserve(env, (void**)&room->forces, &room->force_capacity, 0, ids, sizeof *room->forces) ||
        (s.turns &&
         !tact_reserve(env, (void**)&room->torques, &room->torque_capacity, 0, ids, sizeof *room->torques)) ||
        !tact_reserve(env, (void**)&room->rows, &room->row_capacity, 0, threads * program->row_count,
                      sizeof *room->rows)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    tact_parallel_for(model->threads, count, GRAIN, act_range, &s);
    with->forces = (const float(*)[3])room->forces;
    with->force_count = ids;
    if (s.turns) {
        with->torques = (const float(*)[3])room->torques;
        with->torque_count = ids;
    }
    counters->unforced += s.unforced;
    return TACT_OK;
}

void tact_program_look_at_state(const void* of, size_t begin, size_t count, tact_grain_self* selves)
{
    const tact_particle_state* state = of;
    for (size_t k = 0; k < count; ++k) {
        if (state->turns) {
            selves[k] = tact_grain_of(state, begin + k);
        } else {
            selves[k] = (tact_grain_self){.p = tact_particle_self_of(state, begin + k)};
        }
    }
}
