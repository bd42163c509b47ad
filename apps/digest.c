// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/timing.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <xxhash.h>

tact_digest tact_digest_of(const void* bytes, size_t size)
{
    tact_digest digest;
    snprintf(digest.text, sizeof digest.text, "%016" PRIx64, (uint64_t)XXH64(bytes, size, 0));
    return digest;
}
