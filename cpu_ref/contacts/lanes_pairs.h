// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Pairs of like kinds side by side. The loops call the kernels' text, which has no branches there, once for each pair:
// the compiler makes lanes of them. Included by lanes_body.h.

// A loop that the compiler is to make lanes of: all that it calls is part of it, and its arrays are its own.
#if defined(__GNUC__)
#define LANES_FLAT LANES_TARGET __attribute__((flatten, noinline)) static
#else
#define LANES_FLAT static
#endif

enum { SIDE = 64 };

/// One body of each of SIDE pairs.
typedef struct side_bodies {
    float row[12][SIDE];  // as tact_body_of() reads them
    float radius[SIDE], extent[SIDE];
    float half[3][SIDE];  // the last point of the core
} side_bodies;

/// Pairs that wait until there are SIDE of a kind.
typedef struct side_pairs {
    uint32_t count;
    size_t number[SIDE];  // among the job's
} side_pairs;

FN void gather_row(const float4* row, side_bodies* to, int k)
{
    for (int i = 0; i < 3; ++i) {
        to->row[4 * i][k] = row[i].x;
        to->row[4 * i + 1][k] = row[i].y;
        to->row[4 * i + 2][k] = row[i].z;
        to->row[4 * i + 3][k] = row[i].w;
    }
}

LANES_TARGET static void gather(const TactShapes* shapes, const float4* bodies, const uint32_t* ids, side_bodies* to)
{
    for (int k = 0; k < SIDE; ++k) {
        const float4* row = bodies + TACT_POSED_ROWS * (size_t)ids[k];
        gather_row(row, to, k);
        const uint4* shape = shapes->shapes + TACT_SHAPE_ROWS * (size_t)as_uint(row[3].x);
        const float4 last = shapes->points[shape[0].y + shape[0].z - 1u];
        to->radius[k] = as_float(shape[2].x);
        to->extent[k] = as_float(shape[2].y);
        to->half[0][k] = last.x;
        to->half[1][k] = last.y;
        to->half[2][k] = last.z;
    }
}

FN TactBodyRow side_body(const side_bodies* s, int k)
{
    TactBodyRow r;
    r.hx = s->row[0][k];
    r.hy = s->row[1][k];
    r.hz = s->row[2][k];
    r.scale = s->row[3][k];
    r.lx = s->row[4][k];
    r.ly = s->row[5][k];
    r.lz = s->row[6][k];
    r.margin = s->row[7][k];
    r.qx = s->row[8][k];
    r.qy = s->row[9][k];
    r.qz = s->row[10][k];
    r.qw = s->row[11][k];
    r.shape = 0;
    return r;
}

FN TactMeeting side_meeting(const side_bodies* a, const side_bodies* b, uint32_t kind, int k)
{
    TactCore core = {0};
    core.kind = kind;
    return tact_meeting(side_body(a, k), side_body(b, k),
                        tact_core_sized(core, a->radius[k], a->extent[k], a->row[3][k]),
                        tact_core_sized(core, b->radius[k], b->extent[k], b->row[3][k]));
}

FN TactVec side_half(const side_bodies* s, TactCore c, int k)
{
    return tact_times(tact_vec(s->half[0][k], s->half[1][k], s->half[2][k]), c.scale);
}

/// Contacts of one point that lanes find, along the world's axes.
typedef struct side_points {
    float way[3][SIDE], at[3][SIDE], apart[SIDE];
    uint32_t feature[SIDE], state[SIDE];
} side_points;

FN void put_ways(side_points* to, TactVec way, TactVec at, float apart, TactOnePoint p, int k)
{
    to->way[0][k] = way.x;
    to->way[1][k] = way.y;
    to->way[2][k] = way.z;
    to->at[0][k] = at.x;
    to->at[1][k] = at.y;
    to->at[2][k] = at.z;
    to->apart[k] = apart;
    to->feature[k] = p.feature;
    to->state[k] = p.state;
}

FN void put_point(side_points* to, TactMeeting w, TactOnePoint p, int k)
{
    put_ways(to, tact_meeting_way(w, p.way), tact_meeting_place(w, p.at, false), tact_meeting_length(w, p.apart), p, k);
}

LANES_FLAT void find_rods(const side_bodies* restrict a, const side_bodies* restrict b, side_points* restrict to)
{
    for (int k = 0; k < SIDE; ++k) {
        const TactMeeting w = side_meeting(a, b, TACT_KIND_CAPSULE, k);
        put_point(to, w, tact_rods(w, side_half(a, w.a, k).y, side_half(b, w.b, k).y), k);
    }
}

LANES_FLAT void find_ball_first(const side_bodies* restrict a, const side_bodies* restrict b, side_points* restrict to)
{
    for (int k = 0; k < SIDE; ++k) {
        const TactMeeting w = side_meeting(a, b, TACT_KIND_BOX, k);
        put_point(to, w, tact_ball_box(w, side_half(b, w.b, k), false), k);
    }
}

LANES_FLAT void find_ball_second(const side_bodies* restrict a, const side_bodies* restrict b, side_points* restrict to)
{
    for (int k = 0; k < SIDE; ++k) {
        const TactMeeting w = side_meeting(a, b, TACT_KIND_BOX, k);
        put_point(to, w, tact_ball_box(w, side_half(a, w.a, k), true), k);
    }
}

/// A triangle of a mesh of each of SIDE pairs.
typedef struct side_triangles {
    side_bodies mesh;  // the body's row, and of the triangle radius and extent
    float place[3][SIDE], corner[3][4][SIDE], normal[3][SIDE];
    float one_sided[SIDE];
} side_triangles;

LANES_TARGET static void gather_triangles(const TactShapes* shapes, const float4* bodies, const uint32_t* ids,
                                          const uint32_t* parts, side_triangles* to)
{
    for (int k = 0; k < SIDE; ++k) {
        const float4* row = bodies + TACT_POSED_ROWS * (size_t)ids[k];
        gather_row(row, &to->mesh, k);
        const uint4* shape = shapes->shapes + TACT_SHAPE_ROWS * (size_t)as_uint(row[3].x);
        const float4* corner = shapes->points + shape[0].y + TACT_TRIANGLE_POINTS * (size_t)parts[k];
        const uint4 plane = shapes->faces[TACT_FACE_ROWS * ((size_t)shape[0].w + (size_t)2 * parts[k])];
        for (int i = 0; i < 3; ++i) {
            to->corner[i][0][k] = corner[i].x;
            to->corner[i][1][k] = corner[i].y;
            to->corner[i][2][k] = corner[i].z;
            to->corner[i][3][k] = corner[i].w;
        }
        to->place[0][k] = corner[3].x;
        to->place[1][k] = corner[3].y;
        to->place[2][k] = corner[3].z;
        to->mesh.extent[k] = corner[3].w;
        to->mesh.radius[k] = as_float(shape[2].x);
        to->normal[0][k] = as_float(plane.x);
        to->normal[1][k] = as_float(plane.y);
        to->normal[2][k] = as_float(plane.z);
        to->one_sided[k] = shape[2].z ? 1.0f : 0.0f;
    }
}

FN TactVec side_corner(const side_triangles* t, int i, float scale, int k)
{
    return tact_times(tact_vec(t->corner[i][0][k], t->corner[i][1][k], t->corner[i][2][k]), scale);
}

/// A triangle's meeting with another body, whose kind lanes need not have, and the triangle in its units.
typedef struct side_surface {
    TactMeeting w;
    TactTriangle triangle;
} side_surface;

/// `second`: the triangle is B.
FN side_surface side_surface_of(const side_triangles* t, const side_bodies* other, bool second, int k)
{
    const TactBodyRow mesh = side_body(&t->mesh, k), row = side_body(other, k);
    const float4 place = {t->place[0][k], t->place[1][k], t->place[2][k], 0.0f};
    const TactBodyRow part = tact_body_moved(mesh, tact_part_offset(mesh, place));
    TactCore core = {0};
    const TactCore of_part = tact_core_sized(core, t->mesh.radius[k], t->mesh.extent[k], mesh.scale),
                   of_other = tact_core_sized(core, other->radius[k], other->extent[k], row.scale);
    side_surface r;
    r.w = second ? tact_meeting(row, part, of_other, of_part) : tact_meeting(part, row, of_part, of_other);
    const float scale = second ? r.w.b.scale : r.w.a.scale;
    r.triangle = (TactTriangle){side_corner(t, 0, scale, k), side_corner(t, 1, scale, k),
                                side_corner(t, 2, scale, k), {t->normal[0][k], t->normal[1][k], t->normal[2][k]},
                                t->corner[0][3][k],          t->corner[1][3][k],
                                t->corner[2][3][k]};
    return r;
}

/// Spheres and triangles. `second`: the sphere is B.
FN void find_triangle(const side_triangles* t, const side_bodies* ball, bool second, side_points* to, int k)
{
    const side_surface s = side_surface_of(t, ball, !second, k);
    const TactOnePoint p = tact_ball_triangle(s.w, s.triangle, t->one_sided[k] > 0.0f, second);
    const TactVec way = tact_meeting_way(s.w, p.way);
    // From the sphere's position.
    put_ways(to, way, tact_meeting_place(s.w, p.at, second), tact_meeting_length(s.w, p.apart), p, k);
}

LANES_FLAT void find_triangle_first(const side_triangles* restrict t, const side_bodies* restrict ball,
                                    side_points* restrict to)
{
    for (int k = 0; k < SIDE; ++k)
        find_triangle(t, ball, true, to, k);
}

LANES_FLAT void find_triangle_second(const side_triangles* restrict t, const side_bodies* restrict ball,
                                     side_points* restrict to)
{
    for (int k = 0; k < SIDE; ++k)
        find_triangle(t, ball, false, to, k);
}

FN void one_contact(const tact_contacts_job* job, const TactShapes* shapes, size_t number)
{
    const tact_pair pair = job->pairs[number];
    const tact_pair parts = tact_contacts_parts(job, number);
    const TactManifold m = tact_body_contact(shapes, tact_body_of(job->bodies, pair.a),
                                             tact_body_of(job->bodies, pair.b), parts.a, parts.b);
    job->contacts[number] = tact_contact_of(pair, parts, &m);
}

/// Writes a contact; of one that is not there the count alone, since nothing else is read.
FN void put_contact(const tact_contacts_job* job, size_t number, const TactManifold* m)
{
    if (m->count > 0) {
        job->contacts[number] = tact_contact_of(job->pairs[number], tact_contacts_parts(job, number), m);
    } else {
        job->contacts[number].count = 0;
    }
}

/// tact_body_contact() of two hulls, or a hull and a box, without the kinds and parts that they are not.
LANES_TARGET static void hull_contact(const tact_contacts_job* job, const TactShapes* shapes, size_t number)
{
    const tact_pair pair = job->pairs[number];
    const TactBodyRow a = tact_body_of(job->bodies, pair.a), b = tact_body_of(job->bodies, pair.b);
    const TactMeeting w =
        tact_meeting(a, b, tact_core_of(shapes, a.shape, a.scale), tact_core_of(shapes, b.shape, b.scale));
    TactManifold m;
    m.count = 0;
    if (w.there) {
        const TactSolid s = tact_solid_of(shapes, w, false, false);
        if (s.choice.how != TACT_CHOICE_NONE)
            m = tact_meeting_manifold(w, tact_chosen(shapes, w, s.choice, s.distance, tact_no_box_axes()), false);
    }
    put_contact(job, number, &m);
}

/// Kinds of pairs that are worked out side by side.
typedef enum side_kind {
    SIDE_RODS,
    SIDE_BALL_FIRST,
    SIDE_BALL_SECOND,
    SIDE_BOXES,
    SIDE_ROD_FIRST,
    SIDE_ROD_SECOND,
    SIDE_TRIANGLE_FIRST,
    SIDE_TRIANGLE_SECOND,
    SIDE_ROD_TRIANGLE_FIRST,
    SIDE_ROD_TRIANGLE_SECOND,
    SIDE_KINDS
} side_kind;

LANES_TARGET static void end_points(const tact_contacts_job* job, const TactShapes* shapes, const side_pairs* waiting,
                                    const side_points* found, bool from_b)
{
    for (uint32_t k = 0; k < waiting->count; ++k) {
        const size_t number = waiting->number[k];
        if (found->state[k] == TACT_POINT_BESIDE) {
            one_contact(job, shapes, number);
            continue;
        }
        TactManifold m;
        m.count = found->state[k] == TACT_POINT_ONE;
        m.from_b = from_b;
        m.way = tact_vec(found->way[0][k], found->way[1][k], found->way[2][k]);
        m.at[0] = tact_vec(found->at[0][k], found->at[1][k], found->at[2][k]);
        m.apart[0] = found->apart[k];
        m.feature[0] = found->feature[k];
        put_contact(job, number, &m);
    }
}

#include "cpu_ref/contacts/lanes_boxes.h"

LANES_TARGET static void flush(const tact_contacts_job* job, const TactShapes* shapes, side_pairs* waiting,
                               side_kind kind)
{
    if (waiting->count == 0) return;
    uint32_t ids[2][SIDE], parts[2][SIDE];
    for (uint32_t k = 0; k < SIDE; ++k) {
        const size_t number = waiting->number[k < waiting->count ? k : 0];
        const tact_pair pair = job->pairs[number], part = tact_contacts_parts(job, number);
        ids[0][k] = pair.a;
        ids[1][k] = pair.b;
        parts[0][k] = part.a;
        parts[1][k] = part.b;
    }
    side_bodies a, b;
    if (kind >= SIDE_TRIANGLE_FIRST) {
        const int mesh = kind == SIDE_TRIANGLE_SECOND || kind == SIDE_ROD_TRIANGLE_SECOND;
        side_triangles t;
        gather_triangles(shapes, job->bodies, ids[mesh], parts[mesh], &t);
        gather(shapes, job->bodies, ids[1 - mesh], &b);
        if (kind >= SIDE_ROD_TRIANGLE_FIRST) {
            side_rods rods;
            (mesh ? find_rod_triangle_second : find_rod_triangle_first)(&t, &b, &rods);
            put_rods(job, &rods, waiting, mesh, !mesh);
        } else {
            side_points found;
            (mesh ? find_triangle_second : find_triangle_first)(&t, &b, &found);
            end_points(job, shapes, waiting, &found, !mesh);
        }
        waiting->count = 0;
        return;
    }
    gather(shapes, job->bodies, ids[0], &a);
    gather(shapes, job->bodies, ids[1], &b);
    if (kind == SIDE_BOXES) {
        box_contacts(job, shapes, &a, &b, waiting);
    } else if (kind == SIDE_ROD_FIRST || kind == SIDE_ROD_SECOND) {
        side_rods rods;
        (kind == SIDE_ROD_FIRST ? find_rod_first : find_rod_second)(&a, &b, &rods);
        put_rods(job, &rods, waiting, kind == SIDE_ROD_FIRST, false);
    } else {
        static void (*const find[])(const side_bodies*, const side_bodies*, side_points*) = {find_rods, find_ball_first,
                                                                                             find_ball_second};
        side_points found;
        find[kind](&a, &b, &found);
        end_points(job, shapes, waiting, &found, false);
    }
    waiting->count = 0;
}

static uint32_t kind_of(const TactShapes* shapes, const float4* bodies, uint32_t id)
{
    return shapes->shapes[TACT_SHAPE_ROWS * (size_t)as_uint(bodies[TACT_POSED_ROWS * (size_t)id + 3].x)].x;
}

/// The kind of a pair by those of its bodies; SIDE_KINDS: it is worked out by itself.
static side_kind pair_kind(uint32_t a, uint32_t b)
{
    if (a == TACT_KIND_MESH && b == TACT_KIND_SPHERE) return SIDE_TRIANGLE_FIRST;
    if (a == TACT_KIND_SPHERE && b == TACT_KIND_MESH) return SIDE_TRIANGLE_SECOND;
    if (a == TACT_KIND_MESH && b == TACT_KIND_CAPSULE) return SIDE_ROD_TRIANGLE_FIRST;
    if (a == TACT_KIND_CAPSULE && b == TACT_KIND_MESH) return SIDE_ROD_TRIANGLE_SECOND;
    if (a > TACT_KIND_BOX || b > TACT_KIND_BOX) return SIDE_KINDS;
    if (a <= TACT_KIND_CAPSULE && b <= TACT_KIND_CAPSULE) return SIDE_RODS;
    if (a == TACT_KIND_BOX && b == TACT_KIND_BOX) return SIDE_BOXES;
    if (a == TACT_KIND_SPHERE) return SIDE_BALL_FIRST;
    if (b == TACT_KIND_SPHERE) return SIDE_BALL_SECOND;
    return a == TACT_KIND_CAPSULE ? SIDE_ROD_FIRST : SIDE_ROD_SECOND;
}

LANES_TARGET static void run(const tact_contacts_job* job, const TactShapes* shapes, size_t begin, size_t end)
{
    side_pairs waiting[SIDE_KINDS];
    for (int k = 0; k < SIDE_KINDS; ++k)
        waiting[k].count = 0;
    for (size_t i = begin; i < end; ++i) {
        const uint32_t of_a = kind_of(shapes, job->bodies, job->pairs[i].a),
                       of_b = kind_of(shapes, job->bodies, job->pairs[i].b);
        const side_kind kind = pair_kind(of_a, of_b);
        if (kind == SIDE_KINDS) {
            const bool hulls =
                (of_a == TACT_KIND_HULL || of_a == TACT_KIND_BOX) && (of_b == TACT_KIND_HULL || of_b == TACT_KIND_BOX);
            (hulls ? hull_contact : one_contact)(job, shapes, i);
            continue;
        }
        side_pairs* w = &waiting[kind];
        w->number[w->count++] = i;
        if (w->count == SIDE) flush(job, shapes, w, kind);
    }
    for (int k = 0; k < SIDE_KINDS; ++k)
        flush(job, shapes, &waiting[k], (side_kind)k);
}
