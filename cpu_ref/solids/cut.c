// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/solids/cut.h"

#include <stdlib.h>
#include <string.h>

#include "cpu_ref/solids/planar.h"

/// The number of a point among all and in the face.
typedef struct numbered {
    uint32_t number, local;
} numbered;

typedef struct cutter {
    tact_env* env;
    tact_arrangement* of;
    int solid;
    tact_pieces* out;
    tact_planar planar;
    size_t count;            ///< of the face's points: its corners, those on its sides, those inside
    uint32_t* number;        ///< of each, among all
    tact_meet_point* point;  ///< each
    double (*place)[2];      ///< of each, seen so that the face turns counter-clockwise
    numbered* sorted;        ///< by the number among all
    size_t number_room, point_room, place_room, sorted_room;
    int axis, facing;  ///< how the face is seen
} cutter;

static int turn(const void* user, uint32_t a, uint32_t b, uint32_t c)
{
    const cutter* cut = user;
    return cut->facing *
           tact_points_turn(&cut->point[a], &cut->point[b], &cut->point[c], cut->axis, cut->of->scale, &cut->of->exact);
}

static tact_result add_piece(cutter* c, uint32_t face, const uint32_t corner[3])
{
    tact_pieces* out = c->out;
    if (!tact_reserve(c->env, (void**)&out->corners, &out->corner_room, out->count, out->count + 1,
                      3 * sizeof *out->corners) ||
        !tact_reserve(c->env, (void**)&out->face, &out->face_room, out->count, out->count + 1, sizeof *out->face)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    if (out->count >= (size_t)1 << 29) {
        return tact_fail(c->env, TACT_ERROR_LIMIT, "the cut surface has more than 2^29 triangles");
    }
    memcpy(out->corners + 3 * out->count, corner, 3 * sizeof *corner);
    out->face[out->count++] = face;
    return TACT_OK;
}

static tact_result add_point(cutter* c, uint32_t number)
{
    if (!tact_reserve(c->env, (void**)&c->number, &c->number_room, c->count, c->count + 1, sizeof *c->number) ||
        !tact_reserve(c->env, (void**)&c->point, &c->point_room, c->count, c->count + 1, sizeof *c->point) ||
        !tact_reserve(c->env, (void**)&c->place, &c->place_room, c->count, c->count + 1, sizeof *c->place) ||
        !tact_reserve(c->env, (void**)&c->sorted, &c->sorted_room, c->count, c->count + 1, sizeof *c->sorted)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    const tact_meet_point point = tact_point_of(c->of, number);
    c->number[c->count] = number;
    c->point[c->count] = point;
    c->place[c->count][0] = point.at[(c->axis + 1) % 3];
    c->place[c->count][1] = point.at[(c->axis + 2) % 3] * (double)c->facing;
    c->sorted[c->count] = (numbered){number, (uint32_t)c->count};
    ++c->count;
    return TACT_OK;
}

static int by_number(const void* a, const void* b)
{
    const numbered *p = a, *q = b;
    return (p->number > q->number) - (p->number < q->number);
}

static uint32_t local_of(const cutter* c, uint32_t number)
{
    const numbered wanted = {number, 0};
    const numbered* found = bsearch(&wanted, c->sorted, c->count, sizeof *c->sorted, by_number);
    TACT_ASSERT(found);
    return found->local;
}

/// The points of the face, its corners first.
static tact_result collect(cutter* c, uint32_t face, const tact_cut* inside, size_t inside_count)
{
    const tact_solid* solid = c->of->solid[c->solid];
    const tact_cuts* edges = &c->of->edges[c->solid];
    tact_result result = TACT_OK;
    c->count = 0;
    for (size_t k = 0; k < 3 && result >= 0; ++k)
        result = add_point(c, c->of->number[c->solid][solid->parts.corners[3 * (size_t)face + k]]);
    for (size_t k = 0; k < 3 && result >= 0; ++k) {
        size_t count;
        const size_t first = tact_cuts_of(edges, solid->edge_of[3 * (size_t)face + k], &count);
        for (size_t i = 0; i < count && result >= 0; ++i)
            result = add_point(c, edges->items[first + i].from);
    }
    for (size_t i = 0; i < inside_count && result >= 0; ++i) {
        if (inside[i].from == inside[i].to) result = add_point(c, inside[i].from);
    }
    if (result >= 0) qsort(c->sorted, c->count, sizeof *c->sorted, by_number);
    return result;
}

static tact_result cut_face(cutter* c, uint32_t face)
{
    const tact_solid* solid = c->of->solid[c->solid];
    size_t count;
    const size_t first = tact_cuts_of(&c->of->faces[c->solid], face, &count);
    const tact_cut* inside = c->of->faces[c->solid].items + first;
    tact_vec3 t[3];
    tact_solid_triangle(solid, face, t);
    c->axis = tact_best_axis(t, &c->facing);
    tact_result result = collect(c, face, inside, count);
    if (result < 0) return result;
    if (c->count == 3) return add_piece(c, face, c->number);
    ++c->out->cut_faces;
    c->planar.place = c->place;
    result = tact_planar_begin(&c->planar, c->count);
    for (uint32_t i = 3; i < c->count && result >= 0; ++i)
        result = tact_planar_insert(&c->planar, i);
    for (size_t i = 0; i < count && result >= 0; ++i) {
        if (inside[i].from == inside[i].to) continue;
        result = tact_planar_fix(&c->planar, local_of(c, inside[i].from), local_of(c, inside[i].to), 1);
    }
    for (size_t i = 0; i < c->planar.count && result >= 0; ++i) {
        const uint32_t* local = c->planar.corners + 3 * i;
        const uint32_t corner[3] = {c->number[local[0]], c->number[local[1]], c->number[local[2]]};
        result = add_piece(c, face, corner);
    }
    return result;
}

tact_result tact_cut_faces(tact_arrangement* of, int solid, tact_pieces* pieces)
{
    memset(pieces, 0, sizeof *pieces);
    cutter c = {.env = of->env, .of = of, .solid = solid, .out = pieces};
    c.planar = (tact_planar){.env = of->env, .turn = turn, .user = &c};
    tact_result result = TACT_OK;
    for (uint32_t face = 0; face < of->solid[solid]->parts.count && result >= 0; ++face)
        result = cut_face(&c, face);
    void* const arrays[] = {c.number, c.point, c.place, c.sorted};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        tact_release(of->env, arrays[i]);
    tact_planar_end(&c.planar);
    return result;
}

void tact_pieces_free(tact_env* env, tact_pieces* pieces)
{
    tact_release(env, pieces->corners);
    tact_release(env, pieces->face);
    memset(pieces, 0, sizeof *pieces);
}
