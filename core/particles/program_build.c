// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Force programs as lists of operations.

#include <string.h>

#include "core/particles/program_text.h"

static uint16_t put(tact_program_builder* b, tact_program_op op)
{
    tact_force_program* p = b->program;
    for (uint32_t n = 0; n < p->op_count; ++n) {
        const tact_program_op* other = &p->ops[n];
        if (other->code == op.code && other->what == op.what && memcmp(other->from, op.from, sizeof op.from) == 0)
            return (uint16_t)n;
    }
    if (p->op_count == TACT_PROGRAM_OPS) {
        b->full = true;
        return 0;
    }
    p->ops[p->op_count] = op;
    return (uint16_t)p->op_count++;
}

uint16_t tact_program_put(tact_program_builder* b, tact_program_code code, uint16_t a, uint16_t second, uint16_t third)
{
    const uint32_t operands = tact_program_operands(code);
    TACT_ASSERT(operands > 0 && a < b->program->op_count);
    const tact_program_op op = {.code = code, .from = {a, operands > 1 ? second : 0, operands > 2 ? third : 0}};
    return put(b, op);
}

uint16_t tact_program_put_leaf(tact_program_builder* b, tact_program_code code, uint32_t what)
{
    TACT_ASSERT(tact_program_operands(code) == 0);
    const tact_program_op op = {.code = code, .what = what};
    return put(b, op);
}

/// Notes in `last` what operation is the last to take each one's value; those that no output needs keep 0.
static void find_last(const tact_force_program* p, uint32_t last[TACT_PROGRAM_OPS])
{
    memset(last, 0, TACT_PROGRAM_OPS * sizeof *last);
    for (int k = 0; k < TACT_PROGRAM_OUTPUTS; ++k) {
        if (p->outputs[k] != TACT_PROGRAM_NONE) last[p->outputs[k]] = TACT_PROGRAM_OPS;
    }
    for (uint32_t n = p->op_count; n-- > 0;) {
        const tact_program_op* op = &p->ops[n];
        for (uint32_t k = 0; k < tact_program_operands(op->code) && last[n] > 0; ++k) {
            if (last[op->from[k]] < n) last[op->from[k]] = n;
        }
    }
}

static void leave_out(tact_force_program* p)
{
    uint32_t last[TACT_PROGRAM_OPS], count = 0;
    uint16_t now[TACT_PROGRAM_OPS] = {0};
    find_last(p, last);
    for (uint32_t n = 0; n < p->op_count; ++n) {
        if (last[n] == 0) continue;
        tact_program_op op = p->ops[n];
        for (uint32_t k = 0; k < tact_program_operands(op.code); ++k)
            op.from[k] = now[op.from[k]];
        now[n] = (uint16_t)count;
        p->ops[count++] = op;
    }
    for (int k = 0; k < TACT_PROGRAM_OUTPUTS; ++k) {
        if (p->outputs[k] != TACT_PROGRAM_NONE) p->outputs[k] = now[p->outputs[k]];
    }
    memset(&p->ops[count], 0, (p->op_count - count) * sizeof *p->ops);
    p->op_count = count;
}

/// Rows whose values are needed no more are used again, but never for a value that is made of them: loops over rows
/// then read and write different ones.
static void give_rows(tact_force_program* p)
{
    uint32_t last[TACT_PROGRAM_OPS];
    uint16_t spare[TACT_PROGRAM_OPS];
    uint32_t spare_count = 0;
    find_last(p, last);
    p->row_count = 0;
    for (uint32_t n = 0; n < p->op_count; ++n) {
        tact_program_op* op = &p->ops[n];
        op->row = spare_count > 0 ? spare[--spare_count] : (uint16_t)p->row_count++;
        for (uint32_t k = 0; k < tact_program_operands(op->code); ++k) {
            const uint32_t from = op->from[k];
            if (last[from] != n) continue;
            spare[spare_count++] = p->ops[from].row;
            last[from] = TACT_PROGRAM_OPS;
        }
    }
}

void tact_program_finish(tact_force_program* p)
{
    leave_out(p);
    give_rows(p);
    TACT_ASSERT(p->row_count <= p->op_count);
}
