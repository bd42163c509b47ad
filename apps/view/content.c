// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What the panel over the picture says.

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "apps/view/view.h"

const char* const tact_view_keys[][2] = {
    {"left drag", "orbit"},
    {"middle, right, shift", "pan"},
    {"wheel", "zoom"},
    {"click, shift click", "select, add to it"},
    {"ctrl drag, R", "rectangle"},
    {"alt drag, L", "lasso"},
    {"A", "what is visible, or all under"},
    {"F", "frame what is selected, or all"},
    {"B", "boxes: objects, tree, meshes, none"},
    {"[ ]", "level of the trees"},
    {"N", "normals"},
    {"C", "contacts of the selection"},
    {"J", "cast a ray"},
    {"P, S", "pause or go on; one step"},
    {"escape", "clear"},
    {"H", "this list, the panel, nothing"},
    {"Q", "quit"},
    {NULL, NULL},
};

const char* const tact_view_item_keys[][2] = {
    {"left, right", "item before, item after"},
    {"home, end", "first item, last item"},
    {"space", "play the items, or stop"},
    {NULL, NULL},
};

void tact_view_print_keys(void)
{
    for (size_t i = 0; tact_view_keys[i][0]; ++i)
        printf("%-22s%s\n", tact_view_keys[i][0], tact_view_keys[i][1]);
    puts("and of recordings");
    for (size_t i = 0; tact_view_item_keys[i][0]; ++i)
        printf("%-22s%s\n", tact_view_item_keys[i][0], tact_view_item_keys[i][1]);
}

void tact_view_line(tact_view_panel_content* c, tact_view_tone tone, const char* format, ...)
{
    if (c->count == TACT_VIEW_PANEL_LINES) return;
    tact_view_panel_line* line = &c->lines[c->count++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line->text, sizeof line->text, format, arguments);
    va_end(arguments);
    line->tone = (int)tone;
}

/// An object's name, triangle, place, normal and distance from the eye.
static void put_pick(const tact_view* v, const tact_view_look* look, const char* what, const tact_pick* p,
                     tact_view_panel_content* c)
{
    char name[160];
    double square = 0.0;
    if (p->object == TACT_NONE) return;
    tact_view_name(v, p->instance, name, sizeof name);
    for (int i = 0; i < 3; ++i)
        square += ((double)p->position[i] - (double)look->eye[i]) * ((double)p->position[i] - (double)look->eye[i]);
    tact_view_line(c, TACT_VIEW_STRONG, "%s: %s", what, name);
    // The last object of a recording may be all spheres or boxes.
    const uint32_t each = v->item && p->instance + 1 == v->object_count ? v->item->shading->each : 0;
    if (each) tact_view_line(c, TACT_VIEW_TEXT, "  number %u, distance %.5g", p->primitive / each, sqrt(square));
    if (!each)
        tact_view_line(c, TACT_VIEW_TEXT, "  instance %u, triangle %u, distance %.5g", p->instance, p->primitive,
                       sqrt(square));
    tact_view_line(c, TACT_VIEW_TEXT, "  position %.6g %.6g %.6g", (double)p->position[0], (double)p->position[1],
                   (double)p->position[2]);
    tact_view_line(c, TACT_VIEW_TEXT, "  normal %.3f %.3f %.3f", (double)p->normal[0], (double)p->normal[1],
                   (double)p->normal[2]);
}

/// 1, 2 or 5 times a power of ten, the largest that is no longer than `most`.
static double round_length(double most)
{
    if (!(most > 0.0) || !isfinite(most)) return 0.0;
    const double ten = pow(10.0, floor(log10(most)));
    return most >= 5.0 * ten ? 5.0 * ten : most >= 2.0 * ten ? 2.0 * ten : ten;
}

static void put_scale(const tact_view* v, float scale, tact_view_panel_content* c)
{
    const double pixel = (double)tact_view_camera_pixel(&v->camera);
    c->bar = round_length(pixel * 140.0 * (double)scale);
    c->bar_pixels = c->bar > 0.0 ? (float)(c->bar / pixel) : 0.0f;
}

static void put_item(const tact_view* v, tact_view_panel_content* c)
{
    if (!v->item) return;
    c->item = v->place;
    c->items = v->items;
    for (size_t i = 0; i < v->item->line_count && c->count < TACT_VIEW_PANEL_LINES; ++i)
        c->lines[c->count++] = v->item->lines[i];
}

void tact_view_content(const tact_view* v, const tact_view_look* look, double frame_ms, float scale,
                       tact_view_panel_content* c)
{
    static const char* const drags[] = {"", "orbit", "pan", "rectangle", "lasso"};
    const uint64_t triangles = tact_model_triangles(&v->input->model);
    *c = (tact_view_panel_content){.width = v->camera.width,
                                   .height = v->camera.height,
                                   .hidden = v->panel == TACT_VIEW_NO_PANEL,
                                   .keys = v->panel == TACT_VIEW_PANEL_AND_KEYS,
                                   .x = v->x,
                                   .y = v->y,
                                   .inside = v->inside,
                                   .pressed = v->pressed};
    for (int i = 0; i < 3; ++i) {
        c->axes[i][0] = look->right[i];
        c->axes[i][1] = look->up[i];
        c->axes[i][2] = look->back[i];
    }
    put_scale(v, scale, c);
    if (v->object_count)
        tact_view_line(c, TACT_VIEW_TEXT, "%zu object%s, %" PRIu64 " triangle%s", v->object_count,
                       v->object_count == 1 ? "" : "s", triangles, triangles == 1 ? "" : "s");
    if (v->particles || v->bodies)
        tact_view_line(c, TACT_VIEW_TEXT, "%s: step %" PRIu64 "%s", v->particles ? "particles" : "bodies", v->steps,
                       v->still ? ", paused" : "");
    put_item(v, c);
    if (frame_ms > 0.0)
        tact_view_line(c, TACT_VIEW_FAINT, "%.1f ms a frame, %.0f a second", frame_ms, 1000.0 / frame_ms);
    tact_view_line(c, TACT_VIEW_FAINT, "left drag: %s; selects %s", drags[v->tool],
                   v->all ? "all that is under" : "what is visible");
    put_pick(v, look, "under the cursor", &v->hover, c);
    if (v->selected) tact_view_line(c, TACT_VIEW_STRONG, "%zu selected", v->selected);
    if (v->selected) put_pick(v, look, "selected last", &v->picked, c);
    if (v->panel == TACT_VIEW_PANEL) tact_view_line(c, TACT_VIEW_FAINT, "H: keys");
}
