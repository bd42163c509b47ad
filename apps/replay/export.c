// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/replay/replay.h"

#include <inttypes.h>
#include <stdio.h>

#include "apps/inputs/npy.h"
#include "apps/system.h"
#include "apps/text.h"

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
        if (mesh.triangle_count > 0 &&
            !tact_obj_write(path, mesh.positions, mesh.vertex_count, mesh.indices, mesh.triangle_count, problem)) {
            return false;
        }
    }
    return true;
}
