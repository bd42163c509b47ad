// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside the engine of particle systems on a device: who holds what, and the steps of a substep.

#include "gpu/blocks/blocks.h"
#include "gpu/particles/bodies.h"
#include "gpu/particles/particles.h"
#include "gpu/particles/programs.h"
#include "kernels/particle_layout.h"

/// A set of particles on the device. There are two: the present state, and one that serves as scratch until a sort
/// makes it the present one.
typedef struct tact_gpu_particle_set {
    tact_buffer* position;  ///< float4: x y z radius
    tact_buffer* velocity;  ///< float4: x y z, reciprocal of the mass
    tact_buffer* tag;       ///< uint2: id; material + 256 * group
} tact_gpu_particle_set;

/// The table of cells of one level: kernels/particle_table.h.
typedef struct tact_gpu_cells {
    uint32_t begin;
    uint32_t size[3];
    uint32_t mask[3];
    bool occupied;
} tact_gpu_cells;

/// How crowded a table of cells is, as far as that is known. It decides how particles are sorted, and so only how long
/// that takes.
typedef struct tact_gpu_crowd {
    float edge;        ///< of the cells of the table
    bool known;        ///< `most` is what a table with such cells had, not long ago
    uint32_t most;     ///< particles in a place
    tact_fence* note;  ///< a newer `most` that is on its way; NULL: none
} tact_gpu_crowd;

typedef struct tact_gpu_particles tact_gpu_particles;
/// gpu/particles/grains.h
typedef struct tact_gpu_grains tact_gpu_grains;

/// What grains have beside particles, for those that ranks tell each other of.
typedef struct tact_gpu_turns {
    tact_buffer* spin;    ///< by slot; NULL: particles do not turn
    tact_buffer* listed;  ///< places by slot when pairs were listed; NULL: there is no list that serves
    float most;           ///< radii that a grain may be away from there
} tact_gpu_turns;

/// What is done besides for particles that turn.
typedef struct tact_gpu_turning {
    void (*destroy)(tact_gpu_particles* e);
    uint64_t (*bytes)(const tact_gpu_particles* e);
    /// Does substeps. Waits for the device every TACT_GRAIN_BATCH of them at least, and when a list is made.
    tact_result (*step)(tact_gpu_particles* e, const tact_particle_model* model, uint32_t substeps);
    /// After a sort: brings what is there of grains alone into the same order. The list then serves no longer, but what
    /// it remembers is kept.
    tact_result (*gather)(tact_gpu_particles* e);
    /// The same where the set was split: those that a sink took are behind.
    tact_result (*split)(tact_gpu_particles* e, uint32_t sunk);
    /// Makes room for `count` grains behind those there, and puts down how they turn, as in `extra`, or NULL: at rest.
    tact_result (*come)(tact_gpu_particles* e, const tact_particle_state* extra, size_t count);
    /// After the set was uploaded: what else a state has.
    tact_result (*upload)(tact_gpu_particles* e, const tact_particle_state* state);
    tact_gpu_turns (*turns)(const tact_gpu_particles* e);
    /// After the set was read: spins, orientations, and records, sorted. `order`: slots by id. Errors: OUT_OF_MEMORY,
    /// the device's.
    tact_result (*read)(tact_gpu_particles* e, tact_particle_state* staging, const uint32_t* order);
} tact_gpu_turning;

/// What ranks tell each other of particles; empty where there are none. Device memory: 8 bytes of a particle, and 40 of
/// each that goes out or comes in at a time.
typedef struct tact_gpu_rows {
    tact_buffer* ids;    ///< by number
    tact_buffer* slots;  ///< by number
    tact_buffer *list, *rows;
    bool numbered;       ///< `ids` are those of the particles that are there
    bool placed;         ///< `slots` are those in which they are now
    tact_buffer* moved;  ///< between iterations of POSITION, where particles have come to; else NULL
} tact_gpu_rows;

/// gpu/particles/lists.h
typedef struct tact_gpu_particle_lists tact_gpu_particle_lists;

enum { TACT_RADIUS_BINS = 2048, TACT_RADIUS_SHIFT = 20 };

// Device memory of a particle: two sets, 2 x 40 bytes; the table of cells, at most 8 (two cells of a word each); keys,
// order and ranked, 12; the caller's forces, 12, and 12 or 24 those of a program. Together 112 and these. Crowded cells
// are sorted with 8 more, and 1,024 bytes for every 4,096 particles. The scratch of everything else is some 100 KiB,
// whatever the number of particles. Where particles were appended there may be room for an eighth more: 92 bytes each.
struct tact_gpu_particles {
    tact_particle_engine base;
    tact_device* device;
    bool software;
    size_t count, capacity;
    tact_gpu_particle_set set, other;  ///< the present state, and scratch
    tact_buffer *keys, *order, *ranked;
    tact_buffer* starts;  ///< where each place of the table begins in the sorted set, then the count, then a spare word
    uint32_t cells;       ///< places of the table
    tact_buffer* model;   ///< rows of kernels/particle_model.h
    tact_buffer* forces;  ///< by id, torques behind them
    uint64_t forces_version;        ///< 0: they are not to be used
    tact_buffer* acting;            ///< those of substeps: `forces`, or the program's
    tact_buffer* counters;          ///< kernels/particle_layout.h
    tact_particle_counters* tally;  ///< the system's own, which outlives its engines
    tact_scan* scan;
    tact_reduce* reduce;
    tact_radix_sort* radix;           ///< NULL until cells are crowded
    tact_gpu_particle_lists* lists;   ///< NULL until asked for
    const tact_gpu_turning* turning;  ///< of particles that turn; else NULL
    tact_gpu_grains* grains;          ///< likewise
    tact_gpu_program program;
    tact_gpu_rows ranked_rows;

    tact_gpu_bodies bodies;
    tact_buffer* sinks;  ///< rows of solids; NULL until a sink is there
    uint32_t sink_rows[TACT_MAX_SINKS * TACT_SOLID_ROWS * 4];
    size_t sink_bytes;  ///< of `sink_rows`, which is what `sinks` has; 0: nothing

    uint32_t* rows;  ///< the host's copy of `model`
    size_t row_words;
    uint32_t radius_bins[TACT_RADIUS_BINS];  ///< how many radii have these upper bits
    float lower[3], upper[3];                ///< of the centres, when last looked at
    float came_lower[3], came_upper[3];      ///< of those that came since `bounds` was asked for
    tact_fence* bounds;                      ///< a note of newer bounds; NULL: none is asked for
    uint32_t since_looked;                   ///< substeps
    tact_gpu_crowd crowd;                    ///< of tables for the model's grid
    TactGrid grid;                           ///< of `tables`
    bool has_tables, checked;
    uint32_t visits;  ///< how often a walk comes to a place of a table at most
    tact_gpu_cells tables[TACT_PARTICLE_LEVELS];
};

enum {
    // Candidates of a launch on llvmpipe, which adds up the iterations of up to 16 neighbouring items. The rows of a
    // walk take 13,000 at most: see kernels/particle_walk.h.
    TACT_WALK_WINDOW = 3000,
    // And elsewhere, where a launch that lasts too long holds up a display, or is ended: at least so many.
    TACT_WALK_LEAST = 1 << 16,
    TACT_WALK_LOG_PAIRS = 36  ///< pairs of a launch at most, unless its window is already as small as that
};

_Static_assert(16 * TACT_WALK_WINDOW + 13000 < 65535, "llvmpipe would cut walks short");

/// A walk over partners, in launches that look at so many candidates of each particle and no more. Where a few launches
/// are enough whatever there is, all of them are given, and the device makes nothing of those beyond the longest walk;
/// else the host asks how long that is.
typedef struct tact_gpu_walk {
    tact_kernel_id kernel;
    void* args;  ///< the kernel's
    size_t size;
    uint32_t *first,
        *window;            ///< of the arguments: the first candidate, and how many; set by tact_gpu_particles_walk()
    tact_buffer* progress;  ///< where the kernel notes the longest, in word `progress_at`
    size_t progress_at;
} tact_gpu_walk;

/// Whether the device wants walks in windows.
static inline bool tact_gpu_walks_limited(const tact_gpu_particles* e)
{
    return e->software && e->base.type->backend == TACT_BACKEND_GL;
}

/// Candidates of a launch with so many items.
uint32_t tact_gpu_walk_window(const tact_gpu_particles* e, uint32_t items);
/// Walks `items` particles.
tact_result tact_gpu_particles_walk(tact_gpu_particles* e, uint32_t items, const tact_gpu_walk* walk);
/// The part of a walk from candidate `first` on, in one launch at least, where the longest is known.
tact_result tact_gpu_particles_walk_part(tact_gpu_particles* e, uint32_t items, const tact_gpu_walk* walk,
                                         uint64_t first, uint64_t longest);
/// The first launch of a walk. Returns whether the longest may go on beyond it: then `progress` is to be read.
bool tact_gpu_particles_walk_begin(tact_gpu_particles* e, uint32_t items, const tact_gpu_walk* walk);

/// Makes a buffer at least as long, keeping its first `used` bytes. A failure leaves it as it was.
tact_result tact_gpu_particles_lengthen(tact_gpu_particles* e, tact_buffer** buffer, size_t bytes, size_t used);
/// Makes a buffer at least as long; its contents are lost when it grows.
tact_result tact_gpu_particles_need(tact_gpu_particles* e, tact_buffer** buffer, uint64_t bytes, const char* what);

/// Room for `capacity` particles; what is long enough is kept as it is.
tact_result tact_gpu_particles_make_sets(tact_gpu_particles* e, size_t capacity);
/// Lets go of both sets: there are no particles then.
void tact_gpu_particles_drop_sets(tact_gpu_particles* e);
/// Lets go of all that only a step or a list needs.
void tact_gpu_particles_drop_scratch(tact_gpu_particles* e);
/// Makes what a failure to grow has left missing. To be called before any of the scratch is used.
tact_result tact_gpu_particles_room(tact_gpu_particles* e);
/// The scratch set becomes the present state, and the other way round.
static inline void tact_gpu_particles_swap(tact_gpu_particles* e)
{
    const tact_gpu_particle_set set = e->other;
    e->other = e->set;
    e->set = set;
}

static inline uint32_t tact_gpu_radius_bin(float radius)
{
    return as_uint(radius) >> TACT_RADIUS_SHIFT & (TACT_RADIUS_BINS - 1);
}
/// A number that no radius is below.
float tact_gpu_particles_least_radius(const tact_gpu_particles* e);
/// Forgets what was seen of particles that are there no more.
void tact_gpu_particles_forget(tact_gpu_particles* e);
/// Notes the box of centres of particles that are about to come on top of those there.
void tact_gpu_particles_widen(tact_gpu_particles* e, const float lower[3], const float upper[3]);
/// Notes what the size of tables follows from of particles that are about to come on top of those there.
void tact_gpu_particles_note_extent(tact_gpu_particles* e, const tact_particle_state* extra);

/// Writes eight rows, from number `row` on, about a solid: MODEL_SOLID of kernels/particle_model.h.
void tact_gpu_particles_put_solid(const tact_particle_solid* solid, uint32_t* rows, uint32_t row);

/// As the engine's functions: gpu/particles/sources.c.
tact_result tact_gpu_particles_append(tact_particle_engine* engine, const tact_particle_state* extra);
tact_result tact_gpu_particles_drain(tact_particle_engine* engine, const tact_particle_solid* regions,
                                     uint32_t region_count, uint32_t* ids, size_t* count);

/// Brings everything on the device that follows from the model up to date: table of cells, rows, forces. Two models may
/// alternate: one for steps, and one with other cells for lists of neighbours.
tact_result tact_gpu_particles_update(tact_gpu_particles* e, const tact_particle_model* model);

/// After tact_gpu_particles_update(): sorts the state by place of the table and by id, and makes `starts`. `places`:
/// the positions whose cells count, e->set.position or what lies in e->other.position. e->set then has the sorted
/// state, and e->other is free for anything. `crowd`: what is known of tables such as this. Waits only where nothing
/// is; `look`: a newer one is asked for, unless one is on its way.
tact_result tact_gpu_particles_sort(tact_gpu_particles* e, tact_buffer* places, tact_gpu_crowd* crowd, bool look);
/// Whether a substep is to ask for a look at how crowded it is.
bool tact_gpu_particles_time_to_look(const tact_gpu_particles* e);
void tact_gpu_crowd_forget(tact_gpu_crowd* crowd);

/// Words of `source`, every stride-th from the first on, one for each slot, or for those in e->order.
tact_result tact_gpu_particles_pick(tact_gpu_particles* e, tact_buffer* source, uint32_t stride, bool ordered,
                                    tact_buffer* picked);

/// Slots in the order of their ids, to e->order. The scratch set serves as room for keys.
tact_result tact_gpu_particles_order_ids(tact_gpu_particles* e);

/// Room for `count` particles. Where it has to grow those there are lost, and if it cannot, all the room is.
tact_result tact_gpu_particles_room_anew(tact_gpu_particles* e, size_t count);
/// The same, keeping those there. A failure may leave scratch missing: see tact_gpu_particles_room().
tact_result tact_gpu_particles_grow(tact_gpu_particles* e, size_t count);

/// Over ranks: as the engine's functions. gpu/particles/rows.c.
tact_result tact_gpu_particles_read_rows(tact_particle_engine* engine, const uint32_t* rows, size_t count,
                                         tact_particle_row* to);
tact_result tact_gpu_particles_write_rows(tact_particle_engine* engine, const TactGrid* grid, const uint32_t* rows,
                                          size_t count, const tact_particle_row* from);
tact_result tact_gpu_particles_fastest(tact_particle_engine* engine, const tact_particle_model* model,
                                       const uint32_t* rows, size_t count, tact_particle_row* to, float* speed,
                                       float* way);
/// Numbers particles in the order of their ids, unless they are. The scratch set serves as room.
tact_result tact_gpu_rows_number(tact_gpu_particles* e);
/// Puts the greatest square of the vectors in `to`, or of the ways there from `from`, in a word of the counters. `keys`
/// serves as room.
tact_result tact_gpu_rows_pace(tact_gpu_particles* e, tact_buffer* from, tact_buffer* to, uint32_t word);
void tact_gpu_rows_free(tact_gpu_particles* e);
uint64_t tact_gpu_rows_bytes(const tact_gpu_particles* e);

/// Adds to the tally what the device has counted since this was last called. `paces`, if not NULL, gets the words
/// TACT_COUNTER_SPEED and TACT_COUNTER_WAY; `more`, if not NULL, is read too. Waits.
tact_result tact_gpu_particles_collect(tact_gpu_particles* e, uint32_t paces[2], const tact_read* more);

/// The caller's buffers: as the engine's functions.
tact_result tact_gpu_particles_examine(tact_particle_engine* engine, const tact_particle_model* model,
                                       const tact_particle_device_rows* rows, tact_particle_facts* facts);
tact_result tact_gpu_particles_adopt(tact_particle_engine* engine, const tact_particle_model* model,
                                     const tact_particle_device_rows* rows, const tact_particle_facts* facts,
                                     const uint32_t* ids);
tact_result tact_gpu_particles_take_forces(tact_particle_engine* engine, const tact_device_array* forces, size_t count,
                                           uint64_t version, uint32_t* bad);
tact_result tact_gpu_particles_give_forces(tact_particle_engine* engine, float (*forces)[3], size_t count);
tact_result tact_gpu_particles_give(tact_particle_engine* engine, const tact_device_array* positions,
                                    const tact_device_array* velocities, bool dense);

/// Looks at where particles are, if it is time to: every so many substeps, at what they were halfway, which has come to
/// the host by then unless that is far ahead of the device. Nothing of it depends on when that is.
tact_result tact_gpu_particles_look(tact_gpu_particles* e);

/// What a force program and torques work on. `spin`: of grains, or NULL.
tact_gpu_program_call tact_gpu_program_call_of(const tact_gpu_particles* e, tact_buffer* spin, uint32_t go);

enum { TACT_PART_BODIES = 32 };  ///< beside TACT_PART_, for the host: kernels for meshes and height fields are launched

/// What is on the way of particles: of TACT_PART_.
uint32_t tact_gpu_particles_way(const tact_particle_model* model);
/// The end of a substep: forces on top of `sums`, velocities, moves. `go`: a word of the counters.
tact_result tact_gpu_particles_finish(tact_gpu_particles* e, tact_buffer* sums, uint32_t parts, uint32_t go);

tact_result tact_gpu_particles_step(tact_particle_engine* engine, const tact_particle_model* model, uint32_t substeps,
                                    tact_particle_counters* counters);

/// Contacts and neighbours: as the engine's functions.
tact_result tact_gpu_particles_contacts(tact_particle_engine* engine, const tact_particle_model* model,
                                        tact_particle_contact* contacts, size_t capacity, size_t* count);
tact_result tact_gpu_particles_neighbours(tact_particle_engine* engine, const tact_particle_model* model, float radius,
                                          tact_neighbour_kind kind, tact_neighbour_lists* lists);
void tact_gpu_particle_lists_destroy(tact_gpu_particles* e);
/// Device memory held for lists.
uint64_t tact_gpu_particle_lists_bytes(const tact_gpu_particles* e);
