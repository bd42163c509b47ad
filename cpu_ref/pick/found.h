// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What picking is made of, whoever drew or cast: the pixels of a region, the image of what each pixel shows, and the
/// distinct things in it. The reduction here defines the answer; gpu/pick/reduce.h gives the same on a device.

#include "base/env.h"
#include "tact/pick.h"

/// A pixel of the first plane. shaders/ writes it, tact_pick_target_glsl() too.
typedef struct tact_pick_ids {
    uint32_t object, instance, primitive;
    uint32_t normal;  ///< octahedral, x in the low half; TACT_PICK_NO_NORMAL: not known
} tact_pick_ids;

/// And of the second.
typedef struct tact_pick_surface {
    uint32_t depth;  ///< the bits of a float >= 0; TACT_PICK_NOTHING: nothing is seen here
    uint32_t
        barycentric;  ///< of the second vertex in the low half and the third, times 65535; TACT_PICK_NOTHING: not known
} tact_pick_surface;

#define TACT_PICK_NOTHING 0xffffffffu
#define TACT_PICK_NO_NORMAL 0x80008000u

/// The pixels of a region that are in the view, as a box with a bit for each.
typedef struct tact_pick_mask {
    uint32_t x, y, width, height;  ///< the box within the view (not the whole view): from its top left pixel, y down
    uint32_t row_words;            ///< words of a row of `bits`
    uint32_t* bits;                ///< bit i & 31 of word i >> 5 of row j, 0 past the row's end; NULL: all of the box
    bool point;                    ///< pixels are ranked by their distance from the point first
    int32_t point_x, point_y;      ///< in the box, or outside of it
} tact_pick_mask;

/// INVALID_ARGUMENT: a shape there is none of, a lasso with NaN or infinite corners, a radius beyond 1024, a view
/// larger than TACT_PICK_SIZE_MAX or with pixels beyond int32. The mask is then one of zeroes.
tact_result tact_pick_mask_make(tact_env* env, const tact_pick_view* view, const tact_pick_region* region,
                                tact_pick_mask* mask);
/// A mask of zeroes is allowed.
void tact_pick_mask_free(tact_env* env, tact_pick_mask* mask);

/// Some rows of a mask as a mask of its own, whose bits are the other's: for images that are reduced in parts. What
/// they hold is put together by tact_pick_list_move(list, first * mask->width) and tact_pick_list_merge().
tact_pick_mask tact_pick_mask_rows(const tact_pick_mask* mask, uint32_t first, uint32_t count);

/// A distinct thing: what its nearest pixel shows, which one that is, and how many there are.
typedef struct tact_pick_found {
    tact_pick_ids ids;
    tact_pick_surface surface;
    uint32_t pixel;  ///< y * width + x in the mask's box
    uint32_t pixels;
} tact_pick_found;

_Static_assert(sizeof(tact_pick_found) == 32, "kernels write eight words");

/// How pixels are told apart and ranked: the lesser (squared distance from the point, if any; depth, or its complement
/// if reversed; pixel) is the nearer.
typedef struct tact_pick_rule {
    tact_pick_group group;
    bool reversed;
} tact_pick_rule;

/// A list that grows.
typedef struct tact_pick_list {
    tact_pick_found* items;
    uint32_t* layers;  ///< of each item; NULL where all are 0
    size_t count, capacity;
} tact_pick_list;

/// Reduces an image of the mask's box, row after row from the top (`up`: from the bottom), to its distinct things, in
/// the order of the public interface. `list` is made anew. LIMIT: 2^32 - 1 pixels or more.
tact_result tact_pick_reduce(tact_env* env, const tact_pick_mask* mask, const tact_pick_rule* rule,
                             const tact_pick_ids* ids, const tact_pick_surface* surfaces, bool up,
                             tact_pick_list* list);
/// The same of an image that is fetched in pieces: `fetch` gives `count` rows from row `first` on, as they lie in the
/// image, which stay until it is called again.
typedef tact_result tact_pick_fetch_fn(uint32_t first, uint32_t count, const tact_pick_ids** ids,
                                       const tact_pick_surface** surfaces, void* user);
/// `rows`: of a piece at most.
tact_result tact_pick_reduce_pieces(tact_env* env, const tact_pick_mask* mask, const tact_pick_rule* rule,
                                    tact_pick_fetch_fn* fetch, void* user, uint32_t rows, bool up,
                                    tact_pick_list* list);
/// Adds a layer behind those that are there: counts are added up, the nearer pixel is kept, of equally near ones
/// the first. Layers that `behind` has count from `layer` on. LIMIT: 2^32 surfaces of one thing. After a failure the
/// list is good only to be freed.
tact_result tact_pick_list_merge(tact_env* env, const tact_pick_mask* mask, const tact_pick_rule* rule,
                                 tact_pick_list* list, const tact_pick_list* behind, uint32_t layer);
/// Moves all pixels down by so many numbers.
void tact_pick_list_move(tact_pick_list* list, uint32_t pixels);
/// Puts a list into the order of the public interface.
tact_result tact_pick_list_sort(tact_env* env, const tact_pick_mask* mask, const tact_pick_rule* rule,
                                tact_pick_list* list);
void tact_pick_list_free(tact_env* env, tact_pick_list* list);

/// A pick as it is told: pixel, depth, position from the depth (zeroes where the view has none), normal and
/// barycentrics from their codes, which cpu_ref/pick/code.h has.
void tact_pick_tell(const tact_pick_view* view, const tact_pick_mask* mask, const tact_pick_found* found,
                    uint32_t layer, tact_pick* pick);
