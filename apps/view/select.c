// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What the cursor, clicks, rectangles and lassos pick.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/view/view.h"

static void unmark(tact_view* v, uint8_t bit)
{
    for (size_t i = 0; i < v->object_count; ++i) {
        if (v->looks[i] & bit) ++v->looks_version;
        v->looks[i] &= (uint8_t)~bit;
    }
}

static void mark(tact_view* v, uint32_t object, uint8_t bit)
{
    if (object >= v->object_count || v->looks[object] & bit) return;
    v->looks[object] |= bit;
    ++v->looks_version;
}

void tact_view_clear_selection(tact_view* v)
{
    unmark(v, TACT_VIEW_SELECTED | TACT_VIEW_COVERED);
    v->selected = 0;
    v->shown_changed = true;
}

void tact_view_uncover(tact_view* v)
{
    unmark(v, TACT_VIEW_COVERED);
}

static int32_t pixel(double x)
{
    return (int32_t)floor(x < -1e6 ? -1e6 : x > 1e6 ? 1e6 : x);
}

static tact_pick_region region_of(const tact_view* v)
{
    tact_pick_region region = {.shape = TACT_PICK_POINT, .x = pixel(v->x), .y = pixel(v->y)};
    if (v->drag == TACT_VIEW_RECTANGLE) {
        region.shape = TACT_PICK_RECTANGLE;
        region.rectangle[0] = pixel(fmin(v->from_x, v->x));
        region.rectangle[1] = pixel(fmin(v->from_y, v->y));
        // The pixels that the corners are in are in it.
        region.rectangle[2] = pixel(fmax(v->from_x, v->x)) + 1;
        region.rectangle[3] = pixel(fmax(v->from_y, v->y)) + 1;
    } else if (v->drag == TACT_VIEW_LASSO) {
        region.shape = TACT_PICK_LASSO;
        region.lasso = (const float(*)[2])v->lasso;
        region.lasso_count = v->lasso_count;
    }
    return region;
}

static void tell(const tact_view* v, const tact_pick* picks, size_t count)
{
    char name[160];
    if (v->quiet) return;
    if (count == 0) puts("nothing there");
    for (size_t i = 0; i < count && i < 20; ++i) {
        const tact_pick* p = &picks[i];
        tact_view_name(v, p->instance, name, sizeof name);
        printf("%s, triangle %u, at %g %g %g, %u pixel%s\n", name, p->primitive, (double)p->position[0],
               (double)p->position[1], (double)p->position[2], p->pixels, p->pixels == 1 ? "" : "s");
    }
    if (count > 20) printf("and %zu more\n", count - 20);
    fflush(stdout);
}

bool tact_view_select(tact_view* v, bool preview, tact_problem* problem)
{
    const tact_view_look look = tact_view_camera_look(&v->camera);
    const tact_pick_region region = region_of(v);
    const tact_pick* picks = NULL;
    size_t count = 0;
    if (!tact_view_picker_pick(v->picker, &look.view, &region, v->all, &picks, &count, problem)) return false;
    unmark(v, TACT_VIEW_COVERED);
    for (size_t i = 0; preview && i < count; ++i)
        mark(v, picks[i].instance, TACT_VIEW_COVERED);
    if (preview) return true;
    if (!v->adding) tact_view_clear_selection(v);
    for (size_t i = 0; i < count; ++i)
        mark(v, picks[i].instance, TACT_VIEW_SELECTED);
    v->selected = 0;
    for (size_t i = 0; i < v->object_count; ++i)
        v->selected += v->looks[i] & TACT_VIEW_SELECTED ? 1 : 0;
    v->picked.object = TACT_NONE;
    if (count) v->picked = picks[0];
    ++v->picks;
    v->shown_changed = true;
    tell(v, picks, count);
    return true;
}

bool tact_view_hover(tact_view* v, bool settle, tact_problem* problem)
{
    const tact_view_look look = tact_view_camera_look(&v->camera);
    const bool there = v->inside && !v->taken && v->x >= 0.0 && v->y >= 0.0 && v->x < (double)look.view.width &&
                       v->y < (double)look.view.height;
    bool answered = false;
    tact_pick pick = {.object = TACT_NONE};
    if (there && v->drag == TACT_VIEW_NO_DRAG &&
        !tact_view_picker_ask(v->picker, &look.view, pixel(v->x), pixel(v->y), problem)) {
        return false;
    }
    if (!tact_view_picker_answer(v->picker, settle, &answered, &pick, problem)) return false;
    if (!there || v->drag != TACT_VIEW_NO_DRAG) {
        // Answers of before the drag are late, and nothing is under a cursor that is elsewhere.
        answered = true;
        pick.object = TACT_NONE;
    }
    if (!answered) return true;
    v->hover = pick;
    const uint32_t object = pick.object == TACT_NONE ? TACT_NONE : pick.instance;
    for (size_t i = 0; i < v->object_count; ++i) {
        if (!(v->looks[i] & TACT_VIEW_HOVERED) || i == object) continue;
        v->looks[i] &= (uint8_t)~TACT_VIEW_HOVERED;
        ++v->looks_version;
    }
    mark(v, object, TACT_VIEW_HOVERED);
    return true;
}

/// Of a triangle of an object, of unit length; zero without area.
static tact_vec3 normal_of(const tact_view* v, const tact_hit* hit)
{
    double p[3][3], n[3], length = 0.0;
    tact_vec3 normal = {0, 0, 0};
    tact_model_corners(&v->input->model, hit->instance, hit->primitive, p);
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        n[i] = (p[1][j] - p[0][j]) * (p[2][k] - p[0][k]) - (p[1][k] - p[0][k]) * (p[2][j] - p[0][j]);
        length += n[i] * n[i];
    }
    length = sqrt(length);
    for (int i = 0; i < 3 && length > 0.0; ++i)
        (&normal.x)[i] = (float)(n[i] / length);
    return normal;
}

bool tact_view_cast(tact_view* v, tact_problem* problem)
{
    const tact_view_look look = tact_view_camera_look(&v->camera);
    const size_t n = v->ray_count;
    // Grows at powers of two.
    if ((n & (n - 1)) == 0) {
        tact_view_ray* more = realloc(v->rays, (n ? 2 * n : 1) * sizeof *more);
        if (!more) return tact_problem_out_of_memory(problem, "the rays");
        v->rays = more;
    }
    tact_view_ray* r = &v->rays[n];
    *r = (tact_view_ray){.hit = {.instance = TACT_NONE}};
    if (!tact_pick_ray(&look.view, floor(v->x) + 0.5, floor(v->y) + 0.5, &r->ray)) return true;
    const tact_result result = tact_raycast(v->scene, TACT_RAY_CLOSEST, &r->ray, 1, &r->hit, &v->query, NULL);
    if (result < 0) return tact_problem_from_result(problem, result, v->context, "casting a ray");
    if (r->hit.instance != TACT_NONE) {
        r->normal = normal_of(v, &r->hit);
        for (int i = 0; i < 3; ++i)
            (&r->normal.x)[i] *= 0.06f * v->camera.radius;
    }
    ++v->ray_count;
    v->shown_changed = true;
    return true;
}
