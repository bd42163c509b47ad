// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/replay/export.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/inputs/npy.h"
#include "apps/system.h"

typedef struct text_buffer {
    char* text;  ///< from malloc
    size_t size, capacity;
    bool failed;
} text_buffer;

enum { LINE = 96 };

/// Room for one more line; NULL when out of memory.
static char* next_line(text_buffer* t)
{
    if (t->failed) return NULL;
    if (t->capacity - t->size < LINE) {
        const size_t capacity = t->capacity < SIZE_MAX / 2 - LINE ? t->capacity * 2 + LINE : t->capacity;
        char* grown = capacity > t->capacity ? realloc(t->text, capacity) : NULL;
        if (!grown) {
            t->failed = true;
            return NULL;
        }
        t->text = grown;
        t->capacity = capacity;
    }
    return t->text + t->size;
}

static bool write_mesh(const char* path, const tact_recorded_mesh* mesh, tact_problem* problem)
{
    text_buffer t = {0};
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        const float* p = mesh->positions + 3 * i;
        char* line = next_line(&t);
        // Nine digits tell every float.
        if (line)
            t.size += (size_t)snprintf(line, LINE, "v %.9g %.9g %.9g\n", (double)p[0], (double)p[1], (double)p[2]);
    }
    for (size_t i = 0; i < mesh->triangle_count; ++i) {
        const uint32_t* v = mesh->indices + 3 * i;
        char* line = next_line(&t);
        if (line) {
            t.size += (size_t)snprintf(line, LINE, "f %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", (uint64_t)v[0] + 1,
                                       (uint64_t)v[1] + 1, (uint64_t)v[2] + 1);
        }
    }
    const bool good = t.failed ? tact_problem_out_of_memory(problem, path)
                               : tact_file_replace(path, "", 0, t.text ? t.text : "", t.size, problem);
    free(t.text);
    return good;
}

static bool write_array(const char* folder, uint64_t number, const tact_recorded_array* array, tact_problem* problem)
{
    char path[4096];
    const bool bytes = array->type == TACT_RECORDED_BYTES;
    const int written =
        snprintf(path, sizeof path, "%s/query-%" PRIu64 "-%s.%s", folder, number, array->name, bytes ? "bin" : "npy");
    if (written < 0 || (size_t)written >= sizeof path) return tact_problem_set(problem, "%s: too long a name", folder);
    if (bytes) return tact_file_replace(path, "", 0, array->data, array->rows, problem);
    const tact_npy_type type = array->type == TACT_RECORDED_FLOATS ? TACT_NPY_FLOAT32 : TACT_NPY_UINT32;
    return tact_npy_write(path, type, array->rows, (uint32_t)array->columns, array->data, problem);
}

bool tact_replay_export(const tact_recording* recording, size_t index, const tact_recorded_query* query,
                        const char* folder, tact_problem* problem)
{
    if (!tact_system_make_directory(folder, problem)) return false;
    tact_recorded_array array;
    for (size_t k = 0; tact_recording_array(recording, index, k, &array); ++k) {
        // The second set of a query between two has its own name.
        tact_recorded_array before;
        char name[64];
        unsigned same = 1;
        for (size_t i = 0; i < k && tact_recording_array(recording, index, i, &before); ++i)
            same += before.name == array.name;
        snprintf(name, sizeof name, "%s", array.name);
        if (same > 1) snprintf(name, sizeof name, "%s-%u", array.name, same);
        array.name = name;
        if (!write_array(folder, query->number, &array, problem)) return false;
    }
    tact_recorded_mesh mesh;
    for (size_t k = 0; tact_recording_mesh(recording, index, k, &mesh); ++k) {
        char path[4096];
        const int written = snprintf(path, sizeof path, "%s/query-%" PRIu64 "-mesh-%zu.obj", folder, query->number, k);
        if (written < 0 || (size_t)written >= sizeof path) return tact_problem_set(problem, "%s: too long", folder);
        if (mesh.triangle_count > 0 && !write_mesh(path, &mesh, problem)) return false;
    }
    return true;
}
