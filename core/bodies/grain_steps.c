// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Bodies that move as grains: their substeps. Pairs that may touch are found by boxes that are larger than the bodies'
// own, and serve until a body may have left its box. The reference finds them anew in every substep.

#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "base/parallel.h"
#include "base/platform.h"
#include "core/bodies/grains.h"
#include "core/particles/laws.h"
#include "core/volumes/volumes.h"
#include "tact/geometry/aabb.h"

enum { MOST_SUBSTEPS = 65536, PAIR_PIECE = 256 };

static const double pi = 3.14159265358979323846;

/// How many substeps pairs are to serve at present speeds, and what boxes are larger by at least, by the body's reach.
static const double list_substeps = 24.0, least_skin = 0.02;

/// What of a skin may be used up, since roundings take some too, and how far a distance may be off by both reaches: far
/// more than docs/results.md says of it.
static const double usable = 0.999, part_unsure = 0x1p-10;

static tact_env* env_of(const tact_body_grains* g)
{
    return &g->set->context->env;
}

static int threads_of(const tact_body_grains* g, const tact_query_options* options)
{
    return options->threads > 0 ? options->threads : g->set->context->threads;
}

// ---- Pairs ----

static double length_of(TactVec v)
{
    return sqrt((double)v.x * (double)v.x + (double)v.y * (double)v.y + (double)v.z * (double)v.z);
}

/// How far a body that contacts do not move reaches from its position.
static float reach_of(const tact_bodies* set, const tact_body* body)
{
    const TactShapes shapes = tact_shapes_of(&set->tables);
    const TactCore core = tact_core_of(&shapes, body->shape, body->pose.scale);
    return core.extent + core.radius;
}

static tact_aabb larger(tact_aabb box, double skin)
{
    float* lower = &box.lower.x;
    float* upper = &box.upper.x;
    for (int k = 0; k < 3; ++k) {
        lower[k] = (float)((double)lower[k] - skin) - fabsf(lower[k]) * 0x1p-22f;
        upper[k] = (float)((double)upper[k] + skin) + fabsf(upper[k]) * 0x1p-22f;
    }
    return box;
}

/// The box within which a body stays for some substeps.
static void make_box(tact_body_grains* g, size_t id, float dt, bool reference)
{
    const tact_body* body = &g->set->bodies[id];
    tact_grain_body* b = &g->bodies[id];
    b->moved = 0.0;
    g->skins[id] = 0.0;
    g->boxes[id] = tact_aabb_empty();
    if (!tact_body_grains_have(g, (uint32_t)id)) return;
    if (!(b->solid.inverse_mass > 0.0f)) b->solid.reach = reach_of(g->set, body);
    const double reach = (double)b->solid.reach, speed = length_of(b->velocity) + reach * length_of(b->spin);
    const bool still = !(b->solid.inverse_mass > 0.0f) && speed == 0.0;
    if (!still && !reference) g->skins[id] = least_skin * reach + list_substeps * (double)dt * speed;
    const tact_aabb box = tact_body_box(&g->set->tables, &g->set->rows[TACT_POSED_ROWS * id], &body->pose);
    g->boxes[id] = larger(box, g->skins[id]);
}

static bool room_for_boxes(tact_body_grains* g)
{
    void *skins = g->skins, *boxes = g->boxes;
    bool good = tact_reserve(env_of(g), &skins, &g->skin_capacity, 0, g->end + 1, sizeof *g->skins);
    g->skins = skins;
    good = good && tact_reserve(env_of(g), &boxes, &g->box_capacity, 0, g->end + 1, sizeof *g->boxes);
    g->boxes = boxes;
    return good;
}

/// Puts the boxes into the set of those, which is made anew when ids have changed.
static tact_result put_boxes(tact_body_grains* g)
{
    tact_env* env = env_of(g);
    if (g->reach && g->reach_clock == g->ids_clock) return tact_volumes_move_aabbs(g->reach, NULL, g->boxes, g->end);
    tact_volumes_destroy(g->reach);
    g->reach = NULL;
    tact_categories* categories = tact_allocate(env, g->end + 1, sizeof *categories);
    if (!categories) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t id = 0; id < g->end; ++id)
        categories[id] = g->set->bodies[id].categories;
    tact_result result = tact_volumes_create(g->set->context, NULL, &g->reach);
    if (result == TACT_OK) result = tact_volumes_add_aabbs(g->reach, g->boxes, g->end, categories, NULL, NULL);
    tact_release(env, categories);
    if (result == TACT_OK) g->reach_clock = g->ids_clock;
    return result;
}

/// Adds what a query took to a step's report.
static void add_report(tact_query_report* sum, const tact_query_report* one)
{
    const tact_query_report before = *sum;
    *sum = *one;
    sum->build_ms += before.build_ms;
    sum->upload_ms += before.upload_ms;
    sum->query_ms += before.query_ms;
    sum->download_ms += before.download_ms;
    sum->total_ms = before.total_ms;
    sum->failures += before.failures;
    if (before.memory_bytes > sum->memory_bytes) sum->memory_bytes = before.memory_bytes;
}

/// Whether contacts move one of the two.
static bool acts(const tact_body_grains* g, tact_pair p)
{
    return g->bodies[p.a].solid.inverse_mass > 0.0f || g->bodies[p.b].solid.inverse_mass > 0.0f;
}

typedef struct filter_job {
    const tact_body_grains* g;
    const tact_pair* pairs;
    bool* kept;
    bool reference;
} filter_job;

/// Marks the pairs that may touch before a body has used up its skin: boxes overlap far more often than bodies do.
static void filter_pairs(size_t begin, size_t end, int worker, void* user)
{
    const filter_job* job = user;
    const tact_body_grains* g = job->g;
    const tact_bodies* set = g->set;
    const tact_contact_lanes* lanes = tact_contact_lanes_best();
    const TactShapes shapes = tact_shapes_of(&set->tables);
    (void)worker;
    for (size_t i = begin; i < end; ++i) {
        const tact_pair p = job->pairs[i];
        const tact_body *a = &set->bodies[p.a], *b = &set->bodies[p.b];
        job->kept[i] = acts(g, p);
        if (job->reference || !job->kept[i]) continue;
        if (set->tables.bounds[a->shape].tree.nodes || set->tables.bounds[b->shape].tree.nodes) continue;
        const double reach = (double)g->bodies[p.a].solid.reach + (double)g->bodies[p.b].solid.reach;
        const double most = g->skins[p.a] + g->skins[p.b] + (double)a->margin + (double)b->margin + part_unsure * reach;
        const TactGap gap = lanes->gap(&shapes, set->rows, p, (tact_pair){0, 0}, (float)most);
        job->kept[i] = gap.state != TACT_GAP_NONE && (double)gap.distance <= most;
    }
}

/// Finds the pairs that may touch before a body has used up its skin.
static tact_result find_pairs(tact_body_grains* g, float dt, const tact_query_options* options,
                              tact_query_report* report)
{
    tact_env* env = env_of(g);
    const bool reference = options->backend == TACT_BACKEND_REFERENCE;
    if (!room_for_boxes(g)) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t id = 0; id < g->end; ++id)
        make_box(g, id, dt, reference);
    tact_result result = put_boxes(g);
    size_t count = 0;
    tact_query_report own = {0};
    if (result == TACT_OK) result = tact_pairs_run(g->reach, NULL, TACT_PAIRS_AUTO, &count, options, &own);
    if (result != TACT_OK) return result;
    const double start = tact_platform_milliseconds();
    void* pairs = g->pairs;
    bool* kept = tact_allocate(env, count + 1, sizeof *kept);
    const bool good = tact_reserve(env, &pairs, &g->pair_capacity, 0, count + 1, sizeof *g->pairs) && kept;
    g->pairs = pairs;
    const filter_job job = {g, g->reach->pairs, kept, reference};
    if (good) tact_parallel_for(threads_of(g, options), count, PAIR_PIECE, filter_pairs, (void*)&job);
    g->pair_count = 0;
    for (size_t i = 0; i < count && good; ++i) {
        if (kept[i]) g->pairs[g->pair_count++] = job.pairs[i];
    }
    tact_release(env, kept);
    if (!good) return TACT_ERROR_OUT_OF_MEMORY;
    own.build_ms += own.query_ms + (tact_platform_milliseconds() - start);
    own.query_ms = 0.0;
    add_report(report, &own);
    ++g->searches;
    g->listed = !reference;
    return TACT_OK;
}

static void look_at_skins(tact_body_grains* g)
{
    for (size_t id = 0; id < g->end && g->listed; ++id)
        g->listed = g->bodies[id].moved <= usable * g->skins[id];
}

// ---- A substep ----

/// The set's contacts are the caller's, but for the time in which the grains' are found.
static void exchange_contacts(tact_body_grains* g)
{
    tact_bodies* set = g->set;
    const tact_kept_contacts own = g->kept;
    g->kept =
        (tact_kept_contacts){set->contacts, set->contact_count, set->contact_capacity, set->answered, set->history};
    set->contacts = own.contacts;
    set->contact_count = own.count;
    set->contact_capacity = own.capacity;
    set->answered = own.answered;
    set->history = own.history;
}

tact_result tact_body_grains_room(tact_body_grains* g)
{
    const size_t count = g->kept.count;
    void *pushes = g->pushes, *loads = g->loads, *index = g->index;
    bool good = tact_reserve(env_of(g), &pushes, &g->push_capacity, g->push_capacity, count + 1, sizeof *g->pushes);
    g->pushes = pushes;
    good = good && tact_reserve(env_of(g), &loads, &g->load_capacity, g->load_capacity, count + 1, sizeof *g->loads);
    g->loads = loads;
    good = good && tact_reserve(env_of(g), &index, &g->index_capacity, 0, 2 * (g->end + 1) + count, sizeof *g->index);
    g->index = index;
    return good ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

static tact_result find_contacts(tact_body_grains* g, const tact_query_options* options, tact_query_report* report)
{
    size_t count = 0;
    const tact_contacts_work work = {.pairs = g->pairs, .pair_count = g->pair_count, .count = &count};
    tact_query_report own = {0};
    exchange_contacts(g);
    tact_result result = tact_bodies_find_contacts(g->set, &work, options, &own);
    exchange_contacts(g);
    if (result == TACT_OK) result = tact_body_grains_room(g);
    if (result == TACT_OK) {
        add_report(report, &own);
        return TACT_OK;
    }
    // The contacts of the substep before are the last again.
    exchange_contacts(g);
    tact_contact_history_back(g->set);
    exchange_contacts(g);
    return result;
}

/// Brings the set's rows up to date, from which contacts are found.
static void put_rows(tact_body_grains* g)
{
    for (size_t id = 0; id < g->end; ++id) {
        const tact_body* body = &g->set->bodies[id];
        if (g->bodies[id].shifted && tact_body_grains_have(g, (uint32_t)id))
            tact_body_rows(&body->pose, body->shape, body->margin, &g->set->rows[TACT_POSED_ROWS * id]);
    }
}

/// What springs with a memory hold after the last substep.
static double held_by(const tact_body_grains* g)
{
    double held = 0.0;
    for (size_t i = 0; i < g->kept.count; ++i)
        held += g->loads[i].held;
    return held;
}

static tact_result substep(tact_body_grains* g, float dt, const tact_query_options* options, tact_query_report* report)
{
    look_at_skins(g);
    tact_result result = g->listed ? TACT_OK : find_pairs(g, dt, options, report);
    const double held = held_by(g);
    if (result == TACT_OK) result = find_contacts(g, options, report);
    if (result != TACT_OK) return result;
    const double start = tact_platform_milliseconds();
    uint32_t *begins = g->index, *first = begins + g->end + 1, *rows = first + g->end + 1;
    const double rate = (double)g->drag * (double)dt;
    const tact_body_grains_job job = {
        .contacts = g->kept.contacts,
        .count = g->kept.count,
        .memory = (tact_point_memory*)(void*)g->kept.history.data,
        .pushes = g->pushes,
        .loads = g->loads,
        .rules = g->rules,
        .poses = g->set->bodies,
        .bodies = g->bodies,
        .body_end = g->end,
        .begins = begins,
        .rows = rows,
        .first = first,
        .motion =
            {.gx = g->gravity.x, .gy = g->gravity.y, .gz = g->gravity.z, .dt = dt, .drag = (float)(1.0 / (1.0 + rate))},
        .threads = threads_of(g, options),
    };
    tact_body_grains_index(&job, begins, rows, first);
    tact_body_grains_push(&job);
    tact_body_grains_move(&job);
    put_rows(g);
    for (size_t id = 0; id < g->end; ++id)
        g->slowed += g->bodies[id].slowed;
    // What they held whose contacts or points are there no more is lost.
    g->forgotten += held;
    for (size_t i = 0; i < job.count; ++i)
        g->forgotten -= g->loads[i].had;
    ++g->substeps;
    report->query_ms += tact_platform_milliseconds() - start;
    return TACT_OK;
}

/// Brings the grains up to date with a set that the caller may have changed.
static tact_result begin(tact_body_grains* g)
{
    const tact_result result = tact_body_grains_sync(g);
    if (result != TACT_OK) return result;
    for (size_t id = 0; id < g->end; ++id)
        tact_grain_body_face(&g->bodies[id], &g->set->bodies[id].pose);
    // Bodies that were added, removed or moved.
    if (tact_volumes_view(g->set->boxes)->version != g->version) g->listed = false;
    return TACT_OK;
}

tact_result tact_body_grains_settle(tact_body_grains* g)
{
    tact_env* env = env_of(g);
    uint32_t* ids = tact_allocate(env, g->end + 1, sizeof *ids);
    tact_aabb* boxes = tact_allocate(env, g->end + 1, sizeof *boxes);
    size_t count = 0;
    tact_result result = ids && boxes ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    for (size_t id = 0; id < g->end && result == TACT_OK; ++id) {
        const tact_body* body = &g->set->bodies[id];
        if (!g->bodies[id].shifted || !tact_body_grains_have(g, (uint32_t)id)) continue;
        ids[count] = (uint32_t)id;
        boxes[count++] = tact_body_box(&g->set->tables, &g->set->rows[TACT_POSED_ROWS * id], &body->pose);
    }
    if (result == TACT_OK && count > 0) result = tact_volumes_move_aabbs(g->set->boxes, ids, boxes, count);
    for (size_t i = 0; i < count && result == TACT_OK; ++i)
        g->bodies[ids[i]].shifted = false;
    g->version = tact_volumes_view(g->set->boxes)->version;
    tact_release(env, ids);
    tact_release(env, boxes);
    return result;
}

float tact_body_grains_stable_step(const tact_body_grains* g)
{
    if (!g) return INFINITY;
    double least = (double)INFINITY;
    for (size_t id = 0; id < g->end; ++id) {
        const tact_grain_body* b = &g->bodies[id];
        const double give = tact_grain_body_give(b);
        if (!(give > 0.0) || !tact_body_grains_have(g, (uint32_t)id)) continue;
        for (size_t other = 0; other < g->material_count; ++other) {
            const TactGrainRule* r = &g->rules[b->material * TACT_PARTICLE_MATERIALS + other];
            const double slope = TACT_CONTACT_MOST_POINTS * tact_grain_slope(r, 1.0 / (double)b->curvature);
            const double contact = pi / sqrt(2.0 * slope * give);
            const double damping = (double)fmaxf(r->normal_damping, r->tangential_damping);
            least = fmin(least, damping > 1.0 ? contact / damping : contact);
        }
    }
    return (float)(least / 20.0);
}

/// Checks a step, and chooses its substeps.
static tact_result check_step(const tact_body_grains* g, float dt, uint32_t* substeps)
{
    tact_env* env = env_of(g);
    if (!(dt > 0.0f && dt <= 1e20f))
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "a step of %g seconds", (double)dt);
    if (*substeps == 0) {
        const double wanted = ceil((double)dt / (double)tact_body_grains_stable_step(g));
        *substeps = wanted >= 1.0 ? wanted <= MOST_SUBSTEPS ? (uint32_t)wanted : UINT32_MAX : 1;
    }
    if (*substeps <= MOST_SUBSTEPS) return TACT_OK;
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "more than %d substeps", MOST_SUBSTEPS);
}

static tact_result take_steps(tact_body_grains* g, float dt, uint32_t substeps, uint32_t steps,
                              const tact_query_options* given, tact_query_report* report)
{
    tact_query_options options = *given;
    options.progress = NULL;
    const float part = dt / (float)substeps;
    if (!(part > 0.0f)) return tact_fail(env_of(g), TACT_ERROR_INVALID_ARGUMENT, "a substep of no time");
    for (uint32_t i = 0; i < steps; ++i) {
        for (uint32_t k = 0; k < substeps; ++k) {
            const tact_result result = substep(g, part, &options, report);
            if (result != TACT_OK) return result;
            g->time += (double)part;
        }
        ++g->steps;
        const double done = (double)(i + 1) / (double)steps;
        if (given->progress && !given->progress(done, given->progress_user) && i + 1 < steps)
            return tact_fail(env_of(g), TACT_ERROR_CANCELLED, "cancelled after step %llu",
                             (unsigned long long)g->steps);
    }
    return TACT_OK;
}

tact_result tact_body_grains_step(tact_body_grains* g, float dt, uint32_t substeps, uint32_t steps,
                                  const tact_query_options* options, tact_query_report* report)
{
    if (!tact_enter_query(g ? g->set->context : NULL, "grains", options)) return TACT_ERROR_INVALID_ARGUMENT;
    const tact_query_options usual = {0};
    tact_query_report own = {0};
    if (options && options->ticket)
        return tact_fail(env_of(g), TACT_ERROR_INVALID_ARGUMENT, "steps of bodies are not submitted");
    const double start = tact_platform_milliseconds();
    tact_guard_enter_both(&g->set->guard, NULL);
    tact_float_env float_env;
    tact_float_env_enter(&float_env);
    tact_result result = begin(g);
    if (result == TACT_OK) result = check_step(g, dt, &substeps);
    if (result == TACT_OK) {
        result = take_steps(g, dt, substeps, steps, options ? options : &usual, &own);
        const tact_result ended = tact_body_grains_settle(g);
        if (result == TACT_OK) result = ended;
    }
    tact_float_env_leave(&float_env);
    tact_guard_leave_both(&g->set->guard, NULL);
    own.total_ms = tact_platform_milliseconds() - start;
    if (report) *report = own;
    return result;
}
