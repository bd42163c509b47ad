// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Between engines on the CPU and the neighbour search.

#include "cpu_ref/particles/neighbours.h"
#include "cpu_ref/particles/particles.h"

tact_result tact_neighbours_find_for(tact_env* env, tact_neighbour_finder** finder, const tact_particle_model* model,
                                     tact_neighbour_job* job, tact_neighbour_lists* lists)
{
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

tact_result tact_neighbours_find_in_state(tact_env* env, tact_neighbour_finder** finder,
                                          const tact_particle_model* model, const tact_particle_state* state,
                                          float radius, tact_neighbour_kind kind, tact_neighbour_lists* lists)
{
    tact_neighbour_job job = {.stride = 4, .id_stride = 2, .count = state->count, .radius = radius, .kind = kind};
    if (state->count > 0) {
        job.x = &state->position[0][0];
        job.y = &state->position[0][1];
        job.z = &state->position[0][2];
        job.ids = &state->tag[0][0];
    }
    return tact_neighbours_find_for(env, finder, model, &job, lists);
}
