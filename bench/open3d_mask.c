// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// For comparisons with Open3D 0.16, by LD_PRELOAD: that one casts rays with a mask of 0, which hit nothing where
/// Embree is built with masks, as Debian's is (later versions of Open3D set all bits). Sets all bits, and costs a write
/// a ray.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <embree3/rtcore.h>

#define EMBREE(name) (__typeof__(name)*)dlsym(dlopen("libembree3.so.3", RTLD_LAZY), #name)

void rtcIntersect1M(RTCScene scene, struct RTCIntersectContext* context, struct RTCRayHit* rays, unsigned int count,
                    size_t stride)
{
    static __typeof__(rtcIntersect1M)* next;
    if (!next) next = EMBREE(rtcIntersect1M);
    for (unsigned int i = 0; i < count; ++i)
        ((struct RTCRayHit*)((char*)rays + i * stride))->ray.mask = ~0u;
    next(scene, context, rays, count, stride);
}

void rtcOccluded1M(RTCScene scene, struct RTCIntersectContext* context, struct RTCRay* rays, unsigned int count,
                   size_t stride)
{
    static __typeof__(rtcOccluded1M)* next;
    if (!next) next = EMBREE(rtcOccluded1M);
    for (unsigned int i = 0; i < count; ++i)
        ((struct RTCRay*)((char*)rays + i * stride))->mask = ~0u;
    next(scene, context, rays, count, stride);
}
