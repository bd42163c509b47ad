// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// For kernels that include particle_way.h and of which there are two: NAME, and with WAY_BODIES defined NAME_bodies,
// which gets the buffer `bodies` as well. So those who have no meshes nor height fields do not pay for the search. Has
// no guard, since gpu/kernel_table.c reads all kernels in one go.
#undef WAY_KERNEL
#undef WAY_BUFFER
#ifdef WAY_BODIES
#define WAY_KERNEL(name) name##_bodies
#define WAY_BUFFER(index) READ(index, uint4, bodies)
#else
#define WAY_KERNEL(name) name
#define WAY_BUFFER(index)
#endif
