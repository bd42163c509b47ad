// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Views of all conventions: lines of sight, windows and parts, planes, the way to the pixels and back, and triangles
/// under a pixel. Everything is compared with matrices applied in double precision here.

#include "tests/support/run.h"

#include "tact/pick.h"
#include "tests/support/random.h"

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

static double random_between(test_random* r, double low, double high)
{
    return low + (high - low) * (double)test_random_unit(r);
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void unit(double a[3])
{
    const double length = sqrt(dot(a, a));
    for (int k = 0; k < 3; ++k)
        a[k] /= length;
}

/// Right, up and ahead.
static void random_frame(test_random* r, double frame[3][3])
{
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 3; ++k)
            frame[i + 1][k] = random_between(r, -1.0, 1.0);
    }
    unit(frame[2]);
    cross(frame[1], frame[2], frame[0]);
    unit(frame[0]);
    cross(frame[2], frame[0], frame[1]);
}

/// A camera somewhere that looks somewhere.
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
    *view =
        (tact_pick_view){.order = c->order, .depth = c->depth, .reversed = c->reversed, .width = 640, .height = 480};
    view->left = (int32_t)random_between(r, -2000, 2000);
    view->top = (int32_t)random_between(r, -2000, 2000);
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j)
            view->world_to_clip[c->order == TACT_MATRIX_BY_COLUMNS ? i + 4 * j : 4 * i + j] = (float)row[i][j];
    }
}

/// Where a point is, by the matrix in double precision: x and y in pixels of the whole view, depth from 0 to 1, w.
static void place_of(const tact_pick_view* view, const double p[3], double out[4])
{
    double clip[4];
    for (int i = 0; i < 4; ++i) {
        clip[i] = 0.0;
        for (int j = 0; j < 4; ++j) {
            const float m = view->world_to_clip[view->order == TACT_MATRIX_BY_COLUMNS ? i + 4 * j : 4 * i + j];
            clip[i] += (double)m * (j < 3 ? p[j] : 1.0);
        }
    }
    out[0] = view->left + (clip[0] / clip[3] + 1.0) * 0.5 * view->width;
    out[1] = view->top + (1.0 - clip[1] / clip[3]) * 0.5 * view->height;
    out[2] = view->depth == TACT_CLIP_ZERO_TO_ONE ? clip[2] / clip[3] : (clip[2] / clip[3] + 1.0) * 0.5;
    out[3] = clip[3];
}

static void random_place(test_random* r, const tact_pick_view* view, double* x, double* y)
{
    *x = view->left + random_between(r, 0.0, view->width);
    *y = view->top + random_between(r, 0.0, view->height);
}

/// Runs `check` on many views of all conventions.
static void with_views(uint64_t seed, double near, double far, double spread,
                       void (*check)(test_random* r, const convention* c, const tact_pick_view* view, double near,
                                     double far))
{
    test_random r = test_random_seeded(seed);
    for (int k = 0; k < CONVENTIONS; ++k) {
        const convention c = convention_of(k);
        for (int i = 0; i < 20; ++i) {
            tact_pick_view view;
            make_view(&r, &c, near, far, spread, &view);
            check(&r, &c, &view, near, far);
        }
    }
}

/// The place of a point that is so far from the origin cannot be better than floats: pixels that one unit in its last
/// place, and in the matrix's, makes.
static double blur(const double p[3], double ahead, double near, double far, lens_kind kind)
{
    const double size = fmax(fmax(fabs(p[0]), fabs(p[1])), fabs(p[2])) + 20.0;
    return 1e-3 + 640.0 * 3e-7 * size / (kind == ORTHOGRAPHIC ? far : fmax(ahead, near));
}

static void check_way_back(test_random* r, const convention* c, const tact_pick_view* view, double near, double far)
{
    for (int i = 0; i < 50; ++i) {
        double x, y, place[2], out[4];
        float position[3], depth = (float)random_between(r, 0.02, 0.98), again;
        random_place(r, view, &x, &y);
        assert_true(tact_pick_unproject(view, x, y, depth, position));
        const double p[3] = {(double)position[0], (double)position[1], (double)position[2]};
        assert_true(tact_pick_project(view, position, place, &again));
        place_of(view, p, out);
        assert_true(out[3] > 0.0);
        // The same as here, to rounding.
        assert_true(fabs(place[0] - out[0]) < 1e-6 && fabs(place[1] - out[1]) < 1e-6);
        assert_true(fabs((double)again - out[2]) <= 6e-8);
        const double soft = blur(p, out[3], near, far, c->kind);
        assert_true(fabs(place[0] - x) < soft && fabs(place[1] - y) < soft);
        const double slope = c->kind == ORTHOGRAPHIC ? 2.0 / far : 2.0 * near / (out[3] * out[3]);
        assert_true(fabs((double)again - (double)depth) < 1e-6 + slope * soft * out[3] / 100.0);
    }
}

TEST(test_unproject_and_project)
{
    with_views(1, 0.5, 100.0, 10.0, check_way_back);
    with_views(2, 0.1, 1000.0, 1.0, check_way_back);
}

static double ahead_of(const tact_pick_view* view, const double p[3], double kind_far)
{
    double out[4];
    place_of(view, p, out);
    return kind_far > 0.0 ? out[2] * kind_far : out[3];
}

/// The line starts on the near plane, keeps to its place, ends on the far plane, and t measures the distance from the
/// near plane alike in all pixels.
static void check_rays(test_random* r, const convention* c, const tact_pick_view* view, double near, double far)
{
    const bool endless = c->kind == INFINITE_FAR || c->kind == TWEAKED_FAR;
    for (int i = 0; i < 50; ++i) {
        double x, y, out[4];
        tact_ray ray;
        random_place(r, view, &x, &y);
        assert_true(tact_pick_ray(view, x, y, &ray));
        assert_true(ray.tmin == 0.0f);
        if (endless) {
            assert_true(isinf(ray.tmax));
        } else {
            assert_true(fabs((double)ray.tmax - 1.0) < 1e-3);
        }
        const double share = (double)test_random_unit(r), t = endless ? 30.0 * share : share;
        for (int end = 0; end < 2; ++end) {
            const double s = end ? t : 0.0;
            const double p[3] = {(double)ray.ox + s * (double)ray.dx, (double)ray.oy + s * (double)ray.dy,
                                 (double)ray.oz + s * (double)ray.dz};
            place_of(view, p, out);
            const double soft = blur(p, out[3], near, far, c->kind);
            assert_true(fabs(out[0] - x) < soft && fabs(out[1] - y) < soft);
            if (c->kind != ORTHOGRAPHIC) {
                // w is the distance ahead of the eye.
                const double expected = near + s * (endless ? 1.0 : far - near);
                assert_true(fabs(out[3] - expected) <
                            1e-5 * (expected + 20.0) + 2e-6 * far * s * far / near * !endless);
            } else {
                const double depth = c->reversed ? 1.0 - s : s;
                assert_true(fabs(out[2] - depth) < 1e-5);
            }
        }
    }
}

TEST(test_lines_of_sight)
{
    with_views(3, 0.5, 100.0, 10.0, check_rays);
    with_views(4, 0.1, 500.0, 1.0, check_rays);
}

/// Near 0.01 in a world of a million: t must rank what is far apart, whatever rounding makes of the far plane.
static void check_vast(test_random* r, const convention* c, const tact_pick_view* view, double near, double far)
{
    double step = 0.0;
    if (c->kind == ORTHOGRAPHIC) return;
    for (int i = 0; i < 50; ++i) {
        double x, y, out[4];
        tact_ray ray;
        random_place(r, view, &x, &y);
        assert_true(tact_pick_ray(view, x, y, &ray));
        const double p[3] = {(double)ray.dx, (double)ray.dy, (double)ray.dz}, zero[3] = {0, 0, 0};
        place_of(view, zero, out);
        const double w = out[3];
        place_of(view, p, out);
        const double ahead = out[3] - w;
        if (i == 0) step = ahead;
        assert_true(fabs(ahead - step) <= 3e-6 * fabs(step));
        if (isinf(ray.tmax)) {
            assert_true(fabs(ahead - 1.0) < 1e-4);
        } else {
            assert_true((double)ray.tmax > 0.5 && (double)ray.tmax < 2.0 && ahead > 0.4 * far && ahead < 3.0 * far);
        }
        const double q[3] = {(double)ray.ox, (double)ray.oy, (double)ray.oz};
        assert_true(fabs(ahead_of(view, q, 0.0) - near) < 1e-5);
    }
}

TEST(test_vast_worlds)
{
    with_views(5, 0.01, 1e6, 1.0, check_vast);
    with_views(6, 0.01, 3000.0, 1.0, check_vast);
    with_views(7, 0.01, 20000.0, 1.0, check_vast);
}

/// Rays of a part and of a window are those of the view, in a pixel's share of rounding.
static void check_parts(test_random* r, const convention* c, const tact_pick_view* view, double near, double far)
{
    for (int i = 0; i < 10; ++i) {
        tact_pick_view part, window;
        int32_t x0 = view->left + (int32_t)random_between(r, -30, 640),
                y0 = view->top + (int32_t)random_between(r, -30, 480);
        const int32_t box[4] = {x0, y0, x0 + 1 + (int32_t)test_random_below(r, 200),
                                y0 + 1 + (int32_t)test_random_below(r, 200)};
        assert_true(tact_pick_part(view, box, &part));
        assert_int_equal(part.width, box[2] - box[0]);
        assert_int_equal(part.height, box[3] - box[1]);
        assert_int_equal(part.left, x0);
        assert_int_equal(part.top, y0);
        assert_true(tact_pick_window(view, x0, y0, 3, &window));
        assert_int_equal(window.left, x0 - 1);
        assert_int_equal(window.top, y0 - 1);
        assert_int_equal(window.width, 3);
        assert_int_equal(window.height, 3);
        for (int k = 0; k < 6; ++k) {
            const tact_pick_view* views[2] = {&part, &window};
            const tact_pick_view* v = views[k & 1];
            tact_ray whole, same;
            double out[4], x, y;
            random_place(r, v, &x, &y);
            assert_true(tact_pick_ray(view, x, y, &whole) && tact_pick_ray(v, x, y, &same));
            const double p[3] = {(double)same.ox + 0.5 * (double)same.dx, (double)same.oy + 0.5 * (double)same.dy,
                                 (double)same.oz + 0.5 * (double)same.dz};
            place_of(view, p, out);
            const double soft = 2e-3 + blur(p, out[3], near, far, c->kind);
            assert_true(fabs(out[0] - x) < soft && fabs(out[1] - y) < soft);
            // What is seen of a point is the same place in both.
            place_of(v, p, out);
            assert_true(fabs(out[0] - x) < soft && fabs(out[1] - y) < soft);
            const double size = fabs((double)whole.dx) + fabs((double)whole.dy) + fabs((double)whole.dz);
            assert_true(fabs((double)whole.dx - (double)same.dx) < 2e-5 * size);
            assert_true(fabs((double)whole.dy - (double)same.dy) < 2e-5 * size);
            assert_true(fabs((double)whole.dz - (double)same.dz) < 2e-5 * size);
        }
    }
}

TEST(test_windows_and_parts)
{
    with_views(8, 0.5, 100.0, 10.0, check_parts);
}

/// What projects into the view is behind all planes, what does not is in front of one; but for rounding at them.
static void check_planes(test_random* r, const convention* c, const tact_pick_view* view, double near, double far)
{
    tact_plane planes[TACT_FRUSTUM_PLANES];
    const uint32_t count = tact_pick_planes(view, planes);
    const bool endless = c->kind == INFINITE_FAR || c->kind == TWEAKED_FAR;
    assert_int_equal(count, endless ? 5 : 6);
    for (int i = 0; i < 200; ++i) {
        double p[3], out[4], above = -HUGE_VAL;
        tact_ray ray;
        double x, y;
        random_place(r, view, &x, &y);
        assert_true(tact_pick_ray(view, x, y, &ray));
        const double s = random_between(r, -0.1, 1.1) * (endless ? far : 1.0);
        p[0] = (double)ray.ox + s * (double)ray.dx + random_between(r, -far, far) * 0.3;
        p[1] = (double)ray.oy + s * (double)ray.dy + random_between(r, -far, far) * 0.3;
        p[2] = (double)ray.oz + s * (double)ray.dz + random_between(r, -far, far) * 0.3;
        for (uint32_t k = 0; k < count; ++k) {
            const double n[3] = {(double)planes[k].normal.x, (double)planes[k].normal.y, (double)planes[k].normal.z};
            above = fmax(above, dot(n, p) - (double)planes[k].distance);
        }
        if (fabs(above) < 1e-3 * far) continue;
        place_of(view, p, out);
        const bool seen = out[3] > 0.0 && out[0] >= view->left && out[0] <= view->left + (double)view->width &&
                          out[1] >= view->top && out[1] <= view->top + (double)view->height && out[2] >= 0.0 &&
                          out[2] <= 1.0;
        assert_int_equal(seen, above < 0.0);
    }
}

TEST(test_planes)
{
    with_views(9, 0.5, 100.0, 10.0, check_planes);
}

static tact_pick_view plain_view(void)
{
    // At the origin, looking along -z, 90 degrees; near 1, far 101.
    tact_pick_view v = {.width = 100, .height = 100};
    const float m[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1.02f, -2.02f, 0, 0, -1, 0};
    memcpy(v.world_to_clip, m, sizeof m);
    return v;
}

TEST(test_known_ray)
{
    const tact_pick_view v = plain_view();
    tact_ray ray;
    assert_true(tact_pick_ray(&v, 50.0, 50.0, &ray));
    assert_true(fabsf(ray.ox) < 1e-6f && fabsf(ray.oy) < 1e-6f && fabsf(ray.oz + 1.0f) < 1e-6f);
    assert_true(fabsf(ray.dz + 100.0f) < 1e-3f && ray.tmax == 1.0f);
    // The top left pixel is up and to the left.
    assert_true(tact_pick_ray(&v, 0.0, 0.0, &ray));
    assert_true(fabsf(ray.ox + 1.0f) < 1e-6f && fabsf(ray.oy - 1.0f) < 1e-6f && ray.dx < -99.9f && ray.dy > 99.9f);
    // Outside of the view too.
    assert_true(tact_pick_ray(&v, -50.0, 50.0, &ray));
    assert_true(fabsf(ray.ox + 2.0f) < 1e-5f && fabsf(ray.oy) < 1e-6f);
}

static void refuses(const tact_pick_view* v)
{
    tact_ray ray = {1, 2, 3, 4, 5, 6, 7, 8};
    const tact_ray before = ray;
    const int32_t box[4] = {0, 0, 1, 1};
    const float p[3] = {0, 0, -5}, corners[9] = {-1, -1, -5, 1, -1, -5, 0, 1, -5};
    float depth = 9.0f, position[3] = {1, 2, 3};
    double place[2] = {1, 2};
    tact_pick_view out = {.width = 7};
    tact_pick pick = {.x = 50, .y = 50, .depth = 9.0f};
    assert_false(tact_pick_ray(v, 0.5, 0.5, &ray));
    assert_memory_equal(&ray, &before, sizeof ray);
    assert_false(tact_pick_part(v, box, &out));
    assert_false(tact_pick_window(v, 0, 0, 3, &out));
    assert_int_equal(out.width, 7);
    assert_false(tact_pick_project(v, p, place, &depth));
    assert_false(tact_pick_unproject(v, 0.5, 0.5, 0.5f, position));
    assert_false(tact_pick_refine(v, corners, &pick));
    assert_true(depth == 9.0f && place[0] == 1.0 && position[2] == 3.0f && pick.depth == 9.0f);
}

TEST(test_bad_views)
{
    tact_plane planes[TACT_FRUSTUM_PLANES];
    test_random r = test_random_seeded(11);
    for (int k = 0; k < 16; ++k) {
        tact_pick_view v = plain_view();
        v.world_to_clip[k] = k & 1 ? NAN : INFINITY;
        refuses(&v);
        const uint32_t count = tact_pick_planes(&v, planes);
        assert_int_equal(count, 1);
        assert_true(planes[0].distance < 0.0f);
    }
    for (int k = 0; k < 4; ++k) {
        // A row that is the sum of two others, or nothing.
        tact_pick_view v = plain_view();
        for (int j = 0; j < 16; ++j)
            v.world_to_clip[j] = (float)(int)test_random_below(&r, 64) - 32.0f;
        for (int j = 0; j < 4; ++j) {
            float* m = v.world_to_clip;
            m[4 * k + j] = m[4 * ((k + 1) % 4) + j] - m[4 * ((k + 2) % 4) + j];
        }
        refuses(&v);
        memset(v.world_to_clip + 4 * k, 0, 4 * sizeof(float));
        refuses(&v);
    }
    tact_pick_view v = plain_view();
    v.width = 0;
    refuses(&v);
    v = plain_view();
    v.height = 0;
    refuses(&v);
    // Reversed and infinite, but not said to be: the near plane is at infinity.
    v = plain_view();
    v.depth = TACT_CLIP_ZERO_TO_ONE;
    v.world_to_clip[10] = 0.0f;
    v.world_to_clip[11] = 1.0f;
    tact_ray ray;
    assert_false(tact_pick_ray(&v, 50, 50, &ray));
    v.reversed = true;
    assert_true(tact_pick_ray(&v, 50, 50, &ray));
    assert_true(isinf(ray.tmax) && fabsf(ray.oz + 1.0f) < 1e-6f && fabsf(ray.dz + 1.0f) < 1e-6f);
}

TEST(test_bad_places)
{
    const tact_pick_view v = plain_view();
    tact_pick_view out = v;
    tact_ray ray;
    float p[3] = {0, 0, 5}, depth;
    double place[2];
    assert_false(tact_pick_ray(&v, (double)NAN, 0.5, &ray));
    assert_false(tact_pick_ray(&v, 0.5, HUGE_VAL, &ray));
    assert_false(tact_pick_project(&v, p, place, &depth));  // behind the eye
    p[2] = 0.0f;
    assert_false(tact_pick_project(&v, p, place, &depth));  // at the eye
    p[2] = NAN;
    assert_false(tact_pick_project(&v, p, place, &depth));
    assert_false(tact_pick_unproject(&v, 1, 1, NAN, p));
    assert_false(tact_pick_window(&v, 1, 1, 0, &out));
    assert_false(tact_pick_window(&v, 1, 1, 4, &out));
    assert_false(tact_pick_window(&v, INT32_MIN, 1, 3, &out));
    assert_false(tact_pick_window(&v, 1, INT32_MAX, 3, &out));
    const int32_t empty[4] = {3, 3, 3, 5}, turned[4] = {3, 5, 7, 4};
    assert_false(tact_pick_part(&v, empty, &out));
    assert_false(tact_pick_part(&v, turned, &out));
    const int32_t vast[4] = {INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX};
    assert_true(tact_pick_part(&v, vast, &out));
    assert_int_equal(out.width, UINT32_MAX);
}

/// The distance from a point to a line of sight, squared.
static double off_line(const tact_ray* ray, const double p[3])
{
    const double o[3] = {(double)ray->ox, (double)ray->oy, (double)ray->oz};
    double d[3] = {(double)ray->dx, (double)ray->dy, (double)ray->dz}, q[3], c[3];
    unit(d);
    for (int k = 0; k < 3; ++k)
        q[k] = p[k] - o[k];
    cross(q, d, c);
    return dot(c, c);
}

/// Triangles in front of a view, most of them missed by the line of sight of a pixel: no point of a triangle is nearer
/// to it than the one that is told.
static void check_refine(test_random* r, const convention* c, const tact_pick_view* view, double near, double far)
{
    for (int i = 0; i < 10; ++i) {
        tact_pick pick = {.x = view->left + (int32_t)test_random_below(r, 640),
                          .y = view->top + (int32_t)test_random_below(r, 480)};
        tact_ray ray;
        float corners[9];
        assert_true(tact_pick_ray(view, pick.x + 0.5, pick.y + 0.5, &ray));
        const bool endless = isinf(ray.tmax);
        const float middle = endless ? 20.0f : 0.5f, size = (float)far * 0.1f;
        for (int k = 0; k < 9; ++k) {
            const float o[3] = {ray.ox, ray.oy, ray.oz}, d[3] = {ray.dx, ray.dy, ray.dz};
            corners[k] = o[k % 3] + middle * d[k % 3] + (float)random_between(r, -1, 1) * size;
        }
        if (!tact_pick_refine(view, corners, &pick)) continue;
        double p[3] = {0, 0, 0}, sum = 0.0, out[4];
        for (int k = 0; k < 3; ++k) {
            const double w = (double)pick.barycentric[k];
            assert_true(w >= 0.0);
            sum += w;
            for (int j = 0; j < 3; ++j)
                p[j] += w * (double)corners[3 * k + j];
        }
        assert_true(fabs(sum - 1.0) < 1e-6);
        for (int k = 0; k < 3; ++k)
            assert_true(fabs(p[k] - (double)pick.position[k]) < 1e-4 * far);
        place_of(view, p, out);
        if (out[2] > 0.01 && out[2] < 0.99) assert_true(fabs(out[2] - (double)pick.depth) < 1e-3);
        const double best = sqrt(off_line(&ray, p));
        for (int k = 0; k < 100; ++k) {
            double w[3] = {random_between(r, 0, 1), random_between(r, 0, 1), 0};
            if (w[0] + w[1] > 1.0) continue;
            w[2] = 1.0 - w[0] - w[1];
            double q[3] = {0, 0, 0};
            for (int j = 0; j < 9; ++j)
                q[j % 3] += w[j / 3] * (double)corners[j];
            assert_true(sqrt(off_line(&ray, q)) >= best - 1e-4 * far);
        }
        double u[3], v[3], n[3];
        for (int k = 0; k < 3; ++k) {
            u[k] = (double)corners[3 + k] - (double)corners[k];
            v[k] = (double)corners[6 + k] - (double)corners[k];
        }
        cross(u, v, n);
        unit(n);
        for (int k = 0; k < 3; ++k)
            assert_true(fabs(n[k] - (double)pick.normal[k]) < 1e-5);
    }
}

TEST(test_refine)
{
    with_views(10, 0.5, 100.0, 10.0, check_refine);
    const tact_pick_view v = plain_view();
    const float no_area[9] = {0, 0, -3, 1, 1, -3, 2, 2, -3};
    const float facing[9] = {-4, -4, -10, 4, -4, -10, 0, 8, -10};
    tact_pick pick = {.x = 3, .y = 4, .depth = 7.0f};
    const tact_pick before = pick;
    assert_false(tact_pick_refine(&v, no_area, &pick));
    assert_memory_equal(&pick, &before, sizeof pick);
    // A line of sight within the plane x = y: a triangle in it is seen edge-on.
    const float in_plane[9] = {-1, 1, -2, -2, 2, -3, -1, 1, -5};
    pick.x = pick.y = 20;
    assert_false(tact_pick_refine(&v, in_plane, &pick));
    pick.x = pick.y = 49;
    assert_true(tact_pick_refine(&v, facing, &pick));
    assert_true(fabsf(pick.position[0] + 0.1f) < 1e-5f && fabsf(pick.position[1] - 0.1f) < 1e-5f);
    assert_true(fabsf(pick.position[2] + 10.0f) < 1e-5f);
    assert_true(pick.normal[2] == 1.0f && pick.normal[0] == 0.0f);
    const float expected = (float)((1.02 * 10.0 - 2.02) / 10.0 * 0.5 + 0.5);
    assert_true(fabsf(pick.depth - expected) < 1e-6f);
    float broken[9];
    memcpy(broken, facing, sizeof broken);
    broken[4] = NAN;
    assert_false(tact_pick_refine(&v, broken, &pick));
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
