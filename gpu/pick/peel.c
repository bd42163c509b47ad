// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Picking by drawing. A region is drawn by itself, as the part of the view that it is, in bands of rows where it is
// large; what was kept is read where the region lies in it.

#include <string.h>

#include "base/platform.h"
#include "cpu_ref/pick/view.h"
#include "gpu/chunks.h"
#include "gpu/pick/drawer.h"

enum {
    BAND_PIXELS = 1 << 22,  // whose copies are 160 MiB at most
    HOST_PIXELS = 1 << 12,  // reduced on the host: as much as is read faster than kernels are started
    IDS_BYTES = 16,
    PAIR_BYTES = 8,
    ORDER_BYTES = 16,
    UNIFORM_WIDTH = 1,
    UNIFORM_BEHIND = 2
};

typedef struct picking {
    tact_pick_drawer* d;
    const tact_drawn_scene* scene;
    const tact_pick_view* view;
    const tact_pick_mask* mask;
    const tact_pick_options* options;
    const tact_query_options* query;
    tact_pick_rule rule;
    tact_pick_list* list;
    tact_env* env;
} picking;

void tact_pick_peel_free(tact_pick_drawer* d)
{
    tact_pick_peel* p = &d->peel;
    tact_pick_reducer_destroy(p->reducer);
    tact_raster_target_destroy(p->target);
    tact_raster_target_destroy(p->kept);
    tact_buffer_destroy(p->ids);
    tact_buffer_destroy(p->surfaces);
    tact_buffer_destroy(p->orders);
    memset(p, 0, sizeof *p);
}

void tact_pick_drawer_set_place(tact_pick_drawer* drawer, tact_pick_place place)
{
    drawer->peel.place = place;
}

// ---- Planes ----

static tact_result make_target(tact_pick_drawer* d, uint32_t width, uint32_t height, bool orders,
                               tact_raster_target** target)
{
    tact_raster_target_desc desc = {.width = width,
                                    .height = height,
                                    .depth = TACT_RASTER_DEPTH_32F,
                                    .colours = {TACT_RASTER_RGBA32UI, TACT_RASTER_RG32UI}};
    if (orders) desc.colours[2] = TACT_RASTER_RGBA32UI;
    return tact_raster_target_create(d->raster, &desc, target);
}

static tact_result hold_target(tact_pick_drawer* d, uint32_t width, uint32_t height, bool orders)
{
    tact_pick_peel* p = &d->peel;
    if (p->target && p->size[0] >= width && p->size[1] >= height && (p->peels || !orders)) return TACT_OK;
    // As large as the one before, too, unless a wide one and a high one would make one far larger than both.
    if (p->target && p->size[0] > width && (uint64_t)p->size[0] * height <= BAND_PIXELS) width = p->size[0];
    if (p->target && p->size[1] > height && (uint64_t)width * p->size[1] <= BAND_PIXELS) height = p->size[1];
    tact_raster_target_destroy(p->target);
    p->target = NULL;
    p->size[0] = width;
    p->size[1] = height;
    p->peels = p->peels || orders;
    return make_target(d, width, height, p->peels, &p->target);
}

static tact_result copy_planes(picking* k, const uint32_t rectangle[4], bool orders)
{
    tact_pick_drawer* d = k->d;
    tact_pick_peel* p = &d->peel;
    const uint64_t pixels = (uint64_t)rectangle[2] * rectangle[3];
    tact_buffer_hold(d->device, &p->ids, pixels * IDS_BYTES);
    tact_buffer_hold(d->device, &p->surfaces, pixels * PAIR_BYTES);
    if (orders) tact_buffer_hold(d->device, &p->orders, pixels * ORDER_BYTES);
    tact_raster_copy(d->raster, TACT_RASTER_COLOUR_0, rectangle, p->ids, 0);
    tact_raster_copy(d->raster, (tact_raster_plane)(TACT_RASTER_COLOUR_0 + 1), rectangle, p->surfaces, 0);
    if (orders) tact_raster_copy(d->raster, (tact_raster_plane)(TACT_RASTER_COLOUR_0 + 2), rectangle, p->orders, 0);
    return tact_device_result(d->device);
}

// ---- The things in them ----

static tact_result reduce_on_host(picking* k, const tact_pick_mask* mask, tact_pick_list* list)
{
    const tact_pick_peel* p = &k->d->peel;
    const size_t pixels = (size_t)mask->width * mask->height;
    tact_pick_ids* ids = tact_allocate(k->env, pixels, sizeof *ids);
    tact_pick_surface* surfaces = tact_allocate(k->env, pixels, sizeof *surfaces);
    tact_result result = ids && surfaces ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) result = tact_buffer_read(p->ids, 0, ids, pixels * sizeof *ids);
    if (result == TACT_OK) result = tact_buffer_read(p->surfaces, 0, surfaces, pixels * sizeof *surfaces);
    if (result == TACT_OK) result = tact_pick_reduce(k->env, mask, &k->rule, ids, surfaces, true, list);
    tact_release(k->env, ids);
    tact_release(k->env, surfaces);
    return result;
}

static tact_result reduce(picking* k, const tact_pick_mask* mask, tact_pick_list* list)
{
    tact_pick_peel* p = &k->d->peel;
    const bool small = (uint64_t)mask->width * mask->height <= HOST_PIXELS;
    if (small && p->place != TACT_PICK_PLACE_DEVICE) return reduce_on_host(k, mask, list);
    tact_result result = p->reducer ? TACT_OK : tact_pick_reducer_create(k->d->device, &p->reducer);
    if (result == TACT_OK) {
        tact_pick_reducer_set_place(p->reducer, p->place);
        result = tact_pick_reducer_start(p->reducer, mask, &k->rule, p->ids, p->surfaces, true);
    }
    return result == TACT_OK ? tact_pick_reducer_collect(p->reducer, list) : result;
}

// What the planes show of a band joins the list. *any: there was something.
static tact_result gather(picking* k, const tact_pick_mask* band, uint32_t layer, bool* any)
{
    tact_pick_list found = {0};
    tact_result result = reduce(k, band, &found);
    *any = result == TACT_OK && found.count > 0;
    if (*any) tact_pick_list_move(&found, (band->y - k->mask->y) * band->width);
    if (*any && k->list->count == 0 && layer == 0) {
        tact_pick_list_free(k->env, k->list);
        *k->list = found;
        return TACT_OK;
    }
    if (*any) result = tact_pick_list_merge(k->env, k->mask, &k->rule, k->list, &found, layer);
    tact_pick_list_free(k->env, &found);
    return result;
}

static tact_result tell_progress(const picking* k, double fraction)
{
    const tact_query_options* q = k->query;
    return q ? tact_gpu_goes_on(k->d->device, q->progress, q->progress_user, fraction) : TACT_OK;
}

// ---- Regions ----

static tact_result draw_layer(picking* k, const tact_pick_view* part, uint32_t layer, bool peels)
{
    tact_pick_drawer* d = k->d;
    tact_pick_peel* p = &d->peel;
    tact_raster_bind(d->raster, p->target);
    tact_pick_drawer_clear(d, part, p->peels ? 3 : 2);
    if (!peels) return tact_pick_drawer_render(d, k->scene, part, d->program);
    tact_raster_set_uint(d->peel_program, UNIFORM_WIDTH, part->width);
    tact_raster_set_uint(d->peel_program, UNIFORM_BEHIND, layer > 0);
    tact_raster_bind_storage(d->raster, 4, layer > 0 ? p->orders : NULL);
    return tact_pick_drawer_render(d, k->scene, part, d->peel_program);
}

static tact_result pick_band(picking* k, const tact_pick_mask* band, double done, double share)
{
    const bool peels = k->options->extent == TACT_PICK_ALL;
    const int32_t left = k->view->left + (int32_t)band->x, top = k->view->top + (int32_t)band->y;
    const int32_t rectangle[4] = {left, top, left + (int32_t)band->width, top + (int32_t)band->height};
    const uint32_t all[4] = {0, 0, band->width, band->height};
    tact_pick_view part;
    if (!tact_pick_part(k->view, rectangle, &part)) {
        return TACT_DEVICE_FAIL(k->d->device, TACT_ERROR_INVALID_ARGUMENT,
                                "a view that has no parts: not finite, or flat");
    }
    tact_result result = hold_target(k->d, band->width, band->height, peels);
    if (result == TACT_OK) result = tact_pick_drawer_prepare(k->d, k->scene, &part);
    bool any = result == TACT_OK && k->d->pieces.count > 0;
    for (uint32_t layer = 0; any && result == TACT_OK; ++layer) {
        result = draw_layer(k, &part, layer, peels);
        if (result == TACT_OK) result = copy_planes(k, all, peels);
        if (result == TACT_OK) result = gather(k, band, layer, &any);
        if (!peels || (k->options->max_layers > 0 && layer + 1 >= k->options->max_layers)) break;
        // How many layers there are is not known before.
        if (result == TACT_OK && any) result = tell_progress(k, done + share * (1.0 - 1.0 / (layer + 2.0)));
    }
    return result;
}

// ---- What was kept ----

static bool kept_is_current(const picking* k)
{
    const tact_pick_peel* p = &k->d->peel;
    return p->has_kept && p->kept_scene == k->scene->trace->serial && p->kept_meshes == k->scene->trace->mesh_version &&
           p->kept_top == k->scene->trace->top_version && tact_pick_view_same(&p->kept_view, k->view);
}

static tact_result draw_kept(picking* k)
{
    tact_pick_peel* p = &k->d->peel;
    const tact_pick_view* v = k->view;
    tact_result result = TACT_OK;
    if (kept_is_current(k)) {
        tact_raster_bind(k->d->raster, p->kept);
        return TACT_OK;
    }
    p->has_kept = false;
    if (!p->kept || p->kept_size[0] < v->width || p->kept_size[1] < v->height) {
        tact_raster_target_destroy(p->kept);
        p->kept = NULL;
        p->kept_size[0] = v->width;
        p->kept_size[1] = v->height;
        result = make_target(k->d, v->width, v->height, false, &p->kept);
    }
    if (result != TACT_OK) return result;
    tact_raster_bind(k->d->raster, p->kept);
    result = tact_pick_drawer_draw(k->d, k->scene, v);
    if (result != TACT_OK) return result;
    p->has_kept = true;
    p->kept_view = *v;
    p->kept_scene = k->scene->trace->serial;
    p->kept_meshes = k->scene->trace->mesh_version;
    p->kept_top = k->scene->trace->top_version;
    return TACT_OK;
}

static tact_result pick_kept(picking* k, const tact_pick_mask* band)
{
    // The lowest row is the view's last.
    const uint32_t rectangle[4] = {band->x, k->view->height - band->y - band->height, band->width, band->height};
    bool any = false;
    tact_result result = draw_kept(k);
    if (result == TACT_OK) result = copy_planes(k, rectangle, false);
    return result == TACT_OK ? gather(k, band, 0, &any) : result;
}

// ---- All of it ----

// Rows of the region of which every buffer can hold all: the largest have 16 bytes a pixel (a reducer's no more, as
// gpu/pick/reduce.c says). A row that is too long by itself is refused where its buffer is made.
static uint32_t rows_at_once(const picking* k)
{
    const uint64_t room = tact_device_describe(k->d->device)->max_buffer_bytes / IDS_BYTES;
    const uint64_t pixels = room < BAND_PIXELS ? room : BAND_PIXELS;
    return k->mask->width < pixels ? (uint32_t)(pixels / k->mask->width) : 1;
}

static tact_result pick_bands(picking* k)
{
    const tact_pick_mask* m = k->mask;
    const bool keeps = k->options->keep && k->options->extent == TACT_PICK_VISIBLE;
    const uint32_t most = rows_at_once(k);
    tact_result result = tact_raster_begin(k->d->raster);
    if (result != TACT_OK) return result;
    for (uint32_t row = 0; row < m->height && result == TACT_OK; row += most) {
        const uint32_t rows = m->height - row < most ? m->height - row : most;
        const tact_pick_mask band = tact_pick_mask_rows(m, row, rows);
        result = keeps ? pick_kept(k, &band) : pick_band(k, &band, (double)row / m->height, (double)rows / m->height);
        if (result == TACT_OK) result = tell_progress(k, (double)(row + rows) / m->height);
    }
    const tact_result ended = tact_raster_end(k->d->raster);
    if (ended != TACT_OK) k->d->peel.has_kept = false;
    return result == TACT_OK ? ended : result;
}

static void report_on(const tact_pick_drawer* d, const tact_drawn_scene* scene, double start, tact_query_report* report)
{
    const tact_pick_peel* p = &d->peel;
    const tact_buffer* own[] = {d->vectors, d->records, d->commands, p->ids, p->surfaces, p->orders};
    report->upload_ms = d->upload_ms;
    report->query_ms = tact_platform_milliseconds() - start - d->upload_ms;
    report->memory_bytes = *scene->data ? tact_pick_scene_data_bytes(*scene->data) : 0;
    report->memory_bytes += tact_buffer_sizes(own, sizeof own / sizeof own[0]);
    const uint64_t plane_bytes = IDS_BYTES + PAIR_BYTES + 4;
    if (p->target)
        report->memory_bytes += (uint64_t)p->size[0] * p->size[1] * (plane_bytes + (p->peels ? ORDER_BYTES : 0));
    if (p->kept) report->memory_bytes += (uint64_t)p->kept_size[0] * p->kept_size[1] * plane_bytes;
}

tact_result tact_pick_drawer_pick(tact_pick_drawer* drawer, const tact_drawn_scene* scene, const tact_pick_view* view,
                                  const tact_pick_mask* mask, const tact_pick_options* options,
                                  const tact_query_options* query, tact_query_report* report, tact_pick_list* list)
{
    static const tact_pick_options defaults = {0};
    if (!options) options = &defaults;
    const double start = tact_platform_milliseconds();
    memset(list, 0, sizeof *list);
    picking k = {.d = drawer,
                 .scene = scene,
                 .view = view,
                 .mask = mask,
                 .options = options,
                 .query = query,
                 .rule = {options->group, view->reversed},
                 .list = list,
                 .env = tact_device_env(drawer->device)};
    if (options->extent == TACT_PICK_TOUCHED) {
        return tact_fail(k.env, TACT_ERROR_INVALID_ARGUMENT, "what is touched cannot be drawn");
    }
    tact_result result = tact_device_enter(drawer->device);
    if (result != TACT_OK) return result;
    drawer->upload_ms = 0.0;
    if (mask->width > 0 && mask->height > 0) result = pick_bands(&k);
    if (report && result == TACT_OK) report_on(drawer, scene, start, report);
    tact_device_leave(drawer->device);
    if (result != TACT_OK) tact_pick_list_free(k.env, list);
    return result;
}
