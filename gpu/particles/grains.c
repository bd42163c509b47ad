// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Substeps of GRAINS on a device, two to five launches each: surfaces, partners, the move with the turn. Pairs are
// listed with a margin, and the list serves until a grain has come too far (cpu_ref/particles/cpu_grains.c says why
// nothing is lost). The device notes that, and does nothing more; so substeps are launched by the batch, and the host
// asks after each how many were done. Clumps are moved by two launches more, before the move and after it. The same
// happens where a pool has no room for another contact with a surface: that substep is then done again, but for grains
// whose surfaces are done.

#include "gpu/particles/grains.h"

#include "kernels/grain_layout.h"
#include "kernels/particle_model.h"

enum {
    FIRST_NODES = 1024,
    MOST_ROW = 3000,  ///< partners of a grain on llvmpipe: its loops go round 65,535 times for 16 grains together
    MATCH_PAIRS = 32,
    LEAST_BATCH = 4,
    YOUNG = 24,  ///< substeps: a list that did not serve that long had too small a margin
};

_Static_assert(16 * MOST_ROW < 65535 - 64 && 16 * MATCH_PAIRS * MATCH_PAIRS < 65535 - 1024,
               "llvmpipe would cut loops short");

static void destroy(tact_gpu_particles* e)
{
    tact_gpu_grains* g = e->grains;
    if (!g) return;
    tact_buffer* const all[] = {g->spin, g->turn,   g->origin, g->memory, g->other, g->nodes,
                                g->sums, g->listed, g->rows,   g->clumps, g->parts, g->of};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        tact_buffer_destroy(all[i]);
    tact_release(e->base.env, g);
    e->grains = NULL;
}

static uint64_t bytes(const tact_gpu_particles* e)
{
    const tact_gpu_grains* g = e->grains;
    if (!g) return 0;
    const tact_buffer* const all[] = {g->spin, g->turn,   g->origin, g->memory, g->other, g->nodes,
                                      g->sums, g->listed, g->rows,   g->clumps, g->parts, g->of};
    return tact_buffer_sizes(all, sizeof all / sizeof *all);
}

static void swap(tact_buffer** a, tact_buffer** b)
{
    tact_buffer* was = *a;
    *a = *b;
    *b = was;
}

/// What was put in the scratch set, which is as large, and whose contents are of no more use, becomes the present.
static tact_result take_scratch(tact_gpu_particles* e)
{
    tact_gpu_grains* g = e->grains;
    if (tact_device_result(e->device) != TACT_OK) return tact_device_result(e->device);
    swap(&g->spin, &e->other.position);
    swap(&g->turn, &e->other.velocity);
    swap(&g->origin, &e->other.tag);
    g->holds = false;
    return TACT_OK;
}

static tact_result gather(tact_gpu_particles* e)
{
    const tact_gpu_grains* g = e->grains;
    TACT_LAUNCH_ITEMS(e->device, particles_gather, e->count, .ranked = e->ranked, .position = g->spin,
                      .velocity = g->turn, .tag = g->origin, .sorted_position = e->other.position,
                      .sorted_velocity = e->other.velocity, .sorted_tag = e->other.tag, .count = (uint32_t)e->count);
    return take_scratch(e);
}

static tact_result split(tact_gpu_particles* e, uint32_t sunk)
{
    const tact_gpu_grains* g = e->grains;
    TACT_LAUNCH_ITEMS(e->device, particles_split, e->count, .places = e->keys, .position = g->spin, .velocity = g->turn,
                      .tag = g->origin, .split_position = e->other.position, .split_velocity = e->other.velocity,
                      .split_tag = e->other.tag, .count = (uint32_t)e->count, .sunk = sunk);
    return take_scratch(e);
}

// ---- Making a list ----

/// Counts the pairs, or writes them to `memory`.
static tact_result walk_pairs(tact_gpu_particles* e, tact_buffer* memory, bool listing, float stretch)
{
    tact_particles_grain_list_args args = {
        .position = e->set.position,
        .tag = e->set.tag,
        .starts = e->starts,
        .model = e->model,
        .counts = e->keys,
        .rows = e->grains->rows,
        .memory = memory,
        .counters = e->counters,
        .count = (uint32_t)e->count,
        .checked = e->checked,
        .listing = listing,
        .stretch = stretch,
    };
    const tact_gpu_walk walk = {TACT_KERNEL_particles_grain_list,
                                &args,
                                sizeof args,
                                &args.walk_first,
                                &args.walk_window,
                                e->counters,
                                TACT_COUNTER_WALK};
    return tact_gpu_particles_walk(e, args.count, &walk);
}

/// What was counted: the rows of pairs of all blocks, and the longest.
typedef struct counted {
    uint32_t rows, longest;
} counted;

static tact_result count_pairs(tact_gpu_particles* e, float stretch, counted* found)
{
    tact_gpu_grains* g = e->grains;
    const uint32_t blocks = tact_gpu_grain_blocks(e->count);
    const size_t at = (size_t)TACT_COUNTER_CROWD * 4;
    tact_gpu_particles_need(e, &g->rows, ((uint64_t)blocks + 1) * 4, "rows of pairs");
    tact_buffer_fill(g->rows, 0, ((size_t)blocks + 1) * 4, 0);
    walk_pairs(e, e->other.position, false, stretch);
    tact_reduce_run(e->reduce, TACT_REDUCE_MAX_UINT, g->rows, blocks, e->counters, TACT_COUNTER_CROWD);
    tact_scan_run(e->scan, g->rows, g->rows, blocks + 1, NULL, 0);
    const tact_read reads[2] = {{g->rows, (size_t)blocks * 4, 4, &found->rows}, {e->counters, at, 4, &found->longest}};
    if (tact_device_read(e->device, reads, 2) != TACT_OK) return tact_device_result(e->device);
    if (tact_gpu_walks_limited(e) && found->longest > MOST_ROW)
        return TACT_DEVICE_FAIL(e->device, TACT_ERROR_LIMIT,
                                "%u partners about a particle, more than the driver's loops go round for",
                                (unsigned)found->longest);
    return TACT_OK;
}

/// Gives the pairs of the new list, in g->other, what those of the old one remember.
static tact_result match(tact_gpu_particles* e, uint32_t rolls, uint32_t bonds, uint32_t longest)
{
    tact_gpu_grains* g = e->grains;
    const bool limited = tact_gpu_walks_limited(e);
    const uint32_t window = limited ? MATCH_PAIRS : UINT32_MAX / 4;
    tact_buffer* old = g->memory ? g->memory : g->other;
    uint32_t first = 0;
    do {
        uint32_t old_first = 0;
        do {
            TACT_LAUNCH_ITEMS(e->device, particles_grain_match, e->count, .origin = g->origin, .old = old,
                              .memory = g->other, .renewed = e->other.tag, .count = (uint32_t)e->count,
                              .old_count = (uint32_t)g->list_count, .rolls = rolls, .old_rolls = g->rolls,
                              .first = first, .window = window, .old_first = old_first, .old_window = window,
                              .bonds = bonds, .old_bonds = g->bonds);
            old_first += window;
        } while (old_first < g->longest && tact_device_result(e->device) == TACT_OK);
        first += window;
    } while (first < longest && tact_device_result(e->device) == TACT_OK);
    return tact_device_result(e->device);
}

static tact_result write_list(tact_gpu_particles* e, const tact_particle_model* model, const counted* found,
                              float stretch)
{
    tact_gpu_grains* g = e->grains;
    const uint64_t blocks = tact_gpu_grain_blocks(e->count), pairs = (uint64_t)found->rows * TACT_GRAIN_LANES;
    const bool rolls = model->bonded || tact_grain_rules_roll(model);
    const uint64_t rows = blocks + pairs + (rolls ? pairs : 0) + (model->bonded ? pairs : 0);
    if (rows > UINT32_MAX)
        return TACT_DEVICE_FAIL(e->device, TACT_ERROR_LIMIT, "%llu pairs", (unsigned long long)pairs);
    if (tact_buffer_size(g->other) < rows * 16)
        tact_gpu_particles_need(e, &g->other, (rows + rows / 8) * 16, "pairs of particles");
    tact_buffer_fill(g->other, 0, (size_t)(blocks + pairs) * 16, TACT_GRAIN_NONE);
    walk_pairs(e, g->other, true, stretch);
    tact_gpu_clumps_place(e, model, g->other);
    // The angles of pair 0 would be as far on as there are pairs.
    const uint32_t rolls_at = rolls ? (uint32_t)pairs : 0, bonds_at = model->bonded ? 2 * (uint32_t)pairs : 0;
    if (match(e, rolls_at, bonds_at, found->longest) != TACT_OK) return tact_device_result(e->device);
    swap(&g->memory, &g->other);
    swap(&g->origin, &e->other.tag);
    g->rolls = rolls_at;
    g->bonds = bonds_at;
    g->list_count = e->count;
    g->longest = found->longest;
    g->list_rows = rows;
    return TACT_OK;
}

/// Lists the pairs anew. `model` gets the grid to find them in.
static tact_result make_list(tact_gpu_particles* e, tact_particle_model* model)
{
    tact_gpu_grains* g = e->grains;
    counted found = {0};
    if (g->age > 0) {
        g->margin = tact_grain_margin_after(g->margin, g->age, YOUNG);
        g->expected = g->age;
    }
    e->since_looked += g->age > 0 ? g->age : 1;
    g->age = 0;
    tact_gpu_particles_look(e);
    const TactGrid narrow = model->grid;
    const float reach = model->bonded ? TACT_BOND_LONGEST : 1.0f;
    const float margin =
        tact_grain_margin_in(&narrow, g->margin, tact_gpu_particles_least_radius(e), reach, &model->grid);
    if (margin < 0.0f)
        return TACT_DEVICE_FAIL(e->device, TACT_ERROR_LIMIT, "a period too short for bonds of particles this large");
    tact_gpu_particles_update(e, model);
    tact_gpu_particles_sort(e, e->set.position, &e->crowd, true);
    if (count_pairs(e, reach * (1.0f + margin), &found) != TACT_OK) return tact_device_result(e->device);
    write_list(e, model, &found, reach * (1.0f + margin));
    tact_gpu_particles_need(e, &g->listed, (uint64_t)e->count * 16, "places of particles");
    tact_buffer_copy(g->listed, 0, e->set.position, 0, e->count * 16);
    tact_buffer_fill(e->counters, (size_t)TACT_COUNTER_FAR * 4, 4, 0);
    if (tact_device_result(e->device) != TACT_OK) return tact_device_result(e->device);
    g->grid = model->grid;
    g->list_margin = margin;
    g->rules_version = model->rules_version;
    g->holds = true;
    ++g->lists;
    return TACT_OK;
}

// ---- Substeps ----

tact_result tact_gpu_grains_node_room(tact_gpu_particles* e, uint32_t count)
{
    tact_gpu_grains* g = e->grains;
    const uint64_t node = TACT_GRAIN_NODE_ROWS * 16u, had = g->node_room * node, bytes = count * node;
    tact_buffer* longer = NULL;
    if (count <= g->node_room) return tact_device_result(e->device);
    tact_buffer_create(e->device, (size_t)(2 * bytes), NULL, &longer);
    TACT_DEVICE_WITHIN(e->device, "room for contacts with surfaces: ");
    for (size_t pool = 0; pool < 2 && g->nodes; ++pool)
        tact_buffer_copy(longer, (size_t)(pool * bytes), g->nodes, (size_t)(pool * had), (size_t)had);
    if (tact_device_result(e->device) != TACT_OK) {
        tact_buffer_destroy(longer);
        return tact_device_result(e->device);
    }
    tact_buffer_destroy(g->nodes);
    g->nodes = longer;
    g->node_room = count;
    return TACT_OK;
}

/// Where the model's rows about grains begin.
static uint32_t grain_row(const tact_particle_model* model)
{
    return TACT_ROW_SOLIDS + 8 * model->solid_count;
}

static bool meets_surfaces(const tact_particle_model* model)
{
    const TactDomainAxis axes[3] = {model->domain.x, model->domain.y, model->domain.z};
    bool walls = false;
    for (int i = 0; i < 3; ++i)
        walls = walls || axes[i].faces == TACT_FACES_WALL;
    return walls || model->solid_count > 0 || model->body_count > 0;
}

/// `pool`: that the chains of this substep go to.
static tact_result meet_surfaces(tact_gpu_particles* e, const tact_particle_model* model, uint32_t number, bool pool)
{
    tact_gpu_grains* g = e->grains;
    const uint32_t count = (uint32_t)e->count;
    const bool bodies = model->body_count > 0;
    TACT_LAUNCH_ITEMS(e->device, particles_grain_static, count, .position = e->set.position,
                      .velocity = e->set.velocity, .tag = e->set.tag, .model = e->model, .spin = g->spin,
                      .nodes = g->nodes, .sums = g->sums, .counters = e->counters, .count = count, .number = number,
                      .pool = pool, .node_room = g->node_room, .bodies = bodies, .grain_row = grain_row(model));
    if (!bodies) return tact_device_result(e->device);
    return TACT_LAUNCH_ITEMS(e->device, particles_grain_bodies, count, .position = e->set.position,
                             .velocity = e->set.velocity, .model = e->model, .bodies = e->bodies.buffer,
                             .spin = g->spin, .nodes = g->nodes, .sums = g->sums, .counters = e->counters,
                             .count = count, .number = number, .pool = pool, .node_room = g->node_room,
                             .grain_row = grain_row(model));
}

/// Velocities, moves, and how grains turn.
static tact_result move(tact_gpu_particles* e, const tact_particle_model* model, const tact_gpu_program_call* call,
                        uint32_t number)
{
    tact_gpu_grains* g = e->grains;
    const uint32_t count = (uint32_t)e->count;
    const float most = TACT_GRAIN_MARGIN_USED * g->list_margin;
    const uint32_t way = tact_gpu_particles_way(model);
    if (way == 0 && !model->program && model->force_count == 0 && model->torque_count == 0) {
        return TACT_LAUNCH_ITEMS(e->device, particles_grain_move, count, .position = e->set.position,
                                 .velocity = e->set.velocity, .listed = g->listed, .sums = g->sums, .model = e->model,
                                 .spin = g->spin, .turn = g->turn, .counters = e->counters, .count = count,
                                 .number = number, .most = most, .grain_row = grain_row(model));
    }
    tact_gpu_particles_finish(e, g->sums, TACT_PART_MOVE | way, call->go);
    tact_gpu_torques_act(&e->program, model, grain_row(model), call);
    return TACT_LAUNCH_ITEMS(e->device, particles_grain_turn, count, .position = e->set.position,
                             .velocity = e->set.velocity, .listed = g->listed, .sums = g->sums, .model = e->model,
                             .spin = g->spin, .turn = g->turn, .counters = e->counters, .count = count,
                             .number = number, .most = most, .grain_row = grain_row(model));
}

/// `number`: in the batch, which begins with substep `first` of the call.
static tact_result substep(tact_gpu_particles* e, const tact_particle_model* model, uint32_t first, uint32_t number,
                           bool pool)
{
    tact_gpu_grains* g = e->grains;
    if (g->touched) meet_surfaces(e, model, number, pool);
    TACT_LAUNCH_ITEMS(e->device, particles_grain_pairs, e->count, .position = e->set.position,
                      .velocity = e->set.velocity, .spin = g->spin, .tag = e->set.tag, .model = e->model,
                      .memory = g->memory, .sums = g->sums, .counters = e->counters, .count = (uint32_t)e->count,
                      .number = number, .rolls = g->rolls, .grain_row = grain_row(model), .bonds = g->bonds);
    const tact_gpu_program_call call = tact_gpu_program_call_of(e, g->spin, TACT_COUNTER_RAN + number);
    tact_gpu_program_act(&e->program, model, first + number, &call);
    tact_gpu_clumps_move(e, model, number);
    move(e, model, &call, number);
    return tact_gpu_clumps_follow(e, number);
}

/// As many substeps as a list is likely to serve yet, within what the host asks for at once.
static uint32_t batch_of(const tact_gpu_grains* g, uint32_t left)
{
    const uint32_t least = LEAST_BATCH + g->age / 8;
    const uint32_t some = g->expected > g->age + least ? g->expected - g->age : least;
    const uint32_t most = some < TACT_GRAIN_BATCH ? some : TACT_GRAIN_BATCH;
    return left < most ? left : most;
}

/// Launches a batch, from substep `first` of the call on. Returns how many substeps of it were done.
static uint32_t take_batch(tact_gpu_particles* e, const tact_particle_model* model, uint32_t first, uint32_t batch)
{
    tact_gpu_grains* g = e->grains;
    const size_t at = (size_t)TACT_COUNTER_RAN * 4;
    uint32_t words[TACT_COUNTER_WORDS - TACT_COUNTER_RAN] = {0};
    const uint32_t *ran = words, *stop = words + (TACT_COUNTER_STOP - TACT_COUNTER_RAN),
                   *full = words + (TACT_COUNTER_FULL - TACT_COUNTER_RAN);
    uint32_t* nodes = words + (TACT_COUNTER_NODES - TACT_COUNTER_RAN);
    // Those of a substep that is done again have places already.
    nodes[0] = g->nodes_taken;
    tact_buffer_write(e->counters, at, words, sizeof words);
    // Ghosts that have come too far since the list was made.
    if (model->halo)
        tact_buffer_copy(e->counters, (size_t)TACT_COUNTER_STOP * 4, e->counters, (size_t)TACT_COUNTER_FAR * 4, 4);
    for (uint32_t k = 0; k < batch && tact_device_result(e->device) == TACT_OK; ++k)
        substep(e, model, first, k, g->pool != (k % 2 == 0));
    if (tact_buffer_read(e->counters, at, words, sizeof words) != TACT_OK) return 0;
    uint32_t done = 0;
    while (done < batch && ran[done] != 0)
        ++done;
    g->pool = g->pool != (done % 2 == 1);
    g->age += done;
    g->nodes_taken = 0;
    if (done < batch && full[done] != 0) {
        const uint64_t room = 2 * (uint64_t)nodes[done];
        g->nodes_taken = g->node_room;
        tact_gpu_grains_node_room(e, room < TACT_GRAIN_POOL ? (uint32_t)room : TACT_GRAIN_POOL - 1);
    }
    // The last of a batch may have been the last that the list serves.
    if (stop[done] != 0) g->holds = false;
    return done;
}

static tact_result step(tact_gpu_particles* e, const tact_particle_model* model, uint32_t substeps)
{
    tact_gpu_grains* g = e->grains;
    tact_particle_model with = *model;
    const uint32_t planes = model->body_count > 0 ? 4 : 3;
    tact_gpu_particles_need(e, &g->sums, (uint64_t)e->count * 16 * planes, "sums of forces");
    tact_gpu_grains_node_room(e, FIRST_NODES);
    // Once more where there are surfaces no longer, so that nothing of them is remembered.
    const bool surfaces = meets_surfaces(model);
    g->touched = g->touched || surfaces;
    g->nodes_taken = 0;
    tact_gpu_clumps_update(e, model);
    for (uint32_t left = substeps; left > 0 && tact_device_result(e->device) == TACT_OK;) {
        with.grid = model->grid;
        if (!g->holds || g->rules_version != model->rules_version) {
            make_list(e, &with);
        } else {
            with.grid = g->grid;
            tact_gpu_particles_update(e, &with);
        }
        if (tact_device_result(e->device) == TACT_OK) left -= take_batch(e, &with, substeps - left, batch_of(g, left));
        if (!surfaces && g->age > 0) g->touched = false;
    }
    return tact_device_result(e->device);
}

static tact_gpu_turns turns(const tact_gpu_particles* e)
{
    const tact_gpu_grains* g = e->grains;
    return (tact_gpu_turns){
        .spin = g->spin, .listed = g->holds ? g->listed : NULL, .most = TACT_GRAIN_MARGIN_USED * g->list_margin};
}

static const tact_gpu_turning turning = {.destroy = destroy,
                                         .bytes = bytes,
                                         .step = step,
                                         .gather = gather,
                                         .split = split,
                                         .come = tact_gpu_grains_come,
                                         .upload = tact_gpu_grains_upload,
                                         .turns = turns,
                                         .read = tact_gpu_grains_read};

tact_result tact_particle_gpu_create_turning(tact_device* device, tact_backend backend, tact_particle_engine** engine)
{
    tact_env* env = tact_device_env(device);
    tact_gpu_grains* g = tact_allocate_zeroed(env, 1, sizeof *g);
    const tact_result result = g ? tact_particle_gpu_create(device, backend, engine) : TACT_ERROR_OUT_OF_MEMORY;
    if (result != TACT_OK) {
        tact_release(env, g);
        return result;
    }
    tact_gpu_particles* e = (tact_gpu_particles*)*engine;
    g->margin = TACT_GRAIN_FIRST_MARGIN;
    e->grains = g;
    e->turning = &turning;
    return TACT_OK;
}
