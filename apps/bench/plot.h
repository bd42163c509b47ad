// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Line charts as SVG files that need nothing else to be shown, both axes logarithmic.

#include <stdbool.h>
#include <stddef.h>

#include "apps/text.h"

enum { TACT_PLOT_LINES = 16, TACT_PLOT_POINTS = 64 };

typedef struct tact_plot_line {
    char name[48];
    bool dashed;  ///< for what is not ours
    double x[TACT_PLOT_POINTS], y[TACT_PLOT_POINTS];
    double low[TACT_PLOT_POINTS], high[TACT_PLOT_POINTS];  ///< of repeated measurements; 0: none
    size_t count;
    double mark;   ///< a place on the x axis to be marked in its colour; 0: none
    double ended;  ///< a place on the x axis from which on it was left out; 0: none
    size_t color;  ///< a number; that of the line's place where nobody sets another
} tact_plot_line;

typedef struct tact_plot {
    char title[128];
    bool small;  ///< for a page, in milliseconds: narrow, without title and names, and each point has its values as
                 ///< title
    const char* x_label;
    const char* y_label;
    tact_plot_line lines[TACT_PLOT_LINES];
    size_t count;
} tact_plot;

/// Adds a point to the line of this name, which is begun when it is new. What is not positive and finite, or has no
/// room, is left out.
void tact_plot_add(tact_plot* plot, const char* name, bool dashed, double x, double y);

/// The same with the least, the middle and the greatest of repeated measurements.
void tact_plot_add_spread(tact_plot* plot, const char* name, bool dashed, double x, const double y[3]);

/// Marks a place on the x axis for the line of this name.
void tact_plot_mark(tact_plot* plot, const char* name, double x);

/// Marks from where on the line of this name was left out, at the top; the axis goes so far. False: there is no such
/// line.
bool tact_plot_end(tact_plot* plot, const char* name, double x);

/// Puts a piece of a line, as it is drawn in the chart, into a text, as an svg element of 26 by 8 pixels.
void tact_plot_draw_key(tact_text* text, const tact_plot_line* line);

/// Puts the chart into a text, as an svg element.
void tact_plot_draw(tact_text* text, const tact_plot* plot);

/// Writes the chart. The same chart is the same bytes. A chart without points says so.
bool tact_plot_write(const char* path, const tact_plot* plot, tact_problem* problem);

// From which size on one way is faster than another.

typedef enum tact_crossover_kind {
    TACT_CROSSOVER_UNKNOWN = 0,  ///< there is nothing to compare
    TACT_CROSSOVER_NONE = 1,     ///< not faster at the largest size
    TACT_CROSSOVER_ALWAYS = 2,   ///< faster at every size measured
    TACT_CROSSOVER_AT = 3        ///< faster from `size` on
} tact_crossover_kind;

typedef struct tact_crossover {
    tact_crossover_kind kind;
    double size;      ///< AT: between two sizes measured; ALWAYS: the smallest; NONE: the largest
    double largest;   ///< the largest size measured
    double speed_up;  ///< at the largest size: the base's time over the other's
} tact_crossover;

/// `sizes` ascend; times in any one unit. Points where a size, `base` or `other` is not positive and finite do not
/// count. Between the last size at which the other is not faster and the next one the logarithm of the ratio of times
/// is taken as linear in the logarithm of the size, and the crossover is where it is 0.
tact_crossover tact_find_crossover(const double* sizes, const double* base, const double* other, size_t count);
