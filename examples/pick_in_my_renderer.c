// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// A small renderer of its own in which things are picked: trees whose leaves have holes (discard), and a flag that the
// vertex shader bends. Its one fragment shader includes the library's text, and its one pass writes picks as two extra
// outputs. Every frame asks what is under the cursor and goes on; the answer comes some frames later, and what was
// found is drawn in yellow. A click prints it, with everything in a square around it. With an argument the program
// shows that many frames, with a cursor that moves by itself, and a second names a picture (PPM) of the last one.
//
// In a larger renderer: give multisampled framebuffers planes with as many .samples; where they differ in size or
// samples, or passes and shaders are many, draw what can be picked a second time between tact_pick_target_begin() and
// _end(), with programs made with outputs 0 and 1, perhaps only around the cursor (tact_pick_window()). When the window
// changes its size: detach, tact_pick_target_resize(), attach. Draw what does not call tact_pick(), such as a sky, with
// the planes masked (glColorMaski) or detached.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <glad/gl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

enum { SKIPPED = 77, WIDTH = 800, HEIGHT = 600, TREES = 90, GROUND = 1, TRUNK, LEAVES, FLAG, CELLS = 24 };
enum { NEAR = 81 };  // pixels within 5 of one
static const char* const names[] = {"nothing", "the ground", "a trunk", "leaves", "the flag"};

// Everything is made of squares of two triangles, which the vertex shader places: no buffers.
static const char vertex_text[] =
    "#version 430 core\n"
    "layout(location = 0) uniform mat4 world_to_clip;\n"
    "layout(location = 1) uniform uint object;\n"
    "layout(location = 2) uniform float time;\n"
    "out vec3 world;\n"
    "out vec2 place;\n"
    "flat out uint instance;\n"
    "const vec2 corners[6] = vec2[6](vec2(0, 0), vec2(1, 0), vec2(1, 1), vec2(0, 0), vec2(1, 1), vec2(0, 1));\n"
    "float random(float seed) { return fract(sin(seed * 12.9898) * 43758.5453); }\n"
    "void main() {\n"
    "    vec2 c = corners[gl_VertexID % 6];\n"
    "    int square = gl_VertexID / 6;\n"
    "    float seed = float(gl_InstanceID + 1), height = 1.0 + random(seed + 0.3);\n"
    "    vec2 root = 18.0 * vec2(random(seed), random(seed + 0.5)) - 9.0;\n"
    "    place = c;\n"
    "    if (object == 1u) world = vec3(20.0 * c.x - 10.0, 0.0, 10.0 - 20.0 * c.y);\n"
    "    if (object == 2u) {\n"  // four sides
    "        float angle = 1.5708 * (float(square) + c.x);\n"
    "        world = vec3(root.x + 0.08 * cos(angle), height * c.y, root.y - 0.08 * sin(angle));\n"
    "    }\n"
    "    if (object == 3u) {\n"  // three squares through each other
    "        float angle = 1.0472 * float(square), side = 1.4 * (c.x - 0.5);\n"
    "        world = vec3(root.x + side * cos(angle), height - 0.5 + 1.4 * c.y, root.y + side * sin(angle));\n"
    "    }\n"
    "    if (object == 4u) {\n"  // a grid in the wind
    "        place = (vec2(square % 24, square / 24) + c) / 24.0;\n"
    "        world = vec3(4.0 * place.x, 3.0 + 2.5 * place.y, 0.5 * place.x * sin(5.0 * place.x - 4.0 * time));\n"
    "    }\n"
    "    instance = uint(gl_InstanceID);\n"
    "    gl_Position = world_to_clip * vec4(world, 1.0);\n"
    "}\n";
// Between these two lines goes the library's text.
static const char fragment_head[] = "#version 430 core\n";
static const char fragment_text[] =
    "layout(location = 1) uniform uint object;\n"
    "layout(location = 3) uniform uvec2 hovered;\n"
    "in vec3 world;\n"
    "in vec2 place;\n"
    "flat in uint instance;\n"
    "layout(location = 0) out vec4 color;\n"
    "void main() {\n"
    "    const vec3 tints[5] = vec3[5](vec3(0), vec3(.35, .33, .25), vec3(.4, .26, .15), vec3(.2, .5, .2), vec3(.7, "
    ".15, .15));\n"
    "    vec2 leaf = fract(6.0 * place) - 0.5;\n"
    "    if (object == 3u && (dot(leaf, leaf) > 0.16 || distance(place, vec2(0.5)) > 0.5)) discard;\n"
    "    vec3 normal = normalize(tact_pick_normal(world));\n"
    "    tact_pick(object, instance, uint(gl_PrimitiveID), normal);\n"
    "    vec3 tint = tints[object] * (0.6 + 0.5 * fract(0.37 * float(instance)));\n"
    "    if (hovered == uvec2(object, instance)) tint = vec3(1.0, 0.7, 0.05);\n"
    "    color = vec4(tint * (0.25 + 0.75 * abs(dot(normal, normalize(vec3(1, 3, 2))))), 1.0);\n"
    "}\n";

typedef struct renderer {
    GladGLContext gl;
    GLuint program, vertices, framebuffer, color, depth;
    tact_context* context;
    tact_pick_target* picks;
    tact_pick_ticket tickets[3];  // on their way, the oldest first
    uint32_t waiting;
    uint64_t frame, answered, late;
    tact_pick under;  // the cursor, some frames ago
    bool any, held;   // something is; the mouse button
} renderer;

static GLuint make_program(const GladGLContext* gl)
{
    static char picking[8192];
    if (tact_pick_target_glsl(1, picking, sizeof picking) > sizeof picking) return 0;  // outputs 1 and 2
    const char* texts[2][3] = {{vertex_text, "", ""}, {fragment_head, picking, fragment_text}};
    const GLuint program = gl->CreateProgram();
    for (int i = 0; i < 2; ++i) {
        const GLuint shader = gl->CreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
        gl->ShaderSource(shader, 3, texts[i], NULL);
        gl->CompileShader(shader);
        gl->AttachShader(program, shader);
        gl->DeleteShader(shader);
    }
    gl->LinkProgram(program);
    GLint linked = 0;
    gl->GetProgramiv(program, GL_LINK_STATUS, &linked);
    return linked ? program : 0;
}

static tact_result set_up(renderer* r)
{
    const GladGLContext* gl = &r->gl;
    const tact_context_desc desc = {.gl = TACT_DEVICE_ADOPT,
                                    .gl_get_proc_address = (tact_gl_get_proc_address)glfwGetProcAddress,
                                    .cl = TACT_DEVICE_NONE};
    const tact_pick_target_desc planes = {.width = WIDTH, .height = HEIGHT};
    tact_result result = tact_context_create(&desc, &r->context);
    if (result == TACT_OK) result = tact_pick_target_create(r->context, &planes, &r->picks);
    if (result != TACT_OK) return result;
    r->program = make_program(gl);
    if (!r->program) return TACT_ERROR_KERNEL_BUILD;
    gl->GenVertexArrays(1, &r->vertices);
    gl->GenRenderbuffers(1, &r->color);
    gl->BindRenderbuffer(GL_RENDERBUFFER, r->color);
    gl->RenderbufferStorage(GL_RENDERBUFFER, GL_SRGB8_ALPHA8, WIDTH, HEIGHT);
    gl->GenRenderbuffers(1, &r->depth);
    gl->BindRenderbuffer(GL_RENDERBUFFER, r->depth);
    gl->RenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT32F, WIDTH, HEIGHT);
    gl->GenFramebuffers(1, &r->framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, r->framebuffer);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, r->color);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, r->depth);
    return tact_pick_target_attach(r->picks, 1);
}

/// A camera that goes around: perspective times look-at, by columns.
static void look(double angle, float m[16])
{
    const double focal = 1.7, nearest = 0.1, farthest = 60.0, pitch = 0.3, distance = 14.0;
    const double c = cos(angle), s = sin(angle), cp = cos(pitch), sp = sin(pitch);
    const double rows[3][4] = {
        {c, 0, -s, 0}, {-s * sp, cp, -c * sp, -1.5 * cp}, {s * cp, sp, c * cp, -1.5 * sp - distance}};
    for (int k = 0; k < 4; ++k) {
        m[4 * k + 0] = (float)(focal * HEIGHT / WIDTH * rows[0][k]);
        m[4 * k + 1] = (float)(focal * rows[1][k]);
        m[4 * k + 2] = (float)((farthest + nearest) / (nearest - farthest) * rows[2][k] +
                               (k == 3 ? 2.0 * farthest * nearest / (nearest - farthest) : 0.0));
        m[4 * k + 3] = (float)-rows[2][k];
    }
}

static void draw_object(const GladGLContext* gl, GLuint object, GLsizei squares, GLsizei instances)
{
    gl->Uniform1ui(1, object);
    gl->DrawArraysInstanced(GL_TRIANGLES, 0, 6 * squares, instances);
}

/// The normal pass. What it does for picking: clears the planes, and afterwards says what they show.
static tact_result draw(renderer* r, double time, tact_pick_view* view)
{
    const GladGLContext* gl = &r->gl;
    *view = (tact_pick_view){.order = TACT_MATRIX_BY_COLUMNS, .width = WIDTH, .height = HEIGHT};
    look(0.1 * time, view->world_to_clip);
    gl->BindFramebuffer(GL_FRAMEBUFFER, r->framebuffer);
    gl->Viewport(0, 0, WIDTH, HEIGHT);
    gl->Enable(GL_DEPTH_TEST);
    gl->Enable(GL_FRAMEBUFFER_SRGB);
    gl->ClearBufferfv(GL_COLOR, 0, (const float[4]){0.15f, 0.30f, 0.50f, 1.0f});
    gl->ClearBufferfv(GL_DEPTH, 0, (const float[1]){1.0f});
    tact_result result = tact_pick_target_clear(r->picks);
    gl->UseProgram(r->program);
    gl->BindVertexArray(r->vertices);
    gl->UniformMatrix4fv(0, 1, GL_FALSE, view->world_to_clip);
    gl->Uniform1f(2, (float)time);
    gl->Uniform2ui(3, r->any ? r->under.object : 0, r->any ? r->under.instance : 0);
    draw_object(gl, GROUND, 1, 1);
    draw_object(gl, TRUNK, 4, TREES);
    draw_object(gl, LEAVES, 3, TREES);
    draw_object(gl, FLAG, CELLS * CELLS, 1);
    if (result == TACT_OK) result = tact_pick_target_drawn(r->picks, view, 0, 0, r->frame);
    return result;
}

/// Asks for what is within 5 pixels of the cursor, and takes the answers that have come. Never waits.
static tact_result hover(renderer* r, int32_t x, int32_t y)
{
    const tact_pick_region region = {.shape = TACT_PICK_POINT, .x = x, .y = y, .radius = 5};
    tact_result result = TACT_OK;
    if (r->waiting < 3) {  // else the answers are late: this frame goes without
        result = tact_pick_target_submit(r->picks, &region, TACT_PICK_BY_INSTANCE, &r->tickets[r->waiting]);
        if (result == TACT_OK) ++r->waiting;
    }
    for (bool done = true; result == TACT_OK && r->waiting > 0;) {
        result = tact_pick_target_poll(r->picks, r->tickets[0], &done);
        if (result != TACT_OK || !done) break;
        tact_pick nearest[NEAR];
        size_t count = 0;
        uint64_t revision = 0;
        result = tact_pick_target_wait(r->picks, r->tickets[0], nearest, NEAR, &count, &revision);
        r->any = false;
        for (size_t i = 0; result == TACT_OK && i < count && !r->any; ++i) {
            r->any = nearest[i].object != GROUND;  // which shall not light up
            r->under = nearest[i];
        }
        r->late += r->frame - revision;
        ++r->answered;
        memmove(r->tickets, r->tickets + 1, 2 * sizeof r->tickets[0]);
        --r->waiting;
    }
    return result;
}

/// Everything in a square of 61 pixels, at once: this waits.
static tact_result click(renderer* r, int32_t x, int32_t y)
{
    const tact_pick_region square = {.shape = TACT_PICK_RECTANGLE, .rectangle = {x - 30, y - 30, x + 31, y + 31}};
    tact_pick picks[TREES * 2 + 2];
    size_t count = 0;
    const tact_result result =
        tact_pick_target_query(r->picks, &square, TACT_PICK_BY_INSTANCE, picks, TREES * 2 + 2, &count);
    for (size_t i = 0; i < count && i < 5; ++i) {
        printf("%-10s %3u  %5u pixels, nearest at (%.2f, %.2f, %.2f)\n", names[picks[i].object], picks[i].instance,
               picks[i].pixels, (double)picks[i].position[0], (double)picks[i].position[1],
               (double)picks[i].position[2]);
    }
    printf("%zu things within 30 pixels of (%d, %d)\n", count, (int)x, (int)y);
    return result;
}

static void show(const renderer* r, int width, int height)
{
    const GladGLContext* gl = &r->gl;
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, r->framebuffer);
    gl->ReadBuffer(GL_COLOR_ATTACHMENT0);
    gl->BindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    gl->BlitFramebuffer(0, 0, WIDTH, HEIGHT, 0, 0, width, height, GL_COLOR_BUFFER_BIT, GL_NEAREST);
}

static void save(const renderer* r, const char* path)
{
    static unsigned char rgb[HEIGHT][WIDTH][3];
    r->gl.BindFramebuffer(GL_READ_FRAMEBUFFER, r->framebuffer);
    r->gl.PixelStorei(GL_PACK_ALIGNMENT, 1);
    r->gl.ReadPixels(0, 0, WIDTH, HEIGHT, GL_RGB, GL_UNSIGNED_BYTE, rgb);
    FILE* file = fopen(path, "wb");
    if (!file) return;
    fprintf(file, "P6 %d %d 255\n", WIDTH, HEIGHT);
    for (int y = HEIGHT; y-- > 0;)
        fwrite(rgb[y], 3, WIDTH, file);
    fclose(file);
}

static tact_result run(renderer* r, GLFWwindow* window, uint64_t frames)
{
    tact_result result = TACT_OK;
    tact_pick_view view;
    for (; result == TACT_OK && !glfwWindowShouldClose(window) && (frames == 0 || r->frame < frames); ++r->frame) {
        int width = 1, height = 1;
        double x = WIDTH * (0.2 + 0.5 * (double)r->frame / (double)(frames ? frames : 1)), y = 0.83 * HEIGHT;
        glfwPollEvents();
        glfwGetFramebufferSize(window, &width, &height);
        if (frames == 0) {  // the picture is stretched over the window
            int window_width = 1, window_height = 1;
            glfwGetWindowSize(window, &window_width, &window_height);
            glfwGetCursorPos(window, &x, &y);
            if (window_width > 0 && window_height > 0) {
                x *= (double)WIDTH / window_width;
                y *= (double)HEIGHT / window_height;
            }
        }
        const bool down = frames ? r->frame + 1 == frames : glfwGetMouseButton(window, 0) == GLFW_PRESS;
        const bool pressed = down && !r->held;
        r->held = down;
        result = draw(r, frames ? 0.05 * (double)r->frame : glfwGetTime(), &view);
        if (result == TACT_OK) result = hover(r, (int32_t)floor(x), (int32_t)floor(y));
        if (result == TACT_OK && pressed) result = click(r, (int32_t)floor(x), (int32_t)floor(y));
        show(r, width, height);
        glfwSwapBuffers(window);
    }
    return result;
}

int main(int argc, char** argv)
{
    const long frames = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    static renderer r;
    GLFWwindow* window = NULL;
    if (glfwInit()) {
        glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
        glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
        glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
        glfwWindowHint(GLFW_VISIBLE, frames == 0);
        window = glfwCreateWindow(WIDTH, HEIGHT, "pick in my renderer", NULL, NULL);
    }
    if (window) glfwMakeContextCurrent(window);
    if (!window || !tact_glad_load_context(&r.gl, (GLADloadfunc)glfwGetProcAddress)) {
        printf("skipped: no window with OpenGL 4.3 to be had here\n");
        return SKIPPED;
    }
    tact_result result = set_up(&r);
    if (result == TACT_OK) result = run(&r, window, frames > 0 ? (uint64_t)frames : 0);
    if (argc > 2) save(&r, argv[2]);
    if (result != TACT_OK) {
        fprintf(stderr, "%s: %s\n", tact_result_string(result), r.context ? tact_context_error(r.context) : "");
    } else {
        printf("%llu frames, %llu answers, %.1f frames late each; under the cursor: %s\n", (unsigned long long)r.frame,
               (unsigned long long)r.answered, r.answered ? (double)r.late / (double)r.answered : 0.0,
               names[r.any ? r.under.object : 0]);
    }
    tact_pick_target_destroy(r.picks);
    tact_context_destroy(r.context);
    glfwDestroyWindow(window);
    glfwTerminate();
    return result == TACT_OK && (frames == 0 || r.answered > 0) ? EXIT_SUCCESS : EXIT_FAILURE;
}
