// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/inputs/pick_input.h"

#include <math.h>
#include <stdlib.h>

bool tact_pick_input_load(const tact_text_list* files, tact_pick_input* input, tact_problem* problem)
{
    *input = (tact_pick_input){.files = files};
    if (!tact_filter_input_load(files, 0, 0, &input->parts, problem)) return false;
    input->model.meshes = input->parts.meshes;
    input->model.mesh_count = input->parts.shape_count;
    for (size_t i = 0; i < files->count; ++i)
        input->dropped_faces += input->parts.files[i].dropped_faces;
    for (size_t i = 0; i < input->parts.shape_count; ++i)
        if (!tact_model_add_instance(&input->model, (uint32_t)i, NULL, problem)) return false;
    return true;
}

void tact_pick_input_free(tact_pick_input* input)
{
    free(input->model.instances);
    tact_filter_input_free(&input->parts);
    *input = (tact_pick_input){0};
}

size_t tact_pick_input_file(const tact_pick_input* input, uint32_t object)
{
    size_t file = 0, before = 0;
    while (file + 1 < input->files->count && object >= before + input->parts.file_objects[file])
        before += input->parts.file_objects[file++];
    return file;
}

const char* tact_pick_input_name(const tact_pick_input* input, uint32_t object)
{
    const size_t file = tact_pick_input_file(input, object);
    size_t before = 0;
    for (size_t i = 0; i < file; ++i)
        before += input->parts.file_objects[i];
    const tact_model_mesh* mesh = &input->parts.files[file];
    return object - before < mesh->part_count ? mesh->parts[object - before].name : "";
}

/// Cosine and sine of whole degrees. The C library's are not the same everywhere.
static void turn_of(int degrees, double* cosine, double* sine)
{
    static const double pi = 3.14159265358979323846;
    const int whole = (degrees % 360 + 360) % 360;
    // From the nearest quarter turn, at most 45 degrees away.
    const int quarter = (whole + 45) / 90 % 4;
    const int rest = whole - 90 * ((whole + 45) / 90);
    const double x = (double)rest * (pi / 180.0);
    double c = 1.0, s = x, term_c = 1.0, term_s = x;
    for (int i = 1; i < 12; ++i) {
        term_c *= -x * x / (double)((2 * i - 1) * (2 * i));
        term_s *= -x * x / (double)((2 * i) * (2 * i + 1));
        c += term_c;
        s += term_s;
    }
    const double turned[4][2] = {{c, s}, {-s, c}, {-c, -s}, {s, -c}};
    *cosine = turned[quarter][0];
    *sine = turned[quarter][1];
}

/// A row of the matrix that takes points of the world to `scale` times their distance from the eye along an axis.
static void set_row(float* row, const double axis[3], const double eye[3], double scale, double add)
{
    double offset = add;
    for (int i = 0; i < 3; ++i) {
        row[i] = (float)(scale * axis[i]);
        offset -= scale * axis[i] * eye[i];
    }
    row[3] = (float)offset;
}

tact_pick_view tact_pick_camera(const tact_bounds* bounds, uint32_t width, uint32_t height, int turn)
{
    double centre[3], half[3], c = 1.0, s = 0.0;
    for (int i = 0; i < 3; ++i) {
        centre[i] = (bounds->lower[i] + bounds->upper[i]) * 0.5;
        half[i] = (bounds->upper[i] - bounds->lower[i]) * 0.5;
    }
    turn_of(turn, &c, &s);
    // The box's half extents along the camera's axes.
    const double across = fabs(c) * half[0] + fabs(s) * half[2], deep = fabs(s) * half[0] + fabs(c) * half[2];
    const double tangent_y = sqrt(1.0 / 3.0);
    const double tangent_x = tangent_y * (double)width / (double)height;
    const double for_height = half[1] / tangent_y, for_width = across / tangent_x;
    double distance = 1.05 * (for_height > for_width ? for_height : for_width);
    if (distance <= 0.0) distance = deep;
    const double right[3] = {c, 0.0, -s}, up[3] = {0.0, 1.0, 0.0}, ahead[3] = {-s, 0.0, -c};
    double eye[3];
    for (int i = 0; i < 3; ++i)
        eye[i] = centre[i] - ahead[i] * (deep + distance);
    const double near = 0.9 * distance, far = 1.1 * (distance + 2.0 * deep);
    tact_pick_view view = {
        .order = TACT_MATRIX_BY_ROWS, .depth = TACT_CLIP_MINUS_ONE_TO_ONE, .width = width, .height = height};
    set_row(view.world_to_clip, right, eye, 1.0 / tangent_x, 0.0);
    set_row(view.world_to_clip + 4, up, eye, 1.0 / tangent_y, 0.0);
    set_row(view.world_to_clip + 8, ahead, eye, (far + near) / (far - near), -2.0 * far * near / (far - near));
    set_row(view.world_to_clip + 12, ahead, eye, 1.0, 0.0);
    return view;
}
