// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Boxes of all sorts to build trees of.

#include "cpu_ref/bvh.h"
#include "tests/support/random.h"

enum { UNIFORM, SAME_BOX, SAME_CENTRE, LINE, EXPONENTIAL, HUGE_COORDINATES, FLAT, TINY, NEEDLES, FAR_AWAY, KINDS };

static inline void fill_boxes(tact_bvh_box* boxes, size_t count, int kind)
{
    test_random r = {17};
    for (size_t i = 0; i < count; ++i) {
        const int along = (int)(i % 3);
        for (int k = 0; k < 3; ++k) {
            float c = test_random_signed(&r), half = 0.01f * test_random_unit(&r);
            switch (kind) {
                case SAME_BOX:
                    c = 1.0f;
                    half = 0.5f;
                    break;
                case SAME_CENTRE:
                    c = 0.0f;
                    half = (float)(i + 1);
                    break;
                case LINE:
                    c = k == 1 ? (float)i : -0.0f;
                    half = 0.0f;
                    break;
                case EXPONENTIAL:  // what drives a surface area heuristic deepest
                    c = ldexpf(1.0f, (int)(i % 120) - 60) * (k == 0 ? 1.0f : 0.0f);
                    half = 0.0f;
                    break;
                case HUGE_COORDINATES:
                    c *= 0x1p60f - 0x1p58f;
                    half *= 0x1p58f;
                    break;
                case FLAT:
                    if (k == 2) c = half = 0.0f;
                    break;
                case TINY:
                    c *= 1e-38f;
                    half *= 1e-40f;
                    break;
                case NEEDLES:
                    half = k == along ? 1.0f : 1e-6f;
                    break;
                case FAR_AWAY:  // where neighbouring numbers are further apart than a byte's step
                    c = 0x1p30f + floorf(8.0f * c) * 0x1p7f;
                    half = 0.0f;
                    break;
                default:
                    break;
            }
            boxes[i].lower[k] = c - half;
            boxes[i].upper[k] = c + half;
        }
    }
}
