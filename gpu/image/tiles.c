// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/image/image.h"

#include <string.h>

enum { DRAW_TRIANGLES = 1 << 21 };  // in one command

tact_result tact_image_hold_target(tact_raster* raster, tact_image_surface* surface,
                                   const tact_raster_target_desc* desc)
{
    const tact_raster_target_desc* held = &surface->desc;
    const uint64_t pixels = (uint64_t)desc->width * desc->height, more = (uint64_t)held->width * held->height;
    const bool same = held->depth == desc->depth && memcmp(held->colours, desc->colours, sizeof held->colours) == 0;
    if (surface->target && same && held->width == desc->width && held->height >= desc->height && more <= 4 * pixels) {
        return TACT_OK;
    }
    tact_raster_target_destroy(surface->target);
    surface->target = NULL;
    surface->desc = *desc;
    return tact_raster_target_create(raster, desc, &surface->target);
}

void tact_image_draw_tiles(tact_raster* raster, const tact_image_stage* stage, uint32_t tiles)
{
    const uint32_t fit = DRAW_TRIANGLES / (stage->mesh.count / 3);
    const uint32_t at_once = fit > 0 ? fit : 1;
    for (uint32_t t = 0; t < tiles; t += at_once) {
        tact_raster_draw(raster, TACT_RASTER_TRIANGLES, t, tiles - t < at_once ? tiles - t : at_once);
        tact_raster_flush(raster);
    }
}
