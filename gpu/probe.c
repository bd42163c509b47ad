// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// This file is the CPU's side of the comparison, so it is compiled like the reference: no fused multiply-add.

#include "gpu/probe.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/platform.h"
#include "gpu/device_backend.h"

enum { ADD, SUB, MUL, DIV, SQRT, FLOOR, MADD, LESS, BITS };

static const char* const NAMES[TACT_PROBE_OPERATIONS] = {"add",   "sub",  "mul",  "div", "sqrt",
                                                         "floor", "madd", "less", "bits"};

// Operand sets of each class, and all of them.
enum { CLASS_SETS = 1024, CLASSES = 6, SETS = CLASS_SETS * CLASSES };

typedef struct operands {
    uint32_t sets[3 * SETS];
    uint32_t carried[SETS];  // any bits at all, NaNs among them
} operands;
_Static_assert(sizeof(operands) == 4 * 4 * SETS, "the kernel reads this as one array");

static const uint32_t SPECIAL[] = {
    0x00000000u, 0x80000000u,               // zeros
    0x00000001u, 0x80000001u, 0x007fffffu,  // smallest and largest subnormal
    0x00800000u, 0x80800000u,               // smallest normal
    0x3f7fffffu, 0x3f800000u, 0x3f800001u, 0xbf800000u, 0x40000000u, 0x3f000000u,
    0x40490fdbu,                            // pi
    0x4b000000u, 0x4b7fffffu, 0xcb000001u,  // where fractions end
    0x4f000000u, 0x5f000000u,               // 2^31, 2^63
    0x7f7fffffu, 0xff7fffffu,               // largest
    0x7f800000u, 0xff800000u,               // infinities
};
enum { SPECIALS = sizeof SPECIAL / sizeof SPECIAL[0] };

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static bool is_nan(uint32_t bits)
{
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

static bool is_subnormal(uint32_t bits)
{
    return (bits & 0x7f800000u) == 0 && (bits & 0x007fffffu) != 0;
}

// xorshift64*, after Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled", 2016.
static uint32_t next_random(uint64_t* state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)((*state * 2685821657736338717u) >> 32);
}

static uint32_t make_operand(int class, uint64_t* state)
{
    const uint32_t random = next_random(state);
    switch (class) {
        case 0:  // any bits
            return is_nan(random) ? random & 0xff7fffffu : random;
        case 1:  // [-1024, 1024)
            return bits_of(((float)(random >> 8) - 8388608.0f) * (1.0f / 8192.0f));
        case 2:  // within a few hundred units of 1
            return 0x3f800000u + (random & 0x1ffu) - 0x100u;
        case 3:  // subnormal
            return random & 0x807fffffu;
        case 4:  // of moderate size, any mantissa
            return (random & 0x807fffffu) | ((100u + (random >> 23) % 56u) << 23);
        default:
            return SPECIAL[random % SPECIALS];
    }
}

static void make_operands(operands* all)
{
    uint64_t state = 0x7461637470726f62u;
    for (int i = 0; i < SETS; ++i) {
        for (int k = 0; k < 3; ++k)
            all->sets[3 * i + k] = make_operand(i / CLASS_SETS, &state);
        all->carried[i] = i < CLASS_SETS ? 0x7f800000u | next_random(&state) : next_random(&state);
    }
}

static uint32_t expected(int operation, const operands* all, int set)
{
    const float a = float_of(all->sets[3 * set]);
    const float b = float_of(all->sets[3 * set + 1]);
    const float c = float_of(all->sets[3 * set + 2]);
    switch (operation) {
        case ADD:
            return bits_of(a + b);
        case SUB:
            return bits_of(a - b);
        case MUL:
            return bits_of(a * b);
        case DIV:
            return bits_of(a / b);
        case SQRT:
            return bits_of(sqrtf(a));
        case FLOOR:
            return bits_of(floorf(a));
        case MADD: {
            const float product = b * c;
            return bits_of(product + a);
        }
        case LESS:
            return a < b;
        default:
            return all->carried[set];
    }
}

// True when a value on the way is so small that a device may flush it. The smallest normal number counts: devices may
// flush before they round.
static bool touches_subnormals(int operation, const operands* all, int set, uint32_t result)
{
    const uint32_t* o = &all->sets[3 * set];
    if (operation == BITS) return false;  // moved, not computed with
    bool touches = is_subnormal(o[0]);
    if (operation != SQRT && operation != FLOOR) touches = touches || is_subnormal(o[1]);
    if (operation == LESS) return touches;
    touches = touches || is_subnormal(result) || (result & 0x7fffffffu) == 0x00800000u;
    if (operation == MADD) {
        const float product = fabsf(float_of(o[1]) * float_of(o[2]));
        touches = touches || is_subnormal(o[2]) || (product > 0.0f && product <= FLT_MIN);
    }
    return touches;
}

// Floats in their order as integers; the two zeros are neighbours.
static int64_t ordinal(uint32_t bits)
{
    const int64_t magnitude = bits & 0x7fffffffu;
    return bits & 0x80000000u ? -magnitude - 1 : magnitude;
}

static uint32_t distance(int operation, uint32_t a, uint32_t b)
{
    if (operation == LESS) return 1;
    if (operation != BITS && is_nan(a) != is_nan(b)) return UINT32_MAX;
    const int64_t difference = ordinal(a) - ordinal(b);
    const int64_t size = difference < 0 ? -difference : difference;
    return size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
}

static void compare(int operation, const operands* all, const uint32_t* results, tact_probe_operation* out)
{
    memset(out, 0, sizeof *out);
    memcpy(out->name, NAMES[operation], strlen(NAMES[operation]));
    out->tested = SETS;
    for (int i = 0; i < SETS; ++i) {
        const uint32_t want = expected(operation, all, i);
        const uint32_t got = results[i];
        if (want == got) continue;
        // Which NaN comes out is no property of IEEE 754, and nothing may depend on it.
        if (operation != BITS && operation != LESS && is_nan(want) && is_nan(got)) continue;
        if (touches_subnormals(operation, all, i, want)) {
            ++out->subnormal;
        } else {
            const uint32_t ulps = distance(operation, want, got);
            ++out->differing;
            if (ulps > out->worst_ulps) out->worst_ulps = ulps;
        }
    }
}

static tact_result run_kernel(tact_device* device, const operands* all, uint32_t* results, size_t bytes)
{
    tact_buffer* in = NULL;
    tact_buffer* out = NULL;
    tact_buffer_create(device, sizeof *all, all, &in);
    tact_buffer_create(device, bytes, NULL, &out);
    TACT_LAUNCH_ITEMS(device, probe, SETS, .operands = in, .results = out, .count = SETS);
    tact_buffer_read(out, 0, results, bytes);
    tact_buffer_destroy(out);
    tact_buffer_destroy(in);
    return tact_device_result(device);
}

tact_result tact_probe_measure(tact_device* device, tact_probe* probe)
{
    const size_t bytes = sizeof(uint32_t) * SETS * TACT_PROBE_OPERATIONS;
    operands* all = tact_allocate(device->env, 1, sizeof *all);
    uint32_t* results = tact_allocate_zeroed(device->env, 1, bytes);
    tact_result result = all && results ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) {
        make_operands(all);
        result = run_kernel(device, all, results, bytes);
    }
    if (result == TACT_OK) {
        probe->exact = true;
        probe->flushes_subnormals = false;
        for (int k = 0; k < TACT_PROBE_OPERATIONS; ++k) {
            tact_probe_operation* operation = &probe->operations[k];
            compare(k, all, results + (size_t)SETS * k, operation);
            if (operation->differing) probe->exact = false;
            if (operation->subnormal) probe->flushes_subnormals = true;
        }
    }
    tact_release(device->env, results);
    tact_release(device->env, all);
    return result;
}

// Tries the corrected variants of what differs, and keeps those that help.
static tact_result try_corrections(tact_device* device, tact_probe* probe)
{
    const tact_probe plain = *probe;
    tact_device_drop_programs(device);
    device->correct_division = plain.operations[DIV].differing > 0;
    device->correct_sqrt = plain.operations[SQRT].differing > 0;
    const tact_result result = tact_probe_measure(device, probe);
    if (result != TACT_OK) {
        *probe = plain;
        device->correct_division = device->correct_sqrt = false;
        return result;
    }
    if (device->correct_division && probe->operations[DIV].differing >= plain.operations[DIV].differing) {
        device->correct_division = false;
        probe->operations[DIV] = plain.operations[DIV];
    }
    if (device->correct_sqrt && probe->operations[SQRT].differing >= plain.operations[SQRT].differing) {
        device->correct_sqrt = false;
        probe->operations[SQRT] = plain.operations[SQRT];
    }
    probe->corrected_division = device->correct_division;
    probe->corrected_sqrt = device->correct_sqrt;
    return TACT_OK;
}

void tact_probe_run(tact_device* device, tact_probe* probe)
{
    const double begin = tact_platform_milliseconds();
    memset(probe, 0, sizeof *probe);
    device->correct_division = device->correct_sqrt = false;
    tact_result result = tact_probe_measure(device, probe);
    probe->ran = result == TACT_OK;
    if (probe->ran && (probe->operations[DIV].differing > 0 || probe->operations[SQRT].differing > 0)) {
        result = try_corrections(device, probe);
    }
    if (result != TACT_OK) {
        tact_log(device->env, TACT_LOG_WARNING, device->ops->name, "the arithmetic probe failed on %s: %s",
                 device->info.name, tact_last_error());
    }
    tact_device_drop_programs(device);
    probe->milliseconds = tact_platform_milliseconds() - begin;
}

bool tact_probe_plain_exact(const tact_probe* probe)
{
    static const char* const needed[] = {"add", "sub", "mul", "madd", "less"};
    if (!probe->ran) return false;
    for (size_t k = 0; k < sizeof needed / sizeof needed[0]; ++k) {
        for (int i = 0; i < TACT_PROBE_OPERATIONS; ++i) {
            const tact_probe_operation* o = &probe->operations[i];
            if (strcmp(o->name, needed[k]) == 0 && o->differing > 0) return false;
        }
    }
    return true;
}
