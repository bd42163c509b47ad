// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Shapes of a set of bodies: what is checked, and what is kept for records.

#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "core/bodies/bodies.h"
#include "tact/geometry/numbers.h"

enum { MOST_PARTS = 1 << 26 };

_Static_assert(sizeof(tact_body_part) == 4 * TACT_GIVEN_PART, "parts are recorded as words");

bool tact_is_length(float x)
{
    return x >= 0.0f && x <= (float)TACT_MOST_PLACE;
}

bool tact_take_rotation(tact_quat* q, double* length)
{
    if (q->x == 0.0f && q->y == 0.0f && q->z == 0.0f && q->w == 0.0f) q->w = 1.0f;
    *length = sqrt((double)q->x * (double)q->x + (double)q->y * (double)q->y + (double)q->z * (double)q->z +
                   (double)q->w * (double)q->w);
    if (!(*length >= 0.5 && *length <= 2.0)) return false;
    // One that has unit length as far as floats can stays as it is, so that a pose that is read and given again does
    // too.
    if (tact_near_absolute(*length, 1.0, 1.5e-7)) return true;
    q->x = (float)((double)q->x / *length);
    q->y = (float)((double)q->y / *length);
    q->z = (float)((double)q->z / *length);
    q->w = (float)((double)q->w / *length);
    return true;
}

bool tact_take_scale(float* scale)
{
    if (*scale == 0.0f) *scale = 1.0f;
    return *scale >= 0x1p-40f && *scale <= 0x1p40f;
}

static bool is_place(tact_vec3 p)
{
    return tact_is_length(fabsf(p.x)) && tact_is_length(fabsf(p.y)) && tact_is_length(fabsf(p.z));
}

static tact_result refuse(tact_env* env, const char* what, size_t number)
{
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, what, number);
}

static tact_result check_points(tact_env* env, const tact_body_shape* s)
{
    if (!s->points || s->point_count == 0) return refuse(env, "a hull or mesh without points", 0);
    for (size_t i = 0; i < s->point_count; ++i)
        if (!is_place(s->points[i])) return refuse(env, "point %zu is not within 2^40", i);
    return TACT_OK;
}

static tact_result check_count(tact_env* env, size_t count)
{
    if (count <= MOST_PARTS) return TACT_OK;
    return tact_fail(env, TACT_ERROR_LIMIT, "%zu triangles or parts: at most 2^26", count);
}

static tact_result check_mesh(tact_env* env, const tact_body_shape* s)
{
    tact_result result = check_points(env, s);
    if (result != TACT_OK) return result;
    if (!s->triangles || s->triangle_count == 0) return refuse(env, "a mesh without triangles", 0);
    result = check_count(env, s->triangle_count);
    for (size_t i = 0; result == TACT_OK && i < 3 * s->triangle_count; ++i)
        if (s->triangles[i] >= s->point_count) return refuse(env, "corner %zu is a point that is not there", i);
    return result;
}

static tact_result check_heights(tact_env* env, const tact_body_shape* s)
{
    if (!s->heights || s->columns < 2 || s->rows < 2) return refuse(env, "fewer than 2 columns or rows of heights", 0);
    const tact_result result = check_count(env, 2 * (size_t)(s->columns - 1) > MOST_PARTS / (size_t)(s->rows - 1)
                                                    ? (size_t)MOST_PARTS + 1
                                                    : 2 * (size_t)(s->columns - 1) * (size_t)(s->rows - 1));
    if (result != TACT_OK) return result;
    const size_t count = (size_t)s->columns * s->rows;
    for (size_t i = 0; i < count; ++i)
        if (!tact_is_length(fabsf(s->heights[i]))) return refuse(env, "height %zu is not within 2^40", i);
    const float width = s->half.x * (float)(s->columns - 1), length = s->half.z * (float)(s->rows - 1);
    if (!tact_is_length(width) || !tact_is_length(length)) return refuse(env, "heights beyond 2^40", 0);
    return TACT_OK;
}

/// Checks a part and brings it to the form in which it is kept.
static tact_result take_part(const tact_bodies* set, tact_body_part* part, size_t number)
{
    tact_env* env = &set->context->env;
    double length;
    if (part->shape >= set->shape_count) return refuse(env, "part %zu: no such shape", number);
    const uint32_t kind = set->tables.shapes[TACT_SHAPE_ROWS * (size_t)part->shape].x;
    if (kind > TACT_KIND_HULL) return refuse(env, "part %zu: a shape with parts, or a half-space", number);
    if (!is_place(part->position)) return refuse(env, "part %zu: a position not within 2^40", number);
    if (!tact_take_rotation(&part->rotation, &length))
        return refuse(env, "part %zu: a rotation of another length", number);
    if (!tact_take_scale(&part->scale)) return refuse(env, "part %zu: a scale that is none", number);
    return TACT_OK;
}

static tact_result check_shape(tact_bodies* set, const tact_body_shape* shape)
{
    tact_env* env = &set->context->env;
    if ((unsigned)shape->kind >= TACT_BODY_KIND_COUNT)
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "no kind of shape %d", (int)shape->kind);
    if (!tact_is_length(shape->radius) || !tact_is_length(shape->half.x) || !tact_is_length(shape->half.y) ||
        !tact_is_length(shape->half.z)) {
        return refuse(env, "a radius or half length is not from 0 to 2^40", 0);
    }
    switch (shape->kind) {
        case TACT_BODY_HULL:
            return check_points(env, shape);
        case TACT_BODY_MESH:
            return check_mesh(env, shape);
        case TACT_BODY_HEIGHT_FIELD:
            return check_heights(env, shape);
        case TACT_BODY_COMPOUND:
            if (!shape->parts || shape->part_count == 0) return refuse(env, "a compound without parts", 0);
            return check_count(env, shape->part_count);
        default:
            return TACT_OK;
    }
}

/// The words that are kept of a shape.
typedef struct shape_words {
    const void* data;
    uint64_t count;          // in words
    uint32_t first, second;  // of the row: triangles, columns or parts; rows
} shape_words;

static shape_words words_of(const tact_body_shape* s)
{
    switch (s->kind) {
        case TACT_BODY_MESH:
            return (shape_words){s->triangles, 3 * (uint64_t)s->triangle_count, (uint32_t)s->triangle_count, 0};
        case TACT_BODY_HEIGHT_FIELD:
            return (shape_words){s->heights, (uint64_t)s->columns * s->rows, s->columns, s->rows};
        case TACT_BODY_COMPOUND:
            return (shape_words){s->parts, (uint64_t)TACT_GIVEN_PART * s->part_count, (uint32_t)s->part_count, 0};
        default:
            return (shape_words){NULL, 0, 0, 0};
    }
}

static size_t points_of(const tact_body_shape* s)
{
    return s->kind == TACT_BODY_HULL || s->kind == TACT_BODY_MESH ? s->point_count : 0;
}

/// Keeps a shape as it was given, for records.
static bool keep_shape(tact_bodies* set, const tact_body_shape* shape)
{
    tact_env* env = &set->context->env;
    void *shapes = set->shapes, *words = set->words;
    const size_t points = points_of(shape), begin = set->word_count, middle = begin + 3 * points;
    const shape_words own = words_of(shape);
    // Rows count words by 32 bits.
    const uint64_t end = begin + 3 * (uint64_t)points + own.count;
    if (end > UINT32_MAX) return false;
    bool good = tact_reserve(env, &shapes, &set->shape_capacity, set->shape_count * TACT_GIVEN_SHAPE,
                             (set->shape_count + 1) * TACT_GIVEN_SHAPE, sizeof *set->shapes);
    set->shapes = shapes;
    good = good && tact_reserve(env, &words, &set->word_capacity, begin, (size_t)end, sizeof *set->words);
    set->words = words;
    if (!good) return false;
    float* row = set->shapes + set->shape_count * TACT_GIVEN_SHAPE;
    row[0] = as_float((uint32_t)shape->kind);
    row[1] = shape->radius;
    row[2] = shape->half.x;
    row[3] = shape->half.y;
    row[4] = shape->half.z;
    row[5] = as_float((uint32_t)begin);
    row[6] = as_float((uint32_t)points);
    row[7] = as_float((uint32_t)middle);
    row[8] = as_float(own.first);
    row[9] = as_float(own.second);
    row[10] = as_float(shape->one_sided);
    if (points > 0) memcpy(set->words + begin, shape->points, points * sizeof *shape->points);
    if (own.count > 0) memcpy(set->words + middle, own.data, (size_t)own.count * sizeof *set->words);
    return true;
}

const char* tact_given_shape(const float* row, const tact_given* words, tact_body_shape* shape)
{
    const uint64_t first = as_uint(row[5]), first_word = as_uint(row[7]);
    const uint32_t count = as_uint(row[8]);
    *shape = (tact_body_shape){.kind = (tact_body_kind)as_uint(row[0]),
                               .radius = row[1],
                               .half = {row[2], row[3], row[4]},
                               .point_count = as_uint(row[6]),
                               .one_sided = as_uint(row[10]) != 0};
    if (first + 3 * (uint64_t)shape->point_count > words->count) return "a shape of points that are not there";
    const void* points = words->data ? (const uint32_t*)words->data + first : NULL;
    if (shape->point_count > 0) shape->points = points;
    const void* own = words->data ? (const uint32_t*)words->data + first_word : NULL;
    if (shape->kind == TACT_BODY_MESH) {
        shape->triangles = own;
        shape->triangle_count = count;
    } else if (shape->kind == TACT_BODY_HEIGHT_FIELD) {
        shape->heights = own;
        shape->columns = count;
        shape->rows = as_uint(row[9]);
    } else if (shape->kind == TACT_BODY_COMPOUND) {
        shape->parts = own;
        shape->part_count = count;
    }
    if (first_word + words_of(shape).count > words->count)
        return "a shape of triangles, heights or parts that are not there";
    return NULL;
}

static tact_result add_shape(tact_bodies* set, const tact_body_shape* given, tact_body_part* parts)
{
    tact_body_shape shape = *given;
    if (parts) {
        memcpy(parts, shape.parts, shape.part_count * sizeof *parts);
        shape.parts = parts;
    }
    for (size_t i = 0; parts && i < shape.part_count; ++i) {
        const tact_result result = take_part(set, &parts[i], i);
        if (result != TACT_OK) return result;
    }
    if (!keep_shape(set, &shape)) return TACT_ERROR_OUT_OF_MEMORY;
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    const tact_result result = tact_shape_tables_add(&set->context->env, &set->tables, &shape);
    tact_float_env_leave(&float_env);
    if (result != TACT_OK) return result;
    ++set->shape_count;
    set->word_count += 3 * points_of(&shape) + (size_t)words_of(&shape).count;
    return TACT_OK;
}

tact_result tact_bodies_add_shape(tact_bodies* set, const tact_body_shape* shape, uint32_t* number)
{
    if (!tact_enter(set ? set->context : NULL, "set")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &set->context->env;
    if (!shape) return tact_null(env, "shape");
    if (!number) return tact_null(env, "number");
    tact_guard_check(&set->guard);
    tact_result result = check_shape(set, shape);
    if (result != TACT_OK) return result;
    tact_body_part* parts = NULL;
    if (shape->kind == TACT_BODY_COMPOUND) {
        parts = tact_allocate(env, shape->part_count, sizeof *parts);
        if (!parts) return TACT_ERROR_OUT_OF_MEMORY;
    }
    result = add_shape(set, shape, parts);
    tact_release(env, parts);
    if (result == TACT_OK) *number = (uint32_t)set->shape_count - 1;
    return result;
}
