// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What all sketches of recorded queries begin and end with.

#include <stdlib.h>
#include <string.h>

#include "apps/replay/replay.h"

enum { LIMIT = 1 << 21 };

bool tact_sketch_array(const tact_sketch* s, const char* name, tact_recorded_array* array)
{
    for (size_t k = 0; tact_recording_array(s->recording, s->index, k, array); ++k)
        if (strcmp(array->name, name) == 0) return true;
    *array = (tact_recorded_array){0};
    return false;
}

/// The list's drawing, all kinds in one colour.
static tact_debug_draw coloured(const tact_sketch* s, tact_debug_color color, tact_debug_color colors[TACT_DEBUG_KINDS])
{
    for (int i = 0; i < TACT_DEBUG_KINDS; ++i)
        colors[i] = color;
    tact_debug_draw d = tact_debug_list_draw(s->list);
    d.colors = colors;
    d.limit = LIMIT;
    return d;
}

static bool take_view(tact_sketch* s)
{
    tact_recorded_array a;
    if (!tact_sketch_array(s, "view", &a)) return true;
    if (a.rows != 1) return false;
    const uint32_t* w = a.data;
    memcpy(s->own.world_to_clip, w, sizeof s->own.world_to_clip);
    s->own.order = (tact_matrix_order)w[16];
    s->own.depth = (tact_clip_depth)w[17];
    s->own.reversed = w[18] != 0;
    s->own.width = w[19];
    s->own.height = w[20];
    s->own.left = (int32_t)w[21];
    s->own.top = (int32_t)w[22];
    s->view = &s->own;
    return true;
}

tact_result tact_sketch_begin(tact_sketch* s)
{
    if (!take_view(s)) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_result result = tact_debug_list_create(s->context, &s->list);
    if (result != TACT_OK) return result;
    s->draw = tact_debug_list_draw(s->list);
    s->draw.limit = LIMIT;
    s->found = coloured(s, (tact_debug_color){235, 105, 30, 255}, s->colors[0]);
    s->faint = coloured(s, (tact_debug_color){150, 160, 175, 110}, s->colors[1]);
    return TACT_OK;
}

void tact_sketch_end(tact_sketch* s)
{
    tact_debug_list_destroy(s->list);
    tact_scene_destroy(s->scene);
    free(s->answer);
    free(s->spheres);
    free(s->boxes);
}

/// Appends rows to an array from malloc().
static bool append(void** all, size_t* count, const void* rows, size_t more, size_t size)
{
    char* larger = realloc(*all, (*count + more + 1) * size);
    if (!larger) return false;
    if (more) memcpy(larger + *count * size, rows, more * size);
    *all = larger;
    *count += more;
    return true;
}

tact_result tact_sketch_add_spheres(tact_sketch* s, const tact_sphere* spheres, size_t count)
{
    uint32_t mesh = 0, id = 0;
    void* all = s->spheres;
    if (!append(&all, &s->sphere_count, spheres, count, sizeof *spheres)) return TACT_ERROR_OUT_OF_MEMORY;
    s->spheres = all;
    const tact_result result = tact_scene_add_spheres(s->scene, spheres, count, &mesh);
    return result == TACT_OK ? tact_scene_add_instance(s->scene, mesh, NULL, &id) : result;
}

tact_result tact_sketch_add_boxes(tact_sketch* s, const tact_aabb* boxes, size_t count)
{
    uint32_t mesh = 0, id = 0;
    void* all = s->boxes;
    if (!append(&all, &s->box_count, boxes, count, sizeof *boxes)) return TACT_ERROR_OUT_OF_MEMORY;
    s->boxes = all;
    const tact_result result = tact_scene_add_boxes(s->scene, boxes, count, &mesh);
    return result == TACT_OK ? tact_scene_add_instance(s->scene, mesh, NULL, &id) : result;
}
