// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/pictures/pictures.h"

#include <stdlib.h>

/// Rays along each side of a pixel.
enum { SAMPLES = 3 };

bool tact_picture_of_filter(const char* path, const tact_filter_input* input, const tact_filter_pair* pairs,
                            size_t count, uint32_t side, tact_problem* problem)
{
    bool* marked = calloc(input->object_count + 1, sizeof *marked);
    // The meshes stay the input's.
    tact_model model = {.meshes = input->meshes, .mesh_count = input->shape_count};
    bool good = marked || tact_problem_out_of_memory(problem, path);
    for (size_t i = 0; good && i < input->object_count; ++i)
        good = tact_model_add_instance(&model, input->objects[i].shape, input->objects[i].pose, problem);
    for (size_t i = 0; good && i < count; ++i)
        marked[pairs[i].object_a] = marked[pairs[i].object_b] = true;
    const tact_scene_picture picture = {
        .model = &model, .marked = marked, .width = side, .height = side, .samples = SAMPLES};
    good = good && tact_picture_of_scene(path, &picture, problem);
    free(model.instances);
    free(marked);
    return good;
}
