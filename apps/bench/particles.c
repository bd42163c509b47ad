// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/bench/particles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/bench/plain_particles.h"
#include "apps/inputs/random.h"
#include "apps/system.h"

enum { WARM_UP = 3 };

const char* const tact_particle_work_names[] = {"spring step",   "position step",        "lists, shuffled",
                                                "lists, sorted", "pairs once, shuffled", "pairs once, sorted"};

static bool is_lists(tact_particle_work work)
{
    return work != TACT_WORK_SPRING && work != TACT_WORK_POSITION;
}

static bool is_once(tact_particle_work work)
{
    return work == TACT_WORK_PAIRS_NEW || work == TACT_WORK_PAIRS_AGAIN;
}

/// Whether each time has points in random order.
static bool is_shuffled(tact_particle_work work)
{
    return work == TACT_WORK_LISTS_NEW || work == TACT_WORK_PAIRS_NEW;
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

static bool open_lists(tact_particles_bench_case* c, size_t count, uint64_t seed, tact_problem* problem)
{
    tact_random random = {seed};
    const tact_particle_scene* any = tact_particle_scene_named("one_cell");
    if (!tact_particle_setup_make(any, count, seed, &c->setup, problem)) return false;
    tact_particle_setup* s = &c->setup;
    memset(s->velocities, 0, 3 * count * sizeof *s->velocities);
    if (strcmp(c->scene, "lattice") == 0) {
        fill_lattice(s->positions, count, &random);
        c->radius = 2.03f;  // the shells up to distance 2 hold 64 (8 + 6 + 12 + 24 + 8 + 6)
    } else {
        // In a unit cube, with so many neighbours on average away from its faces.
        const double wanted = strcmp(c->scene, "sparse") == 0 ? 6.0 : 64.0;
        for (size_t i = 0; i < 3 * count; ++i)
            s->positions[i] = (float)tact_random_fraction(&random);
        c->radius = (float)cbrt(wanted / (4.18879 * (double)(count + 1)));
    }
    for (size_t i = 0; i < count; ++i)
        s->radii[i] = 0.25f * c->radius;
    shuffle(s->positions, count, &random);
    return true;
}

bool tact_particles_bench_open(tact_particles_bench_case* c, tact_particle_work work, const char* scene, size_t count,
                               uint64_t seed, tact_problem* problem)
{
    *c = (tact_particles_bench_case){.work = work, .scene = scene, .found = -1.0};
    c->kind = is_once(work) ? TACT_NEIGHBOURS_ONCE : TACT_NEIGHBOURS_ALL;
    if (is_lists(work)) return open_lists(c, count, seed, problem);
    if (!tact_particle_setup_make(tact_particle_scene_named(scene), count, seed, &c->setup, problem)) return false;
    c->setup.desc.response = work == TACT_WORK_POSITION ? TACT_RESPONSE_POSITION : TACT_RESPONSE_SPRING;
    return true;
}

void tact_particles_bench_close(tact_particles_bench_case* c)
{
    tact_particle_setup_free(&c->setup);
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

bool tact_particles_bench_digest(const tact_neighbour_lists* lists, bool once, tact_digest* digest,
                                 tact_problem* problem)
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

static double each(uint64_t found, uint64_t count)
{
    return count > 0 ? (double)found / (double)count : 0.0;
}

static tact_result run_lists(tact_particles_bench_case* c, tact_context* context, double* samples,
                             tact_particles_bench_row* row, tact_problem* problem)
{
    const tact_query_options options = {.backend = row->backend, .threads = c->threads, .no_fallback = true};
    tact_particles* p = NULL;
    tact_result result = TACT_OK;
    tact_query_report report = {0};
    for (uint64_t i = 0; i <= c->repeat && result == TACT_OK; ++i) {
        // Shuffled: a system made anew each time, its points in the order given; made before the clock starts.
        if (i == 0 || is_shuffled(c->work)) {
            tact_particles_destroy(p);
            result = tact_particle_setup_create(&c->setup, context, &p);
        }
        tact_neighbour_lists lists;
        const double start = tact_system_milliseconds();
        if (result == TACT_OK) result = tact_particles_neighbours(p, c->radius, c->kind, &lists, &options, &report);
        if (result != TACT_OK) break;
        if (i > 0) samples[i - 1] = tact_system_milliseconds() - start;
        row->found = each(lists.offsets[lists.slots], lists.slots);
        row->memory_bytes = report.memory_bytes;
        row->threads = report.threads;
        if (i == c->repeat && !tact_particles_bench_digest(&lists, is_once(c->work), &row->digest, problem))
            result = TACT_ERROR_OUT_OF_MEMORY;
    }
    if (result < TACT_OK) snprintf(row->detail, sizeof row->detail, "%s", tact_context_error(context));
    tact_particles_destroy(p);
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

static tact_result run_steps(tact_particles_bench_case* c, tact_context* context, double* samples,
                             tact_particles_bench_row* row, tact_problem* problem)
{
    const tact_query_options options = {.backend = row->backend, .threads = c->threads, .no_fallback = true};
    tact_particles* p = NULL;
    tact_query_report report = {0};
    tact_result result = tact_particle_setup_create(&c->setup, context, &p);
    for (uint64_t i = 0; i < WARM_UP + c->repeat && result == TACT_OK; ++i) {
        const double start = tact_system_milliseconds();
        result = tact_particles_step(p, c->setup.dt, 1, 1, &options, &report);
        if (result == TACT_OK) result = tact_particles_wait(p);
        if (i >= WARM_UP) samples[i - WARM_UP] = tact_system_milliseconds() - start;
    }
    size_t contacts = 0, rows = 0;
    tact_particles_info info = {0};
    if (result == TACT_OK) result = tact_particles_get_info(p, &info);
    if (result == TACT_OK) result = count_pairs(p, &options, &contacts);
    float* state = result == TACT_OK ? tact_particle_rows(p, context, &rows, problem) : NULL;
    if (state) row->digest = tact_digest_of(state, rows * 7 * sizeof *state);
    free(state);
    row->found = each(contacts, c->setup.count);
    row->memory_bytes = info.device_bytes;
    row->threads = report.threads;
    if (result < TACT_OK) snprintf(row->detail, sizeof row->detail, "%s", tact_context_error(context));
    tact_particles_destroy(p);
    return result;
}

static tact_plain_rules plain_rules(const tact_particles_bench_case* c)
{
    const tact_particles_desc* d = &c->setup.desc;
    const float r = c->setup.radii[0];
    // As core/particles/particles.c makes them of the material that systems have when none is given: two springs of 1e4
    // in series, and a dashpot about as strong as that for a restitution of 0.5.
    const tact_plain_rules rules = {
        .lower = {d->domain.lower.x, d->domain.lower.y, d->domain.lower.z},
        .upper = {d->domain.upper.x, d->domain.upper.y, d->domain.upper.z},
        .radius = is_lists(c->work) ? 0.5f * c->radius : r,
        .mass = 1000.0f * 4.1887902f * r * r * r,
        .stiffness = 5e3f,
        .normal_damping = 0.5f,
        .friction = 0.5f,
        .tangential_damping = 1.0f,
        .gravity = {d->gravity.x, d->gravity.y, d->gravity.z},
        .dt = c->setup.dt,
    };
    return rules;
}

static tact_result run_plain(tact_particles_bench_case* c, double* samples, tact_particles_bench_row* row)
{
    const tact_plain_rules rules = plain_rules(c);
    tact_plain_particles* p = NULL;
    uint64_t found = 0;
    row->threads = tact_plain_has_threads() ? c->threads : 1;
    const uint64_t warm_up = is_lists(c->work) ? 1 : WARM_UP;
    for (uint64_t i = 0; i < warm_up + c->repeat; ++i) {
        if (i == 0 || is_shuffled(c->work)) {
            tact_plain_destroy(p);
            p = tact_plain_create(&rules, c->setup.positions, c->setup.velocities, c->setup.count, c->threads);
            if (!p) return TACT_ERROR_OUT_OF_MEMORY;
        }
        const double start = tact_system_milliseconds();
        if (is_once(c->work))
            found = tact_plain_pairs(p);
        else if (is_lists(c->work))
            found = tact_plain_neighbours(p, c->radius);
        else
            tact_plain_step(p);
        if (i >= warm_up) samples[i - warm_up] = tact_system_milliseconds() - start;
    }
    if (!is_lists(c->work)) found = tact_plain_pairs(p);
    row->found = each(found, c->setup.count);
    tact_plain_destroy(p);
    return TACT_OK;
}

/// The plain code has one radius and one response.
static bool plain_can(const tact_particles_bench_case* c)
{
    return is_lists(c->work) || (c->work == TACT_WORK_SPRING && strcmp(c->scene, "dense") == 0);
}

bool tact_particles_bench_measure(tact_particles_bench_case* c, tact_context* context, tact_particles_bench_row* row,
                                  tact_problem* problem)
{
    row->work = c->work;
    row->count = c->setup.count;
    snprintf(row->scene, sizeof row->scene, "%s", c->scene);
    if (row->plain && !plain_can(c)) {
        row->status = TACT_BENCH_MISSING;
        return true;
    }
    double* samples = calloc((size_t)c->repeat + 1, sizeof *samples);
    if (!samples) return tact_problem_out_of_memory(problem, "the measurements");
    tact_result result;
    if (row->plain)
        result = run_plain(c, samples, row);
    else if (is_lists(c->work))
        result = run_lists(c, context, samples, row, problem);
    else
        result = run_steps(c, context, samples, row, problem);
    row->ms = tact_spread_of(samples, (size_t)c->repeat);
    free(samples);
    if (problem->text[0]) return false;
    if (result < TACT_OK) {
        row->status = TACT_BENCH_FAILED;
        return true;
    }
    if (row->plain) {
        // Its sums are in another order: it is held to the number of contacts, which few roundings change.
        const double off = c->found >= 0.0 ? fabs(row->found - c->found) : 0.0;
        row->status = c->found < 0.0 || off <= 0.01 * (c->found + 0.01) ? TACT_BENCH_EQUAL : TACT_BENCH_DIFFERS;
        return true;
    }
    if (!c->digest.text[0]) {
        c->digest = row->digest;
        c->found = row->found;
    }
    row->status = strcmp(c->digest.text, row->digest.text) == 0 ? TACT_BENCH_EQUAL : TACT_BENCH_DIFFERS;
    return true;
}
