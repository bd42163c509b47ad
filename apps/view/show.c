// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What the viewer shows beside the meshes, by debug drawing.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/view/view.h"

/// More lines than this are no picture, and take the window's time.
enum { MOST_SHOWN = 4000000 };

static bool selected(const tact_view* v, size_t object)
{
    return v->selected == 0 || v->looks[object] & TACT_VIEW_SELECTED;
}

static tact_result show_boxes(const tact_view* v, tact_debug_draw* d)
{
    tact_result result = TACT_OK;
    if (v->boxes == TACT_VIEW_BOUNDS) return tact_debug_scene_bounds(d, v->scene);
    if (v->boxes == TACT_VIEW_SCENE_TREE) return tact_debug_scene_tree(d, v->scene, v->level);
    if (v->boxes != TACT_VIEW_MESH_TREES) return TACT_OK;
    for (size_t i = 0; result >= 0 && i < v->object_count; ++i) {
        if (selected(v, i)) result = tact_debug_instance_tree(d, v->scene, (uint32_t)i, v->level);
    }
    return result;
}

/// The walls and the floor of the particles, which would seem to rest on nothing.
static tact_result show_walls(const tact_view* v, tact_debug_draw* d)
{
    return v->particles ? tact_debug_aabb(d, TACT_DEBUG_VOLUME, tact_view_particles_walls(v->particles)) : TACT_OK;
}

static tact_result show_normals(const tact_view* v, tact_debug_draw* d)
{
    tact_result result = TACT_OK;
    for (size_t i = 0; v->normals && result >= 0 && i < v->object_count; ++i) {
        if (selected(v, i)) {
            result = tact_debug_instance_normals(d, v->scene, (uint32_t)i, 0.012f * v->camera.radius);
        }
    }
    return result;
}

static tact_result show_rays(const tact_view* v, tact_debug_draw* d)
{
    tact_result result = TACT_OK;
    for (size_t i = 0; result >= 0 && i < v->ray_count; ++i) {
        const tact_view_ray* r = &v->rays[i];
        result = tact_debug_ray(d, &r->ray, &r->hit, &r->normal, 100.0f * v->camera.radius);
    }
    return result;
}

/// What was asked and found.
static tact_result show_item(const tact_view* v, tact_debug_draw* d)
{
    size_t points, lines, triangles;
    tact_result result = TACT_OK;
    if (!v->item || !v->item->list) return TACT_OK;
    const tact_debug_vertex* some = tact_debug_list_points(v->item->list, &points);
    if (points) result = d->points(some, points, d->user);
    some = tact_debug_list_lines(v->item->list, &lines);
    if (result >= 0 && lines) result = d->lines(some, lines, d->user);
    some = tact_debug_list_triangles(v->item->list, &triangles);
    return result >= 0 && triangles ? d->triangles(some, triangles, d->user) : result;
}

// ---- Contacts ----

static tact_result mesh_of(tact_view* v, size_t object, tact_mesh** mesh)
{
    tact_result result = TACT_OK;
    if (!v->meshes[object]) {
        const tact_mesh_desc desc = tact_model_mesh_desc(&v->input->model.meshes[object]);
        result = tact_mesh_create(v->context, &desc, &v->meshes[object]);
    }
    *mesh = v->meshes[object];
    return result;
}

static bool boxes_meet(const tact_mesh_info* a, const tact_mesh_info* b)
{
    for (int i = 0; i < 3; ++i) {
        if (!(a->lower[i] <= b->upper[i] && b->lower[i] <= a->upper[i])) return false;
    }
    return true;
}

/// Where the triangles of two objects cross.
static tact_result show_crossings(tact_view* v, tact_debug_draw* d, tact_mesh* a, tact_mesh* b)
{
    size_t count = 0, room = 0;
    tact_mesh_pair* pairs = NULL;
    tact_triangle_contact* contacts = NULL;
    tact_result result =
        tact_mesh_overlap_pairs(a, b, &(tact_overlap_work){.pose_count = 1, .count = &count}, &v->query, NULL);
    if (result == TACT_INCOMPLETE && count) {
        room = count;
        pairs = malloc(room * sizeof *pairs);
        contacts = malloc(room * sizeof *contacts);
        result = pairs && contacts ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
        if (result >= 0)
            result = tact_mesh_overlap_pairs(
                a, b, &(tact_overlap_work){.pose_count = 1, .pairs = pairs, .capacity = room, .count = &count},
                &v->query, NULL);
        if (result >= 0)
            result = tact_mesh_overlap_segments(
                a, b, &(tact_segments_work){.pose_count = 1, .pairs = pairs, .pair_count = room, .contacts = contacts},
                &v->query, NULL);
        if (result >= 0) result = tact_debug_triangle_contacts(d, contacts, room, NULL);
        v->contact_pairs += room;
    }
    free(pairs);
    free(contacts);
    return result;
}

/// Of what is selected with what is not; nothing when nothing is.
static tact_result show_contacts(tact_view* v, tact_debug_draw* d)
{
    tact_result result = TACT_OK;
    v->contact_pairs = 0;
    if (v->bodies) return tact_view_bodies_show(v->bodies, v->contacts, d);
    if (!v->contacts || v->selected == 0) return TACT_OK;
    for (size_t i = 0; i < v->object_count; ++i) {
        for (size_t j = 0; (v->looks[i] & TACT_VIEW_SELECTED) && j < v->object_count; ++j) {
            tact_mesh *a, *b;
            tact_mesh_info info_a, info_b;
            if (v->looks[j] & TACT_VIEW_SELECTED) continue;
            if ((result = mesh_of(v, i, &a)) < 0 || (result = mesh_of(v, j, &b)) < 0) return result;
            if ((result = tact_mesh_get_info(a, &info_a)) < 0) return result;
            if ((result = tact_mesh_get_info(b, &info_b)) < 0) return result;
            if (boxes_meet(&info_a, &info_b) && (result = show_crossings(v, d, a, b)) < 0) return result;
        }
    }
    if (!v->quiet) printf("contacts: %llu pairs of triangles\n", (unsigned long long)v->contact_pairs);
    return result;
}

bool tact_view_show(tact_view* v, tact_problem* problem)
{
    tact_debug_list_clear(v->shown);
    tact_debug_draw d = tact_debug_list_draw(v->shown);
    d.limit = MOST_SHOWN;
    ++v->shown_version;
    tact_result result = show_boxes(v, &d);
    if (result >= 0) result = show_walls(v, &d);
    if (result >= 0) result = show_normals(v, &d);
    if (result >= 0) result = show_rays(v, &d);
    if (result >= 0) result = show_item(v, &d);
    if (result >= 0) result = show_contacts(v, &d);
    if (result < 0) return tact_problem_from_result(problem, result, v->context, "showing boxes, rays and contacts");
    if (v->bodies) {
        // They may fall out of where they were.
        tact_bounds drawn = v->bounds;
        tact_bounds_extend_list(&drawn, v->shown);
        tact_view_camera_reach(&v->camera, &drawn);
    }
    v->left_out = d.asked > d.limit;
    if (v->left_out && !v->quiet) {
        printf("%llu of %llu lines are shown\n", (unsigned long long)d.limit, (unsigned long long)d.asked);
    }
    return true;
}

// ---- Over the picture ----

static const tact_debug_color edge = {255, 206, 92, 255}, area = {255, 206, 92, 34};

static bool put_quad(tact_view* v, const float p[4][2], tact_debug_color color, tact_problem* problem)
{
    static const int order[6] = {0, 1, 2, 0, 2, 3};
    // Grows at powers of two times six.
    const size_t quads = v->flat_count / 6;
    if ((quads & (quads - 1)) == 0) {
        tact_debug_vertex* more = realloc(v->flat, (quads ? 2 * quads : 1) * 6 * sizeof *more);
        if (!more) return tact_problem_out_of_memory(problem, "the rectangle");
        v->flat = more;
    }
    for (int i = 0; i < 6; ++i)
        v->flat[v->flat_count++] = (tact_debug_vertex){{p[order[i]][0], p[order[i]][1], 0.0f}, color};
    return true;
}

/// A line two pixels wide.
static bool put_stroke(tact_view* v, const float a[2], const float b[2], tact_problem* problem)
{
    const float dx = b[0] - a[0], dy = b[1] - a[1], length = sqrtf(dx * dx + dy * dy);
    if (!(length > 0.0f)) return true;
    const float sx = -dy / length, sy = dx / length;
    const float p[4][2] = {
        {a[0] + sx, a[1] + sy}, {a[0] - sx, a[1] - sy}, {b[0] - sx, b[1] - sy}, {b[0] + sx, b[1] + sy}};
    return put_quad(v, p, edge, problem);
}

bool tact_view_show_flat(tact_view* v, tact_problem* problem)
{
    v->flat_count = 0;
    const float x0 = (float)v->from_x, y0 = (float)v->from_y, x1 = (float)v->x, y1 = (float)v->y;
    const float p[4][2] = {{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}};
    if (v->drag == TACT_VIEW_RECTANGLE) {
        if (!put_quad(v, p, area, problem)) return false;
        for (int i = 0; i < 4; ++i) {
            if (!put_stroke(v, p[i], p[(i + 1) % 4], problem)) return false;
        }
    }
    for (size_t i = 0; v->drag == TACT_VIEW_LASSO && i < v->lasso_count; ++i) {
        if (!put_stroke(v, v->lasso[i], v->lasso[(i + 1) % v->lasso_count], problem)) return false;
    }
    return true;
}
