// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/pick/request.h"

#include <string.h>

void tact_pick_view_words(const tact_pick_view* view, uint32_t words[TACT_VIEW_WORDS])
{
    const uint32_t rest[] = {(uint32_t)view->order, (uint32_t)view->depth, view->reversed,     view->width,
                             view->height,          (uint32_t)view->left,  (uint32_t)view->top};
    memcpy(words, view->world_to_clip, sizeof view->world_to_clip);
    memcpy(words + 16, rest, sizeof rest);
}

void tact_pick_region_words(const tact_pick_region* region, uint32_t words[TACT_REGION_WORDS])
{
    const uint32_t begin[] = {(uint32_t)region->shape, (uint32_t)region->x, (uint32_t)region->y, region->radius};
    memcpy(words, begin, sizeof begin);
    for (int i = 0; i < 4; ++i)
        words[4 + i] = (uint32_t)region->rectangle[i];
}

tact_given tact_pick_lasso(const tact_pick_region* region)
{
    const bool is_lasso = region->shape == TACT_PICK_LASSO && region->lasso;
    return is_lasso ? (tact_given){region->lasso, region->lasso_count} : (tact_given){NULL, 0};
}

tact_pick_view tact_request_view(const tact_request* r)
{
    uint32_t w[TACT_VIEW_WORDS];
    tact_pick_view view = {0};
    memcpy(w, r->given[1].data, sizeof w);
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

tact_pick_region tact_request_region(const tact_request* r)
{
    uint32_t w[TACT_REGION_WORDS];
    memcpy(w, r->given[2].data, sizeof w);
    tact_pick_region region = {.shape = (tact_pick_shape)w[0],
                               .x = (int32_t)w[1],
                               .y = (int32_t)w[2],
                               .radius = w[3],
                               .lasso = (const float(*)[2])(uintptr_t)r->given[3].data,
                               .lasso_count = r->given[3].count};
    for (int i = 0; i < 4; ++i)
        region.rectangle[i] = (int32_t)w[4 + i];
    return region;
}

const char* tact_pick_check_request(const tact_request* r)
{
    return r->given[1].count != 1 || r->given[2].count != 1 ? "not one view and one region" : NULL;
}

tact_result tact_pick_sample(tact_sample* s, const tact_pick_region* region)
{
    // Down on the cubes, askew: no centre of a pixel is near an edge, and no face has one depth, so drawing and rays
    // find the same.
    static const tact_pick_view view = {
        .world_to_clip = {0.25f, 0, 0.003f, 0.0137f, 0, 0.25f, 0.002f, 0.0071f, 0.01f, 0.02f, -1.0f / 9, 0, 0, 0, 0, 1},
        .order = TACT_MATRIX_BY_ROWS,
        .width = 40,
        .height = 30};
    tact_request* r = &s->request;
    uint32_t* words = tact_request_array(r, TACT_VIEW_WORDS + TACT_REGION_WORDS, sizeof *words);
    if (!words) return TACT_ERROR_OUT_OF_MEMORY;
    tact_pick_view_words(&view, words);
    tact_pick_region_words(region, words + TACT_VIEW_WORDS);
    r->given[1] = (tact_given){words, 1};
    r->given[2] = (tact_given){words + TACT_VIEW_WORDS, 1};
    r->given[3] = tact_pick_lasso(region);
    return tact_sample_mixed_scene(s, false);
}
