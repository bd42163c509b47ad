// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A renderer as callers have them, to be picked in: hundreds of objects whose surface only the shaders know (leaves
/// with holes, waves, a skinned tube, a tessellated patch, instances), drawn into colours that tell the object exactly.
/// All vertices are made by the shaders. Include after caller.h.

#include "tact/pick_target.h"
#include "tests/support/random.h"

#ifdef TACT_HAVE_GL

typedef enum show_kind { SHOW_BOX, SHOW_WAVES, SHOW_TUBE, SHOW_LEAF, SHOW_SWARM, SHOW_PATCH, SHOW_KINDS } show_kind;

enum {
    SHOW_DRAWS_MAX = 400,
    SHOW_NUMBERS_MAX = 1024,
    SHOW_GRID = 40,
    SHOW_RINGS = 24,
    SHOW_SIDES = 16,
    SHOW_SWARM_SIZE = 60
};

/// Drawn at once; its instances have the numbers from `first` on, which are the colours.
typedef struct show_draw {
    show_kind kind;
    float world[16];  // by columns
    float size;       // of a sphere around
    uint32_t object, first, instances;
} show_draw;

typedef struct show_thing {
    uint32_t object, instance;
    show_kind kind;
} show_thing;

typedef struct show {
    const GladGLContext* gl;
    GLuint programs[2][SHOW_KINDS];  // with colours, picks at 2; and picks alone, at 0
    GLuint vertex_array, holes;
    show_draw draws[SHOW_DRAWS_MAX];
    uint32_t draw_count, number_count;
    show_thing things[SHOW_NUMBERS_MAX];  // of each number; 0 is the background
} show;

/// Colours, sRGB shades, positions, depth; picks are attached at 2.
typedef struct show_target {
    uint32_t width, height, samples;
    GLuint framebuffer, colour, shade, position, depth;
} show_target;

static const char show_vertex[] =
    "layout(location = 0) uniform mat4 to_clip;\n"
    "layout(location = 1) uniform mat4 to_world;\n"
    "layout(location = 2) uniform uint first;\n"
    "layout(location = 3) uniform float time;\n"
    "out vec3 world;\n"
    "out vec2 place;\n"
    "flat out uint number;\n"
    "flat out uint instance;\n"
    "const ivec2 corners[6] = ivec2[6](ivec2(0, 0), ivec2(1, 0), ivec2(1, 1), ivec2(0, 0), ivec2(1, 1), ivec2(0, 1));\n"
    "vec2 quad(int columns) {\n"
    "    int cell = gl_VertexID / 6;\n"
    "    return vec2(ivec2(cell % columns, cell / columns) + corners[gl_VertexID % 6]);\n"
    "}\n"
    "vec3 box() {\n"
    "    int face = gl_VertexID / 6;\n"
    "    vec2 c = vec2(corners[gl_VertexID % 6]) * 2.0 - 1.0;\n"
    "    vec3 p = vec3(c, 1.0);\n"
    "    if (face % 2 == 1) p = vec3(c.y, c.x, -1.0);\n"
    "    return face < 2 ? p : face < 4 ? p.zxy : p.yzx;\n"
    "}\n"
    "mat2 turn(float a) { return mat2(cos(a), sin(a), -sin(a), cos(a)); }\n"
    "vec3 surface() {\n"
    "    place = vec2(0.0);\n"
    "#if KIND == 0\n"
    "    return box();\n"
    "#elif KIND == 1\n"
    "    vec2 p = quad(40) / 20.0 - 1.0;\n"
    "    return vec3(p.x, 0.15 * sin(7.0 * p.x + time) * cos(5.0 * p.y - time), -p.y);\n"
    "#elif KIND == 2\n"
    "    vec2 p = quad(16);\n"
    "    float a = p.x * 6.2831853 / 16.0, h = p.y / 24.0 * 4.0;\n"
    "    vec3 v = vec3(0.3 * cos(a), h, -0.3 * sin(a)), sum = vec3(0.0);\n"
    "    for (int bone = 0; bone < 4; ++bone) {\n"
    "        float weight = max(0.0, 1.0 - abs(h * 0.75 - float(bone)));\n"
    "        vec3 q = v;\n"
    "        for (int k = bone; k > 0; --k) {\n"
    "            q.xy = turn(0.4 * sin(time + float(k))) * (q.xy - vec2(0.0, float(k))) + vec2(0.0, float(k));\n"
    "        }\n"
    "        sum += weight * q;\n"
    "    }\n"
    "    return sum;\n"
    "#elif KIND == 3\n"
    "    place = quad(1);\n"
    "    return vec3(place * 2.0 - 1.0, 0.0);\n"
    "#elif KIND == 4\n"
    "    float n = float(gl_InstanceID);\n"
    "    return 0.12 * box() + vec3(sin(n * 1.7 + time), sin(n * 2.9), cos(n * 4.3 - time));\n"
    "#else\n"
    "    place = quad(1);\n"
    "    return vec3(place.x * 2.0 - 1.0, 0.0, 1.0 - place.y * 2.0);\n"
    "#endif\n"
    "}\n"
    "void main() {\n"
    "    vec3 local = surface();\n"
    "    world = (to_world * vec4(local, 1.0)).xyz;\n"
    "    number = first + uint(gl_InstanceID);\n"
    "    instance = uint(gl_InstanceID);\n"
    "    gl_Position = to_clip * vec4(world, 1.0);\n"
    "}\n";

static const char show_control[] =
    "layout(vertices = 3) out;\n"
    "in vec3 world[];\n"
    "flat in uint number[];\n"
    "flat in uint instance[];\n"
    "out vec3 at[];\n"
    "patch out uint number_of;\n"
    "void main() {\n"
    "    at[gl_InvocationID] = world[gl_InvocationID];\n"
    "    number_of = number[0];\n"
    "    gl_TessLevelOuter[gl_InvocationID] = 12.0;\n"
    "    gl_TessLevelInner[0] = 12.0;\n"
    "}\n";

static const char show_evaluation[] =
    "layout(triangles, fractional_odd_spacing, ccw) in;\n"
    "layout(location = 0) uniform mat4 to_clip;\n"
    "layout(location = 3) uniform float time;\n"
    "in vec3 at[];\n"
    "patch in uint number_of;\n"
    "out vec3 world;\n"
    "out vec2 place;\n"
    "flat out uint number;\n"
    "flat out uint instance;\n"
    "void main() {\n"
    "    world = gl_TessCoord.x * at[0] + gl_TessCoord.y * at[1] + gl_TessCoord.z * at[2];\n"
    "    world.y += 0.2 * sin(9.0 * world.x + time) * sin(8.0 * world.z);\n"
    "    place = gl_TessCoord.xy;\n"
    "    number = number_of;\n"
    "    instance = 0u;\n"
    "    gl_Position = to_clip * vec4(world, 1.0);\n"
    "}\n";

static const char show_fragment[] =
    "layout(location = 4) uniform uint object;\n"
    "layout(binding = 3) uniform sampler2D holes;\n"
    "in vec3 world;\n"
    "in vec2 place;\n"
    "flat in uint number;\n"
    "flat in uint instance;\n"
    "#ifdef COLOURS\n"
    "layout(location = 0) out vec4 colour;\n"
    "layout(location = 1) out vec4 shade;\n"
    "layout(location = 4) out vec4 position;\n"
    "#endif\n"
    "void main() {\n"
    "#if KIND == 3\n"
    "    if (texture(holes, place).r < 0.5) discard;\n"
    "#endif\n"
    "#ifdef COLOURS\n"
    "    colour = vec4(uvec4(number, number >> 8, number >> 16, 255u) & 255u) / 255.0;\n"
    "    shade = vec4(fract(world), 0.5);\n"
    "    position = vec4(world, 1.0);\n"
    "#endif\n"
    "#if KIND == 5\n"
    "    tact_pick(object, instance, 7u + uint(gl_PrimitiveID), tact_pick_normal(world), vec3(0.25, 0.5, 0.25));\n"
    "#elif KIND == 4\n"
    "    tact_pick(object, instance);\n"
    "#elif KIND == 1\n"
    "    tact_pick(object);\n"
    "#else\n"
    "    tact_pick(object, instance, uint(gl_PrimitiveID), tact_pick_normal(world));\n"
    "#endif\n"
    "}\n";

static inline void show_shader(const GladGLContext* gl, GLuint program, GLenum stage, const char* head,
                               const char* picks, const char* text)
{
    const char* parts[3] = {head, picks, text};
    const GLuint shader = gl->CreateShader(stage);
    GLint good = 0;
    char log[2000] = "";
    gl->ShaderSource(shader, 3, parts, NULL);
    gl->CompileShader(shader);
    gl->GetShaderiv(shader, GL_COMPILE_STATUS, &good);
    gl->GetShaderInfoLog(shader, sizeof log, NULL, log);
    if (!good) fail_msg("%s", log);
    gl->AttachShader(program, shader);
    gl->DeleteShader(shader);
}

static inline GLuint show_program(const GladGLContext* gl, int kind, bool colours)
{
    static char picks[16384];
    char head[100];
    GLint good = 0;
    char log[2000] = "";
    assert_true(tact_pick_target_glsl(colours ? 2 : 0, picks, sizeof picks) <= sizeof picks);
    snprintf(head, sizeof head, "#version 430 core\n#define KIND %d\n%s", kind, colours ? "#define COLOURS\n" : "");
    const GLuint program = gl->CreateProgram();
    show_shader(gl, program, GL_VERTEX_SHADER, head, "", show_vertex);
    if (kind == SHOW_PATCH) {
        show_shader(gl, program, GL_TESS_CONTROL_SHADER, head, "", show_control);
        show_shader(gl, program, GL_TESS_EVALUATION_SHADER, head, "", show_evaluation);
    }
    show_shader(gl, program, GL_FRAGMENT_SHADER, head, picks, show_fragment);
    gl->LinkProgram(program);
    gl->GetProgramiv(program, GL_LINK_STATUS, &good);
    gl->GetProgramInfoLog(program, sizeof log, NULL, log);
    if (!good) fail_msg("%s", log);
    return program;
}

static inline void show_random_world(test_random* r, float spread, float size, float m[16])
{
    float q[4], length = 0;
    for (int i = 0; i < 4; ++i) {
        q[i] = test_random_signed(r);
        length += q[i] * q[i];
    }
    length = sqrtf(length) + 1e-6f;
    const float x = q[0] / length, y = q[1] / length, z = q[2] / length, w = q[3] / length;
    const float columns[16] = {1 - 2 * (y * y + z * z),
                               2 * (x * y + w * z),
                               2 * (x * z - w * y),
                               0,
                               2 * (x * y - w * z),
                               1 - 2 * (x * x + z * z),
                               2 * (y * z + w * x),
                               0,
                               2 * (x * z + w * y),
                               2 * (y * z - w * x),
                               1 - 2 * (x * x + y * y),
                               0,
                               0,
                               0,
                               0,
                               1};
    for (int i = 0; i < 16; ++i)
        m[i] = columns[i] * (i < 12 ? size : 1.0f);
    for (int i = 0; i < 3; ++i)
        m[12 + i] = spread * test_random_signed(r);
}

static inline void show_add(show* s, test_random* r, show_kind kind, float spread, float size, uint32_t object)
{
    assert_true(s->draw_count < SHOW_DRAWS_MAX);
    show_draw* d = &s->draws[s->draw_count++];
    *d = (show_draw){.kind = kind, .size = size * (kind == SHOW_TUBE ? 6.0f : 2.0f), .object = object};
    show_random_world(r, spread, size, d->world);
    d->instances = kind == SHOW_SWARM ? SHOW_SWARM_SIZE : 1;
    d->first = s->number_count;
    for (uint32_t i = 0; i < d->instances; ++i) {
        assert_true(s->number_count < SHOW_NUMBERS_MAX);
        s->things[s->number_count++] = (show_thing){object, i, kind};
    }
}

static inline void show_open(show* s, const GladGLContext* gl, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->gl = gl;
    s->number_count = 1;
    test_random r = test_random_seeded(seed);
    for (uint32_t i = 0; i < 240; ++i)
        show_add(s, &r, SHOW_BOX, 4.0f, 0.1f + 0.3f * test_random_unit(&r), i == 7 ? 0xffffffffu : i == 8 ? 0 : i + 1);
    for (uint32_t i = 0; i < 60; ++i)
        show_add(s, &r, SHOW_LEAF, 3.0f, 0.4f + 0.4f * test_random_unit(&r), 0x1000001u + i);
    for (uint32_t i = 0; i < 3; ++i) {
        show_add(s, &r, SHOW_WAVES, 2.0f, 2.0f, 0x80000000u + i);
        show_add(s, &r, SHOW_TUBE, 2.0f, 0.7f, 0x90000000u + i);
        show_add(s, &r, SHOW_SWARM, 1.0f, 3.0f, 0xa0000000u + i);
        show_add(s, &r, SHOW_PATCH, 2.0f, 1.5f, 0xb0000000u + i);
    }
    for (int kind = 0; kind < SHOW_KINDS; ++kind) {
        s->programs[0][kind] = show_program(gl, kind, true);
        s->programs[1][kind] = show_program(gl, kind, false);
    }
    gl->GenVertexArrays(1, &s->vertex_array);
    unsigned char texels[16 * 16];
    for (int i = 0; i < 256; ++i)
        texels[i] = test_random_below(&r, 3) ? 255 : 0;
    gl->GenTextures(1, &s->holes);
    gl->ActiveTexture(GL_TEXTURE3);
    gl->BindTexture(GL_TEXTURE_2D, s->holes);
    gl->TexStorage2D(GL_TEXTURE_2D, 1, GL_R8, 16, 16);
    gl->TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 16, 16, GL_RED, GL_UNSIGNED_BYTE, texels);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    gl->ActiveTexture(GL_TEXTURE0);
}

static inline void show_close(show* s)
{
    for (int k = 0; k < 2; ++k)
        for (int kind = 0; kind < SHOW_KINDS; ++kind)
            s->gl->DeleteProgram(s->programs[k][kind]);
    s->gl->DeleteVertexArrays(1, &s->vertex_array);
    s->gl->DeleteTextures(1, &s->holes);
}

/// Draws all, or those of which `keep` says so. `alone`: picks alone. Leaves program and vertex array as they are then.
static inline void show_render(show* s, const tact_pick_view* view, float time, bool alone, const bool* keep)
{
    static const GLsizei counts[SHOW_KINDS] = {36, SHOW_GRID * SHOW_GRID * 6, SHOW_RINGS * SHOW_SIDES * 6, 6, 36, 6};
    const GladGLContext* gl = s->gl;
    gl->BindVertexArray(s->vertex_array);
    gl->PatchParameteri(GL_PATCH_VERTICES, 3);
    gl->ActiveTexture(GL_TEXTURE3);
    gl->BindTexture(GL_TEXTURE_2D, s->holes);
    gl->ActiveTexture(GL_TEXTURE0);
    for (uint32_t i = 0; i < s->draw_count; ++i) {
        const show_draw* d = &s->draws[i];
        if (keep && !keep[i]) continue;
        const GLuint p = s->programs[alone][d->kind];
        gl->ProgramUniformMatrix4fv(p, 0, 1, GL_FALSE, view->world_to_clip);
        gl->ProgramUniformMatrix4fv(p, 1, 1, GL_FALSE, d->world);
        gl->ProgramUniform1ui(p, 2, d->first);
        if (d->kind == SHOW_WAVES || d->kind == SHOW_TUBE || d->kind == SHOW_SWARM || d->kind == SHOW_PATCH) {
            gl->ProgramUniform1f(p, 3, time);
        }
        gl->ProgramUniform1ui(p, 4, d->object);
        gl->UseProgram(p);
        gl->DrawArraysInstanced(d->kind == SHOW_PATCH ? GL_PATCHES : GL_TRIANGLES, 0, counts[d->kind],
                                (GLsizei)d->instances);
    }
}

/// From a place on a sphere of radius 10 towards the middle. Near at 2, far at 30.
static inline tact_pick_view show_view(uint32_t width, uint32_t height, float angle, tact_clip_depth depth,
                                       bool reversed)
{
    tact_pick_view v = {
        .order = TACT_MATRIX_BY_COLUMNS, .depth = depth, .reversed = reversed, .width = width, .height = height};
    const double near_plane = 2, far_plane = 30, c = cos((double)angle), s = sin((double)angle), focal = 1.6;
    const double aspect = height ? (double)width / (double)height : 1;
    // Rows of world to eye: right, up, back.
    const double lift = 0.3, k = 1 / sqrt(1 + lift * lift);
    const double back[3] = {s * k, lift * k, c * k}, right[3] = {c, 0, -s};
    const double up[3] = {back[1] * right[2] - back[2] * right[1], back[2] * right[0] - back[0] * right[2],
                          back[0] * right[1] - back[1] * right[0]};
    double za, zb;  // clip z = za * eye z + zb, w = -eye z
    if (depth == TACT_CLIP_ZERO_TO_ONE) {
        za = reversed ? near_plane / (far_plane - near_plane) : -far_plane / (far_plane - near_plane);
        zb = reversed ? near_plane * far_plane / (far_plane - near_plane)
                      : -near_plane * far_plane / (far_plane - near_plane);
    } else {
        za = (reversed ? 1 : -1) * (far_plane + near_plane) / (far_plane - near_plane);
        zb = (reversed ? 1 : -1) * 2 * far_plane * near_plane / (far_plane - near_plane);
    }
    for (int i = 0; i < 4; ++i) {
        const double r = i < 3 ? right[i] : 0, u = i < 3 ? up[i] : 0, e = i < 3 ? back[i] : -10;
        v.world_to_clip[4 * i] = (float)(focal / aspect * r);
        v.world_to_clip[4 * i + 1] = (float)(focal * u);
        v.world_to_clip[4 * i + 2] = (float)(za * e + (i == 3 ? zb : 0));
        v.world_to_clip[4 * i + 3] = (float)-e;
    }
    return v;
}

static inline GLuint show_texture(const GladGLContext* gl, const show_target* t, GLenum format, GLenum attachment)
{
    const bool many = t->samples > 1;
    const GLenum kind = many ? GL_TEXTURE_2D_MULTISAMPLE : GL_TEXTURE_2D;
    GLuint name = 0;
    gl->GenTextures(1, &name);
    gl->BindTexture(kind, name);
    if (many) {
        gl->TexStorage2DMultisample(kind, (GLsizei)t->samples, format, (GLsizei)t->width, (GLsizei)t->height, GL_TRUE);
    } else {
        gl->TexStorage2D(kind, 1, format, (GLsizei)t->width, (GLsizei)t->height);
    }
    gl->FramebufferTexture(GL_FRAMEBUFFER, attachment, name, 0);
    gl->BindTexture(kind, 0);
    return name;
}

static inline show_target show_target_open(const GladGLContext* gl, uint32_t width, uint32_t height, uint32_t samples)
{
    static const GLenum outputs[5] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_NONE, GL_NONE,
                                      GL_COLOR_ATTACHMENT4};
    show_target t = {.width = width, .height = height, .samples = samples};
    gl->GenFramebuffers(1, &t.framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, t.framebuffer);
    t.colour = show_texture(gl, &t, GL_RGBA8, GL_COLOR_ATTACHMENT0);
    t.shade = show_texture(gl, &t, GL_SRGB8_ALPHA8, GL_COLOR_ATTACHMENT1);
    t.position = show_texture(gl, &t, GL_RGBA32F, GL_COLOR_ATTACHMENT4);
    t.depth = show_texture(gl, &t, GL_DEPTH_COMPONENT32F, GL_DEPTH_ATTACHMENT);
    gl->DrawBuffers(5, outputs);
    assert_int_equal(gl->CheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    return t;
}

static inline void show_target_close(const GladGLContext* gl, show_target* t)
{
    gl->DeleteFramebuffers(1, &t->framebuffer);
    gl->DeleteTextures(1, &t->colour);
    gl->DeleteTextures(1, &t->shade);
    gl->DeleteTextures(1, &t->position);
    gl->DeleteTextures(1, &t->depth);
}

/// What a caller's frame begins with: everything cleared, blending on, sRGB on, a scissored viewport at (x, y).
static inline void show_begin(const GladGLContext* gl, const show_target* t, const tact_pick_view* view, GLint x,
                              GLint y)
{
    static const GLfloat none[4] = {0, 0, 0, 0};
    const GLfloat farthest = view->reversed ? 0.0f : 1.0f;
    gl->BindFramebuffer(GL_FRAMEBUFFER, t->framebuffer);
    gl->Disable(GL_SCISSOR_TEST);
    gl->DepthMask(GL_TRUE);
    gl->ClearBufferfv(GL_COLOR, 0, none);
    gl->ClearBufferfv(GL_COLOR, 1, none);
    gl->ClearBufferfv(GL_COLOR, 4, none);
    gl->ClearBufferfv(GL_DEPTH, 0, &farthest);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(view->reversed ? GL_GREATER : GL_LESS);
    gl->Enable(GL_BLEND);
    gl->BlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    gl->Enable(GL_FRAMEBUFFER_SRGB);
    gl->Viewport(x, y, (GLsizei)view->width, (GLsizei)view->height);
    gl->Scissor(x, y, (GLsizei)view->width, (GLsizei)view->height);
    gl->Enable(GL_SCISSOR_TEST);
}

/// The numbers that the colours show, row after row from the top of the view; 0 is the background.
static inline void show_read(const GladGLContext* gl, const show_target* t, const tact_pick_view* view, GLint x,
                             GLint y, uint32_t* numbers, float (*positions)[4])
{
    const size_t width = view->width, height = view->height;
    uint32_t* rows = scratch_zeroed(width * height, 4);
    float* places = scratch_zeroed(width * height, 16);
    gl->BindFramebuffer(GL_READ_FRAMEBUFFER, t->framebuffer);
    gl->ReadBuffer(GL_COLOR_ATTACHMENT0);
    gl->ReadPixels(x, y, (GLsizei)width, (GLsizei)height, GL_RGBA, GL_UNSIGNED_BYTE, rows);
    gl->ReadBuffer(GL_COLOR_ATTACHMENT4);
    gl->ReadPixels(x, y, (GLsizei)width, (GLsizei)height, GL_RGBA, GL_FLOAT, places);
    for (size_t j = 0; j < height; ++j) {
        for (size_t i = 0; i < width; ++i) {
            numbers[j * width + i] = rows[(height - 1 - j) * width + i] & 0xffffffu;
            if (positions) memcpy(positions[j * width + i], &places[4 * ((height - 1 - j) * width + i)], 16);
        }
    }
}

#endif
