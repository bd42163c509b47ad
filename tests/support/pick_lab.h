// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Views, scenes and drawn images for tests of picking by drawing. Include after run.h.

#include "apps/inputs/mesh_file.h"
#include "apps/inputs/scenes.h"
#include "core/scene/scene.h"
#include "gpu/pick/scene.h"
#include "tests/support/objects.h"
#include "tests/support/pick_explain.h"
#include "tests/support/random.h"

typedef struct pick_camera {
    double eye[3], target[3];
    double tall;       // tangent of half the angle; or half the height, orthographic
    double near, far;  // far 0: at infinity
    tact_clip_depth depth;
    bool orthographic, reversed, mirrored;
} pick_camera;

static inline void pick_unit(double v[3])
{
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int k = 0; k < 3; ++k)
        v[k] /= length;
}

static inline void pick_cross(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; ++k)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static inline tact_pick_view pick_view_of(const pick_camera* c, uint32_t width, uint32_t height)
{
    double frame[3][3], row[4][4];  // right, up, ahead
    const double hint[3] = {0.1, 1.0, 0.05};
    for (int k = 0; k < 3; ++k)
        frame[2][k] = c->target[k] - c->eye[k];
    pick_unit(frame[2]);
    pick_cross(frame[2], hint, frame[0]);
    pick_unit(frame[0]);
    pick_cross(frame[0], frame[2], frame[1]);
    const double least = c->depth == TACT_CLIP_ZERO_TO_ONE ? 0.0 : -1.0;
    const double first = c->reversed ? 1.0 : least, last = c->reversed ? least : 1.0;
    double a = last, b = (first - last) * c->near;
    if (c->orthographic) {
        a = (last - first) / (c->far - c->near);
        b = first - a * c->near;
    } else if (c->far > 0.0) {
        b = (first - last) / (1.0 / c->near - 1.0 / c->far);
        a = first - b / c->near;
    }
    for (int k = 0; k < 4; ++k) {
        double along[3];
        for (int i = 0; i < 3; ++i) {
            along[i] =
                k < 3 ? frame[i][k] : -(frame[i][0] * c->eye[0] + frame[i][1] * c->eye[1] + frame[i][2] * c->eye[2]);
        }
        row[0][k] = (c->mirrored ? -1.0 : 1.0) * along[0] / c->tall * height / width;
        row[1][k] = along[1] / c->tall;
        row[2][k] = a * along[2] + (k == 3 ? b : 0.0);
        row[3][k] = c->orthographic ? (k == 3) : along[2];
    }
    tact_pick_view view = {
        .order = TACT_MATRIX_BY_COLUMNS, .depth = c->depth, .reversed = c->reversed, .width = width, .height = height};
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            view.world_to_clip[i + 4 * j] = (float)row[i][j];
    return view;
}

// A scene as the drawer takes it; what the device keeps of it stays with the scene.
typedef struct pick_drawn {
    tact_resident* kept;
    tact_pick_scene_data* data;
    tact_drawn_scene scene;
} pick_drawn;

// In place, since it points to itself.
static inline void pick_drawn_begin(pick_drawn* d, tact_scene* scene)
{
    d->kept = &scene->kept[TACT_SCENE_DRAWN][tact_context_find(scene->context, TACT_BACKEND_GL)];
    d->data = d->kept->data;
    d->scene = (tact_drawn_scene){&scene->trace, &d->data};
}

static inline void pick_drawn_end(pick_drawn* d)
{
    tact_resident_keep(d->kept, d->data, tact_pick_scene_data_release);
}

// tact_pick_drawer_pick() of a scene.
static inline tact_result pick_by_drawer(tact_pick_drawer* drawer, tact_scene* scene, const tact_pick_view* view,
                                         const tact_pick_mask* mask, const tact_pick_options* options,
                                         const tact_query_options* query, tact_query_report* report,
                                         tact_pick_list* list)
{
    pick_drawn drawn;
    pick_drawn_begin(&drawn, scene);
    const tact_result result = tact_pick_drawer_pick(drawer, &drawn.scene, view, mask, options, query, report, list);
    pick_drawn_end(&drawn);
    return result;
}

// An image as drawn, turned so that its first row is the top one.
typedef struct pick_image {
    uint32_t width, height;
    tact_pick_ids* ids;
    tact_pick_surface* surfaces;
} pick_image;

static inline void pick_image_free(pick_image* i)
{
    free(i->ids);
    free(i->surfaces);
}

static inline tact_result pick_read(tact_device* device, tact_raster* raster, pick_image* image)
{
    const size_t pixels = (size_t)image->width * image->height;
    const uint32_t all[4] = {0, 0, image->width, image->height};
    tact_buffer *ids = NULL, *surfaces = NULL;
    tact_result result = tact_buffer_hold(device, &ids, pixels * 16);
    if (result == TACT_OK) result = tact_buffer_hold(device, &surfaces, pixels * 8);
    if (result == TACT_OK) result = tact_raster_copy(raster, TACT_RASTER_COLOUR_0, all, ids, 0);
    if (result == TACT_OK) result = tact_raster_copy(raster, (tact_raster_plane)1, all, surfaces, 0);
    // Rows come from the bottom up.
    for (uint32_t y = 0; y < image->height && result == TACT_OK; ++y) {
        const size_t from = (size_t)(image->height - 1 - y) * image->width;
        result = tact_buffer_read(ids, from * 16, image->ids + (size_t)y * image->width, (size_t)image->width * 16);
        if (result != TACT_OK) break;
        result =
            tact_buffer_read(surfaces, from * 8, image->surfaces + (size_t)y * image->width, (size_t)image->width * 8);
    }
    tact_buffer_destroy(ids);
    tact_buffer_destroy(surfaces);
    return result;
}

static inline tact_result pick_draw(tact_device* device, tact_pick_drawer* drawer, tact_scene* scene,
                                    const tact_pick_view* view, pick_image* image)
{
    const size_t pixels = (size_t)view->width * view->height;
    *image = (pick_image){view->width, view->height, malloc(pixels * 16), malloc(pixels * 8)};
    const tact_raster_target_desc desc = {.width = view->width,
                                          .height = view->height,
                                          .depth = TACT_RASTER_DEPTH_32F,
                                          .colours = {TACT_RASTER_RGBA32UI, TACT_RASTER_RG32UI}};
    tact_raster* raster = tact_pick_drawer_raster(drawer);
    tact_raster_target* target = NULL;
    pick_drawn drawn;
    pick_drawn_begin(&drawn, scene);
    tact_result result = tact_device_enter(device);
    if (result != TACT_OK) return result;
    result = tact_raster_target_create(raster, &desc, &target);
    if (result == TACT_OK) result = tact_raster_begin(raster);
    if (result == TACT_OK) {
        tact_raster_bind(raster, target);
        result = tact_pick_drawer_draw(drawer, &drawn.scene, view);
        if (result == TACT_OK) result = pick_read(device, raster, image);
        const tact_result ended = tact_raster_end(raster);
        if (result == TACT_OK) result = ended;
    }
    pick_drawn_end(&drawn);
    tact_raster_target_destroy(target);
    tact_device_leave(device);
    return result;
}

// A mesh of the models that a package brings, else a landscape.
static inline tact_model_mesh pick_mesh(const char* name)
{
    char path[256];
    tact_model_mesh mesh = {0};
    tact_problem problem;
    snprintf(path, sizeof path, "/usr/share/glmark2/models/%s", name);
    if (tact_mesh_file_read_guarded(path, &mesh, &problem)) return mesh;
    leave_out(path);
    tact_mesh_terrain(100, 77, &mesh, &problem);
    return mesh;
}

// Fits a mesh into a ball of radius 1 about the origin.
static inline void pick_fit(tact_model_mesh* mesh)
{
    float lower[3], upper[3], size = 0.0f;
    for (int k = 0; k < 3; ++k) {
        lower[k] = INFINITY;
        upper[k] = -INFINITY;
        for (size_t i = 0; i < mesh->vertex_count; ++i) {
            lower[k] = fminf(lower[k], mesh->positions[3 * i + (size_t)k]);
            upper[k] = fmaxf(upper[k], mesh->positions[3 * i + (size_t)k]);
        }
        size = fmaxf(size, upper[k] - lower[k]);
    }
    for (size_t i = 0; i < 3 * mesh->vertex_count; ++i)
        mesh->positions[i] = (mesh->positions[i] - 0.5f * (lower[i % 3] + upper[i % 3])) * 2.0f / size;
}

// Parallel squares at a slant whose gaps are 1e-3 to 1e-7 of their size, each a grid of triangles.
static inline tact_model_mesh pick_sheets(uint32_t side)
{
    enum { SHEETS = 6 };
    tact_model_mesh m = {0};
    const size_t vertices = (size_t)(side + 1) * (side + 1);
    m.vertex_count = SHEETS * vertices;
    m.triangle_count = SHEETS * 2 * (size_t)side * side;
    m.positions = malloc(m.vertex_count * 12);
    m.indices = malloc(m.triangle_count * 12);
    float* p = m.positions;
    uint32_t* to = m.indices;
    double height = 0.0, gap = 1e-3;
    for (uint32_t s = 0; s < SHEETS; ++s, height += gap, gap *= 0.1) {
        for (uint32_t i = 0; i < vertices; ++i) {
            const double x = 2.0 * (i % (side + 1)) / side - 1.0, y = 2.0 * (i / (side + 1)) / side - 1.0;
            *p++ = (float)x;
            *p++ = (float)y;
            *p++ = (float)(0.3 * x + 0.7 * y + height);
        }
        for (uint32_t i = 0; i < side * side; ++i) {
            const uint32_t a = (uint32_t)(s * vertices) + i / side * (side + 1) + i % side, b = a + side + 1;
            const uint32_t corners[6] = {a, a + 1, b, b, a + 1, b + 1};
            memcpy(to, corners, sizeof corners);
            to += 6;
        }
    }
    return m;
}

static inline uint32_t pick_add_mesh(tact_scene* scene, tact_model_mesh* mesh)
{
    const tact_mesh_desc desc = tact_model_mesh_desc(mesh);
    const uint32_t id = put_mesh(scene, &desc);
    tact_model_mesh_free(mesh);
    return id;
}

static inline tact_scene* pick_scene_of(tact_context* context, tact_model_mesh mesh)
{
    tact_scene* scene = new_scene(context);
    put_instance(scene, pick_add_mesh(scene, &mesh), NULL);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}

// Anywhere in a cube, turned, sheared and half of them mirrored, but not so flat that its rays lose their way.
static inline void pick_random_pose(test_random* r, float size, float m[12])
{
    do {
        for (int k = 0; k < 12; ++k)
            m[k] = k % 4 == 3 ? test_random_signed(r) : size * test_random_signed(r);
    } while (explain_condition(m) > 30.0);
}

static inline tact_scene* pick_instances(tact_context* context, uint32_t count, float size, uint64_t seed)
{
    test_random r = test_random_seeded(seed);
    tact_problem problem;
    tact_model_mesh balls[2] = {{0}, {0}};
    uint32_t meshes[2], id;
    tact_scene* scene = new_scene(context);
    for (uint32_t i = 0; i < 2; ++i) {
        assert_true(tact_mesh_icosphere(i + 1, &balls[i], &problem));
        meshes[i] = pick_add_mesh(scene, &balls[i]);
    }
    for (uint32_t i = 0; i < count; ++i) {
        float m[12];
        pick_random_pose(&r, size, m);
        assert_int_equal(tact_scene_add_instance(scene, meshes[i / 100 % 2], m, &id), TACT_OK);
    }
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    return scene;
}
