// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// How much culling keeps that is apart from a frustum, as docs/culling.md quotes it: `print` measures a million volumes
// of each kind and size. And that what is culled has nothing of the frustum's inside.
#include "tests/support/run.h"

#include "tests/support/cull_scenes.h"

static tact_context* context;
static tact_culler* culler;
static bool print;

typedef struct half_space {
    double n[3], d;  ///< n . x <= d, n a unit
} half_space;

enum { MOST_SPACES = 6 + 2 * TACT_KDOP_AXES_MAX, MOST_CORNERS = 4 + MOST_SPACES };

typedef struct polygon {
    double corner[MOST_CORNERS][3];
    int count;
} polygon;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static half_space space_of(double x, double y, double z, double d)
{
    const double length = sqrt(x * x + y * y + z * z);
    const half_space h = {{x / length, y / length, z / length}, d / length};
    return h;
}

/// A square far larger than all else on the half space's plane.
static void make_square(const half_space* h, polygon* p)
{
    const int least = fabs(h->n[0]) < fabs(h->n[1]) ? (fabs(h->n[0]) < fabs(h->n[2]) ? 0 : 2)
                                                    : (fabs(h->n[1]) < fabs(h->n[2]) ? 1 : 2);
    double u[3] = {0, 0, 0}, v[3];
    u[least] = 1;
    const double along = dot(u, h->n);
    for (int k = 0; k < 3; ++k)
        u[k] -= along * h->n[k];
    const double length = sqrt(dot(u, u));
    for (int k = 0; k < 3; ++k)
        u[k] *= 100 / length;
    for (int k = 0; k < 3; ++k)
        v[k] = h->n[(k + 1) % 3] * u[(k + 2) % 3] - h->n[(k + 2) % 3] * u[(k + 1) % 3];
    for (int c = 0; c < 4; ++c) {
        for (int k = 0; k < 3; ++k)
            p->corner[c][k] = h->d * h->n[k] + (c == 0 || c == 3 ? 1 : -1) * u[k] + (c < 2 ? 1 : -1) * v[k];
    }
    p->count = 4;
}

/// Sutherland and Hodgman's clipping. What is up to `slack` beyond stays.
static void clip(polygon* p, const half_space* h, double slack)
{
    polygon in = *p;
    p->count = 0;
    for (int i = 0; i < in.count; ++i) {
        const double *a = in.corner[i], *b = in.corner[(i + 1) % in.count];
        const double over = dot(h->n, a) - h->d - slack, next = dot(h->n, b) - h->d - slack;
        if (over <= 0) memcpy(p->corner[p->count++], a, sizeof in.corner[0]);
        if ((over > 0) == (next > 0)) continue;
        const double t = over / (over - next);
        for (int k = 0; k < 3; ++k)
            p->corner[p->count][k] = a[k] + t * (b[k] - a[k]);
        ++p->count;
    }
}

/// Whether the half spaces, each moved outward by `slack`, have a point in common: then one of their planes has one.
static bool have_a_point(const half_space* h, int count, double slack)
{
    for (int i = 0; i < count; ++i) {
        half_space moved = h[i];
        moved.d += slack;
        polygon p;
        make_square(&moved, &p);
        for (int k = 0; k < count && p.count > 0; ++k) {
            if (k != i) clip(&p, &h[k], slack);
        }
        if (p.count > 0) return true;
    }
    return false;
}

/// The planes of a volume that is not a sphere.
static int spaces_of(tact_cull_kind kind, const void* volumes, size_t i, half_space* h)
{
    int n = 0;
    if (kind == TACT_CULL_AABBS) {
        const tact_aabb* b = (const tact_aabb*)volumes + i;
        for (int k = 0; k < 3; ++k) {
            const double x = k == 0, y = k == 1, z = k == 2;
            h[n++] = space_of(x, y, z, (double)(&b->upper.x)[k]);
            h[n++] = space_of(-x, -y, -z, -(double)(&b->lower.x)[k]);
        }
    } else if (kind == TACT_CULL_OBBS) {
        const tact_obb* b = (const tact_obb*)volumes + i;
        const double c[3] = {(double)b->center.x, (double)b->center.y, (double)b->center.z};
        for (int k = 0; k < 3; ++k) {
            const double a[3] = {(double)b->axis[k].x, (double)b->axis[k].y, (double)b->axis[k].z};
            const double at = dot(a, c), half = (double)(&b->half.x)[k];
            h[n++] = space_of(a[0], a[1], a[2], at + half);
            h[n++] = space_of(-a[0], -a[1], -a[2], half - at);
        }
    } else {
        const tact_kdop* b = (const tact_kdop*)volumes + i;
        const tact_vec3* axes = tact_kdop_axes(b->k);
        for (uint32_t k = 0; k < b->k / 2; ++k) {
            const double a[3] = {(double)axes[k].x, (double)axes[k].y, (double)axes[k].z};
            h[n++] = space_of(a[0], a[1], a[2], (double)b->upper[k]);
            h[n++] = space_of(-a[0], -a[1], -a[2], -(double)b->lower[k]);
        }
    }
    return n;
}

/// The frustum's planes in double precision, and its faces.
typedef struct region {
    tact_plane planes[6];
    half_space spaces[6];
    polygon faces[6];
} region;

static double distance_to_segment(const double x[3], const double a[3], const double b[3])
{
    double e[3], d[3];
    for (int k = 0; k < 3; ++k) {
        e[k] = b[k] - a[k];
        d[k] = x[k] - a[k];
    }
    const double length = dot(e, e);
    double t = length > 0 ? dot(d, e) / length : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    for (int k = 0; k < 3; ++k)
        d[k] -= t * e[k];
    return sqrt(dot(d, d));
}

/// Of a point from the region.
static double distance_to(const region* r, const double x[3])
{
    double least = HUGE_VAL, deepest = -HUGE_VAL;
    for (int f = 0; f < 6; ++f) {
        const double over = dot(r->spaces[f].n, x) - r->spaces[f].d;
        deepest = over > deepest ? over : deepest;
        // The foot on the plane is in the face when it is behind the others.
        bool within = true;
        for (int k = 0; k < 6; ++k) {
            const double at = dot(r->spaces[k].n, x) - over * dot(r->spaces[k].n, r->spaces[f].n) - r->spaces[k].d;
            if (k != f && at > 0) within = false;
        }
        if (within && over >= 0 && over < least) least = over;
        const polygon* p = &r->faces[f];
        for (int i = 0; i < p->count; ++i) {
            const double d = distance_to_segment(x, p->corner[i], p->corner[(i + 1) % p->count]);
            least = d < least ? d : least;
        }
    }
    return deepest <= 0 ? 0 : least;
}

/// Whether a volume, made larger by `slack`, has a point in the region made larger likewise.
static bool meets(const region* r, tact_cull_kind kind, const void* volumes, size_t i, double slack)
{
    if (kind == TACT_CULL_SPHERES) {
        const tact_sphere* s = (const tact_sphere*)volumes + i;
        const double c[3] = {(double)s->center.x, (double)s->center.y, (double)s->center.z};
        return distance_to(r, c) <= (double)s->radius + slack;
    }
    half_space h[MOST_SPACES];
    memcpy(h, r->spaces, sizeof r->spaces);
    return have_a_point(h, 6 + spaces_of(kind, volumes, i, h + 6), slack);
}

/// From the origin along -z, 60 degrees high, 16:9, from a thousandth to 1 deep; or turned.
static region make_region(bool turned)
{
    const double high = tan(3.14159265358979323846 / 6), wide = high * 16 / 9;
    const double planes[6][4] = {{1, 0, wide, 0},  {-1, 0, wide, 0}, {0, 1, high, 0},
                                 {0, -1, high, 0}, {0, 0, 1, -1e-3}, {0, 0, -1, 1}};
    cull_random r = test_random_seeded(77);
    tact_obb frame = cull_random_obb(&r, (tact_vec3){0, 0, 0}, 1);
    if (!turned) frame = (tact_obb){.axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    region g;
    memset(&g, 0, sizeof g);
    for (int i = 0; i < 6; ++i) {
        const tact_vec3 *a = frame.axis, *n = &g.planes[i].normal;
        const double x = planes[i][0], y = planes[i][1], z = planes[i][2];
        g.planes[i].normal.x = (float)(x * (double)a[0].x + y * (double)a[1].x + z * (double)a[2].x);
        g.planes[i].normal.y = (float)(x * (double)a[0].y + y * (double)a[1].y + z * (double)a[2].y);
        g.planes[i].normal.z = (float)(x * (double)a[0].z + y * (double)a[1].z + z * (double)a[2].z);
        g.planes[i].distance = (float)planes[i][3];
        g.spaces[i] = space_of((double)n->x, (double)n->y, (double)n->z, (double)g.planes[i].distance);
    }
    for (int i = 0; i < 6; ++i) {
        make_square(&g.spaces[i], &g.faces[i]);
        for (int k = 0; k < 6; ++k) {
            if (k != i) clip(&g.faces[i], &g.spaces[k], 0);
        }
        assert_true(g.faces[i].count >= 3);
    }
    return g;
}

/// Centred evenly in a cube 4 wide about the frustum's apex, no edge (and no sphere) wider than `size`.
static void* make_volumes(tact_cull_kind kind, size_t count, float size)
{
    static const size_t bytes[] = {sizeof(tact_aabb), sizeof(tact_sphere), sizeof(tact_obb), sizeof(tact_kdop)};
    cull_random r = test_random_seeded(5);
    char* volumes = scratch(count * bytes[kind]);
    for (size_t i = 0; i < count; ++i) {
        tact_vec3 c = {2 * test_random_signed(&r), 2 * test_random_signed(&r), 2 * test_random_signed(&r)};
        const tact_obb b = cull_random_obb(&r, c, 0.5f * size);
        const tact_vec3 h = b.half;
        tact_vec3 corners[8];
        for (int k = 0; k < 8; ++k) {
            const float s[3] = {k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z};
            corners[k] = c;
            for (int j = 0; j < 3; ++j) {
                corners[k].x += s[j] * b.axis[j].x;
                corners[k].y += s[j] * b.axis[j].y;
                corners[k].z += s[j] * b.axis[j].z;
            }
        }
        if (kind == TACT_CULL_AABBS)
            ((tact_aabb*)volumes)[i] =
                (tact_aabb){{c.x - h.x, c.y - h.y, c.z - h.z}, {c.x + h.x, c.y + h.y, c.z + h.z}};
        else if (kind == TACT_CULL_SPHERES)
            ((tact_sphere*)volumes)[i] = (tact_sphere){c, h.x};
        else if (kind == TACT_CULL_OBBS)
            ((tact_obb*)volumes)[i] = b;
        else
            ((tact_kdop*)volumes)[i] = tact_kdop_from_points(26, corners, 8, 0);
    }
    return volumes;
}

/// The share of volumes that are kept though apart by more than roundings.
static double kept_though_apart(const region* g, tact_cull_kind kind, float size)
{
    const size_t count = print ? 1000000 : 6000;
    void* volumes = make_volumes(kind, count, size);
    const tact_cull_work work = {
        .kind = kind, .volumes = volumes, .count = count, .planes = g->planes, .plane_count = 6};
    cull_answer a = cull_answer_of(culler, &work, TACT_BACKEND_CPU, 0, true);
    size_t apart = 0, lost = 0;
    for (size_t i = 0; i < count; ++i) {
        if (a.classes[i] != TACT_OUTSIDE)
            apart += !meets(g, kind, volumes, i, 1e-5);
        else if (i % (print ? 100 : 1) == 0)
            lost += meets(g, kind, volumes, i, -1e-9);
    }
    assert_true(a.kept > count / 100 && a.kept < count);
    assert_int_equal(lost, 0);
    return (double)apart / (double)count;
}

TEST(little_is_kept_that_is_apart)
{
    static const char* const names[] = {"AABB", "sphere", "OBB", "26-DOP of an OBB"};
    static const float sizes[3] = {0.05f, 0.4f, 2.0f};
    // At most; those above 0.01 are less than twice what a turned frustum has.
    static const double bounds[3][4] = {
        {0.001, 0.001, 0.001, 0.001}, {0.006, 0.003, 0.006, 0.004}, {0.055, 0.04, 0.085, 0.02}};
    for (int turned = 1; turned >= 0; --turned) {
        const region g = make_region(turned);
        for (int s = 0; s < 3; ++s) {
            for (int kind = 0; kind < TACT_CULL_KIND_COUNT; ++kind) {
                const double share = kept_though_apart(&g, (tact_cull_kind)kind, sizes[s]);
                if (print)
                    printf("%-7s size %-4g %-17s %.3f %%\n", turned ? "turned" : "along", (double)sizes[s], names[kind],
                           100 * share);
                assert_true(share <= bounds[s][kind]);
                if (turned && bounds[s][kind] > 0.01) assert_true(share > bounds[s][kind] / 2);
                // The edges of such a frustum lie in planes of coordinates, which bounds and planes settle.
                if (!turned && kind == TACT_CULL_AABBS) assert_true(share == 0.0);
            }
        }
    }
}

#include TEST_LIST

int main(int argc, char** argv)
{
    print = argc > 1 && strcmp(argv[1], "print") == 0;
    const tact_context_desc desc = {.threads = 2, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};
    if (tact_context_create(&desc, &context) != TACT_OK || tact_culler_create(context, &culler) != TACT_OK) return 1;
    const int failed = run_all(all_tests, NULL, NULL);
    tact_culler_destroy(culler);
    tact_context_destroy(context);
    return failed;
}
