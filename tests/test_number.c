// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Numbers in text: the nearest float, whatever the number of digits, against the C library's strtof.

#if defined(__unix__)
#define _XOPEN_SOURCE 700
#endif
#include <inttypes.h>
#include <locale.h>

#include "tests/support/run.h"

#include "apps/inputs/mesh_formats.h"
#include "apps/inputs/random.h"
#include "apps/options.h"
#include "tests/support/effort.h"

/// Reads all of a text, which lies in memory of just its size.
static bool read_all(const char* text, float* value)
{
    const size_t size = strlen(text);
    char* exact = scratch(size ? size : 1);
    memcpy(exact, text, size);
    const char* at = exact;
    const bool good = tact_number_float(&at, exact + size, value) && at == exact + size;
    return good;
}

static void expect_same(const char* text)
{
    float value = 0.0f;
    if (!read_all(text, &value)) fail_msg("%s was refused", text);
    const float right = strtof(text, NULL);
    if (memcmp(&value, &right, sizeof value) != 0) {
        fail_msg("%s was read as %.9g (%a), and is %.9g (%a)", text, (double)value, (double)value, (double)right,
                 (double)right);
    }
}

TEST(forms)
{
    static const char* const same[] = {
        "0",
        "-0",
        "+0",
        "1",
        "-1",
        "1.",
        ".5",
        "-.5",
        "1.5e3",
        "1.e2",
        "1E+2",
        "1e-2",
        "00012",
        "0.000012",
        "3.4028235e38",
        "3.4028236e38",
        "3.402823567797337e38",
        "3.5e38",
        "1e400",
        "-1e400",
        "1e-400",
        "1e-45",
        "7e-46",
        "7.1e-46",
        "1.17549435e-38",
        "1.17549428e-38",
        "16777217",
        "16777219",
        "16777217.0000000000000000000000000000001",
        "9007199254740993",
        "123456789012345678901234567890",
        "0.1",
        "0.3",
        "1.00000005960464477539062500001",
        "1.000000059604644775390625",
        "1.000000059604644775390624999999",
        "0e99999999999999999999",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "1.0000000000000000000000000000000000000000000000000000000000000000000000000001"};
    for (size_t i = 0; i < sizeof same / sizeof *same; ++i)
        expect_same(same[i]);
    float value = 0.0f;
    assert_true(read_all("1,5", &value) && value == 1.5f);
    assert_true(read_all("inf", &value) && value == INFINITY);
    assert_true(read_all("-Infinity", &value) && value == -INFINITY);
    assert_true(read_all("NaN", &value) && isnan(value));
    static const char* const bad[] = {"",   "-",  "+",  ".",    "-.", ",",    "e5", "1e",  "1e+",   "1.5.2",  "0x10",
                                      "1 ", " 1", "1,", "1,e2", "in", "infi", "na", "--1", "1e5e5", "3.1+e2", "1_000"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
        if (read_all(bad[i], &value)) fail_msg("'%s' was taken", bad[i]);
}

/// Zeros and digits without end, each of which moves the point.
TEST(long_forms)
{
    enum { MANY = 5000 };
    static char text[2 * MANY + 64];
    memset(text, '0', MANY);
    snprintf(text + MANY, 64, "12.5");
    expect_same(text);
    memcpy(text, "0.", 2);
    memset(text + 2, '0', MANY);
    snprintf(text + 2 + MANY, 64, "125e%d", MANY);
    expect_same(text);
    text[0] = '1';
    memset(text + 1, '0', MANY);
    snprintf(text + 1 + MANY, 64, "e-%d", MANY);
    expect_same(text);
    // The midpoint between 1 and the float after it, and a digit far behind that decides.
    memcpy(text, "1.000000059604644775390625", 26);
    memset(text + 26, '0', MANY);
    text[26 + MANY] = '\0';
    expect_same(text);
    snprintf(text + 26 + MANY, 64, "1");
    expect_same(text);
    // A subnormal midpoint has more than a hundred digits.
    snprintf(text, sizeof text, "%.200f", ldexp(3.0, -150));
    expect_same(text);
    const size_t length = strlen(text);
    snprintf(text + length, 64, "0001");
    expect_same(text);
}

/// Floats, midpoints between them and their neighbours among the doubles, printed with all kinds of precision.
TEST(random_numbers)
{
    tact_random random = {7};
    const size_t count = effort(300000, 5000000);
    for (size_t i = 0; i < count; ++i) {
        uint32_t bits = (uint32_t)tact_random_next(&random);
        if ((bits & 0x7f800000) == 0x7f800000) continue;
        float f;
        memcpy(&f, &bits, sizeof f);
        double number = (double)f;
        const uint64_t kind = tact_random_below(&random, 4);
        if (kind > 0) number = 0.5 * (number + (double)nextafterf(f, INFINITY));
        if (kind == 2) number = nextafter(number, HUGE_VAL);
        if (kind == 3) number = nextafter(number, 0);
        if (!isfinite(number)) continue;
        char text[512];
        const int digits = (int)tact_random_below(&random, 30);
        snprintf(text, sizeof text, tact_random_below(&random, 2) ? "%.*e" : "%.*g", digits, number);
        expect_same(text);
        // What files hold: a few digits behind the point.
        snprintf(text, sizeof text, "%.*f", (int)tact_random_below(&random, 10),
                 ((double)(int64_t)tact_random_next(&random)) * 0x1p-56);
        expect_same(text);
    }
}

/// Sets a locale whose numbers have a comma for a point; makes one if the system has none but can.
static bool use_commas(void)
{
    static const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (setlocale(LC_ALL, names[i])) return true;
#if defined(__GLIBC__)
    if (system("mkdir -p locales && localedef -i de_DE -f UTF-8 ./locales/de_DE.UTF-8 >locales/log 2>&1") != 0)
        return false;
    return setenv("LOCPATH", "locales", 1) == 0 && setlocale(LC_ALL, "de_DE.UTF-8");
#else
    return false;
#endif
}

TEST(locales)
{
    if (!use_commas()) skip_because("no locale with commas");
    char half[8];
    snprintf(half, sizeof half, "%.1f", 0.5);
    // Both ways of rounding, the second for a midpoint.
    float quick = 0.0f, slow = 0.0f;
    const bool good = read_all("1.25", &quick) && read_all("16777217.5", &slow);
    setlocale(LC_ALL, "C");
    assert_string_equal(half, "0,5");
    assert_true(good && quick == 1.25f && slow == 16777218.0f);
}

/// What the command line takes as whole numbers.
TEST(whole_numbers_as_people_write_them)
{
    static const struct {
        const char* text;
        uint64_t value;
    } good[] = {{"0", 0},
                {"00", 0},
                {"0e99", 0},
                {"0.0", 0},
                {"1", 1},
                {"007", 7},
                {"1e6", 1000000},
                {"1E6", 1000000},
                {"1e+6", 1000000},
                {"1.5e3", 1500},
                {"1.500e1", 15},
                {"1000e-3", 1},
                {"1200000e-5", 12},
                {"1_000_000", 1000000},
                {"1_0.0_5k", 10050},
                {"1k", 1000},
                {"1K", 1000},
                {"1M", 1000000},
                {"2G", 2000000000},
                {"0.5k", 500},
                {"18446744073709551615", UINT64_MAX},
                {"1844674407370955161500e-2", UINT64_MAX},
                {"18446744073.709551615G", UINT64_MAX},
                {"1.8446744073709551615e19", UINT64_MAX},
                {"1e19", UINT64_C(10000000000000000000)}};
    for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
        uint64_t value = 1;
        if (!tact_number_parse(good[i].text, 0, UINT64_MAX, &value, NULL)) fail_msg("%s was refused", good[i].text);
        if (value != good[i].value) fail_msg("%s was read as %" PRIu64, good[i].text, value);
    }
    static const char* const bad[] = {"",
                                      "-1",
                                      "+1",
                                      " 1",
                                      "1 ",
                                      "1.5",
                                      "1e-3",
                                      "1.0000001e3",
                                      "1e",
                                      "1e+",
                                      "e3",
                                      ".5k",
                                      "1.k",
                                      "_1",
                                      "1_",
                                      "1__0",
                                      "1k5",
                                      "1e3k",
                                      "1m",
                                      "1kk",
                                      "0x10",
                                      "1e20",
                                      "1e999",
                                      "1e99999999999999999999",
                                      "1,000",
                                      "inf",
                                      "nan",
                                      "1e1.5",
                                      "1._5k",
                                      "0.0001k",
                                      "18446744073709551616",
                                      "18446744073709551616e0",
                                      "184467440737095516150e-1e1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        uint64_t value = 0;
        if (tact_number_parse(bad[i], 0, UINT64_MAX, &value, NULL)) fail_msg("%s was read as %" PRIu64, bad[i], value);
    }
    // What follows may be something else, and the range counts.
    uint64_t value = 0;
    const char* rest = NULL;
    assert_true(tact_number_parse("1e3x2", 0, 1000, &value, &rest) && value == 1000 && strcmp(rest, "x2") == 0);
    assert_true(tact_number_parse("5ex", 0, 1000, &value, &rest) && value == 5 && strcmp(rest, "ex") == 0);
    assert_false(tact_number_parse("1e3x2", 0, 999, &value, &rest));
    assert_false(tact_number_parse("1e3", 1001, 2000, &value, NULL));
}

TEST(integers)
{
    static const struct {
        const char* text;
        int64_t value;
        size_t taken;
    } cases[] = {{"0", 0, 1},
                 {"-7", -7, 2},
                 {"+7", 7, 2},
                 {"12/3", 12, 2},
                 {"007", 7, 3},
                 {"4611686018427387903", INT64_C(1) << 62, 19},
                 {"-", 0, 0},
                 {"x", 0, 0},
                 {"99999999999999999999999999", INT64_C(1) << 62, 26},
                 {"1.5", 1, 1},
                 {"", 0, 0},
                 {"-99999999999999999999999999", -(INT64_C(1) << 62), 27},
                 {"100000000000", INT64_C(100000000000), 12}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const char* at = cases[i].text;
        int64_t value = 0;
        const bool good = tact_number_integer(&at, at + strlen(at), &value);
        assert_int_equal(good, cases[i].taken > 0);
        assert_int_equal(at - cases[i].text, cases[i].taken);
        assert_true(value == cases[i].value);
    }
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
