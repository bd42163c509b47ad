// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "tests/support/run.h"

#include "apps/inputs/random.h"
#include "core/context/cost_model.h"

// The fit, with made-up devices of which the truth is known, and what is learned from answers.

static double truth(const double terms[TACT_COST_TERMS], const double coefficients[TACT_COST_TERMS])
{
    double sum = 0.0;
    for (int k = 0; k < TACT_COST_TERMS; ++k)
        sum += terms[k] * coefficients[k];
    return sum;
}

/// Calls of 10 to 10^6 items, as a query would tell them: cold ones, where a scene must go up, and warm ones. `host`:
/// nothing is moved.
static size_t make_samples(tact_cost_sample* samples, const double coefficients[TACT_COST_TERMS], bool host,
                           size_t repeats)
{
    size_t count = 0;
    for (double n = 10.0; n <= 1e6; n *= 10.0) {
        for (size_t r = 0; r < repeats; ++r) {
            const double up = host ? 0.0 : n * 3.2e-6 + (r == 0 ? 0.5 : 0.0);
            tact_cost_sample s = {{0.15, 0.0, n * log2(n) * 1e-6, up, host ? 0.0 : n * 2e-6}, 0.0};
            s.ms = truth(s.terms, coefficients);
            samples[count++] = s;
        }
    }
    return count;
}

static void expect_close(const tact_cost_sample* s, const double fitted[TACT_COST_TERMS],
                         const double coefficients[TACT_COST_TERMS], double most)
{
    const double is = truth(s->terms, fitted), should = truth(s->terms, coefficients);
    if (!(fabs(log(is / should)) <= log(most))) {
        fail_msg("%g ms are expected where %g are right: %g x allowed", is, should, most);
    }
}

static const double desktop[TACT_COST_TERMS] = {2.0, 1.0, 0.3, 4.0, 0.7};

TEST(the_fit_finds_what_the_truth_is)
{
    tact_cost_sample samples[TACT_COST_SAMPLES];
    double fitted[TACT_COST_TERMS], error;
    const size_t count = make_samples(samples, desktop, false, 3);
    assert_true(tact_cost_fit(samples, count, fitted, &error));
    assert_true(error < 0.01);
    for (size_t i = 0; i < count; ++i)
        expect_close(&samples[i], fitted, desktop, 1.02);
    assert_true(fabs(fitted[TACT_COST_FIXED] / desktop[TACT_COST_FIXED] - 1.0) < 0.05);
    assert_true(fabs(fitted[TACT_COST_UPLOAD] / desktop[TACT_COST_UPLOAD] - 1.0) < 0.05);
    // Between the sizes that were measured, too.
    const tact_cost_sample between = {{0.15, 0.0, 3e4 * log2(3e4) * 1e-6, 0.096, 0.06}, 0.0};
    expect_close(&between, fitted, desktop, 1.02);
}

TEST(noise_and_outliers_do_not_spoil_it)
{
    tact_random random = {7};
    int wide = 0;
    for (int trial = 0; trial < 200; ++trial) {
        tact_cost_sample samples[TACT_COST_SAMPLES];
        double fitted[TACT_COST_TERMS], error;
        const size_t count = make_samples(samples, desktop, false, 5);
        for (size_t i = 0; i < count; ++i) {
            samples[i].ms *= 0.9 + 0.2 * (double)tact_random_below(&random, 1000) * 1e-3;
            // One in ten was interrupted, for up to twenty times as long.
            if (tact_random_below(&random, 10) == 0) samples[i].ms *= 2.0 + (double)tact_random_below(&random, 18);
        }
        assert_true(tact_cost_fit(samples, count, fitted, &error));
        for (size_t i = 0; i < count; ++i) {
            assert_true(truth(samples[i].terms, fitted) > 0.0);
            // A cold call is measured once, and so may itself be an outlier; the warm ones have a median.
            if (i % 5 == 0) continue;
            expect_close(&samples[i], fitted, desktop, 2.0);
            wide += fabs(log(truth(samples[i].terms, fitted) / truth(samples[i].terms, desktop))) > log(1.25);
        }
    }
    // Of 200 trials of 24 warm calls.
    if (wide > 200 * 24 / 20) fail_msg("%d of %d expectations are off by more than 25 %%", wide, 200 * 24);
}

/// Calls that were measured once each have no median: those that stand out weigh less in the fit itself.
TEST(single_outliers_weigh_less)
{
    enum { SIZES = 12 };
    tact_cost_sample samples[SIZES];
    for (int i = 0; i < SIZES; ++i) {
        samples[i] = (tact_cost_sample){{0.15, 0.0, ldexp(1e-2, i), 0.0, 0.0}, 0.0};
        samples[i].ms = truth(samples[i].terms, desktop) * (i % 4 == 2 ? 5.0 : 1.0);
    }
    double fitted[TACT_COST_TERMS], error;
    assert_true(tact_cost_fit(samples, SIZES, fitted, &error));
    for (int i = 0; i < SIZES; ++i)
        expect_close(&samples[i], fitted, desktop, 1.02);
}

TEST(the_crossover_is_found)
{
    // By the default rates a GPU would win from some 10^3 items on; here it has a slow start and a slow bus.
    static const double gpu[TACT_COST_TERMS] = {8.0, 1.0, 0.02, 3.0, 3.0}, cpu[TACT_COST_TERMS] = {0.1, 1, 6, 1, 1};
    tact_cost_sample samples[TACT_COST_SAMPLES];
    tact_cost_entry on_gpu = {.calibrated = true}, on_cpu = {.calibrated = true};
    size_t count = make_samples(samples, gpu, false, 3);
    assert_true(tact_cost_fit(samples, count, on_gpu.coefficients, &on_gpu.error));
    count = make_samples(samples, cpu, true, 3);
    assert_true(tact_cost_fit(samples, count, on_cpu.coefficients, &on_cpu.error));
    int gpu_wins = 0, cpu_wins = 0;
    for (double n = 10.0; n <= 1e6; n *= 1.5) {
        const tact_cost there = {.method = NULL, .terms = {0.15, 0.0, n * log2(n) * 1e-6, n * 3.2e-6, n * 2e-6}};
        const tact_cost here = {.method = NULL, .terms = {0.15, 0.0, n * log2(n) * 1e-6, 0.0, 0.0}};
        const double right_gpu = truth(there.terms, gpu), right_cpu = truth(here.terms, cpu);
        const bool chosen = tact_cost_expect(&on_gpu, &there).total < tact_cost_expect(&on_cpu, &here).total;
        // Where they differ by a twentieth, either is as good.
        if (fabs(right_gpu / right_cpu - 1.0) < 0.05) continue;
        assert_int_equal(chosen, right_gpu < right_cpu);
        gpu_wins += chosen;
        cpu_wins += !chosen;
    }
    assert_true(gpu_wins >= 3 && cpu_wins >= 3);
}

/// Calls on a device whose time has a step between two sizes, and the CPU's, which grow evenly.
static double with_a_step(double n)
{
    return n < 1000.0 ? 0.18 : 1.6 + (n - 4096.0) * 2e-6;
}

static double evenly(double n)
{
    return 0.01 + n * 3.3e-5;
}

/// Four warm calls, and a cold one where something goes up, for each size by a factor of 16.
static size_t make_uneven(tact_cost_sample* samples, double fixed, double rate, bool device)
{
    size_t count = 0;
    for (double n = 256.0; n <= 65536.0; n *= 16.0) {
        for (int i = 0; i < 5; ++i) {
            const bool cold = i == 0;
            tact_cost_sample s = {{fixed, 0.0, n * rate, device && cold ? n * 2.4e-6 : 0.0, 0.0}, 0.0};
            s.ms = (device ? with_a_step(n) : evenly(n)) * (cold ? 3.0 : 1.0);
            samples[count++] = s;
        }
    }
    return count;
}

TEST(times_that_do_not_grow_evenly_are_followed)
{
    tact_cost_sample samples[TACT_COST_SAMPLES];
    tact_cost_entry there = {.calibrated = true}, here = {.calibrated = true};
    size_t count = make_uneven(samples, 0.3, 1e-5, true);
    assert_true(tact_cost_fit(samples, count, there.coefficients, &there.error));
    tact_cost_bend_to(samples, count, &there);
    assert_int_equal(there.bend_count, 3);
    count = make_uneven(samples, 0.01, 5e-5, false);
    assert_true(tact_cost_fit(samples, count, here.coefficients, &here.error));
    tact_cost_bend_to(samples, count, &here);
    double before = 0.0;
    for (double n = 64.0; n <= 1e9; n *= 2.0) {
        const tact_cost on_device = {.method = NULL, .terms = {0.3, 0.0, n * 1e-5, 0.0, 0.0}};
        const tact_cost on_host = {.method = NULL, .terms = {0.01, 0.0, n * 5e-5, 0.0, 0.0}};
        const double device = tact_cost_expect(&there, &on_device).total,
                     host = tact_cost_expect(&here, &on_host).total;
        // At the sizes that were measured, and twice beyond.
        if (n == 256.0 || n == 4096.0 || n == 65536.0 || n == 131072.0) {
            assert_true(fabs(log(device / with_a_step(n))) < log(1.1));
            assert_true(fabs(log(host / evenly(n))) < log(1.1));
        }
        if (n >= 4096.0 && n <= 131072.0) assert_int_equal(device < host, with_a_step(n) < evenly(n));
        assert_true(n <= 256.0 || device >= before * 0.9999);
        before = device;
    }
    // Of what went up the same is said.
    const tact_cost cold = {.method = NULL, .terms = {0.3, 0.0, 4096.0 * 1e-5, 4096.0 * 2.4e-6, 0.0}, .stays = 2e-3};
    const tact_cost_expectation e = tact_cost_expect(&there, &cold);
    assert_true(e.total > with_a_step(4096.0));
    assert_true(fabs(e.once / e.terms[TACT_COST_UPLOAD] - 2e-3 / (4096.0 * 2.4e-6)) < 1e-9);
}

TEST(more_work_is_never_expected_to_take_less)
{
    // Half the time for sixteen times the work: an interruption, or another algorithm.
    tact_cost_sample samples[4] = {
        {{1, 0, 1, 0, 0}, 2.0}, {{1, 0, 4, 0, 0}, 5.0}, {{1, 0, 16, 0, 0}, 40.0}, {{1, 0, 256, 0, 0}, 20.0}};
    tact_cost_entry entry = {.calibrated = true};
    assert_true(tact_cost_fit(samples, 4, entry.coefficients, &entry.error));
    tact_cost_bend_to(samples, 4, &entry);
    double before = 0.0;
    for (double work = 256.0; work < 1e9; work *= 1.7) {
        const tact_cost cost = {.method = NULL, .terms = {1, 0, work, 0, 0}};
        const double now = tact_cost_expect(&entry, &cost).total;
        assert_true(now >= 19.99 && now >= before * 0.9999);
        before = now;
    }
    assert_true(before > 20.0);  // and it does grow
}

TEST(sizes_that_are_no_measurement_are_left_out)
{
    tact_cost_sample samples[TACT_COST_SAMPLES] = {{{0}, 0.0}};
    tact_cost_entry entry = {.calibrated = true, .coefficients = {1, 1, 1, 1, 1}};
    tact_cost_bend_to(samples, 0, &entry);
    assert_int_equal(entry.bend_count, 0);
    size_t count = 0;
    samples[count++] = (tact_cost_sample){{1, 0, 3, 0, 0}, -1.0};
    samples[count++] = (tact_cost_sample){{1, 0, 0, 0, 0}, 7.0};
    samples[count++] = (tact_cost_sample){{1, 0, 9, 0, 0}, 1e9};
    samples[count++] = (tact_cost_sample){{1, 0, HUGE_VAL, 0, 0}, 1e9};
    tact_cost_bend_to(samples, count, &entry);
    assert_true(entry.bend_count == 1 && entry.bends[0].ratio == TACT_COST_FACTOR_MAX);
    assert_true(tact_cost_bends_plausible(entry.bends, 1));
    const tact_cost cost = {.method = NULL, .terms = {1, 0, 1, 0, 0}};
    assert_true(tact_cost_expect(&entry, &cost).base == 2.0 * TACT_COST_FACTOR_MAX);
    // No more than there is room for.
    for (count = 0; count < 2 * TACT_COST_BENDS; ++count)
        samples[count] = (tact_cost_sample){{1, 0, 1.0 + (double)count, 0, 0}, 2.0 + (double)count};
    tact_cost_bend_to(samples, count, &entry);
    assert_int_equal(entry.bend_count, TACT_COST_BENDS);
    assert_true(tact_cost_bends_plausible(entry.bends, entry.bend_count));
    const tact_cost_bend wrong[][2] = {{{0.0, 1.0}, {1.0, 1.0}},
                                       {{2.0, 1.0}, {2.0, 1.0}},
                                       {{1.0, 0.0}, {2.0, 1.0}},
                                       {{1.0, 1.0}, {2.0, 101.0}},
                                       {{1.0, (double)NAN}, {2.0, 1.0}}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        assert_false(tact_cost_bends_plausible(wrong[i], 2));
}

TEST(the_first_of_a_size_is_left_out_where_no_term_says_why_it_took_more)
{
    tact_cost_sample samples[3] = {{{1, 0, 1, 0, 0}, 9.0}, {{1, 0, 1, 0, 0}, 2.0}, {{1, 0, 1, 0, 0}, 3.0}};
    assert_int_equal(tact_cost_leave_out_first(samples, 3), 2);
    assert_true(samples[0].ms == 2.0 && samples[1].ms == 3.0);
    assert_int_equal(tact_cost_leave_out_first(samples, 1), 1);
    samples[0].terms[TACT_COST_UPLOAD] = 1.0;
    assert_int_equal(tact_cost_leave_out_first(samples, 2), 2);
    assert_true(samples[0].ms == 2.0);
    assert_int_equal(tact_cost_leave_out_first(samples, 0), 0);
}

TEST(what_is_no_measurement_is_left_out)
{
    double fitted[TACT_COST_TERMS], error;
    tact_cost_sample samples[TACT_COST_SAMPLES] = {{{0}, 0.0}};
    assert_false(tact_cost_fit(samples, 0, fitted, &error));
    const tact_cost_sample one = {{1, 0, 1, 0, 0}, 2.0};
    samples[0] = samples[1] = one;
    assert_false(tact_cost_fit(samples, 1, fitted, &error));
    assert_false(tact_cost_fit(samples, 2, fitted, &error));  // a repeat tells nothing new
    const tact_cost_sample wrong[] = {
        {{1, 0, 1, 0, 0}, 0.0},           {{1, 0, 1, 0, 0}, -1.0},   {{1, 0, 1, 0, 0}, (double)NAN},
        {{1, 0, 1, 0, 0}, HUGE_VAL},      {{0, 0, 0, 0, 0}, 1.0},    {{1, 0, HUGE_VAL, 0, 0}, 1.0},
        {{1, 0, (double)NAN, 0, 0}, 1.0}, {{1, 0, -1.0, 0, 0}, 1.0},
    };
    assert_false(tact_cost_fit(wrong, sizeof wrong / sizeof *wrong, fitted, &error));
    size_t count = make_samples(samples, desktop, false, 3);
    memcpy(samples + count, wrong, sizeof wrong);
    count += sizeof wrong / sizeof *wrong;
    assert_true(tact_cost_fit(samples, count, fitted, &error));
    expect_close(&samples[4], fitted, desktop, 1.02);
    // Nor are times that are none repeats of those that are.
    count = make_samples(samples, desktop, false, 3);
    for (size_t i = 0, before = count; i < before && count + 4 <= TACT_COST_SAMPLES; i += 3) {
        for (int k = 0; k < 4; ++k) {
            samples[count] = samples[i + 1];
            samples[count++].ms = k % 2 ? -1.0 : 0.0;
        }
    }
    assert_true(tact_cost_fit(samples, count, fitted, &error));
    expect_close(&samples[4], fitted, desktop, 1.02);
    // Times that grow smaller with more work: nothing below zero comes of it.
    for (int i = 0; i < 6; ++i)
        samples[i] = (tact_cost_sample){{1, 0, i, 0, 0}, 10.0 / (1.0 + i)};
    assert_true(tact_cost_fit(samples, 6, fitted, &error));
    for (int k = 0; k < TACT_COST_TERMS; ++k)
        assert_true(fitted[k] >= 0.0 && isfinite(fitted[k]));
}

TEST(a_wrong_expectation_heals)
{
    static tact_cost_table table;
    char key[TACT_COST_KEY];
    assert_true(tact_cost_key("testing", "mode", key));
    assert_string_equal(key, "testing/mode");
    assert_null(tact_cost_find(&table, key));
    tact_cost_entry* entry = tact_cost_entry_of(&table, key);
    assert_ptr_equal(tact_cost_find(&table, key), entry);
    const tact_cost cost = {.method = "mode", .terms = {1.0, 0, 1.0, 0, 0}};
    tact_cost_expectation e = tact_cost_expect(entry, &cost);
    assert_true(e.total == 2.0 && e.learned == 0 && !e.calibrated);
    tact_cost_learn(entry, 2.0, 10.0);
    tact_cost_learn(entry, 2.0, 1000.0);  // interrupted
    e = tact_cost_expect(entry, &cost);
    assert_true(e.total == 2.0);  // not enough yet
    tact_cost_learn(entry, 2.0, 10.0);
    e = tact_cost_expect(entry, &cost);
    assert_true(e.learned == 3 && fabs(e.total - 10.0) < 1e-5 && e.base == 2.0);
    assert_true(fabs(e.terms[TACT_COST_WORK] - 5.0) < 1e-5);
    // Nothing is said about calls of quite another size.
    const tact_cost large = {.method = "mode", .terms = {1.0, 0, 1000.0, 0, 0}};
    assert_int_equal(tact_cost_expect(entry, &large).learned, 0);
    // The last ones count, so that it heals again; and never beyond the limit.
    for (int i = 0; i < TACT_COST_RUNS; ++i)
        tact_cost_learn(entry, 2.0, 2e6);
    assert_true(tact_cost_expect(entry, &cost).factor == TACT_COST_FACTOR_MAX);
    for (int i = 0; i < TACT_COST_RUNS; ++i)
        tact_cost_learn(entry, 2.0, 2.0);
    assert_true(tact_cost_expect(entry, &cost).total == 2.0);
    // What is no time changes nothing.
    const uint64_t runs = entry->runs;
    tact_cost_learn(entry, 2.0, (double)NAN);
    tact_cost_learn(entry, 0.0, 1.0);
    tact_cost_learn(entry, 2.0, -1.0);
    assert_true(entry->runs == runs);
}

TEST(trials_are_rare_and_cheap)
{
    tact_cost_entry entry = {.calibrated = true};
    // 5 ms more than the best, which takes 1 ms a call: 500 calls until the first, and twice as many after each.
    double spent = 0.0;
    int trials = 0, calls = 0, first = 0, last = 0;
    for (; calls < 100000; ++calls) {
        if (tact_cost_trial_due(&entry, 6.0, 5.0)) {
            if (++trials == 1) first = calls;
            last = calls;
            spent += 5.0;
            tact_cost_tried(&entry, 6.0, 5.0);
        } else {
            tact_cost_save(&entry, 6.0, 1.0);
        }
    }
    assert_true(first >= 500 && first <= 501);  // a hundredth, added up as floats
    assert_true(trials == 8 && last > 63000);   // 500 (1 + 2 + .. + 64), and 64 again and again
    assert_true(spent <= TACT_COST_TRIAL_SHARE * calls);
    // Calls of another size are accounted by themselves.
    assert_false(tact_cost_trial_due(&entry, 6000.0, 1e-3));
    // One that shows the device as the quicker one costs nothing, and the next is due when the last was.
    entry = (tact_cost_entry){.calibrated = true, .refuted = {0}};
    for (int i = 0; i < 501; ++i)
        tact_cost_save(&entry, 6.0, 1.0);
    for (int i = 0; i < 10; ++i) {
        assert_true(tact_cost_trial_due(&entry, 6.0, 5.0));
        tact_cost_tried(&entry, 6.0, -0.5);
    }
    // One that cost far more than expected is paid for first.
    tact_cost_tried(&entry, 6.0, 1005.0);
    for (int i = 0; i < 99000; ++i)
        tact_cost_save(&entry, 6.0, 1.0);
    assert_false(tact_cost_trial_due(&entry, 6.0, 5.0));
    // What is no time saves nothing.
    const float saved = entry.saved[4];
    tact_cost_save(&entry, 6.0, (double)NAN);
    tact_cost_save(&entry, 6.0, -1.0);
    assert_true(entry.saved[4] == saved && saved < 0.0f);
}

/// Calls until what stays is brought, where each would take `less` and bringing it costs `extra`; 1000: it is not.
static int calls_until_due(tact_cost_rent* rent, uint64_t version, double less, double extra)
{
    int calls = 0;
    while (calls < 1000 && !tact_cost_rent_due(rent, version, extra)) {
        tact_cost_rent_save(rent, version, less);
        ++calls;
    }
    return calls;
}

TEST(what_stays_is_brought_when_it_has_paid)
{
    tact_cost_rent rent = {0};
    assert_int_equal(calls_until_due(&rent, 7, 2.0, 10.0), 5);
    tact_cost_rent_give(&rent);
    tact_cost_rent_use(&rent);
    // Of another version nothing was saved yet; it was used, so that it costs no more.
    assert_int_equal(calls_until_due(&rent, 8, 2.0, 10.0), 5);
    // An object that changes with each call is never brought.
    for (uint64_t version = 9; version < 1000; ++version) {
        assert_false(tact_cost_rent_due(&rent, version, 10.0));
        tact_cost_rent_save(&rent, version, 2.0);
    }
    // What was brought and not used costs twice as much each time, and what is used then again as much as before.
    int expected = 5;
    for (uint64_t version = 1000; version < 1010; ++version) {
        assert_int_equal(calls_until_due(&rent, version, 2.0, 10.0), expected);
        tact_cost_rent_give(&rent);
        if (expected < 5 << TACT_COST_REFUTED_MAX) expected *= 2;
    }
    tact_cost_rent_use(&rent);
    assert_int_equal(calls_until_due(&rent, 1010, 2.0, 10.0), 5);
    // The same where it is still not there, such as on a device without room.
    tact_cost_rent_give(&rent);
    assert_int_equal(calls_until_due(&rent, 1010, 2.0, 10.0), 10);
    // What is no time saves nothing.
    rent = (tact_cost_rent){0};
    tact_cost_rent_save(&rent, 0, (double)NAN);
    tact_cost_rent_save(&rent, 0, -1.0);
    tact_cost_rent_save(&rent, 0, HUGE_VAL);
    assert_true(rent.saved == 0.0);
}

TEST(a_table_has_its_limits)
{
    static tact_cost_table table;
    char key[TACT_COST_KEY], text[80];
    for (int i = 0; i < TACT_COST_ENTRIES; ++i) {
        snprintf(text, sizeof text, "query %d", i);
        assert_true(tact_cost_key(text, NULL, key));
        assert_non_null(tact_cost_entry_of(&table, key));
    }
    assert_null(tact_cost_entry_of(&table, "one more"));
    assert_non_null(tact_cost_entry_of(&table, "query 7"));
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    assert_false(tact_cost_key(text, NULL, key));
    assert_null(tact_cost_entry_of(&table, text));
}

#include TEST_LIST
RUN_ALL(NULL, NULL)
