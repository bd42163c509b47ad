// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside the CPU's engine of particle systems.
///
/// Particles lie in memory in the order (level, z, y, x of their cell, id), in *slots*. That is also the order in which
/// a particle's partners are summed, as long as none of its cells is met the long way round, over a seam: the end of a
/// period, or of a table that is smaller than the space it stands for. So pairs are met once, by the particle in the
/// lower slot, in ascending order of that slot: what a particle gets from those before it is then added before what it
/// gets from those after it, each in order. The few particles that see over a seam are done on their own afterwards
/// (cpu_seams.c).

#include "base/lane_levels.h"
#include "cpu_ref/particles/neighbours.h"
#include "cpu_ref/particles/particles.h"
#include "cpu_ref/particles/program.h"

enum {
    TACT_GRAIN_PLANES = 7,   ///< numbers that a contact of GRAINS remembers
    TACT_SLOT_PAD = 16,      ///< that arrays of numbers are readable past their end
    TACT_TOUCH_BLOCK = 480,  ///< contacts that are worked out together
    TACT_TOUCH_ROOM = TACT_TOUCH_BLOCK + 32,
};

/// Particles by slot.
typedef struct tact_particle_slots {
    float *x, *y, *z, *radius;
    float (*velocity)[4];  ///< x y z, reciprocal of the mass
    float (*from)[4];    ///< POSITION, or NULL: where the substep began; how far contacts have moved it at least, above
                         ///< 0 once it has touched something
    float (*clear)[4];   ///< x y z of a place, and what is clear about it: cpu_clear.c. NULL: not kept
    uint32_t (*tag)[2];  ///< rank among all particles by id; as in tact_particle_state
} tact_particle_slots;

/// A level's part of the table of cells. Cell (x, y, z) has the place (z size[1] + y) size[0] + x, each coordinate less
/// `low`, modulo the size where that is less than what the particles need (`wraps`; the size is then a power of two).
/// 2^fold places that follow each other share the entry base + (place >> fold), whose particles are sorted by place.
typedef struct tact_cell_level {
    int low[3];
    uint32_t size[3], mask[3];
    bool wraps[3];
    uint32_t fold;
    uint32_t base;
    uint32_t end;  ///< base plus the number of its entries
    uint32_t count;
    float largest;  ///< bound on the radii of its particles
} tact_cell_level;

typedef struct tact_cell_table {
    TactGrid grid;
    tact_cell_level levels[TACT_PARTICLE_LEVELS];
    uint32_t cells;    ///< entries
    float span;        ///< the longest side of the box of all particles
    bool wraps;        ///< some level does: cells stand for more than one cell of space
    bool folds;        ///< some level does: tact_particle_cpu::within is filled
    bool seams;        ///< some particles may see over a seam
    bool keeps_cells;  ///< tact_particle_cpu::cells is filled
    uint32_t* starts;  ///< the slot where each entry's particles begin; cells + 1
} tact_cell_table;

typedef struct tact_particle_cpu {
    tact_particle_engine base;
    size_t count, capacity;
    uint32_t* ids;  ///< by rank
    tact_particle_slots now, next;
    float (*places)[4];  ///< by slot: x y z radius, while contacts are worked out
    float (*motion)[4];  ///< POSITION, or NULL: how far each has moved in the substep, reciprocal of the mass
    float (*sums)[4];    ///< what each gets from its partners; the fourth counts them (POSITION). Spare rows follow
    size_t sums_capacity;
    TactCell* cells;       ///< by slot, where the table has seams, or particles move while their cells stay
    uint32_t* within;      ///< by slot, where the table folds: which of its entry's places a particle has
    uint32_t* within_was;  ///< the same before sorting
    uint8_t* irregular;    ///< likewise: it sees over a seam
    uint32_t* seam_list;   ///< the slots of those
    uint32_t seam_count;
    size_t cells_capacity, irregular_capacity, seam_capacity, within_capacity, within_was_capacity;
    tact_cell_table table;
    size_t starts_capacity;
    uint32_t* keys;        ///< by slot before sorting; the slots in new order after
    uint32_t (*parts)[2];  ///< keys and slots, thrown into parts
    uint32_t* counts;
    size_t counts_capacity;
    void* boxes;
    size_t boxes_capacity;
    void *chunks, *seam_chunks;
    size_t chunk_capacity, chunk_count, seam_chunk_capacity, seam_chunk_count;
    void* tallies;  ///< what each worker counted: tact_cpu_tally
    size_t tally_capacity;
    uint32_t* list;  ///< POSITION: pairs of slots that may touch in a substep: cpu_position.c
    size_t list_capacity;
    uint32_t list_share;  ///< how many pairs a slot there is room for
    float moved;          ///< POSITION: the most, in radii, that contacts moved a particle in the last substep
    float least_radius;
    uint64_t listed_iterations, broken_substeps;  ///< for tests: done from lists; where lists had to be given up
    void* workers;
    size_t worker_capacity;
    bool keeps_clear;            ///< the slots' `clear` hold, for these versions of what is in the way
    uint64_t clear_versions[3];  ///<
    float clear_scale;           ///< how large the coordinates of that are
    uint32_t materials, groups;  ///< a bit for each that is there, or was
    bool has_ghosts;             ///< there are some, or were
    uint32_t* slot_of;           ///< by rank, while `slots_known`
    size_t slot_of_capacity;
    bool slots_known;
    bool iterating;  ///< POSITION: between iterations
    bool equal_radii, equal_masses;
    int threads;                     ///< of the last step
    tact_neighbour_finder* finder;   ///< made when neighbours are first asked for
    struct tact_cpu_grains* grains;  ///< GRAINS, or NULL
    tact_program_room program;       ///< of force programs
} tact_particle_cpu;

/// Contacts found but not worked out, of slots i and j.
typedef struct tact_touch_block {
    uint32_t count;
    uint32_t i[TACT_TOUCH_ROOM], j[TACT_TOUCH_ROOM];
    float first[TACT_TOUCH_ROOM][4], second[TACT_TOUCH_ROOM][4];  ///< what i and j get
} tact_touch_block;

/// What is looked for, the same for all threads.
typedef struct tact_particle_walk {
    const tact_particle_cpu* engine;
    const tact_particle_model* model;
    const tact_cell_table* table;
    tact_particle_slots slots;
    const float (*places)[4];  ///< of each slot: x y z radius
    const float (*motion)[4];  ///< of each slot: velocity, or what it has moved by; reciprocal of the mass
    float (*sums)[4];
    size_t spare;  ///< the first of the rows for what nobody asks for
    float reach;   ///< sum of two radii where they are equal
    bool equal_radii, periodic;
    bool keeps_clear;   ///< as the engine
    bool filtered;      ///< contacts found must pass tact_walk_keep()
    float prune;        ///< particles on two levels touch within this times their reach, now and when cells were taken,
                        ///< and so need not look farther; 0: they look at all cells
    bool one_rule;      ///< all contacts have the rule `rule`
    bool same_dashpot;  ///< and the same masses: `dashpot` is the root of stiffness by sum of reciprocal masses
    TactContactRule rule;
    float dashpot;
    bool same_share;  ///< all masses are the same, and finite: each of a pair gets the part `share` of a shift
    float share;
    float wall_friction;   ///< one_rule: of that material and the walls'
    bool listing, listed;  ///< pairs that may touch are listed; are looked up in the lists of chunks that have one
    float stretch;         ///< listing: by how much more than its reach a pair may be apart
    struct tact_contact_list* contacts;  ///< where contacts are listed, nothing is summed
} tact_particle_walk;

struct tact_particle_lanes;

/// GRAINS: sums of what acts on the particle in a slot, in units of TactExact::low; the last of each four is 0.
typedef struct tact_grain_sums {
    int64_t force[4], torque[4];
} tact_grain_sums;

/// GRAINS: what is known of all contacts. LINEAR: they have one rule, of linear springs without adhesion. SAME: masses
/// are equal besides, and not infinite.
typedef enum tact_grain_laws { TACT_GRAINS_ANY, TACT_GRAINS_LINEAR, TACT_GRAINS_SAME } tact_grain_laws;

/// GRAINS: what a substep's pairs are worked out with, the same for all threads.
typedef struct tact_grain_pass {
    const tact_particle_walk* walk;
    float (*spin)[4], (*turn)[4];        ///< by slot
    float (*places)[4];                  ///< by slot: where they were at the start of the substep, and their radii
    float* way;                          ///< by slot: how far they may come yet while the list serves
    tact_grain_sums* sums;               ///< by slot
    bool rolls;                          ///< contacts remember seven numbers, not three
    TactGrainRule rule, wall_rule;       ///< where all have one
    float walls[6][4];                   ///< of each face of the domain a contact's normal, and its coordinate
    tact_grain_laws law, wall_law;       ///< of pairs; of contacts with walls
    float damping, drag, inverse_shear;  ///< SAME: what follows from the rule
    float force_scale, torque_scale;
} tact_grain_pass;

/// GRAINS: pairs of slots, or of a slot and a face of the domain, and what each remembers, as seen from the first: slid
/// x y z (-0, 0, 0 where it does not touch), rolled x y z, twisted. All arrays can be read and written for LANES more.
typedef struct tact_grain_list {
    const uint32_t *i, *j;
    float* memory[TACT_GRAIN_PLANES];
    size_t count;
    bool one_sided;  ///< only the first of each pair gets what it does
} tact_grain_list;

/// Pairs of slots in the order in which they are met, or how many there would be if there is more than `room`.
typedef struct tact_pair_list {
    uint32_t *i, *j;  ///< NULL: none is kept
    size_t count, room;
    size_t inner;  ///< GRAINS: the first so many are of no ghosts; once unpacked, a multiple of TACT_SLOT_PAD
} tact_pair_list;

/// One thread's.
typedef struct tact_walk_worker {
    const tact_particle_walk* walk;
    const struct tact_particle_lanes* lanes;
    uint32_t low, high;  ///< slots whose sums are wanted
    size_t spare;
    uint32_t (*pairs)[2];  ///< listing contacts: where pairs of slots go, NULL: they are counted
    uint64_t pair_count;
    tact_pair_list list;  ///< that goes with the chunk
    float stretch;        ///< of the reach of pairs looked for; 1: those that touch
    /// Over a seam: the cells now looked at, on level `level` as seen from the particle; none for level -1.
    int level, seen_z, seen_y, seen_x[2];
    bool both_irregular;  ///< only pairs of two such particles count
    tact_touch_block block;
} tact_walk_worker;

/// Slots [low, high) and the entries of the table that they are in. Of those at seams: that part of the list of slots.
typedef struct tact_walk_chunk {
    uint32_t low, high, key_low, key_high;
    int level;  ///< that they are on; -1: all
    uint64_t first_pair;
    tact_pair_list list;
} tact_walk_chunk;

/// What one worker counted, on a cache line of its own.
typedef struct tact_cpu_tally {
    tact_particle_counters counters;
    float moved;  ///< as tact_particle_cpu::moved
    uint32_t unused[7];
} tact_cpu_tally;

/// The inner loops, once for each set of instructions: cpu_lanes_body.h.
typedef struct tact_particle_lanes {
    const char* name;
    /// Looks for partners in higher slots of the same level for the particles in entries [begin, end) of the table;
    /// only those in slots [from, to) count.
    void (*forward)(tact_walk_worker* worker, int level, uint32_t begin, uint32_t end, uint32_t from, uint32_t to);
    /// Looks for partners of slot i among slots [begin, end).
    void (*scan)(tact_walk_worker* worker, uint32_t i, uint32_t begin, uint32_t end);
    /// Works out the contacts in the block, and empties it.
    void (*flush)(tact_walk_worker* worker);
    /// The end of a substep of SPRING or NONE for slots [begin, end).
    void (*finish)(const tact_particle_walk* walk, size_t begin, size_t end, tact_particle_counters* counters);
    /// Works out at most TACT_TOUCH_BLOCK pairs of slots, LANES more of which can be read.
    void (*listed)(tact_walk_worker* worker, const uint32_t* i, const uint32_t* j, uint32_t count);
    /// POSITION, for slots [begin, end): the move before contacts, the moves by contacts, and the end of a substep.
    void (*predict)(const tact_particle_walk* walk, size_t begin, size_t end, tact_cpu_tally* tally);
    void (*shift)(const tact_particle_walk* walk, size_t begin, size_t end, tact_cpu_tally* tally);
    void (*settle)(const tact_particle_walk* walk, size_t begin, size_t end, tact_cpu_tally* tally);
    /// GRAINS: works out pairs, and adds what they do to the sums of slots [low, high); the rest goes to row `spare`.
    /// Returns how many forces are cut, of the list's own pairs.
    uint32_t (*grains)(const tact_grain_pass* pass, const tact_grain_list* list, uint32_t low, uint32_t high,
                       size_t spare);
    /// GRAINS: works out particles and walls, and adds what walls do to the sums. Returns how many forces are cut.
    uint32_t (*walls)(const tact_grain_pass* pass, const tact_grain_list* list);
    /// GRAINS: which of slots [begin, end) are within `walk->stretch` of their radii of which faces of the domain, in
    /// order of both. `slots` NULL: they are counted. Returns how many there are.
    size_t (*near_walls)(const tact_particle_walk* walk, size_t begin, size_t end, uint32_t* slots, uint32_t* faces);
    /// GRAINS: writes to `slots` which of [begin, end) may touch a collider or body. Returns how many.
    size_t (*near)(const tact_particle_walk* walk, size_t begin, size_t end, uint32_t* slots);
    /// GRAINS: for slots [begin, end), sums become forces in `walk->sums`, spins and orientations those after the
    /// substep.
    void (*spin)(const tact_grain_pass* pass, size_t begin, size_t end);
    /// GRAINS: for slots [begin, end), notes places and ways after the substep. Returns whether one has come too far.
    bool (*way)(const tact_grain_pass* pass, size_t begin, size_t end);
} tact_particle_lanes;

extern const tact_particle_lanes tact_particle_lanes_portable, tact_particle_lanes_sse2, tact_particle_lanes_avx2,
    tact_particle_lanes_avx512;

/// The best here.
const tact_particle_lanes* tact_particle_lanes_best(void);

/// Drops from the block the contacts from number `from` on that do not count.
void tact_walk_keep(tact_walk_worker* worker, uint32_t from);

/// Appends the block's pairs to the worker's list.
void tact_walk_list(tact_walk_worker* worker);

/// Notes the block's contacts as pairs of slots, and empties it.
void tact_walk_note(tact_walk_worker* worker);

/// Room for `count` particles; those there are lost where it has to grow. False when out of memory.
bool tact_cpu_make_room(tact_particle_cpu* engine, size_t count);
void tact_cpu_free_room(tact_particle_cpu* engine);
/// Room for what is clear about particles. False when out of memory.
bool tact_cpu_clear_room(tact_particle_cpu* engine);
/// Puts row `k` of a state into the slot behind the last, for which there is room; its rank is up to the caller.
void tact_cpu_put_last(tact_particle_cpu* engine, const tact_particle_state* from, size_t k);

/// As in tact_particle_engine_class. After append() the new rank of each that was there is in `keys`, by its old one.
tact_result tact_cpu_append(tact_particle_engine* engine, const tact_particle_state* extra);
tact_result tact_cpu_drain(tact_particle_engine* engine, const tact_particle_solid* regions, uint32_t region_count,
                           uint32_t* ids, size_t* count);
/// What drain() is made of: marks those in a region, and returns how many they are; then takes the marked ones out.
/// After that `parts` has, by old rank, the new one and whether it was taken out.
size_t tact_cpu_mark(tact_particle_cpu* engine, const tact_particle_solid* regions, uint32_t region_count);
size_t tact_cpu_take_out(tact_particle_cpu* engine, uint32_t* ids);

/// Sorts the particles into cells, and lays out the table. With POSITION the slots' positions are the predicted ones.
tact_result tact_cpu_sort(tact_particle_cpu* engine, const tact_particle_model* model);

/// Whether every particle has a rank of its own, and ids ascend with ranks. For TACT_VALIDATE.
bool tact_cpu_is_valid(const tact_particle_cpu* engine);

/// Whether, besides, each entry of the table begins where the one before ends and holds those whose cells it stands
/// for, in the order of their cells and ranks. For TACT_VALIDATE, right after sorting.
bool tact_cpu_is_sorted(const tact_particle_cpu* engine);

/// Lays out the table's levels for particles in a box, x y z lower and upper, of each level, and how many there are.
/// Entries are at most about two a particle, or three, of all levels together, where there are several.
void tact_cpu_layout(tact_cell_table* table, const TactGrid* grid, float (*boxes)[6], const uint32_t* counts);

/// tact_grid_coordinate() without a call of floorf(): clamping first gives the same, since the limits are whole.
static inline int tact_cell_coordinate(const TactGridAxis* a, float x)
{
    const float scaled = (tact_grid_wrap(*a, x) - a->origin) * a->inverse;
    const float low = (float)a->low, high = (float)a->high;
    const float above = scaled > low ? scaled : low;
    const float within = above < high ? above : high;
    const int cell = (int)within;
    return (float)cell > within ? cell - 1 : cell;
}

/// The place of a cell in its level. The cell must be within the level's box where it does not wrap.
static inline uint64_t tact_cell_place(const tact_cell_level* level, int x, int y, int z)
{
    const uint32_t lx = (uint32_t)(x - level->low[0]) & level->mask[0];
    const uint32_t ly = (uint32_t)(y - level->low[1]) & level->mask[1];
    const uint32_t lz = (uint32_t)(z - level->low[2]) & level->mask[2];
    return ((uint64_t)lz * level->size[1] + ly) * level->size[0] + lx;
}

/// The entry of a place.
static inline uint32_t tact_cell_key(const tact_cell_level* level, uint64_t place)
{
    return level->base + (uint32_t)(place >> level->fold);
}

typedef struct tact_slot_range {
    uint32_t begin, end;
} tact_slot_range;

/// As tact_cell_slots(), for a level that folds, whose entries of the places have the slots `all`.
tact_slot_range tact_cell_slots_folded(const tact_particle_cpu* engine, const tact_cell_level* level, uint64_t first,
                                       uint64_t end, tact_slot_range all);

/// The slots whose particles have the places [first, end) of a level; end is above first.
static inline tact_slot_range tact_cell_slots(const tact_particle_cpu* engine, const tact_cell_level* level,
                                              uint64_t first, uint64_t end)
{
    const uint32_t* starts = engine->table.starts;
    const tact_slot_range range = {starts[tact_cell_key(level, first)], starts[tact_cell_key(level, end - 1) + 1]};
    if (level->fold == 0 || range.begin == range.end) return range;
    return tact_cell_slots_folded(engine, level, first, end, range);
}

/// Cells along an axis, the last included.
typedef struct tact_seen_range {
    int first, last;
} tact_seen_range;

/// The cells of level `l` along each axis that the particle in slot i, of level `own`, sees, and of these, as far as
/// `walk->prune` tells, those that have what it touches. They run on over the faces of a period.
void tact_cpu_seen(const tact_particle_walk* walk, uint32_t i, int own, int l, tact_seen_range range[3]);

/// Marks and lists the particles that see over a seam. `keep_cells`: notes the cells of all where there are levels.
tact_result tact_cpu_find_seams(tact_particle_cpu* engine, bool keep_cells, int threads);

/// Cuts the slots into chunks for the threads.
tact_result tact_cpu_cut(tact_particle_cpu* engine, const tact_particle_model* model);

/// A substep of POSITION.
tact_result tact_cpu_position_substep(tact_particle_cpu* engine, tact_particle_walk* walk);

/// tact_particle_predict(), what shifts a particle besides others, and tact_particle_settle() for the particle in a
/// slot. Predicting and settling return it as it then is; the slot is not changed.
tact_particle_self tact_cpu_predict_near(const tact_particle_walk* walk, size_t slot, tact_particle_counters* counters);
void tact_cpu_shift_near(const tact_particle_walk* walk, size_t slot, float sum[4]);
tact_particle_self tact_cpu_settle_near(const tact_particle_walk* walk, size_t slot, tact_particle_counters* counters);

/// Fills the sums of all slots, or lists pairs.
tact_result tact_cpu_walk(tact_particle_cpu* engine, tact_particle_walk* walk);

/// What tact_cpu_walk() is made of, for listing pairs: makes ready, and does one chunk or one particle at a seam.
tact_result tact_cpu_walk_begin(tact_particle_cpu* engine, tact_particle_walk* walk);
void tact_cpu_walk_chunk(tact_walk_worker* worker, tact_walk_chunk* chunk);
void tact_cpu_walk_seam(tact_walk_worker* worker, uint32_t slot);

/// Makes ready to know what is clear about particles, where that helps. Asked before a step and before contacts.
tact_result tact_cpu_clear_begin(tact_particle_cpu* engine, const tact_particle_model* model);

/// Finds out anew what is clear about the particle in a slot, if it is time, and notes that in `p` too.
void tact_cpu_clear_look(const tact_particle_cpu* engine, const tact_particle_model* model, size_t slot,
                         tact_particle_self* p);

/// tact_particle_finish() for the particle in a slot, after the forces of others (`sum`); the slot is not changed.
tact_particle_self tact_cpu_finish_near(const tact_particle_walk* walk, size_t slot, const float sum[4],
                                        tact_particle_counters* counters);

/// As in tact_particle_engine_class.
tact_result tact_cpu_read_rows(tact_particle_engine* engine, const uint32_t* rows, size_t count, tact_particle_row* to);
tact_result tact_cpu_write_rows(tact_particle_engine* engine, const TactGrid* grid, const uint32_t* rows, size_t count,
                                const tact_particle_row* from);
tact_result tact_cpu_fastest(tact_particle_engine* engine, const tact_particle_model* model, const uint32_t* rows,
                             size_t count, tact_particle_row* to, float* speed, float* way);

static inline bool tact_cpu_is_ghost(const tact_particle_cpu* e, size_t slot)
{
    return e->has_ghosts && tact_tag_is_ghost(e->now.tag[slot][1]);
}

/// The next slots in [*begin, end) without a ghost among them: from *begin to what is returned, which is `end` where
/// there are none any more.
static inline size_t tact_cpu_own_run(const tact_particle_cpu* e, size_t* begin, size_t end)
{
    if (!e->has_ghosts) return end;
    while (*begin < end && tact_tag_is_ghost(e->now.tag[*begin][1]))
        ++*begin;
    size_t stop = *begin;
    while (stop < end && !tact_tag_is_ghost(e->now.tag[stop][1]))
        ++stop;
    return stop;
}

/// As tact_particle_engine_class::contacts.
tact_result tact_cpu_contacts(tact_particle_engine* engine, const tact_particle_model* model,
                              tact_particle_contact* contacts, size_t capacity, size_t* count);

/// Slots that a thread takes at a time: `most`, or fewer where that would leave some threads without work.
static inline size_t tact_cpu_grain(size_t count, int threads, size_t most)
{
    enum { WHOLE = 16, LEAST = 512 };
    if (threads < 2) return most;
    const size_t part = count / (2 * (size_t)threads) / WHOLE * WHOLE + WHOLE;
    const size_t grain = part > LEAST ? part : LEAST;
    return grain < most ? grain : most;
}

/// What is clear about a place, as known of the particle in a slot.
static inline float tact_cpu_clear(const tact_particle_cpu* e, size_t i, float x, float y, float z)
{
    if (!e->keeps_clear) return 0.0f;
    const float* c = e->now.clear[i];
    return c[3] - tact_length3(x - c[0], y - c[1], z - c[2]);
}

/// GRAINS: whether a pair of slots in the list of a chunk, [low, high), or of a chunk of seams is that list's own:
/// others have it too, and of the pairs at seams each list has each twice. A chunk has the pair of whose two the lower
/// slot is in it; seams have that of an irregular one, and of two the lower.
static inline bool tact_cpu_pair_is_own(const tact_particle_cpu* e, uint32_t low, uint32_t high, bool at_seam,
                                        uint32_t i, uint32_t j)
{
    const bool irregular = e->table.seams && (e->irregular[i] || e->irregular[j]);
    const uint32_t first = i < j ? i : j;
    if (irregular != at_seam) return false;
    return at_seam ? !e->irregular[i] || !e->irregular[j] || i < j : first >= low && first < high;
}

/// The particle in a slot.
static inline tact_particle_self tact_cpu_self(const tact_particle_cpu* e, size_t i)
{
    const tact_particle_slots* s = &e->now;
    const tact_particle_self p = {s->x[i],
                                  s->y[i],
                                  s->z[i],
                                  s->radius[i],
                                  s->velocity[i][0],
                                  s->velocity[i][1],
                                  s->velocity[i][2],
                                  s->velocity[i][3],
                                  e->ids[s->tag[i][0]],
                                  tact_tag_material(s->tag[i][1]),
                                  tact_tag_group(s->tag[i][1]),
                                  tact_cpu_clear(e, i, s->x[i], s->y[i], s->z[i]),
                                  tact_tag_is_ghost(s->tag[i][1])};
    return p;
}
