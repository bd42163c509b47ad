// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Alpha masks as kernels/raycast.kernel reads them, in rows of four words. First a row for each mesh:
//     width - 1, and from bit 16 on height - 1; the row of the coordinates; that of the texels; 1 + TACT_ALPHA_, or 0
//     for a mesh without a mask
// then of each mesh that has one two rows for each triangle, the coordinates of its corners and two unused words, and a
// bit for each texel, row after row, which says whether it is there.
#include <string.h>

#include "gpu/trace/internal.h"

enum { PIECE = 4096 };  // rows that are put together at a time

static size_t texel_rows(const tact_trace_alpha* a)
{
    return ((size_t)a->width * a->height + 127) / 128;
}

static size_t rows_of(const tact_trace_mesh* mesh)
{
    return mesh->alpha ? 2 * mesh->triangle_count + texel_rows(mesh->alpha) : 0;
}

size_t tact_gpu_alpha_rows(const tact_trace_scene* scene)
{
    if (!scene->has_alpha) return 0;
    size_t rows = scene->mesh_count;
    for (size_t m = 0; m < scene->mesh_count; ++m)
        rows += rows_of(&scene->meshes[m]);
    return rows;
}

typedef struct row {
    uint32_t words[4];
} row;

typedef struct writer {
    tact_buffer* rows;
    size_t at;     ///< where the piece goes
    size_t count;  ///< rows that are in it
    row* piece;
} writer;

static void flush(writer* w)
{
    tact_buffer_write(w->rows, w->at * sizeof(row), w->piece, w->count * sizeof(row));
    w->at += w->count;
    w->count = 0;
}

static row* next(writer* w)
{
    if (w->count == PIECE) flush(w);
    row* r = &w->piece[w->count++];
    *r = (row){0};
    return r;
}

static void write_heads(writer* w, const tact_trace_scene* scene, size_t first)
{
    size_t at = first + scene->mesh_count;
    for (size_t m = 0; m < scene->mesh_count; ++m) {
        const tact_trace_mesh* mesh = &scene->meshes[m];
        row* head = next(w);
        if (!mesh->alpha) continue;
        head->words[0] = (mesh->alpha->width - 1u) | (mesh->alpha->height - 1u) << 16;
        head->words[1] = (uint32_t)at;
        head->words[2] = (uint32_t)(at + 2 * mesh->triangle_count);
        head->words[3] = 1u + mesh->alpha->wrap;
        at += rows_of(mesh);
    }
}

static void write_coordinates(writer* w, const tact_trace_mesh* mesh)
{
    const float* uvs = mesh->alpha->uvs;
    for (size_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t* corner = mesh->indices + 3 * t;
        row* r = next(w);
        memcpy(r->words, uvs + 2 * (size_t)corner[0], 2 * sizeof(float));
        memcpy(r->words + 2, uvs + 2 * (size_t)corner[1], 2 * sizeof(float));
        memcpy(next(w)->words, uvs + 2 * (size_t)corner[2], 2 * sizeof(float));
    }
}

static void write_texels(writer* w, const tact_trace_alpha* a)
{
    const size_t count = (size_t)a->width * a->height;
    for (size_t begin = 0; begin < count; begin += 128) {
        row* r = next(w);
        for (size_t i = 0; i < 128 && begin + i < count; ++i)
            r->words[i / 32] |= (uint32_t)(a->texels[begin + i] >= a->threshold) << i % 32;
    }
}

tact_result tact_gpu_alpha_write(tact_device* device, tact_buffer* rows, size_t first, const tact_trace_scene* scene)
{
    tact_env* env = tact_device_env(device);
    writer w = {.rows = rows, .at = first, .piece = tact_allocate(env, PIECE, sizeof(row))};
    if (!w.piece) return tact_device_fail(device, TACT_ERROR_OUT_OF_MEMORY);
    write_heads(&w, scene, first);
    for (size_t m = 0; m < scene->mesh_count; ++m) {
        if (!scene->meshes[m].alpha) continue;
        write_coordinates(&w, &scene->meshes[m]);
        write_texels(&w, scene->meshes[m].alpha);
    }
    flush(&w);
    tact_release(env, w.piece);
    return tact_device_result(device);
}
