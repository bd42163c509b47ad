// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// STL, of text or binary. Many binary files begin with "solid" too: what decides is whether the size is that of a
// binary file with as many triangles as it says.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "apps/inputs/mesh_formats.h"
#include "base/bytes.h"

enum { HEADER = 84, RECORD = 50 };

static uint64_t binary_size(const uint8_t* bytes)
{
    return HEADER + (uint64_t)RECORD * tact_get_u32(bytes + 80);
}

/// Numbers the corners in order; positions are there.
static bool number_corners(const char* name, tact_model_mesh* mesh, tact_problem* problem)
{
    mesh->triangle_count = mesh->vertex_count / 3;
    if (mesh->vertex_count > UINT32_MAX) return tact_problem_set(problem, "%s: more than 2^32 vertices", name);
    mesh->indices = malloc(mesh->vertex_count * sizeof *mesh->indices + 1);
    if (!mesh->indices) return tact_problem_out_of_memory(problem, name);
    for (size_t i = 0; i < mesh->vertex_count; ++i)
        mesh->indices[i] = (uint32_t)i;
    return true;
}

static bool read_binary(const uint8_t* bytes, const char* name, tact_model_mesh* mesh, tact_problem* problem)
{
    const size_t count = tact_get_u32(bytes + 80);
    if (count == 0) return tact_faces_none(name, 0, problem);
    if (count > SIZE_MAX / 36) return tact_problem_out_of_memory(problem, name);
    mesh->positions = malloc(count * 36);
    mesh->parts = calloc(1, sizeof *mesh->parts);
    if (!mesh->positions || !mesh->parts) return tact_problem_out_of_memory(problem, name);
    for (size_t i = 0; i < count; ++i) {
        // The normal comes first.
        const uint8_t* from = bytes + HEADER + RECORD * i + 12;
        for (size_t k = 0; k < 9; ++k) {
            const uint32_t bits = tact_get_u32(from + 4 * k);
            memcpy(mesh->positions + 9 * i + k, &bits, sizeof bits);
        }
    }
    mesh->vertex_count = 3 * count;
    mesh->part_count = 1;
    mesh->parts[0] = (tact_model_part){.vertex_count = 3 * count, .triangle_count = count};
    return number_corners(name, mesh, problem);
}

typedef struct reader {
    tact_lines lines;
    const char* name;
    tact_problem* problem;
    tact_model_mesh* mesh;
    size_t vertex_room, part_room;
    bool in_solid, in_facet;
    unsigned corners;  ///< of this facet so far
} reader;

static bool fail(reader* r, const char* what)
{
    return tact_problem_set(r->problem, "%s: line %zu: %s", r->name, r->lines.line, what);
}

static bool no_memory(reader* r)
{
    return tact_problem_out_of_memory(r->problem, r->name);
}

static bool read_vertex(reader* r)
{
    if (!r->in_facet) return fail(r, "a vertex outside of a facet");
    if (r->corners == 3) return fail(r, "a facet has more than three vertices");
    tact_model_mesh* mesh = r->mesh;
    if (!tact_array_grow((void**)&mesh->positions, mesh->vertex_count, &r->vertex_room, 3 * sizeof *mesh->positions)) {
        return no_memory(r);
    }
    for (size_t k = 0; k < 3; ++k) {
        float value = 0.0f;
        if (!tact_lines_skip_blanks(&r->lines)) return fail(r, "a vertex has three numbers");
        if (!tact_number_float(&r->lines.at, r->lines.stop, &value) || !tact_lines_at_gap(&r->lines)) {
            return fail(r, "a vertex has a coordinate that is not a number");
        }
        mesh->positions[3 * mesh->vertex_count + k] = value;
    }
    ++mesh->vertex_count;
    ++r->corners;
    return true;
}

/// Ends the facet, if there is one.
static bool end_facet(reader* r)
{
    if (r->in_facet && r->corners != 3) return fail(r, "a facet with fewer than three vertices ends here");
    r->in_facet = false;
    return true;
}

/// Ends the solid: a part, unless it is empty.
static bool end_solid(reader* r)
{
    if (!end_facet(r)) return false;
    r->in_solid = false;
    tact_model_mesh* mesh = r->mesh;
    if (mesh->part_count == 0) return true;
    tact_model_part* part = &mesh->parts[mesh->part_count - 1];
    part->vertex_count = mesh->vertex_count - part->first_vertex;
    part->triangle_count = part->vertex_count / 3;
    if (part->triangle_count == 0) --mesh->part_count;
    return true;
}

static bool begin_solid(reader* r)
{
    tact_model_mesh* mesh = r->mesh;
    if (!tact_array_grow((void**)&mesh->parts, mesh->part_count, &r->part_room, sizeof *mesh->parts)) {
        return no_memory(r);
    }
    tact_model_part* part = &mesh->parts[mesh->part_count++];
    *part = (tact_model_part){.first_vertex = mesh->vertex_count, .first_triangle = mesh->vertex_count / 3};
    const char* name = NULL;
    const size_t size = tact_lines_word(&r->lines, &name);
    tact_text_copy(name, size, part->name, sizeof part->name);
    r->in_solid = true;
    return true;
}

static bool skip_line(reader* r)
{
    r->lines.at = r->lines.stop;
    return true;
}

/// Takes a word of the text. Those that say nothing new, `outer loop` and the normal, pass.
static bool read_word(reader* r, const char* word, size_t size)
{
    // Most words are numbers of normals.
    if (*word < 'e' || *word > 'v') return true;
    if (tact_text_is(word, size, "vertex")) return read_vertex(r);
    if (tact_text_is(word, size, "facet")) {
        if (!end_facet(r)) return false;
        if (!r->in_solid) return fail(r, "a facet outside of a solid");
        r->in_facet = true;
        r->corners = 0;
        return true;
    }
    if (tact_text_is(word, size, "endfacet")) return end_facet(r);
    if (tact_text_is(word, size, "endsolid")) return end_solid(r) && skip_line(r);
    if (tact_text_is(word, size, "solid")) {
        if (r->in_facet) return fail(r, "a solid begins within a facet");
        return (!r->in_solid || end_solid(r)) && begin_solid(r) && skip_line(r);
    }
    return true;
}

static bool read_text(const void* bytes, size_t size, const char* name, tact_model_mesh* mesh, tact_problem* problem)
{
    reader r = {.name = name, .problem = problem, .mesh = mesh};
    tact_lines_begin(&r.lines, bytes, size);
    bool good = true;
    while (good && tact_lines_next(&r.lines)) {
        const char* word = NULL;
        for (size_t length = 0; good && (length = tact_lines_word(&r.lines, &word)) > 0;)
            good = read_word(&r, word, length);
    }
    good = good && (!r.in_solid || end_solid(&r));
    if (good && mesh->vertex_count == 0) return tact_faces_none(name, 0, problem);
    return good && number_corners(name, mesh, problem);
}

static bool begins_with_solid(const void* bytes, size_t size)
{
    tact_lines lines;
    tact_lines_begin(&lines, bytes, size);
    const char* word = NULL;
    size_t length = 0;
    while (length == 0 && tact_lines_next(&lines))
        length = tact_lines_word(&lines, &word);
    return tact_text_is(word, length, "solid");
}

bool tact_mesh_stl_is_binary(const void* bytes, size_t size)
{
    return size >= HEADER && binary_size(bytes) == size;
}

bool tact_mesh_stl_parse(const void* bytes, size_t size, const char* name, tact_model_mesh* mesh, tact_problem* problem)
{
    *mesh = (tact_model_mesh){0};
    const uint8_t* from = bytes;
    bool good = false;
    if (tact_mesh_stl_is_binary(bytes, size)) {
        good = read_binary(from, name, mesh, problem);
    } else {
        const bool marked = size >= 3 && memcmp(from, "\xef\xbb\xbf", 3) == 0;
        const uint8_t* text = marked ? from + 3 : from;
        size_t text_size = marked ? size - 3 : size;
        while (text_size > 0 && (text[text_size - 1] == 0 || text[text_size - 1] == 0x1a))
            --text_size;  // what some programs end a text with
        const bool binary = text_size > 0 && memchr(text, 0, text_size);
        if (!binary && begins_with_solid(text, text_size)) {
            good = read_text(text, text_size, name, mesh, problem);
        } else if (size >= HEADER) {
            tact_problem_set(problem,
                             "%s: byte 80: neither text (solid ...) nor binary: %" PRIu32
                             " triangles are announced, which take %" PRIu64 " bytes; the file has %zu",
                             name, tact_get_u32(from + 80), binary_size(from), size);
        } else {
            tact_problem_set(
                problem, "%s: byte 0: neither text (solid ...) nor the 84 bytes that binary data begins with", name);
        }
    }
    if (!good) tact_model_mesh_free(mesh);
    return good;
}
