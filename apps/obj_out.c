// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/text.h"

#include <inttypes.h>

#include "apps/system.h"

bool tact_obj_write(const char* path, const float* positions, size_t vertex_count, const uint32_t* indices,
                    size_t triangle_count, tact_problem* problem)
{
    tact_text text = {0};
    for (size_t i = 0; i < vertex_count && !text.failed; ++i) {
        // Nine digits give every float back.
        const float* p = positions + 3 * i;
        tact_text_put(&text, "v %.9g %.9g %.9g\n", (double)p[0], (double)p[1], (double)p[2]);
    }
    for (size_t i = 0; i < triangle_count && !text.failed; ++i) {
        const uint32_t* v = indices + 3 * i;
        tact_text_put(&text, "f %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", (uint64_t)v[0] + 1, (uint64_t)v[1] + 1,
                      (uint64_t)v[2] + 1);
    }
    const bool good = text.failed ? tact_problem_out_of_memory(problem, path)
                                  : tact_file_replace(path, "", 0, text.bytes ? text.bytes : "", text.size, problem);
    tact_text_free(&text);
    return good;
}
