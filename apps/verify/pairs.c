// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/volume_input.h"
#include "apps/verify/verify.h"

/// One set or two, ready for a query.
typedef struct pairs_case {
    const char* scene;
    const char* set;
    const tact_volume_input* first;
    const tact_volume_input* second;  ///< NULL: within the first
    bool large;                       ///< the reference would take too long: the first answer is what all must give
} pairs_case;

/// What one frame of a motion must give.
typedef struct frame_answer {
    tact_digest digest;
    tact_digest lists[3];  ///< of the begun, the ended and the kept
    uint64_t counts[3];
} frame_answer;

/// Above this many volumes brute force is left out.
enum { BRUTE_MOST = 16000, FRAMES = 60, QUICK_FRAMES = 12 };

/// What is found by a method on sets of its own, so that it cannot use what another has kept.
typedef struct pairs_work {
    const pairs_case* c;
    tact_context* context;
    tact_pairs_method method;
    tact_volumes *a, *b;
    char failure[320];
} pairs_work;

/// Whether a device has the method; between two sets there are fewer.
static bool has_method(const tact_verify_device* who, tact_pairs_method method, bool two)
{
    if (who->backend == TACT_BACKEND_CPU) return method != TACT_PAIRS_AUTO || who->threads == 0;
    return method == TACT_PAIRS_BVH || (method == TACT_PAIRS_GRID && !two);
}

/// Whether the method that was asked for answered the last query; if not, the failure says so.
static bool was_method(const tact_volumes* set, tact_pairs_method method, char failure[320])
{
    tact_pairs_info info = {.method = TACT_PAIRS_AUTO};
    tact_pairs_get_info(set, &info);
    if (method == TACT_PAIRS_AUTO || info.method == method) return true;
    snprintf(failure, 320, "answered by %s: %s", tact_pairs_method_name(info.method), info.reason);
    return false;
}

static void describe_volume(char* text, size_t size, const tact_volume_input* input, size_t i)
{
    if (i >= input->count) {
        snprintf(text, size, "no such volume");
    } else if (input->kind == TACT_VOLUME_SPHERE) {
        const tact_sphere s = input->spheres[i];
        snprintf(text, size, "%a %a %a radius %a", (double)s.center.x, (double)s.center.y, (double)s.center.z,
                 (double)s.radius);
    } else {
        const tact_aabb b = input->boxes[i];
        snprintf(text, size, "%a %a %a to %a %a %a", (double)b.lower.x, (double)b.lower.y, (double)b.lower.z,
                 (double)b.upper.x, (double)b.upper.y, (double)b.upper.z);
    }
}

static void destroy_sets(pairs_work* w)
{
    tact_volumes_destroy(w->a);
    tact_volumes_destroy(w->b);
    w->a = w->b = NULL;
}

static tact_result make_set(pairs_work* w, const tact_volume_input* input, tact_volumes** set)
{
    const tact_result result = tact_volume_input_create_set(input, w->context, set);
    return result == TACT_OK ? tact_volume_input_fill_set(input, *set) : result;
}

static tact_result ask_pairs(void* own, const tact_query_options* options, tact_query_report* report)
{
    pairs_work* w = own;
    const bool defines = options->backend == TACT_BACKEND_REFERENCE;
    const tact_pairs_method method = defines ? TACT_PAIRS_AUTO : w->method;
    size_t count = 0;
    destroy_sets(w);
    w->failure[0] = '\0';
    tact_result result = make_set(w, w->c->first, &w->a);
    if (result == TACT_OK && w->c->second) result = make_set(w, w->c->second, &w->b);
    if (result == TACT_OK)
        result =
            tact_pairs_find(w->a, &(tact_pairs_work){.b = w->b, .method = method, .count = &count}, options, report);
    return result >= 0 && !was_method(w->a, method, w->failure) ? TACT_ERROR_INTERNAL : result;
}

static bool answer_pairs(void* own, tact_suite_answer* answer, tact_problem* problem)
{
    (void)problem;
    const pairs_work* w = own;
    size_t count = 0;
    const tact_pair* pairs = tact_pairs_last(w->a, &count);
    *answer = tact_suite_items(pairs, count, sizeof *pairs);
    return true;
}

static const tact_suite_query pairs_query = {.name = "pairs", .ask = ask_pairs, .answer = answer_pairs};

/// Pairs that only one of both has. The same pairs in another order, or one of them twice, are another answer too.
static uint64_t compare_pairs(const tact_suite_answer answers[2], size_t* first)
{
    const tact_pair *expected = answers[0].items, *got = answers[1].items;
    const size_t least = answers[0].count < answers[1].count ? answers[0].count : answers[1].count;
    const tact_pair_changes changes = tact_pair_changes_of(expected, answers[0].count, got, answers[1].count, NULL);
    for (*first = 0; *first < least && memcmp(&expected[*first], &got[*first], sizeof *got) == 0;)
        ++*first;
    const uint64_t differing = changes.begun + changes.ended;
    return differing == 0 && *first < answers[1].count ? 1 : differing;
}

static void describe_pair(const tact_verify_case* c, const tact_suite_answer* answer, size_t at, char* text,
                          size_t size)
{
    (void)c;
    const tact_pair* pair = (const tact_pair*)answer->items + at;
    snprintf(text, size, "(%u, %u)", pair->a, pair->b);
}

static void describe_volumes(const tact_verify_case* checked, const tact_suite_answer answers[2], size_t at, char* text,
                             size_t size)
{
    const pairs_case* c = ((const pairs_work*)checked->own)->c;
    const tact_pair* pair = (const tact_pair*)answers[at >= answers[0].count].items + at;
    char volumes[2][200];
    describe_volume(volumes[0], sizeof volumes[0], c->first, pair->a);
    describe_volume(volumes[1], sizeof volumes[1], c->second ? c->second : c->first, pair->b);
    snprintf(text, size, "pair %zu: %s and %s", at, volumes[0], volumes[1]);
}

static bool asks_pairs(const tact_verify_case* checked, const tact_verify_device* who)
{
    const pairs_work* w = checked->own;
    return has_method(who, w->method, w->c->second != NULL);
}

static bool check_case(tact_verify_run* run, const pairs_case* c, tact_problem* problem)
{
    tact_suite_answer known = {.results = 0};
    bool good = true;
    for (int method = 0; good && method < TACT_PAIRS_METHOD_COUNT; ++method) {
        if (method == TACT_PAIRS_BRUTE && c->first->count > BRUTE_MOST) continue;
        pairs_work w = {.c = c, .context = run->session.context, .method = (tact_pairs_method)method};
        const tact_verify_case checked = {
            .row = {"pairs", c->scene, c->set, tact_pairs_method_name(w.method), c->first->count},
            .query = &pairs_query,
            .own = &w,
            .known = &known,
            .first_defines = c->large,
            .failure = w.failure,
            .lenient = true,
            .asks = asks_pairs,
            .compare = compare_pairs,
            .describe = describe_pair,
            .input = describe_volumes};
        good = tact_verify_check(run, &checked, problem);
        destroy_sets(&w);
    }
    tact_verify_forget(&known);
    return good;
}

// Sets at rest.

typedef enum case_kind {
    ONE_OF_BOXES,
    ONE_OF_SPHERES,
    BOXES_AND_BOXES,
    BOXES_AND_SPHERES,
    SPHERES_AND_BOXES,
    CASE_KINDS
} case_kind;

static const char* const kind_names[CASE_KINDS] = {"boxes", "spheres", "boxes, boxes", "boxes, spheres",
                                                   "spheres, boxes"};

static size_t count_of(const tact_verify_run* run, const tact_volume_scene* scene)
{
    const size_t wanted = run->quick ? 1200 : 12000, most = scene->most / (run->quick ? 10 : 1);
    return wanted < most ? wanted : most;
}

static bool verify_kind(tact_verify_run* run, const tact_volume_scene* scene, case_kind kind, tact_problem* problem)
{
    const size_t count = count_of(run, scene);
    const bool two = kind >= BOXES_AND_BOXES;
    tact_volume_input first = {0}, second = {0};
    bool good = tact_volume_input_make(scene, count, run->common.seed, &first, problem);
    // The second set has another seed and about half as many.
    if (good && two) good = tact_volume_input_make(scene, count / 2 + 1, run->common.seed + 9, &second, problem);
    if (good && (kind == ONE_OF_SPHERES || kind == SPHERES_AND_BOXES)) {
        good = tact_volume_input_to_spheres(&first, problem);
    }
    if (good && kind == BOXES_AND_SPHERES) good = tact_volume_input_to_spheres(&second, problem);
    const pairs_case c = {scene->name, kind_names[kind], &first, two ? &second : NULL, false};
    good = good && check_case(run, &c, problem);
    tact_volume_input_free(&first);
    tact_volume_input_free(&second);
    return good;
}

// Scaled and shifted: what depends on the unit cube, or on coordinates that are not negative, shows.

typedef struct placing {
    const char* name;
    float scale, shift;
} placing;

static const placing placings[] = {
    {"boxes x 2^-60", 0x1p-60f, 0.0f}, {"boxes x 2^-20", 0x1p-20f, 0.0f}, {"boxes x 2^20", 0x1p20f, 0.0f},
    {"boxes x 2^60", 0x1p60f, 0.0f},   {"boxes - 2", 1.0f, -2.0f},        {"boxes x 64 - 4000", 64.0f, -4000.0f},
};
enum { PLACINGS = sizeof placings / sizeof placings[0] };

static const char* const placed_scenes[] = {"uniform", "sizes", "lattice"};
enum { PLACED_SCENES = sizeof placed_scenes / sizeof placed_scenes[0] };

static bool verify_placed(tact_verify_run* run, const tact_volume_scene* scene, const placing* p, tact_problem* problem)
{
    tact_volume_input first = {0};
    if (!tact_volume_input_make(scene, count_of(run, scene) / 2, run->common.seed, &first, problem)) return false;
    for (size_t i = 0; i < first.count; ++i) {
        tact_aabb* b = &first.boxes[i];
        b->lower = (tact_vec3){b->lower.x * p->scale + p->shift, b->lower.y * p->scale + p->shift,
                               b->lower.z * p->scale + p->shift};
        b->upper = (tact_vec3){b->upper.x * p->scale + p->shift, b->upper.y * p->scale + p->shift,
                               b->upper.z * p->scale + p->shift};
    }
    const pairs_case c = {scene->name, p->name, &first, NULL, false};
    const bool good = check_case(run, &c, problem);
    tact_volume_input_free(&first);
    return good;
}

// Sets too large for the reference.

typedef struct large_case {
    const char* scene;
    size_t count, quick_count;
} large_case;

static const large_case large_cases[] = {
    {"uniform", 1000000, 50000}, {"clustered", 300000, 20000}, {"sizes", 300000, 20000},  {"line", 300000, 20000},
    {"needles", 100000, 20000},  {"lattice", 300000, 20000},   {"points", 300000, 20000},
};
enum { LARGE_CASES = sizeof large_cases / sizeof large_cases[0] };

static bool verify_large(tact_verify_run* run, const large_case* large, tact_problem* problem)
{
    tact_volume_input first = {0};
    const size_t count = run->quick ? large->quick_count : large->count;
    const pairs_case c = {large->scene, "boxes, many", &first, NULL, true};
    const bool good =
        tact_volume_input_make(tact_volume_scene_named(large->scene), count, run->common.seed, &first, problem) &&
        check_case(run, &c, problem);
    tact_volume_input_free(&first);
    return good;
}

// Motion.

typedef struct moving_case {
    const char* scene;
    const char* set;
    bool spheres;
    double speed;
} moving_case;

static const moving_case moving_cases[] = {
    {"uniform", "boxes, slow", false, 0.03},   {"sizes", "boxes, moving", false, 0.3},
    {"clustered", "boxes, fast", false, 5.0},  {"hostile", "boxes, moving", false, 0.2},
    {"uniform", "spheres, moving", true, 0.2},
};
enum { MOVING_CASES = sizeof moving_cases / sizeof moving_cases[0] };

/// A motion, and what came of each frame when it was played last.
typedef struct motion {
    const moving_case* what;
    tact_context* context;
    uint64_t seed;
    tact_pairs_method method;
    tact_volume_input first, moved;
    frame_answer* frames;
    unsigned count;
    char failure[320];
} motion;

/// What the tracker says of a frame.
static void take_tracked(const tact_pair_tracker* tracker, frame_answer* answer)
{
    size_t count = 0;
    const tact_pair* pairs = tact_pair_tracker_pairs(tracker, TACT_PAIRS_CURRENT, &count);
    answer->digest = tact_digest_of(pairs, count * sizeof *pairs);
    for (int i = 0; i < 3; ++i) {
        pairs = tact_pair_tracker_pairs(tracker, (tact_pair_change)i, &count);
        answer->lists[i] = tact_digest_of(pairs, count * sizeof *pairs);
        answer->counts[i] = count;
    }
}

/// What a frame's pairs and those of the frame before say.
static bool take_compared(const tact_suite_answer* before, const tact_pair* pairs, size_t count, frame_answer* answer)
{
    const size_t room = before->count + count + 1;
    tact_pair* memory = malloc(3 * room * sizeof *memory);
    if (!memory) return false;
    tact_pair* const lists[3] = {memory, memory + room, memory + 2 * room};
    const tact_pair_changes changes = tact_pair_changes_of(before->items, before->count, pairs, count, lists);
    const uint64_t counts[3] = {changes.begun, changes.ended, changes.kept};
    answer->digest = tact_digest_of(pairs, count * sizeof *pairs);
    for (int i = 0; i < 3; ++i) {
        answer->counts[i] = counts[i];
        answer->lists[i] = tact_digest_of(lists[i], (size_t)counts[i] * sizeof *memory);
    }
    free(memory);
    return true;
}

static tact_result place_frame(motion* m, unsigned frame, tact_volumes* set)
{
    tact_problem problem = {0};
    if (!tact_volume_input_move(&m->first, m->seed, frame, m->what->speed, &m->moved, &problem))
        return TACT_ERROR_OUT_OF_MEMORY;
    return frame ? tact_volume_input_move_set(&m->moved, set) : tact_volume_input_fill_set(&m->moved, set);
}

/// Frame for frame by the reference, each compared with the one before.
static tact_result play_reference(motion* m, tact_volumes* set, const tact_query_options* options)
{
    tact_pair* before = NULL;
    tact_suite_answer last = {.results = 0};
    tact_result result = TACT_OK;
    for (unsigned frame = 0; result == TACT_OK && frame < m->count; ++frame) {
        size_t count = 0;
        result = place_frame(m, frame, set);
        if (result == TACT_OK) result = tact_pairs_find(set, &(tact_pairs_work){.count = &count}, options, NULL);
        if (result != TACT_OK) break;
        const tact_pair* pairs = tact_pairs_last(set, &count);
        const bool taken = take_compared(&last, pairs, count, &m->frames[frame]);
        free(before);
        before = malloc((count + 1) * sizeof *before);
        if (!taken || !before) result = TACT_ERROR_OUT_OF_MEMORY;
        if (before && count) memcpy(before, pairs, count * sizeof *before);
        last = (tact_suite_answer){.items = before, .count = count};
    }
    free(before);
    return result;
}

/// With one method and a tracker.
static tact_result play(motion* m, tact_volumes* set, const tact_query_options* options)
{
    tact_pair_tracker* tracker = NULL;
    tact_result result = tact_pair_tracker_create(set, NULL, &tracker);
    for (unsigned frame = 0; result == TACT_OK && frame < m->count; ++frame) {
        result = place_frame(m, frame, set);
        if (result == TACT_OK) result = tact_pair_tracker_update(tracker, m->method, options, NULL);
        if (result == TACT_OK && !was_method(set, m->method, m->failure)) result = TACT_ERROR_INTERNAL;
        if (result == TACT_OK) take_tracked(tracker, &m->frames[frame]);
    }
    tact_pair_tracker_destroy(tracker);
    return result;
}

static tact_result ask_motion(void* own, const tact_query_options* options, tact_query_report* report)
{
    (void)report;
    motion* m = own;
    tact_volumes* set = NULL;
    m->failure[0] = '\0';
    memset(m->frames, 0, m->count * sizeof *m->frames);
    tact_result result = tact_volume_input_create_set(&m->first, m->context, &set);
    if (result == TACT_OK)
        result = options->backend == TACT_BACKEND_REFERENCE ? play_reference(m, set, options) : play(m, set, options);
    tact_volumes_destroy(set);
    return result;
}

static bool answer_motion(void* own, tact_suite_answer* answer, tact_problem* problem)
{
    (void)problem;
    const motion* m = own;
    *answer = tact_suite_items(m->frames, m->count, sizeof *m->frames);
    return true;
}

static const tact_suite_query motion_query = {.name = "pairs", .ask = ask_motion, .answer = answer_motion};

static bool asks_motion(const tact_verify_case* checked, const tact_verify_device* who)
{
    return has_method(who, ((const motion*)checked->own)->method, false);
}

static void describe_frame(const tact_verify_case* c, const tact_suite_answer* answer, size_t at, char* text,
                           size_t size)
{
    (void)c;
    const frame_answer* f = (const frame_answer*)answer->items + at;
    snprintf(text, size, "digest %s, %" PRIu64 " begun (%s), %" PRIu64 " ended (%s), %" PRIu64 " kept (%s)",
             f->digest.text, f->counts[0], f->lists[0].text, f->counts[1], f->lists[1].text, f->counts[2],
             f->lists[2].text);
}

static bool check_motion(tact_verify_run* run, motion* m, tact_problem* problem)
{
    tact_suite_answer known = {.results = 0};
    bool good = true;
    for (int method = 0; good && method < TACT_PAIRS_METHOD_COUNT; ++method) {
        char mode[32];
        m->method = (tact_pairs_method)method;
        snprintf(mode, sizeof mode, "%s x %u", tact_pairs_method_name(m->method), m->count);
        const tact_verify_case checked = {.row = {"pairs", m->what->scene, m->what->set, mode, m->first.count},
                                          .query = &motion_query,
                                          .own = m,
                                          .known = &known,
                                          .failure = m->failure,
                                          .lenient = true,
                                          .asks = asks_motion,
                                          .describe = describe_frame};
        good = tact_verify_check(run, &checked, problem);
    }
    tact_verify_forget(&known);
    return good;
}

static bool verify_motion(tact_verify_run* run, const moving_case* what, tact_problem* problem)
{
    motion m = {.what = what,
                .context = run->session.context,
                .seed = run->common.seed,
                .count = run->quick ? QUICK_FRAMES : FRAMES};
    bool good = tact_volume_input_make(tact_volume_scene_named(what->scene), run->quick ? 400 : 2500, run->common.seed,
                                       &m.first, problem) &&
                (!what->spheres || tact_volume_input_to_spheres(&m.first, problem)) &&
                tact_volume_input_like(&m.first, &m.moved, problem);
    m.frames = calloc(m.count, sizeof *m.frames);
    if (good && !m.frames) good = tact_problem_out_of_memory(problem, "the frames");
    good = good && check_motion(run, &m, problem);
    free(m.frames);
    tact_volume_input_free(&m.first);
    tact_volume_input_free(&m.moved);
    return good;
}

bool tact_verify_pairs(tact_verify_run* run, tact_problem* problem)
{
    bool good = true;
    for (size_t s = 0; good && s < tact_volume_scene_count; ++s) {
        const bool wanted = tact_verify_wants_scene(run, tact_volume_scenes[s].name);
        for (int kind = 0; wanted && good && kind < CASE_KINDS; ++kind)
            good = verify_kind(run, &tact_volume_scenes[s], (case_kind)kind, problem);
        tact_progress_update((double)s / (double)(2 * tact_volume_scene_count), &run->progress);
    }
    for (size_t s = 0; good && s < PLACED_SCENES; ++s) {
        const bool wanted = tact_verify_wants_scene(run, placed_scenes[s]);
        for (size_t p = 0; wanted && good && p < PLACINGS; ++p)
            good = verify_placed(run, tact_volume_scene_named(placed_scenes[s]), &placings[p], problem);
    }
    for (size_t i = 0; good && i < MOVING_CASES; ++i)
        if (tact_verify_wants_scene(run, moving_cases[i].scene)) good = verify_motion(run, &moving_cases[i], problem);
    for (size_t i = 0; good && i < LARGE_CASES; ++i)
        if (tact_verify_wants_scene(run, large_cases[i].scene)) good = verify_large(run, &large_cases[i], problem);
    return good;
}
