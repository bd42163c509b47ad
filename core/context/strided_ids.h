// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Ids in structs of the caller's: a pointer to the first, and the bytes from one to the next (0: nothing is between).

#include <string.h>

#include "base/env.h"

static inline uint32_t tact_strided_id(const uint32_t* ids, size_t stride, size_t i)
{
    uint32_t id;
    memcpy(&id, (const char*)ids + i * (stride ? stride : sizeof id), sizeof id);
    return id;
}

/// Errors: INVALID_ARGUMENT (they overlap).
static inline tact_result tact_strided_ids_check(tact_env* env, size_t stride)
{
    if (stride == 0 || stride >= sizeof(uint32_t)) return TACT_OK;
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a stride of %zu bytes; it must be 0 or at least 4", stride);
}
