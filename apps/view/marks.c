// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Where two answers differ, in the colours of both.

#include <math.h>
#include <string.h>

#include "apps/replay/replay.h"
#include "apps/view/recording.h"

/// One of the two.
typedef struct marking {
    tact_debug_draw* draw;
    tact_recording* recording;
    size_t index;
    const tact_replay_difference* difference;
    const unsigned char* item;
    float reach;
    tact_bounds* focus;
} marking;

static bool array_of(const marking* m, const char* name, tact_recorded_array* array)
{
    for (size_t k = 0; m->recording && tact_recording_array(m->recording, m->index, k, array); ++k)
        if (strcmp(array->name, name) == 0) return true;
    return false;
}

static tact_result put_line(const marking* m, const float a[3], const float b[3])
{
    tact_bounds_extend(m->focus, a);
    tact_bounds_extend(m->focus, b);
    return tact_sketch_line(m->draw, TACT_DEBUG_RAY, a, b);
}

/// Three short lines and a point.
static tact_result put_cross(const marking* m, const float at[3])
{
    tact_result result = TACT_OK;
    if (!isfinite(at[0]) || !isfinite(at[1]) || !isfinite(at[2])) return TACT_OK;
    for (int i = 0; i < 3 && result >= TACT_OK; ++i) {
        float a[3] = {at[0], at[1], at[2]}, b[3] = {at[0], at[1], at[2]};
        a[i] -= 0.02f * m->reach;
        b[i] += 0.02f * m->reach;
        result = put_line(m, a, b);
    }
    if (result < TACT_OK) return result;
    const tact_debug_vertex v = {{at[0], at[1], at[2]}, m->draw->colors[TACT_DEBUG_HIT]};
    return m->draw->points(&v, 1, m->draw->user);
}

/// To the hit; one that hits nothing goes on for a while.
static tact_result mark_ray(const marking* m, const tact_ray* ray, bool hit, float t)
{
    const float from[3] = {ray->ox, ray->oy, ray->oz}, way[3] = {ray->dx, ray->dy, ray->dz};
    const float length = sqrtf(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    const float part = hit ? t : length > 0.0f ? fminf(ray->tmax, 1.5f * m->reach / length) : 0.0f;
    float to[3];
    for (int i = 0; i < 3; ++i)
        to[i] = from[i] + part * way[i];
    const tact_result result = tact_sketch_line(m->draw, TACT_DEBUG_RAY, from, to);
    if (result < TACT_OK || !hit) return result;
    return put_cross(m, to);
}

static tact_result mark_rays(const marking* m)
{
    tact_recorded_array rays;
    tact_hit hit;
    if (!array_of(m, "rays", &rays) || m->difference->row >= rays.rows) return TACT_OK;
    memset(&hit, 0, sizeof hit);
    const bool flag = m->difference->layout.parts[0] == 'b';
    if (!flag) memcpy(&hit, m->item, sizeof hit);
    const tact_ray* ray = (const tact_ray*)rays.data + m->difference->row;
    return mark_ray(m, ray, flag ? false : hit.instance != TACT_NONE, hit.t);
}

static tact_result mark_sphere(const marking* m)
{
    tact_recorded_array casts;
    tact_sphere_hit hit;
    if (!array_of(m, "casts", &casts) || m->difference->row >= casts.rows) return TACT_OK;
    memcpy(&hit, m->item, sizeof hit);
    const tact_sphere_cast* cast = (const tact_sphere_cast*)casts.data + m->difference->row;
    const bool touches = hit.instance != TACT_NONE;
    const tact_result result = mark_ray(m, &cast->ray, touches, hit.t);
    if (result < TACT_OK || !touches) return result;
    const tact_ray* r = &cast->ray;
    const tact_sphere there = {{r->ox + hit.t * r->dx, r->oy + hit.t * r->dy, r->oz + hit.t * r->dz}, cast->radius};
    return tact_debug_sphere(m->draw, TACT_DEBUG_VOLUME, there);
}

/// From the point that was asked about.
static tact_result mark_closest(const marking* m, size_t at)
{
    tact_recorded_array points;
    float found[3];
    if (!array_of(m, "points", &points) || m->difference->row >= points.rows) return TACT_OK;
    const float* from = (const float*)points.data + m->difference->row * points.columns;
    memcpy(found, m->item + at, sizeof found);
    const tact_result result = put_line(m, from, found);
    return result >= TACT_OK ? put_cross(m, found) : result;
}

/// A box or sphere of a set; `which` 1: of the second, if there is one.
static tact_result mark_volume(const marking* m, uint32_t which, uint32_t id)
{
    tact_recorded_array a, volumes = {0};
    for (size_t k = 0, seen = 0; tact_recording_array(m->recording, m->index, k, &a); ++k) {
        if (strcmp(a.name, "volumes") != 0 || seen++ > which) continue;
        volumes = a;
    }
    if (id >= volumes.rows || (volumes.columns != 4 && volumes.columns != 6)) return TACT_OK;
    const float* row = (const float*)volumes.data + (size_t)id * volumes.columns;
    if (volumes.columns == 6) {
        tact_bounds_extend(m->focus, row);
        tact_bounds_extend(m->focus, row + 3);
        return tact_debug_aabb(m->draw, TACT_DEBUG_VOLUME, *(const tact_aabb*)row);
    }
    for (int i = 0; i < 3; ++i) {
        float at[3] = {row[0], row[1], row[2]};
        at[i] += row[3];
        tact_bounds_extend(m->focus, at);
        at[i] -= 2.0f * row[3];
        tact_bounds_extend(m->focus, at);
    }
    return tact_debug_sphere(m->draw, TACT_DEBUG_VOLUME, *(const tact_sphere*)row);
}

static tact_result mark_pair(const marking* m)
{
    tact_pair pair;
    memcpy(&pair, m->item, sizeof pair);
    const tact_result result = mark_volume(m, 0, pair.a);
    return result >= TACT_OK ? mark_volume(m, 1, pair.b) : result;
}

static tact_result mark_particle(const marking* m, const float position[3], float radius)
{
    const tact_result result = put_cross(m, position);
    if (result < TACT_OK) return result;
    return tact_debug_sphere(m->draw, TACT_DEBUG_VOLUME,
                             (tact_sphere){{position[0], position[1], position[2]}, 1.02f * radius});
}

/// The picture's origin is that of the last body.
static tact_result mark_body_contact(const marking* m)
{
    tact_recorded_array bodies;
    tact_contact contact;
    memcpy(&contact, m->item, sizeof contact);
    if (!array_of(m, "bodies", &bodies) || contact.origin >= bodies.rows) return TACT_OK;
    const tact_body* all = bodies.data;
    const tact_pose *from = &all[contact.origin].pose, *last = &all[bodies.rows - 1].pose;
    tact_result result = TACT_OK;
    for (uint32_t i = 0; i < contact.count && i < TACT_CONTACT_MOST_POINTS && result >= TACT_OK; ++i) {
        const tact_vec3 p = contact.point[i].at;
        const float at[3] = {(float)(from->x - last->x + (double)p.x), (float)(from->y - last->y + (double)p.y),
                             (float)(from->z - last->z + (double)p.z)};
        result = put_cross(m, at);
    }
    return result;
}

/// Whatever in the item is a place.
static tact_result mark_places(const marking* m)
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

static tact_result mark(const marking* m, tact_recorded_kind kind)
{
    float row[8];
    switch (kind) {
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
        case TACT_RECORDED_CULL: {
            uint32_t id;
            memcpy(&id, m->item, sizeof id);
            return m->difference->layout.parts[0] == 'u' ? mark_volume(m, 0, id) : TACT_OK;
        }
        case TACT_RECORDED_PARTICLES:
            memcpy(row, m->item, sizeof row);
            return m->difference->layout.parts[0] == 'u' ? mark_particle(m, row + 1, row[7]) : TACT_OK;
        case TACT_RECORDED_BODIES:
            return mark_body_contact(m);
        default:
            return mark_places(m);
    }
}

tact_result tact_view_mark(tact_debug_draw draws[2], tact_recording* const recordings[2], size_t index,
                           const tact_replay_difference* d, float reach, tact_bounds* focus)
{
    tact_result result = TACT_OK;
    // What is no item, or a byte of what follows the items, has no place.
    if (!*d->layout.parts || strcmp(d->layout.what, "byte") == 0) return TACT_OK;
    for (int k = 0; k < 2 && result >= TACT_OK; ++k) {
        const marking m = {&draws[k], recordings[k], index, d, d->item[k], reach, focus};
        tact_recorded_query q = {.kind = 0};
        if (!d->there[k]) continue;
        if (recordings[k] && tact_recording_query(recordings[k], index, &q) != TACT_OK) continue;
        if (recordings[k]) {
            result = mark(&m, q.kind);
        } else {
            float row[4];  // of a frame: the position, the radius
            memcpy(row, d->item[k], sizeof row);
            result = mark_particle(&m, row, row[3]);
        }
    }
    return result >= TACT_OK ? TACT_OK : result;
}
