// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Reads a mesh in a process of its own. The loader library knows dozens of formats, and some of its readers crash or
// never end on broken files (a PLY file cut within its binary data; one whose header has no end). Whatever it does
// there, the tool answers with one line and its exit code.

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

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

/// Processor seconds that reading may take: far above what sound files need (the largest of them a second for several
/// megabytes), and an end for those that have none.
static rlim_t allowed_seconds(const char* path)
{
    struct stat facts;
    if (stat(path, &facts) != 0 || facts.st_size < 0) return 5;
    return 5 + 2 * (rlim_t)((uint64_t)facts.st_size >> 20);
}

static void child(const char* path, int to)
{
    const rlim_t seconds = allowed_seconds(path);
    const struct rlimit limit = {seconds, seconds + 1};
    setrlimit(RLIMIT_CPU, &limit);
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
    m.good = tact_mesh_file_read(path, &mesh, &m.problem);
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

bool tact_mesh_file_read_guarded(const char* path, tact_model_mesh* mesh, tact_problem* problem)
{
    *mesh = (tact_model_mesh){0};
    int ends[2];
    if (pipe(ends) != 0) return tact_mesh_file_read(path, mesh, problem);
    fflush(NULL);
    const pid_t id = fork();
    if (id == 0) {
        close(ends[0]);
        child(path, ends[1]);
    }
    close(ends[1]);
    if (id < 0) {
        close(ends[0]);
        return tact_mesh_file_read(path, mesh, problem);
    }
    bool whole = false;
    const bool good = receive_mesh(ends[0], path, mesh, problem, &whole);
    close(ends[0]);
    int status = 0;
    while (waitpid(id, &status, 0) < 0 && errno == EINTR)
        continue;
    if (good) return true;
    tact_model_mesh_free(mesh);
    if (whole) return false;
    if (problem->text[0]) return false;
    const bool slow = WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
    return tact_problem_set(problem, "%s: not a mesh that can be read: the loader library %s", path,
                            slow ? "found no end of it" : "crashed on it");
}

#endif
