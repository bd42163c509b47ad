// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What hits must pass: masks, sides, alpha masks, filters, over scenes of triangles and shapes. The trees' answers
// against the reference's, and both against lists of all hits without rules from which a hand takes what is to go.

#include "tests/support/run.h"

#include "core/scene/scene.h"
#include "tests/support/calls.h"
#include "tests/support/counting_context.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"

enum { RAYS = 600, TRIANGLES = 120, SHAPES = 60, WIDTH = 5, HEIGHT = 3 };

static tact_scene* make_scene(tact_context* context)
{
    return new_scene(context);
}

static uint32_t place(tact_scene* scene, uint32_t mesh, const float* matrix)
{
    return put_instance(scene, mesh, matrix);
}

/// What is in a mixed scene, for the oracle.
typedef struct world {
    float positions[TRIANGLES * 9], uvs[TRIANGLES * 6];
    uint8_t texels[WIDTH * HEIGHT];
    uint32_t soup;       // the mesh
    uint32_t masks[16];  // by instance
    float matrices[16][12];
    uint32_t meshes[16];
    uint32_t instances;
} world;

static void put(tact_scene* scene, world* w, uint32_t mesh, const float matrix[12])
{
    const uint32_t id = place(scene, mesh, matrix);
    assert_int_equal(id, w->instances);
    memcpy(w->matrices[id], matrix, sizeof w->matrices[id]);
    w->meshes[id] = mesh;
    w->masks[id] = UINT32_MAX;
    ++w->instances;
}

static tact_vec3 somewhere(test_random* r)
{
    return (tact_vec3){test_random_signed(r), test_random_signed(r), test_random_signed(r)};
}

static void fill_shapes(test_random* r, tact_sphere* s, tact_aabb* b, tact_capsule* c)
{
    for (int i = 0; i < SHAPES; ++i) {
        s[i] = (tact_sphere){somewhere(r), 0.2f * test_random_unit(r)};
        const tact_vec3 p = somewhere(r);
        b[i] = (tact_aabb){p, {p.x + 0.3f * test_random_unit(r), p.y + 0.3f * test_random_unit(r), p.z + 0.1f}};
        c[i] = (tact_capsule){somewhere(r), somewhere(r), 0.1f * test_random_unit(r)};
    }
    s[3].radius = -1.0f;
    s[4].center.y = NAN;
    b[5].lower.x = b[5].upper.x + 1.0f;
    c[6].b.z = INFINITY;
    s[8] = s[7];
}

static void fill_soup(test_random* r, world* w)
{
    for (int i = 0; i < TRIANGLES; ++i) {
        const tact_vec3 p = somewhere(r);
        for (int k = 0; k < 9; ++k)
            w->positions[9 * i + k] = (k % 3 == 0 ? p.x : k % 3 == 1 ? p.y : p.z) + 0.5f * test_random_signed(r);
        for (int k = 0; k < 6; ++k)
            w->uvs[6 * i + k] = 3.0f * test_random_signed(r);
    }
    for (int i = 0; i < WIDTH * HEIGHT; ++i)
        w->texels[i] = (uint8_t)test_random_below(r, 256);
}

static const float turned[12] = {0, -1, 0, 0.1f, 1, 0, 0, 0.2f, 0, 0, 1, 0.3f};
static const float mirrored[12] = {-0.9f, 0.1f, 0, 0.2f, 0, 0.8f, 0, -0.1f, 0.1f, 0, 1.1f, 0};
static const float squashed[12] = {0.5f, 0, 0, 0, 0, 1.5f, 0.2f, 0, 0, 0, 1, 0.25f};

static tact_scene* make_mixed(tact_context* context, test_random* r, world* w, bool shapes, bool alpha)
{
    static tact_sphere spheres[SHAPES];
    static tact_aabb boxes[SHAPES];
    static tact_capsule capsules[SHAPES];
    memset(w, 0, sizeof *w);
    tact_scene* scene = make_scene(context);
    fill_soup(r, w);
    fill_shapes(r, spheres, boxes, capsules);
    const tact_mesh_desc mesh = {.positions = w->positions, .vertex_count = 3 * TRIANGLES, .triangle_count = TRIANGLES};
    assert_int_equal(tact_scene_add_mesh(scene, &mesh, &w->soup), TACT_OK);
    put(scene, w, w->soup, turned);
    put(scene, w, w->soup, mirrored);
    if (shapes) {
        uint32_t ids[3];
        assert_int_equal(tact_scene_add_spheres(scene, spheres, SHAPES, &ids[0]), TACT_OK);
        assert_int_equal(tact_scene_add_boxes(scene, boxes, SHAPES, &ids[1]), TACT_OK);
        assert_int_equal(tact_scene_add_capsules(scene, capsules, SHAPES, &ids[2]), TACT_OK);
        for (int k = 0; k < 3; ++k) {
            put(scene, w, ids[k], squashed);
            put(scene, w, ids[k], k == 1 ? mirrored : turned);
        }
    }
    if (alpha) {
        const tact_alpha_desc a = {
            .uvs = w->uvs, .texels = w->texels, .width = WIDTH, .height = HEIGHT, .threshold = 128};
        assert_int_equal(tact_scene_set_alpha(scene, w->soup, &a), TACT_OK);
    }
    for (uint32_t i = 0; i < w->instances; ++i) {
        w->masks[i] = i == 1 ? 0 : test_random_below(r, 7) + 1;
        assert_int_equal(tact_scene_set_mask(scene, i, w->masks[i]), TACT_OK);
        if (i % 3 == 2) assert_int_equal(tact_scene_set_dynamic(scene, i, true), TACT_OK);
    }
    assert_int_equal(tact_scene_set_mask(scene, 1, 6), TACT_OK);
    w->masks[1] = 6;
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

static void make_rays(test_random* r, tact_ray* rays)
{
    for (int i = 0; i < RAYS; ++i) {
        const tact_vec3 to = somewhere(r);
        tact_vec3 from = {3.0f * test_random_signed(r), 3.0f * test_random_signed(r), 3.0f};
        if (i % 3 == 0) from = somewhere(r);
        rays[i] = (tact_ray){from.x, from.y, from.z, 0, to.x - from.x, to.y - from.y, to.z - from.z, INFINITY};
        if (i % 11 == 1) rays[i].dx = rays[i].dy = 0.0f;
        if (i % 13 == 2) rays[i].tmin = -1.0f;
        if (i % 17 == 3) rays[i].tmax = 0.9f;
        if (i % 29 == 4) rays[i].ox = NAN;
    }
}

/// Pure, and of a hit alone.
static bool keep_some(size_t ray_index, const tact_ray* ray, const tact_hit* hit, void* user)
{
    const int* parity = user;
    return (ray_index + hit->primitive + hit->instance) % 3 != (size_t)*parity && hit->t < 2.5f;
}

/// From where the ray comes in the mesh's frame, in double: the sign of its direction against the normal, carried into
/// the world by the matrix's cofactors, which reverse it where the matrix mirrors.
static bool from_front(const world* w, const tact_ray* ray, const tact_hit* h)
{
    const float* p = w->positions + 9 * (size_t)h->primitive;
    const float* m = w->matrices[h->instance];
    double e[2][3], n[3], determinant = 0;
    for (int side = 0; side < 2; ++side) {
        for (int k = 0; k < 3; ++k) {
            e[side][k] = 0;
            for (int j = 0; j < 3; ++j)
                e[side][k] += (double)m[4 * k + j] * ((double)p[3 * (side + 1) + j] - (double)p[j]);
        }
    }
    for (int k = 0; k < 3; ++k) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        n[k] = e[0][i] * e[1][j] - e[0][j] * e[1][i];
        determinant += (double)m[k] * ((double)m[4 + i] * (double)m[8 + j] - (double)m[4 + j] * (double)m[8 + i]);
    }
    const double against = n[0] * (double)ray->dx + n[1] * (double)ray->dy + n[2] * (double)ray->dz;
    return determinant > 0 ? against < 0 : against > 0;
}

static bool by_hand_solid(const world* w, const tact_hit* h)
{
    double place[2];
    for (int k = 0; k < 2; ++k) {
        const float* uv = w->uvs + 6 * (size_t)h->primitive + k;
        place[k] = (1.0 - (double)h->u - (double)h->v) * (double)uv[0] + (double)h->u * (double)uv[2] +
                   (double)h->v * (double)uv[4];
        place[k] -= floor(place[k]);
    }
    // A hit within rounding of a texel's edge is left to the reference.
    return w->texels[(int)(place[1] * HEIGHT) * WIDTH + (int)(place[0] * WIDTH)] >= 128;
}

/// The hits that are left of a ray's.
static size_t take_away(const world* w, const tact_ray_rules* rules, bool alpha, size_t index, const tact_ray* ray,
                        const tact_hit* all, size_t count, tact_hit* left)
{
    size_t n = 0;
    for (size_t i = 0; i < count; ++i) {
        const tact_hit* h = &all[i];
        const uint32_t mask = rules->masks ? rules->masks[index] : rules->mask ? rules->mask : UINT32_MAX;
        const bool soup = w->meshes[h->instance] == w->soup;
        if ((w->masks[h->instance] & mask) == 0) continue;
        if (rules->cull && soup && from_front(w, ray, h) != (rules->cull == TACT_RAY_CULL_BACK)) continue;
        if (alpha && soup && !rules->ignore_alpha && !by_hand_solid(w, h)) continue;
        if (rules->accept && !rules->accept(index, ray, h, rules->accept_user)) continue;
        left[n++] = *h;
    }
    return n;
}

typedef struct answer {
    uint64_t* offsets;
    tact_hit* hits;
} answer;

static answer all_hits(tact_scene* scene, const tact_ray* rays, const tact_ray_rules* rules, tact_backend backend)
{
    const size_t capacity = (size_t)RAYS * 200;
    answer a = {malloc((RAYS + 1) * sizeof *a.offsets), malloc(capacity * sizeof *a.hits)};
    const tact_query_options options = {.backend = backend, .threads = backend == TACT_BACKEND_CPU ? 3 : 2};
    assert_int_equal(call_raycast_all_with(scene, rays, RAYS, 0, rules, a.offsets, a.hits, capacity, &options, NULL),
                     TACT_OK);
    return a;
}

static void free_answer(answer a)
{
    free(a.offsets);
    free(a.hits);
}

static void casts_agree(tact_scene* scene, const tact_ray* rays, const tact_ray_rules* rules, const answer* expected)
{
    static tact_hit by_trees[RAYS], by_reference[RAYS];
    for (int mode = TACT_RAY_CLOSEST; mode <= TACT_RAY_COUNT; ++mode) {
        const tact_query_options reference = {.backend = TACT_BACKEND_REFERENCE};
        assert_int_equal(
            call_raycast_with(scene, (tact_ray_mode)mode, rays, RAYS, rules, by_reference, &reference, NULL), TACT_OK);
        for (int threads = 1; threads <= 3; threads += 2) {
            const tact_query_options cpu = {.backend = TACT_BACKEND_CPU, .threads = threads, .shadow = threads == 3};
            assert_int_equal(call_raycast_with(scene, (tact_ray_mode)mode, rays, RAYS, rules, by_trees, &cpu, NULL),
                             TACT_OK);
            assert_memory_equal(by_trees, by_reference, sizeof by_trees);
        }
        for (size_t i = 0; i < RAYS; ++i) {
            const uint64_t from = expected->offsets[i], count = expected->offsets[i + 1] - from;
            const tact_hit* h = &by_trees[i];
            if (mode == TACT_RAY_COUNT) assert_int_equal(h->primitive, count);
            if (mode == TACT_RAY_ANY) assert_int_equal(h->instance, count ? 0 : TACT_NONE);
            if (mode == TACT_RAY_CLOSEST && count) assert_memory_equal(h, &expected->hits[from], sizeof *h);
            if (mode == TACT_RAY_CLOSEST && !count) assert_int_equal(h->instance, TACT_NONE);
        }
    }
}

/// Every rule alone and together. `strict`: the oracle knows all hits, so the trees must match it too.
static void try_rules(bool shapes, bool alpha)
{
    static tact_ray rays[RAYS];
    static uint32_t masks[RAYS];
    static world w;
    static tact_hit left[4096];
    test_random r = test_random_seeded(11 + (shapes ? 1 : 0) + (alpha ? 2 : 0));
    tact_context* context = counting_context(0, NULL);
    tact_scene* scene = make_mixed(context, &r, &w, shapes, alpha);
    make_rays(&r, rays);
    for (int i = 0; i < RAYS; ++i)
        masks[i] = test_random_below(&r, 8);
    int parity = 1;
    const tact_ray_rules none = {.ignore_alpha = true};
    const answer without = all_hits(scene, rays, &none, TACT_BACKEND_REFERENCE);
    size_t told = 0, edges = 0;
    for (uint32_t bits = 0; bits < 32; ++bits) {
        tact_ray_rules rules = {0};
        if (bits & 1) rules.mask = 5;
        if (bits & 2) rules.masks = masks;
        if (bits & 4) rules.cull = bits & 1 ? TACT_RAY_CULL_BACK : TACT_RAY_CULL_FRONT;
        if (bits & 8) rules.ignore_alpha = true;
        if (bits & 16) rules.accept = keep_some, rules.accept_user = &parity;
        const answer reference = all_hits(scene, rays, &rules, TACT_BACKEND_REFERENCE);
        const answer trees = all_hits(scene, rays, &rules, TACT_BACKEND_CPU);
        const size_t total = (size_t)reference.offsets[RAYS];
        assert_memory_equal(reference.offsets, trees.offsets, (RAYS + 1) * sizeof *trees.offsets);
        assert_memory_equal(reference.hits, trees.hits, total * sizeof *trees.hits);
        told += total;
        casts_agree(scene, rays, &rules, &reference);
        for (size_t i = 0; i < RAYS; ++i) {
            // Of a shape only one side is told, so without its front one cannot know its back.
            if (shapes && rules.cull) break;
            const uint64_t from = without.offsets[i], there = reference.offsets[i];
            const size_t n = take_away(&w, &rules, alpha, i, &rays[i], without.hits + from,
                                       (size_t)(without.offsets[i + 1] - from), left);
            // In double a hit may lie on the texel beside.
            if (n != reference.offsets[i + 1] - there && alpha) {
                ++edges;
                continue;
            }
            assert_int_equal(n, reference.offsets[i + 1] - there);
            assert_memory_equal(left, reference.hits + there, n * sizeof *left);
        }
        free_answer(reference);
        free_answer(trees);
    }
    assert_true(told > 10 * RAYS && edges < 20);
    free_answer(without);
    tact_scene_destroy(scene);
    tact_context_destroy(context);
}

TEST(triangles_go_by_rules)
{
    try_rules(false, false);
}

TEST(alpha_masks_go_by_rules)
{
    try_rules(false, true);
}

TEST(shapes_go_by_rules)
{
    try_rules(true, false);
    try_rules(true, true);
}

TEST(sides_stay_outside_in_mirrored_instances)
{
    // A tetrahedron around the origin, counter-clockwise from outside.
    const float p[] = {1, 1, 1, -1, -1, 1, -1, 1, -1, 1, -1, -1};
    const uint32_t index[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const float matrices[2][12] = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, {-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    tact_context* context = KEEP(counting_context(0, NULL));
    for (int i = 0; i < 2; ++i) {
        tact_scene* scene = make_scene(context);
        const tact_mesh_desc desc = {.positions = p, .vertex_count = 4, .indices = index, .triangle_count = 4};
        const uint32_t mesh = put_mesh(scene, &desc);
        place(scene, mesh, matrices[i]);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        test_random r = test_random_seeded(8);
        for (int k = 0; k < 300; ++k) {
            const tact_vec3 d = somewhere(&r);
            const tact_ray out = {0, 0, 0, 0, d.x, d.y, d.z, INFINITY};
            const tact_ray in = {9 * d.x, 9 * d.y, 9 * d.z, 0, -9 * d.x, -9 * d.y, -9 * d.z, 1};
            const tact_ray_rules fronts = {.cull = TACT_RAY_CULL_BACK}, backs = {.cull = TACT_RAY_CULL_FRONT};
            tact_hit h;
            assert_int_equal(call_raycast_with(scene, TACT_RAY_ANY, &out, 1, &fronts, &h, NULL, NULL), TACT_OK);
            assert_int_equal(h.instance, TACT_NONE);
            assert_int_equal(call_raycast_with(scene, TACT_RAY_ANY, &out, 1, &backs, &h, NULL, NULL), TACT_OK);
            assert_int_equal(h.instance, 0);
            assert_int_equal(call_raycast_with(scene, TACT_RAY_ANY, &in, 1, &fronts, &h, NULL, NULL), TACT_OK);
            if (9 * sqrtf(d.x * d.x + d.y * d.y + d.z * d.z) > 1.8f) assert_int_equal(h.instance, 0);
            assert_int_equal(call_raycast_with(scene, TACT_RAY_ANY, &in, 1, &backs, &h, NULL, NULL), TACT_OK);
            assert_int_equal(h.instance, TACT_NONE);
        }
        tact_scene_destroy(scene);
    }
}

static bool is_hit(tact_scene* scene, float x, float y)
{
    const tact_ray ray = {x, y, 1, 0, 0, 0, -1, INFINITY};
    tact_hit h;
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, &ray, 1, &h, NULL, NULL), TACT_OK);
    return h.instance == 0;
}

TEST(holes_lie_where_the_image_has_them)
{
    const float p[] = {0, 0, 0, 2, 0, 0, 0, 2, 0}, uv[] = {0, 0, 2, 0, 0, 2}, bad[] = {NAN, 0, INFINITY, 0, 0, NAN};
    // RGBA; the alpha of the second texel of the first row is 0.
    const uint8_t rgba[] = {9, 9, 9, 200, 9, 9, 9, 0, 1, 1, 1, 100, 9, 9, 9, 255};
    tact_context* context = KEEP(counting_context(0, NULL));
    tact_scene* scene = KEEP(make_scene(context));
    const tact_mesh_desc desc = {.positions = p, .vertex_count = 3, .triangle_count = 1};
    const uint32_t mesh = put_mesh(scene, &desc);
    place(scene, mesh, NULL);
    tact_alpha_desc a = {.uvs = uv, .texels = rgba + 3, .width = 2, .height = 2, .texel_stride = 4, .threshold = 100};
    assert_int_equal(tact_scene_set_alpha(scene, mesh, &a), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_true(is_hit(scene, 0.25f, 0.25f) && !is_hit(scene, 0.75f, 0.25f) && is_hit(scene, 0.25f, 0.75f));
    // Repeated.
    assert_true(is_hit(scene, 1.25f, 0.25f) && !is_hit(scene, 1.6f, 0.25f) && !is_hit(scene, 0.6f, 1.25f));
    a.wrap = TACT_ALPHA_WRAP_CLAMP;
    a.threshold = 101;
    assert_int_equal(tact_scene_set_alpha(scene, mesh, &a), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_true(is_hit(scene, 0.25f, 0.25f) && !is_hit(scene, 1.25f, 0.25f) && !is_hit(scene, 0.25f, 1.5f));
    assert_true(is_hit(scene, 0.75f, 1.1f));
    a.uvs = bad;
    assert_int_equal(tact_scene_set_alpha(scene, mesh, &a), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_true(is_hit(scene, 1.25f, 0.25f));
    a.threshold = 201;
    assert_int_equal(tact_scene_set_alpha(scene, mesh, &a), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_false(is_hit(scene, 1.25f, 0.25f));
    assert_int_equal(tact_scene_set_alpha(scene, mesh, NULL), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_true(is_hit(scene, 0.75f, 0.25f));
}

TEST(texels_hold_their_points)
{
    test_random r = test_random_seeded(3);
    for (int i = 0; i < 300000; ++i) {
        const uint count = 1 + test_random_below(&r, i % 2 ? 65536 : 9);
        const float x = i % 7 == 0 ? test_random_any(&r) : 4.0f * test_random_signed(&r);
        const uint repeat = tact_alpha_texel(x, count, TACT_ALPHA_REPEAT),
                   clamp = tact_alpha_texel(x, count, TACT_ALPHA_CLAMP);
        assert_true(repeat < count && clamp < count);
        if (!isfinite(x)) assert_true(repeat == 0 && clamp == 0);
        if (!isfinite(x) || i % 7 == 0) continue;
        const double at = (double)x * count, held = fmin(fmax(at, 0.0), count - 0.5);
        assert_true(fabs(held - (clamp + 0.5)) <= 0.5 + 1e-2);
        double apart = fabs((at - floor((double)x) * count) - (repeat + 0.5));
        assert_true(apart <= 0.5 + 1e-2 * 2);
    }
}

// ---- Static and dynamic ----

static void shift(float m[12], test_random* r)
{
    const float base[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    memcpy(m, base, sizeof base);
    m[0] = test_random_below(r, 2) ? 1.0f : -1.5f;
    for (int k = 0; k < 3; ++k)
        m[4 * k + 3] = 3.0f * test_random_signed(r);
}

TEST(the_parts_answer_as_one)
{
    enum { MANY = 200 };
    static tact_ray rays[RAYS];
    static tact_hit hits[RAYS];
    test_random r = test_random_seeded(77);
    tact_context* context = KEEP(counting_context(0, NULL));
    tact_scene* scene = KEEP(make_scene(context));
    float p[9 * 20];
    for (int i = 0; i < 9 * 20; ++i)
        p[i] = test_random_signed(&r);
    const tact_mesh_desc desc = {.positions = p, .vertex_count = 60, .triangle_count = 20};
    const tact_sphere ball = {{0, 0, 0}, 0.5f};
    uint32_t meshes[2];
    assert_int_equal(tact_scene_add_mesh(scene, &desc, &meshes[0]), TACT_OK);
    assert_int_equal(tact_scene_add_spheres(scene, &ball, 1, &meshes[1]), TACT_OK);
    make_rays(&r, rays);
    tact_query_options checked = {.backend = TACT_BACKEND_CPU, .shadow = true};
    float m[12];
    uint32_t count = 0;
    for (int round = 0; round < 60; ++round) {
        tact_scene_stats before, after;
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        assert_int_equal(tact_scene_get_stats(scene, &before), TACT_OK);
        // One kind of change a round: to moving ones, to staying ones, or an instance changes sides.
        const int kind = round % 6;
        bool touches[2] = {kind == 1 || kind == 4, kind != 1 && kind != 4};
        for (uint32_t k = 0; k < 12; ++k) {
            shift(m, &r);
            const uint32_t id = test_random_below(&r, count ? count : 1);
            const bool there = id < count && scene->instances[id].mesh != TACT_NONE;
            const bool moving = there && scene->dynamic[id];
            if (kind == 4 || (kind == 5 && count < MANY)) {
                uint32_t added = place(scene, meshes[test_random_below(&r, 2)], m);
                count = added >= count ? added + 1 : count;
                if (kind == 5) {
                    touches[0] = true;
                    assert_int_equal(tact_scene_set_dynamic(scene, added, true), TACT_OK);
                }
            } else if (there && moving == touches[1]) {
                if (round % 5 == 4) {
                    assert_int_equal(tact_scene_remove_instance(scene, id), TACT_OK);
                } else {
                    assert_int_equal(tact_scene_move_instance(scene, id, m), TACT_OK);
                }
            }
        }
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        assert_int_equal(tact_scene_get_stats(scene, &after), TACT_OK);
        if (!touches[0]) assert_int_equal(after.static_builds, before.static_builds);
        if (!touches[1]) assert_int_equal(after.dynamic_builds, before.dynamic_builds);
        assert_true(after.static_builds - before.static_builds <= 1 &&
                    after.dynamic_builds - before.dynamic_builds <= 1);
        for (int mode = TACT_RAY_CLOSEST; mode <= TACT_RAY_COUNT; ++mode)
            assert_int_equal(tact_raycast(scene, (tact_ray_mode)mode, rays, RAYS, hits, &checked, NULL), TACT_OK);
    }
    tact_scene_stats stats;
    assert_int_equal(tact_scene_get_stats(scene, &stats), TACT_OK);
    assert_true(stats.dynamic_instances > 10 && stats.instances > stats.dynamic_instances + 10 && stats.shapes == 1);
    // All of them moving, then none there at all.
    for (uint32_t i = 0; i < count; ++i) {
        if (scene->instances[i].mesh != TACT_NONE) assert_int_equal(tact_scene_set_dynamic(scene, i, true), TACT_OK);
    }
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, RAYS, hits, &checked, NULL), TACT_OK);
    for (uint32_t i = 0; i < count; ++i) {
        if (scene->instances[i].mesh != TACT_NONE) assert_int_equal(tact_scene_remove_instance(scene, i), TACT_OK);
    }
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, RAYS, hits, &checked, NULL), TACT_OK);
    assert_int_equal(hits[0].instance, TACT_NONE);
}

/// Trees of shapes lie among those of triangles, whose slots are others.
TEST(moved_vertices_leave_shapes_alone)
{
    static tact_ray rays[RAYS];
    static tact_hit hits[RAYS];
    static world w;
    test_random r = test_random_seeded(12);
    tact_context* context = KEEP(counting_context(0, NULL));
    tact_scene* scene = KEEP(make_mixed(context, &r, &w, true, true));
    make_rays(&r, rays);
    const tact_mesh_desc more = {.positions = w.positions, .vertex_count = 30, .triangle_count = 10};
    const uint32_t last = put_mesh(scene, &more);
    place(scene, last, squashed);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    for (int round = 0; round < 6; ++round) {
        for (int i = 0; i < TRIANGLES * 9; ++i)
            w.positions[i] += 0.1f * test_random_signed(&r);
        // Now and then fewer triangles take part, which moves the trees behind.
        w.positions[9 * (size_t)test_random_below(&r, TRIANGLES)] = round % 2 ? NAN : 0.5f;
        const tact_mesh_update update = round % 3 == 1 ? TACT_UPDATE_REBUILD : TACT_UPDATE_AUTO;
        assert_int_equal(tact_scene_update_mesh(scene, w.soup, w.positions, 0, update), TACT_OK);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        const tact_query_options checked = {.backend = TACT_BACKEND_CPU, .shadow = true};
        assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, RAYS, hits, &checked, NULL), TACT_OK);
        assert_int_equal(tact_raycast(scene, TACT_RAY_COUNT, rays, RAYS, hits, &checked, NULL), TACT_OK);
    }
    // Shapes have no vertices.
    assert_int_equal(tact_scene_update_mesh(scene, w.soup + 1, w.positions, 0, TACT_UPDATE_AUTO),
                     TACT_ERROR_INVALID_ARGUMENT);
}

// ---- Errors ----

/// A byte a ray is of any hit alone, and in place of hits.
TEST(occluded_rays_are_of_any_hit_alone)
{
    tact_context* context = KEEP(counting_context(0, NULL));
    tact_scene* scene = KEEP(new_scene(context));
    const float triangle[9] = {-1, -1, 0, 1, -1, 0, 0, 1, 0};
    const tact_mesh_desc mesh = {.positions = triangle, .vertex_count = 3, .triangle_count = 1};
    put_instance(scene, put_mesh(scene, &mesh), NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    const tact_ray down[2] = {{0, 0, 1, 0, 0, 0, -1, INFINITY}, {5, 0, 1, 0, 0, 0, -1, INFINITY}};
    uint8_t occluded[3] = {7, 7, 7};
    tact_hit hit[2];
    const tact_device_array array = {.backend = TACT_BACKEND_GL};
    tact_raycast_work work = {.mode = TACT_RAY_ANY, .count = 2, .rays = down, .occluded = occluded};
    const tact_query_options shadow = {.shadow = true};
    assert_int_equal(tact_raycast_with(scene, &work, &shadow, NULL), TACT_OK);
    assert_true(occluded[0] == 1 && occluded[1] == 0 && occluded[2] == 7);
    work.hits = hit;
    assert_int_equal(tact_raycast_with(scene, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    work.hits = NULL;
    work.device_hits = &array;
    assert_int_equal(tact_raycast_with(scene, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    work.device_hits = NULL;
    for (int mode = 0; mode < 4; ++mode) {
        work.mode = (tact_ray_mode)mode;
        assert_int_equal(tact_raycast_with(scene, &work, NULL, NULL),
                         mode == TACT_RAY_ANY ? TACT_OK : TACT_ERROR_INVALID_ARGUMENT);
    }
    work = (tact_raycast_work){.mode = TACT_RAY_ANY, .count = 2, .occluded = occluded};
    assert_int_equal(tact_raycast_with(scene, &work, NULL, NULL), TACT_ERROR_INVALID_ARGUMENT);
    work.count = 0;
    assert_int_equal(tact_raycast_with(scene, &work, NULL, NULL), TACT_OK);
}

/// Triangles that are no numbers, in some places of a long list, leave all others where they are.
TEST(what_is_left_out_leaves_the_rest)
{
    enum { LONG = 13000 };
    static float positions[9 * LONG];
    static tact_ray rays[LONG];
    static tact_hit hits[LONG];
    for (int i = 0; i < LONG; ++i) {
        const float x = (float)i, triangle[9] = {x, 0, 0, x + 0.5f, 0, 0, x, 0.5f, 0};
        memcpy(positions + 9 * (size_t)i, triangle, sizeof triangle);
        if (i % 1000 == 7) positions[9 * (size_t)i] = NAN;
        rays[i] = (tact_ray){x + 0.125f, 0.125f, 5, 0, 0, 0, -1, INFINITY};
    }
    tact_context* context = KEEP(counting_context(0, NULL));
    tact_scene* scene = KEEP(make_scene(context));
    const tact_mesh_desc desc = {.positions = positions, .vertex_count = 3 * LONG, .triangle_count = LONG};
    const uint32_t mesh = put_mesh(scene, &desc);
    (void)place(scene, mesh, NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, LONG, hits, NULL, NULL), TACT_OK);
    for (int i = 0; i < LONG; ++i)
        assert_int_equal(hits[i].primitive, i % 1000 == 7 ? TACT_NONE : (uint32_t)i);
}

TEST(hidden_instances_are_not_hit)
{
    tact_context* context = KEEP(counting_context(0, NULL));
    tact_scene* scene = KEEP(make_scene(context));
    const tact_sphere ball = {{0, 0, 0}, 1};
    const uint32_t mesh = put_spheres(scene, &ball, 1);
    const uint32_t id = place(scene, mesh, NULL);
    const tact_ray ray = {0, 0, 5, 0, 0, 0, -1, INFINITY};
    tact_hit h;
    for (int hide = 0; hide < 2; ++hide) {
        assert_int_equal(tact_scene_set_mask(scene, id, hide ? 0 : 8), TACT_OK);
        assert_int_equal(tact_scene_commit(scene), TACT_OK);
        assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, &ray, 1, &h, NULL, NULL), TACT_OK);
        assert_int_equal(h.instance, hide ? TACT_NONE : id);
        if (!hide) assert_true(h.t == 4.0f);
        tact_ray_rules rules = {.mask = 7};
        assert_int_equal(call_raycast_with(scene, TACT_RAY_CLOSEST, &ray, 1, &rules, &h, NULL, NULL), TACT_OK);
        assert_int_equal(h.instance, TACT_NONE);
        const uint32_t of_ray = 12, of_none = 0;
        rules.masks = &of_ray;
        assert_int_equal(call_raycast_with(scene, TACT_RAY_CLOSEST, &ray, 1, &rules, &h, NULL, NULL), TACT_OK);
        assert_int_equal(h.instance, hide ? TACT_NONE : id);
        rules.masks = &of_none;
        assert_int_equal(call_raycast_with(scene, TACT_RAY_CLOSEST, &ray, 1, &rules, &h, NULL, NULL), TACT_OK);
        assert_int_equal(h.instance, TACT_NONE);
    }
}

static bool take_all(size_t index, const tact_ray* ray, const tact_hit* hit, void* user)
{
    return true;
}

TEST(what_makes_no_sense_is_refused)
{
    tact_context* context = KEEP(counting_context(0, NULL));
    tact_scene* scene = KEEP(make_scene(context));
    const tact_sphere balls[2] = {{{0, 0, 0}, 1}, {{NAN, 0, 0}, 1}};
    const float p[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, uv[6] = {0};
    const uint8_t texel = 255;
    const tact_mesh_desc desc = {.positions = p, .vertex_count = 3, .triangle_count = 1};
    uint32_t mesh = 0, shapes = 0;
    assert_int_equal(tact_scene_add_mesh(scene, &desc, &mesh), TACT_OK);
    assert_int_equal(tact_scene_add_spheres(scene, NULL, 1, &shapes), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_scene_add_spheres(NULL, balls, 1, &shapes), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_scene_add_boxes(scene, (const tact_aabb*)p, SIZE_MAX / 64, &shapes), TACT_ERROR_LIMIT);
    assert_int_equal(tact_scene_add_capsules(scene, NULL, 0, &shapes), TACT_OK);
    assert_int_equal(tact_scene_add_spheres(scene, balls, 2, &shapes), TACT_OK);
    tact_alpha_desc a = {.uvs = uv, .texels = &texel, .width = 1, .height = 1};
    assert_int_equal(tact_scene_set_alpha(scene, shapes, &a), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_scene_set_alpha(scene, 99, &a), TACT_ERROR_INVALID_ARGUMENT);
    a.width = 0;
    assert_int_equal(tact_scene_set_alpha(scene, mesh, &a), TACT_ERROR_INVALID_ARGUMENT);
    a.width = 65537;
    assert_int_equal(tact_scene_set_alpha(scene, mesh, &a), TACT_ERROR_INVALID_ARGUMENT);
    a = (tact_alpha_desc){.uvs = uv, .texels = &texel, .width = 2, .height = 1, .row_stride = 1};
    assert_int_equal(tact_scene_set_alpha(scene, mesh, &a), TACT_ERROR_INVALID_ARGUMENT);
    a = (tact_alpha_desc){.uvs = uv, .uv_stride = 4, .texels = &texel, .width = 1, .height = 1};
    assert_int_equal(tact_scene_set_alpha(scene, mesh, &a), TACT_ERROR_INVALID_ARGUMENT);
    a = (tact_alpha_desc){.uvs = uv, .texels = NULL, .width = 1, .height = 1};
    assert_int_equal(tact_scene_set_alpha(scene, mesh, &a), TACT_ERROR_INVALID_ARGUMENT);
    a = (tact_alpha_desc){.uvs = uv, .texels = &texel, .width = 1, .height = 1, .wrap = (tact_alpha_wrap)2};
    assert_int_equal(tact_scene_set_alpha(scene, mesh, &a), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_scene_set_mask(scene, 0, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_scene_set_dynamic(scene, 0, true), TACT_ERROR_INVALID_ARGUMENT);
    place(scene, mesh, NULL);
    place(scene, shapes, NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    tact_scene_stats stats;
    assert_int_equal(tact_scene_get_stats(scene, &stats), TACT_OK);
    assert_true(stats.shapes == 2 && stats.skipped_shapes == 1 && stats.triangles == 1);
    assert_true(stats.lower[0] == -1.0f && stats.upper[2] == 1.0f);

    const tact_ray ray = {0, 0, 5, 0, 0, 0, -1, INFINITY};
    tact_hit h;
    uint64_t offsets[2];
    const tact_ray_rules odd = {.cull = (tact_ray_cull)3};
    assert_int_equal(call_raycast_with(scene, TACT_RAY_ANY, &ray, 1, &odd, &h, NULL, NULL),
                     TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(call_raycast_all_with(scene, &ray, 1, 0, &odd, offsets, &h, 1, NULL, NULL),
                     TACT_ERROR_INVALID_ARGUMENT);
    // Devices leave filters to the CPU, and say so.
    tact_query_options gl = {.backend = TACT_BACKEND_GL};
    tact_query_report report;
    const tact_ray_rules ask = {.accept = take_all};
    assert_int_equal(call_raycast_with(scene, TACT_RAY_CLOSEST, &ray, 1, &ask, &h, &gl, &report), TACT_OK);
    assert_int_equal(report.backend, TACT_BACKEND_CPU);
    assert_non_null(strstr(report.reason, "accept hits"));
    assert_true(h.instance == 1 && h.t == 4.0f);
    assert_int_equal(call_raycast_all_with(scene, &ray, 1, 0, &ask, offsets, &h, 1, &gl, &report), TACT_INCOMPLETE);
    assert_int_equal(report.backend, TACT_BACKEND_CPU);
    assert_non_null(strstr(report.reason, "accept hits"));
    gl.no_fallback = true;
    assert_int_equal(call_raycast_with(scene, TACT_RAY_CLOSEST, &ray, 1, &ask, &h, &gl, NULL), TACT_ERROR_UNSUPPORTED);
    assert_int_equal(call_raycast_all_with(scene, &ray, 1, 0, &ask, offsets, &h, 1, &gl, NULL), TACT_ERROR_UNSUPPORTED);
    // So does picking refuse them, as long as an instance of them is there.
    tact_picker* picker = KEEP(new_picker(context));
    const tact_pick_view view = {
        .world_to_clip = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, .width = 4, .height = 4};
    const tact_pick_region region = {.shape = TACT_PICK_FRAME};
    size_t count = 0;
    assert_int_equal(call_pick_scene(picker, scene, &view, &region, NULL, NULL, 0, &count, NULL, NULL),
                     TACT_ERROR_UNSUPPORTED);
    assert_int_equal(tact_scene_remove_instance(scene, 1), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_true(call_pick_scene(picker, scene, &view, &region, NULL, NULL, 0, &count, NULL, NULL) >= TACT_OK);
    assert_true(count > 0);
}

/// Makes a scene of everything; false when something ran out of memory, after which the scene must still go away.
static bool try_to_make(tact_context* context)
{
    const tact_sphere balls[2] = {{{0, 0, 0}, 1}, {{2, 0, 0}, 1}};
    const float p[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, uv[6] = {0};
    const uint8_t texel = 255;
    const tact_mesh_desc desc = {.positions = p, .vertex_count = 3, .triangle_count = 1};
    const tact_alpha_desc a = {.uvs = uv, .texels = &texel, .width = 1, .height = 1};
    uint32_t mesh = 0, shapes = 0, ids[3];
    tact_scene* scene = NULL;
    bool good = tact_scene_create(context, &scene) == TACT_OK;
    good = good && tact_scene_add_mesh(scene, &desc, &mesh) == TACT_OK;
    good = good && tact_scene_add_spheres(scene, balls, 2, &shapes) == TACT_OK;
    good = good && tact_scene_set_alpha(scene, mesh, &a) == TACT_OK;
    for (int i = 0; i < 3 && good; ++i)
        good = tact_scene_add_instance(scene, i == 1 ? mesh : shapes, NULL, &ids[i]) == TACT_OK;
    good = good && tact_scene_set_dynamic(scene, ids[2], true) == TACT_OK;
    good = good && tact_scene_commit(scene) == TACT_OK;
    tact_scene_destroy(scene);
    return good;
}

TEST(memory_may_run_out)
{
    counting_allocator counter = {0};
    tact_context* context = KEEP(counting_context(0, &counter));
    const size_t before = counter.live;
    size_t failures = 0;
    for (size_t n = 1;; ++n) {
        counter.fail_at = counter.requests + n;
        counter.failed = false;
        const bool made = try_to_make(context);
        counter.fail_at = 0;
        assert_int_equal(made, !counter.failed);
        assert_int_equal(counter.live, before);
        if (made) break;
        ++failures;
    }
    assert_true(failures > 30);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
