// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/geometry/predicates.h"

#include <string.h>

#include "cpu_ref/geometry/predicates_internal.h"
#include "cpu_ref/geometry/vec.h"

// ---- Exact: sums of products of floats as integers ----

// A finite float is an integer times 2^-149, so a product of n is one times 2^-149n. The largest sum has 360 products
// of five factors below 2^128: it is below 2^(5 (128 + 149) + 9) = 2^1394 on its scale.
enum { LEAST_EXPONENT = -149, WORDS = 22, MAX_POINTS = 5 };

/// sign * mantissa * 2^(shift - 149)
typedef struct digits {
    uint32_t mantissa;  // below 2^24
    int shift;
    bool negative;
} digits;

/// Up to five mantissas: 120 bits.
typedef struct product {
    uint64_t high, low;
    int shift;
    bool negative;
} product;

/// The positive and the negative terms apart, so that carries stay short.
typedef struct sum {
    uint64_t part[2][WORDS];
} sum;

/// The rows x y [z] [x^2 + y^2 + z^2] 1 of a determinant.
typedef struct matrix {
    digits at[MAX_POINTS][3];
    int points, columns;
    bool lifted;
} matrix;

static digits digits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t fraction = bits & 0x7fffffu;
    const int exponent = (int)(bits >> 23 & 0xffu);
    const digits d = {exponent ? fraction | 0x800000u : fraction, exponent ? exponent - 1 : 0, bits >> 31 != 0};
    return d;
}

static product times(product p, digits d)
{
    const uint64_t lowest = (p.low & 0xffffffffu) * d.mantissa;
    const uint64_t middle = (p.low >> 32) * d.mantissa + (lowest >> 32);
    p.high = p.high * d.mantissa + (middle >> 32);
    p.low = middle << 32 | (lowest & 0xffffffffu);
    p.shift += d.shift;
    p.negative = p.negative != d.negative;
    return p;
}

static uint64_t add_with_carry(uint64_t* to, uint64_t x, uint64_t carry)
{
    const uint64_t partial = *to + x;
    const uint64_t total = partial + carry;
    const uint64_t out = (uint64_t)(partial < x) + (uint64_t)(total < partial);
    *to = total;
    return out;
}

static void add_product(sum* s, product p, bool negate)
{
    uint64_t* word = s->part[p.negative != negate] + p.shift / 64;
    const int bit = p.shift % 64;
    const uint64_t low = p.low << bit;
    const uint64_t middle = bit ? p.high << bit | p.low >> (64 - bit) : p.high;
    const uint64_t high = bit ? p.high >> (64 - bit) : 0;
    uint64_t carry = add_with_carry(&word[0], low, 0);
    carry = add_with_carry(&word[1], middle, carry);
    // The top product ends below 2^1385, so what would lie past the last word is zero.
    if ((high | carry) == 0) return;
    carry = add_with_carry(&word[2], high, carry);
    for (int k = 3; carry; ++k)
        carry = add_with_carry(&word[k], 0, carry);
}

/// Adds the products of `p` with the squared coordinates of a point.
static void add_lifted(sum* s, const matrix* m, int row, product p, bool negate)
{
    for (int k = 0; k < m->columns; ++k) {
        const digits d = m->at[row][k];
        if (d.mantissa) add_product(s, times(times(p, d), d), negate);
    }
}

/// All ways to choose a row for each column from `column` on, of those not in `used`. A choice is an odd permutation if
/// it passes over an odd number of free rows.
static void expand(sum* s, const matrix* m, int column, unsigned used, product p, bool odd)
{
    if (column == m->columns && !m->lifted) {
        add_product(s, p, odd);
        return;
    }
    bool passed = odd;
    for (int row = 0; row < m->points; ++row) {
        if (used >> row & 1u) continue;
        if (column == m->columns) {
            add_lifted(s, m, row, p, passed);
        } else if (m->at[row][column].mantissa) {
            expand(s, m, column + 1, used | 1u << row, times(p, m->at[row][column]), passed);
        }
        passed = !passed;
    }
}

static sum exact_sum(const matrix* m)
{
    sum s;
    memset(&s, 0, sizeof s);
    const product one = {0, 1, 0, false};
    expand(&s, m, 0, 0, one, false);
    return s;
}

/// The magnitude of the difference of the parts into part[0]; its sign.
static int settle(sum* s)
{
    int top = WORDS - 1;
    while (top >= 0 && s->part[0][top] == s->part[1][top])
        --top;
    if (top < 0) return 0;
    const int sign = s->part[0][top] > s->part[1][top] ? 1 : -1;
    uint64_t* const more = s->part[sign < 0];
    const uint64_t* const less = s->part[sign > 0];
    uint64_t borrow = 0;
    for (int k = 0; k < WORDS; ++k) {
        const uint64_t a = more[k], b = less[k];
        const uint64_t partial = a - b;
        s->part[0][k] = partial - borrow;
        borrow = (uint64_t)(a < b) + (uint64_t)(partial < borrow);
    }
    return sign;
}

/// The 64 bits from the highest one that is set, the last of them set too if any lower one is.
static uint64_t leading_bits(const uint64_t* word, int top, int bits)
{
    uint64_t x = word[top] << (64 - bits);
    uint64_t rest = 0;
    if (top > 0) {
        if (bits < 64) x |= word[top - 1] >> bits;
        rest = bits < 64 ? word[top - 1] << (64 - bits) : word[top - 1];
    }
    for (int k = 0; k < top - 1; ++k)
        rest |= word[k];
    return x | (uint64_t)(rest != 0);
}

/// The sum rounded to nearest, ties to even. Far from the ends of double: from 2^-745 to 2^650.
static double rounded(sum* s, int factors)
{
    const int sign = settle(s);
    if (sign == 0) return 0.0;
    int top = WORDS - 1;
    while (s->part[0][top] == 0)
        --top;
    int bits = 0;
    while (bits < 64 && s->part[0][top] >> bits)
        ++bits;
    uint64_t x = leading_bits(s->part[0], top, bits);
    const uint64_t cut = x & 0x7ffu;
    x >>= 11;
    if (cut > 0x400u || (cut == 0x400u && (x & 1u))) ++x;
    return sign * ldexp((double)x, 64 * top + bits - 53 + factors * LEAST_EXPONENT);
}

static void set_row2(matrix* m, int row, tact_vec2 p)
{
    m->at[row][0] = digits_of(p.x);
    m->at[row][1] = digits_of(p.y);
}

static void set_row3(matrix* m, int row, tact_vec3 p)
{
    m->at[row][0] = digits_of(p.x);
    m->at[row][1] = digits_of(p.y);
    m->at[row][2] = digits_of(p.z);
}

static double exact2(const tact_vec2* p, int points)
{
    matrix m = {.points = points, .columns = 2, .lifted = points == 4};
    for (int i = 0; i < points; ++i) {
        if (!isfinite(p[i].x) || !isfinite(p[i].y)) return (double)NAN;
        set_row2(&m, i, p[i]);
    }
    sum s = exact_sum(&m);
    return rounded(&s, points == 4 ? 4 : 2);
}

static double exact3(const tact_vec3* p, int points)
{
    matrix m = {.points = points, .columns = 3, .lifted = points == 5};
    for (int i = 0; i < points; ++i) {
        if (!v_finite(p[i])) return (double)NAN;
        set_row3(&m, i, p[i]);
    }
    sum s = exact_sum(&m);
    return rounded(&s, points == 5 ? 5 : 3);
}

static int sign_of(double x)
{
    return (x > 0.0) - (x < 0.0);
}

// ---- Fast: double precision with a bound ----

// Shewchuk's first bounds, as multiples of the sum of the magnitudes. Products of up to five differences of floats
// neither overflow nor underflow in double precision, which his proofs suppose. A NaN or an infinity makes the bound
// NaN or infinite, and the comparison fails. A sum of 0 is exact: each product has a factor that is 0. The first two,
// in predicates_internal.h, are proved by tests/proofs/orient.gappa.
#define BOUND_INCIRCLE ((10.0 + 96.0 * 0x1p-53) * 0x1p-53)
#define BOUND_INSPHERE ((16.0 + 224.0 * 0x1p-53) * 0x1p-53)

/// `margin` 1 for the sign alone, more for a relative error of at most 1 / margin.
static bool quick_orient2d(tact_vec2 a, tact_vec2 b, tact_vec2 c, double margin, double* det)
{
    const double left = ((double)a.x - (double)c.x) * ((double)b.y - (double)c.y);
    const double right = ((double)a.y - (double)c.y) * ((double)b.x - (double)c.x);
    *det = left - right;
    const double size = fabs(left) + fabs(right);
    return fabs(*det) > margin * TACT_BOUND_ORIENT2D * size || size == 0.0;
}

static bool quick_orient3d(tact_vec3 pa, tact_vec3 pb, tact_vec3 pc, tact_vec3 pd, double margin, double* det)
{
    const dvec d = d_from(pd);
    const dvec a = d_sub(d_from(pa), d), b = d_sub(d_from(pb), d), c = d_sub(d_from(pc), d);
    const double bxcy = b.x * c.y, cxby = c.x * b.y;
    const double cxay = c.x * a.y, axcy = a.x * c.y;
    const double axby = a.x * b.y, bxay = b.x * a.y;
    *det = a.z * (bxcy - cxby) + b.z * (cxay - axcy) + c.z * (axby - bxay);
    const double size = (fabs(bxcy) + fabs(cxby)) * fabs(a.z) + (fabs(cxay) + fabs(axcy)) * fabs(b.z) +
                        (fabs(axby) + fabs(bxay)) * fabs(c.z);
    return fabs(*det) > margin * TACT_BOUND_ORIENT3D * size || size == 0.0;
}

static bool quick_incircle(const tact_vec2* p, double* det)
{
    double x[3], y[3], lift[3];
    for (int i = 0; i < 3; ++i) {
        x[i] = (double)p[i].x - (double)p[3].x;
        y[i] = (double)p[i].y - (double)p[3].y;
        lift[i] = x[i] * x[i] + y[i] * y[i];
    }
    double size = 0.0, term[3];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double left = x[j] * y[k], right = x[k] * y[j];
        term[i] = lift[i] * (left - right);
        size += (fabs(left) + fabs(right)) * lift[i];
    }
    *det = term[0] + term[1] + term[2];
    return fabs(*det) > BOUND_INCIRCLE * size;
}

/// x_i y_j - x_j y_i and the sum of the magnitudes.
typedef struct minor {
    double value, size;
} minor;

static minor minor2(const dvec* v, int i, int j)
{
    const double left = v[i].x * v[j].y, right = v[j].x * v[i].y;
    const minor m = {left - right, fabs(left) + fabs(right)};
    return m;
}

/// v_i.z [jk] - v_j.z [ik] + v_k.z [ij] for the 2 x 2 minors given.
static minor minor3(double zi, minor jk, double zj, minor ik, double zk, minor ij)
{
    const minor m = {zi * jk.value - zj * ik.value + zk * ij.value,
                     fabs(zi) * jk.size + fabs(zj) * ik.size + fabs(zk) * ij.size};
    return m;
}

static bool quick_insphere(const tact_vec3* p, double* det)
{
    dvec v[4];
    double lift[4];
    for (int i = 0; i < 4; ++i) {
        v[i] = d_sub(d_from(p[i]), d_from(p[4]));
        lift[i] = d_dot(v[i], v[i]);
    }
    const minor ab = minor2(v, 0, 1), ac = minor2(v, 0, 2), ad = minor2(v, 0, 3);
    const minor bc = minor2(v, 1, 2), bd = minor2(v, 1, 3), cd = minor2(v, 2, 3);
    const minor abc = minor3(v[0].z, bc, v[1].z, ac, v[2].z, ab);
    const minor abd = minor3(v[0].z, bd, v[1].z, ad, v[3].z, ab);
    const minor acd = minor3(v[0].z, cd, v[2].z, ad, v[3].z, ac);
    const minor bcd = minor3(v[1].z, cd, v[2].z, bd, v[3].z, bc);
    *det = (lift[3] * abc.value - lift[2] * abd.value) + (lift[1] * acd.value - lift[0] * bcd.value);
    const double size = (lift[3] * abc.size + lift[2] * abd.size) + (lift[1] * acd.size + lift[0] * bcd.size);
    return fabs(*det) > BOUND_INSPHERE * size;
}

// ---- The interface ----

int tact_orient2d(tact_vec2 a, tact_vec2 b, tact_vec2 c)
{
    double det;
    return sign_of(quick_orient2d(a, b, c, 1.0, &det) ? det : tact_orient2d_value(a, b, c));
}

int tact_orient3d(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d)
{
    double det;
    return sign_of(quick_orient3d(a, b, c, d, 1.0, &det) ? det : tact_orient3d_value(a, b, c, d));
}

int tact_incircle(tact_vec2 a, tact_vec2 b, tact_vec2 c, tact_vec2 d)
{
    const tact_vec2 p[] = {a, b, c, d};
    double det;
    return sign_of(quick_incircle(p, &det) ? det : exact2(p, 4));
}

int tact_insphere(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d, tact_vec3 e)
{
    const tact_vec3 p[] = {a, b, c, d, e};
    double det;
    return sign_of(quick_insphere(p, &det) ? det : exact3(p, 5));
}

double tact_orient2d_fast(tact_vec2 a, tact_vec2 b, tact_vec2 c)
{
    double det;
    return quick_orient2d(a, b, c, 1e5, &det) ? det : tact_orient2d_value(a, b, c);
}

double tact_orient3d_fast(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d)
{
    double det;
    return quick_orient3d(a, b, c, d, 1e5, &det) ? det : tact_orient3d_value(a, b, c, d);
}

double tact_orient2d_value(tact_vec2 a, tact_vec2 b, tact_vec2 c)
{
    const tact_vec2 p[] = {a, b, c};
    return exact2(p, 3);
}

double tact_orient3d_value(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d)
{
    const tact_vec3 p[] = {a, b, c, d};
    return exact3(p, 4);
}

double tact_incircle_value(tact_vec2 a, tact_vec2 b, tact_vec2 c, tact_vec2 d)
{
    const tact_vec2 p[] = {a, b, c, d};
    return exact2(p, 4);
}

double tact_insphere_value(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d, tact_vec3 e)
{
    const tact_vec3 p[] = {a, b, c, d, e};
    return exact3(p, 5);
}

double tact_signed_area(tact_vec2 a, tact_vec2 b, tact_vec2 c)
{
    return 0.5 * tact_orient2d_value(a, b, c);
}

double tact_signed_volume(tact_vec3 a, tact_vec3 b, tact_vec3 c, tact_vec3 d)
{
    return tact_orient3d_value(a, b, c, d) / 6.0;
}
