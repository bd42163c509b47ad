// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/view/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/pictures/pictures.h"
#include "apps/system.h"
#include "apps/window.h"

/// What a run holds; all of it is released at one place.
typedef struct viewing {
    const tact_view_options* options;
    GLFWwindow* window;
    tact_session session;
    tact_scene* scene;
    tact_scene_stats stats;
    tact_view_recording* recording;
    tact_view_item items[2];  ///< of it: the one that is shown, and the next
    int shown;                ///< which of them
    double turned_ms;         ///< when that was
    tact_view_drawing* drawing;
    tact_view_panel* panel;
    float scale;                      ///< of the display
    tact_view_panel_content content;  ///< as last shown
    tact_view view;
    tact_view_outcome outcome;
    double spent_ms, shown_ms;
    double begun_ms, frame_ms;  ///< when the last frame began, and how long frames take, evened out
    char title[256];
    bool failed;  ///< in a callback
    tact_problem* problem;
} viewing;

// ---- From the window ----

static void take(viewing* g, const tact_view_event* e)
{
    if (!g->failed && !tact_view_handle(&g->view, e, g->problem)) g->failed = true;
}

/// The window counts in units of its own; pictures in pixels.
static void in_pixels(GLFWwindow* w, double* x, double* y)
{
    int width = 0, height = 0, pixels_x = 0, pixels_y = 0;
    glfwGetWindowSize(w, &width, &height);
    glfwGetFramebufferSize(w, &pixels_x, &pixels_y);
    if (width > 0) *x *= (double)pixels_x / width;
    if (height > 0) *y *= (double)pixels_y / height;
}

static void on_motion(GLFWwindow* w, double x, double y)
{
    tact_view_event e = {.kind = TACT_VIEW_MOVE, .x = x, .y = y};
    in_pixels(w, &e.x, &e.y);
    take(glfwGetWindowUserPointer(w), &e);
}

static void on_enter(GLFWwindow* w, int inside)
{
    const tact_view_event e = {.kind = TACT_VIEW_LEAVE};
    if (!inside) take(glfwGetWindowUserPointer(w), &e);
}

static unsigned modifiers_of(int mods)
{
    return (mods & GLFW_MOD_SHIFT ? TACT_VIEW_SHIFT : 0u) | (mods & GLFW_MOD_CONTROL ? TACT_VIEW_CTRL : 0u) |
           (mods & GLFW_MOD_ALT ? TACT_VIEW_ALT : 0u);
}

static void on_button(GLFWwindow* w, int button, int action, int mods)
{
    const tact_view_event e = {
        .kind = TACT_VIEW_BUTTON,
        .button = button == GLFW_MOUSE_BUTTON_LEFT    ? TACT_VIEW_LEFT
                  : button == GLFW_MOUSE_BUTTON_RIGHT ? TACT_VIEW_RIGHT
                                                      : TACT_VIEW_MIDDLE,
        .down = action == GLFW_PRESS,
        .modifiers = modifiers_of(mods),
    };
    take(glfwGetWindowUserPointer(w), &e);
}

static void on_wheel(GLFWwindow* w, double dx, double dy)
{
    (void)dx;
    const tact_view_event e = {.kind = TACT_VIEW_SCROLL, .y = dy};
    take(glfwGetWindowUserPointer(w), &e);
}

static void on_key(GLFWwindow* w, int key, int scancode, int action, int mods)
{
    (void)scancode;
    tact_view_event e = {.kind = TACT_VIEW_KEY, .modifiers = modifiers_of(mods)};
    if (action == GLFW_RELEASE) return;
    if (key == GLFW_KEY_Q) glfwSetWindowShouldClose(w, GLFW_TRUE);
    if (key >= GLFW_KEY_A && key <= GLFW_KEY_Z) e.key = key;
    if (key == GLFW_KEY_ESCAPE) e.key = TACT_VIEW_ESCAPE;
    // Where brackets need other keys to be held, the page keys do it too.
    if (key == GLFW_KEY_LEFT_BRACKET || key == GLFW_KEY_PAGE_UP) e.key = '[';
    if (key == GLFW_KEY_RIGHT_BRACKET || key == GLFW_KEY_PAGE_DOWN) e.key = ']';
    if (key == GLFW_KEY_LEFT) e.key = TACT_VIEW_BEFORE;
    if (key == GLFW_KEY_RIGHT) e.key = TACT_VIEW_AFTER;
    if (key == GLFW_KEY_HOME) e.key = TACT_VIEW_HOME;
    if (key == GLFW_KEY_END) e.key = TACT_VIEW_END;
    if (key == GLFW_KEY_SPACE) e.key = TACT_VIEW_SPACE;
    // A key that is held repeats itself, which only levels and items want.
    const bool repeats = e.key == '[' || e.key == ']' || e.key == TACT_VIEW_BEFORE || e.key == TACT_VIEW_AFTER;
    if (e.key && (action == GLFW_PRESS || repeats)) take(glfwGetWindowUserPointer(w), &e);
}

static void listen(viewing* g)
{
    glfwSetWindowUserPointer(g->window, g);
    glfwSetCursorPosCallback(g->window, on_motion);
    glfwSetCursorEnterCallback(g->window, on_enter);
    glfwSetMouseButtonCallback(g->window, on_button);
    glfwSetScrollCallback(g->window, on_wheel);
    glfwSetKeyCallback(g->window, on_key);
}

// ---- Items of a recording ----

/// The scene of the input, in the place of the one before, if there was one.
static bool open_scene(viewing* g, const tact_pick_input* input)
{
    const tact_view_options* o = g->options;
    tact_context* context = g->session.context;
    tact_scene* before = g->scene;
    tact_view_drawing_destroy(g->drawing);
    tact_view_picker_destroy(g->view.picker);
    g->drawing = NULL;
    g->view.picker = NULL;
    g->scene = NULL;
    bool good = tact_model_build(&input->model, context, &g->scene, &g->stats, g->problem);
    if (good && !before)
        good = tact_view_open(&g->view, input, context, g->scene, &g->stats, o->width, o->height, g->problem);
    if (good && before) good = tact_view_replace(&g->view, input, g->scene, &g->stats, g->problem);
    tact_scene_destroy(before);
    return good &&
           tact_view_picker_create(context, g->scene, (tact_view_pick_way)o->pick, (tact_backend)o->common.backend,
                                   &g->view.picker, g->problem) &&
           tact_view_drawing_create(glfwGetProcAddress, &input->model, &g->drawing, g->problem);
}

static bool go_to(viewing* g, size_t place)
{
    tact_view_item* item = &g->items[!g->shown];
    if (!tact_view_recording_make(g->recording, place, item, g->problem)) return false;
    // What is shaded alike stays: objects, their trees, what is selected.
    const bool same = g->view.item && g->items[g->shown].shading == item->shading;
    if (!same && !open_scene(g, &item->shading->input)) return false;
    tact_view_set_item(&g->view, item, place, tact_view_recording_count(g->recording));
    tact_view_item_free(&g->items[g->shown]);
    g->shown = !g->shown;
    return true;
}

static bool open_recording(viewing* g)
{
    const tact_view_options* o = g->options;
    const char* const paths[2] = {o->recording, o->against};
    size_t place = 0;
    if (!tact_view_recording_open(g->session.context, paths, NULL, &g->recording, g->problem)) return false;
    if (o->against && !tact_view_recording_first(g->recording, &place, g->problem)) return false;
    if (place == tact_view_recording_count(g->recording)) place = 0;
    return go_to(g, place);
}

/// The item that is wanted, or while they play the next one: a few a second, or with events one a frame.
static bool turn_items(viewing* g, double now)
{
    tact_view* v = &g->view;
    if (v->items == 0) return true;
    const bool due = g->options->events || now - g->turned_ms > 200.0;
    if (v->playing && v->wanted == v->place && due) {
        v->playing = v->place + 1 < v->items;
        v->wanted += v->playing;
    }
    if (v->wanted == v->place) return true;
    g->turned_ms = now;
    return go_to(g, v->wanted);
}

// ---- Frames ----

static void show_title(viewing* g, double now, double ms)
{
    char name[160] = "", title[256], some[32] = "";
    const tact_view* v = &g->view;
    // Often enough to be read, and not so often that the window system is kept busy.
    if (now - g->shown_ms < 200.0) return;
    g->shown_ms = now;
    if (v->hover.object != TACT_NONE) tact_view_name(v, v->hover.instance, name, sizeof name);
    if (v->selected) snprintf(some, sizeof some, ", %zu selected", v->selected);
    snprintf(title, sizeof title, "tact view%s%s%s, %.1f ms", *name ? ": " : "", name, some, ms);
    if (strcmp(title, g->title) == 0) return;
    memcpy(g->title, title, sizeof title);
    glfwSetWindowTitle(g->window, title);
}

/// The panel is over what the window shows, and in pictures if they are to have it.
static void draw_panel(viewing* g, const tact_view_look* look)
{
    const bool overlay = g->options->overlay;
    tact_view_content(&g->view, look, g->options->events ? 0.0 : g->frame_ms, g->scale, &g->content);
    if (overlay) tact_view_drawing_bind(g->drawing);
    if (!overlay) tact_view_drawing_present(g->drawing);
    const tact_view_panel_input input = tact_view_panel_draw(g->panel, &g->content);
    if (overlay) tact_view_drawing_present(g->drawing);
    g->view.taken = input.taken;
    if (input.item == g->content.item) return;
    g->view.wanted = input.item;
    g->view.playing = false;
}

static void take_time(viewing* g, double start)
{
    const double between = start - g->begun_ms;
    if (g->begun_ms > 0.0) g->frame_ms += (g->frame_ms > 0.0 ? 0.1 : 1.0) * (between - g->frame_ms);
    g->begun_ms = start;
}

static bool draw(viewing* g)
{
    int width = 0, height = 0;
    tact_view_frame f;
    const double start = tact_system_milliseconds();
    take_time(g, start);
    if (!turn_items(g, start)) return false;
    glfwGetFramebufferSize(g->window, &width, &height);
    tact_view_resize(&g->view, width > 0 ? (uint32_t)width : 0, height > 0 ? (uint32_t)height : 0);
    if (!tact_view_prepare(&g->view, g->options->events != NULL, g->problem)) return false;
    tact_view_frame_of(&g->view, &f);
    if (!tact_view_drawing_draw(g->drawing, &f, g->problem)) return false;
    draw_panel(g, &f.look);
    glfwSwapBuffers(g->window);
    if (!tact_view_step(&g->view, g->problem)) return false;
    const double now = tact_system_milliseconds();
    if (g->outcome.frames++) g->spent_ms += now - start;
    show_title(g, now, now - start);
    return true;
}

static bool picture(viewing* g, const char* path)
{
    const uint32_t width = g->view.camera.width, height = g->view.camera.height;
    unsigned char* rgb = malloc((size_t)width * height * 3);
    if (!rgb) return tact_problem_out_of_memory(g->problem, "a picture");
    tact_view_drawing_read(g->drawing, rgb);
    const bool good = tact_picture_write(path, width, height, rgb, g->problem);
    free(rgb);
    return good;
}

/// The window system does it in its own time.
static bool resize(viewing* g, int width, int height)
{
    int is_x = 0, is_y = 0;
    const double start = tact_system_milliseconds();
    glfwSetWindowSize(g->window, width, height);
    do {
        glfwWaitEventsTimeout(0.01);
        glfwGetFramebufferSize(g->window, &is_x, &is_y);
    } while ((is_x != width || is_y != height) && tact_system_milliseconds() - start < 2000.0);
    return true;
}

static bool play_one(viewing* g, const tact_view_event* e)
{
    bool good = true;
    switch (e->kind) {
        case TACT_VIEW_FRAME:
            for (uint32_t i = 0; good && i < e->count && !tact_system_signal(); ++i)
                good = draw(g);
            return good;
        case TACT_VIEW_SHOT:
            return draw(g) && picture(g, e->path);
        case TACT_VIEW_RESIZE:
            return resize(g, (int)e->x, (int)e->y);
        case TACT_VIEW_MOVE:
        case TACT_VIEW_LEAVE:
        case TACT_VIEW_BUTTON:
        case TACT_VIEW_SCROLL:
        case TACT_VIEW_KEY:
        case TACT_VIEW_QUIT:
            break;
    }
    return tact_view_handle(&g->view, e, g->problem);
}

static bool play(viewing* g, const tact_view_script* script)
{
    bool good = true;
    for (size_t i = 0; good && i < script->count && script->events[i].kind != TACT_VIEW_QUIT; ++i) {
        if (tact_system_signal()) return true;
        glfwPollEvents();
        good = play_one(g, &script->events[i]);
    }
    return good;
}

static bool watch(viewing* g)
{
    listen(g);
    if (!g->view.quiet && !g->panel) puts("H shows the keys");
    while (!glfwWindowShouldClose(g->window) && !g->failed && !tact_system_signal()) {
        if (!draw(g)) return false;
        if (g->options->frames && g->outcome.frames >= g->options->frames) break;
        glfwPollEvents();
    }
    return !g->failed;
}

static void describe(viewing* g)
{
    tact_device_info info;
    g->outcome.samples = tact_view_drawing_samples(g->drawing);
    g->outcome.gl_errors = tact_view_drawing_errors(g->drawing);
    if (g->outcome.frames > 1) g->outcome.frame_ms = g->spent_ms / (double)(g->outcome.frames - 1);
    if (tact_session_device(&g->session, TACT_BACKEND_GL, &info) < 0) return;
    snprintf(g->outcome.device, sizeof g->outcome.device, "%s", info.name);
    g->outcome.software = info.software;
}

static bool add_particles(viewing* g)
{
    const tact_view_options* o = g->options;
    tact_view_particles* particles = NULL;
    if (!o->particles) return true;
    if (!tact_view_particles_create(&g->session, &o->common, &o->files, o->particles, glfwGetProcAddress, &particles,
                                    g->problem)) {
        tact_view_particles_destroy(particles);
        return false;
    }
    tact_view_add_particles(&g->view, particles);
    return true;
}

static bool add_bodies(viewing* g)
{
    const tact_view_options* o = g->options;
    tact_view_bodies* bodies = NULL;
    if (!o->bodies.file && !o->bodies.scene) return true;
    if (!tact_view_bodies_create(g->session.context, (tact_backend)o->common.backend, &o->body_input, o->bodies.source,
                                 &bodies, g->problem)) {
        tact_view_bodies_destroy(bodies);
        return false;
    }
    tact_view_add_bodies(&g->view, bodies);
    return true;
}

static bool add_panel(viewing* g)
{
    float x = 1.0f, y = 1.0f;
    glfwGetWindowContentScale(g->window, &x, &y);
    g->scale = x > y ? x : y;
    g->panel = tact_view_panel_open(g->scale);
    g->view.panelled = g->panel != NULL;
    if (g->panel || !g->options->overlay) return true;
    tact_problem_set(g->problem, "--overlay: this tact was built without Dear ImGui, and has no panel");
    g->problem->exit_code = TACT_EXIT_NO_DEVICE;
    return false;
}

static bool finish(viewing* g)
{
    const tact_view* v = &g->view;
    return (!v->particles || tact_view_particles_finish(v->particles, &g->outcome.particles, g->problem)) &&
           (!v->bodies || tact_view_bodies_finish(v->bodies, &g->outcome.bodies, g->problem));
}

static bool show(viewing* g, const tact_pick_input* input, const tact_view_script* script)
{
    const tact_view_options* o = g->options;
    const tact_window_desc desc = {.title = "tact view",
                                   .who = "the window",
                                   .width = o->width,
                                   .height = o->height,
                                   .hurried = o->events || o->frames,
                                   .debug = o->events != NULL};
    // The window needs OpenGL whoever answers queries.
    tact_common_options common = o->common;
    common.backend = TACT_BACKEND_GL;
    g->view.query.backend = (tact_backend)o->common.backend;
    g->view.quiet = o->common.json || o->common.quiet;
    if (!tact_window_open(&desc, &g->window, g->problem) ||
        !tact_session_open_in(&g->session, &common, glfwGetProcAddress, g->problem) ||
        !(o->recording ? open_recording(g) : open_scene(g, input)) || !add_particles(g) || !add_bodies(g) ||
        !add_panel(g)) {
        return false;
    }
    tact_system_note_signals();
    if (!(o->events ? play(g, script) : watch(g))) return false;
    if (o->image && (!draw(g) || !picture(g, o->image))) return false;
    describe(g);
    if (o->common.json && !finish(g)) return false;
    if (!tact_view_report(&g->view, o, &g->outcome, &g->content, g->problem)) return false;
    return !tact_system_signal() || tact_problem_stop(g->problem, "after %" PRIu64 " frames", g->outcome.frames);
}

bool tact_view_window_run(const tact_view_options* options, const tact_pick_input* input,
                          const tact_view_script* script, tact_problem* problem)
{
    viewing g = {.options = options, .problem = problem};
    const bool good = show(&g, input, script);
    tact_view_panel_close(g.panel);
    tact_view_drawing_destroy(g.drawing);
    tact_view_picker_destroy(g.view.picker);
    tact_view_close(&g.view);
    tact_scene_destroy(g.scene);
    tact_view_item_free(&g.items[0]);
    tact_view_item_free(&g.items[1]);
    tact_view_recording_close(g.recording);
    tact_session_close(&g.session);
    tact_window_close(g.window);
    return good;
}
