// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/commands/overlap_run.h"

_Static_assert(sizeof(tact_mesh_pair) == 12, "rows of three numbers");

enum { FIRST_ROOM = 1 << 16 };

static const char* const relation_names[] = {"apart", "intersect", "a-inside", "b-inside"};

bool tact_overlap_exact_prepare(tact_overlap_run* run, tact_problem* problem)
{
    tact_context* context = run->session.context;
    for (int i = 0; i < 2; ++i) {
        const tact_model_mesh* m = &run->models[i];
        const tact_mesh_desc desc = tact_model_mesh_desc(m);
        tact_result result = tact_mesh_create(context, &desc, &run->meshes[i]);
        if (result >= 0) result = tact_mesh_get_info(run->meshes[i], &run->infos[i]);
        if (result < 0) return tact_problem_from_result(problem, result, context, run->options.files.items[i]);
        run->prepare_ms += run->infos[i].build_ms;
    }
    const size_t poses = run->pose_count;
    run->counts = malloc(poses * sizeof *run->counts + 1);
    run->relations = malloc(poses + 1);
    run->rest = malloc(poses * sizeof *run->rest + 1);
    run->rest_relations = malloc(poses + 1);
    run->pairs = malloc(FIRST_ROOM * sizeof *run->pairs);
    run->pair_room = FIRST_ROOM;
    if (run->counts && run->relations && run->rest && run->rest_relations && run->pairs) return true;
    return tact_problem_out_of_memory(problem, "the poses");
}

/// All pairs, with room for them.
static tact_result find_pairs(tact_overlap_run* run, const tact_query_options* options)
{
    const float(*poses)[12] = (const float(*)[12])run->poses;
    for (;;) {
        const tact_result result =
            tact_mesh_overlap_pairs(run->meshes[0], run->meshes[1], poses, run->pose_count, run->pairs, run->pair_room,
                                    &run->pair_count, options, &run->report);
        if (result != TACT_INCOMPLETE) return result;
        free(run->pairs);
        run->pair_room = 0;
        const size_t room = run->pair_count;
        run->pairs = room <= SIZE_MAX / sizeof *run->pairs ? malloc(room * sizeof *run->pairs) : NULL;
        if (!run->pairs) return TACT_ERROR_OUT_OF_MEMORY;
        run->pair_room = room;
    }
}

/// How the meshes lie as solids can only be asked where no triangles overlap. Who found the pairs is asked again.
static tact_result relate_rest(tact_overlap_run* run, const tact_query_options* options)
{
    size_t count = 0;
    for (size_t i = 0; i < run->pose_count; ++i) {
        if (run->counts[i] == 0) memcpy(run->rest[count++], run->poses[i], sizeof *run->rest);
    }
    tact_query_options same = *options;
    tact_query_report report;
    same.backend = run->report.backend;
    if (count > 0) {
        const tact_result result = tact_mesh_overlap(run->meshes[0], run->meshes[1], (const float(*)[12])run->rest,
                                                     count, true, run->rest_relations, &same, &report);
        if (result != TACT_OK) return result;
        run->report.build_ms += report.build_ms;
        run->report.upload_ms += report.upload_ms;
        run->report.query_ms += report.query_ms;
        run->report.download_ms += report.download_ms;
        run->report.total_ms += report.total_ms;
        run->report.failures += report.failures;
        run->report.exact = run->report.exact && report.exact;
    }
    for (size_t i = run->pose_count; i-- > 0;)
        run->relations[i] = run->counts[i] ? TACT_MESHES_INTERSECT : run->rest_relations[--count];
    return TACT_OK;
}

bool tact_overlap_exact_run(tact_overlap_run* run, tact_digest* digest, tact_problem* problem)
{
    tact_query_options options = tact_query_asked(&run->options.common);
    options.progress = tact_progress_update;
    options.progress_user = &run->progress;
    tact_result result = find_pairs(run, &options);
    if (result == TACT_OK) {
        memset(run->counts, 0, run->pose_count * sizeof *run->counts);
        for (size_t i = 0; i < run->pair_count; ++i)
            ++run->counts[run->pairs[i].pose];
        result = relate_rest(run, &options);
    }
    if (result < 0) {
        if (!run->pairs) return tact_problem_out_of_memory(problem, "the pairs");
        return tact_problem_from_result(problem, result, run->session.context, "the query");
    }
    run->overlapping = 0;
    for (size_t i = 0; i < run->pose_count; ++i)
        run->overlapping += run->relations[i] != TACT_MESHES_APART;
    *digest = tact_digest_of(run->pairs, run->pair_count * sizeof *run->pairs);
    return true;
}

void tact_overlap_exact_pose(const tact_overlap_run* run, size_t pose, cJSON* entry)
{
    tact_json_truth(entry, "overlap", run->relations[pose] != TACT_MESHES_APART);
    tact_json_text(entry, "relation", relation_names[run->relations[pose] & 3]);
    tact_json_count(entry, "pairs", run->counts[pose]);
}

void tact_overlap_exact_line(const tact_overlap_run* run, size_t pose)
{
    printf("  %6zu  %-9s %10" PRIu64 " pairs\n", pose, relation_names[run->relations[pose] & 3], run->counts[pose]);
}

void tact_overlap_exact_free(tact_overlap_run* run)
{
    for (int i = 0; i < 2; ++i)
        tact_mesh_destroy(run->meshes[i]);
    free(run->pairs);
    free(run->counts);
    free(run->relations);
    free(run->rest);
    free(run->rest_relations);
}
