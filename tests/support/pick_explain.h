// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Where a rasteriser may differ from a ray: a triangle as it lies in the pixels of a view, in double precision, and
/// how far rounding may move it.
///
/// u = 2^-24. A vertex p of an object is moved by (m0 x + m1 y) + m2 z + t with x y z = p - about, each term with three
/// roundings, sums with three more: |error| <= 7 u S for S = sum |m_i| |p_i - about_i| + |t|. `about` is the place of
/// the object's box that is nearest to the eye, axis by axis, so |p_i - about_i| is at most the box's side and, where
/// there is an eye, |p_i - eye_i|; and |t| <= |clip coordinate| + sum |m_i| |p_i - about_i|. Divided by w and brought
/// to pixels:
///     d_x = (width / 2) (E_x + |x / w| E_w) / w + 4 u width,   E = 8 u S
/// and then put on a grid of 2^-bits pixels, at most 2^-bits each way. Clipping makes vertices from others: 8 u of the
/// largest clip coordinate, on top of the larger of the ends' errors. The ray's origin and direction are rounded, and
/// so is its way into the object's frame: 16 u (|origin| + |point|) times the condition of the object's matrix, which
/// is a place in pixels too. The sum of these is the reach: within it of an edge, either answer is right.
///
/// Depth: E_z as E_x. At a pixel that it covers, a triangle whose corners were moved by d has the depth that the plane
/// has within d: slope times d off. The slope comes from differences of corners: numerator (z1 y2 - z2 y1) over area
/// (x1 y2 - x2 y1), for a length L, a height h (area L h) and depths that differ by Z. A product of two differences is
/// 3 u off, so the numerator is by 7 u Z L and the area by 7 u L L, with the subtraction. The first makes the slope
/// 7 u Z / h off, over a distance of at most L from the corner that it starts from. The second scales the plane about
/// that corner by 7 u L / h, and the depths of the triangle by that much of Z at most. Together 14 u Z L / h, taken as
/// 16. It is evaluated from the value at the target's corner: 4 u (slope (width + height) + |z|). Where h is within a
/// few times d there is no slope to speak of: all that is known, and looked at, is that the depth is one of those
/// between the corners', which holds for every triangle in view (shaders/pick_scene.glsl).

#include "core/scene/scene.h"
#include "tact/pick.h"

#define EXPLAIN_U 0x1p-24

enum { EXPLAIN_CORNERS = 12 };

typedef struct explain_view {
    const tact_pick_view* view;
    double row[4][4];
    double depth_row[4];  // from 0 far away to 1 at the near plane, as it is drawn
    double bits;          // of the grid below a pixel
} explain_view;

typedef struct explain_triangle {
    int count;  // of corners of what is in view; less than 3: nothing
    double at[EXPLAIN_CORNERS][2];
    double reach;         // pixels, the ray's part included
    double moved;         // without it
    bool clipped;         // reaches out of the view
    double ray_depth;     // what the ray's own t may be off, as depth
    double slope[2], z0;  // depth = z0 + slope . place
    bool flat;            // no slope to speak of
    double depth_reach;
    double least, greatest;  // depths that it has, rounding of its corners included
} explain_triangle;

static inline explain_view explain_make(const tact_pick_view* view, uint32_t bits)
{
    explain_view e = {.view = view, .bits = (double)bits};
    for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c)
            e.row[r][c] = (double)view->world_to_clip[view->order == TACT_MATRIX_BY_ROWS ? 4 * r + c : r + 4 * c];
    for (int c = 0; c < 4; ++c) {
        const double z = e.row[2][c], w = e.row[3][c];
        const double own = view->depth == TACT_CLIP_ZERO_TO_ONE ? z : 0.5 * (z + w);
        e.depth_row[c] = view->reversed ? own : w - own;
    }
    return e;
}

// Distance of a clip point from the bounds of what is kept: near, far, and sides at twice the view.
static inline double explain_inside(const double p[4], int bound)
{
    switch (bound) {
        case 0:
            return p[2];
        case 1:
            return p[3] - p[2];
        case 2:
            return 2.0 * p[3] + p[0];
        case 3:
            return 2.0 * p[3] - p[0];
        case 4:
            return 2.0 * p[3] + p[1];
        default:
            return 2.0 * p[3] - p[1];
    }
}

static inline int explain_clip(int bound, double (*p)[4], int count)
{
    double out[EXPLAIN_CORNERS][4];
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        const double *a = p[i], *b = p[(i + 1) % count];
        const double da = explain_inside(a, bound), db = explain_inside(b, bound);
        if (da >= 0.0) memcpy(out[kept++], a, sizeof out[0]);
        if ((da >= 0.0) == (db >= 0.0)) continue;
        for (int k = 0; k < 4; ++k)
            out[kept][k] = a[k] + (b[k] - a[k]) * (da / (da - db));
        ++kept;
    }
    memcpy(p, out, (size_t)kept * sizeof out[0]);
    return kept;
}

// Rows of object to clip, and the eye in the object's frame.
static inline bool explain_frame(const explain_view* e, const float m[12], double row[4][4], double eye[3])
{
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c) {
            const double* world = r == 2 ? e->depth_row : e->row[r];
            row[r][c] = c == 3 ? world[3] : 0.0;
            for (int k = 0; k < 3; ++k)
                row[r][c] += world[k] * (double)m[4 * k + c];
        }
    }
    // Cramer's rule for x = y = w = 0.
    const double *a = row[0], *b = row[1], *c = row[3];
    double det[4];
    for (int k = 0; k < 4; ++k) {
        double v[3][3];
        for (int i = 0; i < 3; ++i) {
            const int col = i == k ? 3 : i;
            v[0][i] = a[col];
            v[1][i] = b[col];
            v[2][i] = c[col];
        }
        det[k] = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) - v[0][1] * (v[1][0] * v[2][2] - v[1][2] * v[2][0]) +
                 v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
    }
    for (int k = 0; k < 3; ++k)
        eye[k] = -det[k] / det[3];
    return det[3] != 0.0 && isfinite(eye[0]) && isfinite(eye[1]) && isfinite(eye[2]);
}

// How far a ray's place may be off where the pixels of a unit of the world are `pixels`: in pixels.
static inline double explain_ray(const tact_ray* ray, double far, double condition)
{
    const double o = fabs((double)ray->ox) + fabs((double)ray->oy) + fabs((double)ray->oz);
    return 16.0 * EXPLAIN_U * condition * (o + far);
}

// Largest sum of a row's magnitudes, of the linear part and of its inverse, multiplied: the ray goes into the object's
// frame by the inverse, rounded.
static inline double explain_condition(const float m[12])
{
    double most = 0.0, inverse = 0.0, det = 0.0;
    for (int r = 0; r < 3; ++r) {
        double sum = 0.0, column = 0.0;
        for (int k = 0; k < 3; ++k) {
            const float *a = m + 4 * ((k + 1) % 3), *b = m + 4 * ((k + 2) % 3);
            const int i = (r + 1) % 3, j = (r + 2) % 3;
            const double cofactor = (double)a[i] * (double)b[j] - (double)a[j] * (double)b[i];
            sum += fabs((double)m[4 * r + k]);
            column += fabs(cofactor);
            if (r == 0) det += (double)m[4 * k] * cofactor;
        }
        most = fmax(most, sum);
        inverse = fmax(inverse, column);
    }
    return most * inverse / fabs(det);
}

static inline void explain_depth(explain_triangle* t, double (*p)[3], double d, double ez, const tact_pick_view* v)
{
    // The plane by the largest of the fan's triangles.
    double most = 0.0, longest = 0.0, z = 0.0, least = p[0][2], greatest = p[0][2];
    t->flat = true;
    for (int i = 1; i + 1 < t->count; ++i) {
        const double ux = p[i][0] - p[0][0], uy = p[i][1] - p[0][1], uz = p[i][2] - p[0][2];
        const double vx = p[i + 1][0] - p[0][0], vy = p[i + 1][1] - p[0][1], vz = p[i + 1][2] - p[0][2];
        const double area = ux * vy - uy * vx;
        longest = fmax(longest, fmax(hypot(ux, uy), fmax(hypot(vx, vy), hypot(ux - vx, uy - vy))));
        z = fmax(z, fmax(fabs(p[i][2]), fmax(fabs(p[0][2]), fabs(p[i + 1][2]))));
        least = fmin(least, fmin(p[i][2], p[i + 1][2]));
        greatest = fmax(greatest, fmax(p[i][2], p[i + 1][2]));
        if (!(fabs(area) > most)) continue;
        most = fabs(area);
        t->slope[0] = (uz * vy - uy * vz) / area;
        t->slope[1] = (ux * vz - uz * vx) / area;
    }
    t->least = least - ez;
    t->greatest = greatest + ez;
    if (!(most > 0.0)) return;
    t->z0 = p[0][2] - t->slope[0] * p[0][0] - t->slope[1] * p[0][1];
    const double height = most / longest, slope = fabs(t->slope[0]) + fabs(t->slope[1]);
    t->flat = height < 8.0 * d;
    t->depth_reach = ez + slope * d + 16.0 * EXPLAIN_U * (greatest - least) * longest / height +
                     4.0 * EXPLAIN_U * (slope * ((double)v->width + (double)v->height) + z);
}

// A triangle of an instance. `ray`: the rounding of a ray, in the world, for the distance of the triangle's middle.
static inline explain_triangle explain_triangle_of(const explain_view* e, const tact_scene* scene, uint32_t instance,
                                                   uint32_t primitive, const tact_ray* ray)
{
    explain_triangle t = {0};
    const tact_pick_view* v = e->view;
    const tact_scene_mesh* mesh = &scene->meshes[scene->instances[instance].mesh];
    const float* m = scene->matrices[instance];
    double row[4][4], eye[3], p[EXPLAIN_CORNERS][4], error[4] = {0}, largest = 0.0, far = 0.0;
    const double condition = explain_condition(m);
    const bool has_eye = explain_frame(e, m, row, eye);
    bool clipped = false;
    for (int i = 0; i < 3; ++i) {
        const float* q = mesh->positions + 3 * (size_t)mesh->indices[3 * (size_t)primitive + (size_t)i];
        double world = 0.0, off[3];
        for (int k = 0; k < 3; ++k) {
            off[k] = (double)mesh->bounds.tight_upper[k] - (double)mesh->bounds.tight_lower[k];
            if (has_eye) off[k] = fmin(off[k], fabs((double)q[k] - eye[k]));
            world = fmax(world, fabs((double)m[4 * k] * (double)q[0]) + fabs((double)m[4 * k + 1] * (double)q[1]) +
                                    fabs((double)m[4 * k + 2] * (double)q[2]) + fabs((double)m[4 * k + 3]));
        }
        far = fmax(far, world);
        for (int r = 0; r < 4; ++r) {
            p[i][r] = row[r][0] * (double)q[0] + row[r][1] * (double)q[1] + row[r][2] * (double)q[2] + row[r][3];
            const double s =
                2.0 * (fabs(row[r][0]) * off[0] + fabs(row[r][1]) * off[1] + fabs(row[r][2]) * off[2]) + fabs(p[i][r]);
            error[r] = fmax(error[r], 8.0 * EXPLAIN_U * s);
            largest = fmax(largest, fabs(p[i][r]));
        }
        for (int bound = 0; bound < 6; ++bound)
            clipped =
                clipped || explain_inside(p[i], bound) <= 0.0 || fabs(p[i][0]) > p[i][3] || fabs(p[i][1]) > p[i][3];
    }
    t.clipped = clipped;
    t.count = 3;
    for (int bound = 0; bound < 6 && t.count >= 3; ++bound)
        t.count = explain_clip(bound, p, t.count);
    if (t.count < 3) return t;
    const double pixels[2] = {0.5 * (double)v->width, 0.5 * (double)v->height};
    double place[EXPLAIN_CORNERS][3], d = 0.0, ez = 0.0, by_ray = 0.0, by_ray_depth = 0.0;
    for (int i = 0; i < t.count; ++i) {
        const double w = p[i][3], more = clipped ? 8.0 * EXPLAIN_U * largest : 0.0;
        const double nx = p[i][0] / w, ny = p[i][1] / w, nz = p[i][2] / w;
        place[i][0] = (nx + 1.0) * pixels[0];
        place[i][1] = (1.0 - ny) * pixels[1];
        place[i][2] = nz;
        d = fmax(d, pixels[0] * (error[0] + more + fabs(nx) * (error[3] + more)) / w + 8.0 * EXPLAIN_U * pixels[0]);
        d = fmax(d, pixels[1] * (error[1] + more + fabs(ny) * (error[3] + more)) / w + 8.0 * EXPLAIN_U * pixels[1]);
        ez = fmax(ez, (error[2] + more + fabs(nz) * (error[3] + more)) / w + 4.0 * EXPLAIN_U * fabs(nz));
        double unit = 0.0;
        for (int k = 0; k < 3; ++k)
            unit = fmax(unit, fmax(pixels[0] * (fabs(e->row[0][k]) + fabs(nx * e->row[3][k])),
                                   pixels[1] * (fabs(e->row[1][k]) + fabs(ny * e->row[3][k]))) /
                                  w);
        by_ray = fmax(by_ray, unit * explain_ray(ray, far, condition));
        for (int k = 0; k < 3; ++k)
            by_ray_depth = fmax(
                by_ray_depth, explain_ray(ray, far, condition) * (fabs(e->depth_row[k]) + fabs(nz * e->row[3][k])) / w);
    }
    d = 1.4142135623730951 * (d + ldexp(1.0, -(int)e->bits));
    t.reach = d + by_ray;
    t.moved = d;
    t.ray_depth = by_ray_depth;
    for (int i = 0; i < t.count; ++i)
        memcpy(t.at[i], place[i], sizeof t.at[i]);
    explain_depth(&t, place, d, ez, v);
    return t;
}

static inline double explain_to_segment(const double p[2], const double a[2], const double b[2])
{
    const double ex = b[0] - a[0], ey = b[1] - a[1], length = ex * ex + ey * ey;
    double s = length > 0.0 ? ((p[0] - a[0]) * ex + (p[1] - a[1]) * ey) / length : 0.0;
    s = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
    return hypot(p[0] - a[0] - s * ex, p[1] - a[1] - s * ey);
}

// Distance of a place from the triangle's edges, in pixels.
static inline double explain_edge(const explain_triangle* t, double x, double y)
{
    const double p[2] = {x, y};
    double least = HUGE_VAL;
    for (int i = 0; i < t->count && t->count >= 3; ++i)
        least = fmin(least, explain_to_segment(p, t->at[i], t->at[(i + 1) % t->count]));
    return least;
}

static inline bool explain_covers(const explain_triangle* t, double x, double y)
{
    int left = 0, right = 0;
    for (int i = 0; i < t->count; ++i) {
        const double *a = t->at[i], *b = t->at[(i + 1) % t->count];
        const double side = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
        left += side > 0.0;
        right += side < 0.0;
    }
    return t->count >= 3 && (left == 0 || right == 0);
}

static inline double explain_depth_at(const explain_triangle* t, double x, double y)
{
    return t->z0 + t->slope[0] * x + t->slope[1] * y;
}
