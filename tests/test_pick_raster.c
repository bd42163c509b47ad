// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Scenes drawn for picking, against rays and against triangles in double precision: at every pixel the same thing, or
/// a place within the rounding of an edge or of depth (support/pick_explain.h has the bounds). Views of 160 x 120, of
/// 320 x 240 if thorough, and of 1024 x 768 with the argument `long`.

#include "tests/support/run.h"

#include "cpu_ref/pick/code.h"
#include "gpu/pick/drawer.h"
#include "tact/tact.h"
#include "tests/support/effort.h"
#include "tests/support/objects.h"
#include "tests/support/one_device.h"
#include "tests/support/pick_lab.h"

static bool at_length;

typedef struct lab {
    tact_context* context;
    tact_device* device;
    tact_pick_drawer* drawer;
    uint32_t bits;
} lab;

static int set_up(void** state)
{
    lab* l = calloc(1, sizeof *l);
    *state = l;
    l->context = one_device_context(TACT_BACKEND_GL);
    const int index = l->context ? tact_context_find(l->context, TACT_BACKEND_GL) : -1;
    if (index < 0) return 0;
    l->device = l->context->devices[index];
    if (tact_pick_drawer_create(l->device, &l->drawer) != TACT_OK) return -1;
    l->bits = tact_raster_get_limits(tact_pick_drawer_raster(l->drawer)).subpixel_bits;
    return 0;
}

static int tear_down(void** state)
{
    lab* l = *state;
    tact_pick_drawer_destroy(l->drawer);
    if (l->context) tact_context_destroy(l->context);
    free(l);
    return 0;
}

static lab* require(void** state)
{
    lab* l = *state;
    need_device(l->context, TACT_BACKEND_GL);
    return l;
}

// ---- Every pixel ----

typedef struct thing {
    bool shown;
    uint32_t instance, primitive;
} thing;

static thing of_ids(const tact_pick_ids* ids, const tact_pick_surface* surface)
{
    return (thing){surface->depth != TACT_PICK_NOTHING, ids->instance, ids->primitive};
}

static thing of_hit(const tact_hit* hit)
{
    return (thing){hit->instance != TACT_NONE, hit->instance, hit->primitive};
}

static bool same_thing(const thing* a, const thing* b)
{
    return a->shown == b->shown && (!a->shown || (a->instance == b->instance && a->primitive == b->primitive));
}

typedef struct tally {
    size_t pixels, covered, edges, depths, thin, unexplained, wrong_depth, wrong_place;
    size_t beyond;         // depths outside of those of their triangle's corners
    double widest, reach;  // of the edges that explain: distance, and bound
    double worst_depth;    // in units of the bound
} tally;

typedef struct checking {
    explain_view e;
    const tact_scene* scene;
    tally t;
} checking;

static bool explained(checking* c, const thing* a, const thing* b, const tact_ray* ray, double x, double y)
{
    explain_triangle t[2] = {{0}, {0}};
    const thing* things[2] = {a, b};
    for (int i = 0; i < 2; ++i) {
        if (!things[i]->shown) continue;
        t[i] = explain_triangle_of(&c->e, c->scene, things[i]->instance, things[i]->primitive, ray);
        const double edge = explain_edge(&t[i], x, y);
        if (edge > t[i].reach) continue;
        c->t.widest = fmax(c->t.widest, edge);
        c->t.reach = fmax(c->t.reach, t[i].reach);
        ++c->t.edges;
        return true;
    }
    if (!a->shown || !b->shown) return false;
    if (t[0].flat || t[1].flat) {
        ++c->t.thin;
        return true;
    }
    const double apart = fabs(explain_depth_at(&t[0], x, y) - explain_depth_at(&t[1], x, y));
    // The ray's place is off too, and so the depths that it compares.
    const double slopes = fabs(t[0].slope[0] - t[1].slope[0]) + fabs(t[0].slope[1] - t[1].slope[1]);
    const double by_ray = slopes * fmax(t[0].reach, t[1].reach) + fmax(t[0].ray_depth, t[1].ray_depth);
    if (apart > t[0].depth_reach + t[1].depth_reach + by_ray) return false;
    ++c->t.depths;
    return true;
}

// What is shown is where the image says, in depth too.
static void check_shown(checking* c, const thing* shown, uint32_t bits, const tact_hit* hit, const tact_ray* ray,
                        double x, double y)
{
    const explain_triangle t = explain_triangle_of(&c->e, c->scene, shown->instance, shown->primitive, ray);
    float depth;
    memcpy(&depth, &bits, sizeof depth);
    if (!explain_covers(&t, x, y) && explain_edge(&t, x, y) > t.moved) ++c->t.wrong_place;
    // A view's own depth that is not reversed is rounded once more.
    const double exact = explain_depth_at(&t, x, y), more = c->e.view->reversed ? 0.0 : 0x1p-24;
    const double drawn = c->e.view->reversed ? (double)depth : 1.0 - (double)depth;
    if (!t.clipped && !(drawn >= t.least - more && drawn <= t.greatest + more)) ++c->t.beyond;
    if (t.flat) return;
    const double off = fabs(drawn - exact);
    c->t.worst_depth = fmax(c->t.worst_depth, off / (t.depth_reach + more));
    if (off > t.depth_reach + more) ++c->t.wrong_depth;
    // And where the ray met it. Not of what reaches out of the view: the ray's t carries the rounding of the whole
    // triangle's size, which no bound in pixels of the view knows. Its drawn depth was held to the exact plane above.
    if (!hit || t.clipped) return;
    double p[3] = {(double)ray->ox + (double)hit->t * (double)ray->dx,
                   (double)ray->oy + (double)hit->t * (double)ray->dy,
                   (double)ray->oz + (double)hit->t * (double)ray->dz};
    double clip[2];
    for (int r = 0; r < 2; ++r) {
        const double* row = c->e.row[2 + r];
        clip[r] = row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3];
    }
    const double z = clip[0] / clip[1], met = c->e.view->depth == TACT_CLIP_ZERO_TO_ONE ? z : 0.5 * (z + 1.0);
    const double slope = fabs(t.slope[0]) + fabs(t.slope[1]);
    if (fabs((double)depth - met) > t.depth_reach + more + slope * t.reach + t.ray_depth) ++c->t.wrong_depth;
}

static void tell(const char* name, const tally* t)
{
    const double covered = t->covered ? (double)t->covered : 1.0;
    print_message(
        "%-26s %7zu of %7zu px covered; differ at edges %5zu (%.1e; at most %.4f px of %.4f), in depth %5zu "
        "(%.1e), thin %zu, unexplained %zu; depth at most %.2f of its bound, wrong %zu, beyond "
        "corners %zu, misplaced %zu\n",
        name, t->covered, t->pixels, t->edges, (double)t->edges / covered, t->widest, t->reach, t->depths,
        (double)t->depths / covered, t->thin, t->unexplained, t->worst_depth, t->wrong_depth, t->beyond,
        t->wrong_place);
}

static tact_ray* rays_of(const tact_pick_view* view)
{
    tact_ray* rays = scratch(sizeof *rays * view->width * view->height);
    for (uint32_t i = 0; i < view->width * view->height; ++i) {
        const double x = view->left + (int32_t)(i % view->width) + 0.5,
                     y = view->top + (int32_t)(i / view->width) + 0.5;
        assert_true(tact_pick_ray(view, x, y, &rays[i]));
    }
    return rays;
}

// (b - a) x (c - a) in the world, also of mirrored instances: within a hundredth of a degree, but for what single
// precision makes of thin triangles.
static void check_normal(const tact_scene* scene, const tact_pick_ids* ids)
{
    const tact_scene_mesh* mesh = &scene->meshes[ids->object];
    const float* m = scene->matrices[ids->instance];
    double p[3][3], u[3], v[3], n[3], along = 0.0, longest = 0.0;
    float told[3];
    for (int i = 0; i < 3; ++i) {
        const float* q = mesh->positions + 3 * (size_t)mesh->indices[3 * (size_t)ids->primitive + (size_t)i];
        for (int k = 0; k < 3; ++k) {
            p[i][k] = (double)m[4 * k] * (double)q[0] + (double)m[4 * k + 1] * (double)q[1] +
                      (double)m[4 * k + 2] * (double)q[2] + (double)m[4 * k + 3];
        }
    }
    for (int k = 0; k < 3; ++k) {
        u[k] = p[1][k] - p[0][k];
        v[k] = p[2][k] - p[0][k];
    }
    pick_cross(u, v, n);
    for (int k = 0; k < 3; ++k)
        longest = fmax(longest, fmax(u[k] * u[k], v[k] * v[k]));
    const double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    tact_pick_decode_normal(ids->normal, told);
    for (int k = 0; k < 3; ++k)
        along += n[k] / area * (double)told[k];
    const double wrong = 1.75e-4 + 0x1p-20 * longest / area * explain_condition(m);
    if (!(along > 1.0 - 0.5 * wrong * wrong - 1e-7)) {
        fail_msg("normal of %u %u: %g off", ids->instance, ids->primitive, acos(along));
    }
}

static const char* dump_folder;

// Ids as colours, what differs in red: to be looked at.
static void dump(const char* name, const pick_image* image, const tact_hit* hits)
{
    char path[512];
    if (!dump_folder) return;
    snprintf(path, sizeof path, "%s/%s.ppm", dump_folder, name);
    FILE* file = fopen(path, "wb");
    if (!file) return;
    fprintf(file, "P6 %u %u 255\n", image->width, image->height);
    for (size_t i = 0; i < (size_t)image->width * image->height; ++i) {
        const thing a = of_ids(&image->ids[i], &image->surfaces[i]), b = of_hit(&hits[i]);
        const uint32_t h = (a.instance * 0x9e3779b1u ^ a.primitive * 0x85ebca6bu) * 0xc2b2ae35u;
        uint8_t colour[3] = {0, 0, 0};
        for (int k = 0; k < 3 && a.shown; ++k)
            colour[k] = (uint8_t)(40 + (h >> (8 + 8 * k) & 127));
        if (!same_thing(&a, &b)) colour[0] = 255;
        fwrite(colour, 1, 3, file);
    }
    fclose(file);
}

static void check_view(lab* l, const char* name, tact_scene* scene, const tact_pick_view* view)
{
    const size_t pixels = (size_t)view->width * view->height;
    pick_image image;
    assert_int_equal(pick_draw(l->device, l->drawer, scene, view, &image), TACT_OK);
    tact_ray* rays = rays_of(view);
    tact_hit* hits = scratch(sizeof *hits * pixels);
    const tact_query_options cpu = {.backend = TACT_BACKEND_CPU};
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, rays, pixels, hits, &cpu, NULL), TACT_OK);
    checking c = {.e = explain_make(view, l->bits), .scene = scene, .t = {.pixels = pixels}};
    for (size_t i = 0; i < pixels; ++i) {
        const thing a = of_ids(&image.ids[i], &image.surfaces[i]), b = of_hit(&hits[i]);
        const double x = (double)(i % view->width) + 0.5, y = (double)(i / view->width) + 0.5;
        const bool same = same_thing(&a, &b);
        c.t.covered += a.shown;
        if (a.shown) {
            assert_int_equal(image.ids[i].object, scene->instances[a.instance].mesh);
            check_normal(scene, &image.ids[i]);
            check_shown(&c, &a, image.surfaces[i].depth, same ? &hits[i] : NULL, &rays[i], x, y);
        }
        if (!same && !explained(&c, &a, &b, &rays[i], x, y)) ++c.t.unexplained;
    }
    tell(name, &c.t);
    dump(name, &image, hits);
    assert_int_equal(c.t.unexplained, 0);
    assert_int_equal(c.t.wrong_depth, 0);
    assert_int_equal(c.t.beyond, 0);
    assert_int_equal(c.t.wrong_place, 0);
    assert_true(c.t.covered > pixels / 50);
    assert_true(c.t.thin * 1000 <= c.t.covered);
    pick_image_free(&image);
}

static tact_pick_view sized(const pick_camera* c)
{
    if (at_length) return pick_view_of(c, 1024, 768);
    return effort_is_thorough() ? pick_view_of(c, 320, 240) : pick_view_of(c, 160, 120);
}

static const pick_camera outside = {.eye = {1.6, 0.9, 2.1}, .tall = 0.45, .near = 0.1, .far = 20.0};
static const pick_camera close_by = {
    .eye = {0.35, 0.2, 1.1}, .target = {-0.2, 0.1, 0.0}, .tall = 0.6, .near = 0.01, .far = 100.0};
static const pick_camera within = {
    .eye = {0.05, 0.02, 0.1}, .target = {1.0, 0.1, -0.3}, .tall = 0.8, .near = 0.001, .far = 50.0};

static void check_cameras(lab* l, const char* name, tact_scene* scene)
{
    const pick_camera* cameras[] = {&outside, &close_by, &within};
    for (int i = 0; i < 3; ++i) {
        char text[64];
        const tact_pick_view view = sized(cameras[i]);
        snprintf(text, sizeof text, "%s-%d", name, i);
        check_view(l, text, scene, &view);
    }
    tact_scene_destroy(scene);
}

TEST_AS(IN_LAB, test_bunny)
{
    lab* l = require(state);
    tact_model_mesh mesh = pick_mesh("bunny.obj");
    pick_fit(&mesh);
    check_cameras(l, "bunny", pick_scene_of(l->context, mesh));
}

TEST_AS(IN_LAB, test_horse)
{
    lab* l = require(state);
    tact_model_mesh mesh = pick_mesh("horse.3ds");
    pick_fit(&mesh);
    check_cameras(l, "horse", pick_scene_of(l->context, mesh));
}

TEST_AS(IN_LAB, test_instances)
{
    lab* l = require(state);
    check_cameras(l, "instances", pick_instances(l->context, 10000, 0.02f, 91));
}

TEST_AS(IN_LAB, test_sheets)
{
    lab* l = require(state);
    check_cameras(l, "sheets", pick_scene_of(l->context, pick_sheets(24)));
}

TEST_AS(IN_LAB, test_needles)
{
    lab* l = require(state);
    tact_problem problem;
    tact_model_mesh mesh = {0};
    assert_true(tact_mesh_needles(5000, 5, &mesh, &problem));
    check_cameras(l, "needles", pick_scene_of(l->context, mesh));
}

TEST_AS(IN_LAB, test_terrain)
{
    lab* l = require(state);
    tact_problem problem;
    tact_model_mesh mesh = {0};
    assert_true(tact_mesh_terrain(300, 5, &mesh, &problem));
    check_cameras(l, "terrain", pick_scene_of(l->context, mesh));
}

// ---- Views of all kinds ----

TEST_AS(IN_LAB, test_views)
{
    lab* l = require(state);
    tact_scene* scene = pick_instances(l->context, 500, 0.15f, 92);
    for (int i = 0; i < 32; ++i) {
        pick_camera c = i & 1 ? close_by : outside;
        c.reversed = (i & 2) != 0;
        c.depth = i & 4 ? TACT_CLIP_ZERO_TO_ONE : TACT_CLIP_MINUS_ONE_TO_ONE;
        c.mirrored = i % 3 == 0;
        if (i & 8) c.far = 0.0;
        if ((i & 24) == 16) {
            c.orthographic = true;
            c.tall = 1.0;
        }
        char text[64];
        snprintf(text, sizeof text, "view-%d%s%s%s%s%s", i, c.reversed ? "-reversed" : "", c.depth ? "-zero" : "",
                 c.mirrored ? "-mirrored" : "", c.far == 0.0 ? "-endless" : "", c.orthographic ? "-ortho" : "");
        const tact_pick_view view = sized(&c);
        check_view(l, text, scene, &view);
    }
    tact_scene_destroy(scene);
}

// An object a million units from the origin: drawn as sharp as near it, by the matrix that there is.
TEST_AS(IN_LAB, test_far_away)
{
    lab* l = require(state);
    tact_problem problem;
    tact_model_mesh ball = {0};
    assert_true(tact_mesh_icosphere(4, &ball, &problem));
    tact_scene* scene = KEEP(new_scene(l->context));
    const float pose[12] = {1, 0, 0, 1048576.0f, 0, 1, 0, -524288.0f, 0, 0, 1, 2097152.0f};
    put_instance(scene, pick_add_mesh(scene, &ball), pose);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    const pick_camera c = {.eye = {1048579.0, -524288.0, 2097152.0},
                           .target = {1048576.0, -524288.0, 2097152.0},
                           .tall = 0.5,
                           .near = 0.1,
                           .far = 100.0};
    const tact_pick_view view = sized(&c);
    pick_image image;
    assert_int_equal(pick_draw(l->device, l->drawer, scene, &view, &image), TACT_OK);
    checking check = {.e = explain_make(&view, l->bits), .scene = scene};
    tact_ray none = {0};
    for (size_t i = 0; i < (size_t)view.width * view.height; ++i) {
        const thing a = of_ids(&image.ids[i], &image.surfaces[i]);
        check.t.covered += a.shown;
        if (!a.shown) continue;
        check_shown(&check, &a, image.surfaces[i].depth, NULL, &none, (double)(i % view.width) + 0.5,
                    (double)(i / view.width) + 0.5);
    }
    check.t.pixels = (size_t)view.width * view.height;
    tell("far away", &check.t);
    assert_int_equal(check.t.wrong_place + check.t.wrong_depth + check.t.beyond, 0);
    assert_true(check.t.covered > 1000);
    pick_image_free(&image);
}

#include "tests/support/pick_raster_picks.h"

#define IN_LAB(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
TEST_ELSEWHERE(IN_LAB, test_windows)
TEST_ELSEWHERE(IN_LAB, test_all)
TEST_ELSEWHERE(IN_LAB, test_squashed)
TEST_ELSEWHERE(IN_LAB, test_layers)
TEST_ELSEWHERE(IN_LAB, test_slivers)
TEST_ELSEWHERE(IN_LAB, test_kept)
TEST_ELSEWHERE(IN_LAB, test_bands)
TEST_ELSEWHERE(IN_LAB, test_small_buffers)
TEST_ELSEWHERE(IN_LAB, test_large)
TEST_ELSEWHERE(IN_LAB, test_nothing)
TEST_ELSEWHERE(IN_LAB, test_report)
TEST_ELSEWHERE(IN_LAB, test_failures)
TEST_ELSEWHERE(ON_GL, test_adopted)

#include TEST_LIST

int main(int argc, char** argv)
{
    at_length = argc > 1 && strcmp(argv[1], "long") == 0;
    dump_folder = getenv("TACT_PICK_DUMP");
    if (argc > 2) run_only(argv[2]);
    return run_all(all_tests, NULL, NULL);
}
