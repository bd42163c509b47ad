// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/context/cost_model.h"

#include "base/asserts.h"

#include <math.h>
#include <string.h>

bool tact_cost_same_method(const char* a, const char* b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool tact_cost_key(const char* query, const char* method, char key[TACT_COST_KEY])
{
    // For every call of a query, of which the smallest take a few microseconds: no formatting.
    const size_t first = strlen(query), second = method ? 1 + strlen(method) : 0;
    if (first + second == 0 || first + second >= TACT_COST_KEY) return false;
    memcpy(key, query, first + 1);
    if (method) {
        key[first] = '/';
        memcpy(key + first + 1, method, second);
    }
    return true;
}

tact_cost_entry* tact_cost_find(tact_cost_table* table, const char* key)
{
    for (uint32_t i = 0; i < table->count; ++i)
        if (strcmp(table->entries[i].key, key) == 0) return &table->entries[i];
    return NULL;
}

tact_cost_entry* tact_cost_find_named(tact_cost_table* table, const char* query, const char* method)
{
    for (uint32_t i = 0; i < table->count; ++i)
        if (table->entries[i].query == query && table->entries[i].method == method) return &table->entries[i];
    char key[TACT_COST_KEY];
    tact_cost_entry* entry = tact_cost_key(query, method, key) ? tact_cost_find(table, key) : NULL;
    if (!entry) return NULL;
    entry->query = query;
    entry->method = method;
    return entry;
}

tact_cost_entry* tact_cost_entry_of(tact_cost_table* table, const char* key)
{
    TACT_ASSERT(table->count <= TACT_COST_ENTRIES);
    tact_cost_entry* known = tact_cost_find(table, key);
    if (known) return known;
    if (table->count == TACT_COST_ENTRIES || strlen(key) >= TACT_COST_KEY) return NULL;
    tact_cost_entry* entry = &table->entries[table->count++];
    memset(entry, 0, sizeof *entry);
    memcpy(entry->key, key, strlen(key) + 1);
    return entry;
}

double tact_cost_median(double* values, size_t count)
{
    if (count == 0) return 0.0;
    for (size_t i = 1; i < count; ++i) {
        const double value = values[i];
        size_t place = i;
        for (; place > 0 && values[place - 1] > value; --place)
            values[place] = values[place - 1];
        values[place] = value;
    }
    TACT_ASSERT(values[0] <= values[count - 1]);
    return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

/// The median of measured to expected over the last answers of about the size of a call that is expected to take `base`
/// ms, which are `used`; 1 where there are too few.
static double learned_ratio(const tact_cost_entry* entry, double base, uint32_t* used)
{
    double ratios[TACT_COST_RUNS];
    uint32_t count = 0;
    const uint64_t kept = entry->runs < TACT_COST_RUNS ? entry->runs : TACT_COST_RUNS;
    for (uint64_t i = 0; i < kept; ++i) {
        const double expected = (double)entry->expected[i];
        if (expected > base * TACT_COST_NEAR || base > expected * TACT_COST_NEAR) continue;
        ratios[count++] = (double)entry->ratio[i];
        TACT_ASSERT(entry->ratio[i] > 0.0f && count <= TACT_COST_RUNS);
    }
    *used = count >= TACT_COST_RUNS_MIN ? count : 0;
    return *used == 0 ? 1.0 : tact_cost_median(ratios, count);
}

static double within_limit(double factor)
{
    return fmin(fmax(factor, 1.0 / TACT_COST_FACTOR_MAX), TACT_COST_FACTOR_MAX);
}

/// What the coefficients say of a call but for its transfers, had it so much work.
static double without_transfers(const tact_cost_entry* entry, const tact_cost* cost, double work)
{
    const double* c = entry->coefficients;
    return c[TACT_COST_FIXED] * cost->terms[TACT_COST_FIXED] + c[TACT_COST_PREPARE] * cost->terms[TACT_COST_PREPARE] +
           c[TACT_COST_WORK] * work;
}

/// By how much a call differs from what the coefficients say, by two sizes, of which the work is not below the first:
/// its time is a power of theirs.
static double bend_by(const tact_cost_entry* entry, const tact_cost* cost, const tact_cost_bend* a,
                      const tact_cost_bend* b)
{
    const double work = fmin(cost->terms[TACT_COST_WORK], b->work * (b->work / a->work));
    const double from = without_transfers(entry, cost, a->work), to = without_transfers(entry, cost, b->work);
    const double at = without_transfers(entry, cost, work);
    if (!(from > 0.0)) return b->ratio;
    // Where the work counts for nothing the coefficients do not tell sizes apart.
    const bool grows = to > 1.001 * from;
    const double step = grows ? log(to / from) : log(b->work / a->work);
    const double beyond = grows ? log(at / to) : log(work / b->work);
    double times = pow(to * b->ratio / (from * a->ratio), beyond / step);
    if (work > b->work) times = fmin(fmax(times, 1.0), work / b->work);
    return b->ratio * times * (to / at);
}

/// By how much a call differs from what the coefficients say.
static double bend_of(const tact_cost_entry* entry, const tact_cost* cost)
{
    const double work = cost->terms[TACT_COST_WORK];
    const uint32_t count = entry->bend_count;
    const tact_cost_bend* b = entry->bends;
    TACT_ASSERT(count <= TACT_COST_BENDS);
    if (count == 0) return 1.0;
    if (count == 1 || !(work > b[0].work)) return b[0].ratio;
    uint32_t i = 1;
    while (i + 1 < count && b[i].work < work)
        ++i;
    return bend_by(entry, cost, &b[i - 1], &b[i]);
}

tact_cost_expectation tact_cost_claim(const tact_cost_entry* entry, const tact_cost* cost)
{
    tact_cost_expectation e = {.factor = 1.0};
    double ordinary = 0.0;
    e.calibrated = entry && entry->calibrated;
    const double bend = e.calibrated ? bend_of(entry, cost) : 1.0;
    for (int k = 0; k < TACT_COST_TERMS; ++k) {
        e.terms[k] = cost->terms[k] * (e.calibrated ? entry->coefficients[k] * bend : 1.0);
        e.claimed += e.terms[k];
        ordinary += cost->terms[k];
    }
    // A calibration that is wrong by far would keep a device from being asked for ever, or asked for ever.
    double limited = 1.0;
    if (e.calibrated && e.claimed > 0.0 && ordinary > 0.0)
        limited = within_limit(e.claimed / ordinary) / (e.claimed / ordinary);
    for (int k = 0; k < TACT_COST_TERMS; ++k)
        e.terms[k] *= limited;
    e.base = e.total = e.claimed * limited;
    if (cost->terms[TACT_COST_UPLOAD] > 0.0)
        e.once = e.terms[TACT_COST_UPLOAD] * (cost->stays / cost->terms[TACT_COST_UPLOAD]);
    return e;
}

void tact_cost_scale(tact_cost_expectation* e, double factor)
{
    e->factor *= factor;
    for (int k = 0; k < TACT_COST_TERMS; ++k)
        e->terms[k] *= factor;
    e->total = e->base * e->factor;
    e->once *= factor;
}

tact_cost_expectation tact_cost_expect(const tact_cost_entry* entry, const tact_cost* cost)
{
    tact_cost_expectation e = tact_cost_claim(entry, cost);
    if (entry && e.base > 0.0) tact_cost_scale(&e, within_limit(learned_ratio(entry, e.base, &e.learned)));
    return e;
}

void tact_cost_learn(tact_cost_entry* entry, double expected, double measured)
{
    if (!(expected > 0.0) || !(measured >= 0.0) || !isfinite(expected) || !isfinite(measured)) return;
    const uint64_t place = entry->runs++ % TACT_COST_RUNS;
    TACT_ASSERT(place < TACT_COST_RUNS);
    entry->expected[place] = (float)expected;
    // A ratio beyond what is ever applied need not be kept, and could overflow a float.
    entry->ratio[place] = (float)fmin(fmax(measured / expected, 1e-6), 1e6);
}

/// Whether a time is beyond all that a calibration's claim may be off by.
static bool is_far_off(double claimed, double ms)
{
    return ms > claimed * TACT_COST_FACTOR_MAX || ms * TACT_COST_FACTOR_MAX < claimed;
}

bool tact_cost_refuted(const tact_cost_entry* entry, const tact_cost_expectation* expected, double last,
                       double* measured)
{
    uint32_t used = 0;
    if (!entry->calibrated || !is_far_off(expected->claimed, last)) return false;
    *measured = learned_ratio(entry, expected->base, &used) * expected->base;
    return used > 0 && is_far_off(expected->claimed, *measured);
}

void tact_cost_drop(tact_cost_entry* entry)
{
    char key[TACT_COST_KEY];
    memcpy(key, entry->key, sizeof key);
    memset(entry, 0, sizeof *entry);
    memcpy(entry->key, key, sizeof key);
}

bool tact_cost_plausible(const double coefficients[TACT_COST_TERMS])
{
    double most = 0.0;
    for (int k = 0; k < TACT_COST_TERMS; ++k) {
        if (!(coefficients[k] >= 0.0 && coefficients[k] <= TACT_COST_SLOWEST)) return false;
        most = fmax(most, coefficients[k]);
    }
    return most >= TACT_COST_QUICKEST;
}

// ---- Trials ----

static int size_of(double base)
{
    int size = 0;
    for (double limit = 1e-3; base >= limit && size + 1 < TACT_COST_SIZES; limit *= 10.0)
        ++size;
    TACT_ASSERT(size >= 0 && size < TACT_COST_SIZES);
    return size;
}

void tact_cost_save(tact_cost_entry* entry, double base, double ms)
{
    if (ms > 0.0 && isfinite(ms)) entry->saved[size_of(base)] += (float)(ms * TACT_COST_TRIAL_SHARE);
}

bool tact_cost_trial_due(const tact_cost_entry* entry, double base, double extra)
{
    const int size = size_of(base);
    return (double)entry->saved[size] >= ldexp(extra, entry->refuted[size]);
}

void tact_cost_tried(tact_cost_entry* entry, double base, double extra)
{
    const int size = size_of(base);
    if (extra < 0.0) {
        entry->refuted[size] = 0;
        return;
    }
    if (entry->refuted[size] < TACT_COST_REFUTED_MAX) ++entry->refuted[size];
    const double left = (double)entry->saved[size] - extra;
    entry->saved[size] = left < 0.0 ? (float)fmax(left, -1e30) : 0.0f;
}

// ---- What stays on a device ----

/// What was saved for another version counts no longer.
static void turn_to(tact_cost_rent* rent, uint64_t version)
{
    if (rent->version == version && !rent->given) return;
    if (rent->given && rent->vain < TACT_COST_REFUTED_MAX) ++rent->vain;
    *rent = (tact_cost_rent){.version = version, .vain = rent->vain};
}

bool tact_cost_rent_due(tact_cost_rent* rent, uint64_t version, double extra)
{
    turn_to(rent, version);
    return rent->saved >= ldexp(extra, rent->vain);
}

void tact_cost_rent_save(tact_cost_rent* rent, uint64_t version, double ms)
{
    turn_to(rent, version);
    if (ms > 0.0 && isfinite(ms)) rent->saved += ms;
}

void tact_cost_rent_give(tact_cost_rent* rent)
{
    rent->saved = 0.0;
    rent->given = true;
}

void tact_cost_rent_use(tact_cost_rent* rent)
{
    if (rent->given) rent->vain = 0;
    rent->given = false;
    rent->saved = 0.0;
}

// ---- The fit ----

static bool usable(const tact_cost_sample* s)
{
    double sum = 0.0;
    for (int k = 0; k < TACT_COST_TERMS; ++k) {
        if (!(s->terms[k] >= 0.0)) return false;
        sum += s->terms[k];
    }
    return isfinite(sum) && sum > 0.0 && isfinite(s->ms) && s->ms > 0.0;
}

/// Each row's terms divided by what it took, so that a fit gives 1; repeats as one row, by their median.
static size_t make_rows(const tact_cost_sample* samples, size_t count, double rows[][TACT_COST_TERMS])
{
    bool taken[TACT_COST_SAMPLES] = {false};
    size_t made = 0;
    if (count > TACT_COST_SAMPLES) count = TACT_COST_SAMPLES;
    for (size_t i = 0; i < count; ++i) {
        if (taken[i] || !usable(&samples[i])) continue;
        double times[TACT_COST_SAMPLES];
        size_t repeats = 0;
        for (size_t j = i; j < count; ++j) {
            if (taken[j] || !usable(&samples[j])) continue;
            if (memcmp(samples[i].terms, samples[j].terms, sizeof samples[i].terms) != 0) continue;
            taken[j] = true;
            times[repeats++] = samples[j].ms;
        }
        const double ms = tact_cost_median(times, repeats);
        for (int k = 0; k < TACT_COST_TERMS; ++k)
            rows[made][k] = samples[i].terms[k] / ms;
        ++made;
    }
    return made;
}

static double predict(const double row[TACT_COST_TERMS], const double coefficients[TACT_COST_TERMS])
{
    double sum = 0.0;
    for (int k = 0; k < TACT_COST_TERMS; ++k)
        sum += row[k] * coefficients[k];
    return sum;
}

/// By how much an expectation and the time differ: 0.5 for half as well as for twice as much more or less.
static double error_of(double predicted)
{
    if (!(predicted > 0.0)) return 1e6;
    return fabs(log(predicted));
}

/// Weighted least squares for coefficients from 0 on, by coordinate descent, held a little to `prior`: what the rows
/// do not tell apart keeps its share.
static void solve(double rows[][TACT_COST_TERMS], const double* weights, size_t count, double prior,
                  double coefficients[TACT_COST_TERMS])
{
    double normal[TACT_COST_TERMS][TACT_COST_TERMS] = {{0}}, right[TACT_COST_TERMS] = {0};
    for (size_t i = 0; i < count; ++i) {
        for (int a = 0; a < TACT_COST_TERMS; ++a) {
            right[a] += weights[i] * rows[i][a];
            for (int b = 0; b < TACT_COST_TERMS; ++b)
                normal[a][b] += weights[i] * rows[i][a] * rows[i][b];
        }
    }
    enum { SWEEPS = 2000 };
    const double hold = 1e-5;
    for (int sweep = 0; sweep < SWEEPS; ++sweep) {
        double moved = 0.0;
        for (int a = 0; a < TACT_COST_TERMS; ++a) {
            if (!(normal[a][a] > 0.0)) continue;
            double rest = right[a] + hold * normal[a][a] * prior;
            for (int b = 0; b < TACT_COST_TERMS; ++b)
                if (b != a) rest -= normal[a][b] * coefficients[b];
            const double next = fmax(rest / (normal[a][a] * (1.0 + hold)), 0.0);
            moved = fmax(moved, fabs(next - coefficients[a]) / (next + prior));
            coefficients[a] = next;
        }
        if (moved < 1e-9) break;
    }
}

bool tact_cost_fit(const tact_cost_sample* samples, size_t count, double coefficients[TACT_COST_TERMS], double* error)
{
    double rows[TACT_COST_SAMPLES][TACT_COST_TERMS], weights[TACT_COST_SAMPLES], values[TACT_COST_SAMPLES];
    const size_t n = make_rows(samples, count, rows);
    if (n < 2) return false;
    // The one factor for all terms that fits best: where the terms of the rates at hand are in the right proportion.
    for (size_t i = 0; i < n; ++i) {
        double sum = 0.0;
        for (int k = 0; k < TACT_COST_TERMS; ++k)
            sum += rows[i][k];
        values[i] = 1.0 / sum;
    }
    const double prior = tact_cost_median(values, n);
    double one[TACT_COST_TERMS];
    for (int k = 0; k < TACT_COST_TERMS; ++k)
        coefficients[k] = one[k] = prior;
    for (size_t i = 0; i < n; ++i)
        weights[i] = 1.0;
    enum { ROUNDS = 30 };
    for (int round = 0; round < ROUNDS; ++round) {
        solve(rows, weights, n, prior, coefficients);
        for (size_t i = 0; i < n; ++i)
            values[i] = fabs(predict(rows[i], coefficients) - 1.0);
        // 1.5 times the median deviation, but never so small that what a clock rounds is off.
        const double limit = fmax(1.5 * tact_cost_median(values, n), 0.02);
        for (size_t i = 0; i < n; ++i) {
            const double off = fabs(predict(rows[i], coefficients) - 1.0);
            weights[i] = off <= limit ? 1.0 : limit / off;
        }
    }
    for (size_t i = 0; i < n; ++i)
        values[i] = error_of(predict(rows[i], coefficients));
    *error = tact_cost_median(values, n);
    for (size_t i = 0; i < n; ++i)
        values[i] = error_of(predict(rows[i], one));
    const double uniform = tact_cost_median(values, n);
    // One factor cannot be far wrong where a fit of few and noisy samples can.
    if (!(uniform < *error)) return isfinite(*error);
    *error = uniform;
    memcpy(coefficients, one, sizeof one);
    return isfinite(uniform);
}

// ---- What the fit leaves ----

size_t tact_cost_leave_out_first(tact_cost_sample* samples, size_t count)
{
    if (count < 2 || memcmp(samples[0].terms, samples[1].terms, sizeof samples->terms) != 0) return count;
    memmove(samples, samples + 1, (count - 1) * sizeof *samples);
    return count - 1;
}

/// What samples of a size took by what the coefficients say: the median of those with the least upload, of two the
/// lower one, since what interrupts a call makes it longer. 0: none says.
static double ratio_of(const tact_cost_sample* samples, size_t count, double work, const double coefficients[])
{
    double ratios[TACT_COST_SAMPLES], least = HUGE_VAL;
    size_t used = 0;
    for (size_t i = 0; i < count; ++i)
        if (samples[i].terms[TACT_COST_WORK] == work && usable(&samples[i]))
            least = fmin(least, samples[i].terms[TACT_COST_UPLOAD]);
    for (size_t i = 0; i < count; ++i) {
        const double *terms = samples[i].terms, expected = predict(terms, coefficients);
        if (terms[TACT_COST_WORK] == work && terms[TACT_COST_UPLOAD] == least && usable(&samples[i]) && expected > 0.0)
            ratios[used++] = samples[i].ms / expected;
    }
    tact_cost_median(ratios, used);  // sorts
    return used > 0 ? ratios[(used - 1) / 2] : 0.0;
}

void tact_cost_bend_to(const tact_cost_sample* samples, size_t count, tact_cost_entry* entry)
{
    if (count > TACT_COST_SAMPLES) count = TACT_COST_SAMPLES;
    entry->bend_count = 0;
    for (double before = 0.0; entry->bend_count < TACT_COST_BENDS;) {
        double work = HUGE_VAL;
        for (size_t i = 0; i < count; ++i)
            if (samples[i].terms[TACT_COST_WORK] > before) work = fmin(work, samples[i].terms[TACT_COST_WORK]);
        if (!isfinite(work)) return;
        const double ratio = ratio_of(samples, count, work, entry->coefficients);
        if (ratio > 0.0) entry->bends[entry->bend_count++] = (tact_cost_bend){work, within_limit(ratio)};
        before = work;
    }
}

bool tact_cost_bends_plausible(const tact_cost_bend* bends, size_t count)
{
    double before = 0.0;
    for (size_t i = 0; i < count; ++i) {
        const tact_cost_bend* b = &bends[i];
        if (!(b->work > before) || !isfinite(b->work) || !(b->ratio > 0.0) || within_limit(b->ratio) != b->ratio)
            return false;
        before = b->work;
    }
    return count <= TACT_COST_BENDS;
}
