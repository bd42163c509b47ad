// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Has Assimp read a mesh in a process of its own. It knows dozens of formats, and some of its readers crash, do not end
// or allocate without bound on broken files. Whatever happens there, the tool answers with one line and its exit code.

#if !defined(_WIN32)
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE
#define _DARWIN_C_SOURCE
#endif

#include "apps/inputs/mesh_file.h"

#if defined(_WIN32)

bool tact_mesh_file_read_guarded(const char* path, tact_model_mesh* mesh, tact_problem* problem)
{
    return tact_mesh_file_read(path, mesh, problem);
}

#else

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/system.h"

/// What the child sends first; the arrays follow.
typedef struct message {
    bool good;
    tact_problem problem;
    uint64_t vertices, triangles, parts, dropped;
} message;

static bool send_all(int to, const void* data, size_t size)
{
    const char* bytes = data;
    while (size > 0) {
        const ssize_t sent = write(to, bytes, size < (1u << 30) ? size : (1u << 30));
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        bytes += sent;
        size -= (size_t)sent;
    }
    return true;
}

static bool receive_all(int from, void* data, size_t size)
{
    char* bytes = data;
    while (size > 0) {
        const ssize_t got = read(from, bytes, size < (1u << 30) ? size : (1u << 30));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        bytes += got;
        size -= (size_t)got;
    }
    return true;
}

/// A file's size in bytes, 0 where it has none.
static uint64_t size_of(const char* path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0 ? (uint64_t)facts.st_size : 0;
}

static bool ends_with(const char* text, const char* ending)
{
    const size_t length = strlen(text), size = strlen(ending);
    return length >= size && strcmp(text + length - size, ending) == 0;
}

/// The sizes of the binary files beside a .gltf file: its arrays lie in those.
static uint64_t size_beside(const char* path)
{
    if (!ends_with(path, ".gltf")) return 0;
    const char* slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    char name[4096];
    snprintf(name, sizeof name, "%.*s.", (int)length, path);
    DIR* folder = length + 300 < sizeof name ? opendir(name) : NULL;
    if (!folder) return 0;
    uint64_t size = 0;
    for (const struct dirent* entry; (entry = readdir(folder));) {
        snprintf(name, sizeof name, "%.*s%s", (int)length, path, entry->d_name);
        if (ends_with(name, ".bin")) size += size_of(name);
    }
    closedir(folder);
    return size;
}

/// What reading may take.
typedef struct allowance {
    uint64_t file;     ///< bytes of the file and what belongs to it
    uint64_t seconds;  ///< of the processor
    uint64_t memory;   ///< bytes beyond what is there when reading begins
} allowance;

/// Far above what sound files need. Of the 490 models of the Debian packages assimp-testmodels and glmark2-data the
/// slowest takes a second for several megabytes, the largest in memory 90 MB (a subdivided surface of 0.1 MB), and of
/// those with more than half a megabyte none 30 times its size.
static allowance allowance_of(const tact_mesh_source* source)
{
    const uint64_t file = source->bytes ? source->size : size_of(source->path) + size_beside(source->path);
    return (allowance){.file = file, .seconds = 5 + 2 * (file >> 20), .memory = (UINT64_C(256) << 20) + 128 * file};
}

/// Lowers a limit of this process.
static void limit_to(int resource, uint64_t most)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= most)) return;
    limit.rlim_cur = (rlim_t)most;
    setrlimit(resource, &limit);
}

static void child(const tact_mesh_source* source, int to)
{
    const allowance allowed = allowance_of(source);
    // Beyond it comes a signal, which nothing here handles.
    limit_to(RLIMIT_CPU, allowed.seconds);
    const uint64_t mapped = tact_system_mapped();
    if (mapped > 0) limit_to(RLIMIT_AS, mapped + allowed.memory);
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    // What a dying library says is not the tool's one line.
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    tact_model_mesh mesh;
    message m = {0};
    m.good = tact_mesh_source_read(source, &mesh, &m.problem);
    if (!m.good && m.problem.exit_code == TACT_EXIT_NO_DEVICE && mapped > 0) {
        tact_problem_set(&m.problem,
                         "%s: not a mesh that can be read: it needs more than the %" PRIu64
                         " MB that are allowed for a file of %" PRIu64 " bytes",
                         tact_file_shown(source->path), allowed.memory >> 20, allowed.file);
    }
    m.vertices = mesh.vertex_count;
    m.triangles = mesh.triangle_count;
    m.parts = mesh.part_count;
    m.dropped = mesh.dropped_faces;
    bool sent = send_all(to, &m, sizeof m);
    if (m.good) {
        sent = sent && send_all(to, mesh.positions, mesh.vertex_count * 12) &&
               send_all(to, mesh.indices, mesh.triangle_count * 12) &&
               send_all(to, mesh.parts, mesh.part_count * sizeof *mesh.parts);
    }
    _exit(sent ? 0 : 1);
}

static bool receive_mesh(int from, const char* path, tact_model_mesh* mesh, tact_problem* problem, bool* whole)
{
    message m;
    *whole = receive_all(from, &m, sizeof m);
    if (!*whole) return false;
    if (!m.good) {
        *problem = m.problem;
        return false;
    }
    mesh->positions = malloc((size_t)m.vertices * 12 + 1);
    mesh->indices = malloc((size_t)m.triangles * 12 + 1);
    mesh->parts = malloc((size_t)m.parts * sizeof *mesh->parts + 1);
    if (!mesh->positions || !mesh->indices || !mesh->parts) return tact_problem_out_of_memory(problem, path);
    mesh->vertex_count = (size_t)m.vertices;
    mesh->triangle_count = (size_t)m.triangles;
    mesh->part_count = (size_t)m.parts;
    mesh->dropped_faces = m.dropped;
    *whole = receive_all(from, mesh->positions, mesh->vertex_count * 12) &&
             receive_all(from, mesh->indices, mesh->triangle_count * 12) &&
             receive_all(from, mesh->parts, mesh->part_count * sizeof *mesh->parts);
    return *whole;
}

/// Has a process of its own read it.
static bool read_apart(const tact_mesh_source* source, tact_model_mesh* mesh, tact_problem* problem)
{
    *mesh = (tact_model_mesh){0};
    int ends[2];
    if (pipe(ends) != 0) return tact_mesh_source_read(source, mesh, problem);
    fflush(NULL);
    const pid_t id = fork();
    if (id == 0) {
        close(ends[0]);
        child(source, ends[1]);
    }
    close(ends[1]);
    if (id < 0) {
        close(ends[0]);
        return tact_mesh_source_read(source, mesh, problem);
    }
    bool whole = false;
    const char* name = tact_file_shown(source->path);
    const bool good = receive_mesh(ends[0], name, mesh, problem, &whole);
    close(ends[0]);
    int status = 0;
    while (waitpid(id, &status, 0) < 0 && errno == EINTR)
        continue;
    if (good) return true;
    tact_model_mesh_free(mesh);
    if (whole || problem->text[0]) return false;
    if (tact_system_signal()) return tact_problem_stop(problem, "reading %s", name);
    const bool slow = WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
    return tact_problem_set(problem, "%s: not a mesh that can be read: the loader library %s", name,
                            slow ? "found no end of it" : "crashed on it");
}

bool tact_mesh_file_read_guarded(const char* path, tact_model_mesh* mesh, tact_problem* problem)
{
    tact_mesh_source source;
    *mesh = (tact_model_mesh){0};
    if (!tact_mesh_source_open(&source, path, problem)) return false;
    const bool good =
        tact_mesh_source_read_shown(&source, source.parse ? tact_mesh_source_read : read_apart, mesh, problem);
    tact_mesh_source_close(&source);
    return good;
}

#endif
