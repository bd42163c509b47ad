// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Sets of bodies that are made up, or made of records, for the queries on them.

#include <string.h>

#include "core/bodies/bodies.h"
#include "core/query/sample.h"

static void release_bodies(void* set)
{
    tact_bodies_destroy(set);
}

tact_result tact_bodies_make_given(tact_context* context, const tact_given given[3], tact_bodies** out)
{
    *out = NULL;
    tact_bodies* set = NULL;
    tact_result result = tact_bodies_create(context, &set);
    if (result != TACT_OK) return result;
    const float* shapes = given[0].data;
    for (size_t i = 0; i < given[0].count && result == TACT_OK; ++i) {
        tact_body_shape shape;
        uint32_t number;
        tact_given_shape(shapes + i * TACT_GIVEN_SHAPE, &given[1], &shape);
        result = tact_bodies_add_shape(set, &shape, &number);
    }
    if (result == TACT_OK) result = tact_bodies_add(set, given[2].data, given[2].count, NULL);
    if (result == TACT_OK) {
        *out = set;
    } else {
        tact_bodies_destroy(set);
    }
    return result;
}

tact_result tact_bodies_of_request(tact_request* r, tact_bodies** out)
{
    tact_bodies* set = r->objects[0];
    *out = set;
    if (set) return TACT_OK;
    const tact_result result = tact_bodies_make_given(r->context, r->given, &set);
    if (result != TACT_OK) return result;
    r->objects[0] = *out = set;
    tact_request_own(r, set, release_bodies);
    return TACT_OK;
}

tact_result tact_bodies_list(tact_request* r, tact_result result, const void* rows, size_t row_bytes)
{
    void* list = tact_request_list(r, 0, r->count, row_bytes);
    if (!list) return tact_request_fail(r, TACT_ERROR_OUT_OF_MEMORY);
    if (r->count > 0) memcpy(list, rows, r->count * row_bytes);
    return result;
}

const char* tact_bodies_check_request(const tact_request* r)
{
    const float* shapes = r->given[0].data;
    for (size_t i = 0; i < r->given[0].count; ++i) {
        tact_body_shape shape;
        const char* wrong = tact_given_shape(shapes + i * TACT_GIVEN_SHAPE, &r->given[1], &shape);
        if (wrong) return wrong;
    }
    return NULL;
}

enum { HULL_POINTS = 14, FAN = 8, PARTS = 3 };
/// Words of the hull's points, the mesh's, its triangles and the compound's parts.
enum {
    POINT_WORDS = 3 * HULL_POINTS,
    FAN_WORDS = 3 * (FAN + 1),
    SAMPLE_WORDS = POINT_WORDS + FAN_WORDS + 3 * FAN + TACT_GIVEN_PART * PARTS
};

static void sample_shape(float* row, tact_body_kind kind, float radius, float depth)
{
    row[0] = as_float((uint32_t)kind);
    row[1] = radius;
    row[2] = 0.3f;
    row[3] = 0.4f;
    row[4] = depth;
    for (int k = 5; k < TACT_GIVEN_SHAPE; ++k)
        row[k] = 0.0f;
}

static void sample_words(float* row, size_t points, size_t point_count, size_t words, size_t count)
{
    row[5] = as_float((uint32_t)points);
    row[6] = as_float((uint32_t)point_count);
    row[7] = as_float((uint32_t)words);
    row[8] = as_float((uint32_t)count);
}

/// A fan of triangles that goes up and down around its middle.
static void sample_fan(tact_sample* s, float* points, float* triangles)
{
    for (uint32_t i = 0; i <= FAN; ++i) {
        // Around a square, whose middle comes last.
        const float x = i == FAN ? 0.0f : (float)(i < 3 ? i : i < 5 ? 2 : i < 7 ? 6 - i : 0) - 1.0f;
        const float z = i == FAN ? 0.0f : (float)(i < 3 ? 0 : i < 5 ? i - 2 : i < 7 ? 2 : 1) - 1.0f;
        points[3 * i] = 0.5f * x;
        points[3 * i + 1] = 0.3f * (tact_sample_uniform(s) - 0.5f);
        points[3 * i + 2] = 0.5f * z;
    }
    for (uint32_t i = 0; i < FAN; ++i) {
        triangles[3 * i] = as_float(i);
        triangles[3 * i + 1] = as_float(FAN);
        triangles[3 * i + 2] = as_float((i + 1) % FAN);
    }
}

static void sample_shapes(tact_sample* s, float* shapes, float* words)
{
    static const tact_body_kind kinds[TACT_SAMPLE_SHAPES] = {TACT_BODY_SPHERE,   TACT_BODY_CAPSULE, TACT_BODY_BOX,
                                                             TACT_BODY_HULL,     TACT_BODY_BOX,     TACT_BODY_BOX,
                                                             TACT_BODY_CYLINDER, TACT_BODY_MESH,    TACT_BODY_COMPOUND};
    static const uint32_t part_shapes[PARTS] = {0, 2, 3};
    for (uint32_t i = 0; i < POINT_WORDS; ++i)
        words[i] = tact_sample_uniform(s) - 0.5f;
    for (uint32_t i = 0; i < TACT_SAMPLE_SHAPES; ++i) {
        const bool sharp =
            kinds[i] == TACT_BODY_HULL || kinds[i] == TACT_BODY_MESH || (kinds[i] == TACT_BODY_BOX && i < 5);
        sample_shape(shapes + (size_t)i * TACT_GIVEN_SHAPE, kinds[i], sharp ? 0.0f : 0.2f,
                     0.1f + 0.1f * (float)(i % 6));
    }
    const size_t triangles = POINT_WORDS + FAN_WORDS, parts = triangles + 3 * FAN;
    sample_words(shapes + 3 * TACT_GIVEN_SHAPE, 0, HULL_POINTS, POINT_WORDS, 0);
    sample_words(shapes + 7 * TACT_GIVEN_SHAPE, POINT_WORDS, FAN + 1, triangles, FAN);
    sample_words(shapes + 8 * TACT_GIVEN_SHAPE, 0, 0, parts, PARTS);
    sample_fan(s, words + POINT_WORDS, words + triangles);
    for (uint32_t i = 0; i < PARTS; ++i) {
        const float row[TACT_GIVEN_PART] = {
            as_float(part_shapes[i]), 0.5f, 0.4f * ((float)i - 1.0f), 0.1f, 0.0f, 0.1f * (float)i, 0.2f, 0.0f, 0.9f};
        memcpy(words + parts + TACT_GIVEN_PART * i, row, sizeof row);
    }
}

bool tact_bodies_sample_shapes(tact_sample* s)
{
    tact_request* r = &s->request;
    float* shapes = tact_request_array(r, TACT_SAMPLE_SHAPES * TACT_GIVEN_SHAPE, sizeof *shapes);
    float* words = tact_request_array(r, SAMPLE_WORDS, sizeof *words);
    if (!shapes || !words) return false;
    sample_shapes(s, shapes, words);
    r->given[0] = (tact_given){shapes, TACT_SAMPLE_SHAPES};
    r->given[1] = (tact_given){words, SAMPLE_WORDS};
    return true;
}

tact_result tact_bodies_sample_pairs(tact_sample* s, double apart)
{
    tact_request* r = &s->request;
    const size_t pairs = s->size, bodies = 2 * s->size;
    if (!tact_bodies_sample_shapes(s)) return TACT_ERROR_OUT_OF_MEMORY;
    tact_body* all = tact_request_array(r, bodies, sizeof *all);
    tact_pair* list = tact_request_array(r, pairs, sizeof *list);
    if (!all || !list) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < bodies; ++i) {
        tact_body* b = &all[i];
        b->shape = (uint32_t)(tact_sample_uniform(s) * (TACT_SAMPLE_SHAPES - 0.01f));
        b->margin = 0.01f;
        const double about = i % 2 ? apart : 0.0;
        b->pose.x = 1e6 * (double)(i / 2 % 7) + about * ((double)tact_sample_uniform(s) - 0.5);
        b->pose.y = about * ((double)tact_sample_uniform(s) - 0.5);
        b->pose.z = about * ((double)tact_sample_uniform(s) - 0.5);
        b->pose.rotation = (tact_quat){tact_sample_uniform(s) - 0.5f, tact_sample_uniform(s) - 0.5f,
                                       tact_sample_uniform(s) - 0.5f, 0.8f};
        b->pose.scale = i % 3 ? 1.0f : 1.25f;
    }
    for (size_t i = 0; i < pairs; ++i)
        list[i] = (tact_pair){(uint32_t)(2 * i), (uint32_t)(2 * i + 1)};
    r->given[2] = (tact_given){all, bodies};
    r->given[3] = (tact_given){list, pairs};
    return TACT_OK;
}

void tact_bodies_sample_turn(tact_sample* s, tact_quat* q)
{
    q->x = tact_sample_uniform(s) - 0.5f;
    q->y = tact_sample_uniform(s) - 0.5f;
    q->z = tact_sample_uniform(s) - 0.5f;
    q->w = 0.8f;
}

void tact_bodies_sample_pose(tact_sample* s, float half, tact_pose* pose)
{
    const tact_vec3 at = tact_sample_place(s, half);
    pose->x = 1e6 + (double)at.x;
    pose->y = (double)at.y;
    pose->z = (double)at.z;
    tact_bodies_sample_turn(s, &pose->rotation);
}
