// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/filter/image.h"

#include <math.h>
#include <string.h>

#include "base/platform.h"
#include "gpu/blocks/blocks.h"

enum {
    PART_SHIFT = 5,
    GROUPS = 256,     // of the survey; what it leaves comes to the host
    CHUNK = 1 << 18,  // triangles marked at once: their setups are 16 MiB, which every device can bind
    SETUP_BYTES = TACT_FILTER_SETUP_VECTORS * 16,
    WIDTH_MOST = 4096,      // pixels: the places of a triangle in them are in single precision
    CELLS_LOG2_LEAST = 16,  // by the number of triangles
    CELLS_LOG2_MOST = 24,
    CELLS_A_TRIANGLE = 4,
    ROUNDS_MOST = 24,
    ROUNDS_PLAIN = 1,  // each loses some pairs, and their triangles then no longer mark cells
    BRICK_CELLS = TACT_FILTER_BRICK * TACT_FILTER_BRICK * TACT_FILTER_BRICK,
    STATE_PIECES = 1  // words of the state: bricks made, then the pieces of each chunk, of the image and in bricks
};

_Static_assert(1 << PART_SHIFT == TACT_FILTER_PART, "kernels shift where they divide by a part");

// Cells that a triangle touches on average: in the first image, in which all are drawn, and in later ones.
#define TOUCHED_FIRST 24.0
#define TOUCHED_MOST 96.0
// A turn of the three frames that leaves out less than this share of the triangles is the last one.
#define TURN_LEAST 0.15
// Pixels that triangles touch in all: their pieces are numbered in 32 bits.
#define PIXELS_MOST 4.0e9

// What an image had, for each slot of its list: the next run's is likely to have about as much.
typedef struct past {
    uint64_t slots;                  // 0: nothing is known
    bool crowded;                    // there was no room for bricks
    double bricks, pieces[2], kept;  // pieces of the image and in bricks, at most in a chunk
} past;

struct tact_gpu_filter_image {
    tact_device* device;
    tact_compact* compact;
    tact_scan* scan;
    tact_reduce* reduce;
    tact_buffer* lists[2];  // two words an entry
    tact_buffer *kept, *firsts, *found, *setups, *pieces, *cells, *flags, *places, *seen, *bricks, *state, *near,
        *of_parts, *of_objects, *sums;
    uint32_t rounds_most;
    tact_filter_view view;  // of the last image
    past last[ROUNDS_MOST];
};

typedef struct filtering {
    tact_gpu_filter_image* g;
    const tact_gpu_filter_scene* scene;
    const tact_filter_job* job;
    bool plain;
    double cells;          // of an image, at most
    uint32_t bricks_most;  // that there may be room for
    double first_work;     // triangles of the first image
    double unit;
    uint32_t entries;  // in the current list
    uint32_t shift;    // its entries are parts (PART_SHIFT), or triangles (0)
    int list;          // lists[list] is the current one
    tact_filter_survey survey;
    // Of the image that is made:
    const past* last;
    bool sure;                // what it has is waited for before launches that depend on it
    bool crowded;             // it goes without bricks
    uint32_t room;            // for bricks
    uint32_t list_room;       // for entries of the next list
    uint32_t chunk_pieces;    // to launch for, of the chunk that was set up last
    bool fine;                // what is marked are the cells of bricks
    tact_filter_view coarse;  // the view of the image that has these bricks
} filtering;

static tact_result make_parts(tact_gpu_filter_image* g)
{
    tact_compact_create(g->device, 0, &g->compact);
    tact_scan_create(g->device, 0, &g->scan);
    tact_reduce_create(g->device, 0, &g->reduce);
    static const tact_kernel_id kernels[] = {
        TACT_KERNEL_filter_counts, TACT_KERNEL_filter_parts,       TACT_KERNEL_filter_survey, TACT_KERNEL_filter_setup,
        TACT_KERNEL_filter_mark,   TACT_KERNEL_filter_mark_pieces, TACT_KERNEL_filter_tally,  TACT_KERNEL_filter_list,
        TACT_KERNEL_scan_sums,     TACT_KERNEL_scan_apply,         TACT_KERNEL_compact_write, TACT_KERNEL_reduce_words};
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; ++i)
        tact_device_prepare(g->device, kernels[i]);
    return tact_device_result(g->device);
}

tact_result tact_gpu_filter_image_create(tact_device* device, tact_gpu_filter_image** image)
{
    *image = NULL;
    tact_gpu_filter_image* g = tact_allocate_zeroed(tact_device_env(device), 1, sizeof *g);
    if (!g) return tact_device_fail(device, TACT_ERROR_OUT_OF_MEMORY);
    g->device = device;
    g->rounds_most = ROUNDS_MOST;
    const tact_result result = make_parts(g);
    if (result != TACT_OK) {
        tact_gpu_filter_image_destroy(g);
        return result;
    }
    *image = g;
    return TACT_OK;
}

enum { OWN = 17 };

static void list_buffers(const tact_gpu_filter_image* g, tact_buffer* buffers[OWN])
{
    tact_buffer* const own[OWN] = {g->lists[0], g->lists[1], g->kept,     g->firsts,     g->found, g->setups,
                                   g->pieces,   g->cells,    g->flags,    g->places,     g->seen,  g->bricks,
                                   g->state,    g->near,     g->of_parts, g->of_objects, g->sums};
    memcpy(buffers, own, sizeof own);
}

void tact_gpu_filter_image_destroy(tact_gpu_filter_image* g)
{
    if (!g) return;
    tact_buffer* buffers[OWN];
    list_buffers(g, buffers);
    for (int i = 0; i < OWN; ++i)
        tact_buffer_destroy(buffers[i]);
    tact_reduce_destroy(g->reduce);
    tact_scan_destroy(g->scan);
    tact_compact_destroy(g->compact);
    tact_release(tact_device_env(g->device), g);
}

uint64_t tact_gpu_filter_image_bytes(const tact_gpu_filter_image* image)
{
    // The scan's scratch memory twice: a compaction has one of its own.
    uint64_t sum = 2 * TACT_SCAN_SCRATCH_BYTES + TACT_REDUCE_SCRATCH_BYTES;
    tact_buffer* buffers[OWN];
    list_buffers(image, buffers);
    return sum + tact_buffer_sizes((const tact_buffer* const*)buffers, OWN);
}

void tact_gpu_filter_image_limit(tact_gpu_filter_image* image, uint32_t rounds)
{
    image->rounds_most = rounds;
}

const tact_filter_view* tact_gpu_filter_image_view(const tact_gpu_filter_image* image)
{
    return &image->view;
}

// ---- Lists ----

// All parts of all objects. How many there are is in kept[0]; the host knows only that they are no more than `most`.
static tact_result list_parts(filtering* f, uint32_t most)
{
    tact_gpu_filter_image* g = f->g;
    const tact_gpu_filter_scene* s = f->scene;
    // Objects that take no part have no triangles there.
    const uint32_t objects = s->taking_part[s->taking_part_count - 1] + 1;
    tact_buffer_hold(g->device, &g->firsts, (uint64_t)objects * 4);
    tact_buffer_hold(g->device, &g->kept, 4);
    if (tact_buffer_hold(g->device, &g->lists[0], (uint64_t)most * 8) != TACT_OK) return tact_device_result(g->device);
    TACT_LAUNCH_ITEMS(g->device, filter_counts, objects, .objects = s->objects, .counts = g->firsts, .count = objects);
    tact_scan_run(g->scan, g->firsts, g->firsts, objects, g->kept, 0);
    return TACT_LAUNCH_ITEMS(g->device, filter_parts, most, .firsts = g->firsts, .kept = g->kept, .list = g->lists[0],
                             .count = objects);
}

static uint32_t groups_of(uint64_t slots)
{
    return slots < (uint64_t)GROUPS * 256 ? (uint32_t)(slots / 256 + 1) : GROUPS;
}

// Surveys a list of as many entries as kept[0] says, at most `room`.
static void survey(filtering* f, const float* rows, int list, uint32_t shift, uint32_t room)
{
    tact_gpu_filter_image* g = f->g;
    const uint32_t groups = groups_of((uint64_t)room << shift);
    tact_buffer_hold(g->device, &g->found, GROUPS * TACT_FILTER_SURVEY_WORDS * 4);
    TACT_LAUNCH(g->device, filter_survey, groups, .list = g->lists[list], .kept = g->kept,
                .vertices = f->scene->vertices, .indices = f->scene->indices, .objects = f->scene->objects,
                .found = g->found, .shift = shift, .groups = groups, .unit = (float)f->unit, .xx = rows[0],
                .xy = rows[1], .xz = rows[2], .yx = rows[3], .yy = rows[4], .yz = rows[5], .zx = rows[6], .zy = rows[7],
                .zz = rows[8], .room = room);
}

static uint64_t slots_of(const filtering* f)
{
    return (uint64_t)f->entries << f->shift;
}

// Somewhat more, for what may come when there were so many.
static uint32_t with_slack(double count)
{
    return (uint32_t)fmin(1.25 * count + 64.0, 0x1p31);
}

// What there is about if each slot has as many as the last run's.
static uint32_t expected(double of_one, uint64_t slots)
{
    return with_slack(of_one * (double)slots);
}

// Bytes for so many, and for somewhat more the next time where that is known from this run.
static uint64_t room_bytes(const filtering* f, uint32_t count, uint32_t each)
{
    const uint64_t bound = tact_device_describe(f->g->device)->max_buffer_bytes;
    const uint64_t more = (uint64_t)with_slack(count) * each;
    return f->sure && more <= bound ? more : (uint64_t)count * each;
}

// The entries whose flag is set, as triangles, go to the other list.
static void keep_flagged(filtering* f)
{
    tact_gpu_filter_image* g = f->g;
    const uint32_t slots = (uint32_t)slots_of(f);
    tact_buffer** to = &g->lists[1 - f->list];
    f->list_room = slots;
    if (f->shift == 0) {
        tact_buffer_hold(g->device, to, (uint64_t)slots * 8);
        tact_compact_values(g->compact, g->flags, g->lists[f->list], 2, *to, slots, g->kept, 0);
        return;
    }
    tact_buffer_hold(g->device, &g->places, (uint64_t)slots * 4);
    tact_compact_indices(g->compact, g->flags, g->places, slots, g->kept, 0);
    // The list of all triangles might be more than the device can bind.
    uint32_t kept = expected(f->last->kept, slots);
    if (f->sure) tact_buffer_read(g->kept, 0, &kept, 4);
    if (kept < slots) f->list_room = kept;
    tact_buffer_hold(g->device, to, room_bytes(f, f->list_room + 1, 8));
    TACT_LAUNCH_ITEMS(g->device, filter_list, f->list_room, .places = g->places, .parts = g->lists[f->list],
                      .kept = g->kept, .list = *to, .room = f->list_room);
}

// ---- Images ----

// Triangles of some slots, and the word of the state that says how many pieces those are in that are large.
typedef struct chunk {
    uint32_t first, count, word;
} chunk;

static uint32_t chunks_of(const filtering* f)
{
    return (uint32_t)((slots_of(f) + CHUNK - 1) / CHUNK);
}

static chunk chunk_of(const filtering* f, uint32_t number)
{
    const uint64_t first = (uint64_t)number * CHUNK, rest = slots_of(f) - first;
    const uint32_t before = f->fine ? chunks_of(f) : 0;
    return (chunk){(uint32_t)first, rest < CHUNK ? (uint32_t)rest : CHUNK, STATE_PIECES + before + number};
}

static size_t state_bytes(const filtering* f)
{
    return (STATE_PIECES + 2 * (size_t)chunks_of(f)) * 4;
}

static void set_up(filtering* f, const chunk* c)
{
    tact_gpu_filter_image* g = f->g;
    const tact_filter_view* v = &g->view;
    TACT_LAUNCH_ITEMS(g->device, filter_setup, c->count, .list = g->lists[f->list], .vertices = f->scene->vertices,
                      .indices = f->scene->indices, .objects = f->scene->objects, .setups = g->setups,
                      .pieces = g->pieces, .near = g->near, .first = c->first, .count = c->count, .shift = f->shift,
                      .plain = f->plain && f->fine, .fine = f->fine, .width = v->cells[0], .height = v->cells[1],
                      .slack = v->slack, .xx = v->rows[0], .xy = v->rows[1], .xz = v->rows[2], .yx = v->rows[3],
                      .yy = v->rows[4], .yz = v->rows[5], .zx = v->rows[6], .zy = v->rows[7], .zz = v->rows[8],
                      .left_x = v->corner[0], .left_y = v->corner[1], .left_z = v->corner[2], .scale = v->scale);
    tact_scan_run(g->scan, g->pieces, g->pieces, c->count, g->state, c->word);
    f->chunk_pieces = expected(f->last->pieces[f->fine], c->count);
    if (f->sure) tact_buffer_read(g->state, (size_t)c->word * 4, &f->chunk_pieces, 4);
}

static void mark(const filtering* f, const chunk* c, bool asking)
{
    tact_gpu_filter_image* g = f->g;
    const tact_filter_view* v = &g->view;
    const tact_filter_mark_args args = {.setups = g->setups,
                                        .pieces = g->pieces,
                                        .cells = g->cells,
                                        .bricks = g->bricks,
                                        .flags = f->fine ? g->flags : g->near,
                                        .state = g->state,
                                        .count = c->count,
                                        .first = c->first,
                                        .asking = asking,
                                        .fine = f->fine,
                                        .room = f->room,
                                        .pieces_at = c->word,
                                        .width = v->cells[0],
                                        .height = v->cells[1],
                                        .depth = v->cells[2],
                                        .coarse_width = f->coarse.cells[0],
                                        .coarse_depth = f->coarse.cells[2],
                                        .slack = v->slack,
                                        .wide = v->wide,
                                        .deep = v->deep};
    tact_device_launch_items(g->device, TACT_KERNEL_filter_mark, c->count, &args, sizeof args);
    tact_device_launch_items(g->device, TACT_KERNEL_filter_mark_pieces, f->chunk_pieces, &args, sizeof args);
}

// Marks cells, or asks them; what one chunk set up is there for both.
static void go_through(filtering* f, bool asking)
{
    const uint32_t chunks = chunks_of(f);
    for (uint32_t i = 0; i < chunks && tact_device_result(f->g->device) == TACT_OK; ++i) {
        const chunk c = chunk_of(f, i);
        if (!asking || chunks > 1) set_up(f, &c);
        mark(f, &c, asking);
    }
}

static tact_filter_budget budget_of(const filtering* f)
{
    // Fewer triangles may touch more cells each.
    const double count = (double)(f->survey.triangles + 1);
    const double fewer = fmin(fmax(TOUCHED_FIRST * f->first_work / count, TOUCHED_FIRST), TOUCHED_MOST);
    return (tact_filter_budget){
        .cells = f->cells, .touched = fmin(fewer, PIXELS_MOST / count), .width_most = WIDTH_MOST, .unit = f->unit};
}

static uint64_t cells_of(const tact_filter_view* v)
{
    return (uint64_t)v->cells[0] * v->cells[1] * v->cells[2];
}

static void hold_image(filtering* f)
{
    tact_gpu_filter_image* g = f->g;
    const uint64_t slots = slots_of(f), cells = cells_of(&g->view);
    const uint64_t most = slots < CHUNK ? slots : CHUNK;
    tact_buffer_hold(g->device, &g->cells, cells * 4);
    tact_buffer_hold(g->device, &g->setups, most * SETUP_BYTES);
    tact_buffer_hold(g->device, &g->pieces, most * 4);
    tact_buffer_hold(g->device, &g->flags, slots * 4);
    tact_buffer_hold(g->device, &g->near, slots * 4);
    tact_buffer_hold(g->device, &g->bricks, 4);
    tact_buffer_hold(g->device, &g->state, state_bytes(f));
    tact_buffer_fill(g->cells, 0, (size_t)cells * 4, 0);
    tact_buffer_fill(g->flags, 0, (size_t)slots * 4, 0);
    tact_buffer_fill(g->near, 0, (size_t)slots * 4, 0);
    tact_buffer_fill(g->state, 0, state_bytes(f), 0);
}

// How many bricks there is room for, or that there are to be none.
static void plan_bricks(filtering* f)
{
    uint32_t made = expected(f->last->bricks, slots_of(f));
    f->crowded = f->last->crowded;
    if (f->sure) {
        tact_buffer_read(f->g->state, 0, &made, 4);
        f->crowded = made > f->bricks_most;
    }
    f->room = made < f->bricks_most ? made : f->bricks_most;
}

// Bricks for the cells of more than one object, in which what touches them is marked again.
static void ask_bricks(filtering* f, const tact_filter_view* fine)
{
    tact_gpu_filter_image* g = f->g;
    const uint32_t brick = BRICK_CELLS * 4;
    tact_buffer_hold(g->device, &g->bricks, room_bytes(f, f->room, brick));
    tact_buffer_fill(g->bricks, 0, (size_t)f->room * brick, 0);
    f->fine = true;
    g->view = *fine;
    if (f->plain) {
        g->view.slack = g->view.wide = 0.0f;
        g->view.deep = 0.5f;
    }
    go_through(f, false);
    go_through(f, true);
}

// An image of what the list has in this frame, which has been surveyed there: sets the flags.
static void make_image(filtering* f, const float* rows)
{
    tact_gpu_filter_image* g = f->g;
    const tact_filter_budget budget = budget_of(f);
    const tact_filter_view fine = tact_filter_fit(rows, &f->survey, &budget);
    f->coarse = g->view = tact_filter_coarser(&fine);
    f->fine = false;
    hold_image(f);
    go_through(f, false);
    plan_bricks(f);
    go_through(f, true);
    if (!f->crowded) {
        ask_bricks(f, &fine);
    } else {
        // There is no room for them: what the image's own cells tell has to do.
        tact_buffer_copy(g->flags, 0, g->near, 0, (size_t)slots_of(f) * 4);
    }
}

// ---- What they had ----

// Whether launches and room were enough for what there was. Notes what that is.
static bool had_room(filtering* f, const uint32_t* state, uint32_t kept, past* now)
{
    const bool crowded = state[0] > f->bricks_most;
    const double slots = (double)slots_of(f);
    bool enough = kept <= f->list_room && crowded == f->crowded && (crowded || state[0] <= f->room);
    *now = (past){
        .slots = slots_of(f), .crowded = crowded, .bricks = (double)state[0] / slots, .kept = (double)kept / slots};
    for (int fine = 0; fine < (f->crowded ? 1 : 2); ++fine) {
        f->fine = fine;
        for (uint32_t i = 0; i < chunks_of(f); ++i) {
            const chunk c = chunk_of(f, i);
            enough = enough && state[c.word] <= expected(f->last->pieces[fine], c.count);
            now->pieces[fine] = fmax(now->pieces[fine], (double)state[c.word] / c.count);
        }
    }
    return f->sure || enough;
}

// What takes fewer is forgotten slowly, so that of calls in turn the larger ones are not always done twice.
static void note(past* last, const past* now)
{
    const past before = *last;
    *last = *now;
    last->bricks = fmax(now->bricks, 0.95 * before.bricks);
    last->kept = fmax(now->kept, 0.95 * before.kept);
    for (int i = 0; i < 2; ++i)
        last->pieces[i] = fmax(now->pieces[i], 0.95 * before.pieces[i]);
}

// ---- Stages ----

// How many triangles the objects, and the parts, of those flagged have.
static void tally(filtering* f)
{
    tact_gpu_filter_image* g = f->g;
    const uint32_t parts = f->entries;
    const uint64_t objects = f->scene->taking_part[f->scene->taking_part_count - 1] + 1ull;
    tact_buffer_hold(g->device, &g->seen, objects * 4);
    tact_buffer_hold(g->device, &g->of_parts, (uint64_t)parts * 4);
    tact_buffer_hold(g->device, &g->of_objects, (uint64_t)parts * 4);
    tact_buffer_hold(g->device, &g->sums, 8);
    tact_buffer_fill(g->seen, 0, (size_t)objects * 4, 0);
    TACT_LAUNCH_ITEMS(g->device, filter_tally, parts, .list = g->lists[f->list], .objects = f->scene->objects,
                      .flags = g->flags, .seen = g->seen, .of_parts = g->of_parts, .of_objects = g->of_objects,
                      .count = parts);
    tact_reduce_run(g->reduce, TACT_REDUCE_SUM_UINT, g->of_objects, parts, g->sums, 0);
    tact_reduce_run(g->reduce, TACT_REDUCE_SUM_UINT, g->of_parts, parts, g->sums, 1);
}

// Waits for what a survey of at most so many slots found.
static tact_result take_survey(const filtering* f, uint64_t slots, const tact_read* more, size_t count,
                               tact_filter_survey* found)
{
    uint32_t words[GROUPS * TACT_FILTER_SURVEY_WORDS];
    const uint32_t groups = groups_of(slots);
    tact_read reads[3] = {{f->g->found, 0, (size_t)groups * TACT_FILTER_SURVEY_WORDS * 4, words}};
    for (size_t i = 0; i < count; ++i)
        reads[1 + i] = more[i];
    if (tact_device_read(f->g->device, reads, 1 + count) == TACT_OK) *found = tact_filter_survey_of(words, groups);
    return tact_device_result(f->g->device);
}

// An image, the list of what it leaves, and the survey of that in the next frame. Waits once, if there is about as much
// as the last run had. Of the first image how many triangles the objects, and the parts, have.
static tact_result see(filtering* f, uint32_t round, uint32_t sums[2])
{
    tact_gpu_filter_image* g = f->g;
    past now = {0};
    tact_filter_survey found;
    uint32_t* state = tact_allocate(tact_device_env(g->device), state_bytes(f) / 4, 4);
    if (!state) return tact_device_fail(g->device, TACT_ERROR_OUT_OF_MEMORY);
    past* last = &g->last[round];
    f->last = last;
    f->sure = slots_of(f) > 2 * last->slots || 2 * slots_of(f) < last->slots;
    if (f->sure) *last = (past){0};
    for (bool done = false; !done; f->sure = true) {
        make_image(f, tact_filter_frame(round));
        if (round == 0) tally(f);
        keep_flagged(f);
        survey(f, tact_filter_frame(round + 1), 1 - f->list, 0, f->list_room);
        const tact_read reads[2] = {{g->state, 0, state_bytes(f), state}, {g->sums, 0, 8, sums}};
        if (take_survey(f, f->list_room, reads, round == 0 ? 2 : 1, &found) != TACT_OK) break;
        done = had_room(f, state, found.entries, &now);
    }
    tact_release(tact_device_env(g->device), state);
    if (tact_device_result(g->device) != TACT_OK) return tact_device_result(g->device);
    note(last, &now);
    f->survey = found;
    f->entries = found.entries;
    f->shift = 0;
    f->list = 1 - f->list;
    return TACT_OK;
}

// The first image has all triangles: it tells objects, parts and triangles at once.
static tact_result run_first(filtering* f, tact_filter_count counts[TACT_FILTER_STAGES])
{
    const double begin = tact_platform_milliseconds();
    uint32_t sums[2] = {0, 0};
    const uint64_t most = (uint64_t)f->scene->triangle_count / TACT_FILTER_PART + f->scene->taking_part_count;
    // Numbers from 2^31 on stand for cells of more than one object.
    const uint32_t objects = f->scene->taking_part[f->scene->taking_part_count - 1];
    // The survey's threads step by GROUPS * 256 triangles, which must not wrap.
    if (most > (UINT32_MAX - GROUPS * 256u) >> PART_SHIFT || objects >= INT32_MAX) {
        return TACT_DEVICE_FAIL(f->g->device, TACT_ERROR_LIMIT, "%u triangles of %u objects in images",
                                (unsigned)f->scene->triangle_count, (unsigned)f->scene->taking_part_count);
    }
    list_parts(f, (uint32_t)most);
    survey(f, tact_filter_frame(0), 0, PART_SHIFT, (uint32_t)most);
    if (take_survey(f, most << PART_SHIFT, NULL, 0, &f->survey) != TACT_OK) return tact_device_result(f->g->device);
    f->shift = PART_SHIFT;
    f->entries = f->survey.entries;
    f->first_work = (double)f->survey.triangles;
    if (f->entries && f->survey.lower[0] <= f->survey.upper[0]) {
        see(f, 0, sums);
    } else {
        // Nothing that could be seen.
        f->entries = f->shift = 0;
        f->survey = (tact_filter_survey){.entries = 0};
    }
    const double end = tact_platform_milliseconds();
    counts[TACT_FILTER_OBJECTS] = (tact_filter_count){true, f->survey.objects, sums[0], 1, end - begin};
    counts[TACT_FILTER_PARTS] = (tact_filter_count){true, f->survey.objects, sums[1], 0, 0.0};
    counts[TACT_FILTER_TRIANGLES] = (tact_filter_count){true, f->survey.objects, f->survey.triangles, 0, 0.0};
    return tact_device_result(f->g->device);
}

// Images come before the search of pairs, of which nothing is done yet.
static tact_result check_progress(const filtering* f)
{
    const tact_filter_job* q = f->job;
    if (!q->progress || q->progress(0.0, q->progress_user)) return TACT_OK;
    return TACT_DEVICE_FAIL(f->g->device, TACT_ERROR_CANCELLED, "cancelled among the images");
}

static void run_rest(filtering* f, tact_filter_count* counted)
{
    const double begin = tact_platform_milliseconds();
    uint64_t before[TACT_FILTER_FRAMES] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
    uint32_t round = 1;
    const uint32_t plain = f->g->rounds_most < ROUNDS_PLAIN ? f->g->rounds_most : ROUNDS_PLAIN;
    const uint32_t most = f->plain ? plain : f->g->rounds_most;
    for (; round < most && f->entries && tact_device_result(f->g->device) == TACT_OK; ++round) {
        // What was left when this frame's turn was last.
        uint64_t* then = &before[round % TACT_FILTER_FRAMES];
        if ((double)f->survey.triangles > (1.0 - TURN_LEAST) * (double)*then) break;
        *then = f->survey.triangles;
        if (check_progress(f) == TACT_OK) see(f, round, NULL);
    }
    counted->objects = f->survey.objects;
    counted->triangles = f->survey.triangles;
    counted->rounds = round - 1;
    counted->ms = tact_platform_milliseconds() - begin;
}

static void plan(filtering* f, const tact_filter_options* options)
{
    const tact_gpu_filter_scene* s = f->scene;
    uint32_t log2 = options->cells_log2;
    if (log2 == 0) {
        log2 = CELLS_LOG2_LEAST;
        while (log2 < CELLS_LOG2_MOST && (double)(1u << log2) < CELLS_A_TRIANGLE * (double)s->triangle_count)
            ++log2;
    }
    const double most = (double)(tact_device_describe(f->g->device)->max_buffer_bytes / 4);
    f->cells = fmin(ldexp(1.0, (int)log2), fmin(most, 0x1p31));
    f->bricks_most = (uint32_t)(fmin(fmax(4.0 * f->cells, 0x1p20), fmin(most, 0x1p31)) / BRICK_CELLS);
    double extent = 0x1p-100;
    for (int k = 0; k < 3; ++k)
        extent = fmax(extent, (double)s->upper[k] - (double)s->lower[k]);
    f->unit = 1.0 / extent;
}

tact_result tact_gpu_filter_image_run(tact_gpu_filter_image* g, const tact_gpu_filter_scene* scene,
                                      const tact_filter_job* job, tact_buffer** left, uint32_t* count,
                                      tact_filter_count counts[TACT_FILTER_STAGES])
{
    filtering f = {.g = g, .scene = scene, .job = job, .plain = job->options.fast};
    *left = NULL;
    *count = 0;
    for (int stage = TACT_FILTER_OBJECTS; stage <= TACT_FILTER_TRIANGLES; ++stage)
        counts[stage] = (tact_filter_count){.ran = true};
    plan(&f, &job->options);
    if (scene->taking_part_count && scene->triangle_count) {
        if (run_first(&f, counts) == TACT_OK) run_rest(&f, &counts[TACT_FILTER_TRIANGLES]);
    }
    tact_buffer_hold(g->device, &g->lists[f.list], 8);
    *left = g->lists[f.list];
    *count = f.entries;
    return tact_device_result(g->device);
}
