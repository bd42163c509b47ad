// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The codes of normals and barycentrics in an image of picks, for fragment shaders, also the callers'. core/pick_code.h
// computes the same in C, operation by operation, and decodes: change both. No division by what may be 0 and no
// reliance on NaN, which drivers may assume away: numbers that are not finite are found by their bits.

bool tact_pick_finite(vec3 v)
{
    uvec3 bits = floatBitsToUint(v) & uvec3(0x7f800000u);
    return bits.x != 0x7f800000u && bits.y != 0x7f800000u && bits.z != 0x7f800000u;
}

uint tact_pick_encode_normal(vec3 normal)
{
    vec3 size = abs(normal);
    float most = max(size.x, max(size.y, size.z));
    if (!tact_pick_finite(normal) || most < 1.17549435e-38) return 0x80008000u;
    vec3 n = normal / most;
    float sum = (abs(n.x) + abs(n.y)) + abs(n.z);
    vec2 p = n.xy / sum;
    if (n.z < 0.0) {
        p = vec2((1.0 - abs(p.y)) * (p.x < 0.0 ? -1.0 : 1.0), (1.0 - abs(p.x)) * (p.y < 0.0 ? -1.0 : 1.0));
    }
    uvec2 steps = uvec2(ivec2(floor(p * 32767.0 + 0.5))) & uvec2(0xffffu);
    return steps.x | (steps.y << 16u);
}

// Of the three vertices; (0, 0, 0): not known.
uint tact_pick_encode_barycentric(vec3 barycentric)
{
    if (!tact_pick_finite(barycentric) || barycentric == vec3(0.0)) return 0xffffffffu;
    uvec2 steps = uvec2(clamp(barycentric.yz, 0.0, 1.0) * 65535.0 + 0.5);
    return steps.x | ((steps.x + steps.y > 65535u ? 65535u - steps.x : steps.y) << 16u);
}
