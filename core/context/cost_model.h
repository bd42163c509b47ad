// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What a query is expected to cost on a device: a sum of terms, each in milliseconds by the rates of an ordinary
/// desktop, times coefficients that are measured on the machine at hand (1 until then), times a factor that is learned
/// from the answers of the context. Knows no query and no device. docs/dispatch.md tells the whole.
///
/// Not thread-safe: a table belongs to a context, which keeps it under a lock.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tact/explain.h"

enum {
    TACT_COST_FIXED,     ///< of every call
    TACT_COST_PREPARE,   ///< what must be built before the query can start
    TACT_COST_WORK,      ///< the query itself
    TACT_COST_UPLOAD,    ///< bytes that must go to the device now; none for what lies there already
    TACT_COST_DOWNLOAD,  ///< bytes that come back
    TACT_COST_TERMS
};

/// What calls would have taken less by, had all that an object needs on a device been there. All zeros: nothing yet.
typedef struct tact_cost_rent {
    uint64_t version;  ///< of the object, that it is counted of
    double saved;      ///< ms
    uint8_t vain;      ///< times in a row that the device was given it and not asked again
    bool given;        ///< and was not asked since
} tact_cost_rent;

/// What a query tells of a call on one device.
typedef struct tact_cost {
    const char* method;             ///< what is measured by itself: a mode, a kind; NULL: the query has no such
    double terms[TACT_COST_TERMS];  ///< milliseconds
    double stays;                   ///< of the upload: what lies there from then on, as long as `version` is the same
    tact_cost_rent* rent;           ///< the object's, for this device; NULL: nothing stays
    uint64_t version;
    const char* unable;  ///< NULL, or why the device is taken last, after all others
    bool never;          ///< another row of the backend answers such calls, this one does not
    bool lasting;        ///< what answers now answers later calls too: none is taken for a trial
} tact_cost;

enum {
    TACT_COST_KEY = 64,
    TACT_COST_ENTRIES = 48,
    TACT_COST_RUNS = 15,  ///< answers that are kept to learn from
    TACT_COST_RUNS_MIN = 3,
    TACT_COST_SIZES = 10,  ///< of calls, by powers of ten of what they are expected to take
    TACT_COST_BENDS = 12,  ///< sizes of which a calibration keeps by how much they differ from its fit
    TACT_CHOICES_MAX = 8   ///< rows of a query that can run: more than one of a backend are ways to do the same there
};

/// By how much calls of one size took longer than the coefficients say.
typedef struct tact_cost_bend {
    double work;  ///< the term of the work, which grows with the size
    double ratio;
} tact_cost_bend;

/// What is known of one method of one query on one device.
typedef struct tact_cost_entry {
    char key[TACT_COST_KEY];  ///< "casting rays/closest"
    bool calibrated;
    uint32_t samples;                      ///< that the coefficients were fitted to
    double error;                          ///< the median of the fit's relative errors
    double coefficients[TACT_COST_TERMS];  ///< where calibrated
    uint32_t bend_count;
    tact_cost_bend bends[TACT_COST_BENDS];  ///< least work first
    uint64_t runs;                          ///< answers seen
    float expected[TACT_COST_RUNS];         ///< of the last of them, by run modulo TACT_COST_RUNS; without the factor
    float ratio[TACT_COST_RUNS];            ///< measured to that
    float saved[TACT_COST_SIZES];           ///< ms that a trial may cost; negative: the last one cost more
    uint8_t refuted[TACT_COST_SIZES];  ///< trials in a row that only showed again that the device is the slower one
    const char *query, *method;        ///< the names by which it was found last; they stay
} tact_cost_entry;

/// What is known of one device.
typedef struct tact_cost_table {
    int64_t day;  ///< of the calibration, since 1970-01-01
    uint32_t count;
    tact_cost_entry entries[TACT_COST_ENTRIES];
} tact_cost_table;

/// What an expectation rests on.
typedef struct tact_cost_expectation {
    double terms[TACT_COST_TERMS];  ///< milliseconds, all factors applied
    double claimed;  ///< what the calibration says, however far from the ordinary rates; without one: base
    double base;     ///< the terms' sum without what was learned
    double total;
    double once;  ///< of the total: what stays on the device, and later calls need not bring
    bool calibrated;
    uint32_t learned;  ///< answers of about this size that the factor rests on; 0: none
    double factor;
} tact_cost_expectation;

/// An answer that is not there yet, of which the time cannot be known before it is.
typedef struct tact_cost_late {
    char key[TACT_COST_KEY];  ///< empty: there is none
    uint32_t device;
    double base;   ///< what it is expected to take, without what was learned
    double asked;  ///< when, in ms
} tact_cost_late;

/// Whether two names of methods are the same; NULL: a query has no such.
bool tact_cost_same_method(const char* a, const char* b);

/// The key of a query's method. False when it is too long.
bool tact_cost_key(const char* query, const char* method, char key[TACT_COST_KEY]);

/// NULL: nothing is known.
tact_cost_entry* tact_cost_find(tact_cost_table* table, const char* key);

/// The same by names that stay where they are, as of all queries and methods: an entry that was found by them before is
/// known by their addresses, without comparing texts.
tact_cost_entry* tact_cost_find_named(tact_cost_table* table, const char* query, const char* method);

/// The same, made where there is none. NULL: no more room.
tact_cost_entry* tact_cost_entry_of(tact_cost_table* table, const char* key);

/// `entry` may be NULL. A calibration moves the sum of the terms by at most TACT_COST_FACTOR_MAX either way.
tact_cost_expectation tact_cost_expect(const tact_cost_entry* entry, const tact_cost* cost);

/// Multiplies an expectation, as what was learned does.
void tact_cost_scale(tact_cost_expectation* expected, double factor);

/// The same without what was learned, which takes longer to find: enough to learn from the answer.
tact_cost_expectation tact_cost_claim(const tact_cost_entry* entry, const tact_cost* cost);

/// Learns from an answer: the median of what the last answers of about that size took, by what was expected, corrects
/// the next expectations, by at most TACT_COST_FACTOR_MAX, once there are TACT_COST_RUNS_MIN of them. One slow answer
/// among quick ones changes nothing.
void tact_cost_learn(tact_cost_entry* entry, double expected, double measured);
#define TACT_COST_FACTOR_MAX 100.0
/// Answers count for expectations that differ by no more than this from their own.
#define TACT_COST_NEAR 30.0

/// Whether a calibration is refuted: the last answer, and the median of TACT_COST_RUNS_MIN at least of about this size,
/// took more than TACT_COST_FACTOR_MAX times as long as it claims, or less than that part of it. In ms.
bool tact_cost_refuted(const tact_cost_entry* entry, const tact_cost_expectation* expected, double last,
                       double* measured);

/// Forgets a calibration, and what was learned beside it.
void tact_cost_drop(tact_cost_entry* entry);

/// Whether coefficients can be some machine's: each at most TACT_COST_SLOWEST, and not all below TACT_COST_QUICKEST.
bool tact_cost_plausible(const double coefficients[TACT_COST_TERMS]);
#define TACT_COST_SLOWEST 1e5
#define TACT_COST_QUICKEST 1e-4

// A device that is wrongly expected to be slow would never be asked, and never show it. So it is tried now and then: a
// share of the time that others take to answer is saved for that, by size, and a trial is due when what it is expected
// to cost over the best is saved. Each trial that shows the device to be slower doubles the wait for the next, up to
// TACT_COST_REFUTED_MAX times; one that shows it to be quicker costs nothing, so that more follow until it is learned.

/// Of the time that others take.
#define TACT_COST_TRIAL_SHARE 0.01
enum { TACT_COST_REFUTED_MAX = 6 };

/// Another device took `ms` where this one was expected to take `base`, without what was learned.
void tact_cost_save(tact_cost_entry* entry, double base, double ms);

/// Whether a trial is due that is expected to cost `extra` ms more than the best device.
bool tact_cost_trial_due(const tact_cost_entry* entry, double base, double extra);

/// A trial took `extra` ms more than the best device was expected to; less than 0: it was quicker.
void tact_cost_tried(tact_cost_entry* entry, double base, double extra);

// What an object needs on a device goes there once. A device that takes less from then on, but more for one call, would
// never be asked for that one. So what each call would have taken less there is counted, and when that has reached what
// it costs to bring it, it is brought: whatever comes, that costs at most as much again. What was brought and not used,
// because the object changed or the device could not keep it, doubles what must be saved the next time.

/// Whether what an object of that version needs on a device is to be brought there now, which costs this call `extra`
/// ms.
bool tact_cost_rent_due(tact_cost_rent* rent, uint64_t version, double extra);

/// A call of that version would have taken `ms` less.
void tact_cost_rent_save(tact_cost_rent* rent, uint64_t version, double ms);

/// It is brought.
void tact_cost_rent_give(tact_cost_rent* rent);

/// The device is asked where all lies there.
void tact_cost_rent_use(tact_cost_rent* rent);

/// One measurement.
typedef struct tact_cost_sample {
    double terms[TACT_COST_TERMS];
    double ms;
} tact_cost_sample;

enum { TACT_COST_SAMPLES = 128 };

/// Fits coefficients from 0 on to at most TACT_COST_SAMPLES measurements, by relative errors: repeats are replaced by
/// their median, and those that lie far off are given less weight (Huber, by iteratively reweighted least squares).
/// Terms that the samples do not tell apart share what they cost. False when nothing can be told: fewer than two
/// samples that are finite and positive, or terms that are all zero.
bool tact_cost_fit(const tact_cost_sample* samples, size_t count, double coefficients[TACT_COST_TERMS], double* error);

/// Leaves out the first of the samples of one size where its terms are those of the next: what it took more, for memory
/// and threads that were used for the first time, no term says, and of two samples it is half. Returns how many are
/// left.
size_t tact_cost_leave_out_first(tact_cost_sample* samples, size_t count);

/// Finds by how much measured sizes differ from an entry's coefficients, where all that stays on the device lay there:
/// times need not grow evenly with the work, and no sum of so few terms bends as they do. Between two sizes that were
/// measured a call takes a power of what the coefficients say. Beyond the largest it goes on like that for the same
/// distance again, but takes no less than there, and no more than in proportion to its work.
void tact_cost_bend_to(const tact_cost_sample* samples, size_t count, tact_cost_entry* entry);

/// Whether differences can be some measurement's: sizes above 0 that grow, and none beyond TACT_COST_FACTOR_MAX.
bool tact_cost_bends_plausible(const tact_cost_bend* bends, size_t count);

/// The median of `count` values, which are sorted; 0 for none.
double tact_cost_median(double* values, size_t count);

// How the last query of a context was decided: what tact_explain() makes its sentences of, when they are asked for.

struct tact_query;
struct tact_query_backend;

/// A backend that can run the query.
typedef struct tact_choice {
    const struct tact_query_backend* backend;
    uint32_t device;
    tact_cost cost;
    tact_cost_expectation expected;  ///< without what was learned, where the backend was asked for
    tact_cost_entry* known;          ///< NULL: nothing
    int64_t day;                     ///< of the device's calibration
    double margin;                   ///< by which a software device must be expected to take less
    double order;                    ///< least first
    bool trial;                      ///< asked though another is expected to take less
    bool ahead;                      ///< the same, for what later calls need not bring then
    bool ran;
    tact_result result;  ///< where it ran
    double ms;           ///< what that took
} tact_choice;

typedef struct tact_decision {
    const struct tact_query* query;  ///< NULL: none was asked yet
    tact_backend asked;
    uint32_t lost;  ///< a bit for each backend whose device was lost before
    size_t count;
    tact_choice choices[TACT_CHOICES_MAX];   ///< in the order in which they are asked
    char failures[TACT_BACKEND_COUNT][256];  ///< of those backends that failed: how
} tact_decision;
