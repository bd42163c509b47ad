// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The answers of the CPU are the same on every machine: byte order, size of pointers, vector instructions, compiler, C
// library. Inputs are made of integers, and what each query answers has the digest below, also where several threads
// ask one context at once, whose loops run on threads of the library or on workers of the program. The program needs
// nothing but the library, so that scripts/cross-test runs it for other processors. With --print it prints the table
// instead.
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "base/xxh64.h"
#include "tests/support/calls.h"
#include "tests/support/every_query_inner.h"

enum { SEEDS = 6 };

typedef struct golden {
    const char* name;
    uint64_t digest;
} golden;

static const golden expected[] = {
    {"raycast", 0xebe95d265ea5cd0b},
    {"raycast_all", 0x47af131a77bc6682},
    {"closest", 0xeee25e094992381b},
    {"spheres", 0x78a6a2ab791d44d6},
    {"cull_scene", 0x9f890b97c34c5b0e},
    {"cull", 0x984f15f74166d23a},
    {"pairs", 0x4844a919488407de},
    {"overlap", 0xe41f8c1e36ec2e29},
    {"filter", 0x54bb889d6c1971b3},
    {"step", 0x8b75016f1539a43e},
    {"separation", 0x6fea4f20d8b487b1},
    {"segments", 0x09f5afd53b277ada},
    {"contacts", 0xa844e57bd9e61cd6},
    {"neighbours", 0xf78b1ae5222a1972},
    {"pick", 0xc5eecb8f54fb4136},
    {"image", 0xbe1a8c46aae95579},
    {"locate", 0xd424cab7db84b40d},
    {"bodies", 0x4d2e73441b5b7450},
    {"body_casts", 0x16753c382b8f6e39},
    {"body_distances", 0x2a800a8a53635ce3},
    {"body_nearest", 0xa3a80dfb1e5f7285},
    {"cloud_nearest", 0x34f36a2d269971b8},
    {"cloud_within", 0x4339d06886bfaeb4},
    {"rays submitted", 0x96f3b284b53be996},
    {"pairs of changing sets", 0x1cf5265e4f240631},
    {"pair tracker", 0xbad493a9cb7f061f},
    {"separation with a front", 0x47ef406d95f92def},
    {"particles by springs", 0x2f47ee8f24c5efb2},
    {"particles by positions", 0x99b065e9e54f8df7},
    {"grains", 0xccb30cc9b0dc618b},
    {"clumps", 0xd614a7940403507b},
    {"geometry", 0x97a033355e5ea366},
    {"indices", 0x5f76079f2af5cd8e},
    {"many rays", 0x5b9a893af4711783},
    {"many pairs", 0x9adf59279c9ae86a},
    {"many particles", 0xe9c49149b3d9b0e5},
    {"many grains", 0x550b48f7e886bca7},
    {"many forces", 0x2554c4de3a40d66c},
    {"many programs", 0xb822662ec633efcc},
    {"many bodies", 0x1edf6a5fef3ca4b8},
    {NULL, 0},
};

// ---- Larger inputs, for what small ones do not reach: packets, sorted rays, grids, threads ----

enum { SIDE = 40, CASTS = 4096, VOLUMES = 3000, PARTICLES = 400 };

static void add_words(tact_xxh64* to, const void* data, size_t bytes)
{
    query_world* part = malloc(sizeof *part);
    if (!part) abort();
    for (size_t at = 0; at < bytes; at += EVERY_QUERY_BYTES) {
        const size_t rest = bytes - at < EVERY_QUERY_BYTES ? bytes - at : EVERY_QUERY_BYTES;
        part->size = 0;
        put(part, (const char*)data + at, rest);
        tact_xxh64_add(to, part->answer, rest);
    }
    free(part);
}

/// Rays from outside at a bumpy plane.
static tact_result cast_many(tact_context* context, const tact_query_options* options, tact_xxh64* to)
{
    static float positions[3 * SIDE * SIDE];
    static uint32_t indices[6 * (SIDE - 1) * (SIDE - 1)];
    static tact_ray rays[CASTS];
    static tact_hit hits[CASTS];
    test_random r = {77};
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) {
        positions[3 * i] = (float)(i % SIDE);
        positions[3 * i + 1] = (float)(i / SIDE);
        positions[3 * i + 2] = 2.0f * test_random_unit(&r);
    }
    size_t n = 0;
    for (uint32_t y = 0; y + 1 < SIDE; ++y) {
        for (uint32_t x = 0; x + 1 < SIDE; ++x) {
            const uint32_t a = y * SIDE + x;
            const uint32_t square[6] = {a, a + 1, a + SIDE, a + 1, a + SIDE + 1, a + SIDE};
            memcpy(indices + n, square, sizeof square);
            n += 6;
        }
    }
    for (size_t i = 0; i < CASTS; ++i) {
        const float across = (float)SIDE;
        rays[i] = (tact_ray){.ox = across * test_random_unit(&r),
                             .oy = across * test_random_unit(&r),
                             .oz = 9.0f,
                             .dx = 0.3f * test_random_signed(&r),
                             .dy = 0.3f * test_random_signed(&r),
                             .dz = -1.0f,
                             .tmax = 1e6f};
    }
    const tact_mesh_desc desc = {
        .positions = positions, .vertex_count = SIDE * SIDE, .indices = indices, .triangle_count = n / 3};
    tact_scene* scene = NULL;
    uint32_t mesh = 0, instance = 0;
    tact_result result = tact_scene_create(context, &scene);
    if (result == TACT_OK) result = tact_scene_add_mesh(scene, &desc, &mesh);
    if (result == TACT_OK) result = tact_scene_add_instance(scene, mesh, NULL, &instance);
    if (result == TACT_OK) result = tact_scene_commit(scene);
    for (int mode = TACT_RAY_CLOSEST; mode <= TACT_RAY_COUNT && result == TACT_OK; ++mode) {
        result = tact_raycast(scene, (tact_ray_mode)mode, rays, CASTS, hits, options, NULL);
        add_words(to, hits, sizeof hits);
    }
    tact_scene_destroy(scene);
    return result;
}

static tact_result find_many(tact_context* context, const tact_query_options* options, tact_xxh64* to)
{
    static tact_aabb boxes[VOLUMES];
    static tact_pair pairs[20 * VOLUMES];
    test_random r = {78};
    for (size_t i = 0; i < VOLUMES; ++i) {
        const float size = i % 50 ? 1.0f : 8.0f;
        fill(&r, &boxes[i].lower.x, 3, 10);
        boxes[i].upper =
            (tact_vec3){boxes[i].lower.x + size * test_random_unit(&r), boxes[i].lower.y + size * test_random_unit(&r),
                        boxes[i].lower.z + size * test_random_unit(&r)};
    }
    tact_volumes* set = NULL;
    size_t count = 0;
    tact_result result = tact_volumes_create(context, NULL, &set);
    if (result == TACT_OK) result = tact_volumes_add_aabbs(set, boxes, VOLUMES, NULL, NULL, NULL);
    for (int method = TACT_PAIRS_AUTO; method < TACT_PAIRS_METHOD_COUNT && result == TACT_OK; ++method) {
        result = call_pairs_find(set, NULL, (tact_pairs_method)method, pairs, 20 * VOLUMES, &count, options, NULL);
        add_words(to, pairs, count * sizeof *pairs);
    }
    tact_volumes_destroy(set);
    return result;
}

/// Makes a system and steps it. `law`, `text` of a force program: NULL for none. `*p` is to be destroyed whatever the
/// result.
static tact_result moved(tact_context* context, const tact_query_options* options, tact_particle_response response,
                         const tact_grain_law* law, const char* text, tact_particles** p)
{
    static float x[3 * PARTICLES], v[3 * PARTICLES], radii[PARTICLES];
    test_random r = {79};
    fill(&r, x, 3 * PARTICLES, 2);
    fill(&r, v, 3 * PARTICLES, 1);
    for (size_t i = 0; i < PARTICLES; ++i)
        radii[i] = 0.05f + 0.15f * test_random_unit(&r);
    const tact_particles_desc desc = {.response = response,
                                      .boundary = {TACT_BOUNDARY_WALL, TACT_BOUNDARY_WALL, TACT_BOUNDARY_PERIODIC},
                                      .domain = {{-2, -2, -2}, {2, 2, 2}},
                                      .gravity = {0, -9.81f, 0}};
    const tact_particle_arrays arrays = {.positions = x, .velocities = v, .radii = radii};
    *p = NULL;
    tact_result result = tact_particles_create(context, &desc, p);
    if (result == TACT_OK) result = tact_particles_add(*p, &arrays, PARTICLES, NULL);
    if (result == TACT_OK && law) result = tact_particles_set_law(*p, 0, 0, law);
    const tact_program_parameter k = {"k", 3.5f};
    if (result == TACT_OK && text) result = tact_particles_set_program(*p, text, &k, 1);
    return result == TACT_OK ? tact_particles_step(*p, 2e-3f, 2, 25, options, NULL) : result;
}

static tact_result move(tact_context* context, const tact_query_options* options, tact_xxh64* to,
                        tact_particle_response response, const tact_grain_law* law, const char* text)
{
    static float x[3 * PARTICLES], v[3 * PARTICLES], turns[4 * PARTICLES];
    const tact_particle_output output = {.positions = x, .velocities = v};
    tact_particles* p = NULL;
    tact_result result = moved(context, options, response, law, text, &p);
    if (result == TACT_OK) result = tact_particles_read(p, &output);
    add_words(to, x, sizeof x);
    add_words(to, v, sizeof v);
    if (result == TACT_OK && response == TACT_RESPONSE_GRAINS) {
        result = tact_particles_read_turning(p, x, turns);
        add_words(to, x, sizeof x);
        add_words(to, turns, sizeof turns);
    }
    tact_particles_destroy(p);
    return result;
}

static tact_result move_many(tact_context* context, const tact_query_options* options, tact_xxh64* to)
{
    const tact_result result = move(context, options, to, TACT_RESPONSE_SPRING, NULL, NULL);
    return result == TACT_OK ? move(context, options, to, TACT_RESPONSE_POSITION, NULL, NULL) : result;
}

static const tact_grain_law hertz = {.springs = TACT_GRAIN_HERTZ,
                                     .stiffness = 3e5f,
                                     .shear = 6e4f,
                                     .restitution = 0.7f,
                                     .tangential_damping = 0.2f,
                                     .friction = 0.4f,
                                     .rolling_friction = 0.1f,
                                     .twisting_friction = 0.05f,
                                     .adhesion = 0.3f};

static tact_result move_grains(tact_context* context, const tact_query_options* options, tact_xxh64* to)
{
    const tact_result result = move(context, options, to, TACT_RESPONSE_GRAINS, NULL, NULL);
    return result == TACT_OK ? move(context, options, to, TACT_RESPONSE_GRAINS, &hertz, NULL) : result;
}

static tact_result push_many(tact_context* context, const tact_query_options* options, tact_xxh64* to)
{
    static const char force[] =
        "d = sqrt(x*x + y*y + 0.01); fx = -k*m*x/d - vx; fy = t > 0.02 && id < 200 ? max(vy, 0.1) : 1e3*r";
    static const char torque[] = "; tz = (floor(4*z) == 1) - 1e-3*wz";
    char all[sizeof force + sizeof torque];
    snprintf(all, sizeof all, "%s%s", force, torque);
    const tact_result result = move(context, options, to, TACT_RESPONSE_SPRING, NULL, force);
    return result == TACT_OK ? move(context, options, to, TACT_RESPONSE_GRAINS, &hertz, all) : result;
}

/// The forces of all contacts, and averages over cells.
static tact_result press(tact_context* context, const tact_query_options* options, tact_xxh64* to,
                         tact_particle_response response, const tact_grain_law* law)
{
    enum { CONTACTS = 8 * PARTICLES, CELLS = 5 * 4 * 3 };
    static tact_contact_force forces[CONTACTS];
    static tact_average_cell cells[CELLS];
    const tact_average_grid grid = {{{-2, -2, -2}, {2, 2, 2}}, {5, 4, 3}, {0}};
    size_t count = 0;
    tact_particles* p = NULL;
    tact_result result = moved(context, options, response, law, NULL, &p);
    if (result == TACT_OK) result = tact_particles_contact_forces(p, forces, CONTACTS, &count);
    if (result == TACT_INCOMPLETE) result = TACT_ERROR_LIMIT;
    if (result == TACT_OK) result = tact_particles_average(p, &grid, cells);
    if (result != TACT_OK) count = 0;
    add_words(to, forces, count * sizeof *forces);
    for (size_t i = 0; i < CELLS; ++i) {
        // Of 64 bits each, which is in another order of words elsewhere.
        for (size_t at = 0; at < offsetof(tact_average_cell, reserved); at += sizeof(double)) {
            uint64_t bits;
            memcpy(&bits, (const char*)&cells[i] + at, sizeof bits);
            const uint32_t words[2] = {(uint32_t)bits, (uint32_t)(bits >> 32)};
            add_words(to, words, sizeof words);
        }
    }
    tact_particles_destroy(p);
    return result;
}

static tact_result press_many(tact_context* context, const tact_query_options* options, tact_xxh64* to)
{
    const tact_result result = press(context, options, to, TACT_RESPONSE_SPRING, NULL);
    return result == TACT_OK ? press(context, options, to, TACT_RESPONSE_GRAINS, &hertz) : result;
}

/// Bodies of six kinds that fall onto each other, as what is saved of them, which has one order of bytes.
static tact_result drop_many(tact_context* context, const tact_query_options* options, tact_xxh64* to)
{
    enum { FALLING = 48, SHAPES = 6 };
    const tact_vec3 corners[5] = {
        {0.4f, -0.2f, 0.0f}, {-0.3f, -0.2f, 0.4f}, {-0.3f, -0.2f, -0.4f}, {0.0f, 0.5f, 0.1f}, {0.2f, 0.1f, 0.4f}};
    const tact_body_shape shapes[SHAPES] = {
        {.kind = TACT_BODY_HALF_SPACE},
        {.kind = TACT_BODY_SPHERE, .radius = 0.35f},
        {.kind = TACT_BODY_BOX, .half = {0.4f, 0.25f, 0.3f}, .radius = 0.05f},
        {.kind = TACT_BODY_CAPSULE, .radius = 0.2f, .half = {0.0f, 0.3f, 0.0f}},
        {.kind = TACT_BODY_CYLINDER, .radius = 0.3f, .half = {0.0f, 0.25f, 0.0f}},
        {.kind = TACT_BODY_HULL, .points = corners, .point_count = 5},
    };
    tact_body bodies[1 + FALLING] = {{.shape = 0}};
    uint32_t ids[FALLING], number;
    for (uint32_t i = 1; i <= FALLING; ++i) {
        const float turn = 0.125f * (float)(i * 7 % 8);
        bodies[i] = (tact_body){.shape = 1 + i % (SHAPES - 1),
                                .pose = {.x = 0.75 * (i % 4) + 0.0625 * (i / 16),
                                         .y = 0.75 + 0.875 * (i / 16),
                                         .z = 0.75 * (i / 4 % 4),
                                         .rotation = {turn, 0.25f, turn - 0.5f, 1.0f}}};
        ids[i - 1] = i;
    }
    const tact_body_grains_desc desc = {.gravity = {0.0f, -10.0f, 0.0f}, .drag = 0.25f, .law = hertz};
    tact_bodies* set = NULL;
    tact_body_grains* g = NULL;
    tact_result result = tact_bodies_create(context, &set);
    for (int i = 0; i < SHAPES && result == TACT_OK; ++i)
        result = tact_bodies_add_shape(set, &shapes[i], &number);
    if (result == TACT_OK) result = tact_bodies_add(set, bodies, 1 + FALLING, NULL);
    if (result == TACT_OK) result = tact_body_grains_create(set, &desc, &g);
    if (result == TACT_OK) result = tact_body_grains_set_matter(g, ids, FALLING, &(tact_body_matter){0}, false);
    if (result == TACT_OK) result = tact_body_grains_step(g, 0.00390625f, 16, 100, options, NULL);
    size_t size = 0;
    if (result == TACT_OK) (void)tact_body_grains_save(g, NULL, 0, &size);
    void* bytes = size > 0 ? malloc(size) : NULL;
    if (bytes) {
        result = tact_body_grains_save(g, bytes, size, &size);
        tact_xxh64_add(to, bytes, size);
    }
    free(bytes);
    tact_body_grains_destroy(g);
    tact_bodies_destroy(set);
    return result;
}

typedef tact_result large(tact_context* context, const tact_query_options* options, tact_xxh64* to);

static const struct {
    const char* name;
    large* run;
} larges[] = {{"many rays", cast_many},     {"many pairs", find_many},   {"many particles", move_many},
              {"many grains", move_grains}, {"many forces", press_many}, {"many programs", push_many},
              {"many bodies", drop_many}};
enum { LARGES = sizeof larges / sizeof larges[0] };

// ---- Digests ----

static void die(const char* name, tact_result result)
{
    fprintf(stderr, "%s: %s: %s\n", name, tact_result_name(result), tact_last_error());
    exit(2);
}

/// Of a small query with some seeds.
static uint64_t digest_of(tact_context* context, const every_query* q, int threads)
{
    static const tact_allocator plain = {0};
    query_world* w = calloc(1, sizeof *w);
    if (!w) abort();
    tact_xxh64 state;
    tact_xxh64_begin(&state);
    for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
        w->context = context;
        w->allocator = &plain;
        w->options = (tact_query_options){.backend = TACT_BACKEND_CPU, .threads = threads};
        w->seed = seed;
        const tact_result result = every_query_run(q, w);
        if (result < TACT_OK) die(w->failed ? w->failed : q->name, result);
        tact_xxh64_add(&state, w->answer, w->size);
    }
    free(w);
    return tact_xxh64_end(&state);
}

static uint64_t digest_of_large(tact_context* context, size_t i, int threads)
{
    const tact_query_options options = {.backend = TACT_BACKEND_CPU, .threads = threads};
    tact_xxh64 state;
    tact_xxh64_begin(&state);
    const tact_result result = larges[i].run(context, &options, &state);
    if (result < TACT_OK) die(larges[i].name, result);
    return tact_xxh64_end(&state);
}

/// Whether it is the one of the table.
static bool compare(const char* name, int threads, uint64_t digest)
{
    for (const golden* g = expected; g->name; ++g) {
        if (strcmp(g->name, name) != 0) continue;
        if (g->digest == digest) return true;
        fprintf(stderr, "%s, threads %d: %016" PRIx64 ", expected %016" PRIx64 "\n", name, threads, digest, g->digest);
        return false;
    }
    fprintf(stderr, "%s has no digest in the table\n", name);
    return false;
}

/// Asks for all digests, those of large inputs or of small ones, from entry `first` on. Returns how many differ.
static size_t compare_all(tact_context* context, bool larger, size_t first, int threads, size_t* compared)
{
    const size_t count = larger ? LARGES : every_query_count;
    size_t wrong = 0;
    for (size_t n = 0; n < count; ++n) {
        const size_t i = (first + n) % count;
        const every_query* q = larger ? NULL : &every_queries[i];
        if (q && !every_query_runs_on(q, TACT_BACKEND_CPU)) continue;
        const uint64_t digest = q ? digest_of(context, q, threads) : digest_of_large(context, i, threads);
        wrong += !compare(q ? q->name : larges[i].name, threads, digest);
        ++*compared;
    }
    return wrong;
}

static void print_all(tact_context* context)
{
    for (size_t i = 0; i < every_query_count + LARGES; ++i) {
        const every_query* q = i < every_query_count ? &every_queries[i] : NULL;
        if (q && !every_query_runs_on(q, TACT_BACKEND_CPU)) continue;
        const char* name = q ? q->name : larges[i - every_query_count].name;
        const uint64_t digest = q ? digest_of(context, q, 1) : digest_of_large(context, i - every_query_count, 1);
        printf("    {\"%s\", 0x%016" PRIx64 "},\n", name, digest);
    }
}

// ---- Several threads at once ----

enum { ASKERS = 3, WORKERS = 2, ROOM = 256 };

/// Threads of the program that take the library's tasks from a list.
typedef struct workers {
    tact_mutex lock;
    tact_semaphore wake;  ///< counts the tasks, and at the end the workers
    struct {
        tact_task_fn* run;
        uint64_t task;
    } list[ROOM];
    size_t count, taken;
    tact_thread threads[WORKERS];
} workers;

static bool enqueue(tact_task_fn* run, uint64_t task, void* user)
{
    workers* w = user;
    tact_mutex_lock(&w->lock);
    const bool room = w->count < ROOM;
    if (room) {
        w->list[w->count].run = run;
        w->list[w->count++].task = task;
    }
    tact_mutex_unlock(&w->lock);
    if (room) tact_semaphore_post(&w->wake);
    return room;
}

static void work(void* user)
{
    workers* w = user;
    for (;;) {
        tact_semaphore_wait(&w->wake);
        tact_mutex_lock(&w->lock);
        if (w->count == 0) break;
        tact_task_fn* run = w->list[--w->count].run;
        const uint64_t task = w->list[w->count].task;
        ++w->taken;
        tact_mutex_unlock(&w->lock);
        run(task);
    }
    tact_mutex_unlock(&w->lock);
}

static bool start(workers* w)
{
    memset(w, 0, sizeof *w);
    tact_mutex_init(&w->lock);
    if (!tact_semaphore_init(&w->wake)) return false;
    for (int i = 0; i < WORKERS; ++i)
        if (!tact_thread_start(&w->threads[i], work, w)) return false;
    return true;
}

static void stop(workers* w)
{
    for (int i = 0; i < WORKERS; ++i)
        tact_semaphore_post(&w->wake);
    for (int i = 0; i < WORKERS; ++i)
        tact_thread_join(&w->threads[i]);
    tact_semaphore_destroy(&w->wake);
    tact_mutex_destroy(&w->lock);
}

typedef struct asker {
    tact_context* context;
    size_t first, compared, wrong;
    int threads;
    tact_thread thread;
} asker;

static void ask_small(void* user)
{
    asker* a = user;
    a->wrong = compare_all(a->context, false, a->first, a->threads, &a->compared);
}

/// This thread asks for what is large and others for what is small, at the same time. Returns how many digests differ.
static size_t compare_at_once(tact_context* context, size_t* compared)
{
    asker askers[ASKERS];
    for (size_t i = 0; i < ASKERS; ++i) {
        askers[i] = (asker){.context = context, .first = i * every_query_count / ASKERS, .threads = i % 2 ? 1 : 3};
        if (!tact_thread_start(&askers[i].thread, ask_small, &askers[i])) die("a thread", TACT_ERROR_INTERNAL);
    }
    size_t wrong = compare_all(context, true, 0, 3, compared);
    for (size_t i = 0; i < ASKERS; ++i) {
        tact_thread_join(&askers[i].thread);
        *compared += askers[i].compared;
        wrong += askers[i].wrong;
    }
    return wrong;
}

static tact_context* open_context(workers* own)
{
    const tact_context_desc desc = {
        .gl = TACT_DEVICE_NONE,
        .cl = TACT_DEVICE_NONE,
        .threads = 3,
        .tasks = own ? (tact_tasks){.enqueue = enqueue, .user = own, .workers = WORKERS} : (tact_tasks){0},
        .disable_calibration = true,
        .disable_cache = true};
    tact_context* context = NULL;
    const tact_result opened = tact_context_create(&desc, &context);
    if (opened != TACT_OK) die("a context", opened);
    return context;
}

int main(int argc, char** argv)
{
    tact_context* context = open_context(NULL);
    if (argc > 1 && strcmp(argv[1], "--print") == 0) {
        print_all(context);
        tact_context_destroy(context);
        return 0;
    }
    size_t compared = 0, wrong = 0;
    for (int threads = 1; threads <= 3; threads += 2) {
        wrong += compare_all(context, false, 0, threads, &compared);
        wrong += compare_all(context, true, 0, threads, &compared);
    }
    wrong += compare_at_once(context, &compared);
    tact_context_destroy(context);

    static workers own;
    if (!start(&own)) die("workers", TACT_ERROR_INTERNAL);
    context = open_context(&own);
    wrong += compare_at_once(context, &compared);
    tact_context_destroy(context);
    stop(&own);
    const bool idle = own.taken == 0 && strstr(tact_build_info(), "threads");
    if (idle) fprintf(stderr, "the program's workers were given nothing\n");
    printf("%zu digests, %zu differ; %zu tasks; %s\n", compared, wrong, own.taken, tact_build_info());
    return wrong || idle ? 1 : 0;
}
