// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
// How objects are drawn in image-space tests, as cpu_ref/image/image.h defines it: for kernels, and for the shaders
// that shaders/image_cells.glsl brings it into. cpu_ref/image/raster.h is the same on the host, which has numbers of 64
// bits. Answers are the same on every device only as long as all of these round alike.

#ifdef TACT_OPENCL
FN int image_high(int a, int b)
{
    return mul_hi(a, b);
}
FN uint image_high_uint(uint a, uint b)
{
    return mul_hi(a, b);
}
#else
FN int image_high(int a, int b)
{
    int high;
    int low;
    imulExtended(a, b, high, low);
    return high;
}
FN uint image_high_uint(uint a, uint b)
{
    uint high;
    uint low;
    umulExtended(a, b, high, low);
    return high;
}
#endif

FN int image_lesser(int a, int b)
{
    return a < b ? a : b;
}
FN int image_greater(int a, int b)
{
    return a > b ? a : b;
}

// ---- Vertices ----

FN float image_moved(float4 row, float x, float y, float z)
{
    PRECISE float r = ((row.x * x + row.y * y) + row.z * z) + row.w;
    return r;
}

FN int image_snapped(float v, float steps)
{
    PRECISE float product = v * steps;
    PRECISE float s = FLOOR(product + 0.5f);
    // Differences of such numbers, and of those and a pixel's centre, are whole in 32 bits. Not a number: the least.
    s = s >= -536870912.0f ? s : -536870912.0f;
    s = s <= 536870912.0f ? s : 536870912.0f;
    return to_int(s);
}

FN float image_depth(float moved)
{
    float depth = moved >= -1e28f ? moved : -1e28f;
    return depth <= 1e28f ? depth : 1e28f;
}

// ---- Numbers of 64 bits ----

STRUCT(image_wide)
{
    int upper;
    uint lower;
};

FN image_wide image_cross(int ax, int ay, int bx, int by)
{
    uint p = to_uint(ax) * to_uint(by);
    uint q = to_uint(ay) * to_uint(bx);
    image_wide r;
    r.upper = image_high(ax, by) - image_high(ay, bx) - (p < q ? 1 : 0);
    r.lower = p - q;
    return r;
}

FN bool image_is_zero(image_wide v)
{
    return v.upper == 0 && v.lower == 0u;
}

// In pieces that floats hold exactly, so that every device rounds alike.
FN float image_float(int v)
{
    PRECISE float r = to_float(v >> 16) * 65536.0f + to_float(v & 0xffff);
    return r;
}

FN float image_wide_float(image_wide v)
{
    PRECISE float r = to_float(v.upper >> 16) * 65536.0f + to_float(v.upper & 0xffff);
    r = r * 65536.0f + to_float(v.lower >> 16);
    r = r * 65536.0f + to_float(v.lower & 0xffffu);
    return r;
}

// 1 - q a, exact where q is nearly 1 / a (kernels/arithmetic.h).
FN float image_residual(float a, float q)
{
    PRECISE float p = q * a;
    PRECISE float cq = 4097.0f * q;
    PRECISE float dq = cq - q;
    PRECISE float qh = cq - dq;
    PRECISE float ql = q - qh;
    PRECISE float ca = 4097.0f * a;
    PRECISE float da = ca - a;
    PRECISE float ah = ca - da;
    PRECISE float al = a - ah;
    PRECISE float e = qh * ah - p;
    e = e + qh * al;
    e = e + ql * ah;
    e = e + ql * al;
    PRECISE float r = (1.0f - p) - e;
    return r;
}

// Rounded to nearest, which a device's own division need not be.
FN float image_reciprocal(float a)
{
    float size = ABS(a);
    PRECISE float q = 1.0f / size;
    float r = image_residual(size, q);
    for (int i = 0; i < 4; ++i) {
        float next = as_float(as_uint(q) + (r > 0.0f ? 1u : 0xffffffffu));
        float rn = image_residual(size, next);
        if (r == 0.0f || !(ABS(rn) < ABS(r))) break;
        q = next;
        r = rn;
    }
    return a < 0.0f ? -q : q;
}

// ---- Pixels ----

// Pixels, the last ones too. Empty: left > right, or low > high.
STRUCT(image_box)
{
    int left;
    int low;
    int right;
    int high;
};

// Of a tile of `size` pixels those whose centres lie in a box of the grid: pixel i's is at i 2^bits + middle.
FN image_box image_box_of(int left, int low, int right, int high, int size, int bits)
{
    int middle = (1 - size) * (1 << (bits - 1));
    int more = (1 << bits) - 1;
    image_box b;
    b.left = image_greater((left - middle + more) >> bits, 0);
    b.low = image_greater((low - middle + more) >> bits, 0);
    b.right = image_lesser((right - middle) >> bits, size - 1);
    b.high = image_lesser((high - middle) >> bits, size - 1);
    return b;
}

FN int image_centre(int pixel, int size, int bits)
{
    return (2 * pixel + 1 - size) * (1 << (bits - 1));
}

// ---- Faces ----

STRUCT(image_face)
{
    int ax;
    int ay;
    int bx;
    int by;
    int cx;
    int cy;
    float depth;    // of the first corner
    float slope_b;  // of the others what is more, over twice the area
    float slope_c;
    float least;  // depths of the corners
    float most;
};

FN image_wide image_area(image_face f)
{
    return image_cross(f.bx - f.ax, f.by - f.ay, f.cx - f.ax, f.cy - f.ay);
}

// Sets what is known of the depths. The area is not 0.
FN image_face image_face_planed(image_face face, image_wide area, float a, float b, float c)
{
    image_face f = face;
    float inverse = image_reciprocal(image_wide_float(area));
    PRECISE float slope_b = (b - a) * inverse;
    PRECISE float slope_c = (c - a) * inverse;
    f.depth = a;
    f.slope_b = slope_b;
    f.slope_c = slope_c;
    f.least = a < b ? a : b;
    f.least = f.least < c ? f.least : c;
    f.most = a > b ? a : b;
    f.most = f.most > c ? f.most : c;
    return f;
}

// Corners are seen from the centre. A centre on an edge's line counts to the left of the edge as it runs from the
// lexicographically lesser end: as if all centres were moved up by next to nothing, and left by next to nothing of
// that. So of the triangles around a closed surface an even number covers each centre.
FN bool image_on_left(int ax, int ay, int bx, int by, image_wide cross_ab)
{
    bool swapped = ax > bx || (ax == bx && ay > by);
    return image_is_zero(cross_ab) ? !swapped : cross_ab.upper >= 0;
}

STRUCT(image_seen)
{
    bool covered;
    float depth;
};

// Whether a face covers a pixel's centre, decided in whole numbers, and how deep it is there.
FN image_seen image_look(image_face f, int x, int y)
{
    image_seen seen;
    seen.covered = false;
    seen.depth = 0.0f;
    int ax = f.ax - x;
    int ay = f.ay - y;
    int bx = f.bx - x;
    int by = f.by - y;
    int cx = f.cx - x;
    int cy = f.cy - y;
    image_wide ab = image_cross(ax, ay, bx, by);
    image_wide bc = image_cross(bx, by, cx, cy);
    image_wide ca = image_cross(cx, cy, ax, ay);
    bool left = image_on_left(ax, ay, bx, by, ab);
    if (image_on_left(bx, by, cx, cy, bc) != left || image_on_left(cx, cy, ax, ay, ca) != left) return seen;
    PRECISE float far_b = image_wide_float(ca) * f.slope_b;
    PRECISE float far_c = image_wide_float(ab) * f.slope_c;
    PRECISE float there = f.depth + (far_b + far_c);
    there = there >= f.least ? there : f.least;
    seen.depth = there <= f.most ? there : f.most;
    seen.covered = true;
    return seen;
}

// The first cell whose centre is farther.
FN int image_first_cell(float depth, int slots)
{
    PRECISE float behind = FLOOR(depth + 0.5f);
    return behind > 0.0f ? (behind < to_float(slots) ? to_int(behind) : slots) : 0;
}

// ---- Edges ----

// Between two points of the grid, p the lesser one.
STRUCT(image_edge)
{
    int px;
    int py;
    int qx;
    int qy;
    float p_depth;
    float q_depth;
    float inverse_x;  // of the differences; 0 for 0
    float inverse_y;
};

// Whether the ends are to be swapped: both directions of an edge must give the same cells.
FN bool image_is_swapped(image_edge e)
{
    return e.px != e.qx ? e.px > e.qx : e.py != e.qy ? e.py > e.qy : e.p_depth > e.q_depth;
}

FN image_edge image_swapped(image_edge e)
{
    image_edge r;
    r.px = e.qx;
    r.py = e.qy;
    r.qx = e.px;
    r.qy = e.py;
    r.p_depth = e.q_depth;
    r.q_depth = e.p_depth;
    r.inverse_x = 0.0f;
    r.inverse_y = 0.0f;
    return r;
}

FN image_edge image_edge_inverted(image_edge edge)
{
    image_edge e = edge;
    int dx = e.qx - e.px;
    int dy = e.qy - e.py;
    e.inverse_x = dx == 0 ? 0.0f : image_reciprocal(image_float(dx));
    e.inverse_y = dy == 0 ? 0.0f : image_reciprocal(image_float(dy));
    return e;
}

// Whether an edge is surely in front of all cells, or behind them.
FN bool image_edge_is_out(image_edge e, int slots)
{
    float wider = (ABS(e.p_depth) + ABS(e.q_depth)) * 4e-6f + 1.0f;
    float least = e.p_depth < e.q_depth ? e.p_depth : e.q_depth;
    float most = e.p_depth > e.q_depth ? e.p_depth : e.q_depth;
    return most + wider < 0.0f || least - wider > to_float(slots + 1);
}

// Whether the edge's line meets the square: the cross product at the centre is no larger than it gets at a corner.
FN bool image_line_meets(int dx, int dy, int px, int py, int reach)
{
    image_wide v = image_cross(dx, dy, -px, -py);
    int upper = v.upper;
    uint lower = v.lower;
    if (upper < 0) {
        lower = ~lower + 1u;
        upper = ~upper + (lower == 0u ? 1 : 0);
    }
    uint sides = to_uint(dx < 0 ? -dx : dx) + to_uint(dy < 0 ? -dy : dy);
    uint far_upper = image_high_uint(to_uint(reach), sides);
    uint far_lower = to_uint(reach) * sides;
    return to_uint(upper) != far_upper ? to_uint(upper) < far_upper : lower <= far_lower;
}

// Cells, from `first` to before `end`.
STRUCT(image_cells_range)
{
    int first;
    int end;
};

STRUCT(image_part)
{
    float enter;
    float leave;
};

// From where to where along p + t d, t from 0 to 1, one coordinate is within the reach of 0.
FN image_part image_clipped(image_part part, int p, float inverse, int reach)
{
    image_part r = part;
    PRECISE float s = image_float(-reach - p) * inverse;
    PRECISE float t = image_float(reach - p) * inverse;
    float first = s < t ? s : t;
    float last = s < t ? t : s;
    r.enter = first > r.enter ? first : r.enter;
    r.leave = last < r.leave ? last : r.leave;
    return r;
}

FN int image_slot(float v, int slots)
{
    return v > 0.0f ? (v < to_float(slots) ? to_int(v) : slots) : 0;
}

// The cells of a pixel through which an edge runs; none unless it runs through the pixel's square, its sides included.
// That is decided in whole numbers; between which depths, in floats, a little too wide rather than too narrow.
FN image_cells_range image_edge_cells(image_edge e, int x, int y, int bits, int slots)
{
    image_cells_range r;
    r.first = 0;
    r.end = 0;
    int reach = 1 << (bits - 1);
    int px = e.px - x;
    int py = e.py - y;
    int qx = e.qx - x;
    int qy = e.qy - y;
    int dx = e.qx - e.px;
    int dy = e.qy - e.py;
    if ((px > reach && qx > reach) || (px < -reach && qx < -reach)) return r;
    if ((py > reach && qy > reach) || (py < -reach && qy < -reach)) return r;
    if (!image_line_meets(dx, dy, px, py, reach)) return r;
    image_part part;
    part.enter = 0.0f;
    part.leave = 1.0f;
    if (dx != 0) part = image_clipped(part, px, e.inverse_x, reach);
    if (dy != 0) part = image_clipped(part, py, e.inverse_y, reach);
    float enter = part.enter > 1.0f ? 1.0f : part.enter;
    float leave = part.leave < 0.0f ? 0.0f : part.leave;
    PRECISE float rise = e.q_depth - e.p_depth;
    PRECISE float rise_enter = enter * rise;
    PRECISE float rise_leave = leave * rise;
    PRECISE float z = e.p_depth + rise_enter;
    PRECISE float w = e.p_depth + rise_leave;
    PRECISE float wider = (ABS(e.p_depth) + ABS(e.q_depth)) * 9.5367431640625e-7f;
    PRECISE float near_depth = (z < w ? z : w) - wider;
    PRECISE float far_depth = (z < w ? w : z) + wider;
    r.first = image_slot(-FLOOR(-near_depth) - 1.0f, slots);
    r.end = image_slot(FLOOR(far_depth) + 1.0f, slots);
    return r;
}

// Bits from `first` on, of the 32 from `base` on.
FN uint image_bits_from(int first, int base)
{
    int shift = first - base;
    return shift <= 0 ? 0xffffffffu : (shift >= 32 ? 0u : 0xffffffffu << to_uint(shift));
}
