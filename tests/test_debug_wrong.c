// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Debug drawing of what cannot be drawn: each number that makes a shape none, in turn, and what is drawn where it is
// one. What shapes look like: test_debug_draw.c.

#include "tests/support/run.h"

#include "tests/support/counting_allocator.h"
#include "tests/support/objects.h"
#include "tests/support/test_context.h"

/// How many vertices came of each sort.
typedef struct drawn {
    size_t points, lines, triangles;
} drawn;

static tact_result take_points(const tact_debug_vertex* vertices, size_t count, void* user)
{
    ((drawn*)user)->points += count;
    return TACT_OK;
}

static tact_result take_lines(const tact_debug_vertex* vertices, size_t count, void* user)
{
    ((drawn*)user)->lines += count;
    return TACT_OK;
}

static tact_result take_triangles(const tact_debug_vertex* vertices, size_t count, void* user)
{
    ((drawn*)user)->triangles += count;
    return TACT_OK;
}

static drawn now;
static tact_debug_draw draw = {.points = take_points, .lines = take_lines, .triangles = take_triangles, .user = &now};

/// What has been drawn since the last time, in vertices.
static size_t all_drawn(void)
{
    const size_t count = now.points + now.lines + now.triangles;
    now = (drawn){0};
    return count;
}

static const float no_number = NAN, no_end = INFINITY;

TEST(boxes_that_hold_nothing_are_not_drawn)
{
    const tact_obb good = {.axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .half = {1, 1, 1}};
    assert_int_equal(tact_debug_obb(&draw, TACT_DEBUG_VOLUME, &good), TACT_OK);
    assert_true(all_drawn() > 0);
    for (int i = 0; i < 3; ++i) {
        tact_obb bad = good;
        (&bad.half.x)[i] = -1.0f;
        assert_int_equal(tact_debug_obb(&draw, TACT_DEBUG_VOLUME, &bad), TACT_OK);
        bad = good;
        (&bad.center.x)[i] = no_end;
        assert_int_equal(tact_debug_obb(&draw, TACT_DEBUG_VOLUME, &bad), TACT_OK);
    }
    assert_int_equal(all_drawn(), 0);
}

TEST(round_shapes_need_numbers)
{
    const tact_capsule good = {{0, 0, 0}, {1, 0, 0}, 0.5f};
    assert_int_equal(tact_debug_capsule(&draw, TACT_DEBUG_VOLUME, good), TACT_OK);
    assert_true(all_drawn() > 0);
    tact_capsule bad[4] = {good, good, good, good};
    bad[0].a.y = no_number;
    bad[1].b.z = no_end;
    bad[2].radius = no_end;
    bad[3].radius = -1.0f;
    for (int i = 0; i < 4; ++i)
        assert_int_equal(tact_debug_capsule(&draw, TACT_DEBUG_VOLUME, bad[i]), TACT_OK);
    const tact_sphere balls[3] = {{{no_number, 0, 0}, 1}, {{0, 0, 0}, no_end}, {{0, 0, 0}, -1}};
    for (int i = 0; i < 3; ++i)
        assert_int_equal(tact_debug_sphere(&draw, TACT_DEBUG_VOLUME, balls[i]), TACT_OK);
    assert_int_equal(all_drawn(), 0);
}

TEST(planes_need_a_direction_and_a_size)
{
    const tact_plane good = {{0, 2, 0}, 1};
    const tact_vec3 centre = {0, 0, 0}, nowhere = {0, no_number, 0};
    assert_int_equal(tact_debug_plane(&draw, good, centre, 1.0f), TACT_OK);
    assert_true(all_drawn() > 0);
    const tact_plane bad[4] = {{{0, no_number, 0}, 1}, {{0, 2, 0}, no_end}, {{0, 0, 0}, 1}, {{0, no_end, 0}, 1}};
    for (int i = 0; i < 4; ++i)
        assert_int_equal(tact_debug_plane(&draw, bad[i], centre, 1.0f), TACT_OK);
    assert_int_equal(tact_debug_plane(&draw, good, nowhere, 1.0f), TACT_OK);
    assert_int_equal(tact_debug_plane(&draw, good, centre, no_end), TACT_OK);
    assert_int_equal(tact_debug_plane(&draw, good, centre, -1.0f), TACT_OK);
    assert_int_equal(all_drawn(), 0);
}

TEST(frusta_need_planes_and_a_reach)
{
    tact_frustum f = {.planes = 1};
    for (int c = 0; c < 8; ++c)
        f.corner[c] = (tact_vec3){(float)(c & 1), (float)(c >> 1 & 1), (float)(c >> 2)};
    // Twelve edges; with a corner that is a direction, and with two, whose edge is left out.
    static const struct {
        uint32_t directions;
        size_t edges;
    } rows[] = {{0, 12}, {1, 12}, {128, 12}, {3, 11}, {255, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        f.directions = (uint8_t)rows[i].directions;
        assert_int_equal(tact_debug_frustum(&draw, &f, 2.0f), TACT_OK);
        assert_int_equal(all_drawn(), 2 * rows[i].edges);
    }
    f.directions = 0;
    assert_int_equal(tact_debug_frustum(&draw, &f, no_end), TACT_OK);
    assert_int_equal(tact_debug_frustum(&draw, &f, -1.0f), TACT_OK);
    f.corner[3].x = no_number;
    assert_int_equal(tact_debug_frustum(&draw, &f, 2.0f), TACT_OK);
    f.corner[3].x = 1.0f;
    f.planes = 0;
    assert_int_equal(tact_debug_frustum(&draw, &f, 2.0f), TACT_OK);
    assert_int_equal(all_drawn(), 0);
}

TEST(rays_need_a_way)
{
    const tact_ray good = {.dz = 1.0f, .tmax = 4.0f};
    const tact_hit hit = {.t = 2.0f};
    const tact_vec3 normal = {0, 0, 1}, wrong = {0, 0, no_number};
    assert_int_equal(tact_debug_ray(&draw, &good, &hit, &normal, 9.0f), TACT_OK);
    assert_true(now.lines == 4 && now.points == 1);
    all_drawn();
    // Without a normal, or with one that is none, the hit is a point.
    assert_int_equal(tact_debug_ray(&draw, &good, &hit, NULL, 9.0f), TACT_OK);
    assert_int_equal(tact_debug_ray(&draw, &good, &hit, &wrong, 9.0f), TACT_OK);
    assert_true(now.lines == 4 && now.points == 2);
    all_drawn();
    tact_ray bad[4] = {good, good, good, good};
    bad[0].ox = no_number;
    bad[1].dz = 0.0f;
    bad[2].tmin = 5.0f;
    bad[3].tmax = no_number;
    for (int i = 0; i < 4; ++i)
        assert_int_equal(tact_debug_ray(&draw, &bad[i], NULL, NULL, 9.0f), TACT_OK);
    assert_int_equal(tact_debug_ray(&draw, &good, NULL, NULL, no_end), TACT_OK);
    assert_int_equal(tact_debug_ray(&draw, &good, NULL, NULL, -1.0f), TACT_OK);
    assert_int_equal(all_drawn(), 0);
}

TEST(contacts_without_a_direction_are_points)
{
    const tact_vec3 at = {1, 2, 3}, up = {0, 1, 0}, nowhere = {no_end, 0, 0}, none = {0, 0, 0};
    assert_int_equal(tact_debug_contact(&draw, at, up, 1.0f), TACT_OK);
    assert_true(now.lines == 2 && now.points == 1);
    all_drawn();
    assert_int_equal(tact_debug_contact(&draw, at, nowhere, 1.0f), TACT_OK);
    assert_int_equal(tact_debug_contact(&draw, at, none, 1.0f), TACT_OK);
    assert_int_equal(tact_debug_contact(&draw, at, up, no_end), TACT_OK);
    assert_true(now.lines == 0 && now.points == 3);
    all_drawn();
    assert_int_equal(tact_debug_contact(&draw, nowhere, up, 1.0f), TACT_OK);
    assert_int_equal(all_drawn(), 0);
}

TEST(manifolds_and_triangles_need_numbers)
{
    tact_manifold m = {.normal = {0, 1, 0}, .count = 2};
    m.point[1].b.y = 1.0f;
    assert_int_equal(tact_debug_manifold(&draw, &m, 1.0f), TACT_OK);
    assert_true(now.lines == 8 && now.points == 4);
    all_drawn();
    assert_int_equal(tact_debug_manifold(&draw, &m, no_end), TACT_OK);
    assert_true(now.lines == 4 && now.points == 4);
    all_drawn();
    m.normal.y = no_end;
    m.point[0].b.z = no_number;
    assert_int_equal(tact_debug_manifold(&draw, &m, 1.0f), TACT_OK);
    assert_true(now.lines == 2 && now.points == 2);
    all_drawn();
    m.normal = (tact_vec3){0, 0, 0};
    m.point[1].a.z = no_number;
    assert_int_equal(tact_debug_manifold(&draw, &m, 1.0f), TACT_OK);
    assert_int_equal(all_drawn(), 0);
    // No more points than there is room for, whatever it says.
    m = (tact_manifold){.normal = {0, 1, 0}, .count = 1000};
    assert_int_equal(tact_debug_manifold(&draw, &m, 1.0f), TACT_OK);
    assert_int_equal(now.points, 2 * TACT_MANIFOLD_POINTS);
    all_drawn();
    tact_triangle_contact contacts[2] = {{.meeting = TACT_TRIANGLES_MEET_IN_POINT},
                                         {.meeting = TACT_TRIANGLES_MEET_IN_SEGMENT}};
    float matrix[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    assert_int_equal(tact_debug_triangle_contacts(&draw, contacts, 2, matrix), TACT_OK);
    assert_true(now.lines == 2 && now.points == 1);
    all_drawn();
    assert_int_equal(tact_debug_triangle_contacts(&draw, contacts, 2, NULL), TACT_OK);
    assert_int_equal(all_drawn(), 3);
    matrix[4] = no_number;
    assert_int_equal(tact_debug_triangle_contacts(&draw, contacts, 2, matrix), TACT_OK);
    assert_int_equal(tact_debug_triangle_contacts(&draw, NULL, 0, NULL), TACT_OK);
    assert_int_equal(tact_debug_triangle_contacts(&draw, NULL, 1, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_debug_triangle_contacts(NULL, NULL, 0, NULL), TACT_ERROR_INVALID_ARGUMENT);
    contacts[0].segment.a.x = contacts[1].segment.b.x = no_number;
    assert_int_equal(tact_debug_triangle_contacts(&draw, contacts, 2, NULL), TACT_OK);
    assert_int_equal(all_drawn(), 0);
}

TEST(scenes_have_levels_when_they_are_committed)
{
    // A corner that is no number, a triangle without area, and one whose normal is beyond a double.
    const float far = 1e16f;
    const float p[27] = {0, 0, no_number, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, far, 0, 0, 0, far, 0};
    const tact_mesh_desc desc = {.positions = p, .vertex_count = 9, .triangle_count = 3};
    assert_int_equal(tact_debug_scene_levels(NULL), 0);
    assert_int_equal(tact_debug_instance_levels(NULL, 0), 0);
    tact_scene* scene = KEEP(new_scene(context));
    assert_int_equal(tact_debug_scene_levels(scene), 0);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(tact_debug_scene_levels(scene), 0);
    const uint32_t mesh = put_mesh(scene, &desc);
    const uint32_t id = put_instance(scene, mesh, NULL);
    assert_int_equal(tact_debug_instance_levels(scene, id), 0);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_true(tact_debug_scene_levels(scene) > 0 && tact_debug_instance_levels(scene, id) > 0);
    assert_int_equal(tact_debug_instance_levels(scene, id + 1), 0);
    all_drawn();
    assert_int_equal(tact_debug_instance_edges(&draw, scene, id), TACT_OK);
    assert_int_equal(all_drawn(), 12);  // of the two triangles that have corners
    assert_int_equal(tact_debug_instance_normals(&draw, scene, id, no_end), TACT_OK);
    assert_int_equal(all_drawn(), 0);
    assert_int_equal(tact_debug_instance_normals(&draw, scene, id, 1.0f), TACT_OK);
    assert_int_equal(all_drawn(), 2);
    assert_int_equal(tact_debug_instance_triangle(&draw, scene, id, 0), TACT_OK);
    assert_int_equal(all_drawn(), 0);
    assert_int_equal(tact_scene_remove_instance(scene, id), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(tact_debug_instance_levels(scene, id), 0);
}

static tact_result refuse(const tact_debug_vertex* vertices, size_t count, void* user)
{
    return TACT_ERROR_CANCELLED;
}

/// What the callback says is said on, with a sentence where it left none; nothing more is drawn then.
TEST(colours_and_refusals_are_passed_on)
{
    const tact_vec3 at = {1, 2, 3}, up = {0, 1, 0};
    tact_debug_draw no = {.points = refuse, .lines = take_lines, .user = &now};
    assert_int_equal(tact_debug_contact(&no, at, up, 1.0f), TACT_ERROR_CANCELLED);
    assert_non_null(strstr(tact_last_error(), "TACT_ERROR_CANCELLED"));
    tact_debug_color colours[TACT_DEBUG_KINDS];
    memset(colours, 7, sizeof colours);
    tact_debug_list* list = NULL;
    assert_int_equal(tact_debug_list_create(context, &list), TACT_OK);
    tact_debug_draw to = tact_debug_list_draw(list);
    to.colors = colours;
    const tact_aabb box = {{0, 0, 0}, {1, 1, 1}};
    assert_int_equal(tact_debug_aabb(&to, TACT_DEBUG_VOLUME, box), TACT_OK);
    assert_int_equal(tact_debug_aabb(&to, (tact_debug_kind)TACT_DEBUG_KINDS, box), TACT_OK);
    size_t count = 0;
    const tact_debug_vertex* v = tact_debug_list_lines(list, &count);
    assert_int_equal(count, 48);
    const tact_debug_color other = tact_debug_default_color((tact_debug_kind)TACT_DEBUG_KINDS);
    assert_memory_equal(&v[0].color, &colours[0], sizeof other);
    assert_memory_equal(&v[24].color, &other, sizeof other);
    assert_null(tact_debug_list_points(list, &count));
    assert_null(tact_debug_list_points(NULL, &count));
    assert_int_equal(count, 0);
    tact_debug_list_destroy(list);
}

TEST(lists_may_find_no_memory)
{
    counting_allocator counter = {.once = true};
    const tact_context_desc desc = {
        .allocator = counting_hooks(&counter), .log = quiet, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};
    tact_debug_list* list = NULL;
    tact_context* with = new_context(&desc);
    assert_int_equal(tact_debug_list_create(with, &list), TACT_OK);
    tact_debug_draw to = tact_debug_list_draw(list);
    const tact_aabb box = {{0, 0, 0}, {1, 1, 1}};
    counter.fail_at = counter.requests + 1;
    assert_int_equal(tact_debug_aabb(&to, TACT_DEBUG_VOLUME, box), TACT_ERROR_OUT_OF_MEMORY);
    counter.fail_at = 0;
    assert_int_equal(tact_debug_aabb(&to, TACT_DEBUG_VOLUME, box), TACT_OK);
    size_t count = 0;
    tact_debug_list_lines(list, &count);
    assert_int_equal(count, 24);
    tact_debug_list_destroy(list);
    tact_context_destroy(with);
    assert_int_equal(counter.live, 0);
}

static tact_bodies* hull_and_ball(tact_context* with)
{
    static const tact_vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const tact_body_shape shapes[2] = {{.kind = TACT_BODY_HULL, .points = corners, .point_count = 4}, {.radius = 1.0f}};
    const tact_body bodies[2] = {{.shape = 0}, {.shape = 1, .pose.y = 0.5}};
    tact_bodies* set = NULL;
    uint32_t number;
    assert_int_equal(tact_bodies_create(with, &set), TACT_OK);
    for (int i = 0; i < 2; ++i)
        assert_int_equal(tact_bodies_add_shape(set, &shapes[i], &number), TACT_OK);
    assert_int_equal(tact_bodies_add(set, bodies, 2, NULL), TACT_OK);
    return set;
}

/// Nothing comes of places that are infinite, nor of normals without an end.
TEST(bodies)
{
    tact_bodies* set = KEEP(hull_and_ball(context));
    const double lost[3] = {0.0, (double)no_number, 0.0}, far[3] = {1e300, 0.0, 0.0};
    size_t count = 0;
    all_drawn();
    assert_int_equal(tact_debug_bodies(&draw, set, NULL, 1.0f), TACT_OK);
    assert_int_equal(all_drawn(), 2 * (6 + 96));
    assert_int_equal(tact_debug_bodies(&draw, set, lost, 1.0f), TACT_OK);
    assert_int_equal(tact_debug_bodies(&draw, set, far, 1.0f), TACT_OK);
    assert_int_equal(all_drawn(), 0);
    assert_int_equal(tact_contacts_find(set, &(tact_contacts_work){.count = &count}, NULL, NULL), TACT_OK);
    const tact_contact* contacts = tact_contacts_last(set, &count);
    assert_int_equal(count, 1);
    assert_int_equal(tact_debug_body_contacts(&draw, set, contacts, count, NULL, 1.0f), TACT_OK);
    const size_t each = 5 * contacts->count;
    assert_int_equal(all_drawn(), each);
    assert_int_equal(tact_debug_body_contacts(&draw, set, contacts, count, NULL, no_end), TACT_OK);
    assert_int_equal(all_drawn(), each - 2 * contacts->count);
    assert_int_equal(tact_debug_body_contacts(&draw, set, contacts, count, lost, 1.0f), TACT_OK);
    assert_int_equal(all_drawn(), 0);
    tact_contact many = *contacts;
    many.count = UINT32_MAX;
    assert_int_equal(tact_debug_body_contacts(&draw, set, &many, 1, NULL, 1.0f), TACT_OK);
    assert_int_equal(all_drawn(), 5 * TACT_CONTACT_MOST_POINTS);
}

/// Hulls are made when they are drawn.
TEST(bodies_may_find_no_memory)
{
    counting_allocator counter = {.once = true};
    const tact_context_desc desc = {
        .allocator = counting_hooks(&counter), .log = quiet, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};
    tact_context* with = new_context(&desc);
    tact_bodies* set = hull_and_ball(with);
    size_t failed = 0;
    for (;;) {
        counter.fail_at = counter.requests + failed + 1;
        const tact_result result = tact_debug_bodies(&draw, set, NULL, 1.0f);
        if (result == TACT_OK) break;
        assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
        assert_true(tact_last_error()[0]);
        ++failed;
    }
    counter.fail_at = 0;
    assert_true(failed >= 3);
    all_drawn();
    tact_bodies_destroy(set);
    tact_context_destroy(with);
    assert_int_equal(counter.live, 0);
}

#include TEST_LIST
RUN_ALL(open_host_context, close_context)
