// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What several of the shaders that draw concave objects compute. Answers are the same on every device only as long as
// all of these round alike. The build puts this text where they include it.

struct wide {
    int upper;
    uint lower;
};

wide cross_of(ivec2 a, ivec2 b)
{
    int ah, al, bh, bl;
    imulExtended(a.x, b.y, ah, al);
    imulExtended(a.y, b.x, bh, bl);
    return wide(ah - bh - (uint(al) < uint(bl) ? 1 : 0), uint(al) - uint(bl));
}

// In pieces that floats hold exactly, so that every device rounds alike.
float to_float(int v)
{
    precise float r = float(v >> 16) * 65536.0 + float(v & 0xffff);
    return r;
}

float to_float(wide v)
{
    precise float r = float(v.upper >> 16) * 65536.0 + float(v.upper & 0xffff);
    r = r * 65536.0 + float(v.lower >> 16);
    r = r * 65536.0 + float(v.lower & 0xffffu);
    return r;
}

// 1 - q a, exact where q is nearly 1 / a (kernels/arithmetic.h).
float residual(float a, float q)
{
    precise float p = q * a;
    precise float cq = 4097.0 * q;
    precise float dq = cq - q;
    precise float qh = cq - dq;
    precise float ql = q - qh;
    precise float ca = 4097.0 * a;
    precise float da = ca - a;
    precise float ah = ca - da;
    precise float al = a - ah;
    precise float e = qh * ah - p;
    e = e + qh * al;
    e = e + ql * ah;
    e = e + ql * al;
    precise float r = (1.0 - p) - e;
    return r;
}

// Rounded to nearest, which a device's own division need not be.
float reciprocal(float a)
{
    float size = abs(a);
    precise float q = 1.0 / size;
    float r = residual(size, q);
    for (int i = 0; i < 4; ++i) {
        float next = uintBitsToFloat(floatBitsToUint(q) + (r > 0.0 ? 1u : 0xffffffffu));
        float rn = residual(size, next);
        if (r == 0.0 || !(abs(rn) < abs(r))) break;
        q = next;
        r = rn;
    }
    return a < 0.0 ? -q : q;
}

// Bits from `first` on, of the 32 from `base` on.
uint word_from(int first, int base)
{
    int shift = first - base;
    return shift <= 0 ? 0xffffffffu : shift >= 32 ? 0u : 0xffffffffu << uint(shift);
}

uvec4 words_from(int first, int base)
{
    return uvec4(word_from(first, base), word_from(first, base + 32), word_from(first, base + 64),
                 word_from(first, base + 96));
}
