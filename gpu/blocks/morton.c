// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/blocks/morton.h"

enum { CODES_OF_A_GROUP = 1024 };

tact_result tact_morton_run(tact_device* device, tact_extent_kind kind, tact_buffer* source, uint32_t count,
                            tact_buffer* bounds, bool wide, tact_buffer* codes)
{
    const uint32_t stride = kind == TACT_BOXES ? 2 : 1;
    tact_result status = tact_check_count(device, "morton codes", count);
    if (!status) status = tact_check_words(device, "morton codes", "source", source, (uint64_t)count * stride * 4);
    if (!status) status = tact_check_words(device, "morton codes", "bounds", bounds, 8);
    if (!status) status = tact_check_words(device, "morton codes", "codes", codes, (uint64_t)count * (wide ? 2 : 1));
    if (status || count == 0) return status;
    const tact_arg args[] = {
        tact_arg_buffer(source), tact_arg_buffer(bounds), tact_arg_buffer(codes),
        tact_arg_uint(count),    tact_arg_uint(stride),   tact_arg_uint(wide),
    };
    const uint32_t groups = count / CODES_OF_A_GROUP + (count % CODES_OF_A_GROUP != 0);
    return tact_device_launch(device, TACT_KERNEL_morton_codes, groups, args, sizeof args / sizeof args[0]);
}
