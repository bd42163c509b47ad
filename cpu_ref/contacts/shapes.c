// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Makes the tables of shapes: cores of points, edges and faces.

#include <math.h>
#include <string.h>

#include "cpu_ref/contacts/shapes.h"
#include "tact/geometry/hull.h"

/// Room for `more` after `used`, of which those of shapes without rows for lanes may not be there.
static bool room(tact_env* env, void** array, size_t* capacity, size_t used, size_t more, size_t size)
{
    return tact_reserve(env, array, capacity, used < *capacity ? used : *capacity, used + more, size);
}

#define ROOM(what, more)                                                                                   \
    bool tact_room_for_##what(tact_adding* a, size_t more)                                                 \
    {                                                                                                      \
        void* array = a->t->what##s;                                                                       \
        const bool good =                                                                                  \
            room(a->env, &array, &a->t->what##_capacity, a->t->what##_count, more, sizeof *a->t->what##s); \
        a->t->what##s = array;                                                                             \
        return good;                                                                                       \
    }
ROOM(shape, more)
ROOM(point, more)
ROOM(face, more)
ROOM(corner, more)
ROOM(edge, more)

/// Begins points, faces and edges where registers of lanes do.
static bool align(tact_adding* a)
{
    if (!tact_room_for_point(a, TACT_CONTACT_LANE_BLOCK) ||
        !tact_room_for_face(a, TACT_FACE_ROWS * TACT_CONTACT_LANE_BLOCK) ||
        !tact_room_for_edge(a, TACT_CONTACT_LANE_BLOCK))
        return false;
    while (a->t->point_count % TACT_CONTACT_LANE_BLOCK != 0)
        a->t->points[a->t->point_count++] = (float4){0};
    while (a->t->face_count % (TACT_FACE_ROWS * TACT_CONTACT_LANE_BLOCK) != 0)
        a->t->faces[a->t->face_count++] = (uint4){0};
    while (a->t->edge_count % TACT_CONTACT_LANE_BLOCK != 0)
        a->t->edges[a->t->edge_count++] = (uint4){0};
    a->point = a->t->point_count;
    a->face = a->t->face_count;
    a->edge = a->t->edge_count;
    return true;
}

static void put_row(float* rows, int first, TactVec v)
{
    enum { BLOCK = TACT_CONTACT_LANE_BLOCK };
    rows[BLOCK * first] = v.x;
    rows[BLOCK * (first + 1)] = v.y;
    rows[BLOCK * (first + 2)] = v.z;
}

static void add_edge_lanes(const tact_adding* a)
{
    enum { BLOCK = TACT_CONTACT_LANE_BLOCK, ROWS = TACT_CONTACT_EDGE_LANES };
    const tact_shape_tables* t = a->t;
    const TactShapes shapes = tact_shapes_of(t);
    const TactCore core = {.point = (uint32_t)a->point,
                           .face = (uint32_t)(a->face / TACT_FACE_ROWS),
                           .edge = (uint32_t)a->edge,
                           .scale = 1.0f};
    // Lanes beyond the last edge are read: tiny numbers there would take long.
    const size_t blocks = (t->edge_count - a->edge + BLOCK - 1) / BLOCK;
    if (blocks > 0) memset(t->edge_lanes + ROWS * a->edge, 0, blocks * BLOCK * ROWS * sizeof *t->edge_lanes);
    for (size_t i = a->edge; i < t->edge_count; ++i) {
        const uint4 edge = t->edges[i];
        const bool open = tact_edge_is_open(&shapes, core, (uint32_t)(i - a->edge));
        float* rows = t->edge_lanes + ROWS * BLOCK * (i / BLOCK) + i % BLOCK;
        put_row(rows, 0, tact_core_point(&shapes, core, edge.x));
        put_row(rows, 3, tact_core_edge(&shapes, core, edge));
        put_row(rows, 6, tact_edge_normal(&shapes, core, edge.z));
        put_row(rows, 9, tact_edge_normal(&shapes, core, edge.w));
        rows[(size_t)BLOCK * 12] = open ? -INFINITY : tact_face_offset(&shapes, core, edge.z);
        rows[(size_t)BLOCK * 13] = open ? -INFINITY : tact_face_offset(&shapes, core, edge.w);
    }
}

/// Lists the edges beside each face, and after these those that are open, whose number is the last of the core's
/// places.
static void list_edges(const tact_adding* a)
{
    const tact_shape_tables* t = a->t;
    const TactShapes shapes = tact_shapes_of(t);
    const size_t face = a->face / TACT_FACE_ROWS, faces = t->face_count / TACT_FACE_ROWS - face;
    const TactCore core = {.face = (uint32_t)face, .edge = (uint32_t)a->edge};
    const size_t edges = t->edge_count - a->edge, places = TACT_CONTACT_EDGE_LISTS * edges;
    uint16_t *starts = t->face_edges + 2 * face, *list = t->edge_lists + TACT_CONTACT_EDGE_LISTS * a->edge;
    uint16_t count = 0;
    for (size_t f = 0; f < faces; ++f) {
        starts[2 * f] = count;
        for (size_t i = 0; i < edges; ++i) {
            const uint4 edge = t->edges[a->edge + i];
            if (edge.z == f || edge.w == f) list[count++] = (uint16_t)i;
        }
        starts[2 * f + 1] = count;
    }
    const uint16_t beside = count;
    for (size_t i = 0; i < edges; ++i)
        if (tact_edge_is_open(&shapes, core, (uint32_t)i)) list[count++] = (uint16_t)i;
    TACT_ASSERT(count < places || edges == 0);
    if (edges > 0) list[places - 1] = (uint16_t)(count - beside);
}

/// Writes a core's points, faces and edges as lanes read them. In place of points and faces that are not there stand
/// the first point, and faces that nothing is beyond.
static bool add_lanes(tact_adding* a)
{
    enum { BLOCK = TACT_CONTACT_LANE_BLOCK };
    tact_shape_tables* t = a->t;
    const size_t points = t->point_count - a->point, faces = (t->face_count - a->face) / TACT_FACE_ROWS;
    const size_t first = a->point / BLOCK, last = (t->point_count + BLOCK - 1) / BLOCK;
    const size_t first_face = a->face / TACT_FACE_ROWS / BLOCK,
                 last_face = (t->face_count / TACT_FACE_ROWS + BLOCK - 1) / BLOCK;
    const size_t first_edge = a->edge / BLOCK, last_edge = (t->edge_count + BLOCK - 1) / BLOCK;
    void *point_lanes = t->point_lanes, *face_lanes = t->face_lanes, *edge_lanes = t->edge_lanes,
         *starts = t->face_edges, *lists = t->edge_lists;
    bool good = room(a->env, &point_lanes, &t->point_lane_capacity, 3 * BLOCK * first, 3 * BLOCK * (last - first),
                     sizeof *t->point_lanes);
    t->point_lanes = point_lanes;
    good = good && room(a->env, &face_lanes, &t->face_lane_capacity, 4 * BLOCK * first_face,
                        4 * BLOCK * (last_face - first_face), sizeof *t->face_lanes);
    t->face_lanes = face_lanes;
    good = good && room(a->env, &edge_lanes, &t->edge_lane_capacity, TACT_CONTACT_EDGE_LANES * BLOCK * first_edge,
                        TACT_CONTACT_EDGE_LANES * BLOCK * (last_edge - first_edge), sizeof *t->edge_lanes);
    t->edge_lanes = edge_lanes;
    good =
        good && room(a->env, &starts, &t->face_edge_capacity, a->face, t->face_count - a->face, sizeof *t->face_edges);
    t->face_edges = starts;
    good = good && room(a->env, &lists, &t->edge_list_capacity, TACT_CONTACT_EDGE_LISTS * a->edge,
                        TACT_CONTACT_EDGE_LISTS * (t->edge_count - a->edge), sizeof *t->edge_lists);
    t->edge_lists = lists;
    if (!good) return false;
    for (size_t i = 0; i < BLOCK * (last - first); ++i) {
        const float4 p = t->points[a->point + (i < points ? i : 0)];
        float* to = t->point_lanes + 3 * BLOCK * (first + i / BLOCK) + i % BLOCK;
        to[0] = p.x;
        to[BLOCK] = p.y;
        to[2 * BLOCK] = p.z;
    }
    for (size_t i = 0; i < BLOCK * (last_face - first_face); ++i) {
        const uint4 plane = i < faces ? t->faces[a->face + TACT_FACE_ROWS * i] : (uint4){0, 0, 0, as_uint(INFINITY)};
        float* to = t->face_lanes + 4 * BLOCK * (first_face + i / BLOCK) + i % BLOCK;
        to[0] = as_float(plane.x);
        to[BLOCK] = as_float(plane.y);
        to[2 * BLOCK] = as_float(plane.z);
        to[3 * BLOCK] = as_float(plane.w);
    }
    add_edge_lanes(a);
    list_edges(a);
    return true;
}

void tact_add_point(tact_adding* a, float x, float y, float z)
{
    a->t->points[a->t->point_count++] = (float4){x, y, z, 0.0f};
}

void tact_add_edge(tact_adding* a, uint32_t p, uint32_t q, uint32_t left, uint32_t right)
{
    a->t->edges[a->t->edge_count++] = (uint4){p, q, left, right};
}

/// The plane of a face, through its corner that is farthest out: no point of the core lies beyond it, as rounded.
void tact_add_face(tact_adding* a, const double normal[3], const uint32_t* corners, uint32_t count)
{
    const float n[3] = {(float)normal[0], (float)normal[1], (float)normal[2]};
    const float4* points = a->t->points + a->point;
    float offset = -INFINITY;
    for (size_t i = 0; i < a->t->point_count - a->point; ++i) {
        const float along = tact_dot3(points[i].x, points[i].y, points[i].z, n[0], n[1], n[2]);
        offset = along > offset ? along : offset;
    }
    if (count == 0) offset = 0.0f;
    const size_t first = a->t->corner_count;
    // Of more corners than are kept, some that are spread evenly.
    const uint32_t kept = count < TACT_CONTACT_CORNERS ? count : TACT_CONTACT_CORNERS;
    for (uint32_t i = 0; i < kept; ++i)
        a->t->corners[a->t->corner_count++] = corners[(size_t)i * count / kept];
    a->t->faces[a->t->face_count++] = (uint4){as_uint(n[0]), as_uint(n[1]), as_uint(n[2]), as_uint(offset)};
    a->t->faces[a->t->face_count++] = (uint4){(uint32_t)first, kept, 0, 0};
}

static bool add_box(tact_adding* a, tact_vec3 half)
{
    // Corner i has +half along the axes whose bits it has.
    static const uint32_t corners[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                           {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    if (!tact_room_for_point(a, 8) || !tact_room_for_face(a, 12) || !tact_room_for_corner(a, 24) ||
        !tact_room_for_edge(a, 12))
        return false;
    for (int i = 0; i < 8; ++i)
        tact_add_point(a, i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
    for (uint32_t f = 0; f < 6; ++f) {
        double normal[3] = {0.0, 0.0, 0.0};
        normal[f / 2] = f % 2 ? 1.0 : -1.0;
        tact_add_face(a, normal, corners[f], 4);
    }
    for (uint32_t f = 0; f < 6; ++f) {
        for (uint32_t k = 0; k < 4; ++k) {
            const uint32_t p = corners[f][k], q = corners[f][(k + 1) % 4];
            if (p > q) continue;
            for (uint32_t g = 0; g < 6; ++g) {
                for (uint32_t m = 0; m < 4; ++m)
                    if (corners[g][m] == q && corners[g][(m + 1) % 4] == p) tact_add_edge(a, p, q, f, g);
            }
        }
    }
    return true;
}

static void normal_of(const tact_vec3* points, const uint32_t* corners, uint32_t count, double normal[3])
{
    // Newell: the sum over the edges, relative to the first corner.
    const tact_vec3 o = points[corners[0]];
    double n[3] = {0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < count; ++i) {
        const tact_vec3 p = points[corners[i]], q = points[corners[(i + 1) % count]];
        const double u[3] = {(double)p.x - (double)o.x, (double)p.y - (double)o.y, (double)p.z - (double)o.z};
        const double v[3] = {(double)q.x - (double)o.x, (double)q.y - (double)o.y, (double)q.z - (double)o.z};
        n[0] += u[1] * v[2] - u[2] * v[1];
        n[1] += u[2] * v[0] - u[0] * v[2];
        n[2] += u[0] * v[1] - u[1] * v[0];
    }
    // A power of two keeps squares of any size within range.
    const double most = fmax(fabs(n[0]), fmax(fabs(n[1]), fabs(n[2])));
    const double length =
        most > 0.0
            ? most * sqrt((n[0] / most) * (n[0] / most) + (n[1] / most) * (n[1] / most) + (n[2] / most) * (n[2] / most))
            : 1.0;
    for (int k = 0; k < 3; ++k)
        normal[k] = n[k] / length;
}

/// The corners of a facet, by the points given. Returns how many.
static uint32_t facet_corners(const tact_hull_mesh* hull, size_t facet, uint32_t* corners)
{
    uint32_t count = 0;
    for (uint32_t t = hull->facet_start[facet]; t < hull->facet_start[facet + 1]; ++t) {
        const uint32_t* triangle = hull->triangles + 3 * (size_t)t;
        if (t == hull->facet_start[facet]) {
            corners[count++] = triangle[0];
            corners[count++] = triangle[1];
        }
        corners[count++] = triangle[2];
    }
    return count;
}

/// Numbers of the hull's vertices among the points that are kept, from the points given.
static uint32_t number_of(const tact_hull_mesh* hull, uint32_t point)
{
    size_t low = 0, high = hull->vertex_count;
    if (hull->dimension < 3) {
        for (size_t i = 0; i < hull->vertex_count; ++i)
            if (hull->vertices[i] == point) return (uint32_t)i;
        return 0;
    }
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (hull->vertices[middle] <= point) {
            low = middle;
        } else {
            high = middle;
        }
    }
    TACT_ASSERT(hull->vertices[low] == point);
    return (uint32_t)low;
}

/// Half of an edge, as a face has it.
typedef struct half_edge {
    uint32_t p, q, face;
} half_edge;

static bool add_solid(tact_adding* a, const tact_hull_mesh* hull, const tact_vec3* points)
{
    const size_t vertices = hull->vertex_count;
    const size_t faces = hull->dimension == 3 ? hull->facet_count : 2;
    // Euler: no more than 3 n - 6 edges, each at two faces.
    const size_t halves = hull->dimension == 3 ? 6 * vertices : 2 * vertices;
    uint32_t* corners = tact_allocate(a->env, vertices, sizeof *corners);
    half_edge* all = tact_allocate(a->env, halves, sizeof *all);
    bool good = corners && all && tact_room_for_point(a, vertices) && tact_room_for_face(a, 2 * faces) &&
                tact_room_for_corner(a, halves) && tact_room_for_edge(a, halves / 2);
    size_t count = 0;
    for (size_t i = 0; good && i < vertices; ++i) {
        const tact_vec3 p = points[hull->vertices[i]];
        tact_add_point(a, p.x, p.y, p.z);
    }
    for (uint32_t f = 0; good && f < faces; ++f) {
        uint32_t n = facet_corners(hull, hull->dimension == 3 ? f : 0, corners);
        double normal[3];
        normal_of(points, corners, n, normal);
        if (hull->dimension < 3 && f == 1) {
            // The other side.
            for (uint32_t i = 0; i < n / 2; ++i) {
                const uint32_t c = corners[i];
                corners[i] = corners[n - 1 - i];
                corners[n - 1 - i] = c;
            }
            for (int k = 0; k < 3; ++k)
                normal[k] = -normal[k];
        }
        for (uint32_t i = 0; i < n; ++i)
            corners[i] = number_of(hull, corners[i]);
        tact_add_face(a, normal, corners, n);
        for (uint32_t i = 0; i < n; ++i) {
            TACT_ASSERT(count < halves);
            all[count++] = (half_edge){corners[i], corners[(i + 1) % n], f};
        }
    }
    for (size_t i = 0; good && i < count; ++i) {
        if (all[i].p > all[i].q) continue;
        for (size_t k = 0; k < count; ++k) {
            if (all[k].p == all[i].q && all[k].q == all[i].p) {
                tact_add_edge(a, all[i].p, all[i].q, all[i].face, all[k].face);
                break;
            }
        }
    }
    tact_release(a->env, all);
    tact_release(a->env, corners);
    return good;
}

static tact_result add_hull(tact_adding* a, const tact_body_shape* shape)
{
    tact_hull_mesh hull;
    tact_result result = tact_hull_mesh_3d(shape->points, shape->point_count, &a->env->allocator, &hull);
    if (result != TACT_OK) return result;
    if (hull.vertex_count > TACT_HULL_MOST_POINTS) {
        result = tact_fail(a->env, TACT_ERROR_LIMIT, "the hull has %zu corners: at most %d", hull.vertex_count,
                           TACT_HULL_MOST_POINTS);
    } else if (hull.dimension >= 2) {
        if (!add_solid(a, &hull, shape->points)) result = TACT_ERROR_OUT_OF_MEMORY;
    } else if (!tact_room_for_point(a, 2) || !tact_room_for_edge(a, 1)) {
        result = TACT_ERROR_OUT_OF_MEMORY;
    } else {
        for (size_t i = 0; i < hull.vertex_count; ++i) {
            const tact_vec3 p = shape->points[hull.vertices[i]];
            tact_add_point(a, p.x, p.y, p.z);
        }
        if (hull.vertex_count == 2) tact_add_edge(a, 0, 1, TACT_CONTACT_NONE, TACT_CONTACT_NONE);
    }
    tact_hull_mesh_free(&hull);
    return result;
}

/// Cylinders and cones. Roots alone give the polygon, since libraries differ in the last bits of cosines.
static tact_result add_round(tact_adding* a, const tact_body_shape* shape)
{
    enum { SIDES = TACT_ROUND_SIDES, QUARTER = SIDES / 4 };
    _Static_assert(QUARTER == 8, "a quarter circle halved three times");
    double cosine[QUARTER + 1];
    cosine[0] = 1.0;
    cosine[8] = 0.0;
    cosine[4] = sqrt(0.5);
    cosine[2] = sqrt(0.5 * (1.0 + cosine[4]));
    cosine[6] = sqrt(0.5 * (1.0 - cosine[4]));
    for (int i = 1; i < QUARTER; i += 2)
        cosine[i] = sqrt(0.5 * (1.0 + (2 * i <= QUARTER ? cosine[2 * i] : -cosine[2 * QUARTER - 2 * i])));
    tact_vec3 points[2 * SIDES];
    const bool cone = shape->kind == TACT_BODY_CONE;
    for (int i = 0; i < SIDES; ++i) {
        const int quarter = i / QUARTER, k = i % QUARTER;
        const float c = (float)((double)shape->radius * cosine[k]),
                    s = (float)((double)shape->radius * cosine[QUARTER - k]);
        const float x[4] = {c, -s, -c, s}, z[4] = {s, c, -s, -c};
        points[i] = (tact_vec3){x[quarter], -shape->half.y, z[quarter]};
        points[SIDES + i] = (tact_vec3){x[quarter], shape->half.y, z[quarter]};
    }
    if (cone) points[SIDES] = (tact_vec3){0.0f, shape->half.y, 0.0f};
    const tact_body_shape hull = {
        .kind = TACT_BODY_HULL, .points = points, .point_count = cone ? SIDES + 1 : 2 * SIDES};
    return add_hull(a, &hull);
}

static tact_result add_core(tact_adding* a, const tact_body_shape* shape)
{
    static const double up[3] = {0.0, 1.0, 0.0};
    bool good = true;
    switch (shape->kind) {
        case TACT_BODY_SPHERE:
            good = tact_room_for_point(a, 1);
            if (good) tact_add_point(a, 0.0f, 0.0f, 0.0f);
            break;
        case TACT_BODY_CAPSULE:
            good = tact_room_for_point(a, 2) && tact_room_for_edge(a, 1);
            if (!good) break;
            tact_add_point(a, 0.0f, -shape->half.y, 0.0f);
            tact_add_point(a, 0.0f, shape->half.y, 0.0f);
            tact_add_edge(a, 0, 1, TACT_CONTACT_NONE, TACT_CONTACT_NONE);
            break;
        case TACT_BODY_BOX:
            good = add_box(a, shape->half);
            break;
        case TACT_BODY_HALF_SPACE:
            good = tact_room_for_face(a, 2);
            if (good) tact_add_face(a, up, NULL, 0);
            break;
        case TACT_BODY_CYLINDER:
        case TACT_BODY_CONE:
            return add_round(a, shape);
        case TACT_BODY_COMPOUND:
            return tact_add_compound(a, shape);
        case TACT_BODY_MESH:
            return tact_add_mesh(a, shape);
        case TACT_BODY_HEIGHT_FIELD:
            return tact_add_height_field(a, shape);
        default:
            return add_hull(a, shape);
    }
    return good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

static bool has_parts(tact_body_kind kind)
{
    return kind == TACT_BODY_COMPOUND || kind == TACT_BODY_MESH || kind == TACT_BODY_HEIGHT_FIELD;
}

/// The box of a core, and how far its points are from its origin.
static float measure(const tact_adding* a, float radius, tact_shape_bounds* b)
{
    float extent = 0.0f;
    b->radius = (double)radius;
    for (int k = 0; k < 3; ++k) {
        b->lower[k] = HUGE_VAL;
        b->upper[k] = -HUGE_VAL;
    }
    for (size_t i = a->point; i < a->t->point_count; ++i) {
        const float4 p = a->t->points[i];
        const double at[3] = {(double)p.x, (double)p.y, (double)p.z};
        const double length = sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
        // A number below all normal ones would cost each product with it a hundred cycles.
        if (length > 0x1p-120) extent = fmaxf(extent, nextafterf((float)length, INFINITY));
        for (int k = 0; k < 3; ++k) {
            b->lower[k] = fmin(b->lower[k], at[k]);
            b->upper[k] = fmax(b->upper[k], at[k]);
        }
    }
    return extent;
}

static void undo(const tact_adding* a)
{
    a->t->point_count = a->point;
    a->t->face_count = a->face;
    a->t->corner_count = a->corner;
    a->t->edge_count = a->edge;
}

tact_result tact_shape_tables_add(tact_env* env, tact_shape_tables* t, const tact_body_shape* shape)
{
    tact_adding a = {.env = env,
                     .t = t,
                     .point = t->point_count,
                     .face = t->face_count,
                     .corner = t->corner_count,
                     .edge = t->edge_count};
    void* bounds = t->bounds;
    const size_t number = t->shape_count / TACT_SHAPE_ROWS;
    bool good = room(env, &bounds, &t->bound_capacity, number, 1, sizeof *t->bounds);
    t->bounds = bounds;
    if (!good || !tact_room_for_shape(&a, TACT_SHAPE_ROWS)) return TACT_ERROR_OUT_OF_MEMORY;
    const bool parts = has_parts(shape->kind),
               round = shape->kind == TACT_BODY_CYLINDER || shape->kind == TACT_BODY_CONE;
    if (!parts && !align(&a)) return TACT_ERROR_OUT_OF_MEMORY;
    tact_result result = add_core(&a, shape);
    if (result == TACT_OK && !parts && !add_lanes(&a)) result = TACT_ERROR_OUT_OF_MEMORY;
    if (result != TACT_OK) {
        undo(&a);
        return result;
    }
    float radius = round || shape->kind == TACT_BODY_HALF_SPACE ? 0.0f : shape->radius, extent = a.extent;
    if (!parts) extent = measure(&a, radius, &a.bounds);
    uint4* row = t->shapes + t->shape_count;
    const uint32_t kind = round ? TACT_KIND_HULL : shape->kind == TACT_BODY_HEIGHT_FIELD ? TACT_KIND_MESH : shape->kind;
    row[0] = (uint4){kind, (uint32_t)a.point, (uint32_t)(parts ? a.bounds.part_count : t->point_count - a.point),
                     (uint32_t)(a.face / TACT_FACE_ROWS)};
    row[1] = (uint4){(uint32_t)((t->face_count - a.face) / TACT_FACE_ROWS), (uint32_t)a.edge,
                     (uint32_t)(t->edge_count - a.edge), 0};
    row[2] = (uint4){as_uint(shape->kind == TACT_BODY_COMPOUND ? 0.0f : radius), as_uint(extent), shape->one_sided, 0};
    t->bounds[number] = a.bounds;
    t->with_parts = t->with_parts || parts;
    t->shape_count += TACT_SHAPE_ROWS;
    ++t->version;
    return TACT_OK;
}

void tact_shape_tables_release(tact_env* env, tact_shape_tables* t)
{
    for (size_t i = 0; i < t->shape_count / TACT_SHAPE_ROWS; ++i) {
        tact_bvh_free(env, &t->bounds[i].tree);
        tact_release(env, t->bounds[i].boxes);
    }
    void* const all[] = {t->shapes,     t->points,     t->faces,      t->corners,    t->edges, t->point_lanes,
                         t->face_lanes, t->edge_lanes, t->face_edges, t->edge_lists, t->bounds};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        tact_release(env, all[i]);
    memset(t, 0, sizeof *t);
}
