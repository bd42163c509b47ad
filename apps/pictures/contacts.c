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

static const tact_debug_color faint = {170, 184, 210, 140};

/// Draws bodies. The more there are the fainter, so that what lies among them is seen.
static tact_result draw_bodies(tact_debug_draw* draw, tact_debug_color* colors, const tact_contacts_stage* stage,
                               tact_debug_color color, const tact_bodies* set, size_t count)
{
    const tact_aabb* bounds = &stage->bounds;
    const float dx = bounds->upper.x - bounds->lower.x, dz = bounds->upper.z - bounds->lower.z;
    const double strong = color.a * fmin(1.0, 6.0 / sqrt((double)count + 1.0));
    color.a = (uint8_t)fmax(strong, 14.0);
    colors[TACT_DEBUG_VOLUME] = color;
    return tact_debug_bodies(draw, set, stage->origin, 0.9f * fmaxf(dx, dz));
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

static void usual_colors(tact_debug_color colors[TACT_DEBUG_KINDS])
{
    for (int i = 0; i < TACT_DEBUG_KINDS; ++i)
        colors[i] = tact_debug_default_color((tact_debug_kind)i);
}

tact_result tact_contacts_draw(tact_debug_draw* draw, const tact_contacts_picture* p, const tact_contacts_stage* stage)
{
    const tact_debug_color* before = draw->colors;
    tact_debug_color colors[TACT_DEBUG_KINDS];
    usual_colors(colors);
    colors[TACT_DEBUG_PENETRATION] = (tact_debug_color){255, 190, 60, 255};
    draw->colors = colors;
    tact_result result = draw_bodies(draw, colors, stage, faint, p->set, p->input->count);
    if (result >= 0) {
        result = p->changes ? draw_changes(draw, p, colors, stage) : draw_points(draw, p, p->contacts, p->count, stage);
    }
    draw->colors = before;
    return result;
}

/// A picture while it is drawn.
typedef struct canvas {
    tact_contacts_stage stage;
    tact_debug_draw draw;
    tact_debug_color colors[TACT_DEBUG_KINDS];
} canvas;

typedef tact_result draw_fn(canvas* on, const void* what);

static bool write_picture(const char* path, const tact_body_input* input, const tact_pose* poses, draw_fn* draw,
                          const void* what, tact_problem* problem)
{
    canvas on = {.stage = tact_contacts_stage_of(input, poses)};
    tact_sphere_view view;
    tact_particle_camera(on.stage.bounds, azimuth, elevation, WIDTH, HEIGHT, &view);
    unsigned char* rgb = malloc((size_t)WIDTH * HEIGHT * 3);
    if (!rgb) return tact_problem_out_of_memory(problem, path);
    static const unsigned char night[3] = {16, 19, 26};
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT * 3; ++i)
        rgb[i] = night[i % 3];
    tact_debug_picture to = {WIDTH, HEIGHT, rgb, NULL, project, &view};
    on.draw = tact_debug_picture_draw(&to);
    usual_colors(on.colors);
    on.draw.colors = on.colors;
    const tact_result result = draw(&on, what);
    const bool good = result >= 0 ? tact_picture_write(path, WIDTH, HEIGHT, rgb, problem)
                                  : tact_problem_from_result(problem, result, NULL, path);
    free(rgb);
    return good;
}

static tact_result draw_contacts(canvas* on, const void* what)
{
    return tact_contacts_draw(&on->draw, what, &on->stage);
}

bool tact_picture_of_contacts(const char* path, const tact_contacts_picture* picture, tact_problem* problem)
{
    return write_picture(path, picture->input, picture->poses, draw_contacts, picture, problem);
}

// ---- Casts ----

static tact_vec3 seen(const canvas* on, double x, double y, double z)
{
    return (tact_vec3){(float)(x - on->stage.origin[0]), (float)(y - on->stage.origin[1]),
                       (float)(z - on->stage.origin[2])};
}

/// The way of a cast as far as its shape goes, and the place that it touches.
static tact_result draw_way(canvas* on, const tact_body_cast* cast, const tact_cast_row* hit, float length)
{
    const bool hits = hit->body != TACT_NONE;
    const tact_pose end = tact_body_cast_pose(cast, hit->fraction);
    const tact_vec3 from = seen(on, cast->from.x, cast->from.y, cast->from.z), to = seen(on, end.x, end.y, end.z);
    const tact_ray ray = {.ox = from.x,
                          .oy = from.y,
                          .oz = from.z,
                          .dx = to.x - from.x,
                          .dy = to.y - from.y,
                          .dz = to.z - from.z,
                          .tmax = 1.0f};
    tact_result result = tact_debug_ray(&on->draw, &ray, NULL, NULL, 1e30f);
    if (result < 0 || !hits) return result;
    return tact_debug_contact(&on->draw, seen(on, hit->x, hit->y, hit->z),
                              (tact_vec3){hit->normal[0], hit->normal[1], hit->normal[2]}, length);
}

typedef struct casts_drawn {
    const tact_casts_picture* of;
    tact_bodies *touching, *missing;  // shapes where they end
    size_t touching_count, missing_count;
} casts_drawn;

static tact_result draw_casts(canvas* on, const void* what)
{
    static const tact_debug_color green = {120, 230, 140, 230}, grey = {120, 124, 130, 200};
    const casts_drawn* d = what;
    const tact_casts_picture* p = d->of;
    const float length = 0.4f * usual_size(&on->stage.bounds, p->input->count);
    tact_result result = draw_bodies(&on->draw, on->colors, &on->stage, faint, p->set, p->input->count);
    if (result >= 0) result = draw_bodies(&on->draw, on->colors, &on->stage, grey, d->missing, d->missing_count);
    if (result >= 0) result = draw_bodies(&on->draw, on->colors, &on->stage, green, d->touching, d->touching_count);
    on->colors[TACT_DEBUG_MISS] = (tact_debug_color){90, 110, 96, 255};
    for (size_t i = 0; result >= 0 && i < p->count; ++i)
        result = draw_way(on, &p->casts[i], &p->hits[i], length);
    return result;
}

/// A set of the shapes that touch something, or of those that do not, where they end.
static bool make_ends(const tact_casts_picture* p, tact_context* context, bool touching, tact_bodies** set,
                      size_t* count, tact_problem* problem)
{
    tact_body_input input = *p->input;
    input.bodies = calloc(p->count + 1, sizeof *input.bodies);
    if (!input.bodies) return tact_problem_out_of_memory(problem, "the casts");
    input.count = 0;
    for (size_t i = 0; i < p->count; ++i) {
        if ((p->hits[i].body != TACT_NONE) != touching) continue;
        input.bodies[input.count++] =
            (tact_body){.pose = tact_body_cast_pose(&p->casts[i], p->hits[i].fraction), .shape = p->casts[i].shape};
    }
    *count = input.count;
    const bool good = tact_body_input_make_set(&input, "the casts", context, set, problem);
    free(input.bodies);
    return good;
}

bool tact_picture_of_casts(const char* path, const tact_casts_picture* picture, tact_problem* problem)
{
    casts_drawn d = {.of = picture};
    const bool good = make_ends(picture, picture->context, true, &d.touching, &d.touching_count, problem) &&
                      make_ends(picture, picture->context, false, &d.missing, &d.missing_count, problem) &&
                      write_picture(path, picture->input, picture->poses, draw_casts, &d, problem);
    tact_bodies_destroy(d.touching);
    tact_bodies_destroy(d.missing);
    return good;
}
