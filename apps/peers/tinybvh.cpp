// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// tinybvh (Bikker), its fastest form for a processor: eight-wide nodes from its builder of high quality, rays one by
// one. Compiled from its sources for this machine.
#define TINYBVH_IMPLEMENTATION
#include <tiny_bvh.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "apps/peers/rays.h"
#include "tact/geometry/types.h"

struct tact_tinybvh {
    tinybvh::BVH8_CPU tree;
    std::unique_ptr<tinybvh::bvhvec4, decltype(&std::free)> corners{nullptr, &std::free};
    int threads;
};

extern "C" {

tact_tinybvh* tact_tinybvh_open(const tact_model* model, int threads)
{
    size_t triangles = 0;
    for (size_t i = 0; i < model->mesh_count; ++i)
        triangles += model->meshes[i].triangle_count;
    if (triangles == 0 || model->instance_count != model->mesh_count) return nullptr;
    auto own = std::make_unique<tact_tinybvh>();
    own->threads = threads;
    own->corners.reset(static_cast<tinybvh::bvhvec4*>(std::aligned_alloc(64, (48 * triangles + 63) / 64 * 64)));
    tinybvh::bvhvec4* to = own->corners.get();
    if (!to) return nullptr;
    for (size_t i = 0; i < model->instance_count; ++i) {
        if (model->instances[i].moved) return nullptr;
        const tact_model_mesh& m = model->meshes[model->instances[i].mesh];
        for (size_t k = 0; k < 3 * m.triangle_count; ++k) {
            const float* p = m.positions + 3 * static_cast<size_t>(m.indices[k]);
            *to++ = tinybvh::bvhvec4(p[0], p[1], p[2], 0.0f);
        }
    }
    own->tree.BuildHQ(own->corners.get(), static_cast<uint32_t>(triangles));
    return own.release();
}

void tact_tinybvh_close(tact_tinybvh* own)
{
    delete own;
}

void tact_tinybvh_cast(const tact_tinybvh* own, bool any, const tact_ray* rays, size_t count, tact_hit* hits,
                       uint8_t* occluded)
{
#pragma omp parallel for num_threads(own->threads) schedule(dynamic, 1024)
    for (size_t i = 0; i < count; ++i) {
        const tact_ray& r = rays[i];
        // Rays get unit directions. 1e30: what the library takes for infinity.
        const float length = std::sqrt(r.dx * r.dx + r.dy * r.dy + r.dz * r.dz);
        const float far = std::min(r.tmax * length, 1e30f);
        tinybvh::Ray ray(tinybvh::bvhvec3(r.ox, r.oy, r.oz), tinybvh::bvhvec3(r.dx, r.dy, r.dz), far);
        if (any) {
            occluded[i] = own->tree.IsOccluded(ray);
            continue;
        }
        own->tree.Intersect(ray);
        const bool hit = ray.hit.t < far;
        hits[i] =
            tact_hit{hit ? 0 : TACT_NONE, hit ? ray.hit.prim : TACT_NONE, ray.hit.t / length, ray.hit.u, ray.hit.v};
    }
}

}  // extern "C"
