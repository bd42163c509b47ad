// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// What raycast.kernel and gpu/trace/ agree on.
#ifndef TACT_RAYCAST_LAYOUT_H
#define TACT_RAYCAST_LAYOUT_H

// The first three are tact_ray_mode of the public header. LIST writes every hit, after the number of its ray, and TALLY
// how many there are for it to write, one word a ray. FLAGS is ANY with one bit a ray, which is 0 before.
#define TACT_RAY_MODE_CLOSEST 0u
#define TACT_RAY_MODE_ANY 1u
#define TACT_RAY_MODE_COUNT 2u
#define TACT_RAY_MODE_LIST 3u
#define TACT_RAY_MODE_TALLY 4u
#define TACT_RAY_MODE_FLAGS 5u

#define TACT_RAY_PHASE_LONG 1u
#define TACT_RAY_PHASE_RESUME 2u

// Words of an unfinished ray's slot: ray, whether unfinished, stack size, row of the instance (NONE outside of a mesh),
// best instance, primitive, t, u, v, count, then the stack, of so many places and one more.
#define TACT_RAY_SLOT 1152u
#define TACT_RAY_SLOT_STACK 12u
#define TACT_RAY_STACK 562u

#endif
