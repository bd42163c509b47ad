// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cpu_ref/overlap/engine.h"
#include "tact/tact.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/random.h"

// Overlap of meshes by the reference and by the CPU's engine: what must be found is known by construction, or both must
// agree to the byte.

static tact_context* context;

static int setup(void** state)
{
    (void)state;
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .threads = 3};
    return tact_context_create(&desc, &context) == TACT_OK ? 0 : -1;
}

static int teardown(void** state)
{
    (void)state;
    tact_context_destroy(context);
    return 0;
}

static const uint32_t box_indices[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                         2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static void box_at(float x, float y, float z, float half, float* positions)
{
    for (int i = 0; i < 8; ++i) {
        positions[3 * i] = x + (i & 1 ? half : -half);
        positions[3 * i + 1] = y + (i & 2 ? half : -half);
        positions[3 * i + 2] = z + (i & 4 ? half : -half);
    }
}

static tact_mesh* make(const float* positions, size_t vertices, const uint32_t* indices, size_t triangles)
{
    const tact_mesh_desc desc = {
        .positions = positions, .vertex_count = vertices, .indices = indices, .triangle_count = triangles};
    tact_mesh* mesh = NULL;
    assert_int_equal(tact_mesh_create(context, &desc, &mesh), TACT_OK);
    return mesh;
}

static tact_mesh* make_box(float x, float y, float z, float half)
{
    float p[24];
    box_at(x, y, z, half, p);
    return make(p, 8, box_indices, 12);
}

static const tact_backend hosts[] = {TACT_BACKEND_REFERENCE, TACT_BACKEND_CPU};

static int relation(tact_mesh* a, tact_mesh* b, const float pose[12], bool solid, tact_backend backend)
{
    const tact_query_options options = {.backend = backend};
    uint8_t r = 99;
    assert_int_equal(tact_mesh_overlap(a, b, pose ? (const float(*)[12])pose : NULL, 1, solid, &r, &options, NULL),
                     TACT_OK);
    return r;
}

static void boxes_by_construction(void** state)
{
    (void)state;
    tact_mesh *big = make_box(0, 0, 0, 1), *small = make_box(0, 0, 0, 0.25f), *far = make_box(5, 0, 0, 1);
    tact_mesh *beside = make_box(2, 0, 0, 1), *apart = make_box(2.0001f, 0, 0, 1);
    const float out_of_range[12] = {1e30f, 0, 0, 0, 0, 1e30f, 0, 0, 0, 0, 1e30f, 0};
    const float flat[12] = {0};
    for (int i = 0; i < 2; ++i) {
        const tact_backend host = hosts[i];
        assert_int_equal(relation(big, small, NULL, true, host), TACT_MESHES_B_INSIDE);
        assert_int_equal(relation(small, big, NULL, true, host), TACT_MESHES_A_INSIDE);
        assert_int_equal(relation(small, big, NULL, false, host), TACT_MESHES_APART);
        assert_int_equal(relation(big, far, NULL, true, host), TACT_MESHES_APART);
        assert_int_equal(relation(big, beside, NULL, true, host), TACT_MESHES_INTERSECT);
        assert_int_equal(relation(big, apart, NULL, true, host), TACT_MESHES_APART);
        assert_int_equal(relation(big, big, NULL, true, host), TACT_MESHES_INTERSECT);
        assert_int_equal(relation(big, small, out_of_range, true, host), TACT_MESHES_APART);
        assert_int_equal(relation(big, small, flat, true, host), TACT_MESHES_B_INSIDE);
        assert_int_equal(relation(small, big, flat, true, host), TACT_MESHES_B_INSIDE);
    }
    tact_mesh_info info;
    assert_int_equal(tact_mesh_get_info(big, &info), TACT_OK);
    assert_true(info.closed);
    assert_int_equal(info.triangles, 12);
    tact_mesh_destroy(big);
    tact_mesh_destroy(small);
    tact_mesh_destroy(far);
    tact_mesh_destroy(beside);
    tact_mesh_destroy(apart);
}

// ---- Random meshes: the engine against the definition ----

enum { MOST_TRIANGLES = 600, POSES = 12 };

typedef struct soup {
    float positions[9 * MOST_TRIANGLES];
    uint32_t indices[3 * MOST_TRIANGLES];
    size_t vertices, triangles;
} soup;

typedef enum soup_kind { SMOOTH, LATTICE, BROKEN, TINY, HUGE_ONES, NEEDLES, SOUP_KINDS } soup_kind;

static float coordinate(test_random* r, soup_kind kind)
{
    switch (kind) {
        case LATTICE:
            return (float)((int)test_random_below(r, 5) - 2);
        case BROKEN:
            return test_random_below(r, 40) == 0 ? test_random_any(r) : test_random_signed(r);
        case TINY:
            return test_random_signed(r) * 1e-38f;
        case HUGE_ONES:
            return test_random_signed(r) * 0x1p59f;
        default:
            return test_random_signed(r);
    }
}

/// Vertices about a few places, triangles of neighbours among them; some of two corners or of one.
static void fill_soup(test_random* r, soup_kind kind, size_t triangles, soup* s)
{
    s->vertices = 3 + triangles * (kind == LATTICE ? 1 : 3) / 2;
    s->triangles = triangles;
    float centre[3] = {0};
    const float spread = kind == LATTICE ? 1.0f : 0.2f;
    for (size_t v = 0; v < s->vertices; ++v) {
        for (size_t k = 0; k < 3; ++k) {
            if (v % 4 == 0) centre[k] = coordinate(r, kind);
            const float c = kind == LATTICE ? coordinate(r, kind) : centre[k] + spread * coordinate(r, kind);
            s->positions[3 * v + k] = kind == NEEDLES && k > 0 ? centre[k] + 1e-4f * coordinate(r, kind) : c;
        }
    }
    for (size_t i = 0; i < triangles; ++i) {
        const uint32_t first = test_random_below(r, (uint32_t)s->vertices);
        for (size_t k = 0; k < 3; ++k) {
            const uint32_t step = kind == LATTICE ? test_random_below(r, (uint32_t)s->vertices) : (uint32_t)k;
            s->indices[3 * i + k] = (first + step) % (uint32_t)s->vertices;
        }
        if (test_random_below(r, 25) == 0) s->indices[3 * i] = s->indices[3 * i + 1];
        if (test_random_below(r, 60) == 0) s->indices[3 * i + 2] = s->indices[3 * i + 1];
    }
}

/// Turned, stretched, mirrored, flattened, shifted.
static void random_pose(test_random* r, soup_kind kind, float m[12])
{
    const uint32_t way = test_random_below(r, 8);
    const float unit = kind == HUGE_ONES ? 0x1p59f : kind == TINY ? 1e-38f : 1.0f;
    for (int i = 0; i < 12; ++i)
        m[i] = i % 4 == 3 ? unit * test_random_signed(r) : test_random_signed(r);
    if (way < 3 || kind == LATTICE) {  // a quarter turn, and steps of the lattice
        static const float turn[12] = {0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0},
                           still[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
        const float* from = way == 0 ? turn : still;
        for (int i = 0; i < 12; ++i)
            m[i] = i % 4 == 3 ? unit * (float)((int)test_random_below(r, 5) - 2) * (kind == LATTICE ? 1.0f : 0.5f)
                              : from[i];
    }
    if (way == 3) m[4] = m[5] = m[6] = 0;
    if (way == 4 && kind != LATTICE) {
        for (int i = 0; i < 12; ++i)
            m[i] *= test_random_below(r, 2) ? 1e-20f : 1e25f;
    }
    if (way == 5) memset(m, 0, 12 * sizeof *m);
    for (int i = 0; i < 12; ++i)
        m[i] = isfinite(m[i]) ? m[i] : 3e38f;
}

static size_t pairs_by(tact_mesh* a, tact_mesh* b, const float (*poses)[12], size_t count, bool self,
                       const tact_query_options* options, tact_mesh_pair** pairs)
{
    size_t capacity = 16, found = 0;
    *pairs = malloc(capacity * sizeof **pairs);
    for (;;) {
        const tact_result result =
            self ? tact_mesh_self_overlap_pairs(a, *pairs, capacity, &found, options, NULL)
                 : tact_mesh_overlap_pairs(a, b, poses, count, *pairs, capacity, &found, options, NULL);
        if (result == TACT_OK) return found;
        assert_int_equal(result, TACT_INCOMPLETE);
        assert_true(found > capacity);
        capacity = found;
        free(*pairs);
        *pairs = malloc(capacity * sizeof **pairs);
    }
}

/// By every set of instructions and by one and three threads, what the reference says. Returns the pairs.
static size_t compare(tact_mesh* a, tact_mesh* b, const float (*poses)[12], size_t count)
{
    const tact_query_options reference = {.backend = TACT_BACKEND_REFERENCE};
    const bool self = !b;
    tact_mesh_pair *expected, *got;
    uint8_t relations[2][2][64];
    const size_t pairs = pairs_by(a, b, poses, count, self, &reference, &expected);
    for (int solid = 0; solid < 2 && b; ++solid)
        assert_int_equal(tact_mesh_overlap(a, b, poses, count, solid != 0, relations[0][solid], &reference, NULL),
                         TACT_OK);
    for (int level = 0; level < TACT_OVERLAP_LANE_LEVELS; ++level) {
        if (!tact_overlap_limit_lanes(level)) continue;
        for (int threads = 1; threads <= 3; threads += 2) {
            const tact_query_options cpu = {.backend = TACT_BACKEND_CPU, .threads = threads};
            const size_t found = pairs_by(a, b, poses, count, self, &cpu, &got);
            if (found != pairs)
                fail_msg("level %d, %d threads: %zu pairs instead of %zu", level, threads, found, pairs);
            if (pairs) assert_memory_equal(got, expected, pairs * sizeof *got);
            free(got);
            for (int solid = 0; solid < 2 && b; ++solid) {
                assert_int_equal(tact_mesh_overlap(a, b, poses, count, solid != 0, relations[1][solid], &cpu, NULL),
                                 TACT_OK);
                assert_memory_equal(relations[1][solid], relations[0][solid], count);
            }
        }
    }
    tact_overlap_limit_lanes(TACT_OVERLAP_LANE_LEVELS - 1);
    free(expected);
    return pairs;
}

static tact_mesh* make_soup(test_random* r, soup_kind kind, size_t triangles)
{
    static soup s;
    fill_soup(r, kind, triangles, &s);
    return make(s.positions, s.vertices, s.indices, s.triangles);
}

static void random_meshes(void** state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 7, 30, 150, 400};
    test_random r = test_random_seeded(7);
    size_t total[SOUP_KINDS] = {0};
    for (int kind = 0; kind < SOUP_KINDS; ++kind) {
        for (int round = 0; round < 6; ++round) {
            tact_mesh* a = make_soup(&r, (soup_kind)kind, sizes[round]);
            tact_mesh* b = make_soup(&r, (soup_kind)kind, sizes[(round * 5 + 3) % 6]);
            float poses[POSES][12];
            for (int i = 0; i < POSES; ++i)
                random_pose(&r, (soup_kind)kind, poses[i]);
            total[kind] += compare(a, b, (const float(*)[12])poses, POSES);
            total[kind] += compare(b, a, (const float(*)[12])poses, 1);
            total[kind] += compare(a, a, NULL, 1);
            total[kind] += compare(b, NULL, NULL, 1);
            tact_mesh_destroy(a);
            tact_mesh_destroy(b);
        }
        print_message("kind %d: %zu pairs\n", kind, total[kind]);
        assert_true(total[kind] > 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_by_construction),
        cmocka_unit_test(random_meshes),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
