// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What was saved, changed behind a header that fits.

#include "base/archive.h"
#include "base/bytes.h"

/// Mends the size, the digests and the checksum of `size` bytes, where there is a body of such a size.
static inline void saved_mend(uint8_t* bytes, size_t size)
{
    const size_t end = (size_t)tact_archive_body_end(size);
    tact_put_u64(bytes + 16, size);
    if (end > 0) tact_archive_seal(bytes, bytes, tact_get_u32(bytes + 8), tact_get_u32(bytes + 12), end);
}

/// Turns it into what a version without digests has written. Returns the new size.
static inline size_t saved_as_version(uint8_t* bytes, size_t size, uint32_t version, uint32_t parts)
{
    const size_t end = (size_t)tact_archive_body_end(size);
    tact_archive_sum sum = tact_archive_sum_begin();
    tact_archive_sum_add(&sum, bytes + TACT_SAVED_HEADER, end - TACT_SAVED_HEADER);
    tact_put_u32(bytes + 8, version);
    tact_put_u32(bytes + 12, parts);
    tact_put_u64(bytes + 16, end);
    tact_put_u64(bytes + TACT_SAVED_CHECKSUM_AT, tact_archive_sum_end(&sum));
    return end;
}
