// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/base.h"

const char* tact_result_name(tact_result result)
{
    switch (result) {
#define NAME(code) \
    case code:     \
        return #code
        NAME(TACT_OK);
        NAME(TACT_INCOMPLETE);
        NAME(TACT_ERROR_INVALID_ARGUMENT);
        NAME(TACT_ERROR_OUT_OF_MEMORY);
        NAME(TACT_ERROR_DEVICE_OUT_OF_MEMORY);
        NAME(TACT_ERROR_NO_DEVICE);
        NAME(TACT_ERROR_DEVICE_LOST);
        NAME(TACT_ERROR_DEVICE);
        NAME(TACT_ERROR_KERNEL_BUILD);
        NAME(TACT_ERROR_LIMIT);
        NAME(TACT_ERROR_UNSUPPORTED);
        NAME(TACT_ERROR_SHADOW_MISMATCH);
        NAME(TACT_ERROR_CANCELLED);
        NAME(TACT_ERROR_INTERNAL);
#undef NAME
    }
    return "?";
}

const char* tact_result_string(tact_result result)
{
    switch (result) {
        case TACT_OK:
            return "success";
        case TACT_INCOMPLETE:
            return "the output buffer was too small; the size needed was reported";
        case TACT_ERROR_INVALID_ARGUMENT:
            return "an argument is not valid";
        case TACT_ERROR_OUT_OF_MEMORY:
            return "out of memory";
        case TACT_ERROR_DEVICE_OUT_OF_MEMORY:
            return "the device is out of memory";
        case TACT_ERROR_NO_DEVICE:
            return "no device can run it";
        case TACT_ERROR_DEVICE_LOST:
            return "the device was lost";
        case TACT_ERROR_DEVICE:
            return "the device's driver reported an error";
        case TACT_ERROR_KERNEL_BUILD:
            return "a kernel could not be built";
        case TACT_ERROR_LIMIT:
            return "a limit of the device or the format is exceeded";
        case TACT_ERROR_UNSUPPORTED:
            return "not supported";
        case TACT_ERROR_SHADOW_MISMATCH:
            return "the result differs from the reference's";
        case TACT_ERROR_CANCELLED:
            return "cancelled";
        case TACT_ERROR_INTERNAL:
            return "an internal error; please report it";
    }
    return "an unknown result code";
}

const char* tact_version(void)
{
    return TACT_VERSION_STRING;
}

uint32_t tact_abi_version(void)
{
    return TACT_ABI_VERSION;
}

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#elif defined(_MSC_VER)
#define COMPILER "msvc"
#else
#define COMPILER "unknown compiler"
#endif

#ifdef TACT_HAVE_GL
#define WITH_GL ", OpenGL"
#else
#define WITH_GL ""
#endif
#ifdef TACT_HAVE_CL
#define WITH_CL ", OpenCL"
#else
#define WITH_CL ""
#endif
#ifdef TACT_HAVE_THREADS
#define WITH_THREADS ", threads"
#else
#define WITH_THREADS ""
#endif
#ifdef TACT_LOOSE
#define LOOSE ", LOOSE: NOT ONE ANSWER, FOR BENCHMARKS ALONE"
#else
#define LOOSE ""
#endif

const char* tact_build_info(void)
{
    return "tact " TACT_VERSION_STRING ", " COMPILER WITH_THREADS WITH_GL WITH_CL LOOSE;
}
