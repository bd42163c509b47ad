// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/body_input.h"
#include "apps/inputs/poses.h"
#include "apps/inputs/scenes.h"

enum { VARIANTS = 8 };  // shapes of each side
enum { STEPS = 18 };    // halvings of a distance of about 3

/// Two such bodies touch at any distance that is tried; one and a mesh at those that are wanted.
#define MARGIN 4.0f
#define MESH_MARGIN 0.1f

/// What the mesh is about wide, and by how much of that its corners lie off a sphere.
#define MESH_RADIUS 4.0
#define MESH_LUMPS 0.02

static bool add_mesh(tact_body_input* input, tact_random* random, tact_problem* problem)
{
    tact_model_mesh ball;
    if (!tact_mesh_icosphere(4, &ball, problem)) return false;
    for (size_t i = 0; i < ball.vertex_count; ++i) {
        const double radius = MESH_RADIUS * (1.0 + tact_random_between(random, -MESH_LUMPS, MESH_LUMPS));
        for (size_t k = 3 * i; k < 3 * i + 3; ++k)
            ball.positions[k] = (float)(radius * (double)ball.positions[k]);
    }
    const bool good = tact_body_input_add_shape(input,
                                                &(tact_body_shape){.kind = TACT_BODY_MESH,
                                                                   .points = (const tact_vec3*)ball.positions,
                                                                   .point_count = ball.vertex_count,
                                                                   .triangles = ball.indices,
                                                                   .triangle_count = ball.triangle_count},
                                                problem);
    tact_model_mesh_free(&ball);
    return good;
}

static bool add_part(tact_body_input* input, tact_measured_shape part, tact_random* random, tact_problem* problem)
{
    const float x = (float)tact_random_between(random, 0.35, 0.55), y = (float)tact_random_between(random, 0.35, 0.55),
                z = (float)tact_random_between(random, 0.35, 0.55);
    switch (part) {
        case TACT_MEASURED_SPHERE:
            return tact_body_input_add_shape(input, &(tact_body_shape){.kind = TACT_BODY_SPHERE, .radius = x}, problem);
        case TACT_MEASURED_CAPSULE:
            return tact_body_input_add_shape(
                input, &(tact_body_shape){.kind = TACT_BODY_CAPSULE, .radius = 0.7f * x, .half = {0.0f, y, 0.0f}},
                problem);
        case TACT_MEASURED_BOX:
            return tact_body_input_add_shape(input, &(tact_body_shape){.kind = TACT_BODY_BOX, .half = {x, y, z}},
                                             problem);
        case TACT_MEASURED_MESH:
            return add_mesh(input, random, problem);
        default:
            return tact_body_input_add_hull(input, random,
                                            part == TACT_MEASURED_HULL_8    ? 8
                                            : part == TACT_MEASURED_HULL_32 ? 32
                                                                            : 256,
                                            problem);
    }
}

/// Pairs that are tried, of which those that came out are kept.
typedef struct trial {
    const tact_body_pair_kind* kind;
    size_t count;
    tact_body_input* input;
    tact_bodies* set;
    double (*along)[3];  ///< B from A
    double *near, *far;  ///< between which distances the right one lies
    double* wanted;      ///< separation
    double* found;       ///< separation at the last distance
    tact_pose* poses;
    tact_pair* pairs;
} trial;

/// B's direction is away from the axes, so that boxes around both overlap for long.
static void draw_direction(tact_random* random, double along[3])
{
    double length;
    do {
        length = tact_random_direction(random, 3, along);
        for (int k = 0; k < 3; ++k)
            along[k] /= length;
    } while (fmin(fabs(along[0]), fmin(fabs(along[1]), fabs(along[2]))) < 0.4);
}

static tact_quat draw_turn(tact_random* random, bool resting)
{
    double q[4];
    tact_random_quaternion(random, q);
    if (!resting) return (tact_quat){(float)q[1], (float)q[2], (float)q[3], (float)q[0]};
    return (tact_quat){(float)(0.001 * q[1]), (float)(0.001 * q[2]), (float)(0.001 * q[3]), 1.0f};
}

static void draw(trial* t, tact_random* random)
{
    const bool resting = t->kind->state == TACT_PAIR_RESTING;
    // A mesh is hollow: what lies within is not looked for.
    const double inside = t->kind->b == TACT_MEASURED_MESH ? MESH_RADIUS : 0.0;
    for (size_t i = 0; i < t->count; ++i) {
        for (size_t side = 0; side < 2; ++side) {
            tact_body* b = &t->input->bodies[2 * i + side];
            b->shape = (uint32_t)(VARIANTS * side + tact_random_below(random, VARIANTS));
            b->margin = t->kind->b == TACT_MEASURED_MESH ? MESH_MARGIN : MARGIN;
            b->pose = (tact_pose){.x = 16.0 * (double)(i % 64),
                                  .y = 16.0 * (double)(i / 64 % 64),
                                  .z = 16.0 * (double)(i / 4096),
                                  .rotation = draw_turn(random, resting),
                                  .scale = 1.0f};
        }
        draw_direction(random, t->along[i]);
        if (resting) memcpy(t->along[i], (const double[3]){1.0, 0.0, 0.0}, sizeof t->along[i]);
        static const double states[] = {0.0, -0.005, -0.2, -0.005};
        t->wanted[i] =
            t->kind->state == TACT_PAIR_APART ? tact_random_between(random, 0.02, 0.1) : states[t->kind->state];
        t->near[i] = inside;
        t->far[i] = inside + 3.0;
        t->pairs[i] = (tact_pair){(uint32_t)(2 * i), (uint32_t)(2 * i + 1)};
    }
}

/// Brings all to the middle of their ranges and finds how far apart they are there.
static tact_result measure(trial* t)
{
    for (size_t i = 0; i < t->count; ++i) {
        const tact_pose* a = &t->input->bodies[2 * i].pose;
        tact_pose* b = &t->input->bodies[2 * i + 1].pose;
        const double distance = 0.5 * (t->near[i] + t->far[i]);
        b->x = a->x + distance * t->along[i][0];
        b->y = a->y + distance * t->along[i][1];
        b->z = a->z + distance * t->along[i][2];
        t->poses[2 * i] = *a;
        t->poses[2 * i + 1] = *b;
        t->found[i] = (double)MARGIN;
    }
    size_t count = 0;
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    tact_result result = tact_bodies_move(t->set, NULL, t->poses, 2 * t->count);
    if (result >= 0) {
        result = tact_contacts_find(
            t->set, &(tact_contacts_work){.pairs = t->pairs, .pair_count = t->count, .count = &count}, &options, NULL);
    }
    if (result < 0) return result;
    const tact_contact* contacts = tact_contacts_last(t->set, &count);
    for (size_t i = 0; i < count; ++i) {
        for (uint32_t k = 0; k < contacts[i].count; ++k) {
            double* found = &t->found[contacts[i].a / 2];
            *found = fmin(*found, (double)contacts[i].point[k].separation);
        }
    }
    return TACT_OK;
}

/// How far a body reaches along an axis, to its upper side and to its lower.
static void reach(const tact_body_input* input, const tact_body* body, double low[3], double high[3])
{
    const tact_quat r = body->pose.rotation;
    const double q[4] = {(double)r.w, (double)r.x, (double)r.y, (double)r.z};
    const double at[3] = {body->pose.x, body->pose.y, body->pose.z};
    const tact_body_shape* shape = &input->shapes[body->shape];
    tact_vec3 own[TACT_BODY_CORE_POINTS];
    const tact_vec3* points;
    const size_t count = tact_body_core(shape, own, &points);
    double turn[3][3];
    tact_quaternion_matrix(q, turn);
    for (int k = 0; k < 3; ++k) {
        low[k] = HUGE_VAL;
        high[k] = -HUGE_VAL;
        for (size_t i = 0; i < count; ++i) {
            const double x = at[k] + turn[k][0] * (double)points[i].x + turn[k][1] * (double)points[i].y +
                             turn[k][2] * (double)points[i].z;
            low[k] = fmin(low[k], x - (double)shape->radius);
            high[k] = fmax(high[k], x + (double)shape->radius);
        }
    }
}

static bool boxes_overlap(const tact_body_input* input, size_t pair)
{
    double low[2][3], high[2][3];
    for (size_t side = 0; side < 2; ++side)
        reach(input, &input->bodies[2 * pair + side], low[side], high[side]);
    for (int k = 0; k < 3; ++k)
        if (low[0][k] > high[1][k] || low[1][k] > high[0][k]) return false;
    return true;
}

/// Keeps the first pairs that came out as wanted.
static bool keep(trial* t, size_t wanted, tact_problem* problem)
{
    size_t kept = 0;
    tact_body* bodies = t->input->bodies;
    for (size_t i = 0; i < t->count && kept < wanted; ++i) {
        if (fabs(t->found[i] - t->wanted[i]) > 1e-3 || !boxes_overlap(t->input, i)) continue;
        for (size_t side = 0; side < 2; ++side) {
            bodies[2 * kept + side] = bodies[2 * i + side];
            bodies[2 * kept + side].margin = 0.0f;
        }
        ++kept;
    }
    t->input->count = 2 * kept;
    return kept == wanted ||
           tact_problem_set(problem, "%zu of %zu pairs do not lie as is asked for", wanted - kept, wanted);
}

static bool solve(trial* t, tact_context* context, tact_problem* problem)
{
    if (!tact_body_input_make_set(t->input, "pairs", context, &t->set, problem)) return false;
    for (int step = 0; step < STEPS; ++step) {
        const tact_result result = measure(t);
        if (result < 0) return tact_problem_from_result(problem, result, context, "pairs");
        // Along a line through both, the separation only grows behind the place where it is least, which is at a depth
        // that no pair is asked for.
        for (size_t i = 0; i < t->count && step + 1 < STEPS; ++i)
            *(t->found[i] < t->wanted[i] ? &t->near[i] : &t->far[i]) = 0.5 * (t->near[i] + t->far[i]);
    }
    return true;
}

static bool make_room(trial* t, tact_problem* problem)
{
    const size_t n = t->count;
    t->along = calloc(n, sizeof *t->along);
    t->near = calloc(n, sizeof *t->near);
    t->far = calloc(n, sizeof *t->far);
    t->wanted = calloc(n, sizeof *t->wanted);
    t->found = calloc(n, sizeof *t->found);
    t->poses = calloc(n, 2 * sizeof *t->poses);
    t->pairs = calloc(n, sizeof *t->pairs);
    return (t->along && t->near && t->far && t->wanted && t->found && t->poses && t->pairs) ||
           tact_problem_out_of_memory(problem, "the pairs");
}

bool tact_body_input_pairs(const tact_body_pair_kind* kind, size_t pairs, uint64_t seed, tact_context* context,
                           tact_body_input* input, tact_problem* problem)
{
    tact_random random = {seed};
    // Some do not come out, as where boxes are apart.
    trial t = {.kind = kind, .count = pairs + pairs / 2 + 8, .input = input};
    bool good = make_room(&t, problem) && tact_body_input_reserve(input, 2 * t.count, problem);
    for (int side = 0; side < 2; ++side) {
        for (int i = 0; good && i < VARIANTS; ++i)
            good = add_part(input, side ? kind->b : kind->a, &random, problem);
    }
    if (good) draw(&t, &random);
    good = good && solve(&t, context, problem) && keep(&t, pairs, problem);
    tact_bodies_destroy(t.set);
    free(t.along);
    free(t.near);
    free(t.far);
    free(t.wanted);
    free(t.found);
    free(t.poses);
    free(t.pairs);
    if (!good) tact_body_input_free(input);
    return good;
}
