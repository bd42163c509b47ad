// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/commands/mesh_parts.h"

#include <stdio.h>

#include "apps/system.h"
#include "apps/text.h"

enum { PATH_SIZE = 4096 };

/// The file of a part; the first is number 1.
static void name_part(const char* folder, size_t number, char path[PATH_SIZE])
{
    snprintf(path, PATH_SIZE, "%s/part-%04zu.obj", folder, number);
}

/// A body whose shape is a compound of all parts.
static bool write_bodies(const tact_decomposition* d, const char* folder, tact_problem* problem)
{
    char path[PATH_SIZE];
    cJSON* root = cJSON_CreateObject();
    cJSON* shapes = tact_json_array(root, "shapes");
    for (size_t i = 0; i < d->count; ++i) {
        cJSON* hull = tact_json_append(shapes);
        tact_json_text(hull, "kind", "hull");
        cJSON* points = tact_json_array(hull, "points");
        for (size_t k = 0; k < d->parts[i].vertex_count; ++k)
            cJSON_AddItemToArray(points, cJSON_CreateFloatArray(&d->parts[i].positions[k].x, 3));
    }
    cJSON* compound = tact_json_append(shapes);
    tact_json_text(compound, "kind", "compound");
    cJSON* parts = tact_json_array(compound, "parts");
    for (size_t i = 0; i < d->count; ++i)
        tact_json_count(tact_json_append(parts), "shape", i);
    tact_json_count(tact_json_append(tact_json_array(root, "bodies")), "shape", d->count);
    snprintf(path, sizeof path, "%s/bodies.json", folder);
    const bool good = tact_json_write(path, root, problem);
    cJSON_Delete(root);
    return good;
}

bool tact_mesh_parts_write(const tact_decomposition* d, const char* folder, tact_problem* problem)
{
    char path[PATH_SIZE];
    tact_problem ignored = {0};
    if (!tact_system_make_directory(folder, problem)) return false;
    // A part more, of another run, would be taken for one of these.
    name_part(folder, d->count + 1, path);
    if (tact_file_check(path, &ignored)) {
        return tact_problem_set(problem, "%s is there, of other parts: remove these first", path);
    }
    for (size_t i = 0; i < d->count; ++i) {
        const tact_mesh_copy* part = &d->parts[i];
        name_part(folder, i + 1, path);
        if (!tact_obj_write(path, &part->positions->x, part->vertex_count, part->indices, part->triangle_count,
                            problem)) {
            return false;
        }
    }
    return write_bodies(d, folder, problem);
}

void tact_mesh_parts_to_json(const tact_decomposition* d, const char* folder, cJSON* to)
{
    tact_json_text(to, "folder", folder);
    tact_json_number(to, "volume", d->volume);
    tact_json_number(to, "hull_volume", d->hull_volume);
    tact_json_count(to, "cuts", d->cuts);
    cJSON* parts = tact_json_array(to, "parts");
    for (size_t i = 0; i < d->count; ++i) {
        char path[PATH_SIZE];
        name_part(folder, i + 1, path);
        cJSON* part = tact_json_append(parts);
        tact_json_text(part, "file", path);
        tact_json_count(part, "vertices", d->parts[i].vertex_count);
        tact_json_count(part, "triangles", d->parts[i].triangle_count);
    }
}
