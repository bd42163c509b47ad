// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/plain.h"
#include "apps/bench/suite.h"
#include "apps/inputs/random.h"
#include "apps/particles/particles.h"
#include "apps/peers/peers.h"
#include "apps/system.h"

// Steps of particle systems, and lists of neighbours.

enum { ALL = 1u << TACT_BACKEND_CPU | 1u << TACT_BACKEND_GL | 1u << TACT_BACKEND_CL, WARM_UP = 3 };

typedef enum particle_task {
    SPRING,       ///< a step of one substep
    POSITION,     ///< the same, position-based
    GRAINS,       ///< the same, of particles that turn
    LISTS_NEW,    ///< neighbour lists of points in random order in memory, sorting included
    LISTS_AGAIN,  ///< of points that were sorted by the time before
    PAIRS_NEW,    ///< as the lists, each pair once
    PAIRS_AGAIN
} particle_task;

typedef struct particle_work {
    tact_context* context;
    particle_task task;
    tact_particle_setup setup;
    float radius;  ///< of neighbours
    bool plain_can;
    tact_particles* particles;
    tact_neighbour_lists lists;
    tact_query_options options;  ///< of the last ask
    uint64_t frame, frames;      ///< 0 frames: every state counts
    int threads;
} particle_work;

static bool is_lists(particle_task task)
{
    return task >= LISTS_NEW;
}

static bool is_once(particle_task task)
{
    return task >= PAIRS_NEW;
}

/// Whether each time has points in random order.
static bool is_shuffled(particle_task task)
{
    return task == LISTS_NEW || task == PAIRS_NEW;
}

static void shuffle(float* positions, size_t count, tact_random* random)
{
    for (size_t i = count; i > 1; --i) {
        const size_t k = (size_t)tact_random_below(random, (uint32_t)i);
        float* a = positions + 3 * (i - 1);
        float* b = positions + 3 * k;
        float t[3];
        memcpy(t, a, sizeof t);
        memcpy(a, b, sizeof t);
        memcpy(b, t, sizeof t);
    }
}

/// A body-centred cubic lattice of unit cells, moved by a thousandth so that no distance is on the edge, as near a cube
/// as the count lets it be.
static void fill_lattice(float* positions, size_t count, tact_random* random)
{
    const size_t across = (size_t)ceil(cbrt((double)count / 2.0));
    for (size_t i = 0; i < count; ++i) {
        const size_t cell = i / 2;
        const size_t at[3] = {cell % across, cell / across % across, cell / (across * across)};
        for (size_t k = 0; k < 3; ++k) {
            positions[3 * i + k] = (float)at[k] + (i % 2 ? 0.5f : 0.0f) + 1e-3f * (float)tact_random_fraction(random);
        }
    }
}

static bool open_lists(particle_work* w, const char* scene, size_t count, uint64_t seed, tact_problem* problem)
{
    tact_random random = {seed};
    const tact_particle_scene* any = tact_particle_scene_named("one_cell");
    if (!tact_particle_setup_make(any, count, seed, &w->setup, problem)) return false;
    tact_particle_setup* s = &w->setup;
    memset(s->velocities, 0, 3 * count * sizeof *s->velocities);
    if (strcmp(scene, "lattice") == 0) {
        fill_lattice(s->positions, count, &random);
        w->radius = 2.03f;  // the shells up to distance 2 hold 64 (8 + 6 + 12 + 24 + 8 + 6)
    } else {
        // In a unit cube, with so many neighbours on average away from its faces.
        const double wanted = strcmp(scene, "sparse") == 0 ? 6.0 : 64.0;
        for (size_t i = 0; i < 3 * count; ++i)
            s->positions[i] = (float)tact_random_fraction(&random);
        w->radius = (float)cbrt(wanted / (4.18879 * (double)(count + 1)));
    }
    for (size_t i = 0; i < count; ++i)
        s->radii[i] = 0.25f * w->radius;
    shuffle(s->positions, count, &random);
    return true;
}

static bool open_particles(const tact_suite_query* query, const tact_suite_input* input, uint64_t size, void** own,
                           double* setup_ms, tact_problem* problem)
{
    (void)setup_ms;
    particle_work* w = calloc(1, sizeof *w);
    *own = w;
    if (!w) return tact_problem_out_of_memory(problem, "the particles");
    w->context = input->context;
    w->task = (particle_task)query->argument;
    w->frames = input->frames;
    w->threads = input->threads;
    // The plain code has one radius and one response.
    w->plain_can = is_lists(w->task) || (w->task == SPRING && strcmp(query->set, "dense") == 0);
    if (is_lists(w->task)) return open_lists(w, query->set, (size_t)size, input->seed, problem);
    if (!tact_particle_setup_make(tact_particle_scene_named(query->set), (size_t)size, input->seed, &w->setup, problem))
        return false;
    static const tact_particle_response responses[] = {
        [SPRING] = TACT_RESPONSE_SPRING, [POSITION] = TACT_RESPONSE_POSITION, [GRAINS] = TACT_RESPONSE_GRAINS};
    w->setup.desc.response = responses[w->task];
    return true;
}

/// Each backend begins with the same state.
static tact_result begin_particles(void* own)
{
    particle_work* w = own;
    tact_particles_destroy(w->particles);
    w->particles = NULL;
    return tact_particle_setup_create(&w->setup, w->context, &w->particles);
}

/// Points in random order are those of a system that was made anew.
static bool place_particles(void* own, unsigned frame, tact_problem* problem)
{
    particle_work* w = own;
    w->frame = frame;
    if (!is_shuffled(w->task) || frame == 0) return true;
    const tact_result result = begin_particles(w);
    return result >= 0 || tact_problem_from_result(problem, result, w->context, "the particles");
}

static tact_result ask_step(void* own, const tact_query_options* options, tact_query_report* report)
{
    particle_work* w = own;
    // Of a run in depth the first frames are a warm-up.
    const uint32_t steps = w->frames && w->frame == 0 ? WARM_UP : 1;
    w->options = *options;
    const double start = tact_system_milliseconds();
    tact_result result = tact_particles_step(w->particles, w->setup.dt, 1, steps, options, report);
    if (result < TACT_OK) return result;
    result = tact_particles_wait(w->particles);
    report->query_ms = tact_system_milliseconds() - start - report->upload_ms;
    return result;
}

/// How many pairs of particles touch; walls are left out, as the plain code leaves them out.
static tact_result count_pairs(tact_particles* p, const tact_query_options* options, size_t* pairs)
{
    size_t count = 0;
    tact_result result = tact_particles_contacts(p, NULL, 0, &count, options, NULL);
    *pairs = 0;
    if (result != TACT_INCOMPLETE) return result;
    tact_particle_contact* contacts = malloc(count * sizeof *contacts);
    if (!contacts) return TACT_ERROR_OUT_OF_MEMORY;
    result = tact_particles_contacts(p, contacts, count, &count, options, NULL);
    for (size_t i = 0; i < count; ++i)
        *pairs += contacts[i].with == TACT_CONTACT_PARTICLE;
    free(contacts);
    return result;
}

static bool answer_step(void* own, tact_suite_answer* answer, tact_problem* problem)
{
    particle_work* w = own;
    size_t rows = 0;
    if (w->frame < w->frames) return true;
    float* state = tact_particle_rows(w->particles, w->context, &rows, problem);
    if (!state) return false;
    answer->digest = tact_digest_of(state, rows * 7 * sizeof *state);
    answer->results = rows;
    free(state);
    if (!w->frames) return true;
    size_t pairs = 0;
    const tact_result result = count_pairs(w->particles, &w->options, &pairs);
    answer->results = pairs;
    return result >= 0 || tact_problem_from_result(problem, result, w->context, "the contacts");
}

static tact_result ask_neighbours(void* own, const tact_query_options* options, tact_query_report* report)
{
    particle_work* w = own;
    const tact_neighbour_kind kind = is_once(w->task) ? TACT_NEIGHBOURS_ONCE : TACT_NEIGHBOURS_ALL;
    return tact_particles_neighbours(w->particles, w->radius, kind, &w->lists, options, report);
}

static int compare_words(const void* a, const void* b)
{
    const uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;
    return x < y ? -1 : x > y;
}

/// Where the rows of lists by id begin, and what is in them, in no order.
typedef struct id_rows {
    uint64_t* begins;
    uint32_t* ids;
} id_rows;

/// Which of slot s and its k-th neighbour a pair is listed with: where it is listed once, the backend chose; here it is
/// the smaller id.
static uint32_t row_of(const tact_neighbour_lists* lists, bool once, size_t s, uint64_t k, uint32_t* other)
{
    const uint32_t a = lists->ids[s], b = lists->ids[lists->neighbours[k]];
    const bool turned = once && b < a;
    *other = turned ? a : b;
    return turned ? b : a;
}

static bool make_rows(const tact_neighbour_lists* lists, bool once, id_rows* rows)
{
    const size_t n = lists->slots;
    uint32_t other;
    rows->begins = calloc(n + 2, sizeof *rows->begins);
    rows->ids = malloc(((size_t)lists->offsets[n] + 1) * sizeof *rows->ids);
    if (!rows->begins || !rows->ids) return false;
    uint64_t* next = rows->begins + 1;  // after the last step these are where rows end: the next ones' beginnings
    for (size_t s = 0; s < n; ++s)
        for (uint64_t k = lists->offsets[s]; k < lists->offsets[s + 1]; ++k)
            ++next[row_of(lists, once, s, k, &other) + 1];
    for (size_t id = 0; id < n; ++id)
        next[id + 1] += next[id];
    for (size_t s = 0; s < n; ++s) {
        for (uint64_t k = lists->offsets[s]; k < lists->offsets[s + 1]; ++k) {
            uint64_t* to = &next[row_of(lists, once, s, k, &other)];
            rows->ids[(*to)++] = other;
        }
    }
    return true;
}

/// Of neighbour lists by id: each row's ids sorted, rows in order of id. Does not depend on the order in memory.
static bool digest_lists(const tact_neighbour_lists* lists, bool once, tact_digest* digest, tact_problem* problem)
{
    const size_t n = lists->slots;
    id_rows rows = {0};
    uint64_t* digests = malloc((n + 1) * sizeof *digests);
    const bool good = digests && make_rows(lists, once, &rows);
    for (size_t id = 0; good && id < n; ++id) {
        uint32_t* row = rows.ids + rows.begins[id];
        const size_t count = (size_t)(rows.begins[id + 1] - rows.begins[id]);
        qsort(row, count, sizeof *row, compare_words);
        digests[id] = strtoull(tact_digest_of(row, count * sizeof *row).text, NULL, 16);
    }
    if (good) *digest = tact_digest_of(digests, n * sizeof *digests);
    free(digests);
    free(rows.begins);
    free(rows.ids);
    return good || tact_problem_out_of_memory(problem, "a digest");
}

static bool answer_neighbours(void* own, tact_suite_answer* answer, tact_problem* problem)
{
    particle_work* w = own;
    answer->results = w->lists.offsets[w->lists.slots];
    return digest_lists(&w->lists, is_once(w->task), &answer->digest, problem);
}

static void close_particles(void* own)
{
    particle_work* w = own;
    if (!w) return;
    tact_particles_destroy(w->particles);
    tact_particle_setup_free(&w->setup);
    free(w);
}

// ---- The plain code ----

static tact_plain_rules plain_rules(const particle_work* w)
{
    const tact_particles_desc* d = &w->setup.desc;
    const float r = w->setup.radii[0];
    // As core/particles/particles.c makes them of the material that systems have when none is given: two springs of 1e4
    // in series, and a dashpot about as strong as that for a restitution of 0.5.
    const tact_plain_rules rules = {
        .lower = {d->domain.lower.x, d->domain.lower.y, d->domain.lower.z},
        .upper = {d->domain.upper.x, d->domain.upper.y, d->domain.upper.z},
        .radius = is_lists(w->task) ? 0.5f * w->radius : r,
        .mass = 1000.0f * 4.1887902f * r * r * r,
        .stiffness = 5e3f,
        .normal_damping = 0.5f,
        .friction = 0.5f,
        .tangential_damping = 1.0f,
        .gravity = {d->gravity.x, d->gravity.y, d->gravity.z},
        .dt = w->setup.dt,
    };
    return rules;
}

static tact_plain_particles* make_plain(const particle_work* w)
{
    const tact_plain_rules rules = plain_rules(w);
    return tact_plain_create(&rules, w->setup.positions, w->setup.velocities, w->setup.count, w->threads);
}

// ---- Libraries ----

static const tact_neighbour_peer* library_of(const tact_contestant* who)
{
    return who->variant > 0 ? tact_neighbour_peer_at(who->variant - 1u) : NULL;
}

static bool open_library(const particle_work* w, size_t index, tact_contestant* who)
{
    const tact_neighbour_peer* library = tact_neighbour_peer_at(index);
    if (!library || !is_lists(w->task) || is_once(w->task)) return false;
    const tact_particle_setup* s = &w->setup;
    who->peer = library;
    who->peer_name = library->name;
    who->threads = w->threads;
    who->variant = (unsigned)index + 1u;
    who->made = library->open(s->positions, s->count, w->radius, w->threads, !is_shuffled(w->task));
    return true;
}

/// Counts what is in the lists, and has memory that is fresh the next time, as ours has.
static void note_library(const particle_work* w, tact_contestant* who)
{
    const tact_neighbour_peer* library = library_of(who);
    const tact_particle_setup* s = &w->setup;
    who->results = library->count(who->made);
    if (!is_shuffled(w->task)) return;
    void* anew = library->open(s->positions, s->count, w->radius, w->threads, false);
    if (!anew) return;
    library->close(who->made);
    who->made = anew;
}

// ---- Either ----

static bool open_peer(void* own, size_t index, tact_contestant* who)
{
    const particle_work* w = own;
    if (index > 0) return open_library(w, index - 1, who);
    if (!w->plain_can) return false;
    who->peer = who->peer_name = "plain C";
    who->threads = tact_plain_has_threads() ? w->threads : 1;
    who->made = make_plain(w);
    return true;
}

static bool ask_peer(void* own, tact_contestant* who, unsigned frame)
{
    const particle_work* w = own;
    const tact_neighbour_peer* library = library_of(who);
    if (library) return library->run(who->made);
    tact_plain_particles* p = who->made;
    if (is_once(w->task))
        who->results = tact_plain_pairs(p);
    else if (is_lists(w->task))
        who->results = tact_plain_neighbours(p, w->radius);
    for (int i = 0; !is_lists(w->task) && i < (frame == 0 ? WARM_UP : 1); ++i)
        tact_plain_step(p);
    return true;
}

/// Counts contacts at the end; of ours the memory of the device.
static void note_particles(void* own, tact_contestant* who, const tact_suite_answer* expected)
{
    (void)expected;
    const particle_work* w = own;
    tact_particles_info info;
    if (!who->peer && !is_lists(w->task) && tact_particles_get_info(w->particles, &info) >= 0)
        who->report.memory_bytes = info.device_bytes;
    if (!who->peer) return;
    if (library_of(who)) {
        note_library(w, who);
        return;
    }
    if (!is_lists(w->task) && w->frame == w->frames) who->results = tact_plain_pairs(who->made);
    if (!is_shuffled(w->task)) return;
    tact_plain_particles* anew = make_plain(w);
    if (!anew) return;
    tact_plain_destroy(who->made);
    who->made = anew;
}

static void close_peer(tact_contestant* who)
{
    const tact_neighbour_peer* library = library_of(who);
    if (library) {
        library->close(who->made);
    } else {
        tact_plain_destroy(who->made);
    }
}

// ---- Tables ----

#define STEP .ask = ask_step, .answer = answer_step, .moves = true
#define LISTS .ask = ask_neighbours, .answer = answer_neighbours, .alone = true
#define PARTICLES                                                                                                      \
    .unit = "particles", .backends = ALL, .first = 100, .most = 1000000, .quick_most = 100000, .reference_most = 1000, \
    .open = open_particles, .begin = begin_particles, .close = close_particles
#define IN_DEPTH                                                                                 \
    .backends = ALL, .open = open_particles, .begin = begin_particles, .place = place_particles, \
    .close = close_particles, .peer = open_peer, .peer_ask = ask_peer, .note = note_particles,   \
    .peer_close = close_peer

#define SPRING_OF(scene)                                                        \
    {                                                                           \
        .name = "spring step", .set = scene, .argument = SPRING, STEP, IN_DEPTH \
    }
#define POSITION_OF(scene)                                                          \
    {                                                                               \
        .name = "position step", .set = scene, .argument = POSITION, STEP, IN_DEPTH \
    }
#define GRAINS_OF(scene)                                                       \
    {                                                                          \
        .name = "grain step", .set = scene, .argument = GRAINS, STEP, IN_DEPTH \
    }
#define LISTS_OF(text, scene, task)                                   \
    {                                                                 \
        .name = text, .set = scene, .argument = task, LISTS, IN_DEPTH \
    }

const tact_suite_query tact_suite_step_queries[] = {
    SPRING_OF("dense"),
    SPRING_OF("mixed"),
    SPRING_OF("uniform"),
    SPRING_OF("power_law"),
    SPRING_OF("bimodal"),
    POSITION_OF("dense"),
    POSITION_OF("uniform"),
    POSITION_OF("power_law"),
    POSITION_OF("bimodal"),
    GRAINS_OF("dense"),
    GRAINS_OF("uniform"),
    GRAINS_OF("power_law"),
    GRAINS_OF("bimodal"),
    LISTS_OF("lists, shuffled", "lattice", LISTS_NEW),
    LISTS_OF("lists, sorted", "lattice", LISTS_AGAIN),
    LISTS_OF("lists, shuffled", "sparse", LISTS_NEW),
    LISTS_OF("lists, sorted", "sparse", LISTS_AGAIN),
    LISTS_OF("pairs once, shuffled", "sparse", PAIRS_NEW),
    LISTS_OF("pairs once, sorted", "sparse", PAIRS_AGAIN),
    LISTS_OF("lists, shuffled", "random", LISTS_NEW),
    LISTS_OF("lists, sorted", "random", LISTS_AGAIN),
    {.name = NULL},
};

const tact_suite_query tact_suite_particle_queries[] = {
    {TACT_SUITE_ROW(
         "particles_spring", "Particles, a step of springs and dashpots", "dense", "particles",
         "A step of spheres that touch a few others each; the state stays on the device. Each state is checked."),
     .argument = SPRING, STEP, PARTICLES},
    {TACT_SUITE_ROW("particles_position", "Particles, a position-based step", "dense", "particles",
                    "The same, position-based."),
     .argument = POSITION, STEP, PARTICLES},
    {TACT_SUITE_ROW("particles_grains", "Particles, a step of grains that turn", "dense", "particles",
                    "The same, of spheres that turn, whose contacts remember."),
     .argument = GRAINS, STEP, PARTICLES},
    {TACT_SUITE_ROW(
         "neighbours", "Neighbour lists", "sparse", "neighbours",
         "The lists of all points within a radius, about six each, brought back; points are sorted already."),
     .argument = LISTS_AGAIN, LISTS, PARTICLES},
    {.name = NULL},
};
