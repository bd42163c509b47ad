// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What a machine can do, for bench/roofline: instructions a nanosecond of one thread, and bytes a nanosecond that one
// thread and as many as are asked for copy. usage: peak THREADS
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 7, MOST = 64, CHAINS = 8 };
static const size_t BYTES = (size_t)256 << 20;  // of each thread, far beyond caches

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/// Eight additions that do not wait for each other, a subtraction and a jump, the two of them one after fusion.
static double instructions(void)
{
    enum { TURNS = 50000000 };
    double best = 0.0;
    for (int round = 0; round < ROUNDS; ++round) {
        uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
        const double start = now();
        for (uint64_t i = TURNS; i > 0; --i) {
            a += i, b += i, c += i, d += i, e += i, f += i, g += i, h += i;
            __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h));
        }
        const double rate = (CHAINS + 2.0) * TURNS / (now() - start);
        best = rate > best ? rate : best;
    }
    return best;
}

static void* copy(void* user)
{
    char* bytes = user;
    memcpy(bytes, bytes + BYTES / 2, BYTES / 2);
    return NULL;
}

/// Bytes read and written.
static double bandwidth(int threads)
{
    char* memory[MOST];
    pthread_t all[MOST];
    double best = 0.0;
    for (int t = 0; t < threads; ++t) {
        memory[t] = malloc(BYTES);
        if (!memory[t]) exit(1);
        memset(memory[t], t + 1, BYTES);
    }
    for (int round = 0; round < ROUNDS; ++round) {
        const double start = now();
        for (int t = 0; t < threads; ++t)
            if (pthread_create(&all[t], NULL, copy, memory[t]) != 0) exit(1);
        for (int t = 0; t < threads; ++t)
            pthread_join(all[t], NULL);
        const double rate = (double)BYTES * threads / (now() - start);
        best = rate > best ? rate : best;
    }
    for (int t = 0; t < threads; ++t)
        free(memory[t]);
    return best;
}

int main(int argc, char** argv)
{
    const int threads = argc > 1 ? atoi(argv[1]) : 1;
    if (threads < 1 || threads > MOST) return 2;
    printf("{\"instructions\": %.3f, \"bytes\": %.3f, \"bytes_together\": %.3f}\n", instructions(), bandwidth(1),
           bandwidth(threads));
    return 0;
}
