// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "apps/inputs/npy.h"
#include "apps/system.h"
#include "tests/support/temporary.h"

/// A file of version `major` with this dictionary and `data` bytes of data.
static size_t make(unsigned char* out, int major, const char* dictionary, size_t data)
{
    const size_t length = strlen(dictionary);
    memcpy(out, "\x93NUMPY", 6);
    out[6] = (unsigned char)major;
    out[7] = 0;
    out[8] = (unsigned char)(length & 0xff);
    out[9] = (unsigned char)(length >> 8);
    size_t used = 10;
    if (major != 1) {
        out[10] = out[11] = 0;
        used = 12;
    }
    memcpy(out + used, dictionary, length);
    memset(out + used + length, 0x5a, data);
    return used + length + data;
}

TEST(good_headers_are_read)
{
    static const struct {
        int major;
        const char* dictionary;
        size_t data;
        tact_npy_type type;
        int dimensions;
        uint64_t rows, columns;
    } cases[] = {
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 8), }\n", 64, TACT_NPY_FLOAT32, 2, 2, 8},
        {2, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 8), }\n", 64, TACT_NPY_FLOAT32, 2, 2, 8},
        {3, "{'descr': '>f4', 'fortran_order': True, 'shape': (2, 8), }\n", 64, TACT_NPY_FLOAT32, 2, 2, 8},
        {1, "{\"shape\":(3,),\"descr\":\"<u4\",\"fortran_order\":False}", 12, TACT_NPY_UINT32, 1, 3, 0},
        {1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4, 4), }", 384, TACT_NPY_FLOAT64, 3, 3, 4},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 8), }", 0, TACT_NPY_FLOAT32, 2, 0, 8},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (), }", 4, TACT_NPY_FLOAT32, 0, 0, 0},
        {1,
         "{'descr': [('instance', '<u4'), ('primitive', '<u4'), ('t', '<f4'), ('u', '<f4'), ('v', '<f4')], "
         "'fortran_order': False, 'shape': (2,), }",
         40, TACT_NPY_HIT, 1, 2, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        unsigned char bytes[512];
        tact_npy_array array;
        tact_problem problem = {0};
        const size_t size = make(bytes, cases[i].major, cases[i].dictionary, cases[i].data);
        if (!tact_npy_parse(bytes, size, "x", &array, &problem)) fail_msg("case %zu: %s", i, problem.text);
        assert_int_equal(array.type, cases[i].type);
        assert_int_equal(array.dimensions, cases[i].dimensions);
        if (array.dimensions > 0) assert_int_equal(array.shape[0], cases[i].rows);
        if (array.dimensions > 1) assert_int_equal(array.shape[1], cases[i].columns);
        assert_int_equal(array.offset, size - cases[i].data);
        assert_int_equal(array.size, cases[i].data);
    }
}

TEST(bad_headers_are_refused_with_the_place)
{
    static const struct {
        const char* dictionary;
        size_t data;
        const char* message;
    } cases[] = {
        {"{'descr': [('instance', '>u4')], 'fortran_order': False, 'shape': (), }", 4, "the array is big endian"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (2, 8), }", 128, "byte 20: the array's type '<f2'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 8), }", 63, "announces 64 bytes of data, the file"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 8), }", 65, "byte 133: the header announces 64"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 8), }", 0, "shape is too large"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999, 8), }", 0, "shape is too large"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 8), }", 0, "a number expected in the shape"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1), }", 4, "too many dimensions"},
        {"{'descr': '<f4', 'fortran_order': False, }", 0, "lacks descr, fortran_order or shape"},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (), }", 4, "a key comes twice"},
        {"{'descr': '<f4', 'order': False, 'shape': (), }", 4, "an unknown key"},
        {"{'descr': '<f4', 'fortran_order': Maybe, 'shape': (), }", 4, "True or False expected"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2", 8, "')' expected"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': () } x", 4, "text after its end"},
        {"{'descr': '<f4", 4, "has no end"},
        {"{'descr': [('instance', '<u4')], 'fortran_order': False, 'shape': (), }", 4, "fewer fields"},
        {"{'descr': [('t', '<u4')], 'fortran_order': False, 'shape': (), }", 4, "field 0 is ('t', '<u4')"},
        {"{'descr': [('instance', '<u4', 3)], 'fortran_order': False, 'shape': (), }", 4, "itself an array"},
        {"", 0, "'{' expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        unsigned char bytes[512];
        tact_npy_array array;
        tact_problem problem = {0};
        const size_t size = make(bytes, 1, cases[i].dictionary, cases[i].data);
        assert_false(tact_npy_parse(bytes, size, "x.npy", &array, &problem));
        assert_int_equal(problem.exit_code, TACT_EXIT_WRONG_USE);
        assert_memory_equal(problem.text, "x.npy: byte ", 12);
        if (!strstr(problem.text, cases[i].message)) fail_msg("case %zu: %s", i, problem.text);
    }
}

TEST(every_truncation_is_refused)
{
    unsigned char bytes[512];
    const size_t size = make(bytes, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 8), }\n", 64);
    for (size_t cut = 0; cut < size; ++cut) {
        // In memory of just that size, so that a sanitizer sees a read past its end.
        unsigned char* part = malloc(cut + 1);
        memcpy(part, bytes, cut);
        part = realloc(part, cut ? cut : 1);
        tact_npy_array array;
        tact_problem problem = {0};
        assert_false(tact_npy_parse(part, cut, "x", &array, &problem));
        free(part);
    }
    bytes[6] = 4;
    tact_npy_array array;
    tact_problem problem = {0};
    assert_false(tact_npy_parse(bytes, size, "x", &array, &problem));
    assert_non_null(strstr(problem.text, "version 4.0"));
}

TEST(tables_come_back_to_the_bit)
{
    // A NaN with a payload, a negative zero, a subnormal.
    const uint32_t patterns[8] = {0x7fc12345u, 0x80000000u, 1u, 0xff800000u, 0x3f800000u, 0x7f812345u, 0, 42u};
    float rays[16];
    memcpy(rays, patterns, 32);
    memcpy(rays + 8, patterns, 32);
    tact_problem problem = {0};
    tact_npy_table table;
    assert_true(tact_npy_write("npy_rays.npy", TACT_NPY_FLOAT32, 2, 8, rays, &problem));
    assert_true(tact_npy_read("npy_rays.npy", TACT_NPY_FLOAT32, 8, &table, &problem));
    assert_int_equal(table.rows, 2);
    assert_memory_equal(table.data, rays, sizeof rays);
    free(table.data);
    assert_false(tact_npy_read("npy_rays.npy", TACT_NPY_FLOAT32, 6, &table, &problem));
    assert_non_null(strstr(problem.text, "the array's shape is (2, 8); (n, 6) wanted"));
    assert_false(tact_npy_read("npy_rays.npy", TACT_NPY_UINT32, 8, &table, &problem));
    assert_non_null(strstr(problem.text, "holds float32; uint32 wanted"));

    tact_hit hits[3];
    memset(hits, 0xc3, sizeof hits);
    assert_true(tact_npy_write("npy_hits.npy", TACT_NPY_HIT, 3, 0, hits, &problem));
    assert_true(tact_npy_read("npy_hits.npy", TACT_NPY_HIT, 0, &table, &problem));
    assert_int_equal(table.rows, 3);
    assert_memory_equal(table.data, hits, sizeof hits);
    free(table.data);

    assert_true(tact_npy_write("npy_none.npy", TACT_NPY_FLOAT32, 0, 8, NULL, &problem));
    assert_true(tact_npy_read("npy_none.npy", TACT_NPY_FLOAT32, 8, &table, &problem));
    assert_int_equal(table.rows, 0);
    free(table.data);
}

TEST(written_headers_are_aligned_and_of_version_1)
{
    tact_problem problem = {0};
    static const tact_npy_type types[] = {TACT_NPY_FLOAT32, TACT_NPY_UINT32, TACT_NPY_HIT};
    for (uint64_t rows = 1; rows < 3; ++rows) {
        for (int i = 0; i < 3; ++i) {
            tact_hit data[2] = {{0}};
            void* bytes;
            size_t size;
            tact_npy_array array;
            assert_true(tact_npy_write("npy_header.npy", types[i], rows, 0, data, &problem));
            assert_true(tact_file_read("npy_header.npy", &bytes, &size, &problem));
            assert_memory_equal(bytes, "\x93NUMPY\x01\x00", 8);
            assert_true(tact_npy_parse(bytes, size, "x", &array, &problem));
            assert_int_equal(array.offset % 64, 0);
            assert_int_equal(((char*)bytes)[array.offset - 1], '\n');
            free(bytes);
        }
    }
}

static void write_floats(const char* path, const char* descr, const char* order, const char* shape, const void* data,
                         size_t size)
{
    char dictionary[128];
    unsigned char bytes[512];
    snprintf(dictionary, sizeof dictionary, "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, order,
             shape);
    const size_t all = make(bytes, 3, dictionary, size);
    memcpy(bytes + all - size, data, size);
    write_file(path, bytes, all);
}

static void put_big_endian(unsigned char* to, const void* item, size_t width)
{
    for (size_t k = 0; k < width; ++k)
        to[k] = ((const unsigned char*)item)[width - 1 - k];
}

/// What is 10 * row + column, plus a part that is a float in no other order of bytes.
TEST(arrays_of_any_order_and_width_are_the_same)
{
    enum { ROWS = 3, COLUMNS = 4, ITEMS = ROWS * COLUMNS };
    static const char* const descrs[] = {"<f4", ">f4", "<f8", ">f8", "=f8"};
    for (size_t d = 0; d < sizeof descrs / sizeof *descrs; ++d) {
        for (int fortran = 0; fortran < 2; ++fortran) {
            const size_t width = (size_t)(descrs[d][2] - '0');
            unsigned char data[ITEMS * 8];
            for (int i = 0; i < ITEMS; ++i) {
                const int row = fortran ? i % ROWS : i / COLUMNS, column = fortran ? i / ROWS : i % COLUMNS;
                // Not a float: 0.1f is what it is rounded to.
                const double wide = width == 8 ? 10 * row + column + 0.1 : (double)((float)(10 * row + column + 0.1));
                const float narrow = (float)wide;
                const void* item = width == 8 ? (const void*)&wide : &narrow;
                if (descrs[d][0] == '>') {
                    put_big_endian(data + (size_t)i * width, item, width);
                } else {
                    memcpy(data + (size_t)i * width, item, width);
                }
            }
            write_floats("npy_order.npy", descrs[d], fortran ? "True" : "False", "(3, 4)", data, ITEMS * width);
            tact_npy_table table;
            tact_problem problem = {0};
            if (!tact_npy_read("npy_order.npy", TACT_NPY_FLOAT32, COLUMNS, &table, &problem))
                fail_msg("%s: %s", descrs[d], problem.text);
            assert_int_equal(table.rows, ROWS);
            for (int i = 0; i < ITEMS; ++i) {
                const float right = (float)(10 * (i / COLUMNS) + i % COLUMNS + 0.1);
                if (((const float*)table.data)[i] != right) fail_msg("%s %d: item %d", descrs[d], fortran, i);
            }
            free(table.data);
        }
    }
}

TEST(axes_of_three_dimensions_are_turned)
{
    uint32_t data[24];
    for (uint32_t i = 0; i < 24; ++i)
        data[i] = 100 * (i % 2) + 10 * (i / 2 % 3) + i / 6;
    write_floats("npy_three.npy", "<u4", "True", "(2, 3, 4)", data, sizeof data);
    void* bytes = NULL;
    tact_npy_array array;
    tact_problem problem = {0};
    assert_true(tact_npy_load("npy_three.npy", &bytes, &array, &problem));
    for (uint32_t i = 0; i < 24; ++i)
        assert_int_equal(((const uint32_t*)bytes)[i], 100 * (i / 12) + 10 * (i / 4 % 3) + i % 4);
    free(bytes);
}

TEST(files_that_cannot_be_are_told_by_name)
{
    tact_problem problem = {0};
    tact_npy_table table;
    assert_false(tact_npy_read("no such file.npy", TACT_NPY_FLOAT32, 8, &table, &problem));
    assert_non_null(strstr(problem.text, "no such file.npy: cannot be read"));
    assert_false(tact_npy_read(".", TACT_NPY_FLOAT32, 8, &table, &problem));
    assert_non_null(strstr(problem.text, ".: is a folder"));
    assert_false(tact_npy_write("no such folder/x.npy", TACT_NPY_FLOAT32, 0, 8, NULL, &problem));
    assert_non_null(strstr(problem.text, "no such folder/x.npy: cannot be written"));
    assert_false(tact_npy_write(".", TACT_NPY_FLOAT32, 0, 8, NULL, &problem));
    write_file("npy_empty.npy", "", 0);
    assert_false(tact_npy_read("npy_empty.npy", TACT_NPY_FLOAT32, 8, &table, &problem));
    assert_non_null(strstr(problem.text, "byte 0: not a NumPy array"));
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
