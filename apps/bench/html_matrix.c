// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "apps/bench/html_parts.h"
#include "base/order.h"

/// More than this between two times is a difference.
static const double EVEN = 1.05;

const char* tact_html_backend(tact_backend backend)
{
    return backend == TACT_BACKEND_GL ? "OpenGL" : backend == TACT_BACKEND_CL ? "OpenCL" : "CPU";
}

void tact_html_put_subject(tact_text* t, const tact_suite_row* row)
{
    tact_text_put_escaped(t, row->mesh[0] ? row->mesh : row->query->set);
}

void tact_html_put_count(tact_text* t, double value)
{
    char text[32];
    tact_text_grouped(value, text, sizeof text);
    tact_text_put(t, "%s", text);
}

/// The larger over the smaller, to two digits: "1.3", "13", "130".
static void put_times(tact_text* t, double ratio)
{
    const double times = ratio < 1.0 ? 1.0 / ratio : ratio;
    if (times < 9.95) {
        tact_text_put(t, "%.1f", times);
        return;
    }
    const double unit = pow(10.0, floor(log10(times)) - 1.0);
    tact_html_put_count(t, round(times / unit) * unit);
}

static bool is_even(double ratio)
{
    return ratio < EVEN && ratio > 1.0 / EVEN;
}

void tact_html_put_ratio(tact_text* t, double ratio)
{
    if (is_even(ratio)) {
        tact_text_put(t, "as fast");
        return;
    }
    put_times(t, ratio);
    tact_text_put(t, ratio > 1.0 ? " times as fast" : " times slower");
}

// ---- What is compared ----

static bool is_of(const tact_suite_row* row, tact_backend backend)
{
    return !row->peer && row->backend == backend && tact_suite_counts(row);
}

static const tact_suite_row* find(const tact_suite_row* rows, size_t count, tact_backend backend, uint64_t size)
{
    for (size_t i = 0; i < count; ++i)
        if (is_of(&rows[i], backend) && rows[i].size == size) return &rows[i];
    return NULL;
}

static tact_html_pair pair_of(const tact_suite_row* base, const tact_suite_row* other)
{
    const bool timed = base && other && base->total.median > 0.0 && other->total.median > 0.0;
    if (!timed) return (tact_html_pair){.base = NULL};
    return (tact_html_pair){base, other, base->total.median / other->total.median,
                            base->total.low <= other->total.high && other->total.low <= base->total.high};
}

tact_html_pair tact_html_device(const tact_suite_row* rows, size_t count, tact_backend backend)
{
    tact_html_pair best = {.base = NULL};
    for (size_t i = 0; i < count; ++i) {
        if (!is_of(&rows[i], backend)) continue;
        const tact_html_pair p = pair_of(find(rows, count, TACT_BACKEND_CPU, rows[i].size), &rows[i]);
        if (p.base && (!best.base || p.base->size >= best.base->size)) best = p;
    }
    return best;
}

tact_html_pair tact_html_peer(const tact_suite_row* rows, size_t count)
{
    tact_html_pair best = {.base = NULL};
    for (size_t i = 0; i < count; ++i) {
        if (!rows[i].peer) continue;
        const tact_html_pair p = pair_of(&rows[i], find(rows, count, TACT_BACKEND_CPU, rows[i].size));
        if (!p.base) continue;
        if (!best.base || p.base->size > best.base->size || (p.base->size == best.base->size && p.ratio < best.ratio))
            best = p;
    }
    return best;
}

static const tact_backend order[] = {TACT_BACKEND_CPU, TACT_BACKEND_GL, TACT_BACKEND_CL};
enum { DEVICES = sizeof order / sizeof order[0] };

/// The device that answers first at a size, as its place in `order`: DEVICES where the times of two overlap, -1 where
/// one of those that answer at all has no time.
static int quickest_at(const tact_suite_row* rows, size_t count, const bool answers[DEVICES], uint64_t size)
{
    const tact_suite_row* of[DEVICES] = {NULL};
    int first = -1;
    for (int b = 0; b < DEVICES; ++b) {
        of[b] = answers[b] ? find(rows, count, order[b], size) : NULL;
        if (answers[b] && !of[b]) return -1;
        if (of[b] && (first < 0 || of[b]->total.median < of[first]->total.median)) first = b;
    }
    for (int b = 0; b < DEVICES; ++b)
        if (b != first && of[b] && of[b]->total.low <= of[first]->total.high) return DEVICES;
    return first;
}

/// The same at the largest size that has an answer.
static int quickest(const tact_suite_row* rows, size_t count)
{
    bool answers[DEVICES] = {false};
    for (size_t i = 0; i < count; ++i)
        for (int b = 0; b < DEVICES; ++b)
            answers[b] = answers[b] || is_of(&rows[i], order[b]);
    int found = -1;
    for (size_t i = count; i-- > 0 && found < 0;)
        found = quickest_at(rows, count, answers, rows[i].size);
    return found;
}

// ---- The headline ----

static void put_name(tact_text* t, const tact_suite_row* row)
{
    tact_text_put(t, "<q>");
    tact_text_put_escaped(t, row->query->title);
    tact_text_put(t, "</q> (");
    tact_html_put_subject(t, row);
    tact_text_put(t, ")");
}

enum { MOST_RATIOS = 1024 };

/// How a column of ratios is, over all series. What is unclear is counted and no more.
typedef struct tally {
    size_t compared, faster, even, unclear, clear;
    tact_html_pair best, worst;
    double ratios[MOST_RATIOS];
} tally;

static void count_pair(tally* all, tact_html_pair p)
{
    if (!p.base) return;
    ++all->compared;
    all->unclear += p.unclear;
    if (p.unclear) return;
    if (all->clear == 0 || p.ratio > all->best.ratio) all->best = p;
    if (all->clear == 0 || p.ratio < all->worst.ratio) all->worst = p;
    if (all->clear < MOST_RATIOS) all->ratios[all->clear] = p.ratio;
    ++all->clear;
    all->even += is_even(p.ratio);
    all->faster += !is_even(p.ratio) && p.ratio > 1.0;
}

/// "faster at 3 of 41, even at 1, unclear at 5".
static void put_counts(tact_text* t, const tally* all)
{
    tact_text_put(t, "faster at ");
    if (all->faster == 0)
        tact_text_put(t, "none");
    else
        tact_text_put(t, "%zu", all->faster);
    tact_text_put(t, " of %zu", all->compared);
    if (all->even) tact_text_put(t, ", even at %zu", all->even);
    if (all->unclear) tact_text_put(t, ", unclear at %zu, whose times overlap", all->unclear);
}

/// ", 3.6 times as fast, Sphere casts (terrain 33k)".
static void put_extreme(tact_text* t, const char* how, const tact_html_pair* p)
{
    tact_text_put(t, "%s", how);
    tact_html_put_ratio(t, p->ratio);
    tact_text_put(t, ", ");
    put_name(t, p->other);
}

static void put_device(tact_text* t, const tact_suite_results* results, tact_backend backend)
{
    tally all = {.compared = 0};
    bool software = false;
    for (size_t at = 0, count = 0; at < results->count; at += count) {
        count = tact_suite_series(results, at);
        const tact_html_pair p = tact_html_device(&results->rows[at], count, backend);
        count_pair(&all, p);
        software = software || (p.other && p.other->software);
    }
    if (all.compared == 0) return;
    tact_text_put(t, "<li><b>%s</b>%s beside the CPU: ", tact_html_backend(backend),
                  software ? ", in software on the CPU's own cores," : "");
    put_counts(t, &all);
    if (all.clear) put_extreme(t, "; at best ", &all.best);
    tact_text_put(t, ".</li>\n");
}

static void put_peers(tact_text* t, const tact_suite_results* results)
{
    tally all = {.compared = 0};
    for (size_t at = 0, count = 0; at < results->count; at += count) {
        count = tact_suite_series(results, at);
        count_pair(&all, tact_html_peer(&results->rows[at], count));
    }
    if (all.compared == 0) return;
    tact_text_put(t, "<li><b>The CPU</b> beside the fastest peer of each: ");
    put_counts(t, &all);
    if (all.clear) {
        const tact_spread spread = tact_spread_of(all.ratios, all.clear < MOST_RATIOS ? all.clear : MOST_RATIOS);
        tact_text_put(t, "; in the middle ");
        tact_html_put_ratio(t, spread.median);
        put_extreme(t, ", at worst ", &all.worst);
    }
    tact_text_put(t, ".</li>\n");
}

static void put_quickest(tact_text* t, const tact_suite_results* results)
{
    size_t wins[DEVICES + 1] = {0}, all = 0;
    for (size_t at = 0, count = 0; at < results->count; at += count) {
        count = tact_suite_series(results, at);
        const int first = quickest(&results->rows[at], count);
        if (first < 0) continue;
        ++wins[first];
        ++all;
    }
    if (all == 0) return;
    tact_text_put(t, "<p class=\"lead\">Of %zu queries, each at the largest size that all devices had time for", all);
    for (int b = 0; b < DEVICES; ++b) {
        if (wins[b] == 0) continue;
        tact_text_put(t, ", <b>%s is quickest at %zu</b>",
                      order[b] == TACT_BACKEND_CPU ? "the CPU" : tact_html_backend(order[b]), wins[b]);
    }
    if (wins[DEVICES]) tact_text_put(t, ", unclear at %zu", wins[DEVICES]);
    tact_text_put(t, ".</p>\n");
}

static void put_checked(tact_text* t, const tact_suite_results* results)
{
    size_t compared = 0, by_reference = 0;
    for (size_t i = 0; i < results->count; ++i) {
        const tact_suite_row* r = &results->rows[i];
        if (r->peer || !tact_suite_counts(r)) continue;
        ++compared;
        by_reference += r->by_reference;
    }
    if (results->wrong == 0) {
        tact_text_put(t, "<li class=\"%s\"><b>Checked</b>: ", results->left_out ? "faint" : "good");
        if (TACT_ORDERED) {
            tact_text_put(
                t,
                "all %zu measurements %sgave the results they must, those of the other devices and for %zu of "
                "them also those of brute force.</li>\n",
                compared, results->left_out ? "that were made " : "", by_reference);
        } else {
            tact_text_put(t, "nothing; this build orders no answers.</li>\n");
        }
        return;
    }
    tact_text_put(t,
                  "<li class=\"bad\"><b>Wrong</b>: %" PRIu64
                  " measurements failed or gave other results than the rest. Read no times here.<ul>\n",
                  results->wrong);
    for (size_t i = 0; i < results->count; ++i) {
        const tact_suite_row* r = &results->rows[i];
        if (r->status != TACT_BENCH_DIFFERS && r->status != TACT_BENCH_FAILED) continue;
        tact_text_put(t, "<li>%s, %s, ", r->query->name, tact_suite_who(r));
        tact_html_put_count(t, (double)r->size);
        tact_text_put(t, " %s: ", r->query->unit);
        tact_text_put_escaped(t, r->detail);
        tact_text_put(t, "</li>\n");
    }
    tact_text_put(t, "</ul></li>\n");
}

void tact_html_put_headline(tact_text* t, const tact_suite_results* results)
{
    put_quickest(t, results);
    tact_text_put(t, "<ul>\n");
    put_device(t, results, TACT_BACKEND_GL);
    put_device(t, results, TACT_BACKEND_CL);
    put_peers(t, results);
    put_checked(t, results);
    if (results->stopped) {
        tact_text_put(t,
                      "<li class=\"part\"><b>Stopped</b>: a signal ended this run before all was measured; what is "
                      "missing is marked.</li>\n");
    } else if (results->left_out) {
        tact_text_put(t,
                      "<li class=\"part\"><b>Incomplete</b>: for %" PRIu64
                      " sizes of a query on a device, and for larger ones, there was no time. A machine that does "
                      "nothing else, or a larger <code>--budget</code>, has it.</li>\n",
                      results->left_out);
    }
    tact_text_put(t, "</ul>\n");
}

// ---- The matrix ----

/// The least ratios of the shades.
static const double shades[] = {1.05, 1.5, 4.0, 16.0};
enum { SHADES = sizeof shades / sizeof shades[0] };

static int shade_of(double ratio)
{
    const double times = ratio < 1.0 ? 1.0 / ratio : ratio;
    int shade = 0;
    while (shade < SHADES && times >= shades[shade])
        ++shade;
    return shade;
}

/// The size that both have, where that is not the CPU's largest or what is above it was left out.
static void put_size(tact_text* t, uint64_t size, bool shown, const tact_suite_row* left_out)
{
    if (!shown && !left_out) return;
    tact_text_put(t, "<small>%s%s ", left_out ? tact_suite_result(left_out) : "", left_out ? " above" : "at");
    tact_html_put_count(t, (double)size);
    tact_text_put(t, "</small>");
}

static void put_timing(tact_text* t, const tact_suite_row* row)
{
    tact_text_put_escaped(t, tact_suite_who(row));
    tact_text_put(t, " ");
    tact_text_put_rounded(t, row->total.median);
    tact_text_put(t, " ms");
}

/// `by`: the column's name. `device`: whose sizes may have been left out. `largest`: of the CPU.
static void put_cell(tact_text* t, const char* by, const tact_html_pair* p, const tact_suite_row* left_out,
                     uint64_t largest)
{
    if (!p->base) {
        tact_text_put(t, "<td class=\"%s\" data-by=\"%s\">", left_out ? "out" : "none", by);
        tact_text_put(t, "%s</td>", left_out ? tact_suite_result(left_out) : "\xe2\x80\x93");
        return;
    }
    const int shade = shade_of(p->ratio);
    const char way = shade == 0 ? 'e' : p->unclear ? 'u' : p->ratio > 1.0 ? 'f' : 's';
    tact_text_put(t, "<td class=\"%c%d\" data-by=\"%s\" data-v=\"%.6g\" title=\"", way, shade, by, p->ratio);
    tact_html_put_count(t, (double)p->base->size);
    tact_text_put(t, " ");
    tact_text_put_escaped(t, p->base->query->unit);
    tact_text_put(t, ": ");
    put_timing(t, p->other);
    tact_text_put(t, ", ");
    put_timing(t, p->base);
    tact_text_put(t, "\">");
    if (way == 'e') {
        tact_text_put(t, "even");
    } else {
        put_times(t, p->ratio);
        tact_text_put(t, "\xc3\x97 %s", p->ratio > 1.0 ? "faster" : "slower");
    }
    if (way == 'u') tact_text_put(t, "<small>unclear: times overlap</small>");
    if (p->base->peer) {
        tact_text_put(t, "<small>");
        tact_text_put_escaped(t, p->base->peer);
        tact_text_put(t, "%s</small>", p->base->detail[0] ? ", counts differ" : "");
    }
    put_size(t, p->base->size, p->base->size < largest, left_out);
    tact_text_put(t, "</td>");
}

static void put_cpu(tact_text* t, const tact_suite_row* cpu, const tact_suite_row* left_out)
{
    if (!cpu) {
        tact_text_put(t, "<td class=\"%s\" data-by=\"cpu\">%s</td>", left_out ? "out" : "none",
                      left_out ? tact_suite_result(left_out) : "\xe2\x80\x93");
        return;
    }
    tact_text_put(t, "<td data-by=\"cpu\" data-v=\"%.6g\">", cpu->total.median);
    tact_text_put_rounded(t, cpu->total.median);
    tact_text_put(t, " ms<small>");
    tact_html_put_count(t, (double)cpu->size);
    tact_text_put(t, " ");
    tact_text_put_escaped(t, cpu->query->unit);
    if (left_out) tact_text_put(t, "; %s above", tact_suite_result(left_out));
    tact_text_put(t, "</small></td>");
}

static bool is_there(const tact_suite_results* results, tact_backend backend)
{
    for (size_t i = 0; i < results->count; ++i)
        if (!results->rows[i].peer && results->rows[i].backend == backend) return true;
    return false;
}

static void put_series(tact_text* t, const tact_suite_results* results, size_t at, const bool here[3])
{
    const size_t count = tact_suite_series(results, at);
    const tact_suite_row* rows = &results->rows[at];
    const tact_suite_row* cpu = NULL;
    for (size_t i = 0; i < count; ++i)
        if (is_of(&rows[i], TACT_BACKEND_CPU)) cpu = &rows[i];
    tact_text_put(t, "<tr data-query=\"%s\" data-set=\"", rows->query->name);
    tact_text_put_escaped(t, rows->query->set);
    tact_text_put(t, "\" data-mesh=\"");
    tact_text_put_escaped(t, rows->mesh);
    tact_text_put(t, "\"><td class=\"l\"><a href=\"#s%zu\">", at);
    tact_text_put_escaped(t, rows->query->title);
    tact_text_put(t, "</a> <small>");
    tact_html_put_subject(t, rows);
    tact_text_put(t, "</small></td>");
    put_cpu(t, cpu, tact_suite_left_out_row(rows, count, "cpu"));
    for (int i = 0; i < 2; ++i) {
        const tact_backend backend = i == 0 ? TACT_BACKEND_GL : TACT_BACKEND_CL;
        const tact_html_pair p = tact_html_device(rows, count, backend);
        if (here[i])
            put_cell(t, tact_backend_name(backend), &p,
                     tact_suite_left_out_row(rows, count, tact_backend_name(backend)), cpu ? cpu->size : 0);
    }
    const tact_html_pair p = tact_html_peer(rows, count);
    if (here[2]) put_cell(t, "peer", &p, 0, cpu ? cpu->size : 0);
    tact_text_put(t, "</tr>\n");
}

static void put_key(tact_text* t)
{
    tact_text_put(t,
                  "<p class=\"key\">Times slower <i class=\"s4\">16</i><i class=\"s3\">4</i><i class=\"s2\">1.5</i>"
                  "<i class=\"s1\">1.05</i> even <i class=\"f1\">1.05</i><i class=\"f2\">1.5</i><i class=\"f3\">4</i>"
                  "<i class=\"f4\">16</i> times as fast, and more</p>\n");
}

void tact_html_put_matrix(tact_text* t, const tact_suite_results* results)
{
    bool here[3] = {is_there(results, TACT_BACKEND_GL), is_there(results, TACT_BACKEND_CL), false};
    for (size_t i = 0; i < results->count; ++i)
        here[2] = here[2] || results->rows[i].peer;
    tact_text_put(
        t,
        "<p>Devices beside the CPU%s, at the largest size that both had time for; the CPU&#39;s own time is in "
        "the first column.</p>\n",
        here[2] ? ", and the CPU beside the fastest peer" : "");
    put_key(t);
    tact_text_put(t,
                  "<table class=\"matrix\" style=\"--columns:%d\"><thead><tr><th class=\"l\">Query</th><th>CPU</th>"
                  "%s%s%s</tr></thead><tbody>\n",
                  1 + here[0] + here[1] + here[2], here[0] ? "<th>OpenGL<small>beside the CPU</small></th>" : "",
                  here[1] ? "<th>OpenCL<small>beside the CPU</small></th>" : "",
                  here[2] ? "<th>CPU<small>beside the peer</small></th>" : "");
    for (size_t at = 0; at < results->count; at += tact_suite_series(results, at))
        put_series(t, results, at, here);
    tact_text_put(t, "</tbody></table>\n");
}
