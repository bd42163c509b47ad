// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/pick/view.h"

#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "cpu_ref/geometry/vec.h"
#include "tact/cull.h"

/// Below this share of what they were summed up from, sums in double precision are taken to be rounding.
#define NOTHING_LEFT 0x1p-46
/// A far plane whose normal is less than this share of the rows it is the difference of may be nothing but the rounding
/// of the matrix: as in tact_frustum_from_matrix().
#define AT_INFINITY 0x1p-20

static bool view_finite(const tact_pick_view* view)
{
    for (int k = 0; k < 16; ++k) {
        if (!isfinite(view->world_to_clip[k])) return false;
    }
    return true;
}

static void rows_of(const tact_pick_view* view, double row[4][4])
{
    const bool by_columns = view->order == TACT_MATRIX_BY_COLUMNS;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j)
            row[i][j] = (double)view->world_to_clip[by_columns ? i + 4 * j : 4 * i + j];
    }
}

static void set_rows(const double row[4][4], tact_pick_view* view)
{
    const bool by_columns = view->order == TACT_MATRIX_BY_COLUMNS;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j)
            view->world_to_clip[by_columns ? i + 4 * j : 4 * i + j] = (float)row[i][j];
    }
}

/// Columns of the six minors of two rows.
static const int minor_columns[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/// The minors of two rows, and what they are differences of.
static void minors(const double a[4], const double b[4], double minor[6], double size[6])
{
    for (int k = 0; k < 6; ++k) {
        const int i = minor_columns[k][0], j = minor_columns[k][1];
        minor[k] = a[i] * b[j] - a[j] * b[i];
        size[k] = fabs(a[i] * b[j]) + fabs(a[j] * b[i]);
    }
}

/// By Laplace's expansion along two rows. Products of four floats neither overflow nor vanish in double precision.
static bool invert(const double m[4][4], double out[4][4])
{
    double s[6], c[6], s_size[6], c_size[6];
    minors(m[0], m[1], s, s_size);
    minors(m[2], m[3], c, c_size);
    const double det = s[0] * c[5] - s[1] * c[4] + s[2] * c[3] + s[3] * c[2] - s[4] * c[1] + s[5] * c[0];
    double size = 0.0;
    for (int k = 0; k < 6; ++k)
        size += s_size[k] * c_size[5 - k];
    if (!(fabs(det) > NOTHING_LEFT * size)) return false;
    const double adjugate[4][4] = {
        {m[1][1] * c[5] - m[1][2] * c[4] + m[1][3] * c[3], -m[0][1] * c[5] + m[0][2] * c[4] - m[0][3] * c[3],
         m[3][1] * s[5] - m[3][2] * s[4] + m[3][3] * s[3], -m[2][1] * s[5] + m[2][2] * s[4] - m[2][3] * s[3]},
        {-m[1][0] * c[5] + m[1][2] * c[2] - m[1][3] * c[1], m[0][0] * c[5] - m[0][2] * c[2] + m[0][3] * c[1],
         -m[3][0] * s[5] + m[3][2] * s[2] - m[3][3] * s[1], m[2][0] * s[5] - m[2][2] * s[2] + m[2][3] * s[1]},
        {m[1][0] * c[4] - m[1][1] * c[2] + m[1][3] * c[0], -m[0][0] * c[4] + m[0][1] * c[2] - m[0][3] * c[0],
         m[3][0] * s[4] - m[3][1] * s[2] + m[3][3] * s[0], -m[2][0] * s[4] + m[2][1] * s[2] - m[2][3] * s[0]},
        {-m[1][0] * c[3] + m[1][1] * c[1] - m[1][2] * c[0], m[0][0] * c[3] - m[0][1] * c[1] + m[0][2] * c[0],
         -m[3][0] * s[3] + m[3][1] * s[1] - m[3][2] * s[0], m[2][0] * s[3] - m[2][1] * s[1] + m[2][2] * s[0]}};
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j)
            out[i][j] = adjugate[i][j] / det;
    }
    return true;
}

static dvec column(const tact_pick_lens* lens, int k)
{
    return d_make(lens->inverse[0][k], lens->inverse[1][k], lens->inverse[2][k]);
}

/// A plane of clip space, z = share w, in the world: normal and offset.
static dvec plane_of(const tact_pick_lens* lens, double share, double* offset)
{
    TACT_ASSERT(lens->near_z != lens->far_z);
    const double *z = lens->row[2], *w = lens->row[3];
    *offset = z[3] - share * w[3];
    return d_make(z[0] - share * w[0], z[1] - share * w[1], z[2] - share * w[2]);
}

/// Whether nothing but rounding makes the far plane.
static bool far_is_endless(const tact_pick_lens* lens)
{
    double offset, size = 0.0, most = 0.0;
    const dvec n = plane_of(lens, lens->far_z, &offset);
    for (int k = 0; k < 3; ++k) {
        size = fmax(size, fabs(lens->row[2][k]) + fabs(lens->far_z * lens->row[3][k]));
        most = fmax(most, fabs(d_at(n, k)));
    }
    return !(most > AT_INFINITY * size);
}

/// The distance between near and far plane along the axis through the eye: the one measure of t for all lines of sight,
/// also where rounding of the matrix has tilted the far plane, which it does the more the farther that is. Negative
/// where that is beyond infinity, that is, behind; 0 where there is no eye, or the planes are meant to be at an angle.
static double length_of(const tact_pick_lens* lens)
{
    double near_offset, far_offset;
    const dvec near_normal = plane_of(lens, lens->near_z, &near_offset);
    const dvec far_normal = plane_of(lens, lens->far_z, &far_offset);
    const dvec axis = d_make(lens->axis[0], lens->axis[1], lens->axis[2]);
    const dvec eye = d_scale(column(lens, 2), 1.0 / lens->inverse[3][2]);
    if (!d_finite(eye)) return 0.0;
    if (!(d_length(d_cross(axis, far_normal)) < 0.125 * d_length(far_normal))) return 0.0;
    const double first = -(d_dot(near_normal, eye) + near_offset) / d_dot(near_normal, axis);
    const double last = -(d_dot(far_normal, eye) + far_offset) / d_dot(far_normal, axis);
    return isfinite(last - first) ? last - first : 0.0;
}

bool tact_pick_lens_make(const tact_pick_view* view, tact_pick_lens* lens)
{
    if (!view_finite(view) || view->width == 0 || view->height == 0) return false;
    rows_of(view, lens->row);
    if (!invert((const double(*)[4])lens->row, lens->inverse)) return false;
    const double least = view->depth == TACT_CLIP_ZERO_TO_ONE ? 0.0 : -1.0;
    lens->near_z = view->reversed ? 1.0 : least;
    lens->far_z = view->reversed ? least : 1.0;
    lens->width = (double)view->width;
    lens->height = (double)view->height;
    lens->left = (double)view->left;
    lens->top = (double)view->top;
    double offset;
    const dvec normal = plane_of(lens, lens->near_z, &offset);
    const double length = d_length(normal);
    for (int k = 0; k < 3; ++k)
        lens->axis[k] = length > 0.0 ? d_at(normal, k) / (lens->near_z < lens->far_z ? length : -length) : 0.0;
    lens->length = length_of(lens);
    lens->endless = far_is_endless(lens) || lens->length < 0.0;
    if (lens->endless) lens->length = 1.0;
    return true;
}

/// A line of sight: origin + t direction.
typedef struct sight {
    dvec origin, direction;
    double tmax;
} sight;

/// Homogeneous coordinates of the world at a place of clip space; w is 0 where that is nothing but rounding.
static dvec back(const tact_pick_lens* lens, double x, double y, double z, double* w)
{
    const double clip[4] = {x, y, z, 1.0};
    double out[4], size = 0.0;
    for (int i = 0; i < 4; ++i) {
        out[i] = 0.0;
        for (int j = 0; j < 4; ++j)
            out[i] += lens->inverse[i][j] * clip[j];
    }
    for (int j = 0; j < 4; ++j)
        size += fabs(lens->inverse[3][j] * clip[j]);
    *w = fabs(out[3]) > NOTHING_LEFT * size ? out[3] : 0.0;
    return d_make(out[0], out[1], out[2]);
}

/// With h = near + s column 2 of the inverse the points of the line in homogeneous coordinates, the direction from the
/// near point to the far one is (column w_near - near column_w) / (w_far w_near): it stays what it is as w_far goes to
/// zero, and beyond.
static bool sight_of(const tact_pick_lens* lens, double x, double y, sight* line)
{
    TACT_ASSERT(lens->width > 0.0 && lens->height > 0.0);
    const double u = 2.0 * (x - lens->left) / lens->width - 1.0, v = 1.0 - 2.0 * (y - lens->top) / lens->height;
    double near_w, far_w;
    const dvec near = back(lens, u, v, lens->near_z, &near_w);
    back(lens, u, v, lens->far_z, &far_w);
    if (!(near_w > 0.0)) return false;
    const double step = lens->far_z - lens->near_z;
    const dvec along =
        d_scale(d_sub(d_scale(column(lens, 2), near_w), d_scale(near, lens->inverse[3][2])), step / near_w);
    line->origin = d_scale(near, 1.0 / near_w);
    const double forward = d_dot(along, d_make(lens->axis[0], lens->axis[1], lens->axis[2]));
    if (!(forward > 0.0)) return false;
    const bool ends = far_w > 0.0 && !lens->endless;
    if (lens->length > 0.0) {
        line->direction = d_scale(along, lens->length / forward);
        line->tmax = ends ? forward / (far_w * lens->length) : HUGE_VAL;
        if (fabs(line->tmax - 1.0) < AT_INFINITY) line->tmax = 1.0;
    } else {
        line->direction = d_scale(along, ends ? 1.0 / far_w : 1.0 / forward);
        line->tmax = ends ? 1.0 : HUGE_VAL;
    }
    return d_finite(line->origin) && d_finite(line->direction) && line->tmax > 0.0;
}

bool tact_pick_lens_ray(const tact_pick_lens* lens, double x, double y, tact_ray* ray)
{
    sight line;
    if (!sight_of(lens, x, y, &line)) return false;
    const tact_vec3 o = d_round(line.origin), d = d_round(line.direction);
    if (!v_finite(o) || !v_finite(d) || !(d.x != 0.0f || d.y != 0.0f || d.z != 0.0f)) return false;
    *ray = (tact_ray){o.x, o.y, o.z, 0.0f, d.x, d.y, d.z, (float)line.tmax};
    return true;
}

static double clip_of(const tact_pick_lens* lens, int row, const double p[3])
{
    TACT_ASSERT(row >= 0 && row < 4);
    const double* r = lens->row[row];
    return ((r[0] * p[0] + r[1] * p[1]) + r[2] * p[2]) + r[3];
}

static double depth_of(const tact_pick_lens* lens, double share)
{
    const double least = fmin(lens->near_z, lens->far_z);
    return (share - least) / (1.0 - least);
}

bool tact_pick_lens_place(const tact_pick_lens* lens, const double point[3], tact_pick* pick)
{
    const double w = clip_of(lens, 3, point);
    if (!(w > 0.0)) return false;
    // What was met between the planes is there but for rounding.
    const double depth = d_clamp(depth_of(lens, clip_of(lens, 2, point) / w), 0.0, 1.0);
    const tact_vec3 rounded = d_round(d_make(point[0], point[1], point[2]));
    if (!v_finite(rounded) || !isfinite(depth)) return false;
    pick->position[0] = rounded.x;
    pick->position[1] = rounded.y;
    pick->position[2] = rounded.z;
    pick->depth = (float)depth;
    return true;
}

/// Across a line of sight the triangle is a flat one, and the line a point.
typedef struct flat {
    double corner[3][2];
    double area, size;
} flat;

static void flatten(const sight* line, const double corners[9], flat* f)
{
    const dvec d = d_scale(line->direction, 1.0 / d_length(line->direction));
    const double ax = fabs(d.x), ay = fabs(d.y), az = fabs(d.z);
    const dvec other = d_make(ax <= ay && ax <= az, ay < ax && ay <= az, az < ax && az < ay);
    const dvec across = d_cross(d, other), x = d_scale(across, 1.0 / d_length(across)), y = d_cross(d, x);
    for (int k = 0; k < 3; ++k) {
        const dvec p = d_sub(d_make(corners[3 * k], corners[3 * k + 1], corners[3 * k + 2]), line->origin);
        f->corner[k][0] = d_dot(p, x);
        f->corner[k][1] = d_dot(p, y);
    }
    const double bx = f->corner[1][0] - f->corner[0][0], by = f->corner[1][1] - f->corner[0][1];
    const double cx = f->corner[2][0] - f->corner[0][0], cy = f->corner[2][1] - f->corner[0][1];
    f->area = bx * cy - by * cx;
    f->size = fabs(bx * cy) + fabs(by * cx);
}

/// The weights of the point of side k, k + 1 that is nearest to zero; returns the square of its distance.
static double nearest_on_side(const flat* f, int k, double weight[3])
{
    TACT_ASSERT(k >= 0 && k < 3);
    const double *a = f->corner[k], *b = f->corner[(k + 1) % 3];
    const double x = b[0] - a[0], y = b[1] - a[1];
    const double s = d_clamp(-(a[0] * x + a[1] * y) / (x * x + y * y), 0.0, 1.0);
    weight[k] = 1.0 - s;
    weight[(k + 1) % 3] = s;
    weight[(k + 2) % 3] = 0.0;
    const double px = a[0] + s * x, py = a[1] + s * y;
    return px * px + py * py;
}

static bool weights_of(const flat* f, double weight[3])
{
    if (!(fabs(f->area) > NOTHING_LEFT * f->size)) return false;
    bool inside = true;
    for (int k = 0; k < 3; ++k) {
        const double *a = f->corner[(k + 1) % 3], *b = f->corner[(k + 2) % 3];
        weight[k] = (a[0] * b[1] - a[1] * b[0]) / f->area;
        inside = inside && weight[k] >= 0.0;
    }
    double best = HUGE_VAL, trial[3];
    for (int k = 0; k < 3 && !inside; ++k) {
        const double distance = nearest_on_side(f, k, trial);
        if (!(distance < best)) continue;
        best = distance;
        for (int i = 0; i < 3; ++i)
            weight[i] = trial[i];
    }
    return inside || best < HUGE_VAL;
}

bool tact_pick_lens_refine(const tact_pick_lens* lens, const double corners[9], tact_pick* pick)
{
    sight line;
    flat f;
    double weight[3], point[3];
    if (!sight_of(lens, (double)pick->x + 0.5, (double)pick->y + 0.5, &line)) return false;
    const dvec a = d_make(corners[0], corners[1], corners[2]), b = d_make(corners[3], corners[4], corners[5]),
               c = d_make(corners[6], corners[7], corners[8]);
    const dvec normal = d_cross(d_sub(b, a), d_sub(c, a));
    const double length = d_length(normal);
    if (!(length > 0.0) || !isfinite(length)) return false;
    flatten(&line, corners, &f);
    if (!weights_of(&f, weight)) return false;
    for (int k = 0; k < 3; ++k)
        point[k] = (weight[0] * corners[k] + weight[1] * corners[3 + k]) + weight[2] * corners[6 + k];
    if (!tact_pick_lens_place(lens, point, pick)) return false;
    for (int k = 0; k < 3; ++k) {
        pick->normal[k] = (float)(d_at(normal, k) / length);
        pick->barycentric[k] = (float)weight[k];
    }
    return true;
}

/// Lines of sight through the corners of the view start at the near plane.
static bool has_near_plane(const tact_pick_lens* lens)
{
    for (int k = 0; k < 4; ++k) {
        double w;
        back(lens, k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, lens->near_z, &w);
        if (w > 0.0) return true;
    }
    return false;
}

tact_result tact_pick_view_check(tact_env* env, const tact_pick_view* view)
{
    tact_pick_lens lens;
    if (view->width > TACT_PICK_SIZE_MAX || view->height > TACT_PICK_SIZE_MAX) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a view of %u x %u pixels; at most %u either way",
                         (unsigned)view->width, (unsigned)view->height, (unsigned)TACT_PICK_SIZE_MAX);
    }
    if ((unsigned)view->order > TACT_MATRIX_BY_COLUMNS || (unsigned)view->depth > TACT_CLIP_ZERO_TO_ONE) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a view with order %d and depth %d", (int)view->order,
                         (int)view->depth);
    }
    if ((int64_t)view->left + view->width > INT32_MAX || (int64_t)view->top + view->height > INT32_MAX) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a view of %u x %u pixels from (%d, %d) on",
                         (unsigned)view->width, (unsigned)view->height, (int)view->left, (int)view->top);
    }
    if (view->width == 0 || view->height == 0) return TACT_OK;
    if (!view_finite(view)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the view's matrix is not finite");
    }
    if (!tact_pick_lens_make(view, &lens)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the view's matrix cannot be inverted");
    }
    if (!has_near_plane(&lens)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                         "the view's near plane is at infinity or behind the eye: `reversed` may be wrong");
    }
    return TACT_OK;
}

bool tact_pick_ray(const tact_pick_view* view, double x, double y, tact_ray* ray)
{
    tact_float_env env;
    tact_float_env_enter(&env);
    tact_pick_lens lens;
    const bool good = tact_pick_lens_make(view, &lens) && tact_pick_lens_ray(&lens, x, y, ray);
    tact_float_env_leave(&env);
    return good;
}

static bool make_part(const tact_pick_view* view, const int32_t r[4], tact_pick_view* part)
{
    double row[4][4], inverse[4][4];
    if (!(r[0] < r[2] && r[1] < r[3]) || !view_finite(view) || view->width == 0 || view->height == 0) return false;
    rows_of(view, row);
    if (!invert((const double(*)[4])row, inverse)) return false;
    const double width = (double)r[2] - (double)r[0], height = (double)r[3] - (double)r[1];
    const double right = 2.0 * ((double)view->left - (double)r[0]), down = 2.0 * ((double)view->top - (double)r[1]);
    const double scale_x = (double)view->width / width, scale_y = (double)view->height / height;
    const double move_x = (right + (double)view->width - width) / width;
    const double move_y = (height - down - (double)view->height) / height;
    for (int k = 0; k < 4; ++k) {
        row[0][k] = scale_x * row[0][k] + move_x * row[3][k];
        row[1][k] = scale_y * row[1][k] + move_y * row[3][k];
    }
    tact_pick_view made = *view;
    set_rows((const double(*)[4])row, &made);
    made.width = (uint32_t)((int64_t)r[2] - r[0]);
    made.height = (uint32_t)((int64_t)r[3] - r[1]);
    made.left = r[0];
    made.top = r[1];
    if (!view_finite(&made)) return false;
    *part = made;
    return true;
}

bool tact_pick_part(const tact_pick_view* view, const int32_t rectangle[4], tact_pick_view* part)
{
    tact_float_env env;
    tact_float_env_enter(&env);
    const bool good = make_part(view, rectangle, part);
    tact_float_env_leave(&env);
    return good;
}

bool tact_pick_window(const tact_pick_view* view, int32_t x, int32_t y, uint32_t size, tact_pick_view* window)
{
    if (size % 2 == 0 || size > TACT_PICK_SIZE_MAX) return false;
    const int64_t left = (int64_t)x - size / 2, top = (int64_t)y - size / 2;
    if (left < INT32_MIN || top < INT32_MIN || left + size > INT32_MAX || top + size > INT32_MAX) return false;
    const int32_t rectangle[4] = {(int32_t)left, (int32_t)top, (int32_t)(left + size), (int32_t)(top + size)};
    return tact_pick_part(view, rectangle, window);
}

/// Sides and near plane alone, for a matrix whose far plane tact_frustum_from_matrix() can make nothing of: culling may
/// keep too much, never too little.
static uint32_t sides_of(const tact_pick_lens* lens, tact_plane planes[TACT_FRUSTUM_PLANES])
{
    uint32_t count = 0;
    for (int k = 0; k < 5; ++k) {
        const double* r = lens->row[k / 2];
        const double sign = k % 2 == 0 ? 1.0 : -1.0;
        double inward[4];
        for (int j = 0; j < 4; ++j) {
            inward[j] = k < 4 ? lens->row[3][j] + sign * r[j] : r[j] - lens->near_z * lens->row[3][j];
            if (k == 4 && lens->near_z > lens->far_z) inward[j] = -inward[j];
        }
        const dvec n = d_make(-inward[0], -inward[1], -inward[2]);
        const double length = d_length(n), distance = inward[3] / length;
        if (!(length > 0.0) || !(fabs(distance) <= 0x1p120)) continue;
        planes[count++] = (tact_plane){d_round(d_scale(n, 1.0 / length)), (float)distance};
    }
    return count;
}

uint32_t tact_pick_planes(const tact_pick_view* view, tact_plane planes[TACT_FRUSTUM_PLANES])
{
    tact_float_env env;
    tact_float_env_enter(&env);
    tact_frustum frustum;
    tact_pick_lens lens;
    const bool good = tact_frustum_from_matrix(view->world_to_clip, view->order, view->depth, &frustum);
    uint32_t count = 0;
    if (!good && tact_pick_lens_make(view, &lens)) count = sides_of(&lens, planes);
    if (count == 0) count = tact_cull_frustum(&frustum, planes);
    tact_float_env_leave(&env);
    return count;
}

static bool unproject(const tact_pick_view* view, double x, double y, float depth, float position[3])
{
    tact_pick_lens lens;
    double w;
    if (!isfinite(depth) || !tact_pick_lens_make(view, &lens)) return false;
    const double u = 2.0 * (x - lens.left) / lens.width - 1.0, v = 1.0 - 2.0 * (y - lens.top) / lens.height;
    const double least = fmin(lens.near_z, lens.far_z), share = least + (double)depth * (1.0 - least);
    const dvec point = back(&lens, u, v, share, &w);
    if (!(w > 0.0)) return false;
    const tact_vec3 rounded = d_round(d_scale(point, 1.0 / w));
    if (!v_finite(rounded)) return false;
    position[0] = rounded.x;
    position[1] = rounded.y;
    position[2] = rounded.z;
    return true;
}

bool tact_pick_unproject(const tact_pick_view* view, double x, double y, float depth, float position[3])
{
    tact_float_env env;
    tact_float_env_enter(&env);
    const bool good = unproject(view, x, y, depth, position);
    tact_float_env_leave(&env);
    return good;
}

static bool project(const tact_pick_view* view, const float position[3], double place[2], float* depth)
{
    tact_pick_lens lens;
    const double p[3] = {(double)position[0], (double)position[1], (double)position[2]};
    if (!tact_pick_lens_make(view, &lens)) return false;
    const double w = clip_of(&lens, 3, p);
    if (!(w > 0.0)) return false;
    const double x = lens.left + (clip_of(&lens, 0, p) / w + 1.0) * 0.5 * lens.width;
    const double y = lens.top + (1.0 - clip_of(&lens, 1, p) / w) * 0.5 * lens.height;
    const float z = (float)depth_of(&lens, clip_of(&lens, 2, p) / w);
    if (!isfinite(x) || !isfinite(y) || !isfinite(z)) return false;
    place[0] = x;
    place[1] = y;
    *depth = z;
    return true;
}

bool tact_pick_project(const tact_pick_view* view, const float position[3], double place[2], float* depth)
{
    tact_float_env env;
    tact_float_env_enter(&env);
    const bool good = project(view, position, place, depth);
    tact_float_env_leave(&env);
    return good;
}

bool tact_pick_refine(const tact_pick_view* view, const float corners[9], tact_pick* pick)
{
    tact_float_env env;
    tact_float_env_enter(&env);
    tact_pick_lens lens;
    double wide[9];
    for (int k = 0; k < 9; ++k)
        wide[k] = (double)corners[k];
    const bool good = tact_pick_lens_make(view, &lens) && tact_pick_lens_refine(&lens, wide, pick);
    tact_float_env_leave(&env);
    return good;
}

bool tact_pick_view_same(const tact_pick_view* a, const tact_pick_view* b)
{
    return memcmp(a->world_to_clip, b->world_to_clip, sizeof a->world_to_clip) == 0 && a->order == b->order &&
           a->depth == b->depth && a->reversed == b->reversed && a->width == b->width && a->height == b->height &&
           a->left == b->left && a->top == b->top;
}
