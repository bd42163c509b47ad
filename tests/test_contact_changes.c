// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// What contacts become from find to find, against a search of all contacts of the find before.
#include "tests/support/run.h"

#include <math.h>

#include "tact/bodies.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/effort.h"
#include "tests/support/objects.h"
#include "tests/support/quiet.h"
#include "tests/support/random.h"

enum { BODIES = 90, MOST = 4096, WORDS = 3 };

/// The caller's part of a point.
typedef struct point_data {
    uint32_t word[WORDS];
} point_data;

/// A find as the test remembers it.
typedef struct frame {
    tact_contact* contacts;
    point_data (*data)[TACT_CONTACT_MOST_POINTS];
    uint64_t (*bodies)[2];  ///< which bodies they are, whatever ids those have
    size_t count;
} frame;

static frame new_frame(size_t most)
{
    return (frame){scratch(most * sizeof(tact_contact)), scratch_zeroed(most, sizeof(*((frame*)0)->data)),
                   scratch(most * sizeof(*((frame*)0)->bodies)), 0};
}

static bool is_same(const frame* x, size_t i, const frame* y, size_t k)
{
    const tact_contact *a = &x->contacts[i], *b = &y->contacts[k];
    return a->a == b->a && a->b == b->b && a->part_a == b->part_a && a->part_b == b->part_b &&
           memcmp(x->bodies[i], y->bodies[k], sizeof x->bodies[i]) == 0;
}

static double apart2(tact_vec3 p, tact_vec3 q)
{
    const double x = (double)p.x - (double)q.x, y = (double)p.y - (double)q.y, z = (double)p.z - (double)q.z;
    return x * x + y * y + z * z;
}

/// The numbers of the points before that those of `now` come from: by feature, then what is left by place.
static void expect_points(const tact_contact* now, const tact_contact* before, uint32_t from[TACT_CONTACT_MOST_POINTS])
{
    bool taken[TACT_CONTACT_MOST_POINTS] = {false};
    double most2 = 0.0;
    for (uint32_t k = 0; k < TACT_CONTACT_MOST_POINTS; ++k) {
        from[k] = TACT_CONTACT_BEGUN;
        for (uint32_t i = 0; i < before->count && k < before->count; ++i)
            most2 = fmax(most2, apart2(before->point[i].at, before->point[k].at) / 256.0);
        for (uint32_t i = 0; i < before->count && k < now->count; ++i) {
            if (before->point[i].feature != now->point[k].feature) continue;
            from[k] = i;
            taken[i] = true;
        }
    }
    for (uint32_t k = 0; k < now->count; ++k) {
        double least2 = most2;
        uint32_t best = TACT_CONTACT_BEGUN;
        for (uint32_t i = 0; i < before->count && from[k] == TACT_CONTACT_BEGUN; ++i) {
            if (taken[i] || !(apart2(before->point[i].at, now->point[k].at) < least2)) continue;
            best = i;
            least2 = apart2(before->point[i].at, now->point[k].at);
        }
        if (best == TACT_CONTACT_BEGUN) continue;
        from[k] = best;
        taken[best] = true;
    }
}

typedef struct totals {
    size_t begun, kept, ended, points, moved;
} totals;

/// Holds `changes` against the frame before, of which every contact is looked at for every other.
static void check(const tact_contact_changes* changes, frame* before, frame* now, totals* t)
{
    static const point_data none;
    const point_data* data = changes->data;
    size_t begun = 0, ended = 0;
    assert_int_equal(changes->count, now->count);
    assert_int_equal(changes->before_count, before->count);
    assert_int_equal(changes->point_bytes, sizeof none);
    if (now->count > 0) assert_memory_equal(changes->contacts, now->contacts, now->count * sizeof *now->contacts);
    if (before->count > 0) {
        assert_memory_equal(changes->before, before->contacts, before->count * sizeof *before->contacts);
        assert_memory_equal(changes->data_before, before->data, before->count * sizeof *before->data);
    }
    for (size_t i = 0; i < now->count; ++i) {
        size_t row = TACT_CONTACT_BEGUN;
        for (size_t k = 0; k < before->count; ++k)
            if (is_same(now, i, before, k)) row = k;
        assert_int_equal(changes->from[i].row, row);
        begun += row == TACT_CONTACT_BEGUN;
        static const tact_contact nothing;
        uint32_t from[TACT_CONTACT_MOST_POINTS];
        expect_points(&now->contacts[i], row == TACT_CONTACT_BEGUN ? &nothing : &before->contacts[row], from);
        for (uint32_t k = 0; k < TACT_CONTACT_MOST_POINTS; ++k) {
            const uint32_t point = from[k];
            assert_int_equal(changes->from[i].point[k], point);
            const point_data* right = point == TACT_CONTACT_BEGUN ? &none : &before->data[row][point];
            assert_memory_equal(&data[TACT_CONTACT_MOST_POINTS * i + k], right, sizeof *right);
            t->points += point != TACT_CONTACT_BEGUN;
            t->moved += point != TACT_CONTACT_BEGUN &&
                        before->contacts[row].point[point].feature != now->contacts[i].point[k].feature;
        }
    }
    for (size_t k = 0; k < before->count; ++k) {
        bool there = false;
        for (size_t i = 0; i < now->count; ++i)
            there = there || is_same(now, i, before, k);
        if (there) continue;
        assert_true(ended < changes->ended_count);
        assert_int_equal(changes->ended[ended++], k);
    }
    assert_int_equal(changes->ended_count, ended);
    assert_int_equal(changes->begun, begun);
    t->begun += begun;
    t->kept += now->count - begun;
    t->ended += ended;
}

/// Writes something of its own to every point.
static void write_data(const tact_contact_changes* changes, frame* now, uint32_t* next)
{
    point_data* data = changes->data;
    for (size_t i = 0; i < now->count; ++i) {
        for (uint32_t k = 0; k < TACT_CONTACT_MOST_POINTS; ++k) {
            for (int w = 0; w < WORDS; ++w)
                data[TACT_CONTACT_MOST_POINTS * i + k].word[w] = ++*next;
            now->data[i][k] = data[TACT_CONTACT_MOST_POINTS * i + k];
        }
    }
}

/// A set of four shapes.
static tact_bodies* make_set(tact_context* context)
{
    static const tact_vec3 points[5] = {
        {0, 0.5f, 0}, {0.4f, -0.2f, 0}, {-0.2f, -0.2f, 0.4f}, {-0.2f, 0, -0.4f}, {0, 0, 0}};
    static const tact_body_shape shapes[4] = {{.radius = 0.4f},
                                              {.kind = TACT_BODY_BOX, .half = {0.4f, 0.3f, 0.5f}},
                                              {.kind = TACT_BODY_CAPSULE, .radius = 0.2f, .half = {0, 0.5f, 0}},
                                              {.kind = TACT_BODY_HULL, .points = points, .point_count = 5}};
    tact_bodies* set = NULL;
    assert_int_equal(tact_bodies_create(context, &set), TACT_OK);
    KEEP(set);
    for (uint32_t i = 0; i < 4; ++i) {
        uint32_t number = 0;
        assert_int_equal(tact_bodies_add_shape(set, &shapes[i], &number), TACT_OK);
    }
    return set;
}

static tact_body random_body(test_random* r)
{
    return (tact_body){
        .shape = test_random_below(r, 4),
        .pose = {.x = 2.0 * (double)test_random_signed(r),
                 .y = 2.0 * (double)test_random_signed(r),
                 .z = 2.0 * (double)test_random_signed(r),
                 .rotation = {test_random_signed(r), test_random_signed(r), test_random_signed(r), 0.9f}}};
}

/// Bodies that come, go and move: `body` has what is where, by id, 0 for nothing.
typedef struct world {
    tact_bodies* set;
    uint64_t body[BODIES];
    uint64_t next;
    test_random r;
} world;

static void add_body(world* w, const tact_body* body)
{
    uint32_t id = 0;
    assert_int_equal(tact_bodies_add(w->set, body, 1, &id), TACT_OK);
    w->body[id] = ++w->next;
}

static void change(world* w)
{
    for (uint32_t id = 0; id < BODIES; ++id) {
        const uint32_t what = w->body[id] ? test_random_below(&w->r, 24) : 24;
        tact_body b;
        if (what < 3) {
            assert_int_equal(tact_bodies_get(w->set, id, &b), TACT_OK);
            assert_int_equal(tact_bodies_remove(w->set, &id, 1), TACT_OK);
            w->body[id] = 0;
            // One that stands where the other did, with its id, is another all the same.
            if (what == 0) add_body(w, &b);
        } else if (what < 12) {
            assert_int_equal(tact_bodies_get(w->set, id, &b), TACT_OK);
            b.pose.x += 0.05 * (double)test_random_signed(&w->r);
            b.pose.rotation.x += 0.02f * test_random_signed(&w->r);
            assert_int_equal(tact_bodies_move(w->set, &id, &b.pose, 1), TACT_OK);
        }
    }
    while (tact_bodies_count(w->set) < BODIES - 12) {
        const tact_body fresh = random_body(&w->r);
        add_body(w, &fresh);
    }
}

/// Every other pair.
static size_t some_pairs(const world* w, tact_pair* pairs)
{
    size_t count = 0;
    for (uint32_t a = 0; a < BODIES; ++a) {
        for (uint32_t b = a + 1; b < BODIES; ++b)
            if (w->body[a] && w->body[b] && (a + b) % 2) pairs[count++] = (tact_pair){a, b};
    }
    return count;
}

static bool refuse(double fraction, void* user)
{
    (void)fraction;
    return false;
}

static void take_frame(const world* w, frame* f)
{
    const tact_contact* contacts = tact_contacts_last(w->set, &f->count);
    assert_true(f->count <= MOST);
    if (f->count > 0) memcpy(f->contacts, contacts, f->count * sizeof *contacts);
    for (size_t i = 0; i < f->count; ++i) {
        f->bodies[i][0] = w->body[contacts[i].a];
        f->bodies[i][1] = w->body[contacts[i].b];
    }
}

/// Finds of all kinds, by every device there is.
TEST(as_a_search_of_everything)
{
    tact_context* context = KEEP(new_context(&(tact_context_desc){.open_devices = true, .threads = 3, .log = quiet}));
    static const tact_backend backends[] = {TACT_BACKEND_CPU, TACT_BACKEND_REFERENCE, TACT_BACKEND_GL, TACT_BACKEND_CL};
    world w = {.set = make_set(context), .r = test_random_seeded(26)};
    frame before = new_frame(MOST), now = new_frame(MOST);
    tact_pair* pairs = scratch(BODIES * BODIES * sizeof *pairs);
    totals t = {0};
    uint32_t word = 0;
    assert_int_equal(tact_contacts_follow(w.set, true, sizeof(point_data)), TACT_OK);
    const size_t rounds = effort(60, 2000);
    for (uint32_t round = 0; round < rounds; ++round) {
        change(&w);
        const tact_backend backend = backends[round % 4];
        const bool list = test_random_below(&w.r, 5) == 0;
        size_t count = 0;
        tact_contacts_work work = {.count = &count};
        if (list) {
            work.pair_count = some_pairs(&w, pairs);
            work.pairs = pairs;
        }
        tact_contact_changes changes;
        if (test_random_below(&w.r, 5) == 0) {
            // One that fails leaves the frame before as it is.
            const tact_query_options cancel = {.backend = TACT_BACKEND_CPU, .progress = refuse};
            assert_int_equal(tact_contacts_find(w.set, &work, &cancel, NULL), TACT_ERROR_CANCELLED);
            assert_int_equal(tact_contacts_changes(w.set, &changes), TACT_OK);
            assert_true(changes.count == 0 && !changes.contacts && !changes.from && !changes.data && !changes.ended);
            if (test_random_below(&w.r, 2) == 0) change(&w);
            if (list) work.pair_count = some_pairs(&w, pairs);
        }
        const tact_query_options options = {.backend = device_missing(context, backend) ? TACT_BACKEND_CPU : backend,
                                            .threads = 1 + (int)(round % 3)};
        assert_int_equal(tact_contacts_find(w.set, &work, &options, NULL), TACT_OK);
        take_frame(&w, &now);
        assert_int_equal(tact_contacts_changes(w.set, &changes), TACT_OK);
        check(&changes, &before, &now, &t);
        write_data(&changes, &now, &word);
        const frame swap = before;
        before = now;
        now = swap;
    }
    print_message("contacts: %zu begun, %zu kept, %zu ended; %zu points kept, %zu of them by place\n", t.begun, t.kept,
                  t.ended, t.points, t.moved);
    assert_true(t.begun > 10 * rounds && t.kept > 30 * rounds && t.ended > 10 * rounds && t.points > 30 * rounds &&
                t.moved > rounds / 10);
}

/// So many that threads share the merge: the same links and bytes for any number of threads.
TEST(any_number_of_threads)
{
    enum { SIDE = 17, COUNT = SIDE * SIDE * SIDE, FRAMES = 4 };
    tact_context* context = KEEP(new_context(&(tact_context_desc){.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE}));
    test_random r = test_random_seeded(7);
    tact_body* bodies = scratch_zeroed(COUNT, sizeof *bodies);
    tact_pose* poses = scratch(COUNT * sizeof *poses);
    tact_bodies* set[3];
    for (int i = 0; i < 3; ++i) {
        set[i] = make_set(context);
        assert_int_equal(tact_bodies_add(set[i], bodies, COUNT, NULL), TACT_OK);
        assert_int_equal(tact_contacts_follow(set[i], true, sizeof(point_data)), TACT_OK);
    }
    for (uint32_t round = 0; round < FRAMES; ++round) {
        for (uint32_t i = 0; i < COUNT; ++i) {
            poses[i] = (tact_pose){.x = 0.8 * (i % SIDE) + 0.02 * (double)test_random_unit(&r),
                                   .y = 0.8 * (i / SIDE % SIDE) + 0.02 * (double)test_random_unit(&r),
                                   .z = 0.8 * (i / (SIDE * SIDE)) + 0.02 * (double)test_random_unit(&r)};
        }
        tact_contact_changes changes[3];
        for (int i = 0; i < 3; ++i) {
            size_t count = 0;
            assert_int_equal(tact_bodies_move(set[i], NULL, poses, COUNT), TACT_OK);
            const tact_query_options options = {.backend = TACT_BACKEND_CPU, .threads = i + 1};
            assert_int_equal(tact_contacts_find(set[i], &(tact_contacts_work){.count = &count}, &options, NULL),
                             TACT_OK);
            assert_int_equal(tact_contacts_changes(set[i], &changes[i]), TACT_OK);
        }
        assert_true(changes[0].count > 4096);
        for (int i = 1; i < 3; ++i) {
            assert_int_equal(changes[i].count, changes[0].count);
            assert_int_equal(changes[i].begun, changes[0].begun);
            assert_int_equal(changes[i].ended_count, changes[0].ended_count);
            const size_t bytes = changes[0].count * TACT_CONTACT_MOST_POINTS * sizeof(point_data);
            assert_memory_equal(changes[i].from, changes[0].from, changes[0].count * sizeof(tact_contact_link));
            assert_memory_equal(changes[i].data, changes[0].data, bytes);
            if (changes[0].ended_count > 0)
                assert_memory_equal(changes[i].ended, changes[0].ended, changes[0].ended_count * sizeof(uint32_t));
        }
        assert_true(round == 0 ? changes[0].begun == changes[0].count
                               : changes[0].begun > 1000 && changes[0].ended_count > 1000);
        for (int i = 0; i < 3; ++i) {
            uint32_t* words = changes[i].data;
            for (uint32_t k = 0; k < changes[i].count * TACT_CONTACT_MOST_POINTS * WORDS; ++k)
                words[k] += k;
        }
    }
}

/// Without memory a find fails, and the next one goes on from the last that did not.
TEST(memory_that_runs_out)
{
    for (size_t fail_at = 1, failures = 1; failures > 0; ++fail_at) {
        counting_allocator counter = {0};
        tact_context* context = new_context(&(tact_context_desc){.allocator = counting_hooks(&counter),
                                                                 .gl = TACT_DEVICE_NONE,
                                                                 .cl = TACT_DEVICE_NONE,
                                                                 .threads = 1,
                                                                 .log = quiet});
        tact_bodies* set = NULL;
        const tact_body_shape ball = {.radius = 1.0f};
        uint32_t number = 0;
        size_t count = 0;
        tact_body bodies[40] = {0};
        for (int i = 0; i < 40; ++i)
            bodies[i].pose.x = 1.5 * i;
        const tact_contacts_work work = {.count = &count};
        const tact_query_options options = {.backend = TACT_BACKEND_CPU};
        assert_int_equal(tact_bodies_create(context, &set), TACT_OK);
        assert_int_equal(tact_bodies_add_shape(set, &ball, &number), TACT_OK);
        assert_int_equal(tact_bodies_add(set, bodies, 2, NULL), TACT_OK);
        assert_int_equal(tact_contacts_follow(set, true, sizeof(uint32_t)), TACT_OK);
        assert_int_equal(tact_contacts_find(set, &work, &options, NULL), TACT_OK);
        tact_contact_changes changes;
        assert_int_equal(tact_contacts_changes(set, &changes), TACT_OK);
        ((uint32_t*)changes.data)[0] = 77;
        assert_int_equal(tact_bodies_add(set, bodies + 2, 38, NULL), TACT_OK);
        counter.fail_at = counter.requests + fail_at;
        counter.once = true;
        tact_result result = tact_contacts_find(set, &work, &options, NULL);
        failures = counter.failed;
        if (failures > 0) {
            assert_int_equal(result, TACT_ERROR_OUT_OF_MEMORY);
            assert_int_equal(count, 0);
            assert_null(tact_contacts_last(set, &count));
            assert_int_equal(tact_contacts_changes(set, &changes), TACT_OK);
            assert_int_equal(changes.count + changes.before_count, 0);
            result = tact_contacts_find(set, &work, &options, NULL);
        }
        assert_int_equal(result, TACT_OK);
        assert_int_equal(tact_contacts_changes(set, &changes), TACT_OK);
        assert_true(changes.count == 39 && changes.begun == 38 && changes.ended_count == 0);
        assert_true(changes.from[0].row == 0 && ((uint32_t*)changes.data)[0] == 77);
        tact_bodies_destroy(set);
        tact_context_destroy(context);
        assert_int_equal(counter.live, 0);
        assert_true(fail_at > 4 || failures > 0);
    }
}

TEST(following_begins_and_ends_when_asked)
{
    tact_context* context = KEEP(new_context(&(tact_context_desc){.gl = TACT_DEVICE_NONE, .cl = TACT_DEVICE_NONE}));
    tact_bodies* set = make_set(context);
    const tact_body two[2] = {{.shape = 0}, {.shape = 0, .pose = {.x = 0.5}}};
    const tact_query_options options = {.backend = TACT_BACKEND_CPU};
    size_t count = 0;
    const tact_contacts_work work = {.count = &count};
    tact_contact_changes changes;
    assert_int_equal(tact_bodies_add(set, two, 2, NULL), TACT_OK);
    assert_int_equal(tact_contacts_changes(set, &changes), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_context_error(context), "followed"));
    assert_int_equal(tact_contacts_follow(set, true, TACT_CONTACT_MOST_BYTES + 1), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_context_error(context), "257 bytes"));
    assert_int_equal(tact_contacts_find(set, &work, &options, NULL), TACT_OK);
    for (int round = 0; round < 2; ++round) {
        // Contacts of finds before are there still, and are no frame.
        assert_int_equal(tact_contacts_follow(set, true, 0), TACT_OK);
        assert_non_null(tact_contacts_last(set, &count));
        assert_int_equal(tact_contacts_changes(set, &changes), TACT_OK);
        assert_int_equal(changes.count, 0);
        for (int f = 0; f < 3; ++f) {
            assert_int_equal(tact_contacts_find(set, &work, &options, NULL), TACT_OK);
            assert_int_equal(tact_contacts_changes(set, &changes), TACT_OK);
            assert_int_equal(changes.count, 1);
            assert_int_equal(changes.begun, f == 0);
            assert_int_equal(changes.before_count, f > 0);
            assert_int_equal(changes.from[0].row, f == 0 ? TACT_CONTACT_BEGUN : 0);
            assert_null(changes.data);
        }
    }
    assert_int_equal(tact_contacts_follow(set, false, 0), TACT_OK);
    assert_int_equal(tact_contacts_changes(set, &changes), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_contacts_find(set, &work, &options, NULL), TACT_OK);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
