// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// bench_blocks [cpu|gl|cl] [REPEATS]: a table of the building blocks' speed on each device, for 2^16, 2^20 and 2^24
// elements. A developers' program, not installed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/blocks.h"
#include "base/platform.h"

static int bench_device(tact_env* env, tact_device* device, const char* backend, const char* name, int repeats)
{
    const int threads = tact_platform_processors();
    printf("%s: %s\n%-8s %10s %10s %10s %12s%s\n", backend, name, "block", "elements", "median ms", "least ms",
           "Melements/s", device ? "       GB/s" : "");
    for (int power = 16; power <= 24; power += 4) {
        tact_bench_result results[TACT_BENCH_BLOCK_COUNT];
        const tact_result result = tact_bench_blocks(env, device, threads, (size_t)1 << power, repeats, results);
        if (result) {
            fprintf(stderr, "%s: %s: %s\n", backend, tact_result_name(result), env->error);
            return 1;
        }
        for (int i = 0; i < TACT_BENCH_BLOCK_COUNT; ++i) {
            const tact_bench_result* const r = &results[i];
            printf("%-8s %10zu %10.3f %10.3f %12.1f", r->name, r->count, r->median_ms, r->least_ms,
                   r->per_second * 1e-6);
            if (r->bytes) printf(" %10.2f", r->per_second * (double)r->bytes * 1e-9);
            printf("\n");
        }
        fflush(stdout);
    }
    return 0;
}

typedef tact_result open_fn(const tact_device_open* open, tact_device** device);

static int bench_api(tact_env* env, open_fn* open_device, const char* backend, int repeats)
{
    const tact_device_open open = {.env = env, .source = TACT_DEVICE_OWN};
    tact_device* device = NULL;
    if (open_device(&open, &device)) {
        printf("%s: %s\n", backend, env->error);
        return 0;
    }
    int failed = 1;
    if (!tact_device_enter(device)) {
        failed = bench_device(env, device, backend, tact_device_describe(device)->name, repeats);
        tact_device_leave(device);
    }
    tact_device_close(device);
    return failed;
}

int main(int argc, char** argv)
{
    const char* const only = argc > 1 ? argv[1] : "";
    const int repeats = argc > 2 ? atoi(argv[2]) : 7;
    tact_env env;
    tact_env_init(&env, NULL, NULL, NULL, NULL, NULL);
    int failed = 0;
    if (!*only || strcmp(only, "cpu") == 0) {
        char name[128];
        tact_platform_cpu_name(name, sizeof name);
        failed += bench_device(&env, NULL, "cpu", name, repeats);
    }
    if (!*only || strcmp(only, "gl") == 0) failed += bench_api(&env, tact_device_open_gl, "gl", repeats);
    if (!*only || strcmp(only, "cl") == 0) failed += bench_api(&env, tact_device_open_cl, "cl", repeats);
    return failed != 0;
}
