// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A test of concave objects as the reference defines it, which the CPU must give too. Include after run.h.

#include "tact/image_space.h"

static inline void cells_by(tact_image_tester* tester, const tact_image_work* work, tact_backend backend)
{
    const tact_query_options options = {.backend = backend, .no_fallback = true};
    assert_int_equal(tact_image_concave(tester, work, &options, NULL), TACT_OK);
}

/// The result by readback of test `i`; the words of all four masks (A's solid, edges of B, B's solid, edges of A) if
/// `keep` is not NULL, which are the caller's to free.
static inline tact_image_result cells_reference(tact_image_tester* tester, const tact_image_body* a,
                                                const tact_image_body* b, size_t i, uint32_t resolution,
                                                uint32_t* keep[4])
{
    tact_image_body bodies[2] = {*a, *b};
    for (int k = 0; k < 2; ++k) {
        bodies[k].closed = true;
        if (bodies[k].pose_count > 1) bodies[k].poses += i;
        if (bodies[k].pose_count > 1) bodies[k].pose_count = 1;
    }
    const size_t words = (size_t)resolution * resolution * (tact_image_slots(resolution) + 1) / 32;
    const tact_image_options options = {.method = TACT_IMAGE_READBACK, .resolution = resolution};
    uint32_t* masks[2][4];
    tact_image_result r[2];
    for (int which = 0; which < 2; ++which) {
        for (int k = 0; k < 4; ++k) {
            masks[which][k] = malloc(words * 4);
            assert_non_null(masks[which][k]);
        }
        uint32_t** m = masks[which];
        const tact_image_cells cells = {.solid_a = m[0], .edges_b = m[1], .solid_b = m[2], .edges_a = m[3]};
        const tact_image_work work = {
            .a = &bodies[0], .b = &bodies[1], .options = &options, .results = &r[which], .count = 1, .cells = &cells};
        cells_by(tester, &work, which == 0 ? TACT_BACKEND_REFERENCE : TACT_BACKEND_CPU);
    }
    assert_memory_equal(&r[0], &r[1], sizeof r[0]);
    for (int k = 0; k < 4; ++k) {
        assert_memory_equal(masks[0][k], masks[1][k], words * 4);
        if (keep) {
            keep[k] = masks[0][k];
        } else {
            free(masks[0][k]);
        }
        free(masks[1][k]);
    }
    return r[0];
}
