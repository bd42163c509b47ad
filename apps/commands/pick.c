// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/commands.h"
#include "apps/inputs/npy.h"
#include "apps/pictures/pictures.h"
#include "apps/query_command.h"
#include "apps/text.h"
#include "apps/verify/verify.h"

_Static_assert(TACT_NONE == UINT32_MAX, "no object has this number");

enum { TABLE_ROWS = 20, MOST_RADIUS = 1024 };

typedef struct pick_run {
    tact_query_run run;
    tact_text_list files;
    const char *at, *rect, *lasso_path, *size, *turn_text, *out, *image;
    uint64_t radius, layers;  ///< UINT64_MAX, 0: not given
    bool frame, all, touched;
    int group, method;
    tact_pick_region region;
    tact_npy_table lasso;
    uint32_t width, height;
    int turn;
    tact_pick_input input;
    tact_scene* scene;
    tact_scene_stats stats;
    tact_pick_view view;
    tact_pick_slack slack;  ///< of what is drawn
    tact_picker* picker;
    const tact_pick* picks;  ///< the picker's
    size_t count;
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

static bool take_lasso(pick_run* p, tact_problem* problem)
{
    const char* path = p->lasso_path;
    if (!tact_npy_read(path, TACT_NPY_FLOAT32, 2, &p->lasso, problem)) return false;
    const float* corners = p->lasso.data;
    for (uint64_t i = 0; i < 2 * p->lasso.rows; ++i) {
        if (isfinite(corners[i])) continue;
        return tact_problem_set(problem, "%s: corner %" PRIu64 ", %s: is not finite", path, i / 2, i % 2 ? "y" : "x");
    }
    p->region.shape = TACT_PICK_LASSO;
    p->region.lasso = (const float(*)[2])p->lasso.data;
    p->region.lasso_count = (size_t)p->lasso.rows;
    return true;
}

static bool take_region(pick_run* p, tact_problem* problem)
{
    tact_pick_region* region = &p->region;
    const int given = (p->at != NULL) + (p->rect != NULL) + (p->lasso_path != NULL) + p->frame;
    if (given != 1) {
        return tact_problem_set(problem,
                                "one of --at X,Y, --rect X0,Y0,X1,Y1, --lasso FILE.npy and --frame is needed%s",
                                given ? ", not more" : "");
    }
    if (p->radius != UINT64_MAX && !p->at) {
        return tact_problem_set(problem, "--radius %" PRIu64 ": needs --at", p->radius);
    }
    int32_t numbers[4];
    if (p->at) {
        if (!parse_numbers(p->at, numbers, 2)) {
            return tact_problem_set(problem, "--at %s: must be X,Y, whole numbers", p->at);
        }
        region->shape = TACT_PICK_POINT;
        region->x = numbers[0];
        region->y = numbers[1];
        region->radius = p->radius == UINT64_MAX ? 0 : (uint32_t)p->radius;
    } else if (p->rect) {
        if (!parse_numbers(p->rect, numbers, 4)) {
            return tact_problem_set(problem, "--rect %s: must be X0,Y0,X1,Y1, whole numbers", p->rect);
        }
        region->shape = TACT_PICK_RECTANGLE;
        memcpy(region->rectangle, numbers, sizeof numbers);
    }
    return true;
}

static bool take_turn(pick_run* p, tact_problem* problem)
{
    int32_t turn = 0;
    const char* text = p->turn_text;
    if (text && (!parse_numbers(text, &turn, 1) || turn < -360 || turn > 360)) {
        return tact_problem_set(problem, "--turn %s: must be whole degrees from -360 to 360", text);
    }
    p->turn = (int)turn;
    return true;
}

static bool check_raster(const pick_run* p, tact_problem* problem)
{
    const tact_backend backend = (tact_backend)p->run.common.backend;
    if (p->touched) return tact_problem_set(problem, "--touched: not with --method raster, which sees pixels alone");
    if (p->run.common.shadow) {
        return tact_problem_set(problem, "--shadow: not with --method raster, which has a tolerance");
    }
    return backend == TACT_BACKEND_AUTO || backend == TACT_BACKEND_GL ||
           tact_problem_set(problem, "--backend %s: --method raster draws, on OpenGL", tact_backend_name(backend));
}

static bool load(void* command, tact_problem* problem)
{
    pick_run* p = command;
    if (p->files.count == 0) return tact_problem_set(problem, "a FILE is needed");
    if (!take_region(p, problem) ||
        !tact_size_parse("size", p->size, 1, TACT_PICK_SIZE_MAX, &p->width, &p->height, problem) ||
        !take_turn(p, problem))
        return false;
    if (p->all && p->touched) return tact_problem_set(problem, "--all: not with --touched, which is of another kind");
    if (p->layers && !p->all) return tact_problem_set(problem, "--layers %" PRIu64 ": needs --all", p->layers);
    return (p->method != TACT_PICK_RASTER || check_raster(p, problem)) && (!p->lasso_path || take_lasso(p, problem)) &&
           tact_pick_input_load(&p->files, &p->input, problem);
}

// ---- Running ----

static bool prepare(void* command, tact_problem* problem)
{
    pick_run* p = command;
    tact_context* context = p->run.session.context;
    tact_waiting waiting;
    tact_waiting_start(&waiting, "building trees", NULL);
    const bool built = tact_model_build(&p->input.model, context, &p->scene, &p->stats, problem);
    tact_waiting_end(&waiting);
    if (!built) return false;
    const tact_bounds bounds = tact_ray_bounds(&p->stats);
    p->run.count = p->stats.instances;
    p->view = tact_pick_camera(&bounds, p->width, p->height, p->turn);
    p->slack = tact_pick_slack_of(&p->view, &bounds);
    return tact_query_succeeded(&p->run, tact_picker_create(context, &p->picker), "picking", problem);
}

static bool ask(void* command, const tact_query_options* query, tact_problem* problem)
{
    pick_run* p = command;
    tact_query_run* run = &p->run;
    const tact_pick_options options = {.extent = p->all       ? TACT_PICK_ALL
                                                 : p->touched ? TACT_PICK_TOUCHED
                                                              : TACT_PICK_VISIBLE,
                                       .group = (tact_pick_group)p->group,
                                       .method = (tact_pick_method)p->method,
                                       .max_layers = (uint32_t)p->layers};
    // All of them stay with the picker, however many there are.
    const tact_result result = tact_pick_scene(
        p->picker, p->scene,
        &(tact_pick_work){.view = &p->view, .region = &p->region, .options = &options, .count = &p->count}, query,
        &run->report);
    if (!tact_query_succeeded(run, result, "picking", problem)) return false;
    p->picks = tact_pick_last(p->picker, &p->count);
    run->found = p->count;
    run->answer = p->picks;
    run->answer_bytes = p->count * sizeof *p->picks;
    if (options.method == TACT_PICK_RASTER) {
        run->report.exact = false;
        run->report.tolerance = p->slack.pixels;
    }
    return true;
}

static bool finish(void* command, tact_problem* problem)
{
    const pick_run* p = command;
    if (p->out && !tact_npy_write(p->out, TACT_NPY_PICK, p->count, 0, p->picks, problem)) return false;
    const tact_pick_picture picture = {.input = &p->input,
                                       .scene = p->scene,
                                       .context = p->run.session.context,
                                       .view = &p->view,
                                       .region = &p->region,
                                       .group = (tact_pick_group)p->group,
                                       .hidden = p->all || p->touched,
                                       .picks = p->picks,
                                       .count = p->count};
    return !p->image || tact_picture_of_picks(p->image, &picture, problem);
}

// ---- Reporting ----

static void numbers_to_json(cJSON* to, const char* key, const float* numbers, int count)
{
    cJSON* list = tact_json_array(to, key);
    for (int i = 0; i < count; ++i)
        cJSON_AddItemToArray(list, isfinite(numbers[i]) ? cJSON_CreateNumber((double)numbers[i]) : cJSON_CreateNull());
}

static void picks_to_json(const pick_run* p, cJSON* root)
{
    cJSON* list = tact_json_array(root, "picks");
    for (size_t i = 0; i < p->count; ++i) {
        const tact_pick* pick = &p->picks[i];
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
        const char* name = tact_pick_input_name(&p->input, pick->object);
        if (*name) tact_json_text(entry, "name", name);
    }
}

static const char* extent_name(const pick_run* p)
{
    return p->all ? "all" : p->touched ? "touched" : "visible";
}

static void region_text(const pick_run* p, char* text, size_t size)
{
    if (p->at) {
        snprintf(text, size, "point %" PRId32 ",%" PRId32 ", radius %" PRIu32, p->region.x, p->region.y,
                 p->region.radius);
    } else if (p->lasso_path) {
        snprintf(text, size, "lasso of %zu corners", p->region.lasso_count);
    } else {
        const int32_t* r = p->region.rectangle;
        snprintf(text, size, p->rect ? "rectangle %" PRId32 ",%" PRId32 ",%" PRId32 ",%" PRId32 : "frame", r[0], r[1],
                 r[2], r[3]);
    }
}

static void json(const void* command, cJSON* root)
{
    const pick_run* p = command;
    char region[96];
    region_text(p, region, sizeof region);
    picks_to_json(p, root);
    tact_json_text(root, "region", region);
    tact_json_text(root, "extent", extent_name(p));
    tact_json_text(root, "by", groups[p->group]);
    tact_json_text(root, "method", methods[p->method]);
    tact_json_count(root, "width", p->width);
    tact_json_count(root, "height", p->height);
    tact_json_number(root, "turn", (double)p->turn);
    tact_json_count(root, "objects", p->stats.meshes);
    tact_json_count(root, "triangles", p->stats.triangles);
    tact_json_count(root, "skipped_triangles", p->stats.skipped_triangles);
    tact_json_count(root, "dropped_faces", p->input.dropped_faces);
    tact_json_time(root, "scene_build_ms", p->stats.build_ms);
}

static void add_row(tact_table* table, const pick_run* p, const tact_pick* pick)
{
    const bool primitive = p->group == TACT_PICK_BY_PRIMITIVE;
    const char* name = tact_pick_input_name(&p->input, pick->object);
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

static void print_picks(const pick_run* p)
{
    static const char* const heads[] = {">object", "name",   ">triangle", ">pixels", ">layer",
                                        ">pixel",  ">depth", "position",  "normal"};
    tact_table table;
    tact_table_init(&table, heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < p->count && i < TABLE_ROWS; ++i)
        add_row(&table, p, &p->picks[i]);
    tact_table_print(&table, stdout);
    tact_table_free(&table);
    if (p->count > TABLE_ROWS) printf("and %zu more; --json or --out give all\n", p->count - TABLE_ROWS);
}

static void print(const void* command)
{
    const pick_run* p = command;
    char region[96];
    region_text(p, region, sizeof region);
    printf("scene   %" PRIu64 " objects of %" PRIu64 " triangles", p->stats.meshes, p->stats.triangles);
    if (p->stats.skipped_triangles) printf(", %" PRIu64 " never hit (not finite)", p->stats.skipped_triangles);
    if (p->input.dropped_faces) printf(", %" PRIu64 " points or lines dropped", p->input.dropped_faces);
    printf("\nasked   %s of %u x %u pixels, %s, by %s, %s\n", region, p->width, p->height, extent_name(p),
           groups[p->group], methods[p->method]);
    printf("picks   %zu\n", p->count);
    if (p->count) print_picks(p);
}

static void release(void* command)
{
    pick_run* p = command;
    tact_picker_destroy(p->picker);
    tact_scene_destroy(p->scene);
    tact_pick_input_free(&p->input);
    free(p->lasso.data);
}

static const tact_query_command description = {
    .name = "pick",
    .help =
        "Usage: tact pick FILE [FILE ...] (--at X,Y | --rect X0,Y0,X1,Y1 | --lasso FILE.npy | --frame) [options]\n\n"
        "Tells what is seen under a pixel, a rectangle, a lasso or in all of the view. Each part of a file is an "
        "object,\nwhere the file has it. The camera is that of raycast --rays camera:WxH; pixels count from the top "
        "left, y down.\n",
    .doing = "picking",
    .tolerance = "pixels",
    .rebuilds = true,
    .prepare = prepare,
    TACT_QUERY_FUNCTIONS,
};

int tact_command_pick(int argc, char** argv, tact_problem* problem)
{
    pick_run p = {.size = "1024x768", .radius = UINT64_MAX};
    const tact_option own[] = {
        TACT_MESH_OPTION(&p.files),
        TACT_TEXT("at", "X,Y", "what is under a pixel", &p.at),
        TACT_NUMBER("radius", "N", "with --at: and so many pixels around, nearest first", &p.radius, 0, MOST_RADIUS),
        TACT_TEXT("rect", "X0,Y0,X1,Y1", "under a rectangle; X1 and Y1 are no longer in it", &p.rect),
        TACT_TEXT("lasso", "FILE.npy", "under a polygon, float32 (n, 2)", &p.lasso_path),
        TACT_FLAG("frame", "in all of the view", &p.frame),
        TACT_TEXT("size", "WxH", "pixels of the view (default 1024x768)", &p.size),
        TACT_TEXT("turn", "DEG", "camera turned about +y, whole degrees", &p.turn_text),
        TACT_FLAG("all", "also what other things hide", &p.all),
        TACT_NUMBER("layers", "N", "with --all: the first N surfaces of each pixel", &p.layers, 1, UINT32_MAX),
        TACT_FLAG("touched", "everything within the region's part of space, also between pixels' centres", &p.touched),
        TACT_CHOICE("by", "G", "instance (default), object or primitive: what counts as one", &p.group, groups),
        TACT_CHOICE("method", "M", "rays (default) or raster (drawn, on OpenGL)", &p.method, methods),
        TACT_OUTPUT("out", "FILE.npy", "write the picks", &p.out),
        TACT_PICTURE("image", "write a picture of the view with the picks", &p.image),
        {.name = NULL},
    };
    return tact_query_command_run(&description, &p, own, &p.files, argc, argv, problem);
}
