// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Reading recorded queries. Any bytes may come: every count is compared with what is left of the file before it is
// used, chunks refer to earlier ones only, and what a chunk of a type refers to has the type that belongs there.

#include "tools/replay/recording.h"

#include <string.h>

#include "base/bytes.h"
#include "core/queries.h"
#include "tact/volumes.h"

const tact_read_chunk* tact_recording_reference(const tact_recording* r, const tact_read_chunk* chunk, uint32_t place)
{
    const uint32_t to = r->references[chunk->first_reference + place];
    return to == TACT_NONE ? NULL : &r->chunks[to];
}

const tact_read_chunk* tact_recording_find(const tact_recording* r, size_t index)
{
    return r && index < r->query_count ? &r->chunks[r->queries[index]] : NULL;
}

size_t tact_read_rows(const tact_read_chunk* array)
{
    if (!array) return 0;
    return array->row_words ? array->size / 4 / array->row_words : array->size;
}

// ---- What belongs where ----

static bool is_array(const tact_read_chunk* c, uint32_t row_words)
{
    return c && c->type == TACT_CHUNK_ARRAY && c->row_words == row_words;
}

static bool check_mesh(const tact_recording* r, const tact_read_chunk* c)
{
    const tact_read_chunk* part[TACT_MESH_PLACES];
    if (c->reference_count != TACT_MESH_PLACES || c->size != 4 * TACT_MESH_WORDS) return false;
    for (uint32_t i = 0; i < TACT_MESH_PLACES; ++i)
        part[i] = tact_recording_reference(r, c, i);
    uint32_t words[TACT_MESH_WORDS];
    memcpy(words, c->bytes, sizeof words);
    if (words[0] > TACT_KIND_CAPSULES || words[1] > TACT_MESH_HIGH) return false;
    if (words[0] != TACT_KIND_TRIANGLES) return is_array(part[2], sizeof(tact_trace_shape) / 4);
    if (!is_array(part[0], 3) || !is_array(part[1], 3)) return false;
    const uint32_t* indices = (const uint32_t*)(const void*)part[1]->bytes;
    for (size_t i = 0; i < part[1]->size / 4; ++i)
        if (indices[i] >= tact_read_rows(part[0])) return false;
    if (!words[2]) return true;
    return is_array(part[3], 2) && tact_read_rows(part[3]) == tact_read_rows(part[0]) && is_array(part[4], 0) &&
           words[5] <= TACT_ALPHA_WRAP_CLAMP && words[6] <= 255 && part[4]->size == (uint64_t)words[3] * words[4];
}

static bool check_set(const tact_recording* r, const tact_read_chunk* c)
{
    if (c->reference_count != TACT_SET_PLACES || c->size != 4) return false;
    uint32_t kind;
    memcpy(&kind, c->bytes, sizeof kind);
    const tact_read_chunk *volumes = tact_recording_reference(r, c, 0), *filters = tact_recording_reference(r, c, 1),
                          *used = tact_recording_reference(r, c, 2);
    if (kind > TACT_VOLUME_SPHERE || !is_array(volumes, kind == TACT_VOLUME_SPHERE ? 4 : 6)) return false;
    const size_t count = tact_read_rows(volumes);
    return (!filters || (is_array(filters, 2) && tact_read_rows(filters) == count)) &&
           (!used || (is_array(used, 0) && used->size == count));
}

static bool check_group(const tact_recording* r, const tact_read_chunk* c, uint32_t from)
{
    if (c->size != 0) return false;
    for (uint32_t i = from; i < c->reference_count; ++i) {
        const tact_read_chunk* mesh = tact_recording_reference(r, c, i);
        if (!mesh || mesh->type != TACT_CHUNK_MESH) return false;
    }
    return true;
}

/// One that cannot be run again may lack anything, but what there is must be what belongs there.
static bool check_query(const tact_recording* r, const tact_read_chunk* c)
{
    tact_recorded_query query;
    if (c->reference_count != TACT_RECORD_PLACES || c->size != TACT_RECORD_QUERY_BYTES ||
        !tact_record_get_query(c->bytes, &query)) {
        return false;
    }
    tact_query_input places[TACT_QUERY_INPUTS];
    tact_query_inputs(tact_query_of(query.kind), query.parameters, places);
    for (uint32_t i = 0; i < TACT_RECORD_PLACES; ++i) {
        const tact_query_input* p = &places[i];
        const tact_read_chunk* there = tact_recording_reference(r, c, i);
        if (!there) {
            if (p->type != 0 && !p->optional && !query.missing[0]) return false;
        } else if (there->type != (uint32_t)p->type ||
                   (p->type == TACT_CHUNK_ARRAY &&
                    (there->row_words != p->row_words || (p->row_words == 0 && p->data_type != TACT_RECORDED_BYTES)))) {
            return false;
        }
    }
    return true;
}

static bool check_chunk(const tact_recording* r, const tact_read_chunk* c, bool first)
{
    if ((c->type == TACT_CHUNK_MACHINE) != first) return false;
    switch (c->type) {
        case TACT_CHUNK_MACHINE:
            return c->reference_count == 0 && c->row_words == 0;
        case TACT_CHUNK_ARRAY:
            return c->reference_count == 0 && c->row_words <= 64 &&
                   (c->row_words == 0 || c->size % (4 * (size_t)c->row_words) == 0);
        case TACT_CHUNK_MESH:
            return c->row_words == 1 && check_mesh(r, c);
        case TACT_CHUNK_SET:
            return c->row_words == 1 && check_set(r, c);
        case TACT_CHUNK_SCENE:
            return c->reference_count > 0 && is_array(tact_recording_reference(r, c, 0), TACT_INSTANCE_WORDS) &&
                   check_group(r, c, 1);
        case TACT_CHUNK_SHAPES:
            return check_group(r, c, 0);
        case TACT_CHUNK_QUERY:
            return c->row_words == 0 && check_query(r, c);
        default:
            return false;
    }
}

// ---- Reading ----

typedef struct reader {
    tact_recording* recording;
    size_t size, at;
    size_t reference_count;
} reader;

static tact_result fail_at(const reader* f, const char* what)
{
    return tact_fail(&f->recording->context->env, TACT_ERROR_INVALID_ARGUMENT, "recorded queries: byte %zu: %s", f->at,
                     what);
}

static tact_result read_chunk(reader* f, uint32_t place)
{
    tact_recording* r = f->recording;
    if (f->size - f->at < TACT_RECORD_CHUNK_HEAD) return fail_at(f, "the file ends within a chunk's head");
    const uint8_t* head = r->bytes + f->at;
    const uint64_t size = tact_get_u64(head + 16);
    tact_read_chunk* c = &r->chunks[place];
    *c = (tact_read_chunk){.type = tact_get_u32(head),
                           .row_words = tact_get_u32(head + 4),
                           .reference_count = tact_get_u32(head + 8),
                           .first_reference = (uint32_t)f->reference_count};
    const size_t left = f->size - f->at - TACT_RECORD_CHUNK_HEAD;
    const uint64_t references = ((uint64_t)c->reference_count + 1) / 2 * 8;
    if (references > left || size > left - references || (left - references - size) < (8 - size % 8) % 8) {
        return fail_at(f, "a chunk is longer than the file");
    }
    f->at += TACT_RECORD_CHUNK_HEAD;
    for (uint32_t i = 0; i < c->reference_count; ++i, f->at += 4) {
        const uint32_t to = tact_get_u32(r->bytes + f->at);
        if (to > place) return fail_at(f, "a chunk refers to a later one");
        r->references[f->reference_count++] = to == 0 ? TACT_NONE : to - 1;
    }
    f->at += c->reference_count % 2 * 4;
    c->size = (size_t)size;
    c->bytes = r->bytes + f->at;
    if (c->row_words > 0) tact_record_swap(r->bytes + f->at, c->size / 4);
    if (!check_chunk(r, c, place == 0)) return fail_at(f, "a chunk holds or refers to what does not belong there");
    if (c->type == TACT_CHUNK_QUERY) r->queries[r->query_count++] = place;
    f->at += c->size + (8 - c->size % 8) % 8;
    return TACT_OK;
}

static tact_result copy_machine(tact_recording* r)
{
    const tact_read_chunk* c = &r->chunks[0];
    r->machine = tact_allocate(&r->context->env, c->size + 1, 1);
    if (!r->machine) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < c->size; ++i) {
        const uint8_t byte = c->bytes[i];
        r->machine[i] = (char)(byte != '\n' && (byte < 32 || byte >= 127) ? '?' : byte);
    }
    r->machine[c->size] = '\0';
    return TACT_OK;
}

static tact_result read_all(tact_recording* r, size_t size)
{
    tact_env* env = &r->context->env;
    reader f = {.recording = r, .size = size, .at = TACT_RECORD_HEADER};
    // The least that a chunk and a reference take bounds how many there can be.
    const uint32_t count = tact_get_u32(r->bytes + 12);
    if (count == 0 || count > (size - TACT_RECORD_HEADER) / TACT_RECORD_CHUNK_HEAD) {
        return fail_at(&f, "more chunks than the file has room for, or none");
    }
    if (size / 4 >= UINT32_MAX) return tact_fail(env, TACT_ERROR_LIMIT, "recorded queries of %zu bytes", size);
    r->chunks = tact_allocate(env, count, sizeof *r->chunks);
    r->references = tact_allocate(env, size / 4, sizeof *r->references);
    r->queries = tact_allocate(env, count, sizeof *r->queries);
    if (!r->chunks || !r->references || !r->queries) return TACT_ERROR_OUT_OF_MEMORY;
    tact_result result = TACT_OK;
    for (uint32_t i = 0; i < count && result == TACT_OK; ++i)
        result = read_chunk(&f, i);
    if (result == TACT_OK && f.at != size) result = fail_at(&f, "the file goes on behind its last chunk");
    r->chunk_count = count;
    return result == TACT_OK ? copy_machine(r) : result;
}

static tact_result check_header(tact_env* env, const uint8_t* in, size_t size)
{
    if (!in || size < TACT_RECORD_HEADER || memcmp(in, TACT_RECORD_MAGIC, 8) != 0) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "these are no recorded queries");
    }
    if (tact_get_u32(in + 8) != TACT_RECORD_VERSION) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "recorded queries of version %u; this program reads %d",
                         tact_get_u32(in + 8), TACT_RECORD_VERSION);
    }
    if (tact_get_u64(in + 16) != size) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "recorded queries: %zu bytes, where the header says %llu",
                         size, (unsigned long long)tact_get_u64(in + 16));
    }
    if (tact_get_u64(in + 24) != tact_xxh64_of(in + TACT_RECORD_HEADER, size - TACT_RECORD_HEADER)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "recorded queries: damaged, their checksum is another");
    }
    return TACT_OK;
}

tact_result tact_recording_read(tact_context* context, const void* bytes, size_t size, tact_recording** out)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!out) return tact_null(&context->env, "recording");
    *out = NULL;
    tact_env* env = &context->env;
    tact_result result = check_header(env, bytes, size);
    if (result != TACT_OK) return result;
    tact_recording* r = tact_allocate_zeroed(env, 1, sizeof *r);
    if (!r) return TACT_ERROR_OUT_OF_MEMORY;
    r->context = context;
    ++context->objects;
    r->bytes = tact_allocate(env, size, 1);
    if (r->bytes) memcpy(r->bytes, bytes, size);
    result = r->bytes ? read_all(r, size) : TACT_ERROR_OUT_OF_MEMORY;
    if (result != TACT_OK) {
        tact_recording_destroy(r);
        return result;
    }
    *out = r;
    return TACT_OK;
}

void tact_recording_destroy(tact_recording* r)
{
    if (!r) return;
    tact_env* env = &r->context->env;
    tact_scene_destroy(r->kept);
    tact_release(env, r->bytes);
    tact_release(env, r->chunks);
    tact_release(env, r->references);
    tact_release(env, r->queries);
    tact_release(env, r->machine);
    --r->context->objects;
    tact_release(env, r);
}

// ---- Looking at it ----

tact_result tact_recording_lacks(const tact_recording* r, size_t index)
{
    return tact_fail(&r->context->env, TACT_ERROR_INVALID_ARGUMENT, "no query %zu in the recording: there are %zu",
                     index, r->query_count);
}

const char* tact_recording_machine(const tact_recording* r)
{
    return r ? r->machine : "";
}

size_t tact_recording_count(const tact_recording* r)
{
    return r ? r->query_count : 0;
}

tact_result tact_recording_query(const tact_recording* r, size_t index, tact_recorded_query* query)
{
    if (!tact_enter(r ? r->context : NULL, "recording")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = &r->context->env;
    if (!query) return tact_null(env, "query");
    const tact_read_chunk* c = tact_recording_find(r, index);
    if (!c) return tact_recording_lacks(r, index);
    if (tact_record_get_query(c->bytes, query)) return TACT_OK;
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "query %zu of the recording is damaged", index);
}

static bool tell_array(const tact_read_chunk* c, const char* name, tact_recorded_type type, tact_recorded_array* array)
{
    *array = (tact_recorded_array){name, type, tact_read_rows(c), c->row_words ? c->row_words : 1, c->bytes};
    return true;
}

/// Arrays within a scene or a set: number `k` of them.
static bool tell_inner(const tact_recording* r, const tact_read_chunk* c, size_t k, tact_recorded_array* array)
{
    static const char* const names[TACT_SET_PLACES] = {"volumes", "categories", "used"};
    static const tact_recorded_type types[TACT_SET_PLACES] = {TACT_RECORDED_FLOATS, TACT_RECORDED_WORDS,
                                                              TACT_RECORDED_BYTES};
    if (c->type == TACT_CHUNK_SCENE && k == 0) {
        return tell_array(tact_recording_reference(r, c, 0), "instances", TACT_RECORDED_MIXED, array);
    }
    for (uint32_t i = 0; i < TACT_SET_PLACES && c->type == TACT_CHUNK_SET; ++i) {
        const tact_read_chunk* part = tact_recording_reference(r, c, i);
        if (part && k-- == 0) return tell_array(part, names[i], types[i], array);
    }
    return false;
}

uint32_t tact_recording_scene_number(const tact_recording* r, size_t index)
{
    const tact_read_chunk* c = tact_recording_find(r, index);
    const tact_read_chunk* first = c ? tact_recording_reference(r, c, 0) : NULL;
    return first && first->type == TACT_CHUNK_SCENE ? (uint32_t)(first - r->chunks) + 1 : 0;
}

bool tact_recording_array(const tact_recording* r, size_t index, size_t place, tact_recorded_array* array)
{
    tact_recorded_query query;
    const tact_read_chunk* c = tact_recording_find(r, index);
    if (!array || !c) return false;
    tact_query_input places[TACT_QUERY_INPUTS];
    tact_record_get_query(c->bytes, &query);  // which has been checked
    tact_query_inputs(tact_query_of(query.kind), query.parameters, places);
    for (uint32_t i = 0; i < TACT_RECORD_PLACES; ++i) {
        const tact_read_chunk* there = tact_recording_reference(r, c, i);
        if (!there) continue;
        if (there->type == TACT_CHUNK_ARRAY) {
            if (place-- == 0) return tell_array(there, places[i].name, places[i].data_type, array);
            continue;
        }
        size_t inner = 0;
        tact_recorded_array trial;
        for (; tell_inner(r, there, inner, &trial); ++inner) {
            if (place-- == 0) {
                *array = trial;
                return true;
            }
        }
    }
    return false;
}

static bool tell_mesh(const tact_recording* r, const tact_read_chunk* c, tact_recorded_mesh* mesh)
{
    const tact_read_chunk *positions = tact_recording_reference(r, c, 0), *indices = tact_recording_reference(r, c, 1);
    *mesh = (tact_recorded_mesh){0};
    if (!positions || !indices) return true;
    *mesh = (tact_recorded_mesh){(const float*)(const void*)positions->bytes, tact_read_rows(positions),
                                 (const uint32_t*)(const void*)indices->bytes, tact_read_rows(indices)};
    return true;
}

bool tact_recording_mesh(const tact_recording* r, size_t index, size_t place, tact_recorded_mesh* mesh)
{
    const tact_read_chunk* c = mesh ? tact_recording_find(r, index) : NULL;
    if (!c) return false;
    for (uint32_t i = 0; i < TACT_RECORD_PLACES; ++i) {
        const tact_read_chunk* there = tact_recording_reference(r, c, i);
        if (!there) continue;
        if (there->type == TACT_CHUNK_MESH && place-- == 0) return tell_mesh(r, there, mesh);
        if (there->type != TACT_CHUNK_SCENE && there->type != TACT_CHUNK_SHAPES) continue;
        const uint32_t from = there->type == TACT_CHUNK_SCENE;
        const size_t count = there->reference_count - from;
        if (place < count) {
            return tell_mesh(r, tact_recording_reference(r, there, from + (uint32_t)place), mesh);
        }
        place -= count;
    }
    return false;
}
