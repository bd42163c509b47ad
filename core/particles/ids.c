// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "core/particles/particles.h"

void tact_particles_ids_at(const tact_particles* p, const uint64_t* numbers, size_t count, uint32_t* ids)
{
    uint64_t seen = 0;
    size_t k = 0;
    for (size_t i = 0; i < ((size_t)p->id_end + 63) / 64 && k < count; ++i) {
        uint32_t id = 64 * (uint32_t)i;
        for (uint64_t word = p->used[i]; word; word >>= 1, ++id) {
            for (; (word & 1u) && k < count && numbers[k] == seen; ++k)
                ids[k] = id;
            seen += word & 1u;
        }
    }
    for (; k < count; ++k)
        ids[k] = p->id_end;
}
