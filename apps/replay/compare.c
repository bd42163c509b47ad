// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/replay/compare.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/replay/replay.h"
#include "tact/body_casts.h"
#include "tact/body_nearest.h"

/// One of the two.
typedef struct side {
    tact_recording* recording;
    tact_recorded_query query;
    tact_replayed replayed;
    bool ran;  ///< with an answer
    tact_answer_bytes answer;
} side;

void tact_answer_take(const void* bytes, size_t size, void* user)
{
    tact_answer_bytes* answer = user;
    const size_t needed = answer->size + size;
    if (needed > answer->room && !answer->failed) {
        char* larger = realloc(answer->bytes, 2 * needed);
        answer->failed = !larger;
        if (larger) answer->bytes = larger;
        if (larger) answer->room = 2 * needed;
    }
    if (answer->failed || size == 0) return;
    memcpy((char*)answer->bytes + answer->size, bytes, size);
    answer->size = needed;
}

// ---- Items in words ----

static size_t put_number(char letter, const unsigned char* bytes, double* number, char* text, size_t room)
{
    uint32_t word = 0;
    uint64_t wide = 0;
    float single = 0.0f;
    switch (letter) {
        case 'b':
            *number = bytes[0];
            snprintf(text, room, "%u", bytes[0]);
            return 1;
        case 'd':
            memcpy(number, bytes, sizeof *number);
            snprintf(text, room, "%.17g", *number);
            return sizeof *number;
        case 'k':
            memcpy(&wide, bytes, sizeof wide);
            *number = (double)wide;
            snprintf(text, room, "%" PRIu64 " and %" PRIu64, wide >> 32, wide & UINT32_MAX);
            return sizeof wide;
        case 'f':
            memcpy(&single, bytes, sizeof single);
            *number = (double)single;
            snprintf(text, room, "%.9g", *number);
            return sizeof single;
        default:
            memcpy(&word, bytes, sizeof word);
            *number = letter == 'i' ? (double)(int32_t)word : (double)word;
            snprintf(text, room, letter == 'u' && word == TACT_NONE ? "none" : "%.0f", *number);
            return sizeof word;
    }
}

bool tact_replay_part_next(const char** parts, const unsigned char** bytes, tact_replay_part* part)
{
    const char* at = *parts + strspn(*parts, " ");
    if (!*at) return false;
    const char letter = *at++;
    part->count = *at >= '1' && *at <= '3' ? *at++ - '0' : 1;
    ++at;  // the colon
    const size_t length = strcspn(at, " ");
    snprintf(part->name, sizeof part->name, "%.*s", (int)length, at);
    *parts = at + length;
    part->text[0] = '\0';
    for (int i = 0; i < part->count; ++i) {
        char text[32];
        *bytes += put_number(letter, *bytes, &part->numbers[i], text, sizeof text);
        snprintf(part->text + strlen(part->text), sizeof part->text - strlen(part->text), "%s%s", i ? " " : "", text);
    }
    return true;
}

static size_t item_bytes(const char* parts)
{
    static const unsigned char zeros[TACT_REPLAY_ITEM_MOST] = {0};
    const unsigned char* bytes = zeros;
    tact_replay_part part;
    while (tact_replay_part_next(&parts, &bytes, &part))
        continue;
    return (size_t)(bytes - zeros);
}

static void put_item(tact_replay_difference* d, int which, const void* bytes)
{
    const char* parts = d->layout.parts;
    const unsigned char* at = bytes;
    tact_replay_part part;
    char* text = d->text[which];
    d->there[which] = bytes != NULL;
    if (!bytes) {
        snprintf(text, sizeof d->text[which], "none");
        return;
    }
    memcpy(d->item[which], bytes, item_bytes(parts));
    *text = '\0';
    while (tact_replay_part_next(&parts, &at, &part)) {
        const size_t length = strlen(text);
        snprintf(text + length, sizeof d->text[which] - length, "%s%s %s", length ? ", " : "", part.name, part.text);
    }
}

void tact_replay_set(tact_replay_difference* d, const char* where, const tact_replay_layout* layout, uint64_t row,
                     const void* first, const void* second)
{
    d->differs = true;
    d->where = where;
    d->layout = *layout;
    d->row = row;
    put_item(d, 0, first);
    put_item(d, 1, second);
}

void tact_replay_say(tact_replay_difference* d, const char* where, const char* first, const char* second)
{
    d->differs = true;
    d->where = where;
    d->layout = (tact_replay_layout){"", ""};
    snprintf(d->text[0], sizeof d->text[0], "%s", first);
    snprintf(d->text[1], sizeof d->text[1], "%s", second);
}

// ---- Answers of rows ----

#define HIT "u:instance u:primitive f:t f:u f:v"

static const tact_replay_layout layouts[TACT_RECORDED_KINDS] = {
    [TACT_RECORDED_RAYCAST] = {"ray", HIT},
    [TACT_RECORDED_CLOSEST] = {"point", "u:instance u:primitive f:distance f:u f:v f3:point"},
    [TACT_RECORDED_SPHERES] = {"sphere", "u:instance u:primitive f:t f3:point f3:normal"},
    [TACT_RECORDED_CULL_SCENE] = {"object", "u:id"},
    [TACT_RECORDED_CULL] = {"volume", "u:id"},
    [TACT_RECORDED_PAIRS] = {"pair", "u:a u:b"},
    [TACT_RECORDED_OVERLAP] = {"pair", "u:pose u:a u:b"},
    [TACT_RECORDED_FILTER] = {"pair", "u:object_a u:object_b u:triangle_a u:triangle_b"},
    [TACT_RECORDED_SEPARATION] = {"distance", "f:distance u:triangle_a u:triangle_b f3:point_a f3:point_b"},
    [TACT_RECORDED_SEGMENTS] = {"pair", "u:meeting f3:a f3:b"},
    [TACT_RECORDED_CONTACTS] = {"contact", "u:a u:b u:with u:triangle f3:point f:depth f3:normal f:unused"},
    [TACT_RECORDED_NEIGHBOURS] = {"pair", "k:ids"},
    [TACT_RECORDED_PICK] = {"pick",
                            "u:object u:instance u:primitive u:pixels i:x i:y u:layer f:depth f3:position "
                            "f3:normal f3:barycentric"},
    [TACT_RECORDED_IMAGE] = {"word", "u:word"},
    [TACT_RECORDED_TARGET] = {"pick",
                              "u:object u:instance u:primitive u:pixels i:x i:y u:layer f:depth f3:position "
                              "f3:normal f3:barycentric"},
    [TACT_RECORDED_LOCATE] = {"point",
                              "u:inside f:distance f:winding u:instance u:primitive f3:point u:feature f:u "
                              "f:v"},
    [TACT_RECORDED_BODIES] = {"contact",
                              "u:a u:b u:part_a u:part_b u:origin f3:normal u:count "
                              "f3:at_1 f:separation_1 u:feature_1 f3:at_2 f:separation_2 u:feature_2 "
                              "f3:at_3 f:separation_3 u:feature_3 f3:at_4 f:separation_4 u:feature_4"},
    [TACT_RECORDED_BODY_CASTS] = {"hit", "u:cast u:body u:part u:cast_part d:fraction f3:at f3:normal"},
    [TACT_RECORDED_BODY_DISTANCES] = {"pair", "u:a u:b u:part_a u:part_b f:distance f3:normal f3:on_a f3:on_b"},
    [TACT_RECORDED_BODY_NEAREST] = {"item", "u:item u:body u:part f:distance f3:normal f3:on_body f3:on_item"},
    [TACT_RECORDED_CLOUD_NEAREST] = {"neighbour", "u:id f:distance2"},
};

/// How rows of an answer are laid out: some kinds have answers of two sorts.
static tact_replay_layout layout_of(const side* s)
{
    const uint32_t first = s->query.parameters[0];
    switch (s->query.kind) {
        case TACT_RECORDED_RAYCAST:
            if (s->answer.size == s->query.count) return (tact_replay_layout){"ray", "b:hit"};
            break;
        case TACT_RECORDED_OVERLAP:
            if (first != 2) return (tact_replay_layout){"pose", "b:relation"};
            break;
        case TACT_RECORDED_CLOUD_WITHIN:
            if (first) return (tact_replay_layout){"query", "b:touched"};
            break;
        default:
            break;
    }
    return layouts[s->query.kind];
}

/// Row by row; what is left over of either byte by byte.
static void compare_rows(const side s[2], const tact_replay_layout* layout, tact_replay_difference* d)
{
    static const tact_replay_layout single = {"byte", "b:value"};
    const size_t size = layout->parts ? item_bytes(layout->parts) : 0;
    const unsigned char *a = s[0].answer.bytes, *b = s[1].answer.bytes;
    const size_t ends[2] = {s[0].answer.size, s[1].answer.size};
    const size_t most = ends[0] > ends[1] ? ends[0] : ends[1];
    size_t at = 0;
    for (; size && at < most && !d->differs; at += size) {
        const bool in_a = at + size <= ends[0], in_b = at + size <= ends[1];
        if (!in_a && !in_b) break;
        if (in_a && in_b && memcmp(a + at, b + at, size) == 0) continue;
        tact_replay_set(d, "answer", layout, at / size, in_a ? a + at : NULL, in_b ? b + at : NULL);
    }
    for (; at < most && !d->differs; ++at) {
        const bool in_a = at < ends[0], in_b = at < ends[1];
        if (in_a && in_b && a[at] == b[at]) continue;
        tact_replay_set(d, "answer", &single, at, in_a ? a + at : NULL, in_b ? b + at : NULL);
    }
}

// ---- Answers of culling ----

/// How much of an answer are ids. Classes may follow: of each volume, or of each object that has an id.
static size_t bytes_of_ids(const side* s)
{
    const size_t size = s->answer.size, volumes = (size_t)s->query.count;
    if (!s->query.parameters[1]) return size;
    if (s->query.kind == TACT_RECORDED_CULL_SCENE) return size / (sizeof(uint32_t) + 1) * sizeof(uint32_t);
    return size > volumes ? size - volumes : 0;
}

/// The class behind an id; false: there are no more.
static bool class_at(const side* s, size_t i, unsigned char item[5])
{
    const unsigned char* bytes = s->answer.bytes;
    const size_t ids = bytes_of_ids(s);
    uint32_t id = (uint32_t)i;
    if (i >= s->answer.size - ids) return false;
    if (s->query.kind == TACT_RECORDED_CULL_SCENE) memcpy(&id, bytes + i * sizeof id, sizeof id);
    memcpy(item, &id, sizeof id);
    item[4] = bytes[ids + i];
    return true;
}

static void compare_culled(const side s[2], const tact_replay_layout* layout, tact_replay_difference* d)
{
    const tact_replay_layout of_class = {layout->what, "u:id b:class"};
    side ids[2] = {s[0], s[1]};
    for (int k = 0; k < 2; ++k)
        ids[k].answer.size = bytes_of_ids(&s[k]);
    compare_rows(ids, layout, d);
    for (size_t i = 0; !d->differs; ++i) {
        unsigned char a[5] = {0}, b[5] = {0};
        const bool in_a = class_at(&s[0], i, a), in_b = class_at(&s[1], i, b);
        if (!in_a && !in_b) break;
        if (in_a && in_b && memcmp(a, b, sizeof a) == 0) continue;
        tact_replay_set(d, "answer", &of_class, i, in_a ? a : NULL, in_b ? b : NULL);
    }
}

// ---- Answers of lists ----

/// A list for each row: offsets, then what they lead to, as far as there was room.
static void compare_lists(const side s[2], const tact_replay_layout* layout, tact_replay_difference* d)
{
    const size_t size = item_bytes(layout->parts), rows = (size_t)s[0].query.count;
    const size_t head = (rows + 1) * sizeof(uint64_t);
    if (s[1].query.count != rows || s[0].answer.size < head || s[1].answer.size < head) {
        compare_rows(s, layout, d);
        return;
    }
    for (size_t i = 0; i < rows && !d->differs; ++i) {
        const unsigned char* at[2];
        uint64_t count[2], most = 0;
        for (int k = 0; k < 2; ++k) {
            const uint64_t* offsets = s[k].answer.bytes;
            const uint64_t room = (s[k].answer.size - head) / size;
            const uint64_t begin = offsets[i] < room ? offsets[i] : room;
            const uint64_t end = offsets[i + 1] < room ? offsets[i + 1] : room;
            at[k] = (const unsigned char*)s[k].answer.bytes + head + begin * size;
            count[k] = end > begin ? end - begin : 0;
            most = count[k] > most ? count[k] : most;
        }
        for (uint64_t n = 0; n < most && !d->differs; ++n) {
            const void* a = n < count[0] ? at[0] + n * size : NULL;
            const void* b = n < count[1] ? at[1] + n * size : NULL;
            if (!a || !b || memcmp(a, b, size) != 0) tact_replay_set(d, "answer", layout, i, a, b);
        }
    }
    if (!d->differs) compare_rows(s, layout, d);
}

// ---- Particles ----

static const tact_replay_layout of_particles = {"particle", "u:id f3:position f3:velocity f:radius"};

typedef struct particle_row {
    uint32_t id;
    float position[3], velocity[3], radius;
} particle_row;

typedef struct particle_state {
    tact_particles* system;
    size_t count;
    uint32_t* ids;
    float *positions, *velocities, *radii;
} particle_state;

static tact_result read_state(tact_context* context, const side* s, particle_state* p)
{
    tact_result result = tact_particles_restore(context, s->answer.bytes, s->answer.size, TACT_BACKEND_CPU, &p->system);
    if (result != TACT_OK) return result;
    p->count = tact_particles_count(p->system);
    p->ids = malloc((p->count + 1) * sizeof *p->ids);
    p->positions = malloc((p->count + 1) * 3 * sizeof *p->positions);
    p->velocities = malloc((p->count + 1) * 3 * sizeof *p->velocities);
    p->radii = malloc((p->count + 1) * sizeof *p->radii);
    if (!p->ids || !p->positions || !p->velocities || !p->radii) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_particle_output output = {
        .ids = p->ids, .positions = p->positions, .velocities = p->velocities, .radii = p->radii};
    return tact_particles_read(p->system, &output);
}

static void free_state(particle_state* p)
{
    tact_particles_destroy(p->system);
    free(p->ids);
    free(p->positions);
    free(p->velocities);
    free(p->radii);
}

static particle_row row_of(const particle_state* p, size_t i)
{
    particle_row row = {.id = p->ids[i], .radius = p->radii[i]};
    memcpy(row.position, p->positions + 3 * i, sizeof row.position);
    memcpy(row.velocity, p->velocities + 3 * i, sizeof row.velocity);
    return row;
}

/// By id, which ascend. The rest of a state, such as what contacts remember, byte by byte.
static tact_result compare_particles(tact_context* context, const side s[2], tact_replay_difference* d)
{
    particle_state p[2] = {{0}, {0}};
    tact_result result = read_state(context, &s[0], &p[0]);
    if (result == TACT_OK) result = read_state(context, &s[1], &p[1]);
    for (size_t i = 0, k = 0; result == TACT_OK && !d->differs && (i < p[0].count || k < p[1].count);) {
        const bool first = i < p[0].count && (k == p[1].count || p[0].ids[i] <= p[1].ids[k]);
        const bool second = k < p[1].count && (i == p[0].count || p[1].ids[k] <= p[0].ids[i]);
        particle_row a = {0}, b = {0};
        if (first) a = row_of(&p[0], i++);
        if (second) b = row_of(&p[1], k++);
        if (first && second && memcmp(&a, &b, sizeof a) == 0) continue;
        tact_replay_set(d, "answer", &of_particles, first ? a.id : b.id, first ? &a : NULL, second ? &b : NULL);
    }
    free_state(&p[0]);
    free_state(&p[1]);
    if (result == TACT_OK && !d->differs) compare_rows(s, &(tact_replay_layout){"byte", "b:value"}, d);
    return result;
}

// ---- What was asked ----

static bool arrays_alike(const tact_recorded_array* a, const tact_recorded_array* b)
{
    const size_t word = a->type == TACT_RECORDED_BYTES ? 1 : 4;
    return strcmp(a->name, b->name) == 0 && a->type == b->type && a->rows == b->rows && a->columns == b->columns &&
           (a->rows == 0 || memcmp(a->data, b->data, a->rows * a->columns * word) == 0);
}

/// Whether a word of a structure is rather a float than a number: of 1e-19 to 1e19.
static bool is_single(const unsigned char* bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    const uint32_t exponent = word >> 23 & 255;
    return word == 0 || (exponent > 63 && exponent < 191);
}

/// Whether a byte of a row is in a double: the position of a pose. *begin is where that begins.
static bool in_double(const tact_recorded_array* a, size_t byte, size_t* begin)
{
    static const struct {
        const char* name;
        size_t row, pose;
    } poses[] = {{"bodies", sizeof(tact_body), offsetof(tact_body, pose)},
                 {"casts", sizeof(tact_body_cast), offsetof(tact_body_cast, from)},
                 {"casts", sizeof(tact_body_cast), offsetof(tact_body_cast, to)},
                 {"items", sizeof(tact_body_nearest_item), offsetof(tact_body_nearest_item, pose)}};
    for (size_t i = 0; i < sizeof poses / sizeof *poses; ++i) {
        const size_t from = poses[i].pose;
        if (strcmp(a->name, poses[i].name) != 0 || 4 * a->columns != poses[i].row) continue;
        if (byte < from || byte >= from + 3 * sizeof(double)) continue;
        *begin = from + (byte - from) / sizeof(double) * sizeof(double);
        return true;
    }
    return false;
}

/// The first row and column that differ.
static void say_array(const tact_recorded_array* a, const tact_recorded_array* b, char* text, size_t room)
{
    if (strcmp(a->name, b->name) != 0 || a->columns != b->columns || a->rows != b->rows) {
        snprintf(text, room, "%s: %zu rows and %zu of %s", a->name, a->rows, b->rows, b->name);
        return;
    }
    const size_t word = a->type == TACT_RECORDED_BYTES ? 1 : 4;
    const unsigned char *x = a->data, *y = b->data;
    size_t at = 0;
    while (memcmp(x + at * word, y + at * word, word) == 0)
        ++at;
    char first[32], second[32];
    double number;
    char letter = word == 1 ? 'b' : a->type == TACT_RECORDED_FLOATS ? 'f' : 'u';
    if (a->type == TACT_RECORDED_MIXED && is_single(x + at * word) && is_single(y + at * word)) letter = 'f';
    const size_t row = at / a->columns * a->columns;
    size_t begin;
    if (word == 4 && in_double(a, 4 * (at - row), &begin)) {
        letter = 'd';
        at = row + begin / 4;
    }
    put_number(letter, x + at * word, &number, first, sizeof first);
    put_number(letter, y + at * word, &number, second, sizeof second);
    snprintf(text, room, "%s, row %zu, column %zu: %s and %s", a->name, at / a->columns, at % a->columns, first,
             second);
}

static void say_mesh(size_t place, const tact_recorded_mesh* a, const tact_recorded_mesh* b, char* text, size_t room)
{
    const bool same_size = a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count;
    for (size_t i = 0; same_size && i < a->vertex_count; ++i) {
        const float *x = a->positions + 3 * i, *y = b->positions + 3 * i;
        if (memcmp(x, y, 3 * sizeof *x) == 0) continue;
        snprintf(text, room, "mesh %zu, vertex %zu: %.9g %.9g %.9g and %.9g %.9g %.9g", place, i, (double)x[0],
                 (double)x[1], (double)x[2], (double)y[0], (double)y[1], (double)y[2]);
        return;
    }
    if (!same_size || memcmp(a->indices, b->indices, 3 * a->triangle_count * sizeof *a->indices) != 0) {
        snprintf(text, room, "mesh %zu: %zu vertices and %zu triangles, and %zu and %zu", place, a->vertex_count,
                 a->triangle_count, b->vertex_count, b->triangle_count);
    }
}

static void compare_inputs(const side s[2], size_t index, tact_replay_difference* d)
{
    bool more = true;
    for (size_t k = 0; more && !d->asked[0]; ++k) {
        tact_recorded_mesh a, b;
        const bool in_a = tact_recording_mesh(s[0].recording, index, k, &a);
        more = tact_recording_mesh(s[1].recording, index, k, &b);
        if (in_a != more) snprintf(d->asked, sizeof d->asked, "mesh %zu: only in one of them", k);
        more = more && in_a;
        if (more) say_mesh(k, &a, &b, d->asked, sizeof d->asked);
    }
    more = true;
    for (size_t k = 0; more && !d->asked[0]; ++k) {
        tact_recorded_array a, b;
        const bool in_a = tact_recording_array(s[0].recording, index, k, &a);
        more = tact_recording_array(s[1].recording, index, k, &b);
        if (in_a != more) snprintf(d->asked, sizeof d->asked, "%s: only in one of them", in_a ? a.name : b.name);
        more = more && in_a;
        if (more && !arrays_alike(&a, &b)) say_array(&a, &b, d->asked, sizeof d->asked);
    }
}

// ---- Two queries ----

/// Runs one again. What cannot be run here, or has failed, has no answer.
static bool run(tact_context* context, side* s, size_t index, const tact_query_options* options, tact_problem* problem)
{
    if (s->query.missing[0]) return true;
    const tact_result result =
        tact_recording_answer(s->recording, index, options, tact_answer_take, &s->answer, &s->replayed);
    if (result != TACT_OK) return tact_problem_from_result(problem, result, context, "a recorded query");
    if (s->answer.failed) return tact_problem_out_of_memory(problem, "an answer");
    s->ran = s->replayed.answered && s->replayed.result >= TACT_OK;
    return true;
}

static tact_result compare_answers(tact_context* context, const side s[2], tact_replay_difference* d)
{
    if (s[0].answer.size == s[1].answer.size &&
        (s[0].answer.size == 0 || memcmp(s[0].answer.bytes, s[1].answer.bytes, s[0].answer.size) == 0)) {
        return TACT_OK;
    }
    const tact_replay_layout layout = layout_of(&s[0]), other = layout_of(&s[1]);
    if (layout.parts != other.parts && (!layout.parts || !other.parts || strcmp(layout.parts, other.parts) != 0)) {
        tact_replay_say(d, "parameters", layout.what, other.what);
        return TACT_OK;
    }
    if (s[0].query.kind == TACT_RECORDED_PARTICLES) return compare_particles(context, s, d);
    const bool lists = s[0].query.kind == TACT_RECORDED_RAYCAST_ALL ||
                       (s[0].query.kind == TACT_RECORDED_CLOUD_WITHIN && s[0].query.parameters[0] == 0);
    const tact_replay_layout of_list = s[0].query.kind == TACT_RECORDED_RAYCAST_ALL
                                           ? (tact_replay_layout){"ray", HIT}
                                           : (tact_replay_layout){"query", "u:id"};
    if (lists) {
        compare_lists(s, &of_list, d);
    } else if (s[0].query.kind == TACT_RECORDED_CULL || s[0].query.kind == TACT_RECORDED_CULL_SCENE) {
        compare_culled(s, &layout, d);
    } else {
        compare_rows(s, &layout, d);
    }
    return TACT_OK;
}

/// By the digests that were recorded.
static void compare_digests(const side s[2], tact_replay_difference* d)
{
    char text[2][40];
    for (int k = 0; k < 2; ++k)
        snprintf(text[k], sizeof text[k], "digest %016" PRIx64, s[k].query.digest);
    if (s[0].query.digest != s[1].query.digest) tact_replay_say(d, "digest", text[0], text[1]);
}

static bool compare(tact_context* context, side s[2], size_t index, const tact_query_options* options,
                    tact_replay_difference* d, bool* compared, tact_problem* problem)
{
    *compared = true;
    if (s[0].query.kind != s[1].query.kind) {
        tact_replay_say(d, "kind", tact_recorded_kind_name(s[0].query.kind), tact_recorded_kind_name(s[1].query.kind));
        return true;
    }
    if (!run(context, &s[0], index, options, problem) || !run(context, &s[1], index, options, problem)) return false;
    compare_inputs(s, index, d);
    if (s[0].ran && s[1].ran) {
        const tact_result result = compare_answers(context, s, d);
        if (result != TACT_OK) return tact_problem_from_result(problem, result, context, "comparing answers");
    } else if (s[0].ran != s[1].ran && !s[0].query.missing[0] && !s[1].query.missing[0]) {
        tact_replay_say(d, "result", tact_result_name(s[0].replayed.result), tact_result_name(s[1].replayed.result));
    }
    if (d->differs) return true;
    if (s[0].query.answered && s[1].query.answered) {
        compare_digests(s, d);
    } else {
        *compared = s[0].ran && s[1].ran;
    }
    return true;
}

bool tact_replay_compare(tact_context* context, tact_recording* const recordings[2], size_t index,
                         const tact_query_options* options, tact_replay_difference* d, bool* compared,
                         tact_problem* problem)
{
    side s[2] = {{.recording = recordings[0]}, {.recording = recordings[1]}};
    *d = (tact_replay_difference){.where = "", .layout = {"", ""}};
    const bool in[2] = {tact_recording_query(recordings[0], index, &s[0].query) == TACT_OK,
                        tact_recording_query(recordings[1], index, &s[1].query) == TACT_OK};
    if (in[0] != in[1]) {
        *compared = true;
        tact_replay_say(d, "queries", in[0] ? tact_recorded_kind_name(s[0].query.kind) : "none",
                        in[1] ? tact_recorded_kind_name(s[1].query.kind) : "none");
        return true;
    }
    const bool good = compare(context, s, index, options, d, compared, problem);
    free(s[0].answer.bytes);
    free(s[1].answer.bytes);
    return good;
}
