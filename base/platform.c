// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#endif

#include "base/platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <direct.h>
#include <malloc.h>
#include <windows.h>
#else
#include <dlfcn.h>
#include <sched.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/mman.h>
#elif defined(__APPLE__)
#include <sys/sysctl.h>
#endif
#endif

// Large arrays lie on huge pages where the system has them for the asking: fresh memory then costs a fault for two
// megabytes and not for four kilobytes, and random access misses fewer translations.
#if defined(MADV_HUGEPAGE) && UINTPTR_MAX > 0xffffffffu
#define TACT_HUGE_PAGE ((size_t)2 << 20)
#endif

void* tact_platform_aligned_allocate(size_t size, size_t alignment)
{
#if defined(_WIN32)
    return _aligned_malloc(size, alignment);
#else
    void* memory = NULL;
    if (alignment < sizeof(void*)) alignment = sizeof(void*);
#if defined(TACT_HUGE_PAGE)
    const bool huge = size >= 2 * TACT_HUGE_PAGE && alignment <= TACT_HUGE_PAGE;
    if (huge && posix_memalign(&memory, TACT_HUGE_PAGE, size) == 0) {
        // Whole pages of the block alone; a refusal changes nothing but the time.
        (void)madvise(memory, size / TACT_HUGE_PAGE * TACT_HUGE_PAGE, MADV_HUGEPAGE);
        return memory;
    }
#endif
    return posix_memalign(&memory, alignment, size) == 0 ? memory : NULL;
#endif
}

void tact_platform_aligned_release(void* memory)
{
#if defined(_WIN32)
    _aligned_free(memory);
#else
    free(memory);
#endif
}

void tact_platform_yield(void)
{
#if defined(_WIN32)
    SwitchToThread();
#else
    sched_yield();
#endif
}

void tact_platform_pause(void)
{
#if defined(_MSC_VER)
    YieldProcessor();
#elif defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || (defined(__arm__) && __ARM_ARCH >= 7)
    __asm__ __volatile__("yield");
#endif
}

double tact_platform_milliseconds(void)
{
#if defined(_WIN32)
    LARGE_INTEGER now, frequency;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&frequency);
    return (double)now.QuadPart * 1e3 / (double)frequency.QuadPart;
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
#endif
}

int tact_platform_processors(void)
{
#if defined(_WIN32)
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors > 0 ? (int)info.dwNumberOfProcessors : 1;
#else
#if defined(__linux__) && defined(CPU_COUNT)
    // Containers and taskset narrow what a process may use; the number online does not tell.
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
#endif
}

void tact_platform_cpu_name(char* name, size_t size)
{
    snprintf(name, size, "CPU");
#if defined(__linux__)
    FILE* file = fopen("/proc/cpuinfo", "r");
    if (!file) return;
    char line[512];
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "model name", 10) != 0) continue;
        const char* value = strchr(line, ':');
        if (!value) continue;
        value += strspn(value, ": \t");
        snprintf(name, size, "%.*s", (int)strcspn(value, "\n"), value);
        break;
    }
    fclose(file);
#elif defined(__APPLE__)
    size_t length = size;
    if (sysctlbyname("machdep.cpu.brand_string", name, &length, NULL, 0) != 0) snprintf(name, size, "CPU");
#elif defined(_WIN32)
    DWORD length = (DWORD)size;
    if (RegGetValueA(HKEY_LOCAL_MACHINE, "HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0", "ProcessorNameString",
                     RRF_RT_REG_SZ, NULL, name, &length) != ERROR_SUCCESS) {
        snprintf(name, size, "CPU");
    }
#endif
}

void* tact_platform_open_library(const char* file)
{
#if defined(_WIN32)
    return (void*)LoadLibraryA(file);
#else
    return dlopen(file, RTLD_NOW | RTLD_LOCAL);
#endif
}

void (*tact_platform_symbol(void* library, const char* name))(void)
{
#if defined(_WIN32)
    return (void (*)(void))GetProcAddress((HMODULE)library, name);
#else
    // ISO C has no conversion from an object pointer to a function pointer; POSIX promises that the bits serve.
    void* object = dlsym(library, name);
    void (*function)(void) = NULL;
    memcpy(&function, &object, sizeof function);
    return function;
#endif
}

static void make_directory(const char* path)
{
#if defined(_WIN32)
    _mkdir(path);
#else
    mkdir(path, 0700);
#endif
}

static bool is_separator(char c)
{
#if defined(_WIN32)
    return c == '/' || c == '\\';
#else
    return c == '/';
#endif
}

static void make_directories(const char* path)
{
    char part[1024];
    const size_t length = strlen(path);
    if (length >= sizeof part) return;
    for (size_t i = 1; i <= length; ++i) {
        if (!is_separator(path[i]) && path[i] != '\0') continue;
        memcpy(part, path, i);
        part[i] = '\0';
        make_directory(part);
    }
}

const char* tact_platform_variable(const char* name)
{
    return getenv(name);
}

bool tact_platform_cache_directory(const char* override, char* path, size_t size, const char** why)
{
    const char* ignored = NULL;
    if (!why) why = &ignored;
    *why = NULL;
    int written = -1;
    const char* variable = getenv("TACT_CACHE_DIR");
    if (override && *override) {
        written = snprintf(path, size, "%s", override);
    } else if (variable) {
        if (!*variable) return false;
        written = snprintf(path, size, "%s", variable);
    } else {
#if defined(_WIN32)
        const char* base = getenv("LOCALAPPDATA");
        if (base && *base) written = snprintf(path, size, "%s\\tact", base);
#else
        const char* base = getenv("XDG_CACHE_HOME");
        const char* home = getenv("HOME");
        if (base && *base) {
            written = snprintf(path, size, "%s/tact", base);
        } else if (home && *home) {
#if defined(__APPLE__)
            written = snprintf(path, size, "%s/Library/Caches/tact", home);
#else
            written = snprintf(path, size, "%s/.cache/tact", home);
#endif
        }
#endif
    }
    if ((size_t)written >= size) return false;  // also where there is none
    make_directories(path);
    return tact_platform_exists(path) && tact_platform_trusts_folder(path, why);
}

bool tact_platform_on_path(const char* program)
{
#if defined(_WIN32)
    char found[MAX_PATH];
    return SearchPathA(NULL, program, ".exe", sizeof found, found, NULL) > 0;
#else
    const char* list = getenv("PATH");
    while (list && *list) {
        const size_t length = strcspn(list, ":");
        char candidate[1024];
        const size_t written = (size_t)snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, list, program);
        if (written < sizeof candidate && access(candidate, X_OK) == 0) return true;
        list += length;
        if (*list == ':') ++list;
    }
    return false;
#endif
}
