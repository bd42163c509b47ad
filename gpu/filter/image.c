// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/filter/image.h"

#include <math.h>
#include <string.h>

#include "base/platform.h"
#include "gpu/blocks/blocks.h"

extern const unsigned char tact_shader_filter_cells_vert[], tact_shader_filter_cells_frag[];

enum {
    PART_SHIFT = 5,
    GROUPS = 256,     // of the survey; what it leaves comes to the host
    CHUNK = 1 << 18,  // triangles drawn at once: their setups are 16 MiB, which every device can bind
    SETUP_BYTES = TACT_FILTER_SETUP_VECTORS * 16,
    WIDTH_MOST = 4096,      // pixels: the places of a triangle in them are in single precision
    CELLS_LOG2_LEAST = 16,  // by the number of triangles
    CELLS_LOG2_MOST = 24,
    CELLS_A_TRIANGLE = 4,
    ROUNDS_MOST = 24,
    ROUNDS_PLAIN = 1,  // each loses some pairs, and their triangles then no longer mark cells
    BRICK_CELLS = TACT_FILTER_BRICK * TACT_FILTER_BRICK * TACT_FILTER_BRICK,
    UNIFORM_WIDTH = 0,
    UNIFORM_HEIGHT,
    UNIFORM_DEPTH,
    UNIFORM_SLACK,
    UNIFORM_WIDE,
    UNIFORM_TARGET,
    UNIFORM_ASKING,
    UNIFORM_FIRST,
    UNIFORM_FINE,
    UNIFORM_COARSE_WIDTH,
    UNIFORM_COARSE_DEPTH,
    UNIFORM_DEEP
};

_Static_assert(1 << PART_SHIFT == TACT_FILTER_PART, "kernels shift where they divide by a part");

// Cells that a triangle touches on average: in the first image, in which all are drawn, and in later ones.
#define TOUCHED_FIRST 24.0
#define TOUCHED_MOST 96.0
// A turn of the three frames that leaves out less than this share of the triangles is the last one.
#define TURN_LEAST 0.15

struct tact_gpu_filter_image {
    tact_device* device;
    tact_raster* raster;
    tact_raster_program* program;
    tact_raster_target* target;
    uint32_t target_size[2];
    tact_compact* compact;
    tact_scan* scan;
    tact_reduce* reduce;
    tact_buffer* lists[2];  // two words an entry
    tact_buffer *kept, *firsts, *found, *setups, *cells, *flags, *places, *seen, *bricks, *made, *near, *of_parts,
        *of_objects, *sums;
    uint32_t rounds_most;
    tact_filter_view view;  // of the last image
};

typedef struct filtering {
    tact_gpu_filter_image* g;
    const tact_gpu_filter_scene* scene;
    const tact_filter_job* job;
    bool plain;
    double cells;        // of an image, at most
    double bricks_most;  // words of bricks
    double first_work;   // triangles of the first image
    double unit;
    uint32_t entries;  // in the current list
    uint32_t shift;    // its entries are parts (PART_SHIFT), or triangles (0)
    int list;          // lists[list] is the current one
    tact_filter_survey survey;
    bool fine;                // what is drawn are the cells of bricks
    tact_filter_view coarse;  // the view of the image that has these bricks
} filtering;

static tact_result make_parts(tact_gpu_filter_image* g)
{
    static const tact_raster_program_desc desc = {"filter_cells", tact_shader_filter_cells_vert, NULL,
                                                  tact_shader_filter_cells_frag};
    if (tact_raster_create(g->device, &g->raster) != TACT_OK) return tact_device_result(g->device);
    if (tact_raster_get_limits(g->raster).vertex_storage < 2) {
        TACT_DEVICE_FAIL(g->device, TACT_ERROR_UNSUPPORTED,
                         "the filter's vertex shader needs two buffer blocks, and this device has fewer for it");
    }
    tact_raster_program_create(g->raster, &desc, &g->program);
    tact_compact_create(g->device, 0, &g->compact);
    tact_scan_create(g->device, 0, &g->scan);
    tact_reduce_create(g->device, 0, &g->reduce);
    static const tact_kernel_id kernels[] = {
        TACT_KERNEL_filter_counts, TACT_KERNEL_filter_parts, TACT_KERNEL_filter_survey, TACT_KERNEL_filter_setup,
        TACT_KERNEL_filter_tally,  TACT_KERNEL_filter_list,  TACT_KERNEL_scan_sums,     TACT_KERNEL_scan_apply,
        TACT_KERNEL_compact_write, TACT_KERNEL_reduce_words};
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

enum { OWN = 16 };

static void list_buffers(const tact_gpu_filter_image* g, tact_buffer* buffers[OWN])
{
    tact_buffer* const own[OWN] = {g->lists[0], g->lists[1], g->kept,   g->firsts, g->found,    g->setups,
                                   g->cells,    g->flags,    g->places, g->seen,   g->of_parts, g->of_objects,
                                   g->sums,     g->bricks,   g->made,   g->near};
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
    tact_raster_target_destroy(g->target);
    tact_raster_program_destroy(g->program);
    tact_raster_destroy(g->raster);
    tact_release(tact_device_env(g->device), g);
}

uint64_t tact_gpu_filter_image_bytes(const tact_gpu_filter_image* image)
{
    // The scan's scratch memory twice: a compaction has one of its own.
    uint64_t sum = 2 * TACT_SCAN_SCRATCH_BYTES + TACT_REDUCE_SCRATCH_BYTES;
    tact_buffer* buffers[OWN];
    list_buffers(image, buffers);
    for (int i = 0; i < OWN; ++i)
        sum += tact_buffer_size(buffers[i]);
    return image->target ? sum + (uint64_t)image->target_size[0] * image->target_size[1] * 4 : sum;
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

static tact_result survey(filtering* f, const float* rows)
{
    tact_gpu_filter_image* g = f->g;
    uint32_t words[GROUPS * TACT_FILTER_SURVEY_WORDS];
    const uint64_t slots = (uint64_t)f->entries << f->shift;
    const uint32_t groups = slots < (uint64_t)GROUPS * 256 ? (uint32_t)(slots / 256 + 1) : GROUPS;
    tact_buffer_hold(g->device, &g->found, sizeof words);
    TACT_LAUNCH(g->device, filter_survey, groups, .list = g->lists[f->list], .kept = g->kept,
                .vertices = f->scene->vertices, .indices = f->scene->indices, .objects = f->scene->objects,
                .found = g->found, .shift = f->shift, .groups = groups, .unit = (float)f->unit, .xx = rows[0],
                .xy = rows[1], .xz = rows[2], .yx = rows[3], .yy = rows[4], .yz = rows[5], .zx = rows[6], .zy = rows[7],
                .zz = rows[8]);
    tact_buffer_read(g->found, 0, words, (size_t)groups * TACT_FILTER_SURVEY_WORDS * 4);
    if (tact_device_result(g->device) != TACT_OK) return tact_device_result(g->device);
    f->survey = tact_filter_survey_of(words, groups);
    f->entries = f->survey.entries;
    return TACT_OK;
}

// The entries whose flag is set, as triangles.
static void keep_flagged(filtering* f)
{
    tact_gpu_filter_image* g = f->g;
    const uint32_t slots = f->entries << f->shift;
    tact_buffer** to = &g->lists[1 - f->list];
    if (f->shift == 0) {
        tact_buffer_hold(g->device, to, (uint64_t)slots * 8);
        tact_compact_values(g->compact, g->flags, g->lists[f->list], 2, *to, slots, g->kept, 0);
    } else {
        uint32_t kept = 0;
        tact_buffer_hold(g->device, &g->places, (uint64_t)slots * 4);
        tact_compact_indices(g->compact, g->flags, g->places, slots, g->kept, 0);
        // The list of all triangles might be more than the device can bind.
        tact_buffer_read(g->kept, 0, &kept, 4);
        tact_buffer_hold(g->device, to, (uint64_t)kept * 8);
        TACT_LAUNCH_ITEMS(g->device, filter_list, kept, .places = g->places, .parts = g->lists[f->list],
                          .kept = g->kept, .list = *to);
        f->entries = kept;
    }
    f->shift = 0;
    f->list = 1 - f->list;
}

// ---- Images ----

static tact_result hold_target(tact_gpu_filter_image* g, uint32_t width, uint32_t height)
{
    if (g->target && g->target_size[0] >= width && g->target_size[1] >= height) return TACT_OK;
    tact_raster_target_destroy(g->target);
    g->target = NULL;
    // Nothing is ever written there, but not every device draws to no surface at all.
    const tact_raster_target_desc desc = {.width = width, .height = height, .colours = {TACT_RASTER_R32UI}};
    g->target_size[0] = width;
    g->target_size[1] = height;
    return tact_raster_target_create(g->raster, &desc, &g->target);
}

static tact_result set_up(filtering* f, uint32_t first, uint32_t count)
{
    const tact_filter_view* v = &f->g->view;
    return TACT_LAUNCH_ITEMS(
        f->g->device, filter_setup, count, .list = f->g->lists[f->list], .vertices = f->scene->vertices,
        .indices = f->scene->indices, .objects = f->scene->objects, .setups = f->g->setups, .first = first,
        .count = count, .shift = f->shift, .plain = f->plain && f->fine, .xx = v->rows[0], .xy = v->rows[1],
        .xz = v->rows[2], .yx = v->rows[3], .yy = v->rows[4], .yz = v->rows[5], .zx = v->rows[6], .zy = v->rows[7],
        .zz = v->rows[8], .left_x = v->corner[0], .left_y = v->corner[1], .left_z = v->corner[2], .scale = v->scale);
}

static void draw(filtering* f, uint32_t first, uint32_t count, bool asking)
{
    tact_gpu_filter_image* g = f->g;
    const tact_filter_view* v = &g->view;
    const tact_raster_mesh mesh = {.count = 3 * count};
    const float target[2] = {(float)v->cells[0], (float)v->cells[1]};
    tact_raster_use(g->raster, g->program, &mesh);
    tact_raster_bind_storage(g->raster, 0, g->setups);
    tact_raster_bind_storage(g->raster, 1, g->cells);
    tact_raster_bind_storage(g->raster, 2, f->fine ? g->flags : g->near);
    tact_raster_bind_storage(g->raster, 3, g->bricks);
    tact_raster_bind_storage(g->raster, 4, g->made);
    tact_raster_bind_storage(g->raster, 5, g->near);
    tact_raster_set_uint(g->program, UNIFORM_WIDTH, v->cells[0]);
    tact_raster_set_uint(g->program, UNIFORM_HEIGHT, v->cells[1]);
    tact_raster_set_uint(g->program, UNIFORM_DEPTH, v->cells[2]);
    tact_raster_set_float(g->program, UNIFORM_SLACK, &v->slack, 1);
    tact_raster_set_float(g->program, UNIFORM_WIDE, &v->wide, 1);
    tact_raster_set_float(g->program, UNIFORM_DEEP, &v->deep, 1);
    tact_raster_set_float(g->program, UNIFORM_TARGET, target, 2);
    tact_raster_set_uint(g->program, UNIFORM_ASKING, asking);
    tact_raster_set_uint(g->program, UNIFORM_FIRST, first);
    tact_raster_set_uint(g->program, UNIFORM_FINE, f->fine);
    tact_raster_set_uint(g->program, UNIFORM_COARSE_WIDTH, f->coarse.cells[0]);
    tact_raster_set_uint(g->program, UNIFORM_COARSE_DEPTH, f->coarse.cells[2]);
    tact_raster_draw(g->raster, TACT_RASTER_TRIANGLES, 0, 1);
    tact_raster_settle(g->raster);
}

// Marks cells, or asks them; what one chunk set up is there for both.
static tact_result draw_all(filtering* f, bool asking)
{
    const uint64_t slots = (uint64_t)f->entries << f->shift;
    for (uint64_t first = 0; first < slots && tact_device_result(f->g->device) == TACT_OK; first += CHUNK) {
        const uint32_t count = slots - first < CHUNK ? (uint32_t)(slots - first) : CHUNK;
        if (!asking || slots > CHUNK) set_up(f, (uint32_t)first, count);
        if (tact_device_result(f->g->device) == TACT_OK) draw(f, (uint32_t)first, count, asking);
    }
    return tact_device_result(f->g->device);
}

static tact_filter_budget budget_of(const filtering* f)
{
    const tact_raster_limits limits = tact_raster_get_limits(f->g->raster);
    // Fewer triangles may touch more cells each.
    const double fewer = TOUCHED_FIRST * f->first_work / (double)(f->survey.triangles + 1);
    return (tact_filter_budget){.cells = f->cells,
                                .touched = fmin(fmax(fewer, TOUCHED_FIRST), TOUCHED_MOST),
                                .width_most = limits.target_size < WIDTH_MOST ? limits.target_size : WIDTH_MOST,
                                .unit = f->unit};
}

static uint64_t cells_of(const tact_filter_view* v)
{
    return (uint64_t)v->cells[0] * v->cells[1] * v->cells[2];
}

static tact_result hold_image(filtering* f)
{
    tact_gpu_filter_image* g = f->g;
    const uint64_t slots = (uint64_t)f->entries << f->shift, cells = cells_of(&g->view);
    const uint64_t most = slots < CHUNK ? slots : CHUNK;
    tact_buffer_hold(g->device, &g->cells, cells * 4);
    tact_buffer_hold(g->device, &g->setups, most * SETUP_BYTES);
    tact_buffer_hold(g->device, &g->flags, slots * 4);
    tact_buffer_hold(g->device, &g->near, slots * 4);
    tact_buffer_hold(g->device, &g->bricks, 4);
    tact_buffer_hold(g->device, &g->made, 4);
    tact_buffer_fill(g->cells, 0, (size_t)cells * 4, 0);
    tact_buffer_fill(g->flags, 0, (size_t)slots * 4, 0);
    tact_buffer_fill(g->near, 0, (size_t)slots * 4, 0);
    return tact_buffer_fill(g->made, 0, 4, 0);
}

static tact_result begin_drawing(filtering* f)
{
    tact_gpu_filter_image* g = f->g;
    const tact_raster_pass pass = {.viewport = {0, 0, g->view.cells[0], g->view.cells[1]}};
    if (tact_device_result(g->device) != TACT_OK) return tact_device_result(g->device);
    if (hold_target(g, g->view.cells[0], g->view.cells[1]) != TACT_OK) return tact_device_result(g->device);
    tact_raster_bind(g->raster, g->target);
    tact_raster_set_pass(g->raster, &pass);
    return TACT_OK;
}

// Bricks for the cells of more than one object, in which what touches them is drawn again.
static tact_result ask_bricks(filtering* f, const tact_filter_view* fine, uint32_t made)
{
    tact_gpu_filter_image* g = f->g;
    const size_t bytes = (size_t)made * BRICK_CELLS * 4;
    tact_buffer_hold(g->device, &g->bricks, bytes);
    tact_buffer_fill(g->bricks, 0, bytes, 0);
    f->coarse = g->view;
    f->fine = true;
    g->view = *fine;
    if (f->plain) {
        g->view.slack = g->view.wide = 0.0f;
        g->view.deep = 0.5f;
    }
    if (begin_drawing(f) == TACT_OK && draw_all(f, false) == TACT_OK) draw_all(f, true);
    return tact_device_result(g->device);
}

// An image of what the list has in this frame, which has been surveyed there: sets the flags.
static tact_result make_image(filtering* f, const float* rows)
{
    tact_gpu_filter_image* g = f->g;
    const tact_filter_budget budget = budget_of(f);
    const tact_filter_view fine = tact_filter_fit(rows, &f->survey, &budget);
    g->view = tact_filter_coarser(&fine);
    f->fine = false;
    f->coarse = g->view;
    uint32_t made = 0;
    hold_image(f);
    begin_drawing(f);
    draw_all(f, false);
    tact_buffer_read(g->made, 0, &made, 4);
    if (tact_device_result(g->device) != TACT_OK || made == 0) return tact_device_result(g->device);
    if (draw_all(f, true) != TACT_OK) return tact_device_result(g->device);
    if ((double)made * BRICK_CELLS <= f->bricks_most) return ask_bricks(f, &fine, made);
    // There is no room for them: what the image's own cells tell has to do.
    return tact_buffer_copy(g->flags, 0, g->near, 0, (size_t)f->entries << f->shift << 2);
}

// ---- Stages ----

// How many triangles the objects, and the parts, of those flagged have.
static tact_result tally(filtering* f, uint32_t sums[2])
{
    tact_gpu_filter_image* g = f->g;
    const uint32_t parts = f->entries;
    const uint64_t objects = f->scene->taking_part[f->scene->taking_part_count - 1] + 1ull;
    tact_buffer_hold(g->device, &g->seen, objects * 4);
    tact_buffer_hold(g->device, &g->of_parts, (uint64_t)parts * 4);
    tact_buffer_hold(g->device, &g->of_objects, (uint64_t)parts * 4);
    tact_buffer_hold(g->device, &g->sums, 8);
    if (tact_buffer_fill(g->seen, 0, (size_t)objects * 4, 0) != TACT_OK) return tact_device_result(g->device);
    TACT_LAUNCH_ITEMS(g->device, filter_tally, parts, .list = g->lists[f->list], .objects = f->scene->objects,
                      .flags = g->flags, .seen = g->seen, .of_parts = g->of_parts, .of_objects = g->of_objects,
                      .count = parts);
    tact_reduce_run(g->reduce, TACT_REDUCE_SUM_UINT, g->of_objects, parts, g->sums, 0);
    tact_reduce_run(g->reduce, TACT_REDUCE_SUM_UINT, g->of_parts, parts, g->sums, 1);
    return tact_buffer_read(g->sums, 0, sums, 8);
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
    f->shift = PART_SHIFT;
    f->entries = (uint32_t)most;
    if (survey(f, tact_filter_frame(0)) != TACT_OK) return tact_device_result(f->g->device);
    f->first_work = (double)f->survey.triangles;
    // Nothing that could be seen.
    if (!(f->survey.lower[0] <= f->survey.upper[0])) f->entries = 0;
    if (f->entries) make_image(f, tact_filter_frame(0));
    if (f->entries) tally(f, sums);
    if (f->entries) keep_flagged(f);
    f->shift = 0;
    if (f->entries) {
        survey(f, tact_filter_frame(1));
    } else {
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
        if (check_progress(f) == TACT_OK) make_image(f, tact_filter_frame(round));
        keep_flagged(f);
        survey(f, tact_filter_frame(round + 1));
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
    f->bricks_most = fmin(fmax(4.0 * f->cells, 0x1p20), fmin(most, 0x1p31));
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
        if (tact_raster_begin(g->raster) != TACT_OK) return tact_device_result(g->device);
        if (run_first(&f, counts) == TACT_OK) run_rest(&f, &counts[TACT_FILTER_TRIANGLES]);
        if (tact_raster_end(g->raster) != TACT_OK) return tact_device_result(g->device);
    }
    tact_buffer_hold(g->device, &g->lists[f.list], 8);
    *left = g->lists[f.list];
    *count = f.entries;
    return tact_device_result(g->device);
}
