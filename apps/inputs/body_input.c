// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/inputs/body_input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/poses.h"

_Static_assert(sizeof(tact_contact_row) == 52, "contacts are written as they lie in memory");

const char tact_contact_row_descr[] =
    "[('a', '<u4'), ('b', '<u4'), ('x', '<f8'), ('y', '<f8'), ('z', '<f8'), ('nx', '<f4'), ('ny', '<f4'), "
    "('nz', '<f4'), ('depth', '<f4'), ('feature', '<u4')]";

// ---- Memory ----

bool tact_body_input_add_shape(tact_body_input* input, const tact_body_shape* shape, tact_problem* problem)
{
    // Doubled at powers of two.
    const size_t n = input->shape_count;
    if ((n & (n - 1)) == 0) {
        tact_body_shape* shapes = realloc(input->shapes, (n ? 2 * n : 1) * sizeof *shapes);
        if (!shapes) return tact_problem_out_of_memory(problem, "the shapes");
        input->shapes = shapes;
    }
    tact_body_shape* to = &input->shapes[n];
    *to = *shape;
    ++input->shape_count;
    // Nothing of the caller's is kept, whatever fails.
    const void* const given[] = {shape->points, shape->triangles, shape->heights, shape->parts};
    const size_t sizes[] = {
        shape->point_count * sizeof *shape->points, 3 * shape->triangle_count * sizeof *shape->triangles,
        (size_t)shape->columns * shape->rows * sizeof *shape->heights, shape->part_count * sizeof *shape->parts};
    void* copies[4];
    bool good = true;
    for (int i = 0; i < 4; ++i) {
        copies[i] = sizes[i] > 0 && good ? malloc(sizes[i]) : NULL;
        good = good && (copies[i] || sizes[i] == 0);
        if (copies[i]) memcpy(copies[i], given[i], sizes[i]);
    }
    to->points = copies[0];
    to->triangles = copies[1];
    to->heights = copies[2];
    to->parts = copies[3];
    return good || tact_problem_out_of_memory(problem, "a shape");
}

bool tact_body_input_reserve(tact_body_input* input, size_t count, tact_problem* problem)
{
    input->bodies = calloc(count + 1, sizeof *input->bodies);
    input->motions = calloc(count + 1, sizeof *input->motions);
    if (!input->bodies || !input->motions) return tact_problem_out_of_memory(problem, "the bodies");
    input->count = count;
    for (size_t i = 0; i < count; ++i)
        input->motions[i] = (tact_body_motion){.turn.w = 1.0f, .density = TACT_BODY_DENSITY};
    return true;
}

void tact_body_input_free(tact_body_input* input)
{
    for (size_t i = 0; i < input->shape_count; ++i) {
        const tact_body_shape* shape = &input->shapes[i];
        const void* const arrays[] = {shape->points, shape->triangles, shape->heights, shape->parts};
        for (int k = 0; k < 4; ++k) {
            void* array;
            memcpy(&array, &arrays[k], sizeof array);
            free(array);
        }
    }
    free(input->shapes);
    free(input->bodies);
    free(input->motions);
    *input = (tact_body_input){0};
}

// ---- Shapes ----

size_t tact_body_core(const tact_body_shape* s, tact_vec3 own[TACT_BODY_CORE_POINTS], const tact_vec3** points)
{
    *points = own;
    switch (s->kind) {
        case TACT_BODY_SPHERE:
            own[0] = (tact_vec3){0.0f, 0.0f, 0.0f};
            return 1;
        case TACT_BODY_CAPSULE:
            own[0] = (tact_vec3){0.0f, -s->half.y, 0.0f};
            own[1] = (tact_vec3){0.0f, s->half.y, 0.0f};
            return 2;
        case TACT_BODY_BOX:
            for (int i = 0; i < TACT_BODY_CORE_POINTS; ++i) {
                own[i] = (tact_vec3){i & 1 ? s->half.x : -s->half.x, i & 2 ? s->half.y : -s->half.y,
                                     i & 4 ? s->half.z : -s->half.z};
            }
            return TACT_BODY_CORE_POINTS;
        case TACT_BODY_HULL:
        case TACT_BODY_MESH:
            *points = s->points;
            return s->point_count;
        default:
            return 0;
    }
}

bool tact_body_is_solid(const tact_body_input* input, uint32_t shape)
{
    const tact_body_kind kind = input->shapes[shape].kind;
    return kind != TACT_BODY_HALF_SPACE && kind != TACT_BODY_MESH && kind != TACT_BODY_HEIGHT_FIELD;
}

static double reach_of_heights(const tact_body_shape* s, const double v[3])
{
    double most = -HUGE_VAL;
    for (size_t i = 0; i < (size_t)s->columns * s->rows; ++i) {
        const double x = (double)s->half.x * (double)(i % s->columns), z = (double)s->half.z * (double)(i / s->columns);
        most = fmax(most, v[0] * x + v[1] * (double)s->heights[i] + v[2] * z);
    }
    return most + (double)s->radius;
}

static double reach_of_parts(const tact_body_input* input, const tact_body_shape* s, const double v[3])
{
    double most = -HUGE_VAL;
    for (size_t i = 0; i < s->part_count; ++i) {
        const tact_body_part* p = &s->parts[i];
        const tact_quat r = p->rotation;
        const bool none = r.x == 0.0f && r.y == 0.0f && r.z == 0.0f && r.w == 0.0f;
        const double q[4] = {none ? 1.0 : (double)r.w, (double)r.x, (double)r.y, (double)r.z};
        double turn[3][3], along[3];
        tact_quaternion_matrix(q, turn);
        for (int k = 0; k < 3; ++k)
            along[k] = turn[0][k] * v[0] + turn[1][k] * v[1] + turn[2][k] * v[2];
        const double there = v[0] * (double)p->position.x + v[1] * (double)p->position.y + v[2] * (double)p->position.z;
        const double scale = p->scale > 0.0f ? (double)p->scale : 1.0;
        most = fmax(most, there + scale * tact_body_support(input, p->shape, along));
    }
    return most;
}

double tact_body_support(const tact_body_input* input, uint32_t shape, const double v[3])
{
    const tact_body_shape* s = &input->shapes[shape];
    const double round = (double)s->radius * sqrt(v[0] * v[0] + v[2] * v[2]), high = (double)s->half.y * v[1];
    tact_vec3 own[TACT_BODY_CORE_POINTS];
    const tact_vec3* points;
    double most = -HUGE_VAL;
    switch (s->kind) {
        case TACT_BODY_CYLINDER:
            return round + fabs(high);
        case TACT_BODY_CONE:
            return fmax(high, round - high);
        case TACT_BODY_COMPOUND:
            return reach_of_parts(input, s, v);
        case TACT_BODY_HEIGHT_FIELD:
            return reach_of_heights(s, v);
        default:
            for (size_t i = tact_body_core(s, own, &points); i-- > 0;)
                most = fmax(most, v[0] * (double)points[i].x + v[1] * (double)points[i].y + v[2] * (double)points[i].z);
            return most + (double)s->radius;
    }
}

// ---- Motion ----

typedef struct turn {
    double x, y, z, w;
} turn;

static turn turn_of(tact_quat q)
{
    return (turn){(double)q.x, (double)q.y, (double)q.z, (double)q.w};
}

static turn unit(turn q)
{
    const double length = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    return (turn){q.x / length, q.y / length, q.z / length, q.w / length};
}

/// b, then a.
static turn times(turn a, turn b)
{
    return unit((turn){a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                       a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z});
}

/// So many times. Products alone, since the C libraries' sines differ.
static turn power(turn q, uint64_t n)
{
    turn result = {0.0, 0.0, 0.0, 1.0};
    for (q = unit(q); n > 0; n >>= 1, q = times(q, q))
        if (n & 1) result = times(q, result);
    return result;
}

static tact_pose moved(const tact_pose* from, const tact_body_motion* m, double way)
{
    tact_pose p = *from;
    p.x += way * m->velocity[0];
    p.y += way * m->velocity[1];
    p.z += way * m->velocity[2];
    const tact_quat t = m->turn, given = p.rotation;
    if (t.x == 0.0f && t.y == 0.0f && t.z == 0.0f) return p;
    const bool none = given.x == 0.0f && given.y == 0.0f && given.z == 0.0f && given.w == 0.0f;
    const turn at = none ? (turn){0.0, 0.0, 0.0, 1.0} : turn_of(given);
    const turn step = way < 0.0 ? (turn){-(double)t.x, -(double)t.y, -(double)t.z, (double)t.w} : turn_of(t);
    const turn q = times(power(step, (uint64_t)fabs(way)), at);
    p.rotation = (tact_quat){(float)q.x, (float)q.y, (float)q.z, (float)q.w};
    return p;
}

void tact_body_input_poses(const tact_body_input* input, uint64_t step, tact_pose* poses)
{
    static const int swing[8] = {0, 1, 2, 1, 0, -1, -2, -1};
    const double way = input->swings ? swing[step % 8] : (double)step;
    for (size_t i = 0; i < input->count; ++i) {
        const tact_pose* at = &input->bodies[i].pose;
        poses[i] = way != 0.0 ? moved(at, &input->motions[i], way) : *at;
    }
}

// ---- Sets and their contacts ----

static bool fill(const tact_body_input* input, const char* name, tact_context* context, tact_bodies* set,
                 tact_problem* problem)
{
    for (size_t i = 0; i < input->shape_count; ++i) {
        uint32_t number;
        const tact_result result = tact_bodies_add_shape(set, &input->shapes[i], &number);
        if (result == TACT_OK) continue;
        char what[512];
        snprintf(what, sizeof what, "%.400s: shape %zu", name, i);
        return tact_problem_from_result(problem, result, context, what);
    }
    const tact_result result = tact_bodies_add(set, input->bodies, input->count, NULL);
    return result == TACT_OK || tact_problem_from_result(problem, result, context, name);
}

bool tact_body_input_make_set(const tact_body_input* input, const char* name, tact_context* context, tact_bodies** set,
                              tact_problem* problem)
{
    const tact_result result = tact_bodies_create(context, set);
    if (result != TACT_OK) return tact_problem_from_result(problem, result, context, name);
    if (fill(input, name, context, *set, problem)) return true;
    tact_bodies_destroy(*set);
    *set = NULL;
    return false;
}

static tact_contact_row row_of(const tact_contact* c, const tact_contact_point* point, const tact_pose* from)
{
    const double at[3] = {from->x + (double)point->at.x, from->y + (double)point->at.y, from->z + (double)point->at.z};
    tact_contact_row row = {.a = c->a,
                            .b = c->b,
                            .normal = {c->normal.x, c->normal.y, c->normal.z},
                            .depth = -point->separation,
                            .feature = point->feature};
    memcpy(row.at, at, sizeof at);
    return row;
}

/// Rows that have a feature in common differ in their parts; their bytes order them.
static int compare_rows(const void* a, const void* b)
{
    const tact_contact_row *p = a, *q = b;
    return p->feature != q->feature ? (p->feature < q->feature ? -1 : 1) : memcmp(p, q, sizeof *p);
}

size_t tact_contact_rows(const tact_contact* contacts, size_t count, const tact_pose* poses, tact_contact_row* rows)
{
    size_t used = 0, first = 0;
    for (size_t i = 0; i < count; ++i) {
        const tact_contact* c = &contacts[i];
        for (uint32_t k = 0; k < c->count; ++k)
            rows[used++] = row_of(c, &c->point[k], &poses[c->origin]);
        const bool last = i + 1 == count || contacts[i + 1].a != c->a || contacts[i + 1].b != c->b;
        if (!last) continue;
        qsort(&rows[first], used - first, sizeof *rows, compare_rows);
        first = used;
    }
    return used;
}
