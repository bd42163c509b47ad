// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/view/view.h"

#include <math.h>

// Our structs hold its vectors wherever they lie.
#define CGLM_ALL_UNALIGNED
#include <cglm/cglm.h>
#include <string.h>

static const float field_of_view = 0.7f;  ///< radians, from top to bottom

static void axes_of(const tact_view_camera* c, vec3 right, vec3 up, vec3 back)
{
    const float ca = cosf(c->azimuth), sa = sinf(c->azimuth), ce = cosf(c->elevation), se = sinf(c->elevation);
    glm_vec3_copy((vec3){ce * sa, se, ce * ca}, back);
    glm_vec3_copy((vec3){ca, 0.0f, -sa}, right);
    glm_vec3_cross(back, right, up);
}

/// The ball about everything.
static void take_ball(tact_view_camera* c, const tact_bounds* all)
{
    double square = 0.0;
    for (int i = 0; i < 3; ++i) {
        const double half = 0.5 * (all->upper[i] - all->lower[i]);
        c->middle[i] = (float)(0.5 * (all->upper[i] + all->lower[i]));
        square += half * half;
    }
    c->radius = (float)sqrt(square);
    if (!(c->radius > 0.0f)) c->radius = 1.0f;
    c->reach = c->radius;
}

void tact_view_camera_start(tact_view_camera* c, const tact_bounds* all, uint32_t width, uint32_t height)
{
    *c = (tact_view_camera){.width = width, .height = height, .azimuth = 0.55f, .elevation = 0.38f};
    take_ball(c, all);
    tact_view_camera_frame(c, all);
}

void tact_view_camera_keep(tact_view_camera* c, const tact_bounds* all)
{
    const float radius = c->radius;
    float away = 0.0f;
    take_ball(c, all);
    for (int i = 0; i < 3; ++i)
        away = fmaxf(away, fabsf(c->middle[i] - c->target[i]));
    if (c->radius > 3.0f * radius || c->radius < radius / 3.0f || away > 3.0f * radius) tact_view_camera_frame(c, all);
}

void tact_view_camera_reach(tact_view_camera* c, const tact_bounds* drawn)
{
    double square = 0.0;
    for (int i = 0; i < 3; ++i) {
        const double middle = (double)c->middle[i];
        const double side = fmax(drawn->upper[i] - middle, middle - drawn->lower[i]);
        if (side > 0.0) square += side * side;
    }
    c->reach = fminf(fmaxf(c->radius, (float)sqrt(square)), 8.0f * c->radius);
}

void tact_view_camera_frame(tact_view_camera* c, const tact_bounds* box)
{
    vec3 right, up, back;
    axes_of(c, right, up, back);
    const float ty = tanf(0.5f * field_of_view), tx = ty * (float)c->width / (float)c->height;
    float most = 0.0f;
    for (int i = 0; i < 3; ++i)
        c->target[i] = (float)(0.5 * (box->lower[i] + box->upper[i]));
    for (int k = 0; k < 8; ++k) {
        vec3 corner;
        for (int i = 0; i < 3; ++i)
            corner[i] = (float)(0.5 * (box->upper[i] - box->lower[i])) * (k >> i & 1 ? 1.0f : -1.0f);
        const float side = fmaxf(fabsf(glm_vec3_dot(corner, right)) / tx, fabsf(glm_vec3_dot(corner, up)) / ty);
        most = fmaxf(most, side + glm_vec3_dot(corner, back));
    }
    c->distance = most > 0.0f ? 1.03f * most : c->radius;
}

void tact_view_camera_orbit(tact_view_camera* c, double dx, double dy)
{
    const float most = 1.553f;  // 89 degrees
    c->azimuth = fmodf(c->azimuth - 0.008f * (float)dx, 6.2831853f);
    c->elevation += 0.008f * (float)dy;
    c->elevation = c->elevation > most ? most : c->elevation < -most ? -most : c->elevation;
}

float tact_view_camera_pixel(const tact_view_camera* c)
{
    return 2.0f * c->distance * tanf(0.5f * field_of_view) / (float)c->height;
}

void tact_view_camera_pan(tact_view_camera* c, double dx, double dy)
{
    vec3 right, up, back;
    axes_of(c, right, up, back);
    const float pixel = tact_view_camera_pixel(c);
    glm_vec3_muladds(right, -pixel * (float)dx, c->target);
    glm_vec3_muladds(up, pixel * (float)dy, c->target);
}

void tact_view_camera_zoom(tact_view_camera* c, double steps, double x, double y)
{
    // In doubles: many steps at once come to more than a float holds, and to less.
    const double wanted = (double)c->distance * pow(0.88, steps);
    const double least = 1e-4 * (double)c->radius, most = 1e3 * (double)c->radius;
    const float factor = (float)((wanted < least ? least : wanted > most ? most : wanted) / (double)c->distance);
    const double from_middle_x = x - 0.5 * (double)c->width, from_middle_y = y - 0.5 * (double)c->height;
    tact_view_camera_pan(c, -from_middle_x * (1.0 - (double)factor), -from_middle_y * (1.0 - (double)factor));
    c->distance *= factor;
}

tact_view_look tact_view_camera_look(const tact_view_camera* c)
{
    tact_view_look look = {.view = {.order = TACT_MATRIX_BY_COLUMNS,
                                    .depth = TACT_CLIP_MINUS_ONE_TO_ONE,
                                    .width = c->width,
                                    .height = c->height}};
    vec3 right, up, back, eye, target, middle;
    mat4 view, projection, both;
    axes_of(c, right, up, back);
    memcpy(target, c->target, sizeof target);
    memcpy(middle, c->middle, sizeof middle);
    glm_vec3_copy(target, eye);
    glm_vec3_muladds(back, c->distance, eye);
    glm_lookat(eye, target, up, view);
    // The planes just hold everything, so that depths are told apart as well as may be.
    vec3 away;
    glm_vec3_sub(eye, middle, away);
    const float along = glm_vec3_dot(away, back);
    const float far = fmaxf(along + 1.01f * c->reach, 0.1f * c->distance);
    const float near = fmaxf(along - 1.01f * c->reach, 1e-3f * fminf(far, c->distance));
    glm_perspective(field_of_view, (float)c->width / (float)c->height, near, far, projection);
    glm_mat4_mul(projection, view, both);
    memcpy(look.view.world_to_clip, both, sizeof look.view.world_to_clip);
    memcpy(look.eye, eye, sizeof look.eye);
    memcpy(look.right, right, sizeof look.right);
    memcpy(look.up, up, sizeof look.up);
    memcpy(look.back, back, sizeof look.back);
    return look;
}
