// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What is drawn of recorded queries about bodies. Positions have double precision: the picture's origin is that of the
// last body, so that a set far away is seen as one that is near.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/replay/replay.h"
#include "tact/body_casts.h"
#include "tact/body_distances.h"
#include "tact/body_nearest.h"

typedef struct stage {
    tact_sketch* s;
    tact_bodies* set;
    tact_bodies* probes;  ///< of the same shapes: what is cast, or asked about
    const tact_body* bodies;
    size_t count;
    double origin[3];
    float length;  ///< of the longest side of all; 0 while that is not known
} stage;

static void place(const stage* g, const tact_pose* pose, tact_vec3 at, float to[3])
{
    to[0] = (float)(pose->x - g->origin[0] + (double)at.x);
    to[1] = (float)(pose->y - g->origin[1] + (double)at.y);
    to[2] = (float)(pose->z - g->origin[2] + (double)at.z);
}

/// From one place to the other, with points at both.
static tact_result draw_between(const stage* g, bool deep, const float a[3], const float b[3])
{
    tact_result result = tact_sketch_line(&g->s->draw, deep ? TACT_DEBUG_PENETRATION : TACT_DEBUG_RAY, a, b);
    if (result >= TACT_OK) result = tact_sketch_point(&g->s->draw, TACT_DEBUG_HIT, a);
    return result >= TACT_OK ? tact_sketch_point(&g->s->draw, TACT_DEBUG_HIT, b) : result;
}

/// Shapes where they are.
static tact_result draw_probes(const stage* g, tact_debug_draw* draw, const tact_body* bodies, size_t count)
{
    uint32_t* ids = malloc((count + 1) * sizeof *ids);
    if (!ids) return TACT_ERROR_OUT_OF_MEMORY;
    tact_result result = tact_bodies_add(g->probes, bodies, count, ids);
    if (result >= TACT_OK) {
        result = tact_debug_bodies(draw, g->probes, g->origin, g->length);
        const tact_result removed = tact_bodies_remove(g->probes, ids, count);
        if (result >= TACT_OK) result = removed;
    }
    free(ids);
    return result;
}

static tact_result draw_contacts(const stage* g)
{
    const tact_sketch* s = g->s;
    const tact_contact* contacts = s->answer;
    return tact_debug_body_contacts(&g->s->draw, g->set, contacts, s->answer_bytes / sizeof *contacts, g->origin,
                                    0.03f * g->length);
}

/// Where there are no points, from body to body.
static tact_result draw_distance(const stage* g, const tact_body_distance_row* r)
{
    const bool points = g->s->query->parameters[0] == TACT_BODY_DISTANCES_CLOSEST;
    float a[3], b[3];
    if (!isfinite(r->distance)) return TACT_OK;
    place(g, &g->bodies[r->a].pose, r->on_a, a);
    place(g, &g->bodies[r->b].pose, r->on_b, b);
    return draw_between(g, !points || r->distance < 0.0f, a, b);
}

static tact_result draw_distances(const stage* g)
{
    const tact_body_distance_row* rows = g->s->answer;
    const size_t count = g->s->answer_bytes / sizeof *rows;
    tact_result result = TACT_OK;
    for (size_t i = 0; i < count && result >= TACT_OK; ++i)
        result = draw_distance(g, &rows[i]);
    return result;
}

/// From the closest body to an item.
static tact_result draw_closest(const stage* g, const tact_body_nearest_item* item, const tact_body_nearest* r)
{
    float from[3], to[3];
    if (r->body == TACT_NONE) return TACT_OK;
    place(g, &g->bodies[r->body].pose, r->on_body, from);
    place(g, &item->pose, r->on_item, to);
    return draw_between(g, r->distance < 0.0f, from, to);
}

static tact_result draw_nearest(const stage* g)
{
    tact_recorded_array a;
    const tact_body_nearest* rows = g->s->answer;
    if (!tact_sketch_array(g->s, "items", &a) || g->s->answer_bytes < a.rows * sizeof *rows) return TACT_OK;
    const tact_body_nearest_item* items = a.data;
    tact_body shown[TACT_SKETCH_MOST];
    size_t count = 0;
    tact_result result = TACT_OK;
    for (; count < a.rows && count < TACT_SKETCH_MOST && result >= TACT_OK; ++count) {
        const size_t row = tact_sketch_row(&a, count);
        shown[count] = (tact_body){.pose = items[row].pose, .shape = items[row].shape};
        result = draw_closest(g, &items[row], &rows[row]);
    }
    return result >= TACT_OK ? draw_probes(g, &g->s->found, shown, count) : result;
}

/// Where a cast's shape is after a part of its motion, as docs/results.md says.
static tact_body along(const tact_body_cast* cast, double part)
{
    const tact_pose *p = &cast->from, *q = &cast->to;
    const float *u = &p->rotation.x, *v = &q->rotation.x;
    const double dot = (double)u[0] * (double)v[0] + (double)u[1] * (double)v[1] + (double)u[2] * (double)v[2] +
                       (double)u[3] * (double)v[3];
    tact_body b = {.shape = cast->shape};
    b.pose = (tact_pose){.x = p->x + part * (q->x - p->x),
                         .y = p->y + part * (q->y - p->y),
                         .z = p->z + part * (q->z - p->z),
                         .scale = p->scale};
    float* to = &b.pose.rotation.x;
    double length = 0.0;
    for (int k = 0; k < 4; ++k) {
        const double x = (1.0 - part) * (double)u[k] + (dot < 0.0 ? -part : part) * (double)v[k];
        length += x * x;
        to[k] = (float)x;
    }
    for (int k = 0; k < 4 && length > 0.0; ++k)
        to[k] = (float)((double)to[k] / sqrt(length));
    return b;
}

/// The way of a cast's position to its first hit, or to its end.
static tact_result draw_way(const stage* g, const tact_body_cast* cast, const tact_body_cast_hit* hit)
{
    static const tact_vec3 zero = {0, 0, 0};
    const bool touches = hit && hit->body != TACT_NONE;
    float from[3], to[3], at[3], end[3];
    const tact_pose there = along(cast, touches ? hit->fraction : 1.0).pose;
    place(g, &cast->from, zero, from);
    place(g, &there, zero, to);
    tact_result result = tact_sketch_line(&g->s->draw, touches ? TACT_DEBUG_RAY : TACT_DEBUG_MISS, from, to);
    if (result < TACT_OK || !touches) return result;
    const tact_vec3 n = hit->normal;
    place(g, &g->bodies[hit->body].pose, hit->at, at);
    for (int k = 0; k < 3; ++k)
        end[k] = at[k] + 0.05f * g->length * (&n.x)[k];
    result = tact_sketch_point(&g->s->draw, TACT_DEBUG_HIT, at);
    return result >= TACT_OK ? tact_sketch_line(&g->s->draw, TACT_DEBUG_NORMAL, at, end) : result;
}

static tact_result draw_casts(const stage* g)
{
    tact_recorded_array a;
    if (!tact_sketch_array(g->s, "casts", &a)) return TACT_OK;
    const tact_body_cast* casts = a.data;
    const tact_body_cast_hit* hits = g->s->answer;
    const size_t hit_count = g->s->answer_bytes / sizeof *hits;
    // What touches at one end, the rest at the other.
    tact_body shown[TACT_SKETCH_MOST];
    size_t next = 0, touching = 0, past = TACT_SKETCH_MOST;
    tact_result result = TACT_OK;
    for (size_t i = 0; i < a.rows && i < TACT_SKETCH_MOST && result >= TACT_OK; ++i) {
        const size_t row = tact_sketch_row(&a, i);
        while (next < hit_count && hits[next].cast < row)
            ++next;
        const tact_body_cast_hit* hit = next < hit_count && hits[next].cast == row ? &hits[next] : NULL;
        result = draw_way(g, &casts[row], hit);
        const bool touches = hit && hit->body != TACT_NONE;
        shown[touches ? touching++ : --past] = along(&casts[row], touches ? hit->fraction : 1.0);
    }
    if (result >= TACT_OK) result = draw_probes(g, &g->s->found, shown, touching);
    return result >= TACT_OK ? draw_probes(g, &g->s->faint, shown + past, TACT_SKETCH_MOST - past) : result;
}

static tact_result draw_all(const stage* g)
{
    const tact_result result = tact_debug_bodies(&g->s->faint, g->set, g->origin, g->length);
    if (result < TACT_OK) return result;
    switch (g->s->query->kind) {
        case TACT_RECORDED_BODY_CASTS:
            return draw_casts(g);
        case TACT_RECORDED_BODY_DISTANCES:
            return draw_distances(g);
        case TACT_RECORDED_BODY_NEAREST:
            return draw_nearest(g);
        default:
            return draw_contacts(g);
    }
}

/// The shapes of the query without its bodies.
static tact_result make_probes(stage* g)
{
    tact_result result = tact_recording_make_bodies(g->s->recording, g->s->index, &g->probes);
    uint32_t* ids = malloc((g->count + 1) * sizeof *ids);
    if (result == TACT_OK && !ids) result = TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; ids && i < g->count; ++i)
        ids[i] = (uint32_t)i;
    if (result == TACT_OK) result = tact_bodies_remove(g->probes, ids, g->count);
    free(ids);
    return result;
}

/// Takes out what had been removed, which records keep with the categories of nothing, unless pairs were named.
static tact_result hide_removed(const stage* g)
{
    tact_recorded_array pairs;
    tact_result result = TACT_OK;
    if (tact_sketch_array(g->s, "pairs", &pairs) && pairs.rows > 0) return TACT_OK;
    for (uint32_t i = 0; i < g->count && result == TACT_OK; ++i) {
        const tact_categories c = g->bodies[i].categories;
        if (c.category == 0 && c.mask == 1) result = tact_bodies_remove(g->set, &i, 1);
    }
    return result;
}

/// The bodies, the shapes of what is cast, and, if it is not given, the origin. Also after a failure close_stage() is
/// due.
static tact_result open_stage(stage* g, const double* origin)
{
    tact_recorded_array bodies;
    tact_sketch_array(g->s, "bodies", &bodies);
    g->bodies = bodies.data;
    g->count = bodies.rows;
    tact_sketch_origin(g->s, g->origin);
    if (origin) memcpy(g->origin, origin, sizeof g->origin);
    const tact_result result = tact_recording_make_bodies(g->s->recording, g->s->index, &g->set);
    return result == TACT_OK ? make_probes(g) : result;
}

static void close_stage(stage* g)
{
    tact_bodies_destroy(g->probes);
    tact_bodies_destroy(g->set);
}

void tact_sketch_origin(const tact_sketch* s, double origin[3])
{
    tact_recorded_array bodies;
    memset(origin, 0, 3 * sizeof *origin);
    if (!tact_sketch_array(s, "bodies", &bodies) || bodies.rows == 0) return;
    const tact_pose* last = &((const tact_body*)bodies.data)[bodies.rows - 1].pose;
    origin[0] = last->x;
    origin[1] = last->y;
    origin[2] = last->z;
}

tact_result tact_sketch_bodies(tact_sketch* s)
{
    stage g = {.s = s};
    tact_result result = open_stage(&g, NULL);
    if (result == TACT_OK) result = hide_removed(&g);
    if (result == TACT_OK) result = tact_sketch_ask(s);
    // Once for how large all is, which half-spaces are drawn by.
    if (result >= TACT_OK) result = draw_all(&g);
    if (result >= TACT_OK) result = tact_sketch_see(s);
    if (result >= TACT_OK) {
        tact_debug_list_clear(s->list);
        g.length = s->reach;
        result = draw_all(&g);
    }
    close_stage(&g);
    return result;
}

// ---- One item ----

/// Draws one or two bodies of the set; TACT_NONE is none.
static tact_result draw_named(const stage* g, uint32_t a, uint32_t b)
{
    uint32_t* others = malloc((g->count + 1) * sizeof *others);
    size_t count = 0;
    if (!others) return TACT_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < g->count; ++i)
        if (i != a && i != b) others[count++] = i;
    tact_result result = tact_bodies_remove(g->set, others, count);
    free(others);
    if (result >= TACT_OK) result = tact_debug_bodies(&g->s->draw, g->set, g->origin, g->length);
    return result;
}

static tact_result draw_cast_item(const stage* g, const tact_body_cast_hit* hit)
{
    tact_recorded_array a;
    if (!tact_sketch_array(g->s, "casts", &a) || hit->cast >= a.rows) return TACT_OK;
    const tact_body_cast* cast = (const tact_body_cast*)a.data + hit->cast;
    const tact_body there = along(cast, hit->body == TACT_NONE ? 1.0 : hit->fraction);
    tact_result result = draw_way(g, cast, hit);
    if (result >= TACT_OK) result = draw_probes(g, &g->s->draw, &there, 1);
    return result >= TACT_OK ? draw_named(g, hit->body, TACT_NONE) : result;
}

static tact_result draw_nearest_item(const stage* g, const tact_body_nearest* row)
{
    tact_recorded_array a;
    if (!tact_sketch_array(g->s, "items", &a) || row->item >= a.rows) return TACT_OK;
    const tact_body_nearest_item* item = (const tact_body_nearest_item*)a.data + row->item;
    const tact_body there = {.pose = item->pose, .shape = item->shape};
    tact_result result = draw_closest(g, item, row);
    if (result >= TACT_OK) result = draw_probes(g, &g->s->draw, &there, 1);
    return result >= TACT_OK ? draw_named(g, row->body, TACT_NONE) : result;
}

tact_result tact_sketch_body_item(tact_sketch* s, const void* item, const double origin[3], float length)
{
    stage g = {.s = s, .length = length};
    tact_result result = open_stage(&g, origin);
    if (result == TACT_OK && s->query->kind == TACT_RECORDED_BODY_CASTS) {
        tact_body_cast_hit hit;
        memcpy(&hit, item, sizeof hit);
        result = draw_cast_item(&g, &hit);
    } else if (result == TACT_OK && s->query->kind == TACT_RECORDED_BODY_NEAREST) {
        tact_body_nearest row;
        memcpy(&row, item, sizeof row);
        result = draw_nearest_item(&g, &row);
    } else if (result == TACT_OK && s->query->kind == TACT_RECORDED_BODY_DISTANCES) {
        tact_body_distance_row row;
        memcpy(&row, item, sizeof row);
        result = draw_distance(&g, &row);
        if (result >= TACT_OK) result = draw_named(&g, row.a, row.b);
    } else if (result == TACT_OK) {
        tact_contact contact;
        memcpy(&contact, item, sizeof contact);
        result = tact_debug_body_contacts(&s->draw, g.set, &contact, 1, g.origin, 0.03f * length);
        if (result >= TACT_OK) result = draw_named(&g, contact.a, contact.b);
    }
    close_stage(&g);
    return result;
}
