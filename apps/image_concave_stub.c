// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// In place of functions of the library that are not there yet. To be deleted, with its line in CMakeLists.txt.

#include "tact/image_space.h"

tact_result tact_image_concave(tact_image_tester* tester, const tact_image_body* a, const tact_image_body* b,
                               const tact_image_options* options, tact_image_result* results, size_t count)
{
    (void)tester, (void)a, (void)b, (void)options, (void)results, (void)count;
    return TACT_ERROR_UNSUPPORTED;
}

uint32_t tact_image_slots(uint32_t resolution)
{
    return resolution < 64 ? 127 : resolution < 256 ? 255 : 511;
}

tact_result tact_image_concave_picture(tact_image_tester* tester, const tact_image_body* a, const tact_image_body* b,
                                       uint32_t resolution, const tact_image_cells* cells, tact_image_result* result)
{
    (void)tester, (void)a, (void)b, (void)resolution, (void)cells, (void)result;
    return TACT_ERROR_UNSUPPORTED;
}
