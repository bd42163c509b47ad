// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <cJSON.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/body_input.h"
#include "apps/system.h"

/// Where in the file an item is, for messages.
typedef struct place {
    const char* file;
    const char* list;  ///< "shapes"
    size_t number;
    tact_problem* problem;
} place;

static bool fail(const place* at, const char* key, const char* what)
{
    return tact_problem_set(at->problem, "%s: %s[%zu]: \"%s\" %s", at->file, at->list, at->number, key, what);
}

static bool is_float(const cJSON* item)
{
    return cJSON_IsNumber(item) && fabs(item->valuedouble) <= (double)FLT_MAX;
}

/// Takes a number where there is one under this key; what is not there stays as it is.
static bool take_number(const place* at, const cJSON* from, const char* key, float* to)
{
    const cJSON* item = cJSON_GetObjectItemCaseSensitive(from, key);
    if (!item) return true;
    if (!is_float(item)) return fail(at, key, "is no number that a float holds");
    *to = (float)item->valuedouble;
    return true;
}

static bool take_whole(const place* at, const cJSON* from, const char* key, uint32_t* to)
{
    const cJSON* item = cJSON_GetObjectItemCaseSensitive(from, key);
    if (!item) return true;
    const double value = cJSON_IsNumber(item) ? item->valuedouble : -1.0;
    if (!(value >= 0.0 && value <= (double)UINT32_MAX && floor(value) == value))
        return fail(at, key, "is no whole number from 0 to 4294967295");
    *to = (uint32_t)value;
    return true;
}

/// A list of so many numbers.
static bool read_list(const cJSON* item, int count, double* to)
{
    if (!cJSON_IsArray(item)) return false;
    const cJSON* number = item->child;
    for (int i = 0; i < count; ++i, number = number->next) {
        if (!number || !is_float(number)) return false;
        to[i] = number->valuedouble;
    }
    return number == NULL;
}

static bool take_list(const place* at, const cJSON* from, const char* key, int count, double* to)
{
    const cJSON* item = cJSON_GetObjectItemCaseSensitive(from, key);
    char what[48];
    snprintf(what, sizeof what, "is no list of %d numbers", count);
    return !item || read_list(item, count, to) || fail(at, key, what);
}

static bool take_quat(const place* at, const cJSON* from, const char* key, tact_quat* to)
{
    double q[4] = {(double)to->x, (double)to->y, (double)to->z, (double)to->w};
    if (!take_list(at, from, key, 4, q)) return false;
    *to = (tact_quat){(float)q[0], (float)q[1], (float)q[2], (float)q[3]};
    const double length = sqrt((double)to->x * (double)to->x + (double)to->y * (double)to->y +
                               (double)to->z * (double)to->z + (double)to->w * (double)to->w);
    return (length >= 0.5 && length <= 2.0) || fail(at, key, "is a quaternion whose length is not from 0.5 to 2");
}

/// Refuses keys that are not in a list ended by NULL, and those that come twice: a value under another name would leave
/// the one that was meant as it is.
static bool check_keys(const place* at, const cJSON* item, const char* const* known)
{
    if (!cJSON_IsObject(item))
        return tact_problem_set(at->problem, "%s: %s[%zu] is no object", at->file, at->list, at->number);
    unsigned seen = 0;
    const cJSON* entry;
    cJSON_ArrayForEach(entry, item)
    {
        const char* key = entry->string ? entry->string : "";
        int k = 0;
        while (known[k] && strcmp(known[k], key) != 0)
            ++k;
        if (!known[k]) return fail(at, key, "is nothing that it has");
        if (seen >> k & 1u) return fail(at, key, "comes twice");
        seen |= 1u << k;
    }
    return true;
}

// ---- Shapes ----

static bool need(const place* at, const cJSON* item, const char* key)
{
    return cJSON_GetObjectItemCaseSensitive(item, key) || fail(at, key, "is missing");
}

static bool take_length(const place* at, const cJSON* item, tact_body_shape* shape)
{
    return need(at, item, "half") && take_number(at, item, "half", &shape->half.y);
}

static bool take_sides(const place* at, const cJSON* item, tact_body_shape* shape)
{
    double half[3] = {0.0, 0.0, 0.0};
    if (!need(at, item, "half") || !take_list(at, item, "half", 3, half)) return false;
    shape->half = (tact_vec3){(float)half[0], (float)half[1], (float)half[2]};
    return true;
}

/// The points are from malloc; the caller frees them.
static bool take_points(const place* at, const cJSON* item, tact_body_shape* shape)
{
    if (!need(at, item, "points")) return false;
    const cJSON* list = cJSON_GetObjectItemCaseSensitive(item, "points");
    const size_t count = cJSON_IsArray(list) ? (size_t)cJSON_GetArraySize(list) : 0;
    if (count == 0) return fail(at, "points", "is no list of points");
    tact_vec3* points = malloc(count * sizeof *points);
    if (!points) return tact_problem_out_of_memory(at->problem, "the points of a hull");
    shape->points = points;
    const cJSON* point;
    cJSON_ArrayForEach(point, list)
    {
        double p[3];
        if (!read_list(point, 3, p)) {
            char what[64];
            snprintf(what, sizeof what, "has number %zu, which is no list of 3 numbers", shape->point_count);
            return fail(at, "points", what);
        }
        points[shape->point_count++] = (tact_vec3){(float)p[0], (float)p[1], (float)p[2]};
    }
    return true;
}

static bool take_radius(const place* at, const cJSON* item, tact_body_shape* shape)
{
    (void)shape;
    return need(at, item, "radius");
}

static const struct {
    const char* name;
    tact_body_kind kind;
    const char* keys[4];
    bool (*take)(const place* at, const cJSON* item, tact_body_shape* shape);
} kinds[] = {
    {"sphere", TACT_BODY_SPHERE, {"kind", "radius"}, take_radius},
    {"capsule", TACT_BODY_CAPSULE, {"kind", "radius", "half"}, take_length},
    {"box", TACT_BODY_BOX, {"kind", "radius", "half"}, take_sides},
    {"hull", TACT_BODY_HULL, {"kind", "radius", "points"}, take_points},
    {"half-space", TACT_BODY_HALF_SPACE, {"kind"}, NULL},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static bool take_shape(const place* at, const cJSON* item, tact_body_input* input)
{
    const char* name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "kind"));
    size_t k = 0;
    while (k < KINDS && !(name && strcmp(kinds[k].name, name) == 0))
        ++k;
    if (k == KINDS) return fail(at, "kind", "is none of sphere, capsule, box, hull, half-space");
    tact_body_shape shape = {.kind = kinds[k].kind};
    bool good = check_keys(at, item, kinds[k].keys) && take_number(at, item, "radius", &shape.radius) &&
                (!kinds[k].take || kinds[k].take(at, item, &shape)) &&
                tact_body_input_add_shape(input, &shape, at->problem);
    void* points;
    memcpy(&points, &shape.points, sizeof points);
    free(points);
    return good;
}

// ---- Bodies ----

static bool take_body(const place* at, const cJSON* item, tact_body* body, tact_body_motion* motion)
{
    static const char* const keys[] = {"shape",    "position", "rotation", "scale", "margin",
                                       "category", "mask",     "velocity", "turn",  NULL};
    double position[3] = {0.0, 0.0, 0.0};
    body->pose.rotation.w = 1.0f;
    body->pose.scale = 1.0f;
    body->categories = TACT_CATEGORIES_ALL;
    const bool good =
        check_keys(at, item, keys) && need(at, item, "shape") && take_whole(at, item, "shape", &body->shape) &&
        take_list(at, item, "position", 3, position) && take_quat(at, item, "rotation", &body->pose.rotation) &&
        take_number(at, item, "scale", &body->pose.scale) && take_number(at, item, "margin", &body->margin) &&
        take_whole(at, item, "category", &body->categories.category) &&
        take_whole(at, item, "mask", &body->categories.mask) && take_list(at, item, "velocity", 3, motion->velocity) &&
        take_quat(at, item, "turn", &motion->turn);
    body->pose.x = position[0];
    body->pose.y = position[1];
    body->pose.z = position[2];
    return good;
}

// ---- The file ----

static const cJSON* list_of(const cJSON* root, const char* name, const char* key, tact_problem* problem)
{
    const cJSON* list = cJSON_GetObjectItemCaseSensitive(root, key);
    if (cJSON_IsArray(list)) return list;
    tact_problem_set(problem, "%s: no list \"%s\"", name, key);
    return NULL;
}

static bool take(const cJSON* root, const char* name, tact_body_input* input, tact_problem* problem)
{
    const cJSON* shapes = list_of(root, name, "shapes", problem);
    const cJSON* bodies = shapes ? list_of(root, name, "bodies", problem) : NULL;
    const cJSON* item;
    if (!bodies) return false;
    place at = {name, "shapes", 0, problem};
    cJSON_ArrayForEach(item, shapes)
    {
        if (!take_shape(&at, item, input)) return false;
        ++at.number;
    }
    at = (place){name, "bodies", 0, problem};
    if (!tact_body_input_reserve(input, (size_t)cJSON_GetArraySize(bodies), problem)) return false;
    cJSON_ArrayForEach(item, bodies)
    {
        if (!take_body(&at, item, &input->bodies[at.number], &input->motions[at.number])) return false;
        if (input->bodies[at.number].shape >= input->shape_count) return fail(&at, "shape", "is none of the shapes");
        ++at.number;
    }
    return true;
}

static bool check_end(const char* text, const char* end, size_t size, const char* name, tact_problem* problem)
{
    size_t at = (size_t)(end - text);
    while (at < size && strchr(" \t\r\n", text[at]) && text[at])
        ++at;
    return at == size || tact_problem_set(problem, "%s: byte %zu: more than one JSON value", name, at);
}

bool tact_body_input_parse(const void* bytes, size_t size, const char* name, tact_body_input* input,
                           tact_problem* problem)
{
    const char *text = bytes, *end = text;
    *input = (tact_body_input){0};
    if (size == 0) return tact_problem_set(problem, "%s: byte 0: the file is empty", name);
    cJSON* root = cJSON_ParseWithLengthOpts(text, size, &end, false);
    const bool good = root ? check_end(text, end, size, name, problem) && take(root, name, input, problem)
                           : tact_problem_set(problem, "%s: byte %zu: no JSON", name, (size_t)(end - text));
    cJSON_Delete(root);
    if (!good) tact_body_input_free(input);
    return good;
}

bool tact_body_input_read(const char* path, tact_body_input* input, tact_problem* problem)
{
    void* bytes = NULL;
    size_t size = 0;
    if (!tact_file_read(path, &bytes, &size, problem)) return false;
    const bool good = tact_body_input_parse(bytes, size, path, input, problem);
    free(bytes);
    return good;
}
