// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/modelled.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "base/platform.h"

double tact_modelled_milliseconds(const tact_modelled* m)
{
    return tact_platform_milliseconds() + m->shift;
}

double tact_modelled_device_milliseconds(const tact_modelled* m)
{
    const double now = tact_modelled_milliseconds(m);
    return m->on ? fmax(fmax(now, m->done), fmax(m->up, m->down)) : now;
}

void tact_modelled_enter(tact_modelled* m)
{
    if (m->on) m->entered = tact_modelled_milliseconds(m);
}

/// The host leaves the driver at `time`.
static void leave(tact_modelled* m, double time)
{
    m->shift = time - tact_platform_milliseconds();
}

void tact_modelled_host(tact_modelled* m, double us)
{
    if (m->on) leave(m, m->entered + us * 1e-3);
}

void tact_modelled_command(tact_modelled* m, double ms)
{
    if (!m->on) return;
    const double given = m->entered + m->model.launch_us * 1e-3;
    m->done = fmax(fmax(m->done, m->up), given) + m->model.start_us * 1e-3 + ms;
    leave(m, given);
}

double tact_modelled_transfer(tact_modelled* m, uint64_t bytes, bool up, bool waits)
{
    if (!m->on) return 0.0;
    const double moving = (double)bytes / (up ? m->model.up_gbs : m->model.down_gbs) * 1e-6;
    const double given = m->entered + m->model.transfer_us * 1e-3;
    m->done = fmax(fmax(m->done, m->up), given) + moving;
    leave(m, waits ? m->done + m->model.wait_us * 1e-3 : given);
    return moving;
}

void tact_modelled_transfer_aside(tact_modelled* m, uint64_t bytes, bool up)
{
    if (!m->on) return;
    const double moving = (double)bytes / (up ? m->model.up_gbs : m->model.down_gbs) * 1e-6;
    const double given = m->entered + m->model.transfer_us * 1e-3;
    if (up)
        m->up = fmax(m->up, given) + moving;
    else
        m->down = fmax(fmax(m->down, m->done), given) + moving;
    leave(m, given);
}

void tact_modelled_begin_aside(tact_modelled* m)
{
    if (!m->on) return;
    m->up = fmax(m->up, m->done);
    tact_modelled_host(m, m->model.launch_us);
}

void tact_modelled_copy(tact_modelled* m, uint64_t bytes)
{
    if (m->on) leave(m, m->entered + (double)bytes / m->model.host_gbs * 1e-6);
}

void tact_modelled_wait(tact_modelled* m, double until)
{
    if (m->on) leave(m, fmax(m->entered, until) + m->model.wait_us * 1e-3);
}

double tact_modelled_memory_ms(const tact_modelled* m, uint64_t bytes)
{
    return m->on ? (double)bytes / m->model.memory_gbs * 1e-6 : 0.0;
}

double tact_modelled_kernel_ms(const tact_device_model* model, const tact_meter* meter, uint64_t bound)
{
    const double bytes = (double)meter->bytes, memory = (double)(meter->bytes < bound ? meter->bytes : bound);
    double ms = bytes / model->cache_gbs * 1e-6;
    ms = fmax(ms, memory / model->memory_gbs * 1e-6);
    ms = fmax(ms, (double)meter->accesses / model->accesses_g * 1e-6);
    ms = fmax(ms, (double)meter->atomics / model->atomics_g * 1e-6);
    return fmax(ms, (double)meter->longest * model->latency_ns * 1e-6);
}

// ---- Metered kernels ----

tact_meter tact_meter_sum(const uint32_t rows[4 * TACT_METER_ROWS])
{
    tact_meter sum = {0};
    for (int i = 0; i < TACT_METER_ROWS; ++i) {
        const uint32_t* row = rows + 4 * i;
        sum.bytes += 4 * (uint64_t)row[0];
        sum.accesses += row[1];
        sum.atomics += row[2];
        if (sum.longest < row[3]) sum.longest = row[3];
    }
    return sum;
}

/// Comes before the text. Functions, since calls have an order where expressions have none.
static const char functions[] =
    "uint tact_meter_access(uint4* meter, uint words) { meter->x += words; meter->y += 1u; return words; }\n"
    "uint tact_meter_atomic(uint4* meter) { meter->z += 1u; return 0u; }\n"
    "int tact_meter_leave(const uint4* meter, volatile __global uint* rows) {\n"
    "    uint row = (uint)((get_group_id(1) * get_num_groups(0) + get_group_id(0)) % 256u) * 4u;\n"
    "    atomic_add(&rows[row], meter->x);\n"
    "    atomic_add(&rows[row + 1u], meter->y);\n"
    "    atomic_add(&rows[row + 2u], meter->z);\n"
    "    atomic_max(&rows[row + 3u], meter->y);\n"
    "    return 0;\n"
    "}\n";
_Static_assert(TACT_METER_ROWS == 256, "which the text says too");

/// An atomic operation of kernels/kernel.h.
#define COUNTED(name)             \
    "#define buffer_atomic_" name \
    "(place, value)"              \
    " (tact_meter_atomic(&tact_meter), buffer_atomic_" name "(place, value))\n"

/// Behind the parameters. A macro is no name within itself, so the names below stay what they are.
static const char body[] =
    "\nuint4 tact_meter = (uint4)(0u);\n"
    "#define return for (tact_meter_leave(&tact_meter, tact_meter_rows);;) return\n"
    COUNTED("add") COUNTED("or") COUNTED("xor") COUNTED("min") COUNTED("max")
    "#define buffer_atomic_swap(place, old, value)"
    " (tact_meter_atomic(&tact_meter), buffer_atomic_swap(place, old, value))\n";

static const char buffer[] = "#define %s (tact_meter_access(&tact_meter, (uint)sizeof *%s / 4u), %s)\n";
static const char end[] = "\ntact_meter_leave(&tact_meter, tact_meter_rows);\n";
static const char last_parameter[] = "const uint kernel_end", meter_parameter[] = "__global uint* tact_meter_rows";

typedef struct writer {
    char* text;
    size_t used, size;
} writer;

static void put(writer* w, const char* text, size_t length)
{
    if (w->size - w->used < length) return;  // there is room for all
    memcpy(w->text + w->used, text, length);
    w->used += length;
}

static void put_defines(writer* w, const tact_kernel* kernel)
{
    char line[512];
    put(w, body, sizeof body - 1);
    for (size_t i = 0; i < kernel->buffer_count; ++i) {
        const char* name = kernel->params[i].name;
        const int length = snprintf(line, sizeof line, buffer, name, name, name);
        put(w, line, length > 0 ? (size_t)length : 0);
    }
}

char* tact_meter_text(tact_env* env, const tact_kernel* kernel, const char* text, size_t* length)
{
    const char* parameter = strstr(text, last_parameter);
    const char* brace = parameter ? strchr(parameter, '{') : NULL;
    const char* closing = strrchr(text, '}');
    const size_t room = *length + sizeof functions + sizeof body + sizeof end + 512 * (kernel->buffer_count + 1);
    writer w = {.text = tact_allocate(env, room, 1), .size = room - 1};
    if (!w.text) return NULL;
    // What is no kernel stays as it is: the driver says what is wrong with it.
    if (!brace || !closing || closing < brace) {
        memcpy(w.text, text, *length + 1);
        return w.text;
    }
    const char* behind = parameter + sizeof last_parameter - 1;
    put(&w, functions, sizeof functions - 1);
    put(&w, text, (size_t)(parameter - text));
    put(&w, meter_parameter, sizeof meter_parameter - 1);
    put(&w, behind, (size_t)(brace + 1 - behind));
    put_defines(&w, kernel);
    put(&w, brace + 1, (size_t)(closing - brace - 1));
    put(&w, end, sizeof end - 1);
    put(&w, closing, *length - (size_t)(closing - text));
    w.text[w.used] = '\0';
    *length = w.used;
    return w.text;
}
