// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Picking in a renderer of the caller's: what is picked at each pixel is what its colour shows, whatever the shaders
/// did to the surface.

#include "tests/support/run.h"

#include "tests/support/caller.h"
#include "tests/support/pick_renderer.h"

#ifdef TACT_HAVE_GL

#include "gpu/pick/target_internal.h"
#include "tact/cull.h"
#include "tests/support/calls.h"

typedef struct lab {
    caller* c;
    show show;
    tact_pick_target* target;
    unsigned errors;
} lab;

static void GLAD_API_PTR count_errors(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
                                      const GLchar* message, const void* user)
{
    if (type != GL_DEBUG_TYPE_ERROR) return;
    ++((lab*)user)->errors;
    print_message("OpenGL: %s\n", message);
}

static lab* open_lab(void** state, const tact_pick_target_desc* desc)
{
    caller* c = caller_require(state);
    lab* l = calloc(1, sizeof *l);
    l->c = c;
    c->gl.Enable(GL_DEBUG_OUTPUT);
    c->gl.Enable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    c->gl.DebugMessageCallback(count_errors, l);
    show_open(&l->show, &c->gl, 9001);
    assert_int_equal(tact_pick_target_create(c->context, desc, &l->target), TACT_OK);
    // Where a real GPU would do it.
    tact_pick_target_gpu(l->target)->place = TACT_PICK_PLACE_DEVICE;
    return l;
}

static void close_lab(lab* l)
{
    const GladGLContext* gl = &l->c->gl;
    tact_pick_target_destroy(l->target);
    show_close(&l->show);
    assert_int_equal(l->errors, 0);
    assert_int_equal(gl->GetError(), GL_NO_ERROR);
    gl->DebugMessageCallback(NULL, NULL);
    free(l);
}

#define ok(l, call)                                                                                    \
    do {                                                                                               \
        const tact_result ok_ = (call);                                                                \
        if (ok_ != TACT_OK) {                                                                          \
            fail_msg("%s: %s: %s", #call, tact_result_name(ok_), tact_context_error((l)->c->context)); \
        }                                                                                              \
    } while (0)

// The clip control that a view needs; false where the context has none.
static bool set_clip(const GladGLContext* gl, const tact_pick_view* view)
{
    if (!gl->ARB_clip_control) return view->depth == TACT_CLIP_MINUS_ONE_TO_ONE;
    gl->ClipControl(GL_LOWER_LEFT, view->depth == TACT_CLIP_ZERO_TO_ONE ? GL_ZERO_TO_ONE : GL_NEGATIVE_ONE_TO_ONE);
    return true;
}

static tact_pick_region point_at(int32_t x, int32_t y)
{
    return (tact_pick_region){.shape = TACT_PICK_POINT, .x = x, .y = y};
}

// How far off a position may be: what the bits of depth are worth there, and the rounding of the shaders.
static double position_error(const tact_pick_view* view, const tact_pick* pick)
{
    const double near_plane = 2, far_plane = 30;
    const double nearness = view->reversed ? (double)pick->depth : 1 - (double)pick->depth;
    const double distance = near_plane * far_plane / (near_plane + nearness * (far_plane - near_plane));
    return distance * distance / near_plane * 0x1p-22 + distance * 0x1p-17;
}

static void check_pixel(lab* l, const tact_pick_view* view, int32_t x, int32_t y, uint32_t number, const float* place)
{
    tact_pick pick;
    size_t count = 0;
    const tact_pick_region region = point_at(view->left + x, view->top + y);
    ok(l, tact_pick_target_query(l->target, &region, TACT_PICK_BY_INSTANCE, &pick, 1, &count));
    assert_int_equal(count, number != 0);
    if (number == 0) return;
    const show_thing* thing = &l->show.things[number];
    if (pick.object != thing->object || pick.instance != thing->instance) {
        fail_msg("(%d, %d): picked %u %u, drawn %u %u", (int)x, (int)y, (unsigned)pick.object, (unsigned)pick.instance,
                 (unsigned)thing->object, (unsigned)thing->instance);
    }
    assert_int_equal(pick.pixels, 1);
    assert_int_equal(pick.x, view->left + x);
    assert_int_equal(pick.y, view->top + y);
    const double error = position_error(view, &pick);
    for (int k = 0; k < 3; ++k) {
        if (fabs((double)(pick.position[k] - place[k])) > error) {
            fail_msg("(%d, %d): %g is off by %g, allowed %g", (int)x, (int)y, (double)pick.position[k],
                     (double)(pick.position[k] - place[k]), error);
        }
    }
    const float* n = pick.normal;
    const float length = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    const bool known = thing->kind != SHOW_SWARM && thing->kind != SHOW_WAVES;
    assert_true(known ? fabsf(length - 1.0f) < 1e-5f : length == 0.0f);
    if (thing->kind == SHOW_PATCH) {
        assert_float_equal(pick.barycentric[0], 0.25f, 1e-4);
        assert_float_equal(pick.barycentric[1], 0.5f, 1e-4);
        assert_true(pick.primitive == 7 || pick.primitive >= 7);
    } else {
        assert_true(pick.barycentric[0] == 0.0f && pick.barycentric[1] == 0.0f && pick.barycentric[2] == 0.0f);
    }
}

static void check_frame(lab* l, const tact_pick_view* view, const uint32_t* numbers)
{
    static tact_pick picks[SHOW_NUMBERS_MAX];
    static uint32_t pixels[SHOW_NUMBERS_MAX];
    size_t count = 0, shown = 0;
    const tact_pick_region frame = {.shape = TACT_PICK_FRAME};
    ok(l, tact_pick_target_query(l->target, &frame, TACT_PICK_BY_INSTANCE, picks, SHOW_NUMBERS_MAX, &count));
    memset(pixels, 0, sizeof pixels);
    for (size_t i = 0; i < (size_t)view->width * view->height; ++i)
        ++pixels[numbers[i]];
    for (uint32_t n = 1; n < l->show.number_count; ++n) {
        shown += pixels[n] > 0;
        size_t i = 0;
        while (i < count &&
               (picks[i].object != l->show.things[n].object || picks[i].instance != l->show.things[n].instance)) {
            ++i;
        }
        assert_int_equal(i < count ? picks[i].pixels : 0, pixels[n]);
    }
    assert_int_equal(shown, count);
    assert_true(shown > 100);
}

// In the normal pass: a scissored viewport in the middle of a larger target.
static void check_normal_pass(lab* l, const tact_pick_view* view, uint64_t revision)
{
    const GladGLContext* gl = &l->c->gl;
    enum { X = 21, Y = 13 };
    uint32_t* numbers = scratch_zeroed((size_t)view->width * view->height, 4);
    float(*places)[4] = calloc((size_t)view->width * view->height, 16);
    show_target t = show_target_open(gl, view->width + 40, view->height + 30, 1);
    if (!set_clip(gl, view)) return;
    ok(l, tact_pick_target_resize(l->target, t.width, t.height, 1));
    ok(l, tact_pick_target_attach(l->target, 2));
    show_begin(gl, &t, view, X, Y);
    ok(l, tact_pick_target_clear(l->target));
    show_render(&l->show, view, 0.7f, false, NULL);
    ok(l, tact_pick_target_drawn(l->target, view, X, Y, revision));
    show_read(gl, &t, view, X, Y, numbers, places);
    for (uint32_t y = 0; y < view->height; ++y) {
        for (uint32_t x = 0; x < view->width; ++x) {
            const size_t at = (size_t)y * view->width + x;
            check_pixel(l, view, (int32_t)x, (int32_t)y, numbers[at], places[at]);
        }
    }
    check_frame(l, view, numbers);
    gl->BindFramebuffer(GL_FRAMEBUFFER, t.framebuffer);
    ok(l, tact_pick_target_detach(l->target));
    show_target_close(gl, &t);
    free(places);
}

TEST_AS(ON_GL, test_every_pixel)
{
    lab* l = open_lab(state, NULL);
    tact_pick_view view = show_view(120, 90, 0.3f, TACT_CLIP_MINUS_ONE_TO_ONE, false);
    check_normal_pass(l, &view, 1);
    view = show_view(97, 61, 1.9f, TACT_CLIP_ZERO_TO_ONE, true);
    view.left = -5;
    view.top = 1000;
    check_normal_pass(l, &view, 2);
    close_lab(l);
}

// A pass of its own shows the same as the normal one, and so does one call more in it.
TEST_AS(ON_GL, test_own_pass)
{
    const tact_pick_target_desc desc = {.width = 150, .height = 110};
    lab* l = open_lab(state, &desc);
    const GladGLContext* gl = &l->c->gl;
    const tact_pick_view views[3] = {show_view(150, 110, 0.5f, TACT_CLIP_MINUS_ONE_TO_ONE, false),
                                     show_view(90, 70, 2.5f, TACT_CLIP_ZERO_TO_ONE, true),
                                     show_view(90, 70, 4.0f, TACT_CLIP_MINUS_ONE_TO_ONE, true)};
    for (uint64_t i = 0; i < 3; ++i) {
        const tact_pick_view* v = &views[i];
        uint32_t* numbers = scratch_zeroed((size_t)v->width * v->height, 4);
        float(*places)[4] = calloc((size_t)v->width * v->height, 16);
        if (!set_clip(gl, v)) continue;
        show_target t = show_target_open(gl, v->width, v->height, 1);
        show_begin(gl, &t, v, 0, 0);
        show_render(&l->show, v, 0.2f, false, NULL);
        assert_false(tact_pick_target_current(l->target, v, i));
        gl->Enable(GL_RASTERIZER_DISCARD);  // begin puts it aside
        ok(l, tact_pick_target_begin(l->target, v, i));
        assert_false(tact_pick_target_current(l->target, v, i));
        show_render(&l->show, v, 0.2f, true, NULL);
        ok(l, tact_pick_target_end(l->target));
        assert_true(gl->IsEnabled(GL_RASTERIZER_DISCARD));
        gl->Disable(GL_RASTERIZER_DISCARD);
        assert_true(tact_pick_target_current(l->target, v, i));
        assert_false(tact_pick_target_current(l->target, v, i + 1));
        show_read(gl, &t, v, 0, 0, numbers, places);
        for (uint32_t y = 0; y < v->height; y += 3) {
            for (uint32_t x = 0; x < v->width; ++x) {
                const size_t at = (size_t)y * v->width + x;
                check_pixel(l, v, (int32_t)x, (int32_t)y, numbers[at], places[at]);
            }
        }
        check_frame(l, v, numbers);
        show_target_close(gl, &t);
        free(places);
    }
    close_lab(l);
}

// Which draws have anything in a window, by the spheres around them.
static size_t cull_draws(lab* l, tact_culler* culler, const tact_pick_view* window, bool* keep)
{
    static tact_sphere spheres[SHOW_DRAWS_MAX];
    static uint32_t ids[SHOW_DRAWS_MAX];
    tact_plane planes[TACT_FRUSTUM_PLANES];
    const uint32_t n = l->show.draw_count;
    size_t kept = 0;
    for (uint32_t i = 0; i < n; ++i) {
        const show_draw* d = &l->show.draws[i];
        spheres[i] = (tact_sphere){{d->world[12], d->world[13], d->world[14]}, d->size};
    }
    tact_cull_work work = {.kind = TACT_CULL_SPHERES, .count = n, .volumes = spheres, .planes = planes};
    work.plane_count = tact_pick_planes(window, planes);
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    ok(l, call_cull_volumes(culler, &work, ids, SHOW_DRAWS_MAX, &kept, NULL, &options, NULL));
    memset(keep, 0, n * sizeof *keep);
    for (size_t i = 0; i < kept; ++i)
        keep[ids[i]] = true;
    return kept;
}

static bool on_edge(const uint32_t* numbers, const tact_pick_view* view, int32_t x, int32_t y)
{
    for (int32_t j = y - 1; j <= y + 1; ++j) {
        for (int32_t i = x - 1; i <= x + 1; ++i) {
            if (i < 0 || j < 0 || i >= (int32_t)view->width || j >= (int32_t)view->height) return true;
            if (numbers[j * (int32_t)view->width + i] != numbers[y * (int32_t)view->width + x]) return true;
        }
    }
    return false;
}

// Three pixels by three, drawn from what is left after culling: the object of the whole view but at edges.
TEST_AS(ON_GL, test_tiny_window)
{
    enum { CURSORS = 2500, WIDTH = 400, HEIGHT = 300 };
    const tact_pick_target_desc desc = {.width = 3, .height = 3};
    lab* l = open_lab(state, &desc);
    const GladGLContext* gl = &l->c->gl;
    const tact_pick_view view = show_view(WIDTH, HEIGHT, 0.9f, TACT_CLIP_MINUS_ONE_TO_ONE, false);
    uint32_t* numbers = scratch_zeroed((size_t)WIDTH * HEIGHT, 4);
    show_target t = show_target_open(gl, WIDTH, HEIGHT, 1);
    show_begin(gl, &t, &view, 0, 0);
    show_render(&l->show, &view, 0.0f, false, NULL);
    show_read(gl, &t, &view, 0, 0, numbers, NULL);
    gl->Disable(GL_SCISSOR_TEST);
    tact_culler* culler = NULL;
    ok(l, tact_culler_create(l->c->context, &culler));
    test_random r = test_random_seeded(9002);
    size_t edges = 0, others = 0, seen = 0, drawn = 0;
    for (int i = 0; i < CURSORS; ++i) {
        bool keep[SHOW_DRAWS_MAX];
        tact_pick pick = {0};
        tact_pick_view window;
        size_t count = 0;
        const int32_t x = (int32_t)test_random_below(&r, WIDTH), y = (int32_t)test_random_below(&r, HEIGHT);
        assert_true(tact_pick_window(&view, x, y, 3, &window));
        drawn += cull_draws(l, culler, &window, keep);
        ok(l, tact_pick_target_begin(l->target, &window, 0));
        show_render(&l->show, &window, 0.0f, true, keep);
        ok(l, tact_pick_target_end(l->target));
        const tact_pick_region region = point_at(x, y);
        ok(l, tact_pick_target_query(l->target, &region, TACT_PICK_BY_INSTANCE, &pick, 1, &count));
        const uint32_t number = numbers[y * WIDTH + x];
        const show_thing* thing = &l->show.things[number];
        seen += number != 0;
        const bool same =
            number ? count == 1 && pick.object == thing->object && pick.instance == thing->instance : count == 0;
        if (same) continue;
        if (on_edge(numbers, &view, x, y)) {
            ++edges;
        } else {
            ++others;
        }
    }
    print_message("%d cursors, %zu on an object, %.1f draws of %u each; other: %zu at edges, %zu elsewhere\n", CURSORS,
                  seen, (double)drawn / CURSORS, (unsigned)l->show.draw_count, edges, others);
    assert_int_equal(others, 0);
    assert_true(edges < CURSORS / 100);
    assert_true(seen > CURSORS / 4);
    assert_true(drawn < CURSORS * 60);
    tact_culler_destroy(culler);
    show_target_close(gl, &t);
    close_lab(l);
}

static const char samples_text[] =
    "#version 430 core\n"
    "layout(local_size_x = 1) in;\n"
    "layout(binding = 0) uniform sampler2DMS colour;\n"
    "layout(binding = 1) uniform usampler2DMS surface;\n"
    "layout(std430, binding = 0) buffer To { uvec2 to[]; };\n"
    "layout(location = 0) uniform uvec2 size;\n"
    "void main() {\n"
    "    uvec2 at = gl_WorkGroupID.xy;\n"
    "    for (int i = 0; i < 4; ++i) {\n"
    "        uvec4 c = uvec4(texelFetch(colour, ivec2(at), i) * 255.0 + 0.5);\n"
    "        uint depth = texelFetch(surface, ivec2(at), i).x;\n"
    "        to[((size.y - 1u - at.y) * size.x + at.x) * 4u + uint(i)] = uvec2(c.x | c.y << 8 | c.z << 16, depth);\n"
    "    }\n"
    "}\n";

/// Number and bits of depth.
typedef struct sample {
    uint32_t number, depth;
} sample;

static void read_samples(lab* l, const show_target* t, sample (*samples)[4])
{
    const GladGLContext* gl = &l->c->gl;
    const char* text = samples_text;
    const GLsizeiptr bytes = (GLsizeiptr)t->width * t->height * (GLsizeiptr)sizeof *samples;
    GLuint buffer = 0, textures[2];
    const GLuint program = gl->CreateShaderProgramv(GL_COMPUTE_SHADER, 1, &text);
    tact_pick_target_textures(l->target, textures);
    gl->GenBuffers(1, &buffer);
    gl->BindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
    gl->BufferData(GL_SHADER_STORAGE_BUFFER, bytes, NULL, GL_STREAM_READ);
    for (GLuint i = 0; i < 2; ++i) {
        gl->ActiveTexture(GL_TEXTURE0 + i);
        gl->BindTexture(GL_TEXTURE_2D_MULTISAMPLE, i ? textures[1] : t->colour);
    }
    gl->ProgramUniform2ui(program, 0, t->width, t->height);
    gl->UseProgram(program);
    gl->DispatchCompute(t->width, t->height, 1);
    gl->MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    gl->GetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, bytes, samples);
    gl->UseProgram(0);
    for (GLuint i = 0; i < 2; ++i) {
        gl->ActiveTexture(GL_TEXTURE1 - i);
        gl->BindTexture(GL_TEXTURE_2D_MULTISAMPLE, 0);
    }
    gl->DeleteProgram(program);
    gl->DeleteBuffers(1, &buffer);
}

// The nearest sample is picked, the lowest of those at one depth: an object that the colours of the pixel have.
static void check_sample(lab* l, const tact_pick_view* view, uint32_t x, uint32_t y, const sample samples[4],
                         size_t* mixed)
{
    tact_pick pick = {0};
    size_t count = 0;
    const sample* nearest = NULL;
    const tact_pick_region region = point_at((int32_t)x, (int32_t)y);
    ok(l, tact_pick_target_query(l->target, &region, TACT_PICK_BY_INSTANCE, &pick, 1, &count));
    for (int i = 0; i < 4; ++i) {
        const sample* s = &samples[i];
        assert_int_equal(s->number == 0, s->depth == 0xffffffffu);
        *mixed += i > 0 && s->number != samples[0].number;
        if (s->number == 0) continue;
        if (!nearest || (view->reversed ? s->depth > nearest->depth : s->depth < nearest->depth)) nearest = s;
    }
    assert_int_equal(count, nearest != NULL);
    if (!nearest) return;
    const show_thing* thing = &l->show.things[nearest->number];
    assert_true(pick.object == thing->object && pick.instance == thing->instance);
    assert_memory_equal(&pick.depth, &nearest->depth, 4);
}

// Of a multisampled target: what is picked is among what the pixel shows; and a region large enough for the device
// gives the same as its pixels one by one.
TEST_AS(ON_GL, test_multisampled)
{
    enum { WIDTH = 110, HEIGHT = 80 };
    lab* l = open_lab(state, NULL);
    const GladGLContext* gl = &l->c->gl;
    const tact_result made = tact_pick_target_resize(l->target, WIDTH, HEIGHT, 4);
    if (made == TACT_ERROR_UNSUPPORTED) {
        close_lab(l);
        skip_because("the device draws no pixels with 4 samples");
    }
    ok(l, made);
    sample(*samples)[4] = calloc((size_t)WIDTH * HEIGHT, sizeof *samples);
    for (int reversed = 0; reversed < 2; ++reversed) {
        size_t mixed = 0;
        const tact_pick_view view = show_view(WIDTH, HEIGHT, 0.4f, TACT_CLIP_MINUS_ONE_TO_ONE, reversed);
        show_target t = show_target_open(gl, WIDTH, HEIGHT, 4);
        ok(l, tact_pick_target_attach(l->target, 2));
        show_begin(gl, &t, &view, 0, 0);
        ok(l, tact_pick_target_clear(l->target));
        show_render(&l->show, &view, 0.4f, false, NULL);
        ok(l, tact_pick_target_drawn(l->target, &view, 0, 0, 5));
        read_samples(l, &t, samples);
        for (uint32_t y = 0; y < HEIGHT; ++y)
            for (uint32_t x = 0; x < WIDTH; ++x)
                check_sample(l, &view, x, y, samples[y * WIDTH + x], &mixed);
        assert_true(mixed > 100);
        static tact_pick whole[SHOW_NUMBERS_MAX], part[SHOW_NUMBERS_MAX];
        size_t count = 0, parts = 0, pixels = 0, part_pixels = 0;
        const tact_pick_region frame = {.shape = TACT_PICK_FRAME};
        ok(l, tact_pick_target_query(l->target, &frame, TACT_PICK_BY_INSTANCE, whole, SHOW_NUMBERS_MAX, &count));
        for (size_t i = 0; i < count; ++i)
            pixels += whole[i].pixels;
        for (int32_t y = 0; y < HEIGHT; y += 20) {
            const tact_pick_region band = {.shape = TACT_PICK_RECTANGLE, .rectangle = {0, y, WIDTH, y + 20}};
            ok(l, tact_pick_target_query(l->target, &band, TACT_PICK_BY_INSTANCE, part, SHOW_NUMBERS_MAX, &parts));
            for (size_t i = 0; i < parts; ++i)
                part_pixels += part[i].pixels;
        }
        assert_int_equal(pixels, part_pixels);
        assert_true(pixels > 1000);
        show_target_close(gl, &t);
    }
    // A pass of its own has one sample.
    const tact_pick_view view = show_view(WIDTH, HEIGHT, 0.4f, TACT_CLIP_MINUS_ONE_TO_ONE, false);
    assert_int_equal(tact_pick_target_begin(l->target, &view, 0), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pick_target_resize(l->target, WIDTH, HEIGHT, 4096), TACT_ERROR_UNSUPPORTED);
    free(samples);
    close_lab(l);
}

// Requests on their way while frames go on: each answer is that of its own frame.
TEST_AS(ON_GL, test_frames)
{
    enum { FRAMES = 40, WIDTH = 96, HEIGHT = 72, DELAY = 2 };
    const tact_pick_target_desc desc = {.width = WIDTH, .height = HEIGHT};
    lab* l = open_lab(state, &desc);
    const GladGLContext* gl = &l->c->gl;
    static tact_pick picks[FRAMES][SHOW_NUMBERS_MAX], now[SHOW_NUMBERS_MAX];
    static size_t counts[FRAMES];
    tact_pick_ticket tickets[FRAMES];
    show_target t = show_target_open(gl, WIDTH, HEIGHT, 1);
    for (int i = 0; i < FRAMES; ++i) {
        const tact_pick_view view = show_view(WIDTH, HEIGHT, 0.1f * (float)i, TACT_CLIP_MINUS_ONE_TO_ONE, false);
        const tact_pick_region region =
            i % 2 ? (tact_pick_region){.shape = TACT_PICK_FRAME}
                  : (tact_pick_region){.shape = TACT_PICK_RECTANGLE, .rectangle = {40, 20, 70, 60}};
        gl->BindFramebuffer(GL_FRAMEBUFFER, t.framebuffer);
        ok(l, tact_pick_target_attach(l->target, 2));
        show_begin(gl, &t, &view, 0, 0);
        ok(l, tact_pick_target_clear(l->target));
        show_render(&l->show, &view, 0.1f * (float)i, false, NULL);
        ok(l, tact_pick_target_drawn(l->target, &view, 0, 0, 1000 + (uint64_t)i));
        ok(l,
           tact_pick_target_query(l->target, &region, TACT_PICK_BY_PRIMITIVE, picks[i], SHOW_NUMBERS_MAX, &counts[i]));
        assert_true(counts[i] > 20 && counts[i] <= SHOW_NUMBERS_MAX);
        ok(l, tact_pick_target_submit(l->target, &region, TACT_PICK_BY_PRIMITIVE, &tickets[i]));
        gl->BindFramebuffer(GL_FRAMEBUFFER, t.framebuffer);
        ok(l, tact_pick_target_detach(l->target));
        if (i < DELAY) continue;
        // Of two frames ago.
        bool done = false;
        uint64_t revision = 0;
        size_t count = 0;
        for (int spin = 0; !done && spin < 100000; ++spin)
            ok(l, tact_pick_target_poll(l->target, tickets[i - DELAY], &done));
        assert_true(done);
        ok(l, tact_pick_target_wait(l->target, tickets[i - DELAY], now, SHOW_NUMBERS_MAX, &count, &revision));
        assert_int_equal(revision, 1000 + i - DELAY);
        assert_int_equal(count, counts[i - DELAY]);
        assert_memory_equal(now, picks[i - DELAY], count * sizeof *now);
    }
    show_target_close(gl, &t);
    close_lab(l);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)

#else

int main(void)
{
    return run_nothing("built without OpenGL");
}

#endif
