// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The particle systems' part of `tact verify`: the state after steps with each response, the contacts and the
// neighbours of every kind of system, against the brute force. Larger systems, too large for that, against the CPU.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/particles/scenes.h"
#include "apps/verify/verify.h"

enum { RESPONSES = 3, SMALL_STEPS = 20, QUICK_STEPS = 6 };

/// What is compared: rows of some words each.
typedef struct answer {
    void* rows;
    size_t count, size;  ///< rows, bytes of one
} answer;

typedef struct particle_case {
    const tact_particle_scene* scene;
    const tact_particle_setup* setup;
    const char* mode;
    tact_particle_response response;
    uint32_t steps;
    bool contacts, neighbours;
    tact_neighbour_kind kind;  ///< of the neighbours
} particle_case;

static tact_result make(const particle_case* c, tact_context* context, tact_particles** particles)
{
    tact_particle_setup setup = *c->setup;
    setup.desc.response = c->response;
    return tact_particle_setup_create(&setup, context, particles);
}

static tact_result take_contacts(tact_particles* p, const tact_query_options* options, answer* a)
{
    tact_result result = tact_particles_contacts(p, NULL, 0, &a->count, options, NULL);
    a->size = sizeof(tact_particle_contact);
    if (result != TACT_INCOMPLETE) return result;
    a->rows = malloc(a->count * a->size);
    if (!a->rows) return TACT_ERROR_OUT_OF_MEMORY;
    return tact_particles_contacts(p, a->rows, a->count, &a->count, options, NULL);
}

static int compare_pairs(const void* a, const void* b)
{
    const uint32_t *p = a, *q = b;
    if (p[0] != q[0]) return p[0] < q[0] ? -1 : 1;
    return p[1] < q[1] ? -1 : p[1] > q[1];
}

static tact_result take_neighbours(tact_particles* p, const particle_case* c, const tact_query_options* options,
                                   answer* a)
{
    tact_neighbour_lists lists;
    const float radius = 3.0f * c->setup->radii[0];
    const tact_result result = tact_particles_neighbours(p, radius, c->kind, &lists, options, NULL);
    if (result != TACT_OK) return result;
    a->size = 2 * sizeof(uint32_t);
    a->count = lists.slots > 0 ? (size_t)lists.offsets[lists.slots] : 0;
    uint32_t* pairs = malloc((a->count + 1) * a->size);
    if (!pairs) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t s = 0; s < lists.slots; ++s) {
        for (uint64_t k = lists.offsets[s]; k < lists.offsets[s + 1]; ++k) {
            const uint32_t from = lists.ids[s], to = lists.ids[lists.neighbours[k]];
            // Which of two comes first, where a pair is listed once, is the backend's affair.
            const bool turn = c->kind == TACT_NEIGHBOURS_ONCE && to < from;
            pairs[2 * k] = turn ? to : from;
            pairs[2 * k + 1] = turn ? from : to;
        }
    }
    qsort(pairs, a->count, a->size, compare_pairs);
    a->rows = pairs;
    return TACT_OK;
}

/// What a backend makes of the case.
static tact_result answer_of(const particle_case* c, tact_context* context, const tact_query_options* options,
                             answer* a)
{
    *a = (answer){0};
    tact_particles* p = NULL;
    tact_problem problem = {0};
    tact_result result = make(c, context, &p);
    if (result == TACT_OK && c->contacts)
        result = take_contacts(p, options, a);
    else if (result == TACT_OK && c->neighbours)
        result = take_neighbours(p, c, options, a);
    else if (result == TACT_OK) {
        result = tact_particles_step(p, c->setup->dt, c->setup->substeps, c->steps, options, NULL);
        if (result == TACT_OK) {
            a->rows = tact_particle_rows(p, context, &a->count, &problem);
            a->size = 7 * sizeof(float);
            if (!a->rows) result = TACT_ERROR_OUT_OF_MEMORY;
        }
    }
    tact_particles_destroy(p);
    return result;
}

static void describe(char* text, size_t size, const particle_case* c, const answer* a, size_t i)
{
    if (i >= a->count) {
        snprintf(text, size, "%zu rows", a->count);
    } else if (c->neighbours) {
        const uint32_t* w = (const uint32_t*)a->rows + 2 * i;
        snprintf(text, size, "%u %u", (unsigned)w[0], (unsigned)w[1]);
    } else if (c->contacts) {
        const tact_particle_contact* k = (const tact_particle_contact*)a->rows + i;
        snprintf(text, size, "%u %u/%u depth %a normal %a %a %a", (unsigned)k->a, (unsigned)k->with, (unsigned)k->b,
                 (double)k->depth, (double)k->normal[0], (double)k->normal[1], (double)k->normal[2]);
    } else {
        const float* f = (const float*)a->rows + 7 * i;
        snprintf(text, size, "x %a %a %a v %a %a %a", (double)f[0], (double)f[1], (double)f[2], (double)f[4],
                 (double)f[5], (double)f[6]);
    }
}

static void compare(tact_verify_run* run, const tact_verify_row* row, tact_contestant* who, const particle_case* c,
                    const answer* expected, const answer* got)
{
    uint64_t differing = 0;
    size_t first = 0;
    const size_t most = expected->count > got->count ? expected->count : got->count;
    for (size_t i = 0; i < most; ++i) {
        const bool equal = i < expected->count && i < got->count &&
                           memcmp((const char*)expected->rows + i * expected->size,
                                  (const char*)got->rows + i * got->size, got->size) == 0;
        if (!equal && differing++ == 0) first = i;
    }
    tact_verify_answer(run, row, who, tact_digest_of(got->rows, got->count * got->size).text, differing);
    if (differing == 0) return;
    char item[64], texts[2][320];
    snprintf(item, sizeof item, "row %zu", first);
    describe(texts[0], sizeof texts[0], c, expected, first);
    describe(texts[1], sizeof texts[1], c, got, first);
    tact_verify_difference(run, row, who, first, differing, item, texts[0], texts[1]);
}

static bool check_case(tact_verify_run* run, const particle_case* c, tact_backend definition, tact_problem* problem)
{
    answer expected;
    const tact_query_options options = {.backend = definition, .threads = 1, .no_fallback = true};
    const tact_result defined = answer_of(c, run->session.context, &options, &expected);
    if (defined != TACT_OK) {
        free(expected.rows);
        return tact_problem_from_result(problem, defined, run->session.context, "particles by definition");
    }
    const tact_verify_row row = {"particles", c->scene->name, "", c->mode, c->setup->count};
    for (int i = 0; i < TACT_CONTESTANTS; ++i) {
        tact_contestant* who = &run->contestants[i];
        if (!tact_verify_wants(run, who)) continue;
        if (who->missing[0]) {
            tact_verify_skip(run, &row, who, who->missing);
            continue;
        }
        answer got;
        const tact_query_options asked = {.backend = who->backend, .threads = who->threads, .no_fallback = true};
        const tact_result result = answer_of(c, run->session.context, &asked, &got);
        if (result != TACT_OK) {
            const char* detail = tact_context_error(run->session.context);
            tact_verify_fail(run, &row, who, detail[0] ? detail : tact_result_string(result));
        } else {
            compare(run, &row, who, c, &expected, &got);
        }
        free(got.rows);
    }
    free(expected.rows);
    ++run->progress.part;
    return true;
}

enum { CASES = RESPONSES + 3 };

static bool verify_scene(tact_verify_run* run, const tact_particle_scene* scene, size_t count, bool large,
                         tact_problem* problem)
{
    static const char* const modes[CASES] = {"spring", "position", "none", "contacts", "neighbours", "pairs once"};
    tact_particle_setup setup;
    if (!tact_particle_setup_make(scene, count < scene->most ? count : scene->most, run->common.seed, &setup,
                                  problem)) {
        return false;
    }
    bool good = true;
    for (int k = 0; good && k < CASES; ++k) {
        const particle_case c = {
            .scene = scene,
            .setup = &setup,
            .mode = modes[k],
            .response = k < RESPONSES ? (tact_particle_response)k : TACT_RESPONSE_SPRING,
            .steps = run->quick || large ? QUICK_STEPS : SMALL_STEPS,
            .contacts = k == RESPONSES,
            .neighbours = k > RESPONSES,
            .kind = k == RESPONSES + 1 ? TACT_NEIGHBOURS_ALL : TACT_NEIGHBOURS_ONCE,
        };
        good = check_case(run, &c, large ? TACT_BACKEND_CPU : TACT_BACKEND_REFERENCE, problem);
    }
    tact_particle_setup_free(&setup);
    return good;
}

/// Those that go to sizes beyond brute force.
static bool is_large(const tact_verify_run* run, const tact_particle_scene* scene)
{
    return !run->quick && (strcmp(scene->name, "dense") == 0 || strcmp(scene->name, "gas") == 0 ||
                           strcmp(scene->name, "mixed_periodic") == 0 || strcmp(scene->name, "colliders") == 0);
}

uint64_t tact_verify_particles_parts(const tact_verify_run* run)
{
    uint64_t parts = 0;
    for (size_t i = 0; i < tact_particle_scene_count; ++i) {
        const tact_particle_scene* scene = &tact_particle_scenes[i];
        if (tact_verify_wants_scene(run, scene->name)) parts += CASES * (is_large(run, scene) ? 2u : 1u);
    }
    return parts;
}

bool tact_verify_particles(tact_verify_run* run, tact_problem* problem)
{
    bool good = true;
    for (size_t i = 0; good && i < tact_particle_scene_count; ++i) {
        const tact_particle_scene* scene = &tact_particle_scenes[i];
        if (!tact_verify_wants_scene(run, scene->name)) continue;
        good = verify_scene(run, scene, run->quick ? 400 : 2000, false, problem);
        if (good && is_large(run, scene)) good = verify_scene(run, scene, 100000, true, problem);
    }
    return good;
}
