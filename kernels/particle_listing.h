// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// For kernels that write contacts: three rows of four words each, as tact_particle_contact. A contact's point is on the
// particle's surface, half the depth inside. A macro, since functions cannot write to buffers.
#ifndef TACT_PARTICLE_LISTING_H
#define TACT_PARTICLE_LISTING_H

// As tact_contact_with.
#define TACT_WITH_PARTICLE 0u
#define TACT_WITH_WALL 1u
#define TACT_WITH_COLLIDER 2u
#define TACT_WITH_BODY 3u

// Contact number `place` of buffer `contacts`: of the particle at `at` (float4), whose id is `a`. `triangle`:
// 0xffffffff where there is none.
#define CONTACT_WRITE(place, at, a, b, with, triangle, touch)                                                        \
    {                                                                                                                \
        PRECISE float contact_inward = (at).w - 0.5f * (touch).depth;                                                \
        PRECISE float contact_x = (at).x + (touch).nx * contact_inward;                                              \
        PRECISE float contact_y = (at).y + (touch).ny * contact_inward;                                              \
        PRECISE float contact_z = (at).z + (touch).nz * contact_inward;                                              \
        contacts[3u * (place)] = make_uint4((a), (b), (with), (triangle));                                           \
        contacts[3u * (place) + 1u] =                                                                                \
            make_uint4(as_uint(contact_x), as_uint(contact_y), as_uint(contact_z), as_uint((touch).depth));          \
        contacts[3u * (place) + 2u] = make_uint4(as_uint((touch).nx), as_uint((touch).ny), as_uint((touch).nz), 0u); \
    }

#endif
