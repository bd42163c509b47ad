// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "apps/commands.h"
#include "apps/inputs/npy.h"
#include "apps/inputs/volume_input.h"
#include "apps/pictures/pictures.h"
#include "apps/query_command.h"

enum { PICTURE_SIZE = 1024, NO_FRUSTUM = -1 };

typedef struct cull_run {
    tact_query_run run;
    const char *boxes, *spheres, *against_path, *out, *image;
    uint64_t random;  ///< UINT64_MAX: not given
    int frustum_choice;
    tact_culler* culler;
    tact_cull_work work;
    void* volumes;
    void* against;
    tact_aabb* shown;  ///< boxes around spheres, for the picture
    tact_aabb bounds;  ///< of the volumes that are finite
    tact_frustum frustum;
    tact_plane planes[TACT_FRUSTUM_PLANES];
    const uint32_t* ids;
} cull_run;

_Static_assert(sizeof(tact_aabb) == 24 && sizeof(tact_sphere) == 16, "rows of six and of four floats");

static bool check_options(const cull_run* c, tact_problem* problem)
{
    const int sources = (c->boxes != NULL) + (c->spheres != NULL) + (c->random != UINT64_MAX);
    if (sources != 1) return tact_problem_set(problem, "one of --boxes FILE, --spheres FILE, --random N is needed");
    return c->frustum_choice != NO_FRUSTUM || c->against_path ||
           tact_problem_set(problem, "--frustum camera or --against FILE is needed, or both");
}

static bool read_rows(const char* path, uint32_t columns, void** data, size_t* count, tact_problem* problem)
{
    tact_npy_table table;
    if (!tact_npy_read(path, TACT_NPY_FLOAT32, columns, &table, problem)) return false;
    *data = table.data;
    *count = (size_t)table.rows;
    return table.rows <= TACT_CULL_MAX || tact_problem_set(problem, "%s: more than 2^30 rows", path);
}

static bool read_volumes(cull_run* c, size_t* count, tact_problem* problem)
{
    if (c->boxes) return read_rows(c->boxes, 6, &c->volumes, count, problem);
    if (c->spheres) return read_rows(c->spheres, 4, &c->volumes, count, problem);
    c->volumes = tact_query_room(NULL, c->random, sizeof(tact_aabb), problem);
    if (!c->volumes) return false;
    *count = (size_t)c->random;
    tact_input_volumes_uniform(*count, c->run.common.seed, c->volumes);
    return true;
}

static tact_aabb box_of(const cull_run* c, size_t i)
{
    if (c->work.kind == TACT_CULL_AABBS) return ((const tact_aabb*)c->volumes)[i];
    const tact_sphere s = ((const tact_sphere*)c->volumes)[i];
    return (tact_aabb){{s.center.x - s.radius, s.center.y - s.radius, s.center.z - s.radius},
                       {s.center.x + s.radius, s.center.y + s.radius, s.center.z + s.radius}};
}

static void find_bounds(cull_run* c)
{
    tact_aabb b = tact_aabb_empty();
    for (size_t i = 0; i < c->work.count; ++i) {
        const tact_aabb v = box_of(c, i);
        const float* parts = &v.lower.x;
        bool good = true;
        for (int k = 0; k < 6; ++k)
            good = good && fabsf(parts[k]) <= 1e15f;  // what is farther would make the rest a dot
        if (good) b = tact_aabb_union(b, v);
    }
    c->bounds = tact_aabb_is_empty(b) ? (tact_aabb){{0, 0, 0}, {1, 1, 1}} : b;
}

/// In the middle of the volumes, looking along -z with +y up, 60 degrees high and as wide as 16 to 9, from a
/// thousandth of half the bounds' diagonal to all of it.
static void make_frustum(cull_run* c)
{
    const tact_aabb* b = &c->bounds;
    const double x = 0.5 * ((double)b->lower.x + (double)b->upper.x),
                 y = 0.5 * ((double)b->lower.y + (double)b->upper.y);
    const double z = 0.5 * ((double)b->lower.z + (double)b->upper.z);
    const double dx = (double)b->upper.x - x, dy = (double)b->upper.y - y, dz = (double)b->upper.z - z;
    double far = sqrt(dx * dx + dy * dy + dz * dz);
    if (!(far > 0.0)) far = 1.0;
    const double near = far / 1000.0, high = sqrt(1.0 / 3.0), wide = high * 16.0 / 9.0;
    const tact_plane planes[TACT_FRUSTUM_PLANES] = {
        {{-1, 0, (float)wide}, (float)(wide * z - x)},
        {{1, 0, (float)wide}, (float)(wide * z + x)},
        {{0, -1, (float)high}, (float)(high * z - y)},
        {{0, 1, (float)high}, (float)(high * z + y)},
        {{0, 0, 1}, (float)(z - near)},
        {{0, 0, -1}, (float)(far - z)},
    };
    (void)tact_frustum_from_planes(planes, &c->frustum);
    c->work.planes = c->planes;
    c->work.plane_count = tact_cull_frustum(&c->frustum, c->planes);
}

static bool load(void* command, tact_problem* problem)
{
    cull_run* c = command;
    size_t count = 0, against = 0;
    if (!check_options(c, problem) || !read_volumes(c, &count, problem)) return false;
    if (c->against_path && !read_rows(c->against_path, 6, &c->against, &against, problem)) return false;
    c->run.count = count;
    c->work = (tact_cull_work){.kind = c->spheres ? TACT_CULL_SPHERES : TACT_CULL_AABBS,
                               .volumes = c->volumes,
                               .count = count,
                               .boxes = c->against,
                               .box_count = against};
    find_bounds(c);
    if (c->frustum_choice != NO_FRUSTUM) make_frustum(c);
    return true;
}

static bool prepare(void* command, tact_problem* problem)
{
    cull_run* c = command;
    return tact_query_succeeded(&c->run, tact_culler_create(c->run.session.context, &c->culler), "culling", problem);
}

static bool ask(void* command, const tact_query_options* options, tact_problem* problem)
{
    cull_run* c = command;
    size_t kept = 0;
    const tact_result result =
        tact_cull_volumes(c->culler, &c->work, &(tact_cull_room){.count = &kept}, options, &c->run.report);
    if (!tact_query_succeeded(&c->run, result, "culling", problem)) return false;
    c->ids = tact_cull_last(c->culler, &kept);
    c->run.found = kept;
    c->run.answer = c->ids;
    c->run.answer_bytes = kept * sizeof *c->ids;
    return true;
}

static bool write_picture(cull_run* c, tact_problem* problem)
{
    const tact_aabb* boxes = c->volumes;
    if (c->work.kind == TACT_CULL_SPHERES) {
        c->shown = tact_query_room(NULL, c->work.count, sizeof *c->shown, problem);
        if (!c->shown) return false;
        for (size_t i = 0; i < c->work.count; ++i)
            c->shown[i] = box_of(c, i);
        boxes = c->shown;
    }
    const tact_cull_picture picture = {
        boxes,      c->work.count,     c->ids,   c->run.found, c->work.plane_count ? &c->frustum : NULL,
        c->against, c->work.box_count, c->bounds};
    return tact_picture_of_culling(c->image, &picture, PICTURE_SIZE, problem);
}

static bool finish(void* command, tact_problem* problem)
{
    cull_run* c = command;
    if (c->out && !tact_npy_write(c->out, TACT_NPY_UINT32, c->run.found, 0, c->ids, problem)) return false;
    return !c->image || write_picture(c, problem);
}

static const char* kind_name(const cull_run* c)
{
    return c->spheres ? "spheres" : "boxes";
}

static void json(const void* command, cJSON* root)
{
    const cull_run* c = command;
    tact_json_count(root, "volumes", c->run.count);
    tact_json_count(root, "kept", c->run.found);
    tact_json_text(root, "kind", kind_name(c));
    tact_json_count(root, "planes", c->work.plane_count);
    tact_json_count(root, "against", c->work.box_count);
}

static void print(const void* command)
{
    const cull_run* c = command;
    printf("volumes %zu %s", c->work.count, kind_name(c));
    if (c->work.plane_count) printf(", in a frustum of %u planes", (unsigned)c->work.plane_count);
    if (c->work.boxes) printf(", against %zu boxes", c->work.box_count);
    printf("\nkept    %zu (%.2f %%)\n", (size_t)c->run.found, tact_query_percent(c->run.found, c->run.count));
}

static void release(void* command)
{
    cull_run* c = command;
    tact_culler_destroy(c->culler);
    free(c->volumes);
    free(c->against);
    free(c->shown);
}

static const tact_query_command description = {
    .name = "cull",
    .help =
        "Usage: tact cull (--boxes FILE.npy | --spheres FILE.npy | --random N) [--frustum camera] [--against "
        "FILE.npy]\n                 [options]\n\n"
        "Keeps the volumes that are in view, or near any box of a list, or both.\n",
    .doing = "culling",
    .items = "volumes",
    .rate_key = "volumes_per_second",
    .prepare = prepare,
    TACT_QUERY_FUNCTIONS,
};

int tact_command_cull(int argc, char** argv, tact_problem* problem)
{
    static const char* const frusta[] = {"camera", NULL};
    cull_run c = {.random = UINT64_MAX, .frustum_choice = NO_FRUSTUM};
    const tact_option own[] = {
        TACT_TEXT("boxes", "FILE.npy", "boxes to cull", &c.boxes),
        TACT_TEXT("spheres", "FILE.npy", "spheres to cull", &c.spheres),
        TACT_NUMBER("random", "N", "N boxes in the unit cube", &c.random, 0, TACT_CULL_MAX),
        TACT_CHOICE("frustum", "F", "camera: keep what is in view from the middle", &c.frustum_choice, frusta),
        TACT_TEXT("against", "FILE.npy", "keep what is near one of these boxes", &c.against_path),
        TACT_OUTPUT("out", "FILE.npy", "write the ids kept", &c.out),
        TACT_PICTURE("image", "write a picture, seen from above", &c.image),
        {.name = NULL},
    };
    return tact_query_command_run(&description, &c, own, NULL, argc, argv, problem);
}
