// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What the benchmark of the filter is measured against: the potentially colliding set as it was published
/// (Govindaraju, Redon, Lin and Manocha, CULLIDE: Interactive Collision Detection between Complex Models in Large
/// Environments using Graphics Hardware, 2003), with the queries of a pass all in flight. On OpenGL.
///
/// In each of three views along the axes objects are gone through in order: each is asked by an occlusion query whether
/// any of it is at or behind what has been drawn so far, then drawn. The same in reverse order. Those of which nothing
/// was, in both passes, collide with nothing and are left out. Repeated until three views leave out nothing more.

#include "apps/problem.h"
#include "tact/mesh_filter.h"

typedef struct tact_plain_cullide tact_plain_cullide;

/// False when the program was built without it: without OpenGL, or with a shared library.
bool tact_plain_cullide_is_there(void);

/// Shapes on the host, uploaded. The context outlives it.
bool tact_plain_cullide_create(tact_context* context, const tact_filter_shape* shapes, size_t shape_count,
                               uint32_t resolution, tact_plain_cullide** plain, tact_problem* problem);
/// NULL is allowed.
void tact_plain_cullide_destroy(tact_plain_cullide* plain);

typedef struct tact_plain_cullide_count {
    uint64_t left;    ///< objects
    uint32_t rounds;  ///< of three views
    uint64_t draws, queries;
} tact_plain_cullide_count;

/// `left[i]` becomes whether object i is in the potentially colliding set. Of at most `rounds` rounds.
bool tact_plain_cullide_run(tact_plain_cullide* plain, const tact_filter_object* objects, size_t count, uint32_t rounds,
                            bool* left, tact_plain_cullide_count* counted, tact_problem* problem);
