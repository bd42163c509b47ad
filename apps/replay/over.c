// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What is drawn over the picture of a recorded query: rays and points with what they find, outlines and lines.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/replay/sketch.h"

static const tact_query_options on_cpu = {.backend = TACT_BACKEND_CPU};
static const tact_debug_color faint = {150, 160, 175, 110}, edge = {30, 90, 200, 255}, path = {40, 110, 200, 200};

/// All kinds in one colour, for which there must be room.
static tact_debug_draw coloured(const tact_sketch* s, tact_debug_color color, tact_debug_color colors[TACT_DEBUG_KINDS])
{
    for (int i = 0; i < TACT_DEBUG_KINDS; ++i)
        colors[i] = color;
    tact_debug_draw draw = s->draw;
    draw.colors = colors;
    return draw;
}

// ---- Rays, points, spheres ----

/// Copies rows of an array, spread over all of it where there are more than are drawn: the first rays of a camera see
/// the sky. One of each equal share, but not at the same place in each, since what is in a grid would show one column
/// of it. Returns how many; `rows` has room for TACT_SKETCH_MOST.
static size_t take_rows(const tact_recorded_array* a, size_t bytes, void* rows)
{
    const size_t count = a->rows < TACT_SKETCH_MOST ? a->rows : TACT_SKETCH_MOST;
    for (size_t i = 0; i < count; ++i) {
        const double place = fmod((double)i * 0.6180339887498949, 1.0);  // the golden ratio's multiples spread evenly
        const size_t row = (size_t)(((double)i + place) * (double)a->rows / (double)count);
        memcpy((char*)rows + i * bytes, (const char*)a->data + row * bytes, bytes);
    }
    return count;
}

static tact_result draw_rays(const tact_sketch* s, tact_debug_draw* draw, const tact_recorded_array* a, float reach)
{
    tact_ray rays[TACT_SKETCH_MOST];
    tact_hit hits[TACT_SKETCH_MOST];
    const size_t count = take_rows(a, sizeof rays[0], rays);
    if (count == 0) return TACT_OK;
    tact_result result = tact_raycast(s->scene, TACT_RAY_CLOSEST, rays, count, hits, &on_cpu, NULL);
    for (size_t i = 0; i < count && result == TACT_OK; ++i)
        result = tact_debug_ray(draw, &rays[i], &hits[i], NULL, reach);
    return result;
}

static tact_result draw_closest(const tact_sketch* s, tact_debug_draw* draw, const tact_recorded_array* a, float reach)
{
    tact_closest_query points[TACT_SKETCH_MOST];
    tact_closest_hit hits[TACT_SKETCH_MOST];
    const size_t count = take_rows(a, sizeof points[0], points);
    if (count == 0) return TACT_OK;
    tact_result result = tact_closest_points(s->scene, points, count, hits, &on_cpu, NULL);
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        if (hits[i].instance == TACT_NONE) continue;
        const tact_closest_query* p = &points[i];
        const tact_ray way = {p->x, p->y, p->z, 0, hits[i].x - p->x, hits[i].y - p->y, hits[i].z - p->z, 1};
        const tact_hit end = {hits[i].instance, hits[i].primitive, 1, 0, 0};
        result = tact_debug_ray(draw, &way, &end, NULL, reach);
    }
    return result;
}

static tact_result draw_spheres(const tact_sketch* s, tact_debug_draw* draw, const tact_recorded_array* a, float reach)
{
    tact_sphere_cast casts[TACT_SKETCH_MOST];
    tact_sphere_hit hits[TACT_SKETCH_MOST];
    const size_t count = take_rows(a, sizeof casts[0], casts);
    if (count == 0) return TACT_OK;
    tact_result result = tact_cast_spheres(s->scene, casts, count, hits, &on_cpu, NULL);
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        const tact_ray* r = &casts[i].ray;
        const float t = hits[i].t;
        const tact_hit end = {hits[i].instance, hits[i].primitive, t, 0, 0};
        result = tact_debug_ray(draw, r, &end, NULL, reach);
        if (result != TACT_OK || hits[i].instance == TACT_NONE) continue;
        const tact_sphere there = {{r->ox + t * r->dx, r->oy + t * r->dy, r->oz + t * r->dz}, casts[i].radius};
        result = tact_debug_sphere(draw, TACT_DEBUG_VOLUME, there);
    }
    return result;
}

// ---- Planes ----

typedef struct half_space {
    double n[3], d;  ///< n . x <= d
} half_space;

static double dot_of(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross_of(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/// The part of the line in which planes `i` and `j` meet that is behind all others. False: none.
static bool edge_of(const half_space* h, size_t count, size_t i, size_t j, float from[3], float to[3])
{
    double way[3], a[3], b[3], p[3], low = -1e30, high = 1e30;
    cross_of(h[i].n, h[j].n, way);
    const double square = dot_of(way, way);
    if (!(square > 1e-12 * dot_of(h[i].n, h[i].n) * dot_of(h[j].n, h[j].n))) return false;
    cross_of(h[j].n, way, a);
    cross_of(way, h[i].n, b);
    for (int k = 0; k < 3; ++k)
        p[k] = (h[i].d * a[k] + h[j].d * b[k]) / square;
    for (size_t k = 0; k < count; ++k) {
        if (k == i || k == j) continue;
        const double rise = dot_of(h[k].n, way), left = h[k].d - dot_of(h[k].n, p);
        if (rise > 0.0) high = fmin(high, left / rise);
        if (rise < 0.0) low = fmax(low, left / rise);
        if (rise == 0.0 && left < 0.0) return false;
    }
    if (!(low < high) || low <= -1e30 || high >= 1e30) return false;
    for (int k = 0; k < 3; ++k) {
        from[k] = (float)(p[k] + low * way[k]);
        to[k] = (float)(p[k] + high * way[k]);
    }
    return true;
}

/// The edges of what is behind `given` planes, of which there are more that only cut them off.
static tact_result draw_edges(tact_sketch* s, tact_debug_color color, const half_space* h, size_t given, size_t count)
{
    tact_result result = TACT_OK;
    float from[3], to[3];
    for (size_t i = 0; i < given; ++i)
        for (size_t j = i + 1; j < count && result == TACT_OK; ++j)
            if (edge_of(h, count, i, j, from, to)) result = tact_sketch_line(s, color, from, to);
    return result;
}

/// Planes to cull by, cut off where there is nothing to be seen any more.
static tact_result draw_planes(tact_sketch* s)
{
    enum { MOST = TACT_CULL_PLANES_MAX + 6 };
    half_space h[MOST];
    tact_recorded_array planes;
    size_t given = 0;
    if (!tact_sketch_array(s, "planes", &planes)) return TACT_OK;
    const tact_plane* p = planes.data;
    for (size_t i = 0; i < planes.rows && i < TACT_CULL_PLANES_MAX; ++i) {
        const half_space one = {{(double)p[i].normal.x, (double)p[i].normal.y, (double)p[i].normal.z},
                                (double)p[i].distance};
        if (isfinite(dot_of(one.n, one.n)) && dot_of(one.n, one.n) > 0.0 && isfinite(one.d)) h[given++] = one;
    }
    size_t count = given;
    for (int k = 0; k < 6; ++k) {
        half_space side = {{0, 0, 0}, 0};
        const int axis = k / 2;
        const double room = 0.25 * (double)s->reach;
        side.n[axis] = k % 2 ? 1.0 : -1.0;
        side.d = k % 2 ? s->bounds.upper[axis] + room : -(s->bounds.lower[axis] - room);
        h[count++] = side;
    }
    return draw_edges(s, edge, h, given, count);
}

// ---- Volumes ----

static tact_result draw_kdop(tact_sketch* s, tact_debug_color color, const tact_kdop* kdop)
{
    half_space h[2 * TACT_KDOP_AXES_MAX];
    const tact_vec3* axes = tact_kdop_axes(kdop->k);
    size_t count = 0;
    for (uint32_t i = 0; axes && i < kdop->k / 2; ++i) {
        const double n[3] = {(double)axes[i].x, (double)axes[i].y, (double)axes[i].z};
        h[count++] = (half_space){{n[0], n[1], n[2]}, (double)kdop->upper[i]};
        h[count++] = (half_space){{-n[0], -n[1], -n[2]}, -(double)kdop->lower[i]};
    }
    return draw_edges(s, color, h, count, count);
}

/// Those that are culled, faintly; oriented boxes and k-DOPs that are kept too, since these are not shaded.
static tact_result draw_culled(tact_sketch* s)
{
    tact_debug_color colors[TACT_DEBUG_KINDS];
    tact_debug_draw quiet = coloured(s, faint, colors);
    tact_recorded_array volumes = {0}, boxes = {0};
    uint8_t* kept = NULL;
    size_t count = 0;
    tact_result result = tact_sketch_culled(s, &kept, &count);
    tact_sketch_array(s, "volumes", &volumes);
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        const void* v = (const uint32_t*)volumes.data + i * volumes.columns;
        tact_debug_draw* draw = kept[i] ? &s->draw : &quiet;
        tact_aabb box;
        tact_sphere ball;
        switch (s->query->parameters[0]) {
            case TACT_CULL_AABBS:
                memcpy(&box, v, sizeof box);
                if (!kept[i]) result = tact_debug_aabb(draw, TACT_DEBUG_VOLUME, box);
                break;
            case TACT_CULL_SPHERES:
                memcpy(&ball, v, sizeof ball);
                if (!kept[i]) result = tact_debug_sphere(draw, TACT_DEBUG_VOLUME, ball);
                break;
            case TACT_CULL_OBBS:
                result = tact_debug_obb(draw, TACT_DEBUG_CONTACT, v);
                break;
            default:
                result = draw_kdop(s, kept[i] ? tact_debug_default_color(TACT_DEBUG_CONTACT) : faint, v);
                break;
        }
    }
    free(kept);
    const tact_aabb* listed = tact_sketch_array(s, "boxes", &boxes) ? boxes.data : NULL;
    for (size_t i = 0; listed && i < boxes.rows && i < TACT_SKETCH_MOST && result == TACT_OK; ++i)
        result = tact_debug_aabb(&s->draw, TACT_DEBUG_FRUSTUM, listed[i]);
    return result == TACT_OK ? draw_planes(s) : result;
}

/// The bounds of instances out of view, which are not in the scene any more.
static tact_result draw_scene_cull(tact_sketch* s)
{
    tact_debug_color colors[TACT_DEBUG_KINDS];
    tact_debug_draw quiet = coloured(s, faint, colors);
    tact_scene *whole = NULL, *seen = s->scene;
    tact_recorded_array instances;
    uint8_t* kept = NULL;
    size_t count = 0;
    tact_result result = tact_recording_make_scene(s->recording, s->index, &whole);
    if (result != TACT_OK) return result;
    s->scene = whole;
    result = tact_sketch_culled(s, &kept, &count);
    s->scene = seen;
    tact_sketch_array(s, "instances", &instances);
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        if (((const uint32_t*)instances.data)[i * instances.columns] == TACT_NONE) continue;
        result = tact_debug_instance_bounds(kept[i] ? &s->draw : &quiet, whole, (uint32_t)i);
    }
    free(kept);
    tact_scene_destroy(whole);
    return result == TACT_OK ? draw_planes(s) : result;
}

/// What two boxes of a pair have in common.
static tact_result draw_pairs(tact_sketch* s)
{
    tact_debug_color colors[TACT_DEBUG_KINDS];
    tact_debug_draw bold = coloured(s, edge, colors);
    tact_volume_set* sets[2] = {NULL, NULL};
    tact_recorded_array volumes[2] = {{0}, {0}};
    size_t count = 0;
    tact_result result = tact_sketch_set(s, 0, &sets[0], &volumes[0]);
    if (result == TACT_OK) result = tact_sketch_set(s, 1, &sets[1], &volumes[1]);
    const tact_recorded_array* other = sets[1] ? &volumes[1] : &volumes[0];
    if (result == TACT_OK && volumes[0].columns == 6 && other->columns == 6) {
        result = tact_pairs_find(sets[0], sets[1], TACT_PAIRS_AUTO, NULL, 0, &count, &on_cpu, NULL);
        const tact_pair* pairs = tact_pairs_last(sets[0], &count);
        for (size_t i = 0; i < count && i < TACT_SKETCH_MOST && result >= TACT_OK; ++i) {
            const float* a = (const float*)volumes[0].data + 6 * (size_t)pairs[i].a;
            const float* b = (const float*)other->data + 6 * (size_t)pairs[i].b;
            const tact_aabb common = {{fmaxf(a[0], b[0]), fmaxf(a[1], b[1]), fmaxf(a[2], b[2])},
                                      {fminf(a[3], b[3]), fminf(a[4], b[4]), fminf(a[5], b[5])}};
            result = tact_debug_aabb(&bold, TACT_DEBUG_CONTACT, common);
        }
    }
    tact_volume_set_destroy(sets[1]);
    tact_volume_set_destroy(sets[0]);
    return result < TACT_OK ? result : TACT_OK;
}

// ---- Meshes ----

/// The shortest way from one mesh to the other, or what pairs of triangles have in common.
static tact_result draw_between(tact_sketch* s)
{
    tact_mesh* meshes[2];
    tact_recorded_array poses = {0}, pairs = {0};
    tact_sketch_array(s, "poses", &poses);
    const bool segments = tact_sketch_array(s, "pairs", &pairs);
    const float(*rows)[12] = (const float(*)[12])poses.data;
    tact_result result = tact_sketch_meshes(s, meshes);
    tact_mesh* b = meshes[1] ? meshes[1] : meshes[0];
    if (result == TACT_OK && !segments && poses.rows == 1) {
        float limit;
        tact_mesh_distance found;
        memcpy(&limit, &s->query->parameters[0], sizeof limit);
        result = tact_mesh_separation(meshes[0], b, rows[0], limit, NULL, &found);
        if (result == TACT_OK && found.triangle_a != TACT_NONE) {
            const float ends[2][3] = {{found.point_a.x, found.point_a.y, found.point_a.z},
                                      {found.point_b.x, found.point_b.y, found.point_b.z}};
            result = tact_sketch_line(s, tact_debug_default_color(TACT_DEBUG_CONTACT), ends[0], ends[1]);
        }
    } else if (result == TACT_OK && segments) {
        tact_triangle_contact* contacts = malloc((pairs.rows + 1) * sizeof *contacts);
        result = contacts ? tact_mesh_overlap_segments(meshes[0], b, rows, poses.rows, pairs.data, pairs.rows, contacts,
                                                       &on_cpu)
                          : TACT_ERROR_OUT_OF_MEMORY;
        if (result == TACT_OK) result = tact_debug_triangle_contacts(&s->draw, contacts, pairs.rows, NULL);
        free(contacts);
    }
    tact_mesh_destroy(meshes[1]);
    tact_mesh_destroy(meshes[0]);
    return result;
}

// ---- Particles ----

/// The ways that particles have gone: those that are there before and after.
static tact_result draw_ways(tact_sketch* s)
{
    tact_sketch_particles before, after = {0};
    tact_result result = tact_sketch_restore(s, false, &before);
    if (result == TACT_OK) result = tact_sketch_restore(s, true, &after);
    for (size_t i = 0, k = 0; i < before.count && result == TACT_OK; ++i) {
        while (k < after.count && after.ids[k] < before.ids[i])
            ++k;
        if (k == after.count) break;
        if (after.ids[k] != before.ids[i]) continue;
        result = tact_sketch_line(s, path, before.positions + 3 * i, after.positions + 3 * k);
    }
    tact_sketch_let_go(&after);
    tact_sketch_let_go(&before);
    return result;
}

static tact_result draw_contacts(tact_sketch* s)
{
    tact_debug_color colors[TACT_DEBUG_KINDS];
    tact_debug_draw bold = coloured(s, edge, colors);
    tact_sketch_particles p;
    tact_result result = tact_sketch_restore(s, true, &p);
    const size_t room = p.count * 16;
    tact_particle_contact* contacts = malloc((room + 1) * sizeof *contacts);
    size_t count = 0;
    if (!contacts) result = TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) result = tact_particles_contacts(p.system, contacts, room, &count, &on_cpu, NULL);
    for (size_t i = 0; i < count && i < room && i < TACT_SKETCH_MOST && result >= TACT_OK; ++i) {
        const tact_particle_contact* c = &contacts[i];
        const tact_vec3 point = {c->point[0], c->point[1], c->point[2]},
                        normal = {c->normal[0], c->normal[1], c->normal[2]};
        result = tact_debug_contact(&bold, point, normal, 0.05f * s->reach);
    }
    free(contacts);
    tact_sketch_let_go(&p);
    return result < TACT_OK ? result : TACT_OK;
}

static tact_result draw_neighbours(tact_sketch* s)
{
    tact_sketch_particles p;
    tact_neighbour_lists lists = {0};
    float radius;
    memcpy(&radius, &s->query->parameters[0], sizeof radius);
    tact_result result = tact_sketch_restore(s, false, &p);
    if (result == TACT_OK) {
        result = tact_particles_neighbours(p.system, radius, TACT_NEIGHBOURS_ONCE, &lists, &on_cpu, NULL);
    }
    uint32_t most = 0;
    for (size_t i = 0; i < p.count && result == TACT_OK; ++i)
        most = p.ids[i] > most ? p.ids[i] : most;
    size_t* place = malloc(((size_t)most + 1) * sizeof *place);
    if (!place) result = TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < p.count && result == TACT_OK; ++i)
        place[p.ids[i]] = i;
    for (size_t a = 0; a < lists.slots && result == TACT_OK; ++a) {
        for (uint64_t i = lists.offsets[a]; i < lists.offsets[a + 1] && result == TACT_OK; ++i) {
            const float *x = p.positions + 3 * place[lists.ids[a]],
                        *y = p.positions + 3 * place[lists.ids[lists.neighbours[i]]];
            // Across a face of a domain that repeats there is no line.
            const float dx = x[0] - y[0], dy = x[1] - y[1], dz = x[2] - y[2];
            if (dx * dx + dy * dy + dz * dz > 1.01f * radius * radius) continue;
            result = tact_sketch_line(s, tact_debug_default_color(TACT_DEBUG_CONTACT), x, y);
        }
    }
    free(place);
    tact_sketch_let_go(&p);
    return result;
}

// ---- Picks ----

/// A line of the view, in pixels, as points just behind the near plane.
static tact_result draw_on_view(tact_sketch* s, double x0, double y0, double x1, double y1)
{
    const float depth = s->view.reversed ? 0.999f : 0.001f;
    float a[3], b[3];
    if (!tact_pick_unproject(&s->view, x0, y0, depth, a) || !tact_pick_unproject(&s->view, x1, y1, depth, b)) {
        return TACT_OK;
    }
    return tact_sketch_line(s, edge, a, b);
}

/// The region's outline, and a dot at each pick, unless there are so many that they hide what they show.
static tact_result draw_picks(tact_sketch* s)
{
    enum { MOST_DOTS = 40 };
    tact_recorded_array rows, lasso = {0};
    tact_pick* picks = NULL;
    size_t count = 0;
    if (!tact_sketch_array(s, "region", &rows) || rows.rows != 1) return TACT_OK;
    const int32_t* w = rows.data;
    const double x = w[1] + 0.5, y = w[2] + 0.5, radius = ((const uint32_t*)rows.data)[3] + 0.5;
    tact_result result = TACT_OK;
    for (int i = 0; i < 4 && w[0] == TACT_PICK_RECTANGLE && result == TACT_OK; ++i) {
        static const int at[4][4] = {{4, 5, 6, 5}, {6, 5, 6, 7}, {6, 7, 4, 7}, {4, 7, 4, 5}};
        result = draw_on_view(s, w[at[i][0]], w[at[i][1]], w[at[i][2]], w[at[i][3]]);
    }
    for (int i = 0; i < 64 && w[0] == TACT_PICK_POINT && result == TACT_OK; ++i) {
        const double part = 6.283185307179586 / 64, u = i * part, v = (i + 1) * part;
        result = draw_on_view(s, x + radius * cos(u), y + radius * sin(u), x + radius * cos(v), y + radius * sin(v));
    }
    const float(*corner)[2] = tact_sketch_array(s, "lasso", &lasso) ? (const float(*)[2])lasso.data : NULL;
    for (size_t i = 0; corner && i < lasso.rows && result == TACT_OK; ++i) {
        const size_t next = i + 1 < lasso.rows ? i + 1 : 0;
        result = draw_on_view(s, (double)corner[i][0], (double)corner[i][1], (double)corner[next][0],
                              (double)corner[next][1]);
    }
    if (result == TACT_OK) result = tact_sketch_picks(s, &picks, &count);
    for (size_t i = 0; i < count && count <= MOST_DOTS && result == TACT_OK; ++i) {
        tact_debug_vertex v = {{0, 0, 0}, tact_debug_default_color(TACT_DEBUG_HIT)};
        memcpy(v.position, picks[i].position, sizeof v.position);
        result = s->draw.points(&v, 1, s);
    }
    free(picks);
    return result;
}

tact_result tact_sketch_over(tact_sketch* s)
{
    tact_recorded_array a;
    tact_result result;
    switch (s->query->kind) {
        case TACT_RECORDED_SCENE_CULL:
            return draw_scene_cull(s);
        case TACT_RECORDED_CULL:
            return draw_culled(s);
        case TACT_RECORDED_PAIRS:
            return draw_pairs(s);
        case TACT_RECORDED_SEPARATION:
        case TACT_RECORDED_SEGMENTS:
            return draw_between(s);
        case TACT_RECORDED_PARTICLES:
            result = draw_ways(s);
            return result == TACT_OK ? draw_contacts(s) : result;
        case TACT_RECORDED_CONTACTS:
            return draw_contacts(s);
        case TACT_RECORDED_NEIGHBOURS:
            return draw_neighbours(s);
        case TACT_RECORDED_PICK:
        case TACT_RECORDED_TARGET:
            return draw_picks(s);
        default:
            break;
    }
    if (tact_sketch_array(s, "rays", &a)) return draw_rays(s, &s->draw, &a, 2.0f * s->reach);
    if (tact_sketch_array(s, "points", &a)) return draw_closest(s, &s->draw, &a, 2.0f * s->reach);
    return tact_sketch_array(s, "casts", &a) ? draw_spheres(s, &s->draw, &a, 2.0f * s->reach) : TACT_OK;
}
