// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Files of particle systems that ranks write and read together. Run by mpirun. Arguments: ranks, what is tried, a file
// to be made, and for some more:
//   same PARTICLES STEPS SCENE grains|springs|positions|clumps   written and read by any number of ranks, the same
//   bytes as those of one
//                                               process, and goes on as without a break
//   damage PARTICLES    each block, the head and the digests damaged, and at random behind a checksum that fits
//   full PARTICLES      a disk that is full, a folder that is not there
//   run PARTICLES STEPS EVERY KILLED   steps on from the file, or from the beginning where it is not there, and writes
//                                      it each EVERY steps; the last rank is killed in step KILLED; prints a digest
// Exit codes: 0 all well; 1 not.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !defined(_WIN32)
#include <signal.h>
#include <sys/resource.h>
#endif

#include "apps/inputs/random.h"
#include "apps/particles/particles.h"
#include "apps/system.h"
#include "base/xxh64.h"
#include "tact/mpi.h"
#include "tact/particle_ranks.h"
#include "tact/tact.h"
#include "tests/ranks/rank_check.h"
#include "tests/support/saved.h"

enum { SEED = 11, HEAD = 7 };
static const char head[HEAD + 1] = "a head\n";

static tact_context* context;

// ---- Systems ----

/// Rods of six spheres each, poured.
static tact_particles* make_clumps(size_t count, float* dt)
{
    tact_problem problem = {0};
    tact_particle_plan plan = {.source = ""};
    tact_particles* p = NULL;
    const tact_particle_choices given = {
        .random = count, .seed = SEED, .history = true, .rolling = "0.1", .dt = "0.002", .clump = "rod:6"};
    if (!tact_particle_plan_make(&given, &plan, &problem) ||
        !tact_particle_plan_create(&plan, context, TACT_BACKEND_CPU, &p, &problem)) {
        fail("clumps", problem.text);
    }
    check(tact_particles_set_gravity(p, (tact_vec3){-9.0f, -9.0f, 2.0f}), "gravity");
    *dt = plan.dt;
    tact_particle_plan_free(&plan);
    return p;
}

/// Of grains: with bonds, an emitter, a sink, a force program and a surface that moves by itself.
static tact_particles* make(const char* name, size_t count, const char* kind, float* dt)
{
    const bool grains = strcmp(kind, "grains") == 0, positions = strcmp(kind, "positions") == 0;
    if (strcmp(kind, "clumps") == 0) return make_clumps(count, dt);
    if (!grains && !positions && strcmp(kind, "springs") != 0) fail("no such kind", kind);
    tact_problem problem = {0};
    tact_particle_setup setup;
    tact_particles* p = NULL;
    const tact_particle_scene* scene = tact_particle_scene_named(name);
    if (!scene) fail("no such scene", name);
    if (!tact_particle_setup_make(scene, count, SEED, &setup, &problem)) fail("a scene", problem.text);
    setup.desc.response = grains ? TACT_RESPONSE_GRAINS : positions ? TACT_RESPONSE_POSITION : TACT_RESPONSE_SPRING;
    check(tact_particle_setup_create(&setup, context, &p), "a system");
    *dt = setup.dt;
    if (grains) {
        const tact_grain_law law = {.stiffness = 2e4f,
                                    .shear = 1e4f,
                                    .restitution = 0.5f,
                                    .tangential_damping = 0.3f,
                                    .friction = 0.4f,
                                    .rolling_friction = 0.1f};
        const tact_bond_law bonds = {.young = 1e6f,
                                     .shear = 4e5f,
                                     .radius = 0.5f,
                                     .damping = 0.1f,
                                     .tensile_strength = 3e4f,
                                     .shear_strength = 3e4f};
        const tact_aabb d = setup.desc.domain;
        const tact_vec3 middle = {0.5f * (d.lower.x + d.upper.x), 0.5f * (d.lower.y + d.upper.y),
                                  0.5f * (d.lower.z + d.upper.z)};
        const float radius = setup.radii[0];
        const tact_emitter e = {.corner = {middle.x, middle.y + 4.0f * radius, middle.z},
                                .edge = {{12.0f * radius, 0, 0}, {0, 0, 12.0f * radius}},
                                .velocity = {0, -2.0f, 0},
                                .radius = radius,
                                .spacing = 4.0f * radius,
                                .interval = 5.0f * setup.dt,
                                .jitter = 1.0f};
        const tact_collider sink = {.kind = TACT_COLLIDER_SPHERE,
                                    .shape.sphere = {{middle.x, middle.y - 4.0f * radius, middle.z}, 5.0f * radius},
                                    .mask = 0xffffffffu};
        size_t made = 0;
        check(tact_particles_set_law(p, 0, 0, &law), "a law");
        check(tact_particles_set_bond_law(p, 1, &bonds), "a law of bonds");
        check(tact_particles_bond_near(p, 1, 0.0f, &made), "bonds");
        if (made == 0) fail("bonds", "there are none");
        check(tact_particles_add_emitter(p, &e, NULL), "an emitter");
        check(tact_particles_add_sink(p, &sink, NULL), "a sink");
        check(tact_particles_set_program(p, "fx = -3*y + id*0.001; fy = vx*m", NULL, 0), "a program");
        if (setup.mesh_count > 0) check(tact_particles_set_motion(p, TACT_CONTACT_BODY, 0, true), "a motion");
        if (setup.collider_count > 0) check(tact_particles_set_motion(p, TACT_CONTACT_COLLIDER, 0, true), "a motion");
    }
    tact_particle_setup_free(&setup);
    return p;
}

static void step(tact_particles* p, float dt, uint32_t steps)
{
    check(tact_particles_step(p, dt, 1, steps, NULL, NULL), "steps");
}

typedef struct bytes {
    unsigned char* data;
    size_t size;
} bytes;

static bytes saved(tact_particles* p)
{
    bytes b = {0};
    check(tact_particles_save(p, NULL, 0, &b.size), "saving");
    b.data = malloc(b.size + 1);
    if (!b.data) fail("saving", "no memory");
    check(tact_particles_save(p, b.data, b.size, &b.size), "saving");
    return b;
}

static bytes read_file(const char* path)
{
    bytes b = {0};
    void* data = NULL;
    tact_problem problem = {0};
    if (!tact_file_read(path, &data, &b.size, &problem)) fail("the file", problem.text);
    b.data = data;
    return b;
}

static void write_file(const char* path, const unsigned char* data, size_t size)
{
    tact_problem problem = {0};
    if (!tact_file_replace(path, NULL, 0, data, size, &problem)) fail("the file", problem.text);
}

/// What is in a file, on the first rank: a head and then what is expected.
static void expect_file(const char* path, const bytes* expected, const char* what)
{
    if (rank > 0) return;
    bytes b = read_file(path);
    if (b.size != HEAD + expected->size) {
        fprintf(stderr, "%zu bytes, expected %zu\n", b.size, HEAD + expected->size);
        fail(what, "another size");
    }
    if (memcmp(b.data, head, HEAD) != 0) fail(what, "another head");
    for (size_t i = 0; i < expected->size; ++i) {
        if (b.data[HEAD + i] == expected->data[i]) continue;
        fprintf(stderr, "byte %zu of %zu: %02x, expected %02x\n", i, expected->size, b.data[HEAD + i],
                expected->data[i]);
        fail(what, "other bytes");
    }
    free(b.data);
}

/// Nothing is left beside the file, on the first rank.
static void expect_no_part(const char* path)
{
    char temporary[4096];
    if (rank == 0 && (!tact_platform_name_shared(path, temporary, sizeof temporary) || tact_platform_exists(temporary)))
        fail("what was begun is left", temporary);
}

// ---- The same bytes ----

/// Written by all ranks, read by the first `count` of them and stepped on, and written by these.
static void try_count(const char* path, int count, float dt, uint32_t steps, const bytes* then, const bytes* later)
{
    MPI_Comm some;
    tact_ranks* ranks = NULL;
    tact_particles* p = NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < count ? 0 : MPI_UNDEFINED, rank, &some);
    if (rank < count) {
        char other[4096];
        snprintf(other, sizeof other, "%s.%d", path, count);
        check(tact_mpi_ranks(context, some, &ranks), "ranks");
        check(tact_particles_restore_file(context, ranks, path, HEAD, TACT_BACKEND_CPU, NULL, &p), "restoring");
        tact_particle_ranks_info info;
        check(tact_particles_get_ranks(p, &info), "facts");
        if ((int)info.ranks != count) fail("restoring", "not spread");
        const uint64_t most = tact_particles_count(p) / (uint64_t)count + 1;
        if (info.held > most) fail("restoring", "a rank has more than its part");
        // At once, before anything moves, into another file.
        check(tact_particles_save_file(p, other, rank == 0 ? head : "not one", HEAD), "saving");
        expect_file(other, then, "saved as it was read");
        size_t size = 0;
        check(tact_particles_save(p, NULL, 0, &size), "counting");
        if (size != (rank == 0 ? then->size : 0)) fail("counting", "another number of bytes");
        step(p, dt, steps);
        check(tact_particles_save_file(p, other, head, HEAD), "saving");
        expect_file(other, later, "gone on");
        expect_no_part(other);
        tact_particles_destroy(p);
        tact_ranks_destroy(ranks);
        MPI_Comm_free(&some);
        if (rank == 0) remove(other);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/// The same in one process without ranks, and what a version without digests has written.
static void try_alone(const char* path, const bytes* then)
{
    char other[4096];
    tact_particles* p = NULL;
    snprintf(other, sizeof other, "%s.alone", path);
    check(tact_particles_restore_file(context, NULL, path, HEAD, TACT_BACKEND_CPU, NULL, &p), "restoring alone");
    bytes now = saved(p);
    if (now.size != then->size || memcmp(now.data, then->data, now.size) != 0) fail("restored alone", "other bytes");
    check(tact_particles_save_file(p, other, head, HEAD), "saving alone");
    expect_file(other, then, "saved alone");
    check(tact_particles_save_file(p, other, NULL, 0), "saving over a file");
    bytes bare = read_file(other);
    if (bare.size != then->size || memcmp(bare.data, then->data, bare.size) != 0) fail("without a head", "other bytes");
    free(bare.data);
    free(now.data);
    tact_particles_destroy(p);
    remove(other);
}

static void try_old(const char* path, tact_ranks* ranks, const bytes* then)
{
    char other[4096];
    snprintf(other, sizeof other, "%s.old", path);
    if (rank == 0) {
        unsigned char* old = malloc(then->size);
        if (!old) fail("an old file", "no memory");
        memcpy(old, then->data, then->size);
        const uint32_t parts = tact_get_u32(old + 12);
        write_file(other, old, saved_as_version(old, then->size, parts > 1 ? 3 : 1 + parts, parts > 1 ? parts : 0));
        free(old);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    tact_particles* p = NULL;
    check(tact_particles_restore_file(context, ranks, other, 0, TACT_BACKEND_CPU, NULL, &p), "an old file");
    check(tact_particles_save_file(p, other, head, HEAD), "saving");
    expect_file(other, then, "of a version before");
    tact_particles_destroy(p);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) remove(other);
}

static void run_same(tact_ranks* ranks, const char* path, size_t count, uint32_t steps, const char* scene,
                     const char* kind)
{
    static const int counts[] = {1, 2, 3, 5, 8};
    float dt = 0.0f;
    tact_particles* p = make(scene, count, kind, &dt);
    bytes then = {0}, later = {0};
    if (rank == 0) {
        tact_particles* alone = make(scene, count, kind, &dt);
        step(alone, dt, steps);
        then = saved(alone);
        step(alone, dt, steps);
        later = saved(alone);
        if (then.size == later.size && memcmp(then.data, later.data, then.size) == 0) fail(scene, "nothing moves");
        tact_particles_destroy(alone);
    }
    check(tact_particles_spread(p, ranks, NULL), "spreading");
    step(p, dt, steps);
    check(tact_particles_save_file(p, path, head, HEAD), "saving");
    expect_file(path, &then, "saved");
    expect_no_part(path);
    // It goes on: nothing has changed by that.
    step(p, dt, steps);
    char other[4096];
    snprintf(other, sizeof other, "%s.later", path);
    check(tact_particles_save_file(p, other, head, HEAD), "saving");
    expect_file(other, &later, "stepped on");
    tact_particles_destroy(p);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        if (counts[i] <= rank_count) try_count(path, counts[i], dt, steps, &then, &later);
    }
    try_old(path, ranks, &then);
    if (rank == 0) {
        try_alone(path, &then);
        printf("%s: %zu bytes, %" PRIu64 " blocks, on %d ranks\n", scene, then.size,
               tact_archive_blocks(tact_archive_body_end(then.size)), rank_count);
        remove(other);
    }
    free(then.data);
    free(later.data);
}

// ---- Damage ----

/// Whether all ranks refuse a file, in one sentence, which has `word` in it. NULL: they may also take it. `data` NULL:
/// the file is there, or is not.
static void expect_refused(tact_ranks* ranks, const char* path, const unsigned char* data, size_t size,
                           const char* word)
{
    tact_particles* p = NULL;
    if (rank == 0 && data) write_file(path, data, size);
    MPI_Barrier(MPI_COMM_WORLD);
    const tact_result result = tact_particles_restore_file(context, ranks, path, HEAD, TACT_BACKEND_CPU, NULL, &p);
    const char* says = tact_last_error();
    int numbers[2] = {(int)result, -(int)result}, least[2];
    MPI_Allreduce(numbers, least, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (least[0] != -least[1]) fail("damage", "ranks do not agree");
    if ((result == TACT_OK) != (p != NULL)) fail("damage", "a system and a failure");
    if (word && (result != TACT_ERROR_INVALID_ARGUMENT || !strstr(says, word))) {
        fprintf(stderr, "%s: \"%s\" does not have \"%s\"\n", tact_result_name(result), says, word);
        fail("damage", "not found");
    }
    if (result != TACT_OK && result != TACT_ERROR_INVALID_ARGUMENT) fail("damage", says);
    if (p) (void)tact_particles_step(p, 1e-4f, 1, 1, NULL, NULL);
    tact_particles_destroy(p);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void run_damage(tact_ranks* ranks, const char* path, size_t count)
{
    enum { ROUNDS = 300 };
    float dt = 0.0f;
    char word[64];
    bytes b = {0};
    tact_random random = {SEED};
    tact_particles* p = make("colliders", count, "grains", &dt);
    check(tact_particles_spread(p, ranks, NULL), "spreading");
    step(p, dt, 20);
    check(tact_particles_save_file(p, path, head, HEAD), "saving");
    tact_particles_destroy(p);
    b = read_file(path);
    MPI_Barrier(MPI_COMM_WORLD);
    unsigned char* lib = b.data + HEAD;
    const size_t size = b.size - HEAD, end = (size_t)tact_archive_body_end(size);
    const uint64_t blocks = tact_archive_blocks(end);
    if (blocks < 3) fail("damage", "less than three blocks");
    for (uint64_t k = 0; k < blocks; ++k) {
        const uint64_t at[3] = {tact_archive_block_at(k), tact_archive_block_end(k, end) - 1,
                                tact_archive_block_at(k) + tact_random_below(&random, 1000)};
        snprintf(word, sizeof word, "block %" PRIu64 " of %" PRIu64, k, blocks);
        for (int i = 0; i < 3; ++i) {
            lib[at[i]] ^= 16;
            expect_refused(ranks, path, b.data, b.size, word);
            lib[at[i]] ^= 16;
        }
    }
    for (size_t i = 8; i < TACT_SAVED_HEADER; i += 5) {
        lib[i] ^= 16;
        expect_refused(ranks, path, b.data, b.size, "a saved particle system");
        lib[i] ^= 16;
    }
    lib[end] ^= 1;
    expect_refused(ranks, path, b.data, b.size, "digests");
    lib[end] ^= 1;
    lib[0] ^= 1;
    expect_refused(ranks, path, b.data, b.size, "no saved particle system");
    lib[0] ^= 1;
    const size_t sizes[] = {0, 3, HEAD, HEAD + 5, HEAD + TACT_SAVED_HEADER, HEAD + end, b.size - 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        expect_refused(ranks, path, b.data, sizes[i], "");
    expect_refused(ranks, "no such folder/no such file", NULL, 0, NULL);
    free(b.data);
    // A smaller one, whose values are wrong behind a checksum that fits.
    p = make("colliders", 60, "grains", &dt);
    step(p, dt, 20);
    b = saved(p);
    tact_particles_destroy(p);
    unsigned char* copy = malloc(HEAD + b.size);
    if (!copy) fail("damage", "no memory");
    size_t taken = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        size_t left = b.size;
        memcpy(copy, head, HEAD);
        memcpy(copy + HEAD, b.data, b.size);
        for (uint64_t changes = 1 + tact_random_below(&random, 3); changes > 0; --changes) {
            const size_t at = (size_t)tact_random_below(&random, b.size / 4) * 4;
            const uint32_t was = tact_get_u32(copy + HEAD + at);
            const uint32_t now[] = {was + 1, was - 1, was ^ 0x80000000u, 0, 0xffffffffu, 0x7f800000u, 0x40000001u};
            tact_put_u32(copy + HEAD + at, now[tact_random_below(&random, sizeof now / sizeof *now)]);
        }
        if (round % 10 == 9) left = (size_t)tact_random_below(&random, b.size);
        if (left >= TACT_SAVED_HEADER && round % 20 > 0) saved_mend(copy + HEAD, left);
        expect_refused(ranks, path, copy, HEAD + left, NULL);
        ++taken;
    }
    if (rank == 0) {
        printf("%" PRIu64 " blocks and %zu files at random, on %d ranks\n", blocks, taken, rank_count);
        remove(path);
    }
    free(copy);
    free(b.data);
}

// ---- A full disk ----

static void expect_failure(tact_result result, const char* word)
{
    if (result != TACT_ERROR_INVALID_ARGUMENT || !strstr(tact_last_error(), word)) {
        fprintf(stderr, "%s: %s, expected \"%s\"\n", tact_result_name(result), tact_last_error(), word);
        fail("a file that cannot be written", "another result");
    }
}

static void run_full(tact_ranks* ranks, const char* path, size_t count)
{
    float dt = 0.0f;
    tact_particles* p = make("colliders", count, "grains", &dt);
    bytes then = {0};
    if (rank == 0) then = saved(p);
    check(tact_particles_spread(p, ranks, NULL), "spreading");
    check(tact_particles_save_file(p, path, head, HEAD), "saving");
    expect_file(path, &then, "saved");
    step(p, dt, 5);
    expect_failure(tact_particles_save_file(p, "no such folder/file", head, HEAD), "no such folder/file");
#if !defined(_WIN32)
    struct rlimit all, some;
    getrlimit(RLIMIT_FSIZE, &all);
    signal(SIGXFSZ, SIG_IGN);
    // No room at the end, in the middle, and for nothing.
    uint64_t size = then.size;
    MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    const rlim_t rooms[] = {(rlim_t)size - 100, (rlim_t)size / 2, 4096};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; ++i) {
        some = all;
        some.rlim_cur = rooms[i];
        if (setrlimit(RLIMIT_FSIZE, &some) != 0) fail("a limit", "cannot be set");
        const tact_result result = tact_particles_save_file(p, path, head, HEAD);
        setrlimit(RLIMIT_FSIZE, &all);
        expect_failure(result, path);
        MPI_Barrier(MPI_COMM_WORLD);
        expect_file(path, &then, "what was there");
        expect_no_part(path);
    }
#endif
    // And with room again.
    check(tact_particles_save_file(p, path, head, HEAD), "saving");
    bytes whole = saved(p);
    expect_file(path, &whole, "saved again");
    // What a run that was ended has left is taken.
    char temporary[4096];
    if (rank == 0 && tact_platform_name_shared(path, temporary, sizeof temporary))
        write_file(temporary, then.data, then.size);
    check(tact_particles_save_file(p, path, head, HEAD), "saving");
    expect_file(path, &whole, "saved over what was left");
    expect_no_part(path);
    if (rank == 0) {
        printf("a full disk, on %d ranks\n", rank_count);
        remove(path);
    }
    tact_particles_destroy(p);
    free(whole.data);
    free(then.data);
}

// ---- A run that may be killed ----

static void run_on(tact_ranks* ranks, const char* path, size_t count, uint64_t steps, uint64_t every, uint64_t killed)
{
    float dt = 0.0f;
    tact_particles* p = make("colliders", count, "grains", &dt);
    if (tact_platform_exists(path)) {
        tact_particles_destroy(p);
        check(tact_particles_restore_file(context, ranks, path, HEAD, TACT_BACKEND_CPU, NULL, &p), "resuming");
    } else {
        check(tact_particles_spread(p, ranks, NULL), "spreading");
    }
    tact_particles_info info;
    check(tact_particles_get_info(p, &info), "facts");
    if (rank == 0) printf("from step %" PRIu64 " on, on %d ranks\n", info.steps, rank_count);
    if (rank == 0) fflush(stdout);
    for (uint64_t at = info.steps; at < steps;) {
#if !defined(_WIN32)
        // While the others step, or wait.
        if (at + 1 == killed && rank == rank_count - 1) raise(SIGKILL);
#endif
        step(p, dt, 1);
        ++at;
        if (at % every == 0) check(tact_particles_save_file(p, path, head, HEAD), "saving");
    }
    bytes b = saved(p);
    if (rank == 0) printf("digest %016" PRIx64 "\n", tact_xxh64_of(b.data, b.size));
    free(b.data);
    tact_particles_destroy(p);
}

static int number(int argc, char** argv, int i)
{
    if (i >= argc) fail("arguments", "too few");
    return atoi(argv[i]);
}

int main(int argc, char** argv)
{
    rank_begin(&argc, &argv, 5, "ranks, what is tried, a file, particles");
    const tact_context_desc desc = {
        .threads = 1, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .disable_calibration = true};
    tact_ranks* ranks = NULL;
    check(tact_context_create(&desc, &context), "a context");
    check(tact_mpi_ranks(context, MPI_COMM_WORLD, &ranks), "ranks");
    const char* what = argv[2];
    // Tests with other numbers of ranks run at the same time.
    char path[1024];
    snprintf(path, sizeof path, strcmp(what, "run") == 0 ? "%s" : "%s.%d", argv[3], rank_count);
    const size_t count = (size_t)number(argc, argv, 4);
    if (strcmp(what, "same") == 0) {
        const uint32_t steps = (uint32_t)number(argc, argv, 5);
        if (argc != 8) fail("arguments", "a scene, and what its particles are");
        run_same(ranks, path, count, steps, argv[6], argv[7]);
        if (rank == 0) remove(path);
    } else if (strcmp(what, "damage") == 0) {
        run_damage(ranks, path, count);
    } else if (strcmp(what, "full") == 0) {
        run_full(ranks, path, count);
    } else if (strcmp(what, "run") == 0) {
        run_on(ranks, path, count, (uint64_t)number(argc, argv, 5), (uint64_t)number(argc, argv, 6),
               (uint64_t)number(argc, argv, 7));
    } else {
        fail("no such try", what);
    }
    tact_ranks_destroy(ranks);
    tact_context_destroy(context);
    MPI_Finalize();
    return 0;
}
