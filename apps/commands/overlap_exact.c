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
    tact_context* context = run->query.session.context;
    for (int i = 0; i < 2; ++i) {
        const tact_model_mesh* m = &run->models[i];
        const tact_mesh_desc desc = tact_model_mesh_desc(m);
        tact_result result = tact_mesh_create(context, &desc, &run->meshes[i]);
        if (result >= 0) result = tact_mesh_get_info(run->meshes[i], &run->infos[i]);
        if (result < 0) return tact_problem_from_result(problem, result, context, run->options.files.items[i]);
        run->query.prepared_ms += run->infos[i].build_ms;
    }
    const size_t poses = run->pose_count;
    run->counts = tact_query_room(NULL, poses, sizeof *run->counts, problem);
    run->relations = tact_query_room(NULL, poses, 1, problem);
    run->rest = tact_query_room(NULL, poses, sizeof *run->rest, problem);
    run->rest_relations = tact_query_room(NULL, poses, 1, problem);
    run->pairs = tact_query_room(NULL, FIRST_ROOM, sizeof *run->pairs, problem);
    run->pair_room = FIRST_ROOM;
    return run->counts && run->relations && run->rest && run->rest_relations && run->pairs;
}

/// All pairs, with room for them.
static bool find_pairs(tact_overlap_run* run, const tact_query_options* options, tact_problem* problem)
{
    const float(*poses)[12] = (const float(*)[12])run->poses;
    for (;;) {
        const tact_result result = tact_mesh_overlap_pairs(run->meshes[0], run->meshes[1],
                                                           &(tact_overlap_work){.poses = poses,
                                                                                .pose_count = run->pose_count,
                                                                                .pairs = run->pairs,
                                                                                .capacity = run->pair_room,
                                                                                .count = &run->pair_count},
                                                           options, &run->query.report);
        if (result != TACT_INCOMPLETE) return tact_query_succeeded(&run->query, result, "the query", problem);
        run->pair_room = run->pair_count;
        run->pairs = tact_query_room(run->pairs, run->pair_room, sizeof *run->pairs, problem);
        if (!run->pairs) return false;
    }
}

/// How the meshes lie as solids can only be asked where no triangles overlap, on the device that found the pairs.
static tact_result relate_rest(tact_overlap_run* run, const tact_query_options* options)
{
    size_t count = 0;
    for (size_t i = 0; i < run->pose_count; ++i) {
        if (run->counts[i] == 0) memcpy(run->rest[count++], run->poses[i], sizeof *run->rest);
    }
    tact_query_options same = *options;
    tact_query_report report;
    same.backend = run->query.report.backend;
    if (count > 0) {
        const tact_result result = tact_mesh_overlap(run->meshes[0], run->meshes[1],
                                                     &(tact_overlap_work){.poses = (const float(*)[12])run->rest,
                                                                          .pose_count = count,
                                                                          .solid = true,
                                                                          .relations = run->rest_relations},
                                                     &same, &report);
        if (result != TACT_OK) return result;
        run->query.report.build_ms += report.build_ms;
        run->query.report.upload_ms += report.upload_ms;
        run->query.report.query_ms += report.query_ms;
        run->query.report.download_ms += report.download_ms;
        run->query.report.total_ms += report.total_ms;
        run->query.report.failures += report.failures;
        run->query.report.exact = run->query.report.exact && report.exact;
    }
    for (size_t i = run->pose_count; i-- > 0;)
        run->relations[i] = run->counts[i] ? TACT_MESHES_INTERSECT : run->rest_relations[--count];
    return TACT_OK;
}

bool tact_overlap_exact_run(tact_overlap_run* run, const tact_query_options* options, tact_problem* problem)
{
    if (!find_pairs(run, options, problem)) return false;
    memset(run->counts, 0, run->pose_count * sizeof *run->counts);
    for (size_t i = 0; i < run->pair_count; ++i)
        ++run->counts[run->pairs[i].pose];
    if (!tact_query_succeeded(&run->query, relate_rest(run, options), "the query", problem)) return false;
    run->overlapping = 0;
    for (size_t i = 0; i < run->pose_count; ++i)
        run->overlapping += run->relations[i] != TACT_MESHES_APART;
    run->query.found = run->pair_count;
    run->query.answer = run->pairs;
    run->query.answer_bytes = run->pair_count * sizeof *run->pairs;
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
