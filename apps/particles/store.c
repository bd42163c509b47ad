// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/particles/particles.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "apps/system.h"
#include "tact/particle_ranks.h"

/// A file begins with this; the library's bytes follow. Little endian, as apps/inputs/npy.c makes sure.
typedef struct run_head {
    char magic[8];
    uint64_t system_size;
    uint64_t check;  ///< XXH64 of the head with this part 0
    tact_particle_run_facts facts;
} run_head;

_Static_assert(sizeof(tact_particle_run_facts) == 16 * 4 && sizeof(run_head) == 88, "written as it lies in memory");

static const char magic[8] = {'T', 'A', 'C', 'T', 'R', 'U', 'N', '1'};

static uint64_t check_of(const run_head* head)
{
    run_head without = *head;
    without.check = 0;
    return XXH64(&without, sizeof without, 0);
}

static run_head head_of(const tact_particle_run_facts* facts, size_t system_size)
{
    run_head head;
    memset(&head, 0, sizeof head);
    memcpy(head.magic, magic, sizeof magic);
    head.system_size = system_size;
    head.facts = *facts;
    head.check = check_of(&head);
    return head;
}

bool tact_particle_run_save_spread(const char* path, const tact_particle_run_facts* facts, tact_particles* particles,
                                   tact_context* context, tact_problem* problem)
{
    size_t size = 0;
    tact_result result = tact_particles_save(particles, NULL, 0, &size);
    const run_head head = head_of(facts, size);
    if (result >= 0) result = tact_particles_save_file(particles, path, &head, sizeof head);
    return result == TACT_OK || tact_problem_from_result(problem, result, context, "--save");
}

bool tact_particle_run_save(const char* path, const tact_particle_run_facts* facts, tact_particles* particles,
                            tact_context* context, tact_problem* problem)
{
    size_t size = 0;
    tact_result result = tact_particles_save(particles, NULL, 0, &size);
    void* bytes = result == TACT_INCOMPLETE || result == TACT_OK ? malloc(size + 1) : NULL;
    if (result >= 0 && !bytes) return tact_problem_out_of_memory(problem, path);
    if (result >= 0) result = tact_particles_save(particles, bytes, size, &size);
    if (result != TACT_OK) {
        free(bytes);
        return tact_problem_from_result(problem, result, context, path);
    }
    const run_head head = head_of(facts, size);
    const bool good = tact_file_replace(path, &head, sizeof head, bytes, size, problem);
    free(bytes);
    return good;
}

/// What is not a run's is not to reach a picture or a step, even if the check fits.
static bool sensible(const tact_particle_run_facts* f)
{
    const tact_particle_look* l = &f->look;
    const float *lower = &l->bounds.lower.x, *upper = &l->bounds.upper.x;
    bool good = f->dt > 0.0f && f->dt <= 1e15f && l->floor <= 1 && isfinite(l->fastest) && isfinite(l->smallest) &&
                isfinite(l->largest) && isfinite(l->placement.scale);
    for (int i = 0; i < 3; ++i) {
        good = good && fabsf(lower[i]) <= 1e30f && fabsf(upper[i]) <= 1e30f && lower[i] <= upper[i];
        good = good && isfinite(l->placement.offset[i]);
    }
    return good;
}

/// What a file of `size` bytes begins with: `bytes` has as many of them as a head has, or all.
static bool parse_head(const void* bytes, uint64_t size, const char* name, tact_particle_run_facts* facts,
                       tact_problem* problem)
{
    run_head head;
    if (size < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0) {
        return tact_problem_set(problem, "%s: byte 0: not a saved run: the first bytes are not TACTRUN1", name);
    }
    if (size < sizeof head)
        return tact_problem_set(problem, "%s: byte %zu: the file ends inside its head", name, (size_t)size);
    memcpy(&head, bytes, sizeof head);
    if (head.check != check_of(&head) || !sensible(&head.facts)) {
        return tact_problem_set(problem, "%s: byte 8: the head is damaged", name);
    }
    if (head.system_size != size - sizeof head) {
        return tact_problem_set(problem,
                                "%s: byte %zu: the head announces %" PRIu64 " bytes more, the file holds %" PRIu64,
                                name, sizeof head, head.system_size, size - sizeof head);
    }
    *facts = head.facts;
    return true;
}

bool tact_particle_run_parse(const void* bytes, size_t size, const char* name, tact_particle_run_facts* facts,
                             const void** system, size_t* system_size, tact_problem* problem)
{
    if (!parse_head(bytes, size, name, facts, problem)) return false;
    *system = (const unsigned char*)bytes + sizeof(run_head);
    *system_size = size - sizeof(run_head);
    return true;
}

bool tact_particle_run_load_spread(const char* path, tact_context* context, tact_ranks* ranks, tact_backend backend,
                                   tact_particle_run_facts* facts, tact_particles** particles, tact_problem* problem)
{
    unsigned char bytes[sizeof(run_head)];
    uint64_t size = 0;
    *particles = NULL;
    if (!tact_file_check(path, problem)) return false;
    FILE* file = fopen(path, "rb");
    const bool good = file && tact_platform_size(file, &size) &&
                      (fread(bytes, 1, sizeof bytes, file) == sizeof bytes || !ferror(file));
    if (!good) tact_problem_set(problem, "%s: reading failed: %s", path, strerror(errno));
    if (file) fclose(file);
    if (!good || !parse_head(bytes, size, path, facts, problem)) return false;
    const tact_backend on = backend == TACT_BACKEND_REFERENCE ? TACT_BACKEND_AUTO : backend;
    const tact_result result = tact_particles_restore_file(context, ranks, path, sizeof(run_head), on, NULL, particles);
    return result == TACT_OK || tact_problem_from_result(problem, result, context, path);
}

bool tact_particle_run_load(const char* path, tact_context* context, tact_backend backend,
                            tact_particle_run_facts* facts, tact_particles** particles, tact_problem* problem)
{
    void* bytes = NULL;
    const void* system = NULL;
    size_t size = 0, system_size = 0;
    *particles = NULL;
    if (!tact_file_read(path, &bytes, &size, problem)) return false;
    bool good = tact_particle_run_parse(bytes, size, path, facts, &system, &system_size, problem);
    if (good) {
        const tact_backend on = backend == TACT_BACKEND_REFERENCE ? TACT_BACKEND_AUTO : backend;
        const tact_result result = tact_particles_restore(context, system, system_size, on, particles);
        good = result == TACT_OK || tact_problem_from_result(problem, result, context, path);
    }
    free(bytes);
    return good;
}
