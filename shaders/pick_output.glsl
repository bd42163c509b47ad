// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The codes of normals and barycentrics in an image of picks, for fragment shaders, also the callers'. cpu_ref/pick/code.h
// computes the same bits in C and decodes: change both. No division but of whole numbers, since shaders divide others
// only nearly; floats are multiplied by powers of two, or `precise`. No reliance on NaN, which drivers may assume away:
// numbers that are not finite are found by their bits.

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
    size = mix(size, vec3(0.0), lessThan(size, vec3(1.17549435e-38)));
    float first = most < 8.67361738e-19 ? 18446744073709551616.0 : 1.0;  // 2^-60, 2^64
    uint exponent = floatBitsToUint(most * first) >> 23u;
    float scale = uintBitsToFloat((269u - exponent) << 23u);  // 2^15 over the power of two that most has
    uvec3 whole = min(uvec3(size * first * scale + 0.5), uvec3(65535u));
    uint sum = whole.x + whole.y + whole.z;
    uvec2 steps = (whole.xy * 65534u + sum) / (2u * sum);
    if (normal.z < 0.0 && whole.z > 0u) steps = 32767u - steps.yx;
    if (normal.x < 0.0 && whole.x > 0u) steps.x = 0u - steps.x;
    if (normal.y < 0.0 && whole.y > 0u) steps.y = 0u - steps.y;
    return (steps.x & 0xffffu) | (steps.y << 16u);
}

// Of the three vertices; (0, 0, 0): not known.
uint tact_pick_encode_barycentric(vec3 barycentric)
{
    bool none = all(lessThan(abs(barycentric), vec3(1.17549435e-38)));
    if (none || !tact_pick_finite(barycentric)) return 0xffffffffu;
    precise vec2 rounded = clamp(barycentric.yz, 0.0, 1.0) * 65535.0 + 0.5;
    uvec2 steps = uvec2(rounded);
    return steps.x | ((steps.x + steps.y > 65535u ? 65535u - steps.x : steps.y) << 16u);
}
