// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// @file pick_target.h
/// Picking in your own OpenGL renderer: a target into which your shaders write what they show, as extra outputs of the
/// normal pass or in a pass of its own, so that all they do to the surface (skinning, displacement, tessellation, alpha
/// test, discard) counts. The GPU then finds the objects under a region, and only those are read back, at once or some
/// frames later. docs/picking.md is a guide to it, examples/pick_in_my_renderer.c an example.
///
/// The context must have adopted your OpenGL context, which is current in every call. All calls leave its state as it
/// was, but for what tact_pick_target_begin() and tact_pick_target_attach() are for. None may lie between
/// glBeginConditionalRender and its end, which cannot be seen and may leave out any of the commands; nor within a
/// transform feedback that is not paused: there drawing and requests are errors.
///
/// Two planes, 24 bytes a pixel together, hold for each pixel: object, instance and primitive, each any number of 32
/// bits; normal (octahedral, 16 bits each way: within 0.01 degrees, of lengths from 1e-32 on); depth (32 bits of float,
/// from gl_FragCoord.z); barycentrics (16 bits each).

#include "tact/pick.h"

/// Planes that a renderer's shaders write what they draw to, and the requests that read them.
typedef struct tact_pick_target tact_pick_target;

/// All bits zero asks for the defaults.
typedef struct tact_pick_target_desc {
    uint32_t width, height;  ///< of the planes, as the framebuffer they go to; 0: none yet
    uint32_t samples;        ///< as the framebuffer they go to; 0 and 1: not multisampled. Of a multisampled target the
                             ///< nearest sample of each pixel counts
    uint32_t ring;           ///< requests that may be pending, 1 to 64; 0: 3
    uint64_t reserved[4];    ///< zeros: room for fields to come
} tact_pick_target_desc;

/// Creates a target. Errors: INVALID_ARGUMENT, NO_DEVICE (the context has no OpenGL), UNSUPPORTED (so many samples of
/// whole numbers; OpenGL promises just one: use a pass of its own), LIMIT (larger than the device allows),
/// OUT_OF_MEMORY, DEVICE_OUT_OF_MEMORY. `desc` may be NULL.
TACT_API tact_result tact_pick_target_create(tact_context* context, const tact_pick_target_desc* desc,
                                             tact_pick_target** target);
/// Destroys the target, before its context; pending requests are dropped. NULL is allowed.
TACT_API void tact_pick_target_destroy(tact_pick_target* target);

/// Changes the size or number of samples, by new and empty planes under new names: detach before and attach again.
/// Pending requests are completed from the old planes; later ones find nothing until something is drawn. Nothing
/// happens when both are as before. Errors as of create, INVALID_ARGUMENT within a pass of its own; everything is then
/// as before.
TACT_API tact_result tact_pick_target_resize(tact_pick_target* target, uint32_t width, uint32_t height,
                                             uint32_t samples);

// Your shaders

/// Returns the text to put into your fragment shader, after its `#version` (430 or later) and `#extension` lines (and
/// after a declaration of gl_FragCoord, if you have one). It declares the outputs `location` (uvec4) and `location` + 1
/// (uvec2) and these functions, of which your main() calls one wherever it likes; a fragment that is discarded does not
/// count:
///     void tact_pick(uint object);
///     void tact_pick(uint object, uint instance);
///     void tact_pick(uint object, uint instance, uint primitive);
///     void tact_pick(uint object, uint instance, uint primitive, vec3 normal);
///     void tact_pick(uint object, uint instance, uint primitive, vec3 normal, vec3 barycentric);
/// The primitive is gl_PrimitiveID where it is not given: a geometry shader must write it; give a number of your own
/// with tessellation. The normal is in the world and of any length but 0, which stands for not known, as barycentrics
/// of (0, 0, 0) do;
///     vec3 tact_pick_normal(vec3 world_position);
/// makes one from the slope of the position, towards the viewer for front faces, away from it for back faces.
/// Barycentrics may come from an extension, a geometry shader, or afterwards from tact_pick_refine(). The depth is that
/// of gl_FragCoord; a shader that writes gl_FragDepth also calls, last,
///     void tact_pick_depth(float depth);
/// A device may extend the plane of a triangle that is thinner than its grid, or seen edge-on, to depths far beyond
/// those of its corners, in your depth buffer as in the planes: where that matters clamp both to the corners' depths,
/// as tact_pick_target_draw() does, or make the place exact by tact_pick_refine().
///
/// Writes at most `capacity` bytes, the closing zero included, and returns how many bytes it takes. Thread-safe. The
/// text may be there twice, the first location counts. Without OpenGL in the library it is empty.
///
/// For shaders that are compiled before the program runs, an installation has the text as the file
/// share/tact/shaders/tact_pick.glsl. A shader that includes it defines TACT_PICK_LOCATION_0 and TACT_PICK_LOCATION_1
/// first; else they are 1 and 2.
TACT_API size_t tact_pick_target_glsl(uint32_t location, char* text, size_t capacity);

// Drawing

/// Gets the planes, as names of textures (GL_TEXTURE_2D, or GL_TEXTURE_2D_MULTISAMPLE): GL_RGBA32UI and GL_RG32UI. 0
/// where the target has no size. New after every change of size.
TACT_API void tact_pick_target_textures(const tact_pick_target* target, uint32_t textures[2]);

/// Attaches the planes, for the normal pass, to the draw framebuffer that is bound, as colour attachments `first` and
/// `first` + 1 (at least 1), and adds both to its draw buffers, at outputs `first` and `first` + 1. Every program that
/// draws to it then calls tact_pick(), or the planes' contents are undefined: detach, or glColorMaski(), around those
/// that do not (they then hide nothing). Then call
/// tact_pick_target_clear() in every frame after you have cleared your own attachments: OpenGL leaves the planes'
/// contents undefined after a glClear() with them attached. glBlitFramebuffer() from such a framebuffer works, to one
/// does not. Blending, dithering and sRGB do not touch them; glColorMask, scissor, stencil and depth test do, and so
/// does a logic operation. Errors: INVALID_ARGUMENT (the window's own framebuffer is bound, which takes no attachments;
/// something of yours is attached there; other samples, or a multisampled texture without fixed sample locations: the
/// framebuffer would not be complete; a renderbuffer of another size; textures of another size are not seen, and OpenGL
/// then draws only to what all attachments have), LIMIT (the device has fewer outputs).
TACT_API tact_result tact_pick_target_attach(tact_pick_target* target, uint32_t first);
/// Detaches both from the draw framebuffer that is bound, and removes them from its draw buffers.
TACT_API tact_result tact_pick_target_detach(tact_pick_target* target);
/// Clears the planes, all of them, whatever is bound. Errors: INVALID_ARGUMENT within a pass of its own, which begins
/// with a clear.
TACT_API tact_result tact_pick_target_clear(tact_pick_target* target);
/// Records the view and revision that the planes show, after the normal pass. `x` and `y`: the lower left corner of the
/// view in them, as in glViewport; all of the view lies in the planes, else INVALID_ARGUMENT. `revision` is returned
/// with the picks: a number of your choice, such as that of the frame.
TACT_API tact_result tact_pick_target_drawn(tact_pick_target* target, const tact_pick_view* view, int32_t x, int32_t y,
                                            uint64_t revision);

/// Begins a pass of its own, also beside a multisampled renderer. Binds a framebuffer with the planes, at outputs 0 and
/// 1 (tact_pick_target_glsl(0, ...)) and a depth buffer of 32 bits of float, empties it, and sets viewport, depth test
/// (GL_LESS, or GL_GREATER for reversed depth), and all else to the defaults; the clip control is not changed, and must
/// match the view: its depth, and the origin at the lower left (else INVALID_ARGUMENT). The target must not be
/// multisampled and has at least the view's size, whose pixels are the lowest left ones. Then draw, with any programs
/// and any state, and call tact_pick_target_end(), which restores the state before begin (except what only your draws
/// need: programs, buffers, textures and vertex arrays that you made current). Passes of several targets nest as
/// brackets do; a second begin of one target, and an end without one, are INVALID_ARGUMENT.
TACT_API tact_result tact_pick_target_begin(tact_pick_target* target, const tact_pick_view* view, uint64_t revision);
/// Ends a pass that tact_pick_target_begin() began. Errors: INVALID_ARGUMENT (none was begun).
TACT_API tact_result tact_pick_target_end(tact_pick_target* target);

/// Draws a tact_scene, by one call instead of a pass of your own. Also on a context that the library made.
TACT_API tact_result tact_pick_target_draw(tact_pick_target* target, tact_scene* scene, const tact_pick_view* view,
                                           uint64_t revision);

/// Tests whether the planes were drawn with this view and revision, and not cleared or resized since. If so the next
/// request needs no new drawing.
TACT_API bool tact_pick_target_current(const tact_pick_target* target, const tact_pick_view* view, uint64_t revision);

// Requests

/// A pending request. 0: none.
typedef uint64_t tact_pick_ticket;

/// Requests the picks of a region, from the planes as your commands so far leave them; does not wait. The result is
/// that of TACT_PICK_VISIBLE in pick.h, found on the device where the region is large. Errors: LIMIT (as many requests
/// are pending as the ring holds: collect or cancel one), INVALID_ARGUMENT (nothing was ever drawn), OUT_OF_MEMORY,
/// DEVICE_OUT_OF_MEMORY, DEVICE_LOST (after which targets can only be destroyed). Regions may have any size: those
/// beyond the part of a buffer that shaders can access are copied in parts and reduced by the host.
TACT_API tact_result tact_pick_target_submit(tact_pick_target* target, const tact_pick_region* region,
                                             tact_pick_group group, tact_pick_ticket* ticket);
/// Tests whether a result is ready, without waiting. Errors: INVALID_ARGUMENT (a ticket that is unknown, collected or
/// cancelled).
TACT_API tact_result tact_pick_target_poll(tact_pick_target* target, tact_pick_ticket ticket, bool* done);
/// Waits for a result and gets its picks, as tact_pick_scene() does, positions being those of the depth.
/// TACT_INCOMPLETE: there are more than `capacity`; the ticket stays valid, so call again with room for *count. Also
/// after an error: call again, or cancel. TACT_OK ends the ticket. `revision` may be NULL. Numbers are those of its
/// frame: compare revisions to notice what was deleted since, or replaced under the same number.
TACT_API tact_result tact_pick_target_wait(tact_pick_target* target, tact_pick_ticket ticket, tact_pick* picks,
                                           size_t capacity, size_t* count, uint64_t* revision);
/// Cancels a request. Unknown tickets are ignored.
TACT_API void tact_pick_target_cancel(tact_pick_target* target, tact_pick_ticket ticket);

/// Finds the picks of a region: submits a request and waits for its result.
TACT_API tact_result tact_pick_target_query(tact_pick_target* target, const tact_pick_region* region,
                                            tact_pick_group group, tact_pick* picks, size_t capacity, size_t* count);
