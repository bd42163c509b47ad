// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tact/geometry/containment.h"

#include "cpu_ref/geometry/closest_point_internal.h"
#include "cpu_ref/geometry/exact.h"
#include "cpu_ref/geometry/predicates_internal.h"
#include "tact/geometry/polygon.h"

// ---- The plane ----

static bool on_segment(tact_vec2 p, tact_vec2 a, tact_vec2 b)
{
    return v2_between(p, a, b) && exact_area2(a, b, p) == 0.0;
}

/// All coordinates finite.
static bool in_triangle(tact_vec2 a, tact_vec2 b, tact_vec2 c, tact_vec2 p)
{
    const double s[3] = {exact_area2(a, b, p), exact_area2(b, c, p), exact_area2(c, a, p)};
    const bool left = s[0] > 0.0 || s[1] > 0.0 || s[2] > 0.0, right = s[0] < 0.0 || s[1] < 0.0 || s[2] < 0.0;
    if (left || right) return !(left && right);
    return v2_between(p, a, b) || v2_between(p, b, c) || v2_between(p, c, a);  // a flat triangle, and p on its line
}

bool tact_triangle_contains_point_2d(tact_vec2 a, tact_vec2 b, tact_vec2 c, tact_vec2 point)
{
    if (!v2_finite(a) || !v2_finite(b) || !v2_finite(c) || !v2_finite(point)) return false;
    return in_triangle(a, b, c, point);
}

static bool flat_contains(const tact_vec2* v, uint32_t count, tact_vec2 p)
{
    for (uint32_t i = 0; i < count; ++i) {
        const tact_vec2 a = v[i], b = v[i + 1 < count ? i + 1 : 0];
        if (v2_finite(a) && v2_finite(b) && on_segment(p, a, b)) return true;
    }
    return false;
}

bool tact_convex_polygon_contains_point_2d(const tact_vec2* vertices, uint32_t count, tact_vec2 point)
{
    if (!v2_finite(point) || count == 0 || !v2_finite(vertices[0])) return false;
    if (count < 3) return flat_contains(vertices, count, point);
    uint32_t low = 1, high = count - 1;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (!v2_finite(vertices[middle])) return false;
        if (exact_area2(vertices[0], vertices[middle], point) >= 0.0)
            low = middle;
        else
            high = middle;
    }
    const tact_vec2 o = vertices[0], a = vertices[low], b = vertices[high];
    if (!v2_finite(a) || !v2_finite(b)) return false;
    if (exact_area2(o, a, b) == 0.0) return flat_contains(vertices, count, point);
    return in_triangle(o, a, b, point);
}

/// Whether the ray from p to +x crosses the edge, an end at p's height counted with what lies below: 1 upwards, -1
/// downwards, else 0. The same edge backwards gives the negative. p on the edge counts as passing it on the right.
static int crossing(tact_vec2 a, tact_vec2 b, tact_vec2 p)
{
    const bool above_a = a.y > p.y, above_b = b.y > p.y;
    if (above_a == above_b) return 0;
    const double area = exact_area2(a, b, p);
    return above_b ? area > 0.0 : -(area < 0.0);
}

/// Crossings counted with and without their signs. True when p is on the polygon, or a vertex is not finite (then
/// *usable is false).
static bool count_crossings(const tact_vec2* v, uint32_t count, tact_vec2 p, int32_t* winding, bool* odd, bool* usable)
{
    bool on = false;
    *winding = 0;
    *odd = false;
    *usable = v2_finite(p);
    for (uint32_t i = 0; i < count && *usable; ++i) {
        const tact_vec2 a = v[i], b = v[i + 1 < count ? i + 1 : 0];
        *usable = v2_finite(a) && v2_finite(b);
        if (!*usable || (a.y < p.y && b.y < p.y) || (a.y > p.y && b.y > p.y)) continue;
        const int way = crossing(a, b, p);
        *winding += way;
        *odd = *odd != (way != 0);
        on = on || on_segment(p, a, b);
    }
    return on;
}

tact_location tact_polygon_locate_2d(const tact_vec2* vertices, uint32_t count, tact_vec2 point)
{
    int32_t winding;
    bool odd, usable;
    const bool on = count_crossings(vertices, count, point, &winding, &odd, &usable);
    if (!usable) return TACT_POINT_OUTSIDE;
    return on ? TACT_POINT_ON_BOUNDARY : odd ? TACT_POINT_INSIDE : TACT_POINT_OUTSIDE;
}

tact_location tact_polygon_winding_2d(const tact_vec2* vertices, uint32_t count, tact_vec2 point, int32_t* winding)
{
    int32_t turns;
    bool odd, usable;
    const bool on = count_crossings(vertices, count, point, &turns, &odd, &usable);
    if (!usable) turns = 0;
    if (winding) *winding = turns;
    if (!usable) return TACT_POINT_OUTSIDE;
    return on ? TACT_POINT_ON_BOUNDARY : turns != 0 ? TACT_POINT_INSIDE : TACT_POINT_OUTSIDE;
}

// ---- Triangles and polyhedra ----

static tact_vec2 view(tact_vec3 p, int axis)
{
    return axis == 0 ? (tact_vec2){p.y, p.z} : axis == 1 ? (tact_vec2){p.z, p.x} : (tact_vec2){p.x, p.y};
}

/// In the plane of a b c, and in it in all three views: in those that do not see the plane on edge, that means in it.
static bool on_triangle(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 p)
{
    if (exact_volume6(a, b, c, p) != 0.0) return false;
    for (int i = 0; i < 3; ++i)
        if (!in_triangle(view(a, i), view(b, i), view(c, i), view(p, i))) return false;
    return true;
}

static bool usable(const tact_triangle* t)
{
    return v_finite(t->a) && v_finite(t->b) && v_finite(t->c);
}

bool tact_triangle_contains_point(const tact_triangle* triangle, tact_vec3 point)
{
    if (!usable(triangle) || !v_finite(point)) return false;
    return on_triangle(triangle->a, triangle->b, triangle->c, point);
}

bool tact_triangle_faces_point(const tact_triangle* triangle, tact_vec3 point)
{
    if (!usable(triangle) || !v_finite(point)) return false;
    dvec normal;
    double weight[3];
    if (!near_weights(d_from(point), d_from(triangle->a), d_from(triangle->b), d_from(triangle->c), &normal, weight))
        return false;
    return weight[0] >= 0.0 && weight[1] >= 0.0 && weight[2] >= 0.0;
}

bool tact_planes_contain_point(const tact_plane* planes, uint32_t count, tact_vec3 point)
{
    if (!v_finite(point)) return false;
    for (uint32_t i = 0; i < count; ++i) {
        if (!v_finite(planes[i].normal) || !isfinite(planes[i].distance)) return false;
        if (exact_height(d_from(planes[i].normal), (double)planes[i].distance, d_from(point)) > 0.0) return false;
    }
    return true;
}

/// Four coplanar points span what their four triangles cover.
static bool flat_tetrahedron_contains(const tact_vec3 v[4], tact_vec3 p)
{
    return on_triangle(v[0], v[1], v[2], p) || on_triangle(v[0], v[1], v[3], p) || on_triangle(v[0], v[2], v[3], p) ||
           on_triangle(v[1], v[2], v[3], p);
}

bool tact_tetrahedron_contains_point(const tact_vec3 vertices[4], tact_vec3 point)
{
    const tact_vec3* v = vertices;
    if (!v_finite(v[0]) || !v_finite(v[1]) || !v_finite(v[2]) || !v_finite(v[3]) || !v_finite(point)) return false;
    const double whole = exact_volume6(v[0], v[1], v[2], v[3]);
    if (whole == 0.0) return flat_tetrahedron_contains(v, point);
    const double part[4] = {exact_volume6(point, v[1], v[2], v[3]), exact_volume6(v[0], point, v[2], v[3]),
                            exact_volume6(v[0], v[1], point, v[3]), exact_volume6(v[0], v[1], v[2], point)};
    for (int i = 0; i < 4; ++i)
        if (whole > 0.0 ? part[i] < 0.0 : part[i] > 0.0) return false;
    return true;
}

/// The ray from p to +x cannot meet what lies wholly to one side of it or behind.
static bool ray_misses(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 p)
{
    return (a.x < p.x && b.x < p.x && c.x < p.x) || (a.y < p.y && b.y < p.y && c.y < p.y) ||
           (a.y > p.y && b.y > p.y && c.y > p.y) || (a.z < p.z && b.z < p.z && c.z < p.z) ||
           (a.z > p.z && b.z > p.z && c.z > p.z);
}

/// 1 where the ray from p to +x leaves through the triangle, -1 where it enters, else 0; p is not on the triangle. The
/// signs of the edges add up to the triangle's own in the view along x, or to 0 past it.
static int passes(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 p)
{
    const tact_vec2 u = view(a, 0), v = view(b, 0), w = view(c, 0), q = view(p, 0);
    const int way = crossing(u, v, q) + crossing(v, w, q) + crossing(w, u, q);
    if (way == 0) return 0;
    const double height = exact_volume6(a, b, c, p);  // a positive one is further along +x when way is positive
    return (way > 0 ? height < 0.0 : height > 0.0) ? way : 0;
}

tact_location tact_mesh_locate(const tact_vec3* vertices, const uint32_t* indices, uint32_t count, tact_vec3 point,
                               int32_t* winding)
{
    int32_t turns = 0;
    bool odd = false, on = false, fine = v_finite(point);
    for (uint32_t i = 0; i < count && fine; ++i) {
        const uint32_t* at = indices + 3 * (size_t)i;
        const tact_vec3 a = vertices[at[0]], b = vertices[at[1]], c = vertices[at[2]];
        fine = v_finite(a) && v_finite(b) && v_finite(c);
        if (!fine || ray_misses(a, b, c, point)) continue;
        const int way = passes(a, b, c, point);
        turns += way;
        odd = odd != (way != 0);
        on = on || on_triangle(a, b, c, point);
    }
    if (winding) *winding = fine && !on ? turns : 0;
    if (!fine) return TACT_POINT_OUTSIDE;
    return on ? TACT_POINT_ON_BOUNDARY : odd ? TACT_POINT_INSIDE : TACT_POINT_OUTSIDE;
}

/// Half the solid angle of the triangle seen from the origin, positive when it is clockwise from there.
static double half_angle(dvec a, dvec b, dvec c)
{
    const double x = d_length(a), y = d_length(b), z = d_length(c);
    const double across = d_dot(a, d_cross(b, c));
    return atan2(across, (x * y * z + d_dot(a, b) * z) + (d_dot(b, c) * x + d_dot(c, a) * y));
}

double tact_mesh_winding_number(const tact_vec3* vertices, const uint32_t* indices, uint32_t count, tact_vec3 point)
{
    if (!v_finite(point)) return (double)NAN;
    const dvec p = d_from(point);
    double sum = 0.0;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t* at = indices + 3 * (size_t)i;
        const dvec a = d_from(vertices[at[0]]), b = d_from(vertices[at[1]]), c = d_from(vertices[at[2]]);
        if (!d_finite(a) || !d_finite(b) || !d_finite(c)) return (double)NAN;
        sum += half_angle(d_sub(a, p), d_sub(b, p), d_sub(c, p));
    }
    return sum / 6.283185307179586;
}

// ---- Round shapes ----

/// The sign of (p - c)^2 - r^2 is exact.
static bool in_ball(tact_vec3 c, float radius, tact_vec3 p)
{
    const dvec d = d_sub(d_from(p), d_from(c));
    const double square = d_dot(d, d), most = (double)radius * (double)radius;
    if (fabs(square - most) > EXACT_UNCANCELLED * most) return square < most;
    const double x[3] = {(double)p.x, (double)p.y, (double)p.z}, y[3] = {(double)c.x, (double)c.y, (double)c.z};
    double terms[10];
    for (int i = 0; i < 3; ++i) {
        terms[3 * i] = x[i] * x[i];
        terms[3 * i + 1] = -2.0 * x[i] * y[i];
        terms[3 * i + 2] = y[i] * y[i];
    }
    terms[9] = -most;
    return exact_sum(terms, 10) <= 0.0;
}

static bool radius_usable(float radius)
{
    return isfinite(radius) && radius >= 0.0f;
}

/// Within `radius` of the line through a and b.
static bool near_line(dvec a, dvec b, double radius, dvec p)
{
    const dvec ab = d_sub(b, a), across = d_cross(d_sub(p, a), ab);
    return d_dot(across, across) <= radius * radius * d_dot(ab, ab);
}

/// (b - a) . (d - c), with its exact sign.
static double exact_dot(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d)
{
    const dvec u = d_sub(d_from(b), d_from(a)), v = d_sub(d_from(d), d_from(c));
    const double quick = d_dot(u, v), size = fabs(u.x * v.x) + fabs(u.y * v.y) + fabs(u.z * v.z);
    if (fabs(quick) > EXACT_UNCANCELLED * size) return quick;
    double terms[12];
    for (int i = 0; i < 3; ++i) {
        const double x = d_at(d_from(a), i), y = d_at(d_from(b), i), z = d_at(d_from(c), i), w = d_at(d_from(d), i);
        terms[4 * i] = y * w;
        terms[4 * i + 1] = -y * z;
        terms[4 * i + 2] = -x * w;
        terms[4 * i + 3] = x * z;
    }
    return exact_sum(terms, 12);
}

bool tact_capsule_contains_point(const tact_capsule* capsule, tact_vec3 point)
{
    const tact_vec3 a = capsule->a, b = capsule->b;
    if (!v_finite(a) || !v_finite(b) || !radius_usable(capsule->radius) || !v_finite(point)) return false;
    if (exact_dot(a, point, a, b) <= 0.0) return in_ball(a, capsule->radius, point);
    if (exact_dot(b, point, b, a) <= 0.0) return in_ball(b, capsule->radius, point);
    return near_line(d_from(a), d_from(b), (double)capsule->radius, d_from(point));
}

bool tact_cylinder_contains_point(const tact_cylinder* cylinder, tact_vec3 point)
{
    const tact_vec3 a = cylinder->a, b = cylinder->b;
    if (!v_finite(a) || !v_finite(b) || !radius_usable(cylinder->radius) || !v_finite(point)) return false;
    if (a.x == b.x && a.y == b.y && a.z == b.z) return false;
    if (exact_dot(a, point, a, b) < 0.0 || exact_dot(b, point, b, a) < 0.0) return false;
    return near_line(d_from(a), d_from(b), (double)cylinder->radius, d_from(point));
}

bool tact_cone_contains_point(const tact_cone* cone, tact_vec3 point)
{
    const dvec axis = d_from(cone->axis), d = d_sub(d_from(point), d_from(cone->apex));
    if (!d_finite(axis) || !d_finite(d) || !radius_usable(cone->radius) || !radius_usable(cone->height)) return false;
    const double length = d_length(axis), along = d_dot(d, axis);
    const double height = (double)cone->height, radius = (double)cone->radius;
    if (!(length > 0.0) || !(along >= 0.0 && along <= height * length)) return false;
    const double across = d_length(d_cross(d, axis));
    return height > 0.0 ? across * height <= radius * along : across <= radius * length;
}

bool tact_ellipsoid_contains_point(const tact_ellipsoid* ellipsoid, tact_vec3 point)
{
    const dvec d = d_sub(d_from(point), d_from(ellipsoid->center)), radii = d_from(ellipsoid->radius);
    if (!d_finite(d) || !d_finite(radii)) return false;
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        const dvec axis = d_from(ellipsoid->axis[i]);
        const double radius = d_at(radii, i), x = d_dot(d, axis);
        if (!d_finite(axis) || !(radius >= 0.0)) return false;
        if (radius == 0.0 && x != 0.0) return false;
        if (radius > 0.0) sum += (x / radius) * (x / radius);
    }
    return sum <= 1.0;
}

/// Whether the way from a to b goes up in x or, across it, in y: -1 down, 0 for equal points.
static int heading(tact_vec2 a, tact_vec2 b)
{
    if (a.x != b.x) return a.x < b.x ? 1 : -1;
    return (a.y < b.y) - (a.y > b.y);
}

/// A polygon of the plane, or one in space seen along an axis.
typedef struct seen_polygon {
    const tact_vec2* flat;
    const tact_vec3* space;
    int axis;
} seen_polygon;

static tact_vec2 seen_vertex(const seen_polygon* p, uint32_t i)
{
    return p->flat ? p->flat[i] : tact_drop_axis(p->space[i], p->axis);
}

static bool is_convex(const seen_polygon* p, uint32_t count)
{
    uint32_t last = count;
    for (uint32_t i = 0; i < count; ++i) {
        if (!v2_finite(seen_vertex(p, i))) return false;
        if (heading(seen_vertex(p, i), seen_vertex(p, 0)) != 0) last = i;
    }
    if (last == count) return false;
    // From the last vertex that is not the first one, so that the first way has a direction.
    tact_vec2 from = seen_vertex(p, last), at = seen_vertex(p, 0);
    int turned = 0, reversals = 0, way = heading(from, at);
    for (uint32_t i = 1; i <= count; ++i) {
        const tact_vec2 to = seen_vertex(p, i < count ? i : 0);
        const int next = heading(at, to);
        if (next == 0) continue;
        const int turn = tact_orient2d(from, at, to);
        reversals += next != way;
        if (turn == 0 ? next != way : turned != 0 && turn != turned) return false;
        if (turn != 0) turned = turn;
        way = next;
        from = at;
        at = to;
    }
    return turned != 0 && reversals == 2;
}

bool tact_polygon_is_convex_2d(const tact_vec2* vertices, uint32_t count)
{
    const seen_polygon p = {.flat = vertices};
    return is_convex(&p, count);
}

bool tact_polygon_is_convex(const tact_vec3* vertices, uint32_t count)
{
    if (!v_all_finite(vertices, count)) return false;
    // Three vertices that are not on one line, if there are such.
    const tact_vec3 a = vertices[0];
    uint32_t b = 1, c;
    while (b < count && d_same(d_from(vertices[b]), d_from(a)))
        ++b;
    for (c = b + 1; c < count && tact_collinear(a, vertices[b], vertices[c]);)
        ++c;
    if (c >= count) return false;
    for (uint32_t i = 1; i < count; ++i) {
        if (tact_orient3d(a, vertices[b], vertices[c], vertices[i]) != 0) return false;
    }
    seen_polygon p = {.space = vertices};
    while (tact_orient2d(seen_vertex(&p, 0), seen_vertex(&p, b), seen_vertex(&p, c)) == 0)
        ++p.axis;
    return is_convex(&p, count);
}
