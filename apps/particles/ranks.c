// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What --mpi-report tells.

#include <inttypes.h>
#include <stdio.h>

#include "apps/json_out.h"
#include "apps/particles/particles.h"

void tact_particle_ranks_print(const tact_particle_run* run)
{
    const tact_particle_ranks_info* ranks = run->ranks;
    if (!ranks) return;
    printf("ranks     %u, imbalance %.3f; placed %" PRIu64 " times, cut %" PRIu64 " times\n", (unsigned)ranks->ranks,
           ranks->imbalance, ranks->placed, ranks->cut);
    printf("          %4s %10s %9s %5s %9s  %9s %9s %9s %9s  %9s %9s\n", "rank", "particles", "ghosts", "near", "left",
           "moving ms", "placing", "exchange", "waiting", "messages", "MB sent");
    for (uint32_t i = 0; i < ranks->ranks; ++i) {
        const tact_particle_ranks_info* r = &ranks[i];
        printf("          %4u %10" PRIu64 " %9" PRIu64 " %5" PRIu64 " %9" PRIu64 "  %9.1f %9.1f %9.1f %9.1f  %9" PRIu64
               " %9.2f\n",
               (unsigned)i, r->held, r->ghosts, r->neighbours, r->moved, r->step_ms, r->place_ms, r->exchange_ms,
               r->agree_ms, r->messages, (double)r->bytes * 1e-6);
    }
}

void tact_particle_ranks_json(const tact_particle_run* run, cJSON* root)
{
    if (!run->ranks) return;
    cJSON* rows = tact_json_array(root, "each_rank");
    for (uint32_t i = 0; i < run->ranks->ranks; ++i) {
        const tact_particle_ranks_info* r = &run->ranks[i];
        cJSON* row = cJSON_CreateObject();
        cJSON_AddItemToArray(rows, row);
        tact_json_count(row, "particles", r->held);
        tact_json_count(row, "ghosts", r->ghosts);
        tact_json_count(row, "neighbours", r->neighbours);
        tact_json_count(row, "left", r->moved);
        tact_json_count(row, "placed", r->placed);
        tact_json_count(row, "cut", r->cut);
        tact_json_number(row, "imbalance", r->imbalance);
        tact_json_time(row, "step_ms", r->step_ms);
        tact_json_time(row, "place_ms", r->place_ms);
        tact_json_time(row, "exchange_ms", r->exchange_ms);
        tact_json_time(row, "wait_ms", r->agree_ms);
        tact_json_count(row, "messages", r->messages);
        tact_json_count(row, "bytes", r->bytes);
        tact_json_count(row, "meetings", r->meetings);
    }
}
