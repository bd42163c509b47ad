// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/commands.h"
#include "apps/digest.h"
#include "apps/explain_out.h"
#include "apps/inputs/npy.h"
#include "apps/json_out.h"
#include "apps/pictures/pick.h"
#include "apps/progress.h"
#include "apps/session.h"
#include "apps/table.h"
#include "apps/timing.h"
#include "apps/verify/pick_explain.h"

_Static_assert(TACT_NONE == UINT32_MAX, "no object has this number");

enum { TABLE_ROWS = 20, MOST_RADIUS = 1024 };

typedef struct pick_command_options {
    tact_common_options common;
    tact_text_list files;
    const char *at, *rect, *lasso, *size, *turn, *out, *image;
    uint64_t radius, layers;  ///< UINT64_MAX, 0: not given
    bool frame, all, touched;
    int group, method;
} pick_command_options;

/// What a run of the command holds; all of it is released at one place.
typedef struct pick_run {
    pick_command_options options;
    tact_pick_region region;
    tact_npy_table lasso;
    uint32_t width, height;
    int turn;
    tact_pick_input input;
    tact_session session;
    tact_scene* scene;
    tact_scene_stats stats;
    tact_pick_view view;
    tact_pick_slack slack;  ///< of what is drawn
    tact_picker* picker;
    const tact_pick* picks;  ///< the picker's
    size_t count;
    tact_query_report report;
    tact_phase_times times;
    tact_digest digest;
    double first_ms;
} pick_run;

static const char* const groups[] = {"instance", "object", "primitive", NULL};
static const char* const methods[] = {"rays", "raster", NULL};

// ---- Options ----

/// Whole numbers with commas between them, within int32.
static bool parse_numbers(const char* text, int32_t* numbers, int count)
{
    for (int i = 0; i < count; ++i) {
        const bool minus = *text == '-';
        uint64_t value = 0;
        const bool last = i + 1 == count;
        if (!tact_number_parse(text + minus, 0, minus ? UINT64_C(0x80000000) : INT32_MAX, &value,
                               last ? NULL : &text)) {
            return false;
        }
        if (!last && *text++ != ',') return false;
        numbers[i] = (int32_t)(minus ? -(int64_t)value : (int64_t)value);
    }
    return true;
}

static bool take_lasso(pick_run* run, tact_problem* problem)
{
    const char* path = run->options.lasso;
    if (!tact_npy_read(path, TACT_NPY_FLOAT32, 2, &run->lasso, problem)) return false;
    const float* corners = run->lasso.data;
    for (uint64_t i = 0; i < 2 * run->lasso.rows; ++i) {
        if (isfinite(corners[i])) continue;
        return tact_problem_set(problem, "%s: corner %" PRIu64 ", %s: is not finite", path, i / 2, i % 2 ? "y" : "x");
    }
    run->region.shape = TACT_PICK_LASSO;
    run->region.lasso = (const float(*)[2])run->lasso.data;
    run->region.lasso_count = (size_t)run->lasso.rows;
    return true;
}

static bool take_region(pick_run* run, tact_problem* problem)
{
    const pick_command_options* o = &run->options;
    tact_pick_region* region = &run->region;
    const int given = (o->at != NULL) + (o->rect != NULL) + (o->lasso != NULL) + o->frame;
    if (given != 1) {
        return tact_problem_set(problem,
                                "one of --at X,Y, --rect X0,Y0,X1,Y1, --lasso FILE.npy and --frame is needed%s",
                                given ? ", not more" : "");
    }
    if (o->radius != UINT64_MAX && !o->at) {
        return tact_problem_set(problem, "--radius %" PRIu64 ": needs --at", o->radius);
    }
    int32_t numbers[4];
    if (o->at) {
        if (!parse_numbers(o->at, numbers, 2)) {
            return tact_problem_set(problem, "--at %s: must be X,Y, whole numbers", o->at);
        }
        region->shape = TACT_PICK_POINT;
        region->x = numbers[0];
        region->y = numbers[1];
        region->radius = o->radius == UINT64_MAX ? 0 : (uint32_t)o->radius;
    } else if (o->rect) {
        if (!parse_numbers(o->rect, numbers, 4)) {
            return tact_problem_set(problem, "--rect %s: must be X0,Y0,X1,Y1, whole numbers", o->rect);
        }
        region->shape = TACT_PICK_RECTANGLE;
        memcpy(region->rectangle, numbers, sizeof numbers);
    }
    return true;
}

static bool take_size(pick_run* run, tact_problem* problem)
{
    const char* rest = NULL;
    uint64_t width = 0, height = 0;
    if (!tact_number_parse(run->options.size, 1, TACT_PICK_SIZE_MAX, &width, &rest) || *rest != 'x' ||
        !tact_number_parse(rest + 1, 1, TACT_PICK_SIZE_MAX, &height, NULL)) {
        return tact_problem_set(problem, "--size %s: must be WIDTHxHEIGHT, whole numbers from 1 to %u",
                                run->options.size, TACT_PICK_SIZE_MAX);
    }
    run->width = (uint32_t)width;
    run->height = (uint32_t)height;
    return true;
}

static bool take_turn(pick_run* run, tact_problem* problem)
{
    int32_t turn = 0;
    const char* text = run->options.turn;
    if (text && (!parse_numbers(text, &turn, 1) || turn < -360 || turn > 360)) {
        return tact_problem_set(problem, "--turn %s: must be whole degrees from -360 to 360", text);
    }
    run->turn = (int)turn;
    return true;
}

static bool check_options(pick_run* run, tact_problem* problem)
{
    const pick_command_options* o = &run->options;
    if (o->files.count == 0) return tact_problem_set(problem, "a FILE is needed");
    if (!take_region(run, problem) || !take_size(run, problem) || !take_turn(run, problem)) return false;
    if (o->all && o->touched) return tact_problem_set(problem, "--all: not with --touched, which is of another kind");
    if (o->layers && !o->all) return tact_problem_set(problem, "--layers %" PRIu64 ": needs --all", o->layers);
    if (o->method == TACT_PICK_RASTER) {
        const tact_backend backend = (tact_backend)o->common.backend;
        if (o->touched)
            return tact_problem_set(problem, "--touched: not with --method raster, which sees pixels alone");
        if (o->common.shadow) {
            return tact_problem_set(problem, "--shadow: not with --method raster, which has a tolerance");
        }
        if (backend != TACT_BACKEND_AUTO && backend != TACT_BACKEND_GL) {
            return tact_problem_set(problem, "--backend %s: --method raster draws, on OpenGL",
                                    tact_backend_name(backend));
        }
    }
    if (!tact_expect_check(&o->common, problem)) return false;
    return !o->lasso || take_lasso(run, problem);
}

// ---- Running ----

static tact_pick_options picking(const pick_run* run)
{
    const pick_command_options* o = &run->options;
    return (tact_pick_options){.extent = o->all       ? TACT_PICK_ALL
                                         : o->touched ? TACT_PICK_TOUCHED
                                                      : TACT_PICK_VISIBLE,
                               .group = (tact_pick_group)o->group,
                               .method = (tact_pick_method)o->method,
                               .max_layers = (uint32_t)o->layers};
}

static bool pick_once(pick_run* run, tact_progress* progress, tact_problem* problem)
{
    tact_query_options query = tact_query_asked(&run->options.common);
    query.progress = tact_progress_update;
    query.progress_user = progress;
    const tact_pick_options options = picking(run);
    // All of them stay with the picker, however many there are.
    const tact_result result = tact_pick_scene(run->picker, run->scene, &run->view, &run->region, &options, NULL, 0,
                                               &run->count, &query, &run->report);
    if (result < 0) return tact_problem_from_result(problem, result, run->session.context, "picking");
    run->picks = tact_pick_last(run->picker, &run->count);
    if (options.method == TACT_PICK_RASTER) {
        run->report.exact = false;
        run->report.tolerance = run->slack.pixels;
    }
    return true;
}

static bool pick_repeatedly(pick_run* run, tact_problem* problem)
{
    const tact_common_options* common = &run->options.common;
    const size_t repeat = common->repeat ? (size_t)common->repeat : 1;
    // Brute force has nothing to warm up and takes its time.
    const size_t warm_up = common->backend != TACT_BACKEND_REFERENCE;
    if (!tact_phase_times_start(&run->times, repeat, problem)) return false;
    tact_progress progress;
    tact_progress_start(&progress, "picking", common->quiet);
    progress.parts = repeat + warm_up;
    bool good = true;
    for (size_t i = 0; good && i < repeat + warm_up; ++i) {
        const tact_digest before = run->digest;
        progress.part = i;
        good = pick_once(run, &progress, problem);
        if (!good) break;
        run->digest = tact_digest_of(run->picks, run->count * sizeof *run->picks);
        if (i == 0) {
            run->first_ms = run->report.total_ms;
        } else if (strcmp(run->digest.text, before.text) != 0) {
            good = tact_problem_set(problem, "%s gave other bytes when asked again: digest %s, then %s",
                                    tact_backend_name(run->report.backend), before.text, run->digest.text);
            problem->exit_code = TACT_EXIT_CHECK_FAILED;
        }
        if (i >= warm_up) tact_phase_times_add(&run->times, &run->report);
    }
    tact_progress_end(&progress);
    tact_phase_times_report(&run->times, &run->report);
    return good;
}

// ---- Reporting ----

static void numbers_to_json(cJSON* to, const char* key, const float* numbers, int count)
{
    cJSON* list = tact_json_array(to, key);
    for (int i = 0; i < count; ++i)
        cJSON_AddItemToArray(list, isfinite(numbers[i]) ? cJSON_CreateNumber((double)numbers[i]) : cJSON_CreateNull());
}

static void picks_to_json(const pick_run* run, cJSON* root)
{
    cJSON* list = tact_json_array(root, "picks");
    for (size_t i = 0; i < run->count; ++i) {
        const tact_pick* pick = &run->picks[i];
        cJSON* entry = tact_json_append(list);
        tact_json_count(entry, "object", pick->object);
        tact_json_count(entry, "instance", pick->instance);
        tact_json_count(entry, "primitive", pick->primitive);
        tact_json_count(entry, "pixels", pick->pixels);
        tact_json_number(entry, "depth", (double)pick->depth);
        numbers_to_json(entry, "position", pick->position, 3);
        numbers_to_json(entry, "normal", pick->normal, 3);
        numbers_to_json(entry, "barycentric", pick->barycentric, 3);
        tact_json_number(entry, "x", (double)pick->x);
        tact_json_number(entry, "y", (double)pick->y);
        tact_json_count(entry, "layer", pick->layer);
        const char* name = tact_pick_input_name(&run->input, pick->object);
        if (*name) tact_json_text(entry, "name", name);
    }
}

static const char* extent_name(const pick_run* run)
{
    return run->options.all ? "all" : run->options.touched ? "touched" : "visible";
}

static void region_text(const pick_run* run, char* text, size_t size)
{
    const pick_command_options* o = &run->options;
    if (o->at) {
        snprintf(text, size, "point %" PRId32 ",%" PRId32 ", radius %" PRIu32, run->region.x, run->region.y,
                 run->region.radius);
    } else if (o->lasso) {
        snprintf(text, size, "lasso of %zu corners", run->region.lasso_count);
    } else {
        const int32_t* r = run->region.rectangle;
        snprintf(text, size, o->rect ? "rectangle %" PRId32 ",%" PRId32 ",%" PRId32 ",%" PRId32 : "frame", r[0], r[1],
                 r[2], r[3]);
    }
}

static bool report_json(const pick_run* run, tact_problem* problem)
{
    const pick_command_options* o = &run->options;
    char region[96];
    region_text(run, region, sizeof region);
    cJSON* root = cJSON_CreateObject();
    tact_json_query(root, "pick", &run->report, run->stats.instances, run->count, run->digest.text);
    tact_explain_json(root, &run->session, &run->options.common);
    picks_to_json(run, root);
    tact_json_text(root, "region", region);
    tact_json_text(root, "extent", extent_name(run));
    tact_json_text(root, "by", groups[o->group]);
    tact_json_text(root, "method", methods[o->method]);
    if (!run->report.exact && o->method == TACT_PICK_RASTER) tact_json_text(root, "tolerance_of", "pixels");
    tact_json_count(root, "width", run->width);
    tact_json_count(root, "height", run->height);
    tact_json_number(root, "turn", (double)run->turn);
    tact_json_count(root, "objects", run->stats.meshes);
    tact_json_count(root, "triangles", run->stats.triangles);
    tact_json_count(root, "skipped_triangles", run->stats.skipped_triangles);
    tact_json_count(root, "dropped_faces", run->input.dropped_faces);
    tact_json_count(root, "repeat", run->times.runs);
    tact_json_number(root, "first_run_ms", run->first_ms);
    tact_json_number(root, "scene_build_ms", run->stats.build_ms);
    tact_json_count(root, "failures", run->report.failures);
    if (o->common.shadow) tact_json_text(root, "shadow", "equal");
    const bool good = tact_json_print(root, problem);
    cJSON_Delete(root);
    return good;
}

static void add_row(tact_table* table, const pick_run* run, const tact_pick* pick)
{
    const bool primitive = run->options.group == TACT_PICK_BY_PRIMITIVE;
    const char* name = tact_pick_input_name(&run->input, pick->object);
    tact_table_add(table, "%" PRIu32, pick->object);
    tact_table_add(table, "%s", *name ? name : "-");
    tact_table_add(table, primitive ? "%" PRIu32 : "(%" PRIu32 ")", pick->primitive);
    tact_table_add(table, "%" PRIu32, pick->pixels);
    tact_table_add(table, "%" PRIu32, pick->layer);
    tact_table_add(table, "%" PRId32 ",%" PRId32, pick->x, pick->y);
    tact_table_add(table, "%.6f", (double)pick->depth);
    tact_table_add(table, "%.6g %.6g %.6g", (double)pick->position[0], (double)pick->position[1],
                   (double)pick->position[2]);
    tact_table_add(table, "%.3f %.3f %.3f", (double)pick->normal[0], (double)pick->normal[1], (double)pick->normal[2]);
}

static void print_picks(const pick_run* run)
{
    static const char* const heads[] = {">object", "name",   ">triangle", ">pixels", ">layer",
                                        ">pixel",  ">depth", "position",  "normal"};
    tact_table table;
    tact_table_init(&table, heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < run->count && i < TABLE_ROWS; ++i)
        add_row(&table, run, &run->picks[i]);
    tact_table_print(&table, stdout);
    tact_table_free(&table);
    if (run->count > TABLE_ROWS) printf("and %zu more; --json or --out give all\n", run->count - TABLE_ROWS);
}

static void report_people(const pick_run* run)
{
    const tact_query_report* r = &run->report;
    char region[96];
    region_text(run, region, sizeof region);
    printf("scene   %" PRIu64 " objects of %" PRIu64 " triangles", run->stats.meshes, run->stats.triangles);
    if (run->stats.skipped_triangles) printf(", %" PRIu64 " never hit (not finite)", run->stats.skipped_triangles);
    if (run->input.dropped_faces) printf(", %" PRIu64 " points or lines dropped", run->input.dropped_faces);
    printf("\ndevice  %s: %s%s", tact_backend_name(r->backend), r->device,
           r->software && r->threads == 0 ? " (software)" : "");
    if (r->threads > 0) printf(", %d thread%s", r->threads, r->threads == 1 ? "" : "s");
    printf("\nreason  %s\n", r->reason);
    printf("asked   %s of %u x %u pixels, %s, by %s, %s\n", region, run->width, run->height, extent_name(run),
           groups[run->options.group], methods[run->options.method]);
    printf("picks   %zu\n", run->count);
    if (run->count) print_picks(run);
    printf("digest  %s, %s", run->digest.text, r->exact ? "exact" : "with a tolerance of ");
    if (!r->exact) printf("%g%s", r->tolerance, run->options.method == TACT_PICK_RASTER ? " pixels" : "");
    printf("%s\n", run->options.common.shadow ? ", equal to the reference" : "");
    printf("time    build %.3f ms, upload %.3f, query %.3f, download %.3f, total %.3f\n", r->build_ms, r->upload_ms,
           r->query_ms, r->download_ms, r->total_ms);
}

static bool write_outputs(const pick_run* run, tact_problem* problem)
{
    const pick_command_options* o = &run->options;
    if (o->out && !tact_npy_write(o->out, TACT_NPY_PICK, run->count, 0, run->picks, problem)) return false;
    const tact_pick_picture picture = {.input = &run->input,
                                       .scene = run->scene,
                                       .context = run->session.context,
                                       .view = &run->view,
                                       .region = &run->region,
                                       .group = (tact_pick_group)o->group,
                                       .hidden = o->all || o->touched,
                                       .picks = run->picks,
                                       .count = run->count};
    return !o->image || tact_picture_of_picks(o->image, &picture, problem);
}

static bool execute(pick_run* run, tact_problem* problem)
{
    const pick_command_options* o = &run->options;
    if (!check_options(run, problem) || !tact_pick_input_load(&o->files, &run->input, problem)) return false;
    if (!tact_session_open(&run->session, &o->common, problem) ||
        !tact_model_build(&run->input.model, run->session.context, &run->scene, &run->stats, problem)) {
        return false;
    }
    const tact_bounds bounds = tact_ray_bounds(&run->stats);
    run->view = tact_pick_camera(&bounds, run->width, run->height, run->turn);
    run->slack = tact_pick_slack_of(&run->view, &bounds);
    const tact_result made = tact_picker_create(run->session.context, &run->picker);
    if (made < 0) return tact_problem_from_result(problem, made, run->session.context, "picking");
    if (!pick_repeatedly(run, problem) || !write_outputs(run, problem)) return false;
    if (o->common.json) {
        if (!report_json(run, problem)) return false;
    } else {
        report_people(run);
        tact_explain_print(&run->session, &run->options.common);
    }
    return tact_expect_digest(&o->common, run->digest.text, problem);
}

static void release(pick_run* run)
{
    tact_picker_destroy(run->picker);
    tact_scene_destroy(run->scene);
    tact_session_close(&run->session);
    tact_pick_input_free(&run->input);
    tact_phase_times_free(&run->times);
    tact_text_list_free(&run->options.files);
    free(run->lasso.data);
}

static const char help_text[] =
    "Usage: tact pick FILE [FILE ...] (--at X,Y | --rect X0,Y0,X1,Y1 | --lasso FILE.npy | --frame) [options]\n\n"
    "Tells what is seen under a pixel, a rectangle, a lasso or in all of the view. Each part of a file is an object,\n"
    "where the file has it. The camera is that of raycast --rays camera:WxH; pixels count from the top left, y down.\n";

int tact_command_pick(int argc, char** argv, tact_problem* problem)
{
    pick_run run = {.options = {.size = "1024x768", .radius = UINT64_MAX}};
    pick_command_options* o = &run.options;
    tact_option common[TACT_QUERY_OPTIONS];
    tact_query_table(&o->common, common);
    const tact_option own[] = {
        {"at", "X,Y", "what is under a pixel", TACT_OPTION_TEXT, &o->at, 0, 0, NULL},
        {"radius", "N", "with --at: and so many pixels around, nearest first", TACT_OPTION_NUMBER, &o->radius, 0,
         MOST_RADIUS, NULL},
        {"rect", "X0,Y0,X1,Y1", "under a rectangle; X1 and Y1 are no longer in it", TACT_OPTION_TEXT, &o->rect, 0, 0,
         NULL},
        {"lasso", "FILE.npy", "under a polygon, float32 (n, 2)", TACT_OPTION_TEXT, &o->lasso, 0, 0, NULL},
        {"frame", NULL, "in all of the view", TACT_OPTION_FLAG, &o->frame, 0, 0, NULL},
        {"size", "WxH", "pixels of the view (default 1024x768)", TACT_OPTION_TEXT, &o->size, 0, 0, NULL},
        {"turn", "DEG", "camera turned about +y, whole degrees", TACT_OPTION_TEXT, &o->turn, 0, 0, NULL},
        {"all", NULL, "also what other things hide", TACT_OPTION_FLAG, &o->all, 0, 0, NULL},
        {"layers", "N", "with --all: the first N surfaces of each pixel", TACT_OPTION_NUMBER, &o->layers, 1, UINT32_MAX,
         NULL},
        {"touched", NULL, "everything within the region's part of space, also between pixels' centres",
         TACT_OPTION_FLAG, &o->touched, 0, 0, NULL},
        {"by", "G", "instance (default), object or primitive: what counts as one", TACT_OPTION_CHOICE, &o->group, 0, 0,
         groups},
        {"method", "M", "rays (default) or raster (drawn, on OpenGL)", TACT_OPTION_CHOICE, &o->method, 0, 0, methods},
        {"out", "FILE.npy", "write the picks", TACT_OPTION_TEXT, &o->out, 0, 0, NULL},
        {"image", "FILE.png", "write a picture of the view with the picks", TACT_OPTION_TEXT, &o->image, 0, 0, NULL},
        {.name = NULL},
    };
    const tact_option_set set = {own, common};
    bool work = false;
    const bool good =
        tact_options_take(&set, help_text, &o->files, argc, argv, &work, problem) && (!work || execute(&run, problem));
    release(&run);
    return good ? TACT_EXIT_DONE : problem->exit_code;
}
