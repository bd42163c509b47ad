// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What a hit must pass beside its geometry: the rules of a cast, and its mesh's alpha mask.

#include "cpu_ref/trace/scene.h"
#include "tact/raycast.h"

/// Whether hits must pass tact_trace_passes().
static inline bool tact_trace_is_picky(const tact_trace_scene* scene, const tact_ray_rules* rules)
{
    return (scene->has_alpha && !(rules && rules->ignore_alpha)) || (rules && rules->accept);
}

/// Whether devices can do it: they cannot call the host.
static inline bool tact_trace_on_device(const tact_ray_rules* rules)
{
    return !(rules && rules->accept);
}

/// Whether a cast is of triangles that are all there, with no more than masks and sides to look at: what packets do.
/// Streams and the walk of walk.h do everything.
static inline bool tact_trace_is_plain(const tact_trace_scene* scene, const tact_ray_rules* rules)
{
    return !scene->has_shapes && !tact_trace_is_picky(scene, rules);
}

/// Whether masks have to be looked at. Without those of rays an instance is hit unless its own is 0.
static inline bool tact_trace_has_masks(const tact_trace_scene* scene, const tact_ray_rules* rules)
{
    return scene->has_hidden || (rules && (rules->masks || rules->mask != 0));
}

/// The mask of a ray.
static inline uint32_t tact_trace_mask(const tact_ray_rules* rules, size_t ray)
{
    if (rules && rules->masks) return rules->masks[ray];
    return rules && rules->mask != 0 ? rules->mask : UINT32_MAX;
}

/// The sides that are hit: TACT_FACE_.
static inline uint32_t tact_trace_faces(const tact_ray_rules* rules)
{
    if (!rules || rules->cull == TACT_RAY_CULL_NONE) return TACT_FACE_BOTH;
    return rules->cull == TACT_RAY_CULL_BACK ? TACT_FACE_FRONT : TACT_FACE_BACK;
}

/// Whether a triangle's hit lies on a texel that is there.
static inline bool tact_trace_is_solid(const tact_trace_mesh* mesh, const tact_hit* h)
{
    const tact_trace_alpha* alpha = mesh->alpha;
    const uint32_t* corner = mesh->indices + 3 * (size_t)h->primitive;
    const float *a = alpha->uvs + 2 * (size_t)corner[0], *b = alpha->uvs + 2 * (size_t)corner[1],
                *c = alpha->uvs + 2 * (size_t)corner[2];
    const float x = tact_alpha_coordinate(a[0], b[0], c[0], h->u, h->v);
    const float y = tact_alpha_coordinate(a[1], b[1], c[1], h->u, h->v);
    const size_t column = tact_alpha_texel(x, alpha->width, alpha->wrap);
    const size_t row = tact_alpha_texel(y, alpha->height, alpha->wrap);
    return alpha->texels[row * alpha->width + column] >= alpha->threshold;
}

/// Whether a hit counts, as far as that is not a matter of masks and sides.
static inline bool tact_trace_passes(const tact_trace_mesh* mesh, const tact_ray_rules* rules, size_t index,
                                     const tact_ray* ray, const tact_hit* hit)
{
    if (mesh->alpha && !(rules && rules->ignore_alpha) && !tact_trace_is_solid(mesh, hit)) return false;
    return !(rules && rules->accept) || rules->accept(index, ray, hit, rules->accept_user);
}
