// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <stdatomic.h>

#include "tests/support/run.h"

#include "base/parallel.h"
#include "base/platform.h"
#include "gpu/device_backend.h"
#include "support/device_fixture.h"

// A folder below the working folder, new for every run of this program.
static void test_directory(const char* name, char* path, size_t size)
{
    static double started;
    if (started == 0) started = tact_platform_milliseconds();
    snprintf(path, size, "test_cache_%.0f_%s", started * 1000.0, name);
}

static tact_program_key key_of_text(const char* text)
{
    const size_t size = strlen(text);
    return tact_program_key_of(&text, &size, 1);
}

typedef struct cache_fixture {
    tact_env env;
    tact_program_cache cache;
    tact_program_key key;
    char path[1200];
} cache_fixture;

static void silent(tact_log_level level, const char* source, const char* message, void* user)
{
}

static cache_fixture open_cache(const char* name)
{
    cache_fixture f;
    char directory[256];
    memset(&f, 0, sizeof f);
    tact_env_init(&f.env, NULL, silent, NULL, NULL, NULL);
    test_directory(name, directory, sizeof directory);
    tact_program_cache_open(&f.cache, directory, false);
#ifndef TACT_HAVE_XXHASH
    skip_because("built without xxHash");
#endif
    assert_true(f.cache.enabled);
    f.key = key_of_text("some kernel");
    assert_true(tact_program_cache_path(&f.cache, "k", &f.key, f.path, sizeof f.path));
    return f;
}

static void close_cache(cache_fixture* f)
{
    remove(f->path);
    remove(f->cache.directory);
}

static bool loads(cache_fixture* f, const void* expected, size_t expected_size)
{
    uint32_t format = 0;
    size_t size = 0;
    void* binary = tact_program_cache_load(&f->cache, &f->env, "k", &f->key, &format, &size);
    const bool good = binary && format == 42 && size == expected_size && memcmp(binary, expected, size) == 0;
    if (binary && !good) fail_msg("a wrong binary was loaded");
    tact_release(&f->env, binary);
    return good;
}

TEST(keys_depend_on_every_part_and_its_border)
{
#ifndef TACT_HAVE_XXHASH
    skip_because("built without xxHash");
#endif
    const char* const parts[][3] = {
        {"ab", "c", ""}, {"a", "bc", ""}, {"ab", "", "c"}, {"abc", "", ""}, {"ab", "d", ""}};
    tact_program_key keys[5];
    for (size_t i = 0; i < 5; ++i) {
        const size_t sizes[] = {strlen(parts[i][0]), strlen(parts[i][1]), strlen(parts[i][2])};
        keys[i] = tact_program_key_of(parts[i], sizes, 3);
        for (size_t k = 0; k < i; ++k)
            assert_memory_not_equal(&keys[i], &keys[k], sizeof keys[i]);
    }
}

TEST(what_was_stored_is_loaded)
{
    cache_fixture f = open_cache("stored");
    const char data[] = "binary\0with zeros";
    assert_false(loads(&f, data, sizeof data));
    assert_true(tact_program_cache_store(&f.cache, "k", &f.key, 42, data, sizeof data));
    assert_true(loads(&f, data, sizeof data));
    assert_true(tact_program_cache_store(&f.cache, "k", &f.key, 42, "new", 3));
    assert_true(loads(&f, "new", 3));
    const tact_program_key right = f.key;
    f.key = key_of_text("another kernel");
    assert_false(loads(&f, "new", 3));
    f.key = right;
    close_cache(&f);
}

static size_t read_whole(const char* path, unsigned char* data, size_t size)
{
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    const size_t count = fread(data, 1, size, file);
    fclose(file);
    return count;
}

static void write_whole(const char* path, const unsigned char* data, size_t size)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

TEST(no_damaged_file_is_loaded)
{
    cache_fixture f = open_cache("damaged");
    const char data[] = "a binary of some length";
    unsigned char file[256];
    assert_true(tact_program_cache_store(&f.cache, "k", &f.key, 42, data, sizeof data));
    const size_t size = read_whole(f.path, file, sizeof file - 1);
    assert_int_equal(size, 48 + sizeof data);
    for (size_t i = 0; i < size; ++i) {
        for (int bit = 0; bit < 8; ++bit) {
            file[i] = (unsigned char)(file[i] ^ (1u << bit));
            write_whole(f.path, file, size);
            assert_false(loads(&f, data, sizeof data));
            file[i] = (unsigned char)(file[i] ^ (1u << bit));
        }
    }
    for (size_t length = 0; length < size; ++length) {
        write_whole(f.path, file, length);
        assert_false(loads(&f, data, sizeof data));
    }
    file[size] = 0;
    write_whole(f.path, file, size + 1);
    assert_false(loads(&f, data, sizeof data));
    write_whole(f.path, file, size);
    assert_true(loads(&f, data, sizeof data));
    // Under the name of another key.
    cache_fixture other = f;
    other.key = key_of_text("another kernel");
    assert_true(tact_program_cache_path(&f.cache, "k", &other.key, other.path, sizeof other.path));
    write_whole(other.path, file, size);
    assert_false(loads(&other, data, sizeof data));
    remove(other.path);
    close_cache(&f);
}

TEST(a_place_that_cannot_be_written_costs_nothing_but_the_cache)
{
    cache_fixture f = open_cache("file");
    // A file where the folder should be.
    char path[1100];
    snprintf(path, sizeof path, "%s/file", f.cache.directory);
    write_whole(path, (const unsigned char*)"x", 1);
    tact_program_cache blocked = {.enabled = true};
    memcpy(blocked.directory, path, strlen(path) + 1);
    assert_false(tact_program_cache_store(&blocked, "k", &f.key, 42, "data", 4));
    uint32_t format = 0;
    size_t size = 0;
    assert_null(tact_program_cache_load(&blocked, &f.env, "k", &f.key, &format, &size));
    remove(path);
    tact_program_cache_open(&blocked, f.cache.directory, true);
    assert_false(blocked.enabled);
    assert_false(tact_program_cache_store(&blocked, "k", &f.key, 42, "data", 4));
    memset(path, 'p', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    tact_program_cache_open(&blocked, path, false);
    assert_false(blocked.enabled);
    close_cache(&f);
}

enum { WRITERS = 4, ROUNDS = 60, MOST = 40000 };

typedef struct contest {
    cache_fixture* f;
    _Atomic uint32_t torn;
} contest;

// Every writer's binary is one byte repeated as often as that byte's value asks for, so that a torn one shows.
static void write_and_read(size_t begin, size_t end, int worker, void* user)
{
    contest* c = user;
    const size_t own = (begin + 1) * (MOST / (WRITERS + 1));
    unsigned char* data = scratch(MOST);
    if (!data) abort();
    memset(data, (int)begin + 1, MOST);
    tact_env env;
    tact_env_init(&env, NULL, silent, NULL, NULL, NULL);
    bool torn = false;
    for (int i = 0; i < ROUNDS; ++i) {
        tact_program_cache_store(&c->f->cache, "k", &c->f->key, 42, data, own);
        uint32_t format = 0;
        size_t size = 0;
        unsigned char* binary = tact_program_cache_load(&c->f->cache, &env, "k", &c->f->key, &format, &size);
        if (!binary) {
            torn = true;
            continue;
        }
        torn = torn || size != (size_t)binary[0] * (MOST / (WRITERS + 1));
        for (size_t k = 0; k < size; ++k)
            torn = torn || binary[k] != binary[0];
        tact_release(&env, binary);
    }
    if (torn) {
        atomic_fetch_add(&c->torn, 1);
    }
}

TEST(writers_at_once_never_tear_a_file)
{
    cache_fixture f = open_cache("contest");
    contest c = {&f, 0};
    assert_true(tact_program_cache_store(&f.cache, "k", &f.key, 42, "\1", 1));
    tact_parallel_for(WRITERS, WRITERS, 1, write_and_read, &c);
    assert_int_equal(c.torn, 0);
    close_cache(&f);
}

// On a device

// Runs the self-test kernel; its counters.
static void run_selftest(device_fixture* f, tact_device* device, uint32_t counters[8])
{
    uint32_t source[64];
    for (uint32_t i = 0; i < 64; ++i)
        source[i] = i * i;
    tact_buffer *in = NULL, *out = NULL, *count = NULL;
    expect_ok(f, tact_buffer_create(device, sizeof source, source, &in));
    expect_ok(f, tact_buffer_create(device, 40, NULL, &out));
    expect_ok(f, tact_buffer_create(device, 32, NULL, &count));
    expect_ok(f, tact_buffer_fill(count, 0, 32, 0));
    expect_ok(f, TACT_LAUNCH(device, selftest, 10, .source = in, .target = out, .counters = count, .count = 10,
                             .addend = -3, .factor = 1.25f));
    expect_ok(f, tact_buffer_read(count, 0, counters, 32));
    expect_ok(f, tact_buffer_read(out, 0, counters + 5, 12));
    tact_buffer_destroy(count);
    tact_buffer_destroy(out);
    tact_buffer_destroy(in);
}

// Opens a device with the folder, runs, closes.
static void run_with_cache(device_fixture* f, const char* directory, uint32_t counters[8])
{
    const tact_device_open open = {.env = &f->env, .cache_directory = directory};
    tact_device* device = NULL;
    expect_ok(f, fixture_open(f, &open, &device));
    expect_ok(f, tact_device_enter(device));
    run_selftest(f, device, counters);
    tact_device_leave(device);
    tact_device_close(device);
}

TEST_AS(DEVICE_TEST, cached_kernels_give_the_same_results)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    char directory[256];
    test_directory(f->backend == TACT_BACKEND_GL ? "gl" : "cl", directory, sizeof directory);
    uint32_t uncached[8], fresh[8], cached[8], rebuilt[8];
    run_selftest(f, device, uncached);
    run_with_cache(f, directory, fresh);

    // The file of the kernel, by the key that the device uses: look for it through a second device's cache.
    const tact_device_open open = {.env = &f->env, .cache_directory = directory};
    tact_device* second = NULL;
    expect_ok(f, fixture_open(f, &open, &second));
    expect_ok(f, tact_device_enter(second));
    expect_ok(f, tact_device_prepare(second, TACT_KERNEL_selftest));
    tact_device_leave(second);
    const bool enabled = second->cache.enabled;
    tact_device_close(second);
    run_with_cache(f, directory, cached);
    assert_memory_equal(fresh, uncached, sizeof fresh);
    assert_memory_equal(cached, uncached, sizeof cached);
    assert_int_equal(uncached[0], 10);
    if (!enabled) skip_because("the device keeps no programs");

    // A well-formed file that the driver refuses is replaced.
    char names[2][96] = {"", ""};
    snprintf(names[0], sizeof names[0], "selftest-%s", f->backend == TACT_BACKEND_GL ? "gl" : "cl");
    snprintf(names[1], sizeof names[1], "probe-%s", f->backend == TACT_BACKEND_GL ? "gl" : "cl");
    char paths[2][1200];
    for (size_t i = 0; i < 2; ++i) {
        char* path = paths[i];
        const tact_program_key key =
            tact_device_key(f->device, tact_kernel_get(i ? TACT_KERNEL_probe : TACT_KERNEL_selftest));
        tact_program_cache cache;
        tact_program_cache_open(&cache, directory, false);
        assert_true(tact_program_cache_path(&cache, names[i], &key, path, sizeof paths[i]));
        if (!tact_platform_exists(path)) {
            printf("%s: this driver gives no binaries\n", names[i]);
            continue;
        }
        assert_true(tact_program_cache_store(&cache, names[i], &key, 0x1234, "no program at all", 17));
        run_with_cache(f, directory, rebuilt);
        assert_memory_equal(rebuilt, uncached, sizeof rebuilt);
        uint32_t format = 0;
        size_t size = 0;
        void* binary = tact_program_cache_load(&cache, &f->env, names[i], &key, &format, &size);
        assert_non_null(binary);
        assert_true(size > 17);
        tact_release(&f->env, binary);
    }
    for (size_t i = 0; i < 2; ++i)
        remove(paths[i]);
    remove(directory);
    assert_int_equal(f->errors_logged, 0);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
