// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// Pick targets by themselves: planes filled by hand, requests in every order, calls in the wrong one, what the
/// caller's context has, and the text for the caller's shaders.

#include "tests/support/run.h"

#include "tests/support/gl_state.h"
#include "tests/support/objects.h"
#include "tests/support/pick_renderer.h"

#ifdef TACT_HAVE_GL

#include "gpu/pick/target_internal.h"
#include "tact/scene.h"

enum { PICKS = 8192 };

static tact_pick_view view_of(uint32_t width, uint32_t height)
{
    return show_view(width, height, 0.0f, TACT_CLIP_MINUS_ONE_TO_ONE, false);
}

static tact_pick_region rectangle(int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
    return (tact_pick_region){.shape = TACT_PICK_RECTANGLE, .rectangle = {x0, y0, x1, y1}};
}

static const tact_pick_region frame = {.shape = TACT_PICK_FRAME};

// A pixel of the planes, from the lower left.
static void put(const GladGLContext* gl, tact_pick_target* t, GLint x, GLint y, uint32_t object, float depth)
{
    uint32_t textures[2];
    GLuint ids[4] = {object, 0, 0, TACT_PICK_NO_NORMAL}, surface[2] = {0, TACT_PICK_NOTHING};
    memcpy(&surface[0], &depth, 4);
    tact_pick_target_textures(t, textures);
    gl->BindTexture(GL_TEXTURE_2D, textures[0]);
    gl->TexSubImage2D(GL_TEXTURE_2D, 0, x, y, 1, 1, GL_RGBA_INTEGER, GL_UNSIGNED_INT, ids);
    gl->BindTexture(GL_TEXTURE_2D, textures[1]);
    gl->TexSubImage2D(GL_TEXTURE_2D, 0, x, y, 1, 1, GL_RG_INTEGER, GL_UNSIGNED_INT, surface);
    gl->BindTexture(GL_TEXTURE_2D, 0);
}

static tact_pick_target* make(caller* c, uint32_t width, uint32_t height, uint32_t ring)
{
    const tact_pick_target_desc desc = {.width = width, .height = height, .ring = ring};
    return new_pick_target(c->context, &desc);
}

TEST_AS(ON_GL, test_tickets)
{
    caller* c = caller_require(state);
    tact_pick_target* t = KEEP(make(c, 16, 8, 3));
    const tact_pick_view view = view_of(16, 8);
    tact_pick_ticket ticket[4] = {9, 9, 9, 9};
    tact_pick picks[4];
    size_t count = 9;
    uint64_t revision = 0;
    bool done = true;
    assert_int_equal(tact_pick_target_submit(t, &frame, TACT_PICK_BY_OBJECT, &ticket[0]), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(ticket[0], 0);
    put(&c->gl, t, 3, 7, 0xffffffffu, 0.25f);
    put(&c->gl, t, 4, 7, 0, 0.5f);
    put(&c->gl, t, 5, 0, 77, 0.75f);
    assert_int_equal(tact_pick_target_drawn(t, &view, 0, 0, 42), TACT_OK);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(tact_pick_target_submit(t, &frame, TACT_PICK_BY_OBJECT, &ticket[i]), TACT_OK);
    assert_int_equal(tact_pick_target_submit(t, &frame, TACT_PICK_BY_OBJECT, &ticket[3]), TACT_ERROR_LIMIT);
    assert_int_equal(ticket[3], 0);
    // In another order than they were made in; what is used up is unknown, also when its place is taken again.
    assert_int_equal(tact_pick_target_wait(t, ticket[2], picks, 4, &count, &revision), TACT_OK);
    assert_int_equal(count, 3);
    assert_int_equal(revision, 42);
    assert_int_equal(picks[0].object, 0xffffffffu);
    assert_true(picks[0].x == 3 && picks[0].y == 0 && picks[0].depth == 0.25f);
    assert_int_equal(picks[1].object, 0);
    assert_int_equal(picks[2].object, 77);
    assert_int_equal(picks[2].y, 7);
    assert_int_equal(tact_pick_target_submit(t, &frame, TACT_PICK_BY_OBJECT, &ticket[3]), TACT_OK);
    assert_true(ticket[3] != ticket[2] && ticket[3] != 0);
    assert_int_equal(tact_pick_target_poll(t, ticket[2], &done), TACT_ERROR_INVALID_ARGUMENT);
    assert_false(done);
    assert_int_equal(tact_pick_target_wait(t, ticket[2], picks, 4, &count, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(count, 0);
    // No room: asked again.
    assert_int_equal(tact_pick_target_wait(t, ticket[0], picks, 2, &count, NULL), TACT_INCOMPLETE);
    assert_int_equal(count, 3);
    assert_int_equal(tact_pick_target_wait(t, ticket[0], NULL, 0, &count, NULL), TACT_INCOMPLETE);
    assert_int_equal(tact_pick_target_poll(t, ticket[0], &done), TACT_OK);
    assert_true(done);
    assert_int_equal(tact_pick_target_wait(t, ticket[0], picks, 3, &count, NULL), TACT_OK);
    assert_int_equal(tact_pick_target_wait(t, ticket[0], picks, 3, &count, NULL), TACT_ERROR_INVALID_ARGUMENT);
    tact_pick_target_cancel(t, ticket[1]);
    tact_pick_target_cancel(t, ticket[1]);
    tact_pick_target_cancel(t, 0);
    tact_pick_target_cancel(t, ~(tact_pick_ticket)0);
    assert_int_equal(tact_pick_target_poll(t, ticket[1], &done), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pick_target_poll(t, 0, &done), TACT_ERROR_INVALID_ARGUMENT);
    // One is still on its way.
}

TEST_AS(ON_GL, test_sizes_and_regions)
{
    caller* c = caller_require(state);
    tact_pick picks[4];
    size_t count = 9;
    uint32_t textures[2] = {1, 1}, others[2];
    tact_pick_target* t = KEEP(new_pick_target(c->context, NULL));
    tact_pick_target_textures(t, textures);
    assert_true(textures[0] == 0 && textures[1] == 0);
    const tact_pick_view none = view_of(0, 0), view = view_of(10, 10);
    assert_int_equal(tact_pick_target_drawn(t, &none, 0, 0, 1), TACT_OK);
    assert_int_equal(tact_pick_target_query(t, &frame, TACT_PICK_BY_OBJECT, NULL, 0, &count), TACT_OK);
    assert_int_equal(count, 0);
    assert_int_equal(tact_pick_target_begin(t, &none, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pick_target_clear(t), TACT_OK);
    assert_int_equal(tact_pick_target_drawn(t, &view, 0, 0, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pick_target_resize(t, 20, 30, 0), TACT_OK);
    tact_pick_target_textures(t, textures);
    assert_true(textures[0] != 0 && textures[1] != 0);
    assert_int_equal(tact_pick_target_resize(t, 20, 30, 1), TACT_OK);
    tact_pick_target_textures(t, others);
    assert_memory_equal(textures, others, sizeof others);
    assert_int_equal(tact_pick_target_resize(t, 1u << 20, 30, 1), TACT_ERROR_LIMIT);
    tact_pick_target_textures(t, others);
    assert_memory_equal(textures, others, sizeof others);
    // Emptied, whatever was there: nothing is picked.
    assert_int_equal(tact_pick_target_query(t, &frame, TACT_PICK_BY_OBJECT, picks, 4, &count), TACT_OK);
    assert_int_equal(count, 0);
    assert_int_equal(tact_pick_target_drawn(t, &view, 11, 0, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pick_target_drawn(t, &view, -1, 0, 1), TACT_ERROR_INVALID_ARGUMENT);
    put(&c->gl, t, 5, 6, 1, 0.5f);
    put(&c->gl, t, 6, 6, 2, 0.5f);
    put(&c->gl, t, 15, 6, 3, 0.5f);
    put(&c->gl, t, 14, 15, 4, 0.5f);
    put(&c->gl, t, 14, 16, 5, 0.5f);
    assert_int_equal(tact_pick_target_drawn(t, &view, 5, 6, 1), TACT_OK);
    assert_int_equal(tact_pick_target_query(t, &frame, TACT_PICK_BY_OBJECT, picks, 4, &count), TACT_OK);
    assert_int_equal(count, 3);  // not what is right of the view or above it
    assert_true(picks[0].object == 4 && picks[0].x == 9 && picks[0].y == 0);
    assert_true(picks[1].object == 1 && picks[1].x == 0 && picks[1].y == 9);
    assert_true(picks[2].object == 2 && picks[2].x == 1 && picks[2].y == 9);
    const tact_pick_region regions[] = {rectangle(-100, -100, 0, 100),
                                        rectangle(10, 0, 4000000, 10),
                                        rectangle(3, 3, 3, 9),
                                        {.shape = TACT_PICK_POINT, .x = INT32_MAX, .y = INT32_MIN, .radius = 9},
                                        {.shape = TACT_PICK_LASSO}};
    for (size_t i = 0; i < sizeof regions / sizeof regions[0]; ++i) {
        assert_int_equal(tact_pick_target_query(t, &regions[i], TACT_PICK_BY_OBJECT, picks, 4, &count), TACT_OK);
        assert_int_equal(count, 0);
    }
    const tact_pick_region corner = rectangle(INT32_MIN, 9, 1, INT32_MAX);
    assert_int_equal(tact_pick_target_query(t, &corner, TACT_PICK_BY_OBJECT, picks, 4, &count), TACT_OK);
    assert_true(count == 1 && picks[0].object == 1);
    const tact_pick_region wrong = {.shape = (tact_pick_shape)9};
    assert_int_equal(tact_pick_target_query(t, &wrong, TACT_PICK_BY_OBJECT, picks, 4, &count),
                     TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pick_target_query(t, &frame, (tact_pick_group)3, picks, 4, &count),
                     TACT_ERROR_INVALID_ARGUMENT);
    // A request on its way is answered as it was made; one after another size has nothing to see.
    tact_pick_ticket before = 0, after = 0;
    uint64_t revision = 0;
    assert_int_equal(tact_pick_target_drawn(t, &view, 5, 6, 8), TACT_OK);
    assert_true(tact_pick_target_current(t, &view, 8));
    assert_int_equal(tact_pick_target_submit(t, &frame, TACT_PICK_BY_OBJECT, &before), TACT_OK);
    assert_int_equal(tact_pick_target_resize(t, 3, 3, 1), TACT_OK);
    assert_false(tact_pick_target_current(t, &view, 8));
    assert_int_equal(tact_pick_target_submit(t, &frame, TACT_PICK_BY_OBJECT, &after), TACT_OK);
    assert_int_equal(tact_pick_target_resize(t, 0, 0, 1), TACT_OK);
    assert_int_equal(tact_pick_target_wait(t, before, picks, 4, &count, &revision), TACT_OK);
    assert_true(count == 3 && revision == 8 && picks[0].object == 4);
    assert_int_equal(tact_pick_target_wait(t, after, picks, 4, &count, &revision), TACT_OK);
    assert_int_equal(count, 0);
}

TEST_AS(ON_GL, test_wrong_order)
{
    caller* c = caller_require(state);
    tact_pick_target *t = KEEP(make(c, 16, 16, 0)), *other = make(c, 8, 8, 0);
    tact_pick_view view = view_of(16, 16), small = view_of(8, 8);
    tact_pick_ticket ticket = 0;
    assert_int_equal(tact_pick_target_end(t), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pick_target_begin(t, &view, 1), TACT_OK);
    assert_int_equal(tact_pick_target_begin(t, &view, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pick_target_resize(t, 3, 3, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pick_target_attach(t, 2), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pick_target_clear(t), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pick_target_drawn(t, &view, 0, 0, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pick_target_submit(t, &frame, TACT_PICK_BY_OBJECT, &ticket), TACT_ERROR_INVALID_ARGUMENT);
    // Another target's pass within, as brackets are.
    GLint first = 0, inner = 0, last = 0;
    c->gl.GetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &first);
    assert_int_equal(tact_pick_target_begin(other, &small, 1), TACT_OK);
    c->gl.GetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &inner);
    assert_int_equal(tact_pick_target_end(other), TACT_OK);
    c->gl.GetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &last);
    assert_true(first != 0 && inner != first && last == first);
    assert_int_equal(tact_pick_target_end(t), TACT_OK);
    assert_int_equal(tact_pick_target_end(t), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pick_target_begin(other, &view, 1), TACT_ERROR_INVALID_ARGUMENT);
    view.depth = TACT_CLIP_ZERO_TO_ONE;
    assert_int_equal(tact_pick_target_begin(t, &view, 1), TACT_ERROR_INVALID_ARGUMENT);
    view.world_to_clip[5] = NAN;
    assert_int_equal(tact_pick_target_drawn(t, &view, 0, 0, 1), TACT_ERROR_INVALID_ARGUMENT);
    // Destroyed within its pass: the caller's state is back.
    assert_int_equal(tact_pick_target_begin(other, &small, 1), TACT_OK);
    tact_pick_target_destroy(other);
    c->gl.GetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &last);
    assert_int_equal(last, 0);
    size_t count = 0;
    assert_int_equal(tact_pick_target_query(t, NULL, TACT_PICK_BY_OBJECT, NULL, 0, &count),
                     TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pick_target_query(t, &frame, TACT_PICK_BY_OBJECT, NULL, 3, &count),
                     TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pick_target_query(t, &frame, TACT_PICK_BY_OBJECT, NULL, 0, NULL),
                     TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pick_target_clear(NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pick_target_drawn(t, NULL, 0, 0, 0), TACT_ERROR_INVALID_ARGUMENT);
    tact_pick_target_destroy(NULL);
}

static void check_attached(const GladGLContext* gl, GLenum colour, GLuint name)
{
    GLint kind = GL_NONE, found = 0;
    gl->GetFramebufferAttachmentParameteriv(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + colour,
                                            GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, &kind);
    assert_int_equal(kind, name ? GL_TEXTURE : GL_NONE);
    if (!name) return;
    gl->GetFramebufferAttachmentParameteriv(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT0 + colour,
                                            GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME, &found);
    assert_int_equal(found, name);
}

TEST_AS(ON_GL, test_attach)
{
    caller* c = caller_require(state);
    const GladGLContext* gl = &c->gl;
    tact_pick_target* t = KEEP(make(c, 16, 16, 0));
    show_target mine = show_target_open(gl, 16, 16, 1);
    GLint output = 0, name = 0, kind = 0;
    uint32_t textures[2];
    tact_pick_target_textures(t, textures);
    assert_int_equal(tact_pick_target_attach(t, 0), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pick_target_attach(t, 7), TACT_ERROR_LIMIT);
    assert_int_equal(tact_pick_target_attach(t, UINT32_MAX), TACT_ERROR_LIMIT);
    assert_int_equal(tact_pick_target_attach(t, 2), TACT_OK);
    static const GLenum wanted[6] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_COLOR_ATTACHMENT2,
                                     GL_COLOR_ATTACHMENT3, GL_COLOR_ATTACHMENT4, GL_NONE};
    for (GLenum i = 0; i < 6; ++i) {
        gl->GetIntegerv(GL_DRAW_BUFFER0 + i, &output);
        assert_int_equal(output, wanted[i]);
    }
    gl->GetFramebufferAttachmentParameteriv(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT3,
                                            GL_FRAMEBUFFER_ATTACHMENT_OBJECT_NAME, &name);
    assert_int_equal(name, textures[1]);
    assert_int_equal(tact_pick_target_detach(t), TACT_OK);
    for (GLenum i = 0; i < 6; ++i) {
        gl->GetIntegerv(GL_DRAW_BUFFER0 + i, &output);
        assert_int_equal(output, i == 2 || i == 3 ? GL_NONE : wanted[i]);
    }
    gl->GetFramebufferAttachmentParameteriv(GL_DRAW_FRAMEBUFFER, GL_COLOR_ATTACHMENT2,
                                            GL_FRAMEBUFFER_ATTACHMENT_OBJECT_TYPE, &kind);
    assert_int_equal(kind, GL_NONE);
    // The caller's own stay where they are.
    assert_int_equal(tact_pick_target_attach(t, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pick_target_attach(t, 3), TACT_ERROR_INVALID_ARGUMENT);
    check_attached(gl, 1, mine.shade);
    check_attached(gl, 4, mine.position);
    check_attached(gl, 3, 0);
    // At another place of the framebuffer, where an output of the caller's went to nothing.
    static const GLenum twisted[4] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT6, GL_NONE, GL_COLOR_ATTACHMENT1};
    assert_int_equal(tact_pick_target_attach(t, 2), TACT_OK);
    gl->DrawBuffers(4, twisted);
    assert_int_equal(tact_pick_target_attach(t, 5), TACT_OK);
    check_attached(gl, 2, 0);
    check_attached(gl, 5, textures[0]);
    check_attached(gl, 6, textures[1]);
    static const GLenum moved[7] = {GL_COLOR_ATTACHMENT0, GL_NONE, GL_NONE,
                                    GL_COLOR_ATTACHMENT1, GL_NONE, GL_COLOR_ATTACHMENT5,
                                    GL_COLOR_ATTACHMENT6};
    for (GLenum i = 0; i < 7; ++i) {
        gl->GetIntegerv(GL_DRAW_BUFFER0 + i, &output);
        assert_int_equal(output, moved[i]);
    }
    assert_int_equal(tact_pick_target_detach(t), TACT_OK);
    // What would not fit, or be cut off.
    if (tact_pick_target_resize(t, 16, 16, 4) == TACT_OK) {
        assert_int_equal(tact_pick_target_attach(t, 2), TACT_ERROR_INVALID_ARGUMENT);
        assert_int_equal(gl->CheckFramebufferStatus(GL_DRAW_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    }
    assert_int_equal(tact_pick_target_resize(t, 16, 16, 1), TACT_OK);
    GLuint buffer = 0;
    gl->GenRenderbuffers(1, &buffer);
    gl->BindRenderbuffer(GL_RENDERBUFFER, buffer);
    gl->RenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, 20, 16);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, buffer);
    assert_int_equal(tact_pick_target_attach(t, 2), TACT_ERROR_INVALID_ARGUMENT);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, 0);
    gl->RenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 20, 16);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT6, GL_RENDERBUFFER, buffer);
    assert_int_equal(tact_pick_target_attach(t, 2), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pick_target_resize(t, 20, 16, 1), TACT_OK);
    assert_int_equal(tact_pick_target_attach(t, 2), TACT_OK);
    gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
    assert_int_equal(tact_pick_target_attach(t, 2), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pick_target_detach(t), TACT_ERROR_INVALID_ARGUMENT);
    gl->DeleteRenderbuffers(1, &buffer);
    show_target_close(gl, &mine);
    assert_int_equal(gl->GetError(), GL_NO_ERROR);
}

static void GLAD_API_PTR no_storage(GLenum target, GLenum format, GLsizei width, GLsizei height)
{
}

// No depth buffer is to be had: the pass does not begin, and the planes stay good for all else.
TEST_AS(ON_GL, test_no_depth)
{
    caller* c = caller_require(state);
    tact_pick_target* t = KEEP(make(c, 16, 8, 0));
    const tact_pick_view view = view_of(16, 8);
    GladGLContext* gl = (GladGLContext*)(uintptr_t)tact_pick_target_gpu(t)->gl;
    const PFNGLRENDERBUFFERSTORAGEPROC storage = gl->RenderbufferStorage;
    tact_pick picks[4];
    size_t count = 0;
    gl->RenderbufferStorage = no_storage;
    const tact_result result = tact_pick_target_begin(t, &view, 1);
    gl->RenderbufferStorage = storage;
    assert_int_equal(result, TACT_ERROR_UNSUPPORTED);
    assert_int_equal(tact_pick_target_clear(t), TACT_OK);
    put(&c->gl, t, 3, 7, 5, 0.25f);
    assert_int_equal(tact_pick_target_drawn(t, &view, 0, 0, 2), TACT_OK);
    assert_int_equal(tact_pick_target_query(t, &frame, TACT_PICK_BY_OBJECT, picks, 4, &count), TACT_OK);
    assert_int_equal(count, 1);
    assert_int_equal(tact_pick_target_begin(t, &view, 3), TACT_OK);
    assert_int_equal(tact_pick_target_end(t), TACT_OK);
    assert_int_equal(c->gl.GetError(), GL_NO_ERROR);
}

static void check_untouched(caller* c, const state_values* before, tact_result result, const char* what)
{
    if (result != TACT_OK) {
        print_message("%s: %s\n", what, tact_context_error(c->context));
        fail();
    }
    expect_state(&c->gl, before, what);
}

static tact_scene* make_scene(tact_context* context)
{
    static const float corners[12] = {-3, -3, 0, 3, -3, 0, 3, 3, 0, -3, 3, 0};
    static const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
    static const float still[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    const tact_mesh_desc mesh = {.positions = corners, .vertex_count = 4, .indices = indices, .triangle_count = 2};
    tact_scene* scene = new_scene(context);
    put_instance(scene, put_mesh(scene, &mesh), still);
    return scene;
}

// Every call in a context where everything is set to the unusual, which stays.
TEST_AS(ON_GL, test_state_untouched)
{
    caller* c = caller_require(state);
    tact_pick_target* t = make(c, 100, 100, 0);
    tact_scene* scene = KEEP(make_scene(c->context));
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    const tact_pick_view view = view_of(100, 100);
    const tact_pick_region few = rectangle(40, 40, 60, 60);
    static tact_pick picks[PICKS];
    tact_pick_ticket ticket = 0;
    size_t count = 0;
    uint64_t revision = 0;
    bool done = false;
    unusual_state(&c->gl);
    const state_values before = all_state(&c->gl);
#define untouched(call) check_untouched(c, &before, (call), #call)
    untouched(tact_pick_target_resize(t, 110, 120, 1));
    untouched(tact_pick_target_clear(t));
    untouched(tact_pick_target_drawn(t, &view, 3, 4, 1));
    untouched(tact_pick_target_draw(t, scene, &view, 2));
    assert_true(tact_pick_target_current(t, &view, 2));
    for (int i = 0; i < 2; ++i) {
        untouched(tact_pick_target_submit(t, i ? &few : &frame, TACT_PICK_BY_PRIMITIVE, &ticket));
        untouched(tact_pick_target_poll(t, ticket, &done));
        untouched(tact_pick_target_wait(t, ticket, picks, PICKS, &count, &revision));
        assert_int_equal(count, 2);
        assert_true(picks[0].normal[2] > 0.999f && fabsf(picks[0].position[2]) < 1e-3f);
    }
    assert_int_equal(tact_pick_target_begin(t, &view, 3), TACT_OK);
    // The caller's own draws may set anything.
    c->gl.Viewport(0, 0, 9, 9);
    c->gl.Disable(GL_CULL_FACE);
    c->gl.Enable(GL_SCISSOR_TEST);
    c->gl.Scissor(1, 2, 3, 4);
    c->gl.DepthRange(0.1, 0.2);
    c->gl.PointSize(3);
    c->gl.ClearDepth(0.3);
    c->gl.ProvokingVertex(GL_FIRST_VERTEX_CONVENTION);
    c->gl.PrimitiveRestartIndex(17);
    c->gl.PatchParameteri(GL_PATCH_VERTICES, 4);
    c->gl.SampleCoverage(0.5f, GL_TRUE);
    c->gl.MinSampleShading(0.5f);
    c->gl.ViewportIndexedf(5, 1, 1, 1, 1);
    c->gl.BlendFunc(GL_ONE, GL_ONE);
    c->gl.StencilMask(3);
    c->gl.BindFramebuffer(GL_FRAMEBUFFER, 0);
    c->gl.ClearColor(1, 1, 1, 1);
    untouched(tact_pick_target_end(t));
    if (tact_pick_target_resize(t, 100, 100, 4) == TACT_OK) {
        untouched(tact_pick_target_clear(t));
        untouched(tact_pick_target_drawn(t, &view, 0, 0, 1));
        untouched(tact_pick_target_query(t, &frame, TACT_PICK_BY_OBJECT, picks, PICKS, &count));
        untouched(tact_pick_target_query(t, &few, TACT_PICK_BY_OBJECT, picks, PICKS, &count));
        assert_int_equal(count, 0);
    }
    tact_pick_target_destroy(t);
    check_untouched(c, &before, TACT_OK, "destroy");
    usual_state(&c->gl);
}

TEST(test_scene_of_ours)
{
    const tact_context_desc desc = {.cl = TACT_DEVICE_NONE};
    tact_pick_target* t = NULL;
    tact_context* context = new_context(&desc);
    if (device_missing(context, TACT_BACKEND_GL)) {
        assert_int_equal(tact_pick_target_create(context, NULL, &t), TACT_ERROR_NO_DEVICE);
        tact_context_destroy(context);
        skip_because("the device is missing");
    }
    const tact_pick_target_desc size = {.width = 80, .height = 60};
    tact_scene* scene = make_scene(context);
    const tact_pick_view view = view_of(80, 60);
    const tact_pick_region middle = {.shape = TACT_PICK_POINT, .x = 40, .y = 30};
    tact_pick pick;
    size_t count = 0;
    assert_int_equal(tact_pick_target_create(context, &size, &t), TACT_OK);
    assert_int_equal(tact_pick_target_draw(t, scene, &view, 1), TACT_ERROR_INVALID_ARGUMENT);  // not committed
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(tact_pick_target_draw(t, scene, &view, 1), TACT_OK);
    assert_int_equal(tact_pick_target_query(t, &middle, TACT_PICK_BY_INSTANCE, &pick, 1, &count), TACT_OK);
    assert_int_equal(count, 1);
    assert_true(fabsf(pick.position[2]) < 1e-3f);
    assert_int_equal(tact_pick_target_begin(t, &view, 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_pick_target_attach(t, 1), TACT_ERROR_INVALID_ARGUMENT);
    tact_pick_target_destroy(t);
    tact_scene_destroy(scene);
    tact_context_destroy(context);
}

// Random planes: regions reduced here and on the device give the same bytes.
TEST_AS(ON_GL, test_host_and_device)
{
    enum { WIDTH = 130, HEIGHT = 90 };
    caller* c = caller_require(state);
    tact_device* device = c->context->devices[tact_context_find(c->context, TACT_BACKEND_GL)];
    const tact_pick_target_desc desc = {.width = WIDTH, .height = HEIGHT};
    tact_gpu_pick_target* t = NULL;
    test_random r = test_random_seeded(9003);
    static GLuint ids[WIDTH * HEIGHT][4], surfaces[WIDTH * HEIGHT][2];
    static tact_pick here[PICKS], there[PICKS];
    size_t many = 0;
    assert_int_equal(tact_device_enter(device), TACT_OK);
    assert_int_equal(tact_gpu_pick_target_create(device, &desc, &t), TACT_OK);
    t->place = TACT_PICK_PLACE_DEVICE;  // not what is best of this device
    for (int round = 0; round < 60; ++round) {
        const uint32_t objects = 1u << test_random_below(&r, 12);
        for (size_t i = 0; i < WIDTH * HEIGHT; ++i) {
            const float depth = (float)test_random_below(&r, 9) / 8.0f;
            for (int k = 0; k < 3; ++k)
                ids[i][k] = 0u - test_random_below(&r, k ? 2 : objects);
            ids[i][3] = (uint32_t)test_random_bits(&r);
            memcpy(&surfaces[i][0], &depth, 4);
            if (test_random_below(&r, 3) == 0) surfaces[i][0] = TACT_PICK_NOTHING;
            surfaces[i][1] = (uint32_t)test_random_bits(&r);
        }
        c->gl.BindTexture(GL_TEXTURE_2D, t->planes.textures[0]);
        c->gl.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, WIDTH, HEIGHT, GL_RGBA_INTEGER, GL_UNSIGNED_INT, ids);
        c->gl.BindTexture(GL_TEXTURE_2D, t->planes.textures[1]);
        c->gl.TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, WIDTH, HEIGHT, GL_RG_INTEGER, GL_UNSIGNED_INT, surfaces);
        const int32_t x = (int32_t)test_random_below(&r, 20), y = (int32_t)test_random_below(&r, 20);
        const tact_pick_view view =
            show_view(WIDTH - 20, HEIGHT - 20, 1.0f, TACT_CLIP_MINUS_ONE_TO_ONE, test_random_below(&r, 2) != 0);
        float corners[7][2];
        for (int i = 0; i < 7; ++i)
            for (int k = 0; k < 2; ++k)
                corners[i][k] = 120.0f * test_random_unit(&r) - 5.0f;
        const tact_pick_region regions[4] = {
            frame,
            rectangle(x, y, x + 40, y + 30),
            {.shape = TACT_PICK_POINT, .x = 3 * x, .y = y, .radius = test_random_below(&r, 50)},
            {.shape = TACT_PICK_LASSO, .lasso = (const float(*)[2])corners, .lasso_count = 7}};
        assert_int_equal(tact_gpu_pick_target_drawn(t, &view, x, y, 0), TACT_OK);
        for (int i = 0; i < 4; ++i) {
            tact_pick_ticket a = 0, b = 0;
            size_t count_here = 0, count_there = 0;
            const tact_pick_group group = (tact_pick_group)test_random_below(&r, 3);
            t->host_pixels = UINT32_MAX;
            assert_int_equal(tact_gpu_pick_target_submit(t, &regions[i], group, &a), TACT_OK);
            t->host_pixels = 0;
            assert_int_equal(tact_gpu_pick_target_submit(t, &regions[i], group, &b), TACT_OK);
            memset(here, 0, sizeof here);
            memset(there, 0, sizeof there);
            assert_int_equal(tact_gpu_pick_target_wait(t, b, there, PICKS, &count_there, NULL), TACT_OK);
            assert_int_equal(tact_gpu_pick_target_wait(t, a, here, PICKS, &count_here, NULL), TACT_OK);
            assert_int_equal(count_here, count_there);
            assert_memory_equal(here, there, count_here * sizeof *here);
            many += count_here > 100;
        }
    }
    assert_true(many > 20);
    // No memory on the device: the request is not made, and its place is free.
    tact_pick_ticket ticket = 0;
    t->ring = 1;
    t->slots[0].surfaces = (tact_buffer_destroy(t->slots[0].surfaces), NULL);
    assert_true(tact_pick_reducer_bytes(t->slots[1].reducer) > 0);
    tact_device_fail_buffer(device, 1);
    assert_int_equal(tact_gpu_pick_target_submit(t, &frame, TACT_PICK_BY_OBJECT, &ticket),
                     TACT_ERROR_DEVICE_OUT_OF_MEMORY);
    tact_device_fail_buffer(device, 0);
    tact_device_forgive(device);
    assert_int_equal(tact_gpu_pick_target_submit(t, &frame, TACT_PICK_BY_OBJECT, &ticket), TACT_OK);
    tact_gpu_pick_target_destroy(t);
    tact_device_leave(device);
}

TEST_AS(ON_GL, test_lost)
{
    caller* c = caller_require(state);
    tact_device* device = c->context->devices[tact_context_find(c->context, TACT_BACKEND_GL)];
    tact_pick_target *t = KEEP(make(c, 100, 100, 0)), *none = NULL;
    const tact_pick_view view = view_of(100, 100);
    const tact_pick_region few = rectangle(0, 0, 4, 4);
    tact_pick_ticket ticket[2] = {0, 0}, more = 0;
    tact_pick pick;
    size_t count = 0;
    bool done = false;
    put(&c->gl, t, 1, 1, 5, 0.5f);
    assert_int_equal(tact_pick_target_drawn(t, &view, 0, 0, 0), TACT_OK);
    assert_int_equal(tact_pick_target_submit(t, &few, TACT_PICK_BY_OBJECT, &ticket[0]), TACT_OK);
    assert_int_equal(tact_pick_target_submit(t, &frame, TACT_PICK_BY_OBJECT, &ticket[1]), TACT_OK);
    device->lost = true;
    assert_int_equal(tact_pick_target_submit(t, &few, TACT_PICK_BY_OBJECT, &more), TACT_ERROR_DEVICE_LOST);
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(tact_pick_target_poll(t, ticket[i], &done), TACT_ERROR_DEVICE_LOST);
        assert_int_equal(tact_pick_target_wait(t, ticket[i], &pick, 1, &count, NULL), TACT_ERROR_DEVICE_LOST);
    }
    assert_int_equal(tact_pick_target_clear(t), TACT_ERROR_DEVICE_LOST);
    assert_int_equal(tact_pick_target_resize(t, 9, 9, 1), TACT_ERROR_DEVICE_LOST);
    assert_int_equal(tact_pick_target_begin(t, &view, 0), TACT_ERROR_DEVICE_LOST);
    assert_int_equal(tact_pick_target_end(t), TACT_ERROR_DEVICE_LOST);
    assert_int_equal(tact_pick_target_drawn(t, &view, 0, 0, 0), TACT_ERROR_DEVICE_LOST);
    assert_int_equal(tact_pick_target_create(c->context, NULL, &none), TACT_ERROR_DEVICE_LOST);
    tact_pick_target_cancel(t, ticket[0]);
}

static bool compiles(const GladGLContext* gl, const char* head, uint32_t location, int copies, const char* body)
{
    static char picks[16384];
    const char* parts[4] = {head, "", "", body};
    GLint good = 0;
    assert_true(tact_pick_target_glsl(location, picks, sizeof picks) <= sizeof picks);
    for (int i = 0; i < copies; ++i)
        parts[1 + i] = picks;
    const GLuint shader = gl->CreateShader(GL_FRAGMENT_SHADER);
    gl->ShaderSource(shader, 4, parts, NULL);
    gl->CompileShader(shader);
    gl->GetShaderiv(shader, GL_COMPILE_STATUS, &good);
    gl->DeleteShader(shader);
    return good != 0;
}

TEST_AS(ON_GL, test_text)
{
    caller* c = caller_require(state);
    static const char body[] =
        "in vec3 p; void main() { tact_pick(1u); tact_pick(1u, 2u); tact_pick(1u, 2u, 3u);"
        "tact_pick(1u, 2u, 3u, tact_pick_normal(p)); tact_pick(1u, 2u, 3u, p, p);"
        "tact_pick_depth(0.5); }\n";
    static const char* const versions[] = {"430", "440", "450", "460"};
    char newest[8] = "", head[200];
    const char* version = (const char*)c->gl.GetString(GL_SHADING_LANGUAGE_VERSION);
    snprintf(newest, sizeof newest, "%c%c%c", version[0], version[2], version[3]);
    for (int i = 0; i < 4 && strcmp(versions[i], newest) <= 0; ++i) {
        snprintf(head, sizeof head, "#version %s core\n#extension GL_ARB_shader_stencil_export : enable\n",
                 versions[i]);
        assert_true(compiles(&c->gl, head, 0, 1, body));
        assert_true(compiles(&c->gl, head, 5, 2, body));
        snprintf(head, sizeof head,
                 "#version %s core\nlayout(early_fragment_tests) in;\nlayout(location = 0) out vec4 c;\n", versions[i]);
        assert_true(compiles(&c->gl, head, 1, 1, body));
        assert_false(compiles(&c->gl, head, 1, 0, body));
    }
    char text[16384], part[100];
    const size_t bytes = tact_pick_target_glsl(2, text, sizeof text);
    assert_int_equal(bytes, strlen(text) + 1);
    assert_int_equal(tact_pick_target_glsl(2, NULL, 0), bytes);
    for (size_t i = 1; i <= sizeof part; ++i) {
        memset(part, 'x', sizeof part);
        assert_int_equal(tact_pick_target_glsl(2, part, i), bytes);
        assert_int_equal(strlen(part), i - 1);
        assert_memory_equal(part, text, i - 1);
    }
}

static const char far_vertex[] =
    "#version 430 core\n"
    "layout(location = 0) uniform vec3 depths;\n"
    "void main() {\n"
    "    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0;\n"
    "    gl_Position = vec4(corner, gl_VertexID == 1 ? depths.y : gl_VertexID == 2 ? depths.z : depths.x, 1.0);\n"
    "}\n";

// With depth clamp surfaces go on beyond the planes: depths stay from 0 to 1, and order as whole numbers.
TEST_AS(ON_GL, test_clamped_depth)
{
    caller* c = caller_require(state);
    const GladGLContext* gl = &c->gl;
    tact_pick_target* t = KEEP(make(c, 64, 64, 0));
    static char picks[16384];
    static tact_pick found[PICKS];
    const GLuint program = gl->CreateProgram();
    GLuint vertex_array = 0;
    (void)tact_pick_target_glsl(0, picks, sizeof picks);
    show_shader(gl, program, GL_VERTEX_SHADER, "", "", far_vertex);
    show_shader(gl, program, GL_FRAGMENT_SHADER, "#version 430 core\n", picks,
                "void main() { uint n = uint(gl_FragCoord.y) * 64u + uint(gl_FragCoord.x); tact_pick(n); }\n");
    gl->LinkProgram(program);
    gl->GenVertexArrays(1, &vertex_array);
    gl->BindVertexArray(vertex_array);
    gl->UseProgram(program);
    for (int reversed = 0; reversed < 2; ++reversed) {
        tact_pick_view view = show_view(64, 64, 0.0f, TACT_CLIP_MINUS_ONE_TO_ONE, reversed);
        size_t count = 0, near = 0, distant = 0;
        assert_int_equal(tact_pick_target_begin(t, &view, 0), TACT_OK);
        gl->Enable(GL_DEPTH_CLAMP);
        gl->DepthFunc(GL_ALWAYS);
        gl->ProgramUniform3f(program, 0, -3.0f, 9.0f, -1.5f);
        gl->DrawArrays(GL_TRIANGLES, 0, 3);
        assert_int_equal(tact_pick_target_end(t), TACT_OK);
        assert_int_equal(tact_pick_target_query(t, &frame, TACT_PICK_BY_OBJECT, found, PICKS, &count), TACT_OK);
        assert_int_equal(count, 64 * 64);
        for (size_t i = 0; i < count; ++i) {
            assert_true(found[i].depth >= 0.0f && found[i].depth <= 1.0f && !signbit(found[i].depth));
            near += found[i].depth == 0.0f;
            distant += found[i].depth == 1.0f;
            if (i == 0) continue;
            assert_true(reversed ? found[i - 1].depth >= found[i].depth : found[i - 1].depth <= found[i].depth);
        }
        assert_true(near > 100 && distant > 100);
    }
    gl->DeleteProgram(program);
    gl->DeleteVertexArrays(1, &vertex_array);
}

// While the context records vertices no program can be changed: a request is refused, and made when that is paused.
TEST_AS(ON_GL, test_recording)
{
    caller* c = caller_require(state);
    const GladGLContext* gl = &c->gl;
    tact_pick_target* t = KEEP(make(c, 16, 8, 0));
    const tact_pick_view view = view_of(16, 8);
    const char* varying = "gl_Position";
    tact_pick_ticket ticket = 0;
    tact_pick pick;
    size_t count = 0;
    GLuint buffer = 0;
    const GLuint program = gl->CreateProgram();
    show_shader(gl, program, GL_VERTEX_SHADER, "", "", far_vertex);
    gl->TransformFeedbackVaryings(program, 1, &varying, GL_INTERLEAVED_ATTRIBS);
    gl->LinkProgram(program);
    gl->GenBuffers(1, &buffer);
    gl->BindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, buffer);
    gl->BufferData(GL_TRANSFORM_FEEDBACK_BUFFER, 1024, NULL, GL_STREAM_READ);
    put(gl, t, 3, 7, 6, 0.25f);
    assert_int_equal(tact_pick_target_drawn(t, &view, 0, 0, 42), TACT_OK);
    gl->UseProgram(program);
    gl->BeginTransformFeedback(GL_TRIANGLES);
    assert_int_equal(gl->GetError(), GL_NO_ERROR);
    assert_int_equal(tact_pick_target_submit(t, &frame, TACT_PICK_BY_OBJECT, &ticket), TACT_ERROR_INVALID_ARGUMENT);
    gl->PauseTransformFeedback();
    while (gl->GetError() != GL_NO_ERROR)
        continue;
    assert_int_equal(tact_pick_target_query(t, &frame, TACT_PICK_BY_OBJECT, &pick, 1, &count), TACT_OK);
    assert_true(count == 1 && pick.object == 6);
    gl->ResumeTransformFeedback();
    gl->EndTransformFeedback();
    assert_int_equal(gl->GetError(), GL_NO_ERROR);
    gl->UseProgram(0);
    gl->DeleteProgram(program);
    gl->DeleteBuffers(1, &buffer);
}

// An object goes, and another gets its number, while an answer is on its way: the revision tells of which it speaks.
TEST_AS(ON_GL, test_numbers_again)
{
    caller* c = caller_require(state);
    tact_pick_target* t = KEEP(make(c, 8, 8, 64));
    const tact_pick_view view = view_of(8, 8);
    tact_pick_ticket tickets[64], more = 0;
    size_t count = 0;
    uint64_t revision = 0;
    tact_pick pick;
    for (int i = 0; i < 64; ++i) {
        assert_int_equal(tact_pick_target_clear(t), TACT_OK);
        put(&c->gl, t, i % 8, i / 8, 5, 0.5f);  // always number 5
        assert_int_equal(tact_pick_target_drawn(t, &view, 0, 0, 1000 + (uint64_t)i), TACT_OK);
        assert_int_equal(tact_pick_target_submit(t, &frame, TACT_PICK_BY_OBJECT, &tickets[i]), TACT_OK);
    }
    assert_int_equal(tact_pick_target_submit(t, &frame, TACT_PICK_BY_OBJECT, &more), TACT_ERROR_LIMIT);
    assert_int_equal(tact_pick_target_clear(t), TACT_OK);
    for (int k = 0; k < 64; ++k) {
        const int i = k * 37 % 64;
        assert_int_equal(tact_pick_target_wait(t, tickets[i], &pick, 1, &count, &revision), TACT_OK);
        assert_int_equal(revision, 1000 + i);
        assert_true(count == 1 && pick.object == 5 && pick.x == i % 8 && pick.y == 7 - i / 8);
    }
    // A request speaks of the planes and of what was last told of them.
    assert_int_equal(tact_pick_target_submit(t, &frame, TACT_PICK_BY_OBJECT, &more), TACT_OK);
    assert_int_equal(tact_pick_target_drawn(t, &view, 0, 0, 2000), TACT_OK);
    assert_int_equal(tact_pick_target_wait(t, more, NULL, 0, &count, &revision), TACT_OK);
    assert_int_equal(count, 0);
    assert_int_equal(revision, 1063);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)

#else

int main(void)
{
    return run_nothing("built without OpenGL");
}

#endif
