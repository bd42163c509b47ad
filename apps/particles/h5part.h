// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// H5Part: a file of HDF5 with a group for each frame, in which each number of the particles is an array (A. Adelmann,
/// A. Gsell, B. Oswald, T. Schietinger, W. Bethel, J. Shalf, C. Siegerist, K. Stockinger: Progress on H5Part, 2007).
/// Particles are in order of id, whatever number of ranks writes them.

#include "apps/particles/frames.h"

/// A file being written.
typedef struct tact_h5part tact_h5part;

/// Begins a file that is at `path` once it is ended; what is there stays until then. With ranks, which see the same
/// folder, this and what follows are calls of all of them, as of a series. `ranks` NULL: there is one process. A tool
/// that is built without HDF5: exit code 3.
bool tact_h5part_begin(const char* path, const tact_tool_ranks* ranks, tact_h5part** file, tact_problem* problem);

/// Adds a frame at a time, s, after the one before: with ranks `frame` is the part of this one.
bool tact_h5part_add(tact_h5part* file, double time, const tact_particle_frame* frame, tact_problem* problem);

/// Ends a file, which is NULL where none was begun, and puts it in its place if it is `good`; else it is removed. With
/// ranks those on which it is good call this together.
bool tact_h5part_end(tact_h5part* file, bool good, tact_problem* problem);
