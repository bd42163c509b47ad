// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What a run of `tact particles` writes on its way for other programs: a series of VTK files, and LAMMPS's dump.

#include "apps/ranks.h"
#include "apps/system.h"
#include "tact/particle_forces.h"
#include "tact/particle_grains.h"

/// What the command line asks for. Texts are NULL where an option is not given.
typedef struct tact_frame_choices {
    const char *vtk, *dump, *average, *hdf5;
    tact_average_grid grid;  ///< of `average`; its box is empty where that gives none
} tact_frame_choices;

/// Checks them, and reads the grid.
bool tact_frame_choices_check(tact_frame_choices* choices, tact_problem* problem);

/// A system at one moment, or a rank's part of it, in order of id. Arrays are from malloc.
typedef struct tact_particle_frame {
    uint64_t step;
    tact_boundary boundary[3];
    tact_aabb domain;  ///< open axes: about all particles
    size_t count;
    uint32_t* ids;
    float *positions, *velocities, *radii, *masses;
    uint8_t* materials;
    float *spins, *orientations;   ///< NULL: they do not turn
    tact_contact_force* contacts;  ///< forces are zeros where the response has none
    size_t contact_count;
    tact_average_cell* cells;  ///< NULL: none are asked for
    tact_average_grid grid;
} tact_particle_frame;

/// The contacts with their forces, from malloc: never NULL, but where the response has no forces. `ranks`: those that
/// the system is spread over, for a call of all of them, which gives each its own; NULL: there is one process. False on
/// failure.
bool tact_contact_forces_read(tact_particles* particles, tact_context* context, const tact_tool_ranks* ranks,
                              tact_contact_force** forces, size_t* count, tact_problem* problem);

/// The names of a tact_contact_force's parts as NumPy writes them.
extern const char tact_contact_force_descr[];

/// Adds a frame to LAMMPS's text dump of atoms.
bool tact_dump_write(FILE* file, const tact_particle_frame* frame);

/// Writes the files of a frame with this number: particles and contacts.
bool tact_vtk_write(const char* directory, uint64_t number, const tact_particle_frame* frame, tact_problem* problem);
/// Writes the file of its cells.
bool tact_vtk_write_cells(const char* directory, uint64_t number, const tact_particle_frame* frame,
                          tact_problem* problem);

/// Makes the folder of pieces in a folder that is there.
bool tact_vtk_begin_pieces(const char* directory, tact_problem* problem);
/// Writes a rank's part of a frame: a piece.
bool tact_vtk_write_piece(const char* directory, uint64_t number, uint32_t piece, const tact_particle_frame* frame,
                          tact_problem* problem);
/// Writes the files that name all pieces of a frame, of which `frame` is one, and removes them.
bool tact_vtk_write_index(const char* directory, uint64_t number, uint32_t pieces, const tact_particle_frame* frame,
                          tact_problem* problem);
bool tact_vtk_remove_index(const char* directory, uint64_t number, tact_problem* problem);

/// A file of frames being written; apps/particles/h5part.h.
struct tact_h5part;

/// A series of frames being written.
typedef struct tact_frame_series {
    const tact_frame_choices* choices;
    tact_aabb look;                ///< cells go over this along open axes
    double interval;               ///< seconds from frame to frame
    uint64_t first, next;          ///< numbers of its first frame, and of the one to come
    const tact_tool_ranks* ranks;  ///< that write a piece each; NULL: there is one process
    bool dumping;
    tact_platform_output dump;
    struct tact_h5part* h5part;  ///< NULL: none is written
} tact_frame_series;

/// Begins a series; frames before `first` may have been written by a run before. With ranks this and what follows are
/// calls of all of them, which fail on all where one fails, with the problem of the first that did.
bool tact_frame_series_begin(tact_frame_series* series, const tact_frame_choices* choices, tact_aabb look,
                             double interval, uint64_t first, const tact_tool_ranks* ranks, tact_problem* problem);

/// Whether there is something in a frame that takes all particles in one place.
bool tact_frame_choices_need_all(const tact_frame_choices* choices);

/// Writes the system as it is now. With ranks `all` is a copy of the whole on the first of them, where one is needed;
/// else NULL.
bool tact_frame_series_add(tact_frame_series* series, tact_particles* particles, tact_particles* all,
                           tact_context* context, tact_problem* problem);

/// Puts what is written in its place, if all is good. A series that was not begun has nothing. With ranks those on
/// which all is good call this, and those on which it is not may.
bool tact_frame_series_end(tact_frame_series* series, bool good, tact_problem* problem);
