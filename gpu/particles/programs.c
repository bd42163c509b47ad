// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Force programs on a device: a kernel of the table gets the program as a text, the same in both languages.

#include "gpu/particles/programs.h"

#include <stdio.h>
#include <string.h>

/// Where particles_program.kernel has room for a program.
static const char here[] = "int program_here = 0;";

enum { LINE = 96 };

static const char* const functions[] = {
    [TACT_PROGRAM_NEGATE] = "negate",     [TACT_PROGRAM_SQRT] = "sqrt",     [TACT_PROGRAM_ABS] = "abs",
    [TACT_PROGRAM_FLOOR] = "floor",       [TACT_PROGRAM_ADD] = "add",       [TACT_PROGRAM_SUBTRACT] = "subtract",
    [TACT_PROGRAM_MULTIPLY] = "multiply", [TACT_PROGRAM_DIVIDE] = "divide", [TACT_PROGRAM_MIN] = "min",
    [TACT_PROGRAM_MAX] = "max",           [TACT_PROGRAM_LESS] = "less",     [TACT_PROGRAM_AT_MOST] = "at_most",
    [TACT_PROGRAM_EQUAL] = "equal",       [TACT_PROGRAM_SELECT] = "select"};

/// Writes the line of operation `n`. Returns its length.
static int write_op(const tact_force_program* p, uint32_t n, char line[LINE])
{
    const tact_program_op* op = &p->ops[n];
    const unsigned a = op->from[0], b = op->from[1], c = op->from[2], what = op->what, number = n;
    switch (op->code) {
        case TACT_PROGRAM_READ:
            return snprintf(line, LINE, "float v%u = in_%s;\n", number, tact_program_input_names[what]);
        case TACT_PROGRAM_CONSTANT:
            return snprintf(line, LINE, "float v%u = tact_program_number(%uu);\n", number, what);
        case TACT_PROGRAM_PARAMETER:
            return snprintf(line, LINE, "float v%u = tact_contact_number(values[%u]);\n", number, what);
        default:
            break;
    }
    const char* f = functions[op->code];
    switch (tact_program_operands(op->code)) {
        case 1:
            return snprintf(line, LINE, "float v%u = tact_program_%s(v%u);\n", number, f, a);
        case 2:
            return snprintf(line, LINE, "float v%u = tact_program_%s(v%u, v%u);\n", number, f, a, b);
        default:
            return snprintf(line, LINE, "float v%u = tact_program_%s(v%u, v%u, v%u);\n", number, f, a, b, c);
    }
}

/// The program's text, the same in both languages. NULL when out of memory.
static char* write_text(tact_env* env, const tact_force_program* p)
{
    char* text = tact_allocate(env, (size_t)(p->op_count + TACT_PROGRAM_OUTPUTS + 1) * LINE, 1);
    size_t at = 0;
    if (!text) return NULL;
    text[at++] = '\n';
    for (uint32_t n = 0; n < p->op_count; ++n) {
        const int length = write_op(p, n, text + at);
        TACT_ASSERT(length > 0 && length < LINE);
        at += (size_t)length;
    }
    for (int k = 0; k < TACT_PROGRAM_OUTPUTS; ++k) {
        if (p->outputs[k] == TACT_PROGRAM_NONE) continue;
        at +=
            (size_t)snprintf(text + at, LINE, "out_%s = v%u;\n", tact_program_output_names[k], (unsigned)p->outputs[k]);
    }
    text[at] = '\0';
    return text;
}

static tact_result build(tact_gpu_program* g, tact_device* device, const tact_particle_model* model)
{
    tact_env* env = tact_device_env(device);
    tact_special_destroy(g->kernel);
    g->kernel = NULL;
    g->version = 0;
    char* text = write_text(env, model->program);
    if (!text) return tact_device_fail(device, TACT_ERROR_OUT_OF_MEMORY);
    tact_special_create(device, TACT_KERNEL_particles_program, here, text, &g->kernel);
    tact_release(env, text);
    if (tact_device_result(device) == TACT_OK) g->version = model->program_version;
    return tact_device_result(device);
}

/// Makes a buffer at least as long.
static tact_result make_room(tact_device* device, tact_buffer** buffer, size_t bytes)
{
    if (tact_device_result(device) != TACT_OK) return tact_device_result(device);
    if (*buffer && tact_buffer_size(*buffer) >= bytes) return TACT_OK;
    tact_buffer_drop(buffer);
    tact_buffer_create(device, bytes > 0 ? bytes : 4, NULL, buffer);
    return TACT_DEVICE_WITHIN(device, "room for a force program: ");
}

tact_result tact_gpu_program_update(tact_gpu_program* g, tact_device* device, const tact_particle_model* model)
{
    if (!model->program) return tact_device_result(device);
    const size_t planes = tact_program_turns(model) ? 6 : 3;
    const size_t bytes = model->program_value_count * sizeof *model->program_values;
    if (!g->kernel || g->version != model->program_version) build(g, device, model);
    make_room(device, &g->forces, model->id_end * planes * sizeof(float));
    if (g->values && g->values_version == model->program_values_version) return tact_device_result(device);
    g->values_version = 0;
    make_room(device, &g->values, bytes);
    if (bytes > 0 && tact_device_result(device) == TACT_OK)
        tact_buffer_write(g->values, 0, model->program_values, bytes);
    if (tact_device_result(device) == TACT_OK) g->values_version = model->program_values_version;
    return tact_device_result(device);
}

tact_result tact_gpu_program_act(const tact_gpu_program* g, const tact_particle_model* model, uint32_t substep,
                                 const tact_gpu_program_call* c)
{
    if (!model->program || tact_device_result(c->device) != TACT_OK) return tact_device_result(c->device);
    return tact_special_launch_items(
        g->kernel, c->count,
        TACT_ARGS(particles_program, .position = c->position, .velocity = c->velocity,
                  .spin = c->spin ? c->spin : c->position, .tag = c->tag, .given = c->given, .values = g->values,
                  .forces = g->forces, .counters = c->counters, .count = c->count, .go = c->go,
                  .time = tact_program_time(model, substep), .given_count = (uint32_t)model->force_count,
                  .torques = tact_program_turns(model) ? 3 * model->id_end : 0,
                  .given_torques = (uint32_t)model->torque_count));
}

uint32_t tact_gpu_torques_at(const tact_particle_model* model, uint32_t* count)
{
    const bool own = tact_program_turns(model);
    *count = own ? model->id_end : (uint32_t)model->torque_count;
    return 3 * (own ? model->id_end : (uint32_t)model->force_count);
}

tact_result tact_gpu_torques_act(const tact_gpu_program* g, const tact_particle_model* model, uint32_t grain_row,
                                 const tact_gpu_program_call* c)
{
    uint32_t count;
    const uint32_t at = tact_gpu_torques_at(model, &count);
    if (count == 0) return tact_device_result(c->device);
    return TACT_LAUNCH_ITEMS(c->device, particles_torques, c->count, .position = c->position, .velocity = c->velocity,
                             .tag = c->tag, .model = c->model,
                             .forces = tact_program_turns(model) ? g->forces : c->given, .spin = c->spin,
                             .counters = c->counters, .count = c->count, .go = c->go, .at = at, .torque_count = count,
                             .grain_row = grain_row);
}

size_t tact_gpu_program_force_count(const tact_particle_model* model)
{
    return model->program ? model->id_end : model->force_count;
}

uint64_t tact_gpu_program_bytes(const tact_gpu_program* g)
{
    const tact_buffer* const all[] = {g->values, g->forces};
    return tact_buffer_sizes(all, sizeof all / sizeof *all);
}

void tact_gpu_program_free(tact_gpu_program* g)
{
    tact_special_destroy(g->kernel);
    tact_buffer_drop(&g->values);
    tact_buffer_drop(&g->forces);
    *g = (tact_gpu_program){0};
}
