// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Bodies as solids: each shape is a mesh, which the stage of particles draws.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/poses.h"
#include "apps/inputs/scenes.h"
#include "apps/pictures/pictures.h"
#include "tact/geometry/hull.h"

// ---- Meshes of shapes ----

/// Points whose hull a shape is, to within a pixel or so.
typedef struct cloud {
    tact_vec3* points;
    size_t count;
} cloud;

/// The sums of a core's points and those of a ball.
static bool round_core(const tact_vec3* core, size_t count, float radius, cloud* c, tact_problem* problem)
{
    tact_model_mesh ball = {0};
    // The fewer corners the more of the ball is seen.
    const unsigned levels = count == 1 ? 4 : count == 2 ? 3 : 2;
    if (radius > 0.0f && !tact_mesh_icosphere(levels, &ball, problem)) return false;
    const size_t each = radius > 0.0f ? ball.vertex_count : 1;
    c->points = malloc((count * each + 1) * sizeof *c->points);
    for (size_t i = 0; c->points && i < count * each; ++i) {
        const tact_vec3 p = core[i / each];
        const float* b = radius > 0.0f ? ball.positions + 3 * (i % each) : (const float[3]){0.0f, 0.0f, 0.0f};
        c->points[c->count++] = (tact_vec3){p.x + radius * b[0], p.y + radius * b[1], p.z + radius * b[2]};
    }
    tact_model_mesh_free(&ball);
    return c->points || tact_problem_out_of_memory(problem, "a picture");
}

/// Cylinders and cones.
static bool round_sides(const tact_body_shape* s, cloud* c, tact_problem* problem)
{
    const bool cone = s->kind == TACT_BODY_CONE;
    c->points = malloc(2 * TACT_ROUND_SIDES * sizeof *c->points);
    if (!c->points) return tact_problem_out_of_memory(problem, "a picture");
    for (int i = 0; i < TACT_ROUND_SIDES; ++i) {
        const float angle = 6.2831853f * (float)i / (float)TACT_ROUND_SIDES;
        const float x = s->radius * cosf(angle), z = s->radius * sinf(angle);
        c->points[c->count++] = (tact_vec3){x, -s->half.y, z};
        if (!cone) c->points[c->count++] = (tact_vec3){x, s->half.y, z};
    }
    if (cone) c->points[c->count++] = (tact_vec3){0.0f, s->half.y, 0.0f};
    return true;
}

static bool copy_hull(const cloud* c, const tact_hull_mesh* hull, tact_model_mesh* mesh, tact_problem* problem)
{
    const size_t positions = 3 * c->count, indices = 3 * hull->triangle_count;
    mesh->positions = malloc((positions + 1) * sizeof *mesh->positions);
    mesh->indices = malloc((indices + 1) * sizeof *mesh->indices);
    if (!mesh->positions || !mesh->indices) {
        tact_model_mesh_free(mesh);
        return tact_problem_out_of_memory(problem, "a picture");
    }
    memcpy(mesh->positions, c->points, positions * sizeof *mesh->positions);
    if (indices > 0) memcpy(mesh->indices, hull->triangles, indices * sizeof *mesh->indices);
    mesh->vertex_count = c->count;
    mesh->triangle_count = hull->triangle_count;
    return true;
}

/// The mesh of a convex shape; without triangles of all others, and of what is flat.
static bool solid_mesh(const tact_body_shape* s, tact_model_mesh* mesh, tact_problem* problem)
{
    cloud c = {0};
    tact_vec3 own[TACT_BODY_CORE_POINTS];
    const tact_vec3* core;
    *mesh = (tact_model_mesh){0};
    if (s->kind == TACT_BODY_MESH) return true;
    const size_t count = tact_body_core(s, own, &core);
    const bool round = s->kind == TACT_BODY_CYLINDER || s->kind == TACT_BODY_CONE;
    if (count == 0 && !round) return true;
    tact_hull_mesh hull = {0};
    bool good = round ? round_sides(s, &c, problem) : round_core(core, count, s->radius, &c, problem);
    if (good) {
        const tact_result result = tact_hull_mesh_3d(c.points, c.count, NULL, &hull);
        good = result == TACT_OK || tact_problem_from_result(problem, result, NULL, "a picture");
    }
    if (good && hull.dimension < 3) hull.triangle_count = 0;
    good = good && copy_hull(&c, &hull, mesh, problem);
    tact_hull_mesh_free(&hull);
    free(c.points);
    return good;
}

// ---- Poses ----

/// From a frame to that of the stage.
typedef struct frame {
    double turn[3][3], at[3];  ///< `turn` has the scale
} frame;

static frame frame_of(tact_quat r, double scale, const double at[3])
{
    frame f;
    double q[4] = {(double)r.w, (double)r.x, (double)r.y, (double)r.z};
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; ++k)
        q[k] = length > 0.0 ? q[k] / length : (double)(k == 0);
    tact_quaternion_matrix(q, f.turn);
    for (int i = 0; i < 9; ++i)
        f.turn[i / 3][i % 3] *= scale > 0.0 ? scale : 1.0;
    memcpy(f.at, at, sizeof f.at);
    return f;
}

static void apply(const frame* f, const double v[3], double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] = f->at[k] + f->turn[k][0] * v[0] + f->turn[k][1] * v[1] + f->turn[k][2] * v[2];
}

static frame body_frame(const tact_pose* p, const double origin[3])
{
    const double at[3] = {p->x - origin[0], p->y - origin[1], p->z - origin[2]};
    return frame_of(p->rotation, (double)p->scale, at);
}

static frame part_frame(const frame* whole, const tact_body_part* p)
{
    const double own[3] = {(double)p->position.x, (double)p->position.y, (double)p->position.z};
    double at[3];
    apply(whole, own, at);
    frame f = frame_of(p->rotation, (double)p->scale, at);
    double turn[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k)
            turn[i][k] =
                whole->turn[i][0] * f.turn[0][k] + whole->turn[i][1] * f.turn[1][k] + whole->turn[i][2] * f.turn[2][k];
    }
    memcpy(f.turn, turn, sizeof turn);
    return f;
}

// ---- What is seen whole ----

static bool moves(const tact_body_motion* m)
{
    return m->spin[0] != 0.0 || m->spin[1] != 0.0 || m->spin[2] != 0.0;
}

/// How far a body reaches along an axis of the world, from the origin of a stage. Infinite: it has no end.
static double reach_along(const tact_body_input* input, size_t body, const frame* f, int axis, double sign)
{
    double along[3], scale = 0.0;
    for (int k = 0; k < 3; ++k) {
        along[k] = sign * f->turn[axis][k];
        scale += along[k] * along[k];
    }
    scale = sqrt(scale);
    for (int k = 0; k < 3; ++k)
        along[k] /= scale;
    return sign * f->at[axis] + scale * tact_body_support(input, input->bodies[body].shape, along);
}

static tact_aabb box_about(const tact_body_input* input, const tact_pose* poses, const double origin[3], bool all)
{
    tact_aabb box = tact_aabb_empty();
    for (size_t i = 0; i < input->count; ++i) {
        const frame f = body_frame(&poses[i], origin);
        float *lower = &box.lower.x, *upper = &box.upper.x;
        const bool wanted = all || tact_body_is_solid(input, input->bodies[i].shape) || moves(&input->motions[i]);
        for (int k = 0; wanted && k < 3; ++k) {
            const double low = -reach_along(input, i, &f, k, -1.0), high = reach_along(input, i, &f, k, 1.0);
            if (!(low <= high && isfinite(low) && isfinite(high))) continue;
            lower[k] = fminf(lower[k], (float)low);
            upper[k] = fmaxf(upper[k], (float)high);
        }
    }
    if (!tact_aabb_is_empty(box)) return box;
    return all ? (tact_aabb){{-1, -1, -1}, {1, 1, 1}} : box_about(input, poses, origin, true);
}

/// Lowers a box to the uppermost half-space that lies level below its top, and not far away. False: there is none.
static bool find_floor(const tact_body_input* input, const tact_pose* poses, const double origin[3], tact_aabb* box)
{
    const float size =
        fmaxf(fmaxf(box->upper.x - box->lower.x, box->upper.z - box->lower.z), box->upper.y - box->lower.y);
    float highest = -INFINITY;
    for (size_t i = 0; i < input->count; ++i) {
        if (input->shapes[input->bodies[i].shape].kind != TACT_BODY_HALF_SPACE) continue;
        const frame f = body_frame(&poses[i], origin);
        const double level = f.turn[1][1] / sqrt(f.turn[0][1] * f.turn[0][1] + f.turn[1][1] * f.turn[1][1] +
                                                 f.turn[2][1] * f.turn[2][1]);
        if (level > 0.9999 && f.at[1] < (double)box->upper.y) highest = fmaxf(highest, (float)f.at[1]);
    }
    if (!(highest > box->lower.y - size)) return false;
    box->lower.y = highest;
    return true;
}

tact_bodies_stage tact_bodies_stage_of(const tact_body_input* input, const tact_pose* poses)
{
    const tact_pose* last = input->count > 0 ? &poses[input->count - 1] : NULL;
    tact_bodies_stage stage = {.origin = {last ? last->x : 0.0, last ? last->y : 0.0, last ? last->z : 0.0}};
    stage.bounds = box_about(input, poses, stage.origin, false);
    stage.floor = find_floor(input, poses, stage.origin, &stage.bounds);
    return stage;
}

// ---- The model ----

/// What is drawn: meshes of the shapes, by number, then those of surfaces where they lie.
typedef struct drawing {
    const tact_bodies_picture* of;
    tact_sphere_view eye;
    tact_model model;
    tact_light_color* tints;  ///< of each instance
    size_t tint_room;
    tact_light_color tint;  ///< of the body that is added
    double size;            ///< of the solid parts, the sum of half their widths
    size_t parts;
} drawing;

static bool add_instance(drawing* d, uint32_t mesh, const float transform[12], tact_problem* problem)
{
    const size_t n = d->model.instance_count;
    if (n == d->tint_room) {
        const size_t room = 2 * n + 64;
        tact_light_color* tints = realloc(d->tints, room * sizeof *tints);
        if (!tints) return tact_problem_out_of_memory(problem, "a picture");
        d->tints = tints;
        d->tint_room = room;
    }
    d->tints[n] = d->tint;
    return tact_model_add_instance(&d->model, mesh, transform, problem);
}

static bool add_solid(drawing* d, uint32_t shape, const frame* f, tact_problem* problem)
{
    const tact_model_mesh* mesh = &d->model.meshes[shape];
    if (mesh->triangle_count == 0) return true;
    float transform[12];
    for (int row = 0; row < 3; ++row) {
        for (int k = 0; k < 3; ++k)
            transform[4 * row + k] = (float)f->turn[row][k];
        transform[4 * row + 3] = (float)f->at[row];
    }
    const double scale =
        sqrt(f->turn[0][0] * f->turn[0][0] + f->turn[1][0] * f->turn[1][0] + f->turn[2][0] * f->turn[2][0]);
    d->size += scale * tact_mesh_extent_of(mesh).radius;
    ++d->parts;
    return add_instance(d, shape, transform, problem);
}

static bool surface_room(tact_model_mesh* mesh, size_t vertices, size_t triangles, tact_problem* problem)
{
    *mesh = (tact_model_mesh){.vertex_count = vertices};
    mesh->positions = malloc((3 * vertices + 1) * sizeof *mesh->positions);
    mesh->indices = malloc((3 * triangles + 1) * sizeof *mesh->indices);
    if (mesh->positions && mesh->indices) return true;
    tact_model_mesh_free(mesh);
    return tact_problem_out_of_memory(problem, "a picture");
}

/// Adds a triangle, unless it is one-sided and the eye is behind it.
static void add_triangle(const drawing* d, const tact_body_shape* s, const uint32_t corners[3], tact_model_mesh* mesh)
{
    const float* p[3];
    double a[3], b[3], to[3];
    for (int i = 0; i < 3; ++i)
        p[i] = mesh->positions + 3 * (size_t)corners[i];
    for (int k = 0; k < 3; ++k) {
        a[k] = (double)p[1][k] - (double)p[0][k];
        b[k] = (double)p[2][k] - (double)p[0][k];
        to[k] = (double)d->eye.eye[k] - (double)p[0][k];
    }
    const double facing =
        to[0] * (a[1] * b[2] - a[2] * b[1]) + to[1] * (a[2] * b[0] - a[0] * b[2]) + to[2] * (a[0] * b[1] - a[1] * b[0]);
    if (s->one_sided && !(facing > 0.0)) return;
    memcpy(mesh->indices + 3 * mesh->triangle_count++, corners, 3 * sizeof *corners);
}

static void put_vertex(const frame* f, double x, double y, double z, float* to)
{
    double at[3];
    apply(f, (const double[3]){x, y, z}, at);
    for (int k = 0; k < 3; ++k)
        to[k] = (float)at[k];
}

static bool mesh_surface(const drawing* d, const tact_body_shape* s, const frame* f, tact_model_mesh* mesh,
                         tact_problem* problem)
{
    if (!surface_room(mesh, s->point_count, s->triangle_count, problem)) return false;
    for (size_t i = 0; i < s->point_count; ++i)
        put_vertex(f, (double)s->points[i].x, (double)s->points[i].y, (double)s->points[i].z, mesh->positions + 3 * i);
    for (size_t i = 0; i < s->triangle_count; ++i)
        add_triangle(d, s, s->triangles + 3 * i, mesh);
    return true;
}

static bool field_surface(const drawing* d, const tact_body_shape* s, const frame* f, tact_model_mesh* mesh,
                          tact_problem* problem)
{
    const uint32_t columns = s->columns, rows = s->rows;
    const size_t cells = (size_t)(columns - 1) * (rows - 1);
    if (!surface_room(mesh, (size_t)columns * rows, 2 * cells, problem)) return false;
    for (size_t i = 0; i < (size_t)columns * rows; ++i) {
        put_vertex(f, (double)s->half.x * (double)(i % columns), (double)s->heights[i],
                   (double)s->half.z * (double)(i / columns), mesh->positions + 3 * i);
    }
    for (size_t cell = 0; cell < cells; ++cell) {
        const uint32_t a = (uint32_t)(cell / (columns - 1) * columns + cell % (columns - 1)), b = a + 1,
                       c = a + columns, e = c + 1;
        add_triangle(d, s, (const uint32_t[3]){a, c, b}, mesh);
        add_triangle(d, s, (const uint32_t[3]){b, c, e}, mesh);
    }
    return true;
}

static bool add_surface(drawing* d, const tact_body_shape* s, const frame* f, tact_problem* problem)
{
    tact_model_mesh mesh;
    const bool field = s->kind == TACT_BODY_HEIGHT_FIELD;
    if (field ? !field_surface(d, s, f, &mesh, problem) : !mesh_surface(d, s, f, &mesh, problem)) return false;
    return tact_model_add_mesh(&d->model, &mesh, problem) &&
           add_instance(d, (uint32_t)d->model.mesh_count - 1, NULL, problem);
}

static bool add_shape(drawing* d, uint32_t shape, const frame* f, tact_problem* problem)
{
    const tact_body_shape* s = &d->of->input->shapes[shape];
    if (s->kind == TACT_BODY_MESH || s->kind == TACT_BODY_HEIGHT_FIELD) return add_surface(d, s, f, problem);
    bool good = true;
    for (size_t i = 0; good && i < s->part_count; ++i) {
        const frame part = part_frame(f, &s->parts[i]);
        good = add_shape(d, s->parts[i].shape, &part, problem);
    }
    return good && add_solid(d, shape, f, problem);
}

static tact_light_color tint_of(const tact_bodies_picture* p, size_t body)
{
    static const tact_light_color kinds[TACT_BODY_KIND_COUNT] = {
        [TACT_BODY_SPHERE] = {0.72f, 0.10f, 0.06f},      [TACT_BODY_CAPSULE] = {0.80f, 0.34f, 0.04f},
        [TACT_BODY_BOX] = {0.06f, 0.22f, 0.52f},         [TACT_BODY_HULL] = {0.40f, 0.40f, 0.42f},
        [TACT_BODY_CYLINDER] = {0.05f, 0.38f, 0.30f},    [TACT_BODY_CONE] = {0.76f, 0.58f, 0.10f},
        [TACT_BODY_COMPOUND] = {0.34f, 0.10f, 0.42f},    [TACT_BODY_MESH] = {0.42f, 0.395f, 0.36f},
        [TACT_BODY_HEIGHT_FIELD] = {0.34f, 0.37f, 0.27f}};
    const tact_body_kind kind = p->input->shapes[p->input->bodies[body].shape].kind;
    if (p->color == TACT_BODY_COLOR_KIND || !tact_body_is_solid(p->input, p->input->bodies[body].shape))
        return kinds[kind];
    const bool speed = p->color == TACT_BODY_COLOR_SPEED;
    const tact_particle_palette palette = {
        .color = speed ? TACT_COLOR_SPEED : TACT_COLOR_ID, .fastest = p->fastest, .count = p->input->count};
    float row[7] = {0.0f};
    if (p->velocities) memcpy(row + 4, p->velocities + 3 * body, 3 * sizeof *row);
    return tact_particle_tint(&palette, row, body);
}

static bool fill(drawing* d, tact_problem* problem)
{
    const tact_bodies_picture* p = d->of;
    for (size_t s = 0; s < p->input->shape_count; ++s) {
        tact_model_mesh mesh;
        if (!solid_mesh(&p->input->shapes[s], &mesh, problem) || !tact_model_add_mesh(&d->model, &mesh, problem))
            return false;
    }
    for (size_t i = 0; i < p->input->count; ++i) {
        const frame f = body_frame(&p->poses[i], p->stage->origin);
        d->tint = tint_of(p, i);
        if (!add_shape(d, p->input->bodies[i].shape, &f, problem)) return false;
    }
    return true;
}

static bool draw(drawing* d, const char* path, tact_problem* problem)
{
    const tact_bodies_picture* p = d->of;
    const float half = d->parts > 0 ? (float)(d->size / (double)d->parts) : 1.0f;
    const tact_particle_stage_desc desc = {.width = p->width,
                                           .height = p->height,
                                           .bounds = p->stage->bounds,
                                           .azimuth = p->azimuth,
                                           .elevation = p->elevation,
                                           .floor = p->stage->floor,
                                           .model = &d->model,
                                           .tints = d->tints,
                                           .context = p->context,
                                           .smallest = half,
                                           .largest = half};
    tact_particle_stage* stage = NULL;
    unsigned char* rgb = malloc((size_t)p->width * p->height * 3);
    if (!rgb) return tact_problem_out_of_memory(problem, path);
    const bool good = tact_particle_stage_create(&desc, &stage, problem) &&
                      tact_particle_stage_draw(stage, NULL, 0, rgb, problem) &&
                      tact_picture_write(path, p->width, p->height, rgb, problem);
    tact_particle_stage_destroy(stage);
    free(rgb);
    return good;
}

bool tact_picture_of_bodies(const char* path, const tact_bodies_picture* picture, tact_problem* problem)
{
    drawing d = {.of = picture};
    tact_particle_camera(picture->stage->bounds, picture->azimuth, picture->elevation, picture->width, picture->height,
                         &d.eye);
    const bool good = fill(&d, problem) && draw(&d, path, problem);
    tact_model_free(&d.model);
    free(d.tints);
    return good;
}
