// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/volume_input.h"
#include "apps/verify/pair_changes.h"
#include "apps/verify/verify.h"

/// One set or two, ready for a query.
typedef struct pairs_case {
    const char* scene;
    const char* set;
    const tact_volume_input* first;
    const tact_volume_input* second;  ///< NULL: within the first
    bool large;                       ///< the reference would take too long: the first answer is what all must give
} pairs_case;

/// A list of pairs of its own.
typedef struct pair_list {
    tact_pair* pairs;
    size_t count;
    bool known;
} pair_list;

/// What one frame of a motion must give.
typedef struct frame_answer {
    tact_digest digest;
    tact_digest lists[3];  ///< of the begun, the ended and the kept
    uint64_t counts[3];
} frame_answer;

/// Above this many volumes brute force is left out.
enum { BRUTE_MOST = 16000, FRAMES = 60, QUICK_FRAMES = 12 };

/// `two`: between two sets.
static bool has_method(const tact_verify_device* who, tact_pairs_method method, bool two)
{
    if (who->backend == TACT_BACKEND_CPU) return method != TACT_PAIRS_AUTO || who->threads == 0;
    return method == TACT_PAIRS_BVH || (method == TACT_PAIRS_GRID && !two);
}

/// Whether the method that was asked for answered the last query; if not, the row has failed.
static bool was_method(tact_verify_run* run, const tact_verify_row* row, tact_verify_device* who,
                       const tact_volume_set* set, tact_pairs_method method)
{
    tact_pairs_info info = {.method = TACT_PAIRS_AUTO};
    tact_pairs_get_info(set, &info);
    if (method == TACT_PAIRS_AUTO || info.method == method) return true;
    char detail[320];
    snprintf(detail, sizeof detail, "answered by %s: %s", tact_pairs_method_name(info.method), info.reason);
    tact_verify_fail(run, row, who, detail);
    return false;
}

static bool keep(pair_list* list, const tact_pair* pairs, size_t count, tact_problem* problem)
{
    free(list->pairs);
    *list = (pair_list){.pairs = malloc((count + 1) * sizeof *pairs), .count = count, .known = true};
    if (!list->pairs) return tact_problem_out_of_memory(problem, "the expected pairs");
    if (count > 0) memcpy(list->pairs, pairs, count * sizeof *pairs);
    return true;
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

static void describe_pair(char* text, size_t size, const tact_pair* pairs, size_t count, size_t index)
{
    if (index < count) {
        snprintf(text, size, "(%u, %u)", pairs[index].a, pairs[index].b);
    } else {
        snprintf(text, size, "none");
    }
}

static void report_difference(tact_verify_run* run, const pairs_case* c, const tact_verify_row* row,
                              const tact_verify_device* who, const pair_list* expected, const tact_pair* got,
                              size_t count, uint64_t differing)
{
    size_t at = 0;
    while (at < count && at < expected->count && got[at].a == expected->pairs[at].a &&
           got[at].b == expected->pairs[at].b)
        ++at;
    char item[480], volumes[2][200], texts[2][64];
    const tact_pair* which = at < expected->count ? &expected->pairs[at] : &got[at];
    describe_volume(volumes[0], sizeof volumes[0], c->first, which->a);
    describe_volume(volumes[1], sizeof volumes[1], c->second ? c->second : c->first, which->b);
    snprintf(item, sizeof item, "pair %zu: %s and %s", at, volumes[0], volumes[1]);
    describe_pair(texts[0], sizeof texts[0], expected->pairs, expected->count, at);
    describe_pair(texts[1], sizeof texts[1], got, count, at);
    tact_verify_difference(run, row, who, at, differing, item, texts[0], texts[1]);
}

typedef struct set_pair {
    tact_volume_set *a, *b;
} set_pair;

static void destroy_sets(set_pair* sets)
{
    tact_volume_set_destroy(sets->a);
    tact_volume_set_destroy(sets->b);
    *sets = (set_pair){NULL, NULL};
}

static bool make_sets(tact_verify_run* run, const pairs_case* c, set_pair* sets, tact_problem* problem)
{
    *sets = (set_pair){NULL, NULL};
    tact_result result = tact_volume_input_create_set(c->first, run->session.context, &sets->a);
    if (result == TACT_OK) result = tact_volume_input_fill_set(c->first, sets->a);
    if (result == TACT_OK && c->second) {
        result = tact_volume_input_create_set(c->second, run->session.context, &sets->b);
        if (result == TACT_OK) result = tact_volume_input_fill_set(c->second, sets->b);
    }
    if (result == TACT_OK) return true;
    destroy_sets(sets);
    return tact_problem_from_result(problem, result, run->session.context, "filling the sets");
}

static bool check_with_sets(tact_verify_run* run, const pairs_case* c, const set_pair* sets, tact_verify_device* who,
                            tact_pairs_method method, pair_list* expected, tact_problem* problem)
{
    const tact_verify_row row = {"pairs", c->scene, c->set, tact_pairs_method_name(method), c->first->count};
    const tact_query_options options = {.backend = who->backend, .threads = who->threads, .no_fallback = true};
    size_t count = 0;
    const tact_result result = tact_pairs_find(sets->a, sets->b, method, NULL, 0, &count, &options, NULL);
    if (result < 0) {
        tact_verify_error(run, &row, who, result);
        return true;
    }
    if (!was_method(run, &row, who, sets->a, method)) return true;
    const tact_pair* got = tact_pairs_last(sets->a, &count);
    if (!expected->known && !keep(expected, got, count, problem)) return false;
    const tact_pair_changes changes = tact_pair_changes_of(expected->pairs, expected->count, got, count, NULL);
    uint64_t differing = changes.begun + changes.ended;
    // The same pairs in another order, or one of them twice, are another answer too.
    const size_t bytes = count * sizeof *got;
    if (differing == 0 && bytes > 0 && memcmp(got, expected->pairs, bytes) != 0) differing = 1;
    tact_verify_answer(run, &row, who, tact_digest_of(got, bytes).text, differing);
    if (differing) report_difference(run, c, &row, who, expected, got, count, differing);
    return true;
}

/// One contestant and method, on sets of its own, so that it cannot use what another has kept.
static bool check_method(tact_verify_run* run, const pairs_case* c, tact_verify_device* who, tact_pairs_method method,
                         pair_list* expected, tact_problem* problem)
{
    if (who->missing[0]) {
        const tact_verify_row row = {"pairs", c->scene, c->set, tact_pairs_method_name(method), c->first->count};
        tact_verify_skip(run, &row, who, who->missing);
        return true;
    }
    set_pair sets;
    if (!make_sets(run, c, &sets, problem)) return false;
    const bool good = check_with_sets(run, c, &sets, who, method, expected, problem);
    destroy_sets(&sets);
    return good;
}

static bool define(tact_verify_run* run, const pairs_case* c, pair_list* expected, tact_problem* problem)
{
    set_pair sets;
    if (!make_sets(run, c, &sets, problem)) return false;
    const tact_query_options options = {.backend = TACT_BACKEND_REFERENCE};
    size_t count = 0;
    const tact_result result = tact_pairs_find(sets.a, sets.b, TACT_PAIRS_AUTO, NULL, 0, &count, &options, NULL);
    bool good = result == TACT_OK;
    if (!good) tact_problem_from_result(problem, result, run->session.context, "the reference");
    const tact_pair* pairs = good ? tact_pairs_last(sets.a, &count) : NULL;
    good = good && keep(expected, pairs, count, problem);
    destroy_sets(&sets);
    return good;
}

static bool check_case(tact_verify_run* run, const pairs_case* c, tact_problem* problem)
{
    pair_list expected = {0};
    bool good = c->large || define(run, c, &expected, problem);
    for (int method = 0; good && method < TACT_PAIRS_METHOD_COUNT; ++method) {
        if (method == TACT_PAIRS_BRUTE && c->first->count > BRUTE_MOST) continue;
        for (int i = 0; good && i < TACT_VERIFY_DEVICES; ++i) {
            tact_verify_device* who = &run->devices[i];
            if (!tact_verify_wants(run, who) || !has_method(who, (tact_pairs_method)method, c->second != NULL))
                continue;
            good = check_method(run, c, who, (tact_pairs_method)method, &expected, problem);
        }
        tact_progress_update((double)method / TACT_PAIRS_METHOD_COUNT, &run->progress);
    }
    free(expected.pairs);
    ++run->progress.part;
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

typedef struct motion {
    const moving_case* what;
    tact_volume_input first, moved;
    frame_answer* expected;
    unsigned frames;
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
static bool take_compared(const pair_list* before, const tact_pair* pairs, size_t count, frame_answer* answer,
                          tact_problem* problem)
{
    const size_t room = before->count + count + 1;
    tact_pair* memory = malloc(3 * room * sizeof *memory);
    if (!memory) return tact_problem_out_of_memory(problem, "the pairs that changed");
    tact_pair* const lists[3] = {memory, memory + room, memory + 2 * room};
    const tact_pair_changes changes = tact_pair_changes_of(before->pairs, before->count, pairs, count, lists);
    const uint64_t counts[3] = {changes.begun, changes.ended, changes.kept};
    answer->digest = tact_digest_of(pairs, count * sizeof *pairs);
    for (int i = 0; i < 3; ++i) {
        answer->counts[i] = counts[i];
        answer->lists[i] = tact_digest_of(lists[i], (size_t)counts[i] * sizeof *memory);
    }
    free(memory);
    return true;
}

static tact_result place_frame(tact_verify_run* run, motion* m, unsigned frame, tact_volume_set* set,
                               tact_problem* problem)
{
    if (!tact_volume_input_move(&m->first, run->common.seed, frame, m->what->speed, &m->moved, problem)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    return frame ? tact_volume_input_move_set(&m->moved, set) : tact_volume_input_fill_set(&m->moved, set);
}

/// Plays the motion by the reference, frame for frame, and compares each with the one before.
static tact_result play_reference(tact_verify_run* run, motion* m, tact_problem* problem)
{
    tact_volume_set* set = NULL;
    pair_list before = {0};
    const tact_query_options options = {.backend = TACT_BACKEND_REFERENCE};
    tact_result result = tact_volume_input_create_set(&m->first, run->session.context, &set);
    for (unsigned frame = 0; result == TACT_OK && frame < m->frames; ++frame) {
        size_t count = 0;
        result = place_frame(run, m, frame, set, problem);
        if (result == TACT_OK) result = tact_pairs_find(set, NULL, TACT_PAIRS_AUTO, NULL, 0, &count, &options, NULL);
        if (result != TACT_OK) break;
        const tact_pair* pairs = tact_pairs_last(set, &count);
        if (!take_compared(&before, pairs, count, &m->expected[frame], problem) ||
            !keep(&before, pairs, count, problem)) {
            result = TACT_ERROR_OUT_OF_MEMORY;
        }
    }
    free(before.pairs);
    tact_volume_set_destroy(set);
    return result;
}

/// Plays the motion with one method and a tracker. `answers` receives what came of each frame, *used whether the
/// method answered all of them; if not, the row has failed.
static tact_result play(tact_verify_run* run, motion* m, const tact_verify_row* row, tact_verify_device* who,
                        tact_pairs_method method, frame_answer* answers, bool* used)
{
    const tact_query_options options = {.backend = who->backend, .threads = who->threads, .no_fallback = true};
    tact_problem problem = {0};
    tact_volume_set* set = NULL;
    tact_pair_tracker* tracker = NULL;
    tact_result result = tact_volume_input_create_set(&m->first, run->session.context, &set);
    if (result == TACT_OK) result = tact_pair_tracker_create(set, NULL, &tracker);
    for (unsigned frame = 0; result == TACT_OK && frame < m->frames; ++frame) {
        result = place_frame(run, m, frame, set, &problem);
        if (result == TACT_OK) result = tact_pair_tracker_update(tracker, method, &options, NULL);
        if (result != TACT_OK) break;
        *used = was_method(run, row, who, set, method);
        if (!*used) break;
        take_tracked(tracker, &answers[frame]);
    }
    tact_pair_tracker_destroy(tracker);
    tact_volume_set_destroy(set);
    return result;
}

static bool same_answer(const frame_answer* a, const frame_answer* b)
{
    bool same = strcmp(a->digest.text, b->digest.text) == 0;
    for (int i = 0; i < 3; ++i)
        same = same && a->counts[i] == b->counts[i] && strcmp(a->lists[i].text, b->lists[i].text) == 0;
    return same;
}

static void check_motion(tact_verify_run* run, motion* m, tact_verify_device* who, tact_pairs_method method,
                         frame_answer* got)
{
    char mode[32];
    snprintf(mode, sizeof mode, "%s x %u", tact_pairs_method_name(method), m->frames);
    const tact_verify_row row = {"pairs", m->what->scene, m->what->set, mode, m->first.count};
    if (who->missing[0]) {
        tact_verify_skip(run, &row, who, who->missing);
        return;
    }
    bool used = true;
    memset(got, 0, m->frames * sizeof *got);
    const tact_result result = play(run, m, &row, who, method, got, &used);
    if (result < 0) {
        tact_verify_error(run, &row, who, result);
        return;
    }
    if (!used) return;
    uint64_t differing = 0;
    size_t first = 0;
    for (unsigned i = 0; i < m->frames; ++i) {
        const bool equal = same_answer(&got[i], &m->expected[i]);
        if (!equal && differing++ == 0) first = i;
    }
    tact_verify_answer(run, &row, who, tact_digest_of(got, m->frames * sizeof *got).text, differing);
    if (differing == 0) return;
    char texts[2][256];
    for (int k = 0; k < 2; ++k) {
        const frame_answer* f = k ? &got[first] : &m->expected[first];
        snprintf(texts[k], sizeof texts[k],
                 "digest %s, %" PRIu64 " begun (%s), %" PRIu64 " ended (%s), %" PRIu64 " kept (%s)", f->digest.text,
                 f->counts[0], f->lists[0].text, f->counts[1], f->lists[1].text, f->counts[2], f->lists[2].text);
    }
    tact_verify_difference(run, &row, who, first, differing, "a frame", texts[0], texts[1]);
}

static bool verify_motion(tact_verify_run* run, const moving_case* what, tact_problem* problem)
{
    motion m = {.what = what, .frames = run->quick ? QUICK_FRAMES : FRAMES};
    bool good = tact_volume_input_make(tact_volume_scene_named(what->scene), run->quick ? 400 : 2500, run->common.seed,
                                       &m.first, problem) &&
                (!what->spheres || tact_volume_input_to_spheres(&m.first, problem)) &&
                tact_volume_input_like(&m.first, &m.moved, problem);
    m.expected = calloc(2 * m.frames, sizeof *m.expected);
    if (good && !m.expected) good = tact_problem_out_of_memory(problem, "the frames");
    if (good) {
        const tact_result result = play_reference(run, &m, problem);
        if (result < 0) good = tact_problem_from_result(problem, result, run->session.context, "the reference");
    }
    for (int method = 0; good && method < TACT_PAIRS_METHOD_COUNT; ++method) {
        for (int i = 0; i < TACT_VERIFY_DEVICES; ++i) {
            tact_verify_device* who = &run->devices[i];
            if (!tact_verify_wants(run, who) || !has_method(who, (tact_pairs_method)method, false)) continue;
            check_motion(run, &m, who, (tact_pairs_method)method, m.expected + m.frames);
        }
    }
    free(m.expected);
    tact_volume_input_free(&m.first);
    tact_volume_input_free(&m.moved);
    ++run->progress.part;
    return good;
}

/// Goes through everything there is and counts it; with `doing` NULL it is only counted.
static bool go_through(const tact_verify_run* run, tact_verify_run* doing, uint64_t* parts, tact_problem* problem)
{
    bool good = true;
    for (size_t s = 0; good && s < tact_volume_scene_count; ++s) {
        if (!tact_verify_wants_scene(run, tact_volume_scenes[s].name)) continue;
        *parts += CASE_KINDS;
        for (int kind = 0; doing && good && kind < CASE_KINDS; ++kind)
            good = verify_kind(doing, &tact_volume_scenes[s], (case_kind)kind, problem);
    }
    for (size_t s = 0; good && s < PLACED_SCENES; ++s) {
        if (!tact_verify_wants_scene(run, placed_scenes[s])) continue;
        *parts += PLACINGS;
        for (size_t p = 0; doing && good && p < PLACINGS; ++p)
            good = verify_placed(doing, tact_volume_scene_named(placed_scenes[s]), &placings[p], problem);
    }
    for (size_t i = 0; good && i < MOVING_CASES; ++i) {
        if (!tact_verify_wants_scene(run, moving_cases[i].scene)) continue;
        *parts += 1;
        if (doing) good = verify_motion(doing, &moving_cases[i], problem);
    }
    for (size_t i = 0; good && i < LARGE_CASES; ++i) {
        if (!tact_verify_wants_scene(run, large_cases[i].scene)) continue;
        *parts += 1;
        if (doing) good = verify_large(doing, &large_cases[i], problem);
    }
    return good;
}

uint64_t tact_verify_pairs_parts(const tact_verify_run* run)
{
    uint64_t parts = 0;
    go_through(run, NULL, &parts, NULL);
    return parts;
}

bool tact_verify_pairs(tact_verify_run* run, tact_problem* problem)
{
    uint64_t parts = 0;
    return go_through(run, run, &parts, problem);
}
