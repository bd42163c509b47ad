// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/pick/scene.h"

#include <math.h>
#include <string.h>

#include "base/platform.h"
#include "gpu/pick/drawer.h"

extern const unsigned char tact_shader_pick_scene_vert[], tact_shader_pick_scene_frag[], tact_shader_pick_peel_frag[];

enum {
    BATCH = 1 << 18,  // pieces brought to the device at once: 44 MiB, and their numbers are exact as floats
    VECTOR_BYTES = TACT_PICK_RECORD_VECTORS * 16,
    UNIFORM_TURNED = 0,  // of both programs; the rest of pick_peel.frag
    UNIFORM_REVERSED = 3,
    UNIFORM_FIRST = 4
};

// As Record in shaders/pick_scene.glsl.
typedef struct record {
    uint32_t ids[4];
    float turn[3][4];
    float depth[2][4];
} record;

_Static_assert(sizeof(record) == 96, "the shaders read records of 96 bytes");
_Static_assert(sizeof(record) >= VECTOR_BYTES, "batches are as large as records allow");

typedef struct command {
    uint32_t count, instances, first_index, base_vertex, first_instance;
} command;

tact_result tact_pick_drawer_create(tact_device* device, tact_pick_drawer** drawer)
{
    static const tact_raster_program_desc scene = {"pick_scene", tact_shader_pick_scene_vert, NULL,
                                                   tact_shader_pick_scene_frag};
    static const tact_raster_program_desc peel = {"pick_peel", tact_shader_pick_scene_vert, NULL,
                                                  tact_shader_pick_peel_frag};
    *drawer = NULL;
    tact_result result = tact_device_enter(device);
    if (result != TACT_OK) return result;
    tact_pick_drawer* d = tact_allocate_zeroed(tact_device_env(device), 1, sizeof *d);
    result = d ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (d) d->device = device;
    if (result == TACT_OK) result = tact_raster_create(device, &d->raster);
    if (result == TACT_OK) result = tact_raster_program_create(d->raster, &scene, &d->program);
    if (result == TACT_OK) result = tact_raster_program_create(d->raster, &peel, &d->peel_program);
    tact_device_leave(device);
    if (result != TACT_OK) {
        tact_pick_drawer_destroy(d);
        return result;
    }
    *drawer = d;
    return TACT_OK;
}

void tact_pick_drawer_destroy(tact_pick_drawer* d)
{
    if (!d) return;
    // Even a device that is lost must let go of what it holds.
    const bool entered = tact_device_enter(d->device) == TACT_OK;
    if (entered) tact_pick_scene_data_settle(d->device);
    tact_pick_peel_free(d);
    tact_buffer_destroy(d->vectors);
    tact_buffer_destroy(d->records);
    tact_buffer_destroy(d->commands);
    tact_raster_program_destroy(d->program);
    tact_raster_program_destroy(d->peel_program);
    tact_raster_destroy(d->raster);
    if (entered) tact_device_leave(d->device);
    tact_env* env = tact_device_env(d->device);
    tact_pick_pieces_free(env, &d->pieces);
    tact_release(env, d);
}

tact_raster* tact_pick_drawer_raster(tact_pick_drawer* drawer)
{
    return drawer->raster;
}

// ---- Where vertices go ----

// The point whose clip x, y and w are 0, or false where it is at infinity.
static bool eye_of(const tact_pick_rows* rows, double eye[3])
{
    const double *a = rows->at[0], *b = rows->at[1], *c = rows->at[3];
    double minor[4];
    for (int k = 0; k < 4; ++k) {
        const int i = k == 0 ? 1 : 0, j = k <= 1 ? 2 : 1, l = k <= 2 ? 3 : 2;
        minor[k] = a[i] * (b[j] * c[l] - b[l] * c[j]) - a[j] * (b[i] * c[l] - b[l] * c[i]) +
                   a[l] * (b[i] * c[j] - b[j] * c[i]);
    }
    if (minor[3] == 0.0) return false;
    eye[0] = -minor[0] / minor[3];
    eye[1] = minor[1] / minor[3];
    eye[2] = -minor[2] / minor[3];
    return isfinite(eye[0]) && isfinite(eye[1]) && isfinite(eye[2]);
}

// The place of the mesh's box that is nearest to the eye: rounding then grows with the distance from the eye, as pixels
// do. One for the whole mesh, so that triangles that share vertices share them to the bit.
static void nearest_place(const tact_pick_rows* rows, const tact_trace_mesh* mesh, float about[3])
{
    double eye[3];
    const bool found = eye_of(rows, eye);
    for (int k = 0; k < 3; ++k) {
        const double lower = (double)mesh->bounds.tight_lower[k], upper = (double)mesh->bounds.tight_upper[k];
        double at = found ? eye[k] : 0.5 * (lower + upper);
        at = at < lower ? lower : at;
        at = at > upper ? upper : at;
        about[k] = (float)at;
    }
}

// The depth that is drawn, by the clip space that there is. With z from 0 to w it is reversed, whatever the view's is:
// the division gives it as fine near 0, far from the eye, as floats are there, so that what is nearer is found nearer.
// With z from -w to w only it is the view's own, to which OpenGL adds 1 before it halves it: what is finer than 2^-24
// is lost.
static void turn_depth(tact_pick_rows* matrix, const tact_pick_view* view, bool zero_to_one)
{
    double(*rows)[4] = matrix->at;
    for (int k = 0; k < 4; ++k) {
        const double z = rows[2][k], w = rows[3][k];
        const double own = view->depth == TACT_CLIP_ZERO_TO_ONE ? z : 0.5 * (z + w);
        if (zero_to_one) {
            rows[2][k] = view->reversed ? own : w - own;
        } else if (view->depth == TACT_CLIP_ZERO_TO_ONE) {
            rows[2][k] = 2.0 * z - w;
        }
    }
}

// Whether greater depths are nearer in what is drawn.
static bool draws_reversed(const tact_pick_drawer* d, const tact_pick_view* view)
{
    return tact_raster_get_limits(d->raster).zero_to_one || view->reversed;
}

// What is larger is multiplied by an extent that is next to nothing, or nothing, and must not be infinite then.
static float finite_float(double x)
{
    const double most = 1e30;
    return (float)(x > most ? most : x < -most ? -most : x);
}

// Five vectors: the rows for what is left of a vertex once `about` is taken off, scaled so that nothing overflows, and
// `about` itself with the number of the record.
static void make_vectors(const tact_pick_rows* world, const tact_trace_scene* scene, uint32_t instance,
                         const tact_pick_view* view, bool zero_to_one, uint32_t number, float to[VECTOR_BYTES / 4])
{
    const tact_trace_mesh* mesh = &scene->meshes[scene->by_id[instance].mesh];
    float* about = to + 16;
    double most = 0.0;
    tact_pick_rows matrix = tact_pick_object_rows(world, scene->matrices[instance]);
    nearest_place(&matrix, mesh, about);
    turn_depth(&matrix, view, zero_to_one);
    double(*rows)[4] = matrix.at;
    for (int r = 0; r < 4; ++r) {
        double reach = 0.0;
        for (int k = 0; k < 3; ++k) {
            const double size = (double)mesh->bounds.tight_upper[k] - (double)mesh->bounds.tight_lower[k];
            rows[r][3] += rows[r][k] * (double)about[k];
            reach += fabs(rows[r][k]) * size;
        }
        reach += fabs(rows[r][3]);
        most = reach > most ? reach : most;
    }
    int exponent = 0;
    frexp(most, &exponent);
    for (int r = 0; r < 4; ++r)
        for (int k = 0; k < 4; ++k)
            to[4 * r + k] = finite_float(ldexp(rows[r][k], -exponent));
    to[19] = (float)number;
}

// What the vertices of an instance are placed by, for fragments to find the depths of a triangle's corners.
static void make_depth(const float vectors[VECTOR_BYTES / 4], bool zero_to_one, record* r)
{
    memcpy(r->depth, vectors + 8, sizeof r->depth);
    for (int k = 0; k < 4 && !zero_to_one; ++k)
        r->depth[0][k] = 0.5f * (r->depth[0][k] + r->depth[1][k]);
    for (int k = 0; k < 3; ++k)
        r->turn[k][3] = vectors[16 + k];
}

// (M u) x (M v) is the matrix of M's cofactors times u x v; of it only the direction counts.
static void make_turn(const float m[12], float turn[3][4])
{
    double cofactors[3][3], most = 0.0;
    for (int r = 0; r < 3; ++r) {
        const float *a = m + 4 * ((r + 1) % 3), *b = m + 4 * ((r + 2) % 3);
        for (int k = 0; k < 3; ++k) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            cofactors[r][k] = (double)a[i] * (double)b[j] - (double)a[j] * (double)b[i];
            most = fabs(cofactors[r][k]) > most ? fabs(cofactors[r][k]) : most;
        }
    }
    memset(turn, 0, 12 * sizeof(float));
    if (!(most > 0.0)) return;
    for (int r = 0; r < 3; ++r)
        for (int k = 0; k < 3; ++k)
            turn[r][k] = (float)(cofactors[r][k] / most);
}

// ---- Batches ----

// As many as fit the device's buffers: records are the largest of what they bring.
static size_t batch_size(const tact_pick_drawer* d)
{
    const uint64_t room = tact_device_describe(d->device)->max_buffer_bytes / sizeof(record);
    return room == 0 ? 1 : room < BATCH ? (size_t)room : BATCH;
}

typedef struct batch {
    float (*vectors)[VECTOR_BYTES / 4];
    record* records;
    command* commands;
    uint32_t count, draws;
} batch;

static void fill_batch(const tact_pick_drawer* d, const tact_trace_scene* scene, const tact_pick_scene_data* data,
                       const tact_pick_view* view, size_t begin, batch* b)
{
    const bool zero_to_one = tact_raster_get_limits(d->raster).zero_to_one;
    const tact_pick_rows world = tact_pick_view_rows(view);
    for (uint32_t i = 0; i < b->count; ++i) {
        const tact_pick_piece* piece = &d->pieces.items[begin + i];
        const uint32_t mesh = scene->by_id[piece->instance].mesh;
        const tact_pick_mesh_place* place = &data->meshes[mesh];
        if (i > 0 && piece->instance == piece[-1].instance) {
            memcpy(b->vectors[i], b->vectors[i - 1], VECTOR_BYTES);
            b->vectors[i][19] = (float)i;
            b->records[i] = b->records[i - 1];
        } else {
            make_vectors(&world, scene, piece->instance, view, zero_to_one, i, b->vectors[i]);
            make_turn(scene->matrices[piece->instance], b->records[i].turn);
            make_depth(b->vectors[i], zero_to_one, &b->records[i]);
        }
        const uint32_t ids[4] = {mesh, piece->instance, piece->first, place->first_vertex};
        memcpy(b->records[i].ids, ids, sizeof ids);
        // Instances one after the other that show the same triangles are one draw.
        command* last = b->draws ? &b->commands[b->draws - 1] : NULL;
        if (last && piece[-1].first == piece->first && piece[-1].count == piece->count) {
            ++last->instances;
        } else {
            b->commands[b->draws++] = (command){3 * piece->count, 1, 3 * piece->first, place->first_vertex, i};
        }
    }
}

static tact_result upload_batch(tact_pick_drawer* d, const batch* b)
{
    tact_pick_scene_data_settle(d->device);
    tact_buffer_hold(d->device, &d->vectors, (uint64_t)b->count * VECTOR_BYTES);
    tact_buffer_hold(d->device, &d->records, (uint64_t)b->count * sizeof(record));
    tact_buffer_hold(d->device, &d->commands, (uint64_t)b->draws * sizeof(command));
    tact_buffer_write(d->vectors, 0, b->vectors, (size_t)b->count * VECTOR_BYTES);
    tact_buffer_write(d->records, 0, b->records, b->count * sizeof(record));
    return tact_buffer_write(d->commands, 0, b->commands, b->draws * sizeof(command));
}

static tact_result bring_batch(tact_pick_drawer* d, const tact_trace_scene* scene, const tact_pick_scene_data* data,
                               const tact_pick_view* view, size_t begin)
{
    if (d->batch == begin) return TACT_OK;
    const double start = tact_platform_milliseconds();
    tact_env* env = tact_device_env(d->device);
    const size_t left = d->pieces.count - begin, most = batch_size(d);
    batch b = {.count = (uint32_t)(left < most ? left : most)};
    b.vectors = tact_allocate(env, b.count, sizeof *b.vectors);
    b.records = tact_allocate(env, b.count, sizeof *b.records);
    b.commands = tact_allocate(env, b.count, sizeof *b.commands);
    tact_result result = b.vectors && b.records && b.commands ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    d->batch = SIZE_MAX;
    if (result == TACT_OK) {
        fill_batch(d, scene, data, view, begin, &b);
        result = upload_batch(d, &b);
    }
    if (result == TACT_OK) {
        d->batch = begin;
        d->draws = b.draws;
    }
    tact_release(env, b.vectors);
    tact_release(env, b.records);
    tact_release(env, b.commands);
    d->upload_ms += tact_platform_milliseconds() - start;
    return result;
}

// ---- Drawing ----

tact_result tact_pick_drawer_prepare(tact_pick_drawer* d, const tact_drawn_scene* scene, const tact_pick_view* view)
{
    const double start = tact_platform_milliseconds();
    d->batch = SIZE_MAX;
    d->upload_ms = 0.0;
    tact_result result = tact_pick_scene_data_update(d->device, scene->trace, scene->data);
    if (result == TACT_OK) {
        result = tact_pick_pieces_cull(tact_device_env(d->device), scene->trace, *scene->data, view, &d->pieces);
    }
    d->upload_ms += tact_platform_milliseconds() - start;
    return result;
}

void tact_pick_drawer_clear(tact_pick_drawer* d, const tact_pick_view* view, uint32_t planes)
{
    static const uint32_t nothing[4] = {TACT_PICK_NOTHING, TACT_PICK_NOTHING, TACT_PICK_NOTHING, TACT_PICK_NOTHING};
    static const uint32_t zero[4] = {0, 0, 0, 0};
    for (uint32_t i = 0; i < planes; ++i)
        tact_raster_clear_uint(d->raster, i, i == 1 ? nothing : zero);
    tact_raster_clear_depth(d->raster, draws_reversed(d, view) ? 0.0f : 1.0f, 0);
}

static void draw_batch(tact_pick_drawer* d, const tact_pick_scene_data* data, const tact_raster_program* program)
{
    const tact_raster_mesh mesh = {.vertices = data->vertices,
                                   .stride = 12,
                                   .indices = data->indices,
                                   .instances = d->vectors,
                                   .instance_vectors = TACT_PICK_RECORD_VECTORS};
    tact_raster_use(d->raster, program, &mesh);
    tact_raster_bind_storage(d->raster, 0, d->records);
    tact_raster_bind_storage(d->raster, 1, data->indices);
    tact_raster_bind_storage(d->raster, 2, data->vertices);
    tact_raster_bind_storage(d->raster, 3, data->primitives);
    tact_raster_draw_indirect(d->raster, TACT_RASTER_TRIANGLES, d->commands, 0, d->draws);
}

tact_result tact_pick_drawer_render(tact_pick_drawer* d, const tact_drawn_scene* scene, const tact_pick_view* view,
                                    tact_raster_program* program)
{
    const tact_raster_pass pass = {.depth = draws_reversed(d, view) ? TACT_RASTER_GREATER : TACT_RASTER_LESS,
                                   .depth_write = true,
                                   .zero_to_one = true,
                                   .colour_mask = 15,
                                   .viewport = {0, 0, view->width, view->height}};
    tact_result result = TACT_OK;
    tact_raster_set_pass(d->raster, &pass);
    tact_raster_set_uint(program, UNIFORM_TURNED, draws_reversed(d, view) && !view->reversed);
    if (program == d->peel_program) tact_raster_set_uint(program, UNIFORM_REVERSED, draws_reversed(d, view));
    const size_t step = batch_size(d);
    for (size_t begin = 0; begin < d->pieces.count && result == TACT_OK; begin += step) {
        result = bring_batch(d, scene->trace, *scene->data, view, begin);
        if (result != TACT_OK) break;
        if (program == d->peel_program) tact_raster_set_uint(program, UNIFORM_FIRST, (uint32_t)begin);
        draw_batch(d, *scene->data, program);
    }
    return result;
}

tact_result tact_pick_drawer_draw(tact_pick_drawer* d, const tact_drawn_scene* scene, const tact_pick_view* view)
{
    tact_pick_drawer_clear(d, view, 2);
    if (view->width == 0 || view->height == 0) return TACT_OK;
    const tact_result result = tact_pick_drawer_prepare(d, scene, view);
    if (result != TACT_OK) return result;
    return tact_pick_drawer_render(d, scene, view, d->program);
}
