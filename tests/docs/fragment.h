// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What stands around the code of the documents that is no whole program: things that a reader knows to have.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tact/tact.h>

#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#endif

extern tact_context* context;
extern tact_scene* scene;
extern tact_bodies* bodies;
extern tact_picker* picker;
extern tact_particles* particles;
extern tact_ranks* ranks;
extern tact_pick_view view;
extern tact_ray* rays;
extern tact_hit* hits;
extern float* positions;
extern size_t count;
extern uint32_t rays_name, hits_name;

void* my_allocate(size_t size, size_t alignment, void* user);
void my_release(void* memory, void* user);
extern void* my_heap;
void my_log(tact_log_level level, const char* source, const char* message, void* user);
bool my_assertion(const char* condition, const char* file, int line, void* user);
tact_gl_function my_get_proc_address(const char* name);
