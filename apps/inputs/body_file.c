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

/// Reads lists of so many numbers each, as many as there are; at least one. `*to` is from malloc, for the caller to
/// free.
static bool take_lists(const place* at, const cJSON* item, const char* key, int width, double** to, size_t* count)
{
    if (!need(at, item, key)) return false;
    const cJSON* list = cJSON_GetObjectItemCaseSensitive(item, key);
    const size_t lists = cJSON_IsArray(list) ? (size_t)cJSON_GetArraySize(list) : 0;
    if (lists == 0 || width == 0) return fail(at, key, "is no list of lists of numbers");
    *to = malloc(lists * (size_t)width * sizeof **to);
    if (!*to) return tact_problem_out_of_memory(at->problem, "a shape");
    const cJSON* row;
    cJSON_ArrayForEach(row, list)
    {
        if (!read_list(row, width, *to + *count * (size_t)width)) {
            char what[80];
            snprintf(what, sizeof what, "has number %zu, which is no list of %d numbers", *count, width);
            return fail(at, key, what);
        }
        ++*count;
    }
    return true;
}

/// Arrays of a shape from malloc.
typedef struct shape_arrays {
    double* numbers;
    tact_vec3* points;
    uint32_t* triangles;
    float* heights;
    tact_body_part* parts;
} shape_arrays;

static void free_arrays(shape_arrays* a)
{
    free(a->numbers);
    free(a->points);
    free(a->triangles);
    free(a->heights);
    free(a->parts);
}

static bool take_points(const place* at, const cJSON* item, tact_body_shape* shape, shape_arrays* own)
{
    size_t count = 0;
    if (!take_lists(at, item, "points", 3, &own->numbers, &count)) return false;
    own->points = malloc(count * sizeof *own->points);
    if (!own->points) return tact_problem_out_of_memory(at->problem, "a shape");
    for (size_t i = 0; i < count; ++i) {
        const double* p = own->numbers + 3 * i;
        own->points[i] = (tact_vec3){(float)p[0], (float)p[1], (float)p[2]};
    }
    free(own->numbers);
    own->numbers = NULL;
    shape->points = own->points;
    shape->point_count = count;
    return true;
}

static bool take_side(const place* at, const cJSON* item, tact_body_shape* shape)
{
    const cJSON* side = cJSON_GetObjectItemCaseSensitive(item, "one-sided");
    if (side && !cJSON_IsBool(side)) return fail(at, "one-sided", "is neither true nor false");
    shape->one_sided = cJSON_IsTrue(side);
    return true;
}

static bool take_mesh(const place* at, const cJSON* item, tact_body_shape* shape, shape_arrays* own)
{
    size_t count = 0;
    if (!take_points(at, item, shape, own) || !take_side(at, item, shape) ||
        !take_lists(at, item, "triangles", 3, &own->numbers, &count))
        return false;
    own->triangles = malloc(3 * count * sizeof *own->triangles);
    if (!own->triangles) return tact_problem_out_of_memory(at->problem, "a shape");
    for (size_t i = 0; i < 3 * count; ++i) {
        const double corner = own->numbers[i];
        if (!(corner >= 0.0 && corner < (double)shape->point_count && floor(corner) == corner))
            return fail(at, "triangles", "has a corner that is none of the points");
        own->triangles[i] = (uint32_t)corner;
    }
    shape->triangles = own->triangles;
    shape->triangle_count = count;
    return true;
}

static bool take_heights(const place* at, const cJSON* item, tact_body_shape* shape, shape_arrays* own)
{
    double spacing[2] = {0.0, 0.0};
    size_t rows = 0;
    const cJSON* list = cJSON_GetObjectItemCaseSensitive(item, "heights");
    const int columns = list && list->child ? cJSON_GetArraySize(list->child) : 0;
    if (!take_lists(at, item, "heights", columns, &own->numbers, &rows) || !need(at, item, "spacing") ||
        !take_list(at, item, "spacing", 2, spacing) || !take_side(at, item, shape))
        return false;
    own->heights = malloc(rows * (size_t)columns * sizeof *own->heights);
    if (!own->heights) return tact_problem_out_of_memory(at->problem, "a shape");
    for (size_t i = 0; i < rows * (size_t)columns; ++i)
        own->heights[i] = (float)own->numbers[i];
    shape->heights = own->heights;
    shape->columns = (uint32_t)columns;
    shape->rows = (uint32_t)rows;
    shape->half = (tact_vec3){(float)spacing[0], 0.0f, (float)spacing[1]};
    return true;
}

static bool take_part(const place* at, const cJSON* item, tact_body_part* part)
{
    static const char* const keys[] = {"shape", "position", "rotation", "scale", NULL};
    double p[3] = {0.0, 0.0, 0.0};
    *part = (tact_body_part){.scale = 1.0f, .rotation.w = 1.0f};
    if (!check_keys(at, item, keys) || !need(at, item, "shape") || !take_whole(at, item, "shape", &part->shape) ||
        !take_list(at, item, "position", 3, p) || !take_quat(at, item, "rotation", &part->rotation) ||
        !take_number(at, item, "scale", &part->scale))
        return false;
    part->position = (tact_vec3){(float)p[0], (float)p[1], (float)p[2]};
    return true;
}

static bool take_parts(const place* at, const cJSON* item, tact_body_shape* shape, shape_arrays* own)
{
    const cJSON *part, *list = cJSON_GetObjectItemCaseSensitive(item, "parts");
    const size_t count = cJSON_IsArray(list) ? (size_t)cJSON_GetArraySize(list) : 0;
    if (count == 0) return fail(at, "parts", "is no list of parts");
    own->parts = malloc(count * sizeof *own->parts);
    if (!own->parts) return tact_problem_out_of_memory(at->problem, "a shape");
    char name[64];
    snprintf(name, sizeof name, "%s[%zu].parts", at->list, at->number);
    place there = {at->file, name, 0, at->problem};
    cJSON_ArrayForEach(part, list)
    {
        tact_body_part* to = &own->parts[there.number];
        if (!take_part(&there, part, to)) return false;
        // Parts are of shapes ahead of theirs.
        if (to->shape >= at->number) return fail(&there, "shape", "is none of the shapes ahead of it");
        ++there.number;
    }
    shape->parts = own->parts;
    shape->part_count = count;
    return true;
}

static bool take_radius(const place* at, const cJSON* item, tact_body_shape* shape, shape_arrays* own)
{
    (void)shape, (void)own;
    return need(at, item, "radius");
}

static bool take_round(const place* at, const cJSON* item, tact_body_shape* shape, shape_arrays* own)
{
    (void)own;
    return need(at, item, "radius") && take_length(at, item, shape);
}

static bool take_capsule(const place* at, const cJSON* item, tact_body_shape* shape, shape_arrays* own)
{
    (void)own;
    return take_length(at, item, shape);
}

static bool take_box(const place* at, const cJSON* item, tact_body_shape* shape, shape_arrays* own)
{
    (void)own;
    return take_sides(at, item, shape);
}

static const struct {
    const char* name;
    tact_body_kind kind;
    const char* keys[6];
    bool (*take)(const place* at, const cJSON* item, tact_body_shape* shape, shape_arrays* own);
} kinds[] = {
    {"sphere", TACT_BODY_SPHERE, {"kind", "radius"}, take_radius},
    {"capsule", TACT_BODY_CAPSULE, {"kind", "radius", "half"}, take_capsule},
    {"box", TACT_BODY_BOX, {"kind", "radius", "half"}, take_box},
    {"cylinder", TACT_BODY_CYLINDER, {"kind", "radius", "half"}, take_round},
    {"cone", TACT_BODY_CONE, {"kind", "radius", "half"}, take_round},
    {"hull", TACT_BODY_HULL, {"kind", "radius", "points"}, take_points},
    {"compound", TACT_BODY_COMPOUND, {"kind", "parts"}, take_parts},
    {"mesh", TACT_BODY_MESH, {"kind", "radius", "points", "triangles", "one-sided"}, take_mesh},
    {"height-field", TACT_BODY_HEIGHT_FIELD, {"kind", "radius", "heights", "spacing", "one-sided"}, take_heights},
    {"half-space", TACT_BODY_HALF_SPACE, {"kind"}, NULL},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static bool no_kind(const place* at)
{
    char what[256] = "is none of ";
    for (size_t k = 0; k < KINDS; ++k) {
        const size_t used = strlen(what);
        snprintf(what + used, sizeof what - used, "%s%s", k ? ", " : "", kinds[k].name);
    }
    return fail(at, "kind", what);
}

static bool take_shape(const place* at, const cJSON* item, tact_body_input* input)
{
    const char* name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(item, "kind"));
    size_t k = 0;
    while (k < KINDS && !(name && strcmp(kinds[k].name, name) == 0))
        ++k;
    if (k == KINDS) return no_kind(at);
    tact_body_shape shape = {.kind = kinds[k].kind};
    shape_arrays own = {0};
    const bool good = check_keys(at, item, kinds[k].keys) && take_number(at, item, "radius", &shape.radius) &&
                      (!kinds[k].take || kinds[k].take(at, item, &shape, &own)) &&
                      tact_body_input_add_shape(input, &shape, at->problem);
    free_arrays(&own);
    return good;
}

// ---- Bodies ----

static bool take_body(const place* at, const cJSON* item, tact_body* body, tact_body_motion* motion)
{
    static const char* const keys[] = {"shape", "position", "rotation", "scale", "margin",  "category",
                                       "mask",  "velocity", "turn",     "spin",  "density", NULL};
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
        take_quat(at, item, "turn", &motion->turn) && take_list(at, item, "spin", 3, motion->spin) &&
        take_number(at, item, "density", &motion->density);
    body->pose.x = position[0];
    body->pose.y = position[1];
    body->pose.z = position[2];
    return good;
}

/// What a body's shape must be.
static bool check_body(const place* at, const cJSON* item, const tact_body_input* input)
{
    const uint32_t shape = input->bodies[at->number].shape;
    const float density = input->motions[at->number].density;
    if (shape >= input->shape_count) return fail(at, "shape", "is none of the shapes");
    if (!(density >= 0.0f)) return fail(at, "density", "is negative");
    const bool given = cJSON_GetObjectItemCaseSensitive(item, "density") && density > 0.0f;
    return !given || tact_body_is_solid(input, shape) ||
           fail(at, "density", "is above 0, of a shape without an inside");
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
        if (!check_body(&at, item, input)) return false;
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
