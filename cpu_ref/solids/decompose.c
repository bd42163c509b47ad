// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/geometry/mesh_decompose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_ref/geometry/vec.h"
#include "cpu_ref/solids/combine.h"
#include "cpu_ref/solids/sight.h"
#include "cpu_ref/solids/solid.h"
#include "tact/geometry/aabb.h"
#include "tact/geometry/convex_mesh.h"
#include "tact/geometry/hull.h"
#include "tact/geometry/obb_fit.h"
#include "tact/geometry/predicates.h"

enum {
    USUAL_MOST = 16,
    LEAST_CORNERS = 8,
    USUAL_POSITIONS = 7,
    MOST = 1024,
    MOST_POSITIONS = 1024,
    MOST_PIECES = 1024,
    DIRECTIONS = 6,
    PLANES = 2 * DIRECTIONS
};

/// What two parts may add by becoming one where there are few enough, as a share of the excess that needs no cut.
#define NOTHING 1e-3

/// The share of the time that cuts take, about, as progress has it.
#define CUTTING 0.8

/// A piece of the solid and its hull.
typedef struct piece {
    tact_mesh_copy mesh;  ///< empty where two pieces have become one
    tact_mesh_copy hull;
    double volume, hull_volume;
    bool whole;     ///< no plane cuts it
    uint64_t born;  ///< how many pieces there were before it
} piece;

typedef struct cut_plane {
    dvec normal;
    double offset;
    int direction;  ///< number of it
    double left;    ///< what it leaves of hidden pairs of points and of notches, as shares
    double excess, score;
} cut_plane;

/// An edge at which the surface bends inward.
typedef struct notch {
    uint32_t ends[2], beside[2];  ///< vertices of it, and the third ones of the triangles at it
    double length;
} notch;

typedef struct job {
    tact_env* env;
    tact_decompose_settings settings;
    piece* pieces;
    size_t count, room;
    double volume;  ///< of the solid
    uint64_t born, cuts;
    tact_sight sight;
    notch* notches;
    double* heights;  ///< of their ends along a direction
    size_t notch_count, notch_room, height_room;
    double notch_length;  ///< of all
    // What one plane makes of one piece.
    tact_vec3* side[2];
    size_t side_count[2], side_room[2];
} job;

// ---- Volumes and hulls ----

static double wedge(dvec a, dvec b, dvec c)
{
    return d_dot(a, d_cross(b, c)) / 6.0;
}

static double volume_of(const tact_vec3* positions, const uint32_t* indices, size_t triangles)
{
    double sum = 0.0;
    if (triangles == 0) return 0.0;
    const dvec from = d_from(positions[indices[0]]);
    for (size_t i = 0; i < triangles; ++i) {
        const uint32_t* t = indices + 3 * i;
        sum += wedge(d_sub(d_from(positions[t[0]]), from), d_sub(d_from(positions[t[1]]), from),
                     d_sub(d_from(positions[t[2]]), from));
    }
    return sum;
}

/// The hull as a mesh of its own; without triangles where the points are in one plane.
static tact_result make_hull(const job* j, const tact_vec3* points, size_t count, tact_mesh_copy* hull, double* volume)
{
    tact_hull_mesh from;
    memset(hull, 0, sizeof *hull);
    *volume = 0.0;
    tact_result result = tact_hull_mesh_3d(points, count, &j->env->allocator, &from);
    if (result >= 0 && from.dimension == 3) {
        uint32_t* number = tact_allocate(j->env, count, sizeof *number);
        hull->allocator = j->env->allocator;
        hull->positions = tact_allocate(j->env, from.vertex_count, sizeof *hull->positions);
        hull->indices = tact_allocate(j->env, from.triangle_count, 3 * sizeof *hull->indices);
        if (number && hull->positions && hull->indices) {
            for (size_t i = 0; i < from.vertex_count; ++i) {
                number[from.vertices[i]] = (uint32_t)i;
                hull->positions[i] = points[from.vertices[i]];
            }
            for (size_t i = 0; i < 3 * from.triangle_count; ++i)
                hull->indices[i] = number[from.triangles[i]];
            hull->vertex_count = from.vertex_count;
            hull->triangle_count = from.triangle_count;
            *volume = volume_of(hull->positions, hull->indices, hull->triangle_count);
        } else {
            tact_mesh_copy_free(hull);
            result = TACT_ERROR_OUT_OF_MEMORY;
        }
        tact_release(j->env, number);
    }
    tact_hull_mesh_free(&from);
    return result;
}

/// The volume of the hull alone.
static tact_result hull_volume(const job* j, const tact_vec3* points, size_t count, double* volume)
{
    tact_hull_mesh hull;
    const tact_result result = tact_hull_mesh_3d(points, count, &j->env->allocator, &hull);
    *volume = result >= 0 && hull.dimension == 3 ? volume_of(points, hull.triangles, hull.triangle_count) : 0.0;
    tact_hull_mesh_free(&hull);
    return result;
}

// ---- Pieces ----

static double excess_of(const piece* p)
{
    const double excess = p->hull_volume - p->volume;
    return excess > 0.0 ? excess : 0.0;
}

static void free_piece(piece* p)
{
    tact_mesh_copy_free(&p->mesh);
    tact_mesh_copy_free(&p->hull);
}

/// Takes the mesh, also when it fails. One that rounding has made flat is dropped: it is in the hull of its neighbour.
static tact_result add_piece(job* j, tact_mesh_copy* mesh)
{
    piece p = {.mesh = *mesh, .born = j->born++};
    p.volume = volume_of(p.mesh.positions, p.mesh.indices, p.mesh.triangle_count);
    tact_result result = make_hull(j, p.mesh.positions, p.mesh.vertex_count, &p.hull, &p.hull_volume);
    if (result >= 0 && p.hull.triangle_count == 0) {
        free_piece(&p);
        return TACT_OK;
    }
    if (result >= 0 && !tact_reserve(j->env, (void**)&j->pieces, &j->room, j->count, j->count + 1, sizeof p)) {
        result = TACT_ERROR_OUT_OF_MEMORY;
    }
    if (result < 0) {
        free_piece(&p);
        return result;
    }
    j->pieces[j->count++] = p;
    return TACT_OK;
}

/// Copies the triangles of one connected set.
static tact_result copy_set(const job* j, const tact_mesh_copy* from, uint32_t* set, uint32_t root, uint32_t* number,
                            tact_mesh_copy* to)
{
    size_t triangles = 0, vertices = 0;
    memset(number, 0xff, from->vertex_count * sizeof *number);
    for (size_t i = 0; i < 3 * from->triangle_count; ++i) {
        const uint32_t v = from->indices[i];
        if (tact_set_root(set, v) != root) continue;
        triangles += i % 3 == 0;
        if (number[v] == UINT32_MAX) number[v] = (uint32_t)vertices++;
    }
    memset(to, 0, sizeof *to);
    to->allocator = j->env->allocator;
    to->positions = tact_allocate(j->env, vertices, sizeof *to->positions);
    to->indices = tact_allocate(j->env, triangles, 3 * sizeof *to->indices);
    if (!to->positions || !to->indices) {
        tact_mesh_copy_free(to);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < from->triangle_count; ++i) {
        const uint32_t* t = from->indices + 3 * i;
        if (tact_set_root(set, t[0]) != root) continue;
        for (size_t k = 0; k < 3; ++k) {
            to->positions[number[t[k]]] = from->positions[t[k]];
            to->indices[3 * to->triangle_count + k] = number[t[k]];
        }
        ++to->triangle_count;
    }
    to->vertex_count = vertices;
    return TACT_OK;
}

/// How many sets of connected triangles there are, by the roots of `set`; with `volume` of each root. One where a set
/// encloses a negative volume: that is a cavity of another.
static size_t count_sets(const tact_mesh_copy* mesh, uint32_t* set, double* volume)
{
    size_t count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        set[v] = v;
        volume[v] = 0.0;
    }
    for (size_t i = 0; i < mesh->triangle_count; ++i) {
        tact_set_join(set, mesh->indices[3 * i], mesh->indices[3 * i + 1]);
        tact_set_join(set, mesh->indices[3 * i], mesh->indices[3 * i + 2]);
    }
    for (size_t i = 0; i < mesh->triangle_count; ++i) {
        const uint32_t* t = mesh->indices + 3 * i;
        const uint32_t root = tact_set_root(set, t[0]);
        const dvec from = d_from(mesh->positions[root]);
        volume[root] += wedge(d_sub(d_from(mesh->positions[t[0]]), from), d_sub(d_from(mesh->positions[t[1]]), from),
                              d_sub(d_from(mesh->positions[t[2]]), from));
    }
    bool cavity = false;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        if (tact_set_root(set, v) != v) continue;
        ++count;
        cavity = cavity || !(volume[v] > 0.0);
    }
    return cavity ? 1 : count;
}

/// Adds a mesh without unused vertices, each connected part as a piece. Takes the mesh, also when it fails.
static tact_result add_connected(job* j, tact_mesh_copy* mesh)
{
    uint32_t* set = tact_allocate(j->env, mesh->vertex_count, sizeof *set);
    uint32_t* number = tact_allocate(j->env, mesh->vertex_count, sizeof *number);
    double* volume = tact_allocate(j->env, mesh->vertex_count, sizeof *volume);
    tact_result result = set && number && volume ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    const size_t count = result >= 0 ? count_sets(mesh, set, volume) : 0;
    if (result >= 0 && j->count + count > MOST_PIECES) {
        result = tact_fail(j->env, TACT_ERROR_LIMIT, "the mesh has %zu parts that are not connected, of at most %d",
                           count, MOST_PIECES);
    }
    if (result >= 0 && count == 1) {
        result = add_piece(j, mesh);
    } else {
        for (uint32_t v = 0; v < mesh->vertex_count && result >= 0; ++v) {
            tact_mesh_copy part;
            if (tact_set_root(set, v) != v) continue;
            result = copy_set(j, mesh, set, v, number, &part);
            if (result >= 0) result = add_piece(j, &part);
        }
        tact_mesh_copy_free(mesh);
    }
    tact_release(j->env, set);
    tact_release(j->env, number);
    tact_release(j->env, volume);
    return result;
}

// ---- Planes ----

static tact_result add_point(job* j, int side, tact_vec3 point)
{
    if (!tact_reserve(j->env, (void**)&j->side[side], &j->side_room[side], j->side_count[side], j->side_count[side] + 1,
                      sizeof point)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    j->side[side][j->side_count[side]++] = point;
    return TACT_OK;
}

/// The part of a triangle in front of the plane, as seen from a point in it: what closes it there has no volume.
static double front_volume(const dvec p[3], const double height[3], const dvec* from)
{
    dvec polygon[4];
    int count = 0;
    for (int k = 0; k < 3; ++k) {
        const int l = (k + 1) % 3;
        if (height[k] >= 0.0) polygon[count++] = d_sub(p[k], *from);
        if ((height[k] >= 0.0) == (height[l] >= 0.0)) continue;
        const double share = height[k] / (height[k] - height[l]);
        polygon[count++] = d_sub(d_along(p[k], share, d_sub(p[l], p[k])), *from);
    }
    double sum = 0.0;
    for (int k = 2; k < count; ++k)
        sum += wedge(polygon[0], polygon[k - 1], polygon[k]);
    return sum;
}

/// Finds what the hulls of both sides have beyond them.
static tact_result weigh(job* j, const piece* of, cut_plane* plane)
{
    const tact_mesh_copy* mesh = &of->mesh;
    const dvec from = d_scale(plane->normal, plane->offset);
    double front = 0.0, volume[2];
    tact_result result = TACT_OK;
    j->side_count[0] = j->side_count[1] = 0;
    for (size_t v = 0; v < mesh->vertex_count && result >= 0; ++v) {
        const double height = d_dot(plane->normal, d_from(mesh->positions[v])) - plane->offset;
        result = add_point(j, height < 0.0, mesh->positions[v]);
    }
    for (size_t i = 0; i < mesh->triangle_count && result >= 0; ++i) {
        dvec p[3];
        double height[3];
        for (size_t k = 0; k < 3; ++k) {
            p[k] = d_from(mesh->positions[mesh->indices[3 * i + k]]);
            height[k] = d_dot(plane->normal, p[k]) - plane->offset;
        }
        front += front_volume(p, height, &from);
        for (int k = 0; k < 3 && result >= 0; ++k) {
            const int l = (k + 1) % 3;
            if (!(height[k] < 0.0 && height[l] >= 0.0)) continue;
            // Each edge is there twice, once in this direction.
            const dvec at = d_along(p[k], height[k] / (height[k] - height[l]), d_sub(p[l], p[k]));
            result = add_point(j, 0, d_round(at));
            if (result >= 0) result = add_point(j, 1, d_round(at));
        }
    }
    for (int k = 0; k < 2 && result >= 0; ++k)
        result = hull_volume(j, j->side[k], j->side_count[k], &volume[k]);
    if (result < 0) return result;
    const double back = of->volume - front, least = 1e-6 * of->volume;
    plane->excess = HUGE_VAL;
    if (!(front > least && back > least)) return TACT_OK;
    // Of planes that are as good, one in the middle.
    plane->excess = (volume[0] - front) + (volume[1] - back) + 1e-3 * fabs(front - back);
    return TACT_OK;
}

/// Finds the edges at which the surface bends inward: cuts there are the ones that help.
static tact_result find_notches(job* j, const piece* of)
{
    const tact_mesh_copy* m = &of->mesh;
    uint32_t* across = tact_allocate(j->env, m->triangle_count, 3 * sizeof *across);
    tact_result result =
        across ? tact_mesh_adjacency(m->indices, m->triangle_count, m->vertex_count, &j->env->allocator, across)
               : TACT_ERROR_OUT_OF_MEMORY;
    j->notch_count = 0;
    j->notch_length = 0.0;
    for (uint32_t side = 0; result >= 0 && side < 3 * m->triangle_count; ++side) {
        const uint32_t other = across[side], *t = m->indices + side - side % 3;
        if (other >= TACT_MESH_MANY || other < side) continue;
        const uint32_t third = m->indices[tact_mesh_next_side(tact_mesh_next_side(other))];
        if (tact_orient3d(m->positions[t[0]], m->positions[t[1]], m->positions[t[2]], m->positions[third]) >= 0) {
            continue;
        }
        if (!tact_reserve(j->env, (void**)&j->notches, &j->notch_room, j->notch_count, j->notch_count + 1,
                          sizeof *j->notches)) {
            result = TACT_ERROR_OUT_OF_MEMORY;
            break;
        }
        notch* n = &j->notches[j->notch_count++];
        n->ends[0] = m->indices[side];
        n->ends[1] = m->indices[tact_mesh_next_side(side)];
        n->beside[0] = m->indices[tact_mesh_next_side(tact_mesh_next_side(side))];
        n->beside[1] = third;
        n->length = d_length(d_sub(d_from(m->positions[n->ends[1]]), d_from(m->positions[n->ends[0]])));
        j->notch_length += n->length;
    }
    tact_release(j->env, across);
    return result;
}

/// What a plane leaves of the notches, as a share of their length: one in the plane is gone, unless both its sides go
/// the same way.
static double notches_left(const job* j, const piece* of, dvec normal, double offset, double near)
{
    double gone = 0.0;
    for (size_t i = 0; i < j->notch_count; ++i) {
        const notch* n = &j->notches[i];
        double height[4];
        for (int k = 0; k < 2; ++k) {
            height[k] = d_dot(normal, d_from(of->mesh.positions[n->ends[k]])) - offset;
            height[2 + k] = d_dot(normal, d_from(of->mesh.positions[n->beside[k]])) - offset;
        }
        if (fabs(height[0]) > near || fabs(height[1]) > near) continue;
        if ((height[2] > near && height[3] > near) || (height[2] < -near && height[3] < -near)) continue;
        gone += n->length;
    }
    return j->notch_length > 0.0 ? 1.0 - gone / j->notch_length : 0.0;
}

static int by_height(const void* a, const void* b)
{
    const double p = *(const double*)a, q = *(const double*)b;
    return (p > q) - (p < q);
}

/// `near`: what counts as in the plane.
static void try_plane(const job* j, const piece* of, double offset, double near, cut_plane* best)
{
    double left = notches_left(j, of, best->normal, offset, near);
    if (j->sight.count) left += (double)tact_sight_left(&j->sight, best->normal, offset) / (double)j->sight.count;
    if (left >= best->left) return;
    best->left = left;
    best->offset = offset;
}

/// Tries planes through notches, as many as of others, spread evenly over their different heights.
static tact_result try_notches(job* j, const piece* of, double near, cut_plane* best)
{
    if (!tact_reserve(j->env, (void**)&j->heights, &j->height_room, 0, 2 * j->notch_count + 1, sizeof *j->heights)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    size_t count = 2 * j->notch_count, different = 0;
    for (size_t i = 0; i < count; ++i)
        j->heights[i] = d_dot(best->normal, d_from(of->mesh.positions[j->notches[i / 2].ends[i % 2]]));
    if (count) qsort(j->heights, count, sizeof *j->heights, by_height);
    for (size_t i = 0; i < count; ++i)
        if (different == 0 || j->heights[i] > j->heights[different - 1] + near) j->heights[different++] = j->heights[i];
    const size_t tried = different < j->settings.positions ? different : j->settings.positions;
    for (size_t i = 0; i < tried; ++i)
        try_plane(j, of, j->heights[(2 * i + 1) * different / (2 * tried)], near, best);
    return TACT_OK;
}

/// The best planes across one direction: through notches, and anywhere.
static tact_result try_direction(job* j, const piece* of, cut_plane best[2])
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t i = 0; i < of->hull.vertex_count; ++i) {
        const double at = d_dot(best->normal, d_from(of->hull.positions[i]));
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    const double step = (high - low) / (double)(j->settings.positions + 1);
    const double near = 1e-6 * (high - low);
    tact_result result = try_notches(j, of, near, &best[0]);
    // From the middle outwards, so that of planes as good that one is taken.
    for (uint32_t i = 0; i < j->settings.positions; ++i) {
        const double from = (double)((i + 1) / 2) * (i % 2 ? step : -step);
        try_plane(j, of, 0.5 * (low + high) + from, near, &best[1]);
    }
    for (int k = 0; k < 2 && result >= 0; ++k) {
        best[k].excess = HUGE_VAL;
        if (best[k].left < HUGE_VAL) result = weigh(j, of, &best[k]);
    }
    return result;
}

static int by_score(const void* a, const void* b)
{
    const cut_plane *p = a, *q = b;
    if (p->score != q->score) return p->score < q->score ? -1 : 1;
    return p->direction - q->direction;
}

/// The best plane across each axis and each principal direction, the best first.
static tact_result find_planes(job* j, const piece* of, cut_plane planes[PLANES])
{
    tact_obb box;
    const tact_mesh_copy* hull = &of->hull;
    tact_result result = tact_obb_fit_solid(&j->env->allocator, hull->positions, hull->vertex_count, hull->indices,
                                            hull->triangle_count, TACT_OBB_ALL_AXES, &box);
    if (result >= 0) result = find_notches(j, of);
    if (result >= 0) result = tact_sight_look(j->env, &of->mesh, &j->sight);
    for (int i = 0; i < DIRECTIONS && result >= 0; ++i) {
        const dvec normal = i < 3 ? d_make(i == 0, i == 1, i == 2) : d_unit(d_from(box.axis[i - 3]));
        for (int k = 0; k < 2; ++k)
            planes[2 * i + k] = (cut_plane){.normal = normal, .direction = 2 * i + k, .left = HUGE_VAL};
        result = try_direction(j, of, &planes[2 * i]);
    }
    for (int i = 0; i < PLANES && result >= 0; ++i)
        planes[i].score = planes[i].excess / excess_of(of) + planes[i].left;
    if (result >= 0) qsort(planes, PLANES, sizeof *planes, by_score);
    return result;
}

// ---- Cuts ----

/// A box in front of the plane that all of the piece there is in.
static void make_box(const piece* of, const cut_plane* plane, tact_vec3 corner[8])
{
    dvec low = d_from(of->hull.positions[0]), high = low;
    for (size_t i = 1; i < of->hull.vertex_count; ++i) {
        const dvec p = d_from(of->hull.positions[i]);
        low = d_make(fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z));
        high = d_make(fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z));
    }
    const dvec middle = d_scale(d_add(low, high), 0.5), n = plane->normal;
    const double size = 2.0 * d_length(d_sub(high, low));
    const dvec least = fabs(n.x) <= fabs(n.y) && fabs(n.x) <= fabs(n.z) ? d_make(1.0, 0.0, 0.0)
                       : fabs(n.y) <= fabs(n.z)                         ? d_make(0.0, 1.0, 0.0)
                                                                        : d_make(0.0, 0.0, 1.0);
    const dvec u = d_unit(d_cross(n, least)), v = d_cross(n, u);
    const dvec base = d_along(middle, plane->offset - d_dot(n, middle), n);
    for (int i = 0; i < 8; ++i) {
        const dvec flat = d_along(d_along(base, i & 1 ? size : -size, u), i & 2 ? size : -size, v);
        corner[i] = d_round(d_along(flat, i & 4 ? size : 0.0, n));
    }
}

/// Cuts a piece by a plane into what is in front of it and behind it; `done` is false where that cannot be.
static tact_result cut(job* j, size_t number, const cut_plane* plane, bool* done)
{
    // Corners: 1 along u, 2 along v, 4 along the normal, which are right-handed.
    static const uint32_t faces[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    static const tact_mesh_operation operations[2] = {TACT_MESH_INTERSECTION, TACT_MESH_DIFFERENCE};
    tact_vec3 corner[8];
    const piece* of = &j->pieces[number];
    make_box(of, plane, corner);
    const tact_mesh_view a = {of->mesh.positions, of->mesh.vertex_count, of->mesh.indices, of->mesh.triangle_count};
    const tact_mesh_view b = {corner, 8, faces, 12};
    tact_mesh_copy part[2];
    tact_mesh_combined counts;
    tact_result result = tact_solids_combine(j->env, &a, &b, operations, 2, part, &counts);
    *done = result >= 0 && part[0].triangle_count && part[1].triangle_count;
    if (!*done) {
        // Where the surface passes through itself, another plane may do.
        if (result == TACT_ERROR_INVALID_ARGUMENT) result = TACT_OK;
        tact_error_clear(j->env);
        tact_mesh_copy_free(&part[0]);
        tact_mesh_copy_free(&part[1]);
        return result;
    }
    free_piece(&j->pieces[number]);
    j->pieces[number] = j->pieces[--j->count];
    ++j->cuts;
    result = add_connected(j, &part[0]);
    if (result < 0) {
        tact_mesh_copy_free(&part[1]);
        return result;
    }
    return add_connected(j, &part[1]);
}

static tact_result cut_best(job* j, size_t number)
{
    cut_plane planes[PLANES];
    bool done = false;
    tact_result result = find_planes(j, &j->pieces[number], planes);
    for (int i = 0; i < PLANES && result >= 0 && !done; ++i) {
        // Both halves of a ring together have the excess of the whole, and yet it must be cut in two.
        if (planes[i].excess == HUGE_VAL) break;
        result = cut(j, number, &planes[i], &done);
    }
    if (!done) j->pieces[number].whole = true;
    return result;
}

static bool go_on(const job* j, double done)
{
    return !j->settings.progress || j->settings.progress(done, j->settings.user);
}

/// Cuts until there are twice as many pieces as there may be parts, or their excess is small enough.
static tact_result cut_all(job* j)
{
    const size_t most = 2 * (size_t)j->settings.most;
    tact_result result = TACT_OK;
    while (result >= 0 && j->count < most) {
        size_t worst = j->count;
        double sum = 0.0, largest = 0.0;
        for (size_t i = 0; i < j->count; ++i) {
            const double excess = excess_of(&j->pieces[i]);
            sum += excess;
            if (j->pieces[i].whole || !(excess > largest)) continue;
            largest = excess;
            worst = i;
        }
        if (worst == j->count || sum <= (double)j->settings.excess * j->volume) break;
        result = cut_best(j, worst);
        if (result >= 0 && !go_on(j, CUTTING * (double)j->count / (double)(most + 1))) result = TACT_ERROR_CANCELLED;
    }
    return result;
}

// ---- Parts ----

static tact_result take_points(job* j, const piece* a, const piece* b)
{
    tact_result result = TACT_OK;
    j->side_count[0] = 0;
    for (size_t i = 0; i < a->hull.vertex_count && result >= 0; ++i)
        result = add_point(j, 0, a->hull.positions[i]);
    for (size_t i = 0; i < b->hull.vertex_count && result >= 0; ++i)
        result = add_point(j, 0, b->hull.positions[i]);
    return result;
}

/// What the hull of both would have beyond theirs; of two that do not touch what their box has.
static tact_result weigh_pair(job* j, const piece* a, const piece* b, double* more)
{
    const tact_aabb p = tact_aabb_from_points(a->hull.positions, a->hull.vertex_count, 0);
    const tact_aabb q = tact_aabb_from_points(b->hull.positions, b->hull.vertex_count, 0);
    *more = (double)tact_aabb_volume(tact_aabb_union(p, q)) - (a->hull_volume + b->hull_volume);
    if (!tact_aabb_overlaps_aabb(p, q)) return TACT_OK;
    tact_result result = take_points(j, a, b);
    if (result >= 0) result = hull_volume(j, j->side[0], j->side_count[0], more);
    *more -= a->hull_volume + b->hull_volume;
    return result;
}

/// Makes two pieces one: the last takes the place of the second. `more` is the matrix of pairs, the lower number first.
static tact_result join(job* j, double* more, size_t stride, size_t a, size_t b)
{
    piece *p = &j->pieces[a], *q = &j->pieces[b];
    tact_result result = take_points(j, p, q);
    tact_mesh_copy hull = {0};
    double volume = 0.0;
    if (result >= 0) result = make_hull(j, j->side[0], j->side_count[0], &hull, &volume);
    if (result < 0) return result;
    tact_mesh_copy_free(&p->hull);
    p->hull = hull;
    p->hull_volume = volume;
    p->volume += q->volume;
    free_piece(q);
    *q = j->pieces[--j->count];
    for (size_t i = 0; i < j->count && b < j->count; ++i) {
        const size_t low = i < b ? i : b, high = i < b ? b : i;
        if (i != b) more[low * stride + high] = more[i * stride + j->count];
    }
    for (size_t i = 0; i < j->count && result >= 0; ++i) {
        if (i == a) continue;
        const size_t low = i < a ? i : a, high = i < a ? a : i;
        result = weigh_pair(j, &j->pieces[low], &j->pieces[high], &more[low * stride + high]);
    }
    return result;
}

static tact_result join_pieces(job* j)
{
    const size_t stride = j->count;
    double* more = tact_allocate(j->env, stride * stride, sizeof *more);
    tact_result result = more ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < stride; ++i) {
        for (size_t k = i + 1; k < stride && result >= 0; ++k)
            result = weigh_pair(j, &j->pieces[i], &j->pieces[k], &more[i * stride + k]);
        if (result >= 0 && !go_on(j, CUTTING + (1.0 - CUTTING) * (double)i / (double)stride)) {
            result = TACT_ERROR_CANCELLED;
        }
    }
    while (result >= 0 && j->count > 1) {
        size_t a = 0, b = 1;
        for (size_t i = 0; i < j->count; ++i) {
            for (size_t k = i + 1; k < j->count; ++k) {
                if (!(more[i * stride + k] < more[a * stride + b])) continue;
                a = i;
                b = k;
            }
        }
        const bool enough = j->count <= j->settings.most;
        if (enough && more[a * stride + b] > NOTHING * (double)j->settings.excess * j->volume) break;
        result = join(j, more, stride, a, b);
    }
    tact_release(j->env, more);
    return result;
}

/// Puts polyhedra of fewer corners around hulls that have more than asked for.
static tact_result round_off(job* j)
{
    tact_result result = TACT_OK;
    const uint32_t most = j->settings.corners;
    for (size_t i = 0; i < j->count && result >= 0 && most > 0; ++i) {
        piece* p = &j->pieces[i];
        tact_convex_mesh around;
        if (p->hull.vertex_count <= most) continue;
        result = tact_hull_around(p->hull.positions, p->hull.vertex_count, most, &j->env->allocator, &around);
        if (result < 0) break;
        tact_mesh_copy_free(&p->hull);
        result = make_hull(j, around.points, around.point_count, &p->hull, &p->hull_volume);
        tact_convex_mesh_free(&around);
    }
    return result;
}

static int by_size(const void* a, const void* b)
{
    const piece *p = a, *q = b;
    if (p->hull_volume != q->hull_volume) return p->hull_volume > q->hull_volume ? -1 : 1;
    return (p->born > q->born) - (p->born < q->born);
}

static tact_result give_parts(job* j, tact_decomposition* to)
{
    to->allocator = j->env->allocator;
    to->parts = tact_allocate_zeroed(j->env, j->count, sizeof *to->parts);
    if (!to->parts) return TACT_ERROR_OUT_OF_MEMORY;
    qsort(j->pieces, j->count, sizeof *j->pieces, by_size);
    for (size_t i = 0; i < j->count; ++i) {
        to->parts[to->count++] = j->pieces[i].hull;
        to->hull_volume += j->pieces[i].hull_volume;
        memset(&j->pieces[i].hull, 0, sizeof j->pieces[i].hull);
    }
    to->volume = j->volume;
    to->cuts = j->cuts;
    return TACT_OK;
}

// ---- The whole ----

static tact_result check_settings(job* j)
{
    tact_decompose_settings* s = &j->settings;
    if (s->most > MOST || s->positions > MOST_POSITIONS) {
        return tact_fail(j->env, TACT_ERROR_INVALID_ARGUMENT,
                         "%u parts, of at most %d, and %u positions, of at most %d", (unsigned)s->most, MOST,
                         (unsigned)s->positions, MOST_POSITIONS);
    }
    if (!(s->excess >= 0.0f) || !isfinite(s->excess)) {
        return tact_fail(j->env, TACT_ERROR_INVALID_ARGUMENT, "excess is %g", (double)s->excess);
    }
    if (s->corners > 0 && s->corners < LEAST_CORNERS) {
        return tact_fail(j->env, TACT_ERROR_INVALID_ARGUMENT, "at most %u corners; at least %d", (unsigned)s->corners,
                         LEAST_CORNERS);
    }
    if (s->most == 0) s->most = USUAL_MOST;
    if (s->positions == 0) s->positions = USUAL_POSITIONS;
    if (s->excess == 0.0f) s->excess = 0.01f;
    return TACT_OK;
}

/// Each connected part of the surface must be a solid; together they may be in each other's way.
static tact_result check_pieces(job* j)
{
    tact_result result = TACT_OK;
    for (size_t i = 0; i < j->count && result >= 0; ++i) {
        const tact_mesh_copy* m = &j->pieces[i].mesh;
        const tact_mesh_view view = {m->positions, m->vertex_count, m->indices, m->triangle_count};
        tact_solid solid;
        result = tact_solid_begin(&solid, j->env, &view);
        if (result >= 0) result = tact_solid_check(&solid, "given");
        tact_solid_end(&solid);
        j->volume += j->pieces[i].volume;
    }
    return result;
}

/// The pieces to begin with: the parts of the mesh that are not connected.
static tact_result begin(job* j, const tact_mesh_view* mesh)
{
    tact_solid solid;
    tact_mesh_copy copy = {0};
    tact_result result = tact_solid_begin(&solid, j->env, mesh);
    if (result >= 0) result = tact_solid_check_surface(&solid, "given");
    if (result >= 0) result = tact_solid_copy(&solid, &copy);
    tact_solid_end(&solid);
    if (result >= 0) result = add_connected(j, &copy);
    if (result >= 0) result = check_pieces(j);
    if (result < 0 || j->volume > 0.0) return result;
    return tact_fail(j->env, TACT_ERROR_INVALID_ARGUMENT, "the mesh encloses no volume");
}

tact_result tact_mesh_decompose(const tact_mesh_view* mesh, const tact_decompose_settings* settings,
                                const tact_allocator* allocator, tact_decomposition* decomposition)
{
    tact_env env;
    tact_env_init(&env, allocator, NULL, NULL, NULL, NULL);
    tact_error_begin(NULL);
    memset(decomposition, 0, sizeof *decomposition);
    job j = {.env = &env};
    if (settings) j.settings = *settings;
    tact_result result = check_settings(&j);
    if (result >= 0) result = begin(&j, mesh);
    if (result >= 0) result = cut_all(&j);
    if (result >= 0) result = join_pieces(&j);
    if (result >= 0) result = round_off(&j);
    if (result >= 0) result = give_parts(&j, decomposition);
    for (size_t i = 0; i < j.count; ++i)
        free_piece(&j.pieces[i]);
    tact_release(&env, j.pieces);
    tact_release(&env, j.notches);
    tact_release(&env, j.heights);
    tact_release(&env, j.side[0]);
    tact_release(&env, j.side[1]);
    if (result < 0) tact_decomposition_free(decomposition);
    return result;
}

void tact_decomposition_free(tact_decomposition* decomposition)
{
    for (size_t i = 0; i < decomposition->count; ++i)
        tact_mesh_copy_free(&decomposition->parts[i]);
    if (decomposition->parts) decomposition->allocator.release(decomposition->parts, decomposition->allocator.user);
    memset(decomposition, 0, sizeof *decomposition);
}
