// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The generated scenes of apps/inputs/scenes.h as tests take them. Include after run.h.

#include "apps/inputs/scenes.h"
#include "tests/support/test_context.h"

/// The quick model of a scene, and it built in the program's context. The caller frees both.
static inline tact_scene* build_test_scene(const tact_test_scene* test, tact_model* model, tact_scene_stats* stats)
{
    tact_problem problem = {0};
    tact_scene* scene = NULL;
    *model = (tact_model){0};
    if (!test->make(true, model, &problem)) fail_msg("%s: %s", test->name, problem.text);
    if (!tact_model_build(model, context, &scene, stats, &problem)) fail_msg("%s: %s", test->name, problem.text);
    return scene;
}

/// An instance's triangle in the world, moved in double precision.
static inline tact_triangle triangle_of(const tact_model* model, size_t instance, size_t primitive)
{
    double corners[3][3];
    tact_model_corners(model, instance, primitive, corners);
    tact_triangle t;
    float* at = &t.a.x;
    for (int c = 0; c < 9; ++c)
        at[c] = (float)corners[c / 3][c % 3];
    return t;
}
