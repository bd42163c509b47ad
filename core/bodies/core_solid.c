// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// A polytope with a radius around it is the polytope, a prism on each face, a wedge of a cylinder at each edge and a
// wedge of a ball at each corner (Steiner). All are added up edge by edge, so that the order of edges about a face or a
// corner does not matter. The solid angle of a ball's wedge is a sum of triangles (van Oosterom and Strackee, "The
// solid angle of a plane triangle", 1983), its first moment one of the arcs around it (Lambert, "Photometria", 1760).

#include "core/bodies/core_solid.h"

#include "cpu_ref/geometry/closest_point_internal.h"

static const double pi = 3.14159265358979323846;

/// The angle of (x, y) from the x axis, from -pi to pi: tangents are halved until the series is short.
static double angle_of(double y, double x)
{
    enum { HALVINGS = 3, TERMS = 10 };
    const double length = sqrt(x * x + y * y);
    if (!(length > 0.0)) return 0.0;
    double t = fabs(y) / (length + fabs(x));
    for (int i = 0; i < HALVINGS; ++i)
        t = t / (1.0 + sqrt(1.0 + t * t));
    double sum = 0.0;
    for (int i = TERMS - 1; i >= 0; --i)
        sum = 1.0 / (2 * i + 1) - t * t * sum;
    const double acute = 2.0 * (1 << HALVINGS) * t * sum, angle = x < 0.0 ? pi - acute : acute;
    return y < 0.0 ? -angle : angle;
}

// ---- Moments ----

/// Adds w (a b' + b a') / 2.
static void add_product(double second[6], double w, dvec a, dvec b)
{
    second[0] += w * a.x * b.x;
    second[1] += w * a.y * b.y;
    second[2] += w * a.z * b.z;
    second[3] += 0.5 * w * (a.x * b.y + a.y * b.x);
    second[4] += 0.5 * w * (a.x * b.z + a.z * b.x);
    second[5] += 0.5 * w * (a.y * b.z + a.z * b.y);
}

static void add_first(tact_solid_moments* m, double w, dvec v)
{
    m->first[0] += w * v.x;
    m->first[1] += w * v.y;
    m->first[2] += w * v.z;
}

void tact_solid_add(tact_solid_moments* m, const tact_solid_moments* other, dvec at)
{
    const dvec first = d_make(other->first[0], other->first[1], other->first[2]);
    m->volume += other->volume;
    add_first(m, 1.0, first);
    add_first(m, other->volume, at);
    for (int k = 0; k < 6; ++k)
        m->second[k] += other->second[k];
    add_product(m->second, 2.0, first, at);
    add_product(m->second, other->volume, at, at);
}

dvec tact_solid_center(const tact_solid_moments* m)
{
    return d_make(m->first[0] / m->volume, m->first[1] / m->volume, m->first[2] / m->volume);
}

/// A box with a radius, about its middle; with one half length a capsule, without any a ball.
static tact_solid_moments round_box(const double half[3], double r)
{
    const double r2 = r * r, r3 = r2 * r, r4 = r2 * r2, r5 = r4 * r;
    const double x = half[0], y = half[1], z = half[2];
    tact_solid_moments m = {.volume = 8.0 * x * y * z + 8.0 * r * (x * y + y * z + z * x) +
                                      2.0 * pi * r2 * (x + y + z) + 4.0 / 3.0 * pi * r3};
    for (int k = 0; k < 3; ++k) {
        const double a = half[k], b = half[(k + 1) % 3], c = half[(k + 2) % 3], a2 = a * a;
        const double box = 8.0 / 3.0 * a * a2 * b * c,
                     faces = 8.0 * b * c * (a2 * r + a * r2 + r3 / 3.0) + 8.0 / 3.0 * r * a * a2 * (b + c),
                     edges = 2.0 / 3.0 * pi * r2 * a * a2 +
                             2.0 * (b + c) * (pi * r2 * a2 + 8.0 / 3.0 * a * r3 + pi / 4.0 * r4),
                     corners = pi * (4.0 / 3.0 * r3 * a2 + r4 * a + 4.0 / 15.0 * r5);
        m.second[k] = box + faces + edges + corners;
    }
    return m;
}

// ---- Hulls ----

/// A point of the core, from the base.
static dvec point_of(const tact_core_solid* s, uint32_t i)
{
    const float4 p = s->tables->points[s->core.point + i];
    return d_sub(d_make((double)p.x, (double)p.y, (double)p.z), s->base);
}

/// A corner of a face. Faces list some corners alone, edges have all of them.
static dvec corner_of(const tact_core_solid* s, uint32_t face)
{
    const uint4 row = s->tables->faces[TACT_FACE_ROWS * ((size_t)s->core.face + face) + 1];
    return point_of(s, s->tables->corners[row.x]);
}

static uint4 edge_of(const tact_core_solid* s, uint32_t i)
{
    return s->tables->edges[s->core.edge + i];
}

static void find_normals(tact_core_solid* s)
{
    TACT_ASSERT(s->core.face_count <= TACT_CORE_MOST_FACES);
    for (uint32_t f = 0; f < s->core.face_count; ++f)
        s->normals[f] = d_make(0.0, 0.0, 0.0);
    for (uint32_t i = 0; i < s->core.edge_count; ++i) {
        const uint4 edge = edge_of(s, i);
        const dvec p = point_of(s, edge.x), q = point_of(s, edge.y);
        const dvec a = corner_of(s, edge.z), b = corner_of(s, edge.w);
        s->normals[edge.z] = d_add(s->normals[edge.z], d_cross(d_sub(p, a), d_sub(q, a)));
        s->normals[edge.w] = d_add(s->normals[edge.w], d_cross(d_sub(q, b), d_sub(p, b)));
    }
    for (uint32_t f = 0; f < s->core.face_count; ++f)
        s->normals[f] = d_unit(s->normals[f]);
}

static void add_tetrahedron(tact_solid_moments* m, dvec a, dvec b, dvec c)
{
    double corners[3][3] = {{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}};
    tact_solid_add_tetrahedron(m, corners);
}

/// What is inside the faces: none of a flat hull.
static tact_solid_moments inside_faces(const tact_core_solid* s, const double size[3])
{
    tact_solid_moments m = {0};
    for (uint32_t i = 0; i < s->core.edge_count; ++i) {
        const uint4 edge = edge_of(s, i);
        const dvec p = point_of(s, edge.x), q = point_of(s, edge.y);
        add_tetrahedron(&m, corner_of(s, edge.z), p, q);
        add_tetrahedron(&m, corner_of(s, edge.w), q, p);
    }
    // Less is what rounding adds up to.
    if (m.volume > 0x1p-40 * size[0] * size[1] * size[2]) return m;
    return (tact_solid_moments){0};
}

/// The prism on a triangle of a face.
static void add_prism(tact_solid_moments* m, dvec a, dvec b, dvec c, dvec normal, double r)
{
    const double area = 0.5 * d_dot(d_cross(d_sub(b, a), d_sub(c, a)), normal);
    const dvec sum = d_add(d_add(a, b), c);
    m->volume += area * r;
    add_first(m, area * r / 3.0, sum);
    add_first(m, 0.5 * area * r * r, normal);
    add_product(m->second, area * r / 12.0, sum, sum);
    add_product(m->second, area * r / 12.0, a, a);
    add_product(m->second, area * r / 12.0, b, b);
    add_product(m->second, area * r / 12.0, c, c);
    add_product(m->second, area * r * r / 3.0, sum, normal);
    add_product(m->second, area * r * r * r / 3.0, normal, normal);
}

/// What is nearest to an edge.
typedef struct wedge {
    dvec p, q;                 ///< its ends
    dvec along;                ///< from p to q, of unit length
    dvec left, middle, right;  ///< the directions from the left face's to the right one's
    dvec arc;                  ///< their integral
    dvec across;               ///< the direction at a right angle to `left`
    double length, angle, sine, cosine;
} wedge;

static wedge wedge_of(const tact_core_solid* s, uint32_t i)
{
    const uint4 edge = edge_of(s, i);
    wedge w = {
        .p = point_of(s, edge.x), .q = point_of(s, edge.y), .left = s->normals[edge.z], .right = s->normals[edge.w]};
    const dvec way = d_sub(w.q, w.p);
    w.along = d_unit(way);
    w.length = d_dot(way, w.along);
    w.across = d_cross(w.along, w.left);
    const double sine = fmax(0.0, d_dot(w.across, w.right)), cosine = d_dot(w.left, w.right);
    const double unit = sqrt(sine * sine + cosine * cosine);
    // A face without a normal is none.
    w.sine = unit > 0.0 ? sine / unit : 0.0;
    w.cosine = unit > 0.0 ? cosine / unit : 1.0;
    w.angle = angle_of(w.sine, w.cosine);
    w.middle = d_along(d_scale(w.left, sqrt(fmax(0.0, 0.5 * (1.0 + w.cosine)))),
                       sqrt(fmax(0.0, 0.5 * (1.0 - w.cosine))), w.across);
    w.arc = d_along(d_scale(w.left, w.sine), 1.0 - w.cosine, w.across);
    return w;
}

static void add_cylinder(tact_solid_moments* m, const wedge* w, double r)
{
    const double half = 0.5 * w->length, r2 = r * r, area = 0.5 * w->angle * r2, turned = w->sine * w->cosine;
    const double fourth = 0.25 * r2 * r2 * w->length;
    tact_solid_moments own = {.volume = w->length * area};
    add_first(&own, w->length * r2 * r / 3.0, w->arc);
    add_product(own.second, area * (2.0 / 3.0) * half * half * half, w->along, w->along);
    add_product(own.second, 0.5 * fourth * (w->angle + turned), w->left, w->left);
    add_product(own.second, 0.5 * fourth * (w->angle - turned), w->across, w->across);
    add_product(own.second, fourth * w->sine * w->sine, w->left, w->across);
    tact_solid_add(m, &own, d_along(w->p, half, w->along));
}

/// The solid angle of a triangle of directions; negative where it is clockwise, seen from outside.
static double solid_angle(dvec a, dvec b, dvec c)
{
    return 2.0 * angle_of(d_dot(a, d_cross(b, c)), ((1.0 + d_dot(a, b)) + d_dot(b, c)) + d_dot(c, a));
}

/// What an edge, which goes `out` from a corner, adds to the corner's wedge of a ball: the part between the arc `from`
/// a face `to` the next, and a direction inside.
static void add_ball(tact_solid_moments* m, const wedge* w, dvec at, dvec inside, dvec from, dvec to, dvec out,
                     double r)
{
    const double angle = solid_angle(inside, from, w->middle) + solid_angle(inside, w->middle, to);
    const double r3 = r * r * r;
    tact_solid_moments own = {.volume = angle * r3 / 3.0};
    add_first(&own, -0.125 * r3 * r * w->angle, out);
    // All wedges together are a ball: what else there is of their second moments adds up to nothing.
    for (int k = 0; k < 3; ++k)
        own.second[k] = r3 * r * r / 15.0 * angle;
    tact_solid_add(m, &own, at);
}

/// What is outside the faces and within `r` of them.
static void add_shell(const tact_core_solid* s, double r, tact_solid_moments* m)
{
    dvec inside[TACT_HULL_MOST_POINTS];
    TACT_ASSERT(s->core.point_count <= TACT_HULL_MOST_POINTS);
    for (uint32_t i = 0; i < s->core.point_count; ++i)
        inside[i] = d_make(0.0, 0.0, 0.0);
    for (uint32_t i = 0; i < s->core.edge_count; ++i) {
        const uint4 edge = edge_of(s, i);
        const wedge w = wedge_of(s, i);
        inside[edge.x] = d_add(inside[edge.x], w.middle);
        inside[edge.y] = d_add(inside[edge.y], w.middle);
    }
    for (uint32_t i = 0; i < s->core.point_count; ++i)
        inside[i] = d_unit(inside[i]);
    for (uint32_t i = 0; i < s->core.edge_count; ++i) {
        const uint4 edge = edge_of(s, i);
        const wedge w = wedge_of(s, i);
        add_prism(m, corner_of(s, edge.z), w.p, w.q, w.left, r);
        add_prism(m, corner_of(s, edge.w), w.q, w.p, w.right, r);
        add_cylinder(m, &w, r);
        add_ball(m, &w, w.p, inside[edge.x], w.right, w.left, w.along, r);
        add_ball(m, &w, w.q, inside[edge.y], w.left, w.right, d_scale(w.along, -1.0), r);
    }
}

/// A hull of one point or two with a radius.
static tact_solid_moments ball_or_capsule(const tact_core_solid* s, double r)
{
    const dvec half = point_of(s, s->core.point_count - 1), along = d_unit(half);
    const tact_solid_moments upright = round_box((double[3]){0.0, d_dot(half, along), 0.0}, r);
    tact_solid_moments m = {.volume = upright.volume};
    for (int k = 0; k < 3; ++k)
        m.second[k] = upright.second[0];
    add_product(m.second, upright.second[1] - upright.second[0], along, along);
    return m;
}

// ---- Shapes ----

static bool is_hull(const tact_core_solid* s)
{
    return s->core.kind == TACT_KIND_HULL;
}

/// The half lengths of a box; of a sphere or capsule, those of its core.
static dvec half_of(const tact_core_solid* s)
{
    return point_of(s, s->core.point_count - 1);
}

void tact_core_solid_make(tact_core_solid* s, const tact_shape_tables* tables, uint32_t shape)
{
    const TactShapes shapes = tact_shapes_of(tables);
    const tact_shape_bounds* box = &tables->bounds[shape];
    const double size[3] = {box->upper[0] - box->lower[0], box->upper[1] - box->lower[1],
                            box->upper[2] - box->lower[2]};
    s->tables = tables;
    s->core = tact_core_of(&shapes, shape, 1.0f);
    TACT_ASSERT(s->core.kind <= TACT_KIND_HULL && s->core.point_count > 0);
    s->base = d_make(box->lower[0] + 0.5 * size[0], box->lower[1] + 0.5 * size[1], box->lower[2] + 0.5 * size[2]);
    const double r = (double)s->core.radius;
    if (!is_hull(s)) {
        const dvec half = half_of(s);
        s->moments = round_box((double[3]){half.x, half.y, half.z}, r);
    } else if (s->core.face_count == 0) {
        s->moments = ball_or_capsule(s, r);
    } else {
        find_normals(s);
        s->moments = inside_faces(s, size);
        if (r > 0.0) add_shell(s, r, &s->moments);
    }
}

static double box_depth(dvec half, double r, dvec at)
{
    const double x = fabs(at.x) - half.x, y = fabs(at.y) - half.y, z = fabs(at.z) - half.z;
    const double most = fmax(x, fmax(y, z));
    if (most <= 0.0) return r - most;
    return r - d_length(d_make(fmax(x, 0.0), fmax(y, 0.0), fmax(z, 0.0)));
}

/// How far a place is from the points, edges and faces of a hull.
static double hull_distance(const tact_core_solid* s, dvec at)
{
    double least = near_square(at, point_of(s, 0));
    for (uint32_t i = 0; i < s->core.edge_count; ++i) {
        const uint4 edge = edge_of(s, i);
        const dvec p = point_of(s, edge.x), q = point_of(s, edge.y);
        least = fmin(least, near_segment(at, p, q).square);
        if (s->core.face_count == 0) continue;
        least = fmin(least, near_triangle(at, corner_of(s, edge.z), p, q).square);
        least = fmin(least, near_triangle(at, corner_of(s, edge.w), q, p).square);
    }
    return sqrt(least);
}

double tact_core_solid_depth(const tact_core_solid* s, dvec at)
{
    const double r = (double)s->core.radius;
    if (!is_hull(s)) return box_depth(half_of(s), r, at);
    double least = HUGE_VAL;
    for (uint32_t f = 0; f < s->core.face_count; ++f)
        least = fmin(least, d_dot(s->normals[f], d_sub(corner_of(s, f), at)));
    if (s->core.face_count > 2 && least >= 0.0) return r + least;
    return r - hull_distance(s, at);
}

double tact_core_solid_reach(const tact_core_solid* s, dvec from)
{
    double most = 0.0;
    for (uint32_t i = 0; i < s->core.point_count; ++i)
        most = fmax(most, near_square(from, point_of(s, i)));
    return (double)s->core.radius + sqrt(most);
}
