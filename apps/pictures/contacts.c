// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>

#include "apps/pictures/pictures.h"

enum { WIDTH = 1200, HEIGHT = 900 };

static const float azimuth = 28.0f, elevation = 22.0f;

static bool project(const void* user, const float position[3], double out[3])
{
    const tact_sphere_view* v = user;
    double along[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
        const double d = (double)position[k] - (double)v->eye[k];
        along[0] += d * (double)v->right[k];
        along[1] += d * (double)v->up[k];
        along[2] -= d * (double)v->back[k];
    }
    if (!(along[2] > 0.0)) return false;
    out[0] = (0.5 + 0.5 * along[0] / (along[2] * (double)v->tangent_x)) * v->width;
    out[1] = (0.5 - 0.5 * along[1] / (along[2] * (double)v->tangent_y)) * v->height;
    out[2] = along[2];
    return true;
}

/// The radius of a ball about its position that holds a shape; minus infinity of what has no end.
static double extent_of(const tact_body_input* input, uint32_t shape)
{
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double up[3] = {k == 0, k == 1, k == 2}, down[3] = {-up[0], -up[1], -up[2]};
        const double most = fmax(tact_body_support(input, shape, up), tact_body_support(input, shape, down));
        if (!(most >= 0.0)) return -HUGE_VAL;
        square += most * most;
    }
    return sqrt(square);
}

/// The box of all that has an end, from the origin; without surfaces where there is something else.
static tact_aabb bounds_of(const tact_body_input* input, const tact_pose* poses, const double origin[3], bool surfaces)
{
    tact_aabb box = tact_aabb_empty();
    for (size_t i = 0; i < input->count; ++i) {
        const tact_body_kind kind = input->shapes[input->bodies[i].shape].kind;
        if (!surfaces && (kind == TACT_BODY_MESH || kind == TACT_BODY_HEIGHT_FIELD)) continue;
        const double scale = poses[i].scale > 0.0f ? (double)poses[i].scale : 1.0;
        const float r = (float)(scale * extent_of(input, input->bodies[i].shape));
        const float x = (float)(poses[i].x - origin[0]), y = (float)(poses[i].y - origin[1]),
                    z = (float)(poses[i].z - origin[2]);
        if (r >= 0.0f) box = tact_aabb_union(box, (tact_aabb){{x - r, y - r, z - r}, {x + r, y + r, z + r}});
    }
    if (!tact_aabb_is_empty(box)) return box;
    return surfaces ? (tact_aabb){{-1, -1, -1}, {1, 1, 1}} : bounds_of(input, poses, origin, true);
}

/// How large a body is, on average.
static float usual_size(const tact_aabb* b, size_t count)
{
    const double volume = ((double)b->upper.x - (double)b->lower.x) * ((double)b->upper.y - (double)b->lower.y) *
                          ((double)b->upper.z - (double)b->lower.z);
    return (float)cbrt(volume / (double)(count > 0 ? count : 1));
}

tact_contacts_stage tact_contacts_stage_of(const tact_body_input* input, const tact_pose* poses)
{
    // Among the bodies, the last of them: the first may be the ground.
    const tact_pose* last = input->count > 0 ? &poses[input->count - 1] : NULL;
    tact_contacts_stage stage = {.origin = {last ? last->x : 0.0, last ? last->y : 0.0, last ? last->z : 0.0}};
    stage.bounds = bounds_of(input, poses, stage.origin, false);
    return stage;
}

static tact_result draw_points(tact_debug_draw* draw, const tact_contacts_picture* p, const tact_contact* contacts,
                               size_t count, const tact_contacts_stage* stage)
{
    const float length = 0.4f * usual_size(&stage->bounds, p->input->count);
    return tact_debug_body_contacts(draw, p->set, contacts, count, stage->origin, length);
}

/// What was there before, what has begun, and what has ended.
static tact_result draw_changes(tact_debug_draw* draw, const tact_contacts_picture* p, tact_debug_color* colors,
                                const tact_contacts_stage* stage)
{
    const tact_contact_changes* c = p->changes;
    const size_t kept = c->count - c->begun;
    tact_contact* sorted = malloc((c->count + c->ended_count + 1) * sizeof *sorted);
    if (!sorted) return TACT_ERROR_OUT_OF_MEMORY;
    size_t to[2] = {0, kept};
    for (size_t i = 0; i < c->count; ++i)
        sorted[to[c->from[i].row == TACT_CONTACT_BEGUN]++] = c->contacts[i];
    for (size_t i = 0; i < c->ended_count; ++i)
        sorted[c->count + i] = c->before[c->ended[i]];
    tact_result result = draw_points(draw, p, sorted, kept, stage);
    colors[TACT_DEBUG_CONTACT] = (tact_debug_color){90, 235, 120, 255};
    if (result >= 0) result = draw_points(draw, p, sorted + kept, c->begun, stage);
    colors[TACT_DEBUG_CONTACT] = colors[TACT_DEBUG_NORMAL] = colors[TACT_DEBUG_PENETRATION] =
        (tact_debug_color){120, 124, 132, 255};
    if (result >= 0) result = draw_points(draw, p, sorted + c->count, c->ended_count, stage);
    free(sorted);
    return result;
}

tact_result tact_contacts_draw(tact_debug_draw* draw, const tact_contacts_picture* p, const tact_contacts_stage* stage)
{
    const tact_debug_color* before = draw->colors;
    const tact_aabb* bounds = &stage->bounds;
    const float dx = bounds->upper.x - bounds->lower.x, dz = bounds->upper.z - bounds->lower.z;
    tact_debug_color colors[TACT_DEBUG_KINDS];
    for (int i = 0; i < TACT_DEBUG_KINDS; ++i)
        colors[i] = tact_debug_default_color((tact_debug_kind)i);
    // The more bodies there are the fainter, so that their contacts are seen.
    const double strong = 140.0 * fmin(1.0, 6.0 / sqrt((double)p->input->count + 1.0));
    colors[TACT_DEBUG_VOLUME] = (tact_debug_color){170, 184, 210, (uint8_t)fmax(strong, 14.0)};
    colors[TACT_DEBUG_PENETRATION] = (tact_debug_color){255, 190, 60, 255};
    draw->colors = colors;
    tact_result result = tact_debug_bodies(draw, p->set, stage->origin, 0.9f * fmaxf(dx, dz));
    if (result >= 0) {
        result = p->changes ? draw_changes(draw, p, colors, stage) : draw_points(draw, p, p->contacts, p->count, stage);
    }
    draw->colors = before;
    return result;
}

bool tact_picture_of_contacts(const char* path, const tact_contacts_picture* picture, tact_problem* problem)
{
    const tact_contacts_stage stage = tact_contacts_stage_of(picture->input, picture->poses);
    tact_sphere_view view;
    tact_particle_camera(stage.bounds, azimuth, elevation, WIDTH, HEIGHT, &view);
    unsigned char* rgb = malloc((size_t)WIDTH * HEIGHT * 3);
    if (!rgb) return tact_problem_out_of_memory(problem, path);
    static const unsigned char night[3] = {16, 19, 26};
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT * 3; ++i)
        rgb[i] = night[i % 3];
    tact_debug_picture to = {WIDTH, HEIGHT, rgb, NULL, project, &view};
    tact_debug_draw draw = tact_debug_picture_draw(&to);
    const tact_result result = tact_contacts_draw(&draw, picture, &stage);
    const bool good = result >= 0 ? tact_picture_write(path, WIDTH, HEIGHT, rgb, problem)
                                  : tact_problem_from_result(problem, result, NULL, path);
    free(rgb);
    return good;
}
