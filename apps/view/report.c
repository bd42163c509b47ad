// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/view/view.h"

#include "apps/json_out.h"

static void put_numbers(cJSON* object, const char* key, const float* numbers, int count)
{
    cJSON* array = tact_json_array(object, key);
    for (int i = 0; i < count; ++i)
        cJSON_AddItemToArray(array, cJSON_CreateNumber((double)numbers[i]));
}

static void put_object(cJSON* json, const tact_view* v, uint32_t object)
{
    const size_t file = tact_pick_input_file(v->input, object);
    tact_json_count(json, "object", object);
    tact_json_text(json, "file", v->input->files->items[file]);
    tact_json_text(json, "name", tact_pick_input_name(v->input, object));
}

/// null when nothing was there.
static void put_pick(cJSON* root, const char* key, const tact_view* v, const tact_pick* p)
{
    if (p->object == TACT_NONE) {
        cJSON_AddNullToObject(root, key);
        return;
    }
    cJSON* json = tact_json_object(root, key);
    put_object(json, v, p->instance);
    tact_json_count(json, "primitive", p->primitive);
    tact_json_count(json, "pixels", p->pixels);
    tact_json_number(json, "depth", (double)p->depth);
    put_numbers(json, "position", p->position, 3);
    put_numbers(json, "normal", p->normal, 3);
}

static void put_camera(cJSON* root, const tact_view* v)
{
    const tact_view_look look = tact_view_camera_look(&v->camera);
    cJSON* json = tact_json_object(root, "camera");
    put_numbers(json, "eye", look.eye, 3);
    put_numbers(json, "target", v->camera.target, 3);
    put_numbers(json, "up", look.up, 3);
    put_numbers(json, "world_to_clip", look.view.world_to_clip, 16);
}

static void put_shown(cJSON* root, const tact_view* v)
{
    size_t points, lines, triangles;
    tact_debug_list_points(v->shown, &points);
    tact_debug_list_lines(v->shown, &lines);
    tact_debug_list_triangles(v->shown, &triangles);
    cJSON* json = tact_json_object(root, "shown");
    tact_json_count(json, "points", points);
    tact_json_count(json, "lines", lines / 2);
    tact_json_count(json, "triangles", triangles / 3);
    tact_json_count(json, "contacts", v->contact_pairs);
    tact_json_truth(json, "left_out", v->left_out);
}

static void put_rays(cJSON* root, const tact_view* v)
{
    cJSON* rays = tact_json_array(root, "rays");
    for (size_t i = 0; i < v->ray_count; ++i) {
        const tact_hit* hit = &v->rays[i].hit;
        cJSON* json = tact_json_append(rays);
        tact_json_truth(json, "hit", hit->instance != TACT_NONE);
        if (hit->instance == TACT_NONE) continue;
        tact_json_count(json, "object", hit->instance);
        tact_json_count(json, "primitive", hit->primitive);
        tact_json_number(json, "t", (double)hit->t);
    }
}

/// null when there are none.
static void put_particles(cJSON* root, const tact_view* v, const tact_view_particles_info* p)
{
    if (!v->particles) {
        cJSON_AddNullToObject(root, "particles");
        return;
    }
    cJSON* json = tact_json_object(root, "particles");
    tact_json_count(json, "count", p->count);
    tact_json_count(json, "steps", p->steps);
    tact_json_text(json, "backend", tact_backend_name(p->backend));
    tact_json_text(json, "digest", p->digest.text);
}

/// Likewise.
static void put_bodies(cJSON* root, const tact_view* v, const tact_view_bodies_info* b)
{
    if (!v->bodies) {
        cJSON_AddNullToObject(root, "bodies");
        return;
    }
    cJSON* json = tact_json_object(root, "bodies");
    tact_json_count(json, "count", b->count);
    tact_json_count(json, "steps", b->steps);
    tact_json_count(json, "contacts", b->contacts);
    tact_json_count(json, "begun", b->begun);
    tact_json_count(json, "ended", b->ended);
    tact_json_text(json, "backend", tact_backend_name(b->backend));
    tact_json_text(json, "digest", b->digest.text);
}

/// null: nothing recorded is shown.
static void put_recording(cJSON* root, const tact_view* v)
{
    if (!v->item) {
        cJSON_AddNullToObject(root, "recording");
        return;
    }
    const tact_replay_difference* d = &v->item->difference;
    cJSON* json = tact_json_object(root, "recording");
    tact_json_count(json, "item", v->place + 1);
    tact_json_count(json, "items", v->items);
    cJSON* lines = tact_json_array(json, "lines");
    for (size_t i = 0; i < v->item->line_count; ++i)
        cJSON_AddItemToArray(lines, cJSON_CreateString(v->item->lines[i].text));
    tact_json_truth(json, "differs", d->differs);
    if (d->differs) tact_json_text(json, "what", d->layout.what);
    if (d->differs) tact_json_count(json, "row", d->row);
    tact_json_truth(json, "marked", tact_bounds_some(&v->item->focus));
}

/// What the panel said in the last frame. null: nothing, or there is none.
static void put_panel(cJSON* root, const tact_view* v, const tact_view_panel_content* c)
{
    if (!v->panelled || c->hidden) {
        cJSON_AddNullToObject(root, "panel");
        return;
    }
    cJSON* json = tact_json_object(root, "panel");
    cJSON* lines = tact_json_array(json, "lines");
    for (size_t i = 0; i < c->count; ++i)
        cJSON_AddItemToArray(lines, cJSON_CreateString(c->lines[i].text));
    tact_json_truth(json, "keys", c->keys);
    tact_json_number(json, "scale", c->bar);
    tact_json_number(json, "scale_pixels", (double)c->bar_pixels);
}

static cJSON* make(const tact_view* v, const tact_view_options* o, const tact_view_outcome* outcome,
                   const tact_view_panel_content* content)
{
    cJSON* root = cJSON_CreateObject();
    tact_json_text(root, "command", "view");
    tact_json_text(root, "backend", tact_backend_name((tact_backend)o->common.backend));
    tact_json_text(root, "device", outcome->device);
    tact_json_truth(root, "software", outcome->software);
    tact_json_text(root, "pick", o->pick == TACT_VIEW_PICK_TARGET ? "target" : "rays");
    tact_json_count(root, "objects", v->object_count);
    tact_json_count(root, "triangles", tact_model_triangles(&v->input->model));
    tact_json_count(root, "width", v->camera.width);
    tact_json_count(root, "height", v->camera.height);
    tact_json_count(root, "samples", outcome->samples);
    tact_json_count(root, "frames", outcome->frames);
    tact_json_time(root, "frame_ms", outcome->frame_ms);
    tact_json_count(root, "gl_errors", outcome->gl_errors);
    put_camera(root, v);
    put_pick(root, "hover", v, &v->hover);
    tact_json_count(root, "picks", v->picks);
    put_pick(root, "picked", v, &v->picked);
    cJSON* selected = tact_json_array(root, "selected");
    for (size_t i = 0; i < v->object_count; ++i) {
        if (v->looks[i] & TACT_VIEW_SELECTED) put_object(tact_json_append(selected), v, (uint32_t)i);
    }
    put_rays(root, v);
    put_shown(root, v);
    put_particles(root, v, &outcome->particles);
    put_bodies(root, v, &outcome->bodies);
    put_recording(root, v);
    put_panel(root, v, content);
    return root;
}

bool tact_view_report(const tact_view* v, const tact_view_options* o, const tact_view_outcome* outcome,
                      const tact_view_panel_content* content, tact_problem* problem)
{
    if (!o->common.json) return true;
    cJSON* root = make(v, o, outcome, content);
    const bool good = tact_json_print(root, problem);
    cJSON_Delete(root);
    return good;
}
