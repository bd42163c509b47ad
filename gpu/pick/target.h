// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The caller's pick target on OpenGL: tact/pick_target.h, whose functions these are, with the arguments checked for
/// NULL. Between tact_device_enter and tact_device_leave, but for textures, current.

#include "gpu/pick/scene.h"
#include "tact/pick_target.h"

typedef struct tact_gpu_pick_target tact_gpu_pick_target;

tact_result tact_gpu_pick_target_create(tact_device* device, const tact_pick_target_desc* desc,
                                        tact_gpu_pick_target** target);
/// NULL is allowed.
void tact_gpu_pick_target_destroy(tact_gpu_pick_target* target);
tact_result tact_gpu_pick_target_resize(tact_gpu_pick_target* target, uint32_t width, uint32_t height,
                                        uint32_t samples);
void tact_gpu_pick_target_textures(const tact_gpu_pick_target* target, uint32_t textures[2]);
tact_result tact_gpu_pick_target_attach(tact_gpu_pick_target* target, uint32_t first);
tact_result tact_gpu_pick_target_detach(tact_gpu_pick_target* target);
tact_result tact_gpu_pick_target_clear(tact_gpu_pick_target* target);
tact_result tact_gpu_pick_target_drawn(tact_gpu_pick_target* target, const tact_pick_view* view, int32_t x, int32_t y,
                                       uint64_t revision);
tact_result tact_gpu_pick_target_begin(tact_gpu_pick_target* target, const tact_pick_view* view, uint64_t revision);
tact_result tact_gpu_pick_target_end(tact_gpu_pick_target* target);
tact_result tact_gpu_pick_target_draw(tact_gpu_pick_target* target, const tact_drawn_scene* scene,
                                      const tact_pick_view* view, uint64_t revision);
bool tact_gpu_pick_target_current(const tact_gpu_pick_target* target, const tact_pick_view* view, uint64_t revision);

tact_result tact_gpu_pick_target_submit(tact_gpu_pick_target* target, const tact_pick_region* region,
                                        tact_pick_group group, tact_pick_ticket* ticket);
tact_result tact_gpu_pick_target_poll(tact_gpu_pick_target* target, tact_pick_ticket ticket, bool* done);
tact_result tact_gpu_pick_target_wait(tact_gpu_pick_target* target, tact_pick_ticket ticket, tact_pick* picks,
                                      size_t capacity, size_t* count, uint64_t* revision);
void tact_gpu_pick_target_cancel(tact_gpu_pick_target* target, tact_pick_ticket ticket);

/// For tests: what is behind a caller's target.
tact_gpu_pick_target* tact_pick_target_gpu(tact_pick_target* target);
