// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/particles/particles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "apps/pictures/pictures.h"
#include "apps/system.h"
#include "apps/window.h"

/// GLFW knows one display, and so there is one window.
static GLFWwindow* window;

/// How the mouse has turned the scene, and what the keys ask for.
typedef struct controls {
    float azimuth, elevation, zoom;
    double x, y;
    bool dragging, paused, single;
} controls;

static void on_button(GLFWwindow* w, int button, int action, int mods)
{
    (void)mods;
    controls* c = glfwGetWindowUserPointer(w);
    if (button != GLFW_MOUSE_BUTTON_LEFT) return;
    c->dragging = action == GLFW_PRESS;
    glfwGetCursorPos(w, &c->x, &c->y);
}

static void on_motion(GLFWwindow* w, double x, double y)
{
    controls* c = glfwGetWindowUserPointer(w);
    if (!c->dragging) return;
    c->azimuth -= 0.3f * (float)(x - c->x);
    c->elevation += 0.3f * (float)(y - c->y);
    c->azimuth = fmodf(c->azimuth, 360.0f);
    c->elevation = c->elevation > 89.0f ? 89.0f : c->elevation < -20.0f ? -20.0f : c->elevation;
    c->x = x;
    c->y = y;
}

static void on_wheel(GLFWwindow* w, double dx, double dy)
{
    (void)dx;
    controls* c = glfwGetWindowUserPointer(w);
    c->zoom *= powf(0.9f, (float)dy);
    c->zoom = c->zoom < 0.05f ? 0.05f : c->zoom > 20.0f ? 20.0f : c->zoom;
}

static void on_key(GLFWwindow* w, int key, int scancode, int action, int mods)
{
    (void)scancode;
    (void)mods;
    controls* c = glfwGetWindowUserPointer(w);
    if (action == GLFW_RELEASE) return;
    if (key == GLFW_KEY_SPACE) c->paused = !c->paused;
    if (key == GLFW_KEY_S) c->single = true;
    if (key == GLFW_KEY_ESCAPE || key == GLFW_KEY_Q) glfwSetWindowShouldClose(w, GLFW_TRUE);
}

bool tact_particle_window_open(tact_particle_run* run, tact_problem* problem)
{
    const tact_particle_run_options* o = &run->options;
    const tact_window_desc desc = {.title = "tact particles",
                                   .who = "--window",
                                   .width = o->view.width,
                                   .height = o->view.height,
                                   .hurried = o->window_frames != 0};
    if (!tact_window_open(&desc, &window, problem)) return false;
    return tact_session_open_in(&run->query.session, &run->query.common, glfwGetProcAddress, problem);
}

void tact_particle_window_close(void)
{
    tact_window_close(window);
    window = NULL;
}

/// The camera as the mouse has turned it.
static void look(const tact_particle_run* run, const controls* c, tact_window_frame* f)
{
    int width = 0, height = 0;
    const tact_aabb b = run->facts.look.bounds;
    glfwGetFramebufferSize(window, &width, &height);
    tact_particle_camera(b, c->azimuth, c->elevation, width > 0 ? (uint32_t)width : 1,
                         height > 0 ? (uint32_t)height : 1, &f->view);
    const float middle[3] = {0.5f * b.lower.x + 0.5f * b.upper.x, 0.5f * b.lower.y + 0.5f * b.upper.y,
                             0.5f * b.lower.z + 0.5f * b.upper.z};
    f->distance = 0.0f;
    for (int i = 0; i < 3; ++i) {
        f->view.eye[i] = middle[i] + c->zoom * (f->view.eye[i] - middle[i]);
        f->distance += (f->view.eye[i] - middle[i]) * f->view.back[i];
    }
}

/// Draws from the buffers in which the particles lie, or else from a copy.
static bool draw_frame(tact_particle_run* run, tact_window_drawing* drawing, tact_window_frame* f,
                       tact_problem* problem)
{
    tact_particle_buffers buffers;
    float* rows = NULL;
    if (!tact_window_frame_fill(f, run, &buffers, &rows, problem)) return false;
    tact_window_drawing_draw(drawing, f);
    free(rows);
    return true;
}

static bool screenshot(const tact_particle_run* run, tact_window_drawing* drawing, const tact_window_frame* f,
                       tact_problem* problem)
{
    const uint32_t width = f->view.width, height = f->view.height;
    unsigned char* rgb = malloc((size_t)width * height * 3);
    if (!rgb) return tact_problem_out_of_memory(problem, "a picture");
    tact_window_drawing_read(drawing, width, height, rgb);
    const bool good = tact_picture_write(run->options.image, width, height, rgb, problem);
    free(rgb);
    return good;
}

static void show_title(const tact_particle_run* run, const controls* c, double ms)
{
    char title[256];
    snprintf(title, sizeof title, "tact particles: %zu, step %llu, %s, %.1f ms a frame%s",
             tact_particles_count(run->particles), (unsigned long long)run->done,
             tact_backend_name(run->query.report.backend), ms, c->paused ? ", paused" : "");
    glfwSetWindowTitle(window, title);
}

static bool go_on(tact_particle_run* run, controls* c, tact_problem* problem)
{
    const tact_particle_run_options* o = &run->options;
    if (c->paused && !c->single) return true;
    c->single = false;
    uint64_t until = run->done + o->every;
    if (until > o->steps) until = o->steps;
    return tact_particle_run_steps(run, until, problem);
}

static bool loop(tact_particle_run* run, tact_window_drawing* drawing, controls* c, tact_problem* problem)
{
    const tact_particle_run_options* o = &run->options;
    const tact_particle_look* l = &run->facts.look;
    tact_window_frame f = {.palette = {(tact_particle_color)o->color, 0.5f * l->fastest, l->smallest, l->largest, 0}};
    double before = tact_system_milliseconds();
    for (uint64_t frame = 0;; ++frame) {
        look(run, c, &f);
        if (!draw_frame(run, drawing, &f, problem)) return false;
        const bool last = glfwWindowShouldClose(window) || tact_system_signal() ||
                          (o->window_frames && frame + 1 >= o->window_frames);
        if (last) return !o->image || screenshot(run, drawing, &f, problem);
        glfwSwapBuffers(window);
        glfwPollEvents();
        if (!go_on(run, c, problem)) return false;
        const double now = tact_system_milliseconds();
        show_title(run, c, now - before);
        before = now;
    }
}

bool tact_particle_window_run(tact_particle_run* run, tact_problem* problem)
{
    const tact_particle_run_options* o = &run->options;
    controls c = {.azimuth = o->view.azimuth, .elevation = o->view.elevation, .zoom = 1.0f};
    tact_window_drawing* drawing = NULL;
    if (!tact_window_drawing_create(glfwGetProcAddress, &run->plan.model, &run->facts.look, &drawing, problem)) {
        return false;
    }
    glfwSetWindowUserPointer(window, &c);
    glfwSetMouseButtonCallback(window, on_button);
    glfwSetCursorPosCallback(window, on_motion);
    glfwSetScrollCallback(window, on_wheel);
    glfwSetKeyCallback(window, on_key);
    const bool good = loop(run, drawing, &c, problem);
    tact_window_drawing_destroy(drawing);
    if (good && tact_system_signal()) return tact_particle_run_stop(run, problem);
    return good && (!o->save || tact_particle_run_keep(run, o->save, problem));
}
