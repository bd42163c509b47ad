// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Shadow checking sees every kind of wrong answer: one item, several, one that is missing or too many. The linker puts
// the faults between the dispatcher and the CPU's backend (--wrap). What it leaves in a file: test_record_fault.c.

#include "tests/support/run.h"

#include "cpu_ref/cull/cull.h"
#include "cpu_ref/filter/filter.h"
#include "cpu_ref/overlap/overlap.h"
#include "cpu_ref/trace/closest.h"
#include "cpu_ref/trace/locate.h"
#include "cpu_ref/trace/raycast_all.h"
#include "cpu_ref/trace/scene.h"
#include "tests/support/calls.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"
#include "tests/support/recorded_queries.h"

typedef enum fault { RIGHT, ONE_ITEM, TWO_ITEMS, ONE_LESS, ONE_MORE, LONGER_LIST, FAULTS } fault;
static fault now;

#define WRAPPED(result, name, ...)     \
    result __real_##name(__VA_ARGS__); \
    result __wrap_##name(__VA_ARGS__);

WRAPPED(tact_result, tact_cull_cpu, tact_env* env, const tact_cull_job* job)
WRAPPED(size_t, tact_cull_collect, const uint8_t* classes, size_t count, int threads, size_t* counts)
WRAPPED(void, tact_top_cull_cpu, const tact_trace_scene* scene, const tact_cull_table* table, int threads,
        uint8_t* classes)
WRAPPED(tact_result, tact_closest_cpu, tact_env* env, const tact_closest_job* job)
WRAPPED(tact_result, tact_locate_cpu, tact_env* env, const tact_locate_job* job)
WRAPPED(tact_result, tact_sphere_casts_cpu, tact_env* env, const tact_sphere_job* job)
WRAPPED(tact_result, tact_trace_all, tact_env* env, const tact_trace_all_job* job, tact_trace_hits* hits)
WRAPPED(tact_result, tact_filter_cpu, tact_env* env, const tact_filter_job* job, tact_filter_list* list)
WRAPPED(tact_result, tact_overlap_pairs_cpu, tact_env* env, const tact_overlap_job* job, tact_overlap_list* list)
WRAPPED(tact_result, tact_overlap_relations_cpu, tact_env* env, const tact_overlap_job* job, bool solid,
        uint8_t* relations)

/// A list goes on behind what belongs there.
size_t __wrap_tact_cull_collect(const uint8_t* classes, size_t count, int threads, size_t* counts)
{
    return __real_tact_cull_collect(classes, count, threads, counts) + (now == LONGER_LIST);
}

/// Items that are wrong, of those that have no list.
static size_t wrong_items(void)
{
    return now == ONE_ITEM ? 1 : now == TWO_ITEMS ? 2 : 0;
}

/// Some classes become others. One less: what was kept is not; one more: what was not, is.
static void spoil_classes(uint8_t* classes, size_t count)
{
    size_t left = wrong_items();
    for (size_t i = 0; i < count; ++i) {
        const bool out = classes[i] == TACT_CULL_OUTSIDE;
        if (left > 0 && !out) {
            classes[i] = classes[i] == TACT_CULL_INSIDE ? TACT_CULL_CROSSING : TACT_CULL_INSIDE;
            --left;
        } else if (now == ONE_LESS && !out) {
            classes[i] = TACT_CULL_OUTSIDE;
            return;
        } else if (now == ONE_MORE && out) {
            classes[i] = TACT_CULL_CROSSING;
            return;
        }
    }
}

tact_result __wrap_tact_cull_cpu(tact_env* env, const tact_cull_job* job)
{
    const tact_result result = __real_tact_cull_cpu(env, job);
    if (result == TACT_OK) spoil_classes(job->classes, job->work->count);
    return result;
}

void __wrap_tact_top_cull_cpu(const tact_trace_scene* scene, const tact_cull_table* table, int threads,
                              uint8_t* classes)
{
    __real_tact_top_cull_cpu(scene, table, threads, classes);
    spoil_classes(classes + 1, scene->by_id_count - 1);  // the first one is left out
}

tact_result __wrap_tact_closest_cpu(tact_env* env, const tact_closest_job* job)
{
    const tact_result result = __real_tact_closest_cpu(env, job);
    for (size_t i = 0; i < wrong_items(); ++i)
        job->hits[2 + i].primitive ^= 1;
    return result;
}

tact_result __wrap_tact_locate_cpu(tact_env* env, const tact_locate_job* job)
{
    const tact_result result = __real_tact_locate_cpu(env, job);
    for (size_t i = 0; i < wrong_items(); ++i)
        job->locations[2 + i].primitive ^= 1;
    return result;
}

tact_result __wrap_tact_sphere_casts_cpu(tact_env* env, const tact_sphere_job* job)
{
    const tact_result result = __real_tact_sphere_casts_cpu(env, job);
    for (size_t i = 0; i < wrong_items(); ++i)
        job->hits[2 + i].primitive ^= 1;
    return result;
}

/// One less: as if the first ray had none, and the next one those.
tact_result __wrap_tact_trace_all(tact_env* env, const tact_trace_all_job* job, tact_trace_hits* hits)
{
    const tact_result result = __real_tact_trace_all(env, job, hits);
    if (job->brute || result < TACT_OK) return result;
    for (size_t i = 0; i < wrong_items(); ++i)
        hits->hits[i].primitive ^= 1;
    for (size_t i = 1; i < job->count && now == ONE_LESS; ++i) {
        if (hits->offsets[i] == 0) continue;
        --hits->offsets[i];
        break;
    }
    if (now == ONE_MORE) ++hits->offsets[job->count];
    return result;
}

tact_result __wrap_tact_filter_cpu(tact_env* env, const tact_filter_job* job, tact_filter_list* list)
{
    const tact_result result = __real_tact_filter_cpu(env, job, list);
    if (result < TACT_OK) return result;
    for (size_t i = 0; i < wrong_items(); ++i)
        list->pairs[i].triangle_b ^= 1;
    if (now == ONE_LESS) --list->count;
    const tact_filter_pair again = list->pairs[0];
    if (now == ONE_MORE) assert_int_equal(tact_filter_list_add(env, list, &again), TACT_OK);
    return result;
}

tact_result __wrap_tact_overlap_pairs_cpu(tact_env* env, const tact_overlap_job* job, tact_overlap_list* list)
{
    const tact_result result = __real_tact_overlap_pairs_cpu(env, job, list);
    if (result < TACT_OK) return result;
    for (size_t i = 0; i < wrong_items(); ++i)
        list->pairs[i].b ^= 1;
    if (now == ONE_LESS) --list->count;
    return result;
}

tact_result __wrap_tact_overlap_relations_cpu(tact_env* env, const tact_overlap_job* job, bool solid,
                                              uint8_t* relations)
{
    const tact_result result = __real_tact_overlap_relations_cpu(env, job, solid, relations);
    for (size_t i = 0; i < wrong_items() && result >= TACT_OK; ++i)
        relations[i] = relations[i] == TACT_MESHES_APART ? TACT_MESHES_INTERSECT : TACT_MESHES_APART;
    return result;
}

#define BIT(f) (1u << (f))

static const struct {
    const tact_query* query;
    const char* name;
    unsigned seen;  ///< the faults that change the answer, by bits
} asked[] = {
    {&tact_query_cull, "boxes by planes", BIT(ONE_LESS) | BIT(ONE_MORE) | BIT(LONGER_LIST)},
    {&tact_query_cull, "classes of boxes",
     BIT(ONE_ITEM) | BIT(TWO_ITEMS) | BIT(ONE_LESS) | BIT(ONE_MORE) | BIT(LONGER_LIST)},
    {&tact_query_cull_scene, "instances of a mixed scene",
     BIT(ONE_ITEM) | BIT(TWO_ITEMS) | BIT(ONE_LESS) | BIT(ONE_MORE)},
    {&tact_query_closest, "points", BIT(ONE_ITEM) | BIT(TWO_ITEMS)},
    {&tact_query_locate, "points", BIT(ONE_ITEM) | BIT(TWO_ITEMS)},
    {&tact_query_spheres, "spheres in a mixed scene", BIT(ONE_ITEM) | BIT(TWO_ITEMS)},
    {&tact_query_raycast_all, "rays with little room", BIT(ONE_ITEM) | BIT(TWO_ITEMS) | BIT(ONE_LESS) | BIT(ONE_MORE)},
    {&tact_query_overlap, "solid", BIT(ONE_ITEM) | BIT(TWO_ITEMS)},
    {&tact_query_overlap, "pairs", BIT(ONE_ITEM) | BIT(TWO_ITEMS) | BIT(ONE_LESS)},
    {&tact_query_overlap, "triangles of one mesh", BIT(ONE_ITEM) | BIT(TWO_ITEMS) | BIT(ONE_LESS)},
    {&tact_query_filter, "plain", BIT(ONE_ITEM) | BIT(TWO_ITEMS) | BIT(ONE_LESS) | BIT(ONE_MORE)},
};

static tact_result ask(size_t i, tact_context* on, const tact_query_options* options, uint64_t* digest)
{
    const asked_call call = asked_named(asked[i].query, asked[i].name);
    return ask_row(on, &call, options, digest);
}

TEST(every_fault_is_seen)
{
    const tact_context_desc desc = {.log = quiet, .threads = 2, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};
    tact_context* context = KEEP(new_context(&desc));
    for (size_t i = 0; i < sizeof asked / sizeof *asked; ++i) {
        for (fault f = RIGHT; f < FAULTS; ++f) {
            const tact_query_options shadow = {.backend = TACT_BACKEND_CPU, .shadow = true};
            const bool wrong = asked[i].seen & BIT(f);
            uint64_t digest = 0;
            now = f;
            const tact_result result = ask(i, context, &shadow, &digest);
            now = RIGHT;
            if (wrong ? result != TACT_ERROR_SHADOW_MISMATCH : result < TACT_OK) {
                fail_msg("%s, fault %d: %s, \"%s\"", asked[i].name, (int)f, tact_result_name(result),
                         tact_context_error(context));
            }
            if (wrong) assert_non_null(strstr(tact_context_error(context), "the reference"));
        }
    }
}

/// The same without shadow checking is an answer: the faults are there.
TEST(without_shadow_checking_faults_are_answers)
{
    const tact_context_desc desc = {.log = quiet, .threads = 2, .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE};
    tact_context* context = KEEP(new_context(&desc));
    for (size_t i = 0; i < sizeof asked / sizeof *asked; ++i) {
        const tact_query_options plain = {.backend = TACT_BACKEND_CPU};
        uint64_t right = 0, other = 0;
        assert_true(ask(i, context, &plain, &right) >= TACT_OK);
        now = ONE_LESS;
        assert_true(ask(i, context, &plain, &other) >= TACT_OK);
        now = RIGHT;
        if ((asked[i].seen & BIT(ONE_LESS) && other == right) || (!(asked[i].seen & BIT(ONE_LESS)) && other != right)) {
            fail_msg("%s: the fault is not there, or is where it should not be", asked[i].name);
        }
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
