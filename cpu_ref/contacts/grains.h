// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Bodies that move as grains: what their contacts do to them, and where that takes them. This arithmetic is what
/// defines both, for all backends; docs/grains.md states it in prose.

#include "cpu_ref/contacts/contacts.h"
#include "cpu_ref/particles/grain_energy.h"
#include "kernels/grain_clump.h"
#include "tact/body_grains.h"

/// How a body moves. All zeros: nothing moves it.
typedef struct tact_grain_body {
    TactClumpBody solid;     ///< an inverse mass of 0: contacts do not move it, and the rest is not read
    TactVec center;          ///< of mass, in the body's frame; zeros without finite mass
    float inner;             ///< no more than half of this is moved in a substep
    float curvature;         ///< one by the radius at contacts; 0: flat
    uint8_t material;        ///< index into the rules
    bool slowed;             ///< in the last substep
    bool shifted;            ///< since the set's box of it was last worked out
    TactVec velocity, spin;  ///< of the centre of mass
    TactVec momentum;        ///< angular, about it; without finite mass zeros
    TactVec force, torque;   ///< the caller's
    TactVec arm;             ///< of the centre of mass from the body's position, along the world's axes
    double load[6];          ///< force and torque of all contacts in the last substep
    double moved;            ///< how far any of its points is from where it was when pairs were found, at most
    double taken, given;     ///< J, that contacts and drag took, and forces and surfaces gave, in all
} tact_grain_body;

/// What a point remembers.
typedef struct tact_point_memory {
    TactGrainMemory springs;
    double held;  ///< J, by these
} tact_point_memory;

/// What a contact does to its bodies.
typedef struct tact_grain_load {
    float force[3];                  ///< on b; the opposite on a
    float torque_a[3], torque_b[3];  ///< about their centres of mass
    double taken;                    ///< J, in the substep
    double elastic;                  ///< J
    double had, held;                ///< J, by springs with a memory, before and after
    double deepest;                  ///< m; 0: nothing pushes
    uint32_t points;                 ///< that push
} tact_grain_load;

/// The contacts of a substep.
typedef struct tact_body_grains_job {
    const tact_contact* contacts;
    size_t count;
    tact_point_memory* memory;     ///< TACT_CONTACT_MOST_POINTS of each contact, brought on by the substep
    tact_body_grain_push* pushes;  ///< of each contact
    tact_grain_load* loads;        ///< likewise
    const TactGrainRule* rules;    ///< TACT_PARTICLE_MATERIALS squared
    tact_body* poses;              ///< by id
    tact_grain_body* bodies;       ///< by id
    size_t body_end;
    /// Of each body the contacts whose b it is: rows[begins[id]] to before rows[begins[id + 1]], ascending.
    const uint32_t *begins, *rows;
    const uint32_t* first;  ///< of each body the first contact whose a it is, or later; body_end + 1 of them
    TactMotion motion;      ///< without a speed limit
    int threads;
} tact_body_grains_job;

/// Writes begins, rows and first of a job. They have room for 2 (body_end + 1) and for one of each contact.
void tact_body_grains_index(const tact_body_grains_job* job, uint32_t* begins, uint32_t* rows, uint32_t* first);

/// Works out loads and pushes of all contacts. Bodies have their arms.
void tact_body_grains_push(const tact_body_grains_job* job);

/// Moves all bodies on by a substep, in `poses` and `bodies`.
void tact_body_grains_move(const tact_body_grains_job* job);

/// Brings arms and spins of a body up to date with its pose.
void tact_grain_body_face(tact_grain_body* body, const tact_pose* pose);

/// Returns the most that a point of a body gives way to a force: its inverse mass and what turning adds at its reach.
double tact_grain_body_give(const tact_grain_body* body);
