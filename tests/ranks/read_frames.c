// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Reads the frames that `tact particles --vtk` wrote in one process and over ranks, and compares them: all pieces that
// an index names together have the same particles and contacts, with the same bytes. Arguments: the folder of one
// process, that of ranks, how many ranks, how many frames, the least number of contacts of the last one. Exit codes: 0
// the same; 1 a difference, with a line that says where.

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAYS = 16, NAME = 64 };

static _Noreturn void fail(const char* path, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", path);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

/// What an array is called, and the numbers it is of.
typedef struct kind {
    char type[NAME], name[NAME];
    size_t row;  ///< bytes
} kind;

/// Rows of several arrays side by side.
typedef struct table {
    kind kinds[ARRAYS];
    size_t kind_count, row, count;
    unsigned char* rows;
} table;

static char* read_text(const char* path, size_t* size)
{
    FILE* file = fopen(path, "rb");
    if (!file) fail(path, "is not there");
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    char* text = malloc(*size + 1);
    rewind(file);
    if (!text || fread(text, 1, *size, file) != *size) fail(path, "cannot be read");
    text[*size] = '\0';
    fclose(file);
    return text;
}

/// The value of an attribute of the tag at `tag`.
static void attribute(const char* path, const char* tag, const char* name, char* value)
{
    char key[NAME + 4];
    snprintf(key, sizeof key, " %s=\"", name);
    const char *end = strchr(tag, '>'), *at = strstr(tag, key);
    if (!end || !at || at > end) fail(path, "no %s in %.60s", name, tag);
    at += strlen(key);
    const size_t length = strcspn(at, "\"");
    if (length >= NAME) fail(path, "%s is too long", name);
    memcpy(value, at, length);
    value[length] = '\0';
}

static uint64_t number(const char* path, const char* tag, const char* name)
{
    char value[NAME];
    attribute(path, tag, name, value);
    return strtoull(value, NULL, 10);
}

static kind read_kind(const char* path, const char* tag)
{
    static const struct {
        const char* type;
        size_t size;
    } sizes[] = {{"Float32", 4}, {"UInt32", 4}, {"Int32", 4}, {"UInt8", 1}};
    kind k;
    attribute(path, tag, "type", k.type);
    attribute(path, tag, "Name", k.name);
    size_t i = 0;
    while (i < sizeof sizes / sizeof *sizes && strcmp(sizes[i].type, k.type) != 0)
        ++i;
    if (i == sizeof sizes / sizeof *sizes) fail(path, "%s is no type", k.type);
    k.row = sizes[i].size * (size_t)number(path, tag, "NumberOfComponents");
    return k;
}

/// Where the array's bytes are, of which there must be so many.
static const unsigned char* bytes_of(const char* path, const char* text, size_t size, uint64_t offset, size_t expected)
{
    static const char mark[] = "<AppendedData encoding=\"raw\">\n_";
    const char* data = strstr(text, mark);
    if (!data) fail(path, "no data");
    data += sizeof mark - 1;
    uint64_t length;
    if ((size_t)(data - text) + offset + sizeof length + expected > size) fail(path, "ends within an array");
    memcpy(&length, data + offset, sizeof length);
    if (length != expected) fail(path, "an array has %" PRIu64 " bytes, not %zu", length, expected);
    return (const unsigned char*)data + offset + sizeof length;
}

/// Whether numbers are `first`, `first` + `step`, ...: which points each vertex or line has.
static void check_numbers(const char* path, const unsigned char* bytes, size_t count, int32_t first, int32_t step)
{
    for (size_t i = 0; i < count; ++i) {
        int32_t n;
        memcpy(&n, bytes + i * sizeof n, sizeof n);
        if (n != first + (int32_t)i * step) fail(path, "point %zu is %d", i, (int)n);
    }
}

/// Adds the rows of a file to a table, whose arrays it must have. `points`: of each row.
static void read_piece(const char* path, size_t points, table* t)
{
    size_t size;
    char* text = read_text(path, &size);
    const char* piece = strstr(text, "<VTKFile type=\"PolyData\"");
    piece = piece ? strstr(piece, "<Piece ") : NULL;
    if (!piece) fail(path, "no piece");
    const size_t count = (size_t)number(path, piece, points == 1 ? "NumberOfVerts" : "NumberOfLines");
    if (number(path, piece, "NumberOfPoints") != points * count) fail(path, "not %zu points each", points);
    const bool first = t->kind_count == 0;
    size_t found = 0, column = 0;
    kind kinds[ARRAYS];
    const unsigned char* bytes[ARRAYS];
    for (const char* tag = strstr(piece, "<DataArray "); tag; tag = strstr(tag + 1, "<DataArray ")) {
        kind k = read_kind(path, tag);
        const uint64_t offset = number(path, tag, "offset");
        if (strcmp(k.name, "Points") == 0) k.row *= points;
        const size_t each = strcmp(k.name, "connectivity") == 0 ? points * k.row : k.row;
        const unsigned char* data = bytes_of(path, text, size, offset, count * each);
        if (strcmp(k.name, "connectivity") == 0) {
            check_numbers(path, data, points * count, 0, 1);
        } else if (strcmp(k.name, "offsets") == 0) {
            check_numbers(path, data, count, (int32_t)points, (int32_t)points);
        } else {
            if (found == ARRAYS) fail(path, "too many arrays");
            kinds[found] = k;
            bytes[found++] = data;
        }
    }
    if (first) {
        t->kind_count = found;
        memcpy(t->kinds, kinds, found * sizeof *kinds);
        for (size_t i = 0; i < found; ++i)
            t->row += kinds[i].row;
    }
    if (found != t->kind_count) fail(path, "%zu arrays, not %zu", found, t->kind_count);
    t->rows = realloc(t->rows, (t->count + count) * t->row + 1);
    if (!t->rows) fail(path, "no memory");
    for (size_t i = 0; i < found; ++i) {
        const kind *a = &kinds[i], *b = &t->kinds[i];
        if (strcmp(a->name, b->name) != 0 || strcmp(a->type, b->type) != 0 || a->row != b->row)
            fail(path, "array %zu is %s %s, not %s %s", i, a->type, a->name, b->type, b->name);
        for (size_t k = 0; k < count; ++k)
            memcpy(t->rows + (t->count + k) * t->row + column, bytes[i] + k * a->row, a->row);
        column += a->row;
    }
    t->count += count;
    free(text);
}

/// Reads an index and all the pieces it names; returns how many of them have rows.
static size_t read_index(const char* folder, const char* name, size_t points, size_t pieces, table* t)
{
    char path[1024], source[NAME];
    size_t size, found = 0, with_rows = 0, named = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char* text = read_text(path, &size);
    if (!strstr(text,
                "<VTKFile type=\"PPolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">"))
        fail(path, "no index");
    for (const char* tag = strstr(text, "<Piece "); tag; tag = strstr(tag + 1, "<Piece ")) {
        char piece[1200];
        const size_t before = t->count;
        attribute(path, tag, "Source", source);
        snprintf(piece, sizeof piece, "%s/%s", folder, source);
        read_piece(piece, points, t);
        with_rows += t->count > before;
        ++found;
    }
    if (found != pieces) fail(path, "%zu pieces, not %zu", found, pieces);
    for (const char* tag = strstr(text, "<PDataArray "); tag; tag = strstr(tag + 1, "<PDataArray ")) {
        kind k = read_kind(path, tag);
        if (strcmp(k.name, "Points") == 0) k.row *= points;
        if (named == t->kind_count) fail(path, "more arrays than in the pieces");
        const kind* own = &t->kinds[named++];
        if (strcmp(k.name, own->name) != 0 || strcmp(k.type, own->type) != 0 || k.row != own->row)
            fail(path, "%s %s, in the pieces %s %s", k.type, k.name, own->type, own->name);
    }
    if (named != t->kind_count) fail(path, "not all arrays of the pieces");
    free(text);
    return with_rows;
}

static size_t row_size;

static int compare_rows(const void* a, const void* b)
{
    return memcmp(a, b, row_size);
}

/// Whether both have the same rows, in any order. `ids`: no two may have the same number in the array "id".
static void compare(const char* where, table* alone, table* over, bool ids)
{
    if (alone->kind_count != over->kind_count || alone->row != over->row) fail(where, "not the same arrays");
    for (size_t i = 0; i < alone->kind_count; ++i)
        if (strcmp(alone->kinds[i].name, over->kinds[i].name) != 0) fail(where, "%s", over->kinds[i].name);
    if (alone->count != over->count) fail(where, "%zu rows, not %zu", over->count, alone->count);
    row_size = alone->row;
    qsort(alone->rows, alone->count, row_size, compare_rows);
    qsort(over->rows, over->count, row_size, compare_rows);
    for (size_t i = 0; i < alone->count; ++i)
        if (memcmp(alone->rows + i * row_size, over->rows + i * row_size, row_size) != 0) fail(where, "a row differs");
    if (!ids) return;
    size_t column = 0, k = 0;
    while (k < over->kind_count && strcmp(over->kinds[k].name, "id") != 0)
        column += over->kinds[k++].row;
    if (k == over->kind_count) fail(where, "no ids");
    unsigned char* seen = calloc(over->count + 1, 1);
    for (size_t i = 0; i < over->count && seen; ++i) {
        uint32_t id;
        memcpy(&id, over->rows + i * row_size + column, sizeof id);
        if (id >= over->count || seen[id]++) fail(where, "id %u", (unsigned)id);
    }
    free(seen);
}

int main(int argc, char** argv)
{
    if (argc != 6) fail("arguments", "two folders, ranks, frames, contacts");
    const size_t ranks = strtoul(argv[3], NULL, 10), frames = strtoul(argv[4], NULL, 10),
                 least = strtoul(argv[5], NULL, 10);
    static const char* const names[2] = {"particles", "contacts"};
    size_t contacts = 0, particles = 0;
    for (size_t i = 0; i < frames; ++i) {
        for (size_t k = 0; k < 2; ++k) {
            char whole[1024], index[80];
            table alone = {0}, over = {0};
            snprintf(whole, sizeof whole, "%s/%s_%05zu.vtp", argv[1], names[k], i);
            snprintf(index, sizeof index, "%s_%05zu.pvtp", names[k], i);
            read_piece(whole, k + 1, &alone);
            const size_t with_rows = read_index(argv[2], index, k + 1, ranks, &over);
            compare(index, &alone, &over, k == 0);
            // Else one rank may have written all.
            if (k == 0 && with_rows != ranks) fail(index, "%zu pieces have particles", with_rows);
            if (k == 0) particles = over.count;
            if (k == 1) contacts = over.count;
            free(alone.rows);
            free(over.rows);
        }
    }
    if (frames == 0 || contacts < least) fail(argv[2], "%zu contacts in the last frame", contacts);
    printf("%zu frames of %zu particles and at last %zu contacts in %zu pieces\n", frames, particles, contacts, ranks);
    return 0;
}
