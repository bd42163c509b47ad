// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Bodies with a pose, and where they touch. Positions are of double precision and vertices of single: what is drawn is
// moved to an origin of the caller's first.

#include <math.h>

#include "core/bodies/bodies.h"
#include "tact/geometry/hull.h"
#include "tools/debug_draw/debug_draw.h"

/// Where a body, or a part of one, is from the origin.
typedef struct place {
    tact_debug_point at;
    double turn[3][3], scale;
} place;

static place place_at(double x, double y, double z, const tact_quat* q, float scale)
{
    const double qx = (double)q->x, qy = (double)q->y, qz = (double)q->z, qw = (double)q->w;
    const double length = sqrt(qx * qx + qy * qy + qz * qz + qw * qw);
    const double a = qx / length, b = qy / length, c = qz / length, w = qw / length;
    return (place){.at = {{x, y, z}},
                   .turn = {{1 - 2 * (b * b + c * c), 2 * (a * b - c * w), 2 * (a * c + b * w)},
                            {2 * (a * b + c * w), 1 - 2 * (a * a + c * c), 2 * (b * c - a * w)},
                            {2 * (a * c - b * w), 2 * (b * c + a * w), 1 - 2 * (a * a + b * b)}},
                   .scale = (double)scale};
}

static place place_of(const tact_pose* pose, const double origin[3])
{
    return place_at(pose->x - (origin ? origin[0] : 0.0), pose->y - (origin ? origin[1] : 0.0),
                    pose->z - (origin ? origin[2] : 0.0), &pose->rotation, pose->scale);
}

static tact_debug_point moved(const place* p, double x, double y, double z)
{
    tact_debug_point out = p->at;
    for (int k = 0; k < 3; ++k)
        out.p[k] += p->scale * (p->turn[k][0] * x + p->turn[k][1] * y + p->turn[k][2] * z);
    return out;
}

static place place_of_part(const place* body, const tact_body_part* part)
{
    const place own = place_at((double)part->position.x, (double)part->position.y, (double)part->position.z,
                               &part->rotation, part->scale);
    place out = {.at = moved(body, own.at.p[0], own.at.p[1], own.at.p[2]), .scale = body->scale * own.scale};
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out.turn[r][c] = body->turn[r][0] * own.turn[0][c] + body->turn[r][1] * own.turn[1][c] +
                             body->turn[r][2] * own.turn[2][c];
        }
    }
    return out;
}

static tact_debug_point axis_of(const place* p, int axis, double length)
{
    return (tact_debug_point){{length * p->turn[0][axis], length * p->turn[1][axis], length * p->turn[2][axis]}};
}

static tact_vec3 single(tact_debug_point p)
{
    return (tact_vec3){(float)p.p[0], (float)p.p[1], (float)p.p[2]};
}

/// Of a face with more corners the rest are left out; no hull of a set has so many.
enum { MOST_CORNERS = TACT_HULL_MOST_POINTS };

/// A face of a polytope, out by the radius around it.
typedef struct face {
    const tact_vec3* points;
    uint32_t corners[MOST_CORNERS];
    uint32_t count;
} face;

static void move_out(tact_debug_point* corners, uint32_t count, double radius)
{
    double n[3] = {0.0, 0.0, 0.0}, square = 0.0;
    for (uint32_t i = 1; i + 1 < count; ++i) {
        const double *o = corners[0].p, *a = corners[i].p, *b = corners[i + 1].p;
        for (int k = 0; k < 3; ++k) {
            const int l = (k + 1) % 3, m = (k + 2) % 3;
            n[k] += (a[l] - o[l]) * (b[m] - o[m]) - (a[m] - o[m]) * (b[l] - o[l]);
        }
    }
    for (int k = 0; k < 3; ++k)
        square += n[k] * n[k];
    if (!(square > 0.0)) return;
    const tact_debug_point normal = {{n[0], n[1], n[2]}};
    for (uint32_t i = 0; i < count; ++i)
        corners[i] = tact_debug_along(corners[i], radius / sqrt(square), normal);
}

/// Draws the outline. Without a radius each edge is that of two faces, of which one draws it; `alone`: there is no
/// other.
static void put_face(tact_debug_batch* batch, const place* at, const face* f, double radius, bool alone)
{
    tact_debug_point corners[MOST_CORNERS];
    for (uint32_t i = 0; i < f->count; ++i) {
        const tact_vec3 p = f->points[f->corners[i]];
        corners[i] = moved(at, (double)p.x, (double)p.y, (double)p.z);
    }
    if (radius > 0.0) move_out(corners, f->count, radius);
    for (uint32_t i = 0; i < f->count; ++i) {
        const uint32_t j = (i + 1) % f->count;
        if (alone || radius > 0.0 || f->corners[i] < f->corners[j])
            tact_debug_put_line(batch, TACT_DEBUG_VOLUME, corners[i], corners[j]);
    }
}

static void put_box(tact_debug_batch* batch, const place* at, tact_vec3 half, double radius)
{
    // Counterclockwise from outside.
    static const uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    tact_vec3 points[8];
    for (int c = 0; c < 8; ++c) {
        points[c] = (tact_vec3){c & 1 ? half.x : -half.x, c & 2 ? half.y : -half.y, c & 4 ? half.z : -half.z};
    }
    for (int i = 0; i < 6; ++i) {
        const face f = {points, {faces[i][0], faces[i][1], faces[i][2], faces[i][3]}, 4};
        put_face(batch, at, &f, radius, false);
    }
}

static void put_segment(tact_debug_batch* batch, const place* at, tact_vec3 a, tact_vec3 b, double radius)
{
    const tact_debug_point from = moved(at, (double)a.x, (double)a.y, (double)a.z),
                           to = moved(at, (double)b.x, (double)b.y, (double)b.z);
    if (radius > 0.0)
        tact_debug_put_capsule(batch, TACT_DEBUG_VOLUME, (tact_capsule){single(from), single(to), (float)radius});
    else
        tact_debug_put_line(batch, TACT_DEBUG_VOLUME, from, to);
}

static void put_hull(tact_debug_batch* batch, const place* at, const tact_hull_mesh* hull, const tact_vec3* points,
                     double radius)
{
    if (hull->dimension < 2) {
        const tact_vec3 a = points[hull->vertices[0]], b = points[hull->vertices[hull->vertex_count - 1]];
        put_segment(batch, at, a, b, radius);
        return;
    }
    for (size_t f = 0; f < hull->facet_count; ++f) {
        face out = {.points = points};
        for (uint32_t t = hull->facet_start[f]; t < hull->facet_start[f + 1]; ++t) {
            const uint32_t* corners = hull->triangles + 3 * (size_t)t;
            const bool first = t == hull->facet_start[f];
            for (int k = first ? 0 : 2; k < 3 && out.count < MOST_CORNERS; ++k)
                out.corners[out.count++] = corners[k];
        }
        put_face(batch, at, &out, radius, hull->dimension == 2);
    }
}

// ---- A set ----

/// The hulls of a set's shapes, made when they are first drawn.
typedef struct hulls {
    const tact_bodies* set;
    tact_hull_mesh* meshes;
    bool* made;
} hulls;

static void release(tact_env* env, hulls* h)
{
    for (size_t i = 0; h->made && i < h->set->shape_count; ++i)
        if (h->made[i]) tact_hull_mesh_free(&h->meshes[i]);
    tact_release(env, h->meshes);
    tact_release(env, h->made);
}

static tact_result open_hulls(tact_env* env, hulls* h)
{
    h->meshes = tact_allocate_zeroed(env, h->set->shape_count + 1, sizeof *h->meshes);
    h->made = tact_allocate_zeroed(env, h->set->shape_count + 1, sizeof *h->made);
    return h->meshes && h->made ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

/// Rings and four lines between them, or to the tip of a cone.
static void put_round(tact_debug_batch* batch, const place* at, const tact_body_shape* s)
{
    const double h = (double)s->half.y, r = (double)s->radius;
    const tact_debug_point low = moved(at, 0.0, -h, 0.0), high = moved(at, 0.0, h, 0.0);
    const tact_debug_point u = axis_of(at, 0, 1.0), v = axis_of(at, 2, 1.0);
    const bool cone = s->kind == TACT_BODY_CONE;
    tact_debug_put_arc(batch, TACT_DEBUG_VOLUME, low, u, v, at->scale * r, TACT_DEBUG_ROUND);
    if (!cone) tact_debug_put_arc(batch, TACT_DEBUG_VOLUME, high, u, v, at->scale * r, TACT_DEBUG_ROUND);
    for (int i = 0; i < 4; ++i) {
        const double x = i % 2 ? 0.0 : i ? -r : r, z = i % 2 ? i > 1 ? -r : r : 0.0;
        tact_debug_put_line(batch, TACT_DEBUG_VOLUME, moved(at, x, -h, z), cone ? high : moved(at, x, h, z));
    }
}

static void put_mesh(tact_debug_batch* batch, const place* at, const tact_body_shape* s)
{
    for (size_t t = 0; t < s->triangle_count; ++t) {
        tact_debug_point p[3];
        for (int k = 0; k < 3; ++k) {
            const tact_vec3 c = s->points[s->triangles[3 * t + (size_t)k]];
            p[k] = moved(at, (double)c.x, (double)c.y, (double)c.z);
        }
        for (int k = 0; k < 3; ++k)
            tact_debug_put_line(batch, TACT_DEBUG_VOLUME, p[k], p[(k + 1) % 3]);
    }
}

static tact_debug_point height_at(const place* at, const tact_body_shape* s, size_t column, size_t row)
{
    const float x = (float)column * s->half.x, z = (float)row * s->half.z;
    return moved(at, (double)x, (double)s->heights[row * s->columns + column], (double)z);
}

/// Rows, columns and the edge within each cell.
static void put_heights(tact_debug_batch* batch, const place* at, const tact_body_shape* s)
{
    for (size_t row = 0; row < s->rows; ++row) {
        for (size_t column = 0; column < s->columns; ++column) {
            const tact_debug_point p = height_at(at, s, column, row);
            const bool right = column + 1 < s->columns, down = row + 1 < s->rows;
            if (right) tact_debug_put_line(batch, TACT_DEBUG_VOLUME, p, height_at(at, s, column + 1, row));
            if (down) tact_debug_put_line(batch, TACT_DEBUG_VOLUME, p, height_at(at, s, column, row + 1));
            if (right && down)
                tact_debug_put_line(batch, TACT_DEBUG_VOLUME, height_at(at, s, column + 1, row),
                                    height_at(at, s, column, row + 1));
        }
    }
}

static tact_result draw_hull(tact_debug_batch* batch, hulls* h, const place* at, uint32_t number,
                             const tact_body_shape* s)
{
    if (!h->made[number]) {
        const tact_allocator* allocator = &h->set->context->env.allocator;
        const tact_result result = tact_hull_mesh_3d(s->points, s->point_count, allocator, &h->meshes[number]);
        if (result != TACT_OK) return result;
        h->made[number] = true;
    }
    put_hull(batch, at, &h->meshes[number], s->points, (double)s->radius * at->scale);
    return TACT_OK;
}

static void put_half_space(tact_debug_batch* batch, const place* at, float size)
{
    const tact_debug_point up = axis_of(at, 1, 1.0);
    const double d = up.p[0] * at->at.p[0] + up.p[1] * at->at.p[1] + up.p[2] * at->at.p[2];
    tact_debug_put_plane(batch, (tact_plane){single(up), (float)d}, single(at->at), (double)size);
}

/// The shape of a set as it was given.
static tact_body_shape shape_of(const tact_bodies* set, uint32_t number)
{
    tact_body_shape shape;
    const char* wrong = tact_given_shape(set->shapes + (size_t)number * TACT_GIVEN_SHAPE,
                                         &(tact_given){set->words, set->word_count}, &shape);
    TACT_ASSERT(!wrong);
    (void)wrong;
    return shape;
}

static tact_result draw_shape(tact_debug_batch* batch, hulls* h, const place* at, uint32_t number, float size)
{
    const tact_body_shape s = shape_of(h->set, number);
    const double radius = (double)s.radius * at->scale;
    tact_result result = TACT_OK;
    switch (s.kind) {
        case TACT_BODY_SPHERE:
            tact_debug_put_sphere(batch, TACT_DEBUG_VOLUME, (tact_sphere){single(at->at), (float)radius});
            break;
        case TACT_BODY_CAPSULE:
            put_segment(batch, at, (tact_vec3){0.0f, -s.half.y, 0.0f}, (tact_vec3){0.0f, s.half.y, 0.0f}, radius);
            break;
        case TACT_BODY_BOX:
            put_box(batch, at, s.half, radius);
            break;
        case TACT_BODY_HULL:
            result = draw_hull(batch, h, at, number, &s);
            break;
        case TACT_BODY_HALF_SPACE:
            put_half_space(batch, at, size);
            break;
        case TACT_BODY_CYLINDER:
        case TACT_BODY_CONE:
            put_round(batch, at, &s);
            break;
        case TACT_BODY_COMPOUND:
            for (size_t i = 0; i < s.part_count && result == TACT_OK; ++i) {
                const place part = place_of_part(at, &s.parts[i]);
                result = draw_shape(batch, h, &part, s.parts[i].shape, size);
            }
            break;
        case TACT_BODY_MESH:
            put_mesh(batch, at, &s);
            break;
        default:
            put_heights(batch, at, &s);
    }
    return result;
}

tact_result tact_debug_bodies(tact_debug_draw* draw, const tact_bodies* set, const double origin[3], float size)
{
    if (!tact_enter(set ? set->context : NULL, "set")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &set->context->env;
    if (!draw) return tact_null(env, "draw");
    hulls h = {.set = set};
    tact_result result = open_hulls(env, &h);
    tact_debug_batch batch;
    tact_debug_begin(&batch, draw);
    const size_t end = result == TACT_OK ? tact_volumes_id_end(set->boxes) : 0;
    for (size_t id = 0; id < end && result == TACT_OK; ++id) {
        if (!tact_volumes_contains(set->boxes, (uint32_t)id)) continue;
        const place at = place_of(&set->bodies[id].pose, origin);
        result = draw_shape(&batch, &h, &at, set->bodies[id].shape, size);
    }
    release(env, &h);
    const tact_result drawn = tact_debug_end(&batch);
    return result == TACT_OK ? drawn : result;
}

// ---- Contacts ----

static void put_contact(tact_debug_batch* batch, const place* from, const tact_contact* c, float length)
{
    const tact_debug_point n = tact_debug_at(c->normal);
    for (uint32_t i = 0; i < c->count && i < TACT_CONTACT_MOST_POINTS; ++i) {
        const tact_contact_point* point = &c->point[i];
        const tact_debug_point at = tact_debug_along(from->at, 1.0, tact_debug_at(point->at));
        const double half = 0.5 * (double)point->separation;
        // From the surface of A to that of B.
        tact_debug_put_line(batch, TACT_DEBUG_PENETRATION, tact_debug_along(at, -half, n),
                            tact_debug_along(at, half, n));
        tact_debug_put_line(batch, TACT_DEBUG_NORMAL, at, tact_debug_along(at, (double)length, n));
        tact_debug_put(batch, TACT_DEBUG_CONTACT, &at, 1);
    }
}

tact_result tact_debug_body_contacts(tact_debug_draw* draw, const tact_bodies* set, const tact_contact* contacts,
                                     size_t count, const double origin[3], float length)
{
    if (!tact_enter(set ? set->context : NULL, "set")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &set->context->env;
    if (!draw) return tact_null(env, "draw");
    if (!contacts && count > 0) return tact_null(env, "contacts");
    for (size_t i = 0; i < count; ++i) {
        if (!tact_volumes_contains(set->boxes, contacts[i].origin))
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "contact %zu: body %u is not in the set", i,
                             contacts[i].origin);
    }
    tact_debug_batch batch;
    tact_debug_begin(&batch, draw);
    for (size_t i = 0; i < count; ++i) {
        const place from = place_of(&set->bodies[contacts[i].origin].pose, origin);
        put_contact(&batch, &from, &contacts[i], length);
    }
    return tact_debug_end(&batch);
}
