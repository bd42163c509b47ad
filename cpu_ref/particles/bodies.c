// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "cpu_ref/particles/bodies.h"

void tact_body_free(tact_env* env, tact_particle_body* body)
{
    (void)env;
    (void)body;
}

size_t tact_body_touches(const tact_particle_body* body, const float center[3], float radius,
                         tact_body_touch touches[TACT_BODY_TOUCHES])
{
    (void)body;
    (void)center;
    (void)radius;
    (void)touches;
    return 0;
}

float tact_body_distance(const tact_particle_body* body, const float point[3], float limit, float normal[3])
{
    (void)body;
    (void)point;
    normal[0] = normal[1] = normal[2] = 0.0f;
    return 2.0f * limit + 1.0f;
}
