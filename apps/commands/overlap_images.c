// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/commands/overlap_run.h"
#include "apps/pictures/pictures.h"
#include "apps/system.h"
#include "tact/geometry/mesh_report.h"

enum { PANEL = 384 };

static tact_image_body body_of(const tact_overlap_run* run, int i)
{
    const tact_model_mesh* m = &run->models[i];
    const tact_image_body body = {.mesh = {.positions = m->positions,
                                           .vertex_count = m->vertex_count,
                                           .indices = m->indices,
                                           .triangle_count = m->triangle_count},
                                  .poses = i == 1 ? (const float(*)[12])run->poses : NULL,
                                  .pose_count = i == 1 ? run->pose_count : 0,
                                  .closed = true,  // checked before, or --unchecked
                                  .convex = true};
    return body;
}

static const char* advice_of(const tact_overlap_run* run)
{
    return run->options.method == TACT_OVERLAP_CONVEX ? "--method exact or image-concave takes it"
                                                      : "--method exact takes it";
}

/// What makes a mesh unfit for the method, or NULL.
static const char* flaw_of(const tact_mesh_report* r, bool convex, char* text, size_t size)
{
    if (r->bad_triangles) {
        snprintf(text, size, "%" PRIu64 " triangles have a vertex that is not finite", r->bad_triangles);
    } else if (r->boundary_edges) {
        snprintf(text, size, "it is open: %" PRIu64 " edges of one triangle", r->boundary_edges);
    } else if (r->non_manifold_edges) {
        snprintf(text, size, "it is not manifold: %" PRIu64 " edges of more than two triangles", r->non_manifold_edges);
    } else if (!r->closed) {
        snprintf(text, size, "it is not closed");
    } else if (convex && r->misoriented_edges) {
        snprintf(text, size, "it is not convex: %" PRIu64 " edges between triangles that face opposite sides",
                 r->misoriented_edges);
    } else if (convex && !r->convex) {
        snprintf(text, size, r->volume < 0.0 ? "it is not convex: it is inside out" : "it is not convex");
    } else {
        return NULL;
    }
    return text;
}

bool tact_overlap_images_check(const tact_overlap_run* run, tact_problem* problem)
{
    for (int i = 0; i < 2; ++i) {
        const tact_model_mesh* m = &run->models[i];
        const char* file = run->options.files.items[i];
        for (size_t k = 0; k < 3 * m->vertex_count; ++k) {
            // As the library refuses them, but with the file's name; a NaN fails too.
            if (!(fabsf(m->positions[k]) <= TACT_MAX_COORDINATE)) {
                return tact_problem_set(problem, "%s: vertex %zu is not finite, or too large; %s", file, k / 3,
                                        "--method exact takes it");
            }
        }
        if (run->options.unchecked) continue;
        const tact_mesh_view view = {(const tact_vec3*)m->positions, m->vertex_count, m->indices, m->triangle_count};
        tact_mesh_report report;
        const tact_result result = tact_mesh_report_make(&view, NULL, &report);
        if (result < 0) return tact_problem_from_result(problem, result, NULL, file);
        char text[160];
        const char* flaw = flaw_of(&report, run->options.method == TACT_OVERLAP_CONVEX, text, sizeof text);
        if (flaw) {
            return tact_problem_set(problem, "%s: %s; %s (--unchecked draws it as it is)", file, flaw, advice_of(run));
        }
    }
    return true;
}

bool tact_overlap_images_prepare(tact_overlap_run* run, tact_problem* problem)
{
    const double start = tact_system_milliseconds();
    const tact_result result = tact_image_tester_create(run->query.session.context, &run->tester);
    if (!tact_query_succeeded(&run->query, result, "drawing", problem)) return false;
    run->query.prepared_ms = tact_system_milliseconds() - start;
    run->images = tact_query_room(NULL, run->pose_count, sizeof *run->images, problem);
    run->overlaps = tact_query_room(NULL, run->pose_count, 1, problem);
    return run->images && run->overlaps;
}

bool tact_overlap_images_run(tact_overlap_run* run, const tact_query_options* query, tact_problem* problem)
{
    const tact_overlap_options* o = &run->options;
    const tact_image_body a = body_of(run, 0), b = body_of(run, 1);
    const tact_image_options options = {.method = tact_overlap_measure(o),
                                        .resolution = (uint32_t)o->resolution,
                                        .making = (tact_image_making)o->making};
    const tact_image_work work = {
        .a = &a, .b = &b, .options = &options, .results = run->images, .count = run->pose_count};
    tact_query_report* r = &run->query.report;
    const tact_result result =
        (o->method == TACT_OVERLAP_CONVEX ? tact_image_convex : tact_image_concave)(run->tester, &work, query, r);
    if (!tact_query_succeeded(&run->query, result, o->pose ? o->pose : "drawing", problem)) return false;
    run->overlapping = 0;
    r->exact = false;  // the overlap is known within the tolerance only
    for (size_t i = 0; i < run->pose_count; ++i) {
        r->tolerance = fmax(r->tolerance, (double)run->images[i].tolerance);
        run->overlaps[i] = run->images[i].overlap;
        run->overlapping += run->images[i].overlap;
    }
    run->query.found = run->overlapping;
    run->query.answer = run->overlaps;
    run->query.answer_bytes = run->pose_count;
    return true;
}

static void add_numbers(cJSON* entry, const char* key, const uint32_t* numbers, int count)
{
    cJSON* list = tact_json_array(entry, key);
    for (int i = 0; i < count; ++i)
        cJSON_AddItemToArray(list, cJSON_CreateNumber((double)numbers[i]));
}

void tact_overlap_images_pose(const tact_overlap_run* run, size_t pose, cJSON* entry)
{
    const tact_image_result* r = &run->images[pose];
    tact_json_truth(entry, "overlap", r->overlap);
    tact_json_number(entry, "tolerance", (double)r->tolerance);
    tact_json_number(entry, "gap", (double)r->gap);
    tact_json_number(entry, "depth", (double)r->depth);
    add_numbers(entry, "samples", r->samples, 2);
    tact_json_truth(entry, "drawn", r->drawn);
    if (run->options.method == TACT_OVERLAP_CONCAVE) {
        tact_json_count(entry, "inside", r->inside);
        add_numbers(entry, "leaks", r->leaks, 2);
    }
    if (run->options.measure != TACT_IMAGE_READBACK) return;
    tact_json_count(entry, "common", r->common);
    add_numbers(entry, "box", r->box, 4);
    tact_json_number(entry, "nearest", (double)r->nearest);
    tact_json_number(entry, "farthest", (double)r->farthest);
    tact_json_number(entry, "penetration", (double)r->penetration);
}

void tact_overlap_images_line(const tact_overlap_run* run, size_t pose)
{
    const tact_image_result* r = &run->images[pose];
    printf("  %6zu  %-7s  ", pose, r->overlap ? "overlap" : "apart");
    if (isfinite(r->tolerance)) {
        printf("within %g", (double)r->tolerance);
    } else {
        printf("approximate");
    }
    printf(", samples %" PRIu32 " and %" PRIu32, r->samples[0], r->samples[1]);
    if (r->leaks[0] || r->leaks[1]) printf(", leaks in %" PRIu32 " and %" PRIu32 " pixels", r->leaks[0], r->leaks[1]);
    puts(r->drawn ? "" : " (not drawn)");
}

// ---- What a test saw ----

bool tact_overlap_images_picture(const tact_overlap_run* run, const char* path, const tact_query_options* query,
                                 tact_problem* problem)
{
    const bool convex = run->options.method == TACT_OVERLAP_CONVEX;
    const tact_image_body a = body_of(run, 0);
    tact_image_body b = body_of(run, 1);
    b.pose_count = 1;
    const uint32_t resolution = (uint32_t)run->options.resolution;
    const uint32_t scale = resolution < PANEL ? (PANEL + resolution - 1) / resolution : 1;
    const size_t pixels = (size_t)resolution * resolution;
    const size_t words = convex ? pixels : pixels * ((tact_image_slots(resolution) + 1) / 32);
    uint32_t* cell = calloc(4 * words + 1, sizeof *cell);
    float* depth = (float*)cell;
    if (!cell) return tact_problem_out_of_memory(problem, "a picture");
    const tact_image_layers layers = {depth, depth + words, depth + 2 * words, depth + 3 * words};
    const tact_image_cells cells = {cell, cell + words, cell + 2 * words, cell + 3 * words};
    tact_image_result seen;
    const tact_image_options options = {.method = TACT_IMAGE_READBACK, .resolution = resolution};
    const tact_image_work work = {.a = &a,
                                  .b = &b,
                                  .options = &options,
                                  .results = &seen,
                                  .count = 1,
                                  .layers = convex ? &layers : NULL,
                                  .cells = convex ? NULL : &cells};
    const tact_result result = (convex ? tact_image_convex : tact_image_concave)(run->tester, &work, query, NULL);
    const bool good = tact_query_succeeded(&run->query, result, path, problem) &&
                      (convex ? tact_picture_of_layers(path, &layers, resolution, scale, problem)
                              : tact_picture_of_cells(path, &cells, resolution, scale, problem));
    free(cell);
    return good;
}

void tact_overlap_images_free(tact_overlap_run* run)
{
    tact_image_tester_destroy(run->tester);
    free(run->images);
    free(run->overlaps);
}
