// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/geometry/mesh_decompose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_ref/geometry/vec.h"
#include "cpu_ref/solids/combine.h"
#include "cpu_ref/solids/cut_planes.h"
#include "cpu_ref/solids/solid.h"
#include "tact/geometry/aabb.h"
#include "tact/geometry/convex_mesh.h"
#include "tact/geometry/hull.h"

enum { USUAL_MOST = 16, USUAL_POSITIONS = 7, MOST = 1024, MOST_POSITIONS = 1024, MOST_PIECES = 1024 };

/// What two parts may add by becoming one where there is too much already, as a share of the excess that needs no cut.
#define NOTHING 1e-3

/// The share of the time that cuts take, about, as progress has it.
#define CUTTING 0.8

typedef struct job {
    tact_env* env;
    tact_decompose_settings settings;
    tact_solid_piece* pieces;
    size_t count, room;
    double volume;  ///< of the solid
    uint64_t born, cuts;
    tact_plane_search search;
    tact_point_list both;  ///< corners of two hulls
} job;

// ---- Volumes and hulls ----

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
            *volume = tact_mesh_enclosed(hull->positions, hull->indices, hull->triangle_count);
        } else {
            tact_mesh_copy_free(hull);
            result = TACT_ERROR_OUT_OF_MEMORY;
        }
        tact_release(j->env, number);
    }
    tact_hull_mesh_free(&from);
    return result;
}

// ---- Pieces ----

static void free_piece(tact_solid_piece* p)
{
    tact_mesh_copy_free(&p->mesh);
    tact_mesh_copy_free(&p->hull);
}

/// Takes the mesh, also when it fails. One that rounding has made flat is dropped: it is in the hull of its neighbour.
static tact_result add_piece(job* j, tact_mesh_copy* mesh)
{
    tact_solid_piece p = {.mesh = *mesh, .born = j->born++};
    p.volume = tact_mesh_enclosed(p.mesh.positions, p.mesh.indices, p.mesh.triangle_count);
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
        volume[root] +=
            tact_wedge_volume(d_sub(d_from(mesh->positions[t[0]]), from), d_sub(d_from(mesh->positions[t[1]]), from),
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

// ---- Cuts ----

/// A box in front of the plane that all of the piece there is in.
static void make_box(const tact_solid_piece* of, const tact_cut_plane* plane, tact_vec3 corner[8])
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
static tact_result cut(job* j, size_t number, const tact_cut_plane* plane, bool* done)
{
    // Corners: 1 along u, 2 along v, 4 along the normal, which are right-handed.
    static const uint32_t faces[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    static const tact_mesh_operation operations[2] = {TACT_MESH_INTERSECTION, TACT_MESH_DIFFERENCE};
    tact_vec3 corner[8];
    const tact_solid_piece* of = &j->pieces[number];
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
    tact_cut_plane planes[TACT_CUT_PLANES];
    bool done = false;
    tact_result result = tact_find_cut_planes(&j->search, &j->pieces[number], planes);
    for (int i = 0; i < TACT_CUT_PLANES && result >= 0 && !done; ++i) {
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
            const double excess = tact_piece_excess(&j->pieces[i]);
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

static tact_result take_points(job* j, const tact_solid_piece* a, const tact_solid_piece* b)
{
    bool good = true;
    j->both.count = 0;
    for (size_t i = 0; i < a->hull.vertex_count && good; ++i)
        good = tact_point_list_add(j->env, &j->both, a->hull.positions[i]);
    for (size_t i = 0; i < b->hull.vertex_count && good; ++i)
        good = tact_point_list_add(j->env, &j->both, b->hull.positions[i]);
    return good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

/// What the hull of both would have beyond theirs; of two that do not touch what their box has.
static tact_result weigh_pair(job* j, const tact_solid_piece* a, const tact_solid_piece* b, double* more)
{
    const tact_aabb p = tact_aabb_from_points(a->hull.positions, a->hull.vertex_count, 0);
    const tact_aabb q = tact_aabb_from_points(b->hull.positions, b->hull.vertex_count, 0);
    *more = (double)tact_aabb_volume(tact_aabb_union(p, q)) - (a->hull_volume + b->hull_volume);
    if (!tact_aabb_overlaps_aabb(p, q)) return TACT_OK;
    tact_result result = take_points(j, a, b);
    if (result >= 0) result = tact_hull_volume(j->env, &j->both, more);
    *more -= a->hull_volume + b->hull_volume;
    return result;
}

/// Makes two pieces one: the last takes the place of the second. `more` is the matrix of pairs, the lower number first.
static tact_result join(job* j, double* more, size_t stride, size_t a, size_t b)
{
    tact_solid_piece *p = &j->pieces[a], *q = &j->pieces[b];
    tact_result result = take_points(j, p, q);
    tact_mesh_copy hull = {0};
    double volume = 0.0;
    if (result >= 0) result = make_hull(j, j->both.points, j->both.count, &hull, &volume);
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

static double whole_excess(const job* j)
{
    double sum = 0.0;
    for (size_t i = 0; i < j->count; ++i)
        sum += j->pieces[i].hull_volume;
    return sum - j->volume;
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
        const double share = (double)j->settings.excess * j->volume;
        const bool enough = j->count <= j->settings.most;
        if (enough && more[a * stride + b] > fmax(share - whole_excess(j), NOTHING * share)) break;
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
        tact_solid_piece* p = &j->pieces[i];
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
    const tact_solid_piece *p = a, *q = b;
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
    if (s->corners > 0 && s->corners < TACT_HULL_AROUND_LEAST) {
        return tact_fail(j->env, TACT_ERROR_INVALID_ARGUMENT, "at most %u corners; at least %d", (unsigned)s->corners,
                         TACT_HULL_AROUND_LEAST);
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
    j.search = (tact_plane_search){.env = &env, .positions = j.settings.positions};
    if (result >= 0) result = begin(&j, mesh);
    if (result >= 0) result = cut_all(&j);
    if (result >= 0) result = join_pieces(&j);
    if (result >= 0) result = round_off(&j);
    if (result >= 0) result = give_parts(&j, decomposition);
    for (size_t i = 0; i < j.count; ++i)
        free_piece(&j.pieces[i]);
    tact_release(&env, j.pieces);
    tact_release(&env, j.both.points);
    tact_plane_search_end(&j.search);
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
