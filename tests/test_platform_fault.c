// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Files, folders and variables of a system where something goes wrong: the linker puts faults between the library and
// the C library (--wrap). Every call fails clearly, leaves no file behind and the old one as it was. test_files.c has
// what goes wrong without faults.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/run.h"

#include "base/platform.h"
#include "base/sanitizers.h"
#include "core/context/context.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"

// ---- The faults ----

static const char* failing;    ///< the call that fails; NULL: none
static const char* only_path;  ///< of calls with a path: this one alone; NULL: any
static int left;               ///< calls that go well before
static int reason;             ///< what errno becomes
static unsigned long owner;    ///< of every file; 0: as it is
static unsigned long user;     ///< who runs this; 0: as it is
static unsigned kind;          ///< of every file that lstat() sees; 0: as it is
static int temporaries;        ///< that were tried

static bool fails(const char* call, const char* path)
{
    if (!failing || strcmp(failing, call) != 0) return false;
    if (only_path && path && !strstr(path, only_path)) return false;
    if (left-- > 0) return false;
    errno = reason;
    return true;
}

static void fail_at(const char* call, const char* path, int error)
{
    failing = call;
    only_path = path;
    left = 0;
    reason = error;
}

static void all_well(void)
{
    failing = NULL;
    owner = user = kind = 0;
}

int __real_open(const char* path, int flags, ...);
int __wrap_open(const char* path, int flags, ...);
ssize_t __real_read(int file, void* bytes, size_t size);
ssize_t __wrap_read(int file, void* bytes, size_t size);
int __real_fstat(int file, struct stat* facts);
int __wrap_fstat(int file, struct stat* facts);
int __real_lstat(const char* path, struct stat* facts);
int __wrap_lstat(const char* path, struct stat* facts);
uid_t __real_geteuid(void);
uid_t __wrap_geteuid(void);
FILE* __real_fdopen(int file, const char* mode);
FILE* __wrap_fdopen(int file, const char* mode);
int __real_fsync(int file);
int __wrap_fsync(int file);
int __real_fflush(FILE* file);
int __wrap_fflush(FILE* file);
int __real_fclose(FILE* file);
int __wrap_fclose(FILE* file);
int __real_ferror(FILE* file);
int __wrap_ferror(FILE* file);
int __real_rename(const char* from, const char* to);
int __wrap_rename(const char* from, const char* to);
size_t __real_fwrite(const void* bytes, size_t size, size_t count, FILE* file);
size_t __wrap_fwrite(const void* bytes, size_t size, size_t count, FILE* file);

int __wrap_open(const char* path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const unsigned mode = flags & O_CREAT ? va_arg(list, unsigned) : 0;
    va_end(list);
    if (strstr(path, ".tact-")) ++temporaries;
    return fails("open", path) ? -1 : __real_open(path, flags, mode);
}

ssize_t __wrap_read(int file, void* bytes, size_t size)
{
    return fails("read", NULL) ? 3 : __real_read(file, bytes, size);
}

int __wrap_fstat(int file, struct stat* facts)
{
    if (fails("fstat", NULL)) return -1;
    const int result = __real_fstat(file, facts);
    if (owner) facts->st_uid = (uid_t)owner;
    return result;
}

int __wrap_lstat(const char* path, struct stat* facts)
{
    if (fails("lstat", path)) return -1;
    const int result = __real_lstat(path, facts);
    if (owner) facts->st_uid = (uid_t)owner;
    if (kind) facts->st_mode = (facts->st_mode & 07777) | kind;
    return result;
}

uid_t __wrap_geteuid(void)
{
    return user ? (uid_t)user : __real_geteuid();
}

FILE* __wrap_fdopen(int file, const char* mode)
{
    return fails("fdopen", NULL) ? NULL : __real_fdopen(file, mode);
}

int __wrap_fsync(int file)
{
    return fails("fsync", NULL) ? -1 : __real_fsync(file);
}

int __wrap_fflush(FILE* file)
{
    return file && fails("fflush", NULL) ? EOF : __real_fflush(file);
}

int __wrap_fclose(FILE* file)
{
    const int result = __real_fclose(file);
    return fails("fclose", NULL) ? EOF : result;
}

int __wrap_ferror(FILE* file)
{
    return fails("ferror", NULL) ? 1 : __real_ferror(file);
}

int __wrap_rename(const char* from, const char* to)
{
    return fails("rename", NULL) ? -1 : __real_rename(from, to);
}

size_t __wrap_fwrite(const void* bytes, size_t size, size_t count, FILE* file)
{
    return fails("fwrite", NULL) ? 0 : __real_fwrite(bytes, size, count, file);
}

// ---- Files ----

static char folder[64], path[96], fifo[96];

static int make_folder(void** state)
{
    snprintf(folder, sizeof folder, "test_platform_fault.XXXXXX");
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/file", folder);
    snprintf(fifo, sizeof fifo, "%s/fifo", folder);
    return mkfifo(fifo, 0600);
}

static int remove_folder(void** state)
{
    remove(path);
    remove(fifo);
    return rmdir(folder);  // which nothing else may be in
}

static void expect_holds(const char* text)
{
    char bytes[64] = "";
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    bytes[size] = '\0';
    assert_string_equal(bytes, text);
}

TEST(what_fails_leaves_the_old_file)
{
    static const struct {
        const char* call;
        int after;  ///< so many that go well
        int reason;
    } calls[] = {{"open", 0, EACCES},   {"fdopen", 0, ENOMEM}, {"fwrite", 0, ENOSPC},
                 {"fwrite", 1, ENOSPC}, {"ferror", 0, EIO},    {"fflush", 0, ENOSPC},
                 {"fsync", 0, EIO},     {"fclose", 0, EDQUOT}, {"rename", 0, EPERM}};
    assert_true(tact_platform_write_file(path, 0, NULL, 0, "old", 3));
    for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
        for (int twice = 0; twice < 2; ++twice) {
            // Closing may fail after writing has, which is then the reason.
            fail_at(twice ? "fclose" : calls[i].call, NULL, calls[i].reason);
            left = twice ? 0 : calls[i].after;
            if (strcmp(calls[i].call, "open") == 0) only_path = ".tact-";
            errno = 0;
            const bool good = tact_platform_write_file(path, TACT_FILE_SYNC, "he", 2, "ad", 2);
            const int why = errno;
            all_well();
            if (good) fail_msg("%s fails, and the file is written", calls[i].call);
            assert_int_equal(why, calls[i].reason);
            expect_holds("old");
        }
    }
    assert_true(tact_platform_write_file(path, TACT_FILE_SYNC, "he", 2, "ad", 2));
    expect_holds("head");
    assert_true(tact_platform_write_file(path, 0, "he", 2, NULL, 0));
    expect_holds("he");
}

/// What has failed already is not synchronized, nor is its reason replaced by that of closing.
TEST(the_first_reason_is_the_one)
{
    tact_platform_output output;
    assert_true(tact_platform_begin_file(&output, path, TACT_FILE_SYNC));
    fail_at("fclose", NULL, EDQUOT);
    errno = ENOSPC;
    const bool good = tact_platform_finish_file(&output, false);
    const int why = errno;
    all_well();
    assert_false(good);
    assert_int_equal(why, ENOSPC);
}

TEST(names_that_are_taken_are_tried_again)
{
    fail_at("open", ".tact-", EEXIST);
    temporaries = 0;
    const bool good = tact_platform_write_file(path, 0, NULL, 0, "new", 3);
    all_well();
    assert_false(good);
    assert_int_equal(temporaries, 100);
    // Names are made without a source of random numbers, too, or with a short answer of one.
    for (int way = 0; way < 2; ++way) {
        fail_at(way ? "read" : "open", way ? NULL : "/dev/urandom", EACCES);
        const bool written = tact_platform_write_file(path, 0, NULL, 0, "new", 3);
        all_well();
        assert_true(written);
        expect_holds("new");
    }
}

TEST(streams_that_cannot_be_opened_are_left_alone)
{
    enum { TO = TACT_FILE_STREAMS | TACT_FILE_SYNC };
    // A pipe that cannot be opened, and one that is a file by the time it is open.
    fail_at("open", "fifo", EACCES);
    assert_false(tact_platform_write_file(fifo, TO, NULL, 0, "x", 1));
    all_well();
    assert_true(tact_platform_write_file(path, 0, NULL, 0, "old", 3));
    kind = S_IFIFO;
    assert_false(tact_platform_write_file(path, TO, NULL, 0, "x", 1));
    all_well();
    expect_holds("old");
    // What cannot be looked at when it is open is not written to.
    const int held = open(fifo, O_RDWR | O_NONBLOCK);
    assert_true(held >= 0);
    fail_at("fstat", NULL, EIO);
    assert_false(tact_platform_write_file(fifo, TO, NULL, 0, "x", 1));
    all_well();
    fail_at("fdopen", NULL, ENOMEM);
    assert_false(tact_platform_write_file(fifo, TO, NULL, 0, "x", 1));
    all_well();
    close(held);
    struct stat facts;
    assert_true(lstat(fifo, &facts) == 0 && S_ISFIFO(facts.st_mode));
    // A regular file is replaced also where streams are allowed.
    assert_true(tact_platform_write_file(path, TO, NULL, 0, "new", 3));
    expect_holds("new");
}

TEST(descriptors_are_numbers)
{
    static const char* const wrong[] = {"/dev/fd/", "/dev/fd/x", "/dev/fd/1x", "/dev/fd/-1", "/dev/fd/65536"};
    tact_platform_output output;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        fail_at("open", ".tact-", EACCES);  // nothing is made in there
        if (tact_platform_begin_file(&output, wrong[i], TACT_FILE_STREAMS)) fail_msg("%s is a stream", wrong[i]);
        all_well();
    }
    const int held = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    char name[64];
    assert_true(held >= 0);
    for (int way = 0; way < 2; ++way) {
        snprintf(name, sizeof name, "%s%d", way ? "/proc/self/fd/" : "/dev/fd/", held);
        assert_true(tact_platform_write_file(name, TACT_FILE_STREAMS, NULL, 0, "ab", 2));
    }
    close(held);
    expect_holds("abab");
}

TEST(what_belongs_to_another_user_is_not_trusted)
{
    const char* why = NULL;
    assert_true(tact_platform_write_file(path, TACT_FILE_PRIVATE, NULL, 0, "x", 1));
    assert_int_equal(chmod(path, 0640), 0);
    user = 1234;
    owner = 77;
    assert_null(tact_platform_open_trusted(path, &why));
    assert_string_equal(why, "it belongs to another user");
    assert_false(tact_platform_trusts_folder(folder, &why));
    assert_string_equal(why, "it belongs to another user");
    kind = S_IFLNK;
    assert_false(tact_platform_trusts_folder(folder, &why));
    assert_string_equal(why, "it is a link of another user");
    // One's own, and root's, are.
    for (int way = 0; way < 2; ++way) {
        owner = way ? 1234 : 77;
        user = way ? 1234 : 77;
        assert_true(tact_platform_trusts_folder(folder, &why));
    }
    all_well();
    fail_at("fstat", NULL, EIO);
    assert_null(tact_platform_open_trusted(path, &why));
    assert_string_equal(why, "it is no regular file");
    fail_at("fstat", NULL, EIO);
    assert_false(tact_platform_trusts_folder(folder, &why));
    assert_string_equal(why, "it cannot be opened");
    all_well();
    // Another user's file keeps its mode to itself.
    struct stat facts;
    owner = 77;
    assert_true(tact_platform_write_file(path, 0, NULL, 0, "y", 1));
    all_well();
    assert_int_equal(stat(path, &facts), 0);
    assert_int_not_equal(facts.st_mode & 0777, 0640);
    assert_int_equal(chmod(path, 0640), 0);
    assert_true(tact_platform_write_file(path, 0, NULL, 0, "y", 1));
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0640);
}

// ---- Memory ----

TEST(large_blocks_may_be_refused)
{
#if !defined(TACT_SANITIZED)  // which end the program
    assert_null(tact_platform_aligned_allocate(SIZE_MAX / 2, 64));
#endif
    // Wider than a huge page.
    void* memory = tact_platform_aligned_allocate((size_t)8 << 20, (size_t)4 << 20);
    assert_non_null(memory);
    assert_int_equal((uintptr_t)memory % ((size_t)4 << 20), 0);
    tact_platform_aligned_release(memory);
}

// ---- Variables ----

static void set(const char* name, const char* value)
{
    if (value) {
        setenv(name, value, 1);
    } else {
        unsetenv(name);
    }
}

/// The variable as it was, when the test is over.
static char* keep(const char* name)
{
    const char* value = getenv(name);
    return value ? strdup(value) : NULL;
}

TEST(the_cache_is_where_the_variables_say)
{
    static const struct {
        const char *override, *variable, *base, *home;
        const char* ends;  ///< NULL: nowhere
    } rows[] = {
        {"o", "v", "b", "h", "/o"},
        {"", "v", "b", "h", "/v"},
        {NULL, "v", "b", "h", "/v"},
        {NULL, "", "b", "h", NULL},
        {NULL, NULL, "b", "h", "/b/tact"},
        {NULL, NULL, "", "h", "/h/.cache/tact"},
        {NULL, NULL, NULL, "h", "/h/.cache/tact"},
        {NULL, NULL, NULL, "", NULL},
        {NULL, NULL, NULL, NULL, NULL},
        {"a\\b", NULL, NULL, NULL, "/a\\b"},
    };
    static const char* const names[3] = {"TACT_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
    char* before[3];
    char made[64] = "test_platform_fault.XXXXXX";
    assert_non_null(mkdtemp(made));
    for (int k = 0; k < 3; ++k)
        before[k] = keep(names[k]);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        const char* const given[4] = {rows[i].override, rows[i].variable, rows[i].base, rows[i].home};
        char places[4][128], found[256] = "";
        const char* use[4];
        for (int k = 0; k < 4; ++k) {
            snprintf(places[k], sizeof places[k], "%s/%s", made, given[k] ? given[k] : "");
            use[k] = given[k] ? (*given[k] ? places[k] : "") : NULL;
            if (k > 0) set(names[k - 1], use[k]);
        }
        const bool there = tact_platform_cache_directory(use[0], found, sizeof found, NULL);
        char expected[256] = "";
        if (rows[i].ends) snprintf(expected, sizeof expected, "%s%s", made, rows[i].ends);
        if (there != (rows[i].ends != NULL) || (there && strcmp(found, expected) != 0)) {
            fail_msg("row %zu: \"%s\", expected \"%s\"", i, found, expected);
        }
        if (there) assert_false(tact_platform_cache_directory(use[0], found, strlen(expected), NULL));
    }
    for (int k = 0; k < 3; ++k) {
        set(names[k], before[k]);
        free(before[k]);
    }
    static const char* const leave[] = {"/o", "/v", "/b/tact", "/b", "/h/.cache/tact", "/h/.cache", "/h", "/a\\b", ""};
    for (size_t i = 0; i < sizeof leave / sizeof *leave; ++i) {
        char name[128];
        snprintf(name, sizeof name, "%s%s", made, leave[i]);
        assert_int_equal(rmdir(name), 0);
    }
}

TEST(programs_are_looked_for_on_the_path)
{
    char* before = keep("PATH");
    char* list = scratch_zeroed(1, 3000);
    assert_int_equal(chmod(path, 0700), 0);
    memset(list, 'x', 2000);
    snprintf(list + 2000, 900, ":nowhere:%s", folder);
    set("PATH", list);
    assert_true(tact_platform_on_path("file"));
    assert_false(tact_platform_on_path("fifo"));
    assert_false(tact_platform_on_path("other"));
    set("PATH", "nowhere:");
    assert_false(tact_platform_on_path("file"));
    set("PATH", "");
    assert_false(tact_platform_on_path("file"));
    set("PATH", NULL);
    assert_false(tact_platform_on_path("file"));
    set("PATH", before);
    free(before);
}

static void* allocate_nothing(size_t size, size_t alignment, void* given)
{
    abort();
}

static void release_nothing(void* memory, void* given)
{
    abort();
}

static bool is_calibrated(tact_context_desc desc, const char* variable)
{
    set("TACT_CALIBRATE", variable);
    tact_context* context = new_context(&desc);
    const bool calibrated = !context->uncalibrated;
    tact_context_destroy(context);
    set("TACT_CALIBRATE", NULL);
    return calibrated;
}

TEST(contexts_are_made_of_what_is_whole)
{
    tact_context_desc desc = {.log = quiet, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .threads = 1};
    char* before = keep("TACT_CALIBRATE");
    assert_true(is_calibrated(desc, NULL));
    assert_true(is_calibrated(desc, "1"));
    assert_false(is_calibrated(desc, "0"));
    desc.disable_calibration = true;
    assert_false(is_calibrated(desc, "1"));
    set("TACT_CALIBRATE", before);
    free(before);
    // Half an allocator and half an adopted device are none; the half is not called.
    static int somewhere;
    tact_context* context = NULL;
    tact_context_desc halves[4] = {desc, desc, desc, desc};
    halves[0].allocator.allocate = allocate_nothing;
    halves[1].allocator.release = release_nothing;
    halves[2].cl = halves[3].cl = TACT_DEVICE_ADOPT;
    halves[2].cl_context = halves[3].cl_device = &somewhere;
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(tact_context_create(&halves[i], &context), TACT_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(tact_last_error(), i < 2 ? "allocate and release" : "cl_context and cl_device"));
    }
    assert_int_equal(tact_context_create(&desc, &context), TACT_OK);
#if !defined(TACT_SANITIZED)  // which want to see each block
    assert_non_null(context->pool);
#endif
    for (int backend = -1; backend <= TACT_BACKEND_COUNT; ++backend) {
        const char* why = tact_context_missing(context, (tact_backend)backend);
        const bool none = backend <= TACT_BACKEND_AUTO || backend == TACT_BACKEND_COUNT;
        if (none) assert_string_equal(why, "no such backend");
        if (!none) assert_true(!why || strcmp(why, "no such backend") != 0);
    }
    assert_string_equal(tact_context_missing(NULL, TACT_BACKEND_CPU), "no such backend");
    tact_context_destroy(context);
}

#include TEST_LIST
RUN_ALL(make_folder, remove_folder)
