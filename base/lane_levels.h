// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Which of the vector instructions that a loop was compiled for the processor has. Loops that gain from them stand in
/// a table of functions for each level, all with the same answers; what is compiled is the same for all tables.

#include <stdbool.h>

#if defined(__x86_64__) || defined(_M_X64)
#define TACT_LANES_SSE2
#if defined(__GNUC__)
#define TACT_LANES_AVX  // functions can be compiled for instructions that the machine may lack
#endif
#endif

/// Levels, each with all below it. AVX2 is with BMI2; AVX-512 with F, VL, DQ and BW, as processors have had since 2017.
enum { TACT_LANES_PORTABLE = 0, TACT_LANES_4 = 1, TACT_LANES_8 = 2, TACT_LANES_16 = 3, TACT_LANE_LEVELS = 4 };

/// Whether the machine and the build have a level. Reads what the run-time library found when the program started.
static inline bool tact_lanes_supported(int level)
{
    switch (level) {
        case 0:
            return true;
#ifdef TACT_LANES_SSE2
        case 1:
            return true;
#endif
#ifdef TACT_LANES_AVX
        case 2:
            return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
        case 3:
            return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
#endif
        default:
            return false;
    }
}

/// The best level here of a family that has so many tables, in order of their levels.
int tact_lanes_best(int tables);

/// For tests, while no query runs: no better level from now on, in any family. False for a level that this machine or
/// build lacks.
bool tact_lanes_limit(int level);

/// The tables of all levels, `PREFIX_portable` and so on, for an array's initialiser: the compiled ones, which
/// tact_lanes() of cmake/TactLanes.cmake makes.
#if defined(TACT_LANES_AVX)
#define TACT_LANE_TABLES_TO_AVX2(prefix) &prefix##_portable, &prefix##_sse2, &prefix##_avx2
#define TACT_LANE_TABLES(prefix) TACT_LANE_TABLES_TO_AVX2(prefix), &prefix##_avx512
#elif defined(TACT_LANES_SSE2)
#define TACT_LANE_TABLES_TO_AVX2(prefix) &prefix##_portable, &prefix##_sse2
#define TACT_LANE_TABLES(prefix) TACT_LANE_TABLES_TO_AVX2(prefix)
#else
#define TACT_LANE_TABLES_TO_AVX2(prefix) &prefix##_portable
#define TACT_LANE_TABLES(prefix) TACT_LANE_TABLES_TO_AVX2(prefix)
#endif

/// Defines const TYPE* BEST(void), the best table here of a family of one type in order of their levels, and
/// `lane_tables`, the family.
#define TACT_LANE_CHOICE(type, tables, best)                                           \
    static const type* const lane_tables[] = {tables};                                 \
    const type* best(void)                                                             \
    {                                                                                  \
        return lane_tables[tact_lanes_best(sizeof lane_tables / sizeof *lane_tables)]; \
    }
