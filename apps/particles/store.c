// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/particles/particles.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "apps/ranks.h"
#include "apps/system.h"
#include "tact/particle_ranks.h"

/// A file begins with this. Of a run of a scene a scene_head and the scene's bytes follow; at last the library's bytes.
/// Little endian, as apps/inputs/npy.c makes sure.
typedef struct run_head {
    char magic[8];
    uint64_t system_size;
    uint64_t check;  ///< XXH64 of the head with this part 0
    tact_particle_run_facts facts;
} run_head;

typedef struct scene_head {
    uint64_t size;   ///< of the bytes that follow
    uint64_t check;  ///< XXH64 of them
} scene_head;

enum { HEADS = sizeof(run_head) + sizeof(scene_head) };

_Static_assert(sizeof(tact_particle_run_facts) == 16 * 4 && sizeof(run_head) == 88 && HEADS == 104,
               "written as it lies in memory");

static const char magic[8] = {'T', 'A', 'C', 'T', 'R', 'U', 'N', '1'};
static const char scene_magic[8] = {'T', 'A', 'C', 'T', 'R', 'U', 'N', '2'};

static uint64_t check_of(const run_head* head)
{
    run_head without = *head;
    without.check = 0;
    return XXH64(&without, sizeof without, 0);
}

bool tact_particle_run_is_saved(const void* bytes, size_t size)
{
    return size >= sizeof magic &&
           (memcmp(bytes, magic, sizeof magic) == 0 || memcmp(bytes, scene_magic, sizeof magic) == 0);
}

/// What comes before the library's bytes, from malloc; NULL with the problem set on failure.
static void* make_heads(const tact_particle_run_facts* facts, const tact_field_bytes* scene, size_t system_size,
                        size_t* size, tact_problem* problem)
{
    run_head head;
    const scene_head of_scene = {scene->size, scene->bytes ? XXH64(scene->bytes, scene->size, 0) : 0};
    memset(&head, 0, sizeof head);
    memcpy(head.magic, scene->bytes ? scene_magic : magic, sizeof magic);
    head.system_size = system_size;
    head.facts = *facts;
    head.check = check_of(&head);
    *size = scene->bytes ? HEADS + scene->size : sizeof head;
    char* heads = malloc(HEADS + scene->size);
    if (!heads) {
        tact_problem_out_of_memory(problem, "a saved run");
        return NULL;
    }
    memcpy(heads, &head, sizeof head);
    memcpy(heads + sizeof head, &of_scene, sizeof of_scene);
    if (scene->bytes) memcpy(heads + HEADS, scene->bytes, scene->size);
    return heads;
}

bool tact_particle_run_save_spread(const char* path, const tact_particle_run_facts* facts,
                                   const tact_field_bytes* scene, tact_particles* particles, tact_context* context,
                                   tact_problem* problem)
{
    size_t size = 0, heads_size = 0;
    tact_result result = tact_particles_save(particles, NULL, 0, &size);
    void* heads = make_heads(facts, scene, size, &heads_size, problem);
    const bool good = tact_tool_ranks_here->agree(heads != NULL, problem);
    if (good && result >= 0) result = tact_particles_save_file(particles, path, heads, heads_size);
    free(heads);
    return good && (result == TACT_OK || tact_problem_from_result(problem, result, context, "--save"));
}

bool tact_particle_run_save(const char* path, const tact_particle_run_facts* facts, const tact_field_bytes* scene,
                            tact_particles* particles, tact_context* context, tact_problem* problem)
{
    size_t size = 0, heads_size = 0;
    tact_result result = tact_particles_save(particles, NULL, 0, &size);
    void* bytes = result == TACT_INCOMPLETE || result == TACT_OK ? malloc(size + 1) : NULL;
    if (result >= 0 && !bytes) return tact_problem_out_of_memory(problem, path);
    if (result >= 0) result = tact_particles_save(particles, bytes, size, &size);
    if (result != TACT_OK) {
        free(bytes);
        return tact_problem_from_result(problem, result, context, path);
    }
    void* heads = make_heads(facts, scene, size, &heads_size, problem);
    const bool good = heads && tact_file_replace(path, heads, heads_size, bytes, size, problem);
    free(heads);
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

/// Where the parts of a file lie.
typedef struct run_layout {
    tact_particle_run_facts facts;
    uint64_t scene_size, scene_check;
    uint64_t system_at;
} run_layout;

/// What a file of `size` bytes begins with: `bytes` has HEADS of them, or all.
static bool parse_heads(const void* bytes, uint64_t size, const char* name, run_layout* layout, tact_problem* problem)
{
    run_head head;
    scene_head scene = {0};
    const size_t here = size < HEADS ? (size_t)size : HEADS;
    if (!tact_particle_run_is_saved(bytes, here)) {
        return tact_problem_set(problem,
                                "%s: byte 0: not a saved run: the first bytes are neither TACTRUN1 nor TACTRUN2", name);
    }
    const bool has_scene = memcmp(bytes, scene_magic, sizeof scene_magic) == 0;
    if (here < (has_scene ? HEADS : sizeof head))
        return tact_problem_set(problem, "%s: byte %zu: the file ends inside its head", name, here);
    memcpy(&head, bytes, sizeof head);
    if (has_scene) memcpy(&scene, (const char*)bytes + sizeof head, sizeof scene);
    if (head.check != check_of(&head) || !sensible(&head.facts)) {
        return tact_problem_set(problem, "%s: byte 8: the head is damaged", name);
    }
    const uint64_t heads = has_scene ? HEADS : sizeof head;
    if (scene.size > size - heads) {
        return tact_problem_set(problem,
                                "%s: byte %zu: the scene is to have %" PRIu64 " bytes, the file holds %" PRIu64, name,
                                sizeof head, scene.size, size - heads);
    }
    const uint64_t at = heads + scene.size;
    if (head.system_size != size - at) {
        return tact_problem_set(
            problem, "%s: byte %" PRIu64 ": the head announces %" PRIu64 " bytes more, the file holds %" PRIu64, name,
            at, head.system_size, size - at);
    }
    *layout = (run_layout){head.facts, scene.size, scene.check, at};
    return true;
}

/// Copies a scene's bytes, where there are any.
static bool take_scene(const run_layout* layout, const void* bytes, const char* name, tact_field_bytes* scene,
                       tact_problem* problem)
{
    if (layout->scene_size == 0) return true;
    if (XXH64(bytes, (size_t)layout->scene_size, 0) != layout->scene_check)
        return tact_problem_set(problem, "%s: byte %d: the scene is damaged", name, HEADS);
    scene->size = (size_t)layout->scene_size;
    scene->bytes = malloc(scene->size);
    if (!scene->bytes) return tact_problem_out_of_memory(problem, name);
    memcpy(scene->bytes, bytes, scene->size);
    return true;
}

bool tact_particle_run_parse(const void* bytes, size_t size, const char* name, tact_particle_run_facts* facts,
                             tact_field_bytes* scene, const void** system, size_t* system_size, tact_problem* problem)
{
    run_layout layout;
    *scene = (tact_field_bytes){0};
    if (!parse_heads(bytes, size, name, &layout, problem) ||
        !take_scene(&layout, (const char*)bytes + HEADS, name, scene, problem)) {
        return false;
    }
    *facts = layout.facts;
    *system = (const unsigned char*)bytes + layout.system_at;
    *system_size = size - (size_t)layout.system_at;
    return true;
}

/// Reads what comes before the library's bytes.
static bool read_heads(FILE* file, const char* path, run_layout* layout, tact_field_bytes* scene, tact_problem* problem)
{
    unsigned char bytes[HEADS];
    uint64_t size = 0;
    if (!tact_platform_size(file, &size) || (fread(bytes, 1, sizeof bytes, file) != sizeof bytes && ferror(file)))
        return tact_problem_set(problem, "%s: reading failed: %s", path, strerror(errno));
    if (!parse_heads(bytes, size, path, layout, problem)) return false;
    if (layout->scene_size == 0) return true;
    void* of_scene = malloc((size_t)layout->scene_size);
    if (!of_scene) return tact_problem_out_of_memory(problem, path);
    const bool good = fread(of_scene, 1, (size_t)layout->scene_size, file) == (size_t)layout->scene_size
                          ? take_scene(layout, of_scene, path, scene, problem)
                          : tact_problem_set(problem, "%s: reading failed: %s", path, strerror(errno));
    free(of_scene);
    return good;
}

bool tact_particle_run_load_spread(const char* path, tact_context* context, tact_ranks* ranks, tact_backend backend,
                                   tact_particle_run_facts* facts, tact_field_bytes* scene, tact_particles** particles,
                                   tact_problem* problem)
{
    run_layout layout;
    *particles = NULL;
    *scene = (tact_field_bytes){0};
    if (!tact_file_check(path, problem)) return false;
    FILE* file = fopen(path, "rb");
    if (!file) return tact_problem_set(problem, "%s: reading failed: %s", path, strerror(errno));
    const bool good = read_heads(file, path, &layout, scene, problem);
    fclose(file);
    if (!good) return false;
    *facts = layout.facts;
    const tact_backend on = backend == TACT_BACKEND_REFERENCE ? TACT_BACKEND_AUTO : backend;
    const tact_result result = tact_particles_restore_file(context, ranks, path, layout.system_at, on, NULL, particles);
    return result == TACT_OK || tact_problem_from_result(problem, result, context, path);
}

bool tact_particle_run_load(const char* path, tact_context* context, tact_backend backend,
                            tact_particle_run_facts* facts, tact_field_bytes* scene, tact_particles** particles,
                            tact_problem* problem)
{
    void* bytes = NULL;
    const void* system = NULL;
    size_t size = 0, system_size = 0;
    *particles = NULL;
    *scene = (tact_field_bytes){0};
    if (!tact_file_read(path, &bytes, &size, problem)) return false;
    bool good = tact_particle_run_parse(bytes, size, path, facts, scene, &system, &system_size, problem);
    if (good) {
        const tact_backend on = backend == TACT_BACKEND_REFERENCE ? TACT_BACKEND_AUTO : backend;
        const tact_result result = tact_particles_restore(context, system, system_size, on, particles);
        good = result == TACT_OK || tact_problem_from_result(problem, result, context, path);
    }
    free(bytes);
    return good;
}
