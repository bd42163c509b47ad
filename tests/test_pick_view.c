// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Views of all conventions: lines of sight, windows and parts, planes, the way to the pixels and back, and triangles
/// under a pixel. Everything is compared with matrices applied in double precision here.

#include <float.h>
#include <math.h>
#include <string.h>

#include "support/caller.h"
#include "support/random.h"
#include "tact/cull.h"
#include "tact/pick.h"

typedef enum lens_kind {
    PERSPECTIVE,
    INFINITE_FAR,
    TWEAKED_FAR,  // a little beyond infinity, as shadow volumes are drawn
    ORTHOGRAPHIC,
    KINDS
} lens_kind;

typedef struct convention {
    lens_kind kind;
    tact_clip_depth depth;
    tact_matrix_order order;
    bool reversed, mirrored;
} convention;

enum { CONVENTIONS = KINDS * 16 };

static convention convention_of(int k)
{
    return (convention){(lens_kind)(k / 16), k & 1 ? TACT_CLIP_ZERO_TO_ONE : TACT_CLIP_MINUS_ONE_TO_ONE,
                        k & 2 ? TACT_MATRIX_BY_COLUMNS : TACT_MATRIX_BY_ROWS, (k & 4) != 0, (k & 8) != 0};
}

/// Rows z and w as functions of the distance ahead: z = a distance + b.
static void depth_row(const convention* c, double near, double far, double* a, double* b)
{
    const double least = c->depth == TACT_CLIP_ZERO_TO_ONE ? 0.0 : -1.0;
    const double first = c->reversed ? 1.0 : least, last = c->reversed ? least : 1.0;
    if (c->kind == ORTHOGRAPHIC) {
        *a = (last - first) / (far - near);
        *b = first - *a * near;
        return;
    }
    // z / distance is first at near and last at far.
    *a = last;
    *b = (first - last) * near;
    if (c->kind == TWEAKED_FAR) *a = last + (first - last) * 2.4e-7;
    if (c->kind != PERSPECTIVE) return;
    *b = (first - last) / (1.0 / near - 1.0 / far);
    *a = first - *b / near;
}

/// A camera at `eye` that looks along a random axis; a frame of unit vectors right, up, ahead.
static void make_view(test_random* r, const convention* c, double near, double far, double spread, tact_pick_view* view)
{
    double frame[3][3], eye[3], a, b, row[4][4];
    for (int k = 0; k < 3; ++k)
        eye[k] = random_between(r, -spread, spread);
    random_frame(r, frame);
    depth_row(c, near, far, &a, &b);
    const double scale = c->kind == ORTHOGRAPHIC ? 1.0 / (0.5 * far) : 1.3;
    for (int k = 0; k < 4; ++k) {
        double along[3];
        for (int i = 0; i < 3; ++i) {
            along[i] = k < 3 ? frame[i][k] : -(frame[i][0] * eye[0] + frame[i][1] * eye[1] + frame[i][2] * eye[2]);
        }
        row[0][k] = (c->mirrored ? -scale : scale) * along[0];
        row[1][k] = 1.2 * scale * along[1];
        row[2][k] = a * along[2] + (k == 3 ? b : 0.0);
        row[3][k] = c->kind == ORTHOGRAPHIC ? (k == 3) : along[2];
    }
    *view = (tact_pick_view){.order = c->order, .depth = c->depth, .reversed = c->reversed, .width = 640, .height = 480};
    view->left = (int32_t)random_between(r, -2000, 2000);
    view->top = (int32_t)random_between(r, -2000, 2000);
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j)
            view->world_to_clip[c->order == TACT_MATRIX_BY_COLUMNS ? i + 4 * j : 4 * i + j] = (float)row[i][j];
    }
}
