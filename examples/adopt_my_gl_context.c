// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Casting rays in the OpenGL context of your own program, here one made by GLFW. The library leaves the context's state
// as it finds it.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <stdio.h>
#include <tact/tact.h>

enum { SKIPPED = 77 };

int main(void)
{
    if (!glfwInit()) {
        fprintf(stderr, "no display\n");
        return SKIPPED;
    }
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    GLFWwindow* window = glfwCreateWindow(64, 64, "tact", NULL, NULL);
    if (!window) {
        fprintf(stderr, "no OpenGL 4.3 context\n");
        glfwTerminate();
        return SKIPPED;
    }
    glfwMakeContextCurrent(window);

    const tact_context_desc desc = {
        .gl = TACT_DEVICE_ADOPT, .gl_get_proc_address = glfwGetProcAddress, .cl = TACT_DEVICE_NONE};
    const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const tact_mesh_desc triangle = {.positions = corners, .vertex_count = 3, .triangle_count = 1};
    const tact_ray ray = {.ox = 0.25f, .oy = 0.25f, .oz = 2, .dz = -1, .tmax = 10};
    const tact_query_options options = {.backend = TACT_BACKEND_GL, .no_fallback = true};
    tact_context* context = NULL;
    tact_scene* scene = NULL;
    tact_query_report report = {0};
    tact_hit hit = {0};
    uint32_t mesh, instance;
    int failed = 1;
    if (tact_context_create(&desc, &context) == TACT_OK && tact_scene_create(context, &scene) == TACT_OK &&
        tact_scene_add_mesh(scene, &triangle, &mesh) == TACT_OK &&
        tact_scene_add_instance(scene, mesh, NULL, &instance) == TACT_OK && tact_scene_commit(scene) == TACT_OK &&
        tact_raycast(scene, TACT_RAY_CLOSEST, &ray, 1, &hit, &options, &report) == TACT_OK) {
        printf("triangle %u at t = %g, found by %s\n", (unsigned)hit.primitive, (double)hit.t, report.device);
        failed = hit.primitive != 0 || hit.t != 2.0f;
    } else {
        fprintf(stderr, "%s\n", tact_context_error(context));
    }
    // While the context is still current: what the library keeps in it goes with it.
    tact_scene_destroy(scene);
    tact_context_destroy(context);
    glfwTerminate();
    return failed;
}
