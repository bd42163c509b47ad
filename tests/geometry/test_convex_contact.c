// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Contact manifolds and casts of convex shapes, and distances against formulas for pairs that have one.

#include "tests/support/run.h"

#include "tests/geometry/convex_shapes.h"
#include "tests/geometry/vectors.h"

static tact_obb box(tact_vec3 center, tact_vec3 half, float degrees)
{
    const double a = (double)degrees * 3.14159265358979323846 / 180.0;
    const float c = (float)cos(a), s = (float)sin(a);
    return (tact_obb){center, {{c, s, 0}, {-s, c, 0}, {0, 0, 1}}, half};
}

/// Turned by 45 degrees about x, standing on an edge.
static tact_obb diamond(float z)
{
    const float h = (float)sqrt(0.5);
    return (tact_obb){{0, 0, z}, {{1, 0, 0}, {0, h, h}, {0, -h, h}}, {1, 1, 1}};
}

TEST(boxes_rest_on_the_corners_of_their_common_area)
{
    const float scales[] = {1e-6f, 1.0f, 1e6f};
    for (int i = 0; i < 3; ++i) {
        const float s = scales[i];
        const tact_obb floor = box((tact_vec3){0, 0, 0}, (tact_vec3){5 * s, 5 * s, s}, 0);
        const tact_obb crate = box((tact_vec3){s, 0, 1.9f * s}, (tact_vec3){s, s, s}, 0);
        tact_manifold m = tact_convex_manifold(tact_convex_obb(&floor), tact_convex_obb(&crate), 0.0f, 8);
        assert_int_equal(m.count, 4);
        assert_true(m.normal.z == 1.0f);
        for (uint32_t k = 0; k < 4; ++k) {
            assert_true(near(m.point[k].distance / s, -0.1, 1e-6) && near(m.point[k].a.z / s, 1, 1e-6));
            assert_true(near(m.point[k].b.z / s, 0.9, 1e-6) && near(fabsf(m.point[k].b.x / s - 1), 1, 1e-5));
            assert_true(near(fabsf(m.point[k].a.y / s), 1, 1e-5));
        }
        // Apart, within the margin and without.
        const tact_obb above = box((tact_vec3){s, 0, 2.25f * s}, (tact_vec3){s, s, s}, 0);
        m = tact_convex_manifold(tact_convex_obb(&floor), tact_convex_obb(&above), 0.5f * s, 8);
        assert_true(m.count == 4 && near(m.point[0].distance / s, 0.25, 1e-6));
        assert_int_equal(tact_convex_manifold(tact_convex_obb(&floor), tact_convex_obb(&above), 0.1f * s, 8).count, 0);
        // Two squares at 45 degrees share an octagon.
        const tact_obb turned = box((tact_vec3){0, 0, 1.5f * s}, (tact_vec3){s, s, s}, 45);
        const tact_obb small = box((tact_vec3){0, 0, 0}, (tact_vec3){s, s, s}, 0);
        m = tact_convex_manifold(tact_convex_obb(&small), tact_convex_obb(&turned), 0.0f, 8);
        assert_int_equal(m.count, 8);
        m = tact_convex_manifold(tact_convex_obb(&small), tact_convex_obb(&turned), 0.0f, 4);
        assert_int_equal(m.count, 4);
        assert_int_equal(tact_convex_manifold(tact_convex_obb(&small), tact_convex_obb(&turned), 0.0f, 99).count, 8);
        assert_int_equal(tact_convex_manifold(tact_convex_obb(&small), tact_convex_obb(&turned), 0.0f, 0).count, 0);
        assert_int_equal(tact_convex_manifold(tact_convex_obb(&small), tact_convex_obb(&turned), NAN, 8).count, 0);
    }
}

/// Of more points than are wanted those are kept that are far from each other: the deepest, and then ever the one
/// farthest from those that are kept.
TEST(few_points_stand_far_apart)
{
    // Squares that are turned by 45 degrees share an octagon, of which every other corner is as far as can be.
    const tact_obb turned = box((tact_vec3){0, 0, 1.5f}, (tact_vec3){1, 1, 1}, 45);
    const tact_obb small = box((tact_vec3){0, 0, 0}, (tact_vec3){1, 1, 1}, 0);
    const double side = 2.0 * (sqrt(2.0) - 1.0);
    for (uint32_t wanted = 2; wanted <= 5; ++wanted) {
        const tact_manifold m = tact_convex_manifold(tact_convex_obb(&small), tact_convex_obb(&turned), 0.0f, wanted);
        assert_int_equal(m.count, wanted);
        double nearest = HUGE_VAL;
        for (uint32_t i = 0; i < wanted; ++i) {
            for (uint32_t k = 0; k < i; ++k) {
                nearest = fmin(nearest, hypot((double)m.point[i].a.x - (double)m.point[k].a.x,
                                              (double)m.point[i].a.y - (double)m.point[k].a.y));
            }
        }
        // Two are across from each other, three and four have a corner between them, five have neighbours.
        const double least = wanted == 2 ? hypot(2.0, side) : wanted <= 4 ? side * sqrt(2.0 + sqrt(2.0)) : side;
        if (!near((float)nearest, least, 1e-5)) fail_msg("%u points: %g apart, not %g", wanted, nearest, least);
    }
    // A tilted box stands on its lowest edge: the deepest point is kept, whatever is far.
    const tact_obb floor = box((tact_vec3){0, 0, 0}, (tact_vec3){5, 5, 1}, 0);
    const float c = 0.999f, s = (float)sqrt(1.0 - 0.999 * 0.999);
    const tact_obb tilted = {{0, 0, 1.99f}, {{c, 0, s}, {0, 1, 0}, {-s, 0, c}}, {1, 1, 1}};
    const tact_manifold all = tact_convex_manifold(tact_convex_obb(&floor), tact_convex_obb(&tilted), 0.2f, 8);
    const tact_manifold one = tact_convex_manifold(tact_convex_obb(&floor), tact_convex_obb(&tilted), 0.2f, 1);
    float deepest = INFINITY;
    for (uint32_t k = 0; k < all.count; ++k)
        deepest = fminf(deepest, all.point[k].distance);
    assert_true(all.count == 4 && one.count == 1 && one.point[0].distance == deepest);
}

TEST(an_edge_rests_on_two_points_and_a_corner_on_one)
{
    const tact_obb floor = box((tact_vec3){0, 0, -1}, (tact_vec3){5, 5, 1}, 30);
    const float root = (float)sqrt(2.0);
    const tact_obb edge = diamond(root - 0.01f);
    tact_manifold m = tact_convex_manifold(tact_convex_obb(&floor), tact_convex_obb(&edge), 0.005f, 8);
    assert_int_equal(m.count, 2);
    assert_true(near(m.point[0].distance, -0.01, 1e-6) && near(m.point[1].distance, -0.01, 1e-6));
    assert_true(near(m.point[0].b.x * m.point[1].b.x, -1, 1e-5));
    // Edge across edge: one point, halfway.
    tact_obb low = diamond(0.0f);
    tact_obb high = diamond(2.0f * root - 0.01f);
    const float h = (float)sqrt(0.5);
    high.axis[0] = (tact_vec3){0, 1, 0};
    high.axis[1] = (tact_vec3){h, 0, h};
    high.axis[2] = (tact_vec3){h, 0, -h};
    m = tact_convex_manifold(tact_convex_obb(&low), tact_convex_obb(&high), 0.0f, 8);
    assert_true(m.count >= 1 && m.normal.z > 0.999f);
    assert_int_equal(m.count, 1);
    assert_true(near(m.point[0].a.x, 0, 1e-6) && near(m.point[0].distance, -0.01, 1e-6));
}

TEST(other_shapes_have_their_own_patches)
{
    const tact_aabb floor = {{-5, -5, -1}, {5, 5, 0}};
    const tact_convex ground = tact_convex_aabb(&floor);
    const tact_cylinder can = {{0, 0, 0}, {0, 0, 2}, 1.0f}, log = {{-1, 0, 1}, {2, 0, 1}, 1.0f};
    tact_manifold m = tact_convex_manifold(ground, tact_convex_cylinder(&can), 0.01f, 8);
    assert_true(m.count == 8 && near(m.point[3].distance, 0, 1e-6));
    const tact_cylinder upside = {{0, 0, 2}, {0, 0, 0}, 1.0f};
    assert_int_equal(tact_convex_manifold(ground, tact_convex_cylinder(&upside), 0.01f, 8).count, 8);
    assert_int_equal(tact_convex_manifold(tact_convex_cylinder(&upside), ground, 0.01f, 8).count, 8);
    m = tact_convex_manifold(ground, tact_convex_cylinder(&log), 0.01f, 8);
    assert_true(m.count == 2 && near(m.point[0].b.x + m.point[1].b.x, 1, 1e-5));
    const tact_cone hat = {{0, 0, 3}, {0, 0, -1}, 3.0f, 1.0f};
    assert_int_equal(tact_convex_manifold(ground, tact_convex_cone(&hat), 0.01f, 8).count, 8);
    const tact_cone top = {{0, 0, 0}, {0, 0, 1}, 3.0f, 1.0f};
    m = tact_convex_manifold(ground, tact_convex_cone(&top), 0.01f, 8);
    assert_true(m.count == 1 && near(m.point[0].b.x, 0, 1e-6));
    // Lying: its slant touches along a line.
    const float cosine = (float)(4.0 / 5.0), sine = (float)(3.0 / 5.0);
    const tact_cone fallen = {{0, 0, 0}, {cosine, 0, sine}, 4.0f, 3.0f};
    m = tact_convex_manifold(ground, tact_convex_cone(&fallen), 0.01f, 8);
    assert_true(m.count == 2 && near(m.point[0].b.x + m.point[1].b.x, 5, 1e-5));
    const tact_capsule pill = {{-1, 0, 0.5f}, {1, 0, 0.5f}, 0.5f}, twin = {{-2, 0, 1.25f}, {0.5f, 0, 1.25f}, 0.25f};
    m = tact_convex_manifold(ground, tact_convex_capsule(&pill), 0.01f, 8);
    assert_true(m.count == 2 && near(m.point[0].distance, 0, 1e-6) && near(m.point[0].b.z, 0, 1e-6));
    m = tact_convex_manifold(tact_convex_capsule(&pill), tact_convex_capsule(&twin), 0.01f, 8);
    assert_true(m.count == 2 && near(m.point[0].a.z, 1, 1e-6) && near(m.point[1].distance, 0, 1e-6));
    assert_true(near(m.point[0].a.x + m.point[1].a.x, -0.5, 1e-5));
    const tact_capsule cross_pill = {{0, -1, 1.5f}, {0, 1, 1.5f}, 0.5f};
    assert_int_equal(tact_convex_manifold(tact_convex_capsule(&pill), tact_convex_capsule(&cross_pill), 0.1f, 8).count,
                     1);
    const tact_capsule far_pill = {{3, 0, 0.5f}, {5, 0, 0.5f}, 0.5f};
    assert_int_equal(tact_convex_manifold(tact_convex_capsule(&pill), tact_convex_capsule(&far_pill), 2.0f, 8).count,
                     1);
    const tact_lozenge cushion = {{0, 0, 0.5f}, {{2, 0, 0}, {0, 1, 0}}, 0.5f};
    m = tact_convex_manifold(ground, tact_convex_lozenge(&cushion), 0.01f, 8);
    assert_true(m.count == 4 && near(m.point[2].distance, 0, 1e-6));
    const tact_sphere ball = {{1, 2, 0.5f}, 1.0f};
    m = tact_convex_manifold(ground, tact_convex_sphere(&ball), 0.0f, 8);
    assert_true(m.count == 1 && near(m.point[0].distance, -0.5, 1e-6) && near(m.point[0].b.z, -0.5, 1e-6));
    const tact_ellipsoid egg = {{1, 2, 0.5f}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {2, 1, 1}};
    m = tact_convex_manifold(ground, tact_convex_ellipsoid(&egg), 0.0f, 8);
    assert_true(m.count == 1 && near(m.point[0].distance, -0.5, 1e-6));
    const tact_triangle t = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0}}, u = {{1, 0, 0}, {-1, 0, 0}, {1, 2, 0}};
    m = tact_convex_manifold(ground, tact_convex_triangle(&t), 0.0f, 8);
    assert_int_equal(m.count, 3);
    m = tact_convex_manifold(tact_convex_triangle(&t), tact_convex_triangle(&u), 0.0f, 8);
    assert_true(m.count >= 3 && m.count <= 6 && fabsf(m.normal.z) == 1.0f);
    // Upright on an edge, and on a corner.
    const tact_triangle flag = {{0, 0, 0}, {2, 0, 0}, {0, 0, 2}}, tip = {{0, 0, 0}, {2, 0, 1}, {0, 0, 2}};
    m = tact_convex_manifold(ground, tact_convex_triangle(&flag), 0.0f, 8);
    assert_true(m.count == 2 && near(m.point[0].b.x + m.point[1].b.x, 2, 1e-6));
    assert_int_equal(tact_convex_manifold(ground, tact_convex_triangle(&tip), 0.0f, 8).count, 1);
    const tact_segment pole = {{0, 0, 0}, {0, 0, 2}};
    assert_int_equal(tact_convex_manifold(ground, tact_convex_segment(&pole), 0.0f, 8).count, 1);
    const tact_sphere nan_ball = {{1, NAN, 0.5f}, 1.0f};
    assert_int_equal(tact_convex_manifold(ground, tact_convex_sphere(&nan_ball), 0.0f, 8).count, 0);
}

/// A prism of `sides` corners around z, 24 at most per ring.
typedef struct prism {
    tact_vec3 point[160];
    uint32_t face_start[90], face_point[500], neighbour_start[161], neighbour[500];
    tact_hull hull;
} prism;

static void make_prism(prism* p, uint32_t sides, tact_vec3 at, float radius, float half_height, float turn)
{
    uint32_t n = 0;
    p->face_start[0] = 0;
    for (uint32_t i = 0; i < sides; ++i) {
        const double angle = (double)turn + 2.0 * 3.14159265358979323846 * i / sides;
        const float x = at.x + radius * (float)cos(angle), y = at.y + radius * (float)sin(angle);
        p->point[2 * i] = (tact_vec3){x, y, at.z - half_height};
        p->point[2 * i + 1] = (tact_vec3){x, y, at.z + half_height};
        const uint32_t j = (i + 1) % sides;
        const uint32_t quad[4] = {2 * i, 2 * j, 2 * j + 1, 2 * i + 1};
        for (int k = 0; k < 4; ++k)
            p->face_point[n++] = quad[k];
        p->face_start[i + 1] = n;
    }
    for (uint32_t i = 0; i < sides; ++i)
        p->face_point[n++] = 2 * (sides - 1 - i);
    p->face_start[sides + 1] = n;
    for (uint32_t i = 0; i < sides; ++i)
        p->face_point[n++] = 2 * i + 1;
    p->face_start[sides + 2] = n;
    p->hull = (tact_hull){.points = p->point,
                          .point_count = 2 * sides,
                          .face_start = p->face_start,
                          .face_points = p->face_point,
                          .face_count = sides + 2};
    assert_int_equal(tact_hull_link(&p->hull, p->neighbour_start, p->neighbour), TACT_OK);
    p->hull.neighbour_start = p->neighbour_start;
    p->hull.neighbours = p->neighbour;
}

TEST(hulls_rest_on_their_faces)
{
    static prism a, b;
    make_prism(&a, 6, (tact_vec3){0, 0, 0}, 2, 1, 0);
    make_prism(&b, 4, (tact_vec3){0, 0, 1.99f}, 1, 1, 0.3f);
    tact_manifold m = tact_convex_manifold(tact_convex_hull(&a.hull), tact_convex_hull(&b.hull), 0.0f, 8);
    assert_true(m.count == 4 && m.normal.z == 1.0f && near(m.point[1].distance, -0.01, 1e-6));
    m = tact_convex_manifold(tact_convex_hull(&b.hull), tact_convex_hull(&a.hull), 0.0f, 8);
    assert_true(m.count == 4 && m.normal.z == -1.0f);
    // Faces of more corners than are looked at.
    make_prism(&a, 80, (tact_vec3){0, 0, 0}, 2, 1, 0);
    make_prism(&b, 70, (tact_vec3){1, 0, 1.99f}, 2, 1, 0);
    m = tact_convex_manifold(tact_convex_hull(&a.hull), tact_convex_hull(&b.hull), 0.0f, 8);
    assert_true(m.count == 8 && near(m.point[7].distance, -0.01, 1e-6));
    // Beside each other: their side faces.
    make_prism(&a, 6, (tact_vec3){0, 0, 0}, 2, 1, 0);
    make_prism(&b, 6, (tact_vec3){0, 3.4f, 0.5f}, 2, 1, 0);
    m = tact_convex_manifold(tact_convex_hull(&a.hull), tact_convex_hull(&b.hull), 0.0f, 8);
    assert_true(m.count == 4 && m.normal.y > 0.9999f);
    // Without faces, and with one that names no points.
    tact_hull bare = b.hull;
    bare.face_start = NULL;
    assert_int_equal(tact_convex_manifold(tact_convex_hull(&a.hull), tact_convex_hull(&bare), 0.0f, 8).count, 1);
    b.face_point[0] = 1000000;
    assert_true(tact_convex_manifold(tact_convex_hull(&a.hull), tact_convex_hull(&b.hull), 0.0f, 8).count >= 3);
}

/// The points' common area: every sample that both rectangles hold is in the points' hull, by a linear search for a
/// direction that parts it from them.
TEST(face_to_face_areas_are_whole)
{
    test_random r = test_random_seeded(31);
    size_t inside = 0;
    for (int i = 0; i < 4000; ++i) {
        const tact_obb a = box((tact_vec3){0, 0, 0}, (tact_vec3){1, 1 + test_random_unit(&r), 1}, 0);
        const tact_vec3 at = {2 * test_random_signed(&r), 2 * test_random_signed(&r), 1.99f};
        const tact_obb b = box(at, (tact_vec3){1, 1 + test_random_unit(&r), 1}, 90 * test_random_signed(&r));
        const tact_manifold m = tact_convex_manifold(tact_convex_obb(&a), tact_convex_obb(&b), 0.0f, 8);
        if (m.count == 0 || m.normal.z < 0.999f) continue;
        for (int k = 0; k < 30; ++k) {
            const xyz p = {2 * (double)test_random_signed(&r), 2 * (double)test_random_signed(&r), 0};
            const xyz q = minus(p, of_vec3(at));
            const double s = dot(q, of_vec3(b.axis[0])), t = dot(q, of_vec3(b.axis[1]));
            if (fabs(p.x) > 1 || fabs(p.y) > (double)a.half.y || fabs(s) > 1 || fabs(t) > (double)b.half.y) continue;
            ++inside;
            for (int step = 0; step < 64; ++step) {
                const xyz u = {cos(step * 0.0981747704), sin(step * 0.0981747704), 0};
                double top = -HUGE_VAL;
                for (uint32_t c = 0; c < m.count; ++c)
                    top = fmax(top, dot(u, of_vec3(m.point[c].a)));
                if (dot(u, p) > top + 1e-5) fail_msg("case %d: a part of the area is missing", i);
            }
        }
    }
    assert_true(inside > 5000);
}

static void check_points(const pair_of_shapes* p, const tact_manifold* m, double margin, test_random* r, int i)
{
    const tact_convex_contact c = tact_convex_penetration(p->a.convex, p->b.convex);
    const int ka = (int)p->a.convex.kind, kb = (int)p->b.convex.kind;
    if ((m->count > 0) != ((double)c.distance <= margin)) fail_msg("case %d (%d, %d): count %u", i, ka, kb, m->count);
    if (m->count == 0 || !c.converged) return;
    const double slack = 3e-7 * (norm(p->base) + 8.0 * p->size) + 4e-6 * p->size;
    const xyz n = of_vec3(m->normal);
    double deepest = HUGE_VAL;
    for (uint32_t k = 0; k < m->count; ++k) {
        const xyz a = of_vec3(m->point[k].a), b = of_vec3(m->point[k].b);
        const double d = (double)m->point[k].distance;
        deepest = fmin(deepest, d);
        const double off = norm(minus(minus(b, a), times(d, n)));
        // Segments that are nearly parallel match to 1e-3.
        const bool lines = ka <= TACT_CONVEX_CONE && kb <= TACT_CONVEX_CONE;
        if (off > slack + (lines ? 3e-3 * p->size : 0.0)) fail_msg("case %d (%d, %d): off %g", i, ka, kb, off);
        if (d > margin + slack) fail_msg("case %d (%d, %d): %g is beyond the margin", i, ka, kb, d);
        for (int w = 0; w < 6; ++w) {
            const xyz u = w == 0 ? n : w == 1 ? times(-1.0, n) : random_unit(r);
            if (dot(u, minus(a, p->base)) > reach(&p->a, u, p->base) + slack) fail_msg("case %d (%d, %d) a", i, ka, kb);
            if (dot(u, minus(b, p->base)) > reach(&p->b, u, p->base) + slack) fail_msg("case %d (%d, %d) b", i, ka, kb);
        }
    }
    if (fabs(deepest - (double)c.distance) > slack) fail_msg("case %d (%d, %d): not the deepest", i, ka, kb);
}

/// A sheet seen edge-on against a disc: its edge runs along some radius of the disc, but not in one line with it.
TEST(points_of_a_manifold_face_each_other)
{
    for (int y = -4; y <= 4; ++y) {
        for (int z = -4; z <= 4; ++z) {
            const tact_obb sheet = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 0, 1}};
            const tact_cone disc = {{0.5f, 0.125f * (float)y, 0.25f * (float)z}, {1, 0, 0}, 0.0f, 1.0f};
            const tact_manifold m = tact_convex_manifold(tact_convex_obb(&sheet), tact_convex_cone(&disc), 0.1f, 8);
            assert_true(m.count > 0);
            for (uint32_t k = 0; k < m.count; ++k) {
                const xyz apart = minus(of_vec3(m.point[k].b), of_vec3(m.point[k].a));
                assert_true(norm(minus(apart, times((double)m.point[k].distance, of_vec3(m.normal)))) < 1e-5);
            }
        }
    }
}

TEST(manifold_points_belong_to_both_shapes)
{
    test_random r = test_random_seeded(33);
    size_t counts[TACT_MANIFOLD_POINTS + 1] = {0};
    for (int i = 0; i < 144 * 1000; ++i) {
        pair_of_shapes p;
        random_pair(&r, &p, (tact_convex_kind)(i % 12), (tact_convex_kind)(i / 12 % 12));
        if (!pair_valid(&p.a) || !pair_valid(&p.b)) continue;
        const double margin = test_random_below(&r, 2) == 0 ? 0.0 : 0.1 * p.size;
        const tact_manifold m =
            tact_convex_manifold(p.a.convex, p.b.convex, (float)margin, 1 + test_random_below(&r, 8));
        check_points(&p, &m, (double)(float)margin, &r, i);
        ++counts[m.count];
    }
    print_message("points 0 to 8:");
    for (int i = 0; i <= TACT_MANIFOLD_POINTS; ++i)
        print_message(" %zu", counts[i]);
    print_message("\n");
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
