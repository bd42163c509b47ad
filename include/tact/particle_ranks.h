// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file particle_ranks.h
/// Particle systems over ranks (ranks.h): each rank has a part of the particles and moves it. After any number of steps
/// the state is the same bytes as that of one process, on any number of ranks. docs/ranks.md has how.
///
/// A system is made as ever, the same on all ranks, and then spread. From then on its functions are collective: all
/// ranks call them with the same arguments, but for what is said here.
///
/// - tact_particles_add() adds the particles that each rank gives, which may be none: they have the ids that they would
///   have had if one process had added all of them, in order of rank.
/// - tact_particles_read(), tact_particles_contacts(), tact_particles_contact_forces() and others that list particles
///   give those of this rank: tact_particle_ranks_info::held, which is also how many entries arrays need that stand for
///   all. Of a contact of two particles it is the rank that has `a`, once contacts are listed: to find them particles
///   may go to other ranks, so that they are read after that.
/// - tact_particles_save() gives the bytes of the whole system to rank 0, and none to the others. Where no rank has
///   room for any, rank 0 gets their number, and nothing is collected. tact_particles_save_file() needs no such memory.
/// - What needs all particles in one place is UNSUPPORTED: energies, averages, neighbour lists, making and listing
///   bonds and clumps (those that are there go on), force functions, servo walls, wear, device buffers, shadow
///   checking. It can be asked of the system that rank 0 restores from what it saved.
///
/// Each rank moves its part by the backend that its options say, or that of the system; the CPU where neither does. The
/// bytes do not depend on it. What fails within a step leaves ranks at different substeps: the
/// system is then of no use any more, and all calls but tact_particles_destroy() are DEVICE_LOST.

#include "tact/particles.h"
#include "tact/ranks.h"

/// Options of tact_particles_spread(). All bits zero asks for the defaults.
typedef struct tact_particle_ranks_desc {
    float imbalance;  ///< of work, the greatest of a rank by the mean, beyond which ranks get other parts; 0: 1.1; 1:
                      ///< each time that ghosts are chosen
    float margin;     ///< how much farther than contacts reach ghosts are taken along, in parts of that, so that they
                      ///< need not be chosen anew in each substep: at most 4; 0: 0.25
    uint64_t reserved[4];  ///< zeros: room for fields to come
} tact_particle_ranks_desc;

/// Spreads a system over ranks, which must outlive it. All have made the same one; each keeps a part of its particles.
/// `desc` may be NULL. Collective. Errors: INVALID_ARGUMENT (a system that is spread already, that is not the same on
/// all ranks, or of another context than the group; a number of the options), UNSUPPORTED (servo walls, wear, a force
/// function), OUT_OF_MEMORY.
TACT_API tact_result tact_particles_spread(tact_particles* particles, tact_ranks* ranks,
                                           const tact_particle_ranks_desc* desc);

/// Saves a system to a file: `head_size` bytes of the caller's, `head`, which may be none, and then those of
/// tact_particles_save(), the same for any number of ranks, by which the file is written together. It is at `path` when
/// it is complete and on the disk; until then, and after a failure, what was there is, also where the program is ended
/// in the middle. Ranks write it under another name beside it, .tact-NUMBER.part, which the next one of the same name
/// takes. A rank needs memory for a few times its part and a few MiB. `head` is that of rank 0. Collective over the
/// ranks of the system, all of which see the file. Errors: INVALID_ARGUMENT (the file cannot be written, such as when
/// the disk is full), OUT_OF_MEMORY, as tact_particles_save().
TACT_API tact_result tact_particles_save_file(tact_particles* particles, const char* path, const void* head,
                                              size_t head_size);

/// Creates a system from a file in which, from byte `offset` on, is what tact_particles_save_file() or
/// tact_particles_save() wrote, on any number of ranks, of any version. It is spread over `ranks`, with options `desc`,
/// which may be NULL, as by tact_particles_spread(), and no rank has more than its part; `ranks` NULL: it is in this
/// process. Any bytes may be in the file: each rank checks the blocks of which it has read some. `backend` as in
/// tact_particles_desc. Collective. Errors: as tact_particles_restore() and tact_particles_spread(), and
/// INVALID_ARGUMENT (the file cannot be read).
TACT_API tact_result tact_particles_restore_file(tact_context* context, tact_ranks* ranks, const char* path,
                                                 uint64_t offset, tact_backend backend,
                                                 const tact_particle_ranks_desc* desc, tact_particles** particles);

/// How a system is spread, on this rank.
typedef struct tact_particle_ranks_info {
    uint32_t rank, ranks;  ///< this one, and how many
    uint64_t held;         ///< particles that it has
    uint64_t ghosts;       ///< particles of others near them
    uint64_t neighbours;   ///< ranks that it exchanges ghosts with
    uint64_t placed;       ///< times that ghosts were chosen anew
    uint64_t cut;          ///< times that ranks got other parts
    uint64_t moved;        ///< particles that went from this rank to another
    uint64_t bytes;        ///< sent to others
    uint64_t messages;     ///< that they went in
    double imbalance;      ///< of work, at the last of these times
    double place_ms;       ///< spent choosing
    double exchange_ms;    ///< spent exchanging ghosts, waiting included
    double step_ms;        ///< spent moving particles
    double agree_ms;       ///< spent waiting for all at the end of a substep
    uint64_t meetings;     ///< times that all ranks waited for each other
    uint64_t reserved[3];  ///< zeros: room for fields to come
} tact_particle_ranks_info;

/// Gets facts about how a system is spread; one that is not is on one rank. Errors: INVALID_ARGUMENT.
TACT_API tact_result tact_particles_get_ranks(tact_particles* particles, tact_particle_ranks_info* info);

/// Gets those of all ranks, one after another, to `infos`, which has room for as many as there are ranks. Collective.
/// Errors: INVALID_ARGUMENT, the group's.
TACT_API tact_result tact_particles_get_all_ranks(tact_particles* particles, tact_particle_ranks_info* infos);
