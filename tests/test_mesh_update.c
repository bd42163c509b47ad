// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <float.h>
#include <time.h>

#include "tests/support/run.h"

#include "apps/inputs/mesh_file.h"
#include "core/scene/scene.h"
#include "tests/support/objects.h"
#include "tests/support/random.h"

// When a tree that is fitted to moved vertices is built again instead. `test_mesh_update times [FILE]` is no test: it
// measures what fitting costs rays, by which the bound was chosen.

enum { SIDE = 60 };

typedef enum deformation { TURN, GROW, TWIST, FOLD, NOISE, EXPLODE, DEFORMATIONS } deformation;

static const char* const names[] = {"turn", "grow", "twist", "fold", "noise", "explode"};

typedef struct mesh {
    float* positions;
    size_t vertices, triangles;
    float lower[3], size[3];
    float edge;  ///< mean length of an edge
} mesh;

/// Every triangle gets vertices of its own, so that it can go its own way.
static mesh part(const float* positions, const uint32_t* indices, size_t triangles)
{
    mesh m = {malloc(9 * triangles * sizeof(float)), 3 * triangles, triangles, {0}, {0}, 0.0f};
    float upper[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    double sum = 0.0;
    for (int k = 0; k < 3; ++k)
        m.lower[k] = FLT_MAX;
    for (size_t i = 0; i < m.vertices; ++i) {
        for (size_t k = 0; k < 3; ++k) {
            const float p = positions[3 * (size_t)indices[i] + k];
            m.positions[3 * i + k] = p;
            m.lower[k] = fminf(m.lower[k], p);
            upper[k] = fmaxf(upper[k], p);
        }
    }
    for (size_t t = 0; t < triangles; ++t) {
        const float* p = m.positions + 9 * t;
        sum += sqrt(pow((double)p[3] - (double)p[0], 2.0) + pow((double)p[4] - (double)p[1], 2.0) +
                    pow((double)p[5] - (double)p[2], 2.0));
    }
    for (int k = 0; k < 3; ++k)
        m.size[k] = upper[k] - m.lower[k];
    m.edge = (float)(sum / (double)triangles);
    return m;
}

/// A hilly sheet of 2 (side - 1)^2 triangles.
static mesh make_sheet(size_t side)
{
    float* p = scratch(3 * side * side * sizeof *p);
    uint32_t *indices = scratch(6 * (side - 1) * (side - 1) * sizeof *indices), *to = indices;
    for (size_t i = 0; i < side * side; ++i) {
        const float x = (float)(i % side) / (float)side, z = (float)(i / side) / (float)side;
        const float point[3] = {x, 0.1f * sinf(9.0f * x) * cosf(7.0f * z) + 0.01f * sinf(80.0f * x + 60.0f * z), z};
        memcpy(p + 3 * i, point, sizeof point);
    }
    for (size_t j = 0; j + 1 < side; ++j) {
        for (size_t i = 0; i + 1 < side; ++i) {
            const uint32_t a = (uint32_t)(j * side + i), c = a + (uint32_t)side;
            const uint32_t two[6] = {a, a + 1, c + 1, a, c + 1, c};
            memcpy(to, two, sizeof two);
            to += 6;
        }
    }
    const mesh m = part(p, indices, 2 * (side - 1) * (side - 1));
    return m;
}

/// Moves all vertices by a deformation of strength `a`. What vertices share they go on to share, but when exploding.
static void deform(const mesh* m, deformation how, float a, float* to)
{
    const float extent = fmaxf(m->size[0], fmaxf(m->size[1], m->size[2]));
    for (size_t i = 0; i < m->vertices; ++i) {
        const float* from = m->positions + 3 * i;
        float p[3];
        uint64_t bits = 1469598103934665603u;
        for (int k = 0; k < 3; ++k) {
            uint32_t word;
            p[k] = from[k] - m->lower[k] - 0.5f * m->size[k];
            memcpy(&word, &from[k], sizeof word);
            bits = (bits ^ word) * 1099511628211u;
        }
        test_random r = test_random_seeded(how == EXPLODE ? i / 3 : bits);
        // The longest axis of a sheet, or a figure's height, is what it is twisted about.
        const float along = m->size[1] > 0.7f * extent ? p[1] : p[0];
        const float angle = how == TURN ? a : how == TWIST ? a * along / extent : 0.0f;
        const float s = sinf(angle), c = cosf(angle), x = p[0], y = p[1], z = p[2];
        if (m->size[1] > 0.7f * extent || how == TURN) {
            p[0] = c * x + s * z;
            p[2] = c * z - s * x;
        } else {
            p[1] = c * y + s * z;
            p[2] = c * z - s * y;
        }
        if (how == FOLD) p[2] = z * (1.0f - a) + a * fabsf(z);
        for (int k = 0; k < 3; ++k) {
            if (how == GROW) p[k] *= 1.0f + a;
            if (how == NOISE) p[k] += a * m->edge * test_random_signed(&r);
            if (how == EXPLODE) p[k] += a * extent * test_random_signed(&r);
        }
        memcpy(to + 3 * i, p, sizeof p);
    }
}

static tact_scene* make_scene(tact_context* context, const mesh* m)
{
    const tact_mesh_desc desc = {
        .positions = m->positions, .vertex_count = m->vertices, .triangle_count = m->triangles};
    tact_scene* scene = new_scene(context);
    put_instance(scene, put_mesh(scene, &desc), NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

static double cost_of(const tact_scene* scene)
{
    tact_scene_stats stats;
    assert_int_equal(tact_scene_get_stats(scene, &stats), TACT_OK);
    return stats.sah_cost;
}

/// What the tree costs after an update, and what it cost when it was built.
static double updated(tact_scene* scene, const float* positions, tact_mesh_update update)
{
    assert_int_equal(tact_scene_update_mesh(scene, 0, positions, 0, update), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return cost_of(scene);
}

static tact_context* context;

/// AUTO fits while the fitted tree's cost is within the bound, and builds beyond it: then it costs what REBUILD does.
TEST(trees_are_built_again_when_they_have_become_costly)
{
    static const struct {
        deformation how;
        float a;
        bool built;
    } cases[] = {{TURN, 3.14159265f, false}, {GROW, 2.0f, false},   {TWIST, 0.3f, false}, {NOISE, 0.02f, false},
                 {TWIST, 40.0f, true},       {EXPLODE, 0.3f, true}, {NOISE, 20.0f, true}};
    const mesh m = make_sheet(SIDE);
    float* positions = scratch(3 * m.vertices * sizeof *positions);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        double cost[3];
        deform(&m, cases[i].how, cases[i].a, positions);
        for (int update = TACT_UPDATE_AUTO; update <= TACT_UPDATE_REBUILD; ++update) {
            tact_scene* scene = make_scene(context, &m);
            cost[update] = updated(scene, positions, (tact_mesh_update)update);
            tact_scene_destroy(scene);
        }
        assert_true(cost[TACT_UPDATE_REBUILD] != cost[TACT_UPDATE_REFIT]);
        assert_true(cost[TACT_UPDATE_AUTO] == cost[cases[i].built ? TACT_UPDATE_REBUILD : TACT_UPDATE_REFIT]);
    }
    free(m.positions);
}

/// Built again once, a tree is fitted again: the bound is a share of what it now costs.
TEST(the_bound_goes_with_the_tree)
{
    const mesh m = make_sheet(SIDE);
    float* positions = scratch(3 * m.vertices * sizeof *positions);
    tact_scene* scene = KEEP(make_scene(context, &m));
    const double first = cost_of(scene);
    deform(&m, EXPLODE, 0.3f, positions);
    const double built = updated(scene, positions, TACT_UPDATE_AUTO);
    assert_true(built > 1.6 * first);
    for (size_t i = 0; i < 3 * m.vertices; ++i)
        positions[i] *= 1.0f + 0.001f * (float)(i % 7);
    const double fitted = updated(scene, positions, TACT_UPDATE_AUTO);
    const double again = updated(scene, positions, TACT_UPDATE_REFIT);
    assert_true(fitted == again && fitted != built);
    free(m.positions);
}

/// The tree of a mesh behind one that is built again has another place, which queries that read meshes, not instances,
/// are told too.
TEST(trees_behind_a_mesh_are_where_its_view_says)
{
    const mesh m = make_sheet(SIDE), small = make_sheet(5);
    float* positions = malloc(3 * m.vertices * sizeof *positions);
    tact_scene* scene = KEEP(make_scene(context, &m));
    const tact_mesh_desc desc = {
        .positions = small.positions, .vertex_count = small.vertices, .triangle_count = small.triangles};
    put_instance(scene, put_mesh(scene, &desc), NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    const uint32_t before = scene->meshes[1].wide_root;
    deform(&m, EXPLODE, 0.3f, positions);
    (void)updated(scene, positions, TACT_UPDATE_REBUILD);
    assert_true(scene->meshes[1].wide_root < before);
    for (uint32_t i = 0; i < 2; ++i) {
        assert_int_equal(scene->trace.meshes[i].wide_root, scene->meshes[i].wide_root);
        assert_int_equal(scene->instances[i].wide_root, scene->meshes[i].wide_root);
    }
    free(positions);
    free(small.positions);
    free(m.positions);
}

// ---- Not a test ----

static double cpu_ms(void)
{
    return 1e3 * (double)clock() / CLOCKS_PER_SEC;
}

enum { RAYS = 100000 };

/// From a sphere about the mesh to places within its box.
static tact_ray* make_rays(const float* positions, size_t vertices)
{
    tact_ray* rays = scratch(RAYS * sizeof *rays);
    float lower[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, upper[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    for (size_t i = 0; i < 3 * vertices; ++i) {
        lower[i % 3] = fminf(lower[i % 3], positions[i]);
        upper[i % 3] = fmaxf(upper[i % 3], positions[i]);
    }
    test_random r = test_random_seeded(9);
    for (size_t i = 0; i < RAYS; ++i) {
        float o[3], d[3], length = 0.0f;
        for (int k = 0; k < 3; ++k) {
            o[k] = test_random_signed(&r);
            length += o[k] * o[k];
        }
        for (int k = 0; k < 3; ++k) {
            const float reach = fmaxf(upper[0] - lower[0], fmaxf(upper[1] - lower[1], upper[2] - lower[2]));
            o[k] = 0.5f * (lower[k] + upper[k]) + o[k] * reach / sqrtf(length + 1e-6f);
            d[k] = lower[k] + test_random_unit(&r) * (upper[k] - lower[k]) - o[k];
        }
        rays[i] = (tact_ray){o[0], o[1], o[2], 0.0f, d[0], d[1], d[2], FLT_MAX};
    }
    return rays;
}

static double cast_ms(tact_scene* scene, const tact_ray* rays, tact_hit* hits)
{
    const double start = cpu_ms();
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, RAYS, hits, &options, NULL), TACT_OK);
    return cpu_ms() - start;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static void measure_one(const mesh* m, deformation how, float a, float* positions)
{
    tact_hit* hits = scratch(RAYS * sizeof *hits);
    deform(m, how, a, positions);
    tact_ray* rays = make_rays(positions, m->vertices);
    tact_scene* scenes[2] = {make_scene(context, m), make_scene(context, m)};
    const double before = cost_of(scenes[0]);
    double commit[2] = {1e9, 1e9}, cast[2] = {1e9, 1e9}, cost[2];
    // In turn, and the least of several, for others may be at work.
    for (int turn = 0; turn < 5; ++turn) {
        for (int i = 0; i < 2; ++i) {
            const double start = cpu_ms();
            cost[i] = updated(scenes[i], positions, i ? TACT_UPDATE_REBUILD : TACT_UPDATE_REFIT);
            commit[i] = least(commit[i], cpu_ms() - start);
            cast[i] = least(cast[i], cast_ms(scenes[i], rays, hits));
        }
    }
    const double lost = (cast[0] - cast[1]) / RAYS, spared = commit[1] - commit[0];
    print_message("%-8s %6.2f | %8.2f %8.2f | %6.2f %6.2f | %7.1f %7.1f | %7.0f %7.0f %5.2f | %8.0f\n", names[how],
                  (double)a, cost[0], cost[1], cost[0] / before, cost[0] / cost[1], commit[0], commit[1],
                  cast[0] * 1e6 / RAYS, cast[1] * 1e6 / RAYS, cast[0] / cast[1],
                  lost > 0.0 ? spared / lost * 1e-3 : (double)INFINITY);
    for (int i = 0; i < 2; ++i)
        tact_scene_destroy(scenes[i]);
}

static void measure(const mesh* m)
{
    static const float strengths[DEFORMATIONS][6] = {[TWIST] = {0.5f, 1.0f, 2.0f, 4.0f, 8.0f, 16.0f},
                                                     [FOLD] = {0.25f, 0.5f, 0.75f, 0.9f, 0.97f, 1.0f},
                                                     [NOISE] = {0.1f, 0.3f, 1.0f, 2.0f, 4.0f, 8.0f},
                                                     [EXPLODE] = {0.001f, 0.003f, 0.01f, 0.02f, 0.05f, 0.2f}};
    float* positions = scratch(3 * m->vertices * sizeof *positions);
    print_message(
        "%zu triangles\n                |     cost: fit, built | fit to first, built |   ms: fit,  build |"
        " ns a ray: fit, built, ratio | thousand rays that pay for building\n",
        m->triangles);
    for (int how = TWIST; how < DEFORMATIONS; ++how) {
        for (int i = 0; i < 6; ++i)
            measure_one(m, (deformation)how, strengths[how][i], positions);
    }
}

static int measure_all(const char* path)
{
    mesh m = make_sheet(320);
    measure(&m);
    free(m.positions);
    if (!path) return 0;
    tact_model_mesh file = {0};
    tact_problem problem;
    if (!tact_mesh_file_read(path, &file, &problem)) return 1;
    m = part(file.positions, file.indices, file.triangle_count);
    tact_model_mesh_free(&file);
    measure(&m);
    free(m.positions);
    return 0;
}

#include TEST_LIST

int main(int argc, char** argv)
{
    const tact_context_desc desc = {.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .threads = 2};
    if (tact_context_create(&desc, &context) != TACT_OK) return 1;
    const bool times = argc > 1 && strcmp(argv[1], "times") == 0;
    const int failed = times ? measure_all(argc > 2 ? argv[2] : NULL) : run_all(all_tests, NULL, NULL);
    tact_context_destroy(context);
    return failed;
}
