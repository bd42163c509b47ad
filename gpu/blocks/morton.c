// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/blocks/blocks.h"

enum { CODES_OF_A_GROUP = 1024 };

tact_result tact_morton_run(tact_device* device, tact_extent_kind kind, tact_buffer* source, uint32_t count,
                            tact_buffer* bounds, bool wide, tact_buffer* codes)
{
    const uint32_t stride = kind == TACT_BOXES ? 2 : 1;
    tact_check_count(device, "morton codes", count);
    tact_check_words(device, "morton codes", "source", source, (uint64_t)count * stride * 4);
    tact_check_words(device, "morton codes", "bounds", bounds, 8);
    tact_check_words(device, "morton codes", "codes", codes, (uint64_t)count * (wide ? 2 : 1));
    if (tact_device_result(device) != TACT_OK || count == 0) return tact_device_result(device);
    const uint32_t groups = count / CODES_OF_A_GROUP + (count % CODES_OF_A_GROUP != 0);
    return TACT_LAUNCH(device, morton_codes, groups, .source = source, .bounds = bounds, .codes = codes, .count = count,
                       .stride = stride, .wide = wide);
}
