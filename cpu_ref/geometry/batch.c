// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/geometry/batch.h"

#include <math.h>

#include "cpu_ref/geometry/batch_internal.h"

static const tact_batch_tests* const tables[] = {TACT_LANE_TABLES(tact_batch)};

const tact_batch_tests* tact_batch_level(int level)
{
    return tact_lanes_supported(level) ? tables[level] : NULL;
}

static const tact_batch_tests* best(void)
{
    return tables[tact_lanes_best(TACT_LANE_LEVELS)];
}

static size_t nothing(size_t count, uint32_t* bits)
{
    for (size_t i = 0; i < count; i += 32)
        bits[i / 32] = 0;
    return 0;
}

static void fill(float* p, size_t count, float value)
{
    for (size_t i = 0; p && i < count; ++i)
        p[i] = value;
}

static tact_batch_spheres one_sphere(const tact_sphere* s)
{
    const tact_batch_spheres one = {&s->center.x, &s->center.y, &s->center.z, &s->radius};
    return one;
}

static tact_batch_aabbs one_aabb(const tact_aabb* b)
{
    const tact_batch_aabbs one = {{&b->lower.x, &b->lower.y, &b->lower.z}, {&b->upper.x, &b->upper.y, &b->upper.z}};
    return one;
}

size_t tact_batch_sphere_spheres(tact_sphere one, const tact_batch_spheres* many, size_t count, uint32_t* bits)
{
    const tact_batch_spheres a = one_sphere(&one);
    return best()->sphere_sphere(&a, many, TACT_BATCH_FIRST, count, bits);
}

size_t tact_batch_sphere_pairs(const tact_batch_spheres* a, const tact_batch_spheres* b, size_t count, uint32_t* bits)
{
    return best()->sphere_sphere(a, b, TACT_BATCH_PAIRS, count, bits);
}

size_t tact_batch_sphere_aabbs(tact_sphere one, const tact_batch_aabbs* many, size_t count, uint32_t* bits)
{
    const tact_batch_spheres a = one_sphere(&one);
    return best()->sphere_aabb(&a, many, TACT_BATCH_FIRST, count, bits);
}

size_t tact_batch_aabb_spheres(tact_aabb one, const tact_batch_spheres* many, size_t count, uint32_t* bits)
{
    const tact_batch_aabbs b = one_aabb(&one);
    return best()->sphere_aabb(many, &b, TACT_BATCH_SECOND, count, bits);
}

size_t tact_batch_sphere_aabb_pairs(const tact_batch_spheres* spheres, const tact_batch_aabbs* boxes, size_t count,
                                    uint32_t* bits)
{
    return best()->sphere_aabb(spheres, boxes, TACT_BATCH_PAIRS, count, bits);
}

size_t tact_batch_aabb_aabbs(tact_aabb one, const tact_batch_aabbs* many, size_t count, uint32_t* bits)
{
    const tact_batch_aabbs a = one_aabb(&one);
    return best()->aabb_aabb(&a, many, TACT_BATCH_FIRST, count, bits);
}

size_t tact_batch_aabb_pairs(const tact_batch_aabbs* a, const tact_batch_aabbs* b, size_t count, uint32_t* bits)
{
    return best()->aabb_aabb(a, b, TACT_BATCH_PAIRS, count, bits);
}

size_t tact_batch_ray_aabbs(const tact_ray* one, const tact_batch_aabbs* many, size_t count, uint32_t* bits,
                            float* enter)
{
    const tact_batch_rays a = {{&one->ox, &one->oy, &one->oz}, {&one->dx, &one->dy, &one->dz}, &one->tmin, &one->tmax};
    return best()->ray_aabb(&a, many, TACT_BATCH_FIRST, count, bits, enter);
}

size_t tact_batch_aabb_rays(tact_aabb one, const tact_batch_rays* many, size_t count, uint32_t* bits, float* enter)
{
    const tact_batch_aabbs b = one_aabb(&one);
    return best()->ray_aabb(many, &b, TACT_BATCH_SECOND, count, bits, enter);
}

size_t tact_batch_ray_triangles(const tact_ray* one, const tact_batch_triangles* many, size_t count, uint32_t* bits,
                                float* t, float* u, float* v)
{
    const tact_batch_shot shot = {
        tact_ray_frame(one->ox, one->oy, one->oz, one->dx, one->dy, one->dz), one->tmin, one->tmax, t, u, v};
    if (shot.frame.valid && one->tmin <= one->tmax) return best()->ray_triangle(&shot, many, count, bits);
    fill(t, count, 0.0f);
    fill(u, count, 0.0f);
    fill(v, count, 0.0f);
    return nothing(count, bits);
}
