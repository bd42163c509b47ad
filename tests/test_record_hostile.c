// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Files of recorded queries made by hand: one that is right, and each thing in it wrong in turn, with a header and a
// checksum that agree. What the reader takes, though no query could have been asked so, is refused when it is run.

#include "tests/support/run.h"

#include "base/bytes.h"
#include "core/pick/request.h"
#include "core/record/record.h"
#include "core/scene/scene.h"
#include "tests/support/counting_allocator.h"
#include "tests/support/objects.h"
#include "tests/support/test_context.h"

enum { MOST_CHUNKS = 40, MOST_WORDS = 48, MOST_REFERENCES = 6, MOST_BYTES = 1 << 18 };

/// A chunk before it is written. Bytes are words here, but for the last few of `size`.
typedef struct part {
    uint32_t type, row_words;
    uint32_t reference_count;
    uint32_t references[MOST_REFERENCES];  ///< numbers from 1
    uint32_t size;
    uint32_t words[MOST_WORDS];
    bool query;  ///< then the bytes are those of the file's query
} part;

typedef struct file {
    part parts[MOST_CHUNKS];
    uint32_t count;
    tact_recorded_query query;
    uint32_t claimed;  ///< chunks by the header; 0: as many as there are
    uint8_t bytes[MOST_BYTES];
    size_t size;
} file;

static uint32_t add(file* f, uint32_t type, uint32_t row_words, uint32_t size)
{
    f->parts[f->count] = (part){.type = type, .row_words = row_words, .size = size};
    return ++f->count;
}

static uint32_t add_floats(file* f, uint32_t row_words, const float* floats, uint32_t rows)
{
    const uint32_t number = add(f, TACT_CHUNK_ARRAY, row_words, 4 * row_words * rows);
    memcpy(f->parts[number - 1].words, floats, (size_t)4 * row_words * rows);
    return number;
}

static void refer(file* f, uint32_t number, uint32_t count, const uint32_t* to)
{
    part* p = &f->parts[number - 1];
    p->reference_count = count;
    memcpy(p->references, to, count * sizeof *to);
}

static void put(file* f, const void* bytes, size_t size)
{
    assert_true(f->size + size <= MOST_BYTES);
    if (size > 0) memcpy(f->bytes + f->size, bytes, size);
    f->size += size;
}

static void put_word(file* f, uint32_t word)
{
    uint8_t bytes[4];
    tact_put_u32(bytes, word);
    put(f, bytes, 4);
}

static void put_part(file* f, const part* p)
{
    uint8_t query[TACT_RECORD_QUERY_BYTES] = {0};
    put_word(f, p->type);
    put_word(f, p->row_words);
    put_word(f, p->reference_count);
    put_word(f, 0);
    put_word(f, p->size);
    put_word(f, 0);
    for (uint32_t i = 0; i < p->reference_count; ++i)
        put_word(f, i < MOST_REFERENCES ? p->references[i] : 0);
    if (p->reference_count % 2 != 0) put_word(f, 0);
    if (p->query) {
        tact_record_put_query(&f->query, query);
        assert_true(p->size <= sizeof query);
        put(f, query, p->size);
    } else {
        for (uint32_t i = 0; 4 * i < p->size; ++i) {
            uint8_t word[4];
            tact_put_u32(word, i < MOST_WORDS ? p->words[i] : 0);
            put(f, word, p->size - 4 * i < 4 ? p->size - 4 * i : 4);
        }
    }
    static const uint8_t zeros[8] = {0};
    put(f, zeros, (8 - f->size % 8) % 8);
}

static void put_header(file* f)
{
    memcpy(f->bytes, TACT_RECORD_MAGIC, 8);
    tact_put_u32(f->bytes + 8, TACT_RECORD_VERSION);
    tact_put_u32(f->bytes + 12, f->claimed ? f->claimed : f->count);
    tact_put_u64(f->bytes + 16, f->size);
    tact_put_u64(f->bytes + 24, tact_xxh64_of(f->bytes + TACT_RECORD_HEADER, f->size - TACT_RECORD_HEADER));
}

static void write(file* f)
{
    f->size = TACT_RECORD_HEADER;
    for (uint32_t i = 0; i < f->count; ++i)
        put_part(f, &f->parts[i]);
    put_header(f);
}

/// Read until the test ends, unless it is refused for `word`.
static tact_recording* read(file* f, const char* word, const char* what)
{
    tact_recording* r = NULL;
    write(f);
    const tact_result result = tact_recording_read(context, f->bytes, f->size, &r);
    const char* says = tact_context_error(context);
    if (result != (word ? TACT_ERROR_INVALID_ARGUMENT : TACT_OK) || (word && (r || !strstr(says, word)))) {
        fail_msg("%s: %s, \"%s\", expected \"%s\"", what, tact_result_name(result), says, word ? word : "");
    }
    return KEEP(r);
}

// ---- A file with one chunk of each kind ----

enum {
    MACHINE = 1,
    POSITIONS,
    INDICES,
    UVS,
    TEXELS,
    SHAPES,
    PLAIN_MESH,
    HOLED_MESH,
    BALLS_MESH,
    BOXES,
    FILTERS,
    USED,
    SET,
    INSTANCES,
    SCENE,
    GROUP,
    RAYS,
    QUERY
};

static void good_file(file* f)
{
    static const float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, uvs[6] = {0, 0, 1, 0, 0, 1},
                       boxes[12] = {0, 0, 0, 1, 1, 1, 0, 0, 0, 2, 2, 2}, ray[8] = {0.2f, 0.2f, 5, 0, 0, 0, -1, 9};
    memset(f, 0, sizeof *f);
    add(f, TACT_CHUNK_MACHINE, 0, 3);
    f->parts[0].words[0] = 'm' | 7u << 8 | 200u << 16;
    add_floats(f, 3, positions, 3);
    add(f, TACT_CHUNK_ARRAY, 3, 12);
    memcpy(f->parts[INDICES - 1].words, (const uint32_t[3]){0, 1, 2}, 12);
    add_floats(f, 2, uvs, 3);
    add(f, TACT_CHUNK_ARRAY, 0, 4);
    add_floats(f, 8, (const float[8]){0, 0, 0, 1}, 1);
    for (uint32_t mesh = PLAIN_MESH; mesh <= BALLS_MESH; ++mesh) {
        uint32_t* words = f->parts[add(f, TACT_CHUNK_MESH, 1, 28) - 1].words;
        const bool balls = mesh == BALLS_MESH, holed = mesh == HOLED_MESH;
        words[0] = balls ? TACT_KIND_SPHERES : TACT_KIND_TRIANGLES;
        words[2] = holed;
        words[3] = words[4] = holed ? 2 : 0;
        refer(f, mesh, 5,
              (const uint32_t[5]){balls ? 0 : POSITIONS, balls ? 0 : INDICES, balls ? SHAPES : 0, holed ? UVS : 0,
                                  holed ? TEXELS : 0});
    }
    add_floats(f, 6, boxes, 2);
    add(f, TACT_CHUNK_ARRAY, 2, 16);
    add(f, TACT_CHUNK_ARRAY, 0, 2);
    f->parts[USED - 1].words[0] = 1;
    add(f, TACT_CHUNK_SET, 1, 4);
    f->parts[SET - 1].words[0] = TACT_VOLUME_AABB;
    refer(f, SET, 3, (const uint32_t[3]){BOXES, FILTERS, USED});
    add(f, TACT_CHUNK_ARRAY, TACT_INSTANCE_WORDS, 4 * TACT_INSTANCE_WORDS);
    const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    f->parts[INSTANCES - 1].words[1] = 0xffffffffu;
    memcpy(f->parts[INSTANCES - 1].words + 4, identity, sizeof identity);
    add(f, TACT_CHUNK_SCENE, 1, 0);
    refer(f, SCENE, 4, (const uint32_t[4]){INSTANCES, PLAIN_MESH, HOLED_MESH, BALLS_MESH});
    add(f, TACT_CHUNK_SHAPES, 1, 0);
    refer(f, GROUP, 2, (const uint32_t[2]){PLAIN_MESH, HOLED_MESH});
    add_floats(f, 8, ray, 1);
    add(f, TACT_CHUNK_QUERY, 0, TACT_RECORD_QUERY_BYTES);
    f->parts[QUERY - 1].query = true;
    refer(f, QUERY, 4, (const uint32_t[4]){SCENE, RAYS, 0, 0});
    f->query = (tact_recorded_query){.kind = TACT_RECORDED_RAYCAST, .number = 7, .count = 1, .parameters = {0, ~0u}};
    assert_int_equal(f->count, QUERY);
}

/// An array of zeros before the query.
static uint32_t insert(file* f, uint32_t row_words, uint32_t rows)
{
    const uint32_t number = f->count++;
    f->parts[number] = f->parts[number - 1];
    f->parts[number - 1] = (part){.type = TACT_CHUNK_ARRAY, .row_words = row_words, .size = 4 * row_words * rows};
    return number;
}

static void ask_of(file* f, tact_recorded_kind kind, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    memcpy(f->parts[f->count - 1].references, (const uint32_t[4]){a, b, c, d}, 16);
    f->query.kind = kind;
}

typedef enum place { TYPE, ROW_WORDS, REFERENCES, SIZE, WORD, REFERENCE = WORD + MOST_WORDS } place;

typedef struct change {
    uint32_t chunk;
    uint32_t where;  ///< a place; of words and references, with the index added
    uint32_t value;
    const char* word;  ///< of what the reader says; NULL: it takes the file
} change;

static void make(file* f, const change* c)
{
    part* p = &f->parts[c->chunk - 1];
    uint32_t* at = c->where == TYPE         ? &p->type
                   : c->where == ROW_WORDS  ? &p->row_words
                   : c->where == REFERENCES ? &p->reference_count
                   : c->where == SIZE       ? &p->size
                   : c->where < REFERENCE   ? &p->words[c->where - WORD]
                                            : &p->references[c->where - REFERENCE];
    if (*at == c->value) fail_msg("chunk %u, place %u: nothing is changed", c->chunk, c->where);
    *at = c->value;
}

static const char wrong[] = "does not belong there", later[] = "refers to a later one";

TEST(chunks_are_what_they_should_be)
{
    static const change changes[] = {
        {MACHINE, TYPE, TACT_CHUNK_ARRAY, wrong},
        {MACHINE, ROW_WORDS, 1, wrong},
        {MACHINE, REFERENCES, 1, wrong},
        {MACHINE, SIZE, 2, NULL},
        {POSITIONS, TYPE, TACT_CHUNK_MACHINE, wrong},
        {POSITIONS, TYPE, 0, wrong},
        {POSITIONS, TYPE, 99, wrong},
        {POSITIONS, REFERENCES, 1, wrong},
        {POSITIONS, ROW_WORDS, 65, wrong},
        {POSITIONS, ROW_WORDS, 64, wrong},  // not a whole row
        {POSITIONS, ROW_WORDS, 9, wrong},   // positions no more
        {POSITIONS, SIZE, 24, wrong},       // an index has no vertex
        {INDICES, WORD + 2, 3, wrong},
        {INDICES, SIZE, 13, wrong},
        {INDICES, SIZE, 0, NULL},
        {PLAIN_MESH, ROW_WORDS, 0, wrong},
        {PLAIN_MESH, SIZE, 24, wrong},
        {PLAIN_MESH, REFERENCES, 4, wrong},
        {PLAIN_MESH, WORD, 4, wrong},
        {PLAIN_MESH, WORD, TACT_KIND_SPHERES, wrong},
        {PLAIN_MESH, WORD + 1, 3, wrong},
        {PLAIN_MESH, WORD + 1, TACT_MESH_HIGH, NULL},
        {PLAIN_MESH, REFERENCE, 0, wrong},
        {PLAIN_MESH, REFERENCE, UVS, wrong},
        {PLAIN_MESH, REFERENCE + 1, 0, wrong},
        {PLAIN_MESH, REFERENCE + 1, MACHINE, wrong},
        {PLAIN_MESH, REFERENCE, PLAIN_MESH, later},
        {PLAIN_MESH, REFERENCE, HOLED_MESH, later},
        {HOLED_MESH, REFERENCE + 3, 0, wrong},
        {HOLED_MESH, REFERENCE + 4, 0, wrong},
        {HOLED_MESH, REFERENCE + 4, UVS, wrong},
        {HOLED_MESH, REFERENCE + 1, PLAIN_MESH, wrong},
        {HOLED_MESH, WORD + 3, 3, wrong},
        {HOLED_MESH, WORD + 4, 1, wrong},
        {HOLED_MESH, WORD + 5, TACT_ALPHA_WRAP_CLAMP, NULL},
        {HOLED_MESH, WORD + 5, TACT_ALPHA_WRAP_CLAMP + 1, wrong},
        {HOLED_MESH, WORD + 6, 255, NULL},
        {HOLED_MESH, WORD + 6, 256, wrong},
        {UVS, SIZE, 16, wrong},
        {TEXELS, SIZE, 3, wrong},
        {TEXELS, ROW_WORDS, 1, wrong},
        {BALLS_MESH, REFERENCE + 2, 0, wrong},
        {BALLS_MESH, REFERENCE + 2, POSITIONS, wrong},
        {SET, ROW_WORDS, 0, wrong},
        {SET, SIZE, 8, wrong},
        {SET, REFERENCES, 2, wrong},
        {SET, WORD, 2, wrong},
        {SET, WORD, TACT_VOLUME_SPHERE, wrong},
        {SET, REFERENCE, 0, wrong},
        {SET, REFERENCE + 1, BOXES, wrong},
        {SET, REFERENCE + 1, UVS, wrong},  // three categories for two boxes
        {SET, REFERENCE + 1, 0, NULL},
        {SET, REFERENCE + 2, FILTERS, wrong},
        {SET, REFERENCE + 2, TEXELS, wrong},
        {SET, REFERENCE + 2, 0, NULL},
        {SCENE, REFERENCES, 0, wrong},
        {SCENE, REFERENCES, 1, NULL},
        {SCENE, SIZE, 4, wrong},
        {SCENE, REFERENCE, 0, wrong},
        {SCENE, REFERENCE, RAYS, later},
        {SCENE, REFERENCE + 2, 0, wrong},
        {SCENE, REFERENCE + 2, POSITIONS, wrong},
        {GROUP, SIZE, 4, wrong},
        {GROUP, REFERENCE, SET, wrong},
        {GROUP, REFERENCES, 0, NULL},
        {QUERY, ROW_WORDS, 1, wrong},
        {QUERY, REFERENCES, 3, wrong},
        {QUERY, SIZE, TACT_RECORD_QUERY_BYTES - 4, wrong},
        {QUERY, REFERENCE, 0, wrong},
        {QUERY, REFERENCE, RAYS, wrong},
        {QUERY, REFERENCE + 1, BOXES, wrong},
        {QUERY, REFERENCE + 1, 0, wrong},
        {QUERY, REFERENCE + 2, POSITIONS, wrong},
        {QUERY, REFERENCE + 3, RAYS, wrong},
        {QUERY, REFERENCE + 3, QUERY + 1, later},
    };
    static file f;
    good_file(&f);
    read(&f, NULL, "the file as it is");
    for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i) {
        char what[64];
        snprintf(what, sizeof what, "chunk %u, place %u, %u", changes[i].chunk, changes[i].where, changes[i].value);
        good_file(&f);
        make(&f, &changes[i]);
        read(&f, changes[i].word, what);
    }
}

TEST(queries_are_what_they_should_be)
{
    static const struct {
        int at;  ///< of the query's bytes
        uint32_t value;
    } changes[] = {{0, 0},
                   {0, TACT_RECORDED_KINDS},
                   {0, ~0u},
                   {4, TACT_BACKEND_COUNT},
                   {4, ~0u},
                   {8, 1025},
                   {8, ~0u},
                   {12, TACT_RAY_SORT_NEVER + 1},
                   {88, TACT_INCOMPLETE + 1},
                   {88, (uint32_t)(TACT_ERROR_INTERNAL - 1)},
                   {92, TACT_BACKEND_COUNT},
                   {92, ~0u}};
    static file f;
    good_file(&f);
    write(&f);
    const size_t query = f.size - TACT_RECORD_QUERY_BYTES;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i) {
        tact_recording* r = NULL;
        write(&f);
        tact_put_u32(f.bytes + query + changes[i].at, changes[i].value);
        put_header(&f);
        if (tact_recording_read(context, f.bytes, f.size, &r) != TACT_ERROR_INVALID_ARGUMENT) {
            fail_msg("byte %d of a query may be %u", changes[i].at, changes[i].value);
        }
        assert_non_null(strstr(tact_context_error(context), wrong));
    }
    // A text is printable, whatever the file says.
    static const uint8_t bytes[4] = {31, 126, 127, 'a'};
    tact_recorded_query q;
    tact_recording* told = NULL;
    write(&f);
    memcpy(f.bytes + query + 184, bytes, sizeof bytes);
    put_header(&f);
    assert_int_equal(tact_recording_read(context, f.bytes, f.size, &told), TACT_OK);
    assert_int_equal(tact_recording_query(KEEP(told), 0, &q), TACT_OK);
    assert_string_equal(q.report.device, "?~?a");
    // One that cannot be run again may lack what it was asked, and must not have anything else in its place.
    snprintf(f.query.missing, sizeof f.query.missing, "a reason");
    f.parts[QUERY - 1].references[1] = 0;
    tact_recording* r = read(&f, NULL, "with a reason");
    tact_replayed replayed;
    assert_int_equal(tact_recording_run(r, 0, NULL, &replayed), TACT_ERROR_INVALID_ARGUMENT);
    assert_string_equal(tact_context_error(context), "query 7: a reason");
    f.parts[QUERY - 1].references[1] = BOXES;
    read(&f, wrong, "with a reason, and boxes for rays");
    // Volumes to cull of a kind that there is not: their rows have no size.
    good_file(&f);
    ask_of(&f, TACT_RECORDED_CULL, TEXELS, 0, 0, 0);
    f.query.parameters[0] = 17;
    snprintf(f.query.missing, sizeof f.query.missing, "a reason");
    read(&f, wrong, "volumes of no kind");
}

TEST(files_end_where_they_should)
{
    static file f;
    static const char long_one[] = "longer than the file", room[] = "more chunks than the file has room for";
    good_file(&f);
    f.parts[QUERY - 1].size = TACT_RECORD_QUERY_BYTES;
    write(&f);
    tact_recording* r = NULL;
    const size_t size = f.size, head = size - TACT_RECORD_QUERY_BYTES - 16 - TACT_RECORD_CHUNK_HEAD;
    const struct {
        size_t at, size;
        uint64_t value;
        const char* word;
    } changes[] = {
        {head + 8, size, 0xffffffffu, long_one},  // references
        {head + 8, size, 324, long_one},          // leaving no room for the bytes
        {head + 16, size, UINT64_MAX, long_one},
        {head + 16, size, TACT_RECORD_QUERY_BYTES + 1, long_one},
        {head + 16, size - 4, TACT_RECORD_QUERY_BYTES - 4, long_one},  // without what fills it up
        {12, size, 0, room},
        {12, size, size, room},
        {12, size, QUERY + 1, "within a chunk's head"},
        {12, size, QUERY - 1, "goes on behind its last chunk"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; ++i) {
        write(&f);
        f.size = changes[i].size;
        if (changes[i].at < TACT_RECORD_HEADER) {
            f.claimed = (uint32_t)changes[i].value;
        } else if (changes[i].at == head + 8) {
            tact_put_u32(f.bytes + changes[i].at, (uint32_t)changes[i].value);
        } else {
            tact_put_u64(f.bytes + changes[i].at, changes[i].value);
        }
        put_header(&f);
        if (changes[i].at < TACT_RECORD_HEADER) tact_put_u32(f.bytes + 12, (uint32_t)changes[i].value);
        assert_int_equal(tact_recording_read(context, f.bytes, f.size, &r), TACT_ERROR_INVALID_ARGUMENT);
        assert_null(r);
        if (!strstr(tact_context_error(context), changes[i].word)) {
            fail_msg("row %zu: \"%s\", expected \"%s\"", i, tact_context_error(context), changes[i].word);
        }
        f.claimed = 0;
    }
    assert_int_equal(tact_recording_read(context, NULL, 100, &r), TACT_ERROR_INVALID_ARGUMENT);
    assert_string_equal(tact_context_error(context), "these are no recorded queries");
}

TEST(what_is_there_can_be_looked_at)
{
    static file f;
    good_file(&f);
    tact_recording* r = read(&f, NULL, "the file as it is");
    tact_recorded_array a;
    tact_recorded_mesh m;
    tact_recorded_query q;
    tact_scene* scene = NULL;
    assert_string_equal(tact_recording_machine(r), "m??");
    assert_string_equal(tact_recording_machine(NULL), "");
    assert_int_equal(tact_recording_count(NULL), 0);
    assert_true(tact_recording_array(r, 0, 0, &a) && strcmp(a.name, "instances") == 0 && a.rows == 1);
    assert_true(tact_recording_array(r, 0, 1, &a) && strcmp(a.name, "rays") == 0 && a.columns == 8);
    assert_false(tact_recording_array(r, 0, 2, &a));
    assert_false(tact_recording_array(r, 1, 0, &a));
    assert_false(tact_recording_array(r, 0, 0, NULL));
    assert_false(tact_recording_array(NULL, 0, 0, &a));
    assert_true(tact_recording_mesh(r, 0, 0, &m) && m.vertex_count == 3 && m.triangle_count == 1);
    assert_true(tact_recording_mesh(r, 0, 2, &m) && m.vertex_count == 0 && !m.positions);
    assert_false(tact_recording_mesh(r, 0, 3, &m));
    assert_false(tact_recording_mesh(r, 1, 0, &m));
    assert_false(tact_recording_mesh(r, 0, 0, NULL));
    assert_false(tact_recording_mesh(NULL, 0, 0, &m));
    assert_int_equal(tact_recording_query(r, 1, &q), TACT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(tact_recording_make_scene(r, 1, &scene), TACT_ERROR_INVALID_ARGUMENT);
    // Of a set, and of shapes.
    ask_of(&f, TACT_RECORDED_PAIRS, SET, SET, 0, 0);
    r = read(&f, NULL, "pairs");
    static const char* const names[6] = {"volumes", "categories", "used", "volumes", "categories", "used"};
    for (size_t i = 0; i < 6; ++i) {
        assert_true(tact_recording_array(r, 0, i, &a));
        assert_string_equal(a.name, names[i]);
    }
    assert_false(tact_recording_array(r, 0, 6, &a));
    assert_false(tact_recording_mesh(r, 0, 0, &m));
    assert_int_equal(tact_recording_make_scene(r, 0, &scene), TACT_OK);
    assert_null(scene);
    // A set without categories has two arrays.
    good_file(&f);
    ask_of(&f, TACT_RECORDED_PAIRS, SET, 0, 0, 0);
    f.parts[SET - 1].references[1] = 0;
    r = read(&f, NULL, "pairs without categories");
    assert_true(tact_recording_array(r, 0, 1, &a) && strcmp(a.name, "used") == 0);
    assert_false(tact_recording_array(r, 0, 2, &a));
    good_file(&f);
    ask_of(&f, TACT_RECORDED_FILTER, GROUP, insert(&f, 13, 0), 0, 0);
    r = read(&f, NULL, "filter");
    assert_true(tact_recording_mesh(r, 0, 1, &m) && m.vertex_count == 3);
    assert_false(tact_recording_mesh(r, 0, 2, &m));
    // Balls with corners are balls.
    good_file(&f);
    f.parts[BALLS_MESH - 1].references[0] = POSITIONS;
    r = read(&f, NULL, "balls with corners");
    assert_true(tact_recording_mesh(r, 0, 2, &m) && m.vertex_count == 0 && !m.positions);
    good_file(&f);
    ask_of(&f, TACT_RECORDED_OVERLAP, PLAIN_MESH, HOLED_MESH, insert(&f, 12, 1), 0);
    r = read(&f, NULL, "overlap");
    assert_true(tact_recording_mesh(r, 0, 1, &m) && m.vertex_count == 3);
    assert_false(tact_recording_mesh(r, 0, 2, &m));
    assert_true(tact_recording_array(r, 0, 0, &a) && strcmp(a.name, "poses") == 0);
}

/// Runs the file's query again. `result`: what keeps it from being asked, in which case `word` is in the sentence.
static tact_replayed run(file* f, const tact_query_options* options, tact_result result, const char* word)
{
    tact_replayed replayed = {0};
    tact_recording* r = read(f, NULL, "to be run");
    const tact_result got = tact_recording_run(r, 0, options, &replayed);
    const char* says = tact_context_error(context);
    if (got != result || (word && !strstr(says, word))) {
        fail_msg("%s: %s, \"%s\", expected \"%s\"", tact_recorded_kind_name(f->query.kind), tact_result_name(got), says,
                 word ? word : "");
    }
    return replayed;
}

TEST(queries_of_scenes_are_asked_or_refused)
{
    static file f;
    const tact_query_options nowhere = {.backend = TACT_BACKEND_GL, .no_fallback = true};
    good_file(&f);
    f.query.finished = f.query.answered = true;
    tact_replayed first = run(&f, NULL, TACT_OK, NULL);
    assert_true(first.answered && !first.same && first.answer_bytes == sizeof(tact_hit));
    // The same digest of another length is another answer.
    f.query.digest = first.digest;
    f.query.answer_bytes = first.answer_bytes;
    assert_true(run(&f, NULL, TACT_OK, NULL).same);
    ++f.query.answer_bytes;
    assert_false(run(&f, NULL, TACT_OK, NULL).same);
    assert_int_equal(run(&f, &nowhere, TACT_OK, NULL).result, TACT_ERROR_NO_DEVICE);
    // A mask for each ray, and not for others.
    ask_of(&f, TACT_RECORDED_RAYCAST, SCENE, RAYS, insert(&f, 1, 1), 0);
    assert_true(run(&f, NULL, TACT_OK, NULL).answered);
    f.parts[f.count - 2].size = 8;
    run(&f, NULL, TACT_ERROR_INVALID_ARGUMENT, "query 7: not a mask for each ray");
    // All hits: with and without room, and asked where there is no device.
    good_file(&f);
    f.query.kind = TACT_RECORDED_RAYCAST_ALL;
    f.query.parameters[0] = 1;
    assert_true(run(&f, NULL, TACT_OK, NULL).answered);
    f.query.parameters[4] = 100;
    assert_true(run(&f, NULL, TACT_OK, NULL).answered);
    assert_int_equal(run(&f, &nowhere, TACT_OK, NULL).result, TACT_ERROR_NO_DEVICE);
    // Instances: one that was removed, and one of no mesh.
    good_file(&f);
    f.parts[INSTANCES - 1].size *= 2;
    memcpy(f.parts[INSTANCES - 1].words + 16, f.parts[INSTANCES - 1].words, 64);
    f.parts[INSTANCES - 1].words[0] = TACT_NONE;
    assert_true(run(&f, NULL, TACT_OK, NULL).answered);
    f.parts[INSTANCES - 1].words[0] = 3;
    run(&f, NULL, TACT_ERROR_INVALID_ARGUMENT, "mesh 3");
    // Texels of which there are none.
    good_file(&f);
    f.parts[TEXELS - 1].size = f.parts[HOLED_MESH - 1].words[3] = f.parts[HOLED_MESH - 1].words[4] = 0;
    run(&f, NULL, TACT_ERROR_INVALID_ARGUMENT, NULL);
    good_file(&f);
    ask_of(&f, TACT_RECORDED_CULL_SCENE, SCENE, insert(&f, 4, TACT_CULL_PLANES_MAX + 1), 0, 0);
    run(&f, NULL, TACT_ERROR_INVALID_ARGUMENT, "too many planes");
}

TEST(queries_of_sets_and_meshes_are_asked_or_refused)
{
    static file f;
    good_file(&f);
    ask_of(&f, TACT_RECORDED_CULL, BOXES, insert(&f, 4, TACT_CULL_PLANES_MAX + 1), 0, 0);
    run(&f, NULL, TACT_ERROR_INVALID_ARGUMENT, "too many planes");
    good_file(&f);
    ask_of(&f, TACT_RECORDED_PAIRS, SET, 0, 0, 0);
    assert_true(run(&f, NULL, TACT_OK, NULL).answered);
    // A mesh with itself, in one pose or in two.
    for (uint32_t poses = 1; poses <= 2; ++poses) {
        good_file(&f);
        ask_of(&f, TACT_RECORDED_SEPARATION, PLAIN_MESH, PLAIN_MESH, insert(&f, 12, poses), 0);
        const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
        for (uint32_t i = 0; i < poses; ++i)
            memcpy(f.parts[f.count - 2].words + 12 * i, identity, sizeof identity);
        if (poses == 2) run(&f, NULL, TACT_ERROR_INVALID_ARGUMENT, "not one pose");
        if (poses == 1) assert_int_equal(run(&f, NULL, TACT_OK, NULL).result, TACT_OK);
        f.query.kind = TACT_RECORDED_OVERLAP;
        assert_int_equal(run(&f, NULL, TACT_OK, NULL).result, TACT_OK);
    }
    good_file(&f);
    f.parts[GROUP - 1].references[0] = BALLS_MESH;
    ask_of(&f, TACT_RECORDED_FILTER, GROUP, insert(&f, 13, 0), 0, 0);
    run(&f, NULL, TACT_OK, NULL);
    f.parts[BALLS_MESH - 1].references[0] = POSITIONS;
    run(&f, NULL, TACT_OK, NULL);
}

TEST(what_is_looked_at_is_asked_or_refused)
{
    static file f;
    static const char poses[] = "fewer poses or bounds than it says";
    for (uint32_t views = 0; views < 2; ++views) {
        good_file(&f);
        const uint32_t view = insert(&f, TACT_VIEW_WORDS, views);
        ask_of(&f, TACT_RECORDED_PICK, SCENE, view, insert(&f, TACT_REGION_WORDS, 1 - views), 0);
        run(&f, NULL, TACT_ERROR_INVALID_ARGUMENT, "not one view and one region");
    }
    good_file(&f);
    const uint32_t many = insert(&f, 12, 4097), two = insert(&f, TACT_BOUNDS_WORDS, 2);
    ask_of(&f, TACT_RECORDED_IMAGE, PLAIN_MESH, HOLED_MESH, many, two);
    // They are asked, and refused: B has not one pose for each test.
    f.query.parameters[3] = 12 | 48;  // bounds of both, which are convex
    f.query.parameters[4] = 1;
    assert_int_equal(run(&f, NULL, TACT_OK, NULL).result, TACT_ERROR_INVALID_ARGUMENT);
    f.query.count = 4097;
    assert_int_equal(run(&f, NULL, TACT_OK, NULL).result, TACT_ERROR_INVALID_ARGUMENT);
    f.query.count = 4098;
    run(&f, NULL, TACT_ERROR_INVALID_ARGUMENT, "more tests than poses");
    f.query.parameters[4] = 4098;
    run(&f, NULL, TACT_ERROR_INVALID_ARGUMENT, poses);
    f.query.count = 1;
    f.query.parameters[4] = 1;
    f.query.parameters[3] = 8 | 48;  // bounds of B
    assert_int_equal(run(&f, NULL, TACT_OK, NULL).result, TACT_ERROR_INVALID_ARGUMENT);
    f.parts[two - 1].size = 4 * TACT_BOUNDS_WORDS;
    assert_int_equal(run(&f, NULL, TACT_OK, NULL).result, TACT_ERROR_INVALID_ARGUMENT);
    f.query.parameters[3] = 12;
    run(&f, NULL, TACT_ERROR_INVALID_ARGUMENT, poses);
}

/// Reads and runs with the N-th allocation failing. Whether it failed.
static bool run_without_memory(tact_context* with, counting_allocator* counter, size_t n, const file* f)
{
    tact_recording* r = NULL;
    tact_replayed replayed = {0};
    const size_t live = counter->live;
    counter->requests = 0;
    counter->failed = false;
    counter->fail_at = n;
    tact_result result = tact_recording_read(with, f->bytes, f->size, &r);
    if (result == TACT_OK) {
        result = tact_recording_run(r, 0, NULL, &replayed);
        if (result == TACT_OK) result = replayed.result;
    }
    counter->fail_at = 0;
    tact_recording_destroy(r);
    if (result >= TACT_OK ? counter->failed : result != TACT_ERROR_OUT_OF_MEMORY || !counter->failed) {
        fail_msg("%s: allocation %zu: %s, \"%s\"", tact_recorded_kind_name(f->query.kind), n, tact_result_name(result),
                 tact_context_error(with));
    }
    assert_int_equal(counter->live, live);
    return counter->failed;
}

TEST(every_allocation_of_a_replay_may_fail)
{
    static file f;
    counting_allocator counter = {.once = true};
    const tact_context_desc desc = {.allocator = counting_hooks(&counter),
                                    .log = quiet,
                                    .gl = TACT_DEVICE_NONE,
                                    .cl = TACT_DEVICE_NONE,
                                    .threads = 1,
                                    .disable_calibration = true};
    tact_context* with = new_context(&desc);
    for (int kind = 0; kind < 8; ++kind) {
        good_file(&f);
        f.parts[INSTANCES - 1].size *= 2;
        f.parts[INSTANCES - 1].words[16] = TACT_NONE;
        const uint32_t planes = kind == 2 || kind == 3 ? insert(&f, 4, 1) : 0;
        const uint32_t poses = kind > 4 ? insert(&f, 12, 1) : 0, listed = kind == 6 ? insert(&f, 3, 1) : 0;
        if (planes) f.parts[planes - 1].words[2] = 0x3f800000;
        if (poses) {
            const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
            memcpy(f.parts[poses - 1].words, identity, sizeof identity);
        }
        if (kind == 1) f.query.kind = TACT_RECORDED_RAYCAST_ALL;
        if (kind == 1) f.query.parameters[0] = f.query.parameters[4] = 1;
        if (kind == 2) ask_of(&f, TACT_RECORDED_CULL_SCENE, SCENE, planes, 0, 0);
        if (kind == 3) ask_of(&f, TACT_RECORDED_CULL, BOXES, planes, 0, 0);
        if (kind == 4) ask_of(&f, TACT_RECORDED_PAIRS, SET, SET, 0, 0);
        if (kind == 5) ask_of(&f, TACT_RECORDED_OVERLAP, PLAIN_MESH, HOLED_MESH, poses, 0);
        if (kind == 6) ask_of(&f, TACT_RECORDED_SEGMENTS, PLAIN_MESH, HOLED_MESH, poses, listed);
        if (kind == 7) ask_of(&f, TACT_RECORDED_SEPARATION, PLAIN_MESH, HOLED_MESH, poses, 0);
        if (kind == 2 || kind == 3) f.query.parameters[1] = 1;  // classes
        if (kind == 2 || kind == 3) f.query.parameters[0] = 0;
        write(&f);
        run_without_memory(with, &counter, 0, &f);
        size_t n = 1;
        while (run_without_memory(with, &counter, n, &f))
            assert_true(++n < 2000);
        assert_true(n > 8);
    }
    tact_context_destroy(with);
    assert_int_equal(counter.live, 0);
}

#include TEST_LIST
RUN_ALL(open_host_context, close_context)
