// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/cull.h"

uint32_t tact_cull_frustum(const tact_frustum* frustum, tact_plane planes[TACT_FRUSTUM_PLANES])
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < TACT_FRUSTUM_PLANES; ++k)
        if (frustum->planes >> k & 1) planes[count++] = frustum->plane[k];
    if (count == 0) planes[count++] = (tact_plane){{0, 0, 0}, -1};
    return count;
}
