// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// tinybvh's sources were not named when building.
#include "apps/peers/rays.h"

tact_tinybvh* tact_tinybvh_open(const tact_model* model, int threads)
{
    (void)model;
    (void)threads;
    return NULL;
}

void tact_tinybvh_close(tact_tinybvh* own)
{
    (void)own;
}

void tact_tinybvh_cast(const tact_tinybvh* own, bool any, const tact_ray* rays, size_t count, tact_hit* hits,
                       uint8_t* occluded)
{
    (void)own;
    (void)any;
    (void)rays;
    (void)count;
    (void)hits;
    (void)occluded;
}
