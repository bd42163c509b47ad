// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#endif

#include "apps/system.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <direct.h>
#include <fcntl.h>
#include <io.h>
#include <windows.h>
#if !defined(S_ISDIR)
#define S_ISDIR(mode) (((mode)&_S_IFMT) == _S_IFDIR)
#endif
#else
#include <pthread.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#endif

bool tact_system_is_terminal(FILE* stream)
{
#if defined(_WIN32)
    return _isatty(_fileno(stream)) != 0;
#else
    return isatty(fileno(stream)) != 0;
#endif
}

double tact_system_milliseconds(void)
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

void tact_system_name(char* name, size_t size)
{
#if defined(_WIN32)
    snprintf(name, size, "Windows");
#else
    struct utsname facts;
    if (uname(&facts) == 0) {
        snprintf(name, size, "%s %s %s", facts.sysname, facts.release, facts.machine);
    } else {
        snprintf(name, size, "unknown");
    }
#endif
}

#if defined(_WIN32)

unsigned tact_system_busy_start(unsigned count)
{
    (void)count;
    return 0;
}

void tact_system_busy_stop(void)
{
}

uint64_t tact_system_faults(void)
{
    return 0;
}

bool tact_system_apart(void (*run)(void* own), void* own, void* result, size_t size)
{
    (void)run, (void)own, (void)result, (void)size;
    return false;
}

#else

enum { MOST_BUSY = 256 };

static pid_t busy[MOST_BUSY];
static unsigned busy_count;

/// Ends with the program that started it, however that ends.
static void keep_busy(pid_t parent)
{
    while (getppid() == parent) {
        for (volatile unsigned i = 0; i < 10000000; ++i) {
        }
    }
    _exit(0);
}

unsigned tact_system_busy_start(unsigned count)
{
    const pid_t parent = getpid();
    fflush(NULL);
    for (busy_count = 0; busy_count < count && busy_count < MOST_BUSY; ++busy_count) {
        const pid_t child = fork();
        if (child < 0) break;
        if (child == 0) keep_busy(parent);
        busy[busy_count] = child;
    }
    return busy_count;
}

void tact_system_busy_stop(void)
{
    for (unsigned i = 0; i < busy_count; ++i)
        kill(busy[i], SIGKILL);
    for (unsigned i = 0; i < busy_count; ++i)
        while (waitpid(busy[i], NULL, 0) < 0 && errno == EINTR) {
        }
    busy_count = 0;
}

uint64_t tact_system_faults(void)
{
    struct rusage used;
    return getrusage(RUSAGE_SELF, &used) == 0 ? (uint64_t)used.ru_minflt : 0;
}

static bool read_all(int from, void* bytes, size_t size)
{
    size_t done = 0;
    while (done < size) {
        const ssize_t count = read(from, (char*)bytes + done, size - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        done += (size_t)count;
    }
    return true;
}

static void run_apart(void (*run)(void* own), void* own, const void* result, size_t size, int to)
{
    run(own);
    for (size_t done = 0; done < size;) {
        const ssize_t count = write(to, (const char*)result + done, size - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) _exit(1);
        done += (size_t)count;
    }
    _exit(0);
}

bool tact_system_apart(void (*run)(void* own), void* own, void* result, size_t size)
{
    int ends[2];
    if (pipe(ends) != 0) return false;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        run_apart(run, own, result, size, ends[1]);
    }
    close(ends[1]);
    const bool good = child > 0 && read_all(ends[0], result, size);
    close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    return good;
}

#endif

#if defined(_WIN32)

tact_ticker* tact_system_ticker_start(unsigned milliseconds, void (*tick)(void* own), void* own)
{
    (void)milliseconds, (void)tick, (void)own;
    return NULL;
}

void tact_system_ticker_stop(tact_ticker* ticker)
{
    (void)ticker;
}

#else

struct tact_ticker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t stopped;
    bool stop;
    unsigned milliseconds;
    void (*tick)(void* own);
    void* own;
};

static void* run_ticker(void* user)
{
    tact_ticker* t = user;
    struct timespec next;
    clock_gettime(CLOCK_REALTIME, &next);
    pthread_mutex_lock(&t->lock);
    while (!t->stop) {
        next.tv_nsec += (long)(t->milliseconds % 1000) * 1000000;
        next.tv_sec += (time_t)(t->milliseconds / 1000) + next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        int result = 0;
        while (!t->stop && result == 0)
            result = pthread_cond_timedwait(&t->stopped, &t->lock, &next);
        if (!t->stop) t->tick(t->own);
    }
    pthread_mutex_unlock(&t->lock);
    return NULL;
}

tact_ticker* tact_system_ticker_start(unsigned milliseconds, void (*tick)(void* own), void* own)
{
    tact_ticker* t = malloc(sizeof *t);
    if (!t) return NULL;
    *t = (tact_ticker){.milliseconds = milliseconds, .tick = tick, .own = own};
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->stopped, NULL);
    // Signals are for the thread that works.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool good = pthread_create(&t->thread, NULL, run_ticker, t) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (good) return t;
    pthread_cond_destroy(&t->stopped);
    pthread_mutex_destroy(&t->lock);
    free(t);
    return NULL;
}

void tact_system_ticker_stop(tact_ticker* t)
{
    if (!t) return;
    pthread_mutex_lock(&t->lock);
    t->stop = true;
    pthread_cond_signal(&t->stopped);
    pthread_mutex_unlock(&t->lock);
    pthread_join(t->thread, NULL);
    pthread_cond_destroy(&t->stopped);
    pthread_mutex_destroy(&t->lock);
    free(t);
}

#endif

// ---- Signals ----

/// What is written where a signal ends the program at once; `signal` 0: there is none such.
typedef struct last_words {
    int signal;
    char error[512], output[1024];
} last_words;

static last_words all_words[2];

/// Written by handlers, read by any thread.
static TACT_ATOMIC(int) noted;
static TACT_ATOMIC(bool) notes;

/// Does only what a handler may do.
static void write_text(int file, const char* text)
{
    size_t left = strlen(text);
#if defined(_WIN32)
    for (int count; left > 0 && (count = _write(file, text, (unsigned)left)) > 0;
         text += count, left -= (size_t)count) {
    }
#else
    for (ssize_t count; left > 0 && (count = write(file, text, left)) > 0; text += count, left -= (size_t)count) {
    }
#endif
}

#if defined(_WIN32)
static void end_now(int code)
{
    TerminateProcess(GetCurrentProcess(), (UINT)code);
}
#else
static pid_t owner;

static void end_now(int code)
{
    _exit(code);
}
#endif

static void take_signal(int signal)
{
#if !defined(_WIN32)
    // A copy of this process has nothing to finish, and the line is the first one's.
    if (getpid() != owner) end_now(TACT_EXIT_SIGNAL + signal);
#endif
    if (notes && noted == 0) {
        noted = signal;
        return;
    }
    for (size_t i = 0; i < sizeof all_words / sizeof *all_words; ++i) {
        if (all_words[i].signal != signal) continue;
        write_text(2, all_words[i].error);
        write_text(1, all_words[i].output);
    }
    end_now(TACT_EXIT_SIGNAL + signal);
}

#if defined(_WIN32)

/// Runs on a thread of its own.
static BOOL WINAPI take_event(DWORD event)
{
    take_signal(event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT ? SIGINT : SIGTERM);
    // After the others the system ends the program as soon as this returns, and after some seconds in any case.
    if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) Sleep(INFINITE);
    return TRUE;
}

static void take_signals(void)
{
    SetConsoleCtrlHandler(take_event, TRUE);
}

#else

static void take_signals(void)
{
    static const int caught[] = {SIGINT, SIGTERM};
    owner = getpid();
    for (size_t i = 0; i < sizeof caught / sizeof *caught; ++i) {
        struct sigaction action = {.sa_handler = take_signal, .sa_flags = SA_RESTART}, before;
        sigemptyset(&action.sa_mask);
        // One that is ignored, as by nohup, stays so.
        if (sigaction(caught[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(caught[i], &action, NULL);
    }
}

#endif

void tact_system_last_words(int signal, const char* error, const char* output)
{
    last_words* words = &all_words[signal == SIGTERM];
    *words = (last_words){.signal = signal};
    snprintf(words->error, sizeof words->error, "%s", error);
    // Half an object is none.
    if (strlen(output) < sizeof words->output) snprintf(words->output, sizeof words->output, "%s", output);
    take_signals();
}

void tact_system_note_signals(void)
{
    notes = true;
}

int tact_system_signal(void)
{
    return noted;
}

void tact_system_note_signal(int signal)
{
    if (noted == 0) noted = signal;
}

void tact_system_become(const char* name, char** argv)
{
#if !defined(_WIN32)
    const char* slash = strrchr(argv[0], '/');
    char path[4096];
    const int length = snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - argv[0]) + 1 : 0, argv[0], name);
    if (length > 0 && (size_t)length < sizeof path) execvp(path, argv);
#else
    (void)name;
    (void)argv;
#endif
}

bool tact_system_silence(FILE* stream)
{
#if defined(_WIN32)
    return freopen("NUL", "w", stream) != NULL;
#else
    return freopen("/dev/null", "w", stream) != NULL;
#endif
}

void tact_system_binary_streams(void)
{
#if defined(_WIN32)
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
#endif
}

bool tact_system_memory(uint64_t* now, uint64_t* peak)
{
// A sanitizer's memory is its own, not the program's.
#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    FILE* file = fopen("/proc/self/status", "r");
    if (!file) return false;
    char line[256];
    unsigned long long kib = 0;
    int found = 0;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "VmRSS: %llu", &kib) == 1) {
            if (now) *now = (uint64_t)kib * 1024;
            ++found;
        } else if (sscanf(line, "VmHWM: %llu", &kib) == 1) {
            if (peak) *peak = (uint64_t)kib * 1024;
            ++found;
        }
    }
    fclose(file);
    return found == 2;
#else
    (void)now;
    (void)peak;
    return false;
#endif
}

uint64_t tact_system_mapped(void)
{
    unsigned long long pages = 0;
#if defined(__linux__)
    FILE* file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%llu", &pages) != 1) pages = 0;
    fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
#else
    return pages;
#endif
}

bool tact_system_is_directory(const char* path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

bool tact_system_make_directory(const char* path, tact_problem* problem)
{
    const size_t length = strlen(path);
    char* part = malloc(length + 1);
    if (!part) return tact_problem_out_of_memory(problem, "a path");
    for (size_t i = 1; i <= length; ++i) {
        if (path[i] != '/' && path[i] != '\0') continue;
        memcpy(part, path, i);
        part[i] = '\0';
#if defined(_WIN32)
        _mkdir(part);
#else
        mkdir(part, 0777);
#endif
    }
    free(part);
    // What counts is whether the folder is there now, whoever made it.
    if (tact_system_is_directory(path)) return true;
    return tact_problem_set(problem, "%s: cannot make this folder", path);
}

bool tact_file_is_stream(const char* path)
{
    return path[0] == '-' && path[1] == '\0';
}

const char* tact_file_shown(const char* path)
{
    return tact_file_is_stream(path) ? "standard input" : path;
}

/// Where the file "-" is written; -1: nowhere yet.
static int claimed_output = -1;

bool tact_system_claim_output(void)
{
    if (claimed_output >= 0 || fflush(stdout) != 0) return false;
#if defined(_WIN32)
    claimed_output = _dup(_fileno(stdout));
    return claimed_output >= 0 && _dup2(_fileno(stderr), _fileno(stdout)) >= 0;
#else
    claimed_output = dup(STDOUT_FILENO);
    return claimed_output >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
#endif
}

/// A stream of its own, which may be closed.
static FILE* open_claimed(void)
{
#if defined(_WIN32)
    const int file = _dup(claimed_output);
    FILE* stream = file >= 0 ? _fdopen(file, "wb") : NULL;
    if (file >= 0 && !stream) _close(file);
#else
    const int file = dup(claimed_output);
    FILE* stream = file >= 0 ? fdopen(file, "wb") : NULL;
    if (file >= 0 && !stream) close(file);
#endif
    return stream;
}

bool tact_file_check(const char* path, tact_problem* problem)
{
    if (tact_file_is_stream(path)) return true;
    if (tact_system_is_directory(path)) return tact_problem_set(problem, "%s: is a folder, not a file", path);
    FILE* file = fopen(path, "rb");
    if (!file) return tact_problem_set(problem, "%s: cannot be read: %s", path, strerror(errno));
    fclose(file);
    return true;
}

const char* tact_file_free_name(char* name, size_t size, const char* stem, const char* ending)
{
    snprintf(name, size, "%s%s", stem, ending);
    for (unsigned long i = 2; tact_platform_exists(name); ++i) {
        const int length = snprintf(name, size, "%s-%lu%s", stem, i, ending);
        if (length < 0 || (size_t)length >= size) name[0] = '\0';
    }
    return name;
}

bool tact_file_remove(const char* path, tact_problem* problem)
{
    if (tact_system_is_directory(path)) return tact_problem_set(problem, "%s: is a folder, not a file", path);
    if (remove(path) == 0 || errno == ENOENT) return true;
    return tact_problem_set(problem, "%s: cannot be removed: %s", path, strerror(errno));
}

static size_t size_hint(const char* path)
{
    struct stat facts;
    if (stat(path, &facts) != 0 || facts.st_size <= 0 || (uint64_t)facts.st_size >= SIZE_MAX / 2) return 0;
    return (size_t)facts.st_size;
}

static bool refused_input;

void tact_system_refuse_input(void)
{
    refused_input = true;
}

static bool take_input(tact_problem* problem)
{
    static bool taken;
    if (refused_input)
        return tact_problem_set(problem, "standard input: not with --mpi; a file that all ranks read is");
    if (taken) return tact_problem_set(problem, "standard input: only one file can be -, which is read already");
    taken = true;
    return true;
}

bool tact_file_read(const char* path, void** bytes, size_t* size, tact_problem* problem)
{
    *bytes = NULL;
    *size = 0;
    const bool is_input = tact_file_is_stream(path);
    if (is_input ? !take_input(problem) : !tact_file_check(path, problem)) return false;
    FILE* file = is_input ? stdin : fopen(path, "rb");
    if (!file) return tact_problem_set(problem, "%s: cannot be read: %s", path, strerror(errno));
    // One byte more than the file is said to hold, so that its end is seen without growing; pipes have no size.
    size_t capacity = (is_input ? 0 : size_hint(path)) + 1;
    if (capacity < 65536) capacity = 65536;
    unsigned char* memory = malloc(capacity);
    size_t used = 0;
    while (memory) {
        used += fread(memory + used, 1, capacity - used, file);
        if (used < capacity) break;
        unsigned char* larger = capacity < SIZE_MAX / 2 ? realloc(memory, capacity * 2) : NULL;
        if (!larger) free(memory);
        memory = larger;
        capacity *= 2;
    }
    const bool failed = ferror(file) != 0;
    const int reason = errno;
    if (!is_input) fclose(file);
    if (!memory) return tact_problem_out_of_memory(problem, tact_file_shown(path));
    if (failed) {
        free(memory);
        return tact_problem_set(problem, "%s: reading failed: %s", tact_file_shown(path), strerror(reason));
    }
    *bytes = memory;
    *size = used;
    return true;
}

bool tact_file_begin(tact_platform_output* output, const char* path, tact_problem* problem)
{
    tact_system_note_signals();
    if (tact_file_is_stream(path) && claimed_output >= 0) {
        *output = (tact_platform_output){.file = open_claimed(), .path = "standard output"};
        return output->file || tact_problem_set(problem, "standard output: cannot be written: %s", strerror(errno));
    }
    if (tact_system_is_directory(path)) return tact_problem_set(problem, "%s: is a folder, not a file", path);
    if (tact_platform_begin_file(output, path, TACT_FILE_STREAMS)) return true;
    return tact_problem_set(problem, "%s: cannot be written: %s", path, strerror(errno));
}

bool tact_file_finish(tact_platform_output* output, bool good, tact_problem* problem)
{
    if (tact_platform_finish_file(output, good)) return true;
    return tact_problem_set(problem, "%s: writing failed: %s", output->path, strerror(errno));
}

bool tact_file_replace(const char* path, const void* head, size_t head_size, const void* data, size_t size,
                       tact_problem* problem)
{
    tact_platform_output output;
    if (!tact_file_begin(&output, path, problem)) return false;
    bool good = head_size == 0 || fwrite(head, 1, head_size, output.file) == head_size;
    good = good && (size == 0 || fwrite(data, 1, size, output.file) == size);
    return tact_file_finish(&output, good, problem);
}
