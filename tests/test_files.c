// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE

#include "tests/support/run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/platform.h"
#include "core/context/context.h"
#include "core/dispatch/cost_store.h"
#include "tests/support/objects.h"

// Files are written and read in a folder where someone else has planted links, pipes and files.

static char folder[64], path_[8][128];

/// A name in the folder; `i` tells names apart that are in use together.
static const char* in(int i, const char* name)
{
    snprintf(path_[i], sizeof path_[i], "%s/%s", folder, name);
    return path_[i];
}

static int make_folder(void** state)
{
    snprintf(folder, sizeof folder, "test_files_%ld", (long)getpid());
    return mkdir(folder, 0700);
}

static int count_names(void)
{
    int count = 0;
    DIR* d = opendir(folder);
    assert_non_null(d);
    for (const struct dirent* e = readdir(d); e; e = readdir(d))
        count += e->d_name[0] != '.' || strncmp(e->d_name, ".tact", 5) == 0;
    closedir(d);
    return count;
}

static int remove_folder(void** state)
{
    DIR* d = opendir(folder);
    char path[512];
    for (const struct dirent* e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.' || e->d_name[1] == 't') remove(path);
    }
    if (d) closedir(d);
    return rmdir(folder);
}

static void put(const char* path, const char* text, mode_t mode)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void assert_holds(const char* path, const char* text)
{
    char read[256] = "";
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    read[fread(read, 1, sizeof read - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(read, text);
}

static mode_t mode_of(const char* path)
{
    struct stat facts;
    assert_int_equal(lstat(path, &facts), 0);
    return facts.st_mode;
}

static const unsigned ways[] = {0, TACT_FILE_STREAMS, TACT_FILE_PRIVATE | TACT_FILE_SYNC};
enum { WAYS = sizeof ways / sizeof *ways };

static bool write_text(const char* path, unsigned flags, const char* text)
{
    return tact_platform_write_file(path, flags, text, 1, text + 1, strlen(text) - 1);
}

TEST(planted_links_are_not_followed)
{
    const char *victim = in(0, "victim"), *out = in(1, "out"), *nowhere = in(2, "nowhere"), *temporary = path_[3];
    for (int i = 0; i < WAYS; ++i) {
        put(victim, "precious", 0600);
        // Where the output goes, there is a link to another file, or to one that is not there.
        assert_int_equal(symlink("victim", out), 0);
        assert_true(write_text(out, ways[i], "new"));
        assert_true(S_ISREG(mode_of(out)));
        assert_holds(out, "new");
        remove(out);
        assert_int_equal(symlink("nowhere", out), 0);
        assert_true(write_text(out, ways[i], "new"));
        assert_true(S_ISREG(mode_of(out)));
        assert_int_not_equal(access(nowhere, F_OK), 0);
        remove(out);
        // The name by which the file was written before it was renamed, when that could be guessed.
        snprintf(path_[3], sizeof path_[3], "%s/out.%ld.tmp", folder, (long)getpid());
        assert_int_equal(symlink("victim", temporary), 0);
        assert_true(write_text(out, ways[i], "new"));
        assert_holds(out, "new");
        assert_true(S_ISLNK(mode_of(temporary)));
        assert_holds(victim, "precious");
        remove(temporary);
        remove(out);
        remove(victim);
    }
}

TEST(temporary_names_cannot_be_guessed)
{
    static tact_platform_output a, b;
    const char* out = in(0, "out");
    assert_true(tact_platform_begin_file(&a, out, 0) && tact_platform_begin_file(&b, out, 0));
    // 64 random bits, in a name that does not grow with the file's.
    const char* name = strrchr(a.temporary, '/') + 1;
    assert_int_equal(strlen(name), strlen(".tact-0123456789abcdef.tmp"));
    int different = 0;
    for (size_t i = 0; a.temporary[i]; ++i)
        different += a.temporary[i] != b.temporary[i];
    assert_true(different >= 5);
    fputs("a", a.file);
    fputs("b", b.file);
    assert_true(tact_platform_finish_file(&a, true));
    assert_holds(out, "a");
    assert_false(tact_platform_finish_file(&b, false));
    assert_holds(out, "a");
    assert_int_equal(count_names(), 1);
    // A name of 255 bytes, the longest there is.
    char longest[400];
    snprintf(longest, sizeof longest, "%s/%0255d", folder, 0);
    assert_true(write_text(longest, 0, "new"));
    remove(longest);
    remove(out);
}

TEST(failures_leave_nothing)
{
    const char* missing = in(0, "missing/out");
    for (int i = 0; i < WAYS; ++i) {
        errno = 0;
        assert_false(write_text(missing, ways[i], "new"));
        assert_int_equal(errno, ENOENT);
        const char* taken = in(1, "taken");
        assert_int_equal(mkdir(taken, 0700), 0);
        assert_false(write_text(taken, ways[i], "new"));
        assert_int_equal(errno, EISDIR);
        assert_int_equal(count_names(), 1);
        assert_int_equal(rmdir(taken), 0);
    }
}

TEST(permissions_are_kept)
{
    const mode_t before = umask(022);
    const char* out = in(0, "out");
    assert_true(write_text(out, 0, "new"));
    assert_int_equal(mode_of(out) & 07777, 0644);
    assert_int_equal(chmod(out, 0640), 0);
    assert_true(write_text(out, 0, "newer"));
    assert_int_equal(mode_of(out) & 07777, 0640);
    assert_true(write_text(out, TACT_FILE_PRIVATE, "newest"));
    assert_int_equal(mode_of(out) & 07777, 0600);
    umask(before);
    remove(out);
}

typedef struct pipe_reader {
    pthread_t thread;
    const char* path;
    char text[16];
} pipe_reader;

static void* read_pipe(void* user)
{
    pipe_reader* r = user;
    FILE* file = fopen(r->path, "rb");
    if (!file) return NULL;
    r->text[fread(r->text, 1, sizeof r->text - 1, file)] = '\0';
    fclose(file);
    return NULL;
}

TEST(pipes_are_written_to_where_that_is_wanted)
{
    pipe_reader r = {.path = in(0, "pipe")};
    assert_int_equal(mkfifo(r.path, 0600), 0);
    assert_int_equal(pthread_create(&r.thread, NULL, read_pipe, &r), 0);
    assert_true(write_text(r.path, TACT_FILE_STREAMS, "through"));
    assert_int_equal(pthread_join(r.thread, NULL), 0);
    assert_string_equal(r.text, "through");
    assert_true(S_ISFIFO(mode_of(r.path)));
    // Elsewhere one is replaced like any other name.
    assert_true(write_text(r.path, TACT_FILE_PRIVATE, "new"));
    assert_true(S_ISREG(mode_of(r.path)));
    remove(r.path);
    assert_true(write_text("/dev/null", TACT_FILE_STREAMS, "new"));
    assert_true(S_ISCHR(mode_of("/dev/null")));
}

TEST(standard_output_is_written_to)
{
    static const char* const names[] = {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
    const char* out = in(0, "out");
    for (int i = 0; i < 3; ++i) {
        fflush(NULL);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            if (!freopen(out, "wb", stdout)) _exit(1);
            printf("before ");
            const bool good = write_text(names[i], TACT_FILE_STREAMS, "new ");
            printf("after");
            fflush(stdout);
            _exit(!good);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        assert_holds(out, "before new after");
    }
    struct stat facts;
    if (lstat("/dev/stdout", &facts) == 0) assert_false(S_ISREG(facts.st_mode));
    remove(out);
}

// What is read

static const char* distrust_of(const char* path)
{
    const char* why = "";
    FILE* file = tact_platform_open_trusted(path, &why);
    assert_true(!file || !why);
    if (file) fclose(file);
    return why ? why : file ? "" : "missing";
}

TEST(only_own_regular_files_are_trusted)
{
    const char* kept = in(0, "kept");
    assert_string_equal(distrust_of(kept), "missing");
    put(kept, "kept", 0600);
    assert_string_equal(distrust_of(kept), "");
    assert_int_equal(chmod(kept, 0644), 0);
    assert_string_equal(distrust_of(kept), "");
    assert_int_equal(chmod(kept, 0664), 0);
    assert_string_equal(distrust_of(kept), "others can write to it");
    assert_int_equal(chmod(kept, 0602), 0);
    assert_string_equal(distrust_of(kept), "others can write to it");
    assert_int_equal(chmod(kept, 0600), 0);
    const char* link = in(1, "link");
    assert_int_equal(symlink("kept", link), 0);
    assert_string_equal(distrust_of(link), "it is a link");
    remove(link);
    assert_int_equal(mkfifo(link, 0600), 0);
    assert_string_equal(distrust_of(link), "it is no regular file");  // at once
    remove(link);
    assert_string_equal(distrust_of(folder), "it is no regular file");
    remove(kept);
}

static int warnings;
static char warning[1200];

static void keep_warning(tact_log_level level, const char* source, const char* message, void* user)
{
    if (level < TACT_LOG_WARNING) return;
    ++warnings;
    snprintf(warning, sizeof warning, "%s", message);
}

/// A context, with devices where there are, that keeps things in `directory`. How often it warned.
static int warnings_with(const char* directory, bool* used)
{
    const tact_context_desc desc = {.log = keep_warning, .threads = 1, .cache_directory = directory};
    warnings = 0;
    tact_context* context = new_context(&desc);
    *used = context->cache_directory[0] != '\0';
    tact_cost_store_load(context);
    (void)tact_cost_store_save(context, 0);
    tact_context_destroy(context);
    return warnings;
}

TEST(a_folder_that_others_write_to_is_not_used)
{
    bool used = false;
    const char* cache = in(0, "cache");
    static const mode_t open_modes[] = {0777, 0770, 0707, 01777, 0720};
    assert_int_equal(mkdir(cache, 0700), 0);
    for (size_t i = 0; i < sizeof open_modes / sizeof *open_modes; ++i) {
        assert_int_equal(chmod(cache, open_modes[i]), 0);
        // Said once, though the context and each of its devices would keep something there.
        assert_int_equal(warnings_with(cache, &used), 1);
        assert_false(used);
        assert_non_null(strstr(warning, cache));
        assert_non_null(strstr(warning, "is not used: others can write to it"));
        assert_int_equal(rmdir(cache), 0);  // nothing was written
        assert_int_equal(mkdir(cache, 0700), 0);
    }
    assert_int_equal(rmdir(cache), 0);
    // A file in its place.
    put(cache, "", 0600);
    assert_int_equal(warnings_with(cache, &used), 1);
    assert_false(used);
    assert_non_null(strstr(warning, "is not used: it is no folder"));
    remove(cache);
}

TEST(what_belongs_to_others_is_not_used)
{
    if (geteuid() != 0) {
        print_message("only root can give files to others\n");
        skip();
    }
    enum { OTHER = 12345 };
    bool used = false;
    const char *cache = in(0, "cache"), *kept = in(1, "kept");
    put(kept, "kept", 0600);
    assert_int_equal(chown(kept, OTHER, OTHER), 0);
    assert_string_equal(distrust_of(kept), "it belongs to another user");
    remove(kept);
    assert_int_equal(mkdir(cache, 0700), 0);
    assert_int_equal(chown(cache, OTHER, OTHER), 0);
    assert_int_equal(warnings_with(cache, &used), 1);
    assert_false(used);
    assert_non_null(strstr(warning, "is not used: it belongs to another user"));
    // A link is as good as the folder, where it is one's own.
    assert_int_equal(chown(cache, 0, 0), 0);
    const char* link = in(2, "link");
    const char* why = NULL;
    assert_int_equal(symlink("cache", link), 0);
    assert_true(tact_platform_trusts_folder(link, &why));
    assert_int_equal(lchown(link, OTHER, OTHER), 0);
    assert_false(tact_platform_trusts_folder(link, &why));
    assert_string_equal(why, "it is a link of another user");
    remove(link);
    assert_int_equal(rmdir(cache), 0);
}

TEST(a_pipe_in_the_cache_hangs_no_context)
{
    bool used = false;
    const char* cache = in(0, "cache");
    char head[TACT_COST_HEAD_MAX], path[1200];
    const tact_context_desc desc = {.log = keep_warning, .threads = 1, .cache_directory = cache};
    tact_context* context = new_context(&desc);
    assert_true(tact_cost_store_head(&context->cpu, head));
    assert_true(tact_cost_store_path(context->cache_directory, head, path, sizeof path));
    tact_context_destroy(context);
    // The calibration, and the kernels that were kept meanwhile, become pipes.
    assert_int_equal(mkfifo(path, 0600), 0);
    DIR* d = opendir(cache);
    assert_non_null(d);
    int pipes = 1;
    char name[512];
    for (const struct dirent* e = readdir(d); e; e = readdir(d)) {
        snprintf(name, sizeof name, "%s/%s", cache, e->d_name);
        if (!S_ISREG(mode_of(name))) continue;
        assert_int_equal(remove(name), 0);
        assert_int_equal(mkfifo(name, 0600), 0);
        ++pipes;
    }
    closedir(d);
    // Each is named, and replaced by what is kept anew.
    assert_int_equal(warnings_with(cache, &used), pipes);
    assert_true(used);
    assert_non_null(strstr(warning, "is ignored: it is no regular file"));
    assert_int_equal(warnings_with(cache, &used), 0);
    d = opendir(cache);
    for (const struct dirent* e = readdir(d); e; e = readdir(d)) {
        snprintf(name, sizeof name, "%s/%s", cache, e->d_name);
        if (e->d_name[0] != '.') assert_int_equal(remove(name), 0);
    }
    closedir(d);
    assert_int_equal(rmdir(cache), 0);
}

#include TEST_LIST
RUN_ALL(make_folder, remove_folder)
