// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "cpu_ref/geometry/ray_internal.h"

/// Adds the part of a ray in a convex piece of a convex solid to that in other pieces.
static void add_part(tact_ray_solid_hit* whole, tact_ray_solid_hit part)
{
    if (!part.hit) return;
    if (!whole->hit || part.t < whole->t) {
        whole->t = part.t;
        whole->normal = part.normal;
    }
    if (!whole->hit || part.exit > whole->exit) {
        whole->exit = part.exit;
        whole->exit_normal = part.exit_normal;
    }
    whole->hit = true;
}

static tact_vec3 corner_of(const tact_lozenge* l, int i, int k)
{
    const dvec u = d_scale(d_from(l->edge[0]), (double)i), v = d_scale(d_from(l->edge[1]), (double)k);
    return d_round(d_add(d_from(l->corner), d_add(u, v)));
}

/// The part between the flat sides.
static tact_ray_solid_hit in_middle(const tact_ray* ray, const tact_lozenge* l)
{
    const dvec u = d_from(l->edge[0]), v = d_from(l->edge[1]), n = d_unit(d_cross(u, v)), c = d_from(l->corner);
    const dvec across[2] = {d_cross(v, n), d_cross(n, u)};  // of the edges' lengths; each is 0 along the other edge
    const tact_ray_solid_hit miss = {.hit = false};
    if (!(d_dot(n, n) > 0.0)) return miss;
    tact_vec3 normals[3] = {d_round(n), {0, 0, 0}, {0, 0, 0}};
    float lower[3], upper[3];
    // Along the normal as it is rounded.
    const double middle = d_dot(d_from(normals[0]), d_add(c, d_scale(d_add(u, v), 0.5)));
    lower[0] = (float)(middle - (double)l->radius);
    upper[0] = (float)(middle + (double)l->radius);
    for (int i = 0; i < 2; ++i) {
        const dvec way = i == 0 ? u : v;
        normals[i + 1] = d_round(d_unit(across[i]));
        const double from = d_dot(d_from(normals[i + 1]), c), to = from + d_dot(d_from(normals[i + 1]), way);
        lower[i + 1] = (float)fmin(from, to);
        upper[i + 1] = (float)fmax(from, to);
    }
    return tact_ray_slabs(ray, normals, lower, upper, 3);
}

tact_ray_solid_hit tact_ray_lozenge(const tact_ray* ray, const tact_lozenge* lozenge)
{
    tact_ray_solid_hit hit = {.hit = false};
    const tact_vec3 corner[4] = {corner_of(lozenge, 0, 0), corner_of(lozenge, 1, 0), corner_of(lozenge, 1, 1),
                                 corner_of(lozenge, 0, 1)};
    if (!v_finite(lozenge->corner) || !v_finite(lozenge->edge[0]) || !v_finite(lozenge->edge[1])) return hit;
    if (!(lozenge->radius >= 0.0f) || !isfinite(lozenge->radius)) return hit;
    for (int i = 0; i < 4; ++i) {
        const tact_capsule side = {corner[i], corner[(i + 1) % 4], lozenge->radius};
        add_part(&hit, tact_ray_capsule(ray, &side));
    }
    add_part(&hit, in_middle(ray, lozenge));
    return hit;
}
