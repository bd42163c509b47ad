// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Recorded queries that look at a view, or draw, run again: picks of a scene, picks of a target that a scene was drawn
// to, and image-space tests.

#include <string.h>

#include "tact/image_space.h"
#include "tact/pick_target.h"
#include "tools/replay/replay.h"

// ---- Picks ----

static tact_pick_view view_of(const tact_read_chunk* chunk)
{
    uint32_t w[TACT_VIEW_WORDS];
    tact_pick_view view = {0};
    memcpy(w, chunk->bytes, sizeof w);
    memcpy(view.world_to_clip, w, sizeof view.world_to_clip);
    view.order = (tact_matrix_order)w[16];
    view.depth = (tact_clip_depth)w[17];
    view.reversed = w[18] != 0;
    view.width = w[19];
    view.height = w[20];
    view.left = (int32_t)w[21];
    view.top = (int32_t)w[22];
    return view;
}

static tact_pick_region region_of(const tact_read_chunk* chunk, const tact_read_chunk* lasso)
{
    uint32_t w[TACT_REGION_WORDS];
    memcpy(w, chunk->bytes, sizeof w);
    tact_pick_region region = {.shape = (tact_pick_shape)w[0], .x = (int32_t)w[1], .y = (int32_t)w[2], .radius = w[3]};
    for (int i = 0; i < 4; ++i)
        region.rectangle[i] = (int32_t)w[4 + i];
    if (lasso) region.lasso = (const float(*)[2])(const void*)lasso->bytes;
    region.lasso_count = tact_read_rows(lasso);
    return region;
}

static tact_result pick_scene(tact_replay* p, tact_scene* scene, const tact_pick_view* view,
                              const tact_pick_region* region)
{
    const uint32_t* given = p->query.parameters;
    tact_context* context = p->recording->context;
    tact_query_options options = p->options;
    tact_pick_options pick = {.extent = (tact_pick_extent)given[0],
                              .group = (tact_pick_group)given[1],
                              .method = (tact_pick_method)given[2],
                              .max_layers = given[3],
                              .keep = given[4] != 0};
    const bool open = options.backend == TACT_BACKEND_AUTO || options.backend == TACT_BACKEND_GL;
    if (pick.method == TACT_PICK_RASTER && (!open || tact_context_find(context, TACT_BACKEND_GL) < 0)) {
        pick.method = TACT_PICK_RAYS;
    }
    tact_picker* picker = NULL;
    const tact_result result = tact_picker_create(context, &picker);
    if (result != TACT_OK) return result;
    size_t count = 0;
    p->result = tact_pick_scene(picker, scene, view, region, &pick, NULL, 0, &count, &options, &p->report);
    tact_picker_destroy(picker);
    return TACT_OK;
}

/// All that was found, told to whoever wants the answer's digest: a target answers later than it is asked.
static tact_result collect(tact_replay* p, tact_pick_target* target, tact_pick_ticket ticket)
{
    tact_env* env = tact_replay_env(p->recording);
    size_t count = 0;
    tact_result result = tact_pick_target_collect(target, ticket, NULL, 0, &count, NULL);
    tact_pick* picks = tact_allocate(env, count, sizeof *picks);
    if (!picks) return TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_INCOMPLETE) {
        result = tact_pick_target_collect(target, ticket, picks, count, &count, NULL);
    }
    if (result == TACT_OK) {
        *p->recording->context->witness = (tact_record_witness){
            .answered = true, .digest = tact_xxh64_of(picks, count * sizeof *picks), .bytes = count * sizeof *picks};
    }
    tact_release(env, picks);
    p->result = result;
    return TACT_OK;
}

static tact_result pick_target(tact_replay* p, tact_scene* scene, const tact_pick_view* view,
                               const tact_pick_region* region)
{
    const tact_pick_target_desc desc = {.width = view->width, .height = view->height};
    tact_pick_target* target = NULL;
    tact_pick_ticket ticket = 0;
    p->result = tact_pick_target_create(p->recording->context, &desc, &target);
    if (p->result == TACT_OK) p->result = tact_pick_target_draw(target, scene, view, 1);
    if (p->result == TACT_OK) {
        p->result = tact_pick_target_request(target, region, (tact_pick_group)p->query.parameters[0], &ticket);
    }
    const tact_result result = p->result == TACT_OK ? collect(p, target, ticket) : TACT_OK;
    tact_pick_target_destroy(target);
    return result;
}

tact_result tact_replay_pick(tact_replay* p)
{
    const tact_read_chunk *views = tact_replay_place(p, 1), *regions = tact_replay_place(p, 2);
    if (tact_read_rows(views) != 1 || tact_read_rows(regions) != 1) {
        return tact_replay_refuse(p, "not one view and one region");
    }
    const tact_pick_view view = view_of(views);
    const tact_pick_region region = region_of(regions, tact_replay_place(p, 3));
    if (p->query.kind == TACT_RECORDED_TARGET) tact_replay_only(p, TACT_BACKEND_GL, 1);
    tact_scene* scene = NULL;
    tact_result result = tact_replay_scene(p->recording, tact_replay_place(p, 0), &scene);
    if (result != TACT_OK) return result;
    result = p->query.kind == TACT_RECORDED_TARGET ? pick_target(p, scene, &view, &region)
                                                   : pick_scene(p, scene, &view, &region);
    tact_scene_destroy(scene);
    return result;
}

// ---- Image-space tests ----

/// Tests with the same two poses tell nothing new: a file must not ask for any number of them.
enum { MOST_TESTS_OF_ONE_POSE = 4096 };

static tact_image_body body_of(const tact_replay* p, uint32_t which, tact_image_bounds* bounds)
{
    const uint32_t* given = p->query.parameters;
    const tact_mesh_desc mesh = tact_replay_mesh(p->recording, tact_replay_place(p, which));
    const tact_read_chunk *poses = tact_replay_place(p, 2), *rows = tact_replay_place(p, 3);
    const size_t before = which == 0 ? 0 : given[4];
    tact_image_body body = {.positions = mesh.positions,
                            .vertex_count = mesh.vertex_count,
                            .indices = mesh.indices,
                            .triangle_count = mesh.triangle_count,
                            .poses = (const float(*)[12])(const void*)poses->bytes + before,
                            .pose_count = which == 0 ? given[4] : tact_read_rows(poses) - before,
                            .closed = (given[3] >> which & 1) != 0,
                            .convex = (given[3] >> (4 + which) & 1) != 0};
    if (given[3] >> (2 + which) & 1) {
        // Those of B follow those of A, if there are any.
        const size_t row = which == 1 && (given[3] & 4) ? 1 : 0;
        memcpy(bounds, rows->bytes + row * sizeof *bounds, sizeof *bounds);
        body.bounds = bounds;
    }
    return body;
}

tact_result tact_replay_image_tests(tact_replay* p)
{
    const uint32_t* given = p->query.parameters;
    const size_t poses = tact_read_rows(tact_replay_place(p, 2)), bounded = (given[3] >> 2 & 1) + (given[3] >> 3 & 1);
    if (given[4] > poses || bounded > tact_read_rows(tact_replay_place(p, 3))) {
        return tact_replay_refuse(p, "fewer poses or bounds than it says");
    }
    if (p->query.count > MOST_TESTS_OF_ONE_POSE && p->query.count > poses) {
        return tact_replay_refuse(p, "more tests than poses");
    }
    const size_t count = (size_t)p->query.count;
    tact_image_bounds bounds[2];
    const tact_image_body a = body_of(p, 0, &bounds[0]), b = body_of(p, 1, &bounds[1]);
    const tact_image_options options = {.method = (tact_image_method)given[1], .resolution = given[2]};
    tact_image_tester* tester = NULL;
    tact_replay_only(p, TACT_BACKEND_GL, 1);
    p->result = tact_image_tester_create(p->recording->context, &tester);
    if (p->result != TACT_OK) return TACT_OK;
    tact_image_result* results = tact_allocate(tact_replay_env(p->recording), count, sizeof *results);
    if (results) {
        p->result = given[0] ? tact_image_concave(tester, &a, &b, &options, results, count)
                             : tact_image_convex(tester, &a, &b, &options, results, count);
    }
    tact_image_tester_destroy(tester);
    tact_release(tact_replay_env(p->recording), results);
    return results ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

// ---- What is promised of them ----

bool tact_replay_promised(const tact_recording* r, const tact_recorded_query* q, const tact_query_report* report)
{
    // Concave tests count in whole numbers, and picks by rays are those of rays.
    const bool drawn = q->kind == TACT_RECORDED_TARGET || (q->kind == TACT_RECORDED_IMAGE && q->parameters[0] == 0) ||
                       (q->kind == TACT_RECORDED_PICK && q->parameters[2] == TACT_PICK_RASTER);
    if (!drawn) return true;
    const int device = tact_context_find(r->context, report->backend);
    return device >= 0 && report->backend == q->report.backend && strcmp(report->device, q->report.device) == 0 &&
           strcmp(tact_context_describe(r->context, (uint32_t)device)->driver, q->driver) == 0;
}
