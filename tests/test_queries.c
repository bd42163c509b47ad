// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Each query's row is whole: what lacks a member fails here, by name.

#include "tests/support/run.h"

#include "core/queries.h"

TEST(each_kind_has_a_row_of_its_own)
{
    for (int kind = 1; kind < TACT_RECORDED_KINDS; ++kind) {
        const tact_query* q = tact_query_of((tact_recorded_kind)kind);
        if (!q) fail_msg("kind %d has no row", kind);
        if (!q->name || !q->word) fail_msg("kind %d: no name, or no word", kind);
        if ((int)q->kind != kind) fail_msg("%s: kind %d in the place of %d", q->name, (int)q->kind, kind);
        assert_string_equal(tact_recorded_kind_name(q->kind), q->word);
        for (int other = 1; other < kind; ++other) {
            const tact_query* o = tact_query_of((tact_recorded_kind)other);
            if (strcmp(o->word, q->word) == 0 || strcmp(o->name, q->name) == 0) fail_msg("two rows: %s", q->name);
        }
    }
    assert_null(tact_query_of((tact_recorded_kind)0));
    assert_null(tact_query_of(TACT_RECORDED_KINDS));
    assert_string_equal(tact_recorded_kind_name(TACT_RECORDED_KINDS), "?");
}

TEST(inputs_say_what_they_are)
{
    for (int kind = 1; kind < TACT_RECORDED_KINDS; ++kind) {
        const tact_query* q = tact_query_of((tact_recorded_kind)kind);
        const uint32_t parameters[TACT_RECORDED_PARAMETERS] = {0};
        tact_query_input inputs[TACT_QUERY_INPUTS];
        tact_query_inputs(q, parameters, inputs);
        if (inputs[0].type == 0 || inputs[0].optional) fail_msg("%s: nothing to ask of", q->name);
        bool ended = false;
        for (int i = 0; i < TACT_QUERY_INPUTS; ++i) {
            const tact_query_input* in = &inputs[i];
            if (in->type == 0) ended = true;
            if (ended && in->type != 0) fail_msg("%s: input %d stands after nothing", q->name, i);
            if (in->type != TACT_CHUNK_ARRAY) {
                if (in->name || in->row_words) fail_msg("%s: input %d is no array", q->name, i);
            } else if (!in->name) {
                fail_msg("%s: array %d has no name", q->name, i);
            } else if ((in->row_words == 0) != (in->data_type == TACT_RECORDED_BYTES)) {
                fail_msg("%s: rows of %s are of %u words", q->name, in->name, in->row_words);
            }
        }
    }
}

TEST(backends_are_whole)
{
    for (int kind = 1; kind < TACT_RECORDED_KINDS; ++kind) {
        const tact_query* q = tact_query_of((tact_recorded_kind)kind);
        if ((q->backend_count > 0) != (q->answer != NULL)) fail_msg("%s: backends or a digest are missing", q->name);
        if (q->only != TACT_BACKEND_AUTO) {
            // Nothing to choose from, and so nothing to expect.
            const bool alone = q->backend_count == 1 && q->backends[0].backend == q->only && q->backends[0].run;
            if (q->backend_count > 0 && !alone) fail_msg("%s: not alone on a backend", q->name);
            continue;
        }
        bool reference = false, cpu = false;
        for (size_t i = 0; i < q->backend_count; ++i) {
            const tact_query_backend* b = &q->backends[i];
            if (!b->run) fail_msg("%s: %s does not run", q->name, tact_backend_name(b->backend));
            reference = reference || b->backend == TACT_BACKEND_REFERENCE;
            cpu = cpu || b->backend == TACT_BACKEND_CPU;
            // The reference is never chosen by itself, and so costs nothing.
            if ((b->backend == TACT_BACKEND_REFERENCE) == (b->cost != NULL)) {
                fail_msg("%s: the cost of %s", q->name, tact_backend_name(b->backend));
            }
            for (size_t k = 0; k < i; ++k)
                if (q->backends[k].backend == b->backend && (q->backends[k].cost == b->cost || !b->cost))
                    fail_msg("%s: twice %s", q->name, tact_backend_name(b->backend));
        }
        if (q->backend_count > 0 && !(reference && cpu)) fail_msg("%s: no reference or no CPU", q->name);
        // Neighbour lists are compared by their tests alone (tact/particles.h).
        if (q->backend_count > 0 && !q->compare && q->kind != TACT_RECORDED_NEIGHBOURS) {
            fail_msg("%s: nothing to compare by", q->name);
        }
    }
}

static bool has_device(const tact_query* q)
{
    for (size_t i = 0; i < q->backend_count; ++i)
        if (q->backends[i].backend != TACT_BACKEND_CPU && q->backends[i].backend != TACT_BACKEND_REFERENCE) return true;
    return false;
}

TEST(rows_say_how_they_are_asked)
{
    (void)state;
    for (int kind = 1; kind < TACT_RECORDED_KINDS; ++kind) {
        const tact_query* q = tact_query_of((tact_recorded_kind)kind);
        if (!q->unit || !q->ask) fail_msg("%s: no unit, or no ask()", q->name);
        // Picks are dispatched as what they are found by.
        if (q->only == TACT_BACKEND_AUTO && q->backend_count == 0 && q->kind != TACT_RECORDED_PICK) {
            fail_msg("%s: neither dispatched nor of one backend only", q->name);
        }
        if (q->room < 0 || q->room >= TACT_RECORDED_PARAMETERS) fail_msg("%s: room in parameter %d", q->name, q->room);
        if (!q->sample || q->sample_count + q->feature_count == 0) fail_msg("%s: no sample(), or no samples", q->name);
        if (has_device(q) && q->sample_count == 0) fail_msg("%s: has devices to choose from, but no samples", q->name);
        for (size_t i = 0; i < q->feature_count; ++i) {
            const tact_query_sample* f = &q->features[i];
            if (!f->items || f->method || f->smallest < 2) fail_msg("%s: feature %zu is not whole", q->name, i);
        }
        for (size_t i = 0; i < q->sample_count; ++i) {
            const tact_query_sample* s = &q->samples[i];
            char key[TACT_COST_KEY];
            if (!s->items || s->smallest < 1 || s->smallest > s->largest || !tact_cost_key(q->name, s->method, key)) {
                fail_msg("%s: sample %zu is not whole", q->name, i);
            }
        }
    }
}

TEST(samples_are_listed_row_by_row)
{
    (void)state;
    const tact_query* q = NULL;
    size_t index = 0;
    for (int kind = 1; kind < TACT_RECORDED_KINDS; ++kind) {
        const tact_query* row = tact_query_of((tact_recorded_kind)kind);
        for (size_t i = 0; i < row->sample_count; ++i, ++index) {
            assert_ptr_equal(tact_query_sample_of(index, &q), &row->samples[i]);
            assert_ptr_equal(q, row);
        }
    }
    assert_int_equal(tact_query_sample_count(), index);
    assert_null(tact_query_sample_of(index, &q));
    assert_null(q);
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
