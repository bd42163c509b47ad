// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The rule of details (base.h): each public function that returns a tact_result leaves one sentence after an error and
// none after success, with and without a context. The functions are those of the headers: one that is missing in
// tests/support/every_call.h is named.

#include "tests/support/run.h"

#include "tests/support/objects.h"
#include "tests/support/one_rank.h"
#include "tests/support/quiet.h"

enum { MOST = 12, ROOM = 1 << 14 };

typedef struct fixture {
    tact_context* context;
    tact_scene* scene;
    tact_volumes* set;
    tact_bodies *bodies, *others;  ///< these are moved by no grains
    tact_body_grains* body_grains;
    tact_ranks_calls calls;
    tact_ranks* ranks;
    tact_particles* spread;  ///< is to be spread over them
    tact_point_cloud* cloud;
    tact_pair_tracker* tracker;
    tact_mesh* mesh;
    tact_mesh_front* front;
    tact_culler* culler;
    tact_filter* filter;
    tact_picker* picker;
    tact_particles* particles;
    tact_image_tester* tester;  ///< NULL without OpenGL, as the target
    tact_pick_target* target;
    tact_recording* recording;
    tact_debug_list* list;
    tact_volume_tree* volume_tree;
    tact_voxel_grid grid;
    tact_voxels* voxels;
    tact_loose_octree* loose_octree;
    tact_portals* portals;
    tact_debug_draw* draw;
    tact_debug_draw drawn;
    tact_particle_arrays arrays;
    tact_calibrate_options briefly;
} fixture;

static _Alignas(64) char places[MOST][ROOM];

static bool regret_point(const tact_regret_point* point, void* user)
{
    return false;
}

static bool no_forces(const tact_force_call* call, void* user)
{
    return true;
}

static void take_answer(const void* bytes, size_t size, void* user)
{
}

static bool some_pairs(const tact_pair* pairs, size_t count, void* user)
{
    return true;
}

// ---- The calls ----

#define P(k) (which == (k) ? NULL : (void*)places[k])
#define O(k, object) (which == (k) ? NULL : (object))
#define F(k, function) (which == (k) ? NULL : (function))
#define CALL(function, pointers, ...)                               \
    static tact_result call_##function(const fixture* f, int which) \
    {                                                               \
        (void)f;                                                    \
        (void)which;                                                \
        return function(__VA_ARGS__);                               \
    }
#define MAKE(function, type, destroy, out, pointers, ...)                              \
    static tact_result call_##function(const fixture* f, int which)                    \
    {                                                                                  \
        (void)f;                                                                       \
        const tact_result result = function(__VA_ARGS__);                              \
        if (result >= TACT_OK && which != (out)) destroy(*(type**)(void*)places[out]); \
        return result;                                                                 \
    }
#define FILL(function, type, release, out, pointers, ...)           \
    static tact_result call_##function(const fixture* f, int which) \
    {                                                               \
        (void)f;                                                    \
        const tact_result result = function(__VA_ARGS__);           \
        if (which != (out)) release((type*)(void*)places[out]);     \
        return result;                                              \
    }
#include "tests/support/every_call.h"
#undef CALL
#undef MAKE
#undef FILL

typedef struct row {
    const char* name;
    const char* pointers;
    tact_result (*call)(const fixture* f, int which);
} row;

#define CALL(function, pointers, ...) {#function, pointers, call_##function},
#define MAKE(function, type, destroy, out, pointers, ...) {#function, pointers, call_##function},
#define FILL(function, type, release, out, pointers, ...) {#function, pointers, call_##function},
static const row rows[] = {
#include "tests/support/every_call.h"
};
enum { ROWS = sizeof rows / sizeof rows[0] };

// ---- What they are called with ----

static tact_context* shared;
static tact_image_tester* tester;
static tact_pick_target* target;
static tact_recording* recording;

static void make_recording(void)
{
    static const char path[] = "test_error_details.record";
    const tact_ray ray = {.dz = 1.0f, .tmax = 1.0f};
    tact_hit hit;
    tact_scene* scene = new_scene(shared);
    assert_int_equal(tact_scene_commit(scene), TACT_OK);
    assert_int_equal(tact_raycast(scene, TACT_RAY_CLOSEST, &ray, 1, &hit, NULL, NULL), TACT_OK);
    tact_scene_destroy(scene);
    assert_int_equal(tact_record_save(shared, path), TACT_OK);
    FILE* file = fopen(path, "rb");
    assert_non_null(file);
    static char bytes[1 << 16];
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    remove(path);
    assert_int_equal(tact_recording_read(shared, bytes, size, &recording), TACT_OK);
}

static int open_all(void** state)
{
    const tact_context_desc desc = {
        .cl = TACT_DEVICE_NONE, .threads = 1, .log = quiet, .disable_calibration = true, .record_queries = 4};
    if (tact_context_create(&desc, &shared) != TACT_OK) return -1;
    const tact_pick_target_desc size = {.width = 8, .height = 8};
    tact_image_tester_create(shared, &tester);
    tact_pick_target_create(shared, &size, &target);
    // Without OpenGL image testers and pick targets are NULL throughout.
    if (!device_missing(shared, TACT_BACKEND_GL) && !(tester && target)) return -1;
    make_recording();
    return 0;
}

static int close_all(void** state)
{
    tact_recording_destroy(recording);
    tact_pick_target_destroy(target);
    tact_image_tester_destroy(tester);
    tact_context_destroy(shared);
    return 0;
}

static fixture make(void)
{
    static const float corners[9] = {0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f};
    static const tact_aabb boxes[2] = {{{0, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 1}}};
    const tact_mesh_desc triangle = {.positions = corners, .vertex_count = 3, .triangle_count = 1};
    const tact_particles_desc particles = {.max_radius = 1.0f};
    fixture f = {.context = shared, .tester = tester, .target = target, .recording = recording};
    f.briefly.seconds = 1e-3;
    f.arrays.positions = corners;
    assert_int_equal(tact_scene_create(shared, &f.scene), TACT_OK);
    put_instance(f.scene, put_mesh(f.scene, &triangle), NULL);
    assert_int_equal(tact_scene_commit(f.scene), TACT_OK);
    assert_int_equal(tact_volumes_create(shared, NULL, &f.set), TACT_OK);
    assert_int_equal(tact_volumes_add_aabbs(f.set, boxes, 2, NULL, NULL, NULL), TACT_OK);
    const tact_body_shape ball = {.radius = 1.0f};
    const tact_body balls[2] = {{.pose = {.x = 0.5}}, {.pose = {.y = 0.5}}};
    uint32_t number;
    assert_int_equal(tact_bodies_create(shared, &f.bodies), TACT_OK);
    assert_int_equal(tact_bodies_add_shape(f.bodies, &ball, &number), TACT_OK);
    assert_int_equal(tact_bodies_add(f.bodies, balls, 2, NULL), TACT_OK);
    assert_int_equal(tact_bodies_create(shared, &f.others), TACT_OK);
    const tact_body_grains_desc moving = {.law = {.stiffness = 1.0f, .restitution = 0.5f}};
    assert_int_equal(tact_body_grains_create(f.bodies, &moving, &f.body_grains), TACT_OK);
    assert_int_equal(tact_point_cloud_create(shared, (const tact_vec3*)corners, 1, &f.cloud), TACT_OK);
    assert_int_equal(tact_pair_tracker_create(f.set, NULL, &f.tracker), TACT_OK);
    assert_int_equal(tact_mesh_create(shared, &triangle, &f.mesh), TACT_OK);
    assert_int_equal(tact_mesh_front_create(f.mesh, f.mesh, &f.front), TACT_OK);
    assert_int_equal(tact_culler_create(shared, &f.culler), TACT_OK);
    assert_int_equal(tact_volume_tree_create(boxes, 1, TACT_VOLUME_TREE_FAST, NULL, &f.volume_tree), TACT_OK);
    assert_int_equal(tact_loose_octree_create(boxes[0], 3, NULL, &f.loose_octree), TACT_OK);
    assert_int_equal(tact_loose_octree_insert(f.loose_octree, boxes[0], &number), TACT_OK);
    assert_int_equal(tact_portals_create(NULL, 0, NULL, 0, 1, NULL, &f.portals), TACT_OK);
    f.grid = (tact_voxel_grid){.size = 1.0f, .count = {1, 1, 1}};
    assert_int_equal(tact_voxels_create(&f.grid, TACT_VOXELS_DENSE, NULL, &f.voxels), TACT_OK);
    assert_int_equal(tact_filter_create(shared, &f.filter), TACT_OK);
    assert_int_equal(tact_picker_create(shared, &f.picker), TACT_OK);
    assert_int_equal(tact_particles_create(shared, &particles, &f.particles), TACT_OK);
    assert_int_equal(tact_particles_add(f.particles, &f.arrays, 1, NULL), TACT_OK);
    f.calls = lone_calls(NULL);
    assert_int_equal(tact_ranks_create(shared, &f.calls, &f.ranks), TACT_OK);
    assert_int_equal(tact_particles_create(shared, &particles, &f.spread), TACT_OK);
    assert_int_equal(tact_debug_list_create(shared, &f.list), TACT_OK);
    f.drawn = tact_debug_list_draw(f.list);
    return f;
}

static void unmake(const fixture* f)
{
    tact_debug_list_destroy(f->list);
    tact_particles_destroy(f->particles);
    tact_particles_destroy(f->spread);
    tact_ranks_destroy(f->ranks);
    tact_picker_destroy(f->picker);
    tact_filter_destroy(f->filter);
    tact_volume_tree_destroy(f->volume_tree);
    tact_voxels_destroy(f->voxels);
    tact_portals_destroy(f->portals);
    tact_loose_octree_destroy(f->loose_octree);
    tact_culler_destroy(f->culler);
    tact_mesh_front_destroy(f->front);
    tact_mesh_destroy(f->mesh);
    tact_pair_tracker_destroy(f->tracker);
    tact_body_grains_destroy(f->body_grains);
    tact_bodies_destroy(f->bodies);
    tact_bodies_destroy(f->others);
    tact_point_cloud_destroy(f->cloud);
    tact_volumes_destroy(f->set);
    tact_scene_destroy(f->scene);
}

// ---- The rule ----

/// Parameter k of a row's pointers, with its marks.
static bool pointer(const row* r, int k, char name[64])
{
    const char* at = r->pointers;
    for (int i = 0;; ++i) {
        const size_t length = strcspn(at, " ");
        if (length == 0) return false;
        if (i == k) {
            snprintf(name, 64, "%.*s", (int)length, at);
            return true;
        }
        at += length + (at[length] == ' ');
    }
}

/// One call after another one has failed. Whether the rule held.
static bool try_call(const row* r, int which, const char* name)
{
    static const char stale[] = "calibrating for -1 seconds";
    fixture f = make();
    f.draw = &f.drawn;
    memset(places, 0, sizeof places);
    const tact_calibrate_options never = {.seconds = -1.0};
    assert_int_equal(tact_calibrate(shared, &never), TACT_ERROR_INVALID_ARGUMENT);
    assert_string_equal(tact_context_error(shared), stale);
    const tact_result result = r->call(&f, which);
    char last[2048], of_context[2048];
    snprintf(last, sizeof last, "%s", tact_last_error());
    snprintf(of_context, sizeof of_context, "%s", tact_context_error(shared));
    unmake(&f);
    const bool failed = result < TACT_OK, refused = name[strlen(name) - 1] == '!';
    const char* wrong = NULL;
    if (failed != (last[0] != '\0')) wrong = failed ? "an error without a sentence" : "a sentence after success";
    if (failed && strcmp(last, of_context) != 0) wrong = "the context says something else";
    if (strcmp(last, stale) == 0) wrong = "the sentence of the call before";
    // A call without a context leaves the context's sentence alone.
    if (!failed && of_context[0] && strcmp(of_context, stale) != 0) wrong = "the context has another sentence";
    const bool null = failed && strstr(last, "NULL") != NULL;
    if (refused && result != TACT_ERROR_INVALID_ARGUMENT) wrong = "NULL is not refused";
    char argument[64];
    const char* bare = name + (name[0] == '.');
    snprintf(argument, sizeof argument, "%.*s is NULL", (int)strcspn(bare, "!"), bare);
    const bool named = strstr(last, argument) || strstr(last, "the array is NULL");
    if (refused && !named && tester && target) wrong = "the sentence does not name what is NULL";
    if (!refused && null && which >= 0 && tester && target) wrong = "NULL is refused, and not marked so";
    if (!wrong) return true;
    print_error("%s, %s%s: %s (%s, \"%s\", the context: \"%s\")\n", r->name, which < 0 ? "" : "NULL for ",
                which < 0 ? "nothing NULL" : name, wrong, tact_result_name(result), last, of_context);
    return false;
}

TEST(every_call_leaves_its_own_sentence)
{
    size_t bad = 0, tried = 0;
    for (size_t i = 0; i < ROWS; ++i) {
        char name[64] = "-";
        bad += !try_call(&rows[i], -1, name);
        for (int k = 0; pointer(&rows[i], k, name); ++k) {
            if (name[0] == '~') continue;
            bad += !try_call(&rows[i], k, name);
            ++tried;
        }
    }
    print_message("%d functions, %zu pointers\n", ROWS, tried);
    assert_int_equal(bad, 0);
}

// ---- All of them ----

/// The pointers of a parameter list, separated by spaces, without marks.
static void pointers_of(char* list, char* names, size_t size)
{
    names[0] = '\0';
    int depth = 0;
    char* begin = list;
    for (char* at = list;; ++at) {
        depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
        if (*at && !(*at == ',' && depth == 0)) continue;
        const char stop = *at;
        *at = '\0';
        char* inner = strstr(begin, "(*");
        char* bracket = strchr(begin, '[');
        const bool function = strstr(begin, "_fn") != NULL;
        if (strchr(begin, '*') || bracket || function) {
            char* end = inner ? strchr(inner, ')') : bracket ? bracket : begin + strlen(begin);
            char* first = end;
            while (first > begin && (first[-1] == '_' || (first[-1] >= 'a' && first[-1] <= 'z') ||
                                     (first[-1] >= '0' && first[-1] <= '9')))
                --first;
            const size_t length = strlen(names);
            snprintf(names + length, size - length, "%s%.*s", length ? " " : "", (int)(end - first), first);
        }
        if (!stop) return;
        begin = at + 1;
    }
}

static void check_declaration(char* text, size_t* found)
{
    char* open = strchr(text, '(');
    char* close = open ? strrchr(text, ')') : NULL;
    if (!open || !close) return;
    *close = '\0';
    *open = '\0';
    const char* name = text + strlen("tact_result ");
    char names[512], marked[512];
    pointers_of(open + 1, names, sizeof names);
    for (size_t i = 0; i < ROWS; ++i) {
        if (strcmp(rows[i].name, name) != 0) continue;
        size_t n = 0;
        for (const char* c = rows[i].pointers; *c && strncmp(c, " .", 2) != 0; ++c) {
            if (*c != '!' && *c != '~') marked[n++] = *c;
        }
        marked[n] = '\0';
        assert_string_equal(names, marked);
        ++*found;
        return;
    }
    fail_msg("%s() is not in tests/support/every_call.h: its pointers are \"%s\"", name, names);
}

static void check_header(const char* header, size_t* found)
{
    static char line[1024], declaration[4096];
    char path[1024];
    snprintf(path, sizeof path, "%s/include/%s", TACT_SOURCE_DIR, header);
    FILE* file = fopen(path, "r");
    if (!file) fail_msg("%s cannot be read", path);
    declaration[0] = '\0';
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        const char* from = line + strspn(line, " ");
        if (strncmp(from, "TACT_API tact_result ", 21) == 0) {
            snprintf(declaration, sizeof declaration, "%s", from + 9);
        } else if (declaration[0]) {
            const size_t length = strlen(declaration);
            snprintf(declaration + length, sizeof declaration - length, " %s", from);
        }
        if (declaration[0] && strchr(declaration, ';')) {
            check_declaration(declaration, found);
            declaration[0] = '\0';
        }
    }
    fclose(file);
}

TEST(every_function_of_the_headers_is_called)
{
    static const char* const headers[] = {TACT_HEADERS};
    size_t found = 0;
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; ++i)
        check_header(headers[i], &found);
    assert_int_equal(found, ROWS);
}

TEST(a_matrix_is_refused_for_its_own_fault)
{
    fixture f = make();
    float m[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    uint32_t id = 0;
    m[6] = (float)strtod("nan", NULL);
    assert_int_equal(tact_scene_move_instance(f.scene, 0, m), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_last_error(), "instance 0: number 6 of its matrix is "));
    m[6] = m[5] = 0.0f;
    assert_int_equal(tact_scene_move_instance(f.scene, 0, m), TACT_ERROR_INVALID_ARGUMENT);
    assert_string_equal(tact_last_error(), "instance 0: its matrix cannot be inverted");
    m[5] = 1.0f;
    m[7] = 1e30f;
    assert_int_equal(tact_scene_move_instance(f.scene, 0, m), TACT_ERROR_INVALID_ARGUMENT);
    assert_string_equal(tact_last_error(), "instance 0: its matrix moves it out of range, to 0, 1e+30, 0");
    assert_int_equal(tact_scene_add_instance(f.scene, 0, m, &id), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_last_error(), "a new instance of mesh 0: its matrix moves it"));
    unmake(&f);
}

TEST(options_and_numbers_are_refused_by_name)
{
    fixture f = make();
    const tact_ray ray = {.dz = 1.0f, .tmax = 1.0f};
    tact_hit hit;
    const tact_query_options threads = {.threads = -3};
    assert_int_equal(tact_raycast(f.scene, TACT_RAY_ANY, &ray, 1, &hit, &threads, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_string_equal(tact_last_error(), "casting rays: -3 threads");
    const tact_query_options backend = {.backend = (tact_backend)9};
    assert_int_equal(tact_raycast(f.scene, TACT_RAY_ANY, &ray, 1, &hit, &backend, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_string_equal(tact_last_error(), "casting rays: no backend 9");
    const tact_particles_desc drag = {.drag = -1.0f};
    tact_particles* particles = NULL;
    assert_int_equal(tact_particles_create(shared, &drag, &particles), TACT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(tact_last_error(), "drag is -1, which must be from 0 to "));
    const tact_collider ball = {.kind = TACT_COLLIDER_SPHERE, .shape.sphere = {{0, 0, 0}, -2.0f}};
    assert_int_equal(tact_particles_add_collider(f.particles, &ball, NULL), TACT_ERROR_INVALID_ARGUMENT);
    assert_string_equal(tact_last_error(), "a collider's radius is -2, which must be from 0 to 1e15");
    unmake(&f);
}

#include TEST_LIST
RUN_ALL(open_all, close_all)
