// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Distances of bodies, against double precision.
#include "tests/support/run.h"

#include "tests/support/distance_scene.h"
#include "tests/support/effort.h"

enum { SPECIMENS = 8 };

/// Sphere, capsule, box, small hull, larger hull, rounded box, needle, flat hull.
static uint32_t add_specimen(scene* s, test_random* r, int kind, float size)
{
    tact_vec3 points[48];
    tact_body_shape shape = {.kind = TACT_BODY_HULL, .points = points};
    const float x = size, y = size, z = size;
    const tact_vec3 half = {size * (0.1f + test_random_unit(r)), size * (0.1f + test_random_unit(r)),
                            size * (0.1f + test_random_unit(r))};
    static const tact_vec3 spread[SPECIMENS] = {
        [3] = {1, 1, 1}, [4] = {1, 1, 1}, [6] = {0.01f, 1, 0.02f}, [7] = {1, 0, 1}};
    static const size_t counts[SPECIMENS] = {0, 0, 0, 8, 48, 0, 6, 5};
    shape.point_count = counts[kind];
    for (size_t i = 0; i < counts[kind]; ++i) {
        points[i].x = x * spread[kind].x * test_random_signed(r);
        points[i].y = y * spread[kind].y * test_random_signed(r);
        points[i].z = z * spread[kind].z * test_random_signed(r);
    }
    if (kind == 0) shape = (tact_body_shape){.radius = half.x};
    if (kind == 1) shape = (tact_body_shape){.kind = TACT_BODY_CAPSULE, .radius = half.x, .half = {0, half.y, 0}};
    if (kind == 2 || kind == 5)
        shape = (tact_body_shape){.kind = TACT_BODY_BOX, .radius = kind == 5 ? 0.2f * size : 0.0f, .half = half};
    return add_shape(s, shape);
}

/// From 1e-3 to 1e3 where sizes may differ.
static float size_of(test_random* r, bool differ)
{
    return differ ? powf(10.0f, 3.0f * test_random_signed(r)) : 1.0f;
}

/// `low`, `high` and `surface`: of what is apart.
static void assert_proved(const proof* p, double low, double high, double surface)
{
    print_message(
        "%zu apart: normals show less by %.3g, points differ by %.3g, off the surfaces by %.3g; %zu deep: by "
        "%.3g; lengths of normals off by %.3g\n",
        p->apart, p->low, p->high, p->on_surface, p->deep, p->depth, p->unit);
    assert_true(p->low < low && p->high < high && p->on_surface < surface && p->unit < 1e-6);
    // A contact of many corners has not all of them.
    assert_true(p->depth < 6.2e-5);
}

/// Moves the second body of each pair until both touch, as nearly as the distance says.
static void bring_together(scene* s, const tact_body_distance_row* rows, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3 n = rows[i].normal;
        const double by = -(double)rows[i].distance;
        tact_pose pose = s->bodies[rows[i].b].pose;
        pose.x += by * (double)n.x;
        pose.y += by * (double)n.y;
        pose.z += by * (double)n.z;
        assert_int_equal(tact_bodies_move(s->set, &rows[i].b, &pose, 1), TACT_OK);
        assert_int_equal(tact_bodies_get(s->set, rows[i].b, &s->bodies[rows[i].b]), TACT_OK);
    }
}

TEST(distances_of_solids_are_those_of_double_precision)
{
    test_random r = test_random_seeded(1);
    enum { PAIRS = 24 };
    proof p = {0}, touching = {0};
    double left = 0.0;
    size_t lost = 0;
    scene* s = scratch(sizeof *s);
    tact_context* context = KEEP(new_context(&host_alone));
    for (size_t round = 0; round < effort(2, 420); ++round) {
        for (int kinds = 0; kinds < SPECIMENS * SPECIMENS; ++kinds) {
            if (kinds % SPECIMENS > kinds / SPECIMENS) continue;
            memset(s, 0, sizeof *s);
            assert_int_equal(tact_bodies_create(context, &s->set), TACT_OK);
            const bool differ = round % 2;
            const float first = size_of(&r, differ), second = size_of(&r, differ);
            const uint32_t a = add_specimen(s, &r, kinds % SPECIMENS, first),
                           b = add_specimen(s, &r, kinds / SPECIMENS, second);
            const double far = round % 3 == 2 ? 16777216.0 : 0.0;
            const double about = (double)(first > second ? first : second) * (round % 4 ? 1.5 : 60.0);
            tact_pair pairs[PAIRS];
            tact_body_distance_row rows[PAIRS];
            for (uint32_t i = 0; i < PAIRS; ++i) {
                pairs[i] = (tact_pair){2 * i, 2 * i + 1};
                add_body_with(s, a, somewhere(&r, far, 0.0), 1e-3f * (first + second));
                add_body(s, b, somewhere(&r, far, about));
            }
            find_distances(s, &(tact_body_distances_work){.pairs = pairs, .pair_count = PAIRS}, rows);
            for (uint32_t i = 0; i < PAIRS; ++i)
                check_row(s, &rows[i], &p);
            tact_body_distance_row before[PAIRS];
            memcpy(before, rows, sizeof rows);
            bring_together(s, rows, PAIRS);
            find_distances(s, &(tact_body_distances_work){.pairs = pairs, .pair_count = PAIRS}, rows);
            for (uint32_t i = 0; i < PAIRS; ++i) {
                check_row(s, &rows[i], &touching);
                const double size = 2.0 * (double)(first + second) + fabs((double)before[i].distance);
                left = fmax(left, fabs((double)rows[i].distance) / size);
            }
            // What touches is within the margins.
            size_t contacts = 0;
            const tact_contacts_work work = {.pairs = pairs, .pair_count = PAIRS, .count = &contacts};
            assert_int_equal(tact_contacts_find(s->set, &work, NULL, NULL), TACT_OK);
            lost += PAIRS - contacts;
            tact_bodies_destroy(s->set);
        }
    }
    assert_proved(&p, 3.8e-6, 3.8e-6, 3.8e-6);
    // Closest points of cores that touch may be apart.
    assert_proved(&touching, 1.2e-4, 7.8e-3, 3e-5);
    print_message("what was moved to touch is apart by %.3g, %zu contacts are lost\n", left, lost);
    // Where sizes differ by thousands, what the search for the distance ends with may be beyond the margin.
    assert_true(left < 1e-3 && lost <= (touching.apart + touching.deep) / 50000);
    assert_true(p.apart > 100 && touching.deep > 50);
}

/// All pairs of a scene's bodies.
static size_t all_pairs(const scene* s, tact_pair* pairs)
{
    size_t count = 0;
    for (uint32_t a = 0; a < s->count; ++a) {
        for (uint32_t b = a + 1; b < s->count; ++b)
            pairs[count++] = (tact_pair){a, b};
    }
    return count;
}

/// A body of every kind, some a second time.
static void add_all(scene* s, test_random* r, double from, double half)
{
    for (uint32_t i = 0; i < 2 * KINDS; ++i) {
        tact_pose pose = somewhere(r, from, half);
        pose.scale = i % 3 ? 1.0f : 0.6f;
        add_body(s, i % KINDS, pose);
    }
}

/// The least distance of any two parts, by the geometry library.
static double least_between(const scene* s, tact_pair pair)
{
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < s->models[s->bodies[pair.a].shape].count; ++i) {
        for (uint32_t k = 0; k < s->models[s->bodies[pair.b].shape].count; ++k) {
            const solid a = part_at(s, pair.a, i, pair.a), b = part_at(s, pair.b, k, pair.a);
            least = fmin(least, between(&a, &b));
        }
    }
    return least;
}

TEST(the_nearest_parts_count)
{
    test_random r = test_random_seeded(2);
    proof p = {0};
    size_t apart = 0, overlaps = 0;
    for (size_t round = 0; round < effort(6, 200); ++round) {
        scene* s = scratch(sizeof *s);
        open_scene(s);
        add_kinds(s, &r);
        add_all(s, &r, round % 3 ? 0.0 : 1e7, round % 2 ? 1.2 : 6.0);
        tact_pair pairs[MOST_PAIRS];
        const size_t count = all_pairs(s, pairs);
        tact_body_distance_row rows[MOST_PAIRS], over[MOST_PAIRS], near[MOST_PAIRS];
        tact_body_distances_work work = {.pairs = pairs, .pair_count = count};
        find_distances(s, &work, rows);
        work.farthest = 1.0f;
        find_distances(s, &work, near);
        work.farthest = 0.0f;
        work.mode = TACT_BODY_DISTANCES_OVERLAP;
        find_distances(s, &work, over);
        for (size_t i = 0; i < count; ++i) {
            check_row(s, &rows[i], &p);
            const double least = least_between(s, pairs[i]), found = (double)rows[i].distance;
            if (least > 0.0 ? fabs(least - found) > 2e-5 : found > 2e-5)
                fail_msg("pair %u %u: %.9g, but parts at %.9g", pairs[i].a, pairs[i].b, found, least);
            apart += found > 0.0;
            overlaps += found <= 0.0;
            const tact_body_distance_row said = {
                .a = pairs[i].a, .b = pairs[i].b, .distance = found <= 0.0 ? 0.0f : INFINITY};
            assert_memory_equal(&over[i], &said, sizeof said);
            const tact_body_distance_row none = {.a = pairs[i].a, .b = pairs[i].b, .distance = INFINITY};
            assert_memory_equal(&near[i], found <= 1.0 ? &rows[i] : &none, sizeof none);
        }
    }
    assert_proved(&p, 3.8e-6, 3.8e-6, 3.8e-6);
    print_message("%zu pairs apart, %zu that overlap\n", apart, overlaps);
    assert_true(apart > 200 && overlaps > 10);
}

/// The row says what the deepest point of the contact of the same parts does.
TEST(depths_are_those_of_contacts)
{
    test_random r = test_random_seeded(3);
    size_t deep = 0, shallow = 0;
    for (size_t round = 0; round < effort(10, 200); ++round) {
        scene* s = scratch(sizeof *s);
        open_scene(s);
        add_kinds(s, &r);
        add_all(s, &r, 0.0, 1.0);
        tact_pair pairs[MOST_PAIRS];
        const size_t count = all_pairs(s, pairs);
        tact_body_distance_row rows[MOST_PAIRS];
        find_distances(s, &(tact_body_distances_work){.pairs = pairs, .pair_count = count}, rows);
        size_t contact_count = 0;
        const tact_contacts_work work = {.pairs = pairs, .pair_count = count, .count = &contact_count};
        assert_int_equal(tact_contacts_find(s->set, &work, NULL, NULL), TACT_OK);
        const tact_contact* contacts = tact_contacts_last(s->set, &contact_count);
        for (size_t i = 0, k = 0; i < count; ++i) {
            const tact_body_distance_row* row = &rows[i];
            float least = INFINITY;
            for (; k < contact_count && contacts[k].a == row->a && contacts[k].b == row->b; ++k) {
                float own = INFINITY;
                for (uint32_t n = 0; n < contacts[k].count; ++n)
                    own = fminf(own, contacts[k].point[n].separation);
                least = fminf(least, own);
                if (contacts[k].part_a != row->part_a || contacts[k].part_b != row->part_b) continue;
                const solid a = part_at(s, row->a, row->part_a, row->a), b = part_at(s, row->b, row->part_b, row->a);
                if (memcmp(&row->normal, &contacts[k].normal, sizeof row->normal) == 0) {
                    deep += (double)own < -(a.radius + b.radius);
                    assert_float_equal(row->distance, own < 0.0f ? own : 0.0f, 1e-5f);
                } else if (!is_surface(s, row->a) && !is_surface(s, row->b)) {
                    // Where cores are apart, or touch, normals may differ; of flat parts those of triangles beside
                    // count.
                    ++shallow;
                    assert_true((double)row->distance > -(a.radius + b.radius) - 1e-5);
                    assert_float_equal(row->distance, own, 2e-5f);
                }
            }
            // A normal that belongs to another triangle is that of the side, which may be deeper.
            if (!is_surface(s, row->a) && !is_surface(s, row->b) && least <= 0.0f && row->distance > least + 2e-5f)
                fail_msg("pair %u %u: %.9g, but a contact has %.9g", row->a, row->b, (double)row->distance,
                         (double)least);
        }
    }
    print_message("%zu deep, %zu within radii\n", deep, shallow);
    assert_true(deep > 50 && shallow > 5);
}

static tact_body_distance_row one_distance(scene* s, uint32_t a, uint32_t b)
{
    const tact_pair pair = {a, b};
    tact_body_distance_row row;
    find_distances(s, &(tact_body_distances_work){.pairs = &pair, .pair_count = 1}, &row);
    return row;
}

static void assert_vec(tact_vec3 v, float x, float y, float z)
{
    assert_float_equal(v.x, x, 1e-5f);
    assert_float_equal(v.y, y, 1e-5f);
    assert_float_equal(v.z, z, 1e-5f);
}

TEST(points_are_from_their_own_bodies_positions)
{
    scene s;
    open_scene(&s);
    const uint32_t ball = add_shape(&s, (tact_body_shape){.radius = 0.5f});
    const uint32_t box = add_shape(&s, (tact_body_shape){.kind = TACT_BODY_BOX, .half = {1, 2, 3}});
    for (int i = 0; i < 3; ++i) {
        const double far = i == 0 ? 0.0 : i == 1 ? 0x1p30 : -0x1p39;
        add_body(&s, ball, pose_at(far, 0.25, -far));
        add_body(&s, box, pose_at(far + 4.0, 0.25, -far));
    }
    for (uint32_t i = 0; i < 6; i += 2) {
        const tact_body_distance_row row = one_distance(&s, i, i + 1);
        assert_true(row.distance == 2.5f);
        assert_vec(row.normal, 1, 0, 0);
        assert_vec(row.on_a, 0.5f, 0, 0);
        assert_vec(row.on_b, -1, 0, 0);
    }
    // However far they are from each other, each point has its body's digits.
    const tact_body_distance_row row = one_distance(&s, 0, 3);
    assert_true(row.distance > 1.5e9f && row.distance < 1.6e9f);
    assert_vec(row.on_a, 0.5f * row.normal.x, 0, 0.5f * row.normal.z);
    assert_vec(row.on_b, -1, row.on_b.y, 3);
}

TEST(a_half_space_is_as_near_as_what_is_lowest)
{
    scene s;
    open_scene(&s);
    const uint32_t ball = add_shape(&s, (tact_body_shape){.radius = 0.5f});
    const uint32_t plane = add_shape(&s, (tact_body_shape){.kind = TACT_BODY_HALF_SPACE});
    const uint32_t box = add_shape(&s, (tact_body_shape){.kind = TACT_BODY_BOX, .half = {1, 1, 1}});
    add_body(&s, plane, pose_at(100.0, 1.0, -50.0));
    add_body(&s, ball, pose_at(0, 3.5, 0));
    add_body(&s, plane, (tact_pose){.y = 20.0, .rotation = {1, 0, 0, 0}});
    add_body(&s, box, pose_at(3, 1.5, 0));
    tact_body_distance_row row = one_distance(&s, 0, 1);
    assert_true(row.distance == 2.0f && row.normal.y == 1.0f);
    assert_vec(row.on_a, -100, 0, 50);
    assert_vec(row.on_b, 0, -0.5f, 0);
    row = one_distance(&s, 1, 2);
    assert_true(row.distance == 16.0f);
    assert_vec(row.normal, 0, 1, 0);
    assert_vec(row.on_a, 0, 0.5f, 0);
    assert_vec(row.on_b, 0, 0, 0);
    row = one_distance(&s, 0, 3);
    assert_true(row.distance == -0.5f && row.normal.y == 1.0f && row.on_b.y == -1.0f);
    assert_float_equal(row.on_a.y, 0.0f, 1e-5f);
    assert_true(fabsf(row.on_b.x) == 1.0f && fabsf(row.on_b.z) == 1.0f);
    assert_vec(row.on_a, row.on_b.x - 97.0f, row.on_a.y, row.on_b.z + 50.0f);
    // Two of them have no distance.
    row = one_distance(&s, 0, 2);
    const tact_body_distance_row none = {.a = 0, .b = 2, .distance = INFINITY};
    assert_memory_equal(&row, &none, sizeof none);
}

TEST(surfaces_have_a_distance_and_sides)
{
    scene s;
    open_scene(&s);
    const tact_vec3 corners[4] = {{-2, 0, -2}, {2, 0, -2}, {2, 0, 2}, {-2, 0, 2}};
    // Seen from above to the left.
    const uint32_t triangles[6] = {0, 2, 1, 0, 3, 2};
    tact_body_shape sheet = {
        .kind = TACT_BODY_MESH, .points = corners, .point_count = 4, .triangles = triangles, .triangle_count = 2};
    const uint32_t both = add_shape(&s, sheet);
    sheet.one_sided = true;
    const uint32_t one = add_shape(&s, sheet), ball = add_shape(&s, (tact_body_shape){.radius = 0.5f});
    add_body(&s, both, pose_at(0, 0, 0));
    add_body(&s, one, pose_at(0, 0, 0));
    add_body(&s, ball, pose_at(0.5, 3, 0.25));
    add_body(&s, ball, pose_at(0.5, -3, 0.25));
    add_body(&s, both, (tact_pose){.y = 3.0, .rotation = {0.5f, 0, 0, 0.5f}});
    for (uint32_t sheet_id = 0; sheet_id < 2; ++sheet_id) {
        const tact_body_distance_row row = one_distance(&s, sheet_id, 2);
        assert_true(row.distance == 2.5f && row.normal.y == 1.0f);
        assert_vec(row.on_a, 0.5f, 0, 0.25f);
        assert_vec(row.on_b, 0, -0.5f, 0);
    }
    assert_true(one_distance(&s, 0, 3).distance == 2.5f);
    // Nothing is behind a triangle of one side.
    assert_true(isinf(one_distance(&s, 1, 3).distance));
    // Upright over the other: its lower edge is 1 above.
    assert_float_equal(one_distance(&s, 0, 4).distance, 1.0f, 1e-5f);
    assert_float_equal(one_distance(&s, 1, 4).distance, 1.0f, 1e-5f);
    // Crossing.
    const uint32_t id = 4;
    const tact_pose through = {.y = 0.5, .x = 0.3, .rotation = {0.5f, 0, 0, 0.5f}};
    assert_int_equal(tact_bodies_move(s.set, &id, &through, 1), TACT_OK);
    const tact_body_distance_row row = one_distance(&s, 0, 4);
    assert_true(row.distance == 0.0f);
    assert_float_equal(row.normal.x * row.normal.x + row.normal.y * row.normal.y + row.normal.z * row.normal.z, 1.0f,
                       1e-5f);
}

TEST(what_is_in_one_place_overlaps)
{
    scene s;
    open_scene(&s);
    const uint32_t shapes[4] = {
        add_shape(&s, (tact_body_shape){.radius = 0.0f}), add_shape(&s, (tact_body_shape){.radius = 0.5f}),
        add_shape(&s, (tact_body_shape){.kind = TACT_BODY_CAPSULE, .radius = 0.25f, .half = {0, 1, 0}}),
        add_shape(&s, (tact_body_shape){.kind = TACT_BODY_BOX, .half = {1, 1, 1}})};
    static const float depth[4][4] = {{0, 0.5f, 0.25f, 1}, {0, 1, 0.75f, 1.5f}, {0, 0, 0.5f, 1.25f}, {0, 0, 0, 2}};
    for (uint32_t i = 0; i < 8; ++i)
        add_body(&s, shapes[i % 4], pose_at(0, 0, 0));
    for (uint32_t a = 0; a < 4; ++a) {
        for (uint32_t b = a; b < 4; ++b) {
            const tact_body_distance_row row = one_distance(&s, a, b + 4);
            assert_float_equal(row.distance, -depth[a][b], 1e-5f);
            const tact_vec3 n = row.normal;
            assert_float_equal(n.x * n.x + n.y * n.y + n.z * n.z, 1.0f, 1e-5f);
            // From one point to the other is along the normal.
            const float way =
                (row.on_b.x - row.on_a.x) * n.x + (row.on_b.y - row.on_a.y) * n.y + (row.on_b.z - row.on_a.z) * n.z;
            assert_float_equal(way, row.distance, 1e-5f);
        }
    }
}

/// Trees leave out parts; the reference looks at all.
TEST(large_surfaces_have_the_nearest_of_all_parts)
{
    enum { SIDE_POINTS = 25, LINKS = 12, CHAIN = 16 };
    test_random r = test_random_seeded(4);
    scene* s = scratch(sizeof *s);
    open_scene(s);
    add_kinds(s, &r);
    float heights[SIDE_POINTS * SIDE_POINTS];
    for (int i = 0; i < SIDE_POINTS * SIDE_POINTS; ++i)
        heights[i] = 0.6f * test_random_signed(&r);
    const tact_body_shape field = {.kind = TACT_BODY_HEIGHT_FIELD,
                                   .half = {0.4f, 0, 0.5f},
                                   .heights = heights,
                                   .columns = SIDE_POINTS,
                                   .rows = SIDE_POINTS};
    tact_body_part parts[CHAIN];
    for (uint32_t i = 0; i < CHAIN; ++i)
        parts[i] = (tact_body_part){
            .shape = i % CONVEX, .scale = 0.5f, .position = {0.6f * ((float)i - 8.0f), 0.1f * (float)(i % 3), 0}};
    const tact_body_shape chain = {.kind = TACT_BODY_COMPOUND, .parts = parts, .part_count = CHAIN};
    uint32_t large[2] = {0};
    const uint32_t plane = add_shape(s, (tact_body_shape){.kind = TACT_BODY_HALF_SPACE});
    assert_int_equal(tact_bodies_add_shape(s->set, &field, &large[0]), TACT_OK);
    assert_int_equal(tact_bodies_add_shape(s->set, &chain, &large[1]), TACT_OK);
    size_t apart = 0;
    for (size_t round = 0; round < effort(2, 12); ++round) {
        tact_body bodies[LINKS + 3] = {{.shape = large[0]}, {.shape = large[1]}, {.shape = large[round % 2]}};
        uint32_t ids[LINKS + 3];
        for (uint32_t i = 1; i < LINKS + 3; ++i) {
            if (i > 2) bodies[i].shape = i < LINKS + 2 ? i % KINDS : plane;
            bodies[i].pose = somewhere(&r, 0.0, 6.0);
            bodies[i].pose.x += 5.0;
            bodies[i].pose.z += 6.0;
        }
        assert_int_equal(tact_bodies_add(s->set, bodies, LINKS + 3, ids), TACT_OK);
        tact_pair pairs[3 * LINKS + 3];
        size_t count = 0;
        for (uint32_t a = 0; a < 3; ++a) {
            for (uint32_t b = a + 1; b < LINKS + 3; ++b)
                pairs[count++] = (tact_pair){ids[a], ids[b]};
        }
        tact_body_distance_row rows[3 * LINKS + 3];
        tact_body_distances_work work = {.pairs = pairs, .pair_count = count};
        find_distances(s, &work, rows);
        for (size_t i = 0; i < count; ++i)
            apart += rows[i].distance > 0.0f;
        work.farthest = 0.5f;
        find_distances(s, &work, rows);
        work.farthest = 0.0f;
        work.mode = TACT_BODY_DISTANCES_OVERLAP;
        find_distances(s, &work, rows);
        assert_int_equal(tact_bodies_remove(s->set, ids, LINKS + 3), TACT_OK);
    }
    assert_true(apart > 20);
}

TEST(all_pairs_are_those_whose_boxes_overlap)
{
    scene s;
    open_scene(&s);
    const uint32_t ball = add_shape(&s, (tact_body_shape){.radius = 0.5f});
    const tact_body bodies[4] = {{.shape = ball, .margin = 1.0f},
                                 {.shape = ball, .pose.x = 1.5, .margin = 1.0f},
                                 {.shape = ball, .pose.x = 30.0},
                                 {.shape = ball, .pose.x = 0.5, .categories = {2, 2}}};
    assert_int_equal(tact_bodies_add(s.set, bodies, 4, NULL), TACT_OK);
    tact_body_distance_row rows[8];
    size_t count = 0;
    tact_body_distances_work work = {.distances = rows, .capacity = 8, .count = &count};
    assert_int_equal(tact_body_distances_find(s.set, &work, NULL, NULL), TACT_OK);
    assert_int_equal(count, 3);
    // Margins have no part in it.
    assert_true(rows[0].a == 0 && rows[0].b == 1 && rows[0].distance == 0.5f);
    assert_true(rows[1].b == 3 && rows[1].distance == -0.5f && rows[2].a == 1 && rows[2].distance == 0.0f);
    // With too little room nothing is lost.
    work.capacity = 1;
    assert_int_equal(tact_body_distances_find(s.set, &work, NULL, NULL), TACT_INCOMPLETE);
    assert_int_equal(count, 3);
    size_t kept = 0;
    const tact_body_distance_row* last = tact_body_distances_last(s.set, &kept);
    assert_int_equal(kept, 3);
    assert_memory_equal(last, rows, sizeof *rows);
    const tact_body_distances_work empty = {.pairs = &(tact_pair){0, 1}, .count = &count};
    assert_int_equal(tact_body_distances_find(s.set, &empty, NULL, NULL), TACT_OK);
    assert_int_equal(count, 0);
    assert_null(tact_body_distances_last(s.set, NULL));
}

TEST(what_is_wrong_is_said)
{
    scene s;
    open_scene(&s);
    const uint32_t ball = add_shape(&s, (tact_body_shape){.radius = 0.5f});
    add_body(&s, ball, pose_at(0, 0, 0));
    add_body(&s, ball, pose_at(3, 0, 0));
    size_t count = 7;
    const tact_pair good = {0, 1}, bad[3] = {{1, 0}, {0, 0}, {0, 2}};
    tact_body_distances_work work = {.pairs = &good, .pair_count = 1, .count = &count};
    assert_int_equal(tact_body_distances_find(NULL, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_body_distances_find(s.set, NULL, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    for (int i = 0; i < 3; ++i) {
        work.pairs = &bad[i];
        assert_int_equal(tact_body_distances_find(s.set, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    }
    work.pairs = &good;
    static const float farthest[2] = {-1.0f, NAN};
    for (int i = 0; i < 2; ++i) {
        work.farthest = farthest[i];
        assert_int_equal(tact_body_distances_find(s.set, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    }
    work.mode = TACT_BODY_DISTANCES_OVERLAP;
    work.farthest = 1.0f;
    assert_int_equal(tact_body_distances_find(s.set, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    work.farthest = 0.0f;
    work.mode = (tact_body_distances_mode)2;
    assert_int_equal(tact_body_distances_find(s.set, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    work.mode = TACT_BODY_DISTANCES_CLOSEST;
    work.capacity = 1;
    assert_int_equal(tact_body_distances_find(s.set, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    work.capacity = 0;
    work.farthest = INFINITY;
    assert_int_equal(tact_body_distances_find(s.set, &work, NULL, NULL), TACT_OK);
    assert_true(tact_body_distances_last(s.set, &count)->distance == 2.0f);
}

/// Sizes and places at the ends of what is allowed: numbers of unit length, or none.
TEST(sizes_of_any_kind_have_a_distance)
{
    scene s;
    open_scene(&s);
    const uint32_t ball = add_shape(&s, (tact_body_shape){.radius = 1.0f});
    const uint32_t box = add_shape(&s, (tact_body_shape){.kind = TACT_BODY_BOX, .half = {1, 0x1p-60f, 0}});
    static const float sizes[6] = {0x1p-40f, 0x1p-30f, 0x1p-10f, 0x1p10f, 0x1p30f, 0x1p40f};
    static const double places[4] = {0.0, 0x1p-100, 1.0, 0x1p40};
    for (int i = 0; i < 24; ++i) {
        tact_pose pose = {.x = places[i / 6], .y = -places[i / 6], .rotation = {0.3f, 0.1f, 0, 1}};
        pose.scale = sizes[i % 6];
        add_body(&s, i % 2 ? ball : box, pose);
    }
    tact_pair pairs[MOST_PAIRS];
    tact_body_distance_row rows[MOST_PAIRS];
    const size_t count = all_pairs(&s, pairs);
    find_distances(&s, &(tact_body_distances_work){.pairs = pairs, .pair_count = count}, rows);
    for (size_t i = 0; i < count; ++i) {
        const tact_vec3 n = rows[i].normal;
        assert_true(isfinite(rows[i].distance));
        assert_float_equal(n.x * n.x + n.y * n.y + n.z * n.z, 1.0f, 1e-5f);
    }
}

#include TEST_LIST

RUN_ALL(NULL, NULL)
