// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// Which pixels of a row image_draw.kernel looks at. Rounding leaves no pixel out that is to be looked at; of the others
// some may be.

// Pixels of a row, the last one too; first > last: none.
STRUCT(image_run)
{
    int first;
    int last;
};

STRUCT(image_span)
{
    float from;
    float to;
};

FN image_span image_no_span(void)
{
    image_span s;
    s.from = 1e30f;
    s.to = -1e30f;
    return s;
}

// Makes a span wide enough for what of a segment is within `reach` of the row's middle, y; in steps of the grid. Of the
// numbers that the ends of that come of none is rounded more than six times.
FN image_span image_widened(image_span before, int ax, int ay, int bx, int by, int y, int reach)
{
    image_span s = before;
    float pa = to_float(ay - y);
    float pb = to_float(by - y);
    float half_row = to_float(reach);
    if ((pa > half_row && pb > half_row) || (pa < -half_row && pb < -half_row)) return s;
    float enter = 0.0f;
    float leave = 1.0f;
    if (pa != pb) {
        float first = tact_div(-half_row - pa, pb - pa);
        float last = tact_div(half_row - pa, pb - pa);
        float low = first < last ? first : last;
        float high = first < last ? last : first;
        enter = low > 0.0f ? low : 0.0f;
        leave = high < 1.0f ? high : 1.0f;
    }
    float xa = to_float(ax);
    float run = to_float(bx) - xa;
    float u = xa + enter * run;
    float v = xa + leave * run;
    float more = (ABS(xa) + ABS(run)) * 1e-6f + half_row;
    float from = (u < v ? u : v) - more;
    float to = (u < v ? v : u) + more;
    s.from = from < s.from ? from : s.from;
    s.to = to > s.to ? to : s.to;
    return s;
}

// The pixels of a box's row in a span.
FN image_run image_run_of(image_box box, image_span span, int size, int bits)
{
    float middle = to_float((1 - size) * (1 << (bits - 1)));
    float share = tact_div(1.0f, to_float(1 << bits));
    float from = FLOOR((span.from - middle) * share) - 1.0f;
    float to = FLOOR((span.to - middle) * share) + 2.0f;
    image_run r;
    r.first = from > to_float(box.left) ? (from < to_float(size) ? to_int(from) : size) : box.left;
    r.last = to < to_float(box.right) ? (to > -1.0f ? to_int(to) : -1) : box.right;
    return r;
}
