// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Several threads ask the same objects of one context at once, while another changes objects of its own there. Each
// gets what one thread alone gets.

#include "tests/support/run.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/xxh64.h"
#include "core/context/context.h"
#include "tact/tact.h"
#include "tests/support/asked.h"
#include "tests/support/effort.h"
#include "tests/support/meshes.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"
#include "tests/support/random.h"
#include "tests/support/test_context.h"

enum { THREADS = 8 };

/// Runs a function in a thread for each of THREADS arguments of this size, and waits for all.
static void run_threads(void* (*function)(void* argument), void* arguments, size_t size)
{
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, function, (char*)arguments + i * size), 0);
    for (unsigned i = 0; i < THREADS; ++i)
        pthread_join(threads[i], NULL);
}

/// What all threads ask.
typedef struct question {
    tact_request like;  ///< given and objects, without rooms
    bool drawn;
} question;

typedef struct reply {
    uint64_t digest;
    size_t count;
    tact_result result;
} reply;

typedef struct asker {
    const question* question;
    unsigned number, rounds;
    reply first;  ///< which all others must be
    char wrong[400];
    unsigned by[TACT_BACKEND_COUNT];  ///< answers
} asker;

static void add_bytes(const void* data, size_t bytes, size_t word, void* user)
{
    (void)word;
    tact_xxh64_add(user, data, bytes);
}

static tact_result ask(tact_request* r, tact_backend backend, tact_query_report* report, uint64_t* digest)
{
    tact_result answered = TACT_OK;
    const tact_query_options options = {.backend = backend, .threads = 2};
    const tact_result result = tact_request_ask(r, &options, report, &answered);
    if (result != TACT_OK) return result;
    tact_xxh64 sum;
    tact_xxh64_begin(&sum);
    if (answered >= TACT_OK) asked_answer(r, add_bytes, &sum);
    *digest = tact_xxh64_end(&sum);
    return answered;
}

/// Devices in turn.
static tact_backend backend_of(const asker* a, unsigned round)
{
    static const tact_backend all[] = {TACT_BACKEND_CPU, TACT_BACKEND_AUTO, TACT_BACKEND_GL, TACT_BACKEND_CL};
    const tact_backend wanted = all[(a->number + round) % 4];
    if (a->question->like.query->only != TACT_BACKEND_AUTO) return a->question->like.query->only;
    if (a->question->drawn) return TACT_BACKEND_GL;
    return wanted != TACT_BACKEND_AUTO && tact_context_find(context, wanted) < 0 ? TACT_BACKEND_CPU : wanted;
}

static void* ask_often(void* user)
{
    asker* a = user;
    const question* q = a->question;
    tact_request r = q->like;
    for (unsigned round = 0; round < a->rounds && !a->wrong[0]; ++round) {
        tact_query_report report = {.backend = TACT_BACKEND_CPU};  // which not all calls write
        const tact_backend backend = backend_of(a, round);
        reply is = {0};
        is.result = ask(&r, backend, &report, &is.digest);
        is.count = r.count;
        ++a->by[report.backend];
        if (is.result < TACT_OK) {
            snprintf(a->wrong, sizeof a->wrong, "%s: %.300s", tact_result_name(is.result), tact_last_error());
        } else if (round == 0) {
            a->first = is;
        } else if (is.result != a->first.result || is.count != a->first.count || is.digest != a->first.digest) {
            snprintf(a->wrong, sizeof a->wrong, "another answer on %s", tact_backend_name(report.backend));
        }
    }
    tact_request_release(&r);
    return NULL;
}

/// Moves and commits a scene of its own on the same context, and casts a ray at where it has moved.
typedef struct mover {
    pthread_t thread;
    atomic_bool stop;
    tact_mesh* attached;
    unsigned commits;
    const char* wrong;
} mover;

static const char* move_once(tact_scene* scene, uint32_t id, float x)
{
    const float m[12] = {1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 0};
    const tact_ray ray = {x + 0.1f, 0.2f, 9, 0, 0, 0, -1, 40};
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    tact_hit hit;
    if (tact_scene_move_instance(scene, id, m) != TACT_OK) return "moving";
    if (tact_scene_commit(scene) != TACT_OK) return "committing";
    if (tact_raycast(scene, TACT_RAY_CLOSEST, &ray, 1, &hit, &options, NULL) != TACT_OK) return "casting";
    return hit.instance == id ? NULL : "missing";
}

static void* move_often(void* user)
{
    mover* m = user;
    while (!m->stop && !m->wrong) {
        tact_scene* scene = NULL;
        uint32_t mesh = 0, id = 0;
        if (tact_scene_create(context, &scene) != TACT_OK ||
            tact_scene_attach_mesh(scene, m->attached, &mesh) != TACT_OK ||
            tact_scene_add_instance(scene, mesh, NULL, &id) != TACT_OK) {
            m->wrong = "making";
        }
        for (int i = 0; i < 20 && !m->wrong; ++i, ++m->commits)
            m->wrong = move_once(scene, id, (float)i);
        tact_scene_destroy(scene);
    }
    return NULL;
}

static tact_mesh* make_cube(void)
{
    float p[24];
    cube_corners(0, 0, 0, 1, p);
    const tact_mesh_desc desc = {.positions = p, .vertex_count = 8, .indices = box_indices, .triangle_count = 12};
    tact_mesh* mesh = NULL;
    assert_int_equal(tact_mesh_create(context, &desc, &mesh), TACT_OK);
    return mesh;
}

static question question_of(const asked_call* call, const tact_sample* sample)
{
    question q = {.like = sample->request, .drawn = asked_is_drawn(call)};
    memset(q.like.rooms, 0, sizeof q.like.rooms);
    q.like.owned_count = q.like.array_count = 0;
    return q;
}

/// Answers the question by one thread, on the CPU where that is able.
static reply answer(const question* q, tact_sample* sample)
{
    const tact_backend only = q->drawn ? TACT_BACKEND_GL : sample->request.query->only;
    reply r = {0};
    r.result = ask(&sample->request, only != TACT_BACKEND_AUTO ? only : TACT_BACKEND_CPU, NULL, &r.digest);
    r.count = sample->request.count;
    return r;
}

/// Nothing has been asked before: what is found out then, and brought to devices, threads find out at once.
static void ask_in_threads(const question* q, tact_sample* sample, const char* what, unsigned rounds)
{
    static asker askers[THREADS];
    unsigned by[TACT_BACKEND_COUNT] = {0};
    memset(askers, 0, sizeof askers);
    for (unsigned i = 0; i < THREADS; ++i) {
        askers[i].question = q;
        askers[i].number = i;
        askers[i].rounds = rounds;
    }
    run_threads(ask_often, askers, sizeof askers[0]);
    const reply alone = answer(q, sample);
    for (unsigned i = 0; i < THREADS; ++i) {
        const reply* first = &askers[i].first;
        if (askers[i].wrong[0]) fail_msg("%s, thread %u: %s", what, i, askers[i].wrong);
        if (first->result != alone.result || first->count != alone.count || first->digest != alone.digest) {
            fail_msg("%s, thread %u: not the answer that one thread gets", what, i);
        }
        for (int b = 0; b < TACT_BACKEND_COUNT; ++b)
            by[b] += askers[i].by[b];
    }
    print_message("%s: %u on cpu, %u on gl, %u on cl\n", what, by[TACT_BACKEND_CPU], by[TACT_BACKEND_GL],
                  by[TACT_BACKEND_CL]);
}

/// Systems of particles and targets of picks have one caller at a time.
static bool is_shared(const tact_query* query)
{
    return query->kind != TACT_RECORDED_PARTICLES && query->kind != TACT_RECORDED_CONTACTS &&
           query->kind != TACT_RECORDED_NEIGHBOURS && query->kind != TACT_RECORDED_TARGET;
}

TEST(every_query_in_threads)
{
    mover m = {.attached = make_cube()};
    assert_int_equal(pthread_create(&m.thread, NULL, move_often, &m), 0);
    asked_call call;
    unsigned asked = 0;
    for (size_t i = 0; asked_at(i, &call); ++i) {
        if (!is_shared(call.query) || (asked_is_drawn(&call) && device_missing(context, TACT_BACKEND_GL))) continue;
        tact_sample* sample = NULL;
        char what[100];
        snprintf(what, sizeof what, "%s/%s", call.query->name, call.of->method ? call.of->method : "");
        assert_int_equal(asked_make(context, &call, 3, &sample), TACT_OK);
        const question q = question_of(&call, sample);
        ask_in_threads(&q, sample, what, (unsigned)effort(4, 12));
        tact_sample_destroy(sample);
        ++asked;
    }
    m.stop = true;
    pthread_join(m.thread, NULL);
    if (m.wrong) fail_msg("another scene: %s", m.wrong);
    assert_true(asked >= 15 && m.commits >= 20);
    tact_mesh_destroy(m.attached);
}

// ---- Pairs of one set, which are copied out ----

enum { BOXES = 400, PAIRS = 20000 };

typedef struct pair_asker {
    tact_volumes *a, *b;
    const tact_pair* expected;
    size_t count;
    unsigned number;
    bool wrong;
} pair_asker;

static void* find_pairs(void* user)
{
    static const tact_pairs_method methods[] = {TACT_PAIRS_AUTO,  TACT_PAIRS_SAP, TACT_PAIRS_GRID,
                                                TACT_PAIRS_HGRID, TACT_PAIRS_BVH, TACT_PAIRS_TREE};
    pair_asker* p = user;
    tact_pair* pairs = malloc(PAIRS * sizeof *pairs);
    for (unsigned round = 0; pairs && round < 6 && !p->wrong; ++round) {
        size_t count = 0;
        const tact_query_options options = {.backend = TACT_BACKEND_CPU};
        // Half of the threads name the sets in the other order; their pairs are of other sets.
        const bool swapped = p->b && p->number % 2;
        const tact_pairs_work work = {.b = swapped ? p->a : p->b,
                                      .method = methods[(p->number + round) % 6],
                                      .pairs = pairs,
                                      .capacity = PAIRS,
                                      .count = &count};
        const tact_result result = tact_pairs_find(swapped ? p->b : p->a, &work, &options, NULL);
        p->wrong = result != TACT_OK || count != p->count;
        p->wrong = p->wrong || (!swapped && memcmp(pairs, p->expected, count * sizeof *pairs) != 0);
    }
    p->wrong = p->wrong || !pairs;
    free(pairs);
    return NULL;
}

static tact_volumes* make_boxes(uint64_t seed)
{
    static tact_aabb boxes[BOXES];
    test_random r = {seed};
    for (int i = 0; i < BOXES; ++i) {
        const tact_vec3 low = {9 * test_random_signed(&r), 9 * test_random_signed(&r), 9 * test_random_signed(&r)};
        boxes[i] = (tact_aabb){low, {low.x + 3, low.y + 2, low.z + 4}};
    }
    tact_volumes* set = NULL;
    assert_int_equal(tact_volumes_create(context, NULL, &set), TACT_OK);
    assert_int_equal(tact_volumes_add_aabbs(set, boxes, BOXES, NULL, NULL, NULL), TACT_OK);
    return set;
}

TEST(pairs_of_one_set_in_threads)
{
    tact_volumes *a = make_boxes(5), *b = make_boxes(6);
    tact_pair* expected = malloc(PAIRS * sizeof *expected);
    assert_non_null(expected);
    for (int two = 0; two < 2; ++two) {
        size_t count = 0;
        const tact_pairs_work work = {.b = two ? b : NULL, .pairs = expected, .capacity = PAIRS, .count = &count};
        assert_int_equal(tact_pairs_find(a, &work, NULL, NULL), TACT_OK);
        assert_true(count > 500);
        pair_asker askers[THREADS];
        for (unsigned i = 0; i < THREADS; ++i)
            askers[i] = (pair_asker){.a = a, .b = work.b, .expected = expected, .count = count, .number = i};
        run_threads(find_pairs, askers, sizeof askers[0]);
        for (unsigned i = 0; i < THREADS; ++i)
            assert_false(askers[i].wrong);
    }
    free(expected);
    tact_volumes_destroy(a);
    tact_volumes_destroy(b);
}

// ---- Errors and tickets are each thread's own ----

typedef struct failing {
    tact_scene* scene;
    unsigned number;
    bool wrong;
} failing;

static void* fail_often(void* user)
{
    failing* f = user;
    const tact_ray ray = {0.1f, 0.2f, 9, 0, 0, 0, -1, 40};
    char expected[64];
    snprintf(expected, sizeof expected, "no ray mode %u", 100 + f->number);
    for (int i = 0; i < 200 && !f->wrong; ++i) {
        tact_hit hit;
        tact_ticket ticket = 0;
        f->wrong = tact_raycast(f->scene, (tact_ray_mode)(100 + f->number), &ray, 1, &hit, NULL, NULL) !=
                       TACT_ERROR_INVALID_ARGUMENT ||
                   strcmp(tact_last_error(), expected) != 0 || strcmp(tact_context_error(context), expected) != 0;
        const tact_query_options options = {.backend = TACT_BACKEND_CPU, .ticket = &ticket};
        f->wrong = f->wrong || tact_raycast(f->scene, TACT_RAY_CLOSEST, &ray, 1, &hit, &options, NULL) != TACT_OK ||
                   tact_context_error(context)[0] || tact_wait(context, ticket, NULL) != TACT_OK || hit.instance != 0;
    }
    return NULL;
}

TEST(errors_and_tickets_are_each_threads_own)
{
    tact_mesh* cube = make_cube();
    tact_scene* scene = NULL;
    uint32_t mesh = 0, id = 0;
    assert_int_equal(tact_scene_create(context, &scene), TACT_OK);
    assert_int_equal(tact_scene_attach_mesh(scene, cube, &mesh), TACT_OK);
    assert_int_equal(tact_scene_add_instance(scene, mesh, NULL, &id), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    failing all[THREADS];
    for (unsigned i = 0; i < THREADS; ++i)
        all[i] = (failing){.scene = scene, .number = i};
    run_threads(fail_often, all, sizeof all[0]);
    for (unsigned i = 0; i < THREADS; ++i)
        assert_false(all[i].wrong);
    tact_scene_destroy(scene);
    tact_mesh_destroy(cube);
}

// ---- One that is changed while it is asked ----

#if defined(TACT_ASSERTS)

static int told;

static bool count_assertion(const char* condition, const char* file, int line, void* user)
{
    (void)file, (void)line, (void)user;
    told += strstr(condition, "no_thread_asks_what_this_one_changes") != NULL;
    return false;
}

static bool change(double fraction, void* user)
{
    (void)fraction;
    assert_int_equal(tact_scene_set_mask(user, 0, 1), TACT_OK);
    const int told_of_mask = told;
    assert_int_equal(tact_scene_set_user_data(user, 0, 1), TACT_OK);
    assert_true(told > told_of_mask);
    return false;
}

#endif

TEST(a_change_while_it_is_asked_is_told)
{
#if defined(TACT_ASSERTS)
    const tact_context_desc desc = {
        .gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE, .log = quiet, .assertion = count_assertion};
    tact_context* shared = context;
    context = new_context(&desc);
    tact_mesh* cube = make_cube();
    tact_scene* scene = NULL;
    uint32_t mesh = 0, id = 0;
    assert_int_equal(tact_scene_create(context, &scene), TACT_OK);
    assert_int_equal(tact_scene_attach_mesh(scene, cube, &mesh), TACT_OK);
    assert_int_equal(tact_scene_add_instance(scene, mesh, NULL, &id), TACT_OK);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    const tact_ray ray = {0.1f, 0.2f, 9, 0, 0, 0, -1, 40};
    const tact_query_options options = {.progress = change, .progress_user = scene};
    tact_hit hit;
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, &ray, 1, &hit, &options, NULL), TACT_ERROR_CANCELLED);
    assert_true(told >= 1);
    tact_scene_destroy(scene);
    tact_mesh_destroy(cube);
    tact_context_destroy(context);
    context = shared;
#else
    skip_because("the library is built without assertions");
#endif
}

#include TEST_LIST

RUN_ALL(open_context, close_context)
