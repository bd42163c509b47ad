// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Wavefront OBJ. A face may name vertices that follow it, so corners get their positions when all lines are read.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/mesh_formats.h"

/// A group or an object; its name lies in the text.
typedef struct object {
    const char* name;
    size_t size;
} object;

/// Faces that follow each other and belong to one object.
typedef struct run {
    size_t object;
    tact_face_range faces;
} run;

typedef struct reader {
    tact_lines lines;
    const char* name;
    tact_problem* problem;
    float* vertices;
    size_t vertex_count, vertex_room;
    tact_faces faces;
    object* objects;
    size_t object_count, object_room;
    size_t* by_name;  ///< a table of object numbers plus one, by the hash of their names; the first of equal names
    size_t by_name_room;
    size_t current;  ///< the object that faces go to, plus one
    object group;    ///< the last `g`
    run* runs;
    size_t run_count, run_room;
} reader;

static bool no_memory(reader* r)
{
    return tact_problem_out_of_memory(r->problem, r->name);
}

static bool fail(reader* r, const char* what)
{
    return tact_problem_set(r->problem, "%s: line %zu: %s", r->name, r->lines.line, what);
}

/// Says which word is wrong.
static bool fail_at_word(reader* r, const char* what)
{
    const char* word = NULL;
    const size_t size = tact_lines_word(&r->lines, &word);
    char shown[40];
    tact_text_copy(word, size, shown, sizeof shown);
    return tact_problem_set(r->problem, "%s: line %zu: '%s' is not %s", r->name, r->lines.line, shown, what);
}

/// True if values go on in this line: no comment, not its end.
static bool has_more(reader* r)
{
    return tact_lines_skip_blanks(&r->lines) && *r->lines.at != '#';
}

static bool read_vertex(reader* r)
{
    float v[7] = {0};
    int count = 0;
    while (count < 7 && has_more(r)) {
        const char* at = r->lines.at;
        if (!tact_number_float(&at, r->lines.stop, &v[count])) return fail_at_word(r, "a number");
        const char* start = r->lines.at;
        r->lines.at = at;
        if (!tact_lines_at_gap(&r->lines)) {
            r->lines.at = start;
            return fail_at_word(r, "a number");
        }
        ++count;
    }
    if (count == 4) {
        if (v[3] == 0.0f) return fail(r, "a vertex cannot be divided by its fourth number, zero");
        for (int k = 0; k < 3; ++k)
            v[k] /= v[3];
    } else if (count != 3 && count != 6) {
        return fail(r, "a vertex has 3 numbers, 4 (homogeneous) or 6 (with a colour)");
    }
    if (r->vertex_count == r->vertex_room &&
        !tact_array_grow((void**)&r->vertices, r->vertex_count, &r->vertex_room, 3 * sizeof *r->vertices)) {
        return no_memory(r);
    }
    memcpy(r->vertices + 3 * r->vertex_count++, v, 3 * sizeof *v);
    return true;
}

/// `v`, `v/t`, `v//n` or `v/t/n`: only the vertex counts.
static bool read_corner(reader* r, uint32_t* vertex)
{
    static const char wanted[] = "a corner of a face (v, v/t, v//n or v/t/n)";
    const char* at = r->lines.at;
    const char* stop = r->lines.stop;
    int64_t n = 0, unused = 0;
    if (!tact_number_integer(&at, stop, &n)) return fail_at_word(r, wanted);
    for (int slashes = 0; slashes < 2 && at < stop && *at == '/'; ++slashes) {
        ++at;
        tact_number_integer(&at, stop, &unused);
    }
    const char* start = r->lines.at;
    r->lines.at = at;
    if (!tact_lines_at_gap(&r->lines)) {
        r->lines.at = start;
        return fail_at_word(r, wanted);
    }
    const int64_t index = n > 0 ? n - 1 : (int64_t)r->vertex_count + n;
    if (n == 0) return fail(r, "a face refers to vertex 0; the first is 1");
    if (index < 0 || index >= UINT32_MAX) {
        return tact_problem_set(r->problem, "%s: line %zu: a face refers to vertex %" PRId64 " of %zu", r->name,
                                r->lines.line, n, r->vertex_count);
    }
    *vertex = (uint32_t)index;
    return true;
}

static size_t* find_name(const reader* r, const object* o)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < o->size; ++i)
        hash = (hash ^ (unsigned char)o->name[i]) * UINT64_C(1099511628211);
    size_t slot = (size_t)(hash ^ hash >> 32) & (r->by_name_room - 1);
    for (; r->by_name[slot]; slot = (slot + 1) & (r->by_name_room - 1)) {
        const object* other = &r->objects[r->by_name[slot] - 1];
        if (other->size == o->size && memcmp(other->name, o->name, o->size) == 0) break;
    }
    return &r->by_name[slot];
}

static bool add_object(reader* r, object o)
{
    if (!tact_array_grow((void**)&r->objects, r->object_count, &r->object_room, sizeof *r->objects)) {
        return no_memory(r);
    }
    r->objects[r->object_count++] = o;
    r->current = r->object_count;
    if (2 * r->object_count > r->by_name_room) {
        const size_t room = r->by_name_room ? 2 * r->by_name_room : 64;
        free(r->by_name);
        r->by_name = calloc(room, sizeof *r->by_name);
        if (!r->by_name) return no_memory(r);
        r->by_name_room = room;
        for (size_t i = 0; i < r->object_count; ++i) {
            size_t* slot = find_name(r, &r->objects[i]);
            if (!*slot) *slot = i + 1;
        }
        return true;
    }
    size_t* slot = find_name(r, &o);
    if (!*slot) *slot = r->object_count;
    return true;
}

/// `o`: goes on with the object of that name, or begins it.
static bool read_object(reader* r)
{
    object o;
    o.size = tact_lines_word(&r->lines, &o.name);
    if (o.size == 0) return true;
    const size_t known = r->object_count ? *find_name(r, &o) : 0;
    r->current = known;
    return known || add_object(r, o);
}

/// `g`: an object of its own unless it is the same group still. Its name is the rest of the line.
static bool read_group(reader* r)
{
    tact_lines_skip_blanks(&r->lines);
    const object o = {r->lines.at, (size_t)(r->lines.stop - r->lines.at)};
    if (o.size == r->group.size && (o.size == 0 || memcmp(o.name, r->group.name, o.size) == 0)) return true;
    r->group = o;
    return add_object(r, o);
}

static bool read_face(reader* r, tact_face_kind kind)
{
    size_t corners = 0;
    while (has_more(r)) {
        uint32_t vertex = 0;
        if (!read_corner(r, &vertex)) return false;
        if (!tact_faces_corner(&r->faces, vertex)) return no_memory(r);
        ++corners;
    }
    if (corners == 0) return true;
    if (corners > UINT32_MAX) return fail(r, "a face of more than 2^32 corners");
    static const char unnamed[] = "defaultobject";
    if (!r->current && !add_object(r, (object){unnamed, sizeof unnamed - 1})) return false;
    if (r->run_count == 0 || r->runs[r->run_count - 1].object != r->current - 1) {
        if (!tact_array_grow((void**)&r->runs, r->run_count, &r->run_room, sizeof *r->runs)) return no_memory(r);
        r->runs[r->run_count++] =
            (run){r->current - 1, {.face = r->faces.count, .corner = r->faces.corner_count - corners}};
    }
    ++r->runs[r->run_count - 1].faces.count;
    return tact_faces_add(&r->faces, kind, corners, r->lines.line) || no_memory(r);
}

static bool read_line(reader* r)
{
    const char* word = NULL;
    const size_t size = tact_lines_word(&r->lines, &word);
    if (size != 1) return true;
    switch (*word) {
        case 'v':
            return read_vertex(r);
        case 'f':
            return read_face(r, TACT_FACE_POLYGON);
        case 'l':
            return read_face(r, TACT_FACE_LINES);
        case 'p':
            return read_face(r, TACT_FACE_POINTS);
        case 'o':
            return read_object(r);
        case 'g':
            return read_group(r);
        default:
            return true;
    }
}

/// Joins lines that end with a backslash to the next one. As many empty lines follow, so that the others keep their
/// numbers. NULL: memory ran out.
static char* join_lines(const char* text, size_t size, size_t* joined)
{
    char* out = malloc(size);
    size_t used = 0, owed = 0;
    for (size_t i = 0; out && i < size;) {
        const bool pair = i + 2 < size && text[i + 1] == '\r' && text[i + 2] == '\n';
        if (text[i] == '\\' && i + 1 < size && (text[i + 1] == '\n' || text[i + 1] == '\r')) {
            i += pair ? 3 : 2;
            ++owed;
            continue;
        }
        out[used++] = text[i++];
        for (; out[used - 1] == '\n' && owed > 0; --owed)
            out[used++] = '\n';
    }
    *joined = used;
    return out;
}

static bool has_continuation(const char* text, size_t size)
{
    const char* end = text + size;
    for (const char* p = text; p < end && (p = memchr(p, '\\', (size_t)(end - p))); ++p)
        if (p + 1 < end && (p[1] == '\n' || p[1] == '\r')) return true;
    return false;
}

static int by_object(const void* a, const void* b)
{
    const run *x = a, *y = b;
    if (x->object != y->object) return x->object < y->object ? -1 : 1;
    return x->faces.face < y->faces.face ? -1 : 1;
}

/// How many vertices the corners become.
static bool count_vertices(const reader* r, size_t* count)
{
    uint64_t all = 0;
    for (size_t i = 0; i < r->faces.count; ++i) {
        const tact_face* face = &r->faces.items[i];
        const bool lines = face->kind == TACT_FACE_LINES;
        all += lines ? 2 * ((uint64_t)face->corners - 1) : face->corners;
    }
    *count = (size_t)all;
    if (all > UINT32_MAX) return tact_problem_set(r->problem, "%s: more than 2^32 corners of faces", r->name);
    return true;
}

/// Gives each corner of a face a vertex of its own; those of a line, two within it, count for both sides.
static bool place_face(reader* r, const tact_face* face, uint32_t* corners, tact_model_mesh* mesh)
{
    const bool lines = face->kind == TACT_FACE_LINES;
    for (uint32_t k = 0; k < face->corners; ++k) {
        if (corners[k] >= r->vertex_count) {
            return tact_problem_set(r->problem, "%s: line %zu: a face refers to vertex %" PRIu64 " of %zu", r->name,
                                    face->place, (uint64_t)corners[k] + 1, r->vertex_count);
        }
        int copies = 1;
        if (lines) copies = (k > 0) + (k + 1 < face->corners);
        const float* from = r->vertices + 3 * (size_t)corners[k];
        corners[k] = (uint32_t)mesh->vertex_count;
        for (; copies > 0; --copies)
            memcpy(mesh->positions + 3 * mesh->vertex_count++, from, 3 * sizeof *from);
    }
    return true;
}

/// Makes the mesh of what was read, an object after the other.
static bool make_mesh(reader* r, size_t size, tact_model_mesh* mesh)
{
    size_t count = 0;
    if (!count_vertices(r, &count)) return false;
    // Only a second `o` of the same name takes faces back to an earlier object.
    bool ordered = true;
    for (size_t i = 1; i < r->run_count; ++i)
        ordered &= r->runs[i - 1].object <= r->runs[i].object;
    if (!ordered) qsort(r->runs, r->run_count, sizeof *r->runs, by_object);

    if (count > SIZE_MAX / 12 || r->run_count > SIZE_MAX / sizeof *mesh->parts) return no_memory(r);
    mesh->positions = malloc(count * 12 + 1);
    mesh->parts = calloc(r->run_count + 1, sizeof *mesh->parts);
    tact_face_range* ranges = calloc(r->run_count + 1, sizeof *ranges);
    size_t* made = calloc(r->run_count + 1, sizeof *made);
    bool good = mesh->positions && mesh->parts && ranges && made;
    if (!good) no_memory(r);
    for (size_t i = 0; good && i < r->run_count; ++i) {
        ranges[i] = r->runs[i].faces;
        size_t corner = ranges[i].corner;
        // Parts follow the runs; those of one object are joined below.
        mesh->parts[i].first_vertex = mesh->vertex_count;
        for (size_t f = 0; good && f < ranges[i].count; ++f) {
            const tact_face* face = &r->faces.items[ranges[i].face + f];
            good = place_face(r, face, r->faces.corners + corner, mesh);
            corner += face->corners;
        }
        mesh->parts[i].vertex_count = mesh->vertex_count - mesh->parts[i].first_vertex;
    }
    good = good && tact_faces_triangulate(&r->faces, ranges, r->run_count, made, size, r->name, mesh, r->problem);
    size_t parts = 0, triangles = 0;
    for (size_t i = 0; good && i < r->run_count;) {
        tact_model_part part = {.first_vertex = mesh->parts[i].first_vertex, .first_triangle = triangles};
        const object* o = &r->objects[r->runs[i].object];
        for (const size_t of = r->runs[i].object; i < r->run_count && r->runs[i].object == of; ++i) {
            part.vertex_count += mesh->parts[i].vertex_count;
            part.triangle_count += made[i];
        }
        triangles += part.triangle_count;
        tact_text_copy(o->name, o->size, part.name, sizeof part.name);
        if (part.triangle_count > 0) mesh->parts[parts++] = part;
    }
    mesh->part_count = parts;
    free(ranges);
    free(made);
    return good;
}

bool tact_mesh_obj_parse(const void* bytes, size_t size, const char* name, tact_model_mesh* mesh, tact_problem* problem)
{
    *mesh = (tact_model_mesh){0};
    reader r = {.name = name, .problem = problem, .faces.unit = "line"};
    const char* text = bytes;
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3, size -= 3;
    if (size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) {
        return tact_problem_set(problem, "%s: byte 0: the text is UTF-16; UTF-8 is read", name);
    }
    char* joined = NULL;
    bool good = true;
    if (size > 0 && has_continuation(text, size)) {
        text = joined = join_lines(text, size, &size);
        good = joined || no_memory(&r);
    }
    tact_lines_begin(&r.lines, text, good ? size : 0);
    while (good && tact_lines_next(&r.lines))
        good = read_line(&r);
    good = good && make_mesh(&r, size, mesh);
    if (!good) tact_model_mesh_free(mesh);
    free(joined);
    free(r.vertices);
    tact_faces_free(&r.faces);
    free(r.objects);
    free(r.by_name);
    free(r.runs);
    return good;
}
