// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/inputs/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/system.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "arrays are read and written as they lie in memory, which needs a little-endian machine"
#endif

_Static_assert(sizeof(tact_hit) == 20, "hits are written as they lie in memory");
_Static_assert(sizeof(tact_particle_contact) == 48, "contacts are written as they lie in memory");
_Static_assert(sizeof(tact_closest_hit) == 32, "closest points are written as they lie in memory");
_Static_assert(sizeof(tact_sphere_hit) == 36, "sphere hits are written as they lie in memory");
_Static_assert(sizeof(tact_pick) == 68, "picks are written as they lie in memory");

static const char magic[6] = {(char)0x93, 'N', 'U', 'M', 'P', 'Y'};

/// The fields of a hit as NumPy spells them.
static const char* const hit_fields[][2] = {
    {"instance", "<u4"}, {"primitive", "<u4"}, {"t", "<f4"}, {"u", "<f4"}, {"v", "<f4"},
};
enum { HIT_FIELDS = sizeof hit_fields / sizeof hit_fields[0] };

static const char hit_descr[] = "[('instance', '<u4'), ('primitive', '<u4'), ('t', '<f4'), ('u', '<f4'), ('v', '<f4')]";

static const char contact_descr[] =
    "[('a', '<u4'), ('b', '<u4'), ('with', '<u4'), ('triangle', '<u4'), ('point', '<f4', (3,)), ('depth', '<f4'), "
    "('normal', '<f4', (3,)), ('unused', '<f4')]";

static const char pick_descr[] =
    "[('object', '<u4'), ('instance', '<u4'), ('primitive', '<u4'), ('pixels', '<u4'), ('x', '<i4'), ('y', '<i4'), "
    "('layer', '<u4'), ('depth', '<f4'), ('position', '<f4', (3,)), ('normal', '<f4', (3,)), "
    "('barycentric', '<f4', (3,))]";

static const char closest_descr[] =
    "[('instance', '<u4'), ('primitive', '<u4'), ('distance', '<f4'), ('u', '<f4'), ('v', '<f4'), "
    "('point', '<f4', (3,))]";

static const char sphere_descr[] =
    "[('instance', '<u4'), ('primitive', '<u4'), ('t', '<f4'), ('point', '<f4', (3,)), ('normal', '<f4', (3,))]";

static const char* type_name(tact_npy_type type)
{
    if (type == TACT_NPY_FLOAT32) return "float32";
    if (type == TACT_NPY_FLOAT64) return "float64";
    return type == TACT_NPY_UINT32 ? "uint32" : "hits (instance u4, primitive u4, t f4, u f4, v f4)";
}

size_t tact_npy_item_size(tact_npy_type type)
{
    if (type == TACT_NPY_CONTACT) return sizeof(tact_particle_contact);
    if (type == TACT_NPY_FLOAT64) return sizeof(double);
    if (type == TACT_NPY_PICK) return sizeof(tact_pick);
    if (type == TACT_NPY_CLOSEST) return sizeof(tact_closest_hit);
    if (type == TACT_NPY_SPHERE) return sizeof(tact_sphere_hit);
    return type == TACT_NPY_HIT ? sizeof(tact_hit) : 4;
}

/// Reads the header: a Python literal, of which the part that describes an array is understood.
typedef struct reader {
    const unsigned char* bytes;
    size_t at, end;  ///< offsets in the file
    const char* name;
    tact_problem* problem;
} reader;

static bool fail_at(reader* r, size_t at, const char* what)
{
    return tact_problem_set(r->problem, "%s: byte %zu: %s", r->name, at, what);
}

static void skip_space(reader* r)
{
    while (r->at < r->end && strchr(" \t\r\n", r->bytes[r->at]) && r->bytes[r->at])
        ++r->at;
}

/// Takes one character if it comes next.
static bool take(reader* r, char c)
{
    skip_space(r);
    if (r->at >= r->end || r->bytes[r->at] != (unsigned char)c) return false;
    ++r->at;
    return true;
}

static bool expect(reader* r, char c)
{
    if (take(r, c)) return true;
    char what[64];
    snprintf(what, sizeof what, "the header is malformed: '%c' expected", c);
    return fail_at(r, r->at, what);
}

/// A quoted text without escapes, cut out of the header; longer ones than any known name fail.
static bool read_text(reader* r, char* text, size_t size)
{
    skip_space(r);
    const size_t start = r->at;
    const unsigned char quote = r->at < r->end ? r->bytes[r->at] : 0;
    if (quote != '\'' && quote != '"') return fail_at(r, start, "the header is malformed: a quoted text expected");
    ++r->at;
    size_t length = 0;
    while (r->at < r->end && r->bytes[r->at] != quote) {
        const unsigned char c = r->bytes[r->at++];
        if (c < ' ' || c > '~' || c == '\\' || length + 1 >= size) {
            return fail_at(r, r->at - 1, "the header is malformed: an unexpected text");
        }
        text[length++] = (char)c;
    }
    text[length] = '\0';
    if (r->at >= r->end) return fail_at(r, start, "the header is malformed: a quoted text has no end");
    ++r->at;
    return true;
}

static bool check_little_endian(reader* r, size_t at, const char* descr)
{
    if (descr[0] == '>') return fail_at(r, at, "the array is big endian, which structures are not read in");
    return true;
}

static bool read_plain_type(reader* r, tact_npy_type* type, bool* big_endian)
{
    skip_space(r);
    const size_t at = r->at;
    char descr[24];
    if (!read_text(r, descr, sizeof descr)) return false;
    *big_endian = descr[0] == '>';
    // What is written is the machine's own order, which is little endian.
    if (descr[0] == '>' || descr[0] == '=') descr[0] = '<';
    if (strcmp(descr, "<f4") == 0) {
        *type = TACT_NPY_FLOAT32;
    } else if (strcmp(descr, "<f8") == 0) {
        *type = TACT_NPY_FLOAT64;
    } else if (strcmp(descr, "<u4") == 0) {
        *type = TACT_NPY_UINT32;
    } else {
        char what[96];
        snprintf(what, sizeof what, "the array's type '%s' is not read here; '<f4', '<f8' and '<u4' are", descr);
        return fail_at(r, at, what);
    }
    return true;
}

static bool read_structured_type(reader* r, tact_npy_type* type)
{
    for (int i = 0; i < HIT_FIELDS; ++i) {
        skip_space(r);
        const size_t at = r->at;
        char field[24], descr[24];
        if (take(r, ']')) return fail_at(r, at, "the array's type has fewer fields than a hit");
        if (!expect(r, '(') || !read_text(r, field, sizeof field) || !expect(r, ',') ||
            !read_text(r, descr, sizeof descr) || !check_little_endian(r, at, descr)) {
            return false;
        }
        if (!take(r, ')')) return fail_at(r, r->at, "the array's type has a field that is itself an array");
        if (strcmp(field, hit_fields[i][0]) != 0 || strcmp(descr, hit_fields[i][1]) != 0) {
            char what[128];
            snprintf(what, sizeof what, "field %d is ('%s', '%s'), not ('%s', '%s')", i, field, descr, hit_fields[i][0],
                     hit_fields[i][1]);
            return fail_at(r, at, what);
        }
        if (!take(r, ',') && i + 1 < HIT_FIELDS) {
            return fail_at(r, r->at, "the array's type has fewer fields than a hit");
        }
    }
    if (!take(r, ']')) return fail_at(r, r->at, "the array's type has more fields than a hit");
    *type = TACT_NPY_HIT;
    return true;
}

static bool read_truth(reader* r, bool* truth)
{
    skip_space(r);
    const size_t left = r->end - r->at;
    if (left >= 4 && memcmp(r->bytes + r->at, "True", 4) == 0) {
        *truth = true;
        r->at += 4;
        return true;
    }
    if (left >= 5 && memcmp(r->bytes + r->at, "False", 5) == 0) {
        *truth = false;
        r->at += 5;
        return true;
    }
    return fail_at(r, r->at, "the header is malformed: True or False expected");
}

static bool read_shape(reader* r, tact_npy_array* array)
{
    if (!expect(r, '(')) return false;
    array->dimensions = 0;
    while (!take(r, ')')) {
        if (array->dimensions == TACT_NPY_MAX_DIMENSIONS) return fail_at(r, r->at, "the array has too many dimensions");
        const size_t at = r->at;
        uint64_t extent = 0;
        while (r->at < r->end && r->bytes[r->at] >= '0' && r->bytes[r->at] <= '9') {
            const uint64_t digit = (uint64_t)(r->bytes[r->at] - '0');
            if (extent > (UINT64_MAX - digit) / 10) return fail_at(r, at, "the array's shape is too large");
            extent = extent * 10 + digit;
            ++r->at;
        }
        if (r->at == at) return fail_at(r, at, "the header is malformed: a number expected in the shape");
        array->shape[array->dimensions++] = extent;
        if (!take(r, ',')) {
            if (!expect(r, ')')) return false;
            break;
        }
    }
    return true;
}

static bool read_dictionary(reader* r, tact_npy_array* array)
{
    bool seen_descr = false, seen_order = false, seen_shape = false;
    if (!expect(r, '{')) return false;
    while (!take(r, '}')) {
        const size_t at = r->at;
        char key[24];
        if (!read_text(r, key, sizeof key) || !expect(r, ':')) return false;
        bool* seen = NULL;
        bool good = false;
        if (strcmp(key, "descr") == 0) {
            seen = &seen_descr;
            good = take(r, '[') ? read_structured_type(r, &array->type)
                                : read_plain_type(r, &array->type, &array->big_endian);
        } else if (strcmp(key, "fortran_order") == 0) {
            seen = &seen_order;
            good = read_truth(r, &array->fortran);
        } else if (strcmp(key, "shape") == 0) {
            seen = &seen_shape;
            good = read_shape(r, array);
        } else {
            return fail_at(r, at, "the header is malformed: an unknown key");
        }
        if (!good) return false;
        if (*seen) return fail_at(r, at, "the header is malformed: a key comes twice");
        *seen = true;
        if (!take(r, ',')) {
            if (!expect(r, '}')) return false;
            break;
        }
    }
    skip_space(r);
    if (r->at != r->end) return fail_at(r, r->at, "the header is malformed: text after its end");
    if (!seen_descr || !seen_order || !seen_shape) {
        return fail_at(r, r->end, "the header lacks descr, fortran_order or shape");
    }
    return true;
}

/// The bytes that the shape asks for; false when they do not fit in 64 bits.
static bool data_size(const tact_npy_array* array, uint64_t* size)
{
    uint64_t product = tact_npy_item_size(array->type);
    bool overflow = false;
    for (int i = 0; i < array->dimensions; ++i) {
        const uint64_t extent = array->shape[i];
        if (extent == 0) {
            *size = 0;
            return true;
        }
        if (product > UINT64_MAX / extent) overflow = true;
        product *= extent;
    }
    *size = product;
    return !overflow;
}

bool tact_npy_parse(const void* bytes, size_t size, const char* name, tact_npy_array* array, tact_problem* problem)
{
    reader r = {.bytes = bytes, .end = size, .name = name, .problem = problem};
    *array = (tact_npy_array){0};
    if (size < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0) {
        return fail_at(&r, 0, "not a NumPy array file (.npy): the first bytes are not \\x93NUMPY");
    }
    if (size < 8) return fail_at(&r, size, "the file ends inside the header");
    const unsigned major = r.bytes[6];
    if (major < 1 || major > 3 || r.bytes[7] != 0) {
        char what[80];
        snprintf(what, sizeof what, "version %u.%u of the format; 1.0, 2.0 and 3.0 are read", major, r.bytes[7]);
        return fail_at(&r, 6, what);
    }
    const size_t width = major == 1 ? 2 : 4;
    if (size < 8 + width) return fail_at(&r, size, "the file ends inside the header");
    size_t length = 0;
    for (size_t i = width; i-- > 0;)
        length = length << 8 | r.bytes[8 + i];
    r.at = 8 + width;
    if (length > size - r.at) return fail_at(&r, size, "the file ends inside the header");
    r.end = r.at + length;
    if (!read_dictionary(&r, array)) return false;

    array->offset = r.end;
    uint64_t wanted = 0;
    const uint64_t left = size - r.end;
    if (!data_size(array, &wanted)) return fail_at(&r, r.end, "the array's shape is too large");
    if (wanted != left) {
        char what[128];
        snprintf(what, sizeof what, "the header announces %" PRIu64 " bytes of data, the file holds %" PRIu64, wanted,
                 left);
        return fail_at(&r, wanted < left ? r.end + (size_t)wanted : size, what);
    }
    array->size = (size_t)left;
    return true;
}

static bool check_table(const tact_npy_array* array, const char* name, tact_npy_type type, uint32_t columns,
                        tact_problem* problem)
{
    if (array->type != type) {
        return tact_problem_set(problem, "%s: byte 8: the array holds %s; %s wanted", name, type_name(array->type),
                                type_name(type));
    }
    const int dimensions = columns ? 2 : 1;
    if (array->dimensions == dimensions && (!columns || array->shape[1] == columns)) return true;
    char shape[TACT_NPY_MAX_DIMENSIONS * 24] = "";
    for (int i = 0; i < array->dimensions; ++i) {
        const size_t used = strlen(shape);
        snprintf(shape + used, sizeof shape - used, "%s%" PRIu64, i ? ", " : "", array->shape[i]);
    }
    char wanted[32];
    snprintf(wanted, sizeof wanted, columns ? "(n, %u)" : "(n)", columns);
    return tact_problem_set(problem, "%s: byte 8: the array's shape is (%s); %s wanted", name, shape, wanted);
}

// ---- Data ----

static void swap_bytes(unsigned char* items, size_t count, size_t width)
{
    for (size_t i = 0; i < count; ++i, items += width) {
        for (size_t k = 0; k < width / 2; ++k) {
            const unsigned char byte = items[k];
            items[k] = items[width - 1 - k];
            items[width - 1 - k] = byte;
        }
    }
}

/// Puts the items of an array whose first axis runs fastest in the order in which its last one does.
static void turn_axes(const tact_npy_array* array, const unsigned char* from, unsigned char* to)
{
    const size_t width = tact_npy_item_size(array->type), count = array->size / width;
    uint64_t at[TACT_NPY_MAX_DIMENSIONS] = {0};
    for (size_t i = 0; i < count; ++i, to += width) {
        size_t place = 0;
        for (int d = array->dimensions; d-- > 0;)
            place = place * (size_t)array->shape[d] + (size_t)at[d];
        memcpy(to, from + place * width, width);
        for (int d = array->dimensions; d-- > 0;) {
            if (++at[d] < array->shape[d]) break;
            at[d] = 0;
        }
    }
}

/// Turns data round that lies at the beginning of a block from malloc; the block may become another.
static bool settle(void** data, const char* name, tact_npy_array* array, tact_problem* problem)
{
    const size_t width = tact_npy_item_size(array->type);
    if (array->big_endian) swap_bytes(*data, array->size / width, width);
    if (array->fortran && array->dimensions > 1 && array->size > 0) {
        void* turned = malloc(array->size);
        if (!turned) return tact_problem_out_of_memory(problem, name);
        turn_axes(array, *data, turned);
        free(*data);
        *data = turned;
    }
    array->big_endian = array->fortran = false;
    return true;
}

bool tact_npy_take(const void* bytes, const char* name, tact_npy_array* array, void** data, tact_problem* problem)
{
    *data = malloc(array->size + 1);
    if (!*data) return tact_problem_out_of_memory(problem, name);
    memcpy(*data, (const unsigned char*)bytes + array->offset, array->size);
    if (settle(data, name, array, problem)) return true;
    free(*data);
    *data = NULL;
    return false;
}

void tact_npy_to_float32(void* data, tact_npy_array* array)
{
    if (array->type != TACT_NPY_FLOAT64) return;
    const size_t count = array->size / sizeof(double);
    unsigned char* bytes = data;
    for (size_t i = 0; i < count; ++i) {
        double wide;
        memcpy(&wide, bytes + i * sizeof wide, sizeof wide);
        const float narrow = (float)wide;
        memcpy(bytes + i * sizeof narrow, &narrow, sizeof narrow);
    }
    array->type = TACT_NPY_FLOAT32;
    array->size = count * sizeof(float);
}

bool tact_npy_load(const char* path, void** bytes, tact_npy_array* array, tact_problem* problem)
{
    const char* name = tact_file_shown(path);
    size_t size = 0;
    *bytes = NULL;
    if (!tact_file_read(path, bytes, &size, problem)) return false;
    bool good = tact_npy_parse(*bytes, size, name, array, problem);
    if (good) {
        // To the front of the block, where it is aligned whatever the header's length.
        memmove(*bytes, (unsigned char*)*bytes + array->offset, array->size);
        good = settle(bytes, name, array, problem);
    }
    if (good) return true;
    free(*bytes);
    *bytes = NULL;
    return false;
}

bool tact_npy_read(const char* path, tact_npy_type type, uint32_t columns, tact_npy_table* table, tact_problem* problem)
{
    *table = (tact_npy_table){0};
    void* bytes = NULL;
    tact_npy_array array;
    if (!tact_npy_load(path, &bytes, &array, problem)) return false;
    if (type == TACT_NPY_FLOAT32) tact_npy_to_float32(bytes, &array);
    if (!check_table(&array, tact_file_shown(path), type, columns, problem)) {
        free(bytes);
        return false;
    }
    table->data = bytes;
    table->rows = array.shape[0];
    table->columns = columns;
    return true;
}

bool tact_npy_write(const char* path, tact_npy_type type, uint64_t rows, uint32_t columns, const void* data,
                    tact_problem* problem)
{
    static const char* const descrs[] = {"'<f4'", "'<u4'",    hit_descr,     contact_descr,
                                         "'<f8'", pick_descr, closest_descr, sphere_descr};
    return tact_npy_write_as(path, descrs[type], tact_npy_item_size(type), rows, columns, data, problem);
}

bool tact_npy_write_as(const char* path, const char* descr, size_t item_size, uint64_t rows, uint32_t columns,
                       const void* data, tact_problem* problem)
{
    const uint64_t row_size = item_size * (columns ? columns : 1u);
    if (rows > SIZE_MAX / row_size) return tact_problem_set(problem, "%s: too many rows", path);
    char shape[48];
    if (columns) {
        snprintf(shape, sizeof shape, "(%" PRIu64 ", %u)", rows, columns);
    } else {
        snprintf(shape, sizeof shape, "(%" PRIu64 ",)", rows);
    }
    // The data starts at a multiple of 64 bytes: the dictionary is padded with blanks and ended by a line end.
    char head[768];
    memcpy(head, magic, sizeof magic);
    head[6] = 1;
    head[7] = 0;
    const int written =
        snprintf(head + 10, sizeof head - 10, "{'descr': %s, 'fortran_order': False, 'shape': %s, }", descr, shape);
    size_t used = 10 + (size_t)written;
    while ((used + 1) % 64 != 0)
        head[used++] = ' ';
    head[used++] = '\n';
    head[8] = (char)((used - 10) & 0xff);
    head[9] = (char)((used - 10) >> 8);
    return tact_file_replace(path, head, used, data, (size_t)(rows * row_size), problem);
}
