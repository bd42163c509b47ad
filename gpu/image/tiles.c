// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/image/image.h"

#include <string.h>

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
