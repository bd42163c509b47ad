// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Texts of force programs, read by recursive descent:
//
//     program = assignment { ";" assignment } [";"]      assignment = name "=" value
//     value = or ["?" value ":" value]                    or = and { "||" and }
//     and = comparison { "&&" comparison }                comparison = sum [("<" | "<=" | ">" | ">=" | "==" | "!=")
//     sum] sum = product { ("+" | "-") product }               product = unary { ("*" | "/") unary } unary = ("-" | "+"
//     | "!") unary | number | name | name "(" value { "," value } ")" | "(" value ")"
//
// Whatever the text, it ends: each round of a loop takes a byte, and brackets go no deeper than MOST_DEPTH.

#include <stdio.h>
#include <string.h>

#include "core/particles/program_text.h"
#include "kernels/particle_contact.h"

enum { MOST_DEPTH = 64, MOST_LOCALS = 64, MOST_DIGITS = 18, MOST_EXPONENT = 400 };

/// A name that an assignment has made, outputs among them.
typedef struct local {
    char name[TACT_PROGRAM_NAME + 1];
    uint16_t value;
} local;

typedef struct reader {
    tact_env* env;
    const char* text;
    size_t at, length;
    int depth;
    bool turns;
    const tact_program_names* names;
    uint32_t name_count;
    tact_program_builder builder;
    local locals[MOST_LOCALS];
    uint32_t local_count;
    tact_result result;  ///< OK until something is wrong; nothing is read after that
} reader;

typedef struct function {
    const char* name;
    tact_program_code code;
} function;

static const function functions[] = {{"sqrt", TACT_PROGRAM_SQRT},   {"abs", TACT_PROGRAM_ABS},
                                     {"floor", TACT_PROGRAM_FLOOR}, {"min", TACT_PROGRAM_MIN},
                                     {"max", TACT_PROGRAM_MAX},     {"step", TACT_PROGRAM_AT_MOST}};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_space(reader* r)
{
    while (r->at < r->length && strchr(" \t\r\n", r->text[r->at]))
        ++r->at;
}

/// The next byte that is no space; 0 at the end, and where something is wrong.
static char next(reader* r)
{
    if (r->result != TACT_OK) return '\0';
    skip_space(r);
    return r->at < r->length ? r->text[r->at] : '\0';
}

/// Says what is wrong about a column, unless something was wrong already.
static uint16_t wrong(reader* r, tact_result result, size_t at, const char* what)
{
    if (r->result == TACT_OK) r->result = tact_fail(r->env, result, "column %zu: %s", at + 1, what);
    return 0;
}

static uint16_t expected(reader* r, const char* what)
{
    char message[160], found[24] = "the end";
    const char c = next(r);
    if (c > ' ' && c <= '~')
        snprintf(found, sizeof found, "'%c'", c);
    else if (c)
        snprintf(found, sizeof found, "a byte of %u", (unsigned)(unsigned char)c);
    snprintf(message, sizeof message, "expected %s, not %s", what, found);
    return wrong(r, TACT_ERROR_INVALID_ARGUMENT, r->at, message);
}

/// Takes a sign of one or two bytes if it is next. '<' is not the first byte of "<=", and so on.
static bool take(reader* r, const char* sign)
{
    const size_t length = strlen(sign);
    if (next(r) != sign[0] || r->length - r->at < length || memcmp(r->text + r->at, sign, length) != 0) return false;
    if (length == 1 && strchr("<>=!", sign[0]) && r->at + 1 < r->length && r->text[r->at + 1] == '=') return false;
    r->at += length;
    return true;
}

static uint16_t put(reader* r, tact_program_code code, uint16_t a, uint16_t b, uint16_t c)
{
    if (r->result != TACT_OK) return 0;
    const uint16_t op = tact_program_put(&r->builder, code, a, b, c);
    return r->builder.full ? wrong(r, TACT_ERROR_LIMIT, r->at, "more than 1024 operations") : op;
}

static uint16_t leaf(reader* r, tact_program_code code, uint32_t what)
{
    if (r->result != TACT_OK) return 0;
    const uint16_t op = tact_program_put_leaf(&r->builder, code, what);
    return r->builder.full ? wrong(r, TACT_ERROR_LIMIT, r->at, "more than 1024 operations") : op;
}

static uint16_t constant(reader* r, float value)
{
    return leaf(r, TACT_PROGRAM_CONSTANT, as_uint(tact_contact_number(value)));
}

// ---- Numbers and names ----

/// A decimal number in double precision: digits as an integer, then powers of ten, the same on every machine whatever
/// its locale.
static double decimal(double digits, int exponent)
{
    for (; exponent > 0; --exponent)
        digits *= 10.0;
    // By powers that are exact: one rounding for each 22 digits.
    while (exponent < 0) {
        double power = 1.0;
        for (int k = 0; k < 22 && exponent < 0; ++k, ++exponent)
            power *= 10.0;
        digits /= power;
    }
    return digits;
}

/// "e" and what follows, if a whole number does.
static int read_exponent(reader* r)
{
    size_t at = r->at;
    if (at >= r->length || (r->text[at] != 'e' && r->text[at] != 'E')) return 0;
    ++at;
    const bool minus = at < r->length && r->text[at] == '-';
    if (at < r->length && (r->text[at] == '-' || r->text[at] == '+')) ++at;
    if (at >= r->length || !is_digit(r->text[at])) return 0;
    int exponent = 0;
    for (; at < r->length && is_digit(r->text[at]); ++at) {
        if (exponent < MOST_EXPONENT) exponent = 10 * exponent + (r->text[at] - '0');
    }
    r->at = at;
    return minus ? -exponent : exponent;
}

static uint16_t read_number(reader* r)
{
    const size_t begin = r->at;
    uint64_t digits = 0;
    int taken = 0, exponent = 0, seen = 0;
    bool point = false;
    for (; r->at < r->length; ++r->at) {
        const char c = r->text[r->at];
        if (c == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(c)) break;
        ++seen;
        // Digits beyond what 64 bits have are cut off.
        const bool kept = taken < MOST_DIGITS;
        if (kept) digits = 10 * digits + (uint64_t)(c - '0');
        if (kept && digits > 0) ++taken;
        exponent += (kept ? 0 : 1) - (point ? 1 : 0);
    }
    if (seen == 0) return expected(r, "a digit");
    exponent += read_exponent(r);
    if (r->at < r->length && (is_letter(r->text[r->at]) || r->text[r->at] == '.')) {
        return expected(r, "an operator behind a number");
    }
    const float value = digits > 0 ? (float)decimal((double)digits, exponent) : 0.0f;
    if (!(value <= 3.402823466e38f)) return wrong(r, TACT_ERROR_INVALID_ARGUMENT, begin, "expected a smaller number");
    return constant(r, value);
}

/// Takes a name. Empty where something is wrong.
static void read_name(reader* r, char name[TACT_PROGRAM_NAME + 1])
{
    size_t length = 0;
    const size_t begin = r->at;
    while (r->at < r->length && (is_letter(r->text[r->at]) || is_digit(r->text[r->at]))) {
        if (length < TACT_PROGRAM_NAME) name[length] = r->text[r->at];
        ++length;
        ++r->at;
    }
    if (length > TACT_PROGRAM_NAME) {
        wrong(r, TACT_ERROR_LIMIT, begin, "expected a name of at most 31 letters");
        length = 0;
    }
    name[length] = '\0';
}

static int find_in(const char* const* names, int count, const char* name)
{
    int k = 0;
    while (k < count && strcmp(names[k], name) != 0)
        ++k;
    return k;
}

static int find_function(const char* name)
{
    int k = 0;
    while (k < FUNCTIONS && strcmp(functions[k].name, name) != 0)
        ++k;
    return k;
}

static int input_of(const char* name)
{
    return find_in(tact_program_input_names, TACT_PROGRAM_INPUTS, name);
}

static int output_of(const char* name)
{
    return find_in(tact_program_output_names, TACT_PROGRAM_OUTPUTS, name);
}

/// Whether the language itself gives a name a meaning, outputs left out.
static bool is_taken(const char* name)
{
    return input_of(name) < TACT_PROGRAM_INPUTS || find_function(name) < FUNCTIONS || strcmp(name, "pi") == 0;
}

bool tact_program_name_is_free(const char* name)
{
    const size_t length = strlen(name);
    if (length == 0 || length > TACT_PROGRAM_NAME || !is_letter(name[0])) return false;
    for (size_t k = 0; k < length; ++k) {
        if (!is_letter(name[k]) && !is_digit(name[k])) return false;
    }
    return !is_taken(name) && output_of(name) == TACT_PROGRAM_OUTPUTS;
}

static uint32_t find_parameter(const reader* r, const char* name)
{
    uint32_t k = 0;
    while (k < r->name_count && strcmp((*r->names)[k], name) != 0)
        ++k;
    return k;
}

static uint32_t find_local(const reader* r, const char* name)
{
    uint32_t k = 0;
    while (k < r->local_count && strcmp(r->locals[k].name, name) != 0)
        ++k;
    return k;
}

static uint16_t of_grains(reader* r, size_t at, const char* name)
{
    char message[128];
    snprintf(message, sizeof message, "\"%s\" is of grains, which turn; expected another name", name);
    return wrong(r, TACT_ERROR_INVALID_ARGUMENT, at, message);
}

/// The value that a name stands for.
static uint16_t value_of(reader* r, size_t at, const char* name)
{
    const int input = input_of(name);
    const uint32_t own = find_local(r, name), parameter = find_parameter(r, name);
    if (r->result != TACT_OK) return 0;
    if (own < r->local_count) return r->locals[own].value;
    if (parameter < r->name_count) return leaf(r, TACT_PROGRAM_PARAMETER, parameter);
    if (strcmp(name, "pi") == 0) return constant(r, 3.14159265358979f);
    if (input == TACT_PROGRAM_INPUTS) {
        char message[160];
        snprintf(message, sizeof message,
                 "expected a parameter, a name with a value, or what a particle has, not \"%s\"", name);
        return wrong(r, TACT_ERROR_INVALID_ARGUMENT, at, message);
    }
    if (!r->turns && input >= TACT_PROGRAM_WX && input <= TACT_PROGRAM_WZ) return of_grains(r, at, name);
    return leaf(r, TACT_PROGRAM_READ, (uint32_t)input);
}

// ---- Values ----

static uint16_t read_value(reader* r);

/// Goes a bracket deeper, or one out of what a row of signs has begun.
static bool enter(reader* r)
{
    if (++r->depth > MOST_DEPTH) wrong(r, TACT_ERROR_LIMIT, r->at, "more than 64 brackets in each other");
    return r->result == TACT_OK;
}

static uint16_t read_call(reader* r, const function* f)
{
    uint16_t values[2] = {0, 0};
    const uint32_t count = tact_program_operands(f->code);
    if (!take(r, "(")) return expected(r, "'(' behind a function");
    for (uint32_t k = 0; k < count; ++k) {
        if (k > 0 && !take(r, ",")) return expected(r, "',' and another value");
        values[k] = read_value(r);
    }
    if (!take(r, ")")) return expected(r, "')'");
    return put(r, f->code, values[0], values[1], 0);
}

static uint16_t read_primary(reader* r)
{
    const char c = next(r);
    uint16_t value = 0;
    if (is_digit(c) || c == '.') return read_number(r);
    if (is_letter(c)) {
        char name[TACT_PROGRAM_NAME + 1];
        const size_t at = r->at;
        read_name(r, name);
        const int f = find_function(name);
        if (f == FUNCTIONS) return value_of(r, at, name);
        if (enter(r)) value = read_call(r, &functions[f]);
        --r->depth;
        return value;
    }
    if (!take(r, "(")) return expected(r, "a number, a name or '('");
    if (enter(r)) value = read_value(r);
    --r->depth;
    if (!take(r, ")")) return expected(r, "')'");
    return value;
}

/// 1 where a value is 0.
static uint16_t opposite(reader* r, uint16_t value)
{
    return put(r, TACT_PROGRAM_EQUAL, value, constant(r, 0.0f), 0);
}

static uint16_t read_unary(reader* r)
{
    char signs[MOST_DEPTH];
    int count = 0;
    while (count < MOST_DEPTH && (next(r) == '-' || next(r) == '+' || next(r) == '!'))
        signs[count++] = r->text[r->at++];
    if (count == MOST_DEPTH) return wrong(r, TACT_ERROR_LIMIT, r->at, "more than 64 signs in front of a value");
    uint16_t value = read_primary(r);
    while (count-- > 0) {
        if (signs[count] == '-') value = put(r, TACT_PROGRAM_NEGATE, value, 0, 0);
        if (signs[count] == '!') value = opposite(r, value);
    }
    return value;
}

static uint16_t read_product(reader* r)
{
    uint16_t value = read_unary(r);
    for (;;) {
        if (take(r, "*")) {
            value = put(r, TACT_PROGRAM_MULTIPLY, value, read_unary(r), 0);
        } else if (take(r, "/")) {
            value = put(r, TACT_PROGRAM_DIVIDE, value, read_unary(r), 0);
        } else {
            return value;
        }
    }
}

static uint16_t read_sum(reader* r)
{
    uint16_t value = read_product(r);
    for (;;) {
        if (take(r, "+")) {
            value = put(r, TACT_PROGRAM_ADD, value, read_product(r), 0);
        } else if (take(r, "-")) {
            value = put(r, TACT_PROGRAM_SUBTRACT, value, read_product(r), 0);
        } else {
            return value;
        }
    }
}

static uint16_t read_comparison(reader* r)
{
    const uint16_t value = read_sum(r);
    if (take(r, "<=")) return put(r, TACT_PROGRAM_AT_MOST, value, read_sum(r), 0);
    if (take(r, ">=")) return put(r, TACT_PROGRAM_AT_MOST, read_sum(r), value, 0);
    if (take(r, "==")) return put(r, TACT_PROGRAM_EQUAL, value, read_sum(r), 0);
    if (take(r, "!=")) return opposite(r, put(r, TACT_PROGRAM_EQUAL, value, read_sum(r), 0));
    if (take(r, "<")) return put(r, TACT_PROGRAM_LESS, value, read_sum(r), 0);
    if (take(r, ">")) return put(r, TACT_PROGRAM_LESS, read_sum(r), value, 0);
    return value;
}

/// 1 where a value is true.
static uint16_t truth(reader* r, uint16_t value)
{
    const uint16_t yes = constant(r, 1.0f), no = constant(r, 0.0f);
    return put(r, TACT_PROGRAM_SELECT, value, yes, no);
}

static uint16_t read_and(reader* r)
{
    uint16_t value = read_comparison(r);
    while (take(r, "&&")) {
        const uint16_t other = truth(r, read_comparison(r));
        value = put(r, TACT_PROGRAM_SELECT, value, other, constant(r, 0.0f));
    }
    return value;
}

static uint16_t read_or(reader* r)
{
    uint16_t value = read_and(r);
    while (take(r, "||")) {
        const uint16_t other = truth(r, read_and(r));
        value = put(r, TACT_PROGRAM_SELECT, value, constant(r, 1.0f), other);
    }
    return value;
}

static uint16_t read_value(reader* r)
{
    const uint16_t condition = read_or(r);
    if (!take(r, "?")) return condition;
    uint16_t value = 0;
    if (enter(r)) {
        const uint16_t first = read_value(r);
        if (!take(r, ":")) expected(r, "':' and another value");
        value = put(r, TACT_PROGRAM_SELECT, condition, first, read_value(r));
    }
    --r->depth;
    return value;
}

// ---- Assignments ----

/// Whether a name may get a value.
static void check_new(reader* r, size_t at, const char* name)
{
    char message[128];
    const int output = output_of(name);
    if (r->result != TACT_OK) return;
    if (output >= TACT_PROGRAM_TORQUE && output < TACT_PROGRAM_OUTPUTS && !r->turns) {
        of_grains(r, at, name);
    } else if (is_taken(name) || find_parameter(r, name) < r->name_count || find_local(r, name) < r->local_count) {
        snprintf(message, sizeof message, "expected a name that has no value yet, not \"%s\"", name);
        wrong(r, TACT_ERROR_INVALID_ARGUMENT, at, message);
    } else if (r->local_count == MOST_LOCALS) {
        wrong(r, TACT_ERROR_LIMIT, at, "more than 64 names");
    }
}

static void read_assignment(reader* r)
{
    local made;
    if (!is_letter(next(r))) {
        expected(r, "a name to give a value, such as fx");
        return;
    }
    const size_t at = r->at;
    read_name(r, made.name);
    check_new(r, at, made.name);
    if (!take(r, "=")) expected(r, "'='");
    made.value = read_value(r);
    if (r->result != TACT_OK) return;
    const int output = output_of(made.name);
    if (output < TACT_PROGRAM_OUTPUTS) r->builder.program->outputs[output] = made.value;
    r->locals[r->local_count++] = made;
}

static void read_program(reader* r)
{
    bool any = false;
    while (next(r)) {
        read_assignment(r);
        if (!take(r, ";") && next(r)) expected(r, "an operator, ';' or the end");
    }
    // A zero byte is the text's end; others that are not of the language were refused.
    for (int k = 0; k < TACT_PROGRAM_OUTPUTS; ++k)
        any = any || r->builder.program->outputs[k] != TACT_PROGRAM_NONE;
    if (!any) expected(r, "fx, fy or fz to get a value");
}

tact_result tact_program_compile(tact_env* env, const char* text, const tact_program_names* names, uint32_t count,
                                 bool turns, tact_force_program* program)
{
    reader r = {.env = env,
                .text = text,
                .length = strlen(text),
                .turns = turns,
                .names = names,
                .name_count = count,
                .builder = {.program = program}};
    TACT_ASSERT(r.length <= TACT_PROGRAM_TEXT && count <= TACT_PROGRAM_PARAMETERS);
    memset(program, 0, sizeof *program);
    for (int k = 0; k < TACT_PROGRAM_OUTPUTS; ++k)
        program->outputs[k] = TACT_PROGRAM_NONE;
    read_program(&r);
    if (r.result == TACT_OK) tact_program_finish(program);
    return r.result;
}
