// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/view/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/rays.h"

/// The cursor may move so far between down and up of a click, in pixels.
static const double click_reach = 4.0;

/// What there is, and that nothing of it is selected.
static bool take_scene(tact_view* v, const tact_pick_input* input, tact_scene* scene, tact_problem* problem)
{
    v->input = input;
    v->scene = scene;
    v->object_count = input->model.instance_count;
    v->selected = v->ray_count = 0;
    v->contact_pairs = 0;
    ++v->looks_version;
    v->shown_changed = true;
    v->hover.object = v->picked.object = TACT_NONE;
    v->looks = calloc(v->object_count + 1, 1);
    v->meshes = calloc(v->object_count + 1, sizeof *v->meshes);
    return (v->looks && v->meshes) || tact_problem_out_of_memory(problem, "the view");
}

static void leave_scene(tact_view* v)
{
    for (size_t i = 0; v->meshes && i < v->object_count; ++i)
        tact_mesh_destroy(v->meshes[i]);
    free(v->meshes);
    free(v->looks);
    v->meshes = NULL;
    v->looks = NULL;
}

bool tact_view_open(tact_view* v, const tact_pick_input* input, tact_context* context, tact_scene* scene,
                    const tact_scene_stats* stats, uint32_t width, uint32_t height, tact_problem* problem)
{
    v->context = context;
    v->bounds = tact_ray_bounds(stats);
    v->tool = TACT_VIEW_ORBIT;
    v->level = 2;
    // There is no room for both in a small window.
    v->panel = width < 900 || height < 480 ? TACT_VIEW_PANEL : TACT_VIEW_PANEL_AND_KEYS;
    tact_view_camera_start(&v->camera, &v->bounds, width, height);
    if (!take_scene(v, input, scene, problem)) return false;
    const tact_result result = tact_debug_list_create(context, &v->shown);
    return result >= 0 || tact_problem_from_result(problem, result, context, "the view");
}

bool tact_view_replace(tact_view* v, const tact_pick_input* input, tact_scene* scene, const tact_scene_stats* stats,
                       tact_problem* problem)
{
    leave_scene(v);
    v->bounds = tact_ray_bounds(stats);
    return take_scene(v, input, scene, problem);
}

void tact_view_set_item(tact_view* v, const tact_view_item* item, size_t place, size_t items)
{
    const bool first = v->item == NULL;
    if (tact_bounds_some(&item->bounds)) v->bounds = item->bounds;
    if (first) tact_view_camera_start(&v->camera, &v->bounds, v->camera.width, v->camera.height);
    tact_view_camera_keep(&v->camera, &v->bounds);
    if (first && tact_bounds_some(&item->focus)) tact_view_camera_frame(&v->camera, &item->focus);
    tact_bounds drawn = v->bounds;
    tact_bounds_extend_list(&drawn, item->list);
    tact_bounds_extend_list(&drawn, item->marks);
    tact_view_camera_reach(&v->camera, &drawn);
    v->item = item;
    v->shown_changed = true;
    v->place = v->wanted = place;
    v->items = items;
}

void tact_view_close(tact_view* v)
{
    leave_scene(v);
    tact_view_particles_destroy(v->particles);
    tact_view_bodies_destroy(v->bodies);
    tact_debug_list_destroy(v->shown);
    free(v->lasso);
    free(v->rays);
    free(v->flat);
}

/// Moves the camera so that a box is seen, which with objects is one more.
static void add_box(tact_view* v, tact_aabb box, bool alone)
{
    const float *lower = &box.lower.x, *upper = &box.upper.x;
    for (int i = 0; i < 3; ++i) {
        v->bounds.lower[i] = alone ? (double)lower[i] : fmin(v->bounds.lower[i], (double)lower[i]);
        v->bounds.upper[i] = alone ? (double)upper[i] : fmax(v->bounds.upper[i], (double)upper[i]);
    }
    tact_view_camera_start(&v->camera, &v->bounds, v->camera.width, v->camera.height);
}

void tact_view_add_particles(tact_view* v, tact_view_particles* particles)
{
    v->particles = particles;
    add_box(v, tact_view_particles_walls(particles), false);
}

void tact_view_add_bodies(tact_view* v, tact_view_bodies* bodies)
{
    v->bodies = bodies;
    v->contacts = true;
    add_box(v, tact_view_bodies_bounds(bodies), true);
}

bool tact_view_step(tact_view* v, tact_problem* problem)
{
    const bool goes = !v->still || v->step;
    v->step = false;
    if (!goes) return true;
    ++v->steps;
    v->shown_changed = v->shown_changed || v->bodies;
    return (!v->particles || tact_view_particles_step(v->particles, problem)) &&
           (!v->bodies || tact_view_bodies_step(v->bodies, problem));
}

void tact_view_resize(tact_view* v, uint32_t width, uint32_t height)
{
    if (width == 0 || height == 0) return;  // minimised
    v->camera.width = width;
    v->camera.height = height;
}

void tact_view_name(const tact_view* v, uint32_t object, char* text, size_t size)
{
    const char* path = v->input->files->items[tact_pick_input_file(v->input, object)];
    const char* slash = strrchr(path, '/');
    const char* name = tact_pick_input_name(v->input, object);
    snprintf(text, size, "%s: object %u%s%s%s", slash ? slash + 1 : path, object, *name ? " (" : "", name,
             *name ? ")" : "");
}

// ---- Lassos ----

static bool lasso_add(tact_view* v, double x, double y, tact_problem* problem)
{
    const size_t n = v->lasso_count;
    // Grows at powers of two.
    if ((n & (n - 1)) == 0) {
        float(*more)[2] = realloc(v->lasso, (n ? 2 * n : 1) * sizeof *more);
        if (!more) return tact_problem_out_of_memory(problem, "the lasso");
        v->lasso = more;
    }
    v->lasso[n][0] = (float)x;
    v->lasso[n][1] = (float)y;
    ++v->lasso_count;
    return true;
}

// ---- The mouse ----

static bool press(tact_view* v, const tact_view_event* e, tact_problem* problem)
{
    if (e->button == TACT_VIEW_LEFT) v->pressed = true;
    if (v->drag != TACT_VIEW_NO_DRAG || v->taken) return true;
    v->from_x = v->x;
    v->from_y = v->y;
    v->button = e->button;
    v->moved = false;
    v->adding = (e->modifiers & TACT_VIEW_SHIFT) != 0;
    if (e->button == TACT_VIEW_LEFT) {
        v->drag = v->tool;
        if (e->modifiers & TACT_VIEW_SHIFT && v->tool == TACT_VIEW_ORBIT) v->drag = TACT_VIEW_PAN;
        if (e->modifiers & TACT_VIEW_CTRL) v->drag = TACT_VIEW_RECTANGLE;
        if (e->modifiers & TACT_VIEW_ALT) v->drag = TACT_VIEW_LASSO;
    } else {
        v->drag = TACT_VIEW_PAN;
    }
    v->lasso_count = 0;
    return v->drag != TACT_VIEW_LASSO || lasso_add(v, v->x, v->y, problem);
}

static bool release(tact_view* v, const tact_view_event* e, tact_problem* problem)
{
    if (e->button == TACT_VIEW_LEFT) v->pressed = false;
    // Another button may go down and up while one drags.
    if (v->drag == TACT_VIEW_NO_DRAG || e->button != v->button) return true;
    const bool selects = v->drag == TACT_VIEW_RECTANGLE || v->drag == TACT_VIEW_LASSO;
    bool good = true;
    if (e->button == TACT_VIEW_LEFT && (selects || !v->moved)) good = tact_view_select(v, false, problem);
    v->drag = TACT_VIEW_NO_DRAG;
    v->lasso_count = 0;
    return good;
}

static bool move(tact_view* v, const tact_view_event* e, tact_problem* problem)
{
    const double dx = e->x - v->x, dy = e->y - v->y;
    const bool was_click = !v->moved;
    v->x = e->x;
    v->y = e->y;
    v->inside = true;
    if (v->drag == TACT_VIEW_NO_DRAG) return true;
    if (fabs(v->x - v->from_x) > click_reach || fabs(v->y - v->from_y) > click_reach) v->moved = true;
    v->region_changed = true;
    if (v->drag == TACT_VIEW_LASSO) return lasso_add(v, v->x, v->y, problem);
    if (!v->moved) return true;
    // The first step of a drag goes all the way from where it began.
    const double step_x = was_click ? v->x - v->from_x : dx, step_y = was_click ? v->y - v->from_y : dy;
    if (v->drag == TACT_VIEW_ORBIT) tact_view_camera_orbit(&v->camera, step_x, step_y);
    if (v->drag == TACT_VIEW_PAN) tact_view_camera_pan(&v->camera, step_x, step_y);
    return true;
}

// ---- Keys ----

/// Frames what is selected, or all.
static void frame(tact_view* v)
{
    tact_bounds box = {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    for (size_t i = 0; i < v->object_count; ++i) {
        const tact_model_mesh* mesh = &v->input->model.meshes[i];
        if (!(v->looks[i] & TACT_VIEW_SELECTED)) continue;
        for (size_t k = 0; k < 3 * mesh->vertex_count; ++k) {
            const double p = (double)mesh->positions[k];
            if (!isfinite(p)) continue;
            if (p < box.lower[k % 3]) box.lower[k % 3] = p;
            if (p > box.upper[k % 3]) box.upper[k % 3] = p;
        }
    }
    if (v->selected == 0 && v->item && tact_bounds_some(&v->item->focus)) box = v->item->focus;
    const bool some = box.lower[0] <= box.upper[0] && box.lower[1] <= box.upper[1] && box.lower[2] <= box.upper[2];
    tact_view_camera_frame(&v->camera, some ? &box : &v->bounds);
}

/// The drag, else the tool, else what there is to clear.
static void clear(tact_view* v)
{
    v->region_changed = true;
    if (v->drag != TACT_VIEW_NO_DRAG) {
        v->drag = TACT_VIEW_NO_DRAG;
        v->lasso_count = 0;
        tact_view_uncover(v);
        return;
    }
    v->tool = TACT_VIEW_ORBIT;
    v->ray_count = 0;
    v->shown_changed = true;
    tact_view_clear_selection(v);
}

static void say(const tact_view* v, const char* what, const char* how)
{
    if (!v->quiet) printf("%s: %s\n", what, how);
}

static void change_level(tact_view* v, int by)
{
    if (by < 0 && v->level > 0) --v->level;
    if (by > 0 && v->level < 48) ++v->level;
    v->shown_changed = true;
    if (!v->quiet) printf("level %u\n", v->level);
}

static void switch_tool(tact_view* v, tact_view_drag tool, const char* name)
{
    v->tool = v->tool == tool ? TACT_VIEW_ORBIT : tool;
    say(v, "left drag", v->tool == tool ? name : "orbit");
}

/// The keys of a recording.
static void go(tact_view* v, int key)
{
    if (v->items == 0) return;
    if (key != TACT_VIEW_SPACE) v->playing = false;
    if (key == TACT_VIEW_BEFORE && v->wanted > 0) --v->wanted;
    if (key == TACT_VIEW_AFTER && v->wanted + 1 < v->items) ++v->wanted;
    if (key == TACT_VIEW_HOME) v->wanted = 0;
    if (key == TACT_VIEW_END) v->wanted = v->items - 1;
    if (key != TACT_VIEW_SPACE) return;
    v->playing = !v->playing;
    // From the end it begins anew.
    if (v->playing && v->place + 1 == v->items) v->wanted = 0;
}

static bool key(tact_view* v, int key, tact_problem* problem)
{
    static const char* const boxes[] = {"none", "of objects", "of the tree over objects", "of the trees of meshes"};
    switch (key) {
        case 'F':
            frame(v);
            break;
        case 'R':
            switch_tool(v, TACT_VIEW_RECTANGLE, "rectangle");
            break;
        case 'L':
            switch_tool(v, TACT_VIEW_LASSO, "lasso");
            break;
        case 'A':
            v->all = !v->all;
            say(v, "selects", v->all ? "all that is under" : "what is visible");
            break;
        case 'B':
            v->boxes = (v->boxes + 1) % TACT_VIEW_BOXES;
            v->shown_changed = true;
            say(v, "boxes", boxes[v->boxes]);
            break;
        case '[':
        case ']':
            change_level(v, key == ']' ? 1 : -1);
            break;
        case 'N':
            v->normals = !v->normals;
            v->shown_changed = true;
            break;
        case 'C':
            v->contacts = !v->contacts;
            v->shown_changed = true;
            break;
        case 'P':
            v->still = !v->still;
            say(v, "what moves", v->still ? "pauses" : "goes on");
            break;
        case 'S':
            v->still = v->step = true;
            break;
        case 'J':
            return tact_view_cast(v, problem);
        case 'H':
            v->panel = (v->panel + 1) % TACT_VIEW_PANELS;
            if (!v->quiet && !v->panelled) tact_view_print_keys();
            break;
        case TACT_VIEW_ESCAPE:
            clear(v);
            break;
        case TACT_VIEW_BEFORE:
        case TACT_VIEW_AFTER:
        case TACT_VIEW_HOME:
        case TACT_VIEW_END:
        case TACT_VIEW_SPACE:
            go(v, key);
            break;
        default:
            break;
    }
    return true;
}

bool tact_view_handle(tact_view* v, const tact_view_event* e, tact_problem* problem)
{
    switch (e->kind) {
        case TACT_VIEW_MOVE:
            return move(v, e, problem);
        case TACT_VIEW_LEAVE:
            v->inside = false;
            return true;
        case TACT_VIEW_BUTTON:
            return e->down ? press(v, e, problem) : release(v, e, problem);
        case TACT_VIEW_SCROLL:
            tact_view_camera_zoom(&v->camera, e->y, v->x, v->y);
            return true;
        case TACT_VIEW_KEY:
            return key(v, e->key, problem);
        case TACT_VIEW_FRAME:
        case TACT_VIEW_SHOT:
        case TACT_VIEW_RESIZE:
        case TACT_VIEW_QUIT:
            break;
    }
    return true;
}

bool tact_view_prepare(tact_view* v, bool settle, tact_problem* problem)
{
    if (!tact_view_hover(v, settle, problem)) return false;
    const bool region = v->drag == TACT_VIEW_RECTANGLE || v->drag == TACT_VIEW_LASSO;
    if (region && v->region_changed && !tact_view_select(v, true, problem)) return false;
    v->region_changed = false;
    if (v->shown_changed && !tact_view_show(v, problem)) return false;
    v->shown_changed = false;
    return tact_view_show_flat(v, problem);
}

void tact_view_frame_of(const tact_view* v, tact_view_frame* f)
{
    *f = (tact_view_frame){.look = tact_view_camera_look(&v->camera),
                           .looks = v->looks,
                           .looks_version = v->looks_version,
                           .particles = v->particles,
                           .shown = v->shown,
                           .shown_version = v->shown_version,
                           .marks = v->item ? v->item->marks : NULL,
                           .flat = v->flat,
                           .flat_count = v->flat_count};
}
