// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/bench/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/system.h"

/// Of the picture and its margins, in pixels.
typedef struct frame {
    int width, height, left, right, top, bottom;
} frame;

static const frame large = {860, 520, 76, 190, 44, 58}, small = {400, 244, 58, 12, 22, 42};

static const frame* frame_of(const tact_plot* plot)
{
    return plot->small ? &small : &large;
}

/// Distinct also for those who do not see red and green apart (after Okabe and Ito, Color Universal Design, 2008).
static const char* const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
                                     "#444444", "#8a6d3b", "#7b3fa0", "#8c0d0d", "#2f6f7e", "#a8a000"};
enum { COLORS = sizeof colors / sizeof colors[0] };

void tact_plot_add(tact_plot* plot, const char* name, bool dashed, double x, double y)
{
    if (!(x > 0.0) || !(y > 0.0) || isinf(x) || isinf(y)) return;
    size_t i = 0;
    while (i < plot->count && strcmp(plot->lines[i].name, name) != 0)
        ++i;
    if (i == plot->count) {
        if (plot->count == TACT_PLOT_LINES) return;
        snprintf(plot->lines[i].name, sizeof plot->lines[i].name, "%s", name);
        plot->lines[i].dashed = dashed;
        plot->lines[i].count = 0;
        plot->lines[i].color = plot->count;
        plot->lines[i].mark = plot->lines[i].ended = 0.0;
        ++plot->count;
    }
    tact_plot_line* line = &plot->lines[i];
    if (line->count == TACT_PLOT_POINTS) return;
    line->x[line->count] = x;
    line->low[line->count] = line->high[line->count] = 0.0;
    line->y[line->count++] = y;
}

void tact_plot_add_spread(tact_plot* plot, const char* name, bool dashed, double x, const double y[3])
{
    tact_plot_add(plot, name, dashed, x, y[1]);
    for (size_t i = 0; i < plot->count; ++i) {
        tact_plot_line* line = &plot->lines[i];
        if (strcmp(line->name, name) != 0 || line->count == 0 || line->x[line->count - 1] != x) continue;
        line->low[line->count - 1] = isfinite(y[0]) ? y[0] : 0.0;
        line->high[line->count - 1] = isfinite(y[2]) ? y[2] : 0.0;
    }
}

void tact_plot_mark(tact_plot* plot, const char* name, double x)
{
    for (size_t i = 0; i < plot->count; ++i)
        if (strcmp(plot->lines[i].name, name) == 0) plot->lines[i].mark = x;
}

bool tact_plot_end(tact_plot* plot, const char* name, double x)
{
    for (size_t i = 0; i < plot->count; ++i) {
        if (strcmp(plot->lines[i].name, name) != 0) continue;
        plot->lines[i].ended = x;
        return true;
    }
    return false;
}

/// One axis: from where to where in powers of ten, and in pixels.
typedef struct axis {
    double low, high;
    double from, to;
    const frame* f;
} axis;

static double at(const axis* a, double value)
{
    return a->from + (log10(value) - a->low) / (a->high - a->low) * (a->to - a->from);
}

static void widen(axis* a, double value)
{
    a->low = fmin(a->low, log10(value));
    a->high = fmax(a->high, log10(value));
}

static void find_axes(const tact_plot* plot, axis* x, axis* y)
{
    const frame* f = frame_of(plot);
    *x = (axis){HUGE_VAL, -HUGE_VAL, f->left, f->width - f->right, f};
    *y = (axis){HUGE_VAL, -HUGE_VAL, f->height - f->bottom, f->top, f};
    for (size_t i = 0; i < plot->count; ++i) {
        if (plot->lines[i].ended > 0.0) widen(x, plot->lines[i].ended);
        for (size_t k = 0; k < plot->lines[i].count; ++k) {
            widen(x, plot->lines[i].x[k]);
            widen(y, plot->lines[i].y[k]);
            if (plot->lines[i].low[k] > 0.0) widen(y, plot->lines[i].low[k]);
            if (plot->lines[i].high[k] > 0.0) widen(y, plot->lines[i].high[k]);
        }
    }
    axis* const both[] = {x, y};
    for (int i = 0; i < 2; ++i) {
        const double margin = 0.04 * (both[i]->high - both[i]->low) + 0.02;
        both[i]->low -= margin;
        both[i]->high += margin;
    }
}

static void put_number(tact_text* t, double value)
{
    if (value >= 1e6) {
        tact_text_put(t, "%g M", value * 1e-6);
    } else if (value >= 1e3) {
        tact_text_put(t, "%g k", value * 1e-3);
    } else {
        tact_text_put(t, "%g", value);
    }
}

static void put_tick(tact_text* t, const axis* a, bool across, double value, bool labelled)
{
    const double p = at(a, value);
    const frame* f = a->f;
    const char* color = labelled ? "#d4d7dc" : "#eef0f2";
    if (across) {
        tact_text_put(t, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\"/>\n", p, f->top, p,
                      f->height - f->bottom, color);
        if (labelled)
            tact_text_put(t, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", p, f->height - f->bottom + 18);
    } else {
        tact_text_put(t, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\"/>\n", f->left, p,
                      f->width - f->right, p, color);
        if (labelled) tact_text_put(t, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", f->left - 8, p + 4.0);
    }
    if (!labelled) return;
    put_number(t, value);
    tact_text_put(t, "</text>\n");
}

/// Powers of ten have labels; where there are few of them, so do their double and fivefold. What lies between has lines
/// where there is room.
static void put_ticks(tact_text* t, const axis* a, bool across)
{
    const bool few = a->high - a->low < 1.7, sparse = a->f == &small && !few;
    for (int power = (int)floor(a->low); power <= (int)ceil(a->high); ++power) {
        for (int digit = 1; digit < 10; ++digit) {
            const double value = digit * pow(10.0, power), place = log10(value);
            if (place < a->low || place > a->high || (sparse && digit > 1)) continue;
            put_tick(t, a, across, value, digit == 1 || (few && (digit == 2 || digit == 5)));
        }
    }
}

/// All that is said of a point: "cl: 10,000 rays in 1.23 ms (1.20 to 1.30), 8,130,000 a second".
static void put_values(tact_text* t, const tact_plot_line* line, size_t k, const char* unit)
{
    char size[48];
    tact_text_grouped(line->x[k], size, sizeof size);
    tact_text_put(t, "<title>");
    tact_text_put_escaped(t, line->name);
    tact_text_put(t, ": %s ", size);
    tact_text_put_escaped(t, unit);
    tact_text_put(t, " in ");
    tact_text_put_rounded(t, line->y[k]);
    tact_text_put(t, " ms");
    if (line->low[k] > 0.0 && line->high[k] > line->low[k]) {
        tact_text_put(t, " (");
        tact_text_put_rounded(t, line->low[k]);
        tact_text_put(t, " to ");
        tact_text_put_rounded(t, line->high[k]);
        tact_text_put(t, ")");
    }
    tact_text_put(t, ", ");
    tact_text_put_rounded(t, line->x[k] / line->y[k] * 1e3);
    tact_text_put(t, " a second</title>");
}

/// A cross above the frame, from where on it was left out.
static void put_end(tact_text* t, const tact_plot_line* line, const axis* x, const char* color, double aside)
{
    if (!(line->ended > 0.0)) return;
    const double p = at(x, line->ended) - aside, q = x->f->top - 9.0, r = 4.0;
    tact_text_put(t,
                  "<path class=\"ended\" d=\"M%.1f %.1fL%.1f %.1fM%.1f %.1fL%.1f %.1f\" stroke=\"%s\" "
                  "stroke-width=\"2\"><title>",
                  p - r, q - r, p + r, q + r, p - r, q + r, p + r, q - r, color);
    tact_text_put_escaped(t, line->name);
    tact_text_put(t, ": left out from here on: slow</title></path>\n");
}

static void put_line(tact_text* t, const tact_plot_line* line, const axis* x, const axis* y, const char* color,
                     const char* unit)
{
    tact_text_put(t, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-linejoin=\"round\"%s points=\"",
                  color, line->dashed ? " stroke-dasharray=\"6 4\"" : "");
    for (size_t k = 0; k < line->count; ++k)
        tact_text_put(t, "%.1f,%.1f ", at(x, line->x[k]), at(y, line->y[k]));
    tact_text_put(t, "\"/>\n");
    for (size_t k = 0; k < line->count; ++k) {
        if (line->low[k] > 0.0 && line->high[k] > line->low[k]) {
            tact_text_put(t, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n",
                          at(x, line->x[k]), at(y, line->low[k]), at(x, line->x[k]), at(y, line->high[k]), color);
        }
        tact_text_put(t, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\">", at(x, line->x[k]), at(y, line->y[k]),
                      color);
        if (unit) put_values(t, line, k, unit);
        tact_text_put(t, "</circle>\n");
    }
}

/// From top to bottom, where the line crosses another.
static void put_mark(tact_text* t, const tact_plot_line* line, const axis* x, const char* color)
{
    if (!(line->mark > 0.0) || log10(line->mark) < x->low || log10(line->mark) > x->high) return;
    const double p = at(x, line->mark);
    tact_text_put(t,
                  "<line class=\"crossover\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\" "
                  "stroke-dasharray=\"2 3\"/>\n",
                  p, x->f->top, p, x->f->height - x->f->bottom, color);
}

/// The names stand at the right, in the order in which the lines end, as near to their ends as there is room.
static void put_names(tact_text* t, const tact_plot* plot, const axis* y)
{
    const frame* f = y->f;
    double places[TACT_PLOT_LINES];
    size_t order[TACT_PLOT_LINES];
    for (size_t i = 0; i < plot->count; ++i) {
        const tact_plot_line* line = &plot->lines[i];
        const double end = at(y, line->y[line->count - 1]);
        size_t k = i;
        for (; k > 0 && places[k - 1] > end; --k) {
            places[k] = places[k - 1];
            order[k] = order[k - 1];
        }
        places[k] = end;
        order[k] = i;
    }
    const double step = 17.0;
    for (size_t k = 1; k < plot->count; ++k)
        places[k] = fmax(places[k], places[k - 1] + step);
    double lowest = f->height - f->bottom;
    for (size_t k = plot->count; k-- > 0;) {
        places[k] = fmin(places[k], lowest);
        lowest = places[k] - step;
    }
    for (size_t k = 0; k < plot->count; ++k) {
        const tact_plot_line* line = &plot->lines[order[k]];
        const char* color = colors[line->color % COLORS];
        tact_text_put(t, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"2\"%s/>\n",
                      f->width - f->right + 10, places[k], f->width - f->right + 34, places[k], color,
                      line->dashed ? " stroke-dasharray=\"6 4\"" : "");
        tact_text_put(t, "<text x=\"%d\" y=\"%.1f\" fill=\"%s\">", f->width - f->right + 40, places[k] + 4.0, color);
        tact_text_put_escaped(t, line->name);
        tact_text_put(t, "</text>\n");
    }
}

/// Names that are longer than the margin make the chart wider.
static int width_of(const tact_plot* plot)
{
    const double letter = 7.4;  // of this size, in the mean, rather more than less
    const frame* f = frame_of(plot);
    double width = f->width;
    for (size_t i = 0; i < plot->count; ++i)
        width = fmax(width, f->width - f->right + 48 + letter * (double)strlen(plot->lines[i].name));
    return (int)width;
}

void tact_plot_draw_key(tact_text* t, const tact_plot_line* line)
{
    const char* color = colors[line->color % COLORS];
    tact_text_put(t,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 26 8\" width=\"26\" height=\"8\">"
                  "<line x1=\"0\" y1=\"4\" x2=\"26\" y2=\"4\" stroke=\"%s\" stroke-width=\"2\"%s/>"
                  "<circle cx=\"13\" cy=\"4\" r=\"3\" fill=\"%s\"/></svg>",
                  color, line->dashed ? " stroke-dasharray=\"6 4\"" : "", color);
}

void tact_plot_draw(tact_text* t, const tact_plot* plot)
{
    const int width = plot->small ? small.width : width_of(plot);
    const frame* f = frame_of(plot);
    tact_text_put(t,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
                  "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#333\">\n",
                  width, f->height, width, f->height);
    tact_text_put(t, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", width, f->height);
    if (!plot->small) {
        tact_text_put(t, "<text x=\"%d\" y=\"26\" font-size=\"16\">", f->left);
        tact_text_put_escaped(t, plot->title);
        tact_text_put(t, "</text>\n");
    }
    if (plot->count == 0) {
        tact_text_put(t, "<text x=\"%d\" y=\"%d\">nothing was measured</text>\n</svg>\n", f->left, f->height / 2);
        return;
    }
    axis x, y;
    find_axes(plot, &x, &y);
    put_ticks(t, &x, true);
    put_ticks(t, &y, false);
    tact_text_put(t, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#777\"/>\n", f->left,
                  f->top, f->width - f->right - f->left, f->height - f->bottom - f->top);
    tact_text_put(t, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (f->left + f->width - f->right) / 2,
                  f->height - 14);
    tact_text_put_escaped(t, plot->x_label);
    tact_text_put(t, "</text>\n<text transform=\"translate(20 %d) rotate(-90)\" text-anchor=\"middle\">",
                  (f->top + f->height - f->bottom) / 2);
    tact_text_put_escaped(t, plot->y_label);
    tact_text_put(t, "</text>\n");
    for (size_t i = 0; i < plot->count; ++i)
        put_mark(t, &plot->lines[i], &x, colors[plot->lines[i].color % COLORS]);
    for (size_t i = 0; i < plot->count; ++i)
        put_line(t, &plot->lines[i], &x, &y, colors[plot->lines[i].color % COLORS], plot->small ? plot->x_label : NULL);
    for (size_t i = 0; i < plot->count; ++i) {
        // Those of one size stand side by side.
        double aside = 0.0;
        for (size_t k = 0; k < i; ++k)
            aside += plot->lines[k].ended == plot->lines[i].ended ? 13.0 : 0.0;
        put_end(t, &plot->lines[i], &x, colors[plot->lines[i].color % COLORS], aside);
    }
    if (!plot->small) put_names(t, plot, &y);
    tact_text_put(t, "</svg>\n");
}

bool tact_plot_write(const char* path, const tact_plot* plot, tact_problem* problem)
{
    tact_text t = {0};
    tact_plot_draw(&t, plot);
    const bool good = t.failed ? tact_problem_out_of_memory(problem, path)
                               : tact_file_replace(path, t.bytes, t.size, NULL, 0, problem);
    tact_text_free(&t);
    return good;
}
