// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The particle systems' part of `tact verify`: the state after steps with each response, the contacts and the
// neighbours of every kind of system, against the brute force. Larger systems, too large for that, against the CPU.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/particles/particles.h"
#include "apps/verify/verify.h"

enum { RESPONSES = 3, SMALL_STEPS = 20, QUICK_STEPS = 6 };

/// A system and what is asked of it; and the last answer: rows of some words each.
typedef struct particle_case {
    tact_context* context;
    const tact_particle_setup* setup;
    tact_particle_response response;
    uint32_t steps;
    bool contacts, neighbours;
    tact_neighbour_kind kind;  ///< of the neighbours
    void* rows;                ///< from malloc
    size_t count, size;        ///< rows, bytes of one
} particle_case;

static tact_result take_contacts(tact_particles* p, const tact_query_options* options, particle_case* c)
{
    tact_result result = tact_particles_contacts(p, NULL, 0, &c->count, options, NULL);
    c->size = sizeof(tact_particle_contact);
    if (result != TACT_INCOMPLETE) return result;
    c->rows = malloc(c->count * c->size);
    if (!c->rows) return TACT_ERROR_OUT_OF_MEMORY;
    return tact_particles_contacts(p, c->rows, c->count, &c->count, options, NULL);
}

static int compare_pairs(const void* a, const void* b)
{
    const uint32_t *p = a, *q = b;
    if (p[0] != q[0]) return p[0] < q[0] ? -1 : 1;
    return p[1] < q[1] ? -1 : p[1] > q[1];
}

static tact_result take_neighbours(tact_particles* p, const tact_query_options* options, particle_case* c)
{
    tact_neighbour_lists lists;
    const float radius = 3.0f * c->setup->radii[0];
    const tact_result result = tact_particles_neighbours(p, radius, c->kind, &lists, options, NULL);
    if (result != TACT_OK) return result;
    c->size = 2 * sizeof(uint32_t);
    c->count = lists.slots > 0 ? (size_t)lists.offsets[lists.slots] : 0;
    uint32_t* pairs = malloc((c->count + 1) * c->size);
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
    qsort(pairs, c->count, c->size, compare_pairs);
    c->rows = pairs;
    return TACT_OK;
}

static tact_result take_state(tact_particles* p, const tact_query_options* options, particle_case* c)
{
    tact_problem problem = {0};
    const tact_result result = tact_particles_step(p, c->setup->dt, c->setup->substeps, c->steps, options, NULL);
    if (result != TACT_OK) return result;
    c->rows = tact_particle_rows(p, c->context, &c->count, &problem);
    c->size = 7 * sizeof(float);
    return c->rows ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

/// What a backend makes of the case, from the beginning.
static tact_result ask(void* own, const tact_query_options* options, tact_query_report* report)
{
    (void)report;
    particle_case* c = own;
    tact_particle_setup setup = *c->setup;
    tact_particles* p = NULL;
    setup.desc.response = c->response;
    free(c->rows);
    c->rows = NULL;
    c->count = 0;
    tact_result result = tact_particle_setup_create(&setup, c->context, &p);
    if (result == TACT_OK) {
        result = c->contacts     ? take_contacts(p, options, c)
                 : c->neighbours ? take_neighbours(p, options, c)
                                 : take_state(p, options, c);
    }
    tact_particles_destroy(p);
    return result;
}

static bool answer(void* own, tact_suite_answer* to, tact_problem* problem)
{
    (void)problem;
    const particle_case* c = own;
    *to = tact_suite_items(c->rows, c->count, c->size);
    return true;
}

static const tact_suite_query particle_query = {.name = "particles", .ask = ask, .answer = answer};

static void describe(const tact_verify_case* checked, const tact_suite_answer* of, size_t at, char* text, size_t size)
{
    const particle_case* c = checked->own;
    if (c->neighbours) {
        const uint32_t* w = (const uint32_t*)of->items + 2 * at;
        snprintf(text, size, "%u %u", (unsigned)w[0], (unsigned)w[1]);
    } else if (c->contacts) {
        const tact_particle_contact* k = (const tact_particle_contact*)of->items + at;
        snprintf(text, size, "%u %u/%u point %a %a %a depth %a normal %a %a %a", (unsigned)k->a, (unsigned)k->with,
                 (unsigned)k->b, (double)k->point[0], (double)k->point[1], (double)k->point[2], (double)k->depth,
                 (double)k->normal[0], (double)k->normal[1], (double)k->normal[2]);
    } else {
        const float* f = (const float*)of->items + 7 * at;
        snprintf(text, size, "x %a %a %a v %a %a %a", (double)f[0], (double)f[1], (double)f[2], (double)f[4],
                 (double)f[5], (double)f[6]);
    }
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
        particle_case c = {
            .context = run->session.context,
            .setup = &setup,
            .response = k < RESPONSES ? (tact_particle_response)k : TACT_RESPONSE_SPRING,
            .steps = run->quick || large ? QUICK_STEPS : SMALL_STEPS,
            .contacts = k == RESPONSES,
            .neighbours = k > RESPONSES,
            .kind = k == RESPONSES + 1 ? TACT_NEIGHBOURS_ALL : TACT_NEIGHBOURS_ONCE,
        };
        const tact_verify_case checked = {.row = {"particles", scene->name, "", modes[k], setup.count},
                                          .query = &particle_query,
                                          .own = &c,
                                          .definition = large ? TACT_BACKEND_CPU : TACT_BACKEND_REFERENCE,
                                          .describe = describe};
        good = tact_verify_check(run, &checked, problem);
        free(c.rows);
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
