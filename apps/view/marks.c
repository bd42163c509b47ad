// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Where two answers differ, in the colours of both.

#include <math.h>
#include <string.h>

#include "apps/view/recording.h"
#include "tact/mesh_filter.h"
#include "tact/point_cloud.h"

/// A drawing on the way to another one.
typedef struct watch {
    tact_debug_draw* to;
    tact_bounds* box;  ///< extended about what is drawn; NULL: there is none
    bool dashed;       ///< lines, so that others in the same place are seen
} watch;

/// One of the two.
typedef struct marking {
    tact_sketch s;        ///< its recording, index and query; `draw` extends the box about what differs
    tact_debug_draw far;  ///< draws what may lead far away
    const tact_replay_difference* difference;
    const unsigned char* item;
    double origin[3];  ///< of bodies, as they are drawn
    float reach;
} marking;

static const watch* watched(const tact_debug_vertex* v, size_t count, void* user)
{
    const watch* w = user;
    for (size_t i = 0; w->box && i < count; ++i)
        tact_bounds_extend(w->box, v[i].position);
    return w;
}

static tact_result watch_points(const tact_debug_vertex* v, size_t count, void* user)
{
    const watch* w = watched(v, count, user);
    return w->to->points(v, count, w->to->user);
}

/// Dashes begin and end where the line does.
static tact_result put_dashes(const watch* w, const tact_debug_vertex line[2])
{
    enum { PARTS = 7 };
    tact_debug_vertex dashes[PARTS + 1];
    for (int i = 0; i <= PARTS; ++i) {
        const float part = (float)i / PARTS;
        dashes[i] = line[0];
        for (int k = 0; k < 3; ++k)
            dashes[i].position[k] = (1.0f - part) * line[0].position[k] + part * line[1].position[k];
    }
    return w->to->lines(dashes, PARTS + 1, w->to->user);
}

static tact_result watch_lines(const tact_debug_vertex* v, size_t count, void* user)
{
    const watch* w = watched(v, count, user);
    tact_result result = TACT_OK;
    if (!w->dashed) return w->to->lines(v, count, w->to->user);
    for (size_t i = 0; i + 1 < count && result >= TACT_OK; i += 2)
        result = put_dashes(w, v + i);
    return result;
}

static tact_result watch_triangles(const tact_debug_vertex* v, size_t count, void* user)
{
    const watch* w = watched(v, count, user);
    return w->to->triangles(v, count, w->to->user);
}

static tact_debug_draw through(watch* w)
{
    return (tact_debug_draw){
        .points = watch_points, .lines = watch_lines, .triangles = watch_triangles, .user = w, .colors = w->to->colors};
}

/// A row of an array of the query; NULL: there is none.
static const void* row_of(const marking* m, const char* name, uint64_t row)
{
    tact_recorded_array a;
    if (!tact_sketch_array(&m->s, name, &a) || row >= a.rows) return NULL;
    return (const uint32_t*)a.data + row * a.columns;
}

/// Three short lines and a point.
static tact_result put_cross(marking* m, const float at[3])
{
    tact_result result = TACT_OK;
    if (!isfinite(at[0]) || !isfinite(at[1]) || !isfinite(at[2])) return TACT_OK;
    for (int i = 0; i < 3 && result >= TACT_OK; ++i) {
        float a[3] = {at[0], at[1], at[2]}, b[3] = {at[0], at[1], at[2]};
        a[i] -= 0.02f * m->reach;
        b[i] += 0.02f * m->reach;
        result = tact_sketch_line(&m->s.draw, TACT_DEBUG_RAY, a, b);
    }
    return result >= TACT_OK ? tact_sketch_point(&m->s.draw, TACT_DEBUG_HIT, at) : result;
}

// ---- Rays, spheres, points ----

/// To the hit; one that hits nothing goes on for a while.
static tact_result mark_ray(marking* m, const tact_ray* ray, bool hit, float t)
{
    const float from[3] = {ray->ox, ray->oy, ray->oz}, way[3] = {ray->dx, ray->dy, ray->dz};
    const float length = sqrtf(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    const float part = hit ? t : length > 0.0f ? fminf(ray->tmax, 1.5f * m->reach / length) : 0.0f;
    float to[3];
    for (int i = 0; i < 3; ++i)
        to[i] = from[i] + part * way[i];
    const tact_result result = tact_sketch_line(&m->far, TACT_DEBUG_RAY, from, to);
    return result >= TACT_OK && hit ? put_cross(m, to) : result;
}

static tact_result mark_rays(marking* m)
{
    const tact_ray* ray = row_of(m, "rays", m->difference->row);
    tact_hit hit = {.instance = TACT_NONE};
    // A byte is whether there is a hit, not where.
    if (m->difference->layout.parts[0] != 'b') memcpy(&hit, m->item, sizeof hit);
    return ray ? mark_ray(m, ray, hit.instance != TACT_NONE, hit.t) : TACT_OK;
}

static tact_result mark_sphere(marking* m)
{
    const tact_sphere_cast* cast = row_of(m, "casts", m->difference->row);
    tact_sphere_hit hit;
    if (!cast) return TACT_OK;
    memcpy(&hit, m->item, sizeof hit);
    const bool touches = hit.instance != TACT_NONE;
    const tact_result result = mark_ray(m, &cast->ray, touches, hit.t);
    if (result < TACT_OK || !touches) return result;
    const tact_ray* r = &cast->ray;
    const tact_sphere there = {{r->ox + hit.t * r->dx, r->oy + hit.t * r->dy, r->oz + hit.t * r->dz}, cast->radius};
    return tact_debug_sphere(&m->s.draw, TACT_DEBUG_VOLUME, there);
}

/// From what was asked about to what was found.
static tact_result mark_way(marking* m, const float from[3], const float to[3])
{
    const tact_result result = tact_sketch_line(&m->s.draw, TACT_DEBUG_RAY, from, to);
    return result >= TACT_OK ? put_cross(m, to) : result;
}

/// The point that was found is at a byte of the item.
static tact_result mark_closest(marking* m, size_t at)
{
    const float* from = row_of(m, "points", m->difference->row);
    float found[3];
    memcpy(found, m->item + at, sizeof found);
    return from ? mark_way(m, from, found) : TACT_OK;
}

/// A point of a cloud that a query has found, or the sphere in which there is one or not.
static tact_result mark_cloud(marking* m)
{
    const uint32_t* parameters = m->s.query->parameters;
    const bool nearest = m->s.query->kind == TACT_RECORDED_CLOUD_NEAREST;
    const uint64_t each = nearest && parameters[0] > 0 ? parameters[0] : 1;
    const tact_closest_query* q = row_of(m, "queries", m->difference->row / each);
    uint32_t id;
    if (!q) return TACT_OK;
    const float from[3] = {q->x, q->y, q->z};
    if (m->difference->layout.parts[0] == 'b') {
        const tact_sphere ball = {{q->x, q->y, q->z}, fminf(q->max_distance, m->reach)};
        return tact_debug_sphere(&m->s.draw, TACT_DEBUG_VOLUME, ball);
    }
    memcpy(&id, m->item, sizeof id);
    const float* to = row_of(m, "points", id);
    return to ? mark_way(m, from, to) : put_cross(m, from);
}

// ---- Volumes and objects ----

/// A box or sphere of a set; `which` 1: of the second, if there is one.
static tact_result mark_volume(marking* m, uint32_t which, uint32_t id)
{
    tact_recorded_array a, volumes = {0};
    for (size_t k = 0, seen = 0; tact_recording_array(m->s.recording, m->s.index, k, &a); ++k) {
        if (strcmp(a.name, "volumes") != 0 || seen++ > which) continue;
        volumes = a;
    }
    if (id >= volumes.rows) return TACT_OK;
    return tact_sketch_volume(&m->s.draw, volumes.columns == 4 ? TACT_CULL_SPHERES : TACT_CULL_AABBS,
                              (const float*)volumes.data + (size_t)id * volumes.columns);
}

static tact_result mark_pair(marking* m)
{
    tact_pair pair;
    memcpy(&pair, m->item, sizeof pair);
    const tact_result result = mark_volume(m, 0, pair.a);
    return result >= TACT_OK ? mark_volume(m, 1, pair.b) : result;
}

static tact_result mark_culled(marking* m)
{
    uint32_t id;
    memcpy(&id, m->item, sizeof id);
    const void* volume = row_of(m, "volumes", id);
    return volume ? tact_sketch_volume(&m->s.draw, (tact_cull_kind)m->s.query->parameters[0], volume) : TACT_OK;
}

/// The bounds of an object of a scene.
static tact_result mark_object(marking* m)
{
    uint32_t id;
    tact_scene* scene = NULL;
    memcpy(&id, m->item, sizeof id);
    tact_result result = tact_recording_make_scene(m->s.recording, m->s.index, &scene);
    if (result == TACT_OK && scene) result = tact_debug_instance_bounds(&m->s.draw, scene, id);
    tact_scene_destroy(scene);
    return result;
}

// ---- Triangles ----

/// A triangle of a mesh of the query, in a frame; NULL: where it is.
static tact_result mark_triangle(marking* m, size_t mesh, uint32_t triangle, const float* frame)
{
    static const float still[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    tact_recorded_mesh of;
    float corner[3][3];
    if (!tact_recording_mesh(m->s.recording, m->s.index, mesh, &of) || triangle >= of.triangle_count) return TACT_OK;
    if (!frame) frame = still;
    for (size_t c = 0; c < 3; ++c) {
        const float* p = of.positions + 3 * (size_t)of.indices[3 * (size_t)triangle + c];
        for (size_t i = 0; i < 3; ++i)
            corner[c][i] = frame[4 * i] * p[0] + frame[4 * i + 1] * p[1] + frame[4 * i + 2] * p[2] + frame[4 * i + 3];
    }
    const tact_triangle t = {{corner[0][0], corner[0][1], corner[0][2]},
                             {corner[1][0], corner[1][1], corner[1][2]},
                             {corner[2][0], corner[2][1], corner[2][2]}};
    // Small ones would not be seen.
    const float middle[3] = {(t.a.x + t.b.x + t.c.x) / 3.0f, (t.a.y + t.b.y + t.c.y) / 3.0f,
                             (t.a.z + t.b.z + t.c.z) / 3.0f};
    const tact_result result = tact_debug_triangle(&m->s.draw, t, false);
    return result >= TACT_OK ? put_cross(m, middle) : result;
}

/// A triangle of each mesh; without a second one both of the first.
static tact_result mark_triangles(marking* m)
{
    tact_mesh_pair pair;
    tact_recorded_mesh second;
    if (m->difference->layout.parts[0] == 'b') return TACT_OK;
    memcpy(&pair, m->item, sizeof pair);
    const bool two = tact_recording_mesh(m->s.recording, m->s.index, 1, &second);
    const tact_result result = mark_triangle(m, 0, pair.a, NULL);
    return result >= TACT_OK ? mark_triangle(m, two, pair.b, two ? row_of(m, "poses", pair.pose) : NULL) : result;
}

static tact_result mark_filtered(marking* m)
{
    tact_filter_pair pair;
    memcpy(&pair, m->item, sizeof pair);
    const tact_filter_object *a = row_of(m, "objects", pair.object_a), *b = row_of(m, "objects", pair.object_b);
    const tact_result result = a ? mark_triangle(m, a->shape, pair.triangle_a, a->pose) : TACT_OK;
    return b && result >= TACT_OK ? mark_triangle(m, b->shape, pair.triangle_b, b->pose) : result;
}

// ---- Places ----

static tact_result mark_particle(marking* m, const float position[3], float radius)
{
    const tact_result result = put_cross(m, position);
    if (result < TACT_OK) return result;
    return tact_debug_sphere(&m->s.draw, TACT_DEBUG_VOLUME,
                             (tact_sphere){{position[0], position[1], position[2]}, 1.02f * radius});
}

/// Whatever in the item is a place.
static tact_result mark_places(marking* m)
{
    const char* parts = m->difference->layout.parts;
    const unsigned char* bytes = m->item;
    tact_replay_part part;
    tact_result result = TACT_OK;
    while (result >= TACT_OK && tact_replay_part_next(&parts, &bytes, &part)) {
        const bool place = strncmp(part.name, "point", 5) == 0 || strcmp(part.name, "position") == 0 ||
                           strcmp(part.name, "a") == 0 || strcmp(part.name, "b") == 0;
        if (part.count != 3 || !place) continue;
        const float at[3] = {(float)part.numbers[0], (float)part.numbers[1], (float)part.numbers[2]};
        result = put_cross(m, at);
    }
    return result;
}

// ---- All of them ----

static tact_result mark(marking* m)
{
    float row[8];
    switch (m->s.query->kind) {
        case TACT_RECORDED_RAYCAST:
        case TACT_RECORDED_RAYCAST_ALL:
            return mark_rays(m);
        case TACT_RECORDED_CLOSEST:
        case TACT_RECORDED_LOCATE:
            return mark_closest(m, 20);
        case TACT_RECORDED_SPHERES:
            return mark_sphere(m);
        case TACT_RECORDED_PAIRS:
            return mark_pair(m);
        case TACT_RECORDED_CULL:
            return mark_culled(m);
        case TACT_RECORDED_CULL_SCENE:
            return mark_object(m);
        case TACT_RECORDED_OVERLAP:
            return mark_triangles(m);
        case TACT_RECORDED_FILTER:
            return mark_filtered(m);
        case TACT_RECORDED_PARTICLES:
            memcpy(row, m->item, sizeof row);
            return mark_particle(m, row + 1, row[7]);
        case TACT_RECORDED_CLOUD_NEAREST:
        case TACT_RECORDED_CLOUD_WITHIN:
            return mark_cloud(m);
        case TACT_RECORDED_BODIES:
        case TACT_RECORDED_BODY_CASTS:
        case TACT_RECORDED_BODY_DISTANCES:
        case TACT_RECORDED_BODY_NEAREST:
            return tact_sketch_body_item(&m->s, m->item, m->origin, m->reach);
        default:
            return mark_places(m);
    }
}

/// The origin of bodies is that of the recording that is shown: the first one, if it has the query.
static void take_origin(tact_recording* const recordings[2], size_t index, double origin[3])
{
    const bool first = recordings[0] && index < tact_recording_count(recordings[0]);
    const tact_sketch shown = {.recording = recordings[!first], .index = index};
    memset(origin, 0, 3 * sizeof *origin);
    if (shown.recording) tact_sketch_origin(&shown, origin);
}

tact_result tact_view_mark(tact_debug_draw draws[2], tact_recording* const recordings[2], size_t index,
                           const tact_replay_difference* d, float reach, tact_bounds* focus)
{
    tact_result result = TACT_OK;
    double origin[3];
    // What is no item, or a byte of what follows the items, has no place.
    if (!*d->layout.parts || strcmp(d->layout.what, "byte") == 0) return TACT_OK;
    take_origin(recordings, index, origin);
    for (int k = 0; k < 2 && result >= TACT_OK; ++k) {
        watch about = {&draws[k], focus, k == 1}, far = {&draws[k], NULL, k == 1};
        tact_recorded_query q = {.kind = 0};
        marking m = {.s = {.recording = recordings[k], .index = index, .query = &q, .draw = through(&about)},
                     .far = through(&far),
                     .difference = d,
                     .item = d->item[k],
                     .reach = reach};
        memcpy(m.origin, origin, sizeof origin);
        if (!d->there[k]) continue;
        if (recordings[k] && tact_recording_query(recordings[k], index, &q) != TACT_OK) continue;
        if (recordings[k]) {
            result = mark(&m);
        } else {
            float row[4];  // of a frame: the position, the radius
            memcpy(row, d->item[k], sizeof row);
            result = mark_particle(&m, row, row[3]);
        }
    }
    return result >= TACT_OK ? TACT_OK : result;
}
