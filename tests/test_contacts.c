// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Contacts of bodies of all kinds against the geometry library, which has double precision: whether there is one, how
// deep, and that the normal separates as much as it says. "long" as argument: a million pairs of each two kinds.
#include "tests/support/run.h"

#include <math.h>

#include "tact/bodies.h"
#include "tact/geometry/convex.h"
#include "tests/support/contact_lab.h"

/// Devices are held against the CPU by test_conformance.
static const tact_context_desc host_alone = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};

static bool at_length;

typedef struct tally {
    size_t pairs, contacts, points, wrong;
    size_t near;                 ///< within the tolerance of a touch
    size_t open;                 ///< whose depth the geometry library has not proven
    size_t rough;                ///< off by more than 1e-5 of what there is, as few in a million may be
    size_t sided;                ///< of triangles that touch by their side, not by what is least deep
    size_t early;                ///< contacts of what is apart by more than distances are certain to
    size_t lost;                 ///< of triangles whose side has nothing over it
    double worst, worst_normal;  ///< errors, of the extents and radii
} tally;

/// What of the extents and radii is allowed where few are, and where any is.
static const double tight = 1e-5, loose = 1e-3;

/// What is right: how far the cores are apart.
typedef struct truth {
    double apart;
    bool proven;  ///< else they may be less deep
} truth;

static tact_convex core_of(const placed* p, tact_vec3* points, tact_hull* hull)
{
    for (uint32_t i = 0; i < p->s->count; ++i)
        points[i] = (tact_vec3){(float)p->at[i].x, (float)p->at[i].y, (float)p->at[i].z};
    *hull = (tact_hull){.points = points, .point_count = p->s->count};
    return tact_convex_hull(hull);
}

static bool is_ground(const specimen* s)
{
    return s->shape.kind == TACT_BODY_HALF_SPACE;
}

static bool is_triangle(const specimen* s)
{
    return s->shape.kind == TACT_BODY_MESH;
}

/// Whether a normal is that of the side of a triangle on which the other's position is, which may be in its plane.
static bool is_by_side(const placed* a, const placed* b, const lab_pair* pair, point n, double tolerance)
{
    const bool first = is_triangle(pair->a);
    const placed* p = first ? a : b;
    const tact_pose* own = first ? &pair->body_a->pose : &pair->body_b->pose;
    const tact_pose* other = first ? &pair->body_b->pose : &pair->body_a->pose;
    const point between = {other->x - own->x, other->y - own->y, other->z - own->z};
    const point side = unit_of(across(along(p->at[1], -1.0, p->at[0]), along(p->at[2], -1.0, p->at[0])));
    const double above = times(side, between), towards = times(side, n) * (first ? 1.0 : -1.0);
    return fabs(towards) > 1.0 - 1e-5 && (fabs(above) < tolerance || (above > 0.0) == (towards > 0.0));
}

static truth truth_of(const lab_pair* pair, const placed* a, const placed* b)
{
    const point up = {0.0, 1.0, 0.0}, down = {0.0, -1.0, 0.0};
    if (is_ground(pair->a)) return (truth){gap_along(a, b, turned(pair->body_a->pose.rotation, up)), true};
    if (is_ground(pair->b)) return (truth){gap_along(a, b, turned(pair->body_b->pose.rotation, down)), true};
    static tact_vec3 points[2][LAB_POINTS];
    tact_hull hulls[2];
    const tact_convex_contact c =
        tact_convex_penetration(core_of(a, points[0], &hulls[0]), core_of(b, points[1], &hulls[1]));
    return (truth){(double)c.distance, c.converged};
}

static void check_pair(const lab_pair* pair, void* user)
{
    tally* t = user;
    const tact_contact* c = pair->contact;
    const tact_pose *pa = &pair->body_a->pose, *pb = &pair->body_b->pose;
    const bool triangle = is_triangle(pair->a) || is_triangle(pair->b);
    static placed a, b;
    place(&a, pair->a, pa, pa);
    place(&b, pair->b, pb, pa);
    const truth right = truth_of(pair, &a, &b);
    const double radii = (double)(lab_radius(pair->a) * pa->scale) + (double)(lab_radius(pair->b) * pb->scale);
    const double size = a.extent + b.extent + radii, apart = right.apart - radii;
    ++t->pairs;
    t->near += fabs(apart) < tight * size;
    t->open += !right.proven;
    if (!c) {
        if (!right.proven || apart > pair->margin - tight * size) return;
        t->lost += triangle;
        if (!triangle) lab_wrong(pair, &t->wrong, "no contact within", pair->margin, apart, size);
        return;
    }
    ++t->contacts;
    t->points += c->count;
    double least = HUGE_VAL;
    for (uint32_t k = 0; k < c->count; ++k)
        least = fmin(least, (double)c->point[k].separation);
    const point n = lab_point(c->normal);
    const double longer = sqrt(times(n, n)) - 1.0, shown = gap_along(&a, &b, n) - radii, lost = apart - shown;
    if (fabs(longer) > 2e-6) lab_wrong(pair, &t->wrong, "a normal longer by", longer, 0.0, size);
    if (apart > pair->margin + tight * size) lab_wrong(pair, &t->wrong, "a contact within", pair->margin, apart, size);
    t->early += right.proven && apart > pair->margin + 2.0 * 0x1p-20 * size;
    // A triangle touches by its side, if not at its border.
    if (triangle && lost > tight * size && is_by_side(&a, &b, pair, n, tight * size)) {
        ++t->sided;
        return;
    }
    // Of more than four corners the deepest may be left out by 64 times what coordinates are certain to. A depth that
    // is not proven is one that suffices, and a normal shows one that is needed.
    const double left_out = c->count > 1 && least > apart ? 64.0 * 0x1p-20 * size : 0.0;
    double off = fmax(fabs(least - apart) - left_out, 0.0);
    if (!right.proven) off = fmax(apart - least, fabs(least - shown) - 64.0 * 0x1p-20 * size);
    t->rough += off > tight * size || lost > 2.0 * tight * size;
    t->worst = fmax(t->worst, off / size);
    t->worst_normal = fmax(t->worst_normal, lost / size);
    if (off > loose * size) lab_wrong(pair, &t->wrong, "apart", least, apart, size);
    if (lost > loose * size) lab_wrong(pair, &t->wrong, "apart along the normal", shown, apart, size);
}

TEST(against_the_geometry_library)
{
    tact_context* context = KEEP(new_context(&host_alone));
    size_t wrong = 0;
    for (int a = 0; a < LAB_KINDS; ++a) {
        for (int b = a; b < LAB_KINDS; ++b) {
            tally t = {0};
            // Two that have no contacts.
            if (a == b && (a == LAB_TRIANGLE || a == LAB_HALF_SPACE)) continue;
            const bool large = a == LAB_LARGEST_HULL || b == LAB_LARGEST_HULL;
            lab_run(context, (lab_kind)a, (lab_kind)b, at_length ? 1000000 : effort(large ? 160 : 800, 8000), false,
                    check_pair, &t);
            print_message(
                "kinds %d, %d: %zu pairs, %zu contacts, %zu points, %zu that touch, %zu not proven, %zu by a "
                "side, %zu lost, %zu rough; off by %.2g of the size, normals by %.2g\n",
                a, b, t.pairs, t.contacts, t.points, t.near, t.open, t.sided, t.lost, t.rough, t.worst, t.worst_normal);
            fflush(stdout);
            wrong += t.wrong;
            if (t.rough > 3 + t.pairs / 500) ++wrong;
            assert_true(t.contacts > t.pairs / 10 && t.open <= t.pairs / 20 && t.lost <= t.pairs / 50);
        }
    }
    assert_int_equal(wrong, 0);
}

/// Needles, some of them turned alike: none has a contact that is farther away than what distances are certain to.
TEST(needles_turned_alike)
{
    tact_context* context = KEEP(new_context(&host_alone));
    tally t = {0};
    lab_run(context, LAB_NEEDLE, LAB_NEEDLE, 100000, false, check_pair, &t);
    print_message("%zu contacts, %zu early, %zu rough, off by %.2g of the size\n", t.contacts, t.early, t.rough,
                  t.worst);
    assert_true(t.contacts > 20000);
    assert_int_equal(t.wrong + t.early, 0);
}

static tact_bodies* new_set(tact_context* context, const tact_body_shape* shapes, uint32_t count)
{
    tact_bodies* set = NULL;
    assert_int_equal(tact_bodies_create(context, &set), TACT_OK);
    KEEP(set);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t number = 99;
        assert_int_equal(tact_bodies_add_shape(set, &shapes[i], &number), TACT_OK);
        assert_int_equal(number, i);
    }
    return set;
}

static size_t contacts_of(tact_bodies* set, tact_contact* contacts, size_t capacity, tact_backend backend)
{
    const tact_query_options options = {.backend = backend};
    size_t count = 0;
    const tact_contacts_work work = {.contacts = contacts, .capacity = capacity, .count = &count};
    const tact_result result = tact_contacts_find(set, &work, &options, NULL);
    assert_int_equal(result, count > capacity ? TACT_INCOMPLETE : TACT_OK);
    return count;
}

/// A box on a box, on a half-space: four points each, all as deep, the same features when it slides.
TEST(boxes_rest_on_four_points)
{
    tact_context* context = KEEP(new_context(&host_alone));
    const tact_body_shape shapes[] = {{.kind = TACT_BODY_HALF_SPACE},
                                      {.kind = TACT_BODY_BOX, .half = {1.0f, 0.5f, 1.0f}}};
    tact_bodies* set = new_set(context, shapes, 2);
    const tact_body bodies[] = {
        {.shape = 0}, {.shape = 1, .pose = {.y = 0.4375}}, {.shape = 1, .pose = {.x = 0.25, .y = 1.375, .z = 0.5}}};
    assert_int_equal(tact_bodies_add(set, bodies, 3, NULL), TACT_OK);
    tact_contact c[4], moved[4];
    assert_int_equal(contacts_of(set, c, 4, TACT_BACKEND_CPU), 2);
    for (uint32_t k = 0; k < 2; ++k) {
        assert_int_equal(c[k].a, k);
        assert_int_equal(c[k].b, k + 1);
        assert_int_equal(c[k].count, 4);
        assert_true(c[k].normal.x == 0.0f && c[k].normal.y == 1.0f && c[k].normal.z == 0.0f);
        float area[2] = {0.0f, 0.0f};
        for (uint32_t i = 0; i < 4; ++i) {
            assert_true(c[k].point[i].separation == -0.0625f);
            assert_true(i == 0 || c[k].point[i - 1].feature < c[k].point[i].feature);
            area[0] = fmaxf(area[0], c[k].point[i].at.x);
            area[1] = fmaxf(area[1], c[k].point[i].at.z);
        }
        assert_true(area[0] == 1.0f && area[1] == 1.0f);
    }
    const uint32_t id = 2;
    const tact_pose there = {.x = 0.3125, .y = 1.375, .z = 0.5625};
    assert_int_equal(tact_bodies_move(set, &id, &there, 1), TACT_OK);
    assert_int_equal(contacts_of(set, moved, 4, TACT_BACKEND_CPU), 2);
    for (uint32_t i = 0; i < 4; ++i)
        assert_int_equal(moved[1].point[i].feature, c[1].point[i].feature);
}

/// The search for the closest points ends with a distance that no direction shows: a box in a needle 400 times its
/// size.
TEST(what_is_small_in_a_needle_touches)
{
    tact_context* context = KEEP(new_context(&host_alone));
    static const tact_vec3 needle[6] = {
        {-0x1.b65c14p-9f, -0x1.5718fp-2f, 0x1.2508ecp-8f},    {-0x1.063588p-7f, 0x1.4448d8p-1f, 0x1.7f42b8p-7f},
        {-0x1.a76ae6p-8f, 0x1.aa4444p-1f, -0x1.359ecep-6f},   {-0x1.cb0deap-10f, 0x1.45c5dp-3f, -0x1.22052ep-7f},
        {-0x1.6852a4p-10f, -0x1.835f0cp-1f, -0x1.2cc1a6p-6f}, {0x1.1b6266p-9f, 0x1.654744p-1f, 0x1.adbb0ap-10f}};
    const tact_body_shape shapes[] = {{.kind = TACT_BODY_BOX, .half = {0x1.19595ap+0f, 0x1.cd91bap-2f, 0x1.2c0a92p-2f}},
                                      {.kind = TACT_BODY_HULL, .points = needle, .point_count = 6}};
    const tact_body bodies[2] = {
        {.shape = 0,
         .pose = {.x = -0x1.04dae6bd6fffcp-3,
                  .y = -0x1.7244011cdfa41p-3,
                  .z = -0x1.5a336ec8b7a4bp-2,
                  .rotation = {1, 0, 0, 0},
                  .scale = 0x1.1f482p-10f}},
        {.shape = 1,
         .pose = {.rotation = {0x1.63d1cp-1f, 0x1.bef8p-1f, 0x1.4e4988p-2f, 0x1.ccccccp-1f}, .scale = 0x1.1174d4p-1f}}};
    tact_bodies* set = new_set(context, shapes, 2);
    uint32_t ids[2];
    tact_contact c = {0};
    assert_int_equal(tact_bodies_add(set, bodies, 2, ids), TACT_OK);
    assert_int_equal(contacts_of(set, &c, 1, TACT_BACKEND_CPU), 1);
    assert_int_equal(contacts_of(set, &c, 1, TACT_BACKEND_REFERENCE), 1);
}

/// Lenses, of 32 faces and 48 edges of which those of the rim lead nowhere outwards, beside another shape: pairs rim on
/// rim are the same bytes by lanes and one by one.
TEST(sharp_rims)
{
    tact_context* context = KEEP(new_context(&host_alone));
    enum { RIM = 16, PAIRS = 600 };
    tact_vec3 points[RIM + 2] = {[RIM] = {0, 0.03f, 0}, [RIM + 1] = {0, -0.03f, 0}};
    for (int i = 0; i < RIM; ++i) {
        const double angle = 6.283185307179586 * i / RIM;
        points[i] = (tact_vec3){(float)cos(angle), 0, (float)sin(angle)};
    }
    const tact_body_shape shapes[2] = {{.kind = TACT_BODY_HULL, .points = points, .point_count = RIM + 2},
                                       {.kind = TACT_BODY_BOX, .half = {1, 1, 1}}};
    tact_bodies* set = new_set(context, shapes, 2);
    test_random r = test_random_seeded(9);
    tact_body* bodies = scratch_zeroed(2 * PAIRS, sizeof *bodies);
    tact_pair* pairs = scratch(PAIRS * sizeof *pairs);
    tact_contact* found = scratch(2 * PAIRS * sizeof *found);
    for (uint32_t i = 0; i < PAIRS; ++i) {
        bodies[2 * i].pose = (tact_pose){.rotation = {0, 0, 0, 1}, .scale = 1.0f};
        bodies[2 * i + 1].pose = (tact_pose){.x = 1.2 + 0.7 * (double)test_random_unit(&r),
                                             .y = 0.5 * (double)test_random_signed(&r),
                                             .rotation = lab_turn(&r),
                                             .scale = 1.0f};
        pairs[i] = (tact_pair){2 * i, 2 * i + 1};
    }
    assert_int_equal(tact_bodies_add(set, bodies, 2 * PAIRS, NULL), TACT_OK);
    size_t count[2] = {0};
    for (int k = 0; k < 2; ++k) {
        const tact_query_options options = {.backend = k ? TACT_BACKEND_REFERENCE : TACT_BACKEND_CPU};
        const tact_contacts_work work = {.pairs = pairs,
                                         .pair_count = PAIRS,
                                         .contacts = found + (size_t)k * PAIRS,
                                         .capacity = PAIRS,
                                         .count = &count[k]};
        assert_int_equal(tact_contacts_find(set, &work, &options, NULL), TACT_OK);
    }
    assert_true(count[0] > PAIRS / 10);
    assert_int_equal(count[0], count[1]);
    assert_memory_equal(found, found + PAIRS, count[0] * sizeof *found);
}

/// A triangle beside a hull, an edge on an edge that is turned by a ten thousandth of a radian: what is across both is
/// mostly rounding, and yet the two are 2^-15 of their size apart.
TEST(edges_that_are_nearly_parallel)
{
    tact_context* context = KEEP(new_context(&host_alone));
    static const uint32_t triangle[3] = {0, 1, 2};
    const tact_vec3 corners[3] = {{0, 0, 0},
                                  {-0x1.eadf68p-1f, -0x1.329c74p-1f, 0x1.8b4d68p-2f},
                                  {-0x1.11ee08p-1f, -0x1.47415p-1f, 0x1.411efp-1f}};
    const tact_vec3 points[8] = {
        {0x1.4453a8p-1f, 0x1.c6d43p-2f, -0x1.bf579p-1f},   {0x1.293ec4p-1f, -0x1.cde98cp-1f, 0x1.7efb8p-3f},
        {-0x1.4ce768p-1f, 0x1.2d4b14p-1f, -0x1.ed89cp-3f}, {-0x1.92547p-3f, -0x1.698bbp-2f, 0x1.2b7654p-1f},
        {-0x1.e3a328p-1f, -0x1.807cp-7f, 0x1.722ap-4f},    {-0x1.aad3d8p-1f, 0x1.3ee878p-2f, 0x1.c2f168p-1f},
        {-0x1.ffd7bp-1f, -0x1.5cd51p-2f, 0x1.846fep-2f},   {0x1.bfa90cp-1f, -0x1.acdbfp-1f, 0x1.a13bfcp-1f}};
    const tact_body_shape shapes[2] = {
        {.kind = TACT_BODY_MESH, .points = corners, .point_count = 3, .triangles = triangle, .triangle_count = 1},
        {.kind = TACT_BODY_HULL, .points = points, .point_count = 8}};
    tact_bodies* set = new_set(context, shapes, 2);
    tact_body bodies[2] = {{.shape = 0}, {.shape = 1}};
    bodies[0].pose = (tact_pose){.rotation = {0, 0, 0, 1}, .scale = 0x1.47f50ap+0f};
    bodies[1].pose = (tact_pose){.x = -0x1.4affdbf91e76dp+0,
                                 .y = -0x1.a7b9edfd433b8p-3,
                                 .z = -0x1.b5f12047c36f7p-2,
                                 .rotation = {0x1.cbd032p-1f, 0x1.9468fp-3f, -0x1.4e8c0ep-2f, 0x1.bf7506p-3f},
                                 .scale = 0x1.47f50ap+0f};
    assert_int_equal(tact_bodies_add(set, bodies, 2, NULL), TACT_OK);
    const tact_pair pair = {0, 1};
    tact_contact found;
    size_t count;
    const tact_contacts_work work = {
        .pairs = &pair, .pair_count = 1, .contacts = &found, .capacity = 1, .count = &count};
    assert_int_equal(tact_contacts_find(set, &work, NULL, NULL), TACT_OK);
    assert_int_equal(count, 0);
}

/// Centres and axes that coincide: some direction, and the whole depth.
TEST(nested_bodies)
{
    tact_context* context = KEEP(new_context(&host_alone));
    static const tact_vec3 flat[4] = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}};
    const tact_body_shape shapes[] = {{.radius = 1.0f},
                                      {.kind = TACT_BODY_CAPSULE, .radius = 1.0f, .half = {0, 1, 0}},
                                      {.kind = TACT_BODY_BOX, .half = {1, 1, 1}},
                                      {.kind = TACT_BODY_HULL, .points = flat, .point_count = 4},
                                      {.kind = TACT_BODY_BOX}};
    static const float depth[5][5] = {
        {2, 2, 2, 1, 1}, {2, 2, 2, 2, 1}, {2, 2, 2, 1, 1}, {1, 2, 1, 0, 0}, {1, 1, 1, 0, 0}};
    tact_bodies* set = new_set(context, shapes, 5);
    for (uint32_t a = 0; a < 5; ++a) {
        for (uint32_t b = 0; b < 5; ++b) {
            const tact_body bodies[2] = {{.shape = a}, {.shape = b}};
            uint32_t ids[2];
            tact_contact c = {0};
            assert_int_equal(tact_bodies_add(set, bodies, 2, ids), TACT_OK);
            const size_t count = contacts_of(set, &c, 1, TACT_BACKEND_CPU);
            // A point has no size to be worked out in.
            assert_int_equal(count, a != 4 || b != 4);
            float least = count ? c.point[0].separation : 0.0f;
            for (uint32_t i = 0; i < c.count; ++i)
                least = fminf(least, c.point[i].separation);
            if (fabsf(least + depth[a][b]) > 1e-5f)
                fail_msg("shapes %u and %u: %g deep, not %g", a, b, -(double)least, (double)depth[a][b]);
            assert_int_equal(tact_bodies_remove(set, ids, 2), TACT_OK);
        }
    }
}

static tact_pose random_pose(test_random* r, double far, double about)
{
    return (tact_pose){.x = far + about * (double)test_random_signed(r),
                       .y = about * (double)test_random_signed(r),
                       .z = -far + about * (double)test_random_signed(r),
                       .rotation = lab_turn(r),
                       .scale = 0.5f + test_random_unit(r)};
}

/// Bodies of all kinds and sizes from 1e-3 to 1e3 that move, come and go: no contact of any pair is lost by the boxes.
TEST(no_contact_is_lost)
{
    tact_context* context = KEEP(new_context(&host_alone));
    enum { SHAPES = 16, BODIES = 160, PAIRS = BODIES * (BODIES - 1) / 2 };
    test_random r = test_random_seeded(5);
    specimen* shapes = scratch(SHAPES * sizeof *shapes);
    tact_bodies* set = new_set(context, NULL, 0);
    for (uint32_t i = 0; i < SHAPES; ++i) {
        uint32_t number;
        make_specimen(&shapes[i], (lab_kind)(i % LAB_LARGEST_HULL), &r);
        assert_int_equal(tact_bodies_add_shape(set, &shapes[i].shape, &number), TACT_OK);
    }
    tact_body* bodies = scratch_zeroed(BODIES, sizeof *bodies);
    tact_pair* all = scratch(PAIRS * sizeof *all);
    tact_contact *found = scratch(PAIRS * sizeof *found), *right = scratch(PAIRS * sizeof *right);
    size_t pairs = 0, total = 0;
    for (uint32_t i = 0; i < BODIES; ++i) {
        const double far = i % 2 ? 1e7 : 0.0;
        bodies[i].shape = i % SHAPES;
        bodies[i].margin = i % 5 == 0 ? 0.125f : 0.0f;
        bodies[i].pose = random_pose(&r, far, 2.5);
        if (i % 7 == 0) bodies[i].pose.scale = powf(10.0f, 3.0f * test_random_signed(&r));
        for (uint32_t k = i + 1; k < BODIES; ++k)
            all[pairs++] = (tact_pair){i, k};
    }
    assert_int_equal(tact_bodies_add(set, bodies, BODIES, NULL), TACT_OK);
    for (int frame = 0; frame < 12; ++frame) {
        size_t expected = 0;
        const tact_contacts_work work = {
            .pairs = all, .pair_count = PAIRS, .contacts = right, .capacity = PAIRS, .count = &expected};
        assert_int_equal(tact_contacts_find(set, &work, &(tact_query_options){.backend = TACT_BACKEND_CPU}, NULL),
                         TACT_OK);
        const size_t count = contacts_of(set, found, PAIRS, TACT_BACKEND_CPU);
        assert_int_equal(count, expected);
        assert_memory_equal(found, right, count * sizeof *found);
        total += count;
        for (uint32_t i = 0; i < BODIES; ++i) {
            bodies[i].pose.x += 0.2 * (double)test_random_signed(&r);
            bodies[i].pose.y += 0.2 * (double)test_random_signed(&r);
            const tact_pose pose = bodies[i].pose;
            assert_int_equal(tact_bodies_move(set, &i, &pose, 1), TACT_OK);
        }
    }
    print_message("%zu contacts\n", total);
    assert_true(total > 2000);
}

/// By powers of two the same contact: no size is special.
TEST(any_size)
{
    tact_context* context = KEEP(new_context(&host_alone));
    const tact_body_shape shape = {.kind = TACT_BODY_BOX, .radius = 0.25f, .half = {1.0f, 0.5f, 0.75f}};
    tact_bodies* set = new_set(context, &shape, 1);
    tact_contact first = {0};
    for (int exponent = -38; exponent <= 38; exponent += 4) {
        const float scale = ldexpf(1.0f, exponent);
        const tact_body bodies[2] = {{.pose = {.scale = scale}},
                                     {.pose = {.x = 1.25 * (double)scale,
                                               .y = 0.5 * (double)scale,
                                               .rotation = {0.25f, 0.5f, 0.125f, 0.75f},
                                               .scale = scale}}};
        uint32_t ids[2];
        tact_contact c = {0};
        assert_int_equal(tact_bodies_add(set, bodies, 2, ids), TACT_OK);
        assert_int_equal(contacts_of(set, &c, 1, TACT_BACKEND_CPU), 1);
        for (uint32_t k = 0; k < c.count; ++k) {
            c.point[k].separation /= scale;
            c.point[k].at.x /= scale;
            c.point[k].at.y /= scale;
            c.point[k].at.z /= scale;
        }
        if (first.count == 0) first = c;
        assert_memory_equal(&c, &first, sizeof c);
        assert_int_equal(tact_bodies_remove(set, ids, 2), TACT_OK);
    }
}

static void expect_refused(tact_context* context, tact_result result, const char* word)
{
    assert_int_equal(result, TACT_ERROR_INVALID_ARGUMENT);
    if (!strstr(tact_context_error(context), word))
        fail_msg("\"%s\" says nothing of %s", tact_context_error(context), word);
}

TEST(what_is_refused)
{
    tact_context* context = KEEP(new_context(&host_alone));
    const tact_body_shape ball = {.radius = 1.0f};
    tact_bodies* set = new_set(context, &ball, 1);
    uint32_t number = 0;
    const float wrong[] = {NAN, -1.0f, INFINITY, 0x1p41f};
    for (size_t i = 0; i < 4; ++i) {
        const tact_body_shape radius = {.radius = wrong[i]}, half = {.kind = TACT_BODY_BOX, .half = {1, wrong[i], 1}};
        expect_refused(context, tact_bodies_add_shape(set, &radius, &number), "radius");
        expect_refused(context, tact_bodies_add_shape(set, &half, &number), "radius");
        const tact_body margin = {.margin = wrong[i]}, scale = {.pose = {.scale = wrong[i]}};
        const tact_body place = {.pose = {.x = i == 1 ? -0x1p41 : (double)wrong[i]}};
        const tact_body turn = {.pose = {.rotation = {wrong[i], 9, 0, 0}}};
        expect_refused(context, tact_bodies_add(set, &margin, 1, NULL), "margin");
        expect_refused(context, tact_bodies_add(set, &scale, 1, NULL), "scale");
        expect_refused(context, tact_bodies_add(set, &place, 1, NULL), "position");
        expect_refused(context, tact_bodies_add(set, &turn, 1, NULL), "rotation");
    }
    expect_refused(context, tact_bodies_add_shape(set, &(tact_body_shape){.kind = (tact_body_kind)99}, &number),
                   "kind");
    expect_refused(context, tact_bodies_add_shape(set, &(tact_body_shape){.kind = TACT_BODY_HULL}, &number), "hull");
    expect_refused(context, tact_bodies_add(set, &(tact_body){.shape = 7}, 1, NULL), "shape");
    assert_int_equal(tact_bodies_count(set), 0);
    enum { ROUND = 400 };
    test_random r = test_random_seeded(6);
    tact_vec3* points = scratch(ROUND * sizeof *points);
    for (size_t i = 0; i < ROUND; ++i) {
        const float x = test_random_signed(&r), y = test_random_signed(&r), z = test_random_signed(&r);
        const float length = sqrtf(x * x + y * y + z * z);
        points[i] = (tact_vec3){x / length, y / length, z / length};
    }
    const tact_body_shape round_one = {.kind = TACT_BODY_HULL, .points = points, .point_count = ROUND};
    assert_int_equal(tact_bodies_add_shape(set, &round_one, &number), TACT_ERROR_LIMIT);
    const tact_body two[2] = {{.shape = 0}, {.shape = 0}};
    assert_int_equal(tact_bodies_add(set, two, 2, NULL), TACT_OK);
    const tact_pair pairs[] = {{0, 1}, {1, 0}, {0, 2}, {0, 0}};
    size_t count = 0;
    for (size_t i = 1; i < 4; ++i) {
        const tact_contacts_work work = {.pairs = &pairs[i], .pair_count = 1, .count = &count};
        expect_refused(context, tact_contacts_find(set, &work, NULL, NULL), "pair");
    }
    const tact_pair twice[] = {{0, 1}, {0, 1}};
    const tact_contacts_work work = {.pairs = twice, .pair_count = 2, .count = &count};
    expect_refused(context, tact_contacts_find(set, &work, NULL, NULL), "order");
    expect_refused(context, tact_bodies_remove(set, &pairs[2].b, 1), "not in the set");
    const tact_pose pose = {0};
    expect_refused(context, tact_bodies_move(set, &pairs[2].b, &pose, 1), "not in the set");
    tact_contact room;
    assert_int_equal(contacts_of(set, &room, 0, TACT_BACKEND_CPU), 1);
    assert_non_null(tact_contacts_last(set, &count));
    assert_int_equal(count, 1);
}

#include TEST_LIST

int main(int argc, char** argv)
{
    at_length = argc > 1 && strcmp(argv[1], "long") == 0;
    if (at_length) run_only("against_the_geometry_library");
    return run_all(all_tests, NULL, NULL);
}
