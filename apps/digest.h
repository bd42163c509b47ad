// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

#include <stddef.h>

/// XXH64 (seed 0) of an array's bytes as 16 hexadecimal digits: equal digests mean equal results.
typedef struct tact_digest {
    char text[17];
} tact_digest;

tact_digest tact_digest_of(const void* bytes, size_t size);
