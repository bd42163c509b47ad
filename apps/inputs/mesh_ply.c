// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// PLY, of text or binary data of either byte order. The header announces how many elements follow; nothing is allocated
// for them before it is known that the file could hold so many.

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/mesh_formats.h"

typedef enum number_type { NONE, INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64 } number_type;

static const struct {
    const char* name;
    number_type type;
} type_names[] = {{"char", INT8},       {"int8", INT8},       {"uchar", UINT8},    {"uint8", UINT8},
                  {"short", INT16},     {"int16", INT16},     {"ushort", UINT16},  {"uint16", UINT16},
                  {"int", INT32},       {"int32", INT32},     {"uint", UINT32},    {"uint32", UINT32},
                  {"float", FLOAT32},   {"float32", FLOAT32}, {"double", FLOAT64}, {"float64", FLOAT64},
                  {"double64", FLOAT64}};

static const uint8_t type_sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};

/// What a property is for.
typedef enum property_role { UNUSED, X, Y, Z, CORNERS } property_role;

typedef struct property {
    uint8_t type;
    uint8_t count_type;  ///< of a list; else NONE
    uint8_t role;
} property;

typedef enum element_kind { OTHER, VERTEX, FACE, STRIP } element_kind;

typedef struct element {
    element_kind kind;
    char name[32];  ///< for people
    size_t line;
    uint64_t count;
    size_t first, properties;
} element;

typedef enum data_format { UNKNOWN, TEXT, LITTLE, BIG } data_format;

typedef struct reader {
    const uint8_t* bytes;
    size_t size, at;   ///< binary data: the offset that is read
    tact_lines lines;  ///< the header, and text
    data_format format;
    const char* name;
    tact_problem* problem;
    element* elements;
    size_t element_count, element_room;
    property* properties;
    size_t property_count, property_room;
    tact_model_mesh* mesh;
    bool has_vertices;
    tact_faces faces;
    const element* element;  ///< what is read, and the which
    uint64_t index;
} reader;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
fail(reader* r, const char* sentence, ...)
{
    char what[256];
    va_list arguments;
    va_start(arguments, sentence);
    vsnprintf(what, sizeof what, sentence, arguments);
    va_end(arguments);
    const bool binary = r->element && r->format != TEXT;
    return tact_problem_set(r->problem, "%s: %s %zu: %s", r->name, binary ? "byte" : "line",
                            binary ? r->at : r->lines.line, what);
}

static bool no_memory(reader* r)
{
    return tact_problem_out_of_memory(r->problem, r->name);
}

static bool read_type(reader* r, number_type* type)
{
    const char* word = NULL;
    const size_t size = tact_lines_word(&r->lines, &word);
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; ++i) {
        if (!tact_text_is(word, size, type_names[i].name)) continue;
        *type = type_names[i].type;
        return true;
    }
    char shown[40];
    tact_text_copy(word, size, shown, sizeof shown);
    return fail(r, "'%s' is not a type of numbers", shown);
}

/// What elements of this kind use a property for.
static property_role role_of(element_kind kind, const char* name, size_t size, bool list)
{
    if (kind == VERTEX && !list && size == 1 && *name >= 'x' && *name <= 'z') return X + (*name - 'x');
    if (kind == FACE && list &&
        (tact_text_is(name, size, "vertex_indices") || tact_text_is(name, size, "vertex_index"))) {
        return CORNERS;
    }
    return kind == STRIP && list ? CORNERS : UNUSED;
}

static bool read_property(reader* r)
{
    if (r->element_count == 0) return fail(r, "a property before any element");
    element* e = &r->elements[r->element_count - 1];
    number_type type = NONE, count_type = NONE;
    tact_lines_skip_blanks(&r->lines);
    tact_lines ahead = r->lines;
    const char* word = NULL;
    size_t size = tact_lines_word(&ahead, &word);
    if (tact_text_is(word, size, "list")) {
        r->lines = ahead;
        if (!read_type(r, &count_type)) return false;
        if (count_type >= FLOAT32) return fail(r, "a list's length is not a whole number");
    }
    if (!read_type(r, &type)) return false;
    size = tact_lines_word(&r->lines, &word);
    const property_role role = role_of(e->kind, word, size, count_type != NONE);
    if (role == CORNERS && type >= FLOAT32) return fail(r, "a list of vertices is not of whole numbers");
    for (size_t i = 0; role != UNUSED && i < e->properties; ++i) {
        if (r->properties[e->first + i].role == role) {
            return fail(r, e->kind == VERTEX ? "a coordinate comes twice" : "a second list of vertices");
        }
    }
    if (!tact_array_grow((void**)&r->properties, r->property_count, &r->property_room, sizeof *r->properties)) {
        return no_memory(r);
    }
    r->properties[r->property_count++] = (property){(uint8_t)type, (uint8_t)count_type, (uint8_t)role};
    ++e->properties;
    return true;
}

static bool read_element(reader* r)
{
    const char* word = NULL;
    const size_t size = tact_lines_word(&r->lines, &word);
    element e = {.first = r->property_count, .line = r->lines.line};
    tact_text_copy(word, size, e.name, sizeof e.name);
    if (tact_text_is(word, size, "vertex")) e.kind = VERTEX;
    if (tact_text_is(word, size, "face")) e.kind = FACE;
    if (tact_text_is(word, size, "tristrips")) e.kind = STRIP;
    for (size_t i = 0; e.kind == VERTEX && i < r->element_count; ++i)
        if (r->elements[i].kind == VERTEX) return fail(r, "element vertex comes twice");
    int64_t count = 0;
    tact_lines_skip_blanks(&r->lines);
    if (!tact_number_integer(&r->lines.at, r->lines.stop, &count) || !tact_lines_at_gap(&r->lines) || count < 0) {
        return fail(r, "element %s has no count", e.name);
    }
    e.count = (uint64_t)count;
    if (!tact_array_grow((void**)&r->elements, r->element_count, &r->element_room, sizeof *r->elements)) {
        return no_memory(r);
    }
    r->elements[r->element_count++] = e;
    return true;
}

static bool read_format(reader* r)
{
    static const char* const names[] = {"", "ascii", "binary_little_endian", "binary_big_endian"};
    const char* word = NULL;
    const size_t size = tact_lines_word(&r->lines, &word);
    for (int i = TEXT; i <= BIG; ++i)
        if (tact_text_is(word, size, names[i])) r->format = (data_format)i;
    char shown[40];
    tact_text_copy(word, size, shown, sizeof shown);
    return r->format != UNKNOWN ||
           fail(r, "format '%s' is not ascii, binary_little_endian or binary_big_endian", shown);
}

/// Reads up to end_header. Lines of other words are comments.
static bool read_header(reader* r)
{
    const char* word = NULL;
    tact_lines_begin(&r->lines, r->bytes, r->size);
    tact_lines_next(&r->lines);
    size_t size = tact_lines_word(&r->lines, &word);
    if (!tact_text_is(word, size, "ply") && !tact_text_is(word, size, "PLY")) {
        return fail(r, "not a PLY file: the first line is not 'ply'");
    }
    // Of a file whose lines end with CR alone, LF is the first byte of the data.
    const bool returns = r->lines.stop < r->lines.end && *r->lines.stop == '\r' && r->lines.next == r->lines.stop + 1;
    for (bool good = true; good;) {
        if (!tact_lines_next(&r->lines)) return fail(r, "the header has no end_header");
        size = tact_lines_word(&r->lines, &word);
        if (tact_text_is(word, size, "end_header")) break;
        if (tact_text_is(word, size, "format")) good = read_format(r);
        if (tact_text_is(word, size, "element")) good = read_element(r);
        if (tact_text_is(word, size, "property")) good = read_property(r);
        if (!good) return false;
    }
    if (r->format == UNKNOWN) return fail(r, "the header has no format");
    r->at =
        (size_t)((returns && r->lines.stop < r->lines.end ? r->lines.stop + 1 : r->lines.next) - (const char*)r->bytes);
    return true;
}

/// The bytes that follow.
static size_t left(const reader* r)
{
    return r->format == TEXT ? (size_t)(r->lines.end - r->lines.next) : r->size - r->at;
}

/// Fails if the data ends here.
static bool ends_early(reader* r)
{
    return fail(r, "the file ends within %s %" PRIu64 " of %" PRIu64, r->element->name, r->index, r->element->count);
}

/// Takes a number's bytes, least first.
static bool take_bits(reader* r, number_type type, uint64_t* bits)
{
    const size_t size = type_sizes[type];
    if (r->size - r->at < size) return ends_early(r);
    const uint8_t* from = r->bytes + r->at;
    *bits = 0;
    for (size_t i = 0; i < size; ++i)
        *bits |= (uint64_t)from[r->format == BIG ? size - 1 - i : i] << 8 * i;
    r->at += size;
    return true;
}

/// Goes to the next value of an element of text.
static bool next_value(reader* r)
{
    return tact_lines_skip_blanks(&r->lines) ||
           fail(r, "%s %" PRIu64 " has too few values in its line", r->element->name, r->index);
}

static bool wrong_value(reader* r)
{
    return fail(r, "%s %" PRIu64 " has a value that is not a number of its type", r->element->name, r->index);
}

static bool read_integer(reader* r, number_type type, int64_t* value)
{
    if (r->format == TEXT) {
        if (!next_value(r)) return false;
        return (tact_number_integer(&r->lines.at, r->lines.stop, value) && tact_lines_at_gap(&r->lines)) ||
               wrong_value(r);
    }
    uint64_t bits = 0;
    if (!take_bits(r, type, &bits)) return false;
    const unsigned unused = 64 - 8u * type_sizes[type];
    const bool has_sign = type == INT8 || type == INT16 || type == INT32;
    const uint64_t sign = UINT64_C(1) << (63 - unused);
    *value = has_sign && (bits & sign) ? (int64_t)(bits - sign) - (int64_t)sign : (int64_t)bits;
    return true;
}

static bool read_real(reader* r, number_type type, float* value)
{
    if (r->format == TEXT) {
        if (!next_value(r)) return false;
        return (tact_number_float(&r->lines.at, r->lines.stop, value) && tact_lines_at_gap(&r->lines)) ||
               wrong_value(r);
    }
    if (type < FLOAT32) {
        int64_t integer = 0;
        if (!read_integer(r, type, &integer)) return false;
        *value = (float)integer;
        return true;
    }
    uint64_t bits = 0;
    if (!take_bits(r, type, &bits)) return false;
    if (type == FLOAT32) {
        const uint32_t half = (uint32_t)bits;
        memcpy(value, &half, sizeof *value);
    } else {
        double wide = 0;
        memcpy(&wide, &bits, sizeof wide);
        // Beyond the largest float C leaves the conversion to chance.
        *value = wide > 3.5e38 ? INFINITY : wide < -3.5e38 ? -INFINITY : (float)wide;
    }
    return true;
}

static bool skip_value(reader* r, number_type type)
{
    if (r->format == TEXT) {
        const char* word = NULL;
        if (!next_value(r)) return false;
        tact_lines_word(&r->lines, &word);
        return true;
    }
    if (r->size - r->at < type_sizes[type]) return ends_early(r);
    r->at += type_sizes[type];
    return true;
}

static bool read_count(reader* r, const property* p, uint64_t* count)
{
    int64_t n = 0;
    if (!read_integer(r, (number_type)p->count_type, &n)) return false;
    if (n < 0) return fail(r, "%s %" PRIu64 " has a list of length %" PRId64, r->element->name, r->index, n);
    // An item takes two bytes of a text: itself and what divides it from the next.
    const size_t room =
        r->format == TEXT ? (size_t)(r->lines.stop - r->lines.at + 1) / 2 : (r->size - r->at) / type_sizes[p->type];
    *count = (uint64_t)n;
    if (*count <= room) return true;
    return fail(r, "%s %" PRIu64 " has a list of length %" PRId64 ", for which the %s is too short", r->element->name,
                r->index, n, r->format == TEXT ? "line" : "file");
}

static bool check_corner(reader* r, int64_t vertex)
{
    if (vertex >= 0 && (uint64_t)vertex < r->mesh->vertex_count) return true;
    return fail(r, "%s %" PRIu64 " refers to vertex %" PRId64 " of %zu", r->element->name, r->index, vertex,
                r->mesh->vertex_count);
}

static bool read_corners(reader* r, const property* p)
{
    uint64_t count = 0;
    if (!read_count(r, p, &count)) return false;
    const size_t place = r->format == TEXT ? r->lines.line : r->at;
    for (uint64_t i = 0; i < count; ++i) {
        int64_t vertex = 0;
        if (!read_integer(r, (number_type)p->type, &vertex) || !check_corner(r, vertex)) return false;
        if (count >= 3 && !tact_faces_corner(&r->faces, (uint32_t)vertex)) return no_memory(r);
    }
    r->mesh->dropped_faces += count < 3;
    if (count > UINT32_MAX) return fail(r, "a face of more than 2^32 corners");
    return count < 3 || tact_faces_add(&r->faces, TACT_FACE_POLYGON, (size_t)count, place) || no_memory(r);
}

/// Each vertex of a strip makes a triangle with the two before it, every second one turned; -1 begins another strip.
static bool read_strip(reader* r, const property* p)
{
    uint64_t count = 0;
    if (!read_count(r, p, &count)) return false;
    uint32_t last[2] = {0, 0};
    uint64_t length = 0;
    for (uint64_t i = 0; i < count; ++i) {
        int64_t vertex = 0;
        if (!read_integer(r, (number_type)p->type, &vertex)) return false;
        if (vertex == -1 || (vertex == UINT32_MAX && p->type == UINT32)) {
            length = 0;
            continue;
        }
        if (!check_corner(r, vertex)) return false;
        const uint32_t now = (uint32_t)vertex;
        if (length >= 2) {
            const bool turned = length % 2 == 1;
            const size_t place = r->format == TEXT ? r->lines.line : r->at;
            if (!tact_faces_corner(&r->faces, last[turned]) || !tact_faces_corner(&r->faces, last[!turned]) ||
                !tact_faces_corner(&r->faces, now) || !tact_faces_add(&r->faces, TACT_FACE_POLYGON, 3, place)) {
                return no_memory(r);
            }
        }
        last[0] = last[1];
        last[1] = now;
        ++length;
    }
    return true;
}

static bool skip_list(reader* r, const property* p)
{
    uint64_t count = 0;
    if (!read_count(r, p, &count)) return false;
    if (r->format != TEXT) {
        r->at += (size_t)count * type_sizes[p->type];
        return true;
    }
    for (uint64_t i = 0; i < count; ++i)
        if (!skip_value(r, (number_type)p->type)) return false;
    return true;
}

static bool read_instance(reader* r, const element* e)
{
    if (r->format == TEXT) {
        do {
            if (!tact_lines_next(&r->lines)) return ends_early(r);
        } while (!tact_lines_skip_blanks(&r->lines));
    }
    for (size_t i = 0; i < e->properties; ++i) {
        const property* p = &r->properties[e->first + i];
        bool good = false;
        if (p->role == CORNERS) {
            good = e->kind == STRIP ? read_strip(r, p) : read_corners(r, p);
        } else if (p->count_type != NONE) {
            good = skip_list(r, p);
        } else if (p->role != UNUSED) {
            good = read_real(r, (number_type)p->type, r->mesh->positions + 3 * r->index + (p->role - X));
        } else {
            good = skip_value(r, (number_type)p->type);
        }
        if (!good) return false;
    }
    return true;
}

/// The fewest bytes that an element takes.
static size_t least_size(const reader* r, const element* e)
{
    size_t size = 0;
    for (size_t i = 0; i < e->properties; ++i) {
        const property* p = &r->properties[e->first + i];
        // In a text, a digit and what divides it from the next.
        size += r->format == TEXT ? 2 : type_sizes[p->count_type != NONE ? p->count_type : p->type];
    }
    return size;
}

/// Fails for what the header says of an element.
static bool fail_element(reader* r, const element* e, const char* what)
{
    return tact_problem_set(r->problem, "%s: line %zu: element %s %s", r->name, e->line, e->name, what);
}

static bool make_vertices(reader* r, const element* e)
{
    bool any = false;
    for (size_t i = 0; i < e->properties; ++i)
        any |= r->properties[e->first + i].role != UNUSED;
    if (!any) return fail_element(r, e, "has no x, y or z");
    if (e->count > UINT32_MAX) return fail_element(r, e, "has more than 2^32 items");
    if (e->count > SIZE_MAX / 12) return no_memory(r);
    // A coordinate that vertices lack is zero.
    r->mesh->positions = calloc((size_t)e->count + 1, 12);
    r->mesh->vertex_count = (size_t)e->count;
    r->has_vertices = true;
    return r->mesh->positions || no_memory(r);
}

/// Checks an element's place and count before anything is allocated for it.
static bool check_element(reader* r, const element* e, size_t least)
{
    if ((e->kind == FACE || e->kind == STRIP) && !r->has_vertices) return fail_element(r, e, "comes before vertex");
    // The last line of a text may lack its end.
    if (least == 0 || e->count <= ((uint64_t)left(r) + (r->format == TEXT)) / least) return true;
    return tact_problem_set(r->problem,
                            "%s: line %zu: element %s announces %" PRIu64
                            " items of %zu bytes or more, but %zu bytes are left in the file",
                            r->name, e->line, e->name, e->count, least, left(r));
}

static bool read_elements(reader* r, const element* e)
{
    r->element = e;
    r->index = 0;
    const size_t least = least_size(r, e);
    if (!check_element(r, e, least)) return false;
    if (e->kind == VERTEX && !make_vertices(r, e)) return false;
    if (least == 0) return true;  // nothing stands in the file for them
    for (; r->index < e->count; ++r->index)
        if (!read_instance(r, e)) return false;
    return true;
}

bool tact_mesh_ply_parse(const void* bytes, size_t size, const char* name, tact_model_mesh* mesh, tact_problem* problem)
{
    *mesh = (tact_model_mesh){0};
    reader r = {.bytes = bytes, .size = size, .name = name, .problem = problem, .mesh = mesh};
    bool good = read_header(&r);
    for (size_t i = 0; good && i < r.element_count; ++i)
        good = read_elements(&r, &r.elements[i]);
    r.faces.unit = r.format == TEXT ? "line" : "byte";
    const tact_face_range all = {.count = r.faces.count};
    good = good && tact_faces_triangulate(&r.faces, &all, 1, NULL, size, name, mesh, problem);
    mesh->parts = good ? calloc(1, sizeof *mesh->parts) : NULL;
    if (good && !mesh->parts) good = no_memory(&r);
    if (good) {
        mesh->part_count = 1;
        mesh->parts[0] = (tact_model_part){.vertex_count = mesh->vertex_count, .triangle_count = mesh->triangle_count};
    }
    if (!good) tact_model_mesh_free(mesh);
    tact_faces_free(&r.faces);
    free(r.elements);
    free(r.properties);
    return good;
}
