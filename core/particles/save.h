// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Saved particle systems: what tests need to break them on purpose.

#include <stddef.h>
#include <stdint.h>

/// A saved system begins with 8 bytes "TACTPART", the version and a zero (4 bytes each), the size of the whole and the
/// checksum of what follows (8 bytes each).
enum { TACT_SAVED_HEADER = 32, TACT_SAVED_CHECKSUM_AT = 24 };

/// The checksum of the bytes behind the header. The step for eight bytes is a bijection of the sum so far, so that a
/// change within any eight bytes alone is always noticed.
uint64_t tact_particles_checksum(const uint8_t* bytes, size_t size);
