// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Every query on every device in turn, again and again, in contexts that stay and in contexts that come and go: each
// answer has the digest that the definition gave for the same input, and no memory, buffer or file stays behind. As it
// stands some seconds; `--minutes N` goes on that long, and then the memory that the process has whenever all contexts
// are gone must be level too;
// `--cycles N` makes that many contexts and destroys them. Either followed by `--backend cpu|gl|cl`: there alone.

#include <time.h>

#include "tests/support/run.h"

#if defined(__linux__)
#include <dirent.h>
#include <unistd.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include "tests/support/counted_machine.h"
#include "tests/support/every_query.h"
#include "tests/support/quiet.h"

/// RENEWED: rounds after which the contexts that stay are made anew.
enum { SEEDS = 6, BACKENDS = 3, THREADS = 1, RENEWED = 16, MOST_QUERIES = 64, SAMPLES = 4096 };

static double minutes;
static unsigned cycles = 12;
static int only = -1;  ///< index of the one backend to run on

static const tact_backend backends[BACKENDS] = {TACT_BACKEND_CPU, TACT_BACKEND_GL, TACT_BACKEND_CL};
static const char* const backend_names[BACKENDS] = {"cpu", "gl", "cl"};

/// Of the first answer to each input; 0: not asked yet. Apart where OpenCL does not answer all of a query's.
static uint64_t digests[MOST_QUERIES][SEEDS][2];

static bool has_less_on_opencl(const every_query* q)
{
    for (size_t i = 0; q->row && i < q->row->sample_count; ++i)
        if (q->row->samples[i].variant & TACT_VARIANT_NOT_CL) return true;
    return false;
}

static bool left_out(size_t backend)
{
    return only >= 0 && backend != (size_t)only;
}

/// FNV-1a. Never 0, which stands for an input that was not asked yet.
static uint64_t digest_of(const uint8_t* bytes, size_t size)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < size; ++i)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash ? hash : 1;
}

static uint64_t ask(machine* m, const every_query* q, tact_backend backend, uint64_t seed)
{
    static query_world w;  // large
    w.context = m->context;
    w.allocator = &m->hooks;
    w.options = (tact_query_options){.backend = backend, .no_fallback = true, .threads = 1};
    w.seed = seed;
    const tact_result result = every_query_run(q, &w);
    if (result != TACT_OK) {
        fail_msg("%s: %s: %s: %s", q->name, w.failed, tact_result_name(result), tact_context_error(w.context));
    }
    return digest_of(w.answer, w.size);
}

/// All queries once. What only OpenGL answers, or OpenCL in part, is compared with its own first answer, the rest with
/// the definition's.
static size_t all_queries(machine* m, tact_backend backend, size_t seed)
{
    size_t asked = 0;
    assert_true(every_query_count <= MOST_QUERIES);
    for (size_t i = 0; i < every_query_count; ++i) {
        const every_query* q = &every_queries[i];
        if (!every_query_runs_on(q, backend)) continue;
        const bool part = backend == TACT_BACKEND_CL && has_less_on_opencl(q);
        uint64_t* first = &digests[i][seed][part];
        if (*first == 0 && !q->gl_only && !part) {
            machine definition;
            assert_true(open_machine(&definition, TACT_BACKEND_REFERENCE, THREADS));
            *first = ask(&definition, q, TACT_BACKEND_REFERENCE, seed + 1);
            close_machine(&definition);
        }
        const uint64_t digest = ask(m, q, backend, seed + 1);
        if (*first == 0) *first = digest;
        if (digest != *first) {
            fail_msg("%s, seed %zu: digest %016llx, at first %016llx", q->name, seed + 1, (unsigned long long)digest,
                     (unsigned long long)*first);
        }
        ++asked;
    }
    return asked;
}

/// 0: not known on this system. Without what the heap keeps for later: how much that is depends on the order in which
/// the threads of drivers and compilers allocated.
static size_t resident_kib(void)
{
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
#if defined(__linux__)
    unsigned long total = 0, resident = 0;
    FILE* f = fopen("/proc/self/statm", "r");
    if (!f) return 0;
    if (fscanf(f, "%lu %lu", &total, &resident) != 2) resident = 0;
    fclose(f);
    return (size_t)resident * (size_t)sysconf(_SC_PAGESIZE) / 1024;
#else
    return 0;
#endif
}

/// 0: not known on this system.
static size_t open_files(void)
{
    size_t count = 0;
#if defined(__linux__)
    DIR* dir = opendir("/proc/self/fd");
    if (!dir) return 0;
    while (readdir(dir))
        ++count;
    closedir(dir);
#endif
    return count;
}

static double minutes_now(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec) / 60.0;
}

/// Means, since drivers keep what they were given, so that it goes up and down.
static double mean_of(const size_t* samples, size_t from, size_t to)
{
    double sum = 0;
    for (size_t i = from; i < to; ++i)
        sum += (double)samples[i];
    return sum / (double)(to - from);
}

/// Of samples evenly spread over the run: the last quarter must not lie above the second one. The first is warm-up.
static void expect_level(const size_t* kib, size_t count)
{
    const double before = mean_of(kib, count / 4, count / 2), after = mean_of(kib, count - count / 4, count);
    print_message("resident without contexts, %zu times: %.0f KiB in the second quarter, %.0f KiB in the last\n", count,
                  before, after);
    if (after > 1.02 * before) fail_msg("memory grows: %.0f KiB, then %.0f KiB", before, after);
}

TEST(soak)
{
    static size_t kib[SAMPLES];
    machine machines[BACKENDS];
    bool there[BACKENDS];
    size_t live[BACKENDS] = {0}, samples = 0, asked = 0, rounds = 0, files = 0, apart = 1;
    uint64_t bytes[BACKENDS] = {0};
    for (size_t b = 0; b < BACKENDS; ++b)
        there[b] = !left_out(b) && open_machine(&machines[b], backends[b], THREADS);
    const double start = minutes_now();
    double next_word = 1;
    // Each input twice at least: what contexts keep has then met all inputs before it is measured.
    for (;; ++rounds) {
        const double passed = minutes_now() - start;
        if (rounds >= 3 * SEEDS || (minutes <= 0 && rounds >= SEEDS + 2)) {
            if (passed >= minutes) break;
        }
        const size_t age = rounds % RENEWED;
        if (age == 0 && rounds > 0) {
            // Without any context: drivers keep things until the last one is gone (docs/hardening.md).
            for (size_t b = 0; b < BACKENDS; ++b)
                if (there[b]) close_machine(&machines[b]);
            if (rounds / RENEWED % apart == 0) kib[samples++] = resident_kib();
            if (samples == SAMPLES) {
                // Every other one: they stay spread evenly over a run of any length.
                for (size_t i = 0; i < SAMPLES / 2; ++i)
                    kib[i] = kib[2 * i + 1];
                samples /= 2;
                apart *= 2;
            }
            for (size_t b = 0; b < BACKENDS; ++b)
                if (there[b]) assert_true(open_machine(&machines[b], backends[b], THREADS));
        }
        for (size_t b = 0; b < BACKENDS; ++b) {
            machine* m = &machines[b];
            if (!there[b]) continue;
            asked += all_queries(m, backends[b], rounds % SEEDS);
            const uint64_t bytes_now = m->device ? tact_device_bytes(m->device) : 0;
            if (age < SEEDS) {
                live[b] = m->counter.live;
                bytes[b] = bytes_now;
            } else if (m->counter.live > live[b] || bytes_now > bytes[b]) {
                fail_msg("%s, round %zu: %zu blocks and %llu bytes of buffers, were %zu and %llu", backend_names[b],
                         rounds, m->counter.live, (unsigned long long)bytes_now, live[b], (unsigned long long)bytes[b]);
            }
        }
        // One that comes and goes beside those that stay.
        machine other;
        const size_t turn = only >= 0 ? (size_t)only : rounds % BACKENDS;
        if (open_machine(&other, backends[turn], THREADS)) {
            if (rounds % 8 < BACKENDS) asked += all_queries(&other, backends[turn], rounds % SEEDS);
            close_machine(&other);
        }
        if (rounds + 1 == SEEDS) files = open_files();
        if (rounds >= SEEDS && open_files() > files) {
            fail_msg("round %zu: %zu open files, were %zu", rounds, open_files(), files);
        }
        if (passed >= next_word) {
            printf("%.1f minutes: %zu rounds, %zu queries, %zu KiB, %zu without contexts, %zu files\n", passed, rounds,
                   asked, resident_kib(), samples > 0 ? kib[samples - 1] : 0, open_files());
            fflush(stdout);
            next_word = passed + (minutes > 20 ? minutes / 20 : 1);
        }
    }
    print_message("soak: %.1f minutes, %zu rounds, %zu queries, every digest as at first\n", minutes_now() - start,
                  rounds, asked);
    assert_true(asked >= rounds * 10);
    for (size_t b = 0; b < BACKENDS; ++b) {
        if (there[b]) close_machine(&machines[b]);
    }
    if (samples >= 8 && kib[0] > 0) expect_level(kib, samples);
}

/// A context with its device, and one of everything that is made of it: each entry makes and destroys what it needs.
TEST(create_and_destroy)
{
    for (size_t b = 0; b < BACKENDS; ++b) {
        if (left_out(b)) continue;
        size_t files = 0, first = 0, cycle = 0;
        for (; cycle < cycles; ++cycle) {
            machine m;
            if (!open_machine(&m, backends[b], THREADS)) break;
            const size_t i = cycle % every_query_count;
            // Making devices takes the time; one query a cycle, so that all have their turns.
            if (every_query_runs_on(&every_queries[i], backends[b])) (void)ask(&m, &every_queries[i], backends[b], 1);
            close_machine(&m);
            // Drivers open what they keep at their first contexts.
            if (cycle == 2) {
                files = open_files();
                first = resident_kib();
            }
            if (cycle > 2 && open_files() > files) {
                fail_msg("%s, cycle %zu: %zu open files, were %zu", backend_names[b], cycle, open_files(), files);
            }
        }
        print_message("%s: %zu cycles, %zu KiB, after three %zu KiB\n", backend_names[b], cycle, resident_kib(), first);
    }
}

static int index_of(const char* backend)
{
    for (int b = 0; b < BACKENDS; ++b)
        if (strcmp(backend, backend_names[b]) == 0) return b;
    return -1;
}

#include TEST_LIST

int main(int argc, char** argv)
{
    const char* filter = NULL;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--minutes") == 0 && i + 1 < argc) {
            minutes = strtod(argv[++i], NULL);
            filter = "soak";
        } else if (strcmp(argv[i], "--cycles") == 0 && i + 1 < argc) {
            cycles = (unsigned)strtoul(argv[++i], NULL, 10);
            filter = "create_and_destroy";
        } else if (strcmp(argv[i], "--backend") == 0 && i + 1 < argc && index_of(argv[i + 1]) >= 0) {
            only = index_of(argv[++i]);
        } else {
            fprintf(stderr, "usage: test_soak [--minutes N | --cycles N] [--backend cpu|gl|cl]\n");
            return 2;
        }
    }
    if (filter) run_only(filter);
    return run_all(all_tests, NULL, NULL);
}
