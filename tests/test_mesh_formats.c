// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Our readers of OBJ, PLY and STL: what they make of files, and what they say of broken ones.

#include "tests/support/run.h"

#include "apps/inputs/mesh_formats.h"

/// Parses from memory of just that size.
static bool parse(tact_mesh_parse* reader, const void* bytes, size_t size, tact_model_mesh* mesh, tact_problem* problem)
{
    uint8_t* exact = scratch(size ? size : 1);
    memcpy(exact, bytes, size);
    *problem = (tact_problem){0};
    const bool good = reader(exact, size, "f", mesh, problem);
    if (!good) {
        assert_null(mesh->positions);
        assert_null(mesh->indices);
        assert_int_equal(problem->exit_code, TACT_EXIT_WRONG_USE);
        assert_null(strchr(problem->text, '\n'));
    }
    return good;
}

static tact_model_mesh mesh_of(tact_mesh_parse* reader, const void* bytes, size_t size)
{
    tact_model_mesh mesh;
    tact_problem problem;
    if (!parse(reader, bytes, size, &mesh, &problem)) fail_msg("%s", problem.text);
    return mesh;
}

static void refuse(tact_mesh_parse* reader, const void* bytes, size_t size, const char* says)
{
    tact_model_mesh mesh;
    tact_problem problem;
    if (parse(reader, bytes, size, &mesh, &problem)) fail_msg("taken instead of: %s", says);
    if (strcmp(problem.text, says) != 0) fail_msg("'%s' instead of '%s'", problem.text, says);
}

static void expect_indices(const tact_model_mesh* mesh, const uint32_t* indices, size_t triangles)
{
    assert_int_equal(mesh->triangle_count, triangles);
    assert_memory_equal(mesh->indices, indices, 12 * triangles);
}

static void expect_part(const tact_model_mesh* mesh, size_t i, const char* name, size_t first_vertex, size_t vertices,
                        size_t first_triangle, size_t triangles)
{
    assert_true(i < mesh->part_count);
    const tact_model_part* p = &mesh->parts[i];
    assert_string_equal(p->name, name);
    assert_int_equal(p->first_vertex, first_vertex);
    assert_int_equal(p->vertex_count, vertices);
    assert_int_equal(p->first_triangle, first_triangle);
    assert_int_equal(p->triangle_count, triangles);
}

#define OBJ(text) mesh_of(tact_mesh_obj_parse, text, strlen(text))
#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

TEST(obj_has_a_vertex_for_each_corner)
{
    tact_model_mesh m = OBJ(SQUARE "vt 0 0\nvn 0 0 1\nf 1/1/1 2//1 3/1\nf -4 -2/1/ -1\n");
    static const uint32_t indices[] = {0, 1, 2, 3, 4, 5};
    static const float corners[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0};
    expect_indices(&m, indices, 2);
    assert_int_equal(m.vertex_count, 6);
    assert_memory_equal(m.positions, corners, sizeof corners);
    assert_int_equal(m.part_count, 1);
    expect_part(&m, 0, "defaultobject", 0, 6, 0, 2);
    tact_model_mesh_free(&m);
    // Faces before the vertices they name; blanks of all kinds; no end of the last line.
    m = OBJ("f 1 2 3\r\n  v\t0 0 0 \r\nv  1 0 0\r\n\r\nv 0 1 0 # end\r\nf 3 2 1");
    assert_int_equal(m.vertex_count, 6);
    assert_true(m.positions[9] == 0.0f && m.positions[10] == 1.0f);
    tact_model_mesh_free(&m);
    // Lines that end with CR alone, and a mark of UTF-8.
    m = OBJ("\xef\xbb\xbfv 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r");
    assert_int_equal(m.triangle_count, 1);
    tact_model_mesh_free(&m);
}

TEST(obj_vertices)
{
    tact_model_mesh m = OBJ("v 2 4 6 2\nv 1 2 3 0.5 0.5 0.5\nv .5 -1e-1 +2.\nf 1 2 3\n");
    static const float corners[] = {1, 2, 3, 1, 2, 3, 0.5f, -0.1f, 2};
    assert_memory_equal(m.positions, corners, sizeof corners);
    tact_model_mesh_free(&m);
}

TEST(obj_lines_go_on_behind_a_backslash)
{
    tact_model_mesh m = OBJ("v 0 0 \\\n0\nv 1 0 0\nv 0 1 0\nf 1 \\\r\n2 \\\n 3\n");
    assert_int_equal(m.triangle_count, 1);
    tact_model_mesh_free(&m);
    static const char broken[] = "v 0 0 \\\n0\nv 1 0 x\n";
    refuse(tact_mesh_obj_parse, broken, strlen(broken), "f: line 3: 'x' is not a number");
    static const char at_end[] = SQUARE "f 1 2 3\\\n";
    m = OBJ(at_end);
    assert_int_equal(m.triangle_count, 1);
    tact_model_mesh_free(&m);
}

TEST(obj_parts)
{
    tact_model_mesh m =
        OBJ(SQUARE
            "f 1 2 3\no A b\nusemtl x\nf 1 2 3\nusemtl y\nf 1 3 4\np 1\ng empty\ng  two words \nf 2 3 4\n"
            "g  two words \nf 2 3 4\ng lines\nl 1 2 3\no A\nf 3 2 1\ng\nf 1 2 4\n");
    // The faces of A come together.
    assert_int_equal(m.part_count, 4);
    expect_part(&m, 0, "defaultobject", 0, 3, 0, 1);
    expect_part(&m, 1, "A", 3, 10, 1, 3);
    expect_part(&m, 2, "two words ", 13, 6, 4, 2);
    expect_part(&m, 3, "", 23, 3, 6, 1);
    assert_int_equal(m.dropped_faces, 3);
    assert_int_equal(m.vertex_count, 26);
    const float* last_of_a = m.positions + 36;
    assert_true(last_of_a[0] == 0.0f && last_of_a[1] == 0.0f);
    tact_model_mesh_free(&m);
    // Many names, of which one comes back.
    static char text[65536] = SQUARE;
    for (int i = 0; i < 2000; ++i)
        snprintf(text + strlen(text), 32, "o n%d\nf 1 2 3\n", i % 1500);
    m = OBJ(text);
    assert_int_equal(m.part_count, 1500);
    expect_part(&m, 499, "n499", 499 * 6, 6, 499 * 2, 2);
    expect_part(&m, 500, "n500", 3000, 3, 1000, 1);
    tact_model_mesh_free(&m);
}

TEST(obj_polygons)
{
    // A quadrilateral with a reflex third corner is cut from there; so is one with a reflex second.
    tact_model_mesh m = OBJ("v 0 0 0\nv 4 0 0\nv 1 1 0\nv 0 4 0\nf 1 2 3 4\nf 4 1 2 3\nf 1 2\nf 1\nf\n");
    static const uint32_t quads[] = {2, 3, 0, 2, 0, 1, 7, 4, 5, 7, 5, 6};
    expect_indices(&m, quads, 4);
    assert_int_equal(m.dropped_faces, 2);
    assert_int_equal(m.vertex_count, 11);
    tact_model_mesh_free(&m);
    // Straight corners: how rounding falls.
    m = OBJ("v 0 -14.1875 -28.375\nv 0 20 40\nv 40 10 0\nv 0 -20 -40\nf 2 3 4 1\n");
    static const uint32_t straight[] = {3, 0, 1, 3, 1, 2};
    expect_indices(&m, straight, 2);
    tact_model_mesh_free(&m);
    // An arrow's head, drawn clockwise as seen from above.
    m = OBJ("v 0 0 0\nv 2 3 0\nv 4 0 0\nv 2 1 0\nv 1 0.4 0\nf 1 2 3 4 5\n");
    assert_int_equal(m.triangle_count, 3);
    float area = 0.0f;
    for (size_t t = 0; t < 3; ++t) {
        const float *a = m.positions + 3 * m.indices[3 * t], *b = m.positions + 3 * m.indices[3 * t + 1],
                    *c = m.positions + 3 * m.indices[3 * t + 2];
        const float twice = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        assert_true(twice < 0.0f);
        area -= twice;
    }
    // Twice the area, by the shoelace formula.
    assert_true(area > 8.19f && area < 8.21f);
    tact_model_mesh_free(&m);
    // No ear in a polygon without area whose corners are all the same.
    m = OBJ(SQUARE "f 1 2 3\nf 1 2 1 2 1 2 1 3 4 2\n");
    assert_true(m.triangle_count >= 1);
    tact_model_mesh_free(&m);
}

/// Twice the area in x and y of all triangles, none of which is turned over.
static float flat_area(const tact_model_mesh* m)
{
    float sum = 0.0f;
    for (size_t t = 0; t < m->triangle_count; ++t) {
        const float *a = m->positions + 3 * m->indices[3 * t], *b = m->positions + 3 * m->indices[3 * t + 1],
                    *c = m->positions + 3 * m->indices[3 * t + 2];
        const float twice = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        assert_true(twice >= 0.0f);
        sum += twice;
    }
    return sum;
}

TEST(polygons_with_corners_in_line_are_covered_once)
{
    // An L, from each of its corners, whose inner one is between two others.
    static const int corners[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    uint64_t recut = 0;
    for (int first = 0; first < 6; ++first) {
        char text[200];
        size_t used = 0;
        for (int k = 0; k < 6; ++k) {
            const int* c = corners[(first + k) % 6];
            used += (size_t)snprintf(text + used, sizeof text - used, "v %d %d 0\n", c[0], c[1]);
        }
        snprintf(text + used, sizeof text - used, "f 1 2 3 4 5 6\n");
        tact_model_mesh m = OBJ(text);
        assert_int_equal(m.triangle_count, 4);
        assert_true(flat_area(&m) == 6.0f);
        recut += m.recut_faces;
        tact_model_mesh_free(&m);
    }
    assert_true(recut > 0);
    // A frame, cut open where two edges lie on each other, and a wall with a step in which three corners are in line.
    tact_model_mesh m =
        OBJ("v 0 0 0\nv 3 0 0\nv 3 3 0\nv 0 3 0\nv 1 1 0\nv 1 2 0\nv 2 2 0\nv 2 1 0\n"
            "f 1 2 3 4 1 5 6 7 8 5\n");
    assert_true(flat_area(&m) == 16.0f);
    tact_model_mesh_free(&m);
    m = OBJ("v 0 0 0\nv 4 0 0\nv 4 1 0\nv 2 1 0\nv 2 2 0\nv 1 2 0\nv 1 3 0\nv 0 3 0\nf 1 2 3 4 5 6 7 8\n");
    assert_true(flat_area(&m) == 14.0f);
    assert_int_equal(m.triangle_count, 6);
    tact_model_mesh_free(&m);
    // Edges that cross stay as they were.
    m = OBJ("v 0 0 0\nv 2 2 0\nv 2 0 0\nv 0 2 0\nv -1 1 0\nf 1 2 3 4 5\n");
    assert_int_equal(m.recut_faces, 0);
    tact_model_mesh_free(&m);
}

TEST(broken_obj)
{
    static const char* const cases[][2] = {
        {"", "f: holds no triangle (0 other faces)"},
        {"this is a text\nand no mesh\n", "f: holds no triangle (0 other faces)"},
        {SQUARE, "f: holds no triangle (0 other faces)"},
        {SQUARE "l 1 2 3\np 1 2\nf 1 2\n", "f: holds no triangle (5 other faces)"},
        {"v 1 2\n", "f: line 1: a vertex has 3 numbers, 4 (homogeneous) or 6 (with a colour)"},
        {"v\n", "f: line 1: a vertex has 3 numbers, 4 (homogeneous) or 6 (with a colour)"},
        {"v 1 2 3 4 5\n", "f: line 1: a vertex has 3 numbers, 4 (homogeneous) or 6 (with a colour)"},
        {"v 1 2 3 4 5 6 7 8\n", "f: line 1: a vertex has 3 numbers, 4 (homogeneous) or 6 (with a colour)"},
        {"\n\nv 1 2 3 0\n", "f: line 3: a vertex cannot be divided by its fourth number, zero"},
        {"v 1 2 three\n", "f: line 1: 'three' is not a number"},
        {"v 1 2 3.1+e2\n", "f: line 1: '3.1+e2' is not a number"},
        {"v 1 2 \x01\xff\n", "f: line 1: '?\?' is not a number"},
        {SQUARE "f 1 2 0\n", "f: line 5: a face refers to vertex 0; the first is 1"},
        {SQUARE "f 1 2 5\n", "f: line 5: a face refers to vertex 5 of 4"},
        {SQUARE "f 1 2 -5\n", "f: line 5: a face refers to vertex -5 of 4"},
        {"f 1 2 3\n", "f: line 1: a face refers to vertex 1 of 0"},
        {SQUARE "f 1 2 99999999999999999999\n", "f: line 5: a face refers to vertex 4611686018427387904 of 4"},
        {SQUARE "f 1 2 4294967296\n", "f: line 5: a face refers to vertex 4294967296 of 4"},
        {SQUARE "f 1 2 4294967297\n", "f: line 5: a face refers to vertex 4294967297 of 4"},
        {SQUARE "f 1 2 x\n", "f: line 5: 'x' is not a corner of a face (v, v/t, v//n or v/t/n)"},
        {SQUARE "f 1 2 3x\n", "f: line 5: '3x' is not a corner of a face (v, v/t, v//n or v/t/n)"},
        {SQUARE "f 1 2 3/1/1/1\n", "f: line 5: '3/1/1/1' is not a corner of a face (v, v/t, v//n or v/t/n)"},
        {SQUARE "f 1 2 /3\n", "f: line 5: '/3' is not a corner of a face (v, v/t, v//n or v/t/n)"},
        {"\xff\xfev\0 \0", "f: byte 0: the text is UTF-16; UTF-8 is read"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        refuse(tact_mesh_obj_parse, cases[i][0], strlen(cases[i][0]), cases[i][1]);
    static const char zero[] = "v 1 2 \0";
    refuse(tact_mesh_obj_parse, zero, sizeof zero - 1, "f: line 1: '' is not a number");
}

/// A polygon that takes the cube of its corners to cut, or more, is refused in bounded time.
TEST(monster_polygons_end)
{
    enum { CORNERS = 60000 };
    char* text = scratch(64 * CORNERS);
    size_t used = 0;
    for (int i = 0; i < CORNERS; ++i) {
        // A comb, whose teeth hide the next one's ear.
        used += (size_t)snprintf(text + used, 40, "v %d %d 0\n", i % 2 ? i : CORNERS - i, i * 7919 % 10007);
    }
    text[used++] = 'f';
    for (int i = 1; i <= CORNERS; ++i)
        used += (size_t)snprintf(text + used, 12, " %d", i);
    refuse(tact_mesh_obj_parse, text, used,
           "f: line 60001: a face of 60000 corners takes too long to cut into triangles");
}

/// A file of binary data: `f` puts a float, `i` four bytes, `h` two, `b` one, `d` a double.
typedef struct data {
    uint8_t bytes[4096];
    size_t size;
    bool big;
} data;

static void put(data* d, const void* from, size_t size)
{
    assert_true(d->size + size <= sizeof d->bytes);
    // The machine's order is least byte first in every test, as in what reads arrays.
    for (size_t i = 0; i < size; ++i)
        d->bytes[d->size++] = ((const uint8_t*)from)[d->big ? size - 1 - i : i];
}

static void put_text(data* d, const char* text)
{
    memcpy(d->bytes + d->size, text, strlen(text));
    d->size += strlen(text);
}

static void put_float(data* d, float f)
{
    put(d, &f, 4);
}

static void put_integer(data* d, int64_t n, size_t size)
{
    put(d, &n, size);
}

static const float square[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0.5f};

TEST(ply_of_all_formats)
{
    static const char* const formats[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    for (int format = 0; format < 3; ++format) {
        data d = {.big = format == 2};
        put_text(&d, "ply\nformat ");
        put_text(&d, formats[format]);
        put_text(&d,
                 " 1.0\ncomment made by hand\nobj_info of no use\nelement camera 1\nproperty list uchar short u\n"
                 "element vertex 4\nproperty uchar red\nproperty float x\nproperty double y\nproperty list int char w\n"
                 "property short z\nelement nothing 1000000000\nelement face 3\nproperty uchar flags\n"
                 "property list ushort uint vertex_index\nproperty float quality\nend_header\n");
        if (format == 0) {
            put_text(&d,
                     "2 -5 7\n255 0 0 0 0\n255 1 0 1 -1 0\n\n  1 1.0 1 2 3 4 0 extra 1\n1 0 1e0 0 9\n1 3 0 1 2 0.5\n"
                     "0 2 0 1 0.5\n9 4 0 1 2 3 1");
        } else {
            put_integer(&d, 2, 1), put_integer(&d, -5, 2), put_integer(&d, 7, 2);
            for (int v = 0; v < 4; ++v) {
                const double y = (double)square[3 * v + 1];
                put_integer(&d, 255, 1), put_float(&d, square[3 * v]), put(&d, &y, 8);
                put_integer(&d, v % 2, 4);
                if (v % 2) put_integer(&d, 1, 1);
                put_integer(&d, v == 3 ? 9 : 0, 2);
            }
            put_integer(&d, 1, 1), put_integer(&d, 3, 2);
            put_integer(&d, 0, 4), put_integer(&d, 1, 4), put_integer(&d, 2, 4), put_float(&d, 0.5f);
            put_integer(&d, 0, 1), put_integer(&d, 2, 2), put_integer(&d, 0, 4), put_integer(&d, 1, 4);
            put_float(&d, 0.5f);
            put_integer(&d, 9, 1), put_integer(&d, 4, 2);
            for (int v = 0; v < 4; ++v)
                put_integer(&d, v, 4);
            put_float(&d, 1);
        }
        tact_model_mesh m = mesh_of(tact_mesh_ply_parse, d.bytes, d.size);
        static const float positions[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 9};
        assert_int_equal(m.vertex_count, 4);
        assert_memory_equal(m.positions, positions, sizeof positions);
        // The fan would go on from the triangle before it, so it begins at the opposite corner.
        static const uint32_t indices[] = {0, 1, 2, 2, 0, 1, 2, 3, 0};
        expect_indices(&m, indices, 3);
        assert_int_equal(m.dropped_faces, 1);
        assert_int_equal(m.part_count, 1);
        expect_part(&m, 0, "", 0, 4, 0, 3);
        tact_model_mesh_free(&m);
        // Each cut of the data is refused, but for what is left out without harm at the end of a text.
        for (size_t size = 0; size + (format == 0 ? 30 : 0) < d.size; ++size) {
            tact_problem problem;
            if (parse(tact_mesh_ply_parse, d.bytes, size, &m, &problem)) fail_msg("%zu bytes were taken", size);
        }
    }
}

/// Lines of the header that end with CR LF or CR, before data that begins with LF.
TEST(ply_line_ends)
{
    static const char* const ends[] = {"\n", "\r\n", "\r"};
    static const char* const lines[] = {"ply",
                                        "format binary_little_endian 1.0",
                                        "element vertex 3",
                                        "property uchar y",
                                        "property float x",
                                        "element face 1",
                                        "property list uchar uchar vertex_indices",
                                        "end_header"};
    for (int e = 0; e < 3; ++e) {
        data d = {0};
        for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i)
            put_text(&d, lines[i]), put_text(&d, ends[e]);
        for (int v = 0; v < 3; ++v)
            put_integer(&d, '\n', 1), put_float(&d, (float)v);
        put_integer(&d, 0x02010003, 4);
        tact_model_mesh m = mesh_of(tact_mesh_ply_parse, d.bytes, d.size);
        static const float positions[] = {0, 10, 0, 1, 10, 0, 2, 10, 0};
        assert_memory_equal(m.positions, positions, sizeof positions);
        tact_model_mesh_free(&m);
    }
}

TEST(ply_strips)
{
    static const char text[] =
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty int x\nproperty int y\nproperty int z\nelement tristrips 1\n"
        "property list int int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n9 0 1 2 3 -1 0 1 -1 2\n";
    tact_model_mesh m = mesh_of(tact_mesh_ply_parse, text, strlen(text));
    static const uint32_t indices[] = {0, 1, 2, 2, 1, 3};
    expect_indices(&m, indices, 2);
    tact_model_mesh_free(&m);
}

#define HEAD(format) "ply\nformat " format " 1.0\n"
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define FACES(n) "element face " n "\nproperty list uchar int vertex_indices\n"
#define ROWS "0 0 0\n1 0 0\n0 1 0\n"

TEST(broken_ply)
{
    static const char* const cases[][2] = {
        {"", "f: line 0: not a PLY file: the first line is not 'ply'"},
        {"play\n", "f: line 1: not a PLY file: the first line is not 'ply'"},
        {"ply\n", "f: line 1: the header has no end_header"},
        {"ply\nend_header\n", "f: line 2: the header has no format"},
        {HEAD("ascii") "end_header\n", "f: holds no triangle (0 other faces)"},
        {HEAD("text"), "f: line 2: format 'text' is not ascii, binary_little_endian or binary_big_endian"},
        {HEAD("ascii") "property float x\n", "f: line 3: a property before any element"},
        {HEAD("ascii") "element vertex\n", "f: line 3: element vertex has no count"},
        {HEAD("ascii") "element vertex -1\n", "f: line 3: element vertex has no count"},
        {HEAD("ascii") "element vertex 1e9\n", "f: line 3: element vertex has no count"},
        {HEAD("ascii") "element vertex 1\nelement vertex 1\n", "f: line 4: element vertex comes twice"},
        {HEAD("ascii") "element vertex 1\nproperty float x\nproperty int x\n", "f: line 5: a coordinate comes twice"},
        {HEAD("ascii") "element vertex 1\nproperty real x\n", "f: line 4: 'real' is not a type of numbers"},
        {HEAD("ascii") "element vertex 1\nproperty list float int x\n",
         "f: line 4: a list's length is not a whole number"},
        {HEAD("ascii") "element face 1\nproperty list int float vertex_index\n",
         "f: line 4: a list of vertices is not of whole numbers"},
        {HEAD("ascii") FACES("1") "property list int int vertex_index\n", "f: line 5: a second list of vertices"},
        {HEAD("ascii") "element vertex 0\nend_header\n", "f: line 3: element vertex has no x, y or z"},
        {HEAD("ascii") FACES("1") "element vertex 3\n" XYZ "end_header\n" ROWS "3 0 1 2\n",
         "f: line 3: element face comes before vertex"},
        {HEAD("ascii") "element vertex 3\n" XYZ "end_header\n" ROWS, "f: holds no triangle (0 other faces)"},
        {HEAD("ascii") "element vertex 3\n" XYZ FACES("1") "end_header\n" ROWS "2 0 1\n",
         "f: holds no triangle (1 other faces)"},
        {HEAD("ascii") "element vertex 3\n" XYZ FACES("1") "end_header\n" ROWS "3 0 1 3\n",
         "f: line 13: face 0 refers to vertex 3 of 3"},
        {HEAD("ascii") "element vertex 3\n" XYZ FACES("1") "end_header\n" ROWS "3 0 1 -1\n",
         "f: line 13: face 0 refers to vertex -1 of 3"},
        {HEAD("ascii") "element vertex 3\n" XYZ FACES("1") "end_header\n" ROWS "3 0 1\n",
         "f: line 13: face 0 has a list of length 3, for which the line is too short"},
        {HEAD("ascii") "element vertex 3\n" XYZ FACES("1") "end_header\n" ROWS "-3 0 1 2\n",
         "f: line 13: face 0 has a list of length -3"},
        {HEAD("ascii") "element vertex 3\n" XYZ FACES("1") "end_header\n" ROWS "2147483648 0 1 2\n",
         "f: line 13: face 0 has a list of length 2147483648, for which the line is too short"},
        {HEAD("ascii") "element vertex 3\n" XYZ FACES("1") "end_header\n" ROWS "3 0 1 2.5\n",
         "f: line 13: face 0 has a value that is not a number of its type"},
        {HEAD("ascii") "element vertex 3\n" XYZ FACES("2") "end_header\n" ROWS "3 0 1 2\n\n \n",
         "f: line 15: the file ends within face 1 of 2"},
        {HEAD("ascii") "element vertex 3\n" XYZ FACES("1") "end_header\n0 0 x\n1 0 0\n0 1 0\n3 0 1 2\n",
         "f: line 10: vertex 0 has a value that is not a number of its type"},
        {HEAD("ascii") "element vertex 3\n" XYZ FACES("1") "end_header\n0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
         "f: line 10: vertex 0 has too few values in its line"},
        // Counts without what they announce: the file of the issue.
        {HEAD("ascii") "element vertex 100000000\n" XYZ FACES("100000000") "end_header\n" ROWS "3 0 1 2\n",
         "f: line 3: element vertex announces 100000000 items of 6 bytes or more, but 26 bytes are left in the file"},
        {HEAD("ascii") "element vertex 3\n" XYZ FACES("4611686018427387904") "end_header\n" ROWS "3 0 1 2\n",
         "f: line 7: element face announces 4611686018427387904 items of 2 bytes or more, but 8 bytes are left in the "
         "file"},
        {HEAD("ascii") "element vertex 99999999999999999999\n" XYZ "end_header\n" ROWS,
         "f: line 3: element vertex announces 4611686018427387904 items of 6 bytes or more, but 18 bytes are left in "
         "the file"},
        {HEAD("binary_big_endian") "element vertex 4294967295\n" XYZ "end_header\n" ROWS,
         "f: line 3: element vertex announces 4294967295 items of 12 bytes or more, but 18 bytes are left in the file"},
        {HEAD("binary_big_endian") "element vertex 4294967297\nend_header\n",
         "f: line 3: element vertex has no x, y or z"},
        {HEAD("binary_big_endian") "element x 1\nproperty list uint double y\nend_header\n\xff\xff\xff\xff",
         "f: byte 88: x 0 has a list of length 4294967295, for which the file is too short"},
        {HEAD("binary_little_endian") "element x 1\nproperty list int double y\nend_header\n\xfe\xff\xff\xff",
         "f: byte 90: x 0 has a list of length -2"},
        {HEAD("binary_big_endian") "element vertex 1\nproperty uchar x\n"
                                   "element face 1\nproperty list uchar char vertex_index\nend_header\n1\3\1\1\1",
         "f: byte 134: face 0 refers to vertex 1 of 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        refuse(tact_mesh_ply_parse, cases[i][0], strlen(cases[i][0]), cases[i][1]);
}

TEST(stl_text)
{
#define FACET "facet normal 0 0 1\n outer loop\n vertex 0 0 0\n vertex 1 0 0\n vertex 0 1 0\n endloop\nendfacet\n"
    static const char text[] =
        "solid first part\n" FACET "endsolid first part\nsolid\nendsolid\nsolid last\r\n" FACET FACET;
    tact_model_mesh m = mesh_of(tact_mesh_stl_parse, text, sizeof text);  // with a zero at its end
    static const uint32_t indices[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    static const float corners[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    expect_indices(&m, indices, 3);
    assert_int_equal(m.vertex_count, 9);
    assert_memory_equal(m.positions + 9, corners, sizeof corners);
    assert_int_equal(m.part_count, 2);
    expect_part(&m, 0, "first", 0, 3, 0, 1);
    expect_part(&m, 1, "last", 3, 6, 1, 2);
    tact_model_mesh_free(&m);
    static const char* const cases[][2] = {
        {"", "f: byte 0: neither text (solid ...) nor the 84 bytes that binary data begins with"},
        {"solidify", "f: byte 0: neither text (solid ...) nor the 84 bytes that binary data begins with"},
        {"solid", "f: holds no triangle (0 other faces)"},
        {"solid a\nfacet\nvertex 1 2\n", "f: line 3: a vertex has three numbers"},
        {"solid a\nfacet\nvertex 1 2 x\n", "f: line 3: a vertex has a coordinate that is not a number"},
        {"solid a\nfacet\nvertex 1 2 3f\n", "f: line 3: a vertex has a coordinate that is not a number"},
        {"solid a\nvertex 1 2 3\n", "f: line 2: a vertex outside of a facet"},
        {"solid a\nfacet vertex 1 2 3 vertex 1 2 3 vertex 1 2 3 vertex 1 2 3\n",
         "f: line 2: a facet has more than three vertices"},
        {"solid a\nfacet vertex 1 2 3\nfacet\n", "f: line 3: a facet with fewer than three vertices ends here"},
        {"solid a\nfacet vertex 1 2 3\nendfacet\n", "f: line 3: a facet with fewer than three vertices ends here"},
        {"solid a\nfacet vertex 1 2 3\nendsolid\n", "f: line 3: a facet with fewer than three vertices ends here"},
        {"solid a\nfacet vertex 1 2 3\n", "f: line 2: a facet with fewer than three vertices ends here"},
        {"solid a\nfacet vertex 1 2 3 solid\n", "f: line 2: a solid begins within a facet"},
        {"solid a\n" FACET "endsolid\n" FACET, "f: line 10: a facet outside of a solid"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        refuse(tact_mesh_stl_parse, cases[i][0], strlen(cases[i][0]), cases[i][1]);
}

TEST(stl_binary)
{
    data d = {0};
    put_text(&d, "solid that is none");
    d.size = 80;
    put_integer(&d, 2, 4);
    for (int t = 0; t < 2; ++t) {
        for (int k = 0; k < 12; ++k)
            put_float(&d, (float)(10 * t + k));
        put_integer(&d, 0x8123, 2);
    }
    tact_model_mesh m = mesh_of(tact_mesh_stl_parse, d.bytes, d.size);
    static const float corners[] = {3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 17, 18, 19, 20, 21};
    static const uint32_t indices[] = {0, 1, 2, 3, 4, 5};
    expect_indices(&m, indices, 2);
    assert_memory_equal(m.positions, corners, sizeof corners);
    assert_int_equal(m.part_count, 1);
    expect_part(&m, 0, "", 0, 6, 0, 2);
    tact_model_mesh_free(&m);
    refuse(tact_mesh_stl_parse, d.bytes, 183,
           "f: byte 80: neither text (solid ...) nor binary: 2 triangles are announced, which take 184 bytes; the file "
           "has 183");
    refuse(tact_mesh_stl_parse, d.bytes, 83,
           "f: byte 0: neither text (solid ...) nor the 84 bytes that binary data begins with");
    // 85,899,346 times 50 is 4 more than 2^32: with 32 bits the file would be whole.
    memcpy(d.bytes + 80, "\x52\xb8\x1e\x05", 4);
    refuse(tact_mesh_stl_parse, d.bytes, 88,
           "f: byte 80: neither text (solid ...) nor binary: 85899346 triangles are announced, which take 4294967384 "
           "bytes; the file has 88");
    memset(d.bytes + 80, 0, 4);
    refuse(tact_mesh_stl_parse, d.bytes, 84, "f: holds no triangle (0 other faces)");
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
