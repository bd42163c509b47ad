// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/view/recording.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/npy.h"
#include "apps/particles/particles.h"
#include "apps/system.h"
#include "apps/view/view.h"

/// A file of queries, a folder of frames, or a file that `tact particles --save` wrote, which is one frame.
typedef struct source {
    const char* path;
    tact_recording* recording;  ///< NULL: frames
    bool saved;                 ///< the one frame is a saved run
    uint64_t first;             ///< number of the first frame
    size_t count;
} source;

/// A scene of a recording.
typedef struct scene_of {
    const source* source;
    uint32_t number;  ///< 0: none
} scene_of;

struct tact_view_recording {
    tact_context* context;
    const tact_query_options* options;
    source sources[2];
    size_t source_count;
    tact_view_shading* shading;  ///< of the item made last
    tact_scene* scene;           ///< of the last query that has one
    scene_of shading_is, scene_is;
};

// ---- Opening ----

static bool frame_path(const source* s, uint64_t number, char* path, size_t room)
{
    const int length = snprintf(path, room, "%s/particles_%05" PRIu64 ".npy", s->path, number);
    return length > 0 && (size_t)length < room;
}

static bool has_frame(const source* s, uint64_t number)
{
    char path[4096];
    FILE* f = frame_path(s, number, path, sizeof path) ? fopen(path, "rb") : NULL;
    if (f) fclose(f);
    return f != NULL;
}

/// From 0 or 1 on as far as there are some.
static void count_frames(source* s)
{
    s->first = has_frame(s, 0) ? 0 : 1;
    while (s->count < 10000000 && has_frame(s, s->first + s->count))
        ++s->count;
}

static bool open_source(tact_context* context, const char* path, source* s, tact_problem* problem)
{
    void* bytes = NULL;
    size_t size = 0;
    s->path = path;
    count_frames(s);
    if (s->count) return true;
    if (tact_system_is_directory(path)) {
        return tact_problem_set(problem, "%s: there are no frames in it: neither particles_00000.npy nor ..._00001.npy",
                                path);
    }
    if (!tact_file_read(path, &bytes, &size, problem)) return false;
    s->saved = tact_particle_run_is_saved(bytes, size);
    const tact_result result = s->saved ? TACT_OK : tact_recording_read(context, bytes, size, &s->recording);
    free(bytes);
    if (s->saved) s->count = 1;
    if (s->saved) return true;
    if (result != TACT_OK) return tact_problem_from_result(problem, result, context, path);
    s->count = tact_recording_count(s->recording);
    return s->count > 0 || tact_problem_set(problem, "%s: there are no queries in it", path);
}

bool tact_view_recording_open(tact_context* context, const char* const paths[2], const tact_query_options* options,
                              tact_view_recording** recording, tact_problem* problem)
{
    tact_view_recording* r = calloc(1, sizeof *r);
    *recording = r;
    if (!r) return tact_problem_out_of_memory(problem, paths[0]);
    r->context = context;
    r->options = options;
    r->source_count = paths[1] ? 2 : 1;
    for (size_t i = 0; i < r->source_count; ++i)
        if (!open_source(context, paths[i], &r->sources[i], problem)) return false;
    if (paths[1] && !r->sources[0].recording != !r->sources[1].recording) {
        return tact_problem_set(problem, "--against %s: a file of queries and frames of particles do not compare",
                                paths[1]);
    }
    return true;
}

void tact_view_recording_close(tact_view_recording* r)
{
    if (!r) return;
    tact_view_shading_leave(r->shading);
    tact_scene_destroy(r->scene);
    for (size_t i = 0; i < r->source_count; ++i)
        tact_recording_destroy(r->sources[i].recording);
    free(r);
}

size_t tact_view_recording_count(const tact_view_recording* r)
{
    return r->sources[1].count > r->sources[0].count ? r->sources[1].count : r->sources[0].count;
}

// ---- Frames of particles ----

typedef struct particle_frame {
    void* bytes;
    const float* rows;  ///< position, radius, velocity; of particles that turn six more
    size_t count, columns;
} particle_frame;

/// Of a saved run, in order of id.
static bool read_saved(tact_context* context, const source* s, particle_frame* f, tact_problem* problem)
{
    tact_particle_run_facts facts;
    tact_field_bytes scene;
    tact_particles* system = NULL;
    const bool good = tact_particle_run_load(s->path, context, TACT_BACKEND_CPU, &facts, &scene, &system, problem);
    free(scene.bytes);
    if (!good) return false;
    const size_t count = tact_particles_count(system);
    float* rows = malloc((count + 1) * 14 * sizeof *rows);  // the rows, then the arrays that they are made of
    tact_result result = rows ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (rows) {
        float *x = rows + 7 * count, *v = x + 3 * count, *r = v + 3 * count;
        result = tact_particles_read(system, &(tact_particle_output){.positions = x, .velocities = v, .radii = r});
        for (size_t i = 0; i < count && result == TACT_OK; ++i) {
            memcpy(rows + 7 * i, x + 3 * i, 3 * sizeof *x);
            rows[7 * i + 3] = r[i];
            memcpy(rows + 7 * i + 4, v + 3 * i, 3 * sizeof *v);
        }
    }
    tact_particles_destroy(system);
    *f = (particle_frame){rows, rows, count, 7};
    return result == TACT_OK || tact_problem_from_result(problem, result, context, s->path);
}

static bool read_array(const source* s, size_t index, particle_frame* f, tact_problem* problem)
{
    char path[4096];
    tact_npy_array array;
    if (!frame_path(s, s->first + index, path, sizeof path)) return tact_problem_set(problem, "%s: too long", s->path);
    if (!tact_npy_load(path, &f->bytes, &array, problem)) return false;
    if (array.type != TACT_NPY_FLOAT32 || array.dimensions != 2 || (array.shape[1] != 7 && array.shape[1] != 13)) {
        return tact_problem_set(problem, "%s: not an array of particles, float32 of 7 or 13 columns", path);
    }
    f->rows = f->bytes;
    f->count = array.shape[0];
    f->columns = array.shape[1];
    return true;
}

/// Nothing beyond the last one. Also after a failure the bytes are to be freed.
static bool read_frame(tact_context* context, const source* s, size_t index, particle_frame* f, tact_problem* problem)
{
    *f = (particle_frame){0};
    if (index >= s->count) return true;
    return s->saved ? read_saved(context, s, f, problem) : read_array(s, index, f, problem);
}

/// The first row that differs. Of particles that turn and others all do.
static void compare_frames(const particle_frame f[2], tact_replay_difference* d)
{
    static const char* const sorts[2] = {"particles that do not turn", "particles that turn"};
    static const tact_replay_layout layouts[2] = {
        {"particle", "f3:position f:radius f3:velocity"},
        {"particle", "f3:position f:radius f3:velocity f3:orientation f3:spin"}};
    const size_t columns = f[0].columns ? f[0].columns : f[1].columns;
    const size_t most = f[0].count > f[1].count ? f[0].count : f[1].count;
    if (f[0].columns && f[1].columns && f[0].columns != f[1].columns) {
        tact_replay_say(d, "model", sorts[f[0].columns == 13], sorts[f[1].columns == 13]);
        return;
    }
    for (size_t i = 0; i < most && !d->differs; ++i) {
        const float* a = i < f[0].count ? f[0].rows + i * columns : NULL;
        const float* b = i < f[1].count ? f[1].rows + i * columns : NULL;
        if (a && b && memcmp(a, b, columns * sizeof *a) == 0) continue;
        tact_replay_set(d, "answer", &layouts[columns == 13], i, a, b);
    }
}

static void free_frames(particle_frame f[2])
{
    free(f[0].bytes);
    free(f[1].bytes);
}

/// Frames of both, the second of which may be none.
static bool read_frames(const tact_view_recording* r, size_t index, particle_frame f[2], tact_problem* problem)
{
    f[1] = (particle_frame){0};
    if (read_frame(r->context, &r->sources[0], index, &f[0], problem) &&
        (r->source_count == 1 || read_frame(r->context, &r->sources[1], index, &f[1], problem))) {
        return true;
    }
    free_frames(f);
    return false;
}

static bool compare(tact_view_recording* r, size_t index, tact_replay_difference* d, tact_problem* problem)
{
    bool compared = false;
    *d = (tact_replay_difference){.where = "", .layout = {"", ""}};
    if (r->source_count == 1) return true;
    if (r->sources[0].recording) {
        tact_recording* const both[2] = {r->sources[0].recording, r->sources[1].recording};
        return tact_replay_compare(r->context, both, index, r->options, d, &compared, problem);
    }
    particle_frame f[2];
    if (!read_frames(r, index, f, problem)) return false;
    compare_frames(f, d);
    free_frames(f);
    return true;
}

bool tact_view_recording_first(tact_view_recording* r, size_t* index, tact_problem* problem)
{
    const size_t count = tact_view_recording_count(r);
    for (*index = 0; *index < count; ++*index) {
        tact_replay_difference d;
        if (!compare(r, *index, &d, problem)) return false;
        if (d.differs) return true;
    }
    return true;
}

// ---- Items ----

static void say(tact_view_item* item, tact_view_tone tone, const char* format, ...) TACT_TOOL_PRINTF(3, 4);
static void say(tact_view_item* item, tact_view_tone tone, const char* format, ...)
{
    if (item->line_count == sizeof item->lines / sizeof *item->lines) return;
    tact_view_panel_line* line = &item->lines[item->line_count++];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(line->text, sizeof line->text, format, arguments);
    va_end(arguments);
    // What is cut off is seen to be, between two characters.
    size_t end = sizeof line->text - 4;
    while (end > 0 && ((unsigned char)line->text[end] & 0xC0) == 0x80)
        --end;
    if (length >= (int)sizeof line->text) memcpy(line->text + end, "...", 4);
    line->tone = (int)tone;
}

static void say_difference(const tact_view_recording* r, tact_view_item* item)
{
    const tact_replay_difference* d = &item->difference;
    if (r->source_count == 1) return;
    if (!d->differs) {
        say(item, TACT_VIEW_TEXT, "the same in %s", r->sources[1].path);
        return;
    }
    if (*d->layout.parts) say(item, TACT_VIEW_STRONG, "%s %" PRIu64 " differs", d->layout.what, d->row);
    if (!*d->layout.parts) say(item, TACT_VIEW_STRONG, "another %s", d->where);
    for (int i = 0; i < 2; ++i)
        say(item, i ? TACT_VIEW_SECOND : TACT_VIEW_FIRST, "%s: %s", r->sources[i].path, d->text[i]);
    if (d->asked[0]) say(item, TACT_VIEW_TEXT, "asked otherwise: %s", d->asked);
}

/// Both answers' first item that differs, and room about it.
static tact_result mark(const tact_view_recording* r, size_t index, float reach, tact_view_item* item)
{
    static const tact_debug_color colors[2] = {{90, 200, 255, 255}, {255, 130, 90, 255}};
    tact_debug_color all[2][TACT_DEBUG_KINDS];
    tact_debug_draw draws[2];
    if (!item->difference.differs) return TACT_OK;
    if (!(reach <= 1e12f)) reach = 1.0f;
    tact_result result = tact_debug_list_create(r->context, &item->marks);
    if (result != TACT_OK) return result;
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < TACT_DEBUG_KINDS; ++i)
            all[k][i] = colors[k];
        draws[k] = tact_debug_list_draw(item->marks);
        draws[k].colors = all[k];
    }
    tact_recording* const both[2] = {r->sources[0].recording, r->sources[1].recording};
    result = tact_view_mark(draws, both, index, &item->difference, reach, &item->focus);
    for (int i = 0; i < 3 && tact_bounds_some(&item->focus); ++i) {
        item->focus.lower[i] -= 0.2 * (double)reach;
        item->focus.upper[i] += 0.2 * (double)reach;
    }
    return result;
}

// ---- What the item before had ----

static bool is_same_scene(scene_of a, scene_of b)
{
    return a.number != 0 && a.source == b.source && a.number == b.number;
}

/// The scene of a query, if its sketch leaves it as it is: culling takes out what is not in view.
static scene_of scene_at(const source* s, size_t index, tact_recorded_kind kind)
{
    if (kind == TACT_RECORDED_CULL_SCENE) return (scene_of){NULL, 0};
    return (scene_of){s, tact_recording_scene_number(s->recording, index)};
}

/// Draws a query, in the scene of the query before where it is the same one.
static tact_result sketch(tact_view_recording* r, scene_of scene, tact_sketch* s)
{
    if (is_same_scene(scene, r->scene_is)) {
        s->scene = r->scene;
        r->scene = NULL;
        r->scene_is = (scene_of){NULL, 0};
    }
    tact_result result = tact_sketch_begin(s);
    if (result == TACT_OK) result = tact_sketch_make(s);
    if (result < TACT_OK || scene.number == 0) return result;
    tact_scene_destroy(r->scene);
    r->scene = s->scene;
    r->scene_is = scene;
    return result;
}

/// Shades what is the same as in the item before by what is there already, and keeps what it is for the next one.
static void settle(tact_view_recording* r, scene_of scene, tact_view_item* item)
{
    const bool same = r->shading && tact_view_shading_same(r->shading, item->shading);
    tact_view_shading** old = same ? &item->shading : &r->shading;
    tact_view_shading* kept = tact_view_shading_share(same ? r->shading : item->shading);
    tact_view_shading_leave(*old);
    *old = kept;
    r->shading_is = scene;
}

// ---- Making them ----

static bool shade(tact_view_recording* r, const tact_sketch* s, scene_of scene, tact_view_item* item,
                  tact_problem* problem)
{
    if (!is_same_scene(scene, r->shading_is)) return tact_view_shading_add_sketch(item->shading, s, problem);
    tact_view_shading_leave(item->shading);
    item->shading = tact_view_shading_share(r->shading);
    return true;
}

/// What is shaded, and what was before culling, or where there is nothing of that, what is drawn.
static void take_bounds(const tact_sketch* s, tact_view_item* item)
{
    item->bounds = item->shading->bounds;
    const float lower[3] = {(float)s->bounds.lower[0], (float)s->bounds.lower[1], (float)s->bounds.lower[2]};
    const float upper[3] = {(float)s->bounds.upper[0], (float)s->bounds.upper[1], (float)s->bounds.upper[2]};
    tact_bounds_extend(&item->bounds, lower);
    tact_bounds_extend(&item->bounds, upper);
}

static bool draw_query(tact_view_recording* r, const source* from, size_t index, const tact_recorded_query* q,
                       tact_view_item* item, tact_problem* problem)
{
    const scene_of scene = scene_at(from, index, q->kind);
    tact_sketch s = {.recording = from->recording, .index = index, .query = q, .context = r->context};
    tact_result result = sketch(r, scene, &s);
    bool good = true;
    if (result < TACT_OK) {
        say(item, TACT_VIEW_FAINT, "not drawn: %s", tact_result_string(result));
    } else {
        item->list = s.list;
        s.list = NULL;
        good = shade(r, &s, scene, item, problem);
        if (good) settle(r, scene, item);
        if (good) take_bounds(&s, item);
        result = good ? mark(r, index, s.reach, item) : TACT_OK;
        if (result < TACT_OK) good = tact_problem_from_result(problem, result, r->context, "what differs");
    }
    if (s.scene == r->scene) s.scene = NULL;
    tact_sketch_end(&s);
    return good;
}

static bool make_query(tact_view_recording* r, size_t index, tact_view_item* item, tact_problem* problem)
{
    // One recording may be the shorter one.
    const source* from = &r->sources[index >= r->sources[0].count];
    tact_recorded_query q;
    if (tact_recording_query(from->recording, index, &q) != TACT_OK) return true;
    say(item, TACT_VIEW_STRONG, "query %" PRIu64 ": %s", q.number, tact_recorded_kind_name(q.kind));
    say(item, TACT_VIEW_TEXT, "%" PRIu64 " asked, by %s in %.3g ms", q.count,
        q.finished ? tact_backend_name(q.report.backend) : "-", q.report.total_ms);
    say_difference(r, item);
    if (!q.missing[0]) return draw_query(r, from, index, &q, item, problem);
    say(item, TACT_VIEW_FAINT, "not drawn: %s", q.missing);
    return true;
}

static bool make_frame(tact_view_recording* r, size_t index, tact_view_item* item, tact_problem* problem)
{
    particle_frame f[2];
    if (!read_frames(r, index, f, problem)) return false;
    const particle_frame* from = &f[f[0].rows == NULL];
    say(item, TACT_VIEW_STRONG, "frame %" PRIu64 ": %zu particles", r->sources[0].first + index, from->count);
    say_difference(r, item);
    tact_sphere* spheres = malloc((from->count + 1) * sizeof *spheres);
    bool good = spheres != NULL || tact_problem_out_of_memory(problem, "the particles");
    for (size_t i = 0; good && i < from->count; ++i) {
        const float* row = from->rows + i * from->columns;
        spheres[i] = (tact_sphere){{row[0], row[1], row[2]}, row[3]};
    }
    good = good && tact_view_shading_add_spheres(item->shading, spheres, from->count, problem);
    if (good) settle(r, (scene_of){NULL, 0}, item);
    item->bounds = item->shading->bounds;
    float reach = 0.0f;
    for (int i = 0; i < 3 && tact_bounds_some(&item->bounds); ++i)
        reach = fmaxf(reach, (float)(item->bounds.upper[i] - item->bounds.lower[i]));
    const tact_result result = good ? mark(r, index, reach, item) : TACT_OK;
    if (result < TACT_OK) good = tact_problem_from_result(problem, result, r->context, "a frame");
    free(spheres);
    free_frames(f);
    return good;
}

bool tact_view_recording_make(tact_view_recording* r, size_t index, tact_view_item* item, tact_problem* problem)
{
    *item = (tact_view_item){.bounds = tact_bounds_empty(), .focus = tact_bounds_empty()};
    item->shading = tact_view_shading_new(r->sources[0].path, problem);
    if (!item->shading || !compare(r, index, &item->difference, problem)) return false;
    return r->sources[0].recording ? make_query(r, index, item, problem) : make_frame(r, index, item, problem);
}

void tact_view_item_free(tact_view_item* item)
{
    tact_debug_list_destroy(item->list);
    tact_debug_list_destroy(item->marks);
    tact_view_shading_leave(item->shading);
    *item = (tact_view_item){.shading = NULL};
}
