// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/bench/plain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef TACT_HAVE_GL

#include "core/context/context.h"
#include "gpu/raster.h"

enum {
    // Of a software rasteriser a buffer must not fill up while a query runs (tact_raster_flush).
    FLUSH_QUERIES = 32,
    FLUSH_TRIANGLES = 10000
};

typedef struct plain_shape {
    tact_buffer *vertices, *indices;
    uint32_t count;
    double lower[3], upper[3];
} plain_shape;

struct tact_plain_cullide {
    tact_context* context;
    tact_device* device;
    tact_raster* raster;
    tact_raster_program* program;
    tact_raster_target* target;
    tact_raster_queries* queries;
    uint32_t query_capacity;
    tact_buffer* instances;
    size_t instance_capacity;
    plain_shape* shapes;
    size_t shape_count;
    uint32_t resolution;
    float (*rows)[12];
    uint32_t *order, *samples[2];
};

static const unsigned char vertex_text[] =
    "#version 430 core\n"
    "layout(location = 0) in vec3 position;\n"
    "layout(location = 1) in vec4 row_x;\n"
    "layout(location = 2) in vec4 row_y;\n"
    "layout(location = 3) in vec4 row_z;\n"
    "void main() {\n"
    "    vec4 p = vec4(position, 1.0);\n"
    "    gl_Position = vec4(dot(row_x, p), dot(row_y, p), dot(row_z, p), 1.0);\n"
    "}\n";
static const unsigned char fragment_text[] = "#version 430 core\nvoid main() { }\n";

bool tact_plain_cullide_is_there(void)
{
    return true;
}

static bool failed(const tact_plain_cullide* p, tact_result result, tact_problem* problem)
{
    return result == TACT_OK || tact_problem_set(problem, "CULLIDE: %s", tact_context_error(p->context));
}

static tact_result upload(tact_plain_cullide* p, const tact_mesh_desc* from, plain_shape* to)
{
    const size_t stride = from->position_stride ? from->position_stride : 12;
    tact_env* env = tact_device_env(p->device);
    float* packed = tact_allocate(env, from->vertex_count + 1, 12);
    uint32_t* indices = tact_allocate(env, 3 * from->triangle_count + 1, 4);
    tact_result result = packed && indices ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    for (int k = 0; k < 3; ++k) {
        to->lower[k] = HUGE_VAL;
        to->upper[k] = -HUGE_VAL;
    }
    for (size_t i = 0; i < from->vertex_count && result == TACT_OK; ++i) {
        memcpy(packed + 3 * i, (const char*)from->positions + i * stride, 12);
        for (size_t k = 0; k < 3; ++k) {
            to->lower[k] = fmin(to->lower[k], (double)packed[3 * i + k]);
            to->upper[k] = fmax(to->upper[k], (double)packed[3 * i + k]);
        }
    }
    to->count = (uint32_t)(3 * from->triangle_count);
    for (uint32_t i = 0; i < to->count && result == TACT_OK; ++i)
        indices[i] = from->indices ? from->indices[i] : i;
    if (result == TACT_OK) {
        result = tact_buffer_create(p->device, (from->vertex_count + 1) * 12, packed, &to->vertices);
    }
    if (result == TACT_OK) result = tact_buffer_create(p->device, ((size_t)to->count + 1) * 4, indices, &to->indices);
    tact_release(env, packed);
    tact_release(env, indices);
    return result;
}

static tact_result make(tact_plain_cullide* p, const tact_mesh_desc* shapes)
{
    const tact_raster_program_desc program = {"cullide", vertex_text, NULL, fragment_text};
    const tact_raster_target_desc target = {
        .width = p->resolution, .height = p->resolution, .depth = TACT_RASTER_DEPTH_32F};
    tact_result result = tact_raster_create(p->device, &p->raster);
    if (result == TACT_OK) result = tact_raster_program_create(p->raster, &program, &p->program);
    if (result == TACT_OK) result = tact_raster_target_create(p->raster, &target, &p->target);
    for (size_t i = 0; i < p->shape_count && result == TACT_OK; ++i)
        result = upload(p, &shapes[i], &p->shapes[i]);
    return result;
}

bool tact_plain_cullide_create(tact_context* context, const tact_mesh_desc* shapes, size_t shape_count,
                               uint32_t resolution, tact_plain_cullide** plain, tact_problem* problem)
{
    *plain = NULL;
    const int device = tact_context_find(context, TACT_BACKEND_GL);
    if (device < 0) return tact_problem_set(problem, "CULLIDE needs OpenGL");
    tact_plain_cullide* p = calloc(1, sizeof *p);
    if (!p) return tact_problem_out_of_memory(problem, "CULLIDE");
    p->context = context;
    p->device = context->devices[device];
    p->resolution = resolution;
    p->shape_count = shape_count;
    p->shapes = calloc(shape_count + 1, sizeof *p->shapes);
    if (!p->shapes) {
        free(p);
        return tact_problem_out_of_memory(problem, "CULLIDE");
    }
    tact_result result = tact_device_enter(p->device);
    if (result == TACT_OK) {
        result = make(p, shapes);
        tact_device_leave(p->device);
    }
    if (!failed(p, result, problem)) {
        tact_plain_cullide_destroy(p);
        return false;
    }
    *plain = p;
    return true;
}

void tact_plain_cullide_destroy(tact_plain_cullide* p)
{
    if (!p) return;
    if (tact_device_enter(p->device) == TACT_OK) {
        for (size_t i = 0; i < p->shape_count; ++i) {
            tact_buffer_destroy(p->shapes[i].vertices);
            tact_buffer_destroy(p->shapes[i].indices);
        }
        tact_buffer_destroy(p->instances);
        tact_raster_queries_destroy(p->queries);
        tact_raster_target_destroy(p->target);
        tact_raster_program_destroy(p->program);
        tact_raster_destroy(p->raster);
        tact_device_leave(p->device);
    }
    free(p->shapes);
    free(p->rows);
    free(p->order);
    free(p->samples[0]);
    free(p->samples[1]);
    free(p);
}

// The box around everything, from the boxes of shapes.
static void scene_box(const tact_plain_cullide* p, const tact_filter_object* objects, size_t count, double middle[3],
                      double half[3])
{
    for (int r = 0; r < 3; ++r) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (size_t i = 0; i < count; ++i) {
            const plain_shape* s = &p->shapes[objects[i].shape];
            if (s->count == 0) continue;
            double centre = (double)objects[i].pose[4 * r + 3], reach = 0;
            for (int k = 0; k < 3; ++k) {
                const double m = (double)objects[i].pose[4 * r + k];
                centre += m * 0.5 * (s->lower[k] + s->upper[k]);
                reach += fabs(m) * 0.5 * (s->upper[k] - s->lower[k]);
            }
            low = fmin(low, centre - reach);
            high = fmax(high, centre + reach);
        }
        middle[r] = low <= high ? 0.5 * (low + high) : 0.0;
        half[r] = low < high ? 0.5 * (high - low) : 1.0;
    }
}

// Each object's way to the clip space of the view along an axis.
static void make_rows(tact_plain_cullide* p, const tact_filter_object* objects, size_t count, int axis,
                      const double middle[3], const double half[3])
{
    for (size_t i = 0; i < count; ++i) {
        for (int r = 0; r < 3; ++r) {
            const int from = (axis + 1 + r) % 3;
            const double scale = 0.999 / half[from];
            for (int k = 0; k < 4; ++k) {
                const double m = (double)objects[i].pose[4 * from + k] - (k == 3 ? middle[from] : 0.0);
                p->rows[i][4 * r + k] = (float)(scale * m);
            }
        }
    }
}

static const tact_raster_pass ask = {.depth = TACT_RASTER_GEQUAL};
static const tact_raster_pass draw = {.depth = TACT_RASTER_LESS, .depth_write = true};

// One pass over the objects that are left, in their order or against it.
static tact_result run_pass(tact_plain_cullide* p, const tact_filter_object* objects, uint32_t left, bool reverse,
                            uint32_t* samples, tact_plain_cullide_count* counted)
{
    uint32_t triangles = 0;
    tact_raster_bind(p->raster, p->target);
    tact_raster_clear_depth(p->raster, 1.0f, 0);
    for (uint32_t n = 0; n < left; ++n) {
        const uint32_t at = reverse ? left - 1 - n : n, object = p->order[at];
        const plain_shape* s = &p->shapes[objects[object].shape];
        const tact_raster_mesh mesh = {.vertices = s->vertices,
                                       .stride = 12,
                                       .indices = s->indices,
                                       .count = s->count,
                                       .instances = p->instances,
                                       .instance_offset = (size_t)object * 48,
                                       .instance_vectors = 3};
        triangles += 2 * (s->count / 3);
        if (n % FLUSH_QUERIES == 0 || triangles > FLUSH_TRIANGLES) {
            tact_raster_flush(p->raster);
            triangles = 0;
        }
        tact_raster_use(p->raster, p->program, &mesh);
        tact_raster_set_pass(p->raster, &ask);
        tact_raster_query_begin(p->queries, at);
        tact_raster_draw(p->raster, TACT_RASTER_TRIANGLES, 0, 1);
        tact_raster_query_end(p->queries);
        tact_raster_set_pass(p->raster, &draw);
        tact_raster_draw(p->raster, TACT_RASTER_TRIANGLES, 0, 1);
    }
    counted->draws += 2 * (uint64_t)left;
    counted->queries += left;
    return tact_raster_query_results(p->queries, 0, left, samples);
}

static tact_result prepare(tact_plain_cullide* p, uint32_t count)
{
    if (p->query_capacity >= count) return TACT_OK;
    tact_raster_queries_destroy(p->queries);
    p->queries = NULL;
    p->query_capacity = 0;
    free(p->rows);
    free(p->order);
    free(p->samples[0]);
    free(p->samples[1]);
    p->rows = malloc(count * sizeof *p->rows);
    p->order = malloc(count * sizeof *p->order);
    p->samples[0] = malloc(count * sizeof *p->samples[0]);
    p->samples[1] = malloc(count * sizeof *p->samples[1]);
    if (!p->rows || !p->order || !p->samples[0] || !p->samples[1]) return TACT_ERROR_OUT_OF_MEMORY;
    tact_buffer_destroy(p->instances);
    p->instances = NULL;
    tact_result result = tact_buffer_create(p->device, (size_t)count * 48, NULL, &p->instances);
    if (result == TACT_OK) result = tact_raster_queries_create(p->raster, count, false, &p->queries);
    if (result == TACT_OK) p->query_capacity = count;
    return result;
}

static tact_result run(tact_plain_cullide* p, const tact_filter_object* objects, uint32_t count, uint32_t rounds,
                       bool* left, tact_plain_cullide_count* counted)
{
    double middle[3], half[3];
    uint32_t remaining = count;
    tact_result result = TACT_OK;
    scene_box(p, objects, count, middle, half);
    for (uint32_t i = 0; i < count; ++i)
        p->order[i] = i;
    while (counted->rounds < rounds && remaining > 0 && result == TACT_OK) {
        const uint32_t before = remaining;
        ++counted->rounds;
        for (int axis = 0; axis < 3 && remaining > 0 && result == TACT_OK; ++axis) {
            make_rows(p, objects, count, axis, middle, half);
            result = tact_buffer_write(p->instances, 0, p->rows, (size_t)count * 48);
            for (int reverse = 0; reverse < 2 && result == TACT_OK; ++reverse)
                result = run_pass(p, objects, remaining, reverse != 0, p->samples[reverse], counted);
            uint32_t kept = 0;
            for (uint32_t i = 0; i < remaining && result == TACT_OK; ++i)
                if (p->samples[0][i] || p->samples[1][i]) p->order[kept++] = p->order[i];
            remaining = kept;
        }
        if (remaining == before) break;
    }
    memset(left, 0, count * sizeof *left);
    for (uint32_t i = 0; i < remaining; ++i)
        left[p->order[i]] = true;
    counted->left = remaining;
    return result;
}

bool tact_plain_cullide_run(tact_plain_cullide* p, const tact_filter_object* objects, size_t count, uint32_t rounds,
                            bool* left, tact_plain_cullide_count* counted, tact_problem* problem)
{
    memset(counted, 0, sizeof *counted);
    if (count == 0) return true;
    tact_result result = tact_device_enter(p->device);
    if (result == TACT_OK) {
        result = prepare(p, (uint32_t)count);
        if (result == TACT_OK) result = tact_raster_begin(p->raster);
        if (result == TACT_OK) {
            result = run(p, objects, (uint32_t)count, rounds, left, counted);
            const tact_result drawn = tact_raster_end(p->raster);
            if (result == TACT_OK) result = drawn;
        }
        tact_device_leave(p->device);
    }
    return failed(p, result, problem);
}

#else

bool tact_plain_cullide_is_there(void)
{
    return false;
}

bool tact_plain_cullide_create(tact_context* context, const tact_mesh_desc* shapes, size_t shape_count,
                               uint32_t resolution, tact_plain_cullide** plain, tact_problem* problem)
{
    (void)context, (void)shapes, (void)shape_count, (void)resolution;
    *plain = NULL;
    return tact_problem_set(problem, "CULLIDE needs OpenGL, which is not here");
}

void tact_plain_cullide_destroy(tact_plain_cullide* plain)
{
    (void)plain;
}

bool tact_plain_cullide_run(tact_plain_cullide* plain, const tact_filter_object* objects, size_t count, uint32_t rounds,
                            bool* left, tact_plain_cullide_count* counted, tact_problem* problem)
{
    (void)plain, (void)objects, (void)count, (void)rounds, (void)left, (void)counted;
    return tact_problem_set(problem, "CULLIDE needs OpenGL, which is not here");
}

#endif
