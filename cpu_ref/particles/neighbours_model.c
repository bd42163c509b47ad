// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Between engines on the CPU and the neighbour search.

#include "cpu_ref/particles/neighbours.h"
#include "cpu_ref/particles/particles.h"

tact_result tact_neighbours_find_for(tact_env* env, tact_neighbour_finder** finder, const tact_particle_model* model,
                                     tact_neighbour_job* job, tact_neighbour_lists* lists)
{
    TACT_ASSERT(model->grid.x.period == 0.0f || job->radius <= model->grid.x.period / 3.0f * 1.0001f);
    if (!*finder) {
        const tact_result result = tact_neighbour_finder_create(env, finder);
        if (result != TACT_OK) return result;
    }
    job->axes[0] = &model->grid.x;
    job->axes[1] = &model->grid.y;
    job->axes[2] = &model->grid.z;
    job->threads = model->threads;
    return tact_neighbours_find(*finder, job, lists);
}
