// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/pick/rays.h"

#include <stdio.h>
#include <string.h>

#include "base/parallel.h"
#include "cpu_ref/pick/code.h"

enum {
    PIECE_PIXELS = 1 << 20,  ///< cast at once
    PIECE_HITS = 1 << 20,    ///< of all hits, held at once; more only where one ray has more
    PIECE_ALL = 1 << 17,     ///< rays cast at once for all hits
    FIRST_ALL = 1 << 12,     ///< of them, before it is known how many they have
    GRAIN = 4096
};

void tact_pick_caster_free(tact_env* env, tact_pick_caster* c)
{
    tact_pick_room* rooms[] = {&c->pixels, &c->rays,     &c->offsets,   &c->hits,
                               &c->ids,    &c->surfaces, &c->whole_ids, &c->whole_surfaces};
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; ++i)
        tact_release(env, rooms[i]->memory);
    *c = (tact_pick_caster){0};
}

uint64_t tact_pick_caster_bytes(const tact_pick_caster* c)
{
    return (uint64_t)c->pixels.bytes + c->rays.bytes + c->offsets.bytes + c->hits.bytes + c->ids.bytes +
           c->surfaces.bytes + c->whole_ids.bytes + c->whole_surfaces.bytes;
}

/// What the room held is lost when it grows.
static bool hold(tact_env* env, tact_pick_room* room, size_t count, size_t size)
{
    size_t bytes;
    if (!tact_multiply_sizes(count, size, &bytes)) return false;
    return tact_reserve(env, &room->memory, &room->bytes, 0, bytes, 1);
}

// ---- Progress ----

/// A call of several casts tells of itself as one. All zeros before the first.
typedef struct share {
    const tact_query_options* query;
    double from, width;
    double most;  ///< told so far: rays that are cast once more do not take it back
} share;

static bool tell_share(double fraction, void* user)
{
    share* s = user;
    const double done = s->from + s->width * fraction;
    if (done > s->most) s->most = done;
    return s->query->progress(s->most, s->query->progress_user);
}

static tact_query_options with_share(const tact_query_options* query, share* s, double from, double to)
{
    tact_query_options options = *query;
    *s = (share){query, from, to - from, s->most};
    if (query->progress) {
        options.progress = tell_share;
        options.progress_user = s;
    }
    return options;
}

/// Adds a piece's report to that of the pieces before; `pieces` of them.
static void add_report(tact_query_report* sum, const tact_query_report* one, size_t pieces)
{
    if (pieces == 0) {
        *sum = *one;
        return;
    }
    const tact_query_report before = *sum;
    *sum = *one;
    sum->build_ms += before.build_ms;
    sum->upload_ms += before.upload_ms;
    sum->query_ms += before.query_ms;
    sum->download_ms += before.download_ms;
    sum->failures += before.failures;
    if (before.memory_bytes > sum->memory_bytes) sum->memory_bytes = before.memory_bytes;
    // The piece in which a device failed says why.
    if (before.failures > 0) memcpy(sum->reason, before.reason, sizeof sum->reason);
}

// ---- Rays ----

/// The pixels of rows [begin, end) of a mask, as numbers in its box. Returns how many.
static size_t list_pixels(const tact_pick_mask* mask, uint32_t begin, uint32_t end, uint32_t* pixels)
{
    size_t count = 0;
    for (uint32_t y = begin; y < end; ++y) {
        const uint32_t* bits = mask->bits ? mask->bits + (size_t)y * mask->row_words : NULL;
        for (uint32_t x = 0; x < mask->width; ++x) {
            if (!bits || (bits[x >> 5] >> (x & 31u) & 1u)) pixels[count++] = y * mask->width + x;
        }
    }
    return count;
}

typedef struct aim {
    const tact_pick_cast* cast;
    const tact_pick_mask* mask;
    const uint32_t* pixels;
    tact_ray* rays;
} aim;

static void make_rays(size_t begin, size_t end, int worker, void* user)
{
    const aim* a = user;
    (void)worker;
    const double left = (double)a->cast->view->left + (double)a->mask->x + 0.5;
    const double top = (double)a->cast->view->top + (double)a->mask->y + 0.5;
    for (size_t i = begin; i < end; ++i) {
        const uint32_t x = a->pixels[i] % a->mask->width, y = a->pixels[i] / a->mask->width;
        if (tact_pick_lens_ray(a->cast->lens, left + (double)x, top + (double)y, &a->rays[i])) continue;
        // No line of sight: it meets nothing.
        memset(&a->rays[i], 0, sizeof a->rays[i]);
    }
}

/// Rays through the pixels of rows [begin, end).
static tact_result aim_rows(tact_pick_caster* c, const tact_pick_cast* cast, const tact_pick_mask* mask, uint32_t begin,
                            uint32_t end, size_t* count)
{
    tact_env* env = &cast->scene->context->env;
    const size_t most = (size_t)(end - begin) * mask->width;
    if (!hold(env, &c->pixels, most, sizeof(uint32_t))) return TACT_ERROR_OUT_OF_MEMORY;
    *count = list_pixels(mask, begin, end, c->pixels.memory);
    if (!hold(env, &c->rays, *count, sizeof(tact_ray))) return TACT_ERROR_OUT_OF_MEMORY;
    aim a = {cast, mask, c->pixels.memory, c->rays.memory};
    tact_parallel_for(cast->query->threads, *count, GRAIN, make_rays, &a);
    return TACT_OK;
}

/// Rows that are cast together.
static uint32_t rows_of_piece(const tact_pick_mask* mask, uint32_t pixels)
{
    const uint32_t rows = mask->width > 0 ? pixels / mask->width : mask->height;
    return rows > 0 ? rows : 1;
}

static void show_hit(const tact_scene* scene, const tact_hit* hit, tact_pick_ids* ids, tact_pick_surface* surface)
{
    *ids = (tact_pick_ids){scene->trace.by_id[hit->instance].mesh, hit->instance, hit->primitive, TACT_PICK_NO_NORMAL};
    memcpy(&surface->depth, &hit->t, sizeof surface->depth);
    // A hit just behind the near plane may have t = -0, which as bits would be the farthest.
    if (hit->t == 0.0f) surface->depth = 0;
    surface->barycentric = tact_pick_encode_barycentric((1.0f - hit->u) - hit->v, hit->u, hit->v);
}

// ---- Visible ----

/// The image of one piece of rows of a mask.
typedef struct develop {
    const tact_scene* scene;
    const tact_hit* hits;
    const uint32_t* pixels;
    uint32_t first;  ///< pixel of the image's start
    tact_pick_ids* ids;
    tact_pick_surface* surfaces;
} develop;

static void show_hits(size_t begin, size_t end, int worker, void* user)
{
    const develop* d = user;
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        const size_t at = d->pixels[i] - d->first;
        if (d->hits[i].instance == TACT_NONE) {
            d->surfaces[at].depth = TACT_PICK_NOTHING;
        } else {
            show_hit(d->scene, &d->hits[i], &d->ids[at], &d->surfaces[at]);
        }
    }
}

/// Casts rows [begin, end) of a mask into an image that starts at row `begin`. Pixels that are not in the mask are left
/// as they are.
static tact_result cast_rows(tact_pick_caster* c, const tact_pick_cast* cast, const tact_pick_mask* mask,
                             uint32_t begin, uint32_t end, tact_pick_ids* ids, tact_pick_surface* surfaces,
                             tact_query_report* report)
{
    tact_env* env = &cast->scene->context->env;
    size_t count = 0;
    share part = {0};
    tact_result result = aim_rows(c, cast, mask, begin, end, &count);
    if (result == TACT_OK && !hold(env, &c->hits, count, sizeof(tact_hit))) result = TACT_ERROR_OUT_OF_MEMORY;
    if (result != TACT_OK) return result;
    const double height = mask->height > 0 ? (double)mask->height : 1.0;
    const tact_query_options options = with_share(cast->query, &part, begin / height, end / height);
    tact_query_report one;
    result = tact_raycast(cast->scene, TACT_RAY_CLOSEST, c->rays.memory, count, c->hits.memory, &options, &one);
    if (result < TACT_OK) return result;
    add_report(report, &one, begin);
    develop d = {cast->scene, c->hits.memory, c->pixels.memory, begin * mask->width, ids, surfaces};
    tact_parallel_for(cast->query->threads, count, GRAIN, show_hits, &d);
    return TACT_OK;
}

/// Reduces an image of rows [begin, end) and adds it to the list of those above.
static tact_result reduce_rows(const tact_pick_cast* cast, uint32_t begin, uint32_t end, const tact_pick_ids* ids,
                               const tact_pick_surface* surfaces, tact_pick_list* list)
{
    tact_env* env = &cast->scene->context->env;
    const tact_pick_mask rows = tact_pick_mask_rows(cast->mask, begin, end - begin);
    const tact_pick_rule rule = {cast->options->group, false};
    if (begin == 0) return tact_pick_reduce(env, &rows, &rule, ids, surfaces, false, list);
    tact_pick_list more = {0};
    tact_result result = tact_pick_reduce(env, &rows, &rule, ids, surfaces, false, &more);
    tact_pick_list_move(&more, begin * cast->mask->width);
    if (result == TACT_OK) result = tact_pick_list_merge(env, cast->mask, &rule, list, &more, 0);
    tact_pick_list_free(env, &more);
    return result;
}

static bool same_stamp(const tact_pick_stamp* a, const tact_pick_stamp* b)
{
    return tact_pick_view_same(&a->view, &b->view) && a->scene == b->scene && a->mesh_version == b->mesh_version &&
           a->top_version == b->top_version;
}

/// Makes sure that the whole view is there.
static tact_result keep_whole(tact_pick_caster* c, const tact_pick_cast* cast, tact_query_report* report)
{
    tact_env* env = &cast->scene->context->env;
    const tact_trace_scene* t = &cast->scene->trace;
    const tact_pick_stamp stamp = {*cast->view, t->serial, t->mesh_version, t->top_version};
    const tact_pick_mask whole = {.width = cast->view->width, .height = cast->view->height};
    // What is checked is cast.
    if (c->kept && same_stamp(&c->stamp, &stamp) && !cast->query->shadow) {
        // No ray: for the answer to who would have cast them, and whether they are there.
        const tact_result result = tact_raycast(cast->scene, TACT_RAY_CLOSEST, NULL, 0, NULL, cast->query, report);
        const size_t used = strlen(report->reason);
        snprintf(report->reason + used, sizeof report->reason - used, "; the view was kept");
        return result;
    }
    c->kept = false;
    const size_t pixels = (size_t)whole.width * whole.height;
    if (!hold(env, &c->whole_ids, pixels, sizeof(tact_pick_ids)) ||
        !hold(env, &c->whole_surfaces, pixels, sizeof(tact_pick_surface))) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    tact_pick_ids* const ids = c->whole_ids.memory;
    tact_pick_surface* const surfaces = c->whole_surfaces.memory;
    const uint32_t step = rows_of_piece(&whole, PIECE_PIXELS);
    tact_result result = TACT_OK;
    for (uint32_t y = 0; y < whole.height && result == TACT_OK; y += step) {
        const uint32_t end = whole.height - y > step ? y + step : whole.height;
        const size_t at = (size_t)y * whole.width;
        result = cast_rows(c, cast, &whole, y, end, ids + at, surfaces + at, report);
    }
    c->kept = result == TACT_OK;
    c->stamp = stamp;
    return result;
}

/// Cuts rows [begin, end) of the mask's box out of the whole view.
static void cut_rows(tact_pick_caster* c, const tact_pick_cast* cast, uint32_t begin, uint32_t end)
{
    const tact_pick_mask* m = cast->mask;
    const tact_pick_ids* whole_ids = c->whole_ids.memory;
    const tact_pick_surface* whole_surfaces = c->whole_surfaces.memory;
    for (uint32_t y = begin; y < end; ++y) {
        const size_t from = (size_t)(m->y + y) * cast->view->width + m->x, to = (size_t)(y - begin) * m->width;
        memcpy((tact_pick_ids*)c->ids.memory + to, whole_ids + from, m->width * sizeof *whole_ids);
        memcpy((tact_pick_surface*)c->surfaces.memory + to, whole_surfaces + from, m->width * sizeof *whole_surfaces);
    }
}

static bool is_empty(const tact_pick_mask* mask)
{
    return mask->width == 0 || mask->height == 0;
}

tact_result tact_pick_cast_visible(tact_pick_caster* c, const tact_pick_cast* cast, tact_query_report* report,
                                   tact_pick_list* list)
{
    tact_env* env = &cast->scene->context->env;
    const tact_pick_mask* mask = cast->mask;
    const bool keep = cast->options->keep;
    *list = (tact_pick_list){0};
    memset(report, 0, sizeof *report);
    if (is_empty(mask)) return tact_raycast(cast->scene, TACT_RAY_CLOSEST, NULL, 0, NULL, cast->query, report);
    tact_result result = keep ? keep_whole(c, cast, report) : TACT_OK;
    const uint32_t step = rows_of_piece(mask, PIECE_PIXELS);
    const size_t pixels = (size_t)(step < mask->height ? step : mask->height) * mask->width;
    if (result == TACT_OK && (!hold(env, &c->ids, pixels, sizeof(tact_pick_ids)) ||
                              !hold(env, &c->surfaces, pixels, sizeof(tact_pick_surface)))) {
        result = TACT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t y = 0; y < mask->height && result == TACT_OK; y += step) {
        const uint32_t end = mask->height - y > step ? y + step : mask->height;
        if (keep) {
            cut_rows(c, cast, y, end);
        } else {
            result = cast_rows(c, cast, mask, y, end, c->ids.memory, c->surfaces.memory, report);
        }
        if (result == TACT_OK) result = reduce_rows(cast, y, end, c->ids.memory, c->surfaces.memory, list);
    }
    if (result < TACT_OK) tact_pick_list_free(env, list);
    return result;
}

// ---- All ----

/// The hits of `count` rays as things of their own, behind those of the rays before.
static tact_result add_hits(const tact_pick_caster* c, const tact_pick_cast* cast, const uint32_t* pixels, size_t count,
                            tact_pick_list* list)
{
    tact_env* env = &cast->scene->context->env;
    const tact_pick_rule rule = {cast->options->group, false};
    const uint64_t* offsets = c->offsets.memory;
    const tact_hit* hits = c->hits.memory;
    const size_t total = (size_t)offsets[count];
    tact_pick_list more = {.count = total, .capacity = total};
    more.items = tact_allocate(env, total, sizeof *more.items);
    more.layers = tact_allocate(env, total, sizeof *more.layers);
    tact_result result = more.items && more.layers ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        for (uint64_t k = offsets[i]; k < offsets[i + 1]; ++k) {
            tact_pick_found* f = &more.items[k];
            show_hit(cast->scene, &hits[k], &f->ids, &f->surface);
            f->pixel = pixels[i];
            f->pixels = 1;
            more.layers[k] = (uint32_t)(k - offsets[i]);
        }
    }
    if (result == TACT_OK) result = tact_pick_list_merge(env, cast->mask, &rule, list, &more, 0);
    tact_pick_list_free(env, &more);
    return result;
}

/// Casts rays and takes the hits of as many of them, from the first on, as there is room for; *done of them. Where that
/// is not enough, and need not be too much, there is more room in the next call.
static tact_result cast_some(tact_pick_caster* c, const tact_pick_cast* cast, size_t first, size_t count,
                             const tact_query_options* options, tact_query_report* report, size_t* done)
{
    tact_env* env = &cast->scene->context->env;
    const tact_ray* rays = c->rays.memory;
    uint64_t* const offsets = c->offsets.memory;
    for (*done = 0; *done == 0;) {
        const size_t capacity = c->hits.bytes / sizeof(tact_hit);
        const tact_result result = tact_raycast_all(cast->scene,
                                                    &(tact_raycast_all_work){.rays = rays + first,
                                                                             .count = count,
                                                                             .max_hits = cast->options->max_layers,
                                                                             .offsets = offsets,
                                                                             .hits = c->hits.memory,
                                                                             .capacity = capacity},
                                                    options, report);
        if (result < TACT_OK) return result;
        *done = count;
        if (offsets[count] <= capacity) break;
        if (offsets[count] > PIECE_HITS) {
            while (*done > 0 && offsets[*done] > capacity)
                --*done;
            if (*done > 0) break;
        }
        // All of them, or those of one ray, once more with the room they need.
        const uint64_t need = offsets[count] > PIECE_HITS ? offsets[1] : offsets[count];
        if (need > SIZE_MAX || !hold(env, &c->hits, (size_t)need, sizeof(tact_hit))) return TACT_ERROR_OUT_OF_MEMORY;
        *done = 0;
    }
    return TACT_OK;
}

/// The rays of one piece, with as many casts as their hits need: few rays first, then as many as the hits of those
/// before let expect to have room. They are from `begin` to `end` of the whole call.
static tact_result cast_all_rays(tact_pick_caster* c, const tact_pick_cast* cast, size_t count, double begin,
                                 double end, share* part, tact_query_report* report, size_t* pieces,
                                 tact_pick_list* list)
{
    size_t first = 0, batch = FIRST_ALL;
    while (first < count) {
        tact_query_report one;
        size_t done = 0;
        const size_t rays = count - first < batch ? count - first : batch;
        const double each_ray = (end - begin) / (double)count;
        const tact_query_options options =
            with_share(cast->query, part, begin + each_ray * (double)first, begin + each_ray * (double)(first + rays));
        tact_result result = cast_some(c, cast, first, rays, &options, &one, &done);
        if (result != TACT_OK) return result;
        add_report(report, &one, (*pieces)++);
        result = add_hits(c, cast, (const uint32_t*)c->pixels.memory + first, done, list);
        if (result != TACT_OK) return result;
        const uint64_t hits = ((const uint64_t*)c->offsets.memory)[done];
        const double each = (double)hits / (double)done, fit = 0.7 * PIECE_HITS / (each + 1e-3);
        batch = fit < FIRST_ALL ? (fit < 1.0 ? 1 : (size_t)fit) : fit < PIECE_ALL ? (size_t)fit : PIECE_ALL;
        first += done;
    }
    return TACT_OK;
}

tact_result tact_pick_cast_all(tact_pick_caster* c, const tact_pick_cast* cast, tact_query_report* report,
                               tact_pick_list* list)
{
    tact_env* env = &cast->scene->context->env;
    const tact_pick_mask* mask = cast->mask;
    const uint32_t step = rows_of_piece(mask, PIECE_ALL);
    const size_t most = (size_t)(step < mask->height ? step : mask->height) * mask->width;
    size_t pieces = 0;
    share part = {0};
    memset(report, 0, sizeof *report);
    *list = (tact_pick_list){0};
    // Layers from the start, though the first hits may all be in front.
    list->layers = tact_allocate(env, 0, sizeof *list->layers);
    if (!list->layers || !hold(env, &c->offsets, most + 1, sizeof(uint64_t)) ||
        !hold(env, &c->hits, most < FIRST_ALL ? 8 * most : 8 * (size_t)FIRST_ALL, sizeof(tact_hit))) {
        tact_pick_list_free(env, list);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    tact_result result = TACT_OK;
    if (is_empty(mask)) {
        result =
            tact_raycast_all(cast->scene, &(tact_raycast_all_work){.offsets = c->offsets.memory}, cast->query, report);
    }
    for (uint32_t y = 0; y < mask->height && mask->width > 0 && result == TACT_OK; y += step) {
        const uint32_t end = mask->height - y > step ? y + step : mask->height;
        size_t count = 0;
        result = aim_rows(c, cast, mask, y, end, &count);
        if (result == TACT_OK) {
            result = cast_all_rays(c, cast, count, (double)y / mask->height, (double)end / mask->height, &part, report,
                                   &pieces, list);
        }
    }
    if (result < TACT_OK) tact_pick_list_free(env, list);
    return result;
}
