// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

// Numbers in double precision side by side, by the conventions of base/simd.h: D_LANES numbers VD, as many as the
// registers of TACT_LANES_ISA hold, and answers DM.

#include "base/simd.h"

#if TACT_LANES_ISA == 0

#define D_LANES 1
#define VD double
#define DM bool
#define D_LOAD(p) (*(p))
#define D_STORE(p, a) (*(p) = (a))
#define D_SET(x) (x)
#define D_ADD(a, b) ((a) + (b))
#define D_SUB(a, b) ((a) - (b))
#define D_MUL(a, b) ((a) * (b))
#define D_DIV(a, b) ((a) / (b))
#define D_LT(a, b) ((a) < (b))
#define D_SELECT(m, a, b) ((m) ? (a) : (b))
#define DM_AND(a, b) ((a) && (b))
SIMD_FN(double, d1_min, (double a, double b), a < b ? a : b)
SIMD_FN(double, d1_max, (double a, double b), a > b ? a : b)
#define D_MIN d1_min
#define D_MAX d1_max
/// Of floats.
#define D_FROM(p) ((double)*(p))

#elif TACT_LANES_ISA == 1

#define D_LANES 2
#define VD __m128d
#define DM __m128d
#define D_LOAD _mm_loadu_pd
#define D_STORE _mm_storeu_pd
#define D_SET _mm_set1_pd
#define D_ADD _mm_add_pd
#define D_SUB _mm_sub_pd
#define D_MUL _mm_mul_pd
#define D_DIV _mm_div_pd
#define D_MIN _mm_min_pd
#define D_MAX _mm_max_pd
#define D_LT _mm_cmplt_pd
#define D_SELECT(m, a, b) _mm_or_pd(_mm_and_pd(m, a), _mm_andnot_pd(m, b))
#define DM_AND _mm_and_pd
#define D_FROM(p) _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const void*)(p))))

#elif TACT_LANES_ISA == 2

#define D_LANES 4
#define VD __m256d
#define DM __m256d
#define D_LOAD _mm256_loadu_pd
#define D_STORE _mm256_storeu_pd
#define D_SET _mm256_set1_pd
#define D_ADD _mm256_add_pd
#define D_SUB _mm256_sub_pd
#define D_MUL _mm256_mul_pd
#define D_DIV _mm256_div_pd
#define D_MIN _mm256_min_pd
#define D_MAX _mm256_max_pd
#define D_LT(a, b) _mm256_cmp_pd(a, b, _CMP_LT_OQ)
#define D_SELECT(m, a, b) _mm256_blendv_pd(b, a, m)
#define DM_AND _mm256_and_pd
#define D_FROM(p) _mm256_cvtps_pd(_mm_loadu_ps(p))

#else

#define D_LANES 8
#define VD __m512d
#define DM __mmask8
#define D_LOAD _mm512_loadu_pd
#define D_STORE _mm512_storeu_pd
#define D_SET _mm512_set1_pd
#define D_ADD _mm512_add_pd
#define D_SUB _mm512_sub_pd
#define D_MUL _mm512_mul_pd
#define D_DIV _mm512_div_pd
#define D_MIN _mm512_min_pd
#define D_MAX _mm512_max_pd
#define D_LT(a, b) _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ)
#define D_SELECT(m, a, b) _mm512_mask_blend_pd(m, b, a)
#define DM_AND(a, b) ((DM)((a) & (b)))
#define D_FROM(p) _mm512_cvtps_pd(_mm256_loadu_ps(p))

#endif
