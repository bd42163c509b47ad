// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Grids of cells, and rays through them.

#include "cpu_ref/index/voxel_walk.h"

#include <float.h>
#include <string.h>

#include "base/compiler.h"
#include "cpu_ref/geometry/ray_internal.h"

// ---- Grids ----

/// The power of two of the last bit of a number that is 1. Of 0 it is INT32_MAX.
static int32_t last_bit(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t exponent = bits >> 23 & 0xffu, fraction = bits & 0x7fffffu;
    if ((bits & 0x7fffffffu) == 0) return INT32_MAX;
    const int32_t trailing = (int32_t)tact_lowest_bit(exponent ? fraction | 0x800000u : fraction);
    return (int32_t)(exponent ? exponent : 1) - 150 + trailing;
}

bool tact_voxel_grid_is_valid(const tact_voxel_grid* grid)
{
    const float origin[3] = {grid->origin.x, grid->origin.y, grid->origin.z};
    if (!(grid->size > 0.0f && grid->size < INFINITY)) return false;
    for (int k = 0; k < 3; ++k) {
        if (grid->count[k] < 1 || grid->count[k] > TACT_VOXELS_MOST || !isfinite(origin[k])) return false;
        const int32_t of_size = last_bit(grid->size), of_origin = last_bit(origin[k]);
        const double unit = ldexp(1.0, of_size < of_origin ? of_size : of_origin);
        const double last = (double)origin[k] + (double)grid->count[k] * (double)grid->size;
        const double most = fabs(last) > fabs((double)origin[k]) ? fabs(last) : fabs((double)origin[k]);
        // All faces are whole numbers of units.
        if (!(most <= 0x1p24 * unit && most <= (double)FLT_MAX)) return false;
    }
    return true;
}

bool tact_voxel_grid_fit(tact_aabb box, uint32_t cells, tact_voxel_grid* grid)
{
    const double lower[3] = {(double)box.lower.x, (double)box.lower.y, (double)box.lower.z};
    const double upper[3] = {(double)box.upper.x, (double)box.upper.y, (double)box.upper.z};
    double most = 0.0, widest = 0.0;
    for (int k = 0; k < 3; ++k) {
        if (!(lower[k] <= upper[k] && lower[k] >= -(double)FLT_MAX && upper[k] <= (double)FLT_MAX)) return false;
        most = fmax(most, fmax(fabs(lower[k]), fabs(upper[k])));
        widest = fmax(widest, upper[k] - lower[k]);
    }
    if (cells < 1) cells = 1;
    if (cells > 1u << 20) cells = 1u << 20;
    // A cell more than the box on either side; a unit that whole numbers of 24 bits reach that far with.
    const double wanted = widest > 0.0 ? widest / cells : fmax(most, 1.0) * 0x1p-20;
    int exponent;
    frexp(most + widest + 4.0 * wanted, &exponent);
    const double unit = ldexp(1.0, exponent - 24 > -149 ? exponent - 24 : -149);
    const double size = ceil(wanted / unit) * unit;
    if (size > 2.0 * wanted && widest > 0.0) return false;
    tact_voxel_grid g = {.size = (float)size};
    float* const origin = &g.origin.x;
    for (int k = 0; k < 3; ++k) {
        origin[k] = (float)(floor(lower[k] / unit) * unit);
        g.count[k] = (uint32_t)floor((upper[k] - (double)origin[k]) / size) + 1;
    }
    if (!tact_voxel_grid_is_valid(&g)) return false;
    *grid = g;
    return true;
}

tact_aabb tact_voxel_box(const tact_voxel_grid* grid, tact_voxel cell)
{
    const double size = (double)grid->size, x = (double)grid->origin.x, y = (double)grid->origin.y,
                 z = (double)grid->origin.z;
    return (tact_aabb){
        {(float)(x + cell.x * size), (float)(y + cell.y * size), (float)(z + cell.z * size)},
        {(float)(x + (cell.x + 1.0) * size), (float)(y + (cell.y + 1.0) * size), (float)(z + (cell.z + 1.0) * size)}};
}

/// The number of the cell along one axis; -1 where it is none.
static int64_t number_at(double origin, double size, uint32_t count, double x)
{
    if (!(x >= origin && x < origin + count * size)) return -1;
    int64_t i = (int64_t)((x - origin) / size);
    while (i > 0 && origin + (double)i * size > x)
        --i;
    while (i + 1 < (int64_t)count && origin + (double)(i + 1) * size <= x)
        ++i;
    return i;
}

bool tact_voxel_at(const tact_voxel_grid* grid, tact_vec3 point, tact_voxel* cell)
{
    return tact_voxel_grid_is_valid(grid) && tact_voxel_of_point(grid, point, cell);
}

bool tact_voxel_of_point(const tact_voxel_grid* grid, tact_vec3 point, tact_voxel* cell)
{
    const double size = (double)grid->size;
    const int64_t x = number_at((double)grid->origin.x, size, grid->count[0], (double)point.x);
    const int64_t y = number_at((double)grid->origin.y, size, grid->count[1], (double)point.y);
    const int64_t z = number_at((double)grid->origin.z, size, grid->count[2], (double)point.z);
    if (x < 0 || y < 0 || z < 0) return false;
    *cell = (tact_voxel){(uint32_t)x, (uint32_t)y, (uint32_t)z};
    return true;
}

// ---- The order of events ----

static double face_at(const tact_voxel_walk* w, int axis, int64_t i)
{
    return w->origin[axis] + (double)i * w->size;
}

static tact_voxel_event crossing(const tact_voxel_walk* w, int axis, double face)
{
    return (tact_voxel_event){axis, face, (face - w->o[axis]) * w->inverse[axis]};
}

/// The sign of t of the crossing minus `t`.
static int compare_with_t(const tact_voxel_walk* w, const tact_voxel_event* e, double t)
{
    if (isinf(t)) return t < 0.0 ? 1 : -1;
    if (fabs(e->t - t) > 0x1p-49 * (fabs(e->t) + fabs(t))) return e->t < t ? -1 : 1;
    const double s = w->d[e->axis] < 0.0 ? -1.0 : 1.0;
    const double term[3] = {s * e->face, -s * w->o[e->axis], -(t * fabs(w->d[e->axis]))};
    const double sign = exact_sign(term, 3);
    return (sign > 0.0) - (sign < 0.0);
}

/// The sign of the difference of the t of two crossings.
static int compare_crossings(const tact_voxel_walk* w, const tact_voxel_event* a, const tact_voxel_event* b)
{
    if (fabs(a->t - b->t) > 0x1p-49 * (fabs(a->t) + fabs(b->t))) return a->t < b->t ? -1 : 1;
    const double p = fabs(w->d[a->axis]), q = fabs(w->d[b->axis]);
    const double s = w->d[a->axis] < 0.0 ? -q : q, r = w->d[b->axis] < 0.0 ? p : -p;
    const double term[4] = {s * a->face, -(s * w->o[a->axis]), r * b->face, -(r * w->o[b->axis])};
    const double sign = exact_sign(term, 4);
    return (sign > 0.0) - (sign < 0.0);
}

/// Whether a ray that crosses this face is behind it just after its point there, and not yet at it: going down.
static bool is_late(const tact_voxel_walk* w, const tact_voxel_event* e)
{
    return e->axis >= 0 && w->d[e->axis] < 0.0;
}

/// Less than 0: `a` comes before `b`. At the same t tmin is as early as crossings upwards, which are at their point.
static int compare(const tact_voxel_walk* w, const tact_voxel_event* a, const tact_voxel_event* b)
{
    int sign = 0;
    if (a->axis >= 0 && b->axis >= 0) {
        sign = compare_crossings(w, a, b);
    } else if (a->axis >= 0) {
        sign = compare_with_t(w, a, w->tmin);
    } else if (b->axis >= 0) {
        sign = -compare_with_t(w, b, w->tmin);
    }
    return sign != 0 ? sign : is_late(w, a) - is_late(w, b);
}

/// The cell along an axis that the ray is in once an event has happened, from `low` to `high`: -1 and the count stand
/// for what is beyond the grid.
static int64_t cell_after(const tact_voxel_walk* w, int axis, const tact_voxel_event* e, int64_t low, int64_t high)
{
    const double d = w->d[axis];
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        // Whether the ray is at or above the lower face of cell `middle`.
        bool above = w->o[axis] >= face_at(w, axis, middle);
        if (d != 0.0) {
            const tact_voxel_event c = crossing(w, axis, face_at(w, axis, middle));
            const bool crossed = compare(w, &c, e) <= 0;
            above = d > 0.0 ? crossed : !crossed;
        }
        if (above) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

static void set_next(tact_voxel_walk* w, int axis)
{
    if (w->d[axis] == 0.0) {
        w->next[axis] = (tact_voxel_event){axis, 0.0, HUGE_VAL};
        return;
    }
    w->next[axis] = crossing(w, axis, face_at(w, axis, w->cell[axis] + (w->d[axis] > 0.0)));
}

/// Whether an event is still on the ray.
static bool is_in_time(const tact_voxel_walk* w, const tact_voxel_event* e)
{
    if (e->axis < 0) return true;
    const int sign = compare_with_t(w, e, w->tmax);
    return is_late(w, e) ? sign < 0 : sign <= 0;
}

// ---- Walking ----

bool tact_voxel_walk_begin(tact_voxel_walk* w, const tact_voxel_grid* grid, const tact_ray* ray)
{
    if (!d_ray_valid(ray) || !tact_voxel_grid_is_valid(grid)) return false;
    *w = (tact_voxel_walk){.grid = grid,
                           .o = {(double)ray->ox, (double)ray->oy, (double)ray->oz},
                           .d = {(double)ray->dx, (double)ray->dy, (double)ray->dz},
                           .origin = {(double)grid->origin.x, (double)grid->origin.y, (double)grid->origin.z},
                           .size = (double)grid->size,
                           .tmin = (double)ray->tmin,
                           .tmax = (double)ray->tmax,
                           .entered = {.axis = -1, .t = (double)ray->tmin}};
    for (int k = 0; k < 3; ++k)
        w->inverse[k] = w->d[k] != 0.0 ? 1.0 / w->d[k] : 0.0;
    // It is in the grid once it is on each axis, unless it has left on another one by then.
    const tact_voxel_event start = w->entered;
    for (int k = 0; k < 3; ++k) {
        const int64_t count = (int64_t)grid->count[k];
        if (w->d[k] == 0.0) continue;
        const tact_voxel_event in = crossing(w, k, face_at(w, k, w->d[k] > 0.0 ? 0 : count));
        if (compare(w, &in, &start) > 0 && compare(w, &in, &w->entered) > 0) w->entered = in;
    }
    if (!is_in_time(w, &w->entered)) return false;
    for (int k = 0; k < 3; ++k) {
        const int64_t count = (int64_t)grid->count[k];
        w->cell[k] = cell_after(w, k, &w->entered, -1, count);
        if (w->cell[k] < 0 || w->cell[k] >= count) return false;
        set_next(w, k);
    }
    return true;
}

/// Goes past the next face along each axis that is crossed as soon as any: several where the ray goes through an edge
/// or a corner.
bool tact_voxel_walk_step(tact_voxel_walk* w)
{
    int order[3], first = -1;
    for (int k = 0; k < 3; ++k) {
        order[k] = 1;
        if (w->d[k] == 0.0) continue;
        order[k] = first < 0 ? -1 : compare(w, &w->next[k], &w->next[first]);
        if (order[k] >= 0) continue;
        first = k;
        for (int i = 0; i < k; ++i)
            order[i] = 1;
        order[k] = 0;
    }
    if (first < 0 || !is_in_time(w, &w->next[first])) return false;
    w->entered = w->next[first];
    for (int k = 0; k < 3; ++k) {
        if (order[k] != 0) continue;
        w->cell[k] += w->d[k] > 0.0 ? 1 : -1;
        if (w->cell[k] < 0 || w->cell[k] >= (int64_t)w->grid->count[k]) return false;
        set_next(w, k);
    }
    return true;
}

bool tact_voxel_walk_leap(tact_voxel_walk* w, int64_t side)
{
    tact_voxel_event out[3];
    int64_t low[3];
    int first = -1;
    for (int k = 0; k < 3; ++k) {
        low[k] = w->cell[k] & -side;
        if (w->d[k] == 0.0) continue;
        out[k] = crossing(w, k, face_at(w, k, low[k] + (w->d[k] > 0.0 ? side : 0)));
        if (first < 0 || compare(w, &out[k], &out[first]) < 0) first = k;
    }
    if (first < 0 || !is_in_time(w, &out[first])) return false;
    w->entered = out[first];
    for (int k = 0; k < 3; ++k) {
        if (w->d[k] == 0.0) continue;
        const bool up = w->d[k] > 0.0;
        w->cell[k] = cell_after(w, k, &w->entered, up ? w->cell[k] : low[k] - 1, up ? low[k] + side : w->cell[k]);
        if (w->cell[k] < 0 || w->cell[k] >= (int64_t)w->grid->count[k]) return false;
        set_next(w, k);
    }
    return true;
}

float tact_voxel_walk_t(const tact_voxel_walk* w)
{
    const double t = w->entered.axis < 0 || w->entered.t < w->tmin ? w->tmin : w->entered.t;
    return d_round_t(t < w->tmax ? t : w->tmax);
}

bool tact_voxel_each_on_ray(const tact_voxel_grid* grid, const tact_ray* ray, tact_voxel_fn* passed, void* user)
{
    tact_voxel_walk walk;
    bool more = tact_voxel_walk_begin(&walk, grid, ray);
    for (; more; more = tact_voxel_walk_step(&walk))
        if (!passed(tact_voxel_walk_cell(&walk), tact_voxel_walk_t(&walk), user)) return false;
    return true;
}

size_t tact_voxel_cells_on_ray(const tact_voxel_grid* grid, const tact_ray* ray, tact_voxel* cells, size_t capacity)
{
    tact_voxel_walk walk;
    size_t count = 0;
    bool more = tact_voxel_walk_begin(&walk, grid, ray);
    for (; more; more = tact_voxel_walk_step(&walk), ++count)
        if (count < capacity) cells[count] = tact_voxel_walk_cell(&walk);
    return count;
}
