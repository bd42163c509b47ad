// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/plot.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/system.h"

enum { WIDTH = 860, HEIGHT = 520, LEFT = 76, RIGHT = 190, TOP = 44, BOTTOM = 58 };

/// Distinct also for those who do not see red and green apart (after Okabe and Ito, Color Universal Design, 2008).
static const char* const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9",
                                     "#444444", "#8a6d3b", "#7b3fa0", "#8c0d0d", "#2f6f7e", "#a8a000"};
enum { COLORS = sizeof colors / sizeof colors[0] };

typedef struct text {
    char* bytes;
    size_t size, capacity;
    bool failed;
} text;

static void put(text* t, const char* format, ...) TACT_TOOL_PRINTF(2, 3);

static void put(text* t, const char* format, ...)
{
    enum { ROOM = 1024 };
    if (t->capacity - t->size < ROOM) {
        const size_t capacity = 2 * t->capacity + 4 * ROOM;
        char* bytes = realloc(t->bytes, capacity);
        if (!bytes) {
            t->failed = true;
            return;
        }
        t->bytes = bytes;
        t->capacity = capacity;
    }
    va_list arguments;
    va_start(arguments, format);
    const int written = vsnprintf(t->bytes + t->size, ROOM, format, arguments);
    va_end(arguments);
    if (written > 0) t->size += (size_t)written < ROOM ? (size_t)written : ROOM - 1;
}

/// Text between tags.
static void put_escaped(text* t, const char* s)
{
    for (; *s; ++s) {
        switch (*s) {
            case '<':
                put(t, "&lt;");
                break;
            case '>':
                put(t, "&gt;");
                break;
            case '&':
                put(t, "&amp;");
                break;
            default:
                put(t, "%c", *s);
                break;
        }
    }
}

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
        ++plot->count;
    }
    tact_plot_line* line = &plot->lines[i];
    if (line->count == TACT_PLOT_POINTS) return;
    line->x[line->count] = x;
    line->y[line->count++] = y;
}

/// One axis: from where to where in powers of ten, and in pixels.
typedef struct axis {
    double low, high;
    double from, to;
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
    *x = (axis){HUGE_VAL, -HUGE_VAL, LEFT, WIDTH - RIGHT};
    *y = (axis){HUGE_VAL, -HUGE_VAL, HEIGHT - BOTTOM, TOP};
    for (size_t i = 0; i < plot->count; ++i) {
        for (size_t k = 0; k < plot->lines[i].count; ++k) {
            widen(x, plot->lines[i].x[k]);
            widen(y, plot->lines[i].y[k]);
        }
    }
    axis* const both[] = {x, y};
    for (int i = 0; i < 2; ++i) {
        const double margin = 0.04 * (both[i]->high - both[i]->low) + 0.02;
        both[i]->low -= margin;
        both[i]->high += margin;
    }
}

static void put_number(text* t, double value)
{
    if (value >= 1e6) {
        put(t, "%g M", value * 1e-6);
    } else if (value >= 1e3) {
        put(t, "%g k", value * 1e-3);
    } else {
        put(t, "%g", value);
    }
}

static void put_tick(text* t, const axis* a, bool across, double value, bool labelled)
{
    const double p = at(a, value);
    const char* color = labelled ? "#d4d7dc" : "#eef0f2";
    if (across) {
        put(t, "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"%s\"/>\n", p, TOP, p, HEIGHT - BOTTOM,
            color);
        if (labelled) put(t, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", p, HEIGHT - BOTTOM + 18);
    } else {
        put(t, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\"/>\n", LEFT, p, WIDTH - RIGHT, p, color);
        if (labelled) put(t, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 8, p + 4.0);
    }
    if (!labelled) return;
    put_number(t, value);
    put(t, "</text>\n");
}

/// Powers of ten have labels; where there are few of them, so do their double and fivefold.
static void put_ticks(text* t, const axis* a, bool across)
{
    const bool few = a->high - a->low < 1.7;
    for (int power = (int)floor(a->low); power <= (int)ceil(a->high); ++power) {
        for (int digit = 1; digit < 10; ++digit) {
            const double value = digit * pow(10.0, power), place = log10(value);
            if (place < a->low || place > a->high) continue;
            put_tick(t, a, across, value, digit == 1 || (few && (digit == 2 || digit == 5)));
        }
    }
}

static void put_line(text* t, const tact_plot_line* line, const axis* x, const axis* y, const char* color)
{
    put(t, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-linejoin=\"round\"%s points=\"", color,
        line->dashed ? " stroke-dasharray=\"6 4\"" : "");
    for (size_t k = 0; k < line->count; ++k)
        put(t, "%.1f,%.1f ", at(x, line->x[k]), at(y, line->y[k]));
    put(t, "\"/>\n");
    for (size_t k = 0; k < line->count; ++k) {
        put(t, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", at(x, line->x[k]), at(y, line->y[k]), color);
    }
}

/// The names stand at the right, in the order in which the lines end, as near to their ends as there is room.
static void put_names(text* t, const tact_plot* plot, const axis* y)
{
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
    double lowest = HEIGHT - BOTTOM;
    for (size_t k = plot->count; k-- > 0;) {
        places[k] = fmin(places[k], lowest);
        lowest = places[k] - step;
    }
    for (size_t k = 0; k < plot->count; ++k) {
        const tact_plot_line* line = &plot->lines[order[k]];
        const char* color = colors[line->color % COLORS];
        put(t, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"2\"%s/>\n",
            WIDTH - RIGHT + 10, places[k], WIDTH - RIGHT + 34, places[k], color,
            line->dashed ? " stroke-dasharray=\"6 4\"" : "");
        put(t, "<text x=\"%d\" y=\"%.1f\" fill=\"%s\">", WIDTH - RIGHT + 40, places[k] + 4.0, color);
        put_escaped(t, line->name);
        put(t, "</text>\n");
    }
}

/// Names that are longer than the margin make the chart wider.
static int width_of(const tact_plot* plot)
{
    const double letter = 7.4;  // of this size, in the mean, rather more than less
    double width = WIDTH;
    for (size_t i = 0; i < plot->count; ++i)
        width = fmax(width, WIDTH - RIGHT + 48 + letter * (double)strlen(plot->lines[i].name));
    return (int)width;
}

static void draw(text* t, const tact_plot* plot)
{
    const int width = width_of(plot);
    put(t,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
        "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#333\">\n",
        width, HEIGHT, width, HEIGHT);
    put(t, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n<text x=\"%d\" y=\"26\" font-size=\"16\">", width,
        HEIGHT, LEFT);
    put_escaped(t, plot->title);
    put(t, "</text>\n");
    if (plot->count == 0) {
        put(t, "<text x=\"%d\" y=\"%d\">nothing was measured</text>\n</svg>\n", LEFT, HEIGHT / 2);
        return;
    }
    axis x, y;
    find_axes(plot, &x, &y);
    put_ticks(t, &x, true);
    put_ticks(t, &y, false);
    put(t, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#777\"/>\n", LEFT, TOP,
        WIDTH - RIGHT - LEFT, HEIGHT - BOTTOM - TOP);
    put(t, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14);
    put_escaped(t, plot->x_label);
    put(t, "</text>\n<text transform=\"translate(20 %d) rotate(-90)\" text-anchor=\"middle\">",
        (TOP + HEIGHT - BOTTOM) / 2);
    put_escaped(t, plot->y_label);
    put(t, "</text>\n");
    for (size_t i = 0; i < plot->count; ++i)
        put_line(t, &plot->lines[i], &x, &y, colors[plot->lines[i].color % COLORS]);
    put_names(t, plot, &y);
    put(t, "</svg>\n");
}

bool tact_plot_write(const char* path, const tact_plot* plot, tact_problem* problem)
{
    text t = {0};
    draw(&t, plot);
    const bool good = t.failed ? tact_problem_out_of_memory(problem, path)
                               : tact_file_replace(path, t.bytes, t.size, NULL, 0, problem);
    free(t.bytes);
    return good;
}
