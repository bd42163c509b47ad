// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/image/image.h"

#include <float.h>
#include <math.h>

// Half of a float's step at 1, in which rounding is counted.
#define ULP (0.5 * (double)FLT_EPSILON)

typedef struct posed {
    const tact_image_bounds* bounds;
    double m[3][4];
    double middle[3], half[3];  // of the box, in the object's frame
    double most[3];             // greatest coordinates in magnitude
    double stretch_most, stretch_least;
} posed;

typedef struct span {
    double low, high;
} span;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// The greatest and the least factor by which the matrix changes lengths, or bounds of them: of its product with its own
// transpose the eigenvalues are within Gershgorin's circles, which are points when the columns are orthogonal.
static void find_stretch(posed* p)
{
    double most = 0, least = DBL_MAX;
    double g[3][3];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            g[i][j] = p->m[0][i] * p->m[0][j] + p->m[1][i] * p->m[1][j] + p->m[2][i] * p->m[2][j];
    for (int i = 0; i < 3; ++i) {
        const double off = fabs(g[i][(i + 1) % 3]) + fabs(g[i][(i + 2) % 3]);
        most = fmax(most, g[i][i] + off);
        least = fmin(least, g[i][i] - off);
    }
    p->stretch_most = sqrt(most);
    p->stretch_least = sqrt(fmax(least, 0.0));
    if (least > 0.0 || most <= 0.0) return;
    // The determinant is the product of all three factors.
    const double(*m)[4] = (const double(*)[4])p->m;
    const double determinant = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                               m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                               m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    p->stretch_least = 0.999 * fabs(determinant) / most;
}

static void place(const tact_image_bounds* bounds, const float* pose, posed* p)
{
    p->bounds = bounds;
    for (int i = 0; i < 3; ++i) {
        const double low = (double)bounds->lower[i], high = (double)bounds->upper[i];
        p->middle[i] = 0.5 * (low + high);
        p->half[i] = 0.5 * (high - low);
        p->most[i] = fmax(fabs(low), fabs(high));
        for (int j = 0; j < 4; ++j)
            p->m[i][j] = pose ? (double)pose[4 * i + j] : (double)(i == j);
    }
    find_stretch(p);
}

// What the object's box reaches along a direction.
static span reach_along(const posed* p, const double axis[3])
{
    double middle = 0, half = 0, size = 0;
    for (int j = 0; j < 4; ++j) {
        const double along = axis[0] * p->m[0][j] + axis[1] * p->m[1][j] + axis[2] * p->m[2][j];
        middle += j < 3 ? along * p->middle[j] : along;
        half += j < 3 ? fabs(along) * p->half[j] : 0.0;
        size += j < 3 ? fabs(along) * p->most[j] : fabs(along);
    }
    half += 1e-14 * size;
    return (span){middle - half, middle + half};
}

// The object's own axes, made orthonormal.
static bool own_frame(const posed* p, double axes[3][3])
{
    for (int k = 0; k < 3; ++k) {
        double before = 0;
        for (int i = 0; i < 3; ++i)
            axes[k][i] = p->m[i][k];
        before = sqrt(dot(axes[k], axes[k]));
        for (int l = 0; l < k; ++l) {
            const double along = dot(axes[k], axes[l]);
            for (int i = 0; i < 3; ++i)
                axes[k][i] -= along * axes[l][i];
        }
        const double length = sqrt(dot(axes[k], axes[k]));
        if (!(length > 1e-3 * before) || !(length > 1e-30)) return false;
        for (int i = 0; i < 3; ++i)
            axes[k][i] /= length;
    }
    return true;
}

typedef struct frame {
    double axes[3][3];
    double low[3], high[3];  // of what is in both boxes
    double volume;
    double escape;  // B comes free of A's box by this translation along one of the axes
} frame;

// False: the boxes are apart. A side of what is in both is at least `thinnest` of what the objects extend to.
static bool measure(const posed bodies[2], double thinnest, frame* f)
{
    f->volume = 1.0;
    f->escape = DBL_MAX;
    double extent = 0;
    for (int k = 0; k < 3; ++k) {
        const span a = reach_along(&bodies[0], f->axes[k]), b = reach_along(&bodies[1], f->axes[k]);
        f->low[k] = fmax(a.low, b.low);
        f->high[k] = fmin(a.high, b.high);
        if (f->low[k] > f->high[k]) return false;
        f->escape = fmin(f->escape, fmin(a.high - b.low, b.high - a.low));
        extent = fmax(extent, fmax(a.high - a.low, b.high - b.low));
    }
    // A view must not be so thin that single floats cannot tell its sides apart.
    const double least = fmax(extent * thinnest, 1e-30);
    for (int k = 0; k < 3; ++k) {
        const double more = 0.5 * fmax(least - (f->high[k] - f->low[k]), 0.0);
        f->low[k] -= more;
        f->high[k] += more;
        f->volume *= (f->high[k] - f->low[k]) / fmax(extent, 1e-30);
    }
    return true;
}

// The rows that take the objects' vertices to `cells` along the view's axes: pixels from the middle, depth from the
// near side.
static void project(const posed bodies[2], const frame* f, const int order[3], const double cells[3],
                    tact_image_fit* fit)
{
    for (int r = 0; r < 3; ++r) {
        const int k = order[r];
        const double cell = (f->high[k] - f->low[k]) / cells[r];
        const double from = r < 2 ? 0.5 * (f->low[k] + f->high[k]) : f->low[k];
        for (int i = 0; i < 2; ++i) {
            for (int j = 0; j < 4; ++j) {
                double along = 0;
                for (int l = 0; l < 3; ++l)
                    along += f->axes[k][l] * bodies[i].m[l][j];
                fit->rows[i][r][j] = (j < 3 ? along : along - from) / cell;
            }
        }
    }
}

float tact_image_in_single(double x)
{
    return (float)fmax(fmin(x, 1e38), -1e38);
}

// Two objects whose common points hold a ball as wide as a pixel's diagonal are never missed. Shrunk towards a point
// inside by the factor 1 - ball / inner radius, an object keeps that far from its surface, and no point of it has moved
// by more than outer radius times ball / inner radius. So if they are deeper in each other than both these ways
// together, the shrunk objects have a point in common, and the objects the ball around it.
static double missed_depth(const posed bodies[2], double ball)
{
    double depth = 0;
    for (int i = 0; i < 2; ++i) {
        const posed* p = &bodies[i];
        const double outer = (double)p->bounds->outer_radius * p->stretch_most * 1.0001;
        const double inner = (double)p->bounds->inner_radius * p->stretch_least * 0.999 - 1e-6 * outer;
        if (!(inner > ball)) return DBL_MAX;
        depth += ball * outer / inner;
    }
    return depth;
}

// The order in which a frame's axes are the view's: it looks along the shortest side; of equal ones the last.
static void order_axes(const frame* f, int order[3])
{
    order[2] = 0;
    for (int k = 1; k < 3; ++k) {
        if (f->high[k] - f->low[k] <= f->high[order[2]] - f->low[order[2]]) order[2] = k;
    }
    order[0] = (order[2] + 1) % 3;
    order[1] = (order[2] + 2) % 3;
}

static void set_view(const frame* f, const int order[3], tact_image_fit* fit)
{
    double centre[3] = {0, 0, 0};
    for (int r = 0; r < 3; ++r) {
        const int k = order[r];
        fit->view.half_extent[r] = (float)(0.5 * (f->high[k] - f->low[k]));
        for (int i = 0; i < 3; ++i) {
            fit->view.axes[r][i] = (float)f->axes[k][i];
            centre[i] += 0.5 * (f->low[k] + f->high[k]) * f->axes[k][i];
        }
    }
    for (int i = 0; i < 3; ++i)
        fit->view.centre[i] = (float)centre[i];
    fit->near_depth = f->low[order[2]];
}

// Of the frames of the world, of A and of B the one in which the boxes have the least in common. False: in one of them
// they have nothing.
static bool choose_frame(const posed bodies[2], double thinnest, frame* best, double* escape)
{
    best->volume = DBL_MAX;
    *escape = DBL_MAX;
    for (int i = 0; i < 3; ++i) {
        frame f = {.axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        if (i > 0 && !own_frame(&bodies[i - 1], f.axes)) continue;
        if (!measure(bodies, thinnest, &f)) return false;
        *escape = fmin(*escape, f.escape);
        if (i == 0 || f.volume < best->volume) *best = f;
    }
    return true;
}

// The grid

enum { BITS_MOST = 8, FARTHEST_BITS = 28 };

// How far a vertex may be moved along an axis by single precision, in the world's units: of its sum each term is
// rounded four times at most, its factor once, and once more when it is put on the grid.
static double rounding_along(const posed* p, const double axis[3], double from)
{
    double sum = 0;
    for (int j = 0; j < 4; ++j) {
        const double along = axis[0] * p->m[0][j] + axis[1] * p->m[1][j] + axis[2] * p->m[2][j];
        sum += j < 3 ? fabs(along) * p->most[j] : fabs(along - from);
    }
    return 8.0 * ULP * sum;
}

// Makes the view wider, so that vertices that are in both boxes stay within it when they are moved.
static void widen(const posed bodies[2], const uint32_t cells[3], const int order[3], frame* f)
{
    for (int r = 0; r < 3; ++r) {
        const int k = order[r];
        const double middle = 0.5 * (f->low[k] + f->high[k]), half = f->high[k] - middle;
        double more = 0;
        for (int i = 0; i < 2; ++i)
            more += 2.0 * (rounding_along(&bodies[i], f->axes[k], middle) + 16.0 * ULP * half);
        more += (half + more) / ((double)cells[r] - 1.0);
        f->low[k] -= more;
        f->high[k] += more;
    }
}

static double larger_end(span s, double from)
{
    return fmax(fabs(s.low - from), fabs(s.high - from));
}

// Where the view is so small that vertices are beyond 2^20 pixels the grid is a coarser one.
static uint32_t grid_bits(const posed bodies[2], const frame* f, const int order[3], double resolution)
{
    double reach = 0;
    for (int i = 0; i < 2; ++i) {
        for (int r = 0; r < 2; ++r) {
            const int k = order[r];
            const double middle = 0.5 * (f->low[k] + f->high[k]);
            const double pixel = (f->high[k] - f->low[k]) / resolution;
            reach = fmax(reach, larger_end(reach_along(&bodies[i], f->axes[k]), middle) / pixel);
        }
    }
    uint32_t bits = BITS_MOST;
    while (bits > 1 && ldexp(reach, (int)bits) > ldexp(1.0, FARTHEST_BITS))
        --bits;
    return bits;
}

// How far the drawn object's points are from the object's.
static double moved_by(const posed* p, const frame* f, const int order[3], const double cell[3], uint32_t bits)
{
    double sum = 0;
    for (int r = 0; r < 3; ++r) {
        const int k = order[r];
        const double from = r < 2 ? 0.5 * (f->low[k] + f->high[k]) : f->low[k];
        double way = rounding_along(p, f->axes[k], from);
        if (r < 2) way += 0.5 * ldexp(cell[r], -(int)bits);
        sum += way * way;
    }
    return sqrt(sum);
}

// How far, at most, what is drawn is from the object: what vertices are moved by, and by how much depths at pixels are
// off, 26 roundings of the farthest depth.
static double drawn_off(const posed* p, const frame* f, const int order[3], const double cell[3], uint32_t bits)
{
    const double reach = fmax(cell[2], larger_end(reach_along(p, f->axes[order[2]]), f->low[order[2]]));
    return moved_by(p, f, order, cell, bits) + 28.0 * ULP * reach;
}

tact_image_fit tact_image_fit_depths(const tact_image_bounds* a, const float* pose_a, const tact_image_bounds* b,
                                     const float* pose_b, uint32_t resolution)
{
    tact_image_fit fit = {.meets = false};
    posed bodies[2];
    place(a, pose_a, &bodies[0]);
    place(b, pose_b, &bodies[1]);
    frame f = {.volume = DBL_MAX};
    double escape;
    // So thin, at most, that single floats tell the view's sides apart, and a pixel is the last digit of the extent.
    if (!choose_frame(bodies, fmax(1e-6, ULP * (double)resolution), &f, &escape)) return fit;
    fit.meets = true;
    int order[3];
    order_axes(&f, order);
    fit.bits = grid_bits(bodies, &f, order, (double)resolution);
    const double sides[3] = {(double)resolution, (double)resolution, 1.0};
    double cell[3];
    for (int r = 0; r < 3; ++r)
        cell[r] = (f.high[order[r]] - f.low[order[r]]) / sides[r];
    project(bodies, &f, order, sides, &fit);
    set_view(&f, order, &fit);
    for (int i = 0; i < 2; ++i)
        fit.gap += drawn_off(&bodies[i], &f, order, cell, fit.bits) * 1.000001;
    // The nearest pixel's centre is half of a diagonal away.
    fit.depth = fmin(missed_depth(bodies, 0.5 * hypot(cell[0], cell[1]) + 2.0 * fit.gap), escape);
    return fit;
}

// Half of a cell's diagonal, what both objects are moved by, and how far off depths at pixels are: of solids by 26
// roundings of the farthest depth in cells, of edges by 14 and by the 32 that their cells are widened by.
static double cell_tolerance(const posed bodies[2], const frame* f, const int order[3], const double cell[3],
                             uint32_t bits)
{
    double reach = 1.0, moved = 0;
    for (int i = 0; i < 2; ++i) {
        reach = fmax(reach, 1.0 + larger_end(reach_along(&bodies[i], f->axes[order[2]]), f->low[order[2]]) / cell[2]);
        moved += moved_by(&bodies[i], f, order, cell, bits);
    }
    const double diagonal = sqrt(cell[0] * cell[0] + cell[1] * cell[1] + cell[2] * cell[2]);
    return (0.5 * diagonal + moved + 80.0 * ULP * reach * cell[2]) * 1.000001;
}

tact_image_fit tact_image_fit_cells(const tact_image_bounds* a, const float* pose_a, const tact_image_bounds* b,
                                    const float* pose_b, uint32_t resolution, uint32_t slots)
{
    tact_image_fit fit = {.meets = false};
    const uint32_t cells[3] = {resolution, resolution, slots};
    posed bodies[2];
    place(a, pose_a, &bodies[0]);
    place(b, pose_b, &bodies[1]);
    frame f = {.volume = DBL_MAX};
    double escape;
    // A pixel is never less than the last digit of the objects' extent.
    if (!choose_frame(bodies, ULP * (double)(resolution > slots ? resolution : slots), &f, &escape)) return fit;
    fit.meets = true;
    int order[3];
    order_axes(&f, order);
    widen(bodies, cells, order, &f);
    fit.bits = grid_bits(bodies, &f, order, (double)resolution);
    const double sides[3] = {(double)resolution, (double)resolution, (double)slots};
    project(bodies, &f, order, sides, &fit);
    double cell[3];
    for (int r = 0; r < 3; ++r)
        cell[r] = (f.high[order[r]] - f.low[order[r]]) / sides[r];
    set_view(&f, order, &fit);
    fit.gap = fit.depth = cell_tolerance(bodies, &f, order, cell, fit.bits);
    return fit;
}
