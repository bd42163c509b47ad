// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/verify/verify.h"

#include <math.h>

/// A triangle in pixels and depth from 0 to 1, about the pixel's centre.
typedef struct projected {
    bool whole;  ///< in front of the eye
    double at[3][2], depth[3];
} projected;

/// Where a triangle is at the pixel.
typedef struct placed {
    double outside;    ///< pixels from the centre to the triangle; 0 within
    double edge;       ///< to its outline
    double low, high;  ///< depths it may have at the centre
} placed;

tact_pick_slack tact_pick_slack_of(const tact_pick_view* view, const tact_bounds* bounds)
{
    double size = 0.0, offset = 0.0;
    for (int i = 0; i < 3; ++i) {
        size = fmax(size, bounds->upper[i] - bounds->lower[i]);
        offset = fmax(offset, fmax(fabs(bounds->lower[i]), fabs(bounds->upper[i])));
    }
    const double pixels = (double)(view->width > view->height ? view->width : view->height);
    // Some roundings of floats for each corner on its way, larger where all corners are far from the origin.
    const double coarse = size > 0.0 ? 1.0 + offset / size : 1.0;
    const double roundings = 16.0 * 0x1p-24 * (coarse < 1e6 ? coarse : 1e6);
    return (tact_pick_slack){.pixels = 1.0 / 128.0 + pixels * roundings, .depth = 0x1p-22 + roundings};
}

static double element(const tact_pick_view* view, int row, int column)
{
    const bool by_rows = view->order == TACT_MATRIX_BY_ROWS;
    return (double)view->world_to_clip[by_rows ? 4 * row + column : row + 4 * column];
}

static projected project(const tact_pick_view* view, const double corners[3][3], double x, double y)
{
    projected p = {.whole = true};
    for (int i = 0; i < 3; ++i) {
        double clip[4];
        for (int r = 0; r < 4; ++r) {
            clip[r] = element(view, r, 3);
            for (int k = 0; k < 3; ++k)
                clip[r] += element(view, r, k) * corners[i][k];
        }
        if (!(clip[3] > 0.0)) p.whole = false;
        p.at[i][0] = (clip[0] / clip[3] * 0.5 + 0.5) * (double)view->width + (double)view->left - x;
        p.at[i][1] = (0.5 - clip[1] / clip[3] * 0.5) * (double)view->height + (double)view->top - y;
        const double z = clip[2] / clip[3];
        p.depth[i] = view->depth == TACT_CLIP_ZERO_TO_ONE ? z : 0.5 * z + 0.5;
    }
    return p;
}

/// From the centre to an edge.
static double distance_to(const double a[2], const double b[2])
{
    const double d[2] = {b[0] - a[0], b[1] - a[1]};
    const double square = d[0] * d[0] + d[1] * d[1];
    double t = square > 0.0 ? -(a[0] * d[0] + a[1] * d[1]) / square : 0.0;
    t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
    const double x = a[0] + t * d[0], y = a[1] + t * d[1];
    return sqrt(x * x + y * y);
}

static double cross(const double a[2], const double b[2])
{
    return a[0] * b[1] - a[1] * b[0];
}

/// Its depth at the centre, moved by the slack in any direction, but within the depths that it has.
static void place_depth(const projected* p, tact_pick_slack slack, double area, placed* to)
{
    const double d1[2] = {p->at[1][0] - p->at[0][0], p->at[1][1] - p->at[0][1]};
    const double d2[2] = {p->at[2][0] - p->at[0][0], p->at[2][1] - p->at[0][1]};
    const double z1 = p->depth[1] - p->depth[0], z2 = p->depth[2] - p->depth[0];
    const double slope[2] = {(z1 * d2[1] - z2 * d1[1]) / area, (z2 * d1[0] - z1 * d2[0]) / area};
    const double depth = p->depth[0] - slope[0] * p->at[0][0] - slope[1] * p->at[0][1];
    const double give = slack.depth + slack.pixels * (fabs(slope[0]) + fabs(slope[1]));
    const double least = fmin(p->depth[0], fmin(p->depth[1], p->depth[2])) - slack.depth;
    const double most = fmax(p->depth[0], fmax(p->depth[1], p->depth[2])) + slack.depth;
    // Seen edge-on it may have any of them; a slope that is no number too.
    to->low = depth - give > least ? fmin(depth - give, most) : least;
    to->high = depth + give < most ? fmax(depth + give, least) : most;
}

static placed place(const projected* p, tact_pick_slack slack)
{
    placed to = {.edge = distance_to(p->at[0], p->at[1])};
    to.edge = fmin(to.edge, fmin(distance_to(p->at[1], p->at[2]), distance_to(p->at[2], p->at[0])));
    const double a = cross(p->at[0], p->at[1]), b = cross(p->at[1], p->at[2]), c = cross(p->at[2], p->at[0]);
    const bool inside = (a >= 0.0 && b >= 0.0 && c >= 0.0) || (a <= 0.0 && b <= 0.0 && c <= 0.0);
    to.outside = inside ? 0.0 : to.edge;
    place_depth(p, slack, a + b + c, &to);
    return to;
}

/// It may be there or not, as rounding will: its outline is near, or a plane that bounds the view.
static bool may_be_missed(const placed* p, tact_pick_slack slack)
{
    return p->edge <= slack.pixels || p->low <= slack.depth || p->high >= 1.0 - slack.depth;
}

bool tact_pick_explained(const tact_pick_view* view, tact_pick_slack slack, int32_t x, int32_t y,
                         const double ray[3][3], const double drawn[3][3])
{
    placed met = {0}, shown = {0};
    const double centre[2] = {(double)x + 0.5, (double)y + 0.5};
    if (ray) {
        const projected p = project(view, ray, centre[0], centre[1]);
        // What goes behind the eye is clipped, which this does not follow.
        if (!p.whole) return false;
        met = place(&p, slack);
    }
    if (drawn) {
        const projected p = project(view, drawn, centre[0], centre[1]);
        if (!p.whole) return false;
        shown = place(&p, slack);
        if (shown.outside > slack.pixels) return false;
    }
    if (!ray && !drawn) return false;
    if (!drawn) return may_be_missed(&met, slack);
    if (!ray) return may_be_missed(&shown, slack);
    // Which of both is nearer is not known where their depths overlap.
    const bool level = met.low <= shown.high && shown.low <= met.high;
    const bool shown_nearer = view->reversed ? shown.low > met.high : shown.high < met.low;
    if (level) return true;
    return shown_nearer ? may_be_missed(&shown, slack) : may_be_missed(&met, slack);
}

bool tact_pick_depth_explained(const tact_pick_view* view, tact_pick_slack slack, int32_t x, int32_t y,
                               const double corners[3][3], double depth)
{
    const projected p = project(view, corners, (double)x + 0.5, (double)y + 0.5);
    if (!p.whole) return false;
    const placed at = place(&p, slack);
    return depth >= at.low && depth <= at.high;
}
