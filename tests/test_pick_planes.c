// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// What shaders leave in a pick target's planes, and whether all of it is found: codes, samples, small buffers.

#include "tests/support/run.h"

#include "tests/support/caller.h"
#include "tests/support/objects.h"
#include "tests/support/pick_renderer.h"

#ifdef TACT_HAVE_GL

#include "cpu_ref/pick/code.h"

static const tact_pick_region frame = {.shape = TACT_PICK_FRAME};

static tact_pick_view view_of(uint32_t width, uint32_t height)
{
    return show_view(width, height, 0.0f, TACT_CLIP_MINUS_ONE_TO_ONE, false);
}

// A program that covers the framebuffer, whose fragments do as `body` says.
static GLuint covering(const GladGLContext* gl, const char* body)
{
    static char picks[16384];
    static const char vertex[] =
        "#version 430 core\n"
        "void main() {\n"
        "    gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0);\n"
        "}\n";
    const GLuint program = gl->CreateProgram();
    GLint linked = 0;
    (void)tact_pick_target_glsl(0, picks, sizeof picks);
    show_shader(gl, program, GL_VERTEX_SHADER, "", "", vertex);
    show_shader(gl, program, GL_FRAGMENT_SHADER, "#version 430 core\n", picks, body);
    gl->LinkProgram(program);
    gl->GetProgramiv(program, GL_LINK_STATUS, &linked);
    assert_true(linked);
    return program;
}

static void cover(const GladGLContext* gl, GLuint program)
{
    GLuint vertices = 0;
    gl->GenVertexArrays(1, &vertices);
    gl->BindVertexArray(vertices);
    gl->UseProgram(program);
    gl->DrawArrays(GL_TRIANGLES, 0, 3);
    gl->UseProgram(0);
    gl->BindVertexArray(0);
    gl->DeleteVertexArrays(1, &vertices);
}

enum { CODES = 128 };  // a square of them

static void read_plane(const GladGLContext* gl, GLuint texture, GLenum format, void* to)
{
    gl->BindTexture(GL_TEXTURE_2D, texture);
    gl->GetTexImage(GL_TEXTURE_2D, 0, format, GL_UNSIGNED_INT, to);
    gl->BindTexture(GL_TEXTURE_2D, 0);
}

static float code_number(test_random* r, float base)
{
    static const float special[12] = {0.0f,     -0.0f,    1.0f, -1.0f,    0.5f,    1e-38f,
                                      1.2e-38f, 3.4e+38f, NAN,  INFINITY, -1e-45f, -INFINITY};
    const uint32_t kind = test_random_below(r, 24);
    if (kind < 12) return base * 0.0f + special[kind];
    if (kind < 14) return ldexpf(test_random_signed(r), (int)test_random_below(r, 250) - 125);
    if (kind < 16) return base;
    return test_random_signed(r);
}

// What shaders write is what cpu_ref/pick/code.h computes, bit for bit.
TEST_AS(ON_GL, test_codes)
{
    caller* c = caller_require(state);
    const GladGLContext* gl = &c->gl;
    const tact_pick_target_desc desc = {.width = CODES, .height = CODES};
    tact_pick_target* t = KEEP(new_pick_target(c->context, &desc));
    const tact_pick_view view = view_of(CODES, CODES);
    static float given[2][CODES * CODES][4];
    static uint32_t ids[CODES * CODES][4], surfaces[CODES * CODES][2];
    GLuint buffers[2];
    uint32_t textures[2];
    size_t known = 0;
    const GLuint program = covering(gl,
                                    "layout(std430, binding = 2) readonly buffer N { vec4 normals[]; };\n"
                                    "layout(std430, binding = 3) readonly buffer B { vec4 shares[]; };\n"
                                    "void main() {\n"
                                    "    uint n = uint(gl_FragCoord.y) * 128u + uint(gl_FragCoord.x);\n"
                                    "    tact_pick(n, ~n, 7u, normals[n].xyz, shares[n].xyz);\n"
                                    "}\n");
    test_random r = test_random_seeded(9010);
    tact_pick_target_textures(t, textures);
    gl->GenBuffers(2, buffers);
    for (int round = 0; round < 4; ++round) {
        for (size_t i = 0; i < CODES * CODES; ++i) {
            const float base = test_random_signed(&r);
            for (int k = 0; k < 3; ++k) {
                const bool tame = round % 2 == 0;
                given[0][i][k] = tame ? test_random_signed(&r) : code_number(&r, base);
                given[1][i][k] = tame ? test_random_unit(&r) : code_number(&r, base);
            }
        }
        for (GLuint k = 0; k < 2; ++k) {
            gl->BindBufferBase(GL_SHADER_STORAGE_BUFFER, 2 + k, buffers[k]);
            gl->BufferData(GL_SHADER_STORAGE_BUFFER, sizeof given[k], given[k], GL_STREAM_DRAW);
        }
        assert_int_equal(tact_pick_target_begin(t, &view, 0), TACT_OK);
        cover(gl, program);
        assert_int_equal(tact_pick_target_end(t), TACT_OK);
        read_plane(gl, textures[0], GL_RGBA_INTEGER, ids);
        read_plane(gl, textures[1], GL_RG_INTEGER, surfaces);
        for (size_t i = 0; i < CODES * CODES; ++i) {
            const float *n = given[0][i], *b = given[1][i];
            const uint32_t normal = tact_pick_encode_normal(n[0], n[1], n[2]);
            const uint32_t shares = tact_pick_encode_barycentric(b[0], b[1], b[2]);
            assert_int_equal(ids[i][0], i);
            if (normal != ids[i][3] || shares != surfaces[i][1]) {
                fail_msg("(%a %a %a): 0x%08x, shaders 0x%08x; (%a %a %a): 0x%08x, shaders 0x%08x", (double)n[0],
                         (double)n[1], (double)n[2], (unsigned)normal, (unsigned)ids[i][3], (double)b[0], (double)b[1],
                         (double)b[2], (unsigned)shares, (unsigned)surfaces[i][1]);
            }
            known += normal != TACT_PICK_NO_NORMAL && shares != TACT_PICK_NOTHING;
        }
    }
    assert_true(known > 2 * CODES * CODES);
    gl->DeleteBuffers(2, buffers);
    gl->DeleteProgram(program);
}

// The planes in a framebuffer of their own, without depth.
static GLuint attach_alone(const GladGLContext* gl, tact_pick_target* t)
{
    static const GLenum outputs[2] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
    uint32_t textures[2];
    GLuint framebuffer = 0;
    tact_pick_target_textures(t, textures);
    gl->GenFramebuffers(1, &framebuffer);
    gl->BindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    for (GLenum i = 0; i < 2; ++i)
        gl->FramebufferTexture(GL_FRAMEBUFFER, outputs[i], textures[i], 0);
    gl->DrawBuffers(2, outputs);
    return framebuffer;
}

// Each sample that the device has counts, also where it has more than were asked for. A sampler of the caller's, with
// which whole numbers could not be read, stays out of it.
TEST_AS(ON_GL, test_last_sample)
{
    caller* c = caller_require(state);
    const GladGLContext* gl = &c->gl;
    const tact_pick_view view = view_of(8, 8);
    GLuint sampler = 0;
    gl->GenSamplers(1, &sampler);
    gl->SamplerParameteri(sampler, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    gl->BindSampler(0, sampler);
    gl->BindSampler(1, sampler);
    for (uint32_t samples = 2; samples <= 4; ++samples) {
        const tact_pick_target_desc desc = {.width = 8, .height = 8, .samples = samples};
        tact_pick_target* t = NULL;
        GLint stored = 0;
        size_t count = 0;
        tact_pick pick;
        const tact_result made = tact_pick_target_create(c->context, &desc, &t);
        if (made == TACT_ERROR_UNSUPPORTED) break;
        assert_int_equal(made, TACT_OK);
        const GLuint framebuffer = attach_alone(gl, t);
        const GLuint program = covering(gl, "void main() { tact_pick(5u); }\n");
        gl->GetIntegerv(GL_SAMPLES, &stored);
        assert_true(stored >= (GLint)samples);
        gl->Viewport(0, 0, 8, 8);
        gl->Enable(GL_SAMPLE_MASK);
        gl->SampleMaski(0, 1u << (stored - 1));
        cover(gl, program);
        gl->Disable(GL_SAMPLE_MASK);
        gl->SampleMaski(0, ~0u);
        assert_int_equal(tact_pick_target_drawn(t, &view, 0, 0, 1), TACT_OK);
        assert_int_equal(tact_pick_target_query(t, &frame, TACT_PICK_BY_OBJECT, &pick, 1, &count), TACT_OK);
        assert_true(count == 1 && pick.object == 5 && pick.pixels == 64);
        GLint bound = 0;
        for (GLenum unit = 0; unit < 2; ++unit) {
            gl->ActiveTexture(GL_TEXTURE1 - unit);
            gl->GetIntegerv(GL_SAMPLER_BINDING, &bound);
            assert_int_equal(bound, sampler);
        }
        gl->GetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
        assert_int_equal(bound, framebuffer);
        gl->DeleteProgram(program);
        gl->DeleteFramebuffers(1, &framebuffer);
        tact_pick_target_destroy(t);
    }
    gl->DeleteSamplers(1, &sampler);
}

// A device whose buffers hold less than the frame: the same picks, one sample or more, or LIMIT.
TEST_AS(ON_GL, test_small_buffers)
{
    enum { SIDE = 120 };
    caller* c = caller_require(state);
    const GladGLContext* gl = &c->gl;
    tact_device* device = c->context->devices[tact_context_find(c->context, TACT_BACKEND_GL)];
    const uint64_t real = device->info.max_buffer_bytes;
    const tact_pick_view view = view_of(SIDE, SIDE);
    static tact_pick wanted[SIDE * SIDE], got[SIDE * SIDE];
    const GLuint program =
        covering(gl, "void main() { tact_pick(uint(gl_FragCoord.y), uint(gl_FragCoord.x) / 3u, 1u); }\n");
    for (uint32_t samples = 1; samples <= 4; samples += 3) {
        const tact_pick_target_desc desc = {.width = SIDE, .height = SIDE, .samples = samples};
        tact_pick_target* t = NULL;
        size_t count = 0, again = 0;
        const tact_result made = tact_pick_target_create(c->context, &desc, &t);
        if (made == TACT_ERROR_UNSUPPORTED) break;
        assert_int_equal(made, TACT_OK);
        const GLuint framebuffer = attach_alone(gl, t);
        gl->Viewport(0, 0, SIDE, SIDE);
        cover(gl, program);
        assert_int_equal(tact_pick_target_drawn(t, &view, 0, 0, 1), TACT_OK);
        assert_int_equal(tact_pick_target_query(t, &frame, TACT_PICK_BY_INSTANCE, wanted, SIDE * SIDE, &count),
                         TACT_OK);
        assert_int_equal(count, SIDE * SIDE / 3);
        for (uint64_t rows = 32; rows < 128; rows += 29) {
            device->info.max_buffer_bytes = rows * SIDE * sizeof(tact_pick_ids);
            assert_int_equal(tact_pick_target_query(t, &frame, TACT_PICK_BY_INSTANCE, got, SIDE * SIDE, &again),
                             TACT_OK);
            assert_int_equal(again, count);
            assert_memory_equal(got, wanted, count * sizeof *got);
        }
        device->info.max_buffer_bytes = 8;
        assert_int_equal(tact_pick_target_query(t, &frame, TACT_PICK_BY_INSTANCE, got, SIDE * SIDE, &again),
                         samples == 1 ? TACT_OK : TACT_ERROR_LIMIT);
        assert_int_equal(again, samples == 1 ? count : 0);
        device->info.max_buffer_bytes = real;
        gl->DeleteFramebuffers(1, &framebuffer);
        tact_pick_target_destroy(t);
    }
    gl->DeleteProgram(program);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)

#else

int main(void)
{
    return run_nothing("built without OpenGL");
}

#endif
