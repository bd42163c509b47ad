// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

/// The kernels' texts: what is embedded, what they may contain, what a build error says, and the arithmetic that they
/// share with C.

#include "tests/support/run.h"

#include "gpu/device_backend.h"
#include "gpu/kernel_log.h"
#include "kernels/dialect.h"
#include "support/device_fixture.h"
#include "support/effort.h"

static char* read_file(const char* path, size_t* size)
{
    FILE* file = fopen(path, "rb");
    if (!file) fail_msg("cannot open %s", path);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char* text = scratch(*size + 1);
    assert_int_equal(fread(text, 1, *size, file), *size);
    text[*size] = '\0';
    fclose(file);
    return text;
}

static void expect_file(const char* name, const char* language, const unsigned char* text, size_t size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.%s", TACT_GENERATED_DIR, name, language);
    size_t file_size = 0;
    char* file = read_file(path, &file_size);
    assert_int_equal(size, file_size);
    assert_memory_equal(text, file, size);
    assert_int_equal(text[size], 0);
}

TEST(embedded_texts_are_the_generated_files)
{
    FILE* there = fopen(TACT_GENERATED_DIR "/probe.glsl", "rb");
    if (!there) skip_because("the build folder is not here");
    fclose(there);
    for (int i = 0; i < TACT_KERNEL_COUNT; ++i) {
        const tact_kernel kernel = tact_kernel_get((tact_kernel_id)i);
        expect_file(kernel.name, "glsl", kernel.glsl, kernel.glsl_size);
        expect_file(kernel.name, "opencl", kernel.opencl, kernel.opencl_size);
        // Line numbers are kept.
        assert_non_null(strstr((const char*)kernel.glsl, "#line "));
        assert_non_null(strstr((const char*)kernel.opencl, "#line "));
    }
    assert_null(tact_kernel_get(TACT_KERNEL_COUNT).name);
}

TEST(kernels_stay_inside_what_every_device_has)
{
    for (int i = 0; i < TACT_KERNEL_COUNT; ++i) {
        const tact_kernel kernel = tact_kernel_get((tact_kernel_id)i);
        assert_in_range(kernel.group, 1, 256);
        assert_in_range(kernel.buffer_count, 1, 8);
        // Buffers come first; both count from 0.
        for (size_t p = 0; p < kernel.param_count; ++p) {
            const size_t before = p < kernel.buffer_count ? 0 : kernel.buffer_count;
            assert_int_equal(kernel.params[p].index, p - before);
            assert_int_equal(kernel.params[p].kind <= TACT_PARAM_WRITE, p < kernel.buffer_count);
        }
    }
}

static bool is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// A call of `word` in the text, or NULL.
static const char* find_call(const char* text, const char* word)
{
    const size_t length = strlen(word);
    for (const char* at = strstr(text, word); at; at = strstr(at + length, word)) {
        const char* after = at + length + strspn(at + length, " ");
        if (!(at > text && is_word(at[-1])) && *after == '(') return at;
    }
    return NULL;
}

// Functions whose results differ between devices (DESIGN: measured), and those that only look harmless.
static const char* const FORBIDDEN[] = {
    "fma",         "mad",           "dot",          "cross",      "length",      "fast_length", "distance",
    "normalize",   "mix",           "rsqrt",        "exp",        "exp2",        "log",         "log2",
    "pow",         "powr",          "sin",          "cos",        "tan",         "asin",        "acos",
    "atan",        "atan2",         "sinh",         "cosh",       "tanh",        "fract",       "mod",
    "fmod",        "step",          "clamp",        "smoothstep", "inversesqrt", "reflect",     "refract",
    "native_sqrt", "native_divide", "native_recip", "half_sqrt",  "half_divide", "fmin",        "fmax",
    "min",         "max",           "round",        "rint",       "trunc",       "ceil",        "hypot",
};

TEST(kernels_call_no_function_that_differs_between_devices)
{
    assert_non_null(find_call("x = fma (a, b, c);", "fma"));
    assert_null(find_call("x = my_fma(a, b, c) + fmab(1) + fma;", "fma"));
    for (int i = 0; i < TACT_KERNEL_COUNT; ++i) {
        const tact_kernel kernel = tact_kernel_get((tact_kernel_id)i);
        const unsigned char* const texts[] = {kernel.glsl, kernel.opencl};
        for (size_t t = 0; t < 2; ++t) {
            for (size_t f = 0; f < sizeof FORBIDDEN / sizeof FORBIDDEN[0]; ++f) {
                const char* found = find_call((const char*)texts[t], FORBIDDEN[f]);
                if (found) fail_msg("%s calls %s: %.60s", kernel.file, FORBIDDEN[f], found);
            }
        }
    }
}

TEST(build_logs_name_files)
{
    const char* source =
        "#version 430 core\n// a.kernel\n// file 1: a.kernel\n// file 12: maths.h\n"
        "#line 20 1\nfirst\nsecond\n#line 7 12\nthird\n";
    char out[256];
    tact_kernel_log_translate(source, "0:6(5): error: x\n", out, sizeof out);
    assert_string_equal(out, "a.kernel:20(5): error: x\n");
    tact_kernel_log_translate(source, "0(9) : error C1: y\nERROR: 0:7: z\n0:1: w", out, sizeof out);
    assert_string_equal(out, "maths.h(7) : error C1: y\nERROR: a.kernel:21: z\n0:1: w");
    tact_kernel_log_translate(source, "0:10(5): beyond\n0:99999999999: far\n0:: none", out, sizeof out);
    assert_string_equal(out, "0:10(5): beyond\n0:99999999999: far\n0:: none");
    tact_kernel_log_translate(source, "", out, sizeof out);
    assert_string_equal(out, "");
    tact_kernel_log_translate(source, "0:6(5): error: x\n", out, 8);
    assert_string_equal(out, "a.kerne");
    tact_kernel_log_translate("no header", "0:1(5): error: x\n", out, sizeof out);
    assert_string_equal(out, "0:1(5): error: x\n");

    char lines[] = "#line 1 1\n #line\n#lines\na\n#line 2 2";
    tact_kernel_log_hide_lines(lines);
    assert_string_equal(lines, "//ine 1 1\n #line\n#lines\na\n//ine 2 2");
}

TEST_AS(DEVICE_TEST, every_kernel_builds_in_every_variant)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    // Other tests build what the device needs; this one, if not thorough, some with all corrections (or none).
    const int other = device->correct_division && device->correct_sqrt ? 0 : 3;
    const bool thorough = effort_is_thorough();
    for (int variant = thorough ? 0 : other; variant <= (thorough ? 3 : other); ++variant) {
        tact_device_drop_programs(device);
        device->correct_division = (variant & 1) != 0;
        device->correct_sqrt = (variant & 2) != 0;
        for (int i = 0; i < TACT_KERNEL_COUNT; i += thorough ? 1 : 6) {
            expect_ok(f, tact_device_prepare(device, (tact_kernel_id)i));
        }
    }
}

// `text` stands for a kernel file that includes a header, in the form that the build gives to both.
static void expect_build_error(device_fixture* f, const char* glsl, const char* opencl, const char* place)
{
    tact_device* device = require_device(f);
    static const tact_kernel_param PARAMS[] = {{"data", TACT_PARAM_WRITE, 0}};
    const tact_kernel kernel = {.name = "broken",
                                .file = "broken.kernel",
                                .group = 64,
                                .params = PARAMS,
                                .param_count = 1,
                                .buffer_count = 1,
                                .glsl = (const unsigned char*)glsl,
                                .glsl_size = strlen(glsl),
                                .opencl = (const unsigned char*)opencl,
                                .opencl_size = strlen(opencl)};
    tact_program* program = NULL;
    const uint32_t errors = f->errors_logged;
    expect_failure(device, tact_device_build(device, &kernel, &program), TACT_ERROR_KERNEL_BUILD);
    assert_null(program);
    const tact_device_info* info = tact_device_describe(device);
    // Mesa and PoCL write "helper.h:40", NVIDIA "helper.h(40)".
    char nvidias[64];
    const char* line = strchr(place, ':') + 1;
    snprintf(nvidias, sizeof nvidias, "%.*s(%s)", (int)(line - place - 1), place, line);
    const bool named = strstr(f->env.error, place) || strstr(f->env.error, nvidias);
    if (!named || !strstr(f->env.error, "broken.kernel") || !strstr(f->env.error, info->name)) {
        fail_msg("the build log names not %s: %s", place, f->env.error);
    }
    assert_int_equal(f->errors_logged, errors + 1);
}

TEST_AS(DEVICE_TEST, build_errors_name_file_and_line)
{
    device_fixture* f = *state;
    expect_build_error(
        f,
        "// broken.kernel\n// file 1: broken.kernel\n// file 2: helper.h\n#line 40 2\n"
        "float helper(float x) { return nothing + x; }\n#line 5 1\n"
        "layout(local_size_x = 64) in;\nvoid main() {}\n",
        "// broken.kernel\n#line 40 \"helper.h\"\nfloat helper(float x) { return nothing + x; }\n"
        "#line 5 \"broken.kernel\"\n__kernel void broken(__global uint* data, const uint kernel_end) {}\n",
        "helper.h:40");
    expect_build_error(f,
                       "// broken.kernel\n// file 1: broken.kernel\n// file 2: helper.h\n#line 40 2\n"
                       "float helper(float x) { return x; }\n#line 5 1\n"
                       "layout(local_size_x = 64) in;\nvoid main() { missing; }\n",
                       "// broken.kernel\n#line 40 \"helper.h\"\nfloat helper(float x) { return x; }\n"
                       "#line 6 \"broken.kernel\"\n__kernel void broken(__global uint* data, const uint kernel_end)"
                       " { missing; }\n",
                       "broken.kernel:6");
    // The device goes on.
    expect_ok(f, tact_device_prepare(require_device(f), TACT_KERNEL_selftest));
}

TEST_AS(DEVICE_TEST, a_kernel_that_asks_too_much_is_a_limit_error)
{
    device_fixture* f = *state;
    tact_device* device = require_device(f);
    tact_kernel kernel = tact_kernel_get(TACT_KERNEL_selftest);
    tact_program* program = NULL;
    kernel.group = tact_device_describe(device)->max_group_size + 1;
    expect_failure(device, tact_device_build(device, &kernel, &program), TACT_ERROR_LIMIT);
    kernel.group = 64;
    kernel.buffer_count = tact_device_describe(device)->max_buffers + 1;
    expect_failure(device, tact_device_build(device, &kernel, &program), TACT_ERROR_LIMIT);
}

// Arithmetic

static uint32_t next_random(uint64_t* state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

static float random_normal(uint64_t* state, uint32_t lowest_exponent, uint32_t exponents)
{
    const uint32_t bits = next_random(state);
    const uint32_t exponent = lowest_exponent + next_random(state) % exponents;
    return as_float((bits & 0x807fffffu) | (exponent << 23));
}

enum { TRIES = 2000000 };

TEST(products_errors_are_exact)
{
    uint64_t seed = 1;
    for (int i = 0; i < TRIES; ++i) {
        const float a = random_normal(&seed, 90, 70);
        const float b = random_normal(&seed, 90, 70);
        const float p = a * b;
        // A double holds the product of two floats.
        const double exact = (double)a * (double)b - (double)p;
        if ((double)tact_product_error(a, b, p) != exact) fail_msg("%a * %a", (double)a, (double)b);
    }
}

static float perturb(float x, int ulps)
{
    return as_float(as_uint(x) + (uint32_t)ulps);
}

static const float ODD[] = {0.0f,           -0.0f,         INFINITY,   -INFINITY,      NAN,
                            1.0f,           -3.0f,         1e-45f,     -2e-44f,        1.1754942e-38f,
                            1.1754944e-38f, 3.4028235e38f, 0x1.8p126f, 0x1.fffffep-1f, 0x1.000002p0f,
                            0x1p-75f,       0x1p-74f,      0x1p75f};
enum { ODDS = sizeof ODD / sizeof ODD[0] };

static bool same_number(float x, float y)
{
    return as_uint(x) == as_uint(y) || (x != x && y != y);
}

static void check_quotient(float a, float b)
{
    // What a device may make of significands: never special, at most 2.
    const float near = tact_significand(a) / tact_significand(b);
    for (int ulps = -3; ulps <= 3; ++ulps) {
        const float q = tact_correct_quotient(a, b, perturb(near, ulps));
        if (!same_number(q, a / b)) fail_msg("%a / %a from %d ulps: %a", (double)a, (double)b, ulps, (double)q);
    }
}

TEST(quotients_are_corrected_from_estimates_a_few_ulps_off)
{
    uint64_t seed = 2;
    for (int i = 0; i < TRIES; ++i) {
        float a = random_normal(&seed, 0, 255), b = random_normal(&seed, 0, 255);
        if (i % 4 == 0) {
            // Near 1, where quotients are close to powers of two.
            a = perturb(1.0f, (int)(next_random(&seed) % 64) - 32);
            b = perturb(2.0f, (int)(next_random(&seed) % 64) - 32);
        } else if (i % 4 == 1) {
            // Subnormal quotients, and those that just are not, some of them half-way between two.
            a = as_float((as_uint(a) & 0x80ffffffu) | 0x01000000u);
            b = as_float((as_uint(b) & 0x807fffffu) | ((127u + next_random(&seed) % 27u) << 23));
            if (i % 8 == 1) a = as_float(as_uint(a) & 0xfffff000u), b = as_float(as_uint(b) & 0xff800000u);
        }
        check_quotient(a, b);
    }
    for (size_t i = 0; i < ODDS; ++i)
        for (size_t k = 0; k < ODDS; ++k)
            check_quotient(ODD[i], ODD[k]);
}

static void check_root(float a)
{
    const float near = sqrtf(tact_root_operand(a));
    for (int ulps = -3; ulps <= 3; ++ulps) {
        const float s = tact_correct_root(a, perturb(near, ulps));
        if (!same_number(s, sqrtf(a))) fail_msg("sqrt(%a) from %d ulps: %a", (double)a, ulps, (double)s);
    }
}

TEST(roots_are_corrected_from_estimates_a_few_ulps_off)
{
    uint64_t seed = 3;
    for (int i = 0; i < TRIES; ++i) {
        const int near = i % 4;
        float a = fabsf(random_normal(&seed, 0, 255));
        if (near == 0) a = perturb(1.0f, (int)(next_random(&seed) % 64) - 32);
        if (near == 1) a = perturb(4.0f, (int)(next_random(&seed) % 64) - 32);
        check_root(a);
    }
    for (size_t i = 0; i < ODDS; ++i)
        check_root(ODD[i]);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
