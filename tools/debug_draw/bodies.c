// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Bodies with a pose, and where they touch. Positions are of double precision and vertices of single: what is drawn is
// moved to an origin of the caller's first.

#include <math.h>

#include "core/bodies/bodies.h"
#include "tact/geometry/hull.h"
#include "tools/debug_draw/debug_draw.h"

/// Where a body is from the origin.
typedef struct place {
    tact_debug_point at;
    double turn[3][3], scale;
} place;

static place place_of(const tact_pose* pose, const double origin[3])
{
    const tact_quat* q = &pose->rotation;
    const double qx = (double)q->x, qy = (double)q->y, qz = (double)q->z, qw = (double)q->w;
    const double length = sqrt(qx * qx + qy * qy + qz * qz + qw * qw);
    const double x = qx / length, y = qy / length, z = qz / length, w = qw / length;
    return (place){.at = {{pose->x - (origin ? origin[0] : 0.0), pose->y - (origin ? origin[1] : 0.0),
                           pose->z - (origin ? origin[2] : 0.0)}},
                   .turn = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                            {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                            {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}},
                   .scale = (double)pose->scale};
}

static tact_debug_point moved(const place* p, double x, double y, double z)
{
    tact_debug_point out = p->at;
    for (int k = 0; k < 3; ++k)
        out.p[k] += p->scale * (p->turn[k][0] * x + p->turn[k][1] * y + p->turn[k][2] * z);
    return out;
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

static void put_box(tact_debug_batch* batch, const place* at, const float half[3], double radius)
{
    // Counterclockwise from outside.
    static const uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    tact_vec3 points[8];
    for (int c = 0; c < 8; ++c) {
        points[c] = (tact_vec3){c & 1 ? half[0] : -half[0], c & 2 ? half[1] : -half[1], c & 4 ? half[2] : -half[2]};
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

static tact_result draw_hull(tact_debug_batch* batch, hulls* h, const place* at, uint32_t shape, double radius)
{
    const float* row = h->set->shapes + (size_t)shape * TACT_GIVEN_SHAPE;
    const tact_vec3* points = h->set->points + as_uint(row[5]);
    if (!h->made[shape]) {
        const tact_allocator* allocator = &h->set->context->env.allocator;
        const tact_result result = tact_hull_mesh_3d(points, as_uint(row[6]), allocator, &h->meshes[shape]);
        if (result != TACT_OK) return result;
        h->made[shape] = true;
    }
    put_hull(batch, at, &h->meshes[shape], points, radius);
    return TACT_OK;
}

static tact_result draw_body(tact_debug_batch* batch, hulls* h, const tact_body* body, const double origin[3],
                             float size)
{
    const float* row = h->set->shapes + (size_t)body->shape * TACT_GIVEN_SHAPE;
    const place at = place_of(&body->pose, origin);
    const double radius = (double)row[1] * at.scale;
    const tact_vec3 up = {(float)at.turn[0][1], (float)at.turn[1][1], (float)at.turn[2][1]};
    switch ((tact_body_kind)as_uint(row[0])) {
        case TACT_BODY_SPHERE:
            tact_debug_put_sphere(batch, TACT_DEBUG_VOLUME, (tact_sphere){single(at.at), (float)radius});
            return TACT_OK;
        case TACT_BODY_CAPSULE:
            put_segment(batch, &at, (tact_vec3){0.0f, -row[3], 0.0f}, (tact_vec3){0.0f, row[3], 0.0f}, radius);
            return TACT_OK;
        case TACT_BODY_BOX:
            put_box(batch, &at, row + 2, radius);
            return TACT_OK;
        case TACT_BODY_HULL:
            return draw_hull(batch, h, &at, body->shape, radius);
        default: {
            const double d = (double)up.x * at.at.p[0] + (double)up.y * at.at.p[1] + (double)up.z * at.at.p[2];
            tact_debug_put_plane(batch, (tact_plane){up, (float)d}, single(at.at), (double)size);
            return TACT_OK;
        }
    }
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
        if (tact_volumes_contains(set->boxes, (uint32_t)id)) result = draw_body(&batch, &h, &set->bodies[id], origin, size);
    }
    release(env, &h);
    const tact_result drawn = tact_debug_end(&batch);
    return result == TACT_OK ? drawn : result;
}

// ---- Contacts ----

static void put_contact(tact_debug_batch* batch, const place* a, const tact_contact* c, float length)
{
    const tact_debug_point n = tact_debug_at(c->normal);
    for (uint32_t i = 0; i < c->count && i < TACT_CONTACT_MOST_POINTS; ++i) {
        const tact_contact_point* point = &c->point[i];
        const tact_debug_point at = tact_debug_along(a->at, 1.0, tact_debug_at(point->at));
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
        if (!tact_volumes_contains(set->boxes, contacts[i].a))
            return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "contact %zu: body %u is not in the set", i,
                             contacts[i].a);
    }
    tact_debug_batch batch;
    tact_debug_begin(&batch, draw);
    for (size_t i = 0; i < count; ++i) {
        const place a = place_of(&set->bodies[contacts[i].a].pose, origin);
        put_contact(&batch, &a, &contacts[i], length);
    }
    return tact_debug_end(&batch);
}
