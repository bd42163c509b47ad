// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/chunks.h"

tact_result tact_gpu_goes_on(tact_device* device, bool (*progress)(double done, void* user), void* user, double done)
{
    if (tact_device_result(device) != TACT_OK || !progress || progress(done, user)) return tact_device_result(device);
    return TACT_DEVICE_FAIL(device, TACT_ERROR_CANCELLED, "cancelled at %.0f %%", done * 100.0);
}

size_t tact_gpu_chunk_rows(tact_device* device, size_t count, size_t most, size_t up, size_t down)
{
    enum { BESIDE = 64 };  // bytes that are read beside the rows
    const size_t bytes = tact_device_ring_bytes(device), widest = up > down ? up : down;
    const size_t chunk = count < most ? count : most;
    if (bytes < BESIDE + widest) return chunk;
    // Where both ways and kernels go side by side, the first chunk goes up and the last one comes down alone.
    const size_t fit = (bytes / (tact_device_goes_aside(device) ? 2 : 1) - BESIDE) / widest;
    if (fit >= chunk) return chunk;
    const size_t chunks = (count - 1) / fit + 1;
    return (count - 1) / chunks + 1;
}

/// How far a run has come, and what it took.
typedef struct progress {
    double upload;
    size_t sent, sent_count;  ///< the chunk that was not taken yet; none of 0 rows
} progress;

static size_t rows_from(const tact_gpu_chunks* c, size_t begin)
{
    return c->count - begin < c->chunk ? c->count - begin : c->chunk;
}

static void take_one(tact_device* device, const tact_gpu_chunks* c, progress* p, size_t begin)
{
    const size_t count = rows_from(c, begin);
    c->take(c->user, begin, count);
    p->sent_count = 0;
    tact_gpu_goes_on(device, c->progress, c->progress_user, (double)(begin + count) / (double)c->count);
}

static void run_one(tact_device* device, const tact_gpu_chunks* c, progress* p, size_t begin)
{
    const size_t count = rows_from(c, begin);
    const double start = tact_device_milliseconds(device);
    c->bring(c->user, begin, count);
    p->upload += tact_device_milliseconds(device) - start;
    c->run(c->user, begin, count);
    // The device is at work meanwhile.
    if (p->sent_count > 0) take_one(device, c, p, p->sent);
    if (tact_device_result(device) != TACT_OK) return;
    if (c->send) c->send(c->user, begin, count);
    p->sent = begin;
    p->sent_count = count;
    if (!c->overlap) take_one(device, c, p, begin);
}

tact_result tact_gpu_chunks_run(tact_device* device, const tact_gpu_chunks* c, tact_query_report* report)
{
    const double start = tact_device_milliseconds(device), read = tact_device_read_ms(device);
    progress p = {0};
    if (c->overlap) tact_device_begin_aside(device);
    for (size_t begin = 0; begin < c->count && tact_device_result(device) == TACT_OK; begin += c->chunk)
        run_one(device, c, &p, begin);
    // Also after a failure: what was begun is ended.
    if (p.sent_count > 0) take_one(device, c, &p, p.sent);
    tact_device_end_aside(device);
    if (tact_device_result(device) != TACT_OK) return tact_device_result(device);
    const double took = tact_device_milliseconds(device) - start - p.upload, moved = tact_device_read_ms(device) - read;
    report->upload_ms += p.upload;
    report->download_ms += moved;
    report->query_ms += took - moved;
    return TACT_OK;
}
