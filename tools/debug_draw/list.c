// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The ready collector.

#include <string.h>

#include "core/context/context.h"
#include "tact/debug_draw.h"

typedef struct vertex_array {
    tact_debug_vertex* items;
    size_t count, capacity;
} vertex_array;

struct tact_debug_list {
    tact_context* context;
    vertex_array points, lines, triangles;
};

tact_result tact_debug_list_create(tact_context* context, tact_debug_list** out)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!out) return tact_null(&context->env, "list");
    *out = NULL;
    tact_debug_list* list = tact_allocate_zeroed(&context->env, 1, sizeof *list);
    if (!list) return TACT_ERROR_OUT_OF_MEMORY;
    list->context = context;
    ++context->objects;
    *out = list;
    return TACT_OK;
}

void tact_debug_list_destroy(tact_debug_list* list)
{
    if (!list) return;
    tact_env* env = &list->context->env;
    tact_release(env, list->points.items);
    tact_release(env, list->lines.items);
    tact_release(env, list->triangles.items);
    --list->context->objects;
    tact_release(env, list);
}

static tact_result append(tact_debug_list* list, vertex_array* array, const tact_debug_vertex* vertices, size_t count)
{
    size_t needed;
    if (!tact_add_sizes(array->count, count, &needed) ||
        !tact_reserve(&list->context->env, (void**)&array->items, &array->capacity, array->count, needed,
                      sizeof *array->items)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    TACT_ASSERT(array->capacity >= needed);
    memcpy(array->items + array->count, vertices, count * sizeof *vertices);
    array->count = needed;
    return TACT_OK;
}

static tact_result take_points(const tact_debug_vertex* vertices, size_t count, void* user)
{
    tact_debug_list* list = user;
    return append(list, &list->points, vertices, count);
}

static tact_result take_lines(const tact_debug_vertex* vertices, size_t count, void* user)
{
    tact_debug_list* list = user;
    return append(list, &list->lines, vertices, count);
}

static tact_result take_triangles(const tact_debug_vertex* vertices, size_t count, void* user)
{
    tact_debug_list* list = user;
    return append(list, &list->triangles, vertices, count);
}

tact_debug_draw tact_debug_list_draw(tact_debug_list* list)
{
    tact_debug_draw draw = {.user = list};
    if (!list) return draw;
    draw.points = take_points;
    draw.lines = take_lines;
    draw.triangles = take_triangles;
    return draw;
}

void tact_debug_list_clear(tact_debug_list* list)
{
    if (list) list->points.count = list->lines.count = list->triangles.count = 0;
}

static const tact_debug_vertex* give(const vertex_array* array, size_t* count)
{
    if (count) *count = array ? array->count : 0;
    return array && array->count ? array->items : NULL;
}

const tact_debug_vertex* tact_debug_list_points(const tact_debug_list* list, size_t* count)
{
    return give(list ? &list->points : NULL, count);
}

const tact_debug_vertex* tact_debug_list_lines(const tact_debug_list* list, size_t* count)
{
    return give(list ? &list->lines : NULL, count);
}

const tact_debug_vertex* tact_debug_list_triangles(const tact_debug_list* list, size_t* count)
{
    return give(list ? &list->triangles : NULL, count);
}
