// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/color.h"
#include "apps/commands.h"
#include "apps/commands/mesh_parts.h"
#include "apps/inputs/mesh_file.h"
#include "apps/json_out.h"
#include "apps/session.h"
#include "apps/system.h"
#include "apps/text.h"
#include "apps/timing.h"
#include "tact/bodies.h"
#include "tact/geometry/mesh_combine.h"
#include "tact/geometry/mesh_decompose.h"
#include "tact/geometry/mesh_mend.h"

typedef struct mesh_options {
    tact_common_options common;
    tact_text_list files;
    const char* repair;
    const char* weld;
    float tolerance;  // what that says
    bool crossings;
    tact_number_and_text decompose;
} mesh_options;

typedef struct mesh_times {
    double load, report, crossings, repair, decompose;
} mesh_times;

/// Where the surface passes through itself: as many pairs as are shown.
typedef struct mesh_crossings {
    uint32_t pairs[16][2];
    size_t count;
} mesh_crossings;

/// What a run of the command holds; all of it is released at one place.
typedef struct mesh_run {
    mesh_options options;
    const char* file;
    tact_model_mesh mesh;
    tact_mesh_report report;
    mesh_crossings crossings;
    tact_mesh_copy repaired;
    tact_mesh_mended mended;
    tact_decomposition parts;
    mesh_times times;
} mesh_run;

static bool read_weld(mesh_options* options, tact_problem* problem)
{
    char* end;
    options->tolerance = strtof(options->weld, &end);
    if (end != options->weld && !*end && isfinite(options->tolerance) && options->tolerance >= 0.0f) return true;
    return tact_problem_set(problem, "--weld %s: must be a number from 0 on", options->weld);
}

static bool check_options(mesh_run* run, tact_problem* problem)
{
    const mesh_options* options = &run->options;
    if (options->files.count == 0) return tact_problem_set(problem, "a FILE is needed");
    if (options->files.count > 1) {
        return tact_problem_set(problem, "%s: one file at a time", options->files.items[1]);
    }
    run->file = options->files.items[0];
    if (!options->repair && options->weld) return tact_problem_set(problem, "--weld needs --repair");
    if (!options->repair) return true;
    const size_t length = strlen(options->repair);
    const bool stream = tact_file_is_stream(options->repair);
    if (!stream && (length <= 4 || strcmp(options->repair + length - 4, ".obj") != 0)) {
        return tact_problem_set(problem, "--repair %s: the name must end in .obj", options->repair);
    }
    return !options->weld || read_weld(&run->options, problem);
}

static tact_mesh_view view_of(const tact_model_mesh* mesh)
{
    return (tact_mesh_view){(const tact_vec3*)mesh->positions, mesh->vertex_count, mesh->indices, mesh->triangle_count};
}

static bool make_report(const tact_mesh_view* view, const char* name, tact_mesh_report* report, tact_problem* problem)
{
    const tact_result result = tact_mesh_report_make(view, NULL, report);
    return result >= 0 || tact_problem_from_result(problem, result, NULL, name);
}

static bool load_and_report(mesh_run* run, tact_problem* problem)
{
    const double start = tact_system_milliseconds();
    if (!tact_mesh_file_read_guarded(run->file, &run->mesh, problem)) return false;
    const double loaded = tact_system_milliseconds();
    const tact_mesh_view view = view_of(&run->mesh);
    if (!make_report(&view, run->file, &run->report, problem)) return false;
    run->times.load = loaded - start;
    run->times.report = tact_system_milliseconds() - loaded;
    return true;
}

static bool find_crossings(mesh_run* run, tact_problem* problem)
{
    enum { MOST = sizeof run->crossings.pairs / sizeof *run->crossings.pairs };
    const double start = tact_system_milliseconds();
    const tact_mesh_view view = view_of(&run->mesh);
    const tact_result result = tact_mesh_crossings(&view, NULL, run->crossings.pairs[0], MOST, &run->crossings.count);
    run->times.crossings = tact_system_milliseconds() - start;
    return result >= 0 || tact_problem_from_result(problem, result, NULL, run->file);
}

static size_t shown_crossings(const mesh_run* run)
{
    const size_t most = sizeof run->crossings.pairs / sizeof *run->crossings.pairs;
    return run->crossings.count < most ? run->crossings.count : most;
}

static bool repair(mesh_run* run, tact_problem* problem)
{
    const double start = tact_system_milliseconds();
    const tact_mesh_view view = view_of(&run->mesh);
    const tact_mesh_mend_options how = {.tolerance = run->options.tolerance};
    const tact_result result = tact_mesh_mend(&view, &how, NULL, &run->repaired, &run->mended);
    if (result < 0) return tact_problem_from_result(problem, result, NULL, run->file);
    const tact_mesh_copy copy = run->repaired;
    const bool written = tact_obj_write(run->options.repair, &copy.positions->x, copy.vertex_count, copy.indices,
                                        copy.triangle_count, problem);
    run->times.repair = tact_system_milliseconds() - start;
    if (!written) return false;
    const tact_mesh_report* after = &run->mended.after;
    if (!after->closed || !after->manifold || !after->oriented) {
        tact_warning("tact mesh", "%s is not %s", run->options.repair,
                     !after->closed     ? "closed"
                     : !after->manifold ? "manifold"
                                        : "oriented");
    }
    return true;
}

/// Of the repaired mesh where there is one.
static bool decompose(mesh_run* run, tact_problem* problem)
{
    const double start = tact_system_milliseconds();
    const tact_mesh_copy* copy = &run->repaired;
    const tact_mesh_view view =
        run->options.repair ? (tact_mesh_view){copy->positions, copy->vertex_count, copy->indices, copy->triangle_count}
                            : view_of(&run->mesh);
    tact_progress progress;
    tact_progress_start(&progress, "decompose", run->options.common.quiet);
    const tact_decompose_settings settings = {.most = (uint32_t)run->options.decompose.number,
                                              .corners = TACT_HULL_MOST_POINTS,
                                              .progress = tact_progress_update,
                                              .user = &progress};
    tact_system_note_signals();
    const tact_result result = tact_mesh_decompose(&view, &settings, NULL, &run->parts);
    tact_progress_end(&progress);
    if (result < 0) {
        return tact_problem_from_result(problem, result, NULL, run->options.repair ? run->options.repair : run->file);
    }
    run->times.decompose = tact_system_milliseconds() - start;
    return tact_mesh_parts_write(&run->parts, run->options.decompose.text, problem);
}

static void facts_to_json(const tact_mesh_report* r, cJSON* to)
{
    tact_json_count(to, "vertices", r->vertices);
    tact_json_count(to, "triangles", r->triangles);
    tact_json_truth(to, "closed", r->closed);
    tact_json_truth(to, "manifold", r->manifold);
    tact_json_truth(to, "oriented", r->oriented);
    tact_json_truth(to, "convex", r->convex);
    tact_json_count(to, "components", r->components);
    tact_json_count(to, "degenerate", r->degenerate);
    tact_json_count(to, "duplicate", r->duplicate);
    tact_json_count(to, "welded_vertices", r->welded_vertices);
    tact_json_count(to, "unused_vertices", r->unused_vertices);
    tact_json_count(to, "non_finite_vertices", r->non_finite_vertices);
    tact_json_count(to, "bad_triangles", r->bad_triangles);
    tact_json_count(to, "collapsed", r->collapsed);
    tact_json_count(to, "edges", r->edges);
    tact_json_count(to, "boundary_edges", r->boundary_edges);
    tact_json_count(to, "odd_edges", r->odd_edges);
    tact_json_count(to, "non_manifold_edges", r->non_manifold_edges);
    tact_json_count(to, "misoriented_edges", r->misoriented_edges);
    tact_json_count(to, "non_manifold_vertices", r->non_manifold_vertices);
    tact_json_number(to, "euler", (double)r->euler);
    tact_json_number(to, "volume", r->volume);
    tact_json_number(to, "area", r->area);
}

static void mended_to_json(const tact_mesh_mended* m, cJSON* to)
{
    facts_to_json(&m->after, to);
    tact_json_count(to, "flipped", m->flipped);
    tact_json_count(to, "joined_vertices", m->welded_vertices);
    tact_json_number(to, "largest_move", m->largest_move);
    cJSON* removed = tact_json_object(to, "removed");
    tact_json_count(removed, "bad", m->bad_triangles);
    tact_json_count(removed, "collapsed", m->collapsed);
    tact_json_count(removed, "degenerate", m->degenerate);
    tact_json_count(removed, "duplicate", m->duplicate);
    tact_json_count(removed, "folded", m->folded);
    tact_json_count(to, "split_sides", m->split_sides);
    tact_json_count(to, "split_triangles", m->split_triangles);
    tact_json_count(to, "filled_holes", m->filled_holes);
    tact_json_count(to, "hole_triangles", m->hole_triangles);
    tact_json_count(to, "holes_left", m->holes_left);
}

static void crossings_to_json(const mesh_run* run, cJSON* to)
{
    tact_json_count(to, "crossings", run->crossings.count);
    cJSON* first = tact_json_array(to, "first_crossings");
    for (size_t i = 0; i < shown_crossings(run); ++i) {
        cJSON* pair = tact_json_append(first);
        tact_json_count(pair, "a", run->crossings.pairs[i][0]);
        tact_json_count(pair, "b", run->crossings.pairs[i][1]);
    }
}

static bool to_json(const mesh_run* run, tact_problem* problem)
{
    cJSON* root = cJSON_CreateObject();
    tact_json_text(root, "command", "mesh");
    tact_json_text(root, "file", run->file);
    facts_to_json(&run->report, root);
    tact_json_count(root, "dropped_faces", run->mesh.dropped_faces);
    if (run->options.crossings) crossings_to_json(run, root);
    if (run->options.repair) {
        cJSON* repaired = tact_json_object(root, "repaired");
        tact_json_text(repaired, "file", run->options.repair);
        mended_to_json(&run->mended, repaired);
    }
    if (run->options.decompose.text) {
        tact_mesh_parts_to_json(&run->parts, run->options.decompose.text, tact_json_object(root, "decomposed"));
    }
    cJSON* times = tact_json_object(root, "time_ms");
    tact_json_time(times, "load", run->times.load);
    tact_json_time(times, "report", run->times.report);
    if (run->options.crossings) tact_json_time(times, "crossings", run->times.crossings);
    if (run->options.repair) tact_json_time(times, "repair", run->times.repair);
    if (run->options.decompose.text) tact_json_time(times, "decompose", run->times.decompose);
    tact_json_time(
        times, "total",
        run->times.load + run->times.report + run->times.crossings + run->times.repair + run->times.decompose);
    const bool good = tact_json_print(root, problem);
    cJSON_Delete(root);
    return good;
}

/// A remark, when there is something to remark on.
static void note(uint64_t count, const char* what, bool* some)
{
    if (count == 0) return;
    printf("%s%" PRIu64 " %s", *some ? ", " : ": ", count, what);
    *some = true;
}

static void verdict(const char* name, bool holds)
{
    printf("%-10s %s", name, holds ? "yes" : "no");
}

static void facts_to_people(const tact_mesh_report* r)
{
    bool some = false;
    printf("vertices   %" PRIu64 " at %" PRIu64 " places", r->vertices, r->welded_vertices);
    note(r->unused_vertices, "unused", &some);
    note(r->non_finite_vertices, "not finite", &some);
    some = false;
    printf("\ntriangles  %" PRIu64, r->triangles);
    note(r->bad_triangles, "with vertices that are not finite or not there", &some);
    note(r->degenerate, "of zero area", &some);
    note(r->duplicate, "repeated", &some);
    printf("\nedges      %" PRIu64 ", Euler characteristic %" PRId64 ", components %" PRIu64 "\n", r->edges, r->euler,
           r->components);
    some = false;
    verdict("closed", r->closed);
    note(r->boundary_edges, "edges of one triangle", &some);
    note(r->odd_edges - r->boundary_edges, "edges of three, five or more", &some);
    note(r->bad_triangles, "bad triangles", &some);
    some = false;
    putchar('\n');
    verdict("manifold", r->manifold);
    note(r->non_manifold_edges, "edges of more than two triangles", &some);
    note(r->non_manifold_vertices, "vertices of more than one fan", &some);
    some = false;
    putchar('\n');
    verdict("oriented", r->oriented);
    note(r->misoriented_edges, "edges between opposite sides", &some);
    putchar('\n');
    verdict("convex", r->convex);
    printf("\narea       %.9g\n", r->area);
    if (r->closed && r->oriented) printf("volume     %.9g%s\n", r->volume, r->volume < 0.0 ? " (inside out)" : "");
}

static void crossings_to_people(const mesh_run* run)
{
    printf("crossings  %zu", run->crossings.count);
    for (size_t i = 0; i < shown_crossings(run); ++i)
        printf("%s %" PRIu32 "/%" PRIu32, i == 0 ? ":" : ",", run->crossings.pairs[i][0], run->crossings.pairs[i][1]);
    puts(shown_crossings(run) < run->crossings.count ? ", ..." : "");
}

static void parts_to_people(const mesh_run* run)
{
    const tact_decomposition* d = &run->parts;
    printf("parts      %zu in %s, %.9g of volume for %.9g of the mesh (%.3g %% more), by %" PRIu64 " cuts\n", d->count,
           run->options.decompose.text, d->hull_volume, d->volume, 100.0 * (d->hull_volume / d->volume - 1.0), d->cuts);
}

static void to_people(const mesh_run* run)
{
    facts_to_people(&run->report);
    if (run->mesh.dropped_faces) printf("dropped    %" PRIu64 " points or lines\n", run->mesh.dropped_faces);
    if (run->options.crossings) crossings_to_people(run);
    printf("time       load %.2f ms, report %.2f ms", run->times.load, run->times.report);
    if (run->options.crossings) printf(", crossings %.2f ms", run->times.crossings);
    if (run->options.decompose.text) printf(", decompose %.2f ms", run->times.decompose);
    putchar('\n');
    if (run->options.decompose.text) parts_to_people(run);
    if (!run->options.repair) return;
    const tact_mesh_mended* m = &run->mended;
    printf("\n%s, %" PRIu64 " triangles turned", run->options.repair, m->flipped);
    bool some = true;
    note(m->welded_vertices, "vertices joined to others", &some);
    note(m->bad_triangles + m->collapsed + m->degenerate + m->duplicate + m->folded, "triangles removed", &some);
    note(m->split_sides, "sides split", &some);
    note(m->filled_holes, "holes filled", &some);
    note(m->holes_left, "holes left", &some);
    puts(":");
    facts_to_people(&m->after);
}

static bool execute(mesh_run* run, tact_problem* problem)
{
    if (!check_options(run, problem) || !load_and_report(run, problem)) return false;
    if (run->options.crossings && !find_crossings(run, problem)) return false;
    if (run->options.repair && !repair(run, problem)) return false;
    if (run->options.decompose.text && !decompose(run, problem)) return false;
    if (run->options.common.json) return to_json(run, problem);
    to_people(run);
    return true;
}

static const char help_text[] =
    "Usage: tact mesh FILE [--repair OUT.obj [--weld T]] [--crossings] [--decompose N DIR] [options]\n\n"
    "Tells what a mesh is: closed, manifold, oriented, convex; and what is wrong with it. Runs on the CPU.\n";

int tact_command_mesh(int argc, char** argv, tact_problem* problem)
{
    mesh_run run = {.file = NULL};
    mesh_options* o = &run.options;
    tact_option common[TACT_COMMON_OPTIONS];
    tact_common_table(&o->common, common);
    const tact_option own[] = {
        TACT_MESH_OPTION(&o->files),
        TACT_OUTPUT("repair", "OUT.obj", "write a copy without the defects that can be removed", &o->repair),
        TACT_TEXT("weld", "T", "join vertices and sides that are this near (default 0)", &o->weld),
        TACT_FLAG("crossings", "find where the surface passes through itself", &o->crossings),
        TACT_PAIR("decompose", "N DIR", "write convex parts that hold it, at most N, to DIR", &o->decompose, 1, 1024),
        {.name = NULL},
    };
    const tact_option_set set = {own, common};
    bool work = false;
    const bool good =
        tact_options_take(&set, help_text, &o->files, argc, argv, &work, problem) && (!work || execute(&run, problem));
    tact_decomposition_free(&run.parts);
    tact_mesh_copy_free(&run.repaired);
    tact_model_mesh_free(&run.mesh);
    tact_text_list_free(&o->files);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
