// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Force programs: forces on particles that follow from where they are and how they move, as the caller's text says
/// (tact/particle_programs.h). A program is a list of operations without branches, each with one value. The operations
/// are those of kernels/particle_program.h. Forces are worked out at the start of each substep, for each particle by
/// itself, and then act as forces of the caller do.

#include "cpu_ref/particles/particles.h"

enum {
    TACT_PROGRAM_OPS = 1024,    ///< operations at most, what is read among them
    TACT_PROGRAM_BLOCK = 64,    ///< particles that are worked out together
    TACT_PROGRAM_NONE = 0xffff  ///< no value
};

/// What an operation does.
typedef enum tact_program_code {
    TACT_PROGRAM_READ,       ///< what a particle has: tact_program_input
    TACT_PROGRAM_CONSTANT,   ///< a number
    TACT_PROGRAM_PARAMETER,  ///< a number that may change between steps
    TACT_PROGRAM_NEGATE,     ///< of one value, as what follows
    TACT_PROGRAM_SQRT,
    TACT_PROGRAM_ABS,
    TACT_PROGRAM_FLOOR,
    TACT_PROGRAM_ADD,  ///< of two
    TACT_PROGRAM_SUBTRACT,
    TACT_PROGRAM_MULTIPLY,
    TACT_PROGRAM_DIVIDE,
    TACT_PROGRAM_MIN,
    TACT_PROGRAM_MAX,
    TACT_PROGRAM_LESS,
    TACT_PROGRAM_AT_MOST,
    TACT_PROGRAM_EQUAL,
    TACT_PROGRAM_SELECT  ///< of three
} tact_program_code;

/// What a program may read, in the order of tact_program_input_names.
typedef enum tact_program_input {
    TACT_PROGRAM_X,
    TACT_PROGRAM_Y,
    TACT_PROGRAM_Z,
    TACT_PROGRAM_VX,
    TACT_PROGRAM_VY,
    TACT_PROGRAM_VZ,
    TACT_PROGRAM_WX,  ///< GRAINS, and the next two
    TACT_PROGRAM_WY,
    TACT_PROGRAM_WZ,
    TACT_PROGRAM_R,
    TACT_PROGRAM_M,
    TACT_PROGRAM_T,
    TACT_PROGRAM_ID,
    TACT_PROGRAM_MATERIAL,
    TACT_PROGRAM_GROUP,
    TACT_PROGRAM_INPUTS
} tact_program_input;
extern const char* const tact_program_input_names[TACT_PROGRAM_INPUTS];

/// What a program gives: forces, and of GRAINS torques.
enum { TACT_PROGRAM_OUTPUTS = 6, TACT_PROGRAM_TORQUE = 3 };
extern const char* const tact_program_output_names[TACT_PROGRAM_OUTPUTS];

typedef struct tact_program_op {
    tact_program_code code;
    uint16_t from[3];  ///< the operations whose values it takes
    uint16_t row;      ///< where its value is while the CPU works it out
    uint32_t what;     ///< READ: a tact_program_input. CONSTANT: its bits. PARAMETER: its number
} tact_program_op;

typedef struct tact_force_program {
    uint32_t op_count, row_count;
    uint16_t outputs[TACT_PROGRAM_OUTPUTS];  ///< operations; NONE: 0
    tact_program_op ops[TACT_PROGRAM_OPS];
} tact_force_program;

/// How many values an operation takes.
uint32_t tact_program_operands(tact_program_code code);

/// Whether a model's program gives torques, or passes on those of the caller.
bool tact_program_turns(const tact_particle_model* model);

/// The time at the start of the substep of this number in a call of an engine, seconds.
float tact_program_time(const tact_particle_model* model, uint32_t substep);

/// Memory of an engine that runs programs; zeros at first.
typedef struct tact_program_room {
    float (*forces)[3], (*torques)[3];  ///< by id
    float (*rows)[TACT_PROGRAM_BLOCK];  ///< of each thread
    size_t force_capacity, torque_capacity, row_capacity;
} tact_program_room;
void tact_program_room_free(tact_env* env, tact_program_room* room);
uint64_t tact_program_room_bytes(const tact_program_room* room);

/// Fetches `count` particles from number `begin` on, `clear` left out.
typedef void tact_program_look(const void* of, size_t begin, size_t count, tact_grain_self* selves);

/// Works out what a model's program does to `count` particles in a substep, which tact_program_time() numbers. `with`
/// gets the forces and torques, those of the caller among them, by id, in memory of the room. Adds to what `counters`
/// count. Errors: OUT_OF_MEMORY.
tact_result tact_program_act(tact_env* env, tact_program_room* room, const tact_particle_model* model, uint32_t substep,
                             size_t count, tact_program_look* look, const void* of, tact_particle_model* with,
                             tact_particle_counters* counters);

/// A tact_program_look of a tact_particle_state.
void tact_program_look_at_state(const void* of, size_t begin, size_t count, tact_grain_self* selves);
