// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// For kernels that write contacts: three rows of four words each, as tact_particle_contact. A macro, since functions
// cannot write to buffers.
#ifndef TACT_PARTICLE_LISTING_H
#define TACT_PARTICLE_LISTING_H

// As tact_contact_with.
#define TACT_WITH_PARTICLE 0u
#define TACT_WITH_WALL 1u
#define TACT_WITH_COLLIDER 2u
#define TACT_WITH_BODY 3u

// Contact number `place` of buffer `contacts`: of the particle at `at` (float4), whose id is `a`. `triangle`:
// 0xffffffff where there is none.
#define CONTACT_WRITE(place, at, a, b, with, triangle, touch)                                                \
    {                                                                                                        \
        TactTouch contact_touch = tact_contact_touch(touch);                                                 \
        TactVec contact_point = tact_touching_point(contact_touch, (at).x, (at).y, (at).z, (at).w);          \
        contacts[3u * (place)] = make_uint4((a), (b), (with), (triangle));                                   \
        contacts[3u * (place) + 1u] = make_uint4(as_uint(contact_point.x), as_uint(contact_point.y),         \
                                                 as_uint(contact_point.z), as_uint(contact_touch.depth));    \
        contacts[3u * (place) + 2u] =                                                                        \
            make_uint4(as_uint(contact_touch.nx), as_uint(contact_touch.ny), as_uint(contact_touch.nz), 0u); \
    }

#endif
