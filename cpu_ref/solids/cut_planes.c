// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/solids/cut_planes.h"

#include <stdlib.h>

#include "cpu_ref/geometry/mesh_internal.h"
#include "tact/geometry/aabb.h"
#include "tact/geometry/hull.h"
#include "tact/geometry/obb_fit.h"
#include "tact/geometry/predicates.h"

enum {
    WEIGHED = 12,        // planes of which the hulls of both sides are made
    MOST_NOTCHES = 2000  // the longest and sharpest ones
};

/// What counts as in a plane, as a share of the piece's size.
#define NEAR 1e-6

/// One less the cosine between normals from which on faces bend: of those in one plane rounding makes less.
#define LEAST_BEND 1e-6

bool tact_point_list_add(tact_env* env, tact_point_list* list, tact_vec3 point)
{
    if (!tact_reserve(env, (void**)&list->points, &list->room, list->count, list->count + 1, sizeof point)) {
        return false;
    }
    list->points[list->count++] = point;
    return true;
}

double tact_mesh_enclosed(const tact_vec3* positions, const uint32_t* indices, size_t triangles)
{
    double sum = 0.0;
    if (triangles == 0) return 0.0;
    const dvec from = d_from(positions[indices[0]]);
    for (size_t i = 0; i < triangles; ++i) {
        const uint32_t* t = indices + 3 * i;
        sum += tact_wedge_volume(d_sub(d_from(positions[t[0]]), from), d_sub(d_from(positions[t[1]]), from),
                                 d_sub(d_from(positions[t[2]]), from));
    }
    return sum;
}

tact_result tact_hull_volume(tact_env* env, const tact_point_list* points, double* volume)
{
    tact_hull_mesh hull;
    const tact_result result = tact_hull_mesh_3d(points->points, points->count, &env->allocator, &hull);
    *volume = result >= 0 && hull.dimension == 3
                  ? tact_mesh_enclosed(points->points, hull.triangles, hull.triangle_count)
                  : 0.0;
    tact_hull_mesh_free(&hull);
    return result;
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
        sum += tact_wedge_volume(polygon[0], polygon[k - 1], polygon[k]);
    return sum;
}

/// Finds what the hulls of both sides have beyond them.
static tact_result weigh(tact_plane_search* s, const tact_solid_piece* of, tact_cut_plane* plane)
{
    const tact_mesh_copy* mesh = &of->mesh;
    const dvec from = d_scale(plane->normal, plane->offset);
    double front = 0.0, volume[2];
    bool good = true;
    s->side[0].count = s->side[1].count = 0;
    for (size_t v = 0; v < mesh->vertex_count && good; ++v) {
        const double height = d_dot(plane->normal, d_from(mesh->positions[v])) - plane->offset;
        good = tact_point_list_add(s->env, &s->side[height < 0.0], mesh->positions[v]);
    }
    for (size_t i = 0; i < mesh->triangle_count && good; ++i) {
        dvec p[3];
        double height[3];
        for (size_t k = 0; k < 3; ++k) {
            p[k] = d_from(mesh->positions[mesh->indices[3 * i + k]]);
            height[k] = d_dot(plane->normal, p[k]) - plane->offset;
        }
        front += front_volume(p, height, &from);
        for (int k = 0; k < 3 && good; ++k) {
            const int l = (k + 1) % 3;
            if (!(height[k] < 0.0 && height[l] >= 0.0)) continue;
            // Each edge is there twice, once in this direction.
            const dvec at = d_along(p[k], height[k] / (height[k] - height[l]), d_sub(p[l], p[k]));
            good = tact_point_list_add(s->env, &s->side[0], d_round(at)) &&
                   tact_point_list_add(s->env, &s->side[1], d_round(at));
        }
    }
    tact_result result = good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    for (int k = 0; k < 2 && result >= 0; ++k)
        result = tact_hull_volume(s->env, &s->side[k], &volume[k]);
    if (result < 0) return result;
    const double back = of->volume - front, least = 1e-6 * of->volume;
    plane->excess = HUGE_VAL;
    if (!(front > least && back > least)) return TACT_OK;
    plane->excess = (volume[0] - front) + (volume[1] - back);
    plane->uneven = fabs(front - back) / of->volume;
    return TACT_OK;
}

/// Whether a triangle is in a plane but for rounding.
static bool has_face(const tact_mesh_copy* mesh, const tact_cut_plane* plane)
{
    for (size_t i = 0; i < mesh->triangle_count; ++i) {
        int corners = 0;
        for (size_t k = 0; k < 3; ++k) {
            const dvec p = d_from(mesh->positions[mesh->indices[3 * i + k]]);
            corners += fabs(d_dot(plane->normal, p) - plane->offset) <= plane->near;
        }
        if (corners == 3) return true;
    }
    return false;
}

/// The same a little before and behind a plane in which there are faces: by rounding one side may get films of them,
/// which reach far, and nothing with the plane moved.
static tact_result weigh_around(tact_plane_search* s, const tact_solid_piece* of, tact_cut_plane* plane)
{
    const tact_cut_plane at = *plane;
    tact_result result = weigh(s, of, plane);
    if (plane->near == 0.0 || !has_face(&of->mesh, plane)) return result;
    for (int k = -1; k <= 1 && result >= 0; k += 2) {
        tact_cut_plane moved = at;
        moved.offset += k * at.near;
        result = weigh(s, of, &moved);
        if (result >= 0 && moved.excess < plane->excess - 1e-9 * of->volume) *plane = moved;
    }
    return result;
}

/// An edge of a triangle, from `from` to `to`, with the third vertices of both triangles at it; false where these bend
/// outward, or inward by no more than rounding may.
static bool make_notch(const tact_vec3* p, uint32_t from, uint32_t to, uint32_t left, uint32_t right, tact_notch* n)
{
    if (tact_orient3d(p[from], p[to], p[left], p[right]) >= 0) return false;
    const dvec end = d_from(p[from]), along = d_sub(d_from(p[to]), end);
    const dvec a = d_cross(along, d_sub(d_from(p[left]), end)), b = d_cross(d_sub(d_from(p[right]), end), along);
    const double bend = 1.0 - d_dot(a, b) / (d_length(a) * d_length(b));
    *n = (tact_notch){{from, to}, {left, right}, d_length(along) * bend};
    return bend > LEAST_BEND;
}

static tact_result make_facets(tact_plane_search* s, const tact_mesh_copy* hull)
{
    if (!tact_reserve(s->env, (void**)&s->facets, &s->facet_room, 0, hull->triangle_count, sizeof *s->facets)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < hull->triangle_count; ++i) {
        const uint32_t* t = hull->indices + 3 * i;
        const dvec a = d_from(hull->positions[t[0]]);
        const dvec n = d_cross(d_sub(d_from(hull->positions[t[1]]), a), d_sub(d_from(hull->positions[t[2]]), a));
        const double length = d_length(n);
        s->facets[i] = length > 0.0 ? d_scale(n, 1.0 / length) : n;
    }
    return TACT_OK;
}

/// How far the middle of a notch is from the surface of the hull.
static double depth_of(const tact_plane_search* s, const tact_solid_piece* of, const tact_notch* n)
{
    const tact_vec3* p = of->mesh.positions;
    const dvec middle = d_scale(d_add(d_from(p[n->ends[0]]), d_from(p[n->ends[1]])), 0.5);
    double least = HUGE_VAL;
    for (size_t i = 0; i < of->hull.triangle_count; ++i) {
        const dvec corner = d_from(of->hull.positions[of->hull.indices[3 * i]]);
        const double depth = d_dot(s->facets[i], d_sub(corner, middle));
        if (depth < least && d_dot(s->facets[i], s->facets[i]) > 0.5) least = depth;
    }
    return fmax(least, 0.0);
}

static int heavier_first(const void* a, const void* b)
{
    const tact_notch *p = a, *q = b;
    if (p->weight != q->weight) return p->weight > q->weight ? -1 : 1;
    if (p->ends[0] != q->ends[0]) return p->ends[0] < q->ends[0] ? -1 : 1;
    return p->ends[1] < q->ends[1] ? -1 : p->ends[1] > q->ends[1];
}

/// Finds the notches of a piece: cuts there are the ones that help.
static tact_result find_notches(tact_plane_search* s, const tact_solid_piece* of)
{
    const tact_mesh_copy* m = &of->mesh;
    uint32_t* across = tact_allocate(s->env, m->triangle_count, 3 * sizeof *across);
    tact_result result =
        across ? tact_mesh_adjacency(m->indices, m->triangle_count, m->vertex_count, &s->env->allocator, across)
               : TACT_ERROR_OUT_OF_MEMORY;
    if (result >= 0) result = make_facets(s, &of->hull);
    s->notch_count = 0;
    s->notch_weight = 0.0;
    for (uint32_t side = 0; result >= 0 && side < 3 * m->triangle_count; ++side) {
        const uint32_t other = across[side], next = tact_mesh_next_side(side);
        if (other >= TACT_MESH_MANY || other < side) continue;
        if (!tact_reserve(s->env, (void**)&s->notches, &s->notch_room, s->notch_count, s->notch_count + 1,
                          sizeof *s->notches)) {
            result = TACT_ERROR_OUT_OF_MEMORY;
            break;
        }
        tact_notch* n = &s->notches[s->notch_count];
        if (!make_notch(m->positions, m->indices[side], m->indices[next], m->indices[tact_mesh_next_side(next)],
                        m->indices[tact_mesh_next_side(tact_mesh_next_side(other))], n)) {
            continue;
        }
        ++s->notch_count;
    }
    if (s->notch_count) qsort(s->notches, s->notch_count, sizeof *s->notches, heavier_first);
    s->notch_count = s->notch_count < MOST_NOTCHES ? s->notch_count : MOST_NOTCHES;
    for (size_t i = 0; i < s->notch_count; ++i) {
        s->notches[i].weight *= depth_of(s, of, &s->notches[i]);
        s->notch_weight += s->notches[i].weight;
    }
    if (s->notch_count) qsort(s->notches, s->notch_count, sizeof *s->notches, heavier_first);
    tact_release(s->env, across);
    return result;
}

/// What a plane leaves of the notches, as a share of their weight: one in the plane is gone, unless both its sides go
/// the same way.
static double notches_left(const tact_plane_search* s, const tact_solid_piece* of, dvec normal, double offset,
                           double near)
{
    double gone = 0.0;
    for (size_t i = 0; i < s->notch_count; ++i) {
        const tact_notch* n = &s->notches[i];
        double height[4];
        for (int k = 0; k < 2; ++k) {
            height[k] = d_dot(normal, d_from(of->mesh.positions[n->ends[k]])) - offset;
            height[2 + k] = d_dot(normal, d_from(of->mesh.positions[n->beside[k]])) - offset;
        }
        if (fabs(height[0]) > near || fabs(height[1]) > near) continue;
        if ((height[2] > near && height[3] > near) || (height[2] < -near && height[3] < -near)) continue;
        gone += n->weight;
    }
    return s->notch_weight > 0.0 ? 1.0 - gone / s->notch_weight : 0.0;
}

static int by_height(const void* a, const void* b)
{
    const double p = *(const double*)a, q = *(const double*)b;
    return (p > q) - (p < q);
}

/// `near`: what counts as in the plane.
static void try_plane(const tact_plane_search* s, const tact_solid_piece* of, double offset, double near,
                      tact_cut_plane* best)
{
    double left = notches_left(s, of, best->normal, offset, near);
    if (s->sight.count) left += (double)tact_sight_left(&s->sight, best->normal, offset) / (double)s->sight.count;
    if (left >= best->left) return;
    best->left = left;
    best->offset = offset;
    best->near = near;
}

/// Tries planes through notches, as many as of others, spread evenly over their different heights.
static tact_result try_notches(tact_plane_search* s, const tact_solid_piece* of, double near, tact_cut_plane* best)
{
    if (!tact_reserve(s->env, (void**)&s->heights, &s->height_room, 0, 2 * s->notch_count + 1, sizeof *s->heights)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    size_t count = 2 * s->notch_count, different = 0;
    for (size_t i = 0; i < count; ++i)
        s->heights[i] = d_dot(best->normal, d_from(of->mesh.positions[s->notches[i / 2].ends[i % 2]]));
    if (count) qsort(s->heights, count, sizeof *s->heights, by_height);
    for (size_t i = 0; i < count; ++i)
        if (different == 0 || s->heights[i] > s->heights[different - 1] + near) s->heights[different++] = s->heights[i];
    const size_t tried = different < s->positions ? different : s->positions;
    for (size_t i = 0; i < tried; ++i)
        try_plane(s, of, s->heights[(2 * i + 1) * different / (2 * tried)], near, best);
    return TACT_OK;
}

/// The best planes across one direction: through notches, and anywhere.
static tact_result try_direction(tact_plane_search* s, const tact_solid_piece* of, tact_cut_plane best[2])
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t i = 0; i < of->hull.vertex_count; ++i) {
        const double at = d_dot(best->normal, d_from(of->hull.positions[i]));
        low = at < low ? at : low;
        high = at > high ? at : high;
    }
    const double step = (high - low) / (double)(s->positions + 1);
    const double near = NEAR * (high - low);
    const tact_result result = try_notches(s, of, near, &best[0]);
    // From the middle outwards, so that of planes as good that one is taken.
    for (uint32_t i = 0; i < s->positions; ++i) {
        const double from = (double)((i + 1) / 2) * (i % 2 ? step : -step);
        try_plane(s, of, 0.5 * (low + high) + from, 0.0, &best[1]);
    }
    return result;
}

/// The planes of the faces at the notches of the most weight: with these alone a solid falls into convex parts in the
/// end.
static void try_faces(tact_plane_search* s, const tact_solid_piece* of, tact_cut_plane planes[2 * TACT_CUT_FACED])
{
    const tact_vec3* p = of->mesh.positions;
    const tact_aabb box = tact_aabb_from_points(of->hull.positions, of->hull.vertex_count, 0);
    const double size = d_length(d_sub(d_from(box.upper), d_from(box.lower)));
    for (size_t i = 0; i < TACT_CUT_FACED && i < s->notch_count; ++i) {
        const tact_notch* n = &s->notches[i];
        const dvec end = d_from(p[n->ends[0]]), along = d_sub(d_from(p[n->ends[1]]), end);
        for (int k = 0; k < 2; ++k) {
            const dvec across = d_cross(along, d_sub(d_from(p[n->beside[k]]), end));
            const double length = d_length(across);
            if (!(length > 0.0)) continue;
            tact_cut_plane* plane = &planes[2 * i + (size_t)k];
            plane->normal = d_scale(across, 1.0 / length);
            try_plane(s, of, d_dot(plane->normal, end), NEAR * size, plane);
        }
    }
}

static int by_score(const void* a, const void* b)
{
    const tact_cut_plane *p = a, *q = b;
    if (p->score != q->score) return p->score < q->score ? -1 : 1;
    return p->number - q->number;
}

tact_result tact_find_cut_planes(tact_plane_search* s, const tact_solid_piece* of,
                                 tact_cut_plane planes[TACT_CUT_PLANES])
{
    tact_obb box;
    const tact_mesh_copy* hull = &of->hull;
    tact_result result = tact_obb_fit_solid(&s->env->allocator, hull->positions, hull->vertex_count, hull->indices,
                                            hull->triangle_count, TACT_OBB_ALL_AXES, &box);
    if (result >= 0) result = find_notches(s, of);
    if (result >= 0) result = tact_sight_look(s->env, &of->mesh, &s->sight);
    for (int i = 0; i < TACT_CUT_PLANES; ++i)
        planes[i] = (tact_cut_plane){.number = i, .left = HUGE_VAL, .excess = HUGE_VAL};
    for (int i = 0; i < TACT_CUT_DIRECTIONS && result >= 0; ++i) {
        const dvec normal = i < 3 ? d_make(i == 0, i == 1, i == 2) : d_unit(d_from(box.axis[i - 3]));
        planes[2 * i].normal = planes[2 * i + 1].normal = normal;
        result = try_direction(s, of, &planes[2 * i]);
    }
    if (result < 0) return result;
    try_faces(s, of, &planes[2 * TACT_CUT_DIRECTIONS]);
    for (int i = 0; i < TACT_CUT_PLANES; ++i)
        planes[i].score = planes[i].left;
    qsort(planes, TACT_CUT_PLANES, sizeof *planes, by_score);
    for (int i = 0; i < TACT_CUT_PLANES && result >= 0; ++i) {
        if (i < WEIGHED && planes[i].left < HUGE_VAL) result = weigh_around(s, of, &planes[i]);
        // Of planes that are as good, one in the middle.
        planes[i].score = planes[i].excess / tact_piece_excess(of) + planes[i].left + 1e-3 * planes[i].uneven;
    }
    if (result >= 0) qsort(planes, TACT_CUT_PLANES, sizeof *planes, by_score);
    return result;
}

void tact_plane_search_end(tact_plane_search* s)
{
    tact_release(s->env, s->notches);
    tact_release(s->env, s->heights);
    tact_release(s->env, s->facets);
    tact_release(s->env, s->side[0].points);
    tact_release(s->env, s->side[1].points);
}
