// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/dispatch/dispatch.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/float_env.h"
#include "base/platform.h"
#include "core/context/backends.h"
#include "core/context/devices.h"
#include "core/dispatch/cost_store.h"
#include "core/dispatch/explain.h"
#include "core/dispatch/notes.h"

typedef tact_choice candidate;

enum { MAX_CANDIDATES = TACT_CHOICES_MAX };

/// Failures that another backend need not share.
static bool is_device_failure(tact_result result)
{
    return result == TACT_ERROR_DEVICE_OUT_OF_MEMORY || result == TACT_ERROR_DEVICE_LOST ||
           result == TACT_ERROR_DEVICE || result == TACT_ERROR_KERNEL_BUILD || result == TACT_ERROR_LIMIT ||
           result == TACT_ERROR_UNSUPPORTED || result == TACT_ERROR_NO_DEVICE;
}

static tact_cost_entry* known(tact_context* context, const tact_query* query, const candidate* c)
{
    return tact_cost_find_named(&context->costs[c->device], query->name, c->cost.method);
}

/// What receives a thread's answers.
static TACT_THREAD_LOCAL struct {
    const tact_context* context;
    const tact_cost_watch* watch;
} watching;

static const tact_cost_watch* watch_of(const tact_context* context)
{
    return watching.context == context ? watching.watch : NULL;
}

/// After all that are able.
static const double LAST = 1e300;

/// By how much less a software device must be expected to take than the CPU, whose cores it shares: what was measured
/// while others used these can make either look the slower one.
static const double SOFTWARE_MARGIN = 1.5;

/// What a call costs on a device, by its row. That depends on what lies on the device, which calls of other threads
/// change while they are there.
static tact_cost cost_on(tact_context* context, const tact_query_backend* backend, const tact_device_info* info,
                         uint32_t device, const void* arguments)
{
    if (device == 0) return backend->cost(info, device, arguments);
    if (!tact_monitor_try_enter(&context->queue)) {
        return (tact_cost){.unable = "it was at another call then"};
    }
    const tact_cost cost = backend->cost(info, device, arguments);
    tact_monitor_leave(&context->queue);
    return cost;
}

/// A backend, where it can run here, and what a call costs by the rates of an ordinary desktop.
static bool consider(tact_context* context, const tact_query_backend* backend, const void* arguments, bool wanted,
                     candidate* c)
{
    const int device =
        wanted ? tact_context_find(context, backend->backend) : tact_context_find_open(context, backend->backend);
    if (device < 0) return false;
    const tact_device_info* info = tact_context_describe(context, (uint32_t)device);
    if (!wanted && tact_context_lost(context, (uint32_t)device)) return false;
    TACT_ASSERT((uint32_t)device < context->device_count);
    memset(c, 0, sizeof *c);
    c->backend = backend;
    c->device = (uint32_t)device;
    c->margin = info->software && device > 0 ? SOFTWARE_MARGIN : 1.0;
    c->order = -1.0;
    if (backend->cost) c->cost = cost_on(context, backend, info, c->device, arguments);
    return !c->cost.never;
}

/// What a backend is expected to take, by what is known of this machine.
static void estimate(tact_context* context, const tact_query* query, candidate* c)
{
    if (c->backend->cost) {
        c->known = known(context, query, c);
        c->day = context->costs[c->device].day;
        c->expected = tact_cost_expect(c->known, &c->cost);
    }
    c->order = c->cost.unable ? LAST : c->expected.total * c->margin;
}

/// Slows the devices of which nothing is known by what others were seen to take longer than was expected of them, as
/// what was asked may be as hard for these. One that is software shares the CPU's cores: by all that the CPU took
/// longer. Where the one that answers now answers later calls too, and nothing is learned of a device, whose answers
/// are late, by what factor the others were off may be theirs or that of what was asked: any device is given the root,
/// which is as far from the one as from the other, quicker or slower.
static void even_out(const tact_context* context, candidate* list, size_t first, size_t count, bool asynchronous)
{
    double sum = 0.0;
    size_t learned = 0;
    for (size_t i = first; i < count; ++i) {
        const candidate* c = &list[i];
        if (c->cost.unable || c->expected.learned == 0 || (asynchronous ? !c->cost.lasting : c->device > 0)) continue;
        sum += log(c->expected.factor);
        ++learned;
    }
    const double factor = learned > 0 ? exp(sum / (double)learned * (asynchronous ? 0.5 : 1.0)) : 1.0;
    for (size_t i = first; (asynchronous || factor > 1.0) && i < count; ++i) {
        candidate* c = &list[i];
        if (c->cost.unable || c->expected.learned > 0) continue;
        if (asynchronous
                ? !c->cost.lasting
                : c->device == 0 || c->expected.calibrated || !tact_context_describe(context, c->device)->software)
            continue;
        tact_cost_scale(&c->expected, factor);
        c->order = c->expected.total * c->margin;
    }
}

/// Estimates the candidates from `first` on, and puts them in order, cheapest first.
static void put_in_order(tact_context* context, const tact_query* query, candidate* list, size_t first, size_t count)
{
    tact_mutex_lock(&context->shared);
    tact_cost_store_load(context);
    for (size_t i = first; i < count; ++i)
        estimate(context, query, &list[i]);
    even_out(context, list, first, count, query->asynchronous);
    for (size_t i = first; i < count; ++i) {
        const candidate c = list[i];
        size_t place = i;
        for (; place > first && list[place - 1].order > c.order; --place)
            list[place] = list[place - 1];
        list[place] = c;
    }
    tact_mutex_unlock(&context->shared);
}

/// The backend that was asked for, if it is here. Where it has one way to answer nothing is to be decided, and what is
/// known not looked at.
static size_t gather_asked(tact_context* context, const tact_query* query, const void* arguments, tact_backend asked,
                           candidate* list)
{
    const tact_cost_watch* watch = watch_of(context);
    size_t count = 0;
    for (size_t i = 0; i < query->backend_count; ++i) {
        if (query->backends[i].backend != asked) continue;
        TACT_ASSERT(count < MAX_CANDIDATES);
        if (consider(context, &query->backends[i], arguments, true, &list[count])) ++count;
    }
    if (count > 1) put_in_order(context, query, list, 0, count);
    for (size_t i = 0; count > 1 && watch && watch->method && i < count; ++i) {
        if (!tact_cost_same_method(list[i].cost.method, watch->method)) continue;
        list[0] = list[i];
        return 1;
    }
    return count;
}

/// Adds the others that can run here, cheapest first, to a list of `count`.
static size_t gather(tact_context* context, const tact_query* query, const void* arguments, tact_backend asked,
                     candidate* list, size_t count)
{
    const size_t first = count;
    for (size_t i = 0; i < query->backend_count; ++i) {
        const tact_query_backend* backend = &query->backends[i];
        if (backend->backend == TACT_BACKEND_REFERENCE || backend->backend == asked) continue;
        TACT_ASSERT(count < MAX_CANDIDATES);
        if (consider(context, backend, arguments, false, &list[count])) ++count;
    }
    put_in_order(context, query, list, first, count);
    return count;
}

/// About what opening devices takes, in ms: two drivers take 170 where both are software.
static const double OPENING = 200.0;

/// Opens the devices that a query runs on once the CPU was expected to take as long, in all that it was chosen for
/// while they were not open, as opening takes: whatever comes, that costs at most twice of what was best. `owed`: what
/// calls before this one were expected to take that were not counted. Returns whether there are more now.
static bool open_more(tact_context* context, const tact_query* query, const candidate* list, size_t count, double owed)
{
    if (!tact_context_opens_more(context)) return false;
    double expected = LAST;
    for (size_t i = 0; i < count; ++i)
        expected = fmin(expected, list[i].order);
    tact_mutex_lock(&context->shared);
    context->unopened_ms += expected + owed;
    const bool due = context->unopened_ms >= OPENING;
    tact_mutex_unlock(&context->shared);
    const uint32_t before = context->device_count;
    for (size_t i = 0; due && i < query->backend_count; ++i)
        if (tact_backend_is_device(query->backends[i].backend)) tact_context_find(context, query->backends[i].backend);
    return context->device_count != before;
}

/// Measures the query where `auto` is to choose between the CPU and hardware of which nothing is known. A device that
/// is software shares the CPU's cores, and need not be measured to be known as slower. Whether that changed anything.
static bool measure_first(tact_context* context, const tact_query* query, const candidate* list, size_t count)
{
    const candidate* some[MAX_CANDIDATES];
    size_t hardware = 0, unknown = 0, measured = 0;
    for (size_t i = 0; i < count; ++i) {
        const bool cpu = list[i].backend->backend == TACT_BACKEND_CPU;
        if (list[i].cost.unable || (!cpu && tact_context_describe(context, list[i].device)->software)) continue;
        hardware += !cpu;
        unknown += !list[i].expected.calibrated;
        some[measured++] = &list[i];
        TACT_ASSERT(measured <= MAX_CANDIDATES);
    }
    if (hardware == 0 || measured < 2 || unknown == 0 || !context->first_use) return false;
    bool changed = false;
    for (size_t i = 0; i < measured; ++i) {
        const char* method = some[i]->cost.method;
        uint32_t devices[MAX_CANDIDATES];
        size_t same = 0, before = 0;
        for (size_t k = 0; k < measured; ++k) {
            if (!tact_cost_same_method(some[k]->cost.method, method)) continue;
            before += k < i;
            devices[same++] = some[k]->device;
        }
        if (before == 0) changed = context->first_use(context, query->name, method, devices, same) || changed;
    }
    return changed;
}

/// What of a trial counts as its cost: by how much the device is dearer than the best, `order`. A tie is tried no more
/// often than what costs a tenth more.
static double trial_cost(const candidate* c, double order)
{
    return fmax(c->order - order, 0.1 * order);
}

/// What a candidate is expected to take once what it needs lies there, as the order goes.
static double later(const candidate* c)
{
    return c->order - c->expected.once * c->margin;
}

/// Puts a candidate before the others.
static void put_first(candidate* list, size_t place)
{
    const candidate first = list[place];
    memmove(list + 1, list, place * sizeof *list);
    list[0] = first;
}

/// Puts a device first that would take less than the best one if what it needs were there, when calls would have taken
/// less by as much as it costs to bring it. Whether there was one. `owed`: what calls before this one were expected to
/// take that were not counted.
static bool take_ahead(const tact_context* context, candidate* list, size_t count, double owed)
{
    TACT_ASSERT(count >= 2);
    const double order = list[0].order, best = later(&list[0]);
    if (list[0].cost.rent && !(list[0].cost.stays > 0.0)) tact_cost_rent_use(list[0].cost.rent);
    for (size_t i = 1; i < count; ++i) {
        const tact_cost* cost = &list[i].cost;
        const double less = best - later(&list[i]);
        if (!cost->rent || !(cost->stays > 0.0) || !(less > 0.0) || cost->unable ||
            !tact_context_describe(context, list[i].device)->probe.exact)
            continue;
        if (tact_cost_rent_due(cost->rent, cost->version, list[i].order - order)) {
            tact_cost_rent_give(cost->rent);
            put_first(list, i);
            list[0].ahead = true;
            return true;
        }
        tact_cost_rent_save(cost->rent, cost->version, less * (order + owed) / order);
    }
    return false;
}

/// Whether a device is one to try though another is expected to take less: something was measured of it, it could be
/// the quicker one as far as learning goes, and nobody can tell by the result.
static bool may_be_tried(const tact_context* context, const candidate* c, double order)
{
    return c->known && (c->known->calibrated || c->known->runs > 0) && !c->cost.unable && !c->cost.lasting &&
           c->order <= TACT_COST_FACTOR_MAX * order && tact_context_describe(context, c->device)->probe.exact;
}

/// Puts a device of which a trial is due before the others. Whether there was one.
static bool take_trial(const tact_context* context, candidate* list, size_t count)
{
    TACT_ASSERT(count >= 2);
    const double order = list[0].order;
    for (size_t i = 1; i < count; ++i) {
        if (!may_be_tried(context, &list[i], order)) continue;
        if (!tact_cost_trial_due(list[i].known, list[i].expected.base, trial_cost(&list[i], order))) continue;
        put_first(list, i);
        list[0].trial = true;
        return true;
    }
    return false;
}

/// What an answer, or a failure, of the one that was asked first means for trials. `list[0]` is who that was. `owed`:
/// what calls before this one took that were not counted.
static void account(const tact_context* context, const candidate* list, size_t count, bool answered, double ms,
                    double owed)
{
    TACT_ASSERT(count >= 2);
    if (list[0].trial) {
        tact_cost_tried(list[0].known, list[0].expected.base,
                        answered ? ms * list[0].margin - list[1].order : fmax(ms, 0.0));
        return;
    }
    // What was asked for the sake of later calls says nothing of what the best one takes.
    if (list[0].ahead) return;
    for (size_t i = 1; i < count && answered; ++i)
        if (may_be_tried(context, &list[i], list[0].order)) {
            tact_cost_save(list[i].known, list[i].expected.base, ms + owed);
        }
}

/// Which devices were lost before the call.
static uint32_t lost_devices(const tact_context* context)
{
    uint32_t lost = 0;
    for (uint32_t i = 1; i < context->device_count; ++i) {
        if (tact_context_lost(context, i)) lost |= 1u << tact_context_describe(context, i)->backend;
    }
    return lost;
}

/// Adds what a candidate is expected to take, after its method if `before` is to come before that.
static void add_way(const candidate* c, const char* before, char* reason, size_t size)
{
    if (before) tact_explain_add(reason, size, before);
    if (before && c->cost.method) tact_explain_add(reason, size, c->cost.method);
    tact_explain_add(reason, size, " ");
    tact_explain_add_ms(reason, size, c->expected.total);
    tact_explain_add(reason, size, " ms");
}

/// Whether the backend of a candidate has other ways to answer.
static bool has_ways(const tact_decision* d, const candidate* c)
{
    size_t ways = 0;
    for (size_t i = 0; i < d->count; ++i)
        ways += d->choices[i].device == c->device;
    return ways > 1;
}

/// `why`: that one backend is to answer; NULL: it was asked for.
static void give_reason(const tact_query_options* options, const char* why, const tact_decision* d, char* reason,
                        size_t size)
{
    const candidate* list = d->choices;
    const size_t count = d->count;
    if (options->backend != TACT_BACKEND_AUTO) {
        tact_explain_add(reason, size, tact_backend_name(options->backend));
        tact_explain_add(reason, size, ": ");
        tact_explain_add(reason, size, why ? why : "forced");
        for (size_t i = 0; count > 1 && i < count && list[i].backend->backend == options->backend; ++i)
            add_way(&list[i], i == 0 ? ", expected " : ", ", reason, size);
        return;
    }
    char basis[MAX_CANDIDATES][80];
    bool same = true;
    for (size_t i = 0; i < count; ++i) {
        tact_explain_basis(&list[i].expected, list[i].day, basis[i], sizeof basis[i]);
        same = same && strcmp(basis[i], basis[0]) == 0;
    }
    tact_explain_add(reason, size, "auto: expected");
    for (size_t i = 0; i < count; ++i) {
        tact_explain_add(reason, size, i ? ", " : " ");
        tact_explain_add(reason, size, tact_backend_name(list[i].backend->backend));
        add_way(&list[i], has_ways(d, &list[i]) ? " " : NULL, reason, size);
        if (same && i + 1 < count) continue;
        tact_explain_add(reason, size, " (");
        tact_explain_add(reason, size, basis[i]);
        tact_explain_add(reason, size, ")");
    }
}

double tact_dispatch_clock(const tact_context* context)
{
    return context->clock ? context->clock() : tact_context_milliseconds(context);
}

/// Whether the device of a candidate is still at work, so that the answer is not there yet.
static bool goes_on(const tact_context* context, const candidate* c)
{
#ifdef TACT_HAVE_GPU
    return c->device > 0 && tact_device_busy(context->devices[c->device]);
#else
    (void)context;
    (void)c;
    return false;
#endif
}

const tact_cost_watch* tact_dispatch_watch(const tact_context* context, const tact_cost_watch* watch)
{
    const tact_cost_watch* before = watch_of(context);
    watching.context = watch ? context : NULL;
    watching.watch = watch;
    return before;
}

bool tact_dispatch_watched(const tact_context* context)
{
    return watch_of(context) != NULL;
}

/// How a call went. `late`: the answer is not there yet. `alone`: the device had nothing to do before.
typedef struct call_time {
    double asked, ms;
    bool late, alone;
} call_time;

/// Learns from an answer. Returns whether that refutes the calibration, which is then dropped, and what was measured
/// instead.
static bool learn(tact_context* context, const tact_query* query, candidate* c, double ms, double* measured)
{
    char key[TACT_COST_KEY];
    TACT_ASSERT(c->device < context->device_count);
    tact_cost_entry* entry = c->known;
    if (!entry && tact_cost_key(query->name, c->cost.method, key)) {
        entry = tact_cost_entry_of(&context->costs[c->device], key);
    }
    if (!entry) return false;
    c->known = entry;
    tact_cost_learn(entry, c->expected.base, ms);
    if (!tact_cost_refuted(entry, &c->expected, ms, measured)) return false;
    tact_cost_drop(entry);
    ++context->costs_changed;
    return true;
}

static void tell_refuted(tact_context* context, const tact_query* query, const candidate* c, double measured)
{
    const char* method = c->cost.method;
    tact_log(
        &context->env, TACT_LOG_WARNING, "dispatch",
        "the calibration of %s%s%s on %s is dropped: it expected %.3g ms, and the last answers took %.3g ms; `tact "
        "calibrate` makes another",
        query->name, method ? "/" : "", method ? method : "", tact_backend_name(c->backend->backend),
        c->expected.claimed, measured);
}

static void describe_answer(const tact_device_info* info, const candidate* c, tact_query_report* report)
{
    report->backend = c->backend->backend;
    report->device[0] = '\0';
    tact_explain_add(report->device, sizeof report->device, info->name);
    report->software = info->software;
    report->exact = info->probe.exact && !info->probe.flushes_subnormals;
    report->tolerance = 0.0;
    for (int i = 0; !report->exact && i < TACT_PROBE_OPERATIONS; ++i) {
        const double relative = (double)info->probe.operations[i].worst_ulps * 0x1p-23;
        report->tolerance = relative > report->tolerance ? relative : report->tolerance;
    }
}

void tact_dispatch_arrived(tact_context* context, const tact_cost_late* late)
{
    if (!late->key[0] || late->device >= context->device_count || watch_of(context)) return;
    const double ms = tact_dispatch_clock(context) - late->asked;
    tact_mutex_lock(&context->shared);
    tact_cost_entry* entry = tact_cost_entry_of(&context->costs[late->device], late->key);
    if (entry) tact_cost_learn(entry, late->base, ms);
    tact_mutex_unlock(&context->shared);
}

tact_result tact_query_options_check(tact_env* env, const char* name, const tact_query_options* options)
{
    if ((unsigned)options->backend >= TACT_BACKEND_COUNT) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s: no backend %d", name, (int)options->backend);
    }
    if (options->threads < 0) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s: %d threads", name, options->threads);
    }

    return TACT_OK;
}

tact_result tact_dispatch(tact_context* context, const tact_query* query, void* arguments,
                          const tact_query_options* options, tact_query_report* report)
{
    return tact_dispatch_because(context, query, arguments, options, NULL, report);
}

_Static_assert(sizeof(tact_query_report) - offsetof(tact_query_report, reason) < 512 + sizeof(double),
               "the reason, which is written by itself, is last");

/// A call under way.
typedef struct call {
    tact_context* context;
    const tact_query* query;
    void* arguments;
    tact_query_options options;
    bool reported;    ///< the caller takes the report
    bool open;        ///< what is measured and learned may decide
    bool trials;      ///< and a device that is expected to be slower be tried
    bool recalled;    ///< it goes as an earlier call did
    bool unanswered;  ///< the backend that was asked for does not answer such calls
    double owed;      ///< what such calls before it took, ms
    double now;       ///< when the last thing was done
    uint32_t failures;
    tact_query_report report;
    char reason[sizeof((tact_query_report*)0)->reason];
    tact_decision decision;
} call;

static void begin(call* c)
{
    c->decision.query = c->query;
    c->decision.asked = c->options.backend;
    c->decision.lost = lost_devices(c->context);
    c->failures = 0;
    c->recalled = c->unanswered = false;
    c->owed = 0.0;
    c->reason[0] = '\0';
    c->open = !c->context->uncalibrated && !c->context->calibrating && !watch_of(c->context);
}

/// Lists the backends as for an earlier call that is like this one, if there was one of late.
static bool recall(call* c)
{
    tact_context* context = c->context;
    if (context->calibrating || watch_of(context)) return false;
    candidate cpu;
    for (size_t i = 0; i < c->query->backend_count; ++i)
        if (c->query->backends[i].backend == TACT_BACKEND_CPU)
            return consider(context, &c->query->backends[i], c->arguments, false, &cpu) &&
                   tact_notes_recall(context, &cpu, &c->decision, &c->owed);
    return false;
}

static bool has_row(const tact_query* query, tact_backend backend)
{
    for (size_t i = 0; i < query->backend_count; ++i)
        if (query->backends[i].backend == backend) return true;
    return false;
}

/// Fails when the backend that was asked for is not here.
static tact_result list_backends(call* c)
{
    tact_context* context = c->context;
    tact_decision* d = &c->decision;
    if (d->asked != TACT_BACKEND_AUTO) {
        d->count = gather_asked(context, c->query, c->arguments, d->asked, d->choices);
        if (d->count > 0) return TACT_OK;
        tact_notes_keep(context, d, tact_dispatch_clock(context), false);
        if (has_row(c->query, d->asked) && tact_context_find_open(context, d->asked) >= 0) {
            c->unanswered = true;
            d->count = c->options.no_fallback ? 0 : gather(context, c->query, c->arguments, d->asked, d->choices, 0);
            if (d->count > 0) return TACT_OK;
            return tact_fail(&context->env, TACT_ERROR_UNSUPPORTED, "%s: %s does not answer such calls", c->query->name,
                             tact_backend_name(d->asked));
        }
        return tact_fail(&context->env, tact_context_missing_result(context, d->asked), "%s: no %s device here: %s",
                         c->query->name, tact_backend_name(d->asked), context->missing[d->asked]);
    }
    c->recalled = recall(c);
    if (c->recalled) return TACT_OK;
    d->count = gather(context, c->query, c->arguments, d->asked, d->choices, 0);
    if (open_more(context, c->query, d->choices, d->count, c->owed)) {
        d->count = gather(context, c->query, c->arguments, d->asked, d->choices, 0);
    }
    if (c->open && measure_first(context, c->query, d->choices, d->count)) {
        d->count = gather(context, c->query, c->arguments, d->asked, d->choices, 0);
    }
    return TACT_OK;
}

/// Asks another than the one that is expected to take the least time, where that is due.
static void choose_another(call* c)
{
    tact_decision* d = &c->decision;
    // The backend that is asked may fail, and then there must be others to go on to.
    const bool may = d->count > 1 && !c->options.no_fallback && !c->recalled;
    c->trials = may && c->open;
    if (!may) return;
    tact_mutex_lock(&c->context->shared);
    const bool ahead = d->asked == TACT_BACKEND_AUTO && take_ahead(c->context, d->choices, d->count, c->owed);
    const bool taken = ahead || (c->trials && take_trial(c->context, d->choices, d->count));
    tact_mutex_unlock(&c->context->shared);
    if (!taken) return;
    tact_explain_add(c->reason, sizeof c->reason, "; ");
    tact_explain_add(c->reason, sizeof c->reason, tact_backend_name(d->choices[0].backend->backend));
    tact_explain_add(c->reason, sizeof c->reason,
                     ahead ? " takes less from the next call on, as what it needs is there then"
                           : " was tried, to see whether it is still the slower one");
}

/// What is known of a backend that was asked for, now that there is an answer to learn from.
static void claim(call* c, candidate* chosen)
{
    if (!chosen->backend->cost || c->options.backend != chosen->backend->backend) return;
    tact_cost_store_load(c->context);
    chosen->known = known(c->context, c->query, chosen);
    chosen->expected = tact_cost_claim(chosen->known, &chosen->cost);
}

/// Waits until a device is free. Waiting for calls of other threads is no time of this one's.
static void enter_queue(call* c)
{
    if (tact_monitor_try_enter(&c->context->queue)) return;
    tact_monitor_enter(&c->context->queue);
    c->now = tact_dispatch_clock(c->context);
}

/// Leaves word of an answer that a device is still at. What handing it over took says nothing of what the answer
/// takes, nor does a time that includes other work.
static void note_late(call* c, candidate* chosen, const call_time* t)
{
    tact_cost_late* late = &c->context->late;
    tact_mutex_lock(&c->context->shared);
    claim(c, chosen);
    tact_mutex_unlock(&c->context->shared);
    *late = (tact_cost_late){.device = chosen->device, .base = chosen->expected.base, .asked = t->asked};
    if (!t->alone || !tact_cost_key(c->query->name, chosen->cost.method, late->key)) late->key[0] = '\0';
}

static void run_one(call* c, candidate* chosen, call_time* t)
{
    tact_context* context = c->context;
    const tact_device_info* info = tact_context_describe(context, chosen->device);
    if (chosen->device > 0) enter_queue(c);
    *t = (call_time){.asked = c->now, .alone = !goes_on(context, chosen)};
    if (chosen->device > 0) context->late.key[0] = '\0';
    memset(&c->report, 0, offsetof(tact_query_report, reason));
    c->report.backend = chosen->backend->backend;
    chosen->result = tact_context_lost(context, chosen->device)
                         ? tact_fail(&context->env, TACT_ERROR_DEVICE_LOST, "the device was lost before")
                         : chosen->backend->run(context, chosen->device, c->arguments, &c->options, &c->report);
    c->now = tact_dispatch_clock(context);
    chosen->ran = true;
    chosen->ms = t->ms = c->now - t->asked;
    t->late = chosen->result >= TACT_OK && goes_on(context, chosen);
    if (t->late && chosen->backend->cost && !watch_of(context)) note_late(c, chosen, t);
    if (chosen->device > 0) tact_monitor_leave(&context->queue);
    if (c->reported) describe_answer(info, chosen, &c->report);
    if (chosen->device == 0 && c->report.query_ms == 0.0) c->report.query_ms = t->ms;
}

/// Whether enough is known of calls like this one, which the CPU ran, to go without learning from it. Notes it then.
static bool is_spared(call* c, double ms)
{
    if (c->recalled && ms <= TACT_NOTES_SMALL) {
        tact_notes_keep(c->context, &c->decision, c->now, false);
        return true;
    }
    return c->options.backend == TACT_BACKEND_CPU && !tact_notes_learns(c->context, &c->decision, ms, c->now);
}

/// Learns from how a call went. Where another thread learns, this one goes without: answers that are not learned from
/// cost nothing but some more until it is known what devices take. Returns whether enough is known of such calls now.
static bool learn_from(call* c, candidate* chosen, const call_time* t)
{
    tact_context* context = c->context;
    const bool answered = chosen->result >= TACT_OK, learns = answered && chosen->backend->cost && !t->late;
    if (!tact_mutex_try_lock(&context->shared)) return false;
    bool refuted = false;
    double measured = 0.0;
    if (learns) claim(c, chosen);
    if (learns && !watch_of(context)) refuted = learn(context, c->query, chosen, t->ms, &measured);
    if (c->trials && chosen == c->decision.choices) {
        // A late answer counts as taking what was expected; else each would look like a quick one.
        account(context, chosen, c->decision.count, answered, t->late ? chosen->expected.total : t->ms, c->owed);
    }
    const bool enough = learns && chosen->known && chosen->known->runs >= TACT_COST_RUNS;
    tact_mutex_unlock(&context->shared);
    if (refuted) tell_refuted(context, c->query, chosen, measured);
    return enough;
}

/// Notes how a call went, for later ones and for tact_explain().
static void take_note(call* c, candidate* chosen, const call_time* t)
{
    tact_context* context = c->context;
    const tact_cost_watch* watch = watch_of(context);
    const bool costs = chosen->result >= TACT_OK && chosen->backend->cost;
    const bool plain = costs && !watch && chosen->device == 0 && chosen == c->decision.choices && !chosen->trial;
    if (plain && is_spared(c, t->ms)) return;
    const bool enough = learn_from(c, chosen, t);
    const bool small = t->ms <= TACT_NOTES_SMALL &&
                       (c->options.backend == TACT_BACKEND_CPU || chosen->expected.total <= TACT_NOTES_SMALL);
    tact_notes_keep(context, &c->decision, c->now, plain && enough && small);
    if (!watch || !costs) return;
    const tact_cost_answer answer = {c->query,      chosen->backend->backend, chosen->device,
                                     &chosen->cost, &chosen->expected,        t->ms};
    watch->tell(watch->user, &answer);
}

/// The first line is enough for the reason; the whole detail goes to the log.
static void tell_failure(call* c, const candidate* failed)
{
    tact_env* env = &c->context->env;
    const char *name = tact_backend_name(failed->backend->backend), *what = tact_result_string(failed->result);
    const int length = (int)strcspn(tact_last_error(), "\n");
    char* failure = c->decision.failures[failed->backend->backend];
    snprintf(failure, sizeof *c->decision.failures, "%s: %.*s", what, length < 200 ? length : 200, tact_last_error());
    if (!is_device_failure(failed->result)) return;
    ++c->failures;
    tact_log(env, TACT_LOG_WARNING, "dispatch", "%s on %s failed: %s", c->query->name, name, tact_last_error());
    char text[256];
    snprintf(text, sizeof text, "; %s failed: %s: %.*s", name, what, length, tact_last_error());
    tact_explain_add(c->reason, sizeof c->reason, text);
}

static tact_result run_all(call* c)
{
    tact_decision* d = &c->decision;
    const size_t asked = d->asked != TACT_BACKEND_AUTO && !c->unanswered ? d->count : 0;
    tact_result result = TACT_ERROR_NO_DEVICE;
    for (size_t i = 0; i < d->count; ++i) {
        call_time time;
        run_one(c, &d->choices[i], &time);
        result = d->choices[i].result;
        if (result < TACT_OK) tell_failure(c, &d->choices[i]);
        take_note(c, &d->choices[i], &time);
        if (result >= TACT_OK) break;
        if (!is_device_failure(result) || c->options.no_fallback) break;
        if (i + 1 == asked) {
            d->count = gather(c->context, c->query, c->arguments, d->asked, d->choices, asked);
            if (d->count == asked && open_more(c->context, c->query, NULL, 0, 0.0)) {
                d->count = gather(c->context, c->query, c->arguments, d->asked, d->choices, asked);
            }
        }
    }
    return result;
}

static tact_result shadow(call* c)
{
    const tact_result checked = c->query->compare(c->context, c->arguments, &c->options);
    tact_explain_add(c->reason, sizeof c->reason, checked < TACT_OK ? "; shadow: differs" : "; shadow: equal");
    c->now = tact_dispatch_clock(c->context);
    return checked < TACT_OK ? checked : TACT_OK;
}

tact_result tact_dispatch_because(tact_context* context, const tact_query* query, void* arguments,
                                  const tact_query_options* given, const char* why, tact_query_report* report)
{
    static const tact_query_options defaults = {0};
    call c;
    c.context = context;
    c.query = query;
    c.arguments = arguments;
    c.reported = report != NULL;
    c.options = given ? *given : defaults;
    tact_result result = tact_query_options_check(&context->env, query->name, &c.options);
    if (result != TACT_OK) return result;
    if (c.options.threads == 0) c.options.threads = context->threads;
    TACT_ASSERT(c.options.threads >= 1 && query->backend_count <= MAX_CANDIDATES);
    tact_error_clear(&context->env);
    begin(&c);
    result = list_backends(&c);
    if (result != TACT_OK) return result;
    if (report)
        give_reason(&c.options, c.unanswered ? "does not answer such calls" : why, &c.decision, c.reason,
                    sizeof c.reason);
    choose_another(&c);

    tact_float_env env;
    tact_float_env_enter(&env);
    const double start = c.now = tact_dispatch_clock(context);
    result = run_all(&c);
    if (result >= TACT_OK && c.options.shadow && query->compare && c.report.backend != TACT_BACKEND_REFERENCE) {
        const tact_result checked = shadow(&c);
        if (checked != TACT_OK) result = checked;
    }
    tact_float_env_leave(&env);
    if (report) {
        c.report.failures = c.failures;
        c.report.total_ms = c.now - start;
        const size_t used = strlen(c.reason);
        memcpy(report, &c.report, offsetof(tact_query_report, reason));
        memcpy(report->reason, c.reason, used);
        memset(report->reason + used, 0, sizeof report->reason - used);
    }
    if (result >= TACT_OK) tact_error_clear(&context->env);
    return result;
}

tact_result tact_dispatch_on_host(tact_context* context, const tact_query* query, void* arguments,
                                  const tact_query_options* options, const char* why, tact_query_report* report)
{
    const tact_backend asked = options ? options->backend : TACT_BACKEND_AUTO;
    if (!tact_backend_is_device(asked)) {
        return tact_dispatch(context, query, arguments, options, report);
    }
    char text[sizeof report->reason];
    snprintf(text, sizeof text, "%s was selected, but %s", tact_backend_name(asked), why);
    if (options->no_fallback) return tact_fail(&context->env, TACT_ERROR_UNSUPPORTED, "%s", text);
    tact_query_options here = *options;
    here.backend = TACT_BACKEND_CPU;
    return tact_dispatch_because(context, query, arguments, &here, text, report);
}
